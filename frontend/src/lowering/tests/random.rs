//! Random programs against CPython: expressions over scalars and arrays of every type, accumulators, choices,
//! inner loops. Whatever runs natively must give CPython's values and types.

use crate::lowering::tests::cpython::{Outcome, Program, outcomes};

/// A small generator of pseudo-random numbers (splitmix64, Steele et al. 2014).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len())]
    }
}

const SCALARS: &[&str] = &[
    "3",
    "-7",
    "0",
    "1",
    "2**40",
    "True",
    "False",
    "2.5",
    "-0.0",
    "0.1",
    "1e10",
    "np.float64(1.5)",
    "np.float32(0.1)",
    "np.int64(-3)",
    "np.int32(7)",
    "np.uint8(200)",
    "np.int8(-5)",
    "np.uint64(9)",
    "np.bool_(True)",
    "1+2j",
];
const DTYPES: &[&str] = &[
    "f8", "f4", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "?", "c16",
];
const LISTS: &[&str] = &[
    "[3, -1, 4, 1]",
    "[0.5, -0.0, 2.0, 1.0]",
    "[True, False, True, True]",
    "[1, 2.5, 3, -4.0]",
    "[0] * 4",
];
const CONSTANTS: &[&str] = &[
    "0", "1", "2", "3", "-1", "7", "0.5", "2.0", "0.0", "True", "100", "300", "0.1",
];
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "+", "-", "*", "+", "-", "*",
    "+", "-", "*", "/", "+", "*",
];
const COMPARE: &[&str] = &["<", "<=", ">", ">=", "==", "!="];
const UNARY: &[&str] = &[
    "abs",
    "int",
    "float",
    "bool",
    "round",
    "math.floor",
    "math.ceil",
    "math.sqrt",
    "np.sqrt",
    "np.float32",
    "np.int32",
    "np.float64",
    "np.abs",
    "np.floor",
    "np.sign",
    "np.square",
    "math.fabs",
    "np.int64",
    "np.uint8",
    "math.trunc",
    "np.bool_",
    "np.isnan",
    "math.isnan",
    "np.rint",
    "f",
];
const PAIRS: &[&str] = &[
    "min",
    "max",
    "np.minimum",
    "np.maximum",
    "pow",
    "math.copysign",
    "np.logical_and",
    "g",
];

struct Gen {
    rng: Rng,
    /// The names that hold scalars.
    scalars: Vec<String>,
    arrays: usize,
}

impl Gen {
    fn atom(&mut self) -> String {
        match self.rng.below(6) {
            0 => self.rng.pick(CONSTANTS).to_string(),
            1 => "i".to_string(),
            2 | 3 => {
                let at = self.rng.pick(&["i", "i", "i - 1", "-1", "3 - i"]);
                format!("a{}[{at}]", self.rng.below(self.arrays))
            }
            _ => {
                let k = self.rng.below(self.scalars.len());
                self.scalars[k].clone()
            }
        }
    }

