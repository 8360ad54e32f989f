//! Operations on single values.

pub(crate) mod arith;
pub(crate) mod bigint;
pub(crate) mod calls;
pub(crate) mod characters;
pub(crate) mod compare;
pub(crate) mod conversions;
pub(crate) mod convert;
pub(crate) mod math;
pub(crate) mod named;
pub(crate) mod number_theory;
pub(crate) mod strings;
