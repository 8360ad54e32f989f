//! What is known of values when a nest is launched.

use nestwise_ir::Nest;
use serde::{Deserialize, Serialize};

/// The values of a launch that decide bounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaunchValues {
    /// By variable: the value of a live-in int, `None` for everything else.
    pub vars: Vec<Option<i64>>,
    /// By variable: the value of a live-in float, `None` for everything else.
    pub floats: Vec<Option<f64>>,
    /// By slot: the extents at entry, unused axes 0.
    pub dims: Vec<[i64; 8]>,
    /// By slot: the least and the greatest element, where they were looked at (see [`crate::BoundsPlan::contents`]).
    pub contents: Vec<Option<(i64, i64)>>,
    /// How hard conditions on elements are to predict, where that was sampled: 0 is always predicted right, 1 is a coin
    /// toss.
    pub surprise: Option<f64>,
}

impl LaunchValues {
    /// Values of which none is known, with an entry for each variable and slot of the nest.
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
