//! Mathematical functions.

pub(crate) mod call;
pub(crate) mod libm;
pub(crate) mod numpy_loops;
pub(crate) mod vector_math;
