//! Keeps workers, and threads in the background, off the core that their caller is on.
//!
//! A thread that is woken may find itself on the core of the thread that woke it, where it waits until that one is
//! done, for many calls in a row: on a virtual machine with two cores half of a script's parallel loops ran on one of
//! them, while the other one was idle. So before a worker is wanted, that core is removed from those that it may run
//! on.

use std::mem::zeroed;
use std::sync::atomic::{AtomicI32, Ordering};

/// The most workers that are kept off: where there are more, one that waits for its caller's core is missed less than
/// it takes to tell all of them.
const FEW: usize = 7;

/// A worker thread.
pub struct Seat {
    /// The system's number of the thread; 0: it has not begun.
    thread: AtomicI32,
    /// The core that the thread keeps off; below zero: none.
    off: AtomicI32,
}

impl Seat {
    pub const fn new() -> Seat {
        Seat {
            thread: AtomicI32::new(0),
            off: AtomicI32::new(-1),
        }
    }

    /// Notes that this thread is the worker.
    pub fn take(&self) {
        // SAFETY: asks for a number.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        self.thread.store(thread as i32, Ordering::Release);
    }
}

/// Has workers run, from now on, on all cores that this thread may run on but the one that it is on, if the workers are
/// few. Where the system does not allow that, or there is no other core, they stay as they are.
pub fn keep_off(workers: &[Seat]) {
    if workers.len() > FEW {
        return;
    }
    // SAFETY: asks for a number.
    let here = unsafe { libc::sched_getcpu() };
    let stale = |seat: &&Seat| seat.off.load(Ordering::Relaxed) != here;
    let mut stale = workers.iter().filter(stale).peekable();
    if here < 0 || stale.peek().is_none() {
        return;
    }
    let Some(others) = Cores::of_this_thread().and_then(|cores| cores.others()) else {
        return;
    };
    for seat in stale {
        let thread = seat.thread.load(Ordering::Acquire);
        if thread != 0 {
            others.give(thread);
            seat.off.store(here, Ordering::Relaxed);
        }
    }
}

/// A set of cores.
#[derive(Clone, Copy)]
pub struct Cores(libc::cpu_set_t);

impl Cores {
    /// The cores that this thread may use.
    pub fn of_this_thread() -> Option<Cores> {
        // SAFETY: an empty set is all zeros, and is written to as far as it goes.
        unsafe {
            let mut set: libc::cpu_set_t = zeroed();
            let found = libc::sched_getaffinity(0, size_of_val(&set), &raw mut set);
            (found == 0).then_some(Cores(set))
        }
    }

    /// The set without the core that this thread is on, if there is any other.
    pub fn others(&self) -> Option<Cores> {
        let mut set = self.0;
        // SAFETY: the number of a core is looked at before it is used.
        unsafe {
            let here = usize::try_from(libc::sched_getcpu()).ok()?;
            if here >= 8 * size_of_val(&set) {
                return None;
            }
            libc::CPU_CLR(here, &mut set);
            (libc::CPU_COUNT(&set) > 0).then_some(Cores(set))
        }
    }

    /// The set in the form that the system takes.
    pub fn set(&self) -> &libc::cpu_set_t {
        &self.0
    }

    /// Lets a thread of this process, 0 for this one, use these alone.
    pub fn give(&self, thread: libc::pid_t) {
        // SAFETY: a set of its size; without such a thread nothing happens.
        unsafe { libc::sched_setaffinity(thread, size_of_val(&self.0), &raw const self.0) };
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
        let worker = std::thread::spawn(move || {
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
        worker.join().unwrap();
    }
}
