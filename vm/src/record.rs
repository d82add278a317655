//! Record classes: dataclasses of numbers and of links to one another, whose objects compiled code reads.
//!
//! A *record class* is a dataclass whose fields are annotated `float`, `int`, `bool`, the class of arrays, another such
//! class, or `Optional` of one, and that can be reached from itself: a node of a tree, of a linked list, of a graph. What
//! an argument of such a class leads to is written down at each call, as the rows of a [`Table`]: compiled code
//! knows an object by the number of its row, so that every tree is the same kind of argument.
//!
//! The annotations only say what is expected. Whether the objects of a call are like that is looked at in each
//! call, object by object; a call with one that is not is keyed as any other objects are.
//!
//! `Key::fill` walks what the arguments lead to, once, and writes it into an array of integers and one of floats
//! (`record/table.rs`): a row for each object, found by identity; a link is the number of a row, 0 is None.

mod annotation;
mod table;

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::{PyDict, PyStr, PyStrInterned, PyType, PyTypeRef};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObjectRef, VirtualMachine};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{ArrayType, Elem, TensorType, Type};

pub(crate) use table::Table;

use crate::tensor;

/// A class with more fields is no record class.
const MAX_FIELDS: usize = 64;
/// More classes that lead to one another are none.
const MAX_CLASSES: usize = 16;
/// Of so many objects the first arrays are looked for.
const MOST_LOOKED_AT: usize = 1024;

/// What is in a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A number of this type.
    Number(Type),
    /// An array: the objects that are handed on have it, and the row says which one it is.
    Tensor(TensorType),
    /// An object of a record class.
    Link {
        /// The class, as an index into the layout.
        class: usize,
        /// Whether it may be `None`.
        optional: bool,
    },
}

/// A field of a record class.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static PyStrInterned,
    /// What is in it.
    pub(crate) kind: Kind,
    /// Where in a row: of the floats for a float, otherwise of the integers.
    pub(crate) column: usize,
    /// The descriptor that reads it, in a class with `__slots__`; otherwise it is in the object's dict.
    pub(crate) slot: Option<PyObjectRef>,
}

/// A record class.
#[derive(Clone, Debug)]
pub(crate) struct RecordClass {
    pub(crate) class: PyTypeRef,
    /// Its fields, in the order of `__init__`.
    pub(crate) fields: Vec<Field>,
}

impl RecordClass {
    /// The field of this name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.as_str() == name)
    }
}

/// The record classes of a call, and how wide the rows of its table are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The classes.
    pub(crate) classes: Vec<RecordClass>,
    /// How many integers a row has.
    pub(crate) ints: usize,
    /// How many floats a row has.
    pub(crate) floats: usize,
}

/// A field as its class declares it.
struct Declared {
    name: &'static PyStrInterned,
    of: Of,
    slot: Option<PyObjectRef>,
}

/// What a field is annotated with.
enum Of {
    Number(Type),
    /// Of which type is said by the objects.
    Tensor,
    Link {
        class: PyTypeRef,
        optional: bool,
    },
}

impl Layout {
    /// Whether there is no class in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The types of the arrays that a table is given in.
    pub(crate) fn types(&self) -> Vec<Type> {
        let array = |elem| Type::Array(ArrayType { elem, len: None });
        let floats = (self.floats > 0).then_some(array(Elem::F64));
        [array(Elem::I64)].into_iter().chain(floats).collect()
    }

    /// The index of a class, if it is a record class; it and all that it leads to are part of the layout then.
    ///
    /// Arrays of one field are of one type, which is that of the first one that `object`, of this class, leads to.
    pub(crate) fn find(&mut self, class: &Py<PyType>, object: &PyObjectRef, vm: &VirtualMachine) -> Option<usize> {
        let known = self.position(class);
        if let Some(index) = known {
            return self.leads_to(index, index).then_some(index);
        }
        // Most classes are none, and are to be known at once.
        if !is_dataclass(class, vm) {
            return None;
        }
        let mut found = vec![class.to_owned()];
        let mut declared = Vec::new();
        while let Some(class) = found.get(declared.len()).cloned() {
            let fields = declaration(&class, vm)?;
            for field in &fields {
                if let Of::Link { class, .. } = &field.of
                    && self.position(class).is_none()
                    && !found.iter().any(|it| it.is(class))
                {
                    found.push(class.clone());
                }
            }
            declared.push(fields);
        }
        let mut grown = self.clone();
        let index = grown.classes.len();
        grown.classes.extend(found.iter().map(|class| RecordClass { class: class.clone(), fields: Vec::new() }));
        if grown.classes.len() > MAX_CLASSES {
            return None;
        }
        let tensors = first_tensors(object, &found, &declared, vm);
        for (offset, fields) in declared.into_iter().enumerate() {
            let fields = grown.place(fields, &tensors[offset])?;
            grown.classes[index + offset].fields = fields;
        }
        if !grown.leads_to(index, index) {
            return None;
        }
        *self = grown;
        Some(index)
    }

    /// The fields of a class, each with its column.
    fn place(&mut self, declared: Vec<Declared>, tensors: &[Option<TensorType>]) -> Option<Vec<Field>> {
        let (mut ints, mut floats) = (0, 0);
        let mut fields = Vec::with_capacity(declared.len());
        for (Declared { name, of, slot }, tensor) in declared.into_iter().zip(tensors) {
            let kind = match of {
                Of::Number(ty) => Kind::Number(ty),
                // Where there is none, any will do: a call with one has a layout of its own.
                Of::Tensor => Kind::Tensor(tensor.unwrap_or(TensorType::new(Dtype::F64, &[]))),
                Of::Link { class, optional } => Kind::Link { class: self.position(&class)?, optional },
            };
            let next = if kind == Kind::Number(Type::F64) { &mut floats } else { &mut ints };
            fields.push(Field { name, kind, column: *next, slot });
            *next += 1;
        }
        self.ints = self.ints.max(ints);
        self.floats = self.floats.max(floats);
        Some(fields)
    }

