//! A machine's weights: nanoseconds per operation, as a versioned JSON document (docs/reference/profile.md).

pub mod gpu;
pub mod host;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use nestwise_ir::Work;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::launch_work::{LaunchTally, LaunchWork};
use crate::profile::gpu::GpuWeights;
use crate::profile::host::HostWeights;
use crate::units::Nanos;
use crate::weights::Weights;

/// The version of the document that this code reads and writes.
pub const PROFILE_VERSION: u32 = 8;

/// No operation takes longer than a second: a larger number is a mistake.
const LONGEST: f64 = 1e9;

/// Weights of one machine. All times are in nanoseconds unless a field says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineProfile {
    /// [`PROFILE_VERSION`].
    pub version: u32,
    /// Where the numbers come from, for people.
    pub name: String,
    /// The machine that was measured; none in the default profile.
    pub machine: Option<Machine>,
    /// CPython's time per operation.
    pub interpreter: Weights<Work>,
    /// What a launch takes around its kernel.
    pub call: Weights<LaunchWork>,
    /// What calls take more that find cold caches or sleeping threads, since they come seldom.
    pub cold: ColdWeights,
    /// What it takes to make a kernel.
    pub compile: CompileWeights,
    /// Compiled code's prices on one core.
    pub host: HostWeights,
    /// Weights of memory that is touched for the first time.
    pub pages: PageWeights,
    /// What running on threads adds and gains.
    pub threads: ThreadWeights,
    /// Weights of a GPU; none if nobody has measured one.
    #[serde(default)]
    pub gpu: Option<GpuWeights>,
    /// The nanoseconds that CPython took for an iteration of a fixed loop while the profile was measured, by which a
    /// later run knows how fast the machine is then.
    #[serde(default)]
    pub pace: Option<f64>,
    /// For each section, how far its predictions are off on measurements that it was not fitted to.
    pub errors: BTreeMap<String, Errors>,
}

/// The machine that a profile was measured on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Cores that may be used, by affinity and quota.
    pub cores: usize,
    /// Whether two of the cores may be hardware threads that share one core's units.
    pub smt: bool,
    /// The number of NUMA nodes.
    pub numa_nodes: usize,
    /// Bytes of the caches of one core, the smallest first; instruction caches are left out.
    pub caches: Vec<u64>,
    /// CPython's version, as in 3.11.7.
    pub python: String,
    /// NumPy's version, if it is installed.
    pub numpy: Option<String>,
    /// The name of the GPU, if there is one.
    pub card: Option<String>,
    /// The version of the GPU's driver.
    pub driver: Option<String>,
    /// The day of the measurement, as in 2026-11-22.
    pub date: String,
}

impl Machine {
    /// What differs on this machine from the one that was `measured` so much that the weights may not hold: a
    /// description for each difference.
    pub fn differs(&self, measured: &Machine) -> Vec<String> {
        let minor = |v: &str| v.split('.').take(2).collect::<Vec<_>>().join(".");
        let card = |m: &Machine| m.card.clone().unwrap_or_else(|| "none".into());
        // Only who had one rests on it.
        let rested = if measured.card.is_some() {
            self
        } else {
            measured
        };
        let pairs = [
            ("the processor", measured.cpu.clone(), self.cpu.clone()),
            (
                "the number of cores",
                measured.cores.to_string(),
                self.cores.to_string(),
            ),
            ("Python", minor(&measured.python), minor(&self.python)),
            ("the graphics card", card(measured), card(rested)),
        ];
        let differing = pairs.into_iter().filter(|(_, then, now)| then != now);
        differing
            .map(|(what, then, now)| format!("{what} was {then} and is {now}"))
            .collect()
    }
}

/// How far predictions are off, as a share of what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// Half of the predictions are off by less.
    pub median: f64,
    /// Nine of ten predictions are off by less.
    pub p90: f64,
}

/// What a call finds in the caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caches {
    /// The call finds what the call before has just left there.
    #[default]
    Warm,
    /// The call finds little of its nest, as others have had the caches since. But other nests were launched meanwhile,
    /// and what launches have in common is there.
    Shared,
    /// The call finds little of anything.
    Cold,
}

impl Caches {
    /// Whether others have had the caches since the call before.
    pub fn are_cold(self) -> bool {
        self != Caches::Warm
    }
}

