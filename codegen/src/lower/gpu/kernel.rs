//! Functions that threads of a device run: kernels, and parts of cooperative ones.
//!
//! Each is given an environment, the bounds of a range, and where its status is; and, on an emulated device or as a part, where
//! its place in the grid is told, which kernels of a card have in registers.

use std::ffi::CString;

use nestwise_ir::{LoopId, Scalar, Span, VarId};

use crate::abi::{EventCode, Status, part};
use crate::error::{Result, invalid};
use crate::grid::{BLOCK_THREADS, GridKernel, USUAL_THREADS, WARP, kernel_name};
use crate::llvm::{Ir, RealPred, V};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::cooperative;
use crate::lower::gpu::reductions;
use crate::lower::gpu::reductions::{Placed, Records};
use crate::lower::gpu::register_tiles::Tile;
use crate::lower::gpu::updates::Unshared;
use crate::lower::gpu::warps;
use crate::lower::scalar::flag_values;
use crate::lower::unit::{Registers, Unit};

/// The loops of a kernel.
#[derive(Default)]
pub(crate) struct Axes {
    /// Outermost first.
    pub(crate) loops: Vec<LoopId>,
    /// Those along which a thread runs several iterations at once.
    pub(crate) tile: Option<Tile>,
    /// Variables that the last iteration of all leaves behind, and where, behind the status.
    pub(crate) results: Vec<(VarId, usize)>,
    /// Whether the last iteration of each was run: of the inner ones, in the current iteration of the outermost.
    pub(crate) last: Vec<V>,
    /// The status, which those are behind.
    pub(crate) status: Option<V>,
    /// What is reduced.
    pub(crate) records: Option<Records>,
    pub(crate) placed: Vec<Option<Placed>>,
    /// The current iteration of each axis, the innermost first, where it matters.
    pub(crate) now: Vec<V>,
    /// Arrays that threads do not share.
    pub(crate) unshared: Unshared,
    /// The place in the grid, where it is in memory.
    pub(crate) place: Option<V>,
}

/// A function that threads of a device run.
#[derive(Clone, Copy)]
pub(crate) enum Threaded {
    /// A kernel of that number.
    Kernel(usize),
    /// A part of a cooperative one, and which.
    Part(usize, usize),
}

impl Threaded {
    pub(crate) fn symbol(self) -> CString {
        let name = match self {
            Threaded::Kernel(number) => kernel_name(number),
            Threaded::Part(kernel, number) => format!("nw_part_{kernel}_{number}"),
        };
        CString::new(name).unwrap_or_default()
    }

    /// On a card: memory for the records of a block's warps.
    pub(crate) fn shared_memory(self, ir: &Ir<'_>, record: usize) -> V {
        let name = format!("{}_shared", self.symbol().to_string_lossy());
        ir.shared_memory(&name, BLOCK_THREADS / WARP * record)
    }

    /// Begins it: its parameters are its environment, the bounds of a range, where its status is, and, where that is in memory,
    /// its place in the grid.
    pub(crate) fn function<'u, 'a>(self, u: &'u Unit<'a>) -> Emitter<'u, 'a> {
        let ir = &u.ir;
        let (ptr, i64t) = (ir.ptr(), ir.i64());
        let mut params = vec![ptr, i64t, i64t, ptr];
        params.extend(self.place_in_memory(u).then_some(ptr));
        let f = Emitter::new(u, &self.symbol().to_string_lossy(), &params, false);
        match self {
            Threaded::Part(..) => {
                ir.set_internal(f.function.value);
                ir.attribute(f.function.value, "alwaysinline", 0);
            }
            Threaded::Kernel(_) if u.device == Some(Registers::Ptx) => {
                ir.set_kernel(f.function.value, u.layout.size as u64);
            }
            Threaded::Kernel(_) => {}
        }
        f
    }

    fn place_in_memory(self, u: &Unit<'_>) -> bool {
        u.device == Some(Registers::Memory) || matches!(self, Threaded::Part(..))
    }
}

