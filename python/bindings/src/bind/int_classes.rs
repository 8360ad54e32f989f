//! The classes of Python ints in signatures: what a nest is promised of an int that a call brings.
//!
//! A narrow class proves more. Where a site is called with ints of many sizes, every combination of classes would get a
//! plan of its own, so a site remembers what it has met: an int that once needed more than 64 bits is held in 128 from
//! then on, and when there are several plans, every int counts as one of the widest class that it has been of.

use nestwise_ir::Scalar;

/// The number of plans of a site from which on narrow classes get no plans of their own.
const MANY_PLANS: usize = 4;

/// A class of Python ints, narrowest first; each holds those before it, but for the negative ones among
/// [`IntClass::Unsigned`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum IntClass {
    /// From zero on, with a sign in 32 bits.
    Natural,
    /// With a sign in 32 bits.
    Short,
    /// With a sign in 64 bits.
    Long,
    /// From zero on, in 64 bits.
    Unsigned,
    /// With a sign in 128 bits.
    Wide,
}

impl IntClass {
    /// Every class.
    pub const ALL: [IntClass; 5] = [
        Self::Natural,
        Self::Short,
        Self::Long,
        Self::Unsigned,
        Self::Wide,
    ];

    /// The narrowest class of an int of 64 bits.
    pub fn of(value: i64) -> IntClass {
        match i32::try_from(value) {
            Ok(0..) => Self::Natural,
            Ok(_) => Self::Short,
            Err(_) => Self::Long,
        }
    }

    /// The bounds that the class promises beyond those of its type.
    pub fn range(self) -> Option<(i64, i64)> {
        match self {
            Self::Natural => Some((0, i32::MAX.into())),
            Self::Short => Some((i32::MIN.into(), i32::MAX.into())),
            Self::Long | Self::Unsigned | Self::Wide => None,
        }
    }

    /// The representation of an int of the class.
    pub fn repr(self) -> Scalar {
        match self {
            Self::Natural | Self::Short | Self::Long => Scalar::I64,
            Self::Unsigned => Scalar::U64,
            Self::Wide => Scalar::I128,
        }
    }
}

/// The classes of ints that a site has met in each of its captures.
#[derive(Clone, Default, Debug)]
pub struct IntClasses(Vec<Option<IntClass>>);

impl IntClasses {
    /// The class that an int of a capture is taken to be of, in a call of a site that has this many plans.
    pub fn meet(
        &mut self,
        capture: usize,
        class: IntClass,
        is_negative: bool,
        plans: usize,
    ) -> IntClass {
        if self.0.len() <= capture {
            self.0.resize(capture + 1, None);
        }
        let met = self.0[capture];
        let widest = met.unwrap_or(class).max(class);
        let after = match widest {
            IntClass::Unsigned if is_negative || met == Some(IntClass::Short) => IntClass::Wide,
            widest => widest,
        };
        self.0[capture] = Some(after);
        match after > IntClass::Long || plans >= MANY_PLANS {
            true => after,
            false => class,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(classes: &mut IntClasses, value: i64, plans: usize) -> IntClass {
        classes.meet(0, IntClass::of(value), value < 0, plans)
    }

    #[test]
    fn narrow_classes_are_given_up_where_there_are_many_plans() {
        let mut classes = IntClasses::default();
        assert_eq!(met(&mut classes, 1 << 40, 0), IntClass::Long);
        assert_eq!(met(&mut classes, 3, 1), IntClass::Natural);
        assert_eq!(met(&mut classes, 3, MANY_PLANS), IntClass::Long);
        assert_eq!(
            classes.meet(7, IntClass::Short, true, MANY_PLANS),
            IntClass::Short
        );
    }

    #[test]
    fn large_ints_are_remembered() {
        let mut classes = IntClasses::default();
        assert_eq!(
            classes.meet(0, IntClass::Unsigned, false, 0),
            IntClass::Unsigned
        );
        assert_eq!(met(&mut classes, 3, 1), IntClass::Unsigned);
        assert_eq!(met(&mut classes, -3, 1), IntClass::Wide);
        assert_eq!(met(&mut classes, 3, 1), IntClass::Wide);
    }
}
