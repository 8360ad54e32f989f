//! Arrays that are computed element by element, as trees of what is done to one element.

use nestwise_ir::model::nest::Expr;
use nestwise_ir::surface::{BinOp as Op, CmpOp as Cmp, UnOp as Sign};
use nestwise_ir::{Arena, ArrayDecl, ArrayId, ArrayKind, Extent, Scalar};

use crate::builtins::Known;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::{self, Axis, Section};

/// The numbers that `np.linspace` depends on, evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Spaced {
    pub start: Sv,
    pub stop: Sv,
    pub delta: Sv,
    pub step: Sv,
    /// The position of the last number.
    pub last: Expr,
}

/// An array that is computed element by element.
#[derive(Clone, Debug)]
pub(crate) struct Elementwise {
    pub node: Node,
    /// The number of elements along each axis.
    pub shape: Vec<Expr>,
    /// The extents of axes that are at least as long, known before the nest runs; `None` where there are none.
    pub like: Option<Like>,
    /// A function has made the array, and nobody else has it.
    pub fresh: bool,
    /// The tree is all of an array that an operation has made, which NumPy knows to be contiguous.
    pub whole: bool,
    /// To NumPy the array is a view of one that an operation has made and that nobody else has.
    pub lent: bool,
    /// To NumPy the array is a view of one of the same size, which nothing else names.
    pub viewed: bool,
}

/// The extents of the axes of memory of the nest's own.
pub(crate) type Like = Vec<Extent>;

impl Elementwise {
    /// The tree of a part of an array.
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

    /// The tree of all of an array that an operation has made in this section.
    pub fn made(section: Section, arrays: &Arena<ArrayId, ArrayDecl>) -> Elementwise {
        Elementwise {
            fresh: true,
            whole: true,
            ..Elementwise::of(section, arrays)
        }
    }

    /// The array with its axes in the opposite order, computed by another node.
    pub fn turned(mut self, node: Node) -> Elementwise {
        self.shape.reverse();
        self.like.iter_mut().for_each(|axes| axes.reverse());
        Elementwise { node, ..self }
    }

    /// The part of an array that the tree is, if it is one.
    pub fn part(&self) -> Option<&Section> {
        match &self.node {
            Node::Part(section) if !self.fresh => Some(section),
            _ => None,
        }
    }
}

/// A shape, and extents of axes that are at least as long.
pub(crate) type Shape = (Vec<Expr>, Option<Like>);

/// The computation of an element.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Part(Section),
    /// A part of an array with its axes in the opposite order.
    Turned(Section),
    /// A number, evaluated, for all elements.
    Scalar(Sv),
    Sign(Sign, Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Compare(Cmp, Box<Node>, Box<Node>),
    Call(Known, Vec<Node>),
    /// The elements of an array of one axis, evaluated.
    Items(Vec<Sv>),
    /// The element's position along the last axis.
    Places,
    /// One where the element's positions along the last two axes are the same, else zero.
    Diagonal(Scalar),
    /// Evenly spaced numbers along the last axis.
    Spaced(Box<Spaced>),
    /// The elements of a part of an array, of one axis, at the positions in another array.
    Gather(Section, Box<Node>),
}

impl Node {
    /// Calls `f` on each section that the node reads, and with whether an element is computed from the element at the
    /// same position.
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

    /// Whether the node reads any array's elements.
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

    /// Whether a computation inside the node has fewer axes than `axes`: NumPy makes it once, whatever axes it is
    /// repeated along.
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

    /// Whether the node reads an array whose axes are in the opposite order: the results that NumPy computes from such
    /// arrays lie in memory like them. A single row or column lies either way.
    pub fn turns(&self) -> bool {
        match self {
            Node::Turned(section) => {
                let shape = section.shape();
                let longer = shape.iter().filter(|len| !section::is_one(len));
                longer.count() > 1
            }
            Node::Part(_) | Node::Scalar(_) => false,
            Node::Items(_) | Node::Places | Node::Diagonal(_) | Node::Spaced(_) => false,
            Node::Gather(_, a) | Node::Sign(_, a) => a.turns(),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => a.turns() || b.turns(),
            Node::Call(_, args) => args.iter().any(Node::turns),
        }
    }

    /// The node with its axes in the opposite order, if it is computed from nothing but transposed arrays and numbers.
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

    /// Whether the node has a number among its operands whose conversion to the type of an array's elements may raise
    /// or warn.
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

    /// The number of NumPy's functions that compute the node, about.
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
