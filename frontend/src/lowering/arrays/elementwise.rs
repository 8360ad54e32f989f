//! Operations on whole arrays: `A[i, 1:] = 0.5 * (B[i, 1:] + B[i, :-1])`, row updates, in place or not.
//!
//! An operation on arrays is kept as a tree of what it does to an element until something takes the elements: a store,
//! a reduction, a name. Then it becomes loops ([`crate::lowering::arrays::materialise`], [`crate::lowering::arrays::reduction`], [`crate::lowering::arrays::temporary`]).

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::{BinOp as Op, CmpOp as Cmp, UnOp as Sign};
use nestwise_ir::{Arena, ArrayDecl, ArrayId, ArrayKind, Extent, Scalar, Span, Ty};

use crate::builtins::{ArrayFn, ArrayForm as Form, Builtin, Known, NumpyFn, NumpySpecial};
use crate::lowering::arrays::axis_reduction;
use crate::lowering::arrays::concat;
use crate::lowering::arrays::creation;
use crate::lowering::arrays::cumsum;
use crate::lowering::arrays::linspace::Spaced;
use crate::lowering::arrays::materialise;
use crate::lowering::arrays::offsets;
use crate::lowering::arrays::reduction;
use crate::lowering::arrays::roll;
use crate::lowering::arrays::view::{self, Axis, Section};
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::context::Lowering;
use crate::lowering::lists::slice;
use crate::lowering::scalar::compare;
use crate::lowering::spill;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::{Sv, Val};
use crate::refusal::R;
use crate::refusal::Refusal;
use crate::refusal::refuse;

/// An array that is computed element by element.
#[derive(Clone, Debug)]
pub(crate) struct Elementwise {
    pub node: Node,
    /// Elements along each of its axes.
    pub shape: Vec<Expr>,
    /// An array with axes that are no shorter; none: there is no such array.
    pub like: Option<Like>,
    /// A function has made it, and nobody else has it.
    pub fresh: bool,
    /// All of an array that an operation has made: to NumPy nothing lies between its elements.
    pub whole: bool,
    /// To NumPy it is a view of such an array, which nobody has.
    pub lent: bool,
    /// NumPy gives it as a view of an array as large, which nothing else names.
    pub viewed: bool,
}

/// How long the axes of memory of the nest's own are.
pub(crate) type Like = Vec<Extent>;

impl Elementwise {
    /// A part of an array.
    pub fn of(section: Section, arrays: &Arena<ArrayId, ArrayDecl>) -> Elementwise {
        let decl = &arrays[section.array];
        // Memory of the nest's own is as large as another array.
        let of = |k: u32| match decl.kind {
            ArrayKind::Scratch => decl.like[k as usize],
            _ => Extent::Axis {
                capture: decl.capture,
                axis: k,
                plus: 0,
            },
        };
        let mut own = 0..decl.rank;
        let extent = |axis: &Axis| match axis {
            Axis::New => Some(Extent::Fixed(1)),
            Axis::Range { .. } => own.next().map(of),
            Axis::At(_) => {
                own.next();
                None
            }
        };
        let like = section.axes.iter().filter_map(extent).collect();
        Elementwise {
            shape: section.shape(),
            node: Node::Part(section),
            like: Some(like),
            fresh: false,
            whole: false,
            lent: false,
            viewed: false,
        }
    }

    /// All of an array that an operation has made there.
    pub fn made(section: Section, arrays: &Arena<ArrayId, ArrayDecl>) -> Elementwise {
        Elementwise {
            fresh: true,
            whole: true,
            ..Elementwise::of(section, arrays)
        }
    }

    /// The same with its axes in the opposite order, of another node.
    pub fn turned(mut self, node: Node) -> Elementwise {
        self.shape.reverse();
        self.like.iter_mut().for_each(|axes| axes.reverse());
        Elementwise { node, ..self }
    }

    /// The part of an array that it is.
    pub fn part(&self) -> Option<&Section> {
        match &self.node {
            Node::Part(section) if !self.fresh => Some(section),
            _ => None,
        }
    }

