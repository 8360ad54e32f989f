//! Typed nest, schedule and target to a kernel, through LLVM.
//!
//! [`compile`] makes an object file from a [`KernelSpec`], which may be kept on disk; [`load`] makes it callable. How a
//! kernel is called is in [`abi`]. What the code computes is defined by `nestwise_ir::model::nest` alone: to the bit
//! what CPython and NumPy compute, or a guard failure.
//!
//! The stages are listed in `pipeline`, those for kernels of a device in `grid_pipeline`. Emission, the first of them,
//! is in `lower`: functions over the context of the function being emitted (`lower::emitter`).

#![warn(missing_docs)]

pub mod abi;
mod error;
pub mod grid;
mod grid_pipeline;
pub mod link;
mod llvm;
mod lower;
mod pipeline;
mod shape;
mod spec;
mod target;

pub use crate::error::{CodegenError, Result};
pub use crate::grid::{
    BLOCK_THREADS, CompiledGrid, CooperativeKernel, DeviceCode, EMULATED_WARP, GridKernel,
    GridTarget, MOST_RECORD, USUAL_THREADS, Use, kernel_name,
};
pub use crate::grid_pipeline::compile_grid;
pub use crate::link::helpers::{
    Barrier, Shuffle, Touched, register_barrier, register_launch, register_parallel,
    register_shuffle, register_touched,
};
pub use crate::link::hypot::register_hypot;
pub use crate::link::libdevice::{libdevice_description, register_libdevice};
pub use crate::link::load::{GridCode, Kernel, load, load_grid};
pub use crate::link::mvec::has_vector_form;
pub use crate::link::slot::UfuncLoop;
pub use crate::link::ufunc::{register_c_function, register_ufunc};
pub use crate::llvm::globals::register_globals;
pub use crate::llvm::warm::{is_begun as is_warm_up_begun, is_warm, warm_up};
pub use crate::pipeline::{Compiled, assembly, compile, llvm_ir};
pub use crate::spec::KernelSpec;
pub use crate::target::{target_description, vector_bits};
pub use nestwise_ir::{FpMode, Tier};
