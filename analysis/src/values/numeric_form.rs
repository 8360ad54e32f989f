//! Linear forms whose coefficients are numbers, in memory of fixed size.

/// The most index variables in one form.
const TERMS: usize = 8;

/// A linear form whose coefficients are numbers.
#[derive(Clone, Copy)]
pub(crate) struct Num {
    pub konst: i64,
    pub len: usize,
    terms: [(u16, i64); TERMS],
}

impl Num {
    pub fn constant(konst: i64) -> Num {
        Num {
            konst,
            len: 0,
            terms: [(0, 0); TERMS],
        }
    }
    pub fn last(&self) -> Option<(u16, i64)> {
        self.terms[..self.len].last().copied()
    }
    /// The index variables and their coefficients, latest last.
    pub fn terms(&self) -> &[(u16, i64)] {
        &self.terms[..self.len]
    }
    /// Adds `coef * ix`, keeping the order.
    pub fn add_term(&mut self, ix: u16, coef: i64) -> Option<()> {
        let at = self.terms[..self.len].partition_point(|t| t.0 < ix);
        if at < self.len && self.terms[at].0 == ix {
            let sum = self.terms[at].1.checked_add(coef)?;
            self.terms[at].1 = sum;
            if sum == 0 {
                self.terms.copy_within(at + 1..self.len, at);
                self.len -= 1;
            }
            return Some(());
        }
        if coef == 0 {
            return Some(());
        }
        if self.len == TERMS {
            return None;
        }
        self.terms.copy_within(at..self.len, at + 1);
        self.terms[at] = (ix, coef);
        self.len += 1;
        Some(())
    }
    /// Adds `by * other`; `None` if the result does not fit.
    pub fn add(&mut self, other: &Num, by: i64) -> Option<()> {
        self.konst = self.konst.checked_add(other.konst.checked_mul(by)?)?;
        for (ix, c) in &other.terms[..other.len] {
            self.add_term(*ix, c.checked_mul(by)?)?;
        }
        Some(())
    }
    /// The form without its last term.
    pub fn rest(&self) -> Num {
        Num {
            len: self.len.saturating_sub(1),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stay_sorted_and_cancel() {
        let mut a = Num::constant(1);
        for (ix, c) in [(3, 2), (1, 5), (2, -1)] {
            a.add_term(ix, c).unwrap();
        }
        assert_eq!(a.last(), Some((3, 2)));
        let mut b = Num::constant(4);
        b.add_term(3, 1).unwrap();
        a.add(&b, -2).unwrap();
        assert_eq!((a.konst, a.len, a.last()), (-7, 2, Some((2, -1))));
        for ix in 10..16 {
            a.add_term(ix, 1).unwrap();
        }
        assert!(a.add_term(99, 1).is_none());
        assert!(Num::constant(i64::MAX).add(&Num::constant(1), 1).is_none());
    }
}
