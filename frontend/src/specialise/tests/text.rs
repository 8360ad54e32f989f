//! Source and captures to the text form.

use nestwise_ir::Scalar as S;

use super::*;

#[test]
fn try_out() {
    let f64s = |r| nd(S::F64, r);
    println!("{}", show("for i in range(n):\n    s += a[i]\n", &[("n", INT), ("s", FLOAT), ("a", f64s(1))]));
    println!("{}", show(
        "for i in range(n):\n    for j in range(n):\n        s = 0.0\n        for k in range(n):\n            s += a[i, k] * b[k, j]\n        c[i, j] = s\n",
        &[("n", INT), ("a", f64s(2)), ("b", f64s(2)), ("c", f64s(2))]));
    println!("{}", show(
        "for i in range(n):\n    for j in range(n):\n        s = 0\n        for k in range(n):\n            s += a[i][k] * b[k][j]\n        c[i][j] = s\n",
        &[("n", INT), ("a", list(S::F64, 2)), ("b", list(S::F64, 2)), ("c", list(S::F64, 2))]));
    println!("{}", show("for i in range(n):\n    x = (x * 1103515245 + 12345) % 2147483648\n    a[i] = x / 2147483648\n", &[("n", INT), ("x", INT), ("a", f64s(1))]));
    println!("{}", show("for i, v in enumerate(a):\n    if v > best:\n        best = v\n        at = i\n", &[("best", FLOAT), ("at", INT), ("a", f64s(1))]));
    println!("{}", show("for _ in range(steps):\n    for i in range(1, n - 1):\n        row = a[i]\n        for j in range(1, n - 1):\n            b[i, j] = 0.25 * (row[j - 1] + row[j + 1] + a[i - 1, j] + a[i + 1, j])\n    a, b = b, a\n", &[("steps", INT), ("n", INT), ("a", f64s(2)), ("b", f64s(2))]));
    println!("{}", show("for i in range(len(p)):\n    p[i] = f(p[i]) + best\n    best = max(best, p[i])\n", &[("p", f64s(1)), ("best", FLOAT), ("f", Is::Fun("def f(x):\n    if x < 0:\n        return 0.0\n    return math.sqrt(x)\n"))]));
}
