//! `jvp` in staged code, and in what is differentiated: a call of a function that the transform makes, as for gradients.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::function::FuncArgs;
use snekpy_stage::entity::Value;
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::capture::custom::is_float;
use crate::capture::session::Session;
use crate::capture::shape::Leaf;
use crate::capture::state::{Frame, State};
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::captured::Computes;
use crate::exit::HostKind;
use crate::host;
use crate::staging_error::bug;

impl Session<'_> {
    /// `jvp(f, primals, tangents)`.
    pub(super) fn call_jvp(&mut self, state: &mut State, args: &FuncArgs) -> Step<PyObjectRef> {
        let vm = self.vm;
        let refused = |what: &str| -> Stop {
            let refusal = refuse("S364", format!("in staged code, {what}"));
            refusal.help("call `jvp` outside staged code").into()
        };
        let ([fun, primals, tangents], true) = (&args.args[..], args.kwargs.is_empty()) else {
            return Err(refused("`jvp` takes a function, a tuple of arguments and a tuple of tangents"));
        };
        if self.rules.detached && self.is_guarded(state) {
            return Err(refused("a derivative is not called inside `try` or `with`"));
        }
        let tuple = |object: &PyObjectRef| -> Option<PyObjectRef> {
            let list = object.downcast_ref_if_exact::<PyList>(vm).map(|it| it.borrow_vec().to_vec());
            match list {
                Some(items) => Some(vm.ctx.new_tuple(items).into()),
                None => object.downcast_ref_if_exact::<PyTuple>(vm).map(|_| object.clone()),
            }
        };
        for object in [primals, tangents] {
            self.guard_contents(object)?;
        }
        let (Some(primals), Some(tangents)) = (tuple(primals), tuple(tangents)) else {
            return Err(refused("`jvp` takes a function, a tuple of arguments and a tuple of tangents"));
        };
        let mut marks: Vec<Value> = Vec::new();
        let mut seen = state.clone();
        let marked = self.on_leaves(&primals, &mut |session, object| {
            let Some((_, ty)) = session.leaf(object)? else { return Ok(None) };
            let value = session.leaf_value(&seen, object, ty)?;
            let mark = session.given_back(&seen, value, ty, HostKind::Mark);
            marks.push(mark);
            Ok(Some(session.rep(mark)))
        })?;
        let mut along = Vec::new();
        self.matched(state, Some(&tangents), &primals, ("the tangents", "arguments"), &mut along)?;
        let helper = self.helper_function("apply")?;
        let parts = host::function::parts(&helper, vm)?.ok_or_else(|| bug(vm, "a helper is no function"))?;
        let kwargs = self.made(vm.ctx.new_dict().into());
        let frame = self.new_frame(&parts, FuncArgs::from(vec![fun.clone(), marked, kwargs]))?;
        let caller = self.loc(state);
        let frame = Frame { caller, forks_before: state.forks, ..frame };
        seen.clone_from(state);
        let (of, types, prototype, leaves) = self.detached_function_of(state, &helper, &frame)?;
        if self.changes_anything_else(of) {
            return Err(refused("a derivative is of a function without effects"));
        }
        if types.is_empty() || !types.iter().all(|&ty| is_float(ty)) {
            return Err(refused("a derivative is of a function that returns floats and arrays of them"));
        }
        let mut values = Vec::new();
        let (mut wrt, mut tangents): (Vec<usize>, Vec<(usize, Type)>) = (Vec::new(), Vec::new());
        for (at, (leaf, ty)) in leaves.iter().enumerate() {
            let value = match *leaf {
                Leaf::Static(constant) => self.constant(state.block, constant),
                Leaf::Staged(value) => value,
            };
            if let Some(mark) = marks.iter().position(|it| *it == value) {
                wrt.push(at);
                tangents.push((mark, *ty));
            }
            values.push(value);
        }
        for (mark, ty) in tangents {
            let tangent = along[mark].clone();
            let value = match (vm.is_none(&tangent), ty) {
                (true, Type::Tensor(ty)) => self.zeros(state, ty),
                (true, _) => self.constant(state.block, snekpy_stage::op::Const::F64(0.0)),
                (false, ty) => self.leaf_value(state, &tangent, ty)?,
            };
            values.push(value);
        }
        let all: Vec<usize> = (0..types.len()).collect();
        let func = self.derived_of(of, &wrt, &all, Computes::Along);
        let given = self.emit(state, Op::Call(func, None), &values);
        let reps: Vec<PyObjectRef> = given.iter().map(|&value| self.rep(value)).collect();
        let (results, tangents) = reps.split_at(types.len());
        let pair = [results, tangents].map(|it| self.object_like(&prototype, it));
        Ok(vm.ctx.new_tuple(pair.to_vec()).into())
    }
}
