//! Recent calls: the facts that their decisions rest on, and the decisions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use nestwise_costmodel::{Decision, Ready};
use nestwise_ir::ArrayId;

use crate::lock::lock;
use crate::options::{DeviceChoice, Options};
use crate::plan::analysed::Analysed;
use crate::plan::sizes::{Sizes, There, Untouched};
use crate::value::{HasValue, Value, held};

/// The number of calls whose facts are kept: a nest is often called with a handful of sizes in turn.
const MAX_RECENT: usize = 8;

/// The decisions of the last few calls of a nest that ran natively: a call with the same facts needs neither proofs nor
/// prices.
///
/// Every call that is looked at in full reads it before anything else, and one that decided for native code writes it.
#[derive(Default)]
pub struct RecentDecisions(Mutex<VecDeque<Recent>>);

/// A call that ran natively.
struct Recent {
    facts: Vec<i64>,
    device: DeviceChoice,
    known: Known,
    lessons: u32,
}

/// What an earlier call with the same facts has found out.
#[derive(Clone)]
pub struct Known {
    /// What the values of the call decide.
    pub sizes: Arc<Sizes>,
    /// Where the earlier call ran, and why.
    pub decision: Decision,
    /// Whether something was learned since, so that the decision is to be made again.
    pub outdated: bool,
}

impl RecentDecisions {
    /// What an earlier call with these facts has found out, if one of the last few had them and found the caches and
    /// the worker pool as this one does. `lessons`: the count of lessons now.
    pub fn find(
        &self,
        facts: &[i64],
        ready: Ready,
        lessons: u32,
        options: &Options,
    ) -> Option<Known> {
        let mut recent = lock(&self.0);
        let same = |r: &Recent| {
            r.facts == facts && r.device == options.device && r.known.decision.ready == ready
        };
        let at = recent.iter().position(same)?;
        // The latest in front.
        recent.swap(0, at);
        recent.front().map(|r| Known {
            outdated: r.lessons != lessons,
            ..r.known.clone()
        })
    }

    /// Keeps what was found out about a call that runs natively. `lessons`: the count of lessons now.
    pub fn remember(
        &self,
        facts: Vec<i64>,
        sizes: &Arc<Sizes>,
        decision: Decision,
        lessons: u32,
        options: &Options,
    ) {
        let mut recent = lock(&self.0);
        recent.retain(|r| {
            let alike = r.facts == facts && r.device == options.device;
            !alike || r.known.decision.ready != decision.ready
        });
        recent.truncate(MAX_RECENT - 1);
        recent.push_front(Recent {
            facts,
            device: options.device,
            known: Known {
                sizes: sizes.clone(),
                decision,
                outdated: false,
            },
            lessons,
        });
    }
}

/// All that decisions rest on besides types: the values of ints, the arrays' extents, floats that the bounds of the top
/// loop are computed from, the memory that is untouched, and the arrays that a GPU has copies of.
pub fn facts<V: HasValue>(
    analysed: &Analysed,
    captures: &[V],
    untouched: &Untouched,
    there: &There,
) -> Vec<i64> {
    let mut facts = Vec::with_capacity(2 * captures.len());
    for (index, capture) in captures.iter().enumerate() {
        match capture.value() {
            Value::Float(v) if analysed.is_bounding(index) => {
                facts.push(v.to_bits() as i64);
            }
            Value::Int(v) => facts.push(*v),
            Value::Uint(v) => facts.push(*v as i64),
            Value::Wide(v) => facts.extend([(*v >> 64) as i64, *v as i64]),
            Value::Bool(v) => facts.push(i64::from(*v)),
            Value::Array(view) => facts.extend(&view.extents[..view.rank]),
            Value::Sequence { rank, extents } => facts.extend(&extents[..*rank]),
            Value::Append { length } => facts.push(held(analysed.nest(), index as u32, *length)),
            Value::Float(_) | Value::Complex(..) | Value::None => {}
        }
    }
    facts.extend(
        untouched
            .iter()
            .flat_map(|(array, share)| [array.0.into(), share.to_bits() as i64]),
    );
    // Apart from those before.
    let newer = |(array, newer): &(ArrayId, bool)| -1 - 2 * i64::from(array.0) - i64::from(*newer);
    facts.extend(there.iter().map(newer));
    facts
}
