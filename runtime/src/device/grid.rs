//! The kernels of a nest for a device's grid, as its part on the host has them launched.

use super::cuda::{Cuda, Module};
use super::resident::Running;
use super::shadow::touched;
use super::{Device, Emulated};
use crate::reason::Reason;
use nestwise_codegen::{self as codegen, GridCode};
use std::sync::{Arc, Once};

/// Kernels, loaded.
pub enum Code {
    Emulated(Arc<GridCode>),
    Cuda(Arc<Module>),
}

/// What a kernel has besides its part on the host.
pub struct Grid {
    code: Code,
    /// Axes of each kernel.
    axes: Vec<usize>,
    /// NumPy warns of what its part on the host may do.
    warns: bool,
}

impl Grid {
    /// The kernels of a nest, which have so many axes each.
    pub fn new(code: Code, axes: Vec<usize>, warns: bool) -> Grid {
        static READY: Once = Once::new();
        READY.call_once(|| {
            codegen::register_launch(launch);
            codegen::register_touched(touched);
        });
        Grid { code, axes, warns }
    }

    /// A device that can run them.
    pub(super) fn device(&self) -> Result<Box<dyn Device>, Reason> {
        Ok(match &self.code {
            Code::Emulated(_) => Box::new(Emulated::default()),
            Code::Cuda(_) => Box::new(Cuda::new()?),
        })
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    /// Whether the host's floating-point flags tell of warnings.
    pub fn warns(&self) -> bool {
        self.warns
    }

    pub(super) fn axes(&self) -> &[usize] {
        &self.axes
    }
}

/// `nw_grid`.
#[allow(clippy::too_many_arguments)] // the kernel ABI's
unsafe extern "C" fn launch(
    user: *mut u8,
    kernel: i64,
    env: *mut u8,
    size: i64,
    lo: i64,
    hi: i64,
    inner: i64,
    results: *mut u8,
    bytes: i64,
) -> i64 {
    let launch = || {
        // SAFETY: what `Resident::run` put there, for as long as the host's part runs; `env` has so many bytes.
        let (running, env) = unsafe {
            let running = &mut *user.cast::<Running<'_>>();
            (running, std::slice::from_raw_parts(env, size as usize))
        };
        let kernel = kernel as usize;
        let axes = running.axes.get(kernel).copied().unwrap_or(1);
        running.device.launch(kernel, axes, env, (lo, hi), inner);
        if bytes == 0 {
            return true;
        }
        // SAFETY: the host's part has so many bytes there.
        let results = unsafe { std::slice::from_raw_parts_mut(results, bytes as usize) };
        running.device.results(results)
    };
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(launch));
    i64::from(!done.unwrap_or(false))
}
