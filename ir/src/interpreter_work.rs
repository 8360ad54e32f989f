//! What CPython does in a nest: how often each kind of work happens in one execution of each loop's body.
//!
//! Work is counted in the text as it was written, where types are known and nothing is optimised yet: CPython folds no
//! constants across statements, and repeats what a typed nest does once. Kinds are separate where their times differ by
//! more than a fifth on CPython 3.11 or 3.12.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::ids::LoopId;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// A kind of work. The time of an operation excludes loading its operands from names.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        pub enum Work {
            $($(#[$doc])* $kind,)*
        }

        impl Work {
            /// All kinds, in the order of their numbers.
            pub const ALL: [Work; Work::COUNT] = [$(Work::$kind,)*];
            /// The number of kinds.
            pub const COUNT: usize = [$($name,)*].len();

            /// The kind's name in profiles and listings.
            pub fn name(self) -> &'static str {
                match self {
                    $(Work::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// A `for` that begins and ends: making its iterator, and finding that there is no more.
    ForLoop = "for_loop",
    /// One iteration over a `range`.
    RangeStep = "range_step",
    /// One iteration over a list, a tuple or a text.
    ListStep = "list_step",
    /// What a `for` over an array takes in addition: NumPy tells its end by an exception.
    ArrayLoop = "array_loop",
    /// One iteration over the elements of an array.
    ArrayStep = "array_step",
    /// What `zip` and `enumerate` add to an iteration.
    PairStep = "pair_step",
    /// The jump back of a `while`.
    WhileStep = "while_step",
    /// What a generator expression adds to an iteration.
    GeneratorStep = "generator_step",
    /// One element that `sum`, `min` or `max` takes from a sequence.
    BuiltinStep = "builtin_step",
    /// Reading a local name or a constant.
    Load = "load",
    /// Assigning a local name.
    Store = "store",
    /// Reading a global name or a builtin in a function.
    Global = "global",
    /// Reading or assigning a name at module level.
    ModuleName = "module_name",
    /// Reading or assigning an attribute of an object.
    Attribute = "attribute",
    /// Reading `shape`, `size` or `ndim` of an array.
    Shape = "shape",
    /// A conditional jump on a bool.
    Branch = "branch",
    /// What a Python number that is not a bool adds to a conditional jump.
    Truth = "truth",
    /// What a bool or number of NumPy's adds to a conditional jump.
    NumpyTruth = "numpy_truth",
    /// `+` and `-` on ints.
    IntAdd = "int_add",
    /// `*` on ints.
    IntMul = "int_mul",
    /// `//` and `%` on ints.
    IntDiv = "int_div",
    /// `<<`, `>>`, `&`, `|`, `^` on ints.
    IntBits = "int_bits",
    /// An operation on ints of which one is written with more than 30 bits: more than one digit of CPython's.
    IntLong = "int_long",
    /// `+`, `-` and `*` on floats.
    FloatAdd = "float_add",
    /// `/` on two floats or two ints.
    Divide = "divide",
    /// `//` and `%` on floats.
    FloatMod = "float_mod",
    /// An operation on an int and a float.
    Mixed = "mixed",
    /// `**` on Python numbers.
    Power = "power",
    /// An operation on complex numbers.
    Complex = "complex",
    /// `-` or `+` before a Python number.
    Sign = "sign",
    /// A comparison of two ints, or of two floats.
    Compare = "compare",
    /// A comparison of any other two things of Python's.
    CompareMixed = "compare_mixed",
    /// An operation on two `float64` of NumPy's.
    NumpyFloat = "numpy_float",
    /// An operation on two NumPy scalars of another type.
    NumpySame = "numpy_same",
    /// An operation on a `float64` of NumPy's and a Python float.
    NumpyPython = "numpy_python",
    /// An operation on a NumPy scalar and a Python number that has to be converted.
    NumpyConvert = "numpy_convert",
    /// An operation on NumPy scalars of two types.
    NumpyMixed = "numpy_mixed",
    /// A comparison of NumPy scalars, or with a Python float, or a sign of one.
    NumpyCompare = "numpy_compare",
    /// A comparison of a NumPy scalar with a number that has to be converted.
    NumpyCompareConvert = "numpy_compare_convert",
    /// Reading an element of a list or tuple, per pair of brackets.
    ListGet = "list_get",
    /// Writing an element of a list, per pair of brackets.
    ListSet = "list_set",
    /// What a subscript below zero, or a NumPy int, adds to reading or writing an element of a list.
    ListIndex = "list_index",
    /// Reading an element of `array.array`, `bytes`, a text.
    BufferGet = "buffer_get",
    /// Writing an element of `array.array` or `bytearray`.
    BufferSet = "buffer_set",
    /// Reading an element of an array.
    ArrayGet = "array_get",
    /// Writing an element of an array: a value of the array's type.
    ArraySet = "array_set",
    /// What a value of another type adds to writing an element of an array.
    ArrayConvert = "array_convert",
    /// What a tuple of two subscripts adds to reading or writing an element of an array.
    ArrayTuple = "array_tuple",
    /// What each subscript after the second adds to reading or writing an element of an array.
    ArrayAxis = "array_axis",
    /// What a NumPy int as a subscript adds to reading or writing an element of an array.
    ArrayIndex = "array_index",
    /// Making the object for a row of an array.
    ArrayRow = "array_row",
    /// An operation on whole arrays, whatever their size.
    ArrayCall = "array_call",
    /// One element of an operation on whole arrays.
    ArrayElement = "array_element",
    /// What an element of `np.exp` of an array takes in addition; other functions count as a multiple of it.
    ArrayFunction = "array_function",
    /// An element that NumPy's own loop adds up, or a product that it computes: compiled code calls the same loop.
    ArraySum = "array_sum",
    /// A product and a sum in a product of two matrices, by NumPy's BLAS, which compiled code calls, too.
    ArrayProduct = "array_product",
    /// Making a tuple.
    Tuple = "tuple",
    /// A call of a builtin that does little (`abs`, `len`).
    Builtin = "builtin",
    /// A call of `min` or `max` with two values.
    MinMax = "min_max",
    /// A further value in a call of `min` or `max`.
    MinMaxMore = "min_max_more",
    /// A call of `float`.
    ToFloat = "to_float",
    /// A call of `int`, `round` or `divmod`.
    ToInt = "to_int",
    /// A function of `math` that is one instruction or two (`sqrt`, `floor`).
    MathQuick = "math_quick",
    /// Any other function of `math` with one argument.
    Math = "math",
    /// A function of `math` with two arguments.
    MathTwo = "math_two",
    /// A function of NumPy's called with scalars.
    Numpy = "numpy",
    /// A call of a function of the user's, without what it does; parameters count as stores.
    Call = "call",
    /// A call of a list's `append`.
    Append = "append",
}

/// How often each kind of work happens. In serialised form: the kinds that happen, by name.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, f64>", try_from = "BTreeMap<String, f64>")]
pub struct Tally(pub [f64; Work::COUNT]);

impl Default for Tally {
    fn default() -> Self {
        Tally([0.0; Work::COUNT])
    }
}

impl Tally {
    /// Adds `times` to the count of a kind.
    pub fn add(&mut self, kind: Work, times: f64) {
        self.0[kind as usize] += times;
    }

    /// The count of a kind.
    pub fn get(&self, kind: Work) -> f64 {
        self.0[kind as usize]
    }

    /// Adds `times` times the counts of another tally.
    pub fn add_all(&mut self, other: &Tally, times: f64) {
        for (mine, others) in self.0.iter_mut().zip(other.0) {
            *mine += others * times;
        }
    }

    /// The kinds that happen, as a bit mask.
    pub fn kinds(&self) -> u128 {
        const { assert!(Work::COUNT <= 128) };
        self.iter().fold(0, |all, (kind, _)| all | 1 << kind as u32)
    }

    /// The kinds that happen, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Work, f64)> + '_ {
        let all = Work::ALL.into_iter().zip(self.0);
        all.filter(|(_, times)| *times != 0.0)
    }
}

impl From<Tally> for BTreeMap<String, f64> {
    fn from(tally: Tally) -> Self {
        let named = tally.iter().map(|(kind, n)| (kind.name().to_string(), n));
        named.collect()
    }
}

impl TryFrom<BTreeMap<String, f64>> for Tally {
    type Error = String;
    fn try_from(named: BTreeMap<String, f64>) -> Result<Tally, String> {
        let mut tally = Tally::default();
        for (name, times) in named {
            let kind = Work::ALL.into_iter().find(|k| k.name() == name);
            tally.add(kind.ok_or(format!("unknown work `{name}`"))?, times);
        }
        Ok(tally)
    }
}

/// Writes the counts like `2 load, 1 int_add, 0.5 store`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (kind, times)) in self.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            let times = (times * 1000.0).round() / 1000.0;
            write!(f, "{comma}{times} {}", kind.name())?;
        }
        Ok(())
    }
}

