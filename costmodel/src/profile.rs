//! A machine's weights: seconds per operation, as a versioned JSON document.

use crate::host::HostWeights;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// The version of the document that this code reads and writes.
pub const PROFILE_VERSION: u32 = 1;

/// Weights of one machine. All times are in nanoseconds unless a field says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineProfile {
    /// [`PROFILE_VERSION`].
    pub version: u32,
    /// Where the numbers come from, for people.
    pub name: String,
    /// The interpreter's prices.
    pub interpreter: InterpreterWeights,
    /// Compiled code's prices on one core.
    pub host: HostWeights,
    /// What threads add.
    pub threads: ThreadWeights,
    /// What every native run costs.
    pub call: CallWeights,
}

/// CPython's time per operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterpreterWeights {
    /// One iteration of a loop: the iterator's step and the jump.
    pub iteration: f64,
    /// An operation on Python numbers.
    pub python_op: f64,
    /// An operation with a NumPy scalar operand.
    pub numpy_op: f64,
    /// Reading or writing a list element, per dimension.
    pub list_access: f64,
    /// Reading or writing an array element.
    pub array_access: f64,
    /// The same, added per dimension.
    pub array_access_axis: f64,
    /// Assigning a variable.
    pub assign: f64,
    /// Calling a function of `math` or a builtin.
    pub call: f64,
    /// Calling a NumPy function on a scalar.
    pub numpy_call: f64,
}

/// What running on threads adds and gains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadWeights {
    /// Starting and joining a parallel loop.
    pub fork_join: f64,
    /// Share of a core that each further thread really adds, 0 to 1.
    pub efficiency: f64,
    /// The same where memory is the bottleneck.
    pub memory: f64,
}

/// Costs of a native run around the kernel itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallWeights {
    /// Binding, guards, decision, writing back.
    pub hook: f64,
    /// Converting one list element into a buffer.
    pub list_in: f64,
    /// Writing one list element back.
    pub list_out: f64,
    /// Copying one byte for undo.
    pub copy_byte: f64,
    /// Compiling a kernel: fixed part.
    pub compile: f64,
    /// Compiling a kernel: per operation of the nest.
    pub compile_op: f64,
}

impl Default for MachineProfile {
    /// Cautious numbers for a machine nobody has measured: a 2.5 GHz server core of the 2020s under CPython 3.11.
    fn default() -> Self {
        Self {
            version: PROFILE_VERSION,
            name: "default (not measured on this machine)".into(),
            interpreter: InterpreterWeights {
                iteration: 18.0,
                python_op: 16.0,
                numpy_op: 55.0,
                list_access: 16.0,
                array_access: 48.0,
                array_access_axis: 12.0,
                assign: 3.0,
                call: 45.0,
                numpy_call: 600.0,
            },
            host: HostWeights::default(),
            threads: ThreadWeights {
                fork_join: 12_000.0,
                efficiency: 0.75,
                memory: 0.4,
            },
            call: CallWeights {
                hook: 1_200.0,
                list_in: 12.0,
                list_out: 25.0,
                copy_byte: 0.12,
                compile: 8_000_000.0,
                compile_op: 60_000.0,
            },
        }
    }
}

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileError {
    /// The file cannot be read.
    Unreadable(String),
    /// Not the document this version knows.
    Malformed(String),
    /// Another version of the document.
    Version(u32),
    /// A weight that cannot be a cost.
    BadValue(String, f64),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Malformed(why) => write!(f, "is not a machine profile: {why}"),
            Self::Version(v) => write!(
                f,
                "has version {v}; this nestwise reads version {PROFILE_VERSION}"
            ),
            Self::BadValue(field, v) => {
                write!(f, "field {field} is {v}; a cost is a finite number above 0")
            }
        }
    }
}

impl std::error::Error for ProfileError {}

impl MachineProfile {
    /// Reads and checks the JSON document at `path`.
    pub fn load(path: &Path) -> Result<Self, ProfileError> {
        let text =
            std::fs::read_to_string(path).map_err(|e| ProfileError::Unreadable(e.to_string()))?;
        Self::parse(&text)
    }

    /// Checks the JSON document `text`.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let head: Head =
            serde_json::from_str(text).map_err(|e| ProfileError::Malformed(e.to_string()))?;
        if head.version != PROFILE_VERSION {
            return Err(ProfileError::Version(head.version));
        }
        let profile: Self =
            serde_json::from_str(text).map_err(|e| ProfileError::Malformed(e.to_string()))?;
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), ProfileError> {
        let (i, t, c) = (&self.interpreter, &self.threads, &self.call);
        let fields = [
            ("interpreter.iteration", i.iteration),
            ("interpreter.python_op", i.python_op),
            ("interpreter.numpy_op", i.numpy_op),
            ("interpreter.list_access", i.list_access),
            ("interpreter.array_access", i.array_access),
            ("interpreter.array_access_axis", i.array_access_axis),
            ("interpreter.assign", i.assign),
            ("interpreter.call", i.call),
            ("interpreter.numpy_call", i.numpy_call),
            ("threads.fork_join", t.fork_join),
            ("threads.efficiency", t.efficiency),
            ("threads.memory", t.memory),
            ("call.hook", c.hook),
            ("call.list_in", c.list_in),
            ("call.list_out", c.list_out),
            ("call.copy_byte", c.copy_byte),
            ("call.compile", c.compile),
            ("call.compile_op", c.compile_op),
        ];
        match fields
            .into_iter()
            .find(|(_, v)| !(v.is_finite() && *v > 0.0))
        {
            Some((field, v)) => return Err(ProfileError::BadValue(field.into(), v)),
            None if t.efficiency > 1.0 => {
                return Err(ProfileError::BadValue(
                    "threads.efficiency".into(),
                    t.efficiency,
                ));
            }
            None => {}
        }
        // A fit may find that one of these costs nothing.
        let bad = |(_, v): &(String, f64)| !(v.is_finite() && *v >= 0.0);
        match self.host.fields().into_iter().find(bad) {
            Some((field, v)) => Err(ProfileError::BadValue(format!("host.{field}"), v)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_survives_a_round_trip() {
        let profile = MachineProfile::default();
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(MachineProfile::parse(&text), Ok(profile));
    }

    #[test]
    fn bad_documents_are_refused_with_the_field_named() {
        assert!(matches!(
            MachineProfile::parse("{"),
            Err(ProfileError::Malformed(_))
        ));
        assert_eq!(
            MachineProfile::parse(r#"{"version": 99}"#),
            Err(ProfileError::Version(99))
        );
        let mut profile = MachineProfile::default();
        profile.host.issue = -1.0;
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(
            MachineProfile::parse(&text),
            Err(ProfileError::BadValue("host.issue".into(), -1.0))
        );
    }
}
