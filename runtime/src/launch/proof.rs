//! The guards that one launch proves, beyond what its sizes decide: by what its index arrays hold, and by following
//! its values through the nest.

use std::sync::{Arc, Mutex, MutexGuard};

use nestwise_analysis::dependence::Property;
use nestwise_analysis::guards::{GuardSet, by_values};
use nestwise_costmodel::Device;
use nestwise_ir::{ArrayId, IdSet, LoopId, Nest, PropertyId};

use crate::host::Host;
use crate::lock::lock;
use crate::memory::index_facts::Seen;
use crate::memory::overlap::{self, ArrayView};
use crate::options::{FpMode, Options};
use crate::plan::analysed::Analysed;
use crate::plan::sizes::Sizes;

/// The number of elements beyond which they are not inspected: the pass is made again between chunks.
const MOST: f64 = (1 << 23) as f64;
/// The number of launches that may inspect elements for nothing before inspections end.
const MAX_FRUITLESS: u32 = 3;
/// The number of iterations below which values are not followed: that takes some tens of microseconds.
const WORTH: f64 = 10_000.0;

/// What a launch may rely on.
pub struct Proof {
    /// The guards that cannot fail.
    pub proven: GuardSet,
    /// The properties of index arrays that the verdicts' conditions require and that were found.
    pub elements: IdSet<PropertyId>,
    /// The elements that the proof rests on.
    pub seen: Vec<Seen>,
}

/// An earlier proof: sizes, the elements looked at, the guards that they prove, and the elements that this rests on.
type Before = (Arc<Sizes>, Vec<Seen>, GuardSet, Vec<Seen>);

/// What the last launches of a nest found in its index arrays.
///
/// Every launch that inspects arrays, or follows values through the nest, writes it; launches and pricing read it, so
/// that they are not inspected for nothing time and again.
#[derive(Default)]
pub struct Inspections(Mutex<Last>);

#[derive(Default)]
struct Last {
    /// Launches in a row that learnt nothing from their arrays.
    fruitless: u32,
    /// Launches in a row whose index arrays were not as threads would need them.
    unfit: u32,
    /// The last proof by elements.
    known: Option<Before>,
}

impl Inspections {
    fn last(&self) -> MutexGuard<'_, Last> {
        lock(&self.0)
    }
    /// Whether index arrays may turn out to be as threads would need them.
    pub fn hopes(&self) -> bool {
        self.last().unfit < MAX_FRUITLESS
    }
}

/// Proves the guards and conditions of a launch, as far as that is worth it.
pub(crate) fn prove(
    analysed: &Analysed,
    found: &Inspections,
    sizes: &Arc<Sizes>,
    views: &[ArrayView],
    device: Device,
    host: &dyn Host,
    options: &Options,
) -> Proof {
    let mut proof = guards(analysed, found, sizes, views, host, options);
    let wanted = analysed.verdicts().elements();
    if device != Device::Threads || wanted.is_empty() || !found.hopes() {
        return proof;
    }
    let mut seen = inspect(
        analysed.nest(),
        &wanted.values().copied().collect::<Vec<_>>(),
        work(analysed, sizes, options),
        views,
        host,
    );
    found.last().unfit = match seen.iter().all(Option::is_some) {
        true => 0,
        false => found.last().unfit + 1,
    };
    for (id, one) in wanted.ids().zip(seen.iter_mut()) {
        if one.is_some() {
            proof.elements.insert(id);
        }
        proof.seen.extend(one.take());
    }
    proof
}

/// Inspects the arrays whose elements decide whether iterations meet, as far as that is cheap beside the nest and stays
/// true while it runs.
fn inspect(
    nest: &Nest,
    wanted: &[(ArrayId, Property)],
    work: f64,
    views: &[ArrayView],
    host: &dyn Host,
) -> Vec<Option<Seen>> {
    let written = |slot: usize| nest.arrays.values().nth(slot).is_some_and(|a| a.written);
    let apart = overlap::disjoint(views, written);
    let mut left = work.min(MOST);
    let mut one = |(array, property): &(ArrayId, Property)| {
        let view = views.get(array.index()).filter(|_| apart)?;
        let elements = view.len() as f64;
        if elements > left || !host.is_quiet(array.index()) {
            return None;
        }
        left -= elements;
        Seen::inspect(array.index(), nest.arrays[*array].storage, view, *property)
    };
    wanted.iter().map(&mut one).collect()
}

