//! Which loops become vector lanes.

use nestwise_ir::model::nest::{Expr, ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::{BinOp, FpMode, Fun, Lib, LoopId, Schedule};

use crate::dataflow::liveness::VarSet;
use crate::guards::for_each_stmt_mut;
use crate::launch_info::LaunchInfo;
use crate::parallelism::deferred_exceptions::may_defer_exceptions;
use crate::parallelism::legality::Given;
use crate::parallelism::verdict::{Analysis, analyse_with};
use crate::structure::{any, assigned, find_body, find_for, irregular};
use crate::transform::peeling::split;
use crate::values::strides::strides;

/// The most lanes of a loop, whatever the size of its elements.
const MAX_LANES: u32 = 64;
/// The most lanes of a loop whose sums are added up lane by lane.
const SUM_LANES: u32 = 16;
/// The most lanes of a loop in which some lanes wait for others.
const WAITING_LANES: u32 = 16;
/// The trip count from which splitting a loop pays.
const MIN_SPLIT: f64 = 16.0;
/// The work per iteration, as [`heavy`] counts it, from which sums are added up lane by lane.
const HEAVY: u32 = 10;

/// The best use of vectors: innermost parallel loops for the compiler's vectoriser, else parallel loops around
/// serial ones as explicit lanes.
pub fn vectorise(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Schedule {
    let mut out = Schedule {
        nonempty: info.assumed.nonempty,
        ..Schedule::serial()
    };
    let interiors = Interiors::of(nest, info);
    let given = Given {
        nest,
        analysis,
        disjoint: info.assumed.disjoint(),
        undo: info.undo,
    };
    for (inner, around) in innermost(nest) {
        let Inner { id, counted, body } = inner;
        if interiors.as_ref().is_some_and(|i| i.suits(info, id)) {
            out.independent.push(id);
            out.split.push(id);
            continue;
        }
        let parallel = analysis.loop_info(id).is_some_and(|i| i.is_parallel());
        let straight = counted && !irregular(body) && may_defer_exceptions(nest, body);
        let here = strides(analysis, info, id);
        let strict = info.assumed.fp == FpMode::Strict;
        if parallel && straight && strict && info.lanes >= 2 && calls_numpy(body) {
            out.vector.push((id, MAX_LANES));
            continue;
        }
        if parallel && straight {
            out.independent.push(id);
            if here.smooth() || here.unit + here.far_loads + here.far_stores == 0 {
                continue;
            }
        }
        let lockstep = || find_for(nest, id).is_some_and(|l| given.may_run_in_lockstep(l));
        if !parallel && straight && here.streams() && lockstep() {
            out.lockstep.push(id);
            continue;
        }
        let choice = outer_lanes(nest, analysis, info, inner, &around).or_else(|| {
            let sums = analysis.loop_info(id).is_some_and(|i| i.ordered_sums);
            let able = counted && !narrow_only(body) && may_defer_exceptions(nest, body);
            let enough = info.lanes >= 2 && info.trips(id).is_none_or(|t| t >= 4.0);
            let worth = enough && here.far_stores == 0 && heavy(body, strict);
            (sums && able && worth).then(|| (id, lanes(nest, analysis, info, id).min(SUM_LANES)))
        });
        if let Some(choice) = choice {
            let taken = out
                .vector
                .iter()
                .any(|(id, _)| around.contains(id) || *id == choice.0);
            if !taken {
                // Lanes of an outer loop need the loops inside as they are.
                out.independent.retain(|other| *other != id);
                out.vector.push(choice);
            }
        }
    }
    out
}

/// The nest with the bodies of loops that can be split replaced by those of their interiors. The range of an interior
/// is ignored: its body stands for the whole range, which can only add dependences.
struct Interiors {
    nest: Nest,
    analysis: Analysis,
    loops: Vec<LoopId>,
}

impl Interiors {
    fn of(nest: &Nest, info: &LaunchInfo) -> Option<Interiors> {
        let mut loops = vec![];
        let mut simple = nest.clone();
        for_each_stmt_mut(&mut simple, &mut |s| {
            if let StmtKind::For(l) = &mut s.kind
                && (info.eager || info.trips(l.id).is_none_or(|t| t >= MIN_SPLIT))
                && let Some(found) = split(nest, l)
            {
                l.body = found.body;
                loops.push(l.id);
            }
        });
        if loops.is_empty() {
            return None;
        }
        Some(Interiors {
            analysis: analyse_with(&simple, info.assumed.clone()),
            nest: simple,
            loops,
        })
    }

    /// Whether the interior of a loop is best run by vectors.
    fn suits(&self, info: &LaunchInfo, id: LoopId) -> bool {
        let body = find_body(&self.nest, id).filter(|_| self.loops.contains(&id));
        body.is_some_and(|body| {
            self.analysis.loop_info(id).is_some_and(|i| i.is_parallel())
                && !irregular(body)
                && may_defer_exceptions(&self.nest, body)
                && strides(&self.analysis, info, id).streams()
        })
    }
}

/// Whether the work of an iteration outweighs taking its sums' terms out of vectors one by one: roots, divisions,
/// NumPy's functions (which take many arguments at once), or a lot of plain arithmetic. `strict`: the C library's
/// functions are called as they are, which have no vector form.
fn heavy(body: &[Stmt], strict: bool) -> bool {
    let (mut work, mut calls) = (0, false);
    for s in body {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    work += match &e.kind {
                        ExprKind::Call { lib, fun, .. } => {
                            let inline =
                                matches!(fun, Fun::Sqrt | Fun::Fabs | Fun::Floor | Fun::Ceil);
                            calls |= strict && *lib == Lib::C && !inline;
                            if inline { 4 } else { 12 }
                        }
                        ExprKind::Binary { op: BinOp::Div, .. } => 4,
                        ExprKind::Binary { .. } if e.ty.repr.is_float() => 1,
                        _ => 0,
                    };
                });
            }
        });
    }
    !calls && work >= HEAVY
}

