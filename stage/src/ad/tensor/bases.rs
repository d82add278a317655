//! Derivatives of what matrices are taken apart into with orthonormal columns: eigenvalues and eigenvectors, singular
//! values with both bases, `Q R`.
//!
//! What is differentiated has the parts one below the other: the row of values and the vectors as columns (`eigh`); the
//! left basis, the row of values, the right basis (`svd`); `Q` and `R` turned (`qr`). The formulas are those of Giles,
//! "Collected matrix derivative results" (2008), Townsend, "Differentiating the singular value decomposition" (2016), and
//! Liao et al., arXiv:1903.09650. Vectors of equal values have no derivative: what depends on them is divided by zero; what
//! does not is 0 there. `eigh` reads the lower half of its matrix.

use crate::entity::Value;
use crate::home::Home;
use crate::tensor::decompose::Decomposition;
use crate::tensor::elementwise as each;
use crate::tensor::reduce::Fold;
use crate::tensor::{Item, TensorOp};

use super::{TensorSite, tensor_type};

/// The part of the tangent `t` of the matrix in that of the result.
pub(super) fn part(s: &mut dyn TensorSite, how: Decomposition, t: Value) -> Option<Value> {
    match how {
        Decomposition::Eigh => {
            let it = s.eigen();
            let (lower, below) = (s.triangle(t, 0, true), s.triangle(t, -1, true));
            let above = s.turned(below);
            let whole = s.add(lower, above);
            let inner = s.between(it.vectors, whole, it.vectors);
            let values = s.diagonal_row(inner);
            let mixed = s.mixed(inner, it.gaps);
            let vectors = s.matmul(it.vectors, mixed);
            Some(s.stacked(&[values, vectors]))
        }
        Decomposition::Svd => {
            let it = s.singular();
            let inner = s.between(it.left, t, it.right);
            let values = s.diagonal_row(inner);
            let column = s.turned(it.values);
            let turned = s.turned(inner);
            let (by_columns, by_rows) = (s.mul(inner, it.values), s.mul(inner, column));
            let (turned_columns, turned_rows) = (s.mul(turned, it.values), s.mul(turned, column));
            let (for_left, for_right) = (s.add(by_columns, turned_rows), s.add(by_rows, turned_columns));
            let turned = s.turned(t);
            let mut bases = Vec::new();
            for (basis, other, sum, t, is_whole) in [
                (it.left, it.right, for_left, t, it.rows == it.rank),
                (it.right, it.left, for_right, turned, it.columns == it.rank),
            ] {
                let mixed = s.mixed(sum, it.gaps);
                let mut moved = s.matmul(basis, mixed);
                if !is_whole {
                    let image = s.matmul(t, other);
                    let outside = s.outside(basis, image);
                    let outside = s.over(outside, it.values);
                    moved = s.add(moved, outside);
                }
                bases.push(moved);
            }
            Some(s.stacked(&[bases[0], values, bases[1]]))
        }
        Decomposition::Qr => {
            let it = s.factors();
            let (first, rest) = s.split(t, it.rank);
            let divided = s.divided_by_upper(it.upper, first);
            let turned = s.turned(it.q);
            let inner = s.matmul(turned, divided);
            let below = s.triangle(inner, -1, true);
            let above = s.turned(below);
            let turn = s.sub(below, above);
            let (inside, outside) = (s.matmul(it.q, turn), s.outside(it.q, divided));
            let q = s.add(inside, outside);
            let left = s.sub(inner, turn);
            let upper = s.matmul(left, it.upper);
            let mut r = s.triangle(upper, 0, false);
            if let (Some(rest), Some(others)) = (rest, it.others) {
                let moved = s.turned(q);
                let (a, b) = (s.matmul(moved, others), s.matmul(turned, rest));
                let more = s.add(a, b);
                r = s.beside(r, more);
            }
            let r = s.turned(r);
            Some(s.stacked(&[q, r]))
        }
        Decomposition::Cholesky | Decomposition::QrComplete => None,
    }
}

