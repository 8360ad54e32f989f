//! Programs that must run natively with CPython's results, and programs that must not.

use crate::lowering::tests::cpython::{Outcome, Program, outcomes};

fn program(text: &str) -> Program {
    // The setup, a line of dashes, the loop.
    let (setup, source) = text.split_once("---\n").expect("two parts");
    Program {
        setup: setup.to_string(),
        source: source.to_string(),
    }
}

/// Checks that all programs end natively, without guard failures, with CPython's results.
fn same(texts: &[&str]) {
    let programs: Vec<Program> = texts.iter().map(|t| program(t)).collect();
    for (program, outcome) in programs.iter().zip(outcomes(&programs)) {
        assert_eq!(
            outcome,
            Outcome::Same,
            "{}\n{}",
            program.setup,
            program.source
        );
    }
}

#[test]
fn accumulators() {
    same(&[
        "a = np.arange(5.0)\ns = 0.0\n---\nfor i in range(5):\n    s += a[i]\n",
        "a = np.arange(5.0)\ns = 0\n---\nfor i in range(5):\n    s += a[i]\n",
        "a = np.arange(5, dtype='f4')\ns = 0.0\n---\nfor x in a:\n    s += x\n",
        "a = np.arange(5, dtype='i4')\ns = 0\n---\nfor x in a:\n    s += x\n",
        "a = [1.5, -0.0, 2.0]\ns = 0\n---\nfor x in a:\n    s += x\n",
        "a = [1, 2, 3]\ns = 0\n---\nfor x in a:\n    s += x\n",
        "a = np.zeros((3, 0))\n---\nfor i in range(3):\n    s = 0.0\n    for j in range(a.shape[1]):\n        s += a[i, j]\n",
        "a = np.ones((3, 2))\n---\nfor i in range(3):\n    s = 0.0\n    for j in range(a.shape[1]):\n        s += a[i, j]\n",
        "a = np.ones((3, 0))\n---\nfor i in range(3):\n    s = 0\n    for j in range(a.shape[1]):\n        s += a[i, j]\n",
        "a = np.ones((3, 2), dtype='f4')\nb = np.zeros(3, dtype='f4')\n---\nfor i in range(3):\n    s = 0\n    for j in range(a.shape[1]):\n        s += a[i, j] * 2\n    b[i] = s\n",
        "a = [[1.5, 2.5], [3.0, 4.0]]\nb = [0.0, 0.0]\n---\nfor i in range(2):\n    s = 0\n    for j in range(2):\n        s += a[i][j]\n    b[i] = s\n",
        "a = np.array([3.0, -1.0, 7.0])\nbest = 0.0\n---\nfor x in a:\n    best = max(best, x)\n",
        "a = np.array([3.0, -1.0, 7.0])\nbest = 10.0\n---\nfor x in a:\n    best = max(best, x)\n",
        "a = np.array([3.0, -1.0, 7.0])\n---\nfor i in range(3):\n    y = max(0, a[i])\n",
        "a = np.array([-3.0, -1.0, -7.0])\n---\nfor i in range(3):\n    y = max(0, a[i])\n",
        "x = 0\n---\nfor i in range(5):\n    x = x * 0.5 + 1\n",
        "x = 0\nc = [True, False, True]\n---\nfor i in range(3):\n    if c[i]:\n        x += 1\n    else:\n        x += 0.5\n",
        "c = 1+2j\n---\nfor i in range(5):\n    z = 0\n    for k in range(3):\n        z = z * z + c * 0.1\n",
        "m = 0\n---\nfor i in range(5):\n    if i == 3:\n        m = True\n",
    ]);
}

