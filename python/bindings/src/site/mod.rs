//! One site: its surface nest, the interface of its hook, and the call itself.

pub(crate) mod fragment_functions;
pub(crate) mod parsed;
pub(crate) mod plans;
pub(crate) mod progress;
pub(crate) mod registry;
pub(crate) mod unplanned;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use nestwise_costmodel::record::NestRecord;
use nestwise_costmodel::{Caches, Device, Ready, Seconds};
use nestwise_frontend::Refusal;
use nestwise_frontend::site::interface::LoopKind;
use nestwise_ir::WithSpan;
use nestwise_runtime::device::{Transfers, residency};
use nestwise_runtime::estimate::launch_work::features;
use nestwise_runtime::options::{keeps_prices, options};
use nestwise_runtime::pipeline::{self, Declined};
use nestwise_runtime::plan::record;
use nestwise_runtime::report::Stats;
use nestwise_runtime::{DeviceChoice, Ended, Entry, Launch, Outcome, Plan, Reason, Resume};
use nestwise_tiering::constants::{LASTING_FAILURES, MISJUDGED, SHORT, SHORTEST_WAIT, WATCHED};
use nestwise_tiering::{
    Admission, Attempted, Budget, Course, Losses, Unplanned, Why, Work, shares,
};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;

use crate::bind::fast_reject::Sight;
use crate::bind::inline_cache::{InlineCache, InlineCachedCall};
use crate::bind::int_classes::IntClasses;
use crate::bind::settable::settable;
use crate::bind::{self, Binding, Names, amounts, iterated};
use crate::host::PyHost;
use crate::host::environment::NumpyErrors;
use crate::host::others::World;
use crate::objects::{attributes, layout};
use crate::process::once::Once;
use crate::process::{over, panics};
use crate::results;
use crate::site::parsed::{Parsed, SiteText, guarded_parse, refused};
use crate::site::plans::{Planned, Plans};
use crate::site::progress::{Progress, Waits};
use crate::verify::{self, Check, Picked, rerun};

/// The functions through which a site asks about the running sites around it on this thread.
#[derive(Clone, Copy)]
pub struct Around {
    /// Whether a running site is soon to be planned or compiled as a whole.
    pub wait: fn() -> bool,
    /// Whether there is a running site.
    pub inside: fn() -> bool,
}

/// A site, with all that is known of it.
pub struct Site {
    /// The site's source text.
    pub text: SiteText,
    parsed: Once<Result<Parsed, Vec<WithSpan<Refusal>>>>,
    plans: Plans,
    mixed: Mutex<Vec<usize>>,
    ints: Mutex<IntClasses>,
    inline_cache: InlineCache,
    calls: AtomicU64,
    stats: Mutex<Stats>,
    admission: Admission<Sight>,
    unplanned: Unplanned,
    /// Whether any iteration of the site has run natively.
    ran: AtomicBool,
    failures: AtomicU32,
    /// The time that attempts have cost beyond what they gained.
    pub losses: Losses,
    around: Around,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

impl Site {
    /// Makes a site, whose text is read when it is first called.
    pub fn new(text: SiteText, around: Around) -> Site {
        let stats = Stats::new(&text.file, text.first_line);
        Site {
            text,
            parsed: Once::new(),
            plans: Plans::default(),
            mixed: Mutex::default(),
            ints: Mutex::default(),
            inline_cache: InlineCache::default(),
            calls: AtomicU64::new(0),
            stats: Mutex::new(stats),
            admission: Admission::new(Sight::new()),
            unplanned: Unplanned::default(),
            ran: AtomicBool::new(false),
            failures: AtomicU32::new(0),
            losses: Losses::default(),
            around,
        }
    }

    /// What is known from the site's text, which is read when this is first asked.
    pub fn parsed(&self, py: Python<'_>) -> Result<&Parsed, Reason> {
        let parsed = self.parsed.get_or_init(|| guarded_parse(py, &self.text));
        parsed
            .as_ref()
            .map_err(|all| all.first().map_or(Reason::Off, refused))
    }

