//! Chunks of a launch whose loops run on a device, which has copies of the arrays meanwhile.

use super::{Ended, Runner, Step};
use crate::device::Resident;
use crate::reason::Reason;
use nestwise_codegen::abi::Status;

impl Runner<'_> {
    /// Runs iterations `lo..hi`, their loops on a device.
    pub(super) fn on_grid(&mut self, lo: i64, hi: i64) -> Step {
        let kernel = self.launch.kernel.clone();
        let Some(grid) = &kernel.grid else {
            return Step::Done;
        };
        self.header_mut().status = Status::Done as i64;
        self.header_mut().at = lo;
        let frame = &mut self.launch.frame;
        let resident = match self.resident.take() {
            Some(resident) => Ok(resident),
            None => Resident::of(grid, &kernel.layout, frame, self.views, lo),
        };
        let ran = resident.and_then(|resident| {
            let resident = self.resident.insert(resident);
            resident.run(&kernel.code, frame, (lo, hi))
        });
        let reason = match ran {
            Ok(ran) if ran.status != Status::Event => {
                let at = self.launch.header().at.clamp(lo, hi);
                return self.ended(ran.status, at);
            }
            Ok(ran) => Reason::Event {
                line: ran.line.unwrap_or(0),
            },
            Err(reason) => reason,
        };
        let next = self.turn_back(reason, lo);
        Step::Ended(Ended::Partial { next })
    }

    /// Has the host's arrays hold what a device's copies do; false if it could not, and the launch is over.
    pub(super) fn land(&mut self) -> bool {
        let Some(mut resident) = self.resident.take() else {
            return true;
        };
        let (kernel, at) = (self.launch.kernel.clone(), self.launch.next);
        let (nest, frame) = (&kernel.about.nest, &mut self.launch.frame);
        let landed = resident.land(nest, &kernel.layout, frame, self.views, at);
        self.launch.transfers.add(resident.transfers());
        let Err(reason) = landed else {
            return true;
        };
        self.resident = Some(resident);
        let next = self.turn_back(reason, at);
        self.launch.ended = Ended::Partial { next };
        false
    }

    /// As if nothing had run since arrays went up to a device, or from iteration `at` on if none did: the first that has not run.
    fn turn_back(&mut self, reason: Reason, at: i64) -> i64 {
        self.launch.stopped_by = Some(reason);
        let next = match self.resident.take() {
            Some(resident) => resident.back(&mut self.launch.frame),
            None => at,
        };
        (self.launch.next, self.launch.started) = (next, next);
        next
    }
}
