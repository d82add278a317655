//! Calls of native code.
//!
//! What the capture knows of it has its place by whose it is: builtins that know Reps in `capture/builtins.rs`,
//! loops in `capture/helpers.rs`, `math`, clocks, arrays. What is known to be pure runs now if its arguments are static;
//! all else is refused by name.

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::{PySlice, PyType};
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::observe;
use crate::capture::session::Session;
use crate::capture::state::{State, Taker, Then};
use crate::capture::step::{Flow, refuse, refuse_effort};
use crate::capture::stop::Step;
use crate::capture::value::Iter;
use crate::capture::values;
use crate::host;
use crate::host::native::{NativeCallable, native_callable};
use crate::rep::StagedIterator;

/// Builtins that take all items of their first argument at once.
const DRAINS: [&str; 10] = ["all", "any", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"];

impl Session<'_> {
    /// Calls native code that says who it is.
    pub(super) fn call_native(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        native: &NativeCallable,
        args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let builtin = native.builtin(self.vm);
        let flow = match (native, builtin) {
            (NativeCallable::Function { module: "snekpy", name }, _) => {
                self.call_of_ours(state, callable, name, &args, &then)?
            }
            (_, Some(name @ ("getattr" | "hasattr" | "setattr" | "delattr"))) => {
                self.call_by_name(state, name, &args, &then)?
            }
            _ => None,
        };
        if let Some(flow) = flow {
            return Ok(flow);
        }
        if let Some((helper, args)) = self.helper(state, native, &args)? {
            return self.call_helper(state, &helper, args, then);
        }
        if builtin.is_some_and(|it| DRAINS.contains(&it))
            && let Some(generator) = generator_in(&args)
        {
            return self.drain_into(state, callable, generator, &args);
        }
        if let Some(result) = self.result_of_native(state, callable, native, &args)? {
            return Ok(self.finish_call(state, result, then));
        }
        self.call_plainly(state, callable, args, then)
    }

    /// Calls a helper in the place of native code.
    pub(crate) fn call_helper(
        &mut self,
        state: &mut State,
        helper: &PyObjectRef,
        args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let depth = state.frames.len();
        let flow = self.call(state, helper, args, then)?;
        if state.frames.len() > depth {
            state.frame_mut().native = true;
        }
        Ok(flow)
    }

    /// Calls what nothing is known of.
    pub(super) fn call_unknown(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        if let Some(result) = self.call_on_tensors(state, callable, None, &args)? {
            return Ok(self.finish_call(state, result, then));
        }
        self.knows_continuations(callable, &args)?;
        self.call_plainly(state, callable, args, then)
    }

    /// Calls a function of the module `snekpy`. `None` if it is one like any other.
    fn call_of_ours(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
        then: &Then,
    ) -> Step<Option<Flow>> {
        let result = match (name, args.args.as_slice(), args.kwargs.is_empty()) {
            ("stop_gradient", [object], true) => self.stopped(state, object)?,
            ("_tree_leaves", [tree], true) => self.tree_leaves(tree)?,
            ("_tree_of", [structure, leaves], true) => match self.tree_of(structure, leaves)? {
                Some(made) => made,
                None => return Ok(None),
            },
            ("_tree_leaves_like", [structure, tree], true) => match self.tree_leaves_like(structure, tree)? {
                Some(made) => made,
                None => return Ok(None),
            },
            // Everything is staged already.
            ("stage" | "lms" | "stage_lambda", [function], _) => function.clone(),
            ("reset", [function], true) => return self.reset(state, function, then).map(Some),
            ("shift", [function], true) => return self.shift(state, function, then).map(Some),
            _ => return self.call_gradient(state, name, callable, args, then),
        };
        Ok(Some(self.finish_call(state, result, then.clone())))
    }

    /// What native code gives that the capture knows.
    fn result_of_native(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        if let Some(result) = self.call_on_tensors(state, callable, Some(native), args)? {
            return Ok(Some(result));
        }
        self.knows_continuations(callable, args)?;
        if let Some(result) = self.call_builtin(state, callable, native, args)? {
            return Ok(Some(result));
        }
        if let Some(class) = self.initialises_exception(state, native, args) {
            self.refuse_parts(&class, args)?;
            callable.call(args.clone(), self.vm)?;
            return Ok(Some(self.vm.ctx.none()));
        }
        if let Some(result) = self.call_of_object(state, callable, args)? {
            return Ok(Some(result));
        }
        if let Some(number) = self.index_of_int(native, args)? {
            return Ok(Some(number));
        }
        self.sense(state, callable, native, args)
    }

    /// Calls native code that does not know staged values.
    fn call_plainly(&mut self, state: &mut State, callable: &PyObjectRef, args: FuncArgs, then: Then) -> Step<Flow> {
        let vm = self.vm;
        let receiver = host::belongs::native_method(callable, vm).map(|(receiver, _)| receiver);
        for object in receiver.iter().chain(&args.args).chain(args.kwargs.values()) {
            if self.holds_rep(object)? {
                return Err(refuse(
                    "S300",
                    format!("{} is a native function that does not know staged values", self.describe(callable)),
                )
                .help("compute it outside staged code, or with what staged code knows")
                .into());
            }
        }
        if host::pure::is_pure_native(callable, vm) {
            for object in receiver.iter().chain(&args.args).chain(args.kwargs.values()) {
                self.refuse_grown(object, "a native function")?;
                self.observe(object, observe::ANY)?;
                // `"{0.name}".format(object)` reads attributes.
                if receiver.as_ref().is_some_and(|it| it.class().is(vm.ctx.types.str_type)) {
                    self.without_attributes(object)?;
                }
            }
            if native_callable(callable, vm).is_some_and(|it| host::effort::is_long_call(&it, &args, vm)) {
                return Err(refuse_effort(&self.describe(callable)).into());
            }
            let result = callable.call(args, vm)?;
            let result = self.adopt(result)?;
            let result = self.as_new(state, result);
            return Ok(self.finish_call(state, result, then));
        }
        Err(refuse("S301", format!("{} may have effects, so it cannot run while staging, and calling it from compiled code is not supported yet", self.describe(callable)))
            .help("call it outside staged code and pass the result")
            .into())
    }

    /// Runs a generator to its end; then the call is made with its items.
    fn drain_into(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        generator: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Flow> {
        let frame = state.frame();
        let instr = frame.code.instrs[frame.pc as usize];
        if instr.op != Opcode::Call || instr.arg as usize != args.args.len() {
            return Err(refuse("S279", "a generator is passed on in a call with unpacked arguments").into());
        }
        let rest = args.args[1..].to_vec();
        self.drained(state, generator, Taker::Call(callable.clone(), rest))?;
        Ok(Flow::Next)
    }

    /// Whether a callable is this builtin, whatever the program has bound to its name.
    pub(crate) fn is_builtin(&self, callable: &PyObjectRef, name: &str) -> bool {
        native_callable(callable, self.vm).is_some_and(|it| it.builtin(self.vm) == Some(name))
    }

    /// Native code that may read attributes is given this.
    fn without_attributes(&self, object: &PyObjectRef) -> Step<()> {
        let mut seen = HashSet::default();
        let mut left = vec![object.clone()];
        while let Some(object) = left.pop() {
            if !seen.insert(object.get_id()) {
                continue;
            }
            // What a class is called can be changed.
            let is_named = object.downcast_ref::<PyType>().is_some_and(|it| !self.is_builtin_class(it));
            if is_named || object.dict().is_some() || host::slots::has_slots_only(object.class(), self.vm) {
                let what = object.class().name();
                return Err(refuse("S291", format!("a method of `str` may read attributes of a `{what}`")).into());
            }
            left.extend(observe::inside(&object, self.vm));
        }
        Ok(())
    }

    /// Whether a Rep is inside an object, as far as a native function could see.
    pub(crate) fn holds_rep(&self, object: &PyObjectRef) -> Step<bool> {
        if crate::rep::is_staged(object) {
            return Ok(true);
        }
        if let Some(slice) = object.downcast_ref::<PySlice>() {
            return Ok(values::has_staged_parts(slice));
        }
        if self.never_changes(object) {
            return Ok(false);
        }
        let mut seen = HashSet::default();
        let mut left = vec![object.clone()];
        while let Some(object) = left.pop() {
            if crate::rep::is_staged(&object) {
                return Ok(true);
            }
            if self.never_changes(&object) || !seen.insert(object.get_id()) {
                continue;
            }
            // Another object stands for it, which native code must not see.
            if self.given.arguments.contains_key(&object.get_id()) && !self.is_plain(&object) {
                return Ok(true);
            }
            left.extend(observe::inside(&object, self.vm));
            if self.is_fresh(&object)
                && let Some(dict) = object.dict()
            {
                left.extend(dict.values_vec());
            }
            if self.is_fresh(&object)
                && let Some(attributes) = host::slots::attributes(&object, self.vm)
            {
                left.extend(attributes.into_iter().map(|(_, value)| value));
            }
        }
        Ok(false)
    }
}

/// The generator of the compiled code that a builtin is called with.
fn generator_in(args: &FuncArgs) -> Option<&PyObjectRef> {
    let first = args.args.first().filter(|_| args.kwargs.is_empty())?;
    let iterator = first.downcast_ref::<StagedIterator>()?;
    matches!(*iterator.state.lock(), Iter::Generator { .. }).then_some(first)
}