    /// Reads the site's text, unless that was done.
    pub fn read(&self, py: Python<'_>) {
        let _ = self.parsed(py);
    }

    /// Stores the lost time for other processes, and drops the inline-cached calls.
    pub fn end(&self) {
        let options = options();
        let plans = self.plans.made();
        if let (Some(Ok(parsed)), true, Some(lost)) =
            (self.parsed.get(), plans.is_empty(), self.unplanned().lost())
        {
            parsed.keep_lost(&self.text, lost);
        }
        for plan in plans {
            if !self.unplanned.is_over() {
                // The plan came too late for anybody to look at.
                plan.tiers.add_lost(self.unplanned.spent());
            }
            plan.losses.keep(&plan.tiers, &options);
        }
        self.forget_calls();
    }

    /// Drops the inline-cached calls.
    pub fn forget_calls(&self) {
        self.inline_cache.forget();
    }

    /// The site's file and first line.
    pub fn place(&self) -> (&str, u32) {
        (&self.text.file, self.text.first_line)
    }

    /// A copy of the site's statistics.
    pub fn stats(&self) -> Stats {
        let mut stats = lock(&self.stats).clone();
        stats.calls = self.calls.load(Ordering::Relaxed);
        let plan = self.plans.made().pop();
        stats.verdicts = plan.map_or_else(Vec::new, |plan| plan.analysed.describe_verdicts());
        stats.rejected(self.admission.rejected());
        let (left, seconds) = self.unplanned.rejected(&self.admission.fast_reject);
        stats.brief(left, seconds);
        stats
    }

    /// Counts copies from a device that were made after the site's launches.
    pub fn transferred(&self, transfers: Transfers) {
        lock(&self.stats).transfers.add(transfers);
    }

    /// The recordings of the calls of the site's nests, where these are recorded.
    pub fn recorded(&self) -> Vec<NestRecord> {
        let (file, line) = (&self.text.file, self.text.first_line);
        let made = self.plans.made();
        made.iter()
            .filter_map(|plan| record::recorded(plan, file, line))
            .collect()
    }

    /// Whether the loop may be left before its last iteration.
    pub fn may_be_left(&self) -> bool {
        let parsed = self.parsed.get();
        parsed.is_none_or(|p| p.as_ref().is_ok_and(|p| p.surface.may_be_left()))
    }

    /// Notes that CPython's share of a call ended after this time. `futile`: the share was all of the call, after this
    /// attempt.
    pub fn interpreted(&self, seconds: Seconds, futile: Option<Attempted>) {
        self.losses.interpreted(seconds);
        lock(&self.stats).interpreted += seconds.0;
        if !self.unplanned.is_over() {
            self.unplanned.add(seconds);
        }
        self.admission
            .ended(futile, shares::own_time(seconds), amounts::counts_futile());
        if let Some(Why::Unprofitable(predicted)) = futile.map(|v| v.why)
            && seconds > SHORT
            && seconds > predicted * MISJUDGED
        {
            let made = self.plans.made();
            made.iter().for_each(|plan| plan.guesses.forget());
        }
    }

    /// Counts a call that was over before there was a plan.
    pub fn was_early(&self) {
        lock(&self.stats).fallback(&Reason::OverBeforePlan);
    }

    /// Notes the cost of an attempt, and its gain: what CPython would have taken for the same iterations. Nothing is
    /// noted where a device was asked for, which is tried whatever that costs.
    pub fn attempted(&self, cost: Seconds, gain: Seconds) {
        if cost.0 == 0.0 || !amounts::counts_futile() {
            return;
        }
        let lost = self.losses.attempted(cost, gain);
        if lost.0 > 0.0 {
            lock(&self.stats).lost += lost.0;
        }
    }

