//! Memory accesses of all lanes together: consecutive ones as vectors, others through an address per lane.

use nestwise_ir::{ArrayId, Expr, Scalar, Span};

use crate::abi::EventCode;
use crate::error::{Result, invalid};
use crate::llvm::{IntPred, T, V, Wrap};
use crate::lower::{Func, Val};

impl Func<'_, '_> {
    pub(crate) fn wide_load(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        guard: bool,
        span: Span,
    ) -> Result<Val> {
        let access = self.wide_access(array, index, guard, span)?;
        let storage = self.storage(array)?;
        let ty = self.memory_type(storage);
        let ir = self.ir();
        let v = match access {
            Access::Consecutive { at, reverse } if !storage.is_complex() => {
                Val::shaped(self.load_row(array, ty, at, reverse), true)
            }
            Access::Consecutive { at, .. } => {
                // Interleaved parts.
                let n = self.count();
                let both = ir.load(ir.vector(ty, 2 * n), at);
                ir.set_align(both, storage.size() as u32 / 2);
                self.mark(both, array);
                let take = |odd: u32| {
                    let lanes: Vec<u32> = (0..n).map(|k| 2 * k + odd).collect();
                    ir.shuffle(both, both, &lanes)
                };
                Val::pair(take(0), take(1), true)
            }
            Access::Scattered { at, mask } => {
                let a = self.gather(array, ty, at, mask);
                let b = storage
                    .is_complex()
                    .then(|| self.gather(array, ty, ir.offset_const(at, storage.size() / 2), mask));
                Val { a, b, wide: true }
            }
        };
        self.widen_element(array, v)
    }

