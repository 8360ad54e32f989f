//! Subscripts that need more than resolving. A list of numbers is an array to NumPy; rows that change places by two
//! such lists (`A[[k, p]] = A[[p, k]]`) are copied one by one before they are stored; and the array of which a computed
//! part is taken gets a name.

use nestwise_ir::{ArrayKind, Span, surface as s};

use crate::builtins::{ArrayFn, Known, NumpyFn};
use crate::lowering::hir::{Expr, ExprKind, Kind, Stmt, Target};
use crate::lowering::names::resolve::{Names, Res, Resolver};
use crate::refusal::R;
use crate::site::captures::Capture;

/// A part of an array: the array, the numbers in the list that is its first subscript, and the slices after that.
struct Rows<'e> {
    base: &'e s::Expr,
    numbers: &'e [s::Expr],
    slices: &'e [s::Expr],
}

impl<'e> Rows<'e> {
    fn of(base: &'e s::Expr, index: &'e [s::Expr]) -> Option<Rows<'e>> {
        let [first, slices @ ..] = index else {
            return None;
        };
        let s::ExprKind::List(numbers) = &first.kind else {
            return None;
        };
        let rows = Rows {
            base,
            numbers,
            slices,
        };
        slices.iter().all(s::Expr::is_slice).then_some(rows)
    }

    /// The subscripts of the row with this number.
    fn index(&self, number: &s::Expr) -> Vec<s::Expr> {
        let number = std::iter::once(number.clone());
        number.chain(self.slices.iter().cloned()).collect()
    }
}

impl Resolver<'_> {
    /// Resolves subscripts; a list display becomes an array, and a name that holds a tuple a subscript for each element.
    pub(crate) fn subscripts(&mut self, names: &mut Names, index: &[s::Expr]) -> R<Vec<Expr>> {
        if let [whole] = index
            && let s::ExprKind::Path(id) = whole.kind
            && names.tuples.contains_key(&id)
            && let ExprKind::Tuple(elements) = self.expr(names, whole)?.kind
        {
            return Ok(elements);
        }
        let mut all = Vec::with_capacity(index.len());
        for item in index {
            all.push(match &item.kind {
                s::ExprKind::List(items) => {
                    let items = ExprKind::Tuple(self.exprs(names, items)?);
                    of_array(ArrayFn::Array, items, item.span)
                }
                _ => self.expr(names, item)?,
            });
        }
        Ok(all)
    }

    /// Resolves an assignment of rows of an array to other rows of it: all are copied, then stored. `None` for other
    /// assignments.
    pub(crate) fn exchange(
        &mut self,
        names: &mut Names,
        targets: &[s::Target],
        value: &s::Expr,
    ) -> R<Option<Vec<Kind>>> {
        let ([s::Target::Subscript(base, index)], s::ExprKind::Subscript(from, of)) =
            (targets, &value.kind)
        else {
            return Ok(None);
        };
        let (Some(to), Some(from)) = (Rows::of(base, index), Rows::of(from, of)) else {
            return Ok(None);
        };
        let rank = match (self.rank_of(names, to.base), self.rank_of(names, from.base)) {
            (Some(to), Some(from)) if to == from => to,
            _ => return Ok(None),
        };
        if to.numbers.len() != from.numbers.len() || to.numbers.len() < 2 {
            return Ok(None);
        }
        let span = value.span;
        let (mut copies, mut stores) = (vec![], vec![]);
        for number in from.numbers {
            let kind = s::ExprKind::Subscript(Box::new(from.base.clone()), from.index(number));
            let row = self.expr(names, &s::Expr { kind, span })?;
            let value = match rank {
                1 => row,
                _ => of_array(ArrayFn::Copy, row.kind, span),
            };
            let copy = self.local("a copied row".into(), None, None);
            let targets = vec![Target::Local(self.def(copy))];
            copies.push((copy, Kind::Assign { targets, value }));
        }
        for (number, (copy, _)) in to.numbers.iter().zip(&copies) {
            let path = s::Target::Subscript(to.base.clone(), to.index(number));
            let targets = vec![self.target(names, &path, span)?];
            let kind = ExprKind::Read(self.read(*copy));
            let value = Expr { kind, span };
            stores.push(Kind::Assign { targets, value });
        }
        let copies = copies.into_iter().map(|(_, kind)| kind);
        Ok(Some(copies.chain(stores).collect()))
    }

    /// Resolves `name = f(x)[:, 0]`, a part of an array that nothing names: that array gets a name of the nest's own,
    /// and the part keeps it alive as a view does. `None` for other assignments.
    pub(crate) fn part_of_computed(
        &mut self,
        names: &mut Names,
        targets: &[s::Target],
        value: &s::Expr,
        out: &mut Vec<Stmt>,
    ) -> R<Option<Expr>> {
        let ([s::Target::Path(_)], s::ExprKind::Subscript(base, index)) = (targets, &value.kind)
        else {
            return Ok(None);
        };
        let computed = match &base.kind {
            s::ExprKind::Binary(..) | s::ExprKind::MatMul(..) | s::ExprKind::Unary(..) => true,
            s::ExprKind::Call { func, .. } => matches!(func.kind, s::ExprKind::Path(_)),
            _ => false,
        };
        if !computed || !index.iter().any(s::Expr::is_slice) {
            return Ok(None);
        }
        let span = value.span;
        let whole = self.expr(names, base)?;
        let held = self.local("an array".into(), None, None);
        let targets = vec![Target::Local(self.def(held))];
        let kind = Kind::Assign {
            targets,
            value: whole,
        };
        out.push(Stmt { kind, span });
        let kind = ExprKind::Read(self.read(held));
        let base = Box::new(Expr { kind, span });
        let kind = ExprKind::Subscript(base, self.subscripts(names, index)?);
        Ok(Some(Expr { kind, span }))
    }

    /// The number of axes of the NumPy array that an expression names; `None` if it names none, or that is not known.
    fn rank_of(&mut self, names: &mut Names, e: &s::Expr) -> Option<u32> {
        let s::ExprKind::Path(id) = e.kind else {
            return None;
        };
        let Ok(Res::Value(ExprKind::Read(read))) = self.resolve_path(names, id, e.span) else {
            return None;
        };
        let local = &self.hir.locals[read.local];
        match self.capture(local.capture.filter(|_| local.path.is_none())?) {
            Capture::Array {
                kind: ArrayKind::Ndarray,
                rank,
                ..
            } => Some(*rank),
            _ => None,
        }
    }
}

/// A call of a NumPy function with one argument.
fn of_array(f: ArrayFn, argument: ExprKind, span: Span) -> Expr {
    let kind = ExprKind::Call {
        known: Known::Numpy(NumpyFn::Array(f)),
        args: vec![Expr {
            kind: argument,
            span,
        }],
        kwargs: vec![],
    };
    Expr { kind, span }
}
