//! Interruptible kernels: how they find out, in the middle of an iteration, that somebody waits.
//!
//! A function of such a kernel counts down a budget of nanoseconds, roughly, in each loop of [`Nest::interruptible`];
//! when it is used up, it calls [`nw_ask`]. That looks at the clock, and once the call's deadline has passed, at
//! whether somebody waits. The answer is a new budget, or 0: the kernel ends the call with [`GuardFailure::Interrupt`].
//!
//! [`Nest::interruptible`]: nestwise_ir::Nest::interruptible
//! [`GuardFailure::Interrupt`]: crate::abi::GuardFailure::Interrupt

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::abi::FrameHeader;

/// The type of `nw_ask(frame)`: returns the next budget, or 0 where the kernel has to give up. `frame` begins with a
/// [`FrameHeader`].
pub(crate) type Ask = unsafe extern "C" fn(frame: *const FrameHeader) -> i64;

/// The budget that a function of a kernel begins with: little, since nothing is known of its pace.
pub(crate) const FIRST_BUDGET: i64 = 2000;
/// Nanoseconds between two questions, as far as the pace of the last budget tells.
const INTERVAL: i64 = 500_000;
/// The most times that a budget is as large as the one before.
const GROWTH: i64 = 8;
const MOST_BUDGET: i64 = 100_000_000;

static WAITING: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the function that tells whether somebody waits for the thread that runs a kernel: it is called on any
/// thread, and must not unwind. Without one, somebody is taken to wait.
pub fn register_waiting(waiting: fn() -> bool) {
    WAITING.store(waiting as *mut c_void, Ordering::Release);
}

/// Whether a function is registered that tells whether somebody waits.
pub fn is_waiting_known() -> bool {
    !WAITING.load(Ordering::Acquire).is_null()
}

fn is_waiting() -> bool {
    let waiting = WAITING.load(Ordering::Acquire);
    if waiting.is_null() {
        return true;
    }
    // SAFETY: only functions of that type are stored.
    let waiting: fn() -> bool = unsafe { std::mem::transmute(waiting) };
    waiting()
}

/// The nanoseconds of a clock that only goes forward.
pub fn now() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes to the structure it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Whether a call with this deadline has to be given up at this time.
pub fn is_over(deadline: i64, now: i64) -> bool {
    now >= deadline && is_waiting()
}

thread_local! {
    /// The time of this thread's last question, and the budget that it was given.
    static LAST: Cell<(i64, i64)> = const { Cell::new((0, FIRST_BUDGET)) };
}

pub(crate) unsafe extern "C" fn nw_ask(frame: *const FrameHeader) -> i64 {
    let now = now();
    // SAFETY: a kernel passes on the frame, or the environment of a thread body, which begins alike.
    let deadline = unsafe { (*frame).deadline };
    if is_over(deadline, now) {
        return 0;
    }
    let (before, budget) = LAST.get();
    // The time is another call's, or of a function that had but begun: nothing is known of the pace.
    let passed = (now - before).max(1);
    let factor = (INTERVAL / passed).clamp(0, GROWTH);
    let next = match factor {
        0 => (budget / (passed / INTERVAL).clamp(1, GROWTH)).max(FIRST_BUDGET),
        more => (budget.max(FIRST_BUDGET) * more).min(MOST_BUDGET),
    };
    LAST.set((now, next));
    next
}
