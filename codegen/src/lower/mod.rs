//! Typed nest to LLVM IR.
//!
//! Every variable is an alloca, promoted by LLVM. Every operation is emitted once for two shapes: *narrow* (one
//! value) and *wide* (a vector with one lane per iteration of the enclosing vector loop; see [`lanes`]).
//!
//! # Events
//! A guarded operation reports through [`Func::fire`], which does one of three things: branch to the function's
//! event block; in a loop that LLVM may vectorise, set a sticky flag that is tested after the loop; in a vector loop, set
//! a flag per lane. In the latter two execution continues after an event, so the operation must then yield some
//! value that is safe: integers saturate (what was proved about ranges still holds), loads that would be out
//! of range do not happen and give zero, divisors become one.

pub(crate) mod control;
pub(crate) mod func;
pub(crate) mod gpu;
pub(crate) mod math;
pub(crate) mod memory;
pub(crate) mod scalar;
pub(crate) mod threads;
pub(crate) mod vector;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use inkwell::context::Context;
use inkwell::module::Module;
use nestwise_analysis::dataflow::constants::Constants;
use nestwise_analysis::dataflow::definite_assignment::{self, Vars};
use nestwise_analysis::dataflow::fp_flags::Idle;
use nestwise_ir::{ArrayId, BinOp, Expr, ExprKind, For, LoopId, Nest, Scalar, StmtKind, VarId};

use crate::KernelSpec;
use crate::abi::{self, FrameLayout};
use crate::error::{CodegenError, Result};
use crate::llvm::{Ir, Md, T, V, distinct_nodes};
use crate::lower::gpu::{grid, kernel};
use crate::lower::vector::extremes;
use crate::target::Host;

pub(crate) use crate::lower::func::Func;

/// A value: one or two components (complex parts; a number and its int tag), narrow or wide.
#[derive(Clone, Copy)]
pub(crate) struct Val {
    pub(crate) a: V,
    pub(crate) b: Option<V>,
    pub(crate) wide: bool,
}

impl Val {
    pub(crate) fn one(a: V) -> Val {
        Val {
            a,
            b: None,
            wide: false,
        }
    }
    pub(crate) fn shaped(a: V, wide: bool) -> Val {
        Val { a, b: None, wide }
    }
    pub(crate) fn pair(a: V, b: V, wide: bool) -> Val {
        Val {
            a,
            b: Some(b),
            wide,
        }
    }
    /// The second component.
    pub(crate) fn second(self) -> Result<V> {
        self.b
            .ok_or_else(|| CodegenError::Invalid("a value without second component".into()))
    }
}

