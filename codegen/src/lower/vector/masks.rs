//! Masks: which lanes are active, branches and selections by lanes, constructs that lanes leave one by one.
//!
//! The usual scheme of SPMD compilers (Pharr and Mark, "ispc: A SPMD compiler for high-performance CPU
//! programming", 2012): the active lanes are a vector of bits; a jump takes lanes out of it and notes where they
//! become active again.

use nestwise_analysis::dataflow::definite_assignment::{self, Target};
use nestwise_ir::{Expr, Scalar, Stmt, StmtKind};

use crate::error::{Result, invalid};
use crate::llvm::{IntPred, V};
use crate::lower::{Func, Val};

/// How much likelier it is that some lane of a vector takes a side than that none does.
pub(crate) const SOME_LANE: u32 = 8;

/// A loop or scope that lanes leave one by one. Allocas of lane masks.
pub(crate) struct Masked {
    /// Left by break or leave: active again behind the construct.
    pub(crate) broken: V,
    /// Continued: active again in the next iteration.
    pub(crate) waiting: V,
    /// Finished by their own condition.
    done: V,
    /// The active lanes before.
    pub(crate) saved: V,
    saved_diverged: bool,
    /// Lanes may leave to further outside.
    outer: bool,
}

impl Func<'_, '_> {
    /// Whether any lane of a mask is set.
    pub(crate) fn any(&self, mask: V) -> V {
        let ir = self.ir();
        let n = ir.int(self.count());
        ir.icmp(IntPred::LLVMIntNE, ir.bitcast(mask, n), ir.const_int(n, 0))
    }

    pub(crate) fn exec(&self) -> V {
        let ir = self.ir();
        match &self.lanes {
            Some(l) => ir.load(ir.vector(ir.i1(), l.count), l.exec),
            None => ir.const_bool(true),
        }
    }

    fn set_exec(&self, mask: V) {
        if let Some(l) = &self.lanes {
            self.ir().store(mask, l.exec);
        }
    }

    pub(crate) fn any_active(&self) -> V {
        self.any(self.exec())
    }

    pub(crate) fn set_diverged(&mut self, diverged: bool) {
        if let Some(l) = &mut self.lanes {
            l.diverged = diverged;
        }
    }

    /// Whether some lanes of this vector may be elsewhere.
    pub(crate) fn diverged(&self) -> bool {
        self.lanes.as_ref().is_some_and(|l| l.diverged)
    }

    pub(crate) fn mask_home(&self) -> V {
        let ir = self.ir();
        let ty = ir.vector(ir.i1(), self.count());
        let home = ir.alloca(self.entry, ty);
        ir.store(ir.zero(ty), home);
        home
    }

    // Masked constructs.

    pub(crate) fn enter_masked(&mut self, target: Target, body: &[Stmt]) -> Option<Masked> {
        let facts = &self.lanes.as_ref()?.facts;
        if !facts.masked.contains(&target) {
            return None;
        }
        let outer = definite_assignment::exits(body)
            .into_iter()
            .any(|t| t != target);
        let masked = Masked {
            broken: self.mask_home(),
            waiting: self.mask_home(),
            done: self.mask_home(),
            saved: self.exec(),
            saved_diverged: self.diverged(),
            outer,
        };
        self.set_diverged(true);
        Some(masked)
    }

    pub(crate) fn leave_masked(&mut self, m: Masked) {
        if !m.outer {
            self.set_exec(m.saved);
            self.set_diverged(m.saved_diverged);
            return;
        }
        let ir = self.ir();
        let ty = ir.type_of(m.saved);
        let back = ir.or(ir.load(ty, m.broken), ir.load(ty, m.done));
        self.set_exec(ir.or(self.exec(), back));
        self.set_diverged(true);
    }

    /// At the end of an iteration: who continued is active again.
    pub(crate) fn next_masked(&mut self, m: &Masked) {
        let ir = self.ir();
        let ty = ir.type_of(m.saved);
        self.set_exec(ir.or(self.exec(), ir.load(ty, m.waiting)));
        ir.store(ir.zero(ty), m.waiting);
    }

