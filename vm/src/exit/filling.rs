//! From templates and slots to objects.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef, PyDict, PyList, PySet, PyTuple};
use rustpython_vm::bytecode::oparg::MakeFunctionFlag;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::entity::HostId;
use snekpy_stage::list::List;
use snekpy_stage::map::{Entry, Map};
use snekpy_stage::types::{Scalar, Type};

use super::pooled::{MadeRows, PoolsTemplate};
use super::{ExceptionTemplate, IteratorTemplate, RaisedAt, RowsTemplate, Template, reordered};
use crate::capture::list::{ItemType, items_of};
use crate::flatten::item;
use crate::flatten::{Inputs, Root, Row};
use crate::host::function::make_function;
use crate::host::resume::{Asleep, Extent, Generator};
use crate::host::traceback::raise_context;
use crate::host::{self, cell};
use crate::kind::{Make, May};
use crate::map_key;
use crate::object::Objects;
use crate::record::Table;
use crate::scalar::number_of;
use crate::staging_error::bug;
use crate::tensor;

/// What templates are filled with.
pub(crate) struct Filling<'a> {
    pub(crate) vm: &'a VirtualMachine,
    /// The slots.
    pub(crate) slots: &'a [u64],
    /// The arguments as they were bound.
    pub(crate) locals: &'a [Option<PyObjectRef>],
    /// The arrays among the arguments, by the address of their first element.
    pub(crate) arrays: &'a [(u64, PyObjectRef)],
    /// The objects that the records among the arguments lead to.
    pub(crate) table: Option<&'a Table>,
    /// What was in the containers among the arguments, by identity, if others may change it.
    items: Option<&'a HashMap<usize, Vec<PyObjectRef>>>,
    /// What compiled code was given.
    inputs: Option<&'a Inputs>,
    /// Objects that occur more than once.
    pub(crate) shared: RefCell<std::collections::HashMap<usize, PyObjectRef>>,
    /// The objects that compiled code has handles of.
    pub(super) objects: Option<&'a Objects>,
    /// The functions of the host, by what they were when they were captured.
    pub(super) places: &'a [Option<HostId>],
    /// Iterators over sequences, with the indices of their next items.
    pub(super) positions: RefCell<Vec<(PyObjectRef, PyObjectRef)>>,
    /// Objects that were made of lists and maps of the compiled code, by address: one object in all frame states.
    pub(super) containers: Rc<RefCell<HashMap<u64, PyObjectRef>>>,
    /// Objects that were made of rows of pools, likewise.
    pub(super) pooled: Rc<MadeRows>,
    /// Generators that have not begun.
    pub(crate) asleep: RefCell<Vec<Asleep>>,
}

/// What was made of lists, maps and rows of the compiled code: one object in all frame states.
#[derive(Default)]
pub(crate) struct MadeOfAddresses {
    containers: Rc<RefCell<HashMap<u64, PyObjectRef>>>,
    pooled: Rc<MadeRows>,
}

