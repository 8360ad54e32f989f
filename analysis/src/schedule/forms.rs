//! The forms of a nest that may be worth more than the one it was written in.

use super::{LaunchInfo, Rewrite, thread_loops};
use crate::legality::{Given, perfect_band};
use crate::strides::strides;
use crate::transform::{Rewritten, TILE, distribute, interchange, open, sink, wavefront};
use crate::verdict::{Analysis, analyse_with};
use nestwise_ir::nest::{Nest, StmtKind};
use nestwise_ir::{LoopId, schedule::ThreadLoop};
use std::borrow::Cow;

/// Loops of a band whose order is looked at.
const MAX_BAND: usize = 4;
/// Trips below which a loop is not cut into tiles.
const MIN_TILED: f64 = 64.0;

/// A form of the nest from which others are made.
pub(super) struct Form<'a> {
    nest: Cow<'a, Nest>,
    analysis: Cow<'a, Analysis>,
    info: LaunchInfo,
    /// By loop: the loop of the nest as written.
    origin: Vec<LoopId>,
}

impl<'a> Form<'a> {
    pub(super) fn plain(nest: &'a Nest, analysis: &'a Analysis, info: &LaunchInfo) -> Form<'a> {
        Form {
            nest: Cow::Borrowed(nest),
            analysis: Cow::Borrowed(analysis),
            info: info.clone(),
            origin: nest.loops.ids().collect(),
        }
    }

    pub(super) fn given(&self) -> Given<'_> {
        Given {
            nest: &self.nest,
            analysis: &self.analysis,
            disjoint: self.info.assumed.disjoint(),
            undo: self.info.undo,
        }
    }

    /// The form that a rewriting of this one is.
    fn then(&self, made: Rewritten) -> Form<'static> {
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

    /// A rewriting of this form as one of the nest as written.
    fn made(&self, made: Rewritten) -> Rewritten {
        Rewritten {
            origin: self.back(&made.origin),
            ..made
        }
    }

    /// With the statements between loops moved inwards, where that makes bands.
    fn sunk(&self) -> Option<Form<'static>> {
        let nest = sink(&self.given())?;
        Some(self.then(Rewritten {
            origin: nest.loops.ids().collect(),
            nonempty: self.info.assumed.nonempty,
            nest,
        }))
    }

    /// With the top loop as a loop inside another.
    fn opened(&self) -> Option<Form<'static>> {
        open(&self.nest, &self.analysis).map(|made| self.then(made))
    }

    fn threads(&self) -> Vec<ThreadLoop> {
        thread_loops(&self.nest, &self.analysis, &self.info)
    }

    /// Perfect bands of two or more loops, each from its outermost loop; the top loop stays where it is.
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

    /// A loop of a band made its innermost, the others in their order if that is legal, or else in any that is.
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

    /// Where a loop of a band, along which accesses walk through memory, becomes its innermost.
    fn interchanged(&self, band: &[LoopId], out: &mut Vec<(Rewrite, Rewritten)>) {
        for (at, id) in band.iter().enumerate() {
            if !strides(&self.analysis, &self.info, *id).smooth() {
                continue;
            }
            if let Some(made) = self.innermost(band, at) {
                let old = self.origin.get(id.index()).copied().unwrap_or(*id);
                out.push((Rewrite::Interchanged(old), self.made(made)));
            }
        }
    }

    /// The first two loops of a band that run as waves, if nothing at or around them runs on threads anyway.
    fn wavefront(&self, band: &[LoopId]) -> Option<([LoopId; 2], Rewritten)> {
        let threads = self.threads();
        let long = |id: &LoopId| self.info.trips(*id).is_none_or(|t| t >= MIN_TILED);
        band.windows(2).find_map(|pair| {
            let pair = [pair[0], pair[1]];
            let free = threads.iter().all(|t| !self.encloses(t.id, pair[1]));
            let worth = free && pair.iter().all(long);
            let made = worth.then(|| wavefront(&self.given(), pair)).flatten()?;
            Some((pair, made))
        })
    }

    /// Whether a loop is another one, or stands around it.
    fn encloses(&self, outer: LoopId, inner: LoopId) -> bool {
        let mut at = Some(inner);
        while let Some(id) = at.filter(|id| *id != outer) {
            at = self.nest.loops.get(id).and_then(|l| l.parent);
        }
        at.is_some()
    }
}

