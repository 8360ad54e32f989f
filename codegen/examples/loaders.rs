//! Links the object of a typical nest by the loader of this crate and by LLVM's JITLink, and prints the median
//! microseconds of each.
//!
//!     cargo run --release -p nestwise-codegen --example loaders

use std::ffi::CStr;
use std::hint::black_box;
use std::ptr::null_mut;
use std::time::Instant;

use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::ee::LLVMOrcCreateObjectLinkingLayerWithInProcessMemoryManager;
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;
use nestwise_codegen::abi::ENTRY_SYMBOL;
use nestwise_codegen::{FpMode, KernelSpec, Tier, compile, load};
use nestwise_ir::testing::nest;
use nestwise_ir::{LoopId, Nest, Schedule};

/// How often each loader links the object.
const TIMES: usize = 1_000;

/// A product of matrices: eight lanes, four rows at once.
fn product() -> (Nest, Schedule) {
    let nest = nest(
        "n: int, a: f64[2], b: f64[2], c: f64[2]",
        "
for i in range(n):
    for j in range(n):
        s = 0.0
        for k in range(n):
            s = s + a[i, k] * b[k, j]
        c[i, j] = s
",
    );
    let schedule = Schedule {
        vector: vec![(LoopId(0), 4), (LoopId(1), 8)],
        ..Schedule::serial()
    };
    (nest, schedule)
}

/// Panics where LLVM reports an error.
fn check(error: LLVMErrorRef) {
    if !error.is_null() {
        // SAFETY: the error is one, and its message is a string.
        let message = unsafe { CStr::from_ptr(LLVMGetErrorMessage(error)) };
        panic!("{}", message.to_string_lossy());
    }
}

/// LLVM's JIT with JITLink as its linker.
struct Orc {
    jit: LLVMOrcLLJITRef,
}

impl Orc {
    fn new() -> Orc {
        extern "C" fn layer(
            _: *mut std::ffi::c_void,
            session: LLVMOrcExecutionSessionRef,
            _: *const std::ffi::c_char,
        ) -> LLVMOrcObjectLayerRef {
            let mut made = null_mut();
            // SAFETY: the session is the JIT's.
            check(unsafe {
                LLVMOrcCreateObjectLinkingLayerWithInProcessMemoryManager(&mut made, session)
            });
            made
        }
        let mut jit = null_mut();
        // SAFETY: the builder is new, and the JIT takes it.
        unsafe {
            let builder = LLVMOrcCreateLLJITBuilder();
            LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, layer, null_mut());
            check(LLVMOrcCreateLLJIT(&mut jit, builder));
        }
        Orc { jit }
    }

    /// Links an object, looks its entry up, and removes it.
    fn link(&self, object: &[u8], symbol: &CStr) -> u64 {
        let mut at = 0;
        // SAFETY: the JIT is alive, and the buffer, a copy of the object, becomes its own.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                c"nest".as_ptr(),
            );
            let library = LLVMOrcLLJITGetMainJITDylib(self.jit);
            let tracker = LLVMOrcJITDylibCreateResourceTracker(library);
            check(LLVMOrcLLJITAddObjectFileWithRT(self.jit, tracker, buffer));
            check(LLVMOrcLLJITLookup(self.jit, &mut at, symbol.as_ptr()));
            check(LLVMOrcResourceTrackerRemove(tracker));
            LLVMOrcReleaseResourceTracker(tracker);
        }
        at
    }
}

impl Drop for Orc {
    fn drop(&mut self) {
        // SAFETY: nobody else has the JIT.
        check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let (nest, schedule) = product();
    let compiled = compile(KernelSpec {
        nest: &nest,
        schedule: &schedule,
        disjoint: true,
        unit_stride: &[true; 3],
        fp: FpMode::Strict,
        quiet: false,
        unchecked: false,
        tier: Tier::Optimised,
    })
    .unwrap_or_else(|e| panic!("{e}"));
    let object = compiled.object;
    let symbol = std::ffi::CString::new(ENTRY_SYMBOL).unwrap_or_default();
    let started = Instant::now();
    let orc = Orc::new();
    let start = started.elapsed();
    let (mut own, mut orcs) = (vec![], vec![]);
    for _ in 0..TIMES {
        let started = Instant::now();
        let kernel = load(&object).unwrap_or_else(|e| panic!("{e}"));
        black_box(kernel.entry());
        drop(kernel);
        own.push(started.elapsed().as_secs_f64() * 1e6);
        let started = Instant::now();
        black_box(orc.link(&object, &symbol));
        orcs.push(started.elapsed().as_secs_f64() * 1e6);
    }
    println!(
        "object of {} bytes, each linked {TIMES} times",
        object.len()
    );
    println!("own loader  median {:8.1} µs", median(own));
    println!("JITLink     median {:8.1} µs", median(orcs));
    println!("LLJIT made in      {:8.1} µs", start.as_secs_f64() * 1e6);
}
