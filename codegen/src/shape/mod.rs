//! What a kernel executes, read from its optimised IR as a [`nestwise_ir::machine_shape`].
//!
//! Loops carry the number of the nest's loop whose iterations they run as metadata (`MARK`), which LLVM hands on to
//! what it makes of them: vectorised, unrolled, cut up.

mod affine;
mod chain;
mod graph;
mod ops;
mod read;
mod straddle;

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use inkwell::targets::TargetMachine;
use inkwell::values::AsValueRef;
use llvm_sys::prelude::LLVMValueRef;
use nestwise_ir::branch_likelihood::Likely;
use nestwise_ir::machine_shape::{Body, LoopShape, Part};
use nestwise_ir::{LoopId, Nest, Stmt, StmtKind};

use crate::abi::ENTRY_SYMBOL;
use crate::shape::affine::sum;
use crate::shape::chain::{Cycle, Data, counters, deepest, longest};
use crate::shape::graph::{Graph, Loops};
use crate::shape::read::{Block, Code, Inst, Operand, is_function};
use crate::shape::straddle::Straddle;

pub(crate) use crate::shape::read::{EDGE, GROUPS, MARK};

/// The shape of a kernel's entry function.
pub(crate) fn of(module: &Module<'_>, machine: &TargetMachine, vector_bits: u32) -> Body {
    let Some(entry) = module.get_function(ENTRY_SYMBOL) else {
        return Body::default();
    };
    let data = machine.get_target_data();
    let read = |f: LLVMValueRef| read::read(f, data.as_mut_ptr());
    // Bodies of parallel loops, by their functions.
    let mut parts = HashMap::new();
    for f in module.get_functions() {
        if f.count_basic_blocks() > 0 && f != entry {
            let v = f.as_value_ref();
            let body = Reader::new(&read(v), vector_bits, &HashMap::new()).whole();
            parts.insert(v as usize, body);
        }
    }
    Reader::new(&read(entry.as_value_ref()), vector_bits, &parts).whole()
}

/// Notes for the code's loops what the nest tells of them: how likely each is to be reached by the nest's own branches
/// (the code's are mostly about trip counts, which prices know), and whether one around it is none any more.
pub(crate) fn place(body: &mut Body, nest: &Nest) {
    let mut known = HashMap::new();
    let likely = Likely::of(nest);
    let top = std::slice::from_ref(&nest.top);
    places_in(&likely, top, 1.0, &[], &mut known);
    let mut left = HashSet::new();
    collect(body, &mut left);
    set_places(body, &known, &left);
}

/// Where a loop stands in a nest.
struct Place {
    /// The probability that the loop is reached in an execution of what encloses it.
    likely: f32,
    /// The loops around the loop.
    around: Vec<LoopId>,
}

fn places_in(
    branches: &Likely,
    block: &[Stmt],
    likely: f32,
    around: &[LoopId],
    known: &mut HashMap<LoopId, Place>,
) {
    for stmt in block {
        let id = match &stmt.kind {
            StmtKind::For(l) => Some(l.id),
            StmtKind::While(l) => Some(l.id),
            _ => None,
        };
        let mut inside = around.to_vec();
        if let Some(id) = id {
            let around = around.to_vec();
            known.insert(id, Place { likely, around });
            inside.push(id);
        }
        if let StmtKind::If { cond, then, orelse } = &stmt.kind {
            let share = branches.then(cond, then, orelse) as f32;
            places_in(branches, then, likely * share, &inside, known);
            places_in(branches, orelse, likely * (1.0 - share), &inside, known);
            continue;
        }
        let likely = if id.is_some() { 1.0 } else { likely };
        for block in stmt.blocks() {
            places_in(branches, block, likely, &inside, known);
        }
    }
}

/// Adds to `left` the nest's loops that are loops of the code.
fn collect(body: &Body, left: &mut HashSet<LoopId>) {
    for l in &body.inner {
        left.extend(l.id);
        collect(&l.body, left);
    }
}

fn set_places(body: &mut Body, known: &HashMap<LoopId, Place>, left: &HashSet<LoopId>) {
    for l in &mut body.inner {
        let place = l.id.and_then(|id| known.get(&id));
        l.reached = match place {
            Some(place) => place.likely,
            None if l.threads => 1.0,
            None => l.reached,
        };
        l.copied = place.is_some_and(|p| p.around.iter().any(|id| !left.contains(id)));
        set_places(&mut l.body, known, left);
    }
}

