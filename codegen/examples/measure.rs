//! Prints what it costs to compile typical nests, and how fast they run.
//!
//!     cargo run --release -p nestwise-codegen --example measure [name] [asm|ir]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::*;
use nestwise_codegen::{assembly, compile, llvm_ir, load};
use nestwise_ir::{ArrayId, BinOp, CmpOp, Expr, IdSet, LoopId, Nest, Scalar, Schedule, StmtKind};

fn f(v: f64) -> Expr {
    constant(nestwise_ir::Const::Float(v), NPF)
}

/// Processor time of this thread, in seconds: the machine may be shared.
fn cpu() -> f64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// C = A B with a scalar accumulator.
fn gemm() -> Nest {
    let mut b = Builder::new();
    let (a, x, c) = (b.floats(2), b.floats(2), b.floats(2));
    let (li, lj, lk) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (i, j, k, s) = (b.var(I64), b.var(I64), b.var(I64), b.var(NPF));
    let (la, lb) = (
        b.load(a, vec![b.v(i), b.v(k)], false),
        b.load(x, vec![b.v(k), b.v(j)], false),
    );
    let sum = add(b.v(s), mul(la, lb));
    let inner = b.for_(lk, k, upto(dim(a, 1)), vec![let_(s, sum)]);
    let put = b.store(c, vec![b.v(i), b.v(j)], b.v(s), false);
    let middle = b.for_(lj, j, upto(dim(c, 1)), vec![let_(s, f(0.0)), inner, put]);
    let top = b.for_(li, i, upto(dim(c, 0)), vec![middle]);
    b.finish(top)
}

