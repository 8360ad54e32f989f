//! The extension module `nestwise._core`: what the package's Python half calls.

pub(crate) mod bind;
pub(crate) mod commands;
pub(crate) mod hooks;
pub(crate) mod host;
pub(crate) mod objects;
pub(crate) mod process;
pub(crate) mod region;
pub(crate) mod results;
pub(crate) mod site;
#[cfg(all(test, not(without_interpreter)))]
mod tests;
pub(crate) mod verify;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use nestwise_costmodel::weights::Kind;
use nestwise_costmodel::{Device, MachineProfile, ProfileError};
use nestwise_frontend::ScopeInfo;
use nestwise_runtime::kernel::making;
use nestwise_runtime::{
    Broken, DeviceChoice, FpMode, Options, TierChoice, Trial, Unchecked, set_options,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::commands::{calibrate, explain, recording};
use crate::hooks::driver;
use crate::host::waiting;
use crate::objects::{layout, memory, numpy, random};
use crate::process::{ending, panics, speed};
use crate::site::parsed::{self, SiteText};
use crate::site::{Site, registry};

/// The version of the native part; the package checks that it is its own.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Sets the process's options. `threads` 0 means all cores; raises ValueError with a message for the user.
#[pyfunction]
#[pyo3(signature = (device, threads, fp, cache_dir, profile, schedule=None, broken=None, unchecked=None, verify=false, prices=false, record=false, learning=true, background=true, early=true, found=None, reported=false, cooperative=None, tier=None, scaled=true))]
#[allow(clippy::too_many_arguments)] // the options, one by one
fn configure(
    py: Python<'_>,
    device: &str,
    threads: usize,
    fp: &str,
    cache_dir: Option<PathBuf>,
    profile: Option<PathBuf>,
    schedule: Option<&str>,
    broken: Option<&str>,
    unchecked: Option<&str>,
    verify: bool,
    prices: bool,
    record: bool,
    learning: bool,
    background: bool,
    early: bool,
    found: Option<PathBuf>,
    reported: bool,
    cooperative: Option<bool>,
    tier: Option<&str>,
    scaled: bool,
) -> PyResult<Vec<String>> {
    let bad = PyValueError::new_err::<String>;
    let device = match device {
        "auto" => DeviceChoice::Auto,
        "interpreter" => DeviceChoice::Interpreter,
        "serial" => DeviceChoice::Serial,
        "threads" => DeviceChoice::Threads,
        "gpu" => {
            let found = nestwise_runtime::device::cuda::card::card();
            found.map_err(|why| bad(format!("device gpu: {why}")))?;
            DeviceChoice::Gpu
        }
        "emulated" => DeviceChoice::Emulated,
        other => return Err(bad(format!("device {other}: unknown"))),
    };
    let fp = match fp {
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
    // Of a profile that somebody asks for, numbers are what it says.
    let learns = scaled && profile.is_none();
    let (mut profile, notes) = choose_profile(py, profile, found).map_err(bad)?;
    if scaled && profile.machine.is_none() {
        profile = profile.at(speed::speed(py, cache_dir.as_deref(), &versions)?);
    }
    if learns {
        let of = format!("{versions} {}", profile.name);
        profile = profile.making(&making::begin(cache_dir.as_deref(), &of));
    } else {
        making::stop();
    }
    let trial = schedule.map(str::parse::<Trial>);
    let trial = trial.transpose().map_err(bad)?;
    let tier = tier.map(str::parse::<TierChoice>);
    let tier = tier.transpose().map_err(bad)?;
    let broken = broken.map(str::parse::<Broken>);
    let broken = broken.transpose().map_err(bad)?;
    let unchecked = unchecked.map(str::parse::<Unchecked>);
    let unchecked = unchecked.transpose().map_err(bad)?;
    set_options(Options {
        device,
        threads: if threads == 0 {
            nestwise_runtime::options::cores()
        } else {
            threads
        },
        fp,
        cache_dir,
        profile: Arc::new(profile),
        python_minor: python.minor.into(),
        versions,
        trial,
        tier,
        broken,
        cooperative,
        unchecked,
        verify,
        prices,
        reported,
        record,
        learning,
        background,
        early,
    });
    numpy::configured();
    Ok(notes)
}

/// Cores that this process may use: the affinity mask and the cgroup's quota together.
#[pyfunction]
fn cores() -> usize {
    nestwise_runtime::options::cores()
}

/// The profile that was asked for, or the one that calibration left (`found`), or the default; and what there is to
/// say of that. One that was asked for and cannot be used is an error, unless it is of another version.
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

/// What `nestwise.rewriting.rewrite.SiteText` holds, but for the function's name.
#[derive(FromPyObject)]
struct Words(
    String,
    u32,
    bool,
    bool,
    HashSet<String>,
    HashSet<String>,
    bool,
);

impl Words {
    fn of(self, file: String) -> SiteText {
        let Words(text, first_line, indented, module_level, local_names, bound_names, value) = self;
        let scope = ScopeInfo {
            module_level,
            local_names,
            bound_names,
        };
        SiteText {
            file,
            text,
            first_line,
            indented,
            scope,
            value,
        }
    }
}

/// Whether a loop statement, or an expression with a loop in it, is a site, and what its hook is given and gives back.
#[pyfunction]
fn lower<'py>(py: Python<'py>, site: Words) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    let text = site.of(String::new());
    match parsed::guarded_parse(py, &text) {
        Ok(parsed) => {
            let i = &parsed.interface;
            answer.set_item("ok", true)?;
            answer.set_item("reads", &i.reads)?;
            answer.set_item("writes", &i.writes)?;
            answer.set_item("maybe", &i.maybe)?;
            answer.set_item("returns", i.returns)?;
            // Without a gate's sizes there is still its switch.
            let sizes = parsed.gated.then_some(i.sizes.as_slice());
            answer.set_item("sizes", sizes.unwrap_or_default())?;
        }
        Err(refusals) => {
            answer.set_item("ok", false)?;
            if let Some(first) = refusals.first() {
                answer.set_item("line", first.span.line)?;
                answer.set_item("code", first.error.code())?;
                answer.set_item("message", first.error.to_string())?;
                answer.set_item("hint", first.error.hint().unwrap_or_default())?;
            }
        }
    }
    Ok(answer)
}

