//! Loops on threads in which loads find what was there before the loop, against the same loops run serially.

mod common;

use std::sync::atomic::Ordering;

use common::*;
use nestwise_analysis::{Verdict, analyse};
use nestwise_codegen::{Kernel, KernelSpec};
use nestwise_ir::schedule::ThreadLoop;
use nestwise_ir::{Expr, FpMode, LoopId, Nest, Scalar, Schedule, Ty, VarId};

/// The extents of `a`, with room for every subscript of the loop.
const EXTENTS: [i64; 2] = [40, 12];
const TRIPS: i64 = 9;

/// A way to make a subscript: `scale * counter + offset`.
fn along(b: &Builder, i: VarId, scale: i64, offset: i64) -> Expr {
    add(mul(int(scale), b.v(i)), int(offset))
}

/// `a[p(i)] = a[q(i)]` and `c[i] = a[r(i)]`, or the same for all columns of `a`, where the second is a column further;
/// half of them over a counter that goes down.
fn random(elem: Ty, rank: u32, g: &mut Random) -> Nest {
    let mut b = Builder::new();
    let (a, c) = (
        b.array(elem.repr, elem, rank),
        b.array(elem.repr, elem, rank),
    );
    let (rows, columns) = (b.loop_id(), (rank > 1).then(|| b.loop_id()));
    let (i, j) = (b.var(I64), b.var(I64));
    let mut near = |b: &Builder| match g.below(6) {
        5 => along(b, i, 2, g.below(4) as i64),
        4 => along(b, i, -1, 20 + g.below(4) as i64),
        _ => along(b, i, 1, g.below(4) as i64),
    };
    let (to, from, other) = (near(&b), near(&b), near(&b));
    let column = |b: &Builder, k: i64| match rank {
        1 => vec![],
        _ => vec![add(b.v(j), int(k))],
    };
    let shift = g.below(2) as i64;
    let load = |b: &mut Builder, row: Expr, k: i64| {
        let index = [vec![row], column(b, k)].concat();
        b.load(a, index, false)
    };
    let first = load(&mut b, from, shift);
    let index = [vec![to], column(&b, 0)].concat();
    let first = b.store(a, index, first, false);
    let second = load(&mut b, other, 0);
    let index = [vec![b.v(i)], column(&b, 0)].concat();
    let second = b.store(c, index, second, false);
    let mut body = match g.below(2) {
        0 => vec![first, second],
        _ => vec![second, first],
    };
    if let Some(columns) = columns {
        body = vec![b.for_(columns, j, upto(int(EXTENTS[1] - 1)), body)];
    }
    let bounds = match g.below(2) {
        0 => upto(int(TRIPS)),
        _ => [int(TRIPS - 1), int(-1), int(-1)],
    };
    let top = b.for_(rows, i, bounds, body);
    b.finish(top)
}

/// The outermost loop mapped to threads as the analysis says, if some loads read anti-dependence copies.
fn mapped(nest: &Nest) -> Option<ThreadLoop> {
    let info = analyse(nest, FpMode::Strict).loops.swap_remove(0);
    let found = info.verdict == Verdict::Parallel && !info.anti_dependence_copies.is_empty();
    found.then(|| ThreadLoop {
        private: info.private_arrays,
        anti_dependence_copies: info.anti_dependence_copies,
        ..ThreadLoop::plain(LoopId(0))
    })
}

/// A kernel for arrays of any strides or, if `unit`, of unit stride along the last axis.
fn compiled(nest: &Nest, schedule: &Schedule, unit: bool) -> Kernel {
    kernel_of(KernelSpec {
        unit_stride: &[unit; 2],
        ..spec(nest, schedule)
    })
}

fn value(storage: Scalar, k: usize) -> Value {
    match storage {
        Scalar::F64 => Value::F64(k as f64 * 0.5),
        Scalar::Num => Value::Num(k as f64, k.is_multiple_of(2)),
        Scalar::C128 => Value::C128(k as f64, -1.0),
        Scalar::Bool => Value::Bool(k.is_multiple_of(3)),
        _ => Value::Int(k as i128),
    }
}

fn filled(storage: Scalar, shape: &[i64]) -> Buffer {
    let mut b = Buffer::new(storage, shape);
    (0..b.len()).for_each(|k| b.set(k, value(storage, k)));
    b
}

/// The memory that a kernel leaves.
fn after<'n>(nest: &'n Nest, kernel: &Kernel, unit: bool) -> Run<'n> {
    let elem = nest.arrays.values().next().expect("an array");
    let shape = &EXTENTS[..elem.rank as usize];
    let mut run = Run::new(
        nest,
        vec![filled(elem.storage, shape), filled(elem.storage, shape)],
    );
    if !unit && elem.rank == 2 {
        // Columns first.
        let a = nest.arrays.ids().next().expect("an array");
        run.view(a, 0, &EXTENTS, &[1, EXTENTS[0]]);
    }
    run.done(kernel, 0, TRIPS);
    run
}

fn alike(x: &Run<'_>, y: &Run<'_>) -> bool {
    let mut pairs = x.arrays.iter().zip(&y.arrays);
    pairs.all(|(x, y)| (0..x.len()).all(|k| x.get(k).same(y.get(k))))
}

/// The arrays are the same, bit for bit, in any number of parts; without copies they often are not.
#[test]
fn loads_find_what_was_there_before() {
    common::pool::register();
    let mut g = Random(7);
    let (mut halos, mut copies, mut wrong) = (0, 0, 0);
    let types = [
        NPF,
        Ty::PY_NUM,
        np(Scalar::I16),
        Ty::NP_BOOL,
        np(Scalar::C128),
    ];
    for round in 0..160 {
        let (elem, rank) = (types[round % 5], 1 + g.below(2) as u32);
        let nest = random(elem, rank, &mut g);
        let Some(t) = mapped(&nest) else { continue };
        match t.anti_dependence_copies[0].is_halo() {
            true => halos += 1,
            false => copies += 1,
        }
        let unit = g.below(2) == 0;
        let unaware = Schedule {
            threads: vec![ThreadLoop {
                anti_dependence_copies: vec![],
                ..t.clone()
            }],
            ..Schedule::default()
        };
        let schedule = Schedule {
            threads: vec![t],
            ..Schedule::default()
        };
        let serial = after(&nest, &compiled(&nest, &Schedule::serial(), unit), unit);
        let kernel = compiled(&nest, &schedule, unit);
        for parts in [1, 2, 5, 9] {
            common::pool::PARTS.store(parts, Ordering::Relaxed);
            let threads = after(&nest, &kernel, unit);
            assert!(
                alike(&serial, &threads),
                "{elem} in {parts} parts: {:?}\n{nest}",
                schedule.threads
            );
        }
        let without = after(&nest, &compiled(&nest, &unaware, unit), unit);
        wrong += usize::from(!alike(&serial, &without));
    }
    println!("halos {halos} copies {copies} wrong {wrong}");
    assert!(halos > 15 && copies > 5 && wrong > 15);
}
