//! Splits every range into parts, three unless a test says otherwise, to test what serial execution in one part cannot.

use std::sync::atomic::{AtomicI64, Ordering};

use nestwise_codegen::abi::{Body, part};

/// The most parts of a range.
pub static PARTS: AtomicI64 = AtomicI64::new(3);

/// A cache line, to which copies are aligned.
#[derive(Clone)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; 64]);

/// Has loops on threads run in parts ([`PARTS`]) from now on.
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
    save: Option<Body>,
    _grain: i64,
    _id: i64,
) -> i64 {
    let count = (hi - lo).min(PARTS.load(Ordering::Relaxed));
    let cut = |k: i64| lo + (hi - lo) * k / count;
    let needs = |k: i64| match save {
        None => copies,
        Some(save) => {
            let mut record = [0i64; 4];
            unsafe { save(env, cut(k), cut(k + 1), record.as_mut_ptr().cast()) };
            record[part::STATUS / 8]
        }
    };
    let cells = (size as usize).div_ceil(16);
    let records = Box::leak(vec![0u128; cells * count as usize].into_boxed_slice())
        .as_mut_ptr()
        .cast::<u8>();
    assert_eq!(size % 16, 0);
    let record = |k: i64| unsafe { records.add((k * size) as usize) };
    for k in 0..count - 1 {
        let bytes = needs(k);
        assert_eq!(bytes % 64, 0);
        if bytes > 0 {
            let lines = vec![Line([0; 64]); bytes as usize / 64];
            let own = Box::leak(lines.into_boxed_slice()).as_mut_ptr();
            unsafe { *record(k).add(part::COPIES).cast() = own };
        }
        if let Some(save) = save {
            unsafe { save(env, cut(k), cut(k + 1), record(k)) };
        }
    }
    // The last one first: what it writes is what those before it must not find.
    for k in (0..count).rev() {
        unsafe { body(env, cut(k), cut(k + 1), record(k)) };
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