impl Axes {
    /// None, in a function that finds its place in the grid there.
    pub(crate) fn at(place: V) -> Axes {
        Axes {
            place: Some(place),
            ..Axes::default()
        }
    }
}

/// What a special register tells, in the order of [`crate::abi::GridThread`].
const KINDS: [&str; 4] = ["tid", "ntid", "ctaid", "nctaid"];
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

pub(crate) fn register(em: &Emitter<'_, '_>, kind: usize, axis: usize) -> V {
    let ir = em.ir;
    match em.gpu.axes.as_ref().and_then(|a| a.place) {
        Some(place) => {
            let at = ir.offset_const(place, 8 * (3 * kind + axis));
            ir.load(ir.i64(), at)
        }
        None => {
            let name = format!("llvm.nvvm.read.ptx.sreg.{}.{}", KINDS[kind], AXES[axis]);
            ir.zext(ir.intrinsic(&name, &[], &[]), ir.i64())
        }
    }
}

/// A float as an int, on a device: what does not fit is left to the host, whose instruction has a result of its own.
pub(crate) fn device_int(em: &Emitter<'_, '_>, x: V, ty: crate::llvm::T, to: Scalar) -> V {
    let ir = em.ir;
    let float = ir.type_of(x);
    let (name, back) = match to.is_signed() {
        true => {
            let v = ir.intrinsic("llvm.fptosi.sat", &[ty, float], &[x]);
            (v, ir.sitofp(v, float))
        }
        false => {
            let v = ir.intrinsic("llvm.fptoui.sat", &[ty, float], &[x]);
            (v, ir.uitofp(v, float))
        }
    };
    let whole = ir.intrinsic("llvm.trunc", &[float], &[x]);
    ir.note(ir.fcmp(RealPred::LLVMRealUNE, back, whole));
    name
}

/// Tells ptxas of tiles that they may have the registers that they need. It would else save some, and have loads wait for each
/// other: on an H200 a product in tiles of 4 by 4 then takes three times as long. (Others lose by being told: tiles of 8 by 4 get
/// what they need without, and with nothing but the most threads of a block some kernels are made to spill.)
fn bounds(f: &Emitter<'_, '_>, axes: &Axes) {
    if axes.tile.as_ref().is_some_and(Tile::wants_registers) {
        let ir = f.ir;
        ir.string_attribute(f.function.value, "nvvm.maxntid", &USUAL_THREADS.to_string());
        ir.string_attribute(f.function.value, "nvvm.minctasm", "1");
    }
}

/// What kernels are made in: their own module, or, for parts of one, this.
pub(crate) fn device<'u, 'a>(em: &Emitter<'u, 'a>) -> Result<&'u Unit<'a>> {
    match (&em.gpu.team, &em.unit.grid) {
        (Some(_), _) => Ok(em.unit),
        (None, Some(grid)) => Ok(grid.device),
        (None, None) => invalid("no device"),
    }
}

/// The next one: a kernel, or in a team a part.
pub(crate) fn next_threaded(em: &mut Emitter<'_, '_>, kernel: GridKernel) -> Result<Threaded> {
    match &em.unit.grid {
        Some(grid) => Ok(Threaded::Kernel(grid.next(kernel))),
        None => cooperative::next_part(em, kernel),
    }
}

/// Writes it; it is given the values of `shared`, and `body` also gets the place of its results.
pub(crate) fn kernel<'u, 'a>(
    em: &Emitter<'u, 'a>,
    made: Threaded,
    span: Span,
    axes: Axes,
    shared: &[VarId],
    body: impl FnOnce(&mut Emitter<'u, 'a>, V) -> Result<()>,
) -> Result<()> {
    let unit = device(em)?;
    let around = em
        .gpu
        .team
        .as_ref()
        .map(|_| (unit.ir.here(), unit.ir.watch(None)));
    write(unit, made, span, axes, shared, body)?;
    if let Some((here, watched)) = around {
        unit.ir.at(here);
        unit.ir.watch(watched);
    }
    Ok(())
}