/// The share of the matrix in the cotangent `t` of the result.
pub(super) fn share(s: &mut dyn TensorSite, how: Decomposition, t: Value) -> Option<Value> {
    match how {
        Decomposition::Eigh => {
            let it = s.eigen();
            let size = s.size(it.vectors).0;
            let (values, vectors) = (s.rows(t, 0, 1), s.rows(t, 1, size));
            let turned = s.turned(it.vectors);
            let product = s.matmul(turned, vectors);
            let (mixed, diagonal) = (s.mixed(product, it.gaps), s.diagonal_of(it.vectors, values));
            let inner = s.add(diagonal, mixed);
            let left = s.matmul(it.vectors, inner);
            let whole = s.matmul(left, turned);
            let other = s.turned(whole);
            let (lower, below) = (s.triangle(whole, 0, true), s.triangle(other, -1, true));
            Some(s.add(lower, below))
        }
        Decomposition::Svd => {
            let it = s.singular();
            let (left, values) = (s.rows(t, 0, it.rows), s.rows(t, it.rows, 1));
            let right = s.rows(t, it.rows + 1, it.columns);
            let column = s.turned(it.values);
            let turns = [(it.left, left), (it.right, right)].map(|(basis, t)| {
                let turned = s.turned(basis);
                let product = s.matmul(turned, t);
                let other = s.turned(product);
                let turn = s.sub(product, other);
                s.mixed(turn, it.gaps)
            });
            let (for_left, for_right) = (s.mul(turns[0], it.values), s.mul(turns[1], column));
            let both = s.add(for_left, for_right);
            let diagonal = s.diagonal_of(both, values);
            let inner = s.add(both, diagonal);
            let product = s.matmul(it.left, inner);
            let turned = s.turned(it.right);
            let mut sum = s.matmul(product, turned);
            if it.rows > it.rank {
                let outside = s.outside(it.left, left);
                let outside = s.over(outside, it.values);
                let more = s.matmul(outside, turned);
                sum = s.add(sum, more);
            }
            if it.columns > it.rank {
                let outside = s.outside(it.right, right);
                let outside = s.over(outside, it.values);
                let outside = s.turned(outside);
                let more = s.matmul(it.left, outside);
                sum = s.add(sum, more);
            }
            Some(sum)
        }
        Decomposition::Qr => {
            let it = s.factors();
            let (rows, columns) = s.size_of_matrix();
            let (mut q, r) = (s.rows(t, 0, rows), s.rows(t, rows, columns));
            let r = s.turned(r);
            let (upper, others) = s.split(r, it.rank);
            let mut more = None;
            if let (Some(t), Some(matrix)) = (others, it.others) {
                let turned = s.turned(t);
                let moved = s.matmul(matrix, turned);
                q = s.add(q, moved);
                more = Some(s.matmul(it.q, t));
            }
            let turned = s.turned(upper);
            let first = s.matmul(it.upper, turned);
            let turned = s.turned(q);
            let second = s.matmul(turned, it.q);
            let inner = s.sub(first, second);
            let (lower, below) = (s.triangle(inner, 0, true), s.triangle(inner, -1, true));
            let above = s.turned(below);
            let inner = s.add(lower, above);
            let moved = s.matmul(it.q, inner);
            let sum = s.add(q, moved);
            // Times the inverse of R turned.
            let turned = s.turned(sum);
            let solved = s.divided_upper(it.upper, turned);
            let first = s.turned(solved);
            Some(match more {
                Some(more) => s.beside(first, more),
                None => first,
            })
        }
        Decomposition::Cholesky | Decomposition::QrComplete => None,
    }
}

/// What `eigh` gives: the vectors, and by how much each value is less than each other one.
struct Eigen {
    vectors: Value,
    gaps: Value,
}

/// What `svd` gives.
struct Singular {
    left: Value,
    values: Value,
    right: Value,
    /// By how much the square of each value is less than that of each other one.
    gaps: Value,
    rows: usize,
    columns: usize,
    rank: usize,
}

/// What `qr` gives: `Q`, and the square part of `R`. Of the matrix, what is beside that part.
struct Factors {
    q: Value,
    upper: Value,
    others: Option<Value>,
    rank: usize,
}

