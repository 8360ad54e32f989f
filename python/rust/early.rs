//! Sites of which nothing is planned yet.
//!
//! A plan, which tells what a nest may do and what it costs where, takes about as long as CPython takes for some ten
//! thousand operations: most loops of most programs never run for that long in all. So CPython runs a site until it has
//! lost about as much time as a plan and quick code take (ski-rental), in this process or in those before it. What a call takes is
//! told by the site's [effort](nestwise_frontend::effort) where that is bounded, and measured elsewhere. For a call that takes much
//! longer a plan is made from its beginning: where there are cores to spare beside CPython, which goes on meanwhile.

use crate::attributes;
use crate::gate::{self, Work as Amount};
use crate::iterables;
use crate::latch::Latch;
use crate::numpy;
use crate::parsed::{Parsed, SiteText};
use crate::verify;
use nestwise_costmodel::Seconds;
use nestwise_frontend::effort::Operations;
use nestwise_ir::Work;
use nestwise_ir::surface::{Expr, ExprKind, StmtKind};
use nestwise_runtime::plan::kept::Left;
use nestwise_runtime::{DeviceChoice, Options, options};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Calls that CPython takes so many times as long for as a plan takes are over before anything could come of one that is
/// made meanwhile.
const SMALL: f64 = 3.0;
/// Calls that take so many times as long as a plan and quick code are planned from their beginning.
const LARGE: f64 = 2.0;
/// Seconds until there is quick code of a nest that was planned: the median of many nests.
const QUICK: f64 = 3e-3;
/// Between two looks whether a plan is there.
const LOOKS: f64 = 4.0;

/// What is known of a site before it has a plan.
pub struct Early {
    phase: AtomicU8,
    /// Nanoseconds that CPython has taken in all.
    spent: AtomicU64,
    /// Calls that were left to it without a further look, and their part of that.
    left: AtomicU64,
    guessed: AtomicU64,
    /// The nanoseconds of the last of them, and how many such calls the latch may leave unasked.
    each: AtomicU64,
    lent: AtomicU32,
    /// Nanoseconds that may be spent without a plan.
    most: AtomicU64,
    /// Nothing that may be an array of which more than an element is used at once was one when all names were seen last.
    plain: AtomicBool,
}

/// No plan was asked for yet.
const EARLY: u8 = 0;
/// One is being made.
const ORDERED: u8 = 1;
/// There is one.
const OVER: u8 = 2;

/// What is to become of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// CPython runs all of it.
    Leave,
    /// CPython begins, and a plan is asked for after so long. The whole is expected to take so long, if that is known.
    Wait(Seconds, Option<Seconds>),
    /// A plan is to be made; CPython may go on meanwhile.
    Order,
    /// It is planned now.
    Plan,
}

impl Early {
    pub fn new() -> Early {
        Early {
            phase: AtomicU8::new(EARLY),
            spent: AtomicU64::new(0),
            left: AtomicU64::new(0),
            guessed: AtomicU64::new(0),
            each: AtomicU64::new(0),
            lent: AtomicU32::new(0),
            most: AtomicU64::new(0),
            plain: AtomicBool::new(false),
        }
    }

    /// Whether there is a plan, so that calls are looked at like any others.
    pub fn is_over(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == OVER
    }

    /// Whether nobody has asked for one.
    pub fn is_early(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == EARLY
    }

    /// There is a plan.
    pub fn end(&self) {
        self.phase.store(OVER, Ordering::Relaxed);
    }

    /// One is being made.
    pub fn ordered(&self) {
        self.phase.fetch_max(ORDERED, Ordering::Relaxed);
    }

    /// CPython has taken so long for a call.
    pub fn add(&self, seconds: Seconds) {
        self.spent
            .fetch_add(nanoseconds(seconds), Ordering::Relaxed);
    }

    /// What CPython has taken so far.
    pub fn spent(&self) -> Seconds {
        sum(&self.spent)
    }

    /// Calls that were left, those by the latch among them, and how long CPython took for them, about.
    pub fn left(&self, latch: &Latch) -> (u64, Seconds) {
        let lent = self.lent.load(Ordering::Relaxed);
        let more = u64::from(lent.saturating_sub(latch.times()));
        let nanoseconds = more * self.each.load(Ordering::Relaxed);
        let guessed = sum(&self.guessed) + Seconds(nanoseconds as f64 * 1e-9);
        (self.left.load(Ordering::Relaxed) + more, guessed)
    }

    /// From now on the latch leaves calls of so much work like the one that just was, as long as all that CPython takes is
    /// less than a plan takes.
    pub fn lend(&self, latch: &Latch, work: Option<Amount>) {
        let Some(work) = work.filter(|w| w.bounds) else {
            return;
        };
        let most = self.most.load(Ordering::Relaxed);
        let rest = most.saturating_sub(self.spent.load(Ordering::Relaxed));
        let times = rest / self.each.load(Ordering::Relaxed).max(1);
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        self.lent.store(times, Ordering::Relaxed);
        latch.leave(work.amount, times);
    }

