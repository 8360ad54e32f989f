//! NumPy's own ufunc inner loops, registered by the runtime, and CPython functions that are not plain libm calls.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use nestwise_ir::{Fun, Scalar};

use crate::link::numpy::folds;
use crate::link::slot::{Slot, UfuncLoop};

/// The bit that says that the loop was tried out.
const TRIED: u8 = 1;
/// The bit that says that elements computed in one call have the bits that each would have alone.
const SAME: u8 = 2;
/// The bit that says that elements computed in one call have the bits that each would have alone if the second argument
/// is the same for all of them.
const UNIFORM: u8 = 4;
/// The bit that says that the loop leaves floating-point flags alone that were raised before.
const KEEPS: u8 = 8;

/// The functions with a slot, by the name they have in symbols.
const FUNS: [(Fun, &str); 25] = [
    (Fun::Exp, "exp"),
    (Fun::Exp2, "exp2"),
    (Fun::Expm1, "expm1"),
    (Fun::Log, "log"),
    (Fun::Log2, "log2"),
    (Fun::Log10, "log10"),
    (Fun::Log1p, "log1p"),
    (Fun::Sin, "sin"),
    (Fun::Cos, "cos"),
    (Fun::Tan, "tan"),
    (Fun::Asin, "asin"),
    (Fun::Acos, "acos"),
    (Fun::Atan, "atan"),
    (Fun::Sinh, "sinh"),
    (Fun::Cosh, "cosh"),
    (Fun::Tanh, "tanh"),
    (Fun::Asinh, "asinh"),
    (Fun::Acosh, "acosh"),
    (Fun::Atanh, "atanh"),
    (Fun::Cbrt, "cbrt"),
    (Fun::Erf, "erf"),
    (Fun::Erfc, "erfc"),
    (Fun::Atan2, "atan2"),
    (Fun::Hypot, "hypot"),
    (Fun::Pow, "pow"),
];

static SLOTS: [[Slot; 2]; FUNS.len()] = [const { [const { Slot::new() }; 2] }; FUNS.len()];

/// CPython's own implementations, for functions that `math` does not take from libm.
static C_FUNCTIONS: [AtomicUsize; FUNS.len()] = [const { AtomicUsize::new(0) }; FUNS.len()];

/// The name of a function in symbols.
pub(crate) fn fun_name(fun: Fun) -> Option<&'static str> {
    FUNS.iter().find(|(f, _)| *f == fun).map(|(_, name)| *name)
}

/// Whether a function has this name.
pub(crate) fn is_fun_name(name: &str) -> bool {
    FUNS.iter().any(|(_, n)| *n == name)
}

#[cfg(test)]
pub(crate) fn all_funs() -> impl Iterator<Item = Fun> {
    FUNS.iter().map(|(f, _)| *f)
}

fn slot(fun: Fun, repr: Scalar) -> Option<&'static Slot> {
    let index = FUNS.iter().position(|(f, _)| *f == fun)?;
    let column = match repr {
        Scalar::F32 => 0,
        Scalar::F64 => 1,
        _ => return None,
    };
    SLOTS.get(index)?.get(column)
}

/// The address of the slot called, say, `exp_f64`.
pub(crate) fn slot_address(name: &str) -> Option<usize> {
    let (fun, repr) = name.rsplit_once('_')?;
    let repr = match repr {
        "f32" => Scalar::F32,
        "f64" => Scalar::F64,
        _ => return None,
    };
    let (fun, _) = FUNS.iter().find(|(_, n)| *n == fun)?;
    slot(*fun, repr).map(|s| std::ptr::from_ref(s) as usize)
}

/// Whether `np.fun` on `repr` is registered.
pub(crate) fn is_registered(fun: Fun, repr: Scalar) -> bool {
    slot(fun, repr).is_some_and(|s| s.get().is_some())
}

/// Registers NumPy's inner loop for `fun` on `repr` (f32 or f64, all arguments and the result alike): of a function of
/// elements, of `np.add` ([`Fun::AddNext`]) or of `np.matmul` ([`Fun::MatMulNext`], and what `np.dot` calls, too).
/// Returns whether there is a slot for it.
///
/// # Safety
///
/// `function` and `data` must stay valid for the life of the process, callable from any thread without the GIL.
pub unsafe fn register_ufunc(
    fun: Fun,
    repr: Scalar,
    function: UfuncLoop,
    data: *mut c_void,
) -> bool {
    let slot = match fun.is_fold() {
        true => folds::slot(fun, repr),
        false => slot(fun, repr),
    };
    slot.map(|slot| slot.set(function, data)).is_some()
}

/// Registers CPython's own f64 implementation of `math.fun` where that is not a call of libm's function of this
/// name (`math.hypot`). `function` takes as many f64 as `fun` and returns f64.
///
/// # Safety
/// `function` must be an `extern "C"` function of that signature, valid for the life of the process.
pub unsafe fn register_c_function(fun: Fun, function: *const c_void) -> bool {
    match FUNS.iter().position(|(f, _)| *f == fun) {
        Some(index) => {
            C_FUNCTIONS[index].store(function as usize, Ordering::Release);
            true
        }
        None => false,
    }
}