impl dyn TensorSite + '_ {
    fn sub(&mut self, x: Value, y: Value) -> Value {
        self.tensor(TensorOp::Num2(each::Num2::Sub), &[x, y])
    }

    fn matmul(&mut self, x: Value, y: Value) -> Value {
        self.tensor(TensorOp::Matmul, &[x, y])
    }

    /// The last two sizes.
    fn size(&mut self, x: Value) -> (usize, usize) {
        let dims = tensor_type(self.ty(x)).shape.dims();
        (dims[dims.len() - 2], dims[dims.len() - 1])
    }

    fn size_of_matrix(&mut self) -> (usize, usize) {
        let matrix = self.operand(0);
        self.size(matrix)
    }

    fn rows(&mut self, x: Value, first: usize, len: usize) -> Value {
        let along = tensor_type(self.ty(x)).shape.dims().len() - 2;
        self.tensor(TensorOp::Slice { along, first, len, step: 1 }, &[x])
    }

    /// The first columns, and the others, if there are any.
    fn split(&mut self, x: Value, first: usize) -> (Value, Option<Value>) {
        let columns = self.size(x).1;
        if columns == first {
            return (x, None);
        }
        let along = tensor_type(self.ty(x)).shape.dims().len() - 1;
        let [a, b] = [(0, first), (first, columns - first)]
            .map(|(first, len)| self.tensor(TensorOp::Slice { along, first, len, step: 1 }, &[x]));
        (a, Some(b))
    }

    fn stacked(&mut self, parts: &[Value]) -> Value {
        let along = tensor_type(self.ty(parts[0])).shape.dims().len() - 2;
        self.tensor(TensorOp::Concat { along }, parts)
    }

    fn beside(&mut self, x: Value, y: Value) -> Value {
        let along = tensor_type(self.ty(x)).shape.dims().len() - 1;
        self.tensor(TensorOp::Concat { along }, &[x, y])
    }

    /// `a` turned times `x` times `b`.
    fn between(&mut self, a: Value, x: Value, b: Value) -> Value {
        let turned = self.turned(a);
        let left = self.matmul(turned, x);
        self.matmul(left, b)
    }

    /// What of `x` the columns of a basis do not reach.
    fn outside(&mut self, basis: Value, x: Value) -> Value {
        let turned = self.turned(basis);
        let inside = self.matmul(turned, x);
        let inside = self.matmul(basis, inside);
        self.sub(x, inside)
    }

    /// `x / y`, 0 where `x` is.
    fn over(&mut self, x: Value, y: Value) -> Value {
        let dtype = tensor_type(self.ty(x)).dtype;
        let zero =
            self.tensor(TensorOp::Full { dtype, dims: Vec::new(), item: Item::Float(0.0), home: Home::HERE }, &[]);
        let quotient = self.tensor(TensorOp::Real2(each::Real2::Div), &[x, y]);
        let is_zero = self.tensor(TensorOp::Compare(each::Cmp::Eq), &[x, zero]);
        self.tensor(TensorOp::Select, &[is_zero, zero, quotient])
    }

    /// Divided by the gaps, but for the diagonal, which is 0.
    fn mixed(&mut self, x: Value, gaps: Value) -> Value {
        let (below, above) = (self.triangle(x, -1, true), self.triangle(x, 1, false));
        let off = self.add(below, above);
        self.over(off, gaps)
    }

    /// The diagonal, as a row.
    fn diagonal_row(&mut self, x: Value) -> Value {
        let one = self.identity(x);
        let diagonal = self.mul(x, one);
        let rank = tensor_type(self.ty(x)).shape.dims().len();
        let row = self.tensor(TensorOp::Fold { fold: Fold::Sum, axes: vec![rank - 2] }, &[diagonal]);
        self.tensor(TensorOp::InsertAxis(rank - 2), &[row])
    }

    /// A row on the diagonal of a matrix like another one.
    fn diagonal_of(&mut self, like: Value, row: Value) -> Value {
        let one = self.identity(like);
        self.mul(one, row)
    }

    /// What each number in a row is less than each other one; 1 on the diagonal.
    fn gaps(&mut self, row: Value, like: Value) -> Value {
        let column = self.turned(row);
        let gaps = self.sub(row, column);
        let one = self.identity(like);
        self.add(gaps, one)
    }

    fn eigen(&mut self) -> Eigen {
        let made = self.result();
        let size = self.size(made).1;
        let (values, vectors) = (self.rows(made, 0, 1), self.rows(made, 1, size));
        Eigen { vectors, gaps: self.gaps(values, vectors) }
    }

    fn singular(&mut self) -> Singular {
        let made = self.result();
        let (rows, columns) = self.size_of_matrix();
        let rank = rows.min(columns);
        let (left, values) = (self.rows(made, 0, rows), self.rows(made, rows, 1));
        let right = self.rows(made, rows + 1, columns);
        let square = self.mul(values, values);
        let like = if rows == rank { left } else { right };
        let gaps = self.gaps(square, like);
        Singular { left, values, right, gaps, rows, columns, rank }
    }

    fn factors(&mut self) -> Factors {
        let (made, matrix) = (self.result(), self.operand(0));
        let (rows, columns) = self.size_of_matrix();
        let rank = rows.min(columns);
        let (q, r) = (self.rows(made, 0, rows), self.rows(made, rows, columns));
        let r = self.turned(r);
        let (upper, others) = (self.split(r, rank).0, self.split(matrix, rank).1);
        Factors { q, upper, others, rank }
    }
}
