//! Parallel loops on several threads.
//!
//! A job is cut into parts; the caller and as many workers ([`crate::threads::workers`]) as come in time take them,
//! each at first those of its own share. The caller waits only for parts that somebody has begun: on a busy machine,
//! where workers wake up late, it simply runs the parts itself, so threads never cost much more than running serially.

use std::alloc::Layout;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering, fence};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};

use nestwise_codegen::abi::part;

use crate::options::options;
use crate::threads::fp_environment;
use crate::threads::workers::{self, Shared, WorkerPool};

/// A parallel loop's body: runs iterations `lo..hi` and leaves its results in `part`.
pub type Body = unsafe extern "C" fn(env: *mut u8, lo: i64, hi: i64, part: *mut u8);

/// The number of parts per thread: enough that a late or slow thread does not hold the others up.
const PARTS_PER_THREAD: i64 = 4;
/// Bytes from which several threads save what parts are to find unchanged.
const SHARED_BYTES: usize = 1 << 18;
/// The number of words of a record's beginning, which is all that is there when a part is asked how much it saves.
const RECORD: usize = part::COPIES / 8 + 1;

thread_local! {
    static CHOSEN: Cell<Chosen> = const { Cell::new(Chosen::ALL) };
}

/// On how many threads the parallel loops run that this thread starts.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Chosen {
    /// The number of threads that they run on; 0: as many as there may be.
    threads: usize,
    /// For each loop: the fewest iterations with which it runs on more than one thread. Loops that are not listed run
    /// on all.
    least: *const [i64],
}

impl Chosen {
    const ALL: Chosen = Chosen {
        threads: 0,
        least: &[],
    };

    /// The number of threads for `trips` iterations of a loop.
    fn of(self, id: i64, trips: i64) -> usize {
        // SAFETY: `on_threads` borrows it for as long as it is chosen.
        let least = unsafe { &*self.least };
        let least = usize::try_from(id).ok().and_then(|id| least.get(id));
        match (self.threads, options().threads) {
            _ if least.is_some_and(|least| trips < *least) => 1,
            (0, most) => most,
            (chosen, most) => chosen.min(most),
        }
    }
}

/// Runs `f`, whose parallel loops are to run on `threads` threads, or fewer if there may not be so many. `least`: for
/// each loop, the fewest iterations with which it runs on more than one.
pub fn on_threads<T>(threads: usize, least: &[i64], f: impl FnOnce() -> T) -> T {
    let _before = Before(CHOSEN.replace(Chosen { threads, least }));
    f()
}

/// The choice that is restored when this is dropped, even if a launch panics.
struct Before(Chosen);

impl Drop for Before {
    fn drop(&mut self) {
        CHOSEN.set(self.0);
    }
}

struct Job {
    body: Body,
    env: *mut u8,
    cuts: Cuts,
    /// The number of parts to run, the first ones of all.
    runs: i64,
    part_size: usize,
    records: *mut u8,
    copies: Copies,
    shares: Box<[Share]>,
    done: AtomicI64,
    raised: AtomicBool,
    /// The thread that waits for the last part, if it sleeps.
    sleeper: OnceLock<Thread>,
}

/// A range cut into parts.
#[derive(Clone, Copy)]
struct Cuts {
    lo: i64,
    hi: i64,
    parts: i64,
    /// The number of iterations of which all parts but the last one are multiples.
    grain: i64,
}

impl Cuts {
    /// Cuts a range into at most `most` parts.
    fn of((lo, hi): (i64, i64), grain: i64, most: i64) -> Cuts {
        let trips = hi.saturating_sub(lo).max(1);
        let parts = most.min((trips - 1) / grain + 1);
        Cuts {
            lo,
            hi,
            parts,
            grain,
        }
    }

    /// The iteration at which a part begins; the end of the range if `part` is the number of parts.
    fn at(self, part: i64) -> i64 {
        if part == self.parts {
            return self.hi;
        }
        let trips = i128::from(self.hi) - i128::from(self.lo);
        let grains = (trips + i128::from(self.grain) - 1) / i128::from(self.grain);
        let before = grains * i128::from(part) / i128::from(self.parts);
        (i128::from(self.lo) + before * i128::from(self.grain)) as i64
    }
}

/// Parts that lie side by side, for one thread in the first place: the next of them, and the end.
struct Share {
    next: AtomicI64,
    end: i64,
    /// Padding, so that no two shares are on one cache line.
    _apart: [u64; 6],
}

