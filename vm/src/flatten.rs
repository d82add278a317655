//! From bound arguments to slots: what a call's arguments look like, and whether another call's look the same.
//!
//! Numbers, also inside tuples and lists, and arrays become *leaves*: typed values that compiled code is
//! given in slots. Everything else is static, a part of the key: strings, bytes and integers beyond 64 bits
//! by class and value, other objects by identity. Containers are keyed by class and structure. Objects of record
//! classes are rows of a table that is made at each call: see [`crate::record`].
//!
//! Numbers are leaves, also inside tuples and lists. Arrays are leaves, whose size belongs to the key at first and is a
//! value from the second size on; lists of numbers of one type are leaves when they are long or come in more than four
//! lengths (`flatten/lengths.rs`), and copied into the call. Strings, bytes and large ints are compared by value, other
//! objects by identity.

use std::sync::Arc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::builtins::{PyBytes, PyDict, PyList, PyStr, PyStrRef, PyTuple, PyTypeRef};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::entity::{HostId, Table as Entities};
use snekpy_stage::ir::HostData;
use snekpy_stage::list::Lists;
use snekpy_stage::map::Maps;
use snekpy_stage::sizes::{self, Sizes};
use snekpy_stage::types::{ArrayType, TensorType, Type};

use crate::capture::list::ItemType;
use crate::host::array::{ArrayView, array_elem, array_view};
use crate::host::named_tuple::is_named_tuple;
use crate::host::slots::can_be_taken_apart;
use crate::kind::wide_bits;
use crate::object::{class_number, has_plain_attributes, passed_is_noticed};
use crate::record::{Layout, Table};
use crate::refusal::Refusal;
use crate::rep::{Named, Rep};
use crate::scalar::scalar_type;
use crate::tensor;

mod again;
mod alike;
mod describe;
mod fill;
mod key;
mod lengths;
mod named;
mod numbers;
mod root;
pub(crate) mod source;

use numbers::{Takes, count, input_bits, is_short, uniform};

pub(crate) use alike::alike;
pub(crate) use describe::{describe, describe_item};
pub(crate) use fill::rows_of;
pub(crate) use key::{Arg, Key, Params, Varying};
pub(crate) use lengths::{Copied, Lengths};
pub(crate) use named::holds_tensor;
pub(crate) use numbers::{holds_many_numbers, holds_numbers, input_type, members_type, number_map};
pub(crate) use root::{ATTRIBUTES, Root, item};
pub(crate) use source::Source;

/// A longer tuple or list is not taken apart.
const MAX_ITEMS: usize = 256;
/// One of more objects of one class of the program is handed on, if it may be: code that knows each is long.
const MAX_OBJECTS: usize = 8;
/// The same of objects with arrays in them, as the layers of a model are: what knows them not cannot compute with the arrays.
const MAX_LAYERS: usize = 64;
/// Numbers that are given one by one.
const MAX_NUMBERS: usize = 1024;
/// A longer dict or set of numbers is never known by what is in it.
const MAX_WHOLE: usize = 4096;
/// One that is no argument is copied into each call if it has at most so many items: copying more would take longer than
/// many a call.
const MAX_READ_ANEW: usize = 4096;
/// How many numbers and containers that are no arguments compiled code is given at most.
const MAX_SOURCES: usize = 256;
/// A list of the world with more numbers is copied into each call: comparing it with what it was would take as long.
const MAX_KNOWN: usize = 256;
/// Containers inside one another.
const MAX_NESTING: usize = 16;

/// Longer text or bytes are not known by what they are.
const LONG_TEXT: usize = 64;
/// Nor are the texts in a list, if they are longer together.
const LONG_TEXTS: usize = 4 * LONG_TEXT;
/// A longer list with texts in it, or dict of anything but numbers, is not known by what is in it.
const LONG_CONTAINER: usize = 32;

/// Whether an object is one of a class of the program.
pub(crate) fn is_instance(object: &PyObjectRef) -> bool {
    object.class().slots().flags.has_feature(PyTypeFlags::HEAPTYPE)
}