/// Marks loops that run what an unrolled loop leaves over. LLVM's unroller marks the unrolled loop alone; a loop
/// without a mark that executes about as much in an iteration as a marked one beside it in one of several is taken for
/// its rest.
fn claim_rests(loops: &mut [LoopShape]) {
    let size = |l: &LoopShape| l.body.ops.iter().map(|o| o.2).sum::<f32>();
    for k in 0..loops.len() {
        if loops[k].id.is_some() || loops[k].threads {
            continue;
        }
        let own = size(&loops[k]) / loops[k].stride as f32;
        let is_like = |l: &&LoopShape| {
            let ratio = size(l) / l.stride as f32 / own;
            l.id.is_some() && l.stride > loops[k].stride && (0.4..=1.6).contains(&ratio)
        };
        let found = loops.iter().find(is_like).map(|l| (l.id, l.reached));
        if let Some((id, reached)) = found {
            (loops[k].id, loops[k].reached) = (id, reached);
        }
    }
}

/// The most steps from a truth value that decides whether to go on to the mask that it is made from: a comparison of
/// the mask as an int.
const MASK_STEPS: u32 = 3;

struct Reader<'a> {
    code: &'a Code,
    vector_bits: u32,
    parts: &'a HashMap<usize, Body>,
    loops: Loops,
    runs: Vec<f32>,
}

