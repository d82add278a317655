//! The commonest crossings on objects of exact builtin classes, done without making operands of their own.
//!
//! Each arm does what [`Crossing::run`] does for the same operands, and says nothing where it is not sure: then the
//! general way is gone, which also decides what does not fit.

use std::cell::Ref;

use rustpython_vm::builtins::PyStrInterned;
use rustpython_vm::builtins::{PyByteArray, PyDict, PyDictRef, PyFloat, PyInt, PyList, PySet, PyStr, PyTuple};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::backend::{NO_OBJECT, NONE};
use snekpy_stage::types::{Class, Type};

use super::parse;
use super::replaced::pushes_out_noticed;
use super::{Fit, Site};
use crate::captured::Captured;
use crate::exit::Crossing;
use crate::exit::{HostFailure, HostKind, Template};
use crate::host::steps::Steps;
use crate::object::class::number::{BYTEARRAY, BYTES, DEFAULTDICT, DEQUE, DICT, FROZENSET, LIST, SET, TUPLE};
use crate::object::class::{class_number, is_atom, is_basic_iterator, is_flat};
use crate::object::end::ends_noticed;
use crate::object::known::{is_free, is_free_with};
use crate::object::look::has_nan;
use crate::object::operation::{Gives, Operation};
use crate::object::place::{assigned_with, attribute_with};
use crate::object::python;
use crate::object::read::Place;
use crate::object::rows::{self, Row};
use crate::object::slot::{Slot, slot};
use crate::object::{Entry, FIRST};
use crate::scalar::number_of;

/// What has come of trying.
pub(super) enum Quick {
    /// The general way is to be gone: nothing was done.
    No,
    /// It was carried out, and its results are written.
    Done,
    /// It was tried, and this came of it.
    Rare(Box<Result<Fit, HostFailure>>),
}

/// An operand.
enum Part<'a> {
    Object(&'a PyObjectRef),
    /// A tuple that is made for the crossing.
    Made(PyObjectRef),
    Int(i64),
    Float(f64),
    Bool(bool),
}

// Where it is not inlined, operands go through memory, which the processor waits for.
#[inline(always)]
fn part<'a>(template: &'a Template, slots: &[u64], entries: &'a [Entry], vm: &VirtualMachine) -> Option<Part<'a>> {
    let template = match template {
        Template::Shared { make: Some(make), .. } => make,
        template => template,
    };
    match template {
        Template::Static(object) => Some(Part::Object(object)),
        Template::Leaf { slot, ty } => match ty {
            Type::Object(_) => {
                let index = slots[*slot].checked_sub(FIRST)?;
                entries.get(index as usize)?.object.as_ref().map(Part::Object)
            }
            Type::I64 => Some(Part::Int(slots[*slot].cast_signed())),
            Type::F64 => Some(Part::Float(f64::from_bits(slots[*slot]))),
            Type::Bool => Some(Part::Bool(slots[*slot] != 0)),
            _ => None,
        },
        Template::Tuple(items) => tuple(items, slots, entries, vm).map(Part::Made),
        _ => None,
    }
}

#[inline(never)]
fn tuple(items: &[Template], slots: &[u64], entries: &[Entry], vm: &VirtualMachine) -> Option<PyObjectRef> {
    let item = |it: &Template| match it {
        Template::Tuple(items) => tuple(items, slots, entries, vm),
        _ => part(it, slots, entries, vm)?.stored(vm),
    };
    Some(vm.ctx.new_tuple(items.iter().map(item).collect::<Option<Vec<_>>>()?).into())
}

