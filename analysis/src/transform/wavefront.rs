//! Wavefront: a band of two loops runs as waves of tiles; the tiles of a wave run in parallel.
//!
//! ```text
//! for i in range(n):                for wave in range(tiles(i) + tiles(j) - 1):
//!     for j in range(m):    =>          parallel for tile in wave:
//!         body                              for i in tile:
//!                                               for j in tile: body
//! ```
//!
//! The band's iterations are cut into tiles of a fixed size. A tile runs in the order of the text; tiles whose numbers
//! in both loops have one sum make up a wave and are independent of each other; waves run one after the other. Where
//! some dependence goes backwards in the inner loop, tiles are cut along `inner + skew * outer` instead of `inner`
//! ([`Given::may_skew`]).
//!
//! Source: Wolfe, Loop skewing: the wavefront method revisited, 1986.

use nestwise_ir::model::nest::{BinOp, Expr, For, Nest, Stmt, StmtKind};
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{LoopId, VarId};

use crate::launch_info::Tile;
use crate::parallelism::legality::Given;
use crate::transform::band::Vector;
use crate::transform::build::{Builder, hidden, like};
use crate::transform::last_values::assign_behind;
use crate::transform::rewritten::{Rewritten, splice_for};

/// The farthest from zero that the inner loop of a skewed band may start: what is computed from it stays in 64 bits.
const NEAR: i128 = 1 << 31;

/// The largest factor by which a loop is skewed.
const MAX_SKEW: i64 = 3;

impl Given<'_> {
    /// Whether a perfect band may run tile by tile, the tiles in the order of the loops.
    ///
    /// Legal iff
    ///   - the band's iterations may be reordered at all ([`Given::may_reorder`]);
    ///   - the band is fully permutable: no component of any direction vector is `>`. So nothing in a tile depends on a
    ///     tile that comes later in any loop.
    pub fn may_tile(&self, band: &[LoopId]) -> bool {
        let kept = |all: Vec<Vector>| all.iter().all(Vector::forward);
        self.may_reorder(band) && self.vectors(band).is_some_and(kept)
    }

    /// The smallest factor `f` by which the second loop of a perfect band of two is to be skewed (its counter `j`
    /// replaced by `j + f * i`) for the band to be tiled.
    ///
    /// Legal iff
    ///   - the band's iterations may be reordered at all ([`Given::may_reorder`]);
    ///   - for every distance vector `(d, e)`, `d >= 0` and `f * d + e >= 0`.
    ///
    /// Then tiles whose numbers in both loops have one sum are independent: what a tile depends on lies before it in
    /// one loop or both, and after it in none, so its sum is smaller. They are a wave (Wolfe, Loop skewing: the
    /// wavefront method revisited, 1986; Irigoin and Triolet, Supernode partitioning, 1988).
    pub fn may_skew(&self, band: [LoopId; 2]) -> Option<i64> {
        if !self.may_reorder(&band) {
            return None;
        }
        let vectors = self.vectors(&band)?;
        (0..=MAX_SKEW).find(|f| vectors.iter().all(|v| v.forward_skewed(*f)))
    }
}

/// A nest with two loops as a wavefront.
pub struct Waved {
    /// The nest.
    pub made: Rewritten,
    /// The loop over the tiles of a wave.
    pub tiles: ThreadLoop,
}

