//! Items of containers that are the same throughout: `series["flow"]`, `arrays[j]`, `self.layers[0].weights`.
//!
//! What a dictionary, list or tuple holds under a key that the statements do not assign may be looked up once, when a
//! call is bound, like an attribute. Only captures tell whether the container is one of objects, and not an array. So
//! the text keeps its subscripts, and where the binding has found an item, [`with_items`] puts the access path in
//! their place.

use std::collections::HashSet;

use nestwise_ir::surface::{
    AccessPath, Expr, ExprKind, Item, Key, Scope, Stmt, StmtKind, Target, UnOp,
};
use nestwise_ir::{Arena, PathId};

use crate::site::access_paths::{is_stable, list_name};
use crate::site::inner_names::is_inner;
use crate::site::item_attributes::{exprs_of, key_name, targets};
use crate::site::walk::{children, children_mut, walk_stmts};

/// The most access paths of items that one text gets.
const MOST_ITEMS: usize = 32;

/// Whether an access path is found by way of an item of a container: the text has no such path.
pub fn is_below_item(paths: &Arena<PathId, AccessPath>, id: PathId) -> bool {
    let parent = |id: &PathId| paths.get(*id).and_then(|path| path.parent);
    let mut chain = std::iter::successors(Some(id), parent);
    chain.any(|id| paths[id].item.is_some())
}

/// Adds access paths for the items of containers that these statements use. `params` are names that may hold the same
/// object in every call, although nothing captures them; `mappings` are names that are likely to hold dictionaries.
pub(crate) fn add_keyed_items(
    paths: &mut Arena<PathId, AccessPath>,
    stmts: &[Stmt],
    params: &[PathId],
    mappings: &HashSet<String>,
) {
    let mut adding = Adding {
        before: paths.len(),
        paths,
        params,
        mappings,
    };
    walk_stmts(stmts, &mut |stmt| {
        targets(stmt, &mut |target| {
            if let Target::Subscript(base, _) = target {
                adding.used(base);
            }
        });
        match &stmt.kind {
            StmtKind::For { iter, .. } => {
                adding.used(iter);
                adding.iterated(iter);
            }
            StmtKind::Assign { value, .. } => adding.used(value),
            _ => {}
        }
        exprs_of(stmt, &mut |e| adding.expr(e));
    });
}

struct Adding<'a> {
    paths: &'a mut Arena<PathId, AccessPath>,
    params: &'a [PathId],
    /// Names that are likely to hold dictionaries.
    mappings: &'a HashSet<String>,
    /// The number of access paths of the text itself.
    before: usize,
}

impl Adding<'_> {
    /// Adds the items that an expression uses as objects, and what it holds under texts.
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Subscript(base, index) => {
                self.used(base);
                if let [one] = &index[..]
                    && let ExprKind::Str(_) = one.kind
                {
                    self.used(e);
                }
            }
            ExprKind::Attr(..) => self.used(e),
            ExprKind::Call { func, args, kwargs } => {
                self.used(func);
                let kwargs = kwargs.iter().map(|(_, e)| e);
                args.iter().chain(kwargs).for_each(|e| self.used(e));
            }
            ExprKind::Comprehension { parts, .. } => {
                for part in parts {
                    self.used(&part.iter);
                    self.iterated(&part.iter);
                }
            }
            _ => {}
        }
        children(e, &mut |e| self.expr(e));
    }

    /// Adds the keys and values of dictionaries that a loop may go over.
    fn iterated(&mut self, iter: &Expr) {
        for (dict, item, named) in entries(self.paths, iter) {
            // Anything may have the keys of a dictionary by its name alone.
            let likely = !named || self.mappings.contains(&self.paths[dict].name);
            if likely && self.paths[dict].scope != Scope::Computed && self.is_constant(dict) {
                self.path(dict, list_name(&item), Some(item));
            }
        }
    }

    /// Notes that an expression is used as an object.
    fn used(&mut self, e: &Expr) {
        self.path_of(e);
    }

    /// The access path of a name, an item or an attribute of one, made if it is new.
    fn path_of(&mut self, e: &Expr) -> Option<PathId> {
        match &e.kind {
            ExprKind::Path(id) => self.is_constant(*id).then_some(*id),
            ExprKind::Attr(base, name) => {
                let parent = self.path_of(base)?;
                self.path(parent, name.clone(), None)
            }
            ExprKind::Subscript(base, index) => {
                let key = key(index)?;
                if let Key::Path(path) = &key
                    && !(self.paths[*path].captured && self.is_constant(*path))
                {
                    return None;
                }
                let parent = self.path_of(base)?;
                let name = item_name(self.paths, &key);
                self.path(parent, name, Some(Item::Under(key)))
            }
            _ => None,
        }
    }

    /// Whether what an access path holds is known when a call is bound, and stays.
    fn is_constant(&self, id: PathId) -> bool {
        let path = &self.paths[id];
        let known = path.captured || self.params.contains(&id);
        known && !path.written && !is_inner(&path.name) && is_stable(self.paths, id, &[])
    }

    fn path(&mut self, parent: PathId, name: String, item: Option<Item>) -> Option<PathId> {
        let known = child(self.paths, parent, &name);
        if known.is_some() || self.paths.len() - self.before >= MOST_ITEMS {
            return known;
        }
        Some(self.paths.push(AccessPath {
            parent: Some(parent),
            name,
            scope: Scope::Attr,
            captured: true,
            written: false,
            item,
        }))
    }
}

