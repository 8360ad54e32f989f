//! Random nests with values for them, made from a string of bytes (so that proptest shrinks them).

use nestwise_ir::Nest;

use crate::LaunchValues;
use crate::testing::{Memory, Value, nest};

/// A nest with the memory and the values that it runs on.
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
    let mut g = Gen::new(bytes);
    g.plain = g.pick(2) == 0;
    let (dims, ints) = (g.extents(), (0..8).map(|_| g.value()).collect::<Vec<_>>());
    let mut text = String::new();
    g.for_loop(0, &mut text);
    finished(text, dims, ints)
}

/// A case of neighbours: one loop, or two nested loops, perhaps inside a third one, whose statements read elements
/// close to those that they and others write.
pub fn neighbours(bytes: &[u8]) -> Case {
    let mut g = Gen::new(bytes);
    let size = |g: &mut Gen| 9 + i64::from(g.pick(4));
    let one = size(&mut g);
    let dims = vec![
        vec![one],
        vec![size(&mut g), size(&mut g)],
        vec![one],
        vec![one],
        vec![one],
    ];
    let ints = (0..8).map(|_| i64::from(g.pick(6)) + 2).collect();
    let mut text = String::new();
    g.sweep(&mut text);
    finished(text, dims, ints)
}

/// A case of choices: subscripts and bounds that conditions inside conditions choose.
pub fn choices(bytes: &[u8]) -> Case {
    let mut g = Gen::new(bytes);
    let dims = vec![vec![14], vec![12, 12], vec![14], vec![14], vec![12]];
    let ints = (0..8).map(|_| i64::from(g.pick(5)) + 2).collect();
    let mut text = String::new();
    let depth = 1 + usize::from(g.pick(3) == 0);
    for level in 0..depth {
        let range = [
            "range(n)",
            "range(m)",
            "range(1, n + 3)",
            "range(n, -1, -1)",
        ];
        let range = range[usize::from(g.pick(4))];
        text += &format!("{}for i{level} in {range}:\n", "    ".repeat(level));
        g.loops.push(format!("i{level}"));
    }
    for _ in 0..1 + g.pick(2) {
        let name = g.one_of(&["t", "u"]);
        if g.pick(3) > 0 {
            let value = g.choice();
            text += &format!("{}{name} = {value}\n", "    ".repeat(depth));
        }
        g.choose(name, depth, 3, &mut text);
    }
    g.chosen(depth, &mut text);
    finished(text, dims, ints)
}

/// A case of distances: subscripts with symbols in them, whose values decide what iterations share, and index arrays
/// whose elements do.
pub fn distances(bytes: &[u8]) -> Case {
    let mut g = Gen::new(bytes);
    let dims = vec![vec![40], vec![24, 24], vec![40], vec![40], vec![24]];
    let small = |g: &mut Gen| i64::from(g.pick(9)) - 2;
    let ints = (0..8)
        .map(|k| {
            if k < 2 {
                small(&mut g).max(0) + 1
            } else {
                small(&mut g)
            }
        })
        .collect();
    let mut text = String::new();
    for level in 0..1 + usize::from(g.pick(3) == 0) {
        let range = g.one_of(&[
            "range(n)",
            "range(n)",
            "range(2, m + 4)",
            "range(0, n, 2)",
            "range(n, 0, -1)",
        ]);
        text += &format!("{}for i{level} in {range}:\n", "    ".repeat(level));
        g.loops.push(format!("i{level}"));
    }
    let pad = "    ".repeat(g.loops.len());
    for _ in 0..1 + g.pick(3) {
        let (mut to, from) = (g.distant(), g.distant());
        if g.pick(3) == 0 {
            to = format!("d[k[{}]]", g.loops[0]);
        }
        text += &format!("{pad}{to} = {from} + 1.0\n");
    }
    let mut case = finished(text, dims, ints);
    // Distinct and sorted, distinct, sorted, or neither.
    let kind = g.pick(4);
    let element = |i: i64| match kind {
        0 => i + i / 3,
        1 => (i * 7 + 3) % 24,
        2 => i / 2 + 1,
        _ => (i * i) % 9,
    };
    let all: Vec<i64> = (0..24).map(element).collect();
    case.values.contents[4] = all.iter().min().copied().zip(all.iter().max().copied());
    case.memory.data[4] = all.into_iter().map(|v| Value::Int(v.into())).collect();
    case
}

