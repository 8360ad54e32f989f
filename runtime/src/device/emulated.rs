//! A device that is the host: the same code as a card's, its threads stepped one after the other in an order of chance.
//!
//! It is for tests. Its memory is an arena of its own, limited and full of rubbish at first, so that an address of the host's, an
//! element that nobody brought up, or a result that nobody fetched is wrong each time. Threads that race are found
//! ([`super::shadow`]). NESTWISE_EMULATED makes it fail: `fail=N` at the Nth thing that it has to do in the process, `fail=N-` at
//! all from that on; `capacity=N` gives it so many bytes.

use super::shadow::Shadow;
use super::{Code, Device};
use crate::fpenv;
use crate::reason::Reason;
use crate::trial::scattered;
use nestwise_codegen::GridCode;
use nestwise_codegen::abi::{Status, part};
use std::alloc::{Layout, alloc, dealloc};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Bytes of its memory.
const CAPACITY: usize = 1 << 30;
/// Arrays begin where a card's would.
const ALIGN: usize = 256;
/// Cells of the status, results included.
const STATUS_CELLS: usize = 66;
/// What fresh memory holds.
const POISON: u8 = 0xa5;
/// Threads of a block, and blocks at most, by axes in use: few, so that every thread has several iterations of long loops.
const BLOCK: [[i64; 3]; 3] = [[32, 1, 1], [16, 2, 1], [8, 2, 2]];
const BLOCKS: [[i64; 3]; 3] = [[6, 1, 1], [3, 4, 1], [2, 2, 3]];

/// It, with what is in use of its memory.
pub struct Emulated {
    code: Option<Arc<GridCode>>,
    blocks: Vec<(*mut u8, Layout)>,
    used: usize,
    capacity: usize,
    shadow: Shadow,
    /// Status, line and code of what fired, and results.
    status: Vec<u128>,
}

/// What it fails at.
#[derive(Default)]
struct Trouble {
    capacity: Option<usize>,
    from: Option<u64>,
    lasting: bool,
}

impl Trouble {
    fn told() -> &'static Trouble {
        static TOLD: OnceLock<Trouble> = OnceLock::new();
        TOLD.get_or_init(|| {
            let text = std::env::var("NESTWISE_EMULATED").unwrap_or_default();
            let number = |name: &str| {
                let part = text.split(',').find_map(|part| part.strip_prefix(name));
                part.and_then(|n| n.trim_end_matches('-').parse().ok())
            };
            Trouble {
                capacity: number("capacity=").map(|n: u64| n as usize),
                from: number("fail="),
                lasting: text.ends_with('-'),
            }
        })
    }

    /// One more thing to do.
    fn next() -> Result<(), Reason> {
        static DONE: AtomicU64 = AtomicU64::new(0);
        let now = DONE.fetch_add(1, Ordering::Relaxed) + 1;
        let told = Trouble::told();
        match told.from {
            Some(from) if now == from || told.lasting && now > from => {
                Err(Reason::Device("NESTWISE_EMULATED says so".into()))
            }
            _ => Ok(()),
        }
    }
}

impl Default for Emulated {
    fn default() -> Emulated {
        Emulated {
            code: None,
            blocks: Vec::new(),
            used: 0,
            capacity: Trouble::told().capacity.unwrap_or(CAPACITY),
            shadow: Shadow::default(),
            status: vec![0; STATUS_CELLS],
        }
    }
}

impl Emulated {
    /// So many bytes of its memory.
    fn within(&self, at: u64, bytes: usize) -> Result<*mut u8, Reason> {
        let holds = |(block, layout): &&(*mut u8, Layout)| {
            let first = *block as u64;
            first <= at && at + bytes as u64 <= first + layout.size() as u64
        };
        match self.blocks.iter().find(holds) {
            Some((block, _)) => Ok(block.wrapping_add((at - *block as u64) as usize)),
            None => Err(Reason::Internal(
                "an address that is not the device's".into(),
            )),
        }
    }

    fn fired(&self) -> Option<u32> {
        let (status, line) = (self.status[0] as i64, (self.status[0] >> 64) as u32);
        (status != 0).then_some(line)
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        for (at, layout) in self.blocks.drain(..) {
            // SAFETY: allocated below with that layout.
            unsafe { dealloc(at, layout) };
        }
    }
}

impl Device for Emulated {
    fn begin(&mut self, code: &Code) -> Result<(), Reason> {
        let Code::Emulated(code) = code else {
            return Err(Reason::Internal("a card's code".into()));
        };
        Trouble::next()?;
        self.code = Some(code.clone());
        self.status.fill(0);
        Ok(())
    }

    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason> {
        Trouble::next()?;
        let size = bytes.max(1).next_multiple_of(ALIGN);
        let layout = Layout::from_size_align(size, ALIGN).map_err(|_| Reason::DeviceMemory)?;
        if size > self.capacity - self.used {
            return Err(Reason::DeviceMemory);
        }
        // SAFETY: not empty.
        let at = unsafe { alloc(layout) };
        if at.is_null() {
            return Err(Reason::DeviceMemory);
        }
        // SAFETY: just allocated.
        unsafe { at.write_bytes(POISON, size) };
        self.used += size;
        self.blocks.push((at, layout));
        self.shadow.add(at as u64, bytes);
        Ok(at as u64)
    }

