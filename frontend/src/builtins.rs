//! Functions and types whose meaning is built in, by the names that users know them by.

use nestwise_ir::surface::{BinOp, CmpOp};
use nestwise_ir::{Fun, Scalar};

use crate::host_functions::HostFn;

/// A function or type whose meaning is built in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// A builtin function or type.
    Builtin(Builtin),
    /// A function of the `math` module.
    Math(MathFn),
    /// A NumPy function of scalars.
    Numpy(NumpyFn),
    /// A NumPy scalar type.
    NumpyType(Scalar),
    /// A method of `str`, of one character.
    Text(TextFn),
    /// A function that CPython is called for.
    Host(HostFn),
}

/// Declares an enum with the names of its variants.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum $name { $($variant,)* }
        impl $name {
            /// All variants, in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// The name without its module.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

named! {
    /// Builtins.
    Builtin {
        Range = "range",
        Len = "len",
        Enumerate = "enumerate",
        Zip = "zip",
        Reversed = "reversed",
        Abs = "abs",
        Min = "min",
        Max = "max",
        Int = "int",
        Float = "float",
        Bool = "bool",
        Complex = "complex",
        Round = "round",
        Pow = "pow",
        Divmod = "divmod",
        Sum = "sum",
        Ord = "ord",
        Chr = "chr",
        List = "list",
        Any = "any",
        All = "all",
        Map = "map",
        Filter = "filter",
    }
}

named! {
    /// Methods of `str` without arguments.
    TextFn {
        IsAlpha = "isalpha",
        IsAlnum = "isalnum",
        IsDecimal = "isdecimal",
        IsDigit = "isdigit",
        IsNumeric = "isnumeric",
        IsUpper = "isupper",
        IsLower = "islower",
        IsSpace = "isspace",
        Upper = "upper",
        Lower = "lower",
    }
}

named! {
    /// Functions of the `math` module that are not the C library's function of one argument.
    MathSpecial {
        Floor = "floor",
        Ceil = "ceil",
        Trunc = "trunc",
        Pow = "pow",
        Atan2 = "atan2",
        Fmod = "fmod",
        Hypot = "hypot",
        Copysign = "copysign",
        IsNan = "isnan",
        IsInf = "isinf",
        IsFinite = "isfinite",
        Degrees = "degrees",
        Radians = "radians",
        Log = "log",
        Gcd = "gcd",
        Isqrt = "isqrt",
        Factorial = "factorial",
        Comb = "comb",
    }
}

/// A function of the `math` module. `dist`, `fsum`, `gamma` and `lgamma` are not here: CPython computes them with
/// algorithms of its own that differ between its versions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MathFn {
    /// The C library's function of one float.
    Unary(Fun),
    /// A function with rules of its own.
    Special(MathSpecial),
}

/// How a NumPy function treats its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumpyFn {
    /// A function of one argument, computed in a float type.
    Unary(Fun),
    /// A function of two arguments, computed in a float type.
    Binary(Fun),
    /// A test with a bool result: `isnan`, `isinf`, `isfinite`.
    Test(Fun),
    /// A function with rules of its own.
    Special(NumpySpecial),
    /// A function of whole arrays.
    Array(ArrayFn),
}

named! {
    /// NumPy functions of arrays; most make one value from one array, or from two.
    ArrayFn {
        Sum = "sum",
        Prod = "prod",
        Mean = "mean",
        Var = "var",
        Std = "std",
        Max = "max",
        Min = "min",
        Any = "any",
        All = "all",
        Argmax = "argmax",
        Argmin = "argmin",
        Dot = "dot",
        MatMul = "matmul",
        Where = "where",
        Clip = "clip",
        Flip = "flip",
        Outer = "outer",
        Transpose = "transpose",
        Diff = "diff",
        Roll = "roll",
        Cumsum = "cumsum",
        Concatenate = "concatenate",
        Hstack = "hstack",
        Vstack = "vstack",
        ColumnStack = "column_stack",
        Stack = "stack",
        Copy = "copy",
        ZerosLike = "zeros_like",
        OnesLike = "ones_like",
        Norm = "linalg.norm",
        Array = "array",
        Empty = "empty",
        EmptyLike = "empty_like",
        Full = "full",
        Zeros = "zeros",
        Ones = "ones",
        Eye = "eye",
        Identity = "identity",
        Arange = "arange",
        Linspace = "linspace",
    }
}

