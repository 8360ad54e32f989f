//! The context of lowering: what its functions share.
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
    /// What names are.
    pub env: Environment<'a>,
    /// Where jumps go.
    pub control: Control,
    /// The arrays that the nest makes.
    pub memory: Memory,
    /// What is written back behind the nest.
    pub live_outs: LiveOuts,
    /// What launches have to check.
    pub preconditions: Preconditions,
}

impl<'a> Lowering<'a> {
    /// A round that begins with this environment.
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

    /// Runs `f` with a block of its own; what was substituted inside does not outlive it.
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

    /// Runs `f`, which lowers what happens `factor` times in each execution of what is around it.
    pub fn scaled<T>(&mut self, factor: f64, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        let before = self.builder.meter.weight();
        self.builder.meter.set_weight(before * factor);
        let result = f(self);
        self.builder.meter.set_weight(before);
        result
    }
}
