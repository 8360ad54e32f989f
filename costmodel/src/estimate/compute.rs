//! Time of compiled code, by what bounds it and whether threads share it.

use std::ops::Add;

use nestwise_ir::LoopId;

use crate::units::Seconds;

/// Time on one core, by what bounds it. Lines come from memory while the core works on those that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByBound {
    /// Time in which the core's units or its own caches are the bottleneck.
    pub compute: Seconds,
    /// Time in which operations wait for the one before.
    pub latency: Seconds,
    /// Time of transfers from memory and from caches that cores share.
    pub memory: Seconds,
}

impl ByBound {
    /// The time until all of it is done: memory is fetched while the core works.
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
    /// Time outside of loops that threads share.
    pub alone: ByBound,
    /// Time inside of loops that threads share.
    pub shared: ByBound,
    /// The number of times that threads are started for shared loops, if the kernel tells.
    pub forks: Option<f64>,
}

impl Compute {
    /// The time if threads could share all of it.
    pub fn all_shared(self) -> Compute {
        Compute {
            alone: ByBound::default(),
            shared: self.alone + self.shared,
            forks: None,
        }
    }
    /// The time of everything on one core.
    pub fn total(&self) -> Seconds {
        self.alone.total() + self.shared.total()
    }
}

/// A loop of a kernel whose iterations threads share, as it runs in a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shared {
    /// The kernel's number for the loop, if it has one.
    pub id: Option<LoopId>,
    /// The number of times that the loop is started.
    pub starts: f64,
    /// The mean number of iterations of each start.
    pub trips: f64,
    /// What all starts of the loop take on one core.
    pub time: ByBound,
}
