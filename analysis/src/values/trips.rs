//! Exact trip counts.

/// The number of iterations of `range(start, stop, step)`.
pub fn trip_count(start: i64, stop: i64, step: i64) -> Option<u64> {
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    let span = match step.signum() {
        1 => stop - start,
        -1 => start - stop,
        _ => return None,
    };
    u64::try_from((span.max(0) + step.abs() - 1) / step.abs()).ok()
}
