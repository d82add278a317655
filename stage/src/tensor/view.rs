//! A tensor: a view of shared memory.

use std::sync::Arc;

use super::elem::{Elem, Item, by_dtype};
use super::error::Result;
use super::op::TensorOp;
use super::shape::{Dims, Steps, count, count_later, dense_steps};
use super::trace::Staged;
use super::walk::{Walk, worth};
use super::{Dtype, TensorBuf, trace};
use crate::home::Home;
use crate::sizes;

/// A shape over memory that it may share with other tensors. Cloning shares; [`Tensor::to_dense`] copies.
#[derive(Clone, Debug)]
pub struct Tensor {
    buf: Arc<TensorBuf>,
    dtype: Dtype,
    /// Where the first element is, in elements from the beginning of the memory.
    start: isize,
    dims: Dims,
    steps: Steps,
}

impl Tensor {
    /// A tensor of its own, not written yet: whoever asks for it writes every element.
    ///
    /// # Errors
    /// A [`TensorError`](super::TensorError) if there is no memory for it.
    pub fn blank(dtype: Dtype, dims: &[usize]) -> Result<Self> {
        Self::dense(TensorBuf::blank(bytes(dtype, dims)?)?, dtype, dims)
    }

    /// The same, of a shape that another tensor has.
    pub(crate) fn blank_as(dtype: Dtype, dims: &Dims) -> Result<Self> {
        let buf = TensorBuf::blank(bytes(dtype, dims)?)?;
        Ok(Self { buf: Arc::new(buf), dtype, start: 0, dims: dims.clone(), steps: dense_steps(dims) })
    }

    /// A tensor that stands for a value which is known later.
    ///
    /// # Errors
    /// A [`TensorError`](super::TensorError) if it has too many axes or elements.
    pub fn stand_in(value: Staged, dtype: Dtype, dims: &[usize], home: Home) -> Result<Self> {
        Self::dense(TensorBuf::nowhere(bytes_nowhere(dtype, dims)?, Some((value, home))), dtype, dims)
    }

    /// A tensor without memory, for its dtype and shape.
    pub(crate) fn shell(dtype: Dtype, dims: &[usize]) -> Result<Self> {
        Self::dense(TensorBuf::nowhere(bytes_nowhere(dtype, dims)?, None), dtype, dims)
    }

    /// The same with these steps.
    pub(super) fn shell_of(dtype: Dtype, dims: &[usize], steps: &[isize]) -> Result<Self> {
        let mut shell = Self::shell(dtype, dims)?;
        shell.steps.iter_mut().zip(steps).for_each(|(to, from)| *to = *from);
        Ok(shell)
    }

    /// Where it lies. `None` if there are too many devices.
    pub fn home(&self) -> Option<Home> {
        self.buf.home()
    }

    /// The value that it stands for, if that is known later.
    pub fn staged(&self) -> Option<Staged> {
        self.buf.staged()
    }

    /// A tensor of its own, full of zeros.
    pub fn zeros(dtype: Dtype, dims: &[usize]) -> Result<Self> {
        let item = if dtype.is_float() { Item::Float(0.0) } else { Item::Int(0) };
        if let Some(noted) = trace::note(|| TensorOp::Full { dtype, dims: dims.to_vec(), item, home: Home::HERE }, &[])
        {
            return noted;
        }
        Self::dense(TensorBuf::zeros(bytes(dtype, dims)?)?, dtype, dims)
    }

