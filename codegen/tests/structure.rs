//! The shape of the generated code, by counts: what must be vectorised is, what must be hoisted is, and a kernel
//! contains nothing that its guards do not ask for.

mod common;

use common::*;
use nestwise_codegen::{FpMode, KernelSpec, assembly, llvm_ir};
use nestwise_ir::model::nest::Cast;
use nestwise_ir::{BinOp, CmpOp, Expr, LoopId, Nest, Scalar, Schedule, StmtKind};

fn optimised(spec: KernelSpec<'_>) -> String {
    llvm_ir(spec).expect("compiles").1
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

/// y[i] = a x[i] + y[i]
fn axpy() -> Nest {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (l, i, a) = (b.loop_id(), b.var(I64), b.input(NPF));
    let sum = add(
        b.load(y, vec![b.v(i)], false),
        mul(b.v(a), b.load(x, vec![b.v(i)], false)),
    );
    let put = b.store(y, vec![b.v(i)], sum, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    b.finish(top)
}

/// out[i] = x[i - 1] + x[i + 1], in rows of a plane
fn stencil(guard: bool) -> Nest {
    let mut b = Builder::new();
    let (x, out) = (b.floats(2), b.floats(2));
    let (li, lj, i, j) = (b.loop_id(), b.loop_id(), b.var(I64), b.var(I64));
    let at = |b: &mut Builder, d: i64| b.load(x, vec![b.v(i), add(b.v(j), int(d))], guard);
    let sum = add(at(&mut b, -1), at(&mut b, 1));
    let put = b.store(out, vec![b.v(i), b.v(j)], sum, guard);
    let inner = b.for_(lj, j, [int(1), sub(dim(x, 1), int(1)), int(1)], vec![put]);
    let top = b.for_(li, i, upto(dim(x, 0)), vec![inner]);
    b.finish(top)
}

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
    let zero: Expr = constant(nestwise_ir::Const::Float(0.0), NPF);
    let middle = b.for_(lj, j, upto(dim(c, 1)), vec![let_(s, zero), inner, put]);
    let top = b.for_(li, i, upto(dim(c, 0)), vec![middle]);
    b.finish(top)
}

/// a[j] = min(min(x[j], a[j - 1] + 7), x[j - 1])
fn nearest() -> Nest {
    let mut b = Builder::new();
    let (x, a) = (b.array(Scalar::I64, I64, 1), b.array(Scalar::I64, I64, 1));
    let (l, j) = (b.loop_id(), b.var(I64));
    let before = |b: &Builder| vec![sub(b.v(j), int(1))];
    let above = b.load(x, vec![b.v(j)], false);
    let at = before(&b);
    let left = add(b.load(a, at, false), int(7));
    let at = before(&b);
    let corner = b.load(x, at, false);
    let least = bin(
        BinOp::Min,
        bin(BinOp::Min, above, left, false),
        corner,
        false,
    );
    let put = b.store(a, vec![b.v(j)], least, false);
    let top = b.for_(l, j, [int(1), dim(x, 0), int(1)], vec![put]);
    b.finish(top)
}

#[test]
fn what_comes_late_is_compared_last() {
    let nest = nearest();
    let schedule = Schedule::serial();
    let (raw, _) = llvm_ir(spec(&nest, &schedule)).expect("compiles");
    let line = |of: &str| {
        let found = raw.lines().filter(|l| l.contains(of)).map(str::trim);
        found.map(str::to_string).collect::<Vec<String>>()
    };
    let minima = line("= call i64 @llvm.smin");
    // The sum with what the last iteration stored goes into the second minimum only.
    let sums = line("= add nsw i64");
    let late = sums
        .iter()
        .find(|l| l.ends_with(", 7"))
        .and_then(|l| l.split_whitespace().next());
    let late = format!("i64 {}", late.expect("a sum"));
    let uses = |l: &String| l.contains(&format!("{late},")) || l.contains(&format!("{late})"));
    assert_eq!(
        minima.iter().map(uses).collect::<Vec<_>>(),
        [false, true],
        "{raw}"
    );
}

/// out[i] = a[(i + 1) % n]
fn ring() -> Nest {
    let mut b = Builder::new();
    let (a, out) = (b.floats(1), b.floats(1));
    let (l, i, n) = (b.loop_id(), b.var(I64), b.input(I64));
    let at = bin(BinOp::Mod, add(b.v(i), int(1)), b.v(n), false);
    let value = b.load(a, vec![at], false);
    let put = b.store(out, vec![b.v(i)], value, false);
    let top = b.for_(l, i, upto(b.v(n)), vec![put]);
    b.finish(top)
}

#[test]
fn subscripts_that_wrap_are_not_divided() {
    let nest = ring();
    for schedule in [Schedule::serial(), vector(LoopId(0), 8)] {
        let (raw, _) = llvm_ir(spec(&nest, &schedule)).expect("compiles");
        let lines: Vec<&str> = raw.lines().map(str::trim).collect();
        let divisions: Vec<usize> = (0..lines.len())
            .filter(|k| lines[*k].contains("= sdiv "))
            .collect();
        assert!(!divisions.is_empty(), "dividends may be far away: {raw}");
        for at in divisions {
            // Its block begins with it: whoever needs no division goes past.
            let label = lines[..at].iter().rposition(|l| l.contains("; preds ="));
            let before = &lines[label.expect("a block") + 1..at];
            let pure = |l: &&str| {
                l.contains("= select ") || l.contains("= icmp ") || l.contains("= load ")
            };
            assert!(before.iter().all(pure), "{before:?}\n{raw}");
        }
    }
}

/// out[i] = table[x[i]], of bytes
fn lookup(storage: Scalar) -> Nest {
    let mut b = Builder::new();
    let (x, table, out) = (
        b.array(Scalar::I64, I64, 1),
        b.array(storage, np(storage), 1),
        b.array(storage, np(storage), 1),
    );
    let (l, i) = (b.loop_id(), b.var(I64));
    let index = b.load(x, vec![b.v(i)], false);
    let value = b.load(table, vec![index], false);
    let put = b.store(out, vec![b.v(i)], value, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    b.finish(top)
}

#[test]
fn bytes_are_not_gathered() {
    for storage in [Scalar::U8, Scalar::I16] {
        let nest = lookup(storage);
        let text = optimised(spec(&nest, &independent(LoopId(0))));
        assert_eq!(count(&text, "load <"), 0, "{storage}: {text}");
    }
}

/// t = x[i] - y[i]; if z[i] > 0: out[i] = t; where `always`, t is stored either way
fn used_in_a_branch(always: bool) -> Nest {
    let mut b = Builder::new();
    let (x, y, z, out) = (b.floats(1), b.floats(1), b.floats(1), b.floats(1));
    let (l, i, t) = (b.loop_id(), b.var(I64), b.var(NPF));
    let difference = sub(
        b.load(x, vec![b.v(i)], false),
        b.load(y, vec![b.v(i)], false),
    );
    let zero = constant(nestwise_ir::Const::Float(0.0), NPF);
    let cond = cmp(CmpOp::Gt, b.load(z, vec![b.v(i)], false), zero);
    let mut put = || b.store(out, vec![b.v(i)], b.v(t), false);
    let body = match always {
        true => vec![let_(t, difference), put()],
        false => {
            let put = put();
            vec![let_(t, difference), if_(cond, vec![put], vec![])]
        }
    };
    let top = b.for_(l, i, upto(dim(x, 0)), body);
    b.finish(top)
}

#[test]
fn what_may_warn_is_computed_where_a_branch_does_without() {
    for schedule in [independent(LoopId(0)), vector(LoopId(0), 8)] {
        let nest = used_in_a_branch(false);
        let text = optimised(spec(&nest, &schedule));
        assert!(count(&text, "fsub <") > 0, "no vectors: {text}");
        assert!(
            count(&text, "llvm.vector.reduce.or") > 0,
            "not kept: {text}"
        );
        let nest = used_in_a_branch(true);
        let text = optimised(spec(&nest, &schedule));
        assert!(count(&text, "fsub <") > 0, "no vectors: {text}");
        assert_eq!(count(&text, "asm"), 0, "kept for nothing: {text}");
        assert_eq!(count(&text, "reduce.or"), 0, "kept for nothing: {text}");
    }
}

#[test]
fn elementwise_loops_are_vectorised_without_tests() {
    let nest = axpy();
    let schedule = independent(LoopId(0));
    let text = optimised(spec(&nest, &schedule));
    assert!(
        count(&text, "fmul <") > 0 && count(&text, "fadd <") > 0,
        "{text}"
    );
    assert_eq!(
        count(&text, "vector.memcheck"),
        0,
        "no overlap test where iterations are independent"
    );
    // Slots that are known to be disjoint need no test either, whatever the schedule says.
    let text = optimised(spec(&nest, &Schedule::serial()));
    assert!(count(&text, "fmul <") > 0);
    assert_eq!(count(&text, "vector.memcheck"), 0);
    // Nothing known: a test, or no vectors.
    let unknown = Schedule::serial();
    let text = optimised(KernelSpec {
        disjoint: false,
        ..spec(&nest, &unknown)
    });
    assert!(count(&text, "fmul <") == 0 || count(&text, "vector.memcheck") > 0);
}

#[test]
fn stencils_are_vectorised_with_consecutive_loads() {
    let nest = stencil(false);
    for schedule in [independent(LoopId(1)), vector(LoopId(1), 8)] {
        let text = optimised(spec(&nest, &schedule));
        assert!(
            count(&text, "load <") >= 2 && count(&text, "fadd <") > 0,
            "{text}"
        );
        assert_eq!(count(&text, "gather"), 0);
        assert_eq!(count(&text, "llvm.sadd.with.overflow"), 0);
    }
}

#[test]
fn guarded_loops_stay_vectorisable() {
    let nest = stencil(true);
    let schedule = independent(LoopId(1));
    let text = optimised(spec(&nest, &schedule));
    assert!(count(&text, "fadd <") > 0, "{text}");
}

/// Floats become ints by vectors, although no vector instruction saturates: a mask tells which float does not fit, and
/// the others are converted at once.
#[test]
fn floats_become_ints_by_vectors() {
    let mut b = Builder::new();
    let (x, out) = (b.floats(1), b.array(Scalar::I64, I64, 1));
    let (l, i) = (b.loop_id(), b.var(I64));
    let whole = cast(Cast::Trunc, b.load(x, vec![b.v(i)], false), I64, true);
    let put = b.store(out, vec![b.v(i)], whole, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    let nest = b.finish(top);
    let schedule = independent(LoopId(0));
    let text = optimised(spec(&nest, &schedule));
    assert!(count(&text, "fptosi <") > 0, "{text}");
    assert_eq!(count(&text, "fptosi.sat"), 0, "{text}");
}

#[test]
fn products_keep_vector_accumulators() {
    let nest = gemm();
    let schedule = vector(LoopId(1), 32);
    let (raw, text) = llvm_ir(spec(&nest, &schedule)).expect("compiles");
    assert!(count(&raw, "alloca <32 x double>") > 0);
    assert_eq!(count(&text, "alloca <"), 0, "accumulators are promoted");
    // One full vector, and a narrower one for what is left.
    for op in ["fadd <", "fmul <"] {
        assert_eq!(count(&text, op), 2, "{op}");
        assert_eq!(count(&text, &format!("{op}32 x double>")), 1, "{op}");
    }
    assert!(count(&text, "load <32 x double>") >= 1);
    assert!(count(&text, "llvm.masked.load.v") >= 1);
    assert_eq!(count(&text, "llvm.masked.load.v32f64"), 0);
    assert_eq!(count(&text, "gather"), 0);
    assert_eq!(
        count(&text, "load double"),
        2,
        "the other factor is loaded once for all lanes"
    );
}

#[test]
fn strict_arithmetic_has_no_flags() {
    let nest = gemm();
    let serial = Schedule::serial();
    for fp in [FpMode::Strict, FpMode::Faithful] {
        let (raw, text) = llvm_ir(KernelSpec {
            fp,
            ..spec(&nest, &serial)
        })
        .expect("compiles");
        for flag in ["reassoc", "contract", "fast", "fma"] {
            assert_eq!(count(&raw, &format!(" {flag} ")), 0, "{flag}");
            assert_eq!(count(&text, &format!(" {flag} ")), 0, "{flag}");
        }
        assert_eq!(count(&text, "fadd <"), 0, "a float sum keeps its order");
    }
}

/// Fast arithmetic is reassociated (a sum over vectors) and contracted (a fused multiply-add), and nothing else: NaN,
/// infinities and the sign of zero keep their meaning, quotients stay quotients.
#[test]
fn fast_arithmetic_is_reassociated_and_contracted() {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (l, i, s) = (b.loop_id(), b.var(I64), b.input(NPF));
    let product = mul(
        b.load(x, vec![b.v(i)], false),
        b.load(y, vec![b.v(i)], false),
    );
    let top = b.for_(l, i, upto(dim(x, 0)), vec![let_(s, add(b.v(s), product))]);
    b.output(s);
    let nest = b.finish(top);
    let serial = Schedule::serial();
    let fast = KernelSpec {
        fp: FpMode::Fast,
        ..spec(&nest, &serial)
    };
    let (raw, text) = llvm_ir(fast).expect("compiles");
    assert!(count(&raw, "fmul reassoc contract double") > 0, "{raw}");
    assert!(count(&raw, "fadd reassoc contract double") > 0, "{raw}");
    for flag in ["nnan", "ninf", "nsz", "arcp", "afn", "fast"] {
        assert_eq!(count(&raw, &format!(" {flag} ")), 0, "{flag}");
        assert_eq!(count(&text, &format!(" {flag} ")), 0, "{flag}");
    }
    assert!(count(&text, "fadd reassoc contract <") > 0, "{text}");
    assert!(count(&text, "vector.reduce.fadd") > 0, "{text}");
    let fused = |spec| count(&assembly(spec).expect("compiles"), "vfmadd");
    if std::arch::is_x86_feature_detected!("fma") {
        assert!(fused(fast) > 0);
    }
    assert_eq!(fused(spec(&nest, &serial)), 0);
}

/// Values that rest on how each operation rounds are computed the same in all modes.
#[test]
fn remainders_and_squares_are_never_fast() {
    for op in [BinOp::Mod, BinOp::FloorDiv] {
        let mut b = Builder::new();
        let (x, y, out) = (b.floats(1), b.floats(1), b.floats(1));
        let (l, i) = (b.loop_id(), b.var(I64));
        let (vx, vy) = (
            b.load(x, vec![b.v(i)], false),
            b.load(y, vec![b.v(i)], false),
        );
        let put = b.store(out, vec![b.v(i)], bin(op, vx, vy, true), false);
        let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
        let nest = b.finish(top);
        let serial = Schedule::serial();
        let (raw, _) = llvm_ir(KernelSpec {
            fp: FpMode::Fast,
            ..spec(&nest, &serial)
        })
        .expect("compiles");
        assert_eq!(count(&raw, "reassoc") + count(&raw, "contract"), 0, "{raw}");
    }
}

#[test]
fn int_sums_are_vectorised() {
    let mut b = Builder::new();
    let a = b.array(Scalar::I64, I64, 1);
    let (l, i, s) = (b.loop_id(), b.var(I64), b.input(I64));
    let load = b.load(a, vec![b.v(i)], false);
    let top = b.for_(l, i, upto(dim(a, 0)), vec![let_(s, add(b.v(s), load))]);
    b.output(s);
    let nest = b.finish(top);
    let text = optimised(spec(&nest, &Schedule::serial()));
    assert!(
        count(&text, "add <") > 0 && count(&text, "vector.reduce.add") > 0,
        "{text}"
    );
}

#[test]
fn small_constant_loops_are_unrolled() {
    let mut b = Builder::new();
    let (x, w, out) = (b.floats(1), b.floats(1), b.floats(1));
    let (li, lk, i, k, s) = (b.loop_id(), b.loop_id(), b.var(I64), b.var(I64), b.var(NPF));
    let product = mul(
        b.load(x, vec![add(b.v(i), b.v(k))], false),
        b.load(w, vec![b.v(k)], false),
    );
    let inner = b.for_(lk, k, upto(int(3)), vec![let_(s, add(b.v(s), product))]);
    let put = b.store(out, vec![b.v(i)], b.v(s), false);
    let zero = constant(nestwise_ir::Const::Float(0.0), NPF);
    let top = b.for_(li, i, upto(dim(out, 0)), vec![let_(s, zero), inner, put]);
    let nest = b.finish(top);
    let schedule = Schedule::serial();
    let text = optimised(spec(&nest, &schedule));
    assert!(
        count(&text, "fmul <") >= 3,
        "the loop around becomes the innermost and is vectorised: {text}"
    );
}

/// `out[i] = x[(i + 1) % n] + x[max(i - r, 0)]` splits into an interior of plain vectors and two edges.
#[test]
fn the_interior_of_a_split_loop_is_plain_vectors() {
    let mut b = Builder::new();
    let (x, out) = (b.floats(1), b.floats(1));
    let (l, i, r) = (b.loop_id(), b.var(I64), b.input(I64));
    let next = bin(BinOp::Mod, add(b.v(i), int(1)), dim(x, 0), false);
    let before = bin(BinOp::Max, sub(b.v(i), b.v(r)), int(0), false);
    let sum = add(b.load(x, vec![next], false), b.load(x, vec![before], false));
    let put = b.store(out, vec![b.v(i)], sum, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![put]);
    let nest = b.finish(top);
    let split = Schedule {
        split: vec![LoopId(0)],
        ..independent(LoopId(0))
    };
    let text = optimised(spec(&nest, &split));
    assert!(count(&text, "fadd <") > 0, "{text}");
    assert_eq!(count(&text, "gather"), 0, "{text}");
    assert_eq!(count(&text, "rem <"), 0, "{text}");
    // One vector loop and no more: the edges are run one by one.
    assert_eq!(count(&text, "\nvector.body:"), 1, "{text}");
}

/// A loop that leaves its counter behind is vectorised to its end: no store of the counter stands in it.
#[test]
fn what_the_last_iteration_leaves_is_computed_after_the_loop() {
    let mut b = Builder::new();
    let (x, y) = (b.floats(1), b.floats(1));
    let (l, i, last, a) = (b.loop_id(), b.var(I64), b.var(I64), b.input(NPF));
    let sum = add(
        b.load(y, vec![b.v(i)], false),
        mul(b.v(a), b.load(x, vec![b.v(i)], false)),
    );
    let put = b.store(y, vec![b.v(i)], sum, false);
    let top = b.for_(l, i, upto(dim(x, 0)), vec![let_(last, b.v(i)), put]);
    b.output(last);
    let nest = b.finish(top);
    let text = optimised(spec(&nest, &independent(LoopId(0))));
    assert_eq!(count(&text, "\nvec.epilog.vector.body:"), 1, "{text}");
}

/// A branch that only selects is no branch.
#[test]
fn clamps_become_selections() {
    let mut b = Builder::new();
    let (x, out) = (b.floats(1), b.floats(1));
    let (l, i, v) = (b.loop_id(), b.var(I64), b.var(NPF));
    let zero = || constant(nestwise_ir::Const::Float(0.0), NPF);
    let load = b.load(x, vec![b.v(i)], false);
    let negative = cmp(nestwise_ir::CmpOp::Lt, b.v(v), zero());
    let put = b.store(out, vec![b.v(i)], mul(b.v(v), b.v(v)), false);
    let body = vec![
        let_(v, load),
        if_(negative, vec![let_(v, zero())], vec![]),
        put,
    ];
    let top = b.for_(l, i, upto(dim(x, 0)), body);
    let nest = b.finish(top);
    for schedule in [independent(LoopId(0)), vector(LoopId(0), 16)] {
        let text = optimised(spec(&nest, &schedule));
        assert!(count(&text, "fmul <") > 0, "{text}");
    }
}

/// A floor division of ints by a power of two is a shift.
#[test]
fn division_by_a_power_of_two_is_a_shift() {
    let mut b = Builder::new();
    let a = b.array(Scalar::I64, I64, 1);
    let (l, i) = (b.loop_id(), b.var(I64));
    let half = bin(
        BinOp::FloorDiv,
        b.load(a, vec![b.v(i)], false),
        int(2),
        true,
    );
    let put = b.store(a, vec![b.v(i)], half, false);
    let top = b.for_(l, i, upto(dim(a, 0)), vec![put]);
    let nest = b.finish(top);
    assert!(matches!(nest.top.kind, StmtKind::For(_)));
    let text = optimised(spec(&nest, &Schedule::serial()));
    assert!(count(&text, "ashr") > 0);
    assert_eq!(count(&text, "sdiv"), 0);
}
