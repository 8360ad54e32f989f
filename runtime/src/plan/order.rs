//! Kernels that are made while CPython, or another kernel, goes on.

use super::{Key, Plan, Sizes, lock};
use crate::background;
use crate::options::{DeviceChoice, Options};
use crate::pipeline::Resume;
use nestwise_costmodel::{Decision, Device, Seconds};
use nestwise_ir::Tier;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A kernel is ordered once this part of what it takes to make it was lost without it: the core that makes it was idle, so
/// little is lost if it turns out to be of no use.
pub(crate) const SHARE: f64 = 0.1;
/// A kernel is begun beside a call that CPython goes on with for so many times as long as making it takes.
const USEFUL: f64 = 1.5;
/// Looks at whether it is there, while it is made.
const LOOKS: f64 = 16.0;

impl Options {
    /// Kernels that may be made at a time beside what runs: one for each further thread.
    pub fn background(&self) -> usize {
        match self.is_free() {
            true => self.threads - 1,
            false => 0,
        }
    }

    /// Whether nobody has chosen what is to run, or when it is made.
    pub(super) fn is_free(&self) -> bool {
        let free = self.device == DeviceChoice::Auto && !self.verify && !self.prices;
        free && self.trial.is_none() && self.tier.is_none() && self.background
    }
}

impl Plan {
    /// Whether code of it is being made.
    pub fn is_being_made(&self) -> bool {
        lock(&self.ordered).is_some()
    }

    /// How long a native run would wait for code of this tier that is made, or could be, while CPython goes on: waiting gains
    /// nothing over that. What is late may well take as long again. None: whoever needs it makes it.
    pub(super) fn wait(&self, tier: Tier, options: &Options) -> Option<Seconds> {
        let all = self.making(Device::Serial, tier).0;
        let begun = lock(&self.ordered).filter(|ordered| ordered.1 == tier);
        match begun.map(|(begun, _)| begun.elapsed().as_secs_f64()) {
            Some(spent) => Some(Seconds(spent.max(all - spent))),
            None => self.may_order(options).then_some(Seconds(all)),
        }
    }

    /// Time to make code of this tier for a device, that ready.
    pub(crate) fn making(&self, device: Device, tier: Tier) -> Seconds {
        match tier {
            Tier::Quick => self.prices.compile_quick(),
            Tier::Optimised => self.to_make(device),
        }
    }

    /// Whether its kernels are made beside CPython, as soon as there is room.
    pub(crate) fn may_order(&self, options: &Options) -> bool {
        options.background() > 0 && !self.gave_up.load(Ordering::Relaxed)
    }

    /// Whether it is time to order the kernel of this kind: it is missing, and enough was lost without.
    pub(crate) fn is_due(
        &self,
        (device, tier): (Device, Tier),
        spent: Seconds,
        options: &Options,
    ) -> bool {
        let kind = device.kind();
        let missing = match tier {
            Tier::Quick => !self.quick.load(Ordering::Relaxed),
            Tier::Optimised => lock(&self.made)[kind].is_none(),
        };
        let lost = lock(&self.lost)[kind] + spent;
        missing
            && self.may_order(options)
            && background::has_room(options.background())
            && lost.0 >= SHARE * self.making(device, tier).0
            && !self.is_being_made()
    }

    /// Whether CPython, which runs a call for now, has lost enough for a kernel to be ordered. A call that is going to be taken
    /// over half-way asks then, as other proofs hold half-way; unless so much was lost that it seems never to be.
    pub(crate) fn asks_for_kernel(
        &self,
        decision: &Decision,
        resume: Option<Resume>,
        options: &Options,
    ) -> bool {
        let spent = resume.map_or(Seconds(0.0), |r| r.spent);
        let (device, tier) = decision.next();
        let compile = self.making(device, tier);
        let short = decision.interpreted < compile * 0.5;
        let late = lock(&self.lost)[device.kind()] >= compile;
        // What would not be done before the call is over is begun once that much was lost before.
        let rest = decision.interpreted.0.max(spent.0);
        let useful = rest >= compile.0 * USEFUL || late;
        decision.waits_for_compile
            && (resume.is_some() || short || late)
            && useful
            && self.is_due((device, tier), spent, options)
    }

    /// Has a kernel made, unless one could not be.
    pub(crate) fn order(self: &Arc<Self>, key: Key, options: &Arc<Options>) {
        if self.gave_up.load(Ordering::Relaxed) {
            return;
        }
        let (plan, of) = (self.clone(), options.clone());
        self.begin(key.tier, options, move || {
            // Unless it is done: whoever needs it gets to know why it cannot be.
            plan.gave_up.store(true, Ordering::Relaxed);
            if plan.get_or_make(key, &of, Instant::now(), true).is_ok() {
                plan.gave_up.store(false, Ordering::Relaxed);
                // Decisions that went without it are to be made again.
                plan.lessons.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    /// Whether threads could save so much of that time, if they can do anything, that finding out is worth it.
    pub(crate) fn could_share(&self, time: Seconds, options: &Options) -> bool {
        let most = time * (1.0 - 1.0 / options.threads as f64);
        most >= self.prices.compile() * SHARE
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
        let mut ordered = lock(&self.ordered);
        if ordered.is_some() {
            return;
        }
        let plan = self.clone();
        let started = background::start(options.background(), move || {
            let _done = Done(plan);
            work();
        });
        if started {
            *ordered = Some((Instant::now(), tier));
        }
    }

    /// How much longer CPython may go on before native code is asked about again.
    pub(crate) fn patience(
        &self,
        decision: &Decision,
        resume: Option<Resume>,
        options: &Options,
    ) -> Seconds {
        let (device, tier) = decision.next();
        let compile = self.making(device, tier).0;
        if self.is_being_made() {
            return Seconds(compile / LOOKS);
        }
        let spent = resume.map_or(0.0, |r| r.spent.0);
        let lost = lock(&self.lost).map(|l| l.0);
        let share = if options.background() > 0 { SHARE } else { 1.0 };
        let left = compile * share - lost.into_iter().fold(0.0, f64::max) - spent;
        match left > 0.0 {
            true => Seconds(left),
            // Still too early, although enough was lost: something else speaks against it.
            false => Seconds(spent.max(compile / LOOKS)),
        }
    }
}

/// Whatever becomes of it, it is over.
struct Done(Arc<Plan>);

impl Drop for Done {
    fn drop(&mut self) {
        *lock(&self.0.ordered) = None;
    }
}