    /// Whether this call's prices are to be kept: those of a nest inside another are part of the outer one's.
    fn priced(&self) -> bool {
        keeps_prices() && !(self.around.inside)()
    }

    /// Whether a running loop around the site is soon to be planned or compiled as a whole, with the site in it.
    fn is_inside_waiting(&self) -> bool {
        !self.ran.load(Ordering::Relaxed) && (self.around.wait)()
    }

    /// Whether the call is left to CPython because a running loop around it is soon to be planned or compiled as a whole,
    /// with the site in it.
    fn is_waited_for(
        &self,
        py: Python<'_>,
        parsed: Option<&Parsed>,
        argument: &impl Fn(usize) -> Option<*mut PyObject>,
    ) -> bool {
        if !self.is_inside_waiting() {
            return false;
        }
        !parsed.is_some_and(|parsed| self.call(py, parsed, argument).is_long_inside())
    }

    fn call<'a, 'py, A: Fn(usize) -> Option<*mut PyObject>>(
        &'a self,
        py: Python<'py>,
        parsed: &'a Parsed,
        argument: &'a A,
    ) -> unplanned::Call<'a, 'py, A> {
        unplanned::Call {
            py,
            text: &self.text,
            parsed,
            argument,
        }
    }

    /// What is known of the site before there is a plan, with the calls that the fast reject has left to CPython
    /// counted in.
    fn unplanned(&self) -> &Unplanned {
        self.unplanned.settle(&self.admission.fast_reject);
        &self.unplanned
    }

    /// The course of a call, as far as it is known without a plan.
    fn course(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        argument: &impl Fn(usize) -> Option<*mut PyObject>,
    ) -> Course {
        self.call(py, parsed, argument).course(self.unplanned())
    }

    /// Whether CPython runs the call, as far as a look at the values of `GATE[names]` tells.
    #[inline]
    pub fn rejects(&self, key: *mut PyObject) -> bool {
        let fast_reject = &self.admission.fast_reject;
        let rejects = |work: Work| fast_reject.rejects(work.amount);
        self.admission.switch.is_off()
            || over::is_over()
            || fast_reject.sight.work(key).is_some_and(rejects)
    }

    /// The answer of `GATE[names]`: whether a call with these sizes is worth an attempt. `key`: a name's value, or a
    /// tuple of several names' values.
    pub fn admits(&self, py: Python<'_>, key: *mut PyObject) -> bool {
        let fast_reject = &self.admission.fast_reject;
        let glance = fast_reject.sight.work(key);
        self.admission.sees(glance.is_some());
        let planned = self.unplanned.is_over();
        let glanced = glance.is_some() && planned;
        if glanced && !self.admission.admits(glance, true) {
            return false;
        }
        if glanced && !self.is_inside_waiting() {
            return true;
        }
        let Ok(parsed) = self.parsed(py) else {
            return true;
        };
        if !parsed.gated {
            return true;
        }
        let sizes = if parsed.sizes.len() == 1 {
            &[key][..]
        } else {
            // SAFETY: a live object; its type is looked at before it is read.
            unsafe {
                if ffi::Py_TYPE(key) != &raw mut ffi::PyTuple_Type {
                    return true; // not the rewritten code
                }
                layout::tuple_items(key)
            }
        };
        let size = |i: usize| {
            let at = parsed.sizes.iter().position(|s| *s == i)?;
            sizes.get(at).copied()
        };
        let work = Some(glance.unwrap_or_else(|| amounts::work(py, parsed, &size)));
        if planned {
            let admits = glanced || self.admission.admits(work, false);
            return admits && !self.is_waited_for(py, Some(parsed), &size);
        }
        fast_reject.sight.arm(py, parsed, &options());
        if self.is_waited_for(py, Some(parsed), &size) {
            return false;
        }
        // All calls so far, this one included, may be too little for anybody to look at.
        let told = || unplanned::is_told_by_sizes(py, &self.unplanned, parsed);
        let leaves = || self.course(py, parsed, &size) == Course::Interpret;
        if self.unplanned.is_unasked() && told() && leaves() {
            self.unplanned.lend(fast_reject, work);
            return false;
        }
        self.admission.rejects_like_brief(work);
        self.admission.admits(work, false)
    }

