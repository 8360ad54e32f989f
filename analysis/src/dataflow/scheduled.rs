//! A nest with the schedule that it is to run by, and which variables outlive which loops of it.

use std::collections::HashMap;

use nestwise_ir::{For, LoopId, Nest, Schedule, Stmt, StmtKind, VarId};

use crate::dataflow::between_calls::frame_vars;
use crate::dataflow::definite_assignment::{self, Vars};
use crate::dataflow::reads::{reads, reads_in};

/// A nest and its schedule.
pub struct Scheduled<'n> {
    /// The nest.
    pub nest: &'n Nest,
    /// The schedule, which says how each loop is mapped.
    pub schedule: &'n Schedule,
    /// Variables that a call loads from the frame.
    pub frame_in: Vars,
    /// Variables that a call stores to the frame.
    pub frame_out: Vars,
    /// How often each variable is read in the whole nest.
    reads: HashMap<VarId, usize>,
}

impl<'n> Scheduled<'n> {
    /// Makes the pair, and counts the reads and the frame's variables.
    pub fn of(nest: &'n Nest, schedule: &'n Schedule) -> Scheduled<'n> {
        let (frame_in, frame_out) = frame_vars(nest);
        Scheduled {
            nest,
            schedule,
            frame_in,
            frame_out,
            reads: reads(nest),
        }
    }

    /// The reads in a loop's body as the nest has it, of which `l` may be a part.
    pub fn reads_of_loop(&self, l: &For) -> HashMap<VarId, usize> {
        let mut found = None;
        self.nest.walk(&mut |s| {
            if let StmtKind::For(whole) = &s.kind
                && whole.id == l.id
            {
                found = Some(reads_in(&whole.body));
            }
        });
        found.unwrap_or_else(|| reads_in(&l.body))
    }

    /// Whether anything outside `inside` (the statements of a loop) reads `var`, or the frame gets it.
    pub fn live_after(&self, var: VarId, inside: &HashMap<VarId, usize>) -> bool {
        let all = self.reads.get(&var).copied().unwrap_or(0);
        let here = inside.get(&var).copied().unwrap_or(0);
        all > here || self.frame_out.contains(&var)
    }

    /// Whether anything but that loop's body needs a value of `var` that it has not assigned itself: where a loop is
    /// there in two forms, they assign and read the same variables.
    pub fn needed_without(&self, id: LoopId, var: VarId) -> bool {
        let mut rest = self.nest.top.clone();
        empty(&mut rest, id);
        let flow = definite_assignment::flow(&[], &[rest], None, self.schedule.nonempty);
        flow.exposed.contains(&var) || self.frame_out.contains(&var)
    }
}

/// Empties the body of a loop.
fn empty(stmt: &mut Stmt, id: LoopId) {
    match &mut stmt.kind {
        StmtKind::For(l) if l.id == id => l.body.clear(),
        _ => {
            for block in stmt.blocks_mut() {
                block.iter_mut().for_each(|s| empty(s, id));
            }
        }
    }
}