#[test]
fn ints() {
    same(&[
        "x = 12345\n---\nfor i in range(20):\n    x = (x * 1103515245 + 12345) % 2147483648\n",
        "h = 0\ntext = 'hello world'\n---\nfor c in text:\n    h = (h * 31 + ord(c)) & 0xFFFFFFFF\n",
        "h = 14695981039346656037\ndata = b'hello'\n---\nfor b in data:\n    h = ((h ^ b) * 1099511628211) & 0xFFFFFFFFFFFFFFFF\n",
        "MASK = 0xFFFFFFFFFFFFFFFF\ns = 42\n---\nfor i in range(9):\n    s = (s * 6364136223846793005 + 1442695040888963407) & MASK\n    t = s >> 33\n",
        "---\nfor i in range(9):\n    z = ((i + 1) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF\n    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF\n    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF\n    z = z ^ (z >> 31)\n    u = (z >> 11) * (1.0 / 9007199254740992.0)\n",
        "s = 88172645463325252\n---\nfor i in range(9):\n    s ^= (s << 13) & 0xFFFFFFFFFFFFFFFF\n    s ^= s >> 7\n    s ^= (s << 17) & 0xFFFFFFFFFFFFFFFF\n    s &= 0xFFFFFFFFFFFFFFFF\n",
        "a = 123456789012\nm = 998244353\n---\nfor i in range(9):\n    a = a * a % m\n    b = (a * a + i) // 7\n    c = (-a) % 13\n    d = -a // 13\n",
        "a = [5, -7, 9]\n---\nfor i in range(3):\n    x = a[i]\n    y = x ** 2\n    z = x ** 3 - ~x\n    w = x << 3 | 1\n    v = x >> 1 ^ 3\n    f = x / 4\n    g = 2 ** -2\n    q, r = divmod(x, 4)\n    t = abs(x) + (not x)\n",
        "a = np.array([3, 200], dtype='u1')\n---\nfor i in range(2):\n    x = a[i] + 5\n    y = a[i] // 7\n    z = a[i] / 2\n    w = a[i] * np.int16(3)\n    v = a[i] > -1\n    u = a[i] == 300\n    t = a[i] & 7\n",
        "a = np.array([3, 2**63], dtype='u8')\n---\nfor i in range(2):\n    x = a[i] + np.int64(1)\n    y = a[i] > np.int64(-1)\n    z = a[i] < 5\n    w = a[i] // 3\n",
        "t = True\n---\nfor i in range(3):\n    x = t + t\n    y = t & True\n    z = t & 3\n    w = -t\n    v = +t\n    u = ~i\n",
        "---\nfor i in range(3):\n    x = 3 if i > 1 else 5\n    y = i and 7\n    z = i or 9\n    w = 0 < i <= 2\n    v = not i\n    u = min(i, 1, 2)\n",
    ]);
}

#[test]
fn floats() {
    same(&[
        "a = [5.5, -7.25, 9.0]\n---\nfor x in a:\n    y = x // 2\n    z = x % 3\n    w = x % -3\n    v = -x // 2.5\n    u = x ** 2\n    t = abs(x)\n    s = int(x)\n    r = round(x)\n    q = math.floor(x) + math.ceil(x)\n    p = math.sqrt(x * x)\n    o, n = divmod(x, 2)\n    m = x > 3\n    l = x == 9\n",
        "a = np.array([5.5, -7.25, 9.0])\n---\nfor x in a:\n    y = x // 2\n    z = x % 3\n    u = x ** 2\n    t = abs(x)\n    s = int(x)\n    r = round(x)\n    q = math.floor(x) + math.ceil(x)\n    p = np.sqrt(x * x)\n    m = x > 3\n    k = math.sqrt(x * x)\n    j = float(x)\n    h = bool(x)\n    g = np.float32(x)\n    f = np.minimum(x, 2)\n    e = np.sign(x)\n",
        "a = np.array([5.5, -7.25, 9.0], dtype='f4')\nc = 0.1\n---\nfor x in a:\n    y = x * c + 1\n    z = x * 0.1\n    w = x + np.float64(1)\n    v = x * np.int32(3)\n    u = x * np.int16(3)\n    t = x < 0.1\n    s = math.fabs(x)\n    r = np.floor(x)\n    q = np.square(x)\n    p = x / 3\n    o = x // 2\n    n = x % 2\n",
        "a = [0.0, -0.0, 1.0]\n---\nfor x in a:\n    y = min(x, 0)\n    z = max(-0.0, x)\n    w = -x\n    v = 0 - x\n    u = x + 0\n    t = math.copysign(1.0, x)\n",
        "z = 1+2j\na = np.array([1j, 2+1j])\n---\nfor i in range(2):\n    w = a[i] * z + 1\n    v = w.real - w.imag\n    u = abs(z)\n    t = z == 1\n    s = -z\n    z = z * 0.5\n",
        "r = 2.0\n---\nfor i in range(3):\n    a = math.pi * r\n    b = a < math.inf\n    c = math.isnan(a)\n    d = math.degrees(a)\n    e = math.log(8.0, 2)\n    f = math.atan2(a, r)\n",
    ]);
}

