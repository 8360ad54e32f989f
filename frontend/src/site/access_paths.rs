//! The places of a site: names and attribute chains on names, which of them the site assigns, and of which it
//! needs the value they have when it starts.
//!
//! The second is a forward definite-assignment analysis (the dataflow problem of the Java Language Specification,
//! chapter 16, on Python's statements). Expressions never assign here, so the order inside one does not matter:
//! every name an expression mentions counts as read, also where `and`, `or` or a conditional may skip it. Sets only
//! grow along a path, so the state at a loop's head is the state before the loop, and one pass is enough.

use std::collections::{HashMap, HashSet};

use nestwise_ir::surface::{Place, Scope, Site, Stmt};
use nestwise_ir::{Arena, PlaceId, Span};

use crate::site::{definite_assignment, walk};

/// What the caller knows about the scope a site stands in.
#[derive(Clone, Debug, Default)]
pub struct ScopeInfo {
    /// The site stands at module level: every name is global.
    pub module_level: bool,
    /// The enclosing function's locals, cells and free names.
    pub local_names: HashSet<String>,
    /// The local names that have a value on every path to the site.
    pub bound_names: HashSet<String>,
}

/// Collects the places while a text is read.
#[derive(Default)]
pub(crate) struct PlaceTable {
    places: Arena<PlaceId, Place>,
    known: HashMap<(Option<PlaceId>, String), PlaceId>,
}

impl PlaceTable {
    /// The place of a name, made when it is new; `local` says whether a new one is the function's own.
    pub(crate) fn name(&mut self, name: &str, local: bool) -> PlaceId {
        let scope = if local { Scope::Local } else { Scope::Global };
        self.place(None, name, scope)
    }

    /// The place of an attribute of a place.
    pub(crate) fn attr(&mut self, parent: PlaceId, name: &str) -> PlaceId {
        self.place(Some(parent), name, Scope::Attr)
    }

    fn place(&mut self, parent: Option<PlaceId>, name: &str, scope: Scope) -> PlaceId {
        let places = &mut self.places;
        *self
            .known
            .entry((parent, name.to_owned()))
            .or_insert_with(|| {
                places.push(Place {
                    parent,
                    name: name.to_owned(),
                    scope,
                    captured: false,
                    written: false,
                    item: None,
                })
            })
    }

    /// The finished table, flags unset.
    pub(crate) fn finish(self) -> Arena<PlaceId, Place> {
        self.places
    }
}

/// Marks the places that the statements assign, and returns the spans of those assignments to an attribute whose
/// object is not the same throughout: its root, or a place on the way, is in `unstable` or assigned itself.
pub(crate) fn mark_written(
    places: &mut Arena<PlaceId, Place>,
    stmts: &[Stmt],
    unstable: &[PlaceId],
) -> Vec<Span> {
    let mut assigned = Vec::new();
    walk::walk_stmts(stmts, &mut |stmt| {
        walk::targets_of(stmt, &mut |place| assigned.push((place, stmt.span)));
    });
    for &(place, _) in &assigned {
        places[place].written = true;
    }
    assigned.retain(|&(place, _)| !is_stable(places, place, unstable));
    assigned.into_iter().map(|(_, span)| span).collect()
}

/// Whether the object that `place` is an attribute of is the same throughout.
pub(crate) fn is_stable(
    places: &Arena<PlaceId, Place>,
    place: PlaceId,
    unstable: &[PlaceId],
) -> bool {
    let mut next = places.get(place).and_then(|p| p.parent);
    while let Some(place) = next {
        let Some(p) = places.get(place) else {
            return false;
        };
        if p.written || unstable.contains(&place) {
            return false;
        }
        next = p.parent;
    }
    true
}

/// Sets `captured` for a site: what is read before it is assigned, and what may stay unassigned and had a value.
pub(crate) fn mark_captured(site: &mut Site, scope: &ScopeInfo) {
    let flow = definite_assignment::flow_of_loop(&site.places, &site.top);
    let ids: Vec<PlaceId> = site.places.ids().collect();
    for id in ids {
        let place = &site.places[id];
        let bound = place.scope != Scope::Local || scope.bound_names.contains(&place.name);
        let kept = place.written && !flow.definite.contains(id) && bound;
        // A local that may have no value cannot be passed; where the site assigns it, it starts without one.
        let read = flow.reads.contains_key(&id) && (bound || !place.written);
        let captured = is_stable(&site.places, id, &[]) && (kept || read);
        site.places[id].captured = captured;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_made_once() {
        let mut table = PlaceTable::default();
        let a = table.name("a", true);
        let x = table.attr(a, "x");
        assert_eq!((table.name("a", true), table.attr(a, "x")), (a, x));
        assert_ne!(table.name("x", true), x);
        assert_eq!(table.finish().len(), 3);
    }
}
