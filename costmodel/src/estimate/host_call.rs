//! What a call of CPython by compiled code takes, counted in calls of a function that has no weight of its own
//! ([`OTHER`](crate::profile::host::OTHER)): what CPython takes for the fragment, and boxing, calling and taking apart.
//!
//! CPython takes the same time for the fragment where it runs the nest itself, so only the rest decides between the two.

use nestwise_ir::machine_shape::{ENTRY_CALL, HOST_CALL};

/// The time of boxing, calling and taking apart, in calls of a function of compiled code: 40 to 55 ns beside CPython's
/// own time, where such a call takes 10 to 12 ns (`make bench-host-calls`).
const AROUND: f64 = 4.5;

/// A call of a quick builtin of CPython's, in calls of a function of compiled code: the ratio of the two in the measured
/// profiles of `calibration/profiles/`, 1.0 to 1.7.
const BUILTIN: f64 = 1.15;

/// The time of an operation on an entry that a launch performs itself, in calls of a function of compiled code: 8 to 15 ns
/// (`make bench-host-calls`).
pub const ENTRY: f64 = 1.0;

/// The time of the call of a fragment that takes CPython as long as `work` calls of a quick builtin.
pub fn calls_of(work: f64) -> f64 {
    AROUND + work * BUILTIN
}

/// The time of a call of this function of compiled code, if it is a call of CPython.
pub fn calls_of_symbol(name: &str) -> Option<f64> {
    if name == ENTRY_CALL {
        return Some(ENTRY);
    }
    let tenths: f64 = name.strip_prefix(HOST_CALL)?.parse().ok()?;
    Some(calls_of(tenths / 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbol_tells_the_work() {
        assert_eq!(calls_of_symbol("nw_host_25"), Some(calls_of(2.5)));
        assert_eq!(calls_of_symbol(ENTRY_CALL), Some(ENTRY));
        assert_eq!(calls_of_symbol("nw_parallel"), None);
    }
}
