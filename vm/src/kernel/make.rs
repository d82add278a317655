//! From a Python function to a kernel.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustpython_vm::builtins::{PyFloat, PyInt};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::backend::BackendError;
use snekpy_stage::entity::{Entity, HostId, Loc};
use snekpy_stage::ir::{LocData, Module};
use snekpy_stage::kernel::{Fault, Form, Inputs, Kernel, KernelBackend, KernelCode, flatten, verify};
use snekpy_stage::sizes::{self, Sizes};
use snekpy_stage::tensor::{Dtype, Tensor};
use snekpy_stage::types::{ArrayType, Elem, TensorType, Type};

use super::launch::typecode;
use super::results::Results;
use super::{Request, arrays};
use crate::callable::name_of;
use crate::config;
use crate::exit::HostKind;
use crate::host::array::array_elem;
use crate::refusal::{Place, Refusal};
use crate::specialisation::Specialisation;
use crate::staged::{StageOptions, Staged, as_staged};
use crate::staging_error;
use crate::staging_error::bug;

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
    /// Whether its results are arrays of the library.
    pub(super) gives_arrays: bool,
    /// The sizes that are inputs behind the arguments.
    sizes: Vec<usize>,
    /// The arrays that the function reads besides, which are inputs behind those.
    pub(super) worlds: Vec<PyObjectRef>,
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
    dtype: Option<Dtype>,
    target: String,
    fast: bool,
    is_sum: bool,
}

/// The kernels that an interpreter keeps, the newest first.
#[derive(Default)]
struct Kernels(PyMutex<Vec<Arc<Made>>>);

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("types", &self.key.types).field("target", &self.key.target).finish_non_exhaustive()
    }
}

impl Made {
    /// A kernel for these arguments: one that was made before, if what it read is what it was.
    pub(super) fn known(request: &Request, vm: &VirtualMachine) -> PyResult<Arc<Self>> {
        let signatures = Signatures::of(request, vm)?;
        let kernels = config::kept(vm, || Ok(Kernels::default()))?;
        let found = kernels.0.lock().iter().find(|it| it.key.fits(request, &signatures)).cloned();
        if let Some(found) = found
            && found.is_current(vm)
        {
            return Ok(found);
        }
        let made = Arc::new(Self::new(request, vm)?);
        let mut kept = kernels.0.lock();
        kept.retain(|it| !it.key.fits(request, &signatures));
        kept.insert(0, Arc::clone(&made));
        kept.truncate(KEPT);
        Ok(made)
    }

    /// Whether it takes these arguments and the world holds what was captured.
    pub(super) fn fits(&self, request: &Request, vm: &VirtualMachine) -> PyResult<bool> {
        Ok(self.key.fits(request, &Signatures::of(request, vm)?) && self.is_current(vm))
    }