    /// Makes a call of the site: returns what came of it, or what CPython is to do. `None` says that CPython runs all
    /// of it as written, and that nobody measures the time; this is only said of a `bare` call.
    pub fn begin(
        &self,
        py: Python<'_>,
        parsed: Option<&Parsed>,
        arguments: &[*mut PyObject],
        keeps: bool,
        bare: bool,
    ) -> Option<Progress> {
        let entered = Instant::now();
        let work = || parsed.map(|p| work(py, p, arguments));
        if bare && !self.admission.admits(work(), false) {
            return None;
        }
        let argument = |i: usize| arguments.get(i).copied();
        let waited_for = verify::busy() || self.is_waited_for(py, parsed, &argument);
        let course = match parsed.filter(|_| !waited_for) {
            Some(parsed) => self.course(py, parsed, &argument),
            None => Course::Plan,
        };
        if course == Course::Interpret && bare {
            return None;
        }
        if course != Course::Interpret {
            self.calls.fetch_add(1, Ordering::Relaxed);
        }
        let manner = |beside: bool| Manner {
            beside,
            keeps,
            entered,
        };
        let attempt = match course {
            _ if waited_for => Attempt::Declined(None),
            Course::Interpret => Attempt::Declined(None),
            Course::Wait(budget, whole) => {
                let waits = Waits::unplanned(budget, whole);
                Attempt::Declined(Some(Box::new(Progress::waiting(waits, None, false))))
            }
            Course::Order => self.guarded(py, arguments, None, manner(true)),
            Course::Plan if self.losses.wait(Seconds(0.0)).0 > 0.0 => {
                lock(&self.stats).fallback(&Reason::Futile);
                let wait = self.losses.wait(Seconds(0.0));
                let waits = Waits::unplanned(Budget::of(wait), None);
                Attempt::Declined(Some(Box::new(Progress::waiting(waits, None, false))))
            }
            Course::Plan => match self.admission.watches() {
                Some(why) => {
                    let waits = Waits::unplanned(Budget::of(WATCHED), None);
                    let mut waiting = Progress::waiting(waits, None, false);
                    waiting.futile = Some(Attempted { work: work(), why });
                    Attempt::Declined(Some(Box::new(waiting)))
                }
                None => self.guarded(py, arguments, None, manner(false)),
            },
        };
        let unprofitable = |predicted| Attempted {
            work: work(),
            why: Why::Unprofitable(predicted),
        };
        Some(match attempt {
            Attempt::Declined(None) if bare => return None,
            Attempt::Unprofitable(predicted) if bare => {
                // Nobody tells when CPython has run it: it takes about as long as that.
                let counted = amounts::counts_futile();
                self.admission
                    .ended(Some(unprofitable(predicted)), predicted, counted);
                return None;
            }
            Attempt::Declined(None) => Progress::none(),
            Attempt::Unprofitable(predicted) => Progress::futile(unprofitable(predicted)),
            Attempt::Failed { refused } => {
                let (work, why) = (work(), Why::Refused);
                if amounts::counts_futile() {
                    self.admission.refused(work);
                }
                let mut progress = Progress::futile(Attempted { work, why });
                progress.refused = refused;
                progress
            }
            Attempt::Declined(Some(waiting)) => *waiting,
            Attempt::Ran(mut progress) => {
                // A guard fails soon.
                let stopped = matches!(progress.ended, Some(Ended::Partial { .. }));
                if stopped && (progress.brief || progress.ended == NOTHING) {
                    progress.futile = Some(Attempted {
                        work: work(),
                        why: Why::Lost,
                    });
                }
                progress
            }
        })
    }

