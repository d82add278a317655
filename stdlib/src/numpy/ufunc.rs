//! Elementwise functions: which dtype they compute in, and the objects that programs call.

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, Representable};
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};
use snekpy_stage::tensor::cast::{as_dtype, assign, cast};
use snekpy_stage::tensor::elementwise::{
    Bits1, Bits2, Cmp, Num1, Num2, Real1, Real2, Test1, bits1, bits2, compare, num1, num2, num2_into, real1, real2,
    real2_into, test1,
};
use snekpy_stage::tensor::{Dtype, Item, Kind, Tensor, contract, layout, make};

use super::array::{NdArray, check_writable};
use super::dtype;
use super::error::OrRaise;
use super::operand::{Operand, common, real};

/// A function of one array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum One {
    Real(Real1),
    Num(Num1),
    Bits(Bits1),
    Test(Test1),
    /// `+x`: a copy.
    Positive,
    /// Whether it is zero.
    Not,
}

/// A function of two arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Two {
    Real(Real2),
    Num(Num2),
    Bits(Bits2),
    Cmp(Cmp),
    /// Of truth values, to which everything is converted.
    Logical(Bits2),
}

/// NumPy gives these a type that is not supported.
fn small_integers(what: &str, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    vm.new_type_error(format!("`{what}` of bools is an int8, which is not supported: convert them with astype"))
}

/// The function of each element.
pub(super) fn one(function: One, x: &Operand<'_>, vm: &VirtualMachine) -> PyResult<Tensor> {
    // The commonest: an array that the function is defined for.
    if let Operand::Array(x) = x
        && x.dtype().is_float()
    {
        match function {
            One::Real(it) => return real1(it, x).or_raise(vm),
            One::Num(it) => return num1(it, x).or_raise(vm),
            One::Bits(_) | One::Test(_) | One::Positive | One::Not => {}
        }
    }
    let dtype = common([x]);
    let tensor = |dtype: Dtype| x.tensor(dtype, vm);
    match function {
        One::Real(Real1::Floor | Real1::Ceil | Real1::Trunc) if !dtype.is_float() => tensor(dtype)?.to_dense(),
        One::Real(Real1::Round) if dtype.kind() == Kind::Int => tensor(dtype)?.to_dense(),
        One::Real(Real1::Reciprocal) if dtype.kind() == Kind::Int => {
            // Rounded to zero; of zero it is the smallest integer.
            real1(Real1::Reciprocal, &tensor(Dtype::F64)?).and_then(|it| cast(&it, dtype))
        }
        One::Real(Real1::Reciprocal) if dtype == Dtype::Bool => return Err(small_integers("reciprocal", vm)),
        One::Real(it) => {
            // NumPy computes truth values in half precision.
            let dtype = if dtype == Dtype::Bool { Dtype::F16 } else { real(dtype) };
            real1(it, &tensor(dtype)?)
        }
        One::Num(Num1::Abs) if dtype == Dtype::Bool => tensor(dtype)?.to_dense(),
        One::Num(Num1::Square) if dtype == Dtype::Bool => return Err(small_integers("square", vm)),
        One::Num(Num1::Neg) if dtype == Dtype::Bool => {
            return Err(vm.new_type_error(
                "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the \
                 logical_not function instead.",
            ));
        }
        One::Num(it) => num1(it, &tensor(dtype)?),
        One::Bits(it) => bits1(it, &tensor(dtype)?),
        One::Test(it) if !dtype.is_float() => {
            let x = tensor(dtype)?;
            match it {
                Test1::IsNan | Test1::IsInf => Tensor::zeros(Dtype::Bool, x.dims()),
                Test1::IsFinite => make::full(Dtype::Bool, x.dims(), Item::Bool(true)),
                Test1::SignBit => cast(&x, Dtype::F64).and_then(|it| test1(Test1::SignBit, &it)),
            }
        }
        One::Test(it) => test1(it, &tensor(dtype)?),
        One::Positive if dtype == Dtype::Bool => {
            return Err(vm.new_type_error("ufunc 'positive' did not contain a loop with signature matching types bool"));
        }
        One::Positive => tensor(dtype)?.to_dense(),
        One::Not => as_dtype(&tensor(dtype)?, Dtype::Bool).and_then(|it| bits1(Bits1::Not, &it)),
    }
    .or_raise(vm)
}

