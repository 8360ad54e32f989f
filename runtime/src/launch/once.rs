//! One call of a kernel.

use nestwise_analysis::Region;
use nestwise_codegen::abi::Status;
use nestwise_codegen::link::interrupts;

use crate::kernel::Kernel;
use crate::launch::chunks::{INTERRUPT_AFTER, INTERRUPT_AFTER_UNKNOWN, MOST_TRIES};
use crate::launch::frame::header_mut;
use crate::memory::overlap::ArrayView;
use crate::plan::sizes::TopRange;
use crate::threads::fp_environment;
use crate::undo;

/// The time from which a call of a kernel that begins now gives up if somebody waits, after so many failed tries.
pub(super) fn deadline(kernel: &Kernel, tries: u32) -> i64 {
    if kernel.about.nest.interruptible.is_empty() {
        return i64::MAX;
    }
    let after = match interrupts::is_waiting_known() {
        true => INTERRUPT_AFTER,
        false => INTERRUPT_AFTER_UNKNOWN,
    };
    match tries {
        0..=MOST_TRIES => interrupts::now() + (after << tries),
        _ => i64::MAX,
    }
}

/// Runs iterations `lo..hi` on a frame filled for this kernel, whose arrays are alive. Returns how that ended, and
/// whether a floating-point flag was set that NumPy looks at.
pub(super) fn run_watched(kernel: &Kernel, frame: &mut [u128], lo: i64, hi: i64) -> (Status, bool) {
    header_mut(frame).status = Status::Done as i64;
    header_mut(frame).at = lo;
    fp_environment::clear();
    // SAFETY: as the callers promise.
    unsafe { kernel.code.run(frame.as_mut_ptr().cast(), lo, hi) };
    let raised = fp_environment::raised();
    fp_environment::clear();
    let status = Status::from_code(header_mut(frame).status);
    (status.unwrap_or(Status::GuardFailed), raised)
}

/// The part of a view that iterations `lo..hi` of the top loop may write.
pub(super) fn part(
    view: &ArrayView,
    region: Region,
    top: Option<TopRange>,
    lo: i64,
    hi: i64,
) -> ArrayView {
    match (region, top) {
        // The tag plane of a mixed list is not cut.
        (
            Region::Rows {
                axis,
                lo: below,
                hi: above,
            },
            Some(top),
        ) if view.tags.is_null() => {
            let ends = (top.start + lo * top.step, top.start + (hi - 1) * top.step);
            let (first, last) = (ends.0.min(ends.1) + below, ends.0.max(ends.1) + above);
            undo::slice(view, axis as usize, first, last + 1)
        }
        _ => *view,
    }
}
