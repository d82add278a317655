//! A kernel for each op and type of operands.
//!
//! The operands come from arrays, of which the position says which elements: so a kernel meets all pairs of edge values.

use snekpy_stage::build::Builder;
use snekpy_stage::entity::Value;
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::kernel::{Form, Kernel};
use snekpy_stage::op::{Cmp, Const, Convert, Num2, Op, Overflow2, Real1, scalars};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{ArrayType, Elem, Type};

use super::generate::LEN;

/// An op on operands of these types.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) op: Op,
    pub(crate) operands: Vec<Type>,
}

/// Every op on scalars.
pub(crate) fn cases() -> Vec<Case> {
    let case = |(op, operands): (Op, Vec<Type>)| {
        let types: Vec<String> = operands.iter().map(ToString::to_string).collect();
        Case { name: format!("{op:?} of {}", types.join(", ")), op, operands }
    };
    scalars().into_iter().map(case).collect()
}

impl Case {
    /// The kernel. Its inputs are an array for each operand; its shape is that of all combinations of their elements.
    pub(crate) fn kernel(&self) -> Kernel {
        let mut module = Module::default();
        let mut func = Function::new("main");
        let entry = func.entry();
        let rank = self.operands.len();
        let index: Vec<Value> = (0..rank).map(|_| func.append_param(entry, Type::I64)).collect();
        let arrays: Vec<Value> = self
            .operands
            .iter()
            .map(|&ty| func.append_param(entry, Type::Array(ArrayType { elem: elem(ty), len: Some(LEN as u64) })))
            .collect();
        let mut b = Builder::new(&module, &mut func, entry);
        let op = |b: &mut Builder<'_>, op, args: &[Value]| b.value(op, args).expect("the operands fit");
        let mut operands: Vec<Value> =
            arrays.iter().zip(&index).map(|(&array, &index)| op(&mut b, Op::Load, &[array, index])).collect();
        // What an op does not take is replaced.
        let one = b.constant(Const::I64(1));
        let zero = b.constant(Const::I64(0));
        let on_ints = self.operands.first() == Some(&Type::I64);
        let keep = |b: &mut Builder<'_>, cmp, operands: &mut Vec<Value>| {
            let fits = op(b, Op::Cmp(cmp), &[operands[1], zero]);
            operands[1] = op(b, Op::Select, &[fits, operands[1], one]);
        };
        match self.op {
            Op::Element1(_, Dtype::F32) | Op::Element2(_, Dtype::F32) => {
                operands.iter_mut().for_each(|it| *it = op(&mut b, Op::Convert(Convert::Single), &[*it]));
            }
            Op::Num2(Num2::FloorDiv | Num2::Mod) if on_ints => keep(&mut b, Cmp::Ne, &mut operands),
            Op::IntDiv => keep(&mut b, Cmp::Ne, &mut operands),
            Op::IntPow | Op::Shift(_) => keep(&mut b, Cmp::Ge, &mut operands),
            _ => {}
        }
        if self.op == Op::Convert(Convert::FloatToInt) {
            operands[0] = b.value(Op::Real1(Real1::Trunc), &operands).expect("the operands fit");
        }
        // An overflow at one position would hide the results of the others.
        let checks = match self.op {
            Op::Num2(Num2::Add) if on_ints => Some(Overflow2::Add),
            Op::Num2(Num2::Sub) if on_ints => Some(Overflow2::Sub),
            Op::Num2(Num2::Mul) if on_ints => Some(Overflow2::Mul),
            Op::IntPow => Some(Overflow2::Pow),
            _ => None,
        };
        if let Some(check) = checks {
            let overflows = op(&mut b, Op::Overflow2(check), &operands);
            operands[0] = op(&mut b, Op::Select, &[overflows, one, operands[0]]);
            operands[1] = op(&mut b, Op::Select, &[overflows, one, operands[1]]);
        }
        let result = b.value(self.op, &operands).expect("the operands fit");
        let ty = b.func().ty(result);
        b.ret(vec![result]);
        func.results = vec![ty];
        module.funcs.push(func);
        Kernel::new(module, rank, Form::Map(vec![elem(ty)]))
    }
}

fn elem(ty: Type) -> Elem {
    match ty {
        Type::Bool => Elem::Bool,
        Type::F64 => Elem::F64,
        _ => Elem::I64,
    }
}
