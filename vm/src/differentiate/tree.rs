//! What an argument is made of, as far as it is differentiated by: a derivative has the same shape.

use std::sync::Arc;

use rustpython_vm::builtins::{PyDict, PyFloat, PyList, PyStrRef, PyTuple, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::types::{Scalar, Type};

use crate::capture::list::ItemType;
use crate::capture::named_tuple::NamedTuple;
use crate::exit::{RowsTemplate, Template};
use crate::flatten::{Arg, Root};
use crate::host;
use crate::record::{Kind, Layout};
use crate::refusal::Refusal;
use crate::rep::Named;

/// An argument, or a part of one. Numbers are indices into what is differentiated by.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// A float.
    Float(usize),
    /// A list of any length, of floats or tuples of floats.
    Floats(Columns),
    /// A tuple.
    Tuple(Vec<Self>),
    /// A named tuple of this class.
    Named(PyTypeRef, Vec<Self>),
    /// A list.
    List(Vec<Self>),
    /// A dict.
    Dict(Vec<(PyObjectRef, Self)>),
    /// A dict of floats, whatever its keys.
    Map(usize),
    /// An object.
    Instance(PyTypeRef, Vec<(PyStrRef, Self)>),
    /// An object of a record class, with those that it leads to: the floats of all of them are one thing.
    Rows(usize, Root, Arc<Layout>),
    /// What is no float: a constant, and None in the derivative.
    Other,
    /// A container that is found in another place, too.
    Shared(usize, Box<Self>),
    /// There.
    Again(usize),
}

/// The lists of the compiled code behind a list of any length.
#[derive(Clone, Debug)]
pub(super) enum Columns {
    /// One.
    Number(usize),
    /// One for each part of the tuples.
    Tuple(Vec<Self>),
}

/// Why something cannot be differentiated by.
pub(super) enum Wrong {
    /// It is no float: a `TypeError`.
    Type(String),
    /// It cannot be done yet.
    Refused(Box<Refusal>),
}

/// The places inside of an argument, which is found there, that it refers to again.
pub(super) fn again(arg: &Arg, inside: &Root, found: &mut Vec<Root>) {
    let mut again = |arg: &Arg| again(arg, inside, found);
    match arg {
        Arg::Same(root) => {
            // What is found first in another argument is not differentiated by here.
            let is_inside = root.local == inside.local && root.path.len() > inside.path.len();
            if is_inside && root.path.starts_with(&inside.path) && !found.contains(root) {
                found.push(root.clone());
            }
        }
        Arg::Tuple(items) | Arg::Named(_, items) | Arg::List(items) => items.iter().for_each(again),
        Arg::Keywords(items) | Arg::Names(items) => items.iter().for_each(|(_, it)| again(it)),
        Arg::Instance { attributes: items, .. } => items.iter().for_each(|(_, it)| again(it)),
        Arg::Leaf { .. }
        | Arg::Wide
        | Arg::Record { .. }
        | Arg::Items(_)
        | Arg::Static(_)
        | Arg::Function(_)
        | Arg::Cell(_)
        | Arg::Empty { .. } => {}
    }
}

/// How many parameters of the compiled code an argument takes.
pub(crate) fn params(arg: &Arg) -> usize {
    match arg {
        Arg::Leaf { .. } | Arg::Wide | Arg::Record { .. } => 1,
        Arg::Items(ty) => ty.columns().len(),
        Arg::Tuple(items) | Arg::Named(_, items) | Arg::List(items) => items.iter().map(params).sum(),
        Arg::Keywords(items) | Arg::Names(items) => items.iter().map(|(_, item)| params(item)).sum(),
        Arg::Instance { attributes: items, .. } => items.iter().map(|(_, item)| params(item)).sum(),
        Arg::Cell(arg) => params(arg),
        Arg::Static(_) | Arg::Function(_) | Arg::Empty { .. } | Arg::Same(_) => 0,
    }
}

/// Where the floats of a call are found.
pub(super) struct Places<'a> {
    /// The parameter of the next leaf.
    pub(super) next: usize,
    /// The parameters that are differentiated by.
    pub(super) wrt: &'a mut Vec<usize>,
    /// Whether there may be dicts of any keys among them.
    pub(super) takes_maps: bool,
    /// The containers that are found in several places.
    pub(super) again: &'a [Root],
    /// The record classes, and the parameter that has the floats of their objects.
    pub(super) records: Option<(&'a Arc<Layout>, usize)>,
}

