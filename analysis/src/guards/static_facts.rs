//! What can be proven of forms before any value is known.

use nestwise_ir::Nest;

use crate::values::affine::{Affine, Ix, Sym, Term};
use crate::values::forms::{Bounds, Ctx, FactKind, Form, Forms, Op};
use crate::values::interval::Interval;
use crate::values::transfer::DIM_MAX;

/// The most substitutions that one proof may try.
const FUEL: u32 = 60;
/// How many definitions are followed in turn to find an interval.
const DEPTH: u32 = 12;

/// The interval of a symbol.
fn sym_interval(nest: &Nest, forms: &Forms, sym: Sym, depth: u32) -> Interval {
    match sym {
        Sym::Dim(..) => Interval { lo: 0, hi: DIM_MAX },
        Sym::Var(v) => nest.vars.get(v).map_or(Interval::ALL, |d| {
            let ty = Interval::of_type(d.ty.repr);
            d.range
                .map_or(ty, |(lo, hi)| Interval::new(lo.into(), hi.into()))
        }),
        Sym::Def(d) => match forms.def(d) {
            Some(def) if depth > 0 => form_interval(nest, forms, &def.value, depth - 1),
            _ => Interval::ALL,
        },
    }
}

fn ix_interval(nest: &Nest, forms: &Forms, ix: Ix, depth: u32) -> Interval {
    if depth == 0 {
        return Interval::ALL;
    }
    match ix {
        Ix::Def(d) => forms.def(d).map_or(Interval::ALL, |def| {
            form_interval(nest, forms, &def.value, depth - 1)
        }),
        Ix::Counter(l) => {
            let Some(b) = forms.loop_form(l).and_then(|l| l.bounds()) else {
                return Interval::of_type(nestwise_ir::Scalar::I64);
            };
            bounds_interval(nest, forms, b, depth - 1)
        }
    }
}

fn bounds_interval(nest: &Nest, forms: &Forms, b: &Bounds, depth: u32) -> Interval {
    let each = |a: &Affine| affine_interval(nest, forms, a, depth);
    let lo = b
        .lower
        .iter()
        .map(|a| each(a).lo)
        .max()
        .unwrap_or(i128::MIN);
    let hi = b
        .upper
        .iter()
        .map(|a| each(a).hi)
        .min()
        .unwrap_or(i128::MAX);
    // An empty loop has no values; any interval encloses them.
    Interval::new(lo, hi.max(lo))
}

fn term_interval(nest: &Nest, forms: &Forms, t: &Term, depth: u32) -> Interval {
    let mut i = Interval::point(t.coef);
    for s in &t.syms {
        i = i.mul(sym_interval(nest, forms, *s, depth));
    }
    match t.ix {
        Some(ix) => i.mul(ix_interval(nest, forms, ix, depth)),
        None => i,
    }
}

/// The interval of a form from the intervals of its parts.
pub fn affine_interval(nest: &Nest, forms: &Forms, a: &Affine, depth: u32) -> Interval {
    let parts = a
        .terms()
        .iter()
        .map(|t| term_interval(nest, forms, t, depth));
    parts.fold(Interval::point(0), Interval::add)
}

/// The interval of a form without index variables.
pub fn invariant_interval(nest: &Nest, forms: &Forms, a: &Affine) -> Interval {
    affine_interval(nest, forms, a, DEPTH)
}

/// The interval of any form.
pub fn form_interval(nest: &Nest, forms: &Forms, f: &Form, depth: u32) -> Interval {
    match f {
        Form::Aff(a) => affine_interval(nest, forms, a, depth),
        Form::Range(i) | Form::Content(_, _, i) => *i,
        Form::At(_, inner) => form_interval(nest, forms, inner, depth),
        Form::Op(op, args) => {
            let args: Vec<Interval> = args
                .iter()
                .map(|a| form_interval(nest, forms, a, depth))
                .collect();
            apply(*op, &args)
        }
    }
}

