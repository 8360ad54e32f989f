//! Linear forms over loop counters.
//!
//! An [`Affine`] is `sum(coef * product(syms) * ix) + sum(coef * product(syms))`: linear in the *index
//! variables* ([`Ix`]: loop counters, and scalars that change while the nest runs), polynomial in the *symbols*
//! ([`Sym`]: values fixed before the top loop starts). So `A[i * n + j]` is affine with the symbolic coefficient
//! `n`. Arithmetic is exact: what does not fit is `None`, never wrapped.

use std::fmt;

use nestwise_ir::{ArrayId, LoopId, VarId};

/// A scalar value that has a name of its own because it is not affine: one definition (`Let`, or the merge of
/// several) of a variable. See [`crate::values::forms::DefInfo`].
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct DefId(pub u32);

impl DefId {
    /// The definition's index in the table of definitions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value that does not change from the start of the top loop to its end.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub enum Sym {
    /// The value that a variable has at entry to the nest.
    Var(VarId),
    /// The extent of an axis of a slot.
    Dim(ArrayId, u32),
    /// The value of a definition outside all loops.
    Def(DefId),
}

/// A value that changes while the nest runs.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub enum Ix {
    /// The value of a loop's counter.
    Counter(LoopId),
    /// The value of a definition inside a loop.
    Def(DefId),
}

/// The most symbols in one product; products of more do not count as affine.
const MAX_DEGREE: usize = 4;
/// The most terms in one form; longer sums do not count as affine, which bounds the work of every later pass.
const MAX_TERMS: usize = 24;
/// The largest coefficient, so that sums of a few products can never leave `i128`.
const MAX_COEF: i128 = 1 << 80;

/// A term `coef * product(syms) * ix`.
#[derive(
    Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct Term {
    /// The index variable, `None` in the part that does not change while the nest runs.
    pub ix: Option<Ix>,
    /// The symbols of the product, sorted.
    pub syms: Vec<Sym>,
    /// The coefficient, never zero.
    pub coef: i128,
}

impl Term {
    fn key(&self) -> (Option<Ix>, &[Sym]) {
        (self.ix, &self.syms)
    }
}

/// A linear form; canonical, so that `==` is equality as polynomials.
#[derive(
    Clone,
    PartialEq,
    Eq,
    Hash,
    Debug,
    Default,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Affine {
    /// The terms, sorted by index variable, then symbols.
    terms: Vec<Term>,
}

