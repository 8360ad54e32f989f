//! How much memory traffic a nest causes, seen from each level of the cache hierarchy.
//!
//! The working-set rule: what one iteration of a loop touches and a cache can hold stays there for the next one, so the
//! cache fetches what the whole loop touches once per time the loop runs (Wolf and Lam, "A data locality optimizing
//! algorithm", 1991, count the same by reuse vectors). The outermost loop around an access whose iterations fit the
//! cache decides.

mod axis;
#[cfg(test)]
mod tests;

use nestwise_ir::{ArrayId, LoopId, Nest};
use serde::{Deserialize, Serialize};

use crate::guards::launch_values::LaunchValues;
use crate::traffic::axis::{Axis, Jumps};
use crate::values::forms::{AccessForm, Forms};

/// The size of a cache line in bytes.
pub const LINE: f64 = 64.0;
/// The shares of a cache that one nest can use, each as likely as the others: what else is cached, and what is evicted
/// first, differs.
const SHARES: [f64; 3] = [0.6, 0.9, 1.3];

/// The places of a nest, prepared for counting traffic with the sizes of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficPlan {
    places: Vec<Place>,
    /// One iteration of each loop, identified by the loop and the levels around it.
    rounds: Vec<Round>,
}

/// The places that one iteration of a loop touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Round {
    /// The number of loops around, the loop itself included.
    depth: u32,
    /// The numbers of the places inside the loop.
    places: Vec<u32>,
}

/// Accesses to one array whose subscripts differ by constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    array: ArrayId,
    /// The size of an element in bytes.
    size: f64,
    /// The innermost loop around the place.
    home: LoopId,
    /// The loops around the place, outermost first.
    loops: Vec<Level>,
    axes: Vec<Axis>,
    stored: bool,
    /// By loop around the place: the number of the loop's round.
    rounds: Vec<u32>,
}

/// How far the loops looked at so far, from the inside outwards, move the subscript of an axis.
#[derive(Clone, Copy)]
struct Moved {
    /// The number of elements touched, and their distance from the first to the last, both included.
    count: f64,
    span: f64,
    /// The number of positions from which the subscript moves on, where data make it jump.
    places: f64,
    /// Whether the subscript jumps in the loops from here on outwards.
    jumps: bool,
}

impl Default for Moved {
    fn default() -> Moved {
        Moved {
            count: 1.0,
            span: 1.0,
            places: 1.0,
            jumps: false,
        }
    }
}

/// The most axes of an array.
const MAX_RANK: usize = 8;
/// The number of iterations that a graphics card runs side by side.
pub const WARP: f64 = 32.0;

/// A loop, or a part of one whose iterations run by lanes. The lanes count as the innermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Level {
    /// All iterations of the loop, one after the other.
    Whole(LoopId),
    /// The groups of iterations of a loop by lanes, one after the other, with the number of lanes.
    Groups(LoopId, f64),
    /// The iterations of one group of a loop by lanes, with the number of lanes.
    Lanes(LoopId, f64),
}

impl Level {
    fn id(self) -> LoopId {
        match self {
            Level::Whole(id) | Level::Groups(id, _) | Level::Lanes(id, _) => id,
        }
    }
    fn trips(self, sizes: &Sizes<'_>) -> f64 {
        let all = (sizes.trips)(self.id()).max(1.0);
        match self {
            Level::Whole(_) => all,
            Level::Groups(_, lanes) => (all / lanes).max(1.0),
            Level::Lanes(_, lanes) => lanes.min(all),
        }
    }
    /// The number of iterations of the loop by which this level steps.
    fn step(self) -> f64 {
        match self {
            Level::Groups(_, lanes) => lanes,
            _ => 1.0,
        }
    }
}

/// The cache lines that one place causes to be fetched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic<const N: usize> {
    /// The innermost loop around the place.
    pub home: LoopId,
    /// The number of lines, by level of the cache that misses them; lines that are stored to count twice: they go back,
    /// too.
    pub lines: [f64; N],
    /// The order in which lines are fetched.
    pub order: Order,
}

/// The order in which the lines of a place are fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Order {
    /// Neighbouring lines follow each other, so that hardware fetches them ahead.
    Stream,
    /// Lines are fetched in steps of one size, so that the next ones are known early.
    Strided,
    /// Which line comes next depends on data.
    Scattered,
}

/// How the iterations that run side by side on a graphics card access an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The loop's iterations run side by side, and access the elements that their subscripts name.
    By(LoopId),
    /// Each iteration has an array of its own, whose elements are interleaved with those of its neighbours' arrays.
    Own,
}

