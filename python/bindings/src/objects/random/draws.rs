//! The methods of random generators, as functions over the generator's state that are inlined like a user's.
//!
//! Most methods are of the Mersenne Twister, MT19937 (Matsumoto and Nishimura 1998): a float is made of 53 bits of two
//! draws, as in CPython's `_randommodule.c` and NumPy's `mt19937.h`. The methods of `np.random.default_rng()` are of
//! PCG64 (O'Neill 2014, XSL RR 128/64): a float is made of 53 bits of one draw. To draw an int below a bound, CPython's
//! `random.py` draws as many leading bits as the bound has, and NumPy's legacy `randint` as many last bits as the
//! greatest allowed int has; both draw again until the int is small enough. A `Generator` draws pieces of 32 bits, of
//! which it keeps every second one for later, and takes the upper part of the product of piece and bound (Lemire, "Fast
//! Random Integer Generation in an Interval", 2019). A call that has to raise reads a word that the state does not
//! have, so that it is left to CPython.

use std::collections::HashSet;

use nestwise_ir::surface::LibraryWork;

/// The library whose generators have a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// Python's `random` module.
    Python,
    /// NumPy's legacy generators: `np.random` itself and `np.random.RandomState`.
    Numpy,
    /// NumPy's `np.random.Generator` with PCG64.
    Generator,
}

/// A method and what it does.
pub struct Draw {
    /// The library whose generators have the method.
    pub library: Library,
    /// The names of the method.
    pub names: &'static [&'static str],
    /// The work of a call in CPython, as measured beside `math.sqrt` on one machine.
    pub work: LibraryWork,
    /// The method is written in Python, or by a way that the library does not promise, so that its results are compared
    /// with those of the running version's own before it is used.
    pub checked: bool,
    /// The method keeps a number for later.
    pub keeps: bool,
    head: &'static str,
    body: fn() -> String,
    tail: &'static str,
}

const fn work(calls: u32, quick: f64) -> LibraryWork {
    LibraryWork { calls, quick }
}

/// The text of the next draw of the Mersenne Twister, as `y`; `AT` and `POS` stand for where the words begin and where
/// the position is.
const NEXT: &str = "
        if k >= 624:
            i = 0
            while i < 624:
                j = i + 1 if i < 623 else 0
                y = (state[i + AT] & 0x80000000) | (state[j + AT] & 0x7fffffff)
                v = state[(i + 397 if i < 227 else i - 227) + AT] ^ (y >> 1)
                state[i + AT] = v ^ 0x9908b0df if y & 1 else v
                i += 1
            k = 0
        y = state[k + AT]
        k += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9d2c5680
        y ^= (y << 15) & 0xefc60000
        y ^= y >> 18
";
const LOCALS: &str = "loc scale state k drawn bits i j y v m limit left low high start stop seq n r mask mu sigma lambd z zz x g u1 u2 a b t s0 s1 s2 s3 s4 s5 s6 s7 r0 r1 r2 r3 \
    r4 r5 r6 r7";

/// The text that draws `bits`, an int of 53 bits, from the Mersenne Twister.
fn bits() -> String {
    format!(
        "
    k = state[POS]
    drawn = 0
    bits = 0
    while drawn < 2:{NEXT}
        bits = y >> 5 if drawn == 0 else (bits << 26) | (y >> 6)
        drawn += 1
    state[POS] = k
"
    )
}

/// The text that draws `bits`, an int of 53 bits, from the Mersenne Twister, indented for use in a block.
fn bits_inside() -> String {
    bits().replace("\n    ", "\n        ")
}

/// The number that a generator's attribute is taken for while it is None because nothing is kept in it; no kept number
/// is even half as large.
pub const NOTHING_KEPT: f64 = 100.0;
/// The attribute in which `gauss` keeps the second of two numbers.
pub const KEPT: &str = "gauss_next";

/// The text that draws `z`, one of two normally distributed numbers that are made at once (Box and Muller 1958); the
/// other one is kept.
fn gauss() -> String {
    let bits = bits_inside();
    format!(
        "
    z = state.{KEPT}
    state.{KEPT} = {NOTHING_KEPT:?}
    if z > 50.0:{bits}
        x = FLOAT * 6.283185307179586{bits}
        g = sqrt(-2.0 * log(1.0 - (FLOAT)))
        z = cos(x) * g
        state.{KEPT} = sin(x) * g
"
    )
}

