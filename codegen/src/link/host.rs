//! Calls of CPython from a kernel: which host a thread's kernels call.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::NonNull;

use crate::link::entries::EMPTY;

/// The bytes of a cell, in which a scalar crosses between a kernel and its host. In it: bools as a byte, ints and floats
/// in their own size, complex numbers as real and imaginary part.
pub const CELL: usize = 16;

/// The type of `nw_host(fragment, cells)`: evaluates the fragment with the scalars in `cells`, one a cell, and leaves
/// the value in the first. Returns 0, or another number where the guard of the call fails.
pub(crate) type HostCall = unsafe extern "C" fn(fragment: i64, cells: *mut u8) -> i64;

/// What evaluates the fragments of a nest.
pub trait Fragments {
    /// Evaluates a fragment with the scalars in `cells`, and leaves its value in the first cell; false where the guard
    /// of the call fails. The floating-point flags of the thread are as before.
    ///
    /// # Safety
    /// `cells` points to a cell for each scalar of the fragment, at least one; each holds a value of the scalar's type.
    unsafe fn evaluate(&mut self, fragment: usize, cells: *mut u8) -> bool;

    /// What compiled code performs the operation of a fragment on, which stays where it is until the kernel returns: a
    /// [`Table`](crate::link::entries::Table) of entries, or a [`Sequence`](crate::link::sequences::Sequence).
    fn kept(&self, fragment: usize) -> *const c_void;
}

thread_local! {
    static HOST: Cell<Option<NonNull<dyn Fragments>>> = const { Cell::new(None) };
}

/// Runs `work`, in which kernels on this thread have their fragments evaluated by `host`.
pub fn with_fragments<T>(host: &mut dyn Fragments, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<NonNull<dyn Fragments>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            HOST.set(self.0);
        }
    }
    // SAFETY: the pointer is used while `work` runs only, which the borrow outlives; only the lifetime changes.
    let host: NonNull<dyn Fragments> = unsafe { std::mem::transmute(NonNull::from(host)) };
    let _restore = Restore(HOST.replace(Some(host)));
    work()
}

pub(crate) unsafe extern "C" fn nw_host(fragment: i64, cells: *mut u8) -> i64 {
    let Some(mut host) = HOST.get() else {
        return 1;
    };
    // SAFETY: set by `with_fragments`, whose work this is part of; the kernel's cells are the fragment's. A fragment
    // that runs a kernel of its own sets another host meanwhile.
    let done = unsafe { host.as_mut().evaluate(fragment as usize, cells) };
    i64::from(!done)
}

/// The type of `nw_kept(fragment)`: what compiled code performs the operation of a fragment on.
pub(crate) type KeptFor = extern "C" fn(fragment: i64) -> *const c_void;

pub(crate) extern "C" fn nw_kept(fragment: i64) -> *const c_void {
    match HOST.get() {
        // SAFETY: set by `with_fragments`, whose work this is part of.
        Some(host) => unsafe { host.as_ref() }.kept(fragment as usize),
        None => (&raw const EMPTY).cast(),
    }
}

/// Runs `work`, and leaves the floating-point flags of this thread as they were: kernels watch them.
pub fn keeping_flags<T>(work: impl FnOnce() -> T) -> T {
    let flags = FloatFlags::get();
    let result = work();
    flags.set();
    result
}

/// The floating-point flags of this thread, which kernels watch and CPython sets as well.
struct FloatFlags(u32);

impl FloatFlags {
    #[cfg(target_arch = "x86_64")]
    fn get() -> FloatFlags {
        let mut flags = 0_u32;
        // SAFETY: stores the register to the variable.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut flags, options(nostack)) };
        FloatFlags(flags)
    }

    #[cfg(target_arch = "x86_64")]
    fn set(self) {
        // SAFETY: loads what the register held before.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.0, options(nostack, readonly))
        };
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn get() -> FloatFlags {
        FloatFlags(0)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn set(self) {}
}