/// What the functions of one kernel share.
pub(crate) struct Unit<'a> {
    pub(crate) spec: &'a KernelSpec<'a>,
    pub(crate) nest: &'a Nest,
    pub(crate) layout: FrameLayout,
    pub(crate) ir: Ir<'a>,
    pub(crate) host: &'a Host,
    /// Slots that a rebinding may permute.
    rebound: HashSet<usize>,
    unit_stride: Vec<bool>,
    /// Per slot: its alias scope list, and the list of those it does not alias.
    alias: Vec<Option<(Md, Md)>>,
    /// Access groups of loops whose iterations are independent.
    groups: HashMap<LoopId, Md>,
    /// Loops in which events are sticky.
    sticky: HashSet<LoopId>,
    /// Variables that entry loads from the frame, and those it stores.
    frame_in: Vars,
    frame_out: Vars,
    /// Slots that some statement stores to.
    pub(crate) stored: HashSet<ArrayId>,
    /// Variables read outside a loop are live after it; this counts reads of a variable in the whole nest.
    reads: HashMap<VarId, usize>,
    /// See [`extremes::checked`].
    pub(crate) extremes: HashSet<VarId>,
    /// Values that may have to warn and that nobody may need.
    pub(crate) idle: Idle,
    /// Values that LLVM may compute with itself.
    pub(crate) constants: Constants,
    /// Whether an innermost loop was emitted that LLVM may vectorise.
    pub(crate) scalar_loops: Cell<bool>,
    /// Whether a way to the event exit was emitted.
    pub(crate) events: Cell<bool>,
    /// What kernels are made of, if loops run on a device.
    pub(crate) grid: Option<grid::Grid<'a>>,
    /// These are kernels of a device.
    pub(crate) device: Option<kernel::Registers>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(
        context: &'a Context,
        module: &Module<'_>,
        spec: &'a KernelSpec<'a>,
        host: &'a Host,
    ) -> Result<Unit<'a>> {
        let nest = spec.nest;
        let ir = Ir::new(context, module, crate::fast_math(spec.fp), spec.quiet);
        let rebound = rebound_slots(nest);
        let mut unit_stride: Vec<bool> = (0..nest.arrays.len())
            .map(|i| spec.unit_stride.get(i).copied().unwrap_or(false))
            .collect();
        // A permuted slot holds any of its group, so a fact must hold for all.
        let all_unit = rebound.iter().all(|&i| unit_stride[i]);
        for &i in &rebound {
            unit_stride[i] &= all_unit;
        }
        let (frame_in, frame_out) = frame_vars(nest);
        let idle = Idle::of(nest, &frame_out, spec.schedule.nonempty);
        let mut unit = Unit {
            spec,
            nest,
            layout: FrameLayout::of(nest),
            ir,
            host,
            rebound,
            unit_stride,
            alias: Vec::new(),
            groups: HashMap::new(),
            sticky: HashSet::new(),
            frame_in,
            frame_out,
            stored: stored(nest),
            reads: reads(nest),
            extremes: extremes::checked(nest),
            idle,
            constants: Constants::of(nest),
            scalar_loops: Cell::new(false),
            events: Cell::new(false),
            grid: None,
            device: None,
        };
        unit.alias = unit.alias_scopes();
        unit.independent_loops(context)?;
        Ok(unit)
    }

    /// One scope per slot. Slots that are permuted among each other get no mutual guarantee: the scopes hold for
    /// the whole function, where one slot is today what the other was an iteration ago.
    fn alias_scopes(&self) -> Vec<Option<(Md, Md)>> {
        let count = self.nest.arrays.len();
        if !self.spec.disjoint || count < 2 {
            return vec![None; count];
        }
        let domain = self.ir.md_node(&[self.ir.md_string("slots")]);
        let scopes: Vec<Md> = (0..count)
            .map(|i| {
                self.ir
                    .md_node(&[self.ir.md_string(&format!("slot {i}")), domain])
            })
            .collect();
        (0..count)
            .map(|i| {
                let both = |j: usize| self.rebound.contains(&i) && self.rebound.contains(&j);
                let others: Vec<Md> = (0..count)
                    .filter(|&j| j != i && !both(j))
                    .map(|j| scopes[j])
                    .collect();
                Some((self.ir.md_node(&[scopes[i]]), self.ir.md_node(&others)))
            })
            .collect()
    }

    fn independent_loops(&mut self, context: &Context) -> Result<()> {
        let schedule = self.spec.schedule;
        let ids = &schedule.independent;
        let watched = |id: &LoopId| ids.contains(id) || schedule.in_step.contains(id);
        let mut checked = HashSet::new();
        self.nest.walk(&mut |s| {
            let body = match &s.kind {
                StmtKind::For(l) if watched(&l.id) => Some((l.id, &l.body)),
                _ => None,
            };
            if let Some((id, body)) = body {
                let mut simple = definite_assignment::exits(body).is_empty();
                for s in body {
                    // A failed check means that nothing after it was proved, and an inner loop might not end.
                    s.walk(&mut |s| {
                        simple &= !matches!(
                            s.kind,
                            StmtKind::Check { .. }
                                | StmtKind::While(_)
                                | StmtKind::For(_)
                                | StmtKind::Rebind(_)
                        );
                        for e in s.exprs() {
                            // The helper does not saturate.
                            e.walk(&mut |e| simple &= !is_helper_power(e));
                        }
                    });
                }
                if simple {
                    checked.insert(id);
                }
            }
        });
        self.sticky = checked;
        if !ids.is_empty() {
            let nodes = distinct_nodes(context, ids.len()).map_err(CodegenError::Llvm)?;
            self.groups = ids.iter().copied().zip(nodes).collect();
        }
        Ok(())
    }

    /// Register types of the components of a representation.
    pub(crate) fn components(&self, repr: Scalar) -> (T, Option<T>) {
        let ir = &self.ir;
        match repr {
            Scalar::Bool => (ir.i1(), None),
            Scalar::F32 => (ir.f32(), None),
            Scalar::F64 => (ir.f64(), None),
            Scalar::C64 => (ir.f32(), Some(ir.f32())),
            Scalar::C128 => (ir.f64(), Some(ir.f64())),
            Scalar::Num => (ir.f64(), Some(ir.i1())),
            _ => (ir.int(repr.bits()), None),
        }
    }

    /// The reads in a loop's body as the nest has it, of which `l` may be a part.
    pub(crate) fn reads_of_loop(&self, l: &For) -> HashMap<VarId, usize> {
        let mut found = None;
        self.nest.walk(&mut |s| {
            if let StmtKind::For(whole) = &s.kind
                && whole.id == l.id
            {
                found = Some(reads_in(&whole.body));
            }
        });
        found.unwrap_or_else(|| reads_in(&l.body))
    }

    /// Whether anything outside `inside` (the statements of a loop) reads `var`, or the frame gets it.
    pub(crate) fn live_after(&self, var: VarId, inside: &HashMap<VarId, usize>) -> bool {
        let all = self.reads.get(&var).copied().unwrap_or(0);
        let here = inside.get(&var).copied().unwrap_or(0);
        all > here || self.frame_out.contains(&var)
    }

    /// Whether anything but that loop's body needs a value of `var` that it has not assigned itself: where a loop is there in
    /// two forms, they assign and read the same variables.
    pub(crate) fn needed_without(&self, id: LoopId, var: VarId) -> bool {
        let mut rest = self.nest.top.clone();
        empty(&mut rest, id);
        let flow = definite_assignment::flow(&[], &[rest], None, self.spec.schedule.nonempty);
        flow.exposed.contains(&var) || self.frame_out.contains(&var)
    }
}

