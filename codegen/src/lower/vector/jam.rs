//! Unroll and jam: several iterations of a parallel loop around a vector loop run interleaved, statement by statement,
//! so that what they share (a row of a matrix) is loaded once for all of them and stays in registers.
//!
//! The schedule asks for it by listing a loop that encloses another of its vector loops; the number is the number of
//! interleaved iterations. The classic source is Callahan, Carr and Kennedy, "Improving register allocation for
//! subscripted variables" (1990). Iterations of a parallel loop may be interleaved in any way; control must be the
//! same for all copies, which is checked here.

use std::collections::HashSet;

use nestwise_analysis::dataflow::definite_assignment;
use nestwise_ir::{For, Stmt, StmtKind, VarId};

use crate::llvm::V;
use crate::lower::reads::reads_in;
use crate::lower::unit::Unit;
use crate::lower::vector::lanes::Facts;

/// Interleaved iterations at most: each has its own accumulators, and there are 16 or 32 vector registers.
const MOST: u32 = 8;

/// An interleaved loop.
pub(crate) struct Jam {
    /// Number of copies.
    pub(crate) count: u32,
    /// Variables of which each copy has its own.
    pub(crate) varying: HashSet<VarId>,
    /// Counters, and what they are in each copy.
    pub(crate) counters: Vec<(VarId, Vec<V>)>,
    pub(crate) live_after: Vec<VarId>,
}

impl Jam {
    /// The facts, if the loop encloses a vector loop and its control does not depend on the iteration.
    pub(crate) fn of(unit: &Unit<'_>, l: &For, count: u32) -> Option<Jam> {
        if count > MOST || !encloses_lanes(unit, l) {
            return None;
        }
        let varying = varying(unit, l, &[l.counter])?;
        let flow = definite_assignment::flow(&[], &l.body, Some(l.id), unit.spec.schedule.nonempty);
        let reads = reads_in(&l.body);
        let live_after: Vec<VarId> = flow
            .assigned
            .iter()
            .copied()
            .filter(|v| unit.live_after(*v, &reads))
            .collect();
        if live_after.iter().any(|v| !flow.definite.contains(v)) {
            return None;
        }
        Some(Jam {
            count,
            varying,
            counters: Vec::new(),
            live_after,
        })
    }

    /// Copies without anything that the last one leaves behind.
    pub(crate) fn plain(
        count: u32,
        varying: HashSet<VarId>,
        counters: Vec<(VarId, Vec<V>)>,
    ) -> Jam {
        Jam {
            count,
            varying,
            counters,
            live_after: Vec::new(),
        }
    }
}

/// Variables of which iterations of a loop that differ in those counters have their own, if they may be interleaved: nothing is
/// left early, no iteration needs what another assigned, and they run the same statements with loops inside as often.
pub(crate) fn varying(unit: &Unit<'_>, l: &For, counters: &[VarId]) -> Option<HashSet<VarId>> {
    let flow = definite_assignment::flow(&[], &l.body, Some(l.id), unit.spec.schedule.nonempty);
    let carries = flow.assigned.iter().any(|v| flow.exposed.contains(v));
    if carries || !l.body.iter().all(is_structured) {
        return None;
    }
    let mut facts = Facts::default();
    facts.varying.extend(counters);
    facts.spread(l);
    let alike = facts.masked.is_empty() && l.body.iter().all(|s| shares_control(s, &facts));
    alike.then_some(facts.varying)
}

/// Whether the schedule has a vector loop inside `l` that can be run by lanes.
fn encloses_lanes(unit: &Unit<'_>, l: &For) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::For(inner) = &s.kind {
                let listed = unit
                    .spec
                    .schedule
                    .vector
                    .iter()
                    .any(|(id, _)| *id == inner.id);
                found |= listed && Facts::of(unit, inner).is_some();
            }
        });
    }
    found
}

/// No jumps, no loops of unknown length.
fn is_structured(s: &Stmt) -> bool {
    let mut ok = true;
    s.walk(&mut |s| {
        ok &= matches!(
            s.kind,
            StmtKind::Let { .. }
                | StmtKind::Store { .. }
                | StmtKind::If { .. }
                | StmtKind::For(_)
                | StmtKind::Eval(_)
        );
    });
    ok
}

pub(crate) fn has_loop(s: &Stmt) -> bool {
    let mut found = false;
    s.walk(&mut |s| found |= matches!(s.kind, StmtKind::For(_)));
    found
}

/// Whether statements with loops inside run alike in all copies.
fn shares_control(s: &Stmt, facts: &Facts) -> bool {
    if !has_loop(s) {
        return true;
    }
    let alike = match &s.kind {
        StmtKind::If { cond, .. } => !facts.is_varying(cond),
        StmtKind::For(l) => ![&l.start, &l.stop, &l.step]
            .iter()
            .any(|e| facts.is_varying(e)),
        _ => false,
    };
    alike && s.blocks().flatten().all(|s| shares_control(s, facts))
}
