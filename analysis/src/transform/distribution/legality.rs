//! Giving the statements of a loop's body loops of their own.
//!
//! What depends on each other in a circle stays together; the rest is ordered so that whatever a statement depends on
//! is in an earlier loop or its own (Allen and Kennedy, Automatic translation of FORTRAN programs to vector form, 1987).
//! Neighbours of one kind are then put together again, as far as that keeps the parallel ones parallel (Kennedy and
//! McKinley, Typed fusion with applications to parallel and sequential code generation, 1993).

use std::collections::HashMap;

use nestwise_ir::guarded::block_may_fire;
use nestwise_ir::model::nest::{ExprKind, For, Stmt, StmtKind};
use nestwise_ir::{AccessId, VarId};

use crate::dependence::{Dir, Pair, common_loops};
use crate::parallelism::legality::Given;
use crate::structure::{assigned, irregular, variables};
use crate::transform::distribution::recomputation::Values;
use crate::transform::scalar_replacement::legality::may_fail;

/// Statements of one body.
const MAX_STATEMENTS: usize = 32;
/// Pairs of accesses that are looked at for one loop.
const MAX_PAIRS: usize = 900;

/// Statements of a loop's body that are to share a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Their places in the body, ascending.
    pub statements: Vec<usize>,
    /// No iteration of that loop depends on another.
    pub parallel: bool,
}

/// What depends on what among the statements of a body.
#[derive(Clone)]
struct Graph {
    /// By statement and statement: the second depends on the first.
    edges: Vec<Vec<bool>>,
    /// The same, in another iteration of the loop.
    carried: Vec<Vec<bool>>,
}

impl Given<'_> {
    /// The loops that a loop can be made into, in their order; none if there is but one, or none of them is parallel.
    ///
    /// Legal iff
    ///   - the bounds may be evaluated once more: they depend on nothing that the loop assigns, and cannot fire;
    ///   - the body has no jumps;
    ///   - for every dependence from one group's access to another's, carried by the loop or inside one of its
    ///     iterations, the former is the earlier group;
    ///   - no group assigns a variable that another one reads or assigns, but for [values](crate::transform::distribution::recomputation) that each
    ///     group computes for itself: what their loads depend on, or what depends on those, then does so with each
    ///     statement that uses the value;
    ///   - what stands behind a check that may fail is in no earlier group: its accesses rest on the check;
    ///   - no event can fire in the body, or `undo`.
    pub fn may_distribute(&self, l: &For) -> Option<Vec<Group>> {
        let sound = l.step.as_int().is_some()
            && !irregular(&l.body)
            && self.rectangular(&[l])
            && (self.undo || !block_may_fire(self.nest, &l.body));
        if !sound || !(2..=MAX_STATEMENTS).contains(&l.body.len()) {
            return None;
        }
        let values = self.repeatable(l);
        let graph = self.graph(l, &values)?;
        let mut parts = graph.components();
        parts.retain(|part| !matches!(part[..], [s] if values.has(s)));
        let single = parts.into_iter().map(|statements| Group {
            parallel: self.is_parallel(&graph, l, &statements),
            statements,
        });
        let mut groups = graph.fused(single.collect(), &l.body);
        for group in &mut groups {
            values.add_to(&mut group.statements);
        }
        let some = groups.len() > 1 && groups.iter().any(|g| g.parallel);
        some.then_some(groups)
    }

    /// None: there are too many pairs of accesses to ask for each, or variables alone leave no group that is parallel beside others.
    fn graph(&self, l: &For, values: &Values) -> Option<Graph> {
        let inside: Vec<_> = self.inside(l.id).collect();
        if !self.disjoint || inside.len() * inside.len() > MAX_PAIRS {
            return None;
        }
        let count = l.body.len();
        let none = vec![vec![false; count]; count];
        let mut graph = Graph {
            edges: none.clone(),
            carried: none,
        };
        for s in (0..count).filter(|s| may_fail(&l.body[*s..=*s])) {
            graph.edges[s][s + 1..].fill(true);
        }
        graph.share_variables(&l.body, values);
        // Dependences of memory only put more statements together, so components that cannot be parallel now never are: what is
        // inside of them need not be known.
        let together = graph.with_repeated(values).components();
        let serial = |part: &Vec<usize>| !self.is_parallel(&graph, l, part);
        let mut serial_part = vec![None; count];
        for (k, part) in together.iter().enumerate().filter(|(_, p)| serial(p)) {
            part.iter().for_each(|s| serial_part[*s] = Some(k));
        }
        let is_value = |part: &[usize]| matches!(part, [s] if values.has(*s));
        let mut parts = together.iter().filter(|part| !is_value(part));
        if parts.clone().count() < 2 || parts.all(serial) {
            return None;
        }
        let known = |s: usize, t: usize| {
            let apart = serial_part[s].is_none() || serial_part[s] != serial_part[t];
            !apart && !values.has(s) && !values.has(t)
        };
        let places = places(&l.body);
        let tester = self.analysis.tester(self.nest);
        for (x, y) in inside
            .iter()
            .flat_map(|x| inside.iter().map(move |y| (*x, *y)))
        {
            if x.array != y.array || !(x.store || y.store) {
                continue;
            }
            let (s, t) = (*places.get(&x.id)?, *places.get(&y.id)?);
            if known(s, t) {
                continue;
            }
            let level = common_loops(x, y).iter().position(|c| *c == l.id)?;
            for d in tester.dependences_within(Pair::new(x, y), level, 1)? {
                graph.edges[s][t] = true;
                graph.carried[s][t] |= d.directions.get(level) == Some(&Dir::Lt);
            }
        }
        Some(graph.with_repeated(values))
    }

    fn is_parallel(&self, graph: &Graph, l: &For, group: &[usize]) -> bool {
        let Some(info) = self.info(l.id) else {
            return false;
        };
        let free =
            |v: &VarId| info.private.contains(v) || info.reductions.iter().any(|(r, _)| r == v);
        !graph.carries(group, group)
            && group
                .iter()
                .all(|s| assigned(&l.body[*s..=*s]).iter().all(free))
    }
}

impl Graph {
    /// A variable keeps together what assigns it and what uses it.
    fn share_variables(&mut self, body: &[Stmt], values: &Values) {
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

    /// This graph with values in each of the groups that use them.
    fn with_repeated(&self, values: &Values) -> Graph {
        let mut graph = self.clone();
        values.users().for_each(|(s, users)| graph.repeat(s, users));
        graph
    }

    /// What statement `s` depends on, and what depends on it, does so with each statement that repeats it.
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

    fn carries(&self, from: &[usize], to: &[usize]) -> bool {
        from.iter().any(|s| to.iter().any(|t| self.carried[*s][*t]))
    }

    /// Strongly connected components in an order that respects all edges; otherwise in that of the text.
    fn components(&self) -> Vec<Vec<usize>> {
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

    /// Neighbours put together that are both serial, or both parallel and so as one. What touches no array goes with
    /// whatever is next to it.
    fn fused(&self, groups: Vec<Group>, body: &[Stmt]) -> Vec<Group> {
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

/// The statement of a body in which each access stands.
fn places(body: &[Stmt]) -> HashMap<AccessId, usize> {
    let mut out = HashMap::new();
    for (place, s) in body.iter().enumerate() {
        for_each_access(s, &mut |a| {
            out.insert(a, place);
        });
    }
    out
}

fn touches(s: &Stmt) -> bool {
    let mut found = false;
    for_each_access(s, &mut |_| found = true);
    found
}

fn for_each_access(s: &Stmt, f: &mut impl FnMut(AccessId)) {
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
