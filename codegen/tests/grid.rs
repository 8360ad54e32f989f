//! Kernels for the grid of a device: what the emulated form computes, thread by thread, against the serial kernel; and
//! what PTX is made of.

mod common;
#[path = "common/device.rs"]
mod device;

use common::*;
use device::*;
use nestwise_codegen::abi::Status;
use nestwise_codegen::{CodegenError, DeviceCode, GridTarget, KernelSpec, compile_grid};
use nestwise_ir::schedule::RedOp;
use nestwise_ir::{CmpOp, Expr, IdSet, LoopId, Nest, Scalar, Schedule};

#[test]
fn a_time_loop_launches_once_a_step_and_computes_what_the_host_would() {
    let (nest, [_, li, lj], a) = heat();
    let grid = |seed: usize| Buffer::floats(&[13, 9], move |k| (k * 7 + seed) as f64 % 5.0 - 1.0);
    let arrays = [grid(1), grid(2)];
    let factor = |run: &mut Run<'_>| run.set_var(a, Value::F64(0.5));
    let expected = serial(&nest, &arrays, 6, &factor);
    for axes in [&[li, lj][..], &[li]] {
        let schedule = mapped(&[axes]);
        for shape in SHAPES.into_iter().take(2 * axes.len()) {
            let (got, launches, status) = emulated(&nest, &schedule, &arrays, 6, shape, &factor);
            assert_eq!(status, 0);
            for (mine, theirs) in got.iter().zip(&expected) {
                assert_eq!(mine.f64s(), theirs.f64s(), "{axes:?} {shape:?}");
            }
            let inner = if axes.len() == 2 { 9 } else { -1 };
            assert_eq!(launches, vec![(0, 11, inner); 6]);
        }
    }
}

/// s = 0; s += a[i, k] * x[k, j]; c[i, j] = s
fn product() -> (Nest, [LoopId; 2]) {
    let mut b = Builder::new();
    let (a, x, c) = (b.floats(2), b.floats(2), b.floats(2));
    let (li, lj, lk) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k, s) = (b.var(I64), b.var(I64), b.var(I64), b.var(NPF));
    let left = b.load(a, vec![b.v(i), b.v(k)], false);
    let right = b.load(x, vec![b.v(k), b.v(j)], false);
    let sum = add(b.v(s), mul(left, right));
    let inner = b.for_(lk, k, upto(dim(a, 1)), vec![let_(s, sum)]);
    let put = b.store(c, vec![b.v(i), b.v(j)], b.v(s), false);
    let zero: Expr = constant(nestwise_ir::Const::Float(0.0), NPF);
    let middle = b.for_(lj, j, upto(dim(c, 1)), vec![let_(s, zero), inner, put]);
    let top = b.for_(li, i, upto(dim(c, 0)), vec![middle]);
    (b.finish(top), [li, lj])
}

#[test]
fn a_product_keeps_its_bits() {
    let (nest, axes) = product();
    let some = |rows: i64, columns: i64, f: f64| {
        Buffer::floats(&[rows, columns], move |k| ((k * 31 % 17) as f64 - 8.3) * f)
    };
    let arrays = [some(7, 12, 0.1), some(12, 5, 1.7), some(7, 5, 0.0)];
    let expected = serial(&nest, &arrays, 7, &|_| {});
    for shape in SHAPES {
        let schedule = mapped(&[&axes]);
        let (got, launches, status) = emulated(&nest, &schedule, &arrays, 7, shape, &|_| {});
        assert_eq!((status, launches), (0, vec![(0, 7, 5)]));
        assert_eq!(got[2].f64s(), expected[2].f64s());
    }
}

#[test]
fn the_last_iteration_tells_what_outlives_the_loop() {
    let mut b = Builder::new();
    let (x, li, lj) = (b.floats(2), b.loop_id(), b.loop_id());
    let (i, j, s, m) = (b.var(I64), b.var(I64), b.var(NPF), b.var(I64));
    let double = add(b.load(x, vec![b.v(i), b.v(j)], false), b.v(s));
    let set = let_(s, b.load(x, vec![b.v(i), b.v(j)], false));
    let put = b.store(x, vec![b.v(i), b.v(j)], double, false);
    let inner = b.for_(lj, j, upto(dim(x, 1)), vec![set, put]);
    let before = let_(m, add(b.v(i), int(100)));
    let top = b.for_(li, i, upto(dim(x, 0)), vec![before, inner]);
    for v in [s, m, j] {
        b.output(v);
    }
    let nest = b.finish(top);
    let arrays = [Buffer::floats(&[5, 7], |k| k as f64)];
    for axes in [&[li, lj][..], &[li]] {
        let mut schedule = mapped(&[axes]);
        schedule.grid[0].mapped.last_values = vec![s, m, j];
        schedule.nonempty = IdSet::first(2);
        for shape in SHAPES.into_iter().take(2 * axes.len()) {
            let told = std::cell::RefCell::new(vec![]);
            let ran = emulated_with(&nest, &schedule, &arrays, 5, shape, &|_| {}, &|run| {
                told.replace([s, m, j].map(|v| run.var(v)).to_vec());
            });
            assert_eq!(ran.2, 0);
            let expected = [Value::F64(34.0), Value::Int(104), Value::Int(6)];
            for (got, wanted) in told.take().into_iter().zip(expected) {
                assert!(got.same(wanted), "{got:?} for {wanted:?} {shape:?}");
            }
            assert_eq!(ran.0[0].f64s()[34], 68.0);
        }
    }
}