/// What CPython does in a loop of a nest.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoopWork {
    /// How often the loop is entered in one execution of its parent's body, with branches taken into account.
    pub reached: f64,
    /// Whether the loop stands around another one only to run it once, and is not in the text.
    pub once: bool,
    /// Whether a `break` may leave the loop before its end.
    pub leaves: bool,
    /// The work of one execution of the loop's body, loops inside excluded.
    pub body: Tally,
}

impl LoopWork {
    /// The estimated trips of the loop if its bounds allow for `allowed`.
    pub fn trips(&self, allowed: f64) -> f64 {
        match (self.once, self.leaves) {
            (true, _) => 1.0,
            (_, true) => left_early(allowed),
            _ => allowed.max(0.0),
        }
    }
}

/// The estimated trips of a loop that runs `allowed` times unless it is left before. A search may end half-way; an
/// iteration that waits for something to settle ends much sooner: each order of magnitude is as likely as any other.
/// The mean is what counts, since a long call that is taken for a short one costs more than a short one taken for long.
pub fn left_early(allowed: f64) -> f64 {
    match allowed > 1.0 {
        true => (allowed - 1.0) / allowed.ln(),
        false => allowed.max(0.0),
    }
}

/// What CPython does in a whole nest.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct NestWork {
    /// The work done once per call: what stands in the head of the top loop.
    pub entry: Tally,
    /// The work of every loop of the nest, by the loop's number.
    pub loops: Vec<LoopWork>,
}

