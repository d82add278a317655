//! Arrays that Rust and Python share.

use crate::error::{Error, Result};
use snekpy_stage::tensor as stage;
use snekpy_stage::tensor::{Dims, Steps, TensorBuf};
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

pub use snekpy_stage::tensor::Dtype;

mod sealed {
    pub trait Sealed {}
}

/// What an element can be in Rust: `bool`, `i32`, `i64`, `f32`, `f64`, and `half::f16` and `half::bf16`.
pub trait Element: Copy + Send + Sync + 'static + sealed::Sealed {
    /// What it is in Python.
    const DTYPE: Dtype;
}

macro_rules! element {
    ($($ty:ty = $dtype:ident),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const DTYPE: Dtype = Dtype::$dtype;
        }
    )*};
}

element!(bool = Bool, i32 = I32, i64 = I64, f32 = F32, f64 = F64, half::f16 = F16, half::bf16 = Bf16);

/// An array of `snekpy.numpy` in Rust's hands.
///
/// It is a view of memory, which Python's arrays, other tensors and Rust share: a clone, an argument and a result are
/// handed over by reference, and nothing is copied. So what one writes, all others read. It needs no engine, and may be
/// given to several engines and threads.
///
/// ```
/// # fn main() -> snekpy::Result<()> {
/// use snekpy::{Engine, Tensor};
/// let script = Engine::new().run("
/// def double(x):
///     x *= 2
///     return x[::-1, 0]
/// ")?;
/// let x = Tensor::new(vec![1.0_f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let column: Tensor = script.call("double", (&x,))?;
/// assert_eq!(x.to_vec::<f32>()?, [2.0, 4.0, 6.0, 8.0]);
/// assert_eq!((column.shape(), column.strides()), (&[2][..], &[-2][..]));
/// assert_eq!(column.to_vec::<f32>()?, [6.0, 2.0]);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Tensor {
    inner: stage::Tensor,
}

impl Tensor {
    /// An array with these elements, the last axis innermost. Their memory becomes the array's.
    pub fn new<T: Element>(items: Vec<T>, shape: &[usize]) -> Result<Self> {
        let owner = Owned(items);
        let (data, count) = (owner.0.as_ptr().cast_mut(), owner.0.len());
        let strides = dense(shape);
        // SAFETY: the vector is moved into the owner, where its elements stay, and only the array reaches them.
        unsafe { Self::over(data, count, 0, shape, &strides, true, Box::new(owner)) }
    }

    /// An array that Python may only read: its elements stay shared with Rust.
    pub fn shared<T: Element>(items: Arc<[T]>, shape: &[usize]) -> Result<Self> {
        let (data, count) = (items.as_ptr().cast_mut(), items.len());
        let strides = dense(shape);
        // SAFETY: the elements stay for as long as the owner does, and are never written.
        unsafe { Self::over(data, count, 0, shape, &strides, false, Box::new(items)) }
    }

    /// # Safety
    /// `count` elements from `data` can be read, and written if `writable`, for as long as `owner` is not dropped.
    unsafe fn over<T: Element>(
        data: *mut T,
        count: usize,
        first: usize,
        shape: &[usize],
        strides: &[isize],
        writable: bool,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Self> {
        let raised = |error: stage::TensorError| Error::new(error.class_name(), error.to_string());
        let wanted = stage::count(shape).map_err(raised)?;
        let dims = Dims::from_slice(shape).map_err(raised)?;
        let steps = Steps::from_slice(strides).map_err(raised)?;
        let mut reach = (first as isize, first as isize);
        if wanted > 0 {
            for (dim, step) in shape.iter().zip(strides) {
                let far = (*dim as isize - 1).saturating_mul(*step);
                reach = (reach.0.saturating_add(far.min(0)), reach.1.saturating_add(far.max(0)));
            }
        }
        if wanted > 0 && (reach.0 < 0 || reach.1 >= count as isize) || strides == dense(shape) && wanted != count {
            let message = format!("{count} elements cannot be an array of shape {}", stage::show(shape));
            return Err(Error::new("ValueError", message));
        }
        let data = NonNull::new(data.cast()).expect("the elements have an address");
        // SAFETY: the caller says so.
        let buf = unsafe { TensorBuf::foreign(data, count * size_of::<T>(), writable, owner) };
        // SAFETY: it was checked above that all elements are inside.
        let inner = unsafe { stage::Tensor::view(Arc::new(buf), T::DTYPE, first as isize, dims, steps) };
        Ok(Self { inner })
    }

    pub(crate) fn from_inner(inner: stage::Tensor) -> Self {
        Self { inner }
    }

    pub(crate) fn into_inner(self) -> stage::Tensor {
        self.inner
    }

    #[cfg(test)]
    fn inner(&self) -> &stage::Tensor {
        &self.inner
    }

    /// What its elements are.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        self.inner.dtype()
    }

