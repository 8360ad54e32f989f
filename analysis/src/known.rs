//! Guards that cannot fire for the values of one launch, by interval analysis with those values.
//!
//! [`crate::BoundsPlan`] decides what is affine in counters and sizes, in no time. This takes a pass over the nest, and
//! sees what forms do not: subscripts that are computed from floats (`int(y * scale)`).

use crate::guards::{GuardSet, count, for_each};
use crate::launch::LaunchValues;
use crate::range::ranges_known;
use nestwise_ir::Nest;

/// The guards of `nest` that no execution from these values makes fire.
pub fn proven(nest: &Nest, values: &LaunchValues) -> GuardSet {
    let found = ranges_known(nest, values);
    let mut set = GuardSet::new(count(nest));
    for_each(nest, &mut |id, site, flag| {
        if flag && !found.unsafe_nodes.contains(&site.key()) {
            set.insert(id);
        }
    });
    set
}
