//! Gradients in staged code: `grad(f)(x)` becomes a call of a function that the transform makes.
//!
//! The function is captured as one that stays a function, as recursive ones do. A stand-in of the right signature is
//! called; when the capture is done, [`crate::gradient::fill`] puts the gradient in its place. Which of the function's
//! parameters belong to an argument is told by marks: new values for the floats in it, which are taken out again.

use rustpython_vm::builtins::{PyDict, PyList, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyRef};
use snekpy_stage::entity::{FuncId, Value};
use snekpy_stage::ir::{BlockData, Function, Jump, Terminator};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::types::{TensorType, Type};

use crate::capture::recursion::Outside;
use crate::capture::session::Session;
use crate::capture::shape::Leaf;
use crate::capture::state::{CallResult, Frame, State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};
use crate::exit::HostKind;
use crate::gradient::{Argnums, Derivative, Orders, Way};
use crate::host;
use crate::host::native::{NativeCallable, native_callable};
use crate::tensor;

/// A gradient that is still to be made.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    /// The function that is called: the other one's results, then the gradient.
    pub(crate) gradient: FuncId,
    /// What is differentiated.
    pub(crate) of: FuncId,
    /// By which of its parameters.
    pub(crate) wrt: Vec<usize>,
    /// Which of its results.
    pub(crate) results: Vec<usize>,
    /// What it computes.
    pub(crate) way: Computes,
}

/// What a function that is made computes besides the results of the other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Computes {
    /// The gradient of its result.
    Gradient,
    /// The gradient, from cotangents that are passed behind its arguments.
    Back,
    /// The tangents of its results, along tangents that are passed behind its arguments.
    Along,
}

/// A gradient in the shape of an argument: indices into what is differentiated by.
enum Marks {
    Float(usize),
    Tuple(Vec<Self>),
    List(Vec<Self>),
    Dict(Vec<(PyObjectRef, Self)>),
}

const CODE: &str = "S364";

