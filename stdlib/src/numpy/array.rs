//! The class `ndarray`.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{Callee, Either, FuncArgs, OptionalArg, PosArgs, PyComparisonValue};
use rustpython_vm::protocol::{PyIterReturn, PyMappingMethods, PySequenceMethods};
use rustpython_vm::types::{
    AsBuffer, AsMapping, AsNumber, AsSequence, Hashable, IterNext, Iterable, PyComparisonOp, Representable, SelfIter,
};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, atomic_func, pyclass,
};
use snekpy_stage::sizes;
use snekpy_stage::tensor::elementwise::Cmp;
use snekpy_stage::tensor::{Dtype, Tensor, TensorBuf, cast, layout, trace};

use super::error::{OrRaise, settle};
use super::{convert, dtype, operator, print, reshape, subscript};

/// An array: a tensor, which may share its memory with others.
#[pyclass(module = "numpy", name = "ndarray")]
#[derive(Debug, PyPayload)]
pub(crate) struct NdArray {
    pub(super) tensor: Tensor,
}

/// The class.
pub(super) fn class() -> PyTypeRef {
    let _iterator = ArrayIterator::make_static_type();
    NdArray::make_static_type()
}

impl NdArray {
    /// An array around a tensor.
    #[expect(clippy::new_ret_no_self, reason = "what Python sees is an object")]
    pub(super) fn new(tensor: Tensor, vm: &VirtualMachine) -> PyObjectRef {
        Self { tensor }.into_ref(&vm.ctx).into()
    }
}

#[pyclass(with(AsNumber, AsMapping, AsSequence, Iterable, Hashable, Representable, AsBuffer))]
impl NdArray {
    #[pyslot]
    fn slot_richcompare(
        zelf: &PyObject,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
        let cmp = match op {
            PyComparisonOp::Eq => Cmp::Eq,
            PyComparisonOp::Ne => Cmp::Ne,
            PyComparisonOp::Lt => Cmp::Lt,
            PyComparisonOp::Le => Cmp::Le,
            PyComparisonOp::Gt => Cmp::Gt,
            PyComparisonOp::Ge => Cmp::Ge,
        };
        operator::compare(cmp, zelf, other, vm).map(Either::A)
    }

    #[pygetset]
    fn shape(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        let dims = zelf.tensor.dims().iter().map(|it| vm.ctx.new_int(*it).into()).collect();
        vm.ctx.new_tuple(dims).into()
    }

    #[pygetset]
    fn strides(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        let size = zelf.tensor.dtype().size() as isize;
        let steps = zelf.tensor.steps().iter().map(|it| vm.ctx.new_int(*it * size).into()).collect();
        vm.ctx.new_tuple(steps).into()
    }

    #[pygetset]
    fn dtype(zelf: &Py<Self>, vm: &VirtualMachine) -> PyObjectRef {
        dtype::object(zelf.tensor.dtype(), vm)
    }

    #[pygetset]
    fn ndim(zelf: &Py<Self>) -> usize {
        zelf.tensor.rank()
    }

    #[pygetset]
    fn size(zelf: &Py<Self>) -> usize {
        zelf.tensor.count()
    }

    #[pygetset]
    fn itemsize(zelf: &Py<Self>) -> usize {
        zelf.tensor.dtype().size()
    }

    #[pygetset]
    fn nbytes(zelf: &Py<Self>) -> usize {
        // Where sizes are known only later, the product says so.
        zelf.tensor.count().wrapping_mul(zelf.tensor.dtype().size())
    }

    #[pygetset]
    fn device(zelf: &Py<Self>) -> String {
        super::operand::place(&zelf.tensor)
    }

    #[pygetset(name = "T")]
    fn transposed(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        reshape::reversed(&zelf.tensor, vm).map(|it| Self::new(it, vm))
    }

    #[pygetset(name = "mT")]
    fn matrix_transposed(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let rank = zelf.tensor.rank();
        if rank < 2 {
            return Err(vm.new_value_error("matrix transpose with ndim < 2 is undefined"));
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 1, rank - 2);
        Ok(Self::new(layout::permute(&zelf.tensor, &order).or_raise(vm)?, vm))
    }

