//! Checks a nest's [`Precondition`]s on the arrays of a launch.

use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, Nest, Precondition};

use crate::memory::overlap::ArrayView;
use crate::reason::Reason;

/// Whether every precondition of the nest holds of `views`, which are in the order of the nest's arrays; the error
/// names the first array of which one does not.
pub(crate) fn check_preconditions(nest: &Nest, views: &[ArrayView]) -> Result<(), Reason> {
    let refused = |array: ArrayId, why| {
        let name = nest.arrays[array].name.clone();
        Err(Reason::Array { name, why })
    };
    // Memory of the nest's own with several axes is row-major, and stands for what NumPy would compute from its arrays.
    let own = |d: &ArrayDecl| d.kind == ArrayKind::Scratch && d.rank > 1;
    if nest.arrays.values().any(own) {
        for (array, view) in nest.arrays.ids().zip(views) {
            let strides = &view.strides[..view.rank];
            if !strides.windows(2).all(|s| s[0].abs() >= s[1].abs()) {
                let why = "it is not row-major, nor would what is computed from it be";
                return refused(array, why);
            }
        }
    }
    for condition in &nest.preconditions {
        if let Err(why) = check(*condition, views) {
            let first = condition.arrays().next();
            return first.map_or(Ok(()), |array| refused(array, why));
        }
    }
    Ok(())
}

/// Checks a condition; the error says in the user's words why it does not hold.
fn check(condition: Precondition, views: &[ArrayView]) -> Result<(), &'static str> {
    let view = |a: ArrayId| &views[a.index()];
    let (holds, why) = match condition {
        Precondition::NoAlias(a, b) => (
            if a == b {
                view(a).is_injective()
            } else {
                are_disjoint(view(a), view(b))
            },
            "its memory may be that of other elements of an operation on whole arrays",
        ),
        Precondition::SameShape(a, b) => (
            extents(view(a)) == extents(view(b)),
            "it trades places with an array of another shape",
        ),
        Precondition::PositiveStride(a) => (
            long_axes(view(a)).all(|stride| stride > 0),
            "it lies backwards in memory, of which NumPy's functions have other bits",
        ),
        Precondition::RowMajor(a) => (
            long_axes(view(a)).is_sorted_by(|outer, inner| outer >= inner)
                && view(a).strides[..view(a).rank].iter().all(|s| *s > 0),
            "it is not row-major: NumPy adds its elements in another order",
        ),
        Precondition::Contiguous(a) => (
            view(a).is_dense(),
            "it is not contiguous: NumPy adds its elements in another order",
        ),
    };
    if holds { Ok(()) } else { Err(why) }
}

fn are_disjoint(a: &ArrayView, b: &ArrayView) -> bool {
    let (a, b) = (a.range(), b.range());
    a.1 <= b.0 || b.1 <= a.0
}

fn extents(view: &ArrayView) -> &[i64] {
    &view.extents[..view.rank]
}

/// The strides, in bytes, of the axes with more than one element.
fn long_axes(view: &ArrayView) -> impl Iterator<Item = i64> + '_ {
    let axes = view.strides.iter().zip(view.extents).take(view.rank);
    axes.filter(|(_, extent)| *extent > 1).map(|(s, _)| *s)
}
