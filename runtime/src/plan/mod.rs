//! Plans: what is known of a nest for one signature.

pub mod analysed;
pub(crate) mod grid;
pub(crate) mod learning;
pub(crate) mod losses;
pub(crate) mod native;
pub mod on_disk;
pub mod price;
pub mod recent;
pub mod record;
pub(crate) mod recording;
pub mod resolve;
pub(crate) mod sharing;
pub(crate) mod sizes;

use nestwise_tiering::Tiers;

use crate::estimate::trip_sampling::Guesses;
use crate::kernel::kernels::Kernels;
use crate::kernel::on_disk::KernelsOnDisk;
use crate::launch::proof::Inspections;
use crate::plan::analysed::Analysed;
use crate::plan::grid::GridState;
use crate::plan::learning::Learning;
use crate::plan::losses::LossesOnDisk;
use crate::plan::recent::RecentDecisions;
use crate::plan::recording::Recording;

pub use crate::plan::sizes::{Sizes, TopRange};

/// A nest for one signature: what its types decide, and a record for each thing that its calls find out. Every record
/// has locks of its own, and says who writes it and who reads it.
pub struct Plan {
    /// What types alone decide.
    pub analysed: Analysed,
    /// The kernels made so far.
    pub kernels: Kernels,
    /// The kernels of the nest that the cache on disk has.
    pub kernels_on_disk: KernelsOnDisk,
    /// When code is made, and of which tier.
    pub tiers: Tiers,
    /// What was lost for want of code, over all processes.
    pub losses: LossesOnDisk,
    /// How estimates are to be corrected.
    pub learning: Learning,
    /// The decisions of the last few calls.
    pub recent: RecentDecisions,
    /// Trip counts and branch directions by samples of earlier calls.
    pub guesses: Guesses,
    /// What the nest's index arrays have held.
    pub inspections: Inspections,
    /// What is known of the nest on a device's grid.
    pub grid: GridState,
    /// What the nest's prices depended on, where that is kept.
    pub recording: Recording,
}

impl Plan {
    /// A plan of a nest that was not called yet.
    pub fn new(analysed: Analysed) -> Plan {
        Plan {
            analysed,
            kernels: Kernels::default(),
            kernels_on_disk: KernelsOnDisk::default(),
            tiers: Tiers::default(),
            losses: LossesOnDisk::default(),
            learning: Learning::default(),
            recent: RecentDecisions::default(),
            guesses: Guesses::default(),
            inspections: Inspections::default(),
            grid: GridState::default(),
            recording: Recording::default(),
        }
    }
}
