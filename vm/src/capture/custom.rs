//! Functions with a derivative of their own, in what is captured to be differentiated.
//!
//! The function, or for `custom_vjp` its way there, is captured like any other code, with its arguments behind a
//! *border*. What it gives goes through a call of the host that knows the rules ([`snekpy_stage::ir::Custom`]): functions of
//! the IR that are captured here, too, for the kind of arguments, residuals and results that there are.
//!
//! A rule that calls the function again, as those of JAX do, is differentiated once less: so there is an end to it. Where
//! nothing is differentiated any more, the function is just called.
//!
//! `checkpoint` is a rule that the transform makes: the function becomes one of the IR, and the way back calls its
//! gradient, which computes it again.

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::ir::{Custom as CustomData, HostData, Rule, RuleArg};
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::callable::{Custom, Kind, Orders, name_of};
use crate::capture::recursion::Outside;
use crate::capture::session::Session;
use crate::capture::shape::Leaf;
use crate::capture::state::{Frame, State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::captured::Computes;
use crate::code::is_helper;
use crate::exit::HostKind;
use crate::guard::Guard;
use crate::host;
use crate::rep::Named;
use crate::staging_error::bug;
use crate::tensor;

mod leaves;
mod natives;

pub(super) use leaves::is_float;
use leaves::wrong_rule;

const CODE: &str = "S365";

/// A function whose derivative a rule gives.
struct Ruled {
    name: String,
    /// What is called on the way there, and with what.
    there: PyObjectRef,
    given: PyObjectRef,
    rule: PyObjectRef,
    /// Which one the rule is.
    kind: Kind,
}

impl Session<'_> {
    /// How often the code that a path is in is differentiated.
    pub(crate) fn orders_at(&self, state: &State) -> Orders {
        let is_rule = |frame: &&Frame| {
            is_helper(&frame.code.object) && frame.code.object.code.obj_name.as_str() == "custom_there"
        };
        let count = self.rules.orders.count.saturating_sub(state.frames.iter().filter(is_rule).count());
        Orders { count, ..self.rules.orders }
    }

    /// A call of a function with a derivative of its own.
    pub(crate) fn call_custom(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        custom: &Custom,
        args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let vm = self.vm;
        let rules = custom.rules(vm)?;
        for (&name, rule) in custom.kind.rules().iter().zip(&rules) {
            if !self.is_fresh(callable) {
                let (object, expected) = (callable.clone(), Some(rule.clone()));
                self.guards.add(Guard::Attribute { object, name, expected });
            }
        }
        if self.orders_at(state).count == 0 {
            return self.call(state, &custom.func, args, then);
        }
        if custom.kind == Kind::Checkpoint {
            let result = self.call_checkpoint(state, custom, &args)?;
            return Ok(self.finish_call(state, result, then));
        }
        let given = self.positions(custom, &args)?;
        let is_fixed = |at: &usize| custom.fixed.contains(at);
        if let Some(missing) = custom.fixed.iter().find(|it| **it >= given.len()) {
            let message = format!("{}: there is no argument {missing} (nondiff_argnums)", name_of(&custom.func, vm));
            return Err(vm.new_type_error(message).into());
        }
        let (fixed, args): (Vec<_>, Vec<_>) = given.iter().cloned().enumerate().partition(|(at, _)| is_fixed(at));
        let [fixed, args]: [PyObjectRef; 2] =
            [fixed, args].map(|items| vm.ctx.new_tuple(items.into_iter().map(|it| it.1).collect()).into());
        let borders = self.bordered(state, &args)?;
        let mut inside =
            borders.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec()).unwrap_or_default().into_iter();
        let given = given
            .iter()
            .enumerate()
            .map(|(at, arg)| if is_fixed(&at) { arg.clone() } else { inside.next().unwrap_or_else(|| arg.clone()) });
        let given: PyObjectRef = vm.ctx.new_tuple(given.collect()).into();
        let (there, rule) = match custom.kind {
            Kind::Vjp => (rules[0].clone(), rules[1].clone()),
            Kind::Jvp | Kind::Checkpoint => (custom.func.clone(), rules[0].clone()),
        };
        let ruled = Ruled { name: name_of(&custom.func, vm), there, given, rule, kind: custom.kind };
        self.call_by_rule(state, ruled, [fixed, args, borders], then)
    }

    /// A call of a function whose derivative a rule gives: what the rule is given besides, the arguments, and the same
    /// behind borders.
    fn call_by_rule(
        &mut self,
        state: &mut State,
        ruled: Ruled,
        [fixed, args, borders]: [PyObjectRef; 3],
        then: Then,
    ) -> Step<Flow> {
        let vm = self.vm;
        let helper = self.helper_function("custom_there")?;
        let backwards = vm.ctx.new_bool(ruled.kind == Kind::Vjp).into();
        let rule = vm.ctx.new_tuple(vec![ruled.rule, backwards]).into();
        let name = vm.ctx.new_str(ruled.name).into();
        let all = FuncArgs::from(vec![ruled.there, ruled.given, rule, fixed, args, borders, name]);
        self.call(state, &helper, all, then)
    }

    /// The arguments of a call, all of them by position.
    fn positions(&mut self, custom: &Custom, args: &FuncArgs) -> Step<Vec<PyObjectRef>> {
        let vm = self.vm;
        let Some(parts) = host::function::parts(&custom.func, vm)?.filter(|_| !args.kwargs.is_empty()) else {
            if args.kwargs.is_empty() {
                return Ok(args.args.clone());
            }
            let name = name_of(&custom.func, vm);
            return Err(vm
                .new_type_error(format!("{name} has a derivative of its own: pass its arguments by position"))
                .into());
        };
        let frame = self.new_frame(&parts, args.clone())?;
        let count = parts.code.code.arg_count as usize;
        Ok(frame.locals[..count].iter().flatten().filter_map(|it| it.object().cloned()).collect())
    }

    /// What the helpers do that no Python does. `None` if it is nothing of this.
    pub(crate) fn custom_step(
        &mut self,
        state: &mut State,
        name: &str,
        given: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        Ok(Some(match (name, given) {
            ("custom_attach", [given, rule, fixed, args, borders, name]) => {
                let parts = rule.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec());
                let Some([rule, backwards]) = parts.as_deref() else { return Ok(None) };
                let name = name.str(vm)?.to_string_lossy().into_owned();
                let site = Site { rule, fixed, args, borders, name: &name };
                if backwards.clone().try_to_bool(vm)? {
                    self.attach_vjp(state, given, &site)?
                } else {
                    self.attach_jvp(state, given, &site)?
                }
            }
            ("custom_leaves", [given, like, what, name]) => {
                let (what, name) = (what.str(vm)?, name.str(vm)?);
                let of = if what.to_string_lossy() == "tangents" { "result" } else { "arguments" };
                let what = format!("the {} that a rule of {} gives", what.to_string_lossy(), name.to_string_lossy());
                let mut found = Vec::new();
                self.matched(state, Some(given), like, (&what, of), &mut found)?;
                vm.ctx.new_tuple(found).into()
            }
            ("custom_pair", [given, name]) => {
                pair(self.rules.fails, given, "jvp", "(result, tangent)", &name.str(vm)?.to_string_lossy(), vm)?;
                vm.ctx.none()
            }
            _ => return Ok(None),
        }))
    }

    /// The arguments, as what they are differentiated by.
    fn bordered(&mut self, state: &State, args: &PyObjectRef) -> Step<PyObjectRef> {
        self.on_leaves(args, &mut |session, object| {
            let Some((Some(value), ty)) = session.leaf(object)? else { return Ok(None) };
            let value = session.given_back(state, value, ty, HostKind::Border);
            Ok(Some(session.rep(value)))
        })
    }

    /// What the function gives, with another float or array for each: those that it gives are collected.
    fn outputs(&mut self, state: &mut State, result: &PyObjectRef, name: &str) -> Step<Outputs> {
        let (mut values, mut marks) = (Vec::new(), Vec::new());
        let marked = self.on_leaves(result, &mut |session, object| {
            let Some((_, ty)) = session.leaf(object)? else {
                let holds =
                    session.holds_rep(object)? && session.number(object)?.is_none() && tensor::of(object).is_none();
                let what = || format!("`{name}` has a derivative of its own, and gives a `{}`", object.class_name());
                return if holds { Err(refused(what())) } else { Ok(None) };
            };
            let value = session.leaf_value(state, object, ty)?;
            let mark = session.given_back(state, value, ty, HostKind::Mark);
            values.push((value, ty));
            marks.push(mark);
            Ok(Some(session.rep(mark)))
        })?;
        Ok((marked, values, marks))
    }

    /// The values of the arguments that are differentiated by, each with its position among the floats and arrays.
    fn inputs_of(&mut self, site: &Site<'_>) -> Step<Vec<(usize, Value, Type)>> {
        let (args, borders) = (self.leaves(site.args)?, self.leaves(site.borders)?);
        let is_border = |session: &Self, value: Value, of: Value| {
            let snekpy_stage::ir::Def::Result(inst, _) = session.func.values[value].def else { return false };
            session.func.insts[inst].args.first() == Some(&of)
        };
        let same = args.len() == borders.len()
            && args.iter().zip(&borders).all(|pair| match pair {
                (Some((of, _)), Some((value, _))) => is_border(self, *value, *of),
                (None, None) => true,
                _ => false,
            });
        if !same {
            return Err(refused(format!("`{}` has a derivative of its own, and changes its arguments", site.name)));
        }
        let inputs = args.into_iter().enumerate();
        Ok(inputs.filter_map(|(at, leaf)| leaf.map(|(value, ty)| (at, value, ty))).collect())
    }

    /// What `custom_vjp` makes of what the way there gives.
    fn attach_vjp(&mut self, state: &mut State, given: &PyObjectRef, site: &Site<'_>) -> Step<PyObjectRef> {
        let vm = self.vm;
        let [result, residuals] = pair(self.rules.fails, given, "fwd", "(result, residuals)", site.name, vm)?;
        let inputs = self.inputs_of(site)?;
        let (cotangents, outs, marks) = self.outputs(state, &result, site.name)?;
        let name = vm.ctx.new_str(site.name).into();
        let all = vec![site.rule.clone(), site.fixed.clone(), residuals, cotangents, site.args.clone(), name];
        let (func, types, prototype, leaves) = self.rule_function(state, "custom_back", all)?;
        let mut operands = Operands::new(&inputs, &outs);
        let args = self.rule_args(state, &leaves, &marks, &mut operands, RuleArg::Derivative);
        let shares = self.results_of(&prototype, types.len());
        let gives = inputs.iter().enumerate().filter_map(|(to, (at, ..))| Some(((*shares.get(*at)?)?, to))).collect();
        let back = Some(Rule { func, args, gives });
        let custom = CustomData { by: inputs.len(), back, forth: None, transparent: false };
        self.attach(state, site.name, custom, operands, &result)
    }

    /// What `custom_jvp` makes of what the function gives.
    fn attach_jvp(&mut self, state: &mut State, result: &PyObjectRef, site: &Site<'_>) -> Step<PyObjectRef> {
        let vm = self.vm;
        let inputs = self.inputs_of(site)?;
        let (_, outs, _) = self.outputs(state, result, site.name)?;
        let mut marks = Vec::new();
        let tangents = self.on_leaves(site.args, &mut |session, object| {
            let (value, ty) = match session.leaf(object)? {
                Some((Some(value), ty)) => (value, ty),
                Some((None, Type::Tensor(ty))) => {
                    let zero = session.zeros(state, ty);
                    return Ok(Some(session.rep(zero)));
                }
                Some((None, _)) => return Ok(Some(vm.ctx.new_float(0.0).into())),
                None if session.number(object)?.is_some() => return Ok(Some(vm.ctx.new_float(0.0).into())),
                None => return Ok(None),
            };
            let mark = session.given_back(state, value, ty, HostKind::Mark);
            marks.push(mark);
            Ok(Some(session.rep(mark)))
        })?;
        let name = vm.ctx.new_str(site.name).into();
        let all = vec![site.rule.clone(), site.fixed.clone(), site.args.clone(), tangents, name];
        let (func, types, prototype, leaves) = self.rule_function(state, "custom_forth", all)?;
        let mut operands = Operands::new(&inputs, &outs);
        let args = self.rule_args(state, &leaves, &marks, &mut operands, RuleArg::Derivative);
        let tangents = self.results_of(&prototype, types.len());
        if tangents.len() != outs.len() {
            let message = format!(
                "the rule of `{}` gives {} floats and arrays, and the function {}",
                site.name,
                tangents.len(),
                outs.len()
            );
            return Err(wrong_rule(self.rules.fails, message, vm));
        }
        let given = || tangents.iter().enumerate().filter_map(|(out, from)| Some(((*from)?, out)));
        let forth = Rule { func, args: args.clone(), gives: given().collect() };
        let back = if self.orders_at(state).backwards {
            // The derivative of a linear function is the same everywhere: it is taken where the tangents are zero.
            let mut by = Vec::new();
            let mut wrt = Vec::new();
            let args = args.iter().enumerate().map(|(at, arg)| match *arg {
                RuleArg::Derivative(input) => {
                    by.push(input);
                    wrt.push(at);
                    RuleArg::Zero(inputs[input].2)
                }
                arg => arg,
            });
            let args: Vec<RuleArg> = args.chain(given().map(|(_, out)| RuleArg::Derivative(out))).collect();
            let results: Vec<usize> = given().map(|(from, _)| from).collect();
            let func = self.derived_of(func, &wrt, &results, Computes::Back);
            let gives = by.into_iter().enumerate().map(|(at, input)| (types.len() + at, input)).collect();
            (!results.is_empty()).then_some(Rule { func, args, gives })
        } else {
            None
        };
        let back = back.or_else(|| given().next().is_none().then(|| forth.clone()));
        let custom = CustomData { by: inputs.len(), back, forth: Some(forth), transparent: false };
        self.attach(state, site.name, custom, operands, result)
    }

    /// A call of a function that is computed again on the way back.
    fn call_checkpoint(&mut self, state: &mut State, custom: &Custom, args: &FuncArgs) -> Step<PyObjectRef> {
        let vm = self.vm;
        let name = name_of(&custom.func, vm);
        let kwargs = vm.ctx.new_dict();
        for (name, value) in &args.kwargs {
            kwargs.set_item(&**name, value.clone(), vm)?;
        }
        let kwargs = self.made(kwargs.into());
        let all = vec![custom.func.clone(), vm.ctx.new_tuple(args.args.clone()).into(), kwargs];
        let (func, types, prototype, leaves) = self.rule_function(state, "apply", all)?;
        if self.changes_anything_else(func) {
            return Err(refused(format!("`{name}` has effects, and a checkpoint would do them again")));
        }
        let mut inputs = Vec::new();
        let mut given = Vec::new();
        let mut wrt = Vec::new();
        for (at, (leaf, ty)) in leaves.iter().enumerate() {
            let value = match *leaf {
                Leaf::Static(constant) => self.constant(state.block, constant),
                Leaf::Staged(value) if is_float(*ty) => {
                    inputs.push((at, value, *ty));
                    wrt.push(at);
                    self.given_back(state, value, *ty, HostKind::Border)
                }
                Leaf::Staged(value) => value,
            };
            given.push(value);
        }
        let values = self.emit(state, Op::Call(func, None), &given);
        let floats: Vec<usize> = (0..types.len()).filter(|&it| is_float(types[it])).collect();
        let outs: Vec<(Value, Type)> = floats.iter().map(|&it| (values[it], types[it])).collect();
        let mut operands = Operands::new(&inputs, &outs);
        let mut args = self.rule_args(state, &leaves, &[], &mut operands, RuleArg::Derivative);
        args.extend((0..floats.len()).map(RuleArg::Derivative));
        let back = (!floats.is_empty()).then(|| {
            let func = self.derived_of(func, &wrt, &floats, Computes::Back);
            let gives = (0..wrt.len()).map(|it| (types.len() + it, it)).collect();
            Rule { func, args, gives }
        });
        let custom = CustomData { by: inputs.len(), back, forth: None, transparent: true };
        let results = self.emit_custom(state, &name, custom, &operands);
        let mut reps: Vec<PyObjectRef> = values.iter().map(|&it| self.rep(it)).collect();
        for (&at, &result) in floats.iter().zip(&results) {
            reps[at] = self.rep(result);
        }
        Ok(self.object_like(&prototype, &reps))
    }

    /// The call of the host behind what a function gives, and that with what the call gives.
    fn attach(
        &mut self,
        state: &mut State,
        name: &str,
        custom: CustomData,
        operands: Operands,
        result: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        let mut results = self.emit_custom(state, name, custom, &operands).into_iter();
        self.on_leaves(result, &mut |session, object| {
            if session.leaf(object)?.is_none() {
                return Ok(None);
            }
            Ok(results.next().map(|value| session.rep(value)))
        })
    }

    fn emit_custom(&mut self, state: &State, name: &str, custom: CustomData, operands: &Operands) -> Vec<Value> {
        let params = operands.values.iter().map(|&it| self.func.ty(it)).collect();
        let results = operands.outs.iter().map(|&(_, ty)| ty).collect();
        let data = HostData { custom: Some(Box::new(custom)), ..HostData::new(format!("`{name}`"), params, results) };
        let host = self.module.hosts.push(data);
        self.hosts.push(HostKind::Custom);
        self.emit(state, Op::Host(host, None), &operands.values)
    }

    /// A rule as a function of the IR.
    fn rule_function(&mut self, state: &mut State, helper: &str, all: Vec<PyObjectRef>) -> Step<Outside> {
        let vm = self.vm;
        let helper = self.helper_function(helper)?;
        let parts = host::function::parts(&helper, vm)?.ok_or_else(|| bug(vm, "a helper is no function"))?;
        let frame = self.new_frame(&parts, FuncArgs::from(all))?;
        let caller = self.loc(state);
        let frame = Frame { caller, forks_before: state.forks, ..frame };
        let orders = self.orders_at(state);
        let found = self.function_of(state, &helper, &frame, orders, (CODE, "a derivative of one's own"));
        found.map_err(|stop| match stop {
            Stop::Refuse(refusal) if ["S321", "S322", "S323", "S324", "S326", "S327"].contains(&refusal.code) => {
                let what = "a rule or a checkpoint is a function without effects";
                refused(format!("{what} that returns floats, arrays and tuples of them"))
            }
            stop => stop,
        })
    }

    /// What a rule is given for its parameters.
    fn rule_args(
        &mut self,
        state: &State,
        leaves: &[(Leaf, Type)],
        marks: &[Value],
        operands: &mut Operands,
        derivative: fn(usize) -> RuleArg,
    ) -> Vec<RuleArg> {
        let mut args = Vec::with_capacity(leaves.len());
        for (leaf, _) in leaves {
            let value = match *leaf {
                Leaf::Static(constant) => self.constant(state.block, constant),
                Leaf::Staged(value) => value,
            };
            args.push(match marks.iter().position(|it| *it == value) {
                Some(at) => derivative(at),
                None => RuleArg::Operand(operands.position(value)),
            });
        }
        args
    }

    /// Which result of a function each item of the tuple that it gives is.
    fn results_of(&self, prototype: &PyObjectRef, count: usize) -> Vec<Option<usize>> {
        let vm = self.vm;
        let numbers: Vec<PyObjectRef> = (0..count).map(|it| vm.ctx.new_int(it).into()).collect();
        let items = self.object_like(prototype, &numbers);
        let items = items.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec()).unwrap_or_default();
        items.iter().map(|item| item.clone().try_into_value::<usize>(vm).ok()).collect()
    }
}

