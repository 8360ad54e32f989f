//! What each loop may do, and why not.

pub(crate) mod assumed;

use std::cell::Cell;

use nestwise_ir::model::nest::{Expr, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::{AntiDependenceCopy, RedOp};
use nestwise_ir::{AccessId, ArrayId, FpMode, LoopId, VarId};

use crate::dataflow::liveness::{VarSet, exposure, live_after};
use crate::dependence::{Dependence, Guarded, Kind, Pair, Property, Slots, Tester, common_loops};
use crate::parallelism::anti_dependence_copies::legal_copy;
use crate::parallelism::array_reductions::array_reduction;
use crate::parallelism::privatisation::privatisable;
use crate::parallelism::scalar_roles::{Role, roles};
use crate::structure::{Exit, any, early_exit, find_for, first_host_call};
use crate::values::affine::Affine;
use crate::values::condition::Clause;
use crate::values::forms::{AccessForm, Extents, Forms};
use crate::values::range::{Ranges, ranges};

pub use crate::parallelism::verdict::assumed::{Memory, Options, Overlap};

/// What a loop's iterations may do.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// The iterations may run in any order, or in parallel, if each works on its own copies of
    /// [`LoopInfo::private_arrays`], and the loads in [`LoopInfo::anti_dependence_copies`] read from copies.
    Parallel,
    /// The iterations may run as with [`Verdict::Parallel`], if these variables and [`LoopInfo::array_reductions`] are
    /// combined from partial values.
    Reduction(Vec<(VarId, RedOp)>),
    /// The iterations may run in parallel (perhaps with reductions) if the condition holds.
    When(Condition),
    /// The iterations must run in order.
    Serial(Why),
}

/// A condition that only values can decide; all of its parts have to hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Condition {
    /// Accesses that must stay in bounds without wrapping (the launch checks it).
    pub in_bounds: Vec<AccessId>,
    /// Clauses none of which may hold.
    pub absent: Vec<Clause>,
    /// Properties that the elements of index arrays must have.
    pub elements: Vec<(ArrayId, Property)>,
}

/// Why a loop runs in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Why {
    /// The loop is a `while`.
    While,
    /// The loop may be left early, on this line.
    Exit(Exit, u32),
    /// A variable's value passes from one iteration to the next; the line is that of an assignment.
    Scalar(VarId, u32),
    /// Iterations depend on each other through an element.
    Dependence(Dependence),
    /// The iterations swap arrays, on this line.
    Rebind(u32),
    /// CPython is called on this line, which it is in the order of the iterations.
    HostCall(u32),
    /// Two slots may overlap in memory.
    Overlap(ArrayId, ArrayId),
    /// The nest has too many pairs of accesses to examine all of them.
    Budget,
}

/// What is known of one loop.
#[derive(Clone, Debug)]
pub struct LoopInfo {
    /// What the loop's iterations may do.
    pub verdict: Verdict,
    /// Variables that are private to an iteration.
    pub private: Vec<VarId>,
    /// The private variables whose last value is read after the loop.
    pub last_values: Vec<VarId>,
    /// The variables that would be combined if the loop ran in parallel, with the operations.
    pub reductions: Vec<(VarId, RedOp)>,
    /// Arrays through which no value passes from one iteration to another, if each iteration works on a copy; the last
    /// one works on the array itself.
    pub private_arrays: Vec<ArrayId>,
    /// Arrays that iterations only accumulate into.
    pub array_reductions: Vec<(ArrayId, RedOp)>,
    /// Arrays of which some loads read what was there before the loop, from a copy.
    pub anti_dependence_copies: Vec<AntiDependenceCopy>,
    /// Clauses that make the copies of `anti_dependence_copies` unnecessary if none of them holds.
    pub uncopied: Vec<Clause>,
    /// Variables whose values pass from one iteration to the next.
    pub carried: Vec<VarId>,
    /// The verdict if all carried variables were computed from the counter; `None` if not all count along with the
    /// loop.
    pub otherwise: Option<Verdict>,
    /// Variables that are carried only because sums of floats keep their order.
    pub float_sums: Vec<VarId>,
    /// Whether only sums of floats keep the iterations in order.
    pub ordered_sums: bool,
}

