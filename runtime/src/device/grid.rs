//! The kernels of a nest for a device's grid, as its part on the host has them launched.

use std::sync::{Arc, Once};

use nestwise_codegen as codegen;
use nestwise_codegen::abi::{Order, part};
use nestwise_codegen::{GridCode, GridKernel, Use};
use nestwise_ir::LoopId;

use crate::device::cuda::Cuda;
use crate::device::cuda::module::Module;
use crate::device::emulated::block::{barrier, shuffle};
use crate::device::emulated::races::touched;
use crate::device::launch_arrays::Running;
use crate::device::memory::Memory;
use crate::device::{Device, Emulated, Launch, Team, residency};
use crate::reason::Reason;

/// Kernels, loaded.
pub enum Code {
    Emulated(Arc<GridCode>),
    Cuda(Arc<Module>),
}

/// What a launch asks of a device, about.
#[derive(Debug)]
pub struct Expected {
    /// Iterations of the top loop that its threads run at once, where that is the first axis of a kernel: fewer take no less time.
    pub wave: i64,
    /// Threads that the largest part of each kernel asks for, where it is cooperative.
    pub teams: Vec<i64>,
}

impl Default for Expected {
    fn default() -> Expected {
        Expected {
            wave: 1,
            teams: vec![],
        }
    }
}

/// What a kernel has besides its part on the host.
pub struct Grid {
    code: Code,
    kernels: Vec<GridKernel>,
}

impl Grid {
    /// The kernels of a nest, and what is known of each.
    pub fn new(code: Code, kernels: Vec<GridKernel>) -> Grid {
        static READY: Once = Once::new();
        READY.call_once(|| {
            codegen::register_launch(launch);
            codegen::register_touched(touched);
            codegen::register_barrier(barrier);
            codegen::register_shuffle(shuffle);
        });
        Grid { code, kernels }
    }

    /// The memory of a device that can run them, where nothing is yet, or what is kept there.
    pub(super) fn memory(&self) -> Result<Memory, Reason> {
        let number = match &self.code {
            Code::Emulated(_) => Emulated::turn(),
            Code::Cuda(_) => 0,
        };
        if let Some(mut kept) = residency::take() {
            if kept.device_number() == number {
                return Ok(kept);
            }
            // By way of the host.
            if let Err(reason) = kept.settle_all() {
                residency::put(kept);
                return Err(reason);
            }
            residency::count(kept.take_transfers());
        }
        let device: Box<dyn Device> = match &self.code {
            Code::Emulated(_) => Box::new(Emulated::default()),
            Code::Cuda(_) => Box::new(Cuda::new()?),
        };
        Ok(Memory::of(device, number))
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    /// What a launch is expected to ask of it. `top` is the top loop, and `trips` are those of loops.
    pub fn expected(&self, top: Option<LoopId>, trips: impl Fn(LoopId) -> f64) -> Expected {
        let threads = |loops: &[LoopId]| loops.iter().map(|id| trips(*id)).product::<f64>();
        let widest = |kernel: &GridKernel| {
            let parts = kernel.team.iter().flat_map(|team| &team.parts);
            parts.map(|loops| threads(loops)).fold(1.0, f64::max) as i64
        };
        Expected {
            wave: top.map_or(1, |top| self.wave(top, threads)),
            teams: self.kernels.iter().map(widest).collect(),
        }
    }

    fn wave(&self, of: LoopId, threads: impl Fn(&[LoopId]) -> f64) -> i64 {
        let room = match &self.code {
            Code::Emulated(_) => 1.0,
            Code::Cuda(module) => module.room() as f64,
        };
        let own = self.kernels.iter().filter(|k| k.loops.first() == Some(&of));
        let iterations = own.map(|k| (room / threads(&k.loops[1..]).max(1.0)).ceil() as i64);
        iterations.max().unwrap_or(1)
    }

    pub(super) fn kernels(&self) -> &[GridKernel] {
        &self.kernels
    }
}

/// `nw_grid`.
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
            team: kernel.team.as_ref().map(|team| Team {
                record: team.record,
                threads: running.teams.get(number).copied().unwrap_or(i64::MAX),
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
