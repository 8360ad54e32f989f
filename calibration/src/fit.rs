//! Fits weights to measured times.

use nalgebra::{DMatrix, DVector};

use crate::nnls;
use crate::robust::quantile;

/// How much an assumption counts beside a measurement: kinds that probes hardly tell apart divide their common time in
/// the usual proportion.
const BELIEF: f64 = 0.03;
/// The number of usual errors by which a measurement has to be off to count a quarter in the next round (as the Cauchy
/// distribution would have it): what disturbed one measurement shall not bend the others.
const FAR: f64 = 2.0;
/// The relative error below which predictions are as good as any, where the model is exact.
const LEAST_ERROR: f64 = 0.003;
/// `FIRST_ERROR`: what counts as the usual error in the first round, at least; `NARROWER`: the factor of that for each
/// further round.
const FIRST_ERROR: f64 = 0.5;
const NARROWER: f64 = 0.65;
/// The least share of its usual value that a weight has: nothing is free.
const LEAST: f64 = 0.1;
/// The number of fits, each of which weighs the measurements by what the one before says of them.
const ROUNDS: i32 = 14;

/// Weights, and how well they explain the measurements that they were made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The weight of each column.
    pub weights: Vec<f64>,
    /// How far each prediction is off, as a share of the measurement: above 0 where it is too long.
    pub residuals: Vec<f64>,
}

/// Errors of predictions, as shares of what was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Half of the predictions are off by less.
    pub median: f64,
    /// Nine of ten predictions are off by less.
    pub p90: f64,
}

impl Held {
    /// The errors of predictions whose relative errors, with signs, are `residuals`.
    pub fn of(residuals: &[f64]) -> Held {
        let sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
        Held {
            median: quantile(&sizes, 0.5),
            p90: quantile(&sizes, 0.9),
        }
    }
}

/// How far each prediction is off, as a share of the measurement: above 0 where it is too long.
pub fn residuals(rows: &[Vec<f64>], measured: &[f64], weights: &[f64]) -> Vec<f64> {
    let said = |row: &Vec<f64>| row.iter().zip(weights).map(|(n, w)| n * w).sum::<f64>();
    let pairs = rows.iter().zip(measured);
    pairs.map(|(row, t)| said(row) / t - 1.0).collect()
}

/// Finds the weights, none negative, that explain the times `measured`, such that relative errors are small; each of
/// `rows` says how often each kind happens in one measurement. `usual` has a weight for each kind on some other
/// machine: its proportions decide where measurements do not. None if the numbers make no sense: rows of different
/// length, times that are not above 0.
pub fn fit(rows: &[Vec<f64>], measured: &[f64], usual: &[f64]) -> Option<Fit> {
    fit_with(rows, measured, usual, BELIEF, Errors::Disturbed)
}

/// Why weights do not explain what was measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Errors {
    /// Something disturbed a few measurements, which are to be left out.
    Disturbed,
    /// The model is only so exact, by this relative error: no measurement is to be left out, none to bend the others,
    /// and half as long is as wrong as twice as long.
    Model(f64),
}

/// [`fit`], where assumptions count as much as `belief`, for one kind of errors.
pub(crate) fn fit_with(
    rows: &[Vec<f64>],
    measured: &[f64],
    usual: &[f64],
    belief: f64,
    errors: Errors,
) -> Option<Fit> {
    let least_error = match errors {
        Errors::Disturbed => LEAST_ERROR,
        Errors::Model(error) => error,
    };
    let kinds = usual.len();
    let sensible = |row: &Vec<f64>| row.len() == kinds && row.iter().all(|v| v.is_finite());
    let times = measured.iter().all(|t| t.is_finite() && *t > 0.0);
    let known = usual.iter().all(|u| u.is_finite() && *u >= 0.0);
    if rows.len() != measured.len() || rows.is_empty() || !times || !known {
        return None;
    }
    if !rows.iter().all(sensible) {
        return None;
    }
    let pace = pace(rows, measured, usual);
    let prior: Vec<f64> = usual.iter().map(|u| (u * pace).max(1e-3)).collect();
    let mut trust = vec![1.0; rows.len()];
    let mut units = vec![1.0; rows.len()];
    let mut weights = prior.clone();
    for round in 0..ROUNDS {
        let each = trust.iter().zip(&units).map(|(t, u)| t / u);
        let each: Vec<f64> = each.collect();
        weights = solve(rows, measured, &each, &prior, belief)?;
        let off = residuals(rows, measured, &weights);
        let usual = FAR * Held::of(&off).median.max(least_error);
        // Narrower by and by: at first an outlier has bent what its kind is thought to cost.
        let usual = usual.max(FIRST_ERROR * NARROWER.powi(round));
        match errors {
            Errors::Disturbed => {
                for (trust, off) in trust.iter_mut().zip(off) {
                    *trust = 1.0 / (1.0 + (off / usual).powi(2));
                }
            }
            Errors::Model(_) => {
                for ((trust, off), unit) in trust.iter_mut().zip(off).zip(&mut units) {
                    let ratio = (1.0 + off).clamp(0.1, 10.0).sqrt();
                    *unit = ratio;
                    *trust = 1.0 / (1.0 + (off / ratio).abs() / usual).sqrt();
                }
            }
        }
    }
    Some(Fit {
        residuals: residuals(rows, measured, &weights),
        weights,
    })
}

