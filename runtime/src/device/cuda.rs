//! NVIDIA's cards, through the driver that is found at run time.
//!
//! The driver is asked for when somebody wants a card for the first time, and a context is made when something is to run there:
//! import, build and everything on the CPU work without either. One card is used, the first that the driver tells of
//! (CUDA_VISIBLE_DEVICES chooses). Kernels, and copies that are small, go through a few streams, in the order that the arrays
//! demand which they look at ([`Queues`]); large copies come and go on others ([`Staging`]).

use super::kit::Kit;
use super::shape::{asked, in_tiles, shape};
use super::staging::{LARGE, Staging};
use super::{Code, Device, Launch};
use crate::reason::Reason;
use cudarc::driver::{DriverError, result as cu, sys};
use nestwise_codegen::abi::part;
use nestwise_codegen::kernel_name;
use nestwise_costmodel::blocks::{self, Room};
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The oldest driver that has all that is used: CUDA 11.4's.
const OLDEST_DRIVER: i32 = 11_040;
/// The oldest capability that `ptxas` of CUDA 13 knows, and those with instructions of their own that LLVM knows.
const CAPABILITIES: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];
/// After so many failures it is left alone.
const MOST_FAILURES: u32 = 3;
/// Blocks at most, by the card's processors; each thread takes several iterations then, which costs less than to begin more.
const BLOCKS_PER_PROCESSOR: i64 = 256;
/// Blocks in all that leave records, by processors: so many have room at once.
pub(super) const RECORDS_PER_PROCESSOR: i64 = 8;
/// Threads for each processor that are left at least where each takes a tile of its axes: a block, whose threads have several
/// operations under way at any time, as the copies of a tile do not wait for each other.
const TILED_PER_PROCESSOR: i64 = 128;
/// The share of the memory that threads have for copies: one of so many.
const COPIES_SHARE: i64 = 8;
/// The card.
pub struct Card {
    device: sys::CUdevice,
    /// As the driver calls it.
    pub name: String,
    /// What PTX is made for: 80 for compute capability 8.0.
    pub capability: u32,
    /// The driver's version of CUDA: 12040 for 12.4.
    pub driver: i32,
    /// Its processors.
    pub processors: i64,
    /// Threads that one of them has room for.
    pub resident: i64,
    /// Registers that one of them has.
    registers: i64,
    /// Bytes of the cache that they have in common.
    pub cache: i64,
    /// Bytes of its memory.
    memory: i64,
    /// The process that found it: another one, forked, cannot use it.
    process: u32,
    failures: AtomicU32,
    context: OnceLock<Result<Shared<sys::CUcontext>, DriverError>>,
    /// Those that nobody uses now.
    kits: Mutex<Vec<Kit>>,
    /// None: the driver has no memory for it.
    staging: OnceLock<Option<Mutex<Staging>>>,
}

/// A handle of the driver's, which any thread may use.
#[derive(Clone, Copy)]
pub(super) struct Shared<T>(pub(super) T);

// SAFETY: the driver's handles are good for all threads of the process, one after the other or together.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

/// The card, or why there is none, in words for users.
pub fn card() -> Result<&'static Card, String> {
    static CARD: OnceLock<Result<Card, String>> = OnceLock::new();
    // The bindings panic where the driver has not what it should have.
    let find = || std::panic::catch_unwind(Card::find).unwrap_or_else(|_| Err(NO_DRIVER.into()));
    let card = CARD.get_or_init(find).as_ref().map_err(Clone::clone)?;
    if card.process != std::process::id() {
        return Err(
            "a forked process cannot use the card of the one that it was forked from".into(),
        );
    }
    if card.failures.load(Ordering::Relaxed) >= MOST_FAILURES {
        return Err(format!("{} failed {MOST_FAILURES} times", card.name));
    }
    Ok(card)
}

const NO_DRIVER: &str = "no NVIDIA driver was found (libcuda.so.1)";

/// Whether a context was made, which takes long.
pub fn begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

static BEGUN: AtomicBool = AtomicBool::new(false);

