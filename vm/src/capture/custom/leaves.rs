//! The floats and arrays in arguments and results: what derivatives are about.

use rustpython_vm::builtins::{PyDict, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::{Entity, Value};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::sizes;
use snekpy_stage::tensor::{Item, TensorOp};
use snekpy_stage::types::{TensorType, Type};

use super::refused;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};
use crate::capture::values::{Abstract, classify};
use crate::exit::HostKind;
use crate::rep::Named;
use crate::staging_error::bug;
use crate::tensor;

/// What is done with the floats and arrays in an object: another object in the place of each, if any.
pub(super) type OnLeaf<'a> = dyn FnMut(&mut Session<'_>, &PyObjectRef) -> Step<Option<PyObjectRef>> + 'a;

impl Session<'_> {
    /// The floats and arrays in an object are replaced: in a copy, if there are any.
    pub(in crate::capture) fn on_leaves(&mut self, object: &PyObjectRef, leaf: &mut OnLeaf<'_>) -> Step<PyObjectRef> {
        let vm = self.vm;
        let mut same = true;
        let mut all = |session: &mut Self, items: &[PyObjectRef]| -> Step<Vec<PyObjectRef>> {
            let mut made = Vec::with_capacity(items.len());
            for item in items {
                let new = session.on_leaves(item, leaf)?;
                same &= new.is(item);
                made.push(new);
            }
            Ok(made)
        };
        Ok(match classify(object, vm) {
            Abstract::Tuple(tuple) => {
                let items = all(self, tuple.as_slice())?;
                if same { object.clone() } else { vm.ctx.new_tuple(items).into() }
            }
            Abstract::List(list) => {
                self.guard_contents(object)?;
                let items = list.borrow_vec().to_vec();
                let items = all(self, &items)?;
                if same { object.clone() } else { self.made(vm.ctx.new_list(items).into()) }
            }
            Abstract::Dict(dict) => {
                self.guard_contents(object)?;
                let (keys, items): (Vec<_>, Vec<_>) = dict.items_vec().into_iter().unzip();
                let items = all(self, &items)?;
                if same {
                    return Ok(object.clone());
                }
                let copy = vm.ctx.new_dict();
                for (key, item) in keys.iter().zip(items) {
                    copy.set_item(&**key, item, vm)?;
                }
                self.made(copy.into())
            }
            _ => leaf(self, object)?.unwrap_or_else(|| object.clone()),
        })
    }

    /// A float or an array of floats: its type, and its value if it is known only later.
    pub(in crate::capture) fn leaf(&self, object: &PyObjectRef) -> Step<Option<(Option<Value>, Type)>> {
        if let Some(found) = tensor::of(object) {
            let staged = tensor::staged(object).map(|(staged, _)| staged);
            if staged.is_some_and(|it| it.element.is_some()) {
                return Err(refuse("S347", "an element of an array where a derivative is asked for").into());
            }
            let value = staged.map(|it| Value::new(it.value as usize));
            return Ok(found.dtype().is_float().then(|| (value, Type::Tensor(tensor::type_of(found)))));
        }
        Ok(match self.number(object)? {
            Some(Num::Staged(value, Type::F64)) => Some((Some(value), Type::F64)),
            Some(Num::Static(Const::F64(_))) => Some((None, Type::F64)),
            Some(Num::Staged(..) | Num::Static(_)) | None => None,
        })
    }

    /// The floats and arrays in an object, in order; none in the place of what is known.
    pub(in crate::capture) fn leaves(&mut self, object: &PyObjectRef) -> Step<Vec<Option<(Value, Type)>>> {
        let mut found = Vec::new();
        self.on_leaves(object, &mut |session, object| {
            if let Some((value, ty)) = session.leaf(object)? {
                found.push(value.map(|value| (value, ty)));
            }
            Ok(None)
        })?;
        Ok(found)
    }

    /// The same under another name.
    pub(in crate::capture) fn given_back(&mut self, state: &State, value: Value, ty: Type, kind: HostKind) -> Value {
        let name = if matches!(kind, HostKind::Border) { "border" } else { "mark" };
        let host = self.host(name, vec![ty], vec![ty], kind);
        self.value(state, Op::Host(host, None), &[value])
    }

    /// The value of a float or array.
    pub(in crate::capture) fn leaf_value(&mut self, state: &State, object: &PyObjectRef, ty: Type) -> Step<Value> {
        if matches!(ty, Type::Tensor(_)) {
            return Ok(self.value_of_tensor(state, object)?.0);
        }
        let num = self.number(object)?.ok_or_else(|| bug(self.vm, "a float is no number"))?;
        Ok(self.lift(state, num))
    }

    pub(in crate::capture) fn zeros(&mut self, state: &State, ty: TensorType) -> Value {
        let op =
            TensorOp::Full { dtype: ty.dtype, dims: ty.shape.dims().to_vec(), item: Item::Float(0.0), home: ty.home };
        self.tensor_op(state, op, &[], vec![Type::Tensor(ty)])[0]
    }

    /// The floats and arrays in what a rule gives, which must have the shape of something else. None stands for zeros.
    pub(in crate::capture) fn matched(
        &mut self,
        state: &State,
        given: Option<&PyObjectRef>,
        like: &PyObjectRef,
        (what, of): (&str, &str),
        found: &mut Vec<PyObjectRef>,
    ) -> Step<()> {
        let vm = self.vm;
        let fails = self.rules.fails;
        let given = given.filter(|it| !vm.is_none(it));
        let wrong = |wanted: String, is: &PyObjectRef| -> Stop {
            let is = match is.downcast_ref::<PyTuple>() {
                Some(tuple) => format!("a tuple of {}", tuple.as_slice().len()),
                None => describe(is, vm),
            };
            wrong_rule(fails, format!("{what} must have the shape of the {of}: expected {wanted}, found {is}"), vm)
        };
        let items = |object: &PyObjectRef| match classify(object, vm) {
            Abstract::Tuple(tuple) => Some(tuple.as_slice().to_vec()),
            Abstract::List(list) => Some(list.borrow_vec().to_vec()),
            _ => None,
        };
        if let Some(wanted) = items(like) {
            let given = match given {
                None => vec![None; wanted.len()],
                Some(object) => {
                    let is = items(object).filter(|is| is.len() == wanted.len() && object.class().is(like.class()));
                    let name = like.class_name();
                    is.ok_or_else(|| wrong(format!("a {name} of {}", wanted.len()), object))?
                        .into_iter()
                        .map(Some)
                        .collect()
                }
            };
            for (given, like) in given.iter().zip(&wanted) {
                self.matched(state, given.as_ref(), like, (what, of), found)?;
            }
            return Ok(());
        }
        if let Abstract::Dict(wanted) = classify(like, vm) {
            for (key, like) in wanted.items_vec() {
                let item = match given {
                    None => None,
                    Some(object) => {
                        let dict =
                            object.downcast_ref_if_exact::<PyDict>(vm).filter(|it| it.__len__() == wanted.__len__());
                        let item = dict.map_or(Ok(None), |it| it.get_item_opt(&*key, vm))?;
                        let key = key.repr(vm)?;
                        Some(item.ok_or_else(|| {
                            wrong(format!("a dict of {} with {}", wanted.__len__(), key.to_string_lossy()), object)
                        })?)
                    }
                };
                self.matched(state, item.as_ref(), &like, (what, of), found)?;
            }
            return Ok(());
        }
        let Some((_, ty)) = self.leaf(like)? else { return Ok(()) };
        let Some(object) = given else {
            found.push(vm.ctx.none());
            return Ok(());
        };
        match self.leaf(object)? {
            Some((_, is)) if is == ty => {
                let value = self.leaf_value(state, object, ty)?;
                found.push(self.rep(value));
                Ok(())
            }
            _ => Err(wrong(describe(like, vm), object)),
        }
    }
}

pub(in crate::capture) const fn is_float(ty: Type) -> bool {
    match ty {
        Type::F64 => true,
        Type::Tensor(tensor) => tensor.dtype.is_float(),
        Type::Bool | Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) => false,
    }
}

/// A rule that gives something else than it must. What is differentiated itself fails as a whole, as in JAX; staged code
/// goes on as plain Python there.
pub(super) fn wrong_rule(fails: bool, message: String, vm: &VirtualMachine) -> Stop {
    if fails { Stop::Interrupt(vm.new_type_error(message)) } else { refused(message) }
}

fn describe(object: &PyObjectRef, vm: &VirtualMachine) -> String {
    if let Some(found) = tensor::of(object) {
        return format!("an array of {} of shape {}", found.dtype().name(), sizes::show(found.dims()));
    }
    let known = || value::number(object, vm).map(|it| it.ty());
    match value::rep(object).map(|(_, ty)| ty).or_else(known) {
        Some(Type::F64) => "a float".to_owned(),
        Some(Type::I64) => "an int".to_owned(),
        Some(Type::Bool) => "a bool".to_owned(),
        _ => format!("a `{}`", object.class_name()),
    }
}