/// The text that draws `z`, one of two normally distributed numbers that are made at once by the polar method (Marsaglia
/// and Bray 1964), as NumPy's legacy generators do; the other one is kept.
fn polar() -> String {
    let bits = bits_inside().replace("\n    ", "\n        ");
    format!(
        "
    z = state.{KEPT}
    state.{KEPT} = {NOTHING_KEPT:?}
    if z > 50.0:
        zz = 2.0
        x = 0.0
        g = 0.0
        while zz >= 1.0 or zz == 0.0:{bits}
            x = 2.0 * (FLOAT) - 1.0{bits}
            g = 2.0 * (FLOAT) - 1.0
            zz = x * x + g * g
        zz = sqrt(-2.0 * log(zz) / zz)
        z = zz * g
        state.{KEPT} = zz * x
"
    )
}

/// The text that draws `z`, a normally distributed number, by the ratio of two draws (Kinderman and Monahan 1977).
fn ratio() -> String {
    let bits = bits_inside();
    format!(
        "
    zz = 1.0
    u2 = 1.0
    z = 0.0
    while zz > -log(u2):{bits}
        u1 = FLOAT{bits}
        u2 = 1.0 - (FLOAT)
        z = 1.7155277699214135 * (u1 - 0.5) / u2
        zz = z * z / 4.0
"
    )
}

/// The text that computes `mask`, which has ones from the first one bit of `n` on, and reads the position. An `n` below
/// `LEAST` is left to CPython, which raises, and so is one above 2^30, which it draws in several pieces.
const MASK: &str = "
    if n < LEAST or n > 1073741824:
        y = state[625]
    mask = n | n >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    k = state[POS]
";

/// The text that draws `r`, an int of at least 0 and below `n`, from the Mersenne Twister.
fn below() -> String {
    let mask = MASK.replace("LEAST", "1");
    format!(
        "{mask}
    r = n
    while r >= n:{NEXT}
        r = (y * (mask + 1)) >> 32
    state[POS] = k
"
    )
}

/// The text that swaps each item of `seq`, from the last one on, with one that is drawn from those up to it (Fisher and
/// Yates; Knuth, The Art of Computer Programming 2, algorithm 3.4.2P).
fn shuffled() -> String {
    let below = below().replace("\n    ", "\n        ");
    format!(
        "
    left = len(seq) - 1
    while left > 0:
        n = left + 1{below}
        seq[left], seq[r] = seq[r], seq[left]
        left -= 1
"
    )
}

/// The text that draws `r`, an int of at least 0 and at most `n`, from the Mersenne Twister.
fn at_most() -> String {
    let mask = MASK.replace("LEAST", "0");
    format!(
        "{mask}
    r = 0
    if n > 0:
        r = n + 1
    while r > n:{NEXT}
        r = y & mask
    state[POS] = k
"
    )
}

/// The factor by which PCG64 multiplies its state, in pieces of 16 bits, the lowest first.
const FACTORS: [u32; 8] = [
    0xf645, 0x9fcc, 0xdf64, 0x4385, 0x5da4, 0x1fc6, 0xed05, 0x2360,
];

/// The number of 16-bit pieces of PCG64's state and increment. Pieces before them (from 0 to `AT`) say whether 32 bits
/// are kept for later (two pieces), and which (two more).
pub const PCG_PIECES: usize = 16;

/// The text that draws `i` and `j`, the next two pieces of 32 bits of PCG64: the state, in eight pieces of 16 bits, is
/// multiplied by the factor, and the increment added. The exclusive or of the result's two halves is rotated by the
/// result's first six bits; no intermediate value has more than 63 bits.
fn pcg() -> String {
    let mut text = String::from("\n    t = 0\n");
    for k in 0..8 {
        text += &format!("    s{k} = state[{k} + AT]\n");
    }
    for k in 0..8 {
        let products: Vec<String> = (0..=k)
            .map(|i| format!("s{i} * {}", FACTORS[k - i]))
            .collect();
        text += &format!(
            "    t = (t >> 16) + {} + state[{} + AT]\n",
            products.join(" + "),
            k + 8
        );
        text += &format!("    r{k} = t & 65535\n");
    }
    for k in 0..8 {
        text += &format!("    state[{k} + AT] = r{k}\n");
    }
    text + "    y = (r7 ^ r3) << 16 | (r6 ^ r2)
    v = (r5 ^ r1) << 16 | (r4 ^ r0)
    k = r7 >> 10
    if k >= 32:
        k -= 32
        y, v = v, y
    i = y >> k | (v & ((1 << k) - 1)) << (32 - k)
    j = v >> k | (y & ((1 << k) - 1)) << (32 - k)
"
}

/// The text that draws `bits`, an int of 53 bits, from PCG64.
fn pcg_bits() -> String {
    pcg() + "    bits = i << 21 | j >> 11\n"
}

