//! Functions that threads of a device run: kernels, and parts of cooperative ones.

use std::ffi::CString;

use crate::grid::{BLOCK_THREADS, WARP, kernel_name};
use crate::llvm::{Ir, V};
use crate::lower::emitter::Emitter;
use crate::lower::unit::{Registers, Unit};

/// A function that threads of a device run.
#[derive(Clone, Copy)]
pub(crate) enum DeviceFunction {
    /// The kernel of this number.
    Kernel(usize),
    /// A part of a cooperative kernel: the kernel's number, and the part's.
    Part(usize, usize),
}

impl DeviceFunction {
    pub(crate) fn symbol(self) -> CString {
        let name = match self {
            DeviceFunction::Kernel(number) => kernel_name(number),
            DeviceFunction::Part(kernel, number) => format!("nw_part_{kernel}_{number}"),
        };
        CString::new(name).unwrap_or_default()
    }

    /// Shared memory of a GPU for the records of a block's warps, each of `record` bytes.
    pub(crate) fn shared_memory(self, ir: &Ir<'_>, record: usize) -> V {
        let name = format!("{}_shared", self.symbol().to_string_lossy());
        ir.shared_memory(&name, BLOCK_THREADS / WARP * record)
    }

    /// Begins to emit the function: its parameters are its environment, the bounds of a range, the address of its
    /// status and, where that is in memory, its position in the grid.
    pub(crate) fn function<'u, 'a>(self, u: &'u Unit<'a>) -> Emitter<'u, 'a> {
        let ir = &u.ir;
        let (ptr, i64t) = (ir.ptr(), ir.i64());
        let mut params = vec![ptr, i64t, i64t, ptr];
        params.extend(self.place_in_memory(u).then_some(ptr));
        let f = Emitter::new(u, &self.symbol().to_string_lossy(), &params, false);
        match self {
            DeviceFunction::Part(..) => {
                ir.set_internal(f.function.value);
                ir.attribute(f.function.value, "alwaysinline", 0);
            }
            DeviceFunction::Kernel(_) if u.device == Some(Registers::Ptx) => {
                ir.set_kernel(f.function.value, u.layout.size as u64);
            }
            DeviceFunction::Kernel(_) => {}
        }
        f
    }

    pub(crate) fn place_in_memory(self, u: &Unit<'_>) -> bool {
        u.device == Some(Registers::Memory) || matches!(self, DeviceFunction::Part(..))
    }
}
