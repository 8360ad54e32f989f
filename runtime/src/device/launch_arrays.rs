//! The arrays of a launch on a device, from one chunk to the next.

use std::collections::BTreeMap;

use nestwise_codegen::GridKernel;
use nestwise_codegen::abi::{FrameHeader, FrameLayout, Status};
use nestwise_ir::{ArrayId, Nest};

use crate::device::code::Code;
use crate::device::cuda::Cuda;
use crate::device::emulated::Emulated;
use crate::device::grid::{Expected, Grid};
use crate::device::host_part::{self, Running};
use crate::device::interface::Device;
use crate::device::memory::{Before, Memory, Owner, Transfers};
use crate::device::residency;
use crate::memory::overlap::ArrayView;
use crate::reason::Reason;
use crate::threads::fp_environment;

/// What became of a chunk.
pub struct Ran {
    pub status: Status,
    /// The line of the guard that failed in a thread.
    pub line: Option<u32>,
    /// Whether the host's part did something that NumPy may warn of.
    pub raised: bool,
}

/// The arrays of a launch by slot, on the host.
pub struct Slots<'a> {
    /// The arrays.
    pub views: &'a [ArrayView],
    /// The arrays that have to be as before where the launch is rolled back.
    pub saved: &'a [ArrayId],
    /// What keeps the memory of a slot, if its copy may outlive the launch.
    pub owner: &'a dyn Fn(usize) -> Option<Owner>,
}

/// The arrays of a launch that are on a device.
pub struct Resident {
    memory: Memory,
    kernels: Vec<GridKernel>,
    /// The copies that are written, and where what they held before is.
    written: Vec<(u64, Before)>,
    /// The frame as it was when the copies were made, with the host's addresses.
    frame: Vec<u128>,
    /// The first iteration that had not run when the copies were made.
    since: i64,
    /// For each kernel: the threads that its largest part asks for; see [`Expected::cooperative_threads`].
    cooperative_threads: Vec<i64>,
}

impl Resident {
    /// Makes room for the copies that are not there yet; from then on the frame has the device's addresses. `at`: the
    /// first iteration that has not run.
    pub fn of(
        grid: &Grid,
        nest: &Nest,
        layout: &FrameLayout,
        frame: &mut [u128],
        slots: &Slots<'_>,
        (at, expected): (i64, &Expected),
    ) -> Result<Resident, Reason> {
        host_part::register();
        let mut resident = Resident {
            memory: memory_for(grid)?,
            kernels: grid.kernels().to_vec(),
            written: Vec::new(),
            frame: frame.to_vec(),
            since: at,
            cooperative_threads: expected.cooperative_threads.clone(),
        };
        let mut firsts = resident.bring_up(grid, nest, slots);
        if matches!(firsts, Err(Reason::DeviceMemory)) {
            // Others' copies may have taken it.
            firsts = resident
                .give_room()
                .and_then(|()| resident.bring_up(grid, nest, slots));
        }
        let firsts = match firsts {
            Ok(firsts) => firsts,
            Err(reason) => {
                resident.back(&mut []);
                return Err(reason);
            }
        };
        // Only now: where there is no room, the frame stays the host's.
        let words = Words(frame);
        for slot in nest.arrays.ids().filter_map(|id| layout.slot(id)) {
            // Slots may have traded places by now.
            let whose = usize::try_from(words.get(slot.origin)).ok();
            let first = whose.and_then(|k| firsts.get(k));
            words.put(slot.ptr, first.copied().unwrap_or(0));
        }
        Ok(resident)
    }

    /// Settles all copies on the device, and drops them.
    fn give_room(&mut self) -> Result<(), Reason> {
        for (_, before) in self.written.drain(..) {
            self.memory.release(before);
        }
        self.memory.settle_all()?;
        self.memory.forget_all();
        Ok(())
    }

    /// Makes the copies of all slots that are not there yet; returns the device's address of the first element of each
    /// slot.
    fn bring_up(
        &mut self,
        grid: &Grid,
        nest: &Nest,
        slots: &Slots<'_>,
    ) -> Result<Vec<i64>, Reason> {
        self.memory.begin(grid.code())?;
        let mut firsts = Vec::with_capacity(slots.views.len());
        // Slots of one array have one copy.
        let mut written = BTreeMap::new();
        for (view, (id, decl)) in slots.views.iter().zip(nest.arrays.iter()) {
            let owner = || (slots.owner)(id.index());
            let copy = self.memory.bring(view, decl.written, owner)?;
            if decl.written {
                *written.entry(copy).or_insert(true) &= !slots.saved.contains(&id);
            }
            firsts.push(copy as i64 + (view.ptr as i64 - view.range().0));
        }
        for (copy, again) in written {
            let before = self.memory.remember(copy, again)?;
            self.written.push((copy, before));
        }
        Ok(firsts)
    }

