//! The typed nest.
//!
//! Operands of an operation have already been cast to the type the operation computes in, so an operation's
//! meaning is decided by its kind and the representation of its operands alone.

use std::collections::HashSet;

use crate::interpreter_work::NestWork;
use crate::model::fragment::{Effect, Fragment};
use crate::model::ids::{AccessId, Arena, ArrayId, FragmentId, LoopId, ScopeId, VarId};
use crate::model::span::Span;
use crate::model::types::{Scalar, Ty};
use crate::preconditions::Precondition;

pub use crate::model::liveout::{LiveOut, LiveOutKind, PartAxis};
pub use crate::model::ops::{BinOp, Cast, CmpOp, Fun, Lib, UnOp};

/// A typed nest: one top loop and the declarations it uses.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Nest {
    /// Array slots.
    pub arrays: Arena<ArrayId, ArrayDecl>,
    /// Scalar variables.
    pub vars: Arena<VarId, VarDecl>,
    /// Loops in source order; the top loop is `L0`.
    pub loops: Arena<LoopId, LoopDecl>,
    /// Every textual array access; an access stands exactly once in the body.
    pub accesses: Arena<AccessId, Access>,
    /// The number of scopes, `s0..`.
    pub scopes: u32,
    /// Statements before the top loop: `Let`s of loop invariants, without array accesses.
    pub prologue: Vec<Stmt>,
    /// The top loop: a [`StmtKind::For`] or [`StmtKind::While`], loop `L0`.
    pub top: Stmt,
    /// What the site's access paths hold afterwards, in the order they are to be written back.
    pub live_outs: Vec<LiveOut>,
    /// Values of `return`, in order (a tuple has several); set before [`StmtKind::Return`].
    pub returns: Option<Returns>,
    /// The conditions that every launch checks before it runs the nest; each condition once, in order.
    pub preconditions: Vec<Precondition>,
    /// The lengths that axes of the nest's own memory are computed from.
    pub lengths: Vec<Length>,
    /// `None`: the body of the top loop runs once for each of its iterations. `Some(end)`: the nest runs as a whole,
    /// that is, the body runs once for each launched range of iterations that is not empty, and does what all of them
    /// do together, in an order of its own. The top loop's counter then holds the first iteration's value, and `end`,
    /// an `i64` that nothing assigns, what would be the value after the last.
    pub whole: Option<VarId>,
    /// Loops inside the top loop in which a kernel polls whether signal handlers or other threads wait: entering or
    /// repeating one of them is a guard failure then. Chosen for each launch ([`interrupts`](crate::interrupts)); empty
    /// in a nest as it was written.
    pub interruptible: Vec<LoopId>,
    /// The fragments that CPython evaluates for the nest, each called from one place.
    pub fragments: Arena<FragmentId, Fragment>,
    /// The most frames of functions that call themselves that CPython would have open in the nest: a launch asks whether
    /// it could open as many.
    pub frames: u32,
    /// The texts in the program that the nest knows by their [`number`](crate::model::texts::number).
    pub texts: Vec<String>,
    /// What CPython does in the nest as it was written. No kernel depends on it.
    #[serde(skip)]
    pub work: NestWork,
}

impl Nest {
    /// A nest of one statement that declares nothing: what builders begin with.
    pub fn of(top: Stmt) -> Nest {
        Nest {
            arrays: Arena::new(),
            vars: Arena::new(),
            loops: Arena::new(),
            accesses: Arena::new(),
            scopes: 0,
            prologue: vec![],
            top,
            live_outs: vec![],
            returns: None,
            preconditions: vec![],
            lengths: vec![],
            whole: None,
            interruptible: vec![],
            fragments: Arena::new(),
            frames: 0,
            texts: vec![],
            work: NestWork::default(),
        }
    }
}

/// The variables a `return` sets.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Returns {
    /// The variables, one for each element of the tuple.
    pub vars: Vec<VarId>,
    /// The form in which they are boxed.
    pub form: ReturnForm,
}

