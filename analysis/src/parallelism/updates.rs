//! Updates: values that combine what a variable or an element holds with something independent of it.

use nestwise_ir::model::nest::{Cast, Const, Expr, ExprKind, Nest};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{ArrayId, BinOp, CmpOp, FpMode, Prov, Scalar, Ty, UnOp, VarId};

use crate::structure::same;

/// What an update changes.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The update changes a variable.
    Var(VarId),
    /// The update changes an element; the subscripts have the values that they have at the update.
    Element(ArrayId, &'a [Expr]),
}

/// Recognises updates of one variable or element.
#[derive(Clone, Copy)]
pub(crate) struct Accumulator<'a> {
    pub(crate) place: Place<'a>,
    /// The type of the variable or element.
    pub(crate) ty: Ty,
    pub(crate) fp: FpMode,
}

/// Whether a sum only grows or only falls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Up,
    Down,
}

impl Way {
    fn back(self) -> Way {
        match self {
            Way::Up => Way::Down,
            Way::Down => Way::Up,
        }
    }
}

impl<'a> Accumulator<'a> {
    /// Makes the recogniser of updates of a variable.
    pub(crate) fn of_var(nest: &Nest, v: VarId, fp: FpMode) -> Option<Accumulator<'a>> {
        let ty = nest.vars.get(v)?.ty;
        let place = Place::Var(v);
        Some(Accumulator { place, ty, fp })
    }

    /// Whether an expression reads the variable or element.
    fn is(&self, e: &Expr) -> bool {
        match (self.place, &e.kind) {
            (Place::Var(v), ExprKind::Var(x)) => *x == v,
            (Place::Element(a, at), ExprKind::Load { array, index, .. }) => {
                *array == a
                    && index.len() == at.len()
                    && index.iter().zip(at).all(|(x, y)| same(x, y))
            }
            _ => false,
        }
    }

    /// How often an expression reads the variable, or any element of the array.
    pub(crate) fn reads(&self, e: &Expr) -> usize {
        let mut n = 0;
        e.walk(&mut |e| {
            n += usize::from(match (self.place, &e.kind) {
                (Place::Var(v), ExprKind::Var(x)) => *x == v,
                (Place::Element(a, _), ExprKind::Load { array, .. }) => *array == a,
                _ => false,
            });
        });
        n
    }

    fn free(&self, e: &Expr) -> bool {
        self.reads(e) == 0
    }

    /// The reduction of `if x op v: v = value`, if it is one: `value` must be the same expression as `x`.
    pub(crate) fn replacing(&self, cond: &Expr, value: &Expr) -> Option<RedOp> {
        let ExprKind::Compare { op, a, b } = &cond.kind else {
            return None;
        };
        let (x, op) = self.compared(*op, a, b)?;
        same(x, value).then_some(())?;
        self.better(op, true)
    }

    /// The `x` and the `op` of a comparison `x op v`, or of `v op x` turned round.
    fn compared<'e>(&self, op: CmpOp, a: &'e Expr, b: &'e Expr) -> Option<(&'e Expr, CmpOp)> {
        let (x, op) = match (self.is(a), self.is(b)) {
            (_, true) => (a, op),
            (true, _) => (b, op.mirrored()),
            _ => return None,
        };
        self.free(x).then_some((x, op))
    }

    /// The reduction that replaces `v` by `x` when `x op v`; `keeps`: otherwise `v` stays, and is not replaced by an
    /// equal `x`.
    fn better(&self, op: CmpOp, keeps: bool) -> Option<RedOp> {
        let repr = self.ty.repr;
        // Among equal floats (0.0 and -0.0) the first must stay, and NaN must never replace: only the strict comparison
        // that keeps the old value does both.
        let (min, strict) = match op {
            CmpOp::Lt => (true, true),
            CmpOp::Le => (true, false),
            CmpOp::Gt => (false, true),
            CmpOp::Ge => (false, false),
            _ => return None,
        };
        let fits = repr.is_int() || (repr.is_float() && strict && keeps);
        fits.then_some(if min { RedOp::Min } else { RedOp::Max })
    }

    /// The reduction of a value that combines the variable or element with something independent of it.
    pub(crate) fn combining(&self, value: &Expr) -> Option<RedOp> {
        let value = plain(value)?;
        match &value.kind {
            ExprKind::Binary { op, a, b, .. } => self.binary(*op, a, b),
            ExprKind::Select { cond, then, orelse } => self.select(cond, then, orelse),
            _ => None,
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<RedOp> {
        let (other, left) = match (self.is(a), self.is(b)) {
            (true, false) => (b, true),
            (false, true) => (a, false),
            _ => return None,
        };
        if !self.free(other) {
            return None;
        }
        let repr = self.ty.repr;
        let int = repr.is_int();
        let fast = self.fp == FpMode::Fast && repr.is_float();
        match op {
            BinOp::Add if int || fast => Some(RedOp::Add),
            BinOp::Sub if left && (int || fast) => Some(RedOp::Add),
            BinOp::Mul if int || fast => Some(RedOp::Mul),
            BinOp::And if int || repr == Scalar::Bool => Some(RedOp::And),
            BinOp::Or if int || repr == Scalar::Bool => Some(RedOp::Or),
            BinOp::Xor if int || repr == Scalar::Bool => Some(RedOp::Xor),
            BinOp::Min if int => Some(RedOp::Min),
            BinOp::Max if int => Some(RedOp::Max),
            _ => None,
        }
    }

    fn select(&self, cond: &Expr, then: &Expr, orelse: &Expr) -> Option<RedOp> {
        let is = |e: &Expr, b: bool| matches!(e.kind, ExprKind::Const(Const::Bool(v)) if v == b);
        // v or c, c or v; v and c, c and v.
        let either = |a: &Expr, b: &Expr| self.is(a) && self.free(b) || self.is(b) && self.free(a);
        if is(then, true) && either(cond, orelse) {
            return Some(RedOp::Or);
        }
        if is(orelse, false) && either(cond, then) {
            return Some(RedOp::And);
        }
        let ExprKind::Compare { op, a, b } = &cond.kind else {
            return None;
        };
        let (x, op) = self.compared(*op, a, b)?;
        // `x if x op v else v` keeps v; `v if x op v else x` replaces it unless the comparison holds.
        if same(x, then) && self.is(orelse) {
            self.better(op, true)
        } else if self.is(then) && same(x, orelse) {
            self.better(op.negated(), false)
        } else {
            None
        }
    }

    /// The reduction of `v = True` or `v = False`: whether any, or not all, iterations assigned it.
    pub(crate) fn setting(&self, value: &Expr) -> Option<RedOp> {
        match value.kind {
            ExprKind::Const(Const::Bool(true)) => Some(RedOp::Or),
            ExprKind::Const(Const::Bool(false)) => Some(RedOp::And),
            _ => None,
        }
    }

    /// Whether partial results of NumPy's ints warn exactly where the whole result does. NumPy's ints warn where a sum
    /// leaves their range, and wrap: parts and whole warn alike only if nothing may overflow (no guard), or if all
    /// updates go one way: then the whole leaves the range if a part of it does. Python's ints grow, so their partial
    /// sums do not matter. `first` is the way of the updates so far.
    pub(crate) fn one_way(&self, value: &Expr, first: &mut Option<Way>) -> bool {
        let Some(value) = plain(value) else {
            return false;
        };
        let ExprKind::Binary { op, a, b, guard } = &value.kind else {
            return true;
        };
        if self.ty.prov == Prov::Py || !*guard || !value.ty.repr.is_int() {
            return true;
        }
        let way = match op {
            BinOp::Add => way(if self.is(a) { b } else { a }),
            BinOp::Sub => way(b).map(Way::back),
            BinOp::Mul => None,
            _ => return true,
        };
        let first = *first.get_or_insert(way.unwrap_or(Way::Up));
        // Unsigned parts start from 0, from which nothing goes down.
        way == Some(first) && !(first == Way::Down && value.ty.repr.is_unsigned())
    }
}

/// The most bindings in one value; a value with more is not examined, since each may double its size.
const MAX_NAMES: usize = 6;

/// The expression with its bindings replaced by their values; `None` if there are more than [`MAX_NAMES`].
fn plain(e: &Expr) -> Option<Expr> {
    let mut names = 0;
    e.walk(&mut |e| names += usize::from(matches!(e.kind, ExprKind::Bind { .. })));
    (names <= MAX_NAMES).then(|| without_names(e, &mut vec![]))
}

/// The expression with the variables that it binds replaced by their values.
fn without_names(e: &Expr, names: &mut Vec<(VarId, Expr)>) -> Expr {
    match &e.kind {
        ExprKind::Bind { var, value, body } => {
            let value = without_names(value, names);
            names.push((*var, value));
            let body = without_names(body, names);
            names.pop();
            body
        }
        ExprKind::Var(v) => {
            let named = names.iter().rev().find(|(name, _)| name == v);
            named.map_or_else(|| e.clone(), |(_, value)| value.clone())
        }
        _ => {
            let mut out = e.clone();
            for child in out.children_mut() {
                *child = without_names(child, names);
            }
            out
        }
    }
}

/// The direction in which adding an int expression moves a sum, if its form tells.
fn way(e: &Expr) -> Option<Way> {
    let up = match &e.kind {
        ExprKind::Const(Const::Int(v)) => return Some(if *v < 0 { Way::Down } else { Way::Up }),
        ExprKind::Unary { op: UnOp::Abs, .. } => true,
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } => {
            return if a.ty.repr == Scalar::Bool {
                Some(Way::Up)
            } else {
                way(a)
            };
        }
        ExprKind::Binary {
            op: BinOp::Mul,
            a,
            b,
            ..
        } => same(a, b) || e.ty.repr.is_unsigned(),
        _ => e.ty.repr.is_unsigned(),
    };
    up.then_some(Way::Up)
}
