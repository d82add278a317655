//! One instruction of a path.
//!
//! An instruction that asks about a Rep may end with [`Stop::Fork`]: then it has changed nothing but its own
//! stack, which the explorer restores, and it runs again on both paths with the answer. So everything that
//! an instruction does to the heap comes after its last question.

use rustpython_vm::builtins::{PyCode, PyList, PySet, PyStr, PyTuple};
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::{self, CommonConstant, ConstIdx, ConvertValueOparg, IntrinsicFunction1};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload};
use snekpy_stage::entity::Value;
use snekpy_stage::op::Op;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num, V};
use crate::capture::values::{Abstract, classify};
use crate::code;
use crate::host;
use crate::kind::Conversion;
use crate::refusal::Refusal;

/// How an instruction ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// The path is at its next instruction.
    Next,
    /// The outermost function returned.
    Finished,
}

/// Runs the instruction that a path is at.
/// Whether what the instruction loads is only asked for its method `append` or `extend`.
fn is_appended_to(code: &code::Code, pc: code::Pc) -> bool {
    let Some(next) = code.instrs.get(pc as usize + 1) else { return false };
    matches!(code.instrs[pc as usize].op, Opcode::LoadGlobal | Opcode::LoadName | Opcode::LoadDeref | Opcode::LoadAttr)
        && next.op == Opcode::LoadAttr
        && next.arg & 1 == 1
        && matches!(code.object.code.names[(next.arg >> 1) as usize].as_str(), "append" | "extend")
}

