//! Products of arrays: `x @ y`, `A @ x`, `np.dot(A, B)`.
//!
//! NumPy leaves those of floats to its BLAS, whose order of additions is its own and differs by how the factors lie in memory.
//! So a product is loops whose steps mean something only as all of them ([`Fun::is_fold`]), which the code generator makes one
//! call of NumPy's own code: one loop for two vectors, three where a factor is a matrix.

use nestwise_ir::model::nest::{Expr, StmtKind};
use nestwise_ir::{Fun, Lib, Scalar, Span, Ty, Work};

use crate::builtins::ArrayFn;
use crate::lowering::arrays::elementwise::{Elementwise, Like, Node, unsupported};
use crate::lowering::arrays::materialise::ELEMENT;
use crate::lowering::arrays::reduction::no_sum;
use crate::lowering::arrays::view::Section;
use crate::lowering::lower::Lower;
use crate::lowering::types::kinds::Kind;
use crate::lowering::value::{Sv, Val};
use crate::lowering::{R, build};

/// A factor in memory: a part of an array, and whether its rows are the columns of that.
struct Factor {
    part: Section,
    turned: bool,
}

impl Factor {
    /// Its element in a row and a column; a vector has what is summed alone.
    fn element(&self, places: [&Expr; 2], summed: usize) -> Vec<Expr> {
        let [row, column] = places.map(Clone::clone);
        match (self.part.shape().len(), self.turned) {
            (1, _) => vec![if summed == 0 { row } else { column }],
            (_, true) => vec![column, row],
            _ => vec![row, column],
        }
    }

    /// What is summed along `axis` at a place along the other one; all of a vector.
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

impl Lower<'_> {
    /// A product of two arrays of one or two axes.
    pub fn product(&mut self, f: ArrayFn, a: Elementwise, b: Elementwise, span: Span) -> R<Val> {
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
        self.check_alike(n, also_n, span);
        let kinds = (self.element_kind(&a, span)?, self.element_kind(&b, span)?);
        let (Some(kind), Some(other)) = kinds else {
            return Ok(Val::Scalar(Sv::bottom(span)));
        };
        if kind != other {
            return Err(no_sum(other, span));
        }
        if axes == [1, 1] {
            return self.dot(f, a, b, kind, span).map(Val::Scalar);
        }
        let one = Expr::int(1, span);
        let rows = if axes[0] == 2 { m } else { &one };
        let columns = if axes[1] == 2 { p } else { &one };
        let extents = [rows, n, columns].map(Clone::clone);
        let shape = [&a.shape[..axes[0] - 1], &b.shape[1..]].concat();
        let to = self.temporary(like_of_product(&a, &b), &shape, kind.natural(), span)?;
        match kind.natural() {
            Scalar::F64 | Scalar::F32 => {
                let [x, y] = [self.factor(&a, kind, span)?, self.factor(&b, kind, span)?];
                for factor in [&x, &y] {
                    self.lies_so_at_first(&factor.part);
                }
                self.multiply(f, [&x, &y], &to, extents, span)?;
                self.let_go(&a, &x.part);
                self.let_go(&b, &y.part);
            }
            Scalar::I64 => self.multiply_ints([&a, &b], kind, &to, span)?,
            _ => return Err(no_sum(kind, span)),
        }
        Ok(Val::Array(Box::new(Elementwise::made(to, &self.arrays))))
    }

    /// That of two vectors, of one type.
    fn dot(&mut self, f: ArrayFn, a: Elementwise, b: Elementwise, kind: Kind, span: Span) -> R<Sv> {
        match kind.natural() {
            Scalar::F64 | Scalar::F32 => {
                let parts = [
                    self.in_memory(&a, kind, span)?,
                    self.in_memory(&b, kind, span)?,
                ];
                parts.iter().for_each(|part| self.lies_so_at_first(part));
                let fun = match f {
                    ArrayFn::Dot => Fun::DotNext,
                    _ => Fun::MatMulNext,
                };
                let dot = self.folded(fun, &parts, kind, span)?;
                self.let_go(&a, &parts[0]);
                self.let_go(&b, &parts[1]);
                Ok(Sv::of(dot, kind))
            }
            Scalar::I64 => self.int_sum(&a, Some(&b.node), span),
            _ => Err(no_sum(kind, span)),
        }
    }

