//! Random loops that have to be split to become parallel: all iterations access one element, subscripts are mirrored,
//! or conditions are on the counter.

use crate::testing::random::{Case, finished};

/// The extent of the arrays `a`, `c`, `d` and `k`, and of both axes of `b`.
const EXTENT: i64 = 14;

/// The case of a nest with these values of `n`, `m`, `s`, `t` and `u`; subscripts below 14 are inside.
pub fn with_ints(text: &str, ints: &[i64]) -> Case {
    let one = vec![EXTENT];
    let dims = vec![one.clone(), vec![EXTENT; 2], one.clone(), one.clone(), one];
    finished(text.to_string(), dims, ints.to_vec())
}

/// The case that `bytes` describe.
pub fn split_case(bytes: &[u8]) -> Case {
    let mut g = Gen {
        bytes,
        at: 0,
        outer: false,
    };
    // Long enough that parts are; the values of cuts may lie outside the loops.
    let n = 9 + i64::from(g.pick(5));
    let ints = [
        n,
        i64::from(g.pick(14)),
        i64::from(g.pick(14)),
        i64::from(g.pick(14)),
        0,
    ];
    let mut text = String::new();
    g.nest(&mut text);
    with_ints(&text, &[&ints[..], &[1, 2, 3]].concat())
}

struct Gen<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether there is a loop around, over `o`.
    outer: bool,
}

impl Gen<'_> {
    /// A number below `n`; zero when the bytes are used up.
    fn pick(&mut self, n: u8) -> u8 {
        let b = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        b % n
    }

    fn one_of(&mut self, all: &[&str]) -> String {
        all[usize::from(self.pick(all.len() as u8))].to_string()
    }

    fn nest(&mut self, out: &mut String) {
        let mut pad = String::new();
        self.outer = self.pick(3) == 0;
        if self.outer {
            *out += "for o in range(3):\n";
            pad += "    ";
        }
        let ranges = [
            "range(n)",
            "range(n)",
            "range(1, n)",
            "range(n - 1, -1, -1)",
            "range(m, n)",
            "range(n - 1, m, -1)",
        ];
        *out += &format!("{pad}for i in {}:\n", self.one_of(&ranges));
        pad += "    ";
        if self.pick(3) > 0 {
            *out += &format!("{pad}u = i\n");
        }
        for _ in 0..1 + self.pick(3) {
            self.stmt(&pad, out);
        }
    }

    fn stmt(&mut self, pad: &str, out: &mut String) {
        match self.pick(8) {
            0 | 1 => {
                let (op, point) = (
                    self.one_of(&["==", "!=", "<", "<=", ">", ">="]),
                    self.point(),
                );
                let inner = format!("{pad}    ");
                *out += &format!("{pad}if i {op} {point}:\n");
                self.simple(&inner, out);
                if self.pick(2) == 0 {
                    *out += &format!("{pad}else:\n");
                    self.simple(&inner, out);
                }
            }
            2 => {
                let (to, from) = (self.element2(), self.element2());
                *out += &format!("{pad}for j in range({}):\n", self.one_of(&["m", "n", "3"]));
                *out += &format!("{pad}    {to} = {from} + c[j]\n");
            }
            _ => self.simple(pad, out),
        }
    }

    fn simple(&mut self, pad: &str, out: &mut String) {
        match self.pick(5) {
            0 => *out += &format!("{pad}x = {} * 0.5\n", self.element()),
            1 => *out += &format!("{pad}{} = x + d[i]\n", self.element()),
            _ => *out += &format!("{pad}{} = {} + d[i]\n", self.element(), self.element()),
        }
    }

    /// A value that is the same in all iterations.
    fn point(&mut self) -> String {
        let around = if self.outer { "o" } else { "2" };
        self.one_of(&["0", "m", "t", "n - 1", around, "s", "m + 1"])
    }

    fn at(&mut self) -> String {
        match self.pick(9) {
            0 | 1 => self.point(),
            2 => "n - 1 - i".into(),
            3 => "n - i".into(),
            _ => "i".into(),
        }
    }

    fn element(&mut self) -> String {
        let at = self.at();
        match self.pick(4) {
            0 => format!("c[{at}]"),
            _ => format!("a[{at}]"),
        }
    }

    fn element2(&mut self) -> String {
        let at = self.at();
        match self.pick(4) {
            0 => format!("b[j, {at}]"),
            _ => format!("b[{at}, j]"),
        }
    }
}