pub(crate) fn step(session: &mut Session<'_>, state: &mut State) -> Step<Flow> {
    let frame = state.frame();
    let instr = frame.code.instrs[frame.pc as usize];
    let (arg, pc) = (instr.arg, frame.pc);
    let vm = session.vm;
    session.running.to_append = is_appended_to(&frame.code, pc);
    session.running.loads = matches!(
        instr.op,
        Opcode::LoadGlobal | Opcode::LoadName | Opcode::LoadDeref | Opcode::LoadAttr | Opcode::BinaryOp
    );
    if session.rules.allowance.counts_ticks {
        session.tick(state, instr)?;
    }
    if instr.op == Opcode::IsOp && session.is_op_of_handles(state, arg == 1)? {
        state.frame_mut().pc = pc + 1;
        return Ok(Flow::Next);
    }
    if session.on_texts(state, instr)? || session.on_kinds(state, instr)? {
        return Ok(Flow::Next);
    }
    if session.on_unknown_tensor(state, instr)? {
        return Ok(Flow::Next);
    }
    if let Some(flow) = session.overloaded_by_handle(state, instr)? {
        return Ok(flow);
    }
    session.refuse_handles(state, instr)?;
    if session.on_tensors(state, instr)? {
        return Ok(Flow::Next);
    }
    match instr.op {
        Opcode::Resume | Opcode::Nop | Opcode::NotTaken | Opcode::Cache | Opcode::ExtendedArg => {}
        Opcode::PopTop | Opcode::EndFor | Opcode::PopIter => drop(state.pop()),
        Opcode::PushNull => state.push(V::Null),
        Opcode::Copy => {
            let entry = state.peek(arg as usize).clone();
            state.push(entry);
        }
        Opcode::Swap => {
            let stack = &mut state.frame_mut().stack;
            let top = stack.len() - 1;
            stack.swap(top, top + 1 - arg as usize);
        }

        Opcode::LoadFast | Opcode::LoadFastBorrow | Opcode::LoadFastCheck => load_fast(session, state, arg as usize)?,
        Opcode::LoadFastLoadFast | Opcode::LoadFastBorrowLoadFastBorrow => {
            load_fast(session, state, (arg >> 4) as usize)?;
            load_fast(session, state, (arg & 15) as usize)?;
        }
        Opcode::LoadFastAndClear => {
            let frame = state.frame_mut();
            let entry = frame.locals[arg as usize].take();
            frame.dead.save(arg as usize, entry.is_none());
            state.push(entry.unwrap_or(V::Null));
        }
        Opcode::StoreFast => store_fast(state, arg as usize),
        Opcode::StoreFastStoreFast => {
            store_fast(state, (arg >> 4) as usize);
            store_fast(state, (arg & 15) as usize);
        }
        Opcode::StoreFastLoadFast => {
            store_fast(state, (arg >> 4) as usize);
            let entry = state.frame().locals[(arg & 15) as usize].clone();
            state.push(entry.unwrap_or(V::Null));
        }
        Opcode::DeleteFast => {
            state.frame_mut().dead.forget(arg as usize);
            if state.frame_mut().locals[arg as usize].take().is_none() {
                return Err(unbound(session, state, arg as usize));
            }
        }

        Opcode::LoadConst => {
            let constant = state.frame().code.object.code.constants[ConstIdx::from_u32(arg)].clone();
            state.push(PyObjectRef::from(constant));
        }
        Opcode::LoadSmallInt => state.push(PyObjectRef::from(vm.ctx.new_int(arg))),
        Opcode::LoadCommonConstant => {
            let constant = CommonConstant::try_from(arg).map_err(|_| unsupported(state))?;
            let object = match constant {
                CommonConstant::AssertionError => vm.ctx.exceptions.assertion_error.to_owned().into(),
                CommonConstant::NotImplementedError => vm.ctx.exceptions.not_implemented_error.to_owned().into(),
                CommonConstant::BuiltinTuple => vm.ctx.types.tuple_type.to_owned().into(),
                CommonConstant::BuiltinList => vm.ctx.types.list_type.to_owned().into(),
                CommonConstant::BuiltinSet => vm.ctx.types.set_type.to_owned().into(),
                CommonConstant::BuiltinAll => vm.builtins.as_object().get_attr("all", vm)?,
                CommonConstant::BuiltinAny => vm.builtins.as_object().get_attr("any", vm)?,
            };
            state.push(object);
        }
        Opcode::LoadGlobal => {
            let object = session.load_global(state, arg >> 1)?;
            state.push(object);
            if arg & 1 == 1 {
                state.push(V::Null);
            }
        }
        Opcode::StoreGlobal => {
            let name = session.name(state, arg);
            let key = PyObjectRef::from(vm.ctx.intern_str(name).to_owned());
            let globals = state.frame().globals.clone();
            let value = state.pop_obj();
            if !session.assign_item(state, &globals, &key, value)? {
                return Err(refuse("S210", format!("staged code makes the global variable `{name}`"))
                    .help("assign it outside first")
                    .into());
            }
        }
        Opcode::DeleteGlobal => {
            let name = session.name(state, arg);
            return Err(refuse("S210", format!("staged code deletes the global variable `{name}`")).into());
        }
        Opcode::MakeCell => {
            let initial = match state.frame_mut().locals[arg as usize].take() {
                Some(V::Obj(object)) => Some(object),
                Some(V::Null | V::Iter(_)) | None => None,
            };
            let cell = session.made(host::cell::new_cell(initial, vm));
            state.frame_mut().locals[arg as usize] = Some(V::Obj(cell));
        }
        Opcode::CopyFreeVars => {
            let frame = state.frame_mut();
            let first = frame.locals.len() - arg as usize;
            for (index, cell) in frame.closure.clone().into_iter().enumerate() {
                frame.locals[first + index] = Some(V::Obj(cell));
            }
        }
        Opcode::LoadDeref => {
            let cell = cell(state, arg as usize);
            session.guard_cell(state, &cell);
            match host::cell::cell_get(&cell, vm) {
                Some(object) => {
                    session.guard_contents(&object)?;
                    state.push(object);
                }
                None => return Err(unbound_cell(session, state, arg as usize)),
            }
        }
        Opcode::StoreDeref => {
            let object = state.pop_obj();
            let cell = cell(state, arg as usize);
            session.touch(state, &cell)?;
            host::cell::cell_set(&cell, Some(object), vm);
        }
        Opcode::DeleteDeref => {
            let cell = cell(state, arg as usize);
            if host::cell::cell_get(&cell, vm).is_none() {
                return Err(unbound_cell(session, state, arg as usize));
            }
            session.touch(state, &cell)?;
            host::cell::cell_set(&cell, None, vm);
        }
        Opcode::MakeFunction => {
            make_function(session, state)?;
            // It may have carried out the instructions that follow.
            state.frame_mut().pc += 1;
            return Ok(Flow::Next);
        }

        Opcode::BinaryOp
        | Opcode::CompareOp
        | Opcode::ContainsOp
        | Opcode::BinarySlice
        | Opcode::UnaryNegative
        | Opcode::UnaryInvert
        | Opcode::ToBool
        | Opcode::StoreSubscr
        | Opcode::DeleteSubscr
        | Opcode::GetIter
        | Opcode::ForIter
            if let Some(flow) = session.overloaded(state, instr.op, arg)? =>
        {
            return Ok(flow);
        }
        Opcode::BinaryOp | Opcode::CompareOp | Opcode::ContainsOp | Opcode::BinarySlice
            if let Some(flow) = session.list_operator(state, instr.op, arg)? =>
        {
            return Ok(flow);
        }
        Opcode::BinaryOp => session.binary_op(state, arg)?,
        Opcode::UnaryNegative => session.unary(state, "neg")?,
        Opcode::UnaryInvert => session.unary(state, "invert")?,
        Opcode::UnaryNot => {
            let cond = truth(session, state)?;
            let object = match cond {
                Truth::Known(it) => vm.ctx.new_bool(!it).into(),
                Truth::Staged(it) => {
                    let not = session.value(state, Op::Not, &[it]);
                    session.rep(not)
                }
            };
            state.push(object);
        }
        Opcode::ToBool => {
            let object = match truth(session, state)? {
                Truth::Known(it) => vm.ctx.new_bool(it).into(),
                Truth::Staged(it) => session.rep(it),
            };
            state.push(object);
        }
        Opcode::CompareOp => session.compare_op(state, arg)?,
        Opcode::IsOp => session.is_op(state, arg == 1)?,
        Opcode::ContainsOp => session.contains_op(state, arg == 1)?,

        Opcode::PopJumpIfTrue | Opcode::PopJumpIfFalse => {
            let holds = match truth(session, state)? {
                Truth::Known(it) => it,
                Truth::Staged(cond) => session.ask(state, cond)?,
            };
            if holds == (instr.op == Opcode::PopJumpIfTrue) {
                state.frame_mut().pc = target(instr);
                return Ok(Flow::Next);
            }
        }
        Opcode::PopJumpIfNone | Opcode::PopJumpIfNotNone => {
            let handle = session.handle_on_top(state);
            let is_none = match state.pop() {
                V::Obj(_) if let Some(handle) = handle => {
                    let is_none = session.is_none(state, handle);
                    session.ask(state, is_none)?
                }
                V::Obj(object) => vm.is_none(&object),
                V::Null | V::Iter(_) => false,
            };
            if is_none == (instr.op == Opcode::PopJumpIfNone) {
                state.frame_mut().pc = target(instr);
                return Ok(Flow::Next);
            }
        }
        Opcode::JumpForward | Opcode::JumpBackward | Opcode::JumpBackwardNoInterrupt => {
            state.frame_mut().pc = target(instr);
            return Ok(Flow::Next);
        }
        Opcode::GetIter | Opcode::GetYieldFromIter => session.get_iter(state)?,
        Opcode::Send => return session.send(state),
        Opcode::EndSend => {
            let result = state.pop();
            state.pop();
            state.push(result);
        }
        Opcode::ForIter if session.resume(state)? => return Ok(Flow::Next),
        Opcode::ForIter => {
            if let Some(item) = session.for_iter(state)? {
                state.push(item);
            } else {
                state.frame_mut().pc = target(instr);
                return Ok(Flow::Next);
            }
        }
        Opcode::ReturnValue => return session.return_value(state),
        Opcode::ReturnGenerator => state.push(vm.ctx.none()),
        Opcode::YieldValue => return session.yield_value(state),

        Opcode::BuildTuple => {
            let items = state.pop_objs(arg as usize);
            state.push(PyObjectRef::from(vm.ctx.new_tuple(items)));
        }
        Opcode::BuildList => {
            let items = state.pop_objs(arg as usize);
            let list = session.made(vm.ctx.new_list(items).into());
            state.push(list);
        }
        Opcode::BuildMap => {
            let items = state.pop_objs(2 * arg as usize);
            let dict = vm.ctx.new_dict();
            let dict = session.made(dict.into());
            for [key, value] in items.as_chunks().0 {
                session.add_member(state, &dict, key, Some(value))?;
            }
            state.push(dict);
        }
        Opcode::BuildSet => {
            let items = state.pop_objs(arg as usize);
            let set = PySet::default().into_ref(&vm.ctx);
            let set = session.made(set.into());
            for item in items {
                session.add_member(state, &set, &item, None)?;
            }
            state.push(set);
        }
        Opcode::BuildSlice => {
            let step = if arg == 3 { Some(state.pop_obj()) } else { None };
            let stop = state.pop_obj();
            let start = state.pop_obj();
            let slice = session.slice(Some(&start), &stop, step.as_ref());
            state.push(slice);
        }
        Opcode::BuildString => {
            let parts = state.pop_objs(arg as usize);
            let text = session.concatenate(&parts)?;
            state.push(text);
        }
        Opcode::FormatSimple if let Some(flow) = session.overloaded_text(state, false)? => return Ok(flow),
        Opcode::ConvertValue
            if let Ok(conversion @ (ConvertValueOparg::Repr | ConvertValueOparg::Str)) =
                ConvertValueOparg::try_from(arg)
                && let Some(flow) =
                    session.overloaded_text(state, matches!(conversion, ConvertValueOparg::Repr))? =>
        {
            return Ok(flow);
        }
        Opcode::FormatSimple => {
            let object = state.pop_obj();
            let text = session.format(&object, Conversion::None, None)?;
            state.push(text);
        }
        Opcode::FormatWithSpec => {
            let spec = state.pop_obj();
            let object = state.pop_obj();
            let text = session.format(&object, Conversion::None, Some(spec))?;
            state.push(text);
        }
        Opcode::ConvertValue => {
            let object = state.pop_obj();
            let conversion = match ConvertValueOparg::try_from(arg).map_err(|_| unsupported(state))? {
                ConvertValueOparg::None => Conversion::None,
                ConvertValueOparg::Str => Conversion::Str,
                ConvertValueOparg::Repr => Conversion::Repr,
                ConvertValueOparg::Ascii => Conversion::Ascii,
            };
            let text = session.format(&object, conversion, None)?;
            state.push(text);
        }
        Opcode::ListAppend => {
            let item = state.pop_obj();
            let list = object_at(state, arg as usize);
            match classify(&list, vm) {
                Abstract::Items(staged) => session.append_to_list(state, &staged, &[item])?,
                Abstract::List(known) => {
                    session.touch(state, &list)?;
                    known.borrow_vec_mut().push(item);
                }
                _ => unreachable!("the compiler puts a list here"),
            }
        }
        Opcode::UnpackSequence if session.drains_top(state, arg as usize + 1)? => return Ok(Flow::Next),
        Opcode::UnpackEx | Opcode::ListExtend | Opcode::SetUpdate if session.drains_top(state, usize::MAX)? => {
            return Ok(Flow::Next);
        }
        Opcode::ListExtend => {
            let list = object_at(state, arg as usize + 1);
            let items = session.items(state, 1);
            let items = session.starred(items)?;
            session.refuse_grown(&list, "`*` after the items")?;
            drop(state.pop());
            session.touch(state, &list)?;
            list.downcast_ref::<PyList>().expect("the compiler puts a list here").borrow_vec_mut().extend(items);
        }
        Opcode::SetAdd => {
            let item = state.pop_obj();
            let set = object_at(state, arg as usize);
            session.add_member(state, &set, &item, None)?;
        }
        Opcode::SetUpdate => {
            let items = session.items(state, 1)?;
            drop(state.pop());
            let set = object_at(state, arg as usize);
            for item in items {
                session.add_member(state, &set, &item, None)?;
            }
        }
        Opcode::MapAdd => {
            let item = state.pop_obj();
            let key = state.pop_obj();
            let dict = object_at(state, arg as usize);
            session.add_member(state, &dict, &key, Some(&item))?;
        }
        Opcode::UnpackSequence => {
            let items = session.unpack(state, arg as usize, None)?;
            drop(state.pop());
            for item in items.into_iter().rev() {
                state.push(item);
            }
        }
        Opcode::UnpackEx => {
            let counts = oparg::UnpackExArgs::from(arg);
            let items = session.unpack(state, counts.before as usize, Some(counts.after as usize))?;
            drop(state.pop());
            for item in items.into_iter().rev() {
                state.push(item);
            }
        }
        Opcode::BinarySlice => session.binary_slice(state)?,
        Opcode::StoreSlice => session.store_slice(state)?,
        Opcode::StoreSubscr => session.store_subscript(state)?,
        Opcode::DeleteSubscr => session.delete_subscript(state)?,
        Opcode::GetLen => {
            let object = object_at(state, 1);
            let length = session.length(state, &object)?;
            state.push(length);
        }
        Opcode::MatchSequence => session.match_container(state, PyTypeFlags::SEQUENCE)?,
        Opcode::MatchMapping => session.match_container(state, PyTypeFlags::MAPPING)?,
        Opcode::MatchClass => session.match_class(state, arg as usize)?,
        Opcode::MatchKeys => session.match_keys(state)?,

        Opcode::LoadAttr => return session.load_attr(state, arg >> 1, arg & 1 == 1),
        Opcode::LoadSuperAttr => session.load_super_attr(state, arg)?,
        Opcode::StoreAttr | Opcode::DeleteAttr
            if let Some(flow) = session.overloaded_store(state, instr.op, arg)? =>
        {
            return Ok(flow);
        }
        Opcode::StoreAttr => {
            let object = state.pop_obj();
            let value = state.pop_obj();
            session.store_attr(state, &object, session.name(state, arg), Some(value))?;
        }
        Opcode::DeleteAttr => {
            let object = state.pop_obj();
            session.store_attr(state, &object, session.name(state, arg), None)?;
        }
        Opcode::Call => return session.call_op(state, arg as usize, false),
        Opcode::CallKw => return session.call_op(state, arg as usize, true),
        Opcode::CallFunctionEx => return session.call_ex(state),
        Opcode::DictMerge => session.dict_merge(state, arg as usize, true)?,
        Opcode::DictUpdate => session.dict_merge(state, arg as usize, false)?,
        Opcode::CallIntrinsic1 => {
            let function = IntrinsicFunction1::try_from(arg).map_err(|_| unsupported(state))?;
            match function {
                IntrinsicFunction1::UnaryPositive => session.unary(state, "pos")?,
                IntrinsicFunction1::ListToTuple => {
                    let object = state.pop_obj();
                    session.refuse_grown(&object, "a tuple")?;
                    let list = object.downcast_ref::<PyList>().expect("the compiler puts a list here");
                    let tuple = vm.ctx.new_tuple(list.borrow_vec().to_vec());
                    state.push(PyObjectRef::from(tuple));
                }
                IntrinsicFunction1::StopIterationError => {
                    let exception = object_at(state, 1);
                    if exception.class().fast_issubclass(vm.ctx.exceptions.stop_iteration) {
                        return Err(refuse("S278", "a `StopIteration` that leaves a generator").into());
                    }
                }
                IntrinsicFunction1::Invalid
                | IntrinsicFunction1::Print
                | IntrinsicFunction1::ImportStar
                | IntrinsicFunction1::AsyncGenWrap
                | IntrinsicFunction1::TypeVar
                | IntrinsicFunction1::ParamSpec
                | IntrinsicFunction1::TypeVarTuple
                | IntrinsicFunction1::SubscriptGeneric
                | IntrinsicFunction1::TypeAlias => return Err(unsupported(state)),
            }
        }

        Opcode::PushExcInfo => {
            let exception = state.pop_obj();
            let before = state.handled.replace(exception.clone());
            let frame = state.frame_mut();
            frame.handlers.before.push(frame.stack.len());
            state.push(before.unwrap_or_else(|| vm.ctx.none()));
            state.push(exception);
        }
        Opcode::PopExcept => {
            let before = state.pop_obj();
            let frame = state.frame_mut();
            frame.handlers.cut(frame.stack.len());
            state.handled = (!vm.is_none(&before)).then_some(before);
        }
        Opcode::CheckExcMatch => session.check_exc_match(state)?,
        Opcode::RaiseVarargs => return Err(session.raise_varargs(state, arg)),
        Opcode::Reraise => return Err(session.reraise(state, arg as usize)),
        Opcode::LoadSpecial => session.load_special(state, arg)?,
        Opcode::WithExceptStart => return session.with_except_start(state),

        Opcode::ImportName => session.import_name(state, arg)?,
        Opcode::ImportFrom => session.import_from(state, arg)?,

        // What is left is named, with its line: generators and coroutines, class bodies, `match` on keys,
        // exception groups, templates. An instruction that RustPython adds is refused as well.
        _ => return Err(unsupported(state)),
    }
    state.frame_mut().pc = pc + 1;
    Ok(Flow::Next)
}

