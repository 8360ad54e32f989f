//! Tests of the specialiser: text forms, refusals, and meaning (against CPython, through a small evaluator).

pub(crate) mod cpython;
pub(crate) mod eval;
pub(crate) mod meaning;
pub(crate) mod random;

pub(crate) use crate::testing::*;
