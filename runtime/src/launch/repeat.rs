//! Makes a launch once more, on other addresses.
//!
//! A small nest that is called often would spend more time on finding out again what it found out before than in its
//! loops. A call whose ints, extents, strides and overlaps are those of an earlier one has that one's proofs, decision
//! and kernel; it differs in addresses and in floats alone. A [`Repeat`] keeps the earlier launch with a frame that
//! needs nothing but these.
//!
//! A repeated launch takes no part in whatever is out of the ordinary: where a guard fails, the arrays are as before,
//! and the call goes the full way.

use std::sync::Arc;
use std::time::Instant;

use nestwise_analysis::{Memory, SlotUndo};
use nestwise_codegen::abi::Status;
use nestwise_costmodel::{Device, Seconds};
use nestwise_ir::Scalar;

use crate::kernel::CompileInfo;
use crate::launch::chunks::{BRIEF_SECONDS, CHUNK_SECONDS, FIRST_WHILE_CHUNK};
use crate::launch::frame::{fill, header_mut, store};
use crate::launch::once::{deadline, part, run_watched};
use crate::launch::outcome::{Ended, Launch};
use crate::memory::overlap;
use crate::plan::Plan;
use crate::undo::Saved;
use crate::value::{HasValue, Value};

/// What became of a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repeated {
    /// The kernel ran; the launch says how far.
    Ran,
    /// Nothing has happened: the captures differ in more than they may.
    Differs,
    /// A guard failed, and everything is as before: this call goes the full way.
    GuardFailed,
    /// Nothing has happened: something was learned since the launch was kept that may change the decision.
    Outdated,
}

/// A launch that can be made again.
pub struct Repeat {
    launch: Box<Launch>,
    plan: Arc<Plan>,
    /// The number of iterations to run: all of a `for`, or as many of a `while` as its end is looked for in.
    trips: i64,
    /// The frame as it is when the kernel begins, but for what every call brings.
    template: Vec<u128>,
    arrays: Vec<Placed>,
    free: Vec<Free>,
    /// The outcome of `overlap::disjoint` for the launch's arrays.
    disjoint: bool,
    /// Whether a written array of these extents and strides overlaps itself wherever it is.
    folded: bool,
    /// Whether the kernel raises no flag for comparisons with NaN.
    quiet: bool,
    saved: Vec<(SlotUndo, Saved)>,
    /// The plan's count of lessons when the launch was kept.
    lessons: u32,
}

/// An array of the nest.
struct Placed {
    capture: usize,
    /// The offset of the array's address in the frame, if the kernel uses it.
    slot: Option<usize>,
    written: bool,
    /// The array's first byte and its end, relative to its address.
    reach: (i64, i64),
}

/// A live-in whose value decided nothing.
struct Free {
    capture: usize,
    slot: usize,
    repr: Scalar,
}

impl Repeat {
    /// A launch as one that can be made again; none if another call could go another way: it was not over at once, ran
    /// on threads, works on copies, or its end rests on more than the captures' facts.
    pub fn of<V: HasValue>(
        plan: &Arc<Plan>,
        launch: Box<Launch>,
        captures: &[V],
    ) -> Option<Repeat> {
        let trips = launch.top.map_or(FIRST_WHILE_CHUNK, |top| top.trips);
        let in_time = launch.top.is_some() || launch.started < trips;
        let whole = launch.from == 0 && launch.stopped_by.is_none() && in_time;
        // Where the length of loops was guessed, the time of this call tells more.
        let brief = launch.brief || launch.is_guess() && launch.seconds.0 < BRIEF_SECONDS;
        let partial = matches!(launch.ended, Ended::Partial { .. });
        let one_chunk = trips as f64 * launch.per_trip() <= CHUNK_SECONDS;
        let grid = launch.kernel.grid.is_some();
        if grid
            || !whole
            || launch.kernel.about.nest.calls_host()
            || partial
            || !one_chunk
            || !brief
            || launch.device != Device::Serial
        {
            return None;
        }
        let nest = plan.analysed.nest();
        let mut views = Vec::with_capacity(nest.arrays.len());
        for decl in nest.arrays.values() {
            match captures.get(decl.capture as usize)?.value() {
                Value::Array(view) if view.tags.is_null() && !decl.kind.is_own() => {
                    views.push(*view);
                }
                _ => return None,
            }
        }
        let written = |slot: usize| nest.arrays.values().nth(slot).is_some_and(|a| a.written);
        if matches!(overlap::memory(&views, written), Memory::Overlaps(_)) {
            // The kernel may rest on how they overlap.
            return None;
        }
        let kernel = launch.kernel.clone();
        let arrays = nest.arrays.iter().zip(&views).map(|((id, decl), view)| {
            let (lo, hi) = view.range();
            let address = view.ptr as i64;
            Placed {
                capture: decl.capture as usize,
                slot: kernel.layout.slot(id).map(|s| s.ptr),
                written: decl.written,
                reach: (lo - address, hi - address),
            }
        });
        let arrays: Vec<Placed> = arrays.collect();
        let free = kernel.about.nest.vars.iter().filter_map(|(id, var)| {
            let capture = var.live_in?;
            let value = captures.get(capture as usize)?.value();
            let slot = kernel.layout.var(id)?;
            let repr = var.ty.repr;
            (!plan.analysed.decides(capture as usize, value)).then_some(Free {
                capture: capture as usize,
                slot,
                repr,
            })
        });
        let free = free.collect();
        let undo = &kernel.about.undo;
        let slots = kernel.about.to_save(false, false);
        let saved = slots.filter(|_| undo.may_roll_back());
        let saved = saved.map(|s| (*s, Saved::default())).collect();
        Some(Repeat {
            template: fill(nest, &kernel, launch.top, &views, captures).ok()?,
            disjoint: overlap::disjoint(&views, |slot| arrays[slot].written),
            folded: views
                .iter()
                .zip(&arrays)
                .any(|(v, a)| a.written && !v.is_injective()),
            quiet: plan.kernels.is_quiet(),
            plan: plan.clone(),
            arrays,
            free,
            saved,
            lessons: plan.learning.lessons(),
            trips,
            launch,
        })
    }

