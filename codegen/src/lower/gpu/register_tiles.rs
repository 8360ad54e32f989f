//! Register tiles: a thread of a device that has several iterations of an axis runs some of them interleaved, statement by
//! statement ([`crate::lower::vector::unroll_and_jam`]), so that what they share is loaded once for all and stays in registers.
//!
//! The axes are the innermost two at most of which iterations share what a loop inside them loads: both of a matrix product, that
//! of the bodies in an n-body sum. A load of one lane costs a card as much as several operations, and its own caches hold what a
//! block's threads share; what limits such kernels is how many loads there are, and a tile of 8 by 4 needs a fifth of them
//! (Volkov, "Better performance at lower occupancy", 2010). Loops inside are unrolled, for loads of several of their iterations to
//! be under way at once, where nothing in them is a branch to ptxas (divisions and roots are). Legal iff the axes are parallel, and copies run the same statements
//! with loops inside equally often ([`crate::lower::vector::unroll_and_jam::varying`]). How many iterations a thread has is the launch's choice: those that
//! fill no tile run one by one.

use std::collections::HashSet;
use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_ir::schedule::GridLoop;
use nestwise_ir::{BinOp, Expr, ExprKind, For, LoopId, Stmt, StmtKind, VarId};

use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::loops::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::mapped_loops;
use crate::lower::scalar::expr;
use crate::lower::unit::Unit;
use crate::lower::value::Val;
use crate::lower::vector::jam::{self, Jam};
use crate::lower::vector::unroll_and_jam;

/// Iterations of an axis that run interleaved; of the outer one of two, whose loads neighbouring threads share, where each
/// carries but one variable through a loop inside.
const COPIES: u32 = 4;
const OUTER_COPIES: u32 = 8;
/// Operations of all copies of a body, at most: what they keep has to fit registers.
const MOST_OPERATIONS: usize = 640;
const MOST_OUTER_OPERATIONS: usize = 1024;
/// Iterations of a loop inside that follow each other without a jump.
const UNROLLED: i64 = 4;

/// The axes along which a kernel's iterations run interleaved.
pub(crate) struct Tile {
    /// Outermost first, and how many iterations of each.
    loops: Vec<(LoopId, u32)>,
    varying: HashSet<VarId>,
}

impl Tile {
    /// Those of a kernel for such axes; none: its iterations share nothing, or cannot be interleaved.
    pub(crate) fn of(unit: &Unit<'_>, l: &For, g: &GridLoop) -> Option<Tile> {
        let t = &g.mapped;
        // Records and copies belong to one iteration at a time.
        if !t.reductions.is_empty() || t.unshared().next().is_some() {
            return None;
        }
        let mut axes = vec![l];
        for id in g.axes.get(1..)? {
            axes.push(crate::lower::gpu::mapped_loops::loop_in(
                &axes.last()?.body,
                *id,
            )?);
        }
        let innermost = *axes.last()?;
        let mut sharing = axes.split_off(axes.len().saturating_sub(2));
        sharing.retain(|axis| shares_loads(unit, axis, innermost));
        let along = |tiled: &[&For]| Tile::along(unit, tiled, innermost);
        let alone = || sharing.iter().rev().find_map(|axis| along(&[*axis]));
        along(&sharing).or_else(alone)
    }

    /// A tile along those axes, outermost first.
    fn along(unit: &Unit<'_>, tiled: &[&For], innermost: &For) -> Option<Tile> {
        let operations = operations(&innermost.body);
        let fits = |counts: &[u32], most: usize| {
            let copies: u32 = counts.iter().product();
            copies as usize * operations <= most
        };
        let large = [OUTER_COPIES, COPIES];
        let is_large = tiled.len() == 2
            && carried(unit, &innermost.body) == 1
            && fits(&large, MOST_OUTER_OPERATIONS);
        let counts = match is_large {
            true => large.to_vec(),
            false => vec![COPIES; tiled.len()],
        };
        if !is_large && !fits(&counts, MOST_OPERATIONS) {
            return None;
        }
        let counters: Vec<VarId> = tiled.iter().map(|axis| axis.counter).collect();
        let varying = jam::varying(unit, tiled.first()?, &counters)?;
        let loops = tiled.iter().map(|axis| axis.id).zip(counts).collect();
        Some(Tile { loops, varying })
    }

    /// Whether its copies are both of two axes, none of which has more than usual.
    pub(crate) fn wants_registers(&self) -> bool {
        self.loops.len() == 2 && self.loops.iter().all(|l| l.1 == COPIES)
    }

    /// How many iterations of an axis run interleaved, if they do.
    fn count(&self, axis: LoopId) -> Option<u32> {
        let own = self.loops.iter().find(|l| l.0 == axis);
        own.map(|l| l.1)
    }

    /// How many iterations of each of these axes run interleaved, in the order of a grid's: the innermost first.
    pub(crate) fn counts(tile: Option<&Tile>, axes: &[LoopId]) -> [i64; 3] {
        let mut counts = [1; 3];
        for (count, id) in counts.iter_mut().zip(axes.iter().rev()) {
            *count = tile.and_then(|t| t.count(*id)).unwrap_or(1).into();
        }
        counts
    }
}

