//! Arrays that the threads of a device do not share, or share in their own way.
//!
//! Every iteration but the last has a copy of a work array (see `nestwise_analysis::parallelism::privatisation`): a
//! thread has one for all of its iterations, and the last iteration works on the array itself. The elements of the
//! threads' copies lie side by side, the first of all, then the second of all, so that what neighbours look at together
//! lies together.
//!
//! Elements that iterations do nothing but update are updated where they are, at once: those that do so in the same
//! array may run in any order (`nestwise_analysis::parallelism::array_reductions`). What is read of them is the value
//! that changes nothing, so that what is computed from it is what to update the element by.

use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, For, Scalar};

use crate::abi::{Access, FrameHeader};
use crate::error::{Result, unsupported};
use crate::llvm::{V, Wrap};
use crate::lower::combine;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::unshared::Unshared;
use crate::lower::gpu::warps;
use crate::lower::memory::places::Place;
use crate::lower::memory::slots::{Cell, Slot};
use crate::lower::memory::{places, privatised};
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// Bytes of the copies that a thread of a kernel has.
pub(crate) fn thread_bytes(em: &Emitter<'_, '_>, l: &For, unshared: &Unshared) -> Result<V> {
    privatised::own_bytes(em, &unshared.as_threads(l.id))
}

/// Begins an iteration in a kernel, which works on copies of the privatised arrays if it is not the `last`; returns the
/// slots from before.
pub(crate) fn enter_copies(em: &mut Emitter<'_, '_>, l: &For, last: V) -> Result<Vec<Slot>> {
    let before = em.slots.all.clone();
    let Some(unshared) = em.gpu.unshared().filter(|u| u.has_copies()) else {
        return Ok(before);
    };
    let as_threads = unshared.as_threads(l.id);
    let ir = em.ir;
    let copies = ir.load(
        ir.ptr(),
        ir.offset_const(em.function.frame, FrameHeader::USER),
    );
    let ((thread, threads), (block, blocks)) = (warps::linear(em, 0, 1), warps::linear(em, 2, 3));
    let before_block = ir.mul(block, threads, Wrap::Signed);
    let number = ir.add(before_block, thread, Wrap::Signed);
    let all = ir.mul(blocks, threads, Wrap::Signed);
    for place in privatised::places(em, &as_threads)?.0 {
        let mut slot = em.slots.get(place.array)?;
        let either = |theirs: Cell, own: V| Cell::Value(ir.select(last, theirs.get(em.ir), own));
        let size = ir.const_i64(em.unit.storage(place.array)?.size() as i64);
        let first = ir.offset(copies, ir.mul(place.offset, all, Wrap::Signed), true);
        let own = ir.offset(first, ir.mul(number, size, Wrap::Signed), true);
        slot.ptr = either(slot.ptr, own);
        let mut stride = ir.mul(size, all, Wrap::Signed);
        for (s, extent) in slot.strides.iter_mut().zip(&slot.extents).rev() {
            *s = either(*s, stride);
            stride = ir.mul(stride, extent.get(em.ir), Wrap::Any);
        }
        em.slots.all[place.array.index()] = slot;
    }
    set_copied(em, true);
    Ok(before)
}

/// Ends what [`enter_copies`] began; `before` are the slots that it returned.
pub(crate) fn leave_copies(em: &mut Emitter<'_, '_>, before: Vec<Slot>) {
    em.slots.all = before;
    set_copied(em, false);
}

fn set_copied(em: &mut Emitter<'_, '_>, copied: bool) {
    if let Some(axes) = &mut em.gpu.axes {
        axes.unshared.copied = copied;
    }
}

/// The operation by which elements of an array are updated atomically, if they are.
pub(crate) fn updates(em: &Emitter<'_, '_>, array: ArrayId) -> Option<RedOp> {
    let mut updated = em.gpu.unshared()?.updated.iter();
    updated.find(|u| u.0 == array).map(|u| u.1)
}

/// The value that stands for an element before its update.
pub(crate) fn before_update(em: &Emitter<'_, '_>, array: ArrayId, op: RedOp) -> Result<Val> {
    combine::identity(em, updatable(em.unit, array, op)?, op)
}

/// Updates an element atomically by the value `v` that was computed from it.
pub(crate) fn update_at(
    em: &Emitter<'_, '_>,
    array: ArrayId,
    place: Place,
    op: RedOp,
    v: Val,
) -> Result<()> {
    places::tell_of(em.unit, place, Access::Update);
    let storage = updatable(em.unit, array, op)?;
    let signed = storage.is_signed();
    let how = match op {
        RedOp::Add if storage.is_float() => Rmw::LLVMAtomicRMWBinOpFAdd,
        RedOp::Add => Rmw::LLVMAtomicRMWBinOpAdd,
        RedOp::And => Rmw::LLVMAtomicRMWBinOpAnd,
        RedOp::Or => Rmw::LLVMAtomicRMWBinOpOr,
        RedOp::Xor => Rmw::LLVMAtomicRMWBinOpXor,
        RedOp::Min if signed => Rmw::LLVMAtomicRMWBinOpMin,
        RedOp::Max if signed => Rmw::LLVMAtomicRMWBinOpMax,
        RedOp::Min => Rmw::LLVMAtomicRMWBinOpUMin,
        RedOp::Max => Rmw::LLVMAtomicRMWBinOpUMax,
        _ => return unsupported(format!("elements updated by {op:?} on a device")),
    };
    let ir = em.ir;
    let old = ir.update(how, place.at, v.a);
    places::mark(em, old, array);
    if storage.is_float() {
        // As of any sum it is noted if it is not finite: whichever sum is the first to be.
        ir.fadd(old, v.a);
    }
    let checked = em
        .gpu
        .unshared()
        .is_some_and(|u| u.updated.contains(&(array, op, true)));
    if op == RedOp::Add && checked {
        // All go the same way: where the sum leaves its representation, one of them does.
        let (_, bad) = combine::merge(em.ir, op, Val::one(old), v, storage, false)?;
        ir.note(bad);
    }
    Ok(())
}

/// The type of an array's elements, which has to be one that devices update atomically.
fn updatable(unit: &Unit<'_>, array: ArrayId, op: RedOp) -> Result<Scalar> {
    let storage = unit.storage(array)?;
    match op.is_atomic(storage) && unit.element(array)? == storage {
        true => Ok(storage),
        false => unsupported(format!("elements {storage} updated by {op:?} on a device")),
    }
}
