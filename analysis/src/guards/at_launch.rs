//! Guards decided from launch values: running the plan. Deciding guards allocates no memory.

use std::cell::Cell;

use nestwise_ir::{ArrayId, IdSet, LoopId};

use crate::guards::launch_values::LaunchValues;
use crate::guards::plan::{
    BoundsPlan, GuardPlan, IxPlan, Lin, MAX_IXS, MAX_QUERIES, MAX_SYMS, Poly, Sides, Source,
    StepPlan, Test, Value,
};
use crate::guards::{GuardSet, Wraps, static_facts};
use crate::values::interval::Interval;
use crate::values::numeric_form::Num;
use crate::values::transfer::DIM_MAX;
use crate::values::trips::trip_count;

/// The most substitutions tried for one extreme.
const FUEL: u32 = 48;

/// What [`BoundsPlan::resolve`] found besides the guards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// Whether no extent is beyond [`DIM_MAX`], which static proofs rely on. If one is, the nest must not be launched.
    pub extents_ok: bool,
    /// Loops that run at least once whenever they are entered.
    pub nonempty: IdSet<LoopId>,
}

/// The least and the greatest value of a form; `None`: not bounded, or too large.
type Ends = (Option<i64>, Option<i64>);

pub(crate) struct Run<'a> {
    pub(crate) plan: &'a BoundsPlan,
    values: &'a LaunchValues,
    /// The values of symbols; `known_syms` has a bit for each that is known.
    syms: [i64; MAX_SYMS],
    known_syms: u64,
    /// By index variable: the least and the greatest value; `lo > hi` if its loop never runs.
    pub(crate) ixs: [(i64, i64); MAX_IXS],
    /// By counter: whether it goes up, if that is known.
    up: [Option<bool>; MAX_IXS],
    /// Answers to queries: the ends. `asked` has a bit for each query that was answered, `has` for each with a lower
    /// and with an upper end.
    ends: [Cell<(i64, i64)>; MAX_QUERIES],
    asked: Cell<u128>,
    has: [Cell<u128>; 2],
}

impl BoundsPlan {
    /// Decides guards from the values: `out` (made with [`BoundsPlan::guards`] entries) becomes the set of guards that
    /// cannot fail in this launch.
    pub fn resolve(&self, values: &LaunchValues, out: &mut GuardSet) -> Resolved {
        self.decide(&Run::new(self, values), out)
    }

    /// Does what [`BoundsPlan::resolve`] does, and also returns [`BoundsPlan::trips`] of every loop.
    pub fn resolve_with_trips(
        &self,
        values: &LaunchValues,
        out: &mut GuardSet,
    ) -> (Resolved, Vec<Option<f64>>) {
        let run = Run::new(self, values);
        let loops = 0..self.loops.len() as u32;
        let trips = loops.map(|i| run.estimate(LoopId(i))).collect();
        (self.decide(&run, out), trips)
    }

    fn decide(&self, run: &Run<'_>, out: &mut GuardSet) -> Resolved {
        out.clear();
        for g in &self.tests {
            if run.unreachable(g) {
                out.insert(g.id);
            } else if let Some(wrapped) = run.passes(&g.test) {
                out.insert_wrapped(g.id, wrapped);
            }
        }
        Resolved {
            extents_ok: small(run.values),
            nonempty: self.nonempty(run),
        }
    }

    fn nonempty(&self, run: &Run<'_>) -> IdSet<LoopId> {
        let loops = IdSet::first(self.loops.len()).iter();
        loops.filter(|id| run.runs_once(*id)).collect()
    }

    /// The estimated trip count of a loop, averaged over the iterations around it (each outer counter at the
    /// middle of its range: exact for one triangular level, close for more).
    pub fn trips(&self, values: &LaunchValues, id: LoopId) -> Option<f64> {
        Run::new(self, values).estimate(id)
    }

    /// The exact trip count of the top loop.
    pub fn top_trips(&self, values: &LaunchValues) -> Option<u64> {
        let run = Run::new(self, values);
        let plan = self.loops.get(self.top.index())?.as_ref()?;
        let point = |v: &Value| i64::try_from(run.eval(v).as_point()?).ok();
        let (start, stop) = (point(&plan.start)?, point(&plan.stop)?);
        let step = run.step(plan.ix?)?;
        trip_count(start, stop, step)
    }
}