/// What a list of the compiled code holds, as its items are made.
pub(super) enum Columns<'a> {
    /// Numbers of this type.
    Number(&'a List, Type),
    /// Lists, each of one column.
    List(&'a List),
    /// Lists of these columns.
    Rows(Box<Self>),
    /// Tuples.
    Tuple(Vec<Self>),
    /// What this makes of numbers.
    Made(Arc<dyn Make>, Vec<Self>),
    /// Rows of pools.
    Pooled(May, Vec<Self>, Arc<PoolsTemplate>),
}

impl<'a> Columns<'a> {
    fn len(&self) -> usize {
        match self {
            Self::Number(list, _) | Self::List(list) => list.len(),
            Self::Rows(columns) => columns.len(),
            Self::Tuple(parts) | Self::Made(_, parts) | Self::Pooled(_, parts, _) => {
                parts.iter().map(Self::len).min().unwrap_or(0)
            }
        }
    }

    /// The address that a list is known by which is an item.
    fn address(&self, index: usize) -> u64 {
        match self {
            Self::Number(list, _) | Self::List(list) => list.get(index),
            Self::Rows(columns) => columns.address(index),
            Self::Tuple(parts) | Self::Made(_, parts) | Self::Pooled(_, parts, _) => parts[0].address(index),
        }
    }

    /// The columns of the list that is the item at an index, where these are the columns of such lists.
    fn inside(&self, index: usize) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|part| part.inside(index)).collect();
        match self {
            Self::Number(list, _) | Self::List(list) => inside(list, index),
            Self::Rows(columns) => Self::Rows(Box::new(columns.inside(index))),
            Self::Tuple(parts) => Self::Tuple(all(parts)),
            Self::Made(make, parts) => Self::Made(make.clone(), all(parts)),
            Self::Pooled(may, parts, pools) => Self::Pooled(*may, all(parts), pools.clone()),
        }
    }

    /// The number of an item.
    fn bits(&self, index: usize) -> Option<u64> {
        match self {
            Self::Number(list, _) => Some(list.get(index)),
            Self::List(_) | Self::Rows(_) | Self::Tuple(_) | Self::Made(..) | Self::Pooled(..) => None,
        }
    }

    /// Whether this object has the numbers of an item.
    fn holds(&self, index: usize, object: &PyObjectRef, vm: &VirtualMachine) -> bool {
        match self {
            Self::Number(list, ty) => crate::scalar::scalar_bits(object, *ty, vm) == Some(list.get(index)),
            // Which one it is, is looked up; lists that are not the program's hold none of the others.
            Self::List(_) | Self::Rows(_) | Self::Pooled(..) => false,
            Self::Made(make, parts) => make.numbers_of(object, vm).is_some_and(|numbers| {
                parts.iter().zip(numbers).all(|(part, number)| part.bits(index) == Some(number))
            }),
            Self::Tuple(parts) => object.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|tuple| {
                let items = tuple.as_slice();
                items.len() == parts.len() && parts.iter().zip(items).all(|(part, item)| part.holds(index, item, vm))
            }),
        }
    }
}

impl<'a> Filling<'a> {
    /// Fills templates with these.
    pub(crate) fn new(
        vm: &'a VirtualMachine,
        slots: &'a [u64],
        locals: &'a [Option<PyObjectRef>],
        arrays: &'a [(u64, PyObjectRef)],
        table: Option<&'a Table>,
    ) -> Self {
        Self {
            vm,
            slots,
            locals,
            arrays,
            table,
            items: None,
            inputs: None,
            shared: RefCell::default(),
            objects: None,
            places: &[],
            positions: RefCell::default(),
            containers: Rc::default(),
            pooled: Rc::default(),
            asleep: RefCell::default(),
        }
    }

    /// Containers among the arguments hold what they held when the call began.
    pub(crate) fn seeing(self, inputs: &'a Inputs) -> Self {
        Self { items: inputs.shared.then_some(&inputs.items), inputs: Some(inputs), ..self }
    }

    /// What is made of lists, maps and rows of the compiled code is shared with others.
    pub(crate) fn sharing(self, made: &MadeOfAddresses) -> Self {
        Self { containers: Rc::clone(&made.containers), pooled: Rc::clone(&made.pooled), ..self }
    }

    /// Handles among the slots are of these.
    pub(crate) fn with(self, objects: &'a Objects) -> Self {
        Self { objects: Some(objects), ..self }
    }

    /// The functions of the host are these, by what they were when they were captured.
    pub(crate) fn by(self, places: &'a [Option<HostId>]) -> Self {
        Self { places, ..self }
    }

