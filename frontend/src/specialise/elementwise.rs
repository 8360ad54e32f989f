//! Operations on whole arrays: `A[i, 1:] = 0.5 * (B[i, 1:] + B[i, :-1])`, row updates, in place or not.
//!
//! An operation on arrays is kept as a tree of what it does to an element until something takes the elements: a store,
//! a reduction. Then it becomes loops. NumPy makes an array of every operation's result before it goes on, so a loop that
//! stores must not change what it still has to read: what one array's subscripts tell is decided here
//! ([`sections::keep_apart`]), and where it would, elements are computed into memory of the nest's own first. That different
//! arrays share no memory is asked at each launch ([`nestwise_ir::Nest::apart`]).

use std::collections::BTreeSet;

use nestwise_ir::nest::{CmpOp, Expr, For, StmtKind};
use nestwise_ir::surface::{BinOp as Op, CmpOp as Cmp, UnOp as Sign};
use nestwise_ir::{
    Access, Arena, ArrayDecl, ArrayId, ArrayKind, Extent, Fun, Lib, Scalar, Span, Ty, Work,
};

use super::build;
use super::kinds::{Kind, Kinds};
use super::lower::Lower;
use super::sections::{self, Axis, Section};
use super::value::{Sv, Val};
use super::{R, refuse};
use crate::capture::{ArrayFn, Capture, Known, NumpyFn, NumpySpecial};
use crate::refusal::Refusal;

/// An array that is computed element by element.
#[derive(Clone, Debug)]
pub(super) struct Elementwise {
    pub node: Node,
    /// Elements along each of its axes.
    pub shape: Vec<Expr>,
    /// An array with axes that are no shorter; none: there is no such array.
    pub like: Option<Like>,
    /// A function has made it, and nobody else has it.
    pub fresh: bool,
}

/// Axes of an array, by which memory of the nest's own is as large.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Like {
    /// None: all its axes are of a length that is known.
    pub capture: Option<u32>,
    pub axes: Vec<Extent>,
}

impl Elementwise {
    /// A part of an array.
    pub fn of(section: Section, arrays: &Arena<ArrayId, ArrayDecl>) -> Elementwise {
        let decl = &arrays[section.array];
        let own = (0..decl.rank).zip(&section.axes);
        let ranges = own.filter(|(_, axis)| matches!(axis, Axis::Range { .. }));
        // Memory of the nest's own is as large as another array.
        let of = |k: u32| match decl.kind {
            ArrayKind::Scratch => decl.like[k as usize],
            _ => Extent::Axis(k),
        };
        let axes: Vec<Extent> = ranges.map(|(k, _)| of(k)).collect();
        let fixed = axes.iter().all(|e| matches!(e, Extent::Fixed(_)));
        let like = Like {
            capture: (!fixed).then_some(decl.capture),
            axes,
        };
        Elementwise {
            shape: section.shape(),
            node: Node::Part(section),
            like: Some(like),
            fresh: false,
        }
    }

    fn computed(node: Node, (shape, like): Shape) -> Val {
        Val::Array(Box::new(Elementwise {
            node,
            shape,
            like,
            fresh: false,
        }))
    }
}

/// A shape, and an array that is no smaller.
type Shape = (Vec<Expr>, Option<Like>);

/// What an element is made of.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Part(Section),
    /// The same for all elements; evaluated.
    Scalar(Sv),
    Sign(Sign, Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Compare(Cmp, Box<Node>, Box<Node>),
    Call(Known, Vec<Node>),
    /// The elements of an array of one axis, evaluated.
    Items(Vec<Sv>),
}

