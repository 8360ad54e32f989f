//! What generated code calls: libm, libmvec, 128-bit arithmetic, integer powers, NumPy's ufunc loops, the thread pool.
//! [`address`] is the whole list of symbols that a kernel's object file may name.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use nestwise_ir::machine_shape::HOST_CALL;

use crate::abi::{Body, Launch, Order, Parallel, PartsFree};
use crate::link::numpy::{flat, folds, products};
use crate::link::{host, interrupts, merge, mvec, save, ufunc};

#[link(name = "m")]
unsafe extern "C" {
    safe fn floor(x: f64) -> f64;
    safe fn floorf(x: f32) -> f32;
    safe fn ceil(x: f64) -> f64;
    safe fn ceilf(x: f32) -> f32;
    safe fn trunc(x: f64) -> f64;
    safe fn truncf(x: f32) -> f32;
    safe fn rint(x: f64) -> f64;
    safe fn rintf(x: f32) -> f32;
    safe fn fma(x: f64, y: f64, z: f64) -> f64;
    safe fn fmaf(x: f32, y: f32, z: f32) -> f32;
}

/// The functions of libm that kernels call.
const LIBM: [&CStr; 29] = [
    c"exp", c"exp2", c"expm1", c"log", c"log2", c"log10", c"log1p", c"sin", c"cos", c"tan",
    c"asin", c"acos", c"atan", c"sinh", c"cosh", c"tanh", c"asinh", c"acosh", c"atanh", c"cbrt",
    c"erf", c"erfc", c"atan2", c"hypot", c"hypotf", c"fmod", c"fmodf", c"pow", c"powf",
];

/// The address of libm's function, in the library of this process that CPython's `math` calls. Symbols that are linked
/// need not be that: Rust's own runtime has a `cbrt` (and other functions) that gives other bits.
fn libm(name: &str) -> Option<usize> {
    let name = LIBM
        .iter()
        .find(|known| known.to_bytes() == name.as_bytes())?;
    // SAFETY: looks a name up among the libraries that are loaded.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    Some(found as usize).filter(|address| *address != 0)
}

macro_rules! addresses {
    ($name:expr; $($symbol:literal => $function:path as $ty:ty,)*) => {
        match $name {
            $($symbol => Some($function as $ty as usize),)*
            _ => None,
        }
    };
}

type F1 = extern "C" fn(f64) -> f64;
type F3 = extern "C" fn(f64, f64, f64) -> f64;
type G1 = extern "C" fn(f32) -> f32;
type G3 = extern "C" fn(f32, f32, f32) -> f32;
type I2 = extern "C" fn(i128, i128) -> i128;
type U2 = extern "C" fn(u128, u128) -> u128;

/// The address of a symbol of generated code. The names of libm's functions carry a prefix, so that LLVM does not
/// take them for the functions it knows and rewrites (`pow(x, 2)` to `x * x`).
pub(crate) fn address(name: &str) -> Option<usize> {
    if let Some(rest) = name.strip_prefix("nw_ufunc_") {
        return ufunc::slot_address(rest);
    }
    if name.starts_with(HOST_CALL) {
        return Some(host::nw_host as host::HostCall as usize);
    }
    if name.starts_with("_ZGV") {
        return mvec::address(name);
    }
    math(name).or_else(|| wide(name)).or_else(|| runtime(name))
}

fn math(name: &str) -> Option<usize> {
    if let Some(cpython) = name.strip_prefix("nw_py_") {
        return ufunc::c_address(cpython);
    }
    if let Some(name) = name.strip_prefix("nw_c_") {
        return libm(name);
    }
    addresses!(name;
        // Where the target lacks the instruction.
        "floor" => floor as F1,
        "floorf" => floorf as G1,
        "ceil" => ceil as F1,
        "ceilf" => ceilf as G1,
        "trunc" => trunc as F1,
        "truncf" => truncf as G1,
        "rint" => rint as F1,
        "rintf" => rintf as G1,
        "fma" => fma as F3,
        "fmaf" => fmaf as G3,
    )
}

fn wide(name: &str) -> Option<usize> {
    addresses!(name;
        "__divti3" => divti3 as I2,
        "__modti3" => modti3 as I2,
        "__udivti3" => udivti3 as U2,
        "__umodti3" => umodti3 as U2,
        "__floattidf" => floattidf as extern "C" fn(i128) -> f64,
        "__floattisf" => floattisf as extern "C" fn(i128) -> f32,
        "__floatuntidf" => floatuntidf as extern "C" fn(u128) -> f64,
        "__floatuntisf" => floatuntisf as extern "C" fn(u128) -> f32,
        "__fixdfti" => fixdfti as extern "C" fn(f64) -> i128,
        "__fixsfti" => fixsfti as extern "C" fn(f32) -> i128,
        "__muloti4" => muloti4 as unsafe extern "C" fn(i128, i128, *mut i32) -> i128,
        "nw_ipow" => nw_ipow as unsafe extern "C" fn(*const i128, *const i128, *mut i128) -> i64,
        "nw_ipow64" => nw_ipow64 as unsafe extern "C" fn(i64, i64, *mut i64) -> i64,
    )
}