impl Part<'_> {
    #[inline]
    fn object(&self) -> Option<&PyObjectRef> {
        match self {
            Part::Object(object) => Some(object),
            Part::Made(object) => Some(object),
            Part::Int(_) | Part::Float(_) | Part::Bool(_) => None,
        }
    }

    /// The object to store; `None` for a NaN, which is the object that it is.
    fn stored(self, vm: &VirtualMachine) -> Option<PyObjectRef> {
        match self {
            Part::Object(object) => (!has_nan(object, vm)).then(|| object.clone()),
            Part::Made(object) => Some(object),
            Part::Int(number) => Some(vm.ctx.new_int(number).into()),
            Part::Float(number) => (!number.is_nan()).then(|| vm.ctx.new_float(number).into()),
            Part::Bool(is) => Some(vm.ctx.new_bool(is).into()),
        }
    }

    /// The number that it is, where compiled code may store it: a NaN is the object that it is.
    fn bits(&self) -> Option<(Type, u64)> {
        match *self {
            Self::Int(number) => Some((Type::I64, number.cast_unsigned())),
            Self::Float(number) => (!number.is_nan()).then_some((Type::F64, number.to_bits())),
            Self::Bool(is) => Some((Type::Bool, is.into())),
            Self::Object(_) | Self::Made(_) => None,
        }
    }

    /// An object that is a key without a question.
    fn key<'k>(&'k self, made: &'k mut Option<PyObjectRef>, vm: &VirtualMachine) -> Option<&'k PyObject> {
        match self {
            Part::Object(object) => is_key(object, vm).then_some(&***object),
            Part::Made(object) => is_key(object, vm).then_some(&**object),
            Part::Int(number) => Some(made.insert(vm.ctx.new_int(*number).into())),
            Part::Float(_) | Part::Bool(_) => None,
        }
    }

    fn number(self, vm: &VirtualMachine) -> Option<Number> {
        Some(match self {
            Part::Int(number) => Number::Int(number),
            Part::Float(number) => Number::Float(number),
            Part::Bool(_) | Part::Made(_) => return None,
            Part::Object(object) => match object.downcast_ref_if_exact::<PyFloat>(vm) {
                Some(float) => Number::Float(float.to_f64()),
                None => Number::Int(i64::try_from(object.downcast_ref_if_exact::<PyInt>(vm)?.as_bigint()).ok()?),
            },
        })
    }

    /// An index of something of this length.
    fn index(self, len: usize, vm: &VirtualMachine) -> Option<usize> {
        let index = match self {
            Part::Int(index) => index,
            Part::Object(object) => {
                let int = object.downcast_ref_if_exact::<PyInt>(vm)?;
                i64::try_from(int.as_bigint()).ok()?
            }
            Part::Float(_) | Part::Bool(_) | Part::Made(_) => return None,
        };
        let index = if index < 0 { index.checked_add_unsigned(len as u64)? } else { index };
        usize::try_from(index).ok().filter(|it| *it < len)
    }
}

fn is_key(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let class = object.class();
    class.is(types.str_type)
        || class.is(types.int_type)
        || class.is(types.tuple_type)
            && object
                .downcast_ref::<PyTuple>()
                .is_some_and(|it| it.as_slice().iter().all(|it| is_atom(it, vm) && !it.class().is(types.float_type)))
}

impl Crossing {
    /// Carries it out, if it is one of the commonest ones.
    #[inline]
    pub(super) fn quick(&self, site: Site<'_>, results: &mut [u64]) -> Quick {
        let entries = site.objects.entries.borrow();
        self.try_quick(site, entries, results).unwrap_or(Quick::No)
    }

