//! How a subscript moves with the counters around it, approximately: for prices, not for proofs.

use nestwise_ir::{AccessId, LoopId, Nest};
use serde::{Deserialize, Serialize};

use crate::guards::launch_values::LaunchValues;
use crate::values::affine::{Affine, DefId, Ix, Sym};
use crate::values::forms::{Form, Forms, Op};

/// How many definitions are followed in turn.
const DEPTH: u32 = 8;

/// A subscript as a linear function of counters, plus jumps that data decide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Axis {
    /// The coefficients, by the loop of the counter.
    pub by: Vec<(LoopId, Factor)>,
    /// The least constant part among the accesses that share the axis; `most` is the greatest.
    pub least: f64,
    pub most: f64,
    pub jumps: Jumps,
}

/// When a subscript jumps to an element that only data determine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) enum Jumps {
    #[default]
    Never,
    /// The subscript jumps in each iteration of that loop.
    With(LoopId),
    /// The subscript jumps in each iteration of the innermost loop.
    Always,
}

impl Jumps {
    /// Whether the subscript jumps in each iteration of that loop.
    pub fn with(self, id: LoopId) -> bool {
        self == Jumps::With(id) || self == Jumps::Always
    }
}

/// A constant times values of variables and extents of the call.
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
    /// The distance in elements between the accesses that share the axis.
    pub fn width(&self) -> f64 {
        self.most - self.least
    }

    /// Whether a loop's counter moves the subscript.
    pub fn moves(&self, id: LoopId) -> bool {
        self.by.iter().any(|b| b.0 == id)
    }

    /// The axis of a subscript.
    pub fn of(form: &Form, nest: &Nest, forms: &Forms) -> Axis {
        let reader = Reader { nest, forms };
        let line = reader.form(form, DEPTH);
        Axis {
            by: line.by,
            least: line.constant,
            most: line.constant,
            jumps: line.jumps,
        }
    }
}

/// A value as a linear function of counters, plus jumps.
#[derive(Default)]
struct Line {
    by: Vec<(LoopId, Factor)>,
    constant: f64,
    jumps: Jumps,
}

impl Line {
    fn jumping(jumps: Jumps) -> Line {
        Line {
            jumps,
            ..Line::default()
        }
    }

    /// Whether the value is the same in all iterations.
    fn is_fixed(&self) -> bool {
        self.by.is_empty() && self.jumps == Jumps::Never
    }