impl Share {
    /// The shares of `threads` threads in a job of `runs` parts.
    fn of(runs: i64, threads: usize) -> Box<[Share]> {
        let threads = threads.max(1) as i64;
        let share = |t: i64| Share {
            next: AtomicI64::new(runs * t / threads),
            end: runs * (t + 1) / threads,
            _apart: [0; 6],
        };
        (0..threads).map(share).collect()
    }
}

/// Memory for what parts do not share.
#[derive(Clone, Copy)]
struct Copies {
    memory: *mut u8,
    /// Bytes of one block; 0: there are none.
    size: usize,
    /// Whether each part has a block of its own; otherwise each thread has one.
    own: bool,
}

impl Copies {
    /// The number of blocks that a job takes.
    fn blocks(self, parts: i64, threads: usize) -> usize {
        match (self.size, self.own) {
            (0, _) => 0,
            (_, true) => parts as usize - 1,
            // The part that works on the arrays themselves takes its thread's turn.
            (_, false) => threads.min(parts as usize),
        }
    }
    /// The block for a part that a thread runs; null for the last part, which works on the arrays themselves.
    fn of(self, part: i64, parts: i64, thread: usize) -> *mut u8 {
        if self.size == 0 || part + 1 == parts {
            return std::ptr::null_mut();
        }
        let block = if self.own { part as usize } else { thread };
        // SAFETY: blocks were allocated for every part but the last, or for every thread.
        unsafe { self.memory.add(block * self.size) }
    }
}

// SAFETY: `env` and `records` are only touched by whoever holds a part that it took from `next`; the caller keeps
// both alive until every part is done.
unsafe impl Send for Job {}
unsafe impl Sync for Job {}

impl Shared for Job {
    /// Takes and runs parts until none is left: at first those that the same thread had the last time, whose elements
    /// its caches still have (affinity scheduling: Markatos and LeBlanc, 1994).
    fn work(&self, thread: usize) {
        let own = rayon::current_thread_index().map_or(0, |worker| worker + 1);
        for k in 0..self.shares.len() {
            let share = &self.shares[(own + k) % self.shares.len()];
            loop {
                let part = share.next.fetch_add(1, Ordering::Relaxed);
                if part >= share.end {
                    break;
                }
                self.run(part, thread);
            }
        }
    }
}

impl Job {
    /// Runs one part, which nobody else does.
    fn run(&self, part: i64, thread: usize) {
        let cuts = self.cuts;
        fp_environment::clear();
        // SAFETY: the part is ours alone, and so is its block of copies; record `part` lies inside the allocation.
        unsafe {
            let record = self.records.add(part as usize * self.part_size);
            let copies = self.copies.of(part, cuts.parts, thread);
            record.add(part::COPIES).cast::<*mut u8>().write(copies);
            (self.body)(self.env, cuts.at(part), cuts.at(part + 1), record);
        }
        if fp_environment::raised() {
            self.raised.store(true, Ordering::Relaxed);
        }
        if self.done.fetch_add(1, Ordering::AcqRel) + 1 == self.runs {
            fence(Ordering::SeqCst);
            if let Some(sleeper) = self.sleeper.get() {
                sleeper.unpark();
            }
        }
    }

    /// Waits for parts that other threads have begun: awake at first, since waking up may take longer than they do.
    fn wait(&self) {
        let over = || self.done.load(Ordering::Acquire) == self.runs;
        if workers::look(over) {
            return;
        }
        self.sleeper.get_or_init(thread::current);
        // Either whoever does the last part sees who sleeps, or this sees that it is done.
        fence(Ordering::SeqCst);
        while !over() {
            thread::park();
        }
    }
}