    /// The size of each axis, the outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.inner.dims()
    }

    /// How many elements further the next one along each axis is.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.inner.steps()
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.count()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether they lie one after another, the last axis innermost.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        self.inner.is_dense()
    }

    /// Whether they may be written to.
    #[must_use]
    pub fn is_writable(&self) -> bool {
        self.inner.buf().is_writable()
    }

    /// The elements in order, copied. A `TypeError` if they are of another type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.is_of::<T>()?;
        let dense = self.inner.as_dense().map_err(|error| Error::new(error.class_name(), error.to_string()))?;
        if T::DTYPE == Dtype::Bool {
            // Memory of others may hold other bytes than 0 and 1.
            let bytes = first_of::<u8>(&dense);
            // SAFETY: so many elements are there, a byte each; written as truth values, of the same size.
            return Ok(unsafe {
                let truth: Vec<bool> = (0..dense.count()).map(|at| *bytes.add(at) != 0).collect();
                std::slice::from_raw_parts(truth.as_ptr().cast::<T>(), truth.len()).to_vec()
            });
        }
        // SAFETY: so many elements are there, of this type, one after another.
        Ok(unsafe { std::slice::from_raw_parts(first_of::<T>(&dense), dense.count()) }.to_vec())
    }

    /// The elements where they lie, one after another, if their memory was made by snekpy, and nobody else has it.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<Option<&mut [T]>> {
        self.is_of::<T>()?;
        let is_alone = self.inner.has_memory_alone() && self.inner.is_dense() && T::DTYPE != Dtype::Bool;
        let (at, len) = (first_of::<T>(&self.inner).cast_mut(), self.len());
        // SAFETY: so many elements are there, of this type; nobody else reaches them while `self` is borrowed.
        Ok(is_alone.then(|| unsafe { std::slice::from_raw_parts_mut(at, len) }))
    }

    /// Where the first element is.
    ///
    /// What is read or written there by way of [`strides`](Self::strides) is the caller's to keep apart from what Python does
    /// at the same time in other threads, and may only be written if [`is_writable`](Self::is_writable).
    pub fn as_ptr<T: Element>(&self) -> Result<*mut T> {
        self.is_of::<T>()?;
        Ok(first_of::<T>(&self.inner).cast_mut())
    }

    fn is_of<T: Element>(&self) -> Result<()> {
        if self.dtype() == T::DTYPE {
            return Ok(());
        }
        let (found, wanted) = (self.dtype().name(), T::DTYPE.name());
        Err(Error::new("TypeError", format!("expected an array of {wanted}, found {found}")))
    }
}

fn first_of<T>(tensor: &stage::Tensor) -> *const T {
    tensor.buf().data().cast::<T>().wrapping_offset(tensor.start())
}

/// Keeps a vector.
struct Owned<T>(Vec<T>);

/// The strides of an array whose elements lie one after another.
fn dense(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    let mut step = 1_isize;
    for axis in (0..shape.len()).rev() {
        strides[axis] = step;
        step = step.saturating_mul(shape[axis].max(1) as isize);
    }
    strides
}

impl<T: Element> From<Vec<T>> for Tensor {
    /// An array of one axis. The memory becomes the array's.
    fn from(items: Vec<T>) -> Self {
        let shape = [items.len()];
        Self::new(items, &shape).expect("as many elements as the shape says")
    }
}

impl<T: Element> From<&[T]> for Tensor {
    /// An array of one axis with a copy of the elements: Python may keep it for longer than they are borrowed.
    fn from(items: &[T]) -> Self {
        items.to_vec().into()
    }
}

