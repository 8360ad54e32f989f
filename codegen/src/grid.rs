//! Kernels for the grid of a device, and the host's part that launches them.
//!
//! [`compile_grid`] makes both from a nest whose schedule maps loops to the grid. The host's part is a kernel like any other
//! ([`crate::abi`]), but that its descriptors hold addresses of the device's memory, which it never looks at: it runs outer
//! loops and what else has to do with numbers alone, and has kernels launched ([`register_launch`]). The device's part is PTX,
//! or the same module for the host: what an emulated device runs.

use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use nestwise_ir::{FpMode, LoopId, Schedule, Tier};
use serde::{Deserialize, Serialize};

use crate::KernelSpec;
use crate::error::{CodegenError, Result};
use crate::link::libdevice;
use crate::llvm::passes::{self, Code};
use crate::lower::control::stmt::emit;
use crate::lower::unit::{Grid, Registers, Unit};
use crate::target::Host;

/// The symbol of a kernel in the device's part.
pub fn kernel_name(number: usize) -> String {
    format!("nw_grid_{number}")
}

/// What an emulated device's kernels call.
const OWN: [&str; 3] = ["nw_touched", "nw_barrier", "nw_shuffle"];
/// Bytes of an environment: kernels for older cards have 4096 bytes of parameters, of which the others take 24.
const MOST_PARAMETERS: usize = 4064;

/// Threads that a block has at most whose threads leave records.
pub const BLOCK_THREADS: usize = 256;
/// Threads that run in step, and hand each other what is in their registers; those of an emulated device.
pub(crate) const WARP: usize = 32;
pub const EMULATED_WARP: usize = 8;
/// The same of blocks that leave no records.
pub const USUAL_THREADS: usize = 128;
/// Bytes that such a record has at most: it has to fit a thread's registers.
pub const MOST_RECORD: usize = 192;

/// A kernel of the device's part; the name of the `k`th is [`kernel_name`]`(k)`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GridKernel {
    /// The loops on its axes, outermost first; none: one thread runs it.
    pub loops: Vec<LoopId>,
    /// Bytes of the record that each block leaves, whose threads wait for each other then; 0: none.
    pub record: usize,
    /// Iterations of each axis, the innermost's first, that a thread runs at once where it has as many.
    pub tile: [i64; 3],
    /// The arrays whose elements it looks at.
    pub uses: Vec<Use>,
    /// It leaves something behind its status: in the order of the launches.
    pub leaves: bool,
    /// All of its threads run together: it is cooperative.
    #[serde(default)]
    pub team: Option<TeamKernel>,
}

impl GridKernel {
    /// One that a thread runs alone, and that looks at nothing.
    pub(crate) fn alone() -> GridKernel {
        GridKernel {
            loops: vec![],
            record: 0,
            tile: [1; 3],
            uses: vec![],
            leaves: false,
            team: None,
        }
    }
}

/// What a cooperative kernel is made of ([`crate::abi::team`]).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TeamKernel {
    /// Bytes of the largest record that a part's blocks leave.
    pub record: usize,
    /// The loops on the axes of each part, outermost first; none: one thread runs it.
    pub parts: Vec<Vec<LoopId>>,
}

/// An array that a kernel looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Use {
    /// Where its environment has the address.
    pub at: usize,
    /// It may store there.
    pub written: bool,
}

/// What kernels are made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GridTarget {
    /// A card of this compute capability: 80 for 8.0.
    Ptx(u32),
    /// The host, as a device whose threads are stepped.
    Emulated,
}

/// The device's part.
#[derive(Clone, Debug)]
pub enum DeviceCode {
    /// The text of a PTX module.
    Ptx(String),
    /// An object file for [`crate::load_grid`].
    Object(Vec<u8>),
}

/// A compiled nest.
#[derive(Clone, Debug)]
pub struct CompiledGrid {
    /// The host's part: an object file for [`crate::link::load`].
    pub host: Vec<u8>,
    /// The device's.
    pub device: DeviceCode,
    /// Its kernels.
    pub kernels: Vec<GridKernel>,
}

