//! Trips of loops that neither types nor ints tell: what a few iterations say of them, for prices.
//!
//! Bounds of inner loops are read from arrays (`range(first[i], first[i + 1])`). So the statements that such bounds rest on are followed through a few iterations of
//! the loops around, on the values of the call and what its arrays hold at entry. That is a guess: what a nest assigns
//! elsewhere, or writes to the arrays, is not seen.

use super::{Plan, Sizes};
use crate::contents;
use crate::overlap::ArrayView;
use crate::pipeline::{HasValue, Value};
use nestwise_analysis as analysis;
use nestwise_ir::nest::Const;
use nestwise_ir::{Expr, ExprKind, For, LoopId, Nest, Stmt, StmtKind, VarId};

/// Iterations that are followed.
const SAMPLES: usize = 8;
/// Where they lie is spread by the golden ratio: evenly, and in step with nothing.
const SPREAD: f64 = 0.618_033_988_749_895;
/// Statements that are followed for all of them; larger nests are priced without.
const MOST: usize = 400;

/// What has to be followed in a nest.
pub(super) struct Followed {
    /// Variables that bounds of loops rest on, by number.
    vars: Vec<bool>,
    worth: bool,
}

impl Followed {
    /// What the bounds of all counted loops rest on.
    pub fn of(nest: &Nest) -> Followed {
        let mut vars = vec![false; nest.vars.len()];
        let mut statements = 0;
        nest.top.walk(&mut |stmt| {
            statements += 1;
            if let StmtKind::For(l) = &stmt.kind {
                for e in [&l.start, &l.stop, &l.step] {
                    note(e, &mut vars);
                }
            }
        });
        // What those are made from, as far as that goes.
        loop {
            let before = vars.iter().filter(|v| **v).count();
            nest.top.walk(&mut |stmt| {
                if let StmtKind::Let { var, value } = &stmt.kind
                    && vars[var.index()]
                {
                    note(value, &mut vars);
                }
            });
            if vars.iter().filter(|v| **v).count() == before {
                break;
            }
        }
        Followed {
            vars,
            worth: statements <= MOST,
        }
    }
}

fn note(e: &Expr, vars: &mut [bool]) {
    e.walk(&mut |e| {
        if let ExprKind::Var(v) = e.kind {
            vars[v.index()] = true;
        }
    });
}

impl Plan {
    /// Puts guesses in for loops whose trips are not known.
    pub fn guess_trips<V: HasValue>(&self, sizes: &mut Sizes, captures: &[V]) {
        if sizes.trips.iter().skip(1).all(Option::is_some) {
            return;
        }
        let followed = self.followed.get_or_init(|| Followed::of(&self.nest));
        if !followed.worth {
            return;
        }
        let view =
            |array: &nestwise_ir::ArrayDecl| match captures.get(array.capture as usize)?.value() {
                Value::Array(view) => Some(*view),
                _ => None,
            };
        let mut walk = Walk {
            nest: &self.nest,
            followed,
            views: self.nest.arrays.values().map(view).collect(),
            values: sizes.values.clone(),
            seen: vec![(0.0, 0.0); sizes.trips.len()],
            fraction: 0.5,
        };
        for sample in 0..SAMPLES {
            walk.values.clone_from(&sizes.values);
            walk.fraction = (0.5 + SPREAD * sample as f64).fract();
            walk.stmt(&self.nest.top);
        }
        for (guess, (sum, count)) in sizes.first.iter_mut().zip(walk.seen) {
            if count > 0.0 {
                *guess = Some(sum / count);
            }
        }
    }
}

struct Walk<'a> {
    nest: &'a Nest,
    followed: &'a Followed,
    views: Vec<Option<ArrayView>>,
    values: analysis::LaunchValues,
    /// By loop: trips of the entries that were met, and how many these are.
    seen: Vec<(f64, f64)>,
    /// Which iteration of a loop is followed, 0 the first, 1 behind the last.
    fraction: f64,
}

impl Walk<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { var, value } if self.followed.vars[var.index()] => {
                let v = self.eval(value);
                self.set(*var, v);
            }
            StmtKind::For(l) => self.enter(l),
            _ => {
                for block in stmt.blocks() {
                    block.iter().for_each(|s| self.stmt(s));
                }
            }
        }
    }

    fn enter(&mut self, l: &For) {
        let bounds = (self.eval(&l.start), self.eval(&l.stop), self.eval(&l.step));
        let (Some(start), Some(stop), Some(step)) = bounds else {
            self.set(l.counter, None);
            l.body.iter().for_each(|s| self.stmt(s));
            return;
        };
        let Some(trips) = analysis::trip_count(start, stop, step) else {
            return;
        };
        let trips = trips as f64;
        self.count(l.id, trips);
        if trips < 1.0 {
            return;
        }
        let which = (trips * self.fraction).floor().min(trips - 1.0) as i64;
        self.fraction = (self.fraction + SPREAD).fract();
        let at = which.checked_mul(step).and_then(|d| start.checked_add(d));
        self.set(l.counter, at);
        l.body.iter().for_each(|s| self.stmt(s));
    }

    fn count(&mut self, id: LoopId, trips: f64) {
        if let Some((sum, count)) = self.seen.get_mut(id.index()) {
            *sum += trips;
            *count += 1.0;
        }
    }

    fn set(&mut self, var: VarId, value: Option<i64>) {
        if let Some(slot) = self.values.vars.get_mut(var.index()) {
            *slot = value;
        }
    }

    fn eval(&self, e: &Expr) -> Option<i64> {
        let mut loads = false;
        e.walk(&mut |e| loads |= matches!(e.kind, ExprKind::Load { .. }));
        if !loads {
            return analysis::eval::eval(e, &self.values);
        }
        let mut e = e.clone();
        self.read(&mut e)?;
        analysis::eval::eval(&e, &self.values)
    }

    /// Puts elements in the place of loads.
    fn read(&self, e: &mut Expr) -> Option<()> {
        for child in e.children_mut() {
            self.read(child)?;
        }
        let ExprKind::Load { array, index, .. } = &e.kind else {
            return Some(());
        };
        let view = self.views.get(array.index())?.as_ref()?;
        let mut at = [0i64; 8];
        for (slot, e) in at.iter_mut().zip(index) {
            *slot = analysis::eval::eval(e, &self.values)?;
        }
        let storage = self.nest.arrays[*array].storage;
        let v = contents::element(view, storage, &at[..index.len()])?;
        e.kind = ExprKind::Const(Const::Int(v.into()));
        Some(())
    }
}
