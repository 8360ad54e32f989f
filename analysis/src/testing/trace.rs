//! An interpreter for typed nests that records every access. It knows ints, `f64` and bools: what tests use.

use std::collections::HashMap;

use nestwise_ir::model::nest::*;
use nestwise_ir::{AccessId, ArrayId, LoopId, Scalar, ScopeId, VarId};

use crate::guards::{GuardId, numbering};
use crate::values::interval::floor_div;

/// A scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    Int(i128),
    Float(f64),
    Bool(bool),
}

/// Arrays and variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// By slot: row-major elements.
    pub data: Vec<Vec<Value>>,
    /// By slot: extents.
    pub dims: Vec<Vec<i64>>,
    /// By variable.
    pub vars: Vec<Option<Value>>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    Done,
    Broke,
    Returned,
    /// A guarded operation fired.
    Event(GuardId),
    /// An unguarded operation did what it must not.
    Violation(&'static str),
    /// Too many steps.
    Budget,
}

/// One access.
#[derive(Clone, Debug)]
#[allow(dead_code)] // what only messages show
pub struct Touch {
    pub access: AccessId,
    /// The array behind the slot at that time.
    pub object: usize,
    pub element: usize,
    pub store: bool,
    /// Iteration numbers of the enclosing loops, outermost first.
    pub iterations: Vec<(LoopId, u64)>,
    /// How far along each of these loops is: its counter, negated if it goes down; of a `while` the iteration number.
    pub along: Vec<i128>,
    /// The top loop's counter.
    pub top: Option<i128>,
    /// Counters of the `for` loops around it, outermost first.
    pub counters: Vec<(LoopId, i128)>,
    /// Position per axis.
    pub index: Vec<i64>,
}

/// What happened.
pub struct Trace {
    pub outcome: Outcome,
    pub touches: Vec<Touch>,
    pub memory: Memory,
    /// Loops that were entered and had no iteration.
    pub idle: Vec<LoopId>,
}

/// Another order for the iterations of one `for`: the last one first, the others in reverse.
#[derive(Clone)]
pub struct Reversed {
    /// The loop.
    pub id: LoopId,
    /// Variables that get their values of the last iteration.
    pub last: Vec<VarId>,
    /// Arrays on which the last iteration works, and each other one on a copy that starts with what nobody wrote.
    pub private: Vec<ArrayId>,
    /// Loads that find what was in the array when the loop was entered.
    pub renamed: Vec<(ArrayId, Vec<AccessId>)>,
}

/// Runs a nest.
pub fn run(nest: &Nest, memory: Memory) -> Trace {
    start(nest, memory, None, usize::MAX)
}

/// Runs a nest; if its top loop is run whole, at most `range` of its iterations at a time.
pub fn run_ranges(nest: &Nest, memory: Memory, range: usize) -> Trace {
    start(nest, memory, None, range)
}

/// Runs a nest, the iterations of one loop in another order.
pub fn run_reversed(nest: &Nest, memory: Memory, reversed: Option<Reversed>) -> Trace {
    start(nest, memory, reversed, usize::MAX)
}

fn start(nest: &Nest, mut memory: Memory, reversed: Option<Reversed>, range: usize) -> Trace {
    memory.vars.resize(nest.vars.len(), None);
    let mut m = Machine {
        reversed,
        before: vec![],
        whole: nest.whole.map(|end| (end, range)),
        ends: vec![],
        top: None,
        counters: vec![],
        numbers: numbering(nest),
        slots: (0..nest.arrays.len()).collect(),
        memory,
        touches: vec![],
        idle: vec![],
        loops: vec![],
        along: vec![],
        budget: 200_000,
    };
    let mut all: Vec<&Stmt> = nest.prologue.iter().collect();
    all.push(&nest.top);
    let mut outcome = Outcome::Done;
    for s in all {
        match m.stmt(s) {
            Ok(()) => {}
            Err(Jump::Stop(o)) => {
                outcome = o;
                break;
            }
            Err(Jump::Return) => outcome = Outcome::Returned,
            Err(_) => outcome = Outcome::Violation("stray jump"),
        }
    }
    if m.slots.iter().enumerate().any(|(i, s)| i != *s) {
        let (data, dims) = (m.memory.data.clone(), m.memory.dims.clone());
        for (slot, object) in m.slots.iter().enumerate() {
            m.memory.data[slot] = data[*object].clone();
            m.memory.dims[slot] = dims[*object].clone();
        }
    }
    Trace {
        outcome,
        touches: m.touches,
        memory: m.memory,
        idle: m.idle,
    }
}