    /// item(*index)
    /// --
    ///
    /// The only element, or the one at a position, as a number of Python.
    #[pymethod]
    fn item(zelf: &Py<Self>, at: PosArgs, vm: &VirtualMachine) -> PyResult {
        let at = at.into_vec();
        let tensor = match &at[..] {
            [] => return zelf.only(vm, "can only convert an array of size 1 to a Python scalar"),
            [one] if one.downcast_ref::<rustpython_vm::builtins::PyTuple>().is_none() && zelf.tensor.rank() != 1 => {
                let flat = layout::reshape(&zelf.tensor, &[zelf.tensor.count()]).or_raise(vm)?;
                layout::pick(&flat, 0, convert::int(one, vm)?).or_raise(vm)?
            }
            [one] => subscript::get_view(&zelf.tensor, one, vm)?,
            more => subscript::get_view(&zelf.tensor, vm.ctx.new_tuple(more.to_vec()).as_object(), vm)?,
        };
        match tensor.only_item() {
            Some(item) => settle(vm).map(|()| convert::item(item, vm)),
            None => Err(vm.new_value_error("incorrect number of indices for array")),
        }
    }

    fn only(&self, vm: &VirtualMachine, otherwise: &str) -> PyResult {
        match self.tensor.only_item() {
            Some(item) => settle(vm).map(|()| convert::item(item, vm)),
            None => Err(vm.new_value_error(otherwise.to_owned())),
        }
    }

    /// tolist()
    /// --
    ///
    /// The elements as nested lists of numbers of Python.
    #[pymethod]
    fn tolist(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let lists = convert::lists(&zelf.tensor, vm);
        settle(vm).map(|()| lists)
    }

    /// tobytes()
    /// --
    ///
    /// The elements in logical order, as they lie in memory.
    #[pymethod]
    fn tobytes(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let dense = zelf.tensor.as_dense().or_raise(vm)?;
        let size = dense.dtype().size();
        let first = dense.start() as usize * size;
        // SAFETY: a dense tensor is one range of its memory.
        let all = unsafe { std::slice::from_raw_parts(dense.buf().data().add(first), dense.count() * size) };
        settle(vm).map(|()| vm.ctx.new_bytes(all.to_vec()).into())
    }

    /// astype(dtype, copy=True)
    /// --
    ///
    /// The elements as another dtype.
    #[pymethod]
    fn astype(zelf: PyRef<Self>, args: AsTypeArgs, vm: &VirtualMachine) -> PyResult {
        let dtype = dtype::coerce(&args.dtype, vm)?;
        if dtype == zelf.tensor.dtype() && !args.copy {
            return Ok(zelf.into());
        }
        Ok(Self::new(cast::cast(&zelf.tensor, dtype).or_raise(vm)?, vm))
    }

    /// copy(order='C')
    /// --
    ///
    /// An array of its own with the same elements, the last axis innermost whatever the order is.
    #[pymethod]
    fn copy(zelf: &Py<Self>, _order: CopyArgs, vm: &VirtualMachine) -> PyResult {
        Ok(Self::new(zelf.tensor.to_dense().or_raise(vm)?, vm))
    }

