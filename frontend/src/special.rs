//! Subscripts of objects whose class has methods for them: `grid[x, y]` calls `__getitem__`, `grid[x, y] = v` `__setitem__`.
//!
//! What a name holds only captures tell, so there is a place for such a method of everything that has subscripts; it is empty unless
//! that is an object whose class has the method (`specialise/resolve/special.rs`).

use nestwise_ir::surface::{Expr, ExprKind, Place, Scope, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PlaceId};

use crate::objects::{exprs_of, targets};
use crate::places::{walk_expr, walk_stmts};

/// Called for a subscript that is read.
pub const GET: &str = "__getitem__";
/// Called for one that is assigned.
pub const SET: &str = "__setitem__";

/// Whether a place is such a method.
pub fn is_method(place: &Place) -> bool {
    place.parent.is_some() && [GET, SET].contains(&place.name.as_str())
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

/// Adds places for methods of what has subscripts in these statements, and is nothing that they assign.
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
            walk_expr(e, &mut |e| {
                if let ExprKind::Subscript(base, _) = &e.kind {
                    want(base, GET);
                }
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
