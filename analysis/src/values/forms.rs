//! Every access, bound and guard of a nest as forms over counters and symbols.
//!
//! One walk in program order with forward substitution makes them: each int variable has, at each point, an [`Affine`]
//! value. A value that is not affine gets a name (a [`DefId`]); so does the merge of two values, and whatever a loop
//! changes. Conditions on the way become *facts* that hold wherever the walk stands under them.
//!
//! Forms are exact integers. That is right for whatever executes: an operation that would not be exact has a guard that
//! fails (which rolls the chunk back), so what is proven about executions in which no guard fails is enough.

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
    /// The form is not negative.
    NonNegative,
    /// The form is not zero.
    NonZero,
    /// One of the alternatives of [`Forms::choices`] with this number holds; the form is not used.
    OneOf(u32),
    /// A condition holds that no form expresses; the form is not used.
    Opaque,
}

/// The facts that a condition says.
pub type Facts = Vec<(Affine, FactKind)>;

/// A fact, and the facts around it.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The form.
    pub form: Affine,
    /// What the fact says about its form.
    pub kind: FactKind,
    /// The facts that hold around it; `Ctx(0)` is none.
    pub parent: Ctx,
}

/// An integer value, as far as it is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// An affine value.
    Aff(Affine),
    /// An unknown value in the interval.
    Range(Interval),
    /// The element that a load takes from a slot that nothing writes, whose storage holds the interval.
    Content(ArrayId, AccessId, Interval),
    /// An operation on forms.
    Op(Op, Vec<Form>),
    /// A form evaluated where more facts hold.
    At(Ctx, Box<Form>),
}

/// The operations of [`Form`], exact on integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Op {
    /// The sum of two operands.
    Add,
    /// The difference of two operands.
    Sub,
    /// The product of two operands.
    Mul,
    /// The quotient of two operands, rounded down.
    FloorDiv,
    /// The remainder of a division, which has the sign of the divisor.
    Mod,
    /// The power of a base and an exponent.
    Pow,
    /// The first operand shifted to the left by the second.
    Shl,
    /// The first operand shifted to the right by the second, rounded down.
    Shr,
    /// The bitwise and of two operands.
    And,
    /// The bitwise or of two operands.
    Or,
    /// The bitwise exclusive or of two operands.
    Xor,
    /// The least operand.
    Min,
    /// The greatest operand.
    Max,
    /// The negated operand.
    Neg,
    /// The absolute value of the operand.
    Abs,
    /// One of the operands, it is not known which.
    Join,
    /// The operand, which is known to be in the interval.
    Clamp(Interval),
}

/// One definition of a variable, or a non-affine value of an expression.
#[derive(Clone, Debug)]
pub struct DefInfo {
    /// The variable, for names.
    pub var: Option<VarId>,
    /// The innermost loop in whose iterations the value changes; `None` if it changes in no loop.
    pub home: Option<LoopId>,
    /// The definition's number in the order of the walk; a later one may be expressed by earlier ones.
    pub seq: u32,
    /// The definition's value, as far as it is known.
    pub value: Form,
    /// Forms that enclose the value.
    pub bounds: Bounds,
}

/// A loop's step.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A non-zero constant.
    Const(i64),
    /// A form that is the same in all iterations.
    Sym(Affine),
    /// A step of which nothing is known.
    Unknown,
}

/// Forms that enclose a value, any number on each side.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Forms that are never above the value.
    pub lower: Vec<Affine>,
    /// Forms that are never below the value.
    pub upper: Vec<Affine>,
}

/// A loop with its bounds as forms.
#[derive(Clone, Debug)]
pub struct LoopForm {
    /// The loop.
    pub id: LoopId,
    /// Whether the loop is a `for`.
    pub counted: bool,
    /// The enclosing loop, if there is one.
    pub parent: Option<LoopId>,
    /// The loop's number in the order of the walk.
    pub seq: u32,
    /// The facts that hold at the loop's entry.
    pub ctx: Ctx,
    /// The first value of the counter.
    pub start: Form,
    /// The end of the counter's range, exclusive.
    pub stop: Form,
    /// The step of the counter.
    pub step: Step,
    /// The counter's bounds inside the loop if it goes up.
    pub up: Bounds,
    /// The counter's bounds inside the loop if it goes down.
    pub down: Bounds,
    /// Whether the counter goes up, where that is known before values are.
    pub ascending: Option<bool>,
    /// Whether the loop may be left early (break, return, a jump out).
    pub exits: bool,
}

