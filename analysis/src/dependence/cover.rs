//! Whether what an access touches was certainly written: exact array dataflow, as far as it takes to say that nothing
//! else flows in.
//!
//! An element that is read in an iteration of a loop was written before in the same iteration if some instance of a
//! write covers it. For each write the iteration that may have done so is found from equal subscripts; that it exists,
//! comes before and writes that very element are constraints on the read's own iteration. What is left of the reads is
//! where each write fails one of its constraints: writes cover by cases, and the integer solver says whether a case is
//! left (Feautrier, "Dataflow analysis of array and scalar references", 1991; Maydan, Amarasinghe and Lam, "Array
//! data-flow analysis and its use in array privatization", 1993). A badly chosen iteration fails its constraints, so
//! the choice needs no proof.

use nestwise_ir::LoopId;

use crate::dependence::model::{Dir, Tester, common_loops};
use crate::dependence::problem::{Problem, Side};
use crate::integer::{Answer, Fuel, Row, System};
use crate::values::affine::{Affine, Ix};
use crate::values::forms::{AccessForm, Ctx, FactKind, Form, Forms, Op, Step};

/// The most systems that are solved for one question.
const MAX_SYSTEMS: u32 = 200;

/// The ways in which a write does not cover: each a conjunction of `row >= 0`.
type Failures = Vec<Vec<Row>>;

impl Tester<'_> {
    /// Whether every element that `read` touches in an iteration of `id` was written before in that iteration, by one
    /// of `writes`. Subscripts are taken literally.
    pub fn written_before(&self, read: &AccessForm, writes: &[&AccessForm], id: LoopId) -> bool {
        let Some(level) = read.loops.iter().position(|l| *l == id) else {
            return false;
        };
        let mut p = Problem::new(self, &read.loops[..=level]);
        p.domain(read, Side::Src);
        let mut cases = vec![];
        for write in writes {
            let common = common_loops(read, write);
            for equal in level + 1..=common.len() {
                // Before: in an earlier iteration of the next common loop; where there is none, earlier in the text.
                let around = match common.get(equal) {
                    Some(l) => self.forms.loop_form(*l).map(|l| l.ctx),
                    None => (write.order < read.order).then_some(read.ctx),
                };
                let source =
                    around.map(|around| Source::new(self.forms, write, read, equal, around));
                cases.extend(source.and_then(|s| s.failures(&mut p)));
            }
        }
        self.nothing_left(p, cases)
    }

    /// Whether every element that `write` touches in an iteration of `id` is written in each later one too, by one of
    /// `writes`. Subscripts are taken literally.
    pub fn written_again(&self, write: &AccessForm, writes: &[&AccessForm], id: LoopId) -> bool {
        let level = write.loops.iter().position(|l| *l == id);
        let (Some(level), Some(form)) = (level, self.forms.loop_form(id)) else {
            return false;
        };
        let mut p = Problem::new(self, &write.loops[..level]);
        p.domain(write, Side::Src);
        p.direction(id, Dir::Lt);
        let mut cases = vec![];
        for again in writes {
            let mut source = Source::new(self.forms, again, write, level, form.ctx);
            source.later = true;
            cases.extend(source.failures(&mut p));
        }
        self.nothing_left(p, cases)
    }

    fn nothing_left(&self, mut p: Problem<'_>, mut cases: Vec<Failures>) -> bool {
        self.absent.iter().for_each(|clause| p.absent(clause));
        cases.sort_by_key(Vec::len);
        !left(&p.system, &cases, &mut MAX_SYSTEMS.clone())
    }
}

/// Whether a solution of the system may be left in which every case fails.
fn left(system: &System, cases: &[Failures], budget: &mut u32) -> bool {
    *budget = budget.saturating_sub(1);
    if *budget == 0 {
        return true;
    }
    if system.solve(&mut Fuel::default()) == Answer::No {
        return false;
    }
    let Some((first, rest)) = cases.split_first() else {
        return true;
    };
    first.iter().any(|failure| {
        let mut failed = system.clone();
        failure.iter().for_each(|row| failed.nonneg(row.clone()));
        left(&failed, rest, budget)
    })
}

/// A value in terms of the covered access's iteration and, where it has its own, of the write's.
#[derive(Clone, Default)]
struct Value {
    covered: Affine,
    own: Affine,
}

impl Value {
    fn of(covered: Affine) -> Value {
        Value {
            covered,
            own: Affine::default(),
        }
    }
    /// The value `self + by * other`, where `by` has no index variables.
    fn plus(&self, other: &Value, by: &Affine) -> Option<Value> {
        Some(Value {
            covered: self.covered.add(&other.covered.mul(by)?)?,
            own: self.own.add(&other.own.mul(by)?)?,
        })
    }
    fn minus(&self, other: &Value) -> Option<Value> {
        self.plus(other, &Affine::constant(-1))
    }
    fn divided(&self, by: i128) -> Option<Value> {
        Some(Value {
            covered: self.covered.divided(by)?,
            own: self.own.divided(by)?,
        })
    }
    fn is_zero(&self) -> bool {
        self.covered.terms().is_empty() && self.own.terms().is_empty()
    }
    fn row(&self, p: &mut Problem<'_>) -> Option<Row> {
        let parts = [
            (Side::Src, self.covered.clone()),
            (Side::Dst, self.own.clone()),
        ];
        p.row(&parts)
    }
}

