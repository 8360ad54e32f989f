//! What a launch does around its kernel, by kind: the features that its price is made of.

use nestwise_costmodel::{Device, LaunchTally, LaunchWork, Seconds, Undo};
use nestwise_ir::{ArrayDecl, ArrayKind, LiveOutKind, Nest, Scalar, Tally};

use crate::estimate::undo_copies;
use crate::launch::proof;
use crate::plan::native::native;
use crate::plan::resolve::{launch_values, resolve};
use crate::plan::{Plan, Sizes};
use crate::reason::Reason;
use crate::value::{HasValue, Value};

/// The features of a call, or of several together: all that prices are made of besides the kernel's own time.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallFeatures {
    /// What CPython does in the call.
    pub work: Tally,
    /// What a launch does around the kernel.
    pub launch: LaunchTally,
    /// The number of the nest's nodes, the measure of compile time: as one without loops for vectors, and as one with.
    pub nodes: (f64, f64),
    /// The number of loops whose trips no value of the call told, over all calls.
    pub guessed: u64,
}

/// What a launch does around its kernel, by purpose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Around {
    /// The work to bind what the nest works on, and to write back.
    pub(crate) bind: LaunchTally,
    /// The work to convert lists.
    pub(crate) convert: LaunchTally,
    /// The work for being able to roll chunks back: on one core, and on threads.
    pub(crate) undo: [Undo; 2],
}

impl CallFeatures {
    /// Adds the features of another call; `nodes` are those of the last nest.
    pub fn add(&mut self, other: &CallFeatures) {
        self.work.add_all(&other.work, 1.0);
        self.launch.add_all(&other.launch);
        self.nodes = other.nodes;
        self.guessed += other.guessed;
    }
}

/// The number of captures of the launches that calibration measures.
const USUAL_CAPTURES: f64 = 6.0;

/// The features of a call, worked out anew: for who measures, not for a launch.
pub fn features<V: HasValue>(plan: &Plan, captures: &[V]) -> Result<CallFeatures, Reason> {
    let analysed = &plan.analysed;
    let mut sizes = resolve(analysed, launch_values(analysed.nest(), captures)?, false)?;
    plan.guesses.guess(analysed.nest(), &mut sizes, captures);
    let one = native(plan, None, analysed.verdicts().has_parallel(), &sizes);
    let around = launch_work(plan, &sizes, captures, one.total());
    let mut launch = around.bind;
    launch.add_all(&around.convert);
    launch.add_all(&around.undo[Device::Serial.kind()].work);
    Ok(CallFeatures {
        work: work(analysed.nest(), &sizes),
        launch,
        nodes: analysed.prices().nodes(),
        guessed: sizes.trips.iter().filter(|t| t.is_none()).count() as u64,
    })
}

/// What CPython does in the whole of a call.
fn work(nest: &Nest, sizes: &Sizes) -> Tally {
    let work = &nest.work;
    let mut all = work.entry;
    // A loop's parent has a smaller number.
    let mut times: Vec<f64> = Vec::with_capacity(work.loops.len());
    for ((id, decl), l) in nest.loops.iter().zip(&work.loops) {
        let around = decl.parent.map_or(1.0, |p| times[p.index()]);
        let trips = sizes.expected(id);
        times.push(around * l.reached * trips);
        all.add_all(&l.body, times[id.index()]);
    }
    all
}

/// What the launch of a call does besides running the kernel, which takes `kernel`.
pub(crate) fn launch_work<V: HasValue>(
    plan: &Plan,
    sizes: &Sizes,
    captures: &[V],
    kernel: Seconds,
) -> Around {
    let (analysed, nest) = (&plan.analysed, plan.analysed.nest());
    let mut around = Around::default();
    let (bind, convert) = (&mut around.bind, &mut around.convert);
    bind.add(LaunchWork::Launch, 1.0);
    for var in nest.vars.values() {
        bind.add(
            LaunchWork::Scalar,
            f64::from(u8::from(var.live_in.is_some())),
        );
    }
    let (mut arrays, mut written) = (0.0, 0.0);
    // See `launch::repeat`: what may take long is not run again at a glance.
    let mut full = sizes.trips.iter().any(Option::is_none);
    for array in nest.arrays.values() {
        match captures.get(array.capture as usize).map(HasValue::value) {
            Some(Value::Sequence { rank, extents }) => {
                let elements = extents[..*rank].iter().map(|e| *e as f64).product();
                full = true;
                bind.add(LaunchWork::List, 1.0);
                elements_of(array, elements, convert);
            }
            Some(Value::Array(_)) if array.kind.is_own() => full = true,
            Some(Value::Array(_)) => {
                arrays += 1.0;
                written += f64::from(u8::from(array.written));
                bind.add(LaunchWork::Array, 1.0);
            }
            Some(Value::Append { .. }) => full = true,
            _ => {}
        }
    }
    // Where extents prove too little, index arrays are looked at, in each call.
    let elements = proof::looked_at(analysed, &plan.inspections, sizes);
    bind.add(LaunchWork::Inspected, elements);
    full |= elements > 0.0;
    // Whatever is bound is looked at then.
    let looks = f64::max(captures.len() as f64 / USUAL_CAPTURES, 1.0);
    bind.add(LaunchWork::Full, if full { looks } else { 0.0 });
    // Each written one is compared with each that comes after it, about.
    bind.add(
        LaunchWork::Pair,
        f64::max(written * (arrays - 1.0) / 2.0, 0.0),
    );
    for out in &nest.live_outs {
        let values = match &out.kind {
            LiveOutKind::Tuple(vars) => vars.len(),
            // The object is made and each attribute set by name.
            LiveOutKind::Object(object) => 4 + 2 * object.vars().len(),
            // An array has to be made, or slices.
            LiveOutKind::Made(_) | LiveOutKind::Part(..) => 8,
            LiveOutKind::MadePart(..) => 16,
            _ => 1,
        };
        bind.add(LaunchWork::LiveOut, values as f64);
    }
    if analysed.guards() > sizes.proven.len() || analysed.warns() {
        for device in [Device::Serial, Device::Threads] {
            let undo = undo_copies::undo(plan, device, sizes, kernel);
            around.undo[device.kind()] = undo;
        }
    }
    around
}

/// Counts the conversion of a list's elements into a buffer, and back if the nest writes to it.
fn elements_of(array: &ArrayDecl, elements: f64, convert: &mut LaunchTally) {
    let int = array.storage.is_int() || array.storage == Scalar::Bool;
    convert.add(
        match (array.kind, array.storage) {
            (ArrayKind::Str, _) => LaunchWork::TextIn,
            // The number of a text is looked up.
            (_, Scalar::Num | Scalar::Char) => LaunchWork::MixedIn,
            _ if int => LaunchWork::IntIn,
            _ => LaunchWork::FloatIn,
        },
        elements,
    );
    let attributes = if array.attributes { elements } else { 0.0 };
    convert.add(LaunchWork::AttributeIn, attributes);
    if array.written {
        convert.add(LaunchWork::AttributeOut, attributes);
        let out = if int {
            LaunchWork::IntOut
        } else {
            LaunchWork::FloatOut
        };
        convert.add(out, elements);
    }
}
