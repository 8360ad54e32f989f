//! Records folded into one another, in the order of their iterations.

use nestwise_ir::Scalar;
use nestwise_ir::schedule::RedOp;

use crate::abi::part::CELL;
use crate::error::{Result, invalid};
use crate::llvm::{IntPred, Ir, RealPred, V, Wrap};
use crate::lower::combine;
use crate::lower::emitter::Emitter;
use crate::lower::gpu::records::Records;
use crate::lower::part_cells::mark_cell;
use crate::lower::value::Val;

/// Memory for a record, which is the thread's own.
pub(crate) fn record(ir: &Ir<'_>, records: &Records) -> V {
    let bytes = ir.array(ir.i8(), records.size() as u64);
    ir.alloca_aligned(bytes, 16)
}

pub(crate) fn copy_record(ir: &Ir<'_>, records: &Records, to: V, from: V) {
    for at in records.words() {
        let word = ir.load(ir.i64(), ir.offset_const(from, at));
        ir.store(word, ir.offset_const(to, at));
    }
}

/// Calls `take` for the address of each record from the `k`th on to before the `end`th, in steps of `step`; `first` is
/// the address of record 0.
pub(crate) fn each_record(
    em: &Emitter<'_, '_>,
    records: &Records,
    first: V,
    (k, end, step): (V, V, V),
    take: impl FnOnce(&Emitter<'_, '_>, V) -> Result<()>,
) -> Result<()> {
    let ir = em.ir;
    let (check, each, over) = (em.ir.fresh(), em.ir.fresh(), em.ir.fresh());
    let before = ir.here();
    ir.br(check);
    ir.at(check);
    let now = ir.phi(ir.i64());
    ir.add_incoming(now, k, before);
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, now, end), each, over);
    ir.at(each);
    let size = ir.const_i64(records.size() as i64);
    take(em, ir.offset(first, ir.mul(now, size, Wrap::Signed), true))?;
    ir.add_incoming(now, ir.add(now, step, Wrap::Signed), ir.here());
    ir.br(check);
    ir.at(over);
    Ok(())
}

/// Combines the record `from` into the record `into`; returns whether a sum left its representation.
pub(crate) fn fold(em: &Emitter<'_, '_>, records: &Records, into: V, from: V) -> Result<V> {
    let ir = em.ir;
    let both = |repr: Scalar, at: usize| {
        let cell = |record: V| em.unit.load_cell(repr, ir.offset_const(record, at));
        (cell(into), cell(from))
    };
    let mut overflow = ir.const_bool(false);
    let mut taken = Vec::new();
    for (k, r) in records.each.iter().enumerate() {
        let (x, y) = both(r.repr, CELL * k);
        let value = match r.op {
            RedOp::Along(_) => continue,
            _ if r.placed => {
                let take = takes(em.ir, records, k, (x, y), (into, from));
                taken.push((r.var, take));
                em.lanes.choose(Val::one(take), y, x)
            }
            op => {
                let (merged, bad) = combine::merge(em.ir, op, x, y, r.repr, r.nan)?;
                if r.guarded {
                    overflow = ir.or(overflow, bad);
                }
                Val::one(merged)
            }
        };
        em.unit
            .store_cell(r.repr, value, ir.offset_const(into, CELL * k));
    }
    for (k, r) in records.each.iter().enumerate() {
        let RedOp::Along(best) = r.op else { continue };
        let Some((_, take)) = taken.iter().find(|t| t.0 == best) else {
            return invalid(format!(
                "a value goes along with {best}, which is no reduction"
            ));
        };
        let (x, y) = both(r.repr, CELL * k);
        let value = em.lanes.choose(Val::one(*take), y, x);
        em.unit
            .store_cell(r.repr, value, ir.offset_const(into, CELL * k));
    }
    Ok(overflow)
}

/// Whether the `k`th value of two records combined is that of the second one, `from`; if so the first record also takes
/// over where the value was assigned.
pub(crate) fn takes(
    ir: &Ir<'_>,
    records: &Records,
    k: usize,
    (x, y): (Val, Val),
    (into, from): (V, V),
) -> V {
    let (ir, r) = (ir, &records.each[k]);
    let words = |record: V| -> Vec<V> {
        let word = |axis| ir.load(ir.i64(), ir.offset_const(record, records.place(k, axis)));
        (0..records.axes).map(word).collect()
    };
    let (mine, other) = (words(into), words(from));
    let take = match r.op {
        RedOp::Last => earlier(ir, &mine, &other),
        op => {
            let (earlier, better) = (
                earlier(ir, &other, &mine),
                combine::better(ir, op, x, y, r.repr),
            );
            match r.repr.is_float() {
                true => {
                    let equal = ir.fcmp(RealPred::LLVMRealOEQ, x.a, y.a);
                    let take = ir.or(better, ir.and(equal, earlier));
                    match r.nan {
                        true => {
                            let nan = |v: V| ir.fcmp(RealPred::LLVMRealUNO, v, v);
                            let first = ir.or(ir.not(nan(x.a)), earlier);
                            ir.or(take, ir.and(nan(y.a), first))
                        }
                        false => take,
                    }
                }
                false => {
                    let equal = ir.icmp(IntPred::LLVMIntEQ, x.a, y.a);
                    ir.or(better, ir.and(equal, earlier))
                }
            }
        }
    };
    for (axis, (mine, other)) in mine.iter().zip(&other).enumerate() {
        let at = ir.offset_const(into, records.place(k, axis));
        ir.store(ir.select(take, *other, *mine), at);
    }
    if r.op == RedOp::Last {
        let mark = mark_cell(&records.as_threads, k);
        let (x, y) = (ir.offset_const(into, mark), ir.offset_const(from, mark));
        let any = ir.or(ir.load(ir.i64(), x), ir.load(ir.i64(), y));
        ir.store(any, x);
    }
    take
}

/// Whether the iteration `a` (one number for each axis) comes before the iteration `b`.
fn earlier(ir: &Ir<'_>, a: &[V], b: &[V]) -> V {
    let (mut less, mut same) = (ir.const_bool(false), ir.const_bool(true));
    // The outermost axis is the last.
    for (a, b) in a.iter().zip(b).rev() {
        let here = ir.icmp(IntPred::LLVMIntSLT, *a, *b);
        less = ir.or(less, ir.and(same, here));
        same = ir.and(same, ir.icmp(IntPred::LLVMIntEQ, *a, *b));
    }
    less
}

pub(crate) fn bits(ir: &Ir<'_>, v: V, repr: Scalar) -> V {
    match repr.is_float() {
        true => ir.bitcast(v, ir.int(8 * repr.size() as u32)),
        false => v,
    }
}
