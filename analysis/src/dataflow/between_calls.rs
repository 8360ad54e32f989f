//! What a nest carries from one call of its kernel to the next, and what it hands over to CPython between two
//! iterations of its top loop.

use std::collections::HashSet;

use nestwise_ir::{Const, Expr, ExprKind, IdSet, Nest, Stmt, StmtKind, VarId};

use crate::dataflow::definite_assignment::{self, Vars};
use crate::structure;

/// The variables whose value leaves the nest: live-outs, their flags, tags and views' indices, return values.
pub fn results(nest: &Nest) -> Vec<VarId> {
    let mut found: Vec<VarId> = Vec::new();
    for out in &nest.live_outs {
        found.extend(out.kind.vars());
        found.extend(out.assigned);
    }
    found.extend(nest.returns.iter().flat_map(|r| &r.vars));
    let tags: Vec<VarId> = found
        .iter()
        .filter_map(|v| nest.vars.get(*v).and_then(|d| d.np_tag))
        .collect();
    found.extend(tags);
    found.sort();
    found.dedup();
    found
}

/// Whether what is evaluated before the first iteration must not be evaluated again in later calls: it reads a
/// variable that the nest assigns.
pub fn first_call_only(nest: &Nest) -> bool {
    let body = top_flow(nest);
    let mut variant = false;
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                variant |= body.assigned.contains(&v);
            }
        });
    };
    for s in &nest.prologue {
        s.exprs().for_each(&mut look);
    }
    if let StmtKind::For(l) = &nest.top.kind {
        look(&l.start);
        look(&l.step);
    }
    variant
}

/// What one iteration of the top loop does to variables.
pub fn top_flow(nest: &Nest) -> definite_assignment::Flow {
    match &nest.top.kind {
        StmtKind::For(l) => {
            let mut flow = definite_assignment::flow(&[], &l.body, Some(l.id), IdSet::new());
            flow.exposed.remove(&l.counter);
            nest.whole.map(|end| flow.exposed.remove(&end));
            flow
        }
        StmtKind::While(l) => {
            definite_assignment::flow(&[&l.cond], &l.body, Some(l.id), IdSet::new())
        }
        _ => definite_assignment::Flow::default(),
    }
}

/// Whether the first iteration fails before its end, whatever the values are: it checks a flag that is false at entry (no
/// live-in, as flags of names are that have no value then) before anything assigns it.
fn fails_at_once(nest: &Nest) -> bool {
    let body = match &nest.top.kind {
        StmtKind::For(l) => &l.body,
        StmtKind::While(l) => &l.body,
        _ => return false,
    };
    let mut assigned = structure::assigned(&nest.prologue);
    for stmt in body {
        if let StmtKind::Check { cond, guard: true } = &stmt.kind
            && let ExprKind::Var(flag) = cond.kind
            && nest.vars[flag].live_in.is_none()
            && !assigned.contains(&flag)
        {
            return true;
        }
        if structure::escapes(std::slice::from_ref(stmt), None) {
            return false;
        }
        structure::for_each_assigned(stmt, &mut |v| assigned.push(v));
    }
    false
}

/// Adds the variables that a block assigns, except where a guard fails behind that whatever the values are: such an
/// iteration is undone.
fn reach_the_end(block: &[Stmt], kept: &mut Vars) {
    let fails = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Check { cond, guard: true } => {
            matches!(cond.kind, ExprKind::Const(Const::Bool(false)))
        }
        _ => false,
    };
    if block.iter().any(fails) {
        return;
    }
    for stmt in block {
        match &stmt.kind {
            StmtKind::If { cond, then, orelse } => {
                structure::for_each_bound(cond, &mut |v| _ = kept.insert(v));
                reach_the_end(then, kept);
                reach_the_end(orelse, kept);
            }
            _ => structure::for_each_assigned(stmt, &mut |v| _ = kept.insert(v)),
        }
    }
}

/// A name that the top loop carries from one iteration to the next, and that the nest does not hand over: CPython,
/// which may go on between any two iterations, would find what the name held before the loop.
fn carried_and_kept(nest: &Nest) -> Option<VarId> {
    if fails_at_once(nest) {
        return None;
    }
    let top = top_flow(nest);
    // A name may be handed over from several variables, of a type each.
    let handed: HashSet<&str> = results(nest)
        .into_iter()
        .filter_map(|v| nest.vars.get(v).map(|v| v.name.as_str()))
        .collect();
    let mut kept = Vars::new();
    match &nest.top.kind {
        StmtKind::For(l) => reach_the_end(&l.body, &mut kept),
        StmtKind::While(l) => reach_the_end(&l.body, &mut kept),
        _ => {}
    }
    let mut carried = top.exposed.intersection(&kept).copied();
    carried.find(|v| {
        let var = &nest.vars[*v];
        // A hidden one is none of the program's.
        let named = !var.name.is_empty();
        named && var.live_in.is_some() && !handed.contains(var.name.as_str())
    })
}

/// Variables to load at entry and to store at exit, so that consecutive calls continue each other.
pub fn frame_vars(nest: &Nest) -> (Vars, Vars) {
    let top = top_flow(nest);
    let prologue = definite_assignment::flow(&[], &nest.prologue, None, IdSet::new());
    let results: Vars = results(nest).into_iter().collect();
    // Read before assigned in an iteration: comes from the frame (or the prologue), and is carried on if assigned.
    // Whatever reaches a result without being assigned in this call has to come from the frame as well.
    let mut input: Vars = top.exposed.union(&results).copied().collect();
    input.extend(&prologue.exposed);
    if let StmtKind::For(l) = &nest.top.kind {
        for e in [&l.start, &l.step] {
            e.walk(&mut |e| {
                if let ExprKind::Var(v) = e.kind {
                    input.insert(v);
                }
            });
        }
    }
    let mut assigned: Vars = top.assigned.union(&prologue.assigned).copied().collect();
    assigned.retain(|v| {
        top.exposed.contains(v) && top.assigned.contains(v)
            || results.contains(v)
            || first_call_only(nest) && prologue.assigned.contains(v)
    });
    (input, assigned)
}

/// Whether CPython can go on between any two iterations of the top loop: every name that it reads there, and that an
/// iteration assigns after it has read it, is a live-out. The error names one that is not.
pub fn hands_over(nest: &Nest) -> Result<(), String> {
    match carried_and_kept(nest) {
        Some(var) => Err(format!(
            "{} is carried from one iteration to the next, and not handed over",
            nest.vars[var].name
        )),
        None => Ok(()),
    }
}