/// The nest with a perfect band of two loops run as waves of tiles, if that is legal.
pub fn wavefront(given: &Given<'_>, band: [LoopId; 2], tile: Tile) -> Option<Waved> {
    let [outer, inner] = band.map(|id| crate::structure::find_for(given.nest, id));
    let (outer, inner) = (outer?, inner?);
    let steps = (outer.step.as_int()?, inner.step.as_int()?);
    if band[0] == LoopId(0) || steps.0.abs() != 1 || steps.1.abs() != 1 {
        return None;
    }
    let skew = given.may_skew(band)?;
    let near = inner.start.as_int().is_some_and(|v| v.abs() < NEAR);
    if skew != 0 && !(steps == (1, 1) && near) {
        return None;
    }
    let mut nest = given.nest.clone();
    let both = given.runs(band[0]) && given.runs(band[1]);
    let waves = Waves {
        wave: (like(&mut nest, band[0])?, hidden(&mut nest)),
        tile: (like(&mut nest, band[0])?, hidden(&mut nest)),
        count: [(); 3].map(|()| hidden(&mut nest)),
        size: tile,
        skew: skew.into(),
    };
    let (around, body) = (given.info(band[0])?, given.info(band[1])?);
    // A skewed band has tiles, and a tile rows, in which there is nothing: what they assign may be unassigned after.
    let known = given.analysis.options.nonempty;
    let full = skew == 0 && both;
    let mut nonempty = known;
    if !full {
        band.iter().for_each(|id| nonempty.remove(*id));
    }
    let (mut last_values, mut behind) = (body.last_values.clone(), vec![]);
    if !full && !last_values.is_empty() {
        let run = both.then_some((outer, inner))?;
        behind = assign_behind(&mut nest, run, &last_values)?;
        last_values.clear();
    }
    let place = std::slice::from_mut(&mut nest.top);
    splice_for(place, band[0], &mut |s| {
        let all = waves.of(s).into_iter();
        all.chain(std::mem::take(&mut behind)).collect()
    });
    let reduced = body
        .reductions
        .iter()
        .filter(|r| around.reductions.contains(r));
    let reductions = reduced.copied().collect();
    let made = Rewritten::of(
        "wavefront",
        nest,
        nonempty,
        &[(band[0], both), (band[0], both)],
    );
    let tiles = ThreadLoop {
        reductions,
        last_values,
        ..ThreadLoop::plain(loop_of(&made.nest, waves.tile.1)?)
    };
    Some(Waved { made, tiles })
}

fn loop_of(nest: &Nest, counter: VarId) -> Option<LoopId> {
    let mut found = None;
    nest.walk(&mut |s| match &s.kind {
        StmtKind::For(l) if l.counter == counter => found = Some(l.id),
        _ => {}
    });
    found
}

/// The loops of a wavefront, each with its counter.
struct Waves {
    wave: (LoopId, VarId),
    /// The loop over the tiles of a wave, whose counter is the tile's number in the outer loop.
    tile: (LoopId, VarId),
    /// The variables with the numbers of tiles in the outer and the inner loop, and of waves.
    count: [VarId; 3],
    size: Tile,
    skew: i128,
}

impl Waves {
    /// The number of iterations of a loop in a tile.
    fn size(&self, of: usize) -> i128 {
        1 << self.size[of]
    }

    /// Rewrites a band of two loops as a wavefront:
    ///
    /// ```text
    /// for wave in 0 .. tiles(outer) + tiles(inner) - 1:
    ///     for tile in max(0, wave - tiles(inner) + 1) .. min(tiles(outer), wave + 1):
    ///         for i in the outer loop's part of `tile`:
    ///             for j in the inner loop's part of `wave - tile`:
    ///                 body
    /// ```
    fn of(&self, mut s: Stmt) -> Vec<Stmt> {
        let b = Builder { span: s.span };
        let StmtKind::For(outer) = &mut s.kind else {
            return vec![s];
        };
        let Some(Stmt {
            kind: StmtKind::For(inner),
            ..
        }) = outer.body.first_mut()
        else {
            return vec![s];
        };
        let counts = self.counts(b, [&outer.start, &outer.stop, &outer.step], inner);
        let (wave, tile) = (b.wide_var(self.wave.1), b.wide_var(self.tile.1));
        self.cut_inner(
            b,
            (outer.counter, &outer.start),
            inner,
            b.sub(wave, tile.clone()),
        );
        let step = outer.step.as_int().unwrap_or(1);
        let first = b.add(b.wide(&outer.start), b.times(tile, step * self.size(0)));
        outer.stop = b.narrow(until(b, &first, step * self.size(0), &outer.stop));
        outer.start = b.narrow(first);
        let tiles = self.repeat(b, self.tile, self.tiles_of_wave(b), s);
        let zero = b.narrow(b.number(0));
        let waves = self.repeat(b, self.wave, (zero, b.var(self.count[2])), tiles);
        counts.into_iter().chain([waves]).collect()
    }