pub(crate) fn c_address(name: &str) -> Option<usize> {
    let index = FUNS.iter().position(|(_, n)| *n == name)?;
    Some(C_FUNCTIONS[index].load(Ordering::Acquire)).filter(|a| *a != 0)
}

/// The number of a function's arguments.
pub(crate) fn arity(fun: Fun) -> usize {
    match fun {
        Fun::Atan2 | Fun::Hypot | Fun::Fmod | Fun::Copysign | Fun::Pow | Fun::Pair => 2,
        _ if fun.is_fold() => fun.fold_arity(),
        _ => 1,
    }
}

/// A float type of ufunc loops.
trait Float: Copy + Default {
    fn from_f64(x: f64) -> Self;
    fn bits(self) -> u64;
    /// Whether two floats have the same bits, or both are NaN.
    fn same(self, other: Self) -> bool;
}
impl Float for f32 {
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    fn same(self, other: f32) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }
}
impl Float for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn same(self, other: f64) -> bool {
        self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
    }
}

/// How a loop's second argument goes with its elements.
#[derive(Clone, Copy, PartialEq)]
enum Second {
    /// There is but one element of each argument, which a scalar call of NumPy says by strides of 0.
    Alone,
    /// The second argument is the same for all elements.
    One,
    /// There is a second argument for each element.
    Each,
}

unsafe fn run<F>(f: UfuncLoop, data: *mut c_void, args: &[*mut u8], count: usize, second: Second) {
    let mut args = [
        args[0],
        args[1],
        args.get(2).copied().unwrap_or(std::ptr::null_mut()),
    ];
    let dims = [count as isize];
    let step = size_of::<F>() as isize;
    let steps = match second {
        Second::Alone => [0; 3],
        Second::One => [step, 0, step],
        Second::Each => [step; 3],
    };
    unsafe { f(args.as_mut_ptr(), dims.as_ptr(), steps.as_ptr(), data) };
}

unsafe fn apply<F: Float>(slot: &Slot, keeps: bool, x: &mut [F; 2], arity: usize) -> F {
    let Some((f, data)) = slot.get() else {
        return F::from_f64(f64::NAN);
    };
    let mut out = F::default();
    let (a, b) = x.split_at_mut(1);
    let (a, out_ptr) = (a.as_mut_ptr().cast(), (&raw mut out).cast());
    let args = if arity == 2 {
        [a, b.as_mut_ptr().cast(), out_ptr]
    } else {
        [a, out_ptr, out_ptr]
    };
    let run = || unsafe { run::<F>(f, data, &args, 1, Second::Alone) };
    match keeps {
        true => run(),
        false => keeping_flags(run),
    }
    out
}

/// The bits that a trial of the loop tells. Threads that ask at once all try, with one result.
unsafe fn found<F: Float>(slot: &Slot, arity: usize) -> u8 {
    match slot.found.load(Ordering::Acquire) {
        0 => {
            let found = unsafe { tried::<F>(slot, arity) };
            slot.found.store(found, Ordering::Release);
            found
        }
        found => found,
    }
}

/// Arguments that functions treat in ways of their own.
const SPECIAL: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e300,
    -1e300,
    5e-324,
    1e-40,
    800.0,
    // Exponents that `power` looks for.
    0.5,
    2.0,
    -0.5,
    3.0,
];

/// The bits that calls of the loop tell, with arguments of all magnitudes and special ones, at several lengths. NumPy
/// documents nothing about what [`SAME`] and [`KEEPS`] say, so it is measured.
unsafe fn tried<F: Float>(slot: &Slot, arity: usize) -> u8 {
    let Some((f, data)) = slot.get() else {
        return 0;
    };
    let before = flags();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |special: bool| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        if special && seed >> 62 == 0 {
            return F::from_f64(SPECIAL[(seed >> 32) as usize % SPECIAL.len()]);
        }
        let unit = (seed >> 11) as f64 / (1u64 << 53) as f64;
        let scale = [1.0, 10.0, 700.0, 1e6, 1e-3][(seed >> 3) as usize % 5];
        F::from_f64((unit - 0.25) * scale)
    };
    let (mut same, mut uniform, mut keeps) = (true, arity == 2, true);
    for length in [1usize, 2, 3, 4, 7, 8, 15, 16, 32, 64] {
        for turn in 0..8 {
            let (mut x, mut y, mut out) =
                ([F::default(); 64], [F::default(); 64], [F::default(); 64]);
            for k in 0..length {
                (x[k], y[k]) = (next(turn % 2 == 1), next(turn % 2 == 1));
            }
            let o = out.as_mut_ptr().cast();
            let args = if arity == 2 {
                [x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), o]
            } else {
                [x.as_mut_ptr().cast(), o, o]
            };
            set_flags(before | STICKY);
            unsafe { run::<F>(f, data, &args, length, Second::Each) };
            keeps &= flags() & STICKY == STICKY;
            let mut fixed = [F::default(); 64];
            if arity == 2 {
                let args = [args[0], args[1], fixed.as_mut_ptr().cast()];
                unsafe { run::<F>(f, data, &args, length, Second::One) };
            }
            for k in 0..length {
                set_flags(before | STICKY);
                let alone = unsafe { apply(slot, true, &mut [x[k], y[k]], arity) };
                keeps &= flags() & STICKY == STICKY;
                same &= alone.same(out[k]);
                if arity == 2 {
                    let alone = unsafe { apply(slot, true, &mut [x[k], y[0]], arity) };
                    uniform &= alone.same(fixed[k]);
                }
            }
        }
    }
    set_flags(before);
    let bit = |holds, bit| if holds { bit } else { 0 };
    TRIED | bit(same, SAME) | bit(uniform, UNIFORM) | bit(keeps, KEEPS)
}