    /// How a factor lies is part of what it is: only what is computed is put into memory of the nest's own.
    fn factor(&mut self, tree: &Elementwise, kind: Kind, span: Span) -> R<Factor> {
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
            self.goes_by_rows(&back.node, span)?;
            let (part, turned) = (self.copied(&back, kind, span)?, true);
            return Ok(Factor { part, turned });
        }
        if tree.shape.len() > 1 && !matches!(tree.node, Node::Part(_)) {
            self.goes_by_rows(&tree.node, span)?;
        }
        let (part, turned) = (self.in_memory(tree, kind, span)?, false);
        Ok(Factor { part, turned })
    }

    /// Three loops that are one call.
    fn multiply(
        &mut self,
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
        let elem = self.arrays[to.array].elem;
        // A product with a vector takes each element of the matrix once: memory is what counts.
        let matrices = [x, y].iter().all(|of| of.part.shape().len() == 2);
        let step = match (matrices, elem.repr) {
            (false, _) => (Work::ArraySum, 1.0),
            (true, Scalar::F32) => (Work::ArrayProduct, 0.5),
            (true, _) => (Work::ArrayProduct, 1.0),
        };
        let acc = self.hidden(elem);
        self.emit_let(acc, build::float(0.0, elem, span));
        let place = |counter| build::var(counter, Ty::PY_INT, span);
        self.hidden_loop("row", (0, rows), span, |l, i| {
            l.hidden_loop("column", (0, columns), span, |l, j| {
                l.hidden_loop(ELEMENT, (0, summed), span, |l, k| {
                    l.tally(step.0, step.1);
                    let [i, j, k] = [i, j, k].map(place);
                    let x_at = x.element([&i, &k], 1);
                    let y_at = y.element([&k, &j], 0);
                    let mut args = vec![build::var(acc, elem, span)];
                    for (part, at) in [(&x.part, x_at), (&y.part, y_at)] {
                        args.push(l.section_element(part, &at, span).e);
                    }
                    // It may overflow.
                    let value = build::call(fun, Lib::Numpy, args, elem, true, span);
                    l.emit(StmtKind::Let { var: acc, value }, span);
                    Ok(())
                })?;
                let places = [(x, place(i)), (y, place(j))];
                let matrices = places
                    .into_iter()
                    .filter(|(of, _)| of.part.shape().len() == 2);
                let at: Vec<Expr> = matrices.map(|(_, place)| place).collect();
                let sum = Sv::of(build::var(acc, elem, span), Kind::Np(elem.repr));
                l.fill_element(to, false, &at, sum, span)
            })
        })
    }

    /// Sums of products of ints, one by one.
    fn multiply_ints(
        &mut self,
        [a, b]: [&Elementwise; 2],
        kind: Kind,
        to: &Section,
        span: Span,
    ) -> R<()> {
        let x = self.factor(a, kind, span)?;
        let y = self.factor(b, kind, span)?;
        self.over(&to.shape(), span, |l, counters| {
            let row = x.line(1, counters.first());
            let column = y.line(0, counters.last());
            let [row, column] = [row, column].map(|line| Elementwise::of(line, &l.arrays));
            let sum = l.int_sum(&row, Some(&column.node), span)?;
            l.fill_element(to, false, counters, sum, span)
        })?;
        self.let_go(a, &x.part);
        self.let_go(b, &y.part);
        Ok(())
    }
}

/// How long the axes of the product are.
fn like_of_product(a: &Elementwise, b: &Elementwise) -> Option<Like> {
    let (a, b) = (a.like.as_ref()?, b.like.as_ref()?);
    Some([&a[..a.len() - 1], &b[1..]].concat())
}
