//! One thread: the body at one position, one instruction at a time.

use std::ops::Range;

use snekpy_stage::backend::{BackendError, Status, Trap, slots};
use snekpy_stage::entity::{Block, Entity, ExitId, FuncId, Inst, Loc, Value};
use snekpy_stage::ir::{Function, Jump, Module, Terminator};
use snekpy_stage::kernel::{Kernel, index_at};
use snekpy_stage::list;
use snekpy_stage::op::{Const, Num2, Op, Real1, Real2, meaning};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{ArrayType, Elem, Type};

use crate::math::{self, Native, One, Two};

/// The inputs of a kernel.
pub(super) struct Inputs {
    arrays: Vec<Array>,
    /// A word for each input: a number's bits, or which array it is.
    words: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Array {
    elem: Elem,
    first: usize,
    len: u64,
}

impl Inputs {
    /// # Safety
    /// The words are the slots of inputs of these types; arrays stay where they are, and nobody writes them.
    pub(super) unsafe fn new(types: &[Type], args: &[u64]) -> Self {
        let (mut arrays, mut words, mut next) = (Vec::new(), Vec::new(), 0);
        for &ty in types {
            match ty {
                Type::Array(ArrayType { elem, .. }) => {
                    words.push(arrays.len() as u64);
                    arrays.push(Array { elem, first: args[next] as usize, len: args[next + 1] });
                }
                Type::Bool
                | Type::I64
                | Type::F64
                | Type::List(_)
                | Type::Map(_)
                | Type::Object(_)
                | Type::Tensor(_) => words.push(args[next]),
            }
            next += slots(ty);
        }
        Self { arrays, words }
    }

    /// The addresses of the arrays.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.arrays.iter().map(|it| it.first..it.first + it.len as usize * it.elem.size())
    }
}

/// How far a step has got.
pub(super) enum Progress {
    /// There is more to do.
    Goes,
    /// The body has returned these.
    Returned(Vec<u64>),
    /// It has failed.
    Failed(Status),
}

/// The body at one position.
pub(super) struct Thread {
    frames: Vec<Frame>,
}

/// A function that is being executed.
struct Frame {
    func: FuncId,
    block: Block,
    /// The next instruction of the block.
    next: usize,
    values: Vec<u64>,
    /// Where the caller wants the results.
    results: Vec<Value>,
}

impl Frame {
    fn new(module: &Module, func: FuncId, args: &[u64], results: Vec<Value>) -> Self {
        let it = &module.funcs[func];
        let mut values = vec![0; it.values.len()];
        for (&param, &arg) in it.params().iter().zip(args) {
            values[param.index()] = arg;
        }
        Self { func, block: it.entry(), next: 0, values, results }
    }

    fn get(&self, value: Value) -> u64 {
        self.values[value.index()]
    }

    fn all(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|&value| self.get(value)).collect()
    }

    fn go(&mut self, func: &Function, jump: &Jump) {
        let args = self.all(&jump.args);
        for (&param, arg) in func.blocks[jump.target].params.iter().zip(args) {
            self.values[param.index()] = arg;
        }
        (self.block, self.next) = (jump.target, 0);
    }
}

impl Thread {
    pub(super) fn new(kernel: &Kernel, shape: &[u64], position: u64, inputs: &Inputs) -> Self {
        let mut args = index_at(shape, position);
        args.extend(&inputs.words);
        Self { frames: vec![Frame::new(&kernel.module, kernel.module.main(), &args, Vec::new())] }
    }

    /// Executes one instruction or the end of a block.
    pub(super) fn step(&mut self, module: &Module, inputs: &Inputs, thread: u64) -> Result<Progress, BackendError> {
        let frame = self.frames.last_mut().expect("a thread that goes on is in a function");
        let func = &module.funcs[frame.func];
        let data = &func.blocks[frame.block];
        if let Some(&inst) = data.insts.get(frame.next) {
            frame.next += 1;
            return self.inst(module, inputs, inst, thread);
        }
        match &data.term {
            Terminator::None => unreachable!("the module was verified"),
            Terminator::Jump(jump) => frame.go(func, jump),
            Terminator::Branch { cond, then, other } => {
                let jump = if frame.get(*cond) != 0 { then } else { other };
                frame.go(func, jump);
            }
            Terminator::Exit(exit, _) => {
                return Ok(left(module, *exit, data.term_loc));
            }
            Terminator::Return(values) => {
                let values = frame.all(values);
                let done = self.frames.pop().expect("it was there");
                let Some(caller) = self.frames.last_mut() else { return Ok(Progress::Returned(values)) };
                for (&result, value) in done.results.iter().zip(values) {
                    caller.values[result.index()] = value;
                }
            }
        }
        Ok(Progress::Goes)
    }

