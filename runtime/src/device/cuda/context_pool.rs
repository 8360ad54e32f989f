//! What each user of a GPU has for itself: streams, a clock, memory that was in use before, and room for what is
//! downloaded. It passes from one user to the next, since making all that takes longer than many a kernel.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::{DriverError, result as cu, sys};
use nestwise_codegen::MOST_RECORD;
use nestwise_codegen::abi::part;

use crate::device::cuda::card::{Card, RECORDS_PER_PROCESSOR, Shared};
use crate::device::cuda::queues::Queues;
use crate::device::cuda::staging::LARGE;
use crate::device::interface::Upload;
use crate::options::options;

/// The contexts that nobody uses at the moment.
static POOL: Mutex<Vec<Context>> = Mutex::new(Vec::new());

/// A context from the pool, or a new one in the driver's current context.
pub(crate) fn take(card: &'static Card) -> Result<Context, DriverError> {
    let free = POOL.lock().unwrap_or_else(PoisonError::into_inner).pop();
    free.map_or_else(|| Context::new(card), Ok)
}

/// Puts a context of which nothing is under way back into the pool.
pub(crate) fn give_back(context: Context) {
    POOL.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(context);
}

pub(crate) struct Context {
    pub(crate) queues: Queues,
    pub(crate) clock: Clock,
    spare: Spare,
    /// Host memory in which kernels write: status, line and code of the guard that failed, results, and records.
    pub(crate) left: Landing,
    /// Host memory for arrays that are downloaded together.
    pub(crate) small: Landing,
    /// `up`: host memory for small arrays that are uploaded; `used`: how many of its bytes are taken.
    up: Landing,
    used: usize,
    /// The parts of arrays that `small` has, one behind the other, or will have when what was given to the streams is
    /// done.
    pub(crate) landed: Vec<(u64, usize)>,
}

impl Context {
    /// Makes a context for the GPU, in the driver's current context.
    fn new(card: &'static Card) -> Result<Context, DriverError> {
        let records = MOST_RECORD * (RECORDS_PER_PROCESSOR * card.processors) as usize;
        Ok(Context {
            queues: Queues::new()?,
            clock: Clock::new()?,
            spare: Spare::default(),
            left: Landing::pinned(part::RECORDS + records)?,
            small: Landing::of(TOGETHER),
            up: Landing::of(LARGE),
            used: 0,
            landed: Vec::new(),
        })
    }

    /// Resets the status: no guard has failed, and nothing is left behind. Nothing runs meanwhile; kernels may write
    /// from now on.
    pub(crate) fn begin(&mut self) {
        self.clock.runs = false;
        self.clock.is_on = options().reported;
        self.left.bytes()[..part::RECORDS].fill(0);
        self.landed.clear();
    }

    /// Waits for everything that was given to any stream.
    pub(crate) fn wait(&mut self) -> Result<(), DriverError> {
        self.queues.wait()?;
        self.used = 0;
        Ok(())
    }

    /// Copies small parts from the host, on a stream: by way of pinned memory of ours as long as there is some, which
    /// is faster than the driver's way for memory that is not pinned.
    ///
    /// # Safety
    ///
    /// Each part has that many bytes on both sides.
    pub(crate) unsafe fn upload(
        &mut self,
        parts: &[&Upload],
        stream: sys::CUstream,
    ) -> Result<(), DriverError> {
        for part in parts {
            // SAFETY: as promised by the caller.
            let from = unsafe { std::slice::from_raw_parts(part.from, part.bytes) };
            let place = self.up.bytes().get_mut(self.used..self.used + part.bytes);
            let from = match place {
                Some(place) => {
                    place.copy_from_slice(from);
                    self.used += part.bytes;
                    place
                }
                // The driver has a copy when it returns.
                None => from,
            };
            // SAFETY: as promised by the caller. The place is used again when all was waited for.
            unsafe { cu::memcpy_htod_async(part.to, from, stream) }?;
        }
        Ok(())
    }

    /// The address of `bytes` bytes of the GPU's memory, a multiple of [`GRAIN`].
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<u64, DriverError> {
        if let Some(block) = self.spare.take(bytes) {
            return Ok(block);
        }
        let stream = self.queues.turn(&[])?;
        // SAFETY: a stream of ours.
        let mut block = unsafe { cu::malloc_async(stream, bytes) };
        if block.is_err() && self.give_spare(0) {
            // SAFETY: as above.
            block = unsafe { cu::malloc_async(stream, bytes) };
        }
        let block = block?;
        self.queues.made(block, stream);
        Ok(block)
    }

    /// Frees a block: the next allocation of as many bytes may get it, in the order that the streams have for it.
    pub(crate) fn free(&mut self, block: u64, bytes: usize) {
        self.spare.put(block, bytes);
        self.give_spare(MOST_SPARE);
    }

    /// Gives spare memory back to the driver until at most `most` bytes are left; returns whether any was given back.
    fn give_spare(&mut self, most: usize) -> bool {
        let mut any = false;
        while let Some(block) = self.spare.beyond(most) {
            any = true;
            let stream = self.queues.end(block);
            // SAFETY: allocated above; that stream comes behind whoever looks at it. A failure has nobody to tell.
            let _ = stream.and_then(|stream| unsafe { cu::free_async(block, stream) });
        }
        any
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.give_spare(0);
    }
}

