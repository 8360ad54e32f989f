//! The way of a nest to kernels for a device's grid and the host's part, stage by stage, as in [`crate::pipeline`].

use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use nestwise_ir::{FpMode, Schedule, Tier};

use crate::error::{CodegenError, Result};
use crate::grid::{CompiledGrid, DeviceCode, GridTarget};
use crate::link::libdevice;
use crate::llvm::passes::{self, Code};
use crate::lower::control::nest;
use crate::lower::unit::{Grid, Registers, Unit};
use crate::pipeline::{assemble, new_module};
use crate::spec::KernelSpec;
use crate::target::Host;

/// The functions that an emulated device's kernels call of the device.
const OWN: [&str; 3] = ["nw_touched", "nw_barrier", "nw_shuffle"];
/// The most bytes of an environment: kernels for older GPUs have 4096 bytes of parameters, of which the others take 24.
const MOST_PARAMETERS: usize = 4064;

/// Compiles a nest some of whose loops are mapped to a grid ([`Schedule::grid`]); nothing else of the schedule counts.
///
///  [`CodegenError::Unsupported`] where something in these loops has no form for devices: a function that has none to
/// the bit, an element that is looked at outside kernels.
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
            nest::emit(&unit)?;
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
            passes::verify(module)?;
            passes::optimise(module, machine, code, vector_math)?;
        }
        let device = match target {
            GridTarget::Emulated => {
                DeviceCode::Object(assemble(&on_device, machine, FileType::Object)?)
            }
            GridTarget::Ptx(_) => {
                let text = assemble(&on_device, device_machine, FileType::Assembly)?;
                DeviceCode::Ptx(String::from_utf8_lossy(&text).into_owned())
            }
        };
        Ok(CompiledGrid {
            host: assemble(&on_host, machine, FileType::Object)?,
            device,
            kernels,
        })
    })
}

/// The PTX machine for a compute capability: LLVM takes the lowest version of PTX that knows it.
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