/// The sizes of a call, which counting needs.
pub struct Sizes<'a> {
    /// The mean trip count of each loop.
    pub trips: &'a dyn Fn(LoopId) -> f64,
    /// The values of variables and extents.
    pub values: &'a LaunchValues,
}

impl TrafficPlan {
    /// The plan of `nest`; the loops in `lanes` run by that many lanes.
    pub fn of(nest: &Nest, lanes: &[(LoopId, u32)]) -> TrafficPlan {
        TrafficPlan::with(
            nest,
            &crate::shared_forms(nest, &crate::ranges(nest)),
            lanes,
        )
    }

    /// The plan of `nest`, from its [shared forms](crate::shared_forms); the loops in `lanes` run by that many lanes.
    pub fn with(nest: &Nest, forms: &Forms, lanes: &[(LoopId, u32)]) -> TrafficPlan {
        let mut places: Vec<Place> = Vec::new();
        for access in forms.accesses.iter().flatten() {
            let place = place(nest, access, forms, lanes);
            if place.loops.is_empty() {
                continue;
            }
            match places.iter_mut().find(|p| p.is_near(&place)) {
                Some(found) => found.take_in(&place),
                None => places.push(place),
            }
        }
        TrafficPlan::new(places)
    }

    fn new(mut places: Vec<Place>) -> TrafficPlan {
        let mut rounds: Vec<(Vec<Level>, Round)> = Vec::new();
        for (number, place) in places.iter_mut().enumerate() {
            for depth in 1..=place.loops.len() {
                let around = &place.loops[..depth];
                let known = rounds.iter().position(|r| r.0 == around);
                let at = known.unwrap_or_else(|| {
                    let depth = depth as u32;
                    let places = Vec::new();
                    rounds.push((around.to_vec(), Round { depth, places }));
                    rounds.len() - 1
                });
                rounds[at].1.places.push(number as u32);
                place.rounds.push(at as u32);
            }
        }
        let rounds = rounds.into_iter().map(|r| r.1).collect();
        TrafficPlan { places, rounds }
    }

    /// The lines that caches of these sizes in bytes, the smallest first, have to fetch; empty if everything fits the
    /// smallest.
    pub fn traffic<const N: usize>(&self, sizes: &Sizes<'_>, caches: [f64; N]) -> Vec<Traffic<N>> {
        // For each place in turn: the bytes touched, by how many of its loops, from the outermost, stand still.
        let count: usize = self.places.iter().map(|p| p.loops.len() + 1).sum();
        let mut bytes = Vec::with_capacity(count);
        let mut starts = Vec::with_capacity(self.places.len());
        for place in &self.places {
            starts.push(bytes.len());
            place.footprints(sizes, &mut bytes);
        }
        let all: f64 = starts.iter().map(|s| bytes[*s]).sum();
        if all <= caches[0] * SHARES[0] {
            return Vec::new();
        }
        // Bytes that one iteration touches.
        let round = |r: &Round| -> f64 {
            let inside = r.places.iter().map(|p| starts[*p as usize]);
            inside.map(|s| bytes[s + r.depth as usize]).sum()
        };
        let rounds: Vec<f64> = self.rounds.iter().map(round).collect();
        let fetched = |p: &Place, start: usize, cache: f64, swept: f64| {
            let with = |share: f64| match all.min(swept) <= cache * share {
                true => 0.0,
                false => p.fetched(&bytes[start..], &rounds, cache * share, sizes),
            };
            SHARES.map(with).iter().sum::<f64>() / SHARES.len() as f64
        };
        let one = |(p, start): (&Place, &usize)| {
            let order = p.order(sizes);
            let swept = match order {
                Order::Scattered => self.swept(p, all, &rounds),
                _ => f64::INFINITY,
            };
            Traffic {
                home: p.home,
                lines: caches.map(|cache| fetched(p, *start, cache, swept)),
                order,
            }
        };
        self.places.iter().zip(&starts).map(one).collect()
    }

    /// The bytes that a cache has to hold so that a place which jumps about finds its lines there, because another
    /// place goes through the same elements in order: all that a run of the loop touches. Infinity if there is no such
    /// place.
    fn swept(&self, p: &Place, all: f64, rounds: &[f64]) -> f64 {
        let jumping = p.loops.iter().rposition(|l| p.is_moved_by(l.id()));
        let swept = |depth: &usize| {
            self.places
                .iter()
                .any(|q| q.sweeps(p, p.loops[*depth].id()))
        };
        let Some(depth) = jumping.filter(swept) else {
            return f64::INFINITY;
        };
        match depth.checked_sub(1) {
            Some(around) => rounds[p.rounds[around] as usize],
            None => all,
        }
    }

