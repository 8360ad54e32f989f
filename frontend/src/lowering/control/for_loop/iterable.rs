//! The iterable of a `for`, and the counter that stands for it.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{ArrayId, BinOp, Ty};

use crate::lowering::build;
use crate::lowering::types::intervals::Range;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::Node;
use crate::lowering::value::view::View;

/// A value that can be iterated over.
#[allow(clippy::large_enum_variant)] // one a loop, short-lived
pub(crate) enum Seq {
    Range {
        start: Sv,
        stop: Sv,
        step: Sv,
    },
    View(View),
    /// A part of an array, along its first axis.
    Section(Section),
    /// An array of one axis that is computed from numbers alone, so that the loop may store anything, and its length.
    Computed(Node, Expr),
    /// A tuple display: values that were evaluated before the loop.
    Items(Vec<Val>),
    Enumerate(Box<Seq>, Sv),
    Zip(Vec<Seq>),
    Reversed(Box<Seq>),
}

impl Seq {
    /// Adds the arrays whose elements or rows are looked at in each iteration.
    pub fn arrays(&self, all: &mut Vec<ArrayId>) {
        match self {
            Seq::View(view) => all.push(view.array),
            Seq::Section(section) => all.push(section.array),
            Seq::Enumerate(inner, _) | Seq::Reversed(inner) => inner.arrays(all),
            Seq::Zip(items) => items.iter().for_each(|item| item.arrays(all)),
            Seq::Range { .. } | Seq::Computed(..) | Seq::Items(_) => {}
        }
    }
}

/// The counter of a loop: its bounds and step.
pub(crate) struct Count {
    pub start: Expr,
    pub stop: Expr,
    pub step: Expr,
    /// Bounds of the counter.
    pub range: Range,
}

/// The most items of a tuple display in a loop: an item is chosen by comparing the counter with each position.
pub(crate) const ITEM_LIMIT: usize = 32;

pub(crate) const LEN: Range = (0, i64::MAX as i128);

/// A scalar that is a Python int.
pub(crate) fn int(e: Expr) -> Sv {
    Sv::of(e, Kind::PyInt)
}

/// An operator on Python ints.
pub(crate) fn op(op: BinOp, a: Expr, b: Expr, guard: bool) -> Expr {
    let span = a.span;
    build::binary(op, a, b, Ty::PY_INT, guard, span)
}
