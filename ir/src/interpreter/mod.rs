//! The reference interpreter: it defines what a typed nest means, one element at a time.
//!
//! The interpreter is for tests, which compare passes, kernels and CPython with it. A [`Hook`] sees every access and
//! every iteration, and may change the order of a loop's iterations and what loads find.

mod operations;

use crate::model::ids::{AccessId, ArrayId, LoopId, ScopeId, VarId};
use crate::model::nest::{Const, Expr, ExprKind, For, Nest, Stmt, StmtKind, While};
use crate::model::ops::{Fun, Lib};
use crate::model::types::Scalar;

pub use crate::interpreter::operations::fits;

/// A scalar value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// An int of any representation, or a code point.
    Int(i128),
    /// A float, already rounded to its representation.
    Float(f64),
    /// A complex number: real and imaginary part.
    Complex(f64, f64),
    /// The value of a [`Scalar::Num`], and whether it is an int.
    Num(f64, bool),
}

/// An array: its extents and its elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The extents of the array.
    pub dims: Vec<i64>,
    /// The elements, in row-major order.
    pub data: Vec<Value>,
}

/// The arrays and variables that a nest runs on.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The arrays.
    pub objects: Vec<Object>,
    /// By slot: the index of its array in `objects`.
    pub slots: Vec<usize>,
    /// By variable: its value, if it has one.
    pub vars: Vec<Option<Value>>,
}

impl State {
    /// The array that a slot holds.
    pub fn object(&self, array: ArrayId) -> &Object {
        &self.objects[self.slots[array.index()]]
    }

    /// The array that a slot holds, for changing it.
    pub fn object_mut(&mut self, array: ArrayId) -> &mut Object {
        &mut self.objects[self.slots[array.index()]]
    }
}

/// An access that is about to be executed.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The access in the text.
    pub access: AccessId,
    /// The slot.
    pub array: ArrayId,
    /// The element's index in the array's data.
    pub element: usize,
    /// Whether the access stores.
    pub store: bool,
}

/// Observes a run, and may interfere. Every method does nothing unless it is implemented.
pub trait Hook {
    /// Called when a loop is entered. Returning true makes the iterations of a `for` run from the last to the first.
    fn enter(&mut self, _id: LoopId, _state: &State) -> bool {
        false
    }
    /// Called when an iteration of a `for` begins, the `number`th that runs; its counter is set.
    fn begin(&mut self, _l: &For, _number: u64, _going: Going, _state: &mut State) {}
    /// Called when the condition of a `while` is about to be evaluated for the `number`th time.
    fn ask(&mut self, _id: LoopId, _number: u64) {}
    /// Called when an iteration of a `while` begins.
    fn iterate(&mut self, _id: LoopId) {}
    /// Called when an iteration of a `for` has run, and the loop was not left.
    fn finish(&mut self, _l: &For, _number: u64, _state: &mut State) {}
    /// Called when a `for` ends, after `iterations` iterations or by a `break`.
    fn end(&mut self, _l: &For, _iterations: u64, _state: &mut State) {}
    /// Called when a loop is left, in whatever way.
    fn leave(&mut self, _id: LoopId) {}
    /// Called when an access is executed. If a value is returned, a load finds it instead of the element.
    fn touch(&mut self, _touch: Touch, _state: &State) -> Option<Value> {
        None
    }
}

/// The hook that observes nothing.
impl Hook for () {}

