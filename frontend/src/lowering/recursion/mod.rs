//! Functions that call themselves.
//!
//! Such a function becomes a loop over states. Its body is cut at its calls of itself ([`cut`]); what runs from one cut
//! to the next is a state, and the loop runs one state an iteration ([`emit`]). A call pushes what is live behind it
//! ([`liveness`]) on lists of the nest's own, one for each local, and the state in which it goes on; a return pops the
//! state. So everything that knows loops, branches and lists knows recursion.
//!
//! A call that is nested in an inlined function counts as one of the function around, so that functions that call each
//! other need no rules of their own. The lists have room for as many calls as CPython is sure to have frames for: where
//! one more is made a guard fails, and CPython raises its `RecursionError`, or goes on if it has frames left.

mod cut;
mod emit;
pub(crate) mod kept;
mod liveness;
pub(crate) mod open;

use std::collections::HashSet;
use std::sync::Arc;

use nestwise_ir::{PathId, Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, LocalId, SelfCall, Stmt};
use crate::lowering::names::resolve::element::Element;
use crate::lowering::names::resolve::handed::Handed;
use crate::lowering::names::resolve::{Callee, Names, Receiver, Resolver, Shape};
use crate::lowering::recursion::open::{Meanings, Recursion};
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// The most calls that may be open at once: what lists have room for is taken before the nest runs.
const DEEPEST: u32 = 16_384;

impl Meanings {
    fn of(names: &Names) -> Meanings {
        Meanings {
            locals: names.locals.clone(),
            tuples: names.tuples.clone(),
            functions: names.functions.clone(),
            containers: names.containers.clone(),
            nones: names.nones.clone(),
            objects: names.objects.clone(),
            makes: !names.made.is_empty() || names.building.is_some(),
        }
    }

    /// The parameters' locals, each with the one of another call that is to be assigned to it; `None` if a name that
    /// stands for something else than values stands for another thing there.
    fn moves(&self, bound: &[PathId], other: &Names) -> Option<Vec<(LocalId, LocalId)>> {
        let same_function = |(param, own): (&PathId, &Handed)| {
            let given = other.functions.get(param);
            given.is_some_and(|given| own.is_same(given))
        };
        let fixed = self.containers == other.containers
            && self.nones == other.nones
            && self.objects == other.objects
            && !self.makes
            && other.made.is_empty()
            && self.functions.len() == other.functions.len()
            && self.functions.iter().all(same_function);
        if !fixed {
            return None;
        }
        let mut moves = Vec::new();
        for param in bound {
            match (self.tuples.get(param), other.tuples.get(param)) {
                (Some(own), Some(given)) if own.len() == given.len() => {
                    for pair in own.iter().zip(given) {
                        let (Element::Scalar(own), Element::Scalar(given)) = pair else {
                            return None;
                        };
                        moves.push((*own, *given));
                    }
                    continue;
                }
                (None, None) => {}
                _ => return None,
            }
            if self.functions.contains_key(param) || self.nones.contains(param) {
                continue;
            }
            match (self.locals.get(param), other.locals.get(param)) {
                (Some(own), Some(given)) => moves.push((*own, *given)),
                (None, None) => {}
                _ => return None,
            }
        }
        Some(moves)
    }
}

