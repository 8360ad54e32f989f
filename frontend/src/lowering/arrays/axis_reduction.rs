//! Reductions along one axis (`x.sum(axis=0)`, `np.max(x, axis=-1, keepdims=True)`), and other arrangements of whole arrays:
//! `np.outer(u, v)`, `np.flip(x)`, `x.T`.
//!
//! NumPy goes through an array that lies in memory row by row in that order: along the last axis it reduces each row as if that
//! were alone, along another one it adds row to row.

use nestwise_ir::model::nest::{CmpOp, Expr};
use nestwise_ir::surface::BinOp as Op;
use nestwise_ir::{Precondition, Scalar, Span, Ty, Work};

use crate::builtins::{ArrayFn, Known, NumpyFn};
use crate::lowering::arrays::elementwise::{Elementwise, Node, kind_ty, unsupported};
use crate::lowering::arrays::offsets::minus;
use crate::lowering::arrays::view::{Axis, Section};
use crate::lowering::expr::constant_bool;
use crate::lowering::lower::Lower;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::{Sv, Val};
use crate::lowering::{R, build};

/// Along what a reduction goes.
#[derive(Default, PartialEq)]
pub(crate) struct Along {
    /// An axis; none: all.
    axis: Option<i128>,
    /// An axis of one element takes its place.
    pub keep: bool,
}

impl Along {
    /// The first axis.
    pub fn first() -> Along {
        Along {
            axis: Some(0),
            keep: false,
        }
    }

    /// Takes a keyword argument; none: what that says is not known here.
    pub fn set(&mut self, key: &str, value: Val) -> Option<()> {
        match (key, value) {
            ("axis", Val::None) => self.axis = None,
            ("axis", Val::Scalar(sv)) if sv.is_int() => self.axis = Some(sv.as_int()?),
            ("keepdims", Val::Scalar(sv)) => self.keep = constant_bool(&sv.e)?,
            _ => return None,
        }
        Some(())
    }

    /// Which of so many axes that is, if it is one of them; none: all.
    pub fn axis_of(&self, rank: usize) -> Option<Option<usize>> {
        let axis = self.axis?;
        let axis = if axis < 0 { axis + rank as i128 } else { axis };
        Some(usize::try_from(axis).ok().filter(|a| *a < rank))
    }
}

