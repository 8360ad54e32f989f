//! Attributes of values: shapes of arrays, parts of complex numbers.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::surface::UnOp as Sign;
use nestwise_ir::{ArrayKind, Scalar, Span, Ty};

use crate::lowering::arrays::{access, axis_reduction, temporary, view};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::objects::records;
use crate::lowering::scalar::{bigint, convert};
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::{Sv, Tag};
use crate::lowering::value::tree::Node;
use crate::lowering::{build, hir, interpreter_cost};
use crate::refusal::{R, Refusal, refuse};

/// Lowers `base.name`.
pub(crate) fn attribute(cx: &mut Lowering<'_>, base: &hir::Expr, name: &str, span: Span) -> R<Val> {
    let value = cx.expression(base)?;
    interpreter_cost::count_attribute(&mut cx.builder, &value);
    if let Val::View(object) = &value
        && cx.builder.is_object(object)
    {
        let view = records::attribute_of(cx, object.clone(), name, span)?;
        return access::element(&mut cx.builder, view, span);
    }
    let unknown = |ty: String| {
        refuse(
            span,
            Refusal::UnknownAttribute {
                name: name.into(),
                ty,
            },
        )
    };
    match value {
        Val::View(view) => {
            let decl = &cx.builder.arrays[view.array];
            let (kind, rank) = (decl.kind, decl.rank as usize);
            if kind != ArrayKind::Ndarray {
                return Err(unknown(kind.to_string()));
            }
            if name == "T" {
                let section = view::whole_section(cx, view, span)?;
                return Ok(axis_reduction::turned(&cx.builder, section));
            }
            let view = convert::check_view(&mut cx.builder, view);
            let dims = (view.index.len()..rank).map(|k| build::dim(view.array, k, span));
            let shape = shape_attribute(name, dims.collect(), span);
            shape.ok_or_else(|| unknown("numpy.ndarray".into()))
        }
        Val::Array(tree) if !matches!(tree.node, Node::Part(_)) => {
            let what = format!("`.{name}` of an array that is computed");
            Err(refuse(span, Refusal::Unsupported { what }))
        }
        Val::Array(tree) if name == "T" => match tree.node {
            Node::Part(section) => Ok(axis_reduction::turned(&cx.builder, section)),
            _ => Err(unknown("numpy.ndarray".into())),
        },
        Val::Array(tree) => {
            let axes = 0..tree.shape.len();
            let dims = axes
                .map(|axis| temporary::axis_length(&mut cx.builder, &tree, axis))
                .collect();
            let shape = shape_attribute(name, dims, span);
            shape.ok_or_else(|| unknown("numpy.ndarray".into()))
        }
        Val::Scalar(sv) if sv.is_bottom() => Ok(Val::Scalar(sv)),
        Val::Scalar(sv) => part(&mut cx.builder, sv, name, span).map(Val::Scalar),
        other => Err(unknown(other.type_name())),
    }
}

/// The attribute `.shape`, `.ndim` or `.size` of an array of this shape; `None` for other names.
fn shape_attribute(name: &str, dims: Vec<Expr>, span: Span) -> Option<Val> {
    let dim = |e: Expr| Val::Scalar(Sv::of(e, Kind::PyInt).with_range((0, i64::MAX.into())));
    match name {
        "shape" => Some(Val::Tuple(dims.into_iter().map(dim).collect())),
        "ndim" => Some(Val::Scalar(Sv::int(dims.len() as i128, span))),
        "size" => {
            // Elements in memory: the product fits.
            let product = |a, b| {
                let op = nestwise_ir::BinOp::Mul;
                build::binary(op, a, b, Ty::PY_INT, false, span)
            };
            let size = dims.into_iter().reduce(product);
            Some(dim(size.unwrap_or_else(|| Expr::int(1, span))))
        }
        _ => None,
    }
}

/// The attribute `.real` or `.imag` of a number.
fn part(builder: &mut Builder, sv: Sv, name: &str, span: Span) -> R<Sv> {
    let unknown = refuse(
        span,
        Refusal::UnknownAttribute {
            name: name.into(),
            ty: sv.kinds.to_string(),
        },
    );
    let op = match name {
        "real" => nestwise_ir::UnOp::Real,
        "imag" => nestwise_ir::UnOp::Imag,
        _ => return Err(unknown),
    };
    let Some(kind) = sv.kinds.single() else {
        let both = Kinds::all(&[Kind::PyComplex, Kind::Np(Scalar::C128)]);
        if sv.kinds != both {
            return Err(unknown);
        }
        let kinds = Kinds::all(&[Kind::PyFloat, Kind::Np(Scalar::F64)]);
        let tag = Tag::AnyNp(vec![(sv.kinds, sv.tag)]);
        return Ok(
            Sv::new(build::unary(op, sv.e, kinds.ty(Scalar::F64), false), kinds).with_tag(tag),
        );
    };
    match kind {
        Kind::PyComplex => Ok(Sv::of(
            build::unary(op, sv.e, Ty::PY_FLOAT, false),
            Kind::PyFloat,
        )),
        Kind::Np(Scalar::C128) => {
            let part = Kind::Np(Scalar::F64);
            Ok(Sv::of(
                build::unary(op, sv.e, Ty::np(Scalar::F64), false),
                part,
            ))
        }
        Kind::Char => Err(unknown),
        Kind::PyBool | Kind::PyInt if name == "real" => bigint::int_sign(Sign::Pos, sv, span),
        _ if name == "real" => Ok(Sv { live: None, ..sv }),
        // The imaginary part of a real number: zero of its type.
        Kind::PyBool => Ok(Sv::int(0, span)),
        _ => {
            let zero = convert::literal(&sv, 0, span);
            convert::keep_guards(builder, &sv);
            Ok(Sv::new(zero, sv.kinds))
        }
    }
}
