//! Fragments: what has no native form, as text that CPython evaluates with natively computed parts as parameters.

use nestwise_ir::model::entry::Part;
use nestwise_ir::{ArrayKind, Effect, Kept, Span, Ty, surface as s};

use crate::builtins::{Builtin, Known};
use crate::host_functions::{Container, Gives, HostFn, HostFunction, method_of_value};
use crate::lowering::hir::{Expr, ExprKind, HostCall, HostObject, Kind};
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::{FragmentUse, Names, Res, Resolver};
use crate::refusal::R;
use crate::site::captures::Capture;

/// The most parameters of a fragment.
const MAX_PARAMETERS: usize = 24;

/// The time of an operation on objects, in calls of a quick builtin.
pub(crate) const OPERATION: f64 = 0.7;

/// A fragment that is being written.
#[derive(Default)]
pub(crate) struct Draft {
    pub text: String,
    pub objects: Vec<HostObject>,
    values: Vec<(String, Expr)>,
    /// Whether the fragment changes something.
    pub changes: bool,
    /// Whether the fragment looks into what containers hold: into lists of which the nest may have copies.
    looks_inside: bool,
    /// Whether an object of a list is part of the fragment, which may only keep it: the nest may have changed it.
    pub holds_rows: bool,
    /// Whether the fragment draws random numbers.
    draws: bool,
    pub work: f64,
    /// The operation on a container that the fragment is.
    pub kept: Option<Kept>,
    /// Whether the fragment is a comparison. None is a point: one that begins where it does is an operand's.
    compares: bool,
}

impl Draft {
    /// Makes a natively computed scalar a parameter; returns its name, and what it is to an operation on an entry.
    pub fn scalar(&mut self, value: Expr) -> (String, Part) {
        let part = Part::Scalar(self.values.len() as u32);
        let name = format!("v{}", self.values.len());
        self.values.push((name.clone(), value));
        (name, part)
    }
}

/// What is known of the value of a part of a fragment.
pub(crate) type Given = Option<Gives>;

