//! Structures: tuples, lists, dicts and objects of the program, as what they are made of and what makes another one alike.
//!
//! `snekpy.tree` works on them, `stop_gradient`, and gradients, which have the structure of what they are by.

use std::fmt::Write;

use rustc_hash::FxHashSet;
use rustpython_vm::builtins::{PyDict, PyList, PyTuple, PyTypeRef};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::function::PyComparisonValue;
use rustpython_vm::types::{Comparable, PyComparisonOp, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use crate::host;
use crate::host::named_tuple::{is_named_tuple, named_tuple};
use crate::host::slots::can_be_taken_apart;
use crate::scalar::same;
use crate::tensor;

/// Structures inside one another. One that contains itself has no end.
pub(crate) const MAX_NESTING: usize = 64;

/// What something is but for what it is made of.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Tuple,
    List,
    /// A named tuple of this class.
    Named(PyTypeRef),
    /// A dict with these keys.
    Dict(Vec<PyObjectRef>),
    /// An object of this class with these attributes.
    Instance(PyTypeRef, Vec<PyObjectRef>),
}

impl Shape {
    /// What an object is; `None` if it is not made of others. Attributes are read as they lie, without running Python.
    pub(crate) fn of(object: &PyObjectRef, vm: &VirtualMachine) -> Option<(Self, Vec<PyObjectRef>)> {
        let class = object.class().to_owned();
        if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            let is_plain = class.is(vm.ctx.types.tuple_type);
            let items = tuple.as_slice().to_vec();
            return match is_plain {
                true => Some((Self::Tuple, items)),
                false => is_named_tuple(&class, vm).then_some((Self::Named(class), items)),
            };
        }
        if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
            return Some((Self::List, list.borrow_vec().to_vec()));
        }
        if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
            let (keys, items) = dict.items_vec().into_iter().unzip();
            return Some((Self::Dict(keys), items));
        }
        if tensor::of(object).is_some() || !can_be_taken_apart(object, vm) {
            return None;
        }
        let (names, items) = match object.dict() {
            Some(dict) => dict.items_vec().into_iter().unzip(),
            None => {
                let found = host::slots::attributes(object, vm).unwrap_or_default();
                found.into_iter().map(|(name, value)| (name.into(), value)).unzip()
            }
        };
        Some((Self::Instance(class, names), items))
    }

    /// Another one, made of these.
    pub(crate) fn make(&self, items: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        Ok(match self {
            Self::Tuple => vm.ctx.new_tuple(items).into(),
            Self::List => vm.ctx.new_list(items).into(),
            Self::Named(class) => named_tuple(&class.clone().into(), items, vm)?,
            Self::Dict(keys) => {
                let dict = vm.ctx.new_dict();
                for (key, item) in keys.iter().zip(items) {
                    dict.set_item(&**key, item, vm)?;
                }
                dict.into()
            }
            Self::Instance(class, names) => {
                let object = host::new_object(class, vm)?;
                match object.dict() {
                    None => {
                        let pairs: Vec<_> = names.iter().cloned().zip(items).collect();
                        host::slots::set_attributes(&object, &pairs, vm);
                    }
                    Some(dict) => {
                        for (name, item) in names.iter().zip(items) {
                            dict.set_item(&**name, item, vm)?;
                        }
                    }
                }
                object
            }
        })
    }

    /// Whether another one is like this one, of as many parts.
    fn is_like(&self, other: &Self, vm: &VirtualMachine) -> bool {
        let all_same =
            |a: &[PyObjectRef], b: &[PyObjectRef]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, vm));
        match (self, other) {
            (Self::Tuple, Self::Tuple) | (Self::List, Self::List) => true,
            (Self::Named(a), Self::Named(b)) => a.is(b),
            (Self::Dict(a), Self::Dict(b)) => all_same(a, b),
            (Self::Instance(a, x), Self::Instance(b, y)) => a.is(b) && all_same(x, y),
            _ => false,
        }
    }
}

