//! What code generation can run: questions about a nest and its schedule that the legality of the schedule leaves open.
//!
//! A schedule is legal where it computes what the nest computes; code generation has forms for most such schedules, not
//! for all. [`obstacle`] tells the first thing in a schedule that has none, so that such a schedule is not priced.
//! Nothing here depends on LLVM. What does depend on it, or on the layout of a kernel's records, is left to code
//! generation, which refuses with a reason.

use std::fmt;

use nestwise_ir::schedule::{GridLoop, RedOp, ThreadLoop};
use nestwise_ir::{ArrayId, Expr, For, LoopId, Nest, Scalar, Schedule, Stmt, StmtKind, VarId};

use crate::dataflow::definite_assignment::{self, Flow, Target};
use crate::dataflow::lane_facts::Facts;
use crate::dataflow::reads::reads_in;
use crate::dataflow::scheduled::Scheduled;
use crate::dataflow::unroll_and_jam::Copies;
use crate::structure::find_for;

/// The most axes of a grid.
pub const MOST_AXES: usize = 3;
/// The most lanes of a vector loop.
pub const MOST_LANES: u32 = 64;

/// Why code generation cannot run a schedule as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// The nest has no counted loop with this number.
    NoLoop(LoopId),
    /// The vector loop has no form by lanes, and cannot be unrolled and jammed.
    Lanes(LoopId),
    /// Something leaves the loop, whose iterations run on threads, or rebinds arrays in it.
    LeftEarly(LoopId),
    /// An iteration of the loop needs what another assigned to the variable, which is no reduction.
    Carried(LoopId, VarId),
    /// The variable is read after the loop, and the schedule has it neither as a reduction nor as a last value.
    Outlives(LoopId, VarId),
    /// The last iteration may not assign the loop's last value.
    Unassigned(LoopId, VarId),
    /// The operation does not combine values of the representation.
    Reduction(LoopId, RedOp, Scalar),
    /// The operation does not combine elements of the array.
    ArrayReduction(LoopId, RedOp, ArrayId),
    /// The loop is mapped to more than [`MOST_AXES`] axes.
    Axes(LoopId),
    /// The first loop does not end with the second, which is to be the next axis.
    Apart(LoopId, LoopId),
    /// Beside the inner axis stands a statement that not every thread can run for itself at any time.
    Beside(LoopId),
    /// The inner axis is left by a `break`.
    AxisLeftEarly(LoopId),
    /// A loop on a grid reads anti-dependence copies.
    GridCopies(LoopId),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLoop(l) => write!(f, "no counted loop {l}"),
            Self::Lanes(l) => write!(f, "{l} has no form by lanes"),
            Self::LeftEarly(l) => write!(f, "{l} is mapped to threads and left early"),
            Self::Carried(l, v) => {
                write!(f, "{v} is carried by {l}, which is mapped to threads")
            }
            Self::Outlives(l, v) => {
                write!(f, "{v} lives on after {l} without being a last value")
            }
            Self::Unassigned(l, v) => write!(f, "last value {v} of {l} may be unassigned"),
            Self::Reduction(l, op, repr) => write!(f, "reduction {op:?} on {repr} in {l}"),
            Self::ArrayReduction(l, op, a) => {
                write!(f, "reduction {op:?} on elements of {a} in {l}")
            }
            Self::Axes(l) => write!(f, "{l} has more axes than a grid"),
            Self::Apart(l, inner) => write!(f, "{inner} is not what {l} ends with"),
            Self::Beside(l) => write!(f, "something beside the inner axis {l}"),
            Self::AxisLeftEarly(l) => write!(f, "{l} is mapped to an axis and left early"),
            Self::GridCopies(l) => write!(f, "copies for what {l} reads on a grid"),
        }
    }
}

/// The first thing in a schedule that code generation cannot run.
///
/// [`Obstacle::Lanes`] means that the kernel would be one without lanes, every other that there would be no kernel.
pub fn obstacle(nest: &Nest, schedule: &Schedule) -> Option<Obstacle> {
    let scheduled = Scheduled::of(nest, schedule);
    let threads = schedule.threads.iter().map(|t| on_threads(&scheduled, t));
    let grid = schedule.grid.iter().map(|g| on_grid(&scheduled, g));
    let lanes = schedule
        .vector
        .iter()
        .map(|(id, count)| by_lanes(&scheduled, *id, *count));
    threads.chain(grid).chain(lanes).find_map(Result::err)
}

