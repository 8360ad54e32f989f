//! A small evaluator of typed nests: the meaning that `nestwise_ir::model::nest` documents, one element at a time.
//!
//! An operation without a guard that would need one is a failure of the test (a panic), not a guard failure.

pub(crate) mod operations;

use std::collections::HashMap;

use nestwise_ir::model::nest::{Const, Expr, ExprKind, Fun, Stmt, StmtKind};
use nestwise_ir::{ArrayId, Nest, Scalar, VarId};

use crate::lowering::tests::eval::operations::{binary, call, cast, compare, fits, unary};

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum V {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
    /// Value, and whether it is an int.
    Num(f64, bool),
}

/// An array's memory.
#[derive(Clone, Debug)]
pub struct Memory {
    pub dims: Vec<usize>,
    pub data: Vec<V>,
}

/// Why evaluation stopped.
pub(crate) enum Stop {
    GuardFailure,
    Break(u32),
    Continue(u32),
    Leave(u32),
    Return,
}

type E<T> = Result<T, Stop>;

pub struct Machine<'a> {
    nest: &'a Nest,
    /// The memory of each capture.
    pub memory: HashMap<u32, Memory>,
    /// The capture whose object each slot holds.
    pub slots: Vec<u32>,
    pub vars: Vec<Option<V>>,
    pub returned: bool,
    /// Iterations of the top loop.
    pub trips: u64,
    fuel: u64,
}