/// The classes of the objects that a structure is made of, each once.
pub(crate) fn classes_within(object: &PyObjectRef, vm: &VirtualMachine) -> Vec<PyTypeRef> {
    let (mut found, mut seen): (Vec<PyTypeRef>, FxHashSet<usize>) = Default::default();
    let mut work = vec![object.clone()];
    while let Some(object) = work.pop() {
        if !seen.insert(object.get_id()) {
            continue;
        }
        let Some((shape, items)) = Shape::of(&object, vm) else { continue };
        if let Shape::Instance(class, _) = shape
            && !found.iter().any(|it| it.is(&class))
        {
            found.push(class);
        }
        work.extend(items);
    }
    found
}

/// A structure without its leaves.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Leaf,
    None,
    Of(Shape, Vec<Self>),
}

/// What takes objects apart and makes them: plain Python, or a path of a capture.
pub(crate) trait Parts {
    /// Why it cannot.
    type Error;

    /// What an object is made of.
    fn apart(&mut self, object: &PyObjectRef) -> Result<Option<(Shape, Vec<PyObjectRef>)>, Self::Error>;

    /// Another one.
    fn make(&mut self, shape: &Shape, items: Vec<PyObjectRef>) -> Result<PyObjectRef, Self::Error>;

    /// Something else is wrong.
    fn wrong(&mut self, message: String) -> Self::Error;

    /// Whether it is None.
    fn is_nothing(&self, object: &PyObjectRef) -> bool;
}

impl Parts for &VirtualMachine {
    type Error = rustpython_vm::builtins::PyBaseExceptionRef;

    fn apart(&mut self, object: &PyObjectRef) -> Result<Option<(Shape, Vec<PyObjectRef>)>, Self::Error> {
        Ok(Shape::of(object, self))
    }

    fn make(&mut self, shape: &Shape, items: Vec<PyObjectRef>) -> Result<PyObjectRef, Self::Error> {
        shape.make(items, self)
    }

    fn wrong(&mut self, message: String) -> Self::Error {
        self.new_value_error(message)
    }

    fn is_nothing(&self, object: &PyObjectRef) -> bool {
        VirtualMachine::is_none(self, object)
    }
}

impl Node {
    /// The structure of an object. Its leaves are added to those found.
    pub(crate) fn of<P: Parts>(
        object: &PyObjectRef,
        parts: &mut P,
        leaves: &mut Vec<PyObjectRef>,
        depth: usize,
    ) -> Result<Self, P::Error> {
        if parts.is_nothing(object) {
            return Ok(Self::None);
        }
        if depth > MAX_NESTING {
            return Err(parts.wrong("a structure contains itself".to_owned()));
        }
        let Some((shape, items)) = parts.apart(object)? else {
            leaves.push(object.clone());
            return Ok(Self::Leaf);
        };
        let nodes = items.iter().map(|item| Self::of(item, parts, leaves, depth + 1));
        Ok(Self::Of(shape, nodes.collect::<Result<_, _>>()?))
    }