    /// Goes on natively from iteration `resume.next` of the top loop, with the names as they are now. `beside`: where
    /// there is no plan, CPython may go on while one is made.
    pub fn resume(
        &self,
        py: Python<'_>,
        arguments: &[*mut PyObject],
        resume: Resume,
        beside: bool,
    ) -> Progress {
        let manner = Manner {
            beside,
            keeps: false,
            entered: Instant::now(),
        };
        match self.guarded(py, arguments, Some(resume), manner) {
            Attempt::Ran(progress) => progress,
            Attempt::Declined(waiting) => {
                let mut progress = Progress::none();
                progress.waits = waiting.and_then(|mut w| w.waits.take());
                progress
            }
            Attempt::Failed { .. } | Attempt::Unprofitable(_) => Progress::none(),
        }
    }

    /// Makes one attempt; whatever goes wrong in it, panics included, CPython can still run everything.
    fn guarded(
        &self,
        py: Python<'_>,
        arguments: &[*mut PyObject],
        resume: Option<Resume>,
        manner: Manner,
    ) -> Attempt {
        let work = std::panic::AssertUnwindSafe(|| self.attempt(py, arguments, resume, manner));
        let attempt = std::panic::catch_unwind(work)
            .unwrap_or_else(|panic| Err(Reason::Internal(panics::message(&*panic))));
        attempt.unwrap_or_else(|reason| {
            self.failed(&reason);
            Attempt::Failed {
                refused: matches!(reason, Reason::Refused { .. }),
            }
        })
    }

    fn failed(&self, reason: &Reason) {
        if reason.is_lasting() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        lock(&self.stats).fallback(reason);
    }

    fn attempt(
        &self,
        py: Python<'_>,
        arguments: &[*mut PyObject],
        resume: Option<Resume>,
        manner: Manner,
    ) -> Result<Attempt, Reason> {
        if self.failures.load(Ordering::Relaxed) >= LASTING_FAILURES {
            return Err(Reason::Off);
        }
        if let Some(what) = crate::host::environment::unusual(py) {
            return Err(Reason::Environment(what));
        }
        let errors = crate::host::environment::numpy_errors(py);
        if errors == NumpyErrors::Underflow {
            return Err(Reason::Environment("np.errstate asks for underflows"));
        }
        let parsed = self.parsed(py)?;
        let calls = self.calls.load(Ordering::Relaxed);
        let picked = verify::picked(py, &self.text.file, self.text.first_line, calls);
        if picked == Picked::Left {
            return Err(Reason::Forced);
        }
        let compared = picked == Picked::Compared;
        let globals = attributes::globals(py);
        let names = Names {
            arguments,
            globals: globals.as_ptr(),
            builtins: attributes::builtins(py),
            given: vec![],
        };
        if resume.is_none()
            && !residency::any()
            && let Some(progress) =
                self.repeat(py, parsed, &names, (errors, compared), manner.entered)
        {
            if picked == Picked::PassedOver {
                verify::pass_over();
            }
            return Ok(Attempt::Ran(progress));
        }
        // Attached once more in PyO3's own books: references that it gives up would else wait for that for ever.
        let attempt = Python::attach(|py| {
            self.in_full(py, parsed, &names, resume, (errors, compared, manner))
        });
        if picked == Picked::PassedOver && matches!(attempt, Ok(Attempt::Ran(_))) {
            verify::pass_over();
        }
        attempt
    }

    /// Remembers everything that a nest with this binding could change, if the call is to be compared.
    fn check(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        binding: &Binding,
        compared: bool,
    ) -> Result<Option<Check>, Reason> {
        let at = (self.text.file.as_str(), self.text.first_line);
        let call = self.calls.load(Ordering::Relaxed);
        let check = || verify::begin(py, parsed, binding, at, call);
        let check = compared.then(check).transpose();
        check.map_err(|e| Reason::Internal(e.to_string()))
    }

