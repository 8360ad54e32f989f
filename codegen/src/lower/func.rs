//! One function being emitted: where variables and descriptors live, how it is left.

use std::collections::HashMap;
use std::ffi::CString;
use std::rc::Rc;

use nestwise_analysis::dataflow::definite_assignment::{self, Target, Vars};
use nestwise_analysis::dataflow::finite::Finite;
use nestwise_ir::{AccessId, Expr, LoopId, Scalar, Span, VarId};

use crate::abi::EventCode;
use crate::error::{Result, invalid};
use crate::llvm::{Block, Ir, Md, T, V};
use crate::lower::gpu::deferred_results::Late;
use crate::lower::vector::lanes::Lanes;
use crate::lower::vector::unroll_and_jam::Jam;
use crate::lower::{Unit, Val};

/// A descriptor's field: known for the whole function, or changed by rebindings.
#[derive(Clone, Copy)]
pub(crate) enum Cell {
    Value(V),
    Memory(V, T),
}

/// An array slot inside a function.
#[derive(Clone)]
pub(crate) struct Slot {
    pub(crate) ptr: Cell,
    pub(crate) extents: Vec<Cell>,
    pub(crate) strides: Vec<Cell>,
    pub(crate) tags: Option<Cell>,
    pub(crate) origin: Cell,
    /// The address is not one of the memory that elements are in: that begins at a later subscript than 0.
    pub(crate) shifted: bool,
}

impl Slot {
    /// Every field, in one order for all slots of a rank.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let mut all = vec![self.ptr, self.origin];
        all.extend(&self.extents);
        all.extend(&self.strides);
        all.extend(self.tags);
        all
    }
}

/// Allocas of one or two components.
#[derive(Clone, Copy)]
pub(crate) struct Home {
    pub(crate) a: V,
    pub(crate) b: Option<V>,
}

/// Where a jump leads.
pub(crate) struct Jump {
    pub(crate) target: Target,
    pub(crate) on_break: Block,
    pub(crate) on_continue: Block,
    /// In a vector loop: lanes that broke out, lanes that wait for the next iteration.
    pub(crate) lanes: Option<(V, V)>,
}

/// How the function ends.
pub(crate) struct Exits {
    /// Leaves with an event; `line` and `code` are set.
    pub(crate) event: Block,
    /// Leaves normally; `status` and `at` are set.
    pub(crate) done: Block,
    pub(crate) line: V,
    pub(crate) code: V,
    pub(crate) status: V,
    pub(crate) at: V,
}

/// A function being emitted.
pub(crate) struct Func<'u, 'a> {
    pub(crate) u: &'u Unit<'a>,
    pub(crate) f: V,
    /// Holds the allocas.
    pub(crate) entry: Block,
    /// The frame, or the environment of a thread body: laid out alike.
    pub(crate) frame: V,
    pub(crate) lo: V,
    pub(crate) hi: V,
    pub(crate) slots: Vec<Slot>,
    homes: HashMap<(VarId, u32), Home>,
    wide_homes: HashMap<(VarId, u32), Home>,
    /// The open interleaved loop, and the copy of its body being emitted.
    pub(crate) jam: Option<Rc<Jam>>,
    pub(crate) copy: u32,
    /// Whether one statement is being emitted for one copy.
    pub(crate) in_copy: bool,
    /// Counters, known as values.
    pub(crate) fixed: HashMap<VarId, Val>,
    pub(crate) jumps: Vec<Jump>,
    pub(crate) sticky: Option<V>,
    pub(crate) lanes: Option<Lanes>,
    /// Access groups of the open independent loops.
    pub(crate) groups: Vec<Md>,
    pub(crate) exits: Exits,
    /// In a loop that goes on after an event: variables whose values may then be ones that nothing was proved about.
    pub(crate) loose: Option<Rc<Vars>>,
    /// Depth of conditionals around the current operation.
    pub(crate) conditional: u32,
    /// In the first or last iterations of a loop that is split: they are few, and run one by one.
    pub(crate) edge: Option<LoopId>,
    /// Whether this is the entry, not a thread body.
    pub(crate) is_entry: bool,
    /// In a thread body: variables that start from their reduction's identity, not from what ranges were proved for.
    pub(crate) reduced: Vec<VarId>,
    /// Variables of which it is kept whether they were assigned.
    pub(crate) marks: HashMap<VarId, V>,
    /// Loads that are now from a copy, and the copies.
    pub(crate) renamed: HashMap<AccessId, Slot>,
    /// Whether nobody may need the value being emitted.
    pub(crate) unread: bool,
    /// Words that idle values go into, and whether any did.
    pub(crate) kept: [V; 2],
    pub(crate) keeps: std::cell::Cell<bool>,
    /// On the host: results of kernels that nobody waits for.
    pub(crate) late: Late,
    /// In a kernel of a device: loops on its axes.
    pub(crate) axes: Option<crate::lower::gpu::kernel::Axes>,
    /// There, too: results that are looked at.
    pub(crate) finite: Option<Finite>,
    /// In a cooperative kernel: what its threads have in common.
    pub(crate) team: Option<crate::lower::gpu::cooperative::Team>,
    /// Whether somebody else looks at the result being emitted.
    pub(crate) covered: bool,
    /// The accumulation being emitted: what is proved of the whole sum need not hold of a part of it.
    pub(crate) wrapping: Option<*const Expr>,
    /// What is left until the function asks whether somebody waits, in a kernel that does.
    pub(crate) budget: Option<V>,
}

