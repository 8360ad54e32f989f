//! Large copies between the host and a GPU: through memory that the driver has pinned, on streams of their own.
//!
//! A large copy goes piece by piece: while one piece is on its way, the host fills or empties the next, and does not
//! wait for an upload. Events carry the order: kernels wait for what was uploaded before they were launched, a download
//! waits for the kernels that were launched before, and so does an upload, since its memory is there once their stream
//! has come to the allocation.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::{DriverError, result as cu, sys};

use crate::device::cuda::copying::copy;

/// Bytes from which a copy goes through staging; smaller ones go the driver's own way.
pub(crate) const LARGE: usize = 256 << 10;
/// `PIECE`: bytes of a piece; `PIECES`: how many may be on their way.
const PIECE: usize = 4 << 20;
const PIECES: usize = 4;

/// Pinned memory, and streams for what goes through it.
pub(crate) struct Staging {
    up: sys::CUstream,
    down: sys::CUstream,
    /// The event by which one stream waits for another.
    order: sys::CUevent,
    /// The pieces, which are used in turn.
    pieces: Vec<Piece>,
    next: usize,
}

/// The process's staging memory for one large copy, made in the driver's current context; none where the driver has no
/// memory for it.
pub(crate) fn shared() -> Option<MutexGuard<'static, Staging>> {
    static STAGING: OnceLock<Option<Mutex<Staging>>> = OnceLock::new();
    let made = || Staging::new().ok().map(Mutex::new);
    let staging = STAGING.get_or_init(made).as_ref()?;
    Some(staging.lock().unwrap_or_else(PoisonError::into_inner))
}

#[derive(Clone, Copy)]
struct Piece {
    at: *mut u8,
    /// The event recorded behind the copy that used the piece last.
    copied: sys::CUevent,
}

// SAFETY: the driver's handles and the process's memory, good for any thread, one after the other.
unsafe impl Send for Staging {}

impl Staging {
    /// Makes staging memory in the driver's current context, for as long as that lives.
    fn new() -> Result<Staging, DriverError> {
        let stream = || cu::stream::create(cu::stream::StreamKind::NonBlocking);
        let event = || cu::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        let mut staging = Staging {
            up: stream()?,
            down: stream()?,
            order: event()?,
            pieces: Vec::with_capacity(PIECES),
            next: 0,
        };
        for _ in 0..PIECES {
            let copied = event()?;
            // SAFETY: bytes, which are written before they are read.
            let at = unsafe { cu::malloc_host(PIECE, 0) }?.cast();
            staging.pieces.push(Piece { at, copied });
        }
        Ok(staging)
    }

    /// Copies from the host; `kernels` is the stream on which `to` was allocated, whose order the copy keeps. The
    /// host's bytes may change when this returns.
    ///
    /// # Safety
    ///
    /// There are `bytes` bytes on both sides.
    pub(crate) unsafe fn upload(
        &mut self,
        to: u64,
        from: *const u8,
        bytes: usize,
        kernels: sys::CUstream,
    ) -> Result<(), DriverError> {
        self.follow(self.up, kernels)?;
        for done in (0..bytes).step_by(PIECE) {
            let length = PIECE.min(bytes - done);
            let piece = self.take()?;
            // SAFETY: as promised by the caller; nobody uses the piece, which is longer.
            unsafe {
                copy(from.add(done), piece.at, length);
                let filled = std::slice::from_raw_parts(piece.at, length);
                cu::memcpy_htod_async(to + done as u64, filled, self.up)?;
                cu::event::record(piece.copied, self.up)?;
            }
        }
        self.follow(kernels, self.up)
    }

