//! Conditions on values that are fixed before a nest starts: for which of the values there is a dependence.

use std::collections::HashMap;

use crate::guards::launch_values::LaunchValues;
use crate::integer::{Projection, Row, System};
use crate::values::affine::{Affine, Names, Sym, Term};

/// A relation of a form to zero, or to a divisor.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Relation {
    /// The form is not negative.
    NonNegative,
    /// The form is zero.
    Zero,
    /// The form is a multiple of the number.
    MultipleOf(i64),
}

/// A condition on a form over symbols.
#[derive(
    Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Atom {
    /// A form without index variables.
    pub form: Affine,
    /// The relation that the form is in.
    pub relation: Relation,
}

/// A condition under which iterations depend on each other: all of its atoms hold. Without atoms they always do.
#[derive(
    Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Clause {
    /// The atoms, sorted.
    pub atoms: Vec<Atom>,
}

impl Clause {
    /// The clause of a projection onto symbols; `symbols` gives the product of symbols that each unknown is. It is made
    /// as short as possible: without what holds in every launch (`context`), and without what holds in all launches
    /// that matter (`usual`). Leaving an atom out makes the dependence only more likely.
    pub(crate) fn of(
        projection: &Projection,
        symbols: &HashMap<u32, Vec<Sym>>,
        context: &[Row],
        usual: &[Row],
    ) -> Clause {
        let mut rows = projection.nonneg.clone();
        let refutes = |given: &[&[Row]], row: &Row| {
            let mut system = System::default();
            given
                .iter()
                .flat_map(|g| g.iter())
                .for_each(|r| system.nonneg(r.clone()));
            row.complement().is_some_and(|not| system.refutes(not))
        };
        rows.retain(|r| !refutes(&[context, usual], r));
        let mut i = 0;
        while i < rows.len() {
            let row = rows.remove(i);
            if !refutes(&[context, &rows], &row) {
                rows.insert(i, row);
                i += 1;
            }
        }
        let form = |r: &Row| -> Option<Affine> {
            let mut sum = Affine::constant(r.konst().into());
            for (u, c) in r.terms() {
                sum = sum.add(&Affine::product((*c).into(), symbols.get(u)?)?)?;
            }
            Some(sum)
        };
        let atom =
            |relation: Relation| move |row: &Row| form(row).map(|form| Atom { form, relation });
        let mut atoms: Vec<Atom> = rows
            .iter()
            .filter_map(atom(Relation::NonNegative))
            .collect();
        atoms.extend(projection.equal.iter().filter_map(atom(Relation::Zero)));
        for (row, m) in &projection.multiples {
            atoms.extend(atom(Relation::MultipleOf(*m))(row));
        }
        atoms.sort_unstable();
        atoms.dedup();
        Clause { atoms }
    }

    /// Whether all atoms hold; `None` if that is not known.
    pub fn holds(&self, values: &LaunchValues) -> Option<bool> {
        let mut all = Some(true);
        for atom in &self.atoms {
            match value(&atom.form, values).map(|v| atom.relation.holds(v)) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => all = None,
            }
        }
        all
    }

    /// The Python condition under which the clause does not hold.
    fn denied(&self, names: &dyn Names) -> String {
        let parts: Vec<String> = self.atoms.iter().map(|a| a.denied(names)).collect();
        parts.join(" or ")
    }

    /// The forms `(f, u)` if the clause is `1 <= f <= u`.
    fn between(&self) -> Option<(Affine, Affine)> {
        let [a, b] = self.atoms.as_slice() else {
            return None;
        };
        if [a, b].iter().any(|x| x.relation != Relation::NonNegative) {
            return None;
        }
        [(a, b), (b, a)].into_iter().find_map(|(low, high)| {
            let f = low.form.add_const(1)?;
            let above = high.form.add(&f)?;
            // The upper bound is one only without what it bounds.
            let mentions = |s: &[Sym]| above.terms().iter().any(|t| t.syms == s);
            let apart = f.constant_term() == 0 && !f.terms().iter().any(|t| mentions(&t.syms));
            apart.then_some((f, above))
        })
    }
}

impl Relation {
    fn holds(self, value: i128) -> bool {
        match self {
            Relation::NonNegative => value >= 0,
            Relation::Zero => value == 0,
            Relation::MultipleOf(m) => value % i128::from(m) == 0,
        }
    }
}

