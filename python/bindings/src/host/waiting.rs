//! Whether somebody waits for the thread that runs a kernel: a signal, another thread of Python's that wants the
//! interpreter, an asynchronous exception, a pending call.
//!
//! CPython keeps a word for just that (`eval_breaker`), which it looks at on every backward jump; no API gives its
//! address. The word is found by its behaviour: it is 0, becomes 1 (one bit, from 3.13 on) while pending calls are
//! there, is 0 again once they have been made, and is not 0 while an asynchronous exception is there. Where no word or
//! more than one behaves like that, nothing is known, and kernels give up a long iteration after some time whether
//! somebody waits or not.

use std::ffi::{c_int, c_long, c_ulong, c_void};
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;

use crate::process::once::Once;

/// The address of the word: of the last thread to launch a kernel, or, up to CPython 3.12, of all threads. Null where
/// it is not known.
static WORD: AtomicPtr<AtomicI32> = AtomicPtr::new(std::ptr::null_mut());
/// The index of the word in a thread's state, from CPython 3.13 on; -1 where it is not known.
static IN_THREAD: AtomicI32 = AtomicI32::new(-1);

/// The number of words to look through at the beginning of the interpreter's state, up to CPython 3.12.
const OF_INTERPRETER: usize = 64;
/// The number of words to look through at the beginning of a thread's state, from CPython 3.13 on.
const OF_THREAD: usize = 12;
/// The bits that say that somebody waits; above them is a version of what is monitored, from CPython 3.12 on.
const EVENTS: i32 = 0xff;
/// The first CPython version in which each thread has a word of its own.
const THREADS_HAVE_ONE: (u8, u8) = (3, 13);

unsafe extern "C" {
    /// Exported by every CPython, although the limited API does not declare it.
    fn PyThread_get_thread_ident() -> c_ulong;
}

extern "C" fn nothing(_: *mut c_void) -> c_int {
    0
}

/// Finds the word, once, in the main thread. An error is what a signal handler raised meanwhile.
pub fn find(py: Python<'_>) -> PyResult<()> {
    let version = py.version_info();
    let of_thread = (version.major, version.minor) >= THREADS_HAVE_ONE;
    // SAFETY: both states live as long as this thread has the interpreter, and are longer than what is looked through.
    let (begin, words) = unsafe {
        match of_thread {
            true => (ffi::PyThreadState_Get().cast::<AtomicI32>(), OF_THREAD),
            false => (
                ffi::PyInterpreterState_Get().cast::<AtomicI32>(),
                OF_INTERPRETER,
            ),
        }
    };
    // SAFETY: as above; others may write these words meanwhile.
    let all = unsafe { std::slice::from_raw_parts(begin, words) };
    let now = || -> Vec<i32> {
        all.iter()
            .map(|w| w.load(Ordering::Relaxed) & EVENTS)
            .collect()
    };
    let before = now();
    // SAFETY: the functions are there for as long as the process is.
    let added = unsafe { ffi::Py_AddPendingCall(Some(nothing), std::ptr::null_mut()) } == 0;
    let meanwhile = now();
    // SAFETY: the interpreter is held. Signals' handlers may run and raise.
    if unsafe { ffi::Py_MakePendingCalls() } != 0 {
        return Err(PyErr::fetch(py));
    }
    let after = now();
    // SAFETY: the interpreter is held.
    let me = unsafe { PyThread_get_thread_ident() } as c_long;
    unsafe { ffi::PyThreadState_SetAsyncExc(me, ffi::PyExc_BufferError) };
    let with_exception = now();
    // Taken away unraised, it would leave the word as it is for ever.
    match serve(py) {
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyBufferError>(py) => {}
        other => {
            // SAFETY: as above.
            unsafe { ffi::PyThreadState_SetAsyncExc(me, std::ptr::null_mut()) };
            return other;
        }
    }
    let is_flag = |k: &usize| {
        let off = before[*k] == 0 && after[*k] == 0;
        off && meanwhile[*k].count_ones() == 1 && with_exception[*k].count_ones() == 1
    };
    let mut found = (0..words).filter(is_flag);
    if let (true, Some(at), None) = (added, found.next(), found.next()) {
        WORD.store(std::ptr::from_ref(&all[at]).cast_mut(), Ordering::Relaxed);
        if of_thread {
            IN_THREAD.store(at as i32, Ordering::Relaxed);
        }
        nestwise_codegen::link::interrupts::register_waiting(is_somebody);
    }
    Ok(())
}

/// Notes that this thread is about to run a kernel, so that its word is looked at.
pub fn watch(_py: Python<'_>) {
    let at = IN_THREAD.load(Ordering::Relaxed);
    if at >= 0 {
        // SAFETY: inside this thread's state, as it was found.
        let word = unsafe {
            ffi::PyThreadState_Get()
                .cast::<AtomicI32>()
                .add(at as usize)
        };
        WORD.store(word, Ordering::Relaxed);
    }
}

/// Whether the word was found, so that it is known whether somebody waits.
pub fn is_known() -> bool {
    !WORD.load(Ordering::Relaxed).is_null()
}

/// Whether somebody is known to wait for the thread that holds the interpreter.
pub fn is_somebody() -> bool {
    let word = WORD.load(Ordering::Relaxed);
    // SAFETY: null, or a word of a state that is alive while its thread runs a kernel.
    !word.is_null() && unsafe { (*word).load(Ordering::Relaxed) } & EVENTS != 0
}

/// Has CPython do what it does on a backward jump: run signal handlers and pending calls, let another thread run, and
/// raise an asynchronous exception for this thread, which is the error. User code may run.
pub fn serve(py: Python<'_>) -> PyResult<()> {
    static NOTHING: Once<Py<PyAny>> = Once::new();
    let function = NOTHING
        .get_or_try_init(|| Ok::<_, PyErr>(py.eval(c"lambda: None", None, None)?.unbind()))?;
    let served = function.call0(py);
    served.map(|_| ()).inspect_err(|error| {
        // The exception is raised where the loop is, not in a function of nestwise.
        error.set_traceback(py, None);
    })
}
