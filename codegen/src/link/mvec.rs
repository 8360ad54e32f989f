//! glibc's vector functions (libmvec), which `--fp faithful` and `--fp fast` may compute `math` and NumPy functions by.
//!
//! A function is called for ordinary arguments only: a range on which it was measured to keep within 4 ulps, to raise
//! no floating-point flag that NumPy looks at, and in which nothing can raise or warn. Any other argument (NaN,
//! infinities, what overflows, poles, the ends of domains) takes the function that `--fp strict` calls, so errors and
//! warnings come from the same code in all modes. `make ulps` measures; docs/results/function_errors.md has the table.
//!
//! One variant is used for a function wherever it is called, also for a single value, in a register with harmless
//! arguments beside it. Its lanes do not see each other, so a result depends on the arguments alone: not on the
//! schedule, the number of threads, or the position in a vector.

use std::ffi::{CStr, CString};
use std::sync::OnceLock;

use nestwise_ir::{FpMode, Fun, Scalar};

use crate::link::ufunc;
use crate::target::{Host, Variant};

/// A set of ordinary arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Domain {
    /// `lo <= |x| <= hi`.
    Size(f64, f64),
    /// `lo <= x <= hi`, both positive.
    Positive(f64, f64),
    /// `lo <= x <= hi`, of different signs.
    Signed(f64, f64),
}
use Domain::{Positive, Signed, Size};

/// How a vector function is to be called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// The ordinary values of each argument.
    pub(crate) domains: [Option<Domain>; 2],
    /// An ordinary value of every argument.
    pub(crate) harmless: f64,
    /// Whether `f(x)` is `x` for zeros of either sign, of which the library loses some; denormal numbers are not
    /// ordinary arguments then.
    pub(crate) keeps_zero: bool,
    /// Whether no result is beyond 1 or below -1: a result that is an ulp too large must not make `acos` fail.
    pub(crate) within_one: bool,
}

/// The rules for a function; none if it is not taken from the library.
///
/// `hypot` is not: the library's raises overflow flags for ordinary arguments on processors without AVX-512.
pub(crate) fn rules(fun: Fun, repr: Scalar) -> Option<Rules> {
    let double = match repr {
        Scalar::F64 => true,
        Scalar::F32 => false,
        _ => return None,
    };
    let of = |wide: f64, narrow: f64| if double { wide } else { narrow };
    let (least, most) = (of(1e-300, 1e-30), of(1e300, 1e30));
    // Beyond these, exponentials leave the type's range.
    let exponent = of(700.0, 80.0);
    let mut second = None;
    let first = match fun {
        Fun::Exp | Fun::Expm1 | Fun::Sinh | Fun::Cosh => Size(0.0, exponent),
        Fun::Exp2 => Size(0.0, of(1000.0, 120.0)),
        Fun::Log | Fun::Log2 | Fun::Log10 => Positive(least, most),
        Fun::Log1p => Signed(-0.9999, most),
        Fun::Sin | Fun::Cos | Fun::Tan => Size(0.0, 1e4),
        Fun::Asin | Fun::Acos => Size(0.0, 0.999_999),
        Fun::Atanh => Size(0.0, 0.9999),
        Fun::Atan => Size(0.0, of(1e150, 1e18)),
        Fun::Tanh | Fun::Erf | Fun::Cbrt => Size(0.0, most),
        Fun::Asinh => Size(0.0, of(1e15, 1e6)),
        Fun::Acosh => Positive(1.0625, of(1e15, 1e6)),
        Fun::Erfc => Signed(-most, of(26.0, 9.0)),
        Fun::Atan2 => {
            let ordinary = Size(of(1e-150, 1e-18), of(1e150, 1e18));
            second = Some(ordinary);
            ordinary
        }
        Fun::Pow => {
            // The result's exponent is at most 64 * 15, or 16 * 7.
            let base = of(64.0, 16.0);
            second = Some(Size(0.0, of(15.0, 7.0)));
            Positive((-base).exp2(), base.exp2())
        }
        _ => return None,
    };
    let odd = matches!(
        fun,
        Fun::Expm1 | Fun::Sinh | Fun::Log1p | Fun::Sin | Fun::Tan | Fun::Asin | Fun::Atanh
    );
    Some(Rules {
        domains: [Some(first), second],
        harmless: if fun == Fun::Acosh { 2.0 } else { 0.5 },
        keeps_zero: odd
            || matches!(
                fun,
                Fun::Atan | Fun::Tanh | Fun::Erf | Fun::Cbrt | Fun::Asinh
            ),
        within_one: matches!(fun, Fun::Sin | Fun::Cos | Fun::Tanh | Fun::Erf),
    })
}

