//! Characters: their numbers, and the methods of `str` on one of them.
//!
//! What a method says of a character is Unicode's, whose versions differ; of those below [`LATIN_1`] it never changes.
//! A guard fails for the others.

use nestwise_ir::model::nest::{Cast, CmpOp, Expr};
use nestwise_ir::{BinOp, Span, Ty, WithSpan};

use crate::builtins::TextFn;
use crate::lowering::build;
use crate::lowering::builder::Builder;
use crate::lowering::scalar::convert;
use crate::lowering::types::intervals;
use crate::lowering::types::kinds::{Kind, Kinds};
use crate::lowering::value::scalar::Sv;
use crate::refusal::{R, Refusal, refuse};

/// The first number of a character past ISO 8859-1.
const LATIN_1: u32 = 0x100;
/// The first number of a character past ASCII.
const ASCII: u32 = 0x80;
/// What an upper-case letter's number and that of its lower-case letter differ by, in ASCII.
const CASE: i64 = 0x20;

/// Inclusive ranges of the numbers of characters.
type Ranges = &'static [(u32, u32)];

/// The letters of ISO 8859-1.
const LETTERS: Ranges = &[
    (0x41, 0x5a),
    (0x61, 0x7a),
    (0xaa, 0xaa),
    (0xb5, 0xb5),
    (0xba, 0xba),
    (0xc0, 0xd6),
    (0xd8, 0xf6),
    (0xf8, 0xff),
];
const UPPER: Ranges = &[(0x41, 0x5a), (0xc0, 0xd6), (0xd8, 0xde)];
const LOWER: Ranges = &[
    (0x61, 0x7a),
    (0xaa, 0xaa),
    (0xb5, 0xb5),
    (0xba, 0xba),
    (0xdf, 0xf6),
    (0xf8, 0xff),
];
const SPACES: Ranges = &[(0x09, 0x0d), (0x1c, 0x20), (0x85, 0x85), (0xa0, 0xa0)];
const DECIMALS: Ranges = &[(0x30, 0x39)];
/// Superscripts are digits.
const DIGITS: Ranges = &[(0x30, 0x39), (0xb2, 0xb3), (0xb9, 0xb9)];
/// So are fractions numeric.
const NUMERIC: Ranges = &[(0x30, 0x39), (0xb2, 0xb3), (0xb9, 0xb9), (0xbc, 0xbe)];

/// What the methods ask of a character: whether its number is in one of these ranges.
fn ranges(f: TextFn) -> Option<Vec<(u32, u32)>> {
    Some(match f {
        TextFn::IsAlpha => LETTERS.to_vec(),
        TextFn::IsAlnum => [LETTERS, NUMERIC].concat(),
        TextFn::IsDecimal => DECIMALS.to_vec(),
        TextFn::IsDigit => DIGITS.to_vec(),
        TextFn::IsNumeric => NUMERIC.to_vec(),
        TextFn::IsUpper => UPPER.to_vec(),
        TextFn::IsLower => LOWER.to_vec(),
        TextFn::IsSpace => SPACES.to_vec(),
        TextFn::Upper | TextFn::Lower => return None,
    })
}

/// Lowers `ord(c)`.
pub(crate) fn number(builder: &mut Builder, c: Sv) -> Sv {
    let c = convert::character(builder, c);
    let e = build::cast(Cast::Ord, c.e, Ty::PY_INT, false);
    Sv::of(e, Kind::PyInt).with_range(intervals::CHARACTERS)
}

