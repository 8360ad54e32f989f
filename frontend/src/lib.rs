//! Takes the Python source text of one site to an untyped loop nest, or the reason why not; and, when the types of what
//! the site reads are known, to a typed nest.
//!
//! The front end has two halves:
//!
//! 1. Once per site, from text alone: [`parse_site`] (the only part that knows the parser), which also resolves
//!    names to access paths and decides which of them are captured and written; [`interface()`] then says what the
//!    hook is given and gives back.
//! 2. Once per signature: [`specialise`](lowering::specialise), from the surface nest and the types of the
//!    [captures](site::captures).

#![warn(missing_docs)]

pub mod builtins;
pub mod host_functions;
pub mod inferred_types;
pub mod lowering;
pub mod refusal;
pub mod site;
pub mod surface_text;
pub mod syntax;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use crate::refusal::Refusal;
pub use crate::site::access_paths::ScopeInfo;
pub use crate::site::interface::{Interface, LoopKind, interface};
pub use crate::site::item_attributes::{
    attributes_of_function, attributes_of_site, item_name, key_of_name,
};
pub use crate::site::object_uses::{WholeUse, members_of_function, members_of_site, whole_uses};
pub use crate::syntax::{parse_function, parse_site, parse_value};