impl Session<'_> {
    /// `grad(f)` and `value_and_grad(f)`, and calls of what they give. `None` if this is none.
    pub(crate) fn call_gradient(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        args: &FuncArgs,
        then: &Then,
    ) -> Step<Option<Flow>> {
        let vm = self.vm;
        if let Some(NativeCallable::Function { module: "snekpy", name }) = native_callable(callable, vm)
            && self.detached
            && matches!(name.as_str(), "grad" | "value_and_grad" | "checkpoint" | "custom_vjp" | "custom_jvp")
        {
            let made = callable.call(args.clone(), vm)?;
            let made = self.made(made);
            return Ok(Some(self.finish_call(state, made, then.clone())));
        }
        if let Some(NativeCallable::Function { module: "snekpy", name }) = native_callable(callable, vm)
            && name.as_str() == "jvp"
        {
            let result = self.call_jvp(state, args)?;
            return Ok(Some(self.finish_call(state, result, then.clone())));
        }
        match callable.clone().downcast::<Derivative>() {
            Ok(derivative) => self.call_derivative(state, &derivative, args.clone(), then.clone()).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn call_derivative(
        &mut self,
        state: &mut State,
        derivative: &PyRef<Derivative>,
        mut args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let vm = self.vm;
        let refused = |what: &str| -> Stop {
            let message = format!("in staged code, {what}");
            refuse(CODE, message).help("call the gradient outside staged code").into()
        };
        let step = match derivative.steps() {
            [step] if matches!(step.way, Way::Gradient | Way::Value) => step.clone(),
            _ => return Err(refused("gradients are those of `grad` and `value_and_grad`, of a function")),
        };
        if self.detached && self.is_guarded(state) {
            return Err(refused("a gradient is not called inside `try` or `with`"));
        }
        let (func, before) = derivative.function();
        before.add_to(&mut args);
        let argnums = match &step.argnums {
            Argnums::One(argnum) => vec![*argnum],
            Argnums::Some(argnums) => argnums.clone(),
            Argnums::All(_) => return Err(refused("a gradient is by some of the arguments")),
        };
        let mut marks = Vec::new();
        let mut shapes = Vec::new();
        for argnum in argnums {
            let position = usize::try_from(argnum).ok().map(|it| it + before.positional());
            let Some(arg) = position.and_then(|it| args.args.get_mut(it)) else {
                return Err(refused("a gradient is by a positional argument"));
            };
            let (marked, shape) = self.marked(state, arg, &mut marks)?;
            *arg = marked;
            shapes.push(shape);
        }
        let parts = host::function::parts(func, vm)?.ok_or_else(|| refused("a gradient is of a Python function"))?;
        self.guard_function(func, &parts);
        let frame = self.new_frame(&parts, args)?;
        let caller = self.loc(state);
        let frame = Frame { caller, forks_before: state.forks, ..frame };
        let (of, types, prototype, leaves) = self.detached_function_of(state, func, &frame)?;
        // What fails in a gradient has no plain Python to go on as: the whole call is made again.
        if self.changes_anything_else(of) {
            return Err(refused("a gradient is of a function without effects"));
        }
        // Its loops would have to be left where they are interrupted.
        if !self.detached && self.has_loops(of) {
            return Err(refused("a gradient is of a function without loops of unknown length"));
        }
        let first_is_float = |object: &PyObjectRef| {
            matches!(value::rep(object), Some((_, Type::F64)))
                || matches!(value::number(object, vm), Some(Num::Static(Const::F64(_))))
                || matches!(tensor::staged(object), Some((_, ty)) if is_scalar(ty))
        };
        let pair = prototype.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec());
        let fits = match (&pair, step.has_aux) {
            (Some(items), true) => items.len() == 2 && first_is_float(&items[0]),
            (_, false) => first_is_float(&prototype),
            (None, true) => false,
        };
        let is_float = match types.first() {
            Some(Type::F64) => true,
            Some(Type::Tensor(ty)) => is_scalar(*ty),
            _ => false,
        };
        if !fits || !is_float {
            return Err(refused("a gradient is of a function that returns one float"));
        }
        let mut wrt = Vec::new();
        let mut values = Vec::new();
        for (leaf, _) in &leaves {
            values.push(match *leaf {
                Leaf::Static(constant) => self.constant(state.block, constant),
                Leaf::Staged(value) => value,
            });
        }
        for mark in &marks {
            let position = values.iter().position(|value| value == mark);
            wrt.push(position.ok_or_else(|| refused("a gradient is by an argument that the function never sees"))?);
        }
        let count = types.len();
        let gradient = self.derived_of(of, &wrt, &[0], Computes::Gradient);
        let given = match &state.call {
            Some(call) => call.values.clone(),
            None => {
                let given = self.emit(state, Op::Call(gradient, None), &values);
                state.call = Some(CallResult { values: given.clone() });
                given
            }
        };
        let reps: Vec<PyObjectRef> = given.iter().map(|&value| self.rep(value)).collect();
        let result = self.object_like(&prototype, &reps[..count]);
        let grads = &reps[count..];
        let mut by = Vec::new();
        for shape in &shapes {
            by.push(self.made_of(shape, grads)?);
        }
        let by = match &step.argnums {
            Argnums::One(_) => by.swap_remove(0),
            _ => vm.ctx.new_tuple(by).into(),
        };
        let tuple = |items: Vec<PyObjectRef>| -> PyObjectRef { vm.ctx.new_tuple(items).into() };
        let object = match (step.way, step.has_aux) {
            (Way::Value, _) => tuple(vec![result, by]),
            (_, true) => {
                let aux = result.downcast_ref::<PyTuple>().map(|it| it.as_slice()[1].clone());
                tuple(vec![by, aux.unwrap_or_else(|| vm.ctx.none())])
            }
            (_, false) => by,
        };
        Ok(self.finish_call(state, object, then))
    }

    /// The function of the IR that is differentiated.
    pub(crate) fn detached_function_of(
        &mut self,
        state: &mut State,
        func: &PyObjectRef,
        frame: &Frame,
    ) -> Step<Outside> {
        let was = (self.detached, self.strict, self.crosses);
        (self.detached, self.strict, self.crosses) = (true, true, false);
        let orders = Orders { count: self.orders_at(state).count + 1, backwards: true };
        let found = self.function_of(state, func, frame, orders, (CODE, "in staged code, a gradient"));
        (self.detached, self.strict, self.crosses) = was;
        found
    }

    /// An argument with new values for its floats.
    fn marked(&mut self, state: &State, arg: &PyObjectRef, marks: &mut Vec<Value>) -> Step<(PyObjectRef, Marks)> {
        let vm = self.vm;
        if let Some(tuple) = arg.downcast_ref_if_exact::<PyTuple>(vm) {
            let mut items = Vec::new();
            let mut shapes = Vec::new();
            for item in tuple.as_slice() {
                let (item, shape) = self.marked(state, item, marks)?;
                items.push(item);
                shapes.push(shape);
            }
            return Ok((vm.ctx.new_tuple(items).into(), Marks::Tuple(shapes)));
        }
        if let Some(list) = arg.downcast_ref_if_exact::<PyList>(vm).filter(|_| self.staged_list(arg).is_none()) {
            self.guard_contents(arg)?;
            let (mut items, mut shapes) = (Vec::new(), Vec::new());
            for item in list.borrow_vec().to_vec() {
                let (item, shape) = self.marked(state, &item, marks)?;
                items.push(item);
                shapes.push(shape);
            }
            return Ok((self.made(vm.ctx.new_list(items).into()), Marks::List(shapes)));
        }
        if let Some(dict) = arg.downcast_ref_if_exact::<PyDict>(vm).filter(|_| self.staged_map(arg).is_none()) {
            self.guard_contents(arg)?;
            let (copy, mut shapes) = (vm.ctx.new_dict(), Vec::new());
            for (key, item) in dict.items_vec() {
                let (item, shape) = self.marked(state, &item, marks)?;
                copy.set_item(&*key, item, vm)?;
                shapes.push((key, shape));
            }
            return Ok((self.made(copy.into()), Marks::Dict(shapes)));
        }
        if let Some(found) = tensor::of(arg)
            && found.dtype().is_float()
        {
            let (value, ty) = self.value_of_tensor(state, arg)?;
            let host = self.host("mark", vec![Type::Tensor(ty)], vec![Type::Tensor(ty)], HostKind::Mark);
            let value = self.value(state, Op::Host(host, None), &[value]);
            marks.push(value);
            return Ok((self.rep(value), Marks::Float(marks.len() - 1)));
        }
        match self.number(arg)? {
            Some(num @ (Num::Staged(_, Type::F64) | Num::Static(Const::F64(_)))) => {
                let value = self.lift(state, num);
                let host = self.host("mark", vec![Type::F64], vec![Type::F64], HostKind::Mark);
                let value = self.value(state, Op::Host(host, None), &[value]);
                marks.push(value);
                Ok((self.rep(value), Marks::Float(marks.len() - 1)))
            }
            Some(Num::Staged(..) | Num::Static(_)) => {
                Err(Stop::Raise(vm.new_type_error("grad(): it differentiates by floats, and found an int or bool")))
            }
            None => {
                let class = arg.class().name().to_string();
                let message = format!(
                    "in staged code, gradients are by floats, arrays, and tuples, lists and dicts of them, not by a `{class}`"
                );
                Err(refuse(CODE, message).help("call the gradient outside staged code").into())
            }
        }
    }

    /// A gradient in the shape of an argument.
    fn made_of(&mut self, shape: &Marks, grads: &[PyObjectRef]) -> Step<PyObjectRef> {
        let vm = self.vm;
        Ok(match shape {
            Marks::Float(index) => grads[*index].clone(),
            Marks::Tuple(shapes) => {
                let items = shapes.iter().map(|it| self.made_of(it, grads)).collect::<Step<_>>()?;
                vm.ctx.new_tuple(items).into()
            }
            Marks::List(shapes) => {
                let items = shapes.iter().map(|it| self.made_of(it, grads)).collect::<Step<_>>()?;
                self.made(vm.ctx.new_list(items).into())
            }
            Marks::Dict(shapes) => {
                let dict = vm.ctx.new_dict();
                for (key, shape) in shapes {
                    dict.set_item(&**key, self.made_of(shape, grads)?, vm)?;
                }
                self.made(dict.into())
            }
        })
    }

    /// The function that is called: the stand-in for what is made of another one.
    pub(crate) fn derived_of(&mut self, of: FuncId, wrt: &[usize], by: &[usize], way: Computes) -> FuncId {
        let is = |it: &&Nested| it.of == of && it.wrt == wrt && it.results == by && it.way == way;
        if let Some(known) = self.nested.iter().find(is) {
            return known.gradient;
        }
        let inner = &self.module.funcs[of];
        let (params, mut results) = (inner.param_types(), inner.results.clone());
        let inputs: Vec<Type> = wrt.iter().map(|&position| params[position]).collect();
        let outputs: Vec<Type> = by.iter().map(|&position| results[position]).collect();
        let (name, passed, given) = match way {
            Computes::Gradient => ("gradient", Vec::new(), inputs),
            Computes::Back => ("gradient", outputs, inputs),
            Computes::Along => ("tangent", inputs, outputs),
        };
        let mut stand_in = Function::new(format!("{}.{name}", inner.name));
        let entry = stand_in.entry();
        for ty in params.into_iter().chain(passed) {
            stand_in.append_param(entry, ty);
        }
        results.extend(given);
        stand_in.results = results;
        // It never returns before it is what it stands for.
        let round = stand_in.blocks.push(BlockData::default());
        for block in [entry, round] {
            stand_in.blocks[block].term = Terminator::Jump(Jump { target: round, args: Vec::new() });
        }
        let gradient = self.module.funcs.push(stand_in);
        self.nested.push(Nested { gradient, of, wrt: wrt.to_vec(), results: by.to_vec(), way });
        gradient
    }
}

/// Whether a tensor is one float.
fn is_scalar(ty: TensorType) -> bool {
    ty.dtype.is_float() && ty.shape.dims().is_empty()
}
