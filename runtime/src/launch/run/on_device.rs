//! Chunks of a launch whose loops run on a device, which has copies of the arrays meanwhile.

use nestwise_codegen::abi::Status;

use crate::device::{Resident, Slots, residency};
use crate::launch::outcome::Ended;
use crate::launch::run::{Runner, Step};
use crate::reason::Reason;

impl Runner<'_> {
    /// Runs iterations `lo..hi`, whose loops run on a device.
    pub(super) fn on_grid(&mut self, lo: i64, hi: i64) -> Step {
        let kernel = self.launch.kernel.clone();
        let Some(grid) = &kernel.grid else {
            return Step::Done;
        };
        self.header_mut().status = Status::Done as i64;
        self.header_mut().at = lo;
        let (nest, frame) = (&kernel.about.nest, &mut self.launch.frame);
        let owner = |slot: usize| self.host.owner(slot);
        let resident = match self.resident.take() {
            Some(resident) => Ok(resident),
            None => {
                // A thread may have run ahead of the one whose guard fails.
                let saved = kernel.about.undo.to_save(false, false, self.stops);
                let saved: Vec<_> = saved.map(|slot| slot.array).collect();
                let slots = Slots {
                    views: self.views,
                    saved: &saved,
                    owner: &owner,
                };
                Resident::of(
                    grid,
                    nest,
                    &kernel.layout,
                    frame,
                    &slots,
                    (lo, &self.of_grid),
                )
            }
        };
        let ran = resident.and_then(|resident| {
            let resident = self.resident.insert(resident);
            resident.run(&kernel.code, frame, (lo, hi))
        });
        let reason = match ran {
            Ok(ran) if ran.raised && kernel.about.undo.warns && !self.host.silent() => {
                Reason::FloatingPoint
            }
            Ok(ran) if ran.status != Status::GuardFailed => {
                let at = self.launch.header().at.clamp(lo, hi);
                return self.ended(ran.status, at);
            }
            Ok(ran) => Reason::GuardFailure {
                line: ran.line.unwrap_or(0),
            },
            Err(reason) => reason,
        };
        let next = self.turn_back(reason, lo);
        Step::Ended(Ended::Partial { next })
    }

    /// Has the host's arrays hold what a device's copies do or, if the copies `may_stay`, leaves them on the device
    /// where the program cannot look at the arrays; false if that failed, and the launch is over.
    pub(super) fn land(&mut self, may_stay: bool) -> bool {
        let Some(mut resident) = self.resident.take() else {
            return true;
        };
        let (kernel, at) = (self.launch.kernel.clone(), self.launch.next);
        let (nest, frame) = (&kernel.about.nest, &mut self.launch.frame);
        let landed = resident.land(nest, &kernel.layout, frame, self.views, at, may_stay);
        self.launch.transfers.add(resident.take_transfers());
        match landed {
            Ok(true) => resident.stay(),
            Ok(false) => {}
            Err(reason) => {
                self.resident = Some(resident);
                let next = self.turn_back(reason, at);
                self.launch.ended = Ended::Partial { next };
                return false;
            }
        }
        true
    }

    /// Makes it as if nothing had run since arrays were uploaded to a device, or from iteration `at` on if none were;
    /// returns the first iteration that has not run.
    fn turn_back(&mut self, reason: Reason, at: i64) -> i64 {
        self.launch.stopped_by = Some(reason);
        let next = match self.resident.take() {
            Some(mut resident) => {
                self.launch.transfers.add(resident.take_transfers());
                resident.back(&mut self.launch.frame)
            }
            None => at,
        };
        (self.launch.next, self.launch.started) = (next, next);
        next
    }

    /// Makes the arrays of a launch on the host ready there: what a device has computed of them is downloaded, and
    /// copies of those that are written are dropped.
    pub(super) fn find_on_host(&self) -> Result<(), Reason> {
        if !residency::any() || self.launch.kernel.grid.is_some() {
            return Ok(());
        }
        let nest = &self.launch.kernel.about.nest;
        for (view, decl) in self.views.iter().zip(nest.arrays.values()) {
            match decl.written {
                true => residency::give_up(view.range())?,
                false => residency::settle(Some(view.range()))?,
            }
        }
        Ok(())
    }
}