/// The most bytes of arrays that are downloaded together.
const TOGETHER: usize = 4 << 20;
/// Bytes of which every block is a multiple.
pub(crate) const GRAIN: usize = 256;
/// The most bytes of spare blocks that are kept: to ask the driver takes as long as to copy some kilobytes.
const MOST_SPARE: usize = 64 << 20;

/// The blocks that nobody uses now, the one that was freed last at the end.
#[derive(Default)]
struct Spare {
    blocks: VecDeque<(u64, usize)>,
    bytes: usize,
}

impl Spare {
    fn put(&mut self, block: u64, bytes: usize) {
        self.blocks.push_back((block, bytes));
        self.bytes += bytes;
    }

    /// Takes a block of exactly `bytes` bytes, if there is one.
    fn take(&mut self, bytes: usize) -> Option<u64> {
        let k = self.blocks.iter().rposition(|block| block.1 == bytes)?;
        let (block, bytes) = self.blocks.remove(k)?;
        self.bytes -= bytes;
        Some(block)
    }

    /// Takes the block that was freed first, if there are more than `most` bytes of blocks.
    fn beyond(&mut self, most: usize) -> Option<u64> {
        if self.bytes <= most {
            return None;
        }
        let (block, bytes) = self.blocks.pop_front()?;
        self.bytes -= bytes;
        Some(block)
    }
}

/// Host memory for bytes that are uploaded or downloaded: pinned where the driver has such memory, which makes that
/// faster.
pub(crate) struct Landing {
    at: *mut u8,
    bytes: usize,
    /// The memory, where it is not pinned.
    own: Vec<u128>,
}

// SAFETY: the process's memory, good for any thread, one after the other.
unsafe impl Send for Landing {}

impl Landing {
    /// Makes pinned memory in the current context, for as long as that lives. The GPU finds it at the same address: it
    /// has one address space with the host.
    fn pinned(bytes: usize) -> Result<Landing, DriverError> {
        // SAFETY: bytes, which are written before they are read.
        let at = unsafe { cu::malloc_host(bytes, sys::CU_MEMHOSTALLOC_DEVICEMAP) }?;
        Ok(Landing {
            at: at.cast(),
            bytes,
            own: Vec::new(),
        })
    }

    /// Makes memory, pinned or not.
    fn of(bytes: usize) -> Landing {
        if let Ok(landing) = Landing::pinned(bytes) {
            return landing;
        }
        let mut own = vec![0u128; bytes.div_ceil(16)];
        Landing {
            at: own.as_mut_ptr().cast(),
            bytes,
            own,
        }
    }

    /// The address at which kernels find the memory.
    pub(crate) fn address(&self) -> u64 {
        self.at as u64
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: so many were allocated, and are borrowed as this is.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.bytes) }
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        if self.own.is_empty() {
            // SAFETY: allocated above. A failure has nobody to tell.
            let _ = unsafe { cu::free_host(self.at.cast()) };
        }
    }
}

/// The time that kernels take, by the GPU's clock.
pub(crate) struct Clock {
    /// The events recorded before the first kernel that was not waited for yet, and behind the last one.
    events: [Shared<sys::CUevent>; 2],
    runs: bool,
    /// Whether times are taken: looking at the clock takes longer than launching a kernel.
    is_on: bool,
    pub(crate) seconds: f64,
}

impl Clock {
    fn new() -> Result<Clock, DriverError> {
        let event = || cu::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map(Shared);
        Ok(Clock {
            events: [event()?, event()?],
            runs: false,
            is_on: false,
            seconds: 0.0,
        })
    }

    /// Notes that a kernel comes next on a stream.
    pub(crate) fn begin(&mut self, stream: sys::CUstream) -> Result<(), DriverError> {
        if !self.is_on || std::mem::replace(&mut self.runs, true) {
            return Ok(());
        }
        // SAFETY: an event and a stream of ours.
        unsafe { cu::event::record(self.events[0].0, stream) }
    }

    /// Notes that `stream` now comes behind all kernels.
    pub(crate) fn end(&mut self, stream: sys::CUstream) -> Result<(), DriverError> {
        if !self.runs {
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { cu::event::record(self.events[1].0, stream) }
    }

    /// Adds the time of the kernels, all of which have run.
    pub(crate) fn read(&mut self) -> Result<(), DriverError> {
        if std::mem::take(&mut self.runs) {
            // SAFETY: events that were recorded and came to pass.
            let took = unsafe { cu::event::elapsed(self.events[0].0, self.events[1].0) }?;
            self.seconds += f64::from(took) / 1e3;
        }
        Ok(())
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        for event in self.events {
            // SAFETY: made above. A failure has nobody to tell.
            let _ = unsafe { cu::event::destroy(event.0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_blocks_fit_and_are_not_too_many() {
        let mut spare = Spare::default();
        spare.put(1, 256);
        spare.put(2, 512);
        spare.put(3, 256);
        assert_eq!(spare.take(1024), None);
        assert_eq!(spare.take(256), Some(3));
        assert_eq!(spare.beyond(768), None);
        assert_eq!(spare.beyond(767), Some(1));
        assert_eq!(spare.beyond(0), Some(2));
        assert_eq!(spare.beyond(0), None);
        assert_eq!(spare.take(512), None);
    }
}
