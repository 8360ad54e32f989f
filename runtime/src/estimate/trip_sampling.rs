//! Trips of loops that neither types nor ints tell, and how hard it is to foresee where conditions go: what a few iterations say
//! of them, for prices.
//!
//! Bounds of inner loops are read from arrays (`range(first[i], first[i + 1])`), a `while` ends where data say so, a
//! `break` leaves. So the statements that this rests on are followed through a few iterations of the loops around, on
//! the values of the call and what its arrays hold at entry (`walk.rs`).

use nestwise_analysis as analysis;
use nestwise_ir::{ArrayKind, Expr, ExprKind, For, LoopId, Nest, Stmt, StmtKind, VarId};

use crate::estimate::branch_predictability;
use crate::estimate::number::Number;
use crate::estimate::walk::{Source, Walk};
use crate::pipeline::{HasValue, Value};
use crate::plan::{Plan, Sizes, lock};

/// Iterations of the outer loops that are followed when a kind of call is met first; more when it is met again.
const SAMPLES: u64 = 8;
const MOST_SAMPLES: u64 = 64;
/// For conditions alone calls are looked at when their number has doubled so often.
const SELDOMER: u32 = 4;
/// Statements that are followed in all of them; the one that is begun is followed to its end.
const ALL_STEPS: u32 = 4000;
/// Larger nests are priced without.
const MOST_STATEMENTS: usize = 400;
/// Kinds of calls whose guesses are remembered.
const REMEMBERED: usize = 32;

/// What has to be followed in a nest.
pub(crate) struct Followed {
    /// What the ends of loops rest on.
    ends: Parts,
    /// Variables that those and conditions rest on that elements decide, by number.
    pub vars: Vec<bool>,
    /// Arrays whose elements they rest on.
    pub arrays: Vec<bool>,
    /// There are such conditions, or some around loops.
    conditions: bool,
    /// By loop: how likely its text says that it is reached in an iteration of the one around it.
    pub likely: Vec<f64>,
    /// By loop: whether it has no loops but such conditions inside.
    pub in_a_row: Vec<bool>,
    /// By loop: those of the variables that it assigns.
    pub assigned: Vec<Vec<VarId>>,
    worth: bool,
}

/// Variables and arrays, by number.
#[derive(Clone)]
struct Parts {
    vars: Vec<bool>,
    arrays: Vec<bool>,
}

impl Followed {
    /// What the ends of all loops and conditions rest on.
    pub fn of(nest: &Nest) -> Followed {
        let mut ends = Parts {
            vars: vec![false; nest.vars.len()],
            arrays: vec![false; nest.arrays.len()],
        };
        let mut statements = 0;
        nest.top.walk(&mut |stmt| {
            statements += 1;
            match &stmt.kind {
                StmtKind::For(l) => {
                    for e in [&l.start, &l.stop, &l.step] {
                        ends.note(e);
                    }
                }
                StmtKind::While(l) => ends.note(&l.cond),
                StmtKind::If { cond, .. } if jumps(stmt) => ends.note(cond),
                _ => {}
            }
        });
        ends.close(nest);
        let conditions = branch_predictability::decided_by_data(nest);
        let mut all = ends.clone();
        for stmt in &conditions {
            if let StmtKind::If { cond, .. } = &stmt.kind {
                all.note(cond);
            }
        }
        let likely = |id| nest.work.of(id).map_or(1.0, |l| l.reached);
        let likely: Vec<f64> = nest.loops.ids().map(likely).collect();
        nest.top.walk(&mut |stmt| match &stmt.kind {
            StmtKind::If { cond, .. } if holds_loops(stmt) => all.note(cond),
            _ => {}
        });
        all.close(nest);
        let mut assigned = vec![Vec::new(); nest.loops.len()];
        let mut in_a_row = vec![false; nest.loops.len()];
        nest.top.walk(&mut |stmt| {
            if let StmtKind::For(l) = &stmt.kind {
                in_a_row[l.id.index()] = is_row(l, &conditions);
                let inside = analysis::structure::assigned(&l.body);
                let followed = inside.iter().copied().filter(|v| all.vars[v.index()]);
                assigned[l.id.index()] = followed.collect();
            }
        });
        Followed {
            ends,
            vars: all.vars,
            arrays: all.arrays,
            conditions: !conditions.is_empty() || likely.iter().any(|l| *l < 1.0),
            likely,
            in_a_row,
            assigned,
            worth: statements <= MOST_STATEMENTS,
        }
    }
}

