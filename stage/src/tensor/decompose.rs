//! Matrices in orthogonal factors, and the square roots of matrices.
//!
//! All is computed in double precision, by plain algorithms in an order that is written here, each product and each sum
//! rounded: Householder's reflections, Jacobi's rotations of columns, and the implicit QL of a tridiagonal matrix. So the
//! bits are the same everywhere.
//!
//! An operation gives one tensor, in which the factors lie below one another. It is full of NaN where there is no
//! answer: a matrix that is not positive definite, elements that are not finite.

use super::error::{Result, TensorError};
use super::op::TensorOp;
use super::simd::{self, Kernel};
use super::table::table;
use super::trace;
use super::{Dtype, Tensor, cast};

table! {
    /// How a matrix of `m` rows and `n` columns is taken apart; `k` is the smaller of the two.
    pub enum Decomposition {
        /// The lower triangle whose product with its transpose is the matrix, of which the lower half is read.
        Cholesky = "cholesky",
        /// `m` rows of `k` orthonormal columns, then the upper triangle, transposed: `n` rows.
        Qr = "qr",
        /// The same with `m` columns.
        QrComplete = "qr_complete",
        /// A row of eigenvalues, ascending, of a symmetric matrix, of which the lower half is read; then the eigenvectors,
        /// in columns.
        Eigh = "eigh",
        /// `m` rows of `k` orthonormal columns, a row of singular values, descending, and `n` rows of `k` orthonormal columns.
        Svd = "svd",
    }
}

impl Decomposition {
    /// Rows and columns of the factors of a matrix.
    fn shape(self, m: usize, n: usize) -> (usize, usize) {
        let k = m.min(n);
        match self {
            Self::Cholesky => (m, m),
            Self::Qr => (m + n, k),
            Self::QrComplete => (m + n, m),
            Self::Eigh => (m + 1, m),
            Self::Svd => (m + 1 + n, k),
        }
    }

    /// The factors of a matrix, row by row.
    fn of(self, a: &[f64], m: usize, n: usize) -> Vec<f64> {
        let (rows, columns) = self.shape(m, n);
        if a.iter().any(|it| !it.is_finite()) {
            return vec![f64::NAN; rows * columns];
        }
        let made = match self {
            Self::Cholesky => cholesky(a, m),
            Self::Qr => Some(qr(a, m, n, m.min(n))),
            Self::QrComplete => Some(qr(a, m, n, m)),
            Self::Eigh => eigh(a, m),
            Self::Svd => svd(a, m, n),
        };
        made.unwrap_or_else(|| vec![f64::NAN; rows * columns])
    }
}

/// Takes the matrices in the last two axes apart.
pub fn decompose(how: Decomposition, x: &Tensor) -> Result<Tensor> {
    if let Some(noted) = trace::note(|| TensorOp::Decompose(how), &[x]) {
        return noted;
    }
    let &[.., m, n] = &x.dims()[..] else {
        return Err(TensorError::Value("the array must be at least two-dimensional".to_owned()));
    };
    if matches!(how, Decomposition::Cholesky | Decomposition::Eigh) && m != n {
        return Err(TensorError::Value("Last 2 dimensions of the array must be square".to_owned()));
    }
    if !matches!(x.dtype(), Dtype::F32 | Dtype::F64) {
        return Err(TensorError::Type(format!("array type {} is unsupported in linalg", x.dtype())));
    }
    let (rows, columns) = how.shape(m, n);
    let mut dims = x.dims().to_vec();
    dims.truncate(x.rank() - 2);
    let lead = dims.len();
    dims.extend([rows, columns]);
    if trace::is_for_shapes() {
        return Tensor::blank(x.dtype(), &dims);
    }
    let matrices: usize = dims[..lead].iter().product();
    let all = cast::as_dtype(x, Dtype::F64)?.to_vec::<f64>();
    let made: Vec<f64> = (0..matrices).flat_map(|at| how.of(&all[at * m * n..][..m * n], m, n)).collect();
    cast::as_dtype(&Tensor::from_slice(&made, &dims)?, x.dtype())
}

/// Numbers that are added up side by side.
const LANES: usize = 8;