/// Lowers `chr(n)`.
pub(crate) fn numbered(builder: &mut Builder, n: Sv, span: Span) -> R<Sv> {
    if !n.is_int() {
        return Err(wrong("chr", "it takes an int", span));
    }
    let n = convert::commit(n);
    let within = intervals::within(n.range, intervals::CHARACTERS);
    let mut e = build::cast(Cast::Value, n.e, Ty::PY_INT, false);
    if !within {
        e = builder.spill(e);
        let (least, most) = intervals::CHARACTERS;
        for (op, limit) in [(CmpOp::Ge, least), (CmpOp::Le, most)] {
            let limit = build::integer(limit, Ty::PY_INT, span);
            builder.emit_check(build::compare(op, e.clone(), limit, Ty::PY_BOOL, span));
        }
    }
    let e = build::cast(Cast::Ord, e, Ty::CHAR, false);
    Ok(Sv::of(e, Kind::Char).with_range(intervals::CHARACTERS))
}

/// Lowers `int(c)` of a decimal digit; a guard fails for other characters.
pub(crate) fn digit(builder: &mut Builder, c: Sv, span: Span) -> Sv {
    let c = below(builder, c, ASCII, span);
    builder.emit_check(in_ranges(&c, DECIMALS, span));
    let number = build::cast(Cast::Ord, c, Ty::PY_INT, false);
    let zero = Expr::int('0' as i64, span);
    let e = build::binary(BinOp::Sub, number, zero, Ty::PY_INT, false, span);
    Sv::of(e, Kind::PyInt).with_range((0, 9))
}

/// Lowers the call of a method of a character.
pub(crate) fn method(builder: &mut Builder, f: TextFn, text: Sv, span: Span) -> R<Sv> {
    if text.is_bottom() {
        return Ok(text);
    }
    if text.kinds != Kinds::of(Kind::Char) {
        return Err(wrong(f.name(), "what it belongs to is no text", span));
    }
    if let Some(ranges) = ranges(f) {
        let c = below(builder, text, LATIN_1, span);
        return Ok(Sv::of(in_ranges(&c, &ranges, span), Kind::PyBool));
    }
    let (from, by) = match f {
        TextFn::Upper => (('a', 'z'), -CASE),
        _ => (('A', 'Z'), CASE),
    };
    let c = below(builder, text, ASCII, span);
    let changes = in_ranges(&c, &[(from.0 as u32, from.1 as u32)], span);
    let number = build::cast(Cast::Ord, c.clone(), Ty::PY_INT, false);
    let by = Expr::int(by, span);
    let other = build::binary(BinOp::Add, number, by, Ty::PY_INT, false, span);
    let other = build::cast(Cast::Ord, other, Ty::CHAR, false);
    let e = build::select(changes, other, c, Ty::CHAR);
    Ok(Sv::of(e, Kind::Char).with_range(intervals::CHARACTERS))
}

fn wrong(name: &str, why: &str, span: Span) -> WithSpan<Refusal> {
    let (name, why) = (name.into(), why.into());
    refuse(span, Refusal::Arguments { name, why })
}

/// The character, under a name; a guard fails if its number is `limit` or more.
fn below(builder: &mut Builder, c: Sv, limit: u32, span: Span) -> Expr {
    let c = builder.spill(convert::settle(c).e);
    let limit = build::integer(limit.into(), Ty::CHAR, span);
    builder.emit_check(build::compare(
        CmpOp::Lt,
        c.clone(),
        limit,
        Ty::PY_BOOL,
        span,
    ));
    c
}

/// The test whether a character's number is in one of the ranges.
fn in_ranges(c: &Expr, ranges: &[(u32, u32)], span: Span) -> Expr {
    let test = |op, limit: u32| {
        let limit = build::integer(limit.into(), Ty::CHAR, span);
        build::compare(op, c.clone(), limit, Ty::PY_BOOL, span)
    };
    let one = |&(first, last): &(u32, u32)| match first == last {
        true => test(CmpOp::Eq, first),
        false => build::and(test(CmpOp::Ge, first), test(CmpOp::Le, last)),
    };
    let none = build::boolean(false, Ty::PY_BOOL, span);
    let or = |found, range| build::or(one(range), found);
    ranges.iter().rev().fold(none, or)
}