/// Whether every extent is at most [`DIM_MAX`].
fn small(values: &LaunchValues) -> bool {
    values
        .dims
        .iter()
        .flatten()
        .all(|d| i128::from(*d) <= DIM_MAX)
}

impl<'a> Run<'a> {
    pub(crate) fn new(plan: &'a BoundsPlan, values: &'a LaunchValues) -> Self {
        Run::narrowed(plan, values, |_, _| None)
    }

    /// A run restricted to the iterations in which the index variables are in the intervals that `within` gives.
    /// `within` is called for one variable when all earlier ones are known.
    pub(crate) fn narrowed(
        plan: &'a BoundsPlan,
        values: &'a LaunchValues,
        within: impl Fn(&Self, u16) -> Option<(i64, i64)>,
    ) -> Self {
        let mut run = Run {
            plan,
            values,
            syms: [0; MAX_SYMS],
            known_syms: 0,
            ixs: [(i64::MIN, i64::MAX); MAX_IXS],
            up: [None; MAX_IXS],
            ends: [const { Cell::new((0, 0)) }; MAX_QUERIES],
            asked: Cell::new(0),
            has: [const { Cell::new(0) }; 2],
        };
        // A symbol's own expression only mentions earlier symbols.
        for (i, source) in plan.syms.iter().enumerate() {
            if let Some(v) = run.symbol(source) {
                run.syms[i] = v;
                run.known_syms |= 1 << i;
            }
        }
        for (i, ix) in plan.ixs.iter().enumerate() {
            run.index_variable(i, ix);
            if let Some((lo, hi)) = within(&run, i as u16) {
                run.ixs[i] = (run.ixs[i].0.max(lo), run.ixs[i].1.min(hi));
            }
        }
        run
    }

    fn symbol(&self, source: &Source) -> Option<i64> {
        match source {
            Source::Var(v) => self.values.vars.get(v.index()).copied().flatten(),
            Source::Dim(a, axis) => {
                let mut all = self.extents(*a, *axis);
                let first = all.next()?;
                all.all(|d| d == first)
                    .then_some(first)
                    .filter(|d| i128::from(*d) <= DIM_MAX)
            }
            Source::Value(v) => i64::try_from(self.eval(v).as_point()?).ok(),
        }
    }

