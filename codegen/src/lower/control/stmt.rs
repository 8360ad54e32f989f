//! Statements and the whole nest.

use nestwise_analysis::dataflow::definite_assignment::{self, Target};
use nestwise_ir::{ArrayId, Expr, ExprKind, ScopeId, Stmt, StmtKind, VarId, guarded};

use crate::abi::{ENTRY_SYMBOL, EventCode, FrameHeader, Status};
use crate::error::{Result, invalid};
use crate::llvm::{IntPred, V};
use crate::lower::func::{Cell, Jump};
use crate::lower::{Func, Unit, first_call_only};

impl<'u, 'a> Func<'u, 'a> {
    pub(crate) fn entry(u: &'u Unit<'a>) -> Func<'u, 'a> {
        let ir = &u.ir;
        Func::new(u, ENTRY_SYMBOL, &[ir.ptr(), ir.i64(), ir.i64()], true)
    }

    /// The entry function.
    pub(crate) fn nest(&mut self) -> Result<()> {
        let u = self.u;
        let (nest, ir) = (u.nest, &u.ir);
        self.start_body();
        ir.store(self.lo, self.exits.at);
        ir.store(ir.const_i64(Status::Done as i64), self.exits.status);
        self.load_slots()?;
        let mut input: Vec<VarId> = u.frame_in.iter().copied().collect();
        input.sort();
        for v in input {
            self.load_var(v, self.frame)?;
        }
        self.begin_late();
        let first_only = first_call_only(nest);
        let after = self.fresh();
        if first_only {
            let first = self.fresh();
            let is_first = ir.icmp(IntPred::LLVMIntEQ, self.lo, ir.const_i64(0));
            ir.cond_br(is_first, first, after);
            ir.at(first);
        }
        self.block(&nest.prologue)?;
        let bounds = match &nest.top.kind {
            StmtKind::For(l) => Some((self.expr(&l.start)?.a, self.expr(&l.step)?.a)),
            _ => None,
        };
        let bounds = match bounds {
            Some((start, step)) if first_only => {
                let at = |k: usize| ir.offset_const(self.frame, FrameHeader::BOUNDS + 8 * k);
                ir.store(start, at(0));
                ir.store(step, at(1));
                ir.br(after);
                ir.at(after);
                Some((ir.load(ir.i64(), at(0)), ir.load(ir.i64(), at(1))))
            }
            other => {
                ir.br(after);
                ir.at(after);
                other
            }
        };
        match (&nest.top.kind, bounds) {
            (StmtKind::For(l), Some((start, step))) => {
                if guarded::step_may_fire(l) {
                    let zero = ir.icmp(IntPred::LLVMIntEQ, step, ir.const_i64(0));
                    self.fire(zero, false, EventCode::Step, nest.top.span);
                }
                self.top_for(l, start, step)?;
            }
            (StmtKind::While(l), _) => self.top_while(l)?,
            _ => return invalid("the top statement is no loop"),
        }
        ir.br(self.exits.done);
        self.finish_entry()
    }

    fn finish_entry(&mut self) -> Result<()> {
        let u = self.u;
        let ir = &u.ir;
        let header = |at: usize| ir.offset_const(self.frame, at);
        ir.at(self.exits.event);
        ir.store(
            ir.const_i64(Status::Event as i64),
            header(FrameHeader::STATUS),
        );
        ir.store(ir.load(ir.i64(), self.exits.at), header(FrameHeader::AT));
        ir.store(
            ir.load(ir.i64(), self.exits.line),
            header(FrameHeader::LINE),
        );
        ir.store(
            ir.load(ir.i64(), self.exits.code),
            header(FrameHeader::CODE),
        );
        ir.ret_void();
        ir.at(self.exits.done);
        ir.store(
            ir.load(ir.i64(), self.exits.status),
            header(FrameHeader::STATUS),
        );
        ir.store(ir.load(ir.i64(), self.exits.at), header(FrameHeader::AT));
        self.take_late(u.nest.top.span)?;
        self.release_kept();
        self.store_slots(self.frame, false);
        let mut output: Vec<VarId> = u.frame_out.iter().copied().collect();
        output.sort();
        for v in output {
            self.store_var(v, self.frame)?;
        }
        ir.ret_void();
        Ok(())
    }

    /// Statements in order. In a vector loop, once every lane may have left, the rest is skipped if all have:
    /// uniform accesses and loops assume that some lane is there.
    pub(crate) fn block(&mut self, block: &[Stmt]) -> Result<()> {
        if self.jam.is_some() && !self.in_copy {
            return self.interleaved(block);
        }
        if self.has_grid() {
            return self.host_block(block);
        }
        let mut end = None;
        for (k, s) in block.iter().enumerate() {
            self.stmt(s)?;
            let left = self.diverged() && k + 1 < block.len();
            if left && !definite_assignment::exits(std::slice::from_ref(s)).is_empty() {
                let next = self.fresh();
                let end = *end.get_or_insert_with(|| self.fresh());
                let any = self.any_active();
                let branch = self.ir().cond_br(any, next, end);
                self.ir()
                    .expect(branch, crate::lower::vector::masks::SOME_LANE, 1);
                self.ir().at(next);
            }
        }
        if let Some(end) = end {
            self.ir().br(end);
            self.ir().at(end);
        }
        Ok(())
    }