#[test]
fn sequences() {
    same(&[
        "a = [1, 2, 3]\nb = [4.0, 5.0]\n---\nfor i, (x, y) in enumerate(zip(a, b)):\n    s = i + x * y\n",
        "a = [1, 2, 3]\n---\nfor i, x in enumerate(a, 10):\n    s = i * x\n",
        "a = [1, 2, 3]\n---\nfor x in reversed(a):\n    s = x\n",
        "---\nfor i in reversed(range(5)):\n    s = i\n",
        "---\nfor i in reversed(range(1, 10, 3)):\n    s = i\n",
        "---\nfor i, j in zip(range(3, 20, 4), range(9, 0, -2)):\n    s = i * 100 + j\n",
        "---\nfor i in range(5, 0, -2):\n    i += 10\n    s = i\n",
        "a = np.arange(6.0).reshape(2, 3)\n---\nfor row in a:\n    for x in row:\n        s = x\n    row[0] = 9\n",
        "p = [[1, 2], [3, 4]]\n---\nfor x, y in p:\n    s = x * 10 + y\n",
        "a = [[1, 2], [3, 4]]\n---\nfor i in range(2):\n    r = a[i - 1]\n    q = r\n    q[0] = i + 7\n    s = len(r) + len(a[i])\n",
        "g = [[1, 2], [3, 4], [5, 6]]\n---\nfor i in range(3):\n    down = g[i + 1] if i + 1 < 3 else g[0]\n    up = g[i - 1]\n    s = down[0] * 10 + up[1]\n",
        "s = 'abca'\nt = 'abd'\n---\nfor i in range(3):\n    e = s[i] == t[i]\n    f = s[i] < t[i]\n    g = s[i] == 'a'\n    c = s[i]\n",
        "a = (1.5, 2.5)\nb = b'xyz'\nc = array.array('i', [1, 2])\n---\nfor i in range(2):\n    x = a[i]\n    y = b[i]\n    c[i] = y * 2\n",
        "a = np.arange(4.0)\nb = np.zeros(4)\n---\nfor t in range(3):\n    for i in range(1, 3):\n        b[i] = a[i - 1] + a[i + 1]\n    a, b = b, a\n",
        "a = np.arange(4.0)\nb = np.zeros(4)\n---\nfor t in range(3):\n    for i in range(1, 3):\n        b[i] = a[i - 1] + a[i + 1]\n    tmp = a\n    a = b\n    b = tmp\n",
        "a = [[1, 2], [3, 4]]\nb = [[0, 0], [0, 0]]\n---\nfor t in range(3):\n    for i in range(2):\n        row = a[i]\n        for j in range(2):\n            b[i][j] = row[j] + row[j - 1]\n    a, b = b, a\n",
        "a = [3, 1, 2]\n---\nfor i in range(3):\n    for j in range(2 - i):\n        if a[j] > a[j + 1]:\n            a[j], a[j + 1] = a[j + 1], a[j]\n",
        "a = [0] * 4\n---\nfor i in range(4):\n    a[i] = i / 2\n",
        "a = [0.0] * 4\n---\nfor i in range(4):\n    a[i] = i\n",
        "a = [1, 2.5, 3]\ns = 0\n---\nfor x in a:\n    s += x\n    t = x * 2\n    u = x > 2\n",
    ]);
}

/// A name that holds a tuple is lowered to its elements, which become a tuple again after the nest.
#[test]
fn kept_tuples() {
    same(&[
        "a = np.array([3.0, 7.0, 1.0])\nw = (-1, -1)\nb = 0.0\n---\nfor i in range(3):\n    if a[i] > b:\n        b = a[i]\n        w = (i, b)\n",
        "a = [3.0, 7.0]\n---\nfor i in range(2):\n    w = (a[i], i, True)\n    x, y, z = w\n    t = w[-1]\n",
        "w = (1.5, 2)\n---\nfor i in range(2):\n    if i > 5:\n        w = (i, i)\n",
    ]);
}

#[test]
fn tuples_and_sums() {
    same(&[
        "---\nfor d in (1, -1, 5):\n    s = d\n",
        "g = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\n---\nfor i in range(3):\n    s = 0\n    for dx, dy in ((0, 1), (1, 0), (2, 3)):\n        s += g[i - dx][i - dy]\n",
        "---\nfor i in range(3):\n    for x in (i, 2 * i, 5):\n        i = i + 1\n        s = x\n",
        "a = [1, 2, 3]\nb = [0.1, 0.2, 0.3]\nc = np.array([1, 2], dtype='u1')\nd = np.ones(3, dtype='f4')\ne = [[1.5, 2.5], [3.5, 4.5]]\n---\nfor i in range(2):\n    s = sum(a) + i\n    t = sum(b)\n    u = sum(c)\n    v = sum(d) * i\n    w = sum(e[i], 0.5)\n    x = max(b) - min(a)\n    y = sum(a, start=i)\n    z = max(e[i])\n",
    ]);
}

