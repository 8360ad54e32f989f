//! Array elements: addresses, bounds, loads and stores, narrow ones here and the choice of wide ones.

use nestwise_ir::{ArrayId, Expr, Scalar, Span};

use crate::abi::{Access, GuardFailure};
use crate::error::Result;
use crate::llvm::{IntPred, T, V};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::updates;
use crate::lower::memory::places;
use crate::lower::scalar::flag_values;
use crate::lower::value::Val;
use crate::lower::vector::accesses;

pub(crate) fn load(
    em: &mut Emitter<'_, '_>,
    array: ArrayId,
    index: &[Expr],
    guard: bool,
    span: Span,
) -> Result<Val> {
    if em
        .lanes
        .open
        .as_ref()
        .is_some_and(|l| index.iter().any(|e| l.facts.is_varying(e)))
    {
        return accesses::load(em, array, index, guard, span);
    }
    let guard = guard || em.guards.suspects(index);
    let mut at = places::indices(em, index)?;
    if !guard {
        return load_at(em, array, &at);
    }
    if !guards::continues(em) {
        places::bring_in_bounds(em, array, &mut at, span)?;
        return load_at(em, array, &at);
    }
    let ok = places::in_bounds(em, array, &mut at)?;
    let bad = em.ir.not(ok);
    guards::fail_where(em, bad, false, GuardFailure::Index, span);
    // After a guard failure the element does not exist: zero, and no access.
    let repr = em.unit.element(array)?;
    let home = em.vars.temporary(&em.lanes, repr, false);
    let (a, b) = em.unit.components(repr);
    let ir = em.ir;
    home.store(
        em.ir,
        Val {
            a: ir.zero(a),
            b: b.map(|t| ir.zero(t)),
            wide: false,
        },
    );
    let (there, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ok, there, end);
    ir.at(there);
    let v = load_at(em, array, &at)?;
    home.store(em.ir, v);
    em.ir.br(end);
    em.ir.at(end);
    Ok(home.load(em.ir))
}

pub(crate) fn store(
    em: &mut Emitter<'_, '_>,
    array: ArrayId,
    index: &[Expr],
    value: &Expr,
    guard: bool,
    span: Span,
) -> Result<()> {
    if let Some(l) = &em.lanes.open {
        let varies = index.iter().any(|e| l.facts.is_varying(e));
        if varies || l.facts.is_varying(value) || l.partial || l.diverged {
            return accesses::store(em, array, index, value, guard, span);
        }
    }
    let guard = guard || em.guards.suspects(index);
    let mut at = places::indices(em, index)?;
    let v = em.expr(value)?;
    flag_values::keep_unread(em, value, v);
    if em.gpu.finite.as_ref().is_some_and(|f| f.is_due(value)) {
        em.ir.watched(v.a);
    }
    places::fits_storage(em, array, v, span)?;
    if !guard {
        return store_at(em, array, &at, v);
    }
    if !guards::continues(em) {
        places::bring_in_bounds(em, array, &mut at, span)?;
        return store_at(em, array, &at, v);
    }
    let ok = places::in_bounds(em, array, &mut at)?;
    let bad = em.ir.not(ok);
    guards::fail_where(em, bad, false, GuardFailure::Index, span);
    let (there, end) = (em.ir.fresh(), em.ir.fresh());
    em.ir.cond_br(ok, there, end);
    em.ir.at(there);
    store_at(em, array, &at, v)?;
    em.ir.br(end);
    em.ir.at(end);
    Ok(())
}

fn load_at(em: &Emitter<'_, '_>, array: ArrayId, at: &[V]) -> Result<Val> {
    if let Some(op) = updates::updates(em, array) {
        return updates::before_update(em, array, op);
    }
    let place = places::place(em, array, at)?;
    places::tell_of(em.unit, place, Access::Read);
    let storage = em.unit.storage(array)?;
    let ir = em.ir;
    let ty = em.unit.memory_type(storage);
    let size = storage.size() as u32;
    let align = if storage.is_complex() { size / 2 } else { size };
    let get = |ty: T, at: V, align: u32| {
        let v = ir.load(ty, at);
        ir.set_align(v, align);
        places::mark(em, v, array);
        v
    };
    let a = get(ty, place.at, align);
    let b = match (storage, place.tag) {
        (Scalar::Num, Some(tag)) => Some(ir.icmp(
            IntPred::LLVMIntNE,
            get(ir.i8(), tag, 1),
            ir.const_int(ir.i8(), 0),
        )),
        (s, _) if s.is_complex() => Some(get(ty, ir.offset_const(place.at, s.size() / 2), align)),
        _ => None,
    };
    places::widen_element(em, array, Val { a, b, wide: false })
}

fn store_at(em: &Emitter<'_, '_>, array: ArrayId, at: &[V], v: Val) -> Result<()> {
    let place = places::place(em, array, at)?;
    if let Some(op) = updates::updates(em, array) {
        return updates::update_at(em, array, place, op, v);
    }
    places::tell_of(em.unit, place, Access::Write);
    let storage = em.unit.storage(array)?;
    let ir = em.ir;
    let v = places::narrow_element(em, array, v)?;
    let size = storage.size() as u32;
    let align = if storage.is_complex() { size / 2 } else { size };
    let put = |v: V, at: V, align: u32| {
        let s = ir.store(v, at);
        ir.set_align(s, align);
        places::mark(em, s, array);
    };
    put(v.a, place.at, align);
    match (storage, place.tag) {
        (Scalar::Num, Some(tag)) => put(ir.zext(v.second()?, ir.i8()), tag, 1),
        (s, _) if s.is_complex() => {
            put(v.second()?, ir.offset_const(place.at, s.size() / 2), align)
        }
        _ => {}
    }
    Ok(())
}
