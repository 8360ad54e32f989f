//! Memory that a call is the first to touch.

use nestwise_analysis::traffic;
use nestwise_costmodel::Fresh;
use nestwise_ir::{ArrayDecl, ArrayId, LoopId, Nest, Stmt, StmtKind};

use crate::memory::overlap::ArrayView;
use crate::memory::pages;
use crate::plan::analysed::Analysed;
use crate::plan::sizes::{Sizes, Untouched};
use crate::value::{HasValue, Value};

/// The arrays that are written and have memory that nobody has touched.
pub fn untouched<V: HasValue>(nest: &Nest, captures: &[V]) -> Untouched {
    let arrays = nest.arrays.iter();
    let written = arrays.filter(|(_, decl)| decl.written && !decl.kind.is_own());
    let share = |(id, decl): (_, &ArrayDecl)| match captures.get(decl.capture as usize)?.value() {
        Value::Array(view) => Some((id, pages::untouched(view))),
        _ => None,
    };
    written.filter_map(share).filter(|u| u.1 > 0.0).collect()
}

/// The untouched pages of written arrays that a call touches.
pub(crate) fn fresh(analysed: &Analysed, sizes: &Sizes) -> Fresh {
    let mut fresh = Fresh::default();
    for (id, share) in &sizes.untouched {
        let (stored, array) = stored(analysed, *id, sizes);
        fresh.add(stored.min(array) * share, array);
    }
    fresh
}

/// Has the system find the pages of arrays that a call is the first to touch, and writes as a whole.
pub(crate) fn find_pages(analysed: &Analysed, sizes: &Sizes, views: &[ArrayView]) {
    for (id, share) in &sizes.untouched {
        let (stored, array) = stored(analysed, *id, sizes);
        if *share >= NEARLY
            && stored >= NEARLY * array
            && surely_stores(std::slice::from_ref(&analysed.nest().top), *id)
            && let Some(view) = views.get(id.index())
        {
            pages::find_all(view);
        }
    }
}

/// Bytes that a call stores to an array, counting bytes that it stores again, and the bytes of the whole array.
fn stored(analysed: &Analysed, id: ArrayId, sizes: &Sizes) -> (f64, f64) {
    let nest = analysed.nest();
    let counted = traffic::Sizes {
        trips: &|id: LoopId| sizes.expected(id),
        values: &sizes.values,
    };
    let size = nest.arrays[id].storage.size() as f64;
    let array = sizes.elements(id, nest) * size;
    (
        analysed.prices().traffic().stored_bytes(id, &counted),
        array,
    )
}

/// Whether statements store to an array whatever data decide, if the loops in them run at all.
fn surely_stores(block: &[Stmt], to: ArrayId) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Store { array, .. } => *array == to,
        StmtKind::If { then, orelse, .. } => surely_stores(then, to) && surely_stores(orelse, to),
        _ => s.blocks().any(|inside| surely_stores(inside, to)),
    })
}

/// The share of an array that is nearly all of it.
const NEARLY: f64 = 0.8;
