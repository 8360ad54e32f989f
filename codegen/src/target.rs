//! The machine that code is generated for: this one.

use std::sync::{Mutex, OnceLock, PoisonError};

use inkwell::OptimizationLevel;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use nestwise_ir::{Scalar, Tier};

use crate::error::{CodegenError, Result};
use crate::llvm::globals;

/// What is known about the host's processor.
pub(crate) struct Host {
    /// LLVM's target triple.
    pub(crate) triple: String,
    /// The processor to schedule and tune for; instruction sets come from `features` alone.
    pub(crate) tune: &'static str,
    /// LLVM's feature string: the instruction sets that the host has.
    pub(crate) features: String,
    /// Bits of the widest vectors that LLVM should use by itself.
    pub(crate) vector_bits: u32,
    /// Whether fused multiply-add is an instruction.
    pub(crate) fma: bool,
    /// The vector functions of the C library for this processor.
    pub(crate) mvec: Variant,
}

/// A target machine that nobody uses now.
struct Spare(TargetMachine);

// LLVM ties a target machine to no thread; it must not be used by two at once, and a spare one is used by none.
unsafe impl Send for Spare {}

static HOST: OnceLock<std::result::Result<Host, String>> = OnceLock::new();

impl Host {
    fn detect() -> std::result::Result<Host, String> {
        globals::make();
        Target::initialize_x86(&InitializationConfig::default());
        set_options();
        // Features that are absent need no mention: the base CPU has none of them.
        let features = TargetMachine::get_host_cpu_features().to_string();
        let present: Vec<&str> = features.split(',').filter(|f| f.starts_with('+')).collect();
        let features = present.join(",");
        let has = |name: &str| {
            features
                .split(',')
                .any(|f| f.strip_prefix('+') == Some(name))
        };
        let avx512 = ["avx512f", "avx512vl", "avx512dq", "avx512bw"]
            .iter()
            .all(|f| has(f));
        // Virtual machines report odd names (a Cascade Lake as "rocketlake"), so the name is derived too.
        let tune = match (avx512, has("avx2")) {
            (true, _) => "skylake-avx512",
            (false, true) => "haswell",
            (false, false) => "x86-64",
        };
        Ok(Host {
            triple: TargetMachine::get_default_triple()
                .as_str()
                .to_string_lossy()
                .into_owned(),
            tune,
            vector_bits: if avx512 {
                512
            } else if has("avx") {
                256
            } else {
                128
            },
            fma: has("fma"),
            mvec: match (avx512, has("avx2") && has("fma")) {
                (true, _) => Variant::E,
                (false, true) => Variant::D,
                (false, false) => Variant::B,
            },
            features,
        })
    }

    /// The attributes by which functions name this processor; LLVM keeps its tables by them.
    pub(crate) fn attributes(&self) -> [(&'static str, String); 2] {
        [
            ("prefer-vector-width", self.vector_bits.to_string()),
            ("tune-cpu", self.tune.to_string()),
        ]
    }

    /// The host, found once. Whatever uses LLVM begins here.
    pub(crate) fn get() -> Result<&'static Host> {
        HOST.get_or_init(Host::detect)
            .as_ref()
            .map_err(|e| CodegenError::Llvm(e.clone()))
    }

    /// Calls `work` with a target machine that nobody else uses meanwhile. Machines are kept for whoever comes next,
    /// since to make one and its tables takes longer than to emit a small kernel; there are as many as threads that
    /// compiled at the same time.
    pub(crate) fn with_machine<T>(
        &self,
        tier: Tier,
        work: impl FnOnce(&TargetMachine) -> Result<T>,
    ) -> Result<T> {
        // Spare machines are never disposed of: at the end of a process LLVM's own globals may be gone first.
        static SPARE: [Mutex<Vec<Spare>>; 2] = [const { Mutex::new(Vec::new()) }; 2];
        let of = &SPARE[usize::from(tier == Tier::Quick)];
        let spare = || of.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = spare().pop();
        let machine = match kept {
            Some(Spare(machine)) => machine,
            None => self.machine(tier)?,
        };
        let result = work(&machine);
        if result.is_ok() {
            spare().push(Spare(machine));
        }
        result
    }

