//! A weight for each kind of something: a dense table in the program, an object of names and nanoseconds in JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use nestwise_ir::{Tally, Work};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::defaults;

/// Kinds that have a weight each.
pub trait Kind: Copy + PartialEq + 'static {
    /// All of them, by number.
    const ALL: &'static [Self];
    /// The name in a profile.
    fn name(self) -> &'static str;
    /// The number.
    fn number(self) -> usize;
    /// Profiles may lack it, which were measured before there was such a kind: what it takes there, in nanoseconds.
    fn lacking(self) -> Option<f64> {
        None
    }
}

impl Kind for Work {
    const ALL: &'static [Work] = &Work::ALL;
    fn name(self) -> &'static str {
        Work::name(self)
    }
    fn number(self) -> usize {
        self as usize
    }
    fn lacking(self) -> Option<f64> {
        match self {
            // It was part of other kinds.
            Work::ArrayLoop => Some(0.0),
            Work::ArrayCall
            | Work::ArrayElement
            | Work::ArrayFunction
            | Work::ArraySum
            | Work::ArrayProduct => Some(defaults::interpreter().get(self)),
            _ => None,
        }
    }
}

/// What a launch does besides running its kernel, by what is done how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaunchWork {
    /// The hook, finding what is known of such a call, starting the kernel.
    Launch,
    /// What is added where a call cannot repeat an earlier one, but is looked at in full each time.
    Full,
    /// A number that is bound.
    Scalar,
    /// An array that is bound.
    Array,
    /// A list that is bound, without its elements.
    List,
    /// An int of a list that goes into a buffer.
    IntIn,
    /// A float that does.
    FloatIn,
    /// An element of a list of ints and floats that does.
    MixedIn,
    /// A character of a text that does.
    TextIn,
    /// An int that a list gets back.
    IntOut,
    /// A float that one does.
    FloatOut,
    /// An attribute of an object in a list that is read.
    AttributeIn,
    /// One that is looked at again, and may be set.
    AttributeOut,
    /// A variable's new value.
    LiveOut,
    /// Being ready to take a chunk back.
    Events,
    /// A byte that is kept for that.
    UndoByte,
    /// Two arrays, one of them written, whose places are compared.
    Pair,
    /// An element of an index array that is looked at.
    Inspected,
}

use LaunchWork as L;

impl Kind for LaunchWork {
    const ALL: &'static [LaunchWork] = &[
        L::Launch,
        L::Full,
        L::Scalar,
        L::Array,
        L::List,
        L::IntIn,
        L::FloatIn,
        L::MixedIn,
        L::TextIn,
        L::IntOut,
        L::FloatOut,
        L::AttributeIn,
        L::AttributeOut,
        L::LiveOut,
        L::Events,
        L::UndoByte,
        L::Pair,
        L::Inspected,
    ];
    fn name(self) -> &'static str {
        match self {
            L::Launch => "launch",
            L::Full => "full",
            L::Scalar => "scalar",
            L::Array => "array",
            L::List => "list",
            L::IntIn => "int_in",
            L::FloatIn => "float_in",
            L::MixedIn => "mixed_in",
            L::TextIn => "text_in",
            L::IntOut => "int_out",
            L::FloatOut => "float_out",
            L::AttributeIn => "attribute_in",
            L::AttributeOut => "attribute_out",
            L::LiveOut => "live_out",
            L::Events => "events",
            L::UndoByte => "undo_byte",
            L::Pair => "pair",
            L::Inspected => "inspected",
        }
    }
    fn number(self) -> usize {
        self as usize
    }
    fn lacking(self) -> Option<f64> {
        let usual = || defaults::call().get(self);
        matches!(self, L::AttributeIn | L::AttributeOut).then(usual)
    }
}

impl LaunchWork {
    /// How many kinds there are.
    pub const COUNT: usize = 18;
}

/// How often a launch does what. As a document: what it does, by name.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, f64>", try_from = "BTreeMap<String, f64>")]
pub struct LaunchTally(pub [f64; LaunchWork::COUNT]);

impl LaunchTally {
    /// So many more of a kind.
    pub fn add(&mut self, kind: LaunchWork, times: f64) {
        self.0[kind.number()] += times;
    }

    /// Adds what another one holds.
    pub fn add_all(&mut self, other: &LaunchTally) {
        for (mine, others) in self.0.iter_mut().zip(other.0) {
            *mine += others;
        }
    }

    /// How often it does something.
    pub fn of(&self, kind: LaunchWork) -> f64 {
        self.0[kind.number()]
    }

    /// Kinds that are done, with how often.
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

/// Nanoseconds for each kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights<K> {
    nanos: Vec<f64>,
    kinds: PhantomData<K>,
}

impl<K: Kind> Weights<K> {
    /// Those of `given`; what it does not name costs nothing.
    pub fn new(given: &[(K, f64)]) -> Self {
        let mut nanos = vec![0.0; K::ALL.len()];
        given.iter().for_each(|(k, ns)| nanos[k.number()] = *ns);
        Weights {
            nanos,
            kinds: PhantomData,
        }
    }

