//! The LLVM IR of a kernel: as emitted, or with `# option optimised` as LLVM's passes leave it.

use nestwise_codegen::{KernelSpec, Tier, llvm_ir};

use crate::file::FileTest;

pub(super) fn output(test: &FileTest) -> Result<String, String> {
    let nest = test.nest()?;
    let schedule = nestwise_ir::text::read_schedule(&test.schedule).map_err(|e| e.to_string())?;
    let unit_stride = vec![true; nest.arrays.len()];
    let spec = KernelSpec {
        nest: &nest,
        schedule: &schedule,
        disjoint: test.has("no-alias"),
        unit_stride: &unit_stride,
        fp: test.fp(),
        quiet: false,
        unchecked: false,
        tier: if test.has("quick") {
            Tier::Quick
        } else {
            Tier::Optimised
        },
    };
    let (emitted, optimised) = llvm_ir(spec).map_err(|e| e.to_string())?;
    Ok(if test.has("optimised") {
        optimised
    } else {
        emitted
    })
}
