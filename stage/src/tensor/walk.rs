//! Going through several views at once, in logical order.

use super::shape::{PerAxis, Steps};
use crate::threads::{self, Shared};

/// How many elements are worth a thread, where a loop waits for memory or computes more than it reads.
pub(crate) const fn worth(is_long: bool) -> usize {
    if is_long { 1 << 15 } else { 1 << 18 }
}

/// Goes through elements that lie at equal distances in each view, on several threads if each has so many at `least`.
pub(crate) fn sweep<const N: usize>(
    starts: [*mut u8; N],
    steps: [isize; N],
    n: usize,
    least: usize,
    row: impl Fn([*mut u8; N], [isize; N], usize) + Sync,
) {
    if n < 2 * least {
        return row(starts, steps, n);
    }
    let starts = Shared(starts);
    // Parts begin where memory is moved from.
    threads::share(n, 64, least, |part| {
        let starts = &starts;
        row(std::array::from_fn(|it| starts.0[it].wrapping_offset(part.start as isize * steps[it])), steps, part.len());
    });
}

/// A loop nest over the elements of `N` views of one shape, with as few loops as the layouts allow.
#[derive(Clone)]
pub(crate) struct Walk<const N: usize> {
    /// All loops but the innermost, the outermost first.
    outer: PerAxis<usize>,
    outer_steps: [Steps; N],
    /// Length and steps of the innermost loop.
    row: usize,
    row_steps: [isize; N],
    empty: bool,
}

impl<const N: usize> Walk<N> {
    /// Views of this shape with these steps, in bytes. Neighbouring axes that are one run in all views become one.
    pub(crate) fn new(dims: &[usize], steps: [&[isize]; N]) -> Self {
        let mut walk = Self {
            outer: PerAxis::new(),
            outer_steps: std::array::from_fn(|_| Steps::new()),
            row: 1,
            row_steps: [0; N],
            empty: dims.contains(&0),
        };
        let mut loops = 0;
        for axis in 0..dims.len() {
            let size = dims[axis];
            if size == 1 {
                continue;
            }
            let joins = loops > 0 && (0..N).all(|it| walk.row_steps[it] == steps[it][axis].wrapping_mul(size as isize));
            if joins {
                // Where sizes are known only later, nothing is walked over.
                walk.row = walk.row.wrapping_mul(size);
            } else {
                if loops > 0 {
                    walk.push_row();
                }
                walk.row = size;
                loops += 1;
            }
            for (row_step, steps) in walk.row_steps.iter_mut().zip(&steps) {
                *row_step = steps[axis];
            }
        }
        walk
    }

    fn push_row(&mut self) {
        let cannot = "there are no more loops than axes";
        self.outer.push(self.row).expect(cannot);
        for it in 0..N {
            self.outer_steps[it].push(self.row_steps[it]).expect(cannot);
        }
    }

    /// Whether there is only the innermost loop.
    pub(crate) fn is_one_row(&self) -> bool {
        self.outer.is_empty()
    }

    /// The steps and the length of the innermost loop, if it is the only one.
    pub(crate) fn one_row(&self) -> Option<([isize; N], usize)> {
        (self.is_one_row() && !self.empty).then_some((self.row_steps, self.row))
    }

    /// How often the inner one of two loops runs, its steps from one time to the next, its length and its steps.
    pub(crate) fn two_loops(&self) -> Option<(usize, [isize; N], usize, [isize; N])> {
        let &[outer] = &*self.outer else { return None };
        let far = std::array::from_fn(|it| self.outer_steps[it][0]);
        (!self.empty).then_some((outer, far, self.row, self.row_steps))
    }

    /// As [`Walk::each`], on several threads if each has so many elements at `least`. Rows are apart from each other.
    pub(crate) fn each_shared(
        &self,
        starts: [*mut u8; N],
        least: usize,
        row: impl Fn([*mut u8; N], [isize; N], usize) + Sync,
    ) {
        if self.empty || super::trace::is_for_shapes() {
            return;
        }
        let Some(&outer) = self.outer.first() else { return sweep(starts, self.row_steps, self.row, least, row) };
        let inner = self.row * self.outer[1..].iter().product::<usize>();
        if outer * inner < 2 * least {
            return self.each(starts, row);
        }
        let starts = Shared(starts);
        threads::share(outer, 1, least.div_ceil(inner.max(1)), |part| {
            let mut walk = self.clone();
            walk.outer[0] = part.len();
            let starts = &starts;
            let at = |it: usize| starts.0[it].wrapping_offset(part.start as isize * self.outer_steps[it][0]);
            walk.each(std::array::from_fn(at), &row);
        });
    }

    /// Calls `row` for each innermost loop: where it begins in each view, its steps and its length.
    #[inline]
    pub(crate) fn each(&self, starts: [*mut u8; N], mut row: impl FnMut([*mut u8; N], [isize; N], usize)) {
        if self.empty || super::trace::is_for_shapes() {
            return;
        }
        if self.outer.is_empty() {
            return row(starts, self.row_steps, self.row);
        }
        let mut at = PerAxis::repeat(0_usize, self.outer.len());
        let mut ptrs = starts;
        loop {
            row(ptrs, self.row_steps, self.row);
            let mut axis = self.outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                let wrapped = at[axis] == self.outer[axis];
                for (ptr, steps) in ptrs.iter_mut().zip(&self.outer_steps) {
                    let by = if wrapped { steps[axis] * (1 - self.outer[axis] as isize) } else { steps[axis] };
                    *ptr = ptr.wrapping_offset(by);
                }
                if !wrapped {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
}
