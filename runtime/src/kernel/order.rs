//! Kernels that are made while CPython, or another kernel, goes on: [`Tiers`](nestwise_tiering::Tiers) says when.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use nestwise_analysis::structure;
use nestwise_costmodel::{Decision, Device, Seconds};
use nestwise_ir::Tier;
use nestwise_tiering::constants::ORDER_SHARE;
use nestwise_tiering::{Next, Room, Running};

use crate::kernel::background;
use crate::options::{DeviceChoice, Options};
use crate::pipeline::Resume;
use crate::plan::{Key, Plan, Sizes};

impl Options {
    /// Kernels that may be made at a time beside what runs: one for each further thread.
    pub fn background(&self) -> usize {
        match self.is_free() {
            true => self.threads - 1,
            false => 0,
        }
    }

    /// Where kernels can be made.
    pub(crate) fn room(&self) -> Room {
        let most = self.background();
        Room {
            beside: most > 0,
            now: background::has_room(most),
        }
    }

    /// Whether nobody has chosen what is to run, or when it is made.
    pub(crate) fn is_free(&self) -> bool {
        let free = self.device == DeviceChoice::Auto && !self.verify && !self.prices;
        free && self.trial.is_none() && self.tier.is_none() && self.background
    }
}

impl Plan {
    /// Whether the top loop may be left before its last iteration.
    pub(crate) fn may_be_left(&self) -> bool {
        let top = self.nest.top_for();
        top.is_none_or(|top| structure::early_exit(top.id, &top.body).is_some())
    }

    /// Whether code of it is being made.
    pub fn is_being_made(&self) -> bool {
        self.tiers.is_making()
    }

    /// How long a native run would wait for code of this tier: see [`Tiers::wait`](nestwise_tiering::Tiers::wait).
    pub(crate) fn wait(&self, tier: Tier, options: &Options) -> Option<Seconds> {
        let making = self.making(Device::Serial, tier);
        self.tiers.wait(tier, making, options.room())
    }

    /// Time to make code of this tier for a device, that ready.
    pub(crate) fn making(&self, device: Device, tier: Tier) -> Seconds {
        let code = match tier {
            Tier::Quick => self.prices.compile_quick(),
            Tier::Optimised => self.to_make(device),
        };
        match nestwise_codegen::is_warm() {
            true => code,
            false => code + self.prices.compile_first(),
        }
    }

    fn next(&self, (device, tier): (Device, Tier)) -> Next {
        Next {
            device,
            tier,
            making: self.making(device, tier),
        }
    }

    /// Whether its kernels are made beside CPython, as soon as there is room.
    pub(crate) fn may_order(&self, options: &Options) -> bool {
        self.tiers.may_begin(options.room())
    }

    /// Whether it is time to order the kernel of this kind: it is missing, and enough was lost without.
    pub(crate) fn is_due(&self, next: (Device, Tier), options: &Options) -> bool {
        self.tiers
            .is_due(self.next(next), Seconds(0.0), options.room())
    }

    /// Whether CPython, which runs a call for now, has lost enough for a kernel to be ordered.
    pub(crate) fn asks_for_kernel(
        &self,
        decision: &Decision,
        resume: Option<Resume>,
        options: &Options,
    ) -> bool {
        let running = Running {
            spent: resume.map(|r| r.spent),
            rest: decision.interpreted,
        };
        let next = self.next(decision.next());
        decision.waits_for_compile && self.tiers.is_due_beside(next, running, options.room())
    }

    /// Has a kernel made, unless one could not be.
    pub(crate) fn order(self: &Arc<Self>, key: Key, options: &Arc<Options>) {
        if self.tiers.has_given_up() {
            return;
        }
        let (plan, of) = (self.clone(), options.clone());
        self.begin(key.tier, options, move || {
            // Unless it is done: whoever needs it gets to know why it cannot be.
            plan.tiers.set_given_up(true);
            if plan.get_or_make(key, &of, Instant::now(), true).is_ok() {
                plan.tiers.set_given_up(false);
                // Decisions that went without it are to be made again.
                plan.lessons.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    /// Whether threads could save so much of that time, if they can do anything, that finding out is worth it.
    pub(crate) fn could_share(&self, time: Seconds, options: &Options) -> bool {
        let most = time * (1.0 - 1.0 / options.threads as f64);
        most >= self.prices.compile() * ORDER_SHARE
    }

    /// Has it found out what threads could do, which may take longer than making a kernel.
    pub(crate) fn order_abilities(self: &Arc<Self>, sizes: &Arc<Sizes>, options: &Options) {
        let (plan, sizes) = (self.clone(), sizes.clone());
        self.begin(Tier::Optimised, options, move || {
            plan.abilities(&sizes);
        });
    }

    fn begin(
        self: &Arc<Self>,
        tier: Tier,
        options: &Options,
        work: impl FnOnce() + Send + 'static,
    ) {
        let plan = self.clone();
        let start = || {
            background::start(options.background(), move || {
                let _done = Done(plan);
                work();
            })
        };
        self.tiers.begin(tier, start);
    }

    /// How much longer CPython may go on before native code is asked about again.
    pub(crate) fn patience(
        &self,
        decision: &Decision,
        resume: Option<Resume>,
        options: &Options,
    ) -> Seconds {
        let making = self.next(decision.next()).making;
        let spent = resume.map_or(Seconds(0.0), |r| r.spent);
        self.tiers.patience(making, spent, options.room())
    }
}

/// Whatever becomes of it, it is over.
struct Done(Arc<Plan>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.tiers.end();
    }
}
