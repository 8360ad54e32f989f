//! Clocks, in nanoseconds since some fixed moment.

/// The time now, in nanoseconds.
pub fn now() -> i64 {
    read(libc::CLOCK_MONOTONIC)
}

/// The time some milliseconds ago at most, in nanoseconds: reading it costs next to nothing.
#[inline]
pub fn coarse() -> i64 {
    read(libc::CLOCK_MONOTONIC_COARSE)
}

fn read(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a place to write to.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