/// Values that no nest of the tests computes.
fn poison(data: &mut [Value]) {
    for v in data {
        *v = match v {
            Value::Int(_) => Value::Int(987_654_321),
            Value::Float(_) => Value::Float(1.25e77),
            Value::Bool(b) => Value::Bool(!*b),
        };
    }
}

enum Jump {
    Break(LoopId),
    Continue(LoopId),
    Leave(ScopeId),
    Return,
    Stop(Outcome),
}

struct Machine {
    reversed: Option<Reversed>,
    /// By renamed array of the open reversed loop: what was in it.
    before: Vec<(ArrayId, Vec<Value>)>,
    /// The end of a range that the top loop runs whole, and how many iterations one has.
    whole: Option<(VarId, usize)>,
    /// Its value in each of those ranges.
    ends: Vec<(VarId, i128)>,
    top: Option<i128>,
    /// The value of each counter, by loop.
    counters: Vec<(LoopId, i128)>,
    numbers: HashMap<usize, GuardId>,
    slots: Vec<usize>,
    memory: Memory,
    touches: Vec<Touch>,
    idle: Vec<LoopId>,
    loops: Vec<(LoopId, u64)>,
    along: Vec<i128>,
    budget: u64,
}

type Step<T> = Result<T, Jump>;

impl Machine {
    fn fire<T>(&self, address: usize, guard: bool, why: &'static str) -> Step<T> {
        Err(Jump::Stop(match guard {
            true => Outcome::Event(self.numbers[&address]),
            false => Outcome::Violation(why),
        }))
    }

