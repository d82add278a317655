//! Ops on intervals.
//!
//! Checked arithmetic either gives a result of 64 bits or leaves, so its result is cut off at 64 bits.

use super::{Here, Interval, facts};
use crate::entity::{Inst, Value};
use crate::op::{Bit2, Cmp, Const, Convert, ListOp, MapOp, Num1, Num2, Op, Overflow2, Shift, Wrap2};
use crate::types::{Elem, Type};

impl Here<'_> {
    /// What the result of an instruction can be when it has one, whatever it is computed from elsewhere.
    pub(super) fn evaluate(&mut self, inst: Inst) -> Interval {
        let func = self.func;
        let data = &func.insts[inst];
        let args = &data.args;
        let is_integer = |position: usize| matches!(func.ty(args[position]), Type::I64 | Type::Bool);
        let ty = data.results.first().map_or(Type::F64, |&result| func.ty(result));
        match data.op {
            Op::Const(Const::Bool(it)) => Interval::only(it.into()),
            Op::Const(Const::I64(it)) => Interval::only(it),
            Op::Num1(op) if is_integer(0) => num1(op, self.of(args[0])),
            Op::Num2(op) if is_integer(0) => num2(op, self.of(args[0]), self.of(args[1])),
            Op::IntPow if self.of(args[0]).lo >= 1 => Interval::new(1, i64::MAX),
            Op::Wrap2(op) => match checked(op).map(|op| arith(op, self.of(args[0]), self.of(args[1]))) {
                Some((lo, hi)) if fits(lo, hi) => Interval::clamped(lo, hi),
                Some(_) | None => Interval::FULL,
            },
            Op::Overflow2(Overflow2::Pow) => Interval::TRUTH,
            Op::Overflow2(op @ (Overflow2::Add | Overflow2::Sub | Overflow2::Mul)) => {
                let op = match op {
                    Overflow2::Add => Arith::Add,
                    Overflow2::Sub => Arith::Sub,
                    _ => Arith::Mul,
                };
                let (lo, hi) = arith(op, self.of(args[0]), self.of(args[1]));
                if fits(lo, hi) {
                    Interval::only(0)
                } else if Interval::clamped(lo, hi).is_empty() {
                    Interval::only(1)
                } else {
                    Interval::TRUTH
                }
            }
            Op::Bit2(op) => bit2(op, self.of(args[0]), self.of(args[1]), ty),
            Op::Shift(op) => shift(op, self.of(args[0]), self.of(args[1])),
            Op::Cmp(op) if is_integer(0) => self.compare(op, args[0], args[1]),
            Op::Not => {
                let it = self.of(args[0]);
                if ty == Type::Bool { Interval::new(1 - it.hi, 1 - it.lo) } else { Interval::new(!it.hi, !it.lo) }
            }
            Op::Convert(Convert::BoolToInt) => self.of(args[0]),
            Op::Convert(Convert::Int32) => int32(self.of(args[0])),
            Op::Load if func.ty(args[0]).as_array().is_some_and(|array| array.elem == Elem::I32) => INT32,
            Op::Select if is_integer(1) => self.select([args[0], args[1], args[2]]),
            // An array is an object in memory, which is never larger than the largest `isize` in bytes.
            Op::Len => match func.ty(args[0]).as_array() {
                Some(array) => Interval::new(0, i64::MAX / array.elem.size() as i64),
                None => Interval::FULL,
            },
            Op::List(ListOp::Len) => Interval::new(0, i64::MAX / 8),
            Op::Map(MapOp::Len) => Interval::new(0, i64::MAX / 8),
            Op::Map(MapOp::Find | MapOp::Next | MapOp::Last) => Interval::new(-1, i64::MAX / 8),
            Op::Const(Const::F64(_))
            | Op::Num1(_)
            | Op::Num2(_)
            | Op::IntPow
            | Op::IntDiv
            | Op::Real1(_)
            | Op::Element1(..)
            | Op::Element2(..)
            | Op::Real2(_)
            | Op::Cmp(_)
            | Op::CmpIntFloat(_)
            | Op::Convert(
                Convert::IntToFloat | Convert::FloatToInt | Convert::Single | Convert::Half | Convert::Bfloat,
            )
            | Op::Select
            | Op::Load
            | Op::Store
            | Op::ListNew(_)
            | Op::List(_)
            | Op::MapNew(_)
            | Op::Map(_)
            | Op::Object(_)
            | Op::OfClass(_)
            | Op::Kept(_)
            | Op::Guard(_)
            | Op::OverflowIf
            | Op::Checkpoint(_)
            | Op::Call(..)
            | Op::Tensor(..)
            | Op::Host(..) => Interval::of_type(ty),
        }
    }

    fn compare(&self, op: Cmp, x: Value, y: Value) -> Interval {
        let (a, b) = (self.of(x), self.of(y));
        let by_interval = [(a.lo < b.hi, Cmp::Lt), (a.lo <= b.hi && b.lo <= a.hi, Cmp::Eq), (a.hi > b.lo, Cmp::Gt)];
        let possible = by_interval.iter().filter(|(can, _)| *can).fold(0, |all, (_, cmp)| all | facts::orders(*cmp));
        let possible = possible & self.facts.orders(x, y);
        let holds = facts::orders(op);
        Interval::new((possible & !holds == 0).into(), (possible & holds != 0).into())
    }

    fn select(&mut self, [cond, x, y]: [Value; 3]) -> Interval {
        let mark = self.facts.mark();
        let mut all = Interval::EMPTY;
        for (value, truth) in [(x, true), (y, false)] {
            if self.assume(cond, truth) {
                all = all.or(self.of(value));
            }
            self.facts.back_to(mark);
        }
        all
    }
}