impl Parts {
    /// Adds what those are made from, and under which conditions, as far as that goes.
    fn close(&mut self, nest: &Nest) {
        loop {
            let before = self.count();
            nest.top.walk(&mut |stmt| match &stmt.kind {
                StmtKind::Let { var, value } if self.vars[var.index()] => self.note(value),
                StmtKind::Store {
                    array,
                    index,
                    value,
                    ..
                } if self.arrays[array.index()] => {
                    index.iter().chain([value]).for_each(|e| self.note(e));
                }
                StmtKind::If { cond, .. } if self.changes(stmt) => self.note(cond),
                _ => {}
            });
            if self.count() == before {
                return;
            }
        }
    }

    fn count(&self) -> usize {
        self.vars.iter().chain(&self.arrays).filter(|v| **v).count()
    }

    fn note(&mut self, e: &Expr) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Var(v) => self.vars[v.index()] = true,
            ExprKind::Load { array, .. } => self.arrays[array.index()] = true,
            _ => {}
        });
    }

    /// Whether one of them gets a value inside.
    fn changes(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.walk(&mut |s| {
            found |= match &s.kind {
                StmtKind::Let { var, .. } => self.vars[var.index()],
                StmtKind::Store { array, .. } => self.arrays[array.index()],
                _ => false,
            }
        });
        found
    }
}

fn jumps(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |s| {
        found |= matches!(
            s.kind,
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Leave(_) | StmtKind::Return
        );
    });
    found
}

fn holds_loops(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |s| found |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_)));
    found
}

fn is_row(l: &For, conditions: &[&Stmt]) -> bool {
    let (mut loops, mut found) = (false, false);
    for stmt in &l.body {
        stmt.walk(&mut |s| {
            loops |= matches!(s.kind, StmtKind::For(_) | StmtKind::While(_));
            found |= conditions.iter().any(|c| std::ptr::eq(*c, s));
        });
    }
    found && !loops
}

/// Guesses by kind of call, kinds being told apart by the octaves of trips that are known, of the numbers that the others
/// rest on, and of extents.
#[derive(Default)]
pub(crate) struct Guesses(Vec<Guess>);

struct Guess {
    octaves: Vec<i32>,
    calls: u64,
    found: Found,
}

/// What samples tell.
#[derive(Default)]
pub(crate) struct Found {
    /// By loop, the mean of its trips where some were counted.
    pub trips: Vec<Option<f64>>,
    /// By loop, how often it is reached in an iteration of the one around it, where that depends on conditions.
    pub reached: Vec<Option<f64>>,
    /// See [`Outcomes::surprise`].
    pub surprise: Option<f64>,
}

