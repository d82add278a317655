//! From a module or kernel of the IR to an object in memory, or to text.

use std::sync::Arc;

use inkwell::context::Context;
use inkwell::module::Module as LlvmModule;
use inkwell::targets::{FileType, TargetMachine};
use snekpy_stage::ir::Module;
use snekpy_stage::kernel::Kernel;

use crate::cache::{Key, ObjectCache};
use crate::fault::{Fault, Result};
use crate::lower::lanes::Plan;
use crate::lower::{self, Style};
use crate::options::LlvmOptions;
use crate::pipeline::{self, Effort, Shape};
use crate::{jit, passes, shutdown, target};

/// What machine code is made of.
pub(crate) enum Source<'a> {
    /// A module.
    Module(&'a Module),
    /// The loop over a kernel's body, several positions beside each other.
    Lanes(&'a Kernel, &'a Plan),
}

impl Source<'_> {
    fn shape(&self, written: &LlvmModule<'_>) -> Shape {
        match self {
            Self::Module(module) => Shape::of(module, written, lower::has_loops),
            Self::Lanes(kernel, _) => Shape { lanes: true, ..Shape::of(&kernel.module, written, |_| true) },
        }
    }

    fn write<'ctx>(&self, llcx: &'ctx Context, style: &Style<'_>) -> Result<LlvmModule<'ctx>> {
        match self {
            Self::Module(module) => lower::module(llcx, module, style),
            Self::Lanes(kernel, plan) => lower::lanes::module(llcx, kernel, plan, style),
        }
    }
}

/// A form that people read.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// LLVM's IR after optimisation.
    Llvm,
    /// Assembly.
    Asm,
}

/// The machine code of a source, as an object file whose entry is called [`jit::ENTRY`], and its key if it was made before.
pub(crate) fn object(
    source: &Source<'_>,
    options: &LlvmOptions,
    cache: Option<&ObjectCache>,
) -> Result<(Arc<[u8]>, Option<Key>)> {
    let llcx = Context::create();
    // All of them lay out data alike.
    let machine = target::machine(options, Effort::Usual)?;
    let style = Style { machine: &machine, entry: jit::ENTRY, fast: options.fast, device: false, named: false };
    let module = source.write(&llcx, &style)?;
    let shape = source.shape(&module);
    let machine = target::machine(options, shape.effort())?;
    let passes = pipeline::passes(options.level, shape);
    let key = cache.map(|_| {
        let (cpu, features) = (machine.get_cpu(), machine.get_feature_string().to_bytes());
        let effort = format!("{:?} {:?}", options.level, shape.effort());
        Key::of(&[
            module.write_bitcode_to_memory().as_slice(),
            passes.as_deref().unwrap_or_default().as_bytes(),
            passes::SOURCE,
            machine.get_triple().as_str().to_bytes(),
            cpu.to_bytes(),
            features,
            effort.as_bytes(),
            passes::llvm_version().as_bytes(),
        ])
    });
    if let Some(found) = cache.zip(key).and_then(|(cache, key)| cache.find(&key)) {
        return Ok((found, key));
    }
    optimise(&module, passes.as_deref(), &machine)?;
    let object: Arc<[u8]> = machine.write_to_memory_buffer(&module, FileType::Object)?.as_slice().into();
    if let Some((cache, key)) = cache.zip(key) {
        cache.keep(&key, &object);
    }
    Ok((object, None))
}

/// A source as text.
pub(crate) fn text(source: &Source<'_>, options: &LlvmOptions, form: Form) -> Result<String> {
    let _stay = shutdown::enter();
    let llcx = Context::create();
    let machine = target::machine(options, Effort::Usual)?;
    let style = Style { machine: &machine, entry: "entry", fast: options.fast, device: false, named: true };
    let module = source.write(&llcx, &style)?;
    let shape = source.shape(&module);
    let machine = target::machine(options, shape.effort())?;
    optimise(&module, pipeline::passes(options.level, shape).as_deref(), &machine)?;
    match form {
        Form::Llvm => Ok(module.print_to_string().to_string()),
        Form::Asm => {
            let text = machine.write_to_memory_buffer(&module, FileType::Assembly)?;
            let text = text.as_slice().strip_suffix(b"\0").unwrap_or(text.as_slice());
            String::from_utf8(text.to_vec())
                .map_err(|error| Fault(format!("LLVM wrote assembly that is no text: {error}")))
        }
    }
}

fn optimise(module: &LlvmModule<'_>, passes: Option<&str>, machine: &TargetMachine) -> Result<()> {
    if cfg!(debug_assertions) {
        module.verify().map_err(|error| Fault(format!("this is a bug in snekpy: {error}\n{}", module.to_string())))?;
    }
    passes.map_or(Ok(()), |passes| passes::run(module, passes, machine))
}