    #[pymethod]
    fn __copy__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        Ok(Self::new(zelf.tensor.to_dense().or_raise(vm)?, vm))
    }

    #[pymethod]
    fn __deepcopy__(zelf: &Py<Self>, _memo: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        Ok(Self::new(zelf.tensor.to_dense().or_raise(vm)?, vm))
    }

    /// reshape(*shape, order='C', copy=None)
    /// --
    ///
    /// The same elements in another shape; a view where that is possible. One size may be -1.
    #[pymethod(raw)]
    fn reshape(vm: &VirtualMachine, args: FuncArgs, callee: Callee) -> PyResult {
        if args.kwargs.is_empty()
            && let [zelf, shape @ ..] = &args.args[..]
            && let Some(zelf) = zelf.downcast_ref::<Self>()
        {
            return reshape::reshaped(&zelf.tensor, shape, vm).map(|it| Self::new(it, vm));
        }
        let (zelf, shape, how) = args.bind_for::<(PyRef<Self>, PosArgs, reshape::How)>(vm, callee)?;
        how.reshaped(&zelf.tensor, &shape.into_vec(), vm).map(|it| Self::new(it, vm))
    }

    /// transpose(*axes)
    /// --
    ///
    /// A view with the axes in another order; reversed without arguments.
    #[pymethod]
    fn transpose(zelf: &Py<Self>, axes: PosArgs, vm: &VirtualMachine) -> PyResult {
        let axes = axes.into_vec();
        let axes = match &axes[..] {
            [] => (0..zelf.tensor.rank() as i64).rev().collect(),
            [one] if vm.is_none(one) => (0..zelf.tensor.rank() as i64).rev().collect(),
            [one] => convert::shape(one, vm)?,
            more => more.iter().map(|it| convert::int(it, vm)).collect::<PyResult<Vec<_>>>()?,
        };
        let order: Vec<usize> =
            axes.into_iter().map(|it| layout::axis(it, zelf.tensor.rank()).or_raise(vm)).collect::<PyResult<_>>()?;
        Ok(Self::new(layout::permute(&zelf.tensor, &order).or_raise(vm)?, vm))
    }

    /// fill(value)
    /// --
    ///
    /// Makes all elements the same.
    #[pymethod]
    fn fill(zelf: &Py<Self>, value: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        check_writable(&zelf.tensor, vm)?;
        convert::assign_object(&zelf.tensor, &value, vm)
    }

    #[pymethod]
    fn __reduce__(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let module = vm.import("_snekpy_numpy", 0)?;
        let parts =
            vec![Self::tobytes(&zelf, vm)?, vm.ctx.new_str(zelf.tensor.dtype().name()).into(), Self::shape(&zelf, vm)];
        let rebuild = module.get_attr("_rebuild", vm)?;
        Ok(vm.ctx.new_tuple(vec![rebuild, vm.ctx.new_tuple(parts).into()]).into())
    }

    #[pymethod]
    fn __format__(zelf: PyRef<Self>, spec: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let object = match operator::single(&zelf.tensor, vm)? {
            Some(item) => convert::item(item, vm),
            None => {
                if spec.clone().try_to_bool(vm)? {
                    return Err(vm.new_type_error("unsupported format string passed to numpy.ndarray.__format__"));
                }
                return Self::__str__(&zelf, vm).map(|it| vm.ctx.new_str(it).into());
            }
        };
        vm.call_method(&object, "__format__", (spec,))
    }

    #[pymethod]
    fn __str__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let text = print::text(&zelf.tensor);
        settle(vm).map(|()| text)
    }

    #[pymethod]
    fn __complex__(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult {
        let item = zelf.only(vm, "only 0-dimensional arrays can be converted to Python scalars")?;
        vm.ctx.types.complex_type.to_owned().as_object().call((item,), vm)
    }

    #[pymethod]
    fn __round__(zelf: &Py<Self>, digits: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let item = zelf.only(vm, "only 0-dimensional arrays can be rounded")?;
        match digits {
            OptionalArg::Present(digits) => vm.call_method(&item, "__round__", (digits,)),
            OptionalArg::Missing => vm.call_method(&item, "__round__", ()),
        }
    }
}

/// Arguments of `astype`.
#[derive(rustpython_vm::FromArgs)]
struct AsTypeArgs {
    #[pyarg(any)]
    dtype: PyObjectRef,
    #[pyarg(any, default = true)]
    copy: bool,
}

/// Arguments of `copy`.
#[derive(rustpython_vm::FromArgs)]
struct CopyArgs {
    #[pyarg(any, optional)]
    #[expect(dead_code, reason = "copies have one layout")]
    order: OptionalArg<PyObjectRef>,
}

/// Arrays over memory that may only be read are not assigned to.
pub(super) fn check_writable(tensor: &Tensor, vm: &VirtualMachine) -> PyResult<()> {
    let buf: &TensorBuf = tensor.buf();
    if buf.is_writable() { Ok(()) } else { Err(vm.new_value_error("assignment destination is read-only")) }
}

