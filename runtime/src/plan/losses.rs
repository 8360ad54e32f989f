//! What processes lose for want of code of a nest, kept on disk beside its plan: see [`nestwise_tiering::lost`].

use std::path::Path;

use nestwise_costmodel::{Device, Seconds};
use nestwise_ir::Tier;
use nestwise_tiering::Lost;
use nestwise_tiering::constants::NO_LOSS;

use crate::kernel::cache;
use crate::options::Options;
use crate::plan::Plan;

/// Keeps beside a new plan what was lost while there was none.
pub(crate) fn keep(dir: &Path, key: &cache::Key, time: Seconds) {
    let lost = Lost {
        tier: Tier::Quick,
        time,
    };
    cache::put_note(dir, key, &lost.text());
}

impl Plan {
    /// Whether earlier processes have lost as much by not having code of this tier as it takes to make it: this one waits for it.
    pub(crate) fn is_overdue(&self, tier: Tier, options: &Options) -> bool {
        let making = self.making(Device::Serial, tier);
        self.tiers
            .is_overdue(|| self.lost_before(options), tier, making)
    }

    fn lost_before(&self, options: &Options) -> Lost {
        *self.lost_before.get_or_init(|| {
            let kept = self.kept_at.get().filter(|_| options.is_free());
            let text = kept.and_then(|key| cache::note(options.cache_dir.as_deref()?, key));
            text.and_then(|text| Lost::parse(&text))
                .unwrap_or(Lost::NONE)
        })
    }

    /// Keeps for other processes what this one has lost.
    pub fn keep_lost(&self, options: &Options) {
        let (Some(dir), Some(key), true) =
            (&options.cache_dir, self.kept_at.get(), options.is_free())
        else {
            return;
        };
        let before = self.lost_before(options);
        let now = self.tiers.lost_in_all(before);
        if now.tier != before.tier || (now.time.0 - before.time.0).abs() > NO_LOSS.0 {
            cache::put_note(dir, key, &now.text());
        }
    }
}
