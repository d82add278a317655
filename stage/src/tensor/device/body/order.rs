//! Order: stable, NaN last, as [`crate::tensor::sort`] has it. Lines lie one behind the other; the index is the line, and the
//! position in it.

use super::Body;
use crate::entity::{Block, Value};
use crate::op::{self, Bit2, Op, Wrap2};
use crate::tensor::device::order::RUN;
use crate::tensor::device::run::Key;
use crate::types::{Elem, Type};

impl Body<'_> {
    /// Whether an element is less: no NaN is, and everything else is less than one.
    fn less(&mut self, elem: Elem, x: Value, y: Value) -> Value {
        let less = self.cmp(op::Cmp::Lt, x, y);
        if elem.value_type() != Type::F64 {
            return less;
        }
        let (is_number, is_nan) = (self.cmp(op::Cmp::Eq, x, x), self.cmp(op::Cmp::Ne, y, y));
        let before_nan = self.both(is_number, is_nan);
        self.op(Op::Bit2(Bit2::Or), &[less, before_nan])
    }

    fn goes_before(&mut self, descending: bool, elem: Elem, x: Value, y: Value) -> Value {
        let (low, high) = if descending { (y, x) } else { (x, y) };
        self.less(elem, low, high)
    }

    fn both(&mut self, x: Value, y: Value) -> Value {
        self.op(Op::Bit2(Bit2::And), &[x, y])
    }

    fn least(&mut self, x: Value, y: Value) -> Value {
        self.op(Op::Num2(op::Num2::Min), &[x, y])
    }

    /// Where the run of a position begins and ends.
    fn run_of(&mut self, at: Value, len: Value) -> [Value; 2] {
        let (mask, size) = (self.int(-(RUN as i64)), self.int(RUN as i64));
        let first = self.op(Op::Bit2(Bit2::And), &[at, mask]);
        let end = self.wrap(Wrap2::Add, first, size);
        [first, self.least(end, len)]
    }

    /// Where the element at a position goes in its run: inputs are the lines, and how long one is. Of equal elements the first
    /// comes first.
    pub(super) fn rank(mut self, descending: bool, key: &Key, &[line, at]: &[Value; 2]) -> (Value, Block) {
        let (array, len) = (self.array(key.takes), self.param(Type::I64));
        let one = self.int(1);
        let start = self.wrap(Wrap2::Mul, line, len);
        let mine = self.load(array, [start, at]);
        let [first, end] = self.run_of(at, len);
        self.looped([first, one, end], first, |it, count, other| {
            let x = it.load(array, [start, other]);
            let beats = it.goes_before(descending, key.takes, x, mine);
            let is_beaten = it.goes_before(descending, key.takes, mine, x);
            let is_first = it.cmp(op::Cmp::Lt, other, at);
            let ties = it.op(Op::Not, &[is_beaten]);
            let ties = it.both(ties, is_first);
            let is_before = it.op(Op::Bit2(Bit2::Or), &[beats, ties]);
            let more = it.wrap(Wrap2::Add, count, one);
            it.select(is_before, more, count)
        })
    }

    /// Which position of its run goes to the position: inputs are where each one goes, and how long a line is.
    pub(super) fn ranked(mut self, &[line, at]: &[Value; 2]) -> (Value, Block) {
        let (array, len) = (self.array(Elem::I64), self.param(Type::I64));
        let one = self.int(1);
        let start = self.wrap(Wrap2::Mul, line, len);
        let [first, end] = self.run_of(at, len);
        self.looped([first, one, end], first, |it, found, other| {
            let its = it.load(array, [start, other]);
            let is_it = it.cmp(op::Cmp::Eq, its, at);
            it.select(is_it, other, found)
        })
    }

    /// Which position of its line goes to the position, when two runs become one: inputs are the lines, the positions in the
    /// order of each run, how long a line is, and how long a run is, a power of two.
    ///
    /// As many elements go before it as there are places before it in the two runs. How many of them are of the first run is
    /// found by bisection: an element of that is one of them if the one of the second run that would be in its stead does not
    /// go before it.
    pub(super) fn merge(mut self, descending: bool, key: &Key, &[line, at]: &[Value; 2]) -> (Value, Block) {
        let [array, order] = [key.takes, Elem::I64].map(|it| self.array(it));
        let [len, run] = [(); 2].map(|()| self.param(Type::I64));
        let (zero, one) = (self.int(0), self.int(1));
        let start = self.wrap(Wrap2::Mul, line, len);
        let both = self.wrap(Wrap2::Add, run, run);
        let mask = self.wrap(Wrap2::Sub, zero, both);
        let first = self.op(Op::Bit2(Bit2::And), &[at, mask]);
        let [middle, end] = [run, both].map(|it| self.wrap(Wrap2::Add, first, it)).map(|it| self.least(it, len));
        let before = self.wrap(Wrap2::Sub, at, first);
        let [of_first, of_second] =
            [(middle, first), (end, middle)].map(|(end, first)| self.wrap(Wrap2::Sub, end, first));
        let element = |it: &mut Self, first: Value, number: Value| {
            let place = it.wrap(Wrap2::Add, first, number);
            let from = it.load(order, [start, place]);
            (from, it.load(array, [start, from]))
        };
        let fewest = self.wrap(Wrap2::Sub, before, of_second);
        let fewest = self.op(Op::Num2(op::Num2::Max), &[fewest, zero]);
        let most = self.least(before, of_first);
        let last = self.wrap(Wrap2::Sub, before, one);
        let (mine, block) = self.bisect([fewest, most], |it, number| {
            let other = it.wrap(Wrap2::Sub, last, number);
            let (_, x) = element(it, first, number);
            let (_, y) = element(it, middle, other);
            let is_behind = it.goes_before(descending, key.takes, y, x);
            it.op(Op::Not, &[is_behind])
        });
        let theirs = self.wrap(Wrap2::Sub, before, mine);
        let is_any = [(mine, of_first), (theirs, of_second)].map(|(it, count)| self.cmp(op::Cmp::Lt, it, count));
        // Where a run has none left, some other element is read in its place.
        let last = self.wrap(Wrap2::Sub, len, one);
        let last_of_second = self.wrap(Wrap2::Sub, last, middle);
        let theirs = self.least(theirs, last_of_second);
        let (x_at, x) = element(&mut self, first, mine);
        let (y_at, y) = element(&mut self, middle, theirs);
        let is_behind = self.goes_before(descending, key.takes, y, x);
        let second_first = self.both(is_behind, is_any[1]);
        let other = self.op(Op::Not, &[is_any[0]]);
        let second = self.op(Op::Bit2(Bit2::Or), &[second_first, other]);
        (self.select(second, y_at, x_at), block)
    }

    /// Where the element of this index belongs in a line: inputs are the line, the elements, and how long the line is.
    pub(super) fn search(mut self, right: bool, key: &Key, &[at, _]: &[Value; 2]) -> (Value, Block) {
        let [line, values] = [(); 2].map(|()| self.array(key.takes));
        let len = self.param(Type::I64);
        let zero = self.int(0);
        let value = self.load(values, [at, zero]);
        self.bisect([zero, len], |it, at| {
            let x = it.load(line, [at, zero]);
            if right {
                let is_behind = it.less(key.takes, value, x);
                it.op(Op::Not, &[is_behind])
            } else {
                it.less(key.takes, x, value)
            }
        })
    }
}
