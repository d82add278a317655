//! Operands: numbers of Python's tower as typed values.

use rustpython_vm::PyObjectRef;
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, Const, Convert, Op};
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::Truth;
use crate::capture::stop::Step;
use crate::capture::value::Num;
use crate::capture::values::Abstract;

impl Session<'_> {
    /// The value as an integer: truth values count as 0 and 1.
    pub(crate) fn as_int(&mut self, state: &State, num: Num) -> Value {
        match num {
            Num::Static(Const::Bool(it)) => self.constant(state.block, Const::I64(i64::from(it))),
            _ => {
                let value = self.lift(state, num);
                match num.ty() {
                    Type::Bool => self.value(state, Op::Convert(Convert::BoolToInt), &[value]),
                    Type::I64 => value,
                    Type::F64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                        unreachable!("the caller looked at the type")
                    }
                }
            }
        }
    }

    /// The value as a float: integers are rounded to the nearest one.
    pub(crate) fn as_float(&mut self, state: &State, num: Num) -> Value {
        match num {
            Num::Static(Const::Bool(it)) => self.constant(state.block, Const::F64(f64::from(u8::from(it)))),
            #[allow(clippy::cast_precision_loss, reason = "this rounding is the meaning of float(int)")]
            Num::Static(Const::I64(it)) => self.constant(state.block, Const::F64(it as f64)),
            _ => {
                let value = self.lift(state, num);
                match num.ty() {
                    Type::F64 => value,
                    Type::Bool | Type::I64 => {
                        let int = self.as_int(state, num);
                        self.value(state, Op::Convert(Convert::IntToFloat), &[int])
                    }
                    Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                        unreachable!("the caller looked at the type")
                    }
                }
            }
        }
    }

    /// An integer constant.
    pub(crate) fn int(&mut self, state: &State, it: i64) -> Value {
        self.constant(state.block, Const::I64(it))
    }

    /// A float constant.
    pub(crate) fn float(&mut self, state: &State, it: f64) -> Value {
        self.constant(state.block, Const::F64(it))
    }

    /// Compares two values of one type.
    pub(crate) fn cmp(&mut self, state: &State, cmp: Cmp, x: Value, y: Value) -> Value {
        self.value(state, Op::Cmp(cmp), &[x, y])
    }

    /// Whether an object counts as true.
    pub(crate) fn truth(&mut self, state: &mut State, object: &PyObjectRef) -> Step<Truth> {
        let it = self.classify(object)?;
        match it {
            Abstract::Number(num) => return Ok(self.truth_of_number(state, num)),
            Abstract::Tensor(_) => {
                let item = self.truth_of_tensor(state, object)?;
                return self.truth(state, &item);
            }
            _ => {}
        }
        if let Some(staged) = it.staged()
            && let Some(truth) = staged.truth(&mut self.at(state, object))?
        {
            return Ok(truth);
        }
        self.observe_itself(object, &["__bool__", "__len__"])?;
        Ok(Truth::Known(object.clone().try_to_bool(self.vm)?))
    }

    fn truth_of_number(&mut self, state: &State, num: Num) -> Truth {
        let (value, zero) = match num {
            Num::Static(Const::Bool(it)) => return Truth::Known(it),
            Num::Static(Const::I64(it)) => return Truth::Known(it != 0),
            Num::Static(Const::F64(it)) => return Truth::Known(it != 0.0),
            Num::Staged(value, Type::Bool) => return Truth::Staged(value),
            Num::Staged(_, Type::I64)
                if let Some(holds) = self.compared_sizes(Cmp::Ne, num, Num::Static(Const::I64(0))) =>
            {
                return Truth::Known(holds);
            }
            Num::Staged(value, Type::I64) => (value, self.int(state, 0)),
            Num::Staged(value, _) => (value, self.float(state, 0.0)),
        };
        Truth::Staged(self.cmp(state, Cmp::Ne, value, zero))
    }
}
