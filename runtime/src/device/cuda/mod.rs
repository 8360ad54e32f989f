//! Launches on a GPU.
//!
//! Kernels, and copies that are small, go through a few streams, in the order that is demanded by the arrays which they
//! look at ([`crate::device::cuda::queues`]); large copies go through streams of their own
//! ([`crate::device::cuda::staging`]).

pub mod card;
pub(crate) mod context_pool;
pub(crate) mod copying;
pub mod module;
pub(crate) mod queues;
pub(crate) mod staging;

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{DriverError, result as cu, sys};
use nestwise_codegen::abi::part;

use crate::device::code::Code;
use crate::device::cuda::card::{Card, Entered, RECORDS_PER_PROCESSOR, card};
use crate::device::cuda::context_pool::{Context, GRAIN};
use crate::device::cuda::module::Module;
use crate::device::cuda::staging::{LARGE, Pageable};
use crate::device::interface::{Device, Launch, Upload};
use crate::device::shape::{asked, cooperative_shape, in_tiles, shape};
use crate::reason::Reason;

/// The most blocks of a launch for each multiprocessor; beyond that each thread takes several iterations, which costs
/// less than to begin more.
const BLOCKS_PER_PROCESSOR: i64 = 256;
/// The fewest threads for each multiprocessor that are left where each takes a tile of its axes: a block, whose threads
/// have several operations under way at any time, as the copies of a tile do not wait for each other.
const TILED_PER_PROCESSOR: i64 = 128;

/// The GPU as one launch uses it, with streams of its own and the memory that is in use.
pub struct Cuda {
    card: &'static Card,
    /// The context from the pool, which is there until this is dropped.
    context: Option<Context>,
    /// The code that may be running, until it is waited for.
    modules: Vec<Arc<Module>>,
    /// Whether everything that was launched, and every download, has been waited for.
    seen: bool,
    /// The allocated blocks: their addresses and bytes.
    blocks: Vec<(u64, usize)>,
    /// The first failure: the driver reports it again whatever it is asked then.
    failed: Option<Reason>,
    _entered: Entered,
}

impl Cuda {
    /// Enters the GPU's context; none of its memory is in use yet. Fails where there is no GPU, or it has failed.
    pub fn new() -> Result<Cuda, Reason> {
        let card = card().map_err(Reason::Device)?;
        let entered = card.enter()?;
        Ok(Cuda {
            card,
            context: Some(context_pool::take(card).map_err(|e| card.failed(e))?),
            modules: Vec::new(),
            seen: true,
            blocks: Vec::new(),
            failed: None,
            _entered: entered,
        })
    }

    fn context(&mut self) -> &mut Context {
        // Taken by `drop` alone.
        self.context.as_mut().expect("a context")
    }

    /// Keeps the first failure, and returns it from then on.
    fn done(&mut self, done: Result<(), DriverError>) -> Result<(), Reason> {
        let Err(error) = done else {
            return Ok(());
        };
        let reason = match &self.failed {
            Some(reason) => reason.clone(),
            None => self.card.failed(error),
        };
        self.failed = Some(reason.clone());
        Err(reason)
    }

    /// Waits for all that was launched; returns the line in which a guard has failed.
    fn look(&mut self) -> Result<Option<u32>, Reason> {
        if let Some(reason) = &self.failed {
            return Err(reason.clone());
        }
        let context = self.context();
        let last = context
            .queues
            .last()
            .and_then(|stream| context.clock.end(stream));
        let waited = last
            .and_then(|()| context.wait())
            .and_then(|()| context.clock.read());
        self.done(waited)?;
        self.seen = true;
        // Nothing runs any more.
        self.modules.drain(..self.modules.len().saturating_sub(1));
        Ok(self.failed_guard())
    }

    /// The line in which a guard has failed, as was last seen.
    fn failed_guard(&mut self) -> Option<u32> {
        line(self.context().left.bytes())
    }

    /// The stream for work that looks at the blocks which hold these addresses; each with whether it writes there.
    fn turn(&mut self, uses: &[(u64, bool)]) -> Result<sys::CUstream, DriverError> {
        self.turn_with(uses, &[])
    }

