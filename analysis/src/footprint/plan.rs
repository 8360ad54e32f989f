//! The static part of footprints.

use nestwise_ir::{AccessId, ArrayId, LoopId, Nest};

use crate::guards::plan::{BoundsPlan, Compiler, IxPlan, Lin, Sides, StepPlan, Value};
use crate::values::affine::{Affine, Ix};
use crate::values::forms::{AccessForm, Ctx, Form, Forms, LoopForm, Op};
use crate::values::image::UNKNOWNS;
use crate::values::interval::Interval;

/// What is known of a nest's footprints before the values of a launch are.
pub struct FootprintPlan {
    pub(super) base: BoundsPlan,
    /// By loop: its plan, if it is a counted loop.
    pub(super) loops: Vec<Option<Counted>>,
    pub(super) places: Vec<Place>,
    pub(super) accesses: Vec<Planned>,
}

/// A counted loop.
pub(super) struct Counted {
    pub(super) ix: u16,
    /// The first value, if it is one form.
    pub(super) start: Option<Lin>,
    /// Whether the counter's bounds are exactly where it starts and ends: for a negative step, and for a positive one.
    pub(super) whole: [bool; 2],
}

/// A place where accesses stand: the loops and conditions around them.
pub(super) struct Place {
    pub(super) ctx: Ctx,
    /// The loops around the place, outermost first.
    pub(super) loops: Vec<LoopId>,
    /// The index variables of the system, earlier ones first; empty if there are too many.
    pub(super) ixs: Vec<u16>,
    pub(super) facts: Vec<u16>,
    /// Whether `facts` are all the conditions there are, and every loop is a counted one.
    pub(super) whole: bool,
}

pub(super) struct Planned {
    pub(super) id: AccessId,
    pub(super) array: ArrayId,
    pub(super) store: bool,
    pub(super) guarded: bool,
    pub(super) certain: bool,
    pub(super) place: usize,
    pub(super) axes: Vec<Axis>,
}

/// A subscript: its interval, and its linear form if it has one.
pub(super) struct Axis {
    pub(super) value: Value,
    pub(super) lin: Option<Lin>,
}

/// Builds a [`FootprintPlan`].
pub(super) struct Planner<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    to: Compiler<'a>,
    loops: Vec<Option<Counted>>,
    places: Vec<Place>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(nest: &'a Nest, forms: &'a Forms) -> Self {
        Planner {
            nest,
            forms,
            to: Compiler::new(nest, forms),
            loops: vec![],
            places: vec![],
        }
    }

    pub(super) fn plan(mut self) -> FootprintPlan {
        for id in self.nest.loops.ids() {
            let counted = self.counted(id);
            self.loops.push(counted);
        }
        let forms = self.forms;
        let accesses = forms.accesses.iter().flatten();
        let accesses = accesses.map(|a| self.access(a)).collect();
        for i in 0..self.places.len() {
            self.close(i);
        }
        FootprintPlan {
            base: self.to.plan,
            loops: self.loops,
            places: self.places,
            accesses,
        }
    }

    fn counted(&mut self, id: LoopId) -> Option<Counted> {
        // A start comes before its counter: a window on the counter asks for it.
        let start = self.forms.loop_form(id).map(|l| (l.start.clone(), l.ctx));
        if let Some((start, ctx)) = start {
            self.to.value(&start, ctx);
        }
        let plan = self.to.loop_plan(id);
        let ix = plan.as_ref().and_then(|p| p.ix);
        self.to.plan.loops.push(plan);
        let l = self.forms.loop_form(id)?;
        let ix = ix?;
        let start = l.start.affine().and_then(|a| self.to.lin(a));
        let Some(IxPlan::Counter { up, down, .. }) = self.to.plan.ixs.get(ix as usize) else {
            return None;
        };
        let whole = [ends_exactly(l, false, down), ends_exactly(l, true, up)];
        Some(Counted { ix, start, whole })
    }

    fn access(&mut self, a: &AccessForm) -> Planned {
        let closed = Closed {
            forms: self.forms,
            loops: &a.loops,
            seen: vec![],
        }
        .access(a);
        let place = self.place(a, closed);
        let mut axes = vec![];
        for f in &a.index {
            let (value, lin) = match closed {
                true => (
                    self.to.value(f, a.ctx),
                    f.affine().and_then(|a| self.to.lin(a)),
                ),
                false => (Value::Range(Interval::ALL), None),
            };
            if let Some(lin) = &lin {
                let ixs = &mut self.places[place].ixs;
                ixs.extend(lin.coefs.iter().map(|c| c.0));
            }
            axes.push(Axis { value, lin });
        }
        Planned {
            id: a.id,
            array: a.array,
            store: a.store,
            guarded: a.guarded,
            certain: a.given == 0,
            place,
            axes,
        }
    }

    /// The number of an access's place. Nothing is assumed of the iterations of an access that is not closed.
    fn place(&mut self, a: &AccessForm, closed: bool) -> usize {
        let (ctx, loops) = match closed {
            true => (a.ctx, a.loops.as_slice()),
            false => (Ctx(0), &[][..]),
        };
        let same = |p: &Place| p.ctx == ctx && p.loops == loops;
        if let Some(i) = self.places.iter().position(same) {
            return i;
        }
        let counters = loops
            .iter()
            .map(|id| Some(self.loops.get(id.index())?.as_ref()?.ix));
        let counters: Vec<Option<u16>> = counters.collect();
        let mut place = Place {
            ctx,
            loops: loops.to_vec(),
            ixs: counters.iter().copied().flatten().collect(),
            facts: vec![],
            whole: closed && counters.iter().all(Option::is_some),
        };
        let mut at = ctx;
        while let Some(fact) = self.forms.facts.get(at.0 as usize).filter(|_| at.0 != 0) {
            let id = self.to.fact(at.0);
            place.whole &= id.is_some();
            place.facts.extend(id);
            at = fact.parent;
        }
        self.places.push(place);
        self.places.len() - 1
    }

    /// Adds to a place the index variables that bound its index variables and facts.
    fn close(&mut self, i: usize) {
        let plan = &self.to.plan;
        let place = &mut self.places[i];
        let mut todo = std::mem::take(&mut place.ixs);
        let variables = |lins: &[Lin], todo: &mut Vec<u16>| {
            todo.extend(lins.iter().flat_map(|l| &l.coefs).map(|c| c.0));
        };
        for f in place
            .facts
            .iter()
            .filter_map(|f| plan.facts.get(*f as usize))
        {
            variables(std::slice::from_ref(&f.lin), &mut todo);
        }
        let starts = place
            .loops
            .iter()
            .filter_map(|id| self.loops[id.index()].as_ref());
        for start in starts.filter_map(|l| l.start.as_ref()) {
            variables(std::slice::from_ref(start), &mut todo);
        }
        while let Some(ix) = todo.pop() {
            if place.ixs.contains(&ix) {
                continue;
            }
            place.ixs.push(ix);
            let all: &[&Sides] = match plan.ixs.get(ix as usize) {
                Some(IxPlan::Counter { step, up, down }) => match step {
                    StepPlan::Const(1..) => &[up],
                    StepPlan::Const(_) => &[down],
                    _ => &[up, down],
                },
                Some(IxPlan::Def { sides, .. }) => &[sides],
                None => &[],
            };
            for sides in all {
                variables(&sides.lower, &mut todo);
                variables(&sides.upper, &mut todo);
            }
        }
        // Earlier ones first.
        place.ixs.sort_unstable();
        if place.ixs.len() > UNKNOWNS {
            place.ixs.clear();
            place.whole = false;
        }
    }
}

