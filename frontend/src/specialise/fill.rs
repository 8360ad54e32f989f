//! Stores of whole arrays, as loops over their elements.
//!
//! NumPy makes an array of every operation's result before it goes on, so a loop that stores must not change what it still has
//! to read: what one array's subscripts tell is decided here ([`sections::keep_apart`]), and where it would, elements are
//! computed into memory of the nest's own first. That different arrays share no memory is asked at each launch
//! ([`nestwise_ir::Nest::apart`]).

use std::collections::BTreeSet;

use nestwise_ir::nest::{CmpOp, Expr, For, StmtKind};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Access, ArrayId, ArrayKind, LoopId, Scalar, Span, Ty, VarId, Work};

use super::build;
use super::elementwise::{Elementwise, Node, unsupported};
use super::kinds::{Kind, Kinds};
use super::lower::Lower;
use super::sections::{self, Section};
use super::value::{Sv, Val};
use super::{R, refuse};
use crate::capture::Capture;
use crate::refusal::Refusal;

impl Lower<'_> {
    /// `target = value`, or `target op= value`, for a part of an array.
    pub fn fill(&mut self, target: Section, op: Option<Op>, value: Val, span: Span) -> R<()> {
        self.writable(target.capture, target.array, span)?;
        if self.arrays[target.array].starts {
            // In the first iteration it may be an array that others have, too.
            let what = "an array updated in place that other assignments make anew";
            return Err(unsupported(what, span));
        }
        let value = self.operand(value, span)?;
        let shape = target.shape();
        let Some(ahead) = shape.len().checked_sub(value.shape.len()) else {
            return Err(unsupported("more axes than there are", span));
        };
        for (x, y) in shape[ahead..].iter().zip(&value.shape) {
            self.check_alike(x, y, span);
        }
        let apart = self.keeps_apart(&target, &value.node);
        if let (false, None, Some(source)) = (apart, op, value.part())
            && !sections::copies_like_memmove(&target, source)
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
        let elem = self.arrays[target.array].storage;
        let to = self.temporary(like, &shape, elem, span)?;
        self.store_all(&to, op.is_some(), &node, operations + copies, span)?;
        let computed = Node::Part(to.clone());
        self.store_all(&target, false, &computed, 0.0, span)?;
        self.release(&to);
        Ok(())
    }

    /// What an array without elements may raise all the same is CPython's to see: Python's numbers have to fit its type, and
    /// what is repeated along its axes is computed.
    pub fn not_empty_of(&mut self, node: &Node, storage: Scalar, shape: &[Expr], span: Span) {
        let converts = storage != Scalar::F64 && node.has_python_number();
        if !converts && !node.computes_below(shape.len()) {
            return;
        }
        for len in shape {
            let zero = Expr::int(0, span);
            let some = build::compare(CmpOp::Gt, len.clone(), zero, Ty::PY_BOOL, span);
            self.emit_check(some);
        }
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
        let value = self.ndarray_form(&value, array, span)?;
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

    /// A loop over elements, or over the rows that they are in, and its counter.
    pub fn open_elements(&mut self, innermost: bool, span: Span) -> (LoopId, VarId) {
        let name = if innermost { "element" } else { "row" };
        let id = self.open_loop(name.into(), span);
        let counter = self.var(name, Ty::PY_INT);
        self.counters.insert(counter, (0, i64::MAX.into()));
        (id, counter)
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
        let (id, counter) = self.open_elements(rest.is_empty(), span);
        let lowered = self.inner(|l| {
            l.stable.push(counter);
            counters.push(build::var(counter, Ty::PY_INT, span));
            l.over_rest(rest, counters, span, body)
        });
        self.close_loop();
        let ((), body) = lowered?;
        let (start, step) = (Expr::int(0, span), Expr::int(1, span));
        self.emit(
            StmtKind::For(For {
                id,
                counter,
                start,
                stop: stop.clone(),
                step,
                body,
            }),
            span,
        );
        Ok(())
    }

    pub fn writable(&self, capture: u32, array: ArrayId, span: Span) -> R<()> {
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

    /// The arrays that trade places where shapes are compared: by their extents as they are at first.
    pub fn all_alike(&self) -> Vec<(ArrayId, ArrayId)> {
        let mut all = vec![];
        for group in self.hir.swap_groups.iter().filter(|_| self.sliced) {
            let of = |local: &usize| self.slots.get(&self.hir.locals[*local].capture?).copied();
            let mut slots = group.iter().filter_map(of);
            if let Some(first) = slots.next() {
                all.extend(slots.map(|other| (first, other)));
            }
        }
        all
    }

    /// The arrays that must not share memory. Slots that trade places hold each other's arrays in turn.
    pub fn all_apart(&self) -> Vec<(ArrayId, ArrayId)> {
        let of = |local: &usize| self.slots.get(&self.hir.locals[*local].capture?).copied();
        let group = |slot: ArrayId| -> Vec<ArrayId> {
            let mut groups = self.hir.swap_groups.iter();
            let own = groups.find(|g| g.iter().any(|l| of(l) == Some(slot)));
            own.map_or(vec![slot], |g| g.iter().filter_map(of).collect())
        };
        let mut all = BTreeSet::new();
        // What is copied when the nest begins must not change in between.
        let mut apart = self.apart.clone();
        for copied in self.arrays.values().filter(|d| d.starts) {
            let Some(from) = self.slots.get(&copied.capture) else {
                continue;
            };
            let written = self.arrays.iter().filter(|(_, d)| d.written);
            let written = written.filter(|(_, d)| d.kind == ArrayKind::Ndarray);
            apart.extend(written.map(|(to, _)| (*from, to)));
        }
        for (a, b) in &apart {
            for x in group(*a) {
                // One slot with itself is no pair of two that trade places.
                let others = if a == b { vec![x] } else { group(*b) };
                all.extend(others.into_iter().map(|y| (x.min(y), x.max(y))));
            }
        }
        all.into_iter().collect()
    }

    /// Whether storing into `target` one by one does not change what is still to be read. Of other arrays that is asked at
    /// each launch.
    fn keeps_apart(&mut self, target: &Section, value: &Node) -> bool {
        let mut read = vec![];
        value.sections(&mut |s| read.push(s));
        // What lies on itself is written more than once.
        self.apart.insert((target.array, target.array));
        let mut apart = true;
        for source in read {
            if source.array != target.array {
                self.apart.insert((target.array, source.array));
            } else {
                apart &= sections::keep_apart(target, source);
            }
        }
        apart
    }
}
