//! Undoes a native run that CPython does over again.

use nestwise_runtime::{Ended, Launch};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::site::parsed::Parsed;
use crate::site::progress::Progress;
use crate::verify::{Check, NativeRun, Part, borrowed};

/// Remembers what a native run left behind, puts everything back, and says what CPython is to do again.
pub fn after_native(
    check: Check,
    py: Python<'_>,
    parsed: &Parsed,
    launch: &Launch,
    progress: Progress,
) -> Progress {
    if progress.raised.is_some() {
        return progress;
    }
    redone(check, py, parsed, launch, progress).unwrap_or_else(|error| {
        let mut progress = Progress::none();
        progress.raised = Some(error);
        progress
    })
}

fn redone(
    mut check: Check,
    py: Python<'_>,
    parsed: &Parsed,
    launch: &Launch,
    mut progress: Progress,
) -> PyResult<Progress> {
    let how = match launch.ended {
        // An expression's value.
        Ended::Finished if !progress.value.is_null() => "returned",
        Ended::Finished => "finished",
        Ended::Broke => "broke",
        Ended::Returned => "returned",
        Ended::Partial { next } if next == launch.from() => "undone",
        Ended::Partial { .. } => "stopped",
    };
    let values = PyDict::new(py);
    let given = parsed.interface.writes.iter().zip(&progress.writes);
    let perhaps = parsed.interface.maybe.iter().zip(&progress.maybe);
    for (name, object) in given.chain(perhaps) {
        if let Some(object) = borrowed(py, *object) {
            values.set_item(name, object)?;
        }
    }
    let done = launch.next() - launch.from();
    let value = borrowed(py, progress.value);
    let about = NativeRun {
        how,
        device: launch.device.to_string(),
        schedule: launch.schedule().to_string(),
        iterations: done,
    };
    let more = check
        .object
        .call_method1(py, "ran", (about, values, value))?;
    let counted = progress.range.is_some();
    if how == "undone" {
        if more.extract::<bool>(py)? {
            let next = launch.from() + 1;
            check.part = Part::one(counted, next);
            progress.check = Some(check);
        }
        return Ok(progress);
    }
    check.part = match launch.ended {
        Ended::Partial { next } if counted => Part::Iterations { count: done, next },
        Ended::Partial { .. } => Part::Turns(done),
        _ => Part::All,
    };
    let from_start = launch.from() == 0 && check.part == Part::All;
    let mut again = Progress::none();
    again.ended = (counted && !from_start).then_some(Ended::Partial {
        next: launch.from(),
    });
    again.range = progress.range.take();
    // Its elements come from the loop's own iterable: what native code took for its range is to be compared, too.
    again.is_range = false;
    again.check = Some(check);
    Ok(again)
}