impl LoopInfo {
    /// The information on a loop of which only the verdict is known.
    fn new(verdict: Verdict) -> LoopInfo {
        LoopInfo {
            verdict,
            private: vec![],
            last_values: vec![],
            reductions: vec![],
            private_arrays: vec![],
            array_reductions: vec![],
            anti_dependence_copies: vec![],
            uncopied: vec![],
            carried: vec![],
            otherwise: None,
            float_sums: vec![],
            ordered_sums: false,
        }
    }
    /// The arrays that the loop's iterations must not share, if they run in parallel.
    pub fn copied(&self) -> impl Iterator<Item = ArrayId> + '_ {
        let reduced = self.array_reductions.iter().map(|r| r.0);
        let copied = self.anti_dependence_copies.iter().map(|r| r.array);
        let own = self.private_arrays.iter().copied();
        own.chain(reduced).chain(copied)
    }
    /// Whether iterations are independent without any condition, reduction or copy.
    pub fn is_parallel(&self) -> bool {
        let shared = self.private_arrays.is_empty() && self.anti_dependence_copies.is_empty();
        self.verdict == Verdict::Parallel && shared
    }
}

/// What each loop of a nest may do.
#[derive(Clone)]
pub struct Analysis {
    /// The loops' information, by [`LoopId`].
    pub loops: Vec<LoopInfo>,
    /// The forms of the nest's values that the verdicts are derived from.
    pub forms: Forms,
    /// What the verdicts assume.
    pub options: Options,
}

/// Analyses a nest whose slots are known to be disjoint.
pub fn analyse(nest: &Nest, fp: FpMode) -> Analysis {
    analyse_with(nest, Options::new(fp))
}

/// Analyses a nest.
pub fn analyse_with(nest: &Nest, options: Options) -> Analysis {
    analyse_in(nest, &ranges(nest), options)
}

/// Analyses a nest whose value ranges are known.
pub fn analyse_in(nest: &Nest, ranges: &Ranges, options: Options) -> Analysis {
    let forms = crate::values::walk::forms(nest, ranges, Extents::Opaque);
    let live = live_after(nest);
    let ctx = Context {
        nest,
        forms: &forms,
        options: &options,
        within: &[],
        clauses: MAX_CLAUSES,
        work: Cell::new(0),
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
    let unknown = || LoopInfo::new(Verdict::Serial(Why::While));
    let loops = loops
        .into_iter()
        .map(|l| l.unwrap_or_else(unknown))
        .collect();
    Analysis {
        loops,
        forms,
        options,
    }
}

/// Analyses a part of a loop's iterations: those in which none of `within` is negative, where `body` does what the
/// loop's body does. `live`: the variables that are read after the loop. No condition is looked for: the part is
/// parallel without one, or runs in order.
pub(crate) fn of_part(
    nest: &Nest,
    analysis: &Analysis,
    (id, body): (LoopId, &[Stmt]),
    within: &[Affine],
    live: &VarSet,
) -> LoopInfo {
    let ctx = Context {
        nest,
        forms: &analysis.forms,
        options: &analysis.options,
        within,
        clauses: 0,
        work: Cell::new(0),
    };
    ctx.loop_info(id, None, body, live)
}

/// The most work for one nest: each pair of accesses that is tested counts the square of the number of loops around it.
/// Pairs beyond that are taken to depend on each other.
const MAX_WORK: usize = 40_000;
/// The most clauses in one condition.
const MAX_CLAUSES: usize = 8;
/// The most atoms in one clause.
const MAX_ATOMS: usize = 6;

/// What is needed so that a loop carries no dependence through memory.
#[derive(Default, PartialEq)]
struct CarriedMemory {
    condition: Condition,
    private: Vec<ArrayId>,
    reductions: Vec<(ArrayId, RedOp)>,
    anti_dependence_copies: Vec<AntiDependenceCopy>,
    /// Clauses that make the copies of `anti_dependence_copies` unnecessary if none of them holds.
    uncopied: Vec<Clause>,
}

/// Why control alone makes a loop run in order.
fn in_order(id: LoopId, is_while: bool, body: &[Stmt]) -> Option<Why> {
    if is_while {
        return Some(Why::While);
    }
    if let Some((exit, line)) = early_exit(id, body) {
        return Some(Why::Exit(exit, line));
    }
    let mut swap = None;
    any(body, &mut |s| {
        if matches!(s.kind, StmtKind::Rebind(_)) {
            swap = swap.or(Some(s.span.line));
        }
        false
    });
    if let Some(line) = swap {
        return Some(Why::Rebind(line));
    }
    first_host_call(body).map(Why::HostCall)
}

struct Context<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    options: &'a Options,
    /// Forms that are not negative in the iterations examined; other iterations are left out.
    within: &'a [Affine],
    /// The most clauses in one condition.
    clauses: usize,
    work: Cell<usize>,
}

