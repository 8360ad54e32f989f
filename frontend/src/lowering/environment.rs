//! The names of the site while it is lowered.

use std::collections::HashMap;

use nestwise_ir::{ArrayId, FpMode, Scalar, Span, VarId, WithSpan};

use crate::lowering::hir::{self, Def, DefId, Hir, LocalId};
use crate::lowering::types::facts::Facts;
use crate::lowering::types::kinds::{Kinds, natural_in};
use crate::lowering::types::live_ranges::{LiveRangeId, LiveRanges};
use crate::lowering::value::scalar::Sv;
use crate::lowering::value::section::Section;
use crate::lowering::value::view::View;
use crate::refusal::{R, Refusal, refuse};
use crate::site::captures::Capture;

/// The settings that the typed nest depends on besides the types of the captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// The minor version of CPython 3: `math.pow(0.0, -inf)` raises up to 10; from 12 on
    /// builtin `sum` of floats is compensated, and `~` of a bool warns.
    pub python_minor: u32,
    /// Whether `np.floor`, `np.ceil` and `np.trunc` of ints are ints, as from NumPy 2.1 on.
    pub whole_ints: bool,
    /// The mode of floating point: which results may differ from CPython's.
    pub fp: FpMode,
    /// The most frames that CPython is sure to have left for calls of functions where the nest runs.
    pub frames: u32,
}

/// The value that a live range stands for while its assignment dominates and nothing that the value is made of can
/// change.
#[derive(Clone, Debug)]
pub(crate) enum Subst {
    Scalar(Sv),
    View(View),
    Part(Section),
}

/// The names of the site: where they are assigned, what is known of their types, and the variables that stand for
/// them.
pub(crate) struct Environment<'a> {
    /// The resolved site.
    pub hir: &'a Hir,
    /// The live ranges of the site's names.
    pub live_ranges: &'a LiveRanges,
    /// The types of the site's captures.
    pub captures: &'a [Capture],
    /// The settings that the nest depends on besides types.
    pub options: Options,
    /// The facts that the rounds so far have learnt, and that this one adds to.
    pub facts: &'a mut Facts,
    /// The arrays of the nest that stand for captured ones, by capture.
    pub slots: HashMap<u32, ArrayId>,
    /// The variables of live ranges.
    pub variables: HashMap<LiveRangeId, VarId>,
    /// The variables that hold the subscripts of a view, or the numbers that say which part of an array it is.
    pub view_vars: HashMap<LiveRangeId, Vec<VarId>>,
    /// The tags: bool variables that say which of its types a live range's value has.
    pub tag_vars: HashMap<LiveRangeId, VarId>,
    /// The flags: bool variables that say whether a local has been assigned.
    pub flag_vars: HashMap<LocalId, VarId>,
    /// The bool variables of locals that may be None: whether they have become a number, or None, since they began.
    pub none_vars: HashMap<LocalId, VarId>,
    /// The variables of values at entry that the bounds of the top loop read.
    pub entry_vars: HashMap<LocalId, VarId>,
    /// The variables of the numbers of texts from outside, by capture.
    pub text_vars: HashMap<u32, VarId>,
    /// Substitutions in effect, innermost last.
    pub substs: Vec<(LiveRangeId, Subst)>,
    /// Whether the types of the value being lowered matter to its consumer.
    pub want_tag: bool,
}

impl<'a> Environment<'a> {
    /// The environment in which a round of lowering begins.
    pub fn new(
        hir: &'a Hir,
        live_ranges: &'a LiveRanges,
        captures: &'a [Capture],
        options: Options,
        facts: &'a mut Facts,
    ) -> Environment<'a> {
        Environment {
            hir,
            live_ranges,
            captures,
            options,
            facts,
            slots: HashMap::new(),
            variables: HashMap::new(),
            view_vars: HashMap::new(),
            tag_vars: HashMap::new(),
            flag_vars: HashMap::new(),
            none_vars: HashMap::new(),
            entry_vars: HashMap::new(),
            text_vars: HashMap::new(),
            substs: vec![],
            want_tag: false,
        }
    }

    /// The representation of a live range's variable.
    ///
    /// # Errors
    /// No representation keeps all values of the live range.
    pub fn representation(&self, live: LiveRangeId, span: Span) -> R<Scalar> {
        let fact = self.facts.live_ranges.get(live).and_then(|f| f.repr());
        fact.ok_or_else(|| self.type_changes(live, span))
    }

    /// The refusal of a name whose type changes.
    pub fn type_changes(&self, live: LiveRangeId, span: Span) -> WithSpan<Refusal> {
        let name = self.name_of(live);
        let kinds: Vec<String> = self
            .facts
            .live_ranges
            .get(live)
            .map(|f| f.kinds.iter().map(|k| k.to_string()).collect())
            .unwrap_or_default();
        let (from, to) = match kinds.as_slice() {
            [] => ("array".to_string(), "another array".to_string()),
            [one] => (one.clone(), "array".to_string()),
            [first, .., last] => (first.clone(), last.clone()),
        };
        refuse(span, Refusal::TypeChanges { name, from, to })
    }

    /// The name under which the program knows a live range.
    pub fn name_of(&self, live: LiveRangeId) -> String {
        let local = self
            .live_ranges
            .local
            .get(live)
            .and_then(|l| self.hir.locals.get(*l));
        local.map(|l| l.name.clone()).unwrap_or_default()
    }

    /// The types that decide how a live range's variable is boxed: those of the assignments that may be its last.
    pub fn boxed_kinds(&self, live: LiveRangeId, repr: Scalar) -> Kinds {
        let Some(fact) = self.facts.live_ranges.get(live) else {
            return Kinds::NONE;
        };
        let fits = |kinds: Kinds| kinds.filter(|k| natural_in(k, repr));
        let exit = self
            .live_ranges
            .local
            .get(live)
            .and_then(|l| self.live_ranges.exit.get(*l));
        let last = exit
            .into_iter()
            .flatten()
            .filter(|d| self.live_ranges.of_def.get(**d) == Some(&live));
        let kinds = last
            .filter_map(|d| self.facts.def_kinds.get(*d))
            .fold(Kinds::NONE, |set, k| set.union(fits(*k)));
        let observed = self
            .live_ranges
            .local
            .get(live)
            .and_then(|l| self.hir.locals.get(*l))
            .is_some_and(|l| l.path.is_some());
        if observed && !kinds.is_empty() {
            kinds
        } else {
            fits(fact.kinds)
        }
    }

    /// Whether an assignment is the only one of its live range, which also has no value at entry.
    pub fn alone(&self, def: DefId, live: LiveRangeId) -> bool {
        self.live_ranges
            .defs
            .get(live)
            .is_some_and(|d| d.as_slice() == [def])
            && self.live_ranges.entry.get(live) == Some(&None)
    }

    /// Whether the value that a local has after the nest can be seen.
    pub fn observed(&self, def: Def) -> bool {
        let local = self.hir.locals.get(def.local);
        let last = self
            .live_ranges
            .exit
            .get(def.local)
            .is_some_and(|d| d.contains(&def.def));
        local.is_some_and(|l| l.path.is_some()) && last
    }

    /// The name of a target, for messages and loops.
    pub fn target_name(&self, target: &hir::Target) -> String {
        match target {
            hir::Target::Local(def) => self
                .hir
                .locals
                .get(def.local)
                .map(|l| l.name.clone())
                .unwrap_or_default(),
            hir::Target::Subscript(..) => "an element".into(),
            hir::Target::Attr(_, name) => name.clone(),
            hir::Target::Tuple(items) => items
                .iter()
                .map(|t| self.target_name(t))
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}
