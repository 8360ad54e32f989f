//! From the values of a call to [`Sizes`]: which guards they prove, and how often each loop runs.

use std::sync::OnceLock;

use nestwise_analysis as analysis;
use nestwise_analysis::guards::GuardSet;
use nestwise_ir::{ArrayKind, For, LoopId, Nest, StmtKind};

use crate::memory::overlap::ArrayView;
use crate::plan::analysed::Analysed;
use crate::plan::sizes::{Sizes, TopRange};
use crate::reason::Reason;
use crate::value::{HasValue, ROOM, Value, extents, held};

/// The assumed trips of a top loop whose count no value of the call tells (a `while`).
const UNKNOWN_TRIPS: f64 = 100.0;
/// The assumed trips of an inner loop whose count no value tells: it is begun again and again and mostly ends soon.
const UNKNOWN_INNER_TRIPS: f64 = 10.0;

/// The ints and extents of a call.
pub fn launch_values<V: HasValue>(
    nest: &Nest,
    captures: &[V],
) -> Result<analysis::LaunchValues, Reason> {
    let mut values = analysis::LaunchValues::unknown(nest);
    for (id, var) in nest.vars.iter() {
        let Some(capture) = var.live_in else { continue };
        match captures.get(capture as usize).map(HasValue::value) {
            Some(Value::Int(v)) => values.vars[id.index()] = Some(*v),
            Some(Value::Uint(v)) => values.vars[id.index()] = i64::try_from(*v).ok(),
            Some(Value::Bool(v)) => values.vars[id.index()] = Some(i64::from(*v)),
            Some(Value::Float(v)) => values.floats[id.index()] = Some(*v),
            Some(Value::Append { length }) => {
                values.vars[id.index()] = Some(held(nest, capture, *length));
            }
            // A text is known by a number, which no size depends on.
            Some(
                Value::Wide(_) | Value::Complex(..) | Value::Array(_) | Value::Sequence { .. },
            ) => {}
            _ => return Err(Reason::Unbound(var.name.clone())),
        }
    }
    for (id, array) in nest.arrays.iter() {
        let value = captures.get(array.capture as usize).map(HasValue::value);
        let (rank, extents) = match value {
            _ if array.kind == ArrayKind::Scratch => {
                let size = array.storage.size() as i64;
                let own = ArrayView::of_nothing(&array.like, extents(nest, captures), size);
                (own.rank, own.extents)
            }
            Some(Value::Array(view)) => (view.rank, view.extents),
            Some(Value::Sequence { rank, extents }) => (*rank, *extents),
            Some(Value::Append { length }) => {
                let held = held(nest, array.capture, *length);
                (1, [held + ROOM, 0, 0, 0, 0, 0, 0, 0])
            }
            _ => return Err(Reason::Unbound(array.name.clone())),
        };
        if rank != array.rank as usize {
            return Err(Reason::Array {
                name: array.name.clone(),
                why: "its rank changed",
            });
        }
        values.dims[id.index()] = extents;
    }
    Ok(values)
}

/// Works out what the values of a call prove and decide. `resumed`: they are those of a nest that goes on half-way.
pub fn resolve(
    analysed: &Analysed,
    mut values: analysis::LaunchValues,
    resumed: bool,
) -> Result<Sizes, Reason> {
    let nest = analysed.nest();
    nestwise_analysis::values::eval::prologue(nest, &mut values);
    let top = nest.top_for().map(|top| top_range(top, &values));
    let top = top.transpose()?;
    if resumed {
        // Proofs count from what a variable has when the top loop begins, which is not what it has now.
        let changed = analysis::structure::assigned(std::slice::from_ref(&nest.top));
        changed.iter().for_each(|v| values.vars[v.index()] = None);
    }
    let mut proven = GuardSet::new(analysed.bounds().guards());
    let (resolved, trips) = analysed.bounds().resolve_with_trips(&values, &mut proven);
    if !resolved.extents_ok {
        return Err(Reason::TooLarge);
    }
    Ok(Sizes {
        refuted: analysed.verdicts().refuted(&values),
        nonempty: resolved.nonempty,
        mean: mean_trips(nest, &trips, &values),
        trips,
        values,
        proven,
        top,
        untouched: Vec::new(),
        there: Vec::new(),
        least: OnceLock::new(),
    })
}

/// The trips to reckon with before any data are looked at: where a count is not known, that of the first entry by the
/// values that variables have when the nest begins.
fn mean_trips(nest: &Nest, trips: &[Option<f64>], values: &analysis::LaunchValues) -> Vec<f64> {
    let mut allowed = trips.to_vec();
    nest.top.walk(&mut |stmt| {
        if let StmtKind::For(l) = &stmt.kind
            && let Some(None) = trips.get(l.id.index())
            && let Ok(range) = top_range(l, values)
        {
            allowed[l.id.index()] = Some(range.trips as f64);
        }
    });
    let reckoned = |(id, allowed): (LoopId, Option<f64>)| {
        let unknown = match id {
            LoopId(0) => UNKNOWN_TRIPS,
            _ => UNKNOWN_INNER_TRIPS,
        };
        let allowed = allowed.unwrap_or(unknown);
        nest.work.of(id).map_or(allowed, |work| work.trips(allowed))
    };
    nest.loops.ids().zip(allowed).map(reckoned).collect()
}

/// The exact range of the top loop.
fn top_range(top: &For, values: &analysis::LaunchValues) -> Result<TopRange, Reason> {
    let value = |e| nestwise_analysis::values::eval::eval(e, values).ok_or(Reason::Bounds);
    let (start, stop, step) = (value(&top.start)?, value(&top.stop)?, value(&top.step)?);
    if step == 0 {
        return Err(Reason::ZeroStep);
    }
    let trips = analysis::trip_count(start, stop, step).and_then(|t| i64::try_from(t).ok());
    let trips = trips.ok_or(Reason::Bounds)?;
    // The counter after the last trip must not leave 64 bits either.
    trips
        .checked_mul(step)
        .and_then(|d| start.checked_add(d))
        .ok_or(Reason::Bounds)?;
    Ok(TopRange {
        trips,
        start,
        stop,
        step,
    })
}
