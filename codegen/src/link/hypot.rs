//! CPython's `math.hypot` for two arguments. It is not libm's: `vector_norm` in Modules/mathmodule.c scales by a power
//! of two, sums squares in extended precision and corrects the root. The algorithm changed between versions, so
//! the versions known here are compared with samples from the running interpreter before one is used.

use std::ffi::c_void;

use nestwise_ir::Fun;

use crate::link::ufunc::register_c_function;

/// What all versions do before the sum: infinities win, then NaNs, then zero.
fn special(x: f64, y: f64) -> Result<f64, (f64, f64)> {
    let (x, y) = (x.abs(), y.abs());
    if x.is_infinite() || y.is_infinite() {
        return Ok(f64::INFINITY);
    }
    if x.is_nan() || y.is_nan() {
        return Ok(f64::NAN);
    }
    if x.max(y) == 0.0 {
        Ok(0.0)
    } else {
        Err((x, y))
    }
}

/// The power of two that brings `max` to `0.5..1`, if there is one: none above 2**1023.
fn scale(max: f64) -> Option<f64> {
    // A subnormal's exponent is that of its highest bit.
    let normal = if max < f64::MIN_POSITIVE {
        max * 2f64.powi(64)
    } else {
        max
    };
    let shift = if max < f64::MIN_POSITIVE { 64 } else { 0 };
    // Minus frexp's exponent. Infinities are gone, so it is no less than -1024, a subnormal power.
    let exponent = 1022 - (normal.to_bits() >> 52 & 0x7ff) as i64 + shift;
    match exponent {
        1024.. => None,
        -1022.. => Some(f64::from_bits(((exponent + 1023) as u64) << 52)),
        _ => Some(f64::from_bits(1 << (exponent + 1074))),
    }
}

/// The head of Veltkamp's split.
fn head(x: f64) -> f64 {
    const T27: f64 = 134_217_729.0;
    let t = x * T27;
    t - (t - x)
}

/// CPython 3.10 and 3.11: squares split by Veltkamp and Dekker, three accumulators.
extern "C" fn hypot_3_10(x: f64, y: f64) -> f64 {
    let (x, y) = match special(x, y) {
        Ok(v) => return v,
        Err(v) => v,
    };
    let max = x.max(y);
    let Some(scale) = scale(max) else {
        // The smallest: a compensated sum of quotients.
        let (mut sum, mut rest) = (1.0f64, 0.0f64);
        for v in [x, y] {
            let q = v / max;
            let q = q * q;
            let old = sum;
            sum += q;
            rest += (old - sum) + q;
        }
        return max * (sum - 1.0 + rest).sqrt();
    };
    let (mut sum, mut f1, mut f2, mut f3) = (1.0f64, 0.0f64, 0.0f64, 0.0f64);
    let mut add = |v: f64, into: &mut f64| {
        let old = sum;
        sum += v;
        *into += (old - sum) + v;
        sum
    };
    for v in [x, y] {
        let v = v * scale;
        let hi = head(v);
        let lo = v - hi;
        add(hi * hi, &mut f1);
        add(2.0 * hi * lo, &mut f2);
        f3 += lo * lo;
    }
    let total = add(0.0, &mut 0.0);
    let h = (total - 1.0 + (f1 + f2 + f3)).sqrt();
    let hi = head(h);
    let lo = h - hi;
    add(-hi * hi, &mut f1);
    add(-2.0 * hi * lo, &mut f2);
    let total = add(-lo * lo, &mut f3);
    let rest = total - 1.0 + (f1 + f2 + f3);
    (h + rest / (2.0 * h)) / scale
}

/// CPython 3.12 on: exact squares by a fused multiply-add, two accumulators.
extern "C" fn hypot_3_12(x: f64, y: f64) -> f64 {
    let (x, y) = match special(x, y) {
        Ok(v) => return v,
        Err(v) => v,
    };
    let max = x.max(y);
    if max < f64::MIN_POSITIVE {
        return f64::MIN_POSITIVE * hypot_3_12(x / f64::MIN_POSITIVE, y / f64::MIN_POSITIVE);
    }
    let Some(scale) = scale(max) else {
        return f64::NAN;
    };
    let (mut sum, mut f1, mut f2) = (1.0f64, 0.0f64, 0.0f64);
    let mut add = |a: f64, b: f64| {
        let hi = a * b;
        let old = sum;
        sum += hi;
        f1 += a.mul_add(b, -hi);
        f2 += (old - sum) + hi;
        (sum, f1 + f2)
    };
    add(x * scale, x * scale);
    let (total, rest) = add(y * scale, y * scale);
    let h = (total - 1.0 + rest).sqrt();
    let (total, rest) = add(-h, h);
    let x = total - 1.0 + rest;
    (h + x / (2.0 * h)) / scale
}

/// Registers the version of `math.hypot` that agrees with all `samples` `[x, y, math.hypot(x, y)]`; false if none
/// does, and then nests that call it are left to CPython. Some thousand random samples tell the versions apart.
pub fn register_hypot(samples: &[[f64; 3]]) -> bool {
    type Version = extern "C" fn(f64, f64) -> f64;
    let versions: [Version; 2] = [hypot_3_10, hypot_3_12];
    let agrees = |f: &Version| {
        samples.iter().all(|[x, y, r]| {
            let v = f(*x, *y);
            v.to_bits() == r.to_bits() || v.is_nan() && r.is_nan()
        })
    };
    match versions.into_iter().find(agrees) {
        // The function has the signature that the name stands for, and lives as long as the program.
        Some(f) if !samples.is_empty() => unsafe {
            register_c_function(Fun::Hypot, f as *const c_void)
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both versions are within an ulp of the exact result, on all scales.
    #[test]
    fn versions_agree_with_the_exact_result() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let unit = (seed >> 11) as f64 / (1u64 << 53) as f64;
            (unit - 0.5) * 2f64.powi((seed >> 3) as i32 % 900)
        };
        for _ in 0..10_000 {
            let x = next();
            let y = x * ((next() % 16.0) + 0.01);
            for f in [hypot_3_10, hypot_3_12] {
                let (v, exact) = (f(x, y), x.hypot(y));
                assert!(
                    (v - exact).abs() <= exact.abs() * f64::EPSILON,
                    "{x:e} {y:e}: {v:e} {exact:e}"
                );
            }
        }
        for f in [hypot_3_10, hypot_3_12] {
            assert_eq!(f(3.0, -4.0), 5.0);
            assert_eq!(f(0.0, -0.0), 0.0);
            assert_eq!(f(f64::NAN, f64::NEG_INFINITY), f64::INFINITY);
            assert!(f(f64::NAN, 1.0).is_nan());
            assert_eq!(f(3e-310, 4e-310), 5e-310);
            assert_eq!(f(1e308, 1e308), 1e308f64.hypot(1e308));
            assert_eq!(f(1.7e308, 1.7e308), f64::INFINITY);
        }
    }

    #[test]
    fn samples_choose_the_version() {
        assert!(!register_hypot(&[]));
        assert!(!register_hypot(&[[3.0, 4.0, 5.5]]));
        assert!(register_hypot(&[[3.0, 4.0, 5.0]]));
    }
}
