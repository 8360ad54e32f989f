//! Random nests with values for them, from a string of bytes (so that proptest shrinks them).

use super::{Memory, Value, nest};
use crate::LaunchValues;
use nestwise_ir::Nest;

/// A nest and what it runs on.
pub struct Case {
    pub text: String,
    pub nest: Nest,
    pub memory: Memory,
    pub values: LaunchValues,
}

const HEADER: &str = "n: int, m: int, s: int, t: int, u: int, x: float, y: float, \
    a: f64[1], b: f64[2], c: f64[1], d: f64[1], k: i64[1], out s, out x, out u";

/// The case that `bytes` describe.
pub fn case(bytes: &[u8]) -> Case {
    let mut g = Gen { bytes, at: 0, loops: vec![], names: 0, lines: 0 };
    let mut text = String::new();
    g.for_loop(0, &mut text);
    let nest = nest(HEADER, &text);
    let size = |g: &mut Gen, most: u8| i64::from(g.pick(most));
    let (na, nb, nc) = (size(&mut g, 9), [size(&mut g, 6), size(&mut g, 6)], size(&mut g, 9));
    let nd = if g.pick(4) == 0 { size(&mut g, 9) } else { nc };
    let nk = size(&mut g, 9);
    let dims = vec![vec![na], nb.to_vec(), vec![nc], vec![nd], vec![nk]];
    let mut data: Vec<Vec<Value>> = dims
        .iter()
        .map(|d| {
            let len = d.iter().product::<i64>();
            (0..len).map(|_| Value::Float(f64::from(g.pick(19)) - 4.0)).collect()
        })
        .collect();
    data[4] = (0..nk).map(|_| Value::Int(i128::from(g.pick(8)) - 1)).collect();
    let mut vars = vec![None; nest.vars.len()];
    let mut values = LaunchValues::unknown(&nest);
    for (id, d) in nest.vars.iter().filter(|(_, d)| d.live_in.is_some()) {
        let v = i64::from(g.pick(10)) - 1;
        let int = d.ty.repr.is_int();
        vars[id.index()] =
            Some(if int { Value::Int(v.into()) } else { Value::Float(v as f64 * 0.5) });
        values.vars[id.index()] = int.then_some(v);
    }
    for (slot, d) in dims.iter().enumerate() {
        values.dims[slot][..d.len()].copy_from_slice(d);
    }
    Case { text, nest, memory: Memory { data, dims, vars }, values }
}

struct Gen<'a> {
    bytes: &'a [u8],
    at: usize,
    loops: Vec<String>,
    names: usize,
    lines: usize,
}

