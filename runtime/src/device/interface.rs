//! What a device with memory of its own does for a launch.

use nestwise_codegen::abi::{FrameHeader, cooperative};

use crate::device::code::Code;
use crate::reason::Reason;

/// A launch of a kernel.
pub struct Launch<'a> {
    /// The kernel's number.
    pub number: usize,
    /// The axes that its loops are on; one thread runs it where there are none.
    pub axes: usize,
    /// Bytes of the record that each block leaves at [`part::RECORDS`] and behind: where there are any, its threads wait for each
    /// other.
    ///
    /// [`part::RECORDS`]: nestwise_codegen::abi::part::RECORDS
    pub record: usize,
    /// Its environment; where copies begin is put there.
    pub env: &'a mut [u8],
    /// Bytes of copies that each thread has for itself.
    pub copies: usize,
    /// Iterations of its first loop, the second bound excluded.
    pub range: (i64, i64),
    /// Iterations of the loop inside that; below zero: not known.
    pub inner: i64,
    /// Iterations of each axis that a thread runs at once where it has as many, the innermost's first.
    pub tile: [i64; 3],
    /// Where arrays begin whose elements it looks at, and whether it may store there.
    pub uses: Vec<(u64, bool)>,
    /// It leaves something behind its status.
    pub leaves: bool,
    /// What its blocks have in common, if it is cooperative.
    pub cooperative: Option<Cooperative>,
}

/// What the blocks of a cooperative kernel have in common.
#[derive(Clone, Copy, Debug)]
pub struct Cooperative {
    /// Bytes of the record that blocks leave at most.
    pub record: usize,
    /// Threads that its largest part asks for, about.
    pub threads: i64,
}

impl Launch<'_> {
    /// What stands for its own place behind the status: every kernel has one for what nothing waits for, and what is waited for
    /// is there before the next one is launched.
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
    /// Where they are on the host.
    pub from: *const u8,
    /// How many there are.
    pub bytes: usize,
}

/// What a device has to do, as if in the order of the calls: what has nothing to do with each other it may do at once.
pub trait Device {
    /// Runs the kernels of that code from now on, of which no guard has failed.
    fn begin(&mut self, code: &Code) -> Result<(), Reason>;

    /// The address of so many bytes of its memory, which hold anything.
    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason>;

    /// Memory that a launch of so many threads in so many blocks has for itself; to be freed when the kernel is launched.
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

    /// Memory for the copies of so many threads, which the environment tells of then.
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

    /// What the threads of a cooperative kernel of so many blocks have in common, which the environment tells of then.
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

    /// What was allocated there is not needed any more.
    fn free(&mut self, at: u64);

    /// Copies from the host what kernels need that come next.
    ///
    /// # Safety
    /// There are so many bytes on both sides.
    unsafe fn upload(&mut self, parts: &[Upload]) -> Result<(), Reason>;

    /// Fills so many bytes with zeros.
    fn clear(&mut self, at: u64, bytes: usize) -> Result<(), Reason>;

    /// Copies so many bytes of its own.
    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason>;

    /// Announces that so many bytes at those places will be downloaded once kernels have run: they may come down while these are waited for.
    fn expect(&mut self, _parts: &[(u64, usize)]) {}

    /// Has each of those parts, so many bytes at those places, looked at as it is once kernels that were launched before have run:
    /// when all have come to the host.
    fn download(
        &mut self,
        parts: &[(u64, usize)],
        look: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Reason>;

    /// Has threads run a kernel, each with a copy of its environment; the number of blocks.
    fn launch(&mut self, launch: Launch<'_>) -> i64;

    /// The first bytes of what the kernel that was launched last leaves behind, its status first, until the next launch; none:
    /// a guard has failed.
    fn left(&mut self, bytes: usize) -> Option<*mut u8>;

    /// Waits for all of that. The line in which a guard failed, if one did.
    fn finish(&mut self) -> Result<Option<u32>, Reason>;

    /// Seconds by its own clock from the first kernel to the last one that were waited for, since this was last asked.
    fn take_kernel_seconds(&mut self) -> f64 {
        0.0
    }
}