    /// Counts what the latch has left since.
    pub fn settle(&self, latch: &Latch) {
        let lent = self.lent.swap(0, Ordering::Relaxed);
        if lent > 0 {
            let times = lent.saturating_sub(latch.take_back());
            self.leave(times, self.each.load(Ordering::Relaxed));
        }
    }

    fn leave(&self, times: u32, nanoseconds: u64) {
        let times = u64::from(times);
        for to in [&self.spent, &self.guessed] {
            to.fetch_add(times * nanoseconds, Ordering::Relaxed);
        }
        self.left.fetch_add(times, Ordering::Relaxed);
    }

    /// Whether the sizes of a few names tell what is to become of a call.
    pub fn is_told_by_sizes(&self, py: Python<'_>, parsed: &Parsed) -> bool {
        self.plain.load(Ordering::Relaxed)
            || parsed.interface.wholes.is_empty()
            || numpy::numpy(py).is_none()
    }

    /// What is to become of a call. `argument(i)` is the value of the `i`th name that the hook is given.
    pub fn course(
        &self,
        py: Python<'_>,
        (text, parsed): (&SiteText, &Parsed),
        argument: &impl Fn(usize) -> Option<*mut PyObject>,
    ) -> Course {
        if self.is_over() || !is_free(&options()) {
            return Course::Plan;
        }
        let price = interpreted(py, parsed, argument);
        let spent = self.spent().0;
        let Price {
            seconds,
            whole,
            plain,
        } = price;
        self.plain.store(plain, Ordering::Relaxed);
        let early = |planning: f64| self.is_early() && spent < planning;
        let leaves = |planning: f64| {
            let small = whole && early(planning) && seconds.0 < planning * SMALL;
            if small {
                self.leave(1, nanoseconds(seconds));
                self.each.store(nanoseconds(seconds), Ordering::Relaxed);
                self.most
                    .store(nanoseconds(Seconds(planning)), Ordering::Relaxed);
            }
            small
        };
        // What is on disk is looked for only where that could matter.
        if leaves(READING) {
            return Course::Leave;
        }
        let making = planning(parsed).0;
        // Time without native code that is worth less than a plan and quick code, and time from which they are asked for at once.
        let (least, large) = match parsed.left(text) {
            Left::Plans => (READING, READING * SMALL),
            Left::Lost(lost) if lost.0 >= making + QUICK => (READING, READING * SMALL),
            // How long the call goes on is not known: what it has taken is the best guess of what it will yet take.
            _ if !whole => (making + QUICK / 2.0, (making + QUICK) * LARGE),
            _ => (making + QUICK, (making + QUICK) * LARGE),
        };
        if least > READING && leaves(making) {
            return Course::Leave;
        }
        let takes = |least: f64| seconds.0.is_nan() || seconds.0 >= least;
        // An expression that CPython has begun it evaluates to its end, and an iteration, too.
        let coarse = || {
            let turns = turns(py, parsed, argument);
            parsed.surface.value || turns.is_some_and(|n| seconds.0 >= n * making)
        };
        let stops = || can_stop(py, parsed, argument);
        if takes((making + QUICK) * LARGE) && coarse() || takes(making * SMALL) && !stops() {
            return Course::Plan;
        }
        match early(least) && !takes(large) {
            true => Course::Wait(Seconds(least - spent), price.known()),
            false => Course::Order,
        }
    }

    /// Keeps for other processes what this one has lost without a plan.
    pub fn keep_lost(&self, parsed: &Parsed, text: &SiteText, options: &Options) {
        let spent = self.spent().0;
        if self.is_over() || spent < READING * SMALL {
            return;
        }
        let before = match parsed.left(text) {
            Left::Plans => return,
            Left::Lost(before) => before.0,
            Left::Nothing => 0.0,
        };
        parsed.key(text).keep_lost(Seconds(before + spent), options);
    }
}

/// What a call takes CPython, about.
#[derive(Clone, Copy, Debug)]
pub struct Price {
    seconds: Seconds,
    /// That is all of it. Otherwise it takes at least so long: something is not bounded.
    whole: bool,
    /// See [`gate::uses_wholes`].
    plain: bool,
}

impl Price {
    /// All of it, if that is known.
    pub fn known(self) -> Option<Seconds> {
        self.whole.then_some(self.seconds)
    }
}

fn nanoseconds(seconds: Seconds) -> u64 {
    (seconds.0 * 1e9) as u64
}

fn sum(of: &AtomicU64) -> Seconds {
    Seconds(of.load(Ordering::Relaxed) as f64 * 1e-9)
}

/// Whether decisions are free, and nobody wants to see the first call of a site for itself.
fn is_free(options: &Options) -> bool {
    options.early
        && options.device == DeviceChoice::Auto
        && options.trial.is_none()
        && !options.prices
        && !verify::on()
}

