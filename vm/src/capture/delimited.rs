//! `reset` and `shift` in staged code.
//!
//! A path has its frames in a list, and they can be cloned. `reset` pushes the frame of its function with a mark;
//! `shift` cuts off the frames down to the mark, which become a [`Continuation`], and pushes the frame of its
//! function in their place, with the mark; a call of the continuation pushes clones of the frames.
//!
//! Only what plain Python can do as well is followed: see [`crate::host::suspend`]. Everything else is refused, and
//! the call is left where it calls `reset`, because the frames above it cannot go on elsewhere. So are loops with a
//! staged bound round a `shift`, whose frames would pile up: the number of decisions between marks is bounded.
//!
//! What plain Python could not take is refused (S350); paths that hold a continuation are not merged.

use rustpython_vm::builtins::PyType;
use rustpython_vm::bytecode::{CodeFlags, Opcode};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};

use crate::capture::session::Session;
use crate::capture::state::{Frame, State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{Iter, V};
use crate::code::is_helper;
use crate::host;
use crate::host::suspend::{Kind, Stacks};
use crate::kind::{self, Continuation};

/// So many delimiters may be nested on a path.
const MAX_NESTED: usize = 128;

/// So many of them may have decisions between them.
const MAX_DECIDED: usize = 12;

fn refused(why: &str) -> Stop {
    refuse("S350", format!("a `shift` that compiled code cannot follow: {why}"))
        .help("call `reset` outside staged code, or loop over a known number of items")
        .into()
}

impl Session<'_> {
    /// A call of `reset`.
    pub(crate) fn reset(&mut self, state: &mut State, function: &PyObjectRef, then: &Then) -> Step<Flow> {
        if !matches!(then, Then::Push) {
            return Err(refused("`reset` is called by a method of an operator"));
        }
        let (function, args) = self.plain_function(function, Vec::new())?;
        self.nested(state)?;
        self.call(state, &function, args.into(), Then::Reset)
    }

    /// The function written in Python behind a callable, with what comes before its arguments.
    fn plain_function(
        &self,
        callable: &PyObjectRef,
        mut args: Vec<PyObjectRef>,
    ) -> Step<(PyObjectRef, Vec<PyObjectRef>)> {
        let mut callable = callable.clone();
        loop {
            if let Some(code) = host::function::code(&callable, self.vm) {
                let makers = CodeFlags::GENERATOR | CodeFlags::COROUTINE | CodeFlags::ASYNC_GENERATOR;
                if code.code.flags.intersects(makers) {
                    return Err(refused("its function is a generator"));
                }
                return Ok((callable, args));
            }
            if let Some((function, receiver)) = host::function::unpack_bound_method(&callable, self.vm) {
                args.insert(0, receiver);
                callable = function;
            } else if let Some((inner, _)) = crate::callable::wrapped(&callable) {
                callable = inner;
            } else {
                return Err(refused("what it calls is not a function written in Python"));
            }
        }
    }

    /// A call of `shift`.
    pub(crate) fn shift(&mut self, state: &mut State, function: &PyObjectRef, then: &Then) -> Step<Flow> {
        let Some(mark) = state.frames.iter().rposition(|frame| matches!(frame.then, Then::Reset)) else {
            return Err(refused("there is no `reset` round it in the same function of the compiled code"));
        };
        if !matches!(then, Then::Push) {
            return Err(refused("it is called by a method of an operator"));
        }
        if state.frames[mark].handled_before.is_some() {
            return Err(refused("`reset` is called in an `except` block"));
        }
        let rest = &state.frames[mark..];
        for (index, frame) in rest.iter().enumerate() {
            let caller = index.checked_sub(1).map(|index| &rest[index]);
            can_be_taken(frame, caller, index + 1 == rest.len())?;
        }
        // Nothing has changed so far, and from here on nothing fails.
        let (function, mut args) = self.plain_function(function, Vec::new())?;
        let frames = rest.to_vec();
        let rest = Continuation { frames, handled: state.handled.clone(), owner: self.owner };
        args.push(kind::Kind::from(rest).object(self.vm));
        let Some(parts) = host::function::parts(&function, self.vm)? else {
            return Err(refused("what it calls is not a function written in Python"));
        };
        let frame = match self.new_frame(&parts, args.into()) {
            Err(Stop::Raise(_)) => return Err(refused("its function does not take a continuation")),
            frame => frame?,
        };
        self.guard_function(&function, &parts);
        state.frames.truncate(mark);
        state.handled = None;
        let (caller, forks_before) = (self.loc(state), state.forks);
        state.frames.push(Frame { caller, then: Then::Reset, handled_before: None, forks_before, ..frame });
        Ok(Flow::Next)
    }

    pub(crate) fn go_on(
        &mut self,
        state: &mut State,
        rest: &Continuation,
        value: &PyObjectRef,
        then: &Then,
    ) -> Step<Flow> {
        if rest.owner != self.owner {
            return Err(refused("its continuation is called in another function of the compiled code"));
        }
        if !matches!(then, Then::Push) {
            return Err(refused("its continuation is called by a method of an operator"));
        }
        if state.handled.is_some() {
            return Err(refused("its continuation is called in an `except` block"));
        }
        if state.frames.len() + rest.frames.len() >= self.vm.recursion_limit.get() {
            return Err(refused("its continuations call each other too deeply"));
        }
        self.nested(state)?;
        for frame in &rest.frames {
            let (caller, forks_before) = (self.loc(state), state.forks);
            state.frames.push(Frame { caller, forks_before, ..frame.clone() });
        }
        state.handled.clone_from(&rest.handled);
        state.push(value.clone());
        state.frame_mut().pc += 1;
        Ok(Flow::Next)
    }

    /// Native code may keep a continuation in a list or a dict, and nothing else: it is not of the class that it has
    /// in plain Python.
    pub(crate) fn knows_continuations(&self, callable: &PyObjectRef, args: &FuncArgs) -> Step<()> {
        let is_rest = |object: &PyObjectRef| kind::as_kind::<Continuation>(object).is_some();
        if !args.args.iter().chain(args.kwargs.values()).any(is_rest) {
            return Ok(());
        }
        let types = &self.vm.ctx.types;
        let keeps = host::belongs::native_method(callable, self.vm).is_some_and(|(receiver, name)| {
            let name = name.downcast_ref::<rustpython_vm::builtins::PyStr>().map(|it| it.to_string_lossy());
            (receiver.class().is(types.list_type) || receiver.class().is(types.dict_type))
                && matches!(name.as_deref(), Some("append" | "insert" | "setdefault"))
        });
        let is_written = callable.downcast_ref::<PyType>().is_some_and(|class| !self.is_builtin_class(class));
        if keeps || is_written {
            return Ok(());
        }
        Err(refused("native code is given a continuation"))
    }

    /// Whether a further delimiter may be put on the path.
    fn nested(&self, state: &State) -> Step<()> {
        let marks = state.frames.iter().filter(|frame| matches!(frame.then, Then::Reset));
        let mut forks: Vec<u32> = marks.map(|frame| frame.forks_before).collect();
        if forks.len() >= MAX_NESTED {
            return Err(refused("the rest of the computation is taken again and again"));
        }
        forks.dedup();
        if forks.len() > MAX_DECIDED {
            return Err(refused("the rest of the computation is taken again and again, with decisions in between"));
        }
        Ok(())
    }
}