    #[inline]
    fn try_quick(&self, site: Site<'_>, entries: Ref<'_, Vec<Entry>>, results: &mut [u64]) -> Option<Quick> {
        let Site { slots, vm, .. } = site;
        let [first, rest @ ..] = &self.operands[..] else { return None };
        // A closure would not be inlined.
        macro_rules! at {
            ($index:expr) => {
                match rest.get($index - 1) {
                    Some(it) => part(it, slots, &entries, vm),
                    None => None,
                }
            };
        }
        let first = part(first, slots, &entries, vm)?;
        match &self.operation {
            Operation::Next => {
                let iterator =
                    first.object().filter(|it| is_basic_iterator(it, vm) && (self.is_own || site.is_free(it)))?;
                let given = match iterator.downcast_ref::<Steps>() {
                    Some(steps) => Ok(steps.step().map_or(PyIterReturn::StopIteration(None), PyIterReturn::Return)),
                    None => PyIter::new(&**iterator).next(vm),
                };
                match given {
                    Ok(PyIterReturn::Return(item)) => {
                        drop(entries);
                        Some(self.object(item, site, results))
                    }
                    Ok(PyIterReturn::StopIteration(_)) => {
                        (results[1], results[2]) = (0, NO_OBJECT);
                        Some(Quick::Done)
                    }
                    Err(exception) => Some(Quick::Rare(Box::new(Err(HostFailure::Raised(exception))))),
                }
            }
            Operation::Iterate => {
                let list =
                    first.object().filter(|it| site.is_free(it))?.downcast_ref_if_exact::<PyList>(vm)?.to_owned();
                drop(entries);
                Some(self.object(Steps::over(list).into_pyobject(vm), site, results))
            }
            Operation::Binary(BinaryOperator::Subscr) => {
                let found = item(first.object().filter(|it| site.is_free(it))?, at!(1)?, vm)?;
                drop(entries);
                Some(self.object(found, site, results))
            }
            Operation::Contains { inverted } => {
                let (container, mut made) = (at!(1)?, None);
                let key = first.key(&mut made, vm)?;
                let container = container.object().filter(|it| site.is_free(it))?;
                let is_in = if let Some(dict) = container.downcast_ref_if_exact::<PyDict>(vm) {
                    dict.contains_key(key, vm)
                } else {
                    container.downcast_ref_if_exact::<PySet>(vm)?.contains(key, vm).ok()?
                };
                self.truth(is_in != *inverted, results)
            }
            Operation::SetItem => {
                let (container, index) = (at!(1)?, at!(2)?);
                let container = container.object().filter(|it| site.is_free(it))?;
                if let Some(dict) = container.downcast_ref_if_exact::<PyDict>(vm) {
                    let mut made = None;
                    let key = index.key(&mut made, vm)?;
                    if dict.get_item_opt(key, vm).ok()?.is_some_and(|old| ends_noticed(&old, 2, &site.objects.rows, vm))
                    {
                        return None;
                    }
                    return Some(acted(dict.inner_setitem(key, site.storable(first)?, vm)));
                }
                if let Some(bytes) = container.downcast_ref_if_exact::<PyByteArray>(vm) {
                    let index = index.index(bytes.borrow_buf().len(), vm)?;
                    let byte = u8::try_from(first.index(1 << u8::BITS, vm)?).ok()?;
                    *bytes.borrow_buf_mut().get_mut(index)? = byte;
                    return Some(Quick::Done);
                }
                let list = container.downcast_ref_if_exact::<PyList>(vm)?;
                let index = index.index(list.borrow_vec().len(), vm)?;
                let value = site.storable(first)?;
                let mut items = list.borrow_vec_mut();
                let old = std::mem::replace(items.get_mut(index)?, value);
                if ends_noticed(&old, 1, &site.objects.rows, vm) {
                    items[index] = old;
                    return None;
                }
                drop(items);
                drop(old);
                Some(Quick::Done)
            }
            Operation::Append => site.append(first.object().filter(|it| site.is_free(it))?, at!(1)?),
            Operation::Native { callable, names } if names.is_empty() && rest.is_empty() => {
                let text = first.object()?.downcast_ref_if_exact::<PyStr>(vm)?;
                let Gives::Value(Type::I64 | Type::F64) = &self.gives else { return None };
                results[1] = parse::number(callable, text, vm)?;
                Some(Quick::Done)
            }
            Operation::Method { name, names } if names.is_empty() => {
                let object = first.object().filter(|it| site.is_free(it))?;
                match (name.as_str(), rest.len()) {
                    ("get", 1 | 2) => {
                        let dict = object.downcast_ref_if_exact::<PyDict>(vm)?;
                        let mut made = None;
                        let found = match dict.get_item_opt(at!(1)?.key(&mut made, vm)?, vm).ok()? {
                            Some(found) => found,
                            None if rest.len() == 2 => at!(2)?.stored(vm)?,
                            None => vm.ctx.none(),
                        };
                        drop(entries);
                        Some(self.object(found, site, results))
                    }
                    ("append", 1) if self.gives_none(results) => site.append(object, at!(1)?),
                    ("add", 1) if self.gives_none(results) => {
                        let set = object.downcast_ref_if_exact::<PySet>(vm)?;
                        let (key, mut made) = (at!(1)?, None);
                        Some(acted(set.add(key.key(&mut made, vm)?.to_owned(), vm)))
                    }
                    ("append" | "appendleft", 1) if class_number(object.class(), vm) == DEQUE => {
                        let method = method_of(object, name, vm)?;
                        let first = if name.as_str() == "append" { 0 } else { -1 };
                        (self.gives_none(results) && !pushes_out_noticed(object, first, &site.objects.rows, vm))
                            .then_some(())?;
                        let args = vec![object.clone(), site.storable(at!(1)?)?];
                        drop(entries);
                        Some(acted(method.vectorcall(args, 2, None, vm).map(drop)))
                    }
                    ("pop" | "popleft", 0) if self.acts && class_number(object.class(), vm) == DEQUE => {
                        let method = method_of(object, name, vm)?;
                        let args = vec![object.clone()];
                        drop(entries);
                        match method.vectorcall(args, 1, None, vm) {
                            Ok(item) => Some(self.object(item, site, results)),
                            Err(exception) => Some(Quick::Rare(Box::new(Err(HostFailure::Raised(exception))))),
                        }
                    }
                    ("append", 1) if class_number(object.class(), vm) == BYTEARRAY => {
                        let method = method_of(object, name, vm)?;
                        self.gives_none(results).then_some(())?;
                        let args = vec![object.clone(), at!(1)?.stored(vm)?];
                        Some(acted(method.vectorcall(args, 2, None, vm).map(drop)))
                    }
                    _ => None,
                }
            }
            Operation::Compare(op) | Operation::Test(op) => self.truth(compare(first, at!(1)?, *op, vm)?, results),
            Operation::Truth => self.truth(length(first.object().filter(|it| site.is_free(it))?, vm)? != 0, results),
            Operation::Length if matches!(self.gives, Gives::Value(Type::I64)) => {
                results[1] = length(first.object().filter(|it| site.is_free(it))?, vm)? as u64;
                Some(Quick::Done)
            }
            Operation::Unpack(count) => {
                let object = first.object().filter(|it| site.is_free(it))?;
                let tuple = object.downcast_ref_if_exact::<PyTuple>(vm).filter(|it| it.len() == *count)?;
                let tuple = tuple.to_owned();
                drop(entries);
                match self.items(tuple.as_slice(), site, results) {
                    Fit::Yes => Some(Quick::Done),
                    fit => Some(Quick::Rare(Box::new(Ok(fit)))),
                }
            }
            Operation::Which(classes) => {
                let object = first.object()?;
                let index = classes.iter().position(|it| python::is_of(object, *it) == Some(true))?;
                results[1] = index as u64;
                Some(Quick::Done)
            }
            Operation::Unshadowed(name) => {
                let object = first.object()?;
                if python::is_shadowed(object, name, vm) {
                    return None;
                }
                if let Some(row) = self.row(object, object.dict().as_ref(), site) {
                    row.is_absent(self.column?);
                }
                Some(Quick::Done)
            }
            Operation::Known if matches!(self.gives, Gives::Value(_)) => {
                let object = first.object()?.clone();
                drop(entries);
                Some(self.object(object, site, results))
            }
            Operation::Attribute(name) => {
                let object = first.object()?;
                if let Some((ty, bits)) = self.number_in_row(object, site) {
                    if matches!(&self.gives, Gives::Value(gives) if *gives == ty) {
                        results[1] = bits;
                        self.row(object, None, site);
                        return Some(Quick::Done);
                    }
                    drop(entries);
                    return Some(self.object(number_of(bits, ty, vm), site, results));
                }
                let object = object.clone();
                drop(entries);
                self.read_attribute(&object, name, site, results)
            }
            Operation::SetAttribute(name) => {
                let target = at!(1)?;
                self.assign_attribute(target.object()?, name, first, site)
            }
            _ => None,
        }
    }

