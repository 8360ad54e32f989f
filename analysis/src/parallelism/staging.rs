//! Verdicts in two stages: what is decided from types, once; and what the values of a launch decide of the rest,
//! without looking at the nest again.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{Arena, ArrayId, ClauseId, IdSet, LoopId, Nest, PropertyId};

use crate::dependence::Property;
use crate::guards::launch_values::LaunchValues;
use crate::guards::{self, GuardSet};
use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::{Analysis, LoopInfo, Options, Verdict, analyse_with};
use crate::schedule::{Beyond, Waves, beyond, thread_loops, vectorise};
use crate::values::condition::Clause;

/// The most clauses of one nest that a launch evaluates.
const MAX_CLAUSES: usize = 64;
/// The most kinds of launches of one nest whose abilities are analysed; further ones count as launches that prove
/// nothing.
const MAX_CLEARED: usize = 16;

/// What a nest can be made to do.
#[derive(Clone, Debug, Default)]
pub struct Abilities {
    /// The outermost loops that may run on threads, if need be once they are rewritten.
    roots: Vec<ThreadLoop>,
    /// The outermost loops that may run on threads if no array may be copied.
    uncopied: Vec<ThreadLoop>,
    /// If there are no such loops: two loops that may run as a wavefront.
    pub waves: Option<Waves>,
    /// Whether some loop may run on vector lanes.
    pub vectorisable: bool,
}

/// What a nest can do once some guards are proven and some clauses are known not to hold.
struct Cleared {
    /// The number of clauses, from the first, that do not hold; `None`: the conditions of loops are not met.
    absent: Option<usize>,
    proven: GuardSet,
    able: Arc<Abilities>,
}

/// What a launch asks of a nest's verdicts: enough to price it, and to choose among kernels that were compiled before.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    /// The clauses of the conditions of loops; behind them, those that make copies unnecessary if they do not hold.
    clauses: Arena<ClauseId, Clause>,
    /// The number of clauses that belong to conditions of loops.
    needed: usize,
    /// The properties of index arrays that conditions of loops require.
    elements: Arena<PropertyId, (ArrayId, Property)>,
    /// Whether some loop's verdict depends on values.
    open: bool,
    /// Whether the nest has guards.
    guarded: bool,
    /// Whether some loop's iterations are independent, perhaps under a condition.
    has_parallel: bool,
    /// Whether the top loop's iterations are independent, perhaps under a condition.
    shares_top: bool,
    /// Arrays that some loop's iterations must not share, if they run in parallel.
    copied: Vec<ArrayId>,
    /// Whether verdicts are expressed in values at entry that the nest changes.
    from_entry: bool,
}

/// A nest's verdicts before any value is known, and what values may still make of them.
pub struct Staged {
    summary: Summary,
    options: Options,
    /// The verdicts of all loops. Where only the summary was kept, the nest is analysed again on demand.
    verdicts: OnceLock<Analysis>,
    as_is: OnceLock<Arc<Abilities>>,
    cleared: Mutex<Vec<Cleared>>,
}

impl Staged {
    /// Analyses a nest.
    pub fn new(nest: &Nest, options: Options) -> Staged {
        Staged::of(nest, analyse_with(nest, options))
    }

    /// Stages what an analysis of the nest has found.
    pub fn of(nest: &Nest, verdicts: Analysis) -> Staged {
        let staged = Staged::kept(Summary::of(nest, &verdicts), verdicts.options.clone());
        Staged {
            verdicts: OnceLock::from(verdicts),
            ..staged
        }
    }

    /// Makes it from the summary of an earlier analysis of the nest under these options.
    pub fn kept(summary: Summary, options: Options) -> Staged {
        Staged {
            summary,
            options,
            verdicts: OnceLock::new(),
            as_is: OnceLock::new(),
            cleared: Mutex::default(),
        }
    }

    /// The summary from which [`Staged::kept`] makes it again, for the same nest.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The verdicts of all loops. `nest` must be the nest that this was made for.
    pub fn verdicts(&self, nest: &Nest) -> &Analysis {
        self.verdicts
            .get_or_init(|| analyse_with(nest, self.options.clone()))
    }

