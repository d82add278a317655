//! Compiled functions as plain Rust values.
//!
//! A [`Compiled`] is the code of a staged function for given types of arguments. It holds nothing of the
//! VM: any thread may call it, several at once, with no interpreter and no lock. What it read from the
//! world (globals, closures) is what it was when the handle was made; of an array, which one it was.

mod arrays;
mod error;
mod guarded;
#[cfg(test)]
mod tests;
mod typed;

use std::fmt;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::Arc;

use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::backend::{Code, Context, Outcome, Status, Trap};
use snekpy_stage::entity::Entity;
use snekpy_stage::ir::Module;
use snekpy_stage::op::{Acts, Op};
use snekpy_stage::tensor::Tensor;
use snekpy_stage::types::Type;

use crate::exit::Template;
use crate::refusal::Refusal;
use crate::scalar;
use crate::specialisation::Specialisation;
use crate::staged::{StageOptions, Staged, as_staged};
use crate::{staging_error, tensor};

use arrays::{Host, Table};

pub use error::{CallError, CallPlace};
pub use typed::{Output, Scalar, Signature, SignatureError, Typed};

/// Payloads up to this size need no allocation.
const SMALL_PAYLOAD: usize = 32;
/// So many slots of results a handle has room for.
const MAX_RESULTS: usize = 8;

/// The code of a staged function for given types of arguments.
#[derive(Clone)]
pub struct Compiled {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    code: Arc<dyn Code>,
    params: Vec<Type>,
    result: Plan,
    result_slots: usize,
    payload_slots: usize,
    errors: error::Errors,
    guard: guarded::Guard,
    /// The functions of the host that it calls: for arrays, and to count ticks.
    hosts: Vec<Host>,
    host_slots: Vec<usize>,
    /// Whether arrays are among what it takes and works on.
    has_arrays: bool,
    /// Whether it may write to arrays.
    writes: bool,
}

/// A value that goes into or comes out of a compiled function.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `None`.
    None,
    /// A bool.
    Bool(bool),
    /// An int.
    I64(i64),
    /// A float.
    F64(f64),
    /// A tuple.
    Tuple(Vec<Value>),
    /// An array, which shares its memory with others.
    Array(Array),
}

/// An array. Two are equal if they are the same elements of the same memory.
#[derive(Clone, Debug)]
pub struct Array(pub Tensor);

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same_view(&other.0)
    }
}

/// How a result is made, with no VM.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Plan {
    Known(Value),
    Leaf { slot: usize, ty: Type },
    Tuple(Vec<Plan>),
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compiled({}", self.inner.name)?;
        for ty in &self.inner.params {
            write!(f, ", {ty}")?;
        }
        f.write_str(")")
    }
}

/// Compiles a function for arguments of these types and gives its code.
///
/// `func` is a function or a staged one. Parameters without a type here have their defaults.
///
/// # Errors
/// `StagingError` when it cannot be staged, or needs the VM: it calls functions of the host (`print`, say),
/// changes objects, or returns something other than numbers, `None` and tuples of those.
pub fn stage_for(func: &PyObjectRef, types: &[Type], vm: &VirtualMachine) -> PyResult<Compiled> {
    let staged = match as_staged(func) {
        Some(staged) => staged,
        None => Staged::new(func.clone(), StageOptions::default(), vm)?.into_ref(&vm.ctx),
    };
    let specialisation = staged.for_types(types, vm)?;
    let name = crate::callable::name_of(func, vm);
    Compiled::new(&specialisation, name, types, vm).map_err(|refusal| staging_error::raise(&refusal, vm))
}

