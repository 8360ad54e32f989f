//! Definite assignment: finds what is certainly assigned at a point of one iteration, and what is read before it is
//! assigned.
//!
//! The text alone decides what is captured, before any type is known and any call is inlined; so this is an analysis of
//! its own beside the reaching definitions of [`crate::lowering::types::live_ranges`], which ask of the resolved nest
//! which of several assignments a read may see.

use std::collections::HashMap;

use nestwise_ir::surface::{AccessPath, Expr, ExprKind, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PathId, Span};

use crate::site::{inner_names, walk};

/// A set of access paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PathSet(Vec<u64>);

impl PathSet {
    /// The empty set, with room for `len` access paths.
    pub(crate) fn empty(len: usize) -> PathSet {
        PathSet(vec![0; len.div_ceil(64)])
    }
    /// Whether `path` is in the set.
    pub(crate) fn contains(&self, path: PathId) -> bool {
        self.0
            .get(path.index() / 64)
            .is_some_and(|word| word >> (path.index() % 64) & 1 == 1)
    }
    /// Puts `path` into the set.
    pub(crate) fn insert(&mut self, path: PathId) {
        if let Some(word) = self.0.get_mut(path.index() / 64) {
            *word |= 1 << (path.index() % 64);
        }
    }
    fn intersect(&mut self, other: &PathSet) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }
}

/// The access paths that are definitely assigned at a point; `None` where no path leads to the point.
pub(crate) type State = Option<PathSet>;

/// The state where two paths meet.
pub(crate) fn meet(a: State, b: State) -> State {
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
    /// Access paths that some path reads before it assigns them, with the first such read in source order.
    pub(crate) reads: HashMap<PathId, Span>,
    /// Access paths assigned on every path from the start of the first iteration of the top loop to its end, its
    /// `break`s and its `return`s.
    pub(crate) definite: PathSet,
}

/// Analyses one iteration of a top loop. Its `else` clause is CPython's and not looked at.
pub(crate) fn flow_of_loop(paths: &Arena<PathId, AccessPath>, top: &Stmt) -> Flow {
    let mut walk = Walk::new(paths);
    let start = Some(PathSet::empty(paths.len()));
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
        definite: end.unwrap_or_else(|| PathSet::empty(paths.len())),
    }
}

/// The access paths that a function's body reads before it assigns them, with the parameters assigned; in order of the
/// access paths.
pub(crate) fn function_reads(
    paths: &Arena<PathId, AccessPath>,
    params: &[PathId],
    body: &[Stmt],
) -> Vec<(PathId, Span)> {
    let mut walk = Walk::new(paths);
    let mut start = PathSet::empty(paths.len());
    params.iter().for_each(|&param| start.insert(param));
    walk.block(body, Some(start));
    let mut reads: Vec<(PathId, Span)> = walk.reads.into_iter().collect();
    reads.sort();
    reads
}

/// The states in which paths through a loop's body leave it.
#[derive(Default)]
pub(crate) struct LoopEnds {
    /// The state at the end of the body or at a `continue`.
    end: State,
    /// The state at a `break`.
    breaks: State,
}

/// The walk along the paths of one iteration.
pub(crate) struct Walk<'a> {
    paths: &'a Arena<PathId, AccessPath>,
    reads: HashMap<PathId, Span>,
    /// The enclosing loops, innermost last.
    loops: Vec<LoopEnds>,
    returns: State,
}

impl Walk<'_> {
    fn new(paths: &Arena<PathId, AccessPath>) -> Walk<'_> {
        Walk {
            paths,
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
                if let Target::Path(path) = target {
                    self.read_path(*path, stmt.span, &state);
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
            Target::Path(path) => {
                // To set an attribute, the object is read.
                if let Some(parent) = self.paths.get(*path).and_then(|p| p.parent) {
                    self.read_path(parent, span, &state);
                }
                if let Some(state) = &mut state {
                    state.insert(*path);
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
        walk::walk_expr(expr, &mut |e| {
            if let ExprKind::Path(path) = e.kind {
                self.read_path(path, e.span, state);
            }
        });
    }

    /// Notes a read of an access path and of its parents: a read of `a.b.c` reads `a` and `a.b` too.
    fn read_path(&mut self, path: PathId, span: Span, state: &State) {
        // Where no path leads nothing is read.
        let Some(assigned) = state else { return };
        let mut next = Some(path);
        while let Some(path) = next {
            let inner = self
                .paths
                .get(path)
                .is_some_and(|p| inner_names::is_inner(&p.name));
            if !assigned.contains(path) && !inner {
                self.reads.entry(path).or_insert(span);
            }
            next = self.paths.get(path).and_then(|p| p.parent);
        }
    }
}

/// Whether the condition of a `while` is always true, so that the loop is left by `break` or `return` alone.
fn always_true(test: &Expr) -> bool {
    matches!(test.kind, ExprKind::Bool(true)) || matches!(test.kind, ExprKind::Int(v) if v != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_more_than_one_word() {
        let mut a = PathSet::empty(130);
        let mut b = PathSet::empty(130);
        for i in [0, 63, 64, 129] {
            a.insert(PathId(i));
        }
        b.insert(PathId(64));
        b.insert(PathId(128));
        let both = meet(Some(a), Some(b)).expect("both are reachable");
        let members: Vec<u32> = (0..130).filter(|&i| both.contains(PathId(i))).collect();
        assert_eq!(members, [64]);
    }
}
