//! Questions about a part of a loop's iterations.

use nestwise_ir::LoopId;

use crate::dependence::model::Tester;
use crate::dependence::problem::{Problem, Side};
use crate::integer::{Answer, Fuel};
use crate::values::affine::{Affine, Ix};
use crate::values::forms::LoopForm;

impl Tester<'_> {
    /// Whether a loop may have, in one execution of it, two iterations whose counters are `gap` or more apart.
    pub fn may_span(&self, id: LoopId, gap: i64) -> bool {
        let Some(l) = self.forms.loop_form(id) else {
            return true;
        };
        let around: Vec<LoopId> = std::iter::successors(l.parent, |p| {
            self.forms.loop_form(*p).and_then(|l| l.parent)
        })
        .collect();
        let mut p = Problem::new(self, &around);
        p.reached(l, Side::Src);
        p.reached(l, Side::Dst);
        p.within(self.within);
        p.apart(id, gap);
        p.system.solve(&mut Fuel::default()) != Answer::No
    }
}

impl Problem<'_> {
    /// Requires that one access (`side`) is in an iteration that the loop executes.
    pub(crate) fn reached(&mut self, l: &LoopForm, side: Side) {
        let mut at = Some(l);
        let forms = self.forms;
        while let Some(l) = at {
            let side = self.side(Ix::Counter(l.id), side);
            self.own_bounds(Ix::Counter(l.id), side);
            at = l.parent.and_then(|p| forms.loop_form(p));
        }
        for fact in forms.facts(l.ctx) {
            self.fact(&fact.form, fact.kind, side);
        }
    }

    /// Requires that none of the forms is negative in either iteration.
    pub(crate) fn within(&mut self, forms: &[Affine]) {
        for form in forms {
            self.nonneg(vec![(Side::Src, form.clone())]);
            self.nonneg(vec![(Side::Dst, form.clone())]);
        }
    }

    /// Requires that the loop's counter is at least `gap` greater in the second iteration than in the first.
    pub(crate) fn apart(&mut self, id: LoopId, gap: i64) {
        let c = Affine::ix(Ix::Counter(id));
        if let Some(minus) = c.neg() {
            let gap = Affine::constant(-i128::from(gap));
            self.nonneg(vec![(Side::Dst, c), (Side::Src, minus), (Side::Both, gap)]);
        }
    }
}
