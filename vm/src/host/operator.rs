//! The methods behind operators, by name.

use rustpython_vm::bytecode::oparg::{BinaryOperator, COMPARE_OP_BOOL_MASK};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObject, PyResult, VirtualMachine};

/// The method of each comparison, the one of the other operand that does the same, and its sign, in the order of
/// the instruction's argument.
pub(crate) const COMPARISONS: [(&str, &str, &str); 6] = [
    ("__lt__", "__gt__", "<"),
    ("__le__", "__ge__", "<="),
    ("__eq__", "__eq__", "=="),
    ("__ne__", "__ne__", "!="),
    ("__gt__", "__lt__", ">"),
    ("__ge__", "__le__", ">="),
];

/// Whether a comparison with this argument gives a truth value, whatever the operands give.
pub(crate) const fn is_test(arg: u32) -> bool {
    arg & COMPARE_OP_BOOL_MASK != 0
}

/// The comparison of an instruction's argument.
pub(crate) const fn comparison(operator: u32) -> PyComparisonOp {
    match operator {
        0 => PyComparisonOp::Lt,
        1 => PyComparisonOp::Le,
        2 => PyComparisonOp::Eq,
        3 => PyComparisonOp::Ne,
        4 => PyComparisonOp::Gt,
        _ => PyComparisonOp::Ge,
    }
}

/// What an operator does, as RustPython's frames do it.
pub(crate) fn apply(operator: BinaryOperator, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    match operator {
        BinaryOperator::Add => vm._add(a, b),
        BinaryOperator::Subtract => vm._sub(a, b),
        BinaryOperator::Multiply => vm._mul(a, b),
        BinaryOperator::MatrixMultiply => vm._matmul(a, b),
        BinaryOperator::Power => vm._pow(a, b, vm.ctx.none.as_object()),
        BinaryOperator::TrueDivide => vm._truediv(a, b),
        BinaryOperator::FloorDivide => vm._floordiv(a, b),
        BinaryOperator::Remainder => vm._mod(a, b),
        BinaryOperator::Lshift => vm._lshift(a, b),
        BinaryOperator::Rshift => vm._rshift(a, b),
        BinaryOperator::Xor => vm._xor(a, b),
        BinaryOperator::Or => vm._or(a, b),
        BinaryOperator::And => vm._and(a, b),
        BinaryOperator::InplaceAdd => vm._iadd(a, b),
        BinaryOperator::InplaceSubtract => vm._isub(a, b),
        BinaryOperator::InplaceMultiply => vm._imul(a, b),
        BinaryOperator::InplaceMatrixMultiply => vm._imatmul(a, b),
        BinaryOperator::InplacePower => vm._ipow(a, b, vm.ctx.none.as_object()),
        BinaryOperator::InplaceTrueDivide => vm._itruediv(a, b),
        BinaryOperator::InplaceFloorDivide => vm._ifloordiv(a, b),
        BinaryOperator::InplaceRemainder => vm._imod(a, b),
        BinaryOperator::InplaceLshift => vm._ilshift(a, b),
        BinaryOperator::InplaceRshift => vm._irshift(a, b),
        BinaryOperator::InplaceXor => vm._ixor(a, b),
        BinaryOperator::InplaceOr => vm._ior(a, b),
        BinaryOperator::InplaceAnd => vm._iand(a, b),
        BinaryOperator::Subscr => a.get_item(b, vm),
    }
}

/// The names of the methods of an operator.
pub(crate) struct Names {
    /// Of the left operand.
    pub(crate) left: &'static str,
    /// Of the right one.
    pub(crate) right: &'static str,
    /// Of the left one, tried first by an assignment such as `+=`.
    pub(crate) in_place: Option<&'static str>,
    /// What messages call it.
    pub(crate) symbol: &'static str,
}

/// The methods of an operator; `None` for a subscript.
pub(crate) fn names_of(operator: BinaryOperator) -> Option<Names> {
    macro_rules! table {
        ($($plain:ident $in_place:ident $name:literal $symbol:literal,)*) => {
            match operator {
                $(
                    BinaryOperator::$plain => Some(Names {
                        left: concat!("__", $name, "__"),
                        right: concat!("__r", $name, "__"),
                        in_place: None,
                        symbol: $symbol,
                    }),
                    BinaryOperator::$in_place => Some(Names {
                        left: concat!("__", $name, "__"),
                        right: concat!("__r", $name, "__"),
                        in_place: Some(concat!("__i", $name, "__")),
                        symbol: concat!($symbol, "="),
                    }),
                )*
                BinaryOperator::Subscr => None,
            }
        };
    }
    table! {
        Add InplaceAdd "add" "+",
        Subtract InplaceSubtract "sub" "-",
        Multiply InplaceMultiply "mul" "*",
        MatrixMultiply InplaceMatrixMultiply "matmul" "@",
        TrueDivide InplaceTrueDivide "truediv" "/",
        FloorDivide InplaceFloorDivide "floordiv" "//",
        Remainder InplaceRemainder "mod" "%",
        Power InplacePower "pow" "** or pow()",
        Lshift InplaceLshift "lshift" "<<",
        Rshift InplaceRshift "rshift" ">>",
        And InplaceAnd "and" "&",
        Or InplaceOr "or" "|",
        Xor InplaceXor "xor" "^",
    }
}
