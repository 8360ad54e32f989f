//! Which iterations touch the same element.
//!
//! A dependence between two accesses carried by a loop is a solution of: equal subscripts, both iterations in
//! their domains, equal counters of the loops around, and the one iteration before the other in that loop. The
//! subscripts stay coupled (as in Goff, Kennedy and Tseng's delta test, 1991), triangular bounds and conditions
//! are constraints like others, and equal symbolic terms cancel by being one unknown. Products of a counter and a
//! symbol (`A[i * n + j]`) are unknowns of their own, related by the products of the bounds with that symbol
//! (as in Maslov's lazy delinearisation, 1992).

use crate::affine::{Affine, Ix, Sym, Term};
use crate::forms::{AccessForm, Bounds, FactKind, Form, Forms, LoopForm, Step};
use crate::interval::Interval;
use crate::statics::{affine_interval, form_interval};
use crate::system::{Row, System};
use nestwise_ir::{AccessId, LoopId, Nest};
use std::collections::HashMap;
use std::fmt;

/// How the iteration of the first access relates to that of the second in one loop, in order of execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dir {
    /// Earlier.
    Lt,
    /// The same.
    Eq,
    /// Later.
    Gt,
    /// Any of these.
    Any,
}

/// What two accesses do to an element, the earlier first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Written, then read.
    Flow,
    /// Read, then written.
    Anti,
    /// Written, then written.
    Output,
}

/// Two accesses that touch one element in different iterations of a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Dependence {
    /// What they do.
    pub kind: Kind,
    /// The earlier access.
    pub src: AccessId,
    /// The later access.
    pub dst: AccessId,
    /// The loop that carries it.
    pub carrier: LoopId,
    /// The loops around both, outermost first.
    pub loops: Vec<LoopId>,
    /// Per loop.
    pub directions: Vec<Dir>,
    /// Per loop: iterations between them, where that is one number.
    pub distance: Vec<Option<i64>>,
}

impl fmt::Display for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dir::Lt => "<",
            Dir::Eq => "=",
            Dir::Gt => ">",
            Dir::Any => "*",
        })
    }
}

/// Whether accesses with a set guard are where their subscripts say (`Trusted`), or anywhere (a negative index
/// wraps).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guarded {
    /// Subscripts may wrap.
    Anywhere,
    /// Subscripts are taken literally.
    Trusted,
}

/// Loops around both accesses, outermost first.
pub fn common_loops(x: &AccessForm, y: &AccessForm) -> Vec<LoopId> {
    let both = x.loops.iter().zip(&y.loops);
    both.take_while(|(a, b)| a == b).map(|(a, _)| *a).collect()
}

/// Whether the element that `x` touches in one iteration may be the element `y` touches in another, the
/// iterations related by `dirs` (one per common loop; missing ones are [`Dir::Any`]). False is a proof.
pub fn may_meet(
    nest: &Nest,
    forms: &Forms,
    x: &AccessForm,
    y: &AccessForm,
    dirs: &[Dir],
    guarded: Guarded,
) -> bool {
    let common = common_loops(x, y);
    if guarded == Guarded::Trusted || !(x.guarded || y.guarded) {
        let apart = |(f, g): (&Form, &Form)| strong_siv(forms, f, g, &common, dirs);
        if x.index.iter().zip(&y.index).any(apart) {
            return false;
        }
    }
    let shared = dirs
        .iter()
        .take_while(|d| **d == Dir::Eq)
        .count()
        .min(common.len());
    let mut p = Problem {
        nest,
        forms,
        shared: common[..shared].to_vec(),
        unknowns: HashMap::new(),
        system: System::default(),
        seen: vec![],
        products: vec![],
        fresh: 0,
    };
    let free = |a: &AccessForm| a.guarded && guarded == Guarded::Anywhere;
    if !free(x) && !free(y) {
        for (f, g) in x.index.iter().zip(&y.index) {
            if let (Some(f), Some(g)) = (f.affine(), g.affine()) {
                p.equal_forms(f, g);
            }
        }
    }
    p.domain(x, Side::Src);
    p.domain(y, Side::Dst);
    for (l, d) in common.iter().zip(dirs).skip(shared) {
        p.direction(*l, *d);
    }
    p.multiply();
    p.system.feasible()
}

