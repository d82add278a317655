//! A path of execution: a stack of frames, a heap, and the block of IR that is being appended to.

use std::sync::Arc;

use rustpython_vm::builtins::{PyDictRef, PyTupleRef};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::{Block, Loc, Value};

use crate::capture::checkpoint::Reach;
use crate::capture::dead::Dead;
use crate::capture::heap::Heap;
use crate::capture::mixed::Tags;
use crate::capture::reread::Reread;
use crate::capture::value::V;
use crate::code::{Code, Pc};

/// A path of execution.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The calls, outermost first. Empty when the path has returned: the result is in `result`.
    pub(crate) frames: Vec<Frame>,
    /// The objects that this path changed.
    pub(crate) heap: Heap,
    /// The block that is appended to.
    pub(crate) block: Block,
    /// The exception that is being handled, for `raise` and for `__context__`.
    pub(crate) handled: Option<PyObjectRef>,
    /// Where its exceptions were raised, while it does not run.
    pub(crate) raised: crate::capture::trail::Trails,
    /// How many branches on Reps this path has taken.
    pub(crate) forks: u32,
    /// The answers that the current instruction has got to its questions about Reps, in order.
    pub(crate) answers: Vec<bool>,
    /// How many of them it has used.
    pub(crate) asked: usize,
    /// What the outermost frame returned.
    pub(crate) result: Option<PyObjectRef>,
    /// The results of the call of an IR function that the current instruction has made already.
    pub(crate) call: Option<CallResult>,
    /// Its checkpoints.
    pub(crate) reach: Reach,
    /// The attributes that it need not read again.
    pub(crate) reread: Reread,
    /// Of which types numbers are, as far as it has found out.
    pub(crate) tags: Tags,
}

/// The results of a call of an IR function, kept while the path forks on which kind of result it is.
#[derive(Clone, Debug)]
pub(crate) struct CallResult {
    /// The values the call gave.
    pub(crate) values: Vec<Value>,
}

/// A call of a Python function.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// What runs.
    pub(crate) code: Arc<Code>,
    /// The instruction that runs now or next.
    pub(crate) pc: Pc,
    /// The local variables, cells and free variables.
    pub(crate) locals: Vec<Option<V>>,
    /// What the others hold that paths have left out where they met.
    pub(crate) dead: Dead,
    /// The value stack.
    pub(crate) stack: Vec<V>,
    /// The module's names.
    pub(crate) globals: PyDictRef,
    /// The names behind them.
    pub(crate) builtins: PyObjectRef,
    /// The cells of the function's free variables.
    pub(crate) closure: Vec<PyObjectRef>,
    /// Where it was called.
    pub(crate) caller: Option<Loc>,
    /// What becomes of what it returns.
    pub(crate) then: Then,
    /// The exception that was being handled when it was called.
    pub(crate) handled_before: Option<PyObjectRef>,
    /// `forks` when it was called.
    pub(crate) forks_before: u32,
    /// Its arguments as they were bound, for recognising recursion.
    pub(crate) bound: PyTupleRef,
    /// What handlers have put on the stack: positions, from the bottom.
    pub(crate) handlers: Handlers,
    /// Whether plain Python would have native code between this frame and the one below.
    pub(crate) native: bool,
    /// The instruction whose exception a handler that is running will raise again, for the traceback.
    pub(crate) lasti: Option<Pc>,
}

/// Positions on a value stack of what handlers of exceptions have put there.
#[derive(Clone, Default, Debug)]
pub(crate) struct Handlers {
    /// The exceptions that were being handled before.
    pub(crate) before: Vec<usize>,
    /// The instructions that raised, for RERAISE.
    pub(crate) lasti: Vec<usize>,
}

impl Handlers {
    /// The stack has become as high as this.
    pub(crate) fn cut(&mut self, height: usize) {
        for positions in [&mut self.before, &mut self.lasti] {
            while positions.last().is_some_and(|&position| position >= height) {
                positions.pop();
            }
        }
    }
}