/// Whether compiled code had better hand on an object than know what is in it.
fn is_long(object: &PyObjectRef, takes: Takes, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let class = object.class();
    if class.is(types.str_type) {
        object.downcast_ref::<PyStr>().is_some_and(|it| it.byte_len() > LONG_TEXT)
    } else if class.is(types.bytes_type) {
        object.downcast_ref::<PyBytes>().is_some_and(|it| it.as_bytes().len() > LONG_TEXT)
    } else if class.is(types.list_type) {
        object.downcast_ref::<PyList>().is_some_and(|it| {
            let items = it.borrow_vec();
            let is_long = items.len() > LONG_CONTAINER
                && items.iter().take(LONG_CONTAINER).any(|it| holds_text(it, vm))
                || items.iter().filter_map(|it| it.downcast_ref::<PyStr>()).map(|it| it.byte_len()).sum::<usize>()
                    > LONG_TEXTS
                || items.len() > MAX_ITEMS && is_instance(&items[0])
                || weight(&items, vm) > MAX_ITEMS;
            is_long && uniform(&items, takes, vm).is_none()
        })
    } else if class.is(types.dict_type) {
        object.downcast_ref::<PyDict>().is_some_and(|it| {
            let count = it.__len__();
            let is_long = count > LONG_CONTAINER && number_map(object, vm).is_none();
            is_long && (count > MAX_LAYERS || !holds_tensor(object, vm))
        })
    } else {
        false
    }
}

/// How many items there are, with those of the tuples and lists among them.
fn weight(items: &[PyObjectRef], vm: &VirtualMachine) -> usize {
    let inside = |item: &PyObjectRef| match item.downcast_ref_if_exact::<PyList>(vm) {
        Some(list) => list.borrow_vec().len(),
        None => item.downcast_ref_if_exact::<PyTuple>(vm).map_or(0, |it| it.len()),
    };
    items.len() + items.iter().map(inside).sum::<usize>()
}

/// Whether an object is a text, or a tuple or list with one in it.
fn holds_text(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let is_text = |it: &PyObjectRef| it.class().is(vm.ctx.types.str_type);
    is_text(object)
        || object.downcast_ref_if_exact::<PyTuple>(vm).is_some_and(|it| it.as_slice().iter().any(is_text))
        || object.downcast_ref_if_exact::<PyList>(vm).is_some_and(|it| it.borrow_vec().iter().any(is_text))
}

/// Where lists of compiled code are.
pub(crate) type Addresses = SmallVec<[u64; 2]>;

/// A list of an argument that is an item of another one.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) object: PyObjectRef,
    /// What its items are.
    pub(crate) items: Arc<ItemType>,
    /// The addresses of the copies of its columns.
    pub(crate) columns: Addresses,
}

/// What compiled code is given.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The slots.
    pub(crate) slots: SmallVec<[u64; 16]>,
    /// The arrays among the arguments, by the address of their first element.
    pub(crate) arrays: Vec<(u64, PyObjectRef)>,
    /// Keeps the arrays where they are.
    views: Vec<ArrayView>,
    /// Copies of the lists of numbers among the arguments.
    lists: Lists,
    /// The lists among their items, by the address of the copy of their first column.
    pub(crate) rows: HashMap<u64, Row>,
    /// Where the copies of those are, by identity.
    places: HashMap<usize, u64>,
    /// The addresses of the copies of other lists, with these.
    copied: SmallVec<[(u64, PyObjectRef); 4]>,
    /// Copies of the dicts of numbers and the sets of them.
    maps: Maps,
    /// The objects that the records among the arguments lead to.
    pub(crate) table: Option<Box<Table>>,
    /// Whether other threads may see what the call does.
    pub(crate) shared: bool,
    /// How many signals had come when they were read.
    pub(crate) signals: u32,
    /// What was in the containers among the arguments, by identity, if others may change it.
    pub(crate) items: HashMap<usize, Vec<PyObjectRef>>,
    /// The objects that compiled code only hands on.
    pub(crate) objects: Vec<PyObjectRef>,
    /// The sizes of tensors that are known only later.
    pub(crate) sizes: Sizes,
    /// The functions of the host with these sizes.
    pub(crate) hosts: Option<Arc<Entities<HostId, HostData>>>,
}

