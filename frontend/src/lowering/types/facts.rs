//! The facts that one round of lowering learns for the next.
//!
//! Lowering runs until nothing new is learnt. Everything here only grows, so that this ends; ranges of variables
//! jump to the ends of their representation after a few rounds.

use std::cell::RefCell;
use std::collections::BTreeSet;

use nestwise_ir::{ArrayKind, BinOp, Extent, Length, Scalar, Ty};

use crate::lowering::hir::{DefId, Hir, LocalId};
use crate::lowering::types::intervals::{self, Range};
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::types::live_ranges::{LiveRangeId, LiveRanges};
use crate::site::captures::Capture;

/// The number of rounds after which growing ranges are widened.
const PRECISE_ROUNDS: u32 = 3;

/// The memory of the arrays that a live range's assignments make.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Made {
    pub storage: Scalar,
    pub like: Vec<Extent>,
    /// The capture of the live range's value at entry, an array of the same shape, if it has one: the memory begins as
    /// a copy of that array.
    pub starts: Option<u32>,
    /// The type of the elements, if the memory holds a list.
    pub list: Option<Ty>,
}

/// The facts about what a live range holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LiveRangeFact {
    /// The types of the scalars assigned to the live range, its entry included.
    pub kinds: Kinds,
    /// The bounds of the live range's value at entry, if that is an int.
    pub entry_range: Option<Range>,
    /// The bounds of the ints assigned to the live range.
    pub range: Option<Range>,
    /// The bounds of the Python ints assigned to the live range.
    pub py_range: Option<Range>,
    /// The capture and the number of subscripts of the view that the live range holds, if it holds one.
    pub view: Option<(u32, usize)>,
    /// The part of an array that the live range holds, if it holds one.
    pub part: Option<PartFact>,
    /// The part that the live range holds is not all of an array that its assignments make.
    pub is_partial: bool,
    /// The memory of the arrays that the live range's assignments make, if they make any.
    pub made: Option<Made>,
    /// The assignments make lists whose lengths only running tells.
    pub counted: bool,
    /// Some of the arrays that the assignments make are, to NumPy, views of others that nothing names.
    pub viewed: bool,
    /// Views of different arrays or ranks are assigned to the live range.
    pub view_conflict: bool,
    /// A Python float was assigned that is not a float32.
    pub not_f32: bool,
    /// Ints and floats must be told apart at run time.
    pub num: bool,
    /// A read needs the live range's variable (and not only what it stands for at the moment).
    pub needs_var: bool,
    /// The types of the live range's value must be told apart at run time.
    pub tagged: bool,
    /// The type of the live range's value at entry, if it is one that is not modelled.
    pub foreign: Option<String>,
}

/// The form of a part of an array: its source, and for each axis the step of a range, or `None` for a single position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PartFact {
    pub source: Source,
    pub axes: Vec<Option<i64>>,
}

/// The source of a part of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The captured array with this index.
    Capture(u32),
    /// The array that the assignments of this live range make.
    Made(LiveRangeId),
}

