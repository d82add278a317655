//! The processor that code is made for.

use std::ops::Deref;
use std::sync::{Mutex, OnceLock, PoisonError};

use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple};

use crate::fault::{Fault, Result};
use crate::options::{Cpu, Level, LlvmOptions};
use crate::pipeline::Effort;

/// What is known about this machine, found out once.
pub(crate) struct Host {
    target: Target,
    triple: TargetTriple,
    /// LLVM's name of the processor.
    pub(crate) cpu: String,
    /// Its features, in LLVM's notation.
    pub(crate) features: String,
}

// SAFETY: a target is a pointer to an immutable static of LLVM, and the triple is a string that is only
// read. inkwell has not said so because it does not say so of any type.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

/// This machine.
pub(crate) fn host() -> Result<&'static Host> {
    static HOST: OnceLock<std::result::Result<Host, String>> = OnceLock::new();
    HOST.get_or_init(|| {
        initialize();
        let triple = TargetMachine::get_default_triple();
        Ok(Host {
            target: Target::from_triple(&triple).map_err(|error| error.to_string())?,
            triple,
            cpu: TargetMachine::get_host_cpu_name().to_string(),
            features: TargetMachine::get_host_cpu_features().to_string(),
        })
    })
    .as_ref()
    .map_err(|message| Fault(message.clone()))
}

/// Makes LLVM's code generator for this kind of processor known to LLVM: not its assembler and disassembler, whose tables
/// would be in the binary.
#[cfg(target_arch = "x86_64")]
fn initialize() {
    use llvm_sys::target::{
        LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo, LLVMInitializeX86TargetMC,
    };
    // SAFETY: they enter themselves in LLVM's list of targets; `host` calls this once.
    unsafe {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
    }
}

/// Makes LLVM's code generator for this kind of processor known to LLVM.
#[cfg(target_arch = "aarch64")]
fn initialize() {
    Target::initialize_aarch64(&inkwell::targets::InitializationConfig::default());
}

/// How many doubles the vectors of a processor hold, if lanes of them can be masked well.
pub(crate) fn lanes(cpu: &Cpu) -> Result<Option<u32>> {
    let has = |feature: &str| -> Result<bool> {
        Ok(match cpu {
            Cpu::Host => host()?.features.split(',').any(|it| it.strip_prefix('+') == Some(feature)),
            Cpu::Named(name) => match name.as_str() {
                "x86-64-v4" => true,
                "x86-64-v3" => feature == "avx2",
                _ => false,
            },
        })
    };
    Ok(if has("avx512dq")? && has("avx512vl")? {
        Some(8)
    } else if has("avx2")? {
        Some(4)
    } else {
        None
    })
}

/// How many bytes vectors have.
pub(crate) fn vector(cpu: &Cpu) -> Result<u32> {
    Ok(lanes(cpu)?.map_or(16, |lanes| lanes * 8))
}

/// A code generator that serves one compilation, and then others: making one takes as long as compiling a few lines.
pub(crate) struct Machine(Option<Made>);

struct Made {
    kind: (Cpu, OptimizationLevel),
    machine: TargetMachine,
}

// SAFETY: who has it is the only one that refers to it, and what it knows of processors and passes belongs to no thread
// and to no context.
unsafe impl Send for Made {}

/// Those that nobody uses: at most as many as there were compilations at once.
static IDLE: Mutex<Vec<Made>> = Mutex::new(Vec::new());

impl Deref for Machine {
    type Target = TargetMachine;

    fn deref(&self) -> &TargetMachine {
        &self.0.as_ref().expect("it is given back when this ends").machine
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(self.0.take());
    }
}

/// A code generator as the options say; for large functions one that takes less.
pub(crate) fn machine(options: &LlvmOptions, effort: Effort) -> Result<Machine> {
    let host = host()?;
    let level = match (options.level, effort) {
        (Level::O0, _) | (Level::O3, Effort::Least) => OptimizationLevel::None,
        (Level::O3, Effort::Little) => OptimizationLevel::Less,
        (Level::O3, Effort::Usual) => OptimizationLevel::Default,
    };
    let kind = (options.cpu.clone(), level);
    {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = idle.iter().position(|it| it.kind == kind) {
            return Ok(Machine(Some(idle.swap_remove(found))));
        }
    }
    let (cpu, features) = match &options.cpu {
        Cpu::Host => (host.cpu.as_str(), host.features.as_str()),
        Cpu::Named(name) => (name.as_str(), ""),
    };
    let made = host.target.create_target_machine(&host.triple, cpu, features, level, RelocMode::PIC, CodeModel::Small);
    let machine = made.ok_or_else(|| Fault(format!("no code generator for {} on {cpu}", host.triple)))?;
    Ok(Machine(Some(Made { kind, machine })))
}
