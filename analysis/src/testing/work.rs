//! Random nests with work arrays (`w`, `v`), most of them written before they are read, and arrays that are updated
//! (`h`), most of them only updated.

use crate::LaunchValues;
use crate::testing::{Case, Memory, Value, nest};

/// The extents of `a` (two axes), `w`, `v` (two axes), `h` and `k`: every subscript is inside.
const DIMS: [&[i64]; 5] = [&[12, 12], &[24], &[12, 12], &[24], &[12]];

const HEADER: &str = "n: int, m: int, x: float, y: float, a: f64[2], w: f64[1], v: f64[2], h: i64[1], k: i64[1], out y";

/// The case that `bytes` describe.
pub fn work_case(bytes: &[u8]) -> Case {
    let mut g = Gen {
        bytes,
        at: 0,
        loops: vec![],
        names: 0,
        lines: 0,
    };
    let ints = [i64::from(g.pick(5)) + 2, i64::from(g.pick(5)) + 1];
    let mut text = String::new();
    g.outer(0, &mut text);
    on_arrays(HEADER, text, &ints, &DIMS, &[3, 4])
}

/// The case of a nest with the values of its first ints and arrays of these extents; the arrays in `of_ints` hold ints.
pub(super) fn on_arrays(
    header: &str,
    text: String,
    ints: &[i64],
    extents: &[&[i64]],
    of_ints: &[usize],
) -> Case {
    let nest = nest(header, &text);
    let mut values = LaunchValues::unknown(&nest);
    let mut vars = vec![None; nest.vars.len()];
    let live = nest.vars.iter().filter(|(_, d)| d.live_in.is_some());
    for (k, (id, _)) in live.enumerate() {
        vars[id.index()] = Some(match ints.get(k) {
            Some(v) => Value::Int((*v).into()),
            None => Value::Float(k as f64),
        });
        values.vars[id.index()] = ints.get(k).copied();
    }
    let mut data = vec![];
    for (slot, dims) in extents.iter().enumerate() {
        values.dims[slot][..dims.len()].copy_from_slice(dims);
        let number = |i: i64| (i * 7 + slot as i64 * 5 + i * i * 3) % 11;
        let value = |i: i64| match slot {
            _ if of_ints.contains(&slot) => Value::Int(number(i).into()),
            // No two alike: the best is where it is, whoever looks first.
            _ => Value::Float(((i * 37 + slot as i64 * 5) % 97) as f64 - 4.0),
        };
        data.push((0..dims.iter().product()).map(value).collect());
    }
    let dims = extents.iter().map(|d| d.to_vec()).collect();
    Case {
        text,
        nest,
        memory: Memory { data, dims, vars },
        values,
    }
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

    fn one<'s>(&mut self, of: &[&'s str]) -> &'s str {
        of[usize::from(self.pick(of.len() as u8))]
    }

    fn open(&mut self, depth: usize, range: &str, out: &mut String) {
        let name = format!("i{}", self.names);
        self.names += 1;
        *out += &format!("{}for {name} in {range}:\n", "    ".repeat(depth));
        self.loops.push(name);
    }

    fn outer(&mut self, depth: usize, out: &mut String) {
        let range = self.one(&[
            "range(n)",
            "range(1, n)",
            "range(n - 1, -1, -1)",
            "range(0, 6, 2)",
        ]);
        self.open(depth, range, out);
        let statements = 2 + self.pick(3);
        for _ in 0..statements {
            if depth == 0 && self.pick(8) == 0 {
                self.outer(1, out);
            } else {
                self.stmt(depth + 1, out);
            }
        }
        self.loops.pop();
    }

    fn stmt(&mut self, depth: usize, out: &mut String) {
        self.lines += 1;
        let pad = "    ".repeat(depth);
        let kind = if self.lines > 10 { 9 } else { self.pick(14) };
        match kind {
            0..=5 if depth < 4 => {
                let range = self.range();
                self.open(depth, &range, out);
                for _ in 0..1 + self.pick(2) {
                    self.stmt(depth + 1, out);
                }
                if self.pick(5) == 4 {
                    let cond = self.cond();
                    *out += &format!("{pad}    if {cond}:\n{pad}        break\n");
                }
                self.loops.pop();
            }
            6 => {
                let cond = self.cond();
                *out += &format!("{pad}if {cond}:\n");
                self.stmt(depth + 1, out);
            }
            7 => {
                let (cond, jump) = (self.cond(), self.one(&["continue", "continue", "break"]));
                if self.loops.len() > 1 || jump == "continue" {
                    *out += &format!("{pad}if {cond}:\n{pad}    {jump}\n");
                }
                self.stmt(depth, out);
            }
            8 | 13 => {
                let (at, by) = (self.int(), self.int());
                *out += &match self.pick(8) {
                    0 => format!("{pad}h[{at}] = max(h[{at}], {by})\n"),
                    1 => format!("{pad}h[{at}] = h[{at}] + h[{by}]\n"),
                    2 => format!("{pad}if {by} > h[{at}]:\n{pad}    h[{at}] = {by}\n"),
                    3 => format!("{pad}h[{at}] -= {by}\n"),
                    _ => format!("{pad}h[{at}] += {by}\n"),
                };
            }
            _ => {
                let (target, value) = (self.target(), self.value());
                *out += &format!("{pad}{target} = {value}\n");
            }
        }
    }

    fn range(&mut self) -> String {
        let own = self.loops[0].clone();
        match self.pick(12) {
            0..=5 => "range(m)".into(),
            6 => "range(1, m)".into(),
            7 => "range(m - 2, -1, -1)".into(),
            8 => format!("range({own})"),
            9 => format!("range({own}, n)"),
            10 => "range(0, m, 2)".into(),
            _ => "range(m + 1)".into(),
        }
    }

    fn counter(&mut self) -> String {
        // The innermost more often than not.
        let back = usize::from(self.pick(3) / 2).min(self.loops.len() - 1);
        self.loops[self.loops.len() - 1 - back].clone()
    }

    /// An int expression whose value is a subscript between 0 and 11.
    fn int(&mut self) -> String {
        match self.pick(10) {
            0 => format!("{}", self.pick(3)),
            1 => format!("{} + 1", self.counter()),
            2 => format!("max({} - 1, 0)", self.counter()),
            3 => format!("k[{}]", self.counter()),
            4 => format!("2 - {} % 3", self.counter()),
            _ => self.counter(),
        }
    }

    fn cond(&mut self) -> String {
        match self.pick(4) {
            0 => format!("a[{}, 0] > x", self.counter()),
            1 => format!("{} != 1", self.counter()),
            _ => format!("{} > {}", self.counter(), self.pick(3)),
        }
    }

    fn work(&mut self) -> String {
        match self.pick(8) {
            0 => format!("w[{}]", self.pick(3)),
            1 => format!("w[2 * {}]", self.counter()),
            2 => format!("w[{} + 1]", self.counter()),
            3 => format!("w[{} + 3 - 1]", self.counter()),
            4 => format!("v[{}, {}]", self.counter(), self.counter()),
            _ => format!("w[{}]", self.counter()),
        }
    }

    fn target(&mut self) -> String {
        match self.pick(3) {
            0 => format!("a[{}, {}]", self.loops[0].clone(), self.int()),
            _ => self.work(),
        }
    }

    fn value(&mut self) -> String {
        match self.pick(6) {
            0 => format!("{} + y", self.work()),
            1 => format!("{} + {}", self.work(), self.work()),
            2 => format!("a[{}, {}]", self.loops[0].clone(), self.int()),
            3 => "x".into(),
            _ => format!("x + {}", self.work()),
        }
    }
}
