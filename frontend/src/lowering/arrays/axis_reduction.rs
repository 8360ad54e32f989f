//! Reductions along one axis (`x.sum(axis=0)`, `np.max(x, axis=-1, keepdims=True)`), and other arrangements of whole
//! arrays: `np.outer(u, v)`, `np.flip(x)`, `x.T`.
//!
//! NumPy goes through an array that lies in memory row by row in that order: along the last axis it reduces each row as
//! if that were alone; along another axis it adds row to row.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Scalar, Span, Ty, Work};

use crate::builtins::{ArrayFn, Known, NumpyFn};
use crate::lowering::arrays::offsets::minus;
use crate::lowering::arrays::{elementwise, in_memory, materialise, reduction, shapes, temporary};
use crate::lowering::build::{self, constant_bool};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::operands;
use crate::lowering::types::kinds::{Kind, kind_ty};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{Axis, Section};
use crate::lowering::value::tree::{Elementwise, Node};
use crate::refusal::{R, unsupported};

/// The axis that a reduction goes along.
#[derive(Default, PartialEq)]
pub(crate) struct Along {
    /// The axis, which counts from the end where it is negative; `None`: all axes.
    axis: Option<i128>,
    /// The reduced axis stays, with one element.
    pub keep: bool,
}

impl Along {
    /// A reduction along the first axis.
    pub fn first() -> Along {
        Along {
            axis: Some(0),
            keep: false,
        }
    }

    /// Takes a keyword argument into account; `None` if its value is not known here.
    pub fn set(&mut self, key: &str, value: Val) -> Option<()> {
        match (key, value) {
            ("axis", Val::None) => self.axis = None,
            ("axis", Val::Scalar(sv)) if sv.is_int() => self.axis = Some(sv.as_int()?),
            ("keepdims", Val::Scalar(sv)) => self.keep = constant_bool(&sv.e)?,
            _ => return None,
        }
        Some(())
    }

    /// The index of the axis of an array with `rank` axes; `Some(None)` if the array has no such axis, `None` for a
    /// reduction along all axes.
    pub fn axis_of(&self, rank: usize) -> Option<Option<usize>> {
        let axis = self.axis?;
        let axis = if axis < 0 { axis + rank as i128 } else { axis };
        Some(usize::try_from(axis).ok().filter(|a| *a < rank))
    }
}