    /// The number of memory sectors (of `bytes` bytes) that a call requests where the iterations of some loops run side
    /// by side, [`WARP`] at a time, and neighbours share sectors. `side` tells how the iterations of a loop access an
    /// array.
    pub fn sectors(
        &self,
        side: &dyn Fn(LoopId, ArrayId) -> Option<Side>,
        bytes: f64,
        sizes: &Sizes<'_>,
    ) -> f64 {
        let all = self.places.iter().map(|p| {
            let times: f64 = p.loops.iter().map(|l| l.trips(sizes)).product();
            let by = p.loops.iter().rev().find_map(|l| side(l.id(), p.array));
            let share = match by {
                Some(Side::Own) => (p.size / bytes).min(1.0),
                Some(Side::By(id)) => p.share_of_sector(Some(id), bytes, sizes),
                None => p.share_of_sector(None, bytes, sizes),
            };
            times * p.width() * share
        });
        all.sum()
    }

    /// The bytes of an array, in whole lines, that a call stores to. If several places store to it, the sum may be more
    /// than the array has.
    pub fn stored_bytes(&self, array: ArrayId, sizes: &Sizes<'_>) -> f64 {
        let stored = |p: &&Place| p.stored && p.array == array;
        let mut bytes = Vec::new();
        let all = self.places.iter().filter(stored).map(|place| {
            bytes.clear();
            place.footprints(sizes, &mut bytes);
            bytes[0]
        });
        all.sum()
    }
}

impl Place {
    /// The lines that a cache fetches in a call. `bytes`: of this place, by how many of its loops stand still;
    /// `rounds`: of all places, in one iteration of each loop.
    fn fetched(&self, bytes: &[f64], rounds: &[f64], cache: f64, sizes: &Sizes<'_>) -> f64 {
        let mut before = 1.0;
        let mut lines = 0.0;
        for ((level, touched), round) in self.loops.iter().zip(bytes).zip(&self.rounds) {
            lines = before * touched / LINE;
            if rounds[*round as usize] <= cache {
                break;
            }
            before *= level.trips(sizes);
        }
        lines * if self.stored { 2.0 } else { 1.0 }
    }

    /// Appends the bytes, in whole lines, that the place touches while all of its loops run, all but the outermost, and
    /// so on to none.
    fn footprints(&self, sizes: &Sizes<'_>, out: &mut Vec<f64>) {
        let first = out.len();
        let mut moved = [Moved::default(); MAX_RANK];
        let mut times = self.width();
        out.resize(first + self.loops.len() + 1, 0.0);
        out[first + self.loops.len()] = self.touched(&moved, times, sizes);
        for (depth, level) in self.loops.iter().enumerate().rev() {
            let trips = level.trips(sizes);
            times *= trips;
            for (axis, moved) in self.axes.iter().zip(&mut moved) {
                moved.jumps |= axis.jumps.with(level.id());
                if moved.jumps {
                    moved.places *= trips;
                    continue;
                }
                for (_, factor) in axis.by.iter().filter(|b| b.0 == level.id()) {
                    let step = factor.value(sizes.values).abs() * level.step();
                    moved.count *= trips;
                    moved.span += step * (trips - 1.0);
                }
            }
            out[first + depth] = self.touched(&moved, times, sizes);
        }
    }

    /// The bytes touched, in whole lines, if the axes moved by `moved` and `times` accesses were made.
    fn touched(&self, moved: &[Moved; MAX_RANK], times: f64, sizes: &Sizes<'_>) -> f64 {
        let extents = sizes.values.dims.get(self.array.index());
        let mut lines = 1.0;
        for (k, (axis, moved)) in self.axes.iter().zip(moved).enumerate() {
            let extent = extents.map_or(0, |d| d[k]) as f64;
            let extent = if extent > 0.0 { extent } else { f64::INFINITY };
            let span = (moved.span + axis.width()).min(extent);
            let count = (moved.count + axis.width()).min(span);
            let in_lines = |elements: f64| (elements * self.size / LINE).ceil().max(1.0);
            lines *= match k + 1 == self.axes.len() {
                true => (in_lines(span).min(count.max(1.0)) * moved.places).min(in_lines(extent)),
                false => (count * moved.places).min(extent),
            };
        }
        lines.min(times) * LINE
    }

