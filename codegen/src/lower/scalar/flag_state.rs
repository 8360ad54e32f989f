//! Words that keep values alive which only the floating-point flags need.

use std::cell::Cell;

use crate::llvm::{T, V};
use crate::lower::unit::Unit;

/// The widths of the words in bits.
pub(crate) const BITS: [u32; 2] = [32, 64];

/// Which values a function keeps for the floating-point flags alone.
pub(crate) struct FlagState {
    /// Whether nobody may need the value being emitted.
    pub(crate) unread: bool,
    /// The words that such values go into.
    pub(crate) kept: [V; 2],
    /// Whether any value went into the words.
    pub(crate) keeps: Cell<bool>,
}

impl FlagState {
    /// Words with nothing in them.
    pub(crate) fn new(unit: &Unit<'_>) -> FlagState {
        FlagState {
            unread: false,
            kept: words(unit, 1),
            keeps: Cell::new(false),
        }
    }
}

/// Words for values of `lanes` lanes, with nothing in them.
pub(crate) fn words(unit: &Unit<'_>, lanes: u32) -> [V; 2] {
    BITS.map(|bits| {
        let ty = word_type(unit, bits, lanes);
        let home = unit.ir.alloca(ty);
        unit.ir.store(unit.ir.zero(ty), home);
        home
    })
}

/// The type of a word for values of `lanes` lanes.
pub(crate) fn word_type(unit: &Unit<'_>, bits: u32, lanes: u32) -> T {
    let word = unit.ir.int(bits);
    match word_lanes(unit, bits, lanes) {
        1 => word,
        n => unit.ir.vector(word, n),
    }
}

/// The number of lanes of `bits` bits that one register has.
pub(crate) fn word_lanes(unit: &Unit<'_>, bits: u32, lanes: u32) -> u32 {
    lanes.min((unit.host.vector_bits / bits).max(1))
}
