//! Calls: of functions known by name, of the user's own, and of methods of arrays.

use std::borrow::Cow;

use nestwise_ir::{PathId, Scalar, Span, WithSpan, surface as s};

use crate::builtins::{ArrayFn, ArrayForm, Builtin, Known, MathFn, MathSpecial, NumpyFn};
use crate::lowering::hir::{Expr, ExprKind};
use crate::lowering::names::arguments::spread;
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
        let args = &*spread(names, args);
        if let Some(popped) = self.pop(names, func, (args, kwargs), span) {
            return Ok(popped);
        }
        if let Some(call) = self.call_of_made(names, func, (args, kwargs), false, span)? {
            return Ok(call);
        }
        let method = self.native_method(names, func, Known::method_of_array)?;
        if let Some(method) = method {
            return self.call_of_native_method(names, method, (args, kwargs), span);
        }
        if let Some(call) = self.call_of_object(names, func, (args, kwargs), false, span)? {
            return Ok(call);
        }
        if let Some(call) = self.call_itself(names, func, (args, kwargs), false, span)? {
            return Ok(call);
        }
        // What is there already under a name has its own methods.
        let assigned = |id: &PathId| {
            let parent = names.paths[*id].parent;
            parent.is_some_and(|parent| names.locals.contains_key(&parent))
        };
        if !matches!(&func.kind, s::ExprKind::Path(id) if !assigned(id))
            && let Some(method) = self.native_method(names, func, Known::method_of_text)?
        {
            return self.call_of_native_method(names, method, (args, kwargs), span);
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
        if let (Res::Known(known), true) = (&res, kwargs.is_empty()) {
            if let Some(answer) = self.is_instance(names, *known, args, span)? {
                return Ok(answer);
            }
            if let Some(call) = self.builtin_of_made(names, *known, args, span)? {
                return Ok(call);
            }
        }
        match res {
            Res::Class(class) => self.construct(names, class, (args, kwargs), span),
            Res::OfClass(method, receiver) => {
                let callee = Callee::method(&method, receiver, false);
                self.inline(names, callee, (args, kwargs), span)
            }
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
                let iter = self.iterable(names, iter)?;
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
            // Rounded to digits, and raised by a modulus, by CPython.
            Res::Known(Known::Builtin(builtin))
                if matches!(
                    (builtin, args.len()),
                    (Builtin::Round, 2) | (Builtin::Pow, 3)
                ) && kwargs.is_empty() =>
            {
                let why = "too many arguments".into();
                Err(refuse(span, Refusal::Arguments { name, why }))
            }
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

    /// Resolves what a loop inside the site iterates over. The text of an int has a native form there, and nowhere else.
    pub(crate) fn iterable(&mut self, names: &mut Names, e: &s::Expr) -> R<Expr> {
        if let s::ExprKind::Call { func, args, kwargs } = &e.kind
            && let s::ExprKind::Path(id) = func.kind
            && kwargs.is_empty()
            && let Ok(Res::Known(known)) = self.resolve_path(names, id, e.span)
        {
            let args = &*spread(names, args);
            let args = match known {
                Known::Host(f) if f.about().name == "str" && args.len() == 1 => {
                    self.exprs(names, args)?
                }
                Known::Builtin(Builtin::Enumerate | Builtin::Zip | Builtin::Reversed) => {
                    let args = args.iter().map(|e| self.iterable(names, e));
                    args.collect::<R<_>>()?
                }
                _ => return self.expr(names, e),
            };
            let kwargs = vec![];
            let kind = ExprKind::Call {
                known,
                args,
                kwargs,
            };
            return Ok(Expr { kind, span: e.span });
        }
        self.expr(names, e)
    }

    /// Resolves what a call of a builtin comes to, if the access path holds the builtin of its name.
    pub(crate) fn checked(
        &mut self,
        names: &mut Names,
        builtin: &s::Expr,
        value: &s::Expr,
    ) -> R<Expr> {
        if let s::ExprKind::Path(id) = builtin.kind {
            let name = s::dotted_name(names.paths, id);
            match self.resolve_path(names, id, builtin.span) {
                Ok(Res::Known(Known::Builtin(known))) if known.name() == name => {}
                _ => return Err(refuse(builtin.span, Refusal::UnknownFunction { name })),
            }
        }
        self.expr(names, value)
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

    /// The method of a value that the called expression names, if it is one that `known` knows, and that value, as far as
    /// is known before types are.
    fn native_method(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        known: fn(&str) -> Option<Known>,
    ) -> R<Option<(Known, Expr)>> {
        match &func.kind {
            s::ExprKind::Attr(base, name) => match known(name) {
                Some(method) => Ok(Some((method, self.expr(names, base)?))),
                None => Ok(None),
            },
            s::ExprKind::Path(id) => {
                let path = &names.paths[*id];
                let (Some(method), Some(parent)) = (known(&path.name), path.parent) else {
                    return Ok(None);
                };
                match self.resolve_path(names, parent, func.span)? {
                    Res::Value(kind) => {
                        let span = func.span;
                        Ok(Some((method, Expr { kind, span })))
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Resolves the call of a method of a value.
    fn call_of_native_method(
        &mut self,
        names: &mut Names,
        (known, value): (Known, Expr),
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        span: Span,
    ) -> R<Expr> {
        let mut all = vec![value];
        all.extend(self.exprs(names, args)?);
        let kind = ExprKind::Call {
            known,
            args: all,
            kwargs: self.keywords(names, kwargs)?,
        };
        Ok(Expr { kind, span })
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
