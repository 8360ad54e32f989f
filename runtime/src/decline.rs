//! Decisions for the interpreter.

use nestwise_costmodel::{Decision, Device, Seconds};
use nestwise_ir::LoopId;
use nestwise_tiering::Iterations;
use nestwise_tiering::constants::{MOST_OF_A_TRIAL, WORTH_TRYING};

use crate::kernel::order::budget;
use crate::options::{DeviceChoice, Options};
use crate::plan::{Plan, Sizes};
use crate::resume::Resume;

/// A decision for the interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Declined {
    /// The decision for the interpreter, and what it rests on.
    pub decision: Decision,
    /// CPython's time after which a native run may pay: only the time to compile spoke against one, or nothing tells
    /// how long the loop goes on. None: no native run may pay.
    pub budget: Option<Seconds>,
    /// Whether nothing tells how long the loop goes on: as far as anybody knows CPython is cheaper.
    pub doubted: bool,
    /// Whether it is known how often the call's loops run.
    pub sure: bool,
    /// The top loop's start, stop and step, unless it is a `while`.
    pub range: Option<(i64, i64, i64)>,
}

impl Declined {
    /// Works out what a decision for the interpreter means to a call of these sizes.
    pub(crate) fn new(
        plan: &Plan,
        sizes: &Sizes,
        decision: &Decision,
        resume: Option<Resume>,
        options: &Options,
    ) -> Declined {
        let free = options.device == DeviceChoice::Auto;
        let waits = decision.waits_for_compile && free;
        // Ski-rental: what a native run would have cost may be lost before it is tried, once.
        let doubted = !waits && free && sizes.top.is_none() && resume.is_none();
        let whole = decision.of(decision.wanted).total().0;
        let whole = Seconds(whole.max(WORTH_TRYING.0));
        let tried = decision.trial.is_some();
        Declined {
            decision: *decision,
            budget: match waits {
                true => Some(budget(plan, decision, resume, options)),
                false if tried => Some(decision.interpreted * MOST_OF_A_TRIAL),
                false => doubted.then_some(whole),
            },
            doubted: doubted && !tried,
            sure: sizes.top.is_some() && sizes.knows_inner(),
            range: sizes.range(),
        }
    }
}

/// Whether one iteration of the top loop would keep signals and other threads waiting for too long: CPython runs the
/// top loop then. `value`: the site is an expression.
pub(crate) fn has_long_iterations(
    plan: &Plan,
    sizes: &Sizes,
    decision: &Decision,
    value: bool,
) -> bool {
    let iterations = match decision.device {
        Device::Threads if plan.analysed.verdicts().shares_top() => Iterations::Asked,
        Device::Threads | Device::Serial if value => Iterations::Asked,
        Device::Threads | Device::Gpu => Iterations::Shared,
        Device::Serial | Device::Interpreter => Iterations::Uninterrupted,
    };
    let top = sizes.expected(LoopId(0)).max(1.0);
    let inner = plan.analysed.nest().loops.len() > 1 && sizes.knows_inner();
    inner && decision.estimate.compute.0 / top > iterations.longest().0
}