impl Resolver<'_> {
    /// Whether the function whose captures begin at `first`, or one that it calls, calls it.
    pub fn calls_itself(&self, function: &s::Function, first: u32) -> bool {
        let mut pending = vec![(function.paths.len(), first)];
        let mut seen = HashSet::new();
        while let Some((count, at)) = pending.pop() {
            for index in at..at.saturating_add(count as u32) {
                if let Capture::User {
                    function,
                    first: inner,
                    ..
                } = self.capture(index)
                {
                    if *inner == first {
                        return true;
                    }
                    // A call of a function around is that function's.
                    let around = self.active.contains(&Arc::as_ptr(function));
                    if !around && seen.insert(*inner) {
                        pending.push((function.paths.len(), *inner));
                    }
                }
            }
        }
        false
    }

    /// Begins the body of a function that calls itself, whose parameters are bound. What it returns is told by its text,
    /// since a call may come before the first `return`.
    pub fn begin_recursion(
        &mut self,
        callee: &Callee,
        names: &mut Names,
        own_from: LocalId,
    ) -> R<()> {
        let receiver = match &callee.receiver {
            Receiver::None => None,
            Receiver::Path(path) => Some(path.clone()),
            _ => return Err(recursive(callee, Span::default())),
        };
        let shape = shape(&callee.function.body);
        let mut results = vec![];
        if let Some(call) = names.call.as_mut() {
            call.effect = shape.is_none();
        }
        if let Some(shape) = &shape {
            let name = format!("{}()", callee.function.name);
            results = (0..shape.values())
                .map(|_| self.local(name.clone(), None, None))
                .collect();
            if let Some(call) = names.call.as_mut() {
                call.shape = Some(shape.clone());
                call.results = results.clone();
            }
        }
        self.recursions.push(Recursion {
            function: Arc::as_ptr(callee.function),
            first: callee.first,
            receiver,
            params: params(callee, names),
            meanings: Meanings::of(names),
            results,
            tuple: matches!(shape, Some(Shape::Tuple(_))),
            own_from,
            counted: self.counters.len(),
            frames_inside: 0,
        });
        Ok(())
    }

    /// Ends the body of a function that calls itself: appends the loop over its states to `out`.
    pub fn end_recursion(
        &mut self,
        recursion: Option<Recursion>,
        body: Vec<Stmt>,
        names: &mut Names,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> R<()> {
        let (Some(recursion), Some(call)) = (recursion, &mut names.call) else {
            let message = "the end of a function that was not begun".into();
            return Err(refuse(span, Refusal::Internal { message }));
        };
        let (name, block) = (call.name.clone(), call.block);
        // A return is a state of the loop.
        call.left = false;
        if self.counters.len() != recursion.counted {
            return Err(refuse(span, Refusal::Recursion { name }));
        }
        let parts = cut::cut(self, body, block).map_err(|what| {
            let what = format!("{name}, which calls itself {what},");
            refuse(span, Refusal::Unsupported { what })
        })?;
        // Each function around may need frames, too.
        let levels = u32::try_from(self.recursions.len()).unwrap_or(u32::MAX);
        let all = self.frames.checked_shr(levels).unwrap_or(0);
        let room = all.saturating_sub(recursion.frames_inside) / parts.frames;
        let needed = room * parts.frames + recursion.frames_inside;
        match self.recursions.last_mut() {
            Some(outer) => outer.frames_inside = outer.frames_inside.max(needed),
            None => self.hir.frames = self.hir.frames.max(needed),
        }
        let room = room.min(DEEPEST);
        emit::emit(self, parts.all, &recursion, (&name, room, span), out)
    }

    /// Resolves a call of a function inside itself, whose arguments `bind` assigns to locals of the call's own.
    pub fn self_call(
        &mut self,
        callee: &Callee,
        span: Span,
        bind: impl FnOnce(&mut Self, &mut Names, &Callee, &mut Vec<Stmt>) -> R<()>,
    ) -> R<Expr> {
        let key = Arc::as_ptr(callee.function);
        let receiver = match &callee.receiver {
            Receiver::None => None,
            Receiver::Path(path) => Some(path),
            _ => return Err(recursive(callee, span)),
        };
        let fits = |r: &&Recursion| {
            r.function == key && r.first == callee.first && r.receiver.as_ref() == receiver
        };
        if self.recursions.last().filter(fits).is_none() {
            return Err(recursive(callee, span));
        }
        let mut names = self.call_names(callee);
        let mut before = vec![];
        bind(self, &mut names, callee, &mut before)?;
        let bound: Vec<PathId> = callee.function.bound().collect();
        let known = self.recursions.last();
        let found = known.and_then(|r| Some((r, r.meanings.moves(&bound, &names)?)));
        let Some((recursion, moves)) = found else {
            return Err(recursive(callee, span));
        };
        let call = SelfCall {
            before,
            moves,
            results: recursion.results.clone(),
            tuple: recursion.tuple,
        };
        let kind = ExprKind::SelfCall(Box::new(call));
        Ok(Expr { kind, span })
    }
}

/// The locals that a call of the function assigns.
fn params(callee: &Callee, names: &Names) -> Vec<LocalId> {
    let mut all = vec![];
    for param in callee.function.bound() {
        match names.tuples.get(&param) {
            Some(items) => items
                .iter()
                .for_each(|item| item.locals(&mut |l| all.push(l))),
            None => all.extend(names.locals.get(&param)),
        }
    }
    all
}

fn recursive(callee: &Callee, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let name = callee.function.name.clone();
    refuse(span, Refusal::Recursion { name })
}

/// What a function returns, as its text tells: `None` if no path returns anything but None.
fn shape(body: &[s::Stmt]) -> Option<Shape> {
    let mut found: Option<Shape> = None;
    for stmt in body {
        let inner = match &stmt.kind {
            s::StmtKind::Return(Some(value)) => match &value.kind {
                s::ExprKind::None => None,
                s::ExprKind::Tuple(items) => Some(Shape::Tuple(items.len())),
                _ => Some(Shape::Value),
            },
            s::StmtKind::If { body, orelse, .. }
            | s::StmtKind::For { body, orelse, .. }
            | s::StmtKind::While { body, orelse, .. } => match shape(body) {
                Some(Shape::Tuple(n)) => Some(Shape::Tuple(n)),
                one => shape(orelse).or(one),
            },
            _ => None,
        };
        // A tuple tells more than the name or call that another path returns.
        match (&found, &inner) {
            (Some(Shape::Tuple(_)), _) | (_, None) => {}
            _ => found = inner,
        }
    }
    found
}
