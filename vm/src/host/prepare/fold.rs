//! The value of arithmetic on constants, which RustPython's compiler computes by rules of its own.
//!
//! `2.0 // 2` comes out as 0.0, `3 ** -5` in another way than at run time. So each float and complex number that is
//! computed of constants is put into the tree, with the value that the operators of the interpreter give.

use std::cell::Cell;

use num_complex::Complex64;
use rustpython_vm::builtins::{PyComplex, PyFloat, PyInt};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::compiler::ast::visitor::transformer::{Transformer, walk_expr};
use rustpython_vm::compiler::ast::{Expr, ExprBinOp, ExprNumberLiteral, Mod, Number, Operator, UnaryOp};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::host::operator::apply;

/// Bits of the largest int that the compiler computes.
const MAX_INT_BITS: u64 = 128;

/// Puts the numbers into a tree; whether there were any.
pub(super) fn fold(tree: &mut Mod, vm: &VirtualMachine) -> bool {
    let folder = Folder { vm, has_folded: Cell::new(false) };
    match tree {
        Mod::Module(module) => folder.visit_body(&mut module.body),
        Mod::Expression(expression) => folder.visit_expr(&mut expression.body),
    }
    folder.has_folded.get()
}

struct Folder<'a> {
    vm: &'a VirtualMachine,
    has_folded: Cell<bool>,
}

impl Transformer for Folder<'_> {
    fn visit_expr(&self, expr: &mut Expr) {
        self.value_of(expr);
    }

    /// Annotations may be shown as they were written.
    fn visit_annotation(&self, _: &mut Expr) {}
}

impl Folder<'_> {
    /// The value of an expression of numbers, unless it raises or is large.
    fn value_of(&self, expr: &mut Expr) -> Option<PyObjectRef> {
        let vm = self.vm;
        match expr {
            Expr::NumberLiteral(literal) => Some(match &literal.value {
                Number::Int(value) => vm.ctx.new_bigint(&value.to_string().parse().ok()?).into(),
                Number::Float(value) => vm.ctx.new_float(*value).into(),
                Number::Complex { real, imag } => vm.ctx.new_complex(Complex64::new(*real, *imag)).into(),
            }),
            Expr::BooleanLiteral(literal) => Some(vm.ctx.new_bool(literal.value).into()),
            Expr::UnaryOp(operation) => {
                let value = self.value_of(&mut operation.operand)?;
                match operation.op {
                    UnaryOp::USub => vm._neg(&value).ok(),
                    UnaryOp::UAdd => vm._pos(&value).ok(),
                    UnaryOp::Invert if value.class().is(vm.ctx.types.int_type) => vm._invert(&value).ok(),
                    UnaryOp::Invert | UnaryOp::Not => None,
                }
            }
            Expr::BinOp(operation) => {
                let (left, right) = (self.value_of(&mut operation.left), self.value_of(&mut operation.right));
                let (left, right) = (left?, right?);
                let is_small = match (left.downcast_ref::<PyInt>(), right.downcast_ref::<PyInt>()) {
                    (Some(left), Some(right)) => is_small(left, operation.op, right),
                    _ => true,
                };
                let value = is_small.then(|| apply(operator(operation.op), &left, &right, vm).ok())??;
                if let Some(literal) = literal(&value, operation) {
                    *expr = literal;
                    self.has_folded.set(true);
                }
                Some(value)
            }
            _ => {
                walk_expr(self, expr);
                None
            }
        }
    }
}

/// A float or complex number in the place of what computes it.
fn literal(value: &PyObjectRef, operation: &ExprBinOp) -> Option<Expr> {
    let value = if let Some(value) = value.downcast_ref::<PyFloat>() {
        Number::Float(value.to_f64())
    } else {
        let value = value.downcast_ref::<PyComplex>()?.to_complex64();
        Number::Complex { real: value.re, imag: value.im }
    };
    let (range, node_index) = (operation.range, operation.node_index.clone());
    Some(Expr::NumberLiteral(ExprNumberLiteral { node_index, range, value }))
}

/// Whether an operation on ints gives what is not too large to compute it while compiling.
fn is_small(left: &PyInt, operator: Operator, right: &PyInt) -> bool {
    let (left, right) = (left.as_bigint(), right.as_bigint());
    let times = u64::try_from(right).unwrap_or(0);
    match operator {
        Operator::Mult => left.bits() + right.bits() <= MAX_INT_BITS,
        Operator::Pow => left.bits().saturating_mul(times) <= MAX_INT_BITS,
        Operator::LShift => left.bits().saturating_add(times) <= MAX_INT_BITS,
        _ => true,
    }
}

const fn operator(operator: Operator) -> BinaryOperator {
    match operator {
        Operator::Add => BinaryOperator::Add,
        Operator::Sub => BinaryOperator::Subtract,
        Operator::Mult => BinaryOperator::Multiply,
        Operator::MatMult => BinaryOperator::MatrixMultiply,
        Operator::Div => BinaryOperator::TrueDivide,
        Operator::Mod => BinaryOperator::Remainder,
        Operator::Pow => BinaryOperator::Power,
        Operator::LShift => BinaryOperator::Lshift,
        Operator::RShift => BinaryOperator::Rshift,
        Operator::BitOr => BinaryOperator::Or,
        Operator::BitXor => BinaryOperator::Xor,
        Operator::BitAnd => BinaryOperator::And,
        Operator::FloorDiv => BinaryOperator::FloorDivide,
    }
}
