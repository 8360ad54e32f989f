//! Guards decided from launch values: the plan, compiled once per nest.
//!
//! What a guard needs is the extreme of a linear form over the iteration domain. Its counters are eliminated
//! innermost first, each by its own affine bounds (so triangular domains and `j - i - 1` are exact), by the
//! conditions around the access, and by the interval of whatever is not a counter. That is Fourier-Motzkin
//! elimination with one inequality per step, which suffices because each bound only speaks of earlier variables.

use std::collections::HashMap;

use nestwise_ir::{AccessId, ArrayId, Expr, ExprKind, LoopId, Nest, StmtKind, VarId};

use crate::guards::{GuardId, count};
use crate::structure::Classes;
use crate::values::affine::{Affine, Ix, Sym};
use crate::values::forms::{Bounds, Ctx, FactKind, Form, Forms, GuardForm, Op, Step};
use crate::values::interval::Interval;

/// The most symbols that one plan can hold; forms with others stay unproven.
pub(crate) const MAX_SYMS: usize = 64;
/// The most index variables that one plan can hold; forms with others stay unproven.
pub(crate) const MAX_IXS: usize = 64;
/// The most queries whose extremes a launch remembers; those of others are computed each time.
pub(crate) const MAX_QUERIES: usize = 128;

/// A polynomial over symbols.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Poly {
    pub konst: i64,
    pub terms: Vec<(i64, Vec<u16>)>,
}

/// A linear form: the constant part, and the coefficients by index variable, latest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Lin {
    pub konst: Poly,
    pub coefs: Vec<(u16, Poly)>,
}

/// How the interval of a value is computed from launch values.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Value {
    /// The extremes of a query, plus a constant part.
    Lin { query: u16, konst: Poly },
    /// A known interval.
    Range(Interval),
    /// An element of a slot, which is in this interval, and between the slot's least and greatest element if those are
    /// known.
    Content(ArrayId, Interval),
    /// An operation on the intervals of its operands.
    Op(Op, Vec<Value>),
}

