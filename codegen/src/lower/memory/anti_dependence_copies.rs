//! Loads of a loop on threads that find what was in an array before the loop.
//!
//! Iterations of one part run in their order, so a load needs a copy only for what later parts write: in the last
//! iterations of a part, as many as there are at most from a load to a store to its element. Before any part begins,
//! each but the last saves the elements that its last iterations will load; those iterations are code of their own.

use nestwise_ir::schedule::{AntiDependenceCopy, ThreadLoop};
use nestwise_ir::{AccessId, ArrayId, For};

use crate::abi::part;
use crate::error::{Result, invalid};
use crate::llvm::{IntPred, Ir, V, Wrap};
use crate::lower::control::ranges::Range;
use crate::lower::control::{iterations, ranges};
use crate::lower::emitter::Emitter;
use crate::lower::memory::privatised;
use crate::lower::memory::privatised::ALIGN;
use crate::lower::memory::slots::{Cell, Slot};
use crate::lower::value::Val;

/// What a part saves of an array: all subscripts but along one axis.
struct Saved {
    axis: usize,
    first: V,
    /// The number of subscripts along the axis.
    count: V,
    /// The number of elements.
    total: V,
    /// Bytes of the part's copies before this one.
    offset: V,
}

/// The value that `load` loads, from a copy if the access has one now.
pub(crate) fn with_copy(
    em: &mut Emitter<'_, '_>,
    access: AccessId,
    array: ArrayId,
    load: impl FnOnce(&mut Emitter<'_, '_>) -> Result<Val>,
) -> Result<Val> {
    let Some(copy) = em.slots.copies.get(&access).cloned() else {
        return load(em);
    };
    let shared = std::mem::replace(&mut em.slots.all[array.index()], copy);
    let v = load(em);
    em.slots.all[array.index()] = shared;
    v
}

/// Runs the iterations of a part, in a function made for parts.
pub(crate) fn part_of(em: &mut Emitter<'_, '_>, l: &For, t: &ThreadLoop, record: V) -> Result<()> {
    let range = ranges::part_range(em, l);
    if t.anti_dependence_copies.is_empty() {
        return em.counted(l, range, None);
    }
    let ir = em.ir;
    let copies = ir.load(ir.ptr(), ir.offset_const(record, part::COPIES));
    let none = ir.icmp(IntPred::LLVMIntEQ, copies, ir.zero(ir.ptr()));
    let last = last_iterations(em.ir, t, range);
    let from = ir.select(none, range.hi, last.lo);
    let (saved, _) = saved(em, t, last)?;
    let mut slots = vec![];
    for (copied, saved) in t.anti_dependence_copies.iter().zip(&saved) {
        let slot = copy_slot(em, copied, saved, copies)?;
        slots.extend(copied.reads.iter().map(|r| (*r, slot.clone())));
    }
    em.counted(l, Range { hi: from, ..range }, None)?;
    em.slots.copies.extend(slots);
    let last = Range { lo: from, ..range };
    match t
        .anti_dependence_copies
        .iter()
        .all(AntiDependenceCopy::is_halo)
    {
        // Iterations that read a halo are few.
        true => iterations::one_by_one(em, l, last, None)?,
        false => em.counted(l, last, None)?,
    }
    em.slots.copies.clear();
    Ok(())
}

/// The last iterations of a part: other parts may store to what they load.
fn last_iterations(ir: &Ir<'_>, t: &ThreadLoop, range: Range) -> Range {
    let reach: Option<Vec<u32>> = t.anti_dependence_copies.iter().map(|r| r.reach).collect();
    let Some(reach) = reach.and_then(|all| all.into_iter().max()) else {
        return range;
    };
    let before = ir.sub(range.hi, ir.const_i64(reach.into()), Wrap::Signed);
    let inside = ir.icmp(IntPred::LLVMIntSGT, before, range.lo);
    let lo = ir.select(inside, before, range.lo);
    Range { lo, ..range }
}

/// What a part saves of each array, and the bytes of all its copies.
fn saved(em: &Emitter<'_, '_>, t: &ThreadLoop, last: Range) -> Result<(Vec<Saved>, V)> {
    let ir = em.ir;
    let mut offset = privatised::own_bytes(em, t)?;
    let mut all = vec![];
    for copied in &t.anti_dependence_copies {
        let slot = em.slots.get(copied.array)?;
        let (axis, first, count) = window(em.ir, copied, &slot, last)?;
        let mut total = count;
        for (k, extent) in slot.extents.iter().enumerate() {
            if k != axis {
                total = ir.mul(total, extent.get(em.ir), Wrap::Any);
            }
        }
        all.push(Saved {
            axis,
            first,
            count,
            total,
            offset,
        });
        let each = em.unit.storage(copied.array)?.size() as i64 + i64::from(slot.tags.is_some());
        let bytes = ir.mul(total, ir.const_i64(each), Wrap::Any);
        let end = ir.add(offset, bytes, Wrap::Any);
        let up = ir.add(end, ir.const_i64(ALIGN - 1), Wrap::Any);
        offset = ir.and(up, ir.const_i64(-ALIGN));
    }
    Ok((all, offset))
}