    /// The attribute of an object, which is in no row.
    #[inline]
    fn read_attribute(
        &self,
        object: &PyObjectRef,
        name: &'static PyStrInterned,
        site: Site<'_>,
        results: &mut [u64],
    ) -> Option<Quick> {
        let (vm, numbers) = (site.vm, &site.objects.numbers);
        let dict = object.dict();
        site.is_free_with(object, dict.as_ref()).then_some(())?;
        let (found, is_own) = attribute_with(object, dict.as_ref(), name, &self.place, vm)?;
        let done = self.object(found, site, results);
        if matches!((&done, &self.gives), (Quick::Done, Gives::Value(ty)) if ty.is_scalar()) {
            // What the class has is none of the object.
            let row = if is_own { self.row(object, dict.as_ref(), site) } else { None };
            match (row, self.column, &self.gives) {
                (Some(row), Some(column), Gives::Value(ty)) => row.read(column, *ty, results[1]),
                _ => numbers.note(Place::of(object, dict.as_ref(), name), object.get_id(), dict),
            }
        }
        Some(done)
    }

    /// Assigns an attribute, or writes it where the row of the object has it.
    #[inline]
    fn assign_attribute(
        &self,
        target: &PyObjectRef,
        name: &'static PyStrInterned,
        value: Part<'_>,
        site: Site<'_>,
    ) -> Option<Quick> {
        let (vm, objects) = (site.vm, site.objects);
        let number = value.bits();
        let (known, column) = (objects.rows.find(target), self.column);
        if let (Some((ty, bits)), Some(column), Some(row)) = (number, column, known)
            && row.is_open(column)
        {
            row.write(column, ty, bits, true);
            self.row(target, None, site);
            return Some(Quick::Done);
        }
        let dict = objects.numbers.dict_of(target);
        site.is_free_with(target, dict.as_ref()).then_some(())?;
        let way = assigned_with(target, dict.as_ref(), name, &self.place, vm)?;
        let has_number = known.zip(column).is_some_and(|(row, column)| row.number(column).is_some())
            || objects.numbers.has(Place::of(target, dict.as_ref(), name));
        let before = if has_number { None } else { way.before(target, dict.as_ref(), name, vm) };
        if before.as_ref().is_some_and(|old| ends_noticed(old, 2, &objects.rows, vm)) {
            return None;
        }
        objects.numbers.forget();
        // Others may have to be let go of now.
        let is_there = has_number || before.is_some_and(|old| is_atom(&old, vm));
        let row = number.and_then(|_| self.row(target, dict.as_ref(), site)).or(known);
        if let (true, Some((ty, bits)), Some(row), Some(column)) = (is_there, number, row, column) {
            row.write(column, ty, bits, true);
            return Some(Quick::Done);
        }
        let done = way.assign(target, dict, name, site.storable(value)?, vm);
        if let (Ok(()), Some(row)) = (&done, row) {
            row.assigned(column);
            if let (Some((ty, bits)), Some(column)) = (number, column) {
                row.write(column, ty, bits, false);
            }
        }
        Some(acted(done))
    }

