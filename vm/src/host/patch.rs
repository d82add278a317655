//! Where arithmetic is not RustPython's own: it differs from CPython, or staged code could not be as fast and
//! give the same.

use std::sync::OnceLock;

use rustpython_vm::builtins::{PyFloat, PyInt};
use rustpython_vm::{AsObject, Context, PyObject, PyResult, VirtualMachine};

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;

/// Replaces what can be replaced, once in the process.
pub fn apply(ctx: &Context) {
    true_divide(ctx);
    power(ctx);
}

/// `x ** 2.0` is the correctly rounded square and `x ** 0.5` the correctly rounded root, for every float `x`; the
/// C library's `pow` gives the neighbour now and then. All other powers are the C library's, with zeros and
/// infinities as in CPython: RustPython raises for `0.0 ** -0.0` and gives a complex number for `(-0.0) ** 1.5`.
fn power(ctx: &Context) {
    static POWER: OnceLock<Option<Ternary>> = OnceLock::new();
    let slots = &ctx.types.float_type.slots.as_number;
    POWER.get_or_init(|| slots.power.load());
    fn number(object: &PyObject, vm: &VirtualMachine) -> Option<f64> {
        let types = &vm.ctx.types;
        if object.class().is(types.float_type) {
            object.downcast_ref::<PyFloat>().map(|it| it.to_f64())
        } else if object.class().is(types.int_type) || object.class().is(types.bool_type) {
            #[allow(clippy::cast_precision_loss, reason = "this rounding is what the conversion does")]
            object.downcast_ref::<PyInt>().and_then(|it| i64::try_from(it.as_bigint()).ok()).map(|it| it as f64)
        } else {
            None
        }
    }
    fn power(x: &PyObject, y: &PyObject, modulus: &PyObject, vm: &VirtualMachine) -> PyResult {
        if vm.is_none(modulus)
            && let (Some(base), Some(exponent)) = (number(x, vm), number(y, vm))
        {
            let result = match exponent {
                2.0 => base * base,
                0.5 if base >= 0.0 => base.sqrt() + 0.0,
                _ => base.powf(exponent),
            };
            let finite = base.is_finite() && exponent.is_finite();
            // What is not finite here is an exception or a complex number.
            if result.is_finite() || !finite {
                return Ok(vm.ctx.new_float(result).into());
            }
        }
        match POWER.get() {
            Some(Some(original)) => original(x, y, modulus, vm),
            Some(None) | None => Ok(vm.ctx.not_implemented()),
        }
    }
    slots.power.store(Some(power));
    slots.right_power.store(Some(power));
}

fn true_divide(ctx: &Context) {
    static TRUE_DIVIDE: OnceLock<Option<Binary>> = OnceLock::new();
    let slots = &ctx.types.int_type.slots.as_number;
    TRUE_DIVIDE.get_or_init(|| slots.true_divide.load());
    // `0 / -5` is `-0.0`.
    fn true_divide(x: &PyObject, y: &PyObject, vm: &VirtualMachine) -> PyResult {
        if let (Some(a), Some(b)) = (x.downcast_ref::<PyInt>(), y.downcast_ref::<PyInt>())
            && i64::try_from(a.as_bigint()) == Ok(0)
            && b.as_bigint().to_string().starts_with('-')
        {
            return Ok(vm.ctx.new_float(-0.0).into());
        }
        match TRUE_DIVIDE.get() {
            Some(Some(original)) => original(x, y, vm),
            Some(None) | None => Ok(vm.ctx.not_implemented()),
        }
    }
    for class in [ctx.types.int_type, ctx.types.bool_type] {
        class.slots.as_number.true_divide.store(Some(true_divide));
        class.slots.as_number.right_true_divide.store(Some(true_divide));
    }
}
