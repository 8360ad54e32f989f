//! What is done with objects whose class has methods for it: `grid[x, y]` calls `__getitem__`, `grid[x, y] = v`
//! `__setitem__`, `f(x)` `__call__`.
//!
//! What a name holds only captures tell, so there is an access path for such a method of everything that has
//! subscripts or is called; it is empty unless that is an object whose class has the method
//! (`lowering/names/resolve/special_methods.rs`).

use nestwise_ir::surface::{AccessPath, Expr, ExprKind, Scope, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PathId};

use crate::site::item_attributes::{exprs_of, targets};
use crate::site::walk::{walk_expr, walk_stmts};

/// Called for a subscript that is read.
pub(crate) const GET: &str = "__getitem__";
/// Called for one that is assigned.
pub(crate) const SET: &str = "__setitem__";
/// Called for a call.
pub(crate) const CALL: &str = "__call__";
/// Names that hardly ever are an object's, and the modules that functions mostly come from: without access paths for those a
/// call is looked at sooner.
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

/// Whether an access path is such a method.
pub fn is_method(path: &AccessPath) -> bool {
    path.parent.is_some() && [GET, SET, CALL].contains(&path.name.as_str())
}

/// The access path of a method of what another access path holds.
pub(crate) fn method_of(
    paths: &Arena<PathId, AccessPath>,
    object: PathId,
    name: &str,
) -> Option<PathId> {
    let is = |path: &AccessPath| path.parent == Some(object) && path.name == name;
    paths.iter().find(|(_, path)| is(path)).map(|(id, _)| id)
}

/// Adds access paths for methods of what has subscripts or is called in these statements, and is nothing that they assign.
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
