//! The native module `_snekpy_numpy`, which `snekpy.numpy` is written over.

use rustpython_vm::Context;
use rustpython_vm::builtins::PyModuleDef;

/// The definition of the module, for the builder of an interpreter.
pub(crate) fn module_def(ctx: &Context) -> &'static PyModuleDef {
    _snekpy_numpy::module_def(ctx)
}

/// Primitives of `snekpy.numpy`.
#[rustpython_vm::pymodule(name = "_snekpy_numpy")]
mod _snekpy_numpy {
    use rustpython_vm::builtins::{PyDictRef, PyStrRef, PyTypeRef};
    use rustpython_vm::function::OptionalArg;
    use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
    use snekpy_stage::home::Home;
    use snekpy_stage::tensor::decompose::{Decomposition, decompose};
    use snekpy_stage::tensor::device::{moved, register};
    use snekpy_stage::tensor::elementwise::select;
    use snekpy_stage::tensor::reduce::Fold;
    use snekpy_stage::tensor::scan::Scan;
    use snekpy_stage::tensor::{
        Dtype, Item, Kind, Tensor, cast, contract, index, layout, linear, make, philox, reduce, scan, sort, trace,
    };

    use crate::numpy::array::{self, NdArray};
    use crate::numpy::error::OrRaise;
    use crate::numpy::operand::{Operand, common, common_of, place};
    use crate::numpy::staged::StagedNumber;
    use crate::numpy::{buffer, convert, dlpack, dtype, ufunc};

    #[pyattr(name = "ndarray")]
    fn ndarray_class(_vm: &VirtualMachine) -> PyTypeRef {
        array::class()
    }

    #[pyattr(name = "dtype")]
    fn dtype_class(_vm: &VirtualMachine) -> PyTypeRef {
        dtype::class()
    }

    #[pyattr(name = "ufunc")]
    fn ufunc_class(_vm: &VirtualMachine) -> PyTypeRef {
        ufunc::class()
    }

    /// The elementwise functions and dtypes, by name.
    #[pyfunction]
    fn _names(vm: &VirtualMachine) -> PyResult<PyDictRef> {
        let names = vm.ctx.new_dict();
        let _class = ufunc::class();
        for (name, function) in ufunc::all(vm) {
            names.set_item(name, function, vm)?;
        }
        for it in Dtype::ALL {
            names.set_item(it.name(), dtype::object(it, vm), vm)?;
        }
        Ok(names)
    }

    /// Gives `ndarray` methods that are written in Python.
    #[pyfunction]
    fn _methods(methods: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        give(&array::class(), methods, vm)
    }

    /// Gives elementwise functions methods that are written in Python.
    #[pyfunction]
    fn _ufunc_methods(methods: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        give(&ufunc::class(), methods, vm)
    }

    fn give(class: &PyTypeRef, methods: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        for (name, method) in methods {
            let name: PyStrRef = name.try_into_value(vm)?;
            crate::numpy::lent::lend(class, &name.to_string_lossy(), method, vm);
        }
        Ok(())
    }

    fn given(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Tensor> {
        match object.downcast_ref::<NdArray>() {
            Some(array) => Ok(array.tensor.clone()),
            None => convert::array(object, None, vm),
        }
    }

    fn object(tensor: Tensor, vm: &VirtualMachine) -> PyObjectRef {
        NdArray::new(tensor, vm)
    }

    fn done(tensor: snekpy_stage::tensor::Result<Tensor>, vm: &VirtualMachine) -> PyResult {
        Ok(object(tensor.or_raise(vm)?, vm))
    }

    fn an_axis(axis: i64, tensor: &Tensor, vm: &VirtualMachine) -> PyResult<usize> {
        layout::axis(axis, tensor.rank()).or_raise(vm)
    }

    /// The axes that an argument names: all for None.
    fn axes(object: &PyObjectRef, tensor: &Tensor, vm: &VirtualMachine) -> PyResult<Vec<usize>> {
        if vm.is_none(object) {
            return Ok((0..tensor.rank()).collect());
        }
        let mut axes: Vec<usize> =
            convert::shape(object, vm)?.into_iter().map(|it| an_axis(it, tensor, vm)).collect::<PyResult<_>>()?;
        axes.sort_unstable();
        if axes.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(vm.new_value_error("duplicate value in 'axis'"));
        }
        Ok(axes)
    }

