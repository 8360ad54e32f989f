//! Nest to nest rewritings. Legality is asked in [`crate::legality`]; here is only how.

use crate::legality::Given;
use nestwise_ir::nest::{Access, Cast, Expr, ExprKind, For, LoopDecl, Nest, Stmt, StmtKind};
use nestwise_ir::{AccessId, Arena, ArrayId, CmpOp, LoopId, Ty, VarDecl, VarId};

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

/// The nest with the first loop of a perfect band made its innermost, if that is legal; and, by loop of the new
/// nest, the loop it was.
pub fn move_innermost(given: &Given<'_>, band: &[LoopId]) -> Option<(Nest, Vec<LoopId>)> {
    if band.len() < 2 || band.first() == Some(&LoopId(0)) || !given.may_move_innermost(band) {
        return None;
    }
    let mut nest = given.nest.clone();
    let mut done = false;
    crate::guards::for_each_stmt_mut(&mut nest, &mut |s| {
        if !done && matches!(&s.kind, StmtKind::For(l) if l.id == band[0]) {
            done = rotate(s, band.len());
        }
    });
    let origin = renumber(&mut nest);
    done.then_some((nest, origin))
}

/// Moves the header of the outermost of `depth` perfectly nested loops to the innermost place.
fn rotate(stmt: &mut Stmt, depth: usize) -> bool {
    let mut at = stmt;
    for _ in 1..depth {
        // Swap the headers of this loop and the next, over and over.
        let StmtKind::For(outer) = &mut at.kind else {
            return false;
        };
        let [
            Stmt {
                kind: StmtKind::For(inner),
                ..
            },
        ] = outer.body.as_mut_slice()
        else {
            return false;
        };
        std::mem::swap(&mut outer.id, &mut inner.id);
        std::mem::swap(&mut outer.counter, &mut inner.counter);
        std::mem::swap(&mut outer.start, &mut inner.start);
        std::mem::swap(&mut outer.stop, &mut inner.stop);
        std::mem::swap(&mut outer.step, &mut inner.step);
        let span = at.span;
        let StmtKind::For(outer) = &mut at.kind else {
            return false;
        };
        let Some(next) = outer.body.first_mut() else {
            return false;
        };
        let inner_span = std::mem::replace(&mut next.span, span);
        at.span = inner_span;
        let StmtKind::For(outer) = &mut at.kind else {
            return false;
        };
        let Some(next) = outer.body.first_mut() else {
            return false;
        };
        at = next;
    }
    true
}

/// Numbers loops in source order again and recomputes their depths and parents. The result: by new number, the
/// loop it was.
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
    nest.needs_trip.iter_mut().for_each(rename);
    found.into_iter().map(|f| f.0).collect()
}

/// Loops in source order with the loop and the number of loops around them.
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