    /// The stream for work that looks at the blocks which hold `uses`, and at `others`.
    fn turn_with(
        &mut self,
        uses: &[(u64, bool)],
        others: &[(u64, bool)],
    ) -> Result<sys::CUstream, DriverError> {
        let blocks = uses
            .iter()
            .filter_map(|(at, w)| Some((self.block(*at)?, *w)));
        let all: Vec<_> = blocks.chain(others.iter().copied()).collect();
        self.context().queues.turn(&all)
    }

    /// The block that holds an address.
    fn block(&self, at: u64) -> Option<u64> {
        let holds = |(first, bytes): &&(u64, usize)| (*first..*first + *bytes as u64).contains(&at);
        self.blocks.iter().find(holds).map(|block| block.0)
    }
}

impl Cuda {
    fn download_alone(&mut self, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
        let staging = (to.len() >= LARGE).then(staging::shared).flatten();
        let stream = self.turn(&[(from, false)])?;
        // SAFETY: the device's bytes; waited for.
        unsafe {
            match staging {
                Some(mut staging) => staging.download(from, to, stream),
                None => {
                    cu::memcpy_dtoh_async(to, from, stream)?;
                    cu::stream::synchronize(stream)
                }
            }
        }
    }

    /// For each of some parts, given by their bytes: whether it is downloaded together with others, since it fits in
    /// [`Context::small`] behind the ones before.
    fn together(&mut self, parts: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut room = self.context().small.bytes().len();
        let mut fits = |bytes: usize| {
            let fits = bytes <= room;
            room -= if fits { bytes } else { 0 };
            fits
        };
        parts.map(&mut fits).collect()
    }

    /// Has parts (addresses and bytes) downloaded together.
    fn bring(&mut self, parts: Vec<(u64, usize)>) -> Result<(), DriverError> {
        let uses: Vec<_> = parts.iter().map(|(from, _)| (*from, false)).collect();
        let stream = self.turn(&uses)?;
        let context = self.context();
        context.landed.clear();
        let mut places = context.small.bytes();
        for (from, bytes) in &parts {
            let (place, rest) = places.split_at_mut(*bytes);
            // SAFETY: the device's bytes; waited for before the place is looked at.
            unsafe { cu::memcpy_dtoh_async(place, *from, stream) }?;
            places = rest;
        }
        context.landed = parts;
        Ok(())
    }

    /// Waits until the wanted parts are downloaded.
    fn arrive(&mut self, wanted: Vec<(u64, usize)>) -> Result<(), DriverError> {
        if wanted.is_empty() || self.seen && self.context().landed == wanted {
            return Ok(());
        }
        self.bring(wanted)?;
        self.context().wait()
    }
}

/// Launches a cooperative kernel: all of its blocks run at once, or the driver says that they do not fit.
///
/// # Safety
/// As for any launch: the parameters are those of the kernel.
unsafe fn launch_together(
    handle: sys::CUfunction,
    blocks: (u32, u32, u32),
    threads: (u32, u32, u32),
    stream: sys::CUstream,
    parameters: &mut [*mut c_void],
) -> Result<(), DriverError> {
    let parameters = parameters.as_mut_ptr();
    // SAFETY: as promised by the caller.
    let launched = unsafe {
        sys::cuLaunchCooperativeKernel(
            handle, blocks.0, blocks.1, blocks.2, threads.0, threads.1, threads.2, 0, stream,
            parameters,
        )
    };
    launched.result()
}

/// The line of a guard failure that a status tells of, if there is one.
fn line(status: &[u8]) -> Option<u32> {
    let word = |at: usize| status[at..at + 8].try_into().map(i64::from_le_bytes);
    let failed = word(part::STATUS).is_ok_and(|code| code != 0);
    failed.then(|| word(part::LINE).unwrap_or(0) as u32)
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // A failure has nobody to tell: whoever needed this has been told.
        while let Some((block, _)) = self.blocks.last().copied() {
            self.free(block);
        }
        let Some(mut context) = self.context.take() else {
            return;
        };
        // Code is there until it has run.
        let done = match self.seen {
            true => Ok(()),
            false => context.wait(),
        };
        if self.failed.is_none() && done.is_ok() {
            context_pool::give_back(context);
        }
    }
}

