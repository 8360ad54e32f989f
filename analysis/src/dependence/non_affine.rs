//! Values that are not affine, as far as linear rows can say what they are: quotients, remainders, the less and the
//! greater of two, one of several under conditions.

use crate::dependence::problem::{DEPTH, Problem, Side};
use crate::integer::Row;
use crate::values::forms::{Facts, Form, Op};

impl Problem<'_> {
    /// Requires that the unknown `u` is the value of a form, as far as linear rows can say it.
    pub(crate) fn define(&mut self, u: u32, value: &Form, side: Side) {
        let mut row = Row::default();
        let made = self.form(value, side, DEPTH);
        if let (Some(value), Some(())) = (made, row.add_term(u, 1)) {
            self.equal_rows(&row, &value);
        } else {
            self.exact = false;
        }
    }

    /// The value of a form as a row, with unknowns for what is not affine in it.
    pub(crate) fn form(&mut self, f: &Form, side: Side, depth: u32) -> Option<Row> {
        let depth = depth.checked_sub(1)?;
        if let Some(c) = f.as_constant() {
            return Some(Row::constant(i64::try_from(c).ok()?));
        }
        match f {
            Form::Aff(a) => self.row(&[(side, a.clone())]),
            Form::At(_, f) => self.form(f, side, depth),
            Form::Op(Op::Clamp(_), args) => self.form(args.first()?, side, depth),
            Form::Op(Op::Join, args) => self.join(args, side, depth),
            Form::Op(op, args) => {
                let rows: Option<Vec<Row>> =
                    args.iter().map(|a| self.form(a, side, depth)).collect();
                self.operation(*op, &rows?)
            }
            Form::Content(_, access, range) => self.element(*access, *range, side),
            Form::Range(_) => None,
        }
    }

    fn operation(&mut self, op: Op, args: &[Row]) -> Option<Row> {
        let constant = |r: &Row| r.terms().is_empty().then(|| r.konst());
        match (op, args) {
            (Op::Add, [a, b]) => a.combine(1, b, 1),
            (Op::Sub, [a, b]) => a.combine(1, b, -1),
            (Op::Neg, [a]) => a.negated(),
            (Op::Mul, [a, b]) => match (constant(a), constant(b)) {
                (Some(k), _) => b.combine(k, &Row::default(), 0),
                (_, Some(k)) => a.combine(k, &Row::default(), 0),
                _ => None,
            },
            (Op::Min | Op::Max, [a, b]) => self.extreme(op == Op::Max, a.clone(), b.clone()),
            (Op::Abs, [a]) => self.extreme(true, a.clone(), a.negated()?),
            (Op::FloorDiv, [a, b]) => Some(self.divide(a, constant(b)?)?.0),
            (Op::Mod, [a, b]) => Some(self.divide(a, constant(b)?)?.1),
            (Op::Shr, [a, b]) => {
                let by = constant(b).filter(|by| (0..32).contains(by))?;
                Some(self.divide(a, 1 << by)?.0)
            }
            _ => None,
        }
    }

    /// The quotient, rounded down, and the remainder of a division by a positive constant.
    pub(crate) fn divide(&mut self, a: &Row, by: i64) -> Option<(Row, Row)> {
        if by <= 0 {
            return None;
        }
        let mut quotient = Row::default();
        quotient.add_term(self.new_unknown(), 1)?;
        let rest = a.combine(1, &quotient, -by)?;
        let mut above = rest.negated()?;
        above.add_const(by - 1)?;
        self.require(rest.clone());
        self.require(above);
        Some((quotient, rest))
    }

    /// The maximum (`greater`) or the minimum of two values.
    fn extreme(&mut self, greater: bool, a: Row, b: Row) -> Option<Row> {
        let mut value = Row::default();
        value.add_term(self.new_unknown(), 1)?;
        let sign = if greater { 1 } else { -1 };
        let mut options = vec![];
        for part in [a, b] {
            let over = value.combine(sign, &part, -sign)?;
            options.push(vec![over.negated()?]);
            self.require(over);
        }
        self.require_one_of(options);
        Some(value)
    }

    /// A value that is one of several, each where its facts hold.
    fn join(&mut self, args: &[Form], side: Side, depth: u32) -> Option<Row> {
        let mut value = Row::default();
        value.add_term(self.new_unknown(), 1)?;
        let forms = self.forms;
        let mut options = vec![];
        for arg in args {
            let (ctx, form) = match arg {
                Form::At(ctx, form) => (Some(*ctx), &**form),
                form => (None, form),
            };
            let facts = ctx.into_iter().flat_map(|ctx| forms.facts(ctx));
            let facts: Facts = facts.map(|f| (f.form.clone(), f.kind)).collect();
            let (ways, computed) = self.suppose(|p| {
                let difference = p.form(form, side, depth)?.combine(1, &value, -1)?;
                let is_it = vec![difference.negated()?, difference];
                let facts = p.ways_of_all(&facts, side);
                Some(p.conjunction(facts, &[is_it]))
            })?;
            options.extend(self.conjunction(ways, &computed));
        }
        self.require_one_of(options);
        Some(value)
    }
}
