//! Distribution: the statements of a loop's body get loops of their own.
//!
//! ```text
//! for i in range(n):                for i in range(n):
//!     a[i] = a[i - 1] + c[i]    =>      a[i] = a[i - 1] + c[i]
//!     b[i] = sin(a[i])              for i in range(n):          # parallel
//!                                       b[i] = sin(a[i])
//! ```
//!
//! Statements that depend on each other in a cycle stay together; the rest is ordered so that whatever a statement
//! depends on is in an earlier loop or its own (Allen and Kennedy, Automatic translation of FORTRAN programs to vector
//! form, 1987). Neighbours of one kind are then put together again, as far as that keeps the parallel ones parallel
//! (Kennedy and McKinley, Typed fusion with applications to parallel and sequential code generation, 1993).

mod graph;
mod recomputation;

use nestwise_ir::guarded::block_may_fail;
use nestwise_ir::model::nest::{For, Stmt, StmtKind};
use nestwise_ir::{AccessId, LoopId, VarId};
use std::collections::HashMap;

use crate::dependence::{Dir, Pair, common_loops};
use crate::parallelism::legality::Given;
use crate::structure::{assigned, irregular, may_fail};
use crate::transform::build::{Builder, hidden, like, rename};
use crate::transform::distribution::graph::{Graph, for_each_access};
use crate::transform::distribution::recomputation::Values;
use crate::transform::rewritten::{Rewritten, compact, splice_for};

pub use crate::transform::distribution::graph::Group;

/// The most statements in the body of a loop that is distributed.
const MAX_STATEMENTS: usize = 32;
/// The most pairs of accesses that are examined for one loop.
const MAX_PAIRS: usize = 900;

impl Given<'_> {
    /// The groups of statements that a loop can be distributed into, in their order; `None` if there is but one group,
    /// or no group is parallel.
    ///
    /// Legal iff
    ///   - the bounds may be evaluated once more: they read nothing that the loop writes, and have no guard;
    ///   - the body has no jumps;
    ///   - for every dependence from an access of group `g` to one of group `h`, carried by the loop or inside one of
    ///     its iterations, `g <= h`;
    ///   - `W(g) ∩ (R(h) ∪ W(h)) = ∅` for the variables of any two groups, but for [values](recomputation) that each
    ///     group computes for itself: what their loads depend on, or what depends on those, then does so with each
    ///     statement that uses the value;
    ///   - what stands behind a check that may fail is in no earlier group: its accesses rest on the check;
    ///   - no guard in the body can fail, or `undo`.
    pub fn may_distribute(&self, l: &For) -> Option<Vec<Group>> {
        let sound = l.step.as_int().is_some()
            && !irregular(&l.body)
            && self.rectangular(&[l])
            && (self.undo || !block_may_fail(self.nest, &l.body));
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

    /// The dependence graph of a loop's body. `None`: there are too many pairs of accesses to examine, or dependences
    /// through variables alone leave no group that is parallel beside others.
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
        // Dependences of memory only put more statements together, so components that cannot be parallel now never
        // are: what is inside of them need not be known.
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

/// By access: the index of the statement of the body that contains it.
fn places(body: &[Stmt]) -> HashMap<AccessId, usize> {
    let mut out = HashMap::new();
    for (place, s) in body.iter().enumerate() {
        for_each_access(s, &mut |a| {
            out.insert(a, place);
        });
    }
    out
}

/// The nest with loops distributed into one loop for each group of their statements (a cheap value that several groups
/// use is computed in each), if some parallel group is `worth` it.
pub fn distribute(given: &Given<'_>, worth: &dyn Fn(&[&Stmt]) -> bool) -> Option<Rewritten> {
    let mut todo: Vec<(LoopId, Vec<Group>)> = vec![];
    given.nest.walk(&mut |s| {
        let StmtKind::For(l) = &s.kind else { return };
        // The top loop has to stay the only one.
        if l.id != LoopId(0)
            && let Some(groups) = given.may_distribute(l)
            && groups.iter().filter(|g| g.parallel).any(|g| {
                let body: Vec<&Stmt> = g.statements.iter().map(|p| &l.body[*p]).collect();
                worth(&body)
            })
        {
            todo.push((l.id, groups));
        }
    });
    if todo.is_empty() {
        return None;
    }
    let mut nest = given.nest.clone();
    let mut made = vec![];
    for (id, groups) in todo {
        let copies: Option<Vec<(LoopId, VarId)>> = (1..groups.len())
            .map(|_| Some((like(&mut nest, id)?, hidden(&mut nest))))
            .collect();
        let copies = copies?;
        // Each of them runs if the loop itself did.
        made.extend(copies.iter().map(|_| (id, given.runs(id))));
        splice_for(std::slice::from_mut(&mut nest.top), id, &mut |s| {
            divide(s, &groups, &copies)
        });
    }
    compact(&mut nest);
    Some(Rewritten::of(
        "distribution",
        nest,
        given.analysis.options.nonempty,
        &made,
    ))
}

/// Makes a loop for each group; all but the last have a number and a counter of their own.
fn divide(s: Stmt, groups: &[Group], copies: &[(LoopId, VarId)]) -> Vec<Stmt> {
    let span = s.span;
    let StmtKind::For(l) = s.kind else {
        return vec![s];
    };
    let own = copies.iter().copied().chain([(l.id, l.counter)]);
    let part = |(group, (id, counter)): (&Group, (LoopId, VarId))| {
        let statements = group.statements.iter();
        let mut body: Vec<Stmt> = statements.filter_map(|p| l.body.get(*p).cloned()).collect();
        body.iter_mut().for_each(|s| rename(s, l.counter, counter));
        let header = For {
            id,
            counter,
            start: l.start.clone(),
            stop: l.stop.clone(),
            step: l.step.clone(),
            body,
        };
        Builder { span }.repeat(header)
    };
    groups.iter().zip(own).map(part).collect()
}
