//! What a call copies between the host's memory and a GPU's.

use nestwise_costmodel::Seconds;
use nestwise_costmodel::estimate::gpu::Copies;
use nestwise_ir::{ArrayDecl, Nest};

use crate::device::residency;
use crate::plan::analysed::Analysed;
use crate::plan::sizes::{Sizes, There};
use crate::value::{HasValue, Value};

/// The arrays of which a GPU has copies from nests before.
pub fn there<V: HasValue>(nest: &Nest, captures: &[V]) -> There {
    if !residency::any() {
        return Vec::new();
    }
    let found = |(id, decl): (_, &ArrayDecl)| match captures.get(decl.capture as usize)?.value() {
        Value::Array(_) if decl.kind.is_own() => None,
        Value::Array(view) => Some((id, residency::is_newer(view)?)),
        _ => None,
    };
    nest.arrays.iter().filter_map(found).collect()
}

/// The arrays that a call copies: every array that is not on the GPU is uploaded; those that are written are
/// downloaded, sooner or later: where some have stayed there, so will these, and are priced with whoever asks for them.
pub(crate) fn copies(nest: &Nest, sizes: &Sizes) -> Copies {
    let mut copies = Copies::default();
    for (id, decl) in nest.arrays.iter() {
        let bytes = sizes.elements(id, nest) * decl.storage.size() as f64;
        if !sizes.there.iter().any(|t| t.0 == id) {
            // Zeros that nobody has touched need not cross.
            let fresh = sizes.untouched.iter().any(|u| u.0 == id && u.1 >= 1.0);
            copies.up.add(if fresh { 0.0 } else { bytes });
        }
        if decl.written && sizes.there.is_empty() {
            copies.down.add(bytes);
        }
    }
    copies
}

/// Time until the host's arrays hold what the GPU has computed of them.
pub(crate) fn settle(analysed: &Analysed, sizes: &Sizes) -> Seconds {
    let Some(gpu) = analysed.prices().gpu() else {
        return Seconds(0.0);
    };
    let (nest, mut copies) = (analysed.nest(), Copies::default());
    for (id, _) in sizes.there.iter().filter(|there| there.1) {
        let size = nest.arrays[*id].storage.size() as f64;
        copies.down.add(sizes.elements(*id, nest) * size);
    }
    gpu.crossing(&copies)
}
