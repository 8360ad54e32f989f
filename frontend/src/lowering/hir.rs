//! The resolved nest: the surface nest with every name looked up and every call of a user's function inlined.
//!
//! What an access path holds is known from its capture, so here a name is a *local* (a value) or a known function, or
//! has been resolved to what it stands for. Each inlined call has locals of its own. `return` of an inlined function is
//! an assignment of its result locals, followed by [`Kind::Leave`] where it is not the last thing the function does.
//!
//! Every read and every assignment of a local has an id, for the analysis that groups them
//! ([`crate::lowering::types::live_ranges`]): a local may hold values of different types at different points.

use std::collections::{BTreeMap, BTreeSet};

use nestwise_ir::surface::{BinOp, CmpOp, LibraryWork, UnOp};
use nestwise_ir::{Effect, Kept, PathId, Scalar, Span, Ty, Work};

use crate::builtins::Known;

/// A local: a name of the site, or one of an inlined call.
pub(crate) type LocalId = usize;
/// The id of one read in the text.
pub(crate) type OccId = usize;
/// The id of one assignment in the text; [`Hir::entry`] numbers the values at entry behind them.
pub(crate) type DefId = usize;
/// The id of a block that [`Kind::Leave`] leaves.
pub(crate) type BlockId = usize;

/// A local's declaration.
#[derive(Debug)]
pub(crate) struct Local {
    /// The name, as the user knows it.
    pub name: String,
    /// The access path that the local is written back to, if the site assigns it.
    pub path: Option<PathId>,
    /// The index of the local's capture, if it has a value at entry.
    pub capture: Option<u32>,
    /// The local holds an array and takes part in buffer swaps.
    pub swapped: bool,
    /// The index of the local in the tuple that the access path holds, if it holds one.
    pub element: Option<usize>,
    /// The number of attributes in the access path.
    pub attributes: u32,
    /// The work by which CPython looks the name up, if it is not a local.
    pub lookup: Option<Work>,
    /// The most elements of the list that the local holds, if that is known.
    pub room: Option<u32>,
}

/// A resolved site.
#[derive(Debug, Default)]
pub(crate) struct Hir {
    pub locals: Vec<Local>,
    /// The top loop, alone (its `else` clause is left to CPython).
    pub top: Vec<Stmt>,
    pub occs: usize,
    /// The local of each textual assignment.
    pub defs: Vec<LocalId>,
    pub blocks: usize,
    /// The lists that the nest appends to and reads, by the capture of the method.
    pub grown: BTreeMap<u32, Grown>,
    /// The groups of locals whose arrays change places.
    pub swap_groups: Vec<Vec<LocalId>>,
    /// The texts in the program that are not one character.
    pub texts: BTreeSet<String>,
    /// The site's names that hold objects that the nest makes, with the objects' forms.
    pub objects: BTreeMap<PathId, ObjectForm>,
    /// The most frames of functions that call themselves that CPython would have open in the nest.
    pub frames: u32,
}

/// The form of a value that the nest takes apart: what its parts are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// A value that is no object of the nest's.
    Value,
    /// An object that the nest makes.
    Object(ObjectForm),
}

/// The form of an object that the nest makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ObjectForm {
    /// The index of the class's capture.
    pub class: u32,
    /// The attributes, in the order in which they are set.
    pub fields: Vec<(String, Form)>,
}

impl ObjectForm {
    /// The number of values that are no objects, in the object and in those that are its attributes.
    pub fn leaves(&self) -> usize {
        self.fields.iter().map(|(_, form)| form.leaves()).sum()
    }

    /// Whether it is of this class, or holds an object that is.
    pub fn holds(&self, class: u32) -> bool {
        let inner = |(_, form): &(String, Form)| matches!(form, Form::Object(f) if f.holds(class));
        self.class == class || self.fields.iter().any(inner)
    }

    /// Whether another form has the same attributes, in whatever order.
    pub fn is_like(&self, other: &ObjectForm) -> bool {
        let same = |(name, form): &(String, Form)| match (form, other.field(name)) {
            (Form::Value, Some(Form::Value)) => true,
            (Form::Object(own), Some(Form::Object(other))) => own.is_like(other),
            _ => false,
        };
        self.class == other.class
            && self.fields.len() == other.fields.len()
            && self.fields.iter().all(same)
    }

    /// Calls `f` on the names of its attributes, and of those of objects among them.
    pub fn each_field(&self, f: &mut impl FnMut(&str)) {
        for (name, form) in &self.fields {
            f(name);
            if let Form::Object(inner) = form {
                inner.each_field(f);
            }
        }
    }

    fn field(&self, name: &str) -> Option<&Form> {
        let mut fields = self.fields.iter();
        fields.find(|(own, _)| own == name).map(|(_, form)| form)
    }

