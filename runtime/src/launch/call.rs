//! One call of a nest, on its way from the values that it comes with to a launch.

use std::sync::Arc;
use std::time::Instant;

use nestwise_costmodel::{Decision, Device, Ready};
use nestwise_ir::Tier;

use crate::host::Host;
use crate::kernel::key::{Facts, Key};
use crate::kernel::order::{is_due, order, order_abilities};
use crate::launch::proof;
use crate::memory::index_facts::Seen;
use crate::memory::overlap::ArrayView;
use crate::options::Options;
use crate::plan::sharing::knows_abilities;
use crate::plan::{Plan, Sizes};
use crate::resume::Resume;

/// A call as it comes in.
pub struct Entry<'a, V> {
    /// The captured values, in the order of the nest's captures.
    pub captures: &'a [V],
    /// Where to go on, if CPython has run a part of the nest.
    pub resume: Option<Resume>,
    /// The caches and the worker pool as the call finds them.
    pub ready: Ready,
    /// When the hook was entered.
    pub entered: Instant,
}

impl<'a, V> Entry<'a, V> {
    /// A call from the nest's beginning that finds everything warm, and begins now.
    pub fn new(captures: &'a [V]) -> Entry<'a, V> {
        Entry {
            captures,
            resume: None,
            ready: Ready::default(),
            entered: Instant::now(),
        }
    }

    /// Whether the call goes on half-way through the nest's own counter.
    pub(crate) fn is_halfway(&self) -> bool {
        self.resume.is_some_and(|r| r.is_halfway())
    }

    /// The first iteration of the top loop that is to run.
    pub(crate) fn first(&self) -> i64 {
        self.resume.map_or(0, |r| r.next)
    }
}

/// A call whose arrays are bound, on whatever device it runs.
pub(crate) struct Call<'a, V> {
    pub(crate) plan: &'a Arc<Plan>,
    pub(crate) options: &'a Arc<Options>,
    pub(crate) entry: Entry<'a, V>,
    pub(crate) sizes: &'a Arc<Sizes>,
    /// The call's arrays, in the order of the nest's.
    pub(crate) views: &'a [ArrayView],
}

impl<V> Clone for Entry<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Entry<'_, V> {}

impl<V> Clone for Call<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Call<'_, V> {}

impl<V> Call<'_, V> {
    /// The key of the kernel for a device, and the array elements that the kernel relies on.
    pub(crate) fn key(&self, device: Device, host: &dyn Host) -> (Key, Vec<Seen>) {
        let Call {
            plan,
            options,
            sizes,
            views,
            ..
        } = *self;
        let analysed = &plan.analysed;
        let proof = proof::prove(
            analysed,
            &plan.inspections,
            sizes,
            views,
            device,
            host,
            options,
        );
        let facts = Facts {
            sizes,
            proven: &proof.proven,
            elements: proof.elements,
            views,
            device,
            resumed: self.entry.is_halfway(),
            value: host.is_value(),
            quiet: plan.kernels.is_quiet(),
        };
        let way = || plan.grid.way(analysed, sizes, options);
        (Key::of_launch(analysed, &facts, way, options), proof.seen)
    }

    /// Has code made beside CPython that would shorten such launches, once that is worth it and there is room:
    /// optimised code for what quick code stands in for, or code for the other native device (and before that finds out
    /// what threads could do).
    pub(crate) fn order_missing(&self, decision: &Decision, host: &dyn Host) {
        let (plan, options) = (self.plan, self.options);
        let missing = decision.missed().map_or(Device::Threads, |m| m.0);
        if !is_due(plan, (missing, Tier::Optimised), options) {
            return;
        }
        if missing == Device::Threads && !knows_abilities(plan, self.sizes) {
            order_abilities(plan, self.sizes, options);
        } else {
            order(plan, self.key(missing, host).0, options);
        }
    }
}
