//! Footprints: the region of each array that a launch touches, or any part of its iterations.
//!
//! A region is a box: in each dimension the indices `lo, lo + step, ..., hi`. It always contains whatever is touched;
//! for affine subscripts it is the smallest such box, and `exact` says where it contains nothing else.
//!
//! The plan is made once per nest. A resolution turns the loops around an access, their windows and the conditions
//! under which it happens into a system of inequalities over the loops' counters (iteration numbers, where a step
//! is not 1) and asks for the image of each subscript. Dimensions are independent, and their product is what is
//! touched, if no inequality ties the counters of one to those of another (once the counters of neither are
//! eliminated) and every elimination was exact.
//!
//! A footprint holds for executions in which no guard fails; up to a failure it contains what is touched. Each slot
//! counts as an array of its own: slots that swap arrays may each hold any of them, and whether arrays overlap is for
//! the caller to know.
//!
//! No price and no launch uses footprints so far. They are meant for the decision which parts of arrays a device
//! keeps, and for nests that several devices share.

pub(crate) mod area;
mod plan;

use std::borrow::Cow;

use nestwise_ir::{AccessId, ArrayId, LoopId, Nest};

use crate::footprint::plan::{Axis, Counted, Place, Planned, Planner};
use crate::guards::at_launch::Run;
use crate::guards::launch_values::LaunchValues;
use crate::guards::plan::{IxPlan, Lin};
use crate::values::forms::Extents;
use crate::values::image::{Image, Row, System};
use crate::values::interval::Interval;
use crate::values::numeric_form::Num;
use crate::values::range::ranges;

pub use crate::footprint::area::{Area, Span, Touched};
pub use crate::footprint::plan::FootprintPlan;

/// A part of a `for` loop's iterations; both ends belong to it. On a `while` loop it restricts nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// The iterations in which the counter is between two values.
    Values(LoopId, i64, i64),
    /// The iterations between two numbers: in each execution of the loop the first one has number 0.
    Iterations(LoopId, i64, i64),
}

/// The elements that one access touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// The access.
    pub access: AccessId,
    /// The access's slot.
    pub array: ArrayId,
    /// Whether the access stores.
    pub store: bool,
    /// By dimension: the indices; all are empty if nothing is touched.
    pub dims: Vec<Span>,
    /// Whether every element of the box is touched, if no guard fails.
    pub exact: bool,
}

impl FootprintPlan {
    /// The plan of a nest.
    pub fn new(nest: &Nest) -> FootprintPlan {
        let r = ranges(nest);
        let forms = crate::values::walk::forms(nest, &r, Extents::Shared);
        Planner::new(nest, &forms).plan()
    }

    /// What each access touches in the iterations that lie in all the windows; a loop without a window runs over its
    /// whole domain. `values` are those at entry to the nest, whatever the windows.
    pub fn resolve(&self, values: &LaunchValues, windows: &[Window]) -> Vec<Footprint> {
        let run = Run::narrowed(&self.base, values, |run, ix| self.narrow(run, ix, windows));
        let systems: Vec<System> = self
            .places
            .iter()
            .map(|p| self.system(&run, p, windows))
            .collect();
        let one = |a: &Planned| touched(&run, a, &self.places[a.place], &systems[a.place]);
        self.accesses.iter().map(one).collect()
    }

    /// The boxes that are read and written, by slot.
    pub fn regions(&self, values: &LaunchValues, windows: &[Window]) -> Vec<Touched> {
        let mut out = vec![Touched::default(); self.base.classes.len()];
        for f in self.resolve(values, windows) {
            let class = &self.base.classes[f.array.index()];
            for member in class {
                let extents = &values.dims[member.index()];
                let area = Area {
                    dims: f.dims.clone(),
                    exact: f.exact,
                };
                out[member.index()].add(f.store, area.within(extents));
            }
        }
        out
    }

    /// The range of a counter (index variable `ix`) that the windows on its loop leave; `None` if it has no window.
    fn narrow(&self, run: &Run<'_>, ix: u16, windows: &[Window]) -> Option<(i64, i64)> {
        let mut out = None;
        for w in windows {
            let (id, lo, hi) = w.parts();
            let counted = self.loops.get(id.index())?.as_ref();
            if counted.is_none_or(|c| c.ix != ix) {
                continue;
            }
            let between = Interval {
                lo: lo.into(),
                hi: hi.into(),
            };
            let between = match w {
                Window::Values(..) => between,
                Window::Iterations(..) => {
                    let plan = self.base.loops.get(id.index())?.as_ref()?;
                    let step = Interval::point(run.step(ix)?.into());
                    run.eval(&plan.start).add(between.mul(step))
                }
            };
            let (lo, hi) = out.unwrap_or((i64::MIN, i64::MAX));
            let end = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            out = Some((end(between.lo).max(lo), end(between.hi).min(hi)));
        }
        out
    }