/// Whether kernels compute a function of several arguments at once, by one of the library's functions.
pub fn has_vector_form(fun: Fun, repr: Scalar, fp: FpMode) -> bool {
    let called = |host: &Host| symbol(fun, repr, host.mvec).is_some();
    fp != FpMode::Strict && rules(fun, repr).is_some() && Host::get().is_ok_and(called)
}

/// The symbol of a function, if the library has it.
pub(crate) fn symbol(fun: Fun, repr: Scalar, variant: Variant) -> Option<CString> {
    let letter = match variant {
        Variant::B => 'b',
        Variant::D => 'd',
        Variant::E => 'e',
    };
    let name = ufunc::fun_name(fun)?;
    let arguments = "v".repeat(ufunc::arity(fun));
    let suffix = if repr == Scalar::F32 { "f" } else { "" };
    let width = variant.width(repr);
    let symbol = CString::new(format!("_ZGV{letter}N{width}{arguments}_{name}{suffix}")).ok()?;
    find(&symbol).map(|_| symbol)
}

/// The address of a symbol of the library that generated code may call.
pub(crate) fn address(symbol: &str) -> Option<usize> {
    let (_, name) = symbol.strip_prefix("_ZGV")?.split_once("v_")?;
    let known = |name: &str| ufunc::is_fun_name(name);
    if !known(name) && !name.strip_suffix('f').is_some_and(known) {
        return None;
    }
    find(&CString::new(symbol).ok()?)
}

fn find(symbol: &CStr) -> Option<usize> {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let library = *LIBRARY.get_or_init(|| {
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
        // SAFETY: the C library's own; its initialisation does nothing that depends on when it runs.
        (unsafe { libc::dlopen(c"libmvec.so.1".as_ptr(), flags) }) as usize
    });
    if library == 0 {
        return None;
    }
    // SAFETY: a handle that is never closed, a string that ends in zero.
    let found = unsafe { libc::dlsym(library as *mut libc::c_void, symbol.as_ptr()) };
    Some(found as usize).filter(|a| *a != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_librarys_functions_have_an_address() {
        assert!(address("_ZGVbN2v_system").is_none());
        assert!(address("exp").is_none());
        if find(c"_ZGVbN2v_exp").is_some() {
            assert!(address("_ZGVbN2v_exp").is_some());
            assert!(address("_ZGVbN4vv_powf").is_some());
            assert!(symbol(Fun::Exp, Scalar::F64, Variant::E).is_some());
            assert!(symbol(Fun::Exp, Scalar::F32, Variant::D).is_some());
        }
    }

    #[test]
    fn what_is_harmless_is_ordinary() {
        for fun in ufunc::all_funs() {
            for repr in [Scalar::F64, Scalar::F32] {
                let Some(rules) = rules(fun, repr) else {
                    continue;
                };
                for domain in rules.domains.into_iter().flatten() {
                    let (lo, hi) = match domain {
                        Size(lo, hi) | Positive(lo, hi) | Signed(lo, hi) => (lo, hi),
                    };
                    assert!(lo <= rules.harmless && rules.harmless <= hi, "{fun:?}");
                }
            }
        }
    }
}