/// The facts about the site.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub live_ranges: Vec<LiveRangeFact>,
    /// The computed lengths, see [`nestwise_ir::Nest::lengths`].
    pub lengths: RefCell<Vec<Length>>,
    /// The types that each definition in the text assigns.
    pub def_kinds: Vec<Kinds>,
    /// The locals whose assignment must be recorded at run time.
    pub flagged: BTreeSet<LocalId>,
    /// The locals that begin as None, or that None is assigned to.
    pub nullable: BTreeSet<LocalId>,
    /// The definitions that may assign None.
    pub none_defs: BTreeSet<DefId>,
    /// The captures of lists that must hold ints and floats.
    pub num_slots: BTreeSet<u32>,
    /// The pairs `(name, other)` of names of which a statement gives the first the array of the second, which the nest
    /// makes.
    pub aliases: BTreeSet<(LocalId, LocalId)>,
    /// The pairs `(live range, owner)` of a live range that holds a part of an array, and the live range that makes the
    /// array.
    pub borrowed: BTreeSet<(LiveRangeId, LiveRangeId)>,
    /// The names of arrays that are updated in place, and hold arrays from outside at first.
    pub updated: BTreeSet<LocalId>,
    /// The swap groups for which it must be known which object a slot holds.
    pub parity: BTreeSet<usize>,
    /// The type of what is appended to a parameter while nothing is known of the list that it is given.
    pub appended: Option<(Scalar, Ty)>,
    /// The types of the values that `return` returns, if the site returns.
    pub returns: Option<Returns>,
    /// The bounds of the top loop are not computed from ints and extents alone.
    pub wrapped: bool,
    /// The representations that operations asked for. What a round sees before types have settled may mislead, so
    /// wishes are granted only when nothing else is new.
    wished: BTreeSet<Wish>,
    /// A name turned out to hold an array from outside only at first, so that what was learnt of other names from it is
    /// void.
    pub restart: bool,
    /// The local whose assignments must all share one memory: an array is updated in place under its name, and the name
    /// may hold what it held at entry, too.
    pub join: Option<LocalId>,
    /// Something was learnt in this round.
    pub changed: bool,
    pub round: u32,
}

/// A variable or list that must hold ints and floats with a tag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Wish {
    LiveRange(LiveRangeId),
    /// A captured list, by its capture.
    Slot(u32),
    /// The lists that a live range's assignments make.
    Made(LiveRangeId),
    /// The lists that a live range's assignments make, all of them empty.
    Empty(LiveRangeId),
}

/// The kinds of facts that a round has learnt for the next one.
pub(crate) enum Learnt {
    /// All assignments of a local must share one memory.
    OneMemory(LocalId),
    /// A name begins as an array from outside and becomes arrays that the nest makes, so that what was learnt of other
    /// names from it is void.
    Carried,
    /// The round has learnt types or ranges.
    More,
    /// The round has learnt nothing, so that its nest is the typed nest.
    Nothing,
}

/// The types of the values that the site returns.
#[derive(Debug, Default)]
pub(crate) struct Returns {
    pub tuple: bool,
    pub none: bool,
    pub values: Vec<LiveRangeFact>,
}

impl Facts {
    /// The facts that the captures alone tell.
    pub fn new(hir: &Hir, live_ranges: &LiveRanges, captures: &[Capture]) -> Facts {
        let mut facts = Facts {
            live_ranges: vec![LiveRangeFact::default(); live_ranges.local.len()],
            def_kinds: vec![Kinds::NONE; hir.defs.len()],
            ..Facts::default()
        };
        for (live, entry) in live_ranges.entry.iter().enumerate() {
            let Some(index) = entry
                .and_then(|local| hir.locals.get(local))
                .and_then(|l| l.capture)
            else {
                continue;
            };
            let fact = &mut facts.live_ranges[live];
            match captures.get(index as usize) {
                Some(Capture::Scalar { ty, range }) => {
                    fact.kinds = Kinds::of_ty(*ty);
                    let all = match ty.repr {
                        Scalar::Char => Some(intervals::CHARACTERS),
                        Scalar::I128 => Some(intervals::WIDE),
                        repr => intervals::of(repr),
                    };
                    fact.entry_range = range.map(|(lo, hi)| (lo.into(), hi.into())).or(all);
                    fact.num = ty.repr == Scalar::Num;
                }
                Some(Capture::Array { .. } | Capture::Objects { .. }) => {
                    fact.view = Some((index, 0));
                }
                Some(Capture::Unbound | Capture::Observed { .. }) | None => {}
                Some(Capture::None) => facts.nullable.extend(*entry),
                Some(Capture::Other(name)) => fact.foreign = Some(name.clone()),
                Some(Capture::Known(known)) => fact.foreign = Some(known.name()),
                Some(Capture::Container { kind, .. }) => fact.foreign = Some(kind.name().into()),
                Some(Capture::Module) => fact.foreign = Some("module".into()),
                Some(Capture::Object | Capture::Instance { .. }) => {
                    fact.foreign = Some("object".into());
                }
                Some(Capture::Class { .. }) => fact.foreign = Some("class".into()),
                Some(Capture::User { .. } | Capture::Append) => {
                    fact.foreign = Some("function".into());
                }
            }
        }
        facts
    }

