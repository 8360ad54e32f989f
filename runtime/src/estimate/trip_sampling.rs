//! Samples of a few iterations: the trips of loops that neither types nor ints tell, and how hard branches are to
//! predict, for prices.
//!
//! Bounds of inner loops are read from arrays (`range(first[i], first[i + 1])`), a `while` ends where data say so, a
//! `break` leaves. So the statements that this rests on are followed through a few iterations of the loops around, on
//! the values of the call and what its arrays hold at entry (`walk.rs`).

use std::sync::{Mutex, OnceLock};

use nestwise_ir::{ArrayKind, LoopId, Nest};

use crate::estimate::followed::{Followed, Found};
use crate::estimate::number::Number;
use crate::estimate::walk::{Source, Walk};
use crate::lock::lock;
use crate::plan::sizes::Sizes;
use crate::value::{HasValue, Value};

/// `SAMPLES`: the iterations of the outer loops that are followed when a kind of call is met first; `MOST_SAMPLES`: the
/// most when it is met again.
const SAMPLES: u64 = 8;
const MOST_SAMPLES: u64 = 64;
/// For conditions alone a kind of call is looked at each time its number has doubled this often.
const SELDOMER: u32 = 4;
/// The most statements that are followed in all samples together; the sample that is begun is followed to its end.
const ALL_STEPS: u32 = 4000;
/// The number of kinds of calls whose guesses are remembered.
const REMEMBERED: usize = 32;

/// Guesses of trip counts and branch directions, by kind of call: kinds differ in the octaves of the trips that are
/// known, of the numbers that the others rest on, and of extents.
///
/// A call that is priced anew writes it, and so does CPython's share of a call that took much longer than its guess;
/// pricing reads it.
#[derive(Default)]
pub struct Guesses {
    /// The parts of the nest that have to be followed, once a guess is needed.
    followed: OnceLock<Followed>,
    by_kind: Mutex<Vec<Guess>>,
}

struct Guess {
    octaves: Vec<i32>,
    calls: u64,
    found: Found,
}

impl Guesses {
    /// Puts guesses in for loops whose trips are not known, and for conditions. A kind of call is looked at when its
    /// number has doubled: its data may change, but looking takes as long as hundreds of iterations. For conditions
    /// alone it is looked at less often.
    pub fn guess<V: HasValue>(&self, nest: &Nest, sizes: &mut Sizes, captures: &[V]) {
        let open = nest.loops.ids().any(|id| is_open(nest, sizes, id));
        let followed = self.followed.get_or_init(|| Followed::of(nest));
        if !followed.worth || !(open || followed.conditions) {
            return;
        }
        let numbers = numbers(nest, sizes, captures);
        let octaves = octaves(nest, followed, sizes, &numbers);
        let mut guesses = lock(&self.by_kind);
        let known = guesses.iter().position(|g| g.octaves == octaves);
        let at = known.unwrap_or_else(|| {
            if guesses.len() == REMEMBERED {
                guesses.remove(0);
            }
            guesses.push(Guess {
                octaves,
                calls: 0,
                found: Found::default(),
            });
            guesses.len() - 1
        });
        let guess = &mut guesses[at];
        guess.calls += 1;
        let doubled = guess.calls.is_power_of_two();
        if doubled && (open || guess.calls.ilog2().is_multiple_of(SELDOMER)) {
            let samples = (SAMPLES * guess.calls).min(MOST_SAMPLES);
            guess.found = sampled(nest, samples, followed, sizes, captures, &numbers);
        }
        sizes.values.surprise = guess.found.surprise;
        let found = guess.found.trips.iter().zip(&guess.found.reached);
        for (id, (trips, reached)) in nest.loops.ids().zip(found) {
            if let (Some(trips), true) = (trips, is_open(nest, sizes, id)) {
                sizes.mean[id.index()] = *trips;
            }
            if let Some(reached) = reached {
                sizes.mean[id.index()] *= reached / followed.likely[id.index()];
            }
        }
    }

    /// Drops all guesses, as something took much longer than its guess: the next call of each kind is looked at.
    pub fn forget(&self) {
        lock(&self.by_kind).clear();
    }
}

/// Whether no value of the call tells how often a loop runs.
fn is_open(nest: &Nest, sizes: &Sizes, id: LoopId) -> bool {
    let known = sizes.trips.get(id.index()).copied().flatten().is_some();
    !known || nest.work.of(id).is_some_and(|w| w.leaves)
}

fn octaves(
    nest: &Nest,
    followed: &Followed,
    sizes: &Sizes,
    numbers: &[Option<Number>],
) -> Vec<i32> {
    let octave = |x: f64| match x {
        0.0 => 0,
        _ => (x.abs().log2().round() as i32).saturating_mul(2) + i32::from(x < 0.0),
    };
    let trips = sizes.trips.iter().map(|t| t.map_or(-1, octave));
    let rested_on = numbers.iter().zip(&followed.ends.vars).filter(|(_, v)| **v);
    let numbers = rested_on.map(|(n, _)| n.and_then(Number::float).map_or(-1, octave));
    let arrays = nest.arrays.values().zip(&sizes.values.dims);
    let extents = arrays.flat_map(|(a, dims)| &dims[..a.rank as usize]);
    let extents = extents.map(|e| octave(*e as f64));
    trips.chain(numbers).chain(extents).collect()
}

/// The numbers that variables hold at entry.
fn numbers<V: HasValue>(nest: &Nest, sizes: &Sizes, captures: &[V]) -> Vec<Option<Number>> {
    let of = |capture: u32| captures.get(capture as usize).map(HasValue::value);
    let number = |(v, known): (&nestwise_ir::model::nest::VarDecl, &Option<i64>)| match known {
        Some(v) => Some(Number::Int(*v)),
        None => Number::of(of(v.live_in?)?),
    };
    let vars = nest.vars.values().zip(&sizes.values.vars);
    vars.map(number).collect()
}

fn sampled<V: HasValue>(
    nest: &Nest,
    samples: u64,
    followed: &Followed,
    sizes: &Sizes,
    captures: &[V],
    values: &[Option<Number>],
) -> Found {
    let source = |array: &nestwise_ir::ArrayDecl| {
        let Some(capture) = captures.get(array.capture as usize) else {
            return Source::Own;
        };
        match (capture.value(), array.kind) {
            (Value::Array(view), kind) if !kind.is_own() => Source::Memory(*view),
            (Value::Sequence { .. }, ArrayKind::List | ArrayKind::Tuple | ArrayKind::Str) => {
                Source::List(capture)
            }
            _ => Source::Own,
        }
    };
    let sources = nest.arrays.values().map(source).collect();
    let mut walk = Walk::new(nest, followed, sources, &sizes.values.dims);
    let mut left = ALL_STEPS;
    for sample in 0..samples {
        left = left.saturating_sub(walk.sample(sample, values));
        if left == 0 {
            break;
        }
    }
    walk.found()
}