    /// What there is for each of the values in an object of a form like this one, in this one's order.
    pub fn in_order<T: Clone>(&self, other: &ObjectForm, values: &[T]) -> Vec<T> {
        let own = |(name, form): &(String, Form)| {
            let before = other.fields.iter().take_while(|(own, _)| own != name);
            let start: usize = before.map(|(_, form)| form.leaves()).sum();
            let values = values.get(start..start + form.leaves()).unwrap_or(&[]);
            match (form, other.field(name)) {
                (Form::Object(form), Some(Form::Object(other))) => form.in_order(other, values),
                _ => values.to_vec(),
            }
        };
        self.fields.iter().flat_map(own).collect()
    }
}

impl Form {
    /// The number of values that are no objects.
    pub fn leaves(&self) -> usize {
        match self {
            Form::Value => 1,
            Form::Object(object) => object.leaves(),
        }
    }
}

/// An object that the nest makes, as an expression.
#[derive(Debug)]
pub(crate) struct Made {
    /// What the object is made of.
    pub form: ObjectForm,
    /// A tuple of the values of the attributes, and of the attributes of objects among them.
    pub value: Expr,
    /// The locals that hold those values, if a name or an attribute holds the object.
    pub place: Option<Vec<LocalId>>,
    /// Whether nothing else holds the object.
    pub fresh: bool,
}

impl Hir {
    /// The definition that stands for the local's value at entry.
    pub fn entry(&self, local: LocalId) -> DefId {
        self.defs.len() + local
    }
    /// The number of definitions, entries included.
    pub fn all_defs(&self) -> usize {
        self.defs.len() + self.locals.len()
    }
}

/// A read of a local.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub local: LocalId,
    pub occ: OccId,
}

/// An assignment of a local.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Def {
    pub local: LocalId,
    pub def: DefId,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt {
    pub kind: Kind,
    pub span: Span,
}

