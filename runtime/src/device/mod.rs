//! Devices with memory of their own.
//!
//! A kernel for a grid ([`nestwise_codegen::grid`]) works on copies ([`memory`]): what a launch's arrays hold goes up once, and what
//! was written comes down at its end, or before anybody else may look ([`Resident`]), or, in a region, when the program may look
//! ([`kept`]). An event, or a device that fails, costs what was done since the launch began.

pub mod cuda;
mod emulated;
mod grid;
pub mod kept;
mod memory;
mod resident;
mod shadow;

pub use emulated::Emulated;
pub use grid::{Code, Grid};
pub use memory::{Owner, Transfers};
pub use resident::Resident;

use crate::reason::Reason;

/// What a device has to do, in the order of the calls.
pub trait Device {
    /// Runs the kernels of that code from now on, of which nothing has fired.
    fn begin(&mut self, code: &Code) -> Result<(), Reason>;

    /// The address of so many bytes of its memory, which hold anything.
    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason>;

    /// What was allocated there is not needed any more.
    fn free(&mut self, at: u64);

    /// Copies from the host.
    ///
    /// # Safety
    /// So many bytes are there on both sides.
    unsafe fn upload(&mut self, to: u64, from: *const u8, bytes: usize) -> Result<(), Reason>;

    /// Copies so many bytes of its own.
    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason>;

    /// Copies to the host, once kernels that were launched before have run.
    fn download(&mut self, from: u64, to: &mut [u8]) -> Result<(), Reason>;

    /// Has threads run iterations `lo..hi` by a kernel, whose loops are on so many axes, each with a copy of `env`; one thread
    /// where there are none. `inner`: see [`nestwise_codegen::abi::Launch`].
    fn launch(&mut self, kernel: usize, axes: usize, env: &[u8], range: (i64, i64), inner: i64);

    /// What the kernel that was launched last leaves behind its status; false: something has fired.
    fn results(&mut self, to: &mut [u8]) -> bool;

    /// Waits for all of that. The line in which something fired, if anything did.
    fn finish(&mut self) -> Result<Option<u32>, Reason>;
}
