//! What the host asks of the device, and the cells that a kernel leaves behind.

use nestwise_ir::{Span, VarId};

use crate::abi::{FrameHeader, GuardFailure, Order, part};
use crate::error::Result;
use crate::llvm::{IntPred, Ir, V};
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;

/// What the host asks a kernel for.
pub(crate) struct Request {
    pub(crate) range: Range,
    /// The number of loops on axes.
    pub(crate) axes: usize,
    /// The iterations of the second axis; below zero: not known.
    pub(crate) inner: V,
    /// Bytes of each thread's copies.
    pub(crate) copies: V,
    /// `cells`: the number of cells of results; `record`: bytes of each block's record. For either the host waits.
    pub(crate) cells: usize,
    pub(crate) record: usize,
}

/// What a kernel has left behind: the address of its status, valid until another is launched, and the number of blocks.
#[derive(Clone, Copy)]
pub(crate) struct Launched {
    pub(crate) status: V,
    pub(crate) blocks: V,
}

/// Memory on the host for what is asked of the device ([`Order`]).
pub(crate) fn order(ir: &Ir<'_>) -> V {
    let bytes = size_of::<Order>() as u64;
    ir.alloca_aligned(ir.array(ir.i8(), bytes), 8)
}

/// Hands an order to the device; leaves the host's part where something has failed.
pub(crate) fn hand(em: &Emitter<'_, '_>, order: V, span: Span) {
    let ir = em.ir;
    let ty = ir.function(ir.i64(), &[ir.ptr(), ir.ptr()]);
    let launch = ir.add_function(c"nw_grid", ty);
    let user = ir.load(
        ir.ptr(),
        ir.offset_const(em.function.frame, FrameHeader::USER),
    );
    let failed = ir.call(ty, launch, &[user, order]);
    let failed = ir.icmp(IntPred::LLVMIntNE, failed, ir.const_i64(0));
    let fine = em.ir.fresh();
    em.exits
        .leave_if(em.ir, failed, fine, GuardFailure::Several, span);
    ir.at(fine);
}

/// The address, on the host, of the cells that a kernel has left.
pub(crate) fn cells(ir: &Ir<'_>, left: Launched) -> V {
    ir.offset_const(left.status, part::CELLS)
}

/// Gives a variable the value of a cell, on the host.
pub(crate) fn take_cell(em: &mut Emitter<'_, '_>, v: VarId, cell: V) -> Result<()> {
    let (home, repr) = (em.vars.home(&em.lanes, v, false)?, em.unit.repr(v)?);
    let got = em.unit.load_cell(repr, cell);
    home.store(em.ir, got);
    Ok(())
}

/// Stores the value of a variable to a cell, in a kernel.
pub(crate) fn leave_cell(em: &mut Emitter<'_, '_>, v: VarId, cell: V) -> Result<()> {
    let (home, repr) = (em.vars.home(&em.lanes, v, false)?, em.unit.repr(v)?);
    let value = home.load(em.ir);
    em.unit.store_cell(repr, value, cell);
    Ok(())
}
