//! The untyped nest: Python's loop constructs with names resolved to access paths.
//!
//! An **access path** is something the hook can capture by value and, if the nest assigns it, write back: a name, or
//! an attribute chain on a name (`self.n`, `np.sqrt`, `math.pi`). Everything a site mentions by name is a
//! access path, the functions and modules too; what an access path holds is known only when the hook runs.

use crate::model::ids::{Arena, PathId};
use crate::model::ops;
use crate::model::span::Span;

/// The comparison operators, which the typed nest has, too (`is` and `in` are not among them).
pub use crate::model::ops::CmpOp;

/// One outermost loop statement, or an expression with a loop in it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Site {
    /// Everything the site mentions by name; parents before children.
    pub paths: Arena<PathId, AccessPath>,
    /// The `for` or `while` statement.
    pub top: Stmt,
    /// Whether the site holds a `return`.
    pub returns: bool,
    /// Where the site may change something that is not its own: the positions at which results are recorded.
    pub points: Vec<Point>,
    /// The parts that CPython computes before the site begins, in the order in which it does.
    pub computed: Vec<Computed>,
    /// Whether the site is an expression: `top` then has one turn, which leaves the value in the only access path that
    /// it assigns.
    pub value: bool,
}

/// A part of a site's text whose results are recorded while the site runs natively, so that the part is evaluated once:
/// when CPython runs an iteration over again, it takes the recorded results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Point {
    /// The position at which the part begins.
    pub start: Span,
    /// The position behind its end.
    pub end: Span,
    /// Whether the part is a statement, not an expression.
    pub statement: bool,
}

/// A part of the iterable of a site's own loop that CPython computes once, before the site begins.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Computed {
    /// The access path of its value, in [`Scope::Computed`].
    pub path: PathId,
    /// Where it stands in the iterable: the argument of the call there, and so on; empty for the iterable itself.
    pub place: Vec<u32>,
}

impl Site {
    /// Whether the top loop may be left before its last iteration, by a `break` or a `return`.
    pub fn may_be_left(&self) -> bool {
        match &self.top.kind {
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => leave(body, true),
            _ => false,
        }
    }
}

/// Whether statements contain a `return`, or a `break` of the loop that they are the body of.
fn leave(body: &[Stmt], breaks: bool) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Break => breaks,
        StmtKind::Return(_) => true,
        StmtKind::If { body, orelse, .. } => leave(body, breaks) || leave(orelse, breaks),
        StmtKind::For { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
            leave(body, false) || leave(orelse, breaks)
        }
        _ => false,
    })
}

/// A user's function, for inlining. Its access paths are resolved in the function's own scope.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Function {
    /// The name that the function was defined under.
    pub name: String,
    /// The file that the function stands in.
    pub file: String,
    /// The parameters in order, those by position first, all [`Scope::Local`].
    pub params: Vec<Param>,
    /// The local that holds the tuple of all further arguments by position, if the function takes any (`*args`).
    pub rest: Option<PathId>,
    /// Everything the function mentions by name; globals are captured from its own module.
    pub paths: Arena<PathId, AccessPath>,
    /// The statements of the function.
    pub body: Vec<Stmt>,
    /// The work of a library's function, if this one stands for it (which keeps none of its arguments): what CPython
    /// does in a call.
    pub library: Option<LibraryWork>,
}

impl Function {
    /// The locals that calls bind: the parameters, and that of all further arguments.
    pub fn bound(&self) -> impl Iterator<Item = PathId> {
        self.params.iter().map(|param| param.path).chain(self.rest)
    }
}

/// What CPython does in a call of a library's function.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct LibraryWork {
    /// The number of calls of Python functions.
    pub calls: u32,
    /// The time of the rest, in calls of a quick C function such as `math.sqrt`.
    pub quick: f64,
}

/// A parameter of a [`Function`].
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Param {
    /// The local that the parameter binds.
    pub path: PathId,
    /// Whether an argument may be given by position.
    pub positional: bool,
    /// Whether an argument may be given by name.
    pub keyword: bool,
    /// The default value, if it is a literal constant; a function with any other default is refused.
    pub default: Option<Expr>,
}

/// How an access path's root is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Scope {
    /// A local, cell or free name of the enclosing function: passed to the hook, assigned back by it.
    Local,
    /// A global, then a builtin: the hook looks it up in the frame's dictionaries.
    Global,
    /// An attribute of the parent access path.
    Attr,
    /// The value of a part of the site's text, which CPython computes once, before the site begins: passed to the hook.
    /// The name is that text.
    Computed,
}

/// Something the hook can capture.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct AccessPath {
    /// The access path this is an attribute of.
    pub parent: Option<PathId>,
    /// The name or the attribute's name.
    pub name: String,
    /// How the access path's root is looked up.
    pub scope: Scope,
    /// Whether its value at entry may be needed: some path of control reads it before the site assigns it, or may leave
    /// it unassigned.
    pub captured: bool,
    /// Whether the site assigns it.
    pub written: bool,
    /// The item of the parent that it is, if it is not an attribute.
    pub item: Option<Item>,
}

