//! Calls.
//!
//! A Python function is inlined: its frame is pushed on the path, so that what happens in it (a fork, an
//! early return, an exception) is an ordinary transition. Builtins that know Reps are in
//! [`super::builtins`]; native functions that are known to be pure run now if their arguments are static;
//! every other native function is refused by name.

use rustc_hash::FxHashSet as HashSet;
use rustpython_vm::builtins::{PyDict, PyDictRef, PySlice, PyStr, PyType, PyTypeRef};
use rustpython_vm::bytecode::{CodeFlags, Opcode};
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::generator::is_at;
use crate::capture::helpers::is_helper;
use crate::capture::observe;
use crate::capture::record::{as_record, refuse_native};
use crate::capture::session::Session;
use crate::capture::state::{Drain, Frame, Handlers, State, Then};
use crate::capture::step::{Flow, refuse, unsupported};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, V};
use crate::code::Code;
use crate::guard::Guard;
use crate::host;
use crate::host::function::FunctionParts;
use crate::host::native::{NativeCallable, native_callable};
use crate::kind::{self, Function};

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
        let vm = self.vm;
        if let Some(function) = kind::as_kind::<Function>(callable) {
            return self.call(state, &function.like.clone(), args, then);
        }
        if let Some((func, this)) = host::function::unpack_bound_method(callable, vm) {
            args.prepend_arg(this);
            return self.call(state, &func, args, then);
        }
        if let Some((func, stays)) = crate::staged::wrapped(callable) {
            if stays {
                self.outlined.keep(&func, vm);
            }
            return self.call(state, &func, args, then);
        }
        if crate::gradient::is_stop(callable, vm)
            && let [object] = args.args.as_slice()
            && args.kwargs.is_empty()
        {
            let constant = self.stopped(state, object)?;
            return Ok(self.finish_call(state, constant, then));
        }
        if let Some(flow) = self.call_gradient(state, callable, &args, &then)? {
            return Ok(flow);
        }
        if let Some(flow) = self.call_custom(state, callable, &args, &then)? {
            return Ok(flow);
        }
        if let Some(flow) = self.call_delimited(state, callable, &args, &then)? {
            return Ok(flow);
        }
        if let Some(flow) = self.call_by_name(state, callable, &args, &then)? {
            return Ok(flow);
        }
        if let Some((helper, args)) = self.helper(state, callable, &args)? {
            let depth = state.frames.len();
            let flow = self.call(state, &helper, args, then)?;
            if state.frames.len() > depth {
                state.frame_mut().native = true;
            }
            return Ok(flow);
        }
        if let Some(parts) = host::function::parts(callable, vm)? {
            if is_helper(&parts.code) {
                // What these do, compiled code does in its own way.
                let result = match (parts.code.code.obj_name.as_str(), args.args.as_slice()) {
                    ("sort_by_keys", [items, keys, reverse]) => Some(self.sort_by_keys(state, items, keys, reverse)?),
                    ("check_iterator", [object]) => Some(self.check_iterator(object)?),
                    (name, given) => self.custom_step(state, name, given)?,
                };
                if let Some(result) = result {
                    return Ok(self.finish_call(state, result, then));
                }
            }
            return self.call_python(state, callable, &parts, args, then);
        }
        if self.drains(callable)
            && args.kwargs.is_empty()
            && let [first, rest @ ..] = args.args.as_slice()
            && let Some(iterator) = first.downcast_ref::<crate::rep::StagedIterator>()
            && matches!(*iterator.state.lock(), Iter::Generator { .. })
        {
            let frame = state.frame();
            let instr = frame.code.instrs[frame.pc as usize];
            if instr.op != Opcode::Call || instr.arg as usize != args.args.len() {
                return Err(refuse("S279", "a generator is passed on in a call with unpacked arguments").into());
            }
            let drain =
                Drain { generator: first.clone(), items: Vec::new(), callable: callable.clone(), rest: rest.to_vec() };
            let generator = first.clone();
            self.resume_generator(state, &generator, Then::Drain(Box::new(drain)))?;
            return Ok(Flow::Next);
        }
        if let Some(result) = self.call_on_tensors(state, callable, &args)? {
            return Ok(self.finish_call(state, result, then));
        }
        self.knows_continuations(callable, &args)?;
        if let Some(made) = self.new_tuple_of(callable, &args)? {
            return Ok(self.finish_call(state, made, then));
        }
        if let Some(result) = self.call_builtin(state, callable, &args)? {
            return Ok(self.finish_call(state, result, then));
        }
        if let Some((_, ty)) = value::rep(callable) {
            let sample = value::sample(ty, vm).unwrap_or_else(|| vm.ctx.none());
            return Err(match sample.call(args, vm) {
                Err(exception) => Stop::Raise(exception),
                Ok(_) => unsupported(state),
            });
        }
        if crate::module::is_stage(callable, vm)
            && let [func] = args.args.as_slice()
        {
            // Everything is staged already.
            let func = func.clone();
            return Ok(self.finish_call(state, func, then));
        }
        if as_record(callable).is_some() && !matches!(self.call_method(callable), Ok(Some(_))) {
            return Err(refuse_native("a call of", &crate::rep::class_of(callable)).into());
        }
        if let Some(method) = self.call_method(callable)? {
            args.prepend_arg(callable.clone());
            return self.call(state, &method, args, then);
        }
        if let Some(class) = callable.downcast_ref::<PyType>()
            && (!self.is_builtin_class(class) || class.fast_issubclass(vm.ctx.exceptions.base_exception_type))
        {
            return self.call_class(state, callable, args, then);
        }
        if self.initialises_exception(state, callable, &args) {
            callable.call(args, vm)?;
            let none = vm.ctx.none();
            return Ok(self.finish_call(state, none, then));
        }
        if let Some(result) = self.call_of_object(state, callable, &args)? {
            return Ok(self.finish_call(state, result, then));
        }
        if let Some(number) = self.index_of_int(callable, &args)? {
            return Ok(self.finish_call(state, number, then));
        }
        if let Some(result) = self.sense(state, callable, &args)? {
            return Ok(self.finish_call(state, result, then));
        }
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
            let result = callable.call(args, vm)?;
            let result = self.adopt(result)?;
            return Ok(self.finish_call(state, result, then));
        }
        Err(refuse("S301", format!("{} may have effects, so it cannot run while staging, and calling it from compiled code is not supported yet", self.describe(callable)))
            .help("call it outside staged code and pass the result")
            .into())
    }

    /// What a callable is called in a message.
    pub(crate) fn describe(&self, callable: &PyObjectRef) -> String {
        let name = callable.get_attr("__qualname__", self.vm).ok();
        let name = name.and_then(|name| name.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned()));
        match name {
            Some(name) => format!("`{name}`"),
            None => format!("a `{}`", callable.class().name()),
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
                // The call is made again, with the items in place of the generator.
                self.end_generator(state, &drain.generator)?;
                state.push(drain.callable);
                state.push(V::Null);
                state.push(PyObjectRef::from(self.vm.ctx.new_tuple(drain.items)));
                for arg in drain.rest {
                    state.push(arg);
                }
                return Ok(Flow::Next);
            }
            Then::Push | Then::Push1(_) | Then::Reset | Then::Drop | Then::Item => {}
        }
        if matches!(frame.then, Then::Push1(_)) && !self.vm.is_none(&result) {
            let message = format!("__init__() should return None, not '{}'", result.class().name());
            return Err(Stop::Raise(self.vm.new_type_error(message)));
        }
        Ok(self.finish_call(state, result, frame.then))
    }

    /// Whether a builtin takes all items of its first argument at once.
    fn drains(&self, callable: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        let classes = [types.tuple_type, types.list_type, types.set_type, types.frozenset_type];
        classes.iter().any(|it| callable.is(*it))
            || ["sum", "min", "max", "any", "all", "sorted"].iter().any(|name| self.is_builtin(callable, name))
    }

    /// Whether a class is one of Python's own.
    pub(crate) fn is_builtin_class(&self, class: &rustpython_vm::Py<PyType>) -> bool {
        !class.slots().flags.has_feature(rustpython_vm::types::PyTypeFlags::HEAPTYPE)
    }

    /// Makes an object of a class: an exception, or one of a class written in Python.
    fn call_class(&mut self, state: &mut State, callable: &PyObjectRef, mut args: FuncArgs, then: Then) -> Step<Flow> {
        let vm = self.vm;
        let class = callable.clone().downcast::<PyType>().expect("the caller looked");
        let init = self.looked_up(&class, "__init__");
        let refuse_class =
            |why: &str| -> Stop { refuse("S302", format!("making a `{}` in staged code: {why}", class.name())).into() };
        if !class.as_object().class().is(vm.ctx.types.type_type) {
            return Err(refuse_class("its class has a metaclass"));
        }
        if let Some(new) = self.new_in_python(&class)? {
            args.prepend_arg(callable.clone());
            return self.call(state, &new, args, then);
        }
        self.check_new(&class)?;
        if self.looked_up(&class, "__del__").is_some() {
            return Err(refuse_class("it has a `__del__`"));
        }
        let is_exception = class.fast_issubclass(vm.ctx.exceptions.base_exception_type);
        let python_init = match init {
            Some(init) if crate::staged::is_function(&init, vm) => Some(init),
            Some(init) if init.class().is(vm.ctx.types.wrapper_descriptor_type) => None,
            Some(_) => return Err(refuse_class("its `__init__` is no function")),
            None => None,
        };
        if is_exception {
            let exception = match &python_init {
                Some(_) => vm.new_exception(class.clone(), args.args.clone()),
                None => vm.invoke_exception(&class, args.args.clone())?,
            };
            let object: PyObjectRef = self.fresh_exception(exception).into();
            return match python_init {
                Some(init) => {
                    args.prepend_arg(object.clone());
                    self.call(state, &init, args, Then::Push1(object))
                }
                None => Ok(self.finish_call(state, object, then)),
            };
        }
        let object_new = vm.ctx.types.object_type.get_attr(vm.ctx.intern_str("__new__"));
        let new = self.looked_up(&class, "__new__").expect("every class has one");
        if !object_new.is_some_and(|it| it.is(&new)) {
            return Err(refuse_class("it is made by native code"));
        }
        let object = self.made(new.call((class.clone(),), vm)?);
        if let Some(dict) = object.dict() {
            self.made(dict.into());
        }
        match python_init {
            Some(init) => {
                args.prepend_arg(object.clone());
                self.call(state, &init, args, Then::Push1(object))
            }
            None if args.args.is_empty() && args.kwargs.is_empty() => Ok(self.finish_call(state, object, then)),
            None => Err(Stop::Raise(vm.new_type_error(format!("{}() takes no arguments", class.name())))),
        }
    }

    /// What a class has under a name, guarded.
    pub(crate) fn looked_up(&mut self, class: &PyTypeRef, name: &'static str) -> Option<PyObjectRef> {
        let found = class.get_attr(self.vm.ctx.intern_str(name));
        if !self.is_builtin_class(class) {
            self.guards.add_lookup(class, name, found.as_ref());
        }
        found
    }

    /// No code of the program may make the objects of a class: it would run now.
    pub(crate) fn check_new(&mut self, class: &PyTypeRef) -> Step<()> {
        let new = self.looked_up(class, "__new__");
        if new.is_some_and(|it| !it.class().is(self.vm.ctx.types.builtin_function_or_method_type)) {
            let what = class.name().to_string();
            return Err(refuse("S302", format!("making a `{what}` in staged code: it has its own `__new__`")).into());
        }
        Ok(())
    }

    /// `IMPORT_NAME`: a module that was imported before.
    pub(crate) fn import_name(&mut self, state: &mut State, index: u32) -> Step<()> {
        let vm = self.vm;
        let name = self.name(state, index);
        let from = state.pop_obj();
        let level = state.pop_obj();
        let level = match value::constant(&level, vm) {
            Some(snekpy_stage::op::Const::I64(level)) => usize::try_from(level).ok(),
            _ => None,
        };
        let absolute = match level {
            Some(0) => Some(name.to_owned()),
            Some(level) => self.relative_to_package(state, name, level)?,
            None => None,
        };
        let is_absolute = absolute.is_some();
        let name = absolute.unwrap_or_else(|| name.to_owned());
        let name = name.as_str();
        let whole = if vm.is_none(&from) { name.split('.').next().unwrap_or(name) } else { name };
        let key = |name: &str| -> PyObjectRef { vm.ctx.intern_str(name).to_owned().into() };
        let import = self.builtin_of(state, "__import__")?;
        let is_own = import.is_some_and(|it| {
            matches!(native_callable(&it, vm), Some(NativeCallable::Function { module: "builtins", name }) if name == "__import__")
        });
        let modules = match vm.sys_module.as_object().dict() {
            Some(sys) => self.read_item(&sys, &key("modules"))?,
            None => None,
        };
        let modules = modules.and_then(|it| it.downcast_exact::<PyDict>(vm).ok());
        if let Some(modules) = modules.filter(|_| is_own && is_absolute) {
            let modules = modules.into_pyref();
            if let Some(imported) = self.read_module(&modules, name)?
                && let Some(module) = if whole == name { Some(imported) } else { self.read_module(&modules, whole)? }
            {
                state.push(module);
                return Ok(());
            }
        }
        Err(refuse("S303", format!("staged code imports `{name}`, which is not imported yet"))
            .help("import it at the top of the file")
            .into())
    }

    /// The name of a module that is given relative to the package of the running code.
    fn relative_to_package(&mut self, state: &State, name: &str, level: usize) -> Step<Option<String>> {
        let globals = state.frame().globals.clone();
        let key = self.vm.ctx.intern_str("__package__").to_owned().into();
        let Some(package) = self.read_item(&globals, &key)? else { return Ok(None) };
        let Some(package) = package.downcast_ref::<PyStr>() else { return Ok(None) };
        let package = package.to_string_lossy().into_owned();
        let parts: Vec<&str> = package.split('.').collect();
        let Some(kept) = parts.len().checked_sub(level - 1).filter(|it| *it > 0 && !package.is_empty()) else {
            return Ok(None);
        };
        let base = parts[..kept].join(".");
        Ok(Some(if name.is_empty() { base } else { format!("{base}.{name}") }))
    }

    /// A module that has been imported, guarded.
    fn read_module(&mut self, modules: &PyDictRef, name: &str) -> Step<Option<PyObjectRef>> {
        let key: PyObjectRef = self.vm.ctx.intern_str(name).to_owned().into();
        // What is in there is no part of what was read.
        let module = modules.get_item_opt(&*key, self.vm)?.filter(|it| !self.vm.is_none(it));
        self.guards.add(Guard::Item { dict: modules.clone(), key, expected: module.clone() });
        Ok(module)
    }

    /// `IMPORT_FROM`.
    pub(crate) fn import_from(&mut self, state: &mut State, index: u32) -> Step<()> {
        let name = self.name(state, index);
        let module = crate::capture::step::object_at(state, 1);
        match self.attribute(&module, name) {
            Ok(object) => {
                state.push(object);
                Ok(())
            }
            // It may be a module of its own; otherwise it is another error.
            Err(stop) if stop.is_attribute_error(self.vm) => {
                Err(refuse("S303", format!("staged code imports `{name}`, which is not there")).into())
            }
            Err(stop) => Err(stop),
        }
    }

    /// An entry of the stack as an object.
    pub(crate) fn as_object(&mut self, entry: V) -> Step<PyObjectRef> {
        match entry {
            V::Obj(object) => Ok(object),
            V::Iter(iter) => Ok(self.share(iter)),
            V::Null => unreachable!("the compiler puts an object here"),
        }
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
            let parts = slice.start.iter().chain([&slice.stop]).chain(slice.step.iter());
            return Ok(parts.into_iter().any(|it| crate::rep::is_staged(it)));
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
            if self.arguments.contains_key(&object.get_id()) && !self.is_plain(&object) {
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

/// The helper that stands for `next` knows in a variable what the generator that ends has returned.
fn note_result(frame: &mut Frame, result: PyObjectRef) {
    let code = &frame.code.object;
    if is_helper(code)
        && let Some(local) = code.code.varnames.iter().position(|name| name.as_str() == "returned")
    {
        frame.locals[local] = Some(V::Obj(result));
    }
}
