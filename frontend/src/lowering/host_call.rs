//! Lowers calls of CPython: a fragment is declared, and called by a statement before the one that uses its value.
//!
//! What a fragment changes is evaluated once. So whatever may fail before it in program order is evaluated before it,
//! and where iterations run again, or CPython runs one over again, results that were recorded stand for the fragments.

use nestwise_ir::model::nest::{Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{
    ArrayKind, Effect, Fragment, FragmentForm, FragmentObject, FragmentValue, Nest, Prov, Scalar,
    Span, Ty, Work,
};

use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::hir::HostCall;
use crate::lowering::operands;
use crate::lowering::scalar::convert;
use crate::lowering::types::kinds::{Kind, Kinds, natural_in};
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// Lowers a call of CPython to its value.
pub(crate) fn host_call(cx: &mut Lowering<'_>, call: &HostCall, span: Span) -> R<Val> {
    let mut args = Vec::with_capacity(call.values.len());
    let mut values = Vec::with_capacity(call.values.len());
    let mut known = true;
    for (name, value) in &call.values {
        let what = "an argument of a call that CPython evaluates";
        let sv = operands::scalar(cx, value, what)?;
        // What is kept of a container holds ints of 64 bits.
        let sv = match call.kept {
            Some(_) => convert::commit(sv),
            None => sv,
        };
        let sv = operands::spill_sv(cx, sv);
        known &= !sv.is_bottom();
        let ty = boxed_type(&sv, call.kept.is_some(), span)?;
        let arg = build::retype(sv.e, ty);
        args.push(match arg.ty == ty {
            true => arg,
            // A value of one type in a variable of several.
            false => {
                let var = cx.builder.hidden(ty);
                cx.builder.emit_let(var, arg);
                build::var(var, ty, span)
            }
        });
        values.push(FragmentValue {
            name: name.clone(),
            ty,
        });
    }
    cx.builder.tally(Work::Builtin, call.work);
    let objects = call.objects.iter().map(|o| FragmentObject {
        name: o.name.clone(),
        capture: o.capture,
        changed: o.changed,
    });
    let fragment = Fragment {
        text: call.text.clone(),
        form: call.ty.map_or(FragmentForm::Statement, FragmentForm::Value),
        effect: call.effect,
        objects: objects.collect(),
        values,
        span,
        point: call.point,
        looks_inside: call.looks_inside,
        draws: call.draws,
        work: call.work,
        kept: call.kept.clone(),
    };
    if !known {
        // A later round knows the types.
        return Ok(match call.ty {
            Some(_) => Val::Scalar(Sv::bottom(span)),
            None => Val::None,
        });
    }
    let ty = fragment.ty();
    let fragment = cx.builder.fragments.push(fragment);
    let var = cx.builder.hidden(ty);
    let value = Expr {
        kind: ExprKind::HostCall { fragment, args },
        ty,
        span,
    };
    cx.builder.emit_let(var, value);
    match call.ty {
        Some(ty) => {
            cx.builder.stable.push(var);
            let value = Sv::new(build::var(var, ty, span), Kinds::of_ty(ty));
            Ok(Val::Scalar(value.with_wide()))
        }
        None => Ok(Val::None),
    }
}

/// The type that a scalar is boxed to; `narrow` if that must be one of 64 bits with sign, if an int.
fn boxed_type(sv: &Sv, narrow: bool, span: Span) -> R<Ty> {
    if sv.is_bottom() {
        return Ok(Ty::PY_BOOL);
    }
    let repr = sv.repr();
    let is_own = |kind: Kind| kind.natural() == repr || !narrow && natural_in(kind, repr);
    let crosses = sv.kinds.single().is_some_and(is_own)
        && repr != Scalar::Num
        && sv.kinds.prov() != Prov::Dyn;
    if !crosses {
        let what = format!(
            "{} as an argument of a call that CPython evaluates",
            sv.kinds
        );
        return Err(refuse(span, Refusal::Unsupported { what }));
    }
    Ok(sv.kinds.ty(repr))
}

/// Refuses a nest whose fragments use what the nest holds natively and changes, or change what the nest holds natively;
/// and one that would have to record results at places that are no points.
pub(crate) fn refuse_conflicts(nest: &Nest, captures: &[Capture]) -> R<()> {
    refuse_beside_nests(nest)?;
    let records = nest.records_results();
    let copied = nest.arrays.values().find(|a| {
        let list = matches!(a.kind, ArrayKind::List | ArrayKind::Appended);
        list && a.written
    });
    // The state of a generator is a written array.
    let generator = nest.arrays.values().find(|a| {
        let words = matches!(a.storage, Scalar::U32 | Scalar::U16);
        a.kind == ArrayKind::ArrayArray && a.written && words
    });
    for fragment in nest.fragments.values() {
        let refused = |what: String| Err(refuse(fragment.span, Refusal::Unsupported { what }));
        if let Some(generator) = generator.filter(|_| fragment.draws) {
            let what = format!(
                "drawing random numbers natively from {} and by CPython,",
                generator.name
            );
            return refused(what);
        }
        if let Some(copied) = copied.filter(|_| fragment.looks_inside) {
            let what = format!(
                "{}, which is changed natively and may be among what CPython is given,",
                copied.name
            );
            return refused(what);
        }
        for object in &fragment.objects {
            let held = nest.arrays.values().find(|a| a.capture == object.capture);
            let Some(held) = held else { continue };
            let in_place = matches!(
                held.kind,
                ArrayKind::Ndarray | ArrayKind::ArrayArray | ArrayKind::Bytes
            );
            if object.changed || held.written && !in_place {
                let what = format!(
                    "{}, which is also used natively, in a call of CPython",
                    held.name
                );
                return refused(what);
            }
        }
        let reads_mutable = fragment.objects.iter().any(|o| {
            let capture = captures.get(o.capture as usize);
            matches!(
                capture,
                Some(Capture::Container { .. } | Capture::Array { .. })
            )
        });
        if records
            && fragment.point.is_none()
            && fragment.kept.is_none()
            && (reads_mutable || fragment.effect != Effect::Pure)
        {
            return refused("a call of CPython whose result cannot be recorded".into());
        }
    }
    Ok(())
}

/// Refuses calls of CPython in a loop that has nests of two or more `for` loops inside: these run better as nests of their
/// own, whose loops may change places or be distributed.
fn refuse_beside_nests(nest: &Nest) -> R<()> {
    let mut beside = None;
    nest.walk(&mut |s| {
        let calls = s.blocks().flatten().find(|s| calls_host(s));
        let depth = s.blocks().flatten().map(depth).max().unwrap_or(0);
        if is_loop(s) && depth > 1 {
            beside = beside.or(calls.map(|s| s.span));
        }
    });
    match beside {
        Some(span) => Err(refuse(span, Refusal::CallBesideNests)),
        None => Ok(()),
    }
}

fn is_loop(s: &Stmt) -> bool {
    matches!(s.kind, StmtKind::For(_) | StmtKind::While(_))
}

/// Whether a statement calls CPython, outside of loops inside it.
fn calls_host(s: &Stmt) -> bool {
    let own = s
        .exprs()
        .any(|e| matches!(e.kind, ExprKind::HostCall { .. }));
    own || !is_loop(s) && s.blocks().flatten().any(calls_host)
}

/// The number of `for` loops inside one another in a statement.
fn depth(s: &Stmt) -> u32 {
    let inner = s.blocks().flatten().map(depth).max().unwrap_or(0);
    inner + u32::from(matches!(s.kind, StmtKind::For(_)))
}