/// What each loop of a site may do, as far as its text and the types guessed for its names tell.
#[pyfunction]
#[pyo3(name = "explain")]
fn explain_site<'py>(
    py: Python<'py>,
    site: Words,
    describe: Bound<'py, PyAny>,
    function: Bound<'py, PyAny>,
    sizes: HashMap<String, Vec<i64>>,
    after: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let text = site.of(String::new());
    panics::raised(|| explain::explain(py, &text, &describe, &function, &sizes, after.as_deref()))
}

/// How random numbers are drawn by the method of that name, as the text of a function and its local names.
#[pyfunction]
fn random_text(name: &str) -> Option<(String, HashSet<String>)> {
    random::text(name)
}

/// The number of a process's first sites whose texts are read when they are made, before anybody waits for their loops: most sites of a
/// small program run.
const READ_AT_ONCE: u64 = 32;

/// The functions of one site.
#[pyfunction]
#[pyo3(name = "Site")]
fn make_site(py: Python<'_>, file: String, site: Words) -> hooks::functions::SiteFunctions {
    let site = Arc::new(Site::new(site.of(file), driver::AROUND));
    if registry::add(&site) < READ_AT_ONCE {
        site.read(py);
    }
    hooks::functions::SiteFunctions::of(site)
}

/// Where libdevice.10.bc is; the first call counts.
#[pyfunction]
fn use_libdevice(file: PathBuf) {
    nestwise_codegen::register_libdevice(file);
}

/// One dictionary per loop that was entered as a site; `file`, `lines`: of those in that file, and on these lines, alone.
#[pyfunction]
#[pyo3(signature = (file=None, lines=None))]
fn report<'py>(
    py: Python<'py>,
    file: Option<&str>,
    lines: Option<HashSet<u32>>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    let has_card = nestwise_runtime::options::options().profile.gpu.is_some();
    let asked = |in_file: &str, line: u32| {
        file.is_none_or(|f| f == in_file) && lines.as_ref().is_none_or(|l| l.contains(&line))
    };
    for s in registry::report(asked) {
        let d = PyDict::new(py);
        d.set_item("file", &s.file)?;
        d.set_item("line", s.line)?;
        d.set_item("calls", s.calls)?;
        d.set_item("declined", s.declined)?;
        let expected = PyDict::new(py);
        for (what, seconds) in ["interpreter", "native", "compile"]
            .iter()
            .zip(s.declined_for)
        {
            expected.set_item(what, seconds)?;
        }
        d.set_item("declined_s", expected)?;
        d.set_item("iterations", s.iterations)?;
        let verdict = s
            .verdicts
            .first()
            .and_then(|v| v.split(": ").nth(1))
            .map(str::to_string);
        d.set_item("verdict", verdict)?;
        d.set_item("verdicts", &s.verdicts)?;
        d.set_item("schedules", &s.schedules)?;
        let means = PyDict::new(py);
        for (word, launches) in &s.means {
            means.set_item(word, launches)?;
        }
        d.set_item("means", means)?;
        let transfers = PyDict::new(py);
        for (what, count) in [
            ("up", s.transfers.up),
            ("down", s.transfers.down),
            ("elements", s.transfers.elements),
            ("bytes_up", s.transfers.bytes_up),
            ("bytes_down", s.transfers.bytes_down),
        ] {
            transfers.set_item(what, count)?;
        }
        transfers.set_item("seconds_up", s.transfers.seconds_up)?;
        transfers.set_item("seconds_down", s.transfers.seconds_down)?;
        transfers.set_item("seconds_kernels", s.transfers.seconds_kernels)?;
        d.set_item("transfers", transfers)?;
        d.set_item("device", device_word(&s))?;
        d.set_item("launches", s.launches.iter().sum::<u64>())?;
        d.set_item("threaded_launches", s.launches[1])?;
        d.set_item("stopped", s.stopped)?;
        d.set_item("predicted_s", s.predicted)?;
        d.set_item("measured_s", s.measured)?;
        let priced = PyDict::new(py);
        for (device, seconds) in Device::ALL.into_iter().zip(s.priced) {
            if device != Device::Gpu || has_card {
                priced.set_item(device.to_string(), seconds)?;
            }
        }
        d.set_item("priced_s", priced)?;
        d.set_item("runs", &s.runs)?;
        let (work, launch) = (PyDict::new(py), PyDict::new(py));
        for (kind, times) in s.features.work.iter() {
            work.set_item(kind.name(), times)?;
        }
        for (kind, times) in s.features.launch.iter() {
            launch.set_item(kind.name(), times)?;
        }
        d.set_item("work", work)?;
        d.set_item("launch_work", launch)?;
        let nodes = PyDict::new(py);
        nodes.set_item("node", s.features.nodes.0)?;
        nodes.set_item("vector_node", s.features.nodes.1)?;
        d.set_item("nodes", nodes)?;
        d.set_item("guessed_loops", s.features.guessed)?;
        d.set_item("replaced_s", s.replaced)?;
        d.set_item("compile_s", s.compile.as_secs_f64())?;
        d.set_item("kernels_compiled", s.kernels[0])?;
        d.set_item("kernels_from_cache", s.kernels[1])?;
        let made = PyList::empty(py);
        for code in &s.made {
            let one = PyDict::new(py);
            one.set_item("tier", code.tier.to_string())?;
            one.set_item("predicted_s", code.predicted.0)?;
            one.set_item("took_s", code.took.as_secs_f64())?;
            made.append(one)?;
        }
        d.set_item("made", made)?;
        d.set_item("interpreted_s", s.interpreted)?;
        d.set_item("lost_s", s.lost)?;
        let fallbacks = PyList::empty(py);
        for (reason, count) in &s.fallbacks {
            let f = PyDict::new(py);
            f.set_item("code", reason.code())?;
            f.set_item("reason", reason.to_string())?;
            f.set_item("count", count)?;
            fallbacks.append(f)?;
        }
        d.set_item("fallbacks", fallbacks)?;
        list.append(d)?;
    }
    Ok(list)
}