struct Dot<'a>(&'a [f64], &'a [f64]);

impl Kernel for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let mut lanes = [0.0; LANES];
        let ((x, x_rest), (y, y_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
        for (x, y) in x.iter().zip(y) {
            for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
                *lane += x * y;
            }
        }
        let mut half = LANES / 2;
        while half > 0 {
            for lane in 0..half {
                lanes[lane] += lanes[lane + half];
            }
            half /= 2;
        }
        lanes[0] + rest
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    simd::run(Dot(x, y))
}

/// `y -= share x`.
struct Less<'a>(&'a mut [f64], &'a [f64], f64);

impl Kernel for Less<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (y, x) in self.0.iter_mut().zip(self.1) {
            *y -= self.2 * x;
        }
    }
}

/// A rotation of two columns.
struct Turn<'a> {
    x: &'a mut [f64],
    y: &'a mut [f64],
    cos: f64,
    sin: f64,
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (x, y) in self.x.iter_mut().zip(self.y) {
            (*x, *y) = (self.cos * *x - self.sin * *y, self.sin * *x + self.cos * *y);
        }
    }
}

/// A matrix whose columns lie one after another, from one whose rows do, or back.
fn turned(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| a[i * columns + j])).collect()
}

fn cholesky(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut made = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let left = a[i * n + j] - dot(&made[i * n..][..j], &made[j * n..][..j]);
            made[i * n + j] = if i > j {
                left / made[j * n + j]
            } else if left > 0.0 {
                left.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(made)
}

/// The reflection that leaves nothing of a column but its first element, which becomes the result: the column becomes the
/// vector of length 1 that it is along, or zeros.
fn reflection(column: &mut [f64]) -> f64 {
    let largest = column.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    let first = column[0];
    if largest == 0.0 || column[1..].iter().all(|it| *it == 0.0) {
        column.fill(0.0);
        return first;
    }
    column.iter_mut().for_each(|it| *it /= largest);
    let length = dot(column, column).sqrt().copysign(column[0]);
    column[0] += length;
    let norm = dot(column, column).sqrt();
    column.iter_mut().for_each(|it| *it /= norm);
    -length * largest
}

/// Reflects the columns of a matrix, from one row on.
fn reflect(by: &[f64], columns: &mut [f64], rows: usize, from: usize) {
    for column in columns.chunks_exact_mut(rows) {
        let share = 2.0 * dot(by, &column[from..]);
        simd::run(Less(&mut column[from..], by, share));
    }
}

/// Columns of an orthogonal matrix, so many, and the triangle: both with their columns one after another.
fn reflected(a: &[f64], m: usize, n: usize, count: usize) -> (Vec<f64>, Vec<f64>) {
    let mut r = turned(a, m, n);
    let mut vectors = Vec::new();
    for j in 0..n.min(m.saturating_sub(1)) {
        let (done, rest) = r.split_at_mut((j + 1) * m);
        let column = &mut done[j * m + j..];
        let mut vector = column.to_vec();
        let first = reflection(&mut vector);
        column.fill(0.0);
        column[0] = first;
        reflect(&vector, rest, m, j);
        vectors.push(vector);
    }
    let mut q = vec![0.0; m * count];
    (0..count.min(m)).for_each(|j| q[j * m + j] = 1.0);
    for (j, vector) in vectors.iter().enumerate().rev() {
        reflect(vector, &mut q, m, j);
    }
    (q, r)
}

fn qr(a: &[f64], m: usize, n: usize, k: usize) -> Vec<f64> {
    let (q, r) = reflected(a, m, n, k);
    let mut made = turned(&q, k, m);
    for column in r.chunks_exact(m.max(1)).take(n) {
        made.extend(&column[..k]);
    }
    made.resize((m + n) * k, 0.0);
    made
}

/// So often all pairs of columns are turned at most, or a value is sought.
const SWEEPS: usize = 80;

fn svd(a: &[f64], m: usize, n: usize) -> Option<Vec<f64>> {
    if m < n {
        let flat = svd(&turned(a, m, n), n, m)?;
        // The two bases change places.
        let (u, rest) = flat.split_at(n * m);
        let (s, v) = rest.split_at(m);
        return Some([v, s, u].concat());
    }
    // Of the triangle, whose columns are shorter.
    let (q, r) = reflected(a, m, n, n);
    let mut w: Vec<f64> = r.chunks_exact(m.max(1)).flat_map(|column| column[..n].to_vec()).collect();
    let mut v = vec![0.0; n * n];
    (0..n).for_each(|j| v[j * n + j] = 1.0);
    let scale = w.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    if scale > 0.0 {
        w.iter_mut().for_each(|it| *it /= scale);
    }
    orthogonalise(&mut w, &mut v, n)?;
    let lengths: Vec<f64> = w.chunks_exact(n.max(1)).map(|it| dot(it, it).sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|x, y| lengths[*y].total_cmp(&lengths[*x]));
    let least = order.first().map_or(0.0, |it| lengths[*it] * f64::EPSILON * 1e-3);
    let mut basis: Vec<f64> = Vec::with_capacity(n * n);
    for &j in &order {
        let column = &w[j * n..][..n];
        let made = match lengths[j] > least {
            true => column.iter().map(|it| it / lengths[j]).collect(),
            false => another(&basis, n),
        };
        basis.extend(made);
    }
    let mut made = vec![0.0; (m + 1 + n) * n];
    for j in 0..n {
        // A column of `q basis`.
        let mut column = vec![0.0; m];
        for (i, share) in basis[j * n..][..n].iter().enumerate() {
            simd::run(Less(&mut column, &q[i * m..][..m], -share));
        }
        (0..m).for_each(|i| made[i * n + j] = column[i]);
        made[m * n + j] = lengths[order[j]] * scale;
        (0..n).for_each(|i| made[(m + 1 + i) * n + j] = v[order[j] * n + i]);
    }
    Some(made)
}

/// Turns the columns of `w` until they are orthogonal, and those of `v` with them.
fn orthogonalise(w: &mut [f64], v: &mut [f64], n: usize) -> Option<()> {
    for _ in 0..SWEEPS {
        let mut has_turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (left, right) = w.split_at_mut(q * n);
                let (x, y) = (&mut left[p * n..][..n], &mut right[..n]);
                let (alpha, beta, gamma) = (dot(x, x), dot(y, y), dot(x, y));
                if gamma == 0.0 || gamma.abs() <= 4.0 * f64::EPSILON * (alpha * beta).sqrt() {
                    continue;
                }
                has_turned = true;
                let zeta = (beta - alpha) / (2.0 * gamma);
                let tan = 1.0_f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let cos = 1.0 / (1.0 + tan * tan).sqrt();
                let sin = cos * tan;
                simd::run(Turn { x, y, cos, sin });
                let (left, right) = v.split_at_mut(q * n);
                simd::run(Turn { x: &mut left[p * n..][..n], y: &mut right[..n], cos, sin });
            }
        }
        if !has_turned {
            return Some(());
        }
    }
    None
}

