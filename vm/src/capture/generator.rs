//! Generators: their frames go on and are suspended.

use std::sync::Arc;

use rustpython_vm::PyObjectRef;

use crate::capture::iter::{MAX_ITEMS, set_shared_state, shared_state};
use crate::capture::session::Session;
use crate::capture::state::{Drain, Frame, State, Taker, Then};
use crate::capture::step::{self, Flow, refuse};
use crate::capture::stop::Step;
use crate::capture::value::{Iter, V};
use crate::code::{Code, Opcode, Pc};
use crate::rep::StagedIterator;

/// How many generators of one code run inside one another after staged decisions.
const MAX_INSIDE: usize = 12;

impl Session<'_> {
    /// `FOR_ITER` over a generator: its frame goes on. Whether it is one.
    pub(crate) fn resume(&mut self, state: &mut State) -> Step<bool> {
        let Some(V::Iter(Iter::Shared(object)) | V::Obj(object)) = state.frame().stack.last().cloned() else {
            return Ok(false);
        };
        if object.downcast_ref::<StagedIterator>().is_none() {
            return Ok(false);
        }
        let then = Then::Next(object.clone());
        self.resume_generator(state, &object, then)
    }

    /// Lets a generator go on. Whether it is one that has not ended.
    pub(crate) fn resume_generator(&mut self, state: &mut State, object: &PyObjectRef, then: Then) -> Step<bool> {
        let Iter::Generator { mut frame, begun } = shared_state(object) else { return Ok(false) };
        if !begun {
            self.is_not_inside_itself(state, &frame)?;
        }
        self.touch(state, object)?;
        set_shared_state(object, Iter::Running);
        if begun {
            frame.stack.push(V::Obj(self.vm.ctx.none()));
        }
        frame.caller = self.loc(state);
        frame.then = then;
        frame.handled_before.clone_from(&state.handled);
        frame.forks_before = state.forks;
        state.frames.push(*frame);
        Ok(true)
    }

    /// A generator begins inside of ones with its code, as deep as numbers say that are known later: their frames would
    /// be put on one another for ever. A function stays a function of the IR then, a generator cannot.
    fn is_not_inside_itself(&self, state: &State, frame: &Frame) -> Step<()> {
        let is_decided = |it: &&Frame| Arc::ptr_eq(&it.code, &frame.code) && state.forks > it.forks_before;
        let outer: Vec<&Frame> = state.frames.iter().rev().filter(is_decided).collect();
        if outer.len() < MAX_INSIDE && !outer.iter().any(|it| self.is_as_deep(state, it, frame)) {
            return Ok(());
        }
        let name = frame.code.object.code.qualname.as_str();
        Err(refuse("S325", format!("the generator `{name}` runs inside itself, how deep is known only later"))
            .help("recurse in a function that returns a list, or calls a function for each item")
            .into())
    }

    /// Runs a generator for who takes its items. Whether it is one that has not ended.
    pub(crate) fn drained(&mut self, state: &mut State, generator: &PyObjectRef, taker: Taker) -> Step<bool> {
        let drain = Drain { generator: generator.clone(), items: Vec::new(), taker };
        self.resume_generator(state, generator, Then::Drain(Box::new(drain)))
    }

    /// Runs the generator on top of the stack for the instruction that takes at most so many of its items. Whether there
    /// is one.
    pub(crate) fn drains_top(&mut self, state: &mut State, most: usize) -> Step<bool> {
        match state.peek(1).clone() {
            V::Iter(Iter::Shared(object)) | V::Obj(object) if object.downcast_ref::<StagedIterator>().is_some() => {
                self.drained(state, &object, Taker::Instruction(most))
            }
            _ => Ok(false),
        }
    }

    /// Gives what a generator has given to who takes it.
    pub(crate) fn hand_over(&mut self, state: &mut State, drain: Drain) {
        let items: PyObjectRef = self.vm.ctx.new_tuple(drain.items).into();
        match drain.taker {
            // The call is made again, with the items in place of the generator.
            Taker::Call(callable, rest) => {
                state.push(callable);
                state.push(V::Null);
                state.push(items);
                rest.into_iter().for_each(|arg| state.push(arg));
            }
            Taker::Instruction(_) => {
                state.pop();
                state.push(V::Iter(Iter::Seq { items, index: 0 }));
            }
        }
    }

    /// `YIELD_VALUE`: the generator's frame goes back into its object, and the item to whoever asked.
    pub(crate) fn yield_value(&mut self, state: &mut State) -> Step<Flow> {
        let frame = state.frame();
        if handler_of_yield(&frame.code, frame.pc).is_some_and(|it| it != Opcode::CallIntrinsic1) {
            return Err(refuse("S297", "a generator is left inside `try` or `with`: it may be closed there").into());
        }
        let item = state.pop_obj();
        let mut frame = state.frames.pop().expect("a running path has a frame");
        state.handled = frame.handled_before.take();
        frame.pc += 1;
        let then = std::mem::replace(&mut frame.then, Then::Push);
        let Some(generator) = then.generator().cloned() else {
            return Err(refuse("S277", "a `yield` whose item nobody asked for").into());
        };
        self.touch(state, &generator)?;
        set_shared_state(&generator, Iter::Generator { frame: Box::new(frame), begun: true });
        match then {
            Then::Drain(mut drain) => {
                drain.items.push(item);
                if drain.items.len() > MAX_ITEMS {
                    return Err(refuse("S275", format!("more than {MAX_ITEMS} items at once")).into());
                }
                match drain.taker {
                    Taker::Instruction(most) if drain.items.len() >= most => self.hand_over(state, *drain),
                    _ => drop(self.resume_generator(state, &generator, Then::Drain(drain))?),
                }
            }
            Then::Next(_) | Then::Push | Then::Push1(_) | Then::Reset | Then::Drop | Then::Item => {
                if is_at(state, Opcode::Send) {
                    state.replace_top(item);
                } else {
                    state.push(item);
                }
                state.frame_mut().pc += 1;
            }
        }
        Ok(Flow::Next)
    }

    /// `SEND`, for `yield from`: the next item, in place of the None that is sent; or at the end, behind the loop, what
    /// the generator has returned.
    pub(crate) fn send(&mut self, state: &mut State) -> Step<Flow> {
        if !state.peek(1).object().is_some_and(|it| self.vm.is_none(it)) {
            return Err(refuse("S276", "a value that is sent on to another generator").into());
        }
        let V::Iter(mut iter) = state.peek(2).clone() else {
            return Err(step::unsupported(state));
        };
        if let Iter::Shared(object) = &iter
            && self.resume_generator(state, object, Then::Next(object.clone()))?
        {
            return Ok(Flow::Next);
        }
        let item = self.next(state, &mut iter)?;
        let frame = state.frame_mut();
        let below = frame.stack.len() - 2;
        frame.stack[below] = V::Iter(iter);
        match item {
            Some(item) => {
                state.replace_top(item);
                state.frame_mut().pc += 1;
            }
            None => frame.pc = frame.code.instrs[frame.pc as usize].target.expect("SEND has an exit"),
        }
        Ok(Flow::Next)
    }

    /// The generator has returned, or raised.
    pub(crate) fn end_generator(&mut self, state: &mut State, generator: &PyObjectRef) -> Step<()> {
        self.touch(state, generator)?;
        set_shared_state(generator, Iter::Empty(None));
        Ok(())
    }
}

/// Whether the frame that runs is at this instruction.
pub(crate) fn is_at(state: &State, op: Opcode) -> bool {
    let frame = state.frame();
    frame.code.instrs[frame.pc as usize].op == op
}

/// Where the handler of a `yield` begins. That of `yield from` itself only passes on what is thrown in.
fn handler_of_yield(code: &Code, pc: Pc) -> Option<Opcode> {
    let handler = code.handler(pc)?.target;
    match code.instrs[handler as usize].op {
        Opcode::CleanupThrow => handler_of_yield(code, handler),
        op => Some(op),
    }
}
