//! What each loop may do, and why not.

use crate::dependence::{Dependence, Guarded, Kind, assumed, carried};
use crate::forms::{AccessForm, Extents, Form, Forms, NestNames};
use crate::liveness::{exposure, live_after};
use crate::range::ranges;
use crate::scalars::{Role, roles};
use crate::structure::{Exit, any, early_exit};
use nestwise_ir::nest::{Expr, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{AccessId, ArrayId, FpMode, LoopId, VarId};
use std::cell::Cell;

/// What a loop's iterations may do.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Run in any order, or at once.
    Parallel,
    /// The same, if these variables are combined from partial values.
    Reduction(Vec<(VarId, RedOp)>),
    /// Parallel (perhaps with reductions) if the condition holds.
    When(Condition),
    /// Run in order.
    Serial(Why),
}

/// What only values can tell.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// These accesses stay in bounds without wrapping (the launch checks it).
    InBounds(Vec<AccessId>),
}

/// Why a loop runs in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Why {
    /// It is a `while`.
    While,
    /// It may be left early, on this line.
    Exit(Exit, u32),
    /// A variable passes from one iteration to the next.
    Scalar(VarId, u32),
    /// An element does.
    Dependence(Dependence),
    /// Its iterations swap arrays, on this line.
    Rebind(u32),
    /// These slots may overlap in memory.
    Overlap(ArrayId, ArrayId),
}

/// What is known of one loop.
#[derive(Clone, Debug)]
pub struct LoopInfo {
    /// What it may do.
    pub verdict: Verdict,
    /// Variables that are private to an iteration.
    pub private: Vec<VarId>,
    /// Those of them whose last value is read after the loop.
    pub last_values: Vec<VarId>,
    /// What its variables would be combined by, if it ran in parallel.
    pub reductions: Vec<(VarId, RedOp)>,
    /// Variables that are carried only because sums of floats keep their order.
    pub float_sums: Vec<VarId>,
    /// Nothing but such sums keeps the iterations in order.
    pub ordered_sums: bool,
}

impl LoopInfo {
    /// Whether iterations are independent without any condition or reduction.
    pub fn is_parallel(&self) -> bool {
        self.verdict == Verdict::Parallel
    }
}

/// What each loop of a nest may do.
pub struct Analysis {
    /// By [`LoopId`].
    pub loops: Vec<LoopInfo>,
    /// The forms it rests on.
    pub forms: Forms,
}

/// What to assume.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether sums of floats may be reassociated.
    pub fp: FpMode,
    /// All slots are different memory.
    pub disjoint: bool,
    /// Loops (a bit each, by number) that run at least once whenever they are entered.
    pub nonempty: u64,
}

/// Analyses a nest whose slots are known to be disjoint.
pub fn analyse(nest: &Nest, fp: FpMode) -> Analysis {
    analyse_with(
        nest,
        Options {
            fp,
            disjoint: true,
            nonempty: 0,
        },
    )
}

/// Analyses a nest.
pub fn analyse_with(nest: &Nest, options: Options) -> Analysis {
    let r = ranges(nest);
    let forms = crate::walk::forms(nest, &r, Extents::Opaque);
    let live = live_after(nest);
    let ctx = Context {
        nest,
        forms: &forms,
        options,
        pairs: Cell::new(0),
    };
    let mut loops: Vec<Option<LoopInfo>> = vec![None; nest.loops.len()];
    nest.walk(&mut |s| {
        let (id, cond, body) = match &s.kind {
            StmtKind::For(l) => (l.id, None, &l.body),
            StmtKind::While(l) => (l.id, Some(&l.cond), &l.body),
            _ => return,
        };
        if let (Some(slot), Some(live)) = (loops.get_mut(id.index()), live.get(id.index())) {
            *slot = Some(ctx.loop_info(id, cond, body, live));
        }
    });
    let unknown = LoopInfo {
        verdict: Verdict::Serial(Why::While),
        private: vec![],
        last_values: vec![],
        reductions: vec![],
        float_sums: vec![],
        ordered_sums: false,
    };
    let loops = loops
        .into_iter()
        .map(|l| l.unwrap_or_else(|| unknown.clone()))
        .collect();
    Analysis { loops, forms }
}

/// Pairs of accesses that one nest may have tested; further ones are taken to depend on each other.
const MAX_PAIRS: u32 = 6000;

struct Context<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    options: Options,
    pairs: Cell<u32>,
}

