//! Shapes: one number for each axis.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::error::{Result, TensorError};
use crate::sizes;

/// How many axes a tensor may have.
pub const MAX_RANK: usize = 16;

/// Of so many axes nothing is allocated.
const FEW: usize = 4;

/// One thing for each axis of a tensor, the outermost first. Small and quickly copied, because each view has two.
#[derive(Clone)]
pub struct PerAxis<T> {
    rank: usize,
    /// The things, if they are few.
    few: [T; FEW],
    /// The things, if they are more.
    many: Option<Box<[T; MAX_RANK]>>,
}

/// The size of each axis.
pub type Dims = PerAxis<usize>;

/// How many elements further the next one along each axis is.
pub type Steps = PerAxis<isize>;

impl<T: Copy + Default> PerAxis<T> {
    /// No axis.
    #[inline]
    pub fn new() -> Self {
        Self { rank: 0, few: [T::default(); FEW], many: None }
    }

    /// The same for each axis.
    ///
    /// # Panics
    /// If there are more than [`MAX_RANK`].
    #[inline]
    pub fn repeat(item: T, rank: usize) -> Self {
        assert!(rank <= MAX_RANK, "a tensor has at most {MAX_RANK} axes");
        Self { rank, few: [item; FEW], many: (rank > FEW).then(|| Box::new([item; MAX_RANK])) }
    }

    /// These, in order.
    #[inline]
    pub fn from_slice(items: &[T]) -> Result<Self> {
        if items.len() > MAX_RANK {
            return Err(too_many(items.len()));
        }
        let mut all = Self::repeat(T::default(), items.len());
        all.copy_from_slice(items);
        Ok(all)
    }

    /// One axis more, the innermost.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<()> {
        let Some(to) = self.few.get_mut(self.rank) else { return self.insert(self.rank, item) };
        *to = item;
        self.rank += 1;
        Ok(())
    }

    /// One axis more, before the one that is at this position.
    pub fn insert(&mut self, at: usize, item: T) -> Result<()> {
        if self.rank == MAX_RANK {
            return Err(too_many(MAX_RANK + 1));
        }
        if self.rank == FEW {
            let many = self.many.insert(Box::new([T::default(); MAX_RANK]));
            many[..FEW].copy_from_slice(&self.few);
        }
        self.rank += 1;
        self[at..].rotate_right(1);
        self[at] = item;
        Ok(())
    }

    /// One axis less.
    pub fn remove(&mut self, at: usize) -> T {
        let item = self[at];
        self[at..].rotate_left(1);
        self.rank -= 1;
        if self.rank == FEW
            && let Some(many) = self.many.take()
        {
            self.few.copy_from_slice(&many[..FEW]);
        }
        item
    }
}

fn too_many(rank: usize) -> TensorError {
    TensorError::Value(format!("a tensor has at most {MAX_RANK} axes, this has {rank}"))
}

impl<T: Copy + Default> Default for PerAxis<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for PerAxis<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.many {
            None => &self.few[..self.rank],
            Some(many) => &many[..self.rank],
        }
    }
}

impl<T> DerefMut for PerAxis<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.many {
            None => &mut self.few[..self.rank],
            Some(many) => &mut many[..self.rank],
        }
    }
}

impl<T: PartialEq> PartialEq for PerAxis<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank && self.iter().zip(other.iter()).all(|(x, y)| x == y)
    }
}

impl<T: Eq> Eq for PerAxis<T> {}

impl<T: fmt::Debug> fmt::Debug for PerAxis<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// How many elements a tensor of this shape has, if that can be counted in memory.
pub fn count(dims: &[usize]) -> Result<usize> {
    if dims.contains(&0) {
        return Ok(0);
    }
    dims.iter()
        .try_fold(1_usize, |all, it| all.checked_mul(*it))
        .filter(|all| *all <= isize::MAX as usize / 16)
        .ok_or_else(|| TensorError::Value(format!("a tensor of shape {} is too large", show(dims))))
}

/// The same where sizes may be known only later: then it is a number that says how many.
pub(super) fn count_later(dims: &[usize]) -> Result<usize> {
    sizes::count(dims).map_or_else(|| count(dims), Ok)
}

/// The shape as Python writes it: `(2, 3)`, `(2,)`, `()`.
pub fn show(dims: &[usize]) -> String {
    match dims {
        [one] => format!("({one},)"),
        _ => format!("({})", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The same with no spaces, as NumPy writes shapes that do not go together.
fn show_tight(dims: &[usize]) -> String {
    show(dims).replace(' ', "")
}

/// The steps of a tensor whose elements lie one after another, the last axis innermost.
#[inline]
pub(crate) fn dense_steps(dims: &[usize]) -> Steps {
    let mut steps = Steps::repeat(1, dims.len());
    let mut step = 1_isize;
    for axis in (0..dims.len()).rev() {
        steps[axis] = step;
        step = step.saturating_mul(dims[axis].max(1) as isize);
    }
    steps
}

/// The shape that all of these are stretched to.
pub fn broadcast(shapes: &[&[usize]]) -> Result<Dims> {
    let rank = shapes.iter().map(|it| it.len()).max().unwrap_or(0);
    let mut dims = Dims::repeat(1, rank);
    for shape in shapes {
        let skip = rank - shape.len();
        for (dim, size) in dims[skip..].iter_mut().zip(*shape) {
            if *dim == 1 {
                *dim = *size;
            } else if *size != 1 && *size != *dim {
                let all: Vec<String> = shapes.iter().map(|it| show_tight(it)).collect();
                return Err(TensorError::Value(format!(
                    "operands could not be broadcast together with shapes {} ",
                    all.join(" ")
                )));
            }
        }
    }
    Ok(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_stretched_from_the_right() {
        assert_eq!(*broadcast(&[&[2, 1, 3], &[4, 1], &[]]).unwrap(), [2, 4, 3]);
        assert_eq!(*broadcast(&[&[1], &[0]]).unwrap(), [0]);
        let error = broadcast(&[&[2, 3], &[2]]).unwrap_err().to_string();
        assert_eq!(error, "operands could not be broadcast together with shapes (2,3) (2,) ");
    }

    #[test]
    fn axes_come_and_go() {
        let mut all = Dims::new();
        for rank in 0..MAX_RANK {
            assert_eq!(*all, (0..rank).rev().collect::<Vec<_>>()[..]);
            all.insert(0, rank).unwrap();
        }
        assert!(all.push(7).is_err());
        for rank in (0..MAX_RANK).rev() {
            assert_eq!(all.remove(0), rank);
            assert_eq!(all, Dims::from_slice(&(0..rank).rev().collect::<Vec<_>>()).unwrap());
        }
        all.push(5).unwrap();
        assert_eq!(*all, [5]);
    }

    #[test]
    fn sizes_past_memory_are_refused() {
        assert!(count(&[1 << 40, 1 << 40]).is_err());
        assert_eq!(count(&[1 << 40, 0, 1 << 40]), Ok(0));
        assert_eq!(count(&[]), Ok(1));
    }
}
