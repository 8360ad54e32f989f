//! What one execution of a body asks of each resource of a core, as sums of numbered weights: what prices add up, and
//! what calibration solves for.

use nestwise_analysis::traffic::Order;
use nestwise_ir::machine_shape::{Body, Chain, Op, Width};

use crate::profile::host::{HostWeights, LEVELS, OTHER};

/// Numbers of the weights.
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

/// What one execution of a body asks of each resource, as sums of weights: (number, how often).
#[derive(Clone, Debug, Default)]
pub struct Forms {
    /// Arithmetic and calls, by the units that do it: see [`unit`].
    pub units: [Vec<(usize, f64)>; UNITS],
    /// The chain from one iteration to the next.
    pub chain: Vec<(usize, f64)>,
    /// The chain within an iteration, as far as it does not overlap with those of the next ones.
    pub path: Vec<(usize, f64)>,
    /// The front end.
    pub issue: Vec<(usize, f64)>,
    /// What is loaded.
    pub loads: Vec<(usize, f64)>,
    /// What is stored, for which cores have units of their own.
    pub stores: Vec<(usize, f64)>,
    /// What overlaps with nothing.
    pub extra: Vec<(usize, f64)>,
}

/// Kinds of units for arithmetic.
pub const UNITS: usize = 3;

/// Which of them does an operation: the one for ints and jumps, the one for floats and vectors, or the one that
/// divides.
fn unit(op: Op, width: Width) -> usize {
    match (op, width) {
        (Op::IntDiv | Op::FloatDiv | Op::Root, _) => 2,
        (Op::Int | Op::IntMul | Op::Branch, Width::Scalar) => 0,
        _ => 1,
    }
}

impl Forms {
    /// Those of a body, its inner loops apart. `weights` says which functions have one of their own.
    pub fn of(body: &Body, weights: &HostWeights) -> Forms {
        let function = |name: &str| {
            let at = |name: &str| weights.functions.keys().position(|f| f == name);
            at(name)
                .or_else(|| at(OTHER))
                .map(|k| number::FUNCTIONS + k)
        };
        let calls = |calls: &[(String, f32)]| -> Vec<(usize, f64)> {
            let one = |(name, n): &(String, f32)| Some((function(name)?, f64::from(*n)));
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

    /// Entering a loop.
    pub fn entry() -> (usize, f64) {
        (number::ENTRY, 1.0)
    }

    /// Fetching a line into a level.
    pub fn line(level: usize, order: Order) -> usize {
        level
            + match order {
                Order::Stream => number::STREAM,
                Order::Strided => number::STRIDED,
                Order::Scattered => number::SCATTERED,
            }
    }
}

/// Operations that a core has under way at once, about, and of those such as wait for others.
pub const WINDOW: f64 = 512.0;
const WAITING: f64 = 64.0;

/// How much of a core's window one execution takes that waits for a chain, in operations: where most of them wait for
/// each other, there is less room.
fn room(body: &Body, chain: &Chain) -> f64 {
    f64::max(body.ops.total(), chain.ops.total() * WINDOW / WAITING)
}

/// The same of the chain from one iteration to the next. No window is large enough where data end the loop, since the
/// core goes on with what it wrongly takes for the next iteration instead, nor where the next chain begins with what
/// this one leaves.
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

/// How long it takes until all is done, if each of these needs so long by itself: they get in each other's way.
pub fn together(needs: &[f64]) -> f64 {
    let most = needs.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return 0.0;
    }
    let powers = needs.iter().map(|n| (n / most).powi(SHARPNESS));
    most * powers.sum::<f64>().powf(1.0 / f64::from(SHARPNESS))
}

/// The same if one of them needs `more`: `all` is what they take together without.
pub fn longer(all: f64, one: f64, more: f64) -> f64 {
    let most = all.max(one + more);
    if most <= 0.0 {
        return 0.0;
    }
    let power = |n: f64| (n / most).powi(SHARPNESS);
    let powers = power(all) - power(one) + power(one + more);
    most * powers.powf(1.0 / f64::from(SHARPNESS))
}

/// A form's value.
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
