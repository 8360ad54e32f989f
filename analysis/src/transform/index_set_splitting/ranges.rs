//! The ranges of a loop's parts, as expressions for their bounds.

use nestwise_ir::model::nest::{BinOp, Expr, For, Nest, Stmt};

use crate::guards::static_facts::affine_interval;
use crate::parallelism::legality::Given;
use crate::transform::build::{Builder, hidden};
use crate::transform::index_set_splitting::cut::{Part, Split};
use crate::values::affine::Affine;

/// A bound at a cut, in 128 bits: the least counter that is not below the cut, or that is above it.
struct End {
    value: Expr,
    /// Whether the bound may be less, and whether it may be greater, than all numbers of 64 bits.
    far: [bool; 2],
}

/// The bounds of one loop's parts.
pub(super) struct Cutter {
    pub(super) b: Builder,
    /// Statements that have to run before the loops.
    pub(super) before: Vec<Stmt>,
    from: Option<End>,
    above: Option<End>,
}

impl Cutter {
    pub(super) fn of(
        given: &Given<'_>,
        nest: &mut Nest,
        split: &Split,
        b: Builder,
    ) -> Option<Cutter> {
        let mut cutter = Cutter {
            b,
            before: vec![],
            from: None,
            above: None,
        };
        let uses = |f: &dyn Fn(Part) -> bool| split.parts.iter().any(|p| f(p.part));
        // Counters above the cut begin behind the last one that is not.
        if uses(&|p| matches!(p, Part::UpTo | Part::At | Part::Above)) {
            cutter.above = Some(cutter.behind(given, nest, split, &split.cut.at)?);
        }
        if uses(&|p| matches!(p, Part::Below | Part::At | Part::From)) {
            let less = split.cut.at.add_const(-1)?;
            cutter.from = Some(cutter.behind(given, nest, split, &less)?);
        }
        Some(cutter)
    }

    /// The bound that is the least counter with `divisor * counter > form`.
    fn behind(
        &mut self,
        given: &Given<'_>,
        nest: &mut Nest,
        split: &Split,
        form: &Affine,
    ) -> Option<End> {
        let b = self.b;
        let divisor = split.cut.divisor;
        if divisor == 1 {
            let next = form.add_const(1)?;
            let range = affine_interval(given.nest, given.forms(), &next, 4);
            return Some(End {
                value: b.form(nest, &next)?,
                far: [range.lo < i64::MIN.into(), range.hi > i64::MAX.into()],
            });
        }
        // The quotient fits: it was asked when the cut was found.
        let quotient = hidden(nest);
        let value = b.form(nest, form)?;
        let shift = divisor.trailing_zeros().into();
        let floor = match 1i128 << shift == divisor {
            true => b.op(BinOp::Shr, value, b.number(shift)),
            false => b.op(BinOp::FloorDiv, value, b.number(divisor)),
        };
        self.before.push(b.set(quotient, b.narrow(floor)));
        Some(End {
            value: b.add(b.wide_var(quotient), b.number(1)),
            far: [false, true],
        })
    }

    /// The loop over a part's range, without a body.
    pub(super) fn header(&self, l: &For, part: Part) -> Option<For> {
        let (lo, hi) = match part {
            Part::Below => (None, Some(self.from.as_ref()?)),
            Part::UpTo => (None, Some(self.above.as_ref()?)),
            Part::At => (Some(self.from.as_ref()?), Some(self.above.as_ref()?)),
            Part::From => (Some(self.from.as_ref()?), None),
            Part::Above => (Some(self.above.as_ref()?), None),
        };
        let up = l.step.as_int() > Some(0);
        // Downwards a range begins at the last counter before `hi`, and ends before the last one before `lo`.
        let (first, last, less) = if up { (lo, hi, 0) } else { (hi, lo, 1) };
        let ops = [BinOp::Max, BinOp::Min];
        let [inward, outward] = if up { ops } else { [BinOp::Min, BinOp::Max] };
        Some(For {
            start: self.limited(inward, &l.start, first, less),
            stop: self.limited(outward, &l.stop, last, less),
            step: l.step.clone(),
            body: vec![],
            ..*l
        })
    }

    /// The nearer (`op`) of a bound of the loop and the bound at the cut, limited to 64 bits: a range beyond them is
    /// empty.
    fn limited(&self, op: BinOp, end: &Expr, cut: Option<&End>, less: i128) -> Expr {
        let b = self.b;
        let Some(cut) = cut else { return end.clone() };
        let place = match less {
            0 => cut.value.clone(),
            _ => b.sub(cut.value.clone(), b.number(less)),
        };
        let nearer = b.op(op, b.wide(end), place);
        let (far, opposite, limit) = match op {
            BinOp::Min => (cut.far[0] || less > 0, BinOp::Max, i64::MIN),
            _ => (cut.far[1], BinOp::Min, i64::MAX),
        };
        b.narrow(match far {
            true => b.op(opposite, b.number(limit.into()), nearer),
            false => nearer,
        })
    }
}
