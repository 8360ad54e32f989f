//! What `nestwise calibrate` asks of the Rust side: fits, summaries, and whether a profile is one.

use std::collections::BTreeMap;

use nestwise_calibration as calibration;
use nestwise_calibration::host::Executed;
use nestwise_costmodel::profile::host::OTHER;
use nestwise_costmodel::weights::Kind;
use nestwise_costmodel::{LaunchWork, MachineProfile};
use nestwise_ir::Work;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::boundary::mapping::Mapping;
use crate::boundary::record;

type Counted = BTreeMap<String, f64>;

/// The names of a profile section's weights, with the weights of the default profile. Raises ValueError for an unknown
/// section.
fn weights_of(name: &str) -> PyResult<Vec<(String, f64)>> {
    let usual = MachineProfile::default();
    Ok(match name {
        "interpreter" => {
            let all = Work::ALL.iter();
            all.map(|k| (k.name().into(), usual.interpreter.get(*k)))
                .collect()
        }
        "call" => {
            let all = LaunchWork::ALL.iter();
            all.map(|k| (Kind::name(*k).into(), usual.call.get(*k)))
                .collect()
        }
        "cold" | "compile" => named(&usual, name),
        "threads" => vec![
            ("fork_join".into(), usual.threads.fork_join),
            ("thread".into(), usual.threads.thread),
        ],
        other => return Err(PyValueError::new_err(format!("{other}: no such section"))),
    })
}

/// The weights of a section all of whose entries are fitted times.
fn named(usual: &MachineProfile, section: &str) -> Vec<(String, f64)> {
    let usual = serde_json::to_value(usual).unwrap_or_default();
    let all = usual[section].as_object().into_iter().flatten();
    all.filter_map(|(name, v)| Some((name.clone(), v.as_f64()?)))
        .collect()
}

record! {
    /// Weights that were fitted to measurements.
    Fit {
        /// Nanoseconds by the kind of work.
        weights: Mapping<f64>,
        /// The relative error of each measurement.
        residuals: Vec<f64>,
    }
}

record! {
    /// How far predictions are off.
    Errors {
        /// The relative error of each measurement.
        residuals: Vec<f64>,
        /// The median of their absolute values.
        median: f64,
        /// The 90th percentile of their absolute values.
        p90: f64,
    }
}

record! {
    /// Weights of compiled code, and how far they are off for kernels that they were not fitted to.
    HostFit {
        /// A profile's section `host`, as JSON.
        weights: String,
        /// The errors for the kernels that were held back from the fit.
        errors: Errors,
    }
}

record! {
    /// The summary of several samples of one time.
    Summary {
        /// The median, in the samples' unit.
        median: f64,
        /// The standard error of the median.
        error: f64,
        /// Samples that were no outliers.
        kept: usize,
    }
}

record! {
    /// A graphics card.
    Card {
        /// The name that its driver tells.
        name: String,
        /// The number of its multiprocessors.
        processors: i64,
        /// Threads that each multiprocessor has room for.
        resident: i64,
        /// Bytes of the cache that all multiprocessors share.
        cache: i64,
    }
}

/// Fits the weights of a profile's section to measurements, each of which took `seconds` for the work in `counts`.
/// Raises ValueError where the times make no sense or a kind of work is unknown.
#[pyfunction]
pub fn fit(section: &str, counts: Vec<Counted>, seconds: Vec<f64>) -> PyResult<Fit> {
    let (name, section) = (section, weights_of(section)?);
    let rows = rows(&section, &counts)?;
    let nanos: Vec<f64> = seconds.iter().map(|s| s * 1e9).collect();
    let usual: Vec<f64> = section.iter().map(|(_, w)| *w).collect();
    let fit = calibration::fit(&rows, &nanos, &usual)
        .ok_or_else(|| PyValueError::new_err(format!("{name}: these times make no sense")))?;
    let names = section.into_iter().map(|(name, _)| name);
    Ok(Fit {
        weights: names.zip(fit.weights).collect(),
        residuals: fit.residuals,
    })
}

/// The counts of each measurement, in the order of the section. Raises ValueError for a kind of work that the section
/// does not know: its time would be attributed to other kinds.
fn rows(section: &[(String, f64)], counts: &[Counted]) -> PyResult<Vec<Vec<f64>>> {
    let row = |counted: &Counted| {
        let unknown = |kind: &&String| !section.iter().any(|(name, _)| name == *kind);
        if let Some(kind) = counted.keys().find(unknown) {
            return Err(PyValueError::new_err(format!("{kind}: no such weight")));
        }
        let times = section.iter().map(|(name, _)| counted.get(name).copied());
        Ok(times.map(|n| n.unwrap_or(0.0)).collect())
    };
    counts.iter().map(row).collect()
}