/// What a call finds when it comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The state of the caches.
    pub caches: Caches,
    /// Whether the threads that would help are asleep.
    pub asleep: bool,
}

/// What a call takes more where the one before was so long ago that others have had the caches since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColdWeights {
    /// CPython's additional time for a loop.
    pub interpreter: f64,
    /// CPython's additional time for each kind of operation in the bodies of its loops, however often it is run.
    /// Profiles may lack this.
    #[serde(default)]
    pub kind: f64,
    /// A launch's additional time, where no other nests are launched.
    pub launch: f64,
    /// A launch's additional time, where other nests are launched as well.
    pub shared: f64,
    /// The additional time of a launch that is looked at in full, where no other nests are launched.
    pub full: f64,
    /// The additional time for each number, array or list that is bound, and each new value of a variable.
    pub bound: f64,
    /// The additional time to wake threads that sleep.
    pub fork_join: f64,
}

impl ColdWeights {
    /// The additional time of a launch, whatever it binds.
    pub fn launch(&self, caches: Caches) -> Nanos {
        Nanos(match caches {
            Caches::Warm => 0.0,
            Caches::Shared => self.shared,
            Caches::Cold => self.launch,
        })
    }

    /// The additional time of what is around a kernel.
    pub fn weigh(&self, bind: &LaunchTally, caches: Caches) -> Nanos {
        if caches == Caches::Warm {
            return Nanos(0.0);
        }
        let all = bind
            .iter()
            .map(|(kind, times)| match kind {
                LaunchWork::Launch => self.launch(caches).0 * times,
                // Where others were launched, some of them were looked at in full, too.
                LaunchWork::Full if caches == Caches::Shared => 0.0,
                // However much is looked at, the code that does is fetched once.
                LaunchWork::Full => self.full * times.min(1.0),
                LaunchWork::Scalar | LaunchWork::Array | LaunchWork::List | LaunchWork::LiveOut => {
                    self.bound * times
                }
                _ => 0.0,
            })
            .sum();
        Nanos(all)
    }
}

/// What it takes to make plans and code, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileWeights {
    /// A plan of any nest.
    pub plan: f64,
    /// A plan, for each line of the nest's text.
    pub plan_line: f64,
    /// The first code of a process, more than later ones: the compiler is read from disk and set up.
    pub first: f64,
    /// Optimised code of any nest.
    pub kernel: f64,
    /// Optimised code, for each node of a nest that has no loop for vectors.
    pub node: f64,
    /// Optimised code, for each node of a nest that has a loop for vectors.
    pub vector_node: f64,
    /// Quick code of any nest.
    pub quick_kernel: f64,
    /// Quick code, for each node of the nest.
    pub quick_node: f64,
}

/// What it takes to touch a page of memory for the first time: the operating system looks for one and fills it with
/// zeros.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageWeights {
    /// Each [`Fresh::PAGE`] bytes of an array that has pages of just that size.
    pub small: f64,
    /// Each [`Fresh::PAGE`] bytes of an array that may have large pages.
    pub large: f64,
}

/// Pages that a call is the first to touch, of [`Fresh::PAGE`] bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fresh {
    /// Pages of arrays that have small pages.
    pub small: f64,
    /// Pages of arrays that may have large ones, counted as if they were small.
    pub large: f64,
}

impl Fresh {
    /// Bytes of a page.
    pub const PAGE: f64 = 4096.0;
    /// Bytes from which NumPy asks for large pages.
    pub const LARGE_FROM: f64 = 4_194_304.0;

    /// Adds the pages of `bytes` bytes of an array that has `array` bytes in all.
    pub fn add(&mut self, bytes: f64, array: f64) {
        let pages = match array < Self::LARGE_FROM {
            true => &mut self.small,
            false => &mut self.large,
        };
        *pages += bytes / Self::PAGE;
    }
}

impl PageWeights {
    /// The time that touching those pages takes on one core.
    pub fn weigh(&self, fresh: &Fresh) -> Nanos {
        Nanos(self.small * fresh.small + self.large * fresh.large)
    }
}

