//! Typed nest, schedule and target to a kernel, through LLVM.
//!
//! [`compile`] gives an object file for a [`KernelSpec`], which may be kept on disk; [`load`] makes it callable. How a
//! kernel is called is in [`abi`]. What the code computes is defined by `nestwise_ir::model::nest` alone: to the bit what
//! CPython and NumPy compute, or an event.
//!
//! The way of a nest: `emit` writes plain LLVM IR (one alloca per variable, every guard explicit), LLVM's passes
//! optimise it (`passes`), LLVM emits an object for the host (`target`), `load` links it.

pub mod abi;
pub mod carried;
mod error;
pub mod grid;
pub mod link;
mod llvm;
pub(crate) mod lower;
mod shape;
mod target;

use std::time::{Duration, Instant};

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};
use nestwise_ir::machine_shape::Body;
use nestwise_ir::{Nest, Schedule};

use crate::llvm::{passes, warm};

pub use crate::error::{CodegenError, Result};
pub use crate::grid::{
    BLOCK_THREADS, CompiledGrid, DeviceCode, EMULATED_WARP, GridKernel, GridTarget, MOST_RECORD,
    TeamKernel, USUAL_THREADS, Use, compile_grid, kernel_name,
};
pub use crate::link::helpers::{
    Barrier, Shuffle, Touched, register_barrier, register_launch, register_parallel,
    register_shuffle, register_touched,
};
pub use crate::link::hypot::register_hypot;
pub use crate::link::libdevice::{libdevice_description, register_libdevice};
pub use crate::link::load::{GridCode, Kernel, load, load_grid};
pub use crate::link::mvec::has_vector_form;
pub use crate::link::ufunc::{UfuncLoop, register_c_function, register_ufunc};
pub use crate::llvm::warm::{is_begun as is_warm_up_begun, is_warm, warm_up};
pub use crate::target::{target_description, vector_bits};
pub use nestwise_ir::{FpMode, Tier};

/// LLVM's fast-math flags. Neither `nnan` nor `ninf`: NaN and infinities mean in every mode what they mean in Python, and
/// decide what raises and warns. Nor `nsz`, `arcp` or `afn`: the sign of zero, quotients and functions stay as they are.
fn fast_math(fp: FpMode) -> u32 {
    match fp {
        FpMode::Strict | FpMode::Faithful => 0,
        FpMode::Fast => llvm_sys::LLVMFastMathAllowReassoc | llvm_sys::LLVMFastMathAllowContract,
    }
}

/// Everything a kernel depends on, besides the host.
#[derive(Clone, Copy)]
pub struct KernelSpec<'a> {
    /// The nest. Arrays are naturally aligned.
    pub nest: &'a Nest,
    /// What is mapped to what.
    pub schedule: &'a Schedule,
    /// Every slot lies in memory of its own.
    pub disjoint: bool,
    /// By slot: elements along the last axis follow each other without gaps.
    pub unit_stride: &'a [bool],
    /// Freedom in floating-point arithmetic.
    pub fp: FpMode,
    /// Comparisons of floats must not raise the invalid flag for a NaN, as those of vectors do by nature. LLVM then
    /// vectorises no loop with a comparison in it.
    pub quiet: bool,
    /// For measurements: nothing fires. Wrong where something would.
    pub unchecked: bool,
    /// How much time making it may take.
    pub tier: Tier,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// A relocatable object file for [`load`].
    pub object: Vec<u8>,
    /// No loop of [`Schedule::vector`] could be run by lanes.
    pub without_lanes: bool,
    /// What it executes, for prices; nothing of [`Tier::Quick`] code, much of which is seen only in the registers it does without.
    pub shape: Body,
    /// Time to write the IR.
    pub emit: Duration,
    /// Time in LLVM's passes.
    pub optimise: Duration,
    /// Time to select and encode instructions.
    pub assemble: Duration,
}

