//! An instruction that the VM carries out where compiled code calls the host.

use std::sync::Arc;

use rustpython_vm::builtins::{PyDict, PyFloat, PyFrozenSet, PyList, PySet, PySlice, PyStrInterned, PyTuple, PyType};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::types::{PyComparisonOp, PyTypeFlags};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::backend::NO_OBJECT;
use snekpy_stage::types::{Class, Type};

use super::Objects;
use super::class::number::{BYTEARRAY, BYTES, DEQUE, DICT, FROZENSET, LIST, SET, STR, TUPLE};
use super::class::{class_number, is_flat};
use super::rule::{self, Fits};
use crate::code::Seen;
use crate::exit::{Filling, HostFailure, Template};

/// What is done.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// The first operand is called with the others; the last of them have these names.
    Call {
        /// The names of the last arguments.
        names: Vec<String>,
    },
    /// A method of the first operand is called with the others.
    Method {
        /// The method.
        name: &'static PyStrInterned,
        /// The names of the last arguments.
        names: Vec<String>,
    },
    /// `x operator y`, `x[y]`.
    Binary(BinaryOperator),
    /// `x < y` and its like.
    Compare(PyComparisonOp),
    /// `x in y`.
    Contains {
        /// `x not in y`.
        inverted: bool,
    },
    /// `x is y`.
    Is {
        /// `x is not y`.
        inverted: bool,
    },
    /// `bool(x)`.
    Truth,
    /// `-x`.
    Negative,
    /// `~x`.
    Invert,
    /// `iter(x)`.
    Iterate,
    /// `next(x)` of a loop.
    Next,
    /// `x[y:z]`.
    Slice,
    /// `a, b, c = x`.
    Unpack(usize),
    /// `y[z] = x`.
    SetItem,
    /// `del x[y]`.
    DeleteItem,
    /// Whether the first operand has a method of this name that can be called from compiled code: else it does not fit.
    HasMethod(&'static PyStrInterned),
    /// `x.name`.
    Attribute(&'static PyStrInterned),
    /// `y.name = x`.
    SetAttribute(&'static PyStrInterned),
    /// `format(x, "")`.
    Format,
    /// `format(x, y)`.
    FormatTo,
    /// `str(x)`.
    Text,
    /// `repr(x)`.
    Shown,
    /// The operand itself.
    Known,
    /// The texts one after the other.
    Join,
    /// A list of the operands.
    List,
    /// A set of them.
    Set,
    /// A dict of them, key and value in turn.
    Dict,
    /// The second operand becomes the last item of the first, a list.
    Append,
    /// The second operand becomes a member of the first, a set.
    Add,
}

/// What a crossing gives besides whether it was carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    /// Nothing.
    Nothing,
    /// None, which is known.
    None,
    /// A value of this type.
    Value(Type),
    /// Whether there is a next item, and the item.
    Next(Type),
    /// So many objects.
    Many(usize),
}

impl Gives {
    /// The types of the results.
    pub(crate) fn types(self) -> Vec<Type> {
        match self {
            Self::Nothing | Self::None => Vec::new(),
            Self::Value(ty) => vec![ty],
            Self::Next(ty) => vec![Type::Bool, ty],
            Self::Many(count) => vec![Type::Object(Class::ANY); count],
        }
    }

    const fn slots(self) -> usize {
        match self {
            Self::Nothing | Self::None => 0,
            Self::Value(_) => 1,
            Self::Next(_) => 2,
            Self::Many(count) => count,
        }
    }
}

/// An instruction that the VM carries out.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    pub(crate) operation: Operation,
    pub(crate) operands: Vec<Template>,
    pub(crate) fits: Fits,
    /// Whether plain Python could not carry it out once more.
    pub(crate) acts: bool,
    pub(crate) gives: Gives,
    pub(crate) seen: Arc<Seen>,
}

/// Whether a crossing was carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// It was.
    Yes,
    /// It was not, and has done nothing.
    No,
    /// It was not: better code can be made, now that it is known what it gives.
    Learnt,
}

enum Given {
    Object(PyObjectRef),
    End,
    Objects(Vec<PyObjectRef>),
    Nothing,
}

