//! Buffer swaps: names of arrays that change places, in one statement or through a temporary.

use std::collections::BTreeSet;

use nestwise_ir::{ArrayId, ArrayKind, PlaceId, Span, surface as s};

use crate::lowering::hir::{Expr, ExprKind, Kind, Local, LocalId, Stmt, Target};
use crate::lowering::lower::Lower;
use crate::lowering::names::resolve::{Names, Resolver};
use crate::site::captures::Capture;

impl Resolver<'_> {
    /// The site's local of a name that holds an array at entry.
    fn array_local(&self, names: &Names, e: &s::Expr) -> Option<LocalId> {
        let s::ExprKind::Place(id) = &e.kind else {
            return None;
        };
        self.array_place(names, *id)
    }

    fn array_place(&self, names: &Names, id: PlaceId) -> Option<LocalId> {
        let local = *names.locals.get(&id)?;
        let capture = self.hir.locals.get(local)?.capture?;
        matches!(self.capture(capture), Capture::Array { .. }).then_some(local)
    }

    /// `a, b = b, a` on names of arrays: the permutation.
    pub fn swap(
        &self,
        names: &Names,
        targets: &[s::Target],
        value: &s::Expr,
    ) -> Option<Vec<(LocalId, LocalId)>> {
        let ([s::Target::Tuple(targets)], s::ExprKind::Tuple(values)) = (targets, &value.kind)
        else {
            return None;
        };
        let sources: Option<Vec<LocalId>> =
            values.iter().map(|e| self.array_local(names, e)).collect();
        let place = |t: &s::Target| match t {
            s::Target::Place(id) => self.array_place(names, *id),
            _ => None,
        };
        let targets: Option<Vec<LocalId>> = targets.iter().map(place).collect();
        let (sources, targets) = (sources?, targets?);
        let sorted = |v: &[LocalId]| {
            let mut v = v.to_vec();
            v.sort_unstable();
            v.dedup();
            v
        };
        let permutes = sorted(&sources) == sorted(&targets)
            && sorted(&sources).len() == sources.len()
            && targets.len() == sources.len();
        permutes.then(|| targets.into_iter().zip(sources).collect())
    }

    /// `tmp = a; a = b; b = tmp`, and longer ones: the temporary, the names in order, the statements used.
    pub fn rotation(
        &self,
        names: &Names,
        stmts: &[s::Stmt],
    ) -> Option<(PlaceId, Vec<PlaceId>, usize)> {
        let plain = |stmt: &s::Stmt| match &stmt.kind {
            s::StmtKind::Assign { targets, value } => match (targets.as_slice(), &value.kind) {
                ([s::Target::Place(target)], s::ExprKind::Place(source)) => {
                    Some((*target, *source))
                }
                _ => None,
            },
            _ => None,
        };
        let (tmp, first) = plain(stmts.first()?)?;
        self.array_place(names, first)?;
        names.locals.get(&tmp)?;
        let mut cycle = vec![first];
        for (k, stmt) in stmts.iter().enumerate().skip(1) {
            let (target, source) = plain(stmt)?;
            if Some(&target) != cycle.last() || cycle.contains(&tmp) {
                return None;
            }
            if source == tmp {
                return (cycle.len() > 1).then_some((tmp, cycle, k + 1));
            }
            self.array_place(names, source)?;
            if cycle.contains(&source) {
                return None;
            }
            cycle.push(source);
        }
        None
    }

    pub fn emit_rotation(
        &mut self,
        names: &Names,
        out: &mut Vec<Stmt>,
        tmp: PlaceId,
        cycle: &[PlaceId],
        span: Span,
    ) {
        let locals: Vec<LocalId> = cycle
            .iter()
            .filter_map(|id| names.locals.get(id).copied())
            .collect();
        let next = |k: usize| locals[(k + 1) % locals.len()];
        let pairs: Vec<(LocalId, LocalId)> = locals
            .iter()
            .enumerate()
            .map(|(k, l)| (*l, next(k)))
            .collect();
        self.note_swap(&pairs);
        out.push(Stmt {
            kind: Kind::Swap(pairs),
            span,
        });
        // What the temporary holds afterwards is what the last name got.
        if let (Some(tmp), Some(last)) = (names.locals.get(&tmp), locals.last()) {
            let value = Expr {
                kind: ExprKind::Read(self.read(*last)),
                span,
            };
            let def = self.def(*tmp);
            out.push(Stmt {
                kind: Kind::Assign {
                    targets: vec![Target::Local(def)],
                    value,
                },
                span,
            });
        }
    }

    pub fn note_swap(&mut self, pairs: &[(LocalId, LocalId)]) {
        let mut group: Vec<LocalId> = pairs.iter().map(|(target, _)| *target).collect();
        for local in &group {
            self.hir.locals[*local].swapped = true;
        }
        let (mut touching, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.hir.swap_groups)
            .into_iter()
            .partition(|g: &Vec<LocalId>| g.iter().any(|l| group.contains(l)));
        touching.iter_mut().for_each(|g| group.append(g));
        group.sort_unstable();
        group.dedup();
        self.hir.swap_groups = rest;
        self.hir.swap_groups.push(group);
    }
}