    /// The facts with which lowering starts anew: `fresh`, with what is known of the names that begin as arrays from
    /// outside and become arrays that the nest makes.
    pub fn anew(self, mut fresh: Facts) -> Facts {
        for (live, (new, old)) in fresh
            .live_ranges
            .iter_mut()
            .zip(self.live_ranges)
            .enumerate()
        {
            if old.carries() {
                let axes = old.made.iter().flat_map(|m| &m.like);
                new.part = Some(PartFact {
                    source: Source::Made(live),
                    axes: axes.map(|_| Some(1)).collect(),
                });
                new.made = old.made;
            }
        }
        fresh.lengths = self.lengths;
        fresh
    }

    /// The extent of a length that is computed from others.
    pub fn computed(&self, op: BinOp, a: Extent, b: Extent) -> Extent {
        let mut lengths = self.lengths.borrow_mut();
        let length = Length { op, a, b };
        let known = lengths.iter().position(|l| *l == length);
        Extent::Computed(known.unwrap_or_else(|| {
            lengths.push(length);
            lengths.len() - 1
        }) as u32)
    }

    /// Sets a bool fact about a live range.
    pub fn demand(&mut self, live: LiveRangeId, get: impl Fn(&mut LiveRangeFact) -> &mut bool) {
        if let Some(fact) = self.live_ranges.get_mut(live) {
            let flag = get(fact);
            if !*flag {
                *flag = true;
                self.changed = true;
            }
        }
    }

    /// Takes a live range that begins as a `str` from outside for one of texts, by their numbers; false if it begins as
    /// something else.
    pub fn begin_as_text(&mut self, live: LiveRangeId, captures: &[Capture]) -> bool {
        let Some(fact) = self.live_ranges.get_mut(live) else {
            return false;
        };
        let Some((capture, 0)) = fact.view.filter(|_| fact.part.is_none()) else {
            return false;
        };
        let is_text = matches!(
            captures.get(capture as usize),
            Some(Capture::Array {
                kind: ArrayKind::Str,
                ..
            })
        );
        if is_text {
            fact.view = None;
            fact.entry_range = Some(intervals::TEXTS);
            self.changed = true;
        }
        is_text
    }

    /// Demands that assignments of a local are recorded at run time.
    pub fn flag_local(&mut self, local: LocalId) {
        self.changed |= self.flagged.insert(local);
    }

    /// Records that a definition assigns None to a local.
    pub fn none(&mut self, local: LocalId, def: DefId) {
        self.changed |= self.nullable.insert(local);
        self.changed |= self.none_defs.insert(def);
    }

    /// Demands that the top loop becomes an inner one.
    pub fn wrap(&mut self) {
        self.changed |= !std::mem::replace(&mut self.wrapped, true);
    }

    /// Wishes for tagged numbers.
    pub fn wish(&mut self, wish: Wish) {
        self.wished.insert(wish);
    }

    /// Begins a round.
    pub fn begin_round(&mut self, round: u32) {
        self.changed = false;
        self.round = round;
    }

