//! The addresses of elements, and their forms in memory.

use nestwise_ir::{ArrayId, Expr, Scalar, Span};

use crate::abi::{Access, GuardFailure};
use crate::error::{Result, invalid, unsupported};
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::unit::{Registers, Unit};
use crate::lower::value::Val;

/// The address of one element and, for [`Scalar::Num`], of its tag.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: V,
    pub(crate) tag: Option<V>,
}

pub(crate) fn unit(em: &Emitter<'_, '_>, array: ArrayId) -> bool {
    let unit = em.unit.unit_stride.get(array.index());
    unit.is_some_and(|unit| *unit) && !em.gpu.lies_apart(array)
}

/// The values of indices, narrow.
pub(crate) fn indices(em: &mut Emitter<'_, '_>, index: &[Expr]) -> Result<Vec<V>> {
    let mut at = Vec::with_capacity(index.len());
    for e in index {
        let v = em.expr(e)?;
        if v.wide {
            return invalid("an index that differs between lanes");
        }
        at.push(v.a);
    }
    Ok(at)
}

/// Wraps negative indices once, and leaves where one is out of range: a comparison and a branch for each subscript that
/// is in range; only one that is not is looked at for being negative.
pub(crate) fn bring_in_bounds(
    em: &Emitter<'_, '_>,
    array: ArrayId,
    at: &mut [V],
    span: Span,
) -> Result<()> {
    let ir = em.ir;
    let slot = em.slots.get(array)?;
    for (i, extent) in at.iter_mut().zip(&slot.extents) {
        let n = extent.get(em.ir);
        let inside = ir.icmp(IntPred::LLVMIntULT, *i, n);
        let (outside, end) = (em.ir.fresh(), em.ir.fresh());
        let before = ir.here();
        em.unit.likely(inside, end, outside);
        ir.at(outside);
        let wrapped = ir.add(*i, n, Wrap::Any);
        let negative = ir.icmp(IntPred::LLVMIntSLT, *i, ir.const_i64(0));
        let there = ir.and(negative, ir.icmp(IntPred::LLVMIntULT, wrapped, n));
        guards::fail_where(em, ir.not(there), false, GuardFailure::Index, span);
        let behind = ir.here();
        ir.br(end);
        ir.at(end);
        let phi = ir.phi(ir.i64());
        ir.add_incoming(phi, *i, before);
        ir.add_incoming(phi, wrapped, behind);
        *i = phi;
    }
    Ok(())
}

/// Wraps negative indices once and tells whether all are in range.
pub(crate) fn in_bounds(em: &Emitter<'_, '_>, array: ArrayId, at: &mut [V]) -> Result<V> {
    let ir = em.ir;
    let slot = em.slots.get(array)?;
    let mut ok = ir.const_bool(true);
    for (i, extent) in at.iter_mut().zip(&slot.extents) {
        let n = extent.get(em.ir);
        let negative = ir.icmp(IntPred::LLVMIntSLT, *i, ir.const_i64(0));
        *i = ir.select(negative, ir.add(*i, n, Wrap::Any), *i);
        ok = ir.and(ok, ir.icmp(IntPred::LLVMIntULT, *i, n));
    }
    Ok(ok)
}

/// The address of an element. Bytes are counted, except along a last axis of unit stride, where elements are:
/// the form in which LLVM recognises consecutive accesses.
pub(crate) fn place(em: &Emitter<'_, '_>, array: ArrayId, at: &[V]) -> Result<Place> {
    let ir = em.ir;
    if em.has_grid() {
        // The host has addresses of the device's memory; in a cooperative kernel every thread would.
        return unsupported("an element that is looked at outside kernels");
    }
    let (slot, storage) = (em.slots.get(array)?, em.unit.storage(array)?);
    if at.len() != slot.strides.len() || at.is_empty() {
        return invalid(format!("{} indices of {array}", at.len()));
    }
    let base = slot.ptr.get(em.ir);
    let tags = slot.tags.map(|t| t.get(em.ir));
    let inside = !slot.shifted;
    let offset = |upto: usize| {
        let mut sum = None;
        for (i, stride) in at.iter().zip(&slot.strides).take(upto) {
            let term = ir.mul(*i, stride.get(em.ir), Wrap::Signed);
            sum = Some(sum.map_or(term, |s| ir.add(s, term, Wrap::Signed)));
        }
        sum
    };
    let last = at.len() - 1;
    if unit(em, array) && !storage.is_complex() {
        let row = |base: V, shift: i64| match offset(last) {
            Some(o) if shift != 0 => ir.offset(base, ir.ashr(o, ir.const_i64(shift)), inside),
            Some(o) => ir.offset(base, o, inside),
            None => base,
        };
        let at_elem = ir.element(em.unit.memory_type(storage), row(base, 0), at[last], inside);
        let tag = tags.map(|t| ir.offset(row(t, 3), at[last], inside));
        return Ok(Place { at: at_elem, tag });
    }
    let o = match (unit(em, array), offset(last)) {
        (true, sum) => {
            let size = ir.const_i64(storage.size() as i64);
            let term = ir.mul(at[last], size, Wrap::Signed);
            sum.map_or(term, |s| ir.add(s, term, Wrap::Signed))
        }
        (false, _) => offset(at.len()).unwrap_or_else(|| ir.const_i64(0)),
    };
    let tag = tags.map(|t| ir.offset(t, ir.ashr(o, ir.const_i64(3)), inside));
    Ok(Place {
        at: ir.offset(base, o, inside),
        tag,
    })
}

