//! Arrays side by side: `np.concatenate((a, b), axis=1)`, `np.hstack`, `np.vstack`, `np.column_stack`, `np.stack`.
//!
//! NumPy copies the arrays one after the other into a new array, and so do loops here. The size of the new array has to
//! be known before the nest runs: along the axis on which the arrays meet, each one's length is a constant.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::{Extent, Span, Work};

use crate::builtins::ArrayFn;
use crate::lowering::arrays::axis_reduction::Along;
use crate::lowering::arrays::{elementwise, in_memory, materialise, shapes, temporary};
use crate::lowering::context::Lowering;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::refusal::{R, unsupported};

/// The most arrays that are joined.
const MOST: usize = 16;

/// The axis on which arrays meet.
enum Meet {
    /// The arrays meet along an axis that they have.
    Along(usize),
    /// The arrays meet along a new axis.
    New(usize),
}

impl Meet {
    /// The axis on which this function joins arrays of `rank` axes; `None` if it cannot.
    fn of(f: ArrayFn, rank: usize, along: &Along) -> Option<Meet> {
        let axis = |of: usize| along.axis_of(of).flatten();
        match (f, rank) {
            (ArrayFn::Concatenate, _) => axis(rank).map(Meet::Along),
            (ArrayFn::Stack, _) => axis(rank + 1).map(Meet::New),
            (ArrayFn::Vstack, 1) => Some(Meet::New(0)),
            (ArrayFn::ColumnStack, 1) => Some(Meet::New(1)),
            (ArrayFn::Hstack, 1) | (ArrayFn::Vstack, _) => Some(Meet::Along(0)),
            (ArrayFn::Hstack, _) | (ArrayFn::ColumnStack, 2) => Some(Meet::Along(1)),
            _ => None,
        }
    }
}

/// Joins arrays into a new one.
pub(crate) fn joined(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    named: Vec<(&str, Val)>,
    span: Span,
) -> R<Val> {
    let wrong = || unsupported(&format!("this form of numpy.{}", f.name()), span);
    let takes_axis = matches!(f, ArrayFn::Concatenate | ArrayFn::Stack);
    let mut along = Along::first();
    let second = if args.len() == 2 { args.pop() } else { None };
    for (key, axis) in second.map(|axis| ("axis", axis)).into_iter().chain(named) {
        let known = (takes_axis && key == "axis").then_some(());
        known
            .and_then(|()| along.set(key, axis))
            .ok_or_else(wrong)?;
    }
    let (Some(Val::Tuple(items)), true) = (args.pop(), args.is_empty()) else {
        return Err(wrong());
    };
    if items.is_empty() || items.len() > MOST {
        return Err(wrong());
    }
    let unknown = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
    if items.iter().any(unknown) {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    if !items
        .iter()
        .all(|item| elementwise::is_numpy_array(&cx.builder, item))
    {
        return Err(wrong());
    }
    // Python of NumPy's own.
    cx.builder.tally(Work::ArrayCall, 2.0 + items.len() as f64);
    let mut trees = Vec::with_capacity(items.len());
    for item in items {
        trees.push(elementwise::operand(cx, item, span)?);
    }
    let rank = trees[0].shape.len();
    let meet = Meet::of(f, rank, &along).ok_or_else(wrong)?;
    if trees.iter().any(|tree| tree.shape.len() != rank) {
        return Err(wrong());
    }
    side_by_side(cx, trees, &meet, span)
}

fn side_by_side(cx: &mut Lowering<'_>, trees: Vec<Elementwise>, meet: &Meet, span: Span) -> R<Val> {
    let mut kinds = Vec::with_capacity(trees.len());
    for tree in &trees {
        match elementwise::element_kind(cx, tree, span)? {
            Some(kind) => kinds.push(kind),
            None => return Ok(Val::Scalar(Sv::bottom(span))),
        }
    }
    let kind = kinds[0];
    if kinds.iter().any(|other| *other != kind) {
        return Err(unsupported("joining arrays of several types", span));
    }
    let (mut shape, like) = (trees[0].shape.clone(), trees[0].like.clone());
    let mut like = like.ok_or_else(|| unsupported("joining arrays of no known size", span))?;
    for tree in &trees {
        if shape.len() > 1 {
            in_memory::require_row_major(cx, &tree.node, span)?;
        }
        for (axis, (x, y)) in shape.iter().zip(&tree.shape).enumerate() {
            if !matches!(meet, Meet::Along(own) if *own == axis) {
                shapes::check_alike(&mut cx.builder, x, y, span);
            }
        }
    }
    let mut places = Vec::with_capacity(trees.len() + 1);
    let mut end = 0;
    for tree in &trees {
        places.push(end);
        end += match meet {
            Meet::New(_) => 1,
            Meet::Along(axis) => long(&tree.shape[*axis])
                .ok_or_else(|| unsupported("joining arrays of so many elements", span))?,
        };
    }
    let all = u32::try_from(end).map_err(|_| unsupported("joining so many elements", span))?;
    match meet {
        Meet::New(axis) => {
            shape.insert(*axis, Expr::int(end, span));
            like.insert(*axis, Extent::Fixed(all));
        }
        Meet::Along(axis) => {
            shape[*axis] = Expr::int(end, span);
            like[*axis] = Extent::Fixed(all);
        }
    }
    let to = temporary::temporary(cx, Some(like), &shape, kind.natural(), span)?;
    places.push(end);
    for (tree, place) in trees.iter().zip(places.windows(2)) {
        let from = in_memory::in_memory(cx, tree, kind, span)?;
        let target = there(&to, meet, place[0], place[1] - place[0], span);
        materialise::store_all(cx, &target, false, &Node::Part(from.clone()), 1.0, span)?;
        in_memory::release_operand(cx, tree, &from);
    }
    Ok(Val::Array(Box::new(Elementwise::made(
        to,
        &cx.builder.arrays,
    ))))
}

/// The length of an axis, if it is a constant.
fn long(len: &Expr) -> Option<i64> {
    len.as_int()
        .and_then(|n| i64::try_from(n).ok())
        .filter(|n| *n >= 0)
}

/// The part of a joined array that holds one of the arrays: `many` elements from `place` on.
fn there(to: &Section, meet: &Meet, place: i64, many: i64, span: Span) -> Section {
    let (place, many) = (Expr::int(place, span), Expr::int(many, span));
    match meet {
        Meet::Along(axis) => to.narrowed(*axis, place, many),
        Meet::New(axis) => {
            let mut part = to.clone();
            part.axes[*axis] = Axis::At(place);
            part
        }
    }
}