impl Card {
    fn find() -> Result<Card, String> {
        // SAFETY: a library is looked for, and loaded if it is there.
        if !unsafe { sys::is_culib_present() } {
            return Err(NO_DRIVER.into());
        }
        let bad = |e: DriverError| format!("the NVIDIA driver cannot be used: {}", told(&e));
        let mut driver = 0;
        // SAFETY: a place for a number.
        unsafe { sys::cuDriverGetVersion(&raw mut driver) }
            .result()
            .map_err(bad)?;
        if driver < OLDEST_DRIVER {
            let version = |v: i32| format!("{}.{}", v / 1000, v % 1000 / 10);
            return Err(format!(
                "the NVIDIA driver is for CUDA {}; {} or newer is needed",
                version(driver),
                version(OLDEST_DRIVER)
            ));
        }
        cu::init().map_err(bad)?;
        if cu::device::get_count().map_err(bad)? == 0 {
            return Err("the NVIDIA driver tells of no card".into());
        }
        let device = cu::device::get(0).map_err(bad)?;
        let name = cu::device::get_name(device).map_err(bad)?;
        use sys::CUdevice_attribute as Attribute;
        // SAFETY: a device that is there.
        let attribute = |which| unsafe { cu::device::get_attribute(device, which) }.map_err(bad);
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let own = (10 * major + minor) as u32;
        let known = CAPABILITIES.iter().rev().find(|c| **c <= own);
        let Some(capability) = known.copied() else {
            return Err(format!(
                "{name} is too old: it has compute capability {major}.{minor}, 7.5 is needed"
            ));
        };
        let processors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(Card {
            device,
            name,
            capability,
            driver,
            processors: processors.into(),
            resident: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?
                .into(),
            registers: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?
                .into(),
            cache: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
            // SAFETY: a device that is there.
            memory: unsafe { cu::device::total_mem(device) }.map_err(bad)? as i64,
            process: std::process::id(),
            failures: AtomicU32::new(0),
            context: OnceLock::new(),
            kits: Mutex::default(),
            staging: OnceLock::new(),
        })
    }

    /// Threads of a block where so many are asked for: those whose records are counted by blocks are not to be fewer for it.
    fn block(&self, function: &Function, launch: &Launch<'_>, asked: i64) -> i64 {
        let room = Room {
            processors: self.processors,
            threads: self.resident,
            registers: self.registers,
        };
        let block = match launch.record {
            0 => room.block(asked, Some(function.registers), blocks::USUAL),
            _ => room.block(asked, None, blocks::LARGE),
        };
        block.min(function.most)
    }

    /// Blocks of a launch at most, so that the copies of their threads, so many bytes each, leave most of its memory to arrays.
    fn most_blocks(&self, copies: usize, threads: i64) -> i64 {
        let each = (copies as i64).saturating_mul(threads);
        match each {
            0 => i64::MAX,
            each => (self.memory / COPIES_SHARE / each).max(1),
        }
    }

    /// Makes the context, once, and this thread's current one for as long as what comes back lives: others of this process may
    /// have one of their own.
    fn enter(&self) -> Result<Entered, Reason> {
        let before = cu::ctx::get_current().ok().flatten();
        let entered = Entered(Shared(before.unwrap_or(std::ptr::null_mut())));
        let made = self.context.get_or_init(|| {
            // SAFETY: a device that is there; never given back.
            let context = unsafe { cu::primary_ctx::retain(self.device) }?;
            // SAFETY: just retained.
            unsafe { cu::ctx::set_current(context) }?;
            self.keep_memory()?;
            BEGUN.store(true, Ordering::Relaxed);
            Ok(Shared(context))
        });
        let context = made.as_ref().map_err(|e| self.failed(*e))?;
        // SAFETY: retained above.
        unsafe { cu::ctx::set_current(context.0) }.map_err(|e| self.failed(e))?;
        Ok(entered)
    }