/// Compiles a nest for this machine. Thread-safe; nothing is shared between threads.
///
/// A loop of [`Schedule::vector`] that cannot be run by lanes is compiled as a scalar one.
pub fn compile(spec: KernelSpec<'_>) -> Result<Compiled> {
    match compile_as_is(spec) {
        // Some operations have no wide form; what was meant to gain speed must not cost the kernel.
        Err(CodegenError::Unsupported(_) | CodegenError::Invalid(_))
            if !spec.schedule.vector.is_empty() =>
        {
            let schedule = Schedule {
                vector: Vec::new(),
                ..spec.schedule.clone()
            };
            let compiled = compile_as_is(KernelSpec {
                schedule: &schedule,
                ..spec
            })?;
            Ok(Compiled {
                without_lanes: true,
                ..compiled
            })
        }
        result => result,
    }
}

fn compile_as_is(spec: KernelSpec<'_>) -> Result<Compiled> {
    let host = target::Host::get()?;
    let started = Instant::now();
    let context = Context::create();
    if spec.tier == Tier::Quick {
        warm::wait();
    }
    warm::used();
    host.with_machine(spec.tier, |machine| {
        let (module, code) = build(&context, &spec, machine)?;
        let emitted = Instant::now();
        passes::optimise(&module, machine, code, spec.fp != FpMode::Strict)?;
        let mut shape = Body::default();
        if spec.tier == Tier::Optimised {
            shape = shape::of(&module, machine, host.vector_bits);
            shape::place(&mut shape, spec.nest);
        }
        let optimised = Instant::now();
        let buffer = machine
            .write_to_memory_buffer(&module, FileType::Object)
            .map_err(|e| CodegenError::Llvm(e.to_string()))?;
        Ok(Compiled {
            object: buffer.as_slice().to_vec(),
            without_lanes: false,
            shape,
            emit: emitted - started,
            optimise: optimised - emitted,
            assemble: optimised.elapsed(),
        })
    })
}

/// The LLVM IR of a kernel, as emitted and as optimised, for tests and explanations.
pub fn llvm_ir(spec: KernelSpec<'_>) -> Result<(String, String)> {
    let host = target::Host::get()?;
    let context = Context::create();
    let machine = host.machine(spec.tier)?;
    let (module, code) = build(&context, &spec, &machine)?;
    let before = module.print_to_string().to_string();
    passes::optimise(&module, &machine, code, spec.fp != FpMode::Strict)?;
    Ok((before, module.print_to_string().to_string()))
}

/// The assembly text of a kernel.
pub fn assembly(spec: KernelSpec<'_>) -> Result<String> {
    let host = target::Host::get()?;
    let context = Context::create();
    let machine = host.machine(spec.tier)?;
    let (module, code) = build(&context, &spec, &machine)?;
    passes::optimise(&module, &machine, code, spec.fp != FpMode::Strict)?;
    let buffer = machine
        .write_to_memory_buffer(&module, FileType::Assembly)
        .map_err(|e| CodegenError::Llvm(e.to_string()))?;
    Ok(String::from_utf8_lossy(buffer.as_slice()).into_owned())
}

/// The verified module, and whether it has inner loops for LLVM's vectorisers.
fn build<'c>(
    context: &'c Context,
    spec: &KernelSpec<'_>,
    machine: &TargetMachine,
) -> Result<(Module<'c>, passes::Code)> {
    let module = context.create_module("nest");
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let code = {
        let host = target::Host::get()?;
        let unit = lower::unit::Unit::new(context, &module, spec, host)?;
        lower::control::stmt::emit(&unit)?;
        match (spec.tier, unit.scalar_loops.get()) {
            (Tier::Quick, _) => passes::Code::Quick,
            (Tier::Optimised, true) => passes::Code::Scalar,
            (Tier::Optimised, false) => passes::Code::Plain,
        }
    };
    module
        .verify()
        .map_err(|e| CodegenError::Llvm(e.to_string()))?;
    Ok((module, code))
}
