//! Sums of floats in a vector loop, in the order of its iterations: the terms are computed by lanes, then taken out
//! and added one after the other, as the serial loop adds them.
//!
//! What a lane that is not active would add is replaced by the value that changes nothing, bits and
//! floating-point flags included: -0.0 to add, 0.0 to subtract, 1.0 to multiply by.

use std::collections::{HashMap, HashSet};

use nestwise_ir::model::nest::BinOp;
use nestwise_ir::{Expr, ExprKind, For, Nest, Stmt, StmtKind, VarId};

use crate::error::{Result, invalid};
use crate::lower::emitter::Emitter;
use crate::lower::reads::reads_in;
use crate::lower::scalar::flag_values;
use crate::lower::scalar::float;
use crate::lower::value::Val;

/// An update `v = v op term` or `v = term op v`.
struct Update<'e> {
    op: BinOp,
    term: &'e Expr,
    /// `v` stands on the left.
    left: bool,
}

impl<'e> Update<'e> {
    fn of(var: VarId, value: &'e Expr) -> Option<Update<'e>> {
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
pub(crate) fn ordered(nest: &Nest, l: &For) -> HashSet<VarId> {
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

fn collect(
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

/// Whether `var` is a sum kept in order by the open vector loop.
pub(crate) fn is_ordered_sum(em: &Emitter<'_, '_>, var: VarId) -> bool {
    em.lanes
        .open
        .as_ref()
        .is_some_and(|l| l.facts.ordered.contains(&var))
}

/// `var = value` for the active lanes, first to last.
pub(crate) fn ordered_sum(em: &mut Emitter<'_, '_>, var: VarId, value: &Expr) -> Result<()> {
    let Some(update) = Update::of(var, value) else {
        return invalid(format!("{var} is no sum"));
    };
    let term = em.expr(update.term)?;
    let mut term = em.lanes.widen(term).a;
    let repr = em.unit.repr(var)?;
    if let Some(mask) = em.lanes.mask() {
        let nothing = match update.op {
            BinOp::Add => -0.0,
            BinOp::Sub => 0.0,
            _ => 1.0,
        };
        let nothing = em.lanes.const_float(repr, nothing, true);
        // LLVM must not see that the other lanes are dropped: it would undo what keeps them from raising flags.
        let kept = float::kept(em, term, true);
        term = em.ir.select(mask.a, kept, nothing);
    }
    let home = em.vars.home(&em.lanes, var, false)?;
    let mut sum = home.load(em.ir).a;
    let ir = em.ir;
    for lane in 0..i64::from(em.lanes.count()) {
        let x = ir.extract(term, ir.const_i64(lane));
        let (a, b) = if update.left { (sum, x) } else { (x, sum) };
        sum = match update.op {
            BinOp::Add => ir.fadd(a, b),
            BinOp::Sub => ir.fsub(a, b),
            _ => ir.fmul(a, b),
        };
    }
    home.store(em.ir, Val::one(sum));
    if em.unit.idle.assigns(var, value) {
        flag_values::keep(em, Val::one(sum), repr);
    }
    Ok(())
}