/// A case of two loops over one range, one behind the other inside a third one, with bodies like those of
/// [`neighbours`].
pub fn beside(first: &[u8], second: &[u8]) -> Case {
    let dims = vec![vec![12], vec![12, 12], vec![12], vec![12], vec![12]];
    let mut text = String::from("for i8 in range(2):\n");
    let mut header = Gen::new(first);
    let range = header.one_of(&["range(1, n)", "range(n - 1, 0, -1)", "range(1, n, 2)"]);
    for (level, bytes) in [first, second].into_iter().enumerate() {
        let mut g = Gen::new(bytes);
        g.at = 1;
        g.loops.push(format!("i{level}"));
        text += &format!("    for i{level} in {range}:\n");
        g.body_of_neighbours("        ", &mut text);
    }
    finished(text, dims, vec![8; 8])
}

/// The case of a nest over arrays of these extents, with these values of `n`, `m`, `s`, `t` and `u`.
pub(super) fn finished(text: String, dims: Vec<Vec<i64>>, ints: Vec<i64>) -> Case {
    let nest = nest(HEADER, &text);
    let number = |slot: usize, i: i64| (i * 7 + slot as i64 * 5 + i * i * 3) % 19;
    let mut data: Vec<Vec<Value>> = vec![];
    for (slot, d) in dims.iter().enumerate() {
        let len = d.iter().product::<i64>();
        let int = |i| Value::Int((number(slot, i) % 8).into());
        let float = |i| Value::Float(number(slot, i) as f64 - 4.0);
        data.push(
            (0..len)
                .map(|i| if slot == 4 { int(i) } else { float(i) })
                .collect(),
        );
    }
    let mut vars = vec![None; nest.vars.len()];
    let mut values = LaunchValues::unknown(&nest);
    let live = nest.vars.iter().filter(|(_, d)| d.live_in.is_some());
    for ((id, d), v) in live.zip(ints) {
        let int = d.ty.repr.is_int();
        vars[id.index()] = Some(if int {
            Value::Int(v.into())
        } else {
            Value::Float(v as f64 * 0.5)
        });
        values.vars[id.index()] = int.then_some(v);
    }
    for (slot, d) in dims.iter().enumerate() {
        values.dims[slot][..d.len()].copy_from_slice(d);
    }
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
    /// Whether only loops, conditions and stores are generated.
    plain: bool,
}