impl Crossing {
    /// What it is called in compiled code.
    pub(crate) fn name(&self) -> String {
        match &self.operation {
            Operation::Call { .. } => match self.operands.first() {
                Some(Template::Static(callable)) => crate::object::name_of(callable),
                _ => "call".to_owned(),
            },
            Operation::Method { name, .. } => format!(".{}()", name.as_str()),
            Operation::Attribute(name) | Operation::SetAttribute(name) | Operation::HasMethod(name) => {
                format!(".{}", name.as_str())
            }
            Operation::Binary(operator) => format!("{operator}"),
            operation => format!("{operation:?}").split([' ', '(']).next().unwrap_or_default().to_lowercase(),
        }
    }

    /// How many slots it gives.
    pub(crate) const fn slots(&self) -> usize {
        1 + self.gives.slots()
    }

    /// Carries it out, and writes whether it did, and what it gave. `place` is its number; `is_known` says whether the
    /// code knows what is in an object.
    pub(crate) fn run(
        &self,
        filling: &Filling<'_>,
        objects: &Objects,
        place: u32,
        is_known: &dyn Fn(usize) -> bool,
        results: &mut [u64],
    ) -> Result<Fit, HostFailure> {
        let vm = filling.vm;
        results[..=self.gives.slots()].fill(NO_OBJECT);
        if let Gives::Value(Type::Object(Class::ANY)) | Gives::Next(Type::Object(Class::ANY)) = self.gives
            && self.seen.number().is_some()
        {
            return Ok(Fit::Learnt);
        }
        let operands = filling.make_all(&self.operands)?;
        // What the code knows by itself, it may have changed without telling, and must be told of changes.
        let is_known = |it: &PyObjectRef| !is_flat(it, vm) && is_known_inside(it, is_known);
        if operands.iter().any(is_known) || !self.fits(&operands, vm) {
            return Ok(self.unfit());
        }
        let given = match self.perform(operands, vm) {
            Ok(given) => given,
            Err(_) if !self.acts => return Ok(self.unfit()),
            Err(exception) => return Err(HostFailure::Raised(exception)),
        };
        match (self.gives, given) {
            (Gives::Nothing | Gives::None, _) | (Gives::Next(_), Given::End) => {}
            (Gives::Value(ty), Given::Object(object)) => match self.slot(&object, ty, objects, place, vm) {
                Some(bits) => results[1] = bits,
                None => return self.gave(object),
            },
            (Gives::Next(ty), Given::Object(object)) => match self.slot(&object, ty, objects, place, vm) {
                Some(bits) => (results[1], results[2]) = (1, bits),
                None => return self.gave(object),
            },
            (Gives::Many(_), Given::Objects(items)) => {
                for (result, item) in results[1..].iter_mut().zip(items) {
                    *result = objects.give(item, place, vm);
                }
            }
            (Gives::Value(_) | Gives::Next(_) | Gives::Many(_), _) => return Ok(self.unfit()),
        }
        results[0] = 1;
        Ok(Fit::Yes)
    }

    /// What it gave has another class than the code is made for.
    fn gave(&self, object: PyObjectRef) -> Result<Fit, HostFailure> {
        self.seen.differs();
        if self.acts { Err(HostFailure::Gave(object)) } else { Ok(Fit::No) }
    }

    fn unfit(&self) -> Fit {
        if self.seen.was_unfit() { Fit::Learnt } else { Fit::No }
    }

    fn slot(&self, object: &PyObjectRef, ty: Type, objects: &Objects, place: u32, vm: &VirtualMachine) -> Option<u64> {
        match ty {
            Type::Object(Class::ANY) => {
                let numbers = [Type::Bool, Type::I64, Type::F64];
                self.seen.note(numbers.into_iter().find(|ty| crate::flatten::scalar_bits(object, *ty, vm).is_some()));
                Some(objects.give(object.clone(), place, vm))
            }
            Type::Object(class) => {
                (class_number(object.class(), vm) == class).then(|| objects.give(object.clone(), place, vm))
            }
            _ => crate::flatten::scalar_bits(object, ty, vm),
        }
    }

