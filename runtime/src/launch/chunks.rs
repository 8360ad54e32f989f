//! How long the chunks of a launch are.

use nestwise_costmodel::{Device, Seconds};

/// `CHUNK_SECONDS`: about how long a chunk should take; `SHARED_CHUNK_SECONDS`: where others may wait for its end,
/// about as long as CPython lets them wait; up to `LONGEST_CHUNK_SECONDS` where copies that are made before each chunk,
/// whatever its length, would take more than the share `COPYING_SHARE` of it.
pub(super) const CHUNK_SECONDS: f64 = 0.03;
pub(super) const SHARED_CHUNK_SECONDS: f64 = 0.005;
pub(super) const LONGEST_CHUNK_SECONDS: f64 = 0.08;
pub(super) const COPYING_SHARE: f64 = 0.1;
/// The time of a launch below which the interpreter lock is kept: CPython itself gives it up every 5 ms only.
pub(super) const BRIEF_SECONDS: f64 = 50e-6;
/// Bytes that are copied in the time of one more call of the kernel.
pub(crate) const BYTES_PER_CALL: i64 = 4096;
/// The number of iterations from which it is told how many bytes each of them adds.
pub(super) const SAMPLE: i64 = 8;
/// A launch that takes longer than `WORTH_FEELING` seconds has a first chunk that is `FELT` times shorter, in case it
/// takes much longer than priced.
pub(super) const WORTH_FEELING: f64 = 1e-3;
pub(super) const FELT: i64 = 8;
/// `BRIEF_ON_GRID_SECONDS`: what is to take a device at most this long, as far as anybody knows, it is given at once;
/// `FIRST_WAVES`: of what takes longer, how many times the iterations that it runs at once.
pub(super) const BRIEF_ON_GRID_SECONDS: f64 = 0.25;
pub(super) const FIRST_WAVES: i64 = 4;
/// The number of iterations between two changes of the tier, where tests ask for those.
pub(super) const SWITCHED: i64 = 3;
/// The trips of a `while` in its first chunk, and at most in any (`LONGEST_WHILE_CHUNK`): one that does nothing takes
/// no time.
pub(super) const FIRST_WHILE_CHUNK: i64 = 256;
/// The number of iterations in the first chunk of a loop that appends to lists.
pub(super) const FIRST_APPENDED: i64 = 1 << 15;
pub(super) const LONGEST_WHILE_CHUNK: i64 = 1 << 40;
/// Nanoseconds for which an interruptible kernel runs before it gives up an iteration because somebody waits: where it
/// is known that somebody does, and where it is not (`INTERRUPT_AFTER_UNKNOWN`).
pub(super) const INTERRUPT_AFTER: i64 = 2_000_000;
pub(super) const INTERRUPT_AFTER_UNKNOWN: i64 = 45_000_000;
/// How often an iteration that CPython should not take over is tried again, each time for twice as long.
pub(super) const MOST_TRIES: u32 = 5;
/// The seconds up to which an expression's iteration is not interrupted any more after [`MOST_TRIES`]: CPython would
/// evaluate all of the expression, because of a handler that did nothing to it.
pub(super) const LONG_EXPRESSION: f64 = 2.0;

/// The most bytes that a chunk should copy: a share of a core's own cache, more where several cores share the chunk.
pub(crate) fn undo_bytes(device: Device) -> i64 {
    match device {
        Device::Threads => 1 << 22,
        _ => 1 << 18,
    }
}

/// How long a chunk should take, if `copying` of it goes to copies that are no fewer for a shorter one. `shared`:
/// others may wait for its end.
pub(crate) fn chunk_time(copying: Seconds, shared: bool) -> Seconds {
    let least = match shared {
        true => SHARED_CHUNK_SECONDS,
        false => CHUNK_SECONDS,
    };
    Seconds((copying.0 / COPYING_SHARE).clamp(least, LONGEST_CHUNK_SECONDS))
}

/// The number of iterations of a range; 0 if it does not fit an i64, or the step is zero.
pub fn trip_count(start: i64, stop: i64, step: i64) -> i64 {
    nestwise_analysis::trip_count(start, stop, step)
        .and_then(|t| i64::try_from(t).ok())
        .unwrap_or(0)
}

/// The length of the next chunk after `done` trips took `took`: it moves towards the goal, at most eightfold at a
/// time.
pub(super) fn next_chunk(done: i64, took: Seconds, goal: Seconds) -> i64 {
    let factor = (goal.0 / took.0.max(1e-9)).clamp(0.125, 8.0);
    ((done as f64 * factor) as i64).max(1)
}
