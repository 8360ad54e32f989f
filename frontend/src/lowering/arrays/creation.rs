//! Arrays that are made of numbers: `np.array([x, y, z])`, `np.zeros(n)`, `np.full(x.shape, 0.5)`.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::{Extent, Scalar, Span, Ty};

use crate::builtins::ArrayFn;
use crate::lowering::arrays::{elementwise, extents, linspace};
use crate::lowering::context::Lowering;
use crate::lowering::lists::slice;
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::{Kind, kind_ty};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::is_one;
use crate::lowering::value::tree::{Elementwise, Node};
use crate::lowering::{build, operands};
use crate::refusal::{R, Refusal, refuse, unsupported};

/// The most items of a display that becomes an array: an element is chosen by comparing its position with each item's.
const LONGEST: usize = 16;

/// Lowers `np.array`, `np.zeros`, `np.ones`, `np.empty`, `np.full`, `np.eye`, `np.identity`, `np.arange`,
/// `np.linspace`.
pub(crate) fn display(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let wrong = || extents::wrong(f, span);
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
                array_like(cx, ArrayFn::Copy, vec![array], dtype, span)
            }
            _ => Err(wrong()),
        };
    }
    let sizes = match arg {
        Val::Tuple(items) => items,
        one => vec![one],
    };
    let Some((shape, axes)) = extents::extents(cx, f, sizes, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let storage = dtype.unwrap_or(Scalar::F64);
    let value = match (f, given) {
        (ArrayFn::Full, _) if storage != Scalar::F64 => return Err(wrong()),
        (ArrayFn::Full, given) => {
            let value = convert::need_scalar(given.ok_or_else(wrong)?, "a value", span)?;
            if value.is_bottom() {
                return Ok(Val::Scalar(value));
            }
            let wide = |k: Kind| k.is_float() && k.natural() == Scalar::F64;
            if !value.kinds.every(wide) {
                return Err(wrong());
            }
            operands::spill_sv(cx, value).e
        }
        _ => {
            let ty = Ty::np(storage);
            let like = Expr {
                ty,
                ..Expr::int(0, span)
            };
            let one = i32::from(f == ArrayFn::Ones);
            convert::literal(&Sv::of(like, Kind::Np(storage)), one, span)
        }
    };
    let value = build::retype(value, Ty::np(storage));
    let value = Sv::of(value, Kind::Np(storage));
    Ok(extents::made_of(Node::Scalar(value), shape, axes))
}

/// Lowers a function whose elements follow from their positions: `np.eye`, `np.identity`, `np.arange`.
fn of_places(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut sizes: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let axes = if f == ArrayFn::Eye { 2 } else { 1 };
    if sizes.is_empty() || sizes.len() > axes {
        return Err(extents::wrong(f, span));
    }
    let node = match (f, dtype) {
        (ArrayFn::Arange, None | Some(Scalar::I64)) => Node::Places,
        (ArrayFn::Arange, Some(_)) => return Err(extents::wrong(f, span)),
        (_, storage) => Node::Diagonal(storage.unwrap_or(Scalar::F64)),
    };
    if f != ArrayFn::Arange && sizes.len() == 1 {
        sizes.extend(sizes.first().cloned());
    }
    Ok(match extents::extents(cx, f, sizes, span)? {
        None => Val::Scalar(Sv::bottom(span)),
        // An axis of one element would be repeated beside longer ones.
        Some((shape, _)) if shape.iter().any(is_one) => return Err(extents::wrong(f, span)),
        Some((shape, axes)) => extents::made_of(node, shape, axes),
    })
}

/// The element of an identity matrix at these positions.
pub(crate) fn diagonal(storage: Scalar, places: &[Expr], span: Span) -> Sv {
    let ty = Ty::np(storage);
    let like = Expr {
        ty,
        ..Expr::int(0, span)
    };
    let kind = Kind::Np(storage);
    let like = Sv::of(like, kind);
    let [one, zero] = [1, 0].map(|v| convert::literal(&like, v, span));
    let [.., row, column] = places else {
        return Sv::of(one, kind);
    };
    let on = build::compare(CmpOp::Eq, row.clone(), column.clone(), Ty::PY_BOOL, span);
    Sv::of(build::select(on, one, zero, ty), kind)
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
        let sv = convert::need_scalar(item, "an element", span)?;
        values.push(operands::spill_sv(cx, sv));
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
    Ok(extents::made_of(Node::Items(elements), shape, axes))
}

/// The item of a display at the position `at`.
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

/// Lowers a function that makes a copy of an array, or an array of its shape and type, or a copy of another type.
pub(crate) fn array_like(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let (Some(array), true) = (args.pop(), args.is_empty()) else {
        return Err(unsupported("this form of making an array", span));
    };
    if let (ArrayFn::Copy, Some(list)) = (f, slice::list_copy(cx, &array, span)?) {
        return Ok(list);
    }
    if !elementwise::is_numpy_array(&cx.builder, &array) {
        return match array {
            Val::Scalar(sv) if sv.is_bottom() => Ok(Val::Scalar(sv)),
            _ => Err(unsupported("making an array like a number", span)),
        };
    }
    let tree = elementwise::operand(cx, array, span)?;
    if f != ArrayFn::Copy && !matches!(tree.node, Node::Part(_)) {
        return Err(unsupported("an array like one that is computed", span));
    }
    let Some(kind) = elementwise::element_kind(cx, &tree, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let kind = match dtype {
        Some(_) if f == ArrayFn::Copy => {
            return Err(unsupported("this form of making an array", span));
        }
        Some(storage) => Kind::Np(storage),
        None => kind,
    };
    let ty = kind_ty(kind);
    let value = match f {
        ArrayFn::Copy => {
            return Ok(Val::Array(Box::new(Elementwise {
                fresh: true,
                ..tree
            })));
        }
        // Nobody may rely on what is in an empty one.
        ArrayFn::ZerosLike | ArrayFn::EmptyLike => 0,
        _ => 1,
    };
    let like = Sv::of(
        Expr {
            ty,
            ..Expr::int(0, span)
        },
        kind,
    );
    let value = Sv::of(convert::literal(&like, value, span), kind);
    Ok(Val::Array(Box::new(Elementwise {
        node: Node::Scalar(value),
        fresh: true,
        ..tree
    })))
}
