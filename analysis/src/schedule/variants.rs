//! Rewritings of a nest: forms that have legal schedules which the nest as written does not have.

use std::borrow::Cow;
use std::cell::OnceCell;

use nestwise_ir::model::nest::{ExprKind, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{Fun, LoopId};

use crate::launch_info::{LaunchInfo, Tile};
use crate::parallelism::legality::Given;
use crate::parallelism::verdict::{Analysis, LoopInfo, Verdict, Why, analyse_with};
use crate::schedule::candidate::Rewrite;
use crate::schedule::threads::thread_loops;
use crate::structure::{find_for, perfect_band};
use crate::transform::{
    Rewritten, Waved, distribute, interchange, keep_best_value, sink_statements, sink_top_loop,
    substitute_induction, wavefront,
};
use crate::values::strides::strides;

/// The most loops of a band whose order is changed.
const MAX_BAND: usize = 4;
/// The trip count below which a loop is not cut into tiles.
const MIN_TILED: f64 = 64.0;

/// A form of the nest from which others are made.
pub(crate) struct Form<'a> {
    pub(crate) nest: Cow<'a, Nest>,
    pub(crate) analysis: Cow<'a, Analysis>,
    pub(crate) info: LaunchInfo,
    /// By loop: the loop of the nest as written that it comes from.
    pub(crate) origin: Vec<LoopId>,
}

