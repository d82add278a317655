//! Kernels that are written as bodies of the IR: parts of large reductions, products of matrices where no library is, running
//! sums, order, and what is written at positions. The order of floating-point operations is that of this machine's functions.

use super::run::{Job, Key};
use crate::build::Builder;
use crate::entity::{Block, Value};
use crate::ir::{Function, Module, Terminator};
use crate::kernel::{Form, Kernel};
use crate::op::{self, Const, Op, Wrap2};
use crate::tensor::reduce::Fold;
use crate::tensor::scan::Scan;
use crate::types::{ArrayType, Elem, Scalar, Type};

/// The kernel of a key.
pub(super) fn kernel(key: &Key) -> Kernel {
    let mut module = Module::default();
    let mut func = Function::new("main");
    let entry = func.entry();
    let index = [(); 2].map(|()| func.append_param(entry, Type::I64));
    let (result, end) = match key.job {
        Job::Fold(fold, rows_first) => Body::new(&module, &mut func).fold(fold, rows_first, key, &index),
        Job::Product => Body::new(&module, &mut func).product(key, &index),
        Job::Scan(scan) => Body::new(&module, &mut func).scan(scan, key, &index),
        Job::Rank(descending) => Body::new(&module, &mut func).rank(descending, key, &index),
        Job::Ranked => Body::new(&module, &mut func).ranked(&index),
        Job::Below => Body::new(&module, &mut func).below(&index),
        Job::SumOfKey => Body::new(&module, &mut func).sum_of_key(key, &index),
        Job::LastOfKey => Body::new(&module, &mut func).last_of_key(key, &index),
    };
    func.results = vec![func.ty(result)];
    func.blocks[end].term = Terminator::Return(vec![result]);
    module.funcs.push(func);
    Kernel::new(module, 2, Form::Map(vec![key.gives]))
}

/// A function that is being written, whose ops fit their operands.
struct Body<'a> {
    b: Builder<'a>,
}

/// Operations on values of known types never fail to be written.
const FITS: &str = "the operands are of the types that the op takes";

impl<'a> Body<'a> {
    fn new(module: &'a Module, func: &'a mut Function) -> Self {
        let entry = func.entry();
        Self { b: Builder::new(module, func, entry) }
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect(FITS)
    }

    fn int(&mut self, it: i64) -> Value {
        self.b.constant(Const::I64(it))
    }

    fn float(&mut self, it: f64) -> Value {
        self.b.constant(Const::F64(it))
    }

    fn bool(&mut self, it: bool) -> Value {
        self.b.constant(Const::Bool(it))
    }

    fn cmp(&mut self, cmp: op::Cmp, x: Value, y: Value) -> Value {
        self.op(Op::Cmp(cmp), &[x, y])
    }

    fn select(&mut self, cond: Value, x: Value, y: Value) -> Value {
        self.op(Op::Select, &[cond, x, y])
    }

    fn wrap(&mut self, op: Wrap2, x: Value, y: Value) -> Value {
        self.op(Op::Wrap2(op), &[x, y])
    }

    fn ty(&self, value: Value) -> Type {
        self.b.func().ty(value)
    }

    fn float2(&mut self, op: op::Num2, x: Value, y: Value) -> Value {
        self.op(Op::Num2(op), &[x, y])
    }

