//! What a user of a card has of its own: streams, a clock, and places for what comes down. It goes from one to the next, since
//! to make all that takes longer than many a kernel.

use super::card::{Card, RECORDS_PER_PROCESSOR, Shared};
use super::queues::Queues;
use super::staging::LARGE;
use crate::options::options;
use cudarc::driver::{DriverError, result as cu, sys};
use nestwise_codegen::MOST_RECORD;
use nestwise_codegen::abi::part;

pub(super) struct Kit {
    pub(super) queues: Queues,
    pub(super) clock: Clock,
    /// On the card: status, line and code of what fired, results, and records.
    pub(super) status: u64,
    /// All but the records holds zeros, or will when what was given to the streams is done.
    is_clear: bool,
    /// For what was looked at of that last.
    pub(super) left: Landing,
    /// For small parts of arrays.
    pub(super) small: Landing,
}

impl Kit {
    /// In the current context.
    pub(super) fn new(card: &'static Card) -> Result<Kit, DriverError> {
        let bytes =
            part::RECORDS + MOST_RECORD * (RECORDS_PER_PROCESSOR * card.processors) as usize;
        let mut queues = Queues::new()?;
        let stream = queues.turn(&[])?;
        // SAFETY: a stream of ours.
        let status = unsafe { cu::malloc_async(stream, bytes) }?;
        queues.made(status, stream);
        Ok(Kit {
            queues,
            clock: Clock::new()?,
            status,
            is_clear: false,
            left: Landing::of(bytes),
            small: Landing::of(LARGE),
        })
    }

    /// Nothing has fired, and nothing is left behind.
    pub(super) fn clear(&mut self) -> Result<(), DriverError> {
        if std::mem::replace(&mut self.is_clear, true) {
            return Ok(());
        }
        let stream = self.queues.turn(&[(self.status, true)])?;
        // SAFETY: so many bytes are allocated there.
        unsafe { cu::memset_d8_async(self.status, 0, part::RECORDS, stream) }
    }

    /// Kernels may leave something behind from now on.
    pub(super) fn begin(&mut self) -> Result<(), DriverError> {
        self.clock.runs = false;
        self.clock.is_on = options().reported;
        self.clear()?;
        self.is_clear = false;
        Ok(())
    }
}

impl Drop for Kit {
    fn drop(&mut self) {
        let stream = self.queues.end(self.status);
        // SAFETY: allocated above; that stream comes behind whoever looks at it. A failure has nobody to tell.
        let _ = stream.and_then(|stream| unsafe { cu::free_async(self.status, stream) });
    }
}

/// Memory of the host for bytes that come down: pinned, where the driver has such, since they come faster then.
pub(super) struct Landing {
    at: *mut u8,
    bytes: usize,
    /// Where it is not pinned.
    own: Vec<u128>,
}

// SAFETY: the process's memory, good for any thread, one after the other.
unsafe impl Send for Landing {}

impl Landing {
    /// In the current context, for as long as that lives.
    fn of(bytes: usize) -> Landing {
        // SAFETY: bytes, which are written before they are read.
        if let Ok(at) = unsafe { cu::malloc_host(bytes, 0) } {
            return Landing {
                at: at.cast(),
                bytes,
                own: Vec::new(),
            };
        }
        let mut own = vec![0u128; bytes.div_ceil(16)];
        Landing {
            at: own.as_mut_ptr().cast(),
            bytes,
            own,
        }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
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

/// What kernels take, by the card's clock.
pub(super) struct Clock {
    /// Recorded before the first kernel that was not waited for yet, and behind the last one.
    events: [Shared<sys::CUevent>; 2],
    runs: bool,
    /// To look at it takes longer than to launch a kernel.
    is_on: bool,
    pub(super) seconds: f64,
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

    /// A kernel comes next on that stream.
    pub(super) fn begin(&mut self, stream: sys::CUstream) -> Result<(), DriverError> {
        if !self.is_on || std::mem::replace(&mut self.runs, true) {
            return Ok(());
        }
        // SAFETY: an event and a stream of ours.
        unsafe { cu::event::record(self.events[0].0, stream) }
    }

    /// That stream comes behind all kernels.
    pub(super) fn end(&mut self, stream: sys::CUstream) -> Result<(), DriverError> {
        if !self.runs {
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { cu::event::record(self.events[1].0, stream) }
    }

    /// All of that has run.
    pub(super) fn read(&mut self) -> Result<(), DriverError> {
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
