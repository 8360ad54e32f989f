//! Weights of compiled code, from kernels of which it is known what they executed.
//!
//! The model mostly counts the busiest of several resources, so which weights a measurement tells about depends on the
//! weights themselves. They are found by iteration: with the weights so far, each loop's time is split among its
//! resources, which makes the problem linear; then weights are fitted to that, and so on for [`TURNS`] turns.

use std::ops::Range;

use nestwise_analysis::traffic::Order;
use nestwise_costmodel::HostWeights;
use nestwise_costmodel::estimate::host::waits;
use nestwise_costmodel::estimate::resources::{Forms, SHARPNESS, occupied, together, weigh};
use nestwise_costmodel::profile::host::LEVELS;
use nestwise_ir::machine_shape::Body;
use serde::Deserialize;

use crate::fit::{Errors, fit_with};

/// How much the usual value of a weight counts beside a measurement: operations share resources, so that few
/// measurements tell about one kind alone.
const BELIEF: f64 = 0.2;

/// The relative error below which predictions are as good as any: a core is more than a few resources.
const LEAST_ERROR: f64 = 0.1;

/// The number of turns of splitting times among resources and fitting weights.
const TURNS: usize = 24;

/// What a kernel executed in a call: its loops (executions, entries, whether threads share them, one execution), and
/// the lines of memory that it fetched into each cache, with the order in which they follow each other.
#[derive(Clone, Debug, Deserialize)]
pub struct Executed(Vec<(f64, f64, bool, Body)>, Vec<([f64; LEVELS], Order)>);

impl Executed {
    /// Reads what a report says that a kernel executed; none if it is malformed.
    pub fn parse(text: &str) -> Option<Executed> {
        serde_json::from_str(text).ok()
    }

    /// The names of the functions that the kernel calls.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .flat_map(|r| r.3.calls.iter().map(|c| c.0.as_str()))
    }

    /// How often each weight counts in the kernel's time, where `values` tell which resource is the busiest.
    fn row(&self, weights: &HostWeights, values: &[f64]) -> Vec<f64> {
        let mut row = vec![0.0; values.len()];
        let mut count = |form: &[(usize, f64)]| form.iter().for_each(|(w, n)| row[*w] += n);
        let forms: Vec<Forms> = self.0.iter().map(|r| Forms::of(&r.3, weights)).collect();
        let (near, far) = (self.fetching(0..1), self.fetching(1..LEVELS));
        // Lines belong to the loop that loads and stores most.
        let moved = |f: &Forms| weigh(&f.loads, values) + weigh(&f.stores, values);
        let loads = |k: &usize| moved(&forms[*k]) * self.0[*k].0;
        let home = (0..forms.len()).max_by(|a, b| loads(a).total_cmp(&loads(b)));
        let (entry, once) = Forms::entry();
        let mut core = Vec::new();
        for (k, (f, (times, entries, _, body))) in forms.iter().zip(&self.0).enumerate() {
            let scaled = |form: &[(usize, f64)], by: f64| -> Vec<(usize, f64)> {
                form.iter().map(|(w, n)| (*w, n * by)).collect()
            };
            let share = waits(occupied(body), *times, *entries);
            let lines = if home == Some(k) {
                near.clone()
            } else {
                Vec::new()
            };
            let units = f.units.iter().map(|unit| scaled(unit, *times));
            core.extend(busiest(
                units.chain([scaled(&f.issue, *times)]).collect(),
                [scaled(&f.loads, *times), scaled(&f.stores, *times), lines],
                [scaled(&f.chain, times * share), scaled(&f.path, *times)],
                weights.overlap,
                values,
            ));
            count(&scaled(&f.extra, *times));
            count(&[(entry, once * entries)]);
        }
        match weigh(&far, values) > weigh(&core, values) {
            true => count(&far),
            false => count(&core),
        }
        row
    }

    /// The lines that come to these cache levels: indices of weights, and counts.
    fn fetching(&self, levels: Range<usize>) -> Vec<(usize, f64)> {
        let of = |(lines, order): &([f64; LEVELS], Order)| {
            let order = *order;
            let each = levels.clone().map(|level| (level, lines[level]));
            each.map(|(level, n)| (Forms::line(level, order), n))
                .collect::<Vec<_>>()
        };
        self.1.iter().flat_map(of).collect()
    }
}

type Form = Vec<(usize, f64)>;

