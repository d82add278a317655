//! What the copies of functions call: calls and operators that let Python functions run as copies, too.
//!
//! They do what the evaluator of RustPython does. Where that is done by native code, it is left to native code:
//! what is called from there cannot be suspended.

use std::sync::OnceLock;

use rustpython_vm::builtins::PyType;
use rustpython_vm::bytecode::oparg::{BinaryOperator, SpecialMethod};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, GetAttr, PyTypeFlags, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::{ask, is_token, leave_step, suspendable, token};
use crate::host::function::{is_function, unpack_bound_method};
use crate::host::operator::{self, COMPARISONS, names_of};

/// What the owner of these functions knows of callables.
pub(crate) struct Hooks {
    /// What is called instead of this callable, which only wraps it.
    pub(crate) unwrap: fn(&PyObjectRef) -> Option<PyObjectRef>,
    /// What this call asks for, if it asks for the rest of the computation.
    pub(crate) asked: fn(&PyObject, &FuncArgs, &VirtualMachine) -> Option<PyObjectRef>,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Says what is to be known of callables, once.
pub(crate) fn set_hooks(hooks: Hooks) {
    let _again = HOOKS.set(hooks);
}

/// What is to be done with the result of a call that was suspended.
#[derive(Clone)]
pub(super) enum Step {
    /// It is that of `__init__` of this object.
    Init(PyObjectRef),
    /// It is that of a method that was tried for an operator.
    Attempts(Attempts),
}

/// The methods of an operator that are still to be tried.
#[derive(Clone)]
pub(super) struct Attempts {
    /// Whether the truth of what the method under way gives is turned round.
    inverted: bool,
    /// Next first.
    rest: Vec<Attempt>,
    /// What the result is if none knows one.
    otherwise: Otherwise,
    /// Whether the result is made a truth value.
    as_bool: bool,
}

/// A method with its operands.
#[derive(Clone)]
struct Attempt {
    method: PyObjectRef,
    args: [PyObjectRef; 2],
    inverted: bool,
}

#[derive(Clone)]
enum Otherwise {
    Unsupported { x: PyObjectRef, y: PyObjectRef, symbol: &'static str },
    NotOrdered { x: PyObjectRef, y: PyObjectRef, symbol: &'static str },
    Value(bool),
}

/// An instruction that may call a method written in Python.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// BINARY_OP
    Binary(BinaryOperator),
    /// COMPARE_OP
    Compare {
        /// Its number.
        operator: u32,
        /// Whether the result is made a truth value.
        as_bool: bool,
    },
    /// UNARY_NEGATIVE and UNARY_INVERT
    Unary {
        /// The method.
        name: &'static str,
    },
    /// STORE_SUBSCR
    StoreItem,
}

impl Operation {
    /// BINARY_OP with this argument.
    pub(super) fn binary(arg: u32) -> Option<Self> {
        BinaryOperator::try_from(arg).ok().map(Self::Binary)
    }

    /// How many operands it has.
    pub(super) fn operands(self) -> u32 {
        match self {
            Self::Binary(_) | Self::Compare { .. } => 2,
            Self::Unary { .. } => 1,
            Self::StoreItem => 3,
        }
    }

