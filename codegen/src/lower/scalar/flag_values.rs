//! Values that are computed for the floating-point flags alone ([`nestwise_analysis::dataflow::fp_flags`]).
//!
//! Their bits are put together into a word that the optimiser takes for used when the function ends. Unlike a volatile
//! operation on each value this leaves loops to the vectorisers: it is one more reduction.

use nestwise_analysis::dataflow::fp_flags::warns;
use nestwise_ir::{Expr, LoopId, Scalar};

use crate::error::Result;
use crate::llvm::{T, V};
use crate::lower::{Func, Val};

/// Widths of the words.
const BITS: [u32; 2] = [32, 64];

impl Func<'_, '_> {
    /// Words for `lanes` values at once, nothing in them.
    pub(crate) fn kept_words(&self, lanes: u32) -> [V; 2] {
        BITS.map(|bits| {
            let ty = self.kept_type(bits, lanes);
            let home = self.ir().alloca(self.entry, ty);
            self.ir().store(self.ir().zero(ty), home);
            home
        })
    }

    fn kept_type(&self, bits: u32, lanes: u32) -> T {
        let word = self.ir().int(bits);
        match self.kept_lanes(bits, lanes) {
            1 => word,
            n => self.ir().vector(word, n),
        }
    }

    /// One register's lanes.
    fn kept_lanes(&self, bits: u32, lanes: u32) -> u32 {
        lanes.min((self.u.host.vector_bits / bits).max(1))
    }

    /// Keeps the value of `e` if it is idle and something in it may warn.
    pub(crate) fn keep_unread(&self, e: &Expr, v: Val) {
        if self.unread {
            self.keep_if_warns(e, v);
        }
    }

    pub(crate) fn keep_if_warns(&self, e: &Expr, v: Val) {
        if warns(e) {
            self.keep(v, e.ty.repr);
        }
    }

    /// An operand of `e`, behind what the optimiser does not look through where it would compute `e` itself, without flags.
    pub(crate) fn run_time(&self, e: &Expr, operand: &Expr, v: Val) -> Val {
        let float = operand.ty.repr.is_float() || operand.ty.repr.is_complex();
        if !float || self.u.device.is_some() || !self.u.constants.would_warn(e) {
            return v;
        }
        Val {
            a: self.opaque(v.a),
            b: v.b.map(|b| self.opaque(b)),
            wide: v.wide,
        }
    }

    /// Makes the optimiser keep a value's computation.
    pub(crate) fn keep(&self, v: Val, repr: Scalar) {
        if self.u.spec.unchecked || matches!(repr, Scalar::I128 | Scalar::Num) {
            return;
        }
        for part in [Some(v.a), v.b].into_iter().flatten() {
            self.keep_part(part, v.wide, repr);
        }
    }

    fn keep_part(&self, v: V, wide: bool, repr: Scalar) {
        let ir = self.ir();
        let size = match repr {
            Scalar::Bool => 1,
            r if r.is_complex() => r.bits() / 2,
            r => r.bits(),
        };
        let which = usize::from(size > BITS[0]);
        let word = self.shape(ir.int(BITS[which]), wide);
        let bits = match repr.is_float() || repr.is_complex() {
            true => ir.bitcast(v, word),
            false if size < BITS[which] => ir.zext(v, word),
            false => v,
        };
        let home = match (&self.lanes, wide) {
            (Some(l), true) => l.kept[which],
            _ => self.kept[which],
        };
        let lanes = if wide { self.count() } else { 1 };
        let bits = self.halved(bits, lanes, self.kept_lanes(BITS[which], lanes));
        let old = ir.load(ir.type_of(bits), home);
        ir.store(ir.or(old, bits), home);
        self.keeps.set(true);
    }

    /// `from` lanes in `to`.
    fn halved(&self, mut v: V, mut from: u32, to: u32) -> V {
        let ir = self.ir();
        while from > to {
            from /= 2;
            let low: Vec<u32> = (0..from).collect();
            let high: Vec<u32> = (from..2 * from).collect();
            v = ir.or(ir.shuffle(v, v, &low), ir.shuffle(v, v, &high));
        }
        v
    }

    /// At the end of a vector loop: what its words hold goes to those of the function.
    pub(crate) fn keep_lanes_words(&self, words: [V; 2], lanes: u32) {
        if !self.keeps.get() {
            return;
        }
        let ir = self.ir();
        for (k, bits) in BITS.into_iter().enumerate() {
            let ty = self.kept_type(bits, lanes);
            let mut v = ir.load(ty, words[k]);
            if self.kept_lanes(bits, lanes) > 1 {
                v = ir.intrinsic("llvm.vector.reduce.or", &[ty], &[v]);
            }
            let old = ir.load(ir.int(bits), self.kept[k]);
            ir.store(ir.or(old, v), self.kept[k]);
        }
    }

    /// After a loop: the sums that nothing may need.
    pub(crate) fn keep_sums(&mut self, l: LoopId) -> Result<()> {
        let idle: Vec<_> = self.u.idle.left_by(l).collect();
        let own = self.copy;
        let copies = match &self.jam {
            Some(jam) if !self.in_copy => 0..jam.count,
            _ => own..own + 1,
        };
        for var in idle {
            for copy in copies.clone() {
                self.copy = copy;
                let v = self.read(var)?;
                self.keep(v, self.repr(var)?);
            }
            self.copy = own;
        }
        Ok(())
    }

    /// Where the function ends: the words count as used.
    pub(crate) fn release_kept(&self) {
        if self.keeps.get() {
            for (k, bits) in BITS.into_iter().enumerate() {
                let ir = self.ir();
                ir.keep_alive(ir.load(ir.int(bits), self.kept[k]));
            }
        }
    }
}
