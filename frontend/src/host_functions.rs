//! What is known of functions and methods that CPython is called for: what they do, and what they give.
//!
//! A nest that uses one of them calls CPython there ([`nestwise_ir::Fragment`]). The tables say nothing about how a
//! function computes its value, only whether it changes anything that a nest could see, and the type of its value. A
//! type is what the function gives as a rule: a value of another type is a guard failure.

use nestwise_ir::{Effect, Scalar, Ty};

/// What a function gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    /// A value that is of use to nobody: `None`.
    Nothing,
    /// An object, of use to other fragments alone.
    Object,
    /// A scalar of this type.
    Scalar(Ty),
    /// An item of the container that the method is called on, or that is the first argument.
    Item,
    /// An item of the container, or the last argument.
    ItemOr,
}

/// A function that CPython is called for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostFunction {
    /// The dotted name, with the module.
    pub name: &'static str,
    /// What a call does besides giving a value.
    pub effect: Effect,
    /// What a call gives.
    pub gives: Gives,
    /// Whether a call changes its first argument.
    pub changes: bool,
    /// The time of a call, in calls of a quick builtin such as `len`.
    pub work: f64,
}

/// The index of a function in [`FUNCTIONS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HostFn(u16);

impl HostFunction {
    /// Whether a call draws from a random generator, and so changes its state.
    pub fn draws(&self) -> bool {
        self.name.starts_with("numpy.random.")
    }
}

impl HostFn {
    /// The function with this dotted name.
    pub fn from_name(name: &str) -> Option<HostFn> {
        let at = FUNCTIONS.iter().position(|f| f.name == name)?;
        Some(HostFn(at as u16))
    }

    /// The index of the function, of which [`HostFn::at`] is the inverse.
    pub fn index(self) -> u16 {
        self.0
    }

    /// The function with this index.
    pub fn at(index: u16) -> Option<HostFn> {
        (usize::from(index) < FUNCTIONS.len()).then_some(HostFn(index))
    }

    /// The method of this name of NumPy's random generators.
    pub fn draw(name: &str) -> Option<HostFn> {
        let is = |f: &HostFunction| f.draws() && f.name.rsplit('.').next() == Some(name);
        FUNCTIONS.iter().position(is).map(|at| HostFn(at as u16))
    }

    /// What is known of the function.
    pub fn about(self) -> &'static HostFunction {
        FUNCTIONS.get(usize::from(self.0)).unwrap_or(&FUNCTIONS[0])
    }

    /// Every function.
    pub fn all() -> impl Iterator<Item = HostFn> {
        (0..FUNCTIONS.len() as u16).map(HostFn)
    }
}

/// The kinds of containers that a nest does not hold natively, but calls CPython for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Container {
    /// A `list`.
    List,
    /// A `tuple`.
    Tuple,
    /// A `dict`.
    Dict,
    /// A `collections.OrderedDict`.
    OrderedDict,
    /// A `collections.Counter`, which gives 0 for a key that it does not have.
    Counter,
    /// A `collections.defaultdict`, in which reading may insert.
    DefaultDict,
    /// A `set`.
    Set,
    /// A `frozenset`.
    FrozenSet,
    /// A `collections.deque`.
    Deque,
    /// A `str`.
    Str,
}

impl Container {
    /// Every kind.
    pub const ALL: [Container; 10] = [
        Container::List,
        Container::Tuple,
        Container::Dict,
        Container::OrderedDict,
        Container::Counter,
        Container::DefaultDict,
        Container::Set,
        Container::FrozenSet,
        Container::Deque,
        Container::Str,
    ];

