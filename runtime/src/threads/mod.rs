//! Parallel loops on threads of the host: the pool, its workers, the cores they run on, the floating-
//! point environment.

pub(crate) mod affinity;
pub mod fp_environment;
pub mod pool;
pub mod workers;