    /// Whether there are arrays in fields.
    pub(crate) fn has_tensors(&self) -> bool {
        self.classes.iter().flat_map(|it| &it.fields).any(|it| matches!(it.kind, Kind::Tensor(_)))
    }

    fn position(&self, class: &Py<PyType>) -> Option<usize> {
        self.classes.iter().position(|it| it.class.is(class))
    }

    /// Whether an object of one class can lead to one of another.
    fn leads_to(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.classes.len()];
        let mut left = vec![from];
        while let Some(class) = left.pop() {
            for field in &self.classes[class].fields {
                let Kind::Link { class: next, .. } = field.kind else { continue };
                if next == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next], true) {
                    left.push(next);
                }
            }
        }
        false
    }
}

/// The types of the first arrays in the fields of these classes that an object leads to.
fn first_tensors(
    object: &PyObjectRef,
    classes: &[PyTypeRef],
    declared: &[Vec<Declared>],
    vm: &VirtualMachine,
) -> Vec<Vec<Option<TensorType>>> {
    let mut types: Vec<Vec<Option<TensorType>>> = declared.iter().map(|it| vec![None; it.len()]).collect();
    let is_tensor = |it: &&Declared| matches!(it.of, Of::Tensor);
    let mut missing = declared.iter().flatten().filter(is_tensor).count();
    let mut left = vec![object.clone()];
    let mut seen = HashSet::default();
    while missing > 0
        && seen.len() < MOST_LOOKED_AT
        && let Some(object) = left.pop()
    {
        let Some(class) = classes.iter().position(|it| object.class().is(it)) else { continue };
        if !seen.insert(object.get_id()) {
            continue;
        }
        for (field, ty) in declared[class].iter().zip(&mut types[class]) {
            let value = match &field.slot {
                Some(slot) => vm.call_get_descriptor(slot, &object).and_then(Result::ok),
                None => object.dict().and_then(|it| it.get_item_opt(field.name, vm).ok().flatten()),
            };
            match (&field.of, value) {
                (Of::Tensor, Some(value)) if ty.is_none() => {
                    *ty = tensor::passed(&value);
                    missing -= usize::from(ty.is_some());
                }
                (Of::Link { .. }, Some(value)) => left.push(value),
                (Of::Number(_) | Of::Tensor | Of::Link { .. }, _) => {}
            }
        }
    }
    types
}

/// Whether this is a dataclass whose objects are nothing but their attributes.
fn is_dataclass(class: &Py<PyType>, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let is_python = |it: &Py<PyType>| it.slots().flags.has_feature(PyTypeFlags::HEAPTYPE);
    let has = |name| class.get_attr(vm.ctx.intern_str(name)).is_some();
    let object_new = types.object_type.get_attr(vm.ctx.intern_str("__new__"));
    is_python(class)
        && class.get_direct_attr(vm.ctx.intern_str("__dataclass_fields__")).is_some()
        && class.as_object().class().is(types.type_type)
        && class.mro_collect().iter().all(|it| is_python(it) || it.is(types.object_type))
        && !has("__del__")
        && class.get_attr(vm.ctx.intern_str("__new__")).zip(object_new).is_some_and(|(a, b)| a.is(&b))
}

/// Whether the objects of a class have `__slots__` and no dict; `None` if they may have both.
fn has_slots(class: &Py<PyType>, vm: &VirtualMachine) -> Option<bool> {
    let mro = class.mro_collect();
    let mut classes = mro.iter().filter(|it| !it.is(vm.ctx.types.object_type));
    let slots = vm.ctx.intern_str("__slots__");
    let first = classes.next()?.get_direct_attr(slots).is_some();
    classes.all(|it| it.get_direct_attr(slots).is_some() == first).then_some(first)
}

/// The fields of a dataclass; `None` if one of them is neither a number nor a link.
fn declaration(class: &PyTypeRef, vm: &VirtualMachine) -> Option<Vec<Declared>> {
    if !is_dataclass(class, vm) {
        return None;
    }
    let fields = class.get_direct_attr(vm.ctx.intern_str("__dataclass_fields__"))?;
    let fields = fields.downcast_ref::<PyDict>()?.items_vec();
    if fields.len() > MAX_FIELDS {
        return None;
    }
    let slotted = has_slots(class, vm)?;
    let mut declared = Vec::with_capacity(fields.len());
    for (name, field) in fields {
        let name = name.downcast_ref::<PyStr>()?;
        let stored = field.get_attr("_field_type", vm).ok()?.get_attr("name", vm).ok()?;
        // `ClassVar` and `InitVar` are no attributes of the objects.
        if stored.downcast_ref::<PyStr>()?.as_wtf8() != "_FIELD" {
            continue;
        }
        let annotation = field.get_attr("type", vm).ok()?;
        let of = annotation::read(&annotation, class, vm)?;
        let name = vm.ctx.intern_str(name.to_str()?);
        let slot = match slotted {
            true => Some(class.get_attr(name).filter(|it| it.class().is(vm.ctx.types.member_descriptor_type))?),
            false => None,
        };
        declared.push(Declared { name, of, slot });
    }
    Some(declared)
}