impl Lower<'_> {
    /// Whether a captured array may be another one than it was at first.
    pub fn trades_places(&self, capture: u32) -> bool {
        let of = |l: &Local| l.swapped && l.capture == Some(capture);
        self.hir.locals.iter().any(of)
    }

    /// The arrays that trade places where shapes are compared: by their extents as they are at first.
    pub fn all_alike(&self) -> Vec<(ArrayId, ArrayId)> {
        let mut all = vec![];
        for group in self.swap_groups().iter().filter(|_| self.sliced) {
            if let Some((first, others)) = group.split_first() {
                all.extend(others.iter().map(|other| (*first, *other)));
            }
        }
        all
    }

    /// The slots that trade places with each other.
    fn swap_groups(&self) -> Vec<Vec<ArrayId>> {
        let of = |local: &usize| self.slots.get(&self.hir.locals[*local].capture?).copied();
        let groups = self.hir.swap_groups.iter();
        groups.map(|g| g.iter().filter_map(of).collect()).collect()
    }

    /// What is asked of some arrays is asked of those that they trade places with, and of those that they are copies of at first.
    pub fn with_partners(&self, arrays: &BTreeSet<ArrayId>) -> Vec<ArrayId> {
        let copies = arrays.iter().map(|a| &self.arrays[*a]);
        let copies = copies.filter(|decl| decl.starts);
        let copied = copies.filter_map(|decl| self.slots.get(&decl.capture));
        let arrays: &BTreeSet<ArrayId> = &arrays.iter().chain(copied).copied().collect();
        let groups = self.swap_groups();
        let among = |group: &&Vec<ArrayId>| group.iter().any(|a| arrays.contains(a));
        let partners = groups.iter().filter(among).flatten();
        let all: BTreeSet<ArrayId> = arrays.iter().chain(partners).copied().collect();
        all.into_iter().collect()
    }

    /// The arrays that must not share memory. Slots that trade places hold each other's arrays in turn.
    pub fn all_apart(&self) -> Vec<(ArrayId, ArrayId)> {
        let groups = self.swap_groups();
        let group = |slot: ArrayId| -> Vec<ArrayId> {
            let own = groups.iter().find(|g| g.contains(&slot));
            own.cloned().unwrap_or_else(|| vec![slot])
        };
        let mut all = BTreeSet::new();
        // What is copied when the nest begins must not change in between.
        let mut apart = self.apart.clone();
        for copied in self.arrays.values().filter(|d| d.starts) {
            let Some(from) = self.slots.get(&copied.capture) else {
                continue;
            };
            let written = self.arrays.iter().filter(|(_, d)| d.written);
            let written = written.filter(|(_, d)| d.kind == ArrayKind::Ndarray);
            apart.extend(written.map(|(to, _)| (*from, to)));
        }
        for (a, b) in &apart {
            for x in group(*a) {
                // One slot with itself is no pair of two that trade places.
                let others = if a == b { vec![x] } else { group(*b) };
                all.extend(others.into_iter().map(|y| (x.min(y), x.max(y))));
            }
        }
        all.into_iter().collect()
    }
}
