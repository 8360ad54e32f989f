//! Verdicts as plain records, for people and for programs: what each loop may do, what keeps it from more, and what
//! would change that.
//!
//! The records speak of the source as written: subscripts count as within bounds (a launch checks that), and slots of
//! different names as different arrays; where a verdict rests on either, it says so.

use crate::affine::{Affine, Ix};
use crate::dependence::{Dependence, Dir, Guarded, Kind, Pair, Tester};
use crate::forms::AccessForm;
use crate::scalars::{best_position, same};
use crate::structure::{assigned, find_body, find_for};
use crate::verdict::{Analysis, Condition, LoopInfo, Options, Verdict, Why, analyse_with};
use nestwise_ir::nest::{Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{AccessId, ArrayId, BinOp, FpMode, LoopId, VarId};
use serde::Serialize;
use std::collections::BTreeSet;

/// What one loop may do.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoopRecord {
    /// Line of the `for` or `while`.
    pub line: u32,
    /// The loop variables as written; empty for `while`.
    pub var: String,
    /// Loops of the nest around it.
    pub depth: u32,
    /// `parallel`, `reduction`, `when` or `serial`.
    pub verdict: &'static str,
    /// How a reduction combines, if it is one kind of operation.
    pub op: Option<&'static str>,
    /// What must hold for a `when` to be parallel.
    pub condition: Option<String>,
    /// Why it is no more than that.
    pub because: Option<String>,
    /// What would change it, where that is known.
    pub hint: Option<String>,
    /// What the verdict takes for granted; a launch checks it.
    pub assumes: Vec<String>,
    /// Variables of which each iteration has its own.
    pub private: Vec<String>,
    /// Variables that are combined from partial results.
    pub reductions: Vec<ReductionRecord>,
    /// What passes from one iteration to a later one.
    pub dependences: Vec<DependenceRecord>,
}

/// One variable of a reduction.
#[derive(Clone, Debug, Serialize)]
pub struct ReductionRecord {
    /// In the user's words.
    pub name: String,
    /// How partial results are combined.
    pub op: &'static str,
}

/// A dependence in the words of the source.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DependenceRecord {
    /// `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// The array or the variable.
    pub name: String,
    /// Line of the earlier access.
    pub source_line: u32,
    /// Line of the later access.
    pub sink_line: u32,
    /// Per loop around both, outermost first: `<`, `=`, `>` or `*`.
    pub direction: Vec<String>,
    /// Per loop: iterations between them, where that is one number.
    pub distance: Vec<Option<i64>>,
}

/// Dependences listed per loop.
const MAX_LISTED: usize = 12;
/// Pairs of accesses that are looked at for one loop's list.
const MAX_PAIRS: usize = 2000;

/// A record per loop, in source order.
pub fn records(nest: &Nest, fp: FpMode) -> Vec<LoopRecord> {
    let analysis = assuming(nest, fp);
    // What the loops could do if sums of floats had no order.
    let free = assuming(nest, FpMode::Fast);
    let teller = Teller {
        nest,
        analysis: &analysis,
        free: &free,
        fp,
    };
    nest.loops.ids().map(|id| teller.record(id)).collect()
}

/// The analysis that verdicts are told by: no two slots overlap, no inner loop is empty.
pub fn assuming(nest: &Nest, fp: FpMode) -> Analysis {
    let options = Options {
        nonempty: u64::MAX,
        ..Options::new(fp)
    };
    analyse_with(nest, options)
}

/// A store of a combined value.
struct Accumulation {
    access: AccessId,
    /// It is a float.
    float: bool,
    /// The loop stores it at one place.
    fixed: bool,
}

struct Teller<'a> {
    nest: &'a Nest,
    analysis: &'a Analysis,
    free: &'a Analysis,
    fp: FpMode,
}

