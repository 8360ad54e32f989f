//! How many lanes a vector loop has.

use nestwise_ir::For;

use crate::lower::unit::Unit;

/// The number of lanes that the schedule asks for of a loop: a power of two, at most what the size of its body allows.
pub(crate) fn vector_lanes(unit: &Unit<'_>, l: &For) -> Option<u32> {
    let lanes = unit
        .spec
        .schedule
        .vector
        .iter()
        .find(|(id, _)| *id == l.id)
        .map(|(_, n)| *n)?;
    (lanes.is_power_of_two() && (2..=64).contains(&lanes)).then_some(lanes.min(most_lanes(l)))
}

/// The most lanes that the size of a loop's body allows. Many lanes mean several registers for each value: good for the
/// short bodies whose latency they hide, bad for long ones, which would keep their values in memory.
fn most_lanes(l: &For) -> u32 {
    let mut size = 0;
    for s in &l.body {
        s.walk(&mut |s| s.exprs().for_each(|e| e.walk(&mut |_| size += 1)));
    }
    match size {
        0..=80 => 64,
        81..=200 => 16,
        _ => 8,
    }
}
