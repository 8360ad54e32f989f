//! Every access, bound and guard of a nest as forms over counters and symbols.
//!
//! One walk in program order with forward substitution: each int variable has, at each point, an [`Affine`]
//! value. A value that is not affine gets a name (a [`DefId`]); so does the merge of two values, and whatever a
//! loop changes. Conditions on the way become *facts* that hold wherever the walk stands under them.
//!
//! Forms are exact integers. That is right for whatever executes: an operation that would not be exact has
//! a guard that fails (which rolls the chunk back), so what is proven about executions in which no guard fails is enough.

use std::collections::HashMap;

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{AccessId, ArrayId, LoopId, VarId};

use crate::guards::GuardId;
use crate::values::affine::{Affine, DefId, Ix, Names, Sym};
use crate::values::interval::Interval;

/// A reference into the tree of facts; each node extends its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Ctx(pub u32);

/// What a fact says about its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// It is not negative.
    NonNegative,
    /// It is not zero.
    NonZero,
    /// One of the alternatives of [`Forms::choices`] with this number holds; the form is of no meaning.
    OneOf(u32),
    /// Something holds that no form says; the form is of no meaning.
    Opaque,
}

/// What a condition says, in forms.
pub type Facts = Vec<(Affine, FactKind)>;

/// A fact and the facts it is added to.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The form.
    pub form: Affine,
    /// What it says.
    pub kind: FactKind,
    /// The facts that hold around it; `Ctx(0)` is none.
    pub parent: Ctx,
}

/// An integer value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Affine.
    Aff(Affine),
    /// Some value of the interval.
    Range(Interval),
    /// The element that a load takes from a slot that nothing writes, whose storage holds the interval.
    Content(ArrayId, AccessId, Interval),
    /// An operation on forms.
    Op(Op, Vec<Form>),
    /// A form evaluated where more facts hold.
    At(Ctx, Box<Form>),
}

/// Operations of [`Form`], exact on integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Op {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, rounded down.
    FloorDiv,
    /// Remainder, of the sign of the divisor.
    Mod,
    /// Power.
    Pow,
    /// Shift to the left.
    Shl,
    /// Shift to the right, rounded down.
    Shr,
    /// Conjunction of bits.
    And,
    /// Disjunction of bits.
    Or,
    /// Exclusive disjunction of bits.
    Xor,
    /// The least operand.
    Min,
    /// The greatest operand.
    Max,
    /// Negation.
    Neg,
    /// Absolute value.
    Abs,
    /// One of the operands.
    Join,
    /// The operand, which is in the interval.
    Clamp(Interval),
}

/// One definition of a variable, or a non-affine value of an expression.
#[derive(Clone, Debug)]
pub struct DefInfo {
    /// The variable, for names.
    pub var: Option<VarId>,
    /// The innermost loop in whose iterations it changes.
    pub home: Option<LoopId>,
    /// When the walk met it; later ones may be expressed by earlier ones.
    pub seq: u32,
    /// What it may be.
    pub value: Form,
    /// Forms that enclose it.
    pub bounds: Bounds,
}

/// A loop's step.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A non-zero constant.
    Const(i64),
    /// A form that is the same in all iterations.
    Sym(Affine),
    /// Anything.
    Unknown,
}

/// Forms that enclose a value; any number on each side.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Never above it.
    pub lower: Vec<Affine>,
    /// Never below it.
    pub upper: Vec<Affine>,
}

/// A loop's bounds.
#[derive(Clone, Debug)]
pub struct LoopForm {
    /// The loop.
    pub id: LoopId,
    /// It is a `for`.
    pub counted: bool,
    /// The enclosing loop.
    pub parent: Option<LoopId>,
    /// When the walk met it.
    pub seq: u32,
    /// Facts at its entry.
    pub ctx: Ctx,
    /// First value of the counter.
    pub start: Form,
    /// Exclusive end.
    pub stop: Form,
    /// Step.
    pub step: Step,
    /// The counter's bounds inside the loop if it goes up.
    pub up: Bounds,
    /// The counter's bounds inside the loop if it goes down.
    pub down: Bounds,
    /// Whether it goes up, where that is known before values are.
    pub ascending: Option<bool>,
    /// The loop may be left early (break, return, a jump out).
    pub exits: bool,
}