impl Tree {
    /// Of what is inside of an argument: what is no float there is a constant.
    fn inside(arg: &Arg, root: &Root, places: &mut Places<'_>, vm: &VirtualMachine) -> Result<Self, Wrong> {
        let is_constant = match arg {
            Arg::Leaf { ty: Type::F64 } => false,
            Arg::Leaf { ty: Type::Tensor(it) } => !it.dtype.is_float(),
            Arg::Leaf { ty: Type::Map(map) } => map.value != Some(Scalar::F64),
            Arg::Items(ty) => columns(ty, &mut || 0).is_none(),
            Arg::Leaf { .. } | Arg::Wide | Arg::Static(_) | Arg::Function(_) | Arg::Empty { .. } | Arg::Cell(_) => true,
            Arg::Same(first) => match places.again.iter().position(|it| it == first) {
                Some(number) => return Ok(Self::Again(number)),
                None => false,
            },
            Arg::Tuple(_)
            | Arg::Named(..)
            | Arg::List(_)
            | Arg::Names(_)
            | Arg::Keywords(_)
            | Arg::Instance { .. }
            | Arg::Record { .. } => false,
        };
        if is_constant {
            places.next += params(arg);
            return Ok(Self::Other);
        }
        let tree = Self::of(arg, root, places, vm)?;
        Ok(match places.again.iter().position(|it| it == root) {
            Some(number) => Self::Shared(number, Box::new(tree)),
            None => tree,
        })
    }

