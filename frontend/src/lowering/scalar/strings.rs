//! Strings: captured ones are arrays of characters, literals are known.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::CmpOp as Cmp;
use nestwise_ir::{Span, Ty};

use crate::lowering::arrays::access;
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::scalar::{convert, named};
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};

/// The length of the longest string that a character is looked for in.
const MEMBER_LIMIT: usize = 64;
/// The length of the longest literal that a captured string is compared with.
const TEXT_LIMIT: usize = 32;

/// The character at a position that is known to exist.
fn char_at(builder: &mut Builder, view: &View, k: usize, span: Span) -> R<Expr> {
    let mut view = view.clone();
    view.index.push(Expr::int(k as i64, span));
    view.checked.push(true);
    let value = access::element(builder, view, span)?;
    Ok(convert::need_scalar(value, "a character", span)?.e)
}

/// The number of a captured string; `None` for other views.
pub(crate) fn number(cx: &mut Lowering<'_>, view: &View, span: Span) -> Option<Sv> {
    if !cx.builder.is_text(view) {
        return None;
    }
    let capture = view.capture;
    let var = match cx.env.text_vars.get(&capture) {
        Some(var) => *var,
        None => {
            let var = cx.builder.var("", Ty::CHAR);
            cx.builder.vars[var].live_in = Some(capture);
            cx.builder.fixed.insert(var);
            cx.env.text_vars.insert(capture, var);
            var
        }
    };
    let e = build::var(var, Ty::CHAR, span);
    Some(Sv::of(e, Kind::Char).with_range(intervals::TEXTS))
}

/// Lowers `text op other` for a captured string: with one character by the first ones and the length, with a literal
/// character by character.
pub(crate) fn compare_text(
    builder: &mut Builder,
    op: Cmp,
    text: View,
    other: Val,
    span: Span,
) -> R<Sv> {
    let wrong = |ty: String| {
        let operands = vec!["str".into(), ty];
        refuse(
            span,
            Refusal::Operator {
                op: op.symbol(),
                operands,
            },
        )
    };
    let len = build::dim(text.array, 0, span);
    let has = |op: CmpOp, n: usize| {
        build::compare(
            op,
            len.clone(),
            Expr::int(n as i64, span),
            Ty::PY_BOOL,
            span,
        )
    };
    let equality = matches!(op, Cmp::Eq | Cmp::Ne);
    let chars: Vec<Expr> = match other {
        Val::Scalar(sv) if sv.is_bottom() => return Ok(sv),
        // The numbers of longer texts are in no order.
        Val::Scalar(sv) if sv.kinds == Kinds::of(Kind::Char) && convert::is_character(&sv) => {
            vec![builder.spill(sv.e)]
        }
        Val::Str(s) if equality && s.chars().count() <= TEXT_LIMIT => {
            let codes = s.chars().map(|c| c as u32);
            codes
                .map(|c| build::integer(c.into(), Ty::CHAR, span))
                .collect()
        }
        other => return Err(wrong(other.type_name())),
    };
    if equality {
        let mut same = has(CmpOp::Eq, chars.len());
        for (k, c) in chars.into_iter().enumerate() {
            let own = char_at(builder, &text, k, span)?;
            same = build::and(same, build::compare(CmpOp::Eq, own, c, Ty::PY_BOOL, span));
        }
        let e = if op == Cmp::Eq {
            same
        } else {
            build::not(same)
        };
        return Ok(Sv::of(e, Kind::PyBool));
    }
    // An empty string comes before all others; with the same first character the longer one is greater.
    let Some(c) = chars.into_iter().next() else {
        return Err(wrong("str".into()));
    };
    let first = char_at(builder, &text, 0, span)?;
    let tie = match op {
        Cmp::Lt => build::boolean(false, Ty::PY_BOOL, span),
        Cmp::Le => has(CmpOp::Eq, 1),
        Cmp::Gt => has(CmpOp::Gt, 1),
        _ => build::boolean(true, Ty::PY_BOOL, span),
    };
    let same = build::compare(CmpOp::Eq, first.clone(), c.clone(), Ty::PY_BOOL, span);
    let first = char_at(builder, &text, 0, span)?;
    let by_first = build::compare(op, first, c, Ty::PY_BOOL, span);
    let some = build::select(same, tie, by_first, Ty::PY_BOOL);
    let empty = build::boolean(matches!(op, Cmp::Lt | Cmp::Le), Ty::PY_BOOL, span);
    let e = build::select(has(CmpOp::Gt, 0), some, empty, Ty::PY_BOOL);
    Ok(Sv::of(e, Kind::PyBool))
}

/// Lowers the test whether a character is one of the text's.
pub(crate) fn in_text(builder: &mut Builder, c: Sv, text: &str, span: Span) -> R<Sv> {
    if c.is_bottom() {
        return Ok(c);
    }
    if c.kinds != Kinds::of(Kind::Char) || text.chars().count() > MEMBER_LIMIT {
        let what = "such a search in a text".into();
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    // A longer text would be searched for as a part.
    let c = convert::character(builder, c);
    let (named, c) = named::named(builder, c);
    let mut found = build::boolean(false, Ty::PY_BOOL, span);
    for item in text.chars().rev() {
        let item = build::integer((item as u32).into(), Ty::CHAR, span);
        let same = build::compare(CmpOp::Eq, c.e.clone(), item, Ty::PY_BOOL, span);
        found = build::or(same, found);
    }
    if let Some((var, value)) = named {
        found = build::bind(var, value, found);
    }
    Ok(Sv::of(found, Kind::PyBool))
}