/// The key of a call.
///
/// # Errors
/// A [`Refusal`] when an argument cannot be passed to staged code.
pub(crate) fn key_of(
    locals: &[Option<PyObjectRef>],
    params: &Params,
    varying: &Varying,
    lengths: &mut Lengths,
    vm: &VirtualMachine,
) -> Result<Key, Box<Refusal>> {
    let key = key_with(locals, params, varying, lengths, !varying.without_records, true, vm)?;
    // Not all objects may be what their classes declare.
    if key.records.is_none() || key.fill(locals, &mut Inputs::default(), vm).unwrap_or(false) {
        return Ok(key);
    }
    key_with(locals, params, varying, lengths, false, true, vm)
}

/// The key of a call, in which objects of record classes are records or are not, and lists of lists are copied or taken
/// apart.
fn key_with(
    locals: &[Option<PyObjectRef>],
    params: &Params,
    varying: &Varying,
    lengths: &mut Lengths,
    records: bool,
    copies_rows: bool,
    vm: &VirtualMachine,
) -> Result<Key, Box<Refusal>> {
    let classes = &varying.classes;
    let with_records = records;
    let mut cx = Cx {
        records: records.then(Layout::default),
        types: Vec::new(),
        containers: Vec::new(),
        addresses: Vec::new(),
        classes,
        dicts: Vec::new(),
        whole: Vec::new(),
        lengths,
        apart: params.apart,
        hands_on: varying.may_hand_on && !params.apart,
        is_in_other: false,
        copies_rows,
        rows: HashSet::default(),
        finds_row: false,
        sizes: Sizes::default(),
        has_sizes: varying.has_sizes,
        is_large: false,
        known: if varying.may_know { &varying.known[..] } else { &[] },
        has_tensors: false,
        is_named: false,
        vm,
    };
    let count = locals.len().min(params.names.len() + params.closure.len());
    let mut args = Vec::with_capacity(count);
    for (local, object) in locals[..count].iter().enumerate() {
        let Some(object) = object else {
            args.push(None);
            continue;
        };
        let mut root = Root { local, path: Vec::new() };
        cx.has_tensors = holds_tensor(object, vm);
        if local >= params.names.len() {
            args.push(Some(cx.cell(object, &mut root)?));
            continue;
        }
        let is_text = || params.is_middle && object.class().is(vm.ctx.types.str_type);
        let is_object =
            varying.objects.contains(&local) || varying.may_hand_on && (is_text() || is_long(object, cx.takes(), vm));
        let is_object = is_object && !params.is_static[local] && !passed_is_noticed(object, vm);
        let is_object = is_object && tensor::passed(object).is_none();
        let arg = if is_object && scalar_type(object, vm).is_none() && array_elem(object, vm).is_none() {
            cx.leaf(Type::Object(class_number(object.class(), vm)))
        } else if params.kwargs == Some(local) {
            cx.keywords(object, &mut root, params.is_static[local])?
        } else {
            match cx.arg(object, &mut root, params.is_static[local]) {
                Err(refusal) if varying.hands_on_instead(local, &refusal) => {
                    let mut varying = varying.clone();
                    varying.objects.push(local);
                    return key_with(locals, params, &varying, lengths, records, copies_rows, vm);
                }
                arg => arg?,
            }
        };
        args.push(Some(arg));
    }
    if cx.finds_row {
        return key_with(locals, params, varying, lengths, records, false, vm);
    }
    if cx.whole.iter().any(|dict| cx.dicts.contains(dict)) {
        return Err(shared_attributes());
    }
    let sizes = cx.sizes;
    let records = cx.records.take().filter(|layout| !layout.is_empty()).map(Arc::new);
    let mut is_large = cx.is_large;
    let mut types = cx.types.clone();
    types.extend(records.iter().flat_map(|layout| layout.types()));
    let mut numbers = Vec::new();
    let is_whole = |source: &Source| match source {
        Source::Item { dict, .. } => cx.whole.contains(&dict.as_object().get_id()),
        Source::Members(object) => {
            let id = object.get_id();
            cx.whole.contains(&id) || cx.containers.iter().any(|(it, _)| *it == id)
        }
        Source::Cell(_) | Source::Table(_) => false,
    };
    for source in varying.sources.iter().filter(|source| !is_whole(source)) {
        let ty = match source {
            Source::Members(object) => members_type(object, vm),
            Source::Table(table) => Some(table.ty),
            Source::Item { .. } | Source::Cell(_) => source.read(vm).and_then(|it| input_type(&it, vm)),
        };
        if let Some(ty) = ty {
            is_large |= matches!(ty, Type::Tensor(it) if it.shape.dims().iter().any(|it| sizes::is_later(*it)));
            types.push(ty);
            numbers.push(source.clone());
        }
    }
    if is_large && !sizes.is_empty() {
        let varying = Varying { has_sizes: true, ..varying.clone() };
        return key_with(locals, params, &varying, lengths, with_records, copies_rows, vm);
    }
    let cells = count.saturating_sub(params.names.len());
    Ok(Key { args, types, records, sources: numbers, cells, may_copy: true, may_know: varying.may_know, sizes })
}

