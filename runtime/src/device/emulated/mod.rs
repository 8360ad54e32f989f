//! A device that is the host itself: it runs the code of a GPU's kernels, thread after thread in an order of chance.
//!
//! The device's work is given to streams like a GPU's ([`Later`]), and is done when somebody waits for it. The device
//! is for tests. Its memory is an arena of its own, limited and full of rubbish at first, so that an address of the
//! host's, an element that was not uploaded, or a result that was not downloaded is wrong each time. Threads that race
//! are found ([`crate::device::emulated::races`]).
//!
//! NESTWISE_EMULATED makes it fail: `fail=N` at the Nth thing that it has to do in the process, `fail=N-` at all from
//! that on. `capacity=N` gives it that many bytes; `rush` has the blocks of cooperative kernels not wait for each
//! other; of `devices=N` each launch has the next one, so that what stays on a device has to leave it.

pub(crate) mod block;
pub(crate) mod races;
pub(crate) mod streams;

use std::alloc::{Layout, alloc, dealloc};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use nestwise_codegen::abi::{GridThread, Status, part};
use nestwise_codegen::{EMULATED_WARP, GridCode, MOST_RECORD};

use crate::device::code::Code;
use crate::device::emulated::block::{Stacks, Stuck, Watch};
use crate::device::emulated::races::Shadow;
use crate::device::emulated::streams::Later;
use crate::device::interface::{Device, Launch, Upload};
use crate::reason::Reason;
use crate::testing::forced_schedules::scattered;
use crate::threads::fp_environment;

/// Bytes of the device's memory.
const CAPACITY: usize = 1 << 30;
/// Bytes to which arrays are aligned, as on a GPU.
const ALIGN: usize = 256;
/// The byte that fresh memory is full of.
const POISON: u8 = 0xa5;
/// The most blocks of a launch.
const MOST_BLOCKS: usize = 12;
/// Bytes of the status, with what is left behind it.
const STATUS_BYTES: usize = part::RECORDS + MOST_BLOCKS * MOST_RECORD;
/// For one, two and three axes in use: the threads of a block, and the most blocks (`BLOCKS`). They are few, so that
/// every thread has several iterations of long loops.
const BLOCK: [[i64; 3]; 3] = [[32, 1, 1], [16, 2, 1], [8, 2, 2]];
const BLOCKS: [[i64; 3]; 3] = [[6, 1, 1], [3, 4, 1], [2, 2, 3]];

/// The threads of a block of a cooperative kernel, of whatever axes, and the most blocks of one
/// (`MOST_COOPERATIVE_BLOCKS`).
const COOPERATIVE_BLOCK: i64 = 16;
const MOST_COOPERATIVE_BLOCKS: i64 = 3;

/// The emulated device, with what is in use of its memory.
pub struct Emulated {
    code: Option<Arc<GridCode>>,
    blocks: Vec<Block>,
    used: usize,
    capacity: usize,
    later: Later<Job>,
    core: Core,
    /// The reason why a kernel could not be launched, if one could not.
    failed: Option<Reason>,
}

/// A block of the device's memory.
#[derive(Clone, Copy)]
struct Block {
    at: *mut u8,
    layout: Layout,
}

/// The parts of the device that kernels work with.
struct Core {
    shadow: Shadow,
    /// The status: status, line and code of the guard that failed, results, and records.
    status: Vec<u128>,
    stacks: Stacks,
    /// Whether threads of a block did not come to the same barriers.
    stuck: bool,
}

/// Something that the device has to do.
enum Job {
    /// Reset the status: no guard has failed.
    Begin,
    Upload(*mut u8, Vec<u8>),
    Clear(*mut u8, usize),
    Copy(*mut u8, *const u8, usize),
    Kernel(Kernel),
    Free(Block),
}

/// A kernel that was launched.
struct Kernel {
    /// The code that is run, which this keeps loaded.
    _code: Arc<GridCode>,
    run: GridThread,
    env: Vec<u8>,
    range: (i64, i64),
    record: usize,
    /// For a cooperative kernel, of whose parts all blocks are under way at once: bytes of its record.
    cooperative: Option<usize>,
    /// The blocks of the grid, and the threads of each.
    shape: ([i64; 3], [i64; 3]),
    /// The blocks of memory that the kernel may look at, each with whether it may write there.
    uses: Vec<(u64, bool)>,
}