/// The nest with `Let`s before an inner loop moved into it, where that makes a perfect band.
pub fn sink(given: &Given<'_>) -> Option<Nest> {
    let mut todo: Vec<LoopId> = vec![];
    given.nest.walk(&mut |s| {
        if let StmtKind::For(l) = &s.kind
            && given.may_sink(l)
        {
            todo.push(l.id);
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    for id in todo {
        with_for_mut(&mut nest, id, &mut |l| {
            let Some(mut last) = l.body.pop() else { return };
            if let StmtKind::For(inner) = &mut last.kind {
                let lets = std::mem::take(&mut l.body);
                inner.body.splice(0..0, lets);
            }
            l.body.push(last);
        });
    }
    Some(nest)
}

/// The nest with every element that an innermost loop keeps storing held in a variable over that loop, if there
/// is one that may be. `nonempty` has a bit for each loop known to run whenever it is entered.
pub fn promote(given: &Given<'_>, nonempty: u64) -> Option<Nest> {
    let mut todo: Vec<(LoopId, ArrayId)> = vec![];
    given.nest.walk(&mut |s| {
        let StmtKind::For(l) = &s.kind else { return };
        // The top loop has to stay the top statement.
        let innermost = l.id != LoopId(0)
            && !crate::structure::any(&l.body, &mut |s| {
                matches!(s.kind, StmtKind::For(_) | StmtKind::While(_))
            });
        for s in l.body.iter().filter(|_| innermost) {
            if let StmtKind::Store { array, .. } = s.kind
                && !todo.contains(&(l.id, array))
                && given.may_promote(l, array)
            {
                todo.push((l.id, array));
            }
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    for (id, array) in todo {
        let runs = id.index() < 64 && nonempty >> id.index() & 1 == 1;
        promote_one(&mut nest, id, array, runs);
    }
    compact(&mut nest);
    Some(nest)
}

fn promote_one(nest: &mut Nest, id: LoopId, array: ArrayId, runs: bool) {
    let Some(decl) = nest.arrays.get(array) else {
        return;
    };
    let elem = decl.elem;
    let hidden = VarDecl {
        name: String::new(),
        ty: elem,
        live_in: None,
        range: None,
        np_tag: None,
    };
    let var = nest.vars.push(hidden);
    // A load that stands before the loop needs an access of its own where the loop only stores.
    let fresh = nest.accesses.push(Access {
        array,
        store: false,
        span: Default::default(),
    });
    let home = Home {
        array,
        var,
        elem,
        load: fresh,
    };
    splice_for(std::slice::from_mut(&mut nest.top), id, &mut |s| {
        home.around(s, runs)
    });
}

/// Puts what `new` makes of the `for` with this id in its place, anywhere below `block`.
fn splice_for(block: &mut [Stmt], id: LoopId, new: &mut impl FnMut(Stmt) -> Vec<Stmt>) -> bool {
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

/// Where a promoted element is kept.
struct Home {
    array: ArrayId,
    var: VarId,
    elem: Ty,
    /// The access of the load before the loop.
    load: AccessId,
}

impl Home {
    /// `for ...: A[i] = f(A[i])` to `t = A[i]; for ...: t = f(t); A[i] = t`, all of it under `if start < stop` unless
    /// the loop is known to run: without an iteration there may be no such element. The condition is left out where
    /// it can be, since what is assigned under one counts as perhaps not assigned.
    fn around(&self, mut s: Stmt, runs: bool) -> Vec<Stmt> {
        let span = s.span;
        let StmtKind::For(l) = &mut s.kind else {
            return vec![s];
        };
        let mut found: Option<(AccessId, Vec<Expr>)> = None;
        let mut loaded = false;
        for stmt in &mut l.body {
            replace_in(stmt, self, &mut found, &mut loaded);
        }
        let Some((store, index)) = found else {
            return vec![s];
        };
        let some = has_iterations(l, span);
        let make = |kind| Stmt { kind, span };
        let expr = |kind, ty| Expr { kind, ty, span };
        let (array, var, elem) = (self.array, self.var, self.elem);
        let mut all = vec![];
        if loaded {
            let load = ExprKind::Load {
                access: self.load,
                array,
                index: index.clone(),
                guard: false,
            };
            let value = expr(load, elem);
            all.push(make(StmtKind::Let { var, value }));
        }
        all.push(s);
        all.push(make(StmtKind::Store {
            access: store,
            array,
            index,
            value: expr(ExprKind::Var(var), elem),
            guard: false,
        }));
        if runs {
            return all;
        }
        vec![make(StmtKind::If {
            cond: some,
            then: all,
            orelse: vec![],
        })]
    }
}

/// Whether a loop with a constant step runs at all.
fn has_iterations(l: &For, span: nestwise_ir::Span) -> Expr {
    let up = l.step.as_int().is_none_or(|v| v > 0);
    let op = if up { CmpOp::Lt } else { CmpOp::Gt };
    let (a, b) = (Box::new(l.start.clone()), Box::new(l.stop.clone()));
    Expr {
        kind: ExprKind::Compare { op, a, b },
        ty: Ty::PY_BOOL,
        span,
    }
}

fn replace_in(
    s: &mut Stmt,
    to: &Home,
    home: &mut Option<(AccessId, Vec<Expr>)>,
    loaded: &mut bool,
) {
    let (array, var, elem) = (to.array, to.var, to.elem);
    for e in s.exprs_mut() {
        replace_loads(e, array, var, loaded);
    }
    if let StmtKind::Store {
        access,
        array: a,
        index,
        value,
        ..
    } = &mut s.kind
        && *a == array
    {
        let span = value.span;
        let value = std::mem::replace(value, Expr::int(0, span));
        let value = if value.ty == elem {
            value
        } else {
            // One representation, another provenance: nothing is computed.
            let kind = ExprKind::Cast {
                kind: Cast::Value,
                a: Box::new(value),
                guard: false,
            };
            Expr {
                kind,
                ty: elem,
                span,
            }
        };
        if home.is_none() {
            *home = Some((*access, std::mem::take(index)));
        }
        s.kind = StmtKind::Let { var, value };
    }
    for b in s.blocks_mut() {
        for s in b {
            replace_in(s, to, home, loaded);
        }
    }
}

fn replace_loads(e: &mut Expr, array: ArrayId, var: VarId, loaded: &mut bool) {
    if let ExprKind::Load { array: a, .. } = &e.kind
        && *a == array
    {
        *loaded = true;
        e.kind = ExprKind::Var(var);
        return;
    }
    for c in e.children_mut() {
        replace_loads(c, array, var, loaded);
    }
}

/// Renumbers accesses so that each one declared stands somewhere.
pub fn compact(nest: &mut Nest) {
    let old = std::mem::take(&mut nest.accesses);
    let mut new: Arena<AccessId, Access> = Arena::new();
    let mut map: Vec<Option<AccessId>> = vec![None; old.len()];
    let mut rename = |id: &mut AccessId| {
        let Some(access) = old.get(*id) else { return };
        let slot = &mut map[id.index()];
        *id = *slot.get_or_insert_with(|| new.push(access.clone()));
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
}

fn each_load(e: &mut Expr, f: &mut impl FnMut(&mut AccessId)) {
    if let ExprKind::Load { access, .. } = &mut e.kind {
        f(access);
    }
    for c in e.children_mut() {
        each_load(c, f);
    }
}