/// The errors of a section's weights for these measurements. Raises ValueError for an unknown section or kind of work.
#[pyfunction]
pub fn errors(
    section: &str,
    weights: Counted,
    counts: Vec<Counted>,
    seconds: Vec<f64>,
) -> PyResult<Errors> {
    let section = weights_of(section)?;
    let rows = rows(&section, &counts)?;
    let nanos: Vec<f64> = seconds.iter().map(|s| s * 1e9).collect();
    let weights: Vec<f64> = section
        .iter()
        .map(|(name, _)| weights.get(name).copied().unwrap_or(0.0))
        .collect();
    let off = calibration::fit::residuals(&rows, &nanos, &weights);
    Ok(Errors::of(off))
}

impl Errors {
    fn of(residuals: Vec<f64>) -> Errors {
        let held = calibration::Held::of(&residuals);
        Errors {
            residuals,
            median: held.median,
            p90: held.p90,
        }
    }
}

/// Summarises several samples of one time. Raises ValueError where there is none, or one is not a number.
#[pyfunction]
pub fn summary(samples: Vec<f64>) -> PyResult<Summary> {
    let s = calibration::summary(&samples)
        .ok_or_else(|| PyValueError::new_err("no samples, or one that is no number"))?;
    Ok(Summary {
        median: s.median,
        error: s.error,
        kept: s.kept,
    })
}

/// The description of this machine that a profile holds, as JSON.
#[pyfunction]
#[pyo3(signature = (python, numpy, date))]
pub fn machine(python: &str, numpy: Option<&str>, date: &str) -> PyResult<String> {
    let here = calibration::machine::here(python, numpy, date);
    serde_json::to_string(&here).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The default profile, with the cache sizes of this machine.
pub fn usual_profile() -> MachineProfile {
    let mut profile = MachineProfile::default();
    if let Some(caches) = calibration::machine::cache_sizes() {
        profile.host.caches = caches;
    }
    profile
}

/// The card that `--device gpu` uses; None where there is none.
#[pyfunction]
pub fn card() -> Option<Card> {
    let card = nestwise_runtime::device::cuda::card::card().ok()?;
    Some(Card {
        name: card.name.clone(),
        processors: card.processors,
        resident: card.resident,
        cache: card.cache,
    })
}

/// The default profile, as JSON.
#[pyfunction]
pub fn default_profile() -> String {
    usual_profile().to_json()
}

/// The profile in `text`, as JSON in the usual form; raises ValueError if the text is no profile.
#[pyfunction]
pub fn read_profile(text: &str) -> PyResult<String> {
    let read = MachineProfile::parse(text).map(|p| p.to_json());
    read.map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The differences between this machine and the one where the profile was measured, in words.
pub fn differences(py: Python<'_>, profile: &MachineProfile) -> Vec<String> {
    let Some(measured) = &profile.machine else {
        return Vec::new();
    };
    let v = py.version_info();
    let python = format!("{}.{}.{}", v.major, v.minor, v.patch);
    calibration::machine::here(&python, None, "").differs(measured)
}

/// Fits the weights of compiled code to kernels' `seconds`, and tests them on kernels that are held back. `executed`
/// and `held` are what the kernels executed, as the report's `runs` says it. Raises ValueError where the times make no
/// sense.
#[pyfunction]
pub fn fit_host(
    executed: Vec<String>,
    seconds: Vec<f64>,
    held: Vec<String>,
    held_seconds: Vec<f64>,
) -> PyResult<HostFit> {
    let parse = |texts: &[String]| -> PyResult<Vec<Executed>> {
        let one = |t: &String| {
            Executed::parse(t).ok_or_else(|| PyValueError::new_err("not what a kernel executed"))
        };
        texts.iter().map(one).collect()
    };
    let (executed, held) = (parse(&executed)?, parse(&held)?);
    let nanos = |seconds: &[f64]| -> Vec<f64> { seconds.iter().map(|s| s * 1e9).collect() };
    let mut usual = usual_profile().host;
    let other = usual.functions.get(OTHER).copied().unwrap_or(1.0);
    for name in executed.iter().flat_map(Executed::functions) {
        usual.functions.entry(name.into()).or_insert(other);
    }
    let weights = calibration::host::fit(&executed, &nanos(&seconds), &usual)
        .ok_or_else(|| PyValueError::new_err("host: these times make no sense"))?;
    let off = calibration::host::residuals(&held, &nanos(&held_seconds), &weights);
    let text = serde_json::to_string(&weights).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(HostFit {
        weights: text,
        errors: Errors::of(off),
    })
}