/// Takes the body of a loop away.
fn empty(stmt: &mut nestwise_ir::Stmt, id: LoopId) {
    match &mut stmt.kind {
        StmtKind::For(l) if l.id == id => l.body.clear(),
        _ => {
            for block in stmt.blocks_mut() {
                block.iter_mut().for_each(|s| empty(s, id));
            }
        }
    }
}

/// A power of ints that is not a constant number of products.
fn is_helper_power(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary {
            op: BinOp::Pow, b, ..
        } => e.ty.repr.is_int() && !b.as_int().is_some_and(|n| (0..=4).contains(&n)),
        _ => false,
    }
}

/// Counts reads of variables in the statements below `block`.
pub(crate) fn reads_in(block: &[nestwise_ir::Stmt]) -> HashMap<VarId, usize> {
    let mut counts = HashMap::new();
    for s in block {
        s.walk(&mut |s| {
            for e in s.exprs() {
                e.walk(&mut |e| {
                    if let ExprKind::Var(v) = e.kind {
                        *counts.entry(v).or_insert(0) += 1;
                    }
                });
            }
        });
    }
    counts
}

fn reads(nest: &Nest) -> HashMap<VarId, usize> {
    let mut counts = reads_in(&nest.prologue);
    for (v, n) in reads_in(std::slice::from_ref(&nest.top)) {
        *counts.entry(v).or_insert(0) += n;
    }
    counts
}