    /// Whether NumPy may warn in the launch, which may then only be made again where warnings stop nothing.
    pub fn warns(&self) -> bool {
        self.launch.kernel.about.undo.warns
    }

    /// The launch, as it went the last time.
    pub fn launch(&self) -> &Launch {
        &self.launch
    }

    /// The plan that the launch belongs to.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether a capture that was `then` may be `now`.
    pub fn accepts(&self, capture: usize, then: &Value, now: &Value) -> bool {
        !self.plan.analysed.decides(capture, now) || then.same(now)
    }

    /// Runs the kernel on `captures`, which have the extents and strides of those it was made from, and are accepted.
    pub fn run<V: HasValue>(&mut self, captures: &[V], silent: bool) -> Repeated {
        if self.lessons != self.plan.learning.lessons() {
            return Repeated::Outdated;
        }
        if self.quiet != self.plan.kernels.is_quiet() || !self.fill(captures) {
            return Repeated::Differs;
        }
        let trips = self.trips;
        if self.save(captures, trips).is_none() {
            return Repeated::Differs;
        }
        let launch = &mut *self.launch;
        let begun = Instant::now();
        header_mut(&mut launch.frame).deadline = deadline(&launch.kernel, 0);
        let (status, raised) = run_watched(&launch.kernel, &mut launch.frame, 0, trips);
        launch.seconds = Seconds(begun.elapsed().as_secs_f64());
        launch.compile = CompileInfo::default();
        let warned = raised && launch.kernel.about.undo.warns && !silent;
        let at = launch.header().at.clamp(0, trips);
        if status == Status::Done && launch.top.is_none() {
            // A `while` that goes on: a launch looks now and then whether somebody waits.
            self.saved.iter().for_each(|(_, saved)| saved.restore());
            return Repeated::Differs;
        }
        let ended = match status {
            _ if warned => None,
            Status::GuardFailed => None,
            Status::Done => Some((trips, trips, Ended::Finished)),
            Status::Finished => Some((at, at, Ended::Finished)),
            Status::Broke => Some((at, at + 1, Ended::Broke)),
            Status::Returned => Some((at, at + 1, Ended::Returned)),
        };
        let Some((next, started, ended)) = ended else {
            self.saved.iter().for_each(|(_, saved)| saved.restore());
            return Repeated::GuardFailed;
        };
        (launch.next, launch.started, launch.ended) = (next, started, ended);
        Repeated::Ran
    }

    /// Makes the frame for these captures; false if they do not overlap as before, or a value does not fit.
    fn fill<V: HasValue>(&mut self, captures: &[V]) -> bool {
        let mut ranges = [(0i64, 0i64); MAX_ARRAYS];
        if self.arrays.len() > ranges.len() {
            return false;
        }
        let frame = &mut self.launch.frame;
        frame.copy_from_slice(&self.template);
        let base = frame.as_mut_ptr().cast::<u8>();
        for (array, range) in self.arrays.iter().zip(&mut ranges) {
            let Value::Array(view) = captures[array.capture].value() else {
                return false;
            };
            let address = view.ptr as i64;
            *range = (address + array.reach.0, address + array.reach.1);
            if let Some(slot) = array.slot {
                // SAFETY: the layout's offset, inside the frame.
                unsafe { *base.add(slot).cast() = view.ptr };
            }
        }
        if self.are_disjoint(&ranges) != self.disjoint {
            return false;
        }
        self.free.iter().all(|free| {
            // SAFETY: the layout's offset of a slot of 16 bytes.
            unsafe {
                let slot = base.add(free.slot);
                store(slot, free.repr, captures[free.capture].value())
            }
        })
    }

    /// The outcome of `overlap::disjoint` for arrays in these ranges of addresses.
    fn are_disjoint(&self, ranges: &[(i64, i64); MAX_ARRAYS]) -> bool {
        let all = &ranges[..self.arrays.len()];
        let apart = |a: (i64, i64), b: (i64, i64)| a.1 <= b.0 || b.1 <= a.0;
        let written = (0..all.len()).filter(|w| self.arrays[*w].written);
        !self.folded
            && written
                .into_iter()
                .all(|w| (0..all.len()).all(|o| o == w || apart(all[w], all[o])))
    }

    /// Saves what the kernel may write. None: there is no memory for that.
    fn save<V: HasValue>(&mut self, captures: &[V], trips: i64) -> Option<()> {
        for (slot, saved) in &mut self.saved {
            let capture = self.arrays[slot.array.index()].capture;
            let Value::Array(view) = captures[capture].value() else {
                continue;
            };
            saved.take(&part(view, slot.region, self.launch.top, 0, trips))?;
        }
        Some(())
    }
}

/// The most arrays of a launch that is made again; calls with more go the full way each time.
const MAX_ARRAYS: usize = 16;