impl Context<'_> {
    fn loop_info(
        &self,
        id: LoopId,
        cond: Option<&Expr>,
        body: &[Stmt],
        live: &crate::liveness::VarSet,
    ) -> LoopInfo {
        let exposure = exposure(self.nest, id, cond, body, self.options.nonempty);
        let roles = roles(self.nest, body, &exposure, live, self.options.fp);
        let mut info = LoopInfo {
            verdict: Verdict::Parallel,
            private: vec![],
            last_values: vec![],
            reductions: vec![],
            float_sums: vec![],
            ordered_sums: false,
        };
        let (mut carried, mut others) = (None, false);
        for (v, role) in roles {
            match role {
                Role::Private { last } => {
                    info.private.push(v);
                    info.last_values.extend(last.then_some(v));
                }
                Role::Reduction(op) => info.reductions.push((v, op)),
                Role::Carried { line, sum } => {
                    info.float_sums.extend(sum.then_some(v));
                    others |= !sum;
                    carried = carried.or(Some(Why::Scalar(v, line)));
                }
            }
        }
        info.verdict = self.verdict(id, cond.is_some(), body, carried, &info.reductions);
        // A sum comes last among the reasons for a serial loop, save for guarded accesses.
        info.ordered_sums = matches!(info.verdict, Verdict::Serial(Why::Scalar(..)))
            && !others
            && info.reductions.is_empty()
            && self.memory(id, Guarded::Anywhere).is_none();
        info
    }

    fn verdict(
        &self,
        id: LoopId,
        is_while: bool,
        body: &[Stmt],
        scalar: Option<Why>,
        reductions: &[(VarId, RedOp)],
    ) -> Verdict {
        if is_while {
            return Verdict::Serial(Why::While);
        }
        if let Some((exit, line)) = early_exit(id, body) {
            return Verdict::Serial(Why::Exit(exit, line));
        }
        let mut swap = None;
        any(body, &mut |s| {
            if matches!(s.kind, StmtKind::Rebind(_)) {
                swap = swap.or(Some(s.span.line));
            }
            false
        });
        if let Some(line) = swap {
            return Verdict::Serial(Why::Rebind(line));
        }
        let memory = match self.memory(id, Guarded::Anywhere) {
            None => None,
            Some(strict) => match self.memory(id, Guarded::Trusted) {
                Some(why) => return Verdict::Serial(why),
                None => Some(strict),
            },
        };
        if let Some(why) = scalar {
            return Verdict::Serial(why);
        }
        match memory {
            Some(_) => Verdict::When(Condition::InBounds(self.guarded_in(id))),
            None if reductions.is_empty() => Verdict::Parallel,
            None => Verdict::Reduction(reductions.to_vec()),
        }
    }

    fn inside(&self, id: LoopId) -> impl Iterator<Item = &AccessForm> {
        self.forms
            .accesses
            .iter()
            .flatten()
            .filter(move |a| a.loops.contains(&id))
    }

    fn guarded_in(&self, id: LoopId) -> Vec<AccessId> {
        self.inside(id)
            .filter(|a| a.guarded)
            .map(|a| a.id)
            .collect()
    }

    /// The first dependence through memory that a loop carries.
    fn memory(&self, id: LoopId, guarded: Guarded) -> Option<Why> {
        let all: Vec<&AccessForm> = self.inside(id).collect();
        for (i, x) in all.iter().enumerate() {
            for y in &all[i..] {
                if !(x.store || y.store) {
                    continue;
                }
                if x.array != y.array {
                    // Within this loop nothing is permuted, so different slots are different arrays; they
                    // may still overlap.
                    if !self.options.disjoint {
                        return Some(Why::Overlap(x.array, y.array));
                    }
                    continue;
                }
                self.pairs.set(self.pairs.get() + 1);
                let found = match self.pairs.get() > MAX_PAIRS {
                    true => Some(assumed(x, y, id)),
                    false => carried(self.nest, self.forms, x, y, id, guarded),
                };
                if let Some(d) = found {
                    return Some(Why::Dependence(d));
                }
            }
        }
        None
    }
}