fn stored(nest: &Nest) -> HashSet<ArrayId> {
    let mut found = HashSet::new();
    nest.walk(&mut |s| {
        if let StmtKind::Store { array, .. } = &s.kind {
            found.insert(*array);
        }
    });
    found
}

fn rebound_slots(nest: &Nest) -> HashSet<usize> {
    let mut found = HashSet::new();
    nest.walk(&mut |s| {
        if let StmtKind::Rebind(pairs) = &s.kind {
            found.extend(pairs.iter().flat_map(|(d, s)| [d.index(), s.index()]));
        }
    });
    found
}

/// Whether what is evaluated before the first iteration must not be evaluated again in later calls: it reads a
/// variable that the nest assigns.
pub(crate) fn first_call_only(nest: &Nest) -> bool {
    let body = top_flow(nest);
    let mut variant = false;
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                variant |= body.assigned.contains(&v);
            }
        });
    };
    for s in &nest.prologue {
        s.exprs().for_each(&mut look);
    }
    if let StmtKind::For(l) = &nest.top.kind {
        look(&l.start);
        look(&l.step);
    }
    variant
}

/// What one iteration of the top loop does to variables.
pub(crate) fn top_flow(nest: &Nest) -> definite_assignment::Flow {
    match &nest.top.kind {
        StmtKind::For(l) => {
            let mut flow = definite_assignment::flow(&[], &l.body, Some(l.id), 0);
            flow.exposed.remove(&l.counter);
            nest.whole.map(|end| flow.exposed.remove(&end));
            flow
        }
        StmtKind::While(l) => definite_assignment::flow(&[&l.cond], &l.body, Some(l.id), 0),
        _ => definite_assignment::Flow::default(),
    }
}

/// A name that the top loop carries from one iteration to the next, and that the nest does not hand over: CPython, which may go
/// on between any two iterations, would find what the name held before the loop.
pub(crate) fn carried_and_kept(nest: &Nest) -> Option<VarId> {
    let top = top_flow(nest);
    // A name may be handed over from several variables, of a type each.
    let handed: HashSet<&str> = abi::results(nest)
        .into_iter()
        .filter_map(|v| nest.vars.get(v).map(|v| v.name.as_str()))
        .collect();
    let mut carried = top.exposed.intersection(&top.assigned).copied();
    carried.find(|v| {
        let var = &nest.vars[*v];
        var.live_in.is_some() && !handed.contains(var.name.as_str())
    })
}

/// Variables to load at entry and to store at exit, so that consecutive calls continue each other.
fn frame_vars(nest: &Nest) -> (Vars, Vars) {
    let top = top_flow(nest);
    let prologue = definite_assignment::flow(&[], &nest.prologue, None, 0);
    let results: Vars = abi::results(nest).into_iter().collect();
    // Read before assigned in an iteration: comes from the frame (or the prologue), and is carried on if assigned.
    // Whatever reaches a result without being assigned in this call has to come from the frame as well.
    let mut input: Vars = top.exposed.union(&results).copied().collect();
    input.extend(&prologue.exposed);
    if let StmtKind::For(l) = &nest.top.kind {
        for e in [&l.start, &l.step] {
            e.walk(&mut |e| {
                if let ExprKind::Var(v) = e.kind {
                    input.insert(v);
                }
            });
        }
    }
    let mut assigned: Vars = top.assigned.union(&prologue.assigned).copied().collect();
    assigned.retain(|v| {
        top.exposed.contains(v) && top.assigned.contains(v)
            || results.contains(v)
            || first_call_only(nest) && prologue.assigned.contains(v)
    });
    (input, assigned)
}

/// Emits the kernel's functions.
pub(crate) fn emit(unit: &Unit<'_>) -> Result<()> {
    let mut func = Func::entry(unit);
    func.nest()?;
    // Whoever launches the kernel saves nothing for a nest that may not fire.
    if unit.events.get() && !nestwise_ir::guarded::nest_may_fire(unit.nest) {
        return crate::error::invalid("an event in a nest without any");
    }
    Ok(())
}
