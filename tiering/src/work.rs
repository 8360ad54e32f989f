//! How much work a call of a site is, as far as a glance tells.

/// How much work a call is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// A number that it grows with.
    pub amount: i64,
    /// That is an upper measure of the trip counts. Otherwise it only tells how large the numbers are that may decide
    /// them: a `while` of numbers alike may well run for longer.
    pub bounds: bool,
}
