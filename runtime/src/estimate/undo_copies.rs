//! What a launch copies so that it can be rolled back, about.

use nestwise_analysis::dataflow::undo::{Region, SlotUndo};
use nestwise_costmodel::{Device, LaunchWork, Seconds, Undo};
use nestwise_ir::LoopId;

use crate::launch::chunks;
use crate::options::options;
use crate::plan::{Plan, Sizes};

/// The copies of a launch on one core or on threads, whose kernel takes `seconds`.
pub(crate) fn undo(plan: &Plan, device: Device, sizes: &Sizes, seconds: Seconds) -> Undo {
    let analysed = &plan.analysed;
    // Whoever interrupts an iteration may look at what it has written.
    let interrupted = !analysed.interruptible(sizes).is_empty();
    let guards = analysed.guards() > sizes.proven.len() || interrupted;
    if !guards && !analysed.warns() {
        return Undo::default();
    }
    let mut undo = Undo::default();
    undo.work.add(LaunchWork::Rollback, 1.0);
    let (in_order, slots) = undoing(plan, device);
    // See `UndoPlan::to_save`: what has run nothing beyond a guard failure may be run again over its own results.
    let ahead = guards && !in_order || interrupted;
    let (mut whole, mut rows) = (0.0, 0.0);
    for slot in slots.iter().filter(|s| ahead || !s.idempotent) {
        let bytes = analysed.copy_bytes(slot.array, &sizes.values) as f64;
        match slot.region {
            Region::Whole => whole += bytes,
            Region::Rows { .. } => rows += bytes,
        }
    }
    // What is written anywhere is copied before each chunk, rows but once.
    let mut copying = Undo {
        at_once: whole,
        ..Undo::default()
    };
    copying.work.add(LaunchWork::UndoByte, whole);
    let copying = copying.seconds(&options().profile);
    let chunks = (seconds.0 / chunks::chunk_time(copying, false).0).max(1.0);
    let mut bytes = whole * chunks + rows;
    // One iteration at a time where that saves it all (see `launch`).
    let again = |s: &SlotUndo| s.idempotent || s.idempotent_alone;
    if !ahead && slots.iter().all(again) {
        let calls = sizes.expected(LoopId(0));
        bytes = bytes.min(calls * chunks::BYTES_PER_CALL as f64);
    }
    undo.work.add(LaunchWork::UndoByte, bytes);
    undo.at_once = bytes.min(whole + rows.min(chunks::undo_bytes(device) as f64));
    undo
}

/// Whether the kernel stops exactly where a guard fails, and the slots that it writes. Before there is one, nothing is
/// known of the order of threads; on one core it is that of the nest if no loop is for lanes.
fn undoing(plan: &Plan, device: Device) -> (bool, Vec<SlotUndo>) {
    let analysed = &plan.analysed;
    if let Some(kernel) = plan.kernels.last(device) {
        return (kernel.about.in_order, kernel.about.undo.slots.clone());
    }
    let in_order = device == Device::Serial && !analysed.verdicts().has_parallel();
    (in_order, analysed.undo_plan().slots.clone())
}