/// What `return` returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum ReturnForm {
    /// `return` or `return None`.
    None,
    /// A scalar.
    Scalar,
    /// A tuple of scalars.
    Tuple,
}

/// Which Python object an array slot came from.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum ArrayKind {
    /// A `numpy.ndarray`, used in place.
    Ndarray,
    /// A regular list (of lists ...): converted into a row-major buffer, written elements put back.
    List,
    /// A tuple of numbers: a read-only list.
    Tuple,
    /// An `array.array`, used in place.
    ArrayArray,
    /// A `bytes` or `bytearray`, used in place.
    Bytes,
    /// A `str`, converted into a read-only buffer of code points.
    Str,
    /// A list that grows: a buffer with room behind. What the list holds at entry is at its front if the nest reads
    /// the slot; otherwise that is not looked at, and the buffer starts empty.
    Appended,
    /// An intermediate array of an operation on whole arrays, or one that gets a name: memory of the launch's own.
    Scratch,
    /// A list or tuple of objects of one class. Its second axis stands for an object, of which only attributes are
    /// used: each attribute is an array of its own, with an element for each object.
    Objects,
}

impl ArrayKind {
    /// Every kind.
    pub const ALL: [ArrayKind; 9] = [
        ArrayKind::Ndarray,
        ArrayKind::List,
        ArrayKind::Tuple,
        ArrayKind::ArrayArray,
        ArrayKind::Bytes,
        ArrayKind::Str,
        ArrayKind::Appended,
        ArrayKind::Scratch,
        ArrayKind::Objects,
    ];

    /// Whether the slot is memory that a launch makes for itself alone, and not a copy of another object's.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Appended | Self::Scratch)
    }
}

/// An array slot.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct ArrayDecl {
    /// The array's name in the user's words.
    pub name: String,
    /// The index of a capture in the flat list (see the frontend), whose object the slot holds at entry.
    pub capture: u32,
    /// The kind of Python object.
    pub kind: ArrayKind,
    /// The representation of an element in memory.
    pub storage: Scalar,
    /// The type of a loaded element; same representation as `storage`, except that Python ints and floats widen
    /// (`array.array('i')` loads as `py.i64`, `bytes` as `py.i64`).
    pub elem: Ty,
    /// The number of dimensions, 1 to 8.
    pub rank: u32,
    /// Whether the nest loads from this slot.
    pub read: bool,
    /// Whether the nest stores to this slot.
    pub written: bool,
    /// The lengths of the axes, for [`ArrayKind::Scratch`].
    pub like: Vec<Extent>,
    /// Whether the memory begins as a copy of the capture's array, for [`ArrayKind::Scratch`].
    pub starts: bool,
    /// Whether whole rows of this list swap places, which the nest does element by element: nothing but the list may
    /// hold those rows.
    pub moved: bool,
    /// Whether the slot holds the attributes of one name of a list's objects, which are set when the nest has run.
    pub attributes: bool,
    /// Whether the memory stands for a Python list, or a list of lists, of that length, for [`ArrayKind::Scratch`].
    pub list: bool,
}

impl ArrayDecl {
    /// Whether the elements are references to Python objects that were boxed one by one, or will be.
    pub fn boxes(&self) -> bool {
        matches!(self.kind, ArrayKind::List | ArrayKind::Appended) || self.list
    }
}

/// The length of an axis of memory of the nest's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Extent {
    /// The length of an axis of a captured array, plus a constant.
    Axis {
        /// Index into the flat list of captures.
        capture: u32,
        /// The axis of the array.
        axis: u32,
        /// The constant that is added.
        plus: i32,
    },
    /// A constant length.
    Fixed(u32),
    /// The value of a captured int, plus a constant.
    Value {
        /// Index into the flat list of captures.
        capture: u32,
        /// The constant that is added.
        plus: i32,
    },
    /// A length that is computed from others: an index in [`Nest::lengths`].
    Computed(u32),
}

/// A length that is computed from others, which come before it in [`Nest::lengths`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Length {
    /// The operation on ints: `Add`, `Sub`, `Mul`, `FloorDiv`, `Min` or `Max`.
    pub op: BinOp,
    /// The left operand.
    pub a: Extent,
    /// The right operand.
    pub b: Extent,
}

