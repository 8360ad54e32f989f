//! Calls: of functions known by name, of the user's own, and of methods of arrays.

use std::borrow::Cow;

use nestwise_ir::{Scalar, Span, WithSpan, surface as s};

use crate::builtins::{ArrayFn, ArrayForm, Builtin, Known, MathFn, MathSpecial, NumpyFn};
use crate::lowering::hir::{Expr, ExprKind};
use crate::lowering::names::resolve::{Callee, Names, Res, Resolver};
use crate::refusal::{R, Refusal, refuse};

impl Resolver<'_> {
    /// Resolves a call.
    pub(crate) fn call(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        args: &[s::Expr],
        kwargs: &[(String, s::Expr)],
        span: Span,
    ) -> R<Expr> {
        if let Some((f, array)) = self.array_method(names, func)? {
            let mut all = vec![array];
            all.extend(self.exprs(names, args)?);
            return Ok(Expr {
                kind: ExprKind::Call {
                    known: Known::Numpy(NumpyFn::Array(f)),
                    args: all,
                    kwargs: self.keywords(names, kwargs)?,
                },
                span,
            });
        }
        if let Some(call) = self.call_of_object(names, func, (args, kwargs), false, span)? {
            return Ok(call);
        }
        if let Some(call) = self.call_itself(names, func, (args, kwargs), false, span)? {
            return Ok(call);
        }
        let s::ExprKind::Path(id) = &func.kind else {
            let name = match &func.kind {
                s::ExprKind::Attr(_, name) => name.clone(),
                _ => "an expression".into(),
            };
            return Err(refuse(span, Refusal::UnknownFunction { name }));
        };
        let name = s::dotted_name(names.paths, *id);
        let res = self
            .resolve_path(names, *id, span)
            .map_err(|e| match e.error {
                // What cannot be called is better called a function that is not known.
                Refusal::Type { .. } | Refusal::PossiblyUnbound { .. } => {
                    WithSpan::new(e.span, Refusal::UnknownFunction { name: name.clone() })
                }
                _ => e,
            })?;
        match res {
            Res::Known(Known::Builtin(Builtin::Len))
                if let [list] = args
                    && let Some(list) = self.grown(names, list)? =>
            {
                let kind = ExprKind::GrownLen(list);
                Ok(Expr { kind, span })
            }
            Res::Known(Known::Builtin(Builtin::List))
                if let ([iter], true) = (args, kwargs.is_empty()) =>
            {
                let iter = self.expr(names, iter)?;
                Ok(self.list_of(iter, span))
            }
            Res::Known(Known::Builtin(Builtin::Float))
                if let ([arg], true) = (args, kwargs.is_empty())
                    && let s::ExprKind::Str(text) = &arg.kind
                    && let Some(value) = literal_float(text) =>
            {
                let kind = ExprKind::Float(value);
                Ok(Expr { kind, span })
            }
            Res::Known(Known::Math(MathFn::Special(
                f @ (MathSpecial::Gcd
                | MathSpecial::Isqrt
                | MathSpecial::Factorial
                | MathSpecial::Comb),
            ))) if kwargs.is_empty() => {
                let args = self.exprs(names, args)?;
                self.number_theory(f, args, span)
            }
            Res::Known(Known::Host(_)) => Err(refuse(span, Refusal::UnknownFunction { name })),
            Res::Known(known) => {
                let items = matches!(known, Known::Numpy(NumpyFn::Array(f))
                    if f == ArrayFn::Array || f.form() == ArrayForm::Joined);
                let mut kwargs = self.keywords(names, kwargs)?;
                let (args, dtype) = self.without_dtype(names, known, args);
                kwargs.extend(dtype);
                let args = self.exprs(names, &as_tuples(args, items))?;
                Ok(Expr {
                    kind: ExprKind::Call {
                        known,
                        args,
                        kwargs,
                    },
                    span,
                })
            }
            Res::User(function, first, receiver) => {
                let callee = Callee::new(&function, first, receiver, false);
                let args = as_tuples(args, function.library.is_some());
                self.inline(names, callee, (&args, kwargs), span)
            }
            _ => Err(refuse(span, Refusal::UnknownFunction { name })),
        }
    }

    fn keywords(
        &mut self,
        names: &mut Names,
        kwargs: &[(String, s::Expr)],
    ) -> R<Vec<(String, Expr)>> {
        let mut keyword = |(k, e): &(String, s::Expr)| {
            let dtype = (k == "dtype").then(|| self.dtype(names, e)).flatten();
            Ok((k.clone(), dtype.map_or_else(|| self.expr(names, e), Ok)?))
        };
        kwargs.iter().map(&mut keyword).collect()
    }

    /// The type of elements that an argument names.
    fn dtype(&mut self, names: &mut Names, e: &s::Expr) -> Option<Expr> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        let storage = match self.resolve_path(names, id, e.span).ok()? {
            Res::Known(Known::Builtin(Builtin::Int)) => Scalar::I64,
            Res::Known(Known::Builtin(Builtin::Float)) => Scalar::F64,
            Res::Known(Known::Builtin(Builtin::Bool)) => Scalar::Bool,
            Res::Known(Known::NumpyType(storage)) => storage,
            _ => return None,
        };
        Some(Expr {
            kind: ExprKind::Dtype(storage),
            span: e.span,
        })
    }

    /// The arguments of a call without the type of elements, where that is the second of a function that makes arrays;
    /// it is returned as a keyword argument.
    fn without_dtype<'e>(
        &mut self,
        names: &mut Names,
        known: Known,
        args: &'e [s::Expr],
    ) -> (&'e [s::Expr], Option<(String, Expr)>) {
        let makes = matches!(known, Known::Numpy(NumpyFn::Array(f)) if f.takes_type_second());
        if let (true, [first, second]) = (makes, args)
            && let Some(dtype) = self.dtype(names, second)
        {
            return (std::slice::from_ref(first), Some(("dtype".into(), dtype)));
        }
        (args, None)
    }

    /// The method of an array that the called expression names, and that array, as far as is known before types are.
    fn array_method(&mut self, names: &mut Names, func: &s::Expr) -> R<Option<(ArrayFn, Expr)>> {
        let known = |name: &str| {
            let mut all = ArrayFn::ALL.iter().filter(|f| f.is_method());
            all.find(|f| f.name() == name).copied()
        };
        match &func.kind {
            s::ExprKind::Attr(base, name) => match known(name) {
                Some(f) => Ok(Some((f, self.expr(names, base)?))),
                None => Ok(None),
            },
            s::ExprKind::Path(id) => {
                let path = &names.paths[*id];
                let (Some(f), Some(parent)) = (known(&path.name), path.parent) else {
                    return Ok(None);
                };
                match self.resolve_path(names, parent, func.span)? {
                    Res::Value(kind) => {
                        let span = func.span;
                        Ok(Some((f, Expr { kind, span })))
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

/// The arguments with list displays as tuples, for a function that keeps no reference to its arguments (`lets_go`).
fn as_tuples(args: &[s::Expr], lets_go: bool) -> Cow<'_, [s::Expr]> {
    let tuple = |e: &s::Expr| match &e.kind {
        s::ExprKind::List(items) => s::Expr {
            kind: s::ExprKind::Tuple(items.clone()),
            span: e.span,
        },
        _ => e.clone(),
    };
    let lists = args.iter().any(|e| matches!(e.kind, s::ExprKind::List(_)));
    match lets_go && lists {
        true => args.iter().map(tuple).collect(),
        false => args.into(),
    }
}

/// The value of `float(text)`, as in `float("inf")`; none for what Python refuses, and for texts of other scripts and of
/// NaNs with a sign.
fn literal_float(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    let bytes = text.as_bytes();
    let digit = |k: usize| bytes.get(k).is_some_and(u8::is_ascii_digit);
    let between = |k: usize| k > 0 && digit(k - 1) && digit(k + 1);
    let mut underscores = text.match_indices('_').map(|(k, _)| k);
    if !text.is_ascii() || !underscores.all(between) {
        return None;
    }
    let value: f64 = text.replace('_', "").parse().ok()?;
    (!value.is_nan() || !text.starts_with('-')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::literal_float;

    #[test]
    fn texts_are_read_as_python_reads_them() {
        for (text, value) in [
            ("inf", f64::INFINITY),
            (" -Infinity\n", f64::NEG_INFINITY),
            ("+1_000.5e-1_0", 1000.5e-10),
            (".5", 0.5),
            ("3.", 3.0),
            ("1e400", f64::INFINITY),
        ] {
            assert_eq!(literal_float(text), Some(value), "{text}");
        }
        assert_eq!(
            literal_float("nan").map(f64::to_bits),
            Some(0x7ff8_0000_0000_0000)
        );
        for text in [
            "", "_1", "1__0", "1_", "1_.5", "0x10", "1 2", "e5", "-nan", "\u{661}",
        ] {
            assert_eq!(literal_float(text), None, "{text}");
        }
    }
}