/// The arithmetic that can overflow.
#[derive(Clone, Copy)]
pub(super) enum Arith {
    Add,
    Sub,
    Mul,
}

/// The arithmetic of an op modulo 2^64 whose ends are those of its operands.
const fn checked(op: Wrap2) -> Option<Arith> {
    match op {
        Wrap2::Add => Some(Arith::Add),
        Wrap2::Sub => Some(Arith::Sub),
        Wrap2::Mul => Some(Arith::Mul),
        Wrap2::Pow | Wrap2::Shl => None,
    }
}

/// The exact least and greatest result.
pub(super) fn arith(op: Arith, x: Interval, y: Interval) -> (i128, i128) {
    let ([a, b], [c, d]) = (x.ends(), y.ends());
    match op {
        Arith::Add => (a + c, b + d),
        Arith::Sub => (a - d, b - c),
        Arith::Mul => extremes([a * c, a * d, b * c, b * d]),
    }
}

fn extremes(all: [i128; 4]) -> (i128, i128) {
    let lo = all.iter().copied().min().expect("there are four");
    let hi = all.iter().copied().max().expect("there are four");
    (lo, hi)
}

/// Whether both are integers of 64 bits.
pub(super) fn fits(lo: i128, hi: i128) -> bool {
    i128::from(i64::MIN) <= lo && hi <= i128::from(i64::MAX)
}

fn num1(op: Num1, x: Interval) -> Interval {
    let [lo, hi] = x.ends();
    match op {
        Num1::Neg => Interval::clamped(-hi, -lo),
        Num1::Abs if lo >= 0 => x,
        Num1::Abs if hi <= 0 => Interval::clamped(-hi, -lo),
        Num1::Abs => Interval::clamped(0, hi.max(-lo)),
    }
}

fn num2(op: Num2, x: Interval, y: Interval) -> Interval {
    let cut = |op| {
        let (lo, hi) = arith(op, x, y);
        Interval::clamped(lo, hi)
    };
    match op {
        Num2::Add => cut(Arith::Add),
        Num2::Sub => cut(Arith::Sub),
        Num2::Mul => match (x.single(), y.single()) {
            (Some(factor), _) | (None, Some(factor)) => multiples(cut(Arith::Mul), factor),
            (None, None) => cut(Arith::Mul),
        },
        Num2::FloorDiv => {
            let ([a, b], [c, d]) = (x.ends(), y.ends());
            if c >= 1 {
                let (lo, hi) = extremes([a.div_euclid(c), a.div_euclid(d), b.div_euclid(c), b.div_euclid(d)]);
                Interval::clamped(lo, hi)
            } else {
                let most = a.abs().max(b.abs());
                Interval::clamped(-most, most)
            }
        }
        Num2::Mod => {
            let by = Interval::new(y.lo.saturating_add(1).min(0), y.hi.saturating_sub(1).max(0));
            if x.lo >= 0 && y.lo >= 1 { by.and(Interval::new(0, x.hi)) } else { by }
        }
        Num2::Min => Interval::new(x.lo.min(y.lo), x.hi.min(y.hi)),
        Num2::Max => Interval::new(x.lo.max(y.lo), x.hi.max(y.hi)),
    }
}

/// The multiples of a factor that are in an interval: of `3 * n`, the greatest that fits is not the greatest
/// integer, so that `3 * n + 1` fits as well.
fn multiples(it: Interval, factor: i64) -> Interval {
    let factor = i128::from(factor).abs();
    if factor < 2 || it.is_empty() {
        return it;
    }
    let [lo, hi] = it.ends();
    Interval::clamped(lo + (-lo).rem_euclid(factor), hi - hi.rem_euclid(factor))
}

fn bit2(op: Bit2, x: Interval, y: Interval, ty: Type) -> Interval {
    let (positive_x, positive_y) = (x.lo >= 0, y.lo >= 0);
    if let (Some(x), Some(y)) = (x.single(), y.single()) {
        return Interval::only(crate::op::meaning::bit2_int(op, x, y));
    }
    match op {
        Bit2::And if positive_x && positive_y => Interval::new(0, x.hi.min(y.hi)),
        Bit2::And if positive_x => Interval::new(0, x.hi),
        Bit2::And if positive_y => Interval::new(0, y.hi),
        Bit2::Or | Bit2::Xor if positive_x && positive_y => {
            let bits = 64 - x.hi.max(y.hi).leading_zeros();
            let lo = if op == Bit2::Or { x.lo.max(y.lo) } else { 0 };
            Interval::new(lo, i64::MAX.checked_shr(63 - bits).unwrap_or(0))
        }
        Bit2::And | Bit2::Or | Bit2::Xor => Interval::of_type(ty),
    }
}

/// Integers of 32 bits.
const INT32: Interval = Interval::new(i32::MIN as i64, i32::MAX as i64);

fn int32(x: Interval) -> Interval {
    if x.within(INT32.lo, INT32.hi) { x } else { INT32 }
}

fn shift(op: Shift, x: Interval, n: Interval) -> Interval {
    // The distance is not negative where the op is executed.
    let (near, far) = (n.lo.clamp(0, 63) as u32, n.hi.clamp(0, 63) as u32);
    match op {
        Shift::Right => {
            let lo = if x.lo >= 0 { x.lo >> far } else { x.lo >> near };
            let hi = if x.hi >= 0 { x.hi >> near } else { x.hi >> far };
            Interval::new(lo, hi)
        }
        Shift::Left => {
            let [a, b] = x.ends();
            let (lo, hi) = extremes([a << near, a << far, b << near, b << far]);
            Interval::clamped(lo, hi)
        }
    }
}
