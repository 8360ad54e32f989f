//! The kernels of one nest that are in this process, and those that launches asked for last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use nestwise_costmodel::Device;
use nestwise_ir::Tier;

use crate::kernel::Kernel;
use crate::kernel::key::Key;
use crate::lock::lock;

/// The most kernels kept per nest; a nest that is called with ever new facts gets one more, which holds for all of
/// them.
const MAX_KERNELS: usize = 32;

/// The kernels of one nest.
///
/// One lock guards everything but the flag. A launch that loads or compiles a kernel writes it, and so does a
/// background thread that was ordered to; every launch reads it, to find its kernel, and every pricing, to go by what
/// is compiled.
#[derive(Default)]
pub struct Kernels {
    made: Mutex<Made>,
    /// The lock that whoever compiles holds, so that nothing is compiled twice.
    compiling: Mutex<()>,
    /// Whether the data has NaN in it, which comparisons by vectors take for an invalid operation: set by a launch that
    /// was rolled back for it, and never unset.
    quiet: AtomicBool,
}

#[derive(Default)]
struct Made {
    by_key: Vec<(Key, Arc<Kernel>)>,
    /// For each native device, the optimised kernel that was asked for last.
    last: [Option<Arc<Kernel>>; 3],
}

impl Kernels {
    /// The kernel of a key, if it is there; it counts as the one asked for last.
    pub(crate) fn find(&self, key: &Key) -> Option<Arc<Kernel>> {
        let mut made = lock(&self.made);
        let (_, kernel) = made.by_key.iter().find(|(k, _)| k == key)?;
        let kernel = kernel.clone();
        made.asked_for(&kernel);
        Some(kernel)
    }

    /// Adds the kernel of a key, which counts as the one asked for last.
    pub(crate) fn add(&self, key: Key, kernel: &Arc<Kernel>) {
        let mut made = lock(&self.made);
        made.by_key.push((key, kernel.clone()));
        made.asked_for(kernel);
    }

    /// The optimised kernel that was asked for last on a native device.
    pub(crate) fn last(&self, device: Device) -> Option<Arc<Kernel>> {
        lock(&self.made).last[device.kind()].clone()
    }

    /// The number of kernels.
    pub(crate) fn count(&self) -> usize {
        lock(&self.made).by_key.len()
    }

    /// Whether there are so many kernels that further calls get the general one.
    pub(crate) fn is_full(&self) -> bool {
        self.count() >= MAX_KERNELS
    }

    /// Keeps others from compiling a kernel of the nest while the guard lives.
    pub(crate) fn compile_alone(&self) -> MutexGuard<'_, ()> {
        lock(&self.compiling)
    }

    /// Whether kernels compare floats without raising flags.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed)
    }

    /// Asks for kernels that compare floats without raising flags; false if they were asked for before.
    pub(crate) fn make_quiet(&self) -> bool {
        !self.quiet.swap(true, Ordering::Relaxed)
    }
}

impl Made {
    fn asked_for(&mut self, kernel: &Arc<Kernel>) {
        if kernel.about.tier == Tier::Optimised {
            self.last[kernel.device().kind()] = Some(kernel.clone());
        }
    }
}