/// Whether a loop inside the innermost axis loads something that does not depend on that axis.
fn shares_loads(unit: &Unit<'_>, axis: &For, innermost: &For) -> bool {
    let Some(varying) = jam::varying(unit, axis, &[axis.counter]) else {
        return false;
    };
    let mut found = false;
    let mut look = |e: &Expr| {
        if let ExprKind::Load { index, .. } = &e.kind {
            let mut own = false;
            index.iter().for_each(|i| {
                i.walk(&mut |e| own |= matches!(e.kind, ExprKind::Var(v) if varying.contains(&v)));
            });
            found |= !own;
        }
    };
    for s in &innermost.body {
        s.walk(&mut |s| {
            if let StmtKind::For(inner) = &s.kind {
                let mut walk = |s: &Stmt| s.exprs().for_each(|e| e.walk(&mut look));
                inner.body.iter().for_each(|s| s.walk(&mut walk));
            }
        });
    }
    found
}

/// Variables that loops of a block carry from one iteration to the next.
fn carried(unit: &Unit<'_>, block: &[Stmt]) -> usize {
    let mut found = HashSet::new();
    for s in block {
        s.walk(&mut |s| {
            if let StmtKind::For(inner) = &s.kind {
                let nonempty = unit.spec.schedule.nonempty;
                let flow = definite_assignment::flow(&[], &inner.body, Some(inner.id), nonempty);
                let own = flow.assigned.iter().filter(|v| flow.exposed.contains(v));
                found.extend(own.copied());
            }
        });
    }
    found.len()
}

/// Whether a block is all loads, stores, and what a card does in an instruction or two.
fn is_light(block: &[Stmt]) -> bool {
    let mut light = true;
    let mut look = |e: &Expr| {
        light &= match &e.kind {
            ExprKind::Call { .. } | ExprKind::Select { .. } => false,
            ExprKind::Binary { op, .. } => {
                matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
            }
            _ => true,
        };
    };
    for s in block {
        s.walk(&mut |s| s.exprs().for_each(|e| e.walk(&mut look)));
    }
    let plain = |s: &Stmt| matches!(s.kind, StmtKind::Let { .. } | StmtKind::Store { .. });
    light && block.iter().all(plain)
}

fn operations(block: &[Stmt]) -> usize {
    let mut count = 0;
    for s in block {
        s.walk(&mut |s| {
            s.exprs().for_each(|e| e.walk(&mut |_| count += 1));
        });
    }
    count
}

/// How many iterations of that axis run interleaved, if they do.
pub(crate) fn tile_of(em: &Emitter<'_, '_>, l: &For) -> Option<u32> {
    let tile = em.gpu.axes.as_ref().and_then(|a| a.tile.as_ref());
    tile.and_then(|t| t.count(l.id))
}

/// How many iterations of a loop inside a tile are to follow each other without a jump, if several.
pub(crate) fn unrolled_in_tile(em: &Emitter<'_, '_>, l: &For) -> Option<i64> {
    let tiled = em.lanes.jam.is_some() && em.gpu.axes.as_ref().is_some_and(|a| a.tile.is_some());
    (tiled && is_light(&l.body)).then_some(UNROLLED)
}

/// This thread's iterations from `first` on as long as there are enough for a tile of `count`; the next one.
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
        expr::index_fma(
            em,
            range.start,
            ir.add(k, distance, Wrap::Signed),
            range.step,
        )
    };
    let values: Vec<V> = (0..count).map(value).collect();
    let around = open_tile(em, l, values)?;
    let (last, highest) = (
        ir.add(k, ahead, Wrap::Signed),
        ir.sub(range.hi, ir.const_i64(1), Wrap::Signed),
    );
    mapped_loops::note_last(em, axis, ir.icmp(IntPred::LLVMIntEQ, last, highest));
    em.block(&l.body)?;
    close_tile(em, l, around)?;
    mapped_loops::after_iteration(em, axis)?;
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

/// Begins copies of an axis's body for those values of its counter, each for every copy of the axis around it, which is
/// given back. Copy `c` is that axis's copy `c % n`, where it has `n`.
fn open_tile(em: &mut Emitter<'_, '_>, l: &For, values: Vec<V>) -> Result<Option<Rc<Jam>>> {
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
    let jam = Rc::new(Jam::plain(count, varying, counters));
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

/// Ends them: what outlives the kernel is the last copy's.
fn close_tile(em: &mut Emitter<'_, '_>, l: &For, around: Option<Rc<Jam>>) -> Result<()> {
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

/// Variables that the last iteration of all axes leaves behind.
fn results(em: &Emitter<'_, '_>) -> Vec<VarId> {
    let axes = em.gpu.axes.as_ref();
    axes.map_or(Vec::new(), |a| a.results.iter().map(|r| r.0).collect())
}