impl Affine {
    /// The form that is `value`.
    pub fn constant(value: i128) -> Affine {
        if value == 0 {
            return Affine::default();
        }
        Affine {
            terms: vec![Term {
                ix: None,
                syms: vec![],
                coef: value,
            }],
        }
    }
    /// The form that is one symbol.
    pub fn sym(sym: Sym) -> Affine {
        Affine {
            terms: vec![Term {
                ix: None,
                syms: vec![sym],
                coef: 1,
            }],
        }
    }
    /// The form that is a constant times a product of symbols.
    pub fn product(coef: i128, syms: &[Sym]) -> Option<Affine> {
        let mut factors = syms.iter().map(|s| Affine::sym(*s));
        factors.try_fold(Affine::constant(coef), |a, s| a.mul(&s))
    }
    /// The form that is one index variable.
    pub fn ix(ix: Ix) -> Affine {
        Affine {
            terms: vec![Term {
                ix: Some(ix),
                syms: vec![],
                coef: 1,
            }],
        }
    }
    /// The terms, sorted.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }
    /// The value, if the form is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [t] if t.ix.is_none() && t.syms.is_empty() => Some(t.coef),
            _ => None,
        }
    }
    /// Whether no index variable occurs.
    pub fn is_invariant(&self) -> bool {
        self.terms.iter().all(|t| t.ix.is_none())
    }
    /// The index variables, sorted, each once.
    pub fn ixs(&self) -> Vec<Ix> {
        let mut out: Vec<Ix> = self.terms.iter().filter_map(|t| t.ix).collect();
        out.dedup();
        out
    }
    /// Whether `ix` occurs.
    pub fn mentions(&self, ix: Ix) -> bool {
        self.terms.iter().any(|t| t.ix == Some(ix))
    }
    /// The coefficient of `ix`, a form without index variables.
    pub fn coef(&self, ix: Ix) -> Affine {
        let terms = self.terms.iter().filter(|t| t.ix == Some(ix));
        Affine {
            terms: terms
                .map(|t| Term {
                    ix: None,
                    ..t.clone()
                })
                .collect(),
        }
    }
    /// The constant coefficient of `ix`; `None` if it is symbolic.
    pub fn const_coef(&self, ix: Ix) -> Option<i128> {
        self.coef(ix).as_constant()
    }
    /// The part without index variables.
    pub fn invariant_part(&self) -> Affine {
        Affine {
            terms: self
                .terms
                .iter()
                .filter(|t| t.ix.is_none())
                .cloned()
                .collect(),
        }
    }
    /// The part with index variables.
    pub fn varying_part(&self) -> Affine {
        Affine {
            terms: self
                .terms
                .iter()
                .filter(|t| t.ix.is_some())
                .cloned()
                .collect(),
        }
    }
    /// The form without the terms of `ix`.
    pub fn without(&self, ix: Ix) -> Affine {
        Affine {
            terms: self
                .terms
                .iter()
                .filter(|t| t.ix != Some(ix))
                .cloned()
                .collect(),
        }
    }
    /// The constant term.
    pub fn constant_term(&self) -> i128 {
        let t = self
            .terms
            .iter()
            .find(|t| t.ix.is_none() && t.syms.is_empty());
        t.map_or(0, |t| t.coef)
    }

    /// The sum of two forms.
    pub fn add(&self, other: &Affine) -> Option<Affine> {
        self.combine(other, 1)
    }
    /// The difference of two forms.
    pub fn sub(&self, other: &Affine) -> Option<Affine> {
        self.combine(other, -1)
    }
    /// The sum with a constant.
    pub fn add_const(&self, value: i128) -> Option<Affine> {
        self.add(&Affine::constant(value))
    }
    /// The product with a constant.
    pub fn scale(&self, by: i128) -> Option<Affine> {
        Affine::default().combine(self, by)
    }
    /// The negated form.
    pub fn neg(&self) -> Option<Affine> {
        self.scale(-1)
    }

    /// The quotient by a constant; `None` if that does not divide every coefficient.
    pub fn divided(&self, by: i128) -> Option<Affine> {
        let mut out = self.clone();
        for t in &mut out.terms {
            if by == 0 || t.coef % by != 0 {
                return None;
            }
            t.coef /= by;
        }
        Some(out)
    }

    /// The form `self + by * other`.
    fn combine(&self, other: &Affine, by: i128) -> Option<Affine> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (take_a, take_b) = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => (true, false),
                (None, Some(_)) => (false, true),
                (Some(x), Some(y)) => (x.key() <= y.key(), y.key() <= x.key()),
            };
            let x = if take_a { a.next() } else { None };
            let y = if take_b { b.next() } else { None };
            let right = y.map_or(Some(0), |y| y.coef.checked_mul(by))?;
            let coef = x.map_or(0, |x| x.coef).checked_add(right)?;
            if coef.unsigned_abs() > MAX_COEF as u128 {
                return None;
            }
            if let Some(shape) = x.or(y).filter(|_| coef != 0) {
                terms.push(Term {
                    ix: shape.ix,
                    syms: shape.syms.clone(),
                    coef,
                });
            }
        }
        (terms.len() <= MAX_TERMS).then_some(Affine { terms })
    }

    /// The product, if at most one factor has index variables.
    pub fn mul(&self, other: &Affine) -> Option<Affine> {
        if !self.is_invariant() && !other.is_invariant() {
            return None;
        }
        let mut sum = Affine::default();
        for x in &self.terms {
            for y in &other.terms {
                let mut syms = [x.syms.as_slice(), y.syms.as_slice()].concat();
                if syms.len() > MAX_DEGREE {
                    return None;
                }
                syms.sort_unstable();
                let coef = x.coef.checked_mul(y.coef)?;
                let term = Term {
                    ix: x.ix.or(y.ix),
                    syms,
                    coef,
                };
                sum = sum.add(&Affine { terms: vec![term] })?;
            }
        }
        Some(sum)
    }

    /// Replaces `ix` by `value`; `None` where that is not affine or too large.
    pub fn subst(&self, ix: Ix, value: &Affine) -> Option<Affine> {
        self.without(ix).add(&self.coef(ix).mul(value)?)
    }
}