/// An access.
#[derive(Clone, Debug)]
pub struct AccessForm {
    /// The access.
    pub id: AccessId,
    /// The slot.
    pub array: ArrayId,
    /// A store.
    pub store: bool,
    /// The guard is set.
    pub guarded: bool,
    /// Where no guard fails: in a given iteration of this many of its outer loops, it happens in every iteration of
    /// the others in which its facts hold, and those run to their ends. More than there are: nothing is known.
    pub given: u32,
    /// Position in the order of execution of one iteration.
    pub order: u32,
    /// Enclosing loops, outermost first.
    pub loops: Vec<LoopId>,
    /// Facts that hold there.
    pub ctx: Ctx,
    /// Subscripts.
    pub index: Vec<Form>,
}

/// What must hold for a guard never to fail.
#[derive(Clone, Debug)]
pub enum GuardForm {
    /// Each subscript is in its axis.
    Index(AccessId),
    /// The exact result is in the interval.
    Fits(Form, Interval),
    /// The divisor is not zero; the dividend's type must not hold `min / -1`.
    Divisor {
        /// What is divided.
        dividend: Form,
        /// What it is divided by.
        divisor: Form,
        /// The least value of the dividend's type.
        min: i128,
        /// A result, and the interval that has to hold it.
        fits: Option<(Form, Interval)>,
    },
    /// Each form is in its interval.
    AllIn(Vec<(Form, Interval)>),
}

/// A guard that may be decided from values.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// Which.
    pub id: GuardId,
    /// Facts that hold there.
    pub ctx: Ctx,
    /// The enclosing loop.
    pub home: Option<LoopId>,
    /// What to prove.
    pub form: GuardForm,
}

/// Everything the walk found.
#[derive(Clone)]
pub struct Forms {
    /// Definitions by [`DefId`].
    pub defs: Vec<DefInfo>,
    /// Loops by [`LoopId`].
    pub loops: Vec<Option<LoopForm>>,
    /// Accesses by [`AccessId`].
    pub accesses: Vec<Option<AccessForm>>,
    /// Set guards, in the order of the walk.
    pub guards: Vec<Guarded>,
    /// Variables that count along with a loop: their values are forms of its counter.
    pub counted: Vec<(LoopId, VarId)>,
    /// Facts; entry 0 is the empty one.
    pub facts: Vec<Fact>,
    /// Disjunctions, by [`FactKind::OneOf`]'s number: each a list of alternatives.
    pub choices: Vec<Vec<Facts>>,
    /// Forms use [`Sym::Dim`] of permuted slots as if the extents of all slots of a class were equal.
    pub assumes_equal_extents: bool,
    pub(crate) interned: HashMap<Form, DefId>,
}

/// What to take for the extents of slots that a `Rebind` permutes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extents {
    /// Unknown: nothing is assumed.
    Opaque,
    /// One symbol for the class: whoever uses the forms checks that the extents are equal.
    Shared,
}

impl LoopForm {
    /// The counter's bounds, where the direction is known before values are.
    pub fn bounds(&self) -> Option<&Bounds> {
        self.ascending
            .map(|up| if up { &self.up } else { &self.down })
    }
}

