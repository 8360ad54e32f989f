//! The weights of what CPython does, one for each kind of operation.

use nestwise_ir::{Tally, Work};

use crate::units::Nanos;
use crate::weights::{Kind, Weights};

impl Kind for Work {
    const ALL: &'static [Work] = &Work::ALL;
    fn name(self) -> &'static str {
        Work::name(self)
    }
    fn number(self) -> usize {
        self as usize
    }
    fn lacking(self) -> Option<f64> {
        match self {
            // Profiles that lack this kind counted it as part of others.
            Work::ArrayLoop => Some(0.0),
            Work::ArrayCall
            | Work::ArrayElement
            | Work::ArrayFunction
            | Work::ArraySum
            | Work::ArrayProduct => Some(unmeasured().get(self)),
            _ => None,
        }
    }
}

impl Weights<Work> {
    /// The cost of all work in a tally.
    pub fn weigh(&self, tally: &Tally) -> Nanos {
        self.dot(&tally.0)
    }
}

/// The weights of CPython 3.11 on a machine that nobody has measured.
pub fn unmeasured() -> Weights<Work> {
    Weights::new(&[
        (Work::ForLoop, 107.0),
        (Work::RangeStep, 15.0),
        (Work::ListStep, 7.7),
        (Work::ArrayLoop, 400.0),
        (Work::ArrayStep, 58.0),
        (Work::PairStep, 6.1),
        (Work::WhileStep, 1.8),
        (Work::GeneratorStep, 33.0),
        (Work::BuiltinStep, 8.1),
        (Work::Load, 1.8),
        (Work::Store, 1.4),
        (Work::Global, 1.8),
        (Work::ModuleName, 12.0),
        (Work::Attribute, 2.9),
        (Work::Shape, 65.0),
        (Work::Branch, 1.8),
        (Work::Truth, 7.6),
        (Work::NumpyTruth, 6.7),
        (Work::IntAdd, 19.0),
        (Work::IntMul, 17.0),
        (Work::IntDiv, 21.0),
        (Work::IntBits, 15.0),
        (Work::IntLong, 41.0),
        (Work::FloatAdd, 12.0),
        (Work::Divide, 17.0),
        (Work::FloatMod, 30.0),
        (Work::Mixed, 37.0),
        (Work::Power, 51.0),
        (Work::Complex, 37.0),
        (Work::Sign, 18.0),
        (Work::Compare, 4.1),
        (Work::CompareMixed, 48.0),
        (Work::NumpyFloat, 55.0),
        (Work::NumpySame, 39.0),
        (Work::NumpyPython, 59.0),
        (Work::NumpyConvert, 83.0),
        (Work::NumpyMixed, 120.0),
        (Work::NumpyCompare, 28.0),
        (Work::NumpyCompareConvert, 43.0),
        (Work::ListGet, 4.1),
        (Work::ListSet, 6.3),
        (Work::ListIndex, 9.6),
        (Work::BufferGet, 19.0),
        (Work::BufferSet, 51.0),
        (Work::ArrayGet, 74.0),
        (Work::ArraySet, 63.0),
        (Work::ArrayConvert, 15.0),
        (Work::ArrayTuple, 62.0),
        (Work::ArrayAxis, 19.0),
        (Work::ArrayIndex, 23.0),
        (Work::ArrayRow, 157.0),
        (Work::ArrayCall, 420.0),
        (Work::ArrayElement, 0.5),
        (Work::ArrayFunction, 1.5),
        (Work::ArraySum, 0.25),
        (Work::ArrayProduct, 0.05),
        (Work::Tuple, 27.0),
        (Work::Builtin, 17.0),
        (Work::MinMax, 189.0),
        (Work::MinMaxMore, 17.0),
        (Work::ToFloat, 31.0),
        (Work::ToInt, 86.0),
        (Work::MathQuick, 28.0),
        (Work::Math, 75.0),
        (Work::MathTwo, 72.0),
        (Work::Numpy, 287.0),
        (Work::Call, 34.0),
        (Work::Append, 26.0),
    ])
}