/// Whether a block calls one of NumPy's vector functions, which takes as many arguments as there are lanes at once: the
/// compiler's vectoriser would call it for each element.
fn calls_numpy(body: &[Stmt]) -> bool {
    calls(body, &mut |lib, fun| {
        lib == Lib::Numpy && fun.is_elementary()
    })
}

/// An innermost loop.
#[derive(Clone, Copy)]
struct Inner<'a> {
    id: LoopId,
    /// Whether the loop is a `for`.
    counted: bool,
    body: &'a [Stmt],
}

/// The innermost loops, each with the loops around it, outermost first.
fn innermost(nest: &Nest) -> Vec<(Inner<'_>, Vec<LoopId>)> {
    fn go<'a>(s: &'a Stmt, around: &mut Vec<LoopId>, out: &mut Vec<(Inner<'a>, Vec<LoopId>)>) {
        let (id, counted, body) = match &s.kind {
            StmtKind::For(l) => (l.id, true, &l.body),
            StmtKind::While(l) => (l.id, false, &l.body),
            _ => {
                for b in s.blocks() {
                    b.iter().for_each(|s| go(s, around, out));
                }
                return;
            }
        };
        let loops = any(body, &mut |s| {
            matches!(s.kind, StmtKind::For(_) | StmtKind::While(_))
        });
        if !loops {
            out.push((Inner { id, counted, body }, around.clone()));
        }
        around.push(id);
        body.iter().for_each(|s| go(s, around, out));
        around.pop();
    }
    let mut out = vec![];
    go(&nest.top, &mut vec![], &mut out);
    out
}

/// Whether a block has a statement that lanes cannot run together, or a function that is one call for all of a loop.
/// Jumps and `while`s can run by lanes: lanes leave one by one.
fn narrow_only(block: &[Stmt]) -> bool {
    let alone = any(block, &mut |s| {
        matches!(
            s.kind,
            StmtKind::Return | StmtKind::Rebind(_) | StmtKind::Check { .. }
        )
    });
    alone || calls(block, &mut |_, fun| fun.is_fold())
}

/// Whether a block calls a function that `such` accepts.
fn calls(block: &[Stmt], such: &mut impl FnMut(Lib, Fun) -> bool) -> bool {
    let mut found = false;
    for s in block {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    found |= matches!(&e.kind, ExprKind::Call { lib, fun, .. } if such(*lib, *fun));
                });
            }
        });
    }
    found
}

/// The loop around an innermost one whose iterations can be lanes, looked for from the inside outwards, and the number
/// of lanes.
fn outer_lanes(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
    inner: Inner<'_>,
    around: &[LoopId],
) -> Option<(LoopId, u32)> {
    if info.lanes < 2 || narrow_only(inner.body) {
        return None;
    }
    for id in around.iter().rev() {
        let body = find_body(nest, *id)?;
        if narrow_only(body) || !may_defer_exceptions(nest, body) {
            return None;
        }
        let enough = info.trips(*id).is_none_or(|t| t >= 4.0);
        let parallel = analysis.loop_info(*id).is_some_and(|i| i.is_parallel());
        if parallel
            && enough
            && uniform_bounds(nest, *id, body)
            && strides(analysis, info, *id).smooth()
        {
            let all = lanes(nest, analysis, info, *id);
            // A vector goes on until its last lane is done: the more lanes, the more of them wait.
            let waits = any(body, &mut |s| {
                matches!(s.kind, StmtKind::While(_) | StmtKind::Break(_))
            });
            return Some((*id, if waits { all.min(WAITING_LANES) } else { all }));
        }
    }
    None
}

/// Whether all lanes of loop `id` agree on the trip counts of the loops inside: bounds do not follow its counter,
/// nor anything computed inside it.
fn uniform_bounds(nest: &Nest, id: LoopId, body: &[Stmt]) -> bool {
    let mut varying = VarSet::new(nest.vars.len());
    assigned(body).into_iter().for_each(|v| varying.insert(v));
    if let Some(l) = find_for(nest, id) {
        varying.insert(l.counter);
    }
    // Counters of the loops inside start alike and step alike, so they are uniform if their bounds are.
    let mut uniform = true;
    for s in body {
        s.walk(&mut |s| {
            if let StmtKind::For(l) = &s.kind {
                uniform &= [&l.start, &l.stop, &l.step]
                    .into_iter()
                    .all(|e| same_in_lanes(e, &varying));
                varying.remove(l.counter);
            }
        });
    }
    uniform
}

fn same_in_lanes(e: &Expr, varying: &VarSet) -> bool {
    let mut ok = true;
    e.walk(&mut |e| {
        ok &= match &e.kind {
            ExprKind::Var(v) => !varying.contains(*v),
            ExprKind::Load { .. } | ExprKind::Bind { .. } => false,
            _ => true,
        };
    });
    ok
}

/// The number of lanes for a loop: as many bytes as `info.lanes` 8-byte elements, by its widest element.
fn lanes(nest: &Nest, analysis: &Analysis, info: &LaunchInfo, id: LoopId) -> u32 {
    let inside = analysis
        .forms
        .accesses
        .iter()
        .flatten()
        .filter(|a| a.loops.contains(&id));
    let widest = inside
        .map(|a| nest.elem_size(a.array))
        .max()
        .unwrap_or(8)
        .clamp(1, 16) as u32;
    (info.lanes * 8 / widest).clamp(2, MAX_LANES)
}
