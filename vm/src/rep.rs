//! The native classes that stand for values known only later.
//!
//! They live only while a function is captured. One that gets out (into a native container, say) is inert:
//! every use of it raises, so that nothing is silently different.

pub(crate) mod leak;

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::types::{AsNumber, Comparable, Hashable, Iterable, Representable};
use rustpython_vm::{AsObject, PyObject, PyPayload, pyclass};
use snekpy_stage::entity::Value;
use snekpy_stage::types::{Class, Type};

use crate::capture::value::Iter;
use crate::kind::{self, Kind};

/// A value that is known later: an SSA value of the function that is being captured.
#[pyclass(module = "snekpy", name = "Rep")]
#[derive(Debug, PyPayload)]
pub struct Rep {
    /// The SSA value.
    pub(crate) value: Value,
    pub(crate) ty: Type,
    /// Which function of which capture it belongs to.
    pub(crate) owner: u64,
}

/// An iterator made by staged code. Its state belongs to the heap of a path.
#[pyclass(module = "snekpy", name = "StagedIterator")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedIterator {
    pub(crate) state: PyMutex<Iter>,
}

/// An object that compiled code hands on.
#[pyclass(module = "snekpy", name = "StagedObject")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedObject {
    /// The SSA value.
    pub(crate) value: Value,
    /// Its class, as far as it is known.
    pub(crate) class: Class,
    /// Which function of which capture it belongs to.
    pub(crate) owner: u64,
}

/// A value that is made of others, of which some are known later.
#[pyclass(module = "snekpy", name = "StagedValue")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedValue {
    pub(crate) kind: Kind,
}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedIterator {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedObject {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedValue {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl Rep {}

/// Whether an object stands for something known only later.
pub(crate) fn is_staged(object: &PyObject) -> bool {
    object.downcast_ref::<Rep>().is_some()
        || object.downcast_ref::<StagedValue>().is_some()
        || object.downcast_ref::<StagedObject>().is_some()
        || crate::tensor::staged(object).is_some()
        || object.downcast_ref::<StagedIterator>().is_some()
}

/// The class that an object has in the program.
pub(crate) fn class_of(object: &PyObject) -> PyTypeRef {
    if let Some(class) = crate::rep::class_behind(object) {
        return class;
    }
    kind::staged(object).and_then(kind::Representation::class).unwrap_or_else(|| object.class().to_owned())
}

/// What messages call the class of an object.
pub(crate) trait Named {
    /// The name that its class has in the program, for what compiled code hands on, too.
    fn class_name(&self) -> String;
}

impl Named for PyObject {
    fn class_name(&self) -> String {
        let class = class_of(self);
        let is_ours = self.downcast_ref::<Rep>().is_some()
            || self.downcast_ref::<StagedValue>().is_some()
            || self.downcast_ref::<StagedObject>().is_some();
        match is_ours && class.is(self.class()) {
            true => "object".to_owned(),
            false if self.downcast_ref::<StagedIterator>().is_some() => "iterator".to_owned(),
            false => class.name().to_string(),
        }
    }
}

/// Makes the classes, once in the process.
pub(crate) fn make_classes() {
    use rustpython_vm::class::PyClassImpl;
    let _classes = [
        Rep::make_static_type(),
        StagedIterator::make_static_type(),
        StagedObject::make_static_type(),
        StagedValue::make_static_type(),
    ];
}

/// The class that the program has made of what compiled code hands on.
pub(crate) fn class_behind(object: &PyObject) -> Option<PyTypeRef> {
    crate::object::python::class(object.downcast_ref::<StagedObject>()?.class)
}
