//! The sticky floating-point flags of this thread, which tell after a kernel whether NumPy might have warned: overflow,
//! invalid operation, division by zero. Underflow is ignored by NumPy's default too.
//!
//! There are two sets of flags: arithmetic sets those of MXCSR; where NumPy's loops find an overflow themselves they
//! call `feraiseexcept`, which sets those of the x87 unit.

use std::arch::asm;

const INVALID: u32 = 1;
const DIVIDE: u32 = 1 << 2;
const OVERFLOW: u32 = 1 << 3;
const WATCHED: u32 = INVALID | DIVIDE | OVERFLOW;
const ALL_FLAGS: u32 = 0x3f;

fn read() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores the control register into a local.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut value, options(nostack)) };
    value
}

fn write(value: u32) {
    // SAFETY: only flag bits differ from what was read; masks and rounding mode stay.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &value, options(nostack, readonly)) };
}

/// The flags of the x87 unit; the bits mean what they mean in MXCSR.
fn x87() -> u32 {
    let mut status = 0u16;
    // SAFETY: stores the status word into a local.
    unsafe { asm!("fnstsw [{}]", in(reg) &mut status, options(nostack)) };
    u32::from(status) & ALL_FLAGS
}

/// Clears the flags.
pub fn clear() {
    write(read() & !ALL_FLAGS);
    if x87() != 0 {
        // SAFETY: clears the exception flags of the status word, nothing else.
        unsafe { asm!("fnclex", options(nostack, nomem)) };
    }
}

/// Whether a watched flag is set.
pub fn raised() -> bool {
    (read() | x87()) & WATCHED != 0
}

/// Sets the watched flags, to pass on what another thread raised.
pub fn raise() {
    write(read() | WATCHED);
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    #[test]
    fn an_overflow_is_seen_and_an_inexact_result_is_not() {
        super::clear();
        assert!(black_box(black_box(0.1) + black_box(0.2)) > 0.0);
        assert!(!super::raised());
        assert!(black_box(black_box(1e308) * black_box(10.0)) > 0.0);
        assert!(super::raised());
        super::clear();
        assert!(!super::raised());
    }

    #[test]
    fn a_flag_that_a_library_raises_is_seen() {
        super::clear();
        // SAFETY: 1.0 / 0.0 on the x87 stack, popped again; the exception is masked.
        unsafe {
            std::arch::asm!("fld1", "fldz", "fdivp st(1), st", "fstp st(0)", out("st(0)") _, out("st(1)") _)
        };
        assert!(super::raised());
        super::clear();
        assert!(!super::raised());
    }
}