/// Whether all items are objects of one class of the program that has no method for attributes.
fn are_objects(items: &[PyObjectRef], vm: &VirtualMachine) -> bool {
    let Some(class) = items.first().map(|it| it.class()) else { return false };
    has_plain_attributes(class, vm) && items.iter().all(|it| it.class().is(class))
}

struct Cx<'a> {
    /// The record classes found so far, if there may be any.
    records: Option<Layout>,
    types: Vec<Type>,
    /// The tuples and lists found so far.
    containers: Vec<(usize, Root)>,
    /// The first elements of the arrays found so far, and the arrays.
    addresses: Vec<(u64, PyObjectRef)>,
    /// Classes whose objects are taken apart.
    classes: &'a [PyTypeRef],
    /// The dicts of the objects that were.
    dicts: Vec<usize>,
    /// Dicts that are arguments.
    whole: Vec<usize>,
    lengths: &'a mut Lengths,
    /// Whether objects and dicts with names are taken apart.
    apart: bool,
    /// Whether compiled code may hand on what cannot be taken apart.
    hands_on: bool,
    /// Whether what is looked at is in an object where another one was passed before.
    is_in_other: bool,
    /// Whether lists of lists may be copied.
    copies_rows: bool,
    /// The lists in those that are.
    rows: HashSet<usize>,
    /// Whether one of them was found in another way, too.
    finds_row: bool,
    /// The sizes of tensors that are known only later.
    sizes: Sizes,
    /// Whether there are none.
    has_sizes: bool,
    /// Whether a size would be taken for one.
    is_large: bool,
    /// The numbers that are known, since they decide what arrays look like.
    known: &'a [Root],
    /// Whether there are arrays in the argument that is looked at: it is a model, or the like.
    has_tensors: bool,
    /// Whether what is looked at next has a name in an object or dict with arrays.
    is_named: bool,
    vm: &'a VirtualMachine,
}