/// How many times as slow as the usual machine this one is.
fn pace(rows: &[Vec<f64>], measured: &[f64], usual: &[f64]) -> f64 {
    let off = residuals(rows, measured, usual);
    let ratios: Vec<f64> = off.iter().map(|r| 1.0 / (r + 1.0).max(1e-6)).collect();
    quantile(&ratios, 0.5).clamp(1e-3, 1e3)
}

/// Solves the equations: a row for each measurement, divided by what was measured, and a row for each kind that says
/// its weight is as usual.
fn solve(
    rows: &[Vec<f64>],
    measured: &[f64],
    trust: &[f64],
    prior: &[f64],
    belief: f64,
) -> Option<Vec<f64>> {
    let kinds = prior.len();
    let count = rows.len();
    // Unknowns are multiples of what is usual, so that all are about 1.
    let a = DMatrix::from_fn(count + kinds, kinds, |i, j| match rows.get(i) {
        Some(row) => trust[i] * row[j] * prior[j] / measured[i],
        None if i - count == j => belief,
        None => 0.0,
    });
    let b = DVector::from_fn(count + kinds, |i, _| {
        trust.get(i).copied().unwrap_or(belief)
    });
    let x = nnls::solve(&a, &b)?;
    Some(x.iter().zip(prior).map(|(x, p)| x.max(LEAST) * p).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    /// Counts of eight kinds in forty probes: each has much of one kind, a little of some others.
    fn probes(seed: u64) -> Vec<Vec<f64>> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let cell = |main: bool, r: f64| match (main, r) {
            (true, r) => 500.0 + 1000.0 * r,
            (false, r) if r < 0.4 => 0.0,
            (false, r) => 4.0 * r,
        };
        let row = |i: usize, next: &mut dyn FnMut() -> f64| {
            (0..8).map(|j| cell(i % 8 == j, next())).collect()
        };
        (0..40).map(|i| row(i, &mut next)).collect()
    }

    const TRUE: [f64; 8] = [2.0, 20.0, 35.0, 90.0, 5.0, 300.0, 60.0, 12.0];

    fn times(rows: &[Vec<f64>]) -> Vec<f64> {
        let dot = |row: &Vec<f64>| row.iter().zip(TRUE).map(|(n, w)| n * w).sum();
        rows.iter().map(dot).collect()
    }

    /// The weights of another machine, which is half as fast, and differs from kind to kind.
    fn usual() -> Vec<f64> {
        let odd = [1.3, 0.8, 1.0, 1.2, 0.7, 1.0, 1.1, 0.9];
        TRUE.iter().zip(odd).map(|(w, o)| w * o / 2.0).collect()
    }

    proptest! {
        #![proptest_config(Config { cases: 60, rng_seed: RngSeed::Fixed(7), ..Config::default() })]
        /// 1 % of noise and one measurement in twenty far off.
        #[test]
        fn weights_are_found_in_noise(
            seed in 1u64..1_000_000,
            noise in prop::collection::vec(-0.017..0.017f64, 40),
            outliers in prop::collection::hash_set(0usize..40, 2),
            factor in 1.5..4.0f64,
        ) {
            let rows = probes(seed);
            let mut measured = times(&rows);
            for (t, e) in measured.iter_mut().zip(&noise) {
                *t *= 1.0 + e;
            }
            outliers.iter().for_each(|i| measured[*i] *= factor);
            let fit = fit(&rows, &measured, &usual()).unwrap();
            for (found, wanted) in fit.weights.iter().zip(TRUE) {
                prop_assert!((found / wanted - 1.0).abs() < 0.05, "{found} for {wanted}");
            }
        }
    }

    #[test]
    fn a_kind_that_no_probe_has_is_scaled_like_the_others() {
        let mut rows = probes(3);
        let measured: Vec<f64> = times(&rows).iter().map(|t| t * 3.0).collect();
        rows.iter_mut().for_each(|row| row.push(0.0));
        let mut usual = TRUE.to_vec();
        usual.push(40.0);
        let fit = fit(&rows, &measured, &usual).unwrap();
        assert!(
            (fit.weights[8] / 120.0 - 1.0).abs() < 0.05,
            "{:?}",
            fit.weights
        );
    }

    #[test]
    fn kinds_that_always_happen_together_share_as_usual() {
        let rows: Vec<Vec<f64>> = (1..9).map(|k| vec![f64::from(k), f64::from(k)]).collect();
        let measured: Vec<f64> = (1..9).map(|k| 30.0 * f64::from(k)).collect();
        let fit = fit(&rows, &measured, &[10.0, 5.0]).unwrap();
        assert!((fit.weights[0] - 20.0).abs() < 0.2 && (fit.weights[1] - 10.0).abs() < 0.2);
        assert!(Held::of(&fit.residuals).p90 < 0.01);
    }

    #[test]
    fn nonsense_has_no_fit() {
        let rows = vec![vec![1.0], vec![2.0]];
        assert!(fit(&rows, &[1.0, 2.0], &[1.0]).is_some());
        assert!(fit(&rows, &[1.0], &[1.0]).is_none());
        assert!(fit(&rows, &[1.0, 0.0], &[1.0]).is_none());
        assert!(fit(&rows, &[1.0, f64::NAN], &[1.0]).is_none());
        assert!(fit(&[vec![1.0], vec![]], &[1.0, 2.0], &[1.0]).is_none());
        assert!(fit(&[], &[], &[1.0]).is_none());
    }
}