impl<'a> Form<'a> {
    pub(crate) fn plain(nest: &'a Nest, analysis: &'a Analysis, info: &LaunchInfo) -> Form<'a> {
        Form {
            nest: Cow::Borrowed(nest),
            analysis: Cow::Borrowed(analysis),
            info: info.clone(),
            origin: nest.loops.ids().collect(),
        }
    }

    pub(crate) fn given(&self) -> Given<'_> {
        Given {
            nest: &self.nest,
            analysis: &self.analysis,
            disjoint: self.info.assumed.disjoint(),
            undo: self.info.undo,
        }
    }

    /// The form that a rewriting of this one makes.
    pub(crate) fn then(&self, made: Rewritten) -> Form<'static> {
        let info = self.info.of(&made);
        Form {
            analysis: Cow::Owned(analyse_with(&made.nest, info.assumed.clone())),
            origin: self.back(&made.origin),
            nest: Cow::Owned(made.nest),
            info,
        }
    }

    fn back(&self, origin: &[LoopId]) -> Vec<LoopId> {
        let old = |id: &LoopId| self.origin.get(id.index()).copied().unwrap_or(*id);
        origin.iter().map(old).collect()
    }

    /// A rewriting of this form, described as a rewriting of the nest as written.
    fn made(&self, made: Rewritten) -> Rewritten {
        Rewritten {
            origin: self.back(&made.origin),
            ..made
        }
    }

    /// This form, described as a rewriting of the nest as written.
    fn into_made(self) -> Rewritten {
        Rewritten {
            nonempty: self.info.assumed.nonempty,
            nest: self.nest.into_owned(),
            origin: self.origin,
        }
    }

    /// The form with the statements between loops moved inwards, if that makes bands.
    fn sunk(&self) -> Option<Form<'static>> {
        let nest = sink_statements(&self.given())?;
        Some(self.then(Rewritten {
            origin: nest.loops.ids().collect(),
            nonempty: self.info.assumed.nonempty,
            nest,
        }))
    }

    /// The form with the top loop as a loop inside another one.
    pub(crate) fn opened(&self) -> Option<Form<'static>> {
        sink_top_loop(&self.nest, &self.analysis).map(|made| self.then(made))
    }

    /// Whether a loop has induction variables that can be substituted, or a best value that can be kept.
    fn has_induction(&self, id: LoopId) -> bool {
        let given = self.given();
        let l = find_for(&self.nest, id);
        l.is_some_and(|l| {
            given.may_substitute_induction(l).is_some() || !given.may_keep_best_value(l).is_empty()
        })
    }

    pub(crate) fn threads(&self) -> Vec<ThreadLoop> {
        thread_loops(&self.nest, &self.analysis, &self.info)
    }

    /// The loops to run on threads, by their numbers in the nest as written.
    fn on_threads(&self) -> Vec<ThreadLoop> {
        let was = |t: ThreadLoop| ThreadLoop {
            id: self.origin[t.id.index()],
            ..t
        };
        self.threads().into_iter().map(was).collect()
    }

    /// The perfect bands of two or more loops, each from its outermost loop; the top loop is in none.
    fn bands(&self) -> Vec<Vec<LoopId>> {
        let mut out: Vec<Vec<LoopId>> = vec![];
        self.nest.walk(&mut |s| {
            if let StmtKind::For(l) = &s.kind
                && l.id != LoopId(0)
                && !out.iter().any(|b| b.contains(&l.id))
            {
                let band = perfect_band(l);
                if (2..=MAX_BAND).contains(&band.len()) {
                    out.push(band);
                }
            }
        });
        out
    }

    /// The nest with a loop of a band made its innermost, the others in their order if that is legal, or else in any
    /// order that is.
    fn innermost(&self, band: &[LoopId], at: usize) -> Option<Rewritten> {
        let given = self.given();
        let inner = &band[at..];
        let rotated: Vec<usize> = (1..inner.len()).chain([0]).collect();
        interchange(&given, inner, &rotated).or_else(|| {
            let others: Vec<usize> = (0..band.len()).filter(|k| *k != at).collect();
            let orders = permutations(&others).into_iter().skip(1);
            let mut made = orders.map(|o| interchange(&given, band, &[o, vec![at]].concat()));
            made.find_map(|m| m)
        })
    }

    /// Adds the forms in which a loop of the band, along which accesses walk through memory, becomes its innermost.
    fn interchanged(&self, band: &[LoopId], out: &mut Vec<(Rewrite, Rewritten)>) {
        for (at, id) in band.iter().enumerate() {
            if !self.info.eager && !strides(&self.analysis, &self.info, *id).smooth() {
                continue;
            }
            if let Some(made) = self.innermost(band, at) {
                let old = self.origin.get(id.index()).copied().unwrap_or(*id);
                out.push((Rewrite::Interchange(old), self.made(made)));
            }
        }
    }

    /// The first two loops of a band that can run as a wavefront, and the nest with them.
    fn wavefront(&self, band: &[LoopId]) -> Option<([LoopId; 2], Waved)> {
        let long =
            |id: &LoopId| self.info.eager || self.info.trips(*id).is_none_or(|t| t >= MIN_TILED);
        band.windows(2).find_map(|pair| {
            let pair = [pair[0], pair[1]];
            let worth = pair.iter().all(long);
            let made = worth.then(|| wavefront(&self.given(), pair, self.info.tile));
            Some((pair, made.flatten()?))
        })
    }

    /// Whether accesses walk through memory along some loop that has others inside.
    fn walks(&self, which: impl Fn(LoopId) -> bool) -> bool {
        let outer = |id: &LoopId| self.nest.loops.values().any(|l| l.parent == Some(*id));
        let mut all = self.nest.loops.ids().filter(|id| which(*id) && outer(id));
        all.any(|id| self.info.eager || strides(&self.analysis, &self.info, id).smooth())
    }
}

/// The forms of a nest that rewritings start from, each made on demand.
pub(crate) struct Forms<'a> {
    pub(crate) plain: Form<'a>,
    sunk: OnceCell<Option<Form<'static>>>,
    opened: OnceCell<Option<Form<'static>>>,
    opened_sunk: OnceCell<Option<Form<'static>>>,
}

impl<'a> Forms<'a> {
    pub(crate) fn of(plain: Form<'a>) -> Forms<'a> {
        Forms {
            plain,
            sunk: OnceCell::new(),
            opened: OnceCell::new(),
            opened_sunk: OnceCell::new(),
        }
    }

    fn sunk(&self) -> Option<&Form<'static>> {
        self.sunk.get_or_init(|| self.plain.sunk()).as_ref()
    }

