//! Compiling a scheduled nest to object code.

use nestwise_analysis as analysis;
use nestwise_codegen as codegen;
use nestwise_ir::Tier;

use crate::kernel::About;
use crate::kernel::key::Key;
use crate::kernel::select::{Scheduled, unit_strides};
use crate::options::Options;
use crate::reason::Reason;
use crate::testing::planted_mistakes::PlantedMistake;

/// Bytes that LLVM may need for a kernel; where it gets none it ends the process.
const COMPILE_BYTES: usize = 64 << 20;

/// Whether there is memory to compile a kernel.
pub(crate) fn has_room() -> bool {
    // SAFETY: fresh pages that nobody looks at, given back at once.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let pages = libc::mmap(
            std::ptr::null_mut(),
            COMPILE_BYTES,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        );
        pages != libc::MAP_FAILED && libc::munmap(pages, COMPILE_BYTES) == 0
    }
}

/// Object code for a nest under a schedule, and what a launch has to know of it.
pub(crate) fn compile(
    scheduled: &Scheduled<'_>,
    key: &Key,
    options: &Options,
) -> Result<(Vec<u8>, About), Reason> {
    let schedule = &scheduled.schedule;
    let nest = scheduled.rewritten.as_ref().unwrap_or(scheduled.written);
    let unit_stride = unit_strides(nest, key);
    let spec = codegen::KernelSpec {
        nest,
        schedule,
        disjoint: key.disjoint(),
        unit_stride: &unit_stride,
        fp: options.fp,
        quiet: key.quiet,
        unchecked: options.unchecked.is_some(),
        tier: key.tier,
    };
    let compiled = codegen::compile(spec).map_err(|e| Reason::Codegen(e.to_string()))?;
    // CPython runs an undone range in the order as written, and it is that order's elements that may be there already.
    let ranges = analysis::ranges(nest);
    let mut undo = scheduled.undo_plan(&ranges, key);
    if options.unchecked.is_some() {
        (undo.guards, undo.warns) = (false, false);
    }
    undo.warns &= options.mistake != Some(PlantedMistake::Warning);
    let mut done = schedule.clone();
    if compiled.without_lanes {
        done.vector.clear();
    }
    let mut about = About::of(nest, &ranges, undo, &done, scheduled.rewrite);
    about.shape = compiled.shape;
    about.tier = key.tier;
    if key.tier == Tier::Quick {
        about.means.push("quick".into());
    }
    about.come_from(&scheduled.origin);
    about.means.extend(key.means().map(str::to_string));
    Ok((compiled.object, about))
}
