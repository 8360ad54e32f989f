//! Running a kernel chunk by chunk.
//!
//! A chunk is a range of iterations of the top loop, sized to take some tens of milliseconds. Between chunks
//! signals are handled. When an event fires in a chunk, what it wrote is taken back, the iterations before the
//! event run again, and CPython goes on from there.

pub mod kernel_change;
mod on_device;
pub(crate) mod outcome;
pub(crate) mod preconditions;
pub mod proof;
mod repeat;

use std::sync::Arc;
use std::time::Instant;

use nestwise_analysis::Region;
use nestwise_codegen::abi::{FrameHeader, GuardFailure, Status};
use nestwise_codegen::link::interrupts;
use nestwise_costmodel::{Decision, Device};
use nestwise_ir::{LoopId, Scalar, Tier};

use crate::device::{Expected, Resident, Transfers};
use crate::launch::kernel_change::{Change, Others};
use crate::memory::index_facts::Seen;
use crate::memory::overlap::ArrayView;
use crate::options::{TierChoice, options};
use crate::pipeline::{HasValue, Host, Value, held};
use crate::plan::{CompileInfo, Kernel, Plan, Sizes, TopRange};
use crate::reason::Reason;
use crate::testing::planted_mistakes::Broken;
use crate::threads::fp_environment;
use crate::threads::pool::on_threads;
use crate::undo::{self, Saved, Spares, Witness};

pub use crate::launch::outcome::{Ended, Launch};
pub use crate::launch::repeat::{Repeat, Repeated};

/// A chunk should take about this long, where others may wait for it about as long as CPython lets them wait; longer, up to so
/// long, where what is copied before each, whatever its length, would take more than a share of it.
const CHUNK_SECONDS: f64 = 0.03;
const SHARED_CHUNK_SECONDS: f64 = 0.005;
const LONGEST_CHUNK_SECONDS: f64 = 0.08;
const COPYING_SHARE: f64 = 0.1;
/// Below this, the interpreter lock is kept: CPython itself gives it up every 5 ms only.
const BRIEF_SECONDS: f64 = 50e-6;
/// Bytes that are copied in the time of one more call of the kernel.
pub(crate) const BYTES_PER_CALL: i64 = 4096;
/// Iterations from which it is told how many bytes each of them adds.
const SAMPLE: i64 = 8;
/// Chunks that take so long are looked at: the launch may go on elsewhere, if its price was wrong.
const RECONSIDERED_SECONDS: f64 = 0.02;
/// Of a launch of that time the first chunk is but this part, in case it takes much longer.
const WORTH_FEELING: f64 = 1e-3;
const FELT: i64 = 8;
/// What is to take a device so long at most, as far as anybody knows, it is given at once; of what takes longer at first so many
/// times what it runs at once.
const BRIEF_ON_GRID_SECONDS: f64 = 0.25;
const FIRST_WAVES: i64 = 4;
/// Iterations between two changes of the tier, where tests ask for those.
const SWITCHED: i64 = 3;
/// Trips of a `while` in its first chunk, and in any: one that does nothing takes no time.
const FIRST_WHILE_CHUNK: i64 = 256;
/// Iterations in the first chunk of a loop that appends to lists.
const FIRST_APPENDED: i64 = 1 << 15;
const LONGEST_WHILE_CHUNK: i64 = 1 << 40;
/// Nanoseconds for which an interruptible kernel runs before it gives up an iteration because somebody waits, where it is known
/// that somebody does, and where it is not.
const PATIENCE: i64 = 2_000_000;
const PATIENCE_UNKNOWN: i64 = 45_000_000;
/// How often what CPython should not take over is tried again from where it began, with twice the patience each time.
const MOST_TRIES: u32 = 5;
/// After that an expression's iteration is not interrupted any more, if it is to take so long at most: CPython would evaluate all
/// of the expression, because of a handler that did nothing to it.
const LONG_EXPRESSION: f64 = 2.0;

/// Bytes that a chunk should copy at most: a share of a core's own cache, more where several cores share the chunk.
pub(crate) fn undo_bytes(device: Device) -> i64 {
    match device {
        Device::Threads => 1 << 22,
        _ => 1 << 18,
    }
}