    /// Makes the object.
    pub(crate) fn make(&self, template: &Template) -> PyResult {
        let vm = self.vm;
        Ok(match template {
            Template::Static(object) => object.clone(),
            Template::Leaf { slot, ty } => self.leaf(*slot, *ty)?,
            Template::Element { slot, ty, dtype } => tensor::without_axes(*dtype, self.slots[*slot], *ty, vm)?,
            Template::Argument(root) => self.argument(root)?,
            Template::Record { slot } => {
                let object = self.table.and_then(|table| table.object(self.slots[*slot]));
                object.ok_or_else(|| bug(vm, "a record has no row"))?
            }
            Template::Rows(rows) => self.copied_rows(rows)?,
            Template::Pooled(pooled) => {
                let parts = self.make_all(&pooled.parts)?;
                let bit = |part: &PyObjectRef| {
                    let ty = crate::scalar::scalar_type(part, vm)?;
                    crate::scalar::scalar_bits(part, ty, vm)
                };
                let bits: Option<SmallVec<[u64; 2]>> = parts.iter().map(bit).collect();
                let bits = bits.ok_or_else(|| bug(vm, "a row of a pool is no number"))?;
                self.of_pools(pooled.may, &bits, &pooled.pools)?
            }
            Template::Shared { id, make } => {
                if let Some(object) = self.shared.borrow().get(id) {
                    return Ok(object.clone());
                }
                let make = make.as_ref().ok_or_else(|| bug(vm, "an object is used before it is made"))?;
                if let Template::Cell(Some(value)) = &**make {
                    // What is in it may refer to it: a local function that calls itself.
                    let cell = cell::new_cell(None, vm);
                    self.shared.borrow_mut().insert(*id, cell.clone());
                    cell::cell_set(&cell, Some(self.make(value)?), vm);
                    return Ok(cell);
                }
                let object = self.make(make)?;
                self.shared.borrow_mut().insert(*id, object.clone());
                object
            }
            Template::Tuple(items) => vm.ctx.new_tuple(self.make_all(items)?).into(),
            Template::List(items) => {
                self.container(items.first(), || Ok(vm.ctx.new_list(self.make_items(items, None)?).into()))?
            }
            Template::Dict(items) if let Some(map) = self.map(items.first().map(|(key, _)| key)) => {
                self.container(items.first().map(|(key, _)| key), || {
                    let dict = vm.ctx.new_dict();
                    for (key, value) in self.entries(map, &[]) {
                        dict.set_item(&*key, value, vm)?;
                    }
                    Ok(dict.into())
                })?
            }
            Template::Dict(items) => {
                let dict = vm.ctx.new_dict();
                for (key, value) in items {
                    dict.set_item(&*self.make(key)?, self.make(value)?, vm)?;
                }
                dict.into()
            }
            Template::Set(items) => self.container(items.first(), || {
                let set = PySet::default().into_ref(&vm.ctx);
                for item in self.make_members(items, &[])? {
                    set.add(item, vm)?;
                }
                Ok(set.into())
            })?,
            Template::Made { make, parts } => match parts.as_slice() {
                [Template::Leaf { slot, ty: Type::List(_) }] => {
                    // SAFETY: the slot of a list has its address, and the lists of a call live until its result is made.
                    let list = unsafe { &*(self.slots[*slot] as usize as *const List) };
                    make.make_of_list(list, vm)
                        .ok_or_else(|| bug(vm, "a list of the compiled code is no part of this"))?
                }
                parts => make.make(&self.make_all(parts)?, vm)?,
            },
            Template::Exception(exception) => self.exception(exception)?.into(),
            Template::Instance { class, attributes } => {
                let object = host::new_object(class, vm)?;
                let Some(dict) = object.dict() else {
                    let pair = |(name, value): &(PyObjectRef, Template)| Ok((name.clone(), self.make(value)?));
                    let attributes = attributes.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
                    host::slots::set_attributes(&object, &attributes, vm);
                    return Ok(object);
                };
                for (name, value) in attributes {
                    dict.set_item(&**name, self.make(value)?, vm)?;
                }
                object
            }
            Template::Cell(value) => {
                let value = value.as_ref().map(|value| self.make(value)).transpose()?;
                cell::new_cell(value, vm)
            }
            Template::Function(function) => {
                let pair = |(flag, value): &(MakeFunctionFlag, Template)| Ok((*flag, self.make(value)?));
                let attributes = function.attributes.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
                make_function(function.code.clone(), function.globals.clone(), &attributes, vm)?
            }
            Template::Iterator(iterator) => self.iterator(iterator)?,
        })
    }

