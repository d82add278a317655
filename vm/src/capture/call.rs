//! Calls.
//!
//! What is called is asked once ([`Callee`]), and each kind of callable has one way. A Python function is inlined: its
//! frame is pushed on the path, so that what happens in it (a fork, an early return, an exception) is an ordinary
//! transition. Classes: [`class`]. Native code: [`native`].

mod class;
mod native;

use rustpython_vm::builtins::{PyDict, PyStr, PyType, PyTypeRef};
use rustpython_vm::bytecode::{CodeFlags, Opcode};
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{AsObject, PyObjectRef, PyRef, VirtualMachine};
use snekpy_stage::types::Type;

use crate::callable::{Custom, Derivative};
use crate::capture::dead::Dead;
use crate::capture::generator::is_at;
use crate::capture::record::refuse_native;
use crate::capture::session::Session;
use crate::capture::state::{Frame, Handlers, State, Then};
use crate::capture::step::{Flow, refuse, unsupported};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, V};
use crate::code::{Code, is_helper};
use crate::guard::Guard;
use crate::host;
use crate::host::function::FunctionParts;
use crate::host::native::{NativeCallable, is_native_type, native_callable};
use crate::kind::{self, Continuation, Function};
use crate::rep::Named;

/// What is called.
enum Callee<'a> {
    /// A function that was passed, which is known by what it does.
    Passed(&'a Function),
    /// A function bound to its first argument.
    Bound(PyObjectRef, PyObjectRef),
    /// A staged function.
    Staged {
        /// What it wraps.
        function: PyObjectRef,
        /// Whether it stays a function of the compiled code.
        stays: bool,
    },
    /// What `grad` or its like has given.
    Derivative(PyRef<Derivative>),
    /// A function with a derivative of its own.
    Custom(PyRef<Custom>),
    /// What `shift` has taken.
    Continuation(&'a Continuation),
    /// A function written in Python.
    Python(FunctionParts),
    /// A class written in Python, or of exceptions.
    Class(PyTypeRef),
    /// Native code that says who it is.
    Native(NativeCallable),
    /// A number or the like of compiled code.
    Rep(Type),
    /// Any other object.
    Object,
}

impl<'a> Callee<'a> {
    fn of(callable: &'a PyObjectRef, vm: &VirtualMachine) -> Step<Self> {
        if let Some(parts) = host::function::parts(callable, vm)? {
            return Ok(Self::Python(parts));
        }
        if let Some((function, this)) = host::function::unpack_bound_method(callable, vm) {
            return Ok(Self::Bound(function, this));
        }
        if let Some((function, stays)) = crate::callable::wrapped(callable) {
            return Ok(Self::Staged { function, stays });
        }
        if let Some(class) = callable.downcast_ref::<PyType>()
            && (!is_native_type(class) || class.fast_issubclass(vm.ctx.exceptions.base_exception_type))
        {
            return Ok(Self::Class(class.to_owned()));
        }
        if let Some(native) = native_callable(callable, vm) {
            return Ok(Self::Native(native));
        }
        if let Some((_, ty)) = value::rep(callable) {
            return Ok(Self::Rep(ty));
        }
        if let Some(function) = kind::as_kind::<Function>(callable) {
            return Ok(Self::Passed(function));
        }
        if let Some(rest) = kind::as_kind::<Continuation>(callable) {
            return Ok(Self::Continuation(rest));
        }
        if let Ok(derivative) = callable.clone().downcast::<Derivative>() {
            return Ok(Self::Derivative(derivative));
        }
        Ok(callable.clone().downcast::<Custom>().map_or(Self::Object, Self::Custom))
    }
}

impl Session<'_> {
    /// `CALL` and `CALL_KW`.
    pub(crate) fn call_op(&mut self, state: &mut State, argc: usize, keywords: bool) -> Step<Flow> {
        let names = if keywords { self.keyword_names(&state.pop_obj()) } else { Vec::new() };
        let mut args = Vec::with_capacity(argc + 1);
        for _ in 0..argc {
            let entry = state.pop();
            args.push(self.as_object(entry)?);
        }
        match state.pop() {
            V::Null => {}
            entry @ (V::Obj(_) | V::Iter(_)) => args.push(self.as_object(entry)?),
        }
        args.reverse();
        let callable = state.pop_obj();
        let named = args.split_off(args.len() - names.len());
        let kwargs = KwArgs::from_iter(names.into_iter().zip(named));
        self.call(state, &callable, FuncArgs::new(args, kwargs), Then::Push)
    }

    /// `CALL_FUNCTION_EX`.
    pub(crate) fn call_ex(&mut self, state: &mut State) -> Step<Flow> {
        let kwargs = state.pop();
        let args = state.pop_obj();
        let this = state.pop();
        let callable = state.pop_obj();
        let mut positional = Vec::new();
        if let V::Obj(this) = this {
            positional.push(this);
        }
        if positional.is_empty()
            && matches!(kwargs, V::Null)
            && let Some((helper, args)) = self.zip_of_rows(&callable, &args)?
        {
            return self.call(state, &helper, args, Then::Push);
        }
        let items = self.items_of(state, &args);
        positional.extend(self.starred(items)?);
        let mut named = Vec::new();
        if let V::Obj(kwargs) = kwargs {
            self.refuse_grown(&kwargs, "`**`")?;
            let Some(dict) = kwargs.downcast_ref::<PyDict>() else { return Err(unsupported(state)) };
            for (name, value) in dict.items_vec() {
                let Some(text) = name.downcast_ref::<PyStr>() else {
                    return Err(Stop::Raise(self.vm.new_type_error("keywords must be strings")));
                };
                named.push((text.to_string_lossy().into_owned(), value));
            }
        }
        self.call(state, &callable, FuncArgs::new(positional, KwArgs::from_iter(named)), Then::Push)
    }

    /// `DICT_MERGE` and `DICT_UPDATE`.
    pub(crate) fn dict_merge(&mut self, state: &mut State, depth: usize, arguments: bool) -> Step<()> {
        let source = state.pop_obj();
        let target = crate::capture::step::object_at(state, depth);
        let Some(dict) = source.downcast_ref_if_exact::<PyDict>(self.vm) else { return Err(unsupported(state)) };
        self.guard_contents(&source)?;
        self.refuse_grown(&source, "`**`")?;
        self.refuse_grown(&target, "`**` after the items")?;
        let into = target.downcast_ref::<PyDict>().expect("the compiler puts a dict here");
        if arguments {
            for (key, _) in dict.items_vec() {
                if into.get_item_opt(&*key, self.vm)?.is_some() {
                    return Err(refuse("S304", "a keyword argument is given twice").into());
                }
            }
        }
        self.touch(state, &target)?;
        let target = into;
        for (key, value) in dict.items_vec() {
            target.set_item(&*key, value, self.vm)?;
        }
        Ok(())
    }

    /// Calls an object. A native one has finished when this returns; of a Python function the frame is pushed.
    pub(crate) fn call(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        mut args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        match Callee::of(callable, self.vm)? {
            Callee::Passed(function) => self.call(state, &function.like, args, then),
            Callee::Bound(function, this) => {
                args.prepend_arg(this);
                self.call(state, &function, args, then)
            }
            Callee::Staged { function, stays } => {
                if stays {
                    self.calls.outlined.keep(&function, self.vm);
                }
                self.call(state, &function, args, then)
            }
            Callee::Derivative(derivative) => self.call_derivative(state, &derivative, args, then),
            Callee::Custom(custom) => self.call_custom(state, callable, &custom, args, then),
            Callee::Continuation(rest) => match args.args.as_slice() {
                [value] if args.kwargs.is_empty() => self.go_on(state, rest, value, &then),
                _ => self.call_unknown(state, callable, args, then),
            },
            Callee::Python(parts) => {
                if is_helper(&parts.code)
                    && let Some(result) = self.step_of_helper(state, parts.code.code.obj_name.as_str(), &args.args)?
                {
                    return Ok(self.finish_call(state, result, then));
                }
                self.call_python(state, callable, &parts, args, then)
            }
            Callee::Class(class) => match self.call_method(callable)? {
                Some(method) => {
                    args.prepend_arg(callable.clone());
                    self.call(state, &method, args, then)
                }
                None => {
                    self.knows_continuations(callable, &args)?;
                    self.call_class(state, &class, args, then)
                }
            },
            Callee::Native(native) => {
                if let Some(flow) = self.call_by_known_rule(state, callable, &native, &args, &then)? {
                    return Ok(flow);
                }
                match self.new_tuple_of(callable, &args)? {
                    Some(made) => Ok(self.finish_call(state, made, then)),
                    None => self.call_native(state, callable, &native, args, then),
                }
            }
            Callee::Rep(ty) => {
                let sample = value::sample(ty, self.vm).unwrap_or_else(|| self.vm.ctx.none());
                Err(match sample.call(args, self.vm) {
                    Err(exception) => Stop::Raise(exception),
                    Ok(_) => unsupported(state),
                })
            }
            Callee::Object => match self.call_method(callable) {
                Ok(Some(method)) => {
                    args.prepend_arg(callable.clone());
                    self.call(state, &method, args, then)
                }
                _ if kind::is_instance(callable) => {
                    Err(refuse_native("a call of", &crate::rep::class_of(callable)).into())
                }
                Ok(None) => self.call_unknown(state, callable, args, then),
                Err(stop) => Err(stop),
            },
        }
    }

    /// What a callable is called in a message.
    pub(crate) fn describe(&self, callable: &PyObjectRef) -> String {
        let name = callable.get_attr("__qualname__", self.vm).ok();
        let name = name.and_then(|name| name.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned()));
        match name {
            Some(name) => format!("`{name}`"),
            None => format!("a `{}`", callable.class_name()),
        }
    }

    /// The result of a call that has finished: the caller goes on.
    pub(crate) fn finish_call(&mut self, state: &mut State, result: PyObjectRef, then: Then) -> Flow {
        match then {
            Then::Push1(object) => state.push(object),
            Then::Push | Then::Reset | Then::Item | Then::Next(_) | Then::Drain(_) => state.push(result),
            Then::Drop => {}
        }
        state.frame_mut().pc += 1;
        Flow::Next
    }

    fn call_python(
        &mut self,
        state: &mut State,
        func: &PyObjectRef,
        parts: &FunctionParts,
        args: FuncArgs,
        then: Then,
    ) -> Step<Flow> {
        let vm = self.vm;
        self.guard_function(func, parts);
        let frame = self.new_frame(parts, args)?;
        let depth = state.frames.len();
        if depth + 1 >= vm.recursion_limit.get() {
            let class = vm.ctx.exceptions.recursion_error.to_owned();
            // RustPython says where, which is nowhere.
            let text = "maximum recursion depth exceeded ";
            return Err(Stop::Raise(vm.new_exception_msg(class, text.into())));
        }
        let caller = self.loc(state);
        let then_of_call = then.clone();
        let frame = Frame { caller, then, handled_before: state.handled.clone(), forks_before: state.forks, ..frame };
        if parts.code.code.flags.contains(CodeFlags::GENERATOR) {
            let generator = self.share(Iter::Generator { frame: Box::new(frame), begun: false });
            let flow = self.finish_call(state, generator, then_of_call);
            return Ok(flow);
        }
        if let Some(flow) = self.call_outlined(state, func, &frame)? {
            return Ok(flow);
        }
        state.frames.push(frame);
        Ok(Flow::Next)
    }

    /// The frame of a call, with its arguments bound as Python binds them.
    pub(crate) fn new_frame(&mut self, parts: &FunctionParts, args: FuncArgs) -> Step<Frame> {
        let vm = self.vm;
        if parts.code.code.flags.intersects(CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR) {
            return Err(
                refuse("S200", format!("`{}` is a coroutine, which cannot be staged yet", parts.qualname)).into()
            );
        }
        let code = Code::of(&parts.code).map_err(|fault| -> Stop {
            refuse("S201", format!("the code of `{}` cannot be read: {fault}", parts.qualname)).into()
        })?;
        let locals = host::function::bind(parts, args, vm)?;
        let flags = parts.code.code.flags;
        if flags.contains(CodeFlags::VARKEYWORDS) {
            for local in locals.iter().flatten() {
                if local.class().is(vm.ctx.types.dict_type)
                    && !self.is_fresh(local)
                    && local.as_object().strong_count() <= 2
                {
                    self.made(local.clone());
                }
            }
        }
        // A default that can change is read like anything else of the world.
        for local in locals.iter().flatten() {
            self.guard_contents(local)?;
        }
        if let Some(defaults) = &parts.kwdefaults {
            self.guard_contents(&defaults.clone().into())?;
        }
        let bound = vm.ctx.new_tuple(locals.iter().flatten().cloned().collect());
        Ok(Frame {
            code,
            pc: 0,
            locals: locals.into_iter().map(|local| local.map(V::Obj)).collect(),
            dead: Dead::default(),
            stack: Vec::new(),
            globals: parts.globals.clone(),
            builtins: parts.builtins.clone(),
            closure: parts.closure.clone(),
            caller: None,
            then: Then::Push,
            handled_before: None,
            forks_before: 0,
            bound,
            handlers: Handlers::default(),
            native: false,
            lasti: None,
        })
    }

    /// Guards a function and its parts.
    pub(crate) fn guard_function(&mut self, func: &PyObjectRef, parts: &FunctionParts) {
        if self.is_fresh(func) {
            return;
        }
        self.guards.add(Guard::Function {
            func: func.clone(),
            code: parts.code.clone().into(),
            defaults: parts.defaults.clone().map(Into::into),
            kwdefaults: parts.kwdefaults.clone().map(Into::into),
        });
    }

    /// `RETURN_VALUE`.
    pub(crate) fn return_value(&mut self, state: &mut State) -> Step<Flow> {
        let result = state.pop_obj();
        self.stage_result(state, &result)?;
        let frame = state.frames.pop().expect("a running path has a frame");
        state.handled = frame.handled_before;
        if state.frames.is_empty() {
            state.result = Some(result);
            return Ok(Flow::Finished);
        }
        match frame.then {
            Then::Next(generator) => {
                self.end_generator(state, &generator)?;
                if is_at(state, Opcode::Send) {
                    state.replace_top(result);
                } else {
                    note_result(state.frame_mut(), result);
                }
                let frame = state.frame_mut();
                frame.pc = frame.code.instrs[frame.pc as usize].target.expect("a loop has an end");
                return Ok(Flow::Next);
            }
            Then::Drain(drain) => {
                self.end_generator(state, &drain.generator)?;
                self.hand_over(state, *drain);
                return Ok(Flow::Next);
            }
            Then::Push | Then::Push1(_) | Then::Reset | Then::Drop | Then::Item => {}
        }
        if matches!(frame.then, Then::Push1(_)) && !self.vm.is_none(&result) {
            let message = format!("__init__() should return None, not '{}'", result.class_name());
            return Err(Stop::Raise(self.vm.new_type_error(message)));
        }
        Ok(self.finish_call(state, result, frame.then))
    }

    /// An entry of the stack as an object.
    pub(crate) fn as_object(&mut self, entry: V) -> Step<PyObjectRef> {
        match entry {
            V::Obj(object) => Ok(object),
            V::Iter(iter) => Ok(self.share(iter)),
            V::Null => unreachable!("the compiler puts an object here"),
        }
    }
}

/// The helper that stands for `next` knows in a variable what the generator that ends has returned.
fn note_result(frame: &mut Frame, result: PyObjectRef) {
    let code = &frame.code.object;
    if is_helper(code)
        && let Some(local) = code.code.varnames.iter().position(|name| name.as_str() == "returned")
    {
        frame.locals[local] = Some(V::Obj(result));
    }
}