/// A column of length 1 that is orthogonal to those there are, fewer than `n`.
fn another(basis: &[f64], n: usize) -> Vec<f64> {
    let mut best = (0.0, Vec::new());
    for i in 0..n {
        let mut candidate = vec![0.0; n];
        candidate[i] = 1.0;
        for _ in 0..2 {
            for column in basis.chunks_exact(n) {
                let share = dot(column, &candidate);
                simd::run(Less(&mut candidate, column, share));
            }
        }
        let length = dot(&candidate, &candidate).sqrt();
        if length > best.0 {
            best = (length, candidate);
        }
        // One of them has at least this share of what is left.
        if best.0 > 0.5 / (n as f64).sqrt() {
            break;
        }
    }
    best.1.iter().map(|it| it / best.0).collect()
}

fn eigh(a: &[f64], n: usize) -> Option<Vec<f64>> {
    if n == 0 {
        return Some(Vec::new());
    }
    let scale = a.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    let scale = if scale > 0.0 { scale } else { 1.0 };
    // Symmetric, so that it does not matter which way it lies.
    let mut whole: Vec<f64> =
        (0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| a[i.max(j) * n + i.min(j)] / scale).collect();
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|j| q[j * n + j] = 1.0);
    let mut vectors = Vec::new();
    let (mut diagonal, mut beside) = (vec![0.0; n], vec![0.0; n]);
    for j in 0..n.saturating_sub(2) {
        // Below the diagonal nothing is left of the column but its first element.
        let mut by = whole[j * n + j + 1..(j + 1) * n].to_vec();
        beside[j + 1] = reflection(&mut by);
        diagonal[j] = whole[j * n + j];
        // `H A H` of what is left: `A - v w' - w v'`.
        let len = n - j - 1;
        let products: Vec<f64> = (j + 1..n).map(|i| 2.0 * dot(&by, &whole[i * n + j + 1..][..len])).collect();
        let share = dot(&by, &products);
        let w: Vec<f64> = products.iter().zip(&by).map(|(p, v)| p - share * v).collect();
        for i in 0..len {
            let row = &mut whole[(j + 1 + i) * n + j + 1..][..len];
            simd::run(Less(row, &w, by[i]));
            simd::run(Less(row, &by, w[i]));
        }
        vectors.push(by);
    }
    for j in n.saturating_sub(2)..n {
        diagonal[j] = whole[j * n + j];
        if j > 0 && j + 1 == n {
            beside[j] = whole[j * n + j - 1];
        }
    }
    for (j, by) in vectors.iter().enumerate().rev() {
        reflect(by, &mut q, n, j + 1);
    }
    implicit_ql(&mut diagonal, &mut beside, &mut q, n)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|x, y| diagonal[*x].total_cmp(&diagonal[*y]));
    let mut made: Vec<f64> = order.iter().map(|it| diagonal[*it] * scale).collect();
    for i in 0..n {
        made.extend(order.iter().map(|it| q[it * n + i]));
    }
    Some(made)
}

