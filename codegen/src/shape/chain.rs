//! What one iteration has to wait for in the one before, and in itself.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode::{self, *};
use nestwise_ir::machine_shape::{self, Op};

use crate::shape::affine::{Sum, sum};
use crate::shape::ops::{is_pointer_step, latency, waited};
use crate::shape::read::{Code, Operand, is_function};

/// A loop's own instructions, and what drives the loop.
pub(super) struct Cycle<'a> {
    pub(super) code: &'a Code,
    /// For each block: whether it is the loop's own, not in an inner loop.
    pub(super) own: &'a [bool],
    /// For each block: whether it is in the loop, inner loops included.
    pub(super) holds: &'a [bool],
    pub(super) header: usize,
    pub(super) latches: &'a [usize],
    /// For each block: how often it runs in an iteration.
    pub(super) runs: &'a [f32],
    pub(super) vector_bits: u32,
}

/// A dependence chain: instructions each of which waits for the one before.
#[derive(Default)]
pub(super) struct Chain {
    insts: Vec<usize>,
    /// The phi of the variable that the chain goes through; none if it goes through memory.
    phi: Option<usize>,
    /// How often the chain is gone through in an iteration. Where a branch decides that it is not, nothing waits for
    /// it: branches are predicted.
    often: f32,
}

impl Chain {
    /// The operations of the chain, and the functions called in it, per iteration.
    pub(super) fn counts(&self, code: &Code, vector_bits: u32) -> machine_shape::Chain {
        let mut all = machine_shape::Chain::default();
        for k in &self.insts {
            let inst = &code.insts[*k];
            for (op, width, times) in waited(code, inst, vector_bits) {
                all.ops.add(op, width, times * self.often);
            }
            if is_function(inst) {
                all.calls
                    .push((inst.callee.clone(), inst.lanes * self.often));
            }
        }
        all
    }

    /// Whether the chain begins with what it left when its loop was entered before, in the same execution of the loop
    /// around: its value comes back from the blocks of that loop, `around`.
    pub(super) fn is_carried(&self, cycle: &Cycle<'_>, around: &[bool]) -> bool {
        let Some(phi) = self.phi else { return false };
        let mut left = entry_values(cycle, phi);
        let mut seen = vec![false; cycle.code.insts.len()];
        while let Some(o) = left.pop() {
            let Operand::Code(k) = o else { continue };
            if k == phi || self.insts.contains(&k) {
                return true;
            }
            let inst = &cycle.code.insts[k];
            let passed = inst.code == LLVMLoad || !around[inst.block];
            if !passed && !std::mem::replace(&mut seen[k], true) {
                left.extend(&inst.operands);
            }
        }
        false
    }
}

impl Cycle<'_> {
    /// How often a block runs in an iteration.
    fn often(&self, block: usize) -> f32 {
        match block == self.header {
            true => 1.0,
            false => self.runs[block],
        }
    }

    /// How often the rarest of these instructions runs in an iteration.
    fn least(&self, insts: &[usize]) -> f32 {
        let runs = |k: &usize| self.often(self.code.insts[*k].block);
        insts.iter().map(runs).fold(1.0, f32::min)
    }
}

/// Phis that step by a constant: (phi, step per iteration).
pub(super) fn counters(cycle: &Cycle<'_>) -> Vec<(usize, i64)> {
    let step = |k: usize| {
        let back = back_value(cycle, k)?;
        let Sum { constant, terms } = sum(cycle.code, back);
        let only = terms.len() == 1 && terms.get(&Operand::Code(k)) == Some(&1);
        only.then_some((k, constant))
    };
    phis(cycle).filter_map(step).collect()
}

fn phis<'a>(cycle: &'a Cycle<'a>) -> impl Iterator<Item = usize> + 'a {
    let insts = &cycle.code.blocks[cycle.header].insts;
    let is_phi = |k: &&usize| cycle.code.insts[**k].code == LLVMPHI;
    insts.iter().take_while(is_phi).copied()
}

/// What a phi gets from the iteration before.
fn back_value(cycle: &Cycle<'_>, phi: usize) -> Option<Operand> {
    let inst = &cycle.code.insts[phi];
    let mut from = inst.from.iter().zip(&inst.operands);
    from.find(|(b, _)| cycle.latches.contains(b))
        .map(|(_, o)| *o)
}

/// What a phi gets where the loop is entered.
fn entry_values(cycle: &Cycle<'_>, phi: usize) -> Vec<Operand> {
    let inst = &cycle.code.insts[phi];
    let from = inst.from.iter().zip(&inst.operands);
    let outside = from.filter(|(b, _)| !cycle.latches.contains(b));
    outside.map(|(_, o)| *o).collect()
}

