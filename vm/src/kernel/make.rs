//! From a Python function to a kernel.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustpython_vm::builtins::{PyFloat, PyInt};
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::backend::BackendError;
use snekpy_stage::entity::{Loc, Value as IrValue};
use snekpy_stage::ir::{LocData, Module, Terminator};
use snekpy_stage::kernel::{Form, Kernel, KernelBackend, KernelCode, verify};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::types::{ArrayType, Elem, Type};

use super::Request;
use crate::config;
use crate::exit::{ExitKind, HostKind};
use crate::handle::{Plan, Value, plan};
use crate::host::array::array_elem;
use crate::refusal::{Place, Refusal};
use crate::specialisation::Specialisation;
use crate::staged::{StageOptions, Staged, as_staged, name_of};
use crate::staging_error;

/// So many kernels an interpreter keeps for `parallel`.
const KEPT: usize = 32;

/// A kernel that was made of a Python function.
pub(crate) struct Made {
    key: Key,
    /// What was captured, with the guards of what was read.
    specialisation: Arc<Specialisation>,
    pub(super) kernel: Kernel,
    pub(super) backend: Arc<dyn KernelBackend>,
    /// Compiled when it first runs, so that a kernel for a machine that is not there can be looked at.
    code: OnceLock<Compiled>,
    /// Whether the function gives a tuple.
    pub(super) is_tuple: bool,
    /// How long it took to capture.
    pub(super) captured: Duration,
}

/// The code, and how long it took to compile.
struct Compiled {
    code: Arc<dyn KernelCode>,
    took: Duration,
}

/// What a kernel was made for.
struct Key {
    func: PyObjectRef,
    types: Vec<Type>,
    rank: usize,
    dtype: Option<Elem>,
    target: String,
    fast: bool,
    is_sum: bool,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("types", &self.key.types).field("target", &self.key.target).finish_non_exhaustive()
    }
}

impl Made {
    /// A kernel for these arguments: one that was made before, if what it read is what it was.
    pub(super) fn known(request: &Request, vm: &VirtualMachine) -> PyResult<Arc<Self>> {
        let types = types_of(request, vm)?;
        let found = config::kernels(vm, |kept| kept.iter().find(|it| it.key.fits(request, &types)).cloned());
        if let Some(found) = found
            && found.is_current(vm)
        {
            return Ok(found);
        }
        let made = Arc::new(Self::new(request, vm)?);
        config::kernels(vm, |kept| {
            kept.retain(|it| !it.key.fits(request, &types));
            kept.insert(0, Arc::clone(&made));
            kept.truncate(KEPT);
        });
        Ok(made)
    }

    /// Whether it takes these arguments and the world holds what was captured.
    pub(super) fn fits(&self, request: &Request, vm: &VirtualMachine) -> PyResult<bool> {
        Ok(self.key.fits(request, &types_of(request, vm)?) && self.is_current(vm))
    }

    fn is_current(&self, vm: &VirtualMachine) -> bool {
        self.specialisation.broken_guard(vm).is_none()
    }

    /// The code.
    pub(super) fn code(&self, vm: &VirtualMachine) -> PyResult<&dyn KernelCode> {
        if let Some(compiled) = self.code.get() {
            return Ok(&*compiled.code);
        }
        let _span = tracing::debug_span!("compile", of = "kernel").entered();
        let began = Instant::now();
        let code = self.backend.compile(&self.kernel).map_err(|error| failed(&error, vm))?;
        Ok(&*self.code.get_or_init(|| Compiled { code, took: began.elapsed() }).code)
    }

    /// How long it took to compile, and what a device took for the last run, as far as there was either.
    pub(super) fn times(&self) -> [Option<Duration>; 2] {
        let compiled = self.code.get();
        [compiled.map(|it| it.took), compiled.and_then(|it| it.code.device_time())]
    }

