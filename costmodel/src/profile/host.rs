//! Weights of one core.

use std::collections::BTreeMap;

use nestwise_ir::machine_shape::Op;
use serde::{Deserialize, Serialize};

/// The number of cache levels: transfers into the first come from the second, into the second from the third, into the
/// third from memory.
pub const LEVELS: usize = 3;

/// The entry of [`HostWeights::functions`] for functions that have none of their own.
pub const OTHER: &str = "other";

/// Weights of one core. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostWeights {
    /// Each operation on one number, where enough of them are independent.
    pub scalar: OpWeights,
    /// Each operation on a vector register.
    pub vector: OpWeights,
    /// Each operation where the next one waits for its result.
    pub latency: OpWeights,
    /// Each operation of any kind, by the width of the front end.
    pub issue: f64,
    /// A branch that only data decide, about every other time predicted wrongly.
    pub unsure: f64,
    /// Starting a loop.
    pub entry: f64,
    /// Each call of a function by compiled code, by name; `other` stands for functions without an entry.
    pub functions: BTreeMap<String, f64>,
    /// Bytes of the caches that one core can use, the smallest first.
    pub caches: [f64; LEVELS],
    /// Fetching a line of 64 bytes into each of the caches, where its neighbours follow.
    pub stream: [f64; LEVELS],
    /// Fetching a line of 64 bytes into each of the caches, where lines follow each other in the same step.
    pub strided: [f64; LEVELS],
    /// Fetching a line of 64 bytes into each of the caches, from anywhere.
    pub scattered: [f64; LEVELS],
    /// Whether lines are fetched while the core loads and stores what is there, as on AMD's cores; Intel's do one or
    /// the other (Hofmann et al., "Bridging the architecture gap", 2020).
    pub overlap: bool,
}

/// A weight for each kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // The kinds are those of `Op`.
pub struct OpWeights {
    pub int: f64,
    pub int_mul: f64,
    pub int_div: f64,
    pub float: f64,
    pub float_mul: f64,
    pub float_div: f64,
    pub root: f64,
    pub convert: f64,
    pub load: f64,
    pub store: f64,
    pub gather: f64,
    pub scatter: f64,
    pub shuffle: f64,
    pub branch: f64,
    pub call: f64,
}

impl OpWeights {
    /// The weight of one kind of operation.
    pub fn of(&self, op: Op) -> f64 {
        match op {
            Op::Int => self.int,
            Op::IntMul => self.int_mul,
            Op::IntDiv => self.int_div,
            Op::Float => self.float,
            Op::FloatMul => self.float_mul,
            Op::FloatDiv => self.float_div,
            Op::Root => self.root,
            Op::Convert => self.convert,
            Op::Load => self.load,
            Op::Store => self.store,
            Op::Gather => self.gather,
            Op::Scatter => self.scatter,
            Op::Shuffle => self.shuffle,
            Op::Branch => self.branch,
            Op::Call => self.call,
        }
    }

    /// The weight of one kind of operation, to be set.
    pub fn of_mut(&mut self, op: Op) -> &mut f64 {
        match op {
            Op::Int => &mut self.int,
            Op::IntMul => &mut self.int_mul,
            Op::IntDiv => &mut self.int_div,
            Op::Float => &mut self.float,
            Op::FloatMul => &mut self.float_mul,
            Op::FloatDiv => &mut self.float_div,
            Op::Root => &mut self.root,
            Op::Convert => &mut self.convert,
            Op::Load => &mut self.load,
            Op::Store => &mut self.store,
            Op::Gather => &mut self.gather,
            Op::Scatter => &mut self.scatter,
            Op::Shuffle => &mut self.shuffle,
            Op::Branch => &mut self.branch,
            Op::Call => &mut self.call,
        }
    }

    /// Converts cycles to nanoseconds with `factor`, rounded to three decimals.
    fn scaled(&self, factor: f64) -> OpWeights {
        let mut out = self.clone();
        for op in Op::ALL {
            let nanos = out.of_mut(op);
            *nanos = (*nanos * factor * 1e3).round() / 1e3;
        }
        out
    }
}

impl Default for HostWeights {
    /// A server core of the 2020s at 3 GHz with vectors of 512 bits, by its makers' tables.
    fn default() -> Self {
        let cycle = 1.0 / 3.0;
        let scalar = OpWeights {
            int: 0.25,
            int_mul: 1.0,
            int_div: 7.0,
            float: 0.5,
            float_mul: 0.5,
            float_div: 4.0,
            root: 6.0,
            convert: 1.0,
            load: 0.5,
            store: 0.7,
            gather: 1.0,
            scatter: 1.5,
            shuffle: 1.0,
            branch: 0.5,
            call: 5.0,
        };
        let vector = OpWeights {
            int: 0.5,
            int_mul: 1.5,
            float: 0.7,
            float_mul: 0.7,
            float_div: 16.0,
            root: 20.0,
            load: 0.8,
            store: 1.2,
            ..scalar.clone()
        };
        let latency = OpWeights {
            int: 1.0,
            int_mul: 3.0,
            int_div: 14.0,
            float: 3.0,
            float_mul: 4.0,
            float_div: 13.0,
            root: 18.0,
            convert: 6.0,
            load: 5.0,
            store: 0.5,
            gather: 20.0,
            scatter: 20.0,
            shuffle: 3.0,
            branch: 0.0,
            call: 5.0,
        };
        HostWeights {
            scalar: scalar.scaled(cycle),
            vector: vector.scaled(cycle),
            latency: latency.scaled(cycle),
            issue: 0.067,
            unsure: 4.0,
            entry: 1.0,
            functions: BTreeMap::from([(OTHER.to_string(), 12.0)]),
            caches: [48e3, 2e6, 16e6],
            stream: [0.8, 2.5, 6.0],
            strided: [1.0, 4.0, 12.0],
            scattered: [2.0, 8.0, 25.0],
            overlap: false,
        }
    }
}

impl HostWeights {
    /// The weights in the order of their numbers ([`Forms`](crate::estimate::resources::Forms)), those of functions
    /// last, by name.
    pub fn to_vec(&self) -> Vec<f64> {
        let tables = [&self.scalar, &self.vector, &self.latency];
        let ops = tables.into_iter().flat_map(|t| Op::ALL.map(|op| t.of(op)));
        let single = [self.issue, self.unsure, self.entry];
        let lines = self.stream.into_iter().chain(self.strided);
        let lines = lines.chain(self.scattered);
        let all = ops.chain(single).chain(lines);
        all.chain(self.functions.values().copied()).collect()
    }

    /// A copy of these weights with the numbers `values`, in the order of [`HostWeights::to_vec`].
    pub fn with(&self, values: &[f64]) -> HostWeights {
        let mut out = self.clone();
        let mut next = values.iter().copied();
        let mut set = |place: &mut f64| *place = next.next().unwrap_or(*place);
        for table in [&mut out.scalar, &mut out.vector, &mut out.latency] {
            Op::ALL.iter().for_each(|op| set(table.of_mut(*op)));
        }
        [&mut out.issue, &mut out.unsure, &mut out.entry]
            .into_iter()
            .for_each(&mut set);
        out.stream
            .iter_mut()
            .chain(&mut out.strided)
            .chain(&mut out.scattered)
            .for_each(&mut set);
        out.functions.values_mut().for_each(set);
        out
    }
}
