//! Loops that a cooperative kernel runs as a whole: what one thread of it computes, and what PTX is made of.

mod common;
#[path = "common/device.rs"]
mod device;

use common::*;
use device::*;
use nestwise_codegen::GridTarget;
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{CmpOp, Const, LoopId, Nest, Schedule, VarId};

fn together(axes: &[&[LoopId]], around: LoopId) -> Schedule {
    Schedule {
        cooperative: vec![around],
        ..mapped(axes)
    }
}

#[test]
fn a_time_loop_is_one_launch_and_computes_what_the_host_would() {
    let (nest, [lt, li, _], a) = heat();
    let grid = |seed: usize| Buffer::floats(&[13, 9], move |k| (k * 7 + seed) as f64 % 5.0 - 1.0);
    let arrays = [grid(1), grid(2)];
    let factor = |run: &mut Run<'_>| run.set_var(a, Value::F64(0.5));
    // After an even and an odd number of steps arrays are in each other's place.
    for steps in [6, 7] {
        let expected = serial(&nest, &arrays, steps, &factor);
        let schedule = together(&[&[li]], lt);
        let ran = emulated(&nest, &schedule, &arrays, steps, SHAPES[0], &factor);
        assert_eq!((ran.1, ran.2), (vec![(0, steps, -1)], 0));
        for (mine, theirs) in ran.0.iter().zip(&expected) {
            assert_eq!(mine.f64s(), theirs.f64s());
        }
    }
}

/// `for r: (for t: for i: x[i] += x[0]) (for u: for j: x[j] *= 0.5)`
fn twice() -> (Nest, [LoopId; 2], [LoopId; 2]) {
    let mut b = Builder::new();
    let (x, lr) = (b.floats(1), b.loop_id());
    let (outer, inner) = ([b.loop_id(), b.loop_id()], [b.loop_id(), b.loop_id()]);
    let (r, n) = (b.var(I64), b.input(I64));
    let mut sweep = |k: usize| {
        let (t, i) = (b.var(I64), b.var(I64));
        let own = b.load(x, vec![b.v(i)], false);
        let value = match k {
            0 => add(own, float(1.5)),
            _ => mul(own, float(0.5)),
        };
        let put = b.store(x, vec![b.v(i)], value, false);
        let loop_ = b.for_(inner[k], i, upto(dim(x, 0)), vec![put]);
        let first = b.load(x, vec![int(0)], false);
        let told = b.store(x, vec![int(0)], add(first, float(1.0)), false);
        b.for_(outer[k], t, upto(b.v(n)), vec![loop_, told])
    };
    let body = vec![sweep(0), sweep(1)];
    let top = b.for_(lr, r, upto(int(3)), body);
    (b.finish(top), outer, inner)
}

#[test]
fn loops_inside_are_kernels_one_after_the_other() {
    let (nest, outer, inner) = twice();
    let arrays = [Buffer::floats(&[11], |k| k as f64)];
    let steps = |run: &mut Run<'_>| {
        let n = nest.vars.ids().find(|v| nest.vars[*v].live_in.is_some());
        run.set_var(n.unwrap(), Value::Int(4));
    };
    let expected = serial(&nest, &arrays, 3, &steps);
    let mut schedule = mapped(&[&inner[..1], &inner[1..]]);
    schedule.cooperative = outer.to_vec();
    let (got, launches, status) = emulated(&nest, &schedule, &arrays, 3, SHAPES[0], &steps);
    let kernels: Vec<i64> = launches.iter().map(|l| l.0).collect();
    assert_eq!((kernels, status), (vec![0, 1, 0, 1, 0, 1], 0));
    assert_eq!(got[0].f64s(), expected[0].f64s());
}

/// `while most > low: (most = 0; for i: (x[i] *= 0.5; if x[i] > most: most = x[i])); y[0] = most`
fn halving() -> (Nest, [LoopId; 2], VarId) {
    let mut b = Builder::new();
    let (x, y, lw, li) = (b.floats(1), b.floats(1), b.loop_id(), b.loop_id());
    let (i, most, low) = (b.var(I64), b.var(NPF), b.input(NPF));
    let half = mul(b.load(x, vec![b.v(i)], false), float(0.5));
    let put = b.store(x, vec![b.v(i)], half, false);
    let now = |b: &mut Builder| b.load(x, vec![b.v(i)], false);
    let larger = cmp(CmpOp::Gt, now(&mut b), b.v(most));
    let keep = if_(larger, vec![let_(most, now(&mut b))], vec![]);
    let inner = b.for_(li, i, upto(dim(x, 0)), vec![put, keep]);
    let told = b.store(y, vec![int(0)], b.v(most), false);
    let goes_on = cmp(CmpOp::Gt, b.v(most), b.v(low));
    let zero = let_(most, constant(Const::Float(0.0), NPF));
    let top = b.while_(lw, goes_on, vec![zero, inner, told]);
    (b.finish(top), [lw, li], most)
}

#[test]
fn every_part_has_a_barrier_of_the_grid() {
    let (heat, [lt, li, lj], _) = heat();
    let (halving, [lw, l], most) = halving();
    let mut reduced = together(&[&[l]], lw);
    reduced.grid[0].mapped.reductions = vec![(most, RedOp::Max)];
    let cases = [
        ("heat", &heat, together(&[&[li, lj]], lt), 1),
        // A reduction, and what one thread stores.
        ("halving", &halving, reduced, 2),
    ];
    for (name, nest, schedule, parts) in &cases {
        for capability in CAPABILITIES {
            let text = ptx(nest, schedule, capability);
            assert_eq!(text.matches(".entry").count(), 1, "{name}");
            // Nothing is called, and nothing lies in a thread's own memory.
            assert!(!text.contains("call") && !text.contains(".local"), "{text}");
            // What was done shows before a block tells, and shows before it goes on.
            assert_eq!(
                text.matches("fence.acq_rel.gpu").count(),
                2 * parts,
                "{text}"
            );
            assert_eq!(text.matches("atom.global.add").count(), *parts, "{text}");
            assert!(text.matches("bar.sync").count() >= 2 * parts, "{text}");
            // Records go from register to register, and a word from each warp through shared memory.
            let reduces = *name == "halving";
            assert_eq!(text.contains("shfl.sync.down.b32"), reduces, "{text}");
            assert_eq!(text.contains("shfl.sync.idx.b32"), reduces, "{text}");
            assemble(name, &text, capability);
        }
    }
}

#[test]
fn a_kernel_tells_of_its_parts() {
    let (nest, [lt, li, lj], _) = heat();
    let schedule = together(&[&[li, lj]], lt);
    let made = compiled(&nest, &schedule, GridTarget::Emulated).kernels;
    let [kernel] = &made[..] else {
        panic!("{made:?}");
    };
    let cooperative = kernel.cooperative.as_ref().expect("a cooperative kernel");
    assert_eq!(
        (cooperative.record, &cooperative.parts),
        (0, &vec![vec![li, lj]])
    );
    // Either array may be where the other one was.
    assert_eq!(kernel.uses.len(), 2);
    assert!(kernel.leaves && kernel.uses.iter().all(|used| used.written));
}