/// What running on threads adds and gains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadWeights {
    /// Starting and joining a parallel loop, with whatever number of threads.
    pub fork_join: f64,
    /// What each further thread adds to starting and joining.
    pub thread: f64,
    /// Share of a core that each further thread really adds, 0 to 1, where the core's units are the bottleneck.
    pub compute: f64,
    /// Share of a core that each further thread really adds, where each operation waits for the one before.
    pub latency: f64,
    /// Share of a core that each further thread really adds, where memory is the bottleneck.
    pub memory: f64,
    /// Share of a core that each further thread really adds, where pages are touched for the first time.
    pub pages: f64,
}

impl Default for MachineProfile {
    /// Numbers for a machine nobody has measured: a server core of the 2020s, shared with others, under CPython 3.11.
    fn default() -> Self {
        Self {
            version: PROFILE_VERSION,
            name: "default (not measured on this machine)".into(),
            machine: None,
            interpreter: crate::interpreter_work::unmeasured(),
            call: crate::launch_work::unmeasured(),
            cold: ColdWeights {
                interpreter: 500.0,
                kind: 120.0,
                launch: 3_000.0,
                shared: 1_500.0,
                full: 3_000.0,
                bound: 100.0,
                fork_join: 20_000.0,
            },
            compile: CompileWeights {
                plan: 1_600_000.0,
                plan_line: 160_000.0,
                // Fitted to 188 nests of 52 programs, each made alone: off by 11 % in the median for quick code, 30 %
                // for optimised code, whose schedules and versions nobody knows before.
                first: 5_500_000.0,
                kernel: 6_000_000.0,
                node: 180_000.0,
                vector_node: 300_000.0,
                quick_kernel: 2_100_000.0,
                quick_node: 40_000.0,
            },
            host: HostWeights::default(),
            pages: PageWeights {
                small: 250.0,
                large: 100.0,
            },
            threads: ThreadWeights {
                fork_join: 4_000.0,
                thread: 1_000.0,
                compute: 0.75,
                latency: 0.8,
                memory: 0.4,
                pages: 0.5,
            },
            gpu: None,
            pace: None,
            errors: BTreeMap::new(),
        }
    }
}

/// Why a profile cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileError {
    /// The file cannot be read.
    Unreadable(String),
    /// The text is not the document that this version knows.
    Malformed(String),
    /// The document has another version.
    Version(u64),
    /// A field has a value that it must not have: its path, and what is wrong.
    BadValue(String, String),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Malformed(why) => write!(f, "is not a machine profile: {why}"),
            Self::Version(v) => write!(
                f,
                "has version {v}; this nestwise reads version {PROFILE_VERSION}: \
                 `nestwise calibrate` makes a new one"
            ),
            Self::BadValue(field, why) => write!(f, "field {field} {why}"),
        }
    }
}

impl std::error::Error for ProfileError {}

/// The sections that hold nothing but costs.
const COSTS: [&str; 7] = [
    "interpreter",
    "call",
    "cold",
    "compile",
    "host",
    "pages",
    "threads",
];

impl MachineProfile {
    /// Reads and checks the JSON document at `path`; fails if there is none or something is wrong with it.
    pub fn load(path: &Path) -> Result<Self, ProfileError> {
        let text =
            std::fs::read_to_string(path).map_err(|e| ProfileError::Unreadable(e.to_string()))?;
        Self::parse(&text)
    }

