//! How a subscript moves with the counters around it, about: for prices, not for proofs.

use crate::affine::{Affine, Ix, Sym};
use crate::forms::{Form, Forms, Op};
use crate::launch::LaunchValues;
use nestwise_ir::{LoopId, Nest};
use serde::{Deserialize, Serialize};

/// Definitions that are followed from one to the next.
const DEPTH: u32 = 8;

/// A subscript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Axis {
    /// Linear in counters; the constant parts lie between the two.
    Linear(Vec<(LoopId, Factor)>, f64, f64),
    /// Anywhere in the axis, at another place in each iteration of that loop; if none, of the innermost one.
    Any(Option<LoopId>),
}

/// A constant times values of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Factor {
    pub times: f64,
    pub vars: Vec<u32>,
    pub dims: Vec<(u32, u32)>,
}

impl Factor {
    pub fn value(&self, values: &LaunchValues) -> f64 {
        if self.vars.is_empty() && self.dims.is_empty() {
            return self.times;
        }
        let var = |v: &u32| values.vars.get(*v as usize).copied().flatten().unwrap_or(1) as f64;
        let dim = |(a, k): &(u32, u32)| {
            values
                .dims
                .get(*a as usize)
                .and_then(|d| d.get(*k as usize))
                .copied()
                .unwrap_or(1) as f64
        };
        let vars: f64 = self.vars.iter().map(var).product();
        let dims: f64 = self.dims.iter().map(dim).product();
        self.times * vars * dims
    }

    fn is_like(&self, other: &Factor) -> bool {
        self.vars == other.vars && self.dims == other.dims
    }
}

impl Axis {
    /// That of a subscript.
    pub fn of(form: &Form, nest: &Nest, forms: &Forms) -> Axis {
        let reader = Reader { nest, forms };
        match reader.form(form, DEPTH) {
            Some(line) => Axis::Linear(line.by, line.constant, line.constant),
            None => Axis::Any(reader.changes(form)),
        }
    }
}

/// Linear in counters.
#[derive(Default)]
struct Line {
    by: Vec<(LoopId, Factor)>,
    constant: f64,
}

impl Line {
    fn scaled(mut self, times: f64) -> Line {
        self.by.iter_mut().for_each(|(_, f)| f.times *= times);
        self.constant *= times;
        self
    }

    fn add(&mut self, other: Line) {
        self.constant += other.constant;
        for (id, factor) in other.by {
            self.step(id, factor);
        }
    }

    fn step(&mut self, id: LoopId, factor: Factor) {
        let same = |(mine, f): &&mut (LoopId, Factor)| *mine == id && f.is_like(&factor);
        match self.by.iter_mut().find(same) {
            Some((_, found)) => found.times += factor.times,
            None => self.by.push((id, factor)),
        }
    }
}

struct Reader<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
}

impl Reader<'_> {
    /// None where it depends on anything but counters and what the call knows.
    fn form(&self, form: &Form, depth: u32) -> Option<Line> {
        match form {
            Form::At(_, form) => self.form(form, depth),
            Form::Aff(affine) => self.affine(affine, depth),
            Form::Op(op, operands) => self.operation(*op, operands, depth),
            Form::Range(_) | Form::Content(..) => None,
        }
    }

    /// A value that is the same in all iterations, or one of those that it may be.
    fn constant(&self, form: &Form) -> Option<f64> {
        match form {
            Form::At(_, form) => self.constant(form),
            Form::Op(Op::Join, operands) => self.constant(operands.first()?),
            _ => form.as_constant().map(|c| c as f64),
        }
    }

    /// The innermost loop in whose iterations a subscript changes, where that is known.
    fn changes(&self, form: &Form) -> Option<LoopId> {
        let known = |form: &Form| match form {
            Form::Aff(_) => true,
            Form::At(_, form) => matches!(**form, Form::Aff(_)),
            _ => false,
        };
        let all = match form {
            Form::Op(_, operands) => operands.iter().all(known),
            form => known(form),
        };
        let mut ixs = vec![];
        form.for_each_affine(&mut |a| ixs.extend(a.ixs()));
        self.forms.deepest(self.nest, &ixs).filter(|_| all)
    }

    fn operation(&self, op: Op, operands: &[Form], depth: u32) -> Option<Line> {
        let first = || self.form(operands.first()?, depth);
        let second = || operands.get(1)?.as_constant().map(|c| c as f64);
        match op {
            Op::Add | Op::Sub => {
                let mut sum = first()?;
                let other = self.form(operands.get(1)?, depth)?;
                sum.add(other.scaled(if op == Op::Sub { -1.0 } else { 1.0 }));
                Some(sum)
            }
            Op::Neg => Some(first()?.scaled(-1.0)),
            Op::Mul => Some(first()?.scaled(second()?)),
            Op::FloorDiv => Some(first()?.scaled(1.0 / second().filter(|c| *c != 0.0)?)),
            Op::Shl => Some(first()?.scaled(second()?.min(62.0).exp2())),
            Op::Shr => Some(first()?.scaled((-second()?).exp2())),
            // Clamped, wrapped around, one of two: most of the time it goes where that operand does which moves.
            _ => {
                let known = operands.iter().filter_map(|o| self.form(o, depth));
                known.into_iter().find(|line| !line.by.is_empty())
            }
        }
    }

    fn affine(&self, affine: &Affine, depth: u32) -> Option<Line> {
        let mut sum = Line::default();
        for term in affine.terms() {
            let mut factor = Factor {
                times: term.coef as f64,
                vars: Vec::new(),
                dims: Vec::new(),
            };
            let mut known = true;
            for sym in &term.syms {
                match sym {
                    Sym::Var(v) => factor.vars.push(v.0),
                    Sym::Dim(a, k) => factor.dims.push((a.0, *k)),
                    Sym::Def(id) => match self.constant(&self.forms.def(*id)?.value) {
                        Some(v) => factor.times *= v,
                        None => known = false,
                    },
                }
            }
            match term.ix {
                Some(Ix::Counter(id)) if known => sum.step(id, factor),
                Some(Ix::Def(id)) if known && depth > 0 => {
                    let value = &self.forms.def(id)?.value;
                    let line = self.form(value, depth - 1)?;
                    for (id, inner) in line.by {
                        sum.step(id, product(&factor, inner));
                    }
                    if term.syms.is_empty() {
                        sum.constant += line.constant * factor.times;
                    }
                }
                Some(_) => return None,
                // The same in all iterations; where, does not matter.
                None if factor.vars.is_empty() && factor.dims.is_empty() && known => {
                    sum.constant += factor.times;
                }
                None => {}
            }
        }
        Some(sum)
    }
}

fn product(a: &Factor, mut b: Factor) -> Factor {
    b.times *= a.times;
    b.vars.extend(&a.vars);
    b.dims.extend(&a.dims);
    b
}