    fn opened(&self) -> Option<&Form<'static>> {
        self.opened.get_or_init(|| self.plain.opened()).as_ref()
    }

    /// The form in which the top loop is part of most bands.
    fn flat(&self) -> Option<&Form<'static>> {
        let opened = self.opened()?;
        let sunk = self.opened_sunk.get_or_init(|| opened.sunk());
        Some(sunk.as_ref().unwrap_or(opened))
    }

    /// The nest with induction variables computed from loop counters, and the best value kept beside its position.
    pub(crate) fn substituted(&self) -> Option<Rewritten> {
        // Not sums of floats, whose order counts, nor what ends a loop.
        let passes = |l: &LoopInfo| {
            let ends = matches!(l.verdict, Verdict::Serial(Why::While | Why::Exit(..)));
            !l.carried.is_empty() && l.float_sums.is_empty() && !ends
        };
        if !self.plain.analysis.loops.iter().any(passes) {
            return None;
        }
        let top = self.plain.analysis.loop_info(LoopId(0));
        let opened = self.opened().filter(|_| top.is_some_and(passes));
        let form = opened
            .filter(|o| o.has_induction(LoopId(1)))
            .unwrap_or(&self.plain);
        let kept = keep_best_value(&form.given()).map(|made| form.then(made));
        let form = kept.as_ref().unwrap_or(form);
        match substitute_induction(&form.given()) {
            Some(made) => Some(form.made(made)),
            None => kept.map(Form::into_made),
        }
    }

    /// The nests in which a loop of a band, along which accesses walk through memory, becomes its innermost.
    pub(crate) fn interchanged(&self) -> Vec<(Rewrite, Rewritten)> {
        let mut out = vec![];
        if self.plain.walks(|id| id != LoopId(0)) {
            let plain = self.plain.bands();
            plain
                .iter()
                .for_each(|b| self.plain.interchanged(b, &mut out));
            if let Some(sunk) = self.sunk() {
                let new = sunk.bands().into_iter().filter(|b| !plain.contains(b));
                new.for_each(|b| sunk.interchanged(&b, &mut out));
            }
        }
        if self.plain.walks(|id| id == LoopId(0))
            && let Some(flat) = self.flat()
        {
            // Bands without the former top loop have been looked at.
            let bands = flat.bands().into_iter().filter(|b| b[0] == LoopId(1));
            let made = bands.filter_map(|b| flat.innermost(&b, 0));
            out.extend(made.map(|made| (Rewrite::Interchange(LoopId(0)), flat.made(made))));
        }
        out
    }

    /// The nest with two loops as a wavefront, if no loop runs on threads as it is.
    pub(crate) fn wavefront(&self) -> Option<(Waves, Waved)> {
        let idle = self.plain.info.eager || self.plain.threads().is_empty();
        if self.plain.nest.loops.len() < 2 || !idle {
            return None;
        }
        type Maker<'f> = &'f dyn Fn() -> Option<&'f Form<'f>>;
        let forms: [Maker<'_>; 3] = [&|| Some(&self.plain), &|| self.sunk(), &|| self.flat()];
        forms.into_iter().find_map(|form| {
            let form = form()?;
            let bands = form.bands();
            let (pair, made) = bands.iter().find_map(|band| form.wavefront(band))?;
            let [outer, inner] = pair.map(|id| form.origin[id.index()]);
            let tile = form.info.tile;
            let made = Waved {
                made: form.made(made.made),
                ..made
            };
            Some((Waves { outer, inner, tile }, made))
        })
    }

    /// The nest with loops distributed, some of the resulting loops for threads or vectors, if nothing runs on threads
    /// as it is, or only loops inside the top loop.
    pub(crate) fn distributed(&self) -> Option<Rewritten> {
        let eager = self.plain.info.eager;
        let threads = self.plain.threads();
        if !eager && threads.iter().any(|t| t.id == LoopId(0)) {
            return None;
        }
        let expensive = |body: &[&Stmt]| eager || body.iter().any(|s| is_expensive(s));
        if let Some(opened) = self.opened()
            && let Some(made) = distribute(&opened.given(), &expensive)
        {
            return Some(opened.made(made));
        }
        let inner = eager || threads.is_empty();
        inner
            .then(|| distribute(&self.plain.given(), &expensive))
            .flatten()
    }
}

