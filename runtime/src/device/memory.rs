//! Copies of the host's arrays on a device.

use std::cell::Cell;
use std::time::Instant;

use crate::device::code::Code;
use crate::device::cuda::copying;
use crate::device::interface::{Device, Upload};
use crate::memory::overlap::ArrayView;
use crate::memory::{pages, zeros};
use crate::reason::Reason;

thread_local! {
    /// Whether this thread has copies that the host's arrays may be older than, or has lost some.
    pub(super) static ANY: Cell<bool> = const { Cell::new(false) };
    /// Whether copies that were newer than the host's arrays are gone: a panic dropped them.
    pub(super) static LOST: Cell<bool> = const { Cell::new(false) };
}

/// What was copied between the host's memory and a device's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transfers {
    /// Arrays that were uploaded.
    pub up: u64,
    /// Arrays that were downloaded.
    pub down: u64,
    /// Bytes that were uploaded.
    pub bytes_up: u64,
    /// Bytes that were downloaded.
    pub bytes_down: u64,
    /// Seconds of the host's that uploads took.
    pub seconds_up: f64,
    /// Seconds of the host's that downloads took.
    pub seconds_down: f64,
    /// Seconds from the first kernel to the last one, by the device's clock; zero where it has none, or no report is
    /// wanted.
    pub seconds_kernels: f64,
    /// Elements that were downloaded one by one.
    pub elements: u64,
}

impl Transfers {
    /// Adds the transfers of another.
    pub fn add(&mut self, other: Transfers) {
        self.up += other.up;
        self.down += other.down;
        self.bytes_up += other.bytes_up;
        self.bytes_down += other.bytes_down;
        self.seconds_up += other.seconds_up;
        self.seconds_down += other.seconds_down;
        self.seconds_kernels += other.seconds_kernels;
        self.elements += other.elements;
    }
}

/// What keeps an array's memory where it is for as long as it lives.
pub trait Keeps {
    /// Which array's memory this keeps, and how many in all keep it; none where the memory may be found without this.
    fn holders(&self) -> Option<(usize, usize)> {
        None
    }
}

/// An owner of an array's memory.
pub type Owner = Box<dyn Keeps>;

/// A copy of an array.
struct Copy {
    /// The array, on the host.
    view: ArrayView,
    /// The address on the device of the first byte of the array's range.
    at: u64,
    /// Whether the copy's elements are newer than the host's.
    newer: bool,
    /// Whether the elements have yet to be uploaded: the host's array is what counts.
    missing: bool,
    /// What keeps the array's memory; none: the copy goes with the launch that it was made for.
    owner: Option<Owner>,
}

impl Copy {
    fn overlaps(&self, (lo, hi): (i64, i64)) -> bool {
        let (first, end) = self.view.range();
        first < hi && lo < end
    }

    fn bytes(&self) -> usize {
        let (from, to) = self.view.range();
        (to - from) as usize
    }
}

/// Where a copy that is going to be written finds what it held before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// The old elements are in the host's array.
    OnHost,
    /// The old elements are in another copy on the device, at this address.
    At(u64),
    /// The old elements are nowhere, and need not be: whoever runs the launch again writes all that the copy has before
    /// anybody reads it.
    Again,
}

/// A device and the copies that it has.
///
/// No copy that overlaps another is newer than the host's array: what is written is settled and forgotten elsewhere
/// first.
pub struct Memory {
    pub(super) device: Box<dyn Device>,
    /// The number of the device, where there are several.
    number: usize,
    copies: Vec<Copy>,
    transfers: Transfers,
}

impl Memory {
    /// A device without copies, and its number.
    pub fn of(device: Box<dyn Device>, number: usize) -> Memory {
        Memory {
            device,
            number,
            copies: Vec::new(),
            transfers: Transfers::default(),
        }
    }

    pub(super) fn device_number(&self) -> usize {
        self.number
    }

    /// Has the device run this code from now on.
    pub fn begin(&mut self, code: &Code) -> Result<(), Reason> {
        self.device.begin(code)
    }