named! {
    /// NumPy functions with rules of their own.
    NumpySpecial {
        Abs = "abs",
        Absolute = "absolute",
        Floor = "floor",
        Ceil = "ceil",
        Trunc = "trunc",
        Sign = "sign",
        Square = "square",
        Minimum = "minimum",
        Maximum = "maximum",
        Mod = "mod",
        Remainder = "remainder",
        FloorDivide = "floor_divide",
        Add = "add",
        Subtract = "subtract",
        Multiply = "multiply",
        Divide = "divide",
        TrueDivide = "true_divide",
        LogicalAnd = "logical_and",
        LogicalOr = "logical_or",
        LogicalNot = "logical_not",
        Negative = "negative",
        Less = "less",
        LessEqual = "less_equal",
        Greater = "greater",
        GreaterEqual = "greater_equal",
        Equal = "equal",
        NotEqual = "not_equal",
        BitwiseAnd = "bitwise_and",
        BitwiseOr = "bitwise_or",
        BitwiseXor = "bitwise_xor",
    }
}

impl NumpySpecial {
    /// The comparison operator that the function stands for, if it does for one.
    pub fn comparison(self) -> Option<CmpOp> {
        match self {
            Self::Less => Some(CmpOp::Lt),
            Self::LessEqual => Some(CmpOp::Le),
            Self::Greater => Some(CmpOp::Gt),
            Self::GreaterEqual => Some(CmpOp::Ge),
            Self::Equal => Some(CmpOp::Eq),
            Self::NotEqual => Some(CmpOp::Ne),
            _ => None,
        }
    }

    /// The bitwise operator that the function stands for, if it does for one.
    pub fn bitwise(self) -> Option<BinOp> {
        match self {
            Self::BitwiseAnd => Some(BinOp::BitAnd),
            Self::BitwiseOr => Some(BinOp::BitOr),
            Self::BitwiseXor => Some(BinOp::BitXor),
            _ => None,
        }
    }
}

/// The form of a NumPy function's result, compared with its operands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ArrayForm {
    /// An array of which each element is computed from one element of each operand.
    Elementwise,
    /// The elements of one operand, rearranged, or combinations of two elements: of neighbours, or of all pairs from
    /// two operands.
    Arranged,
    /// The elements of one operand, rotated along an axis.
    Rolled,
    /// The running totals of one operand's elements.
    Accumulated,
    /// The elements of several operands, side by side.
    Joined,
    /// A new array of the shape and type of an operand.
    Like,
    /// A new array that is made of numbers.
    Display,
    /// One value, or one for each line along an axis.
    Reduction,
}

impl ArrayFn {
    /// The form of the function's result.
    pub fn form(self) -> ArrayForm {
        match self {
            Self::Where | Self::Clip => ArrayForm::Elementwise,
            Self::Flip | Self::Outer | Self::Transpose | Self::Diff => ArrayForm::Arranged,
            Self::Roll => ArrayForm::Rolled,
            Self::Cumsum => ArrayForm::Accumulated,
            Self::Concatenate | Self::Hstack | Self::Vstack | Self::ColumnStack | Self::Stack => {
                ArrayForm::Joined
            }
            Self::Copy | Self::ZerosLike | Self::OnesLike | Self::EmptyLike => ArrayForm::Like,
            Self::Array
            | Self::Empty
            | Self::Full
            | Self::Zeros
            | Self::Ones
            | Self::Eye
            | Self::Identity
            | Self::Arange
            | Self::Linspace => ArrayForm::Display,
            Self::Sum
            | Self::Prod
            | Self::Mean
            | Self::Var
            | Self::Std
            | Self::Max
            | Self::Min
            | Self::Any
            | Self::All
            | Self::Argmax
            | Self::Argmin
            | Self::Dot
            | Self::MatMul
            | Self::Norm => ArrayForm::Reduction,
        }
    }

    /// Whether the function's second argument may be the type of the elements that it makes.
    pub fn takes_type_second(self) -> bool {
        let other = matches!(self, Self::Full | Self::Eye | Self::Arange | Self::Linspace);
        !other && matches!(self.form(), ArrayForm::Display | ArrayForm::Like)
    }

    /// Whether arrays have a method of the function's name that does the same.
    pub fn is_method(self) -> bool {
        matches!(
            self,
            Self::Sum
                | Self::Prod
                | Self::Mean
                | Self::Var
                | Self::Std
                | Self::Max
                | Self::Min
                | Self::Any
                | Self::All
                | Self::Argmax
                | Self::Argmin
                | Self::Dot
                | Self::Transpose
                | Self::Copy
                | Self::Clip
        )
    }
}

