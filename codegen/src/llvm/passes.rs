//! The pass pipelines.
//!
//! Measured against `default<O3>` on products, stencils and escape-time loops: a third of its time, and code that runs
//! as fast. There is one module of a few functions, nothing to inline, and the emitter's output is already rotated
//! and typed; what is left is promotion, clean-up, hoisting, and vectorising loops that the schedule left alone.
//!
//! Quick code has three passes and `-O0` instruction selection. With `instcombine`, `loop-rotate` and `licm` it took a
//! fifth longer to make; with `-O1` selection, which allocates registers, twice as long (medians over 112 kernels).

use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;

use crate::error::{CodegenError, Result};

/// A pipeline: LLVM's function passes in their order, in LLVM's notation.
type Passes = &'static [&'static str];

/// The pipeline for kernels whose inner loops were vectorised by the emitter.
const PLAIN: Passes = &[
    // Variables become registers, and what is computed twice goes, loads included.
    "sroa",
    "early-cse<memssa>",
    // Branches on what is known go, and operations take their simplest forms.
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    // Loops without their own first test, and what does not change in them before them: descriptors above all.
    "loop-mssa(loop-rotate,licm)",
    "simplifycfg",
    // Counters in one form, and loops of a few known iterations unrolled, whose variables become registers in turn.
    "loop(indvars,loop-deletion,loop-unroll-full)",
    "sroa",
    "early-cse<memssa>",
    // What that has made simpler.
    "instcombine<no-verify-fixpoint>",
    "simplifycfg",
    "loop-mssa(licm)",
];

/// The pipeline for kernels with scalar inner loops. Vectorisers come before loads are shared between iterations: the
/// other way round a stencil's neighbours would be carried from vector to vector and shuffled into place, which costs
/// more than loading them again.
const FULL: Passes = &[
    // As above.
    "sroa",
    "early-cse<memssa>",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "loop-mssa(loop-rotate,licm)",
    "simplifycfg",
    "loop(indvars,loop-deletion,loop-unroll-full)",
    "sroa",
    // What is computed twice goes, across branches too; no load is carried from one iteration to the next yet.
    "gvn<no-load-pre>",
    "simplifycfg",
    "loop-vectorize",
    // Loads of what the iteration before has stored, where a loop goes down, which `gvn` does not see.
    "loop-load-elim",
    "instcombine<no-verify-fixpoint>",
    "slp-vectorizer",
    // Loads shared between iterations.
    "gvn",
    "instcombine<no-verify-fixpoint>",
    "simplifycfg",
    "loop-mssa(licm)",
    // Loops that the vectorisers have left, several iterations at once.
    "loop-unroll<O3>",
    "instcombine<no-verify-fixpoint>",
    "simplifycfg",
];

/// The pipeline for kernels of devices.
const DEVICE: Passes = &[
    // As for plain code.
    "sroa",
    "early-cse<memssa>",
    "simplifycfg",
    "instcombine<no-verify-fixpoint>",
    "loop-mssa(loop-rotate,licm)",
    "simplifycfg",
    "loop(indvars,loop-deletion,loop-unroll-full)",
    "sroa",
    "early-cse<memssa>",
    "instcombine<no-verify-fixpoint>",
    "simplifycfg",
    "loop-mssa(licm)",
    // Only loops of which that is asked: what LLVM chooses is made for processors.
    "loop-unroll<O3;no-partial;no-runtime;no-peeling;no-upperbound>",
    "early-cse<memssa>",
    "instcombine<no-verify-fixpoint>",
    "simplifycfg",
];

/// The pipeline for quick code. Whatever else there is to gain costs more time than instruction selection itself, which
/// is the fast one.
const QUICK: Passes = &[
    // Variables become registers.
    "sroa",
    // What is computed twice goes.
    "early-cse<memssa>",
    // Branches on what is known go, and blocks with nothing in them.
    "simplifycfg",
];

/// The kind of code in a module, which decides how it is optimised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// Code for the host, whose inner loops are vectors or run on a device.
    Plain,
    /// Code for the host with scalar inner loops.
    Scalar,
    /// Code for threads of a device.
    Device,
    /// Quick code for the host.
    Quick,
}

/// Checks that a module is well formed.
pub(crate) fn verify(module: &Module<'_>) -> Result<()> {
    module
        .verify()
        .map_err(|e| CodegenError::Llvm(e.to_string()))
}

/// Optimises `module` for `machine`. `vector_math`: it may have forms of functions that no vectoriser asked for. In
/// debug builds LLVM verifies the module after each pass, and aborts with the name of one that has broken it.
pub(crate) fn optimise(
    module: &Module<'_>,
    machine: &TargetMachine,
    code: Code,
    vector_math: bool,
) -> Result<()> {
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(true);
    options.set_loop_interleaving(true);
    options.set_verify_each(cfg!(debug_assertions));
    // Parts of cooperative kernels are put into those before anything else.
    let (before, passes) = match code {
        Code::Plain => ("", PLAIN),
        Code::Scalar => ("", FULL),
        Code::Device => ("always-inline,", DEVICE),
        Code::Quick => ("", QUICK),
    };
    let behind = if vector_math { ",globaldce" } else { "" };
    let pipeline = format!("{before}function({}){behind}", passes.join(","));
    module
        .run_passes(&pipeline, machine, options)
        .map_err(|e| CodegenError::Llvm(e.to_string()))
}
