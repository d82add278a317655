//! `Rep("x")`: building code explicitly, as in the Snek paper.
//!
//! An expression is text and the operators of Python make larger ones: `Rep("in") * 2` is `(* in 2)`.
//! Nothing is compiled; this is the smallest picture of what staging does.

use rustpython_vm::builtins::{PyStrRef, PyType};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{Either, PyComparisonValue};
use rustpython_vm::protocol::PyNumberMethods;
use rustpython_vm::types::{AsNumber, Constructor, Hashable, PyComparisonOp, Representable};
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

/// An expression of code that is built explicitly.
#[pyclass(module = "snekpy", name = "Rep")]
#[derive(Clone, Debug, PyPayload)]
pub(crate) struct Expr {
    text: String,
}

#[pyclass(with(Constructor, AsNumber, Hashable, Representable))]
impl Expr {
    #[pyslot]
    fn slot_richcompare(
        zelf: &PyObject,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
        let word = match op {
            PyComparisonOp::Lt => "<",
            PyComparisonOp::Le => "<=",
            PyComparisonOp::Eq => "==",
            PyComparisonOp::Ne => "!=",
            PyComparisonOp::Gt => ">",
            PyComparisonOp::Ge => ">=",
        };
        binary(word, zelf, other, vm).map(Either::A)
    }
}

impl Constructor for Expr {
    type Args = (PyStrRef,);

    fn py_new(_class: &Py<PyType>, (name,): Self::Args, _vm: &VirtualMachine) -> PyResult<Self> {
        Ok(Self { text: name.to_string_lossy().into_owned() })
    }
}

impl Hashable for Expr {
    fn hash(_zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyHash> {
        Err(vm.new_type_error("unhashable type: 'Rep': what it is equal to is known later"))
    }
}

impl Representable for Expr {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(zelf.text.clone())
    }
}

impl AsNumber for Expr {
    fn as_number() -> &'static PyNumberMethods {
        static METHODS: PyNumberMethods = PyNumberMethods {
            add: Some(|a, b, vm| binary("+", a, b, vm)),
            subtract: Some(|a, b, vm| binary("-", a, b, vm)),
            multiply: Some(|a, b, vm| binary("*", a, b, vm)),
            true_divide: Some(|a, b, vm| binary("/", a, b, vm)),
            floor_divide: Some(|a, b, vm| binary("//", a, b, vm)),
            remainder: Some(|a, b, vm| binary("%", a, b, vm)),
            matrix_multiply: Some(|a, b, vm| binary("@", a, b, vm)),
            power: Some(|a, b, modulus, vm| {
                if vm.is_none(modulus) {
                    binary("**", a, b, vm)
                } else {
                    let terms = [text(a, vm)?, text(b, vm)?, text(modulus, vm)?];
                    Ok(make(format!("(pow {})", terms.join(" ")), vm))
                }
            }),
            divmod: Some(|a, b, vm| binary("divmod", a, b, vm)),
            lshift: Some(|a, b, vm| binary("<<", a, b, vm)),
            rshift: Some(|a, b, vm| binary(">>", a, b, vm)),
            and: Some(|a, b, vm| binary("&", a, b, vm)),
            xor: Some(|a, b, vm| binary("^", a, b, vm)),
            or: Some(|a, b, vm| binary("|", a, b, vm)),
            negative: Some(|a, vm| unary("-", a.obj, vm)),
            positive: Some(|a, vm| unary("+", a.obj, vm)),
            absolute: Some(|a, vm| unary("abs", a.obj, vm)),
            invert: Some(|a, vm| unary("~", a.obj, vm)),
            boolean: Some(|a, vm| {
                let shown = text(a.obj, vm)?;
                Err(vm.new_type_error(format!(
                    "`{shown}` is code that is built explicitly and has no truth value: \
                     use `@stage` on a function for `if`, `while`, `and` and `or` over values that are known later"
                )))
            }),
            ..PyNumberMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}

/// An operand as text: code, or a value that is known.
fn text(object: &PyObject, vm: &VirtualMachine) -> PyResult<String> {
    match object.downcast_ref::<Expr>() {
        Some(expr) => Ok(expr.text.clone()),
        None => Ok(object.repr(vm)?.to_string_lossy().into_owned()),
    }
}

fn make(text: String, vm: &VirtualMachine) -> PyObjectRef {
    Expr { text }.into_ref(&vm.ctx).into()
}

fn unary(op: &str, operand: &PyObject, vm: &VirtualMachine) -> PyResult {
    Ok(make(format!("({op} {})", text(operand, vm)?), vm))
}

fn binary(op: &str, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    Ok(make(format!("({op} {} {})", text(a, vm)?, text(b, vm)?), vm))
}