    /// The name of the type, as users know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Tuple => "tuple",
            Self::Dict => "dict",
            Self::OrderedDict => "collections.OrderedDict",
            Self::Counter => "collections.Counter",
            Self::DefaultDict => "collections.defaultdict",
            Self::Set => "set",
            Self::FrozenSet => "frozenset",
            Self::Deque => "collections.deque",
            Self::Str => "str",
        }
    }

    /// Whether the container maps keys to values.
    pub fn is_mapping(self) -> bool {
        matches!(
            self,
            Self::Dict | Self::OrderedDict | Self::Counter | Self::DefaultDict
        )
    }

    /// Whether the container is made of entries that are found by their keys, and nothing else.
    pub fn has_entries(self) -> bool {
        let mapping = self.is_mapping() && self != Self::OrderedDict;
        mapping || matches!(self, Self::Set | Self::FrozenSet)
    }

    /// Whether `container[key]` gives an item; otherwise it is an error.
    pub fn has_items(self) -> bool {
        !matches!(self, Self::Set | Self::FrozenSet)
    }

    /// Whether `container[key] = value` sets an item.
    pub fn sets_items(self) -> bool {
        self.is_mapping() || matches!(self, Self::List | Self::Deque)
    }

    /// What `container[key]` does besides giving the item.
    pub fn reading(self) -> Effect {
        match self {
            Self::DefaultDict => Effect::Local,
            _ => Effect::Pure,
        }
    }

    /// What is known of the method with this name.
    pub fn method(self, name: &str) -> Option<&'static HostFunction> {
        let tables: &[&'static [HostFunction]] = match self {
            Self::List => &[SEQUENCE_READS, LIST],
            Self::Tuple => &[SEQUENCE_READS],
            Self::Dict | Self::OrderedDict | Self::Counter | Self::DefaultDict => &[MAPPING],
            Self::Set => &[SET_READS, SET],
            Self::FrozenSet => &[SET_READS],
            Self::Deque => &[SEQUENCE_READS, LIST, DEQUE],
            Self::Str => &[SEQUENCE_READS, STR],
        };
        let mut all = tables.iter().flat_map(|t| t.iter());
        all.find(|f| f.name == name)
    }
}

const INT: Gives = Gives::Scalar(Ty::PY_INT);
const BOOL: Gives = Gives::Scalar(Ty::PY_BOOL);
const FLOAT: Gives = Gives::Scalar(Ty::PY_FLOAT);
const NP_FLOAT: Gives = Gives::Scalar(Ty::np(Scalar::F64));
const NP_INT: Gives = Gives::Scalar(Ty::np(Scalar::I64));

/// A function that changes nothing.
const fn reads(name: &'static str, gives: Gives, work: f64) -> HostFunction {
    HostFunction {
        name,
        effect: Effect::Pure,
        gives,
        changes: false,
        work,
    }
}

/// A function that changes something that is not among its arguments.
const fn acts(name: &'static str, gives: Gives, work: f64) -> HostFunction {
    HostFunction {
        name,
        effect: Effect::Local,
        gives,
        changes: false,
        work,
    }
}

/// A function that changes its first argument, or a method that changes its object.
const fn changes(name: &'static str, gives: Gives, work: f64) -> HostFunction {
    HostFunction {
        name,
        effect: Effect::Local,
        gives,
        changes: true,
        work,
    }
}

