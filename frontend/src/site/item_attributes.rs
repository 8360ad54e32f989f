//! Attributes of objects that a site finds in lists: `bodies[i].x`, `for b in bodies: b.x += b.vx`; and what
//! dictionaries in lists have under texts, `rows[i]["x"]`, which is treated alike.
//!
//! The attributes of one name of all objects in a list are an array to a nest. Only types tell which list an object is
//! from (`lowering/objects/records.rs`), so whoever binds a list of objects binds each attribute whose name is read of
//! an object that is not the same throughout ([`attributes_of_site`], [`attributes_of_function`]).

use std::collections::BTreeSet;

use nestwise_ir::surface::{AccessPath, Expr, ExprKind, Function, Site, Stmt, StmtKind, Target};
use nestwise_ir::{Arena, PathId, Span};

use crate::site::access_paths::is_stable;
use crate::site::inner_names::is_inner;
use crate::site::walk::{targets_of, walk_expr, walk_stmts};

/// The name of a tuple's item, used like an attribute's.
pub fn item_name(which: usize) -> String {
    format!("[{which}]")
}

/// The name of what a dictionary has under a text, used like an attribute's.
pub fn key_name(text: &str) -> String {
    format!("[\"{text}\"]")
}

/// The text under which a dictionary has what is used by this name; `None` for the names of attributes.
pub fn key_of_name(name: &str) -> Option<&str> {
    name.strip_prefix("[\"")?.strip_suffix("\"]")
}

/// The only text among subscripts, as the name that [`key_name`] gives it.
pub(crate) fn key_of(index: &[Expr]) -> Option<String> {
    match index {
        [one] => match &one.kind {
            ExprKind::Str(text) => Some(key_name(text)),
            _ => None,
        },
        _ => None,
    }
}

/// Turns access paths among the targets into attributes of expressions, where the object is not the same throughout:
/// the statements assign it, or it is `unstable` otherwise.
pub(crate) fn part_targets(
    paths: &Arena<PathId, AccessPath>,
    stmts: &mut [Stmt],
    unstable: &[PathId],
) {
    let mut changing: BTreeSet<PathId> = unstable.iter().copied().collect();
    walk_stmts(stmts, &mut |stmt| {
        targets_of(stmt, &mut |path| {
            changing.insert(path);
        });
    });
    each_target(stmts, &mut |target, span| {
        let Target::Path(id) = *target else { return };
        let parent = |id: &PathId| paths.get(*id).and_then(|p| p.parent);
        let mut around = std::iter::successors(parent(&id), parent);
        if let Some(object) = parent(&id)
            && around.any(|path| changing.contains(&path))
        {
            let kind = ExprKind::Path(object);
            *target = Target::Attr(Expr { kind, span }, paths[id].name.clone());
        }
    });
}

fn each_target(stmts: &mut [Stmt], f: &mut impl FnMut(&mut Target, Span)) {
    fn of_target(target: &mut Target, span: Span, f: &mut impl FnMut(&mut Target, Span)) {
        match target {
            Target::Tuple(items) => items.iter_mut().for_each(|item| of_target(item, span, f)),
            one => f(one, span),
        }
    }
    for stmt in stmts {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Assign { targets, .. } => {
                targets.iter_mut().for_each(|t| of_target(t, span, f));
            }
            StmtKind::AugAssign { target, .. } => of_target(target, span, f),
            StmtKind::For {
                target,
                body,
                orelse,
                ..
            } => {
                of_target(target, span, f);
                each_target(body, f);
                each_target(orelse, f);
            }
            StmtKind::If { body, orelse, .. } | StmtKind::While { body, orelse, .. } => {
                each_target(body, f);
                each_target(orelse, f);
            }
            _ => {}
        }
    }
}

/// The names of attributes that a site reads of objects that are not the same throughout.
pub fn attributes_of_site(site: &Site) -> BTreeSet<String> {
    attributes(&site.paths, std::slice::from_ref(&site.top), &[])
}

/// The names of attributes that a function may read of items of lists; its parameters differ from call to call.
pub fn attributes_of_function(function: &Function) -> BTreeSet<String> {
    let params: Vec<PathId> = function.bound().collect();
    attributes(&function.paths, &function.body, &params)
}

