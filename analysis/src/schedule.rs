//! The schedules worth pricing for a nest: which loop becomes vector lanes, which runs on threads, on the nest as
//! written and on its legal rewritings.
//!
//! Strict semantics throughout: the operations that make up one element, and their order, never change. So a sum
//! over `k` stays a serial loop, and it is a loop around it (`j`) whose iterations become the lanes.

use crate::guards::for_each_stmt_mut;
use crate::legality::{Given, irregular, perfect_band, sticky_safe};
use crate::liveness::VarSet;
use crate::privatise::worth_copying;
use crate::strides::strides;
use crate::structure::{any, assigned, find_body};
use crate::transform::{move_innermost, promote, sink};
use crate::verdict::{Analysis, Options, Verdict, analyse_with};
use nestwise_ir::nest::{Expr, ExprKind, For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::split::split;
use nestwise_ir::{ArrayId, BinOp, FpMode, Fun, Lib, LoopId, Schedule};

/// What a launch (or a guess) says about sizes and layout.
#[derive(Clone, Debug)]
pub struct LaunchInfo {
    /// By loop: the estimated trip count.
    pub trips: Vec<Option<f64>>,
    /// By slot and axis: consecutive elements along the axis are adjacent in memory.
    pub unit_stride: Vec<[bool; 8]>,
    /// Lanes of 8-byte elements that a vectorised outer loop should have; 0: no such loops.
    pub lanes: u32,
    /// By slot: every thread may have a copy of the array.
    pub roomy: Vec<bool>,
    /// The runtime takes back a whole chunk when an event fires.
    pub undo: bool,
    /// What the analysis may assume.
    pub assumed: Options,
}

impl LaunchInfo {
    /// C order everywhere, sizes unknown.
    pub fn guess(nest: &Nest, fp: FpMode) -> LaunchInfo {
        let unit = |rank: u32| std::array::from_fn(|axis| axis + 1 == rank as usize);
        LaunchInfo {
            trips: vec![None; nest.loops.len()],
            unit_stride: nest.arrays.values().map(|a| unit(a.rank)).collect(),
            lanes: 16,
            roomy: vec![true; nest.arrays.len()],
            undo: true,
            assumed: Options::new(fp),
        }
    }
    fn trips(&self, id: LoopId) -> Option<f64> {
        self.trips.get(id.index()).copied().flatten()
    }
    pub(crate) fn unit(&self, a: ArrayId, axis: usize) -> bool {
        self.unit_stride
            .get(a.index())
            .and_then(|u| u.get(axis))
            .copied()
            .unwrap_or(false)
    }
}

/// How a candidate runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Loops on threads.
    pub threads: bool,
    /// Loops as vector lanes, or left to the compiler's vectoriser.
    pub vector: bool,
    /// What was done to the nest.
    pub rewrite: Rewrite,
}

/// What was done to a candidate's nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Nothing.
    None,
    /// Elements that a loop keeps storing are held in variables.
    Promoted,
    /// The loop was made the innermost of its band.
    Interchanged(LoopId),
}

/// A way to run a nest.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rewritten nest; `None`: as it was.
    pub nest: Option<Nest>,
    /// By loop of the candidate's nest: the loop it was.
    pub origin: Vec<LoopId>,
    /// The mapping of its loops.
    pub schedule: Schedule,
    /// In words.
    pub kind: Kind,
}

/// Lanes at most, for elements of any size.
const MAX_LANES: u32 = 64;
/// Lanes at most of a loop whose sums are added up lane by lane.
const SUM_LANES: u32 = 16;
/// Lanes at most where some wait for others.
const WAITING_LANES: u32 = 16;
/// Trips from which splitting a loop pays.
const MIN_SPLIT: f64 = 16.0;
/// See [`heavy`].
const HEAVY: u32 = 10;