/// An address that stands for the status in the order of streams and, from there on, for what each kernel leaves behind
/// it: no blocks begin there.
const STATUS: u64 = 1;

/// What NESTWISE_EMULATED says that the device fails at.
#[derive(Default)]
struct Trouble {
    capacity: Option<usize>,
    from: Option<u64>,
    lasting: bool,
    rush: bool,
    devices: Option<usize>,
}

impl Trouble {
    fn told() -> &'static Trouble {
        static TOLD: OnceLock<Trouble> = OnceLock::new();
        TOLD.get_or_init(|| {
            let text = std::env::var("NESTWISE_EMULATED").unwrap_or_default();
            let number = |name: &str| {
                let part = text.split(',').find_map(|part| part.strip_prefix(name));
                part.and_then(|n| n.trim_end_matches('-').parse().ok())
            };
            Trouble {
                capacity: number("capacity=").map(|n: u64| n as usize),
                from: number("fail="),
                lasting: text.ends_with('-'),
                devices: number("devices=").map(|n: u64| n as usize),
                rush: text.split(',').any(|part| part == "rush"),
            }
        })
    }

    /// Counts one more thing to do; fails if it is one that has to fail.
    fn next() -> Result<(), Reason> {
        static DONE: AtomicU64 = AtomicU64::new(0);
        let now = DONE.fetch_add(1, Ordering::Relaxed) + 1;
        let told = Trouble::told();
        match told.from {
            Some(from) if now == from || told.lasting && now > from => {
                Err(Reason::Device("NESTWISE_EMULATED says so".into()))
            }
            _ => Ok(()),
        }
    }
}

impl Default for Emulated {
    fn default() -> Emulated {
        Emulated {
            code: None,
            blocks: Vec::new(),
            used: 0,
            capacity: Trouble::told().capacity.unwrap_or(CAPACITY),
            later: Later::default(),
            core: Core {
                shadow: Shadow::default(),
                status: vec![0; STATUS_BYTES.div_ceil(16)],
                stacks: Stacks::default(),
                stuck: false,
            },
            failed: None,
        }
    }
}

impl Emulated {
    /// The number of the device whose turn it is, where there are several.
    pub(crate) fn turn() -> usize {
        static TURNS: AtomicU64 = AtomicU64::new(0);
        let devices = Trouble::told().devices.unwrap_or(1).max(1) as u64;
        (TURNS.fetch_add(1, Ordering::Relaxed) % devices) as usize
    }

    /// The block that has `bytes` bytes at an address.
    fn block(&self, at: u64, bytes: usize) -> Option<Block> {
        let holds = |block: &&Block| {
            let first = block.at as u64;
            first <= at && at + bytes as u64 <= first + block.layout.size() as u64
        };
        self.blocks.iter().find(holds).copied()
    }

    /// The pointer to `bytes` bytes of the device's memory, and the address of their block; fails if there are none.
    fn within(&self, at: u64, bytes: usize) -> Result<(*mut u8, u64), Reason> {
        match self.block(at, bytes) {
            Some(block) => {
                let first = block.at as u64;
                Ok((block.at.wrapping_add((at - first) as usize), first))
            }
            None => Err(Reason::Internal(
                "an address that is not the device's".into(),
            )),
        }
    }

    /// Does all that the device was asked for.
    fn wait(&mut self) {
        while let Some(job) = self.later.next() {
            match job {
                Job::Begin => self.core.status.fill(0),
                // SAFETY: in a block, as was seen when it was asked for; blocks are freed after that.
                Job::Upload(to, from) => unsafe {
                    std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len());
                },
                // SAFETY: as above.
                Job::Clear(at, bytes) => unsafe { at.write_bytes(0, bytes) },
                // SAFETY: as above.
                Job::Copy(to, from, bytes) => unsafe { std::ptr::copy(from, to, bytes) },
                Job::Kernel(kernel) => self.core.run(&kernel),
                Job::Free(block) => {
                    self.used -= block.layout.size();
                    self.core.shadow.remove(block.at as u64);
                    // SAFETY: allocated below with that layout; nobody looks at it any more.
                    unsafe { dealloc(block.at, block.layout) };
                }
            }
        }
    }
}