impl Plan {
    /// Puts guesses in for loops whose trips are not known, and for conditions. Calls are looked at when their number has
    /// doubled: their data may change, but looking takes as long as hundreds of iterations. For conditions alone it is seldomer.
    pub fn guess<V: HasValue>(&self, sizes: &mut Sizes, captures: &[V]) {
        let open = self.nest.loops.ids().any(|id| self.is_open(sizes, id));
        let followed = self.followed.get_or_init(|| Followed::of(&self.nest));
        if !followed.worth || !(open || followed.conditions) {
            return;
        }
        let numbers = self.numbers(sizes, captures);
        let octaves = self.octaves(followed, sizes, &numbers);
        let mut guesses = lock(&self.guesses);
        let known = guesses.0.iter().position(|g| g.octaves == octaves);
        let at = known.unwrap_or_else(|| {
            if guesses.0.len() == REMEMBERED {
                guesses.0.remove(0);
            }
            guesses.0.push(Guess {
                octaves,
                calls: 0,
                found: Found::default(),
            });
            guesses.0.len() - 1
        });
        let guess = &mut guesses.0[at];
        guess.calls += 1;
        let doubled = guess.calls.is_power_of_two();
        if doubled && (open || guess.calls.ilog2().is_multiple_of(SELDOMER)) {
            let samples = (SAMPLES * guess.calls).min(MOST_SAMPLES);
            guess.found = self.sampled(samples, followed, sizes, captures, &numbers);
        }
        sizes.values.surprise = guess.found.surprise;
        let found = guess.found.trips.iter().zip(&guess.found.reached);
        for (id, (trips, reached)) in self.nest.loops.ids().zip(found) {
            if let (Some(trips), true) = (trips, self.is_open(sizes, id)) {
                sizes.mean[id.index()] = *trips;
            }
            if let Some(reached) = reached {
                sizes.mean[id.index()] *= reached / followed.likely[id.index()];
            }
        }
    }

    /// Something took much longer than its guess: the next call of each kind is looked at.
    pub fn forget_guesses(&self) {
        lock(&self.guesses).0.clear();
    }

    /// Whether no value of the call tells how often a loop runs.
    fn is_open(&self, sizes: &Sizes, id: LoopId) -> bool {
        let known = sizes.trips.get(id.index()).copied().flatten().is_some();
        !known || self.nest.work.of(id).is_some_and(|w| w.leaves)
    }

    fn octaves(&self, followed: &Followed, sizes: &Sizes, numbers: &[Option<Number>]) -> Vec<i32> {
        let octave = |x: f64| match x {
            0.0 => 0,
            _ => (x.abs().log2().round() as i32).saturating_mul(2) + i32::from(x < 0.0),
        };
        let trips = sizes.trips.iter().map(|t| t.map_or(-1, octave));
        let rested_on = numbers.iter().zip(&followed.ends.vars).filter(|(_, v)| **v);
        let numbers = rested_on.map(|(n, _)| n.and_then(Number::float).map_or(-1, octave));
        let arrays = self.nest.arrays.values().zip(&sizes.values.dims);
        let extents = arrays.flat_map(|(a, dims)| &dims[..a.rank as usize]);
        let extents = extents.map(|e| octave(*e as f64));
        trips.chain(numbers).chain(extents).collect()
    }

    /// What variables hold at entry.
    fn numbers<V: HasValue>(&self, sizes: &Sizes, captures: &[V]) -> Vec<Option<Number>> {
        let of = |capture: u32| captures.get(capture as usize).map(HasValue::value);
        let number = |(v, known): (&nestwise_ir::model::nest::VarDecl, &Option<i64>)| match known {
            Some(v) => Some(Number::Int(*v)),
            None => Number::of(of(v.live_in?)?),
        };
        let vars = self.nest.vars.values().zip(&sizes.values.vars);
        vars.map(number).collect()
    }

    fn sampled<V: HasValue>(
        &self,
        samples: u64,
        followed: &Followed,
        sizes: &Sizes,
        captures: &[V],
        values: &[Option<Number>],
    ) -> Found {
        let source = |array: &nestwise_ir::ArrayDecl| {
            let Some(capture) = captures.get(array.capture as usize) else {
                return Source::Own;
            };
            match (capture.value(), array.kind) {
                (Value::Array(view), kind) if !kind.is_own() => Source::Memory(*view),
                (Value::Sequence { .. }, ArrayKind::List | ArrayKind::Tuple | ArrayKind::Str) => {
                    Source::List(capture)
                }
                _ => Source::Own,
            }
        };
        let sources = self.nest.arrays.values().map(source).collect();
        let mut walk = Walk::new(&self.nest, followed, sources, &sizes.values.dims);
        let mut left = ALL_STEPS;
        for sample in 0..samples {
            left = left.saturating_sub(walk.sample(sample, values));
            if left == 0 {
                break;
            }
        }
        walk.found()
    }
}
