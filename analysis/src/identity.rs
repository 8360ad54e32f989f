//! Whether running a nest natively can be told by `is` and `id()`: which of Python's numbers are one object.
//!
//! A kernel works on values. What it computes anew is a new object in CPython too; what it copies is the same object
//! there, and a new one of equal value after a native run. Nobody but `is`, `id()` and the like can tell (a NaN
//! apart, which `in` finds by identity), so this matters only to programs that use them.

use nestwise_ir::nest::{Cast, Expr, ExprKind, LiveOutKind, Nest, StmtKind};
use nestwise_ir::{ArrayKind, Prov, Scalar, Ty, UnOp, VarId};

/// Whether a list's elements, or names that may share an object with something, are written.
pub fn matters(nest: &Nest) -> bool {
    let lists = nest
        .arrays
        .values()
        .any(|a| a.written && a.boxes() && has_identity(a.elem));
    lists || outs(nest).any(|v| copied(nest, v))
}

/// Whether a list may get an object that was there before.
pub fn stores_copies(nest: &Nest) -> bool {
    let mut found = false;
    nest.walk(&mut |s| {
        if let StmtKind::Store { array, value, .. } = &s.kind {
            let list = nest.arrays.get(*array).is_some_and(|a| a.boxes());
            found |= list && has_identity(value.ty) && plain(nest, value);
        }
    });
    found
}

/// Whether a variable may hold an object that was there before: an element, another name's value, a literal.
pub fn copied(nest: &Nest, var: VarId) -> bool {
    let mut found = false;
    nest.walk(&mut |s| {
        if let StmtKind::Let { var: v, value } = &s.kind {
            found |= *v == var && plain(nest, value);
        }
    });
    found
}

/// Python numbers that leave the nest under a name or as its value.
fn outs(nest: &Nest) -> impl Iterator<Item = VarId> {
    let live = nest.live_outs.iter().flat_map(|l| match &l.kind {
        LiveOutKind::Var(v) => std::slice::from_ref(v),
        LiveOutKind::Tuple(vars) => vars,
        _ => &[],
    });
    let returned = nest.returns.iter().flat_map(|r| r.vars.iter().copied());
    live.copied()
        .chain(returned)
        .filter(|v| nest.vars.get(*v).is_some_and(|d| has_identity(d.ty)))
}

/// Whether equal values of the type may be different objects.
fn has_identity(ty: Ty) -> bool {
    ty.prov != Prov::Np && !matches!(ty.repr, Scalar::Bool | Scalar::Char)
}

/// Whether the expression's object may be one that something else holds as well.
fn plain(nest: &Nest, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Load { array, .. } => nest
            .arrays
            .get(*array)
            .is_none_or(|a| matches!(a.kind, ArrayKind::List | ArrayKind::Tuple) || a.list),
        // A counter's ints are made by the range.
        ExprKind::Var(v) => !is_counter(nest, *v),
        ExprKind::Const(_) => !e.as_int().is_some_and(|v| (-5..=256).contains(&v)),
        ExprKind::Select { then, orelse, .. } => plain(nest, then) || plain(nest, orelse),
        ExprKind::Bind { var, value, body } => {
            matches!(body.kind, ExprKind::Var(v) if v == *var) && plain(nest, value)
                || !matches!(body.kind, ExprKind::Var(_)) && plain(nest, body)
        }
        ExprKind::Cast {
            kind: Cast::Value,
            a,
            ..
        } => plain(nest, a),
        // The absolute value of an int that has no sign is that int.
        ExprKind::Unary {
            op: UnOp::Abs, a, ..
        } => plain(nest, a),
        _ => false,
    }
}

fn is_counter(nest: &Nest, var: VarId) -> bool {
    let mut found = false;
    nest.walk(&mut |s| found |= matches!(&s.kind, StmtKind::For(l) if l.counter == var));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::nest;

    /// The nest with its arrays as lists.
    fn lists(header: &str, body: &str) -> Nest {
        let mut n = nest(header, body);
        let ids: Vec<_> = n.arrays.ids().collect();
        for id in ids {
            n.arrays[id].kind = ArrayKind::List;
        }
        n
    }

    #[test]
    fn copies_are_told_from_what_is_computed() {
        let h = "n: int, x: float, a: f64[1], b: f64[1]";
        let copies = |body: &str| stores_copies(&lists(h, body));
        assert!(copies("for i in range(n):\n    b[i] = a[i]"));
        assert!(copies("for i in range(n):\n    b[i] = x"));
        assert!(copies("for i in range(n):\n    t = a[i]\n    b[i] = t"));
        assert!(!copies("for i in range(n):\n    b[i] = a[i] + x"));
        assert!(matters(&lists(
            h,
            "for i in range(n):\n    b[i] = a[i] + x"
        )));
        let h = "n: int, s: float, a: f64[1], out s";
        assert!(!matters(&lists(h, "for i in range(n):\n    s = s + a[i]")));
        assert!(matters(&lists(h, "for i in range(n):\n    s = a[i]")));
    }
}