impl Core {
    fn run(&mut self, kernel: &Kernel) {
        static LAUNCHES: AtomicU64 = AtomicU64::new(0);
        let seed = scattered(LAUNCHES.fetch_add(1, Ordering::Relaxed));
        let (blocks, threads) = kernel.shape;
        // A card has no flags to raise.
        let raised = fp_environment::raised();
        self.shadow.launch(&kernel.uses);
        let all = places(blocks, threads);
        match (kernel.cooperative, kernel.record) {
            (None, 0) => self.one_by_one(kernel, all, seed),
            (cooperative, record) => {
                self.in_lockstep(kernel, all, cooperative.unwrap_or(record), seed)
            }
        }
        fp_environment::clear();
        if raised {
            fp_environment::raise();
        }
    }

    /// Runs threads one after the other, in an order of chance.
    fn one_by_one(&mut self, launch: &Kernel, mut all: Vec<Place>, seed: u64) {
        let run = launch.run;
        shuffle(&mut all, seed);
        let mut own = vec![0u128; launch.env.len().div_ceil(16)];
        let (lo, hi) = launch.range;
        for (thread, place) in all.into_iter().enumerate() {
            let at = own.as_mut_ptr().cast::<u8>();
            let status = self.status.as_mut_ptr().cast();
            // SAFETY: the kernel of this nest, on an environment that its host part made.
            self.shadow.run(thread, || unsafe {
                std::ptr::copy_nonoverlapping(launch.env.as_ptr(), at, launch.env.len());
                run(at, lo, hi, status, place.as_ptr());
            });
        }
    }

    /// Runs threads from barrier to barrier in an order of chance: block by block, each in another order, or all blocks
    /// together.
    fn in_lockstep(&mut self, launch: &Kernel, all: Vec<Place>, record: usize, seed: u64) {
        let (run, (lo, hi)) = (launch.run, launch.range);
        let each = all.first().map_or(1, |p| p[3..6].iter().product()) as usize;
        let mut blocks: Vec<&[Place]> = all.chunks(each).collect();
        blocks.sort_by_cached_key(|block| mixed(seed, &block[0]));
        let count = blocks.len();
        let at_once = match launch.cooperative {
            Some(_) if !Trouble::told().rush => count,
            _ => 1,
        };
        // A record for each of its warps.
        let cells = (each.div_ceil(EMULATED_WARP) * record).div_ceil(16);
        let mut shared = vec![0u128; cells * at_once];
        for (b, blocks) in blocks.chunks(at_once).enumerate() {
            shared.fill(u128::from_ne_bytes([POISON; 16]));
            let status = self.status.as_mut_ptr();
            let thread = |(k, place): (usize, &Place)| {
                let mut place = *place;
                place[12] = shared.as_ptr().wrapping_add(k / each * cells) as i64;
                let mut env = vec![0u128; launch.env.len().div_ceil(16)];
                let at = env.as_mut_ptr().cast::<u8>();
                // SAFETY: as large as what is copied.
                unsafe { std::ptr::copy_nonoverlapping(launch.env.as_ptr(), at, launch.env.len()) };
                move || {
                    let at = env.as_mut_ptr().cast();
                    // SAFETY: as above; the status and the shared memory outlive the block.
                    unsafe { run(at, lo, hi, status.cast(), place.as_ptr()) };
                }
            };
            let places: Vec<Place> = blocks.concat();
            let threads = places.iter().enumerate().map(thread).collect();
            let mut order: Vec<usize> = (0..places.len()).collect();
            order.sort_by_cached_key(|k| mixed(!seed, &places[*k]));
            let mut watch = Told {
                shadow: &mut self.shadow,
                first: b * each * at_once,
                is_all: at_once == count,
            };
            match self.stacks.run(threads, each, &order, &mut watch) {
                Ok(()) => {}
                Err(Stuck::Stack) => self.status[0] = Status::GuardFailed as u128,
                Err(Stuck::Diverged) => self.stuck = true,
            }
        }
    }
}

