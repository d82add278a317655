//! Kernels that are written as bodies of the IR: parts of large reductions, products of matrices where no library is, running
//! sums ([`scan`]), order ([`order`]), and what is written at positions ([`keys`]). The order of floating-point operations is
//! that of this machine's functions.

mod keys;
mod order;
mod scan;

use super::run::{Job, Key};
use crate::build::Builder;
use crate::entity::{Block, Value};
use crate::ir::{Function, Module, Terminator};
use crate::kernel::{Form, Kernel};
use crate::op::{self, Const, Op, Shift, Wrap2};
use crate::tensor::reduce::Fold;
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
        Job::Window(scan) => Body::new(&module, &mut func).window(scan, key, &index),
        Job::Rank(descending) => Body::new(&module, &mut func).rank(descending, key, &index),
        Job::Ranked => Body::new(&module, &mut func).ranked(&index),
        Job::Merge(descending) => Body::new(&module, &mut func).merge(descending, key, &index),
        Job::Search(right) => Body::new(&module, &mut func).search(right, key, &index),
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

    /// The first position of a range for which something that holds before it does not hold any more; the end, if it holds for
    /// all of them.
    fn bisect(&mut self, [first, end]: [Value; 2], holds: impl FnOnce(&mut Self, Value) -> Value) -> (Value, Block) {
        let [head, body, found] = [(); 3].map(|()| self.b.create_block());
        let [low, high] = [(); 2].map(|()| self.b.append_param(head, Type::I64));
        self.b.jump(head, vec![first, end]);
        self.b.switch_to(head);
        let goes_on = self.cmp(op::Cmp::Lt, low, high);
        self.b.branch(goes_on, body, found);
        self.b.switch_to(body);
        let one = self.int(1);
        let far = self.wrap(Wrap2::Sub, high, low);
        let half = self.op(Op::Shift(Shift::Right), &[far, one]);
        let middle = self.wrap(Wrap2::Add, low, half);
        let is_before = holds(self, middle);
        let behind = self.wrap(Wrap2::Add, middle, one);
        let (low_then, high_then) = (self.select(is_before, behind, low), self.select(is_before, high, middle));
        self.b.jump(head, vec![low_then, high_then]);
        self.b.switch_to(found);
        (low, found)
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

    fn param(&mut self, ty: Type) -> Value {
        let entry = self.b.func().entry();
        self.b.append_param(entry, ty)
    }
}
