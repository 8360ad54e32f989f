//! The places of a site: names and attribute chains on names, which of them the site assigns, and of which it
//! needs the value they have when it starts.
//!
//! The second is a forward definite-assignment analysis (the dataflow problem of the Java Language Specification,
//! chapter 16, on Python's statements). Expressions never assign here, so the order inside one does not matter:
//! every name an expression mentions counts as read, also where `and`, `or` or a conditional may skip it. Sets only
//! grow along a path, so the state at a loop's head is the state before the loop, and one pass is enough.

use std::collections::{HashMap, HashSet};

use nestwise_ir::surface::{Expr, ExprKind, Place, Scope, Site, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PlaceId, Span};

/// What the caller knows about the scope a site stands in.
#[derive(Clone, Debug, Default)]
pub struct ScopeInfo {
    /// The site stands at module level: every name is global.
    pub module_level: bool,
    /// The enclosing function's locals, cells and free names.
    pub local_names: HashSet<String>,
    /// The local names that have a value on every path to the site.
    pub bound_names: HashSet<String>,
}

/// Collects the places while a text is read.
#[derive(Default)]
pub(crate) struct PlaceTable {
    places: Arena<PlaceId, Place>,
    known: HashMap<(Option<PlaceId>, String), PlaceId>,
}

impl PlaceTable {
    /// The place of a name, made when it is new; `local` says whether a new one is the function's own.
    pub(crate) fn name(&mut self, name: &str, local: bool) -> PlaceId {
        let scope = if local { Scope::Local } else { Scope::Global };
        self.place(None, name, scope)
    }

    /// The place of an attribute of a place.
    pub(crate) fn attr(&mut self, parent: PlaceId, name: &str) -> PlaceId {
        self.place(Some(parent), name, Scope::Attr)
    }

    fn place(&mut self, parent: Option<PlaceId>, name: &str, scope: Scope) -> PlaceId {
        let places = &mut self.places;
        *self
            .known
            .entry((parent, name.to_owned()))
            .or_insert_with(|| {
                places.push(Place {
                    parent,
                    name: name.to_owned(),
                    scope,
                    captured: false,
                    written: false,
                    item: None,
                })
            })
    }

    /// The finished table, flags unset.
    pub(crate) fn finish(self) -> Arena<PlaceId, Place> {
        self.places
    }
}

/// A set of places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlaceSet(Vec<u64>);

impl PlaceSet {
    /// No place, out of `len`.
    pub(crate) fn empty(len: usize) -> PlaceSet {
        PlaceSet(vec![0; len.div_ceil(64)])
    }
    /// Whether `place` is in the set.
    pub(crate) fn contains(&self, place: PlaceId) -> bool {
        self.0
            .get(place.index() / 64)
            .is_some_and(|word| word >> (place.index() % 64) & 1 == 1)
    }
    /// Puts `place` into the set.
    pub(crate) fn insert(&mut self, place: PlaceId) {
        if let Some(word) = self.0.get_mut(place.index() / 64) {
            *word |= 1 << (place.index() % 64);
        }
    }
    fn intersect(&mut self, other: &PlaceSet) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }
}

/// What is definitely assigned at a point; `None` where no path leads to.
type State = Option<PlaceSet>;

/// The state where two paths meet.
fn meet(a: State, b: State) -> State {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.intersect(&b);
            Some(a)
        }
        (state, None) | (None, state) => state,
    }
}

/// The result of the analysis.
pub(crate) struct Flow {
    /// Places that some path reads before it assigns them, with the first such read in source order.
    pub(crate) reads: HashMap<PlaceId, Span>,
    /// Places assigned on every path from the start of the first iteration of the top loop to its end, its
    /// `break`s and its `return`s.
    pub(crate) definite: PlaceSet,
}

