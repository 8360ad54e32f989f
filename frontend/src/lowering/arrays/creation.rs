//! Arrays that are made of numbers: `np.array([x, y, z])`, `np.zeros(n)`, `np.full(x.shape, 0.5)`.

use nestwise_ir::model::nest::{CmpOp, Const, Expr, ExprKind};
use nestwise_ir::{ArrayKind, BinOp, Extent, Scalar, Span, Ty, UnOp};

use crate::builtins::ArrayFn;
use crate::lowering::arrays::elementwise;
use crate::lowering::arrays::elementwise::{Elementwise, Like, Node};
use crate::lowering::arrays::linspace;
use crate::lowering::arrays::view::is_one;
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::names::swaps;
use crate::lowering::scalar::arith;
use crate::lowering::scalar::compare;
use crate::lowering::scalar::convert;
use crate::lowering::spill;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::{Sv, Val};
use crate::refusal::R;
use crate::refusal::Refusal;
use crate::refusal::refuse;

/// An element is chosen by comparing its place with each of the display's.
const LONGEST: usize = 16;

pub(crate) fn wrong(f: ArrayFn, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = format!("this form of numpy.{}", f.name());
    refuse(span, Refusal::Unsupported { what })
}

/// An array that a function makes.
pub(crate) fn made_of(node: Node, shape: Vec<Expr>, axes: Like) -> Val {
    Val::Array(Box::new(Elementwise {
        node,
        shape,
        like: Some(axes),
        fresh: true,
        whole: true,
        lent: false,
        viewed: false,
    }))
}

