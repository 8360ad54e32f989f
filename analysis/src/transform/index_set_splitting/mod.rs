//! One loop made into several over consecutive ranges of its iterations.

pub mod cut;
pub mod cuts;
pub(crate) mod values;

use nestwise_ir::LoopId;
use nestwise_ir::model::nest::{BinOp, Expr, For, Nest, Stmt};

use crate::guards::static_facts::affine_interval;
use crate::parallelism::legality::Given;
use crate::structure::find_for;
use crate::transform::build::{Builder, hidden};
use crate::transform::copy::Copy;
use crate::transform::index_set_splitting::cut::Part;
use crate::transform::index_set_splitting::cuts::{Piece, Split, body_of};
use crate::transform::rewritten::{Rewritten, compact, splice_for};
use crate::values::affine::Affine;

/// The nest with loops, none of them inside another, made into one loop for each part that [`Given::may_split`] found. The
/// top loop has to stay the only one.
pub fn split(given: &Given<'_>, todo: &[(LoopId, Split)]) -> Option<Rewritten> {
    let mut nest = given.nest.clone();
    let (mut made, mut nonempty) = (vec![], given.analysis.options.nonempty);
    for (id, split) in todo {
        let l = find_for(given.nest, *id).filter(|_| *id != LoopId(0))?;
        let span = given.nest.loops.get(*id)?.span;
        let cutter = Cutter::of(given, &mut nest, split, Builder { span })?;
        // Any part may have no iteration.
        nonempty &= !(1u64 << id.index().min(63));
        let mut parts = vec![];
        for (number, Piece { part, .. }) in split.parts.iter().enumerate() {
            let mut piece = For {
                body: body_of(given, l, &split.cut, *part)?,
                ..cutter.header(l, *part)?
            };
            if number > 0 {
                let mut copy = Copy::default();
                copy.declare(&mut nest, &piece, &mut |of| {
                    made.push((of, of != *id && given.runs(of)))
                })?;
                copy.rename(&mut nest, &mut piece);
            }
            parts.push(cutter.b.repeat(piece));
        }
        if l.step.as_int() < Some(0) {
            parts.reverse();
        }
        let mut all: Vec<Stmt> = cutter.before.into_iter().chain(parts).collect();
        splice_for(std::slice::from_mut(&mut nest.top), *id, &mut |_| {
            std::mem::take(&mut all)
        });
    }
    compact(&mut nest);
    Some(Rewritten::of("index-set splitting", nest, nonempty, &made))
}

/// A place of a cut, in 128 bits: the least counter that is not below it, or that is above it.
struct End {
    value: Expr,
    /// It may lie before, or behind, all that 64 bits hold.
    far: [bool; 2],
}

/// The bounds of one loop's parts.
struct Cutter {
    b: Builder,
    /// What is computed first.
    before: Vec<Stmt>,
    from: Option<End>,
    above: Option<End>,
}

impl Cutter {
    fn of(given: &Given<'_>, nest: &mut Nest, split: &Split, b: Builder) -> Option<Cutter> {
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

    /// The least counter with `divisor * counter > form`.
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
    fn header(&self, l: &For, part: Part) -> Option<For> {
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

    /// The nearer (`op`) of one end of the loop and one of the cut, kept within 64 bits: a range beyond them is empty.
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
