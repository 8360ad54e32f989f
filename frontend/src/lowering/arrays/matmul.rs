//! Products of arrays: `x @ y`, `A @ x`, `np.dot(A, B)`.
//!
//! NumPy leaves products of floats to its BLAS, whose order of additions is its own and depends on how the factors lie
//! in memory. So a product becomes loops that have a meaning only as a whole ([`Fun::is_fold`]), which the code
//! generator makes one call of NumPy's own code: one loop for two vectors, three where a factor is a matrix.

use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::{Fun, Lib, Scalar, Span, Ty, Work};

use crate::builtins::ArrayFn;
use crate::lowering::arrays::materialise::{self, ELEMENT};
use crate::lowering::arrays::reduction::{self, no_sum};
use crate::lowering::arrays::{access, elementwise, in_memory, shapes, temporary};
use crate::lowering::build;
use crate::lowering::context::Lowering;
use crate::lowering::control::for_loop::emit;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::Val;
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::tree::{Elementwise, Like, Node};
use crate::refusal::{R, unsupported};

/// A factor in memory: a part of an array, and whether the factor is its transpose.
struct Factor {
    part: Section,
    turned: bool,
}

impl Factor {
    /// The subscripts of the factor's element in a row and a column; a vector is indexed by the summed one (`summed`)
    /// alone.
    fn element(&self, places: [&Expr; 2], summed: usize) -> Vec<Expr> {
        let [row, column] = places.map(Clone::clone);
        match (self.part.shape().len(), self.turned) {
            (1, _) => vec![if summed == 0 { row } else { column }],
            (_, true) => vec![column, row],
            _ => vec![row, column],
        }
    }

    /// The line along `axis` at a position along the other axis; all of a vector.
    fn line(&self, axis: usize, place: Option<&Expr>) -> Section {
        match (self.part.shape().len(), place) {
            (2, Some(place)) => {
                let axis = if self.turned { 1 - axis } else { axis };
                self.part.line(axis, std::slice::from_ref(place))
            }
            _ => self.part.clone(),
        }
    }
}

/// A product of two arrays of one or two axes.
pub(crate) fn product(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    a: Elementwise,
    b: Elementwise,
    span: Span,
) -> R<Val> {
    let axes = [a.shape.len(), b.shape.len()];
    if axes.iter().any(|n| !(1..=2).contains(n)) {
        let what = format!("{} of {} and {} axes", f.name(), axes[0], axes[1]);
        return Err(unsupported(&what, span));
    }
    let (m, n) = (a.shape.first(), a.shape.last());
    let (also_n, p) = (b.shape.first(), b.shape.last());
    let (Some(m), Some(n), Some(also_n), Some(p)) = (m, n, also_n, p) else {
        return Err(unsupported("a product of numbers", span));
    };
    shapes::check_alike(&mut cx.builder, n, also_n, span);
    let kinds = (
        elementwise::element_kind(cx, &a, span)?,
        elementwise::element_kind(cx, &b, span)?,
    );
    let (Some(kind), Some(other)) = kinds else {
        return Ok(Val::Scalar(Sv::bottom(span)));
    };
    if kind != other {
        return Err(no_sum(other, span));
    }
    if axes == [1, 1] {
        return dot(cx, f, a, b, kind, span).map(Val::Scalar);
    }
    let one = Expr::int(1, span);
    let rows = if axes[0] == 2 { m } else { &one };
    let columns = if axes[1] == 2 { p } else { &one };
    let extents = [rows, n, columns].map(Clone::clone);
    let shape = [&a.shape[..axes[0] - 1], &b.shape[1..]].concat();
    let to = temporary::temporary(cx, like_of_product(&a, &b), &shape, kind.natural(), span)?;
    match kind.natural() {
        Scalar::F64 | Scalar::F32 => {
            let [x, y] = [factor(cx, &a, kind, span)?, factor(cx, &b, kind, span)?];
            for factor in [&x, &y] {
                in_memory::require_contiguous_at_entry(cx, &factor.part);
            }
            multiply(cx, f, [&x, &y], &to, extents, span)?;
            in_memory::release_operand(cx, &a, &x.part);
            in_memory::release_operand(cx, &b, &y.part);
        }
        Scalar::I64 => multiply_ints(cx, [&a, &b], kind, &to, span)?,
        _ => return Err(no_sum(kind, span)),
    }
    Ok(Val::Array(Box::new(Elementwise::made(
        to,
        &cx.builder.arrays,
    ))))
}

/// The product of two vectors of one type.
fn dot(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    a: Elementwise,
    b: Elementwise,
    kind: Kind,
    span: Span,
) -> R<Sv> {
    match kind.natural() {
        Scalar::F64 | Scalar::F32 => {
            let parts = [
                in_memory::in_memory(cx, &a, kind, span)?,
                in_memory::in_memory(cx, &b, kind, span)?,
            ];
            parts
                .iter()
                .for_each(|part| in_memory::require_contiguous_at_entry(cx, part));
            let fun = match f {
                ArrayFn::Dot => Fun::DotNext,
                _ => Fun::MatMulNext,
            };
            let dot = reduction::folded(cx, fun, &parts, kind, span)?;
            in_memory::release_operand(cx, &a, &parts[0]);
            in_memory::release_operand(cx, &b, &parts[1]);
            Ok(Sv::of(dot, kind))
        }
        Scalar::I64 => reduction::int_sum(cx, &a, Some(&b.node), span),
        _ => Err(no_sum(kind, span)),
    }
}