/// C library functions of one float, as `math` calls them.
const MATH_UNARY: &[(&str, Fun)] = &[
    ("sqrt", Fun::Sqrt),
    ("fabs", Fun::Fabs),
    ("exp", Fun::Exp),
    ("exp2", Fun::Exp2),
    ("expm1", Fun::Expm1),
    ("log2", Fun::Log2),
    ("log10", Fun::Log10),
    ("log1p", Fun::Log1p),
    ("sin", Fun::Sin),
    ("cos", Fun::Cos),
    ("tan", Fun::Tan),
    ("asin", Fun::Asin),
    ("acos", Fun::Acos),
    ("atan", Fun::Atan),
    ("sinh", Fun::Sinh),
    ("cosh", Fun::Cosh),
    ("tanh", Fun::Tanh),
    ("asinh", Fun::Asinh),
    ("acosh", Fun::Acosh),
    ("atanh", Fun::Atanh),
    ("cbrt", Fun::Cbrt),
    ("erf", Fun::Erf),
    ("erfc", Fun::Erfc),
];

/// NumPy functions of one argument computed in a float type.
const NUMPY_UNARY: &[(&str, Fun)] = &[
    ("sqrt", Fun::Sqrt),
    ("fabs", Fun::Fabs),
    ("rint", Fun::Rint),
    ("exp", Fun::Exp),
    ("exp2", Fun::Exp2),
    ("expm1", Fun::Expm1),
    ("log", Fun::Log),
    ("log2", Fun::Log2),
    ("log10", Fun::Log10),
    ("log1p", Fun::Log1p),
    ("sin", Fun::Sin),
    ("cos", Fun::Cos),
    ("tan", Fun::Tan),
    ("arcsin", Fun::Asin),
    ("arccos", Fun::Acos),
    ("arctan", Fun::Atan),
    ("sinh", Fun::Sinh),
    ("cosh", Fun::Cosh),
    ("tanh", Fun::Tanh),
    ("arcsinh", Fun::Asinh),
    ("arccosh", Fun::Acosh),
    ("arctanh", Fun::Atanh),
    ("cbrt", Fun::Cbrt),
];

/// NumPy functions of two arguments computed in a float type.
const NUMPY_BINARY: &[(&str, Fun)] = &[
    ("arctan2", Fun::Atan2),
    ("hypot", Fun::Hypot),
    ("copysign", Fun::Copysign),
    ("power", Fun::Pow),
    ("fmod", Fun::Fmod),
];

/// NumPy functions with a bool result.
const NUMPY_TEST: &[(&str, Fun)] = &[
    ("isnan", Fun::IsNan),
    ("isinf", Fun::IsInf),
    ("isfinite", Fun::IsFinite),
];

/// NumPy's scalar types; the first name of a type is its canonical one.
const NUMPY_TYPES: &[(&str, Scalar)] = &[
    ("bool", Scalar::Bool),
    ("bool_", Scalar::Bool),
    ("int8", Scalar::I8),
    ("int16", Scalar::I16),
    ("int32", Scalar::I32),
    ("int64", Scalar::I64),
    ("uint8", Scalar::U8),
    ("uint16", Scalar::U16),
    ("uint32", Scalar::U32),
    ("uint64", Scalar::U64),
    ("float32", Scalar::F32),
    ("float64", Scalar::F64),
    ("complex128", Scalar::C128),
    // On every 64-bit Linux these are the types above.
    ("byte", Scalar::I8),
    ("ubyte", Scalar::U8),
    ("short", Scalar::I16),
    ("ushort", Scalar::U16),
    ("intc", Scalar::I32),
    ("uintc", Scalar::U32),
    ("int_", Scalar::I64),
    ("intp", Scalar::I64),
    ("uint", Scalar::U64),
    ("uintp", Scalar::U64),
    ("single", Scalar::F32),
    ("double", Scalar::F64),
    ("cdouble", Scalar::C128),
];

/// The value for `name` in a table, if it is there.
fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| *value)
}

/// The first name of `value` in a table; `?` if it is not there.
fn find_name<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table
        .iter()
        .find(|(_, v)| *v == value)
        .map_or("?", |(key, _)| key)
}

impl Known {
    /// The function or type with this canonical dotted name: `len`, `math.sqrt`, `numpy.float32`.
    pub fn from_name(name: &str) -> Option<Known> {
        let dotted = name;
        if let Some(name) = name.strip_prefix("math.") {
            let special = MathSpecial::ALL
                .iter()
                .find(|f| f.name() == name)
                .map(|f| MathFn::Special(*f));
            return special
                .or_else(|| find(MATH_UNARY, name).map(MathFn::Unary))
                .map(Known::Math)
                .or_else(|| HostFn::from_name(dotted).map(Known::Host));
        }
        if let Some(name) = name.strip_prefix("numpy.") {
            if let Some(scalar) = find(NUMPY_TYPES, name) {
                return Some(Known::NumpyType(scalar));
            }
            let special = NumpySpecial::ALL.iter().find(|f| f.name() == name);
            let of_arrays = ArrayFn::ALL.iter().find(|f| f.name() == name);
            return special
                .map(|f| NumpyFn::Special(*f))
                .or_else(|| of_arrays.map(|f| NumpyFn::Array(*f)))
                .or_else(|| find(NUMPY_UNARY, name).map(NumpyFn::Unary))
                .or_else(|| find(NUMPY_BINARY, name).map(NumpyFn::Binary))
                .or_else(|| find(NUMPY_TEST, name).map(NumpyFn::Test))
                .map(Known::Numpy)
                .or_else(|| HostFn::from_name(dotted).map(Known::Host));
        }
        let name = name.strip_prefix("builtins.").unwrap_or(name);
        Builtin::ALL
            .iter()
            .find(|b| b.name() == name)
            .map(|b| Known::Builtin(*b))
            .or_else(|| HostFn::from_name(name).map(Known::Host))
    }

