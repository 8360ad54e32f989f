//! Verdicts as plain records, for people and for programs: what each loop may do, what keeps it from more, and what
//! would change that.
//!
//! The records speak of the source as written: subscripts count as within bounds (a launch checks that), and slots with
//! different names as different arrays; a record whose verdict rests on either says so.

pub(crate) mod description;
mod in_order;
pub(crate) mod splits;
pub mod stated_sizes;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use nestwise_ir::model::nest::Nest;
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{AccessId, ArrayId, FpMode, IdSet, LoopId, VarId};
use serde::Serialize;

use crate::dependence::{Dependence, Dir, Guarded, Kind, Pair, Tester};
use crate::guards;
use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Analysis, Condition, LoopInfo, Options, Verdict, analyse_with};
use crate::schedule;
use crate::values::forms::AccessForm;

/// What one loop may do.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LoopRecord {
    /// The line of the `for` or `while`.
    pub line: u32,
    /// The loop variables as written; empty for `while`.
    pub var: String,
    /// The number of loops of the nest around this one.
    pub depth: u32,
    /// The verdict: `parallel`, `reduction`, `when` or `serial`.
    pub verdict: &'static str,
    /// The operation of a reduction, if it is only one.
    pub op: Option<&'static str>,
    /// What must hold for a `when` to be parallel.
    pub condition: Option<String>,
    /// Why the verdict is no better.
    pub because: Option<String>,
    /// What would make the verdict better, where that is known.
    pub hint: Option<String>,
    /// Whether only the order in which floats are combined keeps the loop from being parallel.
    #[serde(skip)]
    pub ordered: bool,
    /// How many times as fast the nest would be if floats could be combined in any order; filled in by the code that
    /// prices nests.
    pub gain: Option<f64>,
    /// How many times as fast the nest would be if its functions had to be near the exact result only; filled in by the
    /// code that prices nests.
    pub faithful_gain: Option<f64>,
    /// What the verdict takes for granted; a launch checks it.
    pub assumes: Vec<String>,
    /// Variables of which each iteration has its own.
    pub private: Vec<String>,
    /// Arrays that some accesses read from a copy made before the loop.
    pub copied_before: Vec<String>,
    /// Variables that are combined from partial results.
    pub reductions: Vec<ReductionRecord>,
    /// What passes from one iteration to a later one.
    pub dependences: Vec<DependenceRecord>,
}

/// One variable of a reduction.
#[derive(Clone, Debug, Serialize)]
pub struct ReductionRecord {
    /// The name of the variable or array in the source.
    pub name: String,
    /// How partial results are combined.
    pub op: &'static str,
}

/// The description of a dependence, in terms of the source.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DependenceRecord {
    /// The kind of the dependence: `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// The array or the variable.
    pub name: String,
    /// The line of the earlier access.
    pub source_line: u32,
    /// The line of the later access.
    pub sink_line: u32,
    /// By loop around both accesses, outermost first: `<`, `=`, `>` or `*`.
    pub direction: Vec<String>,
    /// By loop around both accesses: the number of iterations between them, where it is constant.
    pub distance: Vec<Option<i64>>,
}

/// The most dependences that are listed for one loop.
const MAX_LISTED: usize = 12;
/// The most pairs of accesses that are examined for one loop's list.
const MAX_PAIRS: usize = 2000;

/// The records of a nest, one for each loop, in source order.
pub fn records(nest: &Nest, fp: FpMode) -> Vec<LoopRecord> {
    let analysis = assuming(nest, fp);
    // What the loops could do if sums of floats had no order.
    let free = assuming(nest, FpMode::Fast);
    let teller = Teller {
        nest,
        analysis: &analysis,
        free: &free,
        substituted: substituted(nest, &analysis),
        fp,
        proven: OnceCell::new(),
    };
    nest.loops.ids().map(|id| teller.record(id)).collect()
}

/// The analysis that verdicts are described by: no two slots overlap, and no inner loop is empty.
pub fn assuming(nest: &Nest, fp: FpMode) -> Analysis {
    let options = Options {
        nonempty: IdSet::all(),
        ..Options::new(fp)
    };
    analyse_with(nest, options)
}

/// The loops that can run in any order once they are rewritten, provided that variables which count along stay within
/// 64 bits.
fn substituted(nest: &Nest, analysis: &Analysis) -> Vec<LoopId> {
    if analysis.loops.iter().all(|l| l.carried.is_empty()) {
        return vec![];
    }
    let proven = guards::cleared(nest);
    let assumed = analysis.options.clone();
    let info = LaunchInfo {
        assumed: assumed.clone(),
        ..LaunchInfo::guess(nest, assumed.fp)
    };
    schedule::parallel_by_substitution(&proven, &analyse_with(&proven, assumed), &info)
}

struct Teller<'a> {
    nest: &'a Nest,
    analysis: &'a Analysis,
    free: &'a Analysis,
    /// Loops that can run in any order once induction variables are substituted and searches for a best value
    /// rewritten.
    substituted: Vec<LoopId>,
    fp: FpMode,
    /// The nest without its guards, as most launches have it.
    proven: OnceCell<(Nest, Analysis)>,
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
        let copied = info.anti_dependence_copies.iter();
        record.copied_before = copied.map(|r| self.array(r.array)).collect();
        match &info.verdict {
            Verdict::Parallel => record.verdict = "parallel",
            Verdict::Reduction(list) => self.reduction(&mut record, list, info),
            Verdict::When(condition) => {
                self.when(&mut record, condition, info);
                if record.verdict == "when" {
                    let all = self.dependences(id);
                    let told = all.iter().map(|d| self.dependence(d)).take(MAX_LISTED);
                    record.dependences = told.collect();
                    record.hint = self.parting(id).map(|p| p.0);
                }
            }
            Verdict::Serial(why) => self.serial(&mut record, id, info, why),
        }
        if record.verdict != "serial" {
            record.assumes.extend(self.different(id));
        }
        record
    }

    /// Records a conditional verdict. If the condition is only that subscripts are in bounds, the loop is recorded as
    /// parallel, since that holds wherever the nest runs at all.
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
        // Accesses in the same iteration are 0 iterations apart.
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

    fn in_bounds(&self, list: &[AccessId]) -> Vec<String> {
        let texts: BTreeSet<String> = list
            .iter()
            .map(|a| format!("{} in bounds", self.analysis.access_text(self.nest, *a)))
            .collect();
        texts.into_iter().collect()
    }

    /// The assumption that the arrays the loop touches are different memory, if it touches several and writes one.
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

/// The word for a reduction's operation; `with` says that a position goes along with the best value.
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