/// The functions that CPython is called for.
const FUNCTIONS: &[HostFunction] = &[
    reads("isinstance", BOOL, 1.2),
    reads("issubclass", BOOL, 1.5),
    reads("callable", BOOL, 1.0),
    reads("hash", INT, 1.0),
    reads("str", Gives::Object, 2.0),
    reads("repr", Gives::Object, 2.0),
    reads("format", Gives::Object, 3.0),
    reads("bin", Gives::Object, 2.0),
    reads("hex", Gives::Object, 2.0),
    reads("oct", Gives::Object, 2.0),
    reads("sorted", Gives::Object, 20.0),
    reads("tuple", Gives::Object, 4.0),
    reads("set", Gives::Object, 5.0),
    reads("frozenset", Gives::Object, 5.0),
    reads("dict", Gives::Object, 5.0),
    acts("print", Gives::Nothing, 20.0),
    reads("math.gamma", FLOAT, 2.0),
    reads("math.lgamma", FLOAT, 2.0),
    reads("math.dist", FLOAT, 3.0),
    reads("math.fsum", FLOAT, 4.0),
    reads("math.perm", INT, 2.0),
    reads("math.lcm", INT, 2.0),
    reads("math.remainder", FLOAT, 1.5),
    reads("math.nextafter", FLOAT, 1.5),
    reads("math.ulp", FLOAT, 1.5),
    reads("math.isclose", BOOL, 2.0),
    reads("math.ldexp", FLOAT, 1.5),
    reads("math.prod", FLOAT, 4.0),
    reads("math.sumprod", FLOAT, 4.0),
    reads("statistics.mean", FLOAT, 300.0),
    reads("statistics.fmean", FLOAT, 40.0),
    reads("statistics.median", FLOAT, 40.0),
    reads("statistics.stdev", FLOAT, 1000.0),
    reads("statistics.pstdev", FLOAT, 1000.0),
    reads("statistics.variance", FLOAT, 1000.0),
    reads("statistics.pvariance", FLOAT, 1000.0),
    reads("numpy.average", NP_FLOAT, 150.0),
    reads("numpy.median", NP_FLOAT, 400.0),
    reads("numpy.percentile", NP_FLOAT, 1000.0),
    reads("numpy.quantile", NP_FLOAT, 1000.0),
    reads("numpy.ptp", NP_FLOAT, 150.0),
    reads("numpy.nansum", NP_FLOAT, 200.0),
    reads("numpy.nanmean", NP_FLOAT, 300.0),
    reads("numpy.nanmax", NP_FLOAT, 200.0),
    reads("numpy.nanmin", NP_FLOAT, 200.0),
    reads("numpy.nanstd", NP_FLOAT, 600.0),
    reads("numpy.nanvar", NP_FLOAT, 500.0),
    reads("numpy.nanmedian", NP_FLOAT, 600.0),
    reads("numpy.trace", NP_FLOAT, 60.0),
    reads("numpy.inner", NP_FLOAT, 30.0),
    reads("numpy.polyval", NP_FLOAT, 150.0),
    reads("numpy.vdot", NP_FLOAT, 30.0),
    reads("numpy.interp", NP_FLOAT, 80.0),
    reads("numpy.trapezoid", NP_FLOAT, 200.0),
    reads("numpy.count_nonzero", NP_INT, 30.0),
    reads("numpy.searchsorted", NP_INT, 60.0),
    reads("numpy.array_equal", BOOL, 100.0),
    reads("numpy.allclose", BOOL, 500.0),
    reads("numpy.isclose", Gives::Scalar(Ty::NP_BOOL), 400.0),
    reads("numpy.linalg.det", NP_FLOAT, 150.0),
    reads("numpy.linalg.cond", NP_FLOAT, 400.0),
    reads("numpy.linalg.matrix_rank", NP_INT, 400.0),
    changes("heapq.heappush", Gives::Nothing, 2.0),
    changes("heapq.heappop", Gives::Item, 3.0),
    changes("heapq.heapify", Gives::Nothing, 5.0),
    changes("heapq.heappushpop", Gives::Item, 3.0),
    changes("heapq.heapreplace", Gives::Item, 3.0),
    reads("bisect.bisect", INT, 2.0),
    reads("bisect.bisect_left", INT, 2.0),
    reads("bisect.bisect_right", INT, 2.0),
    changes("bisect.insort", Gives::Nothing, 3.0),
    changes("bisect.insort_left", Gives::Nothing, 3.0),
    changes("bisect.insort_right", Gives::Nothing, 3.0),
    acts("time.time", FLOAT, 1.0),
    acts("time.perf_counter", FLOAT, 1.0),
    acts("time.monotonic", FLOAT, 1.0),
    acts("time.process_time", FLOAT, 3.0),
    acts("numpy.random.standard_normal", FLOAT, 12.0),
    acts("numpy.random.normal", FLOAT, 55.0),
    acts("numpy.random.exponential", FLOAT, 35.0),
    acts("numpy.random.standard_exponential", FLOAT, 12.0),
    acts("numpy.random.gamma", FLOAT, 60.0),
    acts("numpy.random.standard_gamma", FLOAT, 30.0),
    acts("numpy.random.beta", FLOAT, 60.0),
    acts("numpy.random.chisquare", FLOAT, 40.0),
    acts("numpy.random.lognormal", FLOAT, 60.0),
    acts("numpy.random.laplace", FLOAT, 55.0),
    acts("numpy.random.logistic", FLOAT, 55.0),
    acts("numpy.random.gumbel", FLOAT, 55.0),
    acts("numpy.random.rayleigh", FLOAT, 40.0),
    acts("numpy.random.weibull", FLOAT, 40.0),
    acts("numpy.random.pareto", FLOAT, 40.0),
    acts("numpy.random.triangular", FLOAT, 90.0),
    acts("numpy.random.vonmises", FLOAT, 60.0),
    acts("numpy.random.wald", FLOAT, 60.0),
    acts("numpy.random.standard_cauchy", FLOAT, 15.0),
    acts("numpy.random.standard_t", FLOAT, 40.0),
    acts("numpy.random.poisson", INT, 45.0),
    acts("numpy.random.binomial", INT, 80.0),
    acts("numpy.random.geometric", INT, 40.0),
    acts("numpy.random.negative_binomial", INT, 80.0),
    acts("numpy.random.randn", FLOAT, 15.0),
];

