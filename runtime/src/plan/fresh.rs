//! Memory that a call is the first to touch.

use super::sizes::Untouched;
use super::{Plan, Sizes};
use crate::pages;
use crate::pipeline::{HasValue, Value};
use nestwise_analysis::traffic;
use nestwise_costmodel::Fresh;
use nestwise_ir::{ArrayDecl, LoopId};

impl Plan {
    /// The arrays that are written and have memory that nobody has touched.
    pub fn untouched<V: HasValue>(&self, captures: &[V]) -> Untouched {
        let written = self.nest.arrays.iter().filter(|(_, decl)| decl.written);
        let share = |(id, decl): (_, &ArrayDecl)| match captures.get(decl.capture as usize)?.value()
        {
            Value::Array(view) => Some((id, pages::untouched(view))),
            _ => None,
        };
        written.filter_map(share).filter(|u| u.1 > 0.0).collect()
    }

    /// How much of that a call touches.
    pub(super) fn fresh(&self, sizes: &Sizes) -> Fresh {
        let counted = traffic::Sizes {
            trips: &|id: LoopId| sizes.expected(id),
            values: &sizes.values,
        };
        let mut fresh = Fresh::default();
        for (id, share) in &sizes.untouched {
            let size = self.nest.arrays[*id].storage.size() as f64;
            let array = sizes.elements(*id, &self.nest) * size;
            let stored = self.prices.traffic().stored_bytes(*id, &counted);
            fresh.add(stored.min(array) * share, array);
        }
        fresh
    }
}