impl Analysis {
    /// What is known of a loop.
    pub fn loop_info(&self, id: LoopId) -> Option<&LoopInfo> {
        self.loops.get(id.index())
    }
    /// A loop's verdict.
    pub fn verdict(&self, id: LoopId) -> Option<&Verdict> {
        self.loop_info(id).map(|l| &l.verdict)
    }
    /// An access in the user's words: `A[i, j - 1]`.
    pub fn access_text(&self, nest: &Nest, id: AccessId) -> String {
        let names = NestNames {
            nest,
            forms: &self.forms,
        };
        let Some(a) = self.forms.access(id) else {
            return "?".to_string();
        };
        let array = nest.arrays.get(a.array).map_or("?", |d| d.name.as_str());
        let index: Vec<String> = a
            .index
            .iter()
            .map(|f| match f {
                Form::Aff(a) => a.show(&names),
                _ => "?".to_string(),
            })
            .collect();
        format!("{array}[{}]", index.join(", "))
    }

    /// A verdict in the user's words.
    pub fn explain(&self, nest: &Nest, id: LoopId) -> String {
        let Some(info) = self.loop_info(id) else {
            return "unknown loop".to_string();
        };
        match &info.verdict {
            Verdict::Parallel => "parallel".to_string(),
            Verdict::Reduction(vars) => {
                let list: Vec<String> = vars
                    .iter()
                    .map(|(v, op)| format!("{} of `{}`", op_name(*op), var_name(nest, *v)))
                    .collect();
                format!("parallel, {}", list.join(", "))
            }
            Verdict::When(Condition::InBounds(list)) => {
                let mut texts: Vec<String> = vec![];
                for text in list
                    .iter()
                    .map(|a| format!("`{}`", self.access_text(nest, *a)))
                {
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                texts.truncate(4);
                format!("parallel if in bounds: {}", texts.join(", "))
            }
            Verdict::Serial(Why::Scalar(v, line)) if info.float_sums.contains(v) => format!(
                "serial: `{}` (assigned on line {line}) adds up floats, whose order counts (--fp fast frees it)",
                var_name(nest, *v)
            ),
            Verdict::Serial(why) => format!("serial: {}", self.why(nest, why)),
        }
    }

    /// A reason in the user's words.
    pub fn why(&self, nest: &Nest, why: &Why) -> String {
        match why {
            Why::While => {
                "a `while` loop decides after each iteration whether there is another".into()
            }
            Why::Exit(Exit::Break, line) => format!("it may be left early on line {line}"),
            Why::Exit(Exit::Return, line) => format!("it may return on line {line}"),
            Why::Scalar(v, line) => format!(
                "`{}` (assigned on line {line}) carries its value from one iteration to the next",
                var_name(nest, *v)
            ),
            Why::Rebind(line) => format!("its iterations swap arrays on line {line}"),
            Why::Overlap(a, b) => {
                let name = |a: &ArrayId| nest.arrays.get(*a).map_or("?", |d| d.name.as_str());
                format!("`{}` and `{}` may overlap in memory", name(a), name(b))
            }
            Why::Dependence(d) => self.dependence_text(nest, d),
        }
    }

    fn dependence_text(&self, nest: &Nest, d: &Dependence) -> String {
        let line = |a: AccessId| nest.accesses.get(a).map_or(0, |a| a.span.line);
        let (src, dst) = (self.access_text(nest, d.src), self.access_text(nest, d.dst));
        let (did, does) = match d.kind {
            Kind::Flow => ("written", "read"),
            Kind::Anti => ("read", "written"),
            Kind::Output => ("written", "written"),
        };
        let at = d.loops.iter().position(|l| *l == d.carrier);
        let name = nest
            .loops
            .get(d.carrier)
            .map_or("the loop", |l| l.name.as_str());
        let n = at.and_then(|i| d.distance.get(i).copied().flatten());
        let later = match n {
            Some(1) => format!("in the next iteration of `{name}`"),
            Some(n) if n > 1 => format!("{n} iterations of `{name}` later"),
            _ => format!("in a later iteration of `{name}`"),
        };
        format!(
            "an element {did} as `{src}` (line {}) may be {does} as `{dst}` (line {}) {later}",
            line(d.src),
            line(d.dst)
        )
    }
}

fn var_name(nest: &Nest, v: VarId) -> String {
    let name = nest
        .vars
        .get(v)
        .map(|d| d.name.clone())
        .filter(|n| !n.is_empty());
    name.unwrap_or_else(|| "a temporary".to_string())
}

fn op_name(op: RedOp) -> &'static str {
    match op {
        RedOp::Add => "sum",
        RedOp::Mul => "product",
        RedOp::Min => "minimum",
        RedOp::Max => "maximum",
        RedOp::And => "conjunction",
        RedOp::Or => "disjunction",
        RedOp::Xor => "exclusive or",
    }
}