    /// Of an argument. The parameters that are floats are added to those that are differentiated by.
    pub(crate) fn of(arg: &Arg, root: &Root, places: &mut Places<'_>, vm: &VirtualMachine) -> Result<Self, Wrong> {
        let wrong = |what: &str| Wrong::Type(format!("it differentiates by floats, and found {what}"));
        let refused = |what: &str| {
            let refusal = Refusal::new("S361", format!("{what} cannot be differentiated by yet"));
            Wrong::Refused(Box::new(refusal.help("pass floats, or lists, dicts or objects of floats")))
        };
        let leaf = |places: &mut Places<'_>| {
            places.wrt.push(places.next);
            places.next += 1;
            places.wrt.len() - 1
        };
        let inside = |index: usize| {
            let mut path = root.path.clone();
            path.push(index);
            Root { local: root.local, path }
        };
        let all = |items: &[Arg], places: &mut Places<'_>| -> Result<Vec<Self>, Wrong> {
            items.iter().enumerate().map(|(index, item)| Self::inside(item, &inside(index), places, vm)).collect()
        };
        let named = |items: &[(PyStrRef, Arg)], places: &mut Places<'_>| -> Result<Vec<(PyStrRef, Self)>, Wrong> {
            let items = items.iter().enumerate();
            items
                .map(|(index, (name, item))| Ok((name.clone(), Self::inside(item, &inside(index), places, vm)?)))
                .collect()
        };
        Ok(match arg {
            Arg::Leaf { ty: Type::F64 } => Self::Float(leaf(places)),
            Arg::Leaf { ty: Type::Tensor(it) } if it.dtype.is_float() => Self::Float(leaf(places)),
            Arg::Leaf { ty: Type::Tensor(it) } => return Err(wrong(&format!("an array of {}", it.dtype.name()))),
            Arg::Leaf { ty: Type::I64 } | Arg::Wide => return Err(wrong("an int")),
            Arg::Leaf { ty: Type::Bool } => return Err(wrong("a bool")),
            Arg::Leaf { ty: Type::Map(map) } if map.value == Some(Scalar::F64) && places.takes_maps => {
                Self::Map(leaf(places))
            }
            Arg::Leaf { ty: Type::Map(_) } | Arg::Empty { .. } => {
                return Err(refused("a dict or set of numbers as keys"));
            }
            Arg::Leaf { ty } => return Err(refused(&format!("an array ({ty})"))),
            Arg::Items(ty) => {
                Self::Floats(columns(ty, &mut || leaf(places)).ok_or_else(|| wrong("a list of ints or bools"))?)
            }
            Arg::Tuple(items) => Self::Tuple(all(items, places)?),
            Arg::Named(class, items) => Self::Named(class.clone(), all(items, places)?),
            Arg::List(items) => Self::List(all(items, places)?),
            Arg::Names(items) | Arg::Keywords(items) => {
                let mut made = Vec::with_capacity(items.len());
                for (index, (key, item)) in items.iter().enumerate() {
                    made.push((key.clone(), Self::inside(item, &inside(index), places, vm)?));
                }
                Self::Dict(made)
            }
            Arg::Instance { class, attributes } => Self::Instance(class.clone(), named(attributes, places)?),
            Arg::Static(object) => {
                if host::function::is_function(object, vm) || vm.is_none(object) || is_text(object, vm) {
                    Self::Other
                } else {
                    return Err(wrong(&format!("a `{}`", object.class_name())));
                }
            }
            Arg::Function(_) | Arg::Cell(_) => Self::Other,
            Arg::Same(_) => return Err(refused("an object that is passed twice")),
            Arg::Record { class, .. } => {
                places.next += 1;
                let what = || refused(&format!("a `{}`, which links to others,", class.name()));
                let Some((layout, floats)) = places.records.filter(|(layout, _)| layout.floats > 0) else {
                    return Err(what());
                };
                for field in layout.classes.iter().flat_map(|it| &it.fields) {
                    match field.kind {
                        Kind::Number(Type::I64) => return Err(wrong("an int")),
                        Kind::Number(Type::Bool) => return Err(wrong("a bool")),
                        Kind::Tensor(_) => return Err(what()),
                        Kind::Number(_) | Kind::Link { .. } if field.slot.is_some() => return Err(what()),
                        Kind::Number(_) | Kind::Link { .. } => {}
                    }
                }
                let known = places.wrt.iter().position(|it| *it == floats);
                let index = known.unwrap_or_else(|| {
                    places.wrt.push(floats);
                    places.wrt.len() - 1
                });
                Self::Rows(index, root.clone(), layout.clone())
            }
        })
    }

    /// Whether there is a float in it.
    pub(crate) fn has_floats(&self) -> bool {
        match self {
            Self::Float(_) | Self::Floats(_) | Self::Map(_) | Self::Rows(..) => true,
            Self::Tuple(items) | Self::Named(_, items) | Self::List(items) => items.iter().any(Self::has_floats),
            Self::Dict(items) => items.iter().any(|(_, item)| item.has_floats()),
            Self::Instance(_, items) => items.iter().any(|(_, item)| item.has_floats()),
            Self::Shared(_, tree) => tree.has_floats(),
            Self::Other | Self::Again(_) => false,
        }
    }

    /// Whether there is a list, dict or record in it whose length compiled code knows.
    pub(crate) fn has_lengths(&self) -> bool {
        match self {
            Self::Floats(_) | Self::Map(_) | Self::Rows(..) => true,
            Self::Shared(_, tree) => tree.has_lengths(),
            Self::Float(_) | Self::Other | Self::Again(_) => false,
            Self::Tuple(items) | Self::Named(_, items) | Self::List(items) => items.iter().any(Self::has_lengths),
            Self::Dict(items) => items.iter().any(|(_, item)| item.has_lengths()),
            Self::Instance(_, items) => items.iter().any(|(_, item)| item.has_lengths()),
        }
    }

    /// An object of this shape, with what `leaf` gives for each index. What is one object in several places has a number
    /// behind `first`.
    pub(super) fn template(&self, leaf: &impl Fn(usize) -> Template, first: usize, vm: &VirtualMachine) -> Template {
        let inside = |item: &Self| item.template(leaf, first, vm);
        let all = |items: &[Self]| -> Vec<Template> { items.iter().map(inside).collect() };
        match self {
            Self::Float(index) => leaf(*index),
            Self::Map(index) => Template::Dict(vec![(leaf(*index), leaf(*index))]),
            Self::Floats(columns) => Template::List(vec![columns.template(leaf)]),
            Self::Tuple(items) => Template::Tuple(all(items)),
            Self::Named(class, items) => {
                let mut parts = vec![Template::Static(class.clone().into())];
                parts.extend(all(items));
                Template::Made { make: Arc::new(NamedTuple), parts }
            }
            Self::List(items) => Template::List(all(items)),
            Self::Dict(items) => Template::Dict(
                items.iter().map(|(name, item)| (Template::Static(name.clone()), inside(item))).collect(),
            ),
            Self::Instance(class, items) => Template::Instance {
                class: class.clone(),
                attributes: items.iter().map(|(name, item)| (name.clone().into(), inside(item))).collect(),
            },
            Self::Rows(index, root, layout) => {
                let (root, layout) = (root.clone(), layout.clone());
                Template::Rows(Box::new(RowsTemplate { root, layout, floats: leaf(*index) }))
            }
            Self::Other => Template::Static(vm.ctx.none()),
            Self::Shared(number, tree) => Template::Shared { id: first + number, make: Some(Box::new(inside(tree))) },
            Self::Again(number) => Template::Shared { id: first + number, make: None },
        }
    }
}

