//! Random nests with ints that count along with loops, most of them by the same step in each iteration, and some not
//! quite; and with searches for the position of the best value.

use crate::testing::Case;
use crate::testing::work::on_arrays;

/// The extents of `a`, `b` and `c` (two axes): subscripts are mostly inside.
const DIMS: [&[i64]; 3] = [&[90], &[90], &[9, 9]];

const HEADER: &str = "n: int, m: int, k: int, p: int, q: int, t: int, x: float, a: f64[1], b: f64[1], c: f64[2], \
    out k, out p, out q, out t, out x";

/// The case that `bytes` describe.
pub fn counting_case(bytes: &[u8]) -> Case {
    let mut g = Gen {
        bytes,
        at: 0,
        loops: vec![],
        lines: 0,
    };
    let mut ints: Vec<i64> = vec![i64::from(g.pick(6)) + 1, i64::from(g.pick(5))];
    ints.extend((0..3).map(|_| 30 + i64::from(g.pick(30))));
    ints.push(i64::from(g.pick(9)));
    let mut text = String::new();
    g.each(0, &mut text);
    on_arrays(HEADER, text, &ints, &DIMS, &[])
}

struct Gen<'a> {
    bytes: &'a [u8],
    at: usize,
    loops: Vec<String>,
    lines: usize,
}

impl Gen<'_> {
    /// A number below `n`; zero when the bytes are used up.
    fn pick(&mut self, n: u8) -> u8 {
        let b = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        b % n
    }

    fn one<'s>(&mut self, of: &[&'s str]) -> &'s str {
        of[usize::from(self.pick(of.len() as u8))]
    }

    fn each(&mut self, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        let own = self.loops.last().cloned().unwrap_or("m".into());
        let range = match self.pick(14) {
            0..=3 => "range(n)".into(),
            4 => "range(m)".into(),
            5 => "range(3)".into(),
            6 => "range(n, 0, -1)".into(),
            7 => "range(1, n)".into(),
            8 => "range(m - 1, -1, -1)".into(),
            9 => format!("range({own})"),
            10 => "range(0, n, 2)".into(),
            11 => "range(n + 1, 0, -2)".into(),
            12 => "range(m, n + 4, 3)".into(),
            _ => "range(q - 30, q - 27)".into(),
        };
        let name = format!("i{depth}{}", self.lines);
        *out += &format!("{pad}for {name} in {range}:\n");
        self.loops.push(name);
        let statements = 2 + self.pick(3);
        for _ in 0..statements {
            self.stmt(depth + 1, out);
        }
        self.loops.pop();
    }

    fn stmt(&mut self, depth: usize, out: &mut String) {
        self.lines += 1;
        let pad = "    ".repeat(depth);
        let deep = depth >= 3 || self.lines > 9;
        match self.pick(18) {
            0..=2 if !deep => self.each(depth, out),
            3..=8 => {
                let var = self.one(&["k", "k", "k", "p", "q"]);
                let by = self.one(&[
                    "+= 1", "+= 2", "-= 1", "+= m", "+= n - 2", "-= 3", "+= m * n",
                ]);
                *out += &format!("{pad}{var} {by}\n");
            }
            9 => {
                let (cond, then) = (self.one(&["x > 0.5", "k > 40", "m > 2"]), self.pick(3));
                *out += &format!("{pad}if {cond}:\n");
                match then {
                    0 => *out += &format!("{pad}    k += 1\n"),
                    1 => *out += &format!("{pad}    continue\n"),
                    _ => self.store(depth + 1, out),
                }
            }
            10 => {
                let set = self.one(&["p = k", "p = 40", "q = k + p", "k = p", "x = x + 1.0"]);
                *out += &format!("{pad}{set}\n");
            }
            11 => {
                let own = self.loops[self.loops.len() - 1].clone();
                let (op, also) = (self.one(&[">", "<", ">="]), self.pick(4));
                let array = self.one(&["b", "b", "a"]);
                *out += &format!("{pad}if {array}[{own}] {op} {array}[t]:\n{pad}    t = {own}\n");
                if also == 3 {
                    *out += &format!("{pad}    x = 2.0\n");
                }
            }
            _ => self.store(depth, out),
        }
    }

    fn store(&mut self, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        let own = self.loops[self.loops.len() - 1].clone();
        let counted = self.one(&["k", "k", "k + 1", "p", "q", "k - 2"]);
        let value = match self.pick(6) {
            0 => format!("a[{counted}] * 0.5"),
            1 => format!("float({counted})"),
            2 => format!("c[{own}, {}] + x", self.loops[0].clone()),
            3 => "a[q]".into(),
            _ => format!("b[{own}] + 1.0"),
        };
        let at = self.one(&["k", "k", "k", "k + 1", "p", "q", "k - p + 30"]);
        let array = self.one(&["a", "a", "a", "b"]);
        *out += &format!("{pad}{array}[{at}] = {value}\n");
    }
}
