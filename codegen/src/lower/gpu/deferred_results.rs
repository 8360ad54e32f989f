//! Results of kernels that nobody waits for.
//!
//! What the last iteration of a mapped loop leaves in a variable may be wanted when the nest is left, and not before:
//! most counters of inner loops, and whatever an iteration keeps in variables of its own
//! (`nestwise_ir::schedule::wanted` tells which are not of these). Such a variable has a cell behind the status for
//! each of them, and the host keeps which of these was written last; when its part is left, it asks for all of them at
//! once, instead of waiting for each kernel.

use std::collections::HashSet;
use std::mem::offset_of;

use nestwise_ir::{Span, VarId};

use crate::abi::part::CELL;
use crate::abi::{Order, part};
use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::orders;

/// Prepares deferred results at the beginning of the host's part, where no kernel was launched.
pub(crate) fn begin(em: &mut Emitter<'_, '_>) {
    let grid = &em.unit.spec.schedule.grid;
    if em.unit.grid.is_none() || grid.is_empty() {
        return;
    }
    let wanted = nestwise_ir::schedule::wanted(em.unit.nest, grid);
    let all = grid.iter().flat_map(|g| &g.mapped.last_values);
    let late: HashSet<VarId> = all.copied().filter(|v| !wanted.contains(v)).collect();
    let mut late: Vec<VarId> = late.into_iter().collect();
    late.sort();
    let ir = em.ir;
    let word = |v: VarId| {
        let word = ir.alloca(ir.i64());
        ir.store(ir.const_i64(0), word);
        (v, word)
    };
    em.gpu.deferred.words = late.into_iter().map(word).collect();
}

fn word(em: &Emitter<'_, '_>, v: VarId) -> Option<V> {
    let mut words = em.gpu.deferred.words.iter();
    words.find(|w| w.0 == v).map(|w| w.1)
}

/// A cell of its own for what a kernel leaves in a variable, if nobody waits for that: its offset from the status.
pub(crate) fn deferred_cell(em: &mut Emitter<'_, '_>, v: VarId) -> Option<usize> {
    word(em, v)?;
    let number = em.gpu.deferred.cells;
    (number < part::MOST_DEFERRED).then(|| {
        em.gpu.deferred.cells += 1;
        part::DEFERRED + CELL * number
    })
}

/// Notes that a kernel was launched which leaves a variable in the cell at `at`; none: its value was waited for.
pub(crate) fn left_deferred(em: &Emitter<'_, '_>, v: VarId, at: Option<usize>) {
    if let Some(word) = word(em, v) {
        let number = at.map_or(0, |at| 1 + (at - part::DEFERRED) / CELL);
        em.ir.store(em.ir.const_i64(number as i64), word);
    }
}

/// Gives variables the values that kernels left last, where the host's part is left.
pub(crate) fn take(em: &mut Emitter<'_, '_>, span: Span) -> Result<()> {
    if em.gpu.deferred.cells == 0 {
        return Ok(());
    }
    let ir = em.ir;
    let words = std::mem::take(&mut em.gpu.deferred.words);
    let numbers: Vec<V> = words.iter().map(|w| ir.load(ir.i64(), w.1)).collect();
    let zero = ir.const_i64(0);
    let any = numbers.iter().fold(zero, |all, n| ir.or(all, *n));
    let (ask, end) = (em.ir.fresh(), em.ir.fresh());
    ir.cond_br(ir.icmp(IntPred::LLVMIntNE, any, zero), ask, end);
    ir.at(ask);
    let order = orders::order(em.ir);
    let field = |at: usize| ir.offset_const(order, at);
    ir.store(ir.const_i64(-1), field(offset_of!(Order, kernel)));
    let bytes = ir.const_i64((CELL * em.gpu.deferred.cells) as i64);
    ir.store(bytes, field(offset_of!(Order, cells)));
    orders::hand(em, order, span);
    let status = ir.load(ir.ptr(), field(offset_of!(Order, left)));
    let cells = ir.offset_const(status, part::DEFERRED);
    for ((v, _), number) in words.iter().zip(numbers) {
        let (take, next) = (em.ir.fresh(), em.ir.fresh());
        let left = ir.icmp(IntPred::LLVMIntNE, number, zero);
        ir.cond_br(left, take, next);
        ir.at(take);
        let before = ir.sub(number, ir.const_i64(1), Wrap::Signed);
        let at = ir.mul(before, ir.const_i64(CELL as i64), Wrap::Signed);
        orders::take_cell(em, *v, ir.offset(cells, at, true))?;
        em.ir.br(next);
        em.ir.at(next);
    }
    let ir = em.ir;
    ir.br(end);
    ir.at(end);
    Ok(())
}
