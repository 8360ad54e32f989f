//! What a launch knows.

use nestwise_ir::Nest;
use serde::{Deserialize, Serialize};

/// The values of a launch that decide bounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchValues {
    /// By variable: the value of a live-in int, `None` for everything else.
    pub vars: Vec<Option<i64>>,
    /// By variable: the value of a live-in float.
    pub floats: Vec<Option<f64>>,
    /// By slot: the extents at entry, unused axes 0.
    pub dims: Vec<[i64; 8]>,
    /// By slot: the least and the greatest element, where somebody looked (see [`crate::BoundsPlan::contents`]).
    pub contents: Vec<Option<(i64, i64)>>,
    /// How hard it is to foresee which way conditions go that elements decide, where somebody looked: 0 never goes
    /// wrong, 1 is tossing a coin.
    pub surprise: Option<f64>,
}

impl LaunchValues {
    /// Nothing known, in the right sizes.
    pub fn unknown(nest: &Nest) -> LaunchValues {
        LaunchValues {
            vars: vec![None; nest.vars.len()],
            floats: vec![None; nest.vars.len()],
            dims: vec![[0; 8]; nest.arrays.len()],
            contents: vec![None; nest.arrays.len()],
            surprise: None,
        }
    }
}