/// if x[i, j] < best: best = x[i, j]; where = i; n += 1, seen = j where x[i, j] > 0
fn searched() -> (Nest, Schedule, [nestwise_ir::VarId; 4]) {
    let mut b = Builder::new();
    let (x, li, lj) = (b.floats(2), b.loop_id(), b.loop_id());
    let (i, j) = (b.var(I64), b.var(I64));
    let (best, place) = (b.input(NPF), b.input(I64));
    let (n, seen) = (b.input(I64), b.input(I64));
    let at = |b: &mut Builder| b.load(x, vec![b.v(i), b.v(j)], false);
    let better = cmp(CmpOp::Lt, at(&mut b), b.v(best));
    let (value, row) = (at(&mut b), add(b.v(i), int(0)));
    let keep = if_(better, vec![let_(best, value), let_(place, row)], vec![]);
    let zero = constant(nestwise_ir::Const::Float(0.0), NPF);
    let positive = cmp(CmpOp::Gt, at(&mut b), zero);
    let count = let_(n, add(b.v(n), int(1)));
    let last = let_(seen, b.v(j));
    let inner = b.for_(
        lj,
        j,
        upto(dim(x, 1)),
        vec![keep, if_(positive, vec![count, last], vec![])],
    );
    let top = b.for_(li, i, upto(dim(x, 0)), vec![inner]);
    for v in [best, place, n, seen] {
        b.output(v);
    }
    let mut schedule = mapped(&[&[li, lj]]);
    schedule.grid[0].mapped.reductions = vec![
        (place, RedOp::Along(best)),
        (best, RedOp::Min),
        (n, RedOp::Add),
        (seen, RedOp::Last),
    ];
    (b.finish(top), schedule, [best, place, n, seen])
}

#[test]
fn blocks_leave_what_they_came_to() {
    let (nest, schedule, vars) = searched();
    let [best, place, n, seen] = vars;
    let prepare = |run: &mut Run<'_>| {
        run.set_var(best, Value::F64(9.0));
        run.set_var(place, Value::Int(-1));
        run.set_var(n, Value::Int(100));
        run.set_var(seen, Value::Int(-7));
    };
    // Zeros of either sign are equal: the first counts. So does the first of equal minima.
    let signs = |k: usize| [5.0, -0.0, 0.0, 2.0][k * 7 % 4];
    let few = |k: usize| (k * 31 % 11) as f64 - 4.0;
    let none = |_: usize| f64::NAN;
    let fills: [&dyn Fn(usize) -> f64; 3] = [&signs, &few, &none];
    for fill in fills {
        let arrays = [Buffer::floats(&[9, 13], fill)];
        let look = |run: &mut Run<'_>| vars.map(|v| run.var(v)).to_vec();
        let expected = {
            let mut run = Run::new(&nest, arrays.to_vec());
            prepare(&mut run);
            run.done(&kernel(&nest, &Schedule::serial()), 0, 9);
            look(&mut run)
        };
        for blocks in [[1, 1, 1], [3, 4, 1], [2, 7, 1], [13, 9, 1]] {
            let told = std::cell::RefCell::new(vec![]);
            let shape = (blocks, [1, 1, 1], 5);
            let ran = emulated_with(&nest, &schedule, &arrays, 9, shape, &prepare, &|run| {
                told.replace(look(run));
            });
            assert_eq!(ran.2, 0);
            for (got, wanted) in told.take().into_iter().zip(&expected) {
                assert!(got.same(*wanted), "{got:?} for {wanted:?}, {blocks:?}");
            }
        }
    }
}

#[test]
fn threads_of_a_block_combine_in_its_shared_memory() {
    let (nest, mut schedule, _) = searched();
    let text = ptx(&nest, &schedule, 80);
    assert!(
        text.contains("bar.sync") || text.contains("barrier.sync"),
        "{text}"
    );
    assert!(
        text.contains(".shared") && text.contains("ld.shared"),
        "{text}"
    );
    let record = &compiled(&nest, &schedule, GridTarget::Ptx(80)).kernels[0].record;
    assert!(*record > 0 && *record <= nestwise_codegen::MOST_RECORD);
    schedule.grid[0].mapped.reductions.clear();
    let plain = compile_grid(spec(&nest, &schedule), GridTarget::Ptx(80));
    assert!(plain.is_err(), "variables are carried");
}

