//! Kernels for the grid of a device, and the host's part that launches them.
//!
//! [`compile_grid`](crate::compile_grid) makes both from a nest whose schedule maps loops to the grid. The host's part
//! is a kernel like any other ([`crate::abi`]), but that its descriptors hold addresses of the device's memory, which
//! it never looks at: it runs outer loops and what else has to do with numbers alone, and has kernels launched
//! ([`register_launch`](crate::register_launch)). The device's part is PTX, or the same module for the host, which an
//! emulated device runs.

use nestwise_ir::LoopId;
use serde::{Deserialize, Serialize};

/// The symbol of a kernel in the device's part.
pub fn kernel_name(number: usize) -> String {
    format!("nw_grid_{number}")
}

/// The most threads of a block whose threads leave records.
pub const BLOCK_THREADS: usize = 256;
/// The number of threads of a GPU that run in lockstep and can exchange the contents of registers.
pub(crate) const WARP: usize = 32;
/// The number of threads of an emulated device that run in lockstep.
pub const EMULATED_WARP: usize = 8;
/// The most threads of a block whose threads leave no records.
pub const USUAL_THREADS: usize = 128;
/// The most bytes of the record of a thread, which has to fit the thread's registers.
pub const MOST_RECORD: usize = 192;

/// A kernel of the device's part; the symbol of the `k`th is [`kernel_name`]`(k)`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GridKernel {
    /// The loops on the kernel's axes, outermost first; none: one thread runs it.
    pub loops: Vec<LoopId>,
    /// Bytes of the record that each block leaves, whose threads wait for each other then; 0: none.
    pub record: usize,
    /// The iterations of each axis, the innermost's first, that a thread runs at once where it has as many.
    pub tile: [i64; 3],
    /// The arrays whose elements the kernel looks at.
    pub uses: Vec<Use>,
    /// Whether the kernel leaves something behind its status: such kernels run in the order of their launches.
    pub leaves: bool,
    /// What a cooperative kernel is made of, all of whose threads run together; none for other kernels.
    #[serde(default)]
    pub cooperative: Option<CooperativeKernel>,
}

impl GridKernel {
    /// A kernel that one thread runs alone, and that looks at no array.
    pub(crate) fn alone() -> GridKernel {
        GridKernel {
            loops: vec![],
            record: 0,
            tile: [1; 3],
            uses: vec![],
            leaves: false,
            cooperative: None,
        }
    }
}

/// What a cooperative kernel is made of ([`crate::abi::cooperative`]).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CooperativeKernel {
    /// Bytes of the largest record that a part's blocks leave.
    pub record: usize,
    /// The loops on the axes of each part, outermost first; none: one thread runs the part.
    pub parts: Vec<Vec<LoopId>>,
}

/// An array that a kernel looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Use {
    /// The offset of the array's address in the kernel's environment, in bytes.
    pub at: usize,
    /// Whether the kernel may store to the array.
    pub written: bool,
}

/// What kernels are made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GridTarget {
    /// A GPU of this compute capability: 80 for 8.0.
    Ptx(u32),
    /// The host, as an emulated device whose threads are stepped.
    Emulated,
}

/// The code of the device's part.
#[derive(Clone, Debug)]
pub enum DeviceCode {
    /// The text of a PTX module.
    Ptx(String),
    /// An object file for [`crate::load_grid`].
    Object(Vec<u8>),
}

/// A compiled nest.
#[derive(Clone, Debug)]
pub struct CompiledGrid {
    /// The host's part: an object file for [`crate::link::load`].
    pub host: Vec<u8>,
    /// The device's part.
    pub device: DeviceCode,
    /// The kernels of the device's part.
    pub kernels: Vec<GridKernel>,
}
