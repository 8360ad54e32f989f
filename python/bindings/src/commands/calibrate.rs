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

type Counted = BTreeMap<String, f64>;

/// The names of a section's weights with those of the default profile.
fn section(name: &str) -> PyResult<Vec<(String, f64)>> {
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

/// A section whose names are all times that are fitted.
fn named(usual: &MachineProfile, section: &str) -> Vec<(String, f64)> {
    let usual = serde_json::to_value(usual).unwrap_or_default();
    let all = usual[section].as_object().into_iter().flatten();
    all.filter_map(|(name, v)| Some((name.clone(), v.as_f64()?)))
        .collect()
}

/// `fit(section, counts, seconds)`: nanoseconds by kind, and each measurement's relative error.
#[pyfunction]
pub fn fit(name: &str, counts: Vec<Counted>, seconds: Vec<f64>) -> PyResult<(Counted, Vec<f64>)> {
    let section = section(name)?;
    let rows = rows(&section, &counts)?;
    let nanos: Vec<f64> = seconds.iter().map(|s| s * 1e9).collect();
    let usual: Vec<f64> = section.iter().map(|(_, w)| *w).collect();
    let fit = calibration::fit(&rows, &nanos, &usual)
        .ok_or_else(|| PyValueError::new_err(format!("{name}: these times make no sense")))?;
    let names = section.into_iter().map(|(name, _)| name);
    Ok((names.zip(fit.weights).collect(), fit.residuals))
}

/// What each measurement counted, in the order of the section. Something that it does not know is a mistake of ours: its
/// time would go to others.
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

/// `errors(section, weights, counts, seconds)`: each measurement's relative error, the median of them and the 90th
/// percentile.
#[pyfunction]
pub fn errors(
    name: &str,
    weights: Counted,
    counts: Vec<Counted>,
    seconds: Vec<f64>,
) -> PyResult<(Vec<f64>, f64, f64)> {
    let section = section(name)?;
    let rows = rows(&section, &counts)?;
    let nanos: Vec<f64> = seconds.iter().map(|s| s * 1e9).collect();
    let weights: Vec<f64> = section
        .iter()
        .map(|(name, _)| weights.get(name).copied().unwrap_or(0.0))
        .collect();
    let off = calibration::fit::residuals(&rows, &nanos, &weights);
    let held = calibration::Held::of(&off);
    Ok((off, held.median, held.p90))
}

/// `summary(samples)`: (median, standard error of it, samples that were no outliers).
#[pyfunction]
pub fn summary(samples: Vec<f64>) -> PyResult<(f64, f64, usize)> {
    let s = calibration::summary(&samples)
        .ok_or_else(|| PyValueError::new_err("no samples, or one that is no number"))?;
    Ok((s.median, s.error, s.kept))
}

/// `machine(python, numpy, date)`: what a profile says of the machine, as JSON.
#[pyfunction]
#[pyo3(signature = (python, numpy, date))]
pub fn machine(python: &str, numpy: Option<&str>, date: &str) -> PyResult<String> {
    let here = calibration::machine::here(python, numpy, date);
    serde_json::to_string(&here).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The default profile, with what the machine tells of itself.
pub fn usual_profile() -> MachineProfile {
    let mut profile = MachineProfile::default();
    if let Some(caches) = calibration::machine::cache_sizes() {
        profile.host.caches = caches;
    }
    profile
}

/// The card that `--device gpu` uses: (name, processors, threads that each has room for, bytes of their cache); none where
/// there is none.
#[pyfunction]
pub fn card() -> Option<(String, i64, i64, i64)> {
    let card = nestwise_runtime::device::cuda::card::card().ok()?;
    let name = card.name.clone();
    Some((name, card.processors, card.resident, card.cache))
}

/// The default profile, as JSON.
#[pyfunction]
pub fn default_profile() -> String {
    usual_profile().to_json()
}

/// The profile in `text` in its usual form; ValueError if it is none.
#[pyfunction]
pub fn read_profile(text: &str) -> PyResult<String> {
    let read = MachineProfile::parse(text).map(|p| p.to_json());
    read.map_err(|e| PyValueError::new_err(e.to_string()))
}

/// What of this machine is not as it was where the profile was measured, in words.
pub fn differences(py: Python<'_>, profile: &MachineProfile) -> Vec<String> {
    let Some(measured) = &profile.machine else {
        return Vec::new();
    };
    let v = py.version_info();
    let python = format!("{}.{}.{}", v.major, v.minor, v.patch);
    calibration::machine::here(&python, None, "").differs(measured)
}

/// `fit_host(executed, seconds, held, held_seconds)`: the weights of compiled code as JSON, each held-back kernel's relative
/// error, the median of them and the 90th percentile. What kernels executed is the report's `runs`.
#[pyfunction]
pub fn fit_host(
    executed: Vec<String>,
    seconds: Vec<f64>,
    held: Vec<String>,
    held_seconds: Vec<f64>,
) -> PyResult<(String, Vec<f64>, f64, f64)> {
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
    let errors = calibration::Held::of(&off);
    let text = serde_json::to_string(&weights).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok((text, off, errors.median, errors.p90))
}