fn runtime(name: &str) -> Option<usize> {
    addresses!(name;
        "memset" => libc::memset as unsafe extern "C" fn(*mut c_void, i32, usize) -> *mut c_void,
        "memcpy" => libc::memcpy as unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void,
        "memmove" => libc::memmove as unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void,
        "nw_parallel" => nw_parallel as Parallel,
        "nw_parts_free" => nw_parts_free as PartsFree,
        "nw_grid" => nw_grid as Launch,
        "nw_touched" => nw_touched as Touched,
        "nw_ask" => interrupts::nw_ask as interrupts::Ask,
        "nw_kept" => host::nw_kept as host::KeptFor,
        "nw_barrier" => nw_barrier as Barrier,
        "nw_shuffle" => nw_shuffle as Shuffle,
        "nw_fill_copy" => merge::nw_fill_copy as unsafe extern "C" fn(i64, *mut u8, i64, i64),
        "nw_merge_copy" => merge::nw_merge_copy as unsafe extern "C" fn(i64, i64, *const u8, *const u8, i64) -> i64,
        "nw_save_copy" => save::nw_save_copy as unsafe extern "C" fn(i64, i64, i64, *const u8, i64, i64, i64, *mut u8),
        "nw_map1_f64" => nw_map1_f64 as Map1<f64>,
        "nw_map2_f64" => nw_map2_f64 as Map2<f64>,
        "nw_map1_f32" => nw_map1_f32 as Map1<f32>,
        "nw_map2_f32" => nw_map2_f32 as Map2<f32>,
        "nw_np1_f64" => ufunc::nw_np1_f64 as ufunc::Np1<f64>,
        "nw_np1_f32" => ufunc::nw_np1_f32 as ufunc::Np1<f32>,
        "nw_np2_f64" => ufunc::nw_np2_f64 as ufunc::Np2<f64>,
        "nw_np2_f32" => ufunc::nw_np2_f32 as ufunc::Np2<f32>,
        "nw_npv_f64" => ufunc::nw_npv_f64 as ufunc::NpV<f64>,
        "nw_npv_f32" => ufunc::nw_npv_f32 as ufunc::NpV<f32>,
        "nw_sum_f64" => folds::nw_sum_f64 as folds::Sum<f64>,
        "nw_sum_f32" => folds::nw_sum_f32 as folds::Sum<f32>,
        "nw_dot_f64" => folds::nw_dot_f64 as folds::Dot<f64>,
        "nw_dot_f32" => folds::nw_dot_f32 as folds::Dot<f32>,
        "nw_matmul_f64" => folds::nw_matmul_f64 as folds::Dot<f64>,
        "nw_matmul_f32" => folds::nw_matmul_f32 as folds::Dot<f32>,
        "nw_sum_flat_f64" => flat::nw_sum_flat_f64 as flat::Flat<f64>,
        "nw_sum_flat_f32" => flat::nw_sum_flat_f32 as flat::Flat<f32>,
        "nw_dot_flat_f64" => flat::nw_dot_flat_f64 as flat::Flat<f64>,
        "nw_dot_flat_f32" => flat::nw_dot_flat_f32 as flat::Flat<f32>,
        "nw_dot_each_f64" => products::dot::<f64> as products::Product,
        "nw_dot_each_f32" => products::dot::<f32> as products::Product,
        "nw_matmul_each_f64" => products::matmul::<f64> as products::Product,
        "nw_matmul_each_f32" => products::matmul::<f32> as products::Product,
    )
}

// 128-bit arithmetic under the names that LLVM emits. Divisors were tested by the caller; the guards here keep a
// kernel with a bug from unwinding through foreign frames.

extern "C" fn divti3(a: i128, b: i128) -> i128 {
    a.checked_div(b).unwrap_or(0)
}
extern "C" fn modti3(a: i128, b: i128) -> i128 {
    a.checked_rem(b).unwrap_or(0)
}
extern "C" fn udivti3(a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(0)
}
extern "C" fn umodti3(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(0)
}
extern "C" fn floattidf(a: i128) -> f64 {
    a as f64
}
extern "C" fn floattisf(a: i128) -> f32 {
    a as f32
}
extern "C" fn floatuntidf(a: u128) -> f64 {
    a as f64
}
extern "C" fn floatuntisf(a: u128) -> f32 {
    a as f32
}
extern "C" fn fixdfti(a: f64) -> i128 {
    a as i128
}
extern "C" fn fixsfti(a: f32) -> i128 {
    a as i128
}
unsafe extern "C" fn muloti4(a: i128, b: i128, overflow: *mut i32) -> i128 {
    let (r, o) = a.overflowing_mul(b);
    unsafe { *overflow = o.into() };
    r
}