fn device_word(s: &nestwise_runtime::report::Stats) -> String {
    let word = |device: &Device| match (device, nestwise_runtime::options::options().device) {
        (Device::Gpu, DeviceChoice::Emulated) => "emulated".to_string(),
        _ => device.to_string(),
    };
    let ran = |device: &&Device| s.launches[device.kind()] > 0;
    let words: Vec<String> = Device::NATIVE.iter().filter(ran).map(word).collect();
    match words[..] {
        [] => Device::Interpreter.to_string(),
        _ => words.join("+"),
    }
}

/// Whether this is not the interpreter that the process began with. PyO3 knows of that one alone: whatever attaches to
/// it from another one waits for ever for the lock that it holds itself.
fn in_subinterpreter() -> bool {
    // SAFETY: called with the GIL held, so that there is a current interpreter.
    unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) != 0 }
}

/// Adds everything to the extension module; raises ImportError where nestwise cannot run in this interpreter.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if in_subinterpreter() {
        // CPython's own words where it is told so, as `native/extension.py` expects them.
        return Err(pyo3::exceptions::PyImportError::new_err(
            "module nestwise._core does not support loading in subinterpreters",
        ));
    }
    if !layout::self_check() {
        return Err(pyo3::exceptions::PyImportError::new_err(
            "nestwise does not know this CPython's object layout",
        ));
    }
    nestwise_codegen::register_parallel(
        nestwise_runtime::threads::pool::parallel,
        nestwise_runtime::threads::pool::free_parts,
    );
    panics::watch();
    ending::register(module)?;
    waiting::find(module.py())?;
    for function in [
        wrap_pyfunction!(version, module)?,
        wrap_pyfunction!(configure, module)?,
        wrap_pyfunction!(cores, module)?,
        wrap_pyfunction!(use_libdevice, module)?,
        wrap_pyfunction!(lower, module)?,
        wrap_pyfunction!(explain_site, module)?,
        wrap_pyfunction!(random_text, module)?,
        wrap_pyfunction!(make_site, module)?,
        wrap_pyfunction!(report, module)?,
        wrap_pyfunction!(memory::keep_heap, module)?,
        wrap_pyfunction!(panics::panics, module)?,
        wrap_pyfunction!(verify::verify, module)?,
        wrap_pyfunction!(calibrate::fit, module)?,
        wrap_pyfunction!(calibrate::errors, module)?,
        wrap_pyfunction!(calibrate::fit_host, module)?,
        wrap_pyfunction!(calibrate::summary, module)?,
        wrap_pyfunction!(calibrate::machine, module)?,
        wrap_pyfunction!(calibrate::card, module)?,
        wrap_pyfunction!(calibrate::default_profile, module)?,
        wrap_pyfunction!(calibrate::read_profile, module)?,
        wrap_pyfunction!(verify::passed_over, module)?,
        wrap_pyfunction!(recording::recording, module)?,
        wrap_pyfunction!(recording::what_if, module)?,
    ] {
        module.add_function(function)?;
    }
    Ok(())
}
