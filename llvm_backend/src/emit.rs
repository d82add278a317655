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
use crate::options::{Level, LlvmOptions};
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

/// The machine code of a source: an object file whose entry is called [`jit::ENTRY`], and what it calls.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) files: Vec<Arc<[u8]>>,
    /// The keys of those that were made before.
    pub(crate) kept: Vec<Key>,
}

/// The machine code of a source: that of its nests by itself, which is written in vectors and asks for little.
pub(crate) fn objects(source: &Source<'_>, options: &LlvmOptions, cache: Option<&ObjectCache>) -> Result<Objects> {
    let llcx = Context::create();
    let (module, shape) = begun(source, &llcx, options, jit::ENTRY, false)?;
    let mut objects = Objects::default();
    if options.level != Level::O0
        && let Some(nests) = passes::split(&module, &lower::helpers(jit::ENTRY))
    {
        objects.add(&nests, Some(pipeline::NESTS), Effort::Usual, options, cache)?;
    }
    let passes = pipeline::passes(options.level, shape);
    objects.add(&module, passes.as_deref(), shape.effort(), options, cache)?;
    Ok(objects)
}

impl Objects {
    fn add(
        &mut self,
        module: &LlvmModule<'_>,
        passes: Option<&str>,
        effort: Effort,
        options: &LlvmOptions,
        cache: Option<&ObjectCache>,
    ) -> Result<()> {
        let machine = target::machine(options, effort)?;
        let key = cache.map(|_| {
            let effort = format!("{:?} {effort:?}", options.level);
            self::key(module, passes.unwrap_or_default(), &machine, &effort)
        });
        if let Some(found) = cache.zip(key).and_then(|(cache, key)| cache.find(&key)) {
            self.files.push(found);
            self.kept.extend(key);
            return Ok(());
        }
        optimise(module, passes, &machine)?;
        let object: Arc<[u8]> = machine.write_to_memory_buffer(module, FileType::Object)?.as_slice().into();
        if let Some((cache, key)) = cache.zip(key) {
            cache.keep(&key, &object);
        }
        self.files.push(object);
        Ok(())
    }
}

/// A source as text.
pub(crate) fn text(source: &Source<'_>, options: &LlvmOptions, form: Form) -> Result<String> {
    let _stay = shutdown::enter();
    let llcx = Context::create();
    let (module, shape) = begun(source, &llcx, options, "entry", true)?;
    let machine = target::machine(options, shape.effort())?;
    optimise(&module, pipeline::passes(options.level, shape).as_deref(), &machine)?;
    match form {
        Form::Llvm => Ok(module.print_to_string().to_string()),
        Form::Asm => assembly(&module, &machine),
    }
}

/// A source written as a module, before LLVM's passes, and its shape.
fn begun<'ctx>(
    source: &Source<'_>,
    llcx: &'ctx Context,
    options: &LlvmOptions,
    entry: &str,
    named: bool,
) -> Result<(LlvmModule<'ctx>, Shape)> {
    // All of them lay out data alike.
    let any = target::machine(options, Effort::Usual)?;
    let vector = target::vector(&options.cpu)?;
    let style = Style {
        machine: &any,
        entry,
        fast: options.fast,
        device: false,
        vector,
        leaves_nests: options.leaves_nests,
        named,
    };
    let module = source.write(llcx, &style)?;
    let shape = source.shape(&module);
    Ok((module, shape))
}

/// What the code of a module follows from, before LLVM's passes; `what` says which code.
pub(crate) fn key(module: &LlvmModule<'_>, passes: &str, machine: &TargetMachine, what: &str) -> Key {
    Key::of(&[
        module.write_bitcode_to_memory().as_slice(),
        passes.as_bytes(),
        passes::SOURCE,
        machine.get_triple().as_str().to_bytes(),
        machine.get_cpu().to_bytes(),
        machine.get_feature_string().to_bytes(),
        what.as_bytes(),
        passes::llvm_version().as_bytes(),
    ])
}

/// A module in the machine's assembly language.
pub(crate) fn assembly(module: &LlvmModule<'_>, machine: &TargetMachine) -> Result<String> {
    let text = machine.write_to_memory_buffer(module, FileType::Assembly)?;
    let text = text.as_slice().strip_suffix(b"\0").unwrap_or(text.as_slice());
    String::from_utf8(text.to_vec()).map_err(|error| Fault(format!("LLVM wrote assembly that is no text: {error}")))
}

fn optimise(module: &LlvmModule<'_>, passes: Option<&str>, machine: &TargetMachine) -> Result<()> {
    if cfg!(debug_assertions) {
        module.verify().map_err(|error| Fault(format!("this is a bug in snekpy: {error}\n{}", module.to_string())))?;
    }
    passes.map_or(Ok(()), |passes| passes::run(module, passes, machine))
}
