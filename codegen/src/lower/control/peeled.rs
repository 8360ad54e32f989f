//! Loops whose first and last iterations are run one by one, and the iterations between them by a simpler body.

use nestwise_analysis::transform::peeling::Split;
use nestwise_ir::{Expr, For};

use crate::error::Result;
use crate::llvm::{IntPred, V, Wrap};
use crate::lower::Func;
use crate::lower::control::loops::Range;

impl Func<'_, '_> {
    /// The range in three parts: before the interior, the interior, after it. Any of them may be empty.
    pub(crate) fn split_loop(
        &mut self,
        l: &For,
        split: Split,
        range: Range,
        at: Option<V>,
    ) -> Result<()> {
        let ir = self.ir();
        let (work, end) = (self.fresh(), self.fresh());
        // The bounds may read arrays, which is safe where the loop runs.
        ir.cond_br(ir.icmp(IntPred::LLVMIntSLT, range.lo, range.hi), work, end);
        ir.at(work);
        let from = self.cut(&split.lower, range.lo, range, true)?;
        let to = self.cut(&split.upper, from, range, false)?;
        let part = |lo: V, hi: V| Range { lo, hi, ..range };
        let interior = For {
            body: split.body,
            ..l.clone()
        };
        self.one_by_one(l, part(range.lo, from), at)?;
        self.unsplit(&interior, part(from, to), None)?;
        self.one_by_one(l, part(to, range.hi), at)?;
        self.ir().br(end);
        self.ir().at(end);
        Ok(())
    }

    /// A part of the range without vectors.
    pub(crate) fn one_by_one(&mut self, l: &For, range: Range, at: Option<V>) -> Result<()> {
        self.edge = Some(l.id);
        let done = self.serial(l, range, at);
        self.edge = None;
        done
    }

    /// The first iteration from `lo` on whose counter is at least all bounds (`most`), or at least the smallest of
    /// them; at most `range.hi`. Exact: in 128 bits, where no bound overflows.
    fn cut(&mut self, bounds: &[Expr], lo: V, range: Range, most: bool) -> Result<V> {
        let ir = self.ir();
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
            let bound = self.expr(bound)?.a;
            let iteration = ir.sub(bound, start, Wrap::Any);
            cut = if most {
                max(cut, iteration)
            } else {
                min(cut, iteration)
            };
        }
        Ok(ir.trunc(max(min(cut, hi), lo), ir.i64()))
    }
}
