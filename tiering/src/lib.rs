//! When a loop goes from CPython to quick code to optimised code, when it is not attempted, and when it backs off.
//!
//! # The states of a site
//! ```text
//!   unplanned --lost as much as a plan and quick code take--> planned
//!   planned   --lost a share of what quick code takes------> quick code runs
//!   quick     --lost a share of what optimised code takes--> optimised code runs
//!   any       --attempts cost more than a share of what CPython takes--> left to CPython for a while
//! ```
//! CPython runs what there is no code for; code is made beside it where there is a core to spare, and entered between
//! two iterations of the outermost loop, or at the next call. What is lost counts over all processes that ran the site
//! ([`lost`]).
//!
//! # The bound
//! Against CPython to the end a call loses at most [`LOSS_SHARE`](constants::LOSS_SHARE) of its time, and one attempt
//! ([`losses`]). Against native code from the start it loses at most what a plan and quick code take, twice
//! (ski-rental: as long without as they take, and as long as they take), and one iteration of the outermost loop, which
//! nobody can stop ([`unplanned`], [`tiers`]).
//!
//! # The parts
//! - [`fast_reject`], [`admission`], [`switch`], [`backoff`]: calls that are not attempted, since they are too small,
//!   or others like them came to nothing;
//! - [`unplanned`]: when a plan is made;
//! - [`tiers`], [`coming`], [`lost`]: when code is made, and of which tier, and what a run would wait for it;
//! - [`shares`], [`iterations`]: how many iterations CPython runs between two questions, and how long one of native
//!   code's may be;
//! - [`losses`]: what attempts that end soon may cost;
//! - [`constants`]: every number.
//!
//! Nothing here knows Python objects, nests or LLVM: callers say what something takes, and do what comes out.

#![warn(missing_docs)]

pub mod admission;
pub mod backoff;
pub mod clock;
pub mod coming;
pub mod constants;
pub mod fast_reject;
pub mod iterations;
pub mod losses;
pub mod lost;
pub mod shares;
pub mod switch;
pub mod tiers;
pub mod unplanned;
mod work;

pub use crate::admission::Admission;
pub use crate::backoff::{Attempted, Why};
pub use crate::coming::Coming;
pub use crate::fast_reject::FastReject;
pub use crate::iterations::Iterations;
pub use crate::losses::Losses;
pub use crate::lost::{Legacy, Lost};
pub use crate::tiers::{Missing, Next, Room, Running, Tiers};
pub use crate::unplanned::{Budget, Course, Ongoing, Price, Unplanned};
pub use crate::work::Work;
