//! Register tiles: a thread of a device that has several iterations of an axis runs some of them interleaved, statement
//! by statement ([`crate::lower::vector::unroll_and_jam`]), so that what they share is loaded once for all and stays in
//! registers.
//!
//! The axes are the innermost two at most of which iterations share what a loop inside them loads: both of a matrix
//! product, that of the bodies in an n-body sum. A load of one lane costs a card as much as several operations, and its
//! own caches hold what a block's threads share; what limits such kernels is how many loads there are, and a tile of 8
//! by 4 needs a fifth of them (Volkov, "Better performance at lower occupancy", 2010). Loops inside are unrolled, for
//! loads of several of their iterations to be under way at once, where nothing in them is a branch to ptxas (divisions
//! and roots are). Legal iff the axes are parallel, and copies run the same statements with loops inside equally often
//! ([`nestwise_analysis::dataflow::unroll_and_jam::varying`]). How many iterations a thread has is the launch's choice:
//! those that fill no tile run one by one.

use std::rc::Rc;

use nestwise_ir::{For, StmtKind, VarId};

use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::{axes, tile};
use crate::lower::value::Val;
use crate::lower::vector::jam::UnrollAndJam;
use crate::lower::vector::unroll_and_jam;

/// The number of iterations of a loop inside a tile that follow each other without a branch.
const UNROLLED: i64 = 4;

/// The number of iterations of an axis that run interleaved, if they do.
pub(crate) fn tile_of(em: &Emitter<'_, '_>, l: &For) -> Option<u32> {
    let tile = em.gpu.axes.as_ref().and_then(|a| a.tile.as_ref());
    tile.and_then(|t| t.count(l.id))
}

/// The number of iterations of a loop inside a tile that are to follow each other without a branch, if several.
pub(crate) fn unrolled_in_tile(em: &Emitter<'_, '_>, l: &For) -> Option<i64> {
    let tiled = em.lanes.jam.is_some() && em.gpu.axes.as_ref().is_some_and(|a| a.tile.is_some());
    (tiled && tile::is_light(&l.body)).then_some(UNROLLED)
}

/// Runs this thread's iterations from `first` on in tiles of `count`, as long as there are enough; returns the next
/// one.
pub(crate) fn strided_tiles(
    em: &mut Emitter<'_, '_>,
    l: &For,
    count: u32,
    range: Range,
    axis: usize,
    (first, stride): (V, V),
) -> Result<V> {
    let ir = em.ir;
    let copies = ir.const_i64(count.into());
    let ahead = ir.mul(stride, ir.const_i64(i64::from(count) - 1), Wrap::Signed);
    // The last iteration with which a tile may begin is before this one.
    let end = ir.sub(range.hi, ahead, Wrap::Signed);
    let (tile, rest) = (em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, first, end), tile, rest);
    ir.at(tile);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, first, before);
    let value = |copy: u32| {
        let distance = ir.mul(stride, ir.const_i64(copy.into()), Wrap::Signed);
        em.ir
            .affine(range.start, ir.add(k, distance, Wrap::Signed), range.step)
    };
    let values: Vec<V> = (0..count).map(value).collect();
    let around = open_tile(em, l, values)?;
    let (last, highest) = (
        ir.add(k, ahead, Wrap::Signed),
        ir.sub(range.hi, ir.const_i64(1), Wrap::Signed),
    );
    axes::note_last(em, axis, ir.icmp(IntPred::LLVMIntEQ, last, highest));
    em.block(&l.body)?;
    close_tile(em, l, around)?;
    axes::after_iteration(em, axis)?;
    let next = ir.add(k, ir.mul(stride, copies, Wrap::Signed), Wrap::Signed);
    let latch = ir.here();
    ir.add_incoming(k, next, latch);
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, next, end), tile, rest);
    ir.at(rest);
    let k = ir.phi(ir.i64());
    ir.add_incoming(k, first, before);
    ir.add_incoming(k, next, latch);
    Ok(k)
}

/// Begins copies of an axis's body for some values of its counter, each for every copy of the axis around it; returns
/// the copies of that axis. Copy `c` goes with that axis's copy `c % n`, where it has `n`.
fn open_tile(
    em: &mut Emitter<'_, '_>,
    l: &For,
    values: Vec<V>,
) -> Result<Option<Rc<UnrollAndJam>>> {
    let around = em.lanes.jam.take();
    let (n, mut counters) = match &around {
        Some(jam) => (jam.count, jam.counters.clone()),
        None => (1, Vec::new()),
    };
    let count = n * values.len() as u32;
    for (_, outer) in &mut counters {
        *outer = (0..count).map(|c| outer[(c % n) as usize]).collect();
    }
    let own = (0..count).map(|c| values[(c / n) as usize]).collect();
    counters.push((l.counter, own));
    let tile = em.gpu.axes.as_ref().and_then(|a| a.tile.as_ref());
    let varying = tile.map(|t| t.varying.clone()).unwrap_or_default();
    let jam = Rc::new(UnrollAndJam::plain(count, varying, counters));
    em.lanes.jam = Some(jam.clone());
    // What stands before this loop was assigned for the copies around it alone.
    for v in before_axis(em, l)
        .into_iter()
        .filter(|v| jam.varying.contains(v))
    {
        for copy in n..count {
            unroll_and_jam::copy_home(em, v, copy % n, copy)?;
        }
    }
    unroll_and_jam::enter_copy(em, &jam, 0);
    Ok(around)
}

/// Ends the copies that [`open_tile`] began: what outlives the kernel is the last copy's.
fn close_tile(em: &mut Emitter<'_, '_>, l: &For, around: Option<Rc<UnrollAndJam>>) -> Result<()> {
    let Some(jam) = em.lanes.jam.clone() else {
        return Ok(());
    };
    let last = around.as_ref().map_or(0, |jam| jam.count - 1);
    for v in results(em) {
        if let Some((_, values)) = jam.counters.iter().find(|c| c.0 == v) {
            em.lanes.copy = last;
            let home = em.vars.home(&em.lanes, v, false)?;
            values
                .last()
                .into_iter()
                .for_each(|v| home.store(em.ir, Val::one(*v)));
        } else if jam.varying.contains(&v) {
            unroll_and_jam::copy_home(em, v, jam.count - 1, last)?;
        }
    }
    em.lanes.copy = 0;
    em.vars.fixed.remove(&l.counter);
    em.lanes.jam = around;
    if let Some(jam) = em.lanes.jam.clone() {
        unroll_and_jam::enter_copy(em, &jam, 0);
    }
    Ok(())
}

/// The variables assigned between an axis and the one around it.
fn before_axis(em: &Emitter<'_, '_>, l: &For) -> Vec<VarId> {
    let ids = em.gpu.axes.as_ref().map_or(&[][..], |a| a.loops.as_slice());
    let outer = ids
        .iter()
        .position(|id| *id == l.id)
        .and_then(|k| ids.get(k.checked_sub(1)?));
    let mut found = Vec::new();
    em.unit.nest.walk(&mut |s| {
        if let StmtKind::For(around) = &s.kind
            && Some(&around.id) == outer
        {
            found.extend(around.body.iter().filter_map(|s| match &s.kind {
                StmtKind::Let { var, .. } => Some(*var),
                _ => None,
            }));
        }
    });
    found
}

/// The variables that the last iteration of all axes leaves behind.
fn results(em: &Emitter<'_, '_>) -> Vec<VarId> {
    let axes = em.gpu.axes.as_ref();
    axes.map_or(Vec::new(), |a| a.results.iter().map(|r| r.0).collect())
}