    fn iterator(&self, template: &IteratorTemplate) -> PyResult {
        let vm = self.vm;
        let types = &vm.ctx.types;
        Ok(match template {
            IteratorTemplate::Range(parts) => {
                let range = types.range_type.as_object().call(FuncArgs::from(self.make_all(parts)?), vm)?;
                range.get_iter(vm)?.into()
            }
            IteratorTemplate::Sequence { items, index, reversed } => {
                let items = self.make(items)?;
                let iterator: PyObjectRef = if *reversed {
                    crate::config::builtin("reversed", vm)?.call((items,), vm)?
                } else {
                    items.get_iter(vm)?.into()
                };
                let index = self.make(index)?;
                if *reversed && crate::scalar::scalar_bits(&index, Type::I64, vm).is_some_and(|it| it.cast_signed() < 0)
                {
                    // It has given its last item. Told so, it would begin with the first one.
                    let given = PyIter::new(iterator.clone());
                    while matches!(given.next(vm)?, PyIterReturn::Return(_)) {}
                    return Ok(iterator);
                }
                vm.call_method(&iterator, "__setstate__", (index.clone(),))?;
                self.positions.borrow_mut().push((iterator.clone(), index));
                iterator
            }
            IteratorTemplate::Members { of, given } => {
                let iterator = self.make(of)?.get_iter(vm)?;
                for _ in 0..*given {
                    iterator.next(vm)?;
                }
                iterator.into()
            }
            IteratorTemplate::Entries { container, view, map, numbers } => {
                let container = self.make(container)?;
                let of = match view {
                    Some(method) => vm.call_method(&container, method, ())?,
                    None => container.clone(),
                };
                let map = self.map(Some(map)).ok_or_else(|| bug(vm, "an iterator has no map"))?;
                let [position, length, changes] = numbers;
                let int = |template: &Template| -> PyResult<u64> {
                    let number = self.make(template)?;
                    let bits = crate::scalar::scalar_bits(&number, Type::I64, vm);
                    bits.ok_or_else(|| bug(vm, "an iterator counts in ints"))
                };
                let iterator = of.get_iter(vm)?;
                if int(length)? == map.len && int(changes)? == map.changes {
                    for _ in 0..map.count_before(int(position)?) {
                        iterator.next(vm)?;
                    }
                } else {
                    // It finds that the size has changed.
                    let object = vm.ctx.new_base_object(vm.ctx.types.object_type.to_owned(), None);
                    if container.downcast_ref::<PyDict>().is_some() {
                        container.set_item(&*object, vm.ctx.none(), vm)?;
                        container.del_item(&*object, vm)?;
                    } else {
                        vm.call_method(&container, "add", (object.clone(),))?;
                        vm.call_method(&container, "discard", (object,))?;
                    }
                }
                iterator.into()
            }
            IteratorTemplate::Enumerate { inner, count } => {
                types.enumerate_type.as_object().call((self.make(inner)?, self.make(count)?), vm)?
            }
            IteratorTemplate::Zip { inners, strict } => {
                let strict = vm.ctx.new_bool(*strict).into();
                let kwargs = KwArgs::from_iter([("strict".to_owned(), strict)]);
                types.zip_type.as_object().call(FuncArgs::new(self.make_all(inners)?, kwargs), vm)?
            }
            IteratorTemplate::Generator { function, args, more_args, kwargs, more_kwargs } => {
                // In the order in which the templates were made: what occurs twice is in the first one.
                let function = self.make(function)?;
                let mut args = self.make_all(args)?;
                if let Some(more) = more_args {
                    let more: PyObjectRef = self.make(more)?;
                    args.extend(more.try_to_value::<Vec<PyObjectRef>>(vm)?);
                }
                let mut named = Vec::new();
                for (name, value) in kwargs {
                    named.push((name.clone(), self.make(value)?));
                }
                if let Some(more) = more_kwargs {
                    let more = self.make(more)?;
                    for (name, value) in more.downcast_ref::<PyDict>().into_iter().flat_map(|it| it.items_vec()) {
                        named.push((name.str(vm)?.to_string_lossy().into_owned(), value));
                    }
                }
                function.call(FuncArgs::new(args, KwArgs::from_iter(named)), vm)?
            }
            IteratorTemplate::Begun(frame) => {
                let is_running = frame.way.generator == Some(Generator::Running);
                let landing = self.landing(frame, Extent::All, |_| Ok(()))?;
                let (generator, asleep) = host::resume::generator(landing, is_running, vm)?;
                self.asleep.borrow_mut().push(asleep);
                generator
            }
        })
    }

    /// The object that stands for a list or map of the compiled code, if that is what it holds; else a new one.
    fn container(&self, only: Option<&Template>, make: impl FnOnce() -> PyResult) -> PyResult {
        let Some(address) = only.and_then(|it| self.address(it)) else { return make() };
        if let Some(known) = self.known(address) {
            return Ok(known);
        }
        let made = make()?;
        self.containers.borrow_mut().insert(address, made.clone());
        Ok(made)
    }

    fn address(&self, template: &Template) -> Option<u64> {
        match template {
            Template::Leaf { slot, ty: Type::List(_) | Type::Map(_) } => Some(self.slots[*slot]),
            Template::Tuple(parts) | Template::Made { parts, .. } => self.address(parts.first()?),
            Template::Pooled(pooled) => self.address(pooled.parts.first()?),
            _ => None,
        }
    }

