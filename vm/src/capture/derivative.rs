//! Derivatives in staged code, and in what is differentiated: `grad(f)(x)` becomes a call of a function that the transform makes.
//!
//! The function is captured as one that stays a function, as recursive ones do. A stand-in of the right signature is
//! called; when the capture is done, [`crate::differentiate::fill`] puts the gradient in its place. Which of the function's
//! parameters belong to an argument is told by marks: new values for the floats in it, which are taken out again.

use rustpython_vm::builtins::{PyFunction, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyRef, VirtualMachine};
use snekpy_stage::entity::{FuncId, Value};
use snekpy_stage::ir::{BlockData, Function, Jump, Terminator};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::types::{TensorType, Type};

use crate::callable;
use crate::callable::{Argnums, Derivative, Orders, Way};
use crate::capture::element::Elements;
use crate::capture::marks::Marking;
use crate::capture::recursion::Outside;
use crate::capture::session::Session;
use crate::capture::shape::Leaf;
use crate::capture::state::{CallResult, Frame, State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};
use crate::capture::values::{Abstract, classify};
use crate::captured::{Computes, Nested};
use crate::host;
use crate::tensor;

/// What cannot be differentiated in staged code.
pub(super) const CODE: &str = "S364";

/// A function of the IR that is to be differentiated, as a call sees it.
struct Differentiated {
    of: FuncId,
    /// What it is given.
    values: Vec<Value>,
    /// By which of its parameters, in the order of the marks.
    wrt: Vec<usize>,
    /// The types of its results.
    types: Vec<Type>,
    /// Something like what it gives.
    prototype: PyObjectRef,
}

fn refused(what: &str) -> Stop {
    refuse(CODE, format!("in staged code, {what}")).help("call the gradient outside staged code").into()
}

