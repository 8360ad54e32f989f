//! Calls of methods of objects in lists, and subscripts of dictionaries in lists.
//!
//! Names are resolved before types are known, so it is not known which list an object is from. A method is inlined
//! where all lists whose objects have a method of that name have the same function for it.

use std::sync::Arc;

use nestwise_ir::{Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Kind};
use crate::lowering::names::resolve::{Callee, Names, Res, Resolver};
use crate::refusal::R;
use crate::site::captures::{Alike, Capture};
use crate::site::item_attributes::key_of;

impl Resolver<'_> {
    /// Resolves `p.move(dt)`, where some list holds objects with such a method: inlines the method's function, given
    /// the object. `None` for other calls.
    pub(crate) fn call_of_object(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        effect: bool,
        span: Span,
    ) -> R<Option<Expr>> {
        let (kind, name) = match &func.kind {
            s::ExprKind::Attr(base, name) => match &base.kind {
                kind @ s::ExprKind::Subscript(..) => (kind.clone(), name.clone()),
                _ => return Ok(None),
            },
            s::ExprKind::Path(id) => match names.paths[*id].parent {
                Some(parent) => (s::ExprKind::Path(parent), names.paths[*id].name.clone()),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some((function, first)) = self.method_of_objects(&name) else {
            return Ok(None);
        };
        if let s::ExprKind::Path(id) = kind {
            let taken_apart =
                names.tuples.contains_key(&id) || self.element_at(names, id).is_some();
            let value = match taken_apart {
                true => return Ok(None),
                false => self.resolve_path(names, id, span),
            };
            if !matches!(value, Ok(Res::Value(kind)) if !matches!(kind, ExprKind::None)) {
                return Ok(None);
            }
        }
        let object = s::Expr {
            kind,
            span: func.span,
        };
        let all: Vec<s::Expr> = std::iter::once(object)
            .chain(args.iter().cloned())
            .collect();
        let callee = Callee::new(&function, first, None, effect);
        let mut call = self.inline(names, callee, (&all, kwargs), span)?;
        // Whether it is such an object only types tell. The first parameter is assigned first.
        if let ExprKind::Inline(call) = &mut call.kind
            && let Some(Kind::Assign { value, .. }) = call.body.first_mut().map(|s| &mut s.kind)
        {
            let span = value.span;
            let kind = ExprKind::None;
            let object = Box::new(std::mem::replace(value, Expr { kind, span }));
            value.kind = ExprKind::Having(object, name);
        }
        Ok(Some(call))
    }

    /// The name that stands for a text as a subscript, where lists of dictionaries are captured.
    pub(crate) fn key_of_dicts(&self, index: &[s::Expr]) -> Option<String> {
        let name = key_of(index)?;
        let of_dicts = |capture: &Capture| matches!(capture, Capture::Objects { alike, .. } if *alike == Alike::Dicts);
        self.captures.iter().any(of_dicts).then_some(name)
    }

    /// The method of that name that all lists of objects which have one share, and the index of its first capture.
    fn method_of_objects(&self, name: &str) -> Option<(Arc<s::Function>, u32)> {
        let named = self.captures.iter().filter_map(|capture| match capture {
            Capture::Objects { attributes, .. } => attributes.iter().find(|(own, _)| own == name),
            _ => None,
        });
        let mut methods = named.filter_map(|(_, index)| match self.capture(*index) {
            Capture::User {
                function, first, ..
            } => Some((function.clone(), *first)),
            _ => None,
        });
        let one = methods.next()?;
        methods
            .all(|(other, _)| Arc::ptr_eq(&other, &one.0))
            .then_some(one)
    }
}