/// The item of its parent that an access path is.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Item {
    /// An item of a tuple of known length.
    OfTuple {
        /// The index of the item, from 0.
        which: u32,
        /// The length of the tuple.
        of: u32,
    },
    /// What a dictionary, list or tuple holds under a key that is the same throughout.
    Under(Key),
    /// The keys of the dictionary that the parent is, or is a view of the items of, in a list.
    Keys,
    /// The values of that dictionary, in a list.
    Values,
}

/// A key that is the same throughout a nest.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Key {
    /// A text in the program.
    Text(String),
    /// An int in the program.
    Int(i64),
    /// What another access path holds.
    Path(PathId),
}

impl Site {
    /// The access path's dotted name, as the user wrote it.
    pub fn dotted_name(&self, path: PathId) -> String {
        dotted_name(&self.paths, path)
    }
}

/// The dotted name of an access path in `paths`.
pub fn dotted_name(paths: &Arena<PathId, AccessPath>, path: PathId) -> String {
    let p = &paths[path];
    match p.parent {
        Some(parent) if p.item.is_some() => format!("{}{}", dotted_name(paths, parent), p.name),
        Some(parent) => format!("{}.{}", dotted_name(paths, parent), p.name),
        None => p.name.clone(),
    }
}

/// A statement with its position.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The position in the source.
    pub span: Span,
}