/// Runs `body` over `lo..hi` in parts, as `nestwise_codegen::abi::Parallel` says; `*records` is to be freed with
/// [`free_parts`]. Returns the number of parts: one, where there is no memory for copies.
///
/// # Safety
/// `body` may run on several threads at once over disjoint ranges; `env` must stay valid until this returns.
#[allow(clippy::too_many_arguments)] // the kernel ABI's
pub unsafe extern "C" fn parallel(
    body: Body,
    env: *mut u8,
    lo: i64,
    hi: i64,
    part_size: i64,
    records: *mut *mut u8,
    copies: i64,
    keep: i64,
    save: Option<Body>,
    grain: i64,
    id: i64,
) -> i64 {
    let threads = CHOSEN.get().of(id, hi.saturating_sub(lo));
    // Copies that are merged one after the other should be few.
    let each = if keep == 0 { PARTS_PER_THREAD } else { 1 };
    let most = if threads < 2 {
        1
    } else {
        threads as i64 * each
    };
    let mut cuts = Cuts::of((lo, hi), grain.max(1), most);
    let part_size = part_size.max(1) as usize;
    let size = match save {
        // SAFETY: as for the whole.
        Some(save) => unsafe { most_bytes(save, env, cuts) },
        None => copies,
    };
    let mut copies = Copies {
        memory: std::ptr::null_mut(),
        size: size.max(0) as usize,
        own: keep != 0 || save.is_some(),
    };
    let blocks = copies.blocks(cuts.parts, threads);
    let memory =
        Memory::allocate(cuts.parts, part_size, blocks, copies.size).unwrap_or_else(|| {
            cuts.parts = 1;
            Memory::records_only(1, part_size)
        });
    let parts = cuts.parts;
    copies.memory = memory.copies;
    let memory = memory.records;
    let job = |body: Body, saves: bool| Job {
        body,
        env,
        cuts,
        // The last part saves nothing.
        runs: parts - i64::from(saves),
        part_size,
        records: memory,
        copies,
        shares: Share::of(parts - i64::from(saves), threads),
        done: AtomicI64::new(0),
        raised: AtomicBool::new(fp_environment::raised()),
        sleeper: OnceLock::new(),
    };
    if let Some(save) = save.filter(|_| parts > 1) {
        let little = copies.size.saturating_mul(parts as usize) < SHARED_BYTES;
        share(job(save, true), if little { 1 } else { threads });
    }
    share(job(body, false), threads);
    // SAFETY: the caller passes a valid place for the result.
    unsafe { *records = memory };
    parts
}

/// The most bytes that a part needs; the last one needs none.
///
/// # Safety
///
/// As for [`parallel`].
unsafe fn most_bytes(save: Body, env: *mut u8, cuts: Cuts) -> i64 {
    let bytes = (0..cuts.parts - 1).map(|p| {
        let mut record = [0i64; RECORD];
        let (from, to) = (cuts.at(p), cuts.at(p + 1));
        // SAFETY: asked for a number, it touches nothing but the record's beginning.
        unsafe { save(env, from, to, record.as_mut_ptr().cast()) };
        record[part::STATUS / 8]
    });
    bytes.max().unwrap_or(0)
}

/// Runs a job on `threads` threads, this one among them; returns when it is done.
fn share(job: Job, threads: usize) {
    let job = Arc::new(job);
    match options().forced.and_then(|t| t.order(job.runs)) {
        // As if each had come to another thread.
        Some(order) => order
            .zip((0..threads).cycle())
            .for_each(|(part, thread)| job.run(part, thread)),
        None => spread(&job, threads.min(job.runs as usize)),
    }
    fp_environment::clear();
    if job.raised.load(Ordering::Relaxed) {
        fp_environment::raise();
    }
}

fn spread(job: &Arc<Job>, threads: usize) {
    let workers = options().threads.saturating_sub(1);
    match (threads > 1).then(|| WorkerPool::of_this_process(workers)) {
        Some(Some(pool)) => pool.share(job, threads),
        _ => job.work(0),
    }
    job.wait();
}

/// Frees what [`parallel`] allocated.
///
/// # Safety
/// `records` is that of one call of [`parallel`].
pub unsafe extern "C" fn free_parts(records: *mut u8, _parts: i64, _part_size: i64) {
    // SAFETY: before the records stands what the allocation was made with.
    unsafe {
        let (start, layout) = records.cast::<(*mut u8, Layout)>().sub(1).read();
        std::alloc::dealloc(start, layout);
    }
}

/// Bytes of a cache line, to which everything is aligned.
const LINE: usize = 64;

/// One zeroed allocation: where it begins and how it was made, the records of parts, their copies.
struct Memory {
    records: *mut u8,
    copies: *mut u8,
}