    /// The number that the row of an object has instead of the attribute.
    #[inline]
    fn number_in_row(&self, object: &PyObject, site: Site<'_>) -> Option<(Type, u64)> {
        site.objects.rows.find(object)?.number(self.column?)
    }

    /// The row of the object that is the last operand, whose attributes are in this dict.
    #[inline]
    fn row(&self, object: &PyObjectRef, dict: Option<&PyDictRef>, site: Site<'_>) -> Option<Row> {
        self.column?;
        site.objects.numbers.forget();
        let rows = &site.objects.rows;
        if rows.find(object).is_none() && !site.is_free_with(object, dict) {
            return None;
        }
        let handle = match self.operands.last()? {
            Template::Leaf { slot, .. } => Some(site.slots[*slot]),
            _ => None,
        };
        rows.of(handle, object, dict, || names(site.captured), site.vm)
    }

    /// Whether all operands are numbers, texts and the like, or it is a method of a container.
    pub(super) fn is_of_holders(&self, site: Site<'_>) -> bool {
        let entries = site.objects.entries.borrow();
        let first = self.operands.first().and_then(|it| part(it, site.slots, &entries, site.vm));
        if let (Operation::Method { .. }, Some(Part::Object(object))) = (&self.operation, first)
            && matches!(
                class_number(object.class(), site.vm),
                LIST | TUPLE | DICT | DEFAULTDICT | SET | FROZENSET | DEQUE | BYTEARRAY
            )
        {
            return true;
        }
        let is_atom = |it: &Template| match part(it, site.slots, &entries, site.vm) {
            Some(Part::Object(object)) => is_atom(object, site.vm),
            Some(Part::Made(object)) => is_flat(&object, site.vm),
            Some(Part::Int(_) | Part::Float(_) | Part::Bool(_)) => true,
            None => false,
        };
        self.operands.iter().all(is_atom)
    }