/// The state of a `for`.
#[derive(Clone, Copy, Debug)]
pub struct Going {
    /// The counter's value.
    pub counter: i128,
    /// What the counter grows by in each iteration.
    pub step: i128,
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub enum End<'a> {
    /// The top loop ran to its end.
    Done,
    /// A `return` ended the nest.
    Returned,
    /// The guard of an expression failed.
    FailedExpr(&'a Expr),
    /// The guard of a statement failed.
    FailedStmt(&'a Stmt),
    /// An operation without a guard failed; the text says how.
    Violation(&'static str),
    /// The run took more steps than its budget.
    Budget,
}

/// The reason why a statement is not followed by the next one.
enum Jump<'a> {
    Break(LoopId),
    Continue(LoopId),
    Leave(ScopeId),
    Stop(End<'a>),
}

type Step<'a, T> = Result<T, Jump<'a>>;

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most statements and iterations of the run.
    pub budget: u64,
    /// The most iterations of one launched range of a nest that runs as a whole ([`Nest::whole`]).
    pub range: u64,
}

/// Runs a nest on `state`. Variables that have no value there are unassigned, but hidden bools start as false.
///
/// # Panics
/// If the nest is not as the verifier asks, or has an operation that the interpreter does not know.
pub fn run<'a, H: Hook>(
    nest: &'a Nest,
    state: &mut State,
    limits: Limits,
    hook: &mut H,
) -> End<'a> {
    state.vars.resize(nest.vars.len(), None);
    for (var, decl) in state.vars.iter_mut().zip(nest.vars.values()) {
        if var.is_none() && decl.ty.repr == Scalar::Bool && decl.name.is_empty() {
            *var = Some(Value::Bool(false));
        }
    }
    let mut machine = Machine {
        nest,
        state,
        hook,
        limits,
    };
    let all = nest.prologue.iter().chain([&nest.top]);
    for s in all {
        match machine.stmt(s) {
            Ok(()) => {}
            Err(Jump::Stop(end)) => return end,
            Err(_) => return End::Violation("a jump out of the nest"),
        }
    }
    End::Done
}

struct Machine<'a, 'm, H> {
    nest: &'a Nest,
    state: &'m mut State,
    hook: &'m mut H,
    limits: Limits,
}

fn violation<'a, T>(what: &'static str) -> Step<'a, T> {
    Err(Jump::Stop(End::Violation(what)))
}

/// The end of a run in which `e` fails: a guard failure, or a violation if it has no guard.
fn failed<'a, T>(guard: bool, e: &'a Expr, why: &'static str) -> Step<'a, T> {
    match guard {
        true => Err(Jump::Stop(End::FailedExpr(e))),
        false => violation(why),
    }
}

