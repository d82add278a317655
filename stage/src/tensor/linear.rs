//! Matrices in triangular factors.
//!
//! Factors are found column by column with the largest pivot, the first one of equal ones, and kept in one matrix: the
//! lower one, whose diagonal is ones, and the upper one. Sums are taken in the order of their terms, each product and each
//! difference rounded. So the bits are the same everywhere.

use super::cast;
use super::error::{Result, TensorError};
use super::op::TensorOp;
use super::trace;
use super::{Dtype, Tensor};

/// Single or double precision.
trait Real:
    super::Elem + PartialOrd + std::ops::Sub<Output = Self> + std::ops::Mul<Output = Self> + std::ops::Div<Output = Self>
{
    const ZERO: Self;

    fn magnitude(self) -> Self;
}

impl Real for f32 {
    const ZERO: Self = 0.0;

    fn magnitude(self) -> Self {
        self.abs()
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;

    fn magnitude(self) -> Self {
        self.abs()
    }
}

/// Square matrices of single or double precision in the last two axes: how many rows each has.
fn rows(x: &Tensor) -> Result<usize> {
    match x.dims()[..] {
        [.., rows, columns] if rows == columns => Ok(rows),
        _ => Err(TensorError::Value("Last 2 dimensions of the array must be square".to_owned())),
    }
}

fn no_floats(dtype: Dtype) -> TensorError {
    TensorError::Type(format!("array type {dtype} is unsupported in linalg"))
}

/// Which of these is a pivot: the first largest one, or the first NaN.
fn pivot<T: Real>(column: impl Iterator<Item = T>) -> usize {
    let mut best: Option<(usize, T)> = None;
    for (at, item) in column.enumerate() {
        let size = item.magnitude();
        if size.partial_cmp(&size).is_none() {
            return at;
        }
        if best.is_none_or(|(_, it)| size > it) {
            best = Some((at, size));
        }
    }
    best.map_or(0, |it| it.0)
}

/// Puts a matrix of `n` rows in its factors: the order of its rows and the sign of that order.
fn factor<T: Real>(a: &mut [T], n: usize) -> Vec<i64> {
    let mut order: Vec<i64> = (0..n as i64).collect();
    let mut sign = 1;
    for j in 0..n {
        let at = j + pivot((j..n).map(|i| a[i * n + j]));
        if at != j {
            (0..n).for_each(|k| a.swap(j * n + k, at * n + k));
            order.swap(j, at);
            sign = -sign;
        }
        let head = a[j * n + j];
        if head == T::ZERO {
            continue;
        }
        for i in j + 1..n {
            let share = a[i * n + j] / head;
            a[i * n + j] = share;
            for k in j + 1..n {
                a[i * n + k] = a[i * n + k] - share * a[j * n + k];
            }
        }
    }
    order.push(sign);
    order
}

fn factors<T: Real>(x: &Tensor) -> Result<(Vec<T>, Vec<i64>)> {
    let n = rows(x)?;
    let mut all = x.to_vec::<T>();
    let orders = all.chunks_exact_mut((n * n).max(1)).flat_map(|it| factor(it, n)).collect();
    Ok((all, orders))
}

/// The factors of each matrix, in one.
pub fn lu(x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Lu, &[x]) {
        return noted;
    }
    rows(x)?;
    match x.dtype() {
        _ if trace::is_for_shapes() => Tensor::blank(x.dtype(), x.dims()),
        Dtype::F32 => Tensor::from_slice(&factors::<f32>(x)?.0, x.dims()),
        Dtype::F64 => Tensor::from_slice(&factors::<f64>(x)?.0, x.dims()),
        other => Err(no_floats(other)),
    }
}

/// The order of the rows of each matrix, and the sign of that order behind it.
pub fn lu_order(x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::LuOrder, &[x]) {
        return noted;
    }
    let n = rows(x)?;
    let mut dims = x.dims()[..x.rank() - 1].to_vec();
    dims[x.rank() - 2] = n + 1;
    match x.dtype() {
        _ if trace::is_for_shapes() => Tensor::blank(Dtype::I64, &dims),
        Dtype::F32 if n > 0 => Tensor::from_slice(&factors::<f32>(x)?.1, &dims),
        Dtype::F64 if n > 0 => Tensor::from_slice(&factors::<f64>(x)?.1, &dims),
        Dtype::F32 | Dtype::F64 => super::make::full(Dtype::I64, &dims, super::Item::Int(1)),
        other => Err(no_floats(other)),
    }
}

