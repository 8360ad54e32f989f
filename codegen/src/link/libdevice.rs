//! Mathematical functions on GPUs: CUDA's libdevice, bitcode that is linked into a nest's kernels.
//!
//! The functions of libdevice are off by at most these units in the last place (CUDA C++ Programming Guide,
//! "Mathematical Functions", the tables for double and single precision): `exp`, `exp2`, `expm1`, `log`, `log2`,
//! `log10`, `log1p`, `cbrt`, `cosh` 1, the others here 2 or 3 in double precision; single precision 4 at most.
//! Functions that are off by more than 4 (`erfc`, `pow` in single precision) are left out, and so is `hypot`, which
//! `--fp faithful` promises to the bit.

use std::path::PathBuf;
use std::sync::OnceLock;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{FlagBehavior, Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;
use nestwise_ir::{Fun, Scalar};

use crate::error::{CodegenError, Result};
use crate::link::ufunc;

/// The prefix of the names of all libdevice functions.
const PREFIX: &str = "__nv_";
/// What libdevice functions ask (`__nvvm_reflect`) to know whether denormal numbers may be flushed: never.
const FLUSHES: &str = "nvvm-reflect-ftz";
/// LLVM's passes over linked libdevice functions: each is inlined into its caller, and nothing of the others is left.
const PIPELINE: &str = "nvvm-reflect,always-inline,globaldce";

static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Registers the path of `libdevice.10.bc`; only the first call counts.
pub fn register_libdevice(file: PathBuf) {
    FILE.get_or_init(|| file);
}

/// A text that differs between libraries, for the keys of cached kernels.
pub fn libdevice_description() -> String {
    let Some(file) = FILE.get() else {
        return String::new();
    };
    let meta = std::fs::metadata(file).ok();
    let told = meta.map(|meta| (meta.len(), meta.modified().ok()));
    format!("{} {told:?}", file.display())
}

/// The symbol of a function, if there is a library and it has one that is near enough.
pub(crate) fn symbol(fun: Fun, repr: Scalar) -> Option<String> {
    let single = match repr {
        Scalar::F64 => false,
        Scalar::F32 => true,
        _ => return None,
    };
    let far = match fun {
        Fun::Erfc | Fun::Hypot => true,
        Fun::Pow => single,
        _ => false,
    };
    let name = ufunc::fun_name(fun).filter(|_| !far && FILE.get().is_some())?;
    Some(format!("{PREFIX}{name}{}", if single { "f" } else { "" }))
}

/// Whether a symbol is one of libdevice's functions.
pub(crate) fn has(symbol: &str) -> bool {
    symbol.starts_with(PREFIX)
}

/// Links the functions of libdevice that the module calls.
pub(crate) fn link<'a>(
    module: &Module<'a>,
    context: &'a Context,
    machine: &TargetMachine,
) -> Result<()> {
    let Some(file) = FILE.get() else {
        return Ok(());
    };
    let bad = |e: &dyn std::fmt::Display| CodegenError::Unsupported(format!("libdevice: {e}"));
    let bytes = MemoryBuffer::create_from_file(file).map_err(|e| bad(&e))?;
    let library = Module::parse_bitcode_from_buffer(&bytes, context).map_err(|e| bad(&e))?;
    library.set_triple(&module.get_triple());
    library.set_data_layout(&module.get_data_layout());
    // Its own functions alone: kernels keep their names.
    let own: Vec<String> = library
        .get_functions()
        .filter(|f| f.count_basic_blocks() > 0)
        .filter_map(|f| f.get_name().to_str().ok().map(str::to_string))
        .collect();
    module.link_in_module(library).map_err(|e| bad(&e))?;
    for name in own {
        if let Some(function) = module.get_function(&name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    let no = context.i32_type().const_zero();
    module.add_basic_value_flag(FLUSHES, FlagBehavior::Override, no);
    let options = PassBuilderOptions::create();
    module
        .run_passes(PIPELINE, machine, options)
        .map_err(|e| CodegenError::Llvm(e.to_string()))
}
