//! Why a call ran in CPython: data, one variant a reason.

use std::fmt;

/// Why CPython ran a nest, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The front end refuses the nest for these types.
    Refused {
        /// The line of the file.
        line: u32,
        /// The refusal's stable short name.
        code: &'static str,
        /// The refusal, for users.
        message: String,
        /// What the user can do about it.
        hint: Option<String>,
        /// The name whose type at the beginning of the loop is refused, if that is the reason.
        of: Option<String>,
    },
    /// The site was switched off after repeated failures.
    Off,
    /// Attempts before this call came to nothing time and again.
    Futile,
    /// All calls so far, together, take CPython less time than finding out what could be done about them.
    Brief,
    /// The call was over before there was a plan of it.
    OverBeforePlan,
    /// One iteration of the top loop takes so long that nobody should have to wait for its end.
    Long,
    /// There are more signatures of the site than plans are kept for.
    Signatures,
    /// The device was fixed to the interpreter by the user.
    Forced,
    /// A name or attribute is not bound.
    Unbound(String),
    /// A value at entry is one that its variable cannot hold.
    Inexact(String),
    /// An array cannot be used in place.
    Array {
        /// The array's name.
        name: String,
        /// Why it cannot be used, for users.
        why: &'static str,
    },
    /// A list cannot be converted.
    List {
        /// The list's name.
        name: String,
        /// Why it cannot be converted, for users.
        why: &'static str,
    },
    /// Reading an attribute might run user code.
    Attribute {
        /// The attribute's name.
        name: String,
    },
    /// The nest may change a dictionary or set while it runs over it.
    Iterated {
        /// The iterable, as the source has it.
        name: String,
    },
    /// An array has more elements along an axis than proofs reckon with.
    TooLarge,
    /// A loop bound could not be computed natively.
    Bounds,
    /// The step of a range is zero.
    ZeroStep,
    /// A guard failed: CPython runs these iterations.
    GuardFailure {
        /// The line of the guard; 0 if it is not known.
        line: u32,
    },
    /// Somebody waited, and an iteration took too long to be waited for: CPython runs it.
    Interrupted,
    /// NumPy might have warned.
    FloatingPoint,
    /// `np.errstate`, warning filters, tracing or profiling is not the default.
    Environment(&'static str),
    /// There is no memory for copies that a run needs.
    Memory,
    /// The device has no memory for copies of the arrays.
    DeviceMemory,
    /// The device, or its driver, failed.
    Device(String),
    /// LLVM failed.
    Codegen(String),
    /// The program has a bug, which was caught.
    Internal(String),
}

impl Reason {
    /// The reason's stable short name.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => code,
            Self::Off => "off",
            Self::Futile => "futile",
            Self::Brief => "brief",
            Self::OverBeforePlan => "over-before-plan",
            Self::Long => "long",
            Self::Signatures => "signatures",
            Self::Forced => "forced",
            Self::Unbound(_) => "unbound",
            Self::Inexact(_) => "inexact",
            Self::Array { .. } => "array",
            Self::List { .. } => "list",
            Self::Attribute { .. } => "attribute",
            Self::Iterated { .. } => "iterated",
            Self::TooLarge => "too-large",
            Self::Bounds => "bounds",
            Self::ZeroStep => "zero-step",
            Self::GuardFailure { .. } => "guard-failure",
            Self::Interrupted => "interrupted",
            Self::FloatingPoint => "floating-point",
            Self::Environment(_) => "environment",
            Self::Memory => "memory",
            Self::DeviceMemory => "device-memory",
            Self::Device(_) => "device",
            Self::Codegen(_) => "codegen",
            Self::Internal(_) => "internal",
        }
    }

    /// Whether the same call would end the same way again, so that a site that only ever fails this way is better
    /// switched off.
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Codegen(_) | Self::Internal(_))
    }

    /// The name whose value at the beginning of the loop is the reason: one of the same type as later might do.
    pub fn of_beginning(&self) -> Option<&str> {
        match self {
            Self::Refused { of, .. } => of.as_deref(),
            Self::Inexact(name) | Self::Unbound(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { line, message, .. } => write!(f, "line {line}: {message}"),
            Self::Off => write!(f, "switched off after repeated failures"),
            Self::Futile => write!(
                f,
                "not attempted: earlier attempts failed or did not pay, time and again"
            ),
            Self::Brief => write!(f, "all its calls together take less time than a plan would"),
            Self::OverBeforePlan => write!(f, "CPython had finished it before a plan was ready"),
            Self::Long => write!(
                f,
                "one of its iterations takes long: the loops inside run by themselves, so that signals and other \
                 threads get their turn"
            ),
            Self::Signatures => {
                write!(
                    f,
                    "it is called with more kinds of arguments than plans are kept for"
                )
            }
            Self::Forced => write!(f, "the interpreter was asked for"),
            Self::Unbound(name) => write!(f, "{name} is not bound"),
            Self::Inexact(name) => {
                write!(
                    f,
                    "{name} starts with a value that is not of the type it has later"
                )
            }
            Self::Array { name, why } => write!(f, "array {name}: {why}"),
            Self::List { name, why } => write!(f, "list {name}: {why}"),
            Self::Attribute { name } => write!(f, "reading {name} might run code of a class"),
            Self::Iterated { name } => write!(f, "the loop may change what `{name}` runs over"),
            Self::TooLarge => write!(f, "an array has more than 2**40 elements along an axis"),
            Self::Bounds => write!(f, "the loop's bounds leave 64 bits"),
            Self::ZeroStep => write!(f, "the step of a range is zero"),
            Self::GuardFailure { line: 0 } => {
                write!(f, "a guard failed: only CPython can run these iterations")
            }
            Self::GuardFailure { line } => write!(
                f,
                "line {line}: a guard failed (an index out of range, an int beyond its width, a division by zero, or what only CPython can do)"
            ),
            Self::Interrupted => write!(
                f,
                "an iteration took long while a signal or another thread waited: CPython runs it, and the loops inside by \
                 themselves"
            ),
            Self::FloatingPoint => write!(
                f,
                "a floating-point overflow or invalid operation that NumPy warns of"
            ),
            Self::Environment(what) => write!(f, "{what}"),
            Self::DeviceMemory => write!(f, "the device has no memory for copies of its arrays"),
            Self::Device(why) => write!(f, "the GPU cannot be used: {why}"),
            Self::Memory => write!(f, "there is no memory for copies of what it writes"),
            Self::Codegen(why) => write!(f, "compilation failed: {why}"),
            Self::Internal(why) => write!(f, "internal failure: {why}"),
        }
    }
}
