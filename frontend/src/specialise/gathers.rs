//! Arrays of ints as subscripts: `x[columns]`, `A[i, columns]` and `A[rows, j]`, one element for each int.

use nestwise_ir::nest::Expr;
use nestwise_ir::{ArrayKind, Span, Work};

use super::elementwise::{Elementwise, Node, unsupported};
use super::lower::Lower;
use super::sections::{Axis, Section};
use super::value::{Sv, Val, View};
use super::{R, refuse};
use crate::refusal::Refusal;

impl Lower<'_> {
    /// Whether a view's subscripts say that elements are to be gathered.
    pub fn gathers(&self, view: &View, index: &[Val]) -> bool {
        self.arrays[view.array].kind == ArrayKind::Ndarray
            && index.iter().any(|v| self.is_numpy_array(v))
    }

    /// `view[index, ...]` with one array of ints among the subscripts, and a subscript for each axis.
    pub fn gather(&mut self, view: View, index: Vec<Val>, span: Span) -> R<Val> {
        let mut from = self.whole_section(view, span)?;
        let free: Vec<usize> = (0..from.axes.len())
            .filter(|k| matches!(from.axes[*k], Axis::Range { .. }))
            .collect();
        if index.len() != free.len() {
            return Err(unsupported(
                "an array as a subscript, beside whole axes",
                span,
            ));
        }
        let mut places = None;
        for (item, axis) in index.into_iter().zip(free) {
            if self.is_numpy_array(&item) {
                if places.is_some() {
                    return Err(unsupported("several arrays as subscripts", span));
                }
                places = Some(self.operand(item, span)?);
            } else if let Axis::Range { len, .. } = from.axes[axis].clone() {
                from.axes[axis] = Axis::At(self.place_of(item, &len, span)?);
            }
        }
        let Some(places) = places.filter(|tree| tree.shape.len() == 1) else {
            return Err(unsupported("a subscript of several axes", span));
        };
        let Some(kind) = self.element_kind(&places, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        if !kind.natural().is_int() {
            let what = format!("an array of {kind} as a subscript");
            return Err(refuse(span, Refusal::Unsupported { what }));
        }
        self.tally(Work::ArrayCall, 1.0);
        Ok(Val::Array(Box::new(Elementwise {
            node: Node::Gather(from, Box::new(places.node)),
            shape: places.shape,
            like: places.like,
            fresh: false,
        })))
    }

    /// The element that the int at some place says.
    pub fn gathered(
        &mut self,
        from: &Section,
        places: &Node,
        counters: &[Expr],
        span: Span,
    ) -> R<Sv> {
        let place = self.element_of(places, counters, span)?;
        let len = from.shape().swap_remove(0);
        let at = self.place_of(Val::Scalar(place), &len, span)?;
        Ok(self.section_element(from, &[at], span))
    }
}