/// Whether a loop of [`Schedule::vector`] runs by that many lanes, or with that many copies of its body around such a
/// loop.
fn by_lanes(scheduled: &Scheduled<'_>, id: LoopId, count: u32) -> Result<(), Obstacle> {
    let l = find_for(scheduled.nest, id).ok_or(Obstacle::NoLoop(id))?;
    let fits = count.is_power_of_two() && (2..=MOST_LANES).contains(&count);
    let runs =
        fits && (Copies::of(scheduled, l, count).is_some() || Facts::of(scheduled, l).is_some());
    if runs {
        Ok(())
    } else {
        Err(Obstacle::Lanes(id))
    }
}

/// Whether a loop of [`Schedule::threads`] runs on threads.
fn on_threads(scheduled: &Scheduled<'_>, t: &ThreadLoop) -> Result<(), Obstacle> {
    let l = find_for(scheduled.nest, t.id).ok_or(Obstacle::NoLoop(t.id))?;
    thread_flow(scheduled, l, t)?;
    reduces_variables(scheduled.nest, t)?;
    for (array, op) in &t.array_reductions {
        let decl = &scheduled.nest.arrays[*array];
        if !merges_elements(*op, decl.storage, decl.elem.repr) {
            return Err(Obstacle::ArrayReduction(t.id, *op, *array));
        }
    }
    Ok(())
}

/// Whether a loop of [`Schedule::grid`] runs on a device.
fn on_grid(scheduled: &Scheduled<'_>, g: &GridLoop) -> Result<(), Obstacle> {
    let t = &g.mapped;
    let l = find_for(scheduled.nest, t.id).ok_or(Obstacle::NoLoop(t.id))?;
    axes(l, g)?;
    thread_flow(scheduled, l, t)?;
    reduces_variables(scheduled.nest, t)?;
    if !t.anti_dependence_copies.is_empty() {
        return Err(Obstacle::GridCopies(t.id));
    }
    for (array, op) in &t.array_reductions {
        let decl = &scheduled.nest.arrays[*array];
        if !op.is_atomic(decl.storage) || decl.elem.repr != decl.storage {
            return Err(Obstacle::ArrayReduction(t.id, *op, *array));
        }
    }
    Ok(())
}

fn reduces_variables(nest: &Nest, t: &ThreadLoop) -> Result<(), Obstacle> {
    for (v, op) in &t.reductions {
        let repr = nest.vars[*v].ty.repr;
        if !reduces(*op, repr) {
            return Err(Obstacle::Reduction(t.id, *op, repr));
        }
    }
    Ok(())
}

/// Whether the operation combines the values that parts of a loop have of a variable of that representation.
pub fn reduces(op: RedOp, repr: Scalar) -> bool {
    match op {
        RedOp::Along(_) | RedOp::Last => true,
        RedOp::And | RedOp::Or | RedOp::Xor if repr == Scalar::Bool => true,
        RedOp::Add | RedOp::Mul | RedOp::Min | RedOp::Max if repr.is_float() => true,
        _ => repr.is_int() && repr != Scalar::I128,
    }
}

/// Whether the operation merges the copies that parts of a loop have of an array, whose elements have the type
/// `storage` in memory and load as `elem`.
pub fn merges_elements(op: RedOp, storage: Scalar, elem: Scalar) -> bool {
    let float = storage.is_float() && matches!(op, RedOp::Add | RedOp::Mul);
    let logical = storage == Scalar::Bool && matches!(op, RedOp::And | RedOp::Or | RedOp::Xor);
    storage == elem && (float || logical || storage.is_int() && storage != Scalar::I128)
}

/// What an iteration of a loop on threads does to variables, if the schedule accounts for each of them.
///
/// # Errors
/// [`Obstacle::LeftEarly`], [`Obstacle::Carried`], [`Obstacle::Outlives`], [`Obstacle::Unassigned`].
pub fn thread_flow(scheduled: &Scheduled<'_>, l: &For, t: &ThreadLoop) -> Result<Flow, Obstacle> {
    let nonempty = scheduled.schedule.nonempty;
    let mut flow = definite_assignment::flow(&[], &l.body, Some(l.id), nonempty);
    flow.exposed.remove(&l.counter);
    flow.assigned.remove(&l.counter);
    let mut breaks = definite_assignment::exits(&l.body)
        .into_iter()
        .any(|x| x != Target::Loop(l.id));
    for s in &l.body {
        s.walk(&mut |s| {
            breaks |= matches!(s.kind, StmtKind::Break(id) if id == l.id)
                || matches!(s.kind, StmtKind::Rebind(_));
        });
    }
    if breaks {
        return Err(Obstacle::LeftEarly(l.id));
    }
    let reduced = |v: &VarId| t.reductions.iter().any(|r| r.0 == *v);
    let inside = reads_in(&l.body);
    for v in &flow.assigned {
        if flow.exposed.contains(v) && !reduced(v) {
            return Err(Obstacle::Carried(l.id, *v));
        }
        let last = t.last_values.contains(v);
        if !reduced(v)
            && !last
            && scheduled.live_after(*v, &inside)
            && scheduled.needed_without(l.id, *v)
        {
            return Err(Obstacle::Outlives(l.id, *v));
        }
        if last && !flow.definite.contains(v) {
            return Err(Obstacle::Unassigned(l.id, *v));
        }
    }
    Ok(flow)
}