/// What is known of a truth value.
pub(crate) enum Truth {
    /// It is this.
    Known(bool),
    /// It is this SSA value.
    Staged(Value),
}

fn truth(session: &mut Session<'_>, state: &mut State) -> Step<Truth> {
    let object = state.pop_obj();
    session.truth(state, &object)
}

/// The object `depth` below the top of the stack, 1 for the top itself.
pub(crate) fn object_at(state: &State, depth: usize) -> PyObjectRef {
    state.peek(depth).object().expect("the compiler puts an object here").clone()
}

fn target(instr: code::Instr) -> code::Pc {
    instr.target.expect("a jump has a target")
}

fn cell(state: &State, index: usize) -> PyObjectRef {
    match &state.frame().locals[index] {
        Some(V::Obj(cell)) => cell.clone(),
        Some(V::Null | V::Iter(_)) | None => unreachable!("the compiler makes cells before it uses them"),
    }
}

fn load_fast(session: &Session<'_>, state: &mut State, index: usize) -> Step<()> {
    match state.frame().locals[index].clone() {
        Some(entry) => {
            state.push(entry);
            Ok(())
        }
        None => Err(unbound(session, state, index)),
    }
}

fn store_fast(state: &mut State, index: usize) {
    let entry = match state.pop() {
        V::Null => None,
        entry @ (V::Obj(_) | V::Iter(_)) => Some(entry),
    };
    let frame = state.frame_mut();
    if entry.is_none() {
        frame.dead.restore(index);
    }
    frame.locals[index] = entry;
}

