//! Statements that look at elements but are on no axis of a device's grid: one thread runs them, as a kernel.
//!
//! The host's part never looks at an element, so that arrays may stay on the device. Statements outside mapped loops
//! that do are put into kernels of their own, as many as stand side by side, and so is what bounds and conditions read.
//! What they assign comes back, and the host waits for it.

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::finite::Finite;
use nestwise_ir::{Expr, LoopId, Stmt, StmtKind};

use crate::abi::part::CELL;
use crate::error::Result;
use crate::grid::GridKernel;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::orders::{Launched, Request};
use crate::lower::gpu::state::Axes;
use crate::lower::gpu::uses::uses;
use crate::lower::gpu::{cooperative, kernel, launch, orders, uses};
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// What a kernel without axes does.
#[derive(Clone, Copy)]
enum Part<'s> {
    Block(&'s [Stmt]),
    Value(&'s Expr),
}

/// Emits statements in order, on the host; the device runs those that look at elements.
pub(crate) fn host_block(em: &mut Emitter<'_, '_>, block: &[Stmt]) -> Result<()> {
    let mut rest = block;
    while let Some((first, others)) = rest.split_first() {
        if !is_alone(em.unit, first) {
            match cooperative::is_cooperative(em.unit, first) {
                true => cooperative::cooperate(em, first)?,
                false => em.stmt(first)?,
            }
            rest = others;
            continue;
        }
        let along = others.iter().take_while(|s| may_go_along(em.unit, s));
        let mut count = 1 + along.count();
        // What stands behind the last of them has to do with numbers alone.
        while !is_alone(em.unit, &rest[count - 1]) {
            count -= 1;
        }
        let (together, behind) = rest.split_at(count);
        alone(em, Part::Block(together))?;
        rest = behind;
    }
    Ok(())
}

/// The value of an expression that reads elements, which one thread of the device computes.
pub(crate) fn value_alone(em: &mut Emitter<'_, '_>, e: &Expr) -> Result<Val> {
    let left = alone(em, Part::Value(e))?;
    Ok(em.unit.load_cell(e.ty.repr, orders::cells(em.ir, left)))
}

/// Whether a statement looks at elements and one thread can run it.
fn is_alone(unit: &Unit<'_>, s: &Stmt) -> bool {
    touches(s) && may_go_along(unit, s)
}

/// Whether one thread can run a statement: no loop of it is mapped, and nothing of it is the host's to do.
fn may_go_along(unit: &Unit<'_>, s: &Stmt) -> bool {
    let mapped = |id: LoopId| {
        let grid = &unit.spec.schedule.grid;
        grid.iter().any(|g| g.axes.contains(&id))
    };
    let mut alone = definite_assignment::exits(std::slice::from_ref(s)).is_empty();
    s.walk(&mut |s| {
        alone &= match &s.kind {
            StmtKind::For(l) => !mapped(l.id),
            StmtKind::Rebind(_) => false,
            _ => true,
        }
    });
    alone
}

/// Has one thread run statements or compute a value, and takes what they assign; the value itself is in the first cell.
fn alone(em: &mut Emitter<'_, '_>, part: Part<'_>) -> Result<Launched> {
    let u = em.unit;
    // The cells before those of variables are the value's own.
    let (extra, block, span, own) = match part {
        Part::Block(block) => (vec![], block, block[0].span, 0),
        Part::Value(e) => (vec![e], &[][..], e.span, 1),
    };
    let (shared, assigned) = uses::given_and_left(u, &extra, block);
    let made = kernel::next_threaded(
        em,
        GridKernel {
            uses: uses(u, block, &extra),
            leaves: own + assigned.len() > 0,
            ..GridKernel::alone()
        },
    )?;
    kernel::kernel(em, made, span, Axes::default(), &shared, |f, results| {
        f.gpu.finite = Some(Finite::of(block));
        match part {
            Part::Block(block) => f.block(block)?,
            Part::Value(e) => {
                let value = f.expr(e)?;
                f.unit.store_cell(e.ty.repr, value, results);
            }
        }
        for (k, v) in assigned.iter().enumerate() {
            orders::leave_cell(f, *v, f.ir.offset_const(results, CELL * (own + k)))?;
        }
        Ok(())
    })?;
    let ir = em.ir;
    let zero = ir.const_i64(0);
    let once = Range {
        start: zero,
        step: ir.const_i64(1),
        lo: zero,
        hi: ir.const_i64(1),
    };
    let asked = Request {
        range: once,
        axes: 0,
        inner: ir.const_i64(-1),
        copies: ir.const_i64(0),
        cells: own + assigned.len(),
        record: 0,
    };
    let left = launch::launch(em, made, &shared, asked, span)?;
    for (k, v) in assigned.iter().enumerate() {
        let cell = em
            .ir
            .offset_const(orders::cells(em.ir, left), CELL * (own + k));
        orders::take_cell(em, *v, cell)?;
    }
    Ok(left)
}

/// Whether a statement looks at elements anywhere.
fn touches(s: &Stmt) -> bool {
    let mut found = false;
    s.walk(&mut |s| {
        let reads = s.exprs().any(|e| e.reads(|_| true));
        found |= matches!(s.kind, StmtKind::Store { .. }) || reads;
    });
    found
}
