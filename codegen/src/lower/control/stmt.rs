//! Statements and the whole nest.

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::definite_assignment::Target;
use nestwise_ir::{ArrayId, Expr, ScopeId, Stmt, StmtKind};

use crate::abi::{GuardFailure, Status};
use crate::error::{Result, invalid};
use crate::llvm::{Ir, V};
use crate::lower::accumulations;
use crate::lower::control::exits::Jump;
use crate::lower::control::{guards, loops};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::single_thread;
use crate::lower::memory::elements;
use crate::lower::memory::slots::Cell;
use crate::lower::scalar::{expr, flag_values};
use crate::lower::vector::{extremes, masks, ordered_sums, unroll_and_jam};

fn rebind(em: &Emitter<'_, '_>, pairs: &[(ArrayId, ArrayId)]) -> Result<()> {
    if !em.goes_through_nest() || em.lanes.open.is_some() {
        return invalid("a rebinding in a parallel loop");
    }
    let mut old: Vec<Vec<V>> = Vec::new();
    for (_, src) in pairs {
        old.push(
            em.slots
                .get(*src)?
                .cells()
                .into_iter()
                .map(|c| c.get(em.ir))
                .collect(),
        );
    }
    for ((dst, _), values) in pairs.iter().zip(old) {
        for (cell, v) in em.slots.get(*dst)?.cells().into_iter().zip(values) {
            match cell {
                Cell::Memory(home, _) => em.ir.store(v, home),
                Cell::Value(_) => return invalid(format!("{dst} cannot be rebound here")),
            };
        }
    }
    Ok(())
}

