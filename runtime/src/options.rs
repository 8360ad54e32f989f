//! The options of the process: what the user asked for.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use nestwise_costmodel::MachineProfile;

use crate::testing::forced_schedules::ForcedSchedule;
use crate::testing::planted_mistakes::PlantedMistake;

pub use nestwise_ir::FpMode;

/// Where nests run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceChoice {
    /// Nests run wherever it is cheapest.
    #[default]
    Auto,
    /// Nests run in CPython only.
    Interpreter,
    /// Nests run compiled, on one core, whatever it costs.
    Serial,
    /// Nests run compiled, on threads wherever a loop allows it.
    Threads,
    /// Nests run compiled, and on an emulated device's grid wherever loops allow it, for tests.
    Emulated,
    /// Nests run compiled, and on the GPU's grid wherever loops allow it.
    Gpu,
}

/// The tiers of code that tests want.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TierChoice {
    /// Quick code alone.
    Quick,
    /// Optimised code alone.
    Optimised,
    /// Both tiers in turn, with a change between any two chunks.
    Switch,
}

impl FromStr for TierChoice {
    type Err = String;
    fn from_str(text: &str) -> Result<TierChoice, String> {
        match text {
            "quick" => Ok(Self::Quick),
            "optimised" => Ok(Self::Optimised),
            "switch" => Ok(Self::Switch),
            _ => Err(format!("tier {text}: none of quick, optimised, switch")),
        }
    }
}

/// The process's options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where nests run.
    pub device: DeviceChoice,
    /// The number of threads to use; already resolved, at least 1.
    pub threads: usize,
    /// How exactly floating-point results have to be CPython's and NumPy's.
    pub fp: FpMode,
    /// The folder of the compile cache; none: nothing is read or written.
    pub cache_dir: Option<PathBuf>,
    /// The machine's weights.
    pub profile: Arc<MachineProfile>,
    /// The running CPython's minor version.
    pub python_minor: u32,
    /// Part of every cache key: versions of CPython, NumPy and nestwise.
    pub versions: String,
    /// For tests: the schedules that run, whatever they cost.
    pub forced: Option<ForcedSchedule>,
    /// For tests: the tier of the code that runs on one core, instead of what is there first and best later.
    pub tier: Option<TierChoice>,
    /// For tests: an operation that nests compute wrongly.
    pub mistake: Option<PlantedMistake>,
    /// For tests and measurements: whether loops become cooperative kernels wherever they can, or never.
    pub cooperative: Option<bool>,
    /// For measurements: kernels without checks.
    pub unchecked: Option<Unchecked>,
    /// Whether everything runs compiled that can, to be compared with CPython.
    pub verify: bool,
    /// Whether every call is priced anew, and what was predicted for each device is summed up.
    pub prices: bool,
    /// Whether a report is wanted, for which more is measured than is needed otherwise.
    pub reported: bool,
    /// Whether what the price of every call depends on is kept, for [`crate::Plan::recorded`]. Asks for `prices`.
    pub record: bool,
    /// Whether prices are corrected by what launches take.
    pub learning: bool,
    /// Whether kernels are made while CPython goes on.
    pub background: bool,
    /// Whether CPython runs calls that are over sooner than a plan of them would be made.
    pub tier_up_budget: bool,
}

impl Options {
    /// Whether nests run in forced forms, to find faults.
    pub fn tests_forms(&self) -> bool {
        self.forced.is_some_and(|forced| forced.is_test())
    }

    /// The number of kernels that may be made at a time beside what runs: one for each further thread.
    pub fn background(&self) -> usize {
        match self.is_free() {
            true => self.threads - 1,
            false => 0,
        }
    }

    /// Whether nobody has chosen what is to run, or when it is made.
    pub(crate) fn is_free(&self) -> bool {
        let free = self.device == DeviceChoice::Auto && !self.verify && !self.prices;
        free && self.forced.is_none() && self.tier.is_none() && self.background
    }

    /// Whether prices learn from launches: where decisions are free, and nobody wants to see each for itself.
    pub fn learns(&self) -> bool {
        self.device == DeviceChoice::Auto && !self.verify && !self.prices
    }
}

/// Kernels without the checks that could only fail, to measure what checking costs. They are wrong, and may write
/// anywhere, where a guard would fail. `NESTWISE_UNCHECKED=bench`, or `bench-wraps` for programs with negative
/// subscripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unchecked {
    /// Whether subscripts may be negative wherever that is not excluded.
    pub wraps: bool,
}

impl FromStr for Unchecked {
    type Err = String;
    fn from_str(text: &str) -> Result<Unchecked, String> {
        match text {
            "bench" => Ok(Unchecked { wraps: false }),
            "bench-wraps" => Ok(Unchecked { wraps: true }),
            _ => Err(format!(
                "unchecked {text}: only the benches may ask for that"
            )),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            device: DeviceChoice::Auto,
            threads: cores(),
            fp: FpMode::Strict,
            cache_dir: None,
            profile: Arc::new(MachineProfile::default()),
            python_minor: 11,
            versions: String::new(),
            forced: None,
            tier: None,
            mistake: None,
            cooperative: None,
            unchecked: None,
            verify: false,
            prices: false,
            reported: false,
            record: false,
            learning: true,
            background: false,
            tier_up_budget: false,
        }
    }
}

fn cell() -> &'static RwLock<Arc<Options>> {
    static OPTIONS: OnceLock<RwLock<Arc<Options>>> = OnceLock::new();
    OPTIONS.get_or_init(|| RwLock::new(Arc::new(Options::default())))
}

/// A number that changes whenever the options do.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// A number for the options now in force, to notice that they were replaced.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// The options now in force.
pub fn options() -> Arc<Options> {
    cell().read().unwrap_or_else(|e| e.into_inner()).clone()
}

/// The value of [`Options::prices`], which is asked at every launch.
static PRICES: AtomicBool = AtomicBool::new(false);

/// Whether what was predicted is summed up.
pub fn keeps_prices() -> bool {
    PRICES.load(Ordering::Relaxed)
}

/// Replaces the options.
pub fn set_options(options: Options) {
    PRICES.store(options.prices, Ordering::Relaxed);
    *cell().write().unwrap_or_else(|e| e.into_inner()) = Arc::new(options);
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Adds a version that is known only later (NumPy's, once the program imports it) to every cache key.
pub fn add_version(text: &str) {
    let mut options = cell().write().unwrap_or_else(|e| e.into_inner());
    Arc::make_mut(&mut options).versions.push_str(text);
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// The number of cores that this process may use: the affinity mask and the cgroup's CPU quota together.
pub fn cores() -> usize {
    let affinity = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    quota().map_or(affinity, |q| affinity.min(q.max(1)))
}

/// The cgroup v2 quota in whole cores, if there is one.
fn quota() -> Option<usize> {
    let text = std::fs::read_to_string("/sys/fs/cgroup/cpu.max").ok()?;
    let mut words = text.split_whitespace();
    let quota: f64 = words.next()?.parse().ok()?;
    let period: f64 = words.next()?.parse().ok()?;
    Some((quota / period).floor() as usize)
}
