//! Runs nests on the values of captures, by the reference interpreter.

use std::collections::HashMap;

use nestwise_ir::interpreter::{self, End, Going, Hook, Limits, Object, State};
use nestwise_ir::model::nest::For;
use nestwise_ir::{LoopId, Nest, Scalar, VarId};

pub use nestwise_ir::interpreter::Value as V;
use nestwise_ir::interpreter::fits;

/// An array's memory.
#[derive(Clone, Debug)]
pub struct Memory {
    pub dims: Vec<usize>,
    pub data: Vec<V>,
}

/// A nest, and what it runs on.
pub struct Machine<'a> {
    nest: &'a Nest,
    /// The memory of each capture.
    pub memory: HashMap<u32, Memory>,
    /// The capture whose object each slot holds.
    pub slots: Vec<u32>,
    pub vars: Vec<Option<V>>,
    pub returned: bool,
    /// The number of iterations of the top loop.
    pub trips: u64,
}

/// Counts the iterations of the top loop.
struct Trips(u64);

impl Hook for Trips {
    fn begin(&mut self, l: &For, _: u64, _: Going, _: &mut State) {
        self.0 += u64::from(l.id == LoopId(0));
    }
    fn iterate(&mut self, id: LoopId) {
        self.0 += u64::from(id == LoopId(0));
    }
}

impl<'a> Machine<'a> {
    pub fn new(
        nest: &'a Nest,
        memory: HashMap<u32, Memory>,
        live_in: &HashMap<u32, V>,
    ) -> Machine<'a> {
        let slots = nest.arrays.values().map(|a| a.capture).collect();
        let entry = |decl: &nestwise_ir::VarDecl| {
            let captured = decl.live_in.map(|c| live_in[&c]);
            captured.map(|v| enter(v, decl.ty.repr))
        };
        Machine {
            nest,
            memory,
            slots,
            vars: nest.vars.values().map(entry).collect(),
            returned: false,
            trips: 0,
        }
    }

    /// Runs the nest; returns false if a guard failed.
    ///
    /// # Panics
    /// Panics if an operation without a guard needed one.
    pub fn run(&mut self) -> bool {
        let mut captures: Vec<u32> = self.memory.keys().copied().collect();
        captures.sort();
        let place = |c: &u32| captures.iter().position(|k| k == c).expect("memory");
        let object = |c: &u32| {
            let memory = &self.memory[c];
            Object {
                dims: memory.dims.iter().map(|d| *d as i64).collect(),
                data: memory.data.clone(),
            }
        };
        let mut state = State {
            objects: captures.iter().map(object).collect(),
            slots: self.slots.iter().map(place).collect(),
            vars: std::mem::take(&mut self.vars),
        };
        let limits = Limits {
            budget: 20_000_000,
            range: u64::MAX,
        };
        let mut trips = Trips(0);
        let end = interpreter::run(self.nest, &mut state, limits, &mut trips);
        self.trips = trips.0;
        self.slots = state.slots.iter().map(|at| captures[*at]).collect();
        self.vars = state.vars;
        for (capture, object) in captures.iter().zip(state.objects) {
            self.memory.get_mut(capture).expect("memory").data = object.data;
        }
        match end {
            End::Done => true,
            End::Returned => {
                self.returned = true;
                true
            }
            End::FailedExpr(_) | End::FailedStmt(_) | End::Budget => false,
            End::Violation(what) => panic!("unguarded: {what}\n{}", self.nest),
        }
    }

    pub fn var(&self, var: VarId) -> V {
        self.vars[var.index()].unwrap_or_else(|| panic!("{var} has no value"))
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

/// Converts a live-in to the representation of its variable.
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