/// The candidates for a nest with proven guards cleared; the first is serial and plain.
pub fn candidates(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<Candidate> {
    let same: Vec<LoopId> = nest.loops.ids().collect();
    let plain = Kind {
        threads: false,
        vector: false,
        rewrite: Rewrite::None,
    };
    let mut out = vec![Candidate {
        nest: None,
        origin: same.clone(),
        schedule: Schedule::serial(),
        kind: plain,
    }];
    add(nest, analysis, info, (Rewrite::None, &same), &mut out);
    let given = Given {
        nest,
        analysis,
        disjoint: info.assumed.disjoint(),
        undo: info.undo,
    };
    let plain_bands = bands(nest);
    interchanges(&given, info, &plain_bands, &mut out);
    if let Some(sunk) = sink(&given) {
        let analysis = analyse_with(&sunk, info.assumed.clone());
        let given = Given {
            nest: &sunk,
            analysis: &analysis,
            ..given
        };
        let new: Vec<_> = bands(&sunk)
            .into_iter()
            .filter(|b| !plain_bands.contains(b))
            .collect();
        interchanges(&given, info, &new, &mut out);
    }
    if let Some(promoted) = promote(&given, info.assumed.nonempty) {
        rewritten(promoted, info, (Rewrite::Promoted, &same), &mut out);
    }
    out
}

/// The candidates in which a loop of a band, along which accesses walk through memory, becomes its innermost.
fn interchanges(
    given: &Given<'_>,
    info: &LaunchInfo,
    bands: &[Vec<LoopId>],
    out: &mut Vec<Candidate>,
) {
    for band in bands {
        for (i, id) in band.iter().enumerate() {
            if !strides(given.analysis, info, *id).smooth() {
                continue;
            }
            if let Some((moved, origin)) = move_innermost(given, &band[i..]) {
                rewritten(moved, info, (Rewrite::Interchanged(*id), &origin), out);
            }
        }
    }
}

fn rewritten(nest: Nest, info: &LaunchInfo, how: (Rewrite, &[LoopId]), out: &mut Vec<Candidate>) {
    // A loop keeps its number only where nothing was interchanged.
    let same = how.1.iter().enumerate().all(|(i, old)| old.index() == i);
    let all = (0..how.1.len().min(64)).fold(0, |bits, i| bits | 1u64 << i);
    let mut assumed = info.assumed.clone();
    if !same && assumed.nonempty != all {
        // Where some loop may be empty, one inside it may be so unnoticed.
        assumed.nonempty = 0;
    }
    let analysis = analyse_with(&nest, assumed.clone());
    let trips = how.1.iter().map(|old| info.trips(*old)).collect();
    add(
        &nest,
        &analysis,
        &LaunchInfo {
            trips,
            assumed,
            ..info.clone()
        },
        how,
        out,
    );
}

/// The schedules of one form of the nest.
fn add(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
    (rewrite, origin): (Rewrite, &[LoopId]),
    out: &mut Vec<Candidate>,
) {
    let lanes = vectorise(nest, analysis, info);
    let threads = thread_loops(nest, analysis, info);
    let vector = !(lanes.vector.is_empty() && lanes.independent.is_empty());
    let mut push = |schedule: Schedule| {
        let nest = (rewrite != Rewrite::None).then(|| nest.clone());
        let kind = Kind {
            threads: !schedule.threads.is_empty(),
            vector,
            rewrite,
        };
        out.push(Candidate {
            nest,
            origin: origin.to_vec(),
            schedule,
            kind,
        });
    };
    if vector || rewrite != Rewrite::None {
        push(lanes.clone());
    }
    if !threads.is_empty() {
        push(Schedule { threads, ..lanes });
    }
}

/// Perfect bands of two or more loops, each from its outermost loop; the top loop stays where it is.
fn bands(nest: &Nest) -> Vec<Vec<LoopId>> {
    let mut out: Vec<Vec<LoopId>> = vec![];
    nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && l.id != LoopId(0)
            && !out.iter().any(|b| b.contains(&l.id))
        {
            let band = perfect_band(l);
            if (2..=4).contains(&band.len()) {
                out.push(band);
            }
        }
    });
    out
}

