//! Operations of the typed nest.

/// Unary operations.
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
    /// Real part of a complex.
    Real,
    /// Imaginary part of a complex.
    Imag,
    /// Complex conjugate.
    Conj,
}

/// Arithmetic. Guarded integer operations fire when the exact result leaves the representation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum BinOp {
    /// Sum. Bools: logical or (NumPy's bool).
    Add,
    /// Difference.
    Sub,
    /// Product. Bools: logical and.
    Mul,
    /// True division of floats or complex numbers; guarded: divisor zero fires.
    Div,
    /// Floor division of ints or floats; guarded: divisor zero fires, `MIN // -1` too.
    FloorDiv,
    /// Python's modulo, the sign of the divisor; guarded: divisor zero fires. Floats as CPython's fmod-and-fix
    /// with its signed zeros.
    Mod,
    /// Power. Ints: exponent >= 0 or fires, exact or fires. Floats: C `pow`; guarded fires where Python raises,
    /// returns a complex or NumPy warns.
    Pow,
    /// Left shift; guarded: fires if the amount is not in `0..bits` or bits are lost.
    Shl,
    /// Arithmetic (signed) or logical (unsigned) right shift; guarded: negative amount fires; amounts of `bits`
    /// and more give the sign.
    Shr,
    /// Bitwise and; of bools logical.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `a if a < b else b` for ints; floats: NumPy's `minimum` (NaN propagates). Python's `min` is
    /// `Bind` + `Compare` + `Select`.
    Min,
    /// The mirror of `Min`.
    Max,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
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

/// Conversions between representations (same representation: the provenance changes, nothing is computed).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Cast {
    /// Keeps the value: bool/int to wider int (or to narrower, guarded: does not fit fires), int or f32 to f64,
    /// real to complex. Int to float rounds to nearest even; guarded, an int beyond +-2**53 fires (comparisons
    /// and true division of Python ints are exact, and so is [`Scalar::Num`]).
    Value,
    /// Rounds f64 to f32 (complex alike); guarded: a finite value becoming infinite fires.
    Round,
    /// Truncates a float toward zero to an int; guarded: NaN and out of range fire.
    Trunc,
    /// Non-zero (NaN is true) to bool.
    Truth,
    /// Code point of a character and back.
    Ord,
}

/// Whose implementation, to the bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Lib {
    /// The C library's function that CPython's math module calls; guarded with the rules of CPython's math
    /// module (NaN from a non-NaN and infinity from a finite argument fire).
    C,
    /// NumPy's own ufunc loop; guarded by the sticky floating-point flags.
    Numpy,
}

/// Mathematical functions on floats (f64 for [`Lib::C`]; the result type says which for [`Lib::Numpy`]).
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Fun {
    Sqrt,
    Fabs,
    Floor,
    Ceil,
    Trunc,
    /// To nearest, ties to even.
    Rint,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
    Erf,
    Erfc,
    Atan2,
    Hypot,
    Fmod,
    Copysign,
    Pow,
    /// The complex number of two parts.
    Pair,
    /// Bool results.
    IsNan,
    IsInf,
    IsFinite,
    /// `(sum so far, next element)`, in an order of additions that is NumPy's: means something only as all of a loop's body.
    AddNext,
    /// `(product so far, next element, next element of the other vector)`, as NumPy's BLAS does it for `np.dot`; likewise.
    DotNext,
    /// The same for `@`, which takes vectors as they lie.
    MatMulNext,
    /// [`Fun::DotNext`] where one of the two is a matrix: a step of the sum for each element of the product. Means something only
    /// as all of three loops that set each of them: over rows, columns, and what is summed.
    DotEachNext,
    /// The same for `@`.
    MatMulEachNext,
    /// [`Fun::AddNext`] for arrays of several axes that NumPy takes for one of one axis: means something only as all of the loops
    /// over those.
    AddFlatNext,
    /// The same of [`Fun::DotNext`].
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

    /// Whether it is a step of what only a whole loop computes, or several.
    pub fn is_fold(self) -> bool {
        let one_loop = matches!(self, Fun::AddNext | Fun::DotNext | Fun::MatMulNext);
        one_loop || self.is_of_matrices() || self.is_flat()
    }

    /// Whether a loop for each axis computes it.
    pub fn is_flat(self) -> bool {
        matches!(self, Fun::AddFlatNext | Fun::DotFlatNext)
    }

    /// How many it is given: what it is so far, and elements.
    pub fn fold_arity(self) -> usize {
        match self {
            Fun::AddNext | Fun::AddFlatNext => 2,
            _ => 3,
        }
    }

    /// Whether it is a call of a library's, not an instruction or a few.
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

    /// Whether three loops compute it.
    pub fn is_of_matrices(self) -> bool {
        matches!(self, Fun::DotEachNext | Fun::MatMulEachNext)
    }
}
