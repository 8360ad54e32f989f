//! The context of lowering: the state that its functions share.
//!
//! Lowering is functions over this context. The few methods of [`Lowering`] are the entry points of its recursion, each
//! in the file of its duty: [`crate::lowering::expression`] and [`crate::lowering::statement`] above all. A function
//! that calls back into an expression or a statement goes through them, and so needs no import of the file that called
//! it.

use nestwise_ir::model::nest::Stmt;

use crate::lowering::arrays::memory::Memory;
use crate::lowering::builder::Builder;
use crate::lowering::control::state::Control;
use crate::lowering::environment::Environment;
use crate::lowering::live_outs::state::LiveOuts;
use crate::lowering::preconditions::Preconditions;
use crate::refusal::R;

/// One round of lowering.
pub(crate) struct Lowering<'a> {
    /// The nest under construction.
    pub builder: Builder,
    /// The names of the site.
    pub env: Environment<'a>,
    /// The open loops and calls, and where jumps go.
    pub control: Control,
    /// The arrays that the nest makes.
    pub memory: Memory,
    /// The live-outs.
    pub live_outs: LiveOuts,
    /// The preconditions that launches have to check.
    pub preconditions: Preconditions,
}

impl<'a> Lowering<'a> {
    /// Begins a round with this environment.
    pub fn new(env: Environment<'a>) -> Lowering<'a> {
        Lowering {
            builder: Builder::new(),
            env,
            control: Control::default(),
            memory: Memory::default(),
            live_outs: LiveOuts::default(),
            preconditions: Preconditions::default(),
        }
    }

    /// Runs `f` with a block of its own, and returns the block; substitutions made inside end with it.
    pub fn inner<T>(&mut self, f: impl FnOnce(&mut Self) -> R<T>) -> R<(T, Vec<Stmt>)> {
        let (substs, stable) = (self.env.substs.len(), self.builder.stable.len());
        let parts = self.memory.parts.mark();
        self.builder.blocks.push(vec![]);
        let result = f(self);
        let block = self.builder.blocks.pop().unwrap_or_default();
        self.memory.parts.leave(parts);
        self.env.substs.truncate(substs);
        self.builder.stable.truncate(stable);
        Ok((result?, block))
    }

    /// Runs `f`, which lowers code that runs `factor` times in each execution of the code around it.
    pub fn scaled<T>(&mut self, factor: f64, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        let before = self.builder.meter.weight();
        self.builder.meter.set_weight(before * factor);
        let result = f(self);
        self.builder.meter.set_weight(before);
        result
    }
}
