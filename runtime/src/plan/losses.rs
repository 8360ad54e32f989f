//! What processes lose for want of code of a nest, kept on disk beside its plan: see [`nestwise_tiering::lost`].

use std::path::Path;
use std::sync::OnceLock;

use nestwise_costmodel::Seconds;
use nestwise_ir::Tier;
use nestwise_tiering::constants::NO_LOSS;
use nestwise_tiering::{Lost, Tiers};

use crate::kernel::cache;
use crate::options::Options;

/// Keeps beside a new plan what was lost while there was none.
pub(crate) fn keep(dir: &Path, key: &cache::Key, time: Seconds) {
    let lost = Lost {
        tier: Tier::Quick,
        time,
    };
    cache::put_note(dir, key, &lost.text());
}

/// Where the losses of one nest are kept on disk, and what earlier processes lost.
///
/// Whoever loads or stores the plan writes the place, once; pricing reads the losses, from disk the first time; the end
/// of the process writes the sum of all losses.
#[derive(Default)]
pub struct LossesOnDisk {
    /// The plan's entry in the cache.
    kept_at: OnceLock<cache::Key>,
    /// What earlier processes lost.
    before: OnceLock<Lost>,
}

impl LossesOnDisk {
    /// Sets the entry of the cache in which the plan is kept.
    pub(crate) fn set_place(&self, key: cache::Key) {
        let _ = self.kept_at.set(key);
    }

    /// What earlier processes lost for want of code of the nest.
    pub(crate) fn before(&self, options: &Options) -> Lost {
        *self.before.get_or_init(|| {
            let kept = self.kept_at.get().filter(|_| options.is_free());
            let text = kept.and_then(|key| cache::note(options.cache_dir.as_deref()?, key));
            text.and_then(|text| Lost::parse(&text))
                .unwrap_or(Lost::NONE)
        })
    }

    /// Keeps for other processes what this one has lost.
    pub fn keep(&self, tiers: &Tiers, options: &Options) {
        let (Some(dir), Some(key), true) =
            (&options.cache_dir, self.kept_at.get(), options.is_free())
        else {
            return;
        };
        let before = self.before(options);
        let now = tiers.lost_in_all(before);
        if now.tier != before.tier || (now.time.0 - before.time.0).abs() > NO_LOSS.0 {
            cache::put_note(dir, key, &now.text());
        }
    }
}
