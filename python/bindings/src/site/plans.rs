//! The plans of a site, one for each signature that it is called with.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use nestwise_costmodel::Product;
use nestwise_frontend::lowering;
use nestwise_runtime::kernel::{background, making};
use nestwise_runtime::plan::on_disk;
use nestwise_runtime::{Plan, Reason, options, pipeline};
use nestwise_tiering::Legacy;
use pyo3::prelude::*;

use crate::bind::Binding;
use crate::host::recursion;
use crate::objects::numpy;
use crate::site::parsed::{Parsed, SiteText, refused};
use crate::site::unplanned;

/// Plans kept per site; a site called with more signatures than this runs in CPython for the new ones.
const MAX_PLANS: usize = 16;

/// A plan, or why there is none.
type Made = Result<Arc<Plan>, Reason>;

/// The plans of a site that were made or are being made, by signature.
#[derive(Default)]
pub struct Plans(Mutex<Vec<Entry>>);

struct Entry {
    words: Box<[u64]>,
    /// The number of values of fragments that were not of the expected type when the plan was made.
    observations: usize,
    plan: State,
}

enum State {
    Made(Made),
    /// A thread in the background makes the plan.
    Ordered(Arc<OnceLock<Made>>),
}

/// The answer to a call that asks for a plan.
pub enum Planned {
    /// The plan was there.
    Known(Arc<Plan>),
    /// The plan is new, or there is a reason why there is none.
    Came(Made),
    /// The plan is being made, and the call may go on without it.
    Soon,
}

impl Entry {
    fn is_for(&self, binding: &Binding, observations: usize) -> bool {
        self.observations == observations
            && self.words.len() == binding.captures.len()
            && binding.words().eq(self.words.iter().copied())
    }
}

impl Plans {
    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The number of plans that were made or are being made.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// The plans that were made, without refusals.
    pub fn made(&self) -> Vec<Arc<Plan>> {
        let of = |entry: &Entry| match &entry.plan {
            State::Made(plan) => plan.clone().ok(),
            State::Ordered(soon) => soon.get().and_then(|plan| plan.clone().ok()),
        };
        self.lock().iter().filter_map(of).collect()
    }

    /// The plan for what a call binds. It is made now unless the call may go on `beside` and there is a core to make it
    /// on.
    pub fn of(
        &self,
        py: Python<'_>,
        (text, parsed): (&SiteText, &Parsed),
        binding: &Binding,
        beside: bool,
    ) -> Result<Planned, Reason> {
        let seen = parsed.compiled.observations();
        if let Some(known) = self.known(binding, seen, beside)? {
            return Ok(known);
        }
        // Not locked meanwhile: describing makes objects, which may set off a garbage collection, whose finalizers may
        // come by here again.
        let mut captures = binding.describe(py);
        captures.extend(parsed.compiled.observed());
        numpy::register_loops(py);
        let options = options();
        let settings = lowering::Options {
            python_minor: options.python_minor,
            whole_ints: numpy::numpy(py).is_none_or(|n| n.whole_ints),
            fp: options.fp,
            frames: recursion::frames(py),
        };
        let key = parsed.key(text).plan(&(&captures, settings));
        if parsed.legacy(text) == Legacy::Plans
            && let Some(plan) = on_disk::load(&key, &options)
        {
            return Ok(Planned::Came(self.enter(binding, seen, Ok(Arc::new(plan)))));
        }
        let (surface, threads) = (parsed.surface.clone(), options.background());
        let make = move || {
            let nest = lowering::specialise(&surface, &captures, settings);
            let nest = nest.map_err(|e| refused(&e))?;
            pipeline::plan(nest, &options).map(Arc::new)
        };
        let keep = move |made: &Made| {
            if let Ok(plan) = made.clone() {
                let store = move || on_disk::store(&plan, &key, &nestwise_runtime::options());
                background::later(store);
            }
        };
        // Its kernel is likely to be wanted next.
        let warm_up = nestwise_codegen::warm_up;
        if !beside || threads == 0 {
            if !nestwise_codegen::is_warm_up_begun() {
                background::start_then(threads, || {}, warm_up);
            }
            let begun = Instant::now();
            let made = make();
            making::took(Product::Plan, unplanned::planning(parsed), begun.elapsed());
            keep(&made);
            return Ok(Planned::Came(self.enter(binding, seen, made)));
        }
        let soon = Arc::new(OnceLock::new());
        let filled = soon.clone();
        let work = move || {
            let made = make();
            keep(&made);
            let _ = filled.set(made);
        };
        if background::start_then(threads, work, warm_up) {
            self.push(binding, seen, State::Ordered(soon));
        }
        Ok(Planned::Soon)
    }

    /// The plan for what a call binds, if there is one or it is being made; `None` where it is to be made now.
    fn known(
        &self,
        binding: &Binding,
        seen: usize,
        beside: bool,
    ) -> Result<Option<Planned>, Reason> {
        let mut plans = self.lock();
        let Some(at) = plans.iter().position(|e| e.is_for(binding, seen)) else {
            return match plans.len() < MAX_PLANS {
                true => Ok(None),
                false => Err(Reason::Signatures),
            };
        };
        let soon = match &plans[at].plan {
            State::Made(plan) => return plan.clone().map(|plan| Some(Planned::Known(plan))),
            State::Ordered(soon) => soon,
        };
        if let Some(plan) = soon.get().cloned() {
            plans[at].plan = State::Made(plan.clone());
            return Ok(Some(Planned::Came(plan)));
        }
        // Nobody else has it: whoever was about to make it came to grief.
        let lost = Arc::strong_count(soon) == 1;
        if beside && !lost {
            return Ok(Some(Planned::Soon));
        }
        plans.swap_remove(at);
        Ok(None)
    }

    /// Keeps a plan, unless there is one for the signature by now; returns the one that is kept.
    fn enter(&self, binding: &Binding, seen: usize, plan: Made) -> Made {
        match self.known(binding, seen, false) {
            Ok(Some(Planned::Known(plan))) => Ok(plan),
            Ok(Some(Planned::Came(plan))) => plan,
            Ok(Some(Planned::Soon) | None) => {
                self.push(binding, seen, State::Made(plan.clone()));
                plan
            }
            Err(reason) => Err(reason),
        }
    }

    fn push(&self, binding: &Binding, observations: usize, plan: State) {
        self.lock().push(Entry {
            words: binding.words().collect(),
            observations,
            plan,
        });
    }
}
