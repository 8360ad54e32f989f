//! The interface of a site's hook: what it is given and gives back.

use nestwise_ir::surface::{AccessPath, ExprKind, Scope, Site, StmtKind};
use nestwise_ir::{PathId, WithSpan};

use crate::refusal::Refusal;
use crate::site::access_paths::{ScopeInfo, is_stable};
use crate::site::bounds::Atom;
use crate::site::definite_assignment::flow_of_loop;
use crate::site::item_attributes::exprs_of;
use crate::site::keyed_items::is_below_item;
use crate::site::size_terms::{MAX_ATOMS, atoms};
use crate::site::special_methods::is_method;
use crate::site::static_cost::Effort;
use crate::site::walk::{walk_expr, walk_stmts};
use crate::site::whole_array_uses::{WholeArrayUse, whole_array_uses};

/// The least number of turns of an expression's loops, whatever is captured, for which it is a site.
const FEW_TURNS: f64 = 20.0;

/// The kind of a site's own loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopKind {
    /// The loop is a `for`.
    For,
    /// The loop is a `while`.
    While,
    /// The site is an expression, not a loop.
    Value,
}

/// The contract between a site's rewritten source and its hook.
///
/// Only the function's own names (locals, cells, free names) travel through the hook's arguments and results; it
/// finds globals itself and stores them itself, as it does attributes.
#[derive(Clone, PartialEq, Debug)]
pub struct Interface {
    /// The kind of the site's own loop.
    pub kind: LoopKind,
    /// Local names to pass to the hook, in order of first appearance. Each has a value on every path.
    pub reads: Vec<String>,
    /// Local names that have a value whenever the hook ran at least one iteration: it assigns them all.
    pub writes: Vec<String>,
    /// The access paths of `writes`.
    pub write_order: Vec<PathId>,
    /// Local names that may have no value before and none after the iterations that the hook ran.
    pub maybe: Vec<String>,
    /// The access paths of `maybe`.
    pub maybe_order: Vec<PathId>,
    /// Global names and attributes that the site assigns; the hook stores them.
    pub stores: Vec<PathId>,
    /// The captured access paths whose entry value the nest itself never uses: a path may only keep it. Its type does
    /// not matter, and a signature need not hold it.
    pub pass_through: Vec<PathId>,
    /// The pairs of access paths whose objects must not be one and the same: they have an attribute of one name, and
    /// the site assigns it through one of them.
    pub distinct: Vec<(PathId, PathId)>,
    /// The atoms, which decide how much work the nest is: the trip count of every loop is bounded by a function of
    /// these numbers that grows with each of them. `None` if that is not known from a few ints and lengths.
    pub atoms: Option<Vec<Atom>>,
    /// The work of CPython in the nest: an upper bound if there are atoms, and otherwise a lower one.
    pub effort: Effort,
    /// The access paths that the site calls, each as often as its text does.
    pub calls: Vec<PathId>,
    /// The access paths of which the site uses more than an element at once if they hold arrays of more axes: then it
    /// does more than `effort` says.
    pub whole_array_uses: Vec<WholeArrayUse>,
    /// The names among `reads` that the atoms belong to; where there are no atoms, the names that may tell small calls
    /// from large ones.
    pub sizes: Vec<String>,
    /// The site holds a `return`.
    pub returns: bool,
}

fn calls(site: &Site) -> Vec<PathId> {
    let mut called = Vec::new();
    walk_stmts(std::slice::from_ref(&site.top), &mut |stmt| {
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| {
                if let ExprKind::Call { func, .. } = &e.kind
                    && let ExprKind::Path(path) = func.kind
                {
                    called.push(path);
                }
            });
        });
    });
    called
}

/// Derives the interface of a site that was read in `scope`.
///
/// A name that has a value before is never in [`Interface::maybe`]: where the site may leave it alone, its old value
/// goes in by `reads` and comes back by `writes`.
pub fn interface(site: &Site, scope: &ScopeInfo) -> Result<Interface, WithSpan<Refusal>> {
    let flow = flow_of_loop(&site.paths, &site.top);
    let mut result = Interface {
        kind: match site.top.kind {
            _ if site.value => LoopKind::Value,
            StmtKind::While { .. } => LoopKind::While,
            _ => LoopKind::For,
        },
        reads: vec![],
        writes: vec![],
        write_order: vec![],
        maybe: vec![],
        maybe_order: vec![],
        stores: vec![],
        pass_through: vec![],
        distinct: distinct(site),
        atoms: None,
        effort: Effort::default(),
        calls: calls(site),
        whole_array_uses: whole_array_uses(site),
        sizes: vec![],
        returns: site.returns,
    };
    // What is computed may assign names of the function, which are read behind it, as the loop's body reads them.
    for part in &site.computed {
        result.reads.push(site.paths[part.path].name.clone());
    }
    for (id, path) in site.paths.iter() {
        let read = flow.reads.get(&id);
        if path.captured && read.is_none() && !is_below_item(&site.paths, id) && !is_method(path) {
            result.pass_through.push(id);
        }
        if path.scope == Scope::Computed {
            continue;
        }
        if path.scope != Scope::Local {
            if path.written {
                result.stores.push(id);
            }
            continue;
        }
        let bound = scope.bound_names.contains(&path.name);
        // What the site assigns itself is checked where it is read.
        if let (Some(&span), false, false) = (read, bound, path.written) {
            let name = path.name.clone();
            return Err(WithSpan::new(span, Refusal::PossiblyUnbound { name }));
        }
        if path.captured {
            result.reads.push(path.name.clone());
        }
        if path.written && (path.captured || flow.definite.contains(id)) {
            result.writes.push(path.name.clone());
            result.write_order.push(id);
        } else if path.written {
            result.maybe.push(path.name.clone());
            result.maybe_order.push(id);
        }
    }
    (result.atoms, result.effort) = atoms(site, &result.reads);
    let constant = result.atoms.as_ref().is_some_and(Vec::is_empty);
    if site.value && constant && result.effort.operations(&[]).turns < FEW_TURNS {
        return Err(WithSpan::new(site.top.span, Refusal::Small));
    }
    if result.atoms.is_none() {
        // What is still to be computed has no size yet.
        let names = result.reads.iter().skip(site.computed.len());
        result.sizes = names.take(MAX_ATOMS).cloned().collect();
    }
    for atom in result.atoms.iter().flatten() {
        let name = &root(site, atom.path).name;
        if result.reads.contains(name) && !result.sizes.contains(name) {
            result.sizes.push(name.clone());
        }
    }
    Ok(result)
}

/// The access path that an attribute chain begins at.
fn root(site: &Site, id: PathId) -> &AccessPath {
    let mut path = &site.paths[id];
    while let Some(parent) = path.parent {
        path = &site.paths[parent];
    }
    path
}

/// The pairs of objects with an attribute of the same name that is assigned through one of them: if they were one
/// object, the other's value would be stale.
fn distinct(site: &Site) -> Vec<(PathId, PathId)> {
    let attrs: Vec<_> = site
        .paths
        .iter()
        .filter(|(id, path)| path.parent.is_some() && is_stable(&site.paths, *id, &[]))
        .collect();
    let mut pairs = Vec::new();
    for (i, (_, a)) in attrs.iter().enumerate() {
        for (_, b) in attrs.iter().skip(i + 1) {
            let (Some(x), Some(y)) = (a.parent, b.parent) else {
                continue;
            };
            if a.name == b.name && x != y && (a.written || b.written) {
                pairs.push((x.min(y), x.max(y)));
            }
        }
    }
    pairs.sort();
    pairs.dedup();
    pairs
}