/// The form whose value is a loop's time: what the loop waits for, or what it is busy with, each as much as it weighs
/// there (the derivative of [`together`], which is homogeneous).
fn busiest(
    units: Vec<Form>,
    [loads, stores, lines]: [Form; 3],
    waits: [Form; 2],
    overlap: bool,
    values: &[f64],
) -> Form {
    let of = |form: &Form| weigh(form, values);
    let memory = together(&[of(&loads), of(&stores)]);
    let beside = if overlap { 0.0 } else { of(&lines) };
    let apart = if overlap { of(&lines) } else { 0.0 };
    let mut needs: Vec<f64> = units.iter().map(of).collect();
    needs.extend([memory + beside, apart]);
    let all = together(&needs);
    let longest = waits.into_iter().max_by(|a, b| of(a).total_cmp(&of(b)));
    if let Some(longest) = longest.filter(|form| of(form) > all) {
        return longest;
    }
    let share = |part: f64, of: f64| match of > 0.0 {
        true => (part / of).powi(SHARPNESS - 1),
        false => 0.0,
    };
    let moved = share(memory + beside, all);
    let fetched = if overlap { share(apart, all) } else { moved };
    let parts = [
        (moved * share(of(&loads), memory), loads),
        (moved * share(of(&stores), memory), stores),
        (fetched, lines),
    ];
    let scaled = |(by, form): (f64, Form)| form.into_iter().map(move |(w, n)| (w, n * by));
    let units = units.into_iter().map(|unit| (share(of(&unit), all), unit));
    units.chain(parts).flat_map(scaled).collect()
}

/// The weights that explain the `nanos` nanoseconds that each of the kernels took; whether fetching lines overlaps with
/// loads and stores is what explains them better. None if the numbers make no sense.
pub fn fit(executed: &[Executed], nanos: &[f64], usual: &HostWeights) -> Option<HostWeights> {
    let each = [false, true].map(|overlap| {
        let usual = HostWeights {
            overlap,
            ..usual.clone()
        };
        let found = fit_one(executed, nanos, &usual)?;
        let off = residuals(executed, nanos, &found);
        let square = |r: &f64| (1.0 + r).max(1e-3).ln().powi(2);
        Some((off.iter().map(square).sum::<f64>(), found))
    });
    let best = each
        .into_iter()
        .flatten()
        .min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, found)| found)
}

fn fit_one(executed: &[Executed], nanos: &[f64], usual: &HostWeights) -> Option<HostWeights> {
    let prior = usual.to_vec();
    let mut values = prior.clone();
    for _ in 0..TURNS {
        let rows: Vec<Vec<f64>> = executed.iter().map(|e| e.row(usual, &values)).collect();
        let found = fit_with(&rows, nanos, &prior, BELIEF, Errors::Model(LEAST_ERROR))?;
        // Half the way: the busiest resource changes with what is found.
        let half = |(a, b): (&f64, &f64)| (a.max(1e-6) * b.max(1e-6)).sqrt();
        values = values.iter().zip(&found.weights).map(half).collect();
    }
    Some(usual.with(&values))
}

/// How far each prediction is off, as a share of what was measured: above 0 where it is too long.
pub fn residuals(executed: &[Executed], nanos: &[f64], weights: &HostWeights) -> Vec<f64> {
    let values = weights.to_vec();
    let said = |e: &Executed| weigh_row(&e.row(weights, &values), &values);
    executed
        .iter()
        .zip(nanos)
        .map(|(e, t)| said(e) / t - 1.0)
        .collect()
}