    /// Runs top iterations `lo..hi`, the bound `hi` excluded.
    pub fn run(
        &mut self,
        host: &nestwise_codegen::Kernel,
        frame: &mut [u128],
        (lo, hi): (i64, i64),
    ) -> Result<Ran, Reason> {
        let mut running = Running::new(
            &mut self.memory,
            &self.kernels,
            &self.cooperative_threads,
            &self.written,
        );
        let words = Words(frame);
        let user = std::mem::offset_of!(FrameHeader, user);
        words.put(user, (&raw mut running) as i64);
        fp_environment::clear();
        // SAFETY: a frame that was filled for this kernel, whose arrays are the device's.
        unsafe { host.run(words.0.as_mut_ptr().cast(), lo, hi) };
        let raised = fp_environment::raised();
        fp_environment::clear();
        words.put(user, 0);
        running.end();
        running.outcome()?;
        let line = self.memory.device.finish()?;
        let status = match line {
            Some(_) => Status::GuardFailed,
            None => Status::from_code(words.get(0)).unwrap_or(Status::GuardFailed),
        };
        Ok(Ran {
            status,
            line,
            raised,
        })
    }

    /// Whether any copies may outlive the launch, as far as that depends on it.
    pub fn could_stay(&self) -> bool {
        self.memory.owners().next().is_some()
    }

    /// Has what was written count; the frame has the host's addresses again. Copies with an owner stay on the device if
    /// they may, until somebody asks; the others are downloaded. Where the device fails, nothing of the host's has
    /// changed. Returns whether any copies stay.
    pub fn land(
        &mut self,
        nest: &Nest,
        layout: &FrameLayout,
        frame: &mut [u128],
        views: &[ArrayView],
        at: i64,
        may_stay: bool,
    ) -> Result<bool, Reason> {
        for (copy, _) in &self.written {
            self.memory.wrote(*copy);
        }
        if !may_stay {
            self.memory.settle_all()?;
        }
        let any = self.memory.end()?;
        for (_, before) in self.written.drain(..) {
            self.memory.release(before);
        }
        // Slots that traded places hold each other's arrays.
        let words = Words(frame);
        for slot in nest.arrays.ids().filter_map(|id| layout.slot(id)) {
            let whose = usize::try_from(words.get(slot.origin)).ok();
            let view = whose.and_then(|k| views.get(k));
            words.put(slot.ptr, view.map_or(0, |view| view.ptr as i64));
        }
        self.since = at;
        Ok(any && may_stay)
    }

    /// Leaves the copies on the device.
    pub fn stay(self) {
        residency::put(self.memory);
    }

    /// Restores what was before: the frame, and the copies that were newer than the host's arrays. Returns the first
    /// iteration that had not run when that was so.
    pub fn back(mut self, frame: &mut [u128]) -> i64 {
        for (copy, before) in self.written.drain(..) {
            self.memory.roll_back(copy, before);
        }
        let before = self.frame.get(..frame.len()).unwrap_or_default();
        frame.copy_from_slice(before);
        if !self.memory.is_settled() {
            residency::put(self.memory);
        }
        self.since
    }

    /// What was uploaded and downloaded since this was last asked.
    pub fn take_transfers(&mut self) -> Transfers {
        self.memory.take_transfers()
    }
}

/// The memory of a device that can run the kernels: what is kept there from earlier launches, or an empty one.
fn memory_for(grid: &Grid) -> Result<Memory, Reason> {
    let number = match grid.code() {
        Code::Emulated(_) => Emulated::turn(),
        Code::Cuda(_) => 0,
    };
    if let Some(mut kept) = residency::take() {
        if kept.device_number() == number {
            return Ok(kept);
        }
        // By way of the host.
        if let Err(reason) = kept.settle_all() {
            residency::put(kept);
            return Err(reason);
        }
        residency::count(kept.take_transfers());
    }
    let device: Box<dyn Device> = match grid.code() {
        Code::Emulated(_) => Box::new(Emulated::default()),
        Code::Cuda(_) => Box::new(Cuda::new()?),
    };
    Ok(Memory::of(device, number))
}

/// A frame as words at byte offsets.
struct Words<'a>(&'a mut [u128]);

impl Words<'_> {
    fn at(&self, offset: usize) -> *mut i64 {
        assert!(offset + 8 <= self.0.len() * 16);
        // In the frame, as was just seen; the frame is borrowed mutably.
        (self.0.as_ptr() as usize + offset) as *mut i64
    }
    fn get(&self, offset: usize) -> i64 {
        // SAFETY: in the frame; aligned, since every field is.
        unsafe { *self.at(offset) }
    }
    fn put(&self, offset: usize, word: i64) {
        // SAFETY: as above.
        unsafe { *self.at(offset) = word }
    }
}