/// The interval of an operation's result, from the intervals of its operands.
pub fn apply(op: Op, args: &[Interval]) -> Interval {
    let a = args.first().copied().unwrap_or(Interval::ALL);
    let b = args.get(1).copied().unwrap_or(Interval::ALL);
    match op {
        Op::Add => a.add(b),
        Op::Sub => a.sub(b),
        Op::Mul => a.mul(b),
        Op::FloorDiv => a.floor_div(b),
        Op::Mod => a.modulo(b),
        Op::Pow => a.pow(b),
        Op::Shl => a.shl(b),
        Op::Shr => a.shr(b),
        Op::And => a.and(b),
        Op::Or => a.or(b),
        Op::Xor => a.xor(b),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Neg => a.neg(),
        Op::Abs => a.abs(),
        Op::Join => args
            .iter()
            .copied()
            .reduce(Interval::join)
            .unwrap_or(Interval::ALL),
        Op::Clamp(range) => a.clamp_to(range),
    }
}

/// Whether a form is never negative where the facts of `ctx` hold.
pub fn nonneg(nest: &Nest, forms: &Forms, a: &Affine, ctx: Ctx) -> bool {
    let mut fuel = FUEL;
    Prover { nest, forms, ctx }.nonneg(a, &mut fuel)
}

struct Prover<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    ctx: Ctx,
}

impl Prover<'_> {
    fn nonneg(&self, a: &Affine, fuel: &mut u32) -> bool {
        if affine_interval(self.nest, self.forms, a, 4).lo >= 0 {
            return true;
        }
        if *fuel == 0 {
            return false;
        }
        *fuel -= 1;
        // A fact with the same varying part decides by a constant.
        let by_fact = self.forms.facts(self.ctx).any(|f| {
            let rest = a.sub(&f.form);
            f.kind == FactKind::NonNegative
                && rest.is_some_and(|r| r.as_constant().is_some_and(|c| c >= 0))
        });
        if by_fact {
            return true;
        }
        match self.forms.innermost(a) {
            Some(ix) => self.eliminate(a, ix, fuel),
            None => self.by_symbols(a, fuel),
        }
    }

    /// Whether the form is never negative, by replacing `ix` with a bound that can only make the form smaller.
    fn eliminate(&self, a: &Affine, ix: Ix, fuel: &mut u32) -> bool {
        let coef = a.coef(ix);
        let sign = invariant_interval(self.nest, self.forms, &coef);
        let low = match (sign.lo >= 0, sign.hi <= 0) {
            (true, _) => true,
            (_, true) => false,
            _ => return false,
        };
        let own = match ix {
            Ix::Counter(l) => self.forms.loop_form(l).and_then(|l| l.bounds()),
            Ix::Def(d) => self.forms.def(d).map(|d| &d.bounds),
        };
        let listed = own.map_or(&[][..], |b| if low { &b.lower } else { &b.upper });
        let from_facts = self
            .forms
            .facts(self.ctx)
            .filter_map(|f| self.solve(f, ix, low));
        let tries: Vec<Affine> = listed.iter().cloned().chain(from_facts).collect();
        tries.iter().any(|b| {
            // Only bounds by earlier values: elimination ends.
            let earlier = b
                .ixs()
                .iter()
                .all(|x| self.forms.seq(*x) < self.forms.seq(ix));
            earlier && a.subst(ix, b).is_some_and(|a| self.nonneg(&a, fuel))
        })
    }

    /// The bound on `ix` that a fact gives, if `ix` occurs with coefficient 1 or -1 and is its latest.
    fn solve(&self, f: &crate::values::forms::Fact, ix: Ix, low: bool) -> Option<Affine> {
        if f.kind != FactKind::NonNegative || !f.form.mentions(ix) {
            return None;
        }
        match (f.form.const_coef(ix)?, low) {
            (1, true) => f.form.without(ix).neg(),
            (-1, false) => Some(f.form.without(ix)),
            _ => None,
        }
    }

    /// Whether a form without index variables is never negative, by subtracting facts about symbols (`n >= 2`).
    fn by_symbols(&self, a: &Affine, fuel: &mut u32) -> bool {
        self.forms.facts(self.ctx).any(|f| {
            f.kind == FactKind::NonNegative
                && f.form.is_invariant()
                && *fuel > 0
                && a.sub(&f.form).is_some_and(|rest| {
                    *fuel -= 1;
                    rest.terms().len() < a.terms().len()
                        && affine_interval(self.nest, self.forms, &rest, 4).lo >= 0
                })
        })
    }
}
