//! The dependence graph of the statements of a loop's body, and the groups that follow from it.

use nestwise_ir::AccessId;
use nestwise_ir::model::nest::{ExprKind, Stmt, StmtKind};

use crate::structure::variables;
use crate::transform::distribution::recomputation::Values;

/// The statements of a loop's body that are to share a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The indices of the statements in the body, ascending.
    pub statements: Vec<usize>,
    /// Whether no iteration of the group's loop depends on another.
    pub parallel: bool,
}

/// The dependence graph of the statements of a body.
#[derive(Clone)]
pub(super) struct Graph {
    /// By pair of statements: whether the second depends on the first.
    pub(super) edges: Vec<Vec<bool>>,
    /// By pair of statements: whether the second depends on the first in an earlier iteration of the loop.
    pub(super) carried: Vec<Vec<bool>>,
}

impl Graph {
    /// Adds edges both ways between statements that assign and use one variable, so that they stay together.
    pub(super) fn share_variables(&mut self, body: &[Stmt], values: &Values) {
        let sets: Vec<_> = body.iter().map(variables).collect();
        let own = |s: &usize| !values.has(*s);
        for (s, (assigned, _)) in sets.iter().enumerate().filter(|(s, _)| own(s)) {
            for (t, (others, reads)) in sets.iter().enumerate().filter(|(t, _)| *t != s) {
                if assigned
                    .iter()
                    .any(|v| others.contains(v) || reads.contains(v))
                {
                    self.edges[s][t] = true;
                    self.edges[t][s] = true;
                }
            }
        }
    }

    /// The graph in which each group that uses a repeatable value computes it for itself.
    pub(super) fn with_repeated(&self, values: &Values) -> Graph {
        let mut graph = self.clone();
        values.users().for_each(|(s, users)| graph.repeat(s, users));
        graph
    }

    /// Moves the dependences of statement `s`, in both directions, to each statement that repeats it.
    fn repeat(&mut self, s: usize, users: &[usize]) {
        for relation in [&mut self.edges, &mut self.carried] {
            let to = std::mem::take(&mut relation[s]);
            relation[s] = vec![false; to.len()];
            let rows = relation.iter_mut();
            let from: Vec<bool> = rows.map(|row| std::mem::take(&mut row[s])).collect();
            for user in users {
                let row = relation[*user].iter_mut();
                row.zip(&to).for_each(|(a, b)| *a |= b);
                let rows = relation.iter_mut();
                rows.zip(&from).for_each(|(row, b)| row[*user] |= b);
            }
        }
    }

    pub(super) fn carries(&self, from: &[usize], to: &[usize]) -> bool {
        from.iter().any(|s| to.iter().any(|t| self.carried[*s][*t]))
    }

    /// The strongly connected components, in an order that respects all edges, and otherwise in that of the text.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        let reach = self.closure();
        let count = reach.len();
        let together = |s: usize, t: usize| s == t || reach[s][t] && reach[t][s];
        let mut placed = vec![false; count];
        let mut out: Vec<Vec<usize>> = vec![];
        while out.iter().map(Vec::len).sum::<usize>() < count {
            let ready = |s: usize| {
                !placed[s] && (0..count).all(|p| placed[p] || !reach[p][s] || together(p, s))
            };
            let Some(first) = (0..count).find(|s| ready(*s)) else {
                break;
            };
            let component: Vec<usize> = (0..count).filter(|t| together(first, *t)).collect();
            component.iter().for_each(|s| placed[*s] = true);
            out.push(component);
        }
        out
    }

    fn closure(&self) -> Vec<Vec<bool>> {
        let mut reach = self.edges.clone();
        for via in 0..reach.len() {
            for s in 0..reach.len() {
                if reach[s][via] {
                    let onward = reach[via].clone();
                    reach[s].iter_mut().zip(onward).for_each(|(a, b)| *a |= b);
                }
            }
        }
        reach
    }

    /// Merges neighbouring groups that are both serial, or both parallel and still parallel when merged. A group that
    /// accesses no array is merged with a neighbour of either kind.
    pub(super) fn fused(&self, groups: Vec<Group>, body: &[Stmt]) -> Vec<Group> {
        let idle = |g: &Group| g.parallel && g.statements.iter().all(|s| !touches(&body[*s]));
        let mut out: Vec<Group> = vec![];
        for g in groups {
            let Some(last) = out.last_mut() else {
                out.push(g);
                continue;
            };
            let independent = || {
                !self.carries(&last.statements, &g.statements)
                    && !self.carries(&g.statements, &last.statements)
            };
            let alike = last.parallel == g.parallel && (!g.parallel || independent());
            if !(alike || idle(last) || idle(&g)) {
                out.push(g);
                continue;
            }
            last.parallel &= g.parallel;
            last.statements.extend(g.statements);
            last.statements.sort_unstable();
        }
        out
    }
}

fn touches(s: &Stmt) -> bool {
    let mut found = false;
    for_each_access(s, &mut |_| found = true);
    found
}

pub(super) fn for_each_access(s: &Stmt, f: &mut impl FnMut(AccessId)) {
    s.walk(&mut |s| {
        if let StmtKind::Store { access, .. } = s.kind {
            f(access);
        }
        for e in s.exprs() {
            e.walk(&mut |e| {
                if let ExprKind::Load { access, .. } = e.kind {
                    f(access);
                }
            });
        }
    });
}
