//! Values that stay or change together.
//!
//! A variable that holds a Python number at first and NumPy's later, as in `worst = max(worst, abs(d))`, is kept with a
//! tag that tells which it holds. Variable and tag are set by one condition, which is kept in a variable first, since
//! it reads what is assigned:
//!
//! ```text
//! c = d > worst
//! worst = d if c else worst
//! tag = True if c else tag
//! ```
//!
//! The three statements mean `if d > worst: worst, tag = d, True`, and are rewritten so: then later analyses see the
//! maximum.

use std::collections::HashMap;

use nestwise_ir::VarId;
use nestwise_ir::model::nest::{Expr, ExprKind, LiveOut, Nest, Stmt, StmtKind};

use crate::lowering::build;
use crate::refusal::R;

/// Rewrites joint assignments by one condition everywhere in a nest.
pub(crate) fn set_together(nest: &mut Nest) -> R<()> {
    let mut reads = HashMap::new();
    let mut count = |s: &Stmt| {
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Var(v) = e.kind {
                    *reads.entry(v).or_insert(0) += 1;
                }
            });
        }
    };
    nest.prologue.iter().for_each(&mut count);
    nest.top.walk(&mut count);
    // What is read elsewhere, or after the nest, stays a variable.
    let only_read: HashMap<VarId, usize> = reads
        .into_iter()
        .filter(|(v, _)| !outlives(nest, *v))
        .collect();
    rewrite(&mut nest.top, &only_read);
    Ok(())
}

fn rewrite(s: &mut Stmt, only_read: &HashMap<VarId, usize>) {
    for block in s.blocks_mut() {
        let mut at = 0;
        while at < block.len() {
            if let Some((cond, count)) = kept(&block[at..], only_read) {
                let span = block[at].span;
                let then = block.drain(at..=at + count).skip(1).map(changed).collect();
                let orelse = vec![];
                let kind = StmtKind::If { cond, then, orelse };
                block.insert(at, Stmt { kind, span });
            }
            at += 1;
        }
        block.iter_mut().for_each(|s| rewrite(s, only_read));
    }
}

/// The condition and the number of assignments by it, if the block begins with a condition that is kept in a variable
/// and such assignments.
fn kept(block: &[Stmt], only_read: &HashMap<VarId, usize>) -> Option<(Expr, usize)> {
    let (first, rest) = block.split_first()?;
    let StmtKind::Let { var, value } = &first.kind else {
        return None;
    };
    let by_it = |s: &&Stmt| match &s.kind {
        StmtKind::Let { var: v, value } => match &value.kind {
            ExprKind::Select { cond, then, orelse } => {
                let is = |e: &Expr, v: VarId| matches!(e.kind, ExprKind::Var(x) if x == v);
                is(cond, *var) && is(orelse, *v) && v != var && build::is_atom(then)
            }
            _ => false,
        },
        _ => false,
    };
    let count = rest.iter().take_while(by_it).count();
    let compared = matches!(value.kind, ExprKind::Compare { .. });
    (count > 1 && compared && only_read.get(var) == Some(&count)).then(|| (value.clone(), count))
}

/// The assignment in the case that the condition holds.
fn changed(s: Stmt) -> Stmt {
    let span = s.span;
    let kind = match s.kind {
        StmtKind::Let { var, value } => StmtKind::Let {
            var,
            value: match value.kind {
                ExprKind::Select { then, .. } => *then,
                _ => value,
            },
        },
        other => other,
    };
    Stmt { kind, span }
}

/// Whether a variable of the nest is used after it.
fn outlives(nest: &Nest, v: VarId) -> bool {
    let is_tag = nest.vars.values().any(|decl| decl.np_tag == Some(v));
    let out = |out: &LiveOut| out.assigned == Some(v) || out.kind.vars().contains(&v);
    let returned = nest.returns.as_ref().is_some_and(|r| r.vars.contains(&v));
    is_tag || returned || nest.live_outs.iter().any(out)
}