/// Analyses one iteration of a top loop. Its `else` clause is CPython's and not looked at.
pub(crate) fn flow_of_loop(places: &Arena<PlaceId, Place>, top: &Stmt) -> Flow {
    let mut walk = Walk::new(places);
    let start = Some(PlaceSet::empty(places.len()));
    let body = match &top.kind {
        StmtKind::For {
            target, iter, body, ..
        } => {
            walk.read(iter, &start);
            let state = walk.assign(target, start, top.span);
            walk.loop_body(body, state)
        }
        StmtKind::While { test, body, .. } => {
            walk.read(test, &start);
            walk.loop_body(body, start)
        }
        _ => LoopEnds::default(),
    };
    let end = meet(meet(body.end, body.breaks), walk.returns.take());
    Flow {
        reads: walk.reads,
        definite: end.unwrap_or_else(|| PlaceSet::empty(places.len())),
    }
}

/// What a function's body reads before it assigns it, its parameters assigned; in order of the places.
pub(crate) fn function_reads(
    places: &Arena<PlaceId, Place>,
    params: &[PlaceId],
    body: &[Stmt],
) -> Vec<(PlaceId, Span)> {
    let mut walk = Walk::new(places);
    let mut start = PlaceSet::empty(places.len());
    params.iter().for_each(|&param| start.insert(param));
    walk.block(body, Some(start));
    let mut reads: Vec<(PlaceId, Span)> = walk.reads.into_iter().collect();
    reads.sort();
    reads
}

/// How the paths through a loop's body leave it.
#[derive(Default)]
struct LoopEnds {
    /// At the end of the body or by `continue`.
    end: State,
    /// By `break`.
    breaks: State,
}

struct Walk<'a> {
    places: &'a Arena<PlaceId, Place>,
    reads: HashMap<PlaceId, Span>,
    /// The enclosing loops, innermost last.
    loops: Vec<LoopEnds>,
    returns: State,
}

impl Walk<'_> {
    fn new(places: &Arena<PlaceId, Place>) -> Walk<'_> {
        Walk {
            places,
            reads: HashMap::new(),
            loops: Vec::new(),
            returns: None,
        }
    }

    fn block(&mut self, stmts: &[Stmt], mut state: State) -> State {
        for stmt in stmts {
            state = self.stmt(stmt, state);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, state: State) -> State {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => {
                self.read(value, &state);
                targets
                    .iter()
                    .fold(state, |state, target| self.assign(target, state, stmt.span))
            }
            StmtKind::AugAssign { target, value, .. } => {
                if let Target::Place(place) = target {
                    self.read_place(*place, stmt.span, &state);
                }
                self.read(value, &state);
                self.assign(target, state, stmt.span)
            }
            StmtKind::If { test, body, orelse } => {
                self.read(test, &state);
                let then = self.block(body, state.clone());
                let other = self.block(orelse, state);
                meet(then, other)
            }
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                self.read(iter, &state);
                let entered = self.assign(target, state.clone(), stmt.span);
                let ends = self.loop_body(body, entered);
                // No trip at all is possible, so nothing of the body is certain after it.
                let after = self.block(orelse, state);
                meet(after, ends.breaks)
            }
            StmtKind::While { test, body, orelse } => {
                self.read(test, &state);
                let ends = self.loop_body(body, state.clone());
                let after = if always_true(test) {
                    None
                } else {
                    self.block(orelse, state)
                };
                meet(after, ends.breaks)
            }
            StmtKind::Break => {
                if let Some(ends) = self.loops.last_mut() {
                    ends.breaks = meet(ends.breaks.take(), state);
                }
                None
            }
            StmtKind::Continue => {
                if let Some(ends) = self.loops.last_mut() {
                    ends.end = meet(ends.end.take(), state);
                }
                None
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.read(value, &state);
                }
                self.returns = meet(self.returns.take(), state);
                None
            }
            StmtKind::Call(value) => {
                self.read(value, &state);
                state
            }
            StmtKind::Raise => None,
            StmtKind::Pass => state,
        }
    }

    fn loop_body(&mut self, body: &[Stmt], state: State) -> LoopEnds {
        self.loops.push(LoopEnds::default());
        let end = self.block(body, state);
        let ends = self.loops.pop().unwrap_or_default();
        LoopEnds {
            end: meet(end, ends.end),
            breaks: ends.breaks,
        }
    }

    fn assign(&mut self, target: &Target, mut state: State, span: Span) -> State {
        match target {
            Target::Place(place) => {
                // To set an attribute, the object is read.
                if let Some(parent) = self.places.get(*place).and_then(|p| p.parent) {
                    self.read_place(parent, span, &state);
                }
                if let Some(state) = &mut state {
                    state.insert(*place);
                }
                state
            }
            Target::Subscript(base, index) => {
                self.read(base, &state);
                index.iter().for_each(|e| self.read(e, &state));
                state
            }
            Target::Attr(base, _) => {
                self.read(base, &state);
                state
            }
            Target::Tuple(items) => items
                .iter()
                .fold(state, |state, item| self.assign(item, state, span)),
        }
    }

    fn read(&mut self, expr: &Expr, state: &State) {
        walk_expr(expr, &mut |e| {
            if let ExprKind::Place(place) = e.kind {
                self.read_place(place, e.span, state);
            }
        });
    }

    /// A read of `a.b.c` reads `a` and `a.b` too.
    fn read_place(&mut self, place: PlaceId, span: Span, state: &State) {
        // Where no path leads nothing is read.
        let Some(assigned) = state else { return };
        let mut next = Some(place);
        while let Some(place) = next {
            let inner = self.places.get(place).is_some_and(|p| is_inner(&p.name));
            if !assigned.contains(place) && !inner {
                self.reads.entry(place).or_insert(span);
            }
            next = self.places.get(place).and_then(|p| p.parent);
        }
    }
}

