//! The meter of the interpreter's work.

use nestwise_ir::LoopId;
use nestwise_ir::interpreter_work::{LoopWork, NestWork, Tally, Work};

/// The counts so far, and where the next one goes.
#[derive(Debug)]
pub(crate) struct Meter {
    work: NestWork,
    /// The open loops: each one's id, and the weight around it.
    open: Vec<(usize, f64)>,
    /// The number of times that the current point is reached in one execution of the loop's body around it.
    weight: f64,
    /// Whether the next loop is a generator expression's.
    generator: bool,
}

impl Meter {
    /// A meter that has counted nothing, outside of all loops.
    pub fn new() -> Meter {
        Meter {
            work: NestWork::default(),
            open: vec![],
            weight: 1.0,
            generator: false,
        }
    }

    /// The work that was counted.
    pub fn finish(self) -> NestWork {
        self.work
    }

    /// Counts `times` of a kind of work for each execution of the current point.
    pub fn add(&mut self, kind: Work, times: f64) {
        let tally = match self.open.last() {
            Some((at, _)) => &mut self.work.loops[*at].body,
            None => &mut self.work.entry,
        };
        tally.add(kind, times * self.weight);
    }

    /// The number of times that the current point is reached in one execution of the loop's body around it.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Sets the number of times that the current point is reached in one execution of the loop's body around it.
    pub fn set_weight(&mut self, weight: f64) {
        self.weight = weight;
    }

    /// Opens a loop at the current point.
    pub fn open_loop(&mut self) {
        self.open.push((self.work.loops.len(), self.weight));
        self.work.loops.push(LoopWork {
            reached: self.weight,
            once: false,
            leaves: false,
            body: Tally::default(),
        });
        self.weight = 1.0;
    }

    /// Notes that the innermost open loop is one that the program does not have, and runs once.
    pub fn runs_once(&mut self) {
        if let Some((at, _)) = self.open.last() {
            self.work.loops[*at].once = true;
        }
    }

    /// The number of open loops.
    pub fn open_loops(&self) -> usize {
        self.open.len()
    }

    /// Notes that a jump at the current point leaves all open loops but the `outside` outermost ones.
    pub fn leaves(&mut self, outside: usize) {
        for (at, _) in self.open.iter().skip(outside) {
            self.work.loops[*at].leaves = true;
        }
    }

    /// Notes that a jump at the current point leaves this loop.
    pub fn breaks(&mut self, id: LoopId) {
        let outside = self.open.iter().position(|(at, _)| *at == id.index());
        self.leaves(outside.unwrap_or(self.open.len()));
    }

    /// Closes the innermost open loop.
    pub fn close_loop(&mut self) {
        if let Some((_, around)) = self.open.pop() {
            self.weight = around;
        }
    }

    /// Notes that the next loop is a generator expression's.
    pub fn begin_generator(&mut self) {
        self.generator = true;
    }

    /// Whether the loop that begins is a generator expression's.
    pub fn take_generator(&mut self) -> bool {
        std::mem::take(&mut self.generator)
    }
}