/// The kind of a statement.
#[derive(Debug)]
pub(crate) enum Kind {
    Assign {
        targets: Vec<Target>,
        value: Expr,
    },
    Aug {
        target: Target,
        read: Option<Read>,
        op: BinOp,
        value: Expr,
    },
    /// Simultaneous assignment of arrays to locals: each first gets what the second held.
    Swap(Vec<(LocalId, LocalId)>),
    If {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    For {
        target: Target,
        iter: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    While {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    /// Leaves the nest to CPython where control gets here.
    Raise,
    /// A call for its effect.
    Effect(Expr),
    /// The call `xs.append(value)`, whose method is a capture.
    Append {
        method: u32,
        name: String,
        value: Expr,
    },
    /// The call `xs.append(value)` for a list that the nest makes.
    AppendToMade {
        list: Read,
        value: Expr,
    },
    /// Leaves an inlined function.
    Leave(BlockId),
    /// Gives locals values that nobody reads, so that they never seem to keep an earlier one.
    Clear(Vec<Def>),
    /// Empties the lists on which calls keep values.
    BeginStacks(Vec<Def>),
    /// Keeps the value of a local.
    Keep(Stacks, Read),
    /// Brings the value of a local back that was kept last; the read is of what it may have held then.
    BringBack(Stacks, Def, Read),
}

/// The lists on which calls keep the values of a local.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stacks {
    /// The list of the values.
    pub values: Read,
    /// The list of whether they are NumPy's, where that is not always the same.
    pub types: Read,
}

/// A target of an assignment.
#[derive(Debug)]
pub(crate) enum Target {
    Local(Def),
    Subscript(Expr, Vec<Expr>),
    /// An attribute of an object in a list.
    Attr(Expr, String),
    Tuple(Vec<Target>),
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// The kind of an expression.
#[derive(Debug)]
pub(crate) enum ExprKind {
    Int(i128),
    Float(f64),
    Imag(f64),
    Bool(bool),
    None,
    /// The ellipsis `...` as a subscript.
    Ellipsis,
    /// A type of arrays' elements, as an argument of a call.
    Dtype(Scalar),
    Str(String),
    Bytes(Vec<u8>),
    Read(Read),
    Attr(Box<Expr>, String),
    Subscript(Box<Expr>, Vec<Expr>),
    /// An element of a list that the nest appends to.
    Grown(Grown, Box<Expr>),
    /// The number of elements of a list that the nest appends to.
    GrownLen(Grown),
    /// The index of an object in the list with this capture.
    IndexOf(Box<Expr>, u32),
    /// A value that has to be an int, as `operator.index` gives it.
    Index(Box<Expr>),
    Call {
        known: Known,
        args: Vec<Expr>,
        kwargs: Vec<(String, Expr)>,
    },
    Inline(Box<Inline>),
    /// A call of the function that it stands in; none is left once the function is resolved.
    SelfCall(Box<SelfCall>),
    /// The last element of a list that the nest makes, which is removed.
    Pop(Read),
    /// A list display.
    List(Vec<Expr>),
    ListComprehension(Box<ListComprehension>),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Compare(Box<Expr>, Vec<(CmpOp, Expr)>),
    InText(Box<Expr>, String),
    /// The test `a is None`.
    IsNone(Box<Expr>),
    /// The test `a is b`.
    Is(Box<Expr>, Box<Expr>),
    /// An object of a list, whose objects must have a method of this name.
    Having(Box<Expr>, String),
    /// An object that the nest makes.
    Made(Box<Made>),
    /// True: the local that is read has to have a value.
    HasValue(Box<Expr>),
    /// True: the value has to be a number; an int or float of Python's where the flag says so.
    IsNumber(Box<Expr>, bool),
    IfExp {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    Tuple(Vec<Expr>),
    /// A call of CPython.
    Host(Box<HostCall>),
    /// The slice `start:stop:step` as a subscript.
    Slice(Slice),
}

/// The slice `start:stop:step`.
#[derive(Debug)]
pub(crate) struct Slice {
    pub start: Option<Box<Expr>>,
    pub stop: Option<Box<Expr>>,
    pub step: Option<Box<Expr>>,
}

/// A fragment that CPython evaluates.
#[derive(Debug)]
pub(crate) struct HostCall {
    /// The text, over the names of the parameters.
    pub text: String,
    /// The parameters that hold objects.
    pub objects: Vec<HostObject>,
    /// The parameters that hold natively computed scalars, by name.
    pub values: Vec<(String, Expr)>,
    /// What the fragment does besides giving a value.
    pub effect: Effect,
    /// The type of the fragment's value; `None` where nobody uses it.
    pub ty: Option<Ty>,
    /// The point of the site at which the fragment stands.
    pub point: Option<u32>,
    /// Whether the fragment looks into what containers hold.
    pub looks_inside: bool,
    /// Whether the fragment draws random numbers.
    pub draws: bool,
    /// The time that CPython takes, in calls of a quick builtin.
    pub work: f64,
    /// The operation on a container that the fragment is.
    pub kept: Option<Kept>,
}

/// An object that a fragment uses.
#[derive(Clone, Debug)]
pub(crate) struct HostObject {
    /// The name of the parameter.
    pub name: String,
    /// The index of the object's capture.
    pub capture: u32,
    /// Whether the fragment changes the object.
    pub changed: bool,
}

/// A list that the nest appends to and reads, by captures: `append`, and the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grown {
    pub method: u32,
    pub list: u32,
}

/// An inlined call.
#[derive(Debug)]
pub(crate) struct Inline {
    /// The assignments of the parameters, then the function's statements.
    pub body: Vec<Stmt>,
    /// The number of assignments of parameters.
    pub params: usize,
    /// The block that a `return` inside a loop leaves; `None` where there is none.
    pub block: Option<BlockId>,
    /// The reads of the result: one, or one for each element of a tuple.
    pub results: Vec<Read>,
    /// Whether the call returns a tuple.
    pub tuple: bool,
    /// The locals that start without a value at each call.
    pub fresh: Vec<LocalId>,
    /// Whether the call stands for the builtin `sum`.
    pub sum: bool,
    /// The origin of the call: what CPython runs in its place.
    pub origin: Origin,
}

/// A call of a function in its own body, or in one that is inlined into it.
#[derive(Debug)]
pub(crate) struct SelfCall {
    /// The evaluation of the arguments, into locals of the call's own.
    pub before: Vec<Stmt>,
    /// The parameters, each with the local that holds its argument.
    pub moves: Vec<(LocalId, LocalId)>,
    /// The locals that hold what the function returns.
    pub results: Vec<LocalId>,
    /// Whether the call returns a tuple.
    pub tuple: bool,
}

/// A list comprehension `[element for target in iter]`.
#[derive(Debug)]
pub(crate) struct ListComprehension {
    /// The loop, in which the element is an expression that is evaluated, where the tests are true.
    pub each: Stmt,
    /// The locals of the comprehension's own.
    pub fresh: Vec<LocalId>,
}

/// The origin of an inlined call: what it is to CPython.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    /// A function of the user's.
    Function,
    /// A builtin that takes a generator expression.
    Generator,
    /// No call: statements that leave the value of an expression in locals.
    Nothing,
    /// A function of a library.
    Library(LibraryWork),
}

/// Whether all operands have this truth; `None` where that is not known before the types are.
fn all_are(truth: bool, items: &[Expr]) -> Option<bool> {
    for item in items {
        if item.truth()? != truth {
            return Some(false);
        }
    }
    Some(true)
}

impl Expr {
    /// The expressions directly inside this one (not the statements of an inlined call).
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Attr(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::InText(a, _)
            | ExprKind::IsNone(a)
            | ExprKind::Grown(_, a)
            | ExprKind::Having(a, _)
            | ExprKind::IsNumber(a, _)
            | ExprKind::HasValue(a)
            | ExprKind::IndexOf(a, _)
            | ExprKind::Index(a) => vec![a],
            ExprKind::Subscript(base, index) => [&**base].into_iter().chain(index).collect(),
            ExprKind::Call { args, kwargs, .. } => {
                args.iter().chain(kwargs.iter().map(|(_, v)| v)).collect()
            }
            ExprKind::Host(call) => call.values.iter().map(|(_, e)| e).collect(),
            ExprKind::Made(made) => vec![&made.value],
            ExprKind::Binary(_, a, b) | ExprKind::Is(a, b) => vec![a, b],
            ExprKind::And(items)
            | ExprKind::Or(items)
            | ExprKind::Tuple(items)
            | ExprKind::List(items) => items.iter().collect(),
            ExprKind::Compare(first, rest) => [&**first]
                .into_iter()
                .chain(rest.iter().map(|(_, e)| e))
                .collect(),
            ExprKind::IfExp { test, body, orelse } => vec![test, body, orelse],
            ExprKind::Slice(Slice { start, stop, step }) => {
                let parts = [start, stop, step].into_iter().flatten();
                parts.map(|e| &**e).collect()
            }
            _ => vec![],
        }
    }

    /// The truth of the expression, where it is known before its operands' types are.
    pub fn truth(&self) -> Option<bool> {
        match &self.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::None => Some(false),
            ExprKind::IsNumber(..) | ExprKind::HasValue(_) => Some(true),
            ExprKind::Unary(UnOp::Not, a) => a.truth().map(|value| !value),
            ExprKind::And(items) => all_are(true, items),
            ExprKind::Or(items) => all_are(false, items).map(|none| !none),
            _ => None,
        }
    }