impl AsMapping for NdArray {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: PyMappingMethods = PyMappingMethods {
            length: atomic_func!(|mapping, vm| length(NdArray::mapping_downcast(mapping), vm)),
            subscript: atomic_func!(|mapping, key, vm| {
                let array = NdArray::mapping_downcast(mapping);
                subscript::get(&array.tensor, key, vm).map(|it| NdArray::new(it, vm))
            }),
            ass_subscript: atomic_func!(|mapping, key, value, vm| {
                let array = NdArray::mapping_downcast(mapping);
                match value {
                    Some(value) => subscript::set(&array.tensor, key, &value, vm),
                    None => Err(vm.new_value_error("cannot delete array elements")),
                }
            }),
        };
        &METHODS
    }
}

impl AsSequence for NdArray {
    fn as_sequence() -> &'static PySequenceMethods {
        static METHODS: PySequenceMethods = PySequenceMethods {
            length: atomic_func!(|sequence, vm| length(NdArray::sequence_downcast(sequence), vm)),
            contains: atomic_func!(|sequence, value, vm| {
                let equal = operator::compare(Cmp::Eq, sequence.obj, value, vm)?;
                match equal.downcast_ref::<NdArray>() {
                    Some(equal) => {
                        let found = equal.tensor.items().iter().any(|it| it.truth());
                        settle(vm).map(|()| found)
                    }
                    None => Ok(false),
                }
            }),
            ..PySequenceMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}

fn length(array: &Py<NdArray>, vm: &VirtualMachine) -> PyResult<usize> {
    array.tensor.dims().first().copied().ok_or_else(|| vm.new_type_error("len() of unsized object"))
}

impl Hashable for NdArray {
    /// A single element is a number and hashes as one.
    fn hash(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyHash> {
        match operator::single(&zelf.tensor, vm)? {
            Some(item) => convert::item(item, vm).hash(vm),
            None => Err(vm.new_type_error("unhashable type: 'numpy.ndarray'")),
        }
    }
}

impl Representable for NdArray {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        let text = print::repr(&zelf.tensor);
        settle(vm).map(|()| text)
    }
}

impl Iterable for NdArray {
    fn iter(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        if zelf.tensor.rank() == 0 {
            return Err(vm.new_type_error("iteration over a 0-d array"));
        }
        // Native code would draw as many rows as the number says that stands for how many there are.
        if zelf.tensor.staged().is_some() && sizes::is_later(zelf.tensor.dims()[0]) {
            trace::look();
            return Err(vm.new_type_error("how many rows there are is known later"));
        }
        Ok(ArrayIterator { array: zelf, at: AtomicUsize::new(0) }.into_ref(&vm.ctx).into())
    }
}

/// Iteration over the first axis.
#[pyclass(module = "numpy", name = "ndarray_iterator")]
#[derive(Debug, PyPayload)]
pub(crate) struct ArrayIterator {
    array: PyRef<NdArray>,
    at: AtomicUsize,
}

#[pyclass(with(IterNext, Iterable))]
impl ArrayIterator {
    #[pymethod]
    fn __length_hint__(zelf: &Py<Self>) -> usize {
        zelf.array.tensor.dims()[0].saturating_sub(zelf.at.load(Ordering::Relaxed))
    }

    /// Goes on from this position, as the iterators of sequences do.
    #[pymethod]
    fn __setstate__(zelf: &Py<Self>, at: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let at = convert::int(&at, vm)?;
        zelf.at.store(usize::try_from(at).unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }
}

impl SelfIter for ArrayIterator {}

impl IterNext for ArrayIterator {
    fn next(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
        let tensor = &zelf.array.tensor;
        let at = zelf.at.load(Ordering::Relaxed);
        if at >= tensor.dims()[0] {
            return Ok(PyIterReturn::StopIteration(None));
        }
        zelf.at.store(at + 1, Ordering::Relaxed);
        let item = layout::pick(tensor, 0, at as i64).or_raise(vm)?;
        let item = if item.rank() == 0 { item.to_dense().or_raise(vm)? } else { item };
        Ok(PyIterReturn::Return(NdArray::new(item, vm)))
    }
}

/// An array from what pickling has kept.
pub(super) fn rebuild(bytes: &PyObject, dtype: Dtype, dims: &[usize], vm: &VirtualMachine) -> PyResult {
    let flat = super::buffer::from_bytes(bytes, dtype, vm)?;
    let tensor = layout::reshape(&flat, dims).or_raise(vm)?.to_dense().or_raise(vm)?;
    Ok(NdArray::new(tensor, vm))
}