    fn computed(node: Node, (shape, like): Shape) -> Val {
        Val::Array(Box::new(Elementwise {
            node,
            shape,
            like,
            fresh: false,
            whole: false,
            lent: false,
            viewed: false,
        }))
    }
}

/// A shape, and an array that is no smaller.
type Shape = (Vec<Expr>, Option<Like>);

/// What an element is made of.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Part(Section),
    /// The same with its axes in the opposite order.
    Turned(Section),
    /// The same for all elements; evaluated.
    Scalar(Sv),
    Sign(Sign, Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Compare(Cmp, Box<Node>, Box<Node>),
    Call(Known, Vec<Node>),
    /// The elements of an array of one axis, evaluated.
    Items(Vec<Sv>),
    /// Each one's place along the last axis.
    Places,
    /// Ones where its places along the last two axes are the same, else zeros.
    Diagonal(Scalar),
    /// Numbers as far apart, along the last axis.
    Spaced(Box<Spaced>),
    /// The elements of a part of one axis at places that another array says.
    Gather(Section, Box<Node>),
}

impl Node {
    /// Calls `f` on each section it reads, and with whether an element is computed of the one at the same place.
    pub fn sections<'a>(&'a self, f: &mut dyn FnMut(&'a Section, bool)) {
        match self {
            Node::Part(section) => f(section, true),
            Node::Turned(section) => f(section, false),
            Node::Scalar(_)
            | Node::Items(_)
            | Node::Places
            | Node::Diagonal(_)
            | Node::Spaced(_) => {}
            Node::Gather(from, places) => {
                f(from, false);
                places.sections(f);
            }
            Node::Sign(_, a) => a.sections(f),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => {
                a.sections(f);
                b.sections(f);
            }
            Node::Call(_, args) => args.iter().for_each(|a| a.sections(f)),
        }
    }

    /// Whether it reads any array's elements.
    pub fn reads(&self) -> bool {
        let mut any = false;
        self.sections(&mut |_, _| any = true);
        any
    }

    fn rank(&self) -> usize {
        match self {
            Node::Part(section) | Node::Turned(section) => section.shape().len(),
            Node::Scalar(_) => 0,
            Node::Items(_) | Node::Places | Node::Spaced(_) | Node::Gather(..) => 1,
            Node::Diagonal(_) => 2,
            Node::Sign(_, a) => a.rank(),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => a.rank().max(b.rank()),
            Node::Call(_, args) => args.iter().map(Node::rank).max().unwrap_or(0),
        }
    }

    /// Whether something is computed in it that has fewer axes: NumPy computes that once, whatever it is repeated along.
    pub fn computes_below(&self, axes: usize) -> bool {
        let inside = match self {
            Node::Part(_) | Node::Turned(_) | Node::Scalar(_) => return false,
            Node::Items(_) | Node::Places | Node::Diagonal(_) | Node::Spaced(_) => return false,
            Node::Gather(_, places) => places.computes_below(axes),
            Node::Sign(_, a) => a.computes_below(axes),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => {
                a.computes_below(axes) || b.computes_below(axes)
            }
            Node::Call(_, args) => args.iter().any(|a| a.computes_below(axes)),
        };
        inside || self.rank() < axes
    }

    /// Whether an array is read in it whose axes are in the opposite order: what NumPy makes of such lies in memory like them.
    /// Columns and rows lie either way.
    pub fn turns(&self) -> bool {
        match self {
            Node::Turned(section) => {
                let shape = section.shape();
                let longer = shape.iter().filter(|len| !view::is_one(len));
                longer.count() > 1
            }
            Node::Part(_) | Node::Scalar(_) => false,
            Node::Items(_) | Node::Places | Node::Diagonal(_) | Node::Spaced(_) => false,
            Node::Gather(_, a) | Node::Sign(_, a) => a.turns(),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => a.turns() || b.turns(),
            Node::Call(_, args) => args.iter().any(Node::turns),
        }
    }