impl Extent {
    /// The extent that is longer by `by`; `None` if it is a computed one, or the sum is not representable.
    pub fn longer(self, by: i64) -> Option<Extent> {
        let more = |plus: i32| i32::try_from(i64::from(plus).checked_add(by)?).ok();
        Some(match self {
            Extent::Fixed(n) => Extent::Fixed(u32::try_from(i64::from(n).checked_add(by)?).ok()?),
            Extent::Axis {
                capture,
                axis,
                plus,
            } => Extent::Axis {
                capture,
                axis,
                plus: more(plus)?,
            },
            Extent::Value { capture, plus } => Extent::Value {
                capture,
                plus: more(plus)?,
            },
            Extent::Computed(_) => return None,
        })
    }
}

/// A scalar variable. Variables are mutable; a variable not live-in is unassigned at entry, except that hidden bool
/// variables (flags, tags) start as false.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct VarDecl {
    /// The variable's name in the user's words; empty for hidden variables.
    pub name: String,
    /// The type of the variable's value throughout the nest.
    pub ty: Ty,
    /// The index of a capture in the flat list, if the variable has a value at entry. The binder casts the captured
    /// value to `ty` without loss.
    pub live_in: Option<u32>,
    /// The range a live-in int was promised to be in (part of the signature).
    pub range: Option<(i64, i64)>,
    /// For [`crate::Prov::Dyn`] variables whose provenance is observable: the bool variable that is true when the
    /// value is NumPy's.
    pub np_tag: Option<VarId>,
}

/// A loop's declaration.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct LoopDecl {
    /// The position of the `for` or `while`.
    pub span: Span,
    /// The user's loop variable(s) as text, empty for `while`.
    pub name: String,
    /// The nesting depth; that of the top loop is 0.
    pub depth: u32,
    /// The enclosing loop, if there is one.
    pub parent: Option<LoopId>,
}

/// One textual access to an array.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Access {
    /// The slot.
    pub array: ArrayId,
    /// Whether the access stores.
    pub store: bool,
    /// The position of the access.
    pub span: Span,
}

/// A statement with its position.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The position in the source.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum StmtKind {
    /// The assignment `var = value`; the types are equal.
    Let {
        /// The variable.
        var: VarId,
        /// The value.
        value: Expr,
    },
    /// The store `array[index] = value`; `value.ty.repr` is loadable into `storage` by the one rule of
    /// [`ArrayDecl::elem`]: it equals the element type's representation.
    Store {
        /// The access, by its number.
        access: AccessId,
        /// The slot.
        array: ArrayId,
        /// A subscript for each axis.
        index: Vec<Expr>,
        /// The value.
        value: Expr,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// Simultaneous assignment of slots: each `dst` gets what `src` held before. Always a permutation.
    Rebind(Vec<(ArrayId, ArrayId)>),
    /// A two-way branch.
    If {
        /// The condition.
        cond: Expr,
        /// The statements that run if the condition holds.
        then: Vec<Stmt>,
        /// The statements that run if the condition does not hold.
        orelse: Vec<Stmt>,
    },
    /// A counted loop.
    For(For),
    /// A `while` loop.
    While(While),
    /// Leaves loop `L` (no `else` clause runs: those are lowered with scopes).
    Break(LoopId),
    /// Goes on with the next iteration of loop `L`.
    Continue(LoopId),
    /// A block that may be left early.
    Scope {
        /// The scope.
        id: ScopeId,
        /// The statements of the block.
        body: Vec<Stmt>,
    },
    /// Leaves the scope.
    Leave(ScopeId),
    /// Ends the nest; the return variables are set.
    Return,
    /// Fails if the condition is false: a guard failure.
    Check {
        /// The condition.
        cond: Expr,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// Evaluates for its guards alone: the value is unused, but the expression may fail.
    Eval(Expr),
}

/// A counted loop: `for counter in start, start + step, ..., before stop`.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct For {
    /// This loop.
    pub id: LoopId,
    /// The counter, a `py.i64` variable assigned by nothing else.
    pub counter: VarId,
    /// The first value; evaluated once, as are `stop` and `step`.
    pub start: Expr,
    /// The end, exclusive.
    pub stop: Expr,
    /// The step; if it is not constant, a guard failure if it is zero.
    pub step: Expr,
    /// The body.
    pub body: Vec<Stmt>,
}