impl Node {
    /// Calls `f` on each section it reads.
    pub fn sections<'a>(&'a self, f: &mut dyn FnMut(&'a Section)) {
        match self {
            Node::Part(section) => f(section),
            Node::Scalar(_) | Node::Items(_) => {}
            Node::Sign(_, a) => a.sections(f),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) => {
                a.sections(f);
                b.sections(f);
            }
            Node::Call(_, args) => args.iter().for_each(|a| a.sections(f)),
        }
    }

    /// How many of NumPy's functions compute it.
    pub fn operations(&self) -> f64 {
        match self {
            Node::Part(_) | Node::Scalar(_) => 0.0,
            // From a list that is made, and taken apart.
            Node::Items(items) => 1.0 + 0.2 * items.len() as f64,
            Node::Sign(_, a) => 1.0 + a.operations(),
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

fn kind_ty(kind: Kind) -> Ty {
    Ty::np(kind.natural())
}

fn unsupported(what: &str, span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = what.into();
    refuse(span, Refusal::Unsupported { what })
}

impl Lower<'_> {
    /// Whether NumPy makes an operation on it one on each of its elements.
    pub fn is_numpy_array(&self, value: &Val) -> bool {
        match value {
            Val::Array(_) => true,
            Val::View(view) => self.arrays[view.array].kind == ArrayKind::Ndarray,
            _ => false,
        }
    }

    /// The value as an operand of an operation on arrays.
    pub fn operand(&mut self, value: Val, span: Span) -> R<Elementwise> {
        match value {
            Val::Array(tree) => Ok(*tree),
            Val::View(view) => {
                let section = self.whole_section(view, span)?;
                Ok(Elementwise::of(section, &self.arrays))
            }
            Val::Scalar(sv) if !sv.kinds.has(Kind::Char) => Ok(Elementwise {
                node: Node::Scalar(self.spill_sv(sv)),
                shape: vec![],
                like: None,
                fresh: false,
            }),
            other => Err(unsupported(
                &format!("a {} beside an array", other.type_name()),
                span,
            )),
        }
    }

    /// An operator with an array among its operands.
    pub fn array_binary(&mut self, op: Op, a: Val, b: Val, span: Span) -> R<Val> {
        let (a, b) = (self.operand(a, span)?, self.operand(b, span)?);
        let shape = self.broadcast((&a.shape, &a.like), (&b.shape, &b.like), span);
        let node = Node::Binary(op, Box::new(a.node), Box::new(b.node));
        Ok(Elementwise::computed(node, shape))
    }

    /// A comparison with an array among its operands.
    pub fn array_compare(&mut self, op: Cmp, a: Val, b: Val, span: Span) -> R<Val> {
        let (a, b) = (self.operand(a, span)?, self.operand(b, span)?);
        let shape = self.broadcast((&a.shape, &a.like), (&b.shape, &b.like), span);
        let node = Node::Compare(op, Box::new(a.node), Box::new(b.node));
        Ok(Elementwise::computed(node, shape))
    }

    /// A sign of an array.
    pub fn array_sign(&mut self, op: Sign, a: Val, span: Span) -> R<Val> {
        let a = self.operand(a, span)?;
        let node = Node::Sign(op, Box::new(a.node));
        Ok(Elementwise::computed(node, (a.shape, a.like)))
    }

    /// A function of NumPy's that takes arrays element by element.
    pub fn array_call(&mut self, known: Known, args: Vec<Val>, span: Span) -> R<Val> {
        let elementwise = match known {
            // `abs(array)` is `np.absolute(array)`.
            Known::Builtin(crate::capture::Builtin::Abs) => args.len() == 1,
            Known::Numpy(_) => true,
            _ => false,
        };
        match known {
            Known::Numpy(NumpyFn::Array(ArrayFn::Where)) => {}
            Known::Numpy(NumpyFn::Array(
                f @ (ArrayFn::Copy | ArrayFn::ZerosLike | ArrayFn::OnesLike),
            )) => return self.array_like(f, args, span),
            Known::Numpy(NumpyFn::Array(f @ (ArrayFn::Array | ArrayFn::Zeros | ArrayFn::Ones))) => {
                return self.display(f, args, span);
            }
            Known::Numpy(NumpyFn::Array(f)) => return self.reduction(f, args, span),
            _ => {}
        }
        if !elementwise {
            return Err(unsupported(&known.name(), span));
        }
        let (mut shape, mut like) = (vec![], None);
        let mut nodes = Vec::with_capacity(args.len());
        for arg in args {
            let arg = self.operand(arg, span)?;
            (shape, like) = self.broadcast((&shape, &like), (&arg.shape, &arg.like), span);
            nodes.push(arg.node);
        }
        let node = Node::Call(known, nodes);
        Ok(Elementwise::computed(node, (shape, like)))
    }

    /// A copy of an array, or one of its shape and type.
    pub fn array_like(&mut self, f: ArrayFn, mut args: Vec<Val>, span: Span) -> R<Val> {
        let (Some(array), true) = (args.pop(), args.is_empty()) else {
            return Err(unsupported("this form of making an array", span));
        };
        let tree = self.operand(array, span)?;
        let Some(kind) = self.element_kind(&tree, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        let ty = kind_ty(kind);
        let value = match f {
            ArrayFn::Copy => {
                return Ok(Val::Array(Box::new(Elementwise {
                    fresh: true,
                    ..tree
                })));
            }
            ArrayFn::ZerosLike => 0,
            _ => 1,
        };
        let like = Sv::of(
            Expr {
                ty,
                ..Expr::int(0, span)
            },
            kind,
        );
        let value = Sv::of(self.literal(&like, value, span), kind);
        Ok(Val::Array(Box::new(Elementwise {
            node: Node::Scalar(value),
            fresh: true,
            ..tree
        })))
    }

    /// The shape of what is computed from both. Axes of one element that are repeated are events.
    fn broadcast(
        &mut self,
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
        for (x, y) in long.0[ahead..].iter().zip(short.0) {
            self.check_alike(x, y, span);
        }
        let like = long.1.as_ref().or(match ahead {
            0 => short.1.as_ref(),
            _ => None,
        });
        (long.0.to_vec(), like.cloned())
    }

    pub fn check_alike(&mut self, x: &Expr, y: &Expr, span: Span) {
        if !sections::same(x, y) {
            let alike = build::compare(CmpOp::Eq, x.clone(), y.clone(), Ty::PY_BOOL, span);
            self.emit_check(alike);
        }
    }

    /// The element of a tree at some places along the axes of what it is part of.
    pub fn element_of(&mut self, node: &Node, counters: &[Expr], span: Span) -> R<Sv> {
        match node {
            Node::Scalar(sv) => Ok(sv.clone()),
            Node::Part(section) => {
                let own = section.shape().len();
                let counters = &counters[counters.len().saturating_sub(own)..];
                Ok(self.section_element(section, counters, span))
            }
            Node::Items(items) => {
                let at = counters.last().cloned();
                let at = at.unwrap_or_else(|| Expr::int(0, span));
                self.item_of(items, &at, span)
            }
            Node::Sign(op, a) => {
                let a = self.element_of(a, counters, span)?;
                self.sign(*op, a, span)
            }
            Node::Binary(Op::Pow, a, b) => {
                let a = self.element_of(a, counters, span)?;
                let b = self.element_of(b, counters, span)?;
                self.array_power(a, b, span)
            }
            Node::Binary(op, a, b) => {
                let a = self.element_of(a, counters, span)?;
                let b = self.element_of(b, counters, span)?;
                let complex = a.kinds.any(Kind::is_complex) || b.kinds.any(Kind::is_complex);
                if complex && !matches!(op, Op::Add | Op::Sub) {
                    // NumPy's loops fuse multiplications and additions where the machine does.
                    return Err(unsupported("a product of arrays of complex numbers", span));
                }
                self.arith(*op, a, b, span)
            }
            Node::Compare(op, a, b) => {
                let a = self.element_of(a, counters, span)?;
                let b = self.element_of(b, counters, span)?;
                self.compare(*op, a, b, span)
            }
            Node::Call(known, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.element_of(arg, counters, span)?);
                }
                if values.iter().any(Sv::is_bottom) {
                    return Ok(Sv::bottom(span));
                }
                self.element_call(*known, values, span)
            }
        }
    }

    fn element_call(&mut self, known: Known, mut args: Vec<Sv>, span: Span) -> R<Sv> {
        use NumpySpecial as N;
        match (known, args.len()) {
            (Known::Numpy(NumpyFn::Special(N::Minimum | N::Maximum)), 2) => {
                let y = args.pop().map(|y| self.spill_sv(y));
                let x = args.pop().map(|x| self.spill_sv(x));
                let both: Vec<Sv> = x.into_iter().chain(y).collect();
                self.check_zeros(&both, span);
                let Known::Numpy(f) = known else {
                    return Err(unsupported(&known.name(), span));
                };
                self.numpy(f, both, span)
            }
            (Known::Numpy(NumpyFn::Array(ArrayFn::Where)), 3) => self.chosen(args, span),
            (Known::Numpy(f), _) => self.numpy(f, args, span),
            (_, 1) => {
                let absolute = NumpyFn::Special(N::Absolute);
                self.numpy(absolute, args, span)
            }
            _ => Err(unsupported(&known.name(), span)),
        }
    }

    /// `np.where(condition, x, y)`: both are there, whichever is taken.
    fn chosen(&mut self, mut args: Vec<Sv>, span: Span) -> R<Sv> {
        let (Some(y), Some(x), Some(cond)) = (args.pop(), args.pop(), args.pop()) else {
            return Err(unsupported("this form of numpy.where", span));
        };
        let cond = self.truth(Val::Scalar(cond), span)?;
        let cond = self.spill(build::condition(cond));
        let (x, y) = (self.spill_sv(x), self.spill_sv(y));
        // The type is that of what is made of both.
        let both = self.arith(Op::Add, x.clone(), y.clone(), span)?;
        let own = |l: &mut Self, sv: &Sv| l.in_repr(sv, both.repr(), true);
        let (Some(kind), Some(x), Some(y)) = (
            both.kinds.single().filter(|k| k.is_float()),
            own(self, &x),
            own(self, &y),
        ) else {
            return Err(unsupported("this form of numpy.where", span));
        };
        Ok(Sv::of(build::select(cond, x, y, kind_ty(kind)), kind))
    }

    /// Which of two zeros of different signs is the least or greatest differs within one array: where vectors end.
    fn check_zeros(&mut self, both: &[Sv], span: Span) {
        let [a, b] = both else { return };
        if !a.repr().is_float() || !b.repr().is_float() {
            return;
        }
        let known = |sv: &Sv| sv.as_float().is_some_and(|v| v != 0.0);
        if known(a) || known(b) {
            return;
        }
        let ty = Ty::PY_FLOAT;
        let wide = |l: &mut Self, sv: &Sv| l.in_repr(sv, Scalar::F64, false);
        let (Some(x), Some(y)) = (wide(self, a), wide(self, b)) else {
            return;
        };
        let sign = |e: Expr| {
            let one = build::float(1.0, ty, span);
            build::call(Fun::Copysign, Lib::C, vec![one, e], ty, false, span)
        };
        let unequal = build::compare(CmpOp::Ne, x.clone(), y.clone(), Ty::PY_BOOL, span);
        let alike = build::compare(CmpOp::Eq, sign(x), sign(y), Ty::PY_BOOL, span);
        self.emit_check(build::or(unequal, alike));
    }

    /// `array ** exponent`: NumPy squares, takes roots and reciprocals where a number says so, and otherwise calls its own power.
    fn array_power(&mut self, a: Sv, b: Sv, span: Span) -> R<Sv> {
        if a.is_bottom() || b.is_bottom() {
            return Ok(Sv::bottom(span));
        }
        let known = b.as_float().or(b.as_int().map(|v| v as f64));
        let float = a.kinds.every(Kind::is_float);
        if known == Some(2.0) && a.kinds.numpy() == a.kinds && (float || b.as_int().is_some()) {
            let a = self.spill_sv(a);
            return self.arith(Op::Mul, a.clone(), a, span);
        }
        if !float || !b.kinds.every(|k| k.is_float() || k.is_integral()) {
            return Err(unsupported("a power of ints", span));
        }
        match known {
            Some(0.5) => self.numpy(NumpyFn::Unary(Fun::Sqrt), vec![a], span),
            // What NumPy's releases make of these differs.
            Some(-1.0 | 0.0 | 1.0) => Err(unsupported("this power", span)),
            _ => self.numpy(NumpyFn::Binary(Fun::Pow), vec![a, b], span),
        }
    }

    /// `target = value`, or `target op= value`, for a part of an array.
    pub fn fill(&mut self, target: Section, op: Option<Op>, value: Val, span: Span) -> R<()> {
        self.writable(target.capture, target.array, span)?;
        if self.arrays[target.array].starts {
            // In the first iteration it may be an array that others have, too.
            let what = "an array updated in place that other assignments make anew";
            return Err(unsupported(what, span));
        }
        let value = self.operand(value, span)?;
        let shape = target.shape();
        let Some(ahead) = shape.len().checked_sub(value.shape.len()) else {
            return Err(unsupported("more axes than there are", span));
        };
        for (x, y) in shape[ahead..].iter().zip(&value.shape) {
            self.check_alike(x, y, span);
        }
        let apart = self.keeps_apart(&target, &value.node);
        let node = match op {
            None => value.node,
            Some(op) => {
                let old = Node::Part(target.clone());
                Node::Binary(op, Box::new(old), Box::new(value.node))
            }
        };
        let operations = node.operations();
        let copies = if op.is_none() { 1.0 } else { 0.0 };
        self.tally(Work::ArrayCall, operations + copies);
        if apart {
            return self.store_all(&target, op.is_some(), &node, operations + copies, span);
        }
        let like = Elementwise::of(target.clone(), &self.arrays).like;
        let elem = self.arrays[target.array].storage;
        let to = self.temporary(like, &shape, elem, span)?;
        self.store_all(&to, op.is_some(), &node, operations + copies, span)?;
        let computed = Node::Part(to.clone());
        self.store_all(&target, false, &computed, 0.0, span)?;
        self.release(&to);
        Ok(())
    }

    /// Computes the elements of a part of an array, one after the other.
    pub fn store_all(
        &mut self,
        target: &Section,
        in_place: bool,
        node: &Node,
        operations: f64,
        span: Span,
    ) -> R<()> {
        self.over(&target.shape(), span, |l, counters| {
            l.tally(Work::ArrayElement, operations);
            let value = l.element_of(node, counters, span)?;
            l.fill_element(target, in_place, counters, value, span)
        })
    }

    pub fn fill_element(
        &mut self,
        target: &Section,
        in_place: bool,
        counters: &[Expr],
        value: Sv,
        span: Span,
    ) -> R<()> {
        let array = target.array;
        self.arrays[array].written = true;
        let access = self.accesses.push(Access {
            array,
            store: true,
            span,
        });
        if value.is_bottom() {
            return Ok(());
        }
        let value = self.commit(value);
        let storage = self.arrays[array].storage;
        let own = Kinds::of(Kind::Np(storage));
        let both_floats = storage.is_float() && value.kinds.every(Kind::is_float);
        if in_place && value.kinds != own && !both_floats {
            return Err(unsupported("an update that changes the type", span));
        }
        let value = self.ndarray_form(&value, array, span)?;
        let value = build::retype(value, self.arrays[array].elem);
        let kind = StmtKind::Store {
            access,
            array,
            index: target.element_at(counters),
            value,
            guard: false,
        };
        self.emit(kind, span);
        Ok(())
    }

    /// Nested loops over all places of a shape.
    pub fn over(
        &mut self,
        shape: &[Expr],
        span: Span,
        body: impl FnOnce(&mut Self, &[Expr]) -> R<()>,
    ) -> R<()> {
        let mut counters = Vec::with_capacity(shape.len());
        self.over_rest(shape, &mut counters, span, body)
    }

    fn over_rest(
        &mut self,
        shape: &[Expr],
        counters: &mut Vec<Expr>,
        span: Span,
        body: impl FnOnce(&mut Self, &[Expr]) -> R<()>,
    ) -> R<()> {
        let Some((stop, rest)) = shape.split_first() else {
            return body(self, counters);
        };
        let id = self.open_loop(String::new(), span);
        let counter = self.hidden(Ty::PY_INT);
        self.counters.insert(counter, (0, i64::MAX.into()));
        let lowered = self.inner(|l| {
            l.stable.push(counter);
            counters.push(build::var(counter, Ty::PY_INT, span));
            l.over_rest(rest, counters, span, body)
        });
        self.close_loop();
        let ((), body) = lowered?;
        let (start, step) = (Expr::int(0, span), Expr::int(1, span));
        self.emit(
            StmtKind::For(For {
                id,
                counter,
                start,
                stop: stop.clone(),
                step,
                body,
            }),
            span,
        );
        Ok(())
    }

    pub fn writable(&self, capture: u32, array: ArrayId, span: Span) -> R<()> {
        let writable = self.arrays[array].kind == ArrayKind::Scratch
            || matches!(
                self.captures.get(capture as usize),
                Some(Capture::Array {
                    writable: true,
                    kind: ArrayKind::Ndarray,
                    ..
                })
            );
        match writable {
            true => Ok(()),
            false => Err(refuse(
                span,
                Refusal::ReadOnly {
                    name: self.arrays[array].name.clone(),
                },
            )),
        }
    }

    /// The arrays that must not share memory. Slots that trade places hold each other's arrays in turn.
    pub fn all_apart(&self) -> Vec<(ArrayId, ArrayId)> {
        let of = |local: &usize| self.slots.get(&self.hir.locals[*local].capture?).copied();
        let group = |slot: ArrayId| -> Vec<ArrayId> {
            let mut groups = self.hir.swap_groups.iter();
            let own = groups.find(|g| g.iter().any(|l| of(l) == Some(slot)));
            own.map_or(vec![slot], |g| g.iter().filter_map(of).collect())
        };
        let mut all = BTreeSet::new();
        // What is copied when the nest begins must not change in between.
        let mut apart = self.apart.clone();
        for copied in self.arrays.values().filter(|d| d.starts) {
            let Some(from) = self.slots.get(&copied.capture) else {
                continue;
            };
            let written = self.arrays.iter().filter(|(_, d)| d.written);
            let written = written.filter(|(_, d)| d.kind == ArrayKind::Ndarray);
            apart.extend(written.map(|(to, _)| (*from, to)));
        }
        for (a, b) in &apart {
            for x in group(*a) {
                // One slot with itself is no pair of two that trade places.
                let others = if a == b { vec![x] } else { group(*b) };
                all.extend(others.into_iter().map(|y| (x.min(y), x.max(y))));
            }
        }
        all.into_iter().collect()
    }

    /// Whether storing into `target` one by one does not change what is still to be read. Of other arrays that is asked at
    /// each launch.
    fn keeps_apart(&mut self, target: &Section, value: &Node) -> bool {
        let mut read = vec![];
        value.sections(&mut |s| read.push(s));
        // What lies on itself is written more than once.
        self.apart.insert((target.array, target.array));
        let mut apart = true;
        for source in read {
            if source.array != target.array {
                self.apart.insert((target.array, source.array));
            } else {
                apart &= sections::keep_apart(target, source);
            }
        }
        apart
    }
}
