//! Damaged object files are errors, never crashes.

mod common;

use common::*;
use nestwise_codegen::{CodegenError, compile, load};
use nestwise_ir::Schedule;

fn object() -> Vec<u8> {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let power = bin(
        nestwise_ir::BinOp::Pow,
        b.load(x, vec![b.v(i)], false),
        float_np(0.3),
        true,
    );
    let put = b.store(y, vec![b.v(i)], power, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    let nest = b.finish(top);
    compile(spec(&nest, &Schedule::serial()))
        .expect("compiles")
        .object
}

fn float_np(v: f64) -> nestwise_ir::Expr {
    constant(nestwise_ir::Const::Float(v), NPF)
}

#[test]
fn truncated_objects_do_not_load() {
    let object = object();
    assert!(load(&object).is_ok());
    for end in 0..object.len() {
        // The end of the file may be padding of the section headers, but never what is needed.
        if let Err(e) = load(&object[..end]) {
            assert!(matches!(e, CodegenError::Object(_)));
        } else {
            panic!("{end} of {} bytes load", object.len());
        }
    }
}

/// A flipped byte is an error or goes unnoticed (it may lie in code); it must not crash the loader.
#[test]
fn flipped_bytes_do_not_crash_the_loader() {
    let object = object();
    let mut failed = 0;
    for at in 0..object.len() {
        for bit in [0x01, 0x80] {
            let mut damaged = object.clone();
            damaged[at] ^= bit;
            failed += u32::from(load(&damaged).is_err());
        }
    }
    assert!(failed > 20, "only {failed} flips were noticed");
}

/// Kernels are loaded and dropped again and again, and used by several threads at once.
#[test]
fn kernels_are_shared_and_unloaded() {
    let object = object();
    for _ in 0..200 {
        drop(load(&object).expect("loads"));
    }
    let kernel = load(&object).expect("loads");
    assert!(kernel.size() > 0);
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&kernel);
}