    /// Whether the expression, as a subscript, keeps an axis or makes one: a slice, `...`, `None`.
    pub fn is_slice(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Slice(_) | ExprKind::Ellipsis | ExprKind::Dtype(_) | ExprKind::None
        )
    }

    /// Whether the expression is an object that the nest makes.
    pub fn is_made(&self) -> bool {
        matches!(self.kind, ExprKind::Made(_))
    }

    /// Whether the expression is a number that was written as such.
    pub fn is_number(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imag(_) | ExprKind::Bool(_)
        )
    }

    /// Whether evaluating the expression may change what was read before it: an inlined function may store into an
    /// array, or assign an attribute of its object.
    pub fn stores(&self) -> bool {
        self.changes(&[])
    }

    /// Whether evaluating the expression assigns a local that is none of `own`, or stores into an array.
    fn changes(&self, own: &[LocalId]) -> bool {
        match &self.kind {
            ExprKind::Inline(call) => {
                let own = [own, &call.fresh].concat();
                call.body.iter().any(|s| s.changes(&own))
            }
            ExprKind::SelfCall(_) | ExprKind::Pop(_) => true,
            ExprKind::Host(call) if call.effect != Effect::Pure => true,
            ExprKind::ListComprehension(all) => all.each.changes(&[own, &all.fresh].concat()),
            _ => self.children().into_iter().any(|e| e.changes(own)),
        }
    }
}

impl Target {
    fn changes(&self, own: &[LocalId]) -> bool {
        match self {
            Target::Local(def) => !own.contains(&def.local),
            Target::Subscript(..) | Target::Attr(..) => true,
            Target::Tuple(items) => items.iter().any(|t| t.changes(own)),
        }
    }
}

impl Stmt {
    fn changes(&self, own: &[LocalId]) -> bool {
        let any = |block: &[Stmt]| block.iter().any(|s| s.changes(own));
        let value = |e: &Expr| e.changes(own);
        match &self.kind {
            Kind::Assign { targets, value: v } => {
                targets.iter().any(|t| t.changes(own)) || value(v)
            }
            Kind::Aug {
                target, value: v, ..
            } => target.changes(own) || value(v),
            Kind::If { test, body, orelse } => value(test) || any(body) || any(orelse),
            Kind::For {
                iter,
                body,
                orelse,
                target,
            } => target.changes(own) || value(iter) || any(body) || any(orelse),
            Kind::While { test, body, orelse } => value(test) || any(body) || any(orelse),
            Kind::Return(Some(v)) | Kind::Effect(v) => value(v),
            Kind::Swap(_)
            | Kind::Append { .. }
            | Kind::AppendToMade { .. }
            | Kind::Clear(_)
            | Kind::BeginStacks(_)
            | Kind::Keep(..)
            | Kind::BringBack(..) => true,
            _ => false,
        }
    }
}