    /// The parts of an object that stand where this has leaves.
    pub(crate) fn matching<P: Parts>(
        &self,
        object: &PyObjectRef,
        parts: &mut P,
        found: &mut Vec<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> Result<(), P::Error> {
        match self {
            Self::Leaf => found.push(object.clone()),
            Self::None => {}
            Self::Of(shape, nodes) => {
                let apart = parts.apart(object)?;
                let apart = apart.filter(|(other, items)| items.len() == nodes.len() && shape.is_like(other, vm));
                let Some((_, items)) = apart else {
                    let class = object.class().name().to_string();
                    return Err(parts.wrong(format!("expected the structure {}, found a `{class}`", self.show(vm))));
                };
                for (node, item) in nodes.iter().zip(&items) {
                    node.matching(item, parts, found, vm)?;
                }
            }
        }
        Ok(())
    }

    /// An object of this structure with the next of these leaves.
    pub(crate) fn fill<P: Parts>(
        &self,
        parts: &mut P,
        leaves: &mut impl Iterator<Item = PyObjectRef>,
        vm: &VirtualMachine,
    ) -> Result<PyObjectRef, P::Error> {
        match self {
            Self::Leaf => match leaves.next() {
                Some(leaf) => Ok(leaf),
                None => Err(parts.wrong("there are too few leaves for this structure".to_owned())),
            },
            Self::None => Ok(vm.ctx.none()),
            Self::Of(shape, nodes) => {
                let items = nodes.iter().map(|node| node.fill(parts, leaves, vm)).collect::<Result<_, _>>()?;
                parts.make(shape, items)
            }
        }
    }

    /// How many leaves there are.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::None => 0,
            Self::Of(_, nodes) => nodes.iter().map(Self::count).sum(),
        }
    }

    fn is_like(&self, other: &Self, vm: &VirtualMachine) -> bool {
        match (self, other) {
            (Self::Leaf, Self::Leaf) | (Self::None, Self::None) => true,
            (Self::Of(a, x), Self::Of(b, y)) => {
                a.is_like(b, vm) && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.is_like(y, vm))
            }
            _ => false,
        }
    }

    fn show(&self, vm: &VirtualMachine) -> String {
        let all = |nodes: &[Self]| nodes.iter().map(|it| it.show(vm)).collect::<Vec<_>>().join(", ");
        let named = |names: &[PyObjectRef], nodes: &[Self], between: &str, quoted: bool| {
            let mut text = String::new();
            for (index, (name, node)) in names.iter().zip(nodes).enumerate() {
                let name = if quoted { name.repr(vm) } else { name.str(vm) };
                let name = name.map_or_else(|_| "?".to_owned(), |it| it.to_string_lossy().into_owned());
                let comma = if index > 0 { ", " } else { "" };
                let _ = write!(text, "{comma}{name}{between}{}", node.show(vm));
            }
            text
        };
        match self {
            Self::Leaf => "*".to_owned(),
            Self::None => "None".to_owned(),
            Self::Of(Shape::Tuple, nodes) if nodes.len() == 1 => format!("({},)", all(nodes)),
            Self::Of(Shape::Tuple, nodes) => format!("({})", all(nodes)),
            Self::Of(Shape::List, nodes) => format!("[{}]", all(nodes)),
            Self::Of(Shape::Named(class), nodes) => format!("{}({})", class.name(), all(nodes)),
            Self::Of(Shape::Dict(keys), nodes) => format!("{{{}}}", named(keys, nodes, ": ", true)),
            Self::Of(Shape::Instance(class, names), nodes) => {
                format!("{}({})", class.name(), named(names, nodes, "=", false))
            }
        }
    }
}

/// A structure as `snekpy.tree` gives it.
#[pyclass(module = "snekpy.tree", name = "Structure")]
#[derive(Debug, PyPayload)]
pub(crate) struct Structure {
    pub(crate) node: Node,
}

#[pyclass(with(Comparable, Representable))]
impl Structure {
    /// How many leaves an object of this structure has.
    #[pygetset]
    fn num_leaves(zelf: &Py<Self>) -> usize {
        zelf.node.count()
    }
}

impl Comparable for Structure {
    fn cmp(zelf: &Py<Self>, other: &PyObject, op: PyComparisonOp, vm: &VirtualMachine) -> PyResult<PyComparisonValue> {
        op.eq_only(|| {
            let is_like = |other: &Py<Self>| zelf.node.is_like(&other.node, vm);
            Ok(other.downcast_ref::<Self>().map_or(PyComparisonValue::NotImplemented, |it| is_like(it).into()))
        })
    }
}

impl Representable for Structure {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("Structure({})", zelf.node.show(vm)))
    }
}

impl Structure {
    /// As an object.
    pub(crate) fn object(node: Node, vm: &VirtualMachine) -> PyRef<Self> {
        let _class = Self::make_static_type();
        Self { node }.into_ref(&vm.ctx)
    }
}