/// Computes `*base ** *exponent` for exponents >= 0; returns 1 if exact, else 0 with the wrapped value.
unsafe extern "C" fn nw_ipow(base: *const i128, exponent: *const i128, out: *mut i128) -> i64 {
    let (mut b, mut e) = unsafe { (*base, *exponent) };
    let (mut r, mut exact) = (1i128, e >= 0);
    // A square that overflows matters only if it is multiplied in, which every later bit of `e` does.
    while e > 0 {
        if e & 1 == 1 {
            let (v, o) = r.overflowing_mul(b);
            r = v;
            exact &= !o;
        }
        e >>= 1;
        if e > 0 {
            let (v, o) = b.overflowing_mul(b);
            b = v;
            exact &= !o;
        }
    }
    unsafe { *out = r };
    exact.into()
}

/// Does what [`nw_ipow`] does, in 64 bits.
unsafe extern "C" fn nw_ipow64(base: i64, exponent: i64, out: *mut i64) -> i64 {
    let (mut b, mut e) = (base, exponent);
    let (mut r, mut exact) = (1i64, e >= 0);
    while e > 0 {
        if e & 1 == 1 {
            let (v, o) = r.overflowing_mul(b);
            r = v;
            exact &= !o;
        }
        e >>= 1;
        if e > 0 {
            let (v, o) = b.overflowing_mul(b);
            b = v;
            exact &= !o;
        }
    }
    unsafe { *out = r };
    exact.into()
}

// A scalar function over the active lanes of a vector that was stored to memory.

type Map1<F> = unsafe extern "C" fn(extern "C" fn(F) -> F, *const F, *mut F, u64, i64);
type Map2<F> = unsafe extern "C" fn(extern "C" fn(F, F) -> F, *const F, *const F, *mut F, u64, i64);

macro_rules! maps {
    ($one:ident, $two:ident, $float:ty) => {
        unsafe extern "C" fn $one(
            f: extern "C" fn($float) -> $float,
            x: *const $float,
            out: *mut $float,
            mask: u64,
            lanes: i64,
        ) {
            for k in 0..lanes as usize {
                if mask >> k & 1 == 1 {
                    unsafe { *out.add(k) = f(*x.add(k)) };
                }
            }
        }
        unsafe extern "C" fn $two(
            f: extern "C" fn($float, $float) -> $float,
            x: *const $float,
            y: *const $float,
            out: *mut $float,
            mask: u64,
            lanes: i64,
        ) {
            for k in 0..lanes as usize {
                if mask >> k & 1 == 1 {
                    unsafe { *out.add(k) = f(*x.add(k), *y.add(k)) };
                }
            }
        }
    };
}
maps!(nw_map1_f64, nw_map2_f64, f64);
maps!(nw_map1_f32, nw_map2_f32, f32);

// Threads.

static PARALLEL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static PARTS_FREE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the thread pool that kernels call for loops mapped to threads. Without one they run in one part.
///
/// Both functions must keep what [`Parallel`] promises, and must not unwind.
pub fn register_parallel(run: Parallel, free: PartsFree) {
    PARTS_FREE.store(free as *mut c_void, Ordering::Release);
    PARALLEL.store(run as *mut c_void, Ordering::Release);
}

static LAUNCH: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static TOUCHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// A function that is told of each access of a thread of an emulated device to an element: where, and how (the code of
/// an [`Access`](crate::abi::Access)).
pub type Touched = unsafe extern "C" fn(at: *const u8, write: i64);

/// Registers the function that is told of accesses. It must not unwind.
pub fn register_touched(touched: Touched) {
    TOUCHED.store(touched as *mut c_void, Ordering::Release);
}

unsafe extern "C" fn nw_touched(at: *const u8, write: i64) {
    let touched = TOUCHED.load(Ordering::Acquire);
    if !touched.is_null() {
        let touched: Touched = unsafe { std::mem::transmute(touched) };
        unsafe { touched(at, write) };
    }
}

/// A function that has a thread of an emulated device wait for the others of its block or, if `all` is not 0, for all
/// of the grid.
pub type Barrier = unsafe extern "C" fn(all: i64);

