//! The way of a nest to a kernel, stage by stage: the file to read first.
//!
//! | stage | where |
//! |---|---|
//! | plain LLVM IR of the nest: an alloca a variable, every guard explicit | [`crate::lower`] |
//! | LLVM's passes | [`passes`] |
//! | what the code executes, for prices | [`shape`] |
//! | an object file | LLVM's code generator |
//! | code in memory | [`crate::link::load`] |

use std::time::{Duration, Instant};

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};
use nestwise_ir::machine_shape::Body;
use nestwise_ir::{FpMode, Schedule, Tier};

use crate::error::{CodegenError, Result};
use crate::llvm::{passes, warm};
use crate::lower::control::nest;
use crate::lower::unit::Unit;
use crate::shape;
use crate::spec::KernelSpec;
use crate::target::Host;

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// A relocatable object file for [`load`](crate::load).
    pub object: Vec<u8>,
    /// Whether no loop of [`Schedule::vector`] could be run by lanes.
    pub without_lanes: bool,
    /// What the kernel executes, for prices; empty for [`Tier::Quick`] code, much of which is seen only in the
    /// registers that it does without.
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
///
/// # Errors
/// [`CodegenError`]: the nest has no kernel, and CPython runs it.
pub fn compile(spec: KernelSpec<'_>) -> Result<Compiled> {
    match compile_as_is(spec) {
        // Some operations have no wide form; what was meant to gain speed must not cost the kernel.
        Err(
            CodegenError::Unsupported(_) | CodegenError::Invalid(_) | CodegenError::Schedule(_),
        ) if !spec.schedule.vector.is_empty() => {
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

/// Compiles a nest, stage by stage.
fn compile_as_is(spec: KernelSpec<'_>) -> Result<Compiled> {
    let host = Host::get()?;
    let started = Instant::now();
    let context = Context::create();
    if spec.tier == Tier::Quick {
        warm::wait();
    }
    warm::used();
    host.with_machine(spec.tier, |machine| {
        let (module, code) = emit(&context, &spec, machine)?;
        let emitted = Instant::now();
        passes::optimise(&module, machine, code, spec.fp != FpMode::Strict)?;
        let shape = read_shape(&module, machine, host, &spec);
        let optimised = Instant::now();
        let object = assemble(&module, machine, FileType::Object)?;
        Ok(Compiled {
            object,
            without_lanes: false,
            shape,
            emit: emitted - started,
            optimise: optimised - emitted,
            assemble: optimised.elapsed(),
        })
    })
}

/// The first stage: the verified module, and what is in it.
fn emit<'c>(
    context: &'c Context,
    spec: &KernelSpec<'_>,
    machine: &TargetMachine,
) -> Result<(Module<'c>, passes::Code)> {
    let module = new_module(context, "nest", machine);
    let code = {
        let unit = Unit::new(context, &module, spec, Host::get()?)?;
        nest::emit(&unit)?;
        match (spec.tier, unit.scalar_loops.get()) {
            (Tier::Quick, _) => passes::Code::Quick,
            (Tier::Optimised, true) => passes::Code::Scalar,
            (Tier::Optimised, false) => passes::Code::Plain,
        }
    };
    passes::verify(&module)?;
    Ok((module, code))
}

/// The third stage: what the optimised code executes.
fn read_shape(
    module: &Module<'_>,
    machine: &TargetMachine,
    host: &Host,
    spec: &KernelSpec<'_>,
) -> Body {
    let mut shape = Body::default();
    if spec.tier == Tier::Optimised {
        shape = shape::of(module, machine, host.vector_bits);
        shape::place(&mut shape, spec.nest);
    }
    shape
}

/// The last stage: the module's machine code, as an object file or as text.
pub(crate) fn assemble(
    module: &Module<'_>,
    machine: &TargetMachine,
    kind: FileType,
) -> Result<Vec<u8>> {
    let buffer = machine.write_to_memory_buffer(module, kind);
    let buffer = buffer.map_err(|e| CodegenError::Llvm(e.to_string()))?;
    Ok(buffer.as_slice().to_vec())
}

/// An empty module for a machine.
pub(crate) fn new_module<'c>(
    context: &'c Context,
    name: &str,
    machine: &TargetMachine,
) -> Module<'c> {
    let module = context.create_module(name);
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module
}

/// The LLVM IR of a kernel, as emitted and as optimised, for tests and explanations.
///
/// # Errors
/// As [`compile`]'s.
pub fn llvm_ir(spec: KernelSpec<'_>) -> Result<(String, String)> {
    let host = Host::get()?;
    let context = Context::create();
    let machine = host.machine(spec.tier)?;
    let (module, code) = emit(&context, &spec, &machine)?;
    let before = module.print_to_string().to_string();
    passes::optimise(&module, &machine, code, spec.fp != FpMode::Strict)?;
    Ok((before, module.print_to_string().to_string()))
}

/// The assembly text of a kernel.
///
/// # Errors
/// As [`compile`]'s.
pub fn assembly(spec: KernelSpec<'_>) -> Result<String> {
    let host = Host::get()?;
    let context = Context::create();
    let machine = host.machine(spec.tier)?;
    let (module, code) = emit(&context, &spec, &machine)?;
    passes::optimise(&module, &machine, code, spec.fp != FpMode::Strict)?;
    let text = assemble(&module, &machine, FileType::Assembly)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
