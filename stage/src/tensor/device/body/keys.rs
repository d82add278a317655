//! What is at a place to which keys lead. The index is the key, and the position in a row.

use super::Body;
use crate::entity::{Block, Value};
use crate::op::{self, Wrap2};
use crate::tensor::device::run::Key;
use crate::tensor::scan::Scan;
use crate::types::{Elem, Type};

impl Body<'_> {
    /// How many keys are below the first index: inputs are the keys in order, how many there are, and what the index begins with.
    pub(super) fn below(mut self, &[which, _]: &[Value; 2]) -> (Value, Block) {
        let keys = self.array(Elem::I64);
        let [count, first] = [(); 2].map(|()| self.param(Type::I64));
        let zero = self.int(0);
        let limit = self.wrap(Wrap2::Add, first, which);
        self.bisect([zero, count], |it, at| {
            let key = it.load(keys, [zero, at]);
            it.cmp(op::Cmp::Lt, key, limit)
        })
    }

    /// Where what has a key begins in order, and where it ends: inputs are how many keys are below each, the positions in the
    /// order of their keys, and then what the caller has.
    fn of_key(&mut self, key: Value) -> ([Value; 2], Value) {
        let [below, order] = [(); 2].map(|()| self.array(Elem::I64));
        let (zero, one) = (self.int(0), self.int(1));
        ([zero, one].map(|it| self.load(below, [key, it])), order)
    }

    /// The sum of what has the key, in order. More inputs are what lies at the positions, row by row, and how long a row is.
    pub(super) fn sum_of_key(mut self, key: &Key, &[which, column]: &[Value; 2]) -> (Value, Block) {
        let ([first, end], order) = self.of_key(which);
        let (values, row) = (self.array(key.takes), self.param(Type::I64));
        let (zero, one, nothing) = (self.int(0), self.int(1), self.float(0.0));
        self.looped([first, one, end], nothing, |it, so_far, at| {
            let from = it.load(order, [zero, at]);
            let from = it.wrap(Wrap2::Mul, from, row);
            let x = it.load(values, [from, column]);
            it.carried(Scan::Sum, key.takes, so_far, x)
        })
    }

    /// The last of what has the key. More inputs are what lies at the positions, what was there, and how long a row is.
    pub(super) fn last_of_key(mut self, key: &Key, &[which, column]: &[Value; 2]) -> (Value, Block) {
        let ([first, end], order) = self.of_key(which);
        let [values, before] = [(); 2].map(|()| self.array(key.takes));
        let row = self.param(Type::I64);
        let (zero, one) = (self.int(0), self.int(1));
        let is_any = self.cmp(op::Cmp::Lt, first, end);
        let last = self.wrap(Wrap2::Sub, end, one);
        let last = self.select(is_any, last, zero);
        let from = self.load(order, [zero, last]);
        let from = self.wrap(Wrap2::Mul, from, row);
        let new = self.load(values, [from, column]);
        let start = self.wrap(Wrap2::Mul, which, row);
        let old = self.load(before, [start, column]);
        let entry = self.b.func().entry();
        (self.select(is_any, new, old), entry)
    }
}