    /// The system whose solutions are the iterations in which a place is executed.
    fn system(&self, run: &Run<'_>, place: &Place, windows: &[Window]) -> System {
        let mut s = Builder {
            run,
            ixs: &place.ixs,
            out: System::new(),
        };
        s.out.exact = place.whole;
        let mut strided = vec![];
        for id in &place.loops {
            let (Some(Some(l)), Some(Some(plan))) =
                (self.loops.get(id.index()), self.base.loops.get(id.index()))
            else {
                s.out.exact = false;
                continue;
            };
            let start = l.start.as_ref().and_then(|l| s.row(run.number(l)?));
            let point = || i64::try_from(run.eval(&plan.start).as_point()?).ok();
            let start = start.or_else(|| point().map(Row::constant));
            strided.extend(s.counter(*id, l, start, windows));
        }
        let holes = s.facts(&place.facts);
        // Innermost first: a start may mention the counters around it.
        for (v, by) in strided.into_iter().rev() {
            s.out.replace(v, by);
        }
        s.define(&holes);
        s.out.exclude(&holes);
        s.out.settle();
        s.out
    }
}

impl Window {
    fn parts(&self) -> (LoopId, i64, i64) {
        match *self {
            Window::Values(id, lo, hi) | Window::Iterations(id, lo, hi) => (id, lo, hi),
        }
    }
}

/// Builds the system of a place.
struct Builder<'a> {
    run: &'a Run<'a>,
    ixs: &'a [u16],
    out: System,
}

impl Builder<'_> {
    fn row(&self, num: Num) -> Option<Row> {
        row(self.ixs, num)
    }

    fn linear(&self, lin: &Lin) -> Option<Row> {
        self.row(self.run.number(lin)?)
    }

    /// Requires a counter's bounds and windows. For a counter with steps other than 1, returns its number among the
    /// unknowns and its value by iteration number.
    fn counter(
        &mut self,
        id: LoopId,
        l: &Counted,
        start: Option<Row>,
        windows: &[Window],
    ) -> Option<(usize, Row)> {
        let Some(v) = self.ixs.iter().position(|x| *x == l.ix) else {
            self.out.exact = false;
            return None;
        };
        let Some(step) = self.run.step(l.ix).filter(|s| *s != 0) else {
            self.out.exact = false;
            return None;
        };
        let counter = Row::unknown(v);
        self.out.exact &= l.whole[usize::from(step > 0)];
        self.sides(counter, |upper| self.run.sides(l.ix, upper));
        for w in windows.iter().filter(|w| w.parts().0 == id) {
            let (_, lo, hi) = w.parts();
            match w {
                Window::Values(..) => self.between(counter, Some(lo), Some(hi)),
                Window::Iterations(..) => match start.and_then(|s| counter.sub(&s)) {
                    // Negative steps are negative distances.
                    Some(far) if step > 0 => {
                        self.between(far, lo.checked_mul(step), hi.checked_mul(step));
                    }
                    Some(far) => self.between(far, hi.checked_mul(step), lo.checked_mul(step)),
                    // Which of several values is the first differs from one execution to the next.
                    None => {
                        self.enclosed(v);
                        self.out.exact = false;
                    }
                },
            }
        }
        if step.unsigned_abs() == 1 {
            return None;
        }
        let by = start.and_then(|s| s.combine(1, &counter, step));
        self.out.exact &= by.is_some();
        by.map(|by| (v, by))
    }

    fn require(&mut self, row: Option<Row>) {
        let row = row.and_then(|r| self.out.express(r));
        self.out.require(row);
    }

    fn between(&mut self, form: Row, lo: Option<i64>, hi: Option<i64>) {
        self.require(lo.and_then(|lo| form.sub(&Row::constant(lo))));
        self.require(hi.and_then(|hi| Row::constant(hi).sub(&form)));
    }

    fn sides<'s>(&mut self, form: Row, of: impl Fn(bool) -> &'s [Lin]) {
        for l in of(false) {
            let low = self.linear(l);
            self.require(low.and_then(|low| form.sub(&low)));
        }
        for u in of(true) {
            let high = self.linear(u);
            self.require(high.and_then(|high| high.sub(&form)));
        }
    }

    /// Requires that an index variable is in its constant range, which may not be all that bounds it.
    fn enclosed(&mut self, v: usize) {
        let (lo, hi) = self.run.ixs[self.ixs[v] as usize];
        let value = Row::unknown(v);
        if lo != i64::MIN {
            self.require(value.sub(&Row::constant(lo)));
        }
        if hi != i64::MAX {
            self.require(Row::constant(hi).sub(&value));
        }
        self.out.exact &= lo == hi;
    }

    /// Requires what is known of values that are not counters, as far as rows or `forms` mention them.
    fn define(&mut self, forms: &[Row]) {
        // Latest first: bounds mention earlier values.
        for (v, ix) in self.ixs.iter().enumerate().rev() {
            let mentioned = self.out.mentions(v) || forms.iter().any(|f| f.mentions(v));
            let plan = self.run.plan.ixs.get(*ix as usize);
            if mentioned && matches!(plan, Some(IxPlan::Def { .. })) {
                self.sides(Row::unknown(v), |upper| self.run.sides(*ix, upper));
                self.enclosed(v);
            }
        }
    }

    /// Requires the conditions `form >= 0`; returns the forms of the conditions `form != 0`.
    fn facts(&mut self, facts: &[u16]) -> Vec<Row> {
        let mut holes = vec![];
        for f in facts {
            let Some(fact) = self.run.plan.facts.get(*f as usize) else {
                continue;
            };
            match self.linear(&fact.lin) {
                Some(hole) if fact.nonzero => holes.push(hole),
                row => self.out.require(row),
            }
        }
        holes
    }
}

