//! Lowers `np.var` and `np.std` by the steps of NumPy's own `_var` (in `numpy/_core/_methods.py`): the mean, the
//! deviations of elements from it, the sum of their squares, and that sum divided by the number of elements.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Fun, Span, Ty, Work};

use crate::builtins::{ArrayFn, Known, NumpyFn};
use crate::lowering::arrays::axis_reduction::{self, Along};
use crate::lowering::arrays::offsets::minus;
use crate::lowering::arrays::reduction::{self, no_sum};
use crate::lowering::arrays::{elementwise, in_memory, shapes};
use crate::lowering::context::Lowering;
use crate::lowering::scalar::math;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{build, operands};
use crate::refusal::{R, unsupported};

/// The limit of `ddof`, which is subtracted from the number of elements.
const MOST_FEWER: i128 = 1 << 20;

/// Lowers a call of `np.var`, or of `np.std`, its square root.
pub(crate) fn spread(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    named: Vec<(&str, Val)>,
    span: Span,
) -> R<Val> {
    let wrong = || unsupported(&format!("this form of numpy.{}", f.name()), span);
    let (mut along, mut fewer) = (Along::default(), 0);
    let axis = if args.len() > 1 { args.pop() } else { None };
    for (key, value) in axis.map(|v| ("axis", v)).into_iter().chain(named) {
        match (key, value) {
            ("ddof", Val::Scalar(sv)) => {
                let known = sv.as_int().filter(|n| (0..MOST_FEWER).contains(n));
                fewer = known.ok_or_else(wrong)? as i64;
            }
            (key, value) => along.set(key, value).ok_or_else(wrong)?,
        }
    }
    let array = args.pop().filter(|v| args.is_empty() && v.is_array());
    let given = elementwise::reduced(cx, array.ok_or_else(wrong)?, span)?;
    let kind = match elementwise::element_kind(cx, &given, span)? {
        None => return Ok(Val::Scalar(Sv::bottom(span))),
        Some(kind) if kind.is_float() => kind,
        Some(kind) => return Err(no_sum(kind, span)),
    };
    // Python's own function, around those that follow.
    cx.builder.tally(Work::ArrayCall, 10.0);
    let tree = match given.part() {
        Some(_) => given,
        // The tree is read twice.
        None => Elementwise::made(
            in_memory::copied(cx, &given, kind, span)?,
            &cx.builder.arrays,
        ),
    };
    let axis = match along.axis_of(tree.shape.len()) {
        Some(axis) => Some(axis.ok_or_else(wrong)?).filter(|_| tree.shape.len() > 1),
        None => None,
    };
    if axis.is_none() && along.keep {
        return Err(wrong());
    }
    let variance = variance(cx, &tree, axis, along.keep, fewer, span)?;
    match (f, variance) {
        (ArrayFn::Std, Val::Scalar(sv)) if !sv.is_bottom() => {
            let root = math::numpy(cx, NumpyFn::Unary(Fun::Sqrt), vec![sv], span)?;
            Ok(Val::Scalar(root))
        }
        (ArrayFn::Std, array @ Val::Array(_)) => {
            cx.array_call(Known::Numpy(NumpyFn::Unary(Fun::Sqrt)), vec![array], span)
        }
        (_, variance) => Ok(variance),
    }
}

/// The variance of all elements, or of each line along an axis.
fn variance(
    cx: &mut Lowering<'_>,
    tree: &Elementwise,
    axis: Option<usize>,
    keep: bool,
    fewer: i64,
    span: Span,
) -> R<Val> {
    let mean = match axis {
        Some(axis) => axis_reduction::along(cx, ArrayFn::Mean, tree.clone(), axis, true, span)?,
        None => Val::Scalar(reduction::mean(cx, tree, span)?),
    };
    let all = Val::Array(Box::new(tree.clone()));
    let deviations = elementwise::array_binary(cx, Op::Sub, all, mean, span)?;
    let squares = elementwise::array_binary(cx, Op::Mul, deviations.clone(), deviations, span)?;
    let squares = elementwise::operand(cx, squares, span)?;
    let sum = match axis {
        Some(axis) => axis_reduction::along(cx, ArrayFn::Sum, squares, axis, keep, span)?,
        None => Val::Scalar(reduction::sum_of(cx, &squares, span)?),
    };
    let many = match axis {
        Some(axis) => tree.shape[axis].clone(),
        None => shapes::count(&tree.shape, span),
    };
    let many = minus(&many, &Expr::int(fewer, span));
    let some = build::compare(
        CmpOp::Gt,
        many.clone(),
        Expr::int(0, span),
        Ty::PY_BOOL,
        span,
    );
    cx.builder.emit_check(some);
    let many = Sv::of(many, Kind::PyInt).with_range((1, i64::MAX.into()));
    let many = operands::spill_sv(cx, many);
    match sum {
        Val::Scalar(sum) => reduction::divided(cx, sum, many, span).map(Val::Scalar),
        sums => {
            let sums = elementwise::operand(cx, sums, span)?;
            let Node::Part(part) = &sums.node else {
                return Err(unsupported("this form of a variance", span));
            };
            axis_reduction::divide_all(cx, &part.clone(), &many, span)?;
            Ok(Val::Array(Box::new(sums)))
        }
    }
}
