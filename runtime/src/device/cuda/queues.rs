//! The streams of a card that one user of it has, in the order that what it asks for needs.

use cudarc::driver::{DriverError, result as cu, sys};

use crate::device::cuda::card::Shared;
use crate::device::streams::{COUNT, Streams, Turn};

/// Streams, made when they are first given something.
pub(crate) struct Queues {
    streams: Streams,
    handles: [Option<Shared<sys::CUstream>>; COUNT],
    /// For one stream to wait for another.
    order: Shared<sys::CUevent>,
}

impl Queues {
    /// In the current context.
    pub(crate) fn new() -> Result<Queues, DriverError> {
        Ok(Queues {
            streams: Streams::default(),
            handles: [None; COUNT],
            order: Shared(cu::event::create(
                sys::CUevent_flags::CU_EVENT_DISABLE_TIMING,
            )?),
        })
    }

    /// The stream for what looks at those blocks, and writes those of which that is said. It is to be given that next.
    pub(crate) fn turn(&mut self, uses: &[(u64, bool)]) -> Result<sys::CUstream, DriverError> {
        let turn = self.streams.take(uses);
        self.follow(turn)
    }

    /// One for what comes behind all that was given to any.
    pub(crate) fn last(&mut self) -> Result<sys::CUstream, DriverError> {
        let turn = self.streams.join();
        self.follow(turn)
    }

    /// Waits for all that was given to any.
    pub(crate) fn wait(&mut self) -> Result<(), DriverError> {
        let stream = self.last()?;
        // SAFETY: a stream of ours.
        unsafe { cu::stream::synchronize(stream) }?;
        self.streams.waited();
        Ok(())
    }

    /// Where a block was allocated.
    pub(crate) fn made(&mut self, block: u64, on: sys::CUstream) {
        let own = |handle: &Option<Shared<sys::CUstream>>| handle.is_some_and(|h| h.0 == on);
        if let Some(stream) = self.handles.iter().position(own) {
            self.streams.take_on(stream, &[(block, true)]);
        }
    }

    /// The stream for what frees a block.
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