impl Device for Cuda {
    fn begin(&mut self, code: &Code) -> Result<(), Reason> {
        let Code::Cuda(module) = code else {
            return Err(Reason::Internal("no card's code".into()));
        };
        self.modules.push(module.clone());
        self.failed = None;
        if !std::mem::replace(&mut self.seen, true) {
            let waited = self.context().wait();
            self.done(waited)?;
        }
        self.context().begin();
        Ok(())
    }

    fn allocate(&mut self, bytes: usize) -> Result<u64, Reason> {
        let bytes = bytes.max(1).next_multiple_of(GRAIN);
        let card = self.card;
        let block = self.context().allocate(bytes).map_err(|e| card.failed(e))?;
        self.blocks.push((block, bytes));
        Ok(block)
    }

    fn free(&mut self, at: u64) {
        if let Some(k) = self.blocks.iter().position(|block| block.0 == at) {
            let (block, bytes) = self.blocks.swap_remove(k);
            self.context().free(block, bytes);
        }
    }

    unsafe fn upload(&mut self, parts: &[Upload]) -> Result<(), Reason> {
        self.context().landed.clear();
        let (small, large): (Vec<&Upload>, Vec<&Upload>) =
            parts.iter().partition(|part| part.bytes < LARGE);
        for part in large {
            let staging = staging::shared();
            let turn = self.turn(&[(part.to, true)]);
            // SAFETY: as promised by the caller.
            let copied = turn.and_then(|stream| unsafe {
                match staging {
                    Some(mut staging) => staging.upload(part.to, part.from, part.bytes, stream),
                    None => self.context().upload(&[part], stream),
                }
            });
            self.done(copied)?;
        }
        if small.is_empty() {
            return Ok(());
        }
        // What comes for one kernel is in order already if it is on one stream.
        let uses: Vec<_> = small.iter().map(|part| (part.to, true)).collect();
        // SAFETY: as promised by the caller.
        let copied = self
            .turn(&uses)
            .and_then(|stream| unsafe { self.context().upload(&small, stream) });
        self.done(copied)
    }

    fn clear(&mut self, at: u64, bytes: usize) -> Result<(), Reason> {
        // SAFETY: so many bytes are allocated there.
        let clear = |stream| unsafe { cu::memset_d8_async(at, 0, bytes, stream) };
        self.context().landed.clear();
        let cleared = self.turn(&[(at, true)]).and_then(clear);
        self.done(cleared)
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), Reason> {
        // SAFETY: so many bytes are allocated at both.
        let copy = |stream| unsafe { cu::memcpy_dtod_async(to, from, bytes, stream) };
        self.context().landed.clear();
        let copied = self.turn(&[(from, false), (to, true)]).and_then(copy);
        self.done(copied)
    }

    fn expect(&mut self, parts: &[(u64, usize)]) {
        let fits = self.together(parts.iter().map(|part| part.1));
        let small = parts.iter().zip(fits).filter(|(_, fits)| *fits);
        let small: Vec<_> = small.map(|(part, _)| *part).collect();
        if self.failed.is_some() || small.is_empty() {
            return;
        }
        self.seen = false;
        let coming = self.bring(small);
        // Told when it is waited for.
        let _ = self.done(coming);
    }