    /// The same with its axes in the opposite order, where it is computed of nothing but transposed arrays and numbers.
    pub fn turned_back(&self) -> Option<Node> {
        let back = |node: &Node| node.turned_back().map(Box::new);
        Some(match self {
            Node::Turned(section) => Node::Part(section.clone()),
            Node::Scalar(sv) => Node::Scalar(sv.clone()),
            Node::Sign(op, a) => Node::Sign(*op, back(a)?),
            Node::Binary(op, a, b) => Node::Binary(*op, back(a)?, back(b)?),
            Node::Compare(op, a, b) => Node::Compare(*op, back(a)?, back(b)?),
            Node::Call(f, args) => {
                let args: Option<Vec<Node>> = args.iter().map(Node::turned_back).collect();
                Node::Call(*f, args?)
            }
            Node::Part(_) | Node::Items(_) | Node::Gather(..) => return None,
            Node::Places | Node::Diagonal(_) | Node::Spaced(_) => return None,
        })
    }

    /// Whether a number is among its operands whose conversion to the type of an array's elements may raise or warn.
    pub fn has_number_beside(&self, storage: Scalar) -> bool {
        let inside = |node: &Node| node.has_number_beside(storage);
        match self {
            Node::Part(_) | Node::Turned(_) | Node::Items(_) => false,
            Node::Places | Node::Diagonal(_) | Node::Spaced(_) => false,
            Node::Gather(_, places) => inside(places),
            Node::Scalar(sv) => {
                let narrow = storage.is_int() || storage == Scalar::F32;
                let other = narrow && sv.kinds != Kinds::of(Kind::Np(storage));
                storage != Scalar::F64 && (other || sv.kinds.any(Kind::is_py))
            }
            Node::Sign(_, a) => inside(a),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => inside(a) || inside(b),
            Node::Call(_, args) => args.iter().any(inside),
        }
    }

    /// How many of NumPy's functions compute it.
    pub fn operations(&self) -> f64 {
        match self {
            Node::Part(_) | Node::Turned(_) | Node::Scalar(_) => 0.0,
            // From a list that is made, and taken apart.
            Node::Items(items) => 1.0 + 0.2 * items.len() as f64,
            Node::Places => 1.0,
            // Python's, around some of NumPy's.
            Node::Diagonal(_) => 5.0,
            Node::Spaced(_) => 20.0,
            Node::Sign(_, a) | Node::Gather(_, a) => 1.0 + a.operations(),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => 1.0 + a.operations() + b.operations(),
            Node::Call(_, args) => 1.0 + args.iter().map(Node::operations).sum::<f64>(),
        }
    }
}

impl Val {
    /// Whether NumPy takes it for an array with elements of its own.
    pub fn is_array(&self) -> bool {
        matches!(self, Val::Array(_) | Val::View(_))
    }
}

pub(crate) fn kind_ty(kind: Kind) -> Ty {
    Ty::np(kind.natural())
}

pub(crate) fn unsupported(what: &str, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = what.into();
    refuse(span, Refusal::Unsupported { what })
}

/// Whether NumPy makes an operation on it one on each of its elements.
pub(crate) fn is_numpy_array(builder: &Builder, value: &Val) -> bool {
    match value {
        Val::Array(_) => true,
        Val::View(view) => builder.arrays[view.array].kind == ArrayKind::Ndarray,
        _ => false,
    }
}

/// The value as an operand of an operation on arrays.
pub(crate) fn operand(cx: &mut Lowering<'_>, value: Val, span: Span) -> R<Elementwise> {
    match value {
        Val::Array(tree) => Ok(*tree),
        Val::View(view) => {
            let section = view::whole_section(cx, view, span)?;
            Ok(Elementwise::of(section, &cx.builder.arrays))
        }
        Val::Scalar(sv) if !sv.kinds.has(Kind::Char) => Ok(Elementwise {
            node: Node::Scalar(spill::spill_sv(cx, sv)),
            shape: vec![],
            like: None,
            fresh: false,
            whole: false,
            lent: false,
            viewed: false,
        }),
        other => Err(unsupported(
            &format!("a {} beside an array", other.type_name()),
            span,
        )),
    }
}

