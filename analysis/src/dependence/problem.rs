//! The system of a dependence question: equal subscripts, both iterations in their domains, and how the two iterations
//! are related.

use std::collections::HashMap;

use nestwise_ir::{AccessId, ArrayId, LoopId, Nest};

use crate::dependence::model::{Dir, Guarded, Slots, Tester};
use crate::guards::static_facts::{affine_interval, form_interval};
use crate::integer::{Row, System};
use crate::values::affine::{Affine, Ix, Sym, Term};
use crate::values::forms::{AccessForm, Bounds, Fact, FactKind, Forms, LoopForm, Step};
use crate::values::interval::Interval;

/// The number of iterations, or extent, from which a loop or an array counts as large.
const LONG: i128 = 1 << 20;
/// How deeply nested operations are followed in one definition.
pub(super) const DEPTH: u32 = 8;

/// The access to whose iteration the value of an unknown belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Side {
    /// The value is one for both accesses.
    Both,
    /// The value in the earlier access's iteration.
    Src,
    /// The value in the later access's iteration.
    Dst,
}

/// An element of an index array in a question.
pub(super) struct Element {
    pub(super) array: ArrayId,
    pub(super) access: AccessId,
    pub(super) side: Side,
    pub(super) value: u32,
    /// The element's index, if the array has one axis and the index is a linear row.
    pub(super) index: Option<Row>,
}

/// Requirements that hold in one case only, such as those of a value that only some iterations compute.
#[derive(Default)]
pub(super) struct Supposition {
    pub(super) rows: Vec<Row>,
    pub(super) choices: Vec<Vec<Vec<Row>>>,
}

type Key = (Side, Option<Ix>, Vec<Sym>);

/// A dependence question while its system is being written down.
pub(super) struct Problem<'a> {
    nest: &'a Nest,
    pub(super) forms: &'a Forms,
    /// The loops of which both accesses are in the same iteration.
    shared: Vec<LoopId>,
    /// Whether guarded subscripts are taken literally.
    pub(super) literal: bool,
    /// The elements, of arrays that nothing writes, that the question mentions.
    pub(super) elements: Vec<Element>,
    pub(super) unknowns: HashMap<Key, u32>,
    pub(super) system: System,
    /// The cases being described, innermost last: while there is one, required rows go into it and not into the system.
    pub(super) supposed: Vec<Supposition>,
    /// Index variables whose own bounds are in the system.
    pub(super) seen: Vec<(Side, Ix)>,
    /// Inequalities that may be multiplied by a symbol, each the sum of the forms listed, which belong to a side each.
    products: Vec<Vec<(Side, Affine)>>,
    /// Products of symbols, none negative, that inequalities were multiplied by.
    factors: Vec<Affine>,
    /// Bounds of symbols that hold in every launch.
    pub(super) context: Vec<Row>,
    fresh: u32,
    /// Whether every solution is a pair of iterations that touch one element, if both are executed as written.
    pub(super) exact: bool,
}