static BARRIER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the function by which threads wait; without one, blocks are of one thread. It must not unwind.
pub fn register_barrier(barrier: Barrier) {
    BARRIER.store(barrier as *mut c_void, Ordering::Release);
}

unsafe extern "C" fn nw_barrier(all: i64) {
    let barrier = BARRIER.load(Ordering::Acquire);
    if !barrier.is_null() {
        let barrier: Barrier = unsafe { std::mem::transmute(barrier) };
        unsafe { barrier(all) };
    }
}

/// A function that gives a thread of an emulated device the word which the thread `distance` places behind it in its
/// warp has given, or the warp's first thread, where `distance` is below zero.
pub type Shuffle = unsafe extern "C" fn(word: i64, distance: i64) -> i64;

static SHUFFLE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the function by which threads exchange words; without one, warps are of one thread. It must not unwind.
pub fn register_shuffle(shuffle: Shuffle) {
    SHUFFLE.store(shuffle as *mut c_void, Ordering::Release);
}

unsafe extern "C" fn nw_shuffle(word: i64, distance: i64) -> i64 {
    let shuffle = SHUFFLE.load(Ordering::Acquire);
    if shuffle.is_null() {
        return word;
    }
    let shuffle: Shuffle = unsafe { std::mem::transmute(shuffle) };
    unsafe { shuffle(word, distance) }
}

/// Registers the function that launches kernels of devices; without one, launches fail. It must not unwind.
pub fn register_launch(launch: Launch) {
    LAUNCH.store(launch as *mut c_void, Ordering::Release);
}

unsafe extern "C" fn nw_grid(user: *mut u8, order: *mut Order) -> i64 {
    let launch = LAUNCH.load(Ordering::Acquire);
    if launch.is_null() {
        return 1;
    }
    let launch: Launch = unsafe { std::mem::transmute(launch) };
    unsafe { launch(user, order) }
}

/// Bytes on which records start: their memory is counted in these.
const CELL: usize = 16;

#[allow(clippy::too_many_arguments)] // the kernel ABI's
unsafe extern "C" fn nw_parallel(
    body: Body,
    env: *mut u8,
    lo: i64,
    hi: i64,
    part_size: i64,
    parts: *mut *mut u8,
    copies: i64,
    keep: i64,
    save: Option<Body>,
    grain: i64,
    id: i64,
) -> i64 {
    let run = PARALLEL.load(Ordering::Acquire);
    if !run.is_null() {
        let run: Parallel = unsafe { std::mem::transmute(run) };
        return unsafe {
            run(
                body, env, lo, hi, part_size, parts, copies, keep, save, grain, id,
            )
        };
    }
    let cells = (part_size.max(0) as usize).div_ceil(CELL);
    let record = Box::into_raw(vec![0u128; cells].into_boxed_slice()).cast::<u8>();
    unsafe {
        *parts = record;
        body(env, lo, hi, record);
    }
    1
}

unsafe extern "C" fn nw_parts_free(parts: *mut u8, count: i64, part_size: i64) {
    let free = PARTS_FREE.load(Ordering::Acquire);
    if !free.is_null() {
        let free: PartsFree = unsafe { std::mem::transmute(free) };
        return unsafe { free(parts, count, part_size) };
    }
    let cells = (part_size.max(0) as usize).div_ceil(CELL) * count.max(0) as usize;
    let records = std::ptr::slice_from_raw_parts_mut(parts.cast::<u128>(), cells);
    drop(unsafe { Box::from_raw(records) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_powers_are_exact_or_say_so() {
        let p = |b: i64, e: i64| {
            let mut r = 0;
            (unsafe { nw_ipow64(b, e, &mut r) } == 1).then_some(r)
        };
        assert_eq!(p(3, 4), Some(81));
        assert_eq!(p(-2, 63), Some(i64::MIN));
        assert_eq!(p(2, 63), None);
        assert_eq!(p(2, 62), Some(1 << 62));
        assert_eq!(p(7, 0), Some(1));
        assert_eq!(p(0, 0), Some(1));
        assert_eq!(p(1, i64::MAX), Some(1));
        assert_eq!(p(-1, i64::MAX), Some(-1));
        assert_eq!(p(2, -1), None);
        for b in -12i64..=12 {
            for e in 0..70u32 {
                assert_eq!(p(b, e.into()), b.checked_pow(e), "{b} ** {e}");
            }
        }
    }

    #[test]
    fn unknown_symbols_have_no_address() {
        for name in LIBM {
            let name = name.to_str().unwrap();
            assert!(address(&format!("nw_c_{name}")).is_some(), "{name}");
        }
        assert!(address("system").is_none());
        assert!(address("nw_ufunc_exp_f64").is_some());
        assert!(address("nw_ufunc_exp_f16").is_none());
    }
}