    /// Ends a round. `joined` are the locals whose assignments have been joined already.
    pub fn end_round(&mut self, joined: &BTreeSet<LocalId>) -> Learnt {
        if let Some(local) = self.join.take().filter(|local| !joined.contains(local)) {
            return Learnt::OneMemory(local);
        }
        if self.restart {
            return Learnt::Carried;
        }
        let wished = std::mem::take(&mut self.wished);
        if !self.changed {
            for wish in wished {
                match wish {
                    Wish::LiveRange(live) => self.demand(live, |f| &mut f.num),
                    Wish::Slot(capture) => self.changed |= self.num_slots.insert(capture),
                    Wish::Made(live) => self.make_num(live),
                    Wish::Empty(live) => self.make_empty(live),
                }
            }
        }
        match self.changed {
            true => Learnt::More,
            false => Learnt::Nothing,
        }
    }

    fn make_num(&mut self, live: LiveRangeId) {
        let made = self
            .live_ranges
            .get_mut(live)
            .and_then(|fact| fact.made.as_mut());
        if let Some(made) = made.filter(|made| made.storage != Scalar::Num) {
            (made.storage, made.list) = (Scalar::Num, Some(Ty::PY_NUM));
            self.num_slots.extend(made.starts);
            self.changed = true;
        }
    }

    /// Chooses the type of the elements of lists that have none so far.
    fn make_empty(&mut self, live: LiveRangeId) {
        let (storage, ty) = self.appended.unwrap_or((Scalar::I64, Ty::PY_INT));
        let fact = self.live_ranges.get_mut(live);
        if let Some(fact) = fact.filter(|fact| fact.made.is_none()) {
            fact.made = Some(Made {
                storage,
                like: vec![Extent::Fixed(0)],
                starts: None,
                list: Some(ty),
            });
            self.changed = true;
        }
    }

    /// Records the types of a definition.
    pub fn def(&mut self, def: DefId, kinds: Kinds) {
        if let Some(before) = self.def_kinds.get_mut(def) {
            self.changed |= !kinds.within(*before);
            *before = before.union(kinds);
        }
    }

    /// Joins a scalar into a live range. True if something is new.
    pub fn join(
        &mut self,
        live: LiveRangeId,
        kinds: Kinds,
        range: Range,
        num: bool,
        f32_exact: bool,
    ) {
        let round = self.round;
        if let Some(fact) = self.live_ranges.get_mut(live) {
            self.changed |= fact.join(kinds, range, num, f32_exact, round);
        }
    }
}

impl LiveRangeFact {
    /// Joins a scalar into the live range. True if something is new.
    pub fn join(
        &mut self,
        kinds: Kinds,
        range: Range,
        num: bool,
        f32_exact: bool,
        round: u32,
    ) -> bool {
        let before = self.clone();
        self.kinds = self.kinds.union(kinds);
        if kinds.any(|kind| kind.is_integral() || kind == Kind::Char) {
            self.range = Some(grow(self.range, range, round));
        }
        if kinds.any(|k| k.is_integral() && k.is_py()) {
            self.py_range = Some(grow(self.py_range, range, round));
        }
        self.num |= num;
        self.not_f32 |= kinds.has(Kind::PyFloat) && !f32_exact;
        *self != before
    }

    /// Whether the live range holds an array, or a part of one.
    pub fn holds_array(&self) -> bool {
        self.view.is_some() || self.part.is_some()
    }

    /// Whether the live range begins as an array from outside, and becomes arrays that the nest makes.
    pub fn carries(&self) -> bool {
        let starts = self.made.as_ref().and_then(|m| m.starts);
        starts.is_some_and(|capture| self.view == Some((capture, 0)))
    }

    /// The bounds of the live range's ints, in the representation of its variable.
    pub fn bounds(&self, repr: Scalar) -> Range {
        let all = intervals::of(repr).unwrap_or(intervals::I64);
        let both = match (self.entry_range, self.range) {
            (Some(a), Some(b)) => Some(intervals::union(intervals::clamp(a, all), b)),
            (a, b) => a.or(b),
        };
        both.map_or(all, |r| intervals::clamp(r, all))
    }

    /// The representation of the live range's variable; `None` if none keeps all values.
    pub fn repr(&self) -> Option<Scalar> {
        representation(self)
    }
}

