//! Arrays of ints as subscripts: `x[columns]`, `A[i, columns]` and `A[rows, j]`, one element for each int, and `x[places] = y`.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{ArrayKind, BinOp, Scalar, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Node, unsupported};
use crate::lowering::arrays::materialise::ELEMENT;
use crate::lowering::arrays::subscript::Place;
use crate::lowering::arrays::view::{Axis, Section};
use crate::lowering::lower::Lower;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::{Sv, Val, View};
use crate::lowering::{R, build, hir};

/// Elements of a part of an array with one axis, where the ints of another array say.
pub(crate) struct Scattered {
    target: Section,
    places: Elementwise,
}

impl Lower<'_> {
    /// Whether a view's subscripts say that elements are to be gathered.
    pub fn gathers(&self, view: &View, index: &[Val]) -> bool {
        self.arrays[view.array].kind == ArrayKind::Ndarray
            && index.iter().any(|v| self.is_numpy_array(v))
    }

    /// The same of a part of an array, whose only subscript may be an array.
    pub fn gathers_of_part(&mut self, index: &[hir::Expr]) -> R<bool> {
        let [item] = index else { return Ok(false) };
        if item.is_slice() {
            return Ok(false);
        }
        // Lowered for its type alone.
        let (value, _) = self.inner(|l| l.expr(item))?;
        Ok(self.is_numpy_array(&value))
    }

    /// `from[index, ...]` with one array among the subscripts, and a subscript for each axis.
    pub fn gather(&mut self, from: Section, index: Vec<Val>, span: Span) -> R<Val> {
        let Some((from, places)) = self.chosen_among(from, index, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        match self.is_mask(&places, span)? {
            None => return Ok(Val::Scalar(Sv::bottom(span))),
            Some(true) => {
                let masked = self.masked(from, places, span)?;
                return self.selected(masked, span);
            }
            Some(false) => {}
        }
        self.has_one_axis(&places, &from, span)?;
        self.check_places(&places, &from, span)?;
        self.tally(Work::ArrayCall, 1.0);
        Ok(Val::Array(Box::new(Elementwise {
            node: Node::Gather(from, Box::new(places.node)),
            shape: places.shape,
            like: places.like,
            fresh: false,
            whole: false,
            lent: false,
            viewed: false,
        })))
    }

    /// The same as what is assigned.
    pub fn chosen_place(&mut self, from: Section, index: Vec<Val>, span: Span) -> R<Place> {
        let Some((target, places)) = self.chosen_among(from, index, span)? else {
            return Ok(Place::Unknown);
        };
        Ok(match self.is_mask(&places, span)? {
            None => Place::Unknown,
            Some(true) => Place::Masked(self.masked(target, places, span)?),
            Some(false) => {
                self.has_one_axis(&places, &target, span)?;
                Place::Scattered(Scattered { target, places })
            }
        })
    }

    /// The part of an array that all subscripts but the one that is an array leave, and that one. None: its type is not known yet.
    fn chosen_among(
        &mut self,
        mut from: Section,
        index: Vec<Val>,
        span: Span,
    ) -> R<Option<(Section, Elementwise)>> {
        if from.has_new_axes() {
            return Err(unsupported("a subscript behind a new axis", span));
        }
        let free: Vec<usize> = (0..from.axes.len())
            .filter(|k| matches!(from.axes[*k], Axis::Range { .. }))
            .collect();
        if let [_] = index.as_slice() {
            // A mask may have several axes.
            let places = index.into_iter().next();
            let places = places.map(|item| self.operand(item, span)).transpose()?;
            return Ok(places.map(|places| (from, places)));
        }
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
        Ok(places.map(|places| (from, places)))
    }

    fn has_one_axis(&self, places: &Elementwise, of: &Section, span: Span) -> R<()> {
        match (places.shape.len(), of.shape().len()) {
            (1, 1) => Ok(()),
            (1, _) => Err(unsupported(
                "an array as a subscript, beside whole axes",
                span,
            )),
            _ => Err(unsupported("a subscript of several axes", span)),
        }
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

    /// `target[places] = value`, or `target[places] op= value`, one after the other: the last one stays where ints are the same.
    pub fn scatter(
        &mut self,
        scattered: Scattered,
        op: Option<Op>,
        value: Val,
        span: Span,
    ) -> R<()> {
        let Scattered { target, places } = scattered;
        self.may_fill(&target, span)?;
        let value = self.operand(value, span)?;
        if value.shape.len() > 1 {
            return Err(unsupported("several axes for places of one", span));
        }
        if let [len] = value.shape.as_slice()
            && !self.repeats(len, &places.shape[0], span)
        {
            self.check_alike(len, &places.shape[0], span);
        }
        self.check_places(&places, &target, span)?;
        let storage = self.arrays[target.array].storage;
        let node = match op {
            None => value.node,
            Some(op) => {
                let old = Node::Gather(target.clone(), Box::new(places.node.clone()));
                Node::Binary(op, Box::new(old), Box::new(value.node))
            }
        };
        self.not_empty_of(&node, storage, &places.shape, span);
        let operations = node.operations() + places.node.operations() + 1.0;
        self.tally(Work::ArrayCall, operations);
        // All is read before anything is stored.
        let mut same = false;
        for of in [&node, &places.node] {
            of.sections(&mut |s, _| same |= s.array == target.array);
            self.keeps_apart(&target, of);
        }
        let at = match same {
            true => Node::Part(self.copied(&places, Kind::Np(Scalar::I64), span)?),
            false => places.node,
        };
        let values = match same {
            true => {
                let first = self.temporary(places.like, &places.shape, storage, span)?;
                self.store_all(&first, op.is_some(), &node, node.operations(), span)?;
                Node::Part(first)
            }
            false => node,
        };
        self.over(&places.shape, span, |l, counters| {
            l.tally(Work::ArrayElement, operations);
            let place = l.place_in(&target, &at, counters, span)?;
            let value = l.element_of(&values, counters, span)?;
            let Some(place) = place else { return Ok(()) };
            let one = target.row(place);
            l.fill_element(&one, false, &[], value, span)
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
        match self.place_in(from, places, counters, span)? {
            Some(at) => Ok(self.section_element(from, &[at], span)),
            None => Ok(Sv::bottom(span)),
        }
    }

    /// The place in an array that the int at some place says, counted from its beginning; none: its type is not known yet.
    fn place_in(
        &mut self,
        from: &Section,
        places: &Node,
        counters: &[Expr],
        span: Span,
    ) -> R<Option<Expr>> {
        let place = self.element_of(places, counters, span)?;
        if place.is_bottom() {
            return Ok(None);
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
        Ok(Some(at))
    }
}
