//! The interface of a device with memory of its own, as a launch uses it.

use nestwise_codegen::abi::{FrameHeader, cooperative};

use crate::device::code::Code;
use crate::reason::Reason;

/// A launch of a kernel.
pub struct Launch<'a> {
    /// The kernel's number.
    pub number: usize,
    /// The number of axes that the kernel's loops are on; one thread runs it where that is 0.
    pub axes: usize,
    /// Bytes of the record that each block leaves at [`part::RECORDS`] and behind: where there are any, the block's
    /// threads wait for each other.
    ///
    /// [`part::RECORDS`]: nestwise_codegen::abi::part::RECORDS
    pub record: usize,
    /// The kernel's environment; the address of its copies is put there.
    pub env: &'a mut [u8],
    /// Bytes of copies that each thread has for itself.
    pub copies: usize,
    /// The iterations of the kernel's first loop, from the first bound to before the second.
    pub range: (i64, i64),
    /// The iterations of the loop inside that; below zero: not known.
    pub inner: i64,
    /// The iterations of each axis that a thread runs at once where it has as many, the innermost's first.
    pub tile: [i64; 3],
    /// The addresses of the arrays whose elements the kernel looks at, each with whether it may store there.
    pub uses: Vec<(u64, bool)>,
    /// Whether the kernel leaves something behind its status.
    pub leaves: bool,
    /// What the kernel's blocks have in common, if it is cooperative.
    pub cooperative: Option<Cooperative>,
}

/// What the blocks of a cooperative kernel have in common.
#[derive(Clone, Copy, Debug)]
pub struct Cooperative {
    /// Bytes of the largest record that blocks leave.
    pub record: usize,
    /// The number of threads that the largest part asks for, about.
    pub threads: i64,
}

impl Launch<'_> {
    /// The number that stands for the kernel's own area behind the status in the order of streams: every kernel has one
    /// for what nobody waits for, and what is waited for is there before the next kernel is launched.
    pub(super) fn left(&self) -> u64 {
        1 + self.number as u64
    }

    /// The iterations of each axis, the innermost's first; none: not known.
    pub(super) fn trips(&self) -> [Option<i64>; 3] {
        let mut trips = [None; 3];
        let (lo, hi) = self.range;
        if let Some(outermost) = self.axes.checked_sub(1) {
            trips[outermost] = Some((hi - lo).max(0));
            if let (Some(next), true) = (outermost.checked_sub(1), self.inner >= 0) {
                trips[next] = Some(self.inner);
            }
        }
        trips
    }
}

/// Bytes that are to be copied from the host.
pub struct Upload {
    /// Where the bytes go on the device.
    pub to: u64,
    /// Where the bytes are on the host.
    pub from: *const u8,
    /// The number of bytes.
    pub bytes: usize,
}

/// A device with memory of its own. It does what it is asked for as if in the order of the calls; what has nothing to
/// do with each other it may do at once.
pub trait Device {
    /// Runs the kernels of this code from now on, and forgets guard failures.
    fn begin(&mut self, code: &Code) -> Result<(), Reason>;

    /// Allocates `bytes` bytes of the device's memory, which hold anything; returns their address.
    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason>;

    /// Allocates the memory that a launch of `threads` threads in `blocks` blocks has for itself; to be freed when the
    /// kernel is launched.
    fn make_own(
        &mut self,
        launch: &mut Launch<'_>,
        threads: i64,
        blocks: i64,
    ) -> Result<Vec<u64>, Reason> {
        let copies = self.make_copies(launch, threads)?;
        let cooperative = self.make_cooperative(launch, blocks)?;
        Ok(copies.into_iter().chain(cooperative).collect())
    }

    /// Allocates memory for the copies of `threads` threads, and writes its address to the environment.
    fn make_copies(
        &mut self,
        launch: &mut Launch<'_>,
        threads: i64,
    ) -> Result<Option<u64>, Reason> {
        if launch.copies == 0 {
            return Ok(None);
        }
        let at = self.allocate(launch.copies * threads as usize)?;
        let word = &mut launch.env[FrameHeader::USER..FrameHeader::USER + 8];
        word.copy_from_slice(&at.to_ne_bytes());
        Ok(Some(at))
    }

    /// Allocates what the threads of a cooperative kernel of `blocks` blocks have in common, and writes its address to
    /// the environment.
    fn make_cooperative(
        &mut self,
        launch: &mut Launch<'_>,
        blocks: i64,
    ) -> Result<Option<u64>, Reason> {
        if launch.cooperative.is_none() {
            return Ok(None);
        }
        let bytes = cooperative::size(blocks as usize);
        let at = self.allocate(bytes)?;
        self.clear(at, bytes)?;
        let word = &mut launch.env[FrameHeader::AT..FrameHeader::AT + 8];
        word.copy_from_slice(&at.to_ne_bytes());
        Ok(Some(at))
    }

    /// Frees the memory that was allocated at an address.
    fn free(&mut self, at: u64);

    /// Copies parts from the host, which the next kernels need.
    ///
    /// # Safety
    ///
    /// Each part has that many bytes on both sides.
    unsafe fn upload(&mut self, parts: &[Upload]) -> Result<(), Reason>;

    /// Fills `bytes` bytes at an address with zeros.
    fn clear(&mut self, at: u64, bytes: usize) -> Result<(), Reason>;

    /// Copies `bytes` bytes of the device's memory.
    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason>;

    /// Announces that these parts (addresses and bytes) will be downloaded once kernels have run: they may be copied to
    /// the host while those are waited for.
    fn expect(&mut self, _parts: &[(u64, usize)]) {}

    /// Calls `look` for each of these parts (addresses and bytes), with its number and its bytes as they are once the
    /// kernels that were launched before have run; only when all parts are on the host.
    fn download(
        &mut self,
        parts: &[(u64, usize)],
        look: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Reason>;

    /// Has threads run a kernel, each with a copy of its environment; returns the number of blocks.
    fn launch(&mut self, launch: Launch<'_>) -> i64;

    /// The first `bytes` bytes of what the kernel that was launched last leaves behind, its status first, until the
    /// next launch; none: a guard has failed.
    fn left(&mut self, bytes: usize) -> Option<*mut u8>;

    /// Waits for everything that was asked for. Returns the line in which a guard failed, if one did.
    fn finish(&mut self) -> Result<Option<u32>, Reason>;

    /// Seconds by the device's own clock from the first kernel to the last one that were waited for, since this was
    /// last asked.
    fn take_kernel_seconds(&mut self) -> f64 {
        0.0
    }
}