/// Whether a frame is one that plain Python could give away here, too.
fn can_be_taken(frame: &Frame, caller: Option<&Frame>, is_innermost: bool) -> Step<()> {
    let native = || Err(refused("native code is between it and its `reset`"));
    if frame.native {
        return native();
    }
    let is_marked = matches!(frame.then, Then::Reset);
    let helps = is_helper(&frame.code.object);
    if let Some(caller) = caller {
        let from_helper = is_helper(&caller.code.object);
        let op = caller.code.instrs[caller.pc as usize].op;
        let follows = match op {
            Opcode::BinaryOp | Opcode::CompareOp => true,
            Opcode::Call | Opcode::CallKw | Opcode::CallFunctionEx => !helps && is_plain_call(caller),
            Opcode::UnaryNegative | Opcode::UnaryInvert | Opcode::StoreSubscr | Opcode::WithExceptStart => !helps,
            _ => false,
        };
        let simple = matches!(frame.then, Then::Push | Then::Push1(_) | Then::Drop);
        if !(follows || from_helper) || !simple {
            return native();
        }
    } else if !is_marked || helps {
        return native();
    }
    if helps && (is_innermost || frame.code.object.code.obj_name.as_str() != "attempt") {
        return native();
    }
    let unfollowed = || refused("its place in a function cannot be found");
    let stacks = Stacks::new(&frame.code).ok_or_else(unfollowed)?;
    let kinds = stacks.at(frame.pc).ok_or_else(unfollowed)?;
    for (entry, kind) in frame.stack.iter().zip(kinds) {
        match (entry, kind) {
            (V::Iter(iter), Kind::Iter) if is_position(iter) => {}
            (V::Iter(_), _) | (_, Kind::Iter | Kind::Mixed) => {
                return Err(refused("it is in a loop whose position cannot be copied"));
            }
            (V::Null | V::Obj(_), _) => {}
        }
    }
    if frame.locals.iter().flatten().any(|local| matches!(local, V::Iter(_))) {
        return Err(refused("a variable holds an iterator"));
    }
    Ok(())
}

/// Whether what an instruction calls is a callable of the program, and not one that the compiler has put in a place
/// of its own, as that of a decorator.
fn is_plain_call(frame: &Frame) -> bool {
    let instr = frame.code.instrs[frame.pc as usize];
    let operands = instr.op.stack_effect_info(instr.arg).popped() as usize;
    Stacks::new(&frame.code).is_some_and(|stacks| {
        let receiver = stacks.at(frame.pc).and_then(|kinds| Some(kinds[kinds.len().checked_sub(operands)? + 1]));
        matches!(receiver, Some(Kind::Null(_) | Kind::Special))
    })
}

/// Whether an iterator is one whose position plain Python copies.
fn is_position(iter: &Iter) -> bool {
    match iter {
        Iter::Range { .. } | Iter::Items { .. } => true,
        Iter::Seq { items, .. } | Iter::Back { items, .. } => {
            use rustpython_vm::builtins::{PyList, PyStr, PyTuple};
            items.downcast_ref::<PyList>().is_some()
                || items.downcast_ref::<PyTuple>().is_some()
                || items.downcast_ref::<PyStr>().is_some()
        }
        Iter::Enumerate { inner, .. } => is_position(inner),
        Iter::Zip { inners, .. } => inners.iter().all(is_position),
        Iter::Members { .. }
        | Iter::Entries { .. }
        | Iter::Over { .. }
        | Iter::Array { .. }
        | Iter::Generator { .. }
        | Iter::Running
        | Iter::Shared(_)
        | Iter::Empty(_) => false,
    }
}
