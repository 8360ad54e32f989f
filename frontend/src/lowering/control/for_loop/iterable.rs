//! What a `for` runs over, and the counter that stands for it.

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

/// Something that can be iterated.
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
    /// An array of one axis, and its length, that is computed of numbers alone: the loop may store what it likes.
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

/// A counted loop: its bounds, and whether the counter is the iteration number.
pub(crate) struct Count {
    pub start: Expr,
    pub stop: Expr,
    pub step: Expr,
    /// Bounds of the counter.
    pub range: Range,
}

/// Items of a tuple display are chosen by comparing the counter with each position.
pub(crate) const ITEM_LIMIT: usize = 32;

pub(crate) const LEN: Range = (0, i64::MAX as i128);

/// A Python int.
pub(crate) fn int(e: Expr) -> Sv {
    Sv::of(e, Kind::PyInt)
}

/// An operator on Python ints.
pub(crate) fn op(op: BinOp, a: Expr, b: Expr, guard: bool) -> Expr {
    let span = a.span;
    build::binary(op, a, b, Ty::PY_INT, guard, span)
}
