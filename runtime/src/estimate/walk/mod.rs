//! Follows the statements of a nest through a few of its iterations, on the values of a call and what its arrays hold
//! at entry or were given meanwhile. The outcome is a guess: what other iterations do is not seen.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use nestwise_analysis as analysis;
use nestwise_ir::interpreter_work::left_early;
use nestwise_ir::model::nest::{Const, While};
use nestwise_ir::{
    ArrayId, BinOp, Expr, ExprKind, For, LoopId, Nest, Scalar, ScopeId, Stmt, StmtKind, VarId,
};

use crate::estimate::branch_predictability::{self, Outcomes};
use crate::estimate::followed::{Followed, Found};
use crate::estimate::number::Number;
use crate::memory::index_facts;
use crate::memory::overlap::ArrayView;
use crate::value::HasValue;

/// For each depth, the step from one followed iteration to the next, as a share of all: they lie evenly in the
/// iteration space, and in step with nothing (Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018:
/// powers of 1 / g where g^5 = g + 1).
const SPREAD: [f64; 4] = [
    0.856_674_883_854_503,
    0.733_891_856_627_126,
    0.628_706_721_037_809,
    0.538_597_257_223_610,
];
/// The most statements that are followed in each sample. A loop that goes on for longer is taken to go on for as long
/// again.
const STEPS: u32 = 500;
/// The number of samples that follow the same iterations of an innermost loop, to see whether they are alike.
const SAME_STRETCH: u64 = 4;
/// The number of rows of a loop below which cores do not learn them by heart.
const FEW_ROWS: f64 = 16.0;
/// The states of a function that calls itself which are reckoned with if they are more than can be followed: the number
/// of calls mostly grows exponentially.
const CALLS: f64 = 20_000.0;
/// How often a `while` may be met with an unknown condition before it is given up: what comes after it wants some of
/// the steps.
const MOST_UNKNOWN: u32 = 16;

/// Where control goes after a statement.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Next,
    Break(LoopId),
    Continue(LoopId),
    Leave(ScopeId),
    Return,
}

/// Follows the statements of a nest through a few iterations, and keeps what was seen.
pub(crate) struct Walk<'a> {
    nest: &'a Nest,
    followed: &'a Followed,
    sources: Vec<Source<'a>>,
    dims: &'a [[i64; 8]],
    values: Vec<Option<Number>>,
    /// The elements that were stored meanwhile.
    stored: HashMap<Place, Option<Number>>,
    /// For each loop: the sum of the trips of the entries that were met, and the number of these entries, both
    /// weighted.
    seen: Vec<(f64, f64)>,
    /// `reached`: for each loop, how often it was reached; `iterated`: how often an iteration of it was followed,
    /// weighted, and the plain number.
    reached: Vec<f64>,
    iterated: Vec<(f64, f64)>,
    /// The outcomes of conditions that elements decide.
    outcomes: Outcomes,
    /// The number of iterations that the one which is followed stands for.
    weight: f64,
    /// `sample`: the number of the sample; `depth`: how many loops are around. The two say which iteration is followed.
    sample: f64,
    depth: usize,
    /// The number of statements that may still be followed.
    steps: u32,
    /// For each loop: whether it may have been left, without anybody knowing.
    lost: Vec<bool>,
}

/// Where the elements of an array are before anything is stored.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// The elements are in memory.
    Memory(ArrayView),
    /// The elements are in a list.
    List(&'a dyn HasValue),
    /// The elements are nowhere: the kernel makes them.
    Own,
}

/// An element, by its address or, of a list and of an array that only the kernel has, by its subscripts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    At(usize),
    Own(ArrayId, [i64; 8]),
}