/// The text that draws `r`, an int of at least 0 and at most `n`, from PCG64.
fn pcg_at_most() -> String {
    let next = pcg().replace("\n    ", "\n            ");
    format!(
        "
    if n < 0 or n > 4294967294:
        y = state[16 + AT]
    m = n + 1
    limit = (4294967295 - n) % m
    r = 0
    left = limit
    if n > 0:
        left = -1
    while left < limit:
        if state[0] > 0:
            state[0] = 0
            j = state[2] | state[3] << 16
        else:{next}
            state[0] = 1
            state[2] = i & 65535
            state[3] = i >> 16
        t = (j >> 16) * m + ((j & 65535) * m >> 16)
        left = (t & 65535) << 16 | (j & 65535) * m & 65535
        r = t >> 16
"
    )
}

/// The head of a method that takes `low` and `high` as both of NumPy's generators do, and computes `n`, by how much the
/// greatest int to draw is above `low`.
const LOW_HIGH: &str = "def NAME(state, low, high=-4611686018427387904):
    low = int(low | 0)
    n = int(high | 0)
    if n == -4611686018427387904:
        n = low
        low = 0
    n -= low + 1";

const FLOAT: &str = "bits * (1.0 / 9007199254740992.0)";

/// The methods that can be inlined. Arguments that are ints of NumPy's become Python's, floats are refused.
pub const DRAWS: [Draw; 18] = [
    Draw {
        library: Library::Python,
        names: &["random"],
        work: work(0, 1.6),
        checked: false,
        keeps: false,
        head: "def NAME(state):",
        body: bits,
        tail: "    return FLOAT",
    },
    Draw {
        library: Library::Python,
        names: &["randint"],
        work: work(3, 15.5),
        checked: false,
        keeps: false,
        head: "def NAME(state, a, b):\n    low = int(a | 0)\n    n = int(b | 0) - low + 1",
        body: below,
        tail: "    return low + r",
    },
    Draw {
        library: Library::Python,
        names: &["randrange"],
        work: work(2, 10.5),
        checked: false,
        keeps: false,
        // The default, which no call with two ints that does not raise has, stands for none.
        head: "def NAME(state, start, stop=-4611686018427387904):
    low = int(start | 0)
    n = int(stop | 0)
    if n == -4611686018427387904:
        n = low
        low = 0
    else:
        n -= low",
        body: below,
        tail: "    return low + r",
    },
    Draw {
        library: Library::Python,
        names: &["choice"],
        work: work(2, 9.5),
        checked: false,
        keeps: false,
        head: "def NAME(state, seq):\n    n = len(seq)",
        body: below,
        tail: "    return seq[r]",
    },
    Draw {
        library: Library::Python,
        names: &["shuffle"],
        work: work(1, 20.0),
        checked: true,
        keeps: false,
        head: "def NAME(state, seq):",
        body: shuffled,
        tail: "",
    },
    Draw {
        library: Library::Python,
        names: &["gauss"],
        work: work(1, 23.0),
        checked: true,
        keeps: true,
        head: "def NAME(state, mu, sigma):",
        body: gauss,
        tail: "    return mu + z * sigma",
    },
    Draw {
        library: Library::Python,
        names: &["normalvariate"],
        work: work(1, 27.0),
        checked: true,
        keeps: false,
        head: "def NAME(state, mu, sigma):",
        body: ratio,
        tail: "    return mu + z * sigma",
    },
    Draw {
        library: Library::Python,
        names: &["expovariate"],
        work: work(1, 9.0),
        checked: true,
        keeps: false,
        head: "def NAME(state, lambd):",
        body: bits,
        tail: "    return -log(1.0 - (FLOAT)) / lambd",
    },
    Draw {
        library: Library::Numpy,
        names: &["rand", "random", "random_sample"],
        work: work(0, 17.0),
        checked: false,
        keeps: false,
        head: "def NAME(state):",
        body: bits,
        tail: "    return FLOAT",
    },
    Draw {
        library: Library::Numpy,
        names: &["standard_normal", "randn"],
        work: work(0, 22.0),
        checked: true,
        keeps: true,
        head: "def NAME(state):",
        body: polar,
        tail: "    return z",
    },
    Draw {
        library: Library::Numpy,
        names: &["normal"],
        work: work(0, 110.0),
        checked: true,
        keeps: true,
        // A scale that is not above 0 is refused, or makes nothing random.
        head: "def NAME(state, loc=0.0, scale=1.0):
    loc = float(loc)
    scale = float(scale)
    if not scale > 0.0:
        y = state[625]",
        body: polar,
        tail: "    return loc + scale * z",
    },
    Draw {
        library: Library::Numpy,
        names: &["standard_exponential"],
        work: work(0, 22.0),
        checked: true,
        keeps: false,
        head: "def NAME(state):",
        body: bits,
        tail: "    return -log(1.0 - (FLOAT))",
    },
    Draw {
        library: Library::Numpy,
        names: &["exponential"],
        work: work(0, 70.0),
        checked: true,
        keeps: false,
        head: "def NAME(state, scale=1.0):
    scale = float(scale)
    if not scale > 0.0:
        y = state[625]",
        body: bits,
        tail: "    return scale * -log(1.0 - (FLOAT))",
    },
    Draw {
        library: Library::Numpy,
        names: &["uniform"],
        work: work(0, 95.0),
        checked: false,
        keeps: false,
        head: "def NAME(state, low=0.0, high=1.0):
    low = float(low)
    high = float(high) - low
    if high - high != 0.0:
        y = state[625]",
        body: bits,
        tail: "    return low + high * (FLOAT)",
    },
    Draw {
        library: Library::Numpy,
        names: &["randint"],
        work: work(3, 113.0),
        checked: false,
        keeps: false,
        head: LOW_HIGH,
        body: at_most,
        tail: "    return low + r",
    },
    Draw {
        library: Library::Generator,
        names: &["random"],
        work: work(0, 21.0),
        checked: false,
        keeps: false,
        head: "def NAME(state):",
        body: pcg_bits,
        tail: "    return FLOAT",
    },
    Draw {
        library: Library::Generator,
        names: &["uniform"],
        work: work(0, 93.0),
        checked: false,
        keeps: false,
        head: "def NAME(state, low=0.0, high=1.0):
    low = float(low)
    high = float(high) - low
    if high - high != 0.0 or high <= 0.0:
        y = state[16 + AT]",
        body: pcg_bits,
        tail: "    return low + high * (FLOAT)",
    },
    Draw {
        library: Library::Generator,
        names: &["integers"],
        work: work(0, 83.0),
        checked: false,
        keeps: false,
        head: LOW_HIGH,
        body: pcg_at_most,
        tail: "    return int64(low + r)",
    },
];