    /// Captures.
    pub(super) fn new(request: &Request, vm: &VirtualMachine) -> PyResult<Self> {
        let backend = (config::config(vm).kernels)(&request.target, request.fast).ok_or_else(|| {
            let message = format!("no target '{}': it is 'cpu', 'cuda', 'cuda:1' and so on, or 'simt'", request.target);
            vm.new_value_error(message)
        })?;
        let types = types_of(request, vm)?;
        let began = Instant::now();
        let staged = match as_staged(&request.func) {
            Some(staged) => staged,
            None => Staged::new(request.func.clone(), StageOptions::default(), vm)?.into_ref(&vm.ctx),
        };
        let specialisation = staged.for_types(&types, vm)?;
        let refused = |refusal: Box<Refusal>| staging_error::raise(&refusal, vm);
        let (kernel, is_tuple) = kernel_of(request, &specialisation, vm).map_err(refused)?;
        Ok(Self {
            key: Key {
                func: request.func.clone(),
                types,
                rank: request.shape.len(),
                dtype: request.dtype,
                target: request.target.clone(),
                fast: request.fast,
                is_sum: request.is_sum,
            },
            specialisation,
            kernel,
            backend,
            code: OnceLock::new(),
            is_tuple,
            captured: began.elapsed(),
        })
    }
}

impl Key {
    fn fits(&self, request: &Request, types: &[Type]) -> bool {
        self.func.is(&request.func)
            && self.types == types
            && self.rank == request.shape.len()
            && self.dtype == request.dtype
            && self.target == request.target
            && self.fast == request.fast
            && self.is_sum == request.is_sum
    }
}

/// What the machine cannot.
pub(super) fn failed(error: &BackendError, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    vm.new_runtime_error(error.to_string())
}

/// The types of the index and the arguments.
fn types_of(request: &Request, vm: &VirtualMachine) -> PyResult<Vec<Type>> {
    let mut types = vec![Type::I64; request.shape.len()];
    for (position, arg) in request.args.iter().enumerate() {
        types.push(type_of(arg, vm).ok_or_else(|| {
            let class = arg.class().name().to_string();
            let position = position + 1;
            let message = format!("argument {position} of a kernel must be a bool, int, float or array, not {class}");
            vm.new_type_error(message)
        })?);
    }
    Ok(types)
}

fn type_of(arg: &PyObjectRef, vm: &VirtualMachine) -> Option<Type> {
    let class = arg.class();
    if class.is(vm.ctx.types.bool_type) {
        return Some(Type::Bool);
    }
    if arg.downcast_ref_if_exact::<PyInt>(vm).is_some() {
        return Some(Type::I64);
    }
    if arg.downcast_ref_if_exact::<PyFloat>(vm).is_some() {
        return Some(Type::F64);
    }
    if let Some(elem) = super::resident::elem_of(arg) {
        return Some(Type::Array(ArrayType { elem, len: None }));
    }
    array_elem(arg, vm).map(|(elem, _)| Type::Array(ArrayType { elem, len: None }))
}