impl Columns {
    fn template(&self, leaf: &impl Fn(usize) -> Template) -> Template {
        match self {
            Self::Number(index) => leaf(*index),
            Self::Tuple(parts) => Template::Tuple(parts.iter().map(|part| part.template(leaf)).collect()),
        }
    }
}

fn columns(ty: &ItemType, leaf: &mut impl FnMut() -> usize) -> Option<Columns> {
    Some(match ty {
        ItemType::Number(elem) if elem.value_type() == Type::F64 => Columns::Number(leaf()),
        ItemType::List(_) if ty.list().is_some_and(|it| it.elem.value_type() == Type::F64) => Columns::Number(leaf()),
        ItemType::Number(_) | ItemType::List(_) | ItemType::Made(_) => return None,
        ItemType::Tuple(types) => Columns::Tuple(types.iter().map(|ty| columns(ty, leaf)).collect::<Option<_>>()?),
    })
}

fn is_text(object: &PyObjectRef, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    [types.str_type, types.bytes_type].iter().any(|it| object.class().is(*it))
}

/// The floats in an object, in the order in which [`Tree`] finds them.
pub(crate) fn floats(object: &PyObjectRef, found: &mut Vec<f64>, vm: &VirtualMachine) -> PyResult<()> {
    if let Some(float) = object.downcast_ref_if_exact::<PyFloat>(vm) {
        found.push(float.to_f64());
    } else if let Some(items) = items(object, vm) {
        for item in items {
            floats(&item, found, vm)?;
        }
    } else if !vm.is_none(object) && !is_text(object, vm) && !host::function::is_function(object, vm) {
        return Err(vm.new_type_error(format!("expected a float here, found a `{}`", object.class_name())));
    }
    Ok(())
}

fn items(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Vec<PyObjectRef>> {
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        return Some(tuple.as_slice().to_vec());
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        return Some(list.borrow_vec().to_vec());
    }
    if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
        return Some(dict.items_vec().into_iter().map(|(_, value)| value).collect());
    }
    if host::function::is_function(object, vm) {
        return None;
    }
    Some(object.dict()?.items_vec().into_iter().map(|(_, value)| value).collect())
}

/// An object of the same shape, in which these floats take the place of its own.
pub(crate) fn with_floats(object: &PyObjectRef, next: &mut impl Iterator<Item = f64>, vm: &VirtualMachine) -> PyResult {
    if object.downcast_ref_if_exact::<PyFloat>(vm).is_some() {
        return Ok(vm.ctx.new_float(next.next().unwrap_or(0.0)).into());
    }
    if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
        let items = tuple.as_slice().iter().map(|item| with_floats(item, next, vm)).collect::<PyResult<Vec<_>>>()?;
        return Ok(vm.ctx.new_tuple(items).into());
    }
    if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
        let items = list.borrow_vec().to_vec();
        let items = items.iter().map(|item| with_floats(item, next, vm)).collect::<PyResult<Vec<_>>>()?;
        return Ok(vm.ctx.new_list(items).into());
    }
    let into_dict = |pairs: Vec<(PyObjectRef, PyObjectRef)>, next: &mut _| -> PyResult<_> {
        let dict = vm.ctx.new_dict();
        for (name, value) in pairs {
            dict.set_item(&*name, with_floats(&value, next, vm)?, vm)?;
        }
        Ok(dict)
    };
    if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
        return Ok(into_dict(dict.items_vec(), next)?.into());
    }
    if let Some(dict) = object.dict().filter(|_| !host::function::is_function(object, vm)) {
        let made = host::new_object(&object.class().to_owned(), vm)?;
        for (name, value) in &*into_dict(dict.items_vec(), next)? {
            let target = made.dict().ok_or_else(|| vm.new_type_error("an object without attributes"))?;
            target.set_item(&*name, value, vm)?;
        }
        return Ok(made);
    }
    Ok(object.clone())
}