/// Runs `run`, and puts floating-point flags back that were raised before: some of NumPy's loops clear those of earlier
/// operations of the kernel.
fn keeping_flags(run: impl FnOnce()) {
    let before = flags();
    run();
    let now = flags();
    if before & !now & STICKY != 0 {
        set_flags(now | before & STICKY);
    }
}

/// The bits of the floating-point flags.
const STICKY: u32 = 0x3f;

/// The control word with the flags of both units: arithmetic sets those of MXCSR, `feraiseexcept` those of x87.
fn flags() -> u32 {
    let mut csr = 0u32;
    let mut x87 = 0u16;
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "stmxcsr [{}]",
            "fnstsw [{}]",
            in(reg) &raw mut csr,
            in(reg) &raw mut x87,
            options(nostack)
        );
    }
    csr | u32::from(x87) & STICKY
}

/// Sets the control word; the flags of both units are then what it says.
fn set_flags(csr: u32) {
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "fnclex",
            "ldmxcsr [{}]",
            in(reg) &raw const csr,
            options(nostack, readonly)
        );
    }
}
pub(crate) type Np1<F> = unsafe extern "C" fn(*const Slot, F) -> F;
pub(crate) type Np2<F> = unsafe extern "C" fn(*const Slot, F, F) -> F;
/// A function with the arguments: slot, first and second argument (null if there is one only), result, mask of active
/// lanes, number of lanes.
pub(crate) type NpV<F> = unsafe extern "C" fn(*const Slot, *mut F, *mut F, *mut F, u64, i64);

unsafe fn lanes<F: Float>(slot: &Slot, x: *mut F, y: *mut F, out: *mut F, mask: u64, n: i64) {
    let n = n.clamp(0, 64) as usize;
    let arity = if y.is_null() { 1 } else { 2 };
    let all = if n == 64 { u64::MAX } else { (1 << n) - 1 };
    let found = unsafe { found::<F>(slot, arity) };
    let second = match found & (SAME | UNIFORM) {
        0 => None,
        UNIFORM if unsafe { is_uniform(y, n) } => Some(Second::One),
        UNIFORM => None,
        _ => Some(Second::Each),
    };
    if mask == all
        && let Some(second) = second
        && let Some((f, data)) = slot.get()
    {
        let args = if arity == 2 {
            [x, y, out]
        } else {
            [x, out, out]
        }
        .map(|p| p.cast());
        let run = || unsafe { run::<F>(f, data, &args, n, second) };
        match found & KEEPS != 0 {
            true => run(),
            false => keeping_flags(run),
        }
        return;
    }
    for k in 0..n {
        if mask >> k & 1 == 1 {
            unsafe {
                let second = if arity == 2 { *y.add(k) } else { F::default() };
                let mut args = [*x.add(k), second];
                *out.add(k) = apply(slot, found & KEEPS != 0, &mut args, arity);
            }
        }
    }
}

/// Whether all of `n` numbers have the same bits; false if there are none, or `y` is null.
unsafe fn is_uniform<F: Float>(y: *const F, n: usize) -> bool {
    if y.is_null() || n == 0 {
        return false;
    }
    // SAFETY: as promised.
    let y = unsafe { std::slice::from_raw_parts(y, n) };
    y.iter().all(|v| v.bits() == y[0].bits())
}

unsafe fn one<F: Float>(slot: &Slot, x: &mut [F; 2], arity: usize) -> F {
    unsafe {
        let keeps = found::<F>(slot, arity) & KEEPS != 0;
        apply(slot, keeps, x, arity)
    }
}

macro_rules! calls {
    ($one:ident, $two:ident, $many:ident, $float:ty) => {
        pub(crate) unsafe extern "C" fn $one(slot: *const Slot, x: $float) -> $float {
            unsafe { one(&*slot, &mut [x, 0.0], 1) }
        }
        pub(crate) unsafe extern "C" fn $two(slot: *const Slot, x: $float, y: $float) -> $float {
            unsafe { one(&*slot, &mut [x, y], 2) }
        }
        pub(crate) unsafe extern "C" fn $many(
            slot: *const Slot,
            x: *mut $float,
            y: *mut $float,
            out: *mut $float,
            mask: u64,
            n: i64,
        ) {
            unsafe { lanes(&*slot, x, y, out, mask, n) }
        }
    };
}
calls!(nw_np1_f32, nw_np2_f32, nw_npv_f32, f32);
calls!(nw_np1_f64, nw_np2_f64, nw_npv_f64, f64);
