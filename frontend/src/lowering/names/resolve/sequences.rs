//! Operations on lists and deques that grow and shrink: fragments that a launch may perform itself.

use nestwise_ir::model::entry::Part;
use nestwise_ir::model::sequence::{SequenceAccess, SequenceOperation, Which};
use nestwise_ir::{ArrayKind, Kept, Span, Ty, surface as s};

use crate::builtins::Known;
use crate::host_functions::{Container, Gives};
use crate::lowering::hir::{Expr, ExprKind, Kind, Stmt, Target};
use crate::lowering::names::resolve::entries::update_of;
use crate::lowering::names::resolve::fragments::{Draft, Given, OPERATION};
use crate::lowering::names::resolve::{Names, Res, Resolver};
use crate::refusal::R;
use crate::site::captures::Capture;
use crate::site::item_attributes::item_name;
use crate::site::tuple_names::constant_index;

/// The most parts of an element.
const MOST_PARTS: usize = 4;

/// An element: the text, its parts, and whether it is a tuple.
type Element = (String, Vec<Part>, bool);

impl Resolver<'_> {
    /// Drafts an expression that reads a sequence, or takes an element of one part out; `None` for any other.
    pub(crate) fn sequence_read(
        &mut self,
        names: &mut Names,
        e: &s::Expr,
    ) -> Option<(Draft, Given)> {
        if let s::ExprKind::Subscript(base, index) = &e.kind {
            return self.sequence_item(names, base, index);
        }
        if let s::ExprKind::Call { func, args, kwargs } = &e.kind
            && kwargs.is_empty()
            && self.is_length(names, func)
        {
            let [of] = &args[..] else { return None };
            return Some((
                self.sequence_length(names, of)?,
                Some(Gives::Scalar(Ty::PY_INT)),
            ));
        }
        let (draft, base) = self.sequence_take(names, e, (1, false))?;
        let item = self.sequence(names, &base)?.1;
        Some((draft, Some(item.map_or(Gives::Item, Gives::Scalar))))
    }

    fn sequence_length(&mut self, names: &mut Names, of: &s::Expr) -> Option<Draft> {
        self.sequence(names, of)?;
        let mut draft = Draft::default();
        self.object(names, of, &mut draft, false)?;
        draft.text.push_str(".__len__()");
        draft.work = 1.0;
        draft.kept = Some(access((0, false), SequenceOperation::Length));
        Some(draft)
    }

    /// The truth of a container: whether it has elements. `None` for what is no container that the launch keeps.
    pub(crate) fn container_truth(&mut self, names: &mut Names, e: &s::Expr) -> Option<Expr> {
        let s::ExprKind::Path(_) = e.kind else {
            return None;
        };
        let draft = match self.sequence_length(names, e) {
            Some(draft) => draft,
            None => self.entries_length(names, e)?,
        };
        let given = Some(Gives::Scalar(Ty::PY_INT));
        self.drafted_access(names, (draft, given), e.span)
    }

    /// Drafts `sequence[index]`, or `sequence[index][k]` of tuples.
    fn sequence_item(
        &mut self,
        names: &mut Names,
        base: &s::Expr,
        index: &[s::Expr],
    ) -> Option<(Draft, Given)> {
        let [index] = index else { return None };
        if index.is_slice() {
            return None;
        }
        if let s::ExprKind::Subscript(list, outer) = &base.kind
            && let [outer] = &outer[..]
            && let Some(part) = constant_index(std::slice::from_ref(index))
        {
            let part = u32::try_from(part).ok()?;
            self.sequence(names, list)?;
            let given = self.part_given(names, list, part as usize);
            let mut draft = Draft::default();
            let (at, index) = self.part(names, outer, &mut draft)?;
            self.object(names, list, &mut draft, false)?;
            draft.text.push_str(&format!("[{at}][{part}]"));
            draft.work = 2.0 * OPERATION;
            // How many parts there are, appends tell.
            let operation = SequenceOperation::Item { index, part };
            draft.kept = Some(access((0, true), operation));
            return Some((draft, given.or(Some(Gives::Item))));
        }
        let item = self.sequence(names, base)?.1;
        let mut draft = Draft::default();
        let (at, index) = self.part(names, index, &mut draft)?;
        self.object(names, base, &mut draft, false)?;
        draft.text.push_str(&format!("[{at}]"));
        draft.work = OPERATION;
        let operation = SequenceOperation::Item { index, part: 0 };
        draft.kept = Some(access((1, false), operation));
        Some((draft, Some(item.map_or(Gives::Item, Gives::Scalar))))
    }

    /// Drafts a call that takes an element of this many parts out of a sequence, of which it gives the first; also gives
    /// the sequence.
    fn sequence_take(
        &mut self,
        names: &mut Names,
        e: &s::Expr,
        shape: (usize, bool),
    ) -> Option<(Draft, s::Expr)> {
        let s::ExprKind::Call { func, args, kwargs } = &e.kind else {
            return None;
        };
        if !kwargs.is_empty() {
            return None;
        }
        let (base, which, text) = match self.heap_function(names, func) {
            Some("heapq.heappop") => {
                let [heap] = &args[..] else { return None };
                self.sequence(names, heap)?;
                (heap.clone(), Which::Least, "heappop")
            }
            Some(_) => return None,
            None => {
                let (base, kind, name) = self.sequence_method(names, func)?;
                let first = |e: &s::Expr| matches!(e.kind, s::ExprKind::Int(0));
                match (name.as_str(), &args[..]) {
                    ("pop", []) => (base, Which::Last, "pop"),
                    ("pop", [e]) if first(e) && kind == Container::List => {
                        (base, Which::First, "popleft")
                    }
                    ("popleft", []) => (base, Which::First, "popleft"),
                    _ => return None,
                }
            }
        };
        let mut draft = Draft::default();
        self.object(names, &base, &mut draft, true)?;
        draft.text.push_str(&format!(".{text}()"));
        draft.changes = true;
        draft.work = 1.0;
        draft.kept = Some(access(shape, SequenceOperation::Take(which)));
        Some((draft, base))
    }

    /// Resolves `a, b = sequence.pop()` and the like; false for any other assignment.
    pub(crate) fn taken_apart(
        &mut self,
        names: &mut Names,
        targets: &[s::Target],
        value: &s::Expr,
        out: &mut Vec<Stmt>,
    ) -> R<bool> {
        let [s::Target::Tuple(items)] = targets else {
            return Ok(false);
        };
        let plain = items.iter().all(|t| matches!(t, s::Target::Path(_)));
        if !plain || items.is_empty() || items.len() > MOST_PARTS || self.in_header {
            return Ok(false);
        }
        let shape = (items.len(), true);
        let Some((draft, base)) = self.sequence_take(names, value, shape) else {
            return Ok(false);
        };
        let span = value.span;
        let (text, objects) = (draft.text.clone(), draft.objects.clone());
        let mut parts = vec![(draft, 0)];
        for part in 1..items.len() {
            let mut draft = Draft::default();
            draft.text = format!("{text}[{part}]");
            draft.objects.clone_from(&objects);
            draft.changes = true;
            draft.kept = Some(access(shape, SequenceOperation::Taken(part as u32)));
            parts.push((draft, part));
        }
        let mut taken = Vec::with_capacity(parts.len());
        for (mut draft, part) in parts {
            if part == 0 {
                draft.text.push_str("[0]");
            }
            let given = self.part_given(names, &base, part);
            let Some(value) = self.drafted_access(names, (draft, given), span) else {
                return Ok(false);
            };
            let local = self.local(format!("{text}[{part}]"), None, None);
            let target = Target::Local(self.def(local));
            let kind = Kind::Assign {
                targets: vec![target],
                value,
            };
            out.push(Stmt { kind, span });
            taken.push(local);
        }
        for (target, local) in items.iter().zip(taken) {
            let target = self.target(names, target, span)?;
            let kind = ExprKind::Read(self.read(local));
            let kind = Kind::Assign {
                targets: vec![target],
                value: Expr { kind, span },
            };
            out.push(Stmt { kind, span });
        }
        Ok(true)
    }

    /// Resolves a loop over a list that the launch keeps, as CPython runs it: by an index that is compared with the
    /// length each time. False for any other loop.
    pub(crate) fn loop_over_kept(
        &mut self,
        names: &mut Names,
        (target, iter): (&s::Target, &s::Expr),
        (body, orelse): (&[s::Stmt], &[s::Stmt]),
        out: &mut Vec<Stmt>,
    ) -> R<bool> {
        let span = iter.span;
        if !matches!(iter.kind, s::ExprKind::Path(_)) || self.in_header {
            return Ok(false);
        }
        let Some((Container::List, item)) = self.sequence(names, iter) else {
            return Ok(false);
        };
        let held = self.object_of(names, iter).is_some_and(|capture| {
            let container = matches!(self.capture(capture), Capture::Container { .. });
            !container && !self.foreign.contains(&capture)
        });
        if held {
            return Ok(false);
        }
        let targets = match target {
            s::Target::Path(_) => std::slice::from_ref(target),
            s::Target::Tuple(items) => items,
            _ => return Ok(false),
        };
        let plain = targets.iter().all(|t| matches!(t, s::Target::Path(_)));
        if !plain || targets.len() > MOST_PARTS {
            return Ok(false);
        }
        let shape = (targets.len(), matches!(target, s::Target::Tuple(_)));
        let counter = self.local("the index of a list".into(), None, None);
        let expr = |kind| Expr { kind, span };
        let assigned = |resolver: &mut Self, value| {
            let target = Target::Local(resolver.def(counter));
            let kind = Kind::Assign {
                targets: vec![target],
                value,
            };
            Stmt { kind, span }
        };
        out.push(assigned(self, expr(ExprKind::Int(0))));
        let Some(length) = self.sequence_length(names, iter) else {
            return Ok(false);
        };
        let given = Some(Gives::Scalar(Ty::PY_INT));
        let Some(length) = self.drafted_access(names, (length, given), span) else {
            return Ok(false);
        };
        let read = Box::new(expr(ExprKind::Read(self.read(counter))));
        let test = expr(ExprKind::Compare(read, vec![(s::CmpOp::Lt, length)]));
        let mut inside = Vec::new();
        for (part, target) in targets.iter().enumerate() {
            let mut draft = Draft::default();
            let (at, index) = draft.scalar(expr(ExprKind::Read(self.read(counter))));
            self.object(names, iter, &mut draft, false);
            draft.text.push_str(&format!("[{at}]"));
            if shape.1 {
                draft.text.push_str(&format!("[{part}]"));
            }
            draft.work = OPERATION;
            let part = part as u32;
            let operation = SequenceOperation::Item { index, part };
            draft.kept = Some(access(shape, operation));
            let given = match shape.1 {
                true => self.part_given(names, iter, part as usize),
                false => item.map(Gives::Scalar),
            };
            let Some(value) = self.drafted_access(names, (draft, given), span) else {
                return Ok(false);
            };
            let kind = Kind::Assign {
                targets: vec![self.target(names, target, span)?],
                value,
            };
            inside.push(Stmt { kind, span });
        }
        let read = Box::new(expr(ExprKind::Read(self.read(counter))));
        let next = ExprKind::Binary(s::BinOp::Add, read, Box::new(expr(ExprKind::Int(1))));
        inside.push(assigned(self, expr(next)));
        inside.extend(self.block(names, body)?);
        let orelse = self.block(names, orelse)?;
        let kind = Kind::While {
            test,
            body: inside,
            orelse,
        };
        out.push(Stmt { kind, span });
        Ok(true)
    }

    /// Drafts `sequence.append(element)` and the like; `None` for other calls.
    pub(crate) fn sequence_call(&mut self, names: &mut Names, e: &s::Expr) -> Option<Draft> {
        let s::ExprKind::Call { func, args, kwargs } = &e.kind else {
            return None;
        };
        if !kwargs.is_empty() {
            return None;
        }
        let mut draft = Draft::default();
        type Make = fn(Vec<Part>) -> SequenceOperation;
        let (base, element, make, name): (_, _, Make, _) = match self.heap_function(names, func) {
            Some("heapq.heappush") => {
                let [heap, element] = &args[..] else {
                    return None;
                };
                self.sequence(names, heap)?;
                (heap.clone(), element, SequenceOperation::Push, "heappush")
            }
            Some(_) => return None,
            None => {
                let (base, _, name) = self.sequence_method(names, func)?;
                let [element] = &args[..] else {
                    return self.dropped(names, e);
                };
                match name.as_str() {
                    "append" => (base, element, SequenceOperation::Append, "append"),
                    "appendleft" => (base, element, SequenceOperation::AppendLeft, "appendleft"),
                    _ => return self.dropped(names, e),
                }
            }
        };
        let (text, parts, is_tuple) = self.element_of(names, element, &mut draft)?;
        self.object(names, &base, &mut draft, true)?;
        draft.text.push_str(&format!(".{name}({text})"));
        draft.changes = true;
        draft.work = 1.0;
        let shape = (parts.len(), is_tuple);
        draft.kept = Some(access(shape, make(parts)));
        Some(draft)
    }

    /// Drafts a call that takes an element out, which nobody uses.
    fn dropped(&mut self, names: &mut Names, e: &s::Expr) -> Option<Draft> {
        self.sequence_take(names, e, (1, false))
            .map(|(draft, _)| draft)
    }

    /// Drafts `sequence[index] = value`, or `sequence[index] op= value`, of scalars; `None` for stores elsewhere.
    pub(crate) fn sequence_store(
        &mut self,
        names: &mut Names,
        (base, index): (&s::Expr, &[s::Expr]),
        op: &str,
        value: &s::Expr,
    ) -> Option<Draft> {
        self.sequence(names, base)?;
        let update = update_of(op)?;
        let [index] = index else { return None };
        let tuple = matches!(value.kind, s::ExprKind::Tuple(_));
        if index.is_slice() || tuple {
            return None;
        }
        let mut draft = Draft::default();
        // Python evaluates the value of an assignment first, and the index of an update.
        let ((at, index), (text, value)) = match update {
            None => {
                let value = self.part(names, value, &mut draft)?;
                (self.part(names, index, &mut draft)?, value)
            }
            Some(_) => {
                let index = self.part(names, index, &mut draft)?;
                (index, self.part(names, value, &mut draft)?)
            }
        };
        self.object(names, base, &mut draft, true)?;
        draft.text.push_str(&format!("[{at}] {op}= {text}"));
        draft.changes = true;
        draft.work = OPERATION;
        let operation = match update {
            None => SequenceOperation::Store { index, value },
            Some(update) => SequenceOperation::Update {
                index,
                update,
                value,
            },
        };
        draft.kept = Some(access((1, false), operation));
        Some(draft)
    }

    /// The element that an expression is.
    fn element_of(&mut self, names: &mut Names, e: &s::Expr, draft: &mut Draft) -> Option<Element> {
        let (text, key) = self.key(names, std::slice::from_ref(e), draft)?;
        let texts = key.parts.iter().any(|p| matches!(p, Part::Text(_)));
        let fits = !texts && (1..=MOST_PARTS).contains(&key.parts.len());
        fits.then_some((text, key.parts, key.is_tuple))
    }

    /// The kind of a sequence that CPython holds, and the type of its items, if that is known.
    fn sequence(&mut self, names: &mut Names, e: &s::Expr) -> Option<(Container, Option<Ty>)> {
        let capture = self.object_of(names, e)?;
        if self.looked_into.contains(&capture) {
            return None;
        }
        match self.capture(capture) {
            Capture::Container {
                kind: kind @ (Container::List | Container::Deque),
                item,
                ..
            } => Some((*kind, *item)),
            Capture::Objects { .. } => Some((Container::List, None)),
            Capture::Array {
                kind: ArrayKind::List,
                elem,
                rank,
                ..
            } => Some((Container::List, (*rank == 1).then_some(*elem))),
            _ => None,
        }
    }

    /// The type of a part of a sequence's elements, as far as the first element tells.
    fn part_given(&mut self, names: &mut Names, sequence: &s::Expr, part: usize) -> Given {
        let capture = self.object_of(names, sequence)?;
        let ty = match self.capture(capture) {
            Capture::Container { parts, .. } => parts.get(part).copied(),
            Capture::Array { elem, rank: 2, .. } => Some(*elem),
            Capture::Objects { attributes, .. } => {
                let name = item_name(part);
                let column = attributes.iter().find(|(own, _)| *own == name)?.1;
                match self.capture(column) {
                    Capture::Array { elem, .. } => Some(*elem),
                    _ => None,
                }
            }
            _ => None,
        };
        ty.map(Gives::Scalar)
    }

    /// The sequence whose method an expression is, and the method's name.
    fn sequence_method(
        &mut self,
        names: &mut Names,
        func: &s::Expr,
    ) -> Option<(s::Expr, Container, String)> {
        let s::ExprKind::Path(id) = func.kind else {
            return None;
        };
        let path = &names.paths[id];
        let (name, span) = (path.name.clone(), func.span);
        let kind = s::ExprKind::Path(path.parent?);
        let base = s::Expr { kind, span };
        let (kind, _) = self.sequence(names, &base)?;
        Some((base, kind, name))
    }

    /// The name of the function of `heapq` that an expression is.
    fn heap_function(&mut self, names: &mut Names, func: &s::Expr) -> Option<&'static str> {
        let s::ExprKind::Path(id) = func.kind else {
            return None;
        };
        match self.resolve_path(names, id, func.span).ok()? {
            Res::Known(Known::Host(f)) => {
                Some(f.about().name).filter(|name| name.starts_with("heapq."))
            }
            _ => None,
        }
    }

    /// The operation that stands for a drafted access to a container.
    pub(crate) fn drafted_access(
        &mut self,
        names: &Names,
        (draft, given): (Draft, Given),
        span: Span,
    ) -> Option<Expr> {
        let expected = match given {
            Some(Gives::Scalar(ty)) => ty,
            _ => Ty::PY_INT,
        };
        let ty = self.observed(&draft.text).unwrap_or(Some(expected))?;
        self.drafted(names, draft, Some(ty), span, false)
    }
}

fn access((parts, is_tuple): (usize, bool), operation: SequenceOperation) -> Kept {
    Kept::Sequence(SequenceAccess {
        parts: parts as u32,
        is_tuple,
        operation,
    })
}
