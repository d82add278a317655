//! A differentiated call that did not return. It has no plain continuation: its exits carry what they raise.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{PyResult, VirtualMachine};
use snekpy_stage::backend::{Outcome, Trap};
use snekpy_stage::entity::Entity;

use super::Ran;
use super::leave::Left;
use crate::exit::{Ending, ExitKind, Filling, HostKind, Operation, Template};
use crate::flatten::Inputs;
use crate::host::traceback::raise_context;
use crate::raising::add_loc;
use crate::specialisation::Specialisation;
use crate::staging_error::bug;

/// Of so many nested calls that an exception leaves, the places are kept for its traceback.
const MAX_UNWOUND: usize = 4096;

/// What such a call means.
#[cold]
pub(super) fn leave(
    left: Left<'_>,
    specialisation: &Specialisation,
    locals: &[Option<rustpython_vm::PyObjectRef>],
    inputs: &Inputs,
    vm: &VirtualMachine,
) -> PyResult<Ran> {
    let Left { status, payload, unwound, ending, noted, objects, .. } = left;
    let captured = &specialisation.captured;
    let payload = unwound.innermost().unwrap_or(payload);
    let filling = Filling::new(vm, payload, locals, &inputs.arrays, inputs.table.as_deref());
    let filling = filling.seeing(inputs).with(objects);
    let (exception, loc) = match status.outcome() {
        Outcome::Returned => return Err(bug(vm, "a call returned twice")),
        Outcome::Exit(exit, loc) => match &captured.exits[exit.index()] {
            ExitKind::Return { result, effects } => {
                let result = filling.make(result)?;
                filling.apply(effects)?;
                return Ok(Ran::Done(result));
            }
            ExitKind::Raise { exception: template, effects } => {
                let object = filling.make(template)?;
                filling.apply(effects)?;
                let exception = object.downcast().map_err(|_| bug(vm, "what is raised is no exception"))?;
                (exception, if has_trail(template) { None } else { loc })
            }
            ExitKind::Again { operation: Operation::Call(callable), operands, effects } => {
                let operands = filling.make_all(operands)?;
                let outcome = callable.call(operands, vm);
                filling.apply(effects)?;
                match outcome {
                    Err(exception) => (exception, loc),
                    Ok(value) => {
                        let class = value.class().name().to_string();
                        let message = format!("an operation gives a `{class}` in a call that is differentiated");
                        (vm.new_type_error(message), loc)
                    }
                }
            }
            ExitKind::Resume(_) | ExitKind::Checkpoint(_) | ExitKind::Restart(_) | ExitKind::Failure => {
                return Err(bug(vm, "a differentiated call has left for plain Python"));
            }
        },
        Outcome::Trap(trap, _, loc) => {
            if let Some((number, slots)) = &noted
                && let HostKind::Note { effects } = &captured.hosts[*number as usize]
            {
                let filling = Filling::new(vm, slots, locals, &inputs.arrays, inputs.table.as_deref());
                filling.seeing(inputs).with(objects).apply(effects)?;
            }
            (trapped(trap, ending, vm), loc)
        }
    };
    if exception.__context__().is_none() {
        raise_context(&exception, vm);
    }
    for loc in std::iter::once(loc).chain(unwound.places().take(MAX_UNWOUND)) {
        add_loc(&exception, loc, &captured.module.locs, &captured.sites, vm);
    }
    Err(exception)
}

fn trapped(trap: Trap, ending: Ending, vm: &VirtualMachine) -> PyBaseExceptionRef {
    match (trap, ending) {
        (Trap::HostFailed | Trap::Interrupted, Ending::Raise(exception)) => exception,
        (Trap::Overflow, _) | (Trap::HostFailed, Ending::Give(_) | Ending::Again) => {
            vm.new_overflow_error("integer result does not fit in 64 bits, in a call that is differentiated")
        }
        (Trap::Memory, _) => vm.new_exception_empty(vm.ctx.exceptions.memory_error.to_owned()),
        (Trap::Depth, _) => vm.new_recursion_error("maximum recursion depth exceeded".to_owned()),
        (Trap::HostFailed | Trap::Interrupted | Trap::Required, _) => {
            bug(vm, "a differentiated call was stopped by nobody")
        }
    }
}

/// Whether the exception gets the places where it was raised from its template.
fn has_trail(template: &Template) -> bool {
    match template {
        Template::Exception(exception) => !exception.raised_at.is_empty(),
        Template::Shared { make: Some(make), .. } => has_trail(make),
        _ => false,
    }
}
