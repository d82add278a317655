//! `stop_gradient`: values that are constants where they are differentiated.

use rustpython_vm::builtins::{PyDict, PyList, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::value;
use crate::exit::HostKind;

impl Session<'_> {
    /// What `stop_gradient` gives. The marks that it makes are taken out of the code once it is differentiated.
    pub(crate) fn stopped(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        // Nothing is differentiated that plain Python may go on with.
        if !self.rules.detached {
            return Ok(object.clone());
        }
        if let Some((value, Type::F64)) = value::rep(object) {
            let host = self.host("stop_gradient", vec![Type::F64], vec![Type::F64], HostKind::Stop);
            let value = self.value(state, Op::Host(host, None), &[value]);
            return Ok(self.rep(value));
        }
        if !self.holds_rep(object)? {
            return Ok(object.clone());
        }
        if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
            let items = tuple.as_slice().iter().map(|item| self.stopped(state, item)).collect::<Step<Vec<_>>>()?;
            return Ok(vm.ctx.new_tuple(items).into());
        }
        if value::rep(object).is_some() {
            return Ok(object.clone());
        }
        let is_list = object.downcast_ref_if_exact::<PyList>(vm).is_some();
        let what = if is_list || object.downcast_ref_if_exact::<PyDict>(vm).is_some() {
            "a list or dict of staged values".to_owned()
        } else {
            format!("a `{}`", object.class().name())
        };
        // A copy would be another object than what plain Python gives.
        Err(refuse("S363", format!("`stop_gradient` takes a float or a tuple of floats, and this is {what}")).into())
    }
}