    /// An array in the memory of a device. It is itself if it is there; what it is to be is begun.
    #[pyfunction]
    fn _to(x: PyObjectRef, device: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let name = device.str(vm)?.to_string_lossy().into_owned();
        let tensor = given(&x, vm)?;
        if name == place(&tensor) {
            tensor.begin().or_raise(vm)?;
            return Ok(x);
        }
        done(moved(&tensor, home_of(&name, vm)?), vm)
    }

    /// The memory of a device of this name.
    fn home_of(name: &str, vm: &VirtualMachine) -> PyResult<Home> {
        let home = match name {
            "cpu" => Some(Home::HERE),
            name => register(&snekpy_vm::tensor::device(name, vm)?),
        };
        home.ok_or_else(|| vm.new_runtime_error("there are too many devices"))
    }

    /// array(object, dtype, copy): copy is True, False (never) or None (where it must be).
    #[pyfunction]
    fn _array(value: PyObjectRef, dtype: PyObjectRef, copy: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let dtype = dtype::optional(OptionalArg::Present(dtype), vm)?;
        let always = !vm.is_none(&copy) && copy.clone().try_to_bool(vm)?;
        let never = !vm.is_none(&copy) && !always;
        if let Some(array) = value.downcast_ref::<NdArray>() {
            let same = dtype.is_none_or(|it| it == array.tensor.dtype());
            if same && !always {
                return Ok(value);
            }
        }
        let source = value.downcast_ref::<NdArray>().map(|it| it.tensor.clone());
        let tensor = convert::array(&value, dtype, vm)?;
        let shares = source.as_ref().is_some_and(|it| tensor.may_overlap(it))
            || source.is_none() && !tensor.buf().is_writable()
            || source.is_none() && value.check_buffer();
        if never && !shares {
            return Err(vm.new_value_error(
                "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)` \
                 replace it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).",
            ));
        }
        if always && shares { done(tensor.to_dense(), vm) } else { Ok(object(tensor, vm)) }
    }

    #[pyfunction]
    fn _frombuffer(value: PyObjectRef, dtype: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let dtype = dtype::coerce(&dtype, vm)?;
        Ok(object(buffer::from_bytes(&value, dtype, vm)?, vm))
    }

    #[pyfunction]
    fn _rebuild(bytes: PyObjectRef, dtype: PyStrRef, shape: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let dtype = dtype::coerce(dtype.as_object(), vm)?;
        array::rebuild(&bytes, dtype, &convert::new_shape(&shape, vm)?, vm)
    }

    /// full(shape, value, dtype, device): of the value's own dtype for None, and here without a device.
    #[pyfunction]
    fn _full(
        shape: PyObjectRef,
        value: PyObjectRef,
        dtype: PyObjectRef,
        device: OptionalArg<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let home = match device.into_option().filter(|it| !vm.is_none(it)) {
            Some(name) => home_of(&name.str(vm)?.to_string_lossy(), vm)?,
            None => Home::HERE,
        };
        let dims = convert::new_shape(&shape, vm)?;
        let dtype = match dtype::optional(OptionalArg::Present(dtype), vm)? {
            Some(dtype) => dtype,
            None => convert::array(&value, None, vm)?.dtype(),
        };
        let types = &vm.ctx.types;
        let is_known = [types.int_type, types.float_type, types.bool_type].iter().any(|it| value.class().is(*it));
        let value = match is_known {
            true => trace::eagerly(|| convert::value_for(dtype, &value, vm))?,
            false => convert::value_for(dtype, &value, vm)?,
        };
        let item = if value.staged().is_some() { None } else { value.only_item() };
        match item {
            Some(item) if value.rank() == 0 => done(make::full_at(home, dtype, &dims, item), vm),
            Some(_) | None => {
                let out = Tensor::zeros(dtype, &dims).or_raise(vm)?;
                cast::assign(&out, &value).or_raise(vm)?;
                if home.is_there() { done(moved(&out, home), vm) } else { Ok(object(out, vm)) }
            }
        }
    }

