//! What each loop may do, and why not.

use crate::condition::Clause;
use crate::dependence::{Dependence, Guarded, Pair, Slots, Tester};
use crate::forms::{AccessForm, Extents, Forms};
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

/// What only values can tell; all of it has to hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Condition {
    /// These accesses stay in bounds without wrapping (the launch checks it).
    pub in_bounds: Vec<AccessId>,
    /// None of these holds.
    pub absent: Vec<Clause>,
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
    /// The nest has too many pairs of accesses for all of them to be looked at.
    Budget,
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
#[derive(Clone)]
pub struct Analysis {
    /// By [`LoopId`].
    pub loops: Vec<LoopInfo>,
    /// The forms it rests on.
    pub forms: Forms,
    /// What it assumes.
    pub options: Options,
}

/// How slots lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Memory {
    /// All slots are different memory.
    Disjoint,
    /// They may overlap in any way.
    Unknown,
    /// These overlap, the others do not.
    Overlaps(Vec<Overlap>),
}

/// Two slots that share memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// The one.
    pub a: ArrayId,
    /// The other.
    pub b: ArrayId,
    /// The element of `b` at an index is that of `a` at the index plus this; none: they lie otherwise.
    pub shift: Option<Vec<i64>>,
}

/// What to assume.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether sums of floats may be reassociated.
    pub fp: FpMode,
    /// How slots lie in memory.
    pub memory: Memory,
    /// Loops (a bit each, by number) that run at least once whenever they are entered.
    pub nonempty: u64,
    /// None of these holds.
    pub absent: Vec<Clause>,
}

impl Options {
    /// Slots are disjoint; nothing else is known.
    pub fn new(fp: FpMode) -> Options {
        Options {
            fp,
            memory: Memory::Disjoint,
            nonempty: 0,
            absent: vec![],
        }
    }
    /// Whether all slots are different memory.
    pub fn disjoint(&self) -> bool {
        self.memory == Memory::Disjoint
    }
}

/// Analyses a nest whose slots are known to be disjoint.
pub fn analyse(nest: &Nest, fp: FpMode) -> Analysis {
    analyse_with(nest, Options::new(fp))
}