impl Cx<'_> {
    fn arg(&mut self, object: &PyObjectRef, root: &mut Root, is_static: bool) -> Result<Arg, Box<Refusal>> {
        let vm = self.vm;
        let is_named = std::mem::take(&mut self.is_named);
        if object.downcast_ref::<Rep>().is_some() {
            return Err(Box::new(
                Refusal::new("S401", "a value that is known later was passed to a staged function by native code")
                    .help("call the staged function directly, not through a native function"),
            ));
        }
        let class = object.class();
        let types = &vm.ctx.types;
        let named = is_named_tuple(class, vm) && !is_static;
        let items = if class.is(types.tuple_type) || named {
            object.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice().to_vec())
        } else if class.is(types.list_type) {
            object.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec())
        } else {
            None
        };
        let in_list = items.as_ref().filter(|_| class.is(types.list_type));
        let numbers = in_list.and_then(|items| match items.as_slice() {
            [] => self.lengths.items_of(root),
            items => uniform(items, self.takes(), vm).map(|ty| self.lengths.widened(root, ty)),
        });
        let most = match self.hands_on && in_list.is_some_and(|it| are_objects(it, vm)) {
            true if self.has_tensors => MAX_LAYERS,
            true => MAX_OBJECTS,
            false => MAX_ITEMS,
        };
        if let Some(items) = &items
            && items.len() > most
            && numbers.is_none()
            && object.downcast_ref::<PyList>().is_some()
        {
            let message = format!(
                "a list of {} items is passed; staged code takes at most {most} items of several kinds",
                items.len()
            );
            return Err(Box::new(
                Refusal::new("S407", message).help("give its items one type, or pass an `array.array`"),
            ));
        }
        if let Some(items) = items.filter(|items| numbers.is_some() || items.len() <= MAX_ITEMS) {
            let id = object.get_id();
            if let Some(same) = self.found(object) {
                return if root.local == same.local && root.path.starts_with(&same.path) {
                    Err(Box::new(Refusal::new("S402", "an argument is a container that contains itself")))
                } else {
                    Ok(Arg::Same(same))
                };
            }
            self.finds_row |= self.rows.contains(&id);
            if root.path.len() >= MAX_NESTING {
                let message = format!("an argument has more than {MAX_NESTING} containers inside one another");
                return Err(Box::new(Refusal::new("S403", message)));
            }
            // The empty tuple is one object wherever it occurs.
            if !(items.is_empty() && class.is(types.tuple_type)) {
                self.containers.push((id, root.clone()));
            }
            if !is_static
                && let Some(ty) = numbers.filter(|ty| self.may_copy(ty, object))
                && self.lengths.is_long(root, &ty, count(&ty, object))
            {
                if ty.has_lists() {
                    self.rows.extend(rows_of(object));
                }
                self.types.extend(ty.columns().into_iter().map(Type::List));
                return Ok(Arg::Items(ty));
            }
            let mut args = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                root.path.push(index);
                let arg = self.arg(item, root, is_static)?;
                root.path.pop();
                args.push(arg);
            }
            return Ok(match named {
                true => Arg::Named(class.to_owned(), args),
                false if class.is(types.tuple_type) => Arg::Tuple(args),
                false => Arg::List(args),
            });
        }
        if is_static {
            return Ok(Arg::Static(object.clone()));
        }
        if !self.apart && class.is(types.function_type) && self.classes.iter().any(|it| class.is(it)) {
            return Ok(self.function(object, root));
        }
        if let Some(index) = self.record(object) {
            self.types.push(Type::I64);
            return Ok(Arg::Record { class: class.to_owned(), index });
        }
        let is_other = self.classes.iter().any(|it| class.is(it));
        if (self.apart || is_other)
            && class.is(types.dict_type)
            && let Some(items) = entries_of(object, vm)
            && !items.is_empty()
            && (items.len() <= MAX_ITEMS || self.apart && keyword_items(object, vm).is_some())
        {
            let around = self.is_in_other;
            self.is_in_other |= is_other;
            // One of numbers that is long, or another one in each call, is one of the compiled code.
            let arg = match self.members(object, root) {
                Some(arg) => Ok(arg),
                None => self.names(object, items, root),
            };
            self.is_in_other = around;
            return arg;
        }
        // Slots of an object that stays whole cannot be assigned.
        let is_open = || self.apart || crate::host::slots::has_slots_only(class, vm);
        if (is_other || is_open()) && can_be_taken_apart(object, vm) {
            let around = self.is_in_other;
            self.is_in_other |= is_other;
            let arg = self.instance(object, root)?;
            self.is_in_other = around;
            if let Some(arg) = arg {
                return Ok(arg);
            }
        }
        if let Some(ty) = scalar_type(object, vm) {
            if self.is_known(object, ty, root, is_named) {
                return Ok(Arg::Static(object.clone()));
            }
            if self.types.len() >= MAX_NUMBERS {
                let message =
                    format!("the arguments hold more than {MAX_NUMBERS} numbers in tuples, objects and lists");
                return Err(Box::new(
                    Refusal::new("S403", message).help("pass lists of numbers of one type, or an `array.array`"),
                ));
            }
            return Ok(self.leaf(ty));
        }
        if wide_bits(object, vm).is_some() {
            self.types.push(Type::I64);
            return Ok(Arg::Wide);
        }
        if class.is(types.int_type) {
            return Err(Box::new(
                Refusal::new(
                    "S404",
                    "an argument is an int that does not fit in 64 bits, and staged code has no larger ones yet",
                )
                .help("make the parameter static, or call the function outside `stage`"),
            ));
        }
        if let Some(ty) = tensor::passed(object) {
            let ty = self.with_sizes_later(ty, root);
            return Ok(self.leaf(Type::Tensor(ty)));
        }
        if let Some((elem, len)) = array_elem(object, vm) {
            self.check_memory(object)?;
            let len = self.lengths.see(root, elem, len as u64);
            return Ok(self.leaf(Type::Array(ArrayType { elem, len })));
        }
        if let Some(arg) = self.members(object, root) {
            return Ok(arg);
        }
        if class.is(types.dict_type) || class.is(types.set_type) {
            self.whole.push(object.get_id());
        }
        let end = class.get_attr(vm.ctx.intern_str("__del__"));
        if end.is_some_and(|it| crate::callable::is_function(&it, vm)) {
            // Code that knows the object keeps it.
            let message = format!("an argument is a `{}`, which has a `__del__`", class.name());
            return Err(Box::new(Refusal::new("S403", message)));
        }
        Ok(Arg::Static(object.clone()))
    }

    /// The type of a tensor at a place, in which the sizes that differ from call to call are known only later. Kernels of
    /// devices are made for a shape.
    fn with_sizes_later(&mut self, ty: TensorType, root: &Root) -> TensorType {
        if ty.home.is_there() {
            return ty;
        }
        let dims = ty.shape.dims();
        self.is_large |= dims.iter().any(|it| sizes::is_later(*it));
        let differ = self.lengths.see_axes(root, ty.dtype, dims);
        let mut named = dims.to_vec();
        for (axis, differs) in differ.enumerate().filter(|_| !self.has_sizes) {
            if differs && let Some(name) = self.sizes.name(dims[axis]) {
                named[axis] = name;
            }
        }
        TensorType::new(ty.dtype, &named)
    }

    /// Which record class an object is of. What is differentiated by arrays takes them apart.
    fn record(&mut self, object: &PyObjectRef) -> Option<usize> {
        let records = self.records.as_mut()?;
        let mut grown = records.clone();
        let index = grown.find(object.class(), object, self.vm)?;
        if self.apart && grown.has_tensors() {
            return None;
        }
        *records = grown;
        Some(index)
    }

    /// Where this very object was found before.
    fn found(&self, object: &PyObject) -> Option<Root> {
        let id = object.get_id();
        self.containers.iter().find(|(it, _)| *it == id).map(|(_, root)| root.clone())
    }

    /// A function of which another one is passed each time.
    fn function(&mut self, object: &PyObjectRef, root: &Root) -> Arg {
        if let Some(same) = self.found(object) {
            return Arg::Same(same);
        }
        self.containers.push((object.get_id(), root.clone()));
        Arg::Function(object.clone())
    }

    /// A dict of numbers or a set of them, unless it is the first one at this place: another object brings another one.
    fn members(&mut self, object: &PyObjectRef, root: &Root) -> Option<Arg> {
        let ty = number_map(object, self.vm)?;
        let id = object.get_id();
        if let Some(same) = self.found(object) {
            return Some(Arg::Same(same));
        }
        let most = if self.apart { MAX_ITEMS } else { MAX_WHOLE };
        let varies = self.lengths.varies(root) || self.is_in_other || !is_short(object, most, self.vm);
        if self.whole.contains(&id) || !varies {
            return None;
        }
        self.containers.push((id, root.clone()));
        Some(match ty {
            Some(ty) => self.leaf(Type::Map(ty)),
            None => Arg::Empty { set: object.class().is(self.vm.ctx.types.set_type) },
        })
    }

    /// An object by its attributes; `None` if it has none.
    fn instance(&mut self, object: &PyObjectRef, root: &mut Root) -> Result<Option<Arg>, Box<Refusal>> {
        let id = object.get_id();
        if let Some(same) = self.found(object) {
            return Ok(Some(Arg::Same(same)));
        }
        let dict = object.dict();
        if dict.is_none() && !crate::host::slots::has_slots_only(object.class(), self.vm) {
            return Ok(None);
        }
        // One that stayed whole could lead back to one that was taken apart.
        let whole = |what: &str| {
            let message = format!("an argument is a `{}` with {what}", object.class_name());
            Err(Box::new(Refusal::new("S403", message)))
        };
        let Some(attributes) = attribute_items(object, self.vm) else {
            return whole("attributes whose names are no strings");
        };
        if attributes.len() > MAX_ITEMS || self.containers.len() >= MAX_ITEMS {
            return whole("too many attributes or objects in it");
        }
        if root.path.len() >= MAX_NESTING {
            return whole("too many objects inside one another");
        }
        if let Some(dict) = dict {
            if self.dicts.contains(&dict.get_id()) {
                return Err(shared_attributes());
            }
            self.dicts.push(dict.get_id());
        }
        self.containers.push((id, root.clone()));
        let mut args = Vec::with_capacity(attributes.len());
        for (index, (name, value)) in attributes.into_iter().enumerate() {
            root.path.push(index);
            self.is_named = self.has_tensors;
            let arg = self.arg(&value, root, false)?;
            root.path.pop();
            args.push((name, arg));
        }
        Ok(Some(Arg::Instance { class: object.class().to_owned(), attributes: args }))
    }

    /// A dict by its names.
    fn names(
        &mut self,
        dict: &PyObjectRef,
        items: Vec<(PyObjectRef, PyObjectRef)>,
        root: &mut Root,
    ) -> Result<Arg, Box<Refusal>> {
        let id = dict.get_id();
        if let Some(same) = self.found(dict) {
            return Ok(Arg::Same(same));
        }
        if root.path.len() >= MAX_NESTING || items.len() > MAX_ITEMS {
            let message = "an argument is a dict of too many items, or too deep inside others";
            return Err(Box::new(Refusal::new("S403", message)));
        }
        self.containers.push((id, root.clone()));
        let mut args = Vec::with_capacity(items.len());
        for (index, (name, value)) in items.into_iter().enumerate() {
            root.path.push(index);
            self.is_named = self.has_tensors;
            let arg = self.arg(&value, root, false)?;
            root.path.pop();
            args.push((name, arg));
        }
        Ok(Arg::Names(args))
    }

    /// The dict that a call's further keywords are collected in.
    fn keywords(&mut self, dict: &PyObjectRef, root: &mut Root, is_static: bool) -> Result<Arg, Box<Refusal>> {
        let items = keyword_items(dict, self.vm).unwrap_or_default();
        let mut args = Vec::with_capacity(items.len());
        for (index, (name, value)) in items.into_iter().enumerate() {
            root.path.push(index);
            let arg = self.arg(&value, root, is_static)?;
            root.path.pop();
            args.push((name.into(), arg));
        }
        Ok(Arg::Keywords(args))
    }

    /// What lists may hold besides numbers of one type.
    fn takes(&self) -> Takes {
        let Takes { made, mixed } = self.lengths.takes();
        Takes { made: made && !self.apart, mixed: mixed && !self.apart }
    }

    /// Whether a list may be copied with the lists in it: those are not passed in another way, too, and an empty one is not
    /// found among lists of several types.
    fn may_copy(&self, ty: &ItemType, object: &PyObjectRef) -> bool {
        if !ty.has_lists() {
            return true;
        }
        let rows: HashSet<usize> = rows_of(object).into_iter().collect();
        !self.apart
            && self.copies_rows
            && self.rows.is_disjoint(&rows)
            && !self.containers.iter().any(|(id, _)| rows.contains(id))
            && Inputs::default().push_list(ty, object, self.vm)
    }

    fn leaf(&mut self, ty: Type) -> Arg {
        self.types.push(ty);
        Arg::Leaf { ty }
    }

    /// Compiled code knows an array by its address alone.
    fn check_memory(&mut self, object: &PyObjectRef) -> Result<(), Box<Refusal>> {
        let Ok(Some(view)) = array_view(object, self.vm) else { return Ok(()) };
        if view.len == 0 {
            return Ok(());
        }
        let address = view.ptr.addr() as u64;
        match self.addresses.iter().find(|(it, _)| *it == address) {
            Some((_, other)) if !other.is(object) => Err(shared_memory()),
            Some(_) => Ok(()),
            None => {
                self.addresses.push((address, object.clone()));
                Ok(())
            }
        }
    }
}