fn value(form: &Affine, values: &LaunchValues) -> Option<i128> {
    let symbol = |s: &Sym| match s {
        Sym::Var(v) => values.vars.get(v.index()).copied().flatten(),
        Sym::Dim(a, axis) => values.dims.get(a.index())?.get(*axis as usize).copied(),
        Sym::Def(_) => None,
    };
    form.terms()
        .iter()
        .try_fold(0i128, |sum, Term { syms, coef, .. }| {
            let product = syms
                .iter()
                .try_fold(*coef, |p, s| p.checked_mul(symbol(s)?.into()));
            sum.checked_add(product?)
        })
}

/// The Python condition under which no clause holds.
pub fn none_holds(clauses: &[Clause], names: &dyn Names) -> String {
    let mut left: Vec<&Clause> = clauses.iter().collect();
    let mut parts: Vec<(String, bool)> = vec![];
    while !left.is_empty() {
        let clause = left.remove(0);
        // `1 <= f <= u` and `1 <= -f <= u`.
        let mirror = clause.between().and_then(|(f, u)| {
            let at = left.iter().position(|other| {
                other
                    .between()
                    .is_some_and(|(g, v)| v == u && f.neg() == Some(g))
            })?;
            left.remove(at);
            let f = if f.terms().iter().all(|t| t.coef < 0) {
                f.neg()?
            } else {
                f
            };
            let beyond = u.add_const(1)?;
            Some(format!(
                "{0} == 0 or abs({0}) >= {1}",
                f.show(names),
                beyond.show(names)
            ))
        });
        let several = mirror.is_some() || clause.atoms.len() > 1;
        parts.push((mirror.unwrap_or_else(|| clause.denied(names)), several));
    }
    parts.dedup();
    let bracket = parts.len() > 1;
    let texts = parts
        .into_iter()
        .map(|(text, several)| match bracket && several {
            true => format!("({text})"),
            false => text,
        });
    texts.collect::<Vec<_>>().join(" and ")
}

impl Atom {
    fn denied(&self, names: &dyn Names) -> String {
        match self.relation {
            Relation::NonNegative => match self.form.neg().and_then(|f| f.add_const(-1)) {
                Some(f) => compare(&f, ">=", names),
                None => format!("not {}", compare(&self.form, ">=", names)),
            },
            Relation::Zero => compare(&self.form, "!=", names),
            Relation::MultipleOf(m) => {
                let minus = self
                    .form
                    .neg()
                    .filter(|_| self.form.terms().iter().all(|t| t.coef < 0));
                let text = minus.unwrap_or(self.form.clone()).show(names);
                match text.contains(' ') {
                    true => format!("({text}) % {m} != 0"),
                    false => format!("{text} % {m} != 0"),
                }
            }
        }
    }
}

/// The Python text of `form op 0`, written without minus signs.
fn compare(form: &Affine, op: &str, names: &dyn Names) -> String {
    let side = |sign: i128| {
        let mut terms = form
            .terms()
            .iter()
            .filter(|t| (t.coef > 0) == (sign > 0) && !t.syms.is_empty());
        terms.try_fold(Affine::default(), |sum, t| {
            sum.add(&Affine::product(t.coef * sign, &t.syms)?)
        })
    };
    let (Some(left), Some(right)) = (side(1), side(-1)) else {
        return format!("{} {op} 0", form.show(names));
    };
    let c = form.constant_term();
    let empty = |a: &Affine| a.terms().is_empty();
    let plus = |a: &Affine, c: i128| a.add_const(c).unwrap_or_default().show(names);
    let mirrored = if op == ">=" { "<=" } else { op };
    if empty(&left) {
        return format!("{} {mirrored} {c}", right.show(names));
    }
    if empty(&right) {
        return format!("{} {op} {}", left.show(names), -c);
    }
    if c == -1 && op == ">=" {
        return format!("{} > {}", left.show(names), right.show(names));
    }
    let (left, right) = if c > 0 {
        (plus(&left, c), right.show(names))
    } else {
        (left.show(names), plus(&right, -c))
    };
    format!("{left} {op} {right}")
}
