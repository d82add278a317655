//! The methods behind operators, by name.

use rustpython_vm::bytecode::oparg::BinaryOperator;

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