/// The best use of vectors: innermost parallel loops for the compiler's vectoriser, else parallel loops around
/// serial ones as explicit lanes.
pub fn vectorise(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Schedule {
    let mut out = Schedule {
        nonempty: info.assumed.nonempty,
        ..Schedule::serial()
    };
    let interiors = Interiors::of(nest, info);
    for (inner, around) in innermost(nest) {
        let Inner { id, counted, body } = inner;
        if interiors.as_ref().is_some_and(|i| i.suits(info, id)) {
            out.independent.push(id);
            out.split.push(id);
            continue;
        }
        let parallel = analysis.loop_info(id).is_some_and(|i| i.is_parallel());
        let straight = counted && !irregular(body) && sticky_safe(nest, body);
        let here = strides(analysis, info, id);
        if parallel && straight {
            out.independent.push(id);
            if here.smooth() || here.unit + here.far_loads + here.far_stores == 0 {
                continue;
            }
        }
        let choice = outer_lanes(nest, analysis, info, inner, &around).or_else(|| {
            let sums = analysis.loop_info(id).is_some_and(|i| i.ordered_sums);
            let able = counted && !narrow_only(body) && sticky_safe(nest, body);
            let enough = info.lanes >= 2 && info.trips(id).is_none_or(|t| t >= 4.0);
            let worth = enough && here.far_stores == 0 && heavy(body);
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

/// The nest with the bodies of loops that can be split replaced by those of their interiors. Where the interior is is
/// left out: its body stands for the whole range, which only adds to what iterations might have in common.
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
                && info.trips(l.id).is_none_or(|t| t >= MIN_SPLIT)
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
                && sticky_safe(&self.nest, body)
                && strides(&self.analysis, info, id).streams()
        })
    }
}

/// Whether the work of an iteration outweighs taking its sums' terms out of vectors one by one: roots, divisions,
/// NumPy's functions (which take many arguments at once), or a lot of plain arithmetic. The C library's functions
/// have no vector form.
fn heavy(body: &[Stmt]) -> bool {
    let (mut work, mut calls) = (0, false);
    for s in body {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    work += match &e.kind {
                        ExprKind::Call { lib, fun, .. } => {
                            let inline =
                                matches!(fun, Fun::Sqrt | Fun::Fabs | Fun::Floor | Fun::Ceil);
                            calls |= *lib == Lib::C && !inline;
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

/// An innermost loop.
#[derive(Clone, Copy)]
struct Inner<'a> {
    id: LoopId,
    /// A `for`.
    counted: bool,
    body: &'a [Stmt],
}

/// Innermost loops with the loops around them, outermost first.
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

/// Whether a block holds a statement that lanes cannot run together. Jumps and `while`s they can: lanes leave one
/// by one.
fn narrow_only(block: &[Stmt]) -> bool {
    any(block, &mut |s| {
        matches!(
            s.kind,
            StmtKind::Return | StmtKind::Rebind(_) | StmtKind::Check { .. }
        )
    })
}

/// A parallel loop around an innermost one, from the inside outwards, whose iterations can be lanes.
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
        if narrow_only(body) || !sticky_safe(nest, body) {
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
    if let Some(l) = crate::structure::find_for(nest, id) {
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

/// Lanes for a loop: as many bytes as `info.lanes` 8-byte elements, by its widest element.
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

/// The loops to run on threads: the outermost parallel ones, looked for inside serial ones.
pub fn thread_loops(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Vec<ThreadLoop> {
    let mut out = vec![];
    collect_threads(std::slice::from_ref(&nest.top), analysis, info, &mut out);
    out
}

fn collect_threads(
    block: &[Stmt],
    analysis: &Analysis,
    info: &LaunchInfo,
    out: &mut Vec<ThreadLoop>,
) {
    for s in block {
        if let StmtKind::For(l) = &s.kind
            && let Some(t) = thread_loop(l, analysis, info)
        {
            out.push(t);
            continue;
        }
        for b in s.blocks() {
            collect_threads(b, analysis, info, out);
        }
    }
}

fn thread_loop(l: &For, analysis: &Analysis, info: &LaunchInfo) -> Option<ThreadLoop> {
    let found = analysis.loop_info(l.id)?;
    let reductions = match &found.verdict {
        Verdict::Parallel => vec![],
        Verdict::Reduction(r) => r.clone(),
        _ => return None,
    };
    if info.trips(l.id).is_some_and(|t| t < 2.0) {
        return None;
    }
    let mapped = ThreadLoop {
        reductions,
        last_values: found.last_values.clone(),
        private: found.private_arrays.clone(),
        array_reductions: found.array_reductions.clone(),
        ..ThreadLoop::plain(l.id)
    };
    let roomy = |a: ArrayId| info.roomy.get(a.index()).copied().unwrap_or(false);
    (mapped.copied().all(roomy) && worth_copying(analysis, &mapped)).then_some(mapped)
}