impl Affine {
    /// The form as text, with names from `names`.
    pub fn show(&self, names: &dyn Names) -> String {
        let mut out = String::new();
        // As people write it: what varies first, what is subtracted later, the constant last.
        let mut order: Vec<&Term> = self.terms.iter().collect();
        order.sort_by_key(|t| {
            (
                t.ix.is_none() && t.syms.is_empty(),
                t.coef < 0,
                t.ix.is_none(),
            )
        });
        for t in order {
            let mut factors: Vec<String> = t.syms.iter().map(|s| names.sym(*s)).collect();
            factors.extend(t.ix.map(|ix| names.ix(ix)));
            let sign = if t.coef < 0 { "-" } else { "+" };
            let size = t.coef.unsigned_abs();
            if size != 1 || factors.is_empty() {
                factors.insert(0, size.to_string());
            }
            let body = factors.join("*");
            if out.is_empty() {
                out = if t.coef < 0 { format!("-{body}") } else { body };
            } else {
                out = format!("{out} {sign} {body}");
            }
        }
        if out.is_empty() { "0".to_string() } else { out }
    }
}

/// Gives the user's names of symbols and index variables.
pub trait Names {
    /// The name of a symbol.
    fn sym(&self, sym: Sym) -> String;
    /// The name of an index variable.
    fn ix(&self, ix: Ix) -> String;
}

struct Ids;

impl Names for Ids {
    fn sym(&self, sym: Sym) -> String {
        match sym {
            Sym::Var(v) => v.to_string(),
            Sym::Dim(a, k) => format!("{a}.{k}"),
            Sym::Def(d) => format!("d{}", d.0),
        }
    }
    fn ix(&self, ix: Ix) -> String {
        match ix {
            Ix::Counter(l) => l.to_string(),
            Ix::Def(d) => format!("d{}", d.0),
        }
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(&Ids))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Affine {
        Affine::sym(Sym::Var(VarId(7)))
    }
    fn i() -> Affine {
        Affine::ix(Ix::Counter(LoopId(0)))
    }

    #[test]
    fn arithmetic_is_canonical() {
        let a = i()
            .mul(&n())
            .unwrap()
            .add(&n())
            .unwrap()
            .add_const(3)
            .unwrap();
        let b = n()
            .mul(&i().add_const(1).unwrap())
            .unwrap()
            .add_const(3)
            .unwrap();
        assert_eq!(a, b);
        assert_eq!(a.sub(&b).unwrap().as_constant(), Some(0));
        assert_eq!(a.to_string(), "v7*L0 + v7 + 3");
        assert_eq!(a.coef(Ix::Counter(LoopId(0))), n());
    }

    #[test]
    fn products_of_two_counters_are_refused() {
        let j = Affine::ix(Ix::Counter(LoopId(1)));
        assert!(i().mul(&j).is_none());
        assert!(i().scale(MAX_COEF).unwrap().scale(4).is_none());
    }

    #[test]
    fn substitution() {
        let e = i().scale(2).unwrap().add(&n()).unwrap();
        let at = e
            .subst(Ix::Counter(LoopId(0)), &n().add_const(-1).unwrap())
            .unwrap();
        assert_eq!(at, n().scale(3).unwrap().add_const(-2).unwrap());
    }
}
