//! Loops mapped to threads: the body becomes a function of its own, and what its parts leave behind is combined
//! in their order, so that the result does not depend on who ran what.

use nestwise_analysis::dataflow::definite_assignment::{self, Flow, Target};
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{BinOp, CmpOp, For, Scalar, StmtKind, VarId};

use crate::abi::{EventCode, Status, part};
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::interrupts;
use crate::lower::control::loops;
use crate::lower::control::loops::{Range, is_innermost};
use crate::lower::emitter::Emitter;
use crate::lower::memory::anti_dependence_copies;
use crate::lower::memory::privatised;
use crate::lower::reads::reads_in;
use crate::lower::scalar::flag_values;
use crate::lower::unit::Unit;
use crate::lower::value::Val;

pub(crate) const CELL: usize = 16;

pub(crate) fn threads(
    em: &mut Emitter<'_, '_>,
    l: &For,
    t: &ThreadLoop,
    range: Range,
) -> Result<()> {
    let flow = thread_flow(em.unit, l, t)?;
    let mut shared: Vec<VarId> = flow
        .exposed
        .iter()
        .copied()
        .filter(|v| !t.reductions.iter().any(|r| r.0 == *v))
        .collect();
    shared.sort();
    let ir = em.ir;
    let (run, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), run, end);
    ir.at(run);
    // The environment is laid out like a frame; the loop's start and step stand where a frame keeps them.
    let size = em.unit.layout.size as u64;
    let env = ir.alloca_aligned(ir.array(ir.i8(), size), 16);
    em.slots.store(em.unit, env, true);
    for v in &shared {
        em.vars.store_var(&em.lanes, *v, env)?;
    }
    let bounds = ir.offset_const(env, crate::abi::FrameHeader::BOUNDS);
    ir.store(range.start, bounds);
    ir.store(range.step, ir.offset_const(bounds, 8));
    interrupts::pass_deadline(em, env);
    let body = body_function(em, l, t, &shared)?;
    run_parts(em, l, t, body, env, range)?;
    em.ir.br(end);
    em.ir.at(end);
    Ok(())
}

/// `body(env, lo, hi, part)`.
fn body_function(em: &Emitter<'_, '_>, l: &For, t: &ThreadLoop, shared: &[VarId]) -> Result<V> {
    let ir = em.ir;
    let here = ir.here();
    let name = format!("nw_body_{}", l.id);
    let mut f = Emitter::new(
        em.unit,
        &name,
        &[ir.ptr(), ir.i64(), ir.i64(), ir.ptr()],
        false,
    );
    ir.set_internal(f.function.value);
    let record = ir.param(f.function.value, 3);
    f.start_body();
    f.slots
        .load(f.unit, f.function.frame, f.goes_through_nest())?;
    privatised::use_copies(&mut f, t, record)?;
    for v in shared {
        f.vars.load_var(&f.lanes, *v, f.function.frame)?;
    }
    for (v, op) in &t.reductions {
        match op {
            // Looked at only where the best was assigned too.
            RedOp::Along(_) => {}
            RedOp::Last => keep_mark(&mut f, *v),
            _ => {
                let home = f.vars.home(&f.lanes, *v, false)?;
                let identity = identity(&f, f.unit.repr(*v)?, *op)?;
                home.store(f.ir, identity);
                f.vars.reduced.push(*v);
            }
        }
    }
    anti_dependence_copies::part_of(&mut f, l, t, record)?;
    for (k, v) in results(t).enumerate() {
        let (home, repr) = (f.vars.home(&f.lanes, v, false)?, f.unit.repr(v)?);
        let value = home.load(f.ir);
        let cells = ir.offset_const(record, part::CELLS);
        f.unit
            .store_cell(repr, value, ir.offset_const(cells, CELL * k));
        if let Some(mark) = f.vars.marks.get(&v) {
            let assigned = ir.load(ir.i1(), *mark);
            let cell = ir.offset_const(cells, mark_cell(t, k));
            ir.store(ir.zext(assigned, ir.i64()), cell);
        }
    }
    ir.br(f.exits.done);
    ir.at(f.exits.done);
    flag_values::release_kept(&f);
    ir.ret_void();
    ir.at(f.exits.event);
    ir.store(
        ir.const_i64(Status::Event as i64),
        ir.offset_const(record, part::STATUS),
    );
    ir.store(
        ir.load(ir.i64(), f.exits.line),
        ir.offset_const(record, part::LINE),
    );
    ir.store(
        ir.load(ir.i64(), f.exits.code),
        ir.offset_const(record, part::CODE),
    );
    ir.ret_void();
    ir.at(here);
    Ok(f.function.value)
}

