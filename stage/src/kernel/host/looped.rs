//! The loop over a kernel's body.

use std::ops::Range;

use crate::build::Builder;
use crate::entity::{FuncId, Value};
use crate::ir::{Function, Module, Terminator};
use crate::kernel::{Form, Kernel, MAX_RANK};
use crate::op::{Cmp, Const, Convert, Num2, Op, Wrap2};
use crate::types::{ArrayType, Elem, Type};

/// A module that runs the body of a verified kernel at positions one after the other.
///
/// Its main function takes [`LoopParams`]; the first element of an output belongs to the first position. A sum is stored
/// as a map would be, truth values as integers.
pub fn loop_module(kernel: &Kernel) -> Module {
    let mut module = kernel.module.clone();
    let body = module.main();
    let moved = module.funcs.push(Function::new(""));
    for func in module.funcs.keys().collect::<Vec<_>>() {
        for inst in module.funcs[func].insts.keys().collect::<Vec<_>>() {
            if let Op::Call(callee, _) = &mut module.funcs[func].insts[inst].op
                && *callee == body
            {
                *callee = moved;
            }
        }
    }
    module.funcs[moved] = std::mem::replace(&mut module.funcs[body], Function::new(""));
    let main = Looped::write(kernel, &module, moved);
    module.funcs[body] = main;
    module
}

/// The parameters of the loop: the first position and the one behind the last, the extents of all dimensions but the
/// first, the inputs, and an array for each output.
pub struct LoopParams {
    types: Vec<Type>,
    extents: usize,
    inputs: usize,
}

impl LoopParams {
    /// Those of the loop over a kernel's body.
    pub fn of(kernel: &Kernel) -> Self {
        let (extents, inputs) = (kernel.rank - 1, kernel.inputs());
        let mut types = vec![Type::I64; 2 + extents];
        types.extend(&inputs);
        types.extend(stored(kernel).into_iter().map(|elem| Type::Array(ArrayType { elem, len: None })));
        Self { types, extents, inputs: inputs.len() }
    }

    /// The types of all.
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// Where the extents are among them.
    pub const fn extents(&self) -> Range<usize> {
        2..2 + self.extents
    }

    /// Where the inputs are.
    pub const fn inputs(&self) -> Range<usize> {
        2 + self.extents..2 + self.extents + self.inputs
    }

    /// Where the outputs are.
    pub const fn outputs(&self) -> Range<usize> {
        2 + self.extents + self.inputs..self.types.len()
    }
}

/// How each result is stored.
fn stored(kernel: &Kernel) -> Vec<Elem> {
    match &kernel.form {
        Form::Map(elems) => elems.clone(),
        Form::Sum if kernel.body().results == [Type::F64] => vec![Elem::F64],
        Form::Sum => vec![Elem::I64],
    }
}

struct Looped<'a> {
    b: Builder<'a>,
    rank: usize,
}

impl<'a> Looped<'a> {
    fn write(kernel: &Kernel, module: &'a Module, body: FuncId) -> Function {
        let mut func = Function::new("loop");
        let entry = func.entry();
        let params = LoopParams::of(kernel);
        let values: Vec<Value> = params.types().iter().map(|&ty| func.append_param(entry, ty)).collect();
        let (begin, end) = (values[0], values[1]);
        let [extents, inputs, outputs] =
            [params.extents(), params.inputs(), params.outputs()].map(|range| values[range].to_vec());
        let stored = stored(kernel);

        let mut it = Looped { b: Builder::new(module, &mut func, entry), rank: kernel.rank };
        it.checkpoint();
        let first = it.split(begin, &extents);
        let zero = it.int(0);
        let [head, run, done] = [(); 3].map(|()| it.b.create_block());
        // How far it has come, the position, and the index if that is another number.
        let carried: Vec<Value> = (0..2 + first.len()).map(|_| it.b.append_param(head, Type::I64)).collect();
        let (offset, position, index) = (carried[0], carried[1], &carried[2..]);
        let mut args = vec![zero, begin];
        args.extend(first);
        it.b.jump(head, args);

        it.b.switch_to(head);
        it.checkpoint();
        let goes_on = it.value(Op::Cmp(Cmp::Lt), &[position, end]);
        it.b.branch(goes_on, run, done);

        it.b.switch_to(run);
        let mut args = if it.rank == 1 { vec![position] } else { index.to_vec() };
        args.extend(inputs);
        let results = it.b.inst(Op::Call(body, None), &args).expect("the body takes the index and the inputs");
        for ((&result, &output), &elem) in results.iter().zip(&outputs).zip(&stored) {
            let is_bool = it.b.func().ty(result) == Type::Bool && elem == Elem::I64;
            let result = if is_bool { it.value(Op::Convert(Convert::BoolToInt), &[result]) } else { result };
            it.b.inst(Op::Store, &[output, offset, result]).expect("an output stores its result");
        }
        let one = it.int(1);
        let mut next = vec![it.next(offset, one), it.next(position, one)];
        next.extend(it.step(index, &extents, one));
        it.b.jump(head, next);

        it.b.switch_to(done);
        it.b.terminate(Terminator::Return(Vec::new()));
        func
    }

    /// The index at a position; nothing if that is the position itself.
    fn split(&mut self, position: Value, extents: &[Value]) -> Vec<Value> {
        if self.rank == 1 {
            return Vec::new();
        }
        debug_assert!(self.rank <= MAX_RANK, "the kernel was verified");
        let mut rest = position;
        let mut index = Vec::new();
        for &extent in extents.iter().rev() {
            index.push(self.value(Op::Num2(Num2::Mod), &[rest, extent]));
            rest = self.value(Op::Num2(Num2::FloorDiv), &[rest, extent]);
        }
        index.push(rest);
        index.reverse();
        index
    }

    /// The index at the next position.
    fn step(&mut self, index: &[Value], extents: &[Value], one: Value) -> Vec<Value> {
        let zero = self.int(0);
        let mut carry = one;
        let mut stepped = Vec::new();
        for (dimension, &it) in index.iter().enumerate().rev() {
            let sum = self.next(it, carry);
            if dimension == 0 {
                stepped.push(sum);
                continue;
            }
            let is_over = self.value(Op::Cmp(Cmp::Eq), &[sum, extents[dimension - 1]]);
            stepped.push(self.value(Op::Select, &[is_over, zero, sum]));
            carry = self.value(Op::Convert(Convert::BoolToInt), &[is_over]);
        }
        stepped.reverse();
        stepped
    }

    /// The exit that the body's own checkpoints have.
    fn checkpoint(&mut self) {
        let known = self.b.module().exits.iter().find(|(_, exit)| exit.types.is_empty() && !exit.at_checkpoint);
        let (exit, _) = known.expect("a kernel has such an exit");
        self.b.inst(Op::Checkpoint(exit), &[]).expect("it carries nothing");
    }

    fn next(&mut self, it: Value, by: Value) -> Value {
        self.value(Op::Wrap2(Wrap2::Add), &[it, by])
    }

    fn int(&mut self, value: i64) -> Value {
        self.b.constant(Const::I64(value))
    }

    fn value(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect("the loop is well typed")
    }
}
