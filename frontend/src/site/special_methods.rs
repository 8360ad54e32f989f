//! Operations on objects whose class has methods for them: `grid[x, y]` calls `__getitem__`, `grid[x, y] = v`
//! `__setitem__`, `f(x)` `__call__`.
//!
//! Only captures tell what a name holds, so everything that is subscripted or called has an access path for such a
//! method; it has no value unless the name holds an object whose class has the method
//! (`lowering/names/resolve/special_methods.rs`).

use nestwise_ir::surface::{AccessPath, Expr, ExprKind, Scope, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PathId};

use crate::site::item_attributes::{exprs_of, targets};
use crate::site::walk::{walk_expr, walk_stmts};

/// The method that a read of a subscript calls.
pub(crate) const GET: &str = "__getitem__";
/// The method that an assignment to a subscript calls.
pub(crate) const SET: &str = "__setitem__";
/// The method that a call of an object calls.
pub(crate) const CALL: &str = "__call__";
/// Names that hardly ever hold such an object, and the modules that functions mostly come from: a call without access
/// paths for these is looked at sooner.
const USUAL: [&str; 14] = [
    "range",
    "len",
    "abs",
    "min",
    "max",
    "int",
    "float",
    "enumerate",
    "zip",
    "sum",
    "np",
    "numpy",
    "math",
    "random",
];

/// Whether an access path is a special method.
pub fn is_method(path: &AccessPath) -> bool {
    path.parent.is_some() && [GET, SET, CALL].contains(&path.name.as_str())
}

/// The access path of a special method of the object that another path holds, if there is one.
pub(crate) fn method_of(
    paths: &Arena<PathId, AccessPath>,
    object: PathId,
    name: &str,
) -> Option<PathId> {
    let is = |path: &AccessPath| path.parent == Some(object) && path.name == name;
    paths.iter().find(|(_, path)| is(path)).map(|(id, _)| id)
}

/// Adds access paths for the special methods of everything that is subscripted or called in these statements, and that
/// they do not assign.
pub(crate) fn add_methods(paths: &mut Arena<PathId, AccessPath>, stmts: &[Stmt]) {
    let mut wanted: Vec<(PathId, &str)> = Vec::new();
    let mut want = |base: &Expr, name: &'static str| {
        if let ExprKind::Path(id) = base.kind
            && !wanted.contains(&(id, name))
        {
            wanted.push((id, name));
        }
    };
    walk_stmts(stmts, &mut |stmt| {
        targets(stmt, &mut |target| {
            if let Target::Subscript(base, _) = target {
                want(base, SET);
                if matches!(stmt.kind, StmtKind::AugAssign { .. }) {
                    want(base, GET);
                }
            }
        });
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| match &e.kind {
                ExprKind::Subscript(base, _) => want(base, GET),
                ExprKind::Call { func, .. } if !is_usual(paths, func) => want(func, CALL),
                _ => {}
            });
        });
    });
    for (object, name) in wanted {
        let of = &paths[object];
        if of.written || of.item.is_some() || method_of(paths, object, name).is_some() {
            continue;
        }
        let captured = of.captured;
        paths.push(AccessPath {
            parent: Some(object),
            name: name.to_owned(),
            scope: Scope::Attr,
            captured,
            written: false,
            item: None,
        });
    }
}

fn is_usual(paths: &Arena<PathId, AccessPath>, func: &Expr) -> bool {
    let ExprKind::Path(id) = func.kind else {
        return true;
    };
    let parent = |id: &PathId| paths.get(*id).and_then(|path| path.parent);
    let root = std::iter::successors(Some(id), parent).last().unwrap_or(id);
    // A method of an object is no object.
    USUAL.contains(&paths[root].name.as_str()) || paths[id].name == "append"
}