/// The iterations of a part, in a function made for parts.
pub(crate) fn part_range(em: &Emitter<'_, '_>, l: &For) -> Range {
    let ir = em.ir;
    let bounds = ir.offset_const(em.function.frame, crate::abi::FrameHeader::BOUNDS);
    let start = match l.start.as_int() {
        Some(v) => ir.const_int(ir.i64(), v),
        None => ir.load(ir.i64(), bounds),
    };
    let step = match l.step.as_int() {
        Some(v) => ir.const_int(ir.i64(), v),
        None => ir.load(ir.i64(), ir.offset_const(bounds, 8)),
    };
    Range {
        start,
        step,
        lo: em.function.lo,
        hi: em.function.hi,
    }
}

/// Iterations that parts should not cut up: those that vectors run at once.
fn grain(em: &Emitter<'_, '_>, l: &For) -> u32 {
    match loops::vector_lanes(em, l) {
        Some(lanes) => lanes,
        None if is_innermost(&l.body) => crate::target::vector_bits() / 64,
        None => 1,
    }
}

fn run_parts(
    em: &mut Emitter<'_, '_>,
    l: &For,
    t: &ThreadLoop,
    body: V,
    env: V,
    range: Range,
) -> Result<()> {
    let ir = em.ir;
    let size = (part::CELLS + mark_cell(t, results(t).count())) as i64;
    let size = ir.const_i64(size);
    let list = ir.alloca(ir.ptr());
    let i64t = ir.i64();
    let ptr = ir.ptr();
    let params = [ptr, ptr, i64t, i64t, i64t, ptr, i64t, i64t, ptr, i64t, i64t];
    let ty = ir.function(i64t, &params);
    let parallel = ir.add_function(c"nw_parallel", ty);
    let (copies, keep) = privatised::copy_bytes(em, t)?;
    let save = anti_dependence_copies::save_function(em, l, t)?;
    let Range { lo, hi, .. } = range;
    let grain = ir.const_i64(grain(em, l).into());
    let id = ir.const_i64(l.id.0.into());
    let arguments = [body, env, lo, hi, size, list, copies, keep, save, grain, id];
    let count = ir.call(ty, parallel, &arguments);
    let parts = ir.load(ir.ptr(), list);

    // Parts in order: the first event, the reductions; the last part's last values.
    let fired = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), fired);
    let (each, event, fine, end) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.cond_br(
        ir.icmp(IntPred::LLVMIntSGT, count, ir.const_i64(0)),
        each,
        end,
    );
    ir.at(each);
    let k = ir.phi(i64t);
    ir.add_incoming(k, ir.const_i64(0), before);
    let record = ir.offset(parts, ir.mul(k, size, Wrap::Signed), true);
    let status = ir.load(i64t, ir.offset_const(record, part::STATUS));
    ir.cond_br(
        ir.icmp(
            IntPred::LLVMIntEQ,
            status,
            ir.const_i64(Status::Event as i64),
        ),
        event,
        fine,
    );
    ir.at(event);
    ir.store(
        ir.load(i64t, ir.offset_const(record, part::LINE)),
        em.exits.line,
    );
    ir.store(
        ir.load(i64t, ir.offset_const(record, part::CODE)),
        em.exits.code,
    );
    ir.store(ir.const_bool(true), fired);
    ir.br(end);
    ir.at(fine);
    let overflow = combine(em, l, t, ir.offset_const(record, part::CELLS))?;
    let overflow = ir.or(overflow, privatised::merge_copies(em, l, t, env, record)?);
    let old = ir.load(ir.i1(), fired);
    ir.store(ir.or(old, overflow), fired);
    ir.store(ir.const_i64(EventCode::Overflow as i64), em.exits.code);
    ir.store(
        ir.const_i64(interrupts::loop_span(em, l.id).line.into()),
        em.exits.line,
    );
    let next = ir.add(k, ir.const_i64(1), Wrap::Signed);
    ir.add_incoming(k, next, ir.here());
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, next, count), each, end);
    ir.at(end);
    let fty = ir.function(ir.void(), &[ir.ptr(), i64t, i64t]);
    let free = ir.add_function(c"nw_parts_free", fty);
    ir.call(fty, free, &[parts, count, size]);
    let after = em.ir.fresh();
    ir.cond_br(ir.load(ir.i1(), fired), em.exits.event, after);
    ir.at(after);
    Ok(())
}