    fn run(self, operands: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        match (self, operands) {
            (Self::Binary(BinaryOperator::Subscr), [x, key]) => match find(x, "__getitem__", vm) {
                Found::Python(method) => call_with(method, vec![x.clone(), key.clone()].into(), vm),
                Found::None | Found::Native => x.get_item(&**key, vm),
            },
            (Self::Binary(operator), [x, y]) => match attempts(operator, x, y, vm) {
                Some(attempts) => attempts.run(vm),
                None => operator::apply(operator, x, y, vm),
            },
            (Self::Compare { operator, as_bool }, [x, y]) => match comparisons(operator, as_bool, x, y, vm) {
                Some(attempts) => attempts.run(vm),
                None => compare(operator, as_bool, x, y, vm),
            },
            (Self::Unary { name }, [x]) => match find(x, name, vm) {
                Found::Python(method) => call_with(method, vec![x.clone()].into(), vm),
                Found::None | Found::Native if name == "__neg__" => vm._neg(x),
                Found::None | Found::Native => vm._invert(x),
            },
            (Self::StoreItem, [key, value, target]) => match find(target, "__setitem__", vm) {
                Found::Python(method) => call_with(method, vec![target.clone(), key.clone(), value.clone()].into(), vm),
                Found::None | Found::Native => target.set_item(&**key, value.clone(), vm).map(|()| vm.ctx.none()),
            },
            _ => Err(vm.new_system_error("an operator has lost an operand: this is a bug in snekpy")),
        }
    }
}

/// The native function that carries out an operation.
pub(super) fn operate(operation: Operation, vm: &VirtualMachine) -> PyObjectRef {
    let run = move |args: FuncArgs, vm: &VirtualMachine| operation.run(&args.args, vm);
    vm.new_function("operate", run).into()
}

/// `call(callable, *args, **kwargs)`
pub(super) fn call(mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some(callable) = args.take_positional() else {
        return Err(vm.new_system_error("there is nothing to call: this is a bug in snekpy"));
    };
    call_with(callable, args, vm)
}

/// Calls an object so that Python functions run as copies.
pub(crate) fn call_with(mut callable: PyObjectRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    loop {
        if is_function(&callable, vm) {
            return suspendable(&callable, vm)?.unwrap_or(callable).call(args, vm);
        }
        if let Some((function, receiver)) = unpack_bound_method(&callable, vm) {
            args.prepend_arg(receiver);
            callable = function;
            continue;
        }
        if let Some(wrapped) = callable.downcast_ref::<Wrapped>() {
            callable = wrapped.callable.clone();
            continue;
        }
        if let Some(hooks) = HOOKS.get() {
            if let Some(inner) = (hooks.unwrap)(&callable) {
                callable = inner;
                continue;
            }
            if let Some(what) = (hooks.asked)(&callable, &args, vm) {
                return Ok(ask(what, vm));
            }
        }
        if let Some(class) = callable.downcast_ref::<PyType>() {
            return construct(class, args, vm);
        }
        match find(&callable, "__call__", vm) {
            Found::Python(method) => {
                args.prepend_arg(callable);
                callable = method;
            }
            Found::None | Found::Native => return callable.call(args, vm),
        }
    }
}

/// What `type.__call__` does, with an `__init__` that can be suspended.
fn construct(class: &Py<PyType>, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let init = |class: &Py<PyType>| class.get_attr(vm.ctx.intern_str("__init__")).filter(|it| is_function(it, vm));
    let (Some(new), Some(_), true) = (class.slots.new.load(), init(class), class.class().is(vm.ctx.types.type_type))
    else {
        return class.as_object().call(args, vm);
    };
    let object = new(class.to_owned(), args.clone(), vm)?;
    if !object.class().fast_issubclass(class) {
        return Ok(object);
    }
    let Some(init) = init(object.class()) else {
        if let Some(init) = object.class().slots.init.load() {
            init(&object, args, vm)?;
        }
        return Ok(object);
    };
    args.prepend_arg(object.clone());
    let result = call_with(init, args, vm)?;
    if is_token(&result) { Ok(leave_step(Step::Init(object), vm)) } else { Step::Init(object).finish(result, vm) }
}

impl Step {
    /// What the call gives, now that what it waited for has returned this.
    pub(super) fn finish(&self, result: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        match self {
            Self::Init(object) if vm.is_none(&result) => Ok(object.clone()),
            Self::Init(_) => {
                let class = result.class().name().to_string();
                Err(vm.new_type_error(format!("__init__() should return None, not '{class:.200}'")))
            }
            Self::Attempts(attempts) => attempts.clone().finish(result, vm),
        }
    }
}

impl Attempts {
    fn run(mut self, vm: &VirtualMachine) -> PyResult {
        if self.rest.is_empty() {
            return match self.otherwise {
                Otherwise::Unsupported { x, y, symbol } => Err(vm.new_unsupported_bin_op_error(&x, &y, symbol)),
                Otherwise::NotOrdered { x, y, symbol } => {
                    let (x, y) = (x.class().name().to_string(), y.class().name().to_string());
                    Err(vm.new_type_error(format!("'{symbol}' not supported between instances of '{x}' and '{y}'")))
                }
                Otherwise::Value(value) => Ok(vm.ctx.new_bool(value).into()),
            };
        }
        let Attempt { method, args, inverted } = self.rest.remove(0);
        self.inverted = inverted;
        let result = call_with(method, FuncArgs::from(args.to_vec()), vm)?;
        if is_token(&result) { Ok(leave_step(Step::Attempts(self), vm)) } else { self.finish(result, vm) }
    }