impl<'a, H: Hook> Machine<'a, '_, H> {
    fn spend(&mut self) -> Step<'a, ()> {
        match self.limits.budget.checked_sub(1) {
            Some(left) => self.limits.budget = left,
            None => return Err(Jump::Stop(End::Budget)),
        }
        Ok(())
    }

    fn block(&mut self, stmts: &'a [Stmt]) -> Step<'a, ()> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, s: &'a Stmt) -> Step<'a, ()> {
        self.spend()?;
        match &s.kind {
            StmtKind::Let { var, value } => {
                let value = self.expr(value)?;
                self.state.vars[var.index()] = Some(value);
            }
            StmtKind::Store {
                access,
                array,
                index,
                value,
                guard,
            } => {
                let index = self.index(index)?;
                let value = self.expr(value)?;
                let Some(element) = self.locate(*array, &index, *guard) else {
                    return self.failed_stmt(*guard, s, "a subscript out of range");
                };
                let decl = &self.nest.arrays[*array];
                let value = match (value, decl.storage) {
                    (Value::Float(f), Scalar::F32) => Value::Float(f64::from(f as f32)),
                    // What is narrower than its values is tested whatever the guard says.
                    (Value::Int(i), storage) if storage.is_int() && !fits(storage, i) => {
                        return self.failed_stmt(true, s, "");
                    }
                    (value, _) => value,
                };
                let touch = Touch {
                    access: *access,
                    array: *array,
                    element,
                    store: true,
                };
                self.hook.touch(touch, self.state);
                self.state.object_mut(*array).data[element] = value;
            }
            StmtKind::Rebind(pairs) => {
                let before = self.state.slots.clone();
                for (dst, src) in pairs {
                    self.state.slots[dst.index()] = before[src.index()];
                }
            }
            StmtKind::If { cond, then, orelse } => {
                let chosen = if self.truth(cond)? { then } else { orelse };
                self.block(chosen)?;
            }
            StmtKind::For(l) => {
                let bounds = [self.int(&l.start)?, self.int(&l.stop)?, self.int(&l.step)?];
                if bounds[2] == 0 {
                    return self.failed_stmt(l.step.as_int().is_none(), s, "a step of zero");
                }
                let backwards = self.hook.enter(l.id, self.state);
                let ran = self.for_loop(l, bounds, backwards);
                self.hook.leave(l.id);
                ran?;
            }
            StmtKind::While(l) => {
                self.hook.enter(l.id, self.state);
                let ran = self.while_loop(l);
                self.hook.leave(l.id);
                ran?;
            }
            StmtKind::Break(id) => return Err(Jump::Break(*id)),
            StmtKind::Continue(id) => return Err(Jump::Continue(*id)),
            StmtKind::Leave(id) => return Err(Jump::Leave(*id)),
            StmtKind::Return => return Err(Jump::Stop(End::Returned)),
            StmtKind::Scope { id, body } => match self.block(body) {
                Err(Jump::Leave(left)) if left == *id => {}
                other => other?,
            },
            StmtKind::Check { cond, guard } => {
                if !self.truth(cond)? {
                    return self.failed_stmt(*guard, s, "a condition that does not hold");
                }
            }
            StmtKind::Eval(e) => {
                self.expr(e)?;
            }
        }
        Ok(())
    }

    fn failed_stmt<T>(&self, guard: bool, s: &'a Stmt, why: &'static str) -> Step<'a, T> {
        match guard {
            true => Err(Jump::Stop(End::FailedStmt(s))),
            false => violation(why),
        }
    }

    /// Runs one iteration; returns false if the loop ends.
    fn iteration(&mut self, id: LoopId, body: &'a [Stmt]) -> Step<'a, bool> {
        self.spend()?;
        match self.block(body) {
            Ok(()) => Ok(true),
            Err(Jump::Continue(l)) if l == id => Ok(true),
            Err(Jump::Break(l)) if l == id => Ok(false),
            Err(jump) => Err(jump),
        }
    }

    fn for_loop(&mut self, l: &'a For, bounds: [i128; 3], backwards: bool) -> Step<'a, ()> {
        let [start, stop, step] = bounds;
        let trips = match step > 0 {
            true => (stop - start + step - 1).max(0) / step,
            false => (start - stop - step - 1).max(0) / -step,
        };
        // A nest that is run whole has its body run once for each launched range.
        let whole = self.nest.whole.filter(|_| l.id == LoopId(0));
        let range = if whole.is_some() {
            i128::from(self.limits.range)
        } else {
            1
        };
        let mut number = 0;
        let mut first = 0;
        while first < trips {
            let at = if backwards { trips - 1 - first } else { first };
            let counter = start + at * step;
            self.state.vars[l.counter.index()] = Some(Value::Int(counter));
            if let Some(end) = whole {
                let end_value = start + trips.min(first + range) * step;
                self.state.vars[end.index()] = Some(Value::Int(end_value));
            }
            let going = Going { counter, step };
            self.hook.begin(l, number, going, self.state);
            if !self.iteration(l.id, &l.body)? {
                break;
            }
            self.hook.finish(l, number, self.state);
            number += 1;
            first += range;
        }
        let iterations = u64::try_from(trips).unwrap_or(u64::MAX);
        self.hook.end(l, iterations, self.state);
        Ok(())
    }

    fn while_loop(&mut self, l: &'a While) -> Step<'a, ()> {
        let mut number = 0;
        loop {
            self.hook.ask(l.id, number);
            if !self.truth(&l.cond)? {
                return Ok(());
            }
            self.hook.iterate(l.id);
            if !self.iteration(l.id, &l.body)? {
                return Ok(());
            }
            number += 1;
        }
    }

    fn index(&mut self, index: &'a [Expr]) -> Step<'a, Vec<i128>> {
        index.iter().map(|e| self.int(e)).collect()
    }

    /// The index of an element in the array's data, if the element exists; a guarded subscript wraps once.
    fn locate(&self, array: ArrayId, index: &[i128], guard: bool) -> Option<usize> {
        let mut at = 0;
        for (subscript, extent) in index.iter().zip(&self.state.object(array).dims) {
            let extent = i128::from(*extent);
            let wrapped = if guard && *subscript < 0 {
                subscript + extent
            } else {
                *subscript
            };
            if wrapped < 0 || wrapped >= extent {
                return None;
            }
            at = at * extent as usize + wrapped as usize;
        }
        Some(at)
    }

    fn int(&mut self, e: &'a Expr) -> Step<'a, i128> {
        match self.expr(e)? {
            Value::Int(v) => Ok(v),
            other => panic!("{e}: {other:?} for an int"),
        }
    }

    fn truth(&mut self, e: &'a Expr) -> Step<'a, bool> {
        match self.expr(e)? {
            Value::Bool(b) => Ok(b),
            other => panic!("{e}: {other:?} as a condition"),
        }
    }

    fn var(&self, var: VarId) -> Step<'a, Value> {
        match self.state.vars[var.index()] {
            Some(value) => Ok(value),
            None => violation("unassigned variable"),
        }
    }

    fn expr(&mut self, e: &'a Expr) -> Step<'a, Value> {
        Ok(match &e.kind {
            ExprKind::Const(c) => constant(*c, e),
            ExprKind::Var(v) => self.var(*v)?,
            ExprKind::Dim(array, axis) => {
                Value::Int(self.state.object(*array).dims[*axis as usize].into())
            }
            ExprKind::Load {
                access,
                array,
                index,
                guard,
            } => {
                let index = self.index(index)?;
                let Some(element) = self.locate(*array, &index, *guard) else {
                    return failed(*guard, e, "a subscript out of range");
                };
                let touch = Touch {
                    access: *access,
                    array: *array,
                    element,
                    store: false,
                };
                match self.hook.touch(touch, self.state) {
                    Some(other) => other,
                    None => self.state.object(*array).data[element],
                }
            }
            ExprKind::Unary { op, a, guard } => operations::unary(*op, self.expr(a)?, e, *guard)?,
            ExprKind::Binary { op, a, b, guard } => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                operations::binary(*op, x, y, e, *guard)?
            }
            ExprKind::Compare { op, a, b } => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                Value::Bool(operations::compare(*op, x, y))
            }
            ExprKind::Select { cond, then, orelse } => {
                let chosen = if self.truth(cond)? { then } else { orelse };
                self.expr(chosen)?
            }
            ExprKind::Cast { kind, a, guard } => operations::cast(*kind, self.expr(a)?, e, *guard)?,
            // NumPy's own loops are not at hand.
            ExprKind::Call {
                fun: Fun::Pow,
                lib: Lib::Numpy,
                ..
            } => return failed(true, e, ""),
            ExprKind::Call {
                fun, args, guard, ..
            } => {
                let mut values = vec![];
                for a in args {
                    match self.expr(a)? {
                        Value::Float(f) => values.push(f),
                        other => panic!("{e}: {other:?} for a float"),
                    }
                }
                operations::call(*fun, &values, e, *guard)?
            }
            // CPython is not at hand.
            ExprKind::HostCall { .. } => return failed(true, e, ""),
            ExprKind::Bind { var, value, body } => {
                let value = self.expr(value)?;
                self.state.vars[var.index()] = Some(value);
                self.expr(body)?
            }
        })
    }
}

fn constant(c: Const, e: &Expr) -> Value {
    match c {
        Const::Bool(b) => Value::Bool(b),
        Const::Int(i) => {
            let number = matches!(e.ty.repr, Scalar::Char | Scalar::Num);
            assert!(number || fits(e.ty.repr, i), "{e} does not fit");
            match e.ty.repr {
                Scalar::Num => Value::Num(i as f64, true),
                _ => Value::Int(i),
            }
        }
        Const::Float(f) if e.ty.repr == Scalar::F32 => {
            assert!(f.is_nan() || f64::from(f as f32) == f, "{e} is no f32");
            Value::Float(f)
        }
        Const::Float(f) if e.ty.repr == Scalar::Num => Value::Num(f, false),
        Const::Float(f) => Value::Float(f),
        Const::Complex(re, im) => Value::Complex(re, im),
    }
}
