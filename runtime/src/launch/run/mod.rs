//! Running a kernel chunk by chunk.
//!
//! A chunk is a range of iterations of the top loop, sized to take some tens of milliseconds. Between chunks
//! signals are handled. When a guard fails in a chunk, what it wrote is rolled back, the iterations before the
//! failure run again, and CPython goes on from there.

mod on_device;

use std::sync::Arc;
use std::time::Instant;

use nestwise_analysis::Region;
use nestwise_codegen::abi::{FrameHeader, GuardFailure, Status};
use nestwise_codegen::link::host::with_fragments;
use nestwise_codegen::link::interrupts;
use nestwise_costmodel::{Decision, Device, Seconds};
use nestwise_ir::{LoopId, Tier};
use nestwise_tiering::constants::RECONSIDERED;

use crate::device::{Expected, Resident, Transfers};
use crate::estimate::first_touch::find_pages;
use crate::host::Host;
use crate::kernel::{CompileInfo, Kernel};
use crate::launch::call::Call;
use crate::launch::chunks::{
    BRIEF_ON_GRID_SECONDS, BRIEF_SECONDS, BYTES_PER_CALL, CHUNK_SECONDS, FELT, FIRST_APPENDED,
    FIRST_WAVES, FIRST_WHILE_CHUNK, LONG_EXPRESSION, LONGEST_WHILE_CHUNK, MOST_TRIES, SAMPLE,
    SWITCHED, WORTH_FEELING, chunk_time, next_chunk, undo_bytes,
};
use crate::launch::frame::{fill, header_mut};
use crate::launch::once::{deadline, part, run_watched};
use crate::launch::others::{Change, Others};
use crate::launch::outcome::{Ended, Launch};
use crate::memory::index_facts::Seen;
use crate::memory::overlap::ArrayView;
use crate::options::{TierChoice, options};
use crate::plan::sharing::least;
use crate::reason::Reason;
use crate::testing::planted_mistakes::PlantedMistake;
use crate::threads::pool::on_threads;
use crate::undo::{Saved, Spares, Witness};
use crate::value::HasValue;

/// Runs the kernel as far as it gets, from the first iteration of the call on. `seen`: the array elements that the
/// kernel relies on.
pub(crate) fn launch<V: HasValue>(
    call: &Call<'_, V>,
    (kernel, compile): (Arc<Kernel>, CompileInfo),
    seen: Vec<Seen>,
    decision: &Decision,
    host: &mut dyn Host,
    others: &mut dyn Others,
) -> Result<Box<Launch>, Reason> {
    let Call {
        plan,
        entry,
        sizes,
        views,
        ..
    } = *call;
    let (nest, from) = (plan.analysed.nest(), entry.first());
    let frame = fill(nest, &kernel, sizes.top, views, entry.captures)?;
    let guessed = sizes.trips.iter().any(Option::is_none);
    let mut launch = Box::new(Launch {
        ended: Ended::Finished,
        device: kernel.device(),
        decision: *decision,
        seconds: Seconds(0.0),
        compile,
        stopped_by: None,
        guessed,
        leaves: nest.work.loops.iter().any(|l| l.leaves),
        expected: (sizes.expected(LoopId(0)) * sizes.rest(from)).max(1.0),
        runs: String::new(),
        transfers: Transfers::default(),
        repeated: false,
        changed: false,
        device_changed: false,
        brief: decision.estimate.warm().0 < BRIEF_SECONDS && !guessed,
        kernel,
        frame,
        top: sizes.top,
        from,
        next: from,
        started: from,
    });
    let least = least(plan, &launch.kernel, decision.estimate.threads, sizes);
    let of_grid = launch.expected_of_grid(sizes);
    let filled = match options().mistake {
        Some(PlantedMistake::StaleNames) => launch.frame.clone(),
        _ => Vec::new(),
    };
    let begun = Instant::now();
    if launch.device != Device::Gpu {
        find_pages(&plan.analysed, sizes, views);
    }
    let mut runner = Runner {
        launch: &mut launch,
        views,
        resident: None,
        stops: false,
        seen,
        least,
        host,
        others,
        asked: (from, begun),
        copying: Seconds(0.0),
        of_grid,
        filled,
        tries: 0,
    };
    runner.stops = runner.may_stop();
    runner.find_on_host()?;
    runner.run();
    // To ask takes longer than small launches do.
    let could_stay = runner.resident.as_ref().is_some_and(Resident::could_stay);
    let may_stay = could_stay && runner.host.is_alone();
    runner.land(may_stay);
    launch.seconds = Seconds(begun.elapsed().as_secs_f64());
    Ok(launch)
}

