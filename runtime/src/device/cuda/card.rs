//! NVIDIA's GPUs, through the driver that is found at run time.
//!
//! The driver is asked for when somebody wants a GPU for the first time, and a context is made when something is to run
//! there: import, build and everything on the CPU work without either. One GPU is used, the first that the driver tells
//! of (CUDA_VISIBLE_DEVICES chooses).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cudarc::driver::{DriverError, result as cu, sys};

use crate::reason::Reason;

/// The oldest driver that has all functions that are used: CUDA 11.4's.
const OLDEST_DRIVER: i32 = 11_040;
/// The compute capabilities that PTX is made for: the oldest that `ptxas` of CUDA 13 knows, and those with instructions
/// of their own that LLVM knows.
const CAPABILITIES: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];
/// The number of failures after which the GPU is left alone.
const MOST_FAILURES: u32 = 3;
/// The most blocks of a launch whose blocks leave records, for each multiprocessor: that many have room at once.
pub(crate) const RECORDS_PER_PROCESSOR: i64 = 8;
/// The share of the GPU's memory that threads have for copies: one of this many parts.
const COPIES_SHARE: i64 = 8;

/// The GPU, as the driver describes it.
pub struct Card {
    device: sys::CUdevice,
    /// The name that the driver gives the GPU.
    pub name: String,
    /// The compute capability that PTX is made for: 80 for 8.0.
    pub capability: u32,
    /// The version of CUDA that the driver supports: 12040 for 12.4.
    pub driver: i32,
    /// The number of multiprocessors.
    pub processors: i64,
    /// The number of threads that one multiprocessor has room for.
    pub resident: i64,
    /// The number of registers that one multiprocessor has.
    pub(crate) registers: i64,
    /// Bytes of the cache that all multiprocessors share.
    pub cache: i64,
    /// Bytes of the GPU's memory.
    memory: i64,
    /// The process that found the GPU: another one, forked, cannot use it.
    pub(crate) process: u32,
    failures: AtomicU32,
    context: OnceLock<Result<Shared<sys::CUcontext>, DriverError>>,
}

/// A handle of the driver's, which any thread may use.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(pub(crate) T);

// SAFETY: the driver's handles are good for all threads of the process, one after the other or together.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

/// The GPU, or why there is none, in words for users.
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

/// Whether a context of the driver was made, which takes long.
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
        })
    }

    /// The most blocks of a launch of blocks with `threads` threads, so that the copies of the threads, `copies` bytes
    /// each, leave most of the GPU's memory to arrays.
    pub(crate) fn most_blocks(&self, copies: usize, threads: i64) -> i64 {
        let each = (copies as i64).saturating_mul(threads);
        match each {
            0 => i64::MAX,
            each => (self.memory / COPIES_SHARE / each).max(1),
        }
    }

    /// Makes the context, once, and makes it this thread's current one until the result is dropped: other users of the
    /// process may have a context of their own.
    pub(crate) fn enter(&self) -> Result<Entered, Reason> {
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

    /// Has freed memory of the GPU stay with the process: to get it from the system takes long.
    fn keep_memory(&self) -> Result<(), DriverError> {
        let mut all = u64::MAX;
        let what = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the device's own pool, and a number as the attribute is.
        unsafe {
            let pool = cu::device::get_default_mem_pool(self.device)?;
            cu::mem_pool::set_attribute(pool, what, (&raw mut all).cast())
        }
    }

    /// Counts a failure; a lack of memory does not count.
    pub(crate) fn failed(&self, error: DriverError) -> Reason {
        if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Reason::DeviceMemory;
        }
        self.failures.fetch_add(1, Ordering::Relaxed);
        Reason::Device(told(&error))
    }
}

/// The context that was current before; it is current again when this is dropped.
pub(crate) struct Entered(Shared<sys::CUcontext>);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_card_it_is_said_why() {
        if let Err(why) = card() {
            assert!(why.contains("NVIDIA") || why.contains("too old"), "{why}");
        }
    }
}
