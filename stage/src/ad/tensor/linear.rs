//! Derivatives of the factors of matrices, and of systems of equations that are solved by them.
//!
//! With `P A = L U` and both factors in one matrix, `F`, a change of `A` is `L (lower + upper) U` behind `P`, where *lower* and
//! *upper* are the parts of `L⁻¹ P dA U⁻¹` below the diagonal and from there on: `dL` is `L` times the one and `dU` the other
//! times `U`. All that is solved here has triangular matrices, and is done by the same operation with factors that are
//! made for it. Where a matrix is singular, that divides by zero.
//!
//! With `A = L Lᵀ` `dL` is `L` times the lower half of `L⁻¹ dA L⁻ᵀ` with half of its diagonal (Iain Murray, 2016,
//! arXiv:1602.07527). The lower half of `A` is what is read.

use crate::entity::Value;
use crate::home::Home;
use crate::tensor::decompose::Decomposition;
use crate::tensor::elementwise as each;
use crate::tensor::{Dtype, TensorOp};

use super::{TensorSite, bases, tensor_type};

/// A triangular matrix out of `F`.
#[derive(Clone, Copy)]
enum Side {
    L,
    U,
    LTurned,
    UTurned,
}

/// The part of the tangent `t` of the operand at a position in that of the result.
pub(super) fn part(s: &mut dyn TensorSite, op: &TensorOp, position: usize, t: Value) -> Option<Value> {
    let minus = TensorOp::Num1(each::Num1::Neg);
    match (op, position) {
        (TensorOp::Lu, _) => {
            let (x, factors) = (s.operand(0), s.result());
            let order = s.tensor(TensorOp::LuOrder, &[x]);
            let moved = s.with_rows(order, t);
            let left = s.solved(factors, Side::L, moved);
            let inner = s.divided_by_upper(factors, left);
            let (below, above) = (s.triangle(inner, -1, true), s.triangle(inner, 0, false));
            let (lower, upper) = (s.lower(factors), s.triangle(factors, 0, false));
            let [lower, upper] = [[lower, below], [above, upper]].map(|it| s.tensor(TensorOp::Matmul, &it));
            let lower = s.triangle(lower, -1, true);
            Some(s.add(lower, upper))
        }
        (TensorOp::LuSolve, 0) => {
            let (factors, x) = (s.operand(0), s.result());
            let upper = s.triangle(factors, 0, false);
            let (below, above) = (s.triangle(t, -1, true), s.triangle(t, 0, false));
            let product = s.tensor(TensorOp::Matmul, &[upper, x]);
            let first = s.tensor(TensorOp::Matmul, &[below, product]);
            let first = s.solved(factors, Side::L, first);
            let second = s.tensor(TensorOp::Matmul, &[above, x]);
            let sum = s.add(first, second);
            let solved = s.solved(factors, Side::U, sum);
            Some(s.tensor(minus, &[solved]))
        }
        (TensorOp::LuSolve, 2) => {
            let (factors, order) = (s.operand(0), s.operand(1));
            Some(s.tensor(TensorOp::LuSolve, &[factors, order, t]))
        }
        (TensorOp::Decompose(Decomposition::Cholesky), 0) => {
            let lower = s.result();
            let upper = s.turned(lower);
            let (half, below) = (s.triangle(t, 0, true), s.triangle(t, -1, true));
            let above = s.turned(below);
            let whole = s.add(half, above);
            let left = s.solved(upper, Side::UTurned, whole);
            let right = s.divided_by_upper(upper, left);
            let inner = s.lower_half(right);
            Some(s.tensor(TensorOp::Matmul, &[lower, inner]))
        }
        (TensorOp::Decompose(how), 0) => bases::part(s, *how, t),
        _ => None,
    }
}