    /// Whether what is done depends on numbers, and not on which objects they are.
    fn computes(&self) -> bool {
        match &self.operation {
            Operation::Binary(operator) => *operator != BinaryOperator::Subscr,
            Operation::Compare(_)
            | Operation::Truth
            | Operation::Negative
            | Operation::Invert
            | Operation::Format
            | Operation::FormatTo
            | Operation::Text
            | Operation::Shown
            | Operation::Join => true,
            Operation::Call { .. }
            | Operation::Method { .. }
            | Operation::Contains { .. }
            | Operation::Is { .. }
            | Operation::Iterate
            | Operation::Next
            | Operation::Slice
            | Operation::Unpack(_)
            | Operation::SetItem
            | Operation::DeleteItem
            | Operation::HasMethod(_)
            | Operation::Attribute(_)
            | Operation::SetAttribute(_)
            | Operation::Known
            | Operation::List
            | Operation::Set
            | Operation::Dict
            | Operation::Append
            | Operation::Add => false,
        }
    }

    /// Whether no Python would run.
    fn fits(&self, operands: &[PyObjectRef], vm: &VirtualMachine) -> bool {
        // A NaN in a container is the object that it is, and compiled code has no object for it.
        if !self.computes() && operands.iter().any(|it| has_nan(it, vm)) {
            return false;
        }
        let class = |at: usize| class_number(operands[at].class(), vm);
        let flat = |at: usize| is_flat(&operands[at], vm);
        match &self.operation {
            Operation::Call { .. } => {
                let Some((native, rule)) = rule::native(&operands[0], operands.len() - 1, vm) else { return false };
                if rule.acts && !self.acts {
                    return false;
                }
                if let crate::host::native::NativeCallable::Function { module: "builtins", name } = &native {
                    match (name.as_str(), &operands[1..]) {
                        ("len", [object]) => return has_length(object, vm),
                        ("isinstance", [object, class]) => return is_plain_test(object, class, vm),
                        _ => {}
                    }
                }
                fit(rule.fits, &operands[1..], vm)
            }
            Operation::Method { name, .. } => {
                let Some(rule) = rule::of_method(class(0), name.as_str()) else { return false };
                (self.acts || !rule.acts) && fit(rule.fits, &operands[1..], vm)
            }
            Operation::Binary(BinaryOperator::Subscr) => match class(0) {
                LIST | TUPLE | STR | BYTES | BYTEARRAY | DEQUE => is_index(&operands[1], vm),
                DICT => flat(1),
                _ => false,
            },
            Operation::Binary(_) => {
                let parts = [LIST, TUPLE, BYTEARRAY, SET, FROZENSET];
                (0..2).all(|at| flat(at) || parts.contains(&class(at)) && is_sealed(&operands[at], vm, 1))
            }
            Operation::Contains { .. } => {
                let is_nan = operands[0].downcast_ref_if_exact::<PyFloat>(vm).is_some_and(|it| it.to_f64().is_nan());
                flat(0)
                    && !is_nan
                    && match class(1) {
                        STR | BYTES | DICT | SET | FROZENSET => true,
                        LIST | TUPLE => is_sealed(&operands[1], vm, 1),
                        _ => operands[1].class().is(vm.ctx.types.range_type),
                    }
            }
            Operation::Truth => flat(0) || class(0) != Class::ANY,
            Operation::Iterate => {
                class(0) != Class::ANY || operands[0].class().is(vm.ctx.types.range_type) || is_view(&operands[0])
            }
            Operation::Next => is_iterator(&operands[0]),
            Operation::Slice => {
                let bound = |at: usize| {
                    let types = &vm.ctx.types;
                    operands[at].class().is(types.int_type) || operands[at].class().is(types.none_type)
                };
                matches!(class(0), LIST | TUPLE | STR | BYTES | BYTEARRAY) && bound(1) && bound(2)
            }
            Operation::Unpack(_) => matches!(class(0), LIST | TUPLE),
            Operation::SetItem => match class(1) {
                LIST | DEQUE => is_number_index(&operands[2], vm),
                BYTEARRAY => is_number_index(&operands[2], vm) && flat(0),
                DICT => flat(2),
                _ => false,
            },
            Operation::DeleteItem => match class(0) {
                LIST => is_number_index(&operands[1], vm),
                DICT => flat(1),
                _ => false,
            },
            Operation::HasMethod(name) => rule::of_method(class(0), name.as_str()).is_some(),
            Operation::Attribute(name) => has_plain_attribute(&operands[0], name, vm),
            Operation::SetAttribute(name) => takes_attribute(&operands[1], name, vm),
            Operation::Compare(_)
            | Operation::Is { .. }
            | Operation::Negative
            | Operation::Invert
            | Operation::Format
            | Operation::FormatTo
            | Operation::Text
            | Operation::Shown
            | Operation::Known
            | Operation::List
            | Operation::Set
            | Operation::Join => fit(self.fits, operands, vm),
            Operation::Dict => (0..operands.len()).step_by(2).all(flat),
            Operation::Append => class(0) == LIST,
            Operation::Add => class(0) == SET && flat(1),
        }
    }

