//! Vectors that lie in two lines of the cache, each of which takes an access.
//!
//! Loops on vectors are begun where what they store begins a line (`lower/vector/aligned.rs`), and arrays begin alike:
//! NumPy has all large ones begin 16 bytes behind a line. So what is known is how far a vector is from the stored one.

use llvm_sys::LLVMOpcode::*;

use crate::shape::affine::{Sum, sum};
use crate::shape::read::{Code, Inst, Operand};

/// Bytes of a cache line.
const LINE: i64 = 64;
const ELEMENT: f32 = 8.0;

/// How the vectors of a loop lie in cache lines.
pub(super) struct Straddle<'a> {
    code: &'a Code,
    vector_bits: u32,
    /// The address of the loop's first store, relative to the beginning of the array.
    stored: Option<Sum>,
}

impl<'a> Straddle<'a> {
    /// Looks at the stores of a loop's `own` blocks.
    pub(super) fn of(code: &'a Code, own: &[bool], vector_bits: u32) -> Straddle<'a> {
        let stores = |i: &&Inst| own[i.block] && i.code == LLVMStore && i.form.lanes > 1;
        let first = code.insts.iter().find(stores);
        Straddle {
            code,
            vector_bits,
            stored: first.map(|i| from_base(code, i.operands[1])),
        }
    }

    /// The mean number of cache lines that a register's worth of a load lies in; 1 for stores, which take their time
    /// however they lie.
    pub(super) fn lines(&self, inst: &Inst) -> f32 {
        if inst.code != LLVMLoad || inst.form.lanes <= 1 {
            return 1.0;
        }
        let bytes = (inst.form.lanes * inst.form.bits).min(self.vector_bits) as f32 / 8.0;
        let apart = self.stored.as_ref().and_then(|stored| {
            let mut apart = from_base(self.code, inst.operands[0]).plus(stored, -1);
            // Whole lines, as far as that is known.
            apart.terms.retain(|_, n| *n % LINE != 0);
            apart.known()
        });
        match apart.map(|bytes| bytes % LINE) {
            Some(0) => 1.0,
            Some(_) => 1.0 + bytes / LINE as f32,
            // Anywhere in a line.
            None => 1.0 + (bytes - ELEMENT).max(0.0) / LINE as f32,
        }
    }
}

/// An address relative to the beginning of its array.
fn from_base(code: &Code, address: Operand) -> Sum {
    let mut base = address;
    while let Operand::Code(k) = base
        && code.insts[k].code == LLVMGetElementPtr
    {
        base = code.insts[k].operands[0];
    }
    sum(code, address).plus(&sum(code, base), -1)
}