fn weigh_row(row: &[f64], values: &[f64]) -> f64 {
    row.iter().zip(values).map(|(n, v)| n * v).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestwise_ir::machine_shape::Op;
    use nestwise_ir::machine_shape::Width;

    fn kernel(times: f64, ops: &[(Op, f32)], chain: &[(Op, f32)]) -> Executed {
        let mut body = Body::default();
        ops.iter()
            .for_each(|(op, n)| body.ops.add(*op, Width::Scalar, *n));
        chain
            .iter()
            .for_each(|(op, n)| body.chain.ops.add(*op, Width::Scalar, *n));
        Executed(vec![(times, 1.0, false, body)], vec![])
    }

    /// Kernels of which some are bound by arithmetic, some by loads, some by a chain.
    fn probes() -> Vec<Executed> {
        let mut all = Vec::new();
        for n in [500.0, 1000.0, 3000.0] {
            for k in [2.0, 5.0, 9.0] {
                all.push(kernel(n, &[(Op::Float, 4.0 * k), (Op::Load, 1.0)], &[]));
                all.push(kernel(n, &[(Op::Load, 6.0 * k), (Op::Float, 1.0)], &[]));
                all.push(kernel(n, &[(Op::Float, k)], &[(Op::Float, k)]));
                all.push(kernel(n, &[(Op::FloatDiv, k), (Op::Load, 1.0)], &[]));
            }
        }
        all
    }

    /// Kernels whose loops load, store and fetch lines, each more of one.
    fn streams() -> Vec<Executed> {
        let one = |loads: f32, lines: f64| {
            let mut kernel = kernel(1000.0, &[(Op::Load, loads), (Op::Float, 1.0)], &[]);
            kernel.1.push(([lines, 0.0, 0.0], Order::Stream));
            kernel
        };
        let loads = [2.0, 6.0, 18.0];
        let each = loads.map(|l| [300.0, 900.0, 2700.0].map(|lines| one(l, lines)));
        each.into_iter().flatten().chain(probes()).collect()
    }

    #[test]
    fn whether_lines_are_fetched_beside_loads_is_what_explains_times_better() {
        let usual = HostWeights::default();
        for overlap in [false, true] {
            let wanted = HostWeights {
                overlap,
                ..usual.clone()
            };
            let values = wanted.to_vec();
            let all = streams();
            let time = |e: &Executed| weigh_row(&e.row(&wanted, &values), &values);
            let nanos: Vec<f64> = all.iter().map(time).collect();
            let found = fit(&all, &nanos, &usual).expect("a fit");
            assert_eq!(found.overlap, overlap);
            let ratio = found.stream[0] / usual.stream[0];
            assert!((0.9..1.1).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn the_time_of_lines_from_further_away_is_found_where_it_is_what_a_loop_waits_for() {
        let usual = HostWeights::default();
        let mut wanted = usual.clone();
        wanted.stream[1] *= 0.6;
        let values = wanted.to_vec();
        let mut all = streams();
        for kernel in &mut all[..9] {
            kernel.1[0].0[1] = kernel.1[0].0[0];
        }
        let time = |e: &Executed| weigh_row(&e.row(&wanted, &values), &values);
        let nanos: Vec<f64> = all.iter().map(time).collect();
        let found = fit(&all, &nanos, &usual).expect("a fit");
        let ratio = found.stream[1] / wanted.stream[1];
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
        let off = residuals(&all, &nanos, &found);
        assert!(off.iter().all(|r| r.abs() < 0.1), "{off:?}");
    }

    #[test]
    fn weights_of_each_resource_are_found_though_the_busiest_counts_alone() {
        let usual = HostWeights::default();
        let mut wanted = usual.clone();
        wanted.scalar.float *= 1.4;
        wanted.scalar.load *= 0.7;
        wanted.scalar.float_div *= 1.2;
        wanted.latency.float *= 0.8;
        let all = probes();
        let values = wanted.to_vec();
        let nanos: Vec<f64> = all
            .iter()
            .map(|e| weigh_row(&e.row(&wanted, &values), &values))
            .collect();
        let found = fit(&all, &nanos, &usual).expect("a fit");
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 0.05, "{a} for {b}");
        close(found.scalar.float, wanted.scalar.float);
        close(found.scalar.load, wanted.scalar.load);
        close(found.scalar.float_div, wanted.scalar.float_div);
        close(found.latency.float, wanted.latency.float);
        assert!(
            residuals(&all, &nanos, &found)
                .iter()
                .all(|r| r.abs() < 0.05)
        );
    }

    #[test]
    fn a_weight_that_few_loops_speak_of_is_found_though_it_is_not_as_usual() {
        let usual = HostWeights::default();
        let wanted = HostWeights {
            unsure: 3.0 * usual.unsure,
            ..usual.clone()
        };
        let values = wanted.to_vec();
        let mut all = probes();
        for ops in [2.0, 4.0] {
            let mut coins = kernel(1000.0, &[(Op::Load, ops), (Op::Float, 1.0)], &[]);
            coins.0[0].3.unsure = 1.0;
            all.push(coins);
        }
        let time = |e: &Executed| weigh_row(&e.row(&wanted, &values), &values);
        let nanos: Vec<f64> = all.iter().map(time).collect();
        let found = fit(&all, &nanos, &usual).expect("a fit");
        let ratio = found.unsure / wanted.unsure;
        assert!((0.8..1.1).contains(&ratio), "{ratio}");
    }
}