/// The shadow memory that is told what threads do that run together.
struct Told<'a> {
    shadow: &'a mut Shadow,
    /// The number of the first of these threads.
    first: usize,
    /// Whether these are all threads of the kernel.
    is_all: bool,
}

impl Watch for Told<'_> {
    fn step(&mut self, thread: usize, step: &mut dyn FnMut()) {
        self.shadow.run(self.first + thread, step);
    }
    fn all_met(&mut self) {
        if self.is_all {
            self.shadow.all_met();
        }
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        self.wait();
        for block in self.blocks.drain(..) {
            // SAFETY: allocated below with that layout.
            unsafe { dealloc(block.at, block.layout) };
        }
    }
}

impl Device for Emulated {
    fn begin(&mut self, code: &Code) -> Result<(), Reason> {
        let Code::Emulated(code) = code else {
            return Err(Reason::Internal("a card's code".into()));
        };
        Trouble::next()?;
        self.code = Some(code.clone());
        self.later.add(&[(STATUS, true)], Job::Begin);
        Ok(())
    }

    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason> {
        Trouble::next()?;
        let size = bytes.max(1).next_multiple_of(ALIGN);
        let layout = Layout::from_size_align(size, ALIGN).map_err(|_| Reason::DeviceMemory)?;
        if size > self.capacity - self.used {
            // What is to be freed is free then.
            self.wait();
        }
        if size > self.capacity - self.used {
            return Err(Reason::DeviceMemory);
        }
        // SAFETY: not empty.
        let at = unsafe { alloc(layout) };
        if at.is_null() {
            return Err(Reason::DeviceMemory);
        }
        // SAFETY: just allocated.
        unsafe { at.write_bytes(POISON, size) };
        self.used += size;
        self.blocks.push(Block { at, layout });
        self.core.shadow.add(at as u64, bytes);
        Ok(at as u64)
    }

    fn free(&mut self, at: u64) {
        let Some(k) = self.blocks.iter().position(|block| block.at as u64 == at) else {
            return;
        };
        let block = self.blocks.swap_remove(k);
        self.later.add(&[(at, true)], Job::Free(block));
        self.later.forget(at);
    }

    unsafe fn upload(&mut self, parts: &[Upload]) -> Result<(), Reason> {
        for part in parts {
            Trouble::next()?;
            let (to, block) = self.within(part.to, part.bytes)?;
            // SAFETY: as promised by the caller. What is there now is what comes up.
            let from = unsafe { std::slice::from_raw_parts(part.from, part.bytes) }.to_vec();
            self.later.add(&[(block, true)], Job::Upload(to, from));
        }
        Ok(())
    }

