//! What the types of a nest's captures alone decide: the immutable part of a [`Plan`](crate::plan::Plan).

use std::sync::{Arc, OnceLock};

use nestwise_analysis as analysis;
use nestwise_analysis::dataflow::undo::{UndoPlan, undo_plan_with};
use nestwise_analysis::guards;
use nestwise_analysis::traffic::TrafficPlan;
use nestwise_analysis::values::trip_bounds::TripBounds;
use nestwise_analysis::{BoundsPlan, LaunchValues, structure};
use nestwise_costmodel::{Features, Prices};
use nestwise_ir::model::nest::Cast;
use nestwise_ir::{ArrayId, BinOp, ExprKind, IdSet, LoopId, Nest, Scalar, interrupts};
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::plan::sizes::Sizes;
use crate::value::Value;

/// The features and the memory traffic by which a nest is priced on any machine as long as there is no kernel of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PricedBy {
    /// Counts of what the nest computes.
    pub(crate) features: Features,
    /// The cache lines that the nest goes through.
    pub(crate) traffic: TrafficPlan,
    /// The number of 64-bit lanes in a vector register.
    pub(crate) lanes: u32,
}

/// The results of the stages of planning, as they are kept on disk.
pub struct Stages {
    /// The nest, with the guards cleared that no value of these types can make fail.
    pub nest: Nest,
    /// What each loop may do.
    pub verdicts: analysis::Staged,
    /// The guards that the values of a call may prove.
    pub bounds: BoundsPlan,
    /// Upper bounds of the trip counts of inner loops that no value tells.
    pub trip_bounds: TripBounds,
    /// What prices are computed from.
    pub priced_by: PricedBy,
    /// What undoing a chunk takes, if that is known already.
    pub undo: Option<UndoPlan>,
    /// Whether a test has planted a mistake in the nest.
    pub mistaken: bool,
}

/// What the types of a nest's captures alone decide. It does not change once it is made; what only some calls need is
/// computed when it is asked for first.
pub struct Analysed {
    nest: Nest,
    verdicts: analysis::Staged,
    bounds: BoundsPlan,
    trip_bounds: TripBounds,
    priced_by: PricedBy,
    prices: Prices,
    undo: OnceLock<UndoPlan>,
    mistaken: bool,
    /// The captures of floats that the bounds of the top loop, or subscripts, are computed from.
    bounding: Vec<u32>,
    truncates: bool,
    summed: Vec<ArrayId>,
    guards: usize,
    warns: bool,
}

impl Analysed {
    /// Puts the results of the stages together, priced for the machine of these options.
    pub fn new(stages: Stages, options: &Options) -> Analysed {
        let Stages {
            nest,
            verdicts,
            bounds,
            trip_bounds,
            priced_by,
            undo,
            mistaken,
        } = stages;
        let PricedBy {
            features,
            traffic,
            lanes,
        } = &priced_by;
        let prices = Prices::new(features, traffic, *lanes, &options.profile);
        Analysed {
            bounding: bounding_floats(&nest),
            truncates: truncates(&nest),
            summed: guards::by_values::worth_looking(&nest),
            guards: guards::count_set(&nest),
            warns: analysis::warns(&nest),
            nest,
            verdicts,
            bounds,
            trip_bounds,
            priced_by,
            prices,
            undo: undo.map_or_else(OnceLock::new, OnceLock::from),
            mistaken,
        }
    }

    /// The nest.
    pub fn nest(&self) -> &Nest {
        &self.nest
    }

    /// What each loop may do.
    pub fn verdicts(&self) -> &analysis::Staged {
        &self.verdicts
    }

    /// For each loop, outermost first, a line that says where it is and what it may do.
    pub fn describe_verdicts(&self) -> Vec<String> {
        let verdicts = self.verdicts.verdicts(&self.nest);
        let line = |(id, l): (LoopId, &nestwise_ir::LoopDecl)| {
            let indent = "  ".repeat(l.depth as usize);
            let why = verdicts.explain(&self.nest, id);
            format!("{indent}line {}: {why}", l.span.line)
        };
        self.nest.loops.iter().map(line).collect()
    }

    /// The guards that the values of a call may prove.
    pub fn bounds(&self) -> &BoundsPlan {
        &self.bounds
    }

    /// Upper bounds of the trip counts of inner loops that no value tells.
    pub(crate) fn trip_bounds(&self) -> &TripBounds {
        &self.trip_bounds
    }

    /// What prices are computed from on any machine.
    pub(crate) fn priced_by(&self) -> &PricedBy {
        &self.priced_by
    }

    /// The prices on this machine.
    pub fn prices(&self) -> &Prices {
        &self.prices
    }

    /// What undoing a chunk takes where no arrays overlap.
    pub(crate) fn undo_plan(&self) -> &UndoPlan {
        self.undo.get_or_init(|| {
            let forms = &self.verdicts.verdicts(&self.nest).forms;
            undo_plan_with(&self.nest, forms, true)
        })
    }

    /// Whether a test has planted a mistake in the nest.
    pub(crate) fn is_mistaken(&self) -> bool {
        self.mistaken
    }

    /// Whether some float becomes an int and may be out of its range.
    pub(crate) fn truncates(&self) -> bool {
        self.truncates
    }

    /// The arrays by whose elements sums and products may be known to stay in range.
    pub(crate) fn summed(&self) -> &[ArrayId] {
        &self.summed
    }

    /// The number of guards that no type has cleared.
    pub(crate) fn guards(&self) -> usize {
        self.guards
    }