/// How a symbol gets its value.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Source {
    Var(VarId),
    Dim(ArrayId, u32),
    Value(Value),
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sides {
    pub lower: Vec<Lin>,
    pub upper: Vec<Lin>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum IxPlan {
    Counter {
        step: StepPlan,
        up: Sides,
        down: Sides,
    },
    Def {
        value: Value,
        sides: Sides,
    },
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum StepPlan {
    Const(i64),
    Poly(Poly),
    Unknown,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct FactPlan {
    pub lin: Lin,
    pub nonzero: bool,
}

/// The extremes of a varying form in a context.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Query {
    pub lin: Lin,
    pub facts: Vec<u16>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Test {
    Index {
        array: ArrayId,
        axes: Vec<Value>,
        /// The axes (one bit each) whose subscript may be repeated in the code: it has no load and no binding.
        repeatable: u8,
    },
    AllIn(Vec<(Value, Interval)>),
    Divisor(Box<DivisorTest>),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct DivisorTest {
    pub dividend: Value,
    pub divisor: Value,
    pub min: i128,
    pub fits: Option<(Value, Interval)>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct GuardPlan {
    pub id: GuardId,
    /// The counters of the enclosing loops: if one of these never runs, the guard cannot fail.
    pub counters: Vec<u16>,
    pub facts: Vec<u16>,
    pub test: Test,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct LoopPlan {
    pub ix: Option<u16>,
    /// The counters of the enclosing loops.
    pub counters: Vec<u16>,
    /// The value of `stop - start`.
    pub span: Value,
    pub start: Value,
    pub stop: Value,
}

/// What remains guarded in a nest and can be decided from launch values.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct BoundsPlan {
    pub(crate) guards: usize,
    pub(crate) syms: Vec<Source>,
    pub(crate) ixs: Vec<IxPlan>,
    pub(crate) facts: Vec<FactPlan>,
    pub(crate) queries: Vec<Query>,
    pub(crate) tests: Vec<GuardPlan>,
    pub(crate) loops: Vec<Option<LoopPlan>>,
    /// By slot: the slots that may swap arrays with it, itself included, whose extents are taken to be one symbol.
    pub(crate) classes: Vec<Vec<ArrayId>>,
    pub(crate) top: LoopId,
    contents: Vec<ArrayId>,
}

impl BoundsPlan {
    /// Compiles the plan of a nest.
    pub fn new(nest: &Nest) -> BoundsPlan {
        BoundsPlan::with(nest, &crate::shared_forms(nest, &crate::ranges(nest)))
    }
    /// Compiles the plan of a nest from its [shared forms](crate::shared_forms).
    pub fn with(nest: &Nest, forms: &Forms) -> BoundsPlan {
        Compiler::new(nest, forms).compile()
    }
    /// Whether every guard that values may decide is in the set.
    pub fn decided(&self, proven: &crate::guards::GuardSet) -> bool {
        self.tests.iter().all(|t| proven.contains(t.id))
    }
    /// The number of guards of the nest: the size of a [`crate::guards::GuardSet`] for it.
    pub fn guards(&self) -> usize {
        self.guards
    }
    /// The slots that nothing in the nest writes and whose elements' values may decide guards: the elements are used in
    /// subscripts, or in the ends of ranges of subscripts.
    pub fn contents(&self) -> &[ArrayId] {
        &self.contents
    }
    /// The number of guards that values may decide.
    pub fn decidable(&self) -> usize {
        self.tests.len()
    }
}

/// By access: the axes (one bit each) whose subscript may be repeated in the code: one with a load or a binding may
/// not.
fn repeatable(nest: &Nest) -> HashMap<AccessId, u8> {
    let once = |e: &Expr| {
        let mut found = false;
        e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Bind { .. }));
        found
    };
    let bits = |index: &[Expr]| {
        let axes = index.iter().take(8).enumerate();
        axes.fold(0, |all, (axis, e)| all | u8::from(!once(e)) << axis)
    };
    let mut out = HashMap::new();
    nest.walk(&mut |s| {
        if let StmtKind::Store { access, index, .. } = &s.kind {
            out.insert(*access, bits(index));
        }
    });
    nest.walk_exprs(&mut |e| {
        if let ExprKind::Load { access, index, .. } = &e.kind {
            out.insert(*access, bits(index));
        }
    });
    out
}

pub(crate) struct Compiler<'a> {
    nest: &'a Nest,
    forms: &'a Forms,
    repeatable: HashMap<AccessId, u8>,
    sym_ids: HashMap<Sym, u16>,
    ix_ids: HashMap<Ix, u16>,
    query_ids: HashMap<(Lin, Ctx), u16>,
    fact_ids: HashMap<u32, Option<u16>>,
    pub(crate) plan: BoundsPlan,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(nest: &'a Nest, forms: &'a Forms) -> Self {
        let classes = Classes::of(nest);
        let members = |a| classes.members(a).collect();
        let plan = BoundsPlan {
            guards: count(nest),
            syms: vec![],
            ixs: vec![],
            facts: vec![],
            queries: vec![],
            tests: vec![],
            loops: vec![],
            classes: nest.arrays.ids().map(members).collect(),
            top: LoopId(0),
            contents: vec![],
        };
        Compiler {
            nest,
            forms,
            repeatable: repeatable(nest),
            sym_ids: HashMap::new(),
            ix_ids: HashMap::new(),
            query_ids: HashMap::new(),
            fact_ids: HashMap::new(),
            plan,
        }
    }

    fn compile(mut self) -> BoundsPlan {
        for id in self.nest.loops.ids() {
            let l = self.loop_plan(id);
            self.plan.loops.push(l);
        }
        let forms = self.forms;
        for g in &forms.guards {
            if let Some(test) = self.test(g.ctx, &g.form) {
                let counters = self.counters(g.home);
                let facts = self.facts(g.ctx);
                self.plan.tests.push(GuardPlan {
                    id: g.id,
                    counters,
                    facts,
                    test,
                });
            }
        }
        self.plan
    }

    fn test(&mut self, ctx: Ctx, form: &GuardForm) -> Option<Test> {
        Some(match form {
            GuardForm::Index(id) => {
                let acc = self.forms.access(*id)?;
                let axes = acc.index.iter().map(|f| self.value(f, acc.ctx)).collect();
                Test::Index {
                    array: acc.array,
                    axes,
                    repeatable: self.repeatable.get(id).copied().unwrap_or(0),
                }
            }
            GuardForm::Fits(f, range) => Test::AllIn(vec![(self.value(f, ctx), *range)]),
            GuardForm::AllIn(parts) => Test::AllIn(
                parts
                    .iter()
                    .map(|(f, r)| (self.value(f, ctx), *r))
                    .collect(),
            ),
            GuardForm::Divisor {
                dividend,
                divisor,
                min,
                fits,
            } => Test::Divisor(Box::new(DivisorTest {
                dividend: self.value(dividend, ctx),
                divisor: self.value(divisor, ctx),
                min: *min,
                fits: fits.as_ref().map(|(f, r)| (self.value(f, ctx), *r)),
            })),
        })
    }

    /// The counters of a loop and those around it.
    fn counters(&mut self, home: Option<LoopId>) -> Vec<u16> {
        let mut out = vec![];
        let mut at = home;
        while let Some(id) = at {
            let l = self.forms.loop_form(id);
            if l.is_some_and(|l| l.counted) {
                out.extend(self.ix(Ix::Counter(id)));
            }
            at = l.and_then(|l| l.parent);
        }
        out
    }

    pub(crate) fn loop_plan(&mut self, id: LoopId) -> Option<LoopPlan> {
        let l = self.forms.loop_form(id)?.clone();
        let counters = self.counters(l.parent);
        if !l.counted {
            return None;
        }
        let ix = self.ix(Ix::Counter(id));
        let span = match (l.start.affine(), l.stop.affine()) {
            (Some(a), Some(b)) => b.sub(a).map(Form::Aff),
            _ => None,
        };
        let span = span.unwrap_or_else(|| Form::Op(Op::Sub, vec![l.stop.clone(), l.start.clone()]));
        let span = self.value(&span, l.ctx);
        let (start, stop) = (self.value(&l.start, l.ctx), self.value(&l.stop, l.ctx));
        Some(LoopPlan {
            ix,
            counters,
            span,
            start,
            stop,
        })
    }

    pub(crate) fn value(&mut self, form: &Form, ctx: Ctx) -> Value {
        match form {
            Form::Aff(a) => self.linear(a, ctx).unwrap_or(Value::Range(Interval::ALL)),
            Form::Range(i) => Value::Range(*i),
            Form::Content(array, _, range) => {
                if !self.plan.contents.contains(array) {
                    self.plan.contents.push(*array);
                }
                Value::Content(*array, *range)
            }
            Form::At(inner, f) => self.value(f, *inner),
            Form::Op(op, args) => {
                let args = args.iter().map(|a| self.value(a, ctx)).collect();
                Value::Op(*op, args)
            }
        }
    }

    fn linear(&mut self, a: &Affine, ctx: Ctx) -> Option<Value> {
        let konst = self.poly(&a.invariant_part())?;
        let varying = a.varying_part();
        // Facts cannot change what does not vary.
        let ctx = if varying.terms().is_empty() {
            Ctx(0)
        } else {
            ctx
        };
        let lin = self.lin(&varying)?;
        let query = match self.query_ids.get(&(lin.clone(), ctx)) {
            Some(q) => *q,
            None => {
                let facts = self.facts(ctx);
                let q = u16::try_from(self.plan.queries.len()).ok()?;
                self.plan.queries.push(Query {
                    lin: lin.clone(),
                    facts,
                });
                self.query_ids.insert((lin, ctx), q);
                q
            }
        };
        Some(Value::Lin { query, konst })
    }

    fn poly(&mut self, a: &Affine) -> Option<Poly> {
        let mut out = Poly::default();
        for t in a.terms() {
            let coef = i64::try_from(t.coef).ok()?;
            if t.syms.is_empty() {
                out.konst = coef;
                continue;
            }
            let syms: Option<Vec<u16>> = t.syms.iter().map(|s| self.sym(*s)).collect();
            out.terms.push((coef, syms?));
        }
        Some(out)
    }

    pub(crate) fn lin(&mut self, a: &Affine) -> Option<Lin> {
        let konst = self.poly(&a.invariant_part())?;
        let mut coefs = vec![];
        for ix in a.ixs() {
            coefs.push((self.ix(ix)?, self.poly(&a.coef(ix))?));
        }
        coefs.sort_by_key(|(ix, _)| std::cmp::Reverse(*ix));
        Some(Lin { konst, coefs })
    }

    fn sym(&mut self, sym: Sym) -> Option<u16> {
        if let Some(id) = self.sym_ids.get(&sym) {
            return Some(*id);
        }
        let source = match sym {
            Sym::Var(v) => Source::Var(v),
            Sym::Dim(a, k) => Source::Dim(a, k),
            Sym::Def(d) => {
                let value = self.forms.def(d)?.value.clone();
                Source::Value(self.value(&value, Ctx(0)))
            }
        };
        if self.plan.syms.len() >= MAX_SYMS {
            return None;
        }
        self.plan.syms.push(source);
        let id = (self.plan.syms.len() - 1) as u16;
        self.sym_ids.insert(sym, id);
        Some(id)
    }

    /// The number of an index variable. Numbers are given after those of the variables that bound it, so a larger
    /// number is later.
    pub(crate) fn ix(&mut self, ix: Ix) -> Option<u16> {
        if let Some(id) = self.ix_ids.get(&ix) {
            return Some(*id);
        }
        let plan = match ix {
            Ix::Counter(l) => {
                let l = self.forms.loop_form(l)?.clone();
                let step = match &l.step {
                    Step::Const(v) => StepPlan::Const(*v),
                    Step::Sym(a) if a.is_invariant() => {
                        self.poly(a).map_or(StepPlan::Unknown, StepPlan::Poly)
                    }
                    Step::Sym(_) => StepPlan::Unknown,
                    Step::Unknown => StepPlan::Unknown,
                };
                let (up, down) = (self.sides(&l.up, l.seq), self.sides(&l.down, l.seq));
                IxPlan::Counter { step, up, down }
            }
            Ix::Def(d) => {
                let def = self.forms.def(d)?.clone();
                let value = self.value(&def.value, Ctx(0));
                IxPlan::Def {
                    value,
                    sides: self.sides(&def.bounds, def.seq),
                }
            }
        };
        // A context's facts may have numbered it meanwhile.
        if let Some(id) = self.ix_ids.get(&ix) {
            return Some(*id);
        }
        if self.plan.ixs.len() >= MAX_IXS {
            return None;
        }
        self.plan.ixs.push(plan);
        let id = (self.plan.ixs.len() - 1) as u16;
        self.ix_ids.insert(ix, id);
        Some(id)
    }

    fn sides(&mut self, b: &Bounds, seq: u32) -> Sides {
        let mut side = |list: &[Affine]| -> Vec<Lin> {
            let earlier = |a: &&Affine| a.ixs().iter().all(|ix| self.forms.seq(*ix) < seq);
            let kept: Vec<&Affine> = list.iter().filter(earlier).collect();
            kept.into_iter().filter_map(|a| self.lin(a)).collect()
        };
        Sides {
            lower: side(&b.lower),
            upper: side(&b.upper),
        }
    }

    fn facts(&mut self, ctx: Ctx) -> Vec<u16> {
        let mut out = vec![];
        let mut at = ctx;
        let forms = self.forms;
        while at.0 != 0 {
            let Some(fact) = forms.facts.get(at.0 as usize) else {
                break;
            };
            out.extend(self.fact(at.0));
            at = fact.parent;
        }
        out
    }

    pub(crate) fn fact(&mut self, index: u32) -> Option<u16> {
        if let Some(known) = self.fact_ids.get(&index) {
            return *known;
        }
        // Numbering a fact's variables may ask for facts again: the entry stops the recursion.
        self.fact_ids.insert(index, None);
        let forms = self.forms;
        let fact = forms.facts.get(index as usize)?;
        if !matches!(fact.kind, FactKind::NonNegative | FactKind::NonZero) {
            return None;
        }
        let lin = self.lin(&fact.form)?;
        self.plan.facts.push(FactPlan {
            lin,
            nonzero: fact.kind == FactKind::NonZero,
        });
        let id = u16::try_from(self.plan.facts.len() - 1).ok();
        self.fact_ids.insert(index, id);
        id
    }
}
