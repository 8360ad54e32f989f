//! The streams of a GPU that one user of it has, and the order between them that its requests need.

use cudarc::driver::{DriverError, result as cu, sys};

use crate::device::cuda::card::Shared;
use crate::device::streams::{COUNT, Streams, Turn};

/// The streams, each made when it is first given something.
pub(crate) struct Queues {
    streams: Streams,
    handles: [Option<Shared<sys::CUstream>>; COUNT],
    /// The event by which one stream waits for another.
    order: Shared<sys::CUevent>,
}

impl Queues {
    /// Makes the queues in the driver's current context.
    pub(crate) fn new() -> Result<Queues, DriverError> {
        Ok(Queues {
            streams: Streams::default(),
            handles: [None; COUNT],
            order: Shared(cu::event::create(
                sys::CUevent_flags::CU_EVENT_DISABLE_TIMING,
            )?),
        })
    }

    /// The stream for work that looks at blocks, each with whether it is written. That work has to be given to it next.
    pub(crate) fn turn(&mut self, uses: &[(u64, bool)]) -> Result<sys::CUstream, DriverError> {
        let turn = self.streams.take(uses);
        self.follow(turn)
    }

    /// A stream for work that comes behind everything that was given to any stream.
    pub(crate) fn last(&mut self) -> Result<sys::CUstream, DriverError> {
        let turn = self.streams.join();
        self.follow(turn)
    }

    /// Waits for everything that was given to any stream.
    pub(crate) fn wait(&mut self) -> Result<(), DriverError> {
        let stream = self.last()?;
        // SAFETY: a stream of ours.
        unsafe { cu::stream::synchronize(stream) }?;
        self.streams.waited();
        Ok(())
    }

    /// Notes that a block was allocated on a stream.
    pub(crate) fn made(&mut self, block: u64, on: sys::CUstream) {
        let own = |handle: &Option<Shared<sys::CUstream>>| handle.is_some_and(|h| h.0 == on);
        if let Some(stream) = self.handles.iter().position(own) {
            self.streams.take_on(stream, &[(block, true)]);
        }
    }

    /// The stream on which a block is to be freed.
    pub(crate) fn end(&mut self, block: u64) -> Result<sys::CUstream, DriverError> {
        let stream = self.turn(&[(block, true)]);
        self.streams.forget(block);
        stream
    }

    fn follow(&mut self, turn: Turn) -> Result<sys::CUstream, DriverError> {
        let stream = self.handle(turn.stream)?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        for other in (0..COUNT).filter(|k| turn.waits[*k]) {
            let other = self.handle(other)?;
            // SAFETY: an event and streams of ours. What is waited for is what was recorded last when this is called.
            unsafe {
                cu::event::record(self.order.0, other)?;
                cu::stream::wait_event(stream, self.order.0, flags)?;
            }
        }
        Ok(stream)
    }

    fn handle(&mut self, number: usize) -> Result<sys::CUstream, DriverError> {
        if let Some(stream) = self.handles[number] {
            return Ok(stream.0);
        }
        let stream = cu::stream::create(cu::stream::StreamKind::NonBlocking).map(Shared)?;
        self.handles[number] = Some(stream);
        Ok(stream.0)
    }
}

impl Drop for Queues {
    fn drop(&mut self) {
        for stream in self.handles.iter_mut().filter_map(Option::take) {
            // SAFETY: a stream of ours, of which the driver lets go when all is done. A failure has nobody to tell.
            let _ = unsafe { cu::stream::destroy(stream.0) };
        }
        // SAFETY: made above. A failure has nobody to tell.
        let _ = unsafe { cu::event::destroy(self.order.0) };
    }
}