/// The common case without a system: subscripts `c * i + e` and `c * i + e + d` of the loop after the leading
/// `=` levels, `e` fixed there, are equal only `d / c` apart. Whether that contradicts the direction.
fn strong_siv(forms: &Forms, f: &Form, g: &Form, common: &[LoopId], dirs: &[Dir]) -> bool {
    let (Some(f), Some(g)) = (f.affine(), g.affine()) else {
        return false;
    };
    let level = dirs.iter().take_while(|d| **d == Dir::Eq).count();
    let (Some(id), Some(dir)) = (common.get(level), dirs.get(level)) else {
        return false;
    };
    let Some(gap) = f.sub(g).and_then(|d| d.as_constant()) else {
        return false;
    };
    let counter = Ix::Counter(*id);
    let fixed = |ix: &Ix| {
        *ix == counter
            || forms
                .home(*ix)
                .is_some_and(|h| common[..level].contains(&h))
    };
    let Some(c) = f.const_coef(counter) else {
        return false;
    };
    if !f.ixs().iter().chain(&g.ixs()).all(fixed) || !matches!(dir, Dir::Lt | Dir::Gt) {
        return false;
    }
    if c == 0 || gap == 0 {
        // Without the counter they are equal always or never; with it, only in the same iteration.
        return (c == 0) != (gap == 0);
    }
    if gap % c != 0 {
        return true;
    }
    // The second access's counter minus the first's.
    let Some(up) = forms.loop_form(*id).and_then(|l| l.ascending) else {
        return false;
    };
    let later = (gap / c > 0) == up;
    later != (*dir == Dir::Lt)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Side {
    Both,
    Src,
    Dst,
}

type Key = (Side, Option<Ix>, Vec<Sym>);

struct Problem<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    /// Loops in one and the same iteration of which both accesses are.
    shared: Vec<LoopId>,
    unknowns: HashMap<Key, u32>,
    system: System,
    /// Index variables whose own bounds are in the system.
    seen: Vec<(Side, Ix)>,
    /// Inequalities over plain forms that may be multiplied by a symbol: two sides' forms, subtracted.
    products: Vec<Vec<(Side, Affine)>>,
    fresh: u32,
}