/// Puts a factor into memory: one that is a part of an array stays where it is, since how it lies decides the order of
/// additions; a computed one goes to memory of the nest's own.
fn factor(cx: &mut Lowering<'_>, tree: &Elementwise, kind: Kind, span: Span) -> R<Factor> {
    if let Node::Turned(part) = &tree.node {
        let (part, turned) = (part.clone(), true);
        return Ok(Factor { part, turned });
    }
    if tree.shape.len() > 1 && tree.node.turns() {
        // What is computed of transposed arrays alone lies like them, column by column.
        let node = tree.node.turned_back().ok_or_else(|| {
            let what = "a product of what is computed of a transposed array and others";
            unsupported(what, span)
        })?;
        let back = tree.clone().turned(node);
        in_memory::require_row_major(cx, &back.node, span)?;
        let (part, turned) = (in_memory::copied(cx, &back, kind, span)?, true);
        return Ok(Factor { part, turned });
    }
    if tree.shape.len() > 1 && !matches!(tree.node, Node::Part(_)) {
        in_memory::require_row_major(cx, &tree.node, span)?;
    }
    let (part, turned) = (in_memory::in_memory(cx, tree, kind, span)?, false);
    Ok(Factor { part, turned })
}

/// Emits the product of two matrices as three loops that become one call.
fn multiply(
    cx: &mut Lowering<'_>,
    f: ArrayFn,
    [x, y]: [&Factor; 2],
    to: &Section,
    [rows, summed, columns]: [Expr; 3],
    span: Span,
) -> R<()> {
    let fun = match f {
        ArrayFn::Dot => Fun::DotEachNext,
        _ => Fun::MatMulEachNext,
    };
    let elem = cx.builder.arrays[to.array].elem;
    // A product with a vector takes each element of the matrix once: memory is what counts.
    let matrices = [x, y].iter().all(|of| of.part.shape().len() == 2);
    let step = match (matrices, elem.repr) {
        (false, _) => (Work::ArraySum, 1.0),
        (true, Scalar::F32) => (Work::ArrayProduct, 0.5),
        (true, _) => (Work::ArrayProduct, 1.0),
    };
    let acc = cx.builder.hidden(elem);
    cx.builder.emit_let(acc, build::float(0.0, elem, span));
    let place = |counter| build::var(counter, Ty::PY_INT, span);
    emit::hidden_loop(cx, "row", (0, rows), span, |cx, i| {
        emit::hidden_loop(cx, "column", (0, columns), span, |cx, j| {
            emit::hidden_loop(cx, ELEMENT, (0, summed), span, |cx, k| {
                cx.builder.tally(step.0, step.1);
                let [i, j, k] = [i, j, k].map(place);
                let x_at = x.element([&i, &k], 1);
                let y_at = y.element([&k, &j], 0);
                let mut args = vec![build::var(acc, elem, span)];
                for (part, at) in [(&x.part, x_at), (&y.part, y_at)] {
                    args.push(access::section_element(&mut cx.builder, part, &at, span).e);
                }
                // A sum of products may overflow.
                let value = build::call(fun, Lib::Numpy, args, elem, true, span);
                cx.builder.emit(StmtKind::Let { var: acc, value }, span);
                Ok(())
            })?;
            let places = [(x, place(i)), (y, place(j))];
            let matrices = places
                .into_iter()
                .filter(|(of, _)| of.part.shape().len() == 2);
            let at: Vec<Expr> = matrices.map(|(_, place)| place).collect();
            let sum = Sv::of(build::var(acc, elem, span), Kind::Np(elem.repr));
            materialise::fill_element(cx, to, false, &at, sum, span)
        })
    })
}

/// Emits the product of two arrays of ints as loops that add products one by one.
fn multiply_ints(
    cx: &mut Lowering<'_>,
    [a, b]: [&Elementwise; 2],
    kind: Kind,
    to: &Section,
    span: Span,
) -> R<()> {
    let x = factor(cx, a, kind, span)?;
    let y = factor(cx, b, kind, span)?;
    materialise::over(cx, &to.shape(), span, |cx, counters| {
        let row = x.line(1, counters.first());
        let column = y.line(0, counters.last());
        let [row, column] = [row, column].map(|line| Elementwise::of(line, &cx.builder.arrays));
        let sum = reduction::int_sum(cx, &row, Some(&column.node), span)?;
        materialise::fill_element(cx, to, false, counters, sum, span)
    })?;
    in_memory::release_operand(cx, a, &x.part);
    in_memory::release_operand(cx, b, &y.part);
    Ok(())
}

/// The extents of the product's axes, where those of the factors are known.
fn like_of_product(a: &Elementwise, b: &Elementwise) -> Option<Like> {
    let (a, b) = (a.like.as_ref()?, b.like.as_ref()?);
    Some([&a[..a.len() - 1], &b[1..]].concat())
}