    fn repeat(&self, b: Builder, id: (LoopId, VarId), ends: (Expr, Expr), s: Stmt) -> Stmt {
        b.repeat(For {
            id: id.0,
            counter: id.1,
            start: ends.0,
            stop: ends.1,
            step: Expr::int(1, b.span),
            body: vec![s],
        })
    }

    /// The assignments of the numbers of tiles in both loops, and of waves; zero or less where a loop is empty.
    fn counts(&self, b: Builder, outer: [&Expr; 3], inner: &For) -> [Stmt; 3] {
        let rows = length(b, outer);
        let mut columns = length(b, [&inner.start, &inner.stop, &inner.step]);
        if self.skew != 0 {
            columns = b.add(columns, b.times(rows.clone(), self.skew));
        }
        let [a, c] = [(rows, 0), (columns, 1)].map(|(n, k)| {
            let up = b.add(n, b.number(self.size(k) - 1));
            b.narrow(b.op(BinOp::Shr, up, b.number(self.size.map(i128::from)[k])))
        });
        let sum = b.add(b.wide_var(self.count[0]), b.wide_var(self.count[1]));
        let waves = b.narrow(b.sub(sum, b.number(1)));
        [
            b.set(self.count[0], a),
            b.set(self.count[1], c),
            b.set(self.count[2], waves),
        ]
    }

    /// The range of the tiles of a wave, by their number in the outer loop: the first, and the end.
    fn tiles_of_wave(&self, b: Builder) -> (Expr, Expr) {
        let wave = || b.add(b.wide_var(self.wave.1), b.number(1));
        let left = b.sub(wave(), b.wide_var(self.count[1]));
        let first = b.op(BinOp::Max, b.number(0), left);
        let behind = b.op(BinOp::Min, b.wide_var(self.count[0]), wave());
        (b.narrow(first), b.narrow(behind))
    }

    /// Restricts the inner loop to the part that belongs to tile number `column`.
    fn cut_inner(&self, b: Builder, (row, start): (VarId, &Expr), inner: &mut For, column: Expr) {
        let step = inner.step.as_int().unwrap_or(1);
        let size = step * self.size(1);
        let mut first = b.add(b.wide(&inner.start), b.times(column, size));
        if self.skew != 0 {
            let above = b.sub(b.wide_var(row), b.wide(start));
            first = b.sub(first, b.times(above, self.skew));
        }
        inner.stop = b.narrow(until(b, &first, size, &inner.stop));
        if self.skew != 0 {
            first = b.op(BinOp::Max, first, b.wide(&inner.start));
        }
        inner.start = b.narrow(first);
    }
}

/// The number of iterations of a loop of step 1 or -1; negative if `stop` lies before `start`.
fn length(b: Builder, [start, stop, step]: [&Expr; 3]) -> Expr {
    match step.as_int() {
        Some(1) => b.sub(b.wide(stop), b.wide(start)),
        _ => b.sub(b.wide(start), b.wide(stop)),
    }
}

/// The end of a range of `size` counters from `first`, but not beyond `stop`.
fn until(b: Builder, first: &Expr, size: i128, stop: &Expr) -> Expr {
    let end = b.add(first.clone(), b.number(size));
    let nearer = if size > 0 { BinOp::Min } else { BinOp::Max };
    b.op(nearer, end, b.wide(stop))
}
