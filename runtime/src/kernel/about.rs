//! What a launch needs to know of a kernel besides its code.

use nestwise_analysis as analysis;
use nestwise_analysis::Ranges;
use nestwise_analysis::schedule::Rewrite;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_codegen as codegen;
use nestwise_ir::machine_shape::Body;
use nestwise_ir::schedule::{RedOp, ThreadLoop};
use nestwise_ir::{ArrayId, LoopId, Nest, Schedule, StmtKind, Tier, guarded};
use serde::{Deserialize, Serialize};

/// What a launch needs to know of a kernel besides its code; kept on disk with it.
#[derive(Serialize, Deserialize)]
pub struct About {
    /// The nest as compiled, perhaps rewritten: its declarations alone, the loops are empty.
    pub nest: Nest,
    /// What a chunk may have to roll back.
    pub undo: analysis::UndoPlan,
    /// Whether the kernel stops exactly where a guard fails: nothing behind that point has run. Floating-point flags
    /// are no guards: they are looked at after a whole chunk.
    pub in_order: bool,
    /// Whether the top loop's iterations run one after the other, so that a chunk of one costs only a call.
    pub stepwise: bool,
    /// Whether some loop runs on threads.
    pub threaded: bool,
    /// The loops in their final order and what they are mapped to, for reports.
    pub description: String,
    /// What was done with the nest, and what made it possible, a word each.
    pub means: Vec<String>,
    /// The operations that the kernel executes.
    pub shape: Body,
    /// The memory that the kernel goes through.
    pub traffic: TrafficPlan,
    /// For each loop: the loop of the nest as written whose trips it makes, or [`ONCE`].
    pub origin: Vec<LoopId>,
    /// What is known of the device's part, if the kernel's loops are on a device's grid.
    pub grid: Option<OnGrid>,
    /// The tier of the code: how much time making it took.
    pub tier: Tier,
}

/// What is known of a kernel for a device, whose code is that of the host's part, then the device's.
#[derive(Serialize, Deserialize)]
pub struct OnGrid {
    /// Bytes of the host's part.
    pub host: usize,
    /// Whether the device's part is PTX, not an object file.
    pub ptx: bool,
    /// The kernels of the device's part.
    pub kernels: Vec<codegen::GridKernel>,
}

/// The origin of a loop that counts as making one trip.
pub const ONCE: LoopId = LoopId(u32::MAX);

impl About {
    /// Sets the loops that the kernel's loops were made from. Several loops inside each other that were made from one
    /// (those over waves, tiles and rows) make as many trips as it did, all together: the innermost counts for them.
    pub fn come_from(&mut self, origin: &[LoopId]) {
        let parent = |id: LoopId| self.nest.loops[id].parent;
        let same = |a: LoopId, b: LoopId| origin.get(a.index()) == origin.get(b.index());
        let mut own = origin.to_vec();
        for id in self.nest.loops.ids() {
            for outer in std::iter::successors(parent(id), |outer| parent(*outer)) {
                if same(id, outer)
                    && let Some(of) = own.get_mut(outer.index())
                {
                    *of = ONCE;
                }
            }
        }
        self.origin = own;
    }

    /// The slots to save before a chunk; see [`UndoPlan::to_save`](analysis::UndoPlan::to_save).
    pub fn to_save(&self, alone: bool, stops: bool) -> impl Iterator<Item = &analysis::SlotUndo> {
        // Whoever interrupts an iteration may look at the arrays before CPython has run it again.
        let in_order = self.in_order && self.nest.interruptible.is_empty();
        self.undo.to_save(in_order, alone, stops)
    }

    /// What is known of `nest` with these ranges, compiled under `schedule` after it was rewritten.
    pub fn of(
        nest: &Nest,
        ranges: &Ranges,
        undo: analysis::UndoPlan,
        schedule: &Schedule,
        rewrite: Rewrite,
    ) -> About {
        let threaded = !schedule.threads.is_empty();
        let plain = !rewrite.reorders() && nest.whole.is_none();
        let top = LoopId(0);
        let mapped = schedule.threads.iter().any(|t| t.id == top)
            || schedule.on_vectors().any(|id| id == top)
            || schedule.split.contains(&top);
        About {
            stepwise: !mapped && nest.whole.is_none(),
            description: describe(nest, &undo, schedule),
            means: means(schedule, rewrite).map(str::to_string).collect(),
            in_order: plain && guarded::guards_fail_in_order(nest, schedule),
            nest: declarations(nest),
            undo,
            threaded,
            shape: Body::default(),
            traffic: TrafficPlan::with(
                nest,
                &analysis::shared_forms(nest, ranges),
                &schedule.vector,
            ),
            origin: Vec::new(),
            grid: None,
            tier: Tier::Optimised,
        }
    }
}