/// The keys and values that a loop goes over if what it names is a dictionary, each with whether that is named alone;
/// empty for other iterables.
fn entries(paths: &Arena<PathId, AccessPath>, iter: &Expr) -> Vec<(PathId, Item, bool)> {
    match &iter.kind {
        ExprKind::Path(id) => vec![(*id, Item::Keys, true)],
        ExprKind::Call { func, args, kwargs } => {
            let ExprKind::Path(id) = func.kind else {
                return vec![];
            };
            let f = &paths[id];
            match (f.name.as_str(), f.parent) {
                ("enumerate" | "zip" | "reversed", None) => {
                    args.iter().flat_map(|e| entries(paths, e)).collect()
                }
                (_, Some(dict)) if args.is_empty() && kwargs.is_empty() => match f.name.as_str() {
                    "keys" => vec![(dict, Item::Keys, false)],
                    "values" => vec![(dict, Item::Values, false)],
                    "items" => vec![(dict, Item::Keys, false), (dict, Item::Values, false)],
                    _ => vec![],
                },
                _ => vec![],
            }
        }
        _ => vec![],
    }
}

/// Puts the lists of a dictionary's keys and values in the place of what a loop goes over. Of calls it looks into those
/// alone of which `found` says that the function is a builtin that goes over its arguments.
fn iterable(
    paths: &Arena<PathId, AccessPath>,
    iter: &mut Expr,
    found: &mut dyn FnMut(PathId) -> bool,
) {
    if let ExprKind::Call { func, args, .. } = &mut iter.kind
        && let ExprKind::Path(f) = func.kind
        && paths[f].parent.is_none()
    {
        if found(f) {
            args.iter_mut().for_each(|e| iterable(paths, e, found));
        }
        return;
    }
    let span = iter.span;
    let all = entries(paths, iter).into_iter();
    let lists: Option<Vec<Expr>> = all
        .map(|(dict, item, _)| {
            let list = child(paths, dict, &list_name(&item)).filter(|id| found(*id))?;
            let kind = ExprKind::Path(list);
            Some(Expr { kind, span })
        })
        .collect();
    match lists {
        Some(mut one) if one.len() == 1 => iter.kind = one.remove(0).kind,
        Some(two) if !two.is_empty() => iter.kind = ExprKind::SideBySide(two),
        _ => {}
    }
}

/// The key that subscripts consist of, if they are one text, int or access path.
fn key(index: &[Expr]) -> Option<Key> {
    let [one] = index else { return None };
    match &one.kind {
        ExprKind::Str(text) => Some(Key::Text(text.clone())),
        ExprKind::Int(v) => i64::try_from(*v).ok().map(Key::Int),
        ExprKind::Unary(UnOp::Neg, a) => match a.kind {
            ExprKind::Int(v) => i64::try_from(v).ok()?.checked_neg().map(Key::Int),
            _ => None,
        },
        ExprKind::Path(id) => Some(Key::Path(*id)),
        _ => None,
    }
}

fn item_name(paths: &Arena<PathId, AccessPath>, key: &Key) -> String {
    match key {
        Key::Text(text) => key_name(text),
        Key::Int(v) => format!("[{v}]"),
        Key::Path(path) => format!("[{}]", nestwise_ir::surface::dotted_name(paths, *path)),
    }
}

fn child(paths: &Arena<PathId, AccessPath>, parent: PathId, name: &str) -> Option<PathId> {
    let is = |path: &AccessPath| path.parent == Some(parent) && path.name == name;
    paths.iter().find(|(_, path)| is(path)).map(|(id, _)| id)
}

/// The access path of an item, or of an attribute of one, that an expression stands for.
pub(crate) fn path_of(paths: &Arena<PathId, AccessPath>, e: &Expr) -> Option<PathId> {
    match &e.kind {
        ExprKind::Path(id) => Some(*id),
        ExprKind::Attr(base, name) => child(paths, path_of(paths, base)?, name),
        ExprKind::Subscript(base, index) => {
            let parent = path_of(paths, base)?;
            let name = item_name(paths, &key(index)?);
            child(paths, parent, &name).filter(|id| paths[*id].item.is_some())
        }
        _ => None,
    }
}