    fn free(&mut self, at: u64) {
        let Some(k) = self.blocks.iter().position(|block| block.0 as u64 == at) else {
            return;
        };
        let (block, layout) = self.blocks.swap_remove(k);
        self.used -= layout.size();
        self.shadow.remove(at);
        // SAFETY: allocated above with that layout.
        unsafe { dealloc(block, layout) };
    }

    unsafe fn upload(&mut self, to: u64, from: *const u8, bytes: usize) -> Result<(), Reason> {
        Trouble::next()?;
        // SAFETY: as promised by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, self.within(to, bytes)?, bytes) };
        Ok(())
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason> {
        Trouble::next()?;
        let (to, from) = (self.within(to, bytes)?, self.within(from, bytes)?);
        // SAFETY: in blocks, as was just seen.
        unsafe { std::ptr::copy(from.cast_const(), to, bytes) };
        Ok(())
    }

    fn download(&mut self, from: u64, to: &mut [u8]) -> Result<(), Reason> {
        Trouble::next()?;
        let from = self.within(from, to.len())?;
        // SAFETY: in a block, as was just seen.
        unsafe { std::ptr::copy_nonoverlapping(from.cast_const(), to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    fn launch(&mut self, kernel: usize, axes: usize, env: &[u8], (lo, hi): (i64, i64), inner: i64) {
        let run = self.code.as_ref().and_then(|code| code.kernel(kernel));
        let Some(run) = run else {
            self.status[0] = Status::Event as u128;
            return;
        };
        let shape = axes.clamp(1, 3) - 1;
        let (threads, mut blocks) = match axes {
            0 => ([1; 3], [1; 3]),
            _ => (BLOCK[shape], BLOCKS[shape]),
        };
        // No more blocks than iterations ask for.
        let needed = |trips: i64, axis: usize| (trips.max(1) - 1) / threads[axis] + 1;
        blocks[shape] = blocks[shape].min(needed(hi - lo, shape));
        if shape > 0 && inner >= 0 {
            blocks[shape - 1] = blocks[shape - 1].min(needed(inner, shape - 1));
        }
        static LAUNCHES: AtomicU64 = AtomicU64::new(0);
        let seed = scattered(LAUNCHES.fetch_add(1, Ordering::Relaxed));
        let mut places = places(blocks, threads);
        places.sort_by_cached_key(|place| {
            let mix = |all: u64, n: &i64| scattered(all ^ *n as u64);
            place.iter().fold(seed, mix)
        });
        // A card has no flags to raise.
        let raised = fpenv::raised();
        let mut own = vec![0u128; env.len().div_ceil(16)];
        self.shadow.launch();
        for (thread, place) in places.into_iter().enumerate() {
            let at = own.as_mut_ptr().cast::<u8>();
            let status = self.status.as_mut_ptr().cast();
            // SAFETY: the kernel of this nest, on an environment that its host part made.
            self.shadow.run(thread, || unsafe {
                std::ptr::copy_nonoverlapping(env.as_ptr(), at, env.len());
                run(at, lo, hi, status, place.as_ptr());
            });
        }
        fpenv::clear();
        if raised {
            fpenv::raise();
        }
    }

    fn results(&mut self, to: &mut [u8]) -> bool {
        let cells = self.status.iter().flat_map(|cell| cell.to_le_bytes());
        let results = cells.skip(part::CELLS);
        to.iter_mut().zip(results).for_each(|(to, byte)| *to = byte);
        to.len() <= 16 * STATUS_CELLS - part::CELLS && self.fired().is_none()
    }

    fn finish(&mut self) -> Result<Option<u32>, Reason> {
        Trouble::next()?;
        match self.shadow.raced() {
            true => Err(Reason::Internal("threads of a kernel raced".into())),
            false => Ok(self.fired()),
        }
    }
}

/// What every thread finds of its place in the grid (see [`nestwise_codegen::abi::GridThread`]).
fn places(blocks: [i64; 3], threads: [i64; 3]) -> Vec<[i64; 12]> {
    let all = |n: [i64; 3]| {
        let each = move |k: i64| [k % n[0], k / n[0] % n[1], k / (n[0] * n[1])];
        (0..n.iter().product::<i64>()).map(each)
    };
    let mut found = Vec::new();
    for block in all(blocks) {
        for thread in all(threads) {
            let mut place = [0; 12];
            for (k, part) in [thread, threads, block, blocks].iter().enumerate() {
                place[3 * k..3 * k + 3].copy_from_slice(part);
            }
            found.push(place);
        }
    }
    found
}
