//! Between Python's objects and tensors.

use rustpython_vm::builtins::{PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::tensor::cast::{as_dtype, assign};
use snekpy_stage::tensor::trace::{self, Staged};
use snekpy_stage::tensor::{Dims, Dtype, Item, Kind, Tensor, layout, make};

use super::array::NdArray;
use super::buffer;
use super::error::OrRaise;
use super::operand::check_range;
use super::staged::StagedNumber;

/// A tensor from an array (shared), a buffer (shared), a number or nested sequences.
pub(super) fn array(object: &PyObject, dtype: Option<Dtype>, vm: &VirtualMachine) -> PyResult<Tensor> {
    if let Some(array) = object.downcast_ref::<NdArray>() {
        return as_dtype(&array.tensor, dtype.unwrap_or(array.tensor.dtype())).or_raise(vm);
    }
    if object.downcast_ref::<PyStr>().is_none() && object.check_buffer() {
        let tensor = buffer::import(object, vm)?;
        return as_dtype(&tensor, dtype.unwrap_or(tensor.dtype())).or_raise(vm);
    }
    let mut nested = Nested { leaves: Vec::new(), dims: Vec::new() };
    nested.walk(object, 0, vm)?;
    nested.tensor(dtype, vm)
}

/// A tensor of nested sequences: where nothing in them is known only later, it is known itself while operations are
/// written down.
pub(super) fn known_or_later(object: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    let mut nested = Nested { leaves: Vec::new(), dims: Vec::new() };
    nested.walk(object, 0, vm)?;
    let is_mask = nested.leaves.iter().all(|it| matches!(it, Leaf::Item(Item::Bool(_))));
    if is_mask { trace::eagerly(|| nested.tensor(None, vm)) } else { nested.tensor(None, vm) }
}

/// A leaf of nested sequences.
enum Leaf {
    Item(Item),
    Big(f64),
    /// A number that is known later.
    Later(Staged, Kind),
    Array(Box<Tensor>),
}

/// Sequences in sequences.
struct Nested {
    leaves: Vec<Leaf>,
    dims: Vec<usize>,
}

impl Nested {
    fn walk(&mut self, object: &PyObject, depth: usize, vm: &VirtualMachine) -> PyResult<()> {
        if let Some(leaf) = leaf(object, vm)? {
            if !self.leaves.is_empty() && self.dims.len() != depth {
                return Err(self.ragged(depth, vm));
            }
            self.leaves.push(leaf);
            return Ok(());
        }
        let items: Vec<PyObjectRef> = if let Some(list) = object.downcast_ref::<PyList>() {
            list.borrow_vec().to_vec()
        } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            tuple.as_slice().to_vec()
        } else if object.downcast_ref::<PyStr>().is_none() && object.get_attr("__len__", vm).is_ok() {
            vm.extract_elements_with(object, Ok)?
        } else {
            let class = object.class().name().to_string();
            return Err(
                vm.new_type_error(format!("an array cannot hold a `{class}`: elements are bools, ints and floats"))
            );
        };
        if depth < self.dims.len() {
            if self.dims[depth] != items.len() {
                return Err(self.ragged(depth, vm));
            }
        } else if self.leaves.is_empty() {
            self.dims.push(items.len());
        } else {
            return Err(self.ragged(depth, vm));
        }
        items.iter().try_for_each(|item| self.walk(item, depth + 1, vm))
    }

    fn ragged(&self, depth: usize, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
        let depth = depth.min(self.dims.len());
        let shape = snekpy_stage::tensor::show(&self.dims[..depth]);
        vm.new_value_error(format!(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after {depth} \
             dimensions. The detected shape was {shape} + inhomogeneous part."
        ))
    }

    fn tensor(self, dtype: Option<Dtype>, vm: &VirtualMachine) -> PyResult<Tensor> {
        let found = self.leaves.iter().map(|leaf| match leaf {
            Leaf::Item(Item::Bool(_)) => Dtype::Bool,
            Leaf::Item(Item::Int(_)) | Leaf::Big(_) => Dtype::I64,
            Leaf::Item(Item::Float(_)) => Dtype::F64,
            Leaf::Later(_, Kind::Bool) => Dtype::Bool,
            Leaf::Later(_, Kind::Int) => Dtype::I64,
            Leaf::Later(_, Kind::Float) => Dtype::F64,
            Leaf::Array(tensor) => tensor.dtype(),
        });
        let dtype = dtype.or_else(|| found.reduce(Dtype::promote)).unwrap_or(Dtype::F64);
        if self.leaves.iter().any(|it| matches!(it, Leaf::Array(tensor) if tensor.rank() > 0)) {
            return self.stacked(dtype, vm);
        }
        let is_later = |it: &Leaf| match it {
            Leaf::Later(..) => true,
            Leaf::Array(tensor) => tensor.staged().is_some(),
            Leaf::Item(_) | Leaf::Big(_) => false,
        };
        if self.leaves.iter().any(is_later) {
            return self.one_by_one(dtype, vm);
        }
        let mut items = Vec::with_capacity(self.leaves.len());
        for leaf in self.leaves {
            items.push(match leaf {
                Leaf::Item(item) => {
                    check_item(item, dtype, vm)?;
                    item
                }
                Leaf::Big(float) if dtype.is_float() => Item::Float(float),
                Leaf::Big(_) => return Err(vm.new_overflow_error("Python int too large to convert to C long")),
                Leaf::Array(tensor) => tensor.item_at(&[]),
                Leaf::Later(..) => unreachable!("answered above"),
            });
        }
        make::from_items(dtype, &items, &self.dims).or_raise(vm)
    }

    /// Numbers of which some are known later are put side by side.
    fn one_by_one(self, dtype: Dtype, vm: &VirtualMachine) -> PyResult<Tensor> {
        if let ([], [Leaf::Later(value, _)]) = (&self.dims[..], &self.leaves[..]) {
            return trace::number(*value, dtype).or_raise(vm);
        }
        let one = |leaf: &Leaf| match leaf {
            Leaf::Item(item) => make::full(dtype, &[1], *item).or_raise(vm),
            Leaf::Later(value, _) => {
                trace::number(*value, dtype).and_then(|it| layout::insert_axis(&it, 0)).or_raise(vm)
            }
            Leaf::Array(tensor) => as_dtype(tensor, dtype).and_then(|it| layout::insert_axis(&it, 0)).or_raise(vm),
            Leaf::Big(_) => Err(vm.new_overflow_error("Python int too large to convert to C long")),
        };
        let parts = self.leaves.iter().map(one).collect::<PyResult<Vec<_>>>()?;
        layout::concat(&parts, 0).and_then(|it| layout::reshape(&it, &self.dims)).or_raise(vm)
    }

    /// Arrays inside of sequences are put side by side.
    fn stacked(self, dtype: Dtype, vm: &VirtualMachine) -> PyResult<Tensor> {
        let mut parts = Vec::new();
        for leaf in &self.leaves {
            let Leaf::Array(tensor) = leaf else { return Err(self.ragged(self.dims.len(), vm)) };
            parts.push(layout::insert_axis(&as_dtype(tensor, dtype).or_raise(vm)?, 0).or_raise(vm)?);
        }
        let Some(first) = parts.first().map(|it| it.dims().clone()) else {
            unreachable!("there is an array among them")
        };
        if parts.iter().any(|it| *it.dims() != first) {
            return Err(self.ragged(self.dims.len(), vm));
        }
        let mut dims = Dims::from_slice(&self.dims).or_raise(vm)?;
        for dim in &first[1..] {
            dims.push(*dim).or_raise(vm)?;
        }
        layout::reshape(&layout::concat(&parts, 0).or_raise(vm)?, &dims).or_raise(vm)
    }
}