fn attributes(
    paths: &Arena<PathId, AccessPath>,
    stmts: &[Stmt],
    unstable: &[PathId],
) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    walk_stmts(stmts, &mut |stmt| {
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| match &e.kind {
                ExprKind::Attr(_, name) => {
                    names.insert(name.clone());
                }
                ExprKind::Path(id) => names.extend(changing(paths, *id, unstable)),
                ExprKind::Subscript(_, index) => names.extend(key_of(index)),
                _ => {}
            });
        });
        targets(stmt, &mut |target| match target {
            Target::Attr(_, name) => names.extend([name.clone()]),
            Target::Subscript(_, index) => names.extend(key_of(index)),
            Target::Path(_) | Target::Tuple(_) => {}
        });
    });
    // What a function assigns of its first parameter, if that is an object of a list.
    let written = paths.iter().filter(|(id, path)| {
        path.written && path.parent.is_some() && !is_stable(paths, *id, unstable)
    });
    names.extend(written.map(|(_, path)| path.name.clone()));
    names
}

/// The names of an access path and of its parents, as far as they are attributes of objects that are not the same
/// throughout.
fn changing(
    paths: &Arena<PathId, AccessPath>,
    id: PathId,
    unstable: &[PathId],
) -> impl Iterator<Item = String> {
    let parent = |id: &PathId| paths.get(*id).and_then(|p| p.parent);
    let all: Vec<PathId> = std::iter::successors(Some(id), parent).collect();
    let root = all.last().and_then(|root| paths.get(*root));
    let inner = root.is_some_and(|root| is_inner(&root.name));
    let mut names = Vec::new();
    for id in all.iter().take(all.len() - 1) {
        if inner || !is_stable(paths, *id, unstable) {
            names.push(paths[*id].name.clone());
        }
    }
    names.into_iter()
}

/// Calls `f` on the targets of a statement itself, including those inside tuples.
pub(crate) fn targets<'a>(stmt: &'a Stmt, f: &mut impl FnMut(&'a Target)) {
    fn of_target<'a>(target: &'a Target, f: &mut impl FnMut(&'a Target)) {
        match target {
            Target::Tuple(items) => items.iter().for_each(|item| of_target(item, f)),
            one => f(one),
        }
    }
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().for_each(|t| of_target(t, f)),
        StmtKind::AugAssign { target, .. } | StmtKind::For { target, .. } => of_target(target, f),
        _ => {}
    }
}

/// Calls `f` on the expressions of a statement itself, including those of its targets.
pub(crate) fn exprs_of<'a>(stmt: &'a Stmt, f: &mut impl FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::Assign { value, .. }
        | StmtKind::AugAssign { value, .. }
        | StmtKind::For { iter: value, .. }
        | StmtKind::If { test: value, .. }
        | StmtKind::While { test: value, .. }
        | StmtKind::Return(Some(value))
        | StmtKind::Call(value) => f(value),
        _ => {}
    }
    targets(stmt, &mut |target| match target {
        Target::Subscript(base, index) => {
            f(base);
            index.iter().for_each(&mut *f);
        }
        Target::Attr(base, _) => f(base),
        _ => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScopeInfo;
    use crate::parse_function;
    use crate::parse_site;
    use std::collections::HashSet;

    fn site(text: &str) -> Site {
        let names = ["b", "c", "dt", "me", "s", "math"];
        let names: HashSet<String> = names.map(String::from).into();
        let scope = ScopeInfo {
            module_level: false,
            local_names: names.clone(),
            bound_names: names,
            ..ScopeInfo::default()
        };
        parse_site(text, 1, false, &scope).expect("a loop that is read")
    }

    fn asked(text: &str) -> Vec<String> {
        attributes_of_site(&site(text)).into_iter().collect()
    }

    #[test]
    fn attributes_of_what_changes_are_asked_for() {
        assert_eq!(
            asked("for p in b:\n  p.x += dt * p.at.v\n"),
            ["at", "v", "x"]
        );
        assert_eq!(
            asked("for i in range(9):\n  b[i].x = c[i].y.z\n"),
            ["x", "y", "z"]
        );
        assert_eq!(
            asked("for i in range(9):\n  s += sum(p.m for p in b)\n"),
            ["m"]
        );
        assert_eq!(asked("for p in b:\n  p.move(dt)\n"), ["move"]);
    }

    #[test]
    fn those_of_what_stays_are_places() {
        assert_eq!(
            asked("for i in range(9):\n  s += me.x + math.pi\n"),
            [""; 0]
        );
        let loops = site("for i in range(9):\n  me.x += 1\n");
        assert!(
            loops
                .paths
                .values()
                .any(|path| path.written && path.name == "x")
        );
    }

    #[test]
    fn a_function_asks_its_parameters() {
        let text = "def f(a, b):\n  b.v += a.x\n  a.k = 1\n";
        let local = ["a", "b"].map(String::from).into();
        let function = parse_function(text, 1, false, &local, &HashSet::new(), "f", "f.py");
        let asked = attributes_of_function(&function.expect("a function that is read"));
        assert_eq!(asked.into_iter().collect::<Vec<_>>(), ["k", "v", "x"]);
    }
}
