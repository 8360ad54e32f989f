//! Time of compiled code, by what bounds it and whether threads share it.

use std::ops::Add;

use nestwise_ir::LoopId;

use crate::units::Seconds;

/// Time on one core, by what bounds it. Lines come from memory while the core works on those that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByBound {
    /// The core's units, and its own caches.
    pub compute: Seconds,
    /// Operations that wait for the one before.
    pub latency: Seconds,
    /// Memory, and caches that cores have in common.
    pub memory: Seconds,
}

impl ByBound {
    /// Until all of it is done.
    pub fn total(&self) -> Seconds {
        Seconds((self.compute + self.latency).0.max(self.memory.0))
    }
}

impl Add for ByBound {
    type Output = ByBound;
    fn add(self, other: ByBound) -> ByBound {
        ByBound {
            compute: self.compute + other.compute,
            latency: self.latency + other.latency,
            memory: self.memory + other.memory,
        }
    }
}

/// Time of compiled code on one core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compute {
    /// Outside of loops that threads share.
    pub alone: ByBound,
    /// Inside.
    pub shared: ByBound,
    /// How often threads are started for those, if the kernel tells.
    pub forks: Option<f64>,
}

impl Compute {
    /// The same if threads could share all of it.
    pub fn all_shared(self) -> Compute {
        Compute {
            alone: ByBound::default(),
            shared: self.alone + self.shared,
            forks: None,
        }
    }
    /// Everything, on one core.
    pub fn total(&self) -> Seconds {
        self.alone.total() + self.shared.total()
    }
}

/// A loop of a kernel whose iterations threads share, in a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shared {
    /// The kernel's number of it, if it has one.
    pub id: Option<LoopId>,
    /// How often it is started.
    pub starts: f64,
    /// Iterations each time, in the mean.
    pub trips: f64,
    /// What all of it takes on one core.
    pub time: ByBound,
}
