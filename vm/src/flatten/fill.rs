//! Whether the arguments of a call look like a key, and what compiled code is given then.

use std::sync::Arc;

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::{PyDict, PyList, PySet, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::backend::NONE;
use snekpy_stage::list::{Budget, List, Lists};
use snekpy_stage::map::Maps;
use snekpy_stage::sizes::Sizes;
use snekpy_stage::types::{ArrayType, Class, ListType, MapType, Scalar, TensorType, Type};

use super::{
    Addresses, Arg, Inputs, Key, MAX_READ_ANEW, Row, attribute_items, entries_of, find, input_bits, is_short,
    number_map, shared_memory,
};
use crate::capture::list::{ItemType, items_of};
use crate::flatten::Source;
use crate::host::array::array_view;
use crate::host::cell::cell_get;
use crate::host::function::does_the_same;
use crate::kind::wide_bits;
use crate::object::{FIRST, class_number, passed_is_noticed};
use crate::record::{Layout, Table};
use crate::scalar::{same, scalar_bits};

impl Key {
    /// The key of arguments of these types, which are not there yet.
    pub(crate) fn of_types(types: &[Type]) -> Self {
        let args = types.iter().map(|&ty| Some(Arg::Leaf { ty })).collect();
        Self {
            args,
            types: types.to_vec(),
            records: None,
            sources: Vec::new(),
            cells: 0,
            may_copy: false,
            may_know: false,
            sizes: Sizes::default(),
        }
    }

    /// Whether these arguments look like this. Then the inputs are what compiled code is to be given;
    /// otherwise they are of no use.
    ///
    /// # Errors
    /// What asking an array for its memory raises.
    pub(crate) fn fill(
        &self,
        locals: &[Option<PyObjectRef>],
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> PyResult<bool> {
        let bound = locals.get(self.args.len()..).unwrap_or_default();
        if bound.iter().any(Option::is_some) {
            return Ok(false);
        }
        for (local, arg) in self.args.iter().enumerate() {
            let matches = match (arg, locals.get(local).and_then(Option::as_ref)) {
                (None, None) => true,
                (Some(arg), Some(object)) => self.fill_arg(arg, object, locals, inputs, vm)?,
                (None, Some(_)) | (Some(_), None) => false,
            };
            if !matches {
                return Ok(false);
            }
        }
        if let Some(layout) = &self.records
            && !inputs.push_table(layout, vm)
        {
            return Ok(false);
        }
        for (source, ty) in self.sources.iter().zip(self.source_types()) {
            match source {
                Source::Members(object) => {
                    if !inputs.push_members(*ty, object, vm) {
                        return Ok(false);
                    }
                    continue;
                }
                Source::Table(table) => {
                    inputs.slots.push(table.slot());
                    continue;
                }
                Source::Item { .. } | Source::Cell(_) => {}
            }
            if let Type::Tensor(ty) = ty {
                if !source.read(vm).is_some_and(|it| inputs.push_tensor(*ty, &it, vm)) {
                    return Ok(false);
                }
                continue;
            }
            let Some(bits) = source.read(vm).and_then(|it| input_bits(&it, *ty, vm)) else { return Ok(false) };
            inputs.slots.push(bits);
        }
        Ok(!self.has_containers() || self.shares_as_before(locals, inputs.table.as_deref()))
    }

    /// Whether the numbers of the world that are inputs are what they were when a call with these slots began.
    pub(crate) fn sources_hold(&self, inputs: &Inputs, vm: &VirtualMachine) -> bool {
        let types = self.source_types();
        let objects = &inputs.objects;
        let inputs = &inputs.slots;
        let first = inputs.len() - types.iter().map(|&ty| snekpy_stage::backend::slots(ty)).sum::<usize>();
        let mut inputs = inputs[first..].iter();
        // Each takes one slot: a number, or the address of a copy.
        self.sources.iter().zip(types).zip(&mut inputs).all(|((source, ty), &bits)| {
            if let Type::Tensor(_) = ty {
                let passed = objects.get((bits - FIRST) as usize);
                return passed.zip(source.read(vm)).is_some_and(|(passed, now)| now.is(passed));
            }
            !ty.is_scalar() || source.read(vm).and_then(|it| input_bits(&it, *ty, vm)) == Some(bits)
        })
    }

    /// The lists in lists that are no arguments, each as often as it is in another one.
    pub(crate) fn rows_of_sources(&self) -> Vec<usize> {
        let nested = self.sources.iter().zip(self.source_types()).filter_map(|it| match it {
            (Source::Members(object), Type::List(ty)) if ty.nesting > 0 => Some(rows_once(object)),
            _ => None,
        });
        nested.flatten().collect()
    }

    /// The types of the sources.
    pub(crate) fn source_types(&self) -> &[Type] {
        &self.types[self.types.len() - self.sources.len()..]
    }

    #[inline]
    fn fill_arg(
        &self,
        arg: &Arg,
        object: &PyObjectRef,
        locals: &[Option<PyObjectRef>],
        inputs: &mut Inputs,
        vm: &VirtualMachine,
    ) -> PyResult<bool> {
        let items = |args: &[Arg], items: &[PyObjectRef], inputs: &mut Inputs| -> PyResult<bool> {
            if items.len() != args.len() {
                return Ok(false);
            }
            for (arg, item) in args.iter().zip(items) {
                if !self.fill_arg(arg, item, locals, inputs, vm)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let types = &vm.ctx.types;
        match arg {
            Arg::Leaf { ty: Type::Array(array) } => inputs.push_array(*array, object, vm),
            Arg::Items(ty) => Ok(inputs.push_list(ty, object, vm)),
            Arg::Leaf { ty: Type::Map(ty) } => Ok(inputs.push_map(*ty, object, vm)),
            Arg::Empty { set } => {
                let class = if *set { types.set_type } else { types.dict_type };
                Ok(object.class().is(class) && number_map(object, vm) == Some(None))
            }
            Arg::Leaf { ty: Type::Tensor(ty) } => Ok(inputs.push_tensor(*ty, object, vm)),
            Arg::Leaf { ty: Type::Object(class) } => Ok(inputs.push_object(*class, object, vm)),
            Arg::Leaf { ty } => Ok(scalar_bits(object, *ty, vm).map(|bits| inputs.slots.push(bits)).is_some()),
            Arg::Wide => Ok(wide_bits(object, vm).map(|bits| inputs.slots.push(bits)).is_some()),
            Arg::Static(known) => Ok(same(known, object, vm)),
            Arg::Function(known) => Ok(does_the_same(known, object, vm)),
            Arg::Tuple(args) => match object.downcast_ref::<PyTuple>() {
                Some(tuple) if object.class().is(types.tuple_type) => items(args, tuple.as_slice(), inputs),
                _ => Ok(false),
            },
            Arg::Named(class, args) => match object.downcast_ref::<PyTuple>() {
                Some(tuple) if object.class().is(class) => items(args, tuple.as_slice(), inputs),
                _ => Ok(false),
            },
            Arg::List(args) => match object.downcast_ref::<PyList>() {
                Some(list) if object.class().is(types.list_type) => {
                    // Not borrowed while the items are looked at: comparing may run code.
                    let found = list.borrow_vec().to_vec();
                    items(args, &found, inputs)
                }
                _ => Ok(false),
            },
            Arg::Keywords(args) | Arg::Names(args) => {
                let Some(found) = entries_of(object, vm).filter(|it| it.len() == args.len()) else {
                    return Ok(false);
                };
                for ((key, arg), (found, value)) in args.iter().zip(&found) {
                    if !same(key, found, vm) || !self.fill_arg(arg, value, locals, inputs, vm)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Arg::Instance { class, attributes } => {
                if !object.class().is(class) {
                    return Ok(false);
                }
                let found = attribute_items(object, vm);
                let Some(found) = found.filter(|it| it.len() == attributes.len()) else { return Ok(false) };
                for ((name, arg), (found, value)) in attributes.iter().zip(&found) {
                    let is_same = name.is(found) || name.as_wtf8() == found.as_wtf8();
                    if !is_same || !self.fill_arg(arg, value, locals, inputs, vm)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Arg::Cell(arg) => match cell_get(object, vm) {
                Some(content) => self.fill_arg(arg, &content, locals, inputs, vm),
                None => Ok(false),
            },
            Arg::Same(root) => Ok(find(root, locals).is_some_and(|it| it.is(object))),
            Arg::Record { index, .. } => Ok(inputs.push_record(object, *index, self.records.as_deref(), vm)),
        }
    }

    fn has_containers(&self) -> bool {
        self.args.iter().flatten().any(|arg| match arg {
            Arg::Tuple(_)
            | Arg::Named(..)
            | Arg::List(_)
            | Arg::Instance { .. }
            | Arg::Names(_)
            | Arg::Items(_)
            | Arg::Empty { .. }
            | Arg::Function(_)
            | Arg::Cell(_)
            | Arg::Leaf { ty: Type::Map(_) } => true,
            Arg::Keywords(args) => !args.is_empty(),
            Arg::Leaf { .. } | Arg::Wide | Arg::Static(_) | Arg::Same(_) | Arg::Record { .. } => false,
        })
    }

    /// Whether no two containers are one that were two when the key was made, and none is a record, which compiled
    /// code would not change with it.
    fn shares_as_before(&self, locals: &[Option<PyObjectRef>], table: Option<&Table>) -> bool {
        let mut seen = Seen::default();
        let mut pairs = self.args.iter().zip(locals);
        let all_new = pairs.all(|(arg, object)| match (arg, object) {
            (Some(arg), Some(object)) => seen.all_new(arg, object),
            _ => true,
        });
        all_new && table.is_none_or(|table| !seen.are_in(table))
    }
}

/// The containers found in arguments, by identity.
#[derive(Default)]
struct Seen {
    /// Those that were taken apart.
    apart: SmallVec<[usize; 8]>,
    /// Dicts that were not.
    whole: SmallVec<[usize; 2]>,
    /// Those that are items of lists which were copied.
    rows: HashSet<usize>,
    /// Whether there were objects, or dicts with names, among the former.
    objects: bool,
}

impl Seen {
    /// Whether no container in this argument has been seen.
    fn all_new(&mut self, arg: &Arg, object: &PyObjectRef) -> bool {
        let item = |index| crate::flatten::item(object, index);
        match arg {
            Arg::Items(ty) if ty.has_lists() => {
                let rows: HashSet<usize> = rows_of(object).into_iter().collect();
                let are_new = !self.apart.iter().chain(&self.whole).any(|it| rows.contains(it));
                let are_new = are_new && self.rows.is_disjoint(&rows);
                self.rows.extend(rows);
                are_new && self.is_new(object.get_id())
            }
            Arg::Items(_) | Arg::Leaf { ty: Type::Map(_) } | Arg::Empty { .. } | Arg::Function(_) => {
                self.is_new(object.get_id())
            }
            Arg::Leaf { .. } | Arg::Wide | Arg::Same(_) | Arg::Record { .. } => true,
            Arg::Static(_) => {
                if object.downcast_ref::<PyDict>().is_some() || object.downcast_ref::<PySet>().is_some() {
                    self.whole.push(object.get_id());
                }
                !self.apart.contains(&object.get_id()) && !self.rows.contains(&object.get_id())
            }
            Arg::Cell(arg) => {
                self.is_new(object.get_id()) && item(0).is_some_and(|content| self.all_new(arg, &content))
            }
            Arg::Keywords(args) => {
                let mut args = args.iter().enumerate();
                args.all(|(index, (_, arg))| item(index).is_some_and(|item| self.all_new(arg, &item)))
            }
            Arg::Instance { attributes, .. } => {
                let mut args = attributes.iter().enumerate();
                self.objects = true;
                self.is_new(object.get_id())
                    && object.dict().is_none_or(|dict| self.is_new(dict.as_object().get_id()))
                    && args.all(|(index, (_, arg))| item(index).is_some_and(|item| self.all_new(arg, &item)))
            }
            Arg::Names(args) => {
                let mut args = args.iter().enumerate();
                // It may be the attributes of a record.
                self.objects = true;
                self.is_new(object.get_id())
                    && args.all(|(index, (_, arg))| item(index).is_some_and(|item| self.all_new(arg, &item)))
            }
            // The empty tuple is one object wherever it occurs.
            Arg::Tuple(args) if args.is_empty() => true,
            Arg::Tuple(args) | Arg::Named(_, args) | Arg::List(args) => {
                let mut args = args.iter().enumerate();
                self.is_new(object.get_id())
                    && args.all(|(index, arg)| item(index).is_some_and(|item| self.all_new(arg, &item)))
            }
        }
    }

    /// Whether one of the objects that were taken apart is a record, or has its attributes in common with one.
    fn are_in(&self, table: &Table) -> bool {
        self.objects
            && (self.apart.iter().any(|&id| table.holds(id)) || table.has_dict_in(|id| self.apart.contains(&id)))
    }

    fn is_new(&mut self, id: usize) -> bool {
        let new = !self.apart.contains(&id) && !self.whole.contains(&id) && !self.rows.contains(&id);
        self.apart.push(id);
        new
    }
}

/// The lists in a list of lists, each once.
fn rows_once(object: &PyObjectRef) -> HashSet<usize> {
    rows_of(object).into_iter().collect()
}

/// The lists that are in a list of lists, or of tuples with lists in them, by identity.
pub(crate) fn rows_of(object: &PyObjectRef) -> Vec<usize> {
    let mut rows = Vec::new();
    collect_rows(object, &mut rows);
    rows
}

fn collect_rows(object: &PyObjectRef, rows: &mut Vec<usize>) {
    let inside = |item: &PyObjectRef| {
        if item.downcast_ref::<PyList>().is_some() {
            rows.push(item.get_id());
        }
        collect_rows(item, rows);
    };
    if let Some(list) = object.downcast_ref::<PyList>() {
        let items = list.borrow_vec();
        // All items look like the first one.
        if items
            .first()
            .is_some_and(|it| it.downcast_ref::<PyList>().is_some() || it.downcast_ref::<PyTuple>().is_some())
        {
            items.iter().for_each(inside);
        }
    } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        tuple.as_slice().iter().for_each(inside);
    }
}

impl Inputs {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.arrays.clear();
        self.views.clear();
        self.lists = Lists::default();
        self.rows.clear();
        self.places.clear();
        self.copied.clear();
        self.maps = Maps::default();
        self.table = None;
        self.items.clear();
        self.objects.clear();
        self.sizes.clear();
        self.hosts = None;
    }

    /// A tensor, if it is of this type.
    fn push_tensor(&mut self, ty: TensorType, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        let Some(tensor) = crate::tensor::found(object).filter(|it| it.dtype() == ty.dtype) else { return false };
        let (dims, written) = (tensor.dims(), ty.shape.dims());
        tensor.home() == Some(ty.home)
            && dims.len() == written.len()
            && written.iter().zip(dims.iter()).all(|(written, size)| self.sizes.fits(*written, *size))
            && self.push_object(Class::ANY, object, vm)
    }

    /// An object that compiled code only hands on, if it is of this class.
    fn push_object(&mut self, class: Class, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        if class != Class::ANY && class_number(object.class(), vm) != class {
            return false;
        }
        if vm.is_none(object) {
            self.slots.push(NONE);
            return true;
        }
        if passed_is_noticed(object, vm) {
            return false;
        }
        self.slots.push(FIRST + self.objects.len() as u64);
        self.objects.push(object.clone());
        true
    }

    /// Takes the memory of the copies of lists and maps from a budget. Whether it had enough.
    pub(crate) fn charge(&mut self, budget: &Arc<Budget>) -> bool {
        self.lists.charge(budget) && self.maps.charge(budget)
    }

    /// Lets the arrays be resized again.
    pub(crate) fn release(&mut self) {
        self.views.clear();
    }

    /// The row of a record. What it leads to has rows when the table is pushed.
    fn push_record(
        &mut self,
        object: &PyObjectRef,
        class: usize,
        layout: Option<&Layout>,
        vm: &VirtualMachine,
    ) -> bool {
        let Some(layout) = layout else { return false };
        let row = self.table.get_or_insert_default().enter(object, class, layout, vm);
        self.slots.extend(row);
        row.is_some()
    }

    fn push_table(&mut self, layout: &Layout, vm: &VirtualMachine) -> bool {
        let Some(table) = &mut self.table else { return false };
        let fits = table.fill(layout, &mut self.objects, vm);
        self.slots.extend(table.slots(layout));
        fits
    }

    /// Pushes tangents for the floats of an argument; `false` if they have another shape.
    pub(crate) fn push_tangents(&mut self, arg: &Arg, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        let mut all = |args: Vec<&Arg>, items: Vec<PyObjectRef>| {
            args.len() == items.len() && args.iter().zip(&items).all(|(arg, item)| self.push_tangents(arg, item, vm))
        };
        match arg {
            Arg::Leaf { ty: ty @ Type::F64 } => {
                scalar_bits(object, *ty, vm).map(|bits| self.slots.push(bits)).is_some()
            }
            Arg::Leaf { ty: Type::Tensor(ty) } if ty.dtype.is_float() => self.push_tensor(*ty, object, vm),
            Arg::Items(ty) => self.push_list(ty, object, vm),
            Arg::Named(class, args) => match object.downcast_ref::<PyTuple>() {
                Some(tuple) if object.class().is(class) => all(args.iter().collect(), tuple.as_slice().to_vec()),
                _ => false,
            },
            Arg::Tuple(args) => match object.downcast_ref_if_exact::<PyTuple>(vm) {
                Some(tuple) => all(args.iter().collect(), tuple.as_slice().to_vec()),
                None => false,
            },
            Arg::List(args) => match object.downcast_ref_if_exact::<PyList>(vm) {
                Some(list) => all(args.iter().collect(), list.borrow_vec().to_vec()),
                None => false,
            },
            Arg::Names(args) | Arg::Keywords(args) => {
                let Some(found) = entries_of(object, vm) else { return false };
                let are_same = found.iter().zip(args).all(|((a, _), (b, _))| same(a, b, vm));
                let (args, found) = (args.iter().map(|(_, arg)| arg), found.into_iter().map(|(_, it)| it));
                are_same && all(args.collect(), found.collect())
            }
            Arg::Instance { attributes: args, .. } => {
                let Some(found) = attribute_items(object, vm) else { return false };
                let are_same = found.iter().zip(args).all(|((a, _), (b, _))| a.as_wtf8() == b.as_wtf8());
                let (args, found) = (args.iter().map(|(_, arg)| arg), found.into_iter().map(|(_, it)| it));
                are_same && all(args.collect(), found.collect())
            }
            // A constant has no tangent.
            Arg::Static(_) | Arg::Function(_) | Arg::Wide | Arg::Empty { .. } => true,
            Arg::Leaf { ty: Type::I64 | Type::Bool | Type::Tensor(_) } => true,
            Arg::Leaf { .. } | Arg::Same(_) | Arg::Record { .. } | Arg::Cell(_) => false,
        }
    }

    /// Pushes a float or an array, if it is of this type.
    pub(crate) fn push_derivative(&mut self, ty: Type, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        self.push_tangents(&Arg::Leaf { ty }, object, vm)
    }

    /// The copies of lists and maps, which stay where they are.
    pub(crate) fn into_numbers(self) -> (Lists, Maps) {
        (self.lists, self.maps)
    }

    /// A list, dict or set of numbers, if it is of this type.
    pub(crate) fn push_members(&mut self, ty: Type, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        match ty {
            Type::Map(ty) => is_short(object, MAX_READ_ANEW, vm) && self.push_map(ty, object, vm),
            Type::List(ty) => self.push_list(&items_of(ty), object, vm),
            _ => false,
        }
    }

    /// A list whose items are of this type; each of the lists in it is of one type, wherever it is found.
    pub(super) fn push_list(&mut self, ty: &ItemType, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        let Some(list) = object.downcast_ref::<PyList>().filter(|_| object.class().is(vm.ctx.types.list_type)) else {
            return false;
        };
        let items = list.borrow_vec();
        let mut columns = SmallVec::new();
        let pushed = self.copy_columns(ty, &items, &mut SmallVec::new(), &mut columns, vm).is_some();
        if pushed {
            self.copied.push((columns[0], object.clone()));
            self.slots.extend(columns);
        }
        pushed
    }

    /// The addresses of the copies of the columns of a list that is an item of another; one copy for each list.
    fn push_row(&mut self, ty: &Arc<ItemType>, object: &PyObjectRef, vm: &VirtualMachine) -> Option<Addresses> {
        let list = object.downcast_ref_if_exact::<PyList>(vm)?;
        if let Some(first) = self.places.get(&object.get_id()) {
            let row = &self.rows[first];
            return (row.items == *ty).then(|| row.columns.clone());
        }
        let mut columns = Addresses::new();
        self.copy_columns(ty, &list.borrow_vec(), &mut SmallVec::new(), &mut columns, vm)?;
        self.places.insert(object.get_id(), columns[0]);
        self.rows.insert(columns[0], Row { object: object.clone(), items: ty.clone(), columns: columns.clone() });
        Some(columns)
    }

    /// The object that the list at an address is a copy of.
    pub(crate) fn original(&self, address: u64) -> Option<&PyObjectRef> {
        let copied = || self.copied.iter().find(|(it, _)| *it == address).map(|(_, object)| object);
        self.rows.get(&address).map(|row| &row.object).or_else(copied)
    }

    /// Makes the lists that hold the part of items that `path` leads to, and gives their addresses.
    fn copy_columns(
        &mut self,
        ty: &ItemType,
        items: &[PyObjectRef],
        path: &mut SmallVec<[usize; 4]>,
        made: &mut Addresses,
        vm: &VirtualMachine,
    ) -> Option<()> {
        let part = |item: &PyObjectRef| {
            path.iter().try_fold(item.clone(), |item, &index| {
                item.downcast_ref_if_exact::<PyTuple>(vm)?.as_slice().get(index).cloned()
            })
        };
        match ty {
            ItemType::Number(elem) => {
                let (copy, ty) = (self.lists.make(ListType::of(*elem)), elem.value_type());
                let fits = match path.is_empty() {
                    true => copy.extend(items.iter().map(|item| scalar_bits(item, ty, vm))),
                    false => copy.extend(items.iter().map(|item| part(item).and_then(|it| scalar_bits(&it, ty, vm)))),
                };
                fits.then_some(())?;
                made.push(std::ptr::from_mut(copy) as u64);
            }
            ItemType::Tuple(types) => {
                let fits = |item: &PyObjectRef| {
                    part(item)
                        .and_then(|it| it.downcast_ref_if_exact::<PyTuple>(vm).map(|it| it.len()))
                        .is_some_and(|length| length == types.len())
                };
                items.iter().all(fits).then_some(())?;
                for (index, ty) in types.iter().enumerate() {
                    path.push(index);
                    self.copy_columns(ty, items, path, made, vm)?;
                    path.pop();
                }
            }
            ItemType::List(rows) => {
                self.copy_slots(ty, items, made, |it, item| it.push_row(rows, &part(item)?, vm))?;
            }
            ItemType::Made(kind) => {
                let make = kind.make()?;
                self.copy_slots(ty, items, made, |_, item| make.numbers_of(&*part(item)?, vm))?;
            }
        }
        Some(())
    }

    /// The same, where each item is a few slots.
    fn copy_slots(
        &mut self,
        ty: &ItemType,
        items: &[PyObjectRef],
        made: &mut Addresses,
        slots: impl Fn(&mut Self, &PyObjectRef) -> Option<SmallVec<[u64; 2]>>,
    ) -> Option<()> {
        let columns = ty.columns().into_iter().map(|it| std::ptr::from_mut(self.lists.make(it)));
        let columns: SmallVec<[*mut List; 4]> = columns.collect();
        for item in items {
            for (&column, slot) in columns.iter().zip(slots(self, item)?) {
                // SAFETY: it was made here, stays where it is, and nobody else looks at it.
                unsafe { &mut *column }.push(slot).then_some(())?;
            }
        }
        made.extend(columns.into_iter().map(|it| it as u64));
        Some(())
    }

    fn push_map(&mut self, ty: MapType, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        let types = &vm.ctx.types;
        let class = if ty.value.is_some() { types.dict_type } else { types.set_type };
        if !object.class().is(class) {
            return false;
        }
        let copy = self.maps.make(ty);
        let bits = |object: &PyObjectRef, ty: Scalar| scalar_bits(object, ty.ty(), vm);
        let is_key = |bits: u64| ty.key != Scalar::F64 || !f64::from_bits(bits).is_nan();
        let mut insert = |key: &PyObjectRef, value: Option<&PyObjectRef>| {
            let value = match (ty.value, value) {
                (Some(ty), Some(value)) => bits(value, ty),
                _ => Some(0),
            };
            match (bits(key, ty.key).filter(|&key| is_key(key)), value) {
                (Some(key), Some(value)) => copy.insert(key, value),
                _ => false,
            }
        };
        let fits = if let Some(dict) = object.downcast_ref::<PyDict>() {
            dict.items_vec().iter().all(|(key, value)| insert(key, Some(value)))
        } else if let Some(set) = object.downcast_ref::<PySet>() {
            set.elements().iter().all(|item| insert(item, None))
        } else {
            false
        };
        if fits {
            self.slots.push(std::ptr::from_mut(copy) as u64);
        }
        fits
    }

    fn push_array(&mut self, ty: ArrayType, object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<bool> {
        let Some(view) = array_view(object, vm)? else { return Ok(false) };
        if view.elem != ty.elem || ty.len.is_some_and(|len| len != view.len as u64) {
            return Ok(false);
        }
        let mut address = view.ptr.addr() as u64;
        if view.len == 0 {
            // No element is ever looked at, and every empty array must have an address of its own.
            address = (self.views.len() as u64 + 1) * 8;
        }
        match self.arrays.iter().find(|(it, _)| *it == address) {
            Some((_, other)) if !other.is(object) => return Err(crate::staging_error::raise(&shared_memory(), vm)),
            Some(_) => {}
            None => self.arrays.push((address, object.clone())),
        }
        self.slots.extend([address, view.len as u64]);
        self.views.push(view);
        Ok(true)
    }
}