    fn launched(&self, launch: &Launch) {
        if launch.iterations() > 0 {
            let on_threads = launch.decision.of(Device::Threads);
            let stopped = matches!(launch.ended, Ended::Partial { .. });
            let far = !stopped || launch.replaced() >= SHORT.0;
            self.admission
                .ran(launch.seconds, on_threads.fork_join.0 > 0.0, far);
            self.ran.store(true, Ordering::Relaxed);
        }
        let mut stats = lock(&self.stats);
        stats.launched(launch);
        if launch.from() == 0 && self.priced() {
            stats.priced(&launch.decision);
            stats.runs.clone_from(&launch.runs);
        }
    }

    /// Makes one attempt as a repetition of an inline-cached call; `None` where the call is like none.
    fn repeat(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        names: &Names<'_>,
        (errors, compared): (NumpyErrors, bool),
        entered: Instant,
    ) -> Option<Progress> {
        let check = Cell::new(None);
        let like = |one: &InlineCachedCall| {
            let binding = one.binding();
            let assigns = parsed.assigns || one.has_users();
            let goes_over = parsed.goes_over || one.has_users();
            let settable = (!assigns || settable(py, parsed, binding).is_ok())
                && (!goes_over || iterated::stays(py, parsed, binding, names).is_ok());
            let stops = one.warns() && crate::host::warnings::warnings_stop(py);
            settable && !stops && {
                let begun = self.check(py, parsed, binding, compared);
                begun.map(|c| check.set(c)).is_ok()
            }
        };
        let timed = self.inline_cache.times();
        let mut cached = self
            .inline_cache
            .run(py, &parsed.paths, names, errors, &like)?;
        let (binding, launch) = (cached.binding(), cached.launch());
        self.launched(launch);
        let found_mixed = Cell::new(None);
        let world = World {
            parsed,
            names,
            errors,
        };
        let host = PyHost::new(py, world, binding, cached.plan(), &found_mixed);
        let mut progress = results::collect(py, parsed, binding, launch, host);
        if let Some(check) = check.take() {
            progress = rerun::after_native(check, py, parsed, launch, progress);
        }
        cached.release();
        if let Some(calls) = timed {
            let plan = cached.plan();
            plan.learning
                .learn(cached.launch(), Some(entered.elapsed()), calls);
        }
        self.inline_cache.keep(cached);
        Some(progress)
    }

