//! Functions that threads of a device run: kernels, and parts of cooperative ones.
//!
//! Each such function is given an environment, the bounds of a range, and where its status is; and, on an emulated
//! device or as a part, where its position in the grid is told, which kernels of a GPU have in registers.

use nestwise_ir::{Span, VarId};

use crate::abi::{GuardFailure, part};
use crate::error::{Result, invalid};
use crate::grid::{GridKernel, USUAL_THREADS};
use crate::llvm::V;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::state::Axes;
use crate::lower::gpu::threaded::DeviceFunction;
use crate::lower::gpu::tile::Tile;
use crate::lower::gpu::{cooperative_parts, fold, reductions, registers, warps};
use crate::lower::scalar::flag_values;
use crate::lower::unit::{Registers, Unit};

/// Allows ptxas to give a tile's kernel the registers that it needs. It would else save some, and have loads wait for
/// each other: on an H200 a product in tiles of 4 by 4 then takes three times as long. (Other kernels lose by this:
/// tiles of 8 by 4 get what they need without, and with nothing but the most threads of a block some kernels are made
/// to spill.)
fn bounds(f: &Emitter<'_, '_>, axes: &Axes) {
    if axes.tile.as_ref().is_some_and(Tile::wants_registers) {
        let ir = f.ir;
        ir.string_attribute(f.function.value, "nvvm.maxntid", &USUAL_THREADS.to_string());
        ir.string_attribute(f.function.value, "nvvm.minctasm", "1");
    }
}

/// The unit that kernels are made in: their own module's; for parts of a cooperative kernel, this one.
pub(crate) fn device<'u, 'a>(em: &Emitter<'u, 'a>) -> Result<&'u Unit<'a>> {
    match (&em.gpu.cooperative, &em.unit.grid) {
        (Some(_), _) => Ok(em.unit),
        (None, Some(grid)) => Ok(grid.device),
        (None, None) => invalid("no device"),
    }
}

/// Adds a kernel or, in a cooperative kernel, a part.
pub(crate) fn next_threaded(
    em: &mut Emitter<'_, '_>,
    kernel: GridKernel,
) -> Result<DeviceFunction> {
    match &em.unit.grid {
        Some(grid) => Ok(DeviceFunction::Kernel(grid.next(kernel))),
        None => cooperative_parts::next_part(em, kernel),
    }
}

/// Emits the kernel or part `made`, which is given the values of `shared`; `body` also gets the address of its results.
pub(crate) fn kernel<'u, 'a>(
    em: &Emitter<'u, 'a>,
    made: DeviceFunction,
    span: Span,
    axes: Axes,
    shared: &[VarId],
    body: impl FnOnce(&mut Emitter<'u, 'a>, V) -> Result<()>,
) -> Result<()> {
    let unit = device(em)?;
    let around = em
        .gpu
        .cooperative
        .as_ref()
        .map(|_| (unit.ir.here(), unit.ir.watch(None)));
    write(unit, made, span, axes, shared, body)?;
    if let Some((here, watched)) = around {
        unit.ir.at(here);
        unit.ir.watch(watched);
    }
    Ok(())
}

fn write<'u, 'a>(
    u: &'u Unit<'a>,
    made: DeviceFunction,
    span: Span,
    axes: Axes,
    shared: &[VarId],
    body: impl FnOnce(&mut Emitter<'u, 'a>, V) -> Result<()>,
) -> Result<()> {
    let ir = &u.ir;
    let i64t = ir.i64();
    let mut f = made.function(u);
    if matches!(made, DeviceFunction::Kernel(_)) && u.device == Some(Registers::Ptx) {
        bounds(&f, &axes);
    }
    let status = ir.param(f.function.value, 3);
    f.start_body();
    let flag = || {
        let flag = ir.alloca(ir.i1());
        ir.store(ir.const_bool(false), flag);
        flag
    };
    let results = ir.offset_const(status, part::CELLS);
    let (odd, last) = (flag(), axes.loops.iter().map(|_| flag()).collect());
    f.gpu.axes = Some(Axes {
        place: made
            .place_in_memory(u)
            .then(|| ir.param(f.function.value, 4)),
        last,
        status: (!axes.results.is_empty()).then_some(status),
        ..axes
    });
    ir.watch(Some(odd));
    f.slots
        .load(f.unit, f.function.frame, f.goes_through_nest())?;
    for v in shared {
        f.vars.load_var(&f.lanes, *v, f.function.frame)?;
    }
    let records = f.gpu.axes.as_ref().and_then(|axes| axes.records.clone());
    let reduced = records.as_ref().map(|r| {
        (
            r,
            fold::record(f.ir, r),
            warps::shared_memory(&f, made, r.size()),
        )
    });
    if let Some((records, own, _)) = reduced {
        // A thread in which something fails leaves it so.
        for at in records.words() {
            ir.store(ir.const_i64(0), ir.offset_const(own, at));
        }
        let placed = reductions::start_records(&mut f, records)?;
        let now = || ir.alloca(i64t);
        if let Some(axes) = &mut f.gpu.axes {
            axes.now = axes.loops.iter().map(|_| now()).collect();
            axes.placed = placed;
        }
    }
    body(&mut f, results)?;
    let (end, told, out) = (f.ir.fresh(), f.ir.fresh(), f.ir.fresh());
    ir.br(f.exits.done);
    ir.at(f.exits.done);
    flag_values::release_kept(&f);
    if let Some((records, own, _)) = reduced {
        let placed = f
            .gpu
            .axes
            .as_mut()
            .map(|axes| std::mem::take(&mut axes.placed));
        reductions::leave_record(&mut f, records, &placed.unwrap_or_default(), own)?;
    }
    ir.br(end);
    ir.at(f.exits.failed);
    registers::tell(
        f.ir,
        status,
        ir.load(i64t, f.exits.line),
        ir.load(i64t, f.exits.code),
    );
    // The others of the block wait for this one, whatever it has come to.
    ir.br(if reduced.is_some() { end } else { out });
    ir.at(end);
    if let Some((records, own, shared)) = reduced {
        warps::combine_block(&f, records, own, shared, status)?;
    }
    ir.watch(None);
    ir.cond_br(ir.load(ir.i1(), odd), told, out);
    ir.at(told);
    registers::tell(
        f.ir,
        status,
        ir.const_i64(span.line.into()),
        ir.const_i64(GuardFailure::Several as i64),
    );
    ir.br(out);
    ir.at(out);
    ir.ret_void();
    Ok(())
}
