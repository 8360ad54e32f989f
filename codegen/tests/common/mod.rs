//! A harness that runs kernels on buffers; nests are built by `nestwise_ir::testing::builder`.
#![allow(dead_code, unused_imports)]

mod run;

use nestwise_ir::{Prov, Scalar, Ty};

pub use nestwise_ir::testing::builder::*;

pub use run::*;

pub mod pool;

/// A provenance with its type.
pub fn np(repr: Scalar) -> Ty {
    Ty {
        prov: Prov::Np,
        repr,
    }
}

/// A small reproducible generator (Knuth's MMIX constants).
pub struct Random(pub u64);
impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = self.0;
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (x >> 32)
    }
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
