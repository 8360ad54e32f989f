//! What processes lose because code of a nest is not there, summed up over all of them.
//!
//! A process that is over before a kernel is made has gained nothing by beginning to. So each keeps what it has lost beside
//! the plan, and where that is as much as it takes to make code of a tier, the next process waits for that code (ski-rental): all of them
//! together lose at most twice what it takes.

use super::{Plan, lock};
use crate::cache;
use crate::options::Options;
use nestwise_costmodel::{Device, Seconds};
use nestwise_ir::Tier;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Seconds that are not worth a file.
const NOTHING: f64 = 1e-4;

/// Lost so far by not having code of a tier, which is the next to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lost {
    pub(super) tier: Tier,
    pub(super) time: Seconds,
}

impl Lost {
    /// Nothing was made, and nothing is lost.
    const NONE: Lost = Lost {
        tier: Tier::Quick,
        time: Seconds(0.0),
    };

    fn parse(text: &str) -> Option<Lost> {
        let (tier, seconds) = text.trim().split_once(' ')?;
        Some(Lost {
            tier: match tier {
                "quick" => Tier::Quick,
                "optimised" => Tier::Optimised,
                _ => return None,
            },
            time: Seconds(seconds.parse().ok()?),
        })
    }

    fn text(self) -> String {
        let tier = match self.tier {
            Tier::Quick => "quick",
            Tier::Optimised => "optimised",
        };
        format!("{tier} {}", self.time.0)
    }
}

/// Keeps beside a new plan what was lost while there was none.
pub(super) fn keep(dir: &Path, key: &cache::Key, time: Seconds) {
    let lost = Lost {
        tier: Tier::Quick,
        time,
    };
    cache::put_note(dir, key, &lost.text());
}

impl Plan {
    /// Whether earlier processes have lost as much by not having code of this tier as it takes to make it: this one waits for it.
    pub(crate) fn is_overdue(&self, tier: Tier, options: &Options) -> bool {
        let quick = self.quick.load(Ordering::Relaxed);
        let missing = !self.has_made(Device::Serial) && (tier == Tier::Optimised || !quick);
        missing && {
            let before = self.lost_before(options);
            before.tier == tier && before.time >= self.making(Device::Serial, tier)
        }
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
        let lost = lock(&self.lost)[Device::Serial.kind()];
        let now = match (
            self.has_made(Device::Serial),
            self.quick.load(Ordering::Relaxed),
        ) {
            (true, _) => Lost {
                tier: Tier::Optimised,
                time: Seconds(0.0),
            },
            (false, quick) => {
                let tier = if quick { Tier::Optimised } else { Tier::Quick };
                let more = match before.tier == tier {
                    true => before.time,
                    false => Seconds(0.0),
                };
                Lost {
                    tier,
                    time: more + lost,
                }
            }
        };
        if now.tier != before.tier || (now.time.0 - before.time.0).abs() > NOTHING {
            cache::put_note(dir, key, &now.text());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_back() {
        for (tier, seconds) in [(Tier::Quick, 0.0025), (Tier::Optimised, 0.0)] {
            let lost = Lost {
                tier,
                time: Seconds(seconds),
            };
            assert_eq!(Lost::parse(&lost.text()), Some(lost));
        }
        for text in ["", "quick", "slow 1", "quick x"] {
            assert_eq!(Lost::parse(text), None, "{text}");
        }
    }
}