    /// Plain Python goes on with the objects of the call.
    pub(crate) fn release(&self) {
        self.table.inspect(|table| table.release());
    }

    /// Makes the objects.
    pub(crate) fn make_all(&self, templates: &[Template]) -> PyResult<Vec<PyObjectRef>> {
        templates.iter().map(|template| self.make(template)).collect()
    }

    /// The items of a list. Where one of the compiled code holds what was in `old`, that object stays.
    pub(super) fn make_items(&self, templates: &[Template], old: Option<&Py<PyList>>) -> PyResult<Vec<PyObjectRef>> {
        let [only] = templates else { return self.make_all(templates) };
        let Some(columns) = self.columns(only) else { return self.make_all(templates) };
        // No code of the program runs while the list is borrowed.
        old.map_or_else(|| self.items(&columns, &[]), |it| self.items(&columns, &it.borrow_vec()))
    }

    /// The items of a list of the compiled code, of which those that were there before stay.
    fn items(&self, columns: &Columns<'_>, old: &[PyObjectRef]) -> PyResult<Vec<PyObjectRef>> {
        if let Columns::Number(list, ty) = columns
            && let Some(items) = reordered::items(list, *ty, old, self.vm)
        {
            return Ok(items);
        }
        let item = |index| match old.get(index) {
            Some(object) if columns.holds(index, object, self.vm) => Ok(object.clone()),
            _ => self.item(columns, index),
        };
        (0..columns.len()).map(item).collect()
    }

