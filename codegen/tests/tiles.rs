//! Register tiles: threads of a device that have several iterations of axes which share loads run them interleaved.

mod common;
#[path = "common/device.rs"]
mod device;

use common::*;
use device::*;
use nestwise_codegen::GridTarget;
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{Const, Expr, IdSet, LoopId, Nest, Scalar, Schedule, VarId};

/// A nest, the loops on its axes, and the variables that outlive it.
struct Case {
    nest: Nest,
    axes: Vec<LoopId>,
    left: Vec<VarId>,
    nonempty: IdSet<LoopId>,
}

impl Case {
    fn schedule(&self) -> Schedule {
        let mut schedule = mapped(&[&self.axes]);
        schedule.grid[0].mapped.last_values.clone_from(&self.left);
        schedule.nonempty = self.nonempty;
        schedule
    }

    fn tile(&self) -> [i64; 3] {
        compiled(&self.nest, &self.schedule(), GridTarget::Emulated).kernels[0].tile
    }

    /// Checks that the emulated form leaves what the serial one does, whatever the grid.
    fn agrees(&self, arrays: &[Buffer], trips: i64) {
        let mut run = Run::new(&self.nest, arrays.to_vec());
        run.done(&kernel(&self.nest, &Schedule::serial()), 0, trips);
        let expected: Vec<Value> = self.left.iter().map(|v| run.var(*v)).collect();
        for shape in SHAPES {
            let told = std::cell::RefCell::new(vec![]);
            let look = |run: &mut Run<'_>| {
                told.replace(self.left.iter().map(|v| run.var(*v)).collect());
            };
            let ran = emulated_with(
                &self.nest,
                &self.schedule(),
                arrays,
                trips,
                shape,
                &|_| {},
                &look,
            );
            assert_eq!(ran.2, 0);
            for (got, wanted) in ran.0.iter().zip(&run.arrays) {
                let same = |k: usize| got.get(k).same(wanted.get(k));
                assert!((0..got.len()).all(same), "{shape:?}");
            }
            for (got, wanted) in told.take().into_iter().zip(&expected) {
                assert!(got.same(*wanted), "{got:?} for {wanted:?} {shape:?}");
            }
        }
    }
}

fn num(v: f64) -> Expr {
    constant(Const::Float(v), NPF)
}

/// for i: f = i + 100; for j: s = 0; for k (to `i` where that is asked for): s += a[i, k] * x[k, j]; c[i, j] = s, n[i,
/// j] = f
fn product(triangle: bool) -> Case {
    let mut b = Builder::new();
    let (a, x, c) = (b.floats(2), b.floats(2), b.floats(2));
    let n = b.array(Scalar::I64, I64, 2);
    let (li, lj, lk) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k) = (b.var(I64), b.var(I64), b.var(I64));
    let (s, f) = (b.var(NPF), b.var(I64));
    let left = b.load(a, vec![b.v(i), b.v(k)], false);
    let right = b.load(x, vec![b.v(k), b.v(j)], false);
    let sum = add(b.v(s), mul(left, right));
    let end = if triangle { b.v(i) } else { dim(a, 1) };
    let inner = b.for_(lk, k, upto(end), vec![let_(s, sum)]);
    let put = b.store(c, vec![b.v(i), b.v(j)], b.v(s), false);
    let note = b.store(n, vec![b.v(i), b.v(j)], b.v(f), false);
    let middle = b.for_(
        lj,
        j,
        upto(dim(c, 1)),
        vec![let_(s, num(0.0)), inner, put, note],
    );
    let top = b.for_(
        li,
        i,
        upto(dim(c, 0)),
        vec![let_(f, add(b.v(i), int(100))), middle],
    );
    let left = match triangle {
        true => vec![i, j, s, f],
        false => vec![i, j, k, s, f],
    };
    left.iter().for_each(|v| b.output(*v));
    Case {
        nest: b.finish(top),
        axes: vec![li, lj],
        left,
        nonempty: IdSet::first(if triangle { 2 } else { 3 }),
    }
}

fn some(shape: &[i64], factor: f64) -> Buffer {
    Buffer::floats(shape, move |k| ((k * 31 % 17) as f64 - 8.3) * factor)
}

fn counts(shape: &[i64]) -> Buffer {
    Buffer::new(Scalar::I64, shape)
}

#[test]
fn a_product_is_computed_by_tiles_of_8_rows_and_4_columns() {
    let case = product(false);
    assert_eq!(case.tile(), [4, 8, 1]);
    // Tiles, and iterations that fill none, of either axis and of both.
    for (rows, columns) in [(9, 15), (16, 8), (3, 21), (21, 3), (33, 70)] {
        let size = [rows, columns];
        case.agrees(
            &[
                some(&[rows, 6], 0.1),
                some(&[6, columns], 1.7),
                some(&size, 0.0),
                counts(&size),
            ],
            rows,
        );
    }
}

#[test]
fn a_tile_loads_what_it_shares_once() {
    let case = product(false);
    let text = ptx(&case.nest, &case.schedule(), 80);
    let count = |what: &str| {
        text.lines()
            .filter(|l| l.trim_start().starts_with(what))
            .count()
    };
    let (loads, products) = (count("ld.global"), count("mul.rn.f64"));
    // 32 at once load 12 elements, 4 or 8 of one row or column one more each, 1 loads 2.
    assert!(products >= 25, "{products}");
    assert!(loads * 25 <= products * 20, "{loads} loads for {products}");
}

