//! Operations of the typed nest.

/// The unary operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum UnOp {
    /// Negation; guarded for ints (the smallest int; unsigned non-zero).
    Neg,
    /// Bitwise not of ints; logical not of bools.
    Invert,
    /// Logical not of a bool.
    Not,
    /// Absolute value (ints, floats; of complex: `hypot`, result float); guarded for ints.
    Abs,
    /// The real part of a complex number.
    Real,
    /// The imaginary part of a complex number.
    Imag,
    /// The complex conjugate.
    Conj,
}

/// The arithmetic operations. Guarded integer operations fail when the exact result leaves the representation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum BinOp {
    /// Sum. Bools: logical or (NumPy's bool).
    Add,
    /// Difference.
    Sub,
    /// Product. Bools: logical and.
    Mul,
    /// True division of floats or complex numbers; guarded: divisor zero fails.
    Div,
    /// Floor division of ints or floats; guarded: divisor zero fails, `MIN // -1` too.
    FloorDiv,
    /// Python's modulo, the sign of the divisor; guarded: divisor zero fails. Floats as CPython's fmod-and-fix
    /// with its signed zeros.
    Mod,
    /// Power. Ints: exponent >= 0 or fails, exact or fails. Floats: C `pow`; guarded fails where Python raises,
    /// returns a complex or NumPy warns.
    Pow,
    /// Left shift; guarded: fails if the amount is not in `0..bits` or bits are lost.
    Shl,
    /// Arithmetic (signed) or logical (unsigned) right shift; guarded: negative amount fails; amounts of `bits`
    /// and more give the sign.
    Shr,
    /// Bitwise and; logical and of bools.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `a if a < b else b` for ints; floats: NumPy's `minimum` (NaN propagates). Python's `min` is `Bind` + `Compare` +
    /// `Select`.
    Min,
    /// `a if a > b else b` for ints; floats: NumPy's `maximum` (NaN propagates).
    Max,
}

/// The comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum CmpOp {
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
}

impl CmpOp {
    /// The comparison as Python writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// The comparison that holds when this one does not, of totally ordered operands.
    pub fn negated(self) -> CmpOp {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }

    /// The comparison with its operands in the opposite order: `a op b` is `b op.mirrored() a`.
    pub fn mirrored(self) -> CmpOp {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            Self::Eq | Self::Ne => self,
        }
    }
}

/// The conversions between representations (if both are the same, only the provenance changes and nothing is computed).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Cast {
    /// Keeps the value: bool/int to wider int (or to narrower, guarded: does not fit fails), int or f32 to f64,
    /// real to complex. Int to float rounds to nearest even; guarded, an int beyond +-2**53 fails (comparisons
    /// and true division of Python ints are exact, and so is [`Scalar::Num`]).
    Value,
    /// Rounds f64 to f32 (complex alike); guarded: a finite value becoming infinite fails.
    Round,
    /// Truncates a float toward zero to an int; guarded: NaN and out of range fail.
    Trunc,
    /// Non-zero (NaN is true) to bool.
    Truth,
    /// Code point of a character and back.
    Ord,
}

/// The library whose results a function has, to the bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Lib {
    /// The C library's function that CPython's math module calls; guarded with the rules of CPython's math
    /// module (NaN from a non-NaN and infinity from a finite argument fail).
    C,
    /// NumPy's own ufunc loop; guarded by the sticky floating-point flags.
    Numpy,
}