/// Analyses a nest.
pub fn analyse_with(nest: &Nest, options: Options) -> Analysis {
    let r = ranges(nest);
    let forms = crate::walk::forms(nest, &r, Extents::Opaque);
    let live = live_after(nest);
    let ctx = Context {
        nest,
        forms: &forms,
        options: &options,
        pairs: Cell::new(0),
    };
    let mut loops: Vec<Option<LoopInfo>> = vec![None; nest.loops.len()];
    nest.walk(&mut |s| {
        let (id, cond, body) = match &s.kind {
            StmtKind::For(l) => (l.id, None, &l.body),
            StmtKind::While(l) => (l.id, Some(&l.cond), &l.body),
            _ => return,
        };
        if nest.whole.is_some() && id == LoopId(0) {
            // Its iterations are those of the loops inside.
            return;
        }
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
    Analysis {
        loops,
        forms,
        options,
    }
}

/// Pairs of accesses that one nest may have tested; further ones are taken to depend on each other.
const MAX_PAIRS: u32 = 6000;
/// Clauses in one condition.
const MAX_CLAUSES: usize = 8;
/// Atoms in one clause.
const MAX_ATOMS: usize = 6;

struct Context<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    options: &'a Options,
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
            && self.memory(id) == Ok(None);
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
        let condition = match self.memory(id) {
            Ok(condition) => condition,
            Err(why) => return Verdict::Serial(why),
        };
        if let Some(why) = scalar {
            return Verdict::Serial(why);
        }
        match condition {
            Some(condition) => Verdict::When(condition),
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

    /// Under what condition no dependence through memory is carried by a loop; or why one is.
    fn memory(&self, id: LoopId) -> Result<Option<Condition>, Why> {
        let all: Vec<&AccessForm> = self.inside(id).collect();
        let mut condition = Condition::default();
        let mut wraps = false;
        for (i, x) in all.iter().enumerate() {
            for y in &all[i..] {
                if !(x.store || y.store) {
                    continue;
                }
                for pair in self.pairs_in_memory(x, y)? {
                    wraps |= self.pair(pair, id, &mut condition)?;
                }
            }
        }
        if wraps {
            condition.in_bounds = self.guarded_in(id);
        }
        condition.absent.sort_unstable();
        condition.absent.dedup();
        Ok(Some(condition).filter(|c| *c != Condition::default()))
    }

    /// How two accesses, as written, can be to one element: of one slot, or of two that share memory. Within a loop
    /// that has a verdict nothing is permuted, so different slots are different arrays; they may still overlap.
    fn pairs_in_memory<'p>(
        &'p self,
        x: &'p AccessForm,
        y: &'p AccessForm,
    ) -> Result<Vec<Pair<'p>>, Why> {
        if x.array == y.array {
            return Ok(vec![Pair::new(x, y)]);
        }
        let overlap = Why::Overlap(x.array, y.array);
        let list = match &self.options.memory {
            Memory::Disjoint => return Ok(vec![]),
            Memory::Unknown => return Err(overlap),
            Memory::Overlaps(list) => list,
        };
        let mut out = vec![];
        for o in list.iter().filter(|o| o.joins(x.array, y.array)) {
            let shift = o.shift.as_ref().ok_or(overlap.clone())?;
            let (a, b) = if o.a == x.array { (x, y) } else { (y, x) };
            out.push(Pair {
                x: a,
                y: b,
                slots: Slots::Shifted(shift, 1),
            });
            out.push(Pair {
                x: b,
                y: a,
                slots: Slots::Shifted(shift, -1),
            });
        }
        Ok(out)
    }

    /// Adds the condition under which a pair is independent. True: provided that no subscript wraps.
    fn pair(&self, pair: Pair<'_>, id: LoopId, condition: &mut Condition) -> Result<bool, Why> {
        self.pairs.set(self.pairs.get() + 1);
        if self.pairs.get() > MAX_PAIRS {
            return Err(Why::Budget);
        }
        let tester = |guarded| Tester {
            nest: self.nest,
            forms: self.forms,
            absent: &self.options.absent,
            guarded,
        };
        let trusted = tester(Guarded::Trusted);
        let Some(found) = trusted.carried(pair, id) else {
            let free = pair.x.guarded || pair.y.guarded;
            return Ok(free && tester(Guarded::Anywhere).carried(pair, id).is_some());
        };
        let clauses = trusted.clauses(pair, id);
        let fits = |c: &Clause| (1..=MAX_ATOMS).contains(&c.atoms.len());
        if !clauses.iter().all(fits) || condition.absent.len() + clauses.len() > MAX_CLAUSES {
            return Err(Why::Dependence(found));
        }
        condition.absent.extend(clauses);
        Ok(pair.x.guarded || pair.y.guarded)
    }
}

impl Overlap {
    fn joins(&self, a: ArrayId, b: ArrayId) -> bool {
        (self.a, self.b) == (a, b) || (self.b, self.a) == (a, b)
    }
}

impl Analysis {
    /// What is known of a loop.
    pub fn loop_info(&self, id: LoopId) -> Option<&LoopInfo> {
        self.loops.get(id.index())
    }
    /// Answers questions about its accesses; guarded ones may be anywhere.
    pub fn tester<'a>(&'a self, nest: &'a Nest) -> Tester<'a> {
        Tester {
            nest,
            forms: &self.forms,
            absent: &self.options.absent,
            guarded: Guarded::Anywhere,
        }
    }
    /// A loop's verdict.
    pub fn verdict(&self, id: LoopId) -> Option<&Verdict> {
        self.loop_info(id).map(|l| &l.verdict)
    }
}
