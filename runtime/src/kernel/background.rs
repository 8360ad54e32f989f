//! Work on threads of its own while CPython goes on: making plans and kernels.
//!
//! A thread of this kind never touches Python. Linux often lets it begin on the core of the thread that asks for it,
//! where the two take turns of some milliseconds, as long as making a kernel takes, before it looks for an idle core.
//! So it keeps off that core as long as it works. Having done its work it waits a while for more.
//!
//! A process that forks waits until the work is done and the threads are gone, since whatever lock they held would be
//! held for ever in the child; one that exits does not (see `python/cdylib/src/exit.rs`).

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, Once};
use std::time::Duration;

use crate::threads::affinity::Cores;

/// The work that nobody waits for: see [`later`].
static LATER: Mutex<Vec<Box<dyn FnOnce() + Send>>> = Mutex::new(Vec::new());
/// How long a thread looks for other work before it does what nobody waits for.
const ALONE: Duration = Duration::from_millis(1);
/// The number of jobs that are being done.
static BUSY: AtomicUsize = AtomicUsize::new(0);
/// The number of threads, those that wait for work included.
static ALIVE: AtomicUsize = AtomicUsize::new(0);
/// Whether the process is about to fork: no job begins.
static FORKING: AtomicBool = AtomicBool::new(false);
/// The threads that wait for work: the one to be woken next comes last.
static IDLE: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
/// Bytes of a thread's stack: LLVM's passes recurse as deep as code is nested.
const STACK: usize = 16 << 20;
/// How long a thread waits for work.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a waiting thread looks for what nobody waits for.
const LOOKS: u32 = 20;

/// Work that counts as being done until it is dropped.
struct Job {
    work: Box<dyn FnOnce() + Send>,
    /// What is to be done when the work counts as done.
    after: Box<dyn FnOnce() + Send>,
    busy: Busy,
}

/// A thread that waits for work.
struct Waiting {
    thread: libc::pid_t,
    sender: Sender<Job>,
}

fn idle() -> MutexGuard<'static, Vec<Waiting>> {
    IDLE.lock().unwrap_or_else(|e| e.into_inner())
}

/// Runs `work` on a thread of its own; at most `most` are at work at a time. Returns false where it cannot now, and
/// nothing is done.
pub fn start(most: usize, work: impl FnOnce() + Send + 'static) -> bool {
    start_then(most, work, || {})
}

/// Runs `work` as [`start`] does, and after it `after`, which does not count as work: what comes meanwhile waits for
/// its end.
pub fn start_then(
    most: usize,
    work: impl FnOnce() + Send + 'static,
    after: impl FnOnce() + Send + 'static,
) -> bool {
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
    let others = Cores::of_this_thread().and_then(|cores| cores.others());
    let mut job = Job {
        work: Box::new(work),
        after: Box::new(after),
        busy,
    };
    let waiting = idle().pop();
    if let Some(waiting) = waiting {
        others.inspect(|others| others.give(waiting.thread));
        match waiting.sender.send(job) {
            Ok(()) => return true,
            Err(refused) => job = refused.0,
        }
    }
    with_signals_blocked(|| spawn(job, others.as_ref()))
}

/// Has something done that nobody waits for, such as writing a file: by a thread that has nothing else to do, or when
/// the process ends; at once where there is no such thread. No thread is woken for it: that would count as work, and
/// what is more urgent be refused.
pub fn later(work: impl FnOnce() + Send + 'static) {
    if ALIVE.load(Ordering::SeqCst) == 0 {
        return work();
    }
    LATER
        .lock()
        .unwrap_or_else(|e| e.into_inner())
        .push(Box::new(work));
}

/// Does all work that nobody has waited for until now, and returns once it is done.
pub fn finish() {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    let all = std::mem::take(&mut *LATER.lock().unwrap_or_else(|e| e.into_inner()));
    for work in all {
        let _ = catch_unwind(AssertUnwindSafe(work));
    }
}