impl Resolver<'_> {
    /// The call of CPython that stands for an expression without a native form; `None` if what the expression does, or
    /// the type of its value, is not known.
    pub(crate) fn fragment(&mut self, names: &mut Names, e: &s::Expr) -> Option<Expr> {
        if self.in_header {
            return None;
        }
        let (occs, defs) = (self.hir.occs, self.hir.defs.len());
        if let Some(drafted) = self.entry_read(names, e) {
            return self.drafted_access(names, drafted, e.span);
        }
        self.hir.occs = occs;
        self.hir.defs.truncate(defs);
        if let Some(drafted) = self.sequence_read(names, e) {
            return self.drafted_access(names, drafted, e.span);
        }
        self.hir.occs = occs;
        self.hir.defs.truncate(defs);
        if !self.may_call_host() || self.compares_objects(names, e) {
            return None;
        }
        let mut draft = Draft {
            compares: matches!(e.kind, s::ExprKind::Compare(..)),
            ..Draft::default()
        };
        let expected = match self.write(names, e, &mut draft)? {
            Some(Gives::Scalar(ty)) => ty,
            // Nothing tells the type: it is seen when it is another one.
            Some(Gives::Item | Gives::ItemOr) => Ty::PY_INT,
            _ => return None,
        };
        if draft.holds_rows {
            return None;
        }
        let ty = self.observed(&draft.text).unwrap_or(Some(expected))?;
        self.drafted(names, draft, Some(ty), e.span, false)
    }

    /// The call of CPython that stands for a call for its effect.
    pub(crate) fn effect_fragment(&mut self, names: &mut Names, e: &s::Expr) -> Option<Expr> {
        if self.in_header {
            return None;
        }
        let (occs, defs) = (self.hir.occs, self.hir.defs.len());
        if let Some(draft) = self.entry_call(names, e) {
            return self.drafted(names, draft, None, e.span, false);
        }
        self.hir.occs = occs;
        self.hir.defs.truncate(defs);
        if let Some(draft) = self.sequence_call(names, e) {
            return self.drafted(names, draft, None, e.span, false);
        }
        self.hir.occs = occs;
        self.hir.defs.truncate(defs);
        if !self.may_call_host() && !self.keeps_row(names, e) {
            return None;
        }
        // Of other calls CPython would be given the result alone.
        let keeps = match &e.kind {
            s::ExprKind::Call { func, .. } => {
                self.host_callee(names, func)?;
                self.keeps(names, func)
            }
            _ => return None,
        };
        let mut draft = Draft::default();
        self.write(names, e, &mut draft)?;
        if draft.holds_rows && !keeps {
            return None;
        }
        self.drafted(names, draft, None, e.span, false)
    }

    /// The native form of an append; `None` for other calls, and for a value that is no number or tuple of numbers, which
    /// CPython appends.
    pub(crate) fn native_append(&mut self, names: &mut Names, value: &s::Expr) -> R<Option<Kind>> {
        let mut is_kept = false;
        let objects = match &value.kind {
            s::ExprKind::Call { func, args, .. } => {
                let foreign = match func.kind {
                    s::ExprKind::Path(id) => names.paths[id].parent.is_some_and(|list| {
                        let index = self.index_so_far(names, list);
                        self.foreign.contains(&index)
                    }),
                    _ => false,
                };
                is_kept = foreign && !self.in_header;
                foreign || args.iter().any(|a| self.is_object(names, a))
            }
            _ => false,
        };
        let calls = is_kept || self.may_call_host() || self.keeps_row(names, value);
        match objects && calls {
            true => Ok(None),
            false => self.append(names, value),
        }
    }

    /// Notes that the nest changes the list that an expression names, or that it is an element of.
    pub(crate) fn note_copy(&mut self, names: &Names, e: &s::Expr) {
        match &e.kind {
            s::ExprKind::Subscript(base, _) => self.note_copy(names, base),
            s::ExprKind::Path(id) if !names.locals.contains_key(id) => {
                let copied = match self.capture(self.index_so_far(names, *id)) {
                    Capture::Array { kind, .. } => *kind != ArrayKind::Ndarray,
                    Capture::Container { .. } | Capture::Objects { .. } => true,
                    _ => false,
                };
                if copied {
                    let index = self.index_of(names, *id);
                    self.uses.copied.insert(index);
                }
            }
            _ => {}
        }
    }

    /// Whether a value is certainly no number or tuple of numbers.
    pub(crate) fn is_object(&mut self, names: &mut Names, e: &s::Expr) -> bool {
        match &e.kind {
            s::ExprKind::Str(_)
            | s::ExprKind::FString(..)
            | s::ExprKind::None
            | s::ExprKind::Dict(_)
            | s::ExprKind::Set(_)
            | s::ExprKind::List(_) => true,
            s::ExprKind::Tuple(items) => items.iter().any(|e| self.is_object(names, e)),
            s::ExprKind::Binary(_, a, b) => self.is_object(names, a) || self.is_object(names, b),
            s::ExprKind::Call { func, .. } => self.gives_object(names, func),
            s::ExprKind::Path(_) => {
                self.row_of(names, e).is_some() || self.container(names, e).is_some()
            }
            _ => false,
        }
    }

    /// The call of CPython that stands for `target = value`, or `target op= value`, where the target is an item of a
    /// container that the nest does not hold natively.
    pub(crate) fn store_fragment(
        &mut self,
        names: &mut Names,
        target: &s::Target,
        op: &str,
        value: &s::Expr,
        span: Span,
    ) -> Option<Expr> {
        let s::Target::Subscript(base, index) = target else {
            return None;
        };
        let kind = self.container(names, base)?.0;
        let sets = kind.sets_items() && (kind.is_mapping() || index.len() == 1);
        if self.in_header || index.iter().any(s::Expr::is_slice) || !sets {
            return None;
        }
        let (occs, defs) = (self.hir.occs, self.hir.defs.len());
        if let Some(draft) = self.entry_store(names, (base, index), op, value) {
            return self.drafted(names, draft, None, span, true);
        }
        self.hir.occs = occs;
        self.hir.defs.truncate(defs);
        if let Some(draft) = self.sequence_store(names, (base, index), op, value) {
            return self.drafted(names, draft, None, span, true);
        }
        self.hir.occs = occs;
        self.hir.defs.truncate(defs);
        if !self.may_call_host() {
            return None;
        }
        let mut draft = Draft::default();
        // Python evaluates the value of an assignment first, and the key of an update; so are the parameters.
        let first = op.is_empty();
        if first {
            self.write(names, value, &mut draft)?;
        }
        let written = std::mem::take(&mut draft.text);
        // The value of an assignment is only kept.
        draft.holds_rows = false;
        self.object(names, base, &mut draft, true)?;
        draft.text.push('[');
        self.listed(names, index, &mut draft)?;
        draft.text.push_str(&format!("] {op}= {written}"));
        if !first {
            self.write(names, value, &mut draft)?;
        }
        if draft.holds_rows {
            return None;
        }
        draft.changes = true;
        draft.work += OPERATION;
        self.drafted(names, draft, None, span, true)
    }

    /// The type of the value that a fragment of this text has given, where it was not the expected one.
    pub(crate) fn observed(&self, text: &str) -> Option<Option<Ty>> {
        self.captures.iter().rev().find_map(|c| match c {
            Capture::Observed { text: of, ty } if of == text => Some(*ty),
            _ => None,
        })
    }

    /// Whether CPython may be called here: not in a branch from which iterations exit to the interpreter.
    fn may_call_host(&self) -> bool {
        self.branches == 0 && !self.in_header
    }

    pub(crate) fn drafted(
        &mut self,
        names: &Names,
        draft: Draft,
        ty: Option<Ty>,
        span: Span,
        statement: bool,
    ) -> Option<Expr> {
        if draft.objects.len() + draft.values.len() > MAX_PARAMETERS {
            return None;
        }
        // Results are recorded at points of the site's own text.
        let point = match names.call {
            None if !draft.compares => self.point_at(span, statement),
            _ => None,
        };
        if draft.changes && point.is_none() && draft.kept.is_none() {
            return None;
        }
        let shape = match &draft.kept {
            Some(Kept::Entry(of)) => Some((of.key.parts.len(), of.key.is_tuple)),
            Some(Kept::Sequence(of)) => Some((of.parts as usize, of.is_tuple)),
            None => None,
        };
        let changed = draft.objects.iter().filter(|o| o.changed);
        self.uses.fragments.push(FragmentUse {
            objects: draft.objects.iter().map(|o| o.capture).collect(),
            is_access: draft.kept.is_some(),
            shape: shape.filter(|shape| shape.0 > 0),
            looks: draft.changes || draft.looks_inside,
            changed: changed.map(|o| o.capture).collect(),
            key: match &draft.kept {
                Some(Kept::Entry(of)) => of.key.constant().and_then(|part| match part {
                    Part::Text(text) => Some(s::Key::Text(text.clone())),
                    Part::Int(v) => Some(s::Key::Int(*v)),
                    Part::Scalar(_) => None,
                }),
                _ => None,
            },
        });
        self.uses.draws_called |= draft.draws;
        let call = HostCall {
            text: draft.text,
            objects: draft.objects,
            values: draft.values,
            effect: match draft.changes {
                true => Effect::Local,
                false => Effect::Pure,
            },
            ty,
            point,
            looks_inside: draft.looks_inside,
            draws: draft.draws,
            work: draft.work,
            kept: draft.kept,
        };
        let kind = ExprKind::Host(Box::new(call));
        Some(Expr { kind, span })
    }

    fn point_at(&self, span: Span, statement: bool) -> Option<u32> {
        let mut points = self.points.iter();
        let at = points.position(|p| p.start == span && p.statement == statement)?;
        Some(at as u32)
    }

    /// Writes an expression, and says what it gives.
    fn write(&mut self, names: &mut Names, e: &s::Expr, draft: &mut Draft) -> Option<Given> {
        match &e.kind {
            s::ExprKind::Int(v) => draft.text.push_str(&v.to_string()),
            s::ExprKind::Float(v) if v.is_finite() => draft.text.push_str(&format!("{v:?}")),
            s::ExprKind::Bool(true) => draft.text.push_str("True"),
            s::ExprKind::Bool(false) => draft.text.push_str("False"),
            s::ExprKind::None => draft.text.push_str("None"),
            s::ExprKind::Str(text) => draft.text.push_str(&quoted(text)),
            s::ExprKind::Star(all) => {
                draft.text.push('*');
                self.write(names, all, draft)?;
            }
            s::ExprKind::Tuple(items) if items.is_empty() => draft.text.push_str("()"),
            s::ExprKind::Tuple(items) => self.display(names, ("(", ",)"), items, draft)?,
            s::ExprKind::List(items) => self.display(names, ("[", "]"), items, draft)?,
            s::ExprKind::Set(items) => self.display(names, ("{", "}"), items, draft)?,
            s::ExprKind::Dict(items) => {
                draft.text.push('{');
                for (key, value) in items {
                    self.write(names, key, draft)?;
                    draft.text.push_str(": ");
                    self.write(names, value, draft)?;
                    draft.text.push_str(", ");
                }
                draft.text.push('}');
            }
            s::ExprKind::FString(text, read) => self.f_string(names, text, read, draft)?,
            s::ExprKind::Contains {
                item,
                container,
                negated,
            } => {
                let known = self.container_or_text(names, container).is_some();
                let display = matches!(
                    container.kind,
                    s::ExprKind::Tuple(_) | s::ExprKind::List(_) | s::ExprKind::Set(_)
                );
                if !known && !display {
                    return None;
                }
                draft.text.push('(');
                self.write(names, item, draft)?;
                draft
                    .text
                    .push_str(if *negated { " not in " } else { " in " });
                let inside = draft.looks_inside;
                self.write(names, container, draft)?;
                draft.looks_inside = inside;
                draft.text.push(')');
                draft.work += OPERATION;
                return Some(Some(Gives::Scalar(Ty::PY_BOOL)));
            }
            s::ExprKind::Call { func, args, kwargs }
                if kwargs.is_empty()
                    && let s::ExprKind::Attr(base, name) = &func.kind
                    && let s::ExprKind::Str(text) = &base.kind
                    && matches!(name.as_str(), "format" | "join") =>
            {
                draft.text.push_str(&format!("{}.{name}(", quoted(text)));
                self.listed(names, args, draft)?;
                draft.text.push(')');
                draft.work += 4.0;
            }
            s::ExprKind::Call { func, args, kwargs } => {
                return match self.host_callee(names, func) {
                    Some(callee) => self.write_call(names, &callee, func, (args, kwargs), draft),
                    None => self.native(names, e, draft),
                };
            }
            s::ExprKind::Subscript(base, index) => {
                if let s::ExprKind::Call { func, .. } = &base.kind
                    && self.gives_object(names, func)
                {
                    return self.part_of_object(names, base, index, draft);
                }
                return match self.container(names, base) {
                    Some(container) => self.item(names, container, base, index, draft),
                    None => self.native(names, e, draft),
                };
            }
            s::ExprKind::Path(id) if names.tuples.contains_key(id) => {
                let elements = names.tuples[id].clone();
                if elements.iter().any(Element::holds_objects) {
                    return None;
                }
                self.write_element(&Element::Tuple(elements), e.span, draft);
            }
            s::ExprKind::Path(id) if let Some(capture) = self.type_named(names, *id) => {
                self.function_object(capture, draft);
            }
            s::ExprKind::Path(_) if let Some(list) = self.row_of(names, e) => {
                self.row(names, (e, list), draft)?;
            }
            s::ExprKind::Path(_) => match self.object(names, e, draft, false) {
                Some(()) => draft.looks_inside |= self.container(names, e).is_some(),
                None => return self.native(names, e, draft),
            },
            s::ExprKind::Binary(_, a, b)
                if self.is_object(names, a) || self.is_object(names, b) =>
            {
                return self.operation(names, e, draft);
            }
            _ => return self.native(names, e, draft),
        }
        Some(None)
    }

    /// Writes what a name that holds a tuple holds.
    fn write_element(&mut self, element: &Element, span: Span, draft: &mut Draft) {
        match element {
            Element::Scalar(_) => {
                let (name, _) = draft.scalar(self.read_element(element, span));
                draft.text.push_str(&name);
            }
            Element::Tuple(elements) => {
                draft.text.push('(');
                for element in elements {
                    self.write_element(element, span, draft);
                    draft.text.push_str(", ");
                }
                draft.text.push(')');
            }
            // Nobody writes one.
            Element::Object(_) => {}
        }
    }

    fn display(
        &mut self,
        names: &mut Names,
        (open, close): (&str, &str),
        items: &[s::Expr],
        draft: &mut Draft,
    ) -> Option<()> {
        draft.text.push_str(open);
        self.listed(names, items, draft)?;
        draft.text.push_str(close);
        draft.work += OPERATION;
        Some(())
    }

    /// Writes expressions with commas between them.
    fn listed(&mut self, names: &mut Names, items: &[s::Expr], draft: &mut Draft) -> Option<()> {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                draft.text.push_str(", ");
            }
            self.write(names, item, draft)?;
        }
        Some(())
    }

    /// Writes a scalar that is computed natively, as a parameter. An operation on what CPython is asked for is written as
    /// it is: its operands belong to the same fragment.
    fn native(&mut self, names: &mut Names, e: &s::Expr, draft: &mut Draft) -> Option<Given> {
        let (occs, defs) = (self.hir.occs, self.hir.defs.len());
        // Not by way of a fragment: it would come by here again.
        let value = self.native_expr(names, e).ok();
        let value = value.filter(|value| !asks(value));
        let Some(value) = value else {
            self.hir.occs = occs;
            self.hir.defs.truncate(defs);
            return self.operation(names, e, draft);
        };
        let (name, _) = draft.scalar(value);
        draft.text.push_str(&name);
        Some(None)
    }

    /// Writes a string or a number, whose methods are known to change nothing. Of other objects that CPython is asked for
    /// only those of builtin functions are known.
    fn text_or_number(&mut self, names: &mut Names, e: &s::Expr, draft: &mut Draft) -> Option<()> {
        match &e.kind {
            s::ExprKind::Str(text) => draft.text.push_str(&quoted(text)),
            s::ExprKind::Call { func, .. } if self.gives_object(names, func) => {
                self.write(names, e, draft)?;
            }
            _ => {
                let value = self.native_expr(names, e).ok()?;
                if asks(&value) {
                    return None;
                }
                let (name, _) = draft.scalar(value);
                draft.text.push_str(&name);
            }
        }
        Some(())
    }

    /// Whether objects that are there already are compared, which may do anything.
    fn compares_objects(&mut self, names: &mut Names, e: &s::Expr) -> bool {
        let s::ExprKind::Compare(first, rest) = &e.kind else {
            return false;
        };
        let mut operands = [&**first].into_iter().chain(rest.iter().map(|(_, e)| e));
        operands.any(|e| self.object_of(names, e).is_some())
    }

    /// Whether a call of CPython's gives an object of a builtin type.
    fn gives_object(&mut self, names: &mut Names, func: &s::Expr) -> bool {
        match self.host_callee(names, func) {
            Some(HostCallee::Function(_, about) | HostCallee::OfValue(about)) => {
                about.gives == Gives::Object
            }
            _ => false,
        }
    }

    /// Writes an operation on parts that CPython computes.
    fn operation(&mut self, names: &mut Names, e: &s::Expr, draft: &mut Draft) -> Option<Given> {
        draft.text.push('(');
        draft.work += OPERATION;
        let mut given = None;
        match &e.kind {
            s::ExprKind::Binary(op, a, b) => {
                self.write(names, a, draft)?;
                draft.text.push_str(&format!(" {} ", op.symbol()));
                self.write(names, b, draft)?;
            }
            s::ExprKind::Unary(op, a) => {
                draft.text.push_str(match op {
                    s::UnOp::Neg => "-",
                    s::UnOp::Pos => "+",
                    s::UnOp::Invert => "~",
                    s::UnOp::Not => "not ",
                });
                self.write(names, a, draft)?;
            }
            s::ExprKind::Compare(first, rest) => {
                self.write(names, first, draft)?;
                for (op, other) in rest {
                    draft.text.push_str(&format!(" {} ", op.symbol()));
                    self.write(names, other, draft)?;
                }
                given = Some(Gives::Scalar(Ty::PY_BOOL));
            }
            s::ExprKind::IfExp { test, body, orelse } => {
                self.write(names, body, draft)?;
                draft.text.push_str(" if ");
                self.write(names, test, draft)?;
                draft.text.push_str(" else ");
                self.write(names, orelse, draft)?;
            }
            _ => return None,
        }
        draft.text.push(')');
        Some(given)
    }

    /// Writes an object that is the same throughout the launch as a parameter; `changed` says that the fragment changes
    /// it. `None` for what is no such object.
    pub(crate) fn object(
        &mut self,
        names: &mut Names,
        e: &s::Expr,
        draft: &mut Draft,
        changed: bool,
    ) -> Option<()> {
        let capture = self.object_of(names, e)?;
        let known = draft.objects.iter().position(|o| o.capture == capture);
        let at = known.unwrap_or_else(|| {
            let name = format!("o{}", draft.objects.len());
            draft.objects.push(HostObject {
                name,
                capture,
                changed: false,
            });
            draft.objects.len() - 1
        });
        draft.objects[at].changed |= changed;
        match changed {
            true => self.uses.changed.insert(capture),
            false => self.uses.read.insert(capture),
        };
        let name = draft.objects[at].name.clone();
        draft.text.push_str(&name);
        Some(())
    }

    /// The index of the capture of a type, such as `int`.
    fn type_named(&mut self, names: &mut Names, id: nestwise_ir::PathId) -> Option<u32> {
        if names.locals.contains_key(&id) {
            return None;
        }
        let is_type = match self.capture(self.index_so_far(names, id)) {
            Capture::Known(Known::Builtin(b)) => matches!(
                b,
                Builtin::Int | Builtin::Float | Builtin::Bool | Builtin::Complex | Builtin::List
            ),
            Capture::Known(Known::NumpyType(_)) => true,
            Capture::Known(Known::Host(f)) => {
                matches!(
                    f.about().name,
                    "str" | "tuple" | "set" | "dict" | "frozenset"
                )
            }
            Capture::Class { .. } => true,
            Capture::Other(ty) => ty == "type",
            _ => false,
        };
        is_type.then(|| self.index_of(names, id))
    }

    /// The index of the capture of a container or an array that the nest does not assign.
    pub(crate) fn object_of(&mut self, names: &mut Names, e: &s::Expr) -> Option<u32> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        if let Some(capture) = names.containers.get(&id) {
            return Some(*capture);
        }
        if names.locals.contains_key(&id) || names.nones.contains(&id) {
            return None;
        }
        let attribute = names.paths[id].parent.is_some();
        if attribute && self.may_be_written(&names.paths[id].name, names.call.is_some()) {
            return None;
        }
        let held = match self.capture(self.index_so_far(names, id)) {
            Capture::Container { .. } | Capture::Objects { .. } => true,
            Capture::Array { kind, .. } => {
                !matches!(kind, ArrayKind::Scratch | ArrayKind::Appended)
            }
            _ => false,
        };
        held.then(|| self.index_of(names, id))
    }

    /// The kind of a container that CPython is asked about, and the type of its items, if that is known.
    pub(crate) fn container(
        &mut self,
        names: &mut Names,
        e: &s::Expr,
    ) -> Option<(Container, Option<Ty>)> {
        let index = self.object_of(names, e)?;
        match self.capture(index) {
            Capture::Container { kind, item, .. } => Some((*kind, *item)),
            Capture::Objects { .. } => Some((Container::List, None)),
            Capture::Array {
                kind: ArrayKind::List,
                elem,
                rank,
                ..
            } if self.foreign.contains(&index) => {
                Some((Container::List, (*rank == 1).then_some(*elem)))
            }
            _ => None,
        }
    }

    /// Writes `base[index]`, an item of a container.
    fn item(
        &mut self,
        names: &mut Names,
        (kind, item): (Container, Option<Ty>),
        base: &s::Expr,
        index: &[s::Expr],
        draft: &mut Draft,
    ) -> Option<Given> {
        if !kind.has_items() || index.iter().any(s::Expr::is_slice) {
            return None;
        }
        let inserts = kind.reading() != Effect::Pure;
        let index_of = self.object_of(names, base)?;
        draft.holds_rows |= matches!(self.capture(index_of), Capture::Objects { .. });
        self.object(names, base, draft, inserts)?;
        draft.text.push('[');
        self.listed(names, index, draft)?;
        draft.text.push(']');
        draft.changes |= inserts;
        draft.work += OPERATION;
        Some(Some(item.map_or(Gives::Item, Gives::Scalar)))
    }

    /// Writes an item, or a slice, of an object that a call of CPython's gives.
    fn part_of_object(
        &mut self,
        names: &mut Names,
        base: &s::Expr,
        index: &[s::Expr],
        draft: &mut Draft,
    ) -> Option<Given> {
        self.write(names, base, draft)?;
        draft.text.push('[');
        for (k, item) in index.iter().enumerate() {
            if k > 0 {
                draft.text.push_str(", ");
            }
            let s::ExprKind::Slice { start, stop, step } = &item.kind else {
                self.write(names, item, draft)?;
                continue;
            };
            for (k, end) in [start, stop, step].into_iter().enumerate() {
                if k > 0 {
                    draft.text.push(':');
                }
                if let Some(end) = end {
                    self.write(names, end, draft)?;
                }
            }
        }
        draft.text.push(']');
        draft.work += OPERATION;
        Some(None)
    }

    /// Writes an f-string, in which the names keep their spelling.
    fn f_string(
        &mut self,
        names: &mut Names,
        text: &str,
        read: &[(String, s::Expr)],
        draft: &mut Draft,
    ) -> Option<()> {
        let taken = |draft: &Draft, name: &str| {
            draft.values.iter().any(|(n, _)| n == name)
                || draft.objects.iter().any(|o| o.name == name)
        };
        for (name, e) in read {
            if is_parameter(name) || taken(draft, name) {
                return None;
            }
            match self.object_of(names, e) {
                Some(capture) => {
                    draft.looks_inside = true;
                    self.uses.read.insert(capture);
                    draft.objects.push(HostObject {
                        name: name.clone(),
                        capture,
                        changed: false,
                    });
                }
                None => {
                    let value = self.expr(names, e).ok()?;
                    draft.values.push((name.clone(), value));
                }
            }
        }
        draft.text.push('(');
        draft.text.push_str(text);
        draft.text.push(')');
        draft.work += 4.0;
        Some(())
    }
}