/// How long a chunk should take, if so much of it goes to copies that are no fewer for a shorter one. `shared`: others may wait
/// for its end.
pub(crate) fn chunk_seconds(copying: f64, shared: bool) -> f64 {
    let least = match shared {
        true => SHARED_CHUNK_SECONDS,
        false => CHUNK_SECONDS,
    };
    (copying / COPYING_SHARE).clamp(least, LONGEST_CHUNK_SECONDS)
}

/// Iterations of a range whose count is known to fit.
pub fn trip_count(start: i64, stop: i64, step: i64) -> i64 {
    nestwise_analysis::trip_count(start, stop, step)
        .and_then(|t| i64::try_from(t).ok())
        .unwrap_or(0)
}

/// Runs the kernel as far as it gets, from iteration `from` of the top loop on.
#[allow(clippy::too_many_arguments)]
pub fn launch<V: HasValue>(
    plan: &Plan,
    (kernel, compile): (Arc<Kernel>, CompileInfo),
    sizes: &Sizes,
    views: &[ArrayView],
    seen: Vec<Seen>,
    captures: &[V],
    decision: &Decision,
    from: i64,
    host: &mut dyn Host,
    others: &mut dyn Others,
) -> Result<Box<Launch>, Reason> {
    let frame = fill(plan, &kernel, sizes.top, views, captures)?;
    let guessed = sizes.trips.iter().any(Option::is_none);
    let mut launch = Box::new(Launch {
        ended: Ended::Finished,
        device: kernel.device(),
        decision: *decision,
        seconds: 0.0,
        compile,
        stopped_by: None,
        guessed,
        leaves: plan.nest().work.loops.iter().any(|l| l.leaves),
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
    let least = plan.least(&launch.kernel, decision.estimate.threads, sizes);
    let of_grid = launch.expected_of_grid(sizes);
    let filled = match options().broken {
        Some(Broken::StaleNames) => launch.frame.clone(),
        _ => Vec::new(),
    };
    let begun = Instant::now();
    if launch.device != Device::Gpu {
        plan.find_pages(sizes, views);
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
        copying: 0.0,
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
    launch.seconds = begun.elapsed().as_secs_f64();
    Ok(launch)
}

struct Runner<'a> {
    launch: &'a mut Launch,
    views: &'a [ArrayView],
    /// Copies of them on a device, which are what counts for now.
    resident: Option<Resident>,
    /// A warning may end the loop, or be looked at by somebody.
    stops: bool,
    /// What the kernel relies on.
    seen: Vec<Seen>,
    /// By loop: the fewest iterations for which threads are started.
    least: Arc<[i64]>,
    host: &'a mut dyn Host,
    others: &'a mut dyn Others,
    /// The iteration and the time of the last question whether another device is better.
    asked: (i64, Instant),
    /// Seconds that copies before the last chunk took, of which a shorter one would have needed as many.
    copying: f64,
    /// What a device is asked for.
    of_grid: Expected,
    /// The frame as it was filled, kept for a planted mistake alone.
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
                Step::InVain => {
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
                // Where nobody knows who waits, the lock is given up in any case, and not too often: they would wait anew each time.
                let shared =
                    interrupts::is_waiting_known() && !self.host.is_alone() || self.is_quick();
                let goal = chunk_seconds(self.copying, shared);
                if hi > lo {
                    let took = begun.elapsed().as_secs_f64();
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

    /// Of so many trips.
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
        let seconds = (now - since).as_secs_f64();
        let tested = options().trial.is_some_and(|t| t.changes());
        let due = match self.launch.top {
            Some(top) if seconds >= RECONSIDERED_SECONDS || tested => {
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

    /// Whether the code that runs only stands in for better.
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
        // It was priced with all of them.
        self.least = Arc::default();
        self.stops = self.may_stop();
        true
    }

    /// Whether a warning of the kernel's may end the loop.
    fn may_stop(&self) -> bool {
        self.launch.kernel.about.undo.warns && self.host.warnings_stop()
    }

    /// Iterations of which the copies for undo stay in the cache, if they shrink with the chunk: what is copied is then
    /// at hand when the kernel works on it, and takes no fresh memory.
    fn longest_chunk(&self) -> i64 {
        if let Some(short) = options().trial.and_then(|t| t.chunk()) {
            return short;
        }
        if options().tier == Some(TierChoice::Switch) {
            return SWITCHED;
        }
        let about = &self.launch.kernel.about;
        // On a device nothing is copied: the host's arrays are not written before all is well.
        if about.grid.is_some() || !about.undo.may_fire() {
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
            status => self.ended(status, at),
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

    /// After an event in iteration `at`, or somewhere from it on: as if only `lo..at` had run.
    fn roll_back(&mut self, before: &Before, lo: i64, at: i64, hi: i64) -> Step {
        let header = self.launch.header();
        let fired = header.status == Status::GuardFailed as i64;
        let interrupted = fired
            && match GuardFailure::from_code(header.failure_code) {
                Some(GuardFailure::Interrupt) => true,
                // It may be one of those.
                Some(GuardFailure::Several) => {
                    interrupts::is_over(header.deadline, interrupts::now())
                }
                _ => false,
            };
        let reason = match fired {
            _ if interrupted => Reason::Interrupted,
            true => Reason::Event {
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
        let known = fired && self.launch.kernel.about.in_order;
        let tried = self.tries >= self.most_tries() && hi - lo == 1;
        if interrupted && at == lo && !tried && !self.is_cheap_to_leave() {
            return Step::InVain;
        }
        if at == lo && hi - lo > 1 && !known {
            // Where it fired is not known: halving the chunk finds out, at about the price of the chunk.
            return Step::Shrink;
        }
        // The same iterations on the same state do the same again, so this runs clean, and takes as long as before; if it
        // does not, they are rolled back too.
        let mut next = at;
        self.header_mut().deadline = i64::MAX;
        if at > lo && self.call(lo, at) != Status::Done {
            self.restore(before);
            next = lo;
        }
        if interrupted && next > lo {
            // It need not be the iteration that took long: whoever waits is served before it, and it is tried again.
            return Step::Interrupted(next);
        }
        self.launch.stopped_by = Some(reason);
        if options().broken == Some(Broken::StaleNames) {
            self.launch.frame.clone_from(&self.filled);
        }
        self.end(next, next, Ended::Partial { next })
    }

    fn most_tries(&self) -> u32 {
        let known = !self.launch.is_guess() && self.launch.per_trip() <= LONG_EXPRESSION;
        MOST_TRIES + u32::from(self.host.is_value() && known)
    }

    /// Whether CPython may have an iteration at once: it is only one, and loops inside run natively there.
    fn is_cheap_to_leave(&self) -> bool {
        let cheap = !self.host.is_value() && !self.launch.kernel.about.threaded;
        cheap || !interrupts::is_waiting_known()
    }

    /// One call of the kernel. A sticky floating-point flag that NumPy would warn of counts as an event.
    fn call(&mut self, lo: i64, hi: i64) -> Status {
        let kernel = self.launch.kernel.clone();
        let frame = &mut self.launch.frame;
        let (mut status, mut raised) = (Status::Done, false);
        let threads = self.launch.decision.estimate.threads as usize;
        let least = self.least.clone();
        let mut work = || {
            (status, raised) = on_threads(threads, &least, || run_watched(&kernel, frame, lo, hi));
        };
        // What may be taken back must not be seen by others meanwhile, nor may others write what the kernel relies on;
        // and what is over at once need not be shared.
        if !self.launch.brief
            && self.seen.is_empty()
            && !kernel.about.undo.may_fire()
            && self.host.may_unlock()
        {
            self.host.unlocked(&mut work);
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

    /// None: there is no memory for that.
    fn save(&mut self, lo: i64, hi: i64) -> Option<Before> {
        let about = &self.launch.kernel.about;
        if !about.undo.may_fire() {
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
        self.copying = if whole {
            begun.elapsed().as_secs_f64()
        } else {
            0.0
        };
        Some(before)
    }

    fn restore(&mut self, before: &Before) {
        let broken = options().broken;
        if broken != Some(Broken::UndoFrame) {
            self.launch.frame.copy_from_slice(&before.frame);
        }
        if broken != Some(Broken::UndoElements) {
            before.arrays.iter().for_each(Saved::restore);
        }
        if let Some(witness) = &before.witness {
            witness.check(self.launch.frame.as_slice() == before.frame);
        }
    }
}

/// What a chunk came to.
enum Step {
    /// All of it ran.
    Done,
    /// The launch is over.
    Ended(Ended),
    /// Rolled back whole: try it with another kernel.
    Again,
    /// Rolled back whole, or not begun: try a shorter one.
    Shrink,
    /// Somebody waits, and the iterations before this one ran.
    Interrupted(i64),
    /// Somebody waits, and nothing ran: it is tried again as it was.
    InVain,
}

/// The state before a chunk.
struct Before {
    frame: Vec<u128>,
    arrays: Vec<Saved>,
    witness: Option<Witness>,
}

/// The time from which a call of a kernel that begins now gives up if somebody waits, after so many tries in vain.
fn deadline(kernel: &Kernel, tries: u32) -> i64 {
    if kernel.about.nest.interruptible.is_empty() {
        return i64::MAX;
    }
    let patience = match interrupts::is_waiting_known() {
        true => PATIENCE,
        false => PATIENCE_UNKNOWN,
    };
    match tries {
        0..=MOST_TRIES => interrupts::now() + (patience << tries),
        _ => i64::MAX,
    }
}

fn header_mut(frame: &mut [u128]) -> &mut FrameHeader {
    // SAFETY: every frame starts with a header.
    unsafe { &mut *frame.as_mut_ptr().cast() }
}

/// Runs iterations `lo..hi` on a frame filled for this kernel, whose arrays are alive: how that ended, and whether
/// a floating-point flag was set that NumPy looks at.
fn run_watched(kernel: &Kernel, frame: &mut [u128], lo: i64, hi: i64) -> (Status, bool) {
    header_mut(frame).status = Status::Done as i64;
    header_mut(frame).at = lo;
    fp_environment::clear();
    // SAFETY: as the callers promise.
    unsafe { kernel.code.run(frame.as_mut_ptr().cast(), lo, hi) };
    let raised = fp_environment::raised();
    fp_environment::clear();
    let status = Status::from_code(header_mut(frame).status);
    (status.unwrap_or(Status::GuardFailed), raised)
}

/// The part of a window that iterations `lo..hi` of the top loop may write.
fn part(view: &ArrayView, region: Region, top: Option<TopRange>, lo: i64, hi: i64) -> ArrayView {
    match (region, top) {
        // The tag plane of a mixed list is not cut.
        (
            Region::Rows {
                axis,
                lo: below,
                hi: above,
            },
            Some(top),
        ) if view.tags.is_null() => {
            let ends = (top.start + lo * top.step, top.start + (hi - 1) * top.step);
            let (first, last) = (ends.0.min(ends.1) + below, ends.0.max(ends.1) + above);
            undo::slice(view, axis as usize, first, last + 1)
        }
        _ => *view,
    }
}

/// The next chunk's length after `done` trips took `seconds`: towards the goal, at most eightfold at a time.
fn next_chunk(done: i64, seconds: f64, goal: f64) -> i64 {
    let factor = (goal / seconds.max(1e-9)).clamp(0.125, 8.0);
    ((done as f64 * factor) as i64).max(1)
}

fn fill<V: HasValue>(
    plan: &Plan,
    kernel: &Kernel,
    top: Option<TopRange>,
    views: &[ArrayView],
    captures: &[V],
) -> Result<Vec<u128>, Reason> {
    let layout = &kernel.layout;
    let mut frame = vec![0u128; layout.size.div_ceil(16)];
    let base = frame.as_mut_ptr().cast::<u8>();
    // SAFETY: every offset below is the layout's, inside the frame just made; slots are 16 bytes and aligned.
    unsafe {
        (*base.cast::<FrameHeader>()).trips = top.map_or(0, |t| t.trips);
        for (id, view) in plan.nest().arrays.ids().zip(views) {
            let Some(slot) = layout.slot(id) else {
                continue;
            };
            *base.add(slot.ptr).cast() = view.ptr;
            for axis in 0..slot.rank {
                *base.add(slot.extents + 8 * axis).cast() = view.extents[axis];
                *base.add(slot.strides + 8 * axis).cast() = view.strides[axis];
            }
            if let Some(tags) = slot.tags {
                *base.add(tags).cast() = view.tags;
            }
            *base.add(slot.origin).cast() = i64::from(id.0);
        }
        for (id, var) in kernel.about.nest.vars.iter() {
            let Some(capture) = var.live_in else { continue };
            let Some(offset) = layout.var(id) else {
                continue;
            };
            let slot = base.add(offset);
            let value = captures.get(capture as usize).map(HasValue::value);
            let value = value.filter(|v| !matches!(v, Value::None));
            let value = value.ok_or_else(|| Reason::Unbound(var.name.clone()))?;
            let value = match value {
                Value::Append { length } => &Value::Int(held(plan.nest(), capture, *length)),
                other => other,
            };
            if !store(slot, var.ty.repr, value) {
                return Err(Reason::Inexact(var.name.clone()));
            }
        }
    }
    Ok(frame)
}

/// Whether a representation holds an int exactly.
fn holds(repr: Scalar, v: i128) -> bool {
    match repr {
        Scalar::F32 | Scalar::C64 => v.unsigned_abs() <= 1 << 24,
        Scalar::F64 | Scalar::C128 | Scalar::Num => v.unsigned_abs() <= 1 << 53,
        Scalar::Char => (0..=0x10_ffff).contains(&v),
        repr => repr
            .int_range()
            .is_some_and(|(lo, hi)| (lo..=hi).contains(&v)),
    }
}

/// Writes a captured value in a variable's representation; false if that would be another value.
///
/// # Safety
/// `slot` is 16 writable, aligned bytes.
unsafe fn store(slot: *mut u8, repr: Scalar, value: &Value) -> bool {
    // SAFETY: as promised by the caller.
    unsafe {
        // What a variable starts from converts without loss: a Python 0 that becomes a float, say.
        let (re, im) = match value {
            Value::Int(v) => (*v as f64, 0.0),
            Value::Uint(v) => (*v as f64, 0.0),
            Value::Bool(v) => (f64::from(u8::from(*v)), 0.0),
            Value::Float(v) => (*v, 0.0),
            Value::Complex(re, im) => (*re, *im),
            _ => return false,
        };
        match (repr, value) {
            (_, Value::Int(v)) if !holds(repr, (*v).into()) => return false,
            (_, Value::Uint(v)) if !holds(repr, (*v).into()) => return false,
            (Scalar::F32, Value::Float(v)) if f64::from(*v as f32) != *v && !v.is_nan() => {
                return false;
            }
            (Scalar::C128, _) => *slot.cast() = [re, im],
            (Scalar::C64, _) => *slot.cast() = [re as f32, im as f32],
            (_, Value::Complex(..)) => return false,
            (Scalar::Bool, Value::Bool(v)) => *slot = u8::from(*v),
            (Scalar::F64, _) => *slot.cast() = re,
            (Scalar::F32, _) => *slot.cast() = re as f32,
            (Scalar::Num, _) => {
                *slot.cast() = re;
                *slot.add(8) = u8::from(!matches!(value, Value::Float(_)));
            }
            (Scalar::Char, Value::Int(v)) => *slot.cast() = *v as u32,
            (Scalar::U64, Value::Uint(v)) => *slot.cast() = *v,
            (Scalar::I128, Value::Uint(v)) => *slot.cast() = i128::from(*v),
            (Scalar::I128, Value::Int(v)) => *slot.cast() = i128::from(*v),
            // Little-endian: the low bytes are the narrower value.
            (r, Value::Int(v)) if r.is_int() => *slot.cast() = *v,
            (r, Value::Uint(v)) if r.is_int() => *slot.cast() = *v,
            (r, Value::Bool(v)) if r.is_int() => *slot.cast() = i64::from(*v),
            _ => return false,
        }
    }
    true
}
