//! Weights of one graphics card.

use serde::{Deserialize, Serialize};

/// Weights of one card. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuWeights {
    /// Making the context, once in a process.
    pub context: f64,
    /// Having the driver assemble a nest's kernels.
    pub module: f64,
    /// Handing a kernel to the driver.
    pub launch: f64,
    /// The shortest kernel, on the card.
    pub kernel: f64,
    /// Waiting for what kernels leave behind.
    pub wait: f64,
    /// Behind a part of a cooperative kernel, for all of its threads. Not measured: there are no such kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barrier: Option<f64>,
    /// Copying an array to the card.
    pub up: CopyWeights,
    /// Copying one back.
    pub down: CopyWeights,
    /// Processors.
    pub processors: f64,
    /// Threads that one of them has room for.
    pub resident: f64,
    /// An operation of a thread, where enough others have something to do: of one processor's time.
    pub busy: GpuOps,
    /// Each operation where the next one waits for its result.
    pub latency: GpuOps,
    /// Bytes of the cache that all have in common.
    pub cache: f64,
    /// 32 bytes from it, where all processors ask for some.
    pub cached: f64,
    /// 32 bytes from memory, where all processors ask for some.
    pub memory: f64,
}

impl Default for GpuWeights {
    /// About those of an NVIDIA H200: by them mappings are compared where nobody has measured a card.
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

/// Copies of arrays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopyWeights {
    /// Each copy.
    pub copy: f64,
    /// Each of its first [`CopyWeights::FIRST`] bytes, which one thread of the host copies.
    pub first: f64,
    /// Each other byte.
    pub byte: f64,
}

impl CopyWeights {
    /// As many bytes at the beginning of an array.
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
    /// Loads and stores, wherever it is.
    pub access: f64,
    /// Functions.
    pub call: f64,
}
