//! The kernels of a nest for a device's grid, as the host's part has them launched.

use nestwise_codegen::GridKernel;
use nestwise_ir::LoopId;

use crate::device::code::Code;

/// What a launch asks of a device, about.
#[derive(Debug)]
pub struct Expected {
    /// The iterations of the top loop that the device's threads run at once, where that is the first axis of a kernel:
    /// fewer take no less time.
    pub wave: i64,
    /// For each kernel: the threads that its largest part asks for, if it is cooperative.
    pub cooperative_threads: Vec<i64>,
}

impl Default for Expected {
    fn default() -> Expected {
        Expected {
            wave: 1,
            cooperative_threads: vec![],
        }
    }
}

/// The kernels of a nest besides the host's part, and their code.
pub struct Grid {
    code: Code,
    kernels: Vec<GridKernel>,
}

impl Grid {
    /// The kernels of a nest with their loaded code.
    pub fn new(code: Code, kernels: Vec<GridKernel>) -> Grid {
        Grid { code, kernels }
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    /// What a launch is expected to ask of the device. `top` is the top loop, and `trips` are those of loops.
    pub fn expected(&self, top: Option<LoopId>, trips: impl Fn(LoopId) -> f64) -> Expected {
        let threads = |loops: &[LoopId]| loops.iter().map(|id| trips(*id)).product::<f64>();
        let widest = |kernel: &GridKernel| {
            let parts = kernel
                .cooperative
                .iter()
                .flat_map(|cooperative| &cooperative.parts);
            parts.map(|loops| threads(loops)).fold(1.0, f64::max) as i64
        };
        Expected {
            wave: top.map_or(1, |top| self.wave(top, threads)),
            cooperative_threads: self.kernels.iter().map(widest).collect(),
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