    #[inline]
    fn truth(&self, it: bool, results: &mut [u64]) -> Option<Quick> {
        matches!(self.gives, Gives::Value(Type::Bool)).then(|| {
            results[1] = it.into();
            Quick::Done
        })
    }

    /// Whether it acts and can give None, which it does.
    fn gives_none(&self, results: &mut [u64]) -> bool {
        let gives = match &self.gives {
            Gives::Nothing | Gives::None => true,
            Gives::Value(ty) => *ty == Type::Object(Class::ANY),
            Gives::Next(_) | Gives::Many(..) => false,
        };
        results[1..].fill(NONE);
        gives && self.acts
    }

    /// Gives the object that is the last of its results, and says before it that there is one.
    #[inline]
    pub(super) fn object(&self, object: PyObjectRef, site: Site<'_>, results: &mut [u64]) -> Quick {
        let ty = match &self.gives {
            Gives::Value(ty) => ty,
            Gives::Next(ty) => {
                results[1] = 1;
                ty
            }
            Gives::Nothing | Gives::None | Gives::Many(..) => return Quick::Done,
        };
        if let Type::Object(class) = *ty
            && let Some(row) = site.objects.rows.find(&object)
            && (class == Class::ANY && self.seen.is_settled() || python::is_of(&object, class) == Some(true))
        {
            // It has been looked at.
            *results.last_mut().expect("it gives something") =
                site.objects.give_of_row(object, site.place, row, site.vm);
            return Quick::Done;
        }
        let bits = match slot(&object, *ty, &self.seen, &site.objects.rows, site.vm) {
            Slot::Bits(bits) => bits,
            Slot::Handle => site.give(object),
            other => {
                results.fill(NO_OBJECT);
                return Quick::Rare(Box::new(self.gave(object, other)));
            }
        };
        *results.last_mut().expect("it gives something") = bits;
        Quick::Done
    }
}

/// The attributes that are columns in code.
fn names(captured: &Captured) -> rows::Names {
    rows::names(captured.hosts.iter().filter_map(|it| match it {
        HostKind::Cross(crossing) => Some((crossing.column?, crossing.operation.attribute()?)),
        _ => None,
    }))
}

/// Something was stored, or not.
fn acted(done: PyResult<()>) -> Quick {
    match done {
        Ok(()) => Quick::Done,
        Err(exception) => Quick::Rare(Box::new(Err(HostFailure::Raised(exception)))),
    }
}

impl Site<'_> {
    #[inline]
    fn is_free(&self, object: &PyObject) -> bool {
        is_free(object, self.known, self.vm)
    }

    /// The same for an object whose attributes lie there.
    #[inline]
    fn is_free_with(&self, object: &PyObject, dict: Option<&PyDictRef>) -> bool {
        is_free_with(object, || dict.map(|it| it.as_object().get_id()), self.known, self.vm)
    }

    /// `list.append(part)`.
    fn append(&self, list: &PyObject, part: Part<'_>) -> Option<Quick> {
        let list = list.downcast_ref_if_exact::<PyList>(self.vm)?;
        let value = self.storable(part)?;
        list.borrow_vec_mut().push(value);
        Some(Quick::Done)
    }

    /// What is stored; where it may hold anything, no list is known to be sealed any more.
    fn storable(&self, part: Part<'_>) -> Option<PyObjectRef> {
        let stored = part.stored(self.vm)?;
        if !is_atom(&stored, self.vm) {
            if !self.is_free(&stored) {
                return None;
            }
            if !is_flat(&stored, self.vm) {
                self.objects.unseal();
            }
        }
        Some(stored)
    }
}