/// Whether a statement is worth a loop of its own on threads: it contains a loop, or a function that is computed by a
/// call. A processor computes cheaper ones while it waits for the results that a recurrence passes on.
fn is_expensive(s: &Stmt) -> bool {
    let mut expensive = false;
    s.walk(&mut |s| {
        expensive |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_));
        for e in s.exprs() {
            e.walk(&mut |e| {
                let inline = [Fun::Sqrt, Fun::Fabs, Fun::Floor, Fun::Ceil];
                expensive |= matches!(&e.kind, ExprKind::Call { fun, .. } if !inline.contains(fun));
            });
        }
    });
    expensive
}

/// Two loops that can run as a wavefront of tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waves {
    /// The outer loop.
    pub outer: LoopId,
    /// The inner loop.
    pub inner: LoopId,
    /// The size of the tiles.
    pub tile: Tile,
}

impl Waves {
    /// The number of waves each time the loops run, and the mean number of tiles in a wave.
    pub fn count(&self, trips: &dyn Fn(LoopId) -> f64) -> (f64, f64) {
        let tiles = |id, size: u32| (trips(id) / f64::from(1 << size)).ceil().max(1.0);
        let rows = tiles(self.outer, self.tile[0]);
        let columns = tiles(self.inner, self.tile[1]);
        let waves = rows + columns - 1.0;
        (waves, rows * columns / waves)
    }
}

/// What can be made of a nest whose loops as written cannot run on threads.
#[derive(Default)]
pub(crate) struct Beyond {
    /// The loops that can run on threads after a rewriting, by their numbers in the nest as written.
    pub(crate) threads: Vec<ThreadLoop>,
    /// The loops to run as a wavefront, if no rewriting makes loops for threads.
    pub(crate) waves: Option<Waves>,
    /// Whether some loop runs as vectors after a rewriting.
    pub(crate) vectors: bool,
}

/// What can be made of a nest whose top loop cannot run on threads as it stands.
pub(crate) fn beyond(nest: &Nest, analysis: &Analysis, info: &LaunchInfo) -> Beyond {
    let forms = Forms::of(Form::plain(nest, analysis, info));
    let mut out = Beyond::default();
    let already: Vec<LoopId> = forms.plain.threads().iter().map(|t| t.id).collect();
    let more = |all: &[ThreadLoop]| all.iter().any(|t| !already.contains(&t.id));
    for made in [forms.substituted(), forms.split()].into_iter().flatten() {
        let form = forms.plain.then(made);
        out.vectors |= form.is_vectorised();
        let threads = form.on_threads();
        if more(&threads) {
            out.threads = threads;
            return out;
        }
    }
    if let Some((waves, _)) = forms.wavefront() {
        out.waves = Some(waves);
    } else if let Some(made) = forms.distributed() {
        out.threads = forms.plain.then(made).on_threads();
    }
    out
}

/// The loops that run in any order once their induction variables are substituted.
pub(crate) fn parallel_by_substitution(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
) -> Vec<LoopId> {
    let plain = Form::plain(nest, analysis, info);
    let forms = Forms::of(plain);
    let Some(form) = forms.substituted().map(|made| forms.plain.then(made)) else {
        return vec![];
    };
    let free = |id: &LoopId| !matches!(form.analysis.verdict(*id), Some(Verdict::Serial(_)));
    let all = form.nest.loops.ids().filter(free);
    all.map(|id| form.origin[id.index()]).collect()
}

/// All permutations of some numbers, the given order first.
fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![vec![]];
    }
    let mut out = vec![];
    for (k, first) in of.iter().enumerate() {
        let rest = [&of[..k], &of[k + 1..]].concat();
        out.extend(
            permutations(&rest)
                .into_iter()
                .map(|p| [vec![*first], p].concat()),
        );
    }
    out
}