    /// Makes one attempt with everything bound and checked in full.
    fn in_full(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        names: &Names<'_>,
        resume: Option<Resume>,
        (errors, compared, manner): (NumpyErrors, bool, Manner),
    ) -> Result<Attempt, Reason> {
        let entered = manner.entered;
        let world = World {
            parsed,
            names,
            errors,
        };
        if options().device == DeviceChoice::Interpreter {
            return Err(Reason::Forced);
        }
        let ready = match resume {
            None => self.admission.ready(),
            Some(_) => Ready::default(),
        };
        let mut mixed = lock(&self.mixed).clone();
        let mut refused = None;
        // A list found to mix ints and floats changes the signature; each retry learns of one more list.
        for _ in 0..=parsed.paths.len() + 1 {
            let mut binding = bind::bind(py, parsed, names, &mixed);
            binding.widen_ints(&mut lock(&self.ints), self.plans.count());
            settable(py, parsed, &binding)?;
            iterated::stays(py, parsed, &binding, names)?;
            let planned = match self.plan(py, parsed, &binding, manner.beside) {
                Err(reason) => {
                    let others = binding.otherwise();
                    if others.is_empty() || refused.is_some() {
                        let reason = refused.unwrap_or(reason);
                        return self.begun_in_cpython(py, parsed, names, resume, reason);
                    }
                    refused = Some(reason);
                    mixed.extend(others);
                    continue;
                }
                Ok(planned) => planned,
            };
            (*lock(&self.mixed)).clone_from(&mixed);
            let Some(plan) = planned else {
                let waiting = waiting_without_plan(py, parsed, names, unplanned::look(parsed));
                return Ok(Attempt::Declined(Some(Box::new(waiting))));
            };
            let found_mixed = Cell::new(None);
            let mut host = PyHost::new(py, world, &binding, &plan, &found_mixed);
            host.keeps = manner.keeps && !compared;
            let check = self.check(py, parsed, &binding, compared)?;
            let entry = Entry {
                captures: &binding.captures,
                resume,
                ready,
                entered,
            };
            let outcome = pipeline::run(&plan, entry, &mut host);
            if let Some(capture) = found_mixed.get()
                && !mixed.contains(&capture)
            {
                mixed.push(capture);
                continue;
            }
            if resume.is_none() && self.priced() && !matches!(outcome, Outcome::Fallback(_)) {
                self.keep_prices(&plan, &binding);
            }
            return match outcome {
                Outcome::Declined(declined) => {
                    if resume.is_none() {
                        self.declined(py, parsed, names.arguments, &declined);
                    }
                    let predicted = declined.decision.interpreted;
                    let Some(budget) = declined.budget else {
                        return Ok(Attempt::Unprofitable(predicted));
                    };
                    let is_range = results::runs_over_range(py, parsed, &binding);
                    let waits = Waits {
                        plan: Some(plan),
                        budget: Budget::of(budget),
                        modelled: declined.decision.of(Device::Interpreter).raw,
                        sure: declined.sure,
                        trial: declined.decision.trial,
                    };
                    let mut waiting = Progress::waiting(waits, declined.range, is_range);
                    if declined.doubted {
                        waiting.futile = Some(Attempted {
                            work: Some(work(py, parsed, names.arguments)),
                            why: Why::Unprofitable(predicted),
                        });
                    }
                    Ok(Attempt::Declined(Some(Box::new(waiting))))
                }
                Outcome::Fallback(reason) => {
                    self.begun_in_cpython(py, parsed, names, resume, reason)
                }
                Outcome::Launched(launch) => {
                    self.launched(&launch);
                    let mut progress = results::collect(py, parsed, &binding, &launch, host);
                    let took = entered.elapsed().saturating_sub(launch.compile.time);
                    progress.cost = Seconds(took.as_secs_f64());
                    progress.completed = launch.completed();
                    progress.replaced = Seconds(launch.replaced());
                    if let Some(check) = check {
                        progress = rerun::after_native(check, py, parsed, &launch, progress);
                    }
                    let whole = resume.is_none().then(|| entered.elapsed());
                    plan.learning.learn(&launch, whole, 1);
                    let paths = &parsed.paths;
                    // Whose features are asked for, every call is looked at anew.
                    if resume.is_none()
                        && !keeps_prices()
                        && let Some(one) =
                            InlineCachedCall::of(py, paths, binding, &plan, launch, errors)
                    {
                        self.inline_cache.add(Box::new(one));
                    }
                    Ok(Attempt::Ran(progress))
                }
            };
        }
        Err(Reason::Off)
    }

    /// Leaves the first iterations of a loop to CPython if that may help: an assigned name's value at the beginning is
    /// of a type that it need not have later, as `None` in `best is None or x < best`.
    fn begun_in_cpython(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        names: &Names<'_>,
        resume: Option<Resume>,
        reason: Reason,
    ) -> Result<Attempt, Reason> {
        let is_assigned = |name: &str| {
            let mut paths = parsed.surface.paths.values();
            paths.any(|path| path.written && path.parent.is_none() && path.name == name)
        };
        let goes_on = resume.is_none() && parsed.interface.kind != LoopKind::Value;
        if !goes_on || !reason.of_beginning().is_some_and(is_assigned) {
            return Err(reason);
        }
        lock(&self.stats).fallback(&reason);
        let mut waiting = waiting_without_plan(py, parsed, names, SHORTEST_WAIT);
        waiting.futile = Some(Attempted {
            work: Some(work(py, parsed, names.arguments)),
            why: Why::Refused,
        });
        Ok(Attempt::Declined(Some(Box::new(waiting))))
    }

