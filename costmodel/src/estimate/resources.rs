//! What one execution of a body asks of each resource of a core, as sums of numbered weights: what prices add up, and
//! what calibration solves for.

use nestwise_analysis::traffic::Order;
use nestwise_ir::machine_shape::{Body, Chain, Op, Width};

use crate::estimate::host_call::calls_of_symbol;
use crate::profile::host::{HostWeights, LEVELS, OTHER};

/// The index of each weight in [`HostWeights::to_vec`].
mod number {
    use crate::estimate::resources::LEVELS;
    use crate::estimate::resources::Op;
    use crate::estimate::resources::Width;

    const OPS: usize = Op::ALL.len();
    pub(crate) const ISSUE: usize = 3 * OPS;
    pub(crate) const UNSURE: usize = ISSUE + 1;
    pub(crate) const ENTRY: usize = ISSUE + 2;
    pub(crate) const STREAM: usize = ISSUE + 3;
    pub(crate) const STRIDED: usize = STREAM + LEVELS;
    pub(crate) const SCATTERED: usize = STRIDED + LEVELS;
    pub(crate) const FUNCTIONS: usize = SCATTERED + LEVELS;

    pub(crate) fn op(op: Op, width: Width) -> usize {
        match width {
            Width::Scalar => op as usize,
            Width::Vector => OPS + op as usize,
        }
    }
    pub(crate) fn latency(op: Op) -> usize {
        2 * OPS + op as usize
    }
}

/// What one execution of a body asks of each resource, as sums of weights: pairs of a weight's index and how often it
/// counts.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    /// Arithmetic and calls, by the units that do them: see [`unit`].
    pub units: [Vec<(usize, f64)>; UNITS],
    /// The dependence chain from one iteration to the next.
    pub chain: Vec<(usize, f64)>,
    /// The dependence chain within an iteration, as far as it does not overlap with those of the next ones.
    pub path: Vec<(usize, f64)>,
    /// The front end: every operation.
    pub issue: Vec<(usize, f64)>,
    /// Loads and gathers.
    pub loads: Vec<(usize, f64)>,
    /// Stores and scatters, for which cores have units of their own.
    pub stores: Vec<(usize, f64)>,
    /// Branches that only data decide, which overlap with nothing.
    pub extra: Vec<(usize, f64)>,
}

/// The number of kinds of units for arithmetic.
pub const UNITS: usize = 3;

/// The kind of unit that does an operation: 0 for ints and branches, 1 for floats and vectors, 2 for divisions and
/// roots.
fn unit(op: Op, width: Width) -> usize {
    match (op, width) {
        (Op::IntDiv | Op::FloatDiv | Op::Root, _) => 2,
        (Op::Int | Op::IntMul | Op::Branch, Width::Scalar) => 0,
        _ => 1,
    }
}

impl Forms {
    /// What a body asks for, its inner loops excluded; `weights` names the functions that have a weight of their own.
    pub fn of(body: &Body, weights: &HostWeights) -> Forms {
        let function = |name: &str| {
            let at = |name: &str| weights.functions.keys().position(|f| f == name);
            at(name)
                .or_else(|| at(OTHER))
                .map(|k| number::FUNCTIONS + k)
        };
        let calls = |calls: &[(String, f32)]| -> Vec<(usize, f64)> {
            let one = |(name, n): &(String, f32)| {
                let times = calls_of_symbol(name).unwrap_or(1.0);
                Some((function(name)?, f64::from(*n) * times))
            };
            calls.iter().filter_map(one).collect()
        };
        // Functions compute with floats, most of them.
        let mut forms = Forms {
            units: [vec![], calls(&body.calls), vec![]],
            extra: vec![(number::UNSURE, f64::from(body.unsure))],
            ..Forms::default()
        };
        for (op, width, n) in body.ops.iter() {
            let (number, n) = (number::op(op, width), f64::from(n));
            match op {
                Op::Load | Op::Gather => forms.loads.push((number, n)),
                Op::Store | Op::Scatter => forms.stores.push((number, n)),
                _ => {}
            }
            // Where several lanes go to places of their own, arithmetic units take the places apart.
            if !matches!(op, Op::Load | Op::Store) {
                forms.units[unit(op, width)].push((number, n));
            }
            forms.issue.push((number::ISSUE, n));
        }
        let waited = |chain: &Chain| {
            let ops = chain.ops.iter();
            let each = ops.map(|(op, _, n)| (number::latency(op), f64::from(n)));
            each.chain(calls(&chain.calls)).collect::<Vec<_>>()
        };
        forms.chain = waited(&body.chain);
        let share = 1.0 / (1.0 + WINDOW / room(body, &body.path));
        forms.path = waited(&body.path);
        forms.path.iter_mut().for_each(|(_, n)| *n *= share);
        forms
    }

