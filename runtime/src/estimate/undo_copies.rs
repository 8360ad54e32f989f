//! What a launch copies in case that it has to be taken back, about.

use nestwise_analysis::dataflow::undo::{Region, SlotUndo, UndoPlan, undo_plan_with};
use nestwise_costmodel::{Device, LaunchWork, Seconds, Undo};
use nestwise_ir::LoopId;

use crate::kernel::key::copy_bytes;
use crate::launch;
use crate::options::options;
use crate::plan::{Plan, Sizes, lock};

impl Plan {
    /// On one core or on threads, where the kernel takes so many seconds.
    pub(crate) fn undo(&self, device: Device, sizes: &Sizes, seconds: Seconds) -> Undo {
        // Whoever interrupts an iteration may look at what it has written.
        let interrupted = !self.interruptible(sizes).is_empty();
        let events = self.guards > sizes.proven.len() || interrupted;
        if !events && !self.warns {
            return Undo::default();
        }
        let mut undo = Undo::default();
        undo.work.add(LaunchWork::Events, 1.0);
        let (in_order, slots) = self.undoing(device);
        // See `UndoPlan::to_save`: what has run nothing beyond an event may be run again over its own results.
        let ahead = events && !in_order || interrupted;
        let (mut whole, mut rows) = (0.0, 0.0);
        for slot in slots.iter().filter(|s| ahead || !s.idempotent) {
            let bytes = copy_bytes(&self.nest, slot.array, &sizes.values) as f64;
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
        let chunks = (seconds.0 / launch::chunk_seconds(copying.0, false)).max(1.0);
        let mut bytes = whole * chunks + rows;
        // One iteration at a time where that saves it all (see `launch`).
        let again = |s: &SlotUndo| s.idempotent || s.idempotent_alone;
        if !ahead && slots.iter().all(again) {
            let calls = sizes.expected(LoopId(0));
            bytes = bytes.min(calls * launch::BYTES_PER_CALL as f64);
        }
        undo.work.add(LaunchWork::UndoByte, bytes);
        undo.at_once = bytes.min(whole + rows.min(launch::undo_bytes(device) as f64));
        undo
    }

    /// Whether the kernel stops exactly where an event fires, and what it writes. Before there is one: nothing is known of the
    /// order of threads; on one core it is that of the nest if no loop is for lanes.
    fn undoing(&self, device: Device) -> (bool, Vec<SlotUndo>) {
        if let Some(kernel) = &lock(&self.made)[device.kind()] {
            return (kernel.about.in_order, kernel.about.undo.slots.clone());
        }
        let in_order = device == Device::Serial && !self.verdicts.has_parallel();
        (in_order, self.undo_plan().slots.clone())
    }

    /// What undoing takes where no arrays overlap.
    pub(crate) fn undo_plan(&self) -> &UndoPlan {
        self.undo.get_or_init(|| {
            let forms = &self.verdicts.verdicts(&self.nest).forms;
            undo_plan_with(&self.nest, forms, true)
        })
    }
}
