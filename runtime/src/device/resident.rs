//! Copies of a launch's arrays on a device, from one chunk of it to the next.

use super::{Device, Grid};
use crate::overlap::ArrayView;
use crate::reason::Reason;
use nestwise_codegen::abi::{FrameHeader, FrameLayout, Status};
use nestwise_ir::{ArrayId, Nest};
use std::time::Instant;

/// Arrays that went up and came down, their bytes, and the seconds that took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transfers {
    pub up: u64,
    pub down: u64,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub seconds_up: f64,
    pub seconds_down: f64,
}

impl Transfers {
    /// Both together.
    pub fn add(&mut self, other: Transfers) {
        self.up += other.up;
        self.down += other.down;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
        self.seconds_up += other.seconds_up;
        self.seconds_down += other.seconds_down;
    }
}

/// What a chunk came to.
pub struct Ran {
    pub status: Status,
    /// The line in which a thread fired.
    pub line: Option<u32>,
}

/// The arrays of a launch, on a device.
pub struct Resident {
    device: Box<dyn Device>,
    /// Axes of each kernel.
    axes: Vec<usize>,
    /// Where the bytes of each slot begin on the device.
    copies: Vec<u64>,
    /// The frame as it is on the host, of which these are copies.
    frame: Vec<u128>,
    /// The first iteration that had not run then.
    since: i64,
    transfers: Transfers,
}

/// What the host's part finds as its frame's user.
pub(super) struct Running<'a> {
    pub(super) device: &'a mut dyn Device,
    pub(super) axes: &'a [usize],
}

impl Resident {
    /// Brings everything up; from then on the frame has the device's addresses. `at`: the first iteration that has not run.
    pub fn of(
        grid: &Grid,
        layout: &FrameLayout,
        frame: &mut [u128],
        views: &[ArrayView],
        at: i64,
    ) -> Result<Resident, Reason> {
        let mut resident = Resident {
            device: grid.device()?,
            axes: grid.axes().to_vec(),
            copies: Vec::with_capacity(views.len()),
            frame: frame.to_vec(),
            since: at,
            transfers: Transfers::default(),
        };
        let (mut firsts, begun) = (Vec::with_capacity(views.len()), Instant::now());
        for view in views {
            let (from, to) = view.range();
            let copy = resident.bring_up(from as *const u8, (to - from) as usize)?;
            firsts.push(copy as i64 + (view.ptr as i64 - from));
        }
        // Only now: where there is no room, the frame stays the host's.
        let words = Words(frame);
        for slot in (0..views.len()).filter_map(|k| layout.slot(ArrayId(k as u32))) {
            // Slots may have traded places by now.
            let whose = usize::try_from(words.get(slot.origin)).ok();
            let first = whose.and_then(|k| firsts.get(k));
            words.put(slot.ptr, first.copied().unwrap_or(0));
        }
        resident.transfers.seconds_up = begun.elapsed().as_secs_f64();
        Ok(resident)
    }

    fn bring_up(&mut self, from: *const u8, bytes: usize) -> Result<u64, Reason> {
        let copy = self.device.allocate(bytes)?;
        // SAFETY: an array's own bytes, gaps included.
        unsafe { self.device.upload(copy, from, bytes)? };
        self.copies.push(copy);
        self.transfers.up += 1;
        self.transfers.bytes_up += bytes as u64;
        Ok(copy)
    }

    /// Runs top iterations `lo..hi`.
    pub fn run(
        &mut self,
        host: &nestwise_codegen::Kernel,
        frame: &mut [u128],
        (lo, hi): (i64, i64),
    ) -> Result<Ran, Reason> {
        let mut running = Running {
            device: &mut *self.device,
            axes: &self.axes,
        };
        let words = Words(frame);
        let user = std::mem::offset_of!(FrameHeader, user);
        words.put(user, (&raw mut running) as i64);
        // SAFETY: a frame that was filled for this kernel, whose arrays are the device's.
        unsafe { host.run(words.0.as_mut_ptr().cast(), lo, hi) };
        words.put(user, 0);
        let line = self.device.finish()?;
        let status = match line {
            Some(_) => Status::Event,
            None => Status::from_code(words.get(0)).unwrap_or(Status::Event),
        };
        Ok(Ran { status, line })
    }

    /// Brings down what may have been written; the frame has the host's addresses again. Where the device fails, nothing of the
    /// host's has changed.
    pub fn land(
        &mut self,
        nest: &Nest,
        layout: &FrameLayout,
        frame: &mut [u128],
        views: &[ArrayView],
        at: i64,
    ) -> Result<(), Reason> {
        let (mut landed, begun) = (Vec::new(), Instant::now());
        for ((view, copy), decl) in views.iter().zip(&self.copies).zip(nest.arrays.values()) {
            if !decl.written || view.is_empty() {
                continue;
            }
            let (from, to) = view.range();
            let mut bytes = vec![0; (to - from) as usize];
            self.device.download(*copy, &mut bytes)?;
            self.transfers.down += 1;
            self.transfers.bytes_down += bytes.len() as u64;
            landed.push((view, bytes));
        }
        for (view, bytes) in landed {
            spread(view, &bytes);
        }
        self.transfers.seconds_down += begun.elapsed().as_secs_f64();
        // Slots that traded places hold each other's arrays.
        let words = Words(frame);
        for slot in nest.arrays.ids().filter_map(|id| layout.slot(id)) {
            let whose = usize::try_from(words.get(slot.origin)).ok();
            let view = whose.and_then(|k| views.get(k));
            words.put(slot.ptr, view.map_or(0, |view| view.ptr as i64));
        }
        self.since = at;
        Ok(())
    }

    /// The frame and the first iteration that had not run when host and device were last alike.
    pub fn back(self, frame: &mut [u128]) -> i64 {
        frame.copy_from_slice(&self.frame);
        self.since
    }

    /// What went up and came down so far.
    pub fn transfers(&self) -> Transfers {
        self.transfers
    }
}

/// Writes an array's elements, and nothing between them; `bytes` are those of its whole range.
fn spread(view: &ArrayView, bytes: &[u8]) {
    // As many elements at a time as lie side by side.
    let mut size = view.size;
    let mut axes = view.rank;
    while axes > 0 && view.strides[axes - 1] == size {
        size *= view.extents[axes - 1];
        axes -= 1;
    }
    let first = view.ptr as i64 - view.range().0;
    let mut index = [0; 8];
    loop {
        let offset: i64 = (0..axes).map(|k| index[k] * view.strides[k]).sum();
        let from = &bytes[(first + offset) as usize..][..size as usize];
        // SAFETY: elements of the array.
        unsafe {
            let to = (view.ptr as i64 + offset) as *mut u8;
            std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len());
        }
        let Some(next) = (0..axes).rev().find(|k| index[*k] + 1 < view.extents[*k]) else {
            return;
        };
        index[next] += 1;
        index[next + 1..axes].fill(0);
    }
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
