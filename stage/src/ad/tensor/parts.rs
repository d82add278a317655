//! What the rules for order, products and writes at positions are made of.
//!
//! A product by one of its factors is the product of the others, which is computed from both sides: dividing by a factor
//! that is zero would not do.

use crate::entity::Value;
use crate::home::Home;
use crate::sizes;
use crate::tensor::elementwise as each;
use crate::tensor::scan::Scan;
use crate::tensor::{Constant, Dtype, Item, TensorOp};
use crate::types::{TensorType, Type};

use super::{TensorSite, tensor_type};

impl dyn TensorSite + '_ {
    pub(super) fn full(&mut self, of: TensorType, item: f64) -> Value {
        let dims = of.shape.dims().to_vec();
        self.tensor(TensorOp::Full { dtype: of.dtype, dims, item: Item::Float(item), home: of.home }, &[])
    }

    /// Numbers that are known, of a shape.
    pub(super) fn known(&mut self, numbers: &[i64], dims: &[usize]) -> Value {
        let constant = Constant::of(numbers, dims).expect("there is memory for positions of a tensor that there is");
        self.tensor(TensorOp::Constant(constant), &[])
    }

    /// For each axis, where the elements of the sorted operand were.
    pub(super) fn places_sorted(&mut self, along: usize, descending: bool) -> Vec<Value> {
        let x = self.operand(0);
        let dims = tensor_type(self.ty(x)).shape.dims().to_vec();
        let place = |s: &mut Self, axis: usize| {
            if axis == along {
                return s.tensor(TensorOp::Argsort { along, descending }, &[x]);
            }
            let mut shape = vec![1; dims.len()];
            shape[axis] = dims[axis];
            s.known(&(0..dims[axis] as i64).collect::<Vec<_>>(), &shape)
        };
        (0..dims.len()).map(|axis| place(self, axis)).collect()
    }

    /// 1 where what was written at positions is there still, 0 where something else has been written to the same place.
    pub(super) fn last_written(&mut self, at: &[bool], types: &[Type], places: &[Value], read: TensorType) -> Value {
        let (dims, count) = (read.shape.dims().to_vec(), read.count());
        let numbers = self.known(&(0..count as i64).collect::<Vec<_>>(), &dims);
        let whole = tensor_type(types[0]).shape.dims().to_vec();
        let none =
            self.tensor(TensorOp::Full { dtype: Dtype::I64, dims: whole, item: Item::Int(0), home: Home::HERE }, &[]);
        let written = self.tensor(TensorOp::PutAt(at.to_vec()), &[&[none], places, &[numbers]].concat());
        let found = self.tensor(TensorOp::Gather(at.to_vec()), &[&[written], places].concat());
        let last = self.tensor(TensorOp::Compare(each::Cmp::Eq), &[found, numbers]);
        self.tensor(TensorOp::Cast(read.dtype), &[last])
    }

    /// For each element the product of the others along these axes, without dividing: one may be zero. They are the last
    /// axis of what is given. The operand with its axes in that order, and the order.
    pub(super) fn products_of_others(&mut self, axes: &[usize]) -> (Value, Value, Vec<usize>) {
        let x = self.operand(0);
        let of = tensor_type(self.ty(x));
        let dims = of.shape.dims().to_vec();
        let kept = (0..dims.len()).filter(|at| !axes.contains(at));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let turned = self.tensor(TensorOp::Permute(order.clone()), &[x]);
        let rest: Vec<usize> = order[..dims.len() - axes.len()].iter().map(|&at| dims[at]).collect();
        let len = sizes::product(&axes.iter().map(|&at| dims[at]).collect::<Vec<_>>());
        let along = rest.len();
        let lines = self.reshaped(turned, &[&rest[..], &[len]].concat());
        if len == 0 {
            return (lines, turned, order);
        }
        let one =
            TensorOp::Full { dtype: of.dtype, dims: [&rest[..], &[1]].concat(), item: Item::Float(1.0), home: of.home };
        let one = self.tensor(one, &[]);
        let flip = TensorOp::Slice { along, first: len - 1, len, step: -1 };
        let before = |s: &mut Self, lines: Value| {
            let products = s.tensor(TensorOp::Scan { scan: Scan::Prod, along }, &[lines]);
            let products = s.tensor(TensorOp::Slice { along, first: 0, len: len - 1, step: 1 }, &[products]);
            s.tensor(TensorOp::Concat { along }, &[one, products])
        };
        let left = before(self, lines);
        let flipped = self.tensor(flip.clone(), &[lines]);
        let right = before(self, flipped);
        let right = self.tensor(flip, &[right]);
        (self.mul(left, right), turned, order)
    }

    /// For each element, along an axis, the running products without it, along the next axis: 0 where it is not in them.
    pub(super) fn products_without(&mut self, along: usize) -> Value {
        let x = self.operand(0);
        let of = tensor_type(self.ty(x));
        let dims = of.shape.dims().to_vec();
        let len = dims[along];
        let mut square = dims.clone();
        square.insert(along, len);
        let mut plane = vec![1; square.len()];
        (plane[along], plane[along + 1]) = (len, len);
        let row = self.tensor(TensorOp::InsertAxis(along), &[x]);
        let rows = self.tensor(TensorOp::Broadcast(square.clone()), &[row]);
        let test = |s: &mut Self, holds: fn(usize, usize) -> bool| {
            let numbers: Vec<i64> = (0..len * len).map(|at| i64::from(holds(at / len, at % len))).collect();
            let numbers = s.known(&numbers, &plane);
            s.tensor(TensorOp::Cast(Dtype::Bool), &[numbers])
        };
        let itself = test(self, |of, at| of == at);
        let one = self.tensor(
            TensorOp::Full { dtype: of.dtype, dims: Vec::new(), item: Item::Float(1.0), home: Home::HERE },
            &[],
        );
        let others = self.tensor(TensorOp::Select, &[itself, one, rows]);
        let products = self.tensor(TensorOp::Scan { scan: Scan::Prod, along: along + 1 }, &[others]);
        let contained = test(self, |of, at| at >= of);
        let zero = self.tensor(
            TensorOp::Full { dtype: of.dtype, dims: Vec::new(), item: Item::Float(0.0), home: Home::HERE },
            &[],
        );
        self.tensor(TensorOp::Select, &[contained, products, zero])
    }
}
