//! Guards: what happens where an operation cannot be done as the nest has it.
//!
//! [`fail_where`] does one of three things: branches to the function's exit for guard failures; in a loop that LLVM may
//! vectorise, sets a deferred flag that is tested after the loop; in a vector loop, sets a flag a lane. In the latter
//! two execution goes on, so the operation must then yield some value that is safe: integers saturate (what was proved
//! about ranges still holds), loads that would be out of range do not happen and give zero, divisors become one.

use nestwise_ir::Span;

use crate::abi::GuardFailure;
use crate::llvm::V;
use crate::lower::emitter::Emitter;
use crate::lower::value::Val;

/// Whether execution goes on after a guard failure.
pub(crate) fn continues(em: &Emitter<'_, '_>) -> bool {
    em.lanes.open.is_some() || em.guards.deferred.is_some()
}

/// Has the guard fail where `bad` is true.
pub(crate) fn fail_where(em: &Emitter<'_, '_>, bad: V, wide: bool, code: GuardFailure, span: Span) {
    let ir = em.ir;
    if ir.is_false(bad) || em.unit.spec.unchecked {
        return;
    }
    em.unit.may_fail.set(true);
    if let Some(l) = &em.lanes.open {
        let mut bad = em.lanes.widen(Val::shaped(bad, wide)).a;
        if let Some(mask) = em.lanes.mask() {
            bad = ir.and(bad, mask.a);
        }
        let old = ir.load(ir.type_of(bad), l.deferred);
        ir.store(ir.or(old, bad), l.deferred);
    } else if let Some(deferred) = em.guards.deferred {
        let old = ir.load(ir.i1(), deferred);
        ir.store(ir.or(old, bad), deferred);
    } else {
        let next = ir.fresh();
        em.exits.leave_if(ir, bad, next, code, span);
        ir.at(next);
    }
}