impl<'a> Walk<'a> {
    /// A walk that has followed nothing yet.
    pub fn new(
        nest: &'a Nest,
        followed: &'a Followed,
        sources: Vec<Source<'a>>,
        dims: &'a [[i64; 8]],
    ) -> Walk<'a> {
        Walk {
            nest,
            followed,
            sources,
            dims,
            values: Vec::new(),
            stored: HashMap::new(),
            seen: vec![(0.0, 0.0); nest.loops.len()],
            reached: vec![0.0; nest.loops.len()],
            iterated: vec![(0.0, 0.0); nest.loops.len()],
            outcomes: Outcomes::of(&branch_predictability::decided_by_data(nest)),
            weight: 1.0,
            sample: 0.0,
            depth: 0,
            steps: 0,
            lost: vec![false; nest.loops.len()],
        }
    }

    /// Follows the nest once more, from what variables and arrays hold at entry, in other iterations than before;
    /// returns the number of statements followed.
    pub fn sample(&mut self, number: u64, values: &[Option<Number>]) -> u32 {
        self.values.clear();
        self.values.extend_from_slice(values);
        self.stored.clear();
        self.lost.fill(false);
        self.weight = 1.0;
        self.sample = number as f64;
        self.steps = STEPS;
        self.stmt(&self.nest.top);
        STEPS - self.steps
    }

    /// What was seen in all samples.
    pub fn found(self) -> Found {
        let mean = |(sum, count): (f64, f64)| (count > 0.0).then(|| sum / count);
        let reached = self.nest.loops.ids().map(|id| self.reached(id));
        Found {
            reached: reached.collect(),
            surprise: self.outcomes.surprise(),
            trips: self.seen.into_iter().map(mean).collect(),
        }
    }

    /// How often a loop under conditions is reached in an iteration of the one around it, where some were followed;
    /// what its text says counts as one more iteration.
    fn reached(&self, id: LoopId) -> Option<f64> {
        let likely = self.followed.likely[id.index()];
        let (all, count) = self.iterated[self.nest.loops[id].parent?.index()];
        if likely <= 0.0 || likely >= 1.0 || count == 0.0 {
            return None;
        }
        let each = all / count;
        Some((self.reached[id.index()] + likely * each) / (all + each))
    }

    fn block(&mut self, block: &[Stmt]) -> Flow {
        for stmt in block {
            let flow = self.stmt(stmt);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        self.steps = self.steps.saturating_sub(1);
        match &stmt.kind {
            StmtKind::Let { var, value } if self.followed.vars[var.index()] => {
                let v = self.eval(value);
                self.set(*var, v);
            }
            StmtKind::Store {
                array,
                index,
                value,
                ..
            } if self.followed.arrays[array.index()] => {
                let value = self.eval(value);
                let at = self.subscripts(index);
                if let Some(place) = at.and_then(|at| self.place(*array, &at)) {
                    self.stored.insert(place, value);
                }
            }
            StmtKind::For(l) => {
                self.reached[l.id.index()] += self.weight;
                return self.counted(l);
            }
            StmtKind::While(l) => {
                self.reached[l.id.index()] += self.weight;
                return self.repeated(l);
            }
            StmtKind::If { cond, then, orelse } => match self.eval(cond) {
                Some(c) => {
                    self.outcomes.note(stmt, c.is_true(), self.weight);
                    return self.block(if c.is_true() { then } else { orelse });
                }
                None => {
                    self.outcomes.miss(stmt, self.weight);
                    self.lose(stmt);
                    self.weight /= 2.0;
                    [then, orelse].into_iter().for_each(|b| {
                        self.block(b);
                    });
                    self.weight *= 2.0;
                }
            },
            StmtKind::Scope { id, body } => match self.block(body) {
                Flow::Leave(left) if left == *id => {}
                flow => return flow,
            },
            StmtKind::Break(id) => return Flow::Break(*id),
            StmtKind::Continue(id) => return Flow::Continue(*id),
            StmtKind::Leave(id) => return Flow::Leave(*id),
            StmtKind::Return => return Flow::Return,
            _ => {}
        }
        Flow::Next
    }

    fn counted(&mut self, l: &For) -> Flow {
        let mut int = |e| self.eval(e).and_then(Number::int);
        let (Some(start), Some(stop), Some(step)) = (int(&l.start), int(&l.stop), int(&l.step))
        else {
            self.set(l.counter, None);
            self.iterate(l.id);
            self.block(&l.body);
            return Flow::Next;
        };
        let Some(trips) = analysis::trip_count(start, stop, step) else {
            return Flow::Next;
        };
        let at = |k: i64| k.checked_mul(step).and_then(|d| start.checked_add(d));
        let work = self.nest.work.of(l.id);
        if work.is_some_and(|w| w.leaves) {
            return self.until_left(l, trips as f64, &at);
        }
        self.count(l.id, trips as f64);
        if trips < 1 {
            return Flow::Next;
        }
        let in_a_row = self.in_a_row(l);
        let mut sample = self.sample;
        if in_a_row > 1 {
            // Without loops around it would be the same row.
            let rows = if self.weight < FEW_ROWS {
                1
            } else {
                SAME_STRETCH
            };
            let stretch = self.sample as u64 / rows;
            self.outcomes.row(stretch, trips as f64);
            sample = stretch as f64;
        }
        let fraction = (0.5 + SPREAD[self.depth % SPREAD.len()] * sample).fract();
        let which = (trips as f64 * fraction).floor() as i64;
        self.depth += 1;
        let outside = self.weight;
        self.weight *= trips as f64;
        // What other iterations make of variables is not known.
        if which > 0 {
            self.forget(l.id);
        }
        // What jumps to further outside does so in one of its iterations, of which this is any.
        let first = which.min(trips as i64 - 1);
        let last = (trips as i64).min(first.saturating_add(in_a_row));
        self.weight /= (last - first) as f64;
        for k in first..last {
            if k > first && self.steps == 0 {
                break;
            }
            self.set(l.counter, at(k).map(Number::Int));
            self.iterate(l.id);
            self.block(&l.body);
        }
        if trips > 1 {
            self.forget(l.id);
        }
        self.weight = outside;
        self.depth -= 1;
        Flow::Next
    }

    /// The number of iterations of a loop that are followed one after the other.
    fn in_a_row(&self, l: &For) -> i64 {
        match self.followed.in_a_row[l.id.index()] {
            true => branch_predictability::IN_A_ROW,
            false => 1,
        }
    }

    /// Follows a loop that may be left early.
    fn until_left(&mut self, l: &For, trips: f64, at: &dyn Fn(i64) -> Option<i64>) -> Flow {
        let mut done = 0.0;
        while done < trips {
            if self.steps == 0 {
                self.count(l.id, (2.0 * done).clamp(1.0, trips));
                return Flow::Next;
            }
            self.set(l.counter, at(done as i64).map(Number::Int));
            done += 1.0;
            if let Some(flow) = self.iteration(l.id, &l.body, done) {
                return flow;
            }
        }
        self.count(l.id, done);
        Flow::Next
    }

    fn repeated(&mut self, l: &While) -> Flow {
        let mut done = 0.0f64;
        // Whether it would not have ended before, if part of its condition is not known.
        let mut sure = true;
        let mut unknown = 0;
        loop {
            match self.eval(&l.cond) {
                Some(goes_on) if !goes_on.is_true() => {
                    // As with a counted loop that may be left: what is waited for happens much sooner.
                    let trips = if sure { done } else { left_early(done) };
                    self.count(l.id, trips);
                    return Flow::Next;
                }
                Some(_) => {}
                None => {
                    sure = false;
                    unknown += 1;
                }
            }
            if self.steps == 0 || unknown > MOST_UNKNOWN {
                if sure {
                    let least = if self.is_recursion(l) { CALLS } else { 1.0 };
                    self.count(l.id, (2.0 * done).max(least));
                }
                return Flow::Next;
            }
            self.steps -= 1;
            done += 1.0;
            if let Some(flow) = self.iteration(l.id, &l.body, done) {
                return flow;
            }
        }
    }

    /// Whether a loop is one over the states of a function that calls itself.
    fn is_recursion(&self, l: &While) -> bool {
        let forever = matches!(l.cond.kind, ExprKind::Const(Const::Bool(true)));
        self.nest.frames > 0 && forever
    }

    /// Follows one iteration, the `done`-th; returns where control goes if the loop ends with it, or may have ended.
    fn iteration(&mut self, id: LoopId, body: &[Stmt], done: f64) -> Option<Flow> {
        self.iterate(id);
        match self.block(body) {
            _ if std::mem::take(&mut self.lost[id.index()]) => Some(Flow::Next),
            Flow::Next => None,
            Flow::Continue(next) if next == id => None,
            flow => {
                self.count(id, done);
                Some(match flow {
                    Flow::Break(left) if left == id => Flow::Next,
                    flow => flow,
                })
            }
        }
    }

    /// Notes that nobody knows whether a statement, and those in it, are executed.
    fn lose(&mut self, stmt: &Stmt) {
        let lost = &mut self.lost;
        stmt.walk(&mut |s| match &s.kind {
            StmtKind::Break(id) => lost[id.index()] = true,
            StmtKind::Return => lost.fill(true),
            _ => {}
        });
    }

    /// Counts a followed iteration.
    fn iterate(&mut self, id: LoopId) {
        let (all, count) = &mut self.iterated[id.index()];
        *all += self.weight;
        *count += 1.0;
    }

    fn count(&mut self, id: LoopId, trips: f64) {
        if let Some((sum, count)) = self.seen.get_mut(id.index()) {
            *sum += trips * self.weight;
            *count += self.weight;
        }
    }

    fn forget(&mut self, id: LoopId) {
        for var in &self.followed.assigned[id.index()] {
            self.values[var.index()] = None;
        }
    }

    fn set(&mut self, var: VarId, value: Option<Number>) {
        if let Some(slot) = self.values.get_mut(var.index()) {
            *slot = value;
        }
    }

    fn subscripts(&mut self, index: &[Expr]) -> Option<Vec<i64>> {
        let each = index.iter().map(|e| self.eval(e)?.int());
        each.collect()
    }

    fn place(&self, array: ArrayId, at: &[i64]) -> Option<Place> {
        match self.sources.get(array.index())? {
            Source::Memory(view) => Some(Place::At(index_facts::address(view, at)?)),
            Source::List(_) | Source::Own => {
                let mut own = [0; 8];
                own.get_mut(..at.len())?.copy_from_slice(at);
                Some(Place::Own(array, own))
            }
        }
    }

    /// The value that an element had at entry.
    fn at_entry(&self, array: ArrayId, at: &[i64]) -> Option<Number> {
        match self.sources[array.index()] {
            Source::Memory(view) => index_facts::number(&view, self.nest.arrays[array].storage, at),
            Source::List(list) => Number::of(&list.element(at)),
            Source::Own => None,
        }
    }

    fn eval(&mut self, e: &Expr) -> Option<Number> {
        let repr = e.ty.repr;
        match &e.kind {
            ExprKind::Const(c) => Number::constant(*c),
            ExprKind::Var(v) => *self.values.get(v.index())?,
            ExprKind::Dim(array, axis) => {
                let extents = self.dims.get(array.index())?;
                extents.get(*axis as usize).copied().map(Number::Int)
            }
            ExprKind::Load { array, index, .. } => {
                let at = self.subscripts(index)?;
                match self.stored.get(&self.place(*array, &at)?) {
                    Some(stored) => *stored,
                    None => self.at_entry(*array, &at),
                }
            }
            ExprKind::Unary { op, a, .. } => self.eval(a)?.unary(*op, repr),
            ExprKind::Binary { op, a, b, .. } => match (self.eval(a), self.eval(b)) {
                (Some(a), Some(b)) => Number::binary(*op, a, b),
                (Some(known), None) | (None, Some(known)) if repr == Scalar::Bool => {
                    decided(*op, known)
                }
                _ => None,
            },
            ExprKind::Compare { op, a, b } => {
                let truth = Number::compare(*op, self.eval(a)?, self.eval(b)?);
                Some(Number::Int(truth.into()))
            }
            ExprKind::Select { cond, then, orelse } => match self.eval(cond) {
                Some(cond) if cond.is_true() => self.eval(then),
                Some(_) => self.eval(orelse),
                None => {
                    let (then, orelse) = (self.eval(then)?, self.eval(orelse)?);
                    let same = repr == Scalar::Bool && then.is_true() == orelse.is_true();
                    same.then_some(then)
                }
            },
            ExprKind::Cast { kind, a, .. } => self.eval(a)?.cast(*kind, repr),
            ExprKind::Call { fun, args, .. } => {
                let args: Option<Vec<Number>> = args.iter().map(|a| self.eval(a)).collect();
                Number::call(*fun, &args?)
            }
            ExprKind::HostCall { .. } => None,
            ExprKind::Bind { var, value, body } => {
                let v = self.eval(value);
                self.set(*var, v);
                self.eval(body)
            }
        }
    }
}

/// A conjunction or disjunction of truths, one of which nobody knows, if the known one decides it.
fn decided(op: BinOp, known: Number) -> Option<Number> {
    match op {
        BinOp::And => (!known.is_true()).then_some(known),
        BinOp::Or => known.is_true().then_some(known),
        _ => None,
    }
}
