//! The host's part of a grid kernel, which has the device's part launched.

use std::sync::Once;

use nestwise_codegen as codegen;
use nestwise_codegen::abi::{Order, part};
use nestwise_codegen::{GridKernel, Use};

use crate::device::emulated::block::{barrier, shuffle};
use crate::device::emulated::races::touched;
use crate::device::interface::{Cooperative, Device, Launch};
use crate::device::memory::{Before, Memory};
use crate::reason::Reason;

/// Registers the functions that generated code calls; to be called before any of it runs.
pub(super) fn register() {
    static READY: Once = Once::new();
    READY.call_once(|| {
        codegen::register_launch(launch);
        codegen::register_touched(touched);
        codegen::register_barrier(barrier);
        codegen::register_shuffle(shuffle);
    });
}

/// What the host's part finds as its frame's user: the launch that is running.
pub(super) struct Running<'a> {
    memory: &'a mut Memory,
    kernels: &'a [GridKernel],
    cooperative_threads: &'a [i64],
    written: &'a [(u64, Before)],
    /// Whether the arrays that are wanted at the end are being downloaded.
    is_coming: bool,
    /// Why an array could not be uploaded, if one could not.
    failed: Option<Reason>,
}

impl<'a> Running<'a> {
    /// A launch of which nothing has run yet.
    pub(super) fn new(
        memory: &'a mut Memory,
        kernels: &'a [GridKernel],
        cooperative_threads: &'a [i64],
        written: &'a [(u64, Before)],
    ) -> Running<'a> {
        Running {
            memory,
            kernels,
            cooperative_threads,
            written,
            is_coming: false,
            failed: None,
        }
    }

    /// Fails with the reason why an array could not be uploaded, if one could not.
    pub(super) fn outcome(&mut self) -> Result<(), Reason> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn device(&mut self) -> &mut dyn Device {
        &mut *self.memory.device
    }

    /// Launches a kernel, once what it looks at is uploaded or on its way; returns the number of blocks, if that could
    /// be.
    fn launch(&mut self, launch: Launch<'_>) -> Option<i64> {
        if let Err(reason) = self.memory.look(&launch.uses) {
            self.failed = Some(reason);
            return None;
        }
        self.is_coming = false;
        Some(self.memory.device.launch(launch))
    }

    /// Notes that no more kernels come in this chunk: what they wrote may be downloaded.
    pub(super) fn end(&mut self) {
        if !std::mem::replace(&mut self.is_coming, true) {
            let written = self.written;
            self.memory
                .expect(|at| written.iter().any(|(copy, _)| *copy == at));
        }
    }
}

/// The function behind `nw_grid`.
unsafe extern "C" fn launch(user: *mut u8, order: *mut Order) -> i64 {
    let launch = || {
        // SAFETY: what `Resident::run` put there, for as long as the host's part runs, and what that asks for.
        let (running, order) = unsafe { (&mut *user.cast::<Running<'_>>(), &mut *order) };
        if order.kernel < 0 {
            running.end();
            let left = running.device().left(part::DEFERRED + order.cells as usize);
            order.left = left.unwrap_or(std::ptr::null_mut());
            return left.is_some();
        }
        let number = order.kernel as usize;
        let Some(kernel) = running.kernels.get(number) else {
            return false;
        };
        // SAFETY: it has so many bytes.
        let env = unsafe { std::slice::from_raw_parts_mut(order.env, order.size as usize) };
        let word = |at: usize| env.get(at..at + 8)?.try_into().ok();
        let used = |u: &Use| Some((u64::from_ne_bytes(word(u.at)?), u.written));
        let uses = kernel.uses.iter().filter_map(used).collect();
        let launch = Launch {
            number,
            axes: kernel.loops.len(),
            record: kernel.record,
            env,
            copies: order.copies as usize,
            range: (order.lo, order.hi),
            inner: order.inner,
            tile: kernel.tile,
            uses,
            leaves: kernel.leaves,
            cooperative: kernel.cooperative.as_ref().map(|cooperative| Cooperative {
                record: cooperative.record,
                threads: running
                    .cooperative_threads
                    .get(number)
                    .copied()
                    .unwrap_or(i64::MAX),
            }),
        };
        let Some(blocks) = running.launch(launch) else {
            return false;
        };
        order.blocks = blocks;
        let wanted = match (order.cells as usize, kernel.record) {
            (0, 0) => return true,
            (cells, 0) => part::CELLS + cells,
            (_, record) => part::RECORDS + order.blocks as usize * record,
        };
        let Some(left) = running.device().left(wanted) else {
            return false;
        };
        order.left = left;
        true
    };
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(launch));
    i64::from(!done.unwrap_or(false))
}