/// An access with its subscripts as forms.
#[derive(Clone, Debug)]
pub struct AccessForm {
    /// The access.
    pub id: AccessId,
    /// The slot.
    pub array: ArrayId,
    /// Whether the access stores.
    pub store: bool,
    /// Whether the access's guard is set.
    pub guarded: bool,
    /// How many of the outer loops must be in a given iteration for it to be known when the access is executed, if no
    /// guard fails: in every iteration of the other loops in which its facts hold, and those loops run to their ends.
    /// If the number is greater than that of the loops, nothing is known.
    pub given: u32,
    /// The access's number in the order of execution of one iteration.
    pub order: u32,
    /// The enclosing loops, outermost first.
    pub loops: Vec<LoopId>,
    /// The facts that hold where the access is executed.
    pub ctx: Ctx,
    /// The subscripts, one for each axis.
    pub index: Vec<Form>,
}

/// What must hold for a guard never to fail.
#[derive(Clone, Debug)]
pub enum GuardForm {
    /// Each subscript of the access is within its axis.
    Index(AccessId),
    /// The exact result is in the interval.
    Fits(Form, Interval),
    /// The divisor is not zero, and the quotient is not that of the type's least value and -1.
    Divisor {
        /// The dividend.
        dividend: Form,
        /// The divisor.
        divisor: Form,
        /// The least value of the dividend's type.
        min: i128,
        /// A result that has to fit, too, and the interval that has to hold it.
        fits: Option<(Form, Interval)>,
    },
    /// Each form is in its interval.
    AllIn(Vec<(Form, Interval)>),
}

/// A guard that may be decided from values.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The guard.
    pub id: GuardId,
    /// The facts that hold where the guard is evaluated.
    pub ctx: Ctx,
    /// The enclosing loop, if there is one.
    pub home: Option<LoopId>,
    /// What has to be proved.
    pub form: GuardForm,
}

/// Everything the walk found.
#[derive(Clone)]
pub struct Forms {
    /// The definitions, by [`DefId`].
    pub defs: Vec<DefInfo>,
    /// The loops, by [`LoopId`].
    pub loops: Vec<Option<LoopForm>>,
    /// The accesses, by [`AccessId`].
    pub accesses: Vec<Option<AccessForm>>,
    /// The guards that are set, in the order of the walk.
    pub guards: Vec<Guarded>,
    /// The loops and the variables that count along with them: their values are forms of the loop's counter.
    pub counted: Vec<(LoopId, VarId)>,
    /// The facts; entry 0 is the empty one.
    pub facts: Vec<Fact>,
    /// The disjunctions, by [`FactKind::OneOf`]'s number: each a list of alternatives.
    pub choices: Vec<Vec<Facts>>,
    /// Whether forms use [`Sym::Dim`] of permuted slots as if the extents of all slots of a class were equal.
    pub assumes_equal_extents: bool,
    pub(crate) interned: HashMap<Form, DefId>,
}

/// How the extents of slots that a `Rebind` permutes are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extents {
    /// The extents are unknown: nothing is assumed.
    Opaque,
    /// The extents of all slots of a class are one symbol: the user of the forms checks that they are equal.
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
    /// The definition with an id.
    pub fn def(&self, id: DefId) -> Option<&DefInfo> {
        self.defs.get(id.index())
    }
    /// The form of a loop.
    pub fn loop_form(&self, id: LoopId) -> Option<&LoopForm> {
        self.loops.get(id.index()).and_then(|l| l.as_ref())
    }
    /// The form of an access.
    pub fn access(&self, id: AccessId) -> Option<&AccessForm> {
        self.accesses.get(id.index()).and_then(|a| a.as_ref())
    }
    /// The number of an index variable in the order of the walk.
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
    /// Whether a subscript is expressed by the value at entry of a variable that the nest assigns (`a[p]` with
    /// `p += 1`). A nest that goes on from the middle of its iterations has another value there than the one that such
    /// a form refers to.
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
    /// The most deeply nested loop of some index variables.
    pub fn deepest(&self, nest: &Nest, ixs: &[Ix]) -> Option<LoopId> {
        let depth = |l: &LoopId| nest.loops.get(*l).map_or(0, |d| d.depth);
        ixs.iter().filter_map(|ix| self.home(*ix)).max_by_key(depth)
    }
}

impl Form {
    /// The form's value, if it is a constant.
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

/// The names of a nest's own variables.
pub struct NestNames<'a> {
    /// The nest.
    pub nest: &'a Nest,
    /// The nest's forms.
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