/// Checks what a mapping promises of the statements around inner axes: every thread runs them for itself, at any time.
///
/// # Errors
/// [`Obstacle::Axes`], [`Obstacle::Apart`], [`Obstacle::Beside`], [`Obstacle::AxisLeftEarly`].
pub fn axes(l: &For, g: &GridLoop) -> Result<(), Obstacle> {
    if g.axes.len() > MOST_AXES {
        return Err(Obstacle::Axes(l.id));
    }
    let mut around = l;
    for id in g.axes.iter().skip(1) {
        let Some(inner) = loop_in(&around.body, *id) else {
            return Err(Obstacle::Apart(around.id, *id));
        };
        let before = around.body.split_last().map_or(&[][..], |split| split.1);
        if !may_repeat(before, inner, &g.mapped) {
            return Err(Obstacle::Beside(*id));
        }
        let mut breaks = false;
        for s in &inner.body {
            s.walk(&mut |s| breaks |= matches!(s.kind, StmtKind::Break(b) if b == *id));
        }
        if breaks {
            return Err(Obstacle::AxisLeftEarly(*id));
        }
        around = inner;
    }
    Ok(())
}

/// Whether every thread may run what stands before an inner axis of a grid, and evaluate its bounds, for itself, at any
/// time: that only assigns variables that are not reduced, and reads nothing that the inner loop stores.
pub(super) fn may_repeat(before: &[Stmt], inner: &For, mapped: &ThreadLoop) -> bool {
    let stored = nestwise_ir::model::nest::stored(&inner.body);
    let steady = |e: &Expr| !e.reads(|array| stored.contains(&array));
    let reduced = |v: &VarId| mapped.reductions.iter().any(|r| r.0 == *v);
    let plain = |s: &Stmt| matches!(&s.kind, StmtKind::Let { var, value } if steady(value) && !reduced(var));
    let bounds = [&inner.start, &inner.stop, &inner.step];
    before.iter().all(plain) && bounds.into_iter().all(steady)
}

