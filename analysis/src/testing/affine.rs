//! Random nests whose accesses do not depend on what they compute: constant, triangular, strided and clamped bounds,
//! affine subscripts (coupled ones too), conditions on counters.

use nestwise_ir::Nest;

use crate::testing::{Memory, Value, nest};

/// The extents of the axes of `a` (one axis) and `b` (two); every subscript is inside.
const EXTENTS: [i64; 2] = [200, 64];

/// The nest that `bytes` describe: its text, the nest, and memory for it.
pub fn affine_case(bytes: &[u8]) -> (String, Nest, Memory) {
    let mut g = Gen {
        bytes,
        at: 0,
        depth: 0,
        lines: 0,
    };
    let mut text = String::new();
    g.for_loop(0, &mut text);
    let nest = nest("a: f64[1], b: f64[2], x: float", &text);
    let dims = vec![vec![EXTENTS[0]], vec![EXTENTS[1], EXTENTS[1]]];
    let data = dims.iter().map(|d: &Vec<i64>| {
        let len = d.iter().product::<i64>();
        (0..len).map(|i| Value::Float(i as f64)).collect()
    });
    let vars = nest
        .vars
        .values()
        .map(|v| v.live_in.map(|_| Value::Float(1.0)));
    let memory = Memory {
        data: data.collect(),
        vars: vars.collect(),
        dims,
    };
    (text, nest, memory)
}

struct Gen<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The number of loops around the current point.
    depth: u8,
    lines: usize,
}

impl Gen<'_> {
    fn pick(&mut self, n: u8) -> u8 {
        let b = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        b % n
    }

    fn counter(&mut self) -> String {
        let at = self.pick(self.depth);
        format!("i{at}")
    }

    /// A bound between 0 and 9.
    fn bound(&mut self) -> String {
        let c = 1 + self.pick(5);
        match self.pick(6) {
            0 if self.depth > 0 => self.counter(),
            1 if self.depth > 0 => format!("{} + 1", self.counter()),
            2 if self.depth > 0 => format!("min({}, {c})", self.counter()),
            3 if self.depth > 0 => format!("max({}, {c})", self.counter()),
            _ => c.to_string(),
        }
    }

    fn for_loop(&mut self, indent: usize, out: &mut String) {
        let pad = "    ".repeat(indent);
        let range = match self.pick(8) {
            0..=2 => format!("range({})", self.bound()),
            3 => format!("range({}, {})", self.pick(3), self.bound()),
            4 => format!("range({}, {}, 2)", self.bound(), 4 + self.pick(4)),
            5 => format!("range({} - 1, -1, -1)", self.bound()),
            6 => format!(
                "range({}, {}, -{})",
                2 + self.pick(5),
                self.pick(2),
                1 + self.pick(3)
            ),
            _ => format!("range({}, {})", self.bound(), self.bound()),
        };
        *out += &format!("{pad}for i{} in {range}:\n", self.depth);
        self.depth += 1;
        for _ in 0..1 + self.pick(3) {
            self.stmt(indent + 1, out);
        }
        self.depth -= 1;
    }

    fn stmt(&mut self, indent: usize, out: &mut String) {
        self.lines += 1;
        let pad = "    ".repeat(indent);
        match self.pick(8) {
            0..=2 if self.depth < 4 && self.lines < 9 => self.for_loop(indent, out),
            3 if self.lines < 9 => {
                let cond = self.cond(2);
                *out += &format!("{pad}if {cond}:\n");
                self.stmt(indent + 1, out);
                if self.pick(2) == 0 {
                    *out += &format!("{pad}else:\n");
                    self.stmt(indent + 1, out);
                }
            }
            _ => {
                let (target, value) = (self.element(), self.element());
                *out += &format!("{pad}{target} = {value} + x\n");
            }
        }
    }

    fn cond(&mut self, depth: u8) -> String {
        let op = ["<", "<=", ">", "!=", "==", ">="][usize::from(self.pick(6))];
        match self.pick(8) {
            0 if depth > 0 => format!("{} and {}", self.cond(depth - 1), self.cond(depth - 1)),
            1 if depth > 0 => format!("({} or {})", self.cond(depth - 1), self.cond(depth - 1)),
            2 if depth > 0 => format!("not ({})", self.cond(depth - 1)),
            3 => format!(
                "{} % {} == {}",
                self.counter(),
                2 + self.pick(2),
                self.pick(2)
            ),
            4 => format!(
                "{} + {} {op} {}",
                self.counter(),
                self.counter(),
                self.pick(9)
            ),
            5 => format!("{} {op} {}", self.counter(), self.counter()),
            _ => format!("{} {op} {}", self.counter(), self.pick(6)),
        }
    }

    fn element(&mut self) -> String {
        match self.pick(3) {
            0 => format!("a[{}]", self.subscript(60)),
            _ => format!("b[{}, {}]", self.subscript(28), self.subscript(28)),
        }
    }

    /// A subscript whose value is at most 27 away from `middle`.
    fn subscript(&mut self, middle: i64) -> String {
        let c = middle + i64::from(self.pick(5)) - 2;
        match self.pick(10) {
            0 => c.to_string(),
            1 => format!("2 * {} + {c}", self.counter()),
            2 => format!("{} + {} + {c}", self.counter(), self.counter()),
            3 => format!("{c} - {}", self.counter()),
            4 => format!("{} - {} + {c}", self.counter(), self.counter()),
            5 => format!("{} // 2 + {c}", self.counter()),
            6 => format!("{} % 3 + {c}", self.counter()),
            7 => format!("2 * {} - {} + {c}", self.counter(), self.counter()),
            _ => format!("{} + {c}", self.counter()),
        }
    }
}
