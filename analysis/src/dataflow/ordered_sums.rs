//! Which variables of a vector loop are sums that are to be added up in order.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Expr, ExprKind, For, Nest, Stmt, StmtKind, VarId};

use crate::dataflow::reads::reads_in;

/// An update `v = v op term` or `v = term op v`.
pub struct Update<'e> {
    /// The operation.
    pub op: BinOp,
    /// The other operand.
    pub term: &'e Expr,
    /// Whether `v` is the left operand.
    pub left: bool,
}

impl<'e> Update<'e> {
    /// The update of `var` that a value is, if it is one.
    pub fn of(var: VarId, value: &'e Expr) -> Option<Update<'e>> {
        let ExprKind::Binary {
            op,
            a,
            b,
            guard: false,
        } = &value.kind
        else {
            return None;
        };
        let is_var = |e: &Expr| matches!(e.kind, ExprKind::Var(x) if x == var);
        let (term, left) = match (is_var(a), is_var(b)) {
            (true, false) => (&**b, true),
            (false, true) => (&**a, false),
            _ => return None,
        };
        let fits = match op {
            BinOp::Add | BinOp::Mul => true,
            BinOp::Sub => left,
            _ => false,
        };
        fits.then_some(Update {
            op: *op,
            term,
            left,
        })
    }
}

/// The float variables that the loop's iterations do nothing with but update, each in one place, not in a loop
/// inside: there the order of the updates would not be that of the iterations.
pub fn ordered(nest: &Nest, l: &For) -> HashSet<VarId> {
    let mut updates: HashMap<VarId, u32> = HashMap::new();
    let mut spoiled: HashSet<VarId> = HashSet::new();
    collect(&l.body, false, &mut updates, &mut spoiled);
    let reads = reads_in(&l.body);
    let float = |v: &VarId| nest.vars.get(*v).is_some_and(|d| d.ty.repr.is_float());
    updates
        .into_iter()
        .filter(|(v, n)| *n == 1 && !spoiled.contains(v) && reads.get(v) == Some(&1) && float(v))
        .map(|(v, _)| v)
        .collect()
}

/// Counts the updates of each variable in a block, and collects the variables that are assigned otherwise.
pub fn collect(
    block: &[Stmt],
    inside: bool,
    updates: &mut HashMap<VarId, u32>,
    spoiled: &mut HashSet<VarId>,
) {
    for s in block {
        if let StmtKind::Let { var, value } = &s.kind {
            match Update::of(*var, value) {
                Some(_) if !inside => *updates.entry(*var).or_insert(0) += 1,
                _ => {
                    spoiled.insert(*var);
                }
            }
        }
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Bind { var, .. } = e.kind {
                    spoiled.insert(var);
                }
            });
        }
        let inside = inside || matches!(s.kind, StmtKind::For(_) | StmtKind::While(_));
        for b in s.blocks() {
            collect(b, inside, updates, spoiled);
        }
    }
}
