//! The access paths of a site: names and attribute chains on names, which of them the site assigns, and for which it
//! needs the value at its start.
//!
//! Which values are needed is found by a forward definite-assignment analysis (the dataflow problem of the Java
//! Language Specification, chapter 16, on Python's statements). Expressions never assign here, so the order inside one
//! does not matter: every name an expression mentions counts as read, also where `and`, `or` or a conditional may skip
//! it. Sets only grow along a path, so the state at a loop's head is the state before the loop, and one pass is enough.

use std::collections::{HashMap, HashSet};

use nestwise_ir::surface::{AccessPath, Item, Scope, Site, Stmt};
use nestwise_ir::{Arena, PathId, Span};

use crate::site::inner_names::is_inner;
use crate::site::{definite_assignment, walk};

/// The caller's knowledge of the scope that a site stands in.
#[derive(Clone, Debug, Default)]
pub struct ScopeInfo {
    /// The site stands at module level: every name is global.
    pub module_level: bool,
    /// The enclosing function's locals, cells and free names.
    pub local_names: HashSet<String>,
    /// The local names that have a value on every path to the site.
    pub bound_names: HashSet<String>,
    /// The names, of variables and attributes, that the file assigns dictionaries to.
    pub mappings: HashSet<String>,
    /// Whether a device may keep arrays from one site to the next: a loop around sites is then worth more as a region.
    pub regions: bool,
}

/// The table of access paths, which is filled while a text is read.
#[derive(Default)]
pub(crate) struct PathTable {
    paths: Arena<PathId, AccessPath>,
    known: HashMap<(Option<PathId>, String), PathId>,
}

impl PathTable {
    /// The access path of a name, made when it is new; `local` says whether a new one is local to a function.
    pub(crate) fn name(&mut self, name: &str, local: bool) -> PathId {
        let scope = if local { Scope::Local } else { Scope::Global };
        self.path(None, name, scope)
    }

    /// The access path of the value of a part of the text, always a new one: `text` twice is two values.
    pub(crate) fn computed(&mut self, text: &str) -> PathId {
        let mut name = text.to_owned();
        while self.known.contains_key(&(None, name.clone())) {
            name.push('\'');
        }
        self.path(None, &name, Scope::Computed)
    }

    /// The access paths of the keys and values of the dictionary that another path is a view of.
    pub(crate) fn entries(&mut self, view: PathId) -> [PathId; 2] {
        [Item::Keys, Item::Values].map(|item| {
            let path = self.path(Some(view), &list_name(&item), Scope::Attr);
            self.paths[path].item = Some(item);
            path
        })
    }

    /// The access path of an attribute of another path, made when it is new.
    pub(crate) fn attr(&mut self, parent: PathId, name: &str) -> PathId {
        self.path(Some(parent), name, Scope::Attr)
    }

    fn path(&mut self, parent: Option<PathId>, name: &str, scope: Scope) -> PathId {
        let paths = &mut self.paths;
        *self
            .known
            .entry((parent, name.to_owned()))
            .or_insert_with(|| {
                paths.push(AccessPath {
                    parent,
                    name: name.to_owned(),
                    scope,
                    captured: false,
                    written: false,
                    item: None,
                })
            })
    }

    /// The finished table, with all flags unset.
    pub(crate) fn finish(self) -> Arena<PathId, AccessPath> {
        self.paths
    }
}

/// The name of the list of a dictionary's keys or values.
pub(crate) fn list_name(item: &Item) -> String {
    match item {
        Item::Values => "'s values".into(),
        _ => "'s keys".into(),
    }
}

/// Marks the access paths that the statements assign, and returns the spans of assignments to an attribute of an object
/// that is not the same throughout: its root, or an access path on the way, is in `unstable` or assigned itself.
pub(crate) fn mark_written(
    paths: &mut Arena<PathId, AccessPath>,
    stmts: &[Stmt],
    unstable: &[PathId],
) -> Vec<Span> {
    let mut assigned = Vec::new();
    walk::walk_stmts(stmts, &mut |stmt| {
        walk::targets_of(stmt, &mut |path| assigned.push((path, stmt.span)));
    });
    // What belongs to a comprehension alone is no variable of the statements'.
    assigned.retain(|(path, _)| !is_inner(&paths[*path].name));
    for &(path, _) in &assigned {
        paths[path].written = true;
    }
    assigned.retain(|&(path, _)| !is_stable(paths, path, unstable));
    assigned.into_iter().map(|(_, span)| span).collect()
}

/// Whether the object that `path` is an attribute of is the same throughout.
pub(crate) fn is_stable(
    paths: &Arena<PathId, AccessPath>,
    path: PathId,
    unstable: &[PathId],
) -> bool {
    let mut next = paths.get(path).and_then(|p| p.parent);
    while let Some(path) = next {
        let Some(p) = paths.get(path) else {
            return false;
        };
        if p.written || unstable.contains(&path) {
            return false;
        }
        next = p.parent;
    }
    true
}

/// Marks the access paths of a site that are captured: those that are read before they are assigned, and those that may
/// stay unassigned and had a value.
pub(crate) fn mark_captured(site: &mut Site, scope: &ScopeInfo) {
    let flow = definite_assignment::flow_of_loop(&site.paths, &site.top);
    let ids: Vec<PathId> = site.paths.ids().collect();
    for id in ids {
        let path = &site.paths[id];
        let bound = path.scope != Scope::Local || scope.bound_names.contains(&path.name);
        let kept = path.written && !flow.definite.contains(id) && bound;
        // A local that may have no value cannot be passed; where the site assigns it, it starts without one.
        let read = flow.reads.contains_key(&id) && (bound || !path.written);
        let captured = is_stable(&site.paths, id, &[]) && (kept || read);
        site.paths[id].captured = captured;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_made_once() {
        let mut table = PathTable::default();
        let a = table.name("a", true);
        let x = table.attr(a, "x");
        assert_eq!((table.name("a", true), table.attr(a, "x")), (a, x));
        assert_ne!(table.name("x", true), x);
        assert_eq!(table.finish().len(), 3);
    }
}