impl Context<'_> {
    fn loop_info(&self, id: LoopId, cond: Option<&Expr>, body: &[Stmt], live: &VarSet) -> LoopInfo {
        let exposure = exposure(self.nest, id, cond, body, self.options.nonempty);
        let roles = roles(self.nest, body, &exposure, live, self.options.fp);
        let mut info = LoopInfo::new(Verdict::Parallel);
        let (mut carried, mut others) = (None, false);
        for (v, role) in roles {
            match role {
                Role::Private { last } => {
                    info.private.push(v);
                    info.last_values.extend(last.then_some(v));
                }
                Role::Reduction(op) => info.reductions.push((v, op)),
                Role::Carried { line, sum } => {
                    info.carried.push(v);
                    info.float_sums.extend(sum.then_some(v));
                    others |= !sum;
                    carried = carried.or(Some(Why::Scalar(v, line)));
                }
            }
        }
        // What goes along with the best is told from the others by the best as it was.
        info.reductions
            .sort_by_key(|r| !matches!(r.1, RedOp::Along(_)));
        if let Some(why) = in_order(id, cond.is_some(), body) {
            info.verdict = Verdict::Serial(why);
            return info;
        }
        let memory = match self.memory(id, body) {
            Ok(memory) => memory,
            Err(why) => {
                info.verdict = Verdict::Serial(why);
                return info;
            }
        };
        // A sum comes last among the reasons for a serial loop, save for guarded accesses.
        info.ordered_sums = carried.is_some()
            && !others
            && info.reductions.is_empty()
            && memory == CarriedMemory::default();
        info.private_arrays = memory.private;
        info.array_reductions = memory.reductions;
        info.anti_dependence_copies = memory.anti_dependence_copies;
        info.uncopied = memory.uncopied;
        let reduces = !(info.reductions.is_empty() && info.array_reductions.is_empty());
        let free = if memory.condition != Condition::default() {
            Verdict::When(memory.condition)
        } else if reduces {
            Verdict::Reduction(info.reductions.clone())
        } else {
            Verdict::Parallel
        };
        info.verdict = match carried {
            Some(why) => {
                let all_count = info
                    .carried
                    .iter()
                    .all(|v| self.forms.counted.contains(&(id, *v)));
                info.otherwise = all_count.then_some(free);
                Verdict::Serial(why)
            }
            None => free,
        };
        info
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

    /// The condition under which the loop carries no dependence through memory, and the arrays that iterations must not
    /// share for that.
    ///
    /// # Errors
    /// Why the loop carries a dependence.
    fn memory(&self, id: LoopId, body: &[Stmt]) -> Result<CarriedMemory, Why> {
        let all: Vec<&AccessForm> = self.inside(id).collect();
        let mut arrays: Vec<ArrayId> = all.iter().map(|a| a.array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        let mut found = CarriedMemory::default();
        let mut wraps = false;
        for array in arrays {
            let own: Vec<&AccessForm> = all.iter().copied().filter(|a| a.array == array).collect();
            wraps |= self.own_pairs(array, &own, (id, body), &mut found)?;
            let others: Vec<&AccessForm> =
                all.iter().copied().filter(|a| a.array > array).collect();
            wraps |= self.pairs_of(&own, &others, id, &mut found.condition)?;
        }
        if wraps {
            found.condition.in_bounds = self.guarded_in(id);
        }
        found.condition.absent.sort_unstable();
        found.condition.absent.dedup();
        found.condition.elements.sort_unstable();
        found.condition.elements.dedup();
        Ok(found)
    }

    /// Adds the condition under which no access of one list depends on one of the other (or of the same list, each pair
    /// once). Returns whether that also needs that no subscript wraps.
    fn pairs_of(
        &self,
        xs: &[&AccessForm],
        ys: &[&AccessForm],
        id: LoopId,
        condition: &mut Condition,
    ) -> Result<bool, Why> {
        let mut wraps = false;
        for x in xs {
            for y in ys.iter().filter(|y| y.array != x.array || y.id >= x.id) {
                if !(x.store || y.store) {
                    continue;
                }
                for pair in self.pairs_in_memory(x, y)? {
                    wraps |= self.pair(pair, id, condition)?;
                }
            }
        }
        Ok(wraps)
    }

    /// Whether a slot shares memory with another.
    fn overlaps(&self, array: ArrayId) -> bool {
        match &self.options.memory {
            Memory::Disjoint => false,
            Memory::Unknown => true,
            Memory::Overlaps(list) => list.iter().any(|o| o.a == array || o.b == array),
        }
    }

    /// Adds what the dependences between accesses of one array need: nothing, a condition, or that iterations do not
    /// share the array. Returns whether that also needs that no subscript wraps.
    fn own_pairs(
        &self,
        array: ArrayId,
        accesses: &[&AccessForm],
        (id, body): (LoopId, &[Stmt]),
        found: &mut CarriedMemory,
    ) -> Result<bool, Why> {
        let mut condition = found.condition.clone();
        let result = self.pairs_of(accesses, accesses, id, &mut condition);
        let free = condition.absent.len() == found.condition.absent.len();
        let inspected = condition.elements.len() > found.condition.elements.len();
        if result.is_ok() && free && !inspected {
            return result;
        }
        let own = !self.overlaps(array);
        let known = &self.options.elements;
        // An update finds what it stores, wherever that is; a condition that makes iterations independent is worth
        // more.
        if (result.is_err() || inspected)
            && own
            && let Some(op) = array_reduction(self.nest, body, array, self.options.fp)
        {
            found.reductions.push((array, op));
            return Ok(false);
        }
        // For what each iteration writes anew, the condition is at best that there is no other iteration.
        if own && privatisable(&self.tester(Guarded::Trusted, known), id, array, accesses) {
            found.private.push(array);
            return Ok(accesses.iter().any(|a| a.guarded));
        }
        let clauses = &condition.absent[found.condition.absent.len()..];
        let most = match &result {
            Err(Why::Dependence(d)) if d.kind == Kind::Anti => Some(self.clauses),
            Ok(_) if !inspected => clauses.len().checked_sub(1),
            _ => None,
        };
        if let Some(most) = most.filter(|_| own)
            && self.add_copy(id, (array, accesses), most, found)
        {
            if result.is_ok() {
                found.uncopied.extend_from_slice(clauses);
            }
            return Ok(accesses.iter().any(|a| a.guarded));
        }
        found.condition = condition;
        result
    }

    /// Lets loads of an array read a copy made before the loop, if that needs at most `most` clauses; only flow and
    /// output dependences have to be absent then. Returns whether it did.
    fn add_copy(
        &self,
        id: LoopId,
        (array, accesses): (ArrayId, &[&AccessForm]),
        most: usize,
        found: &mut CarriedMemory,
    ) -> bool {
        let trusted = self.tester(Guarded::Trusted, &self.options.elements);
        let room = most.min(self.clauses - found.condition.absent.len());
        let atoms = if room == 0 { 0 } else { MAX_ATOMS };
        let legal = find_for(self.nest, id)
            .and_then(|l| legal_copy(&trusted, l, array, accesses, atoms))
            .filter(|r| r.absent.len() <= room);
        let Some(legal) = legal else {
            return false;
        };
        found.anti_dependence_copies.push(legal.copy);
        found.condition.absent.extend(legal.absent);
        true
    }

    fn tester<'b>(&'b self, guarded: Guarded, elements: &'b [(ArrayId, Property)]) -> Tester<'b> {
        Tester {
            nest: self.nest,
            forms: self.forms,
            absent: &self.options.absent,
            elements,
            guarded,
            within: self.within,
        }
    }

    /// The pairs by which two accesses can be to one element: of one slot, or of two slots that share memory. A loop
    /// that has a verdict swaps no arrays, so different slots are different arrays; they may still overlap.
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

    /// Adds the condition under which a pair is independent. Returns whether that also needs that no subscript wraps.
    fn pair(&self, pair: Pair<'_>, id: LoopId, condition: &mut Condition) -> Result<bool, Why> {
        let loops = common_loops(pair.x, pair.y).len();
        self.work.set(self.work.get() + loops * loops);
        if self.work.get() > MAX_WORK {
            return Err(Why::Budget);
        }
        let known = &self.options.elements;
        let trusted = self.tester(Guarded::Trusted, known);
        // Subscripts, and those of the index arrays in them.
        let literal = !self.inside(id).any(|a| a.guarded);
        let Some(found) = trusted.carried(pair, id) else {
            return Ok(!literal
                && self
                    .tester(Guarded::Anywhere, known)
                    .carried(pair, id)
                    .is_some());
        };
        if self.clauses == 0 {
            return Err(Why::Dependence(found));
        }
        let clauses = trusted.clauses(pair, id);
        let fits = |c: &Clause| (1..=MAX_ATOMS).contains(&c.atoms.len());
        if clauses.iter().all(fits) && condition.absent.len() + clauses.len() <= self.clauses {
            condition.absent.extend(clauses);
            return Ok(!literal);
        }
        // Whether it would help if the elements of index arrays were distinct, or sorted.
        let arrays = trusted.index_arrays(pair);
        for property in [Property::Distinct, Property::Sorted] {
            let more: Vec<_> = arrays.iter().map(|a| (*a, property)).collect();
            let all = [known.as_slice(), &more].concat();
            if !more.is_empty()
                && self
                    .tester(Guarded::Trusted, &all)
                    .carried(pair, id)
                    .is_none()
            {
                condition.elements.extend(more);
                return Ok(!literal);
            }
        }
        Err(Why::Dependence(found))
    }
}

impl Analysis {
    /// What is known of a loop; `None` if the nest has no loop with this number.
    pub fn loop_info(&self, id: LoopId) -> Option<&LoopInfo> {
        self.loops.get(id.index())
    }
    /// A tester for questions about the nest's accesses; guarded accesses may be anywhere.
    pub fn tester<'a>(&'a self, nest: &'a Nest) -> Tester<'a> {
        Tester {
            nest,
            forms: &self.forms,
            absent: &self.options.absent,
            elements: &self.options.elements,
            guarded: Guarded::Anywhere,
            within: &[],
        }
    }
    /// A loop's verdict.
    pub fn verdict(&self, id: LoopId) -> Option<&Verdict> {
        self.loop_info(id).map(|l| &l.verdict)
    }
}