    pub(crate) fn wide_store(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        value: &Expr,
        guard: bool,
        span: Span,
    ) -> Result<()> {
        let access = self.wide_access(array, index, guard, span)?;
        let v = self.expr(value)?;
        self.keep_unread(value, v);
        let v = self.widen(v);
        self.fits_storage(array, v, span)?;
        let storage = self.storage(array)?;
        let v = self.narrow_element(array, v)?;
        let ir = self.ir();
        match access {
            Access::Consecutive { at, reverse } if !storage.is_complex() => {
                self.store_row(array, v.a, at, reverse);
            }
            Access::Consecutive { at, .. } => {
                let n = self.count();
                let lanes: Vec<u32> = (0..2 * n).map(|k| k / 2 + (k % 2) * n).collect();
                let both = ir.shuffle(v.a, v.second()?, &lanes);
                let s = ir.store(both, at);
                ir.set_align(s, storage.size() as u32 / 2);
                self.mark(s, array);
            }
            Access::Scattered { at, mask } => {
                self.scatter(array, v.a, at, mask);
                if storage.is_complex() {
                    self.scatter(
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

    /// How the lanes' elements lie in memory.
    fn wide_access(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        guard: bool,
        span: Span,
    ) -> Result<Access> {
        let Some(facts) = self.lanes.as_ref().map(|l| l.facts.clone()) else {
            return invalid("a wide access without lanes");
        };
        let guard = guard || self.suspects(index);
        let steps: Option<Vec<i64>> = index.iter().map(|e| facts.linear_step(e)).collect();
        let ir = self.ir();
        let all = self.const_bool(true, true);
        let active = self.mask().map_or(all, |m| m.a);
        if let (Some(steps), false) = (steps, guard) {
            let mut first = Vec::with_capacity(index.len());
            for e in index {
                first.push(self.first_lane(e)?);
            }
            let at = self.place(array, &first)?.at;
            if let Some((last, outer)) = steps.split_last()
                && outer.iter().all(|s| *s == 0)
                && self.unit(array)
            {
                let complex = self.storage(array)?.is_complex();
                match *last {
                    1 if !complex || self.mask().is_none() => {
                        return Ok(Access::Consecutive { at, reverse: false });
                    }
                    -1 if !complex => return Ok(Access::Consecutive { at, reverse: true }),
                    _ => {}
                }
            }
            let slot = self.slot(array)?;
            let mut stride = ir.const_i64(0);
            for (step, cell) in steps.iter().zip(&slot.strides) {
                stride = self.index_fma(stride, ir.const_i64(*step), self.cell(*cell));
            }
            let offsets = ir.mul(self.iota(1), ir.splat(stride, self.count()), Wrap::Signed);
            // Inactive lanes may point anywhere, so the addresses promise nothing.
            return Ok(Access::Scattered {
                at: ir.offset(at, offsets, false),
                mask: active,
            });
        }
        self.indexed_access(array, index, guard, active, span)
    }

    /// Every lane computes its own address.
    fn indexed_access(
        &mut self,
        array: ArrayId,
        index: &[Expr],
        guard: bool,
        active: V,
        span: Span,
    ) -> Result<Access> {
        let ir = self.ir();
        let slot = self.slot(array)?;
        let mut at = Vec::with_capacity(index.len());
        for e in index {
            let v = self.expr(e)?;
            at.push(self.widen(v).a);
        }
        let mut mask = active;
        if guard {
            let zero = self.spread(ir.const_i64(0), true);
            let mut ok = self.const_bool(true, true);
            for (i, extent) in at.iter_mut().zip(&slot.extents) {
                let n = self.spread(self.cell(*extent), true);
                let negative = ir.icmp(IntPred::LLVMIntSLT, *i, zero);
                *i = ir.select(negative, ir.add(*i, n, Wrap::Any), *i);
                ok = ir.and(ok, ir.icmp(IntPred::LLVMIntULT, *i, n));
            }
            let bad = ir.not(ok);
            self.fire(bad, true, EventCode::Index, span);
            mask = ir.and(mask, ok);
        }
        let mut offset = self.spread(ir.const_i64(0), true);
        for (i, stride) in at.iter().zip(&slot.strides) {
            let stride = self.spread(self.cell(*stride), true);
            offset = ir.add(offset, ir.mul(*i, stride, Wrap::Any), Wrap::Any);
        }
        let base = self.cell(slot.ptr);
        Ok(Access::Scattered {
            at: ir.offset(base, offset, false),
            mask,
        })
    }

    /// The lowest address of a row of lanes that starts at `at`.
    fn row_start(&self, ty: T, at: V, reverse: bool) -> V {
        let ir = self.ir();
        if !reverse {
            return at;
        }
        ir.element(ty, at, ir.const_i64(1 - i64::from(self.count())), false)
    }

    fn reversed(&self, v: V) -> V {
        let n = self.count();
        let lanes: Vec<u32> = (0..n).rev().collect();
        self.ir().shuffle(v, v, &lanes)
    }

    fn load_row(&self, array: ArrayId, ty: T, at: V, reverse: bool) -> V {
        let ir = self.ir();
        let at = self.row_start(ty, at, reverse);
        let size = self.u.nest.elem_size(array) as u32;
        let wide = ir.vector(ty, self.count());
        let v = match self.mask() {
            None => {
                let v = ir.load(wide, at);
                ir.set_align(v, size);
                v
            }
            Some(mask) => {
                let mask = if reverse {
                    self.reversed(mask.a)
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
        self.mark(v, array);
        if reverse { self.reversed(v) } else { v }
    }

    fn store_row(&self, array: ArrayId, v: V, at: V, reverse: bool) {
        let ir = self.ir();
        let ty = self.memory_type(self.storage(array).unwrap_or(Scalar::I8));
        let at = self.row_start(ty, at, reverse);
        let size = self.u.nest.elem_size(array) as u32;
        let v = if reverse { self.reversed(v) } else { v };
        let s = match self.mask() {
            None => {
                let s = ir.store(v, at);
                ir.set_align(s, size);
                s
            }
            Some(mask) => {
                let mask = if reverse {
                    self.reversed(mask.a)
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
        self.mark(s, array);
    }

    fn gather(&self, array: ArrayId, ty: T, at: V, mask: V) -> V {
        let ir = self.ir();
        let wide = ir.vector(ty, self.count());
        let v = ir.intrinsic(
            "llvm.masked.gather",
            &[wide, ir.type_of(at)],
            &[at, mask, ir.zero(wide)],
        );
        ir.argument_align(
            v,
            0,
            part_align(self.u.nest.elem_size(array), self.storage(array)),
        );
        self.mark(v, array);
        v
    }

    fn scatter(&self, array: ArrayId, v: V, at: V, mask: V) {
        let ir = self.ir();
        let s = ir.intrinsic(
            "llvm.masked.scatter",
            &[ir.type_of(v), ir.type_of(at)],
            &[v, at, mask],
        );
        ir.argument_align(
            s,
            1,
            part_align(self.u.nest.elem_size(array), self.storage(array)),
        );
        self.mark(s, array);
    }
}

/// The alignment of one component.
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
    /// One after the other from `at` on, or downwards from it.
    Consecutive { at: V, reverse: bool },
    /// At an address per lane; only lanes of the mask exist.
    Scattered { at: V, mask: V },
}
