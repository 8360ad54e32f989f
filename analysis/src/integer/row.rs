//! Linear forms over numbered integer unknowns, with exact arithmetic: a result that does not fit is `None`, never
//! wrapped.

/// A linear form `sum(coef * unknown) + konst`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Row {
    /// The coefficients by unknown: sorted by unknown, none is 0.
    coefs: Vec<(u32, i64)>,
    konst: i64,
}

impl Row {
    /// The row that is a constant.
    pub fn constant(konst: i64) -> Row {
        Row {
            coefs: vec![],
            konst,
        }
    }
    /// Adds `coef * unknown`.
    pub fn add_term(&mut self, unknown: u32, coef: i64) -> Option<()> {
        match self.coefs.binary_search_by_key(&unknown, |t| t.0) {
            Ok(i) => {
                self.coefs[i].1 = self.coefs[i].1.checked_add(coef)?;
                if self.coefs[i].1 == 0 {
                    self.coefs.remove(i);
                }
            }
            Err(i) if coef != 0 => self.coefs.insert(i, (unknown, coef)),
            Err(_) => {}
        }
        Some(())
    }
    /// Adds a constant.
    pub fn add_const(&mut self, v: i64) -> Option<()> {
        self.konst = self.konst.checked_add(v)?;
        Some(())
    }
    /// The row `a * self + b * other`.
    pub fn combine(&self, a: i64, other: &Row, b: i64) -> Option<Row> {
        let konst = self
            .konst
            .checked_mul(a)?
            .checked_add(other.konst.checked_mul(b)?)?;
        let mut coefs = Vec::with_capacity(self.coefs.len() + other.coefs.len());
        let (mut x, mut y) = (self.coefs.iter().peekable(), other.coefs.iter().peekable());
        loop {
            let (u, c) = match (x.peek(), y.peek()) {
                (None, None) => break,
                (Some((u, c)), None) => (*u, c.checked_mul(a)?),
                (None, Some((v, d))) => (*v, d.checked_mul(b)?),
                (Some((u, c)), Some((v, d))) if u == v => {
                    (*u, c.checked_mul(a)?.checked_add(d.checked_mul(b)?)?)
                }
                (Some((u, c)), Some((v, _))) if u < v => (*u, c.checked_mul(a)?),
                (_, Some((v, d))) => (*v, d.checked_mul(b)?),
            };
            x.next_if(|t| t.0 == u);
            y.next_if(|t| t.0 == u);
            if c != 0 {
                coefs.push((u, c));
            }
        }
        Some(Row { coefs, konst })
    }
    /// The row `-self`.
    pub fn negated(&self) -> Option<Row> {
        self.combine(-1, &Row::default(), 0)
    }
    /// The row `-self - 1`, which is not negative exactly where `self` is negative.
    pub fn complement(&self) -> Option<Row> {
        let mut row = self.negated()?;
        row.add_const(-1)?;
        Some(row)
    }
    /// The coefficient of an unknown.
    pub fn coef(&self, unknown: u32) -> i64 {
        let found = self.coefs.binary_search_by_key(&unknown, |t| t.0);
        found.map_or(0, |i| self.coefs[i].1)
    }
    /// The terms, sorted by unknown.
    pub fn terms(&self) -> &[(u32, i64)] {
        &self.coefs
    }
    /// The constant.
    pub fn konst(&self) -> i64 {
        self.konst
    }
    /// The greatest common divisor of the coefficients, 0 if there are none.
    pub fn gcd(&self) -> i64 {
        let all = self.coefs.iter();
        all.fold(0u64, |g, (_, c)| gcd(g, c.unsigned_abs()))
            .min(i64::MAX as u64) as i64
    }
    /// Divides by a divisor of all coefficients, rounding the constant down: for integers, `self >= 0` means the same
    /// afterwards.
    pub fn divide(&mut self, by: i64) {
        if by > 1 {
            self.coefs.iter_mut().for_each(|t| t.1 /= by);
            self.konst = self.konst.div_euclid(by);
        }
    }
    /// The row with `unknown`, whose coefficient in `eq` is 1 or -1, replaced by what `eq = 0` says of it.
    pub fn substitute(&self, unknown: u32, eq: &Row) -> Option<Row> {
        let (k, c) = (self.coef(unknown), eq.coef(unknown));
        if k == 0 {
            return Some(self.clone());
        }
        // c * u + rest = 0 with c = 1 or -1: u = -c * rest.
        self.combine(1, eq, k.checked_mul(-c)?)
    }
}

/// The greatest common divisor of two numbers.
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The row with these coefficients of the first unknowns.
#[cfg(test)]
pub(super) fn row(coefs: &[i64], konst: i64) -> Row {
    let mut r = Row::constant(konst);
    for (u, c) in coefs.iter().enumerate() {
        r.add_term(u as u32, *c).expect("small numbers");
    }
    r
}