    /// Records what the price of a call depends on.
    fn keep_prices(&self, plan: &Plan, binding: &Binding) {
        // Takes longer than many a call.
        nestwise_tiering::admission::unnoticed(|| {
            if let Ok(features) = features(plan, &binding.captures) {
                lock(&self.stats).features.add(&features);
            }
            if options().record {
                // What could be priced can be kept.
                let _ = record::record(plan, &binding.captures);
            }
        });
    }

    /// Notes that a call is left to CPython. Smaller calls are then left to it without being asked about, where the
    /// model itself, whatever was learned, says that they do not pay.
    fn declined(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        arguments: &[*mut PyObject],
        declined: &Declined,
    ) {
        let mut stats = lock(&self.stats);
        stats.declined(declined);
        if self.priced() {
            stats.priced(&declined.decision);
        }
        drop(stats);
        let decision = &declined.decision;
        if declined.budget.is_some() || !decision.modelled || options().prices {
            return;
        }
        let mut work = work(py, parsed, arguments);
        // What is done to whole arrays the numbers do not bound.
        let argument = |i: usize| arguments.get(i).copied();
        work.bounds &= !amounts::uses_whole_arrays(py, parsed, &argument);
        let caches = match decision.anyway {
            true => Caches::Warm,
            false => decision.ready.caches,
        };
        self.admission.is_small(work, caches);
    }

    /// The plan for what a call binds. `None` says that it is being made, while CPython may go on (`beside`).
    fn plan(
        &self,
        py: Python<'_>,
        parsed: &Parsed,
        binding: &Binding,
        beside: bool,
    ) -> Result<Option<Arc<Plan>>, Reason> {
        let plan = match self.plans.of(py, (&self.text, parsed), binding, beside)? {
            Planned::Known(plan) => return Ok(Some(plan)),
            Planned::Soon => {
                self.unplanned().ordered();
                return Ok(None);
            }
            Planned::Came(plan) => plan,
        };
        // The fast_reject is not its any more.
        self.unplanned().end();
        let plan = plan?;
        plan.tiers.add_lost(self.unplanned.spent());
        Ok(Some(plan))
    }
}

/// The progress of a call without a plan, which CPython runs for this time before it is asked about again.
fn waiting_without_plan(
    py: Python<'_>,
    parsed: &Parsed,
    names: &Names<'_>,
    time: Seconds,
) -> Progress {
    let argument = |i: usize| names.arguments.get(i).copied();
    let (price, _) = unplanned::interpreted(py, parsed, &argument);
    let waits = Waits::unplanned(Budget::of(time), price.known());
    Progress::waiting(waits, None, false)
}

/// The outcome of a guard failure in the first iteration.
const NOTHING: Option<Ended> = Some(Ended::Partial { next: 0 });

/// The manner in which an attempt is made.
#[derive(Clone, Copy)]
struct Manner {
    /// Where there is no plan, CPython may go on while one is made.
    beside: bool,
    /// A device's copies of arrays may outlive the attempt.
    keeps: bool,
    /// The moment when the hook was called.
    entered: Instant,
}

// Built and taken apart at once: a box would cost more than the copy.
#[allow(clippy::large_enum_variant)]
enum Attempt {
    /// CPython is cheaper, at least at first; the progress says what is waited for.
    Declined(Option<Box<Progress>>),
    /// CPython is cheaper, and takes about this long; nothing is waited for.
    Unprofitable(Seconds),
    /// CPython runs the call; the reason is in the statistics. `refused`: the front end refuses the nest.
    Failed { refused: bool },
    /// Native code ran.
    Ran(Progress),
}

fn work(py: Python<'_>, parsed: &Parsed, arguments: &[*mut PyObject]) -> Work {
    amounts::work(py, parsed, &|i| arguments.get(i).copied())
}
