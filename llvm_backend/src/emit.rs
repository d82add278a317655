//! From a module of the IR to an object in memory, or to text.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module as LlvmModule;
use inkwell::targets::FileType;
use snekpy_stage::ir::Module;

use crate::fault::{Fault, Result};
use crate::lower::{self, Style};
use crate::options::LlvmOptions;
use crate::pipeline::{self, Shape};
use crate::{passes, shutdown, target};

/// A form that people read.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// LLVM's IR after optimisation.
    Llvm,
    /// Assembly.
    Asm,
}

/// The machine code of a module, as an object file whose entry has this name.
pub(crate) fn object(ir: &Module, options: &LlvmOptions, entry: &str) -> Result<MemoryBuffer<'static>> {
    let llcx = Context::create();
    let shape = Shape::of(ir, lower::has_loops);
    let machine = target::machine(options, shape.effort())?;
    let style = Style { machine: &machine, entry, fast: options.fast, device: false, named: false };
    let module = optimised(&llcx, ir, options, shape, &style)?;
    Ok(machine.write_to_memory_buffer(&module, FileType::Object)?)
}

/// The module as text.
pub(crate) fn text(ir: &Module, options: &LlvmOptions, form: Form) -> Result<String> {
    let _stay = shutdown::enter();
    let llcx = Context::create();
    let shape = Shape::of(ir, lower::has_loops);
    let machine = target::machine(options, shape.effort())?;
    let style = Style { machine: &machine, entry: "entry", fast: options.fast, device: false, named: true };
    let module = optimised(&llcx, ir, options, shape, &style)?;
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

fn optimised<'ctx>(
    llcx: &'ctx Context,
    ir: &Module,
    options: &LlvmOptions,
    shape: Shape,
    style: &Style<'_>,
) -> Result<LlvmModule<'ctx>> {
    let module = lower::module(llcx, ir, style)?;
    if cfg!(debug_assertions) {
        module.verify().map_err(|error| Fault(format!("this is a bug in snekpy: {error}\n{}", module.to_string())))?;
    }
    if let Some(passes) = pipeline::passes(options.level, shape) {
        passes::run(&module, &passes, style.machine)?;
    }
    Ok(module)
}