/// Whether the planned bounds of a counter that goes up or down are exactly its first value and its end.
fn ends_exactly(l: &LoopForm, up: bool, sides: &Sides) -> bool {
    let (bounds, near, far) = match up {
        true => (&l.up, Op::Max, Op::Min),
        false => (&l.down, Op::Min, Op::Max),
    };
    let planned =
        sides.lower.len() == bounds.lower.len() && sides.upper.len() == bounds.upper.len();
    // A value without affine ends has a name, which stands for it.
    let whole = |f: &Form, op: Op| parts(f, op).unwrap_or(true);
    planned && whole(&l.start, near) && whole(&l.stop, far)
}

/// Whether a form is the `op` (minimum or maximum) of affine forms only; `None`: it has no affine operand that bounds
/// it.
fn parts(f: &Form, op: Op) -> Option<bool> {
    match f {
        Form::Aff(_) => Some(true),
        Form::At(_, inner) => parts(inner, op),
        Form::Op(Op::Clamp(_), args) => parts(args.first()?, op),
        Form::Op(o, args) if *o == op => {
            let each: Vec<Option<bool>> = args.iter().map(|a| parts(a, op)).collect();
            let any = each.iter().any(Option::is_some);
            any.then(|| each.iter().all(|p| *p == Some(true)))
        }
        _ => None,
    }
}

/// Finds whether all that an access depends on changes with its own loops only, so that windows on other loops do not
/// concern it.
struct Closed<'a> {
    forms: &'a Forms,
    loops: &'a [LoopId],
    seen: Vec<Ix>,
}

impl Closed<'_> {
    fn access(&mut self, a: &AccessForm) -> bool {
        let forms = self.forms;
        let facts = forms.facts(a.ctx).all(|f| self.affine(&f.form));
        facts && a.index.iter().all(|f| self.form(f)) && a.loops.iter().all(|l| self.counter(*l))
    }

    fn counter(&mut self, id: LoopId) -> bool {
        let l = self.forms.loop_form(id);
        self.loops.contains(&id) && l.is_some_and(|l| self.form(&l.start) && self.form(&l.stop))
    }

    fn affine(&mut self, a: &Affine) -> bool {
        a.ixs().into_iter().all(|ix| {
            if self.seen.contains(&ix) {
                return true;
            }
            self.seen.push(ix);
            match ix {
                Ix::Counter(id) => self.counter(id),
                Ix::Def(d) => self.forms.def(d).is_some_and(|d| {
                    let bounds = d.bounds.lower.iter().chain(&d.bounds.upper);
                    bounds.into_iter().all(|b| self.affine(b)) && self.form(&d.value)
                }),
            }
        })
    }

    fn form(&mut self, f: &Form) -> bool {
        match f {
            Form::Aff(a) => self.affine(a),
            Form::Range(_) | Form::Content(..) => true,
            Form::Op(_, args) => args.iter().all(|a| self.form(a)),
            Form::At(ctx, inner) => {
                let forms = self.forms;
                forms.facts(*ctx).all(|f| self.affine(&f.form)) && self.form(inner)
            }
        }
    }
}
