//! Dispatches calls of NumPy's functions of whole arrays to the file that lowers them.

use nestwise_ir::surface::UnOp as Sign;
use nestwise_ir::{Span, Work};

use crate::builtins::{ArrayFn, ArrayForm as Form, Builtin, Known, NumpyFn, NumpySpecial};
use crate::lowering::arrays::axis_reduction::{self, Along};
use crate::lowering::arrays::{
    concat, creation, cumsum, elementwise, matmul, reduction, roll, shapes, variance,
};
use crate::lowering::context::Lowering;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::tree::Node;
use crate::refusal::{R, Refusal, refuse, unsupported};

/// Lowers a function that does what an operator does; `None` for others.
fn as_operator(cx: &mut Lowering<'_>, f: NumpySpecial, args: &[Val], span: Span) -> Option<R<Val>> {
    match args {
        [a] if f == NumpySpecial::Negative => {
            Some(elementwise::array_sign(cx, Sign::Neg, a.clone(), span))
        }
        [a, b] => match (f.comparison(), f.bitwise()) {
            (Some(op), _) => Some(elementwise::array_compare(
                cx,
                op,
                a.clone(),
                b.clone(),
                span,
            )),
            (_, Some(op)) => Some(elementwise::array_binary(
                cx,
                op,
                a.clone(),
                b.clone(),
                span,
            )),
            _ => None,
        },
        _ => None,
    }
}

impl Lowering<'_> {
    /// Lowers a call of a NumPy function that takes arrays element by element.
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
                Form::Like => return creation::array_like(self, f, args, None, span),
                Form::Display => return creation::display(self, f, args, None, span),
                Form::Arranged => return axis_reduction::arranged(self, f, args, span),
                Form::Reduction => return reduction(self, f, args, vec![], span),
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
            let arg = elementwise::operand(self, arg, span)?;
            (shape, like) = shapes::broadcast(
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
                    self.element(&number, &[], span).map(Val::Scalar)
                }
                _ => Err(unsupported("an array without axes", span)),
            };
        }
        let node = Node::Call(known, nodes);
        Ok(elementwise::computed(node, (shape, like)))
    }
}

/// Lowers a call of a NumPy function that makes one value of arrays, or one for each line along an axis.
pub(crate) fn reduction(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    mut args: Vec<Val>,
    named: Vec<(&str, Val)>,
    span: Span,
) -> R<Val> {
    let name = Known::Numpy(NumpyFn::Array(f)).name();
    let wrong = |why: &str| {
        let (name, why) = (name.clone(), why.into());
        refuse(span, Refusal::Arguments { name, why })
    };
    let unknown = |v: &Val| matches!(v, Val::Scalar(sv) if sv.is_bottom());
    if args.iter().any(unknown) {
        return Ok(Val::Scalar(Sv::bottom(span)));
    }
    if matches!(f, ArrayFn::Var | ArrayFn::Std) {
        return variance::spread(cx, f, args, named, span);
    }
    let product = matches!(f, ArrayFn::Dot | ArrayFn::MatMul);
    let second = if args.len() > 1 { args.pop() } else { None };
    let Some(first) = args.pop().filter(|_| args.is_empty()) else {
        return Err(wrong("a wrong number of arguments"));
    };
    if !first.is_array() || product && !second.as_ref().is_some_and(Val::is_array) {
        return Err(wrong("it takes arrays"));
    }
    // Calls from Python through NumPy's dispatcher; those of C functions are cheaper.
    cx.builder
        .tally(Work::ArrayCall, if product { 1.0 } else { 5.0 });
    let mut along = Along::default();
    for (key, value) in named {
        along
            .set(key, value)
            .ok_or_else(|| wrong("these keyword arguments are not supported"))?;
    }
    if product {
        let (Some(b), true) = (second, along == Along::default()) else {
            return Err(wrong("this form is not supported"));
        };
        let (a, b) = (
            elementwise::reduced(cx, first, span)?,
            elementwise::reduced(cx, b, span)?,
        );
        return matmul::product(cx, f, a, b, span);
    }
    if let Some(axis) = second {
        along
            .set("axis", axis)
            .ok_or_else(|| wrong("this axis is not supported"))?;
    }
    if f == ArrayFn::Norm && along != Along::default() {
        return Err(wrong("this form is not supported"));
    }
    let a = elementwise::reduced(cx, first, span)?;
    match along.axis_of(a.shape.len()) {
        Some(axis) if a.shape.len() > 1 => axis_reduction::along(
            cx,
            f,
            a,
            axis.ok_or_else(|| wrong("there is no such axis"))?,
            along.keep,
            span,
        ),
        Some(Some(_)) | None if !along.keep => {
            reduction::reduce_all(cx, f, a, &name, span).map(Val::Scalar)
        }
        _ => Err(wrong("this form is not supported")),
    }
}
