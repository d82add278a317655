//! The native classes that stand for values known only later.
//!
//! They live only while a function is captured. One that gets out (into a native container, say) is inert:
//! every use of it raises, so that nothing is silently different.

pub(crate) mod leak;

use rustpython_vm::builtins::{PyStrInterned, PyTypeRef};
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::types::{AsNumber, Comparable, Hashable, Iterable, Representable};
use rustpython_vm::{PyObject, PyObjectRef, PyPayload, pyclass};
use snekpy_stage::entity::Value;
use snekpy_stage::types::{Class, Type};

use crate::capture::value::Iter;

/// A value that is known later: an SSA value of the function that is being captured.
#[pyclass(module = "snekpy", name = "Rep")]
#[derive(Debug, PyPayload)]
pub struct Rep {
    /// The SSA value.
    pub(crate) value: Value,
    /// Its type.
    pub(crate) ty: Type,
    /// Which function of which capture it belongs to.
    pub(crate) owner: u64,
}

/// `range` of numbers of which one is staged.
#[pyclass(module = "snekpy", name = "StagedRange")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedRange {
    pub(crate) start: PyObjectRef,
    pub(crate) stop: PyObjectRef,
    pub(crate) step: PyObjectRef,
}

/// An iterator made by staged code. Its state belongs to the heap of a path.
#[pyclass(module = "snekpy", name = "StagedIterator")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedIterator {
    pub(crate) state: PyMutex<Iter>,
}

/// The rest of a computation, as `shift` takes it in staged code.
#[pyclass(module = "snekpy", name = "StagedContinuation")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedContinuation {
    /// The frames, outermost first: that of the function of `reset`.
    pub(crate) frames: Vec<crate::capture::state::Frame>,
    /// The exception that was being handled.
    pub(crate) handled: Option<PyObjectRef>,
    /// Which function of which capture it belongs to.
    pub(crate) owner: u64,
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

/// A method of such an object, as reading an attribute gives it.
#[pyclass(module = "snekpy", name = "StagedMethod")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedMethod {
    /// The object.
    pub(crate) object: PyObjectRef,
    /// The name.
    pub(crate) name: &'static PyStrInterned,
}

/// A function that is passed: which one is known later, what it does is known now.
#[pyclass(module = "snekpy", name = "StagedFunction")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedFunction {
    /// One that does the same.
    pub(crate) like: PyObjectRef,
}

/// Text of which a part is known later.
#[pyclass(module = "snekpy", name = "StagedText")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedText {
    pub(crate) parts: Vec<TextPart>,
}

/// An object of a record class: a row of the table of the call.
#[pyclass(module = "snekpy", name = "StagedRecord")]
#[derive(Debug, PyPayload)]
pub(crate) struct StagedRecord {
    /// Its class.
    pub(crate) class: PyTypeRef,
    /// Its class, as an index into the layout of the table.
    pub(crate) kind: usize,
    /// The number of its row.
    pub(crate) row: PyObjectRef,
}

/// A part of a [`StagedText`].
#[derive(Clone, Debug)]
pub(crate) enum TextPart {
    /// Known text, a `str`.
    Known(PyObjectRef),
    /// `format(value, spec)` after a conversion.
    Format {
        /// What is formatted: holds a Rep.
        value: PyObjectRef,
        /// `str`, `repr` or `ascii` before formatting.
        conversion: Conversion,
        /// The format specification, a `str`.
        spec: PyObjectRef,
    },
    /// The character of this code point, a number.
    Char(PyObjectRef),
    /// `template % value`.
    Percent {
        /// The template, a `str`.
        template: PyObjectRef,
        /// What is formatted: holds a Rep.
        value: PyObjectRef,
    },
}

impl TextPart {
    /// Whether it is a number or text that is not empty, whatever the number is.
    pub(crate) fn is_never_empty(&self) -> bool {
        match self {
            Self::Known(known) => {
                known.downcast_ref::<rustpython_vm::builtins::PyStr>().is_some_and(|text| !text.is_empty())
            }
            Self::Format { .. } | Self::Char(_) => true,
            Self::Percent { .. } => false,
        }
    }
}

/// What a replacement field of an f-string does before formatting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Conversion {
    /// Nothing.
    None,
    /// `!s`
    Str,
    /// `!r`
    Repr,
    /// `!a`
    Ascii,
}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedRange {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedIterator {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedText {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedObject {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedMethod {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedFunction {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedRecord {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl StagedContinuation {}

#[pyclass(with(AsNumber, Comparable, Hashable, Iterable, Representable))]
impl Rep {}

/// Whether an object stands for something known only later.
pub(crate) fn is_staged(object: &PyObject) -> bool {
    object.downcast_ref::<Rep>().is_some()
        || object.downcast_ref::<StagedRecord>().is_some()
        || object.downcast_ref::<StagedText>().is_some()
        || object.downcast_ref::<StagedObject>().is_some()
        || object.downcast_ref::<StagedMethod>().is_some()
        || object.downcast_ref::<StagedFunction>().is_some()
        || crate::tensor::staged(object).is_some()
        || object.downcast_ref::<StagedRange>().is_some()
        || object.downcast_ref::<StagedIterator>().is_some()
        || object.downcast_ref::<StagedContinuation>().is_some()
}

/// The class that an object has in the program.
pub(crate) fn class_of(object: &PyObject) -> PyTypeRef {
    if object.downcast_ref::<StagedContinuation>().is_some() {
        return crate::delimited::class();
    }
    if let Some(class) = crate::object::python::class_behind(object) {
        return class;
    }
    object.downcast_ref::<StagedRecord>().map_or_else(|| object.class().to_owned(), |record| record.class.clone())
}

/// Makes the classes, once in the process.
pub(crate) fn make_classes() {
    use rustpython_vm::class::PyClassImpl;
    let _classes = [
        Rep::make_static_type(),
        StagedRange::make_static_type(),
        StagedIterator::make_static_type(),
        StagedText::make_static_type(),
        StagedObject::make_static_type(),
        StagedMethod::make_static_type(),
        StagedFunction::make_static_type(),
        StagedRecord::make_static_type(),
        StagedContinuation::make_static_type(),
    ];
}
