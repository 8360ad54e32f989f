//! The pass pipeline.

use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;

use crate::error::{CodegenError, Result};

/// Shorter than `default<O3>`: there is one module of a few functions, no calls worth inlining, and the emitter's
/// output is already rotated and free of dead code. Order as in LLVM's own pipeline.
const PIPELINE: &str = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),simplifycfg,loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn,simplifycfg,loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm))";

/// Optimises `module` for `machine`.
pub(crate) fn optimise(module: &Module<'_>, machine: &TargetMachine) -> Result<()> {
    let pipeline = std::env::var("NW_PASSES").unwrap_or_else(|_| PIPELINE.to_string());
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(true);
    options.set_loop_slp_vectorization(true);
    options.set_loop_unrolling(true);
    options.set_loop_interleaving(true);
    module
        .run_passes(&pipeline, machine, options)
        .map_err(|e| CodegenError::Llvm(e.to_string()))
}
