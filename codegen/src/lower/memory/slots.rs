//! Array slots: the descriptors that a function knows, in values or in memory.

use std::collections::HashMap;

use nestwise_ir::{AccessId, ArrayId};

use crate::error::{Result, invalid};
use crate::llvm::{Ir, Md, T, V};
use crate::lower::unit::Unit;

/// A descriptor's field: known for the whole function, or changed by rebindings.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    Value(V),
    Memory(V, T),
}

impl Cell {
    /// The value that the field has here.
    pub(crate) fn get(self, ir: &Ir<'_>) -> V {
        match self {
            Cell::Value(v) => v,
            Cell::Memory(home, ty) => ir.load(ty, home),
        }
    }
}

/// The descriptor of an array.
#[derive(Clone)]
pub(crate) struct Slot {
    pub(crate) ptr: Cell,
    pub(crate) extents: Vec<Cell>,
    pub(crate) strides: Vec<Cell>,
    pub(crate) tags: Option<Cell>,
    pub(crate) origin: Cell,
    /// Whether the address is not one in the memory of the elements: that begins at a later subscript than 0.
    pub(crate) shifted: bool,
}

impl Slot {
    /// Every field of the descriptor, in one order for all slots of a rank.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut all = vec![self.ptr, self.origin];
        all.extend(&self.extents);
        all.extend(&self.strides);
        all.extend(self.tags);
        all
    }
}

/// What a function knows of the nest's arrays.
#[derive(Default)]
pub(crate) struct Slots {
    /// The descriptors, by [`ArrayId`].
    pub(crate) all: Vec<Slot>,
    /// The loads that read an anti-dependence copy here, and the copies.
    pub(crate) copies: HashMap<AccessId, Slot>,
    /// LLVM's access groups of the open independent loops.
    pub(crate) groups: Vec<Md>,
}

impl Slots {
    /// The descriptor of an array.
    pub(crate) fn get(&self, array: ArrayId) -> Result<Slot> {
        match self.all.get(array.index()) {
            Some(s) => Ok(s.clone()),
            None => invalid(format!("no slot {array}")),
        }
    }

    /// Loads every descriptor from a frame-like record; `rebinds`: rebindings may permute them in this function.
    pub(crate) fn load(&mut self, unit: &Unit<'_>, frame: V, rebinds: bool) -> Result<()> {
        let ir = &unit.ir;
        for (id, decl) in unit.nest.arrays.iter() {
            let Some(layout) = unit.layout.slot(id).copied() else {
                return invalid(format!("no slot {id}"));
            };
            let moves = unit.rebound.contains(&id.index()) && rebinds;
            let cell = |offset: usize, ty: T| {
                let v = ir.load(ty, ir.offset_const(frame, offset));
                if moves {
                    let home = ir.alloca(ty);
                    ir.store(v, home);
                    Cell::Memory(home, ty)
                } else {
                    Cell::Value(v)
                }
            };
            let axis = |base: usize| {
                (0..decl.rank as usize)
                    .map(|d| cell(base + 8 * d, ir.i64()))
                    .collect()
            };
            self.all.push(Slot {
                ptr: cell(layout.ptr, ir.ptr()),
                extents: axis(layout.extents),
                strides: axis(layout.strides),
                tags: layout.tags.map(|at| cell(at, ir.ptr())),
                origin: cell(layout.origin, ir.i64()),
                shifted: false,
            });
        }
        Ok(())
    }

    /// Stores descriptors to a frame-like record: those that rebindings may have moved, or `all`.
    pub(crate) fn store(&self, unit: &Unit<'_>, to: V, all: bool) {
        let ir = &unit.ir;
        for (id, _) in unit.nest.arrays.iter() {
            let (Some(layout), Some(slot)) = (unit.layout.slot(id), self.all.get(id.index()))
            else {
                continue;
            };
            let put = |offset: usize, cell: Cell| {
                if all || matches!(cell, Cell::Memory(..)) {
                    ir.store(cell.get(ir), ir.offset_const(to, offset));
                }
            };
            put(layout.ptr, slot.ptr);
            put(layout.origin, slot.origin);
            for (d, (e, s)) in slot.extents.iter().zip(&slot.strides).enumerate() {
                put(layout.extents + 8 * d, *e);
                put(layout.strides + 8 * d, *s);
            }
            if let (Some(at), Some(cell)) = (layout.tags, slot.tags) {
                put(at, cell);
            }
        }
    }
}