/// A loop `while cond: body`.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct While {
    /// This loop.
    pub id: LoopId,
    /// The condition, a bool evaluated before each iteration.
    pub cond: Expr,
    /// The body.
    pub body: Vec<Stmt>,
}

/// A typed expression. Evaluation order is left to right, operands before the operation.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Type of the result.
    pub ty: Ty,
    /// The position in the source.
    pub span: Span,
}

/// The value of a literal.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Const {
    /// Bool.
    Bool(bool),
    /// The value of any integer representation, characters too.
    Int(i128),
    /// The value of any real floating-point representation (already rounded to it).
    Float(f64),
    /// A complex number: real and imaginary part.
    Complex(f64, f64),
}

/// The kinds of expressions. `guard: true` means that the operation may fail.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum ExprKind {
    /// A literal.
    Const(Const),
    /// A variable's value.
    Var(VarId),
    /// The extent of an axis of a slot, `py.i64`, never negative.
    Dim(ArrayId, u32),
    /// The load `array[index]`; one `py.i64` index per axis. Guarded: a negative index wraps once, then out of range
    /// fails. Unguarded: in `0..extent`.
    Load {
        /// The access, by its number.
        access: AccessId,
        /// The slot.
        array: ArrayId,
        /// A subscript for each axis.
        index: Vec<Expr>,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// Unary operation; operand and result have the same representation, except for [`UnOp::Not`] (bool).
    Unary {
        /// The operation.
        op: UnOp,
        /// The only operand, or the left one.
        a: Box<Expr>,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// Arithmetic; both operands have the result's representation ([`BinOp`] lists the exceptions).
    Binary {
        /// The operation.
        op: BinOp,
        /// The only operand, or the left one.
        a: Box<Expr>,
        /// The right operand.
        b: Box<Expr>,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// Comparison of two operands of one representation; bool result. Ints exactly, floats as IEEE.
    Compare {
        /// The operation.
        op: CmpOp,
        /// The only operand, or the left one.
        a: Box<Expr>,
        /// The right operand.
        b: Box<Expr>,
    },
    /// The choice `if cond { then } else { orelse }`, of which only the chosen side is evaluated. `and` and `or` are
    /// choices, too.
    Select {
        /// The condition.
        cond: Box<Expr>,
        /// The value if the condition holds.
        then: Box<Expr>,
        /// The value if the condition does not hold.
        orelse: Box<Expr>,
    },
    /// Conversion of `a` to the expression's type; see [`Cast`].
    Cast {
        /// The kind of conversion.
        kind: Cast,
        /// The only operand, or the left one.
        a: Box<Expr>,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// A mathematical function.
    Call {
        /// The function.
        fun: Fun,
        /// The library whose implementation is meant.
        lib: Lib,
        /// The arguments by position, in order.
        args: Vec<Expr>,
        /// Whether the operation may fail.
        guard: bool,
    },
    /// A value that CPython computes: the fragment is called with these scalars, boxed by their types. Fails if the
    /// fragment raises, or gives a value of another type than the expression's. Stands only as the whole value of a
    /// [`StmtKind::Let`] or a [`StmtKind::Eval`]; a bool where the fragment is a statement.
    HostCall {
        /// The fragment.
        fragment: FragmentId,
        /// The scalars that the fragment's value parameters are bound to, in order.
        args: Vec<Expr>,
    },
    /// The binding `{ let var = value; body }`: names a value that an expression uses several times (a chained
    /// comparison's middle, the operand that `or` returns, min's operands).
    Bind {
        /// The variable.
        var: VarId,
        /// The value.
        value: Box<Expr>,
        /// The expression that may use the variable.
        body: Box<Expr>,
    },
}

impl Expr {
    /// A literal of `ty`.
    pub fn constant(value: Const, ty: Ty, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Const(value),
            ty,
            span,
        }
    }
    /// A Python int literal.
    pub fn int(value: i64, span: Span) -> Expr {
        Expr::constant(Const::Int(value.into()), Ty::PY_INT, span)
    }
    /// The value as an int constant, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self.kind {
            ExprKind::Const(Const::Int(v)) => Some(v),
            _ => None,
        }
    }
    /// The operands, in evaluation order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Expr> {
        const NONE: &[Expr] = &[];
        // Analyses look at every node many times: nothing is allocated.
        let (many, few): (&[Expr], [Option<&Expr>; 3]) = match &self.kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Dim(..) => (NONE, [None; 3]),
            ExprKind::Load { index, .. } => (index, [None; 3]),
            ExprKind::Unary { a, .. } | ExprKind::Cast { a, .. } => (NONE, [Some(a), None, None]),
            ExprKind::Binary { a, b, .. } | ExprKind::Compare { a, b, .. } => {
                (NONE, [Some(a), Some(b), None])
            }
            ExprKind::Select { cond, then, orelse } => {
                (NONE, [Some(cond), Some(then), Some(orelse)])
            }
            ExprKind::Call { args, .. } | ExprKind::HostCall { args, .. } => (args, [None; 3]),
            ExprKind::Bind { value, body, .. } => (NONE, [Some(value), Some(body), None]),
        };
        many.iter().chain(few.into_iter().flatten())
    }
    /// The operands, in evaluation order, for rewriting.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Dim(..) => vec![],
            ExprKind::Load { index, .. } => index.iter_mut().collect(),
            ExprKind::Unary { a, .. } | ExprKind::Cast { a, .. } => vec![a],
            ExprKind::Binary { a, b, .. } | ExprKind::Compare { a, b, .. } => vec![a, b],
            ExprKind::Select { cond, then, orelse } => vec![cond, then, orelse],
            ExprKind::Call { args, .. } | ExprKind::HostCall { args, .. } => {
                args.iter_mut().collect()
            }
            ExprKind::Bind { value, body, .. } => vec![value, body],
        }
    }
    /// Calls `f` on this expression and all below it, parents first.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        for child in self.children() {
            child.walk(f);
        }
    }
}