impl<'a> Gen<'a> {
    fn new(bytes: &'a [u8]) -> Gen<'a> {
        Gen {
            bytes,
            at: 0,
            loops: vec![],
            names: 0,
            lines: 0,
            plain: false,
        }
    }

    fn sweep(&mut self, out: &mut String) {
        let (repeated, deep) = (self.pick(3) == 0, self.pick(3) > 0);
        let mut depth = 0;
        if repeated {
            *out += "for i9 in range(3):\n";
            depth = 1;
        }
        for (level, int) in ["u", "s"].iter().enumerate().skip(usize::from(!deep)) {
            let range = [
                "range(1, n)",
                "range(1, m)",
                "range(n - 1, 0, -1)",
                "range(2, m)",
                "range(1, n, 2)",
            ];
            let range = range[usize::from(self.pick(5))];
            let pad = "    ".repeat(depth);
            *out += &format!("{pad}for i{level} in {range}:\n");
            // What a loop's variable is to a script.
            if self.pick(3) > 0 {
                *out += &format!("{pad}    {int} = i{level}\n");
            }
            self.loops.push(format!("i{level}"));
            depth += 1;
        }
        self.body_of_neighbours(&"    ".repeat(depth), out);
    }

    fn body_of_neighbours(&mut self, pad: &str, out: &mut String) {
        for number in 0..1 + self.pick(3) {
            let mut inner = pad.to_string();
            match self.pick(8) {
                0 => {
                    *out += &format!("{pad}x = {}\n", self.near());
                    *out += &format!("{pad}{} = x * 0.5\n", self.near());
                    continue;
                }
                2 => {
                    *out += &format!("{pad}for i{} in range(2):\n", 6 + number);
                    inner += "    ";
                }
                1 => {
                    *out += &format!("{pad}if {} < x:\n", self.near());
                    inner += "    ";
                }
                _ => {}
            }
            let (to, p, q) = (self.near(), self.near(), self.near());
            *out += &format!("{inner}{to} = {p} + {q}\n");
        }
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[usize::from(self.pick(all.len() as u8))]
    }

    /// Writes assignments to a variable, under at most `more` nested conditions.
    fn choose(&mut self, name: &str, depth: usize, more: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        let value = self.choice();
        match self.pick(5) {
            0 if more > 0 => {
                let (other, cond) = (self.choice(), self.condition());
                *out += &format!("{pad}{name} = {value} if {cond} else {other}\n");
            }
            1.. if more > 0 => {
                *out += &format!("{pad}if {}:\n", self.condition());
                self.choose(name, depth + 1, more - 1, out);
                if self.pick(2) == 0 {
                    *out += &format!("{pad}else:\n");
                    self.choose(name, depth + 1, more - 1, out);
                }
            }
            _ => *out += &format!("{pad}{name} = {value}\n"),
        }
    }

    /// An access whose distance from the current iteration depends on a symbol or an index array.
    fn distant(&mut self) -> String {
        let at = |g: &mut Self| {
            let (i, s) = (g.counter(), g.one_of(&["s", "t", "u"]));
            match g.pick(10) {
                0 => format!("{i} - {s} + 8"),
                1 => format!("2 * {i} + {s} + 3"),
                2 => format!("{s} + 4"),
                3 => format!("{s} - {i} + 12"),
                4 => format!("k[{i}]"),
                5 => format!("k[{i} + {}]", g.pick(2)),
                6 => format!("{i} * m + {s} + 3"),
                7 => i.to_string(),
                _ => format!("{i} + {s} + 3"),
            }
        };
        match self.pick(5) {
            0 => format!("b[{}, {}]", at(self), self.counter()),
            1 | 2 => format!("c[{}]", at(self)),
            _ => format!("a[{}]", at(self)),
        }
    }

    fn choice(&mut self) -> String {
        let i = self.counter();
        match self.pick(12) {
            0 => "t".into(),
            1 => "u".into(),
            2 => format!("{i} + {}", self.pick(4)),
            3 => format!("n + m - {i}"),
            4 => format!("min({i}, {})", self.pick(4)),
            5 => format!("{i} // 2"),
            6 => format!("k[{i}]"),
            7 => format!("{}", self.pick(4)),
            _ => i,
        }
    }

    fn condition(&mut self) -> String {
        let op = self.one_of(&["<", ">", "==", "!=", "<=", ">="]);
        let i = self.counter();
        match self.pick(8) {
            0 => format!("{i} % 2 {op} 0"),
            1 => format!("{i} {op} n and {i} > {}", self.pick(3)),
            2 => format!("{i} {op} s or {i} < {}", self.pick(3)),
            3 => format!("t {op} {i}"),
            4 => format!("k[{i}] {op} {}", self.pick(5)),
            5 => format!("{i} {op} s"),
            _ => format!("{i} {op} {}", self.pick(6)),
        }
    }

    /// Writes accesses whose subscripts are the chosen values.
    fn chosen(&mut self, depth: usize, out: &mut String) {
        let mut pad = "    ".repeat(depth);
        if self.pick(5) == 0 {
            *out += &format!("{pad}for j in range(t):\n");
            self.loops.push("j".into());
            pad += "    ";
        }
        let element = |g: &mut Self| {
            let at = [
                g.choice(),
                "t".into(),
                "u".into(),
                "t + 1".into(),
                "t".into(),
            ];
            let at = at[usize::from(g.pick(5))].clone();
            match g.pick(4) {
                0 => format!("b[{at}, {}]", g.counter()),
                1 => format!("c[{at}]"),
                _ => format!("a[{at}]"),
            }
        };
        for _ in 0..1 + self.pick(3) {
            let (to, from) = (element(self), element(self));
            let from = if self.pick(2) == 0 { "y".into() } else { from };
            *out += &format!("{pad}{to} = {from} + 1.0\n");
        }
    }

    /// An access to an element close to that of the current iteration.
    fn near(&mut self) -> String {
        let at = |g: &mut Self, level: usize| {
            let name = g.loops[level % g.loops.len()].clone();
            match g.pick(6) {
                0 => format!("{name} - 1"),
                1 => format!("{name} + 1"),
                _ => name,
            }
        };
        match self.pick(8) {
            0 => format!("a[{}]", at(self, 0)),
            1 => format!("c[{}]", at(self, 1)),
            2 => format!("d[{}]", at(self, 0)),
            _ => format!("b[{}, {}]", at(self, 0), at(self, 1)),
        }
    }
    /// A number below `n`; zero when the bytes are used up.
    fn pick(&mut self, n: u8) -> u8 {
        let b = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        b % n
    }

    /// The extents of the five arrays: mostly large enough for all subscripts, sometimes not.
    fn extents(&mut self) -> Vec<Vec<i64>> {
        let small = self.pick(6) == 5;
        let mut size =
            |most: u8, least: i64| i64::from(self.pick(most)) + if small { 0 } else { least };
        let mut out = vec![
            vec![size(9, 9)],
            vec![size(6, 7), size(6, 7)],
            vec![size(9, 9)],
        ];
        out.push(out[2].clone());
        out.push(vec![size(9, 9)]);
        if self.pick(4) == 3 {
            out[3][0] += 1;
        }
        out
    }

    /// The value of a live-in.
    fn value(&mut self) -> i64 {
        let v = i64::from(self.pick(5));
        if self.pick(8) == 7 { v - 2 } else { v + 2 }
    }

    fn for_loop(&mut self, depth: usize, out: &mut String) {
        let pad = "    ".repeat(depth);
        let name = format!("i{}", self.names);
        self.names += 1;
        let range = match self.pick(13) {
            0 | 1 | 8 | 9 | 10 => format!("range({})", self.bound()),
            2 | 3 => format!("range({}, {})", self.pick(3), self.bound()),
            4 => format!("range({} - 1, -1, -1)", self.bound()),
            5 => format!("range({}, {}, -2)", self.bound(), self.pick(2)),
            6 => format!("range({}, {}, 2)", self.pick(2), self.bound()),
            11 => format!("range({}, {})", self.bound(), self.bound()),
            12 => format!("range({}, {}, 3)", self.bound(), self.bound()),
            _ => format!(
                "range(max(0, {}), min({}, {}))",
                self.bound(),
                self.bound(),
                self.bound()
            ),
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
        let kind = self.pick(20);
        let kind = if self.plain && kind > 4 { 19 } else { kind };
        match kind {
            0..=3 if !deep && self.loops.len() < 3 => self.for_loop(depth, out),
            4 if !deep => {
                *out += &format!("{pad}if {}:\n", self.cond());
                self.body(depth + 1, out);
                if self.pick(2) == 0 {
                    *out += &format!("{pad}else:\n");
                    self.body(depth + 1, out);
                }
            }
            5 if !deep => {
                *out += &format!(
                    "{pad}if {}:\n{pad}    {}\n",
                    self.cond(),
                    ["continue", "break", "continue"][usize::from(self.pick(3))]
                );
            }
            6 => *out += &format!("{pad}t = {}\n", self.int()),
            7 => {
                *out += &format!(
                    "{pad}u {}= {}\n",
                    ["+", "-"][usize::from(self.pick(2))],
                    self.pick(3)
                )
            }
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
        match self.pick(12) {
            0 | 9 | 10 => "n".into(),
            1 | 11 => "m".into(),
            2 => "len(a)".into(),
            3 => "shape(b, 1)".into(),
            4 if !self.loops.is_empty() => self.counter(),
            5 if !self.loops.is_empty() => format!("{} + 1", self.counter()),
            6 => "n - 1".into(),
            7 => "(n + m) // 2".into(),
            _ => format!("{}", 2 + self.pick(5)),
        }
    }

    fn counter(&mut self) -> String {
        let i = usize::from(self.pick(self.loops.len() as u8));
        self.loops[i].clone()
    }

    fn int(&mut self) -> String {
        let kind = self.pick(26);
        match if self.plain && kind > 5 && self.pick(3) > 0 {
            0
        } else {
            kind
        } {
            0..=3 | 16..=23 => self.counter(),
            24 => format!("{} + {}", self.counter(), self.counter()),
            25 => format!("{} * 2 + {}", self.counter(), self.counter()),
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
            5 => format!("{} / float({} + 1)", self.element(), self.int()),
            6 => format!("{} if {} else 2.0", self.element(), self.cond()),
            _ => self.element(),
        }
    }

    fn cond(&mut self) -> String {
        let op = ["<", "<=", ">", "!=", "==", ">="][usize::from(self.pick(6))];
        match self.pick(7) {
            6 => format!(
                "{} + {} {op} {}",
                self.counter(),
                self.counter(),
                self.bound()
            ),
            0 => format!("{} {op} {}", self.int(), self.bound()),
            1 => format!("{} {op} 0 and {} < n", self.counter(), self.counter()),
            2 => format!("{} {op} x", self.element()),
            3 => format!("not ({} {op} m or {} > 3)", self.int(), self.counter()),
            _ => format!("{} {op} {}", self.counter(), self.bound()),
        }
    }
}
