//! Variables of the nest inside one function.

use std::collections::HashMap;

use nestwise_ir::{Scalar, VarId};

use crate::error::{Result, invalid};
use crate::llvm::V;
use crate::lower::unit::Unit;
use crate::lower::value::{Home, Val};
use crate::lower::vector::lane_state::LaneState;

/// The values and homes of the variables of one function.
pub(crate) struct Variables<'u, 'a> {
    unit: &'u Unit<'a>,
    /// The home of each variable, in each copy of an unrolled-and-jammed body.
    homes: HashMap<(VarId, u32), Home>,
    wide_homes: HashMap<(VarId, u32), Home>,
    /// Counters, which are known as values.
    pub(crate) fixed: HashMap<VarId, Val>,
    /// The flags of the variables of which it matters whether they were assigned.
    pub(crate) marks: HashMap<VarId, V>,
    /// In a thread body: the variables that start from their reduction's identity, of which no range was proved.
    pub(crate) reduced: Vec<VarId>,
}

impl<'u, 'a> Variables<'u, 'a> {
    /// The variables of a function, none of which has a home yet.
    pub(crate) fn new(unit: &'u Unit<'a>) -> Self {
        Variables {
            unit,
            homes: HashMap::new(),
            wide_homes: HashMap::new(),
            fixed: HashMap::new(),
            marks: HashMap::new(),
            reduced: Vec::new(),
        }
    }

    /// A new home for a value of a representation.
    pub(crate) fn temporary(&self, lanes: &LaneState<'_, '_>, repr: Scalar, wide: bool) -> Home {
        let ir = &self.unit.ir;
        let (a, b) = self.unit.components(repr);
        let make = |ty| {
            let ty = lanes.shape(ty, wide);
            // Lanes that are not active compute all the same: what was never assigned must raise no flag.
            let at = match wide {
                true => ir.alloca_zeroed(ty),
                false => ir.alloca(ty),
            };
            (at, ty)
        };
        Home {
            a: make(a),
            b: b.map(make),
            wide,
        }
    }

    /// The home of a variable; of its current copy, where each copy of a body has its own.
    pub(crate) fn home(
        &mut self,
        lanes: &LaneState<'_, '_>,
        var: VarId,
        wide: bool,
    ) -> Result<Home> {
        let own = lanes.jam.as_ref().is_some_and(|j| j.varying.contains(&var));
        let key = (var, if own { lanes.copy } else { 0 });
        let known = if wide { &self.wide_homes } else { &self.homes };
        if let Some(h) = known.get(&key) {
            return Ok(*h);
        }
        let home = self.temporary(lanes, self.unit.repr(var)?, wide);
        if wide {
            self.wide_homes.insert(key, home)
        } else {
            self.homes.insert(key, home)
        };
        Ok(home)
    }

    /// Forgets wide homes, as another vector loop may have another number of lanes.
    pub(crate) fn forget_wide_homes(&mut self) {
        self.wide_homes.clear();
    }

    /// The value of a variable.
    pub(crate) fn read(&mut self, lanes: &LaneState<'_, '_>, var: VarId) -> Result<Val> {
        if let Some(v) = self.fixed.get(&var) {
            return Ok(*v);
        }
        let home = self.home(lanes, var, lanes.varies(var))?;
        Ok(home.load(&self.unit.ir))
    }

    /// Assigns a variable, in the active lanes if it varies between lanes.
    pub(crate) fn write(
        &mut self,
        lanes: &LaneState<'_, '_>,
        var: VarId,
        value: Val,
    ) -> Result<()> {
        let wide = lanes.varies(var);
        if value.wide && !wide {
            return invalid(format!("{var} differs between lanes"));
        }
        let ir = &self.unit.ir;
        let home = self.home(lanes, var, wide)?;
        if !wide {
            home.store(ir, value);
            return Ok(());
        }
        let mut value = lanes.widen(value);
        // Lanes that a partial vector lacks may hold anything; those that wait elsewhere keep their value.
        if lanes.diverged()
            && let Some(mask) = lanes.mask()
        {
            value = lanes.choose(mask, value, home.load(ir));
        }
        home.store(ir, value);
        Ok(())
    }

    /// Loads a variable's cell of a frame-like record into its home.
    pub(crate) fn load_var(
        &mut self,
        lanes: &LaneState<'_, '_>,
        var: VarId,
        from: V,
    ) -> Result<()> {
        let Some(offset) = self.unit.layout.var(var) else {
            return invalid(format!("no variable {var}"));
        };
        let ir = &self.unit.ir;
        let home = self.home(lanes, var, false)?;
        let at = ir.offset_const(from, offset);
        home.store(ir, self.unit.load_cell(self.unit.repr(var)?, at));
        Ok(())
    }

    /// Stores a variable to its cell of a frame-like record.
    pub(crate) fn store_var(&mut self, lanes: &LaneState<'_, '_>, var: VarId, to: V) -> Result<()> {
        let Some(offset) = self.unit.layout.var(var) else {
            return invalid(format!("no variable {var}"));
        };
        let value = self.read(lanes, var)?;
        let at = self.unit.ir.offset_const(to, offset);
        self.unit.store_cell(self.unit.repr(var)?, value, at);
        Ok(())
    }
}