/// The share of the operand at a position in the cotangent `t` of the result.
pub(super) fn share(s: &mut dyn TensorSite, op: &TensorOp, position: usize, t: Value) -> Option<Value> {
    let minus = TensorOp::Num1(each::Num1::Neg);
    match (op, position) {
        (TensorOp::Lu, _) => {
            let (x, factors) = (s.operand(0), s.result());
            let (below, above) = (s.triangle(t, -1, true), s.triangle(t, 0, false));
            let lower = s.lower(factors);
            let (lower, upper) = (s.turned(lower), s.triangle(factors, 0, false));
            let upper = s.turned(upper);
            let [lower, upper] = [[lower, below], [above, upper]].map(|it| s.tensor(TensorOp::Matmul, &it));
            let (lower, upper) = (s.triangle(lower, -1, true), s.triangle(upper, 0, false));
            let inner = s.add(lower, upper);
            let left = s.solved(factors, Side::LTurned, inner);
            // Times the inverse of U turned.
            let turned = s.turned(left);
            let solved = s.solved(factors, Side::U, turned);
            let both = s.turned(solved);
            let order = s.tensor(TensorOp::LuOrder, &[x]);
            Some(s.with_rows_back(order, both))
        }
        (TensorOp::LuSolve, 0) => {
            let (factors, x) = (s.operand(0), s.result());
            let right = s.solved(factors, Side::UTurned, t);
            let left = s.solved(factors, Side::LTurned, right);
            let upper = s.triangle(factors, 0, false);
            let product = s.tensor(TensorOp::Matmul, &[upper, x]);
            let (product, x) = (s.turned(product), s.turned(x));
            let [lower, upper] = [[left, product], [right, x]].map(|it| s.tensor(TensorOp::Matmul, &it));
            let (lower, upper) = (s.triangle(lower, -1, true), s.triangle(upper, 0, false));
            let sum = s.add(lower, upper);
            Some(s.tensor(minus, &[sum]))
        }
        (TensorOp::LuSolve, 2) => {
            let (factors, order) = (s.operand(0), s.operand(1));
            let right = s.solved(factors, Side::UTurned, t);
            let left = s.solved(factors, Side::LTurned, right);
            Some(s.with_rows_back(order, left))
        }
        (TensorOp::Decompose(Decomposition::Cholesky), 0) => {
            let lower = s.result();
            let upper = s.turned(lower);
            let t = s.triangle(t, 0, true);
            let product = s.tensor(TensorOp::Matmul, &[upper, t]);
            let inner = s.lower_half(product);
            let left = s.solved(upper, Side::U, inner);
            // Times the inverse of L.
            let turned = s.turned(left);
            let solved = s.solved(upper, Side::U, turned);
            let other = s.turned(solved);
            let both = s.add(other, solved);
            Some(s.lower_half(both))
        }
        (TensorOp::Decompose(how), 0) => bases::share(s, *how, t),
        _ => None,
    }
}

