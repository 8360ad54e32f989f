//! Which lanes and which copies of a body the current operation is emitted for.

use std::collections::HashMap;
use std::rc::Rc;

use nestwise_analysis::dataflow::lane_facts::Facts;
use nestwise_ir::{LoopId, Scalar, VarId};

use crate::llvm::{IntPred, T, V};
use crate::lower::unit::Unit;
use crate::lower::value::Val;
use crate::lower::vector::jam::UnrollAndJam;

/// An open vector loop.
pub(crate) struct Lanes {
    /// The number of lanes.
    pub(crate) count: u32,
    pub(crate) facts: Rc<Facts>,
    /// The alloca of the active lanes; always valid.
    pub(crate) exec: V,
    /// Whether this is the last, partial vector.
    pub(crate) partial: bool,
    /// Whether control is varying here: active lanes are fewer than those the vector started with.
    pub(crate) diverged: bool,
    /// The alloca of the lanes in which a guard failed.
    pub(crate) deferred: V,
    /// The allocas of the words that values go into which only the floating-point flags need.
    pub(crate) kept: [V; 2],
    /// The values of linear counters in lane 0.
    pub(crate) first: HashMap<VarId, V>,
}

/// The shape of values, one or one a lane, and the copy of an unrolled-and-jammed body.
pub(crate) struct LaneState<'u, 'a> {
    unit: &'u Unit<'a>,
    /// The open vector loop.
    pub(crate) open: Option<Lanes>,
    /// The open unrolled-and-jammed loop, and the copy of its body being emitted.
    pub(crate) jam: Option<Rc<UnrollAndJam>>,
    pub(crate) copy: u32,
    /// Whether one statement is being emitted for one copy.
    pub(crate) in_copy: bool,
    /// The peeled loop whose first or last iterations are being emitted, which run one by one.
    pub(crate) edge: Option<LoopId>,
}

impl<'u, 'a> LaneState<'u, 'a> {
    /// The state outside of vector loops and copies.
    pub(crate) fn new(unit: &'u Unit<'a>) -> Self {
        LaneState {
            unit,
            open: None,
            jam: None,
            copy: 0,
            in_copy: false,
            edge: None,
        }
    }

    /// The number of lanes; 1 outside of vector loops.
    pub(crate) fn count(&self) -> u32 {
        self.open.as_ref().map_or(1, |l| l.count)
    }

    /// Whether lanes may disagree about a variable.
    pub(crate) fn varies(&self, var: VarId) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|l| l.facts.varying.contains(&var))
    }

    /// A type, or the vector of it for wide values.
    pub(crate) fn shape(&self, ty: T, wide: bool) -> T {
        match &self.open {
            Some(l) if wide => self.unit.ir.vector(ty, l.count),
            _ => ty,
        }
    }

    /// The wide form of a value.
    pub(crate) fn widen(&self, v: Val) -> Val {
        if v.wide {
            return v;
        }
        let splat = |x: V| self.unit.ir.splat(x, self.count());
        Val {
            a: splat(v.a),
            b: v.b.map(splat),
            wide: true,
        }
    }

    /// Both values in one shape: wide if one of them is.
    pub(crate) fn unify(&self, x: Val, y: Val) -> (Val, Val) {
        if x.wide == y.wide {
            (x, y)
        } else {
            (self.widen(x), self.widen(y))
        }
    }

    /// `cond ? x : y` on all components; a wide condition makes all wide.
    pub(crate) fn choose(&self, cond: Val, x: Val, y: Val) -> Val {
        let ir = &self.unit.ir;
        let (x, y) = self.unify(x, y);
        let (x, y) = if cond.wide {
            (self.widen(x), self.widen(y))
        } else {
            (x, y)
        };
        let b = match (x.b, y.b) {
            (Some(p), Some(q)) => Some(ir.select(cond.a, p, q)),
            _ => None,
        };
        Val {
            a: ir.select(cond.a, x.a, y.a),
            b,
            wide: x.wide,
        }
    }

    /// A constant in the wanted shape.
    pub(crate) fn spread(&self, v: V, wide: bool) -> V {
        if wide {
            self.unit.ir.splat(v, self.count())
        } else {
            v
        }
    }

    /// An int constant of a representation.
    pub(crate) fn const_int(&self, repr: Scalar, value: i128, wide: bool) -> V {
        let (ty, _) = self.unit.components(repr);
        self.spread(self.unit.ir.const_int(ty, value), wide)
    }

    /// A float constant of a representation, or of one of its parts.
    pub(crate) fn const_float(&self, repr: Scalar, value: f64, wide: bool) -> V {
        let ir = &self.unit.ir;
        let ty = if matches!(repr, Scalar::F32 | Scalar::C64) {
            ir.f32()
        } else {
            ir.f64()
        };
        self.spread(ir.const_float(ty, value), wide)
    }

    /// A truth value constant.
    pub(crate) fn const_bool(&self, value: bool, wide: bool) -> V {
        self.spread(self.unit.ir.const_bool(value), wide)
    }

    /// The vector of multiples of `step`: 0 in lane 0, `step` in lane 1 and so on.
    pub(crate) fn iota(&self, step: i64) -> V {
        let ir = &self.unit.ir;
        let items: Vec<V> = (0..i64::from(self.count()))
            .map(|k| ir.const_i64(k.wrapping_mul(step)))
            .collect();
        ir.const_vector(&items)
    }

    // Masks.

    /// The lanes that are active now, if not all are known to be.
    pub(crate) fn mask(&self) -> Option<Val> {
        self.open.as_ref().filter(|l| l.partial || l.diverged)?;
        Some(Val::shaped(self.exec(), true))
    }

    /// The lanes that are active now.
    pub(crate) fn exec(&self) -> V {
        let ir = &self.unit.ir;
        match &self.open {
            Some(l) => ir.load(ir.vector(ir.i1(), l.count), l.exec),
            None => ir.const_bool(true),
        }
    }

    /// Sets the active lanes.
    pub(crate) fn set_exec(&self, mask: V) {
        if let Some(l) = &self.open {
            self.unit.ir.store(mask, l.exec);
        }
    }

    /// Whether any lane of a mask is set.
    pub(crate) fn any(&self, mask: V) -> V {
        let ir = &self.unit.ir;
        let n = ir.int(self.count());
        ir.icmp(IntPred::LLVMIntNE, ir.bitcast(mask, n), ir.const_int(n, 0))
    }

    /// Whether any lane is active.
    pub(crate) fn any_active(&self) -> V {
        self.any(self.exec())
    }

    /// Sets whether some lanes of this vector may be elsewhere.
    pub(crate) fn set_diverged(&mut self, diverged: bool) {
        if let Some(l) = &mut self.open {
            l.diverged = diverged;
        }
    }

    /// Whether some lanes of this vector may be elsewhere.
    pub(crate) fn diverged(&self) -> bool {
        self.open.as_ref().is_some_and(|l| l.diverged)
    }

    /// An alloca for a mask of lanes, none of them set when the function begins to emit here.
    pub(crate) fn mask_home(&self) -> V {
        let ir = &self.unit.ir;
        let ty = ir.vector(ir.i1(), self.count());
        let home = ir.alloca(ty);
        ir.store(ir.zero(ty), home);
        home
    }
}