    fn perform(&self, operands: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Given> {
        let truth = |it: bool| Ok(Given::Object(vm.ctx.new_bool(it).into()));
        let at = |index: usize| &*operands[index];
        Ok(Given::Object(match &self.operation {
            Operation::Call { names } => operands[0].call(arguments(operands[1..].to_vec(), names), vm)?,
            Operation::Method { name, names } => {
                let method = operands[0].get_attr(*name, vm)?;
                method.call(arguments(operands[1..].to_vec(), names), vm)?
            }
            Operation::Binary(operator) => binary(*operator, at(0), at(1), vm)?,
            Operation::Compare(op) => operands[0].clone().rich_compare(operands[1].clone(), *op, vm)?,
            Operation::Contains { inverted } => return truth(vm._contains(at(1), at(0))? != *inverted),
            Operation::Is { inverted } => return truth(operands[0].is(&operands[1]) != *inverted),
            Operation::Truth => return truth(operands[0].clone().try_to_bool(vm)?),
            Operation::Negative => vm._neg(at(0))?,
            Operation::Invert => vm._invert(at(0))?,
            Operation::Iterate => operands[0].get_iter(vm)?.into(),
            Operation::Next => match PyIter::new(operands[0].clone()).next(vm)? {
                PyIterReturn::Return(item) => item,
                PyIterReturn::StopIteration(_) => return Ok(Given::End),
            },
            Operation::Slice => {
                let slice = PySlice { start: Some(operands[1].clone()), stop: operands[2].clone(), step: None };
                let slice: PyObjectRef = slice.into_ref(&vm.ctx).into();
                operands[0].get_item(&*slice, vm)?
            }
            Operation::Unpack(count) => {
                let items = match operands[0].downcast_ref::<PyTuple>() {
                    Some(tuple) => tuple.as_slice().to_vec(),
                    None => operands[0].downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default(),
                };
                return Ok(if items.len() == *count { Given::Objects(items) } else { Given::Nothing });
            }
            Operation::SetItem => {
                operands[1].set_item(at(2), operands[0].clone(), vm)?;
                return Ok(Given::Nothing);
            }
            Operation::DeleteItem => {
                operands[0].del_item(at(1), vm)?;
                return Ok(Given::Nothing);
            }
            Operation::HasMethod(_) => return Ok(Given::Nothing),
            Operation::Attribute(name) => operands[0].get_attr(*name, vm)?,
            Operation::SetAttribute(name) => {
                operands[1].set_attr(*name, operands[0].clone(), vm)?;
                return Ok(Given::Nothing);
            }
            Operation::Format => vm.format(at(0), vm.ctx.empty_str.to_owned())?.into(),
            Operation::FormatTo => vm.format(at(0), operands[1].str(vm)?)?.into(),
            Operation::Text => operands[0].str(vm)?.into(),
            Operation::Shown => operands[0].repr(vm)?.into(),
            Operation::Join => {
                let mut text = rustpython_vm::common::wtf8::Wtf8Buf::new();
                for part in &operands {
                    text.push_wtf8(part.str(vm)?.as_wtf8());
                }
                vm.ctx.new_str(text).into()
            }
            Operation::Known => operands[0].clone(),
            Operation::List => vm.ctx.new_list(operands).into(),
            Operation::Set => {
                let set = PySet::default().into_ref(&vm.ctx);
                operands.into_iter().try_for_each(|item| set.add(item, vm))?;
                set.into()
            }
            Operation::Dict => {
                let dict = vm.ctx.new_dict();
                for [key, value] in operands.as_chunks().0 {
                    dict.set_item(&**key, value.clone(), vm)?;
                }
                dict.into()
            }
            Operation::Append => {
                let list = operands[0].downcast_ref::<PyList>().expect("it was looked at");
                list.borrow_vec_mut().push(operands[1].clone());
                return Ok(Given::Nothing);
            }
            Operation::Add => {
                operands[0].downcast_ref::<PySet>().expect("it was looked at").add(operands[1].clone(), vm)?;
                return Ok(Given::Nothing);
            }
        }))
    }
}

/// Whether an object, its attributes or an item of it is one of these.
fn is_known_inside(object: &PyObject, is_known: &dyn Fn(usize) -> bool) -> bool {
    is_known(object.get_id())
        || object.dict().is_some_and(|dict| is_known(dict.as_object().get_id()))
        || object
            .downcast_ref::<PyTuple>()
            .is_some_and(|it| it.as_slice().iter().any(|it| is_known_inside(it, is_known)))
}

fn arguments(args: Vec<PyObjectRef>, names: &[String]) -> FuncArgs {
    let mut args = args;
    let named = args.split_off(args.len() - names.len());
    FuncArgs::new(args, KwArgs::from_iter(names.iter().cloned().zip(named)))
}

/// As RustPython's frames do it.
fn binary(operator: BinaryOperator, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    match operator {
        BinaryOperator::Add => vm._add(a, b),
        BinaryOperator::Subtract => vm._sub(a, b),
        BinaryOperator::Multiply => vm._mul(a, b),
        BinaryOperator::MatrixMultiply => vm._matmul(a, b),
        BinaryOperator::Power => vm._pow(a, b, vm.ctx.none.as_object()),
        BinaryOperator::TrueDivide => vm._truediv(a, b),
        BinaryOperator::FloorDivide => vm._floordiv(a, b),
        BinaryOperator::Remainder => vm._mod(a, b),
        BinaryOperator::Lshift => vm._lshift(a, b),
        BinaryOperator::Rshift => vm._rshift(a, b),
        BinaryOperator::Xor => vm._xor(a, b),
        BinaryOperator::Or => vm._or(a, b),
        BinaryOperator::And => vm._and(a, b),
        BinaryOperator::InplaceAdd => vm._iadd(a, b),
        BinaryOperator::InplaceSubtract => vm._isub(a, b),
        BinaryOperator::InplaceMultiply => vm._imul(a, b),
        BinaryOperator::InplaceMatrixMultiply => vm._imatmul(a, b),
        BinaryOperator::InplacePower => vm._ipow(a, b, vm.ctx.none.as_object()),
        BinaryOperator::InplaceTrueDivide => vm._itruediv(a, b),
        BinaryOperator::InplaceFloorDivide => vm._ifloordiv(a, b),
        BinaryOperator::InplaceRemainder => vm._imod(a, b),
        BinaryOperator::InplaceLshift => vm._ilshift(a, b),
        BinaryOperator::InplaceRshift => vm._irshift(a, b),
        BinaryOperator::InplaceXor => vm._ixor(a, b),
        BinaryOperator::InplaceOr => vm._ior(a, b),
        BinaryOperator::InplaceAnd => vm._iand(a, b),
        BinaryOperator::Subscr => a.get_item(b, vm),
    }
}

fn fit(fits: Fits, operands: &[PyObjectRef], vm: &VirtualMachine) -> bool {
    match fits {
        Fits::Any => true,
        Fits::Flat => operands.iter().all(|it| is_flat(it, vm)),
        Fits::Sealed => operands.iter().all(|it| is_sealed(it, vm, 1)),
        Fits::Own => false,
    }
}

/// Whether an object is a NaN, or a tuple with one.
fn has_nan(object: &PyObject, vm: &VirtualMachine) -> bool {
    object.downcast_ref_if_exact::<PyFloat>(vm).is_some_and(|it| it.to_f64().is_nan())
        || object.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|it| it.as_slice().iter().any(|it| has_nan(it, vm)))
}