    /// One for each kind, in the order of their numbers.
    pub fn from_nanos(nanos: Vec<f64>) -> Option<Self> {
        (nanos.len() == K::ALL.len()).then_some(Weights {
            nanos,
            kinds: PhantomData,
        })
    }

    /// Nanoseconds of one of a kind.
    pub fn get(&self, kind: K) -> f64 {
        self.nanos[kind.number()]
    }

    /// Sets them.
    pub fn set(&mut self, kind: K, nanos: f64) {
        self.nanos[kind.number()] = nanos;
    }

    fn dot(&self, times: &[f64]) -> f64 {
        self.nanos.iter().zip(times).map(|(w, n)| w * n).sum()
    }
}

impl Weights<Work> {
    /// Nanoseconds of all that a tally holds.
    pub fn weigh(&self, tally: &Tally) -> f64 {
        self.dot(&tally.0)
    }
}

impl Weights<LaunchWork> {
    /// Nanoseconds of all that a tally holds.
    pub fn weigh(&self, tally: &LaunchTally) -> f64 {
        self.dot(&tally.0)
    }
}

impl<K: Kind> Serialize for Weights<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(K::ALL.len()))?;
        for kind in K::ALL {
            map.serialize_entry(kind.name(), &self.get(*kind))?;
        }
        map.end()
    }
}

impl<'de, K: Kind> Deserialize<'de> for Weights<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader(PhantomData))
    }
}

struct Reader<K>(PhantomData<K>);

impl<'de, K: Kind> Visitor<'de> for Reader<K> {
    type Value = Weights<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of kinds and nanoseconds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Weights<K>, A::Error> {
        let mut found: Vec<Option<f64>> = vec![None; K::ALL.len()];
        while let Some(name) = map.next_key::<String>()? {
            let known = K::ALL.iter().find(|k| k.name() == name);
            let kind = known.ok_or_else(|| de::Error::custom(format!("unknown field `{name}`")))?;
            found[kind.number()] = Some(map.next_value()?);
        }
        for (kind, nanos) in found.iter_mut().enumerate() {
            *nanos = nanos.or(K::ALL[kind].lacking());
        }
        let missing = K::ALL.iter().find(|k| found[k.number()].is_none());
        if let Some(kind) = missing {
            return Err(de::Error::custom(format!(
                "missing field `{}`",
                kind.name()
            )));
        }
        Ok(Weights {
            nanos: found.into_iter().flatten().collect(),
            kinds: PhantomData,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_may_lack_what_was_not_measured_then() {
        let all = Weights::<Work>::new(&[(Work::ArrayLoop, 2.0), (Work::Load, 1.0)]);
        let mut named = serde_json::to_value(&all).expect("JSON");
        let lacks = |named: &serde_json::Value| {
            serde_json::from_value::<Weights<Work>>(named.clone()).map(|w| w.get(Work::ArrayLoop))
        };
        let fields = named.as_object_mut().expect("an object");
        fields.remove("array_loop");
        assert_eq!(lacks(&named).ok(), Some(0.0));
        named.as_object_mut().expect("an object").remove("load");
        assert!(lacks(&named).is_err());
    }

    #[test]
    fn numbers_are_positions_and_names_are_apart() {
        assert_eq!(LaunchWork::ALL.len(), LaunchWork::COUNT);
        for (number, kind) in LaunchWork::ALL.iter().enumerate() {
            assert_eq!(kind.number(), number);
            let same = LaunchWork::ALL.iter().filter(|k| k.name() == kind.name());
            assert_eq!(same.count(), 1, "{}", kind.name());
        }
    }

    #[test]
    fn weights_survive_a_round_trip_and_name_what_is_wrong() {
        let weights = Weights::new(&[(LaunchWork::Launch, 900.0), (LaunchWork::Pair, 3.5)]);
        let text = serde_json::to_string(&weights).unwrap();
        assert_eq!(
            serde_json::from_str::<Weights<LaunchWork>>(&text).unwrap(),
            weights
        );
        let wrong = |text: &str| {
            let read = serde_json::from_str::<Weights<LaunchWork>>(text);
            read.unwrap_err().to_string()
        };
        assert!(wrong(&text.replace("pair", "pear")).contains("`pear`"));
        assert!(wrong(r#"{"launch": 1.0}"#).contains("missing field `full`"));
    }

    #[test]
    fn what_is_weighed_adds_up() {
        let weights = Weights::new(&[(Work::Load, 2.0), (Work::Store, 3.0)]);
        let mut tally = Tally::default();
        tally.add(Work::Load, 4.0);
        tally.add(Work::Store, 0.5);
        tally.add(Work::Branch, 9.0);
        assert_eq!(weights.weigh(&tally), 9.5);
    }
}
