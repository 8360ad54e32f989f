//! What the functions of one kernel share.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use inkwell::context::Context;
use inkwell::module::Module;
use nestwise_analysis::dataflow::constants::Constants;
use nestwise_analysis::dataflow::definite_assignment;
use nestwise_analysis::dataflow::fp_flags::FlagOnly;
use nestwise_analysis::dataflow::scheduled::Scheduled;
use nestwise_ir::{ArrayId, BinOp, Expr, ExprKind, FpMode, LoopId, Nest, Scalar, StmtKind, VarId};

use crate::abi::FrameLayout;
use crate::error::{CodegenError, Result, invalid};
use crate::grid::GridKernel;
use crate::llvm::{IntPred, Ir, Md, T, V, distinct_nodes};
use crate::lower::value::Val;
use crate::lower::vector::extreme_chains;
use crate::spec::KernelSpec;
use crate::target::Host;

/// Where a thread of a device reads its position in the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Registers {
    /// The position is in special registers of PTX.
    Ptx,
    /// The position is in memory, behind the function's last argument.
    Memory,
}

/// The kernels that are made beside a host's part.
pub(crate) struct Grid<'a> {
    /// The unit that the kernels are made in.
    pub(crate) device: &'a Unit<'a>,
    pub(crate) kernels: RefCell<Vec<GridKernel>>,
}

impl<'a> Grid<'a> {
    pub(crate) fn new(device: &'a Unit<'a>) -> Grid<'a> {
        Grid {
            device,
            kernels: RefCell::default(),
        }
    }

    /// The number of kernels so far.
    pub(crate) fn len(&self) -> usize {
        self.kernels.borrow().len()
    }

    /// Adds a kernel; returns its number.
    pub(crate) fn next(&self, kernel: GridKernel) -> usize {
        let mut kernels = self.kernels.borrow_mut();
        kernels.push(kernel);
        kernels.len() - 1
    }
}