/// Takes in one part's results, whose cells are given; returns whether a sum left its representation.
pub(crate) fn combine(em: &mut Emitter<'_, '_>, l: &For, t: &ThreadLoop, cells: V) -> Result<V> {
    let ir = em.ir;
    let mut overflow = ir.const_bool(false);
    for (k, v) in results(t).enumerate() {
        let (home, repr) = (em.vars.home(&em.lanes, v, false)?, em.unit.repr(v)?);
        let got = em.unit.load_cell(repr, ir.offset_const(cells, CELL * k));
        let Some((_, op)) = t.reductions.get(k) else {
            home.store(em.ir, got);
            continue;
        };
        let mine = home.load(em.ir);
        if *op == RedOp::Last {
            let mark = ir.load(ir.i64(), ir.offset_const(cells, mark_cell(t, k)));
            let assigned = ir.icmp(IntPred::LLVMIntNE, mark, ir.const_i64(0));
            let merged = em.lanes.choose(Val::one(assigned), got, mine);
            home.store(em.ir, merged);
            continue;
        }
        if let RedOp::Along(best) = op {
            let better = improves(em, t, *best, cells)?;
            let merged = em.lanes.choose(Val::one(better), got, mine);
            home.store(em.ir, merged);
            continue;
        }
        let (merged, bad) = merge(em, *op, mine, got, repr, propagates_nan(l, v))?;
        // Without guard the whole is proved to fit, and what wrapped in a part wraps back here.
        if guarded(l, v) {
            overflow = ir.or(overflow, bad);
        }
        home.store(em.ir, Val::one(merged));
    }
    if !ir.is_false(overflow) {
        em.unit.events.set(true);
    }
    Ok(overflow)
}

/// From here on it is kept whether a variable was assigned.
pub(crate) fn keep_mark(em: &mut Emitter<'_, '_>, v: VarId) {
    let ir = em.ir;
    let mark = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), mark);
    em.vars.marks.insert(v, mark);
}

/// Whether a part's value of a minimum or maximum is strictly better than what the parts before it found.
fn improves(em: &mut Emitter<'_, '_>, t: &ThreadLoop, best: VarId, cells: V) -> Result<V> {
    let ir = em.ir;
    let found = t.reductions.iter().position(|r| r.0 == best);
    let Some((k, (_, op))) = found.map(|k| (k, t.reductions[k])) else {
        return invalid(format!(
            "a value goes along with {best}, which is no reduction"
        ));
    };
    let (home, repr) = (em.vars.home(&em.lanes, best, false)?, em.unit.repr(best)?);
    let mine = home.load(em.ir);
    let got = em.unit.load_cell(repr, ir.offset_const(cells, CELL * k));
    Ok(better(em, op, mine, got, repr))
}

/// Whether `y` comes before `x` in the order that a minimum or maximum goes by.
pub(crate) fn better(em: &Emitter<'_, '_>, op: RedOp, x: Val, y: Val, repr: Scalar) -> V {
    let less = if op == RedOp::Min {
        CmpOp::Lt
    } else {
        CmpOp::Gt
    };
    if repr.is_float() {
        return em
            .ir
            .fcmp(crate::lower::scalar::expr::float_predicate(less), y.a, x.a);
    }
    let signed = repr.is_signed();
    em.ir.icmp(
        crate::lower::scalar::expr::int_predicate(less, signed),
        y.a,
        x.a,
    )
}

/// Two parts' values as one; and whether that left its representation.
pub(crate) fn merge(
    em: &Emitter<'_, '_>,
    op: RedOp,
    x: Val,
    y: Val,
    repr: Scalar,
    propagate: bool,
) -> Result<(V, V)> {
    let ir = em.ir;
    let fine = ir.const_bool(false);
    let checked = |name: &str| {
        let both = ir.intrinsic(name, &[ir.type_of(x.a)], &[x.a, y.a]);
        (ir.field(both, 0), ir.field(both, 1))
    };
    let signed = repr.is_signed();
    Ok(match (op, repr) {
        (RedOp::And, r) if r.is_int() || r == Scalar::Bool => (ir.and(x.a, y.a), fine),
        (RedOp::Or, r) if r.is_int() || r == Scalar::Bool => (ir.or(x.a, y.a), fine),
        (RedOp::Xor, r) if r.is_int() || r == Scalar::Bool => (ir.xor(x.a, y.a), fine),
        (RedOp::Add, r) if r.is_float() => (ir.fadd(x.a, y.a), fine),
        (RedOp::Mul, r) if r.is_float() => (ir.fmul(x.a, y.a), fine),
        (RedOp::Add, r) if r.is_int() && signed => checked("llvm.sadd.with.overflow"),
        (RedOp::Add, r) if r.is_int() => checked("llvm.uadd.with.overflow"),
        (RedOp::Mul, r) if r.is_int() && signed => checked("llvm.smul.with.overflow"),
        (RedOp::Mul, r) if r.is_int() => checked("llvm.umul.with.overflow"),
        (RedOp::Min | RedOp::Max, r) if r.is_int() || r.is_float() => {
            // The later part wins only if it is strictly better, as each element does in turn.
            let mut better = better(em, op, x, y, r);
            if r.is_float() && propagate {
                let nan = ir.fcmp(crate::llvm::RealPred::LLVMRealUNO, y.a, y.a);
                let mine = ir.fcmp(crate::llvm::RealPred::LLVMRealORD, x.a, x.a);
                better = ir.and(mine, ir.or(nan, better));
            }
            (ir.select(better, y.a, x.a), fine)
        }
        _ => return unsupported(format!("reduction {op:?} on {repr}")),
    })
}