impl Gen<'_> {
    /// A number below `n`; zero when the bytes are used up.
    fn pick(&mut self, n: u8) -> u8 {
        let b = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        b % n
    }

    fn for_loop(&mut self, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        let name = format!("i{}", self.names);
        self.names += 1;
        let range = match self.pick(8) {
            0 | 1 => format!("range({})", self.bound()),
            2 | 3 => format!("range({}, {})", self.bound(), self.bound()),
            4 => format!("range({} - 1, -1, -1)", self.bound()),
            5 => format!("range({}, {}, -2)", self.bound(), self.bound()),
            6 => format!("range({}, {}, 2)", self.bound(), self.bound()),
            _ => format!("range(max(0, {}), min({}, {}))", self.bound(), self.bound(), self.bound()),
        };
        *out += &format!("{pad}for {name} in {range}:\n");
        self.loops.push(name);
        self.body(depth + 1, out);
        self.loops.pop();
    }

    fn body(&mut self, depth: usize, out: &mut String) {
        let count = 1 + self.pick(3);
        for _ in 0..count {
            self.stmt(depth, out);
        }
    }

    fn stmt(&mut self, depth: usize, out: &mut String) {
        self.lines += 1;
        let pad = "    ".repeat(depth);
        let deep = depth >= 4 || self.lines > 12;
        match self.pick(20) {
            0..=2 if !deep && self.loops.len() < 3 => self.for_loop(depth, out),
            3 | 4 if !deep => {
                *out += &format!("{pad}if {}:\n", self.cond());
                self.body(depth + 1, out);
                if self.pick(2) == 0 {
                    *out += &format!("{pad}else:\n");
                    self.body(depth + 1, out);
                }
            }
            5 if !deep => {
                *out += &format!("{pad}if {}:\n{pad}    {}\n", self.cond(), ["continue", "break", "continue"][usize::from(self.pick(3))]);
            }
            6 => *out += &format!("{pad}t = {}\n", self.int()),
            7 => *out += &format!("{pad}u {}= {}\n", ["+", "-"][usize::from(self.pick(2))], self.pick(3)),
            8 => *out += &format!("{pad}s += {}\n", self.int()),
            9 => *out += &format!("{pad}x = {}\n", self.float()),
            10 => *out += &format!("{pad}y = {}\n", self.float()),
            11 => *out += &format!("{pad}x = min(x, {})\n", self.float()),
            12 if depth == 1 => *out += &format!("{pad}swap c d\n"),
            13 => *out += &format!("{pad}k[{}] = {}\n", self.int(), self.int()),
            14 if !deep => {
                *out += &format!("{pad}scope\n");
                self.body(depth + 1, out);
                *out += &format!("{pad}    if {}:\n{pad}        leave\n", self.cond());
                self.body(depth + 1, out);
            }
            15 if !deep => {
                *out += &format!("{pad}while t > {}:\n", self.pick(3));
                self.body(depth + 1, out);
                *out += &format!("{pad}    t -= 1\n");
            }
            _ => {
                let target = self.element();
                *out += &format!("{pad}{target} = {}\n", self.float());
            }
        }
    }

    fn bound(&mut self) -> String {
        match self.pick(9) {
            0 => "n".into(),
            1 => "m".into(),
            2 => "len(a)".into(),
            3 => "shape(b, 1)".into(),
            4 if !self.loops.is_empty() => self.counter(),
            5 if !self.loops.is_empty() => format!("{} + 1", self.counter()),
            6 => "n - 1".into(),
            7 => "(n + m) // 2".into(),
            _ => format!("{}", self.pick(5)),
        }
    }

    fn counter(&mut self) -> String {
        let i = usize::from(self.pick(self.loops.len() as u8));
        self.loops[i].clone()
    }

    fn int(&mut self) -> String {
        match self.pick(16) {
            0..=3 => self.counter(),
            4 => format!("{} + {}", self.counter(), self.pick(3)),
            5 => format!("{} - {}", self.counter(), self.pick(3)),
            6 => format!("{} * 2", self.counter()),
            7 => format!("{} * m + {}", self.counter(), self.counter()),
            8 => format!("n - 1 - {}", self.counter()),
            9 => "t".into(),
            10 => "u".into(),
            11 => format!("({} + 1) % n", self.counter()),
            12 => format!("k[{}]", self.counter()),
            13 => format!("min({}, {})", self.counter(), self.bound()),
            14 => format!("{} // 2", self.counter()),
            _ => format!("{} - {}", self.counter(), self.counter()),
        }
    }

    fn element(&mut self) -> String {
        match self.pick(6) {
            0 | 1 => format!("a[{}]", self.int()),
            2 | 3 => format!("b[{}, {}]", self.int(), self.int()),
            4 => format!("c[{}]", self.int()),
            _ => format!("d[{}]", self.int()),
        }
    }

    fn float(&mut self) -> String {
        match self.pick(10) {
            0 => "x".into(),
            1 => "y + 1.0".into(),
            2 => format!("{} + {}", self.element(), self.element()),
            3 => format!("x + {}", self.element()),
            4 => format!("{} * 0.5", self.element()),
            5 => format!("{} / float({})", self.element(), self.int()),
            6 => format!("{} if {} else 2.0", self.element(), self.cond()),
            _ => self.element(),
        }
    }

    fn cond(&mut self) -> String {
        let op = ["<", "<=", ">", "!=", "==", ">="][usize::from(self.pick(6))];
        match self.pick(6) {
            0 => format!("{} {op} {}", self.int(), self.bound()),
            1 => format!("{} {op} 0 and {} < n", self.counter(), self.counter()),
            2 => format!("{} {op} x", self.element()),
            3 => format!("not ({} {op} m or {} > 3)", self.int(), self.counter()),
            _ => format!("{} {op} {}", self.counter(), self.bound()),
        }
    }
}
