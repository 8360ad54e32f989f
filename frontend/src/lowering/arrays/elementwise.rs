//! Operations on whole arrays: `A[i, 1:] = 0.5 * (B[i, 1:] + B[i, :-1])`, row updates, in place or not.
//!
//! An operation on arrays is kept as a tree of what it does to an element until something needs the elements: a store,
//! a reduction, a name. Then the tree becomes loops ([`crate::lowering::arrays::materialise`],
//! [`crate::lowering::arrays::reduction`], [`crate::lowering::arrays::temporary`]).

use nestwise_ir::model::nest::Expr;
use nestwise_ir::surface::{BinOp as Op, CmpOp as Cmp, UnOp as Sign};
use nestwise_ir::{ArrayKind, Scalar, Span, Work};

use crate::lowering::arrays::{shapes, view};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::operands;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::tree::{Elementwise, Node, Shape};
use crate::refusal::{self, R, Refusal, refuse};

/// An array that is computed element by element.
pub(crate) fn computed(node: Node, (shape, like): Shape) -> Val {
    Val::Array(Box::new(Elementwise {
        node,
        shape,
        like,
        fresh: false,
        whole: false,
        lent: false,
        viewed: false,
    }))
}

/// Whether NumPy would apply an operation on the value to each of its elements.
pub(crate) fn is_numpy_array(builder: &Builder, value: &Val) -> bool {
    match value {
        Val::Array(_) => true,
        Val::View(view) => builder.arrays[view.array].kind == ArrayKind::Ndarray,
        _ => false,
    }
}

/// The tree of a value that is an operand of an operation on arrays.
pub(crate) fn operand(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Elementwise> {
    match value {
        Val::Array(tree) => Ok(*tree),
        Val::View(view) => {
            let section = view::whole_section(cx, view, span)?;
            Ok(Elementwise::of(section, &cx.builder.arrays))
        }
        Val::Scalar(sv) if !sv.kinds.has(Kind::Char) => Ok(Elementwise {
            node: Node::Scalar(operands::spill_sv(cx, sv)),
            shape: vec![],
            like: None,
            fresh: false,
            whole: false,
            lent: false,
            viewed: false,
        }),
        other => Err(refusal::unsupported(
            &format!("a {} beside an array", other.type_name()),
            span,
        )),
    }
}

/// Lowers an operator with an array among its operands.
pub(crate) fn array_binary(cx: &mut Lowering<'_>, op: Op, a: Val, b: Val, span: Span) -> R<Val> {
    let (a, b) = (operand(cx, a, span)?, operand(cx, b, span)?);
    let shape = shapes::broadcast(
        &mut cx.builder,
        (&a.shape, &a.like),
        (&b.shape, &b.like),
        span,
    );
    let node = Node::Binary(op, Box::new(a.node), Box::new(b.node));
    Ok(computed(node, shape))
}

/// Lowers a comparison with an array among its operands.
pub(crate) fn array_compare(cx: &mut Lowering<'_>, op: Cmp, a: Val, b: Val, span: Span) -> R<Val> {
    let (a, b) = (operand(cx, a, span)?, operand(cx, b, span)?);
    let shape = shapes::broadcast(
        &mut cx.builder,
        (&a.shape, &a.like),
        (&b.shape, &b.like),
        span,
    );
    let node = Node::Compare(op, Box::new(a.node), Box::new(b.node));
    Ok(computed(node, shape))
}

/// Lowers a unary operator on an array.
pub(crate) fn array_sign(cx: &mut Lowering<'_>, op: Sign, a: Val, span: Span) -> R<Val> {
    let a = operand(cx, a, span)?;
    let node = Node::Sign(op, Box::new(a.node));
    Ok(computed(node, (a.shape, a.like)))
}

/// The tree of a value that is reduced.
pub(crate) fn reduced(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Elementwise> {
    let tree = operand(cx, value, span)?;
    cx.builder.tally(Work::ArrayCall, tree.node.operations());
    // Whatever the type of what is computed.
    shapes::not_empty_of(&mut cx.builder, &tree.node, Scalar::Bool, &tree.shape, span);
    Ok(tree)
}

/// The type of a tree's elements; `None` if it is not known yet.
pub(crate) fn element_kind(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    span: Span,
) -> R<Option<Kind>> {
    // Lowered for its type alone.
    let at = vec![Expr::int(0, span); tree.shape.len()];
    let (sv, _) = cx.inner(|cx| cx.element(&tree.node, &at, span))?;
    match sv.kinds.single() {
        None if !sv.is_bottom() => {
            let what = format!("an array of elements that are {}", sv.kinds);
            Err(refuse(span, Refusal::Unsupported { what }))
        }
        kind => Ok(kind),
    }
}
