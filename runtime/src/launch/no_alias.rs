//! What operations on whole arrays ask of the arrays that a launch gets.

use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind};

use crate::memory::overlap::ArrayView;
use crate::plan::Plan;
use crate::reason::Reason;

impl Plan {
    /// Whether the arrays that operations on whole arrays need in memory of their own have that.
    pub fn keep_apart(&self, views: &[ArrayView]) -> Result<(), Reason> {
        let apart = |a: &ArrayView, b: &ArrayView| {
            let (a, b) = (a.range(), b.range());
            a.1 <= b.0 || b.1 <= a.0
        };
        let own = |d: &ArrayDecl| d.kind == ArrayKind::Scratch && d.rank > 1;
        let planes = self.nest.arrays.values().any(own);
        for (decl, view) in self.nest.arrays.values().zip(views) {
            // What is computed from them lies in memory as they do.
            let strides = &view.strides[..view.rank];
            let by_rows = strides.windows(2).all(|s| s[0].abs() >= s[1].abs());
            if planes && !by_rows {
                return Err(Reason::Array {
                    name: decl.name.clone(),
                    why: "it does not lie in memory row by row, nor would what is computed from it",
                });
            }
        }
        for (a, b) in &self.nest.alike {
            let extents = |a: &ArrayId| &views[a.index()].extents[..views[a.index()].rank];
            if extents(a) != extents(b) {
                return Err(Reason::Array {
                    name: self.nest.arrays[*a].name.clone(),
                    why: "it trades places with an array of another shape",
                });
            }
        }
        for array in &self.nest.forward {
            let view = &views[array.index()];
            let axes = view.strides.iter().zip(view.extents).take(view.rank);
            if axes
                .clone()
                .any(|(stride, extent)| *stride <= 0 && extent > 1)
            {
                return Err(Reason::Array {
                    name: self.nest.arrays[*array].name.clone(),
                    why: "it lies backwards in memory, of which NumPy's functions have other bits",
                });
            }
        }
        for array in &self.nest.by_rows {
            let view = &views[array.index()];
            let axes = view.strides.iter().zip(view.extents).take(view.rank);
            let long = axes.filter(|(_, extent)| *extent > 1).map(|(s, _)| *s);
            if !long.is_sorted_by(|a, b| a >= b)
                || view.strides[..view.rank].iter().any(|s| *s <= 0)
            {
                return Err(Reason::Array {
                    name: self.nest.arrays[*array].name.clone(),
                    why: "it does not lie in memory row by row: NumPy adds its elements in another order",
                });
            }
        }
        for array in &self.nest.dense {
            if !views[array.index()].is_dense() {
                return Err(Reason::Array {
                    name: self.nest.arrays[*array].name.clone(),
                    why: "something lies between its elements: NumPy adds them in another order",
                });
            }
        }
        for (a, b) in &self.nest.apart {
            let (x, y) = (&views[a.index()], &views[b.index()]);
            let kept = if a == b {
                x.is_injective()
            } else {
                apart(x, y)
            };
            if !kept {
                return Err(Reason::Array {
                    name: self.nest.arrays[*a].name.clone(),
                    why: "its memory may be that of other elements of an operation on whole arrays",
                });
            }
        }
        Ok(())
    }
}
