//! The resolved nest: the surface nest with every name looked up and every call of a user's function inlined.
//!
//! What an access path holds is known from its capture, so here a name is a *local* (a value), a known function, or
//! gone. Each inlined call has locals of its own. `return` of an inlined function is an assignment of its result
//! locals, followed by [`Kind::Leave`] where it is not the last thing the function does.
//!
//! Every read and every assignment of a local has an id, for the analysis that groups them
//! ([`crate::lowering::types::live_ranges`]): what a local holds here and what it holds there may be of different
//! types.

use std::collections::BTreeMap;

use nestwise_ir::surface::{BinOp, CmpOp, LibraryWork, UnOp};
use nestwise_ir::{PathId, Scalar, Span, Work};

use crate::builtins::Known;

/// A local: a name of the site, or one of an inlined call.
pub(crate) type LocalId = usize;
/// One textual read.
pub(crate) type OccId = usize;
/// One textual assignment; [`Hir::entry`] numbers the values at entry behind them.
pub(crate) type DefId = usize;
/// A block that [`Kind::Leave`] leaves.
pub(crate) type BlockId = usize;

/// A local's declaration.
#[derive(Debug)]
pub(crate) struct Local {
    /// In the user's words.
    pub name: String,
    /// The access path it is written back to, if it is one of the site's that the site assigns.
    pub path: Option<PathId>,
    /// Index of its capture, if it has a value at entry.
    pub capture: Option<u32>,
    /// It holds an array and takes part in buffer swaps.
    pub swapped: bool,
    /// It is an element of the tuple that the access path holds: which one.
    pub element: Option<usize>,
    /// How many attributes its name goes through.
    pub attributes: u32,
    /// How CPython finds the name, if not as a local.
    pub lookup: Option<Work>,
}

/// A whole site.
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
    /// Groups of locals whose arrays change places.
    pub swap_groups: Vec<Vec<LocalId>>,
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

/// What a statement does.
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
    /// Control that gets here is CPython's.
    Raise,
    /// A call for its effect.
    Effect(Expr),
    /// `xs.append(value)`; the method is a capture.
    Append {
        method: u32,
        name: String,
        value: Expr,
    },
    /// Leaves an inlined function.
    Leave(BlockId),
}

/// What is assigned.
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

/// What an expression is.
#[derive(Debug)]
pub(crate) enum ExprKind {
    Int(i128),
    Float(f64),
    Imag(f64),
    Bool(bool),
    None,
    /// `...` as a subscript.
    Ellipsis,
    /// A type of arrays' elements, as an argument.
    Dtype(Scalar),
    Str(String),
    Bytes(Vec<u8>),
    Read(Read),
    Attr(Box<Expr>, String),
    Subscript(Box<Expr>, Vec<Expr>),
    /// An element of a list that the nest appends to.
    Grown(Grown, Box<Expr>),
    /// The number of its elements.
    GrownLen(Grown),
    /// A value that has to be an int, as `operator.index` gives it.
    Index(Box<Expr>),
    Call {
        known: Known,
        args: Vec<Expr>,
        kwargs: Vec<(String, Expr)>,
    },
    Inline(Box<Inline>),
    /// A list display.
    List(Vec<Expr>),
    ListComprehension(Box<ListComprehension>),
    Unary(UnOp, Box<Expr>),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Compare(Box<Expr>, Vec<(CmpOp, Expr)>),
    InText(Box<Expr>, String),
    /// `a is None`.
    IsNone(Box<Expr>),
    /// `a is b`.
    Is(Box<Expr>, Box<Expr>),
    /// An object of a list whose objects have a method of that name.
    Having(Box<Expr>, String),
    IfExp {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    Tuple(Vec<Expr>),
    /// `start:stop:step` as a subscript.
    Slice(Slice),
}

/// `start:stop:step`.
#[derive(Debug)]
pub(crate) struct Slice {
    pub start: Option<Box<Expr>>,
    pub stop: Option<Box<Expr>>,
    pub step: Option<Box<Expr>>,
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
    /// Parameters first, as assignments, then the function's statements.
    pub body: Vec<Stmt>,
    /// How many of those assignments there are.
    pub params: usize,
    /// The block that a `return` inside a loop leaves; `None`: there is none.
    pub block: Option<BlockId>,
    /// What it returns: one read, or those of a tuple's elements.
    pub results: Vec<Read>,
    /// Whether it returns a tuple.
    pub tuple: bool,
    /// The locals that start without a value at each call.
    pub fresh: Vec<LocalId>,
    /// It stands for the builtin `sum`.
    pub sum: bool,
    /// What CPython runs in its place.
    pub origin: Origin,
}

/// `[element for target in iter]`.
#[derive(Debug)]
pub(crate) struct ListComprehension {
    /// A loop, with the element as an expression that is evaluated, where tests are true.
    pub each: Stmt,
    /// The locals of its own.
    pub fresh: Vec<LocalId>,
}

/// What an inlined call is to CPython.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Origin {
    /// A function of the user's.
    Function,
    /// A builtin that takes a generator expression.
    Generator,
    /// A function of a library's.
    Library(LibraryWork),
}

/// Whether all of them have this truth; none: one before the first that has the other is not known.
fn all_are(truth: bool, items: &[Expr]) -> Option<bool> {
    for item in items {
        if item.truth()? != truth {
            return Some(false);
        }
    }
    Some(true)
}

impl Expr {
    /// The expressions directly inside (not the statements of an inlined call).
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Attr(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::InText(a, _)
            | ExprKind::IsNone(a)
            | ExprKind::Grown(_, a)
            | ExprKind::Having(a, _)
            | ExprKind::Index(a) => vec![a],
            ExprKind::Subscript(base, index) => [&**base].into_iter().chain(index).collect(),
            ExprKind::Call { args, kwargs, .. } => {
                args.iter().chain(kwargs.iter().map(|(_, v)| v)).collect()
            }
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

    /// Whether it is true, where that is known before its operands' types are.
    pub fn truth(&self) -> Option<bool> {
        match &self.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::None => Some(false),
            ExprKind::Unary(UnOp::Not, a) => a.truth().map(|value| !value),
            ExprKind::And(items) => all_are(true, items),
            ExprKind::Or(items) => all_are(false, items).map(|none| !none),
            _ => None,
        }
    }

    /// Whether, as a subscript, it keeps an axis or makes one: a slice, `...`, `None`.
    pub fn is_slice(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Slice(_) | ExprKind::Ellipsis | ExprKind::Dtype(_) | ExprKind::None
        )
    }

    /// Whether it is a number that was written as such.
    pub fn is_number(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Imag(_) | ExprKind::Bool(_)
        )
    }

    /// Whether evaluating it may change what was read before it: an inlined function may store into an array, or
    /// assign an attribute of its object.
    pub fn stores(&self) -> bool {
        self.changes(&[])
    }

    /// Whether evaluating it assigns a local that is none of `own`, or stores into an array.
    fn changes(&self, own: &[LocalId]) -> bool {
        match &self.kind {
            ExprKind::Inline(call) => {
                let own = [own, &call.fresh].concat();
                call.body.iter().any(|s| s.changes(&own))
            }
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
            Kind::Swap(_) | Kind::Append { .. } => true,
            _ => false,
        }
    }
}
