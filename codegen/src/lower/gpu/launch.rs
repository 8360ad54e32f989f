//! Launches of kernels, and runs of parts of cooperative ones.

use std::mem::offset_of;

use nestwise_ir::{Span, VarId};

use crate::abi::part::CELL;
use crate::abi::{FrameHeader, Order, part};
use crate::error::{Result, unsupported};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::orders::{Launched, Request};
use crate::lower::gpu::threaded::DeviceFunction;
use crate::lower::gpu::{cooperative_parts, orders};

/// Launches a kernel that is given the values of `shared`, or has a part of a cooperative kernel run.
pub(crate) fn launch(
    em: &mut Emitter<'_, '_>,
    made: DeviceFunction,
    shared: &[VarId],
    asked: Request,
    span: Span,
) -> Result<Launched> {
    if asked.cells > part::MOST_CELLS {
        return unsupported("so many results of a kernel");
    }
    let (u, ir) = (em.unit, em.ir);
    let size = u.layout.size as u64;
    let env = ir.alloca_aligned(ir.array(ir.i8(), size), 16);
    em.slots.store(em.unit, env, true);
    for v in shared {
        em.vars.store_var(&em.lanes, *v, env)?;
    }
    let range = asked.range;
    let bounds = ir.offset_const(env, FrameHeader::BOUNDS);
    ir.store(range.start, bounds);
    ir.store(range.step, ir.offset_const(bounds, 8));
    let kernel = match made {
        DeviceFunction::Kernel(number) => number,
        DeviceFunction::Part(..) => {
            return cooperative_parts::run_part(em, made, env, &asked, span);
        }
    };
    let order = orders::order(em.ir);
    let field = |at: usize| ir.offset_const(order, at);
    let number = |n: usize| ir.const_i64(n as i64);
    ir.store(number(kernel), field(offset_of!(Order, kernel)));
    ir.store(env, field(offset_of!(Order, env)));
    ir.store(ir.const_i64(size as i64), field(offset_of!(Order, size)));
    ir.store(asked.copies, field(offset_of!(Order, copies)));
    ir.store(range.lo, field(offset_of!(Order, lo)));
    ir.store(range.hi, field(offset_of!(Order, hi)));
    ir.store(asked.inner, field(offset_of!(Order, inner)));
    ir.store(number(CELL * asked.cells), field(offset_of!(Order, cells)));
    ir.store(number(asked.record), field(offset_of!(Order, record)));
    orders::hand(em, order, span);
    Ok(Launched {
        status: ir.load(ir.ptr(), field(offset_of!(Order, left))),
        blocks: ir.load(ir.i64(), field(offset_of!(Order, blocks))),
    })
}