    /// The extents of an axis, for each slot that may swap arrays with `a`, itself included.
    pub(crate) fn extents(&self, a: ArrayId, axis: u32) -> impl Iterator<Item = i64> + '_ {
        let members = self
            .plan
            .classes
            .get(a.index())
            .map_or(&[][..], |m| m.as_slice());
        members.iter().map(move |m| {
            let dims = self.values.dims.get(m.index());
            dims.and_then(|d| d.get(axis as usize))
                .copied()
                .unwrap_or(0)
        })
    }

    fn index_variable(&mut self, i: usize, plan: &IxPlan) {
        let (lo, hi) = match plan {
            IxPlan::Counter { step, up, down } => {
                let step = self.step_value(step);
                self.up[i] = step.map(|s| s > 0);
                let Some(step) = step else { return };
                let sides = if step > 0 { up } else { down };
                let (lo, hi) = self.enclose(sides);
                self.exact_end(sides, lo, hi, step)
            }
            IxPlan::Def { value, sides } => {
                let own = self.eval(value);
                let (lo, hi) = self.enclose(sides);
                let end = |v: i128, wide: i64| i64::try_from(v).unwrap_or(wide);
                (lo.max(end(own.lo, i64::MIN)), hi.min(end(own.hi, i64::MAX)))
            }
        };
        self.ixs[i] = (lo, hi);
    }

    /// The range of a counter, cut at its last value if its bounds are constants: a step may end short of the bound.
    fn exact_end(&self, sides: &Sides, lo: i64, hi: i64, step: i64) -> (i64, i64) {
        let fixed = |l: &[Lin]| matches!(l, [one] if one.coefs.is_empty());
        if step.unsigned_abs() == 1 || lo > hi || !fixed(&sides.lower) || !fixed(&sides.upper) {
            return (lo, hi);
        }
        let Some(span) = hi.checked_sub(lo) else {
            return (lo, hi);
        };
        let Some(size) = step.checked_abs().filter(|s| *s > 0) else {
            return (lo, hi);
        };
        let short = span % size;
        if step > 0 {
            (lo, hi - short)
        } else {
            (lo + short, hi)
        }
    }

    pub(crate) fn step(&self, ix: u16) -> Option<i64> {
        match self.plan.ixs.get(ix as usize)? {
            IxPlan::Counter { step, .. } => self.step_value(step),
            IxPlan::Def { .. } => None,
        }
    }
    fn step_value(&self, step: &StepPlan) -> Option<i64> {
        match step {
            StepPlan::Const(v) => Some(*v),
            StepPlan::Poly(p) => self.poly(p),
            StepPlan::Unknown => None,
        }
    }

    /// The constant range that bounds give.
    fn enclose(&self, sides: &Sides) -> (i64, i64) {
        let mut fuel = FUEL;
        let mut best = |list: &[Lin], max: bool| {
            if let [one] = list
                && one.coefs.is_empty()
            {
                return self.poly(&one.konst);
            }
            let each = list
                .iter()
                .filter_map(|l| self.extreme(&self.number(l)?, &[], max, &mut fuel));
            if max { each.min() } else { each.max() }
        };
        let lo = best(&sides.lower, false).unwrap_or(i64::MIN);
        let hi = best(&sides.upper, true).unwrap_or(i64::MAX);
        (lo, hi)
    }

    #[inline]
    pub(crate) fn poly(&self, p: &Poly) -> Option<i64> {
        let mut sum = p.konst;
        for (coef, syms) in &p.terms {
            let mut product = *coef;
            for s in syms {
                if self.known_syms >> s & 1 == 0 {
                    return None;
                }
                product = product.checked_mul(*self.syms.get(*s as usize)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    pub(crate) fn number(&self, lin: &Lin) -> Option<Num> {
        let mut out = Num::constant(self.poly(&lin.konst)?);
        for (ix, p) in &lin.coefs {
            out.add_term(*ix, self.poly(p)?)?;
        }
        Some(out)
    }

    /// The best upper bound (`max`) or lower bound found for a form where the facts hold.
    fn extreme(&self, form: &Num, facts: &[u16], max: bool, fuel: &mut u32) -> Option<i64> {
        let Some((ix, coef)) = form.last() else {
            return Some(form.konst);
        };
        let upper = (coef > 0) == max;
        let rest = form.rest();
        let mut best: Option<i64> = None;
        let mut attempt = |bound: &Num, fuel: &mut u32| {
            if *fuel == 0 {
                return;
            }
            *fuel -= 1;
            let mut next = rest;
            if next.add(bound, coef).is_some()
                && let Some(v) = self.extreme(&next, facts, max, fuel)
            {
                best = Some(match best {
                    None => v,
                    Some(b) if max => b.min(v),
                    Some(b) => b.max(v),
                });
            }
        };
        let (lo, hi) = self.ixs.get(ix as usize).copied()?;
        let (lo, hi) = self.exclude(ix, facts, lo, hi);
        let end = if upper { hi } else { lo };
        if end != if upper { i64::MAX } else { i64::MIN } {
            attempt(&Num::constant(end), fuel);
        }
        for lin in self.sides(ix, upper).iter().filter(|l| !l.coefs.is_empty()) {
            if let Some(bound) = self.number(lin) {
                attempt(&bound, fuel);
            }
        }
        for f in facts {
            if let Some(bound) = self.solve(*f, ix, upper) {
                attempt(&bound, fuel);
            }
        }
        best
    }

    pub(crate) fn sides(&self, ix: u16, upper: bool) -> &[Lin] {
        let sides = match (self.plan.ixs.get(ix as usize), self.up.get(ix as usize)) {
            (Some(IxPlan::Counter { up, .. }), Some(Some(true))) => up,
            (Some(IxPlan::Counter { down, .. }), Some(Some(false))) => down,
            (Some(IxPlan::Def { sides, .. }), _) => sides,
            _ => return &[],
        };
        if upper { &sides.upper } else { &sides.lower }
    }

    /// The bound on `ix` that a fact gives, if `ix` is the latest variable in it.
    fn solve(&self, fact: u16, ix: u16, upper: bool) -> Option<Num> {
        let fact = self.plan.facts.get(fact as usize).filter(|f| !f.nonzero)?;
        if fact.lin.coefs.first().map(|c| c.0) != Some(ix) {
            return None;
        }
        let num = self.number(&fact.lin)?;
        let (_, a) = num.last().filter(|t| t.0 == ix)?;
        if (a < 0) != upper {
            return None;
        }
        // a * ix + rest >= 0.
        let rest = num.rest();
        let mut bound = Num::constant(0);
        match a {
            1 => bound.add(&rest, -1)?,
            -1 => bound.add(&rest, 1)?,
            _ if rest.len == 0 && a > 0 => {
                bound.konst = -(rest.konst.div_euclid(a));
            }
            _ if rest.len == 0 => bound.konst = rest.konst.div_euclid(a.checked_neg()?),
            _ => return None,
        }
        Some(bound)
    }

    /// Moves an end inward that a fact excludes (`i != 0` with `i` from 0).
    fn exclude(&self, ix: u16, facts: &[u16], mut lo: i64, mut hi: i64) -> (i64, i64) {
        for f in facts {
            let Some(fact) = self.plan.facts.get(*f as usize).filter(|f| f.nonzero) else {
                continue;
            };
            if fact.lin.coefs.len() != 1 || fact.lin.coefs[0].0 != ix {
                continue;
            }
            let Some(num) = self.number(&fact.lin) else {
                continue;
            };
            let hole = match num.last() {
                Some((_, 1)) => num.konst.checked_neg(),
                Some((_, -1)) => Some(num.konst),
                _ => None,
            };
            if hole == Some(lo) && lo < hi {
                lo += 1;
            } else if hole == Some(hi) && lo < hi {
                hi -= 1;
            }
        }
        (lo, hi)
    }

    /// Both extremes of a query.
    fn query(&self, q: u16) -> Ends {
        let bit = if (q as usize) < MAX_QUERIES {
            1u128 << q
        } else {
            0
        };
        if self.asked.get() & bit != 0 {
            let (lo, hi) = self.ends[q as usize].get();
            let end = |v, side: usize| (self.has[side].get() & bit != 0).then_some(v);
            return (end(lo, 0), end(hi, 1));
        }
        let ends = self.plan.queries.get(q as usize).and_then(|q| {
            if let Some(ends) = self.in_box(&q.lin, &q.facts) {
                return Some(ends);
            }
            let num = self.number(&q.lin)?;
            let (mut down, mut up) = (FUEL, FUEL);
            let lo = self.extreme(&num, &q.facts, false, &mut down);
            Some((lo, self.extreme(&num, &q.facts, true, &mut up)))
        });
        let ends = ends.unwrap_or((None, None));
        if bit != 0 {
            self.asked.set(self.asked.get() | bit);
            self.ends[q as usize].set((ends.0.unwrap_or(0), ends.1.unwrap_or(0)));
            for (side, end) in [ends.0, ends.1].iter().enumerate() {
                self.has[side].set(self.has[side].get() | if end.is_some() { bit } else { 0 });
            }
        }
        ends
    }

    /// The extremes of a form if each variable's bounds are constants and there are no facts; `None` otherwise.
    fn in_box(&self, lin: &Lin, facts: &[u16]) -> Option<Ends> {
        if !facts.is_empty() {
            return None;
        }
        let (mut lo, mut hi) = (0i64, 0i64);
        for (ix, coef) in &lin.coefs {
            let plain = |l: &Lin| l.coefs.is_empty();
            let sides = |upper| self.sides(*ix, upper).iter().all(plain);
            if !(sides(true) && sides(false)) {
                return None;
            }
            let c = self.poly(coef)?;
            let (a, b) = self.ixs.get(*ix as usize).copied()?;
            if a == i64::MIN || b == i64::MAX {
                return None;
            }
            let (x, y) = (c.checked_mul(a)?, c.checked_mul(b)?);
            lo = lo.checked_add(x.min(y))?;
            hi = hi.checked_add(x.max(y))?;
        }
        Some((Some(lo), Some(hi)))
    }

    pub(crate) fn eval(&self, v: &Value) -> Interval {
        match v {
            Value::Range(i) => *i,
            Value::Content(array, range) => {
                let known = self.values.contents.get(array.index()).copied().flatten();
                known.map_or(*range, |(lo, hi)| {
                    Interval::new(lo.into(), hi.into()).clamp_to(*range)
                })
            }
            Value::Lin { query, konst } => {
                let Some(k) = self.poly(konst) else {
                    return Interval::ALL;
                };
                let (lo, hi) = self.query(*query);
                let end =
                    |v: Option<i64>, none: i128| v.map_or(none, |v| i128::from(v) + i128::from(k));
                let (lo, hi) = (end(lo, i128::MIN), end(hi, i128::MAX));
                // An empty domain has crossed ends; whatever stands in it is not reached.
                Interval {
                    lo: lo.min(hi),
                    hi: hi.max(lo),
                }
            }
            Value::Op(op, args) => {
                let mut both = [Interval::ALL; 2];
                if args.len() > 2 {
                    return Interval::ALL;
                }
                for (slot, a) in both.iter_mut().zip(args) {
                    *slot = self.eval(a);
                }
                static_facts::apply(*op, &both[..args.len()])
            }
        }
    }

    /// Whether a guard is never evaluated: a loop around it runs no iteration, or an invariant condition around it is
    /// false.
    fn unreachable(&self, g: &GuardPlan) -> bool {
        let never = |ix: &u16| self.ixs.get(*ix as usize).is_some_and(|(lo, hi)| lo > hi);
        let refuted = |f: &u16| {
            let Some(f) = self.plan.facts.get(*f as usize) else {
                return false;
            };
            if !f.lin.coefs.is_empty() {
                return false;
            }
            let value = self.poly(&f.lin.konst);
            value.is_some_and(|v| if f.nonzero { v == 0 } else { v < 0 })
        };
        g.counters.iter().any(never) || g.facts.iter().any(refuted)
    }

    /// The axes that wrap if the test holds, else `None`.
    fn passes(&self, test: &Test) -> Option<Wraps> {
        let holds = |ok: bool| ok.then_some(Wraps::default());
        match test {
            Test::Index {
                array,
                axes,
                repeatable,
            } => {
                let mut wraps = Wraps::default();
                for (axis, v) in axes.iter().enumerate() {
                    let dim = i128::from(self.extents(*array, axis as u32).min()?);
                    let i = self.eval(v);
                    if i.lo >= 0 && i.hi < dim {
                        continue;
                    }
                    if !(i.lo >= -dim && i.hi < dim && axis < 8) {
                        return None;
                    }
                    match i.hi < 0 {
                        true => wraps.always |= 1 << axis,
                        // The subscript is then written twice.
                        false if repeatable >> axis & 1 == 1 => wraps.sometimes |= 1 << axis,
                        false => return None,
                    }
                }
                Some(wraps)
            }
            Test::AllIn(parts) => holds(parts.iter().all(|(v, range)| self.eval(v).within(*range))),
            Test::Divisor(t) => {
                let d = self.eval(&t.divisor);
                let traps = d.contains(-1) && self.eval(&t.dividend).contains(t.min);
                let fits = t.fits.as_ref().is_none_or(|(v, r)| self.eval(v).within(*r));
                holds(!d.contains(0) && !traps && fits)
            }
        }
    }

    fn never(&self, counters: &[u16]) -> bool {
        counters
            .iter()
            .any(|ix| self.ixs.get(*ix as usize).is_some_and(|(lo, hi)| lo > hi))
    }

    fn runs_once(&self, id: LoopId) -> bool {
        let Some(plan) = self.plan.loops.get(id.index()).and_then(|l| l.as_ref()) else {
            return false;
        };
        let span = self.eval(&plan.span);
        let enters = match plan.ix.and_then(|ix| self.step(ix)) {
            Some(1..) => span.lo > 0,
            Some(..=-1) => span.hi < 0,
            _ => false,
        };
        self.never(&plan.counters) || enters
    }
}
