//! Splits every range into three parts, to test what serial execution in one part cannot.

use nestwise_codegen::abi::{Body, part};

/// What copies are aligned to.
#[derive(Clone)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; 64]);

/// Loops on threads run in three parts from now on.
pub fn register() {
    nestwise_codegen::register_parallel(run, free);
}

#[allow(clippy::too_many_arguments)] // the kernel ABI's
unsafe extern "C" fn run(
    body: Body,
    env: *mut u8,
    lo: i64,
    hi: i64,
    size: i64,
    parts: *mut *mut u8,
    copies: i64,
    _keep: i64,
) -> i64 {
    let count = (hi - lo).min(3);
    let cells = (size as usize).div_ceil(16);
    let records = Box::leak(vec![0u128; cells * count as usize].into_boxed_slice())
        .as_mut_ptr()
        .cast::<u8>();
    assert_eq!(size % 16, 0);
    assert_eq!(copies % 64, 0);
    for k in (0..count).rev() {
        if copies > 0 && k + 1 < count {
            let lines = vec![Line([0; 64]); copies as usize / 64];
            let own = Box::leak(lines.into_boxed_slice()).as_mut_ptr();
            unsafe { *records.add((k * size) as usize + part::COPIES).cast() = own };
        }
        let (from, to) = (lo + (hi - lo) * k / count, lo + (hi - lo) * (k + 1) / count);
        unsafe { body(env, from, to, records.add(k as usize * size as usize)) };
    }
    unsafe { *parts = records };
    count
}
unsafe extern "C" fn free(parts: *mut u8, count: i64, size: i64) {
    let cells = (size as usize).div_ceil(16) * count as usize;
    drop(unsafe {
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(
            parts.cast::<u128>(),
            cells,
        ))
    });
}
