//! Parallel loops on a rayon pool, without barriers that spin.
//!
//! A job is cut into parts; the caller and as many workers as wake up in time take parts from one counter. The
//! caller waits only for parts that somebody has begun: on a busy machine, where workers wake up late, it simply
//! runs the parts itself, so threads never cost much more than running serially.

use crate::fpenv;
use crate::options::options;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::alloc::Layout;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// A parallel loop's body: runs iterations `lo..hi` and leaves its results in `part`.
pub type Body = unsafe extern "C" fn(env: *mut u8, lo: i64, hi: i64, part: *mut u8);

/// Parts per thread: enough that a late or slow thread does not hold the others up.
const PARTS_PER_THREAD: i64 = 4;

struct Job {
    body: Body,
    env: *mut u8,
    lo: i64,
    hi: i64,
    parts: i64,
    part_size: usize,
    records: *mut u8,
    next: AtomicI64,
    done: AtomicI64,
    raised: AtomicBool,
    finished: Mutex<bool>,
    wake: Condvar,
}

// SAFETY: `env` and `records` are only touched by whoever holds a part that it took from `next`; the caller keeps
// both alive until every part is done.
unsafe impl Send for Job {}
unsafe impl Sync for Job {}

impl Job {
    /// Takes and runs parts until none is left.
    fn work(&self) {
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts {
                return;
            }
            let total = i128::from(self.hi) - i128::from(self.lo);
            let cut = |p: i64| {
                (i128::from(self.lo) + total * i128::from(p) / i128::from(self.parts)) as i64
            };
            fpenv::clear();
            // SAFETY: the part is ours alone; record `part` lies inside the allocation.
            unsafe {
                (self.body)(
                    self.env,
                    cut(part),
                    cut(part + 1),
                    self.records.add(part as usize * self.part_size),
                );
            }
            if fpenv::raised() {
                self.raised.store(true, Ordering::Relaxed);
            }
            if self.done.fetch_add(1, Ordering::AcqRel) + 1 == self.parts {
                *self.finished.lock().unwrap_or_else(|e| e.into_inner()) = true;
                self.wake.notify_all();
            }
        }
    }

    fn wait(&self) {
        let mut finished = self.finished.lock().unwrap_or_else(|e| e.into_inner());
        while !*finished {
            finished = self.wake.wait(finished).unwrap_or_else(|e| e.into_inner());
        }
    }
}

/// The pool of this process; a forked child has none of its parent's threads and makes its own.
fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);
    let pid = std::process::id();
    let mut slot = POOL.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((owner, size, pool)) = slot.as_ref()
        && *owner == pid
        && *size == threads
    {
        return Some(pool.clone());
    }
    let built = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("nestwise-{i}"))
        .build();
    let pool = Arc::new(built.ok()?);
    if let Some((owner, _, old)) = slot.replace((pid, threads, pool.clone()))
        && owner != pid
    {
        // Its threads stayed behind in the parent: joining them would wait for ever.
        std::mem::forget(old);
    }
    Some(pool)
}

/// Runs `body` over `lo..hi` in parts; `*records` receives an allocation of `part_size` bytes a part, zeroed, to be
/// freed with [`free_parts`]. Returns the number of parts.
///
/// # Safety
/// `body` may run on several threads at once over disjoint ranges; `env` must stay valid until this returns.
pub unsafe extern "C" fn parallel(
    body: Body,
    env: *mut u8,
    lo: i64,
    hi: i64,
    part_size: i64,
    records: *mut *mut u8,
) -> i64 {
    let threads = options().threads;
    let trips = hi.saturating_sub(lo).max(1);
    let parts = if threads < 2 {
        1
    } else {
        trips.min(threads as i64 * PARTS_PER_THREAD)
    };
    let part_size = part_size.max(1) as usize;
    let layout = layout(parts, part_size);
    // SAFETY: the layout's size is not zero.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        std::alloc::handle_alloc_error(layout);
    }
    let job = Arc::new(Job {
        body,
        env,
        lo,
        hi,
        parts,
        part_size,
        records: memory,
        next: AtomicI64::new(0),
        done: AtomicI64::new(0),
        raised: AtomicBool::new(fpenv::raised()),
        finished: Mutex::new(false),
        wake: Condvar::new(),
    });
    if parts > 1
        && let Some(pool) = pool(threads - 1)
    {
        for _ in 0..(threads - 1).min(parts as usize - 1) {
            let job = job.clone();
            pool.spawn(move || job.work());
        }
    }
    job.work();
    job.wait();
    fpenv::clear();
    if job.raised.load(Ordering::Relaxed) {
        fpenv::raise();
    }
    // SAFETY: the caller passes a valid place for the result.
    unsafe { *records = memory };
    parts
}

/// Frees what [`parallel`] allocated.
///
/// # Safety
/// `records`, `parts` and `part_size` are those of one call of [`parallel`].
pub unsafe extern "C" fn free_parts(records: *mut u8, parts: i64, part_size: i64) {
    // SAFETY: the allocation was made with this very layout.
    unsafe { std::alloc::dealloc(records, layout(parts, part_size.max(1) as usize)) };
}

fn layout(parts: i64, part_size: usize) -> Layout {
    // Both are small: parts is bounded by the thread count, a record by the number of variables of a nest.
    Layout::from_size_align(parts.max(1) as usize * part_size, 64)
        .unwrap_or(Layout::new::<[u64; 8]>())
}