impl<'a> Machine<'a> {
    pub fn new(
        nest: &'a Nest,
        memory: HashMap<u32, Memory>,
        live_in: &HashMap<u32, V>,
    ) -> Machine<'a> {
        let slots = nest.arrays.values().map(|a| a.capture).collect();
        let mut vars: Vec<Option<V>> = Vec::new();
        for decl in nest.vars.values() {
            let entry = decl.live_in.map(|c| enter(live_in[&c], decl.ty.repr));
            // Hidden bools start as false.
            let zero =
                (decl.ty.repr == Scalar::Bool && decl.name.is_empty()).then_some(V::Bool(false));
            vars.push(entry.or(zero));
        }
        Machine {
            nest,
            memory,
            slots,
            vars,
            returned: false,
            trips: 0,
            fuel: 20_000_000,
        }
    }

    /// Runs the nest; false: a guard failed.
    pub fn run(&mut self) -> bool {
        let nest = self.nest;
        let result = self
            .block(&nest.prologue)
            .and_then(|()| self.stmt(&nest.top));
        match result {
            Ok(()) => true,
            Err(Stop::Return) => {
                self.returned = true;
                true
            }
            Err(Stop::GuardFailure) => false,
            Err(_) => panic!("a jump out of the nest"),
        }
    }

    fn block(&mut self, stmts: &[Stmt]) -> E<()> {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, stmt: &Stmt) -> E<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::GuardFailure)?;
        match &stmt.kind {
            StmtKind::Let { var, value } => {
                let v = self.expr(value)?;
                self.vars[var.index()] = Some(v);
            }
            StmtKind::Store {
                array,
                index,
                value,
                guard,
                ..
            } => {
                let value_ty = value.ty.repr;
                // The value is evaluated before the subscripts; neither order is observable without guard failures.
                let v = self.expr(value)?;
                let at = self.locate(*array, index, *guard)?;
                let decl = &self.nest.arrays[*array];
                assert_eq!(value_ty, decl.elem.repr);
                let v = match (v, decl.storage) {
                    (V::Float(f), Scalar::F32) => V::Float(f64::from(f as f32)),
                    (V::Int(i), s) if s.is_int() => {
                        assert!(fits(s, i), "an int that the storage does not hold");
                        V::Int(i)
                    }
                    (v, _) => v,
                };
                self.object(*array).data[at] = v;
            }
            StmtKind::Rebind(pairs) => {
                let before = self.slots.clone();
                for (dst, src) in pairs {
                    self.slots[dst.index()] = before[src.index()];
                }
            }
            StmtKind::If { cond, then, orelse } => {
                let cond = self.truth(cond)?;
                return self.block(if cond { then } else { orelse });
            }
            StmtKind::For(l) => {
                let (V::Int(mut k), V::Int(stop), V::Int(step)) = (
                    self.expr(&l.start)?,
                    self.expr(&l.stop)?,
                    self.expr(&l.step)?,
                ) else {
                    panic!("bounds")
                };
                if step == 0 {
                    return Err(Stop::GuardFailure);
                }
                while if step > 0 { k < stop } else { k > stop } {
                    self.trips += u64::from(l.id.0 == 0);
                    self.vars[l.counter.index()] = Some(V::Int(k));
                    match self.block(&l.body) {
                        Err(Stop::Break(id)) if id == l.id.0 => return Ok(()),
                        Err(Stop::Continue(id)) if id == l.id.0 => {}
                        other => other?,
                    }
                    k += step;
                }
            }
            StmtKind::While(l) => {
                while self.truth(&l.cond)? {
                    self.fuel = self.fuel.checked_sub(1).ok_or(Stop::GuardFailure)?;
                    self.trips += u64::from(l.id.0 == 0);
                    match self.block(&l.body) {
                        Err(Stop::Break(id)) if id == l.id.0 => return Ok(()),
                        Err(Stop::Continue(id)) if id == l.id.0 => {}
                        other => other?,
                    }
                }
            }
            StmtKind::Break(id) => return Err(Stop::Break(id.0)),
            StmtKind::Continue(id) => return Err(Stop::Continue(id.0)),
            StmtKind::Scope { id, body } => match self.block(body) {
                Err(Stop::Leave(s)) if s == id.0 => {}
                other => other?,
            },
            StmtKind::Leave(id) => return Err(Stop::Leave(id.0)),
            StmtKind::Return => return Err(Stop::Return),
            StmtKind::Check { cond, .. } => {
                if !self.truth(cond)? {
                    return Err(Stop::GuardFailure);
                }
            }
            StmtKind::Eval(e) => {
                self.expr(e)?;
            }
        }
        Ok(())
    }

    fn object(&mut self, array: ArrayId) -> &mut Memory {
        self.memory
            .get_mut(&self.slots[array.index()])
            .expect("memory")
    }

    fn locate(&mut self, array: ArrayId, index: &[Expr], guard: bool) -> E<usize> {
        let mut at = 0;
        for (axis, e) in index.iter().enumerate() {
            let V::Int(mut k) = self.expr(e)? else {
                panic!("an index")
            };
            let dim = self.object(array).dims[axis] as i128;
            if guard && k < 0 {
                k += dim;
            }
            if k < 0 || k >= dim {
                assert!(guard, "an unguarded index out of range");
                return Err(Stop::GuardFailure);
            }
            at = at * dim as usize + k as usize;
        }
        Ok(at)
    }

    fn truth(&mut self, e: &Expr) -> E<bool> {
        match self.expr(e)? {
            V::Bool(b) => Ok(b),
            other => panic!("{e}: {other:?} as a condition"),
        }
    }

    pub fn var(&self, var: VarId) -> V {
        self.vars[var.index()].unwrap_or_else(|| panic!("{var} has no value"))
    }

    fn expr(&mut self, e: &Expr) -> E<V> {
        Ok(match &e.kind {
            ExprKind::Const(c) => match *c {
                Const::Bool(b) => V::Bool(b),
                Const::Int(i) => {
                    assert!(e.ty.repr == Scalar::Char || fits(e.ty.repr, i), "{e}");
                    V::Int(i)
                }
                Const::Float(f) if e.ty.repr == Scalar::F32 => {
                    assert!(f.is_nan() || f64::from(f as f32) == f, "{e} is no f32");
                    V::Float(f)
                }
                Const::Float(f) => V::Float(f),
                Const::Complex(re, im) => V::Complex(re, im),
            },
            ExprKind::Var(v) => self.var(*v),
            ExprKind::Dim(array, axis) => V::Int(self.object(*array).dims[*axis as usize] as i128),
            ExprKind::Load {
                array,
                index,
                guard,
                ..
            } => {
                let at = self.locate(*array, index, *guard)?;
                self.object(*array).data[at]
            }
            ExprKind::Unary { op, a, guard } => {
                let v = self.expr(a)?;
                unary(*op, v, e, *guard)?
            }
            ExprKind::Binary { op, a, b, guard } => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                binary(*op, x, y, e, *guard)?
            }
            ExprKind::Compare { op, a, b } => {
                let (x, y) = (self.expr(a)?, self.expr(b)?);
                V::Bool(compare(*op, x, y))
            }
            ExprKind::Select { cond, then, orelse } => {
                let cond = self.truth(cond)?;
                self.expr(if cond { then } else { orelse })?
            }
            ExprKind::Cast { kind, a, guard } => {
                let v = self.expr(a)?;
                cast(*kind, v, e, *guard)?
            }
            // NumPy's own loops are not at hand here.
            ExprKind::Call {
                fun: Fun::Pow,
                lib: nestwise_ir::Lib::Numpy,
                ..
            } => return Err(Stop::GuardFailure),
            ExprKind::Call {
                fun, args, guard, ..
            } => {
                let mut values = Vec::new();
                for a in args {
                    let V::Float(f) = self.expr(a)? else {
                        panic!("{e}")
                    };
                    values.push(f);
                }
                call(*fun, &values, e, *guard)?
            }
            ExprKind::Bind { var, value, body } => {
                let v = self.expr(value)?;
                self.vars[var.index()] = Some(v);
                self.expr(body)?
            }
        })
    }
}

/// Whether a live-in keeps its value in the representation of its variable.
pub fn enters(v: V, repr: Scalar) -> bool {
    match (v, repr) {
        (V::Float(f), Scalar::F32) => f64::from(f as f32) == f || f.is_nan(),
        (V::Int(i), Scalar::F32) => i.abs() <= 1 << 24,
        (V::Int(i), Scalar::F64 | Scalar::C128 | Scalar::Num) => i.abs() <= 1 << 53,
        (V::Int(i), s) if s.is_int() => fits(s, i),
        _ => true,
    }
}

/// A live-in in the representation of its variable.
fn enter(v: V, repr: Scalar) -> V {
    match (v, repr) {
        (V::Bool(b), s) if s.is_int() => V::Int(b.into()),
        (V::Bool(b), Scalar::F64 | Scalar::F32) => V::Float(b.into()),
        (V::Bool(b), Scalar::C128) => V::Complex(b.into(), 0.0),
        (V::Int(i), Scalar::F64 | Scalar::F32) => V::Float(i as f64),
        (V::Int(i), Scalar::C128) => V::Complex(i as f64, 0.0),
        (V::Float(f), Scalar::C128) => V::Complex(f, 0.0),
        (V::Int(i), Scalar::Num) => V::Num(i as f64, true),
        (V::Float(f), Scalar::Num) => V::Num(f, false),
        (v, _) => v,
    }
}