    /// Two elements as one.
    fn join(&mut self, fold: Fold, elem: Elem, x: Value, y: Value) -> Value {
        let extreme = |it: &mut Self, cmp, is_float| {
            let mut first = it.cmp(cmp, x, y);
            if is_float {
                let unknown = it.cmp(op::Cmp::Ne, x, x);
                first = it.op(Op::Bit2(op::Bit2::Or), &[first, unknown]);
            }
            it.select(first, x, y)
        };
        let ty = elem.value_type();
        let is_float = ty == Type::F64;
        match (fold, ty) {
            (Fold::Sum | Fold::Max, Type::Bool) => self.op(Op::Bit2(op::Bit2::Or), &[x, y]),
            (Fold::Prod | Fold::Min, Type::Bool) => self.op(Op::Bit2(op::Bit2::And), &[x, y]),
            (Fold::Sum, Type::I64) => self.wrap(Wrap2::Add, x, y),
            (Fold::Prod, Type::I64) => self.wrap(Wrap2::Mul, x, y),
            (Fold::Sum, _) => self.float2(op::Num2::Add, x, y),
            (Fold::Prod, _) => self.float2(op::Num2::Mul, x, y),
            (Fold::Min, _) => extreme(self, op::Cmp::Le, is_float),
            (Fold::Max, _) => extreme(self, op::Cmp::Ge, is_float),
        }
    }