/// Statements with access paths in the place of the items for which `found` holds, and of their attributes.
pub(crate) fn with_items(
    paths: &Arena<PathId, AccessPath>,
    stmts: &[Stmt],
    found: &mut dyn FnMut(PathId) -> bool,
) -> Vec<Stmt> {
    let mut stmts = stmts.to_vec();
    stmts.iter_mut().for_each(|s| stmt(paths, s, found));
    stmts
}

fn stmt(paths: &Arena<PathId, AccessPath>, s: &mut Stmt, found: &mut dyn FnMut(PathId) -> bool) {
    let block = |stmts: &mut Vec<Stmt>, found: &mut dyn FnMut(PathId) -> bool| {
        stmts.iter_mut().for_each(|s| stmt(paths, s, found));
    };
    match &mut s.kind {
        StmtKind::Assign { targets, value } => {
            targets.iter_mut().for_each(|t| target(paths, t, found));
            expr(paths, value, found);
        }
        StmtKind::AugAssign {
            target: to, value, ..
        } => {
            target(paths, to, found);
            expr(paths, value, found);
        }
        StmtKind::If { test, body, orelse } | StmtKind::While { test, body, orelse } => {
            expr(paths, test, found);
            block(body, found);
            block(orelse, found);
        }
        StmtKind::For {
            target: to,
            iter,
            body,
            orelse,
        } => {
            target(paths, to, found);
            iterable(paths, iter, found);
            expr(paths, iter, found);
            block(body, found);
            block(orelse, found);
        }
        StmtKind::Return(Some(value)) | StmtKind::Call(value) => expr(paths, value, found),
        StmtKind::Return(None)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Raise
        | StmtKind::Pass => {}
    }
}

fn target(
    paths: &Arena<PathId, AccessPath>,
    to: &mut Target,
    found: &mut dyn FnMut(PathId) -> bool,
) {
    match to {
        // What is assigned of an object of a list belongs to the list.
        Target::Path(_) | Target::Attr(..) => {}
        Target::Subscript(base, index) => {
            expr(paths, base, found);
            index.iter_mut().for_each(|e| expr(paths, e, found));
        }
        Target::Tuple(items) => items.iter_mut().for_each(|t| target(paths, t, found)),
    }
}

fn expr(paths: &Arena<PathId, AccessPath>, e: &mut Expr, found: &mut dyn FnMut(PathId) -> bool) {
    let is_path = matches!(e.kind, ExprKind::Path(_));
    if !is_path
        && let Some(id) = path_of(paths, e)
        && found(id)
    {
        e.kind = ExprKind::Path(id);
        return;
    }
    if let ExprKind::Comprehension { parts, .. } = &mut e.kind {
        for part in parts {
            iterable(paths, &mut part.iter, found);
        }
    }
    children_mut(e, &mut |child| expr(paths, child, found));
}

#[cfg(test)]
mod tests {
    use nestwise_ir::surface::dotted_name;

    use super::*;
    use crate::{ScopeInfo, parse_site};

    /// The access paths of items that a site has, as they are spelled.
    fn items(text: &str) -> Vec<String> {
        let names = ["b", "c", "d", "k", "me", "n", "s"];
        let names: HashSet<String> = names.map(String::from).into();
        let scope = ScopeInfo {
            local_names: names.clone(),
            bound_names: names,
            ..ScopeInfo::default()
        };
        let site = parse_site(text, 1, false, &scope).expect("a loop that is read");
        let below = |id: &PathId| is_below_item(&site.paths, *id);
        let ids = site.paths.ids().filter(below);
        ids.map(|id| dotted_name(&site.paths, id)).collect()
    }

    #[test]
    fn items_under_keys_that_stay_have_access_paths() {
        assert_eq!(
            items("for i in range(9):\n  s += d['a'][i] + d['b']\n"),
            ["d[\"a\"]", "d[\"b\"]"]
        );
        assert_eq!(
            items("for i in range(n):\n  s += c[k][i] + me.parts[-1].x[i]\n"),
            ["c[k]", "me.parts[-1]", "me.parts[-1].x"]
        );
    }

    #[test]
    fn items_under_keys_that_change_have_none() {
        assert_eq!(
            items("for i in range(9):\n  s += d[i][0] + c[k]\n"),
            [""; 0]
        );
        assert_eq!(
            items("for i in range(9):\n  k = i\n  s += c[k][i]\n"),
            [""; 0]
        );
        assert_eq!(items("for c in d:\n  s += c[k][0]\n"), [""; 0]);
    }
}