    fn scaled(mut self, times: f64) -> Line {
        self.by.iter_mut().for_each(|(_, f)| f.times *= times);
        self.constant *= times;
        self
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
    fn form(&self, form: &Form, depth: u32) -> Line {
        match form {
            Form::At(_, form) => self.form(form, depth),
            Form::Aff(affine) => self.affine(affine, depth),
            Form::Op(op, operands) => self.operation(*op, operands, depth),
            Form::Content(_, access, _) => Line::jumping(self.loaded(*access, depth)),
            Form::Range(_) => Line::jumping(Jumps::Always),
        }
    }

    /// The constant that a form is, or one of the constants that it may be.
    fn constant(&self, form: &Form) -> Option<f64> {
        match form {
            Form::At(_, form) => self.constant(form),
            Form::Op(Op::Join, operands) => self.constant(operands.first()?),
            _ => form.as_constant().map(|c| c as f64),
        }
    }

    /// When a loaded value jumps: in the innermost loop in which a subscript of the load moves or jumps.
    fn loaded(&self, access: AccessId, depth: u32) -> Jumps {
        let known = self.forms.accesses.get(access.index());
        let Some(access) = known.and_then(Option::as_ref).filter(|_| depth > 0) else {
            return Jumps::Always;
        };
        let subscripts = access.index.iter().map(|f| self.form(f, depth - 1));
        subscripts.fold(Jumps::Never, |all, line| {
            let moved = line.by.iter().map(|b| Jumps::With(b.0));
            moved.fold(self.either(all, line.jumps), |all, one| {
                self.either(all, one)
            })
        })
    }

    /// The jumps of a value that depends on two others: those of the inner loop, if both jump.
    fn either(&self, a: Jumps, b: Jumps) -> Jumps {
        let depth = |id: LoopId| self.nest.loops.get(id).map_or(0, |l| l.depth);
        match (a, b) {
            (Jumps::Never, other) | (other, Jumps::Never) => other,
            (Jumps::Always, _) | (_, Jumps::Always) => Jumps::Always,
            (Jumps::With(x), Jumps::With(y)) => {
                Jumps::With(if depth(x) > depth(y) { x } else { y })
            }
        }
    }

    fn add(&self, sum: &mut Line, other: Line) {
        sum.constant += other.constant;
        sum.jumps = self.either(sum.jumps, other.jumps);
        for (id, factor) in other.by {
            sum.step(id, factor);
        }
    }

    fn operation(&self, op: Op, operands: &[Form], depth: u32) -> Line {
        let Some(first) = operands.first() else {
            return Line::jumping(Jumps::Always);
        };
        let line = self.form(first, depth);
        let second = operands.get(1);
        let by = second.and_then(|f| self.constant(f));
        match (op, by) {
            (Op::Add | Op::Sub, _) => {
                let mut sum = line;
                if let Some(second) = second {
                    let sign = if op == Op::Sub { -1.0 } else { 1.0 };
                    let other = self.form(second, depth).scaled(sign);
                    self.add(&mut sum, other);
                }
                sum
            }
            (Op::Neg, _) => line.scaled(-1.0),
            (Op::Mul, Some(c)) => line.scaled(c),
            (Op::FloorDiv, Some(c)) if c != 0.0 => line.scaled(1.0 / c),
            (Op::Shl, Some(c)) => line.scaled(c.min(62.0).exp2()),
            (Op::Shr, Some(c)) => line.scaled((-c).exp2()),
            // By something that is the same throughout: how far from one to the next nobody knows, but on and on.
            (Op::Mul | Op::FloorDiv, _) => {
                let other = second.map(|f| self.form(f, depth)).unwrap_or_default();
                match (line.is_fixed(), other.is_fixed()) {
                    (_, true) => line,
                    (true, false) if op == Op::Mul => other,
                    _ => Line::jumping(Jumps::Always),
                }
            }
            (Op::Shl | Op::Shr | Op::Pow, _) => Line::jumping(Jumps::Always),
            // Clamped, wrapped around, one of two: most of the time it goes where that operand does which moves.
            _ => {
                if !line.by.is_empty() {
                    return line;
                }
                let mut rest = operands.iter().skip(1).map(|o| self.form(o, depth));
                rest.find(|l| !l.by.is_empty()).unwrap_or(line)
            }
        }
    }

    fn affine(&self, affine: &Affine, depth: u32) -> Line {
        let mut sum = Line::default();
        for term in affine.terms() {
            let mut factor = Factor {
                times: term.coef as f64,
                vars: Vec::new(),
                dims: Vec::new(),
            };
            for sym in &term.syms {
                match sym {
                    Sym::Var(v) => factor.vars.push(v.0),
                    Sym::Dim(a, k) => factor.dims.push((a.0, *k)),
                    // The value is the same in all iterations, but not known.
                    Sym::Def(id) => {
                        let value = self.forms.def(*id).and_then(|d| self.constant(&d.value));
                        factor.times *= value.unwrap_or(1.0);
                    }
                }
            }
            match term.ix {
                Some(Ix::Counter(id)) => sum.step(id, factor),
                Some(Ix::Def(id)) => {
                    let line = self.definition(id, depth);
                    sum.jumps = self.either(sum.jumps, line.jumps);
                    if term.syms.is_empty() {
                        sum.constant += line.constant * factor.times;
                    }
                    for (id, inner) in line.by {
                        sum.step(id, product(&factor, inner));
                    }
                }
                // A term that is the same in all iterations; how large it is does not matter.
                None if term.syms.is_empty() => sum.constant += factor.times,
                None => {}
            }
        }
        sum
    }

    /// The line of a definition. A definition that is not known jumps in each iteration of its loop.
    fn definition(&self, id: DefId, depth: u32) -> Line {
        let Some(def) = self.forms.def(id).filter(|_| depth > 0) else {
            return Line::jumping(Jumps::Always);
        };
        let mut line = self.form(&def.value, depth - 1);
        if line.jumps == Jumps::Always
            && let Some(home) = def.home
        {
            line.jumps = Jumps::With(home);
        }
        line
    }
}

fn product(a: &Factor, mut b: Factor) -> Factor {
    b.times *= a.times;
    b.vars.extend(&a.vars);
    b.dims.extend(&a.dims);
    b
}