fn unbound(session: &Session<'_>, state: &State, index: usize) -> Stop {
    let name = state.frame().code.local_name(index);
    Stop::Raise(session.vm.new_unbound_local_error(format!("local variable '{name}' referenced before assignment")))
}

fn unbound_cell(session: &Session<'_>, state: &State, index: usize) -> Stop {
    let code = &state.frame().code;
    let name = code.local_name(index);
    let vm = session.vm;
    let is_free = code.object.code.freevars.iter().any(|it| it.as_str() == name);
    Stop::Raise(if is_free {
        let message =
            format!("cannot access free variable '{name}' where it is not associated with a value in enclosing scope");
        vm.new_name_error(message, vm.ctx.new_str(name))
    } else {
        vm.new_unbound_local_error(format!("local variable '{name}' referenced before assignment"))
    })
}

fn make_function(session: &mut Session<'_>, state: &mut State) -> Step<()> {
    let vm = session.vm;
    let code = state.pop_obj().downcast::<PyCode>().expect("the compiler puts code here");
    // The closure is needed when the function is made, so the instructions that set its attributes are
    // carried out here and skipped.
    let mut attributes = Vec::new();
    loop {
        let frame = state.frame();
        let next = frame.code.instrs[frame.pc as usize + 1];
        if next.op != Opcode::SetFunctionAttribute {
            break;
        }
        let flag = oparg::MakeFunctionFlag::try_from(next.arg).map_err(|_| unsupported(state))?;
        attributes.push((flag, state.pop_obj()));
        state.frame_mut().pc += 1;
    }
    let globals = state.frame().globals.clone();
    let func = host::function::make_function(code, globals, &attributes, vm)?;
    let func = session.made(func);
    state.push(func);
    Ok(())
}

