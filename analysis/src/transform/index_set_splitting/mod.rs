//! Index-set splitting: a loop becomes several over consecutive ranges of its iterations, some of them parallel.
//!
//! ```text
//! for i in range(n):                for i in range(0, k + 1):
//!     a[i] = a[k] + b[i]    =>          a[i] = a[k] + b[i]
//!                                   for i in range(k + 1, n):   # parallel
//!                                       a[i] = a[k] + b[i]
//! ```
//!
//! The new loops do what the one did, in the same order. Splitting gains something where all dependences between
//! iterations start or end in one of them (`a[i] = a[k]`: weak-zero), cross one point (`a[i] = a[n - 1 - i]`:
//! weak-crossing), or occur on one side of a condition (`if i < k`). Candidates are the counters at which two
//! subscripts agree, and those at which a condition on the counter changes. The tests that decide verdicts then say
//! what a part may do, with the part's range as one more condition.
//!
//! Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, chapter 5; Wolfe, High Performance
//! Compilers for Parallel Computing, 1996.

pub mod cut;
mod ranges;
mod values;

use nestwise_ir::model::nest::{For, Stmt, StmtKind};
use nestwise_ir::schedule::AntiDependenceCopy;
use nestwise_ir::{LoopId, Scalar};

use crate::dataflow::liveness::{VarSet, exposure, live_after};
use crate::dependence::Tester;
use crate::guards::static_facts::affine_interval;
use crate::parallelism::legality::Given;
use crate::parallelism::verdict::{LoopInfo, Verdict, of_part};
use crate::structure::{Classes, any, assigned, early_exit, find_for};
use crate::transform::build::Builder;
use crate::transform::copy::Copy;
use crate::transform::index_set_splitting::cut::{Cut, Part, Piece, Split};
use crate::transform::index_set_splitting::ranges::Cutter;
use crate::transform::index_set_splitting::values::Values;
use crate::transform::rewritten::{Rewritten, compact, splice_for};
use crate::values::affine::{Affine, Ix, Sym};
use crate::values::forms::{AccessForm, Form};
use crate::values::interval::Interval;

/// The most candidate cuts that are examined for one loop.
const MAX_CUTS: usize = 6;
/// The most accesses in a loop that is examined.
const MAX_ACCESSES: usize = 40;
/// The most statements in a body that is copied.
const MAX_STATEMENTS: usize = 60;
/// The distance of counters from which a part is worth being parallel.
const LONG: i64 = 16;

/// The ways to split a loop into parts, the simplest first.
const WAYS: [&[Part]; 3] = [
    &[Part::UpTo, Part::Above],
    &[Part::Below, Part::From],
    &[Part::Below, Part::At, Part::Above],
];

/// Whether iterations may run in any order without copying a whole array: splitting the loop is better than such a
/// copy.
fn is_free(info: &LoopInfo) -> bool {
    if !info
        .anti_dependence_copies
        .iter()
        .all(AntiDependenceCopy::is_halo)
    {
        return false;
    }
    match &info.verdict {
        Verdict::Parallel | Verdict::Reduction(_) => true,
        Verdict::When(c) => c.absent.is_empty() && c.elements.is_empty(),
        Verdict::Serial(_) => false,
    }
}