impl NestWork {
    /// The loop's work; `None` if it was not counted.
    pub fn of(&self, id: LoopId) -> Option<&LoopWork> {
        self.loops.get(id.index())
    }
}

/// Writes one line for the head, and one for each loop.
impl fmt::Display for NestWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "entry: {}", self.entry)?;
        for (k, l) in self.loops.iter().enumerate() {
            let left = if l.leaves { ", left early" } else { "" };
            writeln!(f, "L{k} (reached {}{left}): {}", l.reached, l.body)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_each_kinds_own() {
        for (number, kind) in Work::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            let same = Work::ALL.into_iter().filter(|k| k.name() == kind.name());
            assert_eq!(same.count(), 1, "{}", kind.name());
        }
    }

    #[test]
    fn loops_that_are_left_early_run_some_of_their_trips() {
        let plain = LoopWork {
            reached: 1.0,
            once: false,
            leaves: false,
            body: Tally::default(),
        };
        let early = LoopWork {
            leaves: true,
            ..plain
        };
        let once = LoopWork {
            once: true,
            ..plain
        };
        for (allowed, left) in [
            (0.0, 0.0),
            (0.5, 0.5),
            (1.0, 1.0),
            (std::f64::consts::E, 1.718),
            (1000.0, 144.6),
        ] {
            assert_eq!(plain.trips(allowed), allowed);
            assert!((early.trips(allowed) - left).abs() < 0.1, "{allowed}");
            assert_eq!(once.trips(allowed), 1.0);
        }
        assert_eq!(plain.trips(-3.0), 0.0);
    }

    #[test]
    fn tallies_add_up() {
        let mut a = Tally::default();
        a.add(Work::Load, 2.0);
        let mut b = Tally::default();
        b.add(Work::Load, 1.0);
        b.add(Work::Store, 0.5);
        a.add_all(&b, 3.0);
        assert_eq!(a.to_string(), "5 load, 1.5 store");
        assert_eq!(a.get(Work::Branch), 0.0);
    }
}