    /// What was freed stays with the process: to get it from the system takes long.
    fn keep_memory(&self) -> Result<(), DriverError> {
        let mut all = u64::MAX;
        let what = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the device's own pool, and a number as the attribute is.
        unsafe {
            let pool = cu::device::get_default_mem_pool(self.device)?;
            cu::mem_pool::set_attribute(pool, what, (&raw mut all).cast())
        }
    }

    /// Counts a failure; there being no memory is none.
    fn failed(&self, error: DriverError) -> Reason {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Reason::DeviceMemory;
        }
        self.failures.fetch_add(1, Ordering::Relaxed);
        Reason::Device(told(&error))
    }

    /// For a copy of so many bytes, in the current context.
    fn staging(&self, bytes: usize) -> Option<MutexGuard<'_, Staging>> {
        if bytes < LARGE {
            return None;
        }
        let made = || Staging::new().ok().map(Mutex::new);
        let staging = self.staging.get_or_init(made).as_ref()?;
        Some(staging.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// In the current context.
    fn kit(&'static self) -> Result<Kit, DriverError> {
        let free = self.kits().pop();
        free.map_or_else(|| Kit::new(self), Ok)
    }

    fn kits(&self) -> MutexGuard<'_, Vec<Kit>> {
        self.kits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The context that was current before.
struct Entered(Shared<sys::CUcontext>);

impl Drop for Entered {
    fn drop(&mut self) {
        // SAFETY: what was current, or none. A failure has nobody to tell.
        let _ = unsafe { cu::ctx::set_current(self.0.0) };
    }
}

/// An error in the driver's words.
fn told(error: &DriverError) -> String {
    match error.error_string() {
        Ok(words) => words.to_string_lossy().into_owned(),
        Err(_) => format!("{:?}", error.0),
    }
}

/// A nest's kernels on the card.
pub struct Module {
    card: &'static Card,
    module: Shared<sys::CUmodule>,
    kernels: Vec<Function>,
}

struct Function {
    handle: Shared<sys::CUfunction>,
    /// Threads that a block of it can have.
    most: i64,
    /// Registers of each of its threads.
    registers: i64,
}

impl Module {
    /// Has the driver assemble PTX that has so many kernels.
    pub fn load(ptx: &str, kernels: usize) -> Result<Module, Reason> {
        let card = card().map_err(Reason::Device)?;
        let _entered = card.enter()?;
        let text = CString::new(ptx).map_err(|_| Reason::Internal("a NUL in PTX".into()))?;
        let bad = |e| card.failed(e);
        // SAFETY: text that ends with a NUL.
        let module = unsafe { cu::module::load_data(text.as_ptr().cast()) }.map_err(bad)?;
        let mut made = Module {
            card,
            module: Shared(module),
            kernels: Vec::with_capacity(kernels),
        };
        use sys::CUfunction_attribute as Attribute;
        for number in 0..kernels {
            let name = CString::new(kernel_name(number)).unwrap_or_default();
            // SAFETY: the module that was just loaded.
            let handle = unsafe { cu::module::get_function(module, name) }.map_err(bad)?;
            let attribute = |which| {
                // SAFETY: a function of that module.
                unsafe { cu::function::get_function_attribute(handle, which) }.map_err(bad)
            };
            made.kernels.push(Function {
                handle: Shared(handle),
                most: attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?.into(),
                registers: attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?.into(),
            });
        }
        Ok(made)
    }
}

impl Module {
    /// Threads that its card has room for at once.
    pub(super) fn room(&self) -> i64 {
        self.card.processors * self.card.resident
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let entered = || self.card.enter().ok();
        if self.card.process == std::process::id()
            && let Some(_entered) = entered()
        {
            // SAFETY: loaded above; nothing of it runs, since launches hold it. A failure has nobody to tell.
            let _ = unsafe { cu::module::unload(self.module.0) };
        }
    }
}

/// The card, with streams of our own and what is in use of its memory.
pub struct Cuda {
    card: &'static Card,
    /// There until this is dropped.
    kit: Option<Kit>,
    /// Code that may run, until it is waited for.
    modules: Vec<Arc<Module>>,
    /// No kernel was launched since it was last looked at what they leave behind.
    seen: bool,
    /// Where blocks begin, and their bytes.
    blocks: Vec<(u64, usize)>,
    /// What went wrong first: the driver says it again whatever it is asked then.
    failed: Option<Reason>,
    _entered: Entered,
}

impl Cuda {
    /// Nothing of its memory is in use.
    pub fn new() -> Result<Cuda, Reason> {
        let card = card().map_err(Reason::Device)?;
        let entered = card.enter()?;
        Ok(Cuda {
            card,
            kit: Some(card.kit().map_err(|e| card.failed(e))?),
            modules: Vec::new(),
            seen: false,
            blocks: Vec::new(),
            failed: None,
            _entered: entered,
        })
    }

    fn kit(&mut self) -> &mut Kit {
        // Taken by `drop` alone.
        self.kit.as_mut().expect("a kit")
    }

    /// Keeps what went wrong.
    fn done(&mut self, done: Result<(), DriverError>) -> Result<(), Reason> {
        let Err(error) = done else {
            return Ok(());
        };
        let reason = match &self.failed {
            Some(reason) => reason.clone(),
            None => self.card.failed(error),
        };
        self.failed = Some(reason.clone());
        Err(reason)
    }

    /// The first bytes of the status, once all that was launched has run; the line in which something has fired.
    fn look(&mut self, bytes: usize) -> Result<Option<u32>, Reason> {
        if let Some(reason) = &self.failed {
            return Err(reason.clone());
        }
        let kit = self.kit();
        let looked = kit.queues.last().and_then(|stream| {
            kit.clock.end(stream)?;
            let found = &mut kit.left.bytes()[..bytes];
            // SAFETY: the device's bytes; waited for.
            unsafe { cu::memcpy_dtoh_async(found, kit.status, stream) }?;
            // SAFETY: a stream of ours.
            unsafe { cu::stream::synchronize(stream) }?;
            kit.clock.read()
        });
        self.done(looked)?;
        self.seen = true;
        // Nothing runs any more.
        self.modules.drain(..self.modules.len().saturating_sub(1));
        Ok(self.fired())
    }

    /// The line in which something has fired, as was last seen.
    fn fired(&mut self) -> Option<u32> {
        line(self.kit().left.bytes())
    }

    /// The stream for what looks at blocks in which those addresses are.
    fn turn(&mut self, uses: &[(u64, bool)]) -> Result<sys::CUstream, DriverError> {
        self.turn_with(uses, &[])
    }

    /// The same; and at something else.
    fn turn_with(
        &mut self,
        uses: &[(u64, bool)],
        others: &[(u64, bool)],
    ) -> Result<sys::CUstream, DriverError> {
        let blocks = uses
            .iter()
            .filter_map(|(at, w)| Some((self.block(*at)?, *w)));
        let all: Vec<_> = blocks.chain(others.iter().copied()).collect();
        self.kit().queues.turn(&all)
    }

    /// The block that an address is in.
    fn block(&self, at: u64) -> Option<u64> {
        let holds = |(first, bytes): &&(u64, usize)| (*first..*first + *bytes as u64).contains(&at);
        self.blocks.iter().find(holds).map(|block| block.0)
    }
}

impl Cuda {
    fn download_alone(&mut self, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
        let staging = self.card.staging(to.len());
        let stream = self.turn(&[(from, false)])?;
        // SAFETY: the device's bytes; waited for.
        unsafe {
            match staging {
                Some(mut staging) => staging.download(from, to, stream),
                None => {
                    cu::memcpy_dtoh_async(to, from, stream)?;
                    cu::stream::synchronize(stream)
                }
            }
        }
    }

    /// All by way of one place, waited for once.
    fn download_small(&mut self, parts: &mut [(u64, &mut [u8])]) -> Result<(), DriverError> {
        let Some(last) = parts.len().checked_sub(1) else {
            return Ok(());
        };
        let mut at = 0;
        for (k, (from, to)) in parts.iter().enumerate() {
            let stream = self.turn(&[(*from, false)])?;
            let kit = self.kit();
            let place = &mut kit.small.bytes()[at..at + to.len()];
            // SAFETY: the device's bytes; waited for.
            unsafe { cu::memcpy_dtoh_async(place, *from, stream) }?;
            at += to.len();
            if k == last {
                kit.queues.wait()?;
            }
        }
        let mut landed = &*self.kit().small.bytes();
        for (_, to) in parts {
            let (own, rest) = landed.split_at(to.len());
            to.copy_from_slice(own);
            landed = rest;
        }
        Ok(())
    }
}

/// The line that a status tells of, if something has fired.
fn line(status: &[u8]) -> Option<u32> {
    let word = |at: usize| status[at..at + 8].try_into().map(i64::from_le_bytes);
    let fired = word(part::STATUS).is_ok_and(|code| code != 0);
    fired.then(|| word(part::LINE).unwrap_or(0) as u32)
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // A failure has nobody to tell: whoever needed this has been told.
        while let Some((block, _)) = self.blocks.last().copied() {
            self.free(block);
        }
        let Some(mut kit) = self.kit.take() else {
            return;
        };
        // Code is there until it has run.
        let done = match self.seen {
            true => Ok(()),
            false => kit.queues.wait(),
        };
        if self.failed.is_none() && done.and_then(|()| kit.clear()).is_ok() {
            self.card.kits().push(kit);
        }
    }
}

