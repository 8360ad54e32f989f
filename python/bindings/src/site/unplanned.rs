//! Estimates the time that CPython takes for a call of a site without a plan, from the site's text and the call's
//! arguments; see [`Unplanned`](nestwise_tiering::Unplanned) for what becomes of that.

use nestwise_costmodel::Seconds;
use nestwise_frontend::site::static_cost::Operations;
use nestwise_ir::Work;
use nestwise_ir::surface::{Expr, ExprKind, StmtKind};
use nestwise_runtime::{DeviceChoice, Options, options};
use nestwise_tiering::constants::PLAN_LOOKS;
use nestwise_tiering::unplanned::{Making, Site};
use nestwise_tiering::{Course, Legacy, Price, Unplanned};
use pyo3::ffi::{self, PyObject};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::bind::amounts;
use crate::objects::{attributes, functions, iterables, numpy, random};
use crate::site::parsed::{Parsed, SiteText};
use crate::verify;

/// A call of a site without a plan.
pub struct Call<'a, 'py, A> {
    /// The GIL token of the calling thread.
    pub py: Python<'py>,
    /// The text of the site.
    pub text: &'a SiteText,
    /// What is known from the text.
    pub parsed: &'a Parsed,
    /// The value of the `i`th name that the hook is given.
    pub argument: &'a A,
}

impl<A: Fn(usize) -> Option<*mut PyObject>> Call<'_, '_, A> {
    /// The course that the call is to take.
    pub fn course(&self, unplanned: &Unplanned) -> Course {
        if unplanned.is_over() || !is_free(&options()) {
            return Course::Plan;
        }
        let (price, told) = interpreted(self.py, self.parsed, self.argument);
        unplanned.set_told(told);
        unplanned.course(price, self)
    }
}

impl<A: Fn(usize) -> Option<*mut PyObject>> Call<'_, '_, A> {
    /// Whether the call is worth a plan and code of its own although a loop around it is soon to have both.
    pub fn is_long_inside(&self) -> bool {
        let (price, _) = interpreted(self.py, self.parsed, self.argument);
        price.is_long_inside(self)
    }
}

impl<A: Fn(usize) -> Option<*mut PyObject>> Site for Call<'_, '_, A> {
    /// The time to make a plan and code, by the lines of the text and of what is inlined into it, and by whether the
    /// compiler is warm.
    fn making(&self) -> Making {
        let lines = || lines(self.py, self.parsed, self.argument);
        let lines = *self.parsed.all_lines.get_or_init(lines);
        let options = options();
        let compile = &options.profile.compile;
        let quick = compile.quick_of(lines);
        Making {
            plan: compile.plan_of(lines),
            code: match nestwise_codegen::is_warm() {
                true => quick,
                false => quick + Seconds::from_nanos(compile.first),
            },
        }
    }

    fn legacy(&self) -> Legacy {
        self.parsed.legacy(self.text)
    }

    /// Whether CPython's share can only be ended after a long time: CPython evaluates an expression to its end once it
    /// has begun, and so it does an iteration that takes longer than making a plan.
    fn is_coarse(&self) -> bool {
        let (price, _) = interpreted(self.py, self.parsed, self.argument);
        let making = self.making().plan.0;
        let turns = turns(self.py, self.parsed, self.argument);
        self.parsed.surface.value || turns.is_some_and(|n| price.seconds.0 >= n * making)
    }

    fn can_stop(&self) -> bool {
        can_stop(self.py, self.parsed, self.argument)
    }

    fn may_be_left(&self) -> bool {
        self.parsed.surface.may_be_left()
    }
}

/// Whether the sizes of a few names tell what is to become of a call.
pub fn is_told_by_sizes(py: Python<'_>, unplanned: &Unplanned, parsed: &Parsed) -> bool {
    unplanned.is_told()
        || parsed.interface.whole_array_uses.is_empty()
        || numpy::numpy(py).is_none()
}

/// Whether decisions are free, and nobody wants to see the first call of a site for itself: prices are not summed up,
/// and nothing is compared.
fn is_free(options: &Options) -> bool {
    options.tier_up_budget
        && options.device == DeviceChoice::Auto
        && options.forced.is_none()
        && !options.prices
        && !verify::on()
}

/// The time that making a plan takes, about.
pub fn planning(parsed: &Parsed) -> Seconds {
    let lines = parsed.all_lines.get();
    let lines = lines.copied().unwrap_or(parsed.lines.into());
    options().profile.compile.plan_of(lines)
}

