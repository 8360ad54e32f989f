//! What the threads of a kernel leave behind of reductions.
//!
//! Each thread starts from what changes nothing, and in the end has a record of what it came to. Those of a block are combined
//! two by two ([`crate::lower::gpu::warps`]); its first thread leaves the block's behind the status. The host's part combines those, and what
//! comes of that with the values from before the loop. Who is combined with whom depends on the grid alone, not on who is ready
//! first.
//!
//! A thread's iterations lie scattered over the loop. Where it matters which came first (of zeros of either sign, of equal values
//! whose positions are kept, of assignments of which the last counts), a record also tells where its value was assigned: the
//! iteration of each axis.

use nestwise_ir::schedule::{GridLoop, RedOp, ThreadLoop};
use nestwise_ir::{For, Scalar, Span, VarId};

use crate::abi::EventCode;
use crate::error::{Result, invalid, unsupported};
use crate::grid::MOST_RECORD;
use crate::llvm::{IntPred, RealPred, V, Wrap};
use crate::lower::emitter::Emitter;
use crate::lower::gpu::warps;
use crate::lower::threads;
use crate::lower::threads::{CELL, guarded, mark_cell, propagates_nan};
use crate::lower::unit::Unit;
use crate::lower::value::Val;

/// A variable that a mapped loop reduces.
#[derive(Clone, Copy)]
struct Reduced {
    var: VarId,
    op: RedOp,
    repr: Scalar,
    /// A NaN is the best.
    nan: bool,
    /// Where it leaves its representation an event is due.
    guarded: bool,
    /// It matters where it was assigned.
    placed: bool,
}

/// The record of a thread or block: a cell for each variable, marks as threads of a host have them, and places.
#[derive(Clone)]
pub(crate) struct Records {
    each: Vec<Reduced>,
    as_threads: ThreadLoop,
    axes: usize,
}

/// Where a thread's value was assigned, in the thread.
pub(crate) struct Placed {
    /// What it was when that was looked at last; none where the thread keeps a mark.
    seen: Option<V>,
    /// The iteration of each axis, the innermost first.
    at: Vec<V>,
}

impl Records {
    pub(crate) fn of(u: &Unit<'_>, l: &For, g: &GridLoop) -> Result<Records> {
        let along = |best: VarId| {
            g.mapped
                .reductions
                .iter()
                .any(|r| r.1 == RedOp::Along(best))
        };
        let mut each = Vec::with_capacity(g.mapped.reductions.len());
        for (var, op) in g.mapped.reductions.iter().copied() {
            let Some(repr) = u.nest.vars.get(var).map(|decl| decl.ty.repr) else {
                return invalid(format!("no variable {var}"));
            };
            each.push(Reduced {
                var,
                op,
                repr,
                nan: propagates_nan(l, var),
                guarded: guarded(l, var),
                placed: match op {
                    RedOp::Last => true,
                    RedOp::Min | RedOp::Max => repr.is_float() || along(var),
                    _ => false,
                },
            });
        }
        let as_threads = ThreadLoop {
            reductions: g.mapped.reductions.clone(),
            ..ThreadLoop::plain(l.id)
        };
        let records = Records {
            each,
            as_threads,
            axes: g.axes.len(),
        };
        match records.size() > MOST_RECORD {
            true => unsupported("so many reductions on a device"),
            false => Ok(records),
        }
    }

    /// Bytes of one; 0 where nothing is reduced.
    pub(crate) fn size(&self) -> usize {
        self.place(self.each.len(), 0).next_multiple_of(CELL)
    }

    /// Offsets of the words of 8 bytes that it has.
    pub(crate) fn words(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for (k, r) in self.each.iter().enumerate() {
            found.extend((0..r.repr.size().max(1).div_ceil(8)).map(|word| CELL * k + 8 * word));
            if r.placed {
                found.extend((0..self.axes).map(|axis| self.place(k, axis)));
            }
            if r.op == RedOp::Last {
                found.push(mark_cell(&self.as_threads, k));
            }
        }
        found
    }

    /// Offset of the iteration of an axis in which the `k`th value was assigned.
    fn place(&self, k: usize, axis: usize) -> usize {
        let before = self.each[..k].iter().filter(|r| r.placed).count();
        mark_cell(&self.as_threads, self.each.len()) + 8 * (before * self.axes + axis)
    }
}

