//! The sticky floating-point flags of this thread (MXCSR), which tell after a kernel whether NumPy might have
//! warned: overflow, invalid operation, division by zero. Underflow is ignored by NumPy's default too.

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

/// Clears the flags.
pub fn clear() {
    write(read() & !ALL_FLAGS);
}

/// Whether a watched flag is set.
pub fn raised() -> bool {
    read() & WATCHED != 0
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
}