/// Begins a refusal whose place is the instruction that runs.
pub(crate) fn refuse(code: &'static str, message: impl Into<String>) -> Refused {
    Refused(Refusal::new(code, message))
}

/// Begins a refusal of what has known operands and might take long, or much memory, for nothing.
pub(crate) fn refuse_effort(what: &str) -> Refused {
    refuse("S307", format!("{what} may take long or give much, so it does not run while staging"))
        .help("compute it outside staged code")
}

/// Refuses what has become large: it may go on to grow, on a path that the program never takes.
pub(crate) fn refuse_large(object: &PyObjectRef) -> Step<()> {
    match host::effort::is_large_result(object) {
        true => Err(refuse_effort("a text or a number that is this long").into()),
        false => Ok(()),
    }
}

/// A refusal on its way.
pub(crate) struct Refused(Refusal);

impl Refused {
    /// Changes it.
    pub(crate) fn map(self, change: impl FnOnce(Refusal) -> Refusal) -> Self {
        Self(change(self.0))
    }

    /// Says what can be done.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.map(|it| it.help(help))
    }
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        Self::Refuse(Box::new(refused.0))
    }
}

/// The instruction cannot be captured.
pub(crate) fn unsupported(state: &State) -> Stop {
    let frame = state.frame();
    let name = code::opcode_name(frame.code.instrs[frame.pc as usize].op);
    let what = match name {
        "SEND" | "GET_AWAITABLE" => "`await` or `yield from`".to_owned(),
        "LOAD_BUILD_CLASS" => "a class definition".to_owned(),
        "MATCH_KEYS" => "`match` on the keys of a mapping".to_owned(),
        "CHECK_EG_MATCH" => "`except*`".to_owned(),
        _ => format!("the instruction {name}"),
    };
    refuse("S200", format!("{what} cannot be staged yet")).into()
}