    fn inst(&mut self, module: &Module, inputs: &Inputs, inst: Inst, thread: u64) -> Result<Progress, BackendError> {
        let frame = self.frames.last_mut().expect("a thread that goes on is in a function");
        let func = &module.funcs[frame.func];
        let data = &func.insts[inst];
        let args = frame.all(&data.args);
        let overflow = || Ok(Progress::Failed(Status::pack(Status::trap_code(Trap::Overflow, None), data.loc)));
        let float = |position: usize| f64::from_bits(args[position]);
        let on_floats = data.args.first().is_some_and(|&arg| func.ty(arg) == Type::F64);
        let result = match data.op {
            Op::Call(callee, _) => {
                let frame = Frame::new(module, callee, &args, data.results.clone());
                self.frames.push(frame);
                return Ok(Progress::Goes);
            }
            Op::Guard(exit) if args[0] == 0 => return Ok(left(module, exit, data.loc)),
            Op::OverflowIf if args[0] != 0 => return overflow(),
            Op::Guard(_) | Op::OverflowIf | Op::Checkpoint(_) => return Ok(Progress::Goes),
            Op::Len => inputs.arrays[args[0] as usize].len,
            Op::Load => {
                let (array, index) = (inputs.arrays[args[0] as usize], args[1]);
                if index >= array.len {
                    return Err(BackendError(out_of_range(module, array, index, thread, data.loc)));
                }
                let first = std::ptr::with_exposed_provenance_mut::<u8>(array.first);
                // SAFETY: the array is there as long as the run lasts, and the element is one of its own.
                unsafe { list::load(array.elem, first.add(index as usize * array.elem.size())) }
            }
            Op::Real1(op) if let Some(function) = real1(op) => function.on(&Native, float(0)).to_bits(),
            Op::Element1(op, dtype) => {
                let value = math::element(&Native, op, dtype, float(0));
                if dtype == Dtype::F32 { f64::from(value as f32).to_bits() } else { value.to_bits() }
            }
            Op::Element2(op, dtype) => math::elements(&Native, op, dtype, float(0), float(1)).to_bits(),
            Op::Real2(op) if let Some(function) = real2(op) => function.on(&Native, float(0), float(1)).to_bits(),
            Op::Num2(Num2::FloorDiv) if on_floats => Two::FloatFloorDiv.on(&Native, float(0), float(1)).to_bits(),
            Op::Num2(Num2::Mod) if on_floats => Two::FloatMod.on(&Native, float(0), float(1)).to_bits(),
            Op::IntDiv if args[1] != 0 => {
                math::int_div(&Native, args[0].cast_signed(), args[1].cast_signed()).to_bits()
            }
            op => {
                let types = func.types_of(&data.args);
                let operands: Vec<Const> = types.iter().zip(&args).map(|(&ty, &bits)| constant(ty, bits)).collect();
                match meaning::evaluate(op, &operands) {
                    Some(result) => bits(result),
                    None => return overflow(),
                }
            }
        };
        frame.values[data.results[0].index()] = result;
        Ok(Progress::Goes)
    }
}

/// Leaves through an exit.
fn left(module: &Module, exit: ExitId, loc: Option<Loc>) -> Progress {
    let code = match module.exits[exit].at_checkpoint {
        true => Status::trap_code(Trap::Required, None),
        false => Status::exit_code(exit),
    };
    Progress::Failed(Status::pack(code, loc))
}

fn out_of_range(module: &Module, array: Array, index: u64, thread: u64, loc: Option<Loc>) -> String {
    let place = loc.map_or(String::new(), |loc| {
        let data = &module.locs[loc];
        format!(", {}:{}", data.file, data.line)
    });
    let (index, len) = (index.cast_signed(), array.len);
    format!("simt: thread {thread} reads element {index} of an input of {len}{place}")
}

fn constant(ty: Type, bits: u64) -> Const {
    match ty {
        Type::Bool => Const::Bool(bits != 0),
        Type::F64 => Const::F64(f64::from_bits(bits)),
        Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
            Const::I64(bits.cast_signed())
        }
    }
}

fn bits(constant: Const) -> u64 {
    match constant {
        Const::Bool(it) => u64::from(it),
        Const::I64(it) => it.cast_unsigned(),
        Const::F64(it) => it.to_bits(),
    }
}

/// The device's function, where it is not an instruction that rounds correctly.
fn real1(op: Real1) -> Option<One> {
    Some(match op {
        Real1::Exp => One::Exp,
        Real1::Exp2 => One::Exp2,
        Real1::Expm1 => One::Expm1,
        Real1::Log => One::Log,
        Real1::Log2 => One::Log2,
        Real1::Log10 => One::Log10,
        Real1::Log1p => One::Log1p,
        Real1::Sin => One::Sin,
        Real1::Cos => One::Cos,
        Real1::Tan => One::Tan,
        Real1::Asin => One::Asin,
        Real1::Acos => One::Acos,
        Real1::Atan => One::Atan,
        Real1::Sinh => One::Sinh,
        Real1::Cosh => One::Cosh,
        Real1::Tanh => One::Tanh,
        Real1::Asinh => One::Asinh,
        Real1::Acosh => One::Acosh,
        Real1::Atanh => One::Atanh,
        Real1::Cbrt => One::Cbrt,
        Real1::Sqrt | Real1::Floor | Real1::Ceil | Real1::Trunc | Real1::RoundEven => return None,
    })
}

/// The same.
fn real2(op: Real2) -> Option<Two> {
    Some(match op {
        Real2::Pow => Two::Pow,
        Real2::Atan2 => Two::Atan2,
        Real2::Fmod => Two::Fmod,
        Real2::Hypot => Two::Hypot,
        Real2::Div | Real2::Copysign => return None,
    })
}
