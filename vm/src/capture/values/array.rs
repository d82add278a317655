//! An array of numbers that is known later: an argument of the call, whose elements compiled code reads and writes where
//! they are.

use rustpython_vm::PyObjectRef;
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, Convert, Op};
use snekpy_stage::types::{ArrayType, Elem, Type};

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::Iter;
use crate::kind::{At, Representation};
use crate::rep::Named;

const OUT_OF_RANGE: &str = "assignment index out of range";

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    /// The array.
    pub(crate) value: Value,
    /// Its type.
    pub(crate) ty: ArrayType,
}

impl Representation for Array {
    fn noun(&self) -> &'static str {
        "array"
    }

    fn length(&self, at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let length = session.value(state, Op::Len, &[self.value]);
        Ok(Some(session.rep(length)))
    }

    fn iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        Ok(Some(Iter::Array { array: at.object.clone(), index: at.session.vm.ctx.new_int(0).into() }))
    }

    fn item(&self, at: &mut At<'_, '_>, i: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let At { session, state, .. } = at;
        let index = self.index(session, state, i, "index out of range")?;
        let item = session.value(state, Op::Load, &[self.value, index]);
        Ok(Some(session.rep(item)))
    }

    fn set_item(&self, at: &mut At<'_, '_>, i: &PyObjectRef, item: &PyObjectRef) -> Step<bool> {
        let At { session, state, .. } = at;
        if !session.is_int(i)? {
            // The index is looked at first, but for its range.
            self.index(session, state, i, OUT_OF_RANGE)?;
        }
        let value = self.stored(session, state, item)?;
        let index = self.index(session, state, i, OUT_OF_RANGE)?;
        session.emit(state, Op::Store, &[self.value, index, value]);
        Ok(true)
    }

    fn is_indexed(&self) -> bool {
        true
    }

    fn contains(&self, _: &mut At<'_, '_>, _: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        Err(refuse("S265", "`in` on an array").help("write a loop over its elements").into())
    }
}

impl Array {
    /// The index of an element, with negative ones counted from the end, checked.
    fn index(
        &self,
        session: &mut Session<'_>,
        state: &mut State,
        i: &PyObjectRef,
        message: &'static str,
    ) -> Step<Value> {
        let num = match session.number(i)? {
            Some(num) if num.ty() != Type::F64 => num,
            Some(_) => {
                let message = "array indices must be integers or slices, not float";
                return Err(Stop::Raise(session.vm.new_type_error(message)));
            }
            None => {
                return Err(refuse("S283", format!("an array indexed by a `{}`", i.class_name()))
                    .help("index it with an integer")
                    .into());
            }
        };
        let length = session.value(state, Op::Len, &[self.value]);
        session.index_below(state, num, length, message)
    }

    /// A value as an array stores it.
    fn stored(&self, session: &mut Session<'_>, state: &mut State, item: &PyObjectRef) -> Step<Value> {
        let (vm, elem) = (session.vm, self.ty.elem);
        let type_error = |what: String| Stop::Raise(vm.new_type_error(what));
        let Some(num) = session.number(item)? else {
            return Err(match elem {
                Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64 => {
                    type_error(format!("must be real number, not {}", item.class_name()))
                }
                Elem::I32 | Elem::I64 => {
                    type_error(format!("'{}' object cannot be interpreted as an integer", item.class_name()))
                }
                Elem::Bool => refuse("S285", "something other than a truth value is stored in an array of them").into(),
            });
        };
        match (elem, num.ty()) {
            (Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64, _) => Ok(session.as_float(state, num)),
            (Elem::I64, Type::I64 | Type::Bool) => Ok(session.as_int(state, num)),
            (Elem::I32, Type::I64 | Type::Bool) => {
                let int = session.as_int(state, num);
                let low = session.value(state, Op::Convert(Convert::Int32), &[int]);
                let fits = session.cmp(state, Cmp::Eq, low, int);
                let exit = session.exit_at_checkpoint("OverflowError");
                session.emit(state, Op::Guard(exit), &[fits]);
                Ok(int)
            }
            (Elem::I32 | Elem::I64, _) => {
                Err(type_error("'float' object cannot be interpreted as an integer".to_owned()))
            }
            (Elem::Bool, Type::Bool) => Ok(session.lift(state, num)),
            (Elem::Bool, _) => {
                Err(refuse("S285", "something other than a truth value is stored in an array of them").into())
            }
        }
    }
}