    /// The share of a sector (of `bytes` bytes) that an access causes, the rest being caused by its neighbours in the
    /// same group of iterations side by side; `by`: the loop of those iterations.
    fn share_of_sector(&self, by: Option<LoopId>, bytes: f64, sizes: &Sizes<'_>) -> f64 {
        let Some(by) = by.filter(|by| self.loops.iter().any(|l| l.id() == *by)) else {
            return 1.0;
        };
        let last = self.axes.len() - 1;
        let mut step = 0.0;
        for (k, axis) in self.axes.iter().enumerate() {
            let factor = axis.by.iter().find(|f| f.0 == by);
            let moved = factor.map_or(0.0, |f| f.1.value(sizes.values).abs());
            if axis.jumps.with(by) || (moved > 0.0 && k < last) {
                return 1.0;
            }
            step = moved * self.size;
        }
        (step / bytes).clamp(1.0 / WARP, 1.0)
    }

    /// The number of elements that one access stands for: accesses with near subscripts were merged into this place.
    fn width(&self) -> f64 {
        self.axes.iter().map(|a| a.width() + 1.0).product()
    }

    /// The order of the place's accesses, which the innermost loop that moves it decides: a stream if an iteration goes
    /// to a neighbour.
    fn order(&self, sizes: &Sizes<'_>) -> Order {
        let moves = |id: &LoopId| self.is_moved_by(*id);
        let Some(id) = self.loops.iter().rev().map(|l| l.id()).find(moves) else {
            return Order::Stream;
        };
        if self.axes.iter().any(|a| a.jumps.with(id)) {
            return Order::Scattered;
        }
        let last = self.axes.len() - 1;
        let is_neighbour =
            |factor: &axis::Factor| factor.value(sizes.values).abs() * self.size <= LINE;
        let neighbour = self.axes.iter().enumerate().all(|(k, axis)| {
            let mut by = axis.by.iter().filter(|b| b.0 == id);
            by.all(|(_, factor)| k == last && is_neighbour(factor))
        });
        match neighbour {
            true => Order::Stream,
            false => Order::Strided,
        }
    }

    fn is_moved_by(&self, id: LoopId) -> bool {
        self.axes.iter().any(|a| a.moves(id) || a.jumps.with(id))
    }

    /// Whether this place goes in order where the other one jumps about in a loop, and both move alike otherwise. If
    /// the other place stores, this one must store, too.
    fn sweeps(&self, other: &Place, id: LoopId) -> bool {
        let along = |(mine, others): (&Axis, &Axis)| {
            let same = mine.by == others.by && mine.jumps == others.jumps;
            same || mine.moves(id) && others.jumps.with(id)
        };
        let together = self.array == other.array && self.loops == other.loops;
        together
            && self.stored >= other.stored
            && self.axes.iter().all(|a| a.jumps == Jumps::Never)
            && self.axes.iter().zip(&other.axes).all(along)
    }

    /// Whether two places differ in constants only.
    fn is_near(&self, other: &Place) -> bool {
        // Where it is anybody's guess, one guess is as good as two.
        let same = |(a, b): (&Axis, &Axis)| a.by == b.by && a.jumps == b.jumps;
        self.array == other.array
            && self.loops == other.loops
            && self.axes.len() == other.axes.len()
            && self.axes.iter().zip(&other.axes).all(same)
    }

    fn take_in(&mut self, other: &Place) {
        self.stored |= other.stored;
        for (mine, others) in self.axes.iter_mut().zip(&other.axes) {
            (mine.least, mine.most) = (mine.least.min(others.least), mine.most.max(others.most));
        }
    }
}

fn place(nest: &Nest, access: &AccessForm, forms: &Forms, lanes: &[(LoopId, u32)]) -> Place {
    let by = |id: LoopId| lanes.iter().find(|l| l.0 == id).map(|l| f64::from(l.1));
    // What runs whole is not gone through by its top loop.
    let loops = match nest.whole {
        Some(_) => access.loops.get(1..).unwrap_or_default(),
        None => &access.loops[..],
    };
    let outer = loops.iter().map(|id| match by(*id) {
        Some(lanes) => Level::Groups(*id, lanes),
        None => Level::Whole(*id),
    });
    let inner = loops
        .iter()
        .filter_map(|id| Some(Level::Lanes(*id, by(*id)?)));
    Place {
        array: access.array,
        size: nest.arrays[access.array].storage.size() as f64,
        home: access.loops.last().copied().unwrap_or(LoopId(0)),
        loops: outer.chain(inner).collect(),
        axes: access
            .index
            .iter()
            .map(|f| Axis::of(f, nest, forms))
            .collect(),
        stored: access.store,
        rounds: Vec::new(),
    }
}