/// The supported statements.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum StmtKind {
    /// `t1 = t2 = value`, targets left to right.
    Assign {
        /// What is assigned, left to right.
        targets: Vec<Target>,
        /// The value.
        value: Expr,
    },
    /// `target op= value`.
    AugAssign {
        /// What is assigned.
        target: Target,
        /// The operation.
        op: BinOp,
        /// The value.
        value: Expr,
    },
    /// `if test: body else: orelse`; `elif` nests.
    If {
        /// The condition.
        test: Expr,
        /// The statements, or the chosen operand.
        body: Vec<Stmt>,
        /// The `else` clause, or the other operand.
        orelse: Vec<Stmt>,
    },
    /// `for target in iter: body else: orelse`.
    For {
        /// What is assigned.
        target: Target,
        /// What is looped over.
        iter: Expr,
        /// The statements, or the chosen operand.
        body: Vec<Stmt>,
        /// The `else` clause, or the other operand.
        orelse: Vec<Stmt>,
    },
    /// `while test: body else: orelse`.
    While {
        /// The condition.
        test: Expr,
        /// The statements, or the chosen operand.
        body: Vec<Stmt>,
        /// The `else` clause, or the other operand.
        orelse: Vec<Stmt>,
    },
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return value`.
    Return(Option<Expr>),
    /// A call whose value is not used: `update(A, i)`.
    Call(Expr),
    /// `raise ...`: control that gets here leaves the nest by a guard failure.
    Raise,
    /// `pass`, and a literal standing alone.
    Pass,
}

/// What an assignment assigns.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Target {
    /// A name, or an attribute of an invariant access path (`self.total`).
    Path(PathId),
    /// `base[index, ...]`.
    Subscript(Expr, Vec<Expr>),
    /// An attribute of a value that is not an access path, or not the same throughout: `bodies[i].x`.
    Attr(Expr, String),
    /// `a, b`.
    Tuple(Vec<Target>),
}

/// An expression with its position.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The position in the source.
    pub span: Span,
}

impl Expr {
    /// Whether, as a subscript, the expression keeps an axis or makes one: a slice, `...`, `None`.
    pub fn is_slice(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Slice { .. } | ExprKind::Ellipsis | ExprKind::None
        )
    }

    /// Whether, as an argument, the expression stands for any number of arguments.
    pub fn is_star(&self) -> bool {
        matches!(self.kind, ExprKind::Star(_))
    }
}

/// The supported expressions.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum ExprKind {
    /// An int literal that fits `i128`.
    Int(i128),
    /// A float literal.
    Float(f64),
    /// An imaginary literal.
    Imag(f64),
    /// `True`, `False`.
    Bool(bool),
    /// `None` (only as a return value, an argument or a subscript).
    None,
    /// `...`, in subscripts only.
    Ellipsis,
    /// A string literal (only to compare with characters, and as the base of a subscript).
    Str(String),
    /// A bytes literal.
    Bytes(Vec<u8>),
    /// An access path.
    Path(PathId),
    /// An attribute of a value that is not an access path (`A[i].shape`, `z[k].real`).
    Attr(Box<Expr>, String),
    /// `base[i, j]`; an index may be a [`ExprKind::Slice`], `...` or `None`.
    Subscript(Box<Expr>, Vec<Expr>),
    /// `start:stop:step`, in subscripts only.
    Slice {
        /// The first position, if it is given.
        start: Option<Box<Expr>>,
        /// The end, exclusive, if it is given.
        stop: Option<Box<Expr>>,
        /// The distance, if it is given.
        step: Option<Box<Expr>>,
    },
    /// A call; which function it is, is known when types are.
    Call {
        /// What is called.
        func: Box<Expr>,
        /// The arguments by position, in order.
        args: Vec<Expr>,
        /// The arguments by name, in order.
        kwargs: Vec<(String, Expr)>,
    },
    /// What a call of a builtin comes to, as long as the access path holds the builtin of its name.
    Checked {
        /// The access path.
        builtin: Box<Expr>,
        /// The value of the call.
        value: Box<Expr>,
    },
    /// A unary operator applied to an operand.
    Unary(UnOp, Box<Expr>),
    /// A binary operator applied to two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `a and b and c`.
    And(Vec<Expr>),
    /// `a or b or c`.
    Or(Vec<Expr>),
    /// `a < b <= c`: each operand evaluated once, left to right, short-circuiting.
    Compare(Box<Expr>, Vec<(CmpOp, Expr)>),
    /// `c in "text"` for one character `c`.
    InText(Box<Expr>, String),
    /// `a is None`.
    IsNone(Box<Expr>),
    /// `a is b`, of which neither is written `None`.
    Is(Box<Expr>, Box<Expr>),
    /// Tuples of one item of each of the iterables, side by side, as `zip` gives them.
    SideBySide(Vec<Expr>),
    /// `item in container`, other than what [`ExprKind::InText`] and comparisons say.
    Contains {
        /// The item that is looked for.
        item: Box<Expr>,
        /// Where it is looked for.
        container: Box<Expr>,
        /// Whether the test is `not in`.
        negated: bool,
    },
    /// A display of a dictionary: keys and values.
    Dict(Vec<(Expr, Expr)>),
    /// A display of a set.
    Set(Vec<Expr>),
    /// An f-string, as the source has it, with the names in it and what they stand for.
    FString(String, Vec<(String, Expr)>),
    /// `body if test else orelse`.
    IfExp {
        /// The condition.
        test: Box<Expr>,
        /// The value if the condition holds.
        body: Box<Expr>,
        /// The value if the condition does not hold.
        orelse: Box<Expr>,
    },
    /// `a @ b`.
    MatMul(Box<Expr>, Box<Expr>),
    /// `*value`, among the arguments of a call only.
    Star(Box<Expr>),
    /// A tuple display.
    Tuple(Vec<Expr>),
    /// A list display.
    List(Vec<Expr>),
    /// `func(element for target in iter if tests ...)`: a call with a generator expression or a list comprehension;
    /// without a function the list itself.
    Comprehension {
        /// What is called.
        func: Option<Box<Expr>>,
        /// The expression that makes an element.
        element: Box<Expr>,
        /// The `for` parts, outermost first; there is at least one.
        parts: Vec<Generator>,
        /// What elements are compared by, if not by themselves: an access path that stands for an element, and the
        /// expression (`min(xs, key=lambda x: abs(x))`).
        key: Option<(PathId, Box<Expr>)>,
    },
}

/// `for target in iter if tests`.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Generator {
    /// What is assigned; its access paths are the comprehension's own, with names that no Python name equals.
    pub target: Target,
    /// What is looped over.
    pub iter: Expr,
    /// The conditions, all of which have to be true.
    pub tests: Vec<Expr>,
}

/// Python's unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum UnOp {
    /// `-a`.
    Neg,
    /// `+a`.
    Pos,
    /// `~a`.
    Invert,
    /// `not a`.
    Not,
}

/// Python's binary operators (`@` is an expression of its own).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum BinOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `//`.
    FloorDiv,
    /// `%`.
    Mod,
    /// `**`.
    Pow,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
}

impl BinOp {
    /// The operator as Python writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::FloorDiv => "//",
            Self::Mod => "%",
            Self::Pow => "**",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
        }
    }

    /// The operator of the typed nest.
    pub fn typed(self) -> ops::BinOp {
        match self {
            Self::Add => ops::BinOp::Add,
            Self::Sub => ops::BinOp::Sub,
            Self::Mul => ops::BinOp::Mul,
            Self::Div => ops::BinOp::Div,
            Self::FloorDiv => ops::BinOp::FloorDiv,
            Self::Mod => ops::BinOp::Mod,
            Self::Pow => ops::BinOp::Pow,
            Self::Shl => ops::BinOp::Shl,
            Self::Shr => ops::BinOp::Shr,
            Self::BitAnd => ops::BinOp::And,
            Self::BitOr => ops::BinOp::Or,
            Self::BitXor => ops::BinOp::Xor,
        }
    }
}
