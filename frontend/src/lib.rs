//! Python source text of one site to an untyped loop nest, or the reason why not; and, when the types of what
//! the site reads are known, to a typed nest.
//!
//! The two halves:
//!
//! 1. Once per site, from text alone: [`parse_site`] (the only part that knows the parser), which also resolves
//!    names to places and decides which of them are captured and written; [`interface()`] then says what the
//!    hook is given and gives back.
//! 2. Once per signature: [`specialise`], from the surface nest and the [`capture`]s' types.

pub mod atoms;
pub mod capture;
pub mod effort;
pub mod guess;
pub mod interface;
pub mod known;
mod lines;
mod names;
mod objects;
pub mod parse;
pub mod places;
pub mod refusal;
pub mod special;
pub mod specialise;
pub mod text;
mod tuples;
pub mod wholes;

pub use interface::{Interface, LoopKind, interface};
pub use objects::{attributes_of_function, attributes_of_site, item_name};
pub use parse::{parse_function, parse_site, parse_value};
pub use places::ScopeInfo;
pub use refusal::Refusal;
