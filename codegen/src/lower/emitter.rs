//! The context in which one function is emitted.
//!
//! Emission is functions over an [`Emitter`], or over one of the parts of it. The Emitter's own methods are the few
//! entry points that recursion goes through, each beside what it emits: `expr` ([`crate::lower::scalar::expr`]),
//! `block` and `stmt` ([`crate::lower::control::stmt`]), `for_loop`, `counted` and `serial`
//! ([`crate::lower::control::loops`]).

use std::ffi::CString;

use crate::llvm::{Ir, T, V};
use crate::lower::control::exits::{Exits, Guards};
use crate::lower::gpu::state::GpuState;
use crate::lower::memory::slots::Slots;
use crate::lower::scalar::flag_state::FlagState;
use crate::lower::unit::{Registers, Unit};
use crate::lower::variables::Variables;
use crate::lower::vector::lane_state::LaneState;

/// The function being emitted, and its parameters.
pub(crate) struct Function {
    pub(crate) value: V,
    /// The frame; in a thread body the environment, which is laid out alike.
    pub(crate) frame: V,
    /// The iterations `lo..hi` that this call runs.
    pub(crate) lo: V,
    pub(crate) hi: V,
    /// Whether this is the kernel's entry, not a thread body.
    pub(crate) is_entry: bool,
}

/// What is known while a function is emitted.
pub(crate) struct Emitter<'u, 'a> {
    pub(crate) unit: &'u Unit<'a>,
    pub(crate) ir: &'u Ir<'a>,
    pub(crate) function: Function,
    pub(crate) vars: Variables<'u, 'a>,
    pub(crate) slots: Slots,
    pub(crate) lanes: LaneState<'u, 'a>,
    pub(crate) exits: Exits,
    pub(crate) guards: Guards,
    pub(crate) flags: FlagState,
    pub(crate) gpu: GpuState,
}

impl<'u, 'a> Emitter<'u, 'a> {
    /// Starts a function with the given parameters: the frame, the bounds of the iterations, others.
    pub(crate) fn new(unit: &'u Unit<'a>, name: &str, params: &[T], is_entry: bool) -> Self {
        let ir = &unit.ir;
        let ty = ir.function(ir.void(), params);
        let f = ir.add_function(&CString::new(name).unwrap_or_default(), ty);
        ir.attribute(f, "nounwind", 0);
        if unit.device != Some(Registers::Ptx) {
            for (key, value) in unit.host.attributes() {
                ir.string_attribute(f, key, &value);
            }
        }
        ir.string_attribute(f, "no-trapping-math", "true");
        ir.param_attribute(f, 0, "noalias");
        ir.param_attribute(f, 0, "nonnull");
        ir.at(ir.block(f, c"entry"));
        let mut exits = Exits::new(ir, f);
        let flags = FlagState::new(unit);
        exits.begin_budget(unit);
        Emitter {
            unit,
            ir,
            function: Function {
                value: f,
                frame: ir.param(f, 0),
                lo: ir.param(f, 1),
                hi: ir.param(f, 2),
                is_entry,
            },
            vars: Variables::new(unit),
            slots: Slots::default(),
            lanes: LaneState::new(unit),
            exits,
            guards: Guards::default(),
            flags,
            gpu: GpuState::default(),
        }
    }

    /// Whether this function goes through the nest's own loops: the entry, and a cooperative kernel.
    pub(crate) fn goes_through_nest(&self) -> bool {
        self.function.is_entry || self.gpu.cooperative.is_some()
    }

    /// Whether mapped loops are launched from here as kernels, or run as parts of a cooperative one.
    pub(crate) fn has_grid(&self) -> bool {
        self.unit.grid.is_some() || self.gpu.cooperative.is_some()
    }

    /// Ends the block of the allocas: everything after goes to a block of its own.
    pub(crate) fn start_body(&mut self) {
        let body = self.ir.block(self.function.value, c"body");
        self.ir.br(body);
        self.ir.at(body);
    }
}