    /// The canonical dotted name.
    pub fn name(self) -> String {
        match self {
            Known::Builtin(b) => b.name().to_string(),
            Known::Math(MathFn::Unary(fun)) => format!("math.{}", find_name(MATH_UNARY, fun)),
            Known::Math(MathFn::Special(f)) => format!("math.{}", f.name()),
            Known::Numpy(NumpyFn::Unary(fun)) => format!("numpy.{}", find_name(NUMPY_UNARY, fun)),
            Known::Numpy(NumpyFn::Binary(fun)) => format!("numpy.{}", find_name(NUMPY_BINARY, fun)),
            Known::Numpy(NumpyFn::Test(fun)) => format!("numpy.{}", find_name(NUMPY_TEST, fun)),
            Known::Numpy(NumpyFn::Special(f)) => format!("numpy.{}", f.name()),
            Known::Numpy(NumpyFn::Array(f)) => format!("numpy.{}", f.name()),
            Known::NumpyType(scalar) => format!("numpy.{}", find_name(NUMPY_TYPES, scalar)),
            Known::Text(f) => format!("str.{}", f.name()),
            Known::Host(f) => f.about().name.to_owned(),
        }
    }

    /// The method of arrays with this name.
    pub fn method_of_array(name: &str) -> Option<Known> {
        let mut methods = ArrayFn::ALL.iter().filter(|f| f.is_method());
        let found = methods.find(|f| f.name() == name);
        found.map(|f| Known::Numpy(NumpyFn::Array(*f)))
    }

    /// The method of characters with this name.
    pub fn method_of_text(name: &str) -> Option<Known> {
        let found = TextFn::ALL.iter().find(|f| f.name() == name);
        found.map(|f| Known::Text(*f))
    }

    /// Every canonical name: what the runtime looks up once to know functions by identity. Two names may be one
    /// object (`numpy.abs` is `numpy.absolute`); either serves.
    pub fn all_names() -> Vec<String> {
        let mut names: Vec<String> = Builtin::ALL.iter().map(|b| b.name().to_string()).collect();
        names.extend(
            MathSpecial::ALL
                .iter()
                .map(|f| format!("math.{}", f.name())),
        );
        names.extend(MATH_UNARY.iter().map(|(name, _)| format!("math.{name}")));
        names.extend(
            NumpySpecial::ALL
                .iter()
                .map(|f| format!("numpy.{}", f.name())),
        );
        names.extend(ArrayFn::ALL.iter().map(|f| format!("numpy.{}", f.name())));
        let tables = [NUMPY_UNARY, NUMPY_BINARY, NUMPY_TEST];
        names.extend(
            tables
                .iter()
                .flat_map(|t| t.iter())
                .map(|(name, _)| format!("numpy.{name}")),
        );
        names.extend(NUMPY_TYPES.iter().map(|(name, _)| format!("numpy.{name}")));
        names.extend(HostFn::all().map(|f| f.about().name.to_owned()));
        names
    }

    /// Whether the bits that NumPy computes for an array's element depend on how the array lies in memory: elements
    /// that do not go through NumPy's vector code are computed by the C library's function.
    pub fn depends_on_layout(self) -> bool {
        let exact = |fun| {
            matches!(
                fun,
                Fun::Sqrt | Fun::Fabs | Fun::Rint | Fun::Floor | Fun::Ceil | Fun::Trunc
            )
        };
        match self {
            Known::Numpy(NumpyFn::Unary(fun)) => !exact(fun),
            Known::Numpy(NumpyFn::Binary(fun)) => fun != Fun::Copysign,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_back() {
        for name in Known::all_names() {
            let known = Known::from_name(&name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(Known::from_name(&known.name()), Some(known), "{name}");
        }
        assert_eq!(
            Known::from_name("math.sqrt"),
            Some(Known::Math(MathFn::Unary(Fun::Sqrt)))
        );
        assert_eq!(
            Known::from_name("numpy.intp").map(Known::name).as_deref(),
            Some("numpy.int64")
        );
        assert_eq!(Known::from_name("math.no_such"), None);
        assert_eq!(Known::from_name("exec"), None);
    }
}