/// A method of the class of an object of native code.
fn method_of(object: &PyObject, name: &'static PyStrInterned, vm: &VirtualMachine) -> Option<PyObjectRef> {
    let method = object.class().get_attr(name)?;
    method.class().is(vm.ctx.types.method_descriptor_type).then_some(method)
}

/// `container[index]`, where there is one.
fn item(container: &PyObjectRef, index: Part<'_>, vm: &VirtualMachine) -> Option<PyObjectRef> {
    if let Some(list) = container.downcast_ref_if_exact::<PyList>(vm) {
        let items = list.borrow_vec();
        return index.index(items.len(), vm).map(|it| items[it].clone());
    }
    if let Some(dict) = container.downcast_ref_if_exact::<PyDict>(vm) {
        let mut made = None;
        return dict.get_item_opt(index.key(&mut made, vm)?, vm).ok()?;
    }
    if let Some(tuple) = container.downcast_ref_if_exact::<PyTuple>(vm) {
        let items = tuple.as_slice();
        return index.index(items.len(), vm).map(|it| items[it].clone());
    }
    if let Some(bytes) = container.downcast_ref_if_exact::<PyByteArray>(vm) {
        let bytes = bytes.borrow_buf();
        return index.index(bytes.len(), vm).map(|it| vm.ctx.new_int(bytes[it]).into());
    }
    (class_number(container.class(), vm) == DEQUE).then_some(())?;
    let index = index.index(container.length(vm).ok()?, vm)?;
    container.sequence_unchecked().get_item(index as isize, vm).ok()
}

/// How many items there are.
fn length(object: &PyObject, vm: &VirtualMachine) -> Option<usize> {
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return Some(list.borrow_vec().len());
    }
    if let Some(text) = object.downcast_ref_if_exact::<PyStr>(vm) {
        return Some(text.char_len());
    }
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return Some(tuple.len());
    }
    if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
        return Some(dict.__len__());
    }
    let is_counted =
        matches!(class_number(object.class(), vm), SET | FROZENSET | BYTES | BYTEARRAY | DEQUE | DEFAULTDICT);
    is_counted.then(|| object.length(vm).ok()).flatten()
}

/// How two texts or two numbers compare.
fn compare(one: Part<'_>, other: Part<'_>, op: PyComparisonOp, vm: &VirtualMachine) -> Option<bool> {
    if let (Some(one), Some(other)) = (text(&one, vm), text(&other, vm)) {
        return match op {
            PyComparisonOp::Eq => Some(one.as_wtf8() == other.as_wtf8()),
            PyComparisonOp::Ne => Some(one.as_wtf8() != other.as_wtf8()),
            _ => None,
        };
    }
    let order = match (one.number(vm)?, other.number(vm)?) {
        (Number::Int(one), Number::Int(other)) => Some(one.cmp(&other)),
        (one, other) => one.exactly()?.partial_cmp(&other.exactly()?),
    };
    Some(match order {
        Some(order) => op.eval_ord(order),
        // A NaN differs from all.
        None => op == PyComparisonOp::Ne,
    })
}

fn text<'a>(part: &Part<'a>, vm: &VirtualMachine) -> Option<&'a PyStr> {
    match part {
        Part::Object(object) => object.downcast_ref_if_exact::<PyStr>(vm).map(|it| &**it),
        _ => None,
    }
}

/// A number that is compared.
#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// As a float, if there is one.
    fn exactly(self) -> Option<f64> {
        const LIMIT: u64 = 1 << f64::MANTISSA_DIGITS;
        match self {
            Number::Int(number) => (number.unsigned_abs() <= LIMIT).then_some(number as f64),
            Number::Float(number) => Some(number),
        }
    }
}