    /// The object that stands for a list that is an item of another one, at this address and with these columns.
    fn list_at<'c>(&self, address: u64, columns: impl FnOnce() -> Columns<'c>) -> PyResult {
        if let Some(known) = self.known(address) {
            return Ok(known);
        }
        let made: PyObjectRef = self.vm.ctx.new_list(self.items(&columns(), &[])?).into();
        self.containers.borrow_mut().insert(address, made.clone());
        Ok(made)
    }

    /// The object that stands for the list or map at an address, if there is one.
    fn known(&self, address: u64) -> Option<PyObjectRef> {
        let made = self.containers.borrow().get(&address).cloned();
        made.or_else(|| self.inputs?.original(address).cloned())
    }

    /// What is to be written into lists among the arguments that are items of others.
    pub(super) fn rows(&self) -> PyResult<Vec<(PyObjectRef, Vec<PyObjectRef>)>> {
        let Some(inputs) = self.inputs else { return Ok(Vec::new()) };
        let changed = |Row { object, items, columns }: &Row| {
            let old = object.downcast_ref::<PyList>()?.borrow_vec();
            let new = self.items(&columns_at(items, &mut columns.iter().copied(), None), &old);
            let is_same =
                |new: &Vec<PyObjectRef>| new.len() == old.len() && new.iter().zip(&*old).all(|(new, old)| new.is(old));
            new.map(|new| (!is_same(&new)).then(|| (object.clone(), new))).transpose()
        };
        inputs.rows.values().filter_map(changed).collect()
    }

    /// The lists of the compiled code that the only item of a list stands for.
    fn columns<'t>(&'t self, template: &'t Template) -> Option<Columns<'t>> {
        match template {
            Template::Leaf { slot, ty: Type::List(_) } => {
                // SAFETY: the slot of a list has its address, and the lists of a call live until its result is made.
                Some(list_columns(unsafe { &*(self.slots[*slot] as usize as *const List) }))
            }
            Template::Tuple(parts) if !parts.is_empty() => {
                parts.iter().map(|part| self.columns(part)).collect::<Option<_>>().map(Columns::Tuple)
            }
            Template::Made { make, parts } if make.makes_lists() => {
                self.columns(parts.first()?).map(|columns| Columns::Rows(Box::new(columns)))
            }
            Template::Made { make, parts } if !parts.is_empty() => {
                let parts = parts.iter().map(|part| self.columns(part)).collect::<Option<_>>()?;
                Some(Columns::Made(make.clone(), parts))
            }
            Template::Pooled(pooled) => {
                let parts = pooled.parts.iter().map(|part| self.columns(part)).collect::<Option<_>>()?;
                Some(Columns::Pooled(pooled.may, parts, pooled.pools.clone()))
            }
            _ => None,
        }
    }

    pub(super) fn item(&self, columns: &Columns<'_>, index: usize) -> PyResult {
        let items =
            |parts: &[Columns<'_>]| parts.iter().map(|part| self.item(part, index)).collect::<PyResult<Vec<_>>>();
        Ok(match columns {
            Columns::Number(list, ty) => number_of(list.get(index), *ty, self.vm),
            Columns::List(list) => self.list_at(list.get(index), || inside(list, index))?,
            Columns::Rows(columns) => self.list_at(columns.address(index), || columns.inside(index))?,
            Columns::Tuple(parts) => self.vm.ctx.new_tuple(items(parts)?).into(),
            Columns::Made(make, parts) => {
                let bits: SmallVec<[u64; 2]> = parts.iter().filter_map(|part| part.bits(index)).collect();
                match make.make_of_numbers(&bits, self.vm) {
                    Some(made) => made,
                    None => make.make(&items(parts)?, self.vm)?,
                }
            }
            Columns::Pooled(may, parts, pools) => {
                let bits: SmallVec<[u64; 2]> = parts.iter().filter_map(|part| part.bits(index)).collect();
                self.of_pools(*may, &bits, pools)?
            }
        })
    }

    /// The map of the compiled code that the only key of a dict or item of a set stands for.
    pub(super) fn map(&self, template: Option<&Template>) -> Option<&Map> {
        let Some(Template::Leaf { slot, ty: Type::Map(_) }) = template else { return None };
        // SAFETY: the slot of a map has its address, and the maps of a call live until its result is made.
        Some(unsafe { &*(self.slots[*slot] as usize as *const Map) })
    }

    /// The keys and values of a map; those of a set have None as value. Where it holds what was there before, those
    /// objects stay.
    pub(super) fn entries(&self, map: &Map, old: &[(PyObjectRef, PyObjectRef)]) -> Vec<(PyObjectRef, PyObjectRef)> {
        let vm = self.vm;
        let ty = map.ty();
        let bits = |object: &PyObjectRef, ty: Scalar| crate::scalar::scalar_bits(object, ty.ty(), vm);
        let old: HashMap<u64, &(PyObjectRef, PyObjectRef)> =
            old.iter().filter_map(|pair| Some((map_key::bits(&pair.0, ty, vm)?, pair))).collect();
        let entry = |entry: Entry| {
            let old = old.get(&entry.key);
            let key = old.map_or_else(|| map_key::key(entry.key, ty, vm), |(key, _)| key.clone());
            let Some(value) = ty.value else { return (key, vm.ctx.none()) };
            let same = old.filter(|(_, old)| bits(old, value) == Some(entry.value));
            (key, same.map_or_else(|| number_of(entry.value, value.ty(), self.vm), |(_, old)| old.clone()))
        };
        map.iter().map(entry).collect()
    }

    /// The items of a set.
    pub(super) fn make_members(&self, templates: &[Template], old: &[PyObjectRef]) -> PyResult<Vec<PyObjectRef>> {
        let Some(map) = self.map(templates.first()) else { return self.make_all(templates) };
        let old: Vec<_> = old.iter().map(|item| (item.clone(), self.vm.ctx.none())).collect();
        Ok(self.entries(map, &old).into_iter().map(|(item, _)| item).collect())
    }

    fn leaf(&self, slot: usize, ty: Type) -> PyResult {
        let vm = self.vm;
        let bits = self.slots[slot];
        Ok(match ty {
            Type::Bool | Type::I64 | Type::F64 => number_of(bits, ty, vm),
            Type::Object(_) | Type::Tensor(_) => {
                let found = self.objects.and_then(|objects| objects.get(bits, vm));
                found.ok_or_else(|| bug(vm, "a handle of no object"))?
            }
            Type::List(_) | Type::Map(_) => {
                return Err(bug(vm, "a list or dict of the compiled code is no item of an object"));
            }
            Type::Array(_) => {
                let found = self.arrays.iter().find(|(address, _)| *address == bits);
                found.map(|(_, array)| array.clone()).ok_or_else(|| bug(vm, "an array is none of the arguments"))?
            }
        })
    }

    /// A copy of what an argument leads to.
    fn copied_rows(&self, template: &RowsTemplate) -> PyResult {
        let vm = self.vm;
        let list = match template.floats {
            // SAFETY: the slot of a list has its address, and it belongs to the call.
            Template::Leaf { slot, ty: Type::List(_) } => unsafe { &*(self.slots[slot] as usize as *const List) },
            _ => return Err(bug(vm, "the floats of records are no list")),
        };
        let table = self.table.ok_or_else(|| bug(vm, "there are no records"))?;
        let item = |index: usize| vm.ctx.new_float(f64::from_bits(list.get(index))).into();
        table.copy(&self.argument(&template.root)?, &template.layout, &item, vm)
    }

    pub(super) fn argument(&self, root: &Root) -> PyResult {
        let vm = self.vm;
        let mut object = self.locals[root.local].clone().ok_or_else(|| bug(vm, "an argument is missing"))?;
        for &index in &root.path {
            let seen = self.items.and_then(|items| items.get(&object.get_id())?.get(index).cloned());
            let found = seen.or_else(|| item(&object, index));
            object = found.ok_or_else(|| bug(vm, "an argument has another structure"))?;
        }
        Ok(object)
    }

    /// Makes the exception.
    pub(crate) fn exception(&self, template: &ExceptionTemplate) -> PyResult<PyBaseExceptionRef> {
        let vm = self.vm;
        let args = self.make_all(&template.args)?;
        let members = template.members.iter().map(|(descriptor, value)| Ok((descriptor.clone(), self.make(value)?)));
        let exception = host::carried::exception(&template.class, args, members.collect::<PyResult<_>>()?, vm)?;
        if !template.attributes.is_empty() {
            // Asking makes the dict, if there is none yet.
            let dict = exception.as_object().get_attr("__dict__", vm)?;
            for (name, value) in &template.attributes {
                dict.set_item(&**name, self.make(value)?, vm)?;
            }
        }
        let related = |template: &Option<Template>| -> PyResult<Option<PyBaseExceptionRef>> {
            let Some(template) = template else { return Ok(None) };
            Ok(self.make(template)?.downcast::<PyBaseException>().ok())
        };
        // In the order in which the templates were made: what occurs twice is in the first one.
        let cause = related(&template.cause)?;
        if let Some(context) = related(&template.context)? {
            exception.set_context(Some(context));
        }
        if cause.is_some() || template.suppress_context {
            exception.set_cause(cause);
        }
        let RaisedAt { one_of, further } = &template.raised_at;
        if template.context.is_none() && (one_of.is_some() || !further.is_empty()) {
            // What whoever has called the code handles.
            raise_context(&exception, vm);
        }
        if let Some((ways, which)) = one_of {
            let which: usize = self.make(which)?.try_into_value(vm)?;
            crate::raising::add_sites(&exception, &ways.of(which), vm);
        }
        if !further.is_empty() {
            crate::raising::add_sites(&exception, further, vm);
        }
        Ok(exception)
    }
}

