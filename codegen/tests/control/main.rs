//! Control flow, indexing, chunks, slots, reductions: each nest under every schedule that applies to it, against
//! what the same loop computes here.

#[path = "../common/mod.rs"]
mod common;
mod elements;
mod flags;
mod lanes;
mod ranges;

use common::*;
use nestwise_ir::{Expr, IdSet, LoopId, Schedule};

/// The schedules that tests run the top loop under: serial, by lanes, on threads, and on threads by lanes.
fn ways(id: LoopId) -> Vec<(String, Schedule)> {
    let mut all = vec![("serial".to_string(), Schedule::serial())];
    for n in [2, 4, 8, 32] {
        all.push((format!("{n} lanes"), vector(id, n)));
    }
    all.push(("threads".into(), threads(id)));
    let both = Schedule {
        nonempty: IdSet::new(),
        vector: vec![(id, 8)],
        ..threads(id)
    };
    all.push(("threads and lanes".into(), both));
    all
}

#[track_caller]
fn same(got: &[f64], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len());
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        assert!(
            g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan(),
            "{what}: [{k}] is {g}, not {w}"
        );
    }
}

/// A float constant.
fn f(v: f64) -> Expr {
    constant(nestwise_ir::Const::Float(v), NPF)
}
