//! What functions of numbers raise, with its text: where code has no plain continuation that would make the call again,
//! an error inside `try` is raised by compiled code.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::op::{Cmp, Const};
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::value::{self, Num};
use crate::host::native::{NativeCallable, native_callable};
use crate::kind::{Conversion, TextPart};

/// What a function of one float raises outside its domain: a `ValueError` that ends with the operand or does not, or an
/// `OverflowError`.
enum Raises {
    ValueOf(&'static str),
    Value(&'static str),
    Range,
    /// A negative power of zero.
    ZeroPower,
    /// `int()` of an infinity or a NaN.
    Whole,
}

fn raises(name: &str) -> Option<Raises> {
    Some(match name {
        "sqrt" => Raises::ValueOf("expected a nonnegative input, got "),
        "sin" | "cos" | "tan" => Raises::ValueOf("expected a finite input, got "),
        "asin" | "acos" => Raises::ValueOf("expected a number in range from -1 up to 1, got "),
        "atanh" => Raises::ValueOf("expected a number between -1 and 1, got "),
        "log" | "log2" | "log10" => Raises::ValueOf("expected a positive input, got "),
        "acosh" | "log1p" => Raises::Value("math domain error"),
        "exp" | "exp2" | "expm1" | "sinh" | "cosh" => Raises::Range,
        _ => return None,
    })
}

impl Session<'_> {
    /// What a call raises whose operand is not in the domain, if that is known. It is asked which of several.
    pub(super) fn known_error(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        operands: &[PyObjectRef],
    ) -> Step<Option<PyBaseExceptionRef>> {
        let vm = self.vm;
        let of = match (native_callable(callable, vm), operands) {
            (Some(NativeCallable::Function { module: "math", name }), [_]) => raises(&name),
            (Some(NativeCallable::Type(class)), [_]) if class.is(vm.ctx.types.int_type) => Some(Raises::Whole),
            (Some(NativeCallable::Function { module: "builtins" | "_operator", name }), [x, y]) if name == "pow" => {
                match (value::number(x, vm), value::number(y, vm)) {
                    (Some(_), Some(Num::Static(Const::I64(1..)))) => Some(Raises::Range),
                    (Some(base), Some(_)) => {
                        let (base, zero) = (self.as_float(state, base), self.float(state, 0.0));
                        let is_zero = self.cmp(state, Cmp::Eq, base, zero);
                        Some(if self.ask(state, is_zero)? { Raises::ZeroPower } else { Raises::Range })
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(of) = of else { return Ok(None) };
        let types = &vm.ctx.exceptions;
        let known = |text: &str| -> PyObjectRef { vm.ctx.new_str(text).into() };
        let (class, text) = match of {
            Raises::ValueOf(text) => {
                if !matches!(value::rep(&operands[0]), Some((_, Type::F64))) {
                    return Ok(None);
                }
                let shown =
                    TextPart::Format { value: operands[0].clone(), conversion: Conversion::None, spec: known("") };
                (types.value_error, self.text(vec![TextPart::Known(known(text)), shown]))
            }
            Raises::Value(text) => (types.value_error, known(text)),
            Raises::Range => (types.overflow_error, known("math range error")),
            Raises::ZeroPower => (types.zero_division_error, known("zero to a negative power")),
            Raises::Whole => {
                let Some((value, Type::F64)) = value::rep(&operands[0]) else { return Ok(None) };
                let same = self.cmp(state, Cmp::Eq, value, value);
                match self.ask(state, same)? {
                    true => (types.overflow_error, known("cannot convert float infinity to integer")),
                    false => (types.value_error, known("cannot convert float NaN to integer")),
                }
            }
        };
        Ok(Some(vm.new_exception(class.to_owned(), vec![text])))
    }
}
