//! Trips of loops that neither types nor ints tell, and how hard it is to foresee where conditions go: what a few iterations say
//! of them, for prices.
//!
//! Bounds of inner loops are read from arrays (`range(first[i], first[i + 1])`), a `while` ends where data say so, a
//! `break` leaves. So the statements that this rests on are followed through a few iterations of the loops around, on
//! the values of the call and what its arrays hold at entry. That is a guess: what a nest writes to arrays is not seen.

use super::jumps::{self, Outcomes};
use super::{Plan, Sizes, lock};
use crate::contents;
use crate::number::Number;
use crate::overlap::ArrayView;
use crate::pipeline::{HasValue, Value};
use nestwise_analysis as analysis;
use nestwise_ir::nest::While;
use nestwise_ir::work::left_early;
use nestwise_ir::{
    BinOp, Expr, ExprKind, For, LoopId, Nest, Scalar, ScopeId, Stmt, StmtKind, VarId,
};

/// Iterations of the outer loops that are followed when a kind of call is met first; more when it is met again.
const SAMPLES: u64 = 8;
const MOST_SAMPLES: u64 = 64;
/// Where they lie, by depth: evenly in all of the iteration space, and in step with nothing (Roberts, "The unreasonable
/// effectiveness of quasirandom sequences", 2018: powers of 1 / g where g^5 = g + 1).
const SPREAD: [f64; 4] = [
    0.856_674_883_854_503,
    0.733_891_856_627_126,
    0.628_706_721_037_809,
    0.538_597_257_223_610,
];
/// For conditions alone calls are looked at when their number has doubled so often.
const SELDOMER: u32 = 4;
/// Statements that are followed in each. A loop that goes on for longer is taken to go on for as long again.
const STEPS: u32 = 500;
/// Statements that are followed in all of them; the one that is begun is followed to its end.
const ALL_STEPS: u32 = 4000;
/// Times that a condition is met which nobody knows before its loop is given up: what comes after it wants some of the steps.
const MOST_UNKNOWN: u32 = 16;
/// Larger nests are priced without.
const MOST_STATEMENTS: usize = 400;
/// Kinds of calls whose guesses are remembered.
const REMEMBERED: usize = 32;

/// What has to be followed in a nest.
pub(super) struct Followed {
    /// Variables that the ends of loops rest on, by number.
    ends: Vec<bool>,
    /// Those and what conditions rest on that elements decide.
    vars: Vec<bool>,
    /// There are such.
    conditions: bool,
    /// By loop: those of them that it assigns.
    assigned: Vec<Vec<VarId>>,
    worth: bool,
}

impl Followed {
    /// What the ends of all loops and conditions rest on.
    pub fn of(nest: &Nest) -> Followed {
        let mut ends = vec![false; nest.vars.len()];
        let mut statements = 0;
        nest.top.walk(&mut |stmt| {
            statements += 1;
            match &stmt.kind {
                StmtKind::For(l) => {
                    for e in [&l.start, &l.stop, &l.step] {
                        note(e, &mut ends);
                    }
                }
                StmtKind::While(l) => note(&l.cond, &mut ends),
                StmtKind::If { cond, .. } if jumps(stmt) => note(cond, &mut ends),
                _ => {}
            }
        });
        close(nest, &mut ends);
        let conditions = jumps::decided_by_data(nest);
        let mut vars = ends.clone();
        for stmt in &conditions {
            if let StmtKind::If { cond, .. } = &stmt.kind {
                note(cond, &mut vars);
            }
        }
        close(nest, &mut vars);
        let mut assigned = vec![Vec::new(); nest.loops.len()];
        nest.top.walk(&mut |stmt| {
            if let StmtKind::For(l) = &stmt.kind {
                let all = analysis::structure::assigned(&l.body);
                let inside = all.iter().copied().filter(|v| vars[v.index()]);
                assigned[l.id.index()] = inside.collect();
            }
        });
        Followed {
            ends,
            vars,
            conditions: !conditions.is_empty(),
            assigned,
            worth: statements <= MOST_STATEMENTS,
        }
    }
}

/// Adds what those are made from, and under which conditions, as far as that goes.
fn close(nest: &Nest, vars: &mut [bool]) {
    loop {
        let before = vars.iter().filter(|v| **v).count();
        nest.top.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let { var, value } if vars[var.index()] => note(value, vars),
            StmtKind::If { cond, .. } if assigns(stmt, vars) => note(cond, vars),
            _ => {}
        });
        if vars.iter().filter(|v| **v).count() == before {
            return;
        }
    }
}

fn note(e: &Expr, vars: &mut [bool]) {
    e.walk(&mut |e| {
        if let ExprKind::Var(v) = e.kind {
            vars[v.index()] = true;
        }
    });
}

fn jumps(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |s| {
        found |= matches!(
            s.kind,
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) | StmtKind::Return
        );
    });
    found
}

