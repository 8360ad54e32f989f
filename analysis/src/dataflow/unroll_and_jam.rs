//! Unroll and jam: several iterations of a parallel loop around a vector loop run interleaved, statement by statement,
//! so that what they share (a row of a matrix) is loaded once for all of them and stays in registers.
//!
//! The schedule asks for it by listing a loop that encloses another of its vector loops; the number is the number of
//! interleaved iterations. The classic source is Callahan, Carr and Kennedy, "Improving register allocation for
//! subscripted variables" (1990). Iterations of a parallel loop may be interleaved in any way; control must be the
//! same for all copies, which is checked here.

use std::collections::HashSet;

use nestwise_ir::{For, Stmt, StmtKind, VarId};

use crate::dataflow::definite_assignment;
use crate::dataflow::lane_facts::Facts;
use crate::dataflow::reads::reads_in;
use crate::dataflow::scheduled::Scheduled;

/// The most iterations that are interleaved: each has its own accumulators, and there are 16 or 32 vector registers.
const MOST: u32 = 8;

/// The variables of which each copy of a loop's body has its own, and those that outlive the loop.
pub struct Copies {
    /// Variables of which each copy has its own.
    pub varying: HashSet<VarId>,
    /// Variables assigned inside and read outside of the loop.
    pub live_after: Vec<VarId>,
}

impl Copies {
    /// The facts, if the loop encloses a vector loop and its control does not depend on the iteration.
    pub fn of(scheduled: &Scheduled<'_>, l: &For, count: u32) -> Option<Copies> {
        if count > MOST || !encloses_lanes(scheduled, l) {
            return None;
        }
        let varying = varying(scheduled, l, &[l.counter])?;
        let nonempty = scheduled.schedule.nonempty;
        let flow = definite_assignment::flow(&[], &l.body, Some(l.id), nonempty);
        let reads = reads_in(&l.body);
        let mut live_after: Vec<VarId> = flow
            .assigned
            .iter()
            .copied()
            .filter(|v| scheduled.live_after(*v, &reads))
            .collect();
        live_after.sort();
        if live_after.iter().any(|v| !flow.definite.contains(v)) {
            return None;
        }
        Some(Copies {
            varying,
            live_after,
        })
    }
}

/// Variables of which iterations of a loop that differ in those counters have their own, if they may be interleaved:
/// nothing is left early, no iteration needs what another assigned, and they run the same statements with loops inside
/// as often.
pub fn varying(scheduled: &Scheduled<'_>, l: &For, counters: &[VarId]) -> Option<HashSet<VarId>> {
    let flow = definite_assignment::flow(&[], &l.body, Some(l.id), scheduled.schedule.nonempty);
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
fn encloses_lanes(scheduled: &Scheduled<'_>, l: &For) -> bool {
    let mut found = false;
    for s in &l.body {
        s.walk(&mut |s| {
            if let StmtKind::For(inner) = &s.kind {
                let listed = scheduled
                    .schedule
                    .vector
                    .iter()
                    .any(|(id, _)| *id == inner.id);
                found |= listed && Facts::of(scheduled, inner).is_some();
            }
        });
    }
    found
}

/// Whether a statement has no jumps and no loops of unknown length.
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

/// Whether a `for` stands in a statement, at any depth.
pub fn has_loop(s: &Stmt) -> bool {
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