/// Seconds to read a plan from disk, about.
const READING: f64 = 0.3e-3;

/// What a plan takes, about.
fn planning(parsed: &Parsed) -> Seconds {
    Seconds(0.3e-3 + 0.1e-3 * f64::from(parsed.lines))
}

/// How long CPython goes on before it is looked whether a plan that is being made is there.
pub fn look(parsed: &Parsed) -> Seconds {
    Seconds(planning(parsed).0 / LOOKS)
}

/// Whether CPython's share of the site can be ended before the loop is over, or need not, since an expression that is known to take
/// long is planned at once.
pub fn can_stop(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> bool {
    let counted = |e: &Expr| match e.kind {
        ExprKind::Place(place) => gate::held(py, parsed, place.index(), argument)
            .is_none_or(|held| iterables::counter(&held.bound(py)).is_some()),
        _ => true,
    };
    let StmtKind::For { iter, .. } = &parsed.surface.top.kind else {
        return true;
    };
    if parsed.surface.value {
        return true;
    }
    match &iter.kind {
        ExprKind::Place(_) => counted(iter),
        ExprKind::Call { func, args, .. } => {
            let ExprKind::Place(place) = func.kind else {
                return false;
            };
            let name = parsed.surface.places[place].name.as_str();
            match name {
                "range" => true,
                "enumerate" => args.first().is_some_and(counted),
                "zip" => args.iter().all(counted),
                _ => false,
            }
        }
        _ => false,
    }
}

/// How many iterations a loop over a range of ints that are at hand makes.
fn turns(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Option<f64> {
    let StmtKind::For { iter, .. } = &parsed.surface.top.kind else {
        return None;
    };
    let ExprKind::Call { func, args, .. } = &iter.kind else {
        return None;
    };
    let is_called = |func: &Expr, name: &str| match func.kind {
        ExprKind::Place(place) => parsed.surface.places[place].name == name,
        _ => false,
    };
    let value = |e: &Expr| -> Option<f64> {
        let held = |e: &Expr| match e.kind {
            ExprKind::Place(place) => gate::held(py, parsed, place.index(), argument),
            _ => None,
        };
        match &e.kind {
            ExprKind::Int(n) => Some(*n as f64),
            ExprKind::Place(_) => {
                let bound = held(e)?.bound(py);
                let int = bound.cast_exact::<PyInt>().ok()?;
                int.extract::<i64>().ok().map(|n| n as f64)
            }
            ExprKind::Call { func, args, .. } if is_called(func, "len") => {
                let [of] = &args[..] else { return None };
                let (start, stop, _) = iterables::counter(&held(of)?.bound(py))?;
                Some((stop - start) as f64)
            }
            _ => None,
        }
    };
    match &args[..] {
        _ if !is_called(func, "range") => None,
        [stop] => value(stop),
        [start, stop] => Some(value(stop)? - value(start)?),
        _ => None,
    }
}

/// What a call takes CPython, by the sizes of a few names.
pub fn interpreted(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> Price {
    let sizes = gate::sizes(py, parsed, argument);
    let known: Vec<f64> = sizes.iter().map(|s| s.unwrap_or(1.0)).collect();
    let operations = parsed.interface.effort.operations(&known);
    let arrays = numpy::numpy(py).is_some();
    let plain = !arrays || !gate::uses_wholes(py, parsed, argument);
    Price {
        seconds: price(&operations, arrays, &options()),
        whole: parsed.interface.atoms.is_some()
            && sizes.iter().all(Option::is_some)
            && !calls_methods(py, parsed, argument)
            && plain,
        plain,
    }
}

/// Whether subscripts and calls may call methods of objects, which take as long as they like.
fn calls_methods(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> bool {
    let special = parsed.places.iter().filter(|place| place.special);
    let objects = special.filter_map(|place| gate::held(py, parsed, place.parent?, argument));
    let mut objects = objects.map(|held| held.bound(py));
    objects.any(|object| attributes::is_of_class(object.as_ptr()))
}

/// Types are not known: where NumPy is in use, elements are an array's, and numbers NumPy's.
fn price(operations: &Operations, arrays: bool, options: &Options) -> Seconds {
    let weight = |work| options.profile.interpreter.get(work);
    let (number, element) = match arrays {
        true => (weight(Work::NumpyFloat), weight(Work::ArrayGet)),
        false => (
            weight(Work::IntAdd),
            weight(Work::ListGet) + weight(Work::ListIndex),
        ),
    };
    let nanoseconds = operations.names * weight(Work::Load)
        + operations.arithmetic * number
        + operations.indexing * weight(Work::IntAdd)
        + operations.elements * element
        + operations.calls * weight(Work::Math)
        + operations.turns * weight(Work::RangeStep);
    Seconds(nanoseconds * 1e-9)
}
