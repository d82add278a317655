//! Parameters that are known when the code of a function is made: `n: Static`.

use rustpython_vm::builtins::{PyStr, PyType, PyTypeRef};
use rustpython_vm::class::StaticType;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, pyclass};

/// An annotation: a parameter that is known when the code is made. `n: Static`, or `n: Static[int]`.
#[pyclass(module = "snekpy", name = "Static")]
#[derive(Debug, PyPayload)]
pub(crate) struct Static {}

#[pyclass]
impl Static {
    #[pyclassmethod]
    fn __class_getitem__(class: PyTypeRef, _item: PyObjectRef) -> PyTypeRef {
        class
    }
}

/// Whether an annotation declares a parameter static: `Static`, `Static[int]`, or either as text.
pub(crate) fn is_static_annotation(annotation: &PyObjectRef) -> bool {
    if let Some(text) = annotation.downcast_ref::<PyStr>() {
        let text = text.to_string_lossy();
        let head = text.split('[').next().unwrap_or_default().trim();
        return head == "Static" || head.ends_with(".Static");
    }
    annotation.downcast_ref::<PyType>().is_some_and(|class| class.is(Static::static_type()))
}