    /// A number that is known.
    fn number(value: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Item> {
        trace::eagerly(|| convert::array(value, None, vm))?
            .only_item()
            .ok_or_else(|| vm.new_type_error("a single number is expected"))
    }

    #[pyfunction]
    fn _arange(
        start: PyObjectRef,
        stop: PyObjectRef,
        step: PyObjectRef,
        dtype: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult {
        let items = [number(&start, vm)?, number(&stop, vm)?, number(&step, vm)?];
        let items = items.map(|it| if let Item::Bool(it) = it { Item::Int(i64::from(it)) } else { it });
        let floats = items.iter().any(|it| matches!(it, Item::Float(_)));
        let own = if floats { Dtype::F64 } else { Dtype::I64 };
        let dtype = dtype::optional(OptionalArg::Present(dtype), vm)?.unwrap_or(own);
        done(make::arange(dtype, items[0], items[1], items[2]), vm)
    }

    #[pyfunction]
    fn _linspace(
        start: f64,
        stop: f64,
        num: usize,
        endpoint: bool,
        dtype: PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult {
        let dtype = dtype::coerce(&dtype, vm)?;
        done(make::linspace(dtype, start, stop, num, endpoint), vm)
    }

    #[pyfunction]
    fn _eye(rows: usize, columns: usize, k: i64, dtype: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        done(make::eye(dtype::coerce(&dtype, vm)?, rows, columns, k), vm)
    }

    #[pyfunction]
    fn _triangle(x: PyObjectRef, k: i64, lower: bool, vm: &VirtualMachine) -> PyResult {
        done(layout::triangle(&given(&x, vm)?, k, lower), vm)
    }

    #[pyfunction]
    fn _diagonal(x: PyObjectRef, offset: i64, first: i64, second: i64, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        let (first, second) = (an_axis(first, &x, vm)?, an_axis(second, &x, vm)?);
        done(layout::diagonal(&x, offset, first, second), vm)
    }

    #[pyfunction]
    fn _broadcast_to(x: PyObjectRef, shape: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        done(layout::broadcast_to(&x, &convert::new_shape(&shape, vm)?), vm)
    }

    #[pyfunction]
    fn _broadcast_shapes(shapes: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let shapes: Vec<Vec<usize>> = vm.extract_elements_with(&shapes, |it| convert::new_shape(&it, vm))?;
        let shapes: Vec<&[usize]> = shapes.iter().map(|it| &it[..]).collect();
        let dims = snekpy_stage::tensor::broadcast(&shapes).or_raise(vm)?;
        Ok(vm.ctx.new_tuple(dims.iter().map(|it| vm.ctx.new_int(*it).into()).collect()).into())
    }

    /// result_type of arrays, dtypes and numbers.
    #[pyfunction]
    fn _result_type(parts: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let operands = vm.extract_elements_with(&parts, |it| {
            let names_a_dtype = it.downcast_ref::<dtype::PyDtype>().is_some()
                || it.downcast_ref::<rustpython_vm::builtins::PyType>().is_some()
                || it.downcast_ref::<rustpython_vm::builtins::PyStr>().is_some();
            if names_a_dtype {
                let dtype = dtype::coerce(&it, vm)?;
                return Tensor::zeros(dtype, &[]).or_raise(vm).map(Operand::made);
            }
            Operand::required(&it, vm).map(Operand::kept)
        })?;
        let operands: Vec<&Operand<'_>> = operands.iter().collect();
        Ok(dtype::object(common_of(&operands), vm))
    }

    #[pyfunction]
    fn _concat(parts: PyObjectRef, axis: i64, vm: &VirtualMachine) -> PyResult {
        let parts: Vec<Tensor> = vm.extract_elements_with(&parts, |it| given(&it, vm))?;
        let Some(first) = parts.first() else {
            return Err(vm.new_value_error("need at least one array to concatenate"));
        };
        if first.rank() == 0 {
            return Err(vm.new_value_error("zero-dimensional arrays cannot be concatenated"));
        }
        let axis = an_axis(axis, first, vm)?;
        let dtype = parts.iter().map(Tensor::dtype).reduce(Dtype::promote).unwrap_or(Dtype::F64);
        let parts: Vec<Tensor> =
            parts.iter().map(|it| cast::as_dtype(it, dtype).or_raise(vm)).collect::<PyResult<_>>()?;
        done(layout::concat(&parts, axis), vm)
    }

    /// One after another along a new axis.
    #[pyfunction]
    fn _stack(parts: PyObjectRef, axis: i64, vm: &VirtualMachine) -> PyResult {
        let parts: Vec<Tensor> = vm.extract_elements_with(&parts, |it| given(&it, vm))?;
        let Some(first) = parts.first() else { return Err(vm.new_value_error("need at least one array to stack")) };
        if parts.iter().any(|it| it.dims() != first.dims()) {
            return Err(vm.new_value_error("all input arrays must have the same shape"));
        }
        let axis = layout::axis(axis, first.rank() + 1).or_raise(vm)?;
        let dtype = parts.iter().map(Tensor::dtype).reduce(Dtype::promote).unwrap_or(Dtype::F64);
        let parts = parts.iter().map(|it| cast::as_dtype(it, dtype).and_then(|it| layout::insert_axis(&it, axis)));
        let parts: Vec<Tensor> = parts.collect::<Result<_, _>>().or_raise(vm)?;
        done(layout::concat(&parts, axis), vm)
    }

    /// The memory of an array in a capsule of DLPack.
    #[pyfunction]
    fn _to_dlpack(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        dlpack::lend(&given(&x, vm)?, vm)
    }

    /// An array over the memory in a capsule.
    #[pyfunction]
    fn _from_dlpack(capsule: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        Ok(object(dlpack::borrow(&capsule, vm)?, vm))
    }

    #[pyfunction]
    fn _flip(x: PyObjectRef, axis: i64, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        Ok(object(layout::flip(&x, an_axis(axis, &x, vm)?), vm))
    }

    /// reduce(name, x, axis, keepdims): sum, prod, min, max, all, any, count_nonzero.
    #[pyfunction]
    fn _reduce(name: PyStrRef, x: PyObjectRef, axis: PyObjectRef, keepdims: bool, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        let reduced = axes(&axis, &x, vm)?;
        let whole = |x: &Tensor| match x.dtype() {
            Dtype::Bool | Dtype::I32 => cast::cast(x, Dtype::I64),
            Dtype::I64 | Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64 => Ok(x.clone()),
        };
        let name = name.to_string_lossy();
        let mut result = match &*name {
            "sum" => whole(&x).and_then(|x| reduce::fold(Fold::Sum, &x, &reduced)),
            "prod" => whole(&x).and_then(|x| reduce::fold(Fold::Prod, &x, &reduced)),
            "min" => reduce::fold(Fold::Min, &x, &reduced),
            "max" => reduce::fold(Fold::Max, &x, &reduced),
            "all" => reduce::test(&x, &reduced, true),
            "any" => reduce::test(&x, &reduced, false),
            "count_nonzero" => reduce::count_nonzero(&x, &reduced),
            other => return Err(vm.new_value_error(format!("there is no reduction `{other}`"))),
        }
        .or_raise(vm)?;
        if keepdims {
            for axis in reduced {
                result = layout::insert_axis(&result, axis).or_raise(vm)?;
            }
        }
        Ok(object(result, vm))
    }

    #[pyfunction]
    fn _arg_extreme(x: PyObjectRef, axis: i64, greatest: bool, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        done(reduce::arg_extreme(&x, an_axis(axis, &x, vm)?, greatest), vm)
    }

    #[pyfunction]
    fn _scan(name: PyStrRef, x: PyObjectRef, axis: i64, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        let x = match x.dtype() {
            Dtype::Bool | Dtype::I32 => cast::cast(&x, Dtype::I64).or_raise(vm)?,
            Dtype::I64 | Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64 => x,
        };
        let op = Scan::from_text(&name.to_string_lossy()).ok_or_else(|| vm.new_value_error("there is no such scan"))?;
        done(scan::scan(op, &x, an_axis(axis, &x, vm)?), vm)
    }

    #[pyfunction]
    fn matmul(x: PyObjectRef, y: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let (x, y) = (Operand::required(&x, vm)?, Operand::required(&y, vm)?);
        Ok(object(ufunc::matmul(&x, &y, vm)?, vm))
    }

    /// Products along the last axis.
    #[pyfunction]
    fn _vecdot(x: PyObjectRef, y: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let (x, y) = (Operand::required(&x, vm)?, Operand::required(&y, vm)?);
        let dtype = common([&x, &y]);
        let (x, y) = (x.tensor(dtype, vm)?, y.tensor(dtype, vm)?);
        if x.rank() == 0 || y.rank() == 0 {
            return Err(vm.new_value_error("vecdot: operands need an axis"));
        }
        done(contract::vecdot(&x, &y), vm)
    }

    #[pyfunction]
    fn _where(condition: PyObjectRef, x: PyObjectRef, y: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let condition = cast::as_dtype(&given(&condition, vm)?, Dtype::Bool).or_raise(vm)?;
        let (x, y) = (Operand::required(&x, vm)?, Operand::required(&y, vm)?);
        let dtype = common([&x, &y]);
        done(select(&condition, &x.tensor(dtype, vm)?, &y.tensor(dtype, vm)?), vm)
    }

    #[pyfunction]
    fn _nonzero(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let found = index::nonzero(&given(&x, vm)?).or_raise(vm)?;
        Ok(vm.ctx.new_tuple(found.into_iter().map(|it| object(it, vm)).collect()).into())
    }

    #[pyfunction]
    fn _sort(x: PyObjectRef, axis: i64, descending: bool, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        done(sort::sort(&x, an_axis(axis, &x, vm)?, descending), vm)
    }

    #[pyfunction]
    fn _argsort(x: PyObjectRef, axis: i64, descending: bool, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        done(sort::argsort(&x, an_axis(axis, &x, vm)?, descending), vm)
    }

    #[pyfunction]
    fn _plus_at(x: PyObjectRef, places: PyObjectRef, values: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        done(index::plus_at(&given(&x, vm)?, &given(&places, vm)?, &given(&values, vm)?), vm)
    }

    #[pyfunction]
    fn _arg_partition(x: PyObjectRef, kth: i64, axis: i64, descending: bool, vm: &VirtualMachine) -> PyResult {
        let x = given(&x, vm)?;
        let axis = an_axis(axis, &x, vm)?;
        let len = x.dims()[axis] as i64;
        let at = usize::try_from(if kth < 0 { kth.saturating_add(len) } else { kth });
        let at = at.map_err(|_| vm.new_value_error(format!("kth(={kth}) out of bounds ({len})")))?;
        done(sort::arg_partition(&x, axis, at, descending), vm)
    }

    #[pyfunction]
    fn _searchsorted(sorted: PyObjectRef, values: PyObjectRef, right: bool, vm: &VirtualMachine) -> PyResult {
        let (sorted, values) = (Operand::required(&sorted, vm)?, Operand::required(&values, vm)?);
        let dtype = common([&sorted, &values]);
        let (sorted, values) = (sorted.tensor(dtype, vm)?, values.tensor(dtype, vm)?);
        if sorted.rank() != 1 {
            return Err(vm.new_value_error("object too deep for desired array"));
        }
        done(sort::search(&sorted, &values, right), vm)
    }

    #[pyfunction]
    fn shares_memory(x: PyObjectRef, y: PyObjectRef, vm: &VirtualMachine) -> PyResult<bool> {
        Ok(given(&x, vm)?.may_overlap(&given(&y, vm)?))
    }

    /// Random bits: one int64 for each element.
    #[pyfunction]
    fn _random_bits(
        key: PyObjectRef,
        stream: u32,
        shape: PyObjectRef,
        device: OptionalArg<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let dims = convert::new_shape(&shape, vm)?;
        let home = match device.into_option().filter(|it| !vm.is_none(it)) {
            Some(device) => home_of(&device.str(vm)?.to_string_lossy(), vm)?,
            None => Home::HERE,
        };
        if let Some(key) = key.downcast_ref::<StagedNumber>().filter(|it| it.kind == Kind::Int) {
            return done(trace::bits(key.value, stream, &dims, home), vm);
        }
        done(philox::bits(word(&key, vm)?, stream, &dims, home), vm)
    }

    /// The last 64 bits of an integer.
    fn word(key: &PyObjectRef, vm: &VirtualMachine) -> PyResult<u64> {
        let key = key.try_index(vm)?;
        if let Ok(word) = i64::try_from(key.as_bigint()) {
            return Ok(word.cast_unsigned());
        }
        let last = vm._and(key.as_object(), vm.ctx.new_int(u64::MAX).as_object())?;
        last.try_index(vm)?.try_to_primitive(vm)
    }

    /// Matrices in factors, which lie below one another.
    #[pyfunction]
    fn _decompose(how: PyStrRef, x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let found = how.to_str().and_then(Decomposition::from_text);
        let how = found.ok_or_else(|| vm.new_value_error("matrices are not taken apart in this way"))?;
        done(decompose(how, &given(&x, vm)?), vm)
    }

    /// The triangular factors of matrices, in one.
    #[pyfunction]
    fn _lu(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        done(linear::lu(&given(&x, vm)?), vm)
    }

    /// The order of the rows, and the sign of that order behind it.
    #[pyfunction]
    fn _lu_order(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        done(linear::lu_order(&given(&x, vm)?), vm)
    }

    /// What times the matrix of these factors is `b`.
    #[pyfunction]
    fn _lu_solve(factors: PyObjectRef, order: PyObjectRef, b: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        done(linear::lu_solve(&given(&factors, vm)?, &given(&order, vm)?, &given(&b, vm)?), vm)
    }
}