impl Teller<'_> {
    fn record(&self, id: LoopId) -> LoopRecord {
        let decl = &self.nest.loops[id];
        let mut record = LoopRecord {
            line: decl.span.line,
            var: decl.name.clone(),
            depth: decl.depth,
            verdict: "serial",
            ..LoopRecord::default()
        };
        let Some(info) = self.analysis.loop_info(id) else {
            return record;
        };
        record.private = self.names(&info.private);
        record
            .private
            .extend(info.private_arrays.iter().map(|a| self.array(*a)));
        match &info.verdict {
            Verdict::Parallel => record.verdict = "parallel",
            Verdict::Reduction(list) => self.reduction(&mut record, list, info),
            Verdict::When(condition) => {
                self.when(&mut record, condition, info);
                if record.verdict == "when" {
                    let all = self.dependences(id);
                    let told = all.iter().map(|d| self.dependence(d)).take(MAX_LISTED);
                    record.dependences = told.collect();
                }
            }
            Verdict::Serial(why) => self.serial(&mut record, id, info, why),
        }
        if record.verdict != "serial" {
            record.assumes.extend(self.different(id));
        }
        record
    }

    /// A condition of nothing but subscripts in bounds is one that holds wherever the nest runs at all.
    fn when(&self, record: &mut LoopRecord, condition: &Condition, info: &LoopInfo) {
        record.assumes = self.in_bounds(&condition.in_bounds);
        record.verdict = "parallel";
        if !(info.reductions.is_empty() && info.array_reductions.is_empty()) {
            self.reduction(record, &info.reductions, info);
        }
        let on_values = Condition {
            in_bounds: vec![],
            ..condition.clone()
        };
        if on_values != Condition::default() {
            record.verdict = "when";
            record.condition = Some(self.analysis.condition(self.nest, &on_values));
        }
    }

    fn reduction(&self, record: &mut LoopRecord, list: &[(VarId, RedOp)], info: &LoopInfo) {
        record.verdict = "reduction";
        // Flags that say whether something was assigned are nobody's business.
        record.reductions = list
            .iter()
            .filter(|(v, op)| self.is_named(*v) && !matches!(op, RedOp::Along(_) | RedOp::Last))
            .map(|(v, op)| ReductionRecord {
                name: self.name(*v),
                op: op_word(*op, list.iter().any(|r| r.1 == RedOp::Along(*v))),
            })
            .collect();
        let into = |(a, op): &(ArrayId, RedOp)| ReductionRecord {
            name: self.array(*a),
            op: op_word(*op, false),
        };
        record
            .reductions
            .extend(info.array_reductions.iter().map(into));
        if list.iter().all(|r| r.1 == RedOp::Last) && info.array_reductions.is_empty() {
            // Every iteration has its own; only what is left behind is looked for.
            record.verdict = "parallel";
        }
        let op = record.reductions.first().map(|r| r.op);
        record.op = op.filter(|op| record.reductions.iter().all(|r| r.op == *op));
    }

    fn serial(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo, why: &Why) {
        if matches!(why, Why::Dependence(_)) && self.combined_element(record, id, info) {
            return;
        }
        if self.ordered_sum(record, id, info) {
            return;
        }
        if let Why::Scalar(v, _) = why
            && self.best_position(record, id, info, *v)
        {
            return;
        }
        record.because = Some(self.analysis.why(self.nest, why));
        // The pair that the verdict speaks of comes first.
        let first = match why {
            Why::Scalar(v, line) => self.scalar(id, *v, *line),
            Why::Dependence(d) => self.dependence(d),
            // No pair is to blame.
            _ => return,
        };
        let through_memory = self.dependences(id);
        record.hint = self.hint(id, info, why, &through_memory);
        let all = through_memory.iter().map(|d| self.dependence(d));
        let others = all.filter(|d| *d != first).take(MAX_LISTED);
        record.dependences = std::iter::once(first.clone()).chain(others).collect();
    }

    /// Whether nothing but the order of floating-point operations keeps the loop in order; then it is told as the
    /// reduction that it would be.
    fn ordered_sum(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo) -> bool {
        let Some(free) = self.free.loop_info(id) else {
            return false;
        };
        match &free.verdict {
            Verdict::Reduction(list) => self.reduction(record, list, free),
            Verdict::When(c)
                if c.absent.is_empty() && c.elements.is_empty() && !free.reductions.is_empty() =>
            {
                self.when(record, c, free);
            }
            _ => return false,
        }
        let quoted = |v: &VarId| format!("`{}`", self.name(*v));
        let mut names: Vec<String> = info.float_sums.iter().map(quoted).collect();
        let arrays = free.array_reductions.iter();
        let new = arrays.filter(|r| !info.array_reductions.contains(r));
        names.extend(new.map(|(a, _)| format!("`{}`", self.array(*a))));
        record.because = Some(format!(
            "the order in which floats are combined in {} counts: it runs in order unless --fp fast",
            names.join(", ")
        ));
        record.hint = Some("--fp fast lets it run in any order".into());
        true
    }

    /// Whether the loop does nothing but combine values in an element (`c[i, j] += ...`), which alone keeps its
    /// iterations in order.
    fn combined_element(&self, record: &mut LoopRecord, id: LoopId, info: &LoopInfo) -> bool {
        let Some((store, op)) = self.accumulation(id, info) else {
            return false;
        };
        let name = self.analysis.access_text(self.nest, store.access);
        record.because = Some(if store.float && store.fixed && self.fp != FpMode::Fast {
            format!(
                "the order in which floats are combined in `{name}` counts: it runs in order unless --fp fast"
            )
        } else {
            format!("`{name}` is read and stored again each time: it runs in order as it stands")
        });
        record.hint = store.fixed.then(|| {
            format!(
                "a temporary: combine the values in a variable, and store it as `{name}` afterwards"
            )
        });
        record.verdict = "reduction";
        record.op = Some(op);
        record.reductions = vec![ReductionRecord { name, op }];
        true
    }

    /// Whether the loop does nothing in order but look for the position of the best.
    fn best_position(
        &self,
        record: &mut LoopRecord,
        id: LoopId,
        info: &LoopInfo,
        v: VarId,
    ) -> bool {
        let Some(body) = find_body(self.nest, id) else {
            return false;
        };
        let combined = |w: &VarId| info.reductions.iter().any(|(r, _)| r == w);
        let others = assigned(body).into_iter().filter(|w| *w != v);
        let free = others
            .clone()
            .all(|w| info.private.contains(&w) || combined(&w));
        let Some(op) = best_position(self.nest, body, v).filter(|_| free) else {
            return false;
        };
        let op = op_word(op, true);
        record.verdict = "reduction";
        record.op = Some(op);
        record.reductions = vec![ReductionRecord {
            name: self.name(v),
            op,
        }];
        record.because = Some(format!(
            "the best is found again by its position `{}` each time: it runs in order as it stands",
            self.name(v)
        ));
        record.hint =
            Some("a temporary: keep the best value in a variable beside its position".into());
        true
    }

    /// The one statement whose two accesses make up all dependences that the loop carries.
    fn accumulation(&self, id: LoopId, info: &LoopInfo) -> Option<(Accumulation, &'static str)> {
        let body = find_body(self.nest, id)?;
        if !carries_no_variable(body, info) {
            return None;
        }
        let all = self.dependences(id);
        let changing = assigned(body);
        let counter = find_for(self.nest, id).map(|l| l.counter);
        let fixed = |e: &Expr| {
            let mut fixed = true;
            e.walk(&mut |e| match e.kind {
                ExprKind::Var(v) => fixed &= !changing.contains(&v) && Some(v) != counter,
                ExprKind::Load { .. } => fixed = false,
                _ => {}
            });
            fixed
        };
        let mut found = None;
        for_each(body, &mut |s| {
            if let StmtKind::Store {
                access,
                array,
                index,
                value,
                ..
            } = &s.kind
                && let Some((load, op)) = accumulates(*array, index, value)
                && all.iter().all(|d| {
                    let pair = [load, *access];
                    pair.contains(&d.src) && pair.contains(&d.dst)
                })
                && self.is_counted(*access)
            {
                let store = Accumulation {
                    access: *access,
                    float: value.ty.repr.is_float(),
                    fixed: index.iter().all(fixed),
                };
                found = Some((store, op));
            }
        });
        found.filter(|_| !all.is_empty())
    }

    /// Whether an access's subscripts are made of counters and symbols: no index array tells where it goes.
    fn is_counted(&self, id: AccessId) -> bool {
        let counters = |a: &Affine| a.ixs().iter().all(|ix| matches!(ix, Ix::Counter(_)));
        let access = self.analysis.forms.access(id);
        access.is_some_and(|a| a.index.iter().all(|f| f.affine().is_some_and(counters)))
    }

    /// The dependences through memory that the loop carries, subscripts taken literally.
    fn dependences(&self, id: LoopId) -> Vec<Dependence> {
        let forms = &self.analysis.forms;
        let inside: Vec<&AccessForm> = forms
            .accesses
            .iter()
            .flatten()
            .filter(|a| a.loops.contains(&id))
            .collect();
        let pairs = inside.iter().enumerate().flat_map(|(i, x)| {
            let behind = inside[i..].iter();
            behind.map(move |y| (*x, *y))
        });
        let related = pairs.filter(|(x, y)| x.array == y.array && (x.store || y.store));
        let mut found: Vec<Dependence> = vec![];
        let tester = Tester::new(self.nest, forms, Guarded::Trusted);
        for (x, y) in related.take(MAX_PAIRS) {
            // Each way round, since either may come first.
            for pair in [Pair::new(x, y), Pair::new(y, x)] {
                let d = tester.carried(pair, id);
                found.extend(d.filter(|d| !found.contains(d)));
            }
        }
        found
    }

    fn dependence(&self, d: &Dependence) -> DependenceRecord {
        let line = |a: AccessId| self.nest.accesses.get(a).map_or(0, |a| a.span.line);
        let array = self.nest.accesses.get(d.src).map(|a| a.array);
        let both = d.directions.iter().zip(&d.distance);
        // The same iteration is no iterations apart.
        let apart = both.map(|(dir, n)| n.or((*dir == Dir::Eq).then_some(0)));
        DependenceRecord {
            kind: match d.kind {
                Kind::Flow => "flow",
                Kind::Anti => "anti",
                Kind::Output => "output",
            },
            name: array.map_or_else(String::new, |a| self.array(a)),
            source_line: line(d.src),
            sink_line: line(d.dst),
            direction: d.directions.iter().map(ToString::to_string).collect(),
            distance: apart.collect(),
        }
    }

    /// A variable's value that one iteration leaves to the next.
    fn scalar(&self, id: LoopId, v: VarId, line: u32) -> DependenceRecord {
        let mut sink_line = line;
        if let Some(body) = find_body(self.nest, id) {
            sink_line = read_line(body, v).unwrap_or(line);
        }
        let around = self.nest.loops[id].depth as usize;
        let mut direction = vec!["=".to_string(); around];
        let mut distance = vec![Some(0); around];
        direction.push("<".into());
        distance.push(Some(1));
        DependenceRecord {
            kind: "flow",
            name: self.name(v),
            source_line: line,
            sink_line,
            direction,
            distance,
        }
    }

    /// What would make the loop parallel.
    fn hint(&self, id: LoopId, info: &LoopInfo, why: &Why, all: &[Dependence]) -> Option<String> {
        let Why::Dependence(d) = why else { return None };
        let name = self.array(self.nest.accesses.get(d.src)?.array);
        let of_one = |d: &Dependence| {
            let array = self.nest.accesses.get(d.src).map(|a| a.array);
            array.is_some_and(|a| self.array(a) == name)
        };
        if !carries_no_variable(find_body(self.nest, id)?, info) {
            return None;
        }
        if all.iter().all(|d| d.kind == Kind::Anti && of_one(d)) {
            return Some(format!(
                "a temporary: read from a copy of `{name}` made before the loop"
            ));
        }
        let (before, after) = self.split(id, info, all)?;
        Some(format!(
            "a split: one loop up to line {before}, another from line {after} on"
        ))
    }

    /// Two lines between which the body can be split into loops without a dependence of their own: all that passes
    /// between iterations goes from a statement above to one below, and no variable does.
    fn split(&self, id: LoopId, info: &LoopInfo, all: &[Dependence]) -> Option<(u32, u32)> {
        let body = find_body(self.nest, id)?;
        let place = |a: AccessId| body.iter().position(|s| accesses(s).contains(&a));
        let mut spans = vec![];
        for d in all {
            let (from, to) = (place(d.src)?, place(d.dst)?);
            if from >= to {
                return None;
            }
            spans.push((from, to));
        }
        let cut = spans.iter().map(|(_, to)| *to).min()?;
        let crosses = |v: &VarId| {
            let (above, below) = body.split_at(cut);
            assigned(above).contains(v) && read_line(below, *v).is_some()
        };
        if spans.iter().any(|(from, _)| *from >= cut)
            || info.private.iter().any(crosses)
            || !info.reductions.is_empty()
        {
            return None;
        }
        Some((body.get(cut - 1)?.span.line, body.get(cut)?.span.line))
    }

    fn in_bounds(&self, list: &[AccessId]) -> Vec<String> {
        let texts: BTreeSet<String> = list
            .iter()
            .map(|a| format!("{} in bounds", self.analysis.access_text(self.nest, *a)))
            .collect();
        texts.into_iter().collect()
    }

    /// Arrays that the loop writes, and others it touches: that they are not the same memory.
    fn different(&self, id: LoopId) -> Option<String> {
        let accesses = self.analysis.forms.accesses.iter().flatten();
        let (mut touched, mut written) = (BTreeSet::new(), false);
        for a in accesses.filter(|a| a.loops.contains(&id)) {
            touched.insert(self.array(a.array));
            written |= a.store;
        }
        let touched: Vec<String> = touched.into_iter().collect();
        (written && touched.len() > 1)
            .then(|| format!("{} are different arrays", touched.join(", ")))
    }

    fn array(&self, a: ArrayId) -> String {
        let decl = self.nest.arrays.get(a);
        decl.map_or_else(String::new, |d| d.name.clone())
    }

    fn name(&self, v: VarId) -> String {
        let name = self.nest.vars.get(v).map(|d| d.name.clone());
        name.filter(|n| !n.is_empty())
            .unwrap_or_else(|| "a temporary".into())
    }

    fn is_named(&self, v: VarId) -> bool {
        self.nest.vars.get(v).is_some_and(|d| !d.name.is_empty())
    }

    fn names(&self, vars: &[VarId]) -> Vec<String> {
        let names: BTreeSet<String> = vars
            .iter()
            .filter(|v| self.is_named(**v))
            .map(|v| self.name(*v))
            .collect();
        names.into_iter().collect()
    }
}