/// In a kernel: something has fired.
pub(crate) fn tell(em: &Emitter<'_, '_>, status: V, line: V, code: V) {
    let ir = em.ir;
    ir.store(line, ir.offset_const(status, part::LINE));
    ir.store(code, ir.offset_const(status, part::CODE));
    let event = ir.const_i64(Status::Event as i64);
    ir.store(event, ir.offset_const(status, part::STATUS));
}

fn write<'u, 'a>(
    u: &'u Unit<'a>,
    made: Threaded,
    span: Span,
    axes: Axes,
    shared: &[VarId],
    body: impl FnOnce(&mut Emitter<'u, 'a>, V) -> Result<()>,
) -> Result<()> {
    let ir = &u.ir;
    let i64t = ir.i64();
    let mut f = made.function(u);
    if matches!(made, Threaded::Kernel(_)) && u.device == Some(Registers::Ptx) {
        bounds(&f, &axes);
    }
    let status = ir.param(f.function.value, 3);
    f.start_body();
    let flag = || {
        let flag = ir.alloca(ir.i1());
        ir.store(ir.const_bool(false), flag);
        flag
    };
    let results = ir.offset_const(status, part::CELLS);
    let (odd, last) = (flag(), axes.loops.iter().map(|_| flag()).collect());
    f.gpu.axes = Some(Axes {
        place: made
            .place_in_memory(u)
            .then(|| ir.param(f.function.value, 4)),
        last,
        status: (!axes.results.is_empty()).then_some(status),
        ..axes
    });
    ir.watch(Some(odd));
    f.slots
        .load(f.unit, f.function.frame, f.goes_through_nest())?;
    for v in shared {
        f.vars.load_var(&f.lanes, *v, f.function.frame)?;
    }
    let records = f.gpu.axes.as_ref().and_then(|axes| axes.records.clone());
    let reduced = records.as_ref().map(|r| {
        (
            r,
            reductions::record(&f, r),
            warps::shared_memory(&f, made, r.size()),
        )
    });
    if let Some((records, own, _)) = reduced {
        // A thread in which something fires leaves it so.
        for at in records.words() {
            ir.store(ir.const_i64(0), ir.offset_const(own, at));
        }
        let placed = reductions::start_records(&mut f, records)?;
        let now = || ir.alloca(i64t);
        if let Some(axes) = &mut f.gpu.axes {
            axes.now = axes.loops.iter().map(|_| now()).collect();
            axes.placed = placed;
        }
    }
    body(&mut f, results)?;
    let (end, told, out) = (f.ir.fresh(), f.ir.fresh(), f.ir.fresh());
    ir.br(f.exits.done);
    ir.at(f.exits.done);
    flag_values::release_kept(&f);
    if let Some((records, own, _)) = reduced {
        let placed = f
            .gpu
            .axes
            .as_mut()
            .map(|axes| std::mem::take(&mut axes.placed));
        reductions::leave_record(&mut f, records, &placed.unwrap_or_default(), own)?;
    }
    ir.br(end);
    ir.at(f.exits.event);
    tell(
        &f,
        status,
        ir.load(i64t, f.exits.line),
        ir.load(i64t, f.exits.code),
    );
    // The others of the block wait for this one, whatever it has come to.
    ir.br(if reduced.is_some() { end } else { out });
    ir.at(end);
    if let Some((records, own, shared)) = reduced {
        warps::combine_block(&f, records, own, shared, status)?;
    }
    ir.watch(None);
    ir.cond_br(ir.load(ir.i1(), odd), told, out);
    ir.at(told);
    tell(
        &f,
        status,
        ir.const_i64(span.line.into()),
        ir.const_i64(EventCode::Several as i64),
    );
    ir.br(out);
    ir.at(out);
    ir.ret_void();
    Ok(())
}