/// The attributes of an object are found by another way, too.
fn shared_attributes() -> Box<Refusal> {
    Box::new(Refusal::new("S406", "the dict of an object's attributes is also passed in another way"))
}

/// Two objects whose elements begin at one address.
fn shared_memory() -> Box<Refusal> {
    Box::new(
        Refusal::new("S405", "two different objects show the same memory, and staged code could not tell them apart")
            .help("pass the array itself in both places"),
    )
}

/// The object at this place among the arguments.
fn find(root: &Root, locals: &[Option<PyObjectRef>]) -> Option<PyObjectRef> {
    let mut object = locals.get(root.local)?.clone()?;
    for &index in &root.path {
        object = item(&object, index)?;
    }
    Some(object)
}

/// The names and values of a dict of keyword arguments.
fn keyword_items(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<(PyStrRef, PyObjectRef)>> {
    let dict = object.downcast_ref::<PyDict>().filter(|_| object.class().is(vm.ctx.types.dict_type))?;
    let items = dict.into_iter().map(|(name, value)| Some((name.downcast::<PyStr>().ok()?, value)));
    items.collect()
}

/// The keys and values of a dict, if its keys are texts and numbers.
fn entries_of(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<(PyObjectRef, PyObjectRef)>> {
    let types = &vm.ctx.types;
    let dict = object.downcast_ref::<PyDict>().filter(|_| object.class().is(types.dict_type))?;
    let plain = [types.str_type, types.int_type, types.float_type, types.bool_type];
    let is_plain = |key: &PyObjectRef| plain.iter().any(|it| key.class().is(*it));
    let items = dict.into_iter().map(|(key, value)| is_plain(&key).then_some((key, value)));
    items.collect()
}

/// The names and values of an object's attributes.
fn attribute_items(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<(PyStrRef, PyObjectRef)>> {
    match object.dict() {
        Some(dict) => keyword_items(dict.as_object(), vm),
        None => crate::host::slots::attributes(object, vm),
    }
}

/// The objects that are an argument, or one of the further keyword arguments.
pub(crate) fn static_objects(arg: &Arg) -> Vec<PyObjectRef> {
    match arg {
        Arg::Static(object) => vec![object.clone()],
        Arg::Keywords(items) | Arg::Names(items) => items.iter().flat_map(|(_, item)| static_objects(item)).collect(),
        Arg::Instance { attributes, .. } => attributes.iter().flat_map(|(_, item)| static_objects(item)).collect(),
        Arg::Cell(arg) => static_objects(arg),
        Arg::Leaf { .. }
        | Arg::Wide
        | Arg::Function(_)
        | Arg::Tuple(_)
        | Arg::Named(..)
        | Arg::List(_)
        | Arg::Items(_)
        | Arg::Empty { .. }
        | Arg::Same(_)
        | Arg::Record { .. } => Vec::new(),
    }
}
