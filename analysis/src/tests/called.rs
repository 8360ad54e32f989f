//! Loops that call functions of NumPy's.

use nestwise_ir::{Expr, ExprKind, FpMode, Fun, Lib, LoopId, Nest};

use crate::guards::for_each_stmt_mut;
use crate::launch_info::LaunchInfo;
use crate::parallelism::verdict::analyse;
use crate::schedule::vectorise;
use crate::testing::nest;
use crate::tests::schedules::clear;

/// A nest in which `sqrt` is replaced by another function of NumPy's.
fn calling(fun: Fun, header: &str, body: &str) -> Nest {
    let mut n = clear(&nest(header, body));
    let call = |e: &mut Expr| {
        if let ExprKind::Call { fun: own, lib, .. } = &mut e.kind {
            (*own, *lib) = (fun, Lib::Numpy);
        }
    };
    for_each_stmt_mut(&mut n, &mut |s| {
        for e in s.exprs_mut() {
            call(e);
            if let ExprKind::Binary { b, .. } = &mut e.kind {
                call(b);
            }
        }
    });
    n
}

/// NumPy's functions take all lanes in one call where strict results need their bits. A function that is one call for a
/// whole loop is not called by the lanes of a loop around it.
#[test]
fn functions_of_numpy_are_called_for_many() {
    let with = |n: &Nest, fp: FpMode| vectorise(n, &analyse(n, fp), &LaunchInfo::guess(n, fp));
    let each = |fun| {
        let body = "for i in range(n):\n    for j in range(n):\n        c[i, j] = sqrt(a[i, j])";
        calling(fun, "n: int, a: f64[2], c: f64[2]", body)
    };
    let j = LoopId(1);
    let strict = with(&each(Fun::Exp), FpMode::Strict);
    assert_eq!((strict.vector, strict.independent), (vec![(j, 64)], vec![]));
    // Instructions, and functions that LLVM finds vector forms of.
    for (fun, fp) in [(Fun::Sqrt, FpMode::Strict), (Fun::Exp, FpMode::Faithful)] {
        let plain = with(&each(fun), fp);
        assert_eq!((plain.vector, plain.independent), (vec![], vec![j]));
    }
    let sum = |fun| {
        let body = "for i in range(n):\n    s = 0.0\n    for j in range(n):\n        s = s + sqrt(a[j, i])\n    d[i] = s";
        calling(fun, "n: int, a: f64[2], d: f64[1]", body)
    };
    let lanes = |fun| with(&sum(fun), FpMode::Strict).vector;
    assert_eq!(lanes(Fun::Exp), [(LoopId(0), 16)]);
    assert_eq!(lanes(Fun::AddNext), []);
}