fn assigns(stmt: &Stmt, vars: &[bool]) -> bool {
    let mut found = false;
    stmt.walk(&mut |s| found |= matches!(&s.kind, StmtKind::Let { var, .. } if vars[var.index()]));
    found
}

/// Guesses by kind of call, kinds being told apart by the octaves of trips that are known, of the numbers that the others
/// rest on, and of extents.
#[derive(Default)]
pub(super) struct Guesses(Vec<Guess>);

struct Guess {
    octaves: Vec<i32>,
    calls: u64,
    found: Found,
}

/// What samples tell.
#[derive(Default)]
struct Found {
    /// By loop.
    trips: Vec<Option<f64>>,
    /// See [`Outcomes::surprise`].
    surprise: Option<f64>,
}

impl Plan {
    /// Puts guesses in for loops whose trips are not known, and for conditions. Calls are looked at when their number has
    /// doubled: their data may change, but looking takes as long as hundreds of iterations. For conditions alone it is seldomer.
    pub fn guess<V: HasValue>(&self, sizes: &mut Sizes, captures: &[V]) {
        let open = self.nest.loops.ids().any(|id| self.is_open(sizes, id));
        let followed = self.followed.get_or_init(|| Followed::of(&self.nest));
        if !followed.worth || !(open || followed.conditions) {
            return;
        }
        let numbers = self.numbers(sizes, captures);
        let octaves = self.octaves(followed, sizes, &numbers);
        let mut guesses = lock(&self.guesses);
        let known = guesses.0.iter().position(|g| g.octaves == octaves);
        let at = known.unwrap_or_else(|| {
            if guesses.0.len() == REMEMBERED {
                guesses.0.remove(0);
            }
            guesses.0.push(Guess {
                octaves,
                calls: 0,
                found: Found::default(),
            });
            guesses.0.len() - 1
        });
        let guess = &mut guesses.0[at];
        guess.calls += 1;
        let doubled = guess.calls.is_power_of_two();
        if doubled && (open || guess.calls.ilog2().is_multiple_of(SELDOMER)) {
            let samples = (SAMPLES * guess.calls).min(MOST_SAMPLES);
            guess.found = self.sampled(samples, followed, sizes, captures, numbers);
        }
        sizes.values.surprise = guess.found.surprise;
        for (id, trips) in self.nest.loops.ids().zip(&guess.found.trips) {
            if let (Some(trips), true) = (trips, self.is_open(sizes, id)) {
                sizes.mean[id.index()] = *trips;
            }
        }
    }

    /// Something took much longer than its guess: the next call of each kind is looked at.
    pub fn forget_guesses(&self) {
        lock(&self.guesses).0.clear();
    }

    /// Whether no value of the call tells how often a loop runs.
    fn is_open(&self, sizes: &Sizes, id: LoopId) -> bool {
        let known = sizes.trips.get(id.index()).copied().flatten().is_some();
        !known || self.nest.work.of(id).is_some_and(|w| w.leaves)
    }

    fn octaves(&self, followed: &Followed, sizes: &Sizes, numbers: &[Option<Number>]) -> Vec<i32> {
        let octave = |x: f64| match x {
            0.0 => 0,
            _ => (x.abs().log2().round() as i32).saturating_mul(2) + i32::from(x < 0.0),
        };
        let trips = sizes.trips.iter().map(|t| t.map_or(-1, octave));
        let rested_on = numbers.iter().zip(&followed.ends).filter(|(_, v)| **v);
        let numbers = rested_on.map(|(n, _)| n.and_then(Number::float).map_or(-1, octave));
        let arrays = self.nest.arrays.values().zip(&sizes.values.dims);
        let extents = arrays.flat_map(|(a, dims)| &dims[..a.rank as usize]);
        let extents = extents.map(|e| octave(*e as f64));
        trips.chain(numbers).chain(extents).collect()
    }

    /// What variables hold at entry.
    fn numbers<V: HasValue>(&self, sizes: &Sizes, captures: &[V]) -> Vec<Option<Number>> {
        let of = |capture: u32| captures.get(capture as usize).map(HasValue::value);
        let number = |(v, known): (&nestwise_ir::nest::VarDecl, &Option<i64>)| match known {
            Some(v) => Some(Number::Int(*v)),
            None => match of(v.live_in?)? {
                Value::Int(v) => Some(Number::Int(*v)),
                Value::Bool(v) => Some(Number::Int((*v).into())),
                Value::Float(v) => Some(Number::Float(*v)),
                Value::Complex(re, im) => Some(Number::Complex(*re, *im)),
                _ => None,
            },
        };
        let vars = self.nest.vars.values().zip(&sizes.values.vars);
        vars.map(number).collect()
    }