impl Memory {
    /// Allocates the memory; none if there is not so much.
    fn allocate(parts: i64, part_size: usize, blocks: usize, copy_size: usize) -> Option<Memory> {
        let records = (parts as usize)
            .checked_mul(part_size)?
            .checked_next_multiple_of(LINE)?;
        let copies = blocks.checked_mul(copy_size)?;
        let size = copies.checked_add(records)?.checked_add(2 * LINE)?;
        // With a great alignment the allocator would write all zeros now; as it is, pages are zeroed by whoever comes
        // first.
        let layout = Layout::from_size_align(size, align_of::<(*mut u8, Layout)>()).ok()?;
        // SAFETY: the size is not zero.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        if start.is_null() {
            return None;
        }
        // SAFETY: the next line but one begins at most two lines behind the start, with room for the pair before it.
        unsafe {
            let first = start.add(LINE + start.add(LINE).align_offset(LINE));
            first
                .cast::<(*mut u8, Layout)>()
                .sub(1)
                .write((start, layout));
            Some(Memory {
                records: first,
                copies: first.add(records),
            })
        }
    }

    /// Memory for parts that share everything. Both numbers are small: parts are bounded by the thread count, a record
    /// by the number of variables of a nest.
    fn records_only(parts: i64, part_size: usize) -> Memory {
        Memory::allocate(parts, part_size, 0, 0)
            .unwrap_or_else(|| std::alloc::handle_alloc_error(Layout::new::<[u64; 8]>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop body that adds up how often it ran with a block of its own, and marks the block.
    unsafe extern "C" fn body(env: *mut u8, lo: i64, hi: i64, record: *mut u8) {
        // SAFETY: `parallel` keeps its promises.
        unsafe {
            let copies = *record.add(part::COPIES).cast::<*mut u8>();
            assert_eq!(copies.is_null(), hi == *env.cast::<i64>());
            if !copies.is_null() {
                assert_eq!(copies as usize % LINE, 0);
                let cells = std::slice::from_raw_parts_mut(copies, 128);
                assert!(*env.cast::<i64>().add(1) == 0 || cells.iter().all(|c| *c == 0));
                cells.fill(1);
            }
            *record.cast::<i64>() = hi - lo;
        }
    }

    #[test]
    fn every_part_but_the_last_has_a_block() {
        for (hi, keep) in [(1, 0), (2, 1), (1000, 0), (1000, 1)] {
            let mut env = [hi, keep];
            let mut records = std::ptr::null_mut();
            // SAFETY: as `parallel` asks.
            let trips = unsafe {
                let env = env.as_mut_ptr().cast();
                let parts = parallel(body, env, 0, hi, 48, &mut records, 128, keep, None, 1, 0);
                let trips: i64 = (0..parts)
                    .map(|p| *records.add(p as usize * 48).cast::<i64>())
                    .sum();
                free_parts(records, parts, 48);
                trips
            };
            assert_eq!(trips, hi);
        }
    }

    #[test]
    fn parts_are_whole_grains() {
        for (lo, hi, grain, most) in [
            (0, 186, 32, 8),
            (5, 6, 32, 8),
            (-7, 100, 1, 8),
            (0, 1000, 8, 8),
            (i64::MIN, i64::MAX, 16, 64),
        ] {
            let cuts = Cuts::of((lo, hi), grain, most);
            assert!((1..=most).contains(&cuts.parts));
            let at: Vec<i64> = (0..=cuts.parts).map(|p| cuts.at(p)).collect();
            assert_eq!((at[0], at[at.len() - 1]), (lo, hi));
            assert!(at.is_sorted_by(|a, b| a < b), "{at:?}");
            let (_, inner) = at.split_last().unwrap();
            let off = |a: &i64| (i128::from(*a) - i128::from(lo)) % i128::from(grain);
            assert!(inner.iter().all(|a| off(a) == 0), "{at:?}");
        }
        assert_eq!(Cuts::of((0, 186), 32, 8).parts, 6);
    }

    #[test]
    fn a_launch_may_take_fewer_threads() {
        let parts = |threads: usize, id: i64| {
            let mut env = [100i64, 0];
            let mut records = std::ptr::null_mut();
            // SAFETY: as `parallel` asks.
            on_threads(threads, &[0, 101], || unsafe {
                let env = env.as_mut_ptr().cast();
                let parts = parallel(body, env, 0, 100, 48, &mut records, 128, 0, None, 1, id);
                free_parts(records, parts, 48);
                parts
            })
        };
        assert_eq!(parts(1, 0), 1);
        assert_eq!(parts(0, 0), parts(usize::MAX, 0));
        assert_eq!(parts(0, 7), parts(0, 0), "of a loop that nobody knows");
        assert_eq!(parts(0, 1), 1, "too few iterations");
        assert_eq!(CHOSEN.get().threads, 0);
    }

    #[test]
    fn without_memory_for_copies_there_is_one_part() {
        let mut env = [9i64, 0];
        let mut records = std::ptr::null_mut();
        // SAFETY: as `parallel` asks.
        unsafe {
            let parts = parallel(
                body,
                env.as_mut_ptr().cast(),
                0,
                9,
                48,
                &mut records,
                i64::MAX / 2,
                0,
                None,
                1,
                0,
            );
            assert_eq!(parts, 1);
            free_parts(records, parts, 48);
        }
    }
}
