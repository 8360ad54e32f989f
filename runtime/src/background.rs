//! Work on threads of its own while CPython goes on: making kernels.
//!
//! Such a thread never touches Python. A process that forks waits for it, since whatever lock it held would be held for
//! ever in the child; one that exits does not (see `exit.rs` of the extension module).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Threads that are at work.
static BUSY: AtomicUsize = AtomicUsize::new(0);
/// The process is about to fork: nobody begins.
static FORKING: AtomicBool = AtomicBool::new(false);
/// LLVM's passes recurse as deep as code is nested.
const STACK: usize = 16 << 20;

/// Runs `work` on a thread of its own, of which there are `most` at a time. False: not now, and nothing is done.
pub fn start(most: usize, work: impl FnOnce() + Send + 'static) -> bool {
    static READY: Once = Once::new();
    READY.call_once(watch_forks);
    let more = |busy: usize| (busy < most).then_some(busy + 1);
    if BUSY
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, more)
        .is_err()
    {
        return false;
    }
    let busy = Busy;
    if FORKING.load(Ordering::SeqCst) {
        return false;
    }
    let work = move || {
        let _busy = busy;
        // Whoever asked for the result finds none, and tries for itself.
        let _ = catch_unwind(AssertUnwindSafe(work));
    };
    let builder = std::thread::Builder::new().name("nestwise".into());
    with_signals_blocked(|| builder.stack_size(STACK).spawn(work).is_ok())
}

/// Whether there is room for one more of `most`.
pub fn has_room(most: usize) -> bool {
    BUSY.load(Ordering::Relaxed) < most
}

/// One of them, for as long as this lives.
struct Busy;

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::SeqCst);
    }
}

fn watch_forks() {
    extern "C" fn before() {
        FORKING.store(true, Ordering::SeqCst);
        while BUSY.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
    extern "C" fn after() {
        FORKING.store(false, Ordering::SeqCst);
    }
    // SAFETY: the functions live as long as the process, and do nothing that a fork forbids.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
}

/// A thread that is made in `f` handles no signals: they are for Python's own.
fn with_signals_blocked<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: both sets are initialised before they are read.
    unsafe {
        let (mut all, mut before) = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let made = f();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    // One test: there is one count for the process.
    #[test]
    fn work_is_done_elsewhere_as_long_as_there_is_room() {
        let (done, told) = mpsc::channel();
        let (go, wait) = mpsc::channel::<()>();
        let first = move || {
            wait.recv().unwrap();
            done.send(std::thread::current().id()).unwrap();
        };
        assert!(start(1, first));
        assert!(!start(1, || unreachable!()));
        go.send(()).unwrap();
        assert_ne!(told.recv().unwrap(), std::thread::current().id());
        while BUSY.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        // What panics leaves its room to others.
        assert!(start(1, || panic!("on purpose")));
        while !start(1, || {}) {
            std::thread::yield_now();
        }
        assert!(!start(0, || unreachable!()));
        // A fork waits, and its child can work.
        let (go, wait) = mpsc::channel::<()>();
        while !has_room(1) {
            std::thread::yield_now();
        }
        let slow = move || {
            let _ = wait.recv_timeout(Duration::from_millis(20));
        };
        assert!(start(1, slow));
        // SAFETY: the child only looks at a number and leaves.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let idle = BUSY.load(Ordering::SeqCst) == 0 && !FORKING.load(Ordering::SeqCst);
            unsafe { libc::_exit(i32::from(!idle)) };
        }
        drop(go);
        let mut status = -1;
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
    }
}