/// Proves guards of a launch by sizes and by the elements of index arrays.
fn guards(
    analysed: &Analysed,
    found: &Inspections,
    sizes: &Arc<Sizes>,
    views: &[ArrayView],
    host: &dyn Host,
    options: &Options,
) -> Proof {
    let work = work(analysed, sizes, options);
    // A fused or reordered operation may round to a value that no step of its own gives.
    let follows = options.fp != FpMode::Fast && work >= WORTH;
    let mut last = found.last();
    let hopes = last.fruitless < MAX_FRUITLESS;
    let indices = hopes && !analysed.bounds().decided(&sizes.proven);
    let added = hopes && follows && sizes.proven.len() < analysed.guards();
    let mut wanted = Vec::new();
    if indices {
        wanted.extend_from_slice(analysed.bounds().contents());
    }
    if added {
        wanted.extend(
            analysed
                .summed()
                .iter()
                .filter(|a| !analysed.bounds().contents().contains(a)),
        );
    }
    let seen = match wanted.is_empty() {
        true => Vec::new(),
        false => look(analysed.nest(), &wanted, work, views, host),
    };
    if seen.is_empty() && !(follows && analysed.truncates()) {
        return Proof {
            proven: sizes.proven.clone(),
            elements: IdSet::new(),
            seen,
        };
    }
    if let Some((of, before, proven, seen_then)) = &last.known
        && Arc::ptr_eq(of, sizes)
        && *before == seen
    {
        return Proof {
            proven: proven.clone(),
            elements: IdSet::new(),
            seen: seen_then.clone(),
        };
    }
    let (proven, rested_on) = closer(analysed, sizes, &seen, follows);
    last.fruitless = match seen.is_empty() || !rested_on.is_empty() {
        true => 0,
        false => last.fruitless + 1,
    };
    last.known = Some((sizes.clone(), seen, proven.clone(), rested_on.clone()));
    Proof {
        proven,
        elements: IdSet::new(),
        seen: rested_on,
    }
}

/// The guards that sizes and elements prove, and the elements that this rests on.
fn closer(
    analysed: &Analysed,
    sizes: &Sizes,
    seen: &[Seen],
    follows: bool,
) -> (GuardSet, Vec<Seen>) {
    let mut without = sizes.proven.clone();
    if follows && analysed.truncates() {
        without.extend(&by_values::known(analysed.nest(), &sizes.values).proven);
    }
    if seen.is_empty() {
        return (without, Vec::new());
    }
    let mut values = sizes.values.clone();
    for one in seen {
        values.contents[one.slot] = Some(one.ends);
    }
    let mut proven = GuardSet::new(analysed.bounds().guards());
    analysed.bounds().resolve(&values, &mut proven);
    let written = |one: &Seen| analysed.nest().arrays[ArrayId(one.slot as u32)].written;
    if !follows {
        // If values are not followed, only earlier proofs by values tell of elements that are written.
        values.contents.iter_mut().for_each(|c| *c = None);
    } else {
        let known = by_values::known(analysed.nest(), &values);
        proven.extend(&known.proven);
        values.contents = known.contents;
    }
    if proven == without {
        return (without, Vec::new());
    }
    let ends = |one: &Seen| match values.contents[one.slot] {
        Some(ends) => Some(Seen { ends, ..*one }),
        // What nothing writes stays as it is.
        None => (!written(one)).then_some(*one),
    };
    let rested_on = seen.iter().filter_map(ends).collect();
    (proven, rested_on)
}

/// The number of iterations of the loop that runs the most of them; infinite where tests force the forms of nests.
fn work(analysed: &Analysed, sizes: &Sizes, options: &Options) -> f64 {
    match options.tests_forms() {
        true => f64::INFINITY,
        false => iterations(analysed, sizes),
    }
}

/// The number of iterations of the loop that runs the most of them.
fn iterations(analysed: &Analysed, sizes: &Sizes) -> f64 {
    let trips = |id: LoopId| sizes.expected(id);
    let each = |l: LoopId| analysed.times_entered(l, &trips) * trips(l);
    analysed.nest().loops.ids().map(each).fold(0.0, f64::max)
}

/// Bytes of an element of an index array, usually.
const INT_BYTES: f64 = 8.0;

/// The number of elements of index arrays that a call of these sizes looks at for its guards: as [`look`] does, if it
/// looks at all. Small ones count for less, since more of them are looked at together.
pub(crate) fn looked_at(analysed: &Analysed, found: &Inspections, sizes: &Sizes) -> f64 {
    if analysed.bounds().decided(&sizes.proven) || found.last().fruitless >= MAX_FRUITLESS {
        return 0.0;
    }
    let most = iterations(analysed, sizes).min(MOST);
    let (mut looked, mut weighed) = (0.0, 0.0);
    for array in analysed.bounds().contents() {
        let elements = sizes.elements(*array, analysed.nest());
        if looked + elements <= most {
            looked += elements;
            weighed += elements * analysed.nest().arrays[*array].storage.size() as f64 / INT_BYTES;
        }
    }
    weighed
}

/// Looks at the arrays whose elements decide guards, if that is cheap beside the nest and stays true while it runs.
fn look(
    nest: &Nest,
    wanted: &[ArrayId],
    work: f64,
    views: &[ArrayView],
    host: &dyn Host,
) -> Vec<Seen> {
    let written = |slot: usize| nest.arrays.values().nth(slot).is_some_and(|a| a.written);
    if !overlap::disjoint(views, written) {
        return Vec::new();
    }
    let mut left = work.min(MOST);
    let mut seen = Vec::new();
    for array in wanted {
        let Some(view) = views.get(array.index()) else {
            continue;
        };
        let elements = view.len() as f64;
        if elements <= left && host.is_quiet(array.index()) {
            left -= elements;
            seen.extend(Seen::look(array.index(), nest.arrays[*array].storage, view));
        }
    }
    seen
}