    /// A tensor of its own with these elements.
    pub fn from_slice<T: Elem>(items: &[T], dims: &[usize]) -> Result<Self> {
        if trace::is_for_shapes() {
            return Self::blank(T::DTYPE, dims);
        }
        assert_eq!(count(dims)?, items.len(), "as many items as the shape has places");
        if trace::is_recording() {
            return noted_constant(|| Self::from_slice(items, dims));
        }
        let tensor = Self::blank(T::DTYPE, dims)?;
        // SAFETY: the memory is new, has room for these items, and is aligned for them.
        unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), tensor.ptr().cast::<T>(), items.len()) };
        Ok(tensor)
    }

    pub(super) fn dense(buf: TensorBuf, dtype: Dtype, dims: &[usize]) -> Result<Self> {
        Ok(Self { buf: Arc::new(buf), dtype, start: 0, dims: Dims::from_slice(dims)?, steps: dense_steps(dims) })
    }

    /// A view of memory.
    ///
    /// # Safety
    /// Each element that the shape and the steps reach lies inside the memory, aligned.
    pub unsafe fn view(buf: Arc<TensorBuf>, dtype: Dtype, start: isize, dims: Dims, steps: Steps) -> Self {
        Self { buf, dtype, start, dims, steps }
    }

    /// Another view of the same memory.
    ///
    /// # Safety
    /// As for [`Tensor::view`].
    pub(crate) unsafe fn with(&self, start: isize, dims: Dims, steps: Steps) -> Self {
        Self { buf: Arc::clone(&self.buf), dtype: self.dtype, start, dims, steps }
    }

    /// The memory.
    pub fn buf(&self) -> &Arc<TensorBuf> {
        &self.buf
    }

    /// What the elements are.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Where the first element is, in elements from the beginning of the memory.
    pub fn start(&self) -> isize {
        self.start
    }

    /// The size of each axis.
    pub fn dims(&self) -> &Dims {
        &self.dims
    }

    /// How far the next element along each axis is, in elements.
    pub fn steps(&self) -> &Steps {
        if self.staged().is_some() {
            trace::look();
        }
        &self.steps
    }

    /// How many axes there are.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// How many elements there are.
    #[inline]
    pub fn count(&self) -> usize {
        sizes::product(&self.dims)
    }

    /// The address of the first element.
    #[inline]
    pub(crate) fn ptr(&self) -> *mut u8 {
        self.buf.data().wrapping_offset(self.start * self.dtype.size() as isize)
    }

    /// The address of the first element of a tensor in this machine's memory.
    pub fn first(&self) -> *mut u8 {
        self.ptr()
    }

    /// The number of the first element's address, to compare with others.
    fn address(&self) -> usize {
        self.buf.address().wrapping_add_signed(self.start * self.dtype.size() as isize)
    }

    /// How far the next element along each axis is, in bytes.
    pub(crate) fn byte_steps(&self) -> Steps {
        let mut steps = self.steps.clone();
        for step in steps.iter_mut() {
            *step = step.saturating_mul(self.dtype.size() as isize);
        }
        steps
    }

    /// Whether the elements lie one after another, the last axis innermost.
    #[inline]
    pub fn is_dense(&self) -> bool {
        let mut step = 1;
        for axis in (0..self.rank()).rev() {
            if self.dims[axis] != 1 && self.steps[axis] != step {
                return self.count() == 0;
            }
            step = step.saturating_mul(self.dims[axis].max(1) as isize);
        }
        true
    }

    /// Whether it has all of its memory, which is ours, and nobody else has it.
    pub fn has_memory_alone(&self) -> bool {
        let bytes = self.count() * self.dtype.size();
        Arc::strong_count(&self.buf) == 1 && self.buf.is_ours() && self.buf.bytes() == bytes
    }

    /// A copy of its own, dense.
    pub fn to_dense(&self) -> Result<Self> {
        if let Some(noted) = trace::note(|| TensorOp::Copy, &[self]) {
            return noted;
        }
        let copy = Self::blank(self.dtype, &self.dims)?;
        self.copy_to(&copy);
        Ok(copy)
    }

    /// Itself if it is dense, else a dense copy.
    pub fn as_dense(&self) -> Result<Self> {
        if self.is_dense() { Ok(self.clone()) } else { self.to_dense() }
    }

    /// Writes all elements into a tensor of the same shape and dtype, which does not overlap this one.
    pub(crate) fn copy_to(&self, to: &Self) {
        debug_assert_eq!((self.dtype, &self.dims), (to.dtype, &to.dims), "checked by the caller");
        if trace::is_for_shapes() {
            return;
        }
        if self.is_dense() && to.is_dense() {
            // SAFETY: both hold that many bytes, and they do not overlap.
            unsafe { std::ptr::copy_nonoverlapping(self.ptr(), to.ptr(), self.count() * self.dtype.size()) };
            return;
        }
        let walk = Walk::new(&self.dims, [&to.byte_steps(), &self.byte_steps()]);
        by_dtype!(self.dtype, E => {
            walk.each_shared([to.ptr(), self.ptr()], worth(false), |[to, from], [to_step, from_step], n| {
                for i in 0..n as isize {
                    // SAFETY: the walk stays inside both views; elements are aligned.
                    unsafe { *to.offset(i * to_step).cast::<E>() = *from.offset(i * from_step).cast::<E>() };
                }
            });
        });
    }

    /// Whether the two may share an element. Never wrong when it says no.
    pub fn may_overlap(&self, other: &Self) -> bool {
        if self.staged().is_some() && self.staged() == other.staged() {
            return true;
        }
        let (Some(a), Some(b)) = (self.span(), other.span()) else { return false };
        a.0 < b.1 && b.0 < a.1
    }

    /// Whether the two are the very same elements in the same order.
    pub fn is_same_view(&self, other: &Self) -> bool {
        self.address() == other.address()
            && self.dtype == other.dtype
            && self.dims == other.dims
            && self.steps == other.steps
    }

    /// The first address that a view reaches, and the one behind its last.
    fn span(&self) -> Option<(usize, usize)> {
        if self.count() == 0 {
            return None;
        }
        let (mut low, mut high) = (0_isize, 0_isize);
        for (dim, step) in self.dims.iter().zip(self.steps.iter()) {
            // Past all memory where sizes are known only later.
            let reach = (*dim as isize - 1).saturating_mul(*step);
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
        }
        let size = self.dtype.size() as isize;
        let place = |at: isize| (self.address() as isize).saturating_add(at.saturating_mul(size)) as usize;
        Some((place(low), place(high.saturating_add(1))))
    }

    /// The element at a position, which exists.
    pub fn item_at(&self, at: &[usize]) -> Item {
        assert!(at.len() == self.rank() && at.iter().zip(self.dims.iter()).all(|(at, dim)| at < dim), "it exists");
        if trace::is_for_shapes() {
            return by_dtype!(self.dtype, E => E::narrow(<E as Elem>::Wide::default()).item());
        }
        let offset: isize = at.iter().zip(self.steps.iter()).map(|(at, step)| *at as isize * step).sum();
        // SAFETY: the position is inside the view, and its elements are inside the memory.
        by_dtype!(self.dtype, E => unsafe { self.ptr().cast::<E>().offset(offset).read() }.item())
    }

    /// The only element, if there is one.
    pub fn only_item(&self) -> Option<Item> {
        (self.count() == 1).then(|| self.item_at(&[0; super::MAX_RANK][..self.rank()]))
    }

    /// All elements in logical order.
    pub fn items(&self) -> Vec<Item> {
        by_dtype!(self.dtype, E => self.to_vec::<E>().into_iter().map(Elem::item).collect())
    }

    /// All elements in logical order.
    ///
    /// # Panics
    /// If they are of another dtype.
    pub fn to_vec<T: Elem>(&self) -> Vec<T> {
        assert_eq!(self.dtype, T::DTYPE, "asked for as what they are");
        // For shapes there are no elements.
        let mut all = Vec::with_capacity(if trace::is_for_shapes() { 0 } else { self.count() });
        Walk::new(&self.dims, [&self.byte_steps()]).each([self.ptr()], |[from], [step], n| {
            // SAFETY: the walk stays inside the view; elements are aligned.
            all.extend((0..n as isize).map(|i| unsafe { *from.offset(i * step).cast::<T>() }));
        });
        all
    }
}

/// How many bytes a tensor takes.
fn bytes(dtype: Dtype, dims: &[usize]) -> Result<usize> {
    if trace::is_for_shapes() { bytes_nowhere(dtype, dims) } else { Ok(count(dims)? * dtype.size()) }
}

/// The same of one without memory, which may be as large as it likes where sizes are known only later.
fn bytes_nowhere(dtype: Dtype, dims: &[usize]) -> Result<usize> {
    Ok(count_later(dims)?.wrapping_mul(dtype.size()))
}

/// Code does not hold more elements than this.
const MOST_CONSTANT: usize = 1 << 16;

/// A tensor that is made of what is known, while operations are written down.
pub(super) fn noted_constant(make: impl FnOnce() -> Result<Tensor>) -> Result<Tensor> {
    let constant = trace::eagerly(make)?;
    if constant.count() > MOST_CONSTANT {
        trace::look();
    }
    trace::note(|| TensorOp::Constant(super::op::Constant::new(constant)), &[])
        .expect("operations are written down here")
}