/// p = a[k, k]; s += p; a[i, k] *= p below it; b[k] = s
fn pivots() -> (Nest, LoopId, nestwise_ir::VarId) {
    let mut b = Builder::new();
    let (a, out) = (b.floats(2), b.floats(1));
    let (lk, li) = (b.loop_id(), b.loop_id());
    let (k, i, p, s) = (b.var(I64), b.var(I64), b.var(NPF), b.input(NPF));
    let pivot = let_(p, b.load(a, vec![b.v(k), b.v(k)], false));
    let sum = let_(s, add(b.v(s), b.v(p)));
    let scaled = mul(b.load(a, vec![b.v(i), b.v(k)], false), b.v(p));
    let below = b.store(a, vec![b.v(i), b.v(k)], scaled, false);
    let rows = [add(b.v(k), int(1)), dim(a, 0), int(1)];
    let column = b.for_(li, i, rows, vec![below]);
    let kept = b.store(out, vec![b.v(k)], b.v(s), false);
    let top = b.for_(lk, k, upto(dim(a, 0)), vec![pivot, sum, column, kept]);
    b.output(s);
    (b.finish(top), li, s)
}

#[test]
fn one_thread_does_what_is_on_no_axis() {
    let (nest, li, s) = pivots();
    let arrays = [
        Buffer::floats(&[4, 4], |k| 1.0 + k as f64 / 8.0),
        Buffer::floats(&[4], |_| 0.0),
    ];
    let zero = |run: &mut Run<'_>| run.set_var(s, Value::F64(0.0));
    let expected = serial(&nest, &arrays, 4, &zero);
    let schedule = mapped(&[&[li]]);
    for shape in SHAPES.into_iter().take(2) {
        let told = std::cell::Cell::new(None);
        let ran = emulated_with(&nest, &schedule, &arrays, 4, shape, &zero, &|run| {
            told.set(Some(run.var(s)));
        });
        assert_eq!(ran.2, 0);
        let column = |k: i64| [(0, 1, -1), (1, 3 - k, -1), (2, 1, -1)];
        let launched = (0..4).flat_map(column).filter(|launch| launch.1 > 0);
        assert_eq!(ran.1, launched.collect::<Vec<_>>());
        for (mine, theirs) in ran.0.iter().zip(&expected) {
            assert_eq!(mine.f64s(), theirs.f64s(), "{shape:?}");
        }
        let last = expected[1].f64s()[3];
        assert!(told.get().is_some_and(|v| v.same(Value::F64(last))));
    }
}

#[test]
fn what_may_have_warned_is_told() {
    let (nest, axes) = product();
    let mut arrays = [
        Buffer::floats(&[2, 3], |_| 1e200),
        Buffer::floats(&[3, 2], |_| 2.0),
        Buffer::floats(&[2, 2], |_| 0.0),
    ];
    let schedule = mapped(&[&axes]);
    let status = |arrays: &[Buffer]| emulated(&nest, &schedule, arrays, 2, SHAPES[2], &|_| {}).2;
    assert_eq!(status(&arrays), 0);
    arrays[1].set(5, Value::F64(1e200));
    assert_eq!(status(&arrays), Status::GuardFailed as i64);
    arrays[1].set(5, Value::F64(f64::NAN));
    assert_eq!(status(&arrays), Status::GuardFailed as i64);
}