/// The mathematical functions on floats (f64 for [`Lib::C`]; the result type says which for [`Lib::Numpy`]).
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Fun {
    /// Square root.
    Sqrt,
    /// Absolute value.
    Fabs,
    /// The largest integer that is not greater.
    Floor,
    /// The smallest integer that is not less.
    Ceil,
    /// Rounding toward zero to an integer.
    Trunc,
    /// Rounding to the nearest integer, ties to even.
    Rint,
    /// The exponential `e ** x`.
    Exp,
    /// The exponential `2 ** x`.
    Exp2,
    /// The exponential less one, `e ** x - 1`.
    Expm1,
    /// Natural logarithm.
    Log,
    /// Logarithm to base 2.
    Log2,
    /// Logarithm to base 10.
    Log10,
    /// Logarithm of `1 + x`.
    Log1p,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Inverse hyperbolic cosine.
    Acosh,
    /// Inverse hyperbolic tangent.
    Atanh,
    /// Cube root.
    Cbrt,
    /// Error function.
    Erf,
    /// The complement of the error function, `1 - erf(x)`.
    Erfc,
    /// The angle of the point `(y, x)`.
    Atan2,
    /// The length of the hypotenuse of two sides.
    Hypot,
    /// C's remainder, with the sign of the dividend.
    Fmod,
    /// The first value with the sign of the second.
    Copysign,
    /// Power.
    Pow,
    /// The complex number of two parts.
    Pair,
    /// Whether the argument is NaN; bool.
    IsNan,
    /// Whether the argument is an infinity; bool.
    IsInf,
    /// Whether the argument is neither an infinity nor NaN; bool.
    IsFinite,
    /// A step of a sum in NumPy's order of additions, with the arguments `(sum so far, next element)`: has a meaning
    /// only as the whole body of a loop.
    AddNext,
    /// A step of `np.dot` as NumPy's BLAS computes it, with the arguments
    /// `(product so far, next element, next element of the other vector)`: has a meaning only as the whole body of a
    /// loop.
    DotNext,
    /// The step [`Fun::DotNext`] for `@`, which takes vectors with the strides that they have.
    MatMulNext,
    /// The step [`Fun::DotNext`] where one of the operands is a matrix: a step of the sum for each element of the
    /// product. Has a meaning only as the whole of three loops that set each of them: over rows, columns, and what is
    /// summed.
    DotEachNext,
    /// The step [`Fun::DotEachNext`] for `@`.
    MatMulEachNext,
    /// The step [`Fun::AddNext`] for arrays of several axes that NumPy treats as one axis: has a meaning only as the
    /// whole of the loops over those axes.
    AddFlatNext,
    /// The step [`Fun::DotNext`] for arrays of several axes, like [`Fun::AddFlatNext`].
    DotFlatNext,
}

impl Fun {
    /// Every function.
    pub const ALL: [Fun; 44] = [
        Fun::Sqrt,
        Fun::Fabs,
        Fun::Floor,
        Fun::Ceil,
        Fun::Trunc,
        Fun::Rint,
        Fun::Exp,
        Fun::Exp2,
        Fun::Expm1,
        Fun::Log,
        Fun::Log2,
        Fun::Log10,
        Fun::Log1p,
        Fun::Sin,
        Fun::Cos,
        Fun::Tan,
        Fun::Asin,
        Fun::Acos,
        Fun::Atan,
        Fun::Sinh,
        Fun::Cosh,
        Fun::Tanh,
        Fun::Asinh,
        Fun::Acosh,
        Fun::Atanh,
        Fun::Cbrt,
        Fun::Erf,
        Fun::Erfc,
        Fun::Atan2,
        Fun::Hypot,
        Fun::Fmod,
        Fun::Copysign,
        Fun::Pow,
        Fun::Pair,
        Fun::IsNan,
        Fun::IsInf,
        Fun::IsFinite,
        Fun::AddNext,
        Fun::DotNext,
        Fun::MatMulNext,
        Fun::DotEachNext,
        Fun::MatMulEachNext,
        Fun::AddFlatNext,
        Fun::DotFlatNext,
    ];

    /// Whether the function is a step of a computation that takes a whole loop, or several.
    pub fn is_fold(self) -> bool {
        let one_loop = matches!(self, Fun::AddNext | Fun::DotNext | Fun::MatMulNext);
        one_loop || self.is_of_matrices() || self.is_flat()
    }

    /// Whether the function is a step of a computation that takes one loop for each axis.
    pub fn is_flat(self) -> bool {
        matches!(self, Fun::AddFlatNext | Fun::DotFlatNext)
    }

    /// The number of arguments of a fold's step: the value so far, and one or two elements.
    pub fn fold_arity(self) -> usize {
        match self {
            Fun::AddNext | Fun::AddFlatNext => 2,
            _ => 3,
        }
    }

    /// Whether the function is a call of a library, rather than an instruction or a few.
    pub fn is_elementary(self) -> bool {
        let quick = matches!(
            self,
            Fun::Sqrt
                | Fun::Fabs
                | Fun::Floor
                | Fun::Ceil
                | Fun::Trunc
                | Fun::Rint
                | Fun::Fmod
                | Fun::Copysign
                | Fun::Pair
                | Fun::IsNan
                | Fun::IsInf
                | Fun::IsFinite
        );
        !quick && !self.is_fold()
    }

    /// Whether the function is a step of a product of matrices, which three loops compute.
    pub fn is_of_matrices(self) -> bool {
        matches!(self, Fun::DotEachNext | Fun::MatMulEachNext)
    }
}