/// The number of lines of a nest's text and of the functions that it calls, counted once for each call, since their
/// texts are inlined there.
fn lines(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> f64 {
    let called = parsed.interface.calls.iter();
    let called = called.filter_map(|path| amounts::held(py, parsed, path.index(), argument));
    let inlined: f64 = called.map(|held| inlined_lines(&held.bound(py))).sum();
    f64::from(parsed.lines) + inlined
}

/// The bytes of CPython's code for a line of source, inline caches included.
const BYTES_OF_A_LINE: f64 = 32.0;
/// The number of lines that the drawing of a random number stands for.
const LINES_OF_A_DRAW: f64 = 18.0;

fn inlined_lines(called: &Bound<'_, PyAny>) -> f64 {
    let py = called.py();
    let method = functions::method(py, called.as_ptr());
    let (function, receiver) = match &method {
        Some((function, receiver)) => (function.bind(py), receiver.as_ptr()),
        // SAFETY: the type is checked before; what a builtin method is bound to lives as long as it does.
        None => unsafe {
            let builtin = ffi::PyCFunction_CheckExact(called.as_ptr()) != 0;
            let receiver = builtin.then(|| ffi::PyCFunction_GetSelf(called.as_ptr()));
            (called, receiver.unwrap_or(std::ptr::null_mut()))
        },
    };
    // SAFETY: a live object.
    if !receiver.is_null() && unsafe { random::is_generator(py, receiver) } {
        return LINES_OF_A_DRAW;
    }
    let code = functions::code_of(py, function.as_ptr());
    // SAFETY: the code object of a live function.
    let code = code.map(|code| unsafe { Bound::from_borrowed_ptr(py, code) });
    let bytes = code.and_then(|code| code.getattr(intern!(py, "co_code")).ok()?.len().ok());
    bytes.unwrap_or(0) as f64 / BYTES_OF_A_LINE
}

/// The time that CPython goes on before it is checked whether a plan that is being made is there.
pub fn look(parsed: &Parsed) -> Seconds {
    Seconds(planning(parsed).0 / PLAN_LOOKS)
}

/// Whether CPython's share of the site can be ended before the loop is over. An expression counts as one that can,
/// since one that is known to take long is planned at once.
pub fn can_stop(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> bool {
    let counted = |e: &Expr| match e.kind {
        ExprKind::Path(path) => amounts::held(py, parsed, path.index(), argument)
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
        ExprKind::Path(_) => counted(iter),
        ExprKind::Call { func, args, .. } => {
            let ExprKind::Path(path) = func.kind else {
                return false;
            };
            let name = parsed.surface.paths[path].name.as_str();
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

/// The number of iterations of a loop over `range(...)` whose arguments are ints that are at hand; `None` for other
/// loops.
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
        ExprKind::Path(path) => parsed.surface.paths[path].name == name,
        _ => false,
    };
    let value = |e: &Expr| -> Option<f64> {
        let held = |e: &Expr| match e.kind {
            ExprKind::Path(path) => amounts::held(py, parsed, path.index(), argument),
            _ => None,
        };
        match &e.kind {
            ExprKind::Int(n) => Some(*n as f64),
            ExprKind::Path(_) => {
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

/// The price of a call in CPython, by the sizes of a few names; and whether the call works on no array of which it
/// takes more than an element at once.
pub fn interpreted(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> (Price, bool) {
    let sizes = amounts::sizes(py, parsed, argument);
    let known: Vec<f64> = sizes.iter().map(|s| s.unwrap_or(1.0)).collect();
    let operations = parsed.interface.effort.operations(&known);
    let arrays = numpy::numpy(py).is_some();
    let plain = !arrays || !amounts::uses_whole_arrays(py, parsed, argument);
    let price = Price {
        seconds: price(&operations, arrays, &options()),
        whole: parsed.interface.atoms.is_some()
            && sizes.iter().all(Option::is_some)
            && !calls_methods(py, parsed, argument)
            && plain,
    };
    (price, plain)
}

/// Whether subscripts and calls may call methods of objects, which may take any time.
fn calls_methods(
    py: Python<'_>,
    parsed: &Parsed,
    argument: &impl Fn(usize) -> Option<*mut PyObject>,
) -> bool {
    let special = parsed.paths.iter().filter(|path| path.special);
    let objects = special.filter_map(|path| amounts::held(py, parsed, path.parent?, argument));
    let mut objects = objects.map(|held| held.bound(py));
    objects.any(|object| attributes::is_of_class(object.as_ptr()))
}

/// The time that CPython takes for these operations. Types are not known: where NumPy is in use (`arrays`), elements
/// are assumed to be an array's, and numbers NumPy's.
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
