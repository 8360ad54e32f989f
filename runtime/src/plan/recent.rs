//! Calls like earlier ones: what decisions rest on, and those that were made last.

use std::sync::Arc;

use nestwise_costmodel::Decision;
use nestwise_ir::ArrayId;

use crate::options::{DeviceChoice, Options};
use crate::pipeline::{HasValue, Value, held};
use crate::plan::sizes::{There, Untouched};
use crate::plan::{Plan, Sizes, lock};

/// Calls whose facts are kept: a nest is often called with a handful of sizes in turn.
const MAX_RECENT: usize = 8;

/// A call that ran natively: one with the same facts needs neither proofs nor prices.
pub(super) struct Recent {
    facts: Vec<i64>,
    device: DeviceChoice,
    sizes: Arc<Sizes>,
    decision: Decision,
    lessons: u32,
}

/// What an earlier call with the same facts has found out.
pub struct Known {
    /// The sizes.
    pub sizes: Arc<Sizes>,
    /// The decision.
    pub decision: Decision,
    /// Something was learned since: it is to be made again.
    pub outdated: bool,
}

impl Plan {
    /// All that decisions rest on besides types: the values of ints, the arrays' extents, and floats that the bounds
    /// of the top loop are computed from, what memory is untouched, and what a card has copies of.
    pub fn facts<V: HasValue>(
        &self,
        captures: &[V],
        untouched: &Untouched,
        there: &There,
    ) -> Vec<i64> {
        let mut facts = Vec::with_capacity(2 * captures.len());
        for (index, capture) in captures.iter().enumerate() {
            match capture.value() {
                Value::Float(v) if self.bounding.contains(&(index as u32)) => {
                    facts.push(v.to_bits() as i64);
                }
                Value::Int(v) => facts.push(*v),
                Value::Uint(v) => facts.push(*v as i64),
                Value::Bool(v) => facts.push(i64::from(*v)),
                Value::Array(view) => facts.extend(&view.extents[..view.rank]),
                Value::Sequence { rank, extents } => facts.extend(&extents[..*rank]),
                Value::Append { length } => facts.push(held(&self.nest, index as u32, *length)),
                Value::Float(_) | Value::Complex(..) | Value::None => {}
            }
        }
        facts.extend(
            untouched
                .iter()
                .flat_map(|(array, share)| [array.0.into(), share.to_bits() as i64]),
        );
        // Apart from those before.
        let newer =
            |(array, newer): &(ArrayId, bool)| -1 - 2 * i64::from(array.0) - i64::from(*newer);
        facts.extend(there.iter().map(newer));
        facts
    }

    /// What an earlier call with these facts has found out, if one of the last few had them and found the same.
    pub fn recent(&self, facts: &[i64], options: &Options) -> Option<Known> {
        let ready = *lock(&self.ready);
        let mut recent = lock(&self.recent);
        let same = |r: &Recent| {
            r.facts == facts && r.device == options.device && r.decision.ready == ready
        };
        let at = recent.iter().position(same)?;
        // The latest in front.
        recent.swap(0, at);
        let lessons = self.lessons();
        recent.front().map(|r| Known {
            sizes: r.sizes.clone(),
            decision: r.decision,
            outdated: r.lessons != lessons,
        })
    }

    /// Keeps what was found out about a call that ran natively.
    pub fn remember(
        &self,
        facts: Vec<i64>,
        options: &Options,
        sizes: &Arc<Sizes>,
        decision: Decision,
    ) {
        let mut recent = lock(&self.recent);
        recent.retain(|r| {
            let alike = r.facts == facts && r.device == options.device;
            !alike || r.decision.ready != decision.ready
        });
        recent.truncate(MAX_RECENT - 1);
        recent.push_front(Recent {
            facts,
            device: options.device,
            sizes: sizes.clone(),
            decision,
            lessons: self.lessons(),
        });
    }
}
