//! Rewritten nests, whose loops differ from those of the nest they were made from, and how one is put together.

use nestwise_ir::model::nest::{Access, Expr, ExprKind, For, LoopDecl, Nest, Stmt, StmtKind};
use nestwise_ir::verifier::verify_after;
use nestwise_ir::{AccessId, Arena, IdSet, LoopId};

/// A nest whose loops differ from those of the nest it was made from.
pub struct Rewritten {
    /// The nest.
    pub nest: Nest,
    /// By loop: the loop of the old nest that it was, or was made from.
    pub origin: Vec<LoopId>,
    /// The loops that are known to run at least once whenever they are entered.
    pub nonempty: IdSet<LoopId>,
}

impl Rewritten {
    /// Numbers the loops of a nest in the order of its text. `nonempty` has the loops known to run, by their numbers so
    /// far; `made`, for each loop behind those of the old nest: the loop it was made from, and whether it is known to
    /// run.
    ///
    /// # Panics
    /// In debug builds, if `pass` broke a rule of the verifier.
    pub(super) fn of(
        pass: &str,
        mut nest: Nest,
        nonempty: IdSet<LoopId>,
        made: &[(LoopId, bool)],
    ) -> Rewritten {
        let first = nest.loops.len() - made.len();
        let was = |id: LoopId| id.index().checked_sub(first).and_then(|k| made.get(k));
        let found = renumber(&mut nest);
        verify_after(pass, &nest);
        let runs = |id: LoopId| match was(id) {
            Some((_, runs)) => *runs,
            None => nonempty.contains(id),
        };
        let numbered = (0..).map(LoopId).zip(&found);
        Rewritten {
            nonempty: numbered
                .filter(|(_, was)| runs(**was))
                .map(|(id, _)| id)
                .collect(),
            origin: found
                .iter()
                .map(|id| was(*id).map_or(*id, |m| m.0))
                .collect(),
            nest,
        }
    }
}

/// Calls `f` on the `for` with this id, if the nest has it.
pub fn with_for_mut(nest: &mut Nest, id: LoopId, f: &mut dyn FnMut(&mut For)) {
    crate::guards::for_each_stmt_mut(nest, &mut |s| {
        if let StmtKind::For(l) = &mut s.kind
            && l.id == id
        {
            f(l);
        }
    });
}

/// Replaces the `for` with this id, anywhere below `block`, by what `new` makes of it. Returns whether it was found.
pub(super) fn splice_for(
    block: &mut [Stmt],
    id: LoopId,
    new: &mut impl FnMut(Stmt) -> Vec<Stmt>,
) -> bool {
    let is_it = |s: &Stmt| matches!(&s.kind, StmtKind::For(l) if l.id == id);
    block.iter_mut().flat_map(Stmt::blocks_mut).any(|inner| {
        let Some(at) = inner.iter().position(is_it) else {
            return splice_for(inner, id, new);
        };
        let old = inner.remove(at);
        inner.splice(at..at, new(old));
        true
    })
}

/// Numbers loops in source order again and recomputes their depths and parents. Returns, by new number, the old number.
fn renumber(nest: &mut Nest) -> Vec<LoopId> {
    let mut found = vec![];
    outline(std::slice::from_ref(&nest.top), None, 0, &mut found);
    let mut new_id: Vec<Option<LoopId>> = vec![None; nest.loops.len()];
    let mut loops = Arena::new();
    for (id, parent, depth) in &found {
        let Some(old) = nest.loops.get(*id) else {
            continue;
        };
        let parent = parent.and_then(|p| new_id.get(p.index()).copied().flatten());
        let id_now = loops.push(LoopDecl {
            parent,
            depth: *depth,
            ..old.clone()
        });
        new_id[id.index()] = Some(id_now);
    }
    nest.loops = loops;
    let rename = |id: &mut LoopId| {
        *id = new_id.get(id.index()).copied().flatten().unwrap_or(*id);
    };
    crate::guards::for_each_stmt_mut(nest, &mut |s| match &mut s.kind {
        StmtKind::For(l) => rename(&mut l.id),
        StmtKind::While(l) => rename(&mut l.id),
        StmtKind::Break(id) | StmtKind::Continue(id) => rename(id),
        _ => {}
    });
    found.into_iter().map(|f| f.0).collect()
}

/// Adds the loops in source order, each with the loop and the number of loops around it.
fn outline(
    block: &[Stmt],
    parent: Option<LoopId>,
    depth: u32,
    out: &mut Vec<(LoopId, Option<LoopId>, u32)>,
) {
    for s in block {
        let (mut inner, mut d) = (parent, depth);
        let id = match &s.kind {
            StmtKind::For(l) => Some(l.id),
            StmtKind::While(l) => Some(l.id),
            _ => None,
        };
        if let Some(id) = id {
            out.push((id, parent, depth));
            (inner, d) = (Some(id), depth + 1);
        }
        for b in s.blocks() {
            outline(b, inner, d, out);
        }
    }
}

/// Renumbers accesses so that every declared access occurs exactly once in the nest: unused ones are dropped, and
/// repeated ones get numbers of their own. Clears the flags of slots that are no longer read or written.
pub fn compact(nest: &mut Nest) {
    let old = std::mem::take(&mut nest.accesses);
    let mut new: Arena<AccessId, Access> = Arena::new();
    let mut rename = |id: &mut AccessId| {
        if let Some(access) = old.get(*id) {
            *id = new.push(access.clone());
        }
    };
    crate::guards::for_each_stmt_mut(nest, &mut |s| {
        if let StmtKind::Store { access, .. } = &mut s.kind {
            rename(access);
        }
        for e in s.exprs_mut() {
            each_load(e, &mut rename);
        }
    });
    nest.accesses = new;
    // What a slot does may have changed with its accesses.
    let (mut read, mut written) = (vec![], vec![]);
    for a in nest.accesses.values() {
        if a.store { &mut written } else { &mut read }.push(a.array);
    }
    for id in nest.arrays.ids().collect::<Vec<_>>() {
        nest.arrays[id].read &= read.contains(&id);
        nest.arrays[id].written &= written.contains(&id);
    }
    nest.spread_accesses();
}

fn each_load(e: &mut Expr, f: &mut impl FnMut(&mut AccessId)) {
    if let ExprKind::Load { access, .. } = &mut e.kind {
        f(access);
    }
    for c in e.children_mut() {
        each_load(c, f);
    }
}
