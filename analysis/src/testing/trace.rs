//! Runs of the reference interpreter that record every access.

use nestwise_ir::interpreter::{self, End, Going, Hook, Limits, Object, State};
use nestwise_ir::model::nest::{For, Nest};
use nestwise_ir::{AccessId, ArrayId, LoopId, VarId};

use crate::guards::{GuardId, expr_key, numbering, stmt_key};

pub use nestwise_ir::interpreter::Value;

/// The arrays and variables of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// By slot: row-major elements.
    pub data: Vec<Vec<Value>>,
    /// By slot: extents.
    pub dims: Vec<Vec<i64>>,
    /// By variable: its value, if it has one.
    pub vars: Vec<Option<Value>>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    Done,
    Broke,
    Returned,
    /// The guard failed.
    GuardFailure(GuardId),
    /// An operation without a guard failed.
    Violation(&'static str),
    /// The run took too many steps.
    Budget,
}

/// One execution of an access.
#[derive(Clone, Debug)]
#[allow(dead_code)] // what only messages show
pub struct Touch {
    pub access: AccessId,
    /// The number of the array that the slot holds at that time.
    pub object: usize,
    pub element: usize,
    pub store: bool,
    /// The iteration numbers of the enclosing loops, outermost first.
    pub iterations: Vec<(LoopId, u64)>,
    /// The position in each of these loops: its counter, negated if it goes down; for a `while` the iteration number.
    pub along: Vec<i128>,
    /// The top loop's counter.
    pub top: Option<i128>,
    /// The counters of the enclosing `for` loops, outermost first.
    pub counters: Vec<(LoopId, i128)>,
    /// The index along each axis.
    pub index: Vec<i64>,
}

/// What happened in a run.
pub struct Trace {
    pub outcome: Outcome,
    pub touches: Vec<Touch>,
    pub memory: Memory,
    /// Loops that were entered and had no iteration.
    pub idle: Vec<LoopId>,
}

/// A request to run the iterations of one `for` in another order: the last one first, then the others in reverse.
#[derive(Clone)]
pub struct Reversed {
    /// The loop.
    pub id: LoopId,
    /// Variables that get the values that they have in the last iteration.
    pub last: Vec<VarId>,
    /// Privatised arrays: the last iteration works on the array itself, each other one on a copy whose elements start
    /// with values that no iteration wrote.
    pub private: Vec<ArrayId>,
    /// By array: the loads that read what was in the array when the loop was entered.
    pub anti_dependence_copies: Vec<(ArrayId, Vec<AccessId>)>,
}

/// Runs a nest in its own order.
pub fn run(nest: &Nest, memory: Memory) -> Trace {
    start(nest, memory, None, u64::MAX)
}

/// Runs a nest; if its top loop runs as a whole, at most `range` of its iterations at a time.
pub fn run_ranges(nest: &Nest, memory: Memory, range: u64) -> Trace {
    start(nest, memory, None, range)
}

/// Runs a nest, with the iterations of one loop in another order.
pub fn run_reversed(nest: &Nest, memory: Memory, reversed: Option<Reversed>) -> Trace {
    start(nest, memory, reversed, u64::MAX)
}

/// The most statements and iterations of one run.
const BUDGET: u64 = 200_000;

fn start(nest: &Nest, memory: Memory, reversed: Option<Reversed>, range: u64) -> Trace {
    let objects = memory.dims.into_iter().zip(memory.data);
    let mut state = State {
        objects: objects.map(|(dims, data)| Object { dims, data }).collect(),
        slots: (0..nest.arrays.len()).collect(),
        vars: memory.vars,
    };
    let mut recorder = Recorder {
        reversed,
        ..Recorder::default()
    };
    let limits = Limits {
        budget: BUDGET,
        range,
    };
    let end = interpreter::run(nest, &mut state, limits, &mut recorder);
    let failed = |key: usize| match numbering(nest).get(&key) {
        Some(id) => Outcome::GuardFailure(*id),
        None => Outcome::Violation("what has no guard fails"),
    };
    let outcome = match end {
        End::Done => Outcome::Done,
        End::Returned => Outcome::Returned,
        End::FailedExpr(e) => failed(expr_key(e)),
        End::FailedStmt(s) => failed(stmt_key(s)),
        End::Violation(what) => Outcome::Violation(what),
        End::Budget => Outcome::Budget,
    };
    // Arrays as their slots hold them in the end.
    let held = |slot: &usize| state.objects[*slot].clone();
    let objects: Vec<Object> = state.slots.iter().map(held).collect();
    let (dims, data) = objects.into_iter().map(|o| (o.dims, o.data)).unzip();
    Trace {
        outcome,
        touches: recorder.touches,
        memory: Memory {
            data,
            dims,
            vars: state.vars,
        },
        idle: recorder.idle,
    }
}

/// Fills an array with values that no nest of the tests computes.
fn poison(data: &mut [Value]) {
    for v in data {
        *v = match v {
            Value::Int(_) => Value::Int(987_654_321),
            Value::Bool(b) => Value::Bool(!*b),
            _ => Value::Float(1.25e77),
        };
    }
}

