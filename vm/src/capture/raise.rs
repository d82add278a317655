//! Exceptions: raised while capturing, on one path.
//!
//! An exception is a static object whose arguments may be Reps. It unwinds the frames of its path at staging
//! time: a handler is an ordinary continuation. Only when no frame has one does it become an exit of the
//! compiled code, which makes the exception anew on every call.

use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef, PyInt, PyList, PyTuple, PyType, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, TryFromObject, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::Op;

use crate::capture::explore::Abort;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State, Then};
use crate::capture::step::{self, Flow, refuse, unsupported};
use crate::capture::stop::{Step, Stop};
use crate::capture::template::Leaves;
use crate::capture::value::{self, V};
use crate::capture::{checkpoint, kinds, origin};
use crate::code::is_helper;
use crate::exit::{ExitKind, Operation};
use crate::host::native::NativeCallable;
use crate::refusal::{Place, Refusal};
use crate::rep::Named;
use crate::scalar;
use crate::site::Site;

/// What happens when a check of an operand fails.
pub(crate) enum Failure {
    /// This is raised.
    Raise(PyBaseExceptionRef),
    /// Calling this object with these operands raises, or gives what cannot be staged.
    Again(PyObjectRef, Vec<PyObjectRef>),
}

impl Session<'_> {
    /// Goes on only if a staged condition holds; otherwise the operation fails.
    pub(crate) fn check(&mut self, state: &mut State, holds: Value, failure: Failure) -> Step<()> {
        if let Some(snekpy_stage::op::Const::Bool(true)) = self.func.as_const(holds) {
            return Ok(());
        }
        if self.is_guarded(state)
            && let Failure::Raise(exception) = failure
        {
            return match self.ask(state, holds)? {
                true => Ok(()),
                false => Err(Stop::Raise(self.fresh_exception(exception))),
            };
        }
        if self.rules.detached
            && self.is_guarded(state)
            && let Failure::Again(callable, operands) = &failure
        {
            if self.ask(state, holds)? {
                return Ok(());
            }
            if let Some(exception) = self.known_error(state, callable, operands)? {
                return Err(Stop::Raise(self.fresh_exception(exception)));
            }
            return Err(refuse(
                "S420",
                "this operation may raise an error whose text depends on its operands, inside `try`",
            )
            .help("check the operands before")
            .into());
        }
        self.exit_unless(state, holds, failure)
    }

    /// Goes on only if a condition holds; otherwise the call ends here, whatever would handle that.
    pub(crate) fn exit_unless(&mut self, state: &State, holds: Value, failure: Failure) -> Step<()> {
        if !self.rules.detached {
            let exit = match &failure {
                Failure::Raise(exception) => self.exit_at_checkpoint(&exception.class().name()),
                Failure::Again(..) => self.exit_at_checkpoint("raises"),
            };
            self.emit(state, Op::Guard(exit), &[holds]);
            return Ok(());
        }
        let mut leaves = Leaves::default();
        let (name, kind) = match failure {
            Failure::Raise(exception) => {
                let exception = self.fresh_exception(exception);
                self.chain(state, &exception);
                let name = exception.class().name().to_string();
                let exception = self.template(&exception.into(), &mut leaves)?;
                (name, ExitKind::Raise { exception, effects: self.effects(state, &mut leaves)? })
            }
            Failure::Again(callable, operands) => {
                let operands = self.templates(&operands, &mut leaves)?;
                let effects = self.effects(state, &mut leaves)?;
                ("again".to_owned(), ExitKind::Again { operation: Operation::Call(callable), operands, effects })
            }
        };
        let exit = self.exit(name, leaves.types.clone(), kind);
        let mut args = vec![holds];
        args.extend(leaves.values);
        self.emit(state, Op::Guard(exit), &args);
        Ok(())
    }

    /// Whether an exception raised here has to be followed: a frame of the path may handle it, or it has a context that
    /// only an exit which raises can tell.
    pub(crate) fn is_guarded(&self, state: &State) -> bool {
        let has_context = self.rules.detached && state.handled.is_some();
        has_context || state.frames.iter().any(|frame| frame.code.catches(frame.pc))
    }

    /// Whether this is the native `__init__` of the exception whose own `__init__` runs, before any fork in it: then
    /// no other path knows the exception, and what it carries may be replaced.
    pub(crate) fn initialises_exception(
        &mut self,
        state: &State,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Option<PyTypeRef> {
        let NativeCallable::Method { owner, name, receiver } = native else { return None };
        let exception = receiver.as_ref().or(args.args.first())?;
        let frame = state.frame();
        let is_it = owner.fast_issubclass(self.vm.ctx.exceptions.base_exception_type)
            && name == "__init__"
            && self.is_fresh(exception)
            && frame.forks_before == state.forks
            && matches!(&frame.then, Then::Push1(object) if object.is(exception));
        is_it.then(|| owner.clone())
    }

    /// Marks an exception as made by the program.
    pub(crate) fn fresh_exception(&mut self, exception: PyBaseExceptionRef) -> PyBaseExceptionRef {
        self.made(exception.clone().into());
        if self.is_of_python_class(&exception.clone().into()) {
            // Asking makes the dict, if there is none yet.
            let _ = exception.as_object().get_attr("__dict__", self.vm);
        }
        if let Some(dict) = exception.as_object().dict() {
            self.made(dict.into());
        }
        exception
    }

    /// Sets `__context__` to the exception that is being handled, as raising does.
    fn chain(&self, state: &State, exception: &PyBaseExceptionRef) {
        let Some(handled) = &state.handled else { return };
        if handled.is(exception) || exception.__context__().is_some() {
            return;
        }
        if let Ok(handled) = handled.clone().downcast::<PyBaseException>() {
            exception.set_context(Some(handled));
        }
    }

    /// The same, of an exception that other paths may have.
    fn chain_on_path(&mut self, state: &mut State, exception: &PyBaseExceptionRef) -> Step<()> {
        if state.handled.is_some() && exception.__context__().is_none() {
            self.touch(state, &exception.clone().into())?;
            self.chain(state, exception);
        }
        Ok(())
    }

    /// Finds the handler of an exception that was raised here, or ends the path with an exit. Whether there
    /// is a handler.
    pub(crate) fn unwind(&mut self, state: &mut State, exception: PyBaseExceptionRef) -> Result<bool, Abort> {
        let exception = if self.is_fresh(exception.as_object()) { exception } else { self.fresh_exception(exception) };
        let reraised = std::mem::take(&mut self.running.reraised);
        if !reraised {
            self.chain_on_path(state, &exception).map_err(|stop| self.abort(stop, state))?;
        }
        let id = exception.as_object().get_id();
        let mut trail = Vec::new();
        let frames = state.frames.clone();
        let mut passes = !reraised;
        while let Some(frame) = state.frames.last_mut() {
            if passes {
                trail.push(site(frame, frame.pc));
            }
            passes = true;
            let Some(handler) = frame.code.handler(frame.pc) else {
                let popped = state.frames.pop().expect("it was there");
                state.handled = popped.handled_before;
                if let Some(generator) = popped.then.generator() {
                    self.end_generator(state, generator).map_err(|stop| self.abort(stop, state))?;
                }
                if matches!(popped.then, Then::Item)
                    && exception.class().fast_issubclass(self.vm.ctx.exceptions.stop_iteration)
                {
                    let frame = state.frame_mut();
                    frame.pc = frame.code.instrs[frame.pc as usize].target.expect("a loop has an end");
                    return Ok(true);
                }
                continue;
            };
            frame.stack.truncate(handler.depth as usize);
            frame.handlers.cut(frame.stack.len());
            if let Some(again) = frame.code.raises_again(handler) {
                // Paths need not meet there: it is no place at which the exception is looked at.
                let before = frame.stack.last().and_then(V::object).filter(|it| !self.vm.is_none(it)).cloned();
                frame.lasti = Some(frame.lasti.take().unwrap_or(frame.pc));
                (frame.pc, state.handled, passes) = (again, before, false);
                continue;
            }
            for position in frame.code.dropped_by(handler) {
                // How long it is, would tell paths apart.
                if frame.stack.get(position).is_some_and(|it| is_list_of_numbers(it, self.vm)) {
                    frame.stack[position] = V::Obj(self.vm.ctx.none());
                }
            }
            if handler.push_lasti {
                frame.handlers.lasti.push(frame.stack.len());
                let lasti: PyObjectRef = self.vm.ctx.new_int(frame.lasti.take().unwrap_or(frame.pc)).into();
                frame.stack.push(V::Obj(lasti));
            }
            frame.stack.push(V::Obj(exception.into()));
            frame.pc = handler.target;
            self.add_to_trail(id, trail);
            return Ok(true);
        }
        self.add_to_trail(id, trail);
        state.frames = frames;
        self.leave_by(state, &exception).map_err(|stop| self.abort(stop, state))?;
        Ok(false)
    }

    /// Ends the path with an exit that raises.
    fn leave_by(&mut self, state: &State, exception: &PyBaseExceptionRef) -> Step<()> {
        if !self.rules.detached {
            if !state.reach.is_reached() {
                return Err(checkpoint::stuck());
            }
            let exit = self.exit_at_checkpoint(&exception.class().name());
            let loc = self.loc(state);
            self.builder(state.block).at(loc).exit(exit, Vec::new());
            return Ok(());
        }
        let mut leaves = Leaves::default();
        let name = exception.class().name().to_string();
        let template = self.template(&exception.clone().into(), &mut leaves)?;
        let effects = self.effects(state, &mut leaves)?;
        let exit = self.exit(name, leaves.types.clone(), ExitKind::Raise { exception: template, effects });
        self.builder(state.block).exit(exit, leaves.values);
        Ok(())
    }

    /// What ended an instruction, as the end of the capture.
    pub(crate) fn abort(&mut self, stop: Stop, state: &State) -> Abort {
        match stop {
            Stop::Plain(refusal) => Abort::Plain(refusal),
            Stop::Learn(assumption) => Abort::Learn(assumption),
            Stop::Interrupt(exception) => Abort::Raise(exception),
            Stop::Refuse(mut refusal) => {
                if let Some(again) = self.begin_without_made() {
                    return again;
                }
                if refusal.places.is_empty() {
                    refusal.places = self.places(state);
                }
                self.refuse_at(state, refusal)
            }
            Stop::Raise(exception) => {
                let mut refusal =
                    Refusal::new("S999", format!("this is a bug in snekpy: {}", exception.class().name()));
                refusal.places = self.places(state);
                Abort::Refuse(Box::new(refusal))
            }
            Stop::Rows(_) if let Some(again) = self.begin_without_made() => again,
            Stop::Fork(_) | Stop::Park | Stop::Rows(_) => {
                Abort::Refuse(Box::new(Refusal::new("S999", "this is a bug in snekpy: a fork outside an instruction")))
            }
        }
    }

    /// Where a path is, innermost first.
    pub(crate) fn places(&self, state: &State) -> Vec<Place> {
        let places = state.frames.iter().rev().map(place_of);
        places.filter(|place| place.file != crate::code::HELPERS_FILE).collect()
    }

    /// A refusal because too many kinds of values meet at a place.
    pub(crate) fn too_many(&self, states: &[State]) -> Box<Refusal> {
        let mut kinds: Vec<(usize, Vec<String>)> = Vec::new();
        let Some(frame) = states[0].frames.last() else {
            let mut refusal = Refusal::new("S110", "the function returns too many kinds of values")
                .help("return values of one type on every path");
            refusal.places.clone_from(&self.calls.start);
            return Box::new(refusal);
        };
        // The variables of a helper are nobody's.
        let count = if is_helper(&frame.code.object) { 0 } else { frame.locals.len() };
        for index in (0..count).filter(|&index| frame.code.live_in(frame.pc, index)) {
            let mut names: Vec<String> = Vec::new();
            for state in states {
                let kind = self.kind(state, state.frame().locals.get(index).and_then(Option::as_ref));
                if !names.contains(&kind) {
                    names.push(kind);
                }
            }
            if names.len() > 1 {
                kinds.push((index, names));
            }
        }
        kinds.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        let what = match kinds.first() {
            Some((local, names)) => {
                let name = frame.code.local_name(*local);
                let shown = names.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
                format!("too many kinds of values meet here: `{name}` is {shown}, ...")
            }
            None => "too many kinds of values meet here".to_owned(),
        };
        let what_to_do = kinds::advice(kinds.first().map_or(&[], |(_, names)| names.as_slice()));
        let mut refusal = Refusal::new("S110", what).help(what_to_do);
        refusal.places = self.places(&states[0]);
        if let Some((local, _)) = kinds.first() {
            origin::note_assignments(frame, *local, &mut refusal);
        }
        Box::new(refusal)
    }

    fn kind(&self, state: &State, entry: Option<&V>) -> String {
        match entry {
            None => "unbound".to_owned(),
            Some(V::Null) => "nothing".to_owned(),
            Some(V::Iter(_)) => "an iterator".to_owned(),
            Some(V::Obj(object)) => match value::number(object, self.vm) {
                Some(num) => scalar::type_name(num.ty()).to_owned(),
                None if self.vm.is_none(object) => "None".to_owned(),
                None => match object.downcast_ref::<PyTuple>() {
                    Some(tuple) => format!("a tuple of {}", tuple.as_slice().len()),
                    None => match self.list_items(state, object) {
                        Some(items) => kinds::list(&items, self.vm),
                        None => match object.downcast_ref::<rustpython_vm::builtins::PyStr>() {
                            Some(text) => format!("the str {:?}", text.to_string_lossy()),
                            None => format!("a {}", object.class_name()),
                        },
                    },
                },
            },
        }
    }

    /// The items of a list on a path.
    fn list_items(&self, state: &State, object: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        let list = object.downcast_ref::<rustpython_vm::builtins::PyList>()?;
        let entry = self.base.number(object).and_then(|number| state.heap.get(&number));
        match entry.map(|entry| &*entry.contents) {
            Some(crate::capture::heap::Contents::List(items)) => Some(items.clone()),
            Some(_) | None => Some(list.borrow_vec().to_vec()),
        }
    }

    /// How many items a list has on a path.
    pub(crate) fn list_length(&self, state: &State, object: &PyObjectRef) -> Option<usize> {
        self.list_items(state, object).map(|items| items.len())
    }

    /// `CHECK_EXC_MATCH`.
    pub(crate) fn check_exc_match(&mut self, state: &mut State) -> Step<()> {
        let vm = self.vm;
        let wanted = state.pop_obj();
        let exception = step::object_at(state, 1);
        let message = "catching classes that do not inherit from BaseException is not allowed";
        let base = vm.ctx.exceptions.base_exception_type;
        let classes = match wanted.downcast_ref::<PyTuple>() {
            Some(tuple) => tuple.as_slice().to_vec(),
            None => vec![wanted],
        };
        let mut matches = false;
        for class in &classes {
            match class.downcast_ref::<PyType>() {
                Some(it) if it.fast_issubclass(base) => {
                    if self.has_user_method(class, &["__instancecheck__"]) {
                        return Err(
                            refuse("S251", format!("`except {}` calls a method of its class", it.name())).into()
                        );
                    }
                    self.guards.add_bases(&exception.class().to_owned());
                    matches |= exception.class().fast_issubclass(it);
                }
                Some(_) | None => return Err(Stop::Raise(vm.new_type_error(message))),
            }
        }
        state.push(PyObjectRef::from(vm.ctx.new_bool(matches)));
        Ok(())
    }

    /// `RAISE_VARARGS`: what it raises.
    pub(crate) fn raise_varargs(&mut self, state: &mut State, kind: u32) -> Stop {
        let vm = self.vm;
        if kind == 0 {
            return match state.handled.clone().and_then(|it| it.downcast::<PyBaseException>().ok()) {
                Some(exception) => {
                    self.running.reraised = true;
                    Stop::Raise(exception)
                }
                None => refuse("S234", "`raise` where no exception is being handled").into(),
            };
        }
        let cause = if kind == 2 { Some(state.pop_obj()) } else { None };
        let object = state.pop_obj();
        let was_raised = self.raised.contains_key(&object.get_id());
        let in_loop = |frame: &Frame| frame.code.loop_at(frame.pc).is_some();
        if was_raised && state.frames.iter().any(in_loop) {
            return refuse("S235", "an exception that was raised before is raised again in a loop").into();
        }
        let exception = match self.instantiate(&object) {
            Ok(exception) => exception,
            Err(stop) => return stop,
        };
        if let Some(cause) = cause {
            if let Err(stop) = self.touch(state, &exception.clone().into()) {
                return stop;
            }
            if vm.is_none(&cause) {
                exception.set_cause(None);
            } else {
                match self.instantiate(&cause) {
                    Ok(cause) => exception.set_cause(Some(cause)),
                    Err(Stop::Raise(_)) => {
                        return Stop::Raise(vm.new_type_error("exception causes must derive from BaseException"));
                    }
                    Err(stop) => return stop,
                }
            }
        }
        Stop::Raise(exception)
    }

    /// The exception of `raise X`, where X is a class or an exception.
    fn instantiate(&mut self, object: &PyObjectRef) -> Step<PyBaseExceptionRef> {
        let vm = self.vm;
        if let Some(class) = object.downcast_ref::<PyType>()
            && class.fast_issubclass(vm.ctx.exceptions.base_exception_type)
        {
            self.check_new(&class.to_owned())?;
            let init = self.looked_up(&class.to_owned(), "__init__");
            if init.is_some_and(|init| crate::callable::is_function(&init, vm)) {
                return Err(refuse("S231", format!("`raise {}` calls its `__init__`", class.name()))
                    .help("write `raise` with the exception called: `raise X(...)`")
                    .into());
            }
        }
        if crate::rep::is_staged(object) || object.downcast_ref::<PyBaseException>().is_some() && !self.is_fresh(object)
        {
            return Err(refuse("S235", format!("raising a `{}` of the world", object.class_name())).into());
        }
        let constructor = rustpython_vm::exceptions::ExceptionCtor::try_from_object(vm, object.clone())?;
        let exception = constructor.instantiate(vm)?;
        Ok(self.fresh_exception(exception))
    }

    /// `RERAISE`.
    pub(crate) fn reraise(&mut self, state: &mut State, depth: usize) -> Stop {
        let exception = state.pop_obj();
        if depth > 0
            && let V::Obj(lasti) = state.peek(depth).clone()
            && let Some(lasti) = lasti.downcast_ref::<PyInt>()
        {
            state.frame_mut().lasti = u32::try_from(lasti.as_bigint()).ok();
        }
        self.running.reraised = true;
        match exception.downcast::<PyBaseException>() {
            Ok(exception) => Stop::Raise(exception),
            Err(_) => unsupported(state),
        }
    }

    /// `LOAD_SPECIAL`: `__enter__` or `__exit__` of a context manager.
    pub(crate) fn load_special(&mut self, state: &mut State, which: u32) -> Step<()> {
        let name = match which {
            0 => "__enter__",
            1 => "__exit__",
            _ => return Err(unsupported(state)),
        };
        let object = state.pop_obj();
        let Some(method) = self.class_attribute(&object, name)? else {
            let class = self.class_name(&object);
            if self.class_attribute(&object, "__aenter__")?.is_some() {
                let message = format!("`with` and an asynchronous context manager of class `{class}`");
                return Err(refuse("S232", message).into());
            }
            let message =
                format!("'{class}' object does not support the context manager protocol (missed {name} method)");
            return Err(Stop::Raise(self.vm.new_type_error(message)));
        };
        if !crate::callable::is_function(&method, self.vm) {
            return Err(refuse(
                "S232",
                format!("a context manager of class `{}` cannot be staged yet", object.class_name()),
            )
            .into());
        }
        state.push(method);
        state.push(object);
        Ok(())
    }

    /// `WITH_EXCEPT_START`: calls `__exit__` with the exception and its traceback, which there is only when the
    /// exception has been raised.
    pub(crate) fn with_except_start(&mut self, state: &State) -> Step<Flow> {
        let exit = step::object_at(state, 5);
        let exception = step::object_at(state, 1);
        Err(refuse(
            "S233",
            format!("{} is given the traceback of a `{}`", self.describe(&exit), exception.class().name()),
        )
        .into())
    }
}

/// Whether this is a list the end of which nobody notices.
fn is_list_of_numbers(entry: &V, vm: &VirtualMachine) -> bool {
    let V::Obj(object) = entry else { return false };
    let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) else { return false };
    list.borrow_vec().iter().all(|item| value::number(item, vm).is_some())
}

fn site(frame: &Frame, pc: crate::code::Pc) -> Site {
    Site { code: frame.code.object.clone(), globals: frame.globals.clone(), unit: frame.code.instrs[pc as usize].unit }
}

/// The place of the instruction that a frame is at.
fn place_of(frame: &Frame) -> Place {
    place_at(frame, frame.pc)
}

/// The place of an instruction of a frame.
pub(crate) fn place_at(frame: &Frame, pc: crate::code::Pc) -> Place {
    let span = frame.code.span(pc);
    let code = &frame.code.object.code;
    Place {
        file: code.source_path.as_str().to_owned(),
        line: span.line,
        column: span.col,
        end: (span.end_line, span.end_col),
        func: code.qualname.as_str().to_owned(),
    }
}