/// The loop that a block ends with, if it is the loop `id`.
pub fn loop_in(block: &[Stmt], id: LoopId) -> Option<&For> {
    match &block.last()?.kind {
        StmtKind::For(l) if l.id == id => Some(l),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nestwise_ir::BinOp;
    use nestwise_ir::testing::builder::*;

    use super::*;

    /// The nest `for i: for j: a[i, j] = value(j)`, with whatever else the inner body has before that.
    fn two_loops(
        make: impl FnOnce(&mut Builder, [VarId; 2]) -> (Vec<Stmt>, Expr, Vec<Stmt>),
    ) -> Nest {
        let mut b = Builder::new();
        let a = b.floats(2);
        let (li, lj) = (b.loop_id(), b.loop_id());
        let (i, j) = (b.var(I64), b.var(I64));
        let (before, value, mut body) = make(&mut b, [i, j]);
        body.push(b.store(a, vec![b.v(i), b.v(j)], value, false));
        let inner = b.for_(lj, j, upto(dim(a, 1)), body);
        let outer = before.into_iter().chain([inner]).collect();
        let top = b.for_(li, i, upto(dim(a, 0)), outer);
        b.finish(top)
    }

    fn plain() -> Nest {
        two_loops(|_, _| (vec![], float(1.0), vec![]))
    }

    fn vector(id: LoopId, lanes: u32) -> Schedule {
        Schedule {
            vector: vec![(id, lanes)],
            ..Schedule::serial()
        }
    }

    fn threads(t: ThreadLoop) -> Schedule {
        Schedule {
            threads: vec![t],
            ..Schedule::serial()
        }
    }

    fn grid(axes: Vec<LoopId>, mapped: ThreadLoop) -> Schedule {
        Schedule {
            grid: vec![GridLoop { axes, mapped }],
            ..Schedule::serial()
        }
    }

    const I: LoopId = LoopId(0);
    const J: LoopId = LoopId(1);

    #[test]
    fn plain_loops_run_in_any_way() {
        let nest = plain();
        let both = vec![I, J];
        for schedule in [
            Schedule::serial(),
            vector(J, 8),
            vector(I, 4),
            threads(ThreadLoop::plain(I)),
            grid(both, ThreadLoop::plain(I)),
        ] {
            assert_eq!(obstacle(&nest, &schedule), None, "{schedule:?}");
        }
        let jammed = Schedule {
            vector: vec![(I, 4), (J, 8)],
            ..Schedule::serial()
        };
        assert_eq!(obstacle(&nest, &jammed), None);
    }

    #[test]
    fn lanes_are_a_power_of_two_and_no_power_of_ints_is_taken_by_them() {
        assert_eq!(obstacle(&plain(), &vector(J, 6)), Some(Obstacle::Lanes(J)));
        assert_eq!(
            obstacle(&plain(), &vector(LoopId(7), 8)),
            Some(Obstacle::NoLoop(LoopId(7)))
        );
        let power = two_loops(|b, [_, j]| {
            let n = b.var(I64);
            let value = bin(BinOp::Pow, b.v(j), int(3), false);
            (vec![], float(1.0), vec![let_(n, value)])
        });
        assert_eq!(obstacle(&power, &vector(J, 8)), Some(Obstacle::Lanes(J)));
    }

    #[test]
    fn threads_account_for_every_variable() {
        let mut summed = None;
        let nest = two_loops(|b, [_, j]| {
            let s = b.input(I64);
            b.output(s);
            summed = Some(s);
            let sum = let_(s, add(b.v(s), b.v(j)));
            (vec![], float(1.0), vec![sum])
        });
        let s = summed.unwrap();
        let with = |reductions| {
            threads(ThreadLoop {
                reductions,
                ..ThreadLoop::plain(I)
            })
        };
        assert_eq!(
            obstacle(&nest, &with(vec![])),
            Some(Obstacle::Carried(I, s))
        );
        assert_eq!(obstacle(&nest, &with(vec![(s, RedOp::Add)])), None);
    }

    #[test]
    fn values_that_are_read_after_a_loop_on_threads_are_last_values() {
        let mut kept = None;
        let nest = two_loops(|b, [_, j]| {
            let s = b.input(I64);
            b.output(s);
            kept = Some(s);
            (vec![let_(s, int(0))], float(1.0), vec![let_(s, b.v(j))])
        });
        let s = kept.unwrap();
        assert_eq!(
            obstacle(&nest, &threads(ThreadLoop::plain(I))),
            Some(Obstacle::Outlives(I, s))
        );
        let last = ThreadLoop {
            last_values: vec![s],
            ..ThreadLoop::plain(I)
        };
        assert_eq!(obstacle(&nest, &threads(last)), None);
    }

    #[test]
    fn loops_on_threads_are_not_left_early() {
        let nest = two_loops(|_, _| (vec![stmt(StmtKind::Break(I))], float(1.0), vec![]));
        assert_eq!(
            obstacle(&nest, &threads(ThreadLoop::plain(I))),
            Some(Obstacle::LeftEarly(I))
        );
    }

    #[test]
    fn representations_are_combined_by_what_they_have() {
        assert!(reduces(RedOp::Add, Scalar::F64) && reduces(RedOp::Xor, Scalar::Bool));
        assert!(!reduces(RedOp::And, Scalar::F64) && !reduces(RedOp::Add, Scalar::Bool));
        assert!(!reduces(RedOp::Add, Scalar::I128) && !reduces(RedOp::Add, Scalar::C128));
        assert!(merges_elements(RedOp::Add, Scalar::F32, Scalar::F32));
        assert!(!merges_elements(RedOp::Min, Scalar::F64, Scalar::F64));
        assert!(!merges_elements(RedOp::Add, Scalar::F32, Scalar::F64));
    }

    #[test]
    fn nothing_but_assignments_stands_beside_an_inner_axis() {
        let stores = two_loops(|b, [i, _]| {
            let a = b.floats(1);
            let put = b.store(a, vec![b.v(i)], float(2.0), false);
            (vec![put], float(1.0), vec![])
        });
        let both = grid(vec![I, J], ThreadLoop::plain(I));
        assert_eq!(obstacle(&stores, &both), Some(Obstacle::Beside(J)));
        let one = grid(vec![I], ThreadLoop::plain(I));
        assert_eq!(obstacle(&stores, &one), None);
        let apart = grid(vec![I, LoopId(5)], ThreadLoop::plain(I));
        assert_eq!(
            obstacle(&plain(), &apart),
            Some(Obstacle::Apart(I, LoopId(5)))
        );
        let many = grid(vec![I, J, J, J], ThreadLoop::plain(I));
        assert_eq!(obstacle(&plain(), &many), Some(Obstacle::Axes(I)));
    }
}