    /// The address of a copy of `view`, which is made if there is none: it holds what the array does once it is [looked
    /// at](Memory::look). If it is to be `written`, there is no other copy of this memory. `owner` is asked for the
    /// owner of a new copy.
    pub fn bring(
        &mut self,
        view: &ArrayView,
        written: bool,
        owner: impl FnOnce() -> Option<Owner>,
    ) -> Result<u64, Reason> {
        let range = view.range();
        let other = |copy: &Copy| copy.overlaps(range) && !copy.view.is_same(view);
        self.settle(other)?;
        if written {
            self.forget(other);
        }
        if let Some(copy) = self.copies.iter().find(|copy| copy.view.is_same(view)) {
            return Ok(copy.at);
        }
        let at = self.device.allocate((range.1 - range.0) as usize)?;
        self.copies.push(Copy {
            view: *view,
            at,
            newer: false,
            missing: true,
            owner: owner(),
        });
        Ok(at)
    }

    /// Uploads the copies that hold these addresses, if they are missing; kernels that need others may run meanwhile.
    pub fn look(&mut self, at: &[(u64, bool)]) -> Result<(), Reason> {
        let looked_at = |copy: &&mut Copy| {
            let range = copy.at..copy.at + copy.bytes().max(1) as u64;
            copy.missing && at.iter().any(|(at, _)| range.contains(at))
        };
        let mut coming: Vec<&mut Copy> = self.copies.iter_mut().filter(looked_at).collect();
        if coming.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        let mut parts = Vec::with_capacity(coming.len());
        for copy in &coming {
            let (first, end) = copy.view.range();
            let upload = |(from, to): (i64, i64)| Upload {
                to: copy.at + (from - first) as u64,
                from: from as *const u8,
                bytes: (to - from) as usize,
            };
            match zeros::zeros(&copy.view) {
                // Nobody has written there yet: zeros need not cross.
                Some((from, to)) => {
                    self.device.clear(copy.at, copy.bytes())?;
                    parts.extend([(first, from), (to, end)].map(upload));
                }
                None => parts.push(upload((first, end))),
            }
        }
        parts.retain(|part| part.bytes > 0);
        // SAFETY: arrays' own bytes, gaps included.
        unsafe { self.device.upload(&parts)? };
        coming.iter_mut().for_each(|copy| copy.missing = false);
        self.transfers.up += coming.len() as u64;
        self.transfers.bytes_up += parts.iter().map(|part| part.bytes as u64).sum::<u64>();
        self.transfers.seconds_up += begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// Notes that kernels were launched which may have written the copies at these addresses: copies without an owner
    /// are downloaded behind them.
    pub fn expect(&mut self, written: impl Fn(u64) -> bool) {
        let comes = |copy: &&Copy| {
            let written = copy.newer || written(copy.at);
            copy.owner.is_none() && written && !copy.missing
        };
        let coming = self.copies.iter().filter(comes);
        let coming: Vec<_> = coming.collect();
        let parts: Vec<_> = coming.iter().map(|copy| (copy.at, copy.bytes())).collect();
        self.device.expect(&parts);
        // While kernels run.
        coming.iter().for_each(|copy| pages::find(&copy.view));
    }

    /// Makes a copy of an array that was just made and holds nothing but zeros, or whatever it happens to: nothing is
    /// uploaded.
    pub fn fresh(&mut self, view: &ArrayView, owner: Owner) -> Result<(), Reason> {
        self.made(view, owner, false, |device, at, bytes| {
            device.clear(at, bytes)
        })
    }

    /// Makes a copy of an array `to`, which was just made and is to hold what `from` does, by copying that one's copy;
    /// the host's array stays as it is. Returns whether `from` has a copy, and both lie alike.
    pub fn duplicate(
        &mut self,
        from: &ArrayView,
        to: &ArrayView,
        owner: Owner,
    ) -> Result<bool, Reason> {
        let copy = self.copies.iter().find(|copy| copy.view.is_same(from));
        let Some(source) = copy.filter(|_| from.lies_like(to)).map(|copy| copy.at) else {
            return Ok(false);
        };
        self.look(&[(source, false)])?;
        self.made(to, owner, true, |device, at, bytes| {
            device.copy(at, source, bytes)
        })?;
        Ok(true)
    }

    /// Has the copy of an array `to` hold what the copy of `from` does; the host's array stays as it is. Returns
    /// whether `from` has a copy, and both lie alike.
    pub fn assign(
        &mut self,
        from: &ArrayView,
        to: &ArrayView,
        owner: Owner,
    ) -> Result<bool, Reason> {
        let range = to.range();
        let copy = self.copies.iter().find(|copy| copy.view.is_same(from));
        let alike = |copy: &&Copy| from.lies_like(to) && !copy.overlaps(range);
        let Some(source) = copy.filter(alike).map(|copy| copy.at) else {
            return Ok(false);
        };
        self.look(&[(source, false)])?;
        // What others have of it may be newer where it has gaps.
        self.settle(|copy| copy.overlaps(range) && !copy.view.is_same(to))?;
        self.forget(|copy| copy.overlaps(range) && !copy.view.is_same(to));
        let Some(copy) = self.copies.iter_mut().find(|copy| copy.view.is_same(to)) else {
            return self.duplicate(from, to, owner);
        };
        self.device.copy(copy.at, source, copy.bytes())?;
        copy.newer = true;
        copy.missing = false;
        Ok(true)
    }

    fn made(
        &mut self,
        view: &ArrayView,
        owner: Owner,
        newer: bool,
        fill: impl FnOnce(&mut dyn Device, u64, usize) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let range = view.range();
        let bytes = (range.1 - range.0) as usize;
        let at = self.device.allocate(bytes)?;
        if let Err(reason) = fill(&mut *self.device, at, bytes) {
            self.device.free(at);
            return Err(reason);
        }
        self.forget_in(range);
        self.copies.push(Copy {
            view: *view,
            at,
            newer,
            missing: false,
            owner: Some(owner),
        });
        Ok(())
    }

    /// The owners of arrays that have copies.
    pub(super) fn owners(&self) -> impl Iterator<Item = &Owner> {
        self.copies.iter().filter_map(|copy| copy.owner.as_ref())
    }

    /// Drops the copies of arrays that nobody can find any more, whatever they hold; returns their owners.
    pub(super) fn bury(&mut self, is_dead: impl Fn(&Owner) -> bool) -> Vec<Owner> {
        let mut owners = Vec::new();
        for mut copy in std::mem::take(&mut self.copies) {
            match copy.owner.take_if(|owner| is_dead(owner)) {
                Some(owner) => {
                    self.device.free(copy.at);
                    owners.push(owner);
                }
                None => self.copies.push(copy),
            }
        }
        owners
    }

    /// Keeps what the copy at an address holds, if it is newer than the host's array and nobody writes all of it
    /// `again`.
    pub fn remember(&mut self, at: u64, again: bool) -> Result<Before, Reason> {
        let newer = self.copies.iter().find(|copy| copy.at == at && copy.newer);
        let Some(bytes) = newer.map(Copy::bytes) else {
            return Ok(Before::OnHost);
        };
        if again {
            return Ok(Before::Again);
        }
        let before = self.device.allocate(bytes)?;
        self.device.copy(before, at, bytes)?;
        Ok(Before::At(before))
    }

    /// Notes that the copy at an address was written, if any kernel looked at it.
    pub fn wrote(&mut self, at: u64) {
        let looked_at = |copy: &&mut Copy| copy.at == at && !copy.missing;
        let written = self.copies.iter_mut().find(looked_at);
        written.into_iter().for_each(|copy| copy.newer = true);
    }

    /// Restores the copy at an address to what it was when that was remembered, or drops it.
    pub fn roll_back(&mut self, at: u64, before: Before) {
        match before {
            Before::OnHost => self.forget_at(at),
            Before::At(before) => {
                for copy in self.copies.iter_mut().filter(|copy| copy.at == at) {
                    copy.at = before;
                    self.device.free(at);
                }
            }
            Before::Again => {}
        }
    }

    /// Frees what was remembered.
    pub fn release(&mut self, before: Before) {
        if let Before::At(before) = before {
            self.device.free(before);
        }
    }

    /// Downloads copies that are newer than the host's arrays. Where the device fails, nothing of the host's has
    /// changed.
    fn settle(&mut self, which: impl Fn(&Copy) -> bool) -> Result<(), Reason> {
        let begun = Instant::now();
        let newer = |copy: &&mut Copy| copy.newer && which(copy);
        let mut newer: Vec<&mut Copy> = self.copies.iter_mut().filter(newer).collect();
        if newer.is_empty() {
            return Ok(());
        }
        let parts: Vec<_> = newer.iter().map(|copy| (copy.at, copy.bytes())).collect();
        let spread = &mut |k: usize, bytes: &[u8]| spread(&newer[k].view, bytes);
        self.device.download(&parts, spread)?;
        newer.iter_mut().for_each(|copy| copy.newer = false);
        let all: usize = parts.iter().map(|part| part.1).sum();
        self.transfers.down += newer.len() as u64;
        self.transfers.bytes_down += all as u64;
        self.transfers.seconds_down += begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// Downloads one element of an array, which is at the host's address `at`, if a copy is newer.
    pub fn settle_element(&mut self, view: &ArrayView, at: i64) -> Result<(), Reason> {
        let (range, end) = (view.range(), at + view.size);
        let own = |copy: &&Copy| copy.newer && copy.overlaps((at, end));
        let Some(copy) = self.copies.iter().find(own) else {
            return Ok(());
        };
        if !copy.view.is_same(view) || at < range.0 || range.1 < end {
            return self.settle_in(range);
        }
        let begun = Instant::now();
        let from = copy.at + (at - range.0) as u64;
        // SAFETY: an element of the array.
        let store = &mut |_, bytes: &[u8]| unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len());
        };
        self.device.download(&[(from, view.size as usize)], store)?;
        self.transfers.elements += 1;
        self.transfers.seconds_down += begun.elapsed().as_secs_f64();
        Ok(())
    }