/// What the list at an index of a list of lists holds.
fn inside(list: &List, index: usize) -> Columns<'_> {
    // SAFETY: an item of a list of lists is the address of one, and the lists of a call live until its result is made.
    list_columns(unsafe { &*(list.get(index) as usize as *const List) })
}

/// What a list with such items holds, whose columns are at these addresses.
pub(super) fn columns_at<'a>(
    items: &ItemType,
    addresses: &mut impl Iterator<Item = u64>,
    pools: Option<&Arc<PoolsTemplate>>,
) -> Columns<'a> {
    match items {
        ItemType::List(rows) if items.list().is_none() => Columns::Rows(Box::new(columns_at(rows, addresses, pools))),
        ItemType::Tuple(parts) => Columns::Tuple(parts.iter().map(|part| columns_at(part, addresses, pools)).collect()),
        ItemType::Made(made) => {
            let types = items.columns().into_iter();
            let parts = types.map(|it| columns_at(&items_of(it), addresses, pools)).collect();
            match (made.rows(), pools) {
                (Some(may), Some(pools)) => Columns::Pooled(may, parts, pools.clone()),
                _ => Columns::Made(made.make().expect("only what can be handed out is an item"), parts),
            }
        }
        ItemType::Number(_) | ItemType::List(_) => {
            let address = addresses.next().expect("there is one for each column");
            // SAFETY: it is that of a list, which lives until the result of the call is made.
            list_columns(unsafe { &*(address as usize as *const List) })
        }
    }
}

/// What a list of the compiled code holds.
fn list_columns(list: &List) -> Columns<'_> {
    match list.ty().item() {
        Type::List(_) => Columns::List(list),
        number => Columns::Number(list, number),
    }
}
