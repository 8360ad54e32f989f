//! Loops whose first and last iterations are run one by one, and the iterations between them by a simpler body.

use nestwise_analysis::transform::peeling::Split;
use nestwise_ir::{Expr, For};

use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::control::iterations;
use crate::lower::control::ranges::Range;
use crate::lower::emitter::Emitter;

/// Runs the range in three parts, any of which may be empty: the first iterations one by one, those between by
/// `interior`, which is given the loop with the simpler body, the last ones one by one.
pub(crate) fn split_loop(
    em: &mut Emitter<'_, '_>,
    l: &For,
    split: Split,
    range: Range,
    at: Option<V>,
    interior: impl FnOnce(&mut Emitter<'_, '_>, &For, Range) -> Result<()>,
) -> Result<()> {
    let ir = em.ir;
    let (work, end) = (em.ir.fresh(), em.ir.fresh());
    // The bounds may read arrays, which is safe where the loop runs.
    ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), work, end);
    ir.at(work);
    let from = cut(em, &split.lower, range.lo, range, true)?;
    let to = cut(em, &split.upper, from, range, false)?;
    let part = |lo: V, hi: V| Range { lo, hi, ..range };
    let simpler = For {
        body: split.body,
        ..l.clone()
    };
    iterations::one_by_one(em, l, part(range.lo, from), at)?;
    interior(em, &simpler, part(from, to))?;
    iterations::one_by_one(em, l, part(to, range.hi), at)?;
    em.ir.br(end);
    em.ir.at(end);
    Ok(())
}

/// The first iteration from `lo` on whose counter is at least all bounds (`most`), or at least the smallest of them; at
/// most `range.hi`. It is exact: computed in 128 bits, where no bound overflows.
fn cut(em: &mut Emitter<'_, '_>, bounds: &[Expr], lo: V, range: Range, most: bool) -> Result<V> {
    let ir = em.ir;
    let wide = ir.int(128);
    let (start, lo, hi) = (
        ir.sext(range.start, wide),
        ir.sext(lo, wide),
        ir.sext(range.hi, wide),
    );
    let min = |a: V, b: V| ir.select(ir.icmp(IntPred::LLVMIntSLT, a, b), a, b);
    let max = |a: V, b: V| ir.select(ir.icmp(IntPred::LLVMIntSGT, a, b), a, b);
    let mut cut = if most { lo } else { hi };
    for bound in bounds {
        let bound = em.expr(bound)?.a;
        let iteration = ir.sub(bound, start, Wrap::Any);
        cut = if most {
            max(cut, iteration)
        } else {
            min(cut, iteration)
        };
    }
    Ok(ir.trunc(max(min(cut, hi), lo), ir.i64()))
}