impl Session<'_> {
    /// `grad(f)` and its like. `None` if this is none.
    pub(crate) fn call_gradient(
        &mut self,
        state: &mut State,
        name: &str,
        callable: &PyObjectRef,
        args: &FuncArgs,
        then: &Then,
    ) -> Step<Option<Flow>> {
        let result = match name {
            "grad" | "value_and_grad" | "jacrev" | "jacobian" | "jacfwd" | "hessian" => {
                self.make_derivative(callable, args)?
            }
            "checkpoint" | "custom_vjp" | "custom_jvp" if self.rules.detached => {
                let made = callable.call(args.clone(), self.vm)?;
                self.made(made)
            }
            "jvp" => self.call_jvp(state, args)?,
            "vjp" | "linearize" => return self.call_linear(state, name, args, then).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(self.finish_call(state, result, then.clone())))
    }

    /// The derivative of a function, which the function keeps: each call of `grad` gives the same.
    fn make_derivative(&mut self, callable: &PyObjectRef, args: &FuncArgs) -> Step<PyObjectRef> {
        for arg in args.args.iter().chain(args.kwargs.values()) {
            if self.holds_rep(arg)? && arg.downcast_ref::<PyFunction>().is_none() {
                return Err(refused("which derivative it is must be known when the code is made"));
            }
        }
        let made = callable.call(args.clone(), self.vm)?;
        let of = args.args.iter().chain(args.kwargs.values());
        let is_new = of.clone().any(|arg| self.is_fresh(arg)) || !of.clone().any(callable::keeps);
        Ok(if is_new { self.made(made) } else { made })
    }

    /// A call of what `grad` or its like has given.
    pub(crate) fn call_derivative(
        &mut self,
        state: &mut State,
        derivative: &PyRef<Derivative>,
        mut args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let vm = self.vm;
        let Some((step, before)) = derivative.steps().split_last() else {
            return Err(refused("a derivative is one of `grad` and its like"));
        };
        if !matches!(step.way, Way::Gradient | Way::Value | Way::Reverse | Way::Forward) {
            return Err(refused("a derivative is one of `grad` and its like"));
        }
        let (func, brought) = derivative.function();
        let mut first = 0;
        if before.is_empty() {
            brought.add_to(&mut args);
            first = brought.positional();
        }
        let argnums = match &step.argnums {
            Argnums::One(argnum) => vec![*argnum],
            Argnums::Some(argnums) => argnums.clone(),
            Argnums::All(_) => return Err(refused("a gradient is by some of the arguments")),
        };
        let mut marking = Marking::default();
        let mut shapes = Vec::new();
        for argnum in argnums {
            let position = usize::try_from(argnum).ok().map(|it| it + first);
            let Some(arg) = position.and_then(|it| args.args.get_mut(it)) else {
                return Err(refused("a gradient is by a positional argument"));
            };
            let (marked, shape) = self.marked(state, arg, &mut marking)?;
            *arg = marked;
            shapes.push(shape);
        }
        let marks = marking.values;
        let is_jacobian = matches!(step.way, Way::Reverse | Way::Forward);
        if is_jacobian && marks.iter().any(|&it| self.func.ty(it) != Type::F64) {
            return Err(refused("derivatives of results that are no float are by floats"));
        }
        let found = if before.is_empty() {
            self.differentiated(state, &func.clone(), args, &marks)?
        } else {
            let inner = derivative.inner(vm)?;
            let is_new = self.is_fresh(derivative.as_object());
            let inner = if is_new { self.made(inner) } else { inner };
            self.applied(state, inner, args, &marks)?
        };
        let pair = found.prototype.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec());
        let value = match (&pair, step.has_aux) {
            (Some(items), true) if items.len() == 2 => items[0].clone(),
            (_, true) => return Err(refused("a gradient is of a function that returns a pair, with `has_aux`")),
            (_, false) => found.prototype.clone(),
        };
        let by = match is_jacobian {
            true => self.float_results(&value)?,
            false => self.one_float(&value, &found.types)?,
        };
        let way = if step.way == Way::Forward { Computes::Columns } else { Computes::Gradient };
        let given = self.derivatives(state, &found, &by, way);
        let reps: Vec<PyObjectRef> = given.iter().map(|&value| self.rep(value)).collect();
        let (results, grads) = reps.split_at(found.types.len());
        let result = self.object_like(&found.prototype, results);
        let (inputs, outputs) = (marks.len(), by.len());
        let is_tuple = !matches!(step.argnums, Argnums::One(_));
        let row = |session: &mut Session<'_>, grads: &[PyObjectRef]| -> Step<PyObjectRef> {
            let mut made = Vec::new();
            let by = shapes.iter().map(|shape| session.made_of(shape, grads, &mut made)).collect::<Step<Vec<_>>>();
            let mut by = by?;
            Ok(if is_tuple { vm.ctx.new_tuple(by).into() } else { by.swap_remove(0) })
        };
        let by = if is_jacobian {
            let mut lane = 0;
            let value = if step.has_aux { first_of(&result) } else { result.clone() };
            self.on_leaves(&value, &mut |session, object| match session.leaf(object)? {
                Some((Some(_), _)) => {
                    let of = |input: usize| match step.way {
                        Way::Forward => input * outputs + lane,
                        _ => lane * inputs + input,
                    };
                    let of: Vec<PyObjectRef> = (0..inputs).map(|input| grads[of(input)].clone()).collect();
                    lane += 1;
                    row(session, &of).map(Some)
                }
                Some((None, _)) => {
                    let zeros: Vec<PyObjectRef> = (0..inputs).map(|_| vm.ctx.new_float(0.0).into()).collect();
                    row(session, &zeros).map(Some)
                }
                None => Ok(None),
            })?
        } else {
            row(self, grads)?
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

    /// `vjp(f, *args)` and `linearize(f, *args)` by floats: all derivatives, and a function that computes a product.
    fn call_linear(&mut self, state: &mut State, name: &str, args: &FuncArgs, then: &Then) -> Step<Flow> {
        let vm = self.vm;
        let (Some((fun, primals)), true) = (args.args.split_first(), args.kwargs.is_empty()) else {
            return Err(refused("`vjp` and `linearize` take a function and its arguments, by position"));
        };
        let (mut marking, mut shapes, mut marked) = (Marking::default(), Vec::new(), Vec::new());
        for primal in primals {
            let (object, shape) = self.marked(state, primal, &mut marking)?;
            marked.push(object);
            shapes.push(shape);
        }
        let marks = marking.values;
        if marks.iter().any(|&it| self.func.ty(it) != Type::F64) {
            return Err(refused("`vjp` and `linearize` are by floats"));
        }
        let found = self.applied(state, fun.clone(), FuncArgs::from(marked), &marks)?;
        let by = self.float_results(&found.prototype.clone())?;
        let given = self.derivatives(state, &found, &by, Computes::Gradient);
        let reps: Vec<PyObjectRef> = given.iter().map(|&value| self.rep(value)).collect();
        let (results, grads) = reps.split_at(found.types.len());
        let value = self.object_like(&found.prototype, results);
        let tuple = |items: Vec<PyObjectRef>| -> PyObjectRef { vm.ctx.new_tuple(items).into() };
        let width = marks.len();
        let is_known = floats_in(&found.prototype, vm).unwrap_or_default();
        let row = |lane: usize| match is_known[lane] {
            true => vm.ctx.none(),
            false => tuple(grads[lane * width..(lane + 1) * width].to_vec()),
        };
        let rows = (0..by.len()).map(row).collect();
        // Something of the shape of the arguments.
        let zeros: Vec<PyObjectRef> = (0..width).map(|_| vm.ctx.new_float(0.0).into()).collect();
        let mut made = Vec::new();
        let like = shapes.iter().map(|shape| self.made_of(shape, &zeros, &mut made)).collect::<Step<Vec<_>>>()?;
        let width = vm.ctx.new_int(width).into();
        let all = vec![value, tuple(rows), tuple(like), width];
        let helper = self.helper_function(if name == "vjp" { "vjp_of_rows" } else { "linearize_of_rows" })?;
        self.call(state, &helper, FuncArgs::from(all), then.clone())
    }

    /// A call of any callable, as a function of the IR that is to be differentiated.
    fn applied(
        &mut self,
        state: &mut State,
        callable: PyObjectRef,
        args: FuncArgs,
        marks: &[Value],
    ) -> Step<Differentiated> {
        let vm = self.vm;
        let named = vm.ctx.new_dict();
        for (name, value) in &args.kwargs {
            named.set_item(&**name, value.clone(), vm)?;
        }
        let named = self.made(named.into());
        let all = vec![callable, vm.ctx.new_tuple(args.args).into(), named];
        let helper = self.helper_function("apply")?;
        self.differentiated(state, &helper, FuncArgs::from(all), marks)
    }

    /// A call of a Python function, as a function of the IR that is to be differentiated.
    fn differentiated(
        &mut self,
        state: &mut State,
        func: &PyObjectRef,
        args: FuncArgs,
        marks: &[Value],
    ) -> Step<Differentiated> {
        if self.rules.detached && self.is_guarded(state) {
            return Err(refused("a gradient is not called inside `try` or `with`"));
        }
        let parts =
            host::function::parts(func, self.vm)?.ok_or_else(|| refused("a gradient is of a Python function"))?;
        self.guard_function(func, &parts);
        let frame = self.new_frame(&parts, args)?;
        let caller = self.loc(state);
        let frame = Frame { caller, forks_before: state.forks, ..frame };
        let (of, types, prototype, leaves) = self.detached_function_of(state, func, &frame)?;
        // What fails in a gradient has no plain Python to go on as: the whole call is made again.
        if self.changes_anything_else(of) {
            return Err(refused("a gradient is of a function without effects"));
        }
        let mut values = Vec::new();
        for (leaf, _) in &leaves {
            values.push(match *leaf {
                Leaf::Static(constant) => self.constant(state.block, constant),
                Leaf::Staged(value) => value,
            });
        }
        let mut wrt = Vec::new();
        for mark in marks {
            let position = values.iter().position(|value| value == mark);
            wrt.push(position.ok_or_else(|| refused("a gradient is by an argument that the function never sees"))?);
        }
        Ok(Differentiated { of, values, wrt, types, prototype })
    }

    /// What the call gives, with derivatives.
    fn derivatives(&mut self, state: &mut State, found: &Differentiated, by: &[usize], way: Computes) -> Vec<Value> {
        if let Some(call) = &state.call {
            return call.values.clone();
        }
        let made = self.derived_of(found.of, &found.wrt, by, way);
        let given = self.emit(state, Op::Call(made, None), &found.values);
        state.call = Some(CallResult { values: given.clone() });
        given
    }

    /// The position of the result that is differentiated, if it is one float.
    fn one_float(&mut self, value: &PyObjectRef, types: &[Type]) -> Step<Vec<usize>> {
        let vm = self.vm;
        let is_float = match types.first() {
            Some(Type::F64) => true,
            Some(Type::Tensor(ty)) => is_scalar(*ty),
            _ => false,
        };
        let fits = matches!(value::rep(value), Some((_, Type::F64)))
            || matches!(value::number(value, vm), Some(Num::Static(Const::F64(_))))
            || matches!(tensor::staged(value), Some((it, ty)) if it.element.is_none() && is_scalar(ty));
        if fits && is_float { Ok(vec![0]) } else { Err(refused("a gradient is of a function that returns one float")) }
    }

    /// The positions of the results that are differentiated, if all are floats.
    fn float_results(&mut self, value: &PyObjectRef) -> Step<Vec<usize>> {
        match floats_in(value, self.vm) {
            Some(floats) => Ok((0..floats.len()).collect()),
            None => {
                Err(refused("derivatives are of functions that return floats, and tuples, lists and dicts of them"))
            }
        }
    }

    /// The function of the IR that is differentiated.
    pub(crate) fn detached_function_of(
        &mut self,
        state: &mut State,
        func: &PyObjectRef,
        frame: &Frame,
    ) -> Step<Outside> {
        let rules = |it: &Self| (it.rules.detached, it.rules.elements, it.rules.strict, it.rules.crosses);
        let was = rules(self);
        (self.rules.detached, self.rules.elements, self.rules.strict, self.rules.crosses) =
            (true, Elements::None, true, false);
        let orders = Orders { count: self.orders_at(state).count + 1, backwards: true };
        let found = self.function_of(state, func, frame, orders, (CODE, "in staged code, a gradient"));
        (self.rules.detached, self.rules.elements, self.rules.strict, self.rules.crosses) = was;
        found
    }

    /// The function that is called: the stand-in for what is made of another one.
    pub(crate) fn derived_of(&mut self, of: FuncId, wrt: &[usize], by: &[usize], way: Computes) -> FuncId {
        let is = |it: &&Nested| it.of == of && it.wrt == wrt && it.results == by && it.way == way;
        if let Some(known) = self.calls.nested.iter().find(is) {
            return known.gradient;
        }
        let inner = &self.module.funcs[of];
        let (params, mut results) = (inner.param_types(), inner.results.clone());
        let inputs: Vec<Type> = wrt.iter().map(|&position| params[position]).collect();
        let outputs: Vec<Type> = by.iter().map(|&position| results[position]).collect();
        let (name, passed, given) = match way {
            Computes::Gradient => ("gradient", Vec::new(), inputs.repeat(outputs.len())),
            Computes::Columns => ("tangent", Vec::new(), outputs.repeat(inputs.len())),
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
        self.calls.nested.push(Nested { gradient, of, wrt: wrt.to_vec(), results: by.to_vec(), way });
        gradient
    }
}

/// Of each float in something like a result whether it is known; `None` if there is something else.
fn floats_in(prototype: &PyObjectRef, vm: &VirtualMachine) -> Option<Vec<bool>> {
    let all = |items: Vec<PyObjectRef>| {
        let found: Option<Vec<Vec<bool>>> = items.iter().map(|item| floats_in(item, vm)).collect();
        Some(found?.concat())
    };
    match classify(prototype, vm) {
        Abstract::Tuple(tuple) => all(tuple.as_slice().to_vec()),
        Abstract::List(list) => all(list.borrow_vec().to_vec()),
        Abstract::Dict(dict) => all(dict.values_vec()),
        Abstract::Number(Num::Staged(_, Type::F64)) => Some(vec![false]),
        Abstract::Number(Num::Static(Const::F64(_))) => Some(vec![true]),
        Abstract::Map(map) if map.ty.value.is_some() => Some(Vec::new()),
        _ => vm.is_none(prototype).then(Vec::new),
    }
}

/// The first of a pair.
fn first_of(pair: &PyObjectRef) -> PyObjectRef {
    pair.downcast_ref::<PyTuple>().map_or_else(|| pair.clone(), |it| it.as_slice()[0].clone())
}

/// Whether a tensor is one float.
fn is_scalar(ty: TensorType) -> bool {
    ty.dtype.is_float() && ty.shape.dims().is_empty()
}
