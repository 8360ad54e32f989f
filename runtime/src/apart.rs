//! Helpers keep off the core that their caller is on.
//!
//! Whoever is woken may find itself on the core of who woke it, where it waits until that one is done, for many calls in a
//! row: on a virtual machine with two cores half of a script's parallel loops ran on one of them, while the other one was
//! idle. So before a helper is wanted, that core is taken from those that it may run on.

use std::mem::{size_of, zeroed};
use std::sync::atomic::{AtomicI32, Ordering};

/// Of more helpers one that waits for its caller's core is missed less than it takes to tell all of them.
const FEW: usize = 7;

/// A helper thread.
pub struct Seat {
    /// The system's number of it; 0: it has not begun.
    thread: AtomicI32,
    /// The core that it keeps off; below zero: none.
    off: AtomicI32,
}

impl Seat {
    pub const fn new() -> Seat {
        Seat {
            thread: AtomicI32::new(0),
            off: AtomicI32::new(-1),
        }
    }

    /// This thread is the helper.
    pub fn take(&self) {
        // SAFETY: asks for a number.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        self.thread.store(thread as i32, Ordering::Release);
    }
}

/// From now on these helpers run on all cores that this thread may run on but the one that it is on, if they are few. Where the
/// system does not allow that, or there is no other core, they stay as they are.
pub fn keep_off(helpers: &[Seat]) {
    if helpers.len() > FEW {
        return;
    }
    // SAFETY: asks for a number.
    let here = unsafe { libc::sched_getcpu() };
    let stale = |seat: &&Seat| seat.off.load(Ordering::Relaxed) != here;
    let mut stale = helpers.iter().filter(stale).peekable();
    if here < 0 || stale.peek().is_none() {
        return;
    }
    let Some(others) = others(here) else {
        return;
    };
    for seat in stale {
        let thread = seat.thread.load(Ordering::Acquire);
        if thread != 0 {
            // SAFETY: a thread of this process, and a set of cores of that size.
            unsafe {
                libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &raw const others)
            };
            seat.off.store(here, Ordering::Relaxed);
        }
    }
}

/// The other cores that this thread may run on, if there are any.
fn others(here: i32) -> Option<libc::cpu_set_t> {
    // SAFETY: a set of bits, and a place for one of its size; `here` is one of a set that was filled.
    unsafe {
        let mut cores: libc::cpu_set_t = zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut cores) != 0 {
            return None;
        }
        libc::CPU_CLR(here as usize, &mut cores);
        (libc::CPU_COUNT(&cores) > 0).then_some(cores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    #[test]
    fn a_helper_is_elsewhere() {
        let seat = Arc::new([Seat::new()]);
        let (ask, asked) = channel::<()>();
        let (answer, answered) = channel();
        let own = seat.clone();
        let helper = std::thread::spawn(move || {
            own[0].take();
            answer.send(-1).unwrap();
            while asked.recv().is_ok() {
                // SAFETY: asks for a number.
                answer.send(unsafe { libc::sched_getcpu() }).unwrap();
            }
        });
        answered.recv().unwrap();
        for _ in 0..20 {
            keep_off(&*seat);
            let off = seat[0].off.load(Ordering::Relaxed);
            ask.send(()).unwrap();
            let there = answered.recv().unwrap();
            // Where there is one core alone, nothing is changed.
            assert!(off == -1 || there != off);
        }
        drop(ask);
        helper.join().unwrap();
    }
}