/// Two are equal if they are the same elements of the same memory.
impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.inner.is_same_view(&other.inner)
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}, {})", self.dtype().name(), stage::show(self.shape()))
    }
}

#[cfg(feature = "ndarray")]
mod with_ndarray {
    use super::{Element, Owned, Tensor};
    use crate::error::Result;
    use ndarray::{Array, ArrayD, ArrayView, ArrayViewD, Dimension, IxDyn, ShapeBuilder};

    impl<T: Element, D: Dimension> From<Array<T, D>> for Tensor {
        /// The array, whose memory becomes the tensor's, however it lies.
        fn from(array: Array<T, D>) -> Self {
            let (shape, strides) = (array.shape().to_vec(), array.strides().to_vec());
            let (items, first) = array.into_raw_vec_and_offset();
            let owner = Owned(items);
            let (data, count) = (owner.0.as_ptr().cast_mut(), owner.0.len());
            if shape.contains(&0) {
                return Self::new(Vec::<T>::new(), &shape).expect("there are no elements");
            }
            // SAFETY: the vector is moved into the owner, where its elements stay, and only the array reaches them.
            let made = unsafe { Self::over(data, count, first.unwrap_or(0), &shape, &strides, true, Box::new(owner)) };
            made.expect("an array of so many axes whose elements are inside its memory")
        }
    }

    impl<T: Element, D: Dimension> From<ArrayView<'_, T, D>> for Tensor {
        /// A copy: Python may keep it for longer than the elements are borrowed.
        fn from(view: ArrayView<'_, T, D>) -> Self {
            view.to_owned().into()
        }
    }

    impl Tensor {
        /// A copy as an array of `ndarray`.
        pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
            let items = self.to_vec::<T>()?;
            Ok(ArrayD::from_shape_vec(IxDyn(self.shape()), items).expect("as many elements as the shape says"))
        }

        /// The elements where they lie, whatever their order, as a view of `ndarray`; a copy of those along axes that run
        /// backwards, which `ndarray` makes no views of, is the caller's to make.
        ///
        /// # Safety
        /// Nobody writes to them while the view lives: no other thread runs Python with an array of this memory.
        ///
        /// # Errors
        /// A `TypeError` if they are of another type, or an axis runs backwards.
        pub unsafe fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
            let at = self.as_ptr::<T>()?;
            if self.strides().iter().any(|it| *it < 0) {
                return Err(crate::Error::new("TypeError", "an axis runs backwards"));
            }
            let strides: Vec<usize> = self.strides().iter().map(|it| it.cast_unsigned()).collect();
            // SAFETY: the elements are inside the memory, which `self` keeps; the caller says that nobody writes.
            Ok(unsafe { ArrayViewD::from_shape_ptr(IxDyn(self.shape()).strides(IxDyn(&strides)), at) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        for (count, shape) in [(5, &[2, 3][..]), (7, &[2, 3]), (0, &[1]), (3, &[usize::MAX, 2]), (1, &[0])] {
            let error = Tensor::new(vec![0_i32; count], shape).expect_err("it does not fit");
            assert!(error.is("ValueError"), "{count} {shape:?}: {error}");
        }
        assert_eq!(Tensor::new(Vec::<f64>::new(), &[2, 0]).expect("nothing").shape(), [2, 0]);
        assert_eq!(Tensor::new(vec![true], &[]).expect("one element").to_vec::<bool>().expect("bools"), [true]);
    }

    #[test]
    fn memory_is_mine_while_nobody_else_has_it() {
        let x = Tensor::from(vec![1_i64, 2, 3]);
        assert!(x.to_vec::<f64>().expect_err("integers").is("TypeError"));
        let mut sum = Tensor::from_inner(x.inner().to_dense().expect("there is memory"));
        sum.as_mut_slice::<i64>().expect("integers").expect("it is alone")[0] = 7;
        assert_eq!(sum.to_vec::<i64>().expect("integers"), [7, 2, 3]);
        let other = sum.clone();
        assert!(sum.as_mut_slice::<i64>().expect("integers").is_none());
        drop(other);
        assert!(sum.as_mut_slice::<i64>().expect("integers").is_some());
    }
}
