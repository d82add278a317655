//! `stage(f, target="cuda")`: a call of `f` with the arrays among its arguments moved to a device.
//!
//! What the function writes to such an argument is copied back when the call has ended, however that was. So arguments that
//! share memory without being one object are refused: each would be moved by itself.

use std::sync::Arc;

use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::tensor::device::{Device, Dry};
use snekpy_stage::tensor::{Tensor, TensorError, cast};

use crate::config;
use crate::refusal::Refusal;
use crate::staging_error;
use crate::tensor;

/// The device that a function is staged for.
#[derive(Clone, Debug)]
pub(crate) struct OnDevice {
    name: String,
}

/// An argument that was moved.
struct Moved {
    object: PyObjectRef,
    there: PyObjectRef,
}

impl OnDevice {
    /// The device of this name; `None` for this machine's processor.
    pub(crate) fn of(name: &str, vm: &VirtualMachine) -> PyResult<Option<Self>> {
        let is_known = (config::config(vm).kernels)(name, false).is_some();
        match name {
            "cpu" => Ok(None),
            _ if is_known => Ok(Some(Self { name: name.to_owned() })),
            _ => {
                Err(vm
                    .new_value_error(format!("no target '{name}': it is 'cpu', 'cuda', 'cuda:1' and so on, or 'simt'")))
            }
        }
    }

    /// Calls a function with arguments that have been moved.
    pub(super) fn call(
        &self,
        mut args: FuncArgs,
        vm: &VirtualMachine,
        call: impl FnOnce(FuncArgs) -> PyResult,
    ) -> PyResult {
        let device = tensor::device(&self.name, vm)?;
        let moved = moved(&device, &mut args, vm)?;
        let result = call(args);
        let back = moved.iter().try_for_each(|it| it.back(vm));
        let result = result?;
        back.map(|()| result)
    }

    /// Arguments as a call would have them, to make code for. A device that this machine has not is thought of.
    pub(super) fn like(&self, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
        let device = match tensor::device(&self.name, vm) {
            Ok(device) => device,
            Err(_) => Dry::of(&self.name),
        };
        moved(&device, args, vm).map(drop)
    }
}

/// Puts copies in the memory of a device in the place of arrays.
fn moved(device: &Arc<dyn Device>, args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<Vec<Moved>> {
    let mut all: Vec<Moved> = Vec::new();
    for arg in args.args.iter_mut().chain(args.kwargs.values_mut()) {
        let is_here = |it: &&Tensor| it.device().is_none() && it.staged().is_none() && it.buf().is_writable();
        let (Some(here), Some(library)) = (tensor::of(arg).filter(is_here), tensor::library()) else { continue };
        if let Some(known) = all.iter().find(|it| it.object.is(arg)) {
            *arg = known.there.clone();
            continue;
        }
        if all.iter().filter_map(|it| tensor::of(&it.object)).any(|it| it.may_overlap(here)) {
            let refusal =
                Refusal::new("S417", "two arguments share memory, and would be moved to the device one by one");
            return Err(staging_error::raise(&refusal.help("move them by `x.to(device)`, or copy one"), vm));
        }
        let raised = |error: TensorError| library.exception(error, vm);
        let there = library.array(here.to_device(device).map_err(raised)?, vm);
        all.push(Moved { object: std::mem::replace(arg, there.clone()), there });
    }
    Ok(all)
}

impl Moved {
    /// Copies back what was written.
    fn back(&self, vm: &VirtualMachine) -> PyResult<()> {
        let (Some(here), Some(there)) = (tensor::of(&self.object), tensor::of(&self.there)) else { return Ok(()) };
        if !there.is_written_there() {
            return Ok(());
        }
        let written = cast::assign(here, there);
        let library = tensor::library().expect("there are tensors, so there is a library of them");
        written.map_err(|error| library.exception(error, vm))?;
        tensor::raise_pending()
    }
}
