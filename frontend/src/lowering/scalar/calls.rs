//! Lowers calls of builtins.

use nestwise_ir::model::nest::{StmtKind, UnOp};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{BinOp, CmpOp, Expr, Fun, Lib, Scalar, Span, Ty};

use crate::builtins::{ArrayForm, Builtin, Known, NumpyFn};
use crate::lowering::arrays::{concat, creation, functions, roll, shapes, temporary};
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::items;
use crate::lowering::control::for_loop::iterable::Seq;
use crate::lowering::lists::make;
use crate::lowering::objects::records;
use crate::lowering::scalar::{arith, characters, compare, conversions, convert, math};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{self, Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::Node;
use crate::lowering::{build, hir, interpreter_cost, operands};
use crate::refusal::{R, Refusal, refuse};

/// Lowers a call of a known function.
pub(crate) fn call(
    cx: &mut Lowering<'_>,
    known: Known,
    args: &[hir::Expr],
    kwargs: &[(String, hir::Expr)],
    span: Span,
) -> R<Val> {
    let wrong = |why: &str| {
        refuse(
            span,
            Refusal::Arguments {
                name: known.name(),
                why: why.into(),
            },
        )
    };
    let keeps_type = matches!(
        known,
        Known::Builtin(Builtin::Min | Builtin::Max | Builtin::Abs | Builtin::Pow)
    );
    let want_tag = cx.env.want_tag;
    cx.env.want_tag &= keeps_type;
    let values = operands::tuple(cx, args);
    cx.env.want_tag = want_tag;
    let values = values?;
    interpreter_cost::count_call(&mut cx.builder, known, &values);
    let result = match (known, kwargs) {
        (Known::Builtin(Builtin::Sum), [(key, start)]) if key == "start" && values.len() == 1 => {
            let start = cx.expression(start)?;
            let mut values = values;
            values.push(start);
            call_builtin(cx, Builtin::Sum, values, span)?
        }
        (Known::Numpy(NumpyFn::Array(f)), _)
            if matches!(
                f.form(),
                ArrayForm::Reduction | ArrayForm::Rolled | ArrayForm::Joined
            ) =>
        {
            let mut named = Vec::with_capacity(kwargs.len());
            for (key, value) in kwargs {
                named.push((key.as_str(), cx.expression(value)?));
            }
            return match f.form() {
                ArrayForm::Rolled => roll::rolled(cx, values, named, span),
                ArrayForm::Joined => concat::joined(cx, f, values, named, span),
                _ => functions::reduction(cx, f, values, named, span),
            };
        }
        (Known::Numpy(NumpyFn::Array(f)), [(key, value)])
            if key == "dtype"
                && let hir::ExprKind::Dtype(storage) = value.kind =>
        {
            return match f.form() {
                ArrayForm::Display => creation::display(cx, f, values, Some(storage), span),
                ArrayForm::Like => creation::array_like(cx, f, values, Some(storage), span),
                _ => Err(wrong("keyword arguments are not supported")),
            };
        }
        (_, [_, ..]) => return Err(wrong("keyword arguments are not supported")),
        (Known::Builtin(builtin), []) => call_builtin(cx, builtin, values, span)?,
        (Known::Numpy(NumpyFn::Array(_)), []) => {
            return cx.array_call(known, values, span);
        }
        (Known::Text(f), []) => {
            let [text] = <[Val; 1]>::try_from(values).map_err(|_| wrong("it takes none"))?;
            let text = convert::need_scalar(text, &known.name(), span)?;
            Val::Scalar(characters::method(&mut cx.builder, f, text, span)?)
        }
        (known, []) if values.iter().any(Val::is_array) => {
            return cx.array_call(known, values, span);
        }
        (known, []) => {
            let mut scalars = Vec::new();
            for value in values {
                scalars.push(convert::need_scalar(value, &known.name(), span)?);
            }
            if scalars.iter().any(Sv::is_bottom) {
                return Ok(Val::Scalar(Sv::bottom(span)));
            }
            Val::Scalar(match known {
                Known::Math(f) => math::math(cx, f, scalars, span)?,
                Known::Numpy(f) => math::numpy(cx, f, scalars, span)?,
                Known::NumpyType(to) => math::numpy_type(cx, to, scalars, span)?,
                Known::Builtin(_) | Known::Text(_) | Known::Host(_) => {
                    return Err(wrong("this form"));
                }
            })
        }
    };
    Ok(result)
}

fn call_builtin(cx: &mut Lowering<'_>, builtin: Builtin, values: Vec<Val>, span: Span) -> R<Val> {
    let values = values.into_iter().map(|v| make::settled_list(cx, v, span));
    let mut values = values.collect::<R<Vec<Val>>>()?;
    let wrong = |why: &str| {
        refuse(
            span,
            Refusal::Arguments {
                name: builtin.name().into(),
                why: why.into(),
            },
        )
    };
    match builtin {
        Builtin::Range
        | Builtin::Enumerate
        | Builtin::Zip
        | Builtin::Reversed
        | Builtin::Map
        | Builtin::Filter => {
            return Err(wrong("it is supported as what a loop iterates over"));
        }
        Builtin::Min | Builtin::Max => {
            return least_or_greatest(cx, builtin == Builtin::Max, values, span).map(Val::Scalar);
        }
        Builtin::Sum => return sum(cx, values, span).map(Val::Scalar),
        _ => {}
    }
    let second = if values.len() > 1 { values.pop() } else { None };
    let Some(first) = values.pop().filter(|_| values.is_empty()) else {
        return Err(wrong("a wrong number of arguments"));
    };
    if builtin == Builtin::Len {
        return match second {
            None => len_of(cx, first, span).map(Val::Scalar),
            Some(_) => Err(wrong("a wrong number of arguments")),
        };
    }
    if builtin == Builtin::Bool && second.is_none() {
        let truth = convert::truth(&mut cx.builder, first, span)?;
        return Ok(Val::Scalar(Sv::of(truth, Kind::PyBool)));
    }
    let a = convert::need_scalar(first, builtin.name(), span)?;
    let b = second
        .map(|v| convert::need_scalar(v, builtin.name(), span))
        .transpose()?;
    if a.is_bottom() || b.as_ref().is_some_and(Sv::is_bottom) {
        let both = vec![Val::Scalar(Sv::bottom(span)), Val::Scalar(Sv::bottom(span))];
        return Ok(if builtin == Builtin::Divmod {
            Val::Tuple(both)
        } else {
            Val::Scalar(Sv::bottom(span))
        });
    }
    let result = match (builtin, b) {
        (Builtin::Abs, None) => arith::absolute(a, span)?,
        (Builtin::Int, None) if a.kinds == Kinds::of(Kind::Char) => {
            characters::digit(&mut cx.builder, a, span)
        }
        (Builtin::Int, None) => conversions::int_of(a, span)?,
        (Builtin::Float, None) => conversions::float_of(a, span)?,
        (Builtin::Round, None) => conversions::round(a, span)?,
        (Builtin::Ord, None) if a.kinds == Kinds::of(Kind::Char) => {
            characters::number(&mut cx.builder, a)
        }
        (Builtin::Chr, None) => characters::numbered(&mut cx.builder, a, span)?,
        (Builtin::Complex, None) => conversions::complex_of(a, span)?,
        (Builtin::Complex, Some(b)) => {
            let (re, im) = (
                math::real("complex", &a, span)?,
                math::real("complex", &b, span)?,
            );
            let ty = Ty::PY_COMPLEX;
            let e = build::call(Fun::Pair, Lib::C, vec![re, im], ty, false, span);
            Sv::of(e, Kind::PyComplex)
        }
        (Builtin::Pow, Some(b)) => arith::arith(cx, Op::Pow, a, b, span)?,
        (Builtin::Divmod, Some(b)) => {
            let (a, b) = (operands::spill_sv(cx, a), operands::spill_sv(cx, b));
            let quotient = arith::arith(cx, Op::FloorDiv, a.clone(), b.clone(), span)?;
            let rest = arith::arith(cx, Op::Mod, a, b, span)?;
            return Ok(Val::Tuple(vec![Val::Scalar(quotient), Val::Scalar(rest)]));
        }
        _ => return Err(wrong("this form is not supported")),
    };
    Ok(Val::Scalar(result))
}

fn len_of(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Sv> {
    let len = |n: usize| Ok(Sv::int(n as i128, span));
    match records::opened(cx, value, span)? {
        Val::View(view) => {
            let view = convert::check_view(&mut cx.builder, view);
            let dim = build::dim(view.array, view.index.len(), span);
            Ok(Sv::of(dim, Kind::PyInt).with_range((0, i64::MAX.into())))
        }
        Val::Counted(section) => {
            let n = section.shape().swap_remove(0);
            Ok(Sv::of(n, Kind::PyInt).with_range((0, i64::MAX.into())))
        }
        Val::Array(tree) if !matches!(tree.node, Node::Part(_)) => {
            // What is computed may warn, or be what cannot be.
            let what = "the length of an array that is computed".into();
            Err(refuse(span, Refusal::Unsupported { what }))
        }
        Val::Array(tree) => {
            // A slice whose end is before its start is empty.
            let n = temporary::axis_length(&mut cx.builder, &tree, 0);
            Ok(Sv::of(n, Kind::PyInt).with_range((0, i64::MAX.into())))
        }
        Val::Tuple(items) => len(items.len()),
        Val::Str(text) => len(text.chars().count()),
        Val::Bytes(bytes) => len(bytes.len()),
        Val::Scalar(sv) if sv.is_bottom() => Ok(sv),
        other => {
            let operands = vec![other.type_name()];
            Err(refuse(
                span,
                Refusal::Operator {
                    op: "len",
                    operands,
                },
            ))
        }
    }
}

/// Lowers `min(...)` or `max(...)` of several values or of one array.
fn least_or_greatest(
    cx: &mut Lowering<'_>,
    greater: bool,
    mut values: Vec<Val>,
    span: Span,
) -> R<Sv> {
    let name = if greater { "max" } else { "min" };
    if values.len() == 1 {
        return match values.pop() {
            Some(array @ (Val::View(_) | Val::Array(_) | Val::Counted(_))) => {
                extremum(cx, greater, array, span)
            }
            Some(Val::Tuple(items)) if items.len() > 1 => {
                least_or_greatest(cx, greater, items, span)
            }
            _ => Err(refuse(
                span,
                Refusal::Arguments {
                    name: name.into(),
                    why: "it takes several numbers or an array".into(),
                },
            )),
        };
    }
    let mut best: Option<Sv> = None;
    for value in values {
        let sv = convert::need_scalar(value, name, span)?;
        best = Some(match best {
            None => sv,
            Some(best) => compare::min_max(cx, greater, best, sv, span)?,
        });
    }
    best.ok_or_else(|| {
        refuse(
            span,
            Refusal::AlwaysRaises {
                what: format!("{name}()"),
            },
        )
    })
}

/// The elements of a sequence of one axis, checked, and their type.
fn elements_of(builder: &mut Builder, value: Val, name: &str, span: Span) -> R<(Seq, Ty)> {
    let (seq, array, axes) = match value {
        Val::View(view) => {
            let view = convert::check_view(builder, view);
            let axes = builder.arrays[view.array].rank as usize - view.index.len();
            let array = view.array;
            (Seq::View(view), array, axes)
        }
        Val::Array(tree) => {
            let axes = tree.shape.len();
            let Node::Part(section) = tree.node else {
                let what = format!("{name} of an array that is computed");
                return Err(refuse(span, Refusal::Unsupported { what }));
            };
            let array = section.array;
            (Seq::Section(section), array, axes)
        }
        Val::Counted(section) => {
            let array = section.array;
            (Seq::Section(*section), array, 1)
        }
        other => {
            let why = format!("it takes numbers or an array, not a {}", other.type_name());
            let name = name.into();
            return Err(refuse(span, Refusal::Arguments { name, why }));
        }
    };
    if axes != 1 {
        return Err(refuse(span, Refusal::ArrayExpression { what: name.into() }));
    }
    Ok((seq, builder.arrays[array].elem))
}

/// The first element of a sequence; a guard fails where there is none.
fn first_of(cx: &mut Lowering<'_>, seq: &Seq, name: &str, span: Span) -> R<Sv> {
    let zero = Sv::int(0, span);
    let first = items::nth(cx, seq, zero, span)?;
    convert::need_scalar(first, name, span)
}

/// Lowers `min` or `max` of an array to a loop, in CPython's order.
fn extremum(cx: &mut Lowering<'_>, greater: bool, array: Val, span: Span) -> R<Sv> {
    let name = if greater { "max" } else { "min" };
    let (mut seq, _) = elements_of(&mut cx.builder, array, name, span)?;
    let len = items::len(&mut cx.builder, &mut seq, span)?;
    shapes::check_not_empty(&mut cx.builder, &len, span);
    let first = first_of(cx, &seq, name, span)?;
    let var = cx.builder.hidden(first.e.ty);
    let (kinds, range) = (first.kinds, first.range);
    cx.builder.emit_let(var, first.e);
    let best = Sv::new(build::var(var, cx.builder.vars[var].ty, span), kinds).with_range(range);
    let result = best.clone();
    items::each(cx, seq, 1, span, |cx, item, _| {
        let want_tag = std::mem::replace(&mut cx.env.want_tag, false);
        let e = compare::min_max(cx, greater, best, item, span)?.e;
        cx.env.want_tag = want_tag;
        cx.builder.emit_let(var, e);
        Ok(())
    })?;
    cx.builder.stable.push(var);
    Ok(result)
}

/// Lowers `sum((a, b, ...))` or `sum((a, b, ...), start)`: additions in order.
fn sum_of_tuple(cx: &mut Lowering<'_>, items: &[Val], start: Option<&Val>, span: Span) -> R<Sv> {
    let mut total = match start {
        None => Sv::int(0, span),
        Some(value) => convert::need_scalar(value.clone(), "sum", span)?,
    };
    for item in items {
        let item = convert::need_scalar(item.clone(), "sum", span)?;
        let number = !item.kinds.has(Kind::Char) && !total.kinds.has(Kind::Char);
        let compensated = item.kinds.has(Kind::PyFloat) && cx.env.options.python_minor >= 12;
        if !number || compensated {
            return Err(wrong_sum(span));
        }
        total = arith::arith(cx, Op::Add, total, item, span)?;
    }
    Ok(total)
}

/// Lowers `sum(array)` or `sum(array, start)`: additions in order.
fn sum(cx: &mut Lowering<'_>, values: Vec<Val>, span: Span) -> R<Sv> {
    if let [Val::Tuple(items), start @ ..] = values.as_slice() {
        return sum_of_tuple(cx, items, start.first(), span);
    }
    let mut values = values.into_iter();
    let is_sequence = |v: &Val| v.is_array() || matches!(v, Val::Counted(_));
    let (Some(array), start) = (values.next().filter(is_sequence), values.next()) else {
        return Err(wrong_sum(span));
    };
    let (mut seq, elem) = elements_of(&mut cx.builder, array, "sum", span)?;
    let start = match start {
        None => Sv::int(0, span),
        Some(value) => convert::need_scalar(value, "sum", span)?,
    };
    let start = convert::commit(start);
    if start.is_bottom() {
        return Ok(start);
    }
    let kinds = Kinds::of_ty(elem);
    let compensated = kinds.has(Kind::PyFloat) && cx.env.options.python_minor >= 12;
    if compensated && elem == Ty::PY_FLOAT {
        return compensated_sum(cx, seq, start, span);
    }
    let numbers =
        elem.repr != Scalar::Char && elem.repr != Scalar::Num && !start.kinds.has(Kind::Char);
    let sample = Sv::new(
        convert::literal(
            &Sv::new(
                Expr {
                    ty: elem,
                    ..Expr::int(0, span)
                },
                kinds,
            ),
            0,
            span,
        ),
        kinds,
    );
    if !numbers {
        return Err(wrong_sum(span));
    }
    let sample = sample.with_range(intervals::of(elem.repr).unwrap_or(intervals::I64));
    let total = arith::arith(cx, Op::Add, start.clone(), sample, span)?;
    let (repr, result) = (total.repr(), total.kinds);
    // From the second addition on, both operands have the result's type.
    let steady = result.single().zip(kinds.single()).is_some_and(|(x, y)| {
        kinds::binary(Op::Add, x, y).is_some_and(|r| r.compute == repr && r.result == x)
    });
    if !steady || repr == Scalar::Bool {
        return Err(wrong_sum(span));
    }
    if result != start.kinds {
        // An empty one would give a result of another type.
        let len = items::len(&mut cx.builder, &mut seq, span)?;
        shapes::check_not_empty(&mut cx.builder, &len, span);
    }
    let ty = result.ty(repr);
    let first = convert::exact_repr(&start, repr).ok_or_else(|| wrong_sum(span))?;
    let var = cx.builder.hidden(ty);
    cx.builder.emit_let(var, build::retype(first, ty));
    items::each(cx, seq, 0, span, |cx, item, _| {
        let x = convert::in_repr(&item, repr, false).ok_or_else(|| wrong_sum(span))?;
        let before = build::var(var, ty, span);
        let sum = build::binary(
            BinOp::Add,
            before,
            build::retype(x, ty),
            ty,
            repr.is_int(),
            span,
        );
        cx.builder.emit(StmtKind::Let { var, value: sum }, span);
        Ok(())
    })?;
    cx.builder.stable.push(var);
    Ok(Sv::new(build::var(var, ty, span), result))
}

/// Lowers the sum of a list of floats as from Python 3.12 on: Neumaier's compensated sum ("Rundungsfehleranalyse
/// einiger Verfahren zur Summation endlicher Summen", 1974), as `sum_impl` in CPython's `bltinmodule.c` does it. An int
/// start is added to the first element before compensation begins.
fn compensated_sum(cx: &mut Lowering<'_>, mut seq: Seq, start: Sv, span: Span) -> R<Sv> {
    let ty = Ty::PY_FLOAT;
    let start_is_float = start.kinds == Kinds::of(Kind::PyFloat);
    if !start_is_float && !start.kinds.py_integral() {
        return Err(wrong_sum(span));
    }
    let first = convert::in_repr(&start, Scalar::F64, false).ok_or_else(|| wrong_sum(span))?;
    let (total, rest) = (cx.builder.hidden(ty), cx.builder.hidden(ty));
    let plus = |a: Expr, b: Expr| build::binary(BinOp::Add, a, b, ty, false, span);
    let minus = |a: Expr, b: Expr| build::binary(BinOp::Sub, a, b, ty, false, span);
    let read = |var| build::var(var, ty, span);
    if start_is_float {
        cx.builder.emit_let(total, first);
    } else {
        // An empty one would give a result of another type.
        let len = items::len(&mut cx.builder, &mut seq, span)?;
        shapes::check_not_empty(&mut cx.builder, &len, span);
        let head = first_of(cx, &seq, "sum", span)?;
        cx.builder.emit_let(total, plus(first, head.e));
    }
    cx.builder.emit_let(rest, build::float(0.0, ty, span));
    items::each(cx, seq, i64::from(!start_is_float), span, |cx, item, _| {
        let x = cx.builder.spill(item.e);
        let sum = cx.builder.spill(plus(read(total), x.clone()));
        let size = |e: Expr| build::unary(UnOp::Abs, e, ty, false);
        let larger = build::compare(
            CmpOp::Ge,
            size(read(total)),
            size(x.clone()),
            Ty::PY_BOOL,
            span,
        );
        let lost_of_x = plus(minus(read(total), sum.clone()), x.clone());
        let lost_of_total = plus(minus(x, sum.clone()), read(total));
        cx.builder.emit_let(
            rest,
            plus(
                read(rest),
                build::select(larger, lost_of_x, lost_of_total, ty),
            ),
        );
        cx.builder.emit_let(total, sum);
        Ok(())
    })?;
    let zero = build::float(0.0, ty, span);
    let some = build::compare(CmpOp::Ne, read(rest), zero, Ty::PY_BOOL, span);
    let finite = build::call(
        Fun::IsFinite,
        Lib::C,
        vec![read(rest)],
        Ty::PY_BOOL,
        false,
        span,
    );
    let sum = build::select(
        build::and(some, finite),
        plus(read(total), read(rest)),
        read(total),
        ty,
    );
    Ok(Sv::of(cx.builder.spill(sum), Kind::PyFloat))
}

fn wrong_sum(span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let why = "it takes an array of numbers and a start".to_string();
    refuse(
        span,
        Refusal::Arguments {
            name: "sum".into(),
            why,
        },
    )
}