/// An operator with an array among its operands.
pub(crate) fn array_binary(cx: &mut Lowering<'_>, op: Op, a: Val, b: Val, span: Span) -> R<Val> {
    let (a, b) = (operand(cx, a, span)?, operand(cx, b, span)?);
    let shape = broadcast(
        &mut cx.builder,
        (&a.shape, &a.like),
        (&b.shape, &b.like),
        span,
    );
    let node = Node::Binary(op, Box::new(a.node), Box::new(b.node));
    Ok(Elementwise::computed(node, shape))
}

/// A comparison with an array among its operands.
pub(crate) fn array_compare(cx: &mut Lowering<'_>, op: Cmp, a: Val, b: Val, span: Span) -> R<Val> {
    let (a, b) = (operand(cx, a, span)?, operand(cx, b, span)?);
    let shape = broadcast(
        &mut cx.builder,
        (&a.shape, &a.like),
        (&b.shape, &b.like),
        span,
    );
    let node = Node::Compare(op, Box::new(a.node), Box::new(b.node));
    Ok(Elementwise::computed(node, shape))
}

/// A sign of an array.
pub(crate) fn array_sign(cx: &mut Lowering<'_>, op: Sign, a: Val, span: Span) -> R<Val> {
    let a = operand(cx, a, span)?;
    let node = Node::Sign(op, Box::new(a.node));
    Ok(Elementwise::computed(node, (a.shape, a.like)))
}

/// A function that does what an operator does.
fn as_operator(cx: &mut Lowering<'_>, f: NumpySpecial, args: &[Val], span: Span) -> Option<R<Val>> {
    match args {
        [a] if f == NumpySpecial::Negative => Some(array_sign(cx, Sign::Neg, a.clone(), span)),
        [a, b] => match (f.comparison(), f.bitwise()) {
            (Some(op), _) => Some(array_compare(cx, op, a.clone(), b.clone(), span)),
            (_, Some(op)) => Some(array_binary(cx, op, a.clone(), b.clone(), span)),
            _ => None,
        },
        _ => None,
    }
}
impl Lowering<'_> {
    /// A function of NumPy's that takes arrays element by element.
    pub fn array_call(&mut self, known: Known, args: Vec<Val>, span: Span) -> R<Val> {
        if let Known::Numpy(NumpyFn::Special(f)) = known
            && let Some(value) = as_operator(self, f, &args, span)
        {
            return value;
        }
        let elementwise = match known {
            // `abs(array)` is `np.absolute(array)`.
            Known::Builtin(Builtin::Abs) => args.len() == 1,
            Known::Numpy(NumpyFn::Array(f)) => match f.form() {
                Form::Elementwise => true,
                Form::Like => return array_like(self, f, args, None, span),
                Form::Display => return creation::display(self, f, args, None, span),
                Form::Arranged => return axis_reduction::arranged(self, f, args, span),
                Form::Reduction => return reduction::reduction(self, f, args, vec![], span),
                Form::Rolled => return roll::rolled(self, args, vec![], span),
                Form::Accumulated => return cumsum::accumulated(self, args, span),
                Form::Joined => return concat::joined(self, f, args, vec![], span),
            },
            Known::Numpy(_) => true,
            _ => false,
        };
        if !elementwise {
            return Err(unsupported(&known.name(), span));
        }
        let (mut shape, mut like) = (vec![], None);
        let mut nodes = Vec::with_capacity(args.len());
        for arg in args {
            let arg = operand(self, arg, span)?;
            (shape, like) = broadcast(
                &mut self.builder,
                (&shape, &like),
                (&arg.shape, &arg.like),
                span,
            );
            nodes.push(arg.node);
        }
        if shape.is_empty() {
            let unknown = |n: &Node| matches!(n, Node::Scalar(sv) if sv.is_bottom());
            return match known {
                _ if nodes.iter().any(unknown) => Ok(Val::Scalar(Sv::bottom(span))),
                Known::Numpy(NumpyFn::Array(ArrayFn::Clip)) => {
                    let number = Node::Call(known, nodes);
                    self.element_of(&number, &[], span).map(Val::Scalar)
                }
                _ => Err(unsupported("an array without axes", span)),
            };
        }
        let node = Node::Call(known, nodes);
        Ok(Elementwise::computed(node, (shape, like)))
    }
}