    /// A loop from `first` in steps of `step` while it is below `limit`: what `turn` makes of a value and the position.
    fn looped(
        &mut self,
        [first, step, limit]: [Value; 3],
        begin: Value,
        turn: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> (Value, Block) {
        let [head, body, end] = [(); 3].map(|()| self.b.create_block());
        let ty = self.ty(begin);
        let (at, so_far) = (self.b.append_param(head, Type::I64), self.b.append_param(head, ty));
        self.b.jump(head, vec![first, begin]);
        self.b.switch_to(head);
        let goes_on = self.cmp(op::Cmp::Lt, at, limit);
        self.b.branch(goes_on, body, end);
        self.b.switch_to(body);
        let more = turn(self, so_far, at);
        let next = self.wrap(Wrap2::Add, at, step);
        self.b.jump(head, vec![next, more]);
        self.b.switch_to(end);
        (so_far, end)
    }

    /// One lane of one row: inputs are the array, its first element, the steps between rows and along them, how long rows
    /// are, how many lanes there are, and how often all of them find an element. The index is the row and the lane, or the
    /// other way round.
    fn fold(mut self, fold: Fold, rows_first: bool, key: &Key, index: &[Value; 2]) -> (Value, Block) {
        let elem = key.takes;
        let array = self.param(Type::Array(ArrayType { elem, len: None }));
        let [first, row_step, step, len, lanes, turns] = [(); 6].map(|()| self.param(Type::I64));
        let (row, lane) = if rows_first { (index[0], index[1]) } else { (index[1], index[0]) };
        let before = self.wrap(Wrap2::Mul, row, row_step);
        let start = self.wrap(Wrap2::Add, first, before);
        let begin = match (fold, Scalar::of(elem.value_type()).expect("a loaded element is one")) {
            (Fold::Sum, Scalar::F64) => self.float(-0.0),
            (Fold::Prod, Scalar::F64) => self.float(1.0),
            (Fold::Min, Scalar::F64) => self.float(f64::INFINITY),
            (Fold::Max, Scalar::F64) => self.float(f64::NEG_INFINITY),
            (Fold::Sum, Scalar::I64) => self.int(0),
            (Fold::Prod, Scalar::I64) => self.int(1),
            (Fold::Min, Scalar::I64) => self.int(i64::MAX),
            (Fold::Max, Scalar::I64) => self.int(i64::MIN),
            (Fold::Sum | Fold::Max, Scalar::Bool) => self.bool(false),
            (Fold::Prod | Fold::Min, Scalar::Bool) => self.bool(true),
        };
        let join = |it: &mut Self, so_far, at| {
            let far = it.wrap(Wrap2::Mul, at, step);
            let at = it.wrap(Wrap2::Add, start, far);
            let x = it.op(Op::Load, &[array, at]);
            it.join(fold, elem, so_far, x)
        };
        // A loop that counts by one is unrolled. What is left behind it is one element at most.
        let (zero, one) = (self.int(0), self.int(1));
        let (all, _) = self.looped([zero, one, turns], begin, |it, so_far, turn| {
            let before = it.wrap(Wrap2::Mul, turn, lanes);
            let at = it.wrap(Wrap2::Add, lane, before);
            join(it, so_far, at)
        });
        let before = self.wrap(Wrap2::Mul, turns, lanes);
        let rest = self.wrap(Wrap2::Add, lane, before);
        self.looped([rest, lanes, len], all, join)
    }

    /// An element of a product of matrices: inputs are the first, the second, and how long their rows are.
    fn product(mut self, key: &Key, index: &[Value; 2]) -> (Value, Block) {
        let arrays = [(); 2].map(|()| self.param(Type::Array(ArrayType { elem: key.takes, len: None })));
        let [k, n] = [(); 2].map(|()| self.param(Type::I64));
        let is_float = key.gives != Elem::I64;
        let begin = if is_float { self.float(0.0) } else { self.int(0) };
        let (zero, one) = (self.int(0), self.int(1));
        let row = self.wrap(Wrap2::Mul, index[0], k);
        self.looped([zero, one, k], begin, |it, so_far, at| {
            let first = it.wrap(Wrap2::Add, row, at);
            let x = it.op(Op::Load, &[arrays[0], first]);
            let below = it.wrap(Wrap2::Mul, at, n);
            let second = it.wrap(Wrap2::Add, below, index[1]);
            let y = it.op(Op::Load, &[arrays[1], second]);
            if is_float {
                let product = it.float2(op::Num2::Mul, x, y);
                it.float2(op::Num2::Add, so_far, product)
            } else {
                let product = it.wrap(Wrap2::Mul, x, y);
                it.wrap(Wrap2::Add, so_far, product)
            }
        })
    }

    fn array(&mut self, elem: Elem) -> Value {
        self.param(Type::Array(ArrayType { elem, len: None }))
    }

    /// The element so far from another place.
    fn load(&mut self, array: Value, [from, far]: [Value; 2]) -> Value {
        let at = self.wrap(Wrap2::Add, from, far);
        self.op(Op::Load, &[array, at])
    }

    /// The next of running sums or products: of singles it is a single.
    fn carried(&mut self, scan: Scan, elem: Elem, so_far: Value, x: Value) -> Value {
        let (whole, float) = match scan {
            Scan::Sum => (Wrap2::Add, op::Num2::Add),
            Scan::Prod => (Wrap2::Mul, op::Num2::Mul),
        };
        let next = match elem.value_type() {
            Type::F64 => self.float2(float, so_far, x),
            _ => self.wrap(whole, so_far, x),
        };
        match op::Convert::stored(elem) {
            Some(convert) => self.op(Op::Convert(convert), &[next]),
            None => next,
        }
    }

    /// Inputs are the lines, one behind the other, and how long one is. The index is the line, and the position in it.
    fn scan(mut self, scan: Scan, key: &Key, &[line, at]: &[Value; 2]) -> (Value, Block) {
        let (array, len) = (self.array(key.takes), self.param(Type::I64));
        let (zero, one) = (self.int(0), self.int(1));
        let start = self.wrap(Wrap2::Mul, line, len);
        let first = self.load(array, [start, zero]);
        let end = self.wrap(Wrap2::Add, at, one);
        self.looped([one, one, end], first, |it, so_far, at| {
            let x = it.load(array, [start, at]);
            it.carried(scan, key.takes, so_far, x)
        })
    }

    /// Whether an element is less: no NaN is, and everything else is less than one.
    fn less(&mut self, elem: Elem, x: Value, y: Value) -> Value {
        let less = self.cmp(op::Cmp::Lt, x, y);
        if elem.value_type() != Type::F64 {
            return less;
        }
        let (is_number, is_nan) = (self.cmp(op::Cmp::Eq, x, x), self.cmp(op::Cmp::Ne, y, y));
        let before_nan = self.op(Op::Bit2(op::Bit2::And), &[is_number, is_nan]);
        self.op(Op::Bit2(op::Bit2::Or), &[less, before_nan])
    }

    /// Inputs and index as for running sums. Of equal elements the first comes first.
    fn rank(mut self, descending: bool, key: &Key, &[line, at]: &[Value; 2]) -> (Value, Block) {
        let (array, len) = (self.array(key.takes), self.param(Type::I64));
        let (zero, one) = (self.int(0), self.int(1));
        let start = self.wrap(Wrap2::Mul, line, len);
        let mine = self.load(array, [start, at]);
        self.looped([zero, one, len], zero, |it, count, other| {
            let x = it.load(array, [start, other]);
            let (low, high) = if descending { (mine, x) } else { (x, mine) };
            let (beats, is_beaten) = (it.less(key.takes, low, high), it.less(key.takes, high, low));
            let is_first = it.cmp(op::Cmp::Lt, other, at);
            let ties = it.op(Op::Not, &[is_beaten]);
            let ties = it.op(Op::Bit2(op::Bit2::And), &[ties, is_first]);
            let is_before = it.op(Op::Bit2(op::Bit2::Or), &[beats, ties]);
            let more = it.wrap(Wrap2::Add, count, one);
            it.select(is_before, more, count)
        })
    }

    /// Inputs are ranks, and how long a line is.
    fn ranked(mut self, &[line, rank]: &[Value; 2]) -> (Value, Block) {
        let (array, len) = (self.array(Elem::I64), self.param(Type::I64));
        let (zero, one) = (self.int(0), self.int(1));
        let start = self.wrap(Wrap2::Mul, line, len);
        self.looped([zero, one, len], zero, |it, found, at| {
            let its = it.load(array, [start, at]);
            let is_it = it.cmp(op::Cmp::Eq, its, rank);
            it.select(is_it, at, found)
        })
    }

    /// Inputs are the keys, and how many there are.
    fn below(mut self, &[limit, _]: &[Value; 2]) -> (Value, Block) {
        let (keys, count) = (self.array(Elem::I64), self.param(Type::I64));
        let (zero, one) = (self.int(0), self.int(1));
        self.looped([zero, one, count], zero, |it, found, at| {
            let key = it.load(keys, [zero, at]);
            let is_below = it.cmp(op::Cmp::Lt, key, limit);
            let more = it.wrap(Wrap2::Add, found, one);
            it.select(is_below, more, found)
        })
    }

    /// Where what has a key begins in order, and where it ends: inputs are how many keys are below each, the positions in the
    /// order of their keys, what lies there, row by row, and how long a row is.
    fn of_key(&mut self, key: Value, elem: Elem) -> ([Value; 2], [Value; 3]) {
        let [below, order, values] = [Elem::I64, Elem::I64, elem].map(|it| self.array(it));
        let row = self.param(Type::I64);
        let (zero, one) = (self.int(0), self.int(1));
        ([zero, one].map(|it| self.load(below, [key, it])), [order, values, row])
    }

    /// The index is the key, and the position in a row.
    fn sum_of_key(mut self, key: &Key, &[which, column]: &[Value; 2]) -> (Value, Block) {
        let ([first, end], [order, values, row]) = self.of_key(which, key.takes);
        let (zero, one, nothing) = (self.int(0), self.int(1), self.float(0.0));
        self.looped([first, one, end], nothing, |it, so_far, at| {
            let from = it.load(order, [zero, at]);
            let from = it.wrap(Wrap2::Mul, from, row);
            let x = it.load(values, [from, column]);
            it.carried(Scan::Sum, key.takes, so_far, x)
        })
    }

    /// The same. Another input is what was there.
    fn last_of_key(mut self, key: &Key, &[which, column]: &[Value; 2]) -> (Value, Block) {
        let ([first, end], [order, values, row]) = self.of_key(which, key.takes);
        let before = self.array(key.takes);
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

    fn param(&mut self, ty: Type) -> Value {
        let entry = self.b.func().entry();
        self.b.append_param(entry, ty)
    }
}