/// The length of a vector of two.
fn length(x: f64, y: f64) -> f64 {
    let (most, least) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    if most == 0.0 { 0.0 } else { most * (1.0 + (least / most) * (least / most)).sqrt() }
}

/// The eigenvalues of a tridiagonal matrix, in its diagonal; columns are turned with it. `beside[i]` is left of `diagonal[i]`.
fn implicit_ql(diagonal: &mut [f64], beside: &mut [f64], columns: &mut [f64], n: usize) -> Option<()> {
    beside.rotate_left(1);
    for first in 0..n {
        for sweep in 0.. {
            let small = |at: &usize| {
                let scale = diagonal[*at].abs() + diagonal[*at + 1].abs();
                beside[*at].abs() <= f64::EPSILON * scale
            };
            let last = (first..n - 1).find(small).unwrap_or(n - 1);
            if last == first {
                break;
            }
            if sweep == SWEEPS {
                return None;
            }
            let mut g = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first]);
            let r = (g * g + 1.0).sqrt();
            g = diagonal[last] - diagonal[first] + beside[first] / (g + r.copysign(g));
            let (mut sin, mut cos, mut shift) = (1.0, 1.0, 0.0);
            let mut is_whole = true;
            for i in (first..last).rev() {
                let f = sin * beside[i];
                let b = cos * beside[i];
                let r = length(f, g);
                beside[i + 1] = r;
                if r == 0.0 {
                    // It falls into two.
                    diagonal[i + 1] -= shift;
                    beside[last] = 0.0;
                    is_whole = false;
                    break;
                }
                (sin, cos) = (f / r, g / r);
                g = diagonal[i + 1] - shift;
                let r = (diagonal[i] - g) * sin + 2.0 * cos * b;
                shift = sin * r;
                diagonal[i + 1] = g + shift;
                g = cos * r - b;
                let (left, right) = columns.split_at_mut((i + 1) * n);
                simd::run(Turn { x: &mut left[i * n..], y: &mut right[..n], cos, sin });
            }
            if is_whole {
                diagonal[first] -= shift;
                beside[first] = g;
                beside[last] = 0.0;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::contract::matmul;
    use super::super::layout::{permute, slice};
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 7919 + seed * 104_729 + i * i * 31) % 10_007) as f64 * 1.37e-3 - 6.5).collect()
    }

    fn matrix(m: usize, n: usize, seed: usize) -> Tensor {
        Tensor::from_slice(&numbers(m * n, seed), &[m, n]).unwrap()
    }

    fn rows(x: &Tensor, first: usize, len: usize) -> Tensor {
        slice(x, 0, first, len, 1)
    }

    fn transposed(x: &Tensor) -> Tensor {
        permute(x, &[1, 0]).unwrap()
    }

    fn apart(x: &Tensor, y: &Tensor) -> f64 {
        assert_eq!(x.dims(), y.dims());
        x.to_vec::<f64>().iter().zip(y.to_vec::<f64>()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    fn unit(n: usize) -> Tensor {
        Tensor::from_slice(&(0..n * n).map(|at| f64::from(u8::from(at / n == at % n))).collect::<Vec<_>>(), &[n, n])
            .unwrap()
    }

    /// Matrices of all kinds: random, of low rank, zero, diagonal, with columns of very different lengths.
    fn all() -> Vec<Tensor> {
        let mut made = Vec::new();
        for (m, n) in
            [(1, 1), (2, 2), (3, 3), (5, 5), (17, 17), (40, 40), (1, 4), (4, 1), (7, 3), (3, 7), (50, 9), (9, 50)]
        {
            made.push(matrix(m, n, m + n));
            made.push(matmul(&matrix(m, 1, 1), &matrix(1, n, 2)).unwrap());
            made.push(Tensor::zeros(Dtype::F64, &[m, n]).unwrap());
            let graded = numbers(m * n, 3)
                .iter()
                .enumerate()
                .map(|(at, it)| it * 10_f64.powi(-((at % n) as i32)))
                .collect::<Vec<_>>();
            made.push(Tensor::from_slice(&graded, &[m, n]).unwrap());
        }
        made.extend([unit(6), Tensor::from_slice(&[1e200, 2e200, -3e200, 4e200], &[2, 2]).unwrap()]);
        made.push(Tensor::from_slice(&[1e-200, 2e-200, -3e-200, 4e-200], &[2, 2]).unwrap());
        made
    }

    fn largest(x: &Tensor) -> f64 {
        x.to_vec::<f64>().iter().fold(0.0, |most: f64, it| most.max(it.abs())).max(f64::MIN_POSITIVE)
    }

    #[test]
    fn orthogonal_factors_are_orthogonal_and_give_the_matrix() {
        for a in all() {
            let (m, n) = (a.dims()[0], a.dims()[1]);
            for (how, k) in [(Decomposition::Qr, m.min(n)), (Decomposition::QrComplete, m)] {
                let all = decompose(how, &a).unwrap();
                let (q, r) = (rows(&all, 0, m), transposed(&rows(&all, m, n)));
                assert!(apart(&matmul(&transposed(&q), &q).unwrap(), &unit(k)) < 1e-13, "{m}x{n}");
                assert!(apart(&matmul(&q, &r).unwrap(), &a) < 1e-13 * largest(&a), "{m}x{n}");
                let r = r.to_vec::<f64>();
                assert!((0..k).all(|i| (0..n.min(i)).all(|j| r[i * n + j] == 0.0)), "{m}x{n}");
            }
        }
    }

    #[test]
    fn singular_values_and_bases_give_the_matrix() {
        for a in all() {
            let (m, n) = (a.dims()[0], a.dims()[1]);
            let k = m.min(n);
            let all = decompose(Decomposition::Svd, &a).unwrap();
            let (u, s, v) = (rows(&all, 0, m), rows(&all, m, 1).to_vec::<f64>(), rows(&all, m + 1, n));
            assert!(s.is_sorted_by(|x, y| x >= y) && s.iter().all(|it| *it >= 0.0), "{s:?}");
            for basis in [&u, &v] {
                assert!(apart(&matmul(&transposed(basis), basis).unwrap(), &unit(k)) < 1e-13, "{m}x{n} {s:?}");
            }
            let scaled: Vec<f64> = u.to_vec::<f64>().iter().enumerate().map(|(at, it)| it * s[at % k]).collect();
            let back = matmul(&Tensor::from_slice(&scaled, &[m, k]).unwrap(), &transposed(&v)).unwrap();
            assert!(apart(&back, &a) < 1e-13 * largest(&a), "{m}x{n}");
        }
    }

    #[test]
    fn eigenvalues_and_eigenvectors_belong_together() {
        for a in all().into_iter().filter(|it| it.dims()[0] == it.dims()[1]) {
            let n = a.dims()[0];
            let symmetric: Vec<f64> = {
                let all = a.to_vec::<f64>();
                (0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| all[i.max(j) * n + i.min(j)]).collect()
            };
            let whole = Tensor::from_slice(&symmetric, &[n, n]).unwrap();
            let all = decompose(Decomposition::Eigh, &a).unwrap();
            let (values, vectors) = (rows(&all, 0, 1).to_vec::<f64>(), rows(&all, 1, n));
            assert!(values.is_sorted(), "{values:?}");
            assert!(apart(&matmul(&transposed(&vectors), &vectors).unwrap(), &unit(n)) < 1e-13, "{n}");
            let scaled: Vec<f64> =
                vectors.to_vec::<f64>().iter().enumerate().map(|(at, it)| it * values[at % n]).collect();
            let found = matmul(&whole, &vectors).unwrap();
            assert!(apart(&found, &Tensor::from_slice(&scaled, &[n, n]).unwrap()) < 1e-13 * largest(&whole), "{n}");
        }
    }

    #[test]
    fn square_roots_are_lower_triangles() {
        for n in [1, 2, 5, 30] {
            let a = matrix(n, n, n);
            let whole = matmul(&a, &transposed(&a)).unwrap();
            let mut all = whole.to_vec::<f64>();
            (0..n).for_each(|i| all[i * n + i] += 1.0);
            let whole = Tensor::from_slice(&all, &[n, n]).unwrap();
            let l = decompose(Decomposition::Cholesky, &whole).unwrap();
            assert!(apart(&matmul(&l, &transposed(&l)).unwrap(), &whole) < 1e-12 * largest(&whole), "{n}");
            all[0] = -1.0;
            let none = decompose(Decomposition::Cholesky, &Tensor::from_slice(&all, &[n, n]).unwrap()).unwrap();
            assert!(none.to_vec::<f64>()[0].is_nan());
        }
    }

    #[test]
    fn stacks_empty_matrices_and_singles_have_their_shapes() {
        let stack = Tensor::from_slice(&numbers(24, 1), &[2, 3, 4]).unwrap();
        for (how, rows, columns) in
            [(Decomposition::Svd, 8, 3), (Decomposition::Qr, 7, 3), (Decomposition::QrComplete, 7, 3)]
        {
            let all = decompose(how, &stack).unwrap();
            assert_eq!(**all.dims(), [2, rows, columns]);
            let second = Tensor::from_slice(&numbers(24, 1)[12..], &[3, 4]).unwrap();
            let alone = decompose(how, &second).unwrap().to_vec::<f64>();
            assert_eq!(all.to_vec::<f64>()[rows * columns..], alone, "{how:?}");
        }
        for (m, n) in [(0, 0), (0, 3), (3, 0)] {
            for how in Decomposition::ALL {
                let empty = Tensor::zeros(Dtype::F32, &[2, m, n]).unwrap();
                let wants_square = matches!(how, Decomposition::Cholesky | Decomposition::Eigh);
                let made = decompose(*how, &empty);
                assert_eq!(made.is_err(), wants_square && m != n, "{how:?} {m}x{n}");
                let (rows, columns) = how.shape(m, n);
                assert!(made.is_err() || **made.unwrap().dims() == [2, rows, columns], "{how:?} {m}x{n}");
            }
        }
        let nan = Tensor::from_slice(&[1.0_f32, f32::NAN, 2.0, 3.0], &[2, 2]).unwrap();
        for how in Decomposition::ALL {
            assert!(decompose(*how, &nan).unwrap().to_vec::<f32>().iter().all(|it| it.is_nan()), "{how:?}");
        }
        assert!(decompose(Decomposition::Qr, &Tensor::zeros(Dtype::I64, &[2, 2]).unwrap()).is_err());
        assert!(decompose(Decomposition::Qr, &Tensor::zeros(Dtype::F64, &[2]).unwrap()).is_err());
    }
}