    fn download(
        &mut self,
        parts: &[(u64, usize)],
        look: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Reason> {
        let fits = self.together(parts.iter().map(|part| part.1));
        let of = |fit: bool| {
            let those = parts
                .iter()
                .zip(&fits)
                .filter(move |(_, fits)| **fits == fit);
            those.map(|(part, _)| *part)
        };
        let large = of(false).map(|part| part.1).sum();
        let mut landing = Pageable::of(large);
        let mut free = landing.bytes(large);
        for (from, bytes) in of(false) {
            let (place, rest) = free.split_at_mut(bytes);
            let copied = self.download_alone(from, place);
            self.done(copied)?;
            free = rest;
        }
        let copied = self.arrive(of(true).collect());
        self.done(copied)?;
        let (mut small, mut large) = (&*self.context().small.bytes(), &*landing.bytes(large));
        for (k, (part, fits)) in parts.iter().zip(&fits).enumerate() {
            let from = if *fits { &mut small } else { &mut large };
            let (own, rest) = from.split_at(part.1);
            look(k, own);
            *from = rest;
        }
        Ok(())
    }

    fn launch(&mut self, mut launch: Launch<'_>) -> i64 {
        self.seen = false;
        self.context().landed.clear();
        let module = self.modules.last().cloned();
        let kernels = module.as_ref().map(|m| &m.kernels);
        let Some(function) = kernels.and_then(|all| all.get(launch.number)) else {
            self.failed = Some(Reason::Internal("no such kernel".into()));
            return 0;
        };
        let (mut lo, mut hi) = launch.range;
        let all = match launch.record {
            0 => BLOCKS_PER_PROCESSOR * self.card.processors,
            _ => RECORDS_PER_PROCESSOR * self.card.processors,
        };
        let least = TILED_PER_PROCESSOR * self.card.processors;
        let trips = launch.trips();
        let tile = in_tiles(trips, launch.tile, least);
        let asked = asked(launch.axes, trips, tile);
        let each = function.block(self.card, launch.record, asked);
        let most = self.card.most_blocks(launch.copies, each);
        let (blocks, threads) = match launch.cooperative {
            Some(cooperative) => {
                cooperative_shape(cooperative.threads, function.together.min(most))
            }
            None => shape(launch.axes, trips, tile, each, all.min(most)),
        };
        let count: i64 = blocks.iter().chain(&threads).product();
        let own = match self.make_own(&mut launch, count, blocks.iter().product()) {
            Ok(own) => own,
            Err(why) => {
                self.failed = Some(why);
                return 0;
            }
        };
        let mut uses = std::mem::take(&mut launch.uses);
        uses.extend(own.iter().map(|at| (*at, true)));
        let mut status = self.context().left.address();
        let left = status + launch.left();
        let turn = self.turn_with(&uses, &[(left, launch.leaves)]);
        let dim = |n: [i64; 3]| (n[0] as u32, n[1] as u32, n[2] as u32);
        let mut parameters: [*mut c_void; 4] = [
            launch.env.as_mut_ptr().cast(),
            (&raw mut lo).cast(),
            (&raw mut hi).cast(),
            (&raw mut status).cast(),
        ];
        let handle = function.handle.0;
        let clock = &mut self.context().clock;
        let launched = turn.and_then(|stream| {
            clock.begin(stream)?;
            let (blocks, threads) = (dim(blocks), dim(threads));
            // SAFETY: the kernel of this nest, its parameters as `codegen/src/lower/gpu/launch.rs` has them; the driver copies them.
            unsafe {
                match launch.cooperative {
                    Some(_) => launch_together(handle, blocks, threads, stream, &mut parameters),
                    None => cu::launch_kernel(handle, blocks, threads, 0, stream, &mut parameters),
                }
            }
        });
        // Told when it is waited for.
        let _ = self.done(launched);
        // Once the kernel has run, as everything on the stream.
        own.into_iter().for_each(|at| self.free(at));
        blocks.iter().product()
    }

    fn left(&mut self, bytes: usize) -> Option<*mut u8> {
        let looked = self.look();
        let left = self.context().left.bytes();
        (looked == Ok(None) && bytes <= left.len()).then_some(left.as_mut_ptr())
    }

    fn finish(&mut self) -> Result<Option<u32>, Reason> {
        match (&self.failed, self.seen) {
            (None, true) => Ok(self.failed_guard()),
            _ => self.look(),
        }
    }

    fn take_kernel_seconds(&mut self) -> f64 {
        std::mem::take(&mut self.context().clock.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_tells_its_line() {
        let mut status = [0; 32];
        assert_eq!(line(&status), None);
        status[part::STATUS] = 1;
        status[part::LINE] = 7;
        assert_eq!(line(&status), Some(7));
    }
}