/// The longest chain from an iteration to the next: through a variable, or through an element that is stored and then
/// loaded.
pub(super) fn longest(cycle: &Cycle<'_>) -> Chain {
    let counters = counters(cycle);
    let stored = stored_before(cycle);
    let mut best = (0.0, Chain::default());
    let mut offer = |found: Option<(f32, Vec<usize>)>, phi: Option<usize>, iterations: f32| {
        let Some((length, insts)) = found else { return };
        let often = cycle.least(&insts) / iterations;
        if length * often > best.0 {
            best = (length * often, Chain { insts, phi, often });
        }
    };
    for phi in phis(cycle) {
        if counters.iter().any(|c| c.0 == phi) {
            continue;
        }
        let back = back_value(cycle, phi);
        let found = back.and_then(|b| Search::new(cycle, Some(phi), &stored).path(b));
        offer(found, Some(phi), 1.0);
    }
    for (load, store, iterations) in through_memory(cycle, &counters) {
        let value = cycle.code.insts[store].operands[0];
        let found =
            Search::new(cycle, Some(load), &stored)
                .path(value)
                .map(|(length, mut insts)| {
                    insts.extend([load, store]);
                    (length + latency(Op::Load) + latency(Op::Store), insts)
                });
        offer(found, None, iterations);
    }
    best.1
}

/// The longest chain within an iteration.
pub(super) fn deepest(cycle: &Cycle<'_>) -> Chain {
    let stored = stored_before(cycle);
    let mut search = Search::new(cycle, None, &stored);
    let mut best = (0.0, 0);
    for (k, inst) in cycle.code.insts.iter().enumerate() {
        if !cycle.own[inst.block] {
            continue;
        }
        let often = cycle.often(inst.block);
        if let Some(length) = search.length(k)
            && length * often > best.0
        {
            best = (length * often, k);
        }
    }
    match best {
        (0.0, _) => Chain::default(),
        (_, last) => {
            let insts = search.way(last).unwrap_or_default();
            let often = cycle.least(&insts);
            Chain {
                insts,
                phi: None,
                often,
            }
        }
    }
}

/// A loop's own instructions of a kind.
fn own_of(cycle: &Cycle<'_>, code: LLVMOpcode) -> Vec<usize> {
    let insts = cycle.code.insts.iter().enumerate();
    let here = insts.filter(|(_, i)| i.code == code && cycle.own[i.block]);
    here.map(|(k, _)| k).collect()
}

/// Loads of what a store in the same block left just before, as where a loop that loads what it has stored is unrolled:
/// the store by the load.
fn stored_before(cycle: &Cycle<'_>) -> HashMap<usize, usize> {
    let place = |k: usize, operand: usize| sum(cycle.code, cycle.code.insts[k].operands[operand]);
    let stores = own_of(cycle, LLVMStore).into_iter();
    let stores: Vec<(usize, Sum)> = stores.map(|k| (k, place(k, 1))).collect();
    let mut found = HashMap::new();
    if stores.is_empty() {
        return found;
    }
    for load in own_of(cycle, LLVMLoad) {
        let from = place(load, 0);
        let block = cycle.code.insts[load].block;
        let mut before = stores.iter().rev();
        let same =
            before.find(|(k, to)| *k < load && cycle.code.insts[*k].block == block && *to == from);
        found.extend(same.map(|(store, _)| (load, *store)));
    }
    found
}

/// Loads of what a store of an earlier iteration left: (load, store, iterations between).
fn through_memory(cycle: &Cycle<'_>, counters: &[(usize, i64)]) -> Vec<(usize, usize, f32)> {
    let mut found = Vec::new();
    for store in own_of(cycle, LLVMStore) {
        let to = sum(cycle.code, cycle.code.insts[store].operands[1]);
        for load in own_of(cycle, LLVMLoad) {
            let from = sum(cycle.code, cycle.code.insts[load].operands[0]);
            let Some(ahead) = to.clone().plus(&from, -1).known() else {
                continue;
            };
            let step = step_of(cycle, &from, counters);
            match step {
                Some(0) if ahead == 0 => found.push((load, store, 1.0)),
                Some(step) if step != 0 && ahead % step == 0 && ahead / step > 0 => {
                    found.push((load, store, (ahead / step) as f32));
                }
                _ => {}
            }
        }
    }
    found
}

/// How far an address moves per iteration of the loop with these counters; none if it may depend on the iteration in
/// another way.
fn step_of(cycle: &Cycle<'_>, address: &Sum, counters: &[(usize, i64)]) -> Option<i64> {
    let mut step = 0i64;
    for (term, factor) in &address.terms {
        let Operand::Code(k) = term else { continue };
        match counters.iter().find(|c| c.0 == *k) {
            Some(c) => step = step.wrapping_add(factor.wrapping_mul(c.1)),
            None if cycle.holds[cycle.code.insts[*k].block] => return None,
            None => {}
        }
    }
    Some(step)
}

/// Which values a loop's data decide: what it loads from where it is in this iteration, or carries from one to the
/// next. All others, counters and what is the same in all iterations among them, processors foresee.
pub(super) struct Data<'a> {
    cycle: &'a Cycle<'a>,
    counters: Vec<usize>,
    known: HashMap<usize, bool>,
}

