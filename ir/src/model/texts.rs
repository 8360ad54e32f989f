//! Numbers of texts: what a nest knows a `str` by.
//!
//! A text of one character is known by its code point. Any other text has a number of its own behind the code points,
//! which two texts share exactly where they are equal. The number of a text in a program is a hash of it, so that it is
//! the same in every process; where another text has that number already, the nest cannot run.

/// The largest code point.
pub const LAST_CHARACTER: u32 = 0x10_ffff;

/// The number of a text in a program.
pub fn number(text: &str) -> u32 {
    let mut characters = text.chars();
    if let (Some(one), None) = (characters.next(), characters.next()) {
        return u32::from(one);
    }
    // The FNV-1a hash of 64 bits (Fowler, Noll and Vo).
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let room = u64::from(u32::MAX - LAST_CHARACTER);
    LAST_CHARACTER + 1 + (hash % room) as u32
}

/// The number that is tried after this one, where that is another text's.
pub fn next(number: u32) -> u32 {
    number.checked_add(1).unwrap_or(LAST_CHARACTER + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_behind_the_code_points() {
        assert_eq!(number("a"), 97);
        assert_eq!(number("\u{10ffff}"), LAST_CHARACTER);
        for text in ["", "ab", "left", "right", "\u{e9}\u{e9}"] {
            assert!(number(text) > LAST_CHARACTER, "{text}");
        }
        assert_ne!(number("left"), number("right"));
        assert_eq!(next(u32::MAX), LAST_CHARACTER + 1);
    }
}