/// A number of Python that an element cannot be.
pub(super) fn check_item(item: Item, dtype: Dtype, vm: &VirtualMachine) -> PyResult<()> {
    if let Item::Float(it) = item
        && !dtype.is_float()
        && dtype != Dtype::Bool
    {
        if it.is_nan() {
            return Err(vm.new_value_error("cannot convert float NaN to integer"));
        }
        if it.is_infinite() {
            return Err(vm.new_overflow_error("cannot convert float infinity to integer"));
        }
        if it.abs() >= -(i64::MIN as f64) {
            return Err(vm.new_overflow_error("Python int too large to convert to C long"));
        }
    }
    check_range(item, dtype, vm)
}

fn leaf(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Leaf>> {
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Ok(Some(Leaf::Item(Item::Float(float.to_f64()))));
    }
    if let Some(int) = object.downcast_ref::<PyInt>() {
        if object.class().is(vm.ctx.types.bool_type) {
            return Ok(Some(Leaf::Item(Item::Bool(int.as_bigint() != &0.into()))));
        }
        return Ok(Some(match i64::try_from(int.as_bigint()) {
            Ok(it) => Leaf::Item(Item::Int(it)),
            Err(_) => Leaf::Big(object.try_float(vm)?.to_f64()),
        }));
    }
    if let Some(number) = object.downcast_ref::<StagedNumber>() {
        return Ok(Some(Leaf::Later(number.value, number.kind)));
    }
    if let Some(array) = object.downcast_ref::<NdArray>() {
        return Ok(Some(Leaf::Array(Box::new(array.tensor.clone()))));
    }
    if object.class().is(vm.ctx.types.complex_type) {
        return Err(vm.new_type_error("data type 'complex128' is not supported: elements are bools, ints and floats"));
    }
    Ok(None)
}