    /// The form of entering a loop: the index of its weight, once.
    pub fn entry() -> (usize, f64) {
        (number::ENTRY, 1.0)
    }

    /// The index of the weight for fetching a line into a cache level.
    pub fn line(level: usize, order: Order) -> usize {
        level
            + match order {
                Order::Stream => number::STREAM,
                Order::Strided => number::STRIDED,
                Order::Scattered => number::SCATTERED,
            }
    }
}

/// About how many operations a core has under way at once (`WINDOW`), and how many of those may wait for others
/// (`WAITING`).
pub const WINDOW: f64 = 512.0;
const WAITING: f64 = 64.0;

/// How much of a core's window one execution takes that waits for a chain, in operations: where most of them wait for
/// each other, there is less room.
fn room(body: &Body, chain: &Chain) -> f64 {
    f64::max(body.ops.total(), chain.ops.total() * WINDOW / WAITING)
}

/// How much of a core's window one execution takes that waits for the chain from one iteration to the next, in
/// operations. It is infinite where data end the loop, since the core goes on with what it wrongly takes for the next
/// iteration instead, and where the next chain begins with what this one leaves.
pub fn occupied(body: &Body) -> f64 {
    if body.ends.is_some() || body.carried {
        return f64::INFINITY;
    }
    room(body, &body.chain)
}

/// How well a core does several things at once: a loop that needs as long for each of two takes 2 ^ (1 / this) times as
/// long as for one of them alone. On a Zen 4 half of the kernels of `kernels/` were predicted within 21 % with 3 and
/// within 27 % with 5, by one run each with a profile of its own, of which another differs by some 5 %.
pub const SHARPNESS: i32 = 3;

/// The time until all of several resources are done that need `needs` each by itself: more than the longest, since they
/// get in each other's way ([`SHARPNESS`]).
pub fn together(needs: &[f64]) -> f64 {
    let most = needs.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return 0.0;
    }
    let powers = needs.iter().map(|n| (n / most).powi(SHARPNESS));
    most * powers.sum::<f64>().powf(1.0 / f64::from(SHARPNESS))
}

/// The time of [`together`] if one of the resources, which needs `one`, needed `more` in addition: `all` is the time
/// without.
pub fn longer(all: f64, one: f64, more: f64) -> f64 {
    let most = all.max(one + more);
    if most <= 0.0 {
        return 0.0;
    }
    let power = |n: f64| (n / most).powi(SHARPNESS);
    let powers = power(all) - power(one) + power(one + more);
    most * powers.powf(1.0 / f64::from(SHARPNESS))
}

/// The value of a form: the sum of its weights, each times how often it counts.
pub fn weigh(form: &[(usize, f64)], weights: &[f64]) -> f64 {
    form.iter().map(|(k, n)| weights[*k] * n).sum()
}

#[cfg(test)]
mod tests {
    use crate::estimate::resources::longer;
    use crate::estimate::resources::together;

    #[test]
    fn needs_take_as_long_as_the_longest_and_at_most_all_of_them() {
        for needs in [[1.0, 0.0, 0.0], [3.0, 2.0, 0.1], [1.0, 1.0, 1.0]] {
            let (most, all) = (
                needs.iter().copied().fold(0.0, f64::max),
                needs.iter().sum::<f64>(),
            );
            let time = together(&needs);
            assert!(most <= time && time <= all, "{needs:?}: {time}");
            // Twice as much of each takes twice as long.
            assert!((together(&needs.map(|n| 2.0 * n)) - 2.0 * time).abs() < 1e-12);
            let more = longer(time, needs[1], 0.5);
            assert!((more - together(&[needs[0], needs[1] + 0.5, needs[2]])).abs() < 1e-12);
        }
        assert_eq!((together(&[]), longer(0.0, 0.0, 0.0)), (0.0, 0.0));
    }
}
