//! Stores of whole arrays, as loops over their elements.
//!
//! NumPy makes an array of every operation's result before it goes on, so a loop that stores must not change what it still has
//! to read: what one array's subscripts tell is decided here ([`view::keep_apart`]), and where it would, elements are
//! computed into memory of the nest's own first. That different arrays share no memory is asked at each launch
//! ([`nestwise_ir::Nest::apart`]).

use nestwise_ir::model::nest::{CmpOp, Expr, StmtKind};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Access, ArrayId, ArrayKind, Precondition, Scalar, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Like, Node, unsupported};
use crate::lowering::arrays::view::{self, Section};
use crate::lowering::lower::Lower;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::{Sv, Val};
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// What a loop over the elements of one axis is called.
pub(crate) const ELEMENT: &str = "element";

impl Lower<'_> {
    /// `target = value`, or `target op= value`, for a part of an array.
    pub fn fill(&mut self, target: Section, op: Option<Op>, value: Val, span: Span) -> R<()> {
        self.may_fill(&target, span)?;
        let value = self.operand(value, span)?;
        let shape = target.shape();
        let Some(ahead) = shape.len().checked_sub(value.shape.len()) else {
            return Err(unsupported("more axes than there are", span));
        };
        for (x, y) in shape[ahead..].iter().zip(&value.shape) {
            if !self.repeats(y, x, span) {
                self.check_alike(x, y, span);
            }
        }
        let apart = self.keeps_apart(&target, &value.node);
        if let (false, None, Some(source)) = (apart, op, value.part())
            && !view::copies_like_memmove(&target, source)
        {
            return Err(unsupported(
                "a copy within an array in another direction",
                span,
            ));
        }
        let node = match op {
            None => value.node,
            Some(op) => {
                let old = Node::Part(target.clone());
                Node::Binary(op, Box::new(old), Box::new(value.node))
            }
        };
        self.not_empty_of(&node, self.arrays[target.array].storage, &shape, span);
        let operations = node.operations();
        let copies = if op.is_none() { 1.0 } else { 0.0 };
        self.tally(Work::ArrayCall, operations + copies);
        if apart {
            return self.store_all(&target, op.is_some(), &node, operations + copies, span);
        }
        let like = Elementwise::of(target.clone(), &self.arrays).like;
        self.store_afterwards(
            &target,
            like,
            op.is_some(),
            &node,
            operations + copies,
            span,
        )
    }

    /// What an array without elements may raise all the same is CPython's to see: numbers have to fit its type, and what is
    /// repeated along its axes is computed.
    pub fn not_empty_of(&mut self, node: &Node, storage: Scalar, shape: &[Expr], span: Span) {
        if !node.has_number_beside(storage) && !node.computes_below(shape.len()) {
            return;
        }
        for len in shape {
            self.check_not_empty(len, span);
        }
    }

    /// An event if there are no elements.
    pub fn check_not_empty(&mut self, len: &Expr, span: Span) {
        let zero = Expr::int(0, span);
        let some = build::compare(CmpOp::Gt, len.clone(), zero, Ty::PY_BOOL, span);
        self.emit_check(some);
    }

    /// Computes the elements of a part of an array, one after the other.
    pub fn store_all(
        &mut self,
        target: &Section,
        in_place: bool,
        node: &Node,
        operations: f64,
        span: Span,
    ) -> R<()> {
        self.over(&target.shape(), span, |l, counters| {
            l.tally(Work::ArrayElement, operations);
            let value = l.element_of(node, counters, span)?;
            l.fill_element(target, in_place, counters, value, span)
        })
    }

    /// The same by way of memory of the nest's own, where storing would change what is still to be read.
    pub fn store_afterwards(
        &mut self,
        target: &Section,
        like: Option<Like>,
        in_place: bool,
        node: &Node,
        operations: f64,
        span: Span,
    ) -> R<()> {
        let storage = self.arrays[target.array].storage;
        let first = self.temporary(like, &target.shape(), storage, span)?;
        self.store_all(&first, in_place, node, operations, span)?;
        let computed = Node::Part(first.clone());
        self.store_all(target, false, &computed, 0.0, span)?;
        self.release(&first);
        Ok(())
    }

    pub fn fill_element(
        &mut self,
        target: &Section,
        in_place: bool,
        counters: &[Expr],
        value: Sv,
        span: Span,
    ) -> R<()> {
        let array = target.array;
        self.arrays[array].written = true;
        let access = self.accesses.push(Access {
            array,
            store: true,
            span,
        });
        if value.is_bottom() {
            return Ok(());
        }
        let value = self.commit(value);
        let storage = self.arrays[array].storage;
        let own = Kinds::of(Kind::Np(storage));
        let both_floats = storage.is_float() && value.kinds.every(Kind::is_float);
        if in_place && value.kinds != own && !both_floats {
            return Err(unsupported("an update that changes the type", span));
        }
        let value = match self.arrays[array].list {
            true => self.list_form(&value, &self.view_of_list(target), span)?,
            false => self.ndarray_form(&value, array, span)?,
        };
        let value = build::retype(value, self.arrays[array].elem);
        let kind = StmtKind::Store {
            access,
            array,
            index: target.element_at(counters),
            value,
            guard: false,
        };
        self.emit(kind, span);
        Ok(())
    }

    /// Nested loops over all places of a shape.
    pub fn over(
        &mut self,
        shape: &[Expr],
        span: Span,
        body: impl FnOnce(&mut Self, &[Expr]) -> R<()>,
    ) -> R<()> {
        let mut counters = Vec::with_capacity(shape.len());
        self.over_rest(shape, &mut counters, span, body)
    }

    fn over_rest(
        &mut self,
        shape: &[Expr],
        counters: &mut Vec<Expr>,
        span: Span,
        body: impl FnOnce(&mut Self, &[Expr]) -> R<()>,
    ) -> R<()> {
        let Some((stop, rest)) = shape.split_first() else {
            return body(self, counters);
        };
        let name = if rest.is_empty() { ELEMENT } else { "row" };
        self.hidden_loop(name, (0, stop.clone()), span, |l, counter| {
            counters.push(build::var(counter, Ty::PY_INT, span));
            l.over_rest(rest, counters, span, body)
        })
    }

    /// Whether a part of an array may be stored into.
    pub fn may_fill(&mut self, target: &Section, span: Span) -> R<()> {
        self.may_update(target.array, span)?;
        self.writable(target.capture, target.array, span)
    }

    /// Whether that changes nothing that has another name.
    pub fn may_update(&mut self, array: ArrayId, span: Span) -> R<()> {
        if self.arrays[array].starts {
            self.check_left(array, span);
        }
        self.check_one_name(array, span);
        Ok(())
    }

    fn writable(&self, capture: u32, array: ArrayId, span: Span) -> R<()> {
        let writable = self.arrays[array].kind == ArrayKind::Scratch
            || matches!(
                self.captures.get(capture as usize),
                Some(Capture::Array {
                    writable: true,
                    kind: ArrayKind::Ndarray,
                    ..
                })
            );
        match writable {
            true => Ok(()),
            false => Err(refuse(
                span,
                Refusal::ReadOnly {
                    name: self.arrays[array].name.clone(),
                },
            )),
        }
    }

    /// Whether storing into `target` one by one does not change what is still to be read. Of other arrays that is asked at
    /// each launch.
    pub fn keeps_apart(&mut self, target: &Section, value: &Node) -> bool {
        let mut read = vec![];
        value.sections(&mut |s, here| read.push((s, here)));
        // What lies on itself is written more than once.
        self.require(Precondition::NoAlias(target.array, target.array));
        let mut apart = true;
        for (source, here) in read {
            if source.array != target.array {
                self.require(Precondition::NoAlias(target.array, source.array));
            } else {
                apart &= here && view::keep_apart(target, source);
            }
        }
        apart
    }
}