impl<'a> Data<'a> {
    pub(super) fn new(cycle: &'a Cycle<'a>) -> Data<'a> {
        Data {
            cycle,
            counters: counters(cycle).into_iter().map(|c| c.0).collect(),
            known: HashMap::new(),
        }
    }

    pub(super) fn decides(&mut self, o: Operand) -> bool {
        let Operand::Code(k) = o else { return false };
        let inst = &self.cycle.code.insts[k];
        if !self.cycle.holds[inst.block] {
            return false;
        }
        if let Some(known) = self.known.get(&k) {
            return *known;
        }
        self.known.insert(k, false);
        let carried = inst.code == LLVMPHI && inst.block == self.cycle.header;
        let found = match inst.code {
            _ if carried => !self.counters.contains(&k),
            LLVMLoad => inst.operands.iter().any(|o| self.moves(*o)),
            _ => inst.operands.iter().any(|o| self.decides(*o)),
        };
        self.known.insert(k, found);
        found
    }

    /// Whether an address depends on the iteration.
    fn moves(&self, o: Operand) -> bool {
        let mut left = vec![o];
        let mut seen = Vec::new();
        while let Some(o) = left.pop() {
            let Operand::Code(k) = o else { continue };
            let inst = &self.cycle.code.insts[k];
            if seen.contains(&k) || !self.cycle.holds[inst.block] {
                continue;
            }
            if inst.code == LLVMPHI {
                return true;
            }
            seen.push(k);
            left.extend(&inst.operands);
        }
        false
    }
}

/// Paths through a loop's own instructions, from one of them, or from wherever they begin in an iteration.
struct Search<'a> {
    cycle: &'a Cycle<'a>,
    from: Option<usize>,
    /// For each load: the store that it waits for.
    stored: &'a HashMap<usize, usize>,
    /// For each instruction: the length of the longest path to its result, and the operand that the path comes by.
    known: HashMap<usize, Option<(f32, Option<usize>)>>,
}

impl<'a> Search<'a> {
    fn new(
        cycle: &'a Cycle<'a>,
        from: Option<usize>,
        stored: &'a HashMap<usize, usize>,
    ) -> Search<'a> {
        Search {
            cycle,
            from,
            stored,
            known: HashMap::new(),
        }
    }

    /// The longest path to `to`, and the instructions on it.
    fn path(&mut self, to: Operand) -> Option<(f32, Vec<usize>)> {
        let Operand::Code(last) = to else {
            return None;
        };
        let length = self.length(last)?;
        Some((length, self.way(last)?))
    }

    /// The instructions on the longest path to `last`, which is in `known`.
    fn way(&self, last: usize) -> Option<Vec<usize>> {
        let mut insts = Vec::new();
        let mut at = Some(last).filter(|k| Some(*k) != self.from);
        while let Some(k) = at {
            insts.push(k);
            at = self.known.get(&k).copied().flatten()?.1;
            at = at.filter(|k| Some(*k) != self.from);
        }
        Some(insts)
    }

    fn length(&mut self, k: usize) -> Option<f32> {
        if Some(k) == self.from {
            return Some(0.0);
        }
        if let Some(known) = self.known.get(&k) {
            return known.map(|p| p.0);
        }
        // What is asked for again below itself is another phi's cycle.
        self.known.insert(k, None);
        let inst = &self.cycle.code.insts[k];
        if !self.cycle.own[inst.block] || inst.code == LLVMPHI && inst.block == self.cycle.header {
            return None;
        }
        // Where paths meet, a long one that is hardly ever taken is none to wait for.
        let mut longest: Option<(f32, f32, usize)> = None;
        for (n, o) in inst.operands.iter().enumerate() {
            let often = match inst.from.get(n) {
                Some(block) if inst.code == LLVMPHI => self.cycle.often(*block),
                _ => 1.0,
            };
            if let Operand::Code(operand) = o
                && let Some(length) = self.length(*operand)
                && longest.is_none_or(|l| length * often > l.0)
            {
                longest = Some((length * often, length, *operand));
            }
        }
        if let Some(store) = self.stored.get(&k)
            && let Some(length) = self.length(*store)
            && longest.is_none_or(|l| length > l.0)
        {
            longest = Some((length, length, *store));
        }
        let (length, by) = match (longest, self.from) {
            (Some((_, length, by)), _) => (length, Some(by)),
            (None, None) => (0.0, None),
            (None, Some(_)) => return None,
        };
        let own = waited(self.cycle.code, inst, self.cycle.vector_bits);
        let takes: f32 = own.iter().map(|o| latency(o.0) * o.2).sum();
        let takes = if is_pointer_step(inst.code) {
            0.0
        } else {
            takes
        };
        self.known.insert(k, Some((length + takes, by)));
        Some(length + takes)
    }
}