/// The kernel of a captured function, and whether that gives a tuple.
fn kernel_of(
    request: &Request,
    specialisation: &Specialisation,
    vm: &VirtualMachine,
) -> Result<(Kernel, bool), Box<Refusal>> {
    let captured = &specialisation.captured;
    let name = name_of(&request.func, vm);
    let refuse = |what: String| {
        let message = format!("`{name}` {what}, which a kernel cannot");
        Box::new(
            Refusal::new("S430", message).help("compute one number, or a tuple of numbers, from numbers and arrays"),
        )
    };
    if let Some((_, host)) = captured.module.hosts.iter().next() {
        let is_tick = matches!(captured.hosts.first(), Some(HostKind::Tick));
        return Err(refuse(if is_tick { "is to count ticks".to_owned() } else { format!("calls `{}`", host.name) }));
    }
    if !captured.effects.is_empty() {
        return Err(refuse("changes objects".to_owned()));
    }
    if captured.exits.iter().any(|exit| matches!(exit, ExitKind::Return { .. })) {
        return Err(refuse("gives results of several types".to_owned()));
    }
    let is_tuple = matches!(captured.result, crate::exit::Template::Tuple(_));
    let items = match plan(&captured.result, vm) {
        Some(Plan::Tuple(items)) if !items.is_empty() => items,
        Some(item) => vec![item],
        None => return Err(refuse("returns an object".to_owned())),
    };
    let mut module = captured.module.clone();
    let mut results = Vec::new();
    for item in items {
        results.push(match item {
            Plan::Leaf { slot, ty } if ty.is_scalar() => Source::Result(slot),
            Plan::Leaf { .. } | Plan::Known(Value::Array(_)) => return Err(refuse("returns an array".to_owned())),
            Plan::Known(Value::Bool(it)) => Source::Known(Const::Bool(it)),
            Plan::Known(Value::I64(it)) => Source::Known(Const::I64(it)),
            Plan::Known(Value::F64(it)) => Source::Known(Const::F64(it)),
            Plan::Known(Value::None) => return Err(refuse("returns None".to_owned())),
            Plan::Known(Value::Tuple(_)) | Plan::Tuple(_) => return Err(refuse("returns a nested tuple".to_owned())),
        });
    }
    return_these(&mut module, &results);
    let types = module.funcs[module.main()].results.clone();
    let form = if request.is_sum {
        if is_tuple {
            return Err(refuse("returns a tuple to add up".to_owned()));
        }
        Form::Sum
    } else {
        let stored = |ty: &Type| {
            let natural = match ty {
                Type::Bool => Elem::Bool,
                Type::F64 => Elem::F64,
                Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                    Elem::I64
                }
            };
            match request.dtype {
                None => Ok(natural),
                Some(elem) if elem.value_type() == *ty => Ok(elem),
                Some(elem) => Err(refuse(format!("gives {}, to be stored as {}", natural.text(), elem.text()))),
            }
        };
        Form::Map(types.iter().map(stored).collect::<Result<_, _>>()?)
    };
    let kernel = Kernel::new(module, request.shape.len(), form);
    match verify(&kernel) {
        Ok(()) => Ok((kernel, is_tuple)),
        Err(faults) => {
            let fault = &faults.0[0];
            let what = fault.message.replace(", which no kernel has", "");
            let mut refusal = refuse(String::new());
            refusal.message = format!("{what}, which a kernel cannot");
            let loc = fault.inst.and_then(|(func, inst)| kernel.module.funcs[func].insts[inst].loc);
            refusal.places = places(&kernel.module, loc);
            Err(refusal)
        }
    }
}

/// The places of a location, innermost first.
fn places(module: &Module, loc: Option<Loc>) -> Vec<Place> {
    let chain = std::iter::successors(loc.and_then(|loc| module.locs.lookup(loc)), |data| {
        data.caller.and_then(|caller| module.locs.lookup(caller))
    });
    let place = |data: &LocData| Place {
        file: data.file.to_string(),
        line: data.line,
        column: data.column,
        end: (data.line, data.column),
        func: data.func.to_string(),
    };
    chain.map(place).collect()
}

/// Where a result of the kernel comes from.
enum Source {
    /// The captured function gives it at this position.
    Result(usize),
    /// It is known.
    Known(Const),
}

/// Makes the main function return these.
fn return_these(module: &mut Module, results: &[Source]) {
    let main = module.main();
    let func = &mut module.funcs[main];
    let types = results.iter().map(|source| match source {
        Source::Result(position) => func.results[*position],
        Source::Known(Const::Bool(_)) => Type::Bool,
        Source::Known(Const::I64(_)) => Type::I64,
        Source::Known(Const::F64(_)) => Type::F64,
    });
    let types: Vec<Type> = types.collect();
    for block in func.blocks.keys().collect::<Vec<_>>() {
        let Terminator::Return(given) = func.blocks[block].term.clone() else { continue };
        let loc = func.blocks[block].term_loc;
        let values = results.iter().zip(&types).map(|(source, &ty)| match source {
            Source::Result(position) => given[*position],
            Source::Known(constant) => {
                let inst = func.make_inst(Op::Const(*constant), Vec::new(), &[ty], loc);
                func.blocks[block].insts.push(inst);
                func.insts[inst].results[0]
            }
        });
        let values: Vec<IrValue> = values.collect();
        func.blocks[block].term = Terminator::Return(values);
    }
    func.results = types;
}