    fn clear(&mut self, at: u64, bytes: usize) -> Result<(), Reason> {
        Trouble::next()?;
        let (at, block) = self.within(at, bytes)?;
        self.later.add(&[(block, true)], Job::Clear(at, bytes));
        Ok(())
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason> {
        Trouble::next()?;
        let ((to, written), (from, read)) = (self.within(to, bytes)?, self.within(from, bytes)?);
        let job = Job::Copy(to, from, bytes);
        self.later.add(&[(read, false), (written, true)], job);
        Ok(())
    }

    fn download(
        &mut self,
        parts: &[(u64, usize)],
        look: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Reason> {
        self.wait();
        let mut found = Vec::with_capacity(parts.len());
        for (from, bytes) in parts {
            Trouble::next()?;
            let (from, _) = self.within(*from, *bytes)?;
            // SAFETY: in a block, as was just seen; nothing runs.
            found.push(unsafe { std::slice::from_raw_parts(from.cast_const(), *bytes) });
        }
        (0..).zip(found).for_each(|(k, bytes)| look(k, bytes));
        Ok(())
    }

    fn launch(&mut self, mut launch: Launch<'_>) -> i64 {
        let code = self.code.clone();
        let run = code.as_ref().and_then(|c| c.kernel(launch.number));
        let (Some(code), Some(run)) = (code, run) else {
            self.failed = Some(Reason::Internal("no such kernel".into()));
            return 0;
        };
        let shape = shape(&launch);
        let (blocks, threads) = shape;
        let count: i64 = blocks.iter().chain(&threads).product();
        let own = match self.make_own(&mut launch, count, blocks.iter().product()) {
            Ok(own) => own,
            Err(why) => {
                self.failed = Some(why);
                return 0;
            }
        };
        let block = |(at, written): &(u64, bool)| Some((self.block(*at, 1)?.at as u64, *written));
        let mut uses: Vec<_> = launch.uses.iter().filter_map(block).collect();
        uses.extend(own.iter().map(|at| (*at, true)));
        let kernel = Kernel {
            _code: code,
            run,
            env: launch.env.to_vec(),
            range: launch.range,
            record: launch.record,
            cooperative: launch.cooperative.map(|cooperative| cooperative.record),
            shape,
            uses: uses.clone(),
        };
        // Any may set the status at any time, once it was cleared.
        uses.extend([(STATUS, false), (STATUS + launch.left(), launch.leaves)]);
        self.later.add(&uses, Job::Kernel(kernel));
        own.into_iter().for_each(|at| self.free(at));
        blocks.iter().product()
    }

    fn left(&mut self, bytes: usize) -> Option<*mut u8> {
        self.wait();
        let status = &mut self.core.status;
        let fits = bytes <= 16 * status.len() && self.failed.is_none();
        (fits && failed_guard(status).is_none()).then_some(status.as_mut_ptr().cast())
    }

    fn finish(&mut self) -> Result<Option<u32>, Reason> {
        Trouble::next()?;
        self.wait();
        if let Some(why) = self.failed.take() {
            return Err(why);
        }
        let internal = |what: &str| Err(Reason::Internal(what.into()));
        let core = &self.core;
        match core.shadow.wrong() {
            Some(what) => internal(what),
            None if core.stuck => internal("threads of a block do not come to the same barriers"),
            None => Ok(failed_guard(&core.status)),
        }
    }
}

/// The line in which a guard failed, if one did.
fn failed_guard(status: &[u128]) -> Option<u32> {
    let (code, line) = (status[0] as i64, (status[0] >> 64) as u32);
    (code != 0).then_some(line)
}

/// A thread's position in the grid, as [`GridThread`] has it.
type Place = [i64; 13];

/// The blocks of a launch, and the threads of each.
fn shape(launch: &Launch<'_>) -> ([i64; 3], [i64; 3]) {
    if let Some(cooperative) = launch.cooperative {
        let blocks = (cooperative.threads.max(1) - 1) / COOPERATIVE_BLOCK + 1;
        return (
            [blocks.min(MOST_COOPERATIVE_BLOCKS), 1, 1],
            [COOPERATIVE_BLOCK, 1, 1],
        );
    }
    let Some(last) = launch.axes.checked_sub(1) else {
        return ([1; 3], [1; 3]);
    };
    let (threads, mut blocks) = (BLOCK[last], BLOCKS[last]);
    // No more blocks than iterations ask for.
    for (axis, trips) in launch.trips().into_iter().enumerate() {
        let needed = trips.map(|n| (n.max(1) - 1) / threads[axis] + 1);
        blocks[axis] = blocks[axis].min(needed.unwrap_or(i64::MAX));
    }
    (blocks, threads)
}

/// The positions of all threads, block after block.
fn places(blocks: [i64; 3], threads: [i64; 3]) -> Vec<Place> {
    let all = |n: [i64; 3]| {
        let each = move |k: i64| [k % n[0], k / n[0] % n[1], k / (n[0] * n[1])];
        (0..n.iter().product::<i64>()).map(each)
    };
    let mut found = Vec::new();
    for block in all(blocks) {
        for thread in all(threads) {
            let mut place = [0; 13];
            for (k, part) in [thread, threads, block, blocks].iter().enumerate() {
                place[3 * k..3 * k + 3].copy_from_slice(part);
            }
            found.push(place);
        }
    }
    found
}

fn shuffle(all: &mut [Place], seed: u64) {
    all.sort_by_cached_key(|place| mixed(seed, place));
}

fn mixed(seed: u64, place: &Place) -> u64 {
    let mix = |all: u64, n: &i64| scattered(all ^ *n as u64);
    place.iter().fold(seed, mix)
}
