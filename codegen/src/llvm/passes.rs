//! The pass pipelines.
//!
//! Measured against `default<O3>` on products, stencils and escape-time loops: a third of its time, and code that runs
//! as fast. There is one module of a few functions, nothing to inline, and the emitter's output is already rotated
//! and typed; what is left is promotion, clean-up, hoisting, and vectorising loops that the schedule left alone.

use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;

use crate::error::{CodegenError, Result};

/// For kernels whose inner loops were vectorised by the emitter.
const PLAIN: &str = "function(\
    sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    loop-mssa(loop-rotate,licm),simplifycfg,\
    loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,\
    instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm))";

/// For kernels of devices: the same, and loops are unrolled of which that is asked. Parts of cooperative kernels are put into
/// those.
const DEVICE: &str = "always-inline,function(\
    sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    loop-mssa(loop-rotate,licm),simplifycfg,\
    loop(indvars,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,\
    instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),\
    loop-unroll<O3;no-partial;no-runtime;no-peeling;no-upperbound>,early-cse<memssa>,\
    instcombine<no-verify-fixpoint>,simplifycfg)";

/// For kernels with scalar inner loops: LLVM's vectorisers, then loads shared between iterations (the second `gvn`, which
/// does not see it where a loop goes down; `loop-load-elim` does). The other way round a stencil's neighbours would be carried from vector to vector and shuffled into place, which costs
/// more than loading them again.
const FULL: &str = "function(\
    sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    loop-mssa(loop-rotate,licm),simplifycfg,\
    loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn<no-load-pre>,simplifycfg,\
    loop-vectorize,loop-load-elim,instcombine<no-verify-fixpoint>,slp-vectorizer,gvn,\
    instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),\
    loop-unroll<O3>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// For quick code: variables become registers, and what is computed twice or never used goes. Whatever else there is to gain costs more
/// time than instruction selection itself, which is the fast one.
const QUICK: &str = "function(sroa,early-cse<memssa>,simplifycfg)";

/// What is in a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// For the host: inner loops are vectors, or what a device has.
    Plain,
    /// For the host: inner loops are scalar.
    Scalar,
    /// For threads of a device.
    Device,
    /// For the host, and soon.
    Quick,
}

/// Optimises `module` for `machine`.
pub(crate) fn optimise(
    module: &Module<'_>,
    machine: &TargetMachine,
    code: Code,
    vector_math: bool,
) -> Result<()> {
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(true);
    options.set_loop_interleaving(true);
    let pipeline = match code {
        Code::Plain => PLAIN,
        Code::Scalar => FULL,
        Code::Device => DEVICE,
        Code::Quick => QUICK,
    };
    // Forms of functions that no vectoriser asked for.
    let unused = if vector_math { ",globaldce" } else { "" };
    let pipeline = &format!("{pipeline}{unused}");
    module
        .run_passes(pipeline, machine, options)
        .map_err(|e| CodegenError::Llvm(e.to_string()))
}
