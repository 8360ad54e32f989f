//! A weight for each kind of something: a dense table in the program, an object of names and nanoseconds in JSON.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::units::Nanos;

/// An enum of kinds that have a weight each.
pub trait Kind: Copy + PartialEq + 'static {
    /// All kinds, in the order of their numbers.
    const ALL: &'static [Self];
    /// The name of the kind in a profile.
    fn name(self) -> &'static str;
    /// The index of the kind in `ALL`.
    fn number(self) -> usize;
    /// The weight, in nanoseconds, of a kind that profiles may lack, since they were measured before it existed; none
    /// for a kind that every profile has.
    fn lacking(self) -> Option<f64> {
        None
    }
}

/// A weight in nanoseconds for each kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights<K> {
    nanos: Vec<f64>,
    kinds: PhantomData<K>,
}

impl<K: Kind> Weights<K> {
    /// The weights `given`; a kind that they do not name costs nothing.
    pub fn new(given: &[(K, f64)]) -> Self {
        let mut nanos = vec![0.0; K::ALL.len()];
        given.iter().for_each(|(k, ns)| nanos[k.number()] = *ns);
        Weights {
            nanos,
            kinds: PhantomData,
        }
    }

    /// A weight for each kind, in the order of their numbers; none if there are more or fewer than kinds.
    pub fn from_nanos(nanos: Vec<f64>) -> Option<Self> {
        (nanos.len() == K::ALL.len()).then_some(Weights {
            nanos,
            kinds: PhantomData,
        })
    }

    /// The weight of a kind in nanoseconds.
    pub fn get(&self, kind: K) -> f64 {
        self.nanos[kind.number()]
    }

    /// Sets the weight of a kind.
    pub fn set(&mut self, kind: K, nanos: f64) {
        self.nanos[kind.number()] = nanos;
    }

    pub(crate) fn dot(&self, times: &[f64]) -> Nanos {
        Nanos(self.nanos.iter().zip(times).map(|(w, n)| w * n).sum())
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
    use crate::launch_work::LaunchWork;
    use nestwise_ir::{Tally, Work};

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
        assert_eq!(weights.weigh(&tally), Nanos(9.5));
    }
}