/// A copy of an array, or one of its shape and type, or of another type.
pub(crate) fn array_like(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    dtype: Option<Scalar>,
    span: Span,
) -> R<Val> {
    let (Some(array), true) = (args.pop(), args.is_empty()) else {
        return Err(unsupported("this form of making an array", span));
    };
    if let (ArrayFn::Copy, Some(list)) = (f, slice::list_copy(cx, &array, span)?) {
        return Ok(list);
    }
    if !is_numpy_array(&cx.builder, &array) {
        return match array {
            Val::Scalar(sv) if sv.is_bottom() => Ok(Val::Scalar(sv)),
            _ => Err(unsupported("making an array like a number", span)),
        };
    }
    let tree = operand(cx, array, span)?;
    if f != ArrayFn::Copy && !matches!(tree.node, Node::Part(_)) {
        return Err(unsupported("an array like one that is computed", span));
    }
    let Some(kind) = reduction::element_kind(cx, &tree, span)? else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    let kind = match dtype {
        Some(_) if f == ArrayFn::Copy => {
            return Err(unsupported("this form of making an array", span));
        }
        Some(storage) => Kind::Np(storage),
        None => kind,
    };
    let ty = kind_ty(kind);
    let value = match f {
        ArrayFn::Copy => {
            return Ok(Val::Array(Box::new(Elementwise {
                fresh: true,
                ..tree
            })));
        }
        // Nobody may rely on what is in an empty one.
        ArrayFn::ZerosLike | ArrayFn::EmptyLike => 0,
        _ => 1,
    };
    let like = Sv::of(
        Expr {
            ty,
            ..Expr::int(0, span)
        },
        kind,
    );
    let value = Sv::of(compare::literal(&like, value, span), kind);
    Ok(Val::Array(Box::new(Elementwise {
        node: Node::Scalar(value),
        fresh: true,
        ..tree
    })))
}

/// The shape of what is computed from both. Axes along which there is one element as it turns out, not as it is written,
/// are events where they are to be repeated.
fn broadcast(
    builder: &mut Builder,
    a: (&[Expr], &Option<Like>),
    b: (&[Expr], &Option<Like>),
    span: Span,
) -> Shape {
    let (long, short) = if a.0.len() >= b.0.len() {
        (a, b)
    } else {
        (b, a)
    };
    let ahead = long.0.len() - short.0.len();
    let mut shape = long.0.to_vec();
    let extent = |of: &Option<Like>, k: usize| of.as_ref().map(|axes| axes[k]);
    let mut like: Vec<_> = (0..shape.len()).map(|k| extent(long.1, k)).collect();
    for (k, y) in short.0.iter().enumerate() {
        let x = &long.0[ahead + k];
        if repeats(builder, x, y, span) {
            shape[ahead + k] = y.clone();
            like[ahead + k] = extent(short.1, k);
        } else if !repeats(builder, y, x, span) {
            check_alike(builder, x, y, span);
            like[ahead + k] = like[ahead + k].or(extent(short.1, k));
        }
    }
    (shape, like.into_iter().collect())
}

/// Whether the one element along an axis is repeated along another one. What is computed is computed once to NumPy, even
/// if nothing is there: that is an event.
pub(crate) fn repeats(builder: &mut Builder, one: &Expr, along: &Expr, span: Span) -> bool {
    let repeats = view::is_one(one) && !view::is_one(along);
    if repeats {
        materialise::check_not_empty(builder, along, span);
    }
    repeats
}

pub(crate) fn check_alike(builder: &mut Builder, x: &Expr, y: &Expr, span: Span) {
    if !offsets::same(x, y) {
        let alike = build::compare(CmpOp::Eq, x.clone(), y.clone(), Ty::PY_BOOL, span);
        builder.emit_check(alike);
    }
}
