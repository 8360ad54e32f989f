//! What must be saved so that a chunk of top iterations can be rolled back.
//!
//! When a guard fails, CPython runs the chunk again from its first iteration. Two facts decide what has to be
//! restored before it does.
//!
//! 1. A slot is *idempotent* if no iteration of the chunk reads an element that the chunk writes at that moment
//!    or later. Then running the chunk again over its own results computes the same values: every element is
//!    either unwritten by the chunk, or written again before it is read.
//! 2. If the kernel stopped exactly where the guard failed (guards stand in loops that run one iteration after the
//!    other: on no threads, no vectors), what it wrote is a prefix of what CPython writes, so elements of an idempotent
//!    slot may stay. If it may have run ahead, elements that CPython would not reach (it may raise in the first
//!    iteration) have to be restored as well, unless nothing but warnings can occur, and those stop nothing (a filter
//!    may turn them into exceptions).
//!
//! What is appended to a list needs no saving: elements behind the count, a variable, are nobody's.

use nestwise_ir::model::nest::{Cast, Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::{ArrayId, BinOp, Fun, Lib, LiveOut, LoopId, Prov, UnOp, guarded};

use crate::dependence::{Dir, Guarded, Pair, Tester, common_loops};
use crate::guards::static_facts::affine_interval;
use crate::structure::Classes;
use crate::values::affine::{Affine, Ix};
use crate::values::forms::{AccessForm, Extents, Forms};
use crate::values::range::{Ranges, ranges};

/// Which elements of a slot a chunk may write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Region {
    /// Along an axis, the indices from `c + lo` to `c + hi` for the top counter's values `c` in the chunk.
    Rows {
        /// The axis.
        axis: u32,
        /// The first index, less the counter.
        lo: i64,
        /// The last index, less the counter.
        hi: i64,
    },
    /// Any elements of the slot.
    Whole,
}

/// A written slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct SlotUndo {
    /// The slot.
    pub array: ArrayId,
    /// Whether running a chunk again over its own results gives the same results.
    pub idempotent: bool,
    /// Whether the slot is idempotent in a chunk of a single iteration. Where two buffers swap after every iteration,
    /// for example, an iteration only reads the one and only writes the other.
    pub idempotent_alone: bool,
    /// The elements that a chunk may write.
    pub region: Region,
}

/// What undoing a chunk of a nest takes.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct UndoPlan {
    /// The slots that the nest writes.
    pub slots: Vec<SlotUndo>,
    /// Whether a guard may fail.
    pub guards: bool,
    /// Whether NumPy may warn.
    pub warns: bool,
}

impl UndoPlan {
    /// Whether a chunk may have to be rolled back.
    pub fn may_roll_back(&self) -> bool {
        self.guards || self.warns
    }
    /// The slots to save before a chunk. `in_order`: the kernel stops exactly where a guard fails. `alone`: the chunk
    /// has one iteration. `stops`: the arrays may be looked at when NumPy warns, or a warning may raise an exception;
    /// floating-point flags are looked at after the whole chunk only.
    pub fn to_save(
        &self,
        in_order: bool,
        alone: bool,
        stops: bool,
    ) -> impl Iterator<Item = &SlotUndo> {
        let ahead = self.guards && !in_order || self.warns && stops;
        let again = move |s: &SlotUndo| s.idempotent || alone && s.idempotent_alone;
        self.slots.iter().filter(move |s| ahead || !again(s))
    }
}

/// The plan of a nest whose slots are disjoint.
pub fn undo_plan(nest: &Nest) -> UndoPlan {
    undo_plan_for(nest, &ranges(nest), true)
}

/// The plan of a nest with known ranges, whose slots are disjoint or may overlap.
pub fn undo_plan_for(nest: &Nest, ranges: &Ranges, disjoint: bool) -> UndoPlan {
    let forms = crate::values::walk::forms(nest, ranges, Extents::Opaque);
    undo_plan_with(nest, &forms, disjoint)
}

