//! What `--fp fast` would gain, where sizes are stated.

use nestwise_analysis::explain::LoopRecord;
use nestwise_analysis::fixed::Stated;
use nestwise_frontend::capture::Capture;
use nestwise_ir::{ArrayKind, FpMode, Nest};
use nestwise_runtime::{ArrayView, Options, Value, pipeline};

/// Gains below this are not worth telling of.
const LEAST: f64 = 1.05;

/// Tells the loops that only the order of floats keeps as they are what they would gain without it; nothing if the sizes
/// of the nest are not all stated.
pub fn tell(
    loops: &mut [LoopRecord],
    nest: &Nest,
    captures: &[Capture],
    stated: &Stated,
    options: &Options,
) {
    if !loops.iter().any(|l| l.ordered) {
        return;
    }
    let Some(values) = values(captures, stated) else {
        return;
    };
    let seconds = |fp| seconds(nest, &values, options, fp);
    let Some((strict, fast)) = seconds(FpMode::Strict).zip(seconds(FpMode::Fast)) else {
        return;
    };
    let gain = strict / fast;
    for l in loops.iter_mut().filter(|l| l.ordered) {
        l.gain = Some(gain);
        if let Some(hint) = l.hint.as_mut().filter(|_| gain >= LEAST) {
            *hint += &format!("; the nest would be about {gain:.1} times as fast on this machine");
        }
    }
}

/// A call with the stated sizes; arrays are nowhere, since nobody looks into them.
fn values(captures: &[Capture], stated: &Stated) -> Option<Vec<Value>> {
    let one = |(index, capture): (usize, &Capture)| {
        let index = index as u32;
        Some(match capture {
            Capture::Scalar { ty, range } if ty.repr.is_int() => {
                let fixed = range.filter(|(lo, hi)| lo == hi).map(|r| r.0);
                Value::Int(stated.ints.get(&index).copied().or(fixed)?)
            }
            Capture::Scalar { .. } => Value::Float(1.0),
            Capture::Array { kind, storage, .. } => {
                let said = stated.extents.get(&index)?;
                let mut extents = [0; 8];
                extents.get_mut(..said.len())?.copy_from_slice(said);
                array(*kind, said.len(), extents, storage.size() as i64)
            }
            Capture::Append => return None,
            _ => Value::None,
        })
    };
    captures.iter().enumerate().map(one).collect()
}

fn array(kind: ArrayKind, rank: usize, extents: [i64; 8], size: i64) -> Value {
    if kind != ArrayKind::Ndarray {
        return Value::Sequence { rank, extents };
    }
    let mut strides = [0; 8];
    let mut next = size;
    for axis in (0..rank).rev() {
        strides[axis] = next;
        next = next.saturating_mul(extents[axis]);
    }
    Value::Array(ArrayView {
        ptr: std::ptr::null_mut(),
        tags: std::ptr::null_mut(),
        rank,
        extents,
        strides,
        size,
    })
}

/// What a call takes where it is cheapest, once it is compiled.
fn seconds(nest: &Nest, values: &[Value], options: &Options, fp: FpMode) -> Option<f64> {
    let options = Options {
        fp,
        ..options.clone()
    };
    let plan = pipeline::plan(nest.clone(), &options).ok()?;
    let sizes = plan.resolve(plan.launch_values(values).ok()?, false).ok()?;
    Some(plan.price(&sizes, values, None, &options).estimate.warm().0)
}
