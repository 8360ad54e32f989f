//! Copies in the host's memory, by several threads where they are large: one thread alone uses only a part of what
//! memory and bus can do.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::options::options;
use crate::threads::workers::{self, Shared, WorkerPool};

/// `PIECE`: bytes that one thread copies at a time; `SHARE`: bytes for which each further thread pays.
const PIECE: usize = 64 << 10;
const SHARE: usize = 256 << 10;
/// The most threads of a copy: as many do what memory can.
const MOST_THREADS: usize = 12;

struct Copying {
    to: *mut u8,
    from: *const u8,
    bytes: usize,
    next: AtomicUsize,
    done: AtomicUsize,
}

// SAFETY: whoever takes a piece is the only one to touch it; the caller of `copy` keeps both sides until all are done.
unsafe impl Send for Copying {}
// SAFETY: as above.
unsafe impl Sync for Copying {}

impl Copying {
    fn pieces(&self) -> usize {
        self.bytes.div_ceil(PIECE)
    }
}

impl Shared for Copying {
    fn work(&self, _: usize) {
        loop {
            let piece = self.next.fetch_add(1, Ordering::Relaxed);
            if piece >= self.pieces() {
                return;
            }
            let at = piece * PIECE;
            let bytes = PIECE.min(self.bytes - at);
            // SAFETY: the piece is inside both sides, and ours alone.
            unsafe { std::ptr::copy_nonoverlapping(self.from.add(at), self.to.add(at), bytes) };
            self.done.fetch_add(1, Ordering::Release);
        }
    }
}

/// Copies `bytes` bytes.
///
/// # Safety
///
/// There are `bytes` bytes on both sides, which do not overlap.
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // Asked only where it counts.
    let all = match bytes / SHARE {
        0 | 1 => 1,
        shares => options().threads.min(shares).min(MOST_THREADS),
    };
    let pool = || WorkerPool::of_this_process(all - 1);
    let Some(pool) = (all > 1).then(pool).flatten() else {
        // SAFETY: as promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        return;
    };
    let job = Arc::new(Copying {
        to,
        from,
        bytes,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
    });
    pool.share(&job, all);
    // A piece that another thread has begun takes no longer than those that this thread did.
    while !workers::look(|| job.done.load(Ordering::Acquire) == job.pieces()) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives() {
        for bytes in [0, 1, PIECE, 2 * SHARE - 1, 2 * SHARE, 9 * SHARE + 17] {
            let from: Vec<u8> = (0..bytes).map(|k| (k * 31 + k / 251) as u8).collect();
            let mut to = vec![0; bytes];
            // SAFETY: both have so many.
            unsafe { copy(from.as_ptr(), to.as_mut_ptr(), bytes) };
            assert!(from == to, "{bytes}");
        }
    }
}