impl<'a> Reader<'a> {
    fn new(code: &'a Code, vector_bits: u32, parts: &'a HashMap<usize, Body>) -> Reader<'a> {
        let next = code.blocks.iter().map(|b: &Block| b.next.clone()).collect();
        let graph = Graph { next };
        let loops = graph.loops();
        let runs = graph.frequencies(&loops);
        Reader {
            code,
            vector_bits,
            parts,
            loops,
            runs,
        }
    }

    /// The shape of the whole function.
    fn whole(&self) -> Body {
        self.body(None)
    }

    /// The shape of one iteration of a loop, or of the function outside loops.
    fn body(&self, of: Option<usize>) -> Body {
        let mut body = Body::default();
        let own = self.own(of);
        let cycle = of.map(|k| self.cycle(k, &own));
        let mut data = cycle.as_ref().map(Data::new);
        let straddle = Straddle::of(self.code, &own, self.vector_bits);
        for (b, block) in self.code.blocks.iter().enumerate().filter(|(b, _)| own[*b]) {
            let header = of.is_some_and(|k| self.loops.all[k].header == b);
            let runs = if header { 1.0 } else { self.runs[b] };
            for k in &block.insts {
                self.count(*k, runs, &straddle, &mut body);
            }
            let inside = block
                .next
                .iter()
                .filter(|(s, _)| of.is_none() || self.holds(of, *s));
            let decided = inside.count() > 1 && !block.weighed;
            let mut by_data = || match (&mut data, block.test) {
                (Some(data), Some(test)) => data.decides(test),
                _ => false,
            };
            if decided && by_data() {
                body.unsure += runs;
            }
            let leaves = of.is_some() && block.next.iter().any(|(s, _)| !self.holds(of, *s));
            if leaves && !block.weighed && by_data() {
                body.ends = body.ends.max(block.test.map(|t| self.lanes(t, 0)));
            }
        }
        if let Some(cycle) = &cycle {
            let chain = longest(cycle);
            body.chain = chain.counts(self.code, self.vector_bits);
            body.path = deepest(cycle).counts(self.code, self.vector_bits);
            let around = of.and_then(|k| self.loops.all[k].parent);
            let around = around.map(|k| &self.loops.all[k].holds);
            body.carried = around.is_some_and(|blocks| chain.is_carried(cycle, blocks));
        }
        let inner = self.loops.all.iter().enumerate();
        let inner = inner
            .filter(|(_, l)| l.parent == of)
            .map(|(k, _)| self.inner(k));
        body.inner.extend(inner);
        claim_rests(&mut body.inner);
        body
    }

    fn holds(&self, of: Option<usize>, b: usize) -> bool {
        of.is_some_and(|k| self.loops.all[k].holds[b])
    }

    /// The number of lanes of the widest vector that a truth value is made from within [`MASK_STEPS`] steps: the mask
    /// of lanes of which some go on. `steps`: the steps so far.
    fn lanes(&self, o: Operand, steps: u32) -> u32 {
        let Operand::Code(k) = o else { return 1 };
        let inst = &self.code.insts[k];
        if steps == MASK_STEPS || inst.form.lanes > 1 {
            return inst.form.lanes.max(1);
        }
        let from = inst.operands.iter().map(|o| self.lanes(*o, steps + 1));
        from.max().unwrap_or(1)
    }

    fn own(&self, of: Option<usize>) -> Vec<bool> {
        self.loops.of.iter().map(|l| *l == of).collect()
    }

    fn cycle<'b>(&'b self, k: usize, own: &'b [bool]) -> Cycle<'b> {
        let l = &self.loops.all[k];
        Cycle {
            code: self.code,
            own,
            holds: &l.holds,
            header: l.header,
            latches: &l.latches,
            runs: &self.runs,
            vector_bits: self.vector_bits,
        }
    }

    fn inner(&self, k: usize) -> LoopShape {
        let l = &self.loops.all[k];
        let noted: Vec<&Block> = self.noted(k).map(|b| &self.code.blocks[b]).collect();
        let part = |p: &Part| *p != Part::All;
        LoopShape {
            id: noted.iter().find_map(|b| b.mark).map(LoopId),
            stride: self.stride(k),
            part: noted.iter().map(|b| b.part).find(part).unwrap_or_default(),
            copied: false,
            reached: self.runs[l.header],
            threads: false,
            body: self.body(Some(k)),
        }
    }

    /// The blocks whose jumps may carry a loop's mark: those that jump back, and those that leave the loop, to which
    /// the unroller moves the mark when only they decide whether there is a next iteration.
    fn noted(&self, k: usize) -> impl Iterator<Item = usize> {
        let l = &self.loops.all[k];
        let leaves = move |b: &usize| {
            let mut next = self.code.blocks[*b].next.iter();
            next.any(|(s, _)| !l.holds[*s])
        };
        // What jumps back in a loop around this one tells of that.
        let around = move |b: &usize| self.loops.all.iter().any(|o| o.latches.contains(b));
        let own = (0..self.code.blocks.len()).filter(move |b| self.loops.of[*b] == Some(k));
        let leaving = own.filter(move |b| leaves(b) && !around(b));
        l.latches.iter().copied().chain(leaving)
    }

    /// The step of the counter that ends the loop.
    fn stride(&self, k: usize) -> u32 {
        let l = &self.loops.all[k];
        let own = self.own(Some(k));
        let counters = counters(&self.cycle(k, &own));
        let step_in = |o: &Operand| {
            let terms = sum(self.code, *o).terms;
            let of = |c: &&(usize, i64)| terms.contains_key(&Operand::Code(c.0));
            counters.iter().find(of).map(|c| c.1)
        };
        let tests = l.latches.iter().filter_map(|b| self.code.blocks[*b].test);
        let compared = tests.filter_map(|t| match t {
            Operand::Code(k) => Some(&self.code.insts[k].operands),
            _ => None,
        });
        let step = compared.flatten().find_map(step_in);
        let step = step.or_else(|| counters.iter().map(|c| c.1).find(|s| *s > 0));
        step.map_or(1, |s| s.unsigned_abs().clamp(1, 1 << 16) as u32)
    }

    fn count(&self, k: usize, runs: f32, straddle: &Straddle<'_>, body: &mut Body) {
        let inst = &self.code.insts[k];
        let lines = straddle.lines(inst);
        for (op, width, n) in ops::ops(self.code, inst, self.vector_bits) {
            body.ops.add(op, width, n * runs * lines);
        }
        if is_function(inst) {
            match self.parallel(inst) {
                Some(part) => body.inner.push(LoopShape {
                    id: None,
                    stride: 1,
                    part: Part::All,
                    copied: false,
                    reached: runs,
                    threads: true,
                    body: part.clone(),
                }),
                None => body
                    .calls
                    .push((inst.callee.clone(), runs * inst.calls(runs))),
            }
        }
    }

    /// The shape of the body of the parallel loop that a call runs, if it is such a call.
    fn parallel(&self, inst: &Inst) -> Option<&Body> {
        let mut functions = inst.operands.iter().filter_map(|o| match o {
            Operand::Fixed(f) => self.parts.get(f),
            _ => None,
        });
        functions.next().filter(|_| inst.callee == "nw_parallel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each block, the nest's loop that it is in; `next`: the successors of each block.
    fn id_of_loop(next: &[&[usize]], marked: usize) -> Vec<Option<LoopId>> {
        let block = |(b, next): (usize, &&[usize])| Block {
            next: next.iter().map(|s| (*s, 1.0 / next.len() as f32)).collect(),
            mark: (b == marked).then_some(3),
            ..Block::default()
        };
        let code = Code {
            insts: Vec::new(),
            blocks: next.iter().enumerate().map(block).collect(),
        };
        let body = Reader::new(&code, 512, &HashMap::new()).whole();
        let mut found = Vec::new();
        let mut all = vec![&body];
        while let Some(body) = all.pop() {
            found.extend(body.inner.iter().map(|l| l.id));
            all.extend(body.inner.iter().map(|l| &l.body));
        }
        found
    }

    /// Where a body has two iterations LLVM may leave the loop after the first, and jump back from the second whatever
    /// happens.
    #[test]
    fn a_loop_that_is_left_in_the_midst_of_its_body_is_known() {
        let own = Some(LoopId(3));
        assert_eq!(id_of_loop(&[&[1], &[2, 3], &[1], &[]], 1), [own]);
        assert_eq!(id_of_loop(&[&[1], &[1, 2], &[]], 1), [own]);
        // What jumps back in the loop around tells of that one, though it leaves the inner one.
        let nested: [&[usize]; 5] = [&[1], &[2], &[3, 1], &[2], &[]];
        assert_eq!(id_of_loop(&nested, 2), [own, None]);
    }
}
