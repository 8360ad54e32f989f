//! Plans on disk: what the stages of planning have found for a site that is called with values of some types.
//!
//! A plan is a function of its key: the site's text, the types and facts of what a call binds, the versions, the
//! processor and the sources of the stages ([`cache::made_by`]). The verdicts of the loops are not kept, but the
//! summary that launches ask ([`analysis::Summary`]): verdicts are found again when a kernel has to be compiled or a
//! report shows them.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use nestwise_analysis as analysis;
use nestwise_analysis::values::trip_bounds::TripBounds;
use nestwise_costmodel::Seconds;
use nestwise_ir::Nest;
use nestwise_ir::interpreter_work::NestWork;
use nestwise_tiering::Legacy;
use serde::{Deserialize, Serialize};

use crate::kernel::cache::{self, Key, Kind};
use crate::options::Options;
use crate::plan::analysed::{Analysed, PricedBy, Stages, assumed};
use crate::plan::{Plan, losses};

/// The contents of a plan's file, without what takes no time to find again.
#[derive(Serialize, Deserialize)]
struct Kept<'p> {
    nest: Cow<'p, Nest>,
    work: Cow<'p, NestWork>,
    verdicts: Cow<'p, analysis::Summary>,
    bounds: Cow<'p, analysis::BoundsPlan>,
    trip_bounds: Cow<'p, TripBounds>,
    priced_by: Cow<'p, PricedBy>,
    undo: Cow<'p, analysis::UndoPlan>,
}

/// The folder of the cache, unless a test has made plans wrong, which are not kept.
fn folder(options: &Options) -> Option<&Path> {
    let folder = options.cache_dir.as_deref();
    folder.filter(|_| options.mistake.is_none())
}

/// Where plans of a site are kept: a hash of its text and of what makes plans of it.
#[derive(Clone, Copy)]
pub struct SiteKey(blake3::Hash);

impl SiteKey {
    /// `text`: whatever the surface nest is made from.
    pub fn new(text: &[u8], options: &Options) -> SiteKey {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&cache::made_by(options));
        hasher.update(text);
        SiteKey(hasher.finalize())
    }

    /// What earlier processes have left behind about the site.
    pub fn legacy(self, options: &Options) -> Legacy {
        let Some(dir) = folder(options).filter(|dir| cache::has(dir, Kind::Plan, &self.0)) else {
            return Legacy::Nothing;
        };
        let lost = cache::note_before(dir, Kind::Plan, &self.0);
        match lost.and_then(|text| text.trim().parse().ok()) {
            Some(lost) => Legacy::Lost(Seconds(lost)),
            None => Legacy::Plans,
        }
    }

    /// Keeps for other processes what all so far have lost while there was no plan.
    pub fn keep_lost(self, lost: Seconds, options: &Options) {
        if let Some(dir) = folder(options).filter(|_| options.is_free()) {
            let text = lost.0.to_string();
            cache::put_note_before(dir, Kind::Plan, &self.0, Some(&text));
        }
    }

    /// Where the plan is kept for `facts`, which is what is known of the values of a call.
    pub fn plan(self, facts: &impl fmt::Debug) -> PlanKey {
        PlanKey(Key {
            kind: Kind::Plan,
            of: self.0,
            facts: blake3::hash(format!("{facts:?}").as_bytes()),
        })
    }
}

/// Where one plan is kept.
#[derive(Clone, Copy)]
pub struct PlanKey(Key);

/// Loads the plan that an earlier process has kept under a key.
pub fn load(key: &PlanKey, options: &Options) -> Option<Plan> {
    let bytes = cache::load(folder(options)?, &key.0)?;
    let kept: Kept<'_> = postcard::from_bytes(&bytes).ok()?;
    let mut nest = kept.nest.into_owned();
    nest.work = kept.work.into_owned();
    let stages = Stages {
        nest,
        verdicts: analysis::Staged::kept(kept.verdicts.into_owned(), assumed(options)),
        bounds: kept.bounds.into_owned(),
        trip_bounds: kept.trip_bounds.into_owned(),
        priced_by: kept.priced_by.into_owned(),
        undo: Some(kept.undo.into_owned()),
        mistaken: false,
    };
    let plan = Plan::new(Analysed::new(stages, options));
    plan.losses.set_place(key.0);
    Some(plan)
}

/// Keeps a plan for other processes. A cache that cannot be written only costs time.
pub fn store(plan: &Plan, key: &PlanKey, options: &Options) {
    let Some(dir) = folder(options) else {
        return;
    };
    let analysed = &plan.analysed;
    let kept = Kept {
        nest: Cow::Borrowed(analysed.nest()),
        work: Cow::Borrowed(&analysed.nest().work),
        verdicts: Cow::Borrowed(analysed.verdicts().summary()),
        bounds: Cow::Borrowed(analysed.bounds()),
        trip_bounds: Cow::Borrowed(analysed.trip_bounds()),
        priced_by: Cow::Borrowed(analysed.priced_by()),
        undo: Cow::Borrowed(analysed.undo_plan()),
    };
    let stored = postcard::to_stdvec(&kept).is_ok_and(|b| cache::store(dir, &key.0, &b).is_ok());
    if stored {
        plan.losses.set_place(key.0);
        if let Legacy::Lost(lost) = SiteKey(key.0.of).legacy(options) {
            losses::keep(dir, &key.0, lost);
            cache::put_note_before(dir, Kind::Plan, &key.0.of, None);
        }
    }
}
