//! A switch for tests: nests run in forms that their prices would seldom choose, and their parts in unusual orders.
//!
//! `NESTWISE_SCHEDULE=FORM` or `FORM:SEED` has every nest take a legal schedule of that form where there is one,
//! however small it is. With a seed, the parts of loops on threads run one after the other in an order that the seed
//! decides, and chunks have a few iterations, so that whatever some iteration takes from another one of another part
//! goes wrong each time and not once in a while. `nthK` is for measurements: every nest runs by the K-th of its legal
//! schedules, from 0, as it would if that one were thought the best; by the one that is where there are not as many.

use std::str::FromStr;

use nestwise_analysis::Candidate;
use nestwise_analysis::launch_info::Tile;
use nestwise_analysis::schedule::Rewrite;

/// The tile of waves (logarithms of its sides) in forced schedules, so that small nests have several tiles.
pub const TILE: Tile = [1, 2];

/// The schedules that are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// All schedules in turn, one for each kernel that is made.
    Every,
    /// Schedules of rewritten nests, in turn.
    Rewritten,
    /// Schedules of the nest as it was written.
    Written,
    /// Schedules of the rewriting of this name.
    Named(&'static str),
    /// The schedule of this number.
    Nth(usize),
}

/// The schedules that a test asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForcedSchedule {
    form: Form,
    seed: Option<u64>,
}

impl FromStr for ForcedSchedule {
    type Err = String;
    fn from_str(text: &str) -> Result<ForcedSchedule, String> {
        let (form, seed) = match text.split_once(':') {
            Some((form, seed)) => (form, Some(seed)),
            None => (text, None),
        };
        let form = match form {
            "every" => Form::Every,
            "rewritten" => Form::Rewritten,
            "written" => Form::Written,
            _ if form.starts_with("nth") && seed.is_none() => {
                let number = form.trim_start_matches("nth").parse();
                Form::Nth(number.map_err(|_| format!("schedule {text}: no number"))?)
            }
            _ => match Rewrite::NAMES.into_iter().find(|name| *name == form) {
                Some(name) => Form::Named(name),
                None => return Err(format!("schedule {text}: unknown")),
            },
        };
        let number = |s: &str| s.parse().map_err(|_| format!("schedule {text}: no seed"));
        let seed = seed.map(number).transpose()?;
        Ok(ForcedSchedule { form, seed })
    }
}

impl Form {
    fn takes(self, rewrite: Rewrite) -> bool {
        match self {
            Form::Every | Form::Nth(_) => true,
            Form::Rewritten => rewrite != Rewrite::None,
            Form::Written => rewrite == Rewrite::None,
            Form::Named(name) => rewrite.name() == Some(name),
        }
    }
}

impl ForcedSchedule {
    /// Whether faults are to be found: by short tiles, schedules that are worth nothing, proofs that take long.
    pub fn is_test(&self) -> bool {
        !matches!(self.form, Form::Nth(_))
    }

    /// The candidate for the `turn`-th kernel of a nest, on threads if some candidate of the form is; none where the
    /// form has no candidate.
    pub fn pick(&self, all: &[Candidate], threads: bool, turn: usize) -> Option<usize> {
        let of_form = |c: &usize| self.form.takes(all[*c].kind.rewrite);
        let formed: Vec<usize> = (0..all.len()).filter(of_form).collect();
        let placed = |c: &usize| all[*c].kind.threads == threads;
        let exact: Vec<usize> = formed.iter().copied().filter(placed).collect();
        if let Form::Nth(number) = self.form {
            return exact.get(number).copied();
        }
        let found = if exact.is_empty() { formed } else { exact };
        let at = scattered(self.seed.unwrap_or(0)) as usize % found.len().max(1) + turn;
        found.get(at % found.len().max(1)).copied()
    }

    /// The number of iterations of the top loop in a chunk, if that is forced.
    pub fn chunk(&self) -> Option<i64> {
        self.seed.map(|seed| 1 + (scattered(seed) % 9) as i64)
    }

    /// Whether launches go on on another device after each chunk.
    pub fn changes(&self) -> bool {
        self.seed.is_some_and(|seed| seed.is_multiple_of(3))
    }

    /// The order in which `parts` parts run, one after the other, if that is forced.
    pub fn order(&self, parts: i64) -> Option<std::vec::IntoIter<i64>> {
        let seed = self.seed?;
        let mut order: Vec<i64> = (0..parts).rev().collect();
        if seed % 2 == 1 {
            order.sort_by_key(|part| scattered(seed ^ (*part as u64) << 32));
        }
        Some(order.into_iter())
    }
}

/// A number that looks like chance, from a seed (Steele, Lea and Flood's SplitMix64, 2014).
pub fn scattered(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_turn() {
        for seed in 0..20 {
            let trial: ForcedSchedule = format!("every:{seed}").parse().unwrap();
            let mut order: Vec<i64> = trial.order(9).unwrap().collect();
            assert_ne!(order, (0..9).collect::<Vec<_>>());
            order.sort_unstable();
            assert_eq!(order, (0..9).collect::<Vec<_>>());
        }
        let plain: ForcedSchedule = "wavefront".parse().unwrap();
        assert!(plain.order(9).is_none() && plain.chunk().is_none() && plain.is_test());
        assert!(!"nth3".parse::<ForcedSchedule>().unwrap().is_test());
    }

    #[test]
    fn what_is_no_form_is_refused() {
        for text in [
            "",
            "wave",
            "wavefront:",
            "wavefront:x",
            ":3",
            "every:-1",
            "nth",
            "nth-1",
            "nth1:2",
        ] {
            assert!(text.parse::<ForcedSchedule>().is_err(), "{text}");
        }
    }
}