    fn forget(&mut self, which: impl Fn(&Copy) -> bool) {
        let device = &mut self.device;
        self.copies.retain(|copy| {
            let stays = !which(copy);
            if !stays {
                device.free(copy.at);
            }
            stays
        });
    }

    fn forget_at(&mut self, at: u64) {
        self.forget(|copy| copy.at == at);
    }

    /// Downloads all copies that are newer than the host's arrays.
    pub fn settle_all(&mut self) -> Result<(), Reason> {
        self.settle(|_| true)
    }

    /// Downloads the copies that are newer than the host's arrays in a part of its memory.
    pub fn settle_in(&mut self, range: (i64, i64)) -> Result<(), Reason> {
        self.settle(|copy| copy.overlaps(range))
    }

    /// Drops the copies of a part of the host's memory, which are settled.
    pub fn forget_in(&mut self, range: (i64, i64)) {
        self.forget(|copy| copy.overlaps(range));
    }

    /// Ends a launch: copies without an owner are settled and dropped, and so are those that nobody looked at. Returns
    /// whether any are left.
    pub fn end(&mut self) -> Result<bool, Reason> {
        self.settle(|copy| copy.owner.is_none())?;
        self.forget(|copy| copy.owner.is_none() || copy.missing);
        Ok(!self.copies.is_empty())
    }