impl Stmt {
    /// The expressions this statement evaluates itself (not those of statements inside it).
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        const NONE: &[Expr] = &[];
        let (many, few): (&[Expr], [Option<&Expr>; 3]) = match &self.kind {
            StmtKind::Let { value, .. } | StmtKind::Eval(value) => {
                (NONE, [Some(value), None, None])
            }
            StmtKind::Store { index, value, .. } => (index, [Some(value), None, None]),
            StmtKind::If { cond, .. } | StmtKind::Check { cond, .. } => {
                (NONE, [Some(cond), None, None])
            }
            StmtKind::For(l) => (NONE, [Some(&l.start), Some(&l.stop), Some(&l.step)]),
            StmtKind::While(l) => (NONE, [Some(&l.cond), None, None]),
            _ => (NONE, [None; 3]),
        };
        many.iter().chain(few.into_iter().flatten())
    }
    /// The expressions this statement evaluates itself, for rewriting.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            StmtKind::Let { value, .. } | StmtKind::Eval(value) => vec![value],
            StmtKind::Store { index, value, .. } => index.iter_mut().chain([value]).collect(),
            StmtKind::If { cond, .. } | StmtKind::Check { cond, .. } => vec![cond],
            StmtKind::For(l) => vec![&mut l.start, &mut l.stop, &mut l.step],
            StmtKind::While(l) => vec![&mut l.cond],
            _ => vec![],
        }
    }
    /// The blocks inside this statement.
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Stmt>> {
        let blocks = match &self.kind {
            StmtKind::If { then, orelse, .. } => [Some(then), Some(orelse)],
            StmtKind::For(l) => [Some(&l.body), None],
            StmtKind::While(l) => [Some(&l.body), None],
            StmtKind::Scope { body, .. } => [Some(body), None],
            _ => [None, None],
        };
        blocks.into_iter().flatten()
    }
    /// The blocks inside this statement, for rewriting.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match &mut self.kind {
            StmtKind::If { then, orelse, .. } => vec![then, orelse],
            StmtKind::For(l) => vec![&mut l.body],
            StmtKind::While(l) => vec![&mut l.body],
            StmtKind::Scope { body, .. } => vec![body],
            _ => vec![],
        }
    }
    /// Calls `f` on this statement and all inside it, outer first.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Stmt)) {
        f(self);
        for block in self.blocks() {
            for stmt in block {
                stmt.walk(f);
            }
        }
    }
}