#[test]
fn control() {
    same(&[
        "a = [5, 3, 8]\n---\nfor i in range(3):\n    for x in a:\n        if x == 3:\n            break\n    else:\n        s = 1\n    t = x\n",
        "a = [5, 3, 8]\n---\nfor i in range(3):\n    for x in a:\n        if x == 4:\n            break\n    else:\n        s = 1\n",
        "n = 27\nk = 0\n---\nwhile n != 1:\n    if n % 2 == 0:\n        n //= 2\n    else:\n        n = 3 * n + 1\n    k += 1\n",
        "a = [3, 1, 2]\n---\nfor i in range(1, 3):\n    v = a[i]\n    j = i\n    while j > 0 and a[j - 1] > v:\n        a[j] = a[j - 1]\n        j -= 1\n    a[j] = v\n",
        "---\nfor i in range(5):\n    if i == 1:\n        continue\n    if i == 3:\n        break\n    s = i\n",
        "x = 7\n---\nfor i in range(3):\n    if i == 5:\n        x = i\n",
        "x = None\n---\nfor i in range(3):\n    if i == 1:\n        x = i\n",
        "def f(x):\n    return x * x + 1\na = [1.0, 2.0]\n---\nfor i in range(2):\n    a[i] = f(a[i]) + f(i)\n",
        "def f(x, lo, hi=3):\n    if x < lo:\n        return lo\n    if x > hi:\n        return hi\n    return x\na = [1, 2, 5]\n---\nfor i in range(3):\n    a[i] = f(a[i], 2)\n    y = f(lo=0, x=i, hi=1)\n",
        "def f(v, x):\n    for k in range(len(v)):\n        if v[k] == x:\n            return k\n    return -1\na = [4, 5, 6]\n---\nfor i in range(4, 8):\n    k = f(a, i)\n",
        "def f(v, i):\n    v[i] = v[i] + 1\n    return v[i]\na = [4, 5, 6]\n---\nfor i in range(3):\n    s = a[i] + f(a, i) + a[i]\n    t = i > 0 and f(a, 0) > 5\n    u = f(a, 1) if i else 0\n",
        "def f(a, b):\n    return b, a\n---\nfor i in range(3):\n    x, y = f(i, 2.5)\n",
        "def g(n):\n    return n % 3\na = [0, 1, 2, 5]\n---\nfor i in range(4):\n    while g(a[i]) != 2:\n        a[i] += 1\n",
        "def square(x):\n    return x * x\ndef f(x):\n    return square(x) + square(x + 1)\n---\nfor i in range(4):\n    s = f(i)\n",
        "n = 3\n---\nfor i in range(n):\n    n = n + 5\n",
        "---\nfor i in range(3):\n    for j in range(i):\n        t = j\n    for t in range(2):\n        pass\n",
        "a = [1, 2, 3]\n---\nfor i in range(3):\n    t = a[i]\n    u = t * 2\n    t = u * 0.5\n    w = t\n",
    ]);
}

#[test]
fn stores() {
    let mut texts = Vec::new();
    for ty in [
        "i1", "i2", "i4", "i8", "u1", "u4", "u8", "f4", "f8", "c16", "?",
    ] {
        for value in [
            "i",
            "i + 0.5",
            "True",
            "np.float32(i)",
            "np.int16(i)",
            "i * 1.5 if i else 2",
            "np.float64(i) / 3",
        ] {
            texts.push(format!("a = np.zeros(4, dtype='{ty}')\n---\nfor i in range(4):\n    a[i] = {value}\n    a[i] += 1\n"));
        }
    }
    // `bool + 1` into bools and the like.
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    same(&texts);
}