impl Draw {
    /// The method's text under one of its names, and its local names, for a state whose words begin at `at` and whose
    /// position is at `position`.
    pub fn text(&self, name: &str, at: &str, position: &str) -> (String, HashSet<String>) {
        let text = format!("{}{}{}\n", self.head, (self.body)(), self.tail);
        let text = text.replace("FLOAT", FLOAT).replace("NAME", name);
        let text = text.replace("AT", at).replace("POS", position);
        (text, LOCALS.split(' ').map(ToString::to_string).collect())
    }

    /// The method with this full name, for instance `numpy.random.randint`; `None` if it is not known.
    pub fn named(name: &str) -> Option<&'static Draw> {
        let (module, name) = name.rsplit_once('.')?;
        let library = match module {
            "random" => Library::Python,
            "numpy.random" => Library::Numpy,
            "numpy.random.Generator" => Library::Generator,
            _ => return None,
        };
        let mut all = DRAWS.iter();
        all.find(|d| d.library == library && d.names.contains(&name))
    }
}

/// Whether one of a library's methods has this name.
pub fn has(library: Library, name: &str) -> bool {
    let mut own = DRAWS.iter().filter(|d| d.library == library);
    own.any(|d| d.names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn their_texts_are_functions() {
        for draw in &DRAWS {
            let name = draw.names[0];
            let (text, locals) = draw.text(name, "0", "624");
            let parsed = nestwise_frontend::parse_function(
                &text,
                1,
                false,
                &locals,
                &HashSet::new(),
                name,
                "random",
            );
            let parsed = parsed.unwrap_or_else(|e| panic!("{name}, {e:?}:\n{text}"));
            let free = |p: &nestwise_ir::surface::AccessPath| match p.scope {
                nestwise_ir::surface::Scope::Global => Some(p.name.clone()),
                _ => None,
            };
            let global: HashSet<String> = parsed.paths.values().filter_map(free).collect();
            let known = ["int", "float", "len", "int64", "log", "sqrt", "sin", "cos"];
            let known = known.map(String::from);
            assert!(
                global.is_subset(&HashSet::from(known)),
                "{name}: {global:?}"
            );
        }
        assert!(Draw::named("random.randint").is_some_and(|d| d.work.calls == 3));
        assert!(Draw::named("numpy.random.rand").is_some());
        assert!(Draw::named("random.sample").is_none());
    }
}