/// The plan of a nest with known forms.
pub fn undo_plan_with(nest: &Nest, forms: &Forms, disjoint: bool) -> UndoPlan {
    let classes = Classes::of(nest);
    let written = |a: &ArrayId| nest.arrays.get(*a).is_some_and(|d| d.written);
    // CPython may read any element by way of the objects that it is given.
    let host_reads = nest.fragments.values().any(|f| !f.objects.is_empty());
    let slots = nest
        .arrays
        .iter()
        .filter(|(a, d)| !d.kind.is_own() || outlives(nest, *a))
        .map(|(a, _)| a)
        .filter(|a| classes.members(*a).any(|m| written(&m)))
        .map(|a| SlotUndo {
            array: a,
            idempotent: !host_reads && idempotent(nest, forms, &classes, a, disjoint),
            // Which slot has the array by then depends on the iteration.
            idempotent_alone: disjoint
                && !host_reads
                && classes.members(a).all(|m| idempotent_alone(nest, forms, m)),
            region: region(nest, forms, &classes, a),
        });
    UndoPlan {
        slots: slots.collect(),
        guards: guarded::nest_may_fail(nest),
        warns: warns(nest),
    }
}

/// Whether a live-out name may stand for an array that the nest made in memory of its own.
fn outlives(nest: &Nest, array: ArrayId) -> bool {
    let is = |out: &LiveOut| out.kind.made().is_some_and(|made| made.array == array);
    nest.live_outs.iter().any(is)
}

fn idempotent(nest: &Nest, forms: &Forms, classes: &Classes, a: ArrayId, disjoint: bool) -> bool {
    let same = |x: &&AccessForm| !disjoint || classes.rep(x.array) == classes.rep(a);
    let loads = forms
        .accesses
        .iter()
        .flatten()
        .filter(same)
        .filter(|x| !x.store);
    for load in loads {
        for store in forms
            .accesses
            .iter()
            .flatten()
            .filter(same)
            .filter(|x| x.store)
        {
            // An element read, and written at that moment or later.
            if classes.permuted(a) || load.array != store.array || anti(nest, forms, load, store) {
                return false;
            }
        }
    }
    true
}

/// Whether no element of the slot is read in an iteration of the top loop and written at that moment or later in the
/// same iteration. Within an iteration each slot must hold one array: arrays are swapped at an iteration's end only.
fn idempotent_alone(nest: &Nest, forms: &Forms, a: ArrayId) -> bool {
    if nest.top_for().is_none() || !rebinds_last(nest) {
        return false;
    }
    let all = || forms.accesses.iter().flatten().filter(|x| x.array == a);
    all().filter(|x| !x.store).all(|load| {
        all()
            .filter(|x| x.store)
            .all(|store| !anti_within(nest, forms, load, store, 1))
    })
}

/// Whether nothing that looks at elements comes after a `Rebind` in an iteration of the top loop.
fn rebinds_last(nest: &Nest) -> bool {
    let Some(top) = nest.top_for() else {
        return false;
    };
    let rebinds = |s: &Stmt| matches!(s.kind, StmtKind::Rebind(_));
    let first = top.body.iter().position(rebinds);
    let (before, behind) = top.body.split_at(first.unwrap_or(top.body.len()));
    let quiet = |s: &Stmt| {
        let sets = matches!(s.kind, StmtKind::Let { .. });
        rebinds(s) || sets && !s.exprs().any(|e| e.reads(|_| true))
    };
    behind.iter().all(quiet) && !crate::structure::any(before, &mut |s| rebinds(s))
}

/// Whether the element a load reads may be written by the store in the same or a later iteration.
fn anti(nest: &Nest, forms: &Forms, load: &AccessForm, store: &AccessForm) -> bool {
    anti_within(nest, forms, load, store, 0)
}

/// Whether the element a load reads may be written by the store at the same time or later, where both are in the same
/// iteration of the outermost `fixed` loops.
fn anti_within(
    nest: &Nest,
    forms: &Forms,
    load: &AccessForm,
    store: &AccessForm,
    fixed: usize,
) -> bool {
    let common = common_loops(load, store).len();
    let tester = Tester::new(nest, forms, Guarded::Anywhere);
    let pair = Pair::new(load, store);
    let mut dirs = vec![];
    for level in 0..common {
        dirs.push(Dir::Lt);
        if level >= fixed && tester.may_meet(pair, &dirs) {
            return true;
        }
        dirs.pop();
        dirs.push(Dir::Eq);
    }
    load.order < store.order && tester.may_meet(pair, &dirs)
}