impl dyn TensorSite + '_ {
    pub(super) fn add(&mut self, x: Value, y: Value) -> Value {
        self.tensor(TensorOp::Num2(each::Num2::Add), &[x, y])
    }

    pub(super) fn triangle(&mut self, x: Value, k: i64, lower: bool) -> Value {
        self.tensor(TensorOp::Triangle { k, lower }, &[x])
    }

    /// What is below the diagonal, and half of what is on it.
    fn lower_half(&mut self, x: Value) -> Value {
        let of = tensor_type(self.ty(x));
        let (dtype, dims) = (of.dtype, of.shape.dims().to_vec());
        let half =
            self.tensor(TensorOp::Full { dtype, dims, item: crate::tensor::Item::Float(0.5), home: Home::HERE }, &[]);
        let (whole, below) = (self.triangle(x, 0, true), self.triangle(x, -1, true));
        let twice = self.add(whole, below);
        self.mul(twice, half)
    }

    /// The identity, as often and as large as another matrix.
    pub(super) fn identity(&mut self, like: Value) -> Value {
        let of = tensor_type(self.ty(like));
        let dims = of.shape.dims().to_vec();
        let n = dims[dims.len() - 1];
        let numbers: Vec<i64> = (0..n * n).map(|at| i64::from(at / n == at % n)).collect();
        let one = self.known(&numbers, &[n, n]);
        let one = self.tensor(TensorOp::Cast(of.dtype), &[one]);
        if dims.len() == 2 { one } else { self.tensor(TensorOp::Broadcast(dims), &[one]) }
    }

    /// `L`, out of both factors.
    fn lower(&mut self, factors: Value) -> Value {
        let (below, one) = (self.triangle(factors, -1, true), self.identity(factors));
        self.add(below, one)
    }

    /// What times a triangular matrix is `b`.
    fn solved(&mut self, factors: Value, side: Side, b: Value) -> Value {
        let matrix = match side {
            Side::L => self.lower(factors),
            Side::U => self.triangle(factors, 0, false),
            Side::LTurned => {
                let lower = self.lower(factors);
                self.turned(lower)
            }
            // Its factors: each column divided by what it has on the diagonal, and the diagonal.
            Side::UTurned => {
                let upper = self.triangle(factors, 0, false);
                let turned = self.turned(upper);
                let one = self.identity(factors);
                let diagonal = self.mul(turned, one);
                let rank = tensor_type(self.ty(factors)).shape.dims().len();
                let fold = crate::tensor::reduce::Fold::Sum;
                let column = self.tensor(TensorOp::Fold { fold, axes: vec![rank - 2] }, &[diagonal]);
                let row = self.tensor(TensorOp::InsertAxis(rank - 2), &[column]);
                let divided = self.tensor(TensorOp::Real2(each::Real2::Div), &[turned, row]);
                let below = self.triangle(divided, -1, true);
                self.add(below, diagonal)
            }
        };
        let dims = tensor_type(self.ty(factors)).shape.dims().to_vec();
        let n = dims[dims.len() - 1];
        let order: Vec<i64> = (0..n as i64).chain([1]).collect();
        let same = self.known(&order, &[n + 1]);
        let same = match dims.len() {
            2 => same,
            rank => self.tensor(TensorOp::Broadcast([&dims[..rank - 2], &[n + 1]].concat()), &[same]),
        };
        self.tensor(TensorOp::LuSolve, &[matrix, same, b])
    }

    /// The inverse of `U` times `x`.
    pub(super) fn divided_upper(&mut self, factors: Value, x: Value) -> Value {
        self.solved(factors, Side::U, x)
    }

    /// `x` times the inverse of `U`.
    pub(super) fn divided_by_upper(&mut self, factors: Value, x: Value) -> Value {
        let turned = self.turned(x);
        let solved = self.solved(factors, Side::UTurned, turned);
        self.turned(solved)
    }

    /// The rows of a matrix in the order of the factors.
    fn with_rows(&mut self, order: Value, x: Value) -> Value {
        let dims = tensor_type(self.ty(x)).shape.dims().to_vec();
        let n = dims[dims.len() - 2];
        let like = self.tensor(
            TensorOp::Full {
                dtype: tensor_type(self.ty(x)).dtype,
                dims: [&dims[..dims.len() - 1], &[n]].concat(),
                item: crate::tensor::Item::Float(0.0),
                home: Home::HERE,
            },
            &[],
        );
        let one = self.identity(like);
        self.tensor(TensorOp::LuSolve, &[one, order, x])
    }

    /// The rows of a matrix as they were before.
    fn with_rows_back(&mut self, order: Value, x: Value) -> Value {
        let dims = tensor_type(self.ty(order)).shape.dims().to_vec();
        let (along, n) = (dims.len() - 1, dims[dims.len() - 1] - 1);
        let rows = self.tensor(TensorOp::Slice { along, first: 0, len: n, step: 1 }, &[order]);
        let sign = self.tensor(TensorOp::Slice { along, first: n, len: 1, step: 1 }, &[order]);
        let back = self.tensor(TensorOp::Argsort { along, descending: false }, &[rows]);
        let back = self.tensor(TensorOp::Cast(Dtype::I64), &[back]);
        let back = self.tensor(TensorOp::Concat { along }, &[back, sign]);
        self.with_rows(back, x)
    }
}