/// Methods of strings and numbers, which change nothing.
const OF_VALUES: &[HostFunction] = &[
    reads("bit_length", INT, 1.0),
    reads("bit_count", INT, 1.0),
    reads("is_integer", BOOL, 1.0),
    reads("as_integer_ratio", Gives::Object, 3.0),
    reads("hex", Gives::Object, 3.0),
    reads("lower", Gives::Object, 2.0),
    reads("upper", Gives::Object, 2.0),
    reads("title", Gives::Object, 2.0),
    reads("capitalize", Gives::Object, 2.0),
    reads("swapcase", Gives::Object, 2.0),
    reads("strip", Gives::Object, 2.0),
    reads("lstrip", Gives::Object, 2.0),
    reads("rstrip", Gives::Object, 2.0),
    reads("replace", Gives::Object, 4.0),
    reads("split", Gives::Object, 5.0),
    reads("zfill", Gives::Object, 2.0),
    reads("rjust", Gives::Object, 2.0),
    reads("ljust", Gives::Object, 2.0),
    reads("center", Gives::Object, 2.0),
    reads("encode", Gives::Object, 2.0),
];

/// What is known of the method of this name of a string or a number that a nest computes.
pub fn method_of_value(name: &str) -> Option<&'static HostFunction> {
    let tables = [SEQUENCE_READS, STR, OF_VALUES];
    let mut all = tables.into_iter().flatten();
    all.find(|f| f.name == name)
}

/// Methods of sequences that change nothing.
const SEQUENCE_READS: &[HostFunction] = &[reads("count", INT, 4.0), reads("index", INT, 3.0)];

/// Methods of lists, most of which deques have, too.
const LIST: &[HostFunction] = &[
    changes("append", Gives::Nothing, 1.0),
    changes("extend", Gives::Nothing, 2.0),
    changes("insert", Gives::Nothing, 2.0),
    changes("remove", Gives::Nothing, 3.0),
    changes("pop", Gives::Item, 1.0),
    changes("clear", Gives::Nothing, 1.0),
    changes("reverse", Gives::Nothing, 2.0),
    changes("sort", Gives::Nothing, 10.0),
];

/// Methods of deques alone.
const DEQUE: &[HostFunction] = &[
    changes("appendleft", Gives::Nothing, 1.0),
    changes("extendleft", Gives::Nothing, 2.0),
    changes("popleft", Gives::Item, 1.0),
    changes("rotate", Gives::Nothing, 2.0),
];

/// Methods of dictionaries.
const MAPPING: &[HostFunction] = &[
    reads("get", Gives::ItemOr, 1.2),
    changes("pop", Gives::ItemOr, 1.5),
    changes("setdefault", Gives::ItemOr, 1.5),
    changes("update", Gives::Nothing, 4.0),
    changes("clear", Gives::Nothing, 1.0),
];

/// Methods of sets that change nothing.
const SET_READS: &[HostFunction] = &[
    reads("isdisjoint", BOOL, 2.0),
    reads("issubset", BOOL, 2.0),
    reads("issuperset", BOOL, 2.0),
];

/// Methods of sets.
const SET: &[HostFunction] = &[
    changes("add", Gives::Nothing, 1.0),
    changes("discard", Gives::Nothing, 1.0),
    changes("remove", Gives::Nothing, 1.0),
    changes("pop", Gives::Item, 1.0),
    changes("update", Gives::Nothing, 3.0),
    changes("clear", Gives::Nothing, 1.0),
];

/// Methods of strings.
const STR: &[HostFunction] = &[
    reads("find", INT, 3.0),
    reads("rfind", INT, 3.0),
    reads("rindex", INT, 3.0),
    reads("startswith", BOOL, 2.0),
    reads("endswith", BOOL, 2.0),
    reads("isdigit", BOOL, 1.0),
    reads("isalpha", BOOL, 1.0),
    reads("isalnum", BOOL, 1.0),
    reads("isspace", BOOL, 1.0),
    reads("isupper", BOOL, 1.0),
    reads("islower", BOOL, 1.0),
    reads("isnumeric", BOOL, 1.0),
    reads("isidentifier", BOOL, 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_found_by_its_name() {
        for function in HostFn::all() {
            assert_eq!(HostFn::from_name(function.about().name), Some(function));
            assert_eq!(HostFn::at(function.index()), Some(function));
        }
    }

    #[test]
    fn what_changes_its_argument_has_an_effect() {
        let methods = Container::ALL.into_iter().flat_map(|c| {
            let names = ["append", "pop", "get", "add", "popleft", "count"];
            names.into_iter().filter_map(move |n| c.method(n))
        });
        for about in methods.chain(FUNCTIONS) {
            assert!(!about.changes || about.effect == Effect::Local, "{about:?}");
        }
    }
}