#[test]
fn bounds_that_differ_are_not_interleaved() {
    let case = product(true);
    assert_eq!(case.tile(), [4, 1, 1]);
    let size = [9, 35];
    case.agrees(
        &[
            some(&[9, 9], 0.1),
            some(&[9, 35], 1.7),
            some(&size, 0.0),
            counts(&size),
        ],
        9,
    );
}

/// for i: s = 0; for j: s += x[j] - x[i]; y[i] = s
#[test]
fn what_all_iterations_of_one_axis_load_is_shared() {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (li, lj) = (b.loop_id(), b.loop_id());
    let (i, j, s) = (b.var(I64), b.var(I64), b.var(NPF));
    let apart = sub(
        b.load(x, vec![b.v(j)], false),
        b.load(x, vec![b.v(i)], false),
    );
    let inner = b.for_(lj, j, upto(dim(x, 0)), vec![let_(s, add(b.v(s), apart))]);
    let put = b.store(y, vec![b.v(i)], b.v(s), false);
    let top = b.for_(li, i, upto(dim(y, 0)), vec![let_(s, num(0.0)), inner, put]);
    let case = Case {
        nest: b.finish(top),
        axes: vec![li],
        left: vec![],
        nonempty: IdSet::new(),
    };
    assert_eq!(case.tile(), [4, 1, 1]);
    for n in [1, 7, 30, 250] {
        case.agrees(&[some(&[n], 0.3), some(&[n], 0.0)], n);
    }
}

/// for t: for i: for j: for k: c[t, i, j] += a[t, i, k] * x[t, k, j]
#[test]
fn elements_that_are_stored_again_and_again_are_each_copy_s_own() {
    let mut b = Builder::new();
    let (a, x, c) = (b.floats(3), b.floats(3), b.floats(3));
    let loops = [b.loop_id(), b.loop_id(), b.loop_id()];
    let lk = b.loop_id();
    let [t, i, j, k] = [b.var(I64), b.var(I64), b.var(I64), b.var(I64)];
    let at = |b: &Builder| vec![b.v(t), b.v(i), b.v(j)];
    let left = b.load(a, vec![b.v(t), b.v(i), b.v(k)], false);
    let right = b.load(x, vec![b.v(t), b.v(k), b.v(j)], false);
    let old = at(&b);
    let sum = add(b.load(c, old, false), mul(left, right));
    let place = at(&b);
    let put = b.store(c, place, sum, false);
    let mut body = b.for_(lk, k, upto(dim(a, 2)), vec![put]);
    for (axis, (id, counter)) in loops.iter().zip([t, i, j]).enumerate().rev() {
        body = b.for_(*id, counter, upto(dim(c, axis as u32)), vec![body]);
    }
    let case = Case {
        nest: b.finish(body),
        axes: loops.to_vec(),
        left: vec![],
        nonempty: IdSet::new(),
    };
    assert_eq!(case.tile(), [4, 4, 1]);
    case.agrees(
        &[
            some(&[3, 10, 5], 0.1),
            some(&[3, 5, 13], 1.7),
            some(&[3, 10, 13], 0.5),
        ],
        3,
    );
}

#[test]
fn iterations_that_share_nothing_or_are_reduced_run_one_by_one() {
    let mut b = Builder::new();
    let (x, li, lj) = (b.floats(2), b.loop_id(), b.loop_id());
    let (i, j) = (b.var(I64), b.var(I64));
    let own = b.load(x, vec![b.v(i), b.v(j)], false);
    let put = b.store(x, vec![b.v(i), b.v(j)], add(own, num(1.0)), false);
    let row = b.for_(lj, j, upto(dim(x, 1)), vec![put]);
    let top = b.for_(li, i, upto(dim(x, 0)), vec![row]);
    let nest = b.finish(top);
    let made = |nest: &Nest, schedule: &Schedule| compiled(nest, schedule, GridTarget::Emulated);
    // Each iteration has a row of its own.
    assert_eq!(made(&nest, &mapped(&[&[li]])).kernels[0].tile, [1; 3]);

    let mut b = Builder::new();
    let (x, li, lj) = (b.floats(1), b.loop_id(), b.loop_id());
    let (i, j, n) = (b.var(I64), b.var(I64), b.input(I64));
    let seen = b.load(x, vec![b.v(j)], false);
    let positive = cmp(nestwise_ir::CmpOp::Gt, seen, num(0.0));
    let count = if_(positive, vec![let_(n, add(b.v(n), int(1)))], vec![]);
    let inner = b.for_(lj, j, upto(dim(x, 0)), vec![count]);
    let top = b.for_(li, i, upto(dim(x, 0)), vec![inner]);
    b.output(n);
    let nest = b.finish(top);
    let mut schedule = mapped(&[&[li]]);
    schedule.grid[0].mapped.reductions = vec![(n, RedOp::Add)];
    assert_eq!(made(&nest, &schedule).kernels[0].tile, [1; 3]);
}