    /// Whether floating-point flags are looked at after a range of iterations, since NumPy may warn.
    pub(crate) fn warns(&self) -> bool {
        self.warns
    }

    /// Whether some floats are compared, which raises a flag where one of them is NaN.
    pub(crate) fn compares_floats(&self) -> bool {
        let mut compares = false;
        self.nest.walk_exprs(&mut |e| {
            compares |= match &e.kind {
                ExprKind::Compare { a, .. } => a.ty.repr.is_float(),
                ExprKind::Binary { op, .. } => {
                    e.ty.repr.is_float() && matches!(op, BinOp::Min | BinOp::Max)
                }
                _ => false,
            };
        });
        compares
    }

    /// Whether the top loop may be left before its last iteration.
    pub(crate) fn may_be_left(&self) -> bool {
        let top = self.nest.top_for();
        top.is_none_or(|top| structure::early_exit(top.id, &top.body).is_some())
    }

    /// Whether the float of this capture decides the bounds of the top loop, or subscripts.
    pub(crate) fn is_bounding(&self, capture: usize) -> bool {
        self.bounding.contains(&(capture as u32))
    }

    /// Whether another value of this capture could change a proof, a price or a kernel.
    pub fn decides(&self, capture: usize, value: &Value) -> bool {
        match value {
            Value::Float(_) => self.is_bounding(capture),
            Value::Complex(..) => false,
            _ => true,
        }
    }

    /// The loops in which a kernel for launches of these sizes asks whether somebody waits.
    pub(crate) fn interruptible(&self, sizes: &Sizes) -> Vec<LoopId> {
        if self.nest.loops.len() == 1 {
            return Vec::new();
        }
        let mut trips = sizes.trips.clone();
        self.trip_bounds.fill(&mut trips, &sizes.values);
        interrupts::interruptible(&self.nest, &trips)
    }

    /// What the nest can do on several threads in a call of these sizes; `hopeful`: index arrays may be what loops on
    /// threads want them to be. The first question takes as long as compiling, about.
    pub(crate) fn abilities(&self, sizes: &Sizes, hopeful: bool) -> Arc<analysis::Abilities> {
        let (refuted, proven) = (sizes.refuted, &sizes.proven);
        self.verdicts
            .abilities(&self.nest, refuted, proven, hopeful)
    }

    /// Whether [`abilities`](Analysed::abilities) has its answer at hand.
    pub(crate) fn knows_abilities(&self, sizes: &Sizes, hopeful: bool) -> bool {
        let (refuted, proven) = (sizes.refuted, &sizes.proven);
        self.verdicts
            .known_abilities(refuted, proven, hopeful)
            .is_some()
    }

    /// How often a loop is entered, where loops make as many trips as `trips` says.
    pub(crate) fn times_entered(&self, id: LoopId, trips: &dyn Fn(LoopId) -> f64) -> f64 {
        let mut product = 1.0;
        let mut at = self.nest.loops[id].parent;
        while let Some(outer) = at {
            product *= trips(outer).max(1.0);
            at = self.nest.loops[outer].parent;
        }
        product
    }

    /// Bytes of one copy of an array, whatever its strides.
    pub(crate) fn copy_bytes(&self, array: ArrayId, values: &LaunchValues) -> i64 {
        let dims = values.dims.get(array.index());
        let (Some(decl), Some(dims)) = (self.nest.arrays.get(array), dims) else {
            return i64::MAX;
        };
        let size = decl.storage.size() as i64;
        let extents = dims[..decl.rank as usize].iter();
        extents.fold(size, |bytes, n| bytes.saturating_mul(*n))
    }

    /// The arrays that some loop would copy and of which each of the threads may have a copy in a call of these sizes.
    pub(crate) fn copyable(&self, sizes: &Sizes, threads: usize) -> IdSet<ArrayId> {
        let fits = |a: ArrayId| {
            let bytes = self.copy_bytes(a, &sizes.values);
            bytes.saturating_mul(threads as i64) <= COPIED_BYTES
        };
        let copied = self.verdicts.copied().iter().copied();
        copied.filter(|a| fits(*a)).collect()
    }
}

/// The most bytes that the copies of one array may take for all threads together.
const COPIED_BYTES: i64 = 16 << 20;

/// What verdicts take for granted before any value is known.
pub(crate) fn assumed(options: &Options) -> analysis::Options {
    analysis::Options {
        nonempty: IdSet::all(),
        ..analysis::Options::new(options.fp)
    }
}

/// Whether some float becomes an int and may be out of its range.
fn truncates(nest: &Nest) -> bool {
    let mut found = false;
    nest.walk_exprs(&mut |e| {
        found |= matches!(
            e.kind,
            ExprKind::Cast {
                kind: Cast::Trunc,
                guard: true,
                ..
            }
        );
    });
    found
}

/// The captures of the floats that are read before the top loop, or in its bounds; all of them, where subscripts may be
/// computed from floats.
fn bounding_floats(nest: &Nest) -> Vec<u32> {
    if truncates(nest) {
        let real = |r: Scalar| r.is_float() || r == Scalar::Num;
        let floats = nest.vars.values().filter(|v| real(v.ty.repr));
        return floats.filter_map(|v| v.live_in).collect();
    }
    let before = nest.prologue.iter().flat_map(|s| s.exprs());
    let bounds = nest.top_for().map(|l| [&l.start, &l.stop, &l.step]);
    let mut found = Vec::new();
    for e in before.chain(bounds.into_iter().flatten()) {
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind
                && e.ty.repr.is_float()
            {
                found.extend(nest.vars[v].live_in);
            }
        });
    }
    found
}
