//! The devices on which a nest may run.

use std::fmt;

/// The devices that are priced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Device {
    /// CPython itself.
    Interpreter,
    /// Compiled code on one core.
    Serial,
    /// Compiled code on several cores.
    Threads,
    /// A GPU, or what stands for one.
    Gpu,
}

impl Device {
    /// All devices, in the order of their discriminants.
    pub const ALL: [Device; 4] = [
        Device::Interpreter,
        Device::Serial,
        Device::Threads,
        Device::Gpu,
    ];
    /// The devices that run compiled code, in the order of what is kept for each.
    pub const NATIVE: [Device; 3] = [Device::Serial, Device::Threads, Device::Gpu];

    /// The index of a native device in [`Device::NATIVE`]; CPython has none, and must not be asked for it.
    pub fn kind(self) -> usize {
        (self as usize).saturating_sub(1)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpreter => "interpreter",
            Self::Serial => "serial",
            Self::Threads => "threads",
            Self::Gpu => "gpu",
        })
    }
}