/// The iteration of a write that may have written what the covered access touches.
struct Source<'a> {
    forms: &'a Forms,
    write: &'a AccessForm,
    covered: &'a AccessForm,
    /// The number of outer loops of which the write and the covered access are in the same iteration.
    equal: usize,
    /// Whether the write is in a given, later iteration of the next loop; otherwise it is in an earlier iteration of
    /// that loop, if the loop is around both.
    later: bool,
    /// Facts known to hold for the write because they do for the covered access.
    around: Ctx,
    /// The iterations chosen so far of the write's other loops.
    values: Vec<(LoopId, Value)>,
}

impl<'a> Source<'a> {
    fn new(
        forms: &'a Forms,
        write: &'a AccessForm,
        covered: &'a AccessForm,
        equal: usize,
        around: Ctx,
    ) -> Source<'a> {
        Source {
            forms,
            write,
            covered,
            equal,
            later: false,
            around,
            values: vec![],
        }
    }

    /// The loops whose iteration is to be chosen.
    fn open(&self) -> &'a [LoopId] {
        &self.write.loops[self.given()..]
    }
    fn given(&self) -> usize {
        self.equal + usize::from(self.later)
    }
    /// The loop in an earlier iteration of which the write is, if there is one.
    fn earlier(&self) -> Option<LoopId> {
        let next = self.write.loops.get(self.equal).filter(|_| !self.later)?;
        (self.covered.loops.get(self.equal) == Some(next)).then_some(*next)
    }

    /// The ways in which the write fails to cover; nothing if it cannot be told when it covers.
    fn failures(mut self, p: &mut Problem<'_>) -> Option<Failures> {
        if self.write.given as usize > self.given() {
            return None;
        }
        self.choose()?;
        let mut out = vec![];
        for (f, g) in self.subscripts()? {
            let difference = self.at(f)?.minus(&Value::of(g.clone()))?;
            if !difference.is_zero() {
                out.extend(negative(p, &difference)?);
                out.extend(negative(p, &Value::default().minus(&difference)?)?);
            }
        }
        for l in self.open() {
            self.outside(*l, p, &mut out)?;
        }
        if let Some(l) = self.earlier() {
            let step = constant_step(self.forms, l)?;
            let gap = Value::of(Affine::ix(Ix::Counter(l))).minus(&self.value(Ix::Counter(l))?)?;
            let along = Value::default().plus(&gap, &Affine::constant(step.signum().into()))?;
            let spare = along.minus(&Value::of(Affine::constant(step.abs().into())))?;
            out.extend(negative(p, &spare)?);
        }
        self.unmet_facts(p, &mut out)?;
        Some(out)
    }

    fn subscripts(&self) -> Option<Vec<(&'a Affine, &'a Affine)>> {
        let both = self.write.index.iter().zip(&self.covered.index);
        both.map(|(f, g)| f.affine().zip(g.affine())).collect()
    }

    /// An index variable of the write's in the chosen iteration.
    fn value(&self, ix: Ix) -> Option<Value> {
        let Some(home) = self.forms.home(ix) else {
            return Some(Value::of(Affine::ix(ix)));
        };
        let at = self.write.loops.iter().position(|l| *l == home)?;
        if at < self.equal {
            return Some(Value::of(Affine::ix(ix)));
        }
        if at < self.given() {
            return Some(Value {
                covered: Affine::default(),
                own: Affine::ix(ix),
            });
        }
        // What else changes in loops whose iteration is chosen is unknown.
        let known = self.values.iter().find(|(l, _)| ix == Ix::Counter(*l));
        known.map(|(_, value)| value.clone())
    }

    /// A form of the write's in the chosen iteration.
    fn at(&self, a: &Affine) -> Option<Value> {
        let mut sum = Value::of(a.invariant_part());
        for ix in a.ixs() {
            sum = sum.plus(&self.value(ix)?, &a.coef(ix))?;
        }
        Some(sum)
    }

    /// Chooses the iteration: by equal subscripts, else the one just before, else the first.
    fn choose(&mut self) -> Option<()> {
        let subscripts = self.subscripts()?;
        loop {
            let before = self.values.len();
            for (f, g) in &subscripts {
                self.solve(f, g);
            }
            if self.values.len() == before {
                break;
            }
        }
        for l in self.open() {
            if self.value(Ix::Counter(*l)).is_none() {
                let value = self.usual(*l)?;
                self.values.push((*l, value));
            }
        }
        Some(())
    }

    /// Takes from `f = g` what it says of iterations not yet chosen.
    fn solve(&mut self, f: &Affine, g: &Affine) -> Option<()> {
        let counters = self.open().iter().map(|l| (*l, Ix::Counter(*l)));
        let unknown: Vec<(LoopId, Ix)> = counters
            .filter(|(_, ix)| f.mentions(*ix) && self.value(*ix).is_none())
            .collect();
        if let [(l, ix)] = unknown[..]
            && let Some(coef) = f.const_coef(ix)
        {
            let rest = self.at(&f.without(ix))?;
            let value = Value::of(g.clone()).minus(&rest)?.divided(coef)?;
            self.values.push((l, value));
            return Some(());
        }
        // A flattened index: counters of one weight belong together.
        let mut others = g.ixs();
        for (l, ix) in unknown {
            let weight = f.coef(ix);
            if let Some(k) = others.iter().position(|other| g.coef(*other) == weight) {
                let value = Value::of(Affine::ix(others.remove(k)));
                self.values.push((l, value));
            }
        }
        Some(())
    }

    /// The iteration of a loop to try where subscripts say nothing.
    fn usual(&self, l: LoopId) -> Option<Value> {
        if self.earlier() == Some(l) {
            let step = constant_step(self.forms, l)?;
            let before = Affine::ix(Ix::Counter(l)).add_const(-i128::from(step))?;
            return Some(Value::of(before));
        }
        let form = self.forms.loop_form(l)?;
        let bounds = form.bounds()?;
        let first = if form.ascending? {
            &bounds.lower
        } else {
            &bounds.upper
        };
        self.at(first.first()?)
    }

    /// Adds the ways in which the chosen iteration is not an iteration of the loop.
    fn outside(&self, l: LoopId, p: &mut Problem<'_>, out: &mut Failures) -> Option<()> {
        let form = self.forms.loop_form(l).filter(|l| l.counted)?;
        let (up, step) = (form.ascending?, constant_step(self.forms, l)?);
        let (near, far) = if up {
            (Op::Max, Op::Min)
        } else {
            (Op::Min, Op::Max)
        };
        if !is_told(&form.start, near) || !is_told(&form.stop, far) {
            return None;
        }
        let here = self.value(Ix::Counter(l))?;
        let bounds = form.bounds()?;
        for lower in &bounds.lower {
            out.extend(negative(p, &here.minus(&self.at(lower)?)?)?);
        }
        for upper in &bounds.upper {
            out.extend(negative(p, &self.at(upper)?.minus(&here)?)?);
        }
        if step.abs() != 1 {
            let from_start = here.minus(&self.at(form.start.affine()?)?)?;
            out.extend(failing(p, |p| {
                let row = from_start.row(p)?;
                let (_, rest) = p.divide(&row, step.abs())?;
                Some(vec![above_zero(rest)?])
            })?);
        }
        Some(())
    }

    /// Adds the ways in which a condition around the write does not hold.
    fn unmet_facts(&self, p: &mut Problem<'_>, out: &mut Failures) -> Option<()> {
        let known: Vec<_> = self.forms.facts(self.around).collect();
        for fact in self.forms.facts(self.write.ctx) {
            if known.iter().any(|k| std::ptr::eq(*k, fact)) {
                continue;
            }
            let value = || self.at(&fact.form);
            out.extend(match fact.kind {
                FactKind::NonNegative => negative(p, &value()?)?,
                FactKind::NonZero => failing(p, |p| {
                    let zero = value()?.row(p)?;
                    Some(vec![zero.negated()?, zero])
                })?,
                FactKind::OneOf(_) | FactKind::Opaque => return None,
            });
        }
        Some(())
    }
}