/// y += alpha x
fn axpy() -> Nest {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let l = b.loop_id();
    let (i, alpha) = (b.var(I64), b.input(NPF));
    let sum = add(
        b.load(y, vec![b.v(i)], false),
        mul(b.v(alpha), b.load(x, vec![b.v(i)], false)),
    );
    let put = b.store(y, vec![b.v(i)], sum, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    b.finish(top)
}

/// Five-point Jacobi sweeps with a buffer swap.
fn jacobi() -> Nest {
    let mut b = Builder::new();
    let (u, v) = (b.floats(2), b.floats(2));
    let (lt, li, lj) = (b.loop_id(), b.loop_id(), b.loop_id());
    let (t, i, j) = (b.var(I64), b.var(I64), b.var(I64));
    let mut at = |di: i64, dj: i64| {
        let (p, q) = (add(b.v(i), int(di)), add(b.v(j), int(dj)));
        b.load(u, vec![p, q], false)
    };
    let (n, s, w, e) = (at(-1, 0), at(1, 0), at(0, -1), at(0, 1));
    let value = mul(f(0.25), add(add(add(n, s), w), e));
    let put = b.store(v, vec![b.v(i), b.v(j)], value, false);
    let inside = |a: ArrayId, axis: u32| [int(1), sub(dim(a, axis), int(1)), int(1)];
    let inner = b.for_(lj, j, inside(u, 1), vec![put]);
    let middle = b.for_(li, i, inside(u, 0), vec![inner]);
    let swap = stmt(StmtKind::Rebind(vec![(u, v), (v, u)]));
    let top = b.for_(lt, t, upto(int(100)), vec![middle, swap]);
    b.finish(top)
}

/// Escape times of z*z + c.
fn mandelbrot() -> Nest {
    let mut b = Builder::new();
    let (xs, out) = (b.floats(1), b.array(Scalar::I64, np(Scalar::I64), 1));
    let (l, lk) = (b.loop_id(), b.loop_id());
    let (i, k, zr, zi, c, t, n) = (
        b.var(I64),
        b.var(I64),
        b.var(NPF),
        b.var(NPF),
        b.var(NPF),
        b.var(NPF),
        b.var(I64),
    );
    let size = add(mul(b.v(zr), b.v(zr)), mul(b.v(zi), b.v(zi)));
    let body = vec![
        if_(
            cmp(CmpOp::Gt, size, f(4.0)),
            vec![stmt(StmtKind::Break(lk))],
            vec![],
        ),
        let_(
            t,
            add(sub(mul(b.v(zr), b.v(zr)), mul(b.v(zi), b.v(zi))), b.v(c)),
        ),
        let_(zi, add(mul(mul(f(2.0), b.v(zr)), b.v(zi)), f(0.1))),
        let_(zr, b.v(t)),
        let_(n, add(b.v(n), int(1))),
    ];
    let inner = b.for_(lk, k, upto(int(200)), body);
    let load = b.load(xs, vec![b.v(i)], false);
    let put = b.store(out, vec![b.v(i)], b.v(n), false);
    let body = vec![
        let_(c, load),
        let_(zr, f(0.0)),
        let_(zi, f(0.0)),
        let_(n, int(0)),
        inner,
        put,
    ];
    let top = b.for_(l, i, upto(dim(xs, 0)), body);
    b.finish(top)
}

/// out[i] = x[i] ** 2
fn squares() -> Nest {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let l = b.loop_id();
    let i = b.var(I64);
    let v = bin(BinOp::Pow, b.load(x, vec![b.v(i)], false), f(2.0), true);
    let put = b.store(y, vec![b.v(i)], v, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    b.finish(top)
}

struct Case {
    name: &'static str,
    nest: Nest,
    schedule: Schedule,
    arrays: Vec<Buffer>,
    /// Top iterations.
    hi: i64,
    /// Innermost iterations.
    work: f64,
}

fn cases() -> Vec<Case> {
    let n = 300i64;
    let square = || Buffer::floats(&[n, n], |k| (k % 97) as f64 * 0.01);
    let mut all = vec![];
    let mut add = |name, nest, schedule, arrays: Vec<Buffer>, hi, work| {
        all.push(Case {
            name,
            nest,
            schedule,
            arrays,
            hi,
            work,
        });
    };
    let cube = (n * n * n) as f64;
    let lanes = |l: u32, n: u32| vector(LoopId(l), n);
    add(
        "gemm serial",
        gemm(),
        Schedule::serial(),
        vec![square(), square(), square()],
        n,
        cube,
    );
    for (name, k) in [
        ("gemm 8 lanes", 8),
        ("gemm 16 lanes", 16),
        ("gemm 32 lanes", 32),
        ("gemm 64 lanes", 64),
    ] {
        add(
            name,
            gemm(),
            lanes(1, k),
            vec![square(), square(), square()],
            n,
            cube,
        );
    }
    for (name, lanes, rows) in [
        ("gemm 8x2 tile", 8, 2),
        ("gemm 8x4 tile", 8, 4),
        ("gemm 16x2 tile", 16, 2),
        ("gemm 16x4 tile", 16, 4),
        ("gemm 32x4 tile", 32, 4),
    ] {
        let schedule = Schedule {
            nonempty: IdSet::new(),
            vector: vec![(LoopId(0), rows), (LoopId(1), lanes)],
            ..Schedule::default()
        };
        add(
            name,
            gemm(),
            schedule,
            vec![square(), square(), square()],
            n,
            cube,
        );
    }
    let long = || Buffer::floats(&[4096], |k| k as f64);
    add(
        "axpy serial",
        axpy(),
        Schedule::serial(),
        vec![long(), long()],
        4096,
        4096.0,
    );
    add(
        "axpy independent",
        axpy(),
        independent(LoopId(0)),
        vec![long(), long()],
        4096,
        4096.0,
    );
    add(
        "axpy 16 lanes",
        axpy(),
        lanes(0, 16),
        vec![long(), long()],
        4096,
        4096.0,
    );
    let grid = || Buffer::floats(&[500, 500], |k| (k % 31) as f64);
    let cells = 498.0 * 498.0 * 20.0;
    add(
        "jacobi serial",
        jacobi(),
        Schedule::serial(),
        vec![grid(), grid()],
        20,
        cells,
    );
    add(
        "jacobi independent",
        jacobi(),
        independent(LoopId(2)),
        vec![grid(), grid()],
        20,
        cells,
    );
    add(
        "jacobi 16 lanes",
        jacobi(),
        lanes(2, 16),
        vec![grid(), grid()],
        20,
        cells,
    );
    let line = || Buffer::floats(&[2000], |k| k as f64 / 1000.0 - 1.7);
    let counts = || Buffer::new(Scalar::I64, &[2000]);
    add(
        "mandelbrot serial",
        mandelbrot(),
        Schedule::serial(),
        vec![line(), counts()],
        2000,
        2e3,
    );
    for (name, k) in [
        ("mandelbrot 8 lanes", 8),
        ("mandelbrot 16 lanes", 16),
        ("mandelbrot 32 lanes", 32),
    ] {
        add(
            name,
            mandelbrot(),
            lanes(0, k),
            vec![line(), counts()],
            2000,
            2e3,
        );
    }
    add(
        "squares serial",
        squares(),
        Schedule::serial(),
        vec![long(), long()],
        4096,
        4096.0,
    );
    add(
        "squares 8 lanes",
        squares(),
        lanes(0, 8),
        vec![long(), long()],
        4096,
        4096.0,
    );
    all
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let print = std::env::args().nth(2).unwrap_or_default();
    println!(
        "{:24}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}{:>12}",
        "", "emit ms", "opt ms", "asm ms", "load us", "cpu ms", "bytes", "ns/iter"
    );
    for case in cases() {
        if !case.name.contains(&wanted) {
            continue;
        }
        let spec = spec(&case.nest, &case.schedule);
        match print.as_str() {
            "asm" => println!("{}", assembly(spec).expect("compiles")),
            "ir" => println!("{}", llvm_ir(spec).expect("compiles").1),
            "raw" => println!("{}", llvm_ir(spec).expect("compiles").0),
            _ => {}
        }
        let mut best = compile(spec).expect("compiles");
        let mut total = f64::INFINITY;
        for _ in 0..std::env::var("NW_REP")
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(8)
        {
            let before = cpu();
            let c = compile(spec).expect("compiles");
            if c.emit + c.optimise + c.assemble < best.emit + best.optimise + best.assemble {
                best = c;
            }
            total = total.min(cpu() - before);
        }
        let started = Instant::now();
        let kernel = load(&best.object).expect("loads");
        let load_time = started.elapsed();
        let mut run = Run::new(&case.nest, case.arrays);
        let mut seconds = f64::INFINITY;
        for _ in 0..20 {
            let started = cpu();
            run.done(&kernel, 0, case.hi);
            seconds = seconds.min(cpu() - started);
        }
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        println!(
            "{:24}{:9.2}{:9.2}{:9.2}{:9.1}{:9.2}{:10}{:12.3}",
            case.name,
            ms(best.emit),
            ms(best.optimise),
            ms(best.assemble),
            ms(load_time) * 1e3,
            total * 1e3,
            best.object.len(),
            seconds / case.work * 1e9
        );
    }
}