    /// Copies to the host what is there once the stream `kernels` has come so far.
    ///
    /// # Safety
    ///
    /// There are as many bytes at `from` as `to` has.
    pub(crate) unsafe fn download(
        &mut self,
        from: u64,
        to: &mut [u8],
        kernels: sys::CUstream,
    ) -> Result<(), DriverError> {
        self.follow(self.down, kernels)?;
        let mut coming = VecDeque::with_capacity(PIECES);
        for (k, part) in to.chunks_mut(PIECE).enumerate() {
            if coming.len() == PIECES {
                coming.pop_front().map_or(Ok(()), Coming::arrive)?;
            }
            let piece = self.take()?;
            // SAFETY: as promised by the caller; nobody uses the piece: it is the one that has just arrived, or none
            // was needed.
            unsafe {
                let empty = std::slice::from_raw_parts_mut(piece.at, part.len());
                cu::memcpy_dtoh_async(empty, from + (k * PIECE) as u64, self.down)?;
                cu::event::record(piece.copied, self.down)?;
            }
            coming.push_back(Coming { piece, part });
        }
        coming.into_iter().try_for_each(Coming::arrive)
    }

    /// Takes the next piece, once nothing is on its way in it.
    fn take(&mut self) -> Result<Piece, DriverError> {
        let piece = self.pieces[self.next];
        self.next = (self.next + 1) % self.pieces.len();
        // SAFETY: an event of ours; one that was never recorded is not waited for.
        unsafe { cu::event::synchronize(piece.copied) }?;
        Ok(piece)
    }

    /// Has what comes on `stream` from now on wait for what is on `other` by now.
    fn follow(&self, stream: sys::CUstream, other: sys::CUstream) -> Result<(), DriverError> {
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: an event and streams of ours. What is waited for is what was recorded last when this is called.
        unsafe {
            cu::event::record(self.order, other)?;
            cu::stream::wait_event(stream, self.order, flags)
        }
    }
}

impl Drop for Staging {
    /// Frees what there is, where the driver had not enough memory for all of it.
    fn drop(&mut self) {
        // SAFETY: made above, and used by nobody. A failure has nobody to tell.
        unsafe {
            for piece in &self.pieces {
                let _ = cu::free_host(piece.at.cast());
                let _ = cu::event::destroy(piece.copied);
            }
            let _ = cu::event::destroy(self.order);
            let _ = cu::stream::destroy(self.up);
            let _ = cu::stream::destroy(self.down);
        }
    }
}

/// A part of an array that is being downloaded, and the piece that it comes in.
struct Coming<'a> {
    piece: Piece,
    part: &'a mut [u8],
}

impl Coming<'_> {
    fn arrive(self) -> Result<(), DriverError> {
        // SAFETY: the piece's event; when it has come to pass, the part's bytes are in the piece.
        unsafe {
            cu::event::synchronize(self.piece.copied)?;
            copy(self.piece.at, self.part.as_mut_ptr(), self.part.len());
        }
        Ok(())
    }
}

/// Host memory in which large parts wait until all are downloaded.
pub(crate) struct Pageable(Vec<u8>);

/// Such memory that nobody uses now: memory that was touched before is there at once.
static LANDING: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The most bytes of such memory that are kept.
const KEPT_LANDING: usize = 512 << 20;

impl Pageable {
    /// Memory of `bytes` bytes or more.
    pub(crate) fn of(bytes: usize) -> Pageable {
        let mut free = LANDING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut landing = std::mem::take(&mut *free);
        if landing.len() < bytes {
            // The system has zeros for nothing where they are not copied.
            landing = vec![0; bytes];
        }
        Pageable(landing)
    }

    /// The first `count` bytes of the memory.
    pub(crate) fn bytes(&mut self, count: usize) -> &mut [u8] {
        &mut self.0[..count]
    }
}

impl Drop for Pageable {
    fn drop(&mut self) {
        if self.0.len() <= KEPT_LANDING {
            let mut free = LANDING.lock().unwrap_or_else(PoisonError::into_inner);
            if free.len() < self.0.len() {
                *free = std::mem::take(&mut self.0);
            }
        }
    }
}