impl Compiled {
    fn new(
        specialisation: &Specialisation,
        name: String,
        types: &[Type],
        vm: &VirtualMachine,
    ) -> Result<Self, Box<Refusal>> {
        let captured = &specialisation.captured;
        let refuse = |what: &str| {
            let message = format!("`{name}` {what}, so it cannot be called without the VM");
            Box::new(Refusal::new("S420", message).help("call the Python function instead"))
        };
        let mut hosts = Vec::new();
        for (host, data) in captured.module.hosts.iter() {
            let made = Host::of(&captured.hosts[host.index()], data);
            hosts.push(made.ok_or_else(|| refuse(&format!("calls `{}`", data.name)))?);
        }
        if !captured.effects.is_empty() {
            return Err(refuse("changes objects"));
        }
        let result = plan(&captured.result, vm).ok_or_else(|| refuse("returns an object"))?;
        if specialisation.result_slots > MAX_RESULTS {
            return Err(refuse(&format!("returns more than {MAX_RESULTS} numbers")));
        }
        let errors = error::Errors::new(captured, vm).ok_or_else(|| refuse("has several kinds of results"))?;
        Ok(Self {
            inner: Arc::new(Inner {
                code: specialisation.code().clone(),
                params: types.to_vec(),
                result,
                result_slots: specialisation.result_slots,
                payload_slots: specialisation.payload_slots,
                errors,
                guard: guarded::Guard::now(),
                has_arrays: hosts.iter().any(|it| !matches!(it, Host::Tick))
                    || types.iter().any(|it| matches!(it, Type::Tensor(_))),
                host_slots: specialisation.host_slots.clone(),
                writes: writes(&captured.module),
                hosts,
                name,
            }),
        })
    }

    /// The types of the parameters.
    pub fn params(&self) -> &[Type] {
        &self.inner.params
    }

    /// Calls it.
    ///
    /// # Errors
    /// A [`CallError`] for what would be an exception in Python, and for arguments of other types than it
    /// was compiled for.
    pub fn call(&self, args: &[Value]) -> Result<Value, CallError> {
        let inner = &*self.inner;
        if args.len() != inner.params.len() {
            let message = format!("{} takes {} arguments, not {}", inner.name, inner.params.len(), args.len());
            return Err(CallError::new("TypeError", message));
        }
        let mut slots = Vec::with_capacity(args.len());
        let table = inner.has_arrays.then(Table::default);
        for (index, (arg, ty)) in args.iter().zip(&inner.params).enumerate() {
            slots.push(match (arg, ty) {
                (Value::Bool(it), Type::Bool) => u64::from(*it),
                (Value::I64(it), Type::I64) => it.cast_unsigned(),
                (Value::F64(it), Type::F64) => it.to_bits(),
                (Value::Array(Array(it)), Type::Tensor(ty)) if tensor::type_of(it) == *ty => {
                    if it.device().is_some() || inner.writes && !it.buf().is_writable() {
                        let message =
                            format!("argument {} of {} may only be read, or lies on a device", index + 1, inner.name);
                        return Err(CallError::new("ValueError", message));
                    }
                    table.as_ref().map_or(0, |table| table.give(it.clone()))
                }
                _ => {
                    let message = format!("argument {} of {} has the type {ty}", index + 1, inner.name);
                    return Err(CallError::new("TypeError", message));
                }
            });
        }
        let mut results = [0; MAX_RESULTS];
        // SAFETY: the slots are those of the parameters: as many, each of its type.
        unsafe { inner.run(&slots, &mut results, table.as_ref())? };
        Ok(inner.result.make(&results, table.as_ref()))
    }
}

impl Inner {
    /// # Safety
    /// `args` are the slots of the parameters.
    #[inline]
    unsafe fn run(
        &self,
        args: &[u64],
        results: &mut [u64; MAX_RESULTS],
        table: Option<&Table>,
    ) -> Result<(), CallError> {
        debug_assert!(self.result_slots <= MAX_RESULTS);
        if self.payload_slots > SMALL_PAYLOAD {
            let mut payload = vec![0; self.payload_slots];
            // SAFETY: passed on; the payload has room for that of any exit.
            return unsafe { self.run_with(args, results, payload.as_mut_ptr(), table) };
        }
        let mut payload = [const { MaybeUninit::<u64>::uninit() }; SMALL_PAYLOAD];
        // SAFETY: as above.
        unsafe { self.run_with(args, results, payload.as_mut_ptr().cast(), table) }
    }

