//! Passes over the typed nest that lowering has built; [`crate::lowering::pipeline`] says in which order.

pub(crate) mod joint_updates;
pub(crate) mod opaque_objects;