    pub(crate) fn stmt(&mut self, s: &Stmt) -> Result<()> {
        match &s.kind {
            StmtKind::Let { var, value } if self.is_ordered_sum(*var) => {
                self.ordered_sum(*var, value)
            }
            StmtKind::Let { var, value } => {
                let outer = self.wrapping;
                if self.reduced.contains(var) {
                    self.wrapping = Some(std::ptr::from_ref(accumulation(value)));
                }
                self.unread = self.u.idle.assigns(*var, value);
                self.covered = self.finite.as_ref().is_some_and(|f| f.covers(*var, value));
                let v = match self.updates_extreme(*var, value) {
                    Some((op, before, x)) => self.extreme_update(op, before, x)?,
                    None => self.expr(value)?,
                };
                self.wrapping = outer;
                self.keep_unread(value, v);
                self.unread = false;
                self.assign(*var, v, value)
            }
            StmtKind::Store {
                array,
                index,
                value,
                guard,
                ..
            } => {
                self.unread = self.u.idle.stores(*array, value);
                self.store(*array, index, value, *guard, s.span)?;
                self.unread = false;
                Ok(())
            }
            StmtKind::Rebind(pairs) => self.rebind(pairs),
            StmtKind::If { cond, then, orelse } => self.branch(cond, then, orelse),
            StmtKind::For(l) => {
                self.for_loop(l, s.span)?;
                self.keep_sums(l.id)
            }
            StmtKind::While(l) => {
                self.while_loop(l)?;
                self.keep_sums(l.id)
            }
            StmtKind::Break(l) => self.jump(Target::Loop(*l), false),
            StmtKind::Continue(l) => self.jump(Target::Loop(*l), true),
            StmtKind::Scope { id, body } => self.scope(*id, body),
            StmtKind::Leave(id) => self.jump(Target::Scope(*id), false),
            StmtKind::Return => self.leave_nest(Status::Returned),
            StmtKind::Check { cond, guard } => {
                let c = self.expr(cond)?;
                if !*guard {
                    self.keep_if_warns(cond, c);
                }
                if *guard || self.suspects_values() {
                    let bad = self.ir().not(c.a);
                    self.fire(bad, c.wide, EventCode::Check, s.span);
                }
                Ok(())
            }
            StmtKind::Eval(e) => {
                self.unread = true;
                let v = self.expr(e)?;
                self.keep_unread(e, v);
                self.unread = false;
                Ok(())
            }
        }
    }

    fn rebind(&mut self, pairs: &[(ArrayId, ArrayId)]) -> Result<()> {
        if !self.goes_through_nest() || self.lanes.is_some() {
            return invalid("a rebinding in a parallel loop");
        }
        let mut old: Vec<Vec<V>> = Vec::new();
        for (_, src) in pairs {
            old.push(
                self.slot(*src)?
                    .cells()
                    .into_iter()
                    .map(|c| self.cell(c))
                    .collect(),
            );
        }
        for ((dst, _), values) in pairs.iter().zip(old) {
            for (cell, v) in self.slot(*dst)?.cells().into_iter().zip(values) {
                match cell {
                    Cell::Memory(home, _) => self.ir().store(v, home),
                    Cell::Value(_) => return invalid(format!("{dst} cannot be rebound here")),
                };
            }
        }
        Ok(())
    }

    fn branch(&mut self, cond: &Expr, then: &[Stmt], orelse: &[Stmt]) -> Result<()> {
        self.unread = self.u.idle.decides(cond);
        let c = self.expr(cond)?;
        self.keep_unread(cond, c);
        self.unread = false;
        if c.wide {
            return self.wide_branch(c, then, orelse);
        }
        let (yes, no, end) = (self.fresh(), self.fresh(), self.fresh());
        self.ir().cond_br(c.a, yes, no);
        let (before, mut after) = (self.diverged(), false);
        self.conditional += 1;
        for (block, side) in [(yes, then), (no, orelse)] {
            self.ir().at(block);
            self.set_diverged(before);
            self.block(side)?;
            after |= self.diverged();
            self.ir().br(end);
        }
        self.conditional -= 1;
        self.set_diverged(after);
        self.ir().at(end);
        Ok(())
    }

    /// A jump out of or within constructs; what follows it is unreachable and emitted into a dead block.
    fn jump(&mut self, target: Target, is_continue: bool) -> Result<()> {
        let Some(jump) = self.jumps.iter().rev().find(|j| j.target == target) else {
            return invalid("a jump to a construct that is not open here");
        };
        let to = if is_continue {
            jump.on_continue
        } else {
            jump.on_break
        };
        if let Some((broken, waiting)) = jump.lanes {
            let home = if is_continue { waiting } else { broken };
            self.lanes_leave(home);
            return Ok(());
        }
        self.ir().br(to);
        self.start_dead();
        Ok(())
    }

    /// Continues emission where nothing gets to.
    pub(crate) fn start_dead(&mut self) {
        let dead = self.fresh();
        self.ir().at(dead);
    }

    pub(crate) fn leave_nest(&mut self, status: Status) -> Result<()> {
        if !self.goes_through_nest() || self.lanes.is_some() {
            return invalid("a way out of a parallel loop");
        }
        let ir = self.ir();
        ir.store(ir.const_i64(status as i64), self.exits.status);
        ir.br(self.exits.done);
        self.start_dead();
        Ok(())
    }

    fn scope(&mut self, id: ScopeId, body: &[Stmt]) -> Result<()> {
        let target = Target::Scope(id);
        let end = self.fresh();
        let masked = self.enter_masked(target, body);
        let lanes = masked.as_ref().map(|m| (m.broken, m.waiting));
        self.jumps.push(Jump {
            target,
            on_break: end,
            on_continue: end,
            lanes,
        });
        self.block(body)?;
        self.jumps.pop();
        self.ir().br(end);
        self.ir().at(end);
        if let Some(m) = masked {
            self.leave_masked(m);
        }
        Ok(())
    }
}

/// The operation that an assignment's value ends with.
pub(crate) fn accumulation(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Bind { body, .. } => accumulation(body),
        _ => value,
    }
}