/// x[p[i]] = 1, if the index is one
fn scattered() -> (Nest, LoopId) {
    let mut b = Builder::new();
    let (x, p) = (b.floats(1), b.array(Scalar::I64, I64, 1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let at = b.load(p, vec![b.v(i)], false);
    let one: Expr = constant(nestwise_ir::Const::Float(1.0), NPF);
    let put = b.store(x, vec![at], one, true);
    let top = b.for_(l, i, upto(dim(p, 0)), vec![put]);
    (b.finish(top), l)
}

#[test]
fn an_event_in_a_thread_is_told() {
    let (nest, l) = scattered();
    let schedule = mapped(&[&[l]]);
    for (last, expected) in [(3, 0), (4, Status::GuardFailed as i64)] {
        let positions: Vec<Value> = [0, 2, -1, last].map(Value::Int).to_vec();
        let arrays = [
            Buffer::floats(&[4], |_| 0.0),
            Buffer::of(Scalar::I64, &positions),
        ];
        let (got, _, status) = emulated(&nest, &schedule, &arrays, 4, SHAPES[1], &|_| {});
        assert_eq!(status, expected);
        assert_eq!(got[0].f64s()[..3], [1.0, 0.0, 1.0]);
    }
}

#[test]
fn ptx_has_kernels_that_round_and_fuse_nothing() {
    let (nest, axes) = product();
    let text = ptx(&nest, &mapped(&[&axes]), 80);
    assert!(text.contains(".target sm_80"), "{text}");
    assert_eq!(text.matches(".entry nw_grid_0").count(), 1, "{text}");
    for word in [
        "%tid.x",
        "%ctaid.x",
        "%ntid.x",
        "%nctaid.x",
        "%tid.y",
        "%ctaid.y",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(
        text.contains("mul.rn.f64") && text.contains("add.rn.f64"),
        "{text}"
    );
    for word in [
        "fma.", ".ftz", ".approx", "mul.f64", "add.f64", ".call", "call ",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    // Arrays are in the memory that all threads share, which is said.
    assert!(text.contains("ld.global"), "{text}");
    assert!(
        !text.contains("ld.f64") && !text.contains("ld.u64 "),
        "{text}"
    );
}

#[test]
fn what_a_device_has_not_is_refused() {
    let mut b = Builder::new();
    let (x, l, i) = (b.floats(1), b.loop_id(), b.var(I64));
    let at = b.load(x, vec![b.v(i)], false);
    let sine = call(
        nestwise_ir::Fun::Sin,
        nestwise_ir::Lib::C,
        vec![at],
        NPF,
        false,
    );
    let put = b.store(x, vec![b.v(i)], sine, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    let nest = b.finish(top);
    for target in [GridTarget::Emulated, GridTarget::Ptx(90)] {
        let refused = compile_grid(spec(&nest, &mapped(&[&[l]])), target);
        assert!(
            matches!(refused, Err(CodegenError::Unsupported(_))),
            "{refused:?}"
        );
    }
}

/// x[i] = exp(x[i]) + sin(x[i]) * log(x[i])
fn waves() -> (Nest, LoopId) {
    use nestwise_ir::Fun;
    use nestwise_ir::Lib;
    let mut b = Builder::new();
    let (x, l, i) = (b.floats(1), b.loop_id(), b.var(I64));
    let of = |b: &mut Builder, fun: Fun| {
        let at = b.load(x, vec![b.v(i)], false);
        call(fun, Lib::C, vec![at], NPF, true)
    };
    let product = mul(of(&mut b, Fun::Sin), of(&mut b, Fun::Log));
    let sum = add(of(&mut b, Fun::Exp), product);
    let put = b.store(x, vec![b.v(i)], sum, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    (b.finish(top), l)
}

#[test]
fn functions_are_the_cards_library_where_bits_are_not_promised() {
    let (nest, l) = waves();
    let schedule = mapped(&[&[l]]);
    let faithful = |target| {
        let spec = KernelSpec {
            fp: nestwise_ir::FpMode::Faithful,
            ..spec(&nest, &schedule)
        };
        compile_grid(spec, target)
    };
    // The emulated device has the host's.
    assert!(faithful(GridTarget::Emulated).is_ok());
    let Some(file) = std::env::var_os("NESTWISE_LIBDEVICE") else {
        println!("NESTWISE_LIBDEVICE is not set: nothing is linked");
        assert!(faithful(GridTarget::Ptx(80)).is_err());
        return;
    };
    nestwise_codegen::register_libdevice(file.into());
    for capability in CAPABILITIES {
        let made = faithful(GridTarget::Ptx(capability)).unwrap_or_else(|e| panic!("{e}"));
        let DeviceCode::Ptx(text) = made.device else {
            panic!("no PTX");
        };
        assert_eq!(text.matches(".entry").count(), 1, "{text}");
        assert!(
            !text.contains("__nv") && !text.contains(".ftz.f32"),
            "{text}"
        );
        assert!(text.contains("fma.rn.f64"), "{text}");
        assemble("waves", &text, capability);
    }
    // Strictly none of it.
    let refused = compile_grid(spec(&nest, &schedule), GridTarget::Ptx(80));
    assert!(matches!(refused, Err(CodegenError::Unsupported(_))));
}

#[test]
fn ptx_is_assembled_without_spills() {
    let (heat, [_, li, lj], _) = heat();
    let (product, axes) = product();
    let (scattered, l) = scattered();
    let (pivots, below, _) = pivots();
    let nests = [
        ("heat", &heat, vec![li, lj]),
        ("product", &product, axes.to_vec()),
        ("scattered", &scattered, vec![l]),
        ("pivots", &pivots, vec![below]),
    ];
    for (name, nest, axes) in nests {
        for capability in CAPABILITIES {
            assemble(name, &ptx(nest, &mapped(&[&axes]), capability), capability);
        }
    }
}