impl Session<'_> {
    /// Whether a staged condition holds, on this path.
    pub(crate) fn ask(&mut self, state: &mut State, cond: Value) -> Step<bool> {
        if let Some(snekpy_stage::op::Const::Bool(it)) = self.func.as_const(cond) {
            return Ok(it);
        }
        match state.answers.get(state.asked) {
            Some(&answer) => {
                state.asked += 1;
                Ok(answer)
            }
            None => Err(Stop::Fork(cond)),
        }
    }

    /// Asks what is no decision of the program's: it must not make a recursion look like one that ends.
    pub(crate) fn routinely<T>(&mut self, ask: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        self.running.routine = true;
        let answer = ask(self);
        // The fork looks at it.
        self.running.routine = matches!(answer, Err(Stop::Fork(_)));
        answer
    }

    /// The number behind an object; a Rep of another capture is refused.
    pub(crate) fn number(&self, object: &PyObjectRef) -> Step<Option<Num>> {
        self.is_own_rep(object)?;
        Ok(value::number(object, self.vm))
    }

    /// A string constant of the code.
    pub(crate) fn name(&self, state: &State, index: u32) -> &'static str {
        state.frame().code.object.code.names[index as usize].as_str()
    }

    /// A tuple's items or a string constant, for keyword names.
    pub(crate) fn keyword_names(&self, object: &PyObjectRef) -> Vec<String> {
        let Some(tuple) = object.downcast_ref::<PyTuple>() else { return Vec::new() };
        let text = |name: &PyObjectRef| name.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned());
        tuple.as_slice().iter().filter_map(text).collect()
    }
}