    /// Lanes in which `c` is false have finished; returns whether any goes on.
    pub(crate) fn keep_lanes(&mut self, m: &Masked, c: Val) -> V {
        let ir = self.ir();
        let ty = ir.type_of(m.saved);
        let exec = self.exec();
        let finished = ir.and(exec, ir.not(c.a));
        ir.store(ir.or(ir.load(ty, m.done), finished), m.done);
        let exec = ir.and(exec, c.a);
        self.set_exec(exec);
        self.any(exec)
    }

    /// All active lanes jump: they are recorded in `home` and inactive from here on.
    pub(crate) fn lanes_leave(&mut self, home: V) {
        let ir = self.ir();
        let exec = self.exec();
        let ty = ir.type_of(exec);
        ir.store(ir.or(ir.load(ty, home), exec), home);
        self.set_exec(ir.zero(ty));
        self.set_diverged(true);
    }

    // Conditions.

    /// Both sides in turn, each under its mask; a side that does more than arithmetic only if a lane takes it.
    pub(crate) fn wide_branch(&mut self, c: Val, then: &[Stmt], orelse: &[Stmt]) -> Result<()> {
        let ir = self.ir();
        let (saved, saved_diverged) = (self.exec(), self.diverged());
        let mut left = Vec::new();
        self.conditional += 1;
        for (side, cond) in [(then, c.a), (orelse, ir.not(c.a))] {
            let mask = ir.and(saved, cond);
            if side.is_empty() {
                left.push(mask);
                continue;
            }
            self.set_exec(mask);
            self.set_diverged(true);
            let skip = is_heavy(side).then(|| (self.fresh(), self.fresh()));
            if let Some((run, end)) = skip {
                let branch = ir.cond_br(self.any(mask), run, end);
                // A lane leaves its loop once, but of many lanes one is on most sides.
                match definite_assignment::exits(side).is_empty() {
                    true => ir.expect(branch, SOME_LANE, 1),
                    false => ir.expect(branch, 1, SOME_LANE),
                }
                ir.at(run);
            }
            self.block(side)?;
            if let Some((_, end)) = skip {
                ir.br(end);
                ir.at(end);
            }
            left.push(self.exec());
        }
        self.conditional -= 1;
        let exits = !definite_assignment::exits(then).is_empty()
            || !definite_assignment::exits(orelse).is_empty();
        if exits {
            let all = left.into_iter().reduce(|a, b| ir.or(a, b)).unwrap_or(saved);
            self.set_exec(all);
            self.set_diverged(true);
        } else {
            self.set_exec(saved);
            self.set_diverged(saved_diverged);
        }
        Ok(())
    }

    /// A selection by lanes.
    pub(crate) fn wide_select(
        &mut self,
        c: Val,
        then: &Expr,
        orelse: &Expr,
        repr: Scalar,
    ) -> Result<Val> {
        let ir = self.ir();
        let (saved, saved_diverged) = (self.exec(), self.diverged());
        let mut values = Vec::new();
        for (side, cond) in [(then, c.a), (orelse, ir.not(c.a))] {
            if crate::lower::scalar::expr::is_plain(side) {
                values.push(self.expr(side)?);
                continue;
            }
            let mask = ir.and(saved, cond);
            let home = self.temporary(repr, true);
            let (run, end) = (self.fresh(), self.fresh());
            self.set_exec(mask);
            self.set_diverged(true);
            ir.expect(ir.cond_br(self.any(mask), run, end), SOME_LANE, 1);
            ir.at(run);
            self.conditional += 1;
            let v = self.expr(side)?;
            self.conditional -= 1;
            let v = self.widen(v);
            self.put(home, v);
            ir.br(end);
            ir.at(end);
            self.set_exec(saved);
            self.set_diverged(saved_diverged);
            values.push(self.get(home, repr, true));
        }
        match values[..] {
            [x, y] => Ok(self.choose(c, x, y)),
            _ => invalid("a selection without sides"),
        }
    }
}

/// Whether a side of a branch is worth testing for, or may only run if some lane takes it.
fn is_heavy(block: &[Stmt]) -> bool {
    block.iter().any(|s| match &s.kind {
        StmtKind::Let { value, .. } => !crate::lower::scalar::expr::is_plain(value),
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) => false,
        StmtKind::If { cond, then, orelse } => {
            !crate::lower::scalar::expr::is_plain(cond) || is_heavy(then) || is_heavy(orelse)
        }
        _ => true,
    })
}