    /// A new target machine.
    pub(crate) fn machine(&self, tier: Tier) -> Result<TargetMachine> {
        let level = match tier {
            // Instructions are selected one by one, registers given to them as they come.
            Tier::Quick => OptimizationLevel::None,
            Tier::Optimised => OptimizationLevel::Aggressive,
        };
        let triple = TargetTriple::create(&self.triple);
        let target = Target::from_triple(&triple).map_err(|e| CodegenError::Llvm(e.to_string()))?;
        target
            .create_target_machine(
                &triple,
                "x86-64",
                &self.features,
                level,
                RelocMode::PIC,
                CodeModel::Small,
            )
            .ok_or_else(|| CodegenError::Llvm(format!("no target machine for {}", self.triple)))
    }
}

/// Sets LLVM's own options, which are global to the library. Loop strength reduction costs 40 % of the time to emit a
/// stencil and gains nothing: subscripts are already a row pointer and a scaled index, which x86 addresses directly.
fn set_options() {
    let words = [c"nestwise", c"-disable-lsr"].map(|w| w.as_ptr());
    unsafe {
        llvm_sys::support::LLVMParseCommandLineOptions(
            words.len() as i32,
            words.as_ptr(),
            std::ptr::null(),
        );
    }
}

/// What the bytes of an object file depend on besides the nest, as a part of a cache key. LLVM is not asked, since that
/// takes longer than loading a cached kernel.
pub fn target_description() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let codegen = env!("NESTWISE_CODEGEN_FINGERPRINT");
        format!("llvm-22 cpu={:x?} codegen={codegen}", cpu_words())
    })
}

/// The words in which the processor describes its instruction sets, and what the operating system lets be used.
#[cfg(target_arch = "x86_64")]
fn cpu_words() -> Vec<u32> {
    use std::arch::x86_64::{__cpuid, __cpuid_count, __get_cpuid_max};
    let (most, _) = __get_cpuid_max(0);
    let first = __cpuid(1);
    let mut words = vec![first.eax, first.ecx, first.edx];
    if most >= 7 {
        let (zero, one) = (__cpuid_count(7, 0), __cpuid_count(7, 1));
        words.extend([
            zero.ebx, zero.ecx, zero.edx, one.eax, one.ebx, one.ecx, one.edx,
        ]);
    }
    for (leaf, sub) in [(0xd, 1), (0x14, 0), (0x19, 0), (0x24, 0)] {
        if most >= leaf {
            let r = __cpuid_count(leaf, sub);
            words.extend([r.eax & 0xffff, r.ebx & 0xffff]);
        }
    }
    if __get_cpuid_max(0x8000_0000).0 >= 0x8000_0001 {
        let r = __cpuid(0x8000_0001);
        words.extend([r.ecx, r.edx]);
    }
    let usable = [
        std::arch::is_x86_feature_detected!("avx"),
        std::arch::is_x86_feature_detected!("avx2"),
        std::arch::is_x86_feature_detected!("avx512f"),
    ];
    words.extend(usable.map(u32::from));
    words
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_words() -> Vec<u32> {
    vec![]
}

/// Bits of the widest vector registers that generated code uses: 128, 256 or 512. The best number of lanes of a vector
/// loop is a small multiple of this over the element's bits.
///
/// The processor itself is asked: plans are made before LLVM is there.
#[cfg(target_arch = "x86_64")]
pub fn vector_bits() -> u32 {
    use std::arch::is_x86_feature_detected as has;
    let avx512 = has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw");
    match (avx512, has!("avx")) {
        (true, _) => 512,
        (false, true) => 256,
        (false, false) => 128,
    }
}

/// Bits of the widest vector registers that generated code uses, where only LLVM tells.
#[cfg(not(target_arch = "x86_64"))]
pub fn vector_bits() -> u32 {
    Host::get().map_or(128, |h| h.vector_bits)
}

/// The widest vectors of libmvec that a processor has the instructions for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Variant {
    /// SSE4.
    B,
    /// AVX2 with fused multiply-add.
    D,
    /// AVX-512.
    E,
}

impl Variant {
    /// The number of elements of a vector.
    pub(crate) fn width(self, repr: Scalar) -> u32 {
        let bits = match self {
            Variant::B => 128,
            Variant::D => 256,
            Variant::E => 512,
        };
        bits / repr.bits().max(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_tells_the_same_as_llvm() {
        assert_eq!(vector_bits(), Host::get().unwrap().vector_bits);
    }
}
