//! Which containers statements may change, as far as their text tells.

use nestwise_ir::surface::{AccessPath, Expr, ExprKind, Stmt, StmtKind};
use nestwise_ir::{Arena, PathId};

use crate::site::item_attributes::exprs_of;
use crate::site::walk::{walk_expr, walk_stmts};

/// The methods of dictionaries and sets that change nothing.
const READS: [&str; 8] = [
    "get",
    "keys",
    "values",
    "items",
    "copy",
    "issubset",
    "issuperset",
    "isdisjoint",
];

/// Whether statements may change the container that `container` holds: they do anything with it but read an item, look
/// for one, run over the items, or give it to a function that `leaves` it as it is: the function's access path, and the
/// argument's index.
pub fn may_change(
    paths: &Arena<PathId, AccessPath>,
    stmts: &[Stmt],
    container: PathId,
    leaves: &dyn Fn(PathId, usize) -> bool,
) -> bool {
    let is = |e: &Expr| matches!(e.kind, ExprKind::Path(path) if path == container);
    let (mut mentions, mut reads) = (0usize, 0usize);
    walk_stmts(stmts, &mut |stmt| {
        if let StmtKind::For { iter, .. } = &stmt.kind {
            reads += usize::from(is(iter));
        }
        exprs_of(stmt, &mut |e| {
            walk_expr(e, &mut |e| match &e.kind {
                ExprKind::Path(path) => {
                    let method = &paths[*path];
                    let of_it = method.parent == Some(container);
                    let changes = of_it && !READS.contains(&method.name.as_str());
                    mentions += usize::from(*path == container || changes);
                }
                ExprKind::Subscript(base, _) => reads += usize::from(is(base)),
                ExprKind::Contains { container, .. } => reads += usize::from(is(container)),
                ExprKind::Comprehension { parts, .. } => {
                    reads += parts.iter().filter(|part| is(&part.iter)).count();
                }
                ExprKind::Call { func, args, .. } => {
                    let ExprKind::Path(f) = func.kind else { return };
                    let fits = |(at, e): &(usize, &Expr)| is(e) && leaves(f, *at);
                    // Behind a star nobody knows which parameter an argument is for.
                    let known = args.iter().take_while(|e| !e.is_star());
                    reads += known.enumerate().filter(fits).count();
                }
                _ => {}
            });
        });
    });
    mentions > reads
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{ScopeInfo, parse_site};

    #[test]
    fn what_reads_changes_nothing() {
        let names: HashSet<String> = ["d", "t", "k", "e"].map(String::from).into();
        let scope = ScopeInfo {
            local_names: names.clone(),
            bound_names: names,
            ..ScopeInfo::default()
        };
        let changes = |body: &str| {
            let text = format!("for k in e:\n    {body}\n");
            let site = parse_site(&text, 1, false, &scope).unwrap();
            let d = site.paths.ids().find(|id| site.paths[*id].name == "d");
            let tops = std::slice::from_ref(&site.top);
            let leaves = |f: PathId, at| site.paths[f].name == "g" && at == 1;
            may_change(&site.paths, tops, d.unwrap(), &leaves)
        };
        for reads in [
            "t += d[k]",
            "t += k in d",
            "t += d.get(k, 0)",
            "t += g(k, d)",
        ] {
            assert!(!changes(reads), "{reads}");
        }
        for writes in [
            "d[k] = 1",
            "d[k] += 1",
            "t = d",
            "t += f(d)",
            "d.pop(k)",
            "t += g(d)",
        ] {
            assert!(changes(writes), "{writes}");
        }
    }
}