/// In a kernel: nothing is reduced yet.
pub(crate) fn start_records(
    em: &mut Emitter<'_, '_>,
    records: &Records,
) -> Result<Vec<Option<Placed>>> {
    let mut placed = Vec::with_capacity(records.each.len());
    for r in &records.each {
        let mut seen = None;
        let ir = em.ir;
        let mut nowhere = i64::MAX;
        match r.op {
            // Looked at only where the best was assigned too.
            RedOp::Along(_) => {}
            RedOp::Last => {
                threads::keep_mark(em, r.var);
                nowhere = -1;
            }
            op => {
                let home = em.vars.home(&em.lanes, r.var, false)?;
                let identity = threads::identity(em, r.repr, op)?;
                home.store(em.ir, identity);
                em.vars.reduced.push(r.var);
                if r.placed {
                    let ir = em.ir;
                    let bits = bits(em, identity.a, r.repr);
                    let word = ir.alloca(ir.type_of(bits));
                    ir.store(bits, word);
                    seen = Some(word);
                }
            }
        }
        placed.push(r.placed.then(|| {
            let word = |_| {
                let word = ir.alloca(ir.i64());
                ir.store(ir.const_i64(nowhere), word);
                word
            };
            let at = (0..records.axes).map(word).collect();
            Placed { seen, at }
        }));
    }
    Ok(placed)
}

/// In a kernel: an iteration of the innermost axis begins.
pub(crate) fn enter_iteration(em: &Emitter<'_, '_>, records: &Records) {
    let ir = em.ir;
    let last = records.each.iter().filter(|r| r.op == RedOp::Last);
    for mark in last.filter_map(|r| em.vars.marks.get(&r.var)) {
        ir.store(ir.const_bool(false), *mark);
    }
}

/// In a kernel: an iteration of the innermost axis is over, the one of each axis that `now` tells.
pub(crate) fn leave_iteration(
    em: &mut Emitter<'_, '_>,
    records: &Records,
    placed: &[Option<Placed>],
    now: &[V],
) -> Result<()> {
    for (r, placed) in records.each.iter().zip(placed) {
        let Some(placed) = placed else { continue };
        let assigned = match placed.seen {
            // What is assigned is better than what there was, or it would not be.
            Some(seen) => {
                let home = em.vars.home(&em.lanes, r.var, false)?;
                let bits = bits(em, home.load(em.ir).a, r.repr);
                let ir = em.ir;
                let before = ir.load(ir.type_of(bits), seen);
                ir.store(bits, seen);
                ir.icmp(IntPred::LLVMIntNE, bits, before)
            }
            None => match em.vars.marks.get(&r.var) {
                Some(mark) => em.ir.load(em.ir.i1(), *mark),
                None => return invalid("a mark that is not kept"),
            },
        };
        let ir = em.ir;
        for (at, now) in placed.at.iter().zip(now) {
            let (now, before) = (ir.load(ir.i64(), *now), ir.load(ir.i64(), *at));
            ir.store(ir.select(assigned, now, before), *at);
        }
    }
    Ok(())
}

/// In a kernel: the thread's record.
pub(crate) fn leave_record(
    em: &mut Emitter<'_, '_>,
    records: &Records,
    placed: &[Option<Placed>],
    to: V,
) -> Result<()> {
    for (k, (r, placed)) in records.each.iter().zip(placed).enumerate() {
        let home = em.vars.home(&em.lanes, r.var, false)?;
        let value = home.load(em.ir);
        let ir = em.ir;
        em.unit
            .store_cell(r.repr, value, ir.offset_const(to, CELL * k));
        let Some(placed) = placed else { continue };
        for (axis, at) in placed.at.iter().enumerate() {
            let at = ir.load(ir.i64(), *at);
            ir.store(at, ir.offset_const(to, records.place(k, axis)));
            if r.op == RedOp::Last {
                let mark = ir.icmp(IntPred::LLVMIntSGE, at, ir.const_i64(0));
                let cell = ir.offset_const(to, mark_cell(&records.as_threads, k));
                ir.store(ir.zext(mark, ir.i64()), cell);
            }
        }
    }
    Ok(())
}