/// The axis, the first subscript and the number of subscripts that some iterations load, within the array; computed in
/// 128 bits, where nothing overflows.
fn window(
    ir: &Ir<'_>,
    copied: &AntiDependenceCopy,
    slot: &Slot,
    last: Range,
) -> Result<(usize, V, V)> {
    let axis = copied.window.map_or(0, |w| w.axis as usize);
    let Some(extent) = slot.extents.get(axis).map(|e| e.get(ir)) else {
        return invalid(format!("no axis {axis} of {}", copied.array));
    };
    let Some(w) = copied.window else {
        return Ok((axis, ir.const_i64(0), extent));
    };
    let wide = ir.int(128);
    let long = |v: V| ir.sext(v, wide);
    let number = |v: i64| ir.const_int(wide, v.into());
    let at = |k: V| {
        let distance = ir.mul(long(k), long(last.step), Wrap::Any);
        let counter = ir.add(long(last.start), distance, Wrap::Any);
        ir.mul(counter, number(w.scale), Wrap::Any)
    };
    let (one, other) = (at(last.lo), at(ir.sub(last.hi, ir.const_i64(1), Wrap::Any)));
    let up = ir.icmp(IntPred::LLVMIntSLT, one, other);
    let (low, high) = (ir.select(up, one, other), ir.select(up, other, one));
    let clamp = |v: V| {
        let v = ir.select(ir.icmp(IntPred::LLVMIntSLT, v, number(0)), number(0), v);
        let most = long(extent);
        ir.select(ir.icmp(IntPred::LLVMIntSLT, v, most), v, most)
    };
    let first = clamp(ir.add(low, number(w.least), Wrap::Any));
    let behind = clamp(ir.add(high, number(w.most + 1), Wrap::Any));
    let count = ir.sub(behind, first, Wrap::Any);
    Ok((axis, ir.trunc(first, ir.i64()), ir.trunc(count, ir.i64())))
}

/// The copy as a slot, whose subscripts are those of the array.
fn copy_slot(
    em: &Emitter<'_, '_>,
    copied: &AntiDependenceCopy,
    saved: &Saved,
    copies: V,
) -> Result<Slot> {
    let ir = em.ir;
    let mut slot = em.slots.get(copied.array)?;
    let size = ir.const_i64(em.unit.storage(copied.array)?.size() as i64);
    let (mut stride, mut before) = (size, ir.const_i64(0));
    let axes = slot.strides.iter_mut().zip(&slot.extents).enumerate();
    for (k, (cell, extent)) in axes.rev() {
        *cell = Cell::Value(stride);
        let mut count = extent.get(em.ir);
        if k == saved.axis {
            count = saved.count;
            before = ir.mul(saved.first, stride, Wrap::Any);
        }
        stride = ir.mul(stride, count, Wrap::Any);
    }
    let back = |from: V, by: V| {
        let zero = ir.const_i64(0);
        Cell::Value(ir.offset(from, ir.sub(zero, by, Wrap::Any), false))
    };
    let own = ir.offset(copies, saved.offset, false);
    let behind = ir.offset(own, ir.mul(saved.total, size, Wrap::Any), false);
    let eighth = ir.ashr(before, ir.const_i64(3));
    slot.ptr = back(own, before);
    slot.tags = slot.tags.map(|_| back(behind, eighth));
    slot.shifted = true;
    Ok(slot)
}

/// The function `save(env, lo, hi, part)` that `nestwise_codegen::abi::Parallel` asks for; null if nothing is saved.
pub(crate) fn save_function(em: &Emitter<'_, '_>, l: &For, t: &ThreadLoop) -> Result<V> {
    let ir = em.ir;
    if t.anti_dependence_copies.is_empty() {
        return Ok(ir.zero(ir.ptr()));
    }
    let here = ir.here();
    let name = format!("nw_save_{}", l.id);
    let params = [ir.ptr(), ir.i64(), ir.i64(), ir.ptr()];
    let mut f = Emitter::new(em.unit, &name, &params, false);
    ir.set_internal(f.function.value);
    let record = ir.param(f.function.value, 3);
    f.start_body();
    f.slots
        .load(f.unit, f.function.frame, f.goes_through_nest())?;
    save(&f, l, t, record)?;
    ir.br(f.exits.done);
    for end in [f.exits.done, f.exits.failed] {
        ir.at(end);
        ir.ret_void();
    }
    ir.at(here);
    Ok(f.function.value)
}

fn save(em: &Emitter<'_, '_>, l: &For, t: &ThreadLoop, record: V) -> Result<()> {
    let ir = em.ir;
    let last = last_iterations(em.ir, t, ranges::part_range(em, l));
    let (saved, bytes) = saved(em, t, last)?;
    let copies = ir.load(ir.ptr(), ir.offset_const(record, part::COPIES));
    let (ask, fill) = (em.ir.fresh(), em.ir.fresh());
    let none = ir.icmp(IntPred::LLVMIntEQ, copies, ir.zero(ir.ptr()));
    ir.cond_br(none, ask, fill);
    ir.at(ask);
    ir.store(bytes, ir.offset_const(record, part::STATUS));
    ir.br(em.exits.done);
    ir.at(fill);
    let i64t = ir.i64();
    let (ptr, number) = (ir.ptr(), |v: usize| ir.const_i64(v as i64));
    let params = [i64t, i64t, i64t, ptr, i64t, i64t, i64t, ptr];
    let ty = ir.function(ir.void(), &params);
    let copy = ir.add_function(c"nw_save_copy", ty);
    for (copied, saved) in t.anti_dependence_copies.iter().zip(&saved) {
        let Some(layout) = em.unit.layout.slot(copied.array) else {
            return invalid(format!("no slot {}", copied.array));
        };
        let arguments = [
            number(em.unit.storage(copied.array)?.size()),
            number(layout.tags.is_some().into()),
            number(layout.rank),
            ir.offset_const(em.function.frame, layout.ptr),
            number(saved.axis),
            saved.first,
            saved.count,
            ir.offset(copies, saved.offset, false),
        ];
        ir.call(ty, copy, &arguments);
    }
    Ok(())
}