impl Forms {
    /// The definition behind an id.
    pub fn def(&self, id: DefId) -> Option<&DefInfo> {
        self.defs.get(id.index())
    }
    /// The bounds of a loop.
    pub fn loop_form(&self, id: LoopId) -> Option<&LoopForm> {
        self.loops.get(id.index()).and_then(|l| l.as_ref())
    }
    /// An access.
    pub fn access(&self, id: AccessId) -> Option<&AccessForm> {
        self.accesses.get(id.index()).and_then(|a| a.as_ref())
    }
    /// When an index variable came into being.
    pub fn seq(&self, ix: Ix) -> u32 {
        match ix {
            Ix::Counter(l) => self.loop_form(l).map_or(0, |l| l.seq),
            Ix::Def(d) => self.def(d).map_or(0, |d| d.seq),
        }
    }
    /// The loop in whose iterations an index variable changes.
    pub fn home(&self, ix: Ix) -> Option<LoopId> {
        match ix {
            Ix::Counter(l) => Some(l),
            Ix::Def(d) => self.def(d).and_then(|d| d.home),
        }
    }
    /// The innermost (latest) index variable of a form.
    pub fn innermost(&self, a: &Affine) -> Option<Ix> {
        a.ixs().into_iter().max_by_key(|ix| self.seq(*ix))
    }
    /// The facts that hold in a context, innermost first.
    pub fn facts(&self, ctx: Ctx) -> impl Iterator<Item = &Fact> + '_ {
        let mut at = ctx;
        std::iter::from_fn(move || {
            let fact = (at.0 != 0)
                .then(|| self.facts.get(at.0 as usize))
                .flatten()?;
            at = fact.parent;
            Some(fact)
        })
    }
    /// Whether a position is told by the value at entry of a variable that the nest assigns (`a[p]` with `p += 1`). A
    /// nest that goes on half-way has another value there than the one from which such a form counts.
    pub fn counts_from_entry(&self, nest: &Nest) -> bool {
        let assigned = crate::structure::assigned(std::slice::from_ref(&nest.top));
        let entry = |s: &Sym| matches!(s, Sym::Var(v) if assigned.binary_search(v).is_ok());
        let mut found = false;
        let mut used = vec![false; self.defs.len()];
        let mut todo = Vec::new();
        let mut look = |a: &Affine, todo: &mut Vec<DefId>| {
            found |= a.terms().iter().flat_map(|t| &t.syms).any(entry);
            todo.extend(a.ixs().into_iter().filter_map(|ix| match ix {
                Ix::Def(d) if !std::mem::replace(&mut used[d.index()], true) => Some(d),
                _ => None,
            }));
        };
        for a in self.accesses.iter().flatten() {
            let forms = a.index.iter();
            forms.for_each(|f| f.for_each_affine(&mut |a| look(a, &mut todo)));
        }
        for l in self.loops.iter().flatten() {
            for form in [&l.start, &l.stop] {
                form.for_each_affine(&mut |a| look(a, &mut todo));
            }
        }
        self.facts.iter().for_each(|f| look(&f.form, &mut todo));
        // What is assigned and tells no position may have any value at entry: the last `i` of a loop, for one.
        while let Some(def) = todo.pop() {
            let Some(def) = self.def(def) else { continue };
            def.value.for_each_affine(&mut |a| look(a, &mut todo));
            let bounds = def.bounds.lower.iter().chain(&def.bounds.upper);
            bounds.for_each(|a| look(a, &mut todo));
        }
        found
    }
    /// The deepest loop of a form's index variables, by nesting depth.
    pub fn deepest(&self, nest: &Nest, ixs: &[Ix]) -> Option<LoopId> {
        let depth = |l: &LoopId| nest.loops.get(*l).map_or(0, |d| d.depth);
        ixs.iter().filter_map(|ix| self.home(*ix)).max_by_key(depth)
    }
}

impl Form {
    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self {
            Form::Aff(a) => a.as_constant(),
            Form::Range(i) => i.as_point(),
            _ => None,
        }
    }
    /// The affine form, if it is one.
    pub fn affine(&self) -> Option<&Affine> {
        match self {
            Form::Aff(a) => Some(a),
            _ => None,
        }
    }
    /// Whether equal forms are equal values: no part stands for "some value".
    pub fn is_pure(&self) -> bool {
        match self {
            Form::Aff(_) => true,
            Form::Range(i) => i.as_point().is_some(),
            Form::Content(..) => false,
            Form::Op(Op::Join, _) => false,
            Form::Op(_, args) => args.iter().all(Form::is_pure),
            Form::At(_, f) => f.is_pure(),
        }
    }
    /// Calls `f` on every affine part.
    pub fn for_each_affine(&self, f: &mut impl FnMut(&Affine)) {
        match self {
            Form::Aff(a) => f(a),
            Form::Range(_) | Form::Content(..) => {}
            Form::Op(_, args) => args.iter().for_each(|a| a.for_each_affine(f)),
            Form::At(_, inner) => inner.for_each_affine(f),
        }
    }
}

/// Names of a nest's own variables.
pub struct NestNames<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// Its forms.
    pub forms: &'a Forms,
}

impl NestNames<'_> {
    fn var(&self, v: Option<VarId>) -> String {
        let name = v
            .and_then(|v| self.nest.vars.get(v))
            .map(|d| d.name.clone());
        name.filter(|n| !n.is_empty())
            .unwrap_or_else(|| "?".to_string())
    }
}

impl Names for NestNames<'_> {
    fn sym(&self, sym: Sym) -> String {
        match sym {
            Sym::Var(v) => self.var(Some(v)),
            Sym::Dim(a, k) => {
                let name = self.nest.arrays.get(a).map_or("?", |d| d.name.as_str());
                format!("{name}.shape[{k}]")
            }
            Sym::Def(d) => self.var(self.forms.def(d).and_then(|d| d.var)),
        }
    }
    fn ix(&self, ix: Ix) -> String {
        match ix {
            Ix::Counter(l) => self
                .nest
                .loops
                .get(l)
                .map_or("?".into(), |d| d.name.clone()),
            Ix::Def(d) => self.var(self.forms.def(d).and_then(|d| d.var)),
        }
    }
}