/// Whether an object is flat, or a container of such.
fn is_sealed(object: &PyObject, vm: &VirtualMachine, depth: usize) -> bool {
    if is_flat(object, vm) {
        return true;
    }
    let all = |items: &[PyObjectRef]| depth > 0 && items.iter().all(|it| is_sealed(it, vm, depth - 1));
    match class_number(object.class(), vm) {
        BYTEARRAY => true,
        TUPLE => object.downcast_ref::<PyTuple>().is_some_and(|it| all(it.as_slice())),
        LIST => object.downcast_ref::<PyList>().is_some_and(|it| all(&it.borrow_vec())),
        SET => object.downcast_ref::<PySet>().is_some_and(|it| all(&it.elements())),
        FROZENSET => object.downcast_ref::<PyFrozenSet>().is_some_and(|it| all(&it.elements())),
        DICT => object.downcast_ref::<PyDict>().is_some_and(|it| {
            it.items_vec().iter().all(|(key, value)| depth > 0 && is_flat(key, vm) && is_sealed(value, vm, depth - 1))
        }),
        _ => false,
    }
}

fn is_number_index(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    object.class().is(types.int_type) || object.class().is(types.bool_type)
}

fn is_index(object: &PyObject, vm: &VirtualMachine) -> bool {
    is_number_index(object, vm)
        || object.downcast_ref::<PySlice>().is_some_and(|slice| {
            let parts = slice.start.iter().chain([&slice.stop]).chain(slice.step.iter());
            parts.into_iter().all(|it| is_flat(it, vm))
        })
}