/// Reduces an array of several axes along one: one value for each line.
pub(crate) fn along(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    a: Elementwise,
    axis: usize,
    keep: bool,
    span: Span,
) -> R<Val> {
    let Some(kind) = elementwise::element_kind(cx, &a, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let mut like = a.like.clone();
    let from = in_memory::in_memory(cx, &a, kind, span)?;
    in_memory::require_row_major(cx, &a.node, span)?;
    let mut shape = from.shape();
    let len = shape.remove(axis);
    like.iter_mut().for_each(|axes| _ = axes.remove(axis));
    let result = result(f, kind).ok_or_else(|| {
        let name = Known::Numpy(NumpyFn::Array(f)).name();
        unsupported(&format!("{name} along an axis of {kind}"), span)
    })?;
    let to = temporary::temporary(cx, like, &shape, result.natural(), span)?;
    let sum = matches!(f, ArrayFn::Sum | ArrayFn::Mean) && kind.is_float();
    if sum && axis < shape.len() {
        add_rows(cx, &from, &to, axis, &len, span)?;
        if f == ArrayFn::Mean {
            shapes::check_not_empty(&mut cx.builder, &len, span);
            let len = Sv::of(len, Kind::PyInt).with_range((1, i64::MAX.into()));
            let len = operands::spill_sv(cx, len);
            divide_all(cx, &to, &len, span)?;
        }
    } else {
        let name = Known::Numpy(NumpyFn::Array(f)).name();
        materialise::over(cx, &shape, span, |cx, counters| {
            let line = Elementwise::of(from.line(axis, counters), &cx.builder.arrays);
            let value = reduction::reduce_all(cx, f, line, &name, span)?;
            materialise::fill_element(cx, &to, false, counters, value, span)
        })?;
    }
    in_memory::release_operand(cx, &a, &from);
    let mut part = to;
    if keep {
        part.axes.insert(axis, Axis::New);
    }
    Ok(Val::Array(Box::new(Elementwise::made(
        part,
        &cx.builder.arrays,
    ))))
}

/// Sums along an axis that is not the last one.
fn add_rows(
    cx: &mut Lowering<'_>,
    from: &Section,
    to: &Section,
    axis: usize,
    len: &Expr,
    span: Span,
) -> R<()> {
    let shape = to.shape();
    // If there is one number in each row NumPy takes them for one row.
    let zero = Expr::int(0, span);
    let long = |e: &Expr| {
        let one = Expr::int(1, span);
        build::compare(CmpOp::Gt, e.clone(), one, Ty::PY_BOOL, span)
    };
    let behind = shape[axis..].iter().map(long);
    cx.builder
        .emit_check(behind.reduce(build::or).unwrap_or(zero));
    let storage = cx.builder.arrays[to.array].storage;
    let kind = Kind::Np(storage);
    let nothing = Sv::of(build::float(0.0, kind_ty(kind), span), kind);
    materialise::store_all(cx, to, false, &Node::Scalar(nothing), 0.0, span)?;
    emit::hidden_loop(cx, "row", (0, len.clone()), span, |cx, counter| {
        let row = from.at(axis, build::var(counter, Ty::PY_INT, span));
        let (sum, row) = (Node::Part(to.clone()), Node::Part(row));
        let node = Node::Binary(Op::Add, Box::new(sum), Box::new(row));
        materialise::store_all(cx, to, true, &node, 1.0, span)
    })
}

/// Divides all elements of a section by a number of elements.
pub(crate) fn divide_all(cx: &mut Lowering<'_>, to: &Section, len: &Sv, span: Span) -> R<()> {
    materialise::over(cx, &to.shape(), span, |cx, counters| {
        cx.builder.tally(Work::ArrayElement, 1.0);
        let sum = cx.element(&Node::Part(to.clone()), counters, span)?;
        let mean = reduction::divided(cx, sum, len.clone(), span)?;
        materialise::fill_element(cx, to, true, counters, mean, span)
    })
}

/// Calls one of NumPy's functions that rearrange the elements of arrays.
pub(crate) fn arranged(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    span: Span,
) -> R<Val> {
    let unknown = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
    if args.iter().any(unknown) {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    let wrong = || unsupported(&format!("this form of numpy.{}", f.name()), span);
    if !args
        .iter()
        .all(|v| elementwise::is_numpy_array(&cx.builder, v))
    {
        return Err(wrong());
    }
    cx.builder.tally(Work::ArrayCall, 5.0);
    let last = args.pop().ok_or_else(wrong)?;
    if f == ArrayFn::Transpose && args.is_empty() {
        return match elementwise::operand(cx, last, span)?.node {
            Node::Part(section) => Ok(turned(&cx.builder, section)),
            _ => Err(unsupported("the transpose of what is computed", span)),
        };
    }
    if f == ArrayFn::Diff && args.is_empty() {
        return differences(cx, last, span);
    }
    let Some((last, fresh)) = line_of(cx, last, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    match (f, args.pop()) {
        (ArrayFn::Flip, None) => {
            let flipped = last.reversed();
            Ok(Val::Array(Box::new(Elementwise {
                fresh,
                ..Elementwise::of(flipped, &cx.builder.arrays)
            })))
        }
        (ArrayFn::Outer, Some(first)) if args.is_empty() => {
            let Some((mut first, _)) = line_of(cx, first, span)? else {
                return Ok(Val::Scalar(Sv::bottom(span)));
            };
            first.axes.push(Axis::New);
            let [first, last] = [first, last].map(|section| {
                let part = Elementwise::of(section, &cx.builder.arrays);
                Val::Array(Box::new(part))
            });
            elementwise::array_binary(cx, Op::Mul, first, last, span)
        }
        _ => Err(wrong()),
    }
}

/// The differences of neighbouring elements along the last axis (`np.diff`).
fn differences(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Val> {
    let tree = elementwise::reduced(cx, value, span)?;
    let kind = match elementwise::element_kind(cx, &tree, span)? {
        None => return Ok(Val::Scalar(Sv::bottom(span))),
        Some(kind) if kind.is_bool() => {
            return Err(unsupported("numpy.diff of bools", span));
        }
        Some(kind) => kind,
    };
    let all = in_memory::in_memory(cx, &tree, kind, span)?;
    let shape = all.shape();
    let axis = shape.len() - 1;
    shapes::check_not_empty(&mut cx.builder, &shape[axis], span);
    let [one, many] = [Expr::int(1, span), minus(&shape[axis], &Expr::int(1, span))];
    let [later, earlier] = [one, Expr::int(0, span)].map(|first| {
        let part = all.narrowed(axis, first, many.clone());
        Val::Array(Box::new(Elementwise::of(part, &cx.builder.arrays)))
    });
    elementwise::array_binary(cx, Op::Sub, later, earlier, span)
}

/// The transposed form `x.T` of a part of an array.
pub(crate) fn turned(builder: &Builder, section: Section) -> Val {
    let tree = Elementwise::of(section.clone(), &builder.arrays);
    let tree = match tree.shape.len() > 1 {
        true => tree.turned(Node::Turned(section)),
        false => tree,
    };
    Val::Array(Box::new(tree))
}

/// An array of one axis in memory, and whether nobody else has it; `None` if its type is not known yet.
fn line_of(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Option<(Section, bool)>> {
    let tree = elementwise::reduced(cx, value, span)?;
    if tree.shape.len() != 1 {
        return Err(unsupported("an arrangement of several axes", span));
    }
    let Some(kind) = elementwise::element_kind(cx, &tree, span)? else {
        return Ok(None);
    };
    let fresh = tree.part().is_none();
    Ok(Some((in_memory::in_memory(cx, &tree, kind, span)?, fresh)))
}

/// The type of the values of a reduction along an axis; `None` if the reduction is not supported.
fn result(f: ArrayFn, kind: Kind) -> Option<Kind> {
    let natural = kind.natural();
    let float = matches!(natural, Scalar::F64 | Scalar::F32);
    let int = natural == Scalar::Bool || natural.is_int();
    match f {
        ArrayFn::Sum if float => Some(kind),
        ArrayFn::Sum if int => Some(Kind::Np(
            match natural.is_unsigned() && natural != Scalar::Bool {
                true => Scalar::U64,
                false => Scalar::I64,
            },
        )),
        ArrayFn::Mean if float => Some(kind),
        ArrayFn::Max | ArrayFn::Min if float || int => Some(kind),
        ArrayFn::Any | ArrayFn::All if natural == Scalar::Bool => Some(kind),
        ArrayFn::Argmax | ArrayFn::Argmin if float || int => Some(Kind::Np(Scalar::I64)),
        _ => None,
    }
}