/// What a function of two arrays computes in.
fn resolve(function: Two, dtype: Dtype, vm: &VirtualMachine) -> PyResult<(Two, Dtype)> {
    Ok(match function {
        Two::Real(Real2::Fmod) if dtype.kind() == Kind::Int => {
            return Err(vm.new_type_error("`fmod` is not supported for integers"));
        }
        Two::Real(Real2::Div) => (function, real(dtype)),
        // NumPy computes truth values in half precision.
        Two::Real(_) if dtype == Dtype::Bool => (function, Dtype::F16),
        Two::Real(_) => (function, real(dtype)),
        Two::Num(op) if dtype == Dtype::Bool => match op {
            Num2::Add | Num2::Max => (Two::Bits(Bits2::Or), dtype),
            Num2::Mul | Num2::Min => (Two::Bits(Bits2::And), dtype),
            Num2::Sub => {
                return Err(vm.new_type_error(
                    "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` \
                     operator, or the logical_xor function instead.",
                ));
            }
            Num2::FloorDiv | Num2::Mod | Num2::Pow => return Err(small_integers(op.text(), vm)),
        },
        Two::Bits(op @ (Bits2::Left | Bits2::Right)) if dtype == Dtype::Bool => {
            return Err(small_integers(op.text(), vm));
        }
        Two::Num(_) | Two::Bits(_) | Two::Cmp(_) => (function, dtype),
        Two::Logical(op) => (Two::Bits(op), Dtype::Bool),
    })
}

/// The dtype two operands are computed in; comparisons with an integer that does not fit are still right.
fn dtype_for(function: Two, x: &Operand<'_>, y: &Operand<'_>) -> Dtype {
    let dtype = common([x, y]);
    let wide = |it: &Operand<'_>| match it {
        Operand::Weak(Item::Int(it)) => i32::try_from(*it).is_err(),
        Operand::Weak(_) | Operand::Array(_) | Operand::Made(_) => false,
        // In more bits the answer is the same.
        Operand::Later(_, kind) => *kind == Kind::Int,
        Operand::Big(_) => true,
    };
    match function {
        Two::Cmp(_) if !dtype.is_float() && [x, y].iter().any(|it| matches!(it, Operand::Big(_))) => Dtype::F64,
        Two::Cmp(_) if dtype == Dtype::I32 && (wide(x) || wide(y)) => Dtype::I64,
        Two::Cmp(_) | Two::Real(_) | Two::Num(_) | Two::Bits(_) | Two::Logical(_) => dtype,
    }
}

fn operands(
    function: Two,
    x: &Operand<'_>,
    y: &Operand<'_>,
    dtype: Dtype,
    vm: &VirtualMachine,
) -> PyResult<(Tensor, Tensor)> {
    match function {
        // Everything has a truth value: not what it is as another number.
        Two::Logical(_) => {
            let truth = |it: &Operand<'_>| as_dtype(&it.own_tensor(vm)?, Dtype::Bool).or_raise(vm);
            Ok((truth(x)?, truth(y)?))
        }
        Two::Real(_) | Two::Num(_) | Two::Bits(_) | Two::Cmp(_) => Ok((x.tensor(dtype, vm)?, y.tensor(dtype, vm)?)),
    }
}

/// The function of each pair.
pub(super) fn two(function: Two, x: &Operand<'_>, y: &Operand<'_>, vm: &VirtualMachine) -> PyResult<Tensor> {
    // The commonest: two arrays of one dtype, which the function is defined for.
    if let (Operand::Array(x), Operand::Array(y)) = (x, y)
        && x.dtype() == y.dtype()
        && x.dtype().is_float()
        && !matches!(function, Two::Logical(_))
    {
        return apply_two(function, x, y).or_raise(vm);
    }
    let (resolved, dtype) = resolve(function, dtype_for(function, x, y), vm)?;
    let (x, y) = operands(function, x, y, dtype, vm)?;
    apply_two(resolved, &x, &y).or_raise(vm)
}

fn apply_two(function: Two, x: &Tensor, y: &Tensor) -> snekpy_stage::tensor::Result<Tensor> {
    match function {
        Two::Real(it) => real2(it, x, y),
        Two::Num(it) => num2(it, x, y),
        Two::Bits(it) | Two::Logical(it) => bits2(it, x, y),
        Two::Cmp(it) => compare(it, x, y),
    }
}

