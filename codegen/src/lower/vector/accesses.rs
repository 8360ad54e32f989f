//! Memory accesses of all lanes together: consecutive ones as vectors, others through an address per lane.

use nestwise_ir::{ArrayId, Expr, Scalar, Span};

use crate::abi::GuardFailure;
use crate::error::{Result, invalid};
use crate::llvm::{IntPred, T, V, Wrap};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::memory::places;
use crate::lower::scalar::flag_values;
use crate::lower::value::Val;
use crate::lower::vector::linear_variables;

pub(crate) fn load(
    em: &mut Emitter<'_, '_>,
    array: ArrayId,
    index: &[Expr],
    guard: bool,
    span: Span,
) -> Result<Val> {
    let access = access(em, array, index, guard, span)?;
    let storage = em.unit.storage(array)?;
    let ty = em.unit.memory_type(storage);
    let ir = em.ir;
    let v = match access {
        Access::Consecutive { at, reverse } if !storage.is_complex() => {
            Val::shaped(load_row(em, array, ty, at, reverse), true)
        }
        Access::Consecutive { at, .. } => {
            // Interleaved parts.
            let n = em.lanes.count();
            let both = ir.load(ir.vector(ty, 2 * n), at);
            ir.set_align(both, storage.size() as u32 / 2);
            places::mark(em, both, array);
            let take = |odd: u32| {
                let lanes: Vec<u32> = (0..n).map(|k| 2 * k + odd).collect();
                ir.shuffle(both, both, &lanes)
            };
            Val::pair(take(0), take(1), true)
        }
        Access::Scattered { at, mask } => {
            let a = gather(em, array, ty, at, mask);
            let b = storage
                .is_complex()
                .then(|| gather(em, array, ty, ir.offset_const(at, storage.size() / 2), mask));
            Val { a, b, wide: true }
        }
    };
    places::widen_element(em, array, v)
}

pub(crate) fn store(
    em: &mut Emitter<'_, '_>,
    array: ArrayId,
    index: &[Expr],
    value: &Expr,
    guard: bool,
    span: Span,
) -> Result<()> {
    let access = access(em, array, index, guard, span)?;
    let v = em.expr(value)?;
    flag_values::keep_unread(em, value, v);
    let v = em.lanes.widen(v);
    places::fits_storage(em, array, v, span)?;
    let storage = em.unit.storage(array)?;
    let v = places::narrow_element(em, array, v)?;
    let ir = em.ir;
    match access {
        Access::Consecutive { at, reverse } if !storage.is_complex() => {
            store_row(em, array, v.a, at, reverse);
        }
        Access::Consecutive { at, .. } => {
            let n = em.lanes.count();
            let lanes: Vec<u32> = (0..2 * n).map(|k| k / 2 + (k % 2) * n).collect();
            let both = ir.shuffle(v.a, v.second()?, &lanes);
            let s = ir.store(both, at);
            ir.set_align(s, storage.size() as u32 / 2);
            places::mark(em, s, array);
        }
        Access::Scattered { at, mask } => {
            scatter(em, array, v.a, at, mask);
            if storage.is_complex() {
                scatter(
                    em,
                    array,
                    v.second()?,
                    ir.offset_const(at, storage.size() / 2),
                    mask,
                );
            }
        }
    }
    Ok(())
}

/// How the elements of all lanes lie in memory.
fn access(
    em: &mut Emitter<'_, '_>,
    array: ArrayId,
    index: &[Expr],
    guard: bool,
    span: Span,
) -> Result<Access> {
    let Some(facts) = em.lanes.open.as_ref().map(|l| l.facts.clone()) else {
        return invalid("a wide access without lanes");
    };
    let guard = guard || em.guards.suspects(index);
    let steps: Option<Vec<i64>> = index.iter().map(|e| facts.linear_step(e)).collect();
    let ir = em.ir;
    let all = em.lanes.const_bool(true, true);
    let active = em.lanes.mask().map_or(all, |m| m.a);
    if let (Some(steps), false) = (steps, guard) {
        let mut first = Vec::with_capacity(index.len());
        for e in index {
            first.push(linear_variables::first_lane(em, e)?);
        }
        let at = places::place(em, array, &first)?.at;
        if let Some((last, outer)) = steps.split_last()
            && outer.iter().all(|s| *s == 0)
            && places::unit(em, array)
        {
            let complex = em.unit.storage(array)?.is_complex();
            match *last {
                1 if !complex || em.lanes.mask().is_none() => {
                    return Ok(Access::Consecutive { at, reverse: false });
                }
                -1 if !complex => return Ok(Access::Consecutive { at, reverse: true }),
                _ => {}
            }
        }
        let slot = em.slots.get(array)?;
        let mut stride = ir.const_i64(0);
        for (step, cell) in steps.iter().zip(&slot.strides) {
            stride = em.ir.affine(stride, ir.const_i64(*step), cell.get(em.ir));
        }
        let offsets = ir.mul(
            em.lanes.iota(1),
            ir.splat(stride, em.lanes.count()),
            Wrap::Signed,
        );
        // Inactive lanes may point anywhere, so the addresses promise nothing.
        return Ok(Access::Scattered {
            at: ir.offset(at, offsets, false),
            mask: active,
        });
    }
    indexed_access(em, array, index, guard, active, span)
}