/// What becomes of what a call returns.
#[derive(Clone, Debug)]
pub(crate) enum Then {
    /// It is pushed, and the caller goes on after the call.
    Push,
    /// What it yields is the next item of the `for` that the caller is at; its end is the end of that loop.
    Next(PyObjectRef),
    /// What it yields is collected, for what comes then.
    Drain(Box<Drain>),
    /// Nothing is pushed, and the caller goes on.
    Drop,
    /// It is the next item of the `for` that the caller is at; a `StopIteration` is the end of that loop.
    Item,
    /// It is pushed. Here the rest of a computation ends that `shift` takes.
    Reset,
    /// `__init__`: must be None; the new object is pushed.
    Push1(PyObjectRef),
}

impl Then {
    /// The generator whose frame the callee is.
    pub(crate) fn generator(&self) -> Option<&PyObjectRef> {
        match self {
            Self::Next(generator) => Some(generator),
            Self::Drain(drain) => Some(&drain.generator),
            Self::Push | Self::Drop | Self::Item | Self::Reset | Self::Push1(_) => None,
        }
    }

    /// The same if plain Python can go on with the instruction that wants its items.
    pub(crate) fn asked_generator(&self) -> Option<&PyObjectRef> {
        match self {
            Self::Drain(drain) if !drain.is_for_instruction() => None,
            then => then.generator(),
        }
    }
}

impl Drain {
    /// Whether an instruction waits for the items: plain Python can go on with it.
    pub(crate) const fn is_for_instruction(&self) -> bool {
        matches!(self.taker, Taker::Instruction(_))
    }
}

/// A generator that is drained.
#[derive(Clone, Debug)]
pub(crate) struct Drain {
    /// The generator.
    pub(crate) generator: PyObjectRef,
    /// What it has given.
    pub(crate) items: Vec<PyObjectRef>,
    /// What they are for.
    pub(crate) taker: Taker,
}

/// Who takes the items of a generator that is drained.
#[derive(Clone, Debug)]
pub(crate) enum Taker {
    /// A native function, which is called with all of them and further arguments.
    Call(PyObjectRef, Vec<PyObjectRef>),
    /// The instruction that the caller is at, at most so many: it finds an iterator over them in place of the generator.
    Instruction(usize),
}

/// Where a path is: code and instruction of every frame.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place(pub(crate) Vec<(usize, Pc)>);

impl State {
    /// Puts an object in the place of the one on top of the stack.
    pub(crate) fn replace_top(&mut self, object: PyObjectRef) {
        self.pop();
        self.push(object);
    }

    /// The frame that runs.
    pub(crate) fn frame(&self) -> &Frame {
        self.frames.last().expect("a running path has a frame")
    }

    /// The frame that runs.
    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running path has a frame")
    }

    /// Where it is.
    pub(crate) fn place(&self) -> Place {
        Place(self.frames.iter().map(|frame| (frame.code.object.get_id(), frame.pc)).collect())
    }

    /// Whether it is where paths of the code itself meet, and not only those of an instruction that forked.
    pub(crate) fn is_at_join(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.pc == 0 || frame.code.is_join(frame.pc))
    }

    /// Pops an entry of the value stack.
    pub(crate) fn pop(&mut self) -> V {
        self.frame_mut().stack.pop().expect("the compiler balances the stack")
    }

    /// Pops an object.
    pub(crate) fn pop_obj(&mut self) -> PyObjectRef {
        match self.pop() {
            V::Obj(obj) => obj,
            V::Null | V::Iter(_) => unreachable!("the compiler puts an object here"),
        }
    }

    /// Pops the last `count` objects, in the order they were pushed.
    pub(crate) fn pop_objs(&mut self, count: usize) -> Vec<PyObjectRef> {
        let stack = &mut self.frame_mut().stack;
        let rest = stack.split_off(stack.len() - count);
        let object = |entry| match entry {
            V::Obj(obj) => obj,
            V::Null | V::Iter(_) => unreachable!("the compiler puts an object here"),
        };
        rest.into_iter().map(object).collect()
    }

    /// Pushes an entry.
    pub(crate) fn push(&mut self, entry: impl Into<V>) {
        self.frame_mut().stack.push(entry.into());
    }

    /// The entry `depth` below the top, 1 for the top itself.
    pub(crate) fn peek(&self, depth: usize) -> &V {
        let stack = &self.frame().stack;
        &stack[stack.len() - depth]
    }
}