/// A loop that is being executed.
struct Open {
    id: LoopId,
    /// The number of iterations that have run.
    number: u64,
    /// The position in the loop (see [`Touch::along`]).
    along: i128,
    /// The counter, if the loop is a `for`.
    counter: Option<i128>,
}

/// What a loop that runs backwards has to restore, so that it ends with what the last iteration leaves.
#[derive(Default)]
struct Backwards {
    /// By copied array: what was in it when the loop was entered.
    before: Vec<(ArrayId, Vec<Value>)>,
    /// By variable with a last value: what it held when the loop was entered.
    vars: Vec<(VarId, Option<Value>)>,
    /// By variable with a last value: its value from the first iteration, in the order of the run, that assigned it.
    finals: Vec<(VarId, Option<Value>)>,
    /// By private array: its number, and what the last iteration left in it.
    kept: Vec<(usize, Vec<Value>)>,
}

#[derive(Default)]
struct Recorder {
    reversed: Option<Reversed>,
    backwards: Backwards,
    top: Option<i128>,
    open: Vec<Open>,
    touches: Vec<Touch>,
    idle: Vec<LoopId>,
}

impl Recorder {
    fn reverses(&self, id: LoopId) -> Option<Reversed> {
        self.reversed.clone().filter(|r| r.id == id)
    }
}

impl Hook for Recorder {
    fn enter(&mut self, id: LoopId, state: &State) -> bool {
        self.open.push(Open {
            id,
            number: 0,
            along: 0,
            counter: None,
        });
        let Some(r) = self.reverses(id) else {
            return false;
        };
        let data = |a: &ArrayId| state.object(*a).data.clone();
        self.backwards = Backwards {
            before: r
                .anti_dependence_copies
                .iter()
                .map(|(a, _)| (*a, data(a)))
                .collect(),
            vars: r.last.iter().map(|v| (*v, state.vars[v.index()])).collect(),
            ..Backwards::default()
        };
        true
    }

    fn begin(&mut self, l: &For, number: u64, going: Going, state: &mut State) {
        if self.open.len() == 1 {
            self.top = Some(going.counter);
        }
        if let Some(open) = self.open.last_mut() {
            open.number = number;
            open.along = going.counter * going.step.signum();
            open.counter = Some(going.counter);
        }
        let Some(r) = self.reverses(l.id) else { return };
        for v in &r.last {
            state.vars[v.index()] = None;
        }
        for a in r.private.iter().filter(|_| number > 0) {
            poison(&mut state.object_mut(*a).data);
        }
    }

    fn ask(&mut self, _: LoopId, number: u64) {
        if let Some(open) = self.open.last_mut() {
            open.number = number;
            open.along = number.into();
        }
    }

    fn finish(&mut self, l: &For, number: u64, state: &mut State) {
        let Some(r) = self.reverses(l.id) else { return };
        for v in &r.last {
            let value = state.vars[v.index()].take();
            let finals = &mut self.backwards.finals;
            if value.is_some() && !finals.iter().any(|f| f.0 == *v) {
                finals.push((*v, value));
            }
        }
        if number == 0 {
            let kept = |a: &ArrayId| (state.slots[a.index()], state.object(*a).data.clone());
            self.backwards.kept = r.private.iter().map(kept).collect();
        }
    }

    fn end(&mut self, l: &For, iterations: u64, state: &mut State) {
        if iterations == 0 {
            self.idle.push(l.id);
        }
        if self.reverses(l.id).is_none() {
            return;
        }
        let left = std::mem::take(&mut self.backwards);
        for (v, value) in left.vars.into_iter().chain(left.finals) {
            state.vars[v.index()] = value;
        }
        for (object, data) in left.kept {
            state.objects[object].data = data;
        }
    }

    fn leave(&mut self, _: LoopId) {
        self.open.pop();
    }

    fn touch(&mut self, touch: interpreter::Touch, state: &State) -> Option<Value> {
        let interpreter::Touch {
            access,
            array,
            element,
            store,
        } = touch;
        let mut index = vec![];
        let mut rest = element as i64;
        for extent in state.object(array).dims.iter().rev() {
            index.insert(0, rest % extent);
            rest /= extent;
        }
        let open = || self.open.iter();
        self.touches.push(Touch {
            access,
            object: state.slots[array.index()],
            element,
            store,
            iterations: open().map(|o| (o.id, o.number)).collect(),
            along: open().map(|o| o.along).collect(),
            top: self.top,
            counters: open().filter_map(|o| Some((o.id, o.counter?))).collect(),
            index,
        });
        // A load of a copy finds what was there before the loop.
        let mut copied = self.reversed.iter().flat_map(|r| &r.anti_dependence_copies);
        copied.find(|(_, reads)| !store && reads.contains(&access))?;
        let before = self.backwards.before.iter().find(|b| b.0 == array);
        before.map(|b| b.1[element])
    }
}