/// Compiles a nest some of whose loops are mapped to a grid ([`Schedule::grid`]); nothing else of the schedule counts.
///
/// [`CodegenError::Unsupported`] where something in them has no form for devices: a function that has none to the bit, an
/// element that is looked at outside kernels.
pub fn compile_grid(spec: KernelSpec<'_>, target: GridTarget) -> Result<CompiledGrid> {
    let host = Host::get()?;
    let context = Context::create();
    let nonempty = spec.schedule.nonempty;
    let outer = Schedule {
        grid: spec.schedule.grid.clone(),
        cooperative: spec.schedule.cooperative.clone(),
        nonempty,
        ..Schedule::default()
    };
    let inner = Schedule {
        // Cooperative kernels have parts.
        grid: spec.schedule.grid.clone(),
        nonempty,
        ..Schedule::default()
    };
    let outer = KernelSpec {
        schedule: &outer,
        ..spec
    };
    let inner = KernelSpec {
        schedule: &inner,
        // There are no flags to raise.
        quiet: false,
        ..spec
    };
    host.with_machine(Tier::Optimised, |machine| {
        let made;
        let device_machine = match target {
            GridTarget::Emulated => machine,
            GridTarget::Ptx(capability) => {
                made = ptx_machine(capability)?;
                &made
            }
        };
        let on_host = new_module(&context, "host", machine);
        let on_device = new_module(&context, "device", device_machine);
        let linked;
        let kernels = {
            let mut device = Unit::new(&context, &on_device, &inner, host)?;
            device.device = Some(match target {
                GridTarget::Emulated => Registers::Memory,
                GridTarget::Ptx(_) => Registers::Ptx,
            });
            let mut unit = Unit::new(&context, &on_host, &outer, host)?;
            if matches!(target, GridTarget::Ptx(_)) && unit.layout.size > MOST_PARAMETERS {
                return Err(CodegenError::Unsupported(
                    "so many variables on a device".into(),
                ));
            }
            unit.grid = Some(Grid::new(&device));
            emit(&unit)?;
            linked = device.ir.missing().iter().any(|name| libdevice::has(name));
            // What is not promised to the bit an emulated device has from the host.
            let host_has = target == GridTarget::Emulated && spec.fp != FpMode::Strict;
            let missing = device.ir.missing().into_iter();
            let own = |name: &str| OWN.contains(&name) || libdevice::has(name);
            let mut missing = missing.filter(|name| !host_has && !own(name));
            if let Some(name) = missing.next() {
                return Err(CodegenError::Unsupported(format!("{name} on a device")));
            }
            unit.grid
                .map(|g| g.kernels.into_inner())
                .unwrap_or_default()
        };
        if linked {
            libdevice::link(&on_device, &context, device_machine)?;
        }
        let vector_math = spec.fp != FpMode::Strict;
        let both = [
            (&on_host, machine, Code::Plain),
            (&on_device, device_machine, Code::Device),
        ];
        for (module, machine, code) in both {
            let bad = |e: inkwell::support::LLVMString| CodegenError::Llvm(e.to_string());
            module.verify().map_err(bad)?;
            passes::optimise(module, machine, code, vector_math)?;
        }
        let device = match target {
            GridTarget::Emulated => {
                DeviceCode::Object(file(&on_device, machine, FileType::Object)?)
            }
            GridTarget::Ptx(_) => {
                let text = file(&on_device, device_machine, FileType::Assembly)?;
                DeviceCode::Ptx(String::from_utf8_lossy(&text).into_owned())
            }
        };
        Ok(CompiledGrid {
            host: file(&on_host, machine, FileType::Object)?,
            device,
            kernels,
        })
    })
}

fn new_module<'c>(context: &'c Context, name: &str, machine: &TargetMachine) -> Module<'c> {
    let module = context.create_module(name);
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module
}

fn file(module: &Module<'_>, machine: &TargetMachine, kind: FileType) -> Result<Vec<u8>> {
    let buffer = machine.write_to_memory_buffer(module, kind);
    let buffer = buffer.map_err(|e| CodegenError::Llvm(e.to_string()))?;
    Ok(buffer.as_slice().to_vec())
}

/// LLVM takes the lowest version of PTX that knows the card.
fn ptx_machine(capability: u32) -> Result<TargetMachine> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let target = Target::from_triple(&triple).map_err(|e| CodegenError::Llvm(e.to_string()))?;
    target
        .create_target_machine(
            &triple,
            &format!("sm_{capability}"),
            "",
            OptimizationLevel::Aggressive,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| CodegenError::Llvm(format!("no target machine for sm_{capability}")))
}