impl<'u, 'a> Func<'u, 'a> {
    pub(crate) fn ir(&self) -> &'u Ir<'a> {
        &self.u.ir
    }

    /// Starts a function with the given parameters; the frame is the first.
    pub(crate) fn new(u: &'u Unit<'a>, name: &str, params: &[T], is_entry: bool) -> Self {
        let ir = &u.ir;
        let ty = ir.function(ir.void(), params);
        let f = ir.add_function(&CString::new(name).unwrap_or_default(), ty);
        ir.attribute(f, "nounwind", 0);
        if u.device != Some(crate::lower::gpu::kernel::Registers::Ptx) {
            for (key, value) in u.host.attributes() {
                ir.string_attribute(f, key, &value);
            }
        }
        ir.string_attribute(f, "no-trapping-math", "true");
        ir.param_attribute(f, 0, "noalias");
        ir.param_attribute(f, 0, "nonnull");
        let entry = ir.block(f, c"entry");
        let (event, done) = (ir.block(f, c"event"), ir.block(f, c"done"));
        ir.at(entry);
        let cell = || ir.alloca(entry, ir.i64());
        let exits = Exits {
            event,
            done,
            line: cell(),
            code: cell(),
            status: cell(),
            at: cell(),
        };
        let mut func = Func {
            u,
            f,
            entry,
            frame: ir.param(f, 0),
            lo: ir.param(f, 1),
            hi: ir.param(f, 2),
            slots: Vec::new(),
            homes: HashMap::new(),
            wide_homes: HashMap::new(),
            jam: None,
            copy: 0,
            in_copy: false,
            fixed: HashMap::new(),
            jumps: Vec::new(),
            sticky: None,
            lanes: None,
            groups: Vec::new(),
            exits,
            loose: None,
            conditional: 0,
            edge: None,
            is_entry,
            reduced: Vec::new(),
            marks: HashMap::new(),
            renamed: HashMap::new(),
            unread: false,
            kept: [std::ptr::null_mut(); 2],
            keeps: std::cell::Cell::new(false),
            axes: None,
            team: None,
            finite: None,
            covered: false,
            late: Late::default(),
            wrapping: None,
            budget: None,
        };
        func.kept = func.kept_words(1);
        func.begin_budget();
        func
    }

    /// Ends the alloca block: everything after goes to a block of its own.
    pub(crate) fn start_body(&mut self) {
        let ir = self.ir();
        let body = ir.block(self.f, c"body");
        ir.br(body);
        ir.at(body);
    }

    pub(crate) fn fresh(&self) -> Block {
        self.ir().block(self.f, c"")
    }

    // Descriptors.

