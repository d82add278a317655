//! Running sums and products. The positions along lines are the rows of the arrays, and the first index.

use super::Body;
use crate::entity::{Block, Value};
use crate::op::{self, Convert, Op, Wrap2};
use crate::tensor::device::run::Key;
use crate::tensor::device::scan::WINDOW;
use crate::tensor::scan::Scan;
use crate::types::{Elem, Type};

impl Body<'_> {
    /// The next of running sums or products: of singles it is a single.
    pub(super) fn carried(&mut self, scan: Scan, elem: Elem, so_far: Value, x: Value) -> Value {
        let (whole, float) = match scan {
            Scan::Sum => (Wrap2::Add, op::Num2::Add),
            Scan::Prod => (Wrap2::Mul, op::Num2::Mul),
        };
        let next = match elem.value_type() {
            Type::F64 => self.float2(float, so_far, x),
            _ => self.wrap(whole, so_far, x),
        };
        match Convert::stored(elem) {
            Some(convert) => self.op(Op::Convert(convert), &[next]),
            None => next,
        }
    }

    /// An element of a row.
    fn at(&mut self, array: Value, row: Value, width: Value, column: Value) -> Value {
        let before = self.wrap(Wrap2::Mul, row, width);
        self.load(array, [before, column])
    }

    /// Inputs are the elements, what is known so far, how many lines there are, the position up to which that is known, and
    /// the one that the first index is.
    pub(super) fn scan(mut self, scan: Scan, key: &Key, &[number, line]: &[Value; 2]) -> (Value, Block) {
        let [array, before] = [(); 2].map(|()| self.array(key.takes));
        let [lines, known, first] = [(); 3].map(|()| self.param(Type::I64));
        let one = self.int(1);
        let begin = self.at(before, known, lines, line);
        let from = self.wrap(Wrap2::Add, known, one);
        let at = self.wrap(Wrap2::Add, first, number);
        let end = self.wrap(Wrap2::Add, at, one);
        self.looped([from, one, end], begin, |it, so_far, at| {
            let x = it.at(array, at, lines, line);
            it.carried(scan, key.takes, so_far, x)
        })
    }

    /// Inputs are the elements, how many lines there are, and how far it is from one element to the one before it.
    pub(super) fn window(mut self, scan: Scan, key: &Key, &[at, line]: &[Value; 2]) -> (Value, Block) {
        let array = self.array(key.takes);
        let [lines, far] = [(); 2].map(|()| self.param(Type::I64));
        let (one, count) = (self.int(1), self.int(WINDOW as i64));
        let begin = self.at(array, at, lines, line);
        let (end, all) = (self.wrap(Wrap2::Add, at, one), self.wrap(Wrap2::Mul, far, count));
        let end = self.op(Op::Num2(op::Num2::Min), &[end, all]);
        self.looped([far, far, end], begin, |it, so_far, distance| {
            let from = it.wrap(Wrap2::Sub, at, distance);
            let x = it.at(array, from, lines, line);
            it.carried(scan, key.takes, so_far, x)
        })
    }
}