fn branch(em: &mut Emitter<'_, '_>, cond: &Expr, then: &[Stmt], orelse: &[Stmt]) -> Result<()> {
    em.flags.unread = em.unit.flag_only.decides(cond);
    let c = em.expr(cond)?;
    flag_values::keep_unread(em, cond, c);
    em.flags.unread = false;
    if c.wide {
        return masks::wide_branch(em, c, then, orelse);
    }
    let (yes, no, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    em.ir.cond_br(c.a, yes, no);
    let (before, mut after) = (em.lanes.diverged(), false);
    em.guards.conditional += 1;
    for (block, side) in [(yes, then), (no, orelse)] {
        em.ir.at(block);
        em.lanes.set_diverged(before);
        em.block(side)?;
        after |= em.lanes.diverged();
        em.ir.br(end);
    }
    em.guards.conditional -= 1;
    em.lanes.set_diverged(after);
    em.ir.at(end);
    Ok(())
}

/// Emits a jump out of or within constructs; what follows it is unreachable and emitted into a dead block.
fn jump(em: &mut Emitter<'_, '_>, target: Target, is_continue: bool) -> Result<()> {
    let Some(jump) = em.exits.jumps.iter().rev().find(|j| j.target == target) else {
        return invalid("a jump to a construct that is not open here");
    };
    let to = if is_continue {
        jump.on_continue
    } else {
        jump.on_break
    };
    if let Some((broken, waiting)) = jump.lanes {
        let home = if is_continue { waiting } else { broken };
        masks::lanes_leave(em, home);
        return Ok(());
    }
    em.ir.br(to);
    start_dead(em.ir);
    Ok(())
}

/// Continues emission in a block that control never gets to.
fn start_dead(ir: &Ir<'_>) {
    let dead = ir.fresh();
    ir.at(dead);
}

fn leave_nest(em: &Emitter<'_, '_>, status: Status) -> Result<()> {
    if !em.goes_through_nest() || em.lanes.open.is_some() {
        return invalid("a way out of a parallel loop");
    }
    let ir = em.ir;
    ir.store(ir.const_i64(status as i64), em.exits.status);
    ir.br(em.exits.done);
    start_dead(em.ir);
    Ok(())
}

fn scope(em: &mut Emitter<'_, '_>, id: ScopeId, body: &[Stmt]) -> Result<()> {
    let target = Target::Scope(id);
    let end = em.ir.fresh();
    let masked = masks::enter_masked(em, target, body);
    let lanes = masked.as_ref().map(|m| (m.broken, m.waiting));
    em.exits.jumps.push(Jump {
        target,
        on_break: end,
        on_continue: end,
        lanes,
    });
    em.block(body)?;
    em.exits.jumps.pop();
    em.ir.br(end);
    em.ir.at(end);
    if let Some(m) = masked {
        masks::leave_masked(em, m);
    }
    Ok(())
}

impl Emitter<'_, '_> {
    /// Emits statements in order. In a vector loop, once every lane may have left, the rest is skipped if all have:
    /// uniform accesses and loops assume that some lane is there.
    pub(crate) fn block(&mut self, block: &[Stmt]) -> Result<()> {
        if self.lanes.jam.is_some() && !self.lanes.in_copy {
            return unroll_and_jam::interleaved(self, block);
        }
        if self.has_grid() {
            return single_thread::host_block(self, block);
        }
        let mut end = None;
        for (k, s) in block.iter().enumerate() {
            self.stmt(s)?;
            let left = self.lanes.diverged() && k + 1 < block.len();
            if left && !definite_assignment::exits(std::slice::from_ref(s)).is_empty() {
                let next = self.ir.fresh();
                let end = *end.get_or_insert_with(|| self.ir.fresh());
                let any = self.lanes.any_active();
                let branch = self.ir.cond_br(any, next, end);
                self.ir
                    .expect(branch, crate::lower::vector::masks::SOME_LANE, 1);
                self.ir.at(next);
            }
        }
        if let Some(end) = end {
            self.ir.br(end);
            self.ir.at(end);
        }
        Ok(())
    }

    pub(crate) fn stmt(&mut self, s: &Stmt) -> Result<()> {
        match &s.kind {
            StmtKind::Let { var, value } if ordered_sums::is_ordered_sum(self, *var) => {
                ordered_sums::ordered_sum(self, *var, value)
            }
            StmtKind::Let { var, value } => {
                let outer = self.guards.wrapping;
                if self.vars.reduced.contains(var) {
                    self.guards.wrapping =
                        Some(std::ptr::from_ref(accumulations::accumulation(value)));
                }
                self.flags.unread = self.unit.flag_only.assigns(*var, value);
                self.guards.covered = self
                    .gpu
                    .finite
                    .as_ref()
                    .is_some_and(|f| f.covers(*var, value));
                let v = match extremes::updates_extreme(self, *var, value) {
                    Some((op, before, x)) => extremes::extreme_update(self, op, before, x)?,
                    None => self.expr(value)?,
                };
                self.guards.wrapping = outer;
                flag_values::keep_unread(self, value, v);
                self.flags.unread = false;
                expr::assign(self, *var, v, value)
            }
            StmtKind::Store {
                array,
                index,
                value,
                guard,
                ..
            } => {
                self.flags.unread = self.unit.flag_only.stores(*array, value);
                elements::store(self, *array, index, value, *guard, s.span)?;
                self.flags.unread = false;
                Ok(())
            }
            StmtKind::Rebind(pairs) => rebind(self, pairs),
            StmtKind::If { cond, then, orelse } => branch(self, cond, then, orelse),
            StmtKind::For(l) => {
                self.for_loop(l, s.span)?;
                flag_values::keep_sums(self, l.id)
            }
            StmtKind::While(l) => {
                loops::while_loop(self, l)?;
                flag_values::keep_sums(self, l.id)
            }
            StmtKind::Break(l) => jump(self, Target::Loop(*l), false),
            StmtKind::Continue(l) => jump(self, Target::Loop(*l), true),
            StmtKind::Scope { id, body } => scope(self, *id, body),
            StmtKind::Leave(id) => jump(self, Target::Scope(*id), false),
            StmtKind::Return => leave_nest(self, Status::Returned),
            StmtKind::Check { cond, guard } => {
                let c = self.expr(cond)?;
                if !*guard {
                    flag_values::keep_if_warns(self, cond, c);
                }
                if *guard || self.guards.suspects_values() {
                    let bad = self.ir.not(c.a);
                    guards::fail_where(self, bad, c.wide, GuardFailure::Check, s.span);
                }
                Ok(())
            }
            StmtKind::Eval(e) => {
                self.flags.unread = true;
                let v = self.expr(e)?;
                flag_values::keep_unread(self, e, v);
                self.flags.unread = false;
                Ok(())
            }
        }
    }
}
