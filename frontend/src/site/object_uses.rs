//! How a text uses objects: which names it uses them by as a whole, and what it may ask of their classes.
//!
//! Only captures tell what names hold, so whoever binds a class, or an object of one, that a nest may make objects of
//! looks up each attribute that is named here (`lowering/names/resolve/made.rs`).

use std::collections::{BTreeMap, BTreeSet};

use nestwise_ir::surface::{
    AccessPath, BinOp, CmpOp, Expr, ExprKind, Function, Site, Stmt, StmtKind, UnOp,
};
use nestwise_ir::{Arena, PathId};

use crate::site::item_attributes::exprs_of;
use crate::site::walk::{walk_expr, walk_stmts};

/// The method that makes an object's attributes.
pub(crate) const INIT: &str = "__init__";

/// The methods that an operator calls: of its left operand, of its right operand, and of the target where a statement
/// joins operator and assignment.
pub(crate) fn methods_of(op: BinOp) -> [&'static str; 3] {
    match op {
        BinOp::Add => ["__add__", "__radd__", "__iadd__"],
        BinOp::Sub => ["__sub__", "__rsub__", "__isub__"],
        BinOp::Mul => ["__mul__", "__rmul__", "__imul__"],
        BinOp::Div => ["__truediv__", "__rtruediv__", "__itruediv__"],
        BinOp::FloorDiv => ["__floordiv__", "__rfloordiv__", "__ifloordiv__"],
        BinOp::Mod => ["__mod__", "__rmod__", "__imod__"],
        BinOp::Pow => ["__pow__", "__rpow__", "__ipow__"],
        BinOp::Shl => ["__lshift__", "__rlshift__", "__ilshift__"],
        BinOp::Shr => ["__rshift__", "__rrshift__", "__irshift__"],
        BinOp::BitAnd => ["__and__", "__rand__", "__iand__"],
        BinOp::BitOr => ["__or__", "__ror__", "__ior__"],
        BinOp::BitXor => ["__xor__", "__rxor__", "__ixor__"],
    }
}

/// The methods that say whether an object is true: the first one that its class has.
pub(crate) const TRUTH: [&str; 2] = ["__bool__", "__len__"];

/// The methods of the operator `@`.
pub(crate) const MATMUL: [&str; 2] = ["__matmul__", "__rmatmul__"];

/// The method that a unary operator calls; `None` for `not`.
pub(crate) fn method_of_unary(op: UnOp) -> Option<&'static str> {
    match op {
        UnOp::Neg => Some("__neg__"),
        UnOp::Pos => Some("__pos__"),
        UnOp::Invert => Some("__invert__"),
        UnOp::Not => None,
    }
}

/// The methods that a comparison calls: of its left operand, and of its right operand where that one's is asked first or
/// instead.
pub(crate) fn methods_of_comparison(op: CmpOp) -> [&'static str; 2] {
    match op {
        CmpOp::Lt => ["__lt__", "__gt__"],
        CmpOp::Le => ["__le__", "__ge__"],
        CmpOp::Gt => ["__gt__", "__lt__"],
        CmpOp::Ge => ["__ge__", "__le__"],
        CmpOp::Eq => ["__eq__", "__eq__"],
        CmpOp::Ne => ["__ne__", "__ne__"],
    }
}

/// The names of what a site may ask of a class or of its objects.
pub fn members_of_site(site: &Site) -> BTreeSet<String> {
    members(&site.paths, std::slice::from_ref(&site.top))
}

/// The names of what a function may ask of a class or of its objects.
pub fn members_of_function(function: &Function) -> BTreeSet<String> {
    members(&function.paths, &function.body)
}

fn members(paths: &Arena<PathId, AccessPath>, stmts: &[Stmt]) -> BTreeSet<String> {
    let attributes = paths.values().filter(|path| path.parent.is_some());
    let mut names: BTreeSet<String> = attributes.map(|path| path.name.clone()).collect();
    let mut want = |all: &[&str]| names.extend(all.iter().map(|name| (*name).to_owned()));
    walk_stmts(stmts, &mut |stmt| {
        match &stmt.kind {
            StmtKind::AugAssign { op, .. } => want(&methods_of(*op)),
            StmtKind::If { .. } | StmtKind::While { .. } => want(&TRUTH),
            _ => {}
        }
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| match &e.kind {
                ExprKind::Attr(_, name) => want(&[name]),
                ExprKind::Binary(op, ..) => want(&methods_of(*op)[..2]),
                ExprKind::MatMul(..) => want(&MATMUL),
                ExprKind::Unary(op, _) => match method_of_unary(*op) {
                    Some(method) => want(&[method]),
                    None => want(&TRUTH),
                },
                ExprKind::Compare(_, rest) => {
                    let each = rest.iter().map(|(op, _)| methods_of_comparison(*op));
                    each.for_each(|methods| want(&methods));
                    // Without `__ne__` a class has the opposite of what `__eq__` says.
                    want(&["__eq__"]);
                }
                ExprKind::Subscript(..) => want(&["__getitem__"]),
                ExprKind::And(_)
                | ExprKind::Or(_)
                | ExprKind::IfExp { .. }
                | ExprKind::Comprehension { .. } => want(&TRUTH),
                ExprKind::Call { .. } => want(&[INIT, "__call__", "__abs__", "__len__"]),
                _ => {}
            });
        });
    });
    names
}

/// A use of what an access path holds as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WholeUse {
    /// As an argument, in an assignment, or as what a function returns.
    Handed,
    /// As an operand.
    Operand,
}

/// The access paths whose values statements use as a whole, with the use that says most of them.
pub fn whole_uses(paths: &Arena<PathId, AccessPath>, stmts: &[Stmt]) -> BTreeMap<PathId, WholeUse> {
    let mut found = BTreeMap::new();
    let mut note = |e: &Expr, how: WholeUse| {
        if let ExprKind::Path(id) = e.kind
            && paths.get(id).is_some_and(|path| path.item.is_none())
        {
            let known = found.entry(id).or_insert(how);
            *known = how.max(*known);
        }
    };
    walk_stmts(stmts, &mut |stmt| {
        match &stmt.kind {
            StmtKind::AugAssign { value, .. } => note(value, WholeUse::Operand),
            StmtKind::Assign { value, .. } | StmtKind::Return(Some(value)) => {
                note(value, WholeUse::Handed);
            }
            _ => {}
        }
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| match &e.kind {
                ExprKind::Binary(_, a, b) | ExprKind::MatMul(a, b) => {
                    note(a, WholeUse::Operand);
                    note(b, WholeUse::Operand);
                }
                ExprKind::Unary(_, a) => note(a, WholeUse::Operand),
                ExprKind::Compare(first, rest) => {
                    let others = rest.iter().map(|(_, e)| e);
                    let all = std::iter::once(&**first).chain(others);
                    all.for_each(|e| note(e, WholeUse::Operand));
                }
                ExprKind::IfExp { body, orelse, .. } => {
                    note(body, WholeUse::Handed);
                    note(orelse, WholeUse::Handed);
                }
                ExprKind::Tuple(items) | ExprKind::List(items) => {
                    items.iter().for_each(|e| note(e, WholeUse::Handed));
                }
                ExprKind::Call { args, kwargs, .. } => {
                    let named = kwargs.iter().map(|(_, e)| e);
                    args.iter()
                        .chain(named)
                        .for_each(|e| note(e, WholeUse::Handed));
                }
                _ => {}
            });
        });
    });
    found
}
