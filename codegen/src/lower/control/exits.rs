//! How a function is left, and what a failed guard does.

use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::definite_assignment::{Target, Vars};
use nestwise_ir::{Expr, Span};

use crate::abi::{GuardFailure, Status};
use crate::link::interrupts::FIRST_BUDGET;
use crate::llvm::{Block, Ir, V};
use crate::lower::unit::Unit;

/// An open loop or scope, and where jumps out of it and within it lead.
pub(crate) struct Jump {
    pub(crate) target: Target,
    pub(crate) on_break: Block,
    pub(crate) on_continue: Block,
    /// In a vector loop: the masks of the lanes that broke out, and of those that wait for the next iteration.
    pub(crate) lanes: Option<(V, V)>,
}

/// How the function is left.
pub(crate) struct Exits {
    /// The block that leaves the function with a guard failure; `line` and `code` are set.
    pub(crate) failed: Block,
    /// The block that leaves the function normally; `status` and `at` are set.
    pub(crate) done: Block,
    pub(crate) line: V,
    pub(crate) code: V,
    pub(crate) status: V,
    pub(crate) at: V,
    /// The open loops and scopes, innermost last.
    pub(crate) jumps: Vec<Jump>,
    /// What is left until the function asks whether somebody waits, in a kernel that asks.
    pub(crate) budget: Option<V>,
}

impl Exits {
    /// The cells for a function's outcome, and its last blocks.
    pub(crate) fn new(ir: &Ir<'_>, function: V) -> Exits {
        let (failed, done) = (ir.block(function, c"failed"), ir.block(function, c"done"));
        let cell = || ir.alloca(ir.i64());
        Exits {
            failed,
            done,
            line: cell(),
            code: cell(),
            status: cell(),
            at: cell(),
            jumps: Vec::new(),
            budget: None,
        }
    }

    /// Gives the function a budget, if it may have loops that are asked in. Devices are not interrupted: what runs
    /// there is cut into short launches.
    pub(crate) fn begin_budget(&mut self, unit: &Unit<'_>) {
        if unit.nest.interruptible.is_empty() || unit.device.is_some() || unit.grid.is_some() {
            return;
        }
        let ir = &unit.ir;
        let budget = ir.alloca(ir.i64());
        ir.store(ir.const_i64(FIRST_BUDGET), budget);
        self.budget = Some(budget);
    }

    /// A block that leaves the nest's top loop by `break`.
    pub(crate) fn top_break(&self, ir: &Ir<'_>) -> Block {
        let here = ir.here();
        let block = ir.fresh();
        ir.at(block);
        ir.store(ir.const_i64(Status::Broke as i64), self.status);
        ir.br(self.done);
        ir.at(here);
        block
    }

    /// Branches to the exit of guard failures if `bad`, else to `next`.
    pub(crate) fn leave_if(
        &self,
        ir: &Ir<'_>,
        bad: V,
        next: Block,
        code: GuardFailure,
        span: Span,
    ) {
        let failed = ir.fresh();
        ir.expect(ir.cond_br(bad, failed, next), 1, 1 << 20);
        ir.at(failed);
        ir.store(ir.const_i64(span.line.into()), self.line);
        ir.store(ir.const_i64(code as i64), self.code);
        ir.br(self.failed);
    }
}

/// What guards of the current operation have to do.
#[derive(Default)]
pub(crate) struct Guards {
    /// The alloca that tells whether a guard has failed in the open loop, which tests that when it is over.
    pub(crate) deferred: Option<V>,
    /// In a loop that goes on after a guard failure: variables whose values may then be ones that nothing was proved
    /// about.
    pub(crate) loose: Option<Rc<Vars>>,
    /// The depth of conditionals around the current operation.
    pub(crate) conditional: u32,
    /// Whether another operation tests the result being emitted for being finite.
    pub(crate) covered: bool,
    /// The accumulation being emitted: what is proved of the whole sum need not hold of a part of it.
    pub(crate) wrapping: Option<*const Expr>,
}

impl Guards {
    /// Whether values here may be ones that a guard failure left behind, about which nothing was proved: divisors and
    /// computed indices are then tested, guard or not. Failing once more is harmless.
    pub(crate) fn suspects_values(&self) -> bool {
        self.loose.is_some()
    }

    /// Whether one of some indices may be wrong after a guard failure. Counters and invariants never are; saturated
    /// arithmetic on them stays within what was proved.
    pub(crate) fn suspects(&self, index: &[Expr]) -> bool {
        let Some(loose) = &self.loose else {
            return false;
        };
        index
            .iter()
            .any(|e| definite_assignment::is_loose(e, loose))
    }
}
