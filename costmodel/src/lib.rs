//! What a nest costs where.
//!
//! Three things stay apart: **features** ([`features`]: what one execution of each loop body does, by kind of
//! operation), **weights** ([`profile`]: seconds per operation on one machine, by device), and the **model**
//! ([`price`] and [`decide`]: how features, weights and the sizes of a call combine into an estimate per device, and
//! which is taken). Features are taken once per typed nest; a call only fills in trip counts.
//!
//! This crate never measures anything.

pub mod blocks;
pub mod compute;
pub mod decide;
mod defaults;
pub mod device;
pub mod features;
pub mod forms;
pub mod gpu;
pub mod guess;
pub mod host;
pub mod learned;
pub mod making;
pub mod price;
pub mod profile;
pub mod record;
pub mod replay;
pub mod shape;
pub mod speed;
pub mod team;
pub mod weights;

pub use compute::Compute;
pub use decide::{Decision, Situation, Undo, decide};
pub use device::Device;
pub use features::{FEATURES_VERSION, Features};
pub use host::{HostWeights, Priced};
pub use learned::{Learned, Lesson};
pub use making::{Making, Product};
pub use price::{Estimate, Prices, Seconds};
pub use profile::{Caches, Fresh, MachineProfile, ProfileError, Ready};
pub use speed::Speed;
pub use team::Team;
pub use weights::{LaunchTally, LaunchWork, Weights};
