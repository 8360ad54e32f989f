//! What is done with objects whose class has methods for it: `grid[x, y]` calls `__getitem__`, `grid[x, y] = v`
//! `__setitem__`, `f(x)` `__call__`.
//!
//! What a name holds only captures tell, so there is a place for such a method of everything that has subscripts or is
//! called; it is empty unless that is an object whose class has the method (`specialise/resolve/special.rs`).

use nestwise_ir::surface::{Expr, ExprKind, Place, Scope, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PlaceId};

use crate::site::item_attributes::{exprs_of, targets};
use crate::site::walk::{walk_expr, walk_stmts};

/// Called for a subscript that is read.
pub(crate) const GET: &str = "__getitem__";
/// Called for one that is assigned.
pub(crate) const SET: &str = "__setitem__";
/// Called for a call.
pub(crate) const CALL: &str = "__call__";
/// Names that hardly ever are an object's, and the modules that functions mostly come from: without places for those a
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

/// Whether a place is such a method.
pub fn is_method(place: &Place) -> bool {
    place.parent.is_some() && [GET, SET, CALL].contains(&place.name.as_str())
}

/// The place of a method of what another place holds.
pub(crate) fn method_of(
    places: &Arena<PlaceId, Place>,
    object: PlaceId,
    name: &str,
) -> Option<PlaceId> {
    let is = |place: &Place| place.parent == Some(object) && place.name == name;
    places.iter().find(|(_, place)| is(place)).map(|(id, _)| id)
}

/// Adds places for methods of what has subscripts or is called in these statements, and is nothing that they assign.
pub(crate) fn add_methods(places: &mut Arena<PlaceId, Place>, stmts: &[Stmt]) {
    let mut wanted: Vec<(PlaceId, &str)> = Vec::new();
    let mut want = |base: &Expr, name: &'static str| {
        if let ExprKind::Place(id) = base.kind
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
                ExprKind::Call { func, .. } if !is_usual(places, func) => want(func, CALL),
                _ => {}
            });
        });
    });
    for (object, name) in wanted {
        let of = &places[object];
        if of.written || of.item.is_some() || method_of(places, object, name).is_some() {
            continue;
        }
        let captured = of.captured;
        places.push(Place {
            parent: Some(object),
            name: name.to_owned(),
            scope: Scope::Attr,
            captured,
            written: false,
            item: None,
        });
    }
}

fn is_usual(places: &Arena<PlaceId, Place>, func: &Expr) -> bool {
    let ExprKind::Place(id) = func.kind else {
        return true;
    };
    let parent = |id: &PlaceId| places.get(*id).and_then(|place| place.parent);
    let root = std::iter::successors(Some(id), parent).last().unwrap_or(id);
    // A method of an object is no object.
    USUAL.contains(&places[root].name.as_str()) || places[id].name == "append"
}