fn has_length(object: &PyObject, vm: &VirtualMachine) -> bool {
    let class = class_number(object.class(), vm);
    matches!(class, STR | BYTES | BYTEARRAY | LIST | TUPLE | DICT | SET | FROZENSET | DEQUE)
        || object.class().is(vm.ctx.types.range_type)
        || is_view(object)
}

/// Whether `isinstance` of these only looks at classes.
fn is_plain_test(object: &PyObject, class: &PyObject, vm: &VirtualMachine) -> bool {
    if let Some(classes) = class.downcast_ref_if_exact::<PyTuple>(vm) {
        return classes.as_slice().iter().all(|class| is_plain_test(object, class, vm));
    }
    let Some(wanted) = class.downcast_ref::<PyType>().filter(|_| class.class().is(vm.ctx.types.type_type)) else {
        return false;
    };
    // Otherwise it is asked what it says that its class is.
    !object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE) || object.class().fast_issubclass(wanted)
}

fn is_view(object: &PyObject) -> bool {
    matches!(&*object.class().slot_name(), "dict_keys" | "dict_values" | "dict_items")
}

/// Whether an object is an iterator that only goes over what it was made of.
fn is_iterator(object: &PyObject) -> bool {
    !object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
        && matches!(
            &*object.class().slot_name(),
            "list_iterator"
                | "list_reverseiterator"
                | "tuple_iterator"
                | "str_iterator"
                | "bytes_iterator"
                | "bytearray_iterator"
                | "range_iterator"
                | "longrange_iterator"
                | "dict_keyiterator"
                | "dict_valueiterator"
                | "dict_itemiterator"
                | "set_iterator"
                | "collections._deque_iterator"
        )
}

/// Whether the attribute is in the dict of the object, and nothing of its class is asked.
fn has_plain_attribute(object: &PyObject, name: &'static PyStrInterned, vm: &VirtualMachine) -> bool {
    uses_own_dict(object, "__getattribute__", vm)
        && object.class().get_attr(name).is_none()
        && object.dict().is_some_and(|dict| dict.get_item_opt(name, vm).is_ok_and(|it| it.is_some()))
}

fn takes_attribute(object: &PyObject, name: &'static PyStrInterned, vm: &VirtualMachine) -> bool {
    uses_own_dict(object, "__setattr__", vm) && object.class().get_attr(name).is_none() && object.dict().is_some()
}

/// Whether a method of the class that attributes go through is that of `object`.
fn uses_own_dict(object: &PyObject, method: &'static str, vm: &VirtualMachine) -> bool {
    let name = vm.ctx.intern_str(method);
    let own = vm.ctx.types.object_type.get_attr(name);
    let found = object.class().get_attr(name);
    object.class().class().is(vm.ctx.types.type_type)
        && matches!((found, own), (Some(found), Some(own)) if found.is(&own))
}