/// On the host: the first of so many records becomes all of them; whether a sum left its representation.
fn combine_blocks(em: &Emitter<'_, '_>, records: &Records, first: V, blocks: V) -> Result<(V, V)> {
    let ir = em.ir;
    let overflow = ir.alloca(ir.i1());
    ir.store(ir.const_bool(false), overflow);
    let one = ir.const_i64(1);
    each_record(em, records, first, (one, blocks, one), |f, from| {
        let bad = fold(f, records, first, from)?;
        let old = f.ir.load(f.ir.i1(), overflow);
        f.ir.store(f.ir.or(old, bad), overflow);
        Ok(())
    })?;
    Ok((first, ir.load(ir.i1(), overflow)))
}

/// Goes through records, from the `k`th on to before another one, so many at a time.
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

/// Memory of the thread's own for a record.
pub(crate) fn record(em: &Emitter<'_, '_>, records: &Records) -> V {
    let bytes = em.ir.array(em.ir.i8(), records.size() as u64);
    em.ir.alloca_aligned(bytes, 16)
}

pub(crate) fn copy_record(em: &Emitter<'_, '_>, records: &Records, to: V, from: V) {
    let ir = em.ir;
    for at in records.words() {
        let word = ir.load(ir.i64(), ir.offset_const(from, at));
        ir.store(word, ir.offset_const(to, at));
    }
}

/// On the host, or in a team: variables become what a kernel's blocks, so many, came to.
pub(crate) fn take_records(
    em: &mut Emitter<'_, '_>,
    l: &For,
    records: &Records,
    (first, blocks): (V, V),
    span: Span,
) -> Result<()> {
    let (first, overflow) = match em.gpu.team {
        Some(_) => warps::combine_team(em, records, first, blocks)?,
        None => combine_blocks(em, records, first, blocks)?,
    };
    let bad = threads::combine(em, l, &records.as_threads, first)?;
    let ir = em.ir;
    let bad = ir.or(overflow, bad);
    let fine = em.ir.fresh();
    em.exits
        .leave_if(em.ir, bad, fine, EventCode::Overflow, span);
    ir.at(fine);
    Ok(())
}

/// Combines two records into the first; whether a sum left its representation.
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
                let take = takes(em, records, k, (x, y), (into, from));
                taken.push((r.var, take));
                em.lanes.choose(Val::one(take), y, x)
            }
            op => {
                let (merged, bad) = threads::merge(em, op, x, y, r.repr, r.nan)?;
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

/// Whether the second of two records is the one that the `k`th value is from; if so the first has its place from then on.
fn takes(
    em: &Emitter<'_, '_>,
    records: &Records,
    k: usize,
    (x, y): (Val, Val),
    (into, from): (V, V),
) -> V {
    let (ir, r) = (em.ir, &records.each[k]);
    let words = |record: V| -> Vec<V> {
        let word = |axis| ir.load(ir.i64(), ir.offset_const(record, records.place(k, axis)));
        (0..records.axes).map(word).collect()
    };
    let (mine, other) = (words(into), words(from));
    let take = match r.op {
        RedOp::Last => earlier(em, &mine, &other),
        op => {
            let (earlier, better) = (
                earlier(em, &other, &mine),
                threads::better(em, op, x, y, r.repr),
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

/// Whether the first iteration of two comes before the second.
fn earlier(em: &Emitter<'_, '_>, a: &[V], b: &[V]) -> V {
    let ir = em.ir;
    let (mut less, mut same) = (ir.const_bool(false), ir.const_bool(true));
    // The outermost axis is the last.
    for (a, b) in a.iter().zip(b).rev() {
        let here = ir.icmp(IntPred::LLVMIntSLT, *a, *b);
        less = ir.or(less, ir.and(same, here));
        same = ir.and(same, ir.icmp(IntPred::LLVMIntEQ, *a, *b));
    }
    less
}

fn bits(em: &Emitter<'_, '_>, v: V, repr: Scalar) -> V {
    let ir = em.ir;
    match repr.is_float() {
        true => ir.bitcast(v, ir.int(8 * repr.size() as u32)),
        false => v,
    }
}
