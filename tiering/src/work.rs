//! How much work a call of a site is, as far as a look at a few numbers tells.

/// How much work a call of a site is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// A number that grows with the work of the call.
    pub amount: i64,
    /// Whether `amount` bounds the trip counts from above. Otherwise it only tells how large the numbers are that may
    /// decide them: a `while` of numbers alike may well run for longer.
    pub bounds: bool,
}