/// `while True:` and `while 1:` are left by `break` or `return` alone.
fn always_true(test: &Expr) -> bool {
    matches!(test.kind, ExprKind::Bool(true)) || matches!(test.kind, ExprKind::Int(v) if v != 0)
}

/// The name of a comprehension's own variable, as no Python name is spelled.
pub(crate) fn inner_name(name: &str, number: usize) -> String {
    format!(".{number}.{name}")
}

/// Whether a place is a comprehension's own variable.
pub(crate) fn is_inner(name: &str) -> bool {
    name.starts_with('.')
}

/// Calls `f` on an expression and all below it, parents first.
pub(crate) fn walk_expr<'a>(expr: &'a Expr, f: &mut impl FnMut(&'a Expr)) {
    fn walk<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
        f(expr);
        children(expr, &mut |child| walk(child, f));
    }
    walk(expr, f);
}

/// Calls `f` on the expressions that an expression is made of.
pub(crate) fn children<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Imag(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Ellipsis
        | ExprKind::Str(_)
        | ExprKind::Bytes(_)
        | ExprKind::Place(_) => {}
        ExprKind::Attr(base, _) => f(base),
        ExprKind::Comprehension {
            func,
            element,
            parts,
        } => {
            func.iter().for_each(|e| f(e));
            for part in parts {
                f(&part.iter);
                part.tests.iter().for_each(&mut *f);
            }
            f(element);
        }
        ExprKind::Unary(_, a) | ExprKind::InText(a, _) | ExprKind::IsNone(a) => f(a),
        ExprKind::Binary(_, a, b) | ExprKind::MatMul(a, b) | ExprKind::Is(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Subscript(base, index) => {
            f(base);
            index.iter().for_each(f);
        }
        ExprKind::Call { func, args, kwargs } => {
            f(func);
            args.iter().for_each(&mut *f);
            kwargs.iter().for_each(|(_, e)| f(e));
        }
        ExprKind::And(items)
        | ExprKind::Or(items)
        | ExprKind::Tuple(items)
        | ExprKind::List(items) => {
            items.iter().for_each(f);
        }
        ExprKind::Compare(first, rest) => {
            f(first);
            rest.iter().for_each(|(_, e)| f(e));
        }
        ExprKind::IfExp { test, body, orelse } => {
            f(test);
            f(body);
            f(orelse);
        }
        ExprKind::Slice { start, stop, step } => {
            let parts = [start, stop, step].into_iter().flatten();
            parts.for_each(|e| f(e));
        }
    }
}

