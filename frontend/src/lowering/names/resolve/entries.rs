//! Operations on single entries of dictionaries and sets: fragments that a launch may perform itself.

use nestwise_ir::model::entry::{Key, Operation, Part, Update};
use nestwise_ir::{Effect, EntryAccess, Kept, Ty, surface as s};

use crate::builtins::{Builtin, Known};
use crate::host_functions::{Container, Gives};
use crate::lowering::hir::ExprKind;
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::fragments::{Draft, Given, OPERATION, default_type, quoted};
use crate::lowering::names::resolve::{Names, Res, Resolver};

impl Resolver<'_> {
    /// Drafts an expression that reads an entry or asks for one; `None` for any other.
    pub(crate) fn entry_read(&mut self, names: &mut Names, e: &s::Expr) -> Option<(Draft, Given)> {
        let mut draft = Draft::default();
        let (item, operation) = match &e.kind {
            s::ExprKind::Subscript(base, index) => {
                let (kind, item) = self.keeper(names, base)?;
                let inserts = kind.reading() != Effect::Pure;
                if !kind.is_mapping() {
                    return None;
                }
                let key = self.key(names, index, &mut draft)?;
                self.object(names, base, &mut draft, inserts)?;
                draft.text.push_str(&format!("[{}]", key.0));
                draft.changes = inserts;
                (item, (key.1, Operation::Read))
            }
            s::ExprKind::Contains {
                item,
                container,
                negated,
            } => {
                self.keeper(names, container)?;
                let key = self.key(names, std::slice::from_ref(item.as_ref()), &mut draft)?;
                let is = if *negated { "not in" } else { "in" };
                draft.text.push_str(&format!("({}) {is} ", key.0));
                self.object(names, container, &mut draft, false)?;
                let operation = Operation::Contains { negated: *negated };
                draft.kept = Some(access(key.1, operation));
                draft.work = OPERATION;
                return Some((draft, Some(Gives::Scalar(Ty::PY_BOOL))));
            }
            s::ExprKind::Call { func, args, .. } if self.is_length(names, func) => {
                let [container] = &args[..] else { return None };
                let draft = self.entries_length(names, container)?;
                return Some((draft, Some(Gives::Scalar(Ty::PY_INT))));
            }
            s::ExprKind::Call { func, args, kwargs } => {
                let [key, value] = &args[..] else { return None };
                let (base, kind, item) = self.method_of(names, func, "get")?;
                if !kwargs.is_empty() || !kind.is_mapping() {
                    return None;
                }
                let key = self.key(names, std::slice::from_ref(key), &mut draft)?;
                let (text, value) = self.part(names, value, &mut draft)?;
                let given = item.or_else(|| default_type(args));
                self.object(names, &base, &mut draft, false)?;
                draft.text.push_str(&format!(".get({}, {text})", key.0));
                draft.kept = Some(access(key.1, Operation::ReadOr(value)));
                draft.work = 2.0 * OPERATION;
                return Some((draft, Some(given.map_or(Gives::ItemOr, Gives::Scalar))));
            }
            _ => return None,
        };
        draft.kept = Some(access(operation.0, operation.1));
        draft.work = OPERATION;
        Some((draft, Some(item.map_or(Gives::Item, Gives::Scalar))))
    }

    /// Drafts `set.add(key)` or `set.discard(key)`; `None` for other calls.
    pub(crate) fn entry_call(&mut self, names: &mut Names, e: &s::Expr) -> Option<Draft> {
        let s::ExprKind::Call { func, args, kwargs } = &e.kind else {
            return None;
        };
        let s::ExprKind::Path(id) = func.kind else {
            return None;
        };
        let (name, operation) = match names.paths[id].name.as_str() {
            "add" => ("add", Operation::Add),
            "discard" => ("discard", Operation::Discard),
            _ => return None,
        };
        let (base, kind, _) = self.method_of(names, func, name)?;
        if kind != Container::Set || args.len() != 1 || !kwargs.is_empty() {
            return None;
        }
        let mut draft = Draft::default();
        let key = self.key(names, args, &mut draft)?;
        self.object(names, &base, &mut draft, true)?;
        draft.text.push_str(&format!(".{name}({})", key.0));
        draft.kept = Some(access(key.1, operation));
        draft.changes = true;
        draft.work = OPERATION;
        Some(draft)
    }

    /// Drafts `container[index] = value`, or `container[index] op= value`; `None` for stores elsewhere.
    pub(crate) fn entry_store(
        &mut self,
        names: &mut Names,
        (base, index): (&s::Expr, &[s::Expr]),
        op: &str,
        value: &s::Expr,
    ) -> Option<Draft> {
        let (kind, _) = self.keeper(names, base)?;
        let update = update_of(op)?;
        if !kind.is_mapping() || index.iter().any(s::Expr::is_slice) {
            return None;
        }
        let mut draft = Draft::default();
        // Python evaluates the value of an assignment first, and the key of an update.
        let (key, (text, value)) = match update {
            None => {
                let value = self.part(names, value, &mut draft)?;
                (self.key(names, index, &mut draft)?, value)
            }
            Some(_) => {
                let key = self.key(names, index, &mut draft)?;
                (key, self.part(names, value, &mut draft)?)
            }
        };
        self.object(names, base, &mut draft, true)?;
        draft.text.push_str(&format!("[{}] {op}= {text}", key.0));
        let operation = match update {
            None => Operation::Store(value),
            Some(update) => Operation::Update(update, value),
        };
        draft.kept = Some(access(key.1, operation));
        draft.changes = true;
        draft.work = OPERATION;
        Some(draft)
    }

    pub(crate) fn is_length(&mut self, names: &mut Names, func: &s::Expr) -> bool {
        let s::ExprKind::Path(id) = func.kind else {
            return false;
        };
        let known = self.resolve_path(names, id, func.span);
        matches!(known, Ok(Res::Known(Known::Builtin(Builtin::Len))))
    }

    /// The kind of a container of entries, and the type of its items, if that is known.
    fn keeper(&mut self, names: &mut Names, e: &s::Expr) -> Option<(Container, Option<Ty>)> {
        let capture = self.object_of(names, e)?;
        let found = self.container(names, e);
        found.filter(|(kind, _)| kind.has_entries() && !self.looked_into.contains(&capture))
    }

    /// The container whose method of this name an expression is.
    fn method_of(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
        method: &str,
    ) -> Option<(s::Expr, Container, Option<Ty>)> {
        let s::ExprKind::Path(id) = func.kind else {
            return None;
        };
        let path = &names.paths[id];
        let (parent, span) = (path.parent.filter(|_| path.name == method)?, func.span);
        let kind = s::ExprKind::Path(parent);
        let base = s::Expr { kind, span };
        let (kind, item) = self.keeper(names, &base)?;
        Some((base, kind, item))
    }

    /// A key, and its text.
    pub(crate) fn key(
        &mut self,
        names: &mut Names,
        index: &[s::Expr],
        draft: &mut Draft,
    ) -> Option<(String, Key)> {
        let one = match index {
            [one] => one,
            many => return self.tuple(names, many, draft),
        };
        match &one.kind {
            s::ExprKind::Tuple(items) => self.tuple(names, items, draft),
            s::ExprKind::Path(id) if names.tuples.contains_key(id) => {
                let elements = names.tuples[id].clone();
                let parts = elements.iter().map(|element| match element {
                    Element::Scalar(_) => Some(draft.scalar(self.read_element(element, one.span))),
                    Element::Tuple(_) | Element::Object(_) => None,
                });
                parts.collect::<Option<Vec<_>>>().map(joined)
            }
            _ => {
                let (text, part) = self.part(names, one, draft)?;
                let key = Key {
                    parts: vec![part],
                    is_tuple: false,
                };
                Some((text, key))
            }
        }
    }

    fn tuple(
        &mut self,
        names: &mut Names,
        items: &[s::Expr],
        draft: &mut Draft,
    ) -> Option<(String, Key)> {
        let parts = items.iter().map(|item| self.part(names, item, draft));
        parts.collect::<Option<Vec<_>>>().map(joined)
    }

    /// A part of a key or a value, and its text.
    pub(crate) fn part(
        &mut self,
        names: &mut Names,
        e: &s::Expr,
        draft: &mut Draft,
    ) -> Option<(String, Part)> {
        match &e.kind {
            s::ExprKind::Int(v) => {
                let v = i64::try_from(*v).ok()?;
                Some((v.to_string(), Part::Int(v)))
            }
            s::ExprKind::Str(text) => {
                self.note_text(text);
                Some((quoted(text), Part::Text(text.clone())))
            }
            s::ExprKind::Comprehension { .. } => None,
            _ if self.is_object(names, e) => None,
            _ => {
                let value = self.expr(names, e).ok()?;
                // A tuple inside a tuple, or no scalar at all.
                let scalar = !matches!(value.kind, ExprKind::Tuple(_) | ExprKind::None);
                scalar.then(|| draft.scalar(value))
            }
        }
    }

    /// Drafts the number of entries of a container.
    pub(crate) fn entries_length(
        &mut self,
        names: &mut Names,
        container: &s::Expr,
    ) -> Option<Draft> {
        self.keeper(names, container)?;
        let mut draft = Draft::default();
        self.object(names, container, &mut draft, false)?;
        draft.text.push_str(".__len__()");
        let key = Key {
            parts: vec![],
            is_tuple: false,
        };
        draft.kept = Some(access(key, Operation::Length));
        draft.work = 1.0;
        Some(draft)
    }
}

/// The arithmetic of `op=`, where `""` stands for a plain assignment; `None` for other operators.
pub(crate) fn update_of(op: &str) -> Option<Option<Update>> {
    Some(match op {
        "" => None,
        "+" => Some(Update::Add),
        "-" => Some(Update::Sub),
        "*" => Some(Update::Mul),
        _ => return None,
    })
}

fn access(key: Key, operation: Operation) -> Kept {
    Kept::Entry(EntryAccess { key, operation })
}

/// The tuple of these parts.
fn joined(parts: Vec<(String, Part)>) -> (String, Key) {
    let text: String = parts.iter().map(|(text, _)| format!("{text}, ")).collect();
    let parts = parts.into_iter().map(|(_, part)| part).collect();
    let key = Key {
        parts,
        is_tuple: true,
    };
    (format!("({text})"), key)
}
