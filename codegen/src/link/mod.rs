//! What generated code is linked with: object code loaded into memory, and the functions it calls.

pub mod entries;
pub(crate) mod helpers;
pub mod host;
pub(crate) mod hypot;
pub mod interrupts;
pub(crate) mod libdevice;
pub mod load;
pub(crate) mod merge;
pub(crate) mod mvec;
pub(crate) mod numpy;
pub(crate) mod save;
pub mod sequences;
pub(crate) mod slot;
pub(crate) mod ufunc;