/// The union of two ranges, which grows no further than [`intervals::WIDE`]; after several rounds a bound that still
/// grows jumps to the end of 64 bits, and then to that of `WIDE`.
fn grow(before: Option<Range>, new: Range, round: u32) -> Range {
    let Some(before) = before else { return new };
    let most = intervals::union(before, intervals::WIDE);
    let joined = intervals::union(before, intervals::clamp(new, most));
    if round < PRECISE_ROUNDS || joined == before {
        return joined;
    }
    let lo = match (joined.0 < before.0, joined.0 >= 0) {
        (true, true) => 0,
        (true, false) if joined.0 >= intervals::I64.0 => intervals::I64.0,
        (true, false) => most.0,
        _ => joined.0,
    };
    let hi = match (joined.1 > before.1, joined.1 <= intervals::I64.1) {
        (true, true) => intervals::I64.1,
        (true, false) if joined.1 <= intervals::U64.1 => intervals::U64.1,
        (true, false) => most.1,
        _ => joined.1,
    };
    (lo, hi)
}

/// The representation for all types of a live range that keeps every value, if there is one. Conversions into it are
/// exact: a guard fails for a Python int that is no float. The value at entry is taken to be what its type promises:
/// whoever binds the captures sees the value and gives up where it does not fit.
fn representation(fact: &LiveRangeFact) -> Option<Scalar> {
    use Scalar as S;
    let kinds = fact.kinds;
    if fact.num {
        let pair = Kinds::all(&[Kind::PyInt, Kind::PyFloat]);
        return kinds.within(pair).then_some(S::Num);
    }
    if kinds.has(Kind::Char) {
        return kinds.single().map(Kind::natural);
    }
    if kinds.any(Kind::is_complex) {
        return (!kinds.has(Kind::Np(S::C64))).then_some(S::C128);
    }
    if kinds.any(Kind::is_float) {
        // A start value of 0 or 0.0 is kept as the float32 that it is until the first sum.
        let narrow = kinds.has(Kind::Np(S::F32)) && !kinds.has(Kind::Np(S::F64)) && !fact.not_f32;
        return Some(if narrow { S::F32 } else { S::F64 });
    }
    integral_representation(fact)
}

fn integral_representation(fact: &LiveRangeFact) -> Option<Scalar> {
    use Scalar as S;
    let kinds = fact.kinds;
    let natural: BTreeSet<Scalar> = kinds.iter().map(Kind::natural).collect();
    if kinds.py_integral() {
        if kinds == Kinds::of(Kind::PyBool) {
            return Some(S::Bool);
        }
        // An int at entry that fits 64 bits is taken to be among what is assigned.
        let entry = fact.entry_range;
        let entry =
            entry.filter(|r| fact.range.is_none() || !intervals::within(*r, intervals::I64));
        let all = fact.range.into_iter().chain(entry);
        let range = all.reduce(intervals::union).unwrap_or(intervals::I64);
        return Some(if intervals::within(range, intervals::I64) {
            S::I64
        } else if intervals::within(range, intervals::U64) {
            S::U64
        } else {
            S::I128
        });
    }
    if natural.len() == 1 {
        return natural.first().copied();
    }
    // A small Python int that becomes a NumPy int: `s = 0; s += a[i]`.
    let numpy: Vec<Scalar> = kinds
        .numpy()
        .iter()
        .map(Kind::natural)
        .filter(|s| *s != S::Bool)
        .collect();
    if let [one] = numpy.as_slice() {
        // Python ints that the NumPy type cannot hold (`best = -1` over unsigned elements) need a wider one.
        let fits = intervals::of(*one).is_none_or(|all| {
            let known = fact.py_range.into_iter().chain(fact.entry_range);
            known.into_iter().all(|r| intervals::within(r, all))
        });
        if fits && !natural.contains(&S::Bool) {
            return Some(*one);
        }
    }
    (!numpy.contains(&S::U64)).then_some(S::I64)
}