/// `with`: something goes along with the best.
fn op_word(op: RedOp, with: bool) -> &'static str {
    match op {
        RedOp::Min if with => "argmin",
        RedOp::Max if with => "argmax",
        RedOp::Add => "sum",
        RedOp::Mul => "product",
        RedOp::Min => "min",
        RedOp::Max => "max",
        RedOp::And => "and",
        RedOp::Or => "or",
        RedOp::Xor => "xor",
        RedOp::Along(_) => "position",
        RedOp::Last => "last",
    }
}

/// Whether every variable that the body assigns is private or combined.
fn carries_no_variable(body: &[Stmt], info: &LoopInfo) -> bool {
    let combined = |v: &VarId| info.reductions.iter().any(|(r, _)| r == v);
    assigned(body)
        .iter()
        .all(|v| info.private.contains(v) || combined(v))
}

fn for_each<'a>(block: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    block.iter().for_each(|s| s.walk(f));
}

/// The line of the first read of a variable in a block.
fn read_line(block: &[Stmt], v: VarId) -> Option<u32> {
    let mut line = None;
    for_each(block, &mut |s| {
        for e in s.exprs() {
            e.walk(&mut |e| {
                if matches!(e.kind, ExprKind::Var(x) if x == v) {
                    line = line.or(Some(e.span.line));
                }
            });
        }
    });
    line
}

/// Every access in a statement.
fn accesses(stmt: &Stmt) -> Vec<AccessId> {
    let mut out = vec![];
    stmt.walk(&mut |s| {
        if let StmtKind::Store { access, .. } = s.kind {
            out.push(access);
        }
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Load { access, .. } = e.kind {
                    out.push(access);
                }
            });
        }
    });
    out
}

/// The load of `array[index] = array[index] op ...`, and what is accumulated.
fn accumulates(array: ArrayId, index: &[Expr], value: &Expr) -> Option<(AccessId, &'static str)> {
    let ExprKind::Binary { op, a, b, .. } = &value.kind else {
        return None;
    };
    let own = |e: &Expr| match &e.kind {
        ExprKind::Load {
            access,
            array: other,
            index: at,
            ..
        } if *other == array
            && at.len() == index.len()
            && at.iter().zip(index).all(|(x, y)| same(x, y)) =>
        {
            Some(*access)
        }
        _ => None,
    };
    match op {
        BinOp::Add => Some((own(a).or_else(|| own(b))?, "sum")),
        BinOp::Sub => Some((own(a)?, "sum")),
        BinOp::Mul => Some((own(a).or_else(|| own(b))?, "product")),
        _ => None,
    }
}
