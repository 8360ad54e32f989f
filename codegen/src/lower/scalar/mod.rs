//! Operations on one value, or on a vector of values where nothing but the type differs.

pub(crate) mod cast;
pub(crate) mod compare;
pub(crate) mod complex;
pub(crate) mod expr;
pub(crate) mod flag_state;
pub(crate) mod flag_values;
pub(crate) mod float;
pub(crate) mod int;
pub(crate) mod int_op;
pub(crate) mod linear;