    /// # Safety
    /// `args` are the slots of the parameters, `payload` has room for that of any exit.
    #[inline]
    unsafe fn run_with(
        &self,
        args: &[u64],
        results: &mut [u64; MAX_RESULTS],
        payload: *mut u64,
        table: Option<&Table>,
    ) -> Result<(), CallError> {
        let mut cx = ManuallyDrop::new(Context { payload, ..Context::detached(&mut []) });
        // SAFETY: the caller's promise; there is room for as many results as there may be.
        let status = self.guard.watch(&mut cx, table.map(|it| (it, self)), |cx| unsafe {
            self.code.run(cx, args.as_ptr(), results.as_mut_ptr())
        });
        if cx.owns_memory() {
            // SAFETY: it is not used again.
            unsafe { ManuallyDrop::drop(&mut cx) }
        }
        match status.0 as u32 {
            Status::RETURNED => Ok(()),
            // SAFETY: code that ends with another status has written the payload of its exit.
            _ => Err(unsafe { self.failed(status, payload, table) }),
        }
    }

    /// # Safety
    /// A call with this payload ended with this status.
    #[cold]
    unsafe fn failed(&self, status: Status, payload: *const u64, table: Option<&Table>) -> CallError {
        // SAFETY: the caller's promise.
        let error = unsafe { self.errors.make(status, payload) };
        match status.outcome() {
            Outcome::Trap(Trap::Interrupted, ..) => self.guard.say(error),
            Outcome::Trap(Trap::HostFailed, ..) => match table {
                Some(table) => table.failure(error),
                None => error,
            },
            Outcome::Returned | Outcome::Exit(..) | Outcome::Trap(..) => error,
        }
    }
}

impl Plan {
    fn make(&self, slots: &[u64], table: Option<&Table>) -> Value {
        match self {
            Self::Known(value) => value.clone(),
            Self::Leaf { slot, ty } => value_of(slots[*slot], *ty, table),
            Self::Tuple(items) => Value::Tuple(items.iter().map(|item| item.make(slots, table)).collect()),
        }
    }
}

/// Whether code may write to arrays.
fn writes(module: &Module) -> bool {
    module.ops().any(|op| matches!(op, Op::Tensor(_, Acts::Writes)))
}

/// The value in a slot.
fn value_of(bits: u64, ty: Type, table: Option<&Table>) -> Value {
    match ty {
        Type::Bool => Value::Bool(bits != 0),
        Type::I64 => Value::I64(bits.cast_signed()),
        Type::F64 => Value::F64(f64::from_bits(bits)),
        Type::Tensor(_) => {
            let found = table.and_then(|table| table.get(bits));
            Value::Array(Array(found.expect("code that has arrays has a table of them")))
        }
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) => unreachable!("a plan has none"),
    }
}

/// How to make a result with no VM, if that is possible.
pub(crate) fn plan(template: &Template, vm: &VirtualMachine) -> Option<Plan> {
    match template {
        Template::Leaf { slot, ty } if ty.is_scalar() || matches!(ty, Type::Tensor(_)) => {
            Some(Plan::Leaf { slot: *slot, ty: *ty })
        }
        Template::Static(object) if vm.is_none(object) => Some(Plan::Known(Value::None)),
        Template::Static(object) => match object.downcast_ref::<rustpython_vm::builtins::PyTuple>() {
            Some(tuple) => {
                let items = tuple.as_slice().iter().map(|item| plan(&Template::Static(item.clone()), vm));
                items.collect::<Option<_>>().map(Plan::Tuple)
            }
            None => {
                let constant = scalar::constant(object, vm)?;
                Some(Plan::Known(match constant {
                    snekpy_stage::op::Const::Bool(it) => Value::Bool(it),
                    snekpy_stage::op::Const::I64(it) => Value::I64(it),
                    snekpy_stage::op::Const::F64(it) => Value::F64(it),
                }))
            }
        },
        Template::Tuple(items) => items.iter().map(|item| plan(item, vm)).collect::<Option<_>>().map(Plan::Tuple),
        _ => None,
    }
}