/// The row of a form over a place's unknowns; `None` if the form has an index variable that is not one of them.
fn row(ixs: &[u16], num: Num) -> Option<Row> {
    let mut out = Row::constant(num.konst);
    for (ix, coef) in num.terms() {
        out.add_term(ixs.iter().position(|x| x == ix)?, *coef)?;
    }
    Some(out)
}

/// The system of a place, extended by what is known of values that are not counters and that subscripts mention.
fn mentioning<'s>(
    run: &Run<'_>,
    place: &Place,
    system: &'s System,
    forms: &[Option<Row>],
) -> Cow<'s, System> {
    let forms: Vec<Row> = forms.iter().flatten().copied().collect();
    let def = |ix: &u16| matches!(run.plan.ixs.get(*ix as usize), Some(IxPlan::Def { .. }));
    let defs = place.ixs.iter().enumerate().filter(|(_, ix)| def(ix));
    let mut mentioned = defs.filter(|(v, _)| forms.iter().any(|f| f.mentions(*v)));
    if mentioned.next().is_none() {
        return Cow::Borrowed(system);
    }
    let mut s = Builder {
        run,
        ixs: &place.ixs,
        out: system.clone(),
    };
    s.define(&forms);
    s.out.settle();
    Cow::Owned(s.out)
}

/// The footprint of an access, given the system of its place.
fn touched(run: &Run<'_>, a: &Planned, place: &Place, system: &System) -> Footprint {
    let number = |x: &Axis| row(&place.ixs, run.number(x.lin.as_ref()?)?);
    let plain: Vec<Option<Row>> = a.axes.iter().map(number).collect();
    let system = mentioning(run, place, system, &plain);
    let express = |s: &System, f: &Option<Row>| s.express((*f)?);
    let mut forms: Vec<Option<Row>> = plain.iter().map(|f| express(&system, f)).collect();
    let fewer = system.project(&forms);
    if let Some(s) = &fewer {
        forms = forms.iter().map(|f| express(s, f)).collect();
    }
    let seen = fewer.as_ref().unwrap_or(&system);
    // Among slots that swap arrays it is not known which array is touched.
    let own = run.plan.classes.get(a.array.index()).map_or(0, Vec::len) == 1;
    let (mut ties, mut exact) = (0, a.certain && own);
    let mut dims = Vec::with_capacity(a.axes.len());
    for (k, form) in forms.iter().enumerate() {
        let tied = form.map_or(0, |f| seen.tied(&f));
        exact &= ties & tied == 0;
        ties |= tied;
        let (span, all) = elements(run, a, k, form.map_or(Image::Unknown, |f| seen.image(&f)));
        exact &= all;
        dims.push(span);
    }
    if seen.empty || dims.iter().any(Span::is_empty) {
        dims.fill(Span::EMPTY);
        exact = true;
    }
    Footprint {
        access: a.id,
        array: a.array,
        store: a.store,
        dims,
        exact,
    }
}

/// The elements along an axis that a subscript with these values touches, and whether it touches them all.
fn elements(run: &Run<'_>, a: &Planned, axis: usize, image: Image) -> (Span, bool) {
    let (span, exact) = match image {
        Image::Empty => (Span::EMPTY, true),
        Image::Values {
            lo,
            hi,
            step,
            exact,
        } => (Span::new(lo, hi, step), exact),
        Image::Unknown => (Span::of(run.eval(&a.axes[axis].value)), false),
    };
    // Slots that trade places may differ in their extents.
    let extents = run.extents(a.array, axis as u32);
    let (least, most) = extents.fold((i64::MAX, 0), |(lo, hi), d| (lo.min(d), hi.max(d)));
    let inside = span.elements(most, a.guarded);
    match inside.filter(|_| least == most || span.is_empty()) {
        Some(inside) => (inside, exact && inside.count() == span.count()),
        None => (Span::whole(most), false),
    }
}