/// The function of each pair, written into an array.
pub(super) fn two_into(
    function: Two,
    out: &Tensor,
    x: &Operand<'_>,
    y: &Operand<'_>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    let (resolved, dtype) = resolve(function, dtype_for(function, x, y), vm)?;
    if dtype.kind() > out.dtype().kind() && !matches!(function, Two::Cmp(_)) {
        let name = name_of(function);
        return Err(vm.new_type_error(format!(
            "Cannot cast ufunc '{name}' output from dtype('{}') to dtype('{}') with casting rule 'same_kind'",
            dtype.name(),
            out.dtype().name()
        )));
    }
    let (x, y) = operands(function, x, y, dtype, vm)?;
    let direct = dtype == out.dtype()
        && snekpy_stage::tensor::broadcast(&[x.dims(), y.dims()]).is_ok_and(|dims| dims == *out.dims());
    match resolved {
        Two::Real(it) if direct => real2_into(it, out, &x, &y).or_raise(vm),
        Two::Num(it) if direct => num2_into(it, out, &x, &y).or_raise(vm),
        Two::Real(it) => store(out, &real2(it, &x, &y).or_raise(vm)?, vm),
        Two::Num(it) => store(out, &num2(it, &x, &y).or_raise(vm)?, vm),
        Two::Bits(it) | Two::Logical(it) => store(out, &bits2(it, &x, &y).or_raise(vm)?, vm),
        Two::Cmp(it) => store(out, &compare(it, &x, &y).or_raise(vm)?, vm),
    }
}

/// Puts a result into an array that is to take it.
fn store(out: &Tensor, result: &Tensor, vm: &VirtualMachine) -> PyResult<()> {
    let fits = snekpy_stage::tensor::broadcast(&[result.dims(), out.dims()]).is_ok_and(|dims| dims == *out.dims());
    if !fits {
        let (shape, wanted) = (snekpy_stage::tensor::show(out.dims()), snekpy_stage::tensor::show(result.dims()));
        return Err(vm.new_value_error(format!(
            "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            shape.replace(' ', ""),
            wanted.replace(' ', "")
        )));
    }
    assign(out, result).or_raise(vm)
}

/// The product of vectors or matrices, as `@` has it.
pub(super) fn matmul(x: &Operand<'_>, y: &Operand<'_>, vm: &VirtualMachine) -> PyResult<Tensor> {
    let dtype = common([x, y]);
    let (x, y) = (x.tensor(dtype, vm)?, y.tensor(dtype, vm)?);
    for (number, it) in [&x, &y].iter().enumerate() {
        if it.rank() == 0 {
            return Err(vm.new_value_error(format!(
                "matmul: Input operand {number} does not have enough dimensions (has 0, gufunc core with signature \
                 (n?,k),(k,m?)->(n?,m?) requires 1)"
            )));
        }
    }
    if dtype == Dtype::Bool {
        let wide = |it: &Tensor| Ok(Operand::made(as_dtype(it, Dtype::I64).or_raise(vm)?));
        return cast(&matmul(&wide(&x)?, &wide(&y)?, vm)?, Dtype::Bool).or_raise(vm);
    }
    if x.rank() == 1 && y.rank() == 1 && x.dims() == y.dims() {
        return contract::vecdot(&x, &y).or_raise(vm);
    }
    let row = x.rank() == 1;
    let column = y.rank() == 1;
    let a = if row { layout::insert_axis(&x, 0).or_raise(vm)? } else { x };
    let b = if column { layout::insert_axis(&y, 1).or_raise(vm)? } else { y };
    let mut product = contract::matmul(&a, &b).or_raise(vm)?;
    if column {
        product = layout::pick(&product, product.rank() - 1, 0).or_raise(vm)?;
    }
    if row {
        product = layout::pick(&product, product.rank() - 1 - usize::from(!column), 0).or_raise(vm)?;
    }
    Ok(product)
}

/// An elementwise function as an object.
#[pyclass(module = "numpy", name = "ufunc")]
#[derive(Debug, PyPayload)]
pub(crate) struct Ufunc {
    name: &'static str,
    function: Function,
}

#[derive(Clone, Copy, Debug)]
enum Function {
    One(One),
    Two(Two),
}

/// The class.
pub(super) fn class() -> PyTypeRef {
    Ufunc::make_static_type()
}

/// All of them, by their names in the standard.
pub(super) fn all(vm: &VirtualMachine) -> Vec<(&'static str, PyObjectRef)> {
    let object = |name, function| (name, Ufunc { name, function }.into_ref(&vm.ctx).into());
    let ones = Real1::ALL
        .iter()
        .map(|it| (it.text(), One::Real(*it)))
        .chain(Num1::ALL.iter().map(|it| (it.text(), One::Num(*it))))
        .chain(Bits1::ALL.iter().map(|it| (it.text(), One::Bits(*it))))
        .chain(Test1::ALL.iter().map(|it| (it.text(), One::Test(*it))))
        .chain([("positive", One::Positive), ("logical_not", One::Not)]);
    let twos = two_names();
    ones.map(|(name, it)| object(name, Function::One(it)))
        .chain(twos.map(|(name, it)| object(name, Function::Two(it))))
        .collect()
}

