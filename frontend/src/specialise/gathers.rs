//! Arrays of ints as subscripts: `x[columns]`, `A[i, columns]` and `A[rows, j]`, one element for each int.

use nestwise_ir::nest::{CmpOp, Expr};
use nestwise_ir::{ArrayKind, BinOp, Span, Ty, Work};

use super::build;
use super::elementwise::{Elementwise, Node, unsupported};
use super::fill::ELEMENT;
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
        self.check_places(&places, &from, span)?;
        self.tally(Work::ArrayCall, 1.0);
        Ok(Val::Array(Box::new(Elementwise {
            node: Node::Gather(from, Box::new(places.node)),
            shape: places.shape,
            like: places.like,
            fresh: false,
        })))
    }

    /// NumPy looks at all ints before it makes anything of the elements.
    fn check_places(&mut self, places: &Elementwise, from: &Section, span: Span) -> R<()> {
        let len = from.shape().swap_remove(0);
        let count = places.shape[0].clone();
        self.hidden_loop(ELEMENT, (0, count), span, |l, counter| {
            let at = build::var(counter, Ty::PY_INT, span);
            let place = l.element_of(&places.node, std::slice::from_ref(&at), span)?;
            l.place_of(Val::Scalar(place), &len, span).map(drop)
        })
    }

    /// The element that the int at some place says; it is none beyond the ends.
    pub fn gathered(
        &mut self,
        from: &Section,
        places: &Node,
        counters: &[Expr],
        span: Span,
    ) -> R<Sv> {
        let place = self.element_of(places, counters, span)?;
        if place.is_bottom() {
            return Ok(place);
        }
        let place = self.index(Val::Scalar(place), false, span)?;
        let mut at = self.spill_long(place.e);
        if place.range.0 < 0 {
            let len = from.shape().swap_remove(0);
            let zero = Expr::int(0, span);
            let below = build::compare(CmpOp::Lt, at.clone(), zero, Ty::PY_BOOL, span);
            let from_end = build::binary(BinOp::Add, len, at.clone(), Ty::PY_INT, false, span);
            at = self.spill(build::select(below, from_end, at, Ty::PY_INT));
        }
        Ok(self.section_element(from, &[at], span))
    }
}