/// An element as a number of Python.
pub(super) fn item(item: Item, vm: &VirtualMachine) -> PyObjectRef {
    match item {
        Item::Bool(it) => vm.ctx.new_bool(it).into(),
        Item::Int(it) => vm.ctx.new_int(it).into(),
        Item::Float(it) => vm.ctx.new_float(it).into(),
    }
}

/// A tensor as nested lists.
pub(super) fn lists(tensor: &Tensor, vm: &VirtualMachine) -> PyObjectRef {
    fn nest(items: &mut std::vec::IntoIter<Item>, dims: &[usize], vm: &VirtualMachine) -> PyObjectRef {
        match dims {
            [] => item(items.next().expect("as many as the shape says"), vm),
            [first, rest @ ..] => vm.ctx.new_list((0..*first).map(|_| nest(items, rest, vm)).collect()).into(),
        }
    }
    nest(&mut tensor.items().into_iter(), tensor.dims(), vm)
}

/// The sizes that an argument means: an int, or a sequence of them.
pub(super) fn shape(object: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<i64>> {
    let is_sequence = object.downcast_ref::<NdArray>().is_some_and(|it| it.tensor.rank() > 0);
    if !is_sequence && let Some(int) = object.try_index_opt(vm) {
        return Ok(vec![int?.try_to_primitive(vm)?]);
    }
    vm.extract_elements_with(object, |it| it.try_index(vm)?.try_to_primitive(vm))
}

/// The sizes of a new array.
pub(super) fn new_shape(object: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<usize>> {
    shape(object, vm)?
        .into_iter()
        .map(|it| usize::try_from(it).map_err(|_| vm.new_value_error("negative dimensions are not allowed")))
        .collect()
}

/// An integer argument.
pub(super) fn int(object: &PyObject, vm: &VirtualMachine) -> PyResult<i64> {
    if let Some(int) = object.downcast_ref_if_exact::<PyInt>(vm) {
        return int.try_to_primitive(vm);
    }
    object.try_index(vm)?.try_to_primitive(vm)
}

/// Writes a value of Python into a view.
pub(super) fn assign_object(to: &Tensor, value: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let value = value_for(to.dtype(), value, vm)?;
    assign(to, &value).or_raise(vm)
}

/// A value that is to be stored as elements of a dtype.
pub(super) fn value_for(dtype: Dtype, value: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    if let Some(array) = value.downcast_ref::<NdArray>() {
        return Ok(array.tensor.clone());
    }
    match leaf(value, vm)? {
        Some(Leaf::Item(item)) => {
            check_item(item, dtype, vm)?;
            make::full(dtype, &[], item).or_raise(vm)
        }
        Some(Leaf::Later(value, _)) => trace::number(value, dtype).or_raise(vm),
        Some(Leaf::Big(_) | Leaf::Array(_)) | None => array(value, Some(dtype), vm),
    }
}