/// Makes a thread that does a job, on some of these cores. Returns false where there can be no thread.
fn spawn(job: Job, cores: Option<&Cores>) -> bool {
    extern "C" fn run(job: *mut c_void) -> *mut c_void {
        // SAFETY: it was made below, for this thread alone.
        let job = unsafe { Box::from_raw(job.cast::<(Alive, Job)>()) };
        let (_alive, job) = *job;
        serve(job);
        std::ptr::null_mut()
    }
    let job = Box::into_raw(Box::new((Alive::new(), job)));
    // SAFETY: the attributes are initialised before they are used; the box is the thread's if there is one.
    unsafe {
        let mut attributes = std::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstacksize(&mut attributes, STACK);
        libc::pthread_attr_setdetachstate(&mut attributes, libc::PTHREAD_CREATE_DETACHED);
        if let Some(cores) = cores {
            let set = cores.set();
            libc::pthread_attr_setaffinity_np(&mut attributes, size_of_val(set), set);
        }
        let mut thread = std::mem::zeroed();
        let made = libc::pthread_create(&mut thread, &attributes, run, job.cast()) == 0;
        libc::pthread_attr_destroy(&mut attributes);
        if !made {
            drop(Box::from_raw(job));
        }
        made
    }
}

/// Does a job, and others that come until none has come for a while.
fn serve(first: Job) {
    // SAFETY: this thread's own name and number.
    let thread = unsafe {
        libc::pthread_setname_np(libc::pthread_self(), c"nestwise".as_ptr());
        libc::gettid()
    };
    let mut next = Some(first);
    while let Some(Job { work, after, busy }) = next {
        // Whoever asked for the result finds none, and tries for itself.
        let _ = catch_unwind(AssertUnwindSafe(work));
        let (sender, jobs): (Sender<Job>, Receiver<Job>) = channel();
        // Before its work counts as done: whoever forks then finds it among those that wait, and lets it go.
        idle().push(Waiting { thread, sender });
        drop(busy);
        let _ = catch_unwind(AssertUnwindSafe(after));
        let mut job = jobs.recv_timeout(ALONE);
        for _ in 0..LOOKS {
            if !matches!(job, Err(RecvTimeoutError::Timeout)) {
                break;
            }
            finish();
            job = jobs.recv_timeout(IDLE_TIMEOUT / LOOKS);
        }
        next = match job {
            Err(RecvTimeoutError::Timeout) => {
                let mut idle = idle();
                let waits = idle.iter().position(|w| w.thread == thread);
                waits.map(|at| idle.swap_remove(at));
                drop(idle);
                // Otherwise somebody has work for it by now.
                match waits {
                    Some(_) => None,
                    None => jobs.recv().ok(),
                }
            }
            job => job.ok(),
        };
    }
    finish();
}

/// Whether fewer than `most` jobs are being done.
pub fn has_room(most: usize) -> bool {
    BUSY.load(Ordering::Relaxed) < most
}

/// Counts a job as being done for as long as this lives.
struct Busy;

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts a thread for as long as this lives.
struct Alive;

impl Alive {
    fn new() -> Alive {
        ALIVE.fetch_add(1, Ordering::SeqCst);
        Alive
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

fn watch_forks() {
    extern "C" fn before() {
        FORKING.store(true, Ordering::SeqCst);
        wait_for(&BUSY);
        // Nobody holds the lock any more: who waits for work does so without.
        idle().clear();
        wait_for(&ALIVE);
    }
    extern "C" fn after() {
        FORKING.store(false, Ordering::SeqCst);
    }
    fn wait_for(count: &AtomicUsize) {
        while count.load(Ordering::SeqCst) > 0 {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
    // SAFETY: the functions live as long as the process, and do nothing that a fork forbids.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(after)) };
}

/// Runs `f` so that a thread which it makes handles no signals: they are for Python's own threads.
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
        // Nobody is there yet who could do it later.
        let here = std::thread::current().id();
        let told_of = done.clone();
        later(move || told_of.send(std::thread::current().id()).unwrap());
        assert_eq!(told.try_recv(), Ok(here));
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
        // What nobody waits for is done all the same.
        let (done, told) = mpsc::channel();
        later(move || done.send(std::thread::current().id()).unwrap());
        let by = told.recv_timeout(IDLE_TIMEOUT).unwrap();
        assert_ne!(by, std::thread::current().id());
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