impl Expr {
    /// Whether the expression reads elements of arrays that `asked` accepts.
    pub fn reads(&self, asked: impl Fn(ArrayId) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| {
            found |= matches!(e.kind, ExprKind::Load { array, .. } if asked(array));
        });
        found
    }
}

/// The arrays that a block stores to.
pub fn stored(block: &[Stmt]) -> HashSet<ArrayId> {
    let mut found = HashSet::new();
    for s in block {
        s.walk(&mut |s| {
            if let StmtKind::Store { array, .. } = s.kind {
                found.insert(array);
            }
        });
    }
    found
}

impl Nest {
    /// Whether CPython evaluates fragments for the nest.
    pub fn calls_host(&self) -> bool {
        !self.fragments.is_empty()
    }

    /// Whether results of fragments are recorded while the nest runs: those of all that CPython evaluates, if one of
    /// them has an effect.
    pub fn records_results(&self) -> bool {
        let mut evaluated = self.fragments.values().filter(|f| f.kept.is_none());
        evaluated.any(|f| f.effect != Effect::Pure)
    }

    /// Whether a fragment changes an object.
    pub fn changes_objects(&self) -> bool {
        self.fragments.values().any(|f| f.effect != Effect::Pure)
    }

    /// Whether the nest appends to lists.
    pub fn appends(&self) -> bool {
        let appended = |out: &LiveOut| matches!(out.kind, LiveOutKind::Appended { .. });
        self.live_outs.iter().any(appended)
    }

    /// Spreads the `read` and `written` flags among slots that swap arrays: they hold each other's arrays in turn, so
    /// any of their arrays may be read or written through each of them.
    pub fn spread_accesses(&mut self) {
        let mut moves: Vec<(ArrayId, ArrayId)> = Vec::new();
        self.walk(&mut |stmt| {
            if let StmtKind::Rebind(pairs) = &stmt.kind {
                moves.extend(pairs);
            }
        });
        // As many rounds as the longest chain of moves could be.
        for _ in 0..self.arrays.len() {
            for (dst, src) in &moves {
                let (read, written) = (
                    self.arrays[*dst].read | self.arrays[*src].read,
                    self.arrays[*dst].written | self.arrays[*src].written,
                );
                for slot in [*dst, *src] {
                    self.arrays[slot].read = read;
                    self.arrays[slot].written = written;
                }
            }
        }
    }

    /// Calls `f` on every statement, prologue first.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Stmt)) {
        for stmt in &self.prologue {
            stmt.walk(f);
        }
        self.top.walk(f);
    }
    /// Calls `f` on every expression.
    pub fn walk_exprs<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        self.walk(&mut |stmt| {
            for e in stmt.exprs() {
                e.walk(f);
            }
        });
    }
    /// The top loop's `For`, unless it is a `while`.
    pub fn top_for(&self) -> Option<&For> {
        match &self.top.kind {
            StmtKind::For(l) => Some(l),
            _ => None,
        }
    }
    /// The size in bytes of an element of a slot (of its value plane for [`Scalar::Num`]).
    pub fn elem_size(&self, array: ArrayId) -> usize {
        let storage: Scalar = self.arrays[array].storage;
        storage.size()
    }
}