impl Device for Cuda {
    fn begin(&mut self, code: &Code) -> Result<(), Reason> {
        let Code::Cuda(module) = code else {
            return Err(Reason::Internal("no card's code".into()));
        };
        self.modules.push(module.clone());
        self.failed = None;
        self.seen = false;
        let begun = self.kit().begin();
        self.done(begun)
    }

    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason> {
        let bytes = bytes.max(1);
        let card = self.card;
        let queues = &mut self.kit().queues;
        let stream = queues.turn(&[]).map_err(|e| card.failed(e))?;
        // SAFETY: a stream of ours.
        let block = unsafe { cu::malloc_async(stream, bytes) };
        let block = block.map_err(|e| card.failed(e))?;
        queues.made(block, stream);
        self.blocks.push((block, bytes));
        Ok(block)
    }

    fn free(&mut self, at: u64) {
        let Some(k) = self.blocks.iter().position(|block| block.0 == at) else {
            return;
        };
        self.blocks.swap_remove(k);
        let stream = self.kit().queues.end(at);
        // SAFETY: allocated above; that stream comes behind whoever looks at it. A failure has nobody to tell.
        let _ = stream.and_then(|stream| unsafe { cu::free_async(at, stream) });
    }

    unsafe fn upload(&mut self, to: u64, from: *const u8, bytes: usize) -> Result<(), Reason> {
        let staging = self.card.staging(bytes);
        let turn = self.turn(&[(to, true)]);
        // SAFETY: as promised by the caller. Of memory that is not pinned the driver has a copy when it returns.
        let copied = turn.and_then(|stream| unsafe {
            match staging {
                Some(mut staging) => staging.upload(to, from, bytes, stream),
                None => {
                    let from = std::slice::from_raw_parts(from, bytes);
                    cu::memcpy_htod_async(to, from, stream)
                }
            }
        });
        self.done(copied)
    }