    fn cond(&mut self, depth: usize) -> String {
        match self.rng.below(7) {
            0 => format!("{} and {}", self.expr(depth), self.expr(depth)),
            1 => format!("not {}", self.expr(depth)),
            2 => {
                let (op, op2) = (self.rng.pick(COMPARE), self.rng.pick(COMPARE));
                format!(
                    "{} {op} {} {op2} {}",
                    self.atom(),
                    self.expr(depth),
                    self.atom()
                )
            }
            3 => format!("i > {}", self.rng.below(4)),
            _ => {
                let op = self.rng.pick(COMPARE);
                format!("{} {op} {}", self.expr(depth), self.expr(depth))
            }
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let d = depth - 1;
        match self.rng.below(16) {
            0..=6 => {
                let op = self.rng.pick(BINARY);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
            7 => format!("(-{})", self.expr(d)),
            8 | 9 => {
                let f = self.rng.pick(UNARY);
                format!("{f}({})", self.expr(d))
            }
            10 | 11 => {
                let f = self.rng.pick(PAIRS);
                format!("{f}({}, {})", self.expr(d), self.expr(d))
            }
            12 => format!(
                "({} if {} else {})",
                self.expr(d),
                self.cond(d),
                self.expr(d)
            ),
            13 => format!("({})", self.cond(d)),
            14 => format!("({} or {})", self.expr(d), self.expr(d)),
            _ => self.atom(),
        }
    }

    fn statement(&mut self, indent: &str, level: usize) -> String {
        let target = {
            let k = self.rng.below(self.scalars.len());
            self.scalars[k].clone()
        };
        match self.rng.below(10) {
            0 | 1 => format!("{indent}{target} = {}\n", self.expr(2)),
            2 | 3 => {
                let op = self.rng.pick(&["+", "-", "*", "+", "/", "%", "//"]);
                format!("{indent}{target} {op}= {}\n", self.expr(1))
            }
            4 => format!(
                "{indent}a{}[i] = {}\n",
                self.rng.below(self.arrays),
                self.expr(2)
            ),
            5 => format!(
                "{indent}a{}[i] += {}\n",
                self.rng.below(self.arrays),
                self.expr(1)
            ),
            6 if level < 2 => {
                let deeper = format!("{indent}    ");
                let test = self.cond(1);
                let body = self.statement(&deeper, level + 1);
                let other = self.statement(&deeper, level + 1);
                format!("{indent}if {test}:\n{body}{indent}else:\n{other}")
            }
            7 if level < 2 => {
                let deeper = format!("{indent}    ");
                let times = self.rng.below(4);
                let body = self.statement(&deeper, level + 1);
                let rest = self.statement(&deeper, level + 1);
                let jump = match self.rng.below(4) {
                    0 => format!("{deeper}if j == 1:\n{deeper}    break\n"),
                    1 => format!("{deeper}if j == 1:\n{deeper}    continue\n"),
                    _ => String::new(),
                };
                format!("{indent}for j in range({times}):\n{body}{jump}{rest}")
            }
            8 => {
                let other = {
                    let k = self.rng.below(self.scalars.len());
                    self.scalars[k].clone()
                };
                format!(
                    "{indent}{target}, {other} = {}, {}\n",
                    self.expr(1),
                    self.expr(1)
                )
            }
            _ => format!("{indent}{target} = {}\n", self.expr(1)),
        }
    }

    fn program(seed: u64) -> Program {
        let mut g = Gen {
            rng: Rng(seed),
            scalars: vec![],
            arrays: 2,
        };
        let mut setup = String::from("def f(x):\n    return x * 2 + 1\n");
        setup.push_str("def g(x, y):\n    if x < y:\n        return x\n    for k in range(3):\n        if y > k:\n            return k\n    return y\n");
        for name in ["s", "t", "u"] {
            g.scalars.push(name.to_string());
            if g.rng.below(12) > 0 {
                setup.push_str(&format!("{name} = {}\n", g.rng.pick(SCALARS)));
            }
        }
        for k in 0..2 {
            let array = if g.rng.below(3) == 0 {
                g.rng.pick(LISTS).to_string()
            } else {
                format!("np.array([3, 1, 0, 2], dtype='{}')", g.rng.pick(DTYPES))
            };
            setup.push_str(&format!("a{k} = {array}\n"));
        }
        let mut source = String::from("for i in range(4):\n");
        for _ in 0..1 + g.rng.below(3) {
            source.push_str(&g.statement("    ", 0));
        }
        Program { setup, source }
    }
}

/// Random programs have CPython's results; `NESTWISE_FUZZ=seed,count` runs other ones.
#[test]
fn random_programs() {
    let plan = std::env::var("NESTWISE_FUZZ").unwrap_or_else(|_| "1,3000".into());
    let (seed, count) = plan.split_once(',').expect("seed,count");
    let (seed, count): (u64, u64) = (
        seed.parse().expect("a number"),
        count.parse().expect("a number"),
    );
    let (mut same, mut failures, mut spurious, mut refused, mut raising) = (0, 0, 0, 0, 0);
    let mut reasons: std::collections::BTreeMap<String, usize> = Default::default();
    let programs: Vec<Program> = (0..count)
        .map(|k| Gen::program(seed * 1_000_000 + k))
        .collect();
    for outcome in outcomes(&programs) {
        match outcome {
            Outcome::Same => same += 1,
            Outcome::GuardFailure(true) => failures += 1,
            Outcome::GuardFailure(false) => spurious += 1,
            Outcome::Refused(_, true) => raising += 1,
            Outcome::Refused(why, false) => {
                refused += 1;
                let why = why
                    .split_once(": ")
                    .map_or(why.clone(), |(_, w)| w.to_string());
                *reasons.entry(why).or_default() += 1;
            }
        }
    }
    println!(
        "same {same}, guard failures {failures}, spurious {spurious}, refused {refused}, refused and raising {raising}"
    );
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    for (why, n) in reasons.iter().take(40) {
        println!("{n:6} {why}");
    }
    // Enough must run for the test to mean something, and few may give up without need.
    assert!(same * 5 > count, "only {same} of {count} ran");
    assert!(
        refused < same,
        "{refused} refused without trouble, {same} ran"
    );
    assert!(
        spurious * 8 < count,
        "{spurious} guard failures without trouble"
    );
}
