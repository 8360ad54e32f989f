//! Arrays that the parts of a loop on threads do not share: every part but the last works on a copy of its own, or
//! reads from one (see [`anti_dependence_copies`](crate::lower::memory::anti_dependence_copies)).
//!
//! A copy is contiguous, whatever the array's strides. Copies of private arrays start with anything, those of
//! reductions with the identity; the latter are merged into the array when all parts are done.

use nestwise_analysis::schedule::runnable::merges_elements;
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{ArrayId, For};

use crate::abi::part;
use crate::error::{Result, invalid, unsupported};
use crate::link::merge::Kind;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::accumulations;
use crate::lower::emitter::Emitter;
use crate::lower::memory::slots::Cell;
use crate::lower::unit::Unit;

/// Bytes of a cache line, on which copies start.
pub(crate) const ALIGN: i64 = 64;

/// Where an array's copy lies among the copies of a part.
pub(crate) struct Place {
    pub(crate) array: ArrayId,
    /// The number of elements.
    count: V,
    /// Bytes of the copies before it.
    pub(crate) offset: V,
}

/// Where the copies of one part lie, and their bytes.
pub(crate) fn places(em: &Emitter<'_, '_>, t: &ThreadLoop) -> Result<(Vec<Place>, V)> {
    let ir = em.ir;
    let mut places = vec![];
    let mut offset = ir.const_i64(0);
    for array in t.unshared() {
        let (slot, storage) = (em.slots.get(array)?, em.unit.storage(array)?);
        let each = storage.size() as i64 + i64::from(slot.tags.is_some());
        let mut count = ir.const_i64(1);
        for extent in &slot.extents {
            count = ir.mul(count, extent.get(em.ir), Wrap::Any);
        }
        places.push(Place {
            array,
            count,
            offset,
        });
        let bytes = ir.mul(count, ir.const_i64(each), Wrap::Any);
        let end = ir.add(offset, bytes, Wrap::Any);
        let up = ir.add(end, ir.const_i64(ALIGN - 1), Wrap::Any);
        offset = ir.and(up, ir.const_i64(-ALIGN));
    }
    Ok((places, offset))
}

/// Bytes of the copies of one part, and whether each part needs its own: they are looked at after the loop, or filled
/// at such a cost that there should be few.
pub(crate) fn copy_bytes(em: &Emitter<'_, '_>, t: &ThreadLoop) -> Result<(V, V)> {
    let whole = t.anti_dependence_copies.iter().any(|r| !r.is_halo());
    let keep = whole || !t.array_reductions.is_empty();
    let keep = em.ir.const_i64(i64::from(keep));
    Ok((own_bytes(em, t)?, keep))
}

/// Bytes of the copies that parts work on.
pub(crate) fn own_bytes(em: &Emitter<'_, '_>, t: &ThreadLoop) -> Result<V> {
    Ok(places(em, t)?.1)
}

/// Puts a part's copies in place of the arrays, unless its record has none.
pub(crate) fn use_copies(em: &mut Emitter<'_, '_>, t: &ThreadLoop, record: V) -> Result<()> {
    if t.unshared().next().is_none() {
        return Ok(());
    }
    let ir = em.ir;
    let copies = ir.load(ir.ptr(), ir.offset_const(record, part::COPIES));
    let none = ir.icmp(IntPred::LLVMIntEQ, copies, ir.zero(ir.ptr()));
    let (places, _) = places(em, t)?;
    for place in &places {
        identities(em.unit, t, place, copies)?;
        let mut slot = em.slots.get(place.array)?;
        let own = ir.offset(copies, place.offset, false);
        let either = |theirs: Cell, own: V| Cell::Value(ir.select(none, theirs.get(em.ir), own));
        let size = ir.const_i64(em.unit.storage(place.array)?.size() as i64);
        let mut stride = size;
        for (s, extent) in slot.strides.iter_mut().zip(&slot.extents).rev() {
            *s = either(*s, stride);
            stride = ir.mul(stride, extent.get(em.ir), Wrap::Any);
        }
        slot.ptr = either(slot.ptr, own);
        let behind = ir.mul(place.count, size, Wrap::Any);
        slot.tags = slot
            .tags
            .map(|tags| either(tags, ir.offset(own, behind, false)));
        em.slots.all[place.array.index()] = slot;
    }
    Ok(())
}

/// Fills the copy of a reduction's array with the value that changes nothing, where that is not zero.
fn identities(unit: &Unit<'_>, t: &ThreadLoop, place: &Place, copies: V) -> Result<()> {
    let Some((_, op)) = t.array_reductions.iter().find(|r| r.0 == place.array) else {
        return Ok(());
    };
    let ir = &unit.ir;
    let kind = merge_kind(unit, place.array, *op, false)?;
    if kind.identity_is_zero() {
        return Ok(());
    }
    let ty = ir.function(ir.void(), &[ir.i64(), ir.ptr(), ir.i64(), ir.i64()]);
    let fill = ir.add_function(c"nw_fill_copy", ty);
    let code = ir.const_i64(kind.code());
    ir.call(ty, fill, &[code, copies, place.offset, place.count]);
    Ok(())
}

/// Merges the copies in a part's record into the arrays that `env` describes; returns whether an element left its
/// representation.
pub(crate) fn merge_copies(
    em: &Emitter<'_, '_>,
    l: &For,
    t: &ThreadLoop,
    env: V,
    record: V,
) -> Result<V> {
    let ir = em.ir;
    let mut overflow = ir.const_bool(false);
    if t.array_reductions.is_empty() {
        return Ok(overflow);
    }
    let copies = ir.load(ir.ptr(), ir.offset_const(record, part::COPIES));
    let i64t = ir.i64();
    let ty = ir.function(i64t, &[i64t, i64t, ir.ptr(), ir.ptr(), i64t]);
    let merge = ir.add_function(c"nw_merge_copy", ty);
    let (places, _) = places(em, t)?;
    for (array, op) in &t.array_reductions {
        let (Some(place), Some(layout)) = (
            places.iter().find(|p| p.array == *array),
            em.unit.layout.slot(*array),
        ) else {
            return invalid(format!("no slot {array}"));
        };
        // Without guard the whole is proved to fit, and what wrapped in a part wraps back here.
        let checked = accumulations::array_may_fail(l, *array);
        let kind = merge_kind(em.unit, *array, *op, checked)?;
        let slot = ir.offset_const(env, layout.ptr);
        let rank = ir.const_i64(layout.rank as i64);
        let code = ir.const_i64(kind.code());
        let left = ir.call(ty, merge, &[code, rank, slot, copies, place.offset]);
        if checked {
            em.unit.may_fail.set(true);
            let bad = ir.icmp(IntPred::LLVMIntNE, left, ir.const_i64(0));
            overflow = ir.or(overflow, bad);
        }
    }
    Ok(overflow)
}

fn merge_kind(unit: &Unit<'_>, array: ArrayId, op: RedOp, checked: bool) -> Result<Kind> {
    let storage = unit.storage(array)?;
    let kind = Kind {
        op,
        storage,
        checked,
    };
    if !merges_elements(op, storage, unit.element(array)?) {
        return unsupported(format!("reduction {op:?} on elements {storage}"));
    }
    Ok(kind)
}
