//! Operations of an int with constants, checked by where the int is: a chain of them (`3 * x + 1`) takes one look,
//! before any of them, and none of them waits for another's check.

use nestwise_ir::model::nest::{BinOp, Expr, ExprKind};

use crate::abi::GuardFailure;
use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::guards;
use crate::lower::emitter::Emitter;
use crate::lower::scalar::int_op::Op;
use crate::lower::value::Val;

/// `factor * x + term`, and the `x`, from `least` to `most`, for which every operation on the way stays in range.
#[derive(Clone, Copy)]
pub(crate) struct Linear {
    factor: i128,
    term: i128,
    least: i128,
    most: i128,
}

impl Linear {
    /// `x` itself, of a representation that has this range.
    pub(crate) fn of(range: (i128, i128)) -> Linear {
        Linear {
            factor: 1,
            term: 0,
            least: range.0,
            most: range.1,
        }
    }

    /// The chain with one more operation, whose right operand is `c`. None: it does not vary with `x` any more, or not
    /// in 128 bits.
    pub(crate) fn then(self, op: BinOp, c: i128, range: (i128, i128)) -> Option<Linear> {
        let (factor, term) = match op {
            BinOp::Add => (self.factor, self.term.checked_add(c)?),
            BinOp::Sub => (self.factor, self.term.checked_sub(c)?),
            BinOp::Mul => (self.factor.checked_mul(c)?, self.term.checked_mul(c)?),
            _ => return None,
        };
        // The results in range are those of the quotients inside it; they fall as `x` grows where the factor is
        // negative.
        let (from, to) = (range.0.checked_sub(term)?, range.1.checked_sub(term)?);
        let up = |v: i128| v.checked_neg().map(|v| -v.div_euclid(factor.abs()));
        let down = |v: i128| v.div_euclid(factor.abs());
        let (least, most) = match factor.signum() {
            0 => return None,
            1 => (up(from)?, down(to)),
            _ => (up(to.checked_neg()?)?, down(from.checked_neg()?)),
        };
        Some(Linear {
            factor,
            term,
            least: self.least.max(least),
            most: self.most.min(most),
        })
    }
}

/// The value of `e`, if that is a chain of two or more guarded operations with constants.
pub(crate) fn chain(em: &mut Emitter<'_, '_>, e: &Expr) -> Result<Option<Val>> {
    let Some((x, linear)) = find(e, true) else {
        return Ok(None);
    };
    let x = em.expr(x)?;
    let how = Op {
        repr: e.ty.repr,
        wide: x.wide,
        guard: true,
        span: e.span,
    };
    let v = int_linear(em, x.a, linear, how);
    Ok(Some(Val::shaped(v, x.wide)))
}

/// The value of a chain for `a`. Fails where `a` is outside the chain's range; the value is then the end of the
/// results' range towards which it left, if execution goes on.
pub(crate) fn int_linear(em: &Emitter<'_, '_>, a: V, linear: Linear, how: Op) -> V {
    let ir = em.ir;
    let (lo, hi) = how.range();
    let Linear {
        factor,
        term,
        least,
        most,
    } = linear;
    let constant = |v: i128| em.lanes.const_int(how.repr, v, how.wide);
    let pred = |signed, unsigned| if how.signed() { signed } else { unsigned };
    // Where there is no such value both are beyond one end, and everything is outside.
    let below = (least > lo).then(|| {
        let less = pred(IntPred::LLVMIntSLT, IntPred::LLVMIntULT);
        ir.icmp(less, a, constant(least.min(hi)))
    });
    let above = (most < hi).then(|| {
        let more = pred(IntPred::LLVMIntSGT, IntPred::LLVMIntUGT);
        ir.icmp(more, a, constant(most.max(lo)))
    });
    // Modulo 2**bits, whatever the constants are.
    let mut r = a;
    if factor != 1 {
        r = ir.mul(r, constant(factor), Wrap::Any);
    }
    if term != 0 {
        r = ir.add(r, constant(term), Wrap::Any);
    }
    let Some(overflow) = [below, above]
        .into_iter()
        .flatten()
        .reduce(|x, y| ir.or(x, y))
    else {
        return r;
    };
    guards::fail_where(em, overflow, how.wide, GuardFailure::Overflow, how.span);
    if !guards::continues(em) {
        return r;
    }
    let (under, over) = if factor > 0 { (lo, hi) } else { (hi, lo) };
    let r = match below {
        Some(below) => ir.select(below, constant(under), r),
        None => r,
    };
    match above {
        Some(above) => ir.select(above, constant(over), r),
        None => r,
    }
}

/// The expression that a chain of guarded operations with constants starts from, and what they make of it. `outermost`:
/// it has to be two operations at least.
fn find(e: &Expr, outermost: bool) -> Option<(&Expr, Linear)> {
    let ExprKind::Binary {
        op: op @ (BinOp::Add | BinOp::Sub | BinOp::Mul),
        a,
        b,
        guard: true,
    } = &e.kind
    else {
        return None;
    };
    let repr = e.ty.repr;
    let range = repr
        .int_range()
        .filter(|_| repr.is_int() && repr.bits() <= 64)?;
    let (x, c) = match (a.as_int(), b.as_int()) {
        (None, Some(c)) => (a, c),
        (Some(c), None) if *op != BinOp::Sub => (b, c),
        _ => return None,
    };
    let (base, inner) = match find(x, false) {
        Some(found) if x.ty.repr == repr => found,
        _ if outermost => return None,
        _ => (&**x, Linear::of(range)),
    };
    Some((base, inner.then(*op, c, range)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestwise_ir::Scalar;

    /// For every value of 8 bits: it is in the range iff each operation stays in the representation.
    #[test]
    fn a_range_is_that_of_which_no_operation_leaves() {
        let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul];
        let constants = [-128, -127, -100, -3, -2, -1, 1, 2, 3, 5, 100, 126, 127, 255];
        for repr in [Scalar::I8, Scalar::U8] {
            let range = repr.int_range().unwrap_or_default();
            let inside = |v: i128| (range.0..=range.1).contains(&v);
            let fits = |c: &&i128| inside(**c);
            for first in ops {
                for second in ops {
                    for c in constants.iter().filter(fits) {
                        for d in constants.iter().filter(fits) {
                            let both = Linear::of(range)
                                .then(first, *c, range)
                                .and_then(|l| l.then(second, *d, range));
                            let Some(l) = both else {
                                panic!("{first:?} {c} {second:?} {d}")
                            };
                            for x in range.0..=range.1 {
                                let once = apply(first, x, *c);
                                let twice = apply(second, once, *d);
                                assert_eq!(l.factor * x + l.term, twice);
                                let stays = inside(once) && inside(twice);
                                assert_eq!((l.least..=l.most).contains(&x), stays);
                            }
                        }
                    }
                }
            }
        }
    }

    fn apply(op: BinOp, a: i128, b: i128) -> i128 {
        match op {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            _ => a * b,
        }
    }
}
