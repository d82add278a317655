//! Functions of `math` of staged numbers: ops of the IR where there is one, else calls of the host.

use rustpython_vm::PyObjectRef;
use rustpython_vm::function::FuncArgs;
use snekpy_stage::op::{Bit2, Cmp, Num1, Op, Real1, Real2};
use snekpy_stage::types::Type;

use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Step;

impl Session<'_> {
    /// Functions of `math`.
    pub(super) fn call_math(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let mut staged = false;
        for arg in &args.args {
            staged |= self.holds_rep(arg)?;
        }
        if !staged {
            return Ok(None);
        }
        let mut nums = Vec::new();
        for arg in &args.args {
            match self.number(arg)? {
                Some(num) => nums.push(num),
                None => return Err(refuse("S342", format!("`math.{name}` of something that is no number")).into()),
            }
        }
        if !args.kwargs.is_empty() {
            return Err(refuse("S330", format!("`math.{name}` of staged values with keyword arguments")).into());
        }
        let operands = args.args.clone();
        let again = || Failure::Again(callable.clone(), operands.clone());
        let total = match name {
            "fabs" => Some(Op::Num1(Num1::Abs)),
            "atan" => Some(Op::Real1(Real1::Atan)),
            "asinh" => Some(Op::Real1(Real1::Asinh)),
            "tanh" => Some(Op::Real1(Real1::Tanh)),
            "cbrt" => Some(Op::Real1(Real1::Cbrt)),
            _ => None,
        };
        if let (Some(op), [num]) = (total, nums.as_slice()) {
            let value = self.as_float(state, *num);
            let value = self.value(state, op, &[value]);
            return Ok(Some(self.rep(value)));
        }
        let partial = match name {
            "sqrt" => Some(Real1::Sqrt),
            "exp" => Some(Real1::Exp),
            "sin" => Some(Real1::Sin),
            "cos" => Some(Real1::Cos),
            "tan" => Some(Real1::Tan),
            "asin" => Some(Real1::Asin),
            "acos" => Some(Real1::Acos),
            "sinh" => Some(Real1::Sinh),
            "cosh" => Some(Real1::Cosh),
            "acosh" => Some(Real1::Acosh),
            "atanh" => Some(Real1::Atanh),
            "expm1" => Some(Real1::Expm1),
            "log1p" => Some(Real1::Log1p),
            "exp2" => Some(Real1::Exp2),
            "log" if nums.len() == 1 && nums[0].ty() == Type::F64 => Some(Real1::Log),
            "log2" if nums[0].ty() == Type::F64 => Some(Real1::Log2),
            "log10" if nums[0].ty() == Type::F64 => Some(Real1::Log10),
            _ => None,
        };
        if let (Some(op), [num]) = (partial, nums.as_slice()) {
            // Python raises exactly where a finite operand gives no finite result; it knows the text.
            let operand = self.as_float(state, *num);
            let value = self.value(state, Op::Real1(op), &[operand]);
            let fine = self.is_finite(state, value);
            let same = self.cmp(state, Cmp::Eq, operand, operand);
            let wild = self.value(state, Op::Not, &[same]);
            let holds = self.value(state, Op::Bit2(Bit2::Or), &[fine, wild]);
            if matches!(
                op,
                Real1::Sqrt
                    | Real1::Exp
                    | Real1::Sinh
                    | Real1::Cosh
                    | Real1::Log
                    | Real1::Log2
                    | Real1::Log10
                    | Real1::Expm1
                    | Real1::Exp2
                    | Real1::Log1p
                    | Real1::Acosh
                    | Real1::Asinh
            ) {
                // These are infinite, rightly, for an infinite operand.
                let infinity = self.float(state, f64::INFINITY);
                let magnitude = self.value(state, Op::Num1(Num1::Abs), &[operand]);
                let infinite = self.cmp(state, Cmp::Eq, magnitude, infinity);
                let defined = self.cmp(state, Cmp::Eq, value, value);
                let rightly = self.value(state, Op::Bit2(Bit2::And), &[infinite, defined]);
                let holds = self.value(state, Op::Bit2(Bit2::Or), &[holds, rightly]);
                self.check(state, holds, again())?;
            } else {
                self.check(state, holds, again())?;
            }
            return Ok(Some(self.rep(value)));
        }
        match (name, nums.as_slice()) {
            ("floor" | "ceil" | "trunc", [num]) => {
                if num.ty() != Type::F64 {
                    let value = self.as_int(state, *num);
                    return Ok(Some(self.rep(value)));
                }
                let op = match name {
                    "floor" => Real1::Floor,
                    "ceil" => Real1::Ceil,
                    _ => Real1::Trunc,
                };
                let value = self.lift(state, *num);
                self.whole(state, value, Some(op), &operands[0], callable).map(Some)
            }
            ("atan2" | "copysign", [a, b]) => {
                let (a, b) = (self.as_float(state, *a), self.as_float(state, *b));
                let op = if name == "atan2" { Real2::Atan2 } else { Real2::Copysign };
                let value = self.value(state, Op::Real2(op), &[a, b]);
                Ok(Some(self.rep(value)))
            }
            ("isnan", [num]) => {
                let value = self.as_float(state, *num);
                let value = self.cmp(state, Cmp::Ne, value, value);
                Ok(Some(self.rep(value)))
            }
            ("isinf", [num]) => {
                let value = self.as_float(state, *num);
                let magnitude = self.value(state, Op::Num1(Num1::Abs), &[value]);
                let infinity = self.float(state, f64::INFINITY);
                let value = self.cmp(state, Cmp::Eq, magnitude, infinity);
                Ok(Some(self.rep(value)))
            }
            ("isfinite", [num]) => {
                let value = self.as_float(state, *num);
                let value = self.is_finite(state, value);
                Ok(Some(self.rep(value)))
            }
            (
                "radians" | "degrees" | "pow" | "fmod" | "log" | "log2" | "log10" | "hypot" | "erf" | "erfc" | "gamma"
                | "lgamma" | "ldexp" | "remainder" | "nextafter" | "ulp" | "dist" | "fma",
                _,
            ) => self.compute(state, callable, &operands, Type::F64).map(Some),
            ("gcd" | "lcm" | "factorial" | "comb" | "perm" | "isqrt", _)
                if nums.iter().all(|num| num.ty() != Type::F64) =>
            {
                self.compute(state, callable, &operands, Type::I64).map(Some)
            }
            ("isclose", _) => self.compute(state, callable, &operands, Type::Bool).map(Some),
            _ => Err(refuse("S343", format!("`math.{name}` of a staged value cannot be staged yet")).into()),
        }
    }
}