    /// Whether the copy of an array, if there is one, holds what the array does not.
    pub fn is_newer(&self, view: &ArrayView) -> Option<bool> {
        let copy = self.copies.iter().find(|copy| copy.view.is_same(view));
        copy.map(|copy| copy.newer)
    }

    /// Whether the host's arrays hold what all copies do.
    pub fn is_settled(&self) -> bool {
        !self.copies.iter().any(|copy| copy.newer)
    }

    /// Drops all copies; whether some were newer than the host's arrays is told elsewhere.
    pub fn give_up(mut self) {
        self.forget_all();
    }

    /// Drops all copies, which are settled.
    pub fn forget_all(&mut self) {
        self.forget(|_| true);
    }

    /// What was uploaded and downloaded since this was last asked.
    pub fn take_transfers(&mut self) -> Transfers {
        let mut transfers = std::mem::take(&mut self.transfers);
        transfers.seconds_kernels = self.device.take_kernel_seconds();
        transfers
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Nobody has seen to it: a panic.
        if !self.is_settled() {
            ANY.set(true);
            LOST.set(true);
        }
    }
}

/// Writes an array's elements, and nothing between them; `bytes` are those of its whole range.
fn spread(view: &ArrayView, bytes: &[u8]) {
    if view.is_empty() {
        return;
    }
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
            copying::copy(from.as_ptr(), to, from.len());
        }
        let Some(next) = (0..axes).rev().find(|k| index[*k] + 1 < view.extents[*k]) else {
            return;
        };
        index[next] += 1;
        index[next + 1..axes].fill(0);
    }
}