/// `np.array`, `np.zeros`, `np.ones`, `np.empty`, `np.full`, `np.eye`, `np.identity`, `np.arange`, `np.linspace`.
pub(crate) fn display(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let wrong = || wrong(f, span);
    if matches!(f, ArrayFn::Eye | ArrayFn::Identity | ArrayFn::Arange) {
        return of_places(cx, f, args, dtype, span);
    }
    if f == ArrayFn::Linspace {
        return linspace::linspace(cx, args, dtype, span);
    }
    let given = match f {
        ArrayFn::Full if args.len() == 2 => args.pop(),
        _ => None,
    };
    let (Some(arg), true) = (args.pop(), args.is_empty()) else {
        return Err(wrong());
    };
    if f == ArrayFn::Array {
        return match arg {
            Val::Tuple(items) => array_of_items(cx, items, dtype, span),
            array if elementwise::is_numpy_array(&cx.builder, &array) => {
                elementwise::array_like(cx, ArrayFn::Copy, vec![array], dtype, span)
            }
            _ => Err(wrong()),
        };
    }
    let sizes = match arg {
        Val::Tuple(items) => items,
        one => vec![one],
    };
    let Some((shape, axes)) = extents(cx, f, sizes, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let storage = dtype.unwrap_or(Scalar::F64);
    let value = match (f, given) {
        (ArrayFn::Full, _) if storage != Scalar::F64 => return Err(wrong()),
        (ArrayFn::Full, given) => {
            let value = arith::need_scalar(given.ok_or_else(wrong)?, "a value", span)?;
            if value.is_bottom() {
                return Ok(Val::Scalar(value));
            }
            let wide = |k: Kind| k.is_float() && k.natural() == Scalar::F64;
            if !value.kinds.every(wide) {
                return Err(wrong());
            }
            spill::spill_sv(cx, value).e
        }
        _ => {
            let ty = Ty::np(storage);
            let like = Expr {
                ty,
                ..Expr::int(0, span)
            };
            let one = i32::from(f == ArrayFn::Ones);
            compare::literal(&Sv::of(like, Kind::Np(storage)), one, span)
        }
    };
    let value = build::retype(value, Ty::np(storage));
    let value = Sv::of(value, Kind::Np(storage));
    Ok(made_of(Node::Scalar(value), shape, axes))
}

/// The axes of an array of a shape that is given; none: a size is not known yet.
pub(crate) fn extents(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    sizes: Vec<Val>,
    span: Span,
) -> R<Option<(Vec<Expr>, Like)>> {
    let (mut shape, mut axes) = (vec![], vec![]);
    for size in sizes {
        let size = arith::need_scalar(size, "a shape", span)?;
        if size.is_bottom() {
            return Ok(None);
        }
        let axis = known_extent(cx, &size).ok_or_else(|| wrong(f, span))?;
        if matches!(axis, Extent::Value { .. } | Extent::Computed(_))
            || matches!(axis, Extent::Axis { plus, .. } if plus < 0)
        {
            let zero = Expr::int(0, span);
            let there = build::compare(CmpOp::Ge, size.e.clone(), zero, Ty::PY_BOOL, span);
            cx.builder.emit_check(there);
        }
        shape.push(size.e);
        axes.push(axis);
    }
    Ok(Some((shape, axes)))
}

/// An array whose elements follow from their places.
fn of_places(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut sizes: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let axes = if f == ArrayFn::Eye { 2 } else { 1 };
    if sizes.is_empty() || sizes.len() > axes {
        return Err(wrong(f, span));
    }
    let node = match (f, dtype) {
        (ArrayFn::Arange, None | Some(Scalar::I64)) => Node::Places,
        (ArrayFn::Arange, Some(_)) => return Err(wrong(f, span)),
        (_, storage) => Node::Diagonal(storage.unwrap_or(Scalar::F64)),
    };
    if f != ArrayFn::Arange && sizes.len() == 1 {
        sizes.extend(sizes.first().cloned());
    }
    Ok(match extents(cx, f, sizes, span)? {
        None => Val::Scalar(Sv::bottom(span)),
        // It would be repeated beside longer ones.
        Some((shape, _)) if shape.iter().any(is_one) => return Err(wrong(f, span)),
        Some((shape, axes)) => made_of(node, shape, axes),
    })
}

/// The element of an identity matrix.
pub(crate) fn diagonal(storage: Scalar, places: &[Expr], span: Span) -> Sv {
    let ty = Ty::np(storage);
    let like = Expr {
        ty,
        ..Expr::int(0, span)
    };
    let kind = Kind::Np(storage);
    let like = Sv::of(like, kind);
    let [one, zero] = [1, 0].map(|v| compare::literal(&like, v, span));
    let [.., row, column] = places else {
        return Sv::of(one, kind);
    };
    let on = build::compare(CmpOp::Eq, row.clone(), column.clone(), Ty::PY_BOOL, span);
    Sv::of(build::select(on, one, zero, ty), kind)
}

/// An extent that is known before the nest runs, or one that is no less.
fn known_extent(cx: &Lowering<'_>, size: &Sv) -> Option<Extent> {
    let bound = match size.e.kind {
        ExprKind::Var(var) => cx.builder.lengths.get(&var).copied(),
        _ => None,
    };
    let int = size.kinds == Kinds::of(Kind::PyInt);
    bound.or_else(|| exact_extent(cx, &size.e).filter(|_| int))
}

/// The extent that an expression is, however the nest runs: ints and lengths from outside that nothing assigns.
pub(crate) fn exact_extent(cx: &Lowering<'_>, e: &Expr) -> Option<Extent> {
    match &e.kind {
        ExprKind::Const(Const::Int(n)) => Some(Extent::Fixed(u32::try_from(*n).ok()?)),
        ExprKind::Var(var) if cx.builder.spilled.contains_key(var) => {
            exact_extent(cx, &cx.builder.spilled[var])
        }
        ExprKind::Var(var) => {
            let capture = cx.builder.vars[*var]
                .live_in
                .filter(|_| cx.builder.fixed.contains(var))?;
            let plus = 0;
            (e.ty == Ty::PY_INT).then_some(Extent::Value { capture, plus })
        }
        ExprKind::Dim(array, axis) => {
            let decl = &cx.builder.arrays[*array];
            match decl.kind {
                ArrayKind::Scratch if decl.list => decl.like.get(*axis as usize).copied(),
                ArrayKind::Ndarray
                | ArrayKind::List
                | ArrayKind::Tuple
                | ArrayKind::Bytes
                | ArrayKind::Str
                    if !swaps::trades_places(&cx.env, decl.capture) =>
                {
                    Some(Extent::Axis {
                        capture: decl.capture,
                        axis: *axis,
                        plus: 0,
                    })
                }
                _ => None,
            }
        }
        ExprKind::Unary {
            op: UnOp::Neg, a, ..
        } if e.ty == Ty::PY_INT => {
            let a = exact_extent(cx, a)?;
            Some(cx.env.facts.computed(BinOp::Sub, Extent::Fixed(0), a))
        }
        ExprKind::Binary { op, a, b, .. } if e.ty == Ty::PY_INT => {
            let int = |e: &Expr| e.as_int().and_then(|v| i64::try_from(v).ok());
            let longer = match (op, int(a), int(b)) {
                (BinOp::Add, _, Some(by)) => Some((a, by)),
                (BinOp::Add, Some(by), _) => Some((b, by)),
                (BinOp::Sub, _, Some(by)) => by.checked_neg().map(|by| (a, by)),
                _ => None,
            };
            let longer = longer.and_then(|(e, by)| exact_extent(cx, e)?.longer(by));
            longer.or_else(|| computed_extent(cx, *op, a, b))
        }
        _ => None,
    }
}

fn computed_extent(cx: &Lowering<'_>, op: BinOp, a: &Expr, b: &Expr) -> Option<Extent> {
    let fits = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => true,
        BinOp::FloorDiv => b.as_int().is_some_and(|by| by > 0),
        _ => false,
    };
    let known = |e: &Expr| match e.as_int() {
        Some(n) if n < 0 => None,
        _ => exact_extent(cx, e),
    };
    let (true, Some(a), Some(b)) = (fits, known(a), known(b)) else {
        return None;
    };
    Some(cx.env.facts.computed(op, a, b))
}