fn region(nest: &Nest, forms: &Forms, classes: &Classes, a: ArrayId) -> Region {
    let Some(top) = nest.top_for().map(|l| l.id) else {
        return Region::Whole;
    };
    if classes.permuted(a) {
        return Region::Whole;
    }
    let stores: Vec<&AccessForm> = forms
        .accesses
        .iter()
        .flatten()
        .filter(|x| x.store && x.array == a)
        .collect();
    let rank = nest.arrays.get(a).map_or(0, |d| d.rank);
    (0..rank)
        .find_map(|axis| rows(nest, forms, top, &stores, axis))
        .unwrap_or(Region::Whole)
}

fn rows(
    nest: &Nest,
    forms: &Forms,
    top: LoopId,
    stores: &[&AccessForm],
    axis: u32,
) -> Option<Region> {
    let counter = Affine::ix(Ix::Counter(top));
    let (mut lo, mut hi) = (i64::MAX, i64::MIN);
    for s in stores {
        let index = s.index.get(axis as usize)?.affine()?;
        // A subscript that may wrap is anywhere.
        if s.guarded && affine_interval(nest, forms, index, 4).lo < 0 {
            return None;
        }
        let offset = index.sub(&counter)?;
        lo = lo.min(i64::try_from(extreme(forms, &offset, false, 8)?).ok()?);
        hi = hi.max(i64::try_from(extreme(forms, &offset, true, 8)?).ok()?);
    }
    (lo <= hi).then_some(Region::Rows { axis, lo, hi })
}

/// A constant bound of a form, by eliminating inner counters through their bounds (a tile's `j` in
/// `i ..= i + 15`).
fn extreme(forms: &Forms, a: &Affine, max: bool, fuel: u32) -> Option<i128> {
    let Some(ix) = forms.innermost(a) else {
        return a.as_constant();
    };
    let Ix::Counter(l) = ix else { return None };
    let b = forms.loop_form(l)?.bounds()?;
    let coef = a.const_coef(ix)?;
    let side = if (coef > 0) == max {
        &b.upper
    } else {
        &b.lower
    };
    let tries = side.iter().filter_map(|bound| {
        fuel.checked_sub(1)
            .and_then(|f| extreme(forms, &a.subst(ix, bound)?, max, f))
    });
    if max { tries.min() } else { tries.max() }
}

/// Whether NumPy may warn somewhere in the nest: the kernel's sticky floating-point flags have to be looked at.
pub fn warns(nest: &Nest) -> bool {
    let mut found = false;
    nest.walk_exprs(&mut |e| found |= may_warn(e));
    found
}

/// Whether an operation itself, leaving its operands aside, may raise a floating-point flag of which NumPy warns.
pub fn may_warn(e: &Expr) -> bool {
    let np = e.ty.prov != Prov::Py;
    let float = e.ty.repr.is_float() || e.ty.repr.is_complex();
    match &e.kind {
        ExprKind::Binary { op, .. } => np && float && !matches!(op, BinOp::Min | BinOp::Max),
        ExprKind::Unary {
            op: UnOp::Abs, a, ..
        } => np && a.ty.repr.is_complex(),
        ExprKind::Cast {
            kind: Cast::Round,
            guard,
            ..
        } => np && *guard,
        ExprKind::Call {
            fun,
            lib: Lib::Numpy,
            guard,
            ..
        } => *guard && !silent(*fun),
        _ => false,
    }
}

/// NumPy functions that never warn.
fn silent(fun: Fun) -> bool {
    matches!(
        fun,
        Fun::Fabs
            | Fun::Floor
            | Fun::Ceil
            | Fun::Trunc
            | Fun::Rint
            | Fun::Copysign
            | Fun::Pair
            | Fun::IsNan
            | Fun::IsInf
            | Fun::IsFinite
    )
}