/// One system: `b` becomes what the matrix gives it for.
fn substitute<T: Real>(factors: &[T], order: &[i64], b: &[T], made: &mut [T], n: usize, columns: usize) {
    for (row, from) in order[..n].iter().enumerate() {
        let from = *from as usize * columns;
        made[row * columns..][..columns].copy_from_slice(&b[from..][..columns]);
    }
    let less = |made: &mut [T], row: usize, by: usize| {
        let share = factors[row * n + by];
        for k in 0..columns {
            made[row * columns + k] = made[row * columns + k] - share * made[by * columns + k];
        }
    };
    for row in 0..n {
        (0..row).for_each(|by| less(made, row, by));
    }
    for row in (0..n).rev() {
        (row + 1..n).for_each(|by| less(made, row, by));
        for k in 0..columns {
            made[row * columns + k] = made[row * columns + k] / factors[row * n + row];
        }
    }
}

/// What times each matrix is the matrix `b`, from the matrix's [`lu`] and [`lu_order`]. There are as many of each.
pub fn lu_solve(factors: &Tensor, order: &Tensor, b: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::LuSolve, &[factors, order, b]) {
        return noted;
    }
    let n = rows(factors)?;
    let rank = factors.rank();
    let fits = b.rank() == rank
        && order.rank() + 1 == rank
        && b.dtype() == factors.dtype()
        && b.dims()[..rank - 2] == factors.dims()[..rank - 2]
        && order.dims()[..rank - 2] == factors.dims()[..rank - 2]
        && order.dims()[rank - 2] == n + 1
        && b.dims()[rank - 2] == n;
    if !fits {
        return Err(TensorError::Value("a system of equations of another size".to_owned()));
    }
    if trace::is_for_shapes() || b.count() == 0 {
        return Tensor::blank(b.dtype(), b.dims());
    }
    let order = cast::as_dtype(order, Dtype::I64)?.to_vec::<i64>();
    if order.chunks_exact(n + 1).any(|it| it[..n].iter().any(|it| !(0..n as i64).contains(it))) {
        return Err(TensorError::Index("no such row".to_owned()));
    }
    match b.dtype() {
        Dtype::F32 => solved::<f32>(factors, &order, b, n),
        Dtype::F64 => solved::<f64>(factors, &order, b, n),
        other => Err(no_floats(other)),
    }
}

fn solved<T: Real>(factors: &Tensor, order: &[i64], b: &Tensor, n: usize) -> Result<Tensor> {
    let columns = b.dims()[b.rank() - 1];
    let (factors, from) = (factors.to_vec::<T>(), b.to_vec::<T>());
    let mut made = vec![T::ZERO; from.len()];
    let systems = factors.chunks_exact(n * n).zip(order.chunks_exact(n + 1));
    let sides = from.chunks_exact(n * columns).zip(made.chunks_exact_mut(n * columns));
    for ((factors, order), (from, to)) in systems.zip(sides) {
        substitute(factors, order, from, to, n, columns);
    }
    Tensor::from_slice(&made, b.dims())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_solved_gives_the_right_side() {
        let a = Tensor::from_slice(&[0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 1.0, 0.5_f64], &[3, 3]).unwrap();
        let b = Tensor::from_slice(&[1.0, 2.0, 3.0_f64], &[3, 1]).unwrap();
        let (factors, order) = (lu(&a).unwrap(), lu_order(&a).unwrap());
        assert_eq!(order.to_vec::<i64>(), [2, 0, 1, 1]);
        let x = lu_solve(&factors, &order, &b).unwrap();
        let back = super::super::contract::matmul(&a, &x).unwrap().to_vec::<f64>();
        assert!(back.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{back:?}");
    }

    #[test]
    fn a_singular_matrix_has_a_zero_on_the_diagonal() {
        let a = Tensor::from_slice(&[1.0, 2.0, 2.0, 4.0_f32], &[2, 2]).unwrap();
        assert_eq!(lu(&a).unwrap().to_vec::<f32>()[3], 0.0);
        let empty = Tensor::from_slice::<f64>(&[], &[0, 0]).unwrap();
        assert_eq!(lu_order(&empty).unwrap().to_vec::<i64>(), [1]);
        assert!(lu(&Tensor::from_slice(&[1_i64], &[1, 1]).unwrap()).is_err());
        assert!(lu(&Tensor::from_slice(&[1.0_f64], &[1]).unwrap()).is_err());
    }
}
