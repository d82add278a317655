//! Operands that do not lie as the result does: their elements in the result's order, block by block.

use super::stretched;
use crate::tensor::elementwise::Loop;
use crate::tensor::shape::PerAxis;
use crate::tensor::simd::{self, Kernel};
use crate::tensor::{Dtype, Tensor};
use std::marker::PhantomData;

/// A place in a view stretched to a shape. Neighbouring axes that are one run are one.
#[derive(Clone)]
pub(super) struct Cursor {
    size: usize,
    /// All loops but the innermost, the outermost first: lengths, steps in bytes, and where each stands.
    outer: PerAxis<usize>,
    steps: PerAxis<isize>,
    at: PerAxis<usize>,
    /// The innermost loop.
    row: usize,
    step: isize,
    done: usize,
    /// Where the innermost loop begins.
    ptr: *const u8,
}

impl Cursor {
    pub(super) fn new(x: &Tensor, dims: &[usize]) -> Self {
        let all = stretched(x, dims);
        let (mut outer, mut steps) = (PerAxis::new(), PerAxis::new());
        let (mut row, mut step) = (1_usize, 0_isize);
        for (&size, &next) in dims.iter().zip(all.iter()).filter(|(size, _)| **size != 1) {
            if row > 1 && step == next.wrapping_mul(size as isize) {
                row = row.wrapping_mul(size);
            } else {
                if row > 1 {
                    // A shape has no more axes than there is room for.
                    let _: (Result<_, _>, Result<_, _>) = (outer.push(row), steps.push(step));
                }
                row = size;
            }
            step = next;
        }
        let at = PerAxis::repeat(0, outer.len());
        Self { size: x.dtype().size(), outer, steps, at, row, step, done: 0, ptr: x.ptr() }
    }

    /// The step from each element to the next, if it is one.
    pub(super) fn step(&self) -> Option<isize> {
        self.outer.is_empty().then_some(self.step)
    }

    /// After how many elements the same come again, where they lie dense.
    pub(super) fn period(&self) -> Option<usize> {
        let is_dense = self.step == self.size as isize;
        (*self.steps == [0] && is_dense).then_some(self.row)
    }

    /// Goes on so many elements further.
    pub(super) fn skip(&mut self, n: usize) {
        let axes = || (0..self.outer.len()).rev();
        let before = (0..self.outer.len()).fold(0, |all, axis| all * self.outer[axis] + self.at[axis]);
        let base = axes().fold(self.ptr, |ptr, axis| ptr.wrapping_offset(-(self.at[axis] as isize) * self.steps[axis]));
        let position = before * self.row + self.done + n;
        let (mut rest, mut ptr) = (position / self.row, base);
        for axis in (0..self.outer.len()).rev() {
            self.at[axis] = rest % self.outer[axis];
            rest /= self.outer[axis];
            ptr = ptr.wrapping_offset(self.at[axis] as isize * self.steps[axis]);
        }
        (self.done, self.ptr) = (position % self.row, ptr);
    }

    /// Writes the next `n` elements.
    ///
    /// # Safety
    /// There is room for them, and there are so many, unless they come again.
    pub(super) unsafe fn fill(&mut self, to: *mut u8, n: usize) {
        // SAFETY: the caller's.
        unsafe {
            match self.size {
                1 => self.fill_with::<u8>(to.cast(), n),
                2 => self.fill_with::<u16>(to.cast(), n),
                4 => self.fill_with::<u32>(to.cast(), n),
                _ => self.fill_with::<u64>(to.cast(), n),
            }
        }
    }

    unsafe fn fill_with<T: Copy>(&mut self, mut to: *mut T, mut n: usize) {
        while n > 0 {
            let now = n.min(self.row - self.done);
            let from = self.ptr.wrapping_offset(self.done as isize * self.step);
            // SAFETY: the row has so many elements, aligned, and the caller has room for them.
            unsafe {
                if self.step == size_of::<T>() as isize {
                    std::ptr::copy_nonoverlapping(from.cast::<T>(), to, now);
                } else if self.step == 0 {
                    std::slice::from_raw_parts_mut(to, now).fill(*from.cast::<T>());
                } else {
                    for i in 0..now {
                        *to.add(i) = *from.wrapping_offset(i as isize * self.step).cast::<T>();
                    }
                }
                to = to.add(now);
            }
            n -= now;
            self.done += now;
            if self.done == self.row {
                self.next_row();
            }
        }
    }

    fn next_row(&mut self) {
        self.done = 0;
        for axis in (0..self.outer.len()).rev() {
            self.at[axis] += 1;
            self.ptr = self.ptr.wrapping_offset(self.steps[axis]);
            if self.at[axis] < self.outer[axis] {
                return;
            }
            self.ptr = self.ptr.wrapping_offset(-self.steps[axis] * self.outer[axis] as isize);
            self.at[axis] = 0;
        }
    }
}

/// A row of elements that are moved as they are.
struct Copies<T> {
    ptrs: [*mut u8; 2],
    steps: [isize; 2],
    n: usize,
    things: PhantomData<T>,
}

impl<T: Copy> Kernel for Copies<T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { ptrs: [to, from], steps: [to_step, from_step], n, .. } = self;
        for i in 0..n as isize {
            // SAFETY: whoever made the row knows that it is inside both views, and aligned.
            unsafe { *to.offset(i * to_step).cast::<T>() = *from.offset(i * from_step).cast::<T>() };
        }
    }
}

/// The loop that copies elements of a dtype.
pub(super) fn copy_rows(dtype: Dtype) -> Loop<2> {
    /// # Safety
    /// As for [`Loop`].
    unsafe fn run<T: Copy>(ptrs: [*mut u8; 2], steps: [isize; 2], n: usize) {
        let size = size_of::<T>() as isize;
        if steps == [size; 2] {
            // SAFETY: rows are as long, and are the same or apart.
            return unsafe { std::ptr::copy(ptrs[1].cast::<T>(), ptrs[0].cast::<T>(), n) };
        }
        simd::run(Copies::<T> { ptrs, steps, n, things: PhantomData });
    }
    match dtype {
        Dtype::Bool => run::<u8>,
        Dtype::F16 | Dtype::Bf16 => run::<u16>,
        Dtype::I32 | Dtype::F32 => run::<u32>,
        Dtype::I64 | Dtype::F64 => run::<u64>,
    }
}
