use proptest::prelude::*;

use crate::model::nest::Nest;
use crate::model::ops::{BinOp, Cast};
use crate::model::types::{Scalar, Ty};
use crate::testing::builder::{Builder, F64, I64, bin, cast, constant, float, int, let_, upto};
use crate::testing::{assert_round_trip, nest};
use crate::text::{read, read_schedule};
use crate::{Const, verifier};

/// A nest that has everything that a nest may have.
const EVERYTHING: &str = r#"a0 x: ndarray f64 as np.f64, rank 2, capture 0, read, written
a1 "odd: name": list i64 as py.i64, rank 1, capture 1, read, moved, attributes
a2: scratch f32 as np.f32, rank 1, capture 2, like (dim(capture 1, 0) plus -1), written, starts, list
a3 t: appended f64 as py.f64, rank 1, capture 3, like (5, capture 4, capture 4 plus 2, length 1)
v0 n: py.i64 in 4 range 0..=100
v1 i: py.i64
v2: py.i64
v3 s: dyn.f64 in 5 tag v4
v4: py.bool
v5 z: py.c128
v6: py.f64
v7: py.i128
v8 c: py.char
v9 _: np.f32
L0 "i, j"
L2 k
scopes 3
length 0 = (dim(capture 1, 0) * 5)
length 1 = min(length 0, capture 4)
prologue
  v2 = (v0 // 2)
  check! (v2 < 9)
top, whole to v2
  L0 for v1 in 0 .. v0 step 1
    if (v4 ? true : (v1 != -3))
      L1 while ((not(v4) & true) & (x3:a3[v1] != 0.0))
        break L1
    else
      scope s1
        leave s1
    v3 = (v3 +! x0:a0[v1, (v1 % 4)]!):dyn.f64
    v3 = {v6 = np.exp(v3:np.f64); ((v6 > -0.5) ? v6 : math.atan2!(v6, inf))}:dyn.f64
    v3 = nan(0x7ff8000000000001):dyn.f64
    x2:a2[v1] = round!<np.f32>(0.1:np.f64)
    L2 for v2 in dim(a0, 1) .. -1 step -1
      v7 = (to<py.i128>(v1) * 170141183460469231731687303715884105727:py.i128)
      v2 = max(min!(-(v1), ~!(v2)), abs(v1))
      v5 = (v5 - complex(-1.5, 1e-7))
      v8 = 97:py.char
      v9 = (v9 * 0.5:np.f32)
      x1:a0[v1, 0] = real(v5)
      rebind a0 = a1, a1 = a0
      eval np.isnan(v3)
      continue L0
      return
    check v4
out p0 = v1
out p1 = view a0[v1] if v4
out p2 = slot a0
out p3 = v2 of a3
out p4 = v2 of (a3, a3)
out p5 = tuple (v1, v3)
out p6 = part a0[v1, v1+v2*-2]
out p7 = new a2[v2], a2 if v4, capture 3 if v4, a view if v4 if v4
out p8 = part [v1+v2*1] of new a2[v2]
returns tuple v1, v3
requires no-alias a0 a1
requires same-shape a0 a0
requires positive-stride a0
requires row-major a1
requires contiguous a1
interruptible L1, L2
"#;

const SCHEDULE: &str =
    "threads L0, reduce v3 by +, reduce v4 by along v3, last v5, private a1, reduce a2 by max, \
    copy a3 for x0 x2 reach 1 window axis 0 scale -1 from -1 to 2, copy a4 for x1
vector L1 by 4
independent L2
lockstep L3
peeled L2
grid (L4, L5) L4, reduce v3 by last
cooperative L6
nonempty L0
nonempty L63
";

#[test]
fn everything_is_read_as_it_is_printed() {
    let nest = read(EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(nest.to_string(), EVERYTHING);
    assert_round_trip(&nest);
    let schedule = read_schedule(SCHEDULE).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(schedule.to_string(), SCHEDULE);
}

#[test]
fn comments_and_empty_lines_mean_nothing() {
    let nest = read(
        "# A loop that does nothing.\nv0: py.i64\n\ntop\n  # here\n  L0 for v0 in 0 .. 9 step 1\n",
    );
    assert_eq!(
        nest.map(|n| n.to_string()).as_deref(),
        Ok("v0: py.i64\ntop\n  L0 for v0 in 0 .. 9 step 1\n")
    );
}

#[test]
fn built_nests_are_read_as_they_are_printed() {
    let texts = [
        (
            "n: int, a: f64[2], out s",
            "s = 0.0\nfor i in range(n):\n    for j in range(0, n, 2):\n        s += a[i, j] / 2.0",
        ),
        (
            "n: int, x: float, k: i64[1]",
            "while n > 0 and not x < 0.5:\n    k[n] = min(k[n - 1], n) << 2\n    n -= 1",
        ),
        (
            "a: f64[1], b: f64[1]",
            "for i in range(9):\n    scope:\n        if a[i] > 1.0:\n            leave\n        swap a b",
        ),
    ];
    for (header, body) in texts {
        assert_round_trip(&nest(header, body));
    }
    // The type of an operand is not that of its variable.
    let mut b = Builder::new();
    let (counter, x, id) = (b.var(I64), b.input(Ty::np(Scalar::F64)), b.loop_id());
    let mut other = b.v(x);
    other.ty = F64;
    let top = b.for_(
        id,
        counter,
        upto(int(3)),
        vec![let_(x, bin(BinOp::Add, other, float(1.0), false))],
    );
    let nest = b.finish(top);
    assert!(
        nest.to_string().contains("v1 = (v1:py.f64 + 1.0)"),
        "{nest}"
    );
    assert_round_trip(&nest);
}

#[test]
fn guards_and_types_show() {
    let mut b = Builder::new();
    let [x, y] = [b.var(I64), b.var(I64)];
    let sum = bin(BinOp::Add, b.v(x), int(-1), true);
    assert_eq!(sum.to_string(), "(v0 +! -1)");
    let cast = cast(Cast::Value, sum, F64, false);
    assert_eq!(cast.to_string(), "to<py.f64>((v0 +! -1))");
    let half = constant(Const::Float(0.5), Ty::np(Scalar::F32));
    assert_eq!(half.to_string(), "0.5:np.f32");
    let min = bin(BinOp::Min, b.v(x), b.v(y), true);
    assert_eq!(min.to_string(), "min!(v0, v1)");
}

#[test]
fn errors_say_where_and_what() {
    let wrong = [
        (
            "v0: py.i65\n",
            "line 1, column 5: expected a type such as `py.i64`, found `py.i65`",
        ),
        (
            "v1: py.i64\n",
            "line 1, column 3: expected variable v0 before this, found `:`",
        ),
        (
            "v0: py.i64\n",
            "line 2, column 1: expected `top`, found the end of the line",
        ),
        (
            "top\n  L0 while true\n    v0 = 1\n      v0 = 2",
            "line 4, column 7: expected a statement 4 spaces deep, found `v0`",
        ),
        (
            "top\n  L0 while (true & )",
            "line 2, column 20: expected an expression, found `)`",
        ),
        (
            "top\n  L0 while v3",
            "line 2, column 14: expected a variable or an array slot that is declared, before this, found the end of the line",
        ),
        (
            "top\n  L1 while true",
            "line 3, column 1: expected the loops from L0 on, without a gap before L1, found the end of the line",
        ),
        (
            "top\n  L0 while true\n  L1 while true",
            "line 1, column 1: expected one statement, the top loop, below this, found `top`",
        ),
        (
            "top\n  L0 while true\nout p0 = what",
            "line 3, column 10: expected what an access path holds, found `what`",
        ),
    ];
    for (text, message) in wrong {
        let error = read(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = read_schedule("vector L0 by four").expect_err("a word for a number");
    assert_eq!(
        error.to_string(),
        "line 1, column 14: expected an integer, found `four`"
    );
}

#[test]
fn depths_that_nothing_could_walk_are_errors() {
    let deep = format!(
        "top\n  L0 while {}true{}",
        "not(".repeat(9_000),
        ")".repeat(9_000)
    );
    let error = read(&deep).expect_err("too deep");
    assert!(
        error.to_string().contains("at most 300 expressions"),
        "{error}"
    );
    let mut blocks = String::from("top\n");
    for level in 0..5_000 {
        blocks += &format!("{}scope s{level}\n", "  ".repeat(level + 1));
    }
    assert!(read(&blocks).is_err());
}

/// A text with some characters removed, doubled, or replaced by others.
fn damaged(text: &str, edits: &[(u16, u8, u8)]) -> String {
    const OTHERS: &[u8] = b" !:()[]{}0129.,avxLs-+*/<>=?\"\\\n#e\xc3";
    let mut bytes = text.as_bytes().to_vec();
    for (at, how, other) in edits {
        let at = usize::from(*at) % bytes.len();
        match how % 4 {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, bytes[at]),
            2 => bytes[at] = OTHERS[usize::from(*other) % OTHERS.len()],
            _ => bytes.truncate(at.max(1)),
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn damaged_texts_are_errors_or_nests(edits in prop::collection::vec(any::<(u16, u8, u8)>(), 1..4)) {
        if let Ok(nest) = read(&damaged(EVERYTHING, &edits)) {
            let nest: Nest = nest;
            assert_round_trip(&nest);
            let _ = verifier::verify(&nest);
        }
        if let Ok(schedule) = read_schedule(&damaged(SCHEDULE, &edits)) {
            prop_assert_eq!(read_schedule(&schedule.to_string()), Ok(schedule));
        }
    }
}
