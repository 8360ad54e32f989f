//! Parameters that stand for one object: `advance(grid, t)`, where every call of `advance` in a text is given `grid`.
//!
//! Such an object's attributes and items, as the function uses them, are looked up when a call of the site is bound,
//! like those of the object that a method is bound to.

use std::collections::BTreeMap;

use nestwise_ir::surface::{AccessPath, Expr, ExprKind, Function, Stmt};
use nestwise_ir::{Arena, PathId};

use crate::site::item_attributes::exprs_of;
use crate::site::keyed_items::path_of;
use crate::site::walk::{walk_expr, walk_stmts};

/// The place of an argument in a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Position(usize),
    Keyword(String),
}

/// The calls in a text, as far as arguments are access paths.
#[derive(Clone, Default, Debug)]
pub struct HandedObjects {
    /// For each access path that is called, the access paths that every call is given.
    callees: BTreeMap<PathId, BTreeMap<Place, PathId>>,
}

/// Finds what the calls in statements are given.
pub fn handed_objects(paths: &Arena<PathId, AccessPath>, stmts: &[Stmt]) -> HandedObjects {
    let mut callees: BTreeMap<PathId, BTreeMap<Place, PathId>> = BTreeMap::new();
    walk_stmts(stmts, &mut |stmt| {
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| {
                let ExprKind::Call { func, args, kwargs } = &e.kind else {
                    return;
                };
                let Some(callee) = path_of(paths, func) else {
                    return;
                };
                let own = arguments(paths, args, kwargs);
                match callees.get_mut(&callee) {
                    Some(known) => known.retain(|place, path| own.get(place) == Some(path)),
                    None => drop(callees.insert(callee, own)),
                }
            });
        });
    });
    callees.retain(|_, given| !given.is_empty());
    HandedObjects { callees }
}

fn arguments(
    paths: &Arena<PathId, AccessPath>,
    args: &[Expr],
    kwargs: &[(String, Expr)],
) -> BTreeMap<Place, PathId> {
    // Behind a star nobody knows which parameter an argument is for.
    let by_position = args
        .iter()
        .take_while(|e| !e.is_star())
        .enumerate()
        .map(|(k, e)| (Place::Position(k), e));
    let by_name = kwargs
        .iter()
        .map(|(name, e)| (Place::Keyword(name.clone()), e));
    let all = by_position.chain(by_name);
    all.filter_map(|(place, e)| Some((place, path_of(paths, e)?)))
        .collect()
}

impl HandedObjects {
    /// Whether a call is given what an access path holds.
    pub fn hands(&self, path: PathId) -> bool {
        let mut all = self.callees.values().flat_map(BTreeMap::values);
        all.any(|given| *given == path)
    }

    /// The parameters of `function` that every call through the access path `callee` gives the same access path, with
    /// that path. `method`: the first parameter is the object that the method is bound to.
    pub fn given(
        &self,
        callee: PathId,
        function: &Function,
        method: bool,
    ) -> Vec<(PathId, PathId)> {
        let Some(given) = self.callees.get(&callee) else {
            return vec![];
        };
        let params = function.params.iter().skip(usize::from(method));
        let object = |(k, param): (usize, &nestwise_ir::surface::Param)| {
            let path = &function.paths[param.path];
            let by_position = given.get(&Place::Position(k)).filter(|_| param.positional);
            let by_name = || given.get(&Place::Keyword(path.name.clone()));
            let from = by_position.or_else(by_name)?;
            (!path.written).then_some((param.path, *from))
        };
        params.enumerate().filter_map(object).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use nestwise_ir::surface::dotted_name;

    use super::*;
    use crate::{ScopeInfo, parse_function, parse_site};

    /// What the calls of `f` in a text give the parameters of a function `f(p, q, r=0)`.
    fn given(text: &str) -> Vec<(String, String)> {
        let names: HashSet<String> = ["b", "c", "i"].map(String::from).into();
        let scope = ScopeInfo {
            local_names: names.clone(),
            bound_names: names,
            ..ScopeInfo::default()
        };
        let site = parse_site(text, 1, false, &scope).expect("a loop that is read");
        let own = ["p", "q", "r"].map(String::from).into();
        let function = "def f(p, q, r=0):\n  return p.x + q + r\n";
        let function = parse_function(function, 1, false, &own, &HashSet::new(), "f", "f.py");
        let function = function.expect("a function that is read");
        let mut ids = site.paths.ids();
        let f = ids
            .find(|id| site.paths[*id].name == "f")
            .expect("a call of f");
        let handed = handed_objects(&site.paths, std::slice::from_ref(&site.top));
        let all = handed.given(f, &function, false).into_iter();
        let spelled = |(param, from): (PathId, PathId)| {
            (
                function.paths[param].name.clone(),
                dotted_name(&site.paths, from),
            )
        };
        all.map(spelled).collect()
    }

    #[test]
    fn parameters_stand_for_what_every_call_gives() {
        let pair = |param: &str, from: &str| (param.to_owned(), from.to_owned());
        assert_eq!(
            given("for i in range(9):\n  f(b, 2 * i)\n  f(b, c)\n"),
            [pair("p", "b")]
        );
        assert_eq!(
            given("for i in range(9):\n  f(b, q=c)\n  f(b, r=c, q=c)\n"),
            [pair("p", "b"), pair("q", "c")]
        );
        assert_eq!(given("for i in range(9):\n  f(b, c)\n  f(c, b)\n"), []);
    }
}