fn two_names() -> impl Iterator<Item = (&'static str, Two)> {
    Real2::ALL
        .iter()
        .map(|it| (it.text(), Two::Real(*it)))
        .chain(Num2::ALL.iter().map(|it| (it.text(), Two::Num(*it))))
        .chain(Bits2::ALL.iter().map(|it| (it.text(), Two::Bits(*it))))
        .chain(Cmp::ALL.iter().map(|it| (it.text(), Two::Cmp(*it))))
        .chain([
            ("logical_and", Two::Logical(Bits2::And)),
            ("logical_or", Two::Logical(Bits2::Or)),
            ("logical_xor", Two::Logical(Bits2::Xor)),
        ])
}

fn name_of(function: Two) -> &'static str {
    two_names().find(|(_, it)| *it == function).map_or("ufunc", |it| it.0)
}

#[pyclass(with(Callable, Representable))]
impl Ufunc {
    #[pygetset]
    fn __name__(zelf: &Py<Self>) -> &'static str {
        zelf.name
    }

    #[pygetset]
    fn nin(zelf: &Py<Self>) -> usize {
        match zelf.function {
            Function::One(_) => 1,
            Function::Two(_) => 2,
        }
    }
}

impl Representable for Ufunc {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<ufunc '{}'>", zelf.name))
    }
}

impl Callable for Ufunc {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let inputs = match zelf.function {
            Function::One(_) => 1,
            Function::Two(_) => 2,
        };
        let given = args.args.len();
        if given == inputs && args.kwargs.is_empty() {
            let x = Operand::required(&args.args[0], vm)?;
            let made = match zelf.function {
                Function::One(function) => one(function, &x, vm)?,
                Function::Two(function) => two(function, &x, &Operand::required(&args.args[1], vm)?, vm)?,
            };
            return Ok(NdArray::new(made, vm));
        }
        if given < inputs || given > inputs + 1 {
            return Err(vm.new_type_error(format!(
                "{}() takes from {inputs} to {} positional arguments but {given} were given",
                zelf.name,
                inputs + 1
            )));
        }
        let mut out = args.args.get(inputs).filter(|it| !vm.is_none(it)).cloned();
        let mut dtype = None;
        let mut mask = None;
        for (name, value) in args.kwargs.iter() {
            match name.to_string_lossy().as_ref() {
                _ if vm.is_none(value) => {}
                "out" => out = Some(sole(value)),
                "dtype" => dtype = Some(dtype::coerce(value, vm)?),
                "where" => mask = Some(value.clone()),
                other => {
                    return Err(
                        vm.new_type_error(format!("{}() got an unexpected keyword argument '{other}'", zelf.name))
                    );
                }
            }
        }
        let operand = |at: usize| -> PyResult<Operand<'_>> {
            let operand = Operand::required(&args.args[at], vm)?;
            match dtype {
                Some(dtype) => Ok(Operand::made(operand.tensor(dtype, vm)?)),
                None => Ok(operand),
            }
        };
        if let (Some(out), None, Function::Two(two)) = (&out, &mask, zelf.function) {
            two_into(two, target(out, vm)?, &operand(0)?, &operand(1)?, vm)?;
            return Ok(out.clone());
        }
        let result = match zelf.function {
            Function::One(function) => one(function, &operand(0)?, vm)?,
            Function::Two(function) => two(function, &operand(0)?, &operand(1)?, vm)?,
        };
        match (out, mask) {
            (None, None) => Ok(NdArray::new(result, vm)),
            (Some(out), None) => {
                store(target(&out, vm)?, &result, vm)?;
                Ok(out)
            }
            (Some(out), Some(mask)) => {
                let mask = Operand::required(&mask, vm)?.tensor(Dtype::Bool, vm)?;
                let to = target(&out, vm)?;
                let result = as_dtype(&result, to.dtype()).or_raise(vm)?;
                let chosen = snekpy_stage::tensor::elementwise::select(&mask, &result, to).or_raise(vm)?;
                store(to, &chosen, vm)?;
                Ok(out)
            }
            (None, Some(_)) => Err(vm.new_type_error(format!("{}(): `where` needs `out`", zelf.name))),
        }
    }
}

/// The array of `out=array` or `out=(array,)`.
fn sole(value: &PyObjectRef) -> PyObjectRef {
    match value.downcast_ref::<rustpython_vm::builtins::PyTuple>().map(|it| it.as_slice()) {
        Some([one]) => one.clone(),
        Some(_) | None => value.clone(),
    }
}

fn target<'a>(out: &'a PyObjectRef, vm: &VirtualMachine) -> PyResult<&'a Tensor> {
    match out.downcast_ref::<NdArray>() {
        Some(array) => {
            check_writable(&array.tensor, vm)?;
            Ok(&array.tensor)
        }
        None => Err(vm.new_type_error("return arrays must be of ArrayType")),
    }
}