/// What the functions of one kernel share.
pub(crate) struct Unit<'a> {
    pub(crate) spec: &'a KernelSpec<'a>,
    pub(crate) nest: &'a Nest,
    pub(crate) layout: FrameLayout,
    pub(crate) ir: Ir<'a>,
    pub(crate) host: &'a Host,
    /// The slots that a rebinding may permute.
    pub(crate) rebound: HashSet<usize>,
    pub(crate) unit_stride: Vec<bool>,
    /// For each slot: its alias scope list, and the list of the slots that it does not alias.
    pub(crate) alias: Vec<Option<(Md, Md)>>,
    /// The access groups of loops whose iterations are independent.
    pub(crate) groups: HashMap<LoopId, Md>,
    /// The loops in which guard failures are deferred: tested for behind the loop.
    pub(crate) deferred: HashSet<LoopId>,
    /// The nest and its schedule, with what is read after what.
    pub(crate) scheduled: Scheduled<'a>,
    /// The slots that some statement stores to.
    pub(crate) stored: HashSet<ArrayId>,
    /// The variables that are extremes of arrays and neither zero nor NaN: see [`extreme_chains::checked`].
    pub(crate) extremes: HashSet<VarId>,
    /// The values that may have to warn and that nobody may need.
    pub(crate) flag_only: FlagOnly,
    /// The values that LLVM may compute with itself.
    pub(crate) constants: Constants,
    /// Whether an innermost loop was emitted that LLVM may vectorise.
    pub(crate) scalar_loops: Cell<bool>,
    /// Whether a way to the exit of guard failures was emitted.
    pub(crate) may_fail: Cell<bool>,
    /// The kernels that are made for a device, if loops run on one and this is the host's part.
    pub(crate) grid: Option<Grid<'a>>,
    /// How a kernel's threads find their position in the grid, if these are kernels of a device.
    pub(crate) device: Option<Registers>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(
        context: &'a Context,
        module: &Module<'_>,
        spec: &'a KernelSpec<'a>,
        host: &'a Host,
    ) -> Result<Unit<'a>> {
        let nest = spec.nest;
        let ir = Ir::new(context, module, fast_math(spec.fp), spec.quiet);
        let rebound = rebound_slots(nest);
        let mut unit_stride: Vec<bool> = (0..nest.arrays.len())
            .map(|i| spec.unit_stride.get(i).copied().unwrap_or(false))
            .collect();
        // A permuted slot holds any of its group, so a fact must hold for all.
        let all_unit = rebound.iter().all(|&i| unit_stride[i]);
        for &i in &rebound {
            unit_stride[i] &= all_unit;
        }
        let scheduled = Scheduled::of(nest, spec.schedule);
        let flag_only = FlagOnly::of(nest, &scheduled.frame_out, spec.schedule.nonempty);
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
            deferred: HashSet::new(),
            scheduled,
            stored: stored(nest),
            extremes: extreme_chains::checked(nest),
            flag_only,
            constants: Constants::of(nest),
            scalar_loops: Cell::new(false),
            may_fail: Cell::new(false),
            grid: None,
            device: None,
        };
        unit.alias = unit.alias_scopes();
        unit.independent_loops(context)?;
        Ok(unit)
    }

    /// Makes one alias scope per slot. Slots that are permuted among each other get no mutual guarantee: the scopes
    /// hold for the whole function, where one slot is today what the other was an iteration ago.
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
        let watched = |id: &LoopId| ids.contains(id) || schedule.lockstep.contains(id);
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
        self.deferred = checked;
        if !ids.is_empty() {
            let nodes = distinct_nodes(context, ids.len()).map_err(CodegenError::Llvm)?;
            self.groups = ids.iter().copied().zip(nodes).collect();
        }
        Ok(())
    }

    /// The register types of the components of a representation.
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

    /// The representation of a variable.
    pub(crate) fn repr(&self, var: VarId) -> Result<Scalar> {
        match self.nest.vars.get(var) {
            Some(v) => Ok(v.ty.repr),
            None => invalid(format!("no variable {var}")),
        }
    }

    /// The representation of an array's elements in memory.
    pub(crate) fn storage(&self, array: ArrayId) -> Result<Scalar> {
        match self.nest.arrays.get(array) {
            Some(a) => Ok(a.storage),
            None => invalid(format!("no slot {array}")),
        }
    }

    /// The representation of an array's elements as values.
    pub(crate) fn element(&self, array: ArrayId) -> Result<Scalar> {
        match self.nest.arrays.get(array) {
            Some(a) => Ok(a.elem.repr),
            None => invalid(format!("no slot {array}")),
        }
    }

    /// The memory type of an element, or of one of its two parts.
    pub(crate) fn memory_type(&self, storage: Scalar) -> T {
        let ir = &self.ir;
        match storage {
            Scalar::Bool => ir.i8(),
            Scalar::F32 | Scalar::C64 => ir.f32(),
            Scalar::F64 | Scalar::C128 | Scalar::Num => ir.f64(),
            _ => ir.int(storage.bits()),
        }
    }

    /// Reads a 16-byte cell.
    pub(crate) fn load_cell(&self, repr: Scalar, at: V) -> Val {
        let ir = &self.ir;
        let (a, b) = self.components(repr);
        let flag = |at: V| {
            let byte = ir.load(ir.i8(), at);
            ir.icmp(IntPred::LLVMIntNE, byte, ir.const_int(ir.i8(), 0))
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
        let ir = &self.ir;
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
}

/// Whether an expression is a power of ints that is not a constant number of products.
fn is_helper_power(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary {
            op: BinOp::Pow, b, ..
        } => e.ty.repr.is_int() && !b.as_int().is_some_and(|n| (0..=4).contains(&n)),
        _ => false,
    }
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

/// LLVM's fast-math flags for a mode. Neither `nnan` nor `ninf`: NaN and infinities mean in every mode what they mean
/// in Python, and decide what raises and warns. Nor `nsz`, `arcp` or `afn`: the sign of zero, quotients and functions
/// stay as they are.
fn fast_math(fp: FpMode) -> u32 {
    match fp {
        FpMode::Strict | FpMode::Faithful => 0,
        FpMode::Fast => llvm_sys::LLVMFastMathAllowReassoc | llvm_sys::LLVMFastMathAllowContract,
    }
}