    fn block(&mut self, stmts: &[Stmt]) -> Step<()> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, s: &Stmt) -> Step<()> {
        let address = crate::guards::stmt_key(s);
        self.budget = match self.budget.checked_sub(1) {
            Some(b) => b,
            None => return Err(Jump::Stop(Outcome::Budget)),
        };
        match &s.kind {
            StmtKind::Let { var, value } => {
                let v = self.expr(value)?;
                self.memory.vars[var.index()] = Some(v);
            }
            StmtKind::Store {
                access,
                array,
                index,
                value,
                guard,
            } => {
                let index = self.ints(index)?;
                let v = self.expr(value)?;
                let at = self.locate(*array, &index, *guard, address)?;
                let object = self.touch(*access, *array, at, true);
                self.memory.data[object][at] = v;
            }
            StmtKind::Rebind(moves) => {
                let old = self.slots.clone();
                for (dst, src) in moves {
                    self.slots[dst.index()] = old[src.index()];
                }
            }
            StmtKind::If { cond, then, orelse } => {
                let block = if self.truth(cond)? { then } else { orelse };
                self.block(block)?;
            }
            StmtKind::For(l) => self.for_loop(l)?,
            StmtKind::While(l) => {
                self.loops.push((l.id, 0));
                while self.truth(&l.cond)? {
                    let number = self.loops.last().map_or(0, |l| l.1);
                    self.go_along(number.into());
                    if !self.iteration(l.id, &l.body)? {
                        break;
                    }
                }
                self.loops.pop();
            }
            StmtKind::Break(l) => return Err(Jump::Break(*l)),
            StmtKind::Continue(l) => return Err(Jump::Continue(*l)),
            StmtKind::Leave(s) => return Err(Jump::Leave(*s)),
            StmtKind::Return => return Err(Jump::Return),
            StmtKind::Scope { id, body } => {
                let depth = self.loops.len();
                match self.block(body) {
                    Err(Jump::Leave(s)) if s == *id => self.loops.truncate(depth),
                    other => other?,
                }
            }
            StmtKind::Check { cond, guard } => {
                if !self.truth(cond)? {
                    return self.fire(address, *guard, "check");
                }
            }
            StmtKind::Eval(e) => {
                self.expr(e)?;
            }
        }
        Ok(())
    }

    /// One iteration; false: the loop ends.
    /// Takes the variables' values of an iteration away, and keeps the first ones.
    fn take_last(&mut self, last: &[VarId], finals: &mut Vec<(VarId, Option<Value>)>) {
        for v in last {
            let value = self.memory.vars[v.index()].take();
            if value.is_some() && !finals.iter().any(|f| f.0 == *v) {
                finals.push((*v, value));
            }
        }
    }

    /// The innermost loop begins an iteration.
    fn go_along(&mut self, here: i128) {
        self.along.truncate(self.loops.len() - 1);
        self.along.push(here);
    }

    fn iteration(&mut self, id: LoopId, body: &[Stmt]) -> Step<bool> {
        let depth = self.loops.len();
        let out = match self.block(body) {
            Ok(()) => Ok(true),
            Err(Jump::Continue(l)) if l == id => Ok(true),
            Err(Jump::Break(l)) if l == id => Ok(false),
            Err(j) => Err(j),
        };
        self.loops.truncate(depth);
        if let Some(top) = self.loops.last_mut() {
            top.1 += 1;
        }
        out
    }

    fn for_loop(&mut self, l: &For) -> Step<()> {
        let start = self.int(&l.start)?;
        let stop = self.int(&l.stop)?;
        let step = self.int(&l.step)?;
        if step == 0 {
            return Err(Jump::Stop(Outcome::Violation("step 0")));
        }
        self.loops.push((l.id, 0));
        let mut values = vec![];
        let mut c = start;
        while ((step > 0 && c < stop) || (step < 0 && c > stop)) && values.len() < 10_000 {
            values.push(c);
            c += step;
        }
        if values.is_empty() {
            self.idle.push(l.id);
        }
        let reversed = self.reversed.clone().filter(|r| r.id == l.id);
        if let Some(r) = &reversed {
            values.reverse();
            let data = |a: &ArrayId| self.memory.data[self.slots[a.index()]].clone();
            let arrays = r.renamed.iter();
            self.before = arrays.map(|(a, _)| (*a, data(a))).collect();
        }
        if let Some((end, range)) = self.whole.filter(|_| self.loops.len() == 1) {
            // The body runs for the first of each range.
            let first = values.iter().copied().step_by(range).collect();
            let last = values.last().map(|c| c + step);
            let values = std::mem::replace(&mut values, first);
            self.ends = (values.iter().copied().step_by(range).skip(1))
                .chain(last)
                .map(|c| (end, c))
                .collect();
        }
        // What is left behind: of variables the values of the first iteration, in this order, that assigns them.
        let mut finals: Vec<(VarId, Option<Value>)> = vec![];
        let last = reversed.iter().flat_map(|r| &r.last);
        let before: Vec<_> = last.map(|v| (*v, self.memory.vars[v.index()])).collect();
        let mut kept = vec![];
        for (k, c) in values.into_iter().enumerate() {
            self.memory.vars[l.counter.index()] = Some(Value::Int(c));
            if self.loops.len() == 1 {
                self.top = Some(c);
                if let Some((end, c)) = self.ends.get(k) {
                    self.memory.vars[end.index()] = Some(Value::Int(*c));
                }
            }
            self.go_along(c * step.signum());
            self.counters.retain(|(id, _)| *id != l.id);
            self.counters.push((l.id, c));
            if let Some(r) = &reversed {
                r.last
                    .iter()
                    .for_each(|v| self.memory.vars[v.index()] = None);
            }
            if let (Some(r), true) = (&reversed, k > 0) {
                r.private
                    .iter()
                    .for_each(|a| poison(&mut self.memory.data[self.slots[a.index()]]));
            }
            if !self.iteration(l.id, &l.body)? {
                break;
            }
            if let Some(r) = &reversed {
                self.take_last(&r.last, &mut finals);
            }
            if let (Some(r), 0) = (&reversed, k) {
                let data = |a: &ArrayId| {
                    (
                        self.slots[a.index()],
                        self.memory.data[self.slots[a.index()]].clone(),
                    )
                };
                kept = r.private.iter().map(data).collect();
            }
        }
        for (v, value) in before.into_iter().chain(finals) {
            self.memory.vars[v.index()] = value;
        }
        for (object, data) in kept {
            self.memory.data[object] = data;
        }
        if reversed.is_some() {
            self.before.clear();
        }
        self.loops.pop();
        Ok(())
    }

    /// What a renamed load finds.
    fn as_it_was(&self, access: AccessId, array: ArrayId) -> Option<&Vec<Value>> {
        let renamed = self.reversed.iter().flat_map(|r| &r.renamed);
        renamed
            .filter(|(_, reads)| reads.contains(&access))
            .find_map(|_| self.before.iter().find(|b| b.0 == array).map(|b| &b.1))
    }

    fn locate(&self, a: ArrayId, index: &[i128], guard: bool, address: usize) -> Step<usize> {
        let dims = &self.memory.dims[self.slots[a.index()]];
        let mut at = 0;
        for (i, d) in index.iter().zip(dims) {
            let d = i128::from(*d);
            let i = if *i < 0 && guard { i + d } else { *i };
            if i < 0 || i >= d {
                return self.fire(address, guard, "index");
            }
            at = at * d as usize + i as usize;
        }
        Ok(at)
    }

    fn touch(&mut self, access: AccessId, array: ArrayId, element: usize, store: bool) -> usize {
        let object = self.slots[array.index()];
        let iterations = self.loops.clone();
        let mut index = vec![];
        let mut rest = element as i64;
        for d in self.memory.dims[object].iter().rev() {
            index.insert(0, rest % d);
            rest /= d;
        }
        let top = self.top;
        let around = |(id, _): &&(LoopId, i128)| iterations.iter().any(|(l, _)| l == id);
        let counters = self.counters.iter().filter(around).copied().collect();
        self.touches.push(Touch {
            access,
            object,
            element,
            store,
            along: self.along[..iterations.len()].to_vec(),
            iterations,
            top,
            counters,
            index,
        });
        object
    }

    fn ints(&mut self, es: &[Expr]) -> Step<Vec<i128>> {
        es.iter().map(|e| self.int(e)).collect()
    }
    fn int(&mut self, e: &Expr) -> Step<i128> {
        Ok(match self.expr(e)? {
            Value::Int(v) => v,
            Value::Bool(b) => b.into(),
            Value::Float(_) => panic!("an int"),
        })
    }
    fn float(&mut self, e: &Expr) -> Step<f64> {
        match self.expr(e)? {
            Value::Float(v) => Ok(v),
            _ => panic!("a float"),
        }
    }
    fn truth(&mut self, e: &Expr) -> Step<bool> {
        match self.expr(e)? {
            Value::Bool(b) => Ok(b),
            _ => panic!("a bool"),
        }
    }

    fn expr(&mut self, e: &Expr) -> Step<Value> {
        let address = crate::guards::expr_key(e);
        let range = e.ty.repr.int_range();
        let fit = |m: &Self, v: Option<i128>, guard: bool| match v.zip(range) {
            Some((v, (lo, hi))) if lo <= v && v <= hi => Ok(Value::Int(v)),
            _ => m.fire(address, guard, "overflow"),
        };
        Ok(match &e.kind {
            ExprKind::Const(Const::Int(v)) => Value::Int(*v),
            ExprKind::Const(Const::Float(v)) => Value::Float(*v),
            ExprKind::Const(Const::Bool(b)) => Value::Bool(*b),
            ExprKind::Const(_) => panic!("constant"),
            ExprKind::Var(v) => self.var(*v)?,
            ExprKind::Dim(a, k) => {
                Value::Int(self.memory.dims[self.slots[a.index()]][*k as usize].into())
            }
            ExprKind::Load {
                access,
                array,
                index,
                guard,
            } => {
                let index = self.ints(index)?;
                let at = self.locate(*array, &index, *guard, address)?;
                let object = self.touch(*access, *array, at, false);
                match self.as_it_was(*access, *array) {
                    Some(data) => data[at],
                    None => self.memory.data[object][at],
                }
            }
            ExprKind::Unary { op, a, guard } => match (op, self.expr(a)?) {
                (UnOp::Neg, Value::Int(v)) => fit(self, v.checked_neg(), *guard)?,
                (UnOp::Abs, Value::Int(v)) => fit(self, v.checked_abs(), *guard)?,
                (UnOp::Neg, Value::Float(v)) => Value::Float(-v),
                (UnOp::Abs, Value::Float(v)) => Value::Float(v.abs()),
                (_, Value::Bool(b)) => Value::Bool(!b),
                _ => panic!("unary"),
            },
            ExprKind::Binary { op, a, b, guard } if e.ty.repr.is_int() => {
                let (x, y) = (self.int(a)?, self.int(b)?);
                fit(self, int_op(*op, x, y), *guard)?
            }
            ExprKind::Binary {
                op: BinOp::And,
                a,
                b,
                ..
            } if e.ty.repr == Scalar::Bool => {
                let (x, y) = (self.truth(a)?, self.truth(b)?);
                Value::Bool(x && y)
            }
            ExprKind::Binary { op, a, b, guard } => {
                let (x, y) = (self.float(a)?, self.float(b)?);
                if matches!(op, BinOp::Div | BinOp::Mod | BinOp::FloorDiv) && y == 0.0 {
                    return self.fire(address, *guard, "division");
                }
                Value::Float(match op {
                    BinOp::Add => x + y,
                    BinOp::Sub => x - y,
                    BinOp::Mul => x * y,
                    BinOp::Div => x / y,
                    _ => panic!("float {op:?}"),
                })
            }
            ExprKind::Compare { op, a, b } => {
                let order = match (self.expr(a)?, self.expr(b)?) {
                    (Value::Int(x), Value::Int(y)) => Some(x.cmp(&y)),
                    (Value::Float(x), Value::Float(y)) => x.partial_cmp(&y),
                    _ => panic!("compare"),
                };
                use std::cmp::Ordering::{Equal, Greater, Less};
                Value::Bool(match op {
                    CmpOp::Eq => order == Some(Equal),
                    CmpOp::Ne => order != Some(Equal),
                    CmpOp::Lt => order == Some(Less),
                    CmpOp::Le => matches!(order, Some(Less | Equal)),
                    CmpOp::Gt => order == Some(Greater),
                    CmpOp::Ge => matches!(order, Some(Greater | Equal)),
                })
            }
            ExprKind::Select { cond, then, orelse } => {
                let side = if self.truth(cond)? { then } else { orelse };
                self.expr(side)?
            }
            ExprKind::Cast { kind, a, guard } => match (kind, self.expr(a)?) {
                (Cast::Value, Value::Int(v)) if e.ty.repr.is_int() => fit(self, Some(v), *guard)?,
                (Cast::Value, Value::Bool(b)) if e.ty.repr.is_int() => Value::Int(b.into()),
                (Cast::Value, Value::Bool(b)) => Value::Float(f64::from(u8::from(b))),
                (Cast::Value, Value::Int(v)) => {
                    if *guard && v.abs() > 1 << 53 {
                        return self.fire(address, true, "cast");
                    }
                    Value::Float(v as f64)
                }
                (Cast::Value, v @ Value::Float(_)) => v,
                (Cast::Trunc, Value::Float(v)) => {
                    if v.is_nan() || v.abs() >= 1e30 {
                        return self.fire(address, *guard, "trunc");
                    }
                    fit(self, Some(v.trunc() as i128), *guard)?
                }
                _ => panic!("cast"),
            },
            ExprKind::Call { args, guard, .. } => {
                let x = self.float(&args[0])?;
                if x < 0.0 {
                    return self.fire(address, *guard, "sqrt");
                }
                Value::Float(x.sqrt())
            }
            ExprKind::Bind { var, value, body } => {
                let v = self.expr(value)?;
                self.memory.vars[var.index()] = Some(v);
                self.expr(body)?
            }
        })
    }

    fn var(&self, v: VarId) -> Step<Value> {
        match self.memory.vars[v.index()] {
            Some(v) => Ok(v),
            None => Err(Jump::Stop(Outcome::Violation("unassigned variable"))),
        }
    }
}

fn int_op(op: BinOp, x: i128, y: i128) -> Option<i128> {
    match op {
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::FloorDiv => (y != 0).then(|| floor_div(x, y)),
        BinOp::Mod => (y != 0).then(|| x - floor_div(x, y) * y),
        BinOp::And => Some(x & y),
        BinOp::Or => Some(x | y),
        BinOp::Xor => Some(x ^ y),
        BinOp::Shl => (0..64)
            .contains(&y)
            .then(|| x.checked_mul(1 << y))
            .flatten(),
        BinOp::Shr => (y >= 0).then(|| x >> y.min(127)),
        BinOp::Min => Some(x.min(y)),
        BinOp::Max => Some(x.max(y)),
        _ => None,
    }
}