/// An access for which every lane computes its own address.
fn indexed_access(
    em: &mut Emitter<'_, '_>,
    array: ArrayId,
    index: &[Expr],
    guard: bool,
    active: V,
    span: Span,
) -> Result<Access> {
    let ir = em.ir;
    let slot = em.slots.get(array)?;
    let mut at = Vec::with_capacity(index.len());
    for e in index {
        let v = em.expr(e)?;
        at.push(em.lanes.widen(v).a);
    }
    let mut mask = active;
    if guard {
        let zero = em.lanes.spread(ir.const_i64(0), true);
        let mut ok = em.lanes.const_bool(true, true);
        for (i, extent) in at.iter_mut().zip(&slot.extents) {
            let n = em.lanes.spread(extent.get(em.ir), true);
            let negative = ir.icmp(IntPred::LLVMIntSLT, *i, zero);
            *i = ir.select(negative, ir.add(*i, n, Wrap::Any), *i);
            ok = ir.and(ok, ir.icmp(IntPred::LLVMIntULT, *i, n));
        }
        let bad = ir.not(ok);
        guards::fail_where(em, bad, true, GuardFailure::Index, span);
        mask = ir.and(mask, ok);
    }
    let mut offset = em.lanes.spread(ir.const_i64(0), true);
    for (i, stride) in at.iter().zip(&slot.strides) {
        let stride = em.lanes.spread(stride.get(em.ir), true);
        offset = ir.add(offset, ir.mul(*i, stride, Wrap::Any), Wrap::Any);
    }
    let base = slot.ptr.get(em.ir);
    Ok(Access::Scattered {
        at: ir.offset(base, offset, false),
        mask,
    })
}

/// The lowest address of a row of lanes that starts at `at`.
fn row_start(em: &Emitter<'_, '_>, ty: T, at: V, reverse: bool) -> V {
    let ir = em.ir;
    if !reverse {
        return at;
    }
    ir.element(ty, at, ir.const_i64(1 - i64::from(em.lanes.count())), false)
}

fn reversed(em: &Emitter<'_, '_>, v: V) -> V {
    let n = em.lanes.count();
    let lanes: Vec<u32> = (0..n).rev().collect();
    em.ir.shuffle(v, v, &lanes)
}

fn load_row(em: &Emitter<'_, '_>, array: ArrayId, ty: T, at: V, reverse: bool) -> V {
    let ir = em.ir;
    let at = row_start(em, ty, at, reverse);
    let size = em.unit.nest.elem_size(array) as u32;
    let wide = ir.vector(ty, em.lanes.count());
    let v = match em.lanes.mask() {
        None => {
            let v = ir.load(wide, at);
            ir.set_align(v, size);
            v
        }
        Some(mask) => {
            let mask = if reverse {
                reversed(em, mask.a)
            } else {
                mask.a
            };
            let v = ir.intrinsic(
                "llvm.masked.load",
                &[wide, ir.ptr()],
                &[at, mask, ir.zero(wide)],
            );
            ir.argument_align(v, 0, size);
            v
        }
    };
    places::mark(em, v, array);
    if reverse { reversed(em, v) } else { v }
}

fn store_row(em: &Emitter<'_, '_>, array: ArrayId, v: V, at: V, reverse: bool) {
    let ir = em.ir;
    let ty = em
        .unit
        .memory_type(em.unit.storage(array).unwrap_or(Scalar::I8));
    let at = row_start(em, ty, at, reverse);
    let size = em.unit.nest.elem_size(array) as u32;
    let v = if reverse { reversed(em, v) } else { v };
    let s = match em.lanes.mask() {
        None => {
            let s = ir.store(v, at);
            ir.set_align(s, size);
            s
        }
        Some(mask) => {
            let mask = if reverse {
                reversed(em, mask.a)
            } else {
                mask.a
            };
            let s = ir.intrinsic(
                "llvm.masked.store",
                &[ir.type_of(v), ir.ptr()],
                &[v, at, mask],
            );
            ir.argument_align(s, 1, size);
            s
        }
    };
    places::mark(em, s, array);
}

fn gather(em: &Emitter<'_, '_>, array: ArrayId, ty: T, at: V, mask: V) -> V {
    let ir = em.ir;
    let wide = ir.vector(ty, em.lanes.count());
    let v = ir.intrinsic(
        "llvm.masked.gather",
        &[wide, ir.type_of(at)],
        &[at, mask, ir.zero(wide)],
    );
    ir.argument_align(
        v,
        0,
        part_align(em.unit.nest.elem_size(array), em.unit.storage(array)),
    );
    places::mark(em, v, array);
    v
}

fn scatter(em: &Emitter<'_, '_>, array: ArrayId, v: V, at: V, mask: V) {
    let ir = em.ir;
    let s = ir.intrinsic(
        "llvm.masked.scatter",
        &[ir.type_of(v), ir.type_of(at)],
        &[v, at, mask],
    );
    ir.argument_align(
        s,
        1,
        part_align(em.unit.nest.elem_size(array), em.unit.storage(array)),
    );
    places::mark(em, s, array);
}

/// The alignment of one component of an element, in bytes.
fn part_align(size: usize, storage: Result<Scalar>) -> u32 {
    let parts = if storage.is_ok_and(|s| s.is_complex()) {
        2
    } else {
        1
    };
    (size / parts) as u32
}

/// How the elements of all lanes lie in memory.
enum Access {
    /// Elements lie one after the other from `at` on, or downwards from it.
    Consecutive { at: V, reverse: bool },
    /// Each lane has an address; only lanes of the mask have an element.
    Scattered { at: V, mask: V },
}