/// Calls `f` on every statement of a block and inside it, outer first.
pub(crate) fn walk_stmts<'a>(stmts: &'a [Stmt], f: &mut impl FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        match &stmt.kind {
            StmtKind::If { body, orelse, .. }
            | StmtKind::For { body, orelse, .. }
            | StmtKind::While { body, orelse, .. } => {
                walk_stmts(body, f);
                walk_stmts(orelse, f);
            }
            _ => {}
        }
    }
}

/// Calls `f` on every place that a statement itself assigns (not those of statements inside it).
pub(crate) fn targets_of(stmt: &Stmt, f: &mut impl FnMut(PlaceId)) {
    fn of_target(target: &Target, f: &mut impl FnMut(PlaceId)) {
        match target {
            Target::Place(place) => f(*place),
            Target::Subscript(..) | Target::Attr(..) => {}
            Target::Tuple(items) => items.iter().for_each(|item| of_target(item, f)),
        }
    }
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().for_each(|t| of_target(t, f)),
        StmtKind::AugAssign { target, .. } | StmtKind::For { target, .. } => of_target(target, f),
        _ => {}
    }
}

/// Marks the places that the statements assign, and returns the spans of those assignments to an attribute whose
/// object is not the same throughout: its root, or a place on the way, is in `unstable` or assigned itself.
pub(crate) fn mark_written(
    places: &mut Arena<PlaceId, Place>,
    stmts: &[Stmt],
    unstable: &[PlaceId],
) -> Vec<Span> {
    let mut assigned = Vec::new();
    walk_stmts(stmts, &mut |stmt| {
        targets_of(stmt, &mut |place| assigned.push((place, stmt.span)));
    });
    for &(place, _) in &assigned {
        places[place].written = true;
    }
    assigned.retain(|&(place, _)| !is_stable(places, place, unstable));
    assigned.into_iter().map(|(_, span)| span).collect()
}

/// Whether the object that `place` is an attribute of is the same throughout.
pub(crate) fn is_stable(
    places: &Arena<PlaceId, Place>,
    place: PlaceId,
    unstable: &[PlaceId],
) -> bool {
    let mut next = places.get(place).and_then(|p| p.parent);
    while let Some(place) = next {
        let Some(p) = places.get(place) else {
            return false;
        };
        if p.written || unstable.contains(&place) {
            return false;
        }
        next = p.parent;
    }
    true
}

/// Sets `captured` for a site: what is read before it is assigned, and what may stay unassigned and had a value.
pub(crate) fn mark_captured(site: &mut Site, scope: &ScopeInfo) {
    let flow = flow_of_loop(&site.places, &site.top);
    let ids: Vec<PlaceId> = site.places.ids().collect();
    for id in ids {
        let place = &site.places[id];
        let bound = place.scope != Scope::Local || scope.bound_names.contains(&place.name);
        let kept = place.written && !flow.definite.contains(id) && bound;
        // A local that may have no value cannot be passed; where the site assigns it, it starts without one.
        let read = flow.reads.contains_key(&id) && (bound || !place.written);
        let captured = is_stable(&site.places, id, &[]) && (kept || read);
        site.places[id].captured = captured;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_more_than_one_word() {
        let mut a = PlaceSet::empty(130);
        let mut b = PlaceSet::empty(130);
        for i in [0, 63, 64, 129] {
            a.insert(PlaceId(i));
        }
        b.insert(PlaceId(64));
        b.insert(PlaceId(128));
        let both = meet(Some(a), Some(b)).expect("both are reachable");
        let members: Vec<u32> = (0..130).filter(|&i| both.contains(PlaceId(i))).collect();
        assert_eq!(members, [64]);
    }

    #[test]
    fn a_place_is_made_once() {
        let mut table = PlaceTable::default();
        let a = table.name("a", true);
        let x = table.attr(a, "x");
        assert_eq!((table.name("a", true), table.attr(a, "x")), (a, x));
        assert_ne!(table.name("x", true), x);
        assert_eq!(table.finish().len(), 3);
    }
}