    fn finish(self, result: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        if result.is(&vm.ctx.not_implemented) {
            return self.run(vm);
        }
        let result = if self.inverted { vm.ctx.new_bool(!result.try_to_bool(vm)?).into() } else { result };
        if self.as_bool { Ok(vm.ctx.new_bool(result.try_to_bool(vm)?).into()) } else { Ok(result) }
    }
}

/// What the class of an object has under a name.
enum Found {
    Python(PyObjectRef),
    /// Nothing that an operator would find: no method, or that of `object`, which knows no other object.
    None,
    Native,
}

fn find(object: &PyObject, name: &'static str, vm: &VirtualMachine) -> Found {
    let class = object.class();
    let types = &vm.ctx.types;
    if !class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE) {
        // Numbers and None know no classes written in Python.
        let simple = [types.int_type, types.float_type, types.bool_type, types.complex_type, types.none_type];
        return if simple.iter().any(|it| class.is(*it)) { Found::None } else { Found::Native };
    }
    let name = vm.ctx.intern_str(name);
    let Some(found) = class.get_attr(name) else { return Found::None };
    if is_function(&found, vm) {
        return Found::Python(found);
    }
    let default = types.object_type.get_attr(name);
    if default.is_some_and(|it| it.is(&found)) { Found::None } else { Found::Native }
}

/// The methods that `x + y` and the like try; `None` if it is done by native code.
fn attempts(operator: BinaryOperator, x: &PyObjectRef, y: &PyObjectRef, vm: &VirtualMachine) -> Option<Attempts> {
    let names = names_of(operator)?;
    let attempt = |found: Found, a: &PyObjectRef, b: &PyObjectRef| -> Option<Option<Attempt>> {
        match found {
            Found::Python(method) => Some(Some(Attempt { method, args: [a.clone(), b.clone()], inverted: false })),
            Found::None => Some(None),
            Found::Native => None,
        }
    };
    let in_place = match names.in_place {
        Some(name) => attempt(find(x, name, vm), x, y)?,
        None => None,
    };
    let left = attempt(find(x, names.left, vm), x, y)?;
    let right = attempt(find(y, names.right, vm), y, x)?.filter(|_| !x.class().is(y.class()));
    let name = vm.ctx.intern_str(names.right);
    let overrides = !x.class().is(y.class())
        && y.class().fast_issubclass(x.class())
        && match (x.class().get_attr(name), y.class().get_attr(name)) {
            (Some(a), Some(b)) => !a.is(&b),
            (None, Some(_)) => true,
            (_, None) => false,
        };
    let pair = if overrides { [right, left] } else { [left, right] };
    let rest: Vec<Attempt> = in_place.into_iter().chain(pair.into_iter().flatten()).collect();
    let otherwise = Otherwise::Unsupported { x: x.clone(), y: y.clone(), symbol: names.symbol };
    (!rest.is_empty()).then_some(Attempts { inverted: false, rest, otherwise, as_bool: false })
}

/// The methods that a comparison tries; `None` if it is done by native code.
fn comparisons(
    operator: u32,
    as_bool: bool,
    x: &PyObjectRef,
    y: &PyObjectRef,
    vm: &VirtualMachine,
) -> Option<Attempts> {
    let &(name, back, symbol) = COMPARISONS.get(operator as usize)?;
    let mut rest = Vec::new();
    for (this, other, name) in [(x, y, name), (y, x, back)] {
        let (found, inverted) = match find(this, name, vm) {
            // What `object` has for `!=` asks `==`.
            Found::None if name == "__ne__" => (find(this, "__eq__", vm), true),
            found => (found, false),
        };
        match found {
            Found::Python(method) => {
                rest.push(Attempt { method, args: [this.clone(), other.clone()], inverted });
            }
            Found::None => {}
            Found::Native => return None,
        }
    }
    if rest.is_empty() {
        return None;
    }
    if rest.len() == 2 && !x.class().is(y.class()) && y.class().fast_issubclass(x.class()) {
        rest.swap(0, 1);
    }
    let otherwise = match name {
        "__eq__" => Otherwise::Value(x.is(y)),
        "__ne__" => Otherwise::Value(!x.is(y)),
        _ => Otherwise::NotOrdered { x: x.clone(), y: y.clone(), symbol },
    };
    Some(Attempts { inverted: false, rest, otherwise, as_bool })
}

fn compare(operator: u32, as_bool: bool, x: &PyObjectRef, y: &PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let result = x.clone().rich_compare(y.clone(), operator::comparison(operator), vm)?;
    if as_bool { Ok(vm.ctx.new_bool(result.try_to_bool(vm)?).into()) } else { Ok(result) }
}

/// What LOAD_SPECIAL finds, bound; the token if there is nothing.
pub(super) fn special(object: PyObjectRef, which: u32, vm: &VirtualMachine) -> PyResult {
    let name = match SpecialMethod::try_from(which) {
        Ok(SpecialMethod::Enter) => "__enter__",
        Ok(SpecialMethod::Exit) => "__exit__",
        Ok(SpecialMethod::AEnter | SpecialMethod::AExit) | Err(_) => return Ok(token(vm)),
    };
    let Some(found) = object.get_class_attr(vm.ctx.intern_str(name)) else { return Ok(token(vm)) };
    match vm.call_get_descriptor(&found, &object) {
        None => Ok(found),
        Some(Err(error)) if error.fast_isinstance(vm.ctx.exceptions.attribute_error) => Ok(token(vm)),
        Some(bound) => bound,
    }
}

/// The callable of a CALL_FUNCTION_EX, which names it in messages.
pub(super) fn wrap(callable: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    Wrapped { callable }.into_ref(&vm.ctx).into()
}

/// A callable that is called by [`call_with`].
#[pyclass(module = "snekpy", name = "_Wrapped")]
#[derive(Debug, PyPayload)]
pub(super) struct Wrapped {
    callable: PyObjectRef,
}

#[pyclass(with(Callable, GetAttr, Representable))]
impl Wrapped {}

impl Callable for Wrapped {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        call_with(zelf.callable.clone(), args, vm)
    }
}

impl GetAttr for Wrapped {
    fn getattro(zelf: &Py<Self>, name: &Py<rustpython_vm::builtins::PyStr>, vm: &VirtualMachine) -> PyResult {
        zelf.callable.get_attr(name, vm)
    }
}

impl Representable for Wrapped {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(zelf.callable.repr(vm)?.to_string_lossy().into_owned())
    }
}
