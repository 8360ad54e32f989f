//! One number for many measurements of the same thing, on a machine that does other things meanwhile.

/// Measurements this many times as far from the median as most are outliers.
const FAR: f64 = 5.0;
/// The standard deviation of a normal distribution, in units of its median distance from the median.
const MAD_TO_SIGMA: f64 = 1.4826;
/// The scatter of the median of many samples of a normal distribution, in units of the scatter of their mean.
const MEDIAN_TO_MEAN: f64 = 1.2533;

/// The median of several measurements of the same thing, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median of the measurements that are no outliers.
    pub median: f64,
    /// The standard error of that median.
    pub error: f64,
    /// The number of measurements that are no outliers.
    pub kept: usize,
}

/// The median of `samples`, outliers left out, and how sure it is. None without a sample, or with one that is not a
/// number.
pub fn summary(samples: &[f64]) -> Option<Summary> {
    if samples.is_empty() || samples.iter().any(|s| !s.is_finite()) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = median(&sorted);
    let spread = scatter(&sorted, middle);
    let near = |s: &f64| spread == 0.0 || (s - middle).abs() <= FAR * spread;
    let kept: Vec<f64> = sorted.iter().copied().filter(near).collect();
    let median = median(&kept);
    let sigma = MAD_TO_SIGMA * scatter(&kept, median);
    Some(Summary {
        median,
        error: MEDIAN_TO_MEAN * sigma / (kept.len() as f64).sqrt(),
        kept: kept.len(),
    })
}

/// The median of numbers that are sorted already; panics if there are none.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        (sorted[half - 1] + sorted[half]) / 2.0
    }
}

/// The median distance of `samples` from `middle`.
fn scatter(samples: &[f64], middle: f64) -> f64 {
    let mut distances: Vec<f64> = samples.iter().map(|s| (s - middle).abs()).collect();
    distances.sort_by(f64::total_cmp);
    median(&distances)
}

/// The value that `share` of the values do not exceed; 0 without any.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * (sorted.len().max(1) - 1) as f64).round() as usize;
    sorted.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_count() {
        let mut samples: Vec<f64> = (0..40).map(|k| 10.0 + 0.01 * f64::from(k % 5)).collect();
        let clean = summary(&samples).unwrap();
        samples.extend([50.0, 900.0]);
        let found = summary(&samples).unwrap();
        assert_eq!(found.kept, 40);
        assert_eq!(found.median, clean.median);
    }

    #[test]
    fn more_samples_are_surer() {
        let samples = |n: u32| {
            (0..n)
                .map(|k| f64::from(k * 7919 % 101))
                .collect::<Vec<_>>()
        };
        let (few, many) = (
            summary(&samples(10)).unwrap(),
            summary(&samples(1000)).unwrap(),
        );
        assert!(many.error < few.error / 3.0);
    }

    #[test]
    fn numbers_that_are_none_have_no_summary() {
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[1.0, f64::NAN]), None);
        let one = summary(&[3.0]).unwrap();
        assert_eq!((one.median, one.error, one.kept), (3.0, 0.0, 1));
    }

    #[test]
    fn quantiles() {
        let values: Vec<f64> = (0..=10).rev().map(f64::from).collect();
        assert_eq!(quantile(&values, 0.5), 5.0);
        assert_eq!(quantile(&values, 0.9), 9.0);
        assert_eq!(quantile(&[], 0.9), 0.0);
    }
}
