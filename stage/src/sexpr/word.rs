//! Ops as the words and signs of the printed form.

use crate::op::{Bit2, Cmp, Convert, ListOp, MapOp, Num1, Num2, ObjectOp, Op, Overflow2, Real2, Shift, Wrap2};

/// What stands before the operands. `None` for constants and for ops that are printed in a way of their own.
pub(super) fn word(op: Op, on_truth: bool) -> Option<&'static str> {
    Some(match op {
        Op::Num1(it) => num1(it),
        Op::Num2(it) => num2(it),
        Op::IntPow => "**",
        Op::IntDiv | Op::Real2(Real2::Div) => "/",
        Op::Wrap2(Wrap2::Add) => "+",
        Op::Wrap2(Wrap2::Sub) => "-",
        Op::Wrap2(Wrap2::Mul) => "*",
        Op::Wrap2(Wrap2::Pow) => "**",
        Op::Wrap2(Wrap2::Shl) => "<<",
        Op::Overflow2(it) => overflow2(it),
        Op::Bit2(it) => bit2(it),
        Op::Shift(Shift::Left) => "<<",
        Op::Shift(Shift::Right) => ">>",
        Op::Real1(it) => it.text(),
        Op::Element1(it, _) => it.text(),
        Op::Element2(it, _) => it.text(),
        Op::Real2(it) => it.text(),
        Op::Cmp(it) | Op::CmpIntFloat(it) => cmp(it),
        Op::Not if on_truth => "not",
        Op::Not => "~",
        Op::Convert(Convert::BoolToInt | Convert::FloatToInt) => "int",
        Op::Convert(Convert::IntToFloat) => "float",
        Op::Convert(it @ (Convert::Single | Convert::Half | Convert::Bfloat | Convert::Int32)) => it.text(),
        Op::Select => "if",
        Op::Len => "len",
        Op::ListNew(_) => "list",
        Op::List(ListOp::Len) => "len",
        Op::List(ListOp::Get) => "list-get",
        Op::List(ListOp::Set) => "list-set",
        Op::List(ListOp::Push | ListOp::Append) => "append",
        Op::List(ListOp::Pop | ListOp::Remove) => "pop",
        Op::List(ListOp::Fill) => "fill",
        Op::List(ListOp::Insert) => "insert",
        Op::List(ListOp::Truncate) => "truncate",
        Op::List(ListOp::Reserve) => "reserve",
        Op::List(ListOp::Shift) => "shift",
        Op::MapNew(ty) if ty.value.is_none() => "set",
        Op::MapNew(_) => "dict",
        Op::Map(MapOp::Len) => "len",
        Op::Map(MapOp::Changes) => "changes",
        Op::Map(MapOp::Find) => "find",
        Op::Map(MapOp::Next) => "next",
        Op::Map(MapOp::Last) => "last",
        Op::Map(MapOp::Key) => "key",
        Op::Map(MapOp::Get) => "dict-get",
        Op::Map(MapOp::Put) => "dict-set",
        Op::Map(MapOp::Remove) => "delete",
        Op::Map(MapOp::Clear) => "clear",
        Op::Load => "array-get",
        Op::Store => "array-set",
        Op::Object(ObjectOp::IsNone) => "none?",
        Op::Object(ObjectOp::Keep) => "keep",
        Op::Object(ObjectOp::TextLen) => "text-length",
        Op::Object(ObjectOp::TextAt) => "char-at",
        Op::OfClass(_) => "of-class",
        Op::Kept(_) => "kept",
        Op::Object(ObjectOp::Retain | ObjectOp::Release) => return None,
        Op::Const(_)
        | Op::Guard(_)
        | Op::OverflowIf
        | Op::Checkpoint(_)
        | Op::Call(..)
        | Op::Tensor(..)
        | Op::Host(..) => return None,
    })
}

const fn num1(op: Num1) -> &'static str {
    match op {
        Num1::Neg => "-",
        Num1::Abs => "abs",
    }
}

const fn num2(op: Num2) -> &'static str {
    match op {
        Num2::Add => "+",
        Num2::Sub => "-",
        Num2::Mul => "*",
        Num2::FloorDiv => "//",
        Num2::Mod => "%",
        Num2::Min => "min",
        Num2::Max => "max",
    }
}

const fn overflow2(op: Overflow2) -> &'static str {
    match op {
        Overflow2::Add => "overflows+",
        Overflow2::Sub => "overflows-",
        Overflow2::Mul => "overflows*",
        Overflow2::Pow => "overflows**",
    }
}

const fn bit2(op: Bit2) -> &'static str {
    match op {
        Bit2::And => "&",
        Bit2::Or => "|",
        Bit2::Xor => "^",
    }
}

const fn cmp(op: Cmp) -> &'static str {
    match op {
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
    }
}