impl Problem<'_> {
    /// Values that change only with shared loops are the same on both sides.
    fn side(&self, ix: Ix, side: Side) -> Side {
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

    fn new_unknown(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh - 1
    }

    /// What is known of a product of symbols.
    fn symbol_bounds(&mut self, (_, ix, syms): &Key, u: u32) {
        if ix.is_some() {
            return;
        }
        let mut i = Interval::point(1);
        for s in syms {
            i = i.mul(affine_interval(self.nest, self.forms, &Affine::sym(*s), 4));
        }
        self.enclose(u, i);
        let forms = self.forms;
        if let [s @ Sym::Def(d)] = syms[..]
            && let Some(def) = forms.def(d)
        {
            let here = Affine::sym(s);
            let above = def.bounds.lower.iter().map(|lo| here.sub(lo));
            let below = def.bounds.upper.iter().map(|hi| hi.sub(&here));
            for a in above.chain(below).flatten() {
                self.nonneg(vec![(Side::Both, a)]);
            }
        }
    }

    fn enclose(&mut self, u: u32, i: Interval) {
        // The ends of a type say nothing and make large numbers.
        let end = |v: i128| {
            i64::try_from(v)
                .ok()
                .filter(|v| v.unsigned_abs() <= 1 << 50)
        };
        if let Some(lo) = end(i.lo) {
            let mut r = Row::constant(-lo);
            if r.add_term(u, 1).is_some() {
                self.system.nonneg(r);
            }
        }
        if let Some(hi) = end(i.hi) {
            let mut r = Row::constant(hi);
            if r.add_term(u, -1).is_some() {
                self.system.nonneg(r);
            }
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
            if let Some(ix) = ix {
                self.own_bounds(*ix, side);
            }
        }
        Some(())
    }

    /// The row of a sum of forms, each of a side.
    fn row(&mut self, parts: &[(Side, Affine)]) -> Option<Row> {
        let mut row = Row::default();
        for (side, a) in parts {
            self.add(&mut row, a, *side, 1)?;
        }
        Some(row)
    }

    fn nonneg(&mut self, parts: Vec<(Side, Affine)>) {
        if let Some(row) = self.row(&parts) {
            self.system.nonneg(row);
            self.products.push(parts);
        }
    }

    fn equal_forms(&mut self, f: &Affine, g: &Affine) {
        let mut row = Row::default();
        let both = self
            .add(&mut row, f, Side::Src, 1)
            .and_then(|()| self.add(&mut row, g, Side::Dst, -1));
        if both.is_some() {
            self.system.equal(row);
        }
    }

    /// The loops and conditions around an access.
    fn domain(&mut self, x: &AccessForm, side: Side) {
        for l in &x.loops {
            let side = self.side(Ix::Counter(*l), side);
            self.own_bounds(Ix::Counter(*l), side);
        }
        let forms = self.forms;
        for fact in forms.facts(x.ctx) {
            if fact.kind == FactKind::NonNegative {
                self.nonneg(vec![(side, fact.form.clone())]);
            }
        }
    }

    /// What bounds an index variable wherever it stands.
    fn own_bounds(&mut self, ix: Ix, side: Side) {
        if self.seen.contains(&(side, ix)) {
            return;
        }
        self.seen.push((side, ix));
        let forms = self.forms;
        match ix {
            Ix::Counter(l) => {
                let Some(l) = forms.loop_form(l).filter(|l| l.counted) else {
                    return;
                };
                if let Some(b) = l.bounds() {
                    self.bounds(ix, b, side);
                }
                self.stride(l, side);
            }
            Ix::Def(d) => {
                let Some(def) = forms.def(d) else { return };
                self.bounds(ix, &def.bounds, side);
                let i = form_interval(self.nest, forms, &def.value, 4);
                let u = self.unknown((side, Some(ix), vec![]));
                self.enclose(u, i);
            }
        }
    }

    fn bounds(&mut self, ix: Ix, b: &Bounds, side: Side) {
        let here = Affine::ix(ix);
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

    /// A counter with a constant step other than one is `start + step * k`.
    fn stride(&mut self, l: &LoopForm, side: Side) {
        let Step::Const(s) = l.step else { return };
        let Some(start) = l.start.affine().filter(|_| s.abs() != 1) else {
            return;
        };
        let Some(diff) = Affine::ix(Ix::Counter(l.id)).sub(start) else {
            return;
        };
        let k = self.new_unknown();
        if let Some(mut row) = self.row(&[(side, diff)])
            && let Some(minus) = s.checked_neg()
            && row.add_term(k, minus).is_some()
        {
            self.system.equal(row);
            self.enclose(
                k,
                Interval {
                    lo: 0,
                    hi: i128::MAX,
                },
            );
        }
    }

    /// How the two iterations of one loop are related.
    fn direction(&mut self, id: LoopId, dir: Dir) {
        let Some(l) = self.forms.loop_form(id).filter(|l| l.counted) else {
            return;
        };
        let c = Affine::ix(Ix::Counter(id));
        let Some(minus) = c.neg() else { return };
        let later = match dir {
            Dir::Any => return,
            Dir::Eq => {
                if let Some(row) = self.row(&[(Side::Src, c), (Side::Dst, minus)]) {
                    self.system.equal(row);
                }
                return;
            }
            Dir::Lt => (Side::Dst, Side::Src),
            Dir::Gt => (Side::Src, Side::Dst),
        };
        let Some(up) = l.ascending else { return };
        let (more, less) = if up { later } else { (later.1, later.0) };
        let gap = match &l.step {
            Step::Const(s) => Affine::constant(-i128::from(s.unsigned_abs())),
            Step::Sym(a) => match if up { a.neg() } else { Some(a.clone()) } {
                Some(a) => a,
                None => return,
            },
            Step::Unknown => Affine::constant(-1),
        };
        self.nonneg(vec![(more, c), (less, minus), (Side::Both, gap)]);
    }

    /// Multiplies inequalities by the symbols that stand before counters.
    fn multiply(&mut self) {
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
            let factor = f
                .iter()
                .try_fold(Affine::constant(1), |a, s| a.mul(&Affine::sym(*s)));
            let Some(factor) = factor else { continue };
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
        if row.add_term(u, -1).is_none() {
            return false;
        }
        let mut probe = self.system.clone();
        probe.nonneg(row);
        !probe.feasible()
    }
}

fn mentions(parts: &[(Side, Affine)], counters: &[Ix]) -> bool {
    parts
        .iter()
        .any(|(_, a)| counters.iter().any(|c| a.mentions(*c)))
}

/// The first dependence between two accesses (the one possibly `x` itself) that `carrier` carries, in either
/// order.
pub fn carried(
    nest: &Nest,
    forms: &Forms,
    x: &AccessForm,
    y: &AccessForm,
    carrier: LoopId,
    guarded: Guarded,
) -> Option<Dependence> {
    let common = common_loops(x, y);
    let level = common.iter().position(|l| *l == carrier)?;
    let mut dirs = vec![Dir::Eq; level];
    dirs.push(Dir::Lt);
    if may_meet(nest, forms, x, y, &dirs, guarded) {
        return Some(describe(nest, forms, x, y, level, guarded));
    }
    if x.id != y.id && may_meet(nest, forms, y, x, &dirs, guarded) {
        return Some(describe(nest, forms, y, x, level, guarded));
    }
    None
}

/// A dependence that was not looked for: anything from `x` to `y` in the loop.
pub fn assumed(x: &AccessForm, y: &AccessForm, carrier: LoopId) -> Dependence {
    let loops = common_loops(x, y);
    let (directions, distance) = (vec![Dir::Any; loops.len()], vec![None; loops.len()]);
    let kind = if x.store && y.store {
        Kind::Output
    } else {
        Kind::Anti
    };
    Dependence {
        kind,
        src: x.id,
        dst: y.id,
        carrier,
        loops,
        directions,
        distance,
    }
}

/// Directions and distances of a dependence from `x` to `y` carried at `level`.
fn describe(
    nest: &Nest,
    forms: &Forms,
    x: &AccessForm,
    y: &AccessForm,
    level: usize,
    guarded: Guarded,
) -> Dependence {
    let loops = common_loops(x, y);
    let mut directions = vec![Dir::Eq; level];
    directions.push(Dir::Lt);
    for _ in level + 1..loops.len() {
        let only = |d: Dir| {
            let mut dirs = directions.clone();
            dirs.push(d);
            may_meet(nest, forms, x, y, &dirs, guarded)
        };
        let (lt, eq, gt) = (only(Dir::Lt), only(Dir::Eq), only(Dir::Gt));
        directions.push(match (lt, eq, gt) {
            (true, false, false) => Dir::Lt,
            (false, true, false) => Dir::Eq,
            (false, false, true) => Dir::Gt,
            _ => Dir::Any,
        });
    }
    let kind = match (x.store, y.store) {
        (true, false) => Kind::Flow,
        (false, _) => Kind::Anti,
        (true, true) => Kind::Output,
    };
    let distance = loops.iter().map(|l| distance(forms, x, y, *l)).collect();
    let carrier = loops[level];
    Dependence {
        kind,
        src: x.id,
        dst: y.id,
        carrier,
        loops,
        directions,
        distance,
    }
}

/// Iterations of a loop between the two accesses, if a subscript `c * counter + ...` fixes it (strong SIV).
fn distance(forms: &Forms, x: &AccessForm, y: &AccessForm, id: LoopId) -> Option<i64> {
    let Step::Const(step) = forms.loop_form(id)?.step else {
        return None;
    };
    let ix = Ix::Counter(id);
    x.index.iter().zip(&y.index).find_map(|(f, g)| {
        let (f, g) = (f.affine()?, g.affine()?);
        let only = |a: &Affine| a.ixs() == [ix];
        let c = f.const_coef(ix).filter(|c| *c != 0 && only(f) && only(g))?;
        let gap = f.sub(g)?.as_constant()?;
        let by = c.checked_mul(step.into()).filter(|by| *by != 0)?;
        (gap % by == 0)
            .then(|| i64::try_from(gap / by).ok())
            .flatten()
    })
}