/// A nest's forms to start from.
struct Forms<'a> {
    plain: Form<'a>,
    sunk: Option<Form<'static>>,
    opened: Option<Form<'static>>,
    opened_sunk: Option<Form<'static>>,
}

impl<'a> Forms<'a> {
    fn of(plain: Form<'a>) -> Forms<'a> {
        let opened = plain.opened();
        Forms {
            sunk: plain.sunk(),
            opened_sunk: opened.as_ref().and_then(Form::sunk),
            opened,
            plain,
        }
    }

    /// The form in which the top loop is part of most bands.
    fn flat(&self) -> Option<&Form<'static>> {
        self.opened_sunk.as_ref().or(self.opened.as_ref())
    }

    fn interchanged(&self, out: &mut Vec<(Rewrite, Rewritten)>) {
        let plain = self.plain.bands();
        plain.iter().for_each(|b| self.plain.interchanged(b, out));
        if let Some(sunk) = &self.sunk {
            let new = sunk.bands().into_iter().filter(|b| !plain.contains(b));
            new.for_each(|b| sunk.interchanged(&b, out));
        }
        let Some(flat) = self.flat() else { return };
        // Bands without the former top loop have been looked at.
        for band in flat.bands().iter().filter(|b| b[0] == LoopId(1)) {
            if strides(&flat.analysis, &flat.info, band[0]).smooth()
                && let Some(made) = flat.innermost(band, 0)
            {
                out.push((Rewrite::Interchanged(LoopId(0)), flat.made(made)));
            }
        }
    }

    fn wavefront(&self) -> Option<(Waves, Rewritten)> {
        let forms = [Some(&self.plain), self.sunk.as_ref(), self.flat()];
        forms.into_iter().flatten().find_map(|form| {
            let bands = form.bands();
            let (pair, made) = bands.iter().find_map(|band| form.wavefront(band))?;
            let [outer, inner] = pair.map(|id| form.origin[id.index()]);
            Some((Waves { outer, inner }, form.made(made)))
        })
    }

    /// Where nothing runs on threads as it is.
    fn distributed(&self) -> Option<Rewritten> {
        if !self.plain.threads().is_empty() {
            return None;
        }
        let forms = [self.opened.as_ref(), Some(&self.plain)];
        forms.into_iter().flatten().find_map(|form| {
            let made = form.made(distribute(&form.given())?);
            Some(made)
        })
    }
}

/// All rewritings that may gain something.
pub(super) fn all(plain: Form<'_>) -> Vec<(Rewrite, Rewritten)> {
    let forms = Forms::of(plain);
    let mut out = vec![];
    forms.interchanged(&mut out);
    out.extend(
        forms
            .wavefront()
            .map(|(_, made)| (Rewrite::Wavefront, made)),
    );
    out.extend(forms.distributed().map(|made| (Rewrite::Distributed, made)));
    out
}

/// Two loops that can run as waves of tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waves {
    /// The outer one.
    pub outer: LoopId,
    /// The inner one.
    pub inner: LoopId,
}

impl Waves {
    /// How many waves there are each time the loops are run, and how many tiles one has on average.
    pub fn count(&self, trips: &dyn Fn(LoopId) -> f64) -> (f64, f64) {
        let tiles = |id, size: i64| (trips(id) / size as f64).ceil().max(1.0);
        let (rows, columns) = (tiles(self.outer, TILE[0]), tiles(self.inner, TILE[1]));
        let waves = rows + columns - 1.0;
        (waves, rows * columns / waves)
    }
}

/// What a nest whose loops as written cannot run on threads can be made to do on them: the loops that then can, by the
/// loops they were, or the loops to run as waves.
pub(crate) fn beyond(
    nest: &Nest,
    analysis: &Analysis,
    info: &LaunchInfo,
) -> (Vec<LoopId>, Option<Waves>) {
    let forms = Forms::of(Form::plain(nest, analysis, info));
    if let Some((waves, _)) = forms.wavefront() {
        return (vec![], Some(waves));
    }
    let Some(made) = forms.distributed() else {
        return (vec![], None);
    };
    let form = forms.plain.then(made);
    let threads = form.threads();
    (
        threads.iter().map(|t| form.origin[t.id.index()]).collect(),
        None,
    )
}

/// All orders of some numbers, the given one first.
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