    fn sampled<V: HasValue>(
        &self,
        samples: u64,
        followed: &Followed,
        sizes: &Sizes,
        captures: &[V],
        values: Vec<Option<Number>>,
    ) -> Found {
        let of = |capture: u32| captures.get(capture as usize).map(HasValue::value);
        let view = |array: &nestwise_ir::ArrayDecl| match of(array.capture)? {
            Value::Array(view) if !array.kind.is_own() => Some(*view),
            _ => None,
        };
        let mut walk = Walk {
            nest: &self.nest,
            followed,
            views: self.nest.arrays.values().map(view).collect(),
            dims: &sizes.values.dims,
            values: Vec::new(),
            seen: vec![(0.0, 0.0); self.nest.loops.len()],
            outcomes: Outcomes::of(&jumps::decided_by_data(&self.nest)),
            weight: 1.0,
            sample: 0.0,
            depth: 0,
            steps: 0,
            lost: vec![false; self.nest.loops.len()],
        };
        let mut left = ALL_STEPS;
        for sample in 0..samples {
            walk.values.clone_from(&values);
            walk.lost.fill(false);
            walk.weight = 1.0;
            walk.sample = sample as f64;
            walk.steps = STEPS;
            walk.stmt(&self.nest.top);
            left = left.saturating_sub(STEPS - walk.steps);
            if left == 0 {
                break;
            }
        }
        let mean = |(sum, count): (f64, f64)| (count > 0.0).then(|| sum / count);
        Found {
            surprise: walk.outcomes.surprise(),
            trips: walk.seen.into_iter().map(mean).collect(),
        }
    }
}

/// Where control goes after a statement.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    Next,
    Break(LoopId),
    Continue(LoopId),
    Leave(ScopeId),
    Return,
}

struct Walk<'a> {
    nest: &'a Nest,
    followed: &'a Followed,
    views: Vec<Option<ArrayView>>,
    dims: &'a [[i64; 8]],
    values: Vec<Option<Number>>,
    /// By loop: trips of the entries that were met, and how many these are, each for as many as `weight` says.
    seen: Vec<(f64, f64)>,
    /// Of conditions that elements decide.
    outcomes: Outcomes,
    /// Iterations that the one which is followed stands for.
    weight: f64,
    /// Which sample this is, and how many loops are around: they say which iteration is followed.
    sample: f64,
    depth: usize,
    /// Statements that may still be followed.
    steps: u32,
    /// Loops that may have been left, nobody knows.
    lost: Vec<bool>,
}

impl Walk<'_> {
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
            StmtKind::For(l) => return self.counted(l),
            StmtKind::While(l) => return self.repeated(l),
            StmtKind::If { cond, then, orelse } => match self.eval(cond) {
                Some(c) => {
                    self.outcomes.note(stmt, c.is_true());
                    return self.block(if c.is_true() { then } else { orelse });
                }
                None => {
                    self.lose(stmt);
                    [then, orelse].into_iter().for_each(|b| {
                        self.block(b);
                    });
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
        let fraction = (0.5 + SPREAD[self.depth % SPREAD.len()] * self.sample).fract();
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
        for k in first..(trips as i64).min(first.saturating_add(self.in_a_row(l))) {
            if k > first && self.steps == 0 {
                break;
            }
            self.set(l.counter, at(k).map(Number::Int));
            self.block(&l.body);
        }
        if trips > 1 {
            self.forget(l.id);
        }
        self.weight = outside;
        self.depth -= 1;
        Flow::Next
    }

    /// How many iterations are followed one after the other.
    fn in_a_row(&self, l: &For) -> i64 {
        let loops = self.nest.loops.iter().any(|(_, d)| d.parent == Some(l.id));
        match self.followed.conditions && !loops {
            true => jumps::IN_A_ROW,
            false => 1,
        }
    }

    /// A loop that may be left early.
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
                    self.count(l.id, (2.0 * done).max(1.0));
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

    /// One iteration, the `done`-th; where control goes if the loop ends with it, or may have ended.
    fn iteration(&mut self, id: LoopId, body: &[Stmt], done: f64) -> Option<Flow> {
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

    /// Nobody knows whether these statements are executed.
    fn lose(&mut self, stmt: &Stmt) {
        let lost = &mut self.lost;
        stmt.walk(&mut |s| match &s.kind {
            StmtKind::Break(id) => lost[id.index()] = true,
            StmtKind::Return => lost.fill(true),
            _ => {}
        });
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
                let mut at = [0i64; 8];
                for (slot, e) in at.iter_mut().zip(index) {
                    *slot = self.eval(e)?.int()?;
                }
                let view = self.views.get(array.index())?.as_ref()?;
                let storage = self.nest.arrays[*array].storage;
                contents::number(view, storage, &at[..index.len()])
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
            ExprKind::Bind { var, value, body } => {
                let v = self.eval(value);
                self.set(*var, v);
                self.eval(body)
            }
        }
    }
}

/// A conjunction or disjunction of truths, one of which nobody knows.
fn decided(op: BinOp, known: Number) -> Option<Number> {
    match op {
        BinOp::And => (!known.is_true()).then_some(known),
        BinOp::Or => known.is_true().then_some(known),
        _ => None,
    }
}