/// The ways in which the failure that `rows` requires can occur, with what is known of the values in it: that holds
/// only where the write computes them.
fn failing(
    p: &mut Problem<'_>,
    rows: impl FnOnce(&mut Problem<'_>) -> Option<Vec<Row>>,
) -> Option<Failures> {
    let (rows, computed) = p.suppose(rows)?;
    Some(p.conjunction(computed, &[rows]))
}

/// The failure that a value is negative.
fn negative(p: &mut Problem<'_>, value: &Value) -> Option<Failures> {
    failing(p, |p| Some(vec![value.row(p)?.complement()?]))
}

/// Whether the affine bounds taken from this end of a loop's range say all of it: operands of a minimum or maximum that
/// are not affine give no bound.
fn is_told(end: &Form, op: Op) -> bool {
    match end {
        Form::At(_, inner) => is_told(inner, op),
        Form::Op(Op::Clamp(_), args) => args.iter().all(|a| is_told(a, op)),
        Form::Op(of, args) if *of == op => args.iter().all(|a| a.affine().is_some()),
        // Affine, or named as a whole.
        _ => true,
    }
}

fn constant_step(forms: &Forms, l: LoopId) -> Option<i64> {
    match forms.loop_form(l)?.step {
        Step::Const(step) => Some(step),
        _ => None,
    }
}

/// The row that is not negative exactly where `row >= 1`.
fn above_zero(mut row: Row) -> Option<Row> {
    row.add_const(-1)?;
    Some(row)
}