    /// Reads and checks the JSON document `text`; fails if something is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let malformed = |why: String| ProfileError::Malformed(why);
        let all: Map<String, Value> =
            serde_json::from_str(text).map_err(|e| malformed(e.to_string()))?;
        let version = all.get("version").and_then(Value::as_u64);
        let version = version.ok_or_else(|| malformed("it has no version".into()))?;
        if version != u64::from(PROFILE_VERSION) {
            return Err(ProfileError::Version(version));
        }
        let usual = serde_json::to_value(Self::default()).unwrap_or_default();
        for name in COSTS {
            if let Some(section) = all.get(name) {
                costs(name, section, &usual[name])?;
            }
        }
        if let Some(section) = all.get("gpu").filter(|s| !s.is_null()) {
            costs("gpu", section, &Value::Null)?;
        }
        // One section at a time, so that a message names it.
        for (name, section) in &all {
            check_section(name, section)?;
        }
        let profile: Self =
            serde_json::from_value(Value::Object(all)).map_err(|e| malformed(e.to_string()))?;
        profile.check()?;
        Ok(profile)
    }

    /// The profile as a JSON document.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    fn check(&self) -> Result<(), ProfileError> {
        let bad = |field: &str, why: String| Err(ProfileError::BadValue(field.into(), why));
        let t = &self.threads;
        for (field, share) in [
            ("compute", t.compute),
            ("latency", t.latency),
            ("memory", t.memory),
            ("pages", t.pages),
        ] {
            if share > 1.0 {
                return bad(
                    &format!("threads.{field}"),
                    format!("is {share}; no thread adds more than a core"),
                );
            }
        }
        if let Some(gpu) = &self.gpu {
            for (field, v) in [("processors", gpu.processors), ("resident", gpu.resident)] {
                if v < 1.0 {
                    return bad(&format!("gpu.{field}"), format!("is {v}; a card has some"));
                }
            }
        }
        if let Some(pace) = self.pace
            && !(pace > 0.0 && pace <= LONGEST)
        {
            return bad("pace", format!("is {pace}; a time is a number above 0"));
        }
        for (section, errors) in &self.errors {
            if !COSTS.contains(&section.as_str()) {
                return bad(&format!("errors.{section}"), "is no section".into());
            }
            for (field, v) in [("median", errors.median), ("p90", errors.p90)] {
                if !(v.is_finite() && v >= 0.0) {
                    let field = format!("errors.{section}.{field}");
                    return bad(&field, format!("is {v}; an error is a number from 0 on"));
                }
            }
        }
        Ok(())
    }
}

/// Checks that every number of a section is a valid cost, and that values have the types that they have in `usual`.
fn costs(path: &str, value: &Value, usual: &Value) -> Result<(), ProfileError> {
    let bad = |why: String| Err(ProfileError::BadValue(path.into(), why));
    match (value, usual) {
        (Value::Object(fields), Value::Object(_) | Value::Null) => fields
            .iter()
            .try_for_each(|(name, v)| costs(&format!("{path}.{name}"), v, &usual[name])),
        (Value::Array(items), Value::Array(_) | Value::Null) => (0..)
            .zip(items)
            .try_for_each(|(k, v): (usize, _)| costs(&format!("{path}[{k}]"), v, &usual[0])),
        (Value::Number(n), Value::Number(_) | Value::Null) => {
            let v = n.as_f64().unwrap_or(f64::NAN);
            // What threads add is divided by.
            let positive = path.starts_with("threads");
            if !v.is_finite() || v < 0.0 || (positive && v == 0.0) {
                return bad(format!("is {n}; a cost is a number above 0"));
            }
            if v > LONGEST {
                return bad(format!("is {n} ns; no operation takes more than a second"));
            }
            Ok(())
        }
        (Value::Bool(_), Value::Bool(_)) => Ok(()),
        (_, Value::Bool(_)) => bad(format!("is {value}; it has to be true or false")),
        (_, Value::Object(_)) => bad(format!("is {value}; it has to be an object")),
        (_, Value::Array(_)) => bad(format!("is {value}; it has to be a list")),
        _ => bad(format!("is {value}; a cost is a number of nanoseconds")),
    }
}

fn check_section(name: &str, section: &Value) -> Result<(), ProfileError> {
    fn is<T: serde::de::DeserializeOwned>(name: &str, v: &Value) -> Result<(), ProfileError> {
        let read = serde_json::from_value::<T>(v.clone());
        let wrong = |e| ProfileError::Malformed(format!("{name}: {e}"));
        read.map(drop).map_err(wrong)
    }
    match name {
        "name" => is::<String>(name, section),
        "machine" => is::<Option<Machine>>(name, section),
        "interpreter" => is::<Weights<Work>>(name, section),
        "call" => is::<Weights<LaunchWork>>(name, section),
        "cold" => is::<ColdWeights>(name, section),
        "compile" => is::<CompileWeights>(name, section),
        "host" => is::<HostWeights>(name, section),
        "pages" => is::<PageWeights>(name, section),
        "threads" => is::<ThreadWeights>(name, section),
        "gpu" => is::<Option<GpuWeights>>(name, section),
        "pace" => is::<Option<f64>>(name, section),
        "errors" => is::<BTreeMap<String, Errors>>(name, section),
        // Unknown ones are told by the document as a whole.
        _ => Ok(()),
    }
}