/// Converts a value from the storage's form to the element's.
pub(crate) fn widen_element(em: &Emitter<'_, '_>, array: ArrayId, v: Val) -> Result<Val> {
    let (storage, repr) = (em.unit.storage(array)?, em.unit.element(array)?);
    let ir = em.ir;
    let a = match (storage, repr) {
        (Scalar::Bool, _) => ir.icmp(
            IntPred::LLVMIntNE,
            v.a,
            em.lanes.spread(ir.const_int(ir.i8(), 0), v.wide),
        ),
        (Scalar::F32, Scalar::F64) => ir.fpext(v.a, em.lanes.shape(ir.f64(), v.wide)),
        (s, r) if s == r => v.a,
        (s, Scalar::I64) if s.is_signed() => ir.sext(v.a, em.lanes.shape(ir.i64(), v.wide)),
        (s, Scalar::I64) if s.is_unsigned() && s != Scalar::U64 => {
            ir.zext(v.a, em.lanes.shape(ir.i64(), v.wide))
        }
        (s, r) => return invalid(format!("{s} loaded as {r}")),
    };
    Ok(Val { a, ..v })
}

/// Converts a value from the element's form to the storage's.
pub(crate) fn narrow_element(em: &Emitter<'_, '_>, array: ArrayId, v: Val) -> Result<Val> {
    let (storage, repr) = (em.unit.storage(array)?, em.unit.element(array)?);
    let ir = em.ir;
    let a = match (storage, repr) {
        (Scalar::Bool, _) => ir.zext(v.a, em.lanes.shape(ir.i8(), v.wide)),
        (Scalar::F32, Scalar::F64) => ir.fptrunc(v.a, em.lanes.shape(ir.f32(), v.wide)),
        (s, r) if s == r => v.a,
        (s, Scalar::I64) if s.is_int() && s.bits() < 64 => {
            ir.trunc(v.a, em.lanes.shape(ir.int(s.bits()), v.wide))
        }
        (s, r) => return invalid(format!("{r} stored as {s}")),
    };
    Ok(Val { a, ..v })
}

/// Reports an access to whoever looks for races, in a kernel of an emulated device.
pub(crate) fn tell_of(unit: &Unit<'_>, place: Place, access: Access) {
    if unit.device != Some(Registers::Memory) {
        return;
    }
    let ir = &unit.ir;
    let ty = ir.function(ir.void(), &[ir.ptr(), ir.i64()]);
    let touched = ir.add_function(c"nw_touched", ty);
    ir.call(ty, touched, &[place.at, ir.const_i64(access as i64)]);
}

/// Attaches what is known about aliasing to an access.
pub(crate) fn mark(em: &Emitter<'_, '_>, access: V, array: ArrayId) {
    let ir = em.ir;
    if let Some(Some((scope, others))) = em.unit.alias.get(array.index()) {
        ir.set_md(access, "alias.scope", *scope);
        ir.set_md(access, "noalias", *others);
    }
    match em.slots.groups[..] {
        [] => {}
        [group] => ir.set_md(access, "llvm.access.group", group),
        _ => ir.set_md(access, "llvm.access.group", ir.md_node(&em.slots.groups)),
    }
}

/// Fails where a value does not fit an element narrower than its values (array.array), guard or not, since the guard is
/// about the index.
pub(crate) fn fits_storage(em: &Emitter<'_, '_>, array: ArrayId, v: Val, span: Span) -> Result<()> {
    let (storage, repr) = (em.unit.storage(array)?, em.unit.element(array)?);
    if storage == repr || !storage.is_int() {
        return Ok(());
    }
    let ir = em.ir;
    let narrow = ir.trunc(v.a, em.lanes.shape(ir.int(storage.bits()), v.wide));
    let wide = ir.type_of(v.a);
    let back = if storage.is_signed() {
        ir.sext(narrow, wide)
    } else {
        ir.zext(narrow, wide)
    };
    let bad = ir.icmp(IntPred::LLVMIntNE, back, v.a);
    guards::fail_where(em, bad, v.wide, GuardFailure::Convert, span);
    Ok(())
}