/// What a call of CPython's calls.
enum HostCallee {
    /// A function, by the index of its capture.
    Function(u32, &'static HostFunction),
    /// A builtin that has a native form for some arguments.
    Builtin(u32, Builtin),
    /// A method of a container that is known to hold items of this type.
    Method(&'static HostFunction, Option<Ty>),
    /// A method of a string or a number.
    OfValue(&'static HostFunction),
}

impl Resolver<'_> {
    /// What a call of CPython's calls; `None` for functions of which nothing is known.
    fn host_callee(&mut self, names: &mut Names, func: &s::Expr) -> Option<HostCallee> {
        let id = match &func.kind {
            s::ExprKind::Path(id) => *id,
            s::ExprKind::Attr(_, name) => return method_of_value(name).map(HostCallee::OfValue),
            _ => return None,
        };
        let path = &names.paths[id];
        if let Some(parent) = path.parent {
            let (name, span) = (path.name.clone(), func.span);
            let kind = s::ExprKind::Path(parent);
            if let Some((kind, item)) = self.container_or_text(names, &s::Expr { kind, span }) {
                return kind
                    .method(&name)
                    .map(|about| HostCallee::Method(about, item));
            }
            if names.locals.contains_key(&parent) {
                return method_of_value(&name).map(HostCallee::OfValue);
            }
        }
        match self.resolve_path(names, id, func.span).ok()? {
            Res::Known(Known::Host(f)) => {
                Some(HostCallee::Function(self.index_of(names, id), f.about()))
            }
            Res::Known(Known::Builtin(b)) => Some(HostCallee::Builtin(self.index_of(names, id), b)),
            Res::User(function, ..) if self.draws_called && function.library.is_some() => {
                let about = HostFn::draw(&function.name)?.about();
                Some(HostCallee::Function(self.index_of(names, id), about))
            }
            _ => None,
        }
    }

    /// The kind of a container whose methods may be called: one that the nest does not hold natively, a `str`, or a list
    /// of numbers.
    pub(crate) fn container_or_text(
        &mut self,
        names: &mut Names,
        e: &s::Expr,
    ) -> Option<(Container, Option<Ty>)> {
        let index = self.object_of(names, e)?;
        match self.capture(index) {
            Capture::Container { kind, item, .. } => Some((*kind, *item)),
            Capture::Objects { .. } => Some((Container::List, None)),
            Capture::Array {
                kind: ArrayKind::Str,
                ..
            } => Some((Container::Str, None)),
            Capture::Array {
                kind: ArrayKind::List,
                elem,
                rank: 1,
                ..
            } => Some((Container::List, Some(*elem))),
            _ => None,
        }
    }

    fn write_call(
        &mut self,
        names: &mut Names,
        callee: &HostCallee,
        func: &s::Expr,
        (args, kwargs): (&[s::Expr], &[(String, s::Expr)]),
        draft: &mut Draft,
    ) -> Option<Given> {
        let about = match callee {
            HostCallee::Builtin(index, builtin) => {
                return self.write_builtin(names, (*index, *builtin), args, kwargs, draft);
            }
            HostCallee::Function(_, about)
            | HostCallee::Method(about, _)
            | HostCallee::OfValue(about) => *about,
        };
        let item = match (callee, func) {
            (
                HostCallee::Method(_, item),
                s::Expr {
                    kind: s::ExprKind::Path(id),
                    span,
                },
            ) => {
                let path = &names.paths[*id];
                let (name, parent) = (path.name.clone(), path.parent?);
                let kind = s::ExprKind::Path(parent);
                let base = s::Expr { kind, span: *span };
                self.object(names, &base, draft, about.changes)?;
                draft.text.push('.');
                draft.text.push_str(&name);
                *item
            }
            (HostCallee::OfValue(about), _) => {
                let base = match &func.kind {
                    s::ExprKind::Attr(base, _) => s::Expr::clone(base),
                    s::ExprKind::Path(id) => {
                        let kind = s::ExprKind::Path(names.paths[*id].parent?);
                        let span = func.span;
                        s::Expr { kind, span }
                    }
                    _ => return None,
                };
                self.text_or_number(names, &base, draft)?;
                draft.text.push_str(&format!(".{}", about.name));
                None
            }
            (HostCallee::Function(index, _), _) => {
                self.function_object(*index, draft);
                let first = args.first();
                first.and_then(|e| self.container_or_text(names, e)?.1)
            }
            _ => return None,
        };
        draft.text.push('(');
        for (k, arg) in args.iter().enumerate() {
            if k > 0 {
                draft.text.push_str(", ");
            }
            let changed = k == 0 && about.changes && matches!(callee, HostCallee::Function(..));
            match changed {
                true => self.object(names, arg, draft, true)?,
                false => drop(self.write(names, arg, draft)?),
            }
        }
        for (k, (name, value)) in kwargs.iter().enumerate() {
            // What `key`, `file` and the like are given may do anything.
            if matches!(name.as_str(), "key" | "file" | "default" | "out" | "where") {
                return None;
            }
            let comma = if k + args.len() > 0 { ", " } else { "" };
            draft.text.push_str(&format!("{comma}{name}="));
            self.write(names, value, draft)?;
        }
        draft.text.push(')');
        draft.changes |= about.effect != Effect::Pure;
        draft.draws |= about.draws();
        draft.work += about.work;
        Some(match about.gives {
            Gives::Item => Some(item.map_or(Gives::Item, Gives::Scalar)),
            Gives::ItemOr => {
                let ty = item.or_else(|| default_type(args));
                Some(ty.map_or(Gives::ItemOr, Gives::Scalar))
            }
            other => Some(other),
        })
    }

    /// Writes a call of a builtin that is pure on containers.
    fn write_builtin(
        &mut self,
        names: &mut Names,
        (index, builtin): (u32, Builtin),
        args: &[s::Expr],
        kwargs: &[(String, s::Expr)],
        draft: &mut Draft,
    ) -> Option<Given> {
        let gives = match builtin {
            Builtin::Len => Some(Gives::Scalar(Ty::PY_INT)),
            Builtin::Sum | Builtin::Min | Builtin::Max => {
                let first = args.first();
                first
                    .and_then(|e| self.container_or_text(names, e)?.1)
                    .map(Gives::Scalar)
            }
            Builtin::Any | Builtin::All => Some(Gives::Scalar(Ty::PY_BOOL)),
            Builtin::Round if args.len() == 2 => Some(Gives::Scalar(Ty::PY_FLOAT)),
            Builtin::Pow if args.len() == 3 => Some(Gives::Scalar(Ty::PY_INT)),
            Builtin::List => None,
            _ => return None,
        };
        if !kwargs.is_empty() || args.is_empty() {
            return None;
        }
        self.function_object(index, draft);
        draft.text.push('(');
        let inside = draft.looks_inside;
        self.listed(names, args, draft)?;
        draft.looks_inside = inside || builtin != Builtin::Len && draft.looks_inside;
        draft.text.push(')');
        draft.work += match builtin {
            Builtin::Len => 1.0,
            Builtin::Round | Builtin::Pow => 4.0,
            _ => 10.0,
        };
        Some(gives)
    }

    /// Writes a function as a parameter.
    fn function_object(&mut self, capture: u32, draft: &mut Draft) {
        let name = format!("o{}", draft.objects.len());
        draft.text.push_str(&name);
        draft.objects.push(HostObject {
            name,
            capture,
            changed: false,
        });
    }
}

/// Whether an expression has a part that CPython computes.
fn asks(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Host(_)) || e.children().into_iter().any(asks)
}

/// Whether a name is one that parameters of fragments have: `o0`, `v12`.
fn is_parameter(name: &str) -> bool {
    let number = name.strip_prefix(['o', 'v']);
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The type of the last argument of `d.get(key, default)`, if it is a literal.
pub(crate) fn default_type(args: &[s::Expr]) -> Option<Ty> {
    match args {
        [_, s::Expr { kind, .. }] => match kind {
            s::ExprKind::Int(_) => Some(Ty::PY_INT),
            s::ExprKind::Float(_) => Some(Ty::PY_FLOAT),
            s::ExprKind::Bool(_) => Some(Ty::PY_BOOL),
            _ => None,
        },
        _ => None,
    }
}

/// A text as a literal of Python's.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_literals() {
        assert_eq!(
            quoted("a\"b\\\n\u{e9}"),
            "\"a\\\"b\\\\\\U0000000a\\U000000e9\""
        );
        assert!(is_parameter("v0") && is_parameter("o12"));
        assert!(!is_parameter("v") && !is_parameter("vx") && !is_parameter("x1"));
    }
}