/// The loops in their final order, what they are mapped to, and what is left to test at run time, in words.
fn describe(nest: &Nest, undo: &analysis::UndoPlan, schedule: &Schedule) -> String {
    let mut loops = Vec::new();
    nest.top.walk(&mut |stmt| {
        let id = match &stmt.kind {
            StmtKind::For(l) => l.id,
            StmtKind::While(l) => l.id,
            _ => return,
        };
        let mut text = stmt.span.line.to_string();
        if nest.whole.is_some() && id == LoopId(0) {
            text.push_str(" whole");
        }
        if let Some(t) = schedule.threads.iter().find(|t| t.id == id) {
            text.push_str(" threads");
            let name = |a: ArrayId| nest.arrays.get(a).map_or("", |a| &a.name);
            for a in t.unshared() {
                text.push_str(&format!(" with its own {}", name(a)));
            }
            for r in &t.anti_dependence_copies {
                let what = if r.is_halo() { "ends" } else { "all" };
                text.push_str(&format!(" saving {what} of {}", name(r.array)));
            }
        }
        if let Some((_, lanes)) = schedule.vector.iter().find(|v| v.0 == id) {
            text.push_str(&format!(" x{lanes}"));
        }
        if schedule.independent.contains(&id) {
            text.push_str(" independent");
        }
        if schedule.lockstep.contains(&id) {
            text.push_str(" lockstep");
        }
        if schedule.split.contains(&id) {
            text.push_str(" split");
        }
        loops.push(text);
    });
    let mut out = format!("lines {}", loops.join(", "));
    if undo.guards {
        let guards = analysis::guards::count_set(nest);
        out.push_str(&format!("; may stop, {guards} guards"));
    }
    if undo.warns {
        out.push_str("; floating-point flags");
    }
    out
}

/// How a nest was rewritten, and what its loops are mapped to, a word each.
fn means(schedule: &Schedule, rewrite: Rewrite) -> impl Iterator<Item = &'static str> {
    let on_grid = schedule.grid.iter().map(|g| &g.mapped);
    let mapped: Vec<&ThreadLoop> = schedule.threads.iter().chain(on_grid).collect();
    let any = |has: &dyn Fn(&ThreadLoop) -> bool| mapped.iter().any(|t| has(t));
    let reduced = |has: &dyn Fn(&RedOp) -> bool| any(&|t| t.reductions.iter().any(|r| has(&r.1)));
    let last = reduced(&|op| *op == RedOp::Last) || any(&|t| !t.last_values.is_empty());
    let all = [
        (!schedule.threads.is_empty(), "threads"),
        (!schedule.vector.is_empty(), "lanes"),
        (!schedule.independent.is_empty(), "independent"),
        (!schedule.lockstep.is_empty(), "lockstep"),
        (!schedule.split.is_empty(), "split"),
        (any(&|t| !t.private.is_empty()), "privatised arrays"),
        (any(&|t| !t.array_reductions.is_empty()), "array reductions"),
        (
            any(&|t| !t.anti_dependence_copies.is_empty()),
            "anti-dependence copies",
        ),
        (reduced(&|op| *op != RedOp::Last), "reductions"),
        (reduced(&|op| matches!(op, RedOp::Along(_))), "companions"),
        (last, "last values"),
    ];
    let mapped = all.into_iter().filter(|m| m.0).map(|m| m.1);
    rewrite.name().into_iter().chain(mapped)
}

/// The nest without its statements.
fn declarations(nest: &Nest) -> Nest {
    let mut out = nest.clone();
    out.prologue.clear();
    match &mut out.top.kind {
        StmtKind::For(l) => l.body.clear(),
        StmtKind::While(l) => l.body.clear(),
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestwise_ir::testing;

    /// A nest with a statement in its loop.
    fn nest() -> Nest {
        testing::nest("", "while False:\n    break")
    }

    #[test]
    fn declarations_survive_the_way_to_disk_without_statements() {
        let undo = analysis::undo_plan(&nest());
        let about = About::of(
            &nest(),
            &analysis::ranges(&nest()),
            undo,
            &Schedule::serial(),
            Rewrite::None,
        );
        let bytes = postcard::to_stdvec(&about).unwrap();
        let back: About = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(back.undo, about.undo);
        assert!(back.in_order && !back.threaded);
        assert!(matches!(back.nest.top.kind, StmtKind::While(ref l) if l.body.is_empty()));
    }
}