    /// Loads every descriptor from the frame.
    pub(crate) fn load_slots(&mut self) -> Result<()> {
        let u = self.u;
        for (id, decl) in u.nest.arrays.iter() {
            let Some(layout) = u.layout.slot(id).copied() else {
                return invalid(format!("no slot {id}"));
            };
            let ir = &u.ir;
            let moves = u.rebound.contains(&id.index()) && self.goes_through_nest();
            let cell = |offset: usize, ty: T| {
                let v = ir.load(ty, ir.offset_const(self.frame, offset));
                if moves {
                    let home = ir.alloca(self.entry, ty);
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
            let slot = Slot {
                ptr: cell(layout.ptr, ir.ptr()),
                extents: axis(layout.extents),
                strides: axis(layout.strides),
                tags: layout.tags.map(|at| cell(at, ir.ptr())),
                origin: cell(layout.origin, ir.i64()),
                shifted: false,
            };
            self.slots.push(slot);
        }
        Ok(())
    }

    /// Stores descriptors to a frame-like record: those that rebindings moved, or all.
    pub(crate) fn store_slots(&self, to: V, all: bool) {
        let ir = self.ir();
        for (id, _) in self.u.nest.arrays.iter() {
            let (Some(layout), Some(slot)) = (self.u.layout.slot(id), self.slots.get(id.index()))
            else {
                continue;
            };
            let put = |offset: usize, cell: Cell| {
                if all || matches!(cell, Cell::Memory(..)) {
                    ir.store(self.cell(cell), ir.offset_const(to, offset));
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

    pub(crate) fn cell(&self, cell: Cell) -> V {
        match cell {
            Cell::Value(v) => v,
            Cell::Memory(home, ty) => self.ir().load(ty, home),
        }
    }

    // Variables.

    pub(crate) fn repr(&self, var: VarId) -> Result<Scalar> {
        match self.u.nest.vars.get(var) {
            Some(v) => Ok(v.ty.repr),
            None => invalid(format!("no variable {var}")),
        }
    }

    /// A type, or the vector of it for wide values.
    pub(crate) fn shape(&self, ty: T, wide: bool) -> T {
        match &self.lanes {
            Some(l) if wide => self.ir().vector(ty, l.count),
            _ => ty,
        }
    }

    fn home_of(&self, repr: Scalar, wide: bool) -> Home {
        let (a, b) = self.u.components(repr);
        // Lanes that are not active compute all the same: what was never assigned is not to be anything that raises a flag.
        let make = |ty: T| match wide {
            true => self.ir().alloca_zeroed(self.entry, self.shape(ty, wide)),
            false => self.ir().alloca(self.entry, ty),
        };
        Home {
            a: make(a),
            b: b.map(make),
        }
    }

    /// A temporary of a representation.
    pub(crate) fn temporary(&self, repr: Scalar, wide: bool) -> Home {
        self.home_of(repr, wide)
    }

    pub(crate) fn home(&mut self, var: VarId, wide: bool) -> Result<Home> {
        let own = self.jam.as_ref().is_some_and(|j| j.varying.contains(&var));
        let key = (var, if own { self.copy } else { 0 });
        let known = if wide { &self.wide_homes } else { &self.homes };
        if let Some(h) = known.get(&key) {
            return Ok(*h);
        }
        let home = self.home_of(self.repr(var)?, wide);
        if wide {
            self.wide_homes.insert(key, home)
        } else {
            self.homes.insert(key, home)
        };
        Ok(home)
    }

    /// Forgets wide homes: another vector loop may have another number of lanes.
    pub(crate) fn forget_wide_homes(&mut self) {
        self.wide_homes.clear();
    }

    pub(crate) fn get(&self, home: Home, repr: Scalar, wide: bool) -> Val {
        let (a, b) = self.u.components(repr);
        let load = |ty: T, at: V| self.ir().load(self.shape(ty, wide), at);
        let second = match (b, home.b) {
            (Some(ty), Some(at)) => Some(load(ty, at)),
            _ => None,
        };
        Val {
            a: load(a, home.a),
            b: second,
            wide,
        }
    }

    /// Stores a value of the home's own shape.
    pub(crate) fn put(&self, home: Home, value: Val) {
        self.ir().store(value.a, home.a);
        if let (Some(at), Some(v)) = (home.b, value.b) {
            self.ir().store(v, at);
        }
    }

    pub(crate) fn read(&mut self, var: VarId) -> Result<Val> {
        if let Some(v) = self.fixed.get(&var) {
            return Ok(*v);
        }
        let wide = self
            .lanes
            .as_ref()
            .is_some_and(|l| l.facts.varying.contains(&var));
        let (home, repr) = (self.home(var, wide)?, self.repr(var)?);
        Ok(self.get(home, repr, wide))
    }

    pub(crate) fn write(&mut self, var: VarId, value: Val) -> Result<()> {
        let wide = self
            .lanes
            .as_ref()
            .is_some_and(|l| l.facts.varying.contains(&var));
        if value.wide && !wide {
            return invalid(format!("{var} differs between lanes"));
        }
        let home = self.home(var, wide)?;
        if !wide {
            self.put(home, value);
            return Ok(());
        }
        let mut value = self.widen(value);
        // Lanes that a partial vector lacks may hold anything; those that wait elsewhere keep their value.
        if self.diverged()
            && let Some(mask) = self.mask()
        {
            let old = self.get(home, self.repr(var)?, true);
            value = self.choose(mask, value, old);
        }
        self.put(home, value);
        Ok(())
    }

    /// Loads a variable's cell of a frame-like record into its home.
    pub(crate) fn load_var(&mut self, var: VarId, from: V) -> Result<()> {
        let Some(offset) = self.u.layout.var(var) else {
            return invalid(format!("no variable {var}"));
        };
        let home = self.home(var, false)?;
        let value = self.load_cell(self.repr(var)?, self.ir().offset_const(from, offset));
        self.put(home, value);
        Ok(())
    }

    pub(crate) fn store_var(&mut self, var: VarId, to: V) -> Result<()> {
        let Some(offset) = self.u.layout.var(var) else {
            return invalid(format!("no variable {var}"));
        };
        let value = self.read(var)?;
        self.store_cell(self.repr(var)?, value, self.ir().offset_const(to, offset));
        Ok(())
    }

    /// Reads a 16-byte cell.
    pub(crate) fn load_cell(&self, repr: Scalar, at: V) -> Val {
        let ir = self.ir();
        let (a, b) = self.u.components(repr);
        let flag = |at: V| {
            let byte = ir.load(ir.i8(), at);
            ir.icmp(
                crate::llvm::IntPred::LLVMIntNE,
                byte,
                ir.const_int(ir.i8(), 0),
            )
        };
        match repr {
            Scalar::Bool => Val::one(flag(at)),
            Scalar::Num => Val::pair(ir.load(a, at), flag(ir.offset_const(at, 8)), false),
            _ => {
                let half = repr.size() / 2;
                Val {
                    a: ir.load(a, at),
                    b: b.map(|ty| ir.load(ty, ir.offset_const(at, half))),
                    wide: false,
                }
            }
        }
    }

    /// Writes a 16-byte cell.
    pub(crate) fn store_cell(&self, repr: Scalar, value: Val, at: V) {
        let ir = self.ir();
        match (repr, value.b) {
            (Scalar::Bool, _) => {
                ir.store(ir.zext(value.a, ir.i8()), at);
            }
            (Scalar::Num, Some(tag)) => {
                ir.store(value.a, at);
                ir.store(ir.zext(tag, ir.i8()), ir.offset_const(at, 8));
            }
            (_, b) => {
                ir.store(value.a, at);
                if let Some(b) = b {
                    ir.store(b, ir.offset_const(at, repr.size() / 2));
                }
            }
        }
    }

    // Shapes.

    pub(crate) fn count(&self) -> u32 {
        self.lanes.as_ref().map_or(1, |l| l.count)
    }
    /// The wide form of a value.
    pub(crate) fn widen(&self, v: Val) -> Val {
        if v.wide {
            return v;
        }
        let splat = |x: V| self.ir().splat(x, self.count());
        Val {
            a: splat(v.a),
            b: v.b.map(splat),
            wide: true,
        }
    }
    /// Both in one shape.
    pub(crate) fn unify(&self, x: Val, y: Val) -> (Val, Val) {
        if x.wide == y.wide {
            (x, y)
        } else {
            (self.widen(x), self.widen(y))
        }
    }
    /// `cond ? x : y` on all components; a wide condition makes all wide.
    pub(crate) fn choose(&self, cond: Val, x: Val, y: Val) -> Val {
        let ir = self.ir();
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
    pub(crate) fn const_int(&self, repr: Scalar, value: i128, wide: bool) -> V {
        let (ty, _) = self.u.components(repr);
        self.spread(self.ir().const_int(ty, value), wide)
    }
    pub(crate) fn const_float(&self, repr: Scalar, value: f64, wide: bool) -> V {
        let ty = if matches!(repr, Scalar::F32 | Scalar::C64) {
            self.ir().f32()
        } else {
            self.ir().f64()
        };
        self.spread(self.ir().const_float(ty, value), wide)
    }
    pub(crate) fn const_bool(&self, value: bool, wide: bool) -> V {
        self.spread(self.ir().const_bool(value), wide)
    }
    /// The constant in the wanted shape.
    pub(crate) fn spread(&self, v: V, wide: bool) -> V {
        if wide {
            self.ir().splat(v, self.count())
        } else {
            v
        }
    }

    // Events.

    /// Whether execution continues after an event.
    pub(crate) fn continues(&self) -> bool {
        self.lanes.is_some() || self.sticky.is_some()
    }

    /// Whether values here may be ones that an event left behind, about which nothing was proved: divisors and
    /// computed indices are then tested, guard or not. Firing once more is harmless.
    pub(crate) fn suspects_values(&self) -> bool {
        self.loose.is_some()
    }

    /// Whether one of these indices may be wrong after an event. Counters and invariants never are; saturated
    /// arithmetic on them stays within what was proved.
    pub(crate) fn suspects(&self, index: &[Expr]) -> bool {
        let Some(loose) = &self.loose else {
            return false;
        };
        index
            .iter()
            .any(|e| definite_assignment::is_loose(e, loose))
    }

    /// Fires an event where `bad` is true.
    pub(crate) fn fire(&self, bad: V, wide: bool, code: EventCode, span: Span) {
        let ir = self.ir();
        if ir.is_false(bad) || self.u.spec.unchecked {
            return;
        }
        self.u.events.set(true);
        if let Some(l) = &self.lanes {
            let sticky = l.sticky;
            let mut bad = self.widen(Val::shaped(bad, wide)).a;
            if let Some(mask) = self.mask() {
                bad = ir.and(bad, mask.a);
            }
            let old = ir.load(ir.type_of(bad), sticky);
            ir.store(ir.or(old, bad), sticky);
        } else if let Some(sticky) = self.sticky {
            let old = ir.load(ir.i1(), sticky);
            ir.store(ir.or(old, bad), sticky);
        } else {
            let next = self.fresh();
            self.leave_if(bad, next, code, span);
            ir.at(next);
        }
    }

    /// Branches to the event exit if `bad`, else to `next`.
    pub(crate) fn leave_if(&self, bad: V, next: Block, code: EventCode, span: Span) {
        let ir = self.ir();
        let fired = self.fresh();
        ir.expect(ir.cond_br(bad, fired, next), 1, 1 << 20);
        ir.at(fired);
        ir.store(ir.const_i64(span.line.into()), self.exits.line);
        ir.store(ir.const_i64(code as i64), self.exits.code);
        ir.br(self.exits.event);
    }

    /// The lanes now active, if not all are known to be.
    pub(crate) fn mask(&self) -> Option<Val> {
        let l = self.lanes.as_ref().filter(|l| l.partial || l.diverged)?;
        let ir = self.ir();
        Some(Val::shaped(
            ir.load(ir.vector(ir.i1(), l.count), l.exec),
            true,
        ))
    }
}