/// From Python 3.12 on, `sum` of floats is compensated; the values are those of CPython 3.12.
#[test]
fn compensated_sums() {
    use crate::lowering::tests::eval::Machine;
    use crate::lowering::tests::eval::Memory;
    use crate::lowering::tests::eval::V;
    let site = crate::lowering::tests::parse("for i in range(1):\n    s = sum(a)\n", &["a"]);
    let captures = crate::lowering::tests::captures(
        &site,
        &[(
            "a",
            crate::lowering::tests::list(nestwise_ir::Scalar::F64, 1),
        )],
    );
    let options = crate::lowering::Options {
        python_minor: 12,
        ..crate::lowering::tests::options()
    };
    let nest = crate::lowering::specialise(&site, &captures, options).expect("a nest");
    let sum = |data: &[f64]| {
        let memory = Memory {
            dims: vec![data.len()],
            data: data.iter().map(|f| V::Float(*f)).collect(),
        };
        let capture = nest.arrays.values().next().expect("a slot").capture;
        let mut machine = Machine::new(&nest, [(capture, memory)].into(), &Default::default());
        assert!(machine.run(), "no guard failure");
        let out = nest.live_outs.iter().find_map(|o| match o.kind {
            nestwise_ir::LiveOutKind::Var(v) if nest.vars[v].name == "s" => Some(v),
            _ => None,
        });
        match machine.var(out.expect("s")) {
            V::Float(f) => f,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(sum(&[0.1; 10]), 1.0);
    assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
    assert_eq!(sum(&[1e308, 1e308]), f64::INFINITY);
    assert_eq!(sum(&[-0.0, -0.0]).to_bits(), 0.0f64.to_bits());
    assert_eq!(sum(&[0.1, 0.2, 0.3, -0.6]), 2.7755575615628914e-17);
}

/// Programs in which CPython raises or warns, or which cannot be followed, end in guard failures.
#[test]
fn guard_failures() {
    let texts = [
        "a = [1, 2]\n---\nfor i in range(3):\n    s = a[i]\n",
        "a = np.zeros(3)\n---\nfor i in range(3):\n    s = a[i - 4]\n",
        "a = [1, 0]\n---\nfor x in a:\n    y = 1 // x\n",
        "a = [1.0, 0.0]\n---\nfor x in a:\n    y = 1 / x\n",
        "a = np.array([1.0, 0.0])\n---\nfor x in a:\n    y = 1 / x\n",
        "a = np.array([100, 100], dtype='i1')\ns = 0\n---\nfor x in a:\n    s += x\n",
        "a = np.zeros(2, dtype='u1')\n---\nfor i in range(2):\n    a[i] = 300\n",
        "a = np.zeros(2, dtype='i4')\n---\nfor i in range(2):\n    a[i] = math.inf\n",
        "a = [-1.0]\n---\nfor x in a:\n    y = math.sqrt(x)\n",
        "a = np.array([5], dtype='u1')\n---\nfor x in a:\n    y = x + 300\n",
        "a = np.array([2], dtype='i4')\nk = -1\n---\nfor x in a:\n    y = x ** k\n",
        "a = [1.5, math.nan]\n---\nfor x in a:\n    y = int(x)\n",
        "---\nfor i in range(3):\n    if i > 5:\n        t = 1\n    s = t\n",
        "---\nfor i in range(3):\n    s = 1 << (i - 2)\n",
        "a = [[1], [2]]\n---\nfor i in range(3):\n    r = a[i]\n",
        "p = [[1, 2, 3]]\n---\nfor q in p:\n    x, y = q\n",
    ];
    let programs: Vec<Program> = texts.iter().map(|t| program(t)).collect();
    for (program, outcome) in programs.iter().zip(outcomes(&programs)) {
        assert_eq!(
            outcome,
            Outcome::GuardFailure(true),
            "{}\n{}",
            program.setup,
            program.source
        );
    }
}

/// Python's ints may grow beyond 64 bits: CPython takes over without any trouble of its own.
#[test]
fn growing_ints() {
    let texts = [
        "x = 1\n---\nfor i in range(70):\n    x = x * 2\n",
        "x = 1\n---\nfor i in range(70):\n    x <<= 1\n",
        "x = 3\n---\nfor i in range(4):\n    x = x ** 3\n",
        "x = 2 ** 62\n---\nfor i in range(3):\n    x += x\n",
        "x = -2 ** 63\n---\nfor i in range(2):\n    y = -x\n",
    ];
    let programs: Vec<Program> = texts.iter().map(|t| program(t)).collect();
    for (program, outcome) in programs.iter().zip(outcomes(&programs)) {
        assert_eq!(
            outcome,
            Outcome::GuardFailure(false),
            "{}\n{}",
            program.setup,
            program.source
        );
    }
}
