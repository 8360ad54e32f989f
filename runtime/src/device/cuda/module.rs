//! Kernels in a GPU's own code.

use std::ffi::CString;

use cudarc::driver::{result as cu, sys};
use nestwise_codegen::{BLOCK_THREADS, GridKernel, kernel_name};
use nestwise_costmodel::estimate::block_size::{self, Room};

use crate::device::cuda::card::{Card, Shared, card};
use crate::reason::Reason;

/// A nest's kernels on the GPU.
pub struct Module {
    card: &'static Card,
    module: Shared<sys::CUmodule>,
    pub(crate) kernels: Vec<Function>,
}

pub(crate) struct Function {
    pub(crate) handle: Shared<sys::CUfunction>,
    /// The most threads that a block of the kernel can have.
    pub(crate) most: i64,
    /// The number of registers of each of its threads.
    pub(crate) registers: i64,
    /// The number of blocks, of the size of a cooperative kernel's, that have room at once; 0 if the kernel is not
    /// cooperative.
    pub(crate) together: i64,
}

impl Function {
    /// The number of threads in a block, where `asked` threads are asked for in all. Where each block leaves a record
    /// of `record` bytes (0: none), it is not made smaller for the kernel's registers, since that would make more
    /// records.
    pub(crate) fn block(&self, card: &Card, record: usize, asked: i64) -> i64 {
        let room = Room {
            processors: card.processors,
            threads: card.resident,
            registers: card.registers,
        };
        let block = match record {
            0 => room.block(asked, Some(self.registers), block_size::USUAL),
            _ => room.block(asked, None, block_size::LARGE),
        };
        block.min(self.most)
    }
}

impl Module {
    /// Has the driver assemble PTX that has these kernels; fails where it cannot.
    pub fn load(ptx: &str, kernels: &[GridKernel]) -> Result<Module, Reason> {
        let card = card().map_err(Reason::Device)?;
        let _entered = card.enter()?;
        let text = CString::new(ptx).map_err(|_| Reason::Internal("a NUL in PTX".into()))?;
        let bad = |e| card.failed(e);
        // SAFETY: text that ends with a NUL.
        let module = unsafe { cu::module::load_data(text.as_ptr().cast()) }.map_err(bad)?;
        let mut made = Module {
            card,
            module: Shared(module),
            kernels: Vec::with_capacity(kernels.len()),
        };
        use sys::CUfunction_attribute as Attribute;
        for (number, kernel) in kernels.iter().enumerate() {
            let name = CString::new(kernel_name(number)).unwrap_or_default();
            // SAFETY: the module that was just loaded.
            let handle = unsafe { cu::module::get_function(module, name) }.map_err(bad)?;
            let attribute = |which| {
                // SAFETY: a function of that module.
                unsafe { cu::function::get_function_attribute(handle, which) }.map_err(bad)
            };
            let mut each = 0;
            if kernel.cooperative.is_some() {
                // SAFETY: as above, and a place for a number.
                unsafe {
                    sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                        &raw mut each,
                        handle,
                        BLOCK_THREADS as i32,
                        0,
                    )
                }
                .result()
                .map_err(bad)?;
            }
            made.kernels.push(Function {
                handle: Shared(handle),
                most: attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?.into(),
                registers: attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?.into(),
                together: i64::from(each) * card.processors,
            });
        }
        Ok(made)
    }

    /// The number of threads that the GPU has room for at once.
    pub(crate) fn room(&self) -> i64 {
        self.card.processors * self.card.resident
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let entered = || self.card.enter().ok();
        if self.card.process == std::process::id()
            && let Some(_entered) = entered()
        {
            // SAFETY: loaded above; nothing of it runs, since launches hold it. A failure has nobody to tell.
            let _ = unsafe { cu::module::unload(self.module.0) };
        }
    }
}