    /// The options under which the nest is analysed.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The clauses that these values refute.
    pub fn refuted(&self, values: &LaunchValues) -> IdSet<ClauseId> {
        let all = self.summary.clauses.iter();
        all.filter(|(_, clause)| clause.holds(values) == Some(false))
            .map(|(id, _)| id)
            .collect()
    }

    /// Whether verdicts are expressed in values at entry that the nest changes: then they do not hold for a nest that
    /// goes on from the middle of its iterations.
    pub fn counts_from_entry(&self) -> bool {
        self.summary.from_entry
    }

    /// The clauses of a set.
    pub fn clauses(&self, set: IdSet<ClauseId>) -> Vec<Clause> {
        let all = self.summary.clauses.iter();
        all.filter(|(id, _)| set.contains(*id))
            .map(|(_, clause)| clause.clone())
            .collect()
    }

    /// The properties of index arrays that loops require to run in parallel.
    pub fn elements(&self) -> &Arena<PropertyId, (ArrayId, Property)> {
        &self.summary.elements
    }

    /// The properties of index arrays of a set.
    pub fn elements_of(&self, set: IdSet<PropertyId>) -> Vec<(ArrayId, Property)> {
        let all = self.summary.elements.iter();
        all.filter(|(id, _)| set.contains(*id))
            .map(|(_, property)| *property)
            .collect()
    }

    /// What the nest (which must be the one this was made for) can do in a launch that proves these guards and refutes
    /// these clauses. `hopeful`: every index array has the properties that conditions require. The first call for such
    /// a launch analyses the nest, which takes about as long as compiling it.
    pub fn abilities(
        &self,
        nest: &Nest,
        refuted: IdSet<ClauseId>,
        proven: &GuardSet,
        hopeful: bool,
    ) -> Arc<Abilities> {
        self.as_is
            .get_or_init(|| Arc::new(Abilities::of(nest, self.verdicts(nest))));
        if let Some(found) = self.known_abilities(refuted, proven, hopeful) {
            return found;
        }
        // Nobody waits for this but who asked: meanwhile others price what they know.
        let absent = self.absent(refuted, hopeful);
        let options = Options {
            absent: self.clauses(IdSet::first(absent.unwrap_or(0))),
            elements: absent.map_or(vec![], |_| self.elements_of(IdSet::all())),
            ..self.options.clone()
        };
        let nest = guards::apply(nest, proven);
        let able = Arc::new(Abilities::of(&nest, &analyse_with(&nest, options)));
        lock(&self.cleared).push(Cleared {
            absent,
            proven: proven.clone(),
            able: able.clone(),
        });
        able
    }

    /// What [`Staged::abilities`] returns, if that needs no analysis.
    pub fn known_abilities(
        &self,
        refuted: IdSet<ClauseId>,
        proven: &GuardSet,
        hopeful: bool,
    ) -> Option<Arc<Abilities>> {
        let as_is = self.as_is.get()?;
        // Guards may hide what a rewriting could do.
        let hidden = self.summary.guarded && !as_is.has_top();
        let absent = self.absent(refuted, hopeful);
        let conditions = absent.is_some()
            && (self.summary.open || self.summary.clauses.len() > self.summary.needed);
        if !conditions && !hidden {
            return Some(as_is.clone());
        }
        let cleared = lock(&self.cleared);
        let same = |c: &&Cleared| c.absent == absent && c.proven == *proven;
        match cleared.iter().find(same) {
            Some(found) => Some(found.able.clone()),
            None => (cleared.len() >= MAX_CLEARED).then(|| as_is.clone()),
        }
    }

    /// The number of clauses, from the first, that a launch may assume not to hold; `None` if those of the conditions
    /// of loops are not among them.
    fn absent(&self, refuted: IdSet<ClauseId>, hopeful: bool) -> Option<usize> {
        let gone = refuted.leading();
        let counts = [self.summary.clauses.len(), self.summary.needed];
        counts.into_iter().find(|c| hopeful && *c <= gone)
    }