    fn clear(&mut self, at: u64, bytes: usize) -> Result<(), Reason> {
        // SAFETY: so many bytes are allocated there.
        let clear = |stream| unsafe { cu::memset_d8_async(at, 0, bytes, stream) };
        let cleared = self.turn(&[(at, true)]).and_then(clear);
        self.done(cleared)
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason> {
        // SAFETY: so many bytes are allocated at both.
        let copy = |stream| unsafe { cu::memcpy_dtod_async(to, from, bytes, stream) };
        let copied = self.turn(&[(from, false), (to, true)]).and_then(copy);
        self.done(copied)
    }

    fn download(&mut self, parts: &mut [(u64, &mut [u8])]) -> Result<(), Reason> {
        let mut room = self.kit().small.bytes().len();
        // What is small comes together.
        let mut small = Vec::with_capacity(parts.len());
        for (from, to) in parts {
            if to.len() <= room {
                room -= to.len();
                small.push((*from, &mut **to));
            } else {
                let copied = self.download_alone(*from, to);
                self.done(copied)?;
            }
        }
        let copied = self.download_small(&mut small);
        self.done(copied)
    }

    fn launch(&mut self, mut launch: Launch<'_>) -> i64 {
        self.seen = false;
        let module = self.modules.last().cloned();
        let kernels = module.as_ref().map(|m| &m.kernels);
        let Some(function) = kernels.and_then(|all| all.get(launch.number)) else {
            self.failed = Some(Reason::Internal("no such kernel".into()));
            return 0;
        };
        let (mut lo, mut hi) = launch.range;
        let all = match launch.record {
            0 => BLOCKS_PER_PROCESSOR * self.card.processors,
            _ => RECORDS_PER_PROCESSOR * self.card.processors,
        };
        let least = TILED_PER_PROCESSOR * self.card.processors;
        let trips = launch.trips();
        let tile = in_tiles(trips, launch.tile, least);
        let asked = asked(launch.axes, trips, tile);
        let each = self.card.block(function, &launch, asked);
        let most = self.card.most_blocks(launch.copies, each);
        let (blocks, threads) = shape(launch.axes, trips, tile, each, all.min(most));
        let count: i64 = blocks.iter().chain(&threads).product();
        let copies = match self.make_copies(&mut launch, count) {
            Ok(copies) => copies,
            Err(why) => {
                self.failed = Some(why);
                return 0;
            }
        };
        let mut uses = std::mem::take(&mut launch.uses);
        uses.extend(copies.map(|at| (at, true)));
        // Any may set the status at any time, once it was cleared.
        let mut status = self.kit().status;
        let own = status + launch.left();
        let turn = self.turn_with(&uses, &[(status, false), (own, launch.leaves)]);
        let dim = |n: [i64; 3]| (n[0] as u32, n[1] as u32, n[2] as u32);
        let mut parameters: [*mut c_void; 4] = [
            launch.env.as_mut_ptr().cast(),
            (&raw mut lo).cast(),
            (&raw mut hi).cast(),
            (&raw mut status).cast(),
        ];
        let handle = function.handle.0;
        let clock = &mut self.kit().clock;
        let launched = turn.and_then(|stream| {
            clock.begin(stream)?;
            let (blocks, threads) = (dim(blocks), dim(threads));
            // SAFETY: the kernel of this nest, its parameters as `emit/grid.rs` has them; the driver copies them.
            unsafe { cu::launch_kernel(handle, blocks, threads, 0, stream, &mut parameters) }
        });
        // Told when it is waited for.
        let _ = self.done(launched);
        // Once the kernel has run, as everything on the stream.
        copies.into_iter().for_each(|at| self.free(at));
        blocks.iter().product()
    }

    fn left(&mut self, bytes: usize) -> Option<*mut u8> {
        match self.look(bytes) {
            Ok(None) => Some(self.kit().left.bytes().as_mut_ptr()),
            _ => None,
        }
    }

    fn finish(&mut self) -> Result<Option<u32>, Reason> {
        match (&self.failed, self.seen) {
            (None, true) => Ok(self.fired()),
            _ => self.look(part::CELLS),
        }
    }

    fn take_kernel_seconds(&mut self) -> f64 {
        std::mem::take(&mut self.kit().clock.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_card_it_is_said_why() {
        if let Err(why) = card() {
            assert!(why.contains("NVIDIA") || why.contains("too old"), "{why}");
        }
    }

    #[test]
    fn a_status_tells_its_line() {
        let mut status = [0; 32];
        assert_eq!(line(&status), None);
        status[part::STATUS] = 1;
        status[part::LINE] = 7;
        assert_eq!(line(&status), Some(7));
    }
}
