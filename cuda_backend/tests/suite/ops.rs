//! A kernel for each op and type of operands.
//!
//! The operands come from arrays, of which the position says which elements: so a kernel meets all pairs of edge values.

use snekpy_stage::build::Builder;
use snekpy_stage::entity::Value;
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::kernel::{Form, Kernel};
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Overflow2, Real1, Real2, Shift, Wrap2};
use snekpy_stage::tensor::{Dtype, elementwise as each};
use snekpy_stage::types::{ArrayType, Elem, Type};

use super::generate::LEN;

/// An op on operands of these types.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) op: Op,
    pub(crate) operands: Vec<Type>,
}

/// Every op that a kernel may have and that computes something.
pub(crate) fn cases() -> Vec<Case> {
    use Type::{Bool, F64, I64};
    let mut cases = Vec::new();
    let mut add = |name: &str, op: Op, operands: &[Type]| {
        let types: Vec<String> = operands.iter().map(ToString::to_string).collect();
        cases.push(Case { name: format!("{name}({})", types.join(", ")), op, operands: operands.to_vec() });
    };
    for ty in [I64, F64] {
        Num1::ALL.iter().for_each(|&op| add(op.text(), Op::Num1(op), &[ty]));
        Num2::ALL.iter().for_each(|&op| add(op.text(), Op::Num2(op), &[ty, ty]));
    }
    add("int_pow", Op::IntPow, &[I64, I64]);
    add("int_div", Op::IntDiv, &[I64, I64]);
    Wrap2::ALL.iter().for_each(|&op| add(op.text(), Op::Wrap2(op), &[I64, I64]));
    Overflow2::ALL.iter().for_each(|&op| add(op.text(), Op::Overflow2(op), &[I64, I64]));
    for ty in [Bool, I64] {
        Bit2::ALL.iter().for_each(|&op| add(op.text(), Op::Bit2(op), &[ty, ty]));
        add("not", Op::Not, &[ty]);
    }
    Shift::ALL.iter().for_each(|&op| add(op.text(), Op::Shift(op), &[I64, I64]));
    Real1::ALL.iter().for_each(|&op| add(op.text(), Op::Real1(op), &[F64]));
    for dtype in [Dtype::F32, Dtype::F64] {
        for &op in each::Real1::ALL.iter().filter(|it| !it.is_exact()) {
            add(&format!("{}_{dtype}", op.text()), Op::Element1(op, dtype), &[F64]);
        }
    }
    // No kernel has `hypot`.
    Real2::ALL.iter().filter(|&&op| op != Real2::Hypot).for_each(|&op| add(op.text(), Op::Real2(op), &[F64, F64]));
    for ty in [Bool, I64, F64] {
        Cmp::ALL.iter().for_each(|&op| add(op.text(), Op::Cmp(op), &[ty, ty]));
        add("select", Op::Select, &[Bool, ty, ty]);
    }
    Cmp::ALL.iter().for_each(|&op| add(op.text(), Op::CmpIntFloat(op), &[I64, F64]));
    add("bool_to_int", Op::Convert(Convert::BoolToInt), &[Bool]);
    add("int_to_float", Op::Convert(Convert::IntToFloat), &[I64]);
    add("float_to_int", Op::Convert(Convert::FloatToInt), &[F64]);
    for op in [Convert::Single, Convert::Half, Convert::Bfloat] {
        add(op.text(), Op::Convert(op), &[F64]);
    }
    add("int32", Op::Convert(Convert::Int32), &[I64]);
    cases
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
