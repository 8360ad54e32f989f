//! Weights of one GPU.

use serde::{Deserialize, Serialize};

/// Weights of one GPU. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuWeights {
    /// Creating the context, once in a process.
    pub context: f64,
    /// Having the driver assemble a nest's kernels.
    pub module: f64,
    /// Handing a kernel to the driver.
    pub launch: f64,
    /// The shortest kernel, on the GPU.
    pub kernel: f64,
    /// Waiting on the host for the results of kernels.
    pub wait: f64,
    /// A barrier after a part of a cooperative launch, for all of its threads. None where that was not measured:
    /// cooperative launches are not chosen then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barrier: Option<f64>,
    /// Copying an array to the GPU.
    pub up: CopyWeights,
    /// Copying an array back to the host.
    pub down: CopyWeights,
    /// The number of multiprocessors.
    pub processors: f64,
    /// The number of threads that one multiprocessor has room for.
    pub resident: f64,
    /// Each operation of a thread, where enough other threads have something to do: the time of one multiprocessor.
    pub busy: GpuOps,
    /// Each operation, where the next one waits for its result.
    pub latency: GpuOps,
    /// Bytes of the cache that all multiprocessors share.
    pub cache: f64,
    /// 32 bytes from the cache, where all multiprocessors ask for some.
    pub cached: f64,
    /// 32 bytes from memory, where all multiprocessors ask for some.
    pub memory: f64,
}

impl Default for GpuWeights {
    /// About the weights of an NVIDIA H200: mappings are compared by them where nobody has measured a GPU.
    fn default() -> Self {
        GpuWeights {
            context: 2.2e8,
            module: 3e7,
            launch: 3_500.0,
            kernel: 3_500.0,
            wait: 20_000.0,
            barrier: None,
            up: CopyWeights {
                copy: 3_000.0,
                first: 0.1,
                byte: 0.04,
            },
            down: CopyWeights {
                copy: 3_000.0,
                first: 0.1,
                byte: 0.06,
            },
            processors: 132.0,
            resident: 2048.0,
            busy: GpuOps {
                simple: 0.008,
                slow: 0.12,
                access: 0.02,
                call: 0.5,
            },
            latency: GpuOps {
                simple: 8.0,
                slow: 100.0,
                access: 300.0,
                call: 400.0,
            },
            cache: 6.3e7,
            cached: 0.006,
            memory: 0.0076,
        }
    }
}

/// Weights of copying arrays in one direction. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyWeights {
    /// Each copy of an array.
    pub copy: f64,
    /// Each of an array's first [`CopyWeights::FIRST`] bytes, which one thread of the host copies.
    pub first: f64,
    /// Each byte after the first [`CopyWeights::FIRST`].
    pub byte: f64,
}

impl CopyWeights {
    /// The number of bytes at the beginning of an array that are copied at a rate of their own.
    pub const FIRST: f64 = 262_144.0;
}

/// A weight for each kind of operation of a thread, on numbers of 64 bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuOps {
    /// Additions, multiplications, comparisons, counters.
    pub simple: f64,
    /// Divisions and roots.
    pub slow: f64,
    /// Loads and stores, whether cached or not.
    pub access: f64,
    /// Calls of functions.
    pub call: f64,
}