struct Runner<'a> {
    launch: &'a mut Launch,
    views: &'a [ArrayView],
    /// The copies of the arrays on a device, which are what counts for now.
    resident: Option<Resident>,
    /// Whether a warning may end the loop, or be looked at by somebody.
    stops: bool,
    /// The array elements that the kernel relies on.
    seen: Vec<Seen>,
    /// For each loop: the fewest iterations for which threads are started.
    least: Arc<[i64]>,
    host: &'a mut dyn Host,
    others: &'a mut dyn Others,
    /// The iteration and the time of the last question whether another device is better.
    asked: (i64, Instant),
    /// Seconds that the copies before the last chunk took which are no fewer for a shorter chunk.
    copying: Seconds,
    /// What the launch asks of a device.
    of_grid: Expected,
    /// The frame as it was filled, kept only for a planted mistake.
    filled: Vec<u128>,
    /// How often in turn nothing was done before somebody had to be served.
    tries: u32,
}

impl Runner<'_> {
    fn run(&mut self) {
        let _spares = Spares;
        let trips = self.launch.top.map_or(i64::MAX, |t| t.trips);
        let (mut chunk, limit) = match self.launch.top {
            Some(_) => (self.first_chunk(trips - self.launch.next), i64::MAX),
            None => (FIRST_WHILE_CHUNK, LONGEST_WHILE_CHUNK),
        };
        if self.launch.nest().appends() {
            // How long it takes to hand those elements over only the first chunk tells.
            chunk = chunk.min(FIRST_APPENDED);
        }
        let mut most = self.longest_chunk();
        while self.launch.next < trips {
            let lo = self.launch.next;
            let mut hi = lo.saturating_add(chunk.min(most).min(limit)).min(trips);
            let begun = Instant::now();
            match self.chunk(lo, hi) {
                Step::Done => {}
                Step::Ended(ended) => {
                    self.launch.ended = ended;
                    return;
                }
                Step::Again => continue,
                Step::Shrink => {
                    chunk = (hi - lo) / 2;
                    continue;
                }
                Step::Interrupted(at) => hi = at,
                Step::Retry => {
                    if self.tries >= MOST_TRIES {
                        chunk = ((hi - lo) / 2).max(1);
                    }
                    hi = lo;
                }
            }
            self.tries = if hi > lo { 0 } else { self.tries + 1 };
            self.launch.next = hi;
            self.launch.started = hi;
            if hi < trips {
                if self.resident.is_some() && !self.host.is_alone() && !self.land(false) {
                    return;
                }
                // A signal's handler is Python code: it may have written anywhere.
                if !self.host.hand_over(self.launch)
                    || self.host.poll(self.launch)
                    || !self.seen.iter().all(|s| s.holds(self.views))
                {
                    self.launch.ended = Ended::Partial { next: hi };
                    return;
                }
                // Where nobody knows who waits, the lock is given up in any case, and not too often: they would wait
                // anew each time.
                let shared =
                    interrupts::is_waiting_known() && !self.host.is_alone() || self.is_quick();
                let goal = chunk_time(self.copying, shared);
                if hi > lo {
                    let took = Seconds(begun.elapsed().as_secs_f64());
                    chunk = next_chunk(hi - lo, took, goal).max(self.of_grid.wave);
                }
                if self.goes_on_elsewhere() {
                    most = self.longest_chunk();
                }
            }
        }
        self.launch.ended = match self.launch.top {
            Some(_) => Ended::Finished,
            // Iterations of a `while` are numbered, but nothing says that they end with the numbers.
            None => Ended::Partial { next: trips },
        };
    }

    /// The length of the first chunk of a loop of `trips` trips.
    fn first_chunk(&self, trips: i64) -> i64 {
        let per_trip = self.launch.per_trip();
        let goal = (CHUNK_SECONDS / per_trip) as i64;
        if self.of_grid.wave > 1 {
            let brief = !self.launch.is_guess() && per_trip * trips as f64 <= BRIEF_ON_GRID_SECONDS;
            return if brief {
                trips
            } else {
                goal.max(FIRST_WAVES * self.of_grid.wave)
            };
        }
        // Several threads are started anew in each.
        let cheap = !self.launch.kernel.about.threaded || self.launch.is_guess();
        let felt = cheap && per_trip * trips as f64 > WORTH_FEELING;
        let chunk = if felt { goal.min(trips) / FELT } else { goal };
        chunk.max(1)
    }

    /// Changes to another kernel, if one is there and turns out to be better.
    fn goes_on_elsewhere(&mut self) -> bool {
        if self.is_quick() || options().tier == Some(TierChoice::Switch) {
            let change = self.others.optimised(self.launch, self.host);
            return self.changes(change);
        }
        let now = Instant::now();
        let (from, since) = self.asked;
        let seconds = Seconds((now - since).as_secs_f64());
        let tested = options().forced.is_some_and(|t| t.changes());
        let due = match self.launch.top {
            Some(top) if seconds >= RECONSIDERED || tested => {
                Some((self.launch.next - from) as f64 / top.trips as f64)
            }
            _ => None,
        };
        let Some(part) = due else {
            return false;
        };
        self.asked = (self.launch.next, now);
        let change = self.others.better(self.launch, part, seconds, self.host);
        self.changes(change)
    }

    /// Whether the code that runs is quick code, which only stands in for optimised code.
    fn is_quick(&self) -> bool {
        self.launch.kernel.about.tier == Tier::Quick
    }

    fn changes(&mut self, change: Option<Change>) -> bool {
        let Some(Change {
            kernel,
            decision,
            seen,
        }) = change
        else {
            return false;
        };
        self.launch.go_on(kernel, decision);
        self.seen = seen;
        // The new kernel was priced with all of the threads.
        self.least = Arc::default();
        self.stops = self.may_stop();
        true
    }

    /// Whether a warning of the kernel's may end the loop.
    fn may_stop(&self) -> bool {
        self.launch.kernel.about.undo.warns && self.host.warnings_stop()
    }

    /// The number of iterations whose copies for undo stay in the cache, if they shrink with the chunk: what is copied
    /// is then at hand when the kernel works on it, and takes no fresh memory.
    fn longest_chunk(&self) -> i64 {
        if let Some(short) = options().forced.and_then(|t| t.chunk()) {
            return short;
        }
        if options().tier == Some(TierChoice::Switch) {
            return SWITCHED;
        }
        let about = &self.launch.kernel.about;
        // On a device nothing is copied: the host's arrays are not written before all is well.
        if about.grid.is_some() || !about.undo.may_roll_back() {
            return i64::MAX;
        }
        if self.best_alone() {
            return 1;
        }
        let goal = undo_bytes(match about.threaded {
            true => Device::Threads,
            false => Device::Serial,
        });
        let lo = self.launch.next;
        let slots = || about.to_save(false, self.stops);
        let bytes = |trips: i64| -> i64 {
            let views = slots().filter_map(|slot| {
                let view = self.views.get(slot.array.index())?;
                Some(part(view, slot.region, self.launch.top, lo, lo + trips))
            });
            views.map(|v| v.len().saturating_mul(v.size)).sum()
        };
        // The first iterations' rows, and how many bytes each further one adds.
        let (few, more) = (bytes(1), bytes(1 + SAMPLE));
        let each = (more - few) / SAMPLE;
        if each <= 0 || few > goal {
            return i64::MAX;
        }
        (goal / each).max(1)
    }

    /// Whether to run iterations one by one, each of which needs no copies, where all together would.
    fn best_alone(&self) -> bool {
        let about = &self.launch.kernel.about;
        let Some(top) = self.launch.top.filter(|_| about.stepwise) else {
            return false;
        };
        if about.to_save(true, self.stops).next().is_some() {
            return false;
        }
        let slots = about.to_save(false, self.stops);
        let views = slots.filter_map(|slot| self.views.get(slot.array.index()));
        let bytes: i64 = views.map(|v| v.len().saturating_mul(v.size)).sum();
        let trips = top.trips.saturating_sub(self.launch.next).max(1);
        bytes / trips > BYTES_PER_CALL
    }

    /// Runs iterations `lo..hi`.
    fn chunk(&mut self, lo: i64, hi: i64) -> Step {
        if self.launch.kernel.grid.is_some() {
            return self.on_grid(lo, hi);
        }
        let Some(before) = self.save(lo, hi) else {
            // A part of the chunk needs less memory, perhaps.
            if hi - lo > 1 {
                return Step::Shrink;
            }
            self.launch.stopped_by = Some(Reason::Memory);
            return self.end(lo, lo, Ended::Partial { next: lo });
        };
        self.header_mut().deadline = deadline(&self.launch.kernel, self.tries);
        let status = self.call(lo, hi);
        let at = self.launch.header().at.clamp(lo, hi);
        match status {
            Status::GuardFailed => self.roll_back(&before, lo, at, hi),
            status => {
                self.host.committed();
                self.ended(status, at)
            }
        }
    }

    fn ended(&mut self, status: Status, at: i64) -> Step {
        match status {
            Status::Done | Status::GuardFailed => Step::Done,
            Status::Finished => self.end(at, at, Ended::Finished),
            Status::Broke => self.end(at, at + 1, Ended::Broke),
            Status::Returned => self.end(at, at + 1, Ended::Returned),
        }
    }

    fn end(&mut self, next: i64, started: i64, ended: Ended) -> Step {
        self.launch.next = next;
        self.launch.started = started;
        Step::Ended(ended)
    }

    /// Makes it, after a guard failure in iteration `at` or somewhere from it on, as if only `lo..at` had run.
    fn roll_back(&mut self, before: &Before, lo: i64, at: i64, hi: i64) -> Step {
        let header = self.launch.header();
        let failed = header.status == Status::GuardFailed as i64;
        let interrupted = failed
            && match GuardFailure::from_code(header.failure_code) {
                Some(GuardFailure::Interrupt) => true,
                // An interrupt may be among several failures.
                Some(GuardFailure::Several) => {
                    interrupts::is_over(header.deadline, interrupts::now())
                }
                _ => false,
            };
        let reason = match failed {
            _ if interrupted => Reason::Interrupted,
            true => Reason::GuardFailure {
                line: header.failure_line as u32,
            },
            false => Reason::FloatingPoint,
        };
        self.restore(before);
        if matches!(reason, Reason::FloatingPoint)
            && let Some(kernel) = self.others.quiet()
        {
            // Perhaps it was but a comparison with a NaN, which warns of nothing.
            self.launch.kernel = kernel;
            return Step::Again;
        }
        let known = failed && self.launch.kernel.about.in_order;
        let tried = self.tries >= self.most_tries() && hi - lo == 1;
        if interrupted && at == lo && !tried && !self.is_cheap_to_leave() {
            return Step::Retry;
        }
        if at == lo && hi - lo > 1 && !known {
            // Where the guard failed is not known: halving the chunk finds out, at about the price of the chunk.
            return Step::Shrink;
        }
        // The same iterations on the same state do the same again, so `lo..at` runs clean, and takes as long as before;
        // if it does not, these iterations are rolled back, too.
        let mut next = at;
        self.header_mut().deadline = i64::MAX;
        if at > lo {
            if self.call(lo, at) == Status::Done {
                self.host.committed();
            } else {
                self.restore(before);
                next = lo;
            }
        }
        if interrupted && next > lo {
            // The iteration that follows need not be the one that took long: whoever waits is served before it, and it
            // is tried again.
            return Step::Interrupted(next);
        }
        self.launch.stopped_by = Some(reason);
        if options().mistake == Some(PlantedMistake::StaleNames) {
            self.launch.frame.clone_from(&self.filled);
        }
        self.end(next, next, Ended::Partial { next })
    }

    fn most_tries(&self) -> u32 {
        let known = !self.launch.is_guess() && self.launch.per_trip() <= LONG_EXPRESSION;
        MOST_TRIES + u32::from(self.host.is_value() && known)
    }

    /// Whether CPython may take over an iteration at once: it is only one, and loops inside run natively there.
    fn is_cheap_to_leave(&self) -> bool {
        let cheap = !self.host.is_value() && !self.launch.kernel.about.threaded;
        cheap || !interrupts::is_waiting_known()
    }

    /// One call of the kernel. A sticky floating-point flag that NumPy would warn of counts as a guard failure.
    fn call(&mut self, lo: i64, hi: i64) -> Status {
        let kernel = self.launch.kernel.clone();
        let frame = &mut self.launch.frame;
        let (mut status, mut raised) = (Status::Done, false);
        let threads = self.launch.decision.estimate.threads as usize;
        let least = self.least.clone();
        let may_unlock = !kernel.about.nest.calls_host() && self.host.may_unlock();
        let mut work = || {
            (status, raised) = on_threads(threads, &least, || run_watched(&kernel, frame, lo, hi));
        };
        // What may be rolled back must not be seen by others meanwhile, nor may others write what the kernel relies on;
        // and what is over at once need not be shared.
        if !self.launch.brief
            && self.seen.is_empty()
            && !kernel.about.undo.may_roll_back()
            && may_unlock
        {
            self.host.unlocked(&mut work);
        } else if kernel.about.nest.calls_host()
            && let Some(fragments) = self.host.fragments()
        {
            with_fragments(fragments, work);
        } else {
            work();
        }
        if kernel.about.undo.warns && raised && status != Status::GuardFailed && !self.host.silent()
        {
            self.header_mut().at = lo;
            return Status::GuardFailed;
        }
        status
    }

    fn header_mut(&mut self) -> &mut FrameHeader {
        header_mut(&mut self.launch.frame)
    }

    /// Saves what the chunk may write. None: there is no memory for that.
    fn save(&mut self, lo: i64, hi: i64) -> Option<Before> {
        let about = &self.launch.kernel.about;
        if !about.undo.may_roll_back() {
            return Some(Before {
                arrays: Vec::new(),
                frame: Vec::new(),
                witness: None,
            });
        }
        let begun = Instant::now();
        let mut whole = false;
        let alone = about.stepwise && hi - lo == 1;
        let slots = about.to_save(alone, self.stops);
        let arrays = slots.filter_map(|slot| {
            let view = self.views.get(slot.array.index())?;
            whole |= slot.region == Region::Whole;
            let part = part(view, slot.region, self.launch.top, lo, hi);
            Some(Saved::of(&part))
        });
        let arrays = arrays.collect::<Option<_>>()?;
        let witnessed = Witness::is_wanted().then(|| {
            let slots = about.to_save(alone, self.stops);
            Witness::of(slots.filter_map(|slot| self.views.get(slot.array.index())))
        });
        let before = Before {
            arrays,
            frame: self.launch.frame.clone(),
            witness: witnessed,
        };
        self.copying = match whole {
            true => Seconds(begun.elapsed().as_secs_f64()),
            false => Seconds(0.0),
        };
        Some(before)
    }

    fn restore(&mut self, before: &Before) {
        self.host.rolled_back();
        let mistake = options().mistake;
        if mistake != Some(PlantedMistake::UndoFrame) {
            self.launch.frame.copy_from_slice(&before.frame);
        }
        if mistake != Some(PlantedMistake::UndoElements) {
            before.arrays.iter().for_each(Saved::restore);
        }
        if let Some(witness) = &before.witness {
            witness.check(self.launch.frame.as_slice() == before.frame);
        }
    }
}

/// What became of a chunk.
enum Step {
    /// All of the chunk ran.
    Done,
    /// The launch is over.
    Ended(Ended),
    /// The chunk was rolled back whole: try it with another kernel.
    Again,
    /// The chunk was rolled back whole, or not begun: try a shorter one.
    Shrink,
    /// Somebody waits, and the iterations before this one ran.
    Interrupted(i64),
    /// Somebody waits, and nothing ran: the chunk is tried again as it was.
    Retry,
}

/// The state before a chunk.
struct Before {
    frame: Vec<u128>,
    arrays: Vec<Saved>,
    witness: Option<Witness>,
}