/// The value that changes nothing.
pub(crate) fn identity(em: &Emitter<'_, '_>, repr: Scalar, op: RedOp) -> Result<Val> {
    if repr.is_float() {
        let x = match op {
            RedOp::Add => 0.0,
            RedOp::Mul => 1.0,
            RedOp::Min => f64::INFINITY,
            RedOp::Max => f64::NEG_INFINITY,
            _ => return unsupported(format!("reduction {op:?} on {repr}")),
        };
        return Ok(Val::one(em.lanes.const_float(repr, x, false)));
    }
    let Some((lo, hi)) = repr.int_range().filter(|_| repr != Scalar::I128) else {
        return unsupported(format!("reduction on {repr}"));
    };
    let x = match op {
        RedOp::Add | RedOp::Or | RedOp::Xor => 0,
        RedOp::Mul => 1,
        RedOp::Min => hi,
        RedOp::Max => lo,
        RedOp::And if repr.is_signed() => -1,
        RedOp::And => hi,
        RedOp::Along(_) | RedOp::Last => return invalid("a value that is not combined"),
    };
    Ok(Val::one(em.lanes.const_int(repr, x, false)))
}

/// Reductions, then last values: the order of cells in a part record.
fn results(t: &ThreadLoop) -> impl Iterator<Item = VarId> + '_ {
    t.reductions
        .iter()
        .map(|r| r.0)
        .chain(t.last_values.iter().copied())
}

/// Where it says, from the first cell on, whether the `k`-th reduction was assigned, of those that want to know: behind all
/// cells.
pub(crate) fn mark_cell(t: &ThreadLoop, k: usize) -> usize {
    let before = t.reductions.iter().take(k);
    CELL * results(t).count() + 8 * before.filter(|r| r.1 == RedOp::Last).count()
}

/// Whether an accumulation into the variable may fire.
pub(crate) fn guarded(l: &For, v: VarId) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::Let { var, value } = &s.kind {
                let last = crate::lower::control::stmt::accumulation(value);
                found |= *var == v && nestwise_ir::guarded::expr_may_fire(last);
            }
        });
    }
    found
}

/// Whether the variable is reduced by NumPy's minimum or maximum, in which a NaN wins.
pub(crate) fn propagates_nan(l: &For, v: VarId) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::Let { var, value } = &s.kind {
                let min_max = matches!(
                    &value.kind,
                    nestwise_ir::ExprKind::Binary {
                        op: BinOp::Min | BinOp::Max,
                        ..
                    }
                );
                found |= *var == v && min_max;
            }
        });
    }
    found
}

/// Checks that the schedule accounts for every variable of the loop.
pub(crate) fn thread_flow(u: &Unit<'_>, l: &For, t: &ThreadLoop) -> Result<Flow> {
    let mut flow = definite_assignment::flow(&[], &l.body, Some(l.id), u.spec.schedule.nonempty);
    flow.exposed.remove(&l.counter);
    flow.assigned.remove(&l.counter);
    let mut breaks = definite_assignment::exits(&l.body)
        .into_iter()
        .any(|x| x != Target::Loop(l.id));
    for s in &l.body {
        s.walk(&mut |s| {
            breaks |= matches!(s.kind, StmtKind::Break(id) if id == l.id)
                || matches!(s.kind, StmtKind::Rebind(_));
        });
    }
    if breaks {
        return invalid(format!("{} is mapped to threads and left early", l.id));
    }
    let reduced = |v: &VarId| t.reductions.iter().any(|r| r.0 == *v);
    let inside = reads_in(&l.body);
    for v in &flow.assigned {
        if flow.exposed.contains(v) && !reduced(v) {
            return invalid(format!(
                "{v} is carried by {}, which is mapped to threads",
                l.id
            ));
        }
        let last = t.last_values.contains(v);
        if !reduced(v) && !last && u.live_after(*v, &inside) && u.needed_without(l.id, *v) {
            return invalid(format!(
                "{v} lives on after {} without being a last value",
                l.id
            ));
        }
        if last && !flow.definite.contains(v) {
            return invalid(format!("last value {v} of {} may be unassigned", l.id));
        }
    }
    Ok(flow)
}