impl Lower<'_> {
    /// One value for each line along an axis of several.
    pub fn along(
        &mut self,
        f: ArrayFn,
        a: Elementwise,
        axis: usize,
        keep: bool,
        span: Span,
    ) -> R<Val> {
        let Some(kind) = self.element_kind(&a, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        let mut like = a.like.clone();
        let from = self.in_memory(&a, kind, span)?;
        self.goes_by_rows(&a.node, span)?;
        let mut shape = from.shape();
        let len = shape.remove(axis);
        like.iter_mut().for_each(|axes| _ = axes.remove(axis));
        let result = result(f, kind).ok_or_else(|| {
            let name = Known::Numpy(NumpyFn::Array(f)).name();
            unsupported(&format!("{name} along an axis of {kind}"), span)
        })?;
        let to = self.temporary(like, &shape, result.natural(), span)?;
        let sum = matches!(f, ArrayFn::Sum | ArrayFn::Mean) && kind.is_float();
        if sum && axis < shape.len() {
            self.add_rows(&from, &to, axis, &len, span)?;
            if f == ArrayFn::Mean {
                self.check_not_empty(&len, span);
                let len = Sv::of(len, Kind::PyInt).with_range((1, i64::MAX.into()));
                let len = self.spill_sv(len);
                self.divide_all(&to, &len, span)?;
            }
        } else {
            let name = Known::Numpy(NumpyFn::Array(f)).name();
            self.over(&shape, span, |l, counters| {
                let line = Elementwise::of(from.line(axis, counters), &l.arrays);
                let value = l.reduce_all(f, line, &name, span)?;
                l.fill_element(&to, false, counters, value, span)
            })?;
        }
        self.let_go(&a, &from);
        let mut part = to;
        if keep {
            part.axes.insert(axis, Axis::New);
        }
        Ok(Val::Array(Box::new(Elementwise::made(part, &self.arrays))))
    }

    /// What is computed from arrays that lie row by row does so, too.
    pub fn goes_by_rows(&mut self, node: &Node, span: Span) -> R<()> {
        if node.turns() {
            return Err(unsupported(
                "what depends on how a transposed array lies",
                span,
            ));
        }
        let mut all = vec![];
        node.sections(&mut |s, _| all.push(s));
        let back = |axis: &Axis| matches!(axis, Axis::Range { step, .. } if *step < 0);
        if all.iter().any(|s| s.axes.iter().any(back)) {
            return Err(unsupported(
                "a reduction along an axis of a reversed array",
                span,
            ));
        }
        for section in all {
            self.require(Precondition::RowMajor(section.array));
        }
        Ok(())
    }

    /// Sums along an axis that is not the last one.
    fn add_rows(
        &mut self,
        from: &Section,
        to: &Section,
        axis: usize,
        len: &Expr,
        span: Span,
    ) -> R<()> {
        let shape = to.shape();
        // If there is one number in each row NumPy takes them for one row.
        let zero = Expr::int(0, span);
        let long = |e: &Expr| {
            let one = Expr::int(1, span);
            build::compare(CmpOp::Gt, e.clone(), one, Ty::PY_BOOL, span)
        };
        let behind = shape[axis..].iter().map(long);
        self.emit_check(behind.reduce(build::or).unwrap_or(zero));
        let storage = self.arrays[to.array].storage;
        let kind = Kind::Np(storage);
        let nothing = Sv::of(build::float(0.0, kind_ty(kind), span), kind);
        self.store_all(to, false, &Node::Scalar(nothing), 0.0, span)?;
        self.hidden_loop("row", (0, len.clone()), span, |l, counter| {
            let row = from.at(axis, build::var(counter, Ty::PY_INT, span));
            let (sum, row) = (Node::Part(to.clone()), Node::Part(row));
            let node = Node::Binary(Op::Add, Box::new(sum), Box::new(row));
            l.store_all(to, true, &node, 1.0, span)
        })
    }

    /// Divides all elements by a number of them.
    pub fn divide_all(&mut self, to: &Section, len: &Sv, span: Span) -> R<()> {
        self.over(&to.shape(), span, |l, counters| {
            l.tally(Work::ArrayElement, 1.0);
            let sum = l.element_of(&Node::Part(to.clone()), counters, span)?;
            let mean = l.divided(sum, len.clone(), span)?;
            l.fill_element(to, true, counters, mean, span)
        })
    }

    /// The elements of an array in another arrangement.
    pub fn arranged(&mut self, f: ArrayFn, mut args: Vec<Val>, span: Span) -> R<Val> {
        let unknown = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
        if args.iter().any(unknown) {
            return Ok(Val::Scalar(Sv::bottom(span)));
        }
        let wrong = || unsupported(&format!("this form of numpy.{}", f.name()), span);
        if !args.iter().all(|v| self.is_numpy_array(v)) {
            return Err(wrong());
        }
        self.tally(Work::ArrayCall, 5.0);
        let last = args.pop().ok_or_else(wrong)?;
        if f == ArrayFn::Transpose && args.is_empty() {
            return match self.operand(last, span)?.node {
                Node::Part(section) => Ok(self.turned(section)),
                _ => Err(unsupported("the transpose of what is computed", span)),
            };
        }
        if f == ArrayFn::Diff && args.is_empty() {
            return self.differences(last, span);
        }
        let Some((last, fresh)) = self.line_of(last, span)? else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        match (f, args.pop()) {
            (ArrayFn::Flip, None) => {
                let flipped = last.reversed();
                Ok(Val::Array(Box::new(Elementwise {
                    fresh,
                    ..Elementwise::of(flipped, &self.arrays)
                })))
            }
            (ArrayFn::Outer, Some(first)) if args.is_empty() => {
                let Some((mut first, _)) = self.line_of(first, span)? else {
                    return Ok(Val::Scalar(Sv::bottom(span)));
                };
                first.axes.push(Axis::New);
                let [first, last] = [first, last].map(|s| {
                    let part = Elementwise::of(s, &self.arrays);
                    Val::Array(Box::new(part))
                });
                self.array_binary(Op::Mul, first, last, span)
            }
            _ => Err(wrong()),
        }
    }

    /// What each element along the last axis has over the one before.
    fn differences(&mut self, value: Val, span: Span) -> R<Val> {
        let tree = self.reduced(value, span)?;
        let kind = match self.element_kind(&tree, span)? {
            None => return Ok(Val::Scalar(Sv::bottom(span))),
            Some(kind) if kind.is_bool() => {
                return Err(unsupported("numpy.diff of bools", span));
            }
            Some(kind) => kind,
        };
        let all = self.in_memory(&tree, kind, span)?;
        let shape = all.shape();
        let axis = shape.len() - 1;
        self.check_not_empty(&shape[axis], span);
        let [one, many] = [Expr::int(1, span), minus(&shape[axis], &Expr::int(1, span))];
        let [later, earlier] = [one, Expr::int(0, span)].map(|first| {
            let part = all.narrowed(axis, first, many.clone());
            Val::Array(Box::new(Elementwise::of(part, &self.arrays)))
        });
        self.array_binary(Op::Sub, later, earlier, span)
    }

    /// `x.T` of a part of an array.
    pub fn turned(&self, section: Section) -> Val {
        let tree = Elementwise::of(section.clone(), &self.arrays);
        let tree = match tree.shape.len() > 1 {
            true => tree.turned(Node::Turned(section)),
            false => tree,
        };
        Val::Array(Box::new(tree))
    }

    /// An array of one axis in memory, and whether nobody else has it; none: its type is not known yet.
    fn line_of(&mut self, value: Val, span: Span) -> R<Option<(Section, bool)>> {
        let tree = self.reduced(value, span)?;
        if tree.shape.len() != 1 {
            return Err(unsupported("an arrangement of several axes", span));
        }
        let Some(kind) = self.element_kind(&tree, span)? else {
            return Ok(None);
        };
        let fresh = tree.part().is_none();
        Ok(Some((self.in_memory(&tree, kind, span)?, fresh)))
    }
}

/// The type of the values of a reduction along an axis; none: it is not one of those known here.
fn result(f: ArrayFn, kind: Kind) -> Option<Kind> {
    let natural = kind.natural();
    let float = matches!(natural, Scalar::F64 | Scalar::F32);
    let int = natural == Scalar::Bool || natural.is_int();
    match f {
        ArrayFn::Sum if float => Some(kind),
        ArrayFn::Sum if int => Some(Kind::Np(
            match natural.is_unsigned() && natural != Scalar::Bool {
                true => Scalar::U64,
                false => Scalar::I64,
            },
        )),
        ArrayFn::Mean if float => Some(kind),
        ArrayFn::Max | ArrayFn::Min if float || int => Some(kind),
        ArrayFn::Any | ArrayFn::All if natural == Scalar::Bool => Some(kind),
        ArrayFn::Argmax | ArrayFn::Argmin if float || int => Some(Kind::Np(Scalar::I64)),
        _ => None,
    }
}