/// What a function gives, with marks in the place of its floats and arrays; those; the marks.
type Outputs = (PyObjectRef, Vec<(Value, Type)>, Vec<Value>);

/// Where a function with rules is called.
struct Site<'a> {
    rule: &'a PyObjectRef,
    fixed: &'a PyObjectRef,
    args: &'a PyObjectRef,
    borders: &'a PyObjectRef,
    name: &'a str,
}

/// What the call of the host is given.
struct Operands {
    values: Vec<Value>,
    outs: Vec<(Value, Type)>,
}

impl Operands {
    fn new(inputs: &[(usize, Value, Type)], outs: &[(Value, Type)]) -> Self {
        let values = inputs.iter().map(|it| it.1).chain(outs.iter().map(|it| it.0)).collect();
        Self { values, outs: outs.to_vec() }
    }

    fn position(&mut self, value: Value) -> usize {
        self.values.iter().position(|it| *it == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }
}

fn refused(message: String) -> Stop {
    refuse(CODE, message).into()
}

/// The two things that a rule gives.
fn pair(
    fails: bool,
    given: &PyObjectRef,
    rule: &str,
    what: &str,
    name: &str,
    vm: &VirtualMachine,
) -> Step<[PyObjectRef; 2]> {
    let items = given.downcast_ref::<PyTuple>().map(|it| it.as_slice().to_vec());
    match items.as_deref() {
        Some([first, second]) => Ok([first.clone(), second.clone()]),
        _ => Err(wrong_rule(fails, format!("the {rule} rule of {name} must give a pair {what}"), vm)),
    }
}