    /// What the sizes are that are inputs, for these arguments.
    pub(super) fn sizes(&self, request: &Request) -> Vec<u64> {
        let sizes = named(request).1;
        self.sizes.iter().map(|&size| sizes.at(size).unwrap_or(size) as u64).collect()
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
        let Signatures { later, exact } = Signatures::of(request, vm)?;
        let began = Instant::now();
        let staged = match as_staged(&request.func) {
            Some(staged) => staged,
            None => Staged::new(request.func.clone(), StageOptions::default(), vm)?.into_ref(&vm.ctx),
        };
        let of_any = match &later {
            Some((types, sizes)) => staged.for_kernel(types, *sizes, vm)?.map(|made| (types.clone(), made)),
            None => None,
        };
        let (types, specialisation) = match of_any {
            Some(made) => made,
            None => {
                let made = staged.for_kernel(&exact, Sizes::default(), vm)?;
                (exact, made.ok_or_else(|| bug(vm, "all sizes are known"))?)
            }
        };
        let refused = |refusal: Box<Refusal>| staging_error::raise(&refusal, vm);
        let Body { kernel, is_tuple, sizes, worlds, has_elements } =
            kernel_of(request, &specialisation, vm).map_err(refused)?;
        let is_map = matches!(kernel.form, Form::Map(_));
        let is_of_arrays = has_elements || request.args.iter().any(|it| arrays::of(it).is_some());
        let gives_arrays = is_map && (is_of_arrays || kernel.outputs().iter().any(|it| typecode(*it).is_none()));
        Ok(Self {
            gives_arrays,
            sizes,
            worlds,
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
    fn fits(&self, request: &Request, signatures: &Signatures) -> bool {
        let is_of_any = signatures.later.as_ref().is_some_and(|(types, _)| self.types == *types);
        self.func.is(&request.func)
            && (is_of_any || self.types == signatures.exact)
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
struct Signatures {
    /// With the sizes of arrays known later, if there are any that could be.
    later: Option<(Vec<Type>, Sizes)>,
    /// With the sizes that they have.
    exact: Vec<Type>,
}

impl Signatures {
    fn of(request: &Request, vm: &VirtualMachine) -> PyResult<Self> {
        let mut exact = vec![Type::I64; request.shape.len()];
        for (position, arg) in request.args.iter().enumerate() {
            exact.push(type_of(arg, vm).ok_or_else(|| {
                let class = arg.class().name().to_string();
                let position = position + 1;
                let message =
                    format!("argument {position} of a kernel must be a bool, int, float or array, not {class}");
                vm.new_type_error(message)
            })?);
        }
        let (names, sizes) = named(request);
        let mut later = exact.clone();
        for (ty, name) in later[request.shape.len()..].iter_mut().zip(names) {
            if let (Type::Tensor(it), Some(dims)) = (&mut *ty, name) {
                *ty = Type::Tensor(TensorType::new(it.dtype, &dims));
            }
        }
        Ok(Self { later: (!sizes.is_empty()).then_some((later, sizes)), exact })
    }
}

/// For each argument that is an array of the library the names of its sizes, and what these are. There are none if one
/// that has no name could be taken for one.
fn named(request: &Request) -> (Vec<Option<Vec<usize>>>, Sizes) {
    /// With more axes, there would be more elements than a number counts.
    const MOST_AXES: usize = 2;
    let mut sizes = Sizes::default();
    let mut is_clear = true;
    let mut names_of = |tensor: &Tensor| {
        let mut left = MOST_AXES;
        let mut name = |&size: &usize| {
            let name = if left > 0 { sizes.name_of_any(size) } else { None };
            left -= usize::from(name.is_some());
            is_clear &= name.is_some() || !sizes::is_later(size);
            name.unwrap_or(size)
        };
        tensor.dims().iter().map(&mut name).collect()
    };
    let names = request.args.iter().map(|arg| arrays::of(arg).map(&mut names_of)).collect();
    (names, if is_clear { sizes } else { Sizes::default() })
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
    if let Some(tensor) = arrays::of(arg) {
        // Wherever it lies, the body reads elements of it.
        return Some(Type::Tensor(TensorType::new(tensor.dtype(), tensor.dims())));
    }
    array_elem(arg, vm).map(|(elem, _)| Type::Array(ArrayType { elem, len: None }))
}

/// What becomes of a captured function.
struct Body {
    kernel: Kernel,
    /// Whether it gives a tuple.
    is_tuple: bool,
    /// The sizes that are inputs behind the arguments.
    sizes: Vec<usize>,
    /// The arrays that it reads besides, behind those.
    worlds: Vec<PyObjectRef>,
    /// Whether elements of arrays are among its results.
    has_elements: bool,
}

/// The kernel of a captured function.
fn kernel_of(request: &Request, specialisation: &Specialisation, vm: &VirtualMachine) -> Result<Body, Box<Refusal>> {
    let captured = &specialisation.captured;
    let name = name_of(&request.func, vm);
    let refuse = |what: String| {
        let message = format!("`{name}` {what}, which a kernel cannot");
        Box::new(
            Refusal::new("S430", message).help("compute one number, or a tuple of numbers, from numbers and arrays"),
        )
    };
    if let Some((host, data)) = captured.module.hosts.iter().find(|(_, data)| data.tensor.is_none()) {
        let is_tick = matches!(captured.hosts[host.index()], HostKind::Tick);
        return Err(refuse(if is_tick { "is to count ticks".to_owned() } else { format!("calls `{}`", data.name) }));
    }
    let fault_of = |module: &Module, fault: &Fault| {
        let mut refusal = refuse(String::new());
        refusal.message = format!("{}, which a kernel cannot", fault.message.replace(", which no kernel has", ""));
        let loc = fault.inst.and_then(|(func, inst)| module.funcs[func].insts[inst].loc);
        refusal.places = places(module, loc);
        refusal
    };
    let mut module = captured.module.clone();
    let results = Results::of(captured, vm).map_err(|what| match flatten(&mut module) {
        // What is an array because the library has computed it.
        Err(fault) => fault_of(&module, &fault),
        Ok(_) => refuse(what.to_owned()),
    })?;
    let several = || refuse("gives results of several types".to_owned());
    let types = results.return_all(&mut module).ok_or_else(several)?;
    if !results.are_alike() && !request.is_sum && request.dtype.is_none() {
        // Which of them plain Python would meet first depends on the indices.
        return Err(Box::new(several().help("say as what it is to be stored: `dtype=\"float32\"`")));
    }
    let form = if request.is_sum {
        if results.is_tuple {
            return Err(refuse("returns a tuple to add up".to_owned()));
        }
        Form::Sum
    } else {
        let stored = |natural: Elem| match request.dtype.map(Dtype::elem) {
            None => Ok(natural),
            Some(elem) if elem.value_type() == natural.value_type() => Ok(elem),
            Some(elem) => Err(refuse(format!("gives {}, to be stored as {}", natural.text(), elem.text()))),
        };
        let elems: Vec<Elem> = results.elems(&types).into_iter().map(stored).collect::<Result<_, _>>()?;
        results.check_range(&mut module, &elems);
        Form::Map(elems)
    };
    let Inputs { sizes, worlds } = flatten(&mut module).map_err(|fault| fault_of(&module, &fault))?;
    let world = |host: HostId| match &captured.hosts[host.index()] {
        HostKind::Known(object) => object.clone(),
        _ => unreachable!("the host knows what it is"),
    };
    let worlds = worlds.into_iter().map(world).collect();
    let kernel = Kernel::new(module, request.shape.len(), form);
    verify(&kernel).map_err(|faults| fault_of(&kernel.module, &faults.0[0]))?;
    Ok(Body { kernel, is_tuple: results.is_tuple, sizes, worlds, has_elements: results.have_elements() })
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