impl Given<'_> {
    /// How to split a loop so that parts of it are parallel; `None` if the loop is parallel as it stands, or no part
    /// would be.
    ///
    /// Legal iff
    ///   - the bounds may be evaluated once more: they read nothing that the loop writes, and have no guard;
    ///   - the cut is a form of values that are there before the loop;
    ///   - the loop runs to its end: nothing leaves it early.
    pub fn may_split_index_set(&self, l: &For) -> Option<Split> {
        let sound = l.step.as_int().is_some_and(|s| s.abs() == 1)
            && self.rectangular(&[l])
            && may_be_copied(l)
            && self.inside(l.id).count() <= MAX_ACCESSES;
        if !sound || self.info(l.id).is_none_or(is_free) {
            return None;
        }
        let values = Values::before(self, l)?;
        let live = self.live(l);
        let mut partly = None;
        for cut in self.cuts(l, &values) {
            match self.split_at(l, &values, &live, cut) {
                Some(split) if split.is_whole() => return Some(split),
                found => partly = partly.or(found),
            }
        }
        partly
    }

    /// The variables that are read after a part of the loop: after the loop, or in a later part.
    fn live(&self, l: &For) -> VarSet {
        let nonempty = self.analysis.options.nonempty;
        let mut live = live_after(self.nest)[l.id.index()].clone();
        live.union(&exposure(self.nest, l.id, None, &l.body, nonempty).exposed);
        live
    }

    /// The best way to split a loop at a cut.
    fn split_at(&self, l: &For, values: &Values, live: &VarSet, cut: Cut) -> Option<Split> {
        let mut partly = None;
        for way in WAYS {
            let mut parts = vec![];
            for part in way {
                parts.extend(self.piece(l, values, live, (&cut, *part))?);
            }
            if parts.len() < 2 || !parts.iter().any(|p| p.free) {
                continue;
            }
            let cut = cut.clone();
            let split = Split { cut, parts };
            if split.is_whole() {
                return Some(split);
            }
            // The larger the part in any order, the better.
            let larger = |p: &Piece| p.free && matches!(p.part, Part::UpTo | Part::From);
            if partly.is_none() || split.parts.iter().any(larger) {
                partly = Some(split);
            }
        }
        partly
    }

    /// The analysis of a part; `Some(None)` if it has no iteration, `None` if its range cannot be expressed.
    fn piece(
        &self,
        l: &For,
        values: &Values,
        live: &VarSet,
        (cut, part): (&Cut, Part),
    ) -> Option<Option<Piece>> {
        let within = part.within(cut, Ix::Counter(l.id))?;
        let long = self.may_span(l.id, &within, LONG);
        if !long && !self.may_span(l.id, &within, 0) {
            return Some(None);
        }
        let free = long && {
            let body = values.body(l, cut, part);
            let of = (l.id, body.as_slice());
            is_free(&of_part(self.nest, self.analysis, of, &within, live))
        };
        Some(Some(Piece { part, long, free }))
    }

    /// Whether a loop may have two iterations, in which the forms of `within` are not negative, with counters `gap` or
    /// more apart.
    fn may_span(&self, id: LoopId, within: &[Affine], gap: i64) -> bool {
        let tester = Tester {
            within,
            ..self.analysis.tester(self.nest)
        };
        tester.may_span(id, gap)
    }

    /// Whether a part of a loop has at most one iteration.
    pub fn is_single(&self, id: LoopId, cut: &Cut, part: Part) -> bool {
        let within = part.within(cut, Ix::Counter(id));
        within.is_some_and(|within| !self.may_span(id, &within, 1))
    }

    /// The candidate cuts: where the subscripts of two accesses agree in one iteration, and behind those, where
    /// conditions change.
    fn cuts(&self, l: &For, values: &Values) -> Vec<Cut> {
        let counter = Ix::Counter(l.id);
        let inside: Vec<&AccessForm> = self.inside(l.id).collect();
        let mut forms: Vec<Affine> = vec![];
        for (k, x) in inside.iter().enumerate() {
            let others = inside[k..].iter();
            for y in others.filter(|y| y.array == x.array && (x.store || y.store)) {
                let axes = x.index.iter().zip(&y.index);
                let gap = |(f, g): (&Form, &Form)| f.affine()?.sub(g.affine()?);
                forms.extend(axes.filter_map(gap));
            }
        }
        forms.extend(values.conditions(l));
        let mut out: Vec<Cut> = vec![];
        for form in forms {
            let Some(coef) = form.const_coef(counter).filter(|c| *c != 0) else {
                continue;
            };
            let cut = Cut::of(coef, &form.without(counter));
            let fits = |c: &Cut| {
                c.is_small() && self.is_known(l, &c.at) && self.is_near(c) && !out.contains(c)
            };
            if let Some(cut) = cut.filter(fits) {
                out.push(cut);
            }
            if out.len() == MAX_CUTS {
                break;
            }
        }
        out
    }

    /// Whether the counter at the cut, rounded down, fits 64 bits.
    fn is_near(&self, cut: &Cut) -> bool {
        let at = affine_interval(self.nest, self.forms(), &cut.at, 4);
        let below = at.add(Interval::point(-1));
        let by = Interval::point(cut.divisor);
        let fits = |i: Interval| i.floor_div(by).within(Interval::of_type(Scalar::I64));
        cut.divisor == 1 || fits(at) && fits(below)
    }

    /// Whether a form's value is known before the loop: made of counters of loops around it, of variables that nothing
    /// in the nest assigns, and of extents.
    fn is_known(&self, l: &For, form: &Affine) -> bool {
        let around: Vec<LoopId> = self.around(l.id);
        let changed = assigned(std::slice::from_ref(&self.nest.top));
        let classes = Classes::of(self.nest);
        let fixed = |s: &Sym| match s {
            Sym::Var(v) => changed.binary_search(v).is_err(),
            Sym::Dim(a, _) => !classes.permuted(*a),
            Sym::Def(_) => false,
        };
        form.terms().iter().all(|t| {
            let here = |ix: Ix| matches!(ix, Ix::Counter(c) if around.contains(&c));
            t.ix.is_none_or(here) && t.syms.iter().all(fixed)
        })
    }

    /// The `for` loops around a loop.
    fn around(&self, id: LoopId) -> Vec<LoopId> {
        let parent = |id: &LoopId| self.nest.loops.get(*id).and_then(|d| d.parent);
        let all = std::iter::successors(parent(&id), parent);
        all.filter(|l| self.forms().loop_form(*l).is_some_and(|f| f.counted))
            .collect()
    }
}

/// The body of a loop for one part of its iterations; `None` if the loop cannot be found.
pub(crate) fn body_of(given: &Given<'_>, l: &For, cut: &Cut, part: Part) -> Option<Vec<Stmt>> {
    Some(Values::before(given, l)?.body(l, cut, part))
}

/// Whether a loop runs to its end, and its body is small and plain enough to be copied.
fn may_be_copied(l: &For) -> bool {
    let mut count = 0;
    let odd = any(&l.body, &mut |s| {
        count += 1;
        matches!(
            s.kind,
            StmtKind::Scope { .. } | StmtKind::Rebind(_) | StmtKind::Leave(_)
        )
    });
    !odd && count <= MAX_STATEMENTS && early_exit(l.id, &l.body).is_none()
}

/// The nest with loops, none of them inside another, made into one loop for each part that
/// [`Given::may_split_index_set`] found; `None` if the top loop is among them, since it has to stay the only one.
pub fn split_index_set(given: &Given<'_>, todo: &[(LoopId, Split)]) -> Option<Rewritten> {
    let mut nest = given.nest.clone();
    let (mut made, mut nonempty) = (vec![], given.analysis.options.nonempty);
    for (id, split) in todo {
        let l = find_for(given.nest, *id).filter(|_| *id != LoopId(0))?;
        let span = given.nest.loops.get(*id)?.span;
        let cutter = Cutter::of(given, &mut nest, split, Builder { span })?;
        // Any part may have no iteration.
        nonempty.remove(*id);
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