fn array_of_items(
    cx: &mut Lowering<'_>,
    items: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let wrong = |what: &str| {
        let what = format!("numpy.array of {what}");
        refuse(span, Refusal::Unsupported { what })
    };
    if items.is_empty() || items.len() > LONGEST {
        return Err(wrong("so many items"));
    }
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        let sv = arith::need_scalar(item, "an element", span)?;
        values.push(spill::spill_sv(cx, sv));
    }
    if values.iter().any(Sv::is_bottom) {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    let all = |f: fn(Kind) -> bool| values.iter().all(|sv| sv.kinds.every(f));
    let int = |k: Kind| matches!(k, Kind::PyInt | Kind::Np(Scalar::I64));
    let float = |k: Kind| {
        let narrow = matches!(k, Kind::Np(s) if s != Scalar::F64 && s != Scalar::I64);
        !narrow && (k.is_float() || matches!(k, Kind::PyInt | Kind::Np(Scalar::I64)))
    };
    let storage = match (all(int), all(float), dtype) {
        (true, _, None | Some(Scalar::I64)) => Scalar::I64,
        (_, true, None | Some(Scalar::F64)) => Scalar::F64,
        _ => return Err(wrong("these types")),
    };
    let kind = Kind::Np(storage);
    let mut elements = Vec::with_capacity(values.len());
    for sv in values {
        let e = convert::in_repr(&sv, storage, false);
        let e = e.ok_or_else(|| wrong("these types"))?;
        let e = cx.builder.spill(e);
        elements.push(Sv::of(build::retype(e, Ty::np(storage)), kind));
    }
    let count = elements.len();
    let shape = vec![Expr::int(count as i64, span)];
    let axes = vec![Extent::Fixed(count as u32)];
    Ok(made_of(Node::Items(elements), shape, axes))
}

/// The item at a place.
pub(crate) fn item_of(items: &[Sv], at: &Expr, span: Span) -> R<Sv> {
    let mut chosen: Option<Sv> = None;
    for (k, item) in items.iter().enumerate().rev() {
        chosen = Some(match chosen {
            None => item.clone(),
            Some(rest) => {
                let here = Expr::int(k as i64, span);
                let is = build::compare(CmpOp::Eq, at.clone(), here, Ty::PY_BOOL, span);
                let e = build::select(is, item.e.clone(), rest.e, item.e.ty);
                Sv::new(e, item.kinds)
            }
        });
    }
    Ok(chosen.unwrap_or_else(|| Sv::bottom(span)))
}
