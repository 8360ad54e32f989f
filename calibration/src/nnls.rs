//! Least squares with non-negative coefficients.

use nalgebra::{DMatrix, DVector};

/// Minimises `|a x - b|` over `x >= 0`: the active-set method of Lawson and Hanson (Solving Least Squares Problems,
/// 1974, chapter 23). `a` has a row per measurement and a column per coefficient; linearly dependent columns divide
/// their common part in some way. None if the numbers are not finite.
pub fn solve(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    if a.nrows() != b.len() || !a.iter().chain(b.iter()).all(|v| v.is_finite()) {
        return None;
    }
    let n = a.ncols();
    // Columns of one length: coefficients of very different size are told apart by their own scale.
    let scale: Vec<f64> = a.column_iter().map(|c| c.norm()).collect();
    let mut scaled = a.clone();
    for (mut column, s) in scaled.column_iter_mut().zip(&scale) {
        if *s > 0.0 {
            column /= *s;
        }
    }
    // Where most coefficients are positive in the end, they had better all be at the beginning.
    let mut passive: Vec<bool> = scale.iter().map(|s| *s > 0.0).collect();
    let some = (b.norm() / (n.max(1) as f64).sqrt()).max(f64::MIN_POSITIVE);
    let mut x = DVector::from_iterator(n, passive.iter().map(|p| if *p { some } else { 0.0 }));
    if passive.contains(&true) {
        settle(&scaled, b, &mut passive, &mut x)?;
    }
    let enough = 1e-12 * b.norm().max(f64::MIN_POSITIVE);
    // Each coefficient enters and leaves a few times at most; the bound is for numbers that go in circles.
    for _ in 0..10 * n.max(1) {
        let gradient = scaled.transpose() * (b - &scaled * &x);
        let candidate = (0..n)
            .filter(|i| !passive[*i] && scale[*i] > 0.0 && gradient[*i] > enough)
            .max_by(|i, j| gradient[*i].total_cmp(&gradient[*j]));
        let Some(entering) = candidate else { break };
        passive[entering] = true;
        settle(&scaled, b, &mut passive, &mut x)?;
    }
    for (v, s) in x.iter_mut().zip(&scale) {
        if *s > 0.0 {
            *v /= *s;
        }
    }
    Some(x)
}

/// Moves to the least-squares solution of the passive coefficients, dropping those that would become negative.
fn settle(
    a: &DMatrix<f64>,
    b: &DVector<f64>,
    passive: &mut [bool],
    x: &mut DVector<f64>,
) -> Option<()> {
    loop {
        let chosen: Vec<usize> = (0..passive.len()).filter(|i| passive[*i]).collect();
        if chosen.is_empty() {
            x.fill(0.0);
            return Some(());
        }
        let part = a.select_columns(&chosen);
        let solution = part.svd(true, true).solve(b, 1e-10).ok()?;
        let blocking = chosen
            .iter()
            .zip(solution.iter())
            .filter(|(_, s)| **s <= 0.0)
            .map(|(i, s)| (x[*i] / (x[*i] - s).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0))
            .min_by(f64::total_cmp);
        let Some(step) = blocking else {
            x.fill(0.0);
            for (i, s) in chosen.iter().zip(solution.iter()) {
                x[*i] = *s;
            }
            return Some(());
        };
        for (i, s) in chosen.iter().zip(solution.iter()) {
            x[*i] += step * (s - x[*i]);
            if x[*i] <= 1e-15 {
                x[*i] = 0.0;
                passive[*i] = false;
            }
        }
        if chosen.iter().all(|i| passive[*i]) {
            // Rounding kept all of them: the smallest goes.
            let least = chosen.iter().min_by(|i, j| x[**i].total_cmp(&x[**j]))?;
            passive[*least] = false;
            x[*least] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn residual(a: &DMatrix<f64>, b: &DVector<f64>, x: &DVector<f64>) -> f64 {
        (a * x - b).norm()
    }

    #[test]
    fn coefficients_that_made_the_numbers_are_found() {
        let a = DMatrix::from_row_slice(4, 2, &[1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 3.0]);
        let b = DVector::from_vec(vec![2.0, 5.0, 8.0, 11.0]);
        let x = solve(&a, &b).unwrap();
        assert!((x[0] - 2.0).abs() < 1e-9 && (x[1] - 3.0).abs() < 1e-9);
    }

    #[test]
    fn what_would_be_negative_is_zero() {
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 1.0, 1.0, 2.0, 1.0, 3.0]);
        let b = DVector::from_vec(vec![3.0, 2.0, 1.0]);
        let x = solve(&a, &b).unwrap();
        assert!((x[0] - 2.0).abs() < 1e-9 && x[1] == 0.0);
    }

    #[test]
    fn where_nothing_helps_all_are_zero() {
        let a = DMatrix::from_row_slice(3, 2, &[1.0, 1.0, 1.0, 2.0, 1.0, 3.0]);
        for b in [vec![0.0; 3], vec![-3.0, -2.0, -1.0]] {
            let x = solve(&a, &DVector::from_vec(b)).unwrap();
            assert_eq!((x[0], x[1]), (0.0, 0.0));
        }
    }

    #[test]
    fn numbers_that_are_none_have_no_solution() {
        let a = DMatrix::from_element(2, 1, 1.0);
        assert!(solve(&a, &DVector::from_vec(vec![f64::NAN, 1.0])).is_none());
        assert!(solve(&a, &DVector::from_vec(vec![1.0])).is_none());
    }

    proptest! {
        /// The conditions of Karush, Kuhn and Tucker: no coefficient is negative, and no small change that keeps it so
        /// is better.
        #[test]
        fn no_neighbour_is_better(
            cells in prop::collection::vec(0.0..4.0f64, 24),
            b in prop::collection::vec(-2.0..9.0f64, 8),
        ) {
            let a = DMatrix::from_row_slice(8, 3, &cells);
            let b = DVector::from_vec(b);
            let x = solve(&a, &b).unwrap();
            prop_assert!(x.iter().all(|v| *v >= 0.0));
            let here = residual(&a, &b, &x);
            for i in 0..3 {
                for step in [1e-4, -1e-4] {
                    let mut y = x.clone();
                    y[i] = (y[i] + step).max(0.0);
                    prop_assert!(residual(&a, &b, &y) >= here - 1e-9);
                }
            }
        }
    }
}
