//! Addresses as sums of multiples of what does not change in a loop, and of its counters.

use std::collections::BTreeMap;

use llvm_sys::LLVMOpcode::*;

use crate::shape::read::{Code, Operand};

/// `constant + sum of factor * term`, where terms are whatever is not itself such a sum.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Sum {
    pub(super) constant: i64,
    pub(super) terms: BTreeMap<Operand, i64>,
}

/// How deep operands of operands are followed, at most.
const DEPTH: u32 = 24;

impl Sum {
    fn of(o: Operand) -> Sum {
        match o {
            Operand::Int(constant) => Sum {
                constant,
                terms: BTreeMap::new(),
            },
            _ => Sum {
                constant: 0,
                terms: BTreeMap::from([(o, 1)]),
            },
        }
    }
    /// `self + factor * other`.
    pub(super) fn plus(mut self, other: &Sum, factor: i64) -> Sum {
        let times = |n: i64| n.wrapping_mul(factor);
        self.constant = self.constant.wrapping_add(times(other.constant));
        for (term, n) in &other.terms {
            let have = self.terms.entry(*term).or_insert(0);
            *have = have.wrapping_add(times(*n));
        }
        self.terms.retain(|_, n| *n != 0);
        self
    }
    /// The constant, if the sum has no terms.
    pub(super) fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// An operand as a sum.
pub(super) fn sum(code: &Code, o: Operand) -> Sum {
    follow(code, o, DEPTH)
}

fn follow(code: &Code, o: Operand, depth: u32) -> Sum {
    let Operand::Code(k) = o else {
        return Sum::of(o);
    };
    let inst = &code.insts[k];
    if depth == 0 || inst.form.lanes > 1 {
        return Sum::of(o);
    }
    let at = |n: usize| follow(code, inst.operands[n], depth - 1);
    match inst.code {
        LLVMAdd => at(0).plus(&at(1), 1),
        LLVMSub => at(0).plus(&at(1), -1),
        // What is left of a number if all of its bits are turned over.
        LLVMXor if at(1).known() == Some(-1) => Sum::of(Operand::Int(-1)).plus(&at(0), -1),
        LLVMMul => match (at(0).known(), at(1).known()) {
            (_, Some(n)) => Sum::default().plus(&at(0), n),
            (Some(n), _) => Sum::default().plus(&at(1), n),
            _ => Sum::of(o),
        },
        LLVMShl => match at(1).known() {
            Some(n @ 0..=32) => Sum::default().plus(&at(0), 1 << n),
            _ => Sum::of(o),
        },
        LLVMSExt | LLVMZExt => at(0),
        // Disjoint bits are added.
        LLVMGetElementPtr => match inst.scale {
            Some(scale) => at(0).plus(&at(1), scale),
            None => Sum::of(o),
        },
        _ => Sum::of(o),
    }
}
