//! What processes lose because a plan, or code, of a nest is not there, summed up over all of them.
//!
//! A process that is over before a kernel is made has gained nothing by beginning to. So each keeps what it has lost
//! beside the plan, and where that is as much as it takes to make code of a tier, the next process waits for that code
//! (ski-rental): all of them together lose at most twice what it takes.

use nestwise_costmodel::Seconds;
use nestwise_ir::Tier;

/// What earlier processes have left behind about a site.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Legacy {
    /// Earlier processes have left nothing.
    Nothing,
    /// There is no plan yet; the time that earlier processes have lost without one, together.
    Lost(Seconds),
    /// There are plans on disk, for some types.
    Plans,
}

/// The time lost so far for want of code of a tier, which is the next to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    /// The tier of the code.
    pub tier: Tier,
    /// The time lost without it.
    pub time: Seconds,
}

impl Lost {
    /// No loss, where nothing was made.
    pub const NONE: Lost = Lost {
        tier: Tier::Quick,
        time: Seconds(0.0),
    };

    /// Adds what another process has lost since for want of code of `tier`, the next to be made: what was lost without
    /// code of another tier is paid for.
    pub fn and(self, tier: Tier, time: Seconds) -> Lost {
        match self.tier == tier {
            true => Lost {
                tier,
                time: self.time + time,
            },
            false => Lost { tier, time },
        }
    }

    /// Whether as much was lost without code of this tier as it takes to make it.
    pub fn pays_for(self, tier: Tier, making: Seconds) -> bool {
        self.tier == tier && self.time >= making
    }

    /// Reads what [`Lost::text`] has written; none if it is damaged.
    pub fn parse(text: &str) -> Option<Lost> {
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

    /// The loss as the text of a file.
    pub fn text(self) -> String {
        format!("{} {}", self.tier, self.time.0)
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

    #[test]
    fn processes_lose_at_most_twice_what_code_takes() {
        let (making, each) = (Seconds(0.003), Seconds(0.0008));
        let (mut lost, mut runs) = (Lost::NONE, 0);
        while !lost.pays_for(Tier::Quick, making) {
            lost = lost.and(Tier::Quick, each);
            runs += 1;
        }
        assert_eq!(runs, 4);
        assert!(lost.time.0 < making.0 + each.0);
        // What comes next begins anew.
        let next = lost.and(Tier::Optimised, each);
        assert_eq!((next.tier, next.time), (Tier::Optimised, each));
        assert!(!next.pays_for(Tier::Quick, Seconds(0.0)));
    }
}
