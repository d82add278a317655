//! Results that compiled code has no type for: ints past 64 bits, complex numbers.
//!
//! As long as a call has had no effect, such a result makes it start over as plain Python, and an operation only
//! traps. Where that would come after an effect (see [`crate::start_over`]) the function is captured once more, and
//! each such operation leaves compiled code by itself, at its instruction, before it is done.

use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, Convert, Num1, Num2, Op, Overflow2, Shift};
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::{Step, Stop};
use crate::refusal::Refusal;

/// Why calls go on as plain Python at such an operation.
pub(crate) const PAST: &str = "S410";

/// Such a result.
pub(crate) fn past() -> Refusal {
    Refusal::new(PAST, "the result is an int past 64 bits, a complex number, or depends on which object a number is")
}

/// The first double that is too large for an int of 64 bits.
const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;

impl Session<'_> {
    /// An op on numbers that may have a result past 64 bits.
    pub(crate) fn checked(&mut self, state: &mut State, op: Op, args: &[Value]) -> Step<Value> {
        if self.leaves_past(state)
            && let Some(past) = self.is_past(state, op, args)
        {
            self.leave_past(state, past)?;
        }
        Ok(self.value(state, op, args))
    }

    /// Plain Python does what comes if this holds: from the beginning of the call, or from here.
    pub(crate) fn plain_if(&mut self, state: &mut State, holds: Value) -> Step<()> {
        if self.leaves_past(state) {
            return self.leave_past(state, holds);
        }
        self.emit(state, Op::OverflowIf, &[holds]);
        Ok(())
    }

    /// Plain Python does what comes, because it depends on which objects numbers are. Where paths have met that is
    /// forgotten: only the whole call as plain Python knows.
    pub(crate) fn always_plain(&mut self, state: &State) {
        if self.leaves_past(state) {
            self.all_plain = true;
            return;
        }
        let always = self.constant(state.block, Const::Bool(true));
        self.emit(state, Op::OverflowIf, &[always]);
    }

    /// Whether results past the types of compiled code leave it at this instruction.
    pub(crate) fn leaves_past(&mut self, state: &State) -> bool {
        self.exact.is_some() && self.can_be_left(state)
    }

    /// Leaves compiled code here if this holds.
    pub(crate) fn leave_past(&mut self, state: &mut State, holds: Value) -> Step<()> {
        match self.routinely(|session| session.ask(state, holds))? {
            false => Ok(()),
            true => Err(Stop::Refuse(Box::new(past()))),
        }
    }

    /// Whether the op has no result; nothing for an op that always has one.
    fn is_past(&mut self, state: &State, op: Op, args: &[Value]) -> Option<Value> {
        let on_integers = args.first().is_some_and(|&arg| self.func.ty(arg) == Type::I64);
        let smallest = |session: &mut Self| {
            let least = session.int(state, i64::MIN);
            session.cmp(state, Cmp::Eq, args[0], least)
        };
        match op {
            Op::Num2(op @ (Num2::Add | Num2::Sub | Num2::Mul)) if on_integers => {
                let overflows = match op {
                    Num2::Add => Overflow2::Add,
                    Num2::Sub => Overflow2::Sub,
                    _ => Overflow2::Mul,
                };
                Some(self.value(state, Op::Overflow2(overflows), args))
            }
            Op::Num2(Num2::FloorDiv) if on_integers => {
                let (smallest, minus_one) = (smallest(self), self.int(state, -1));
                let turns = self.cmp(state, Cmp::Eq, args[1], minus_one);
                Some(self.value(state, Op::Bit2(Bit2::And), &[smallest, turns]))
            }
            Op::Num1(Num1::Neg | Num1::Abs) if on_integers => Some(smallest(self)),
            Op::IntPow => Some(self.value(state, Op::Overflow2(Overflow2::Pow), args)),
            Op::Shift(Shift::Left) => Some(self.is_shifted_past(state, args[0], args[1])),
            Op::Convert(Convert::FloatToInt) => {
                let (most, least) = (self.float(state, TOO_LARGE), self.float(state, -TOO_LARGE));
                let above = self.cmp(state, Cmp::Ge, args[0], most);
                let below = self.cmp(state, Cmp::Lt, args[0], least);
                Some(self.value(state, Op::Bit2(Bit2::Or), &[above, below]))
            }
            _ => None,
        }
    }

    /// Whether `x << n` has more than 64 bits: whether shifting leaves other than copies of the sign in front.
    fn is_shifted_past(&mut self, state: &State, x: Value, n: Value) -> Value {
        let (zero, most) = (self.int(state, 0), self.int(state, 63));
        let room = self.value(state, Op::Num2(Num2::Sub), &[most, n]);
        let room = self.value(state, Op::Num2(Num2::Max), &[room, zero]);
        let front = self.value(state, Op::Shift(Shift::Right), &[x, room]);
        // 0 and -1 become 0, and nothing else does.
        let one = self.int(state, 1);
        let up = self.value(state, Op::Shift(Shift::Right), &[front, one]);
        let differs = self.cmp(state, Cmp::Ne, front, up);
        let far = self.cmp(state, Cmp::Gt, n, most);
        let some = self.cmp(state, Cmp::Ne, x, zero);
        let lost = self.value(state, Op::Bit2(Bit2::And), &[far, some]);
        self.value(state, Op::Bit2(Bit2::Or), &[differs, lost])
    }
}
