//! Where a thread of a device reads its position in the grid, and reports a guard failure.

use crate::abi::{Status, part};
use crate::llvm::{Ir, V};
use crate::lower::emitter::Emitter;

/// The kinds of special registers, in the order of [`crate::abi::GridThread`].
const KINDS: [&str; 4] = ["tid", "ntid", "ctaid", "nctaid"];

const AXES: [&str; 3] = ["x", "y", "z"];

pub(crate) fn register(em: &Emitter<'_, '_>, kind: usize, axis: usize) -> V {
    let ir = em.ir;
    match em.gpu.axes.as_ref().and_then(|a| a.place) {
        Some(place) => {
            let at = ir.offset_const(place, 8 * (3 * kind + axis));
            ir.load(ir.i64(), at)
        }
        None => {
            let name = format!("llvm.nvvm.read.ptx.sreg.{}.{}", KINDS[kind], AXES[axis]);
            ir.zext(ir.intrinsic(&name, &[], &[]), ir.i64())
        }
    }
}

/// Notes in a kernel that a guard has failed.
pub(crate) fn tell(ir: &Ir<'_>, status: V, line: V, code: V) {
    ir.store(line, ir.offset_const(status, part::LINE));
    ir.store(code, ir.offset_const(status, part::CODE));
    let failed = ir.const_i64(Status::GuardFailed as i64);
    ir.store(failed, ir.offset_const(status, part::STATUS));
}