impl<'a> Problem<'a> {
    pub(super) fn new(tester: &Tester<'a>, shared: &[LoopId]) -> Problem<'a> {
        Problem {
            nest: tester.nest,
            forms: tester.forms,
            literal: tester.guarded == Guarded::Trusted,
            elements: vec![],
            shared: shared.to_vec(),
            unknowns: HashMap::new(),
            system: System::default(),
            supposed: vec![],
            seen: vec![],
            products: vec![],
            factors: vec![],
            context: vec![],
            fresh: 0,
            exact: true,
        }
    }

    /// The symbols of an unknown that is a product of nothing but values fixed before the nest starts, and known to
    /// whoever launches it.
    pub(super) fn symbols(&self) -> HashMap<u32, Vec<Sym>> {
        let fixed = |k: &Key| k.1.is_none() && !k.2.iter().any(|s| matches!(s, Sym::Def(_)));
        let all = self.unknowns.iter().filter(|(k, _)| fixed(k));
        all.map(|(k, u)| (*u, k.2.clone())).collect()
    }

    /// The side of an index variable: [`Side::Both`] if it changes with shared loops only, else `side`.
    pub(super) fn side(&self, ix: Ix, side: Side) -> Side {
        match self.forms.home(ix) {
            Some(l) if !self.shared.contains(&l) => side,
            _ => Side::Both,
        }
    }

    fn unknown(&mut self, key: Key) -> u32 {
        if let Some(u) = self.unknowns.get(&key) {
            return *u;
        }
        let u = self.new_unknown();
        self.unknowns.insert(key.clone(), u);
        self.symbol_bounds(&key, u);
        u
    }

    pub(super) fn new_unknown(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh - 1
    }

    /// Requires what is known of an unknown that is a product of values fixed before the nest starts.
    fn symbol_bounds(&mut self, (_, ix, syms): &Key, u: u32) {
        if ix.is_some() || syms.iter().any(|s| matches!(s, Sym::Def(_))) {
            return;
        }
        let mut i = Interval::point(1);
        for s in syms {
            i = i.mul(affine_interval(self.nest, self.forms, &Affine::sym(*s), 4));
        }
        let rows = enclosing(u, i);
        self.context.extend(rows.iter().cloned());
        rows.into_iter().for_each(|r| self.system.nonneg(r));
    }

    pub(super) fn enclose(&mut self, u: u32, i: Interval) {
        enclosing(u, i).into_iter().for_each(|r| self.require(r));
    }

    /// Requires `row >= 0`.
    pub(super) fn require(&mut self, row: Row) {
        match self.supposed.last_mut() {
            Some(s) => s.rows.push(row),
            None => self.system.nonneg(row),
        }
    }

    /// Requires `row = 0`.
    pub(super) fn require_zero(&mut self, row: Row) {
        let Some(s) = self.supposed.last_mut() else {
            return self.system.equal(row);
        };
        match row.negated() {
            Some(minus) => s.rows.extend([row, minus]),
            None => self.exact = false,
        }
    }

    /// Requires one of several conjunctions of `row >= 0`.
    pub(super) fn require_one_of(&mut self, options: Vec<Vec<Row>>) {
        match self.supposed.last_mut() {
            Some(s) => s.choices.push(options),
            None => self.system.one_of(options),
        }
    }

    fn add(&mut self, row: &mut Row, a: &Affine, side: Side, sign: i64) -> Option<()> {
        for Term { ix, syms, coef } in a.terms() {
            let coef = i64::try_from(*coef).ok()?.checked_mul(sign)?;
            if ix.is_none() && syms.is_empty() {
                row.add_const(coef)?;
                continue;
            }
            let side = ix.map_or(Side::Both, |ix| self.side(ix, side));
            let u = self.unknown((side, *ix, syms.clone()));
            row.add_term(u, coef)?;
            match (ix, &syms[..]) {
                (Some(ix), syms) => {
                    self.exact &= syms.is_empty();
                    self.own_bounds(*ix, side);
                }
                (None, [Sym::Def(d)]) => self.own_bounds(Ix::Def(*d), Side::Both),
                (None, [_]) => {}
                // Products are unknowns of their own, related only as far as `multiply` goes.
                _ => self.exact = false,
            }
        }
        Some(())
    }

    /// The row of a sum of forms, which belong to a side each.
    pub(super) fn row(&mut self, parts: &[(Side, Affine)]) -> Option<Row> {
        let mut row = Row::default();
        for (side, a) in parts {
            if self.add(&mut row, a, *side, 1).is_none() {
                self.exact = false;
                return None;
            }
        }
        Some(row)
    }

    pub(super) fn nonneg(&mut self, parts: Vec<(Side, Affine)>) {
        if let Some(row) = self.row(&parts) {
            self.require(row);
            if self.supposed.is_empty() {
                self.products.push(parts);
            }
        }
    }

    pub(super) fn equal_rows(&mut self, a: &Row, b: &Row) {
        match a.combine(1, b, -1) {
            Some(row) => self.require_zero(row),
            None => self.exact = false,
        }
    }

    /// Requires that both accesses touch one element; `slots` says how the second array lies in the first.
    pub(super) fn same_element(&mut self, x: &AccessForm, y: &AccessForm, slots: Slots<'_>) {
        for (axis, (f, g)) in x.index.iter().zip(&y.index).enumerate() {
            let f = self.form(f, Side::Src, DEPTH);
            let g = self.form(g, Side::Dst, DEPTH);
            let gap = f.zip(g).and_then(|(f, g)| f.combine(1, &g, -1));
            let row = gap.and_then(|mut r| r.add_const(-slots.shift(axis)).map(|()| r));
            match row {
                Some(row) => self.system.equal(row),
                None => self.exact = false,
            }
        }
    }

    /// Requires that an access is executed: the bounds of the loops around it, and the conditions.
    pub(super) fn domain(&mut self, x: &AccessForm, side: Side) {
        for l in &x.loops {
            let side = self.side(Ix::Counter(*l), side);
            self.own_bounds(Ix::Counter(*l), side);
        }
        let forms = self.forms;
        for fact in forms.facts(x.ctx) {
            self.fact(&fact.form, fact.kind, side);
        }
    }

    /// Requires the bounds that an index variable has by itself, whatever the context.
    pub(super) fn own_bounds(&mut self, ix: Ix, side: Side) {
        if self.seen.contains(&(side, ix)) {
            return;
        }
        self.seen.push((side, ix));
        let forms = self.forms;
        match ix {
            Ix::Counter(l) => {
                let Some(l) = forms.loop_form(l).filter(|l| l.counted) else {
                    self.exact = false;
                    return;
                };
                self.exact &= !l.exits;
                match l.bounds() {
                    Some(b) => self.bounds(Affine::ix(ix), b, side),
                    None => self.exact = false,
                }
                self.stride(l, side);
            }
            Ix::Def(d) => {
                let Some(def) = forms.def(d) else { return };
                let (here, key) = match def.home {
                    Some(_) => (Affine::ix(ix), (side, Some(ix), vec![])),
                    None => {
                        let symbol = Sym::Def(d);
                        (Affine::sym(symbol), (side, None, vec![symbol]))
                    }
                };
                self.bounds(here, &def.bounds, side);
                let i = form_interval(self.nest, forms, &def.value, 4);
                let u = self.unknown(key);
                self.enclose(u, i);
                self.define(u, &def.value, side);
            }
        }
    }

    fn bounds(&mut self, here: Affine, b: &Bounds, side: Side) {
        for lo in &b.lower {
            if let Some(a) = here.sub(lo) {
                self.nonneg(vec![(side, a)]);
            }
        }
        for hi in &b.upper {
            if let Some(a) = hi.sub(&here) {
                self.nonneg(vec![(side, a)]);
            }
        }
    }

    /// Requires that a counter with a constant step other than one is `start + step * k` for an integer `k`.
    fn stride(&mut self, l: &LoopForm, side: Side) {
        let Step::Const(s) = l.step else {
            self.exact = false;
            return;
        };
        if s.abs() == 1 {
            return;
        }
        let Some(start) = self.form(&l.start, side, DEPTH) else {
            self.exact = false;
            return;
        };
        let k = self.new_unknown();
        self.enclose(
            k,
            Interval {
                lo: 0,
                hi: i128::MAX,
            },
        );
        let mut counter = start;
        let here = self.row(&[(side, Affine::ix(Ix::Counter(l.id)))]);
        if let (Some(()), Some(here)) = (counter.add_term(k, s), here) {
            self.equal_rows(&counter, &here);
        }
    }

    /// Requires that the two iterations of one loop are related by `dir`.
    pub(super) fn direction(&mut self, id: LoopId, dir: Dir) {
        let Some(l) = self.forms.loop_form(id).filter(|l| l.counted) else {
            self.exact &= dir == Dir::Any;
            return;
        };
        let c = Affine::ix(Ix::Counter(id));
        let Some(minus) = c.neg() else { return };
        let later = match dir {
            Dir::Any => return,
            Dir::Eq => {
                if let Some(row) = self.row(&[(Side::Src, c), (Side::Dst, minus)]) {
                    self.require_zero(row);
                }
                return;
            }
            Dir::Lt => (Side::Dst, Side::Src),
            Dir::Gt => (Side::Src, Side::Dst),
        };
        let Some(up) = l.ascending else {
            self.exact = false;
            return;
        };
        let (more, less) = if up { later } else { (later.1, later.0) };
        let step = match &l.step {
            // What starts elsewhere, or steps otherwise, may be any number apart.
            _ if !self.runs_alike(l) => None,
            Step::Const(s) => Some(Affine::constant(-i128::from(s.unsigned_abs()))),
            Step::Sym(a) if up => a.neg(),
            Step::Sym(a) => Some(a.clone()),
            Step::Unknown => None,
        };
        let gap = step.unwrap_or(Affine::constant(-1));
        self.nonneg(vec![(more, c), (less, minus), (Side::Both, gap)]);
    }

    /// Requires that the first access's iteration of one loop is later than the second's of another, where both loops
    /// count alike.
    pub(super) fn ahead(&mut self, of_src: LoopId, of_dst: LoopId) {
        let Some(up) = self.forms.loop_form(of_src).and_then(|l| l.ascending) else {
            return;
        };
        let src = (Side::Src, Affine::ix(Ix::Counter(of_src)));
        let dst = (Side::Dst, Affine::ix(Ix::Counter(of_dst)));
        let (more, less) = if up { (src, dst) } else { (dst, src) };
        if let Some(minus) = less.1.neg() {
            let gap = (Side::Both, Affine::constant(-1));
            self.nonneg(vec![more, (less.0, minus), gap]);
        }
    }

    /// Whether both accesses see the loop start from one value, and make the same steps.
    fn runs_alike(&self, l: &LoopForm) -> bool {
        let shared = |ix: &Ix| self.side(*ix, Side::Src) == Side::Both;
        let mut alike = l.start.is_pure();
        let mut look = |a: &Affine| alike &= a.ixs().iter().all(shared);
        l.start.for_each_affine(&mut look);
        if let Step::Sym(a) = &l.step {
            look(a);
        }
        alike
    }

    /// The number of iterations of one loop from the first access to the second, if the equations determine it.
    pub(super) fn distance(&mut self, id: LoopId) -> Option<i64> {
        let Step::Const(step) = self.forms.loop_form(id)?.step else {
            return None;
        };
        let c = Affine::ix(Ix::Counter(id));
        let gap = self.row(&[(Side::Dst, c.clone()), (Side::Src, c.neg()?)])?;
        let gap = self.system.value_of(&gap)?;
        (gap % step == 0).then(|| gap / step)
    }

    /// Rows that are not negative whenever the first access is executed, in loops that all run long over arrays that
    /// are all large. A dependence that is ruled out only where one of them fails exists in every launch that matters.
    pub(super) fn usual(&mut self, x: &AccessForm, loops: &[LoopId]) -> Vec<Row> {
        let forms = self.forms;
        let mut todo: Vec<Affine> = vec![];
        let extents = self
            .unknowns
            .keys()
            .filter_map(|(_, ix, syms)| match syms[..] {
                [s @ Sym::Dim(..)] if ix.is_none() => Affine::sym(s).add_const(-LONG),
                _ => None,
            });
        todo.extend(extents);
        let holds = |f: &&Fact| f.kind == FactKind::NonNegative;
        todo.extend(forms.facts(x.ctx).filter(holds).map(|f| f.form.clone()));
        for l in loops.iter().filter_map(|l| forms.loop_form(*l)) {
            todo.extend(bounding(Ix::Counter(l.id), l.bounds()));
            let (Some(start), Some(stop), Some(up)) =
                (l.start.affine(), l.stop.affine(), l.ascending)
            else {
                continue;
            };
            let span = if up { stop.sub(start) } else { start.sub(stop) };
            let varies = span.filter(|s| s.as_constant().is_none());
            let Some(spare) = varies.and_then(|s| s.add_const(-LONG)) else {
                continue;
            };
            todo.extend(self.factors.iter().filter_map(|f| spare.mul(f)));
            todo.push(spare);
        }
        let (mut rows, mut seen) = (vec![], vec![]);
        while let Some(form) = todo.pop() {
            for ix in form.ixs() {
                let Ix::Def(d) = ix else { continue };
                if !seen.contains(&d) {
                    seen.push(d);
                    todo.extend(bounding(ix, forms.def(d).map(|d| &d.bounds)));
                }
            }
            rows.extend(self.row(&[(Side::Src, form)]));
        }
        rows
    }

    /// Whether the question mentions symbols: values that are known at launch only.
    pub(super) fn has_symbols(&self) -> bool {
        !self.symbols().is_empty()
    }

    /// Multiplies inequalities by the symbols that stand before counters.
    pub(super) fn multiply(&mut self) {
        let mut factors: Vec<Vec<Sym>> = vec![];
        let mut counters: Vec<Ix> = vec![];
        for (_, ix, syms) in self.unknowns.keys() {
            if let Some(ix) = ix
                && !syms.is_empty()
            {
                factors.push(syms.clone());
                counters.push(*ix);
            }
        }
        factors.sort_unstable();
        factors.dedup();
        let plain = std::mem::take(&mut self.products);
        for f in factors.into_iter().filter(|f| f.len() <= 3).take(6) {
            if !f.iter().all(|s| self.is_nonneg(*s)) {
                continue;
            }
            let Some(factor) = Affine::product(1, &f) else {
                continue;
            };
            self.factors.push(factor.clone());
            for parts in plain.iter().filter(|p| mentions(p, &counters)).take(40) {
                let times = |(s, a): &(Side, Affine)| a.mul(&factor).map(|a| (*s, a));
                let product: Option<Vec<_>> = parts.iter().map(times).collect();
                if let Some(row) = product.and_then(|p| self.row(&p)) {
                    self.system.nonneg(row);
                }
            }
        }
    }

    /// Whether the system so far implies that a symbol is not negative.
    fn is_nonneg(&mut self, s: Sym) -> bool {
        let a = Affine::sym(s);
        if affine_interval(self.nest, self.forms, &a, 4).lo >= 0 {
            return true;
        }
        let u = self.unknown((Side::Both, None, vec![s]));
        let mut row = Row::constant(-1);
        row.add_term(u, -1).is_some() && self.system.refutes(row)
    }
}

/// Rows that require an unknown to be in an interval. Ends that are those of a type are left out: they say nothing and
/// make large numbers.
fn enclosing(u: u32, i: Interval) -> Vec<Row> {
    let end = |v: i128| {
        i64::try_from(v)
            .ok()
            .filter(|v| v.unsigned_abs() <= 1 << 50)
    };
    let mut rows = vec![];
    let mut side = |end: Option<i64>, sign: i64| {
        let mut row = Row::constant(end.map_or(0, |v| v * -sign));
        if end.is_some() && row.add_term(u, sign).is_some() {
            rows.push(row);
        }
    };
    side(end(i.lo), 1);
    side(end(i.hi), -1);
    rows
}

/// The forms that are not negative where an index variable lies in its bounds.
fn bounding(ix: Ix, bounds: Option<&Bounds>) -> Vec<Affine> {
    let here = Affine::ix(ix);
    let above = bounds.iter().flat_map(|b| &b.lower).map(|lo| here.sub(lo));
    let below = bounds.iter().flat_map(|b| &b.upper).map(|hi| hi.sub(&here));
    above.chain(below).flatten().collect()
}

fn mentions(parts: &[(Side, Affine)], counters: &[Ix]) -> bool {
    parts
        .iter()
        .any(|(_, a)| counters.iter().any(|c| a.mentions(*c)))
}
