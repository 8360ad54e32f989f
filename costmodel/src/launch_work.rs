//! What a launch does besides running its kernel, and a weight for each kind of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::units::Nanos;
use crate::weights::{Kind, Weights};

/// A kind of work that a launch does besides running its kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaunchWork {
    /// A launch: the hook, finding what is known of such a call, starting the kernel.
    Launch,
    /// A look at everything in full, where a call cannot repeat an earlier one.
    Full,
    /// A number that is bound.
    Scalar,
    /// An array that is bound.
    Array,
    /// A list that is bound, without its elements.
    List,
    /// An int of a list that goes into a buffer.
    IntIn,
    /// A float of a list that goes into a buffer.
    FloatIn,
    /// An element of a list of ints and floats that goes into a buffer.
    MixedIn,
    /// A character of a text that goes into a buffer.
    TextIn,
    /// An int that a list gets back.
    IntOut,
    /// A float that a list gets back.
    FloatOut,
    /// An attribute of an object in a list that is read.
    AttributeIn,
    /// An attribute of an object in a list that is looked at again after the loop, and may be set.
    AttributeOut,
    /// A variable's new value.
    LiveOut,
    /// Being ready to roll a chunk back.
    Rollback,
    /// A byte that is copied for rolling a chunk back.
    UndoByte,
    /// Two arrays, one of them written, that are compared for overlap.
    Pair,
    /// An element of an index array that is looked at.
    Inspected,
}

impl LaunchWork {
    /// The number of kinds.
    pub const COUNT: usize = 18;
}

impl Kind for LaunchWork {
    const ALL: &'static [LaunchWork] = &[
        LaunchWork::Launch,
        LaunchWork::Full,
        LaunchWork::Scalar,
        LaunchWork::Array,
        LaunchWork::List,
        LaunchWork::IntIn,
        LaunchWork::FloatIn,
        LaunchWork::MixedIn,
        LaunchWork::TextIn,
        LaunchWork::IntOut,
        LaunchWork::FloatOut,
        LaunchWork::AttributeIn,
        LaunchWork::AttributeOut,
        LaunchWork::LiveOut,
        LaunchWork::Rollback,
        LaunchWork::UndoByte,
        LaunchWork::Pair,
        LaunchWork::Inspected,
    ];
    fn name(self) -> &'static str {
        match self {
            LaunchWork::Launch => "launch",
            LaunchWork::Full => "full",
            LaunchWork::Scalar => "scalar",
            LaunchWork::Array => "array",
            LaunchWork::List => "list",
            LaunchWork::IntIn => "int_in",
            LaunchWork::FloatIn => "float_in",
            LaunchWork::MixedIn => "mixed_in",
            LaunchWork::TextIn => "text_in",
            LaunchWork::IntOut => "int_out",
            LaunchWork::FloatOut => "float_out",
            LaunchWork::AttributeIn => "attribute_in",
            LaunchWork::AttributeOut => "attribute_out",
            LaunchWork::LiveOut => "live_out",
            LaunchWork::Rollback => "events",
            LaunchWork::UndoByte => "undo_byte",
            LaunchWork::Pair => "pair",
            LaunchWork::Inspected => "inspected",
        }
    }
    fn number(self) -> usize {
        self as usize
    }
    fn lacking(self) -> Option<f64> {
        let usual = || unmeasured().get(self);
        matches!(self, LaunchWork::AttributeIn | LaunchWork::AttributeOut).then(usual)
    }
}

/// How often a launch does each kind of work. As a document: counts by name.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, f64>", try_from = "BTreeMap<String, f64>")]
pub struct LaunchTally(pub [f64; LaunchWork::COUNT]);

impl LaunchTally {
    /// Adds `times` to the count of a kind.
    pub fn add(&mut self, kind: LaunchWork, times: f64) {
        self.0[kind.number()] += times;
    }

    /// Adds the counts of another tally.
    pub fn add_all(&mut self, other: &LaunchTally) {
        for (mine, others) in self.0.iter_mut().zip(other.0) {
            *mine += others;
        }
    }

    /// How often the launch does a kind of work.
    pub fn of(&self, kind: LaunchWork) -> f64 {
        self.0[kind.number()]
    }

    /// The kinds with a count above zero, and the counts.
    pub fn iter(&self) -> impl Iterator<Item = (LaunchWork, f64)> + '_ {
        let all = LaunchWork::ALL.iter().copied().zip(self.0);
        all.filter(|(_, times)| *times != 0.0)
    }
}

impl From<LaunchTally> for BTreeMap<String, f64> {
    fn from(tally: LaunchTally) -> Self {
        let named = tally.iter().map(|(kind, n)| (kind.name().to_string(), n));
        named.collect()
    }
}

impl TryFrom<BTreeMap<String, f64>> for LaunchTally {
    type Error = String;
    fn try_from(named: BTreeMap<String, f64>) -> Result<LaunchTally, String> {
        let mut tally = LaunchTally::default();
        for (name, times) in named {
            let kind = LaunchWork::ALL.iter().find(|k| k.name() == name);
            tally.add(*kind.ok_or(format!("unknown launch work `{name}`"))?, times);
        }
        Ok(tally)
    }
}

impl Weights<LaunchWork> {
    /// The cost of all work in a tally.
    pub fn weigh(&self, tally: &LaunchTally) -> Nanos {
        self.dot(&tally.0)
    }
}

/// The weights of a launch on a machine that nobody has measured.
pub fn unmeasured() -> Weights<LaunchWork> {
    Weights::new(&[
        (LaunchWork::Launch, 1_000.0),
        (LaunchWork::Full, 1_500.0),
        (LaunchWork::Scalar, 20.0),
        (LaunchWork::Array, 60.0),
        (LaunchWork::List, 150.0),
        (LaunchWork::IntIn, 8.0),
        (LaunchWork::FloatIn, 6.0),
        (LaunchWork::MixedIn, 14.0),
        (LaunchWork::TextIn, 1.2),
        (LaunchWork::IntOut, 18.0),
        (LaunchWork::FloatOut, 18.0),
        (LaunchWork::AttributeIn, 40.0),
        (LaunchWork::AttributeOut, 50.0),
        (LaunchWork::LiveOut, 40.0),
        (LaunchWork::Rollback, 100.0),
        (LaunchWork::UndoByte, 0.12),
        (LaunchWork::Pair, 8.0),
        (LaunchWork::Inspected, 0.8),
    ])
}
