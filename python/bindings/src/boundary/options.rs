//! The process's options, as the package's Python half states them.

use std::path::PathBuf;
use std::sync::Arc;

use nestwise_costmodel::{MachineProfile, ProfileError};
use nestwise_runtime::kernel::making;
use nestwise_runtime::{
    DeviceChoice, ForcedSchedule, FpMode, Options, PlantedMistake, TierChoice, Unchecked,
    set_options,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::commands::calibrate;
use crate::objects::numpy;
use crate::process::speed;

/// The options that the package states: `nestwise.native.settings.Settings`.
#[derive(FromPyObject)]
pub struct Settings {
    device: String,
    /// The number of threads; 0 means all cores.
    threads: usize,
    fp: String,
    cache_dir: Option<PathBuf>,
    /// The file of the profile that the user asked for.
    profile: Option<PathBuf>,
    /// The file of the profile that calibration left.
    found: Option<PathBuf>,
    schedule: Option<String>,
    broken: Option<String>,
    unchecked: Option<String>,
    tier: Option<String>,
    cooperative: Option<bool>,
    verify: bool,
    prices: bool,
    record: bool,
    learning: bool,
    background: bool,
    tier_up_budget: bool,
    reported: bool,
    /// Whether the times of a profile that was not measured are scaled to this machine's pace.
    scaled: bool,
}

/// The version of the extension module.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Sets the process's options, and returns notes for the user. Raises ValueError, with a message for the user, for a
/// setting that is unknown or cannot be met.
#[pyfunction]
pub fn configure(py: Python<'_>, settings: Settings) -> PyResult<Vec<String>> {
    let bad = PyValueError::new_err::<String>;
    let device = device(&settings.device).map_err(bad)?;
    let fp = match settings.fp.as_str() {
        "strict" => FpMode::Strict,
        "faithful" => FpMode::Faithful,
        "fast" => FpMode::Fast,
        other => return Err(bad(format!("fp {other}: unknown"))),
    };
    let python = py.version_info();
    let versions = format!(
        "nestwise {} python {}.{}",
        version(),
        python.major,
        python.minor
    );
    let cache_dir = settings.cache_dir;
    // The numbers of a profile that the user asked for are used as they are.
    let learns = settings.scaled && settings.profile.is_none();
    let (mut profile, notes) = choose_profile(py, settings.profile, settings.found).map_err(bad)?;
    if settings.scaled && profile.machine.is_none() {
        profile = profile.at(speed::speed(py, cache_dir.as_deref(), &versions)?);
    }
    if learns {
        let of = format!("{versions} {}", profile.name);
        profile = profile.making(&making::begin(cache_dir.as_deref(), &of));
    } else {
        making::stop();
    }
    set_options(Options {
        device,
        threads: match settings.threads {
            0 => nestwise_runtime::options::cores(),
            given => given,
        },
        fp,
        cache_dir,
        profile: Arc::new(profile),
        python_minor: python.minor.into(),
        versions,
        forced: parsed::<ForcedSchedule>(settings.schedule)?,
        tier: parsed::<TierChoice>(settings.tier)?,
        mistake: parsed::<PlantedMistake>(settings.broken)?,
        cooperative: settings.cooperative,
        unchecked: parsed::<Unchecked>(settings.unchecked)?,
        verify: settings.verify,
        prices: settings.prices,
        reported: settings.reported,
        record: settings.record,
        learning: settings.learning,
        background: settings.background,
        tier_up_budget: settings.tier_up_budget,
    });
    numpy::configured();
    Ok(notes)
}

fn parsed<T: std::str::FromStr<Err = String>>(text: Option<String>) -> PyResult<Option<T>> {
    let parsed = text.map(|t| t.parse::<T>()).transpose();
    parsed.map_err(PyValueError::new_err)
}

fn device(name: &str) -> Result<DeviceChoice, String> {
    Ok(match name {
        "auto" => DeviceChoice::Auto,
        "interpreter" => DeviceChoice::Interpreter,
        "serial" => DeviceChoice::Serial,
        "threads" => DeviceChoice::Threads,
        "gpu" => {
            let found = nestwise_runtime::device::cuda::card::card();
            found.map_err(|why| format!("device gpu: {why}"))?;
            DeviceChoice::Gpu
        }
        "emulated" => DeviceChoice::Emulated,
        other => return Err(format!("device {other}: unknown")),
    })
}

/// Cores that this process may use: the affinity mask and the cgroup's quota together.
#[pyfunction]
pub fn cores() -> usize {
    nestwise_runtime::options::cores()
}

/// Tells the code generator where libdevice.10.bc is; only the first call counts.
#[pyfunction]
pub fn use_libdevice(file: PathBuf) {
    nestwise_codegen::register_libdevice(file);
}

/// Loads the profile that was asked for, or the one that calibration left (`found`), or the default one, and returns it
/// with notes for the user. A profile that was asked for and cannot be used is an error, unless it is of another
/// version.
fn choose_profile(
    py: Python<'_>,
    asked: Option<PathBuf>,
    found: Option<PathBuf>,
) -> Result<(MachineProfile, Vec<String>), String> {
    let explicit = asked.is_some();
    let Some(path) = asked.or(found) else {
        return Ok((calibrate::usual_profile(), vec![]));
    };
    let at = path.display();
    match MachineProfile::load(&path) {
        Ok(profile) => {
            let differs = calibrate::differences(py, &profile);
            let told = differs.join(", ");
            let note = format!("profile {at} was measured elsewhere: {told}");
            let notes = if differs.is_empty() {
                vec![]
            } else {
                vec![note]
            };
            Ok((profile, notes))
        }
        Err(e) if explicit && !matches!(e, ProfileError::Version(_)) => {
            Err(format!("profile {at}: {e}"))
        }
        Err(e) => {
            let note = format!("profile {at}: {e}; the default profile is used");
            Ok((calibrate::usual_profile(), vec![note]))
        }
    }
}