    /// Whether some loop's iterations are independent, perhaps under a condition.
    pub fn has_parallel(&self) -> bool {
        self.summary.has_parallel
    }

    /// Whether the top loop's iterations may be shared among threads, for all that is known before a call.
    pub fn shares_top(&self) -> bool {
        self.summary.shares_top
    }

    /// Arrays that some loop's iterations must not share, if they run in parallel.
    pub fn copied(&self) -> &[ArrayId] {
        &self.summary.copied
    }
}

impl Summary {
    fn of(nest: &Nest, verdicts: &Analysis) -> Summary {
        let mut clauses: Vec<Clause> = vec![];
        let mut elements: Vec<(ArrayId, Property)> = vec![];
        let mut open = false;
        for info in &verdicts.loops {
            // Also of loops in which something counts along, once that is computed.
            let verdicts = [Some(&info.verdict), info.otherwise.as_ref()];
            if let Some(Verdict::When(condition)) = verdicts
                .into_iter()
                .flatten()
                .find(|v| matches!(v, Verdict::When(_)))
            {
                clauses.extend(condition.absent.iter().cloned());
                elements.extend(&condition.elements);
                open = true;
            }
        }
        clauses.sort_unstable();
        clauses.dedup();
        let needed = clauses.len().min(MAX_CLAUSES);
        for clause in verdicts.loops.iter().flat_map(|l| &l.uncopied) {
            if !clauses.contains(clause) {
                clauses.push(clause.clone());
            }
        }
        clauses.truncate(MAX_CLAUSES);
        elements.sort_unstable();
        elements.dedup();
        let may = |v: &Verdict| !matches!(v, Verdict::Serial(_));
        let able = |l: &LoopInfo| may(&l.verdict) || l.otherwise.is_some();
        let mut copied: Vec<ArrayId> = verdicts.loops.iter().flat_map(LoopInfo::copied).collect();
        copied.sort_unstable();
        copied.dedup();
        Summary {
            clauses: clauses.into(),
            needed,
            elements: elements.into(),
            open,
            guarded: guards::count_set(nest) > 0,
            has_parallel: verdicts.loops.iter().any(able),
            shares_top: verdicts.loops.first().is_some_and(|l| may(&l.verdict)),
            copied,
            from_entry: verdicts.forms.counts_from_entry(nest),
        }
    }
}

impl Abilities {
    /// The outermost loops that may run on threads, given that every thread may have a copy of the arrays that
    /// `copyable` accepts.
    pub fn roots(&self, copyable: impl Fn(ArrayId) -> bool) -> &[ThreadLoop] {
        let all_fit = self.roots.iter().flat_map(ThreadLoop::copied).all(copyable);
        if all_fit { &self.roots } else { &self.uncopied }
    }

    /// Whether the top loop may run on threads.
    fn has_top(&self) -> bool {
        self.roots.iter().any(|t| t.id == LoopId(0))
    }

    fn of(nest: &Nest, analysis: &Analysis) -> Abilities {
        let info = LaunchInfo::guess(nest, analysis.options.fp);
        let cramped = LaunchInfo {
            copyable: vec![],
            ..info.clone()
        };
        let lanes = vectorise(nest, analysis, &info);
        let mut roots = thread_loops(nest, analysis, &info);
        let mut found = Beyond::default();
        if !roots.iter().any(|t| t.id == LoopId(0)) {
            // A launch whose loops are empty has little to do.
            let assumed = Options {
                nonempty: IdSet::all(),
                ..analysis.options.clone()
            };
            let analysis = analyse_with(nest, assumed.clone());
            found = beyond(nest, &analysis, &LaunchInfo { assumed, ..info });
            if !found.threads.is_empty() {
                roots = std::mem::take(&mut found.threads);
            }
        }
        Abilities {
            roots,
            uncopied: thread_loops(nest, analysis, &cramped),
            waves: found.waves,
            vectorisable: found.vectors || lanes.has_vectors(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
