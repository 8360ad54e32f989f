//! NumPy's own inner loops for sums and products.

pub(crate) mod flat;
pub(crate) mod folds;
pub(crate) mod products;
