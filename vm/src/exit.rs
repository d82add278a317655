//! From compiled code back to Python: what its values mean, and what it owes the world.
//!
//! Compiled code gives and takes flat slots. A [`Template`] says which object they stand for; an
//! [`ExitKind`] says what leaving through an exit means: a result of some shape, or an exception; both with
//! the [`Effect`]s that the program has had on objects until then.

mod crossing;
mod dead;
mod filling;
mod host_call;
mod landing;
mod pooled;
mod reordered;
mod write;

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use rustpython_vm::builtins::{PyCode, PyDictRef, PyTypeRef};
use rustpython_vm::bytecode::oparg::MakeFunctionFlag;
use rustpython_vm::{PyObjectRef, PyRef};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{Elem, Type};

use crate::code::Code;
use crate::flatten::Root;
use crate::host::resume::Way;
use crate::kind::Make;
use crate::record::Layout;
use crate::refusal::Refusal;
use crate::site::{Site, Ways};

pub(crate) use crossing::Crossing;
pub(crate) use dead::{DeadVariable, Origin, Origins};
pub(crate) use filling::{Filling, MadeOfAddresses};
pub(crate) use host_call::{HostFailure, call_host};
pub(crate) use landing::{Ending, Landed, State, apply_all, land};
pub(crate) use pooled::{PoolTemplate, PooledTemplate, PoolsTemplate};

/// How to make an object from slots.
#[derive(Clone, Debug)]
pub(crate) enum Template {
    /// An object known when the function was captured.
    Static(PyObjectRef),
    /// The value that begins at this slot.
    Leaf {
        /// Index of its first slot.
        slot: usize,
        ty: Type,
    },
    /// A new tensor without axes of the number in this slot.
    Element {
        slot: usize,
        /// The type of the number.
        ty: Type,
        /// The dtype.
        dtype: Dtype,
    },
    /// The object that was passed.
    Argument(Root),
    /// The object whose row is in this slot.
    Record { slot: usize },
    /// An object of a record class and all that it leads to, with other floats.
    Rows(Box<RowsTemplate>),
    /// An object that the call has made, which is a row of a pool, or a number or None where that may be in its place.
    Pooled(Box<PooledTemplate>),
    /// An object that occurs more than once: made at its first occurrence.
    Shared {
        /// The same for every occurrence.
        id: usize,
        /// How to make it; `None` for later occurrences.
        make: Option<Box<Template>>,
    },
    /// A new tuple.
    Tuple(Vec<Template>),
    /// A new list.
    List(Vec<Template>),
    /// A new dict.
    Dict(Vec<(Template, Template)>),
    /// A new set.
    Set(Vec<Template>),
    /// What is made of these.
    Made { make: Arc<dyn Make>, parts: Vec<Template> },
    /// A new exception.
    Exception(Box<ExceptionTemplate>),
    /// A new object of a class, without calling `__init__`: its attributes.
    Instance {
        class: PyTypeRef,
        /// Names and values.
        attributes: Vec<(PyObjectRef, Template)>,
    },
    /// A new cell of a closure.
    Cell(Option<Box<Template>>),
    /// A new function.
    Function(Box<FunctionTemplate>),
    /// A new iterator.
    Iterator(Box<IteratorTemplate>),
}

/// A copy of the objects that an argument leads to, which are rows of the table of the call.
#[derive(Clone, Debug)]
pub(crate) struct RowsTemplate {
    /// The argument.
    pub(crate) root: Root,
    /// The classes of the objects.
    pub(crate) layout: Arc<Layout>,
    /// The list of the floats of all rows.
    pub(crate) floats: Template,
}

/// A new exception.
#[derive(Clone, Debug)]
pub(crate) struct ExceptionTemplate {
    pub(crate) class: PyTypeRef,
    pub(crate) args: Vec<Template>,
    /// The descriptors of its native members, and what they hold.
    pub(crate) members: Vec<(PyObjectRef, Template)>,
    pub(crate) attributes: Vec<(PyObjectRef, Template)>,
    pub(crate) cause: Option<Template>,
    pub(crate) context: Option<Template>,
    pub(crate) suppress_context: bool,
    /// Where it was raised.
    pub(crate) raised_at: RaisedAt,
}

/// Where an exception was raised and through which frames it went, innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct RaisedAt {
    /// One of these ways: which is known at run time.
    pub(crate) one_of: Option<(Ways, Template)>,
    /// And behind that.
    pub(crate) further: Vec<Site>,
}

impl RaisedAt {
    pub(crate) const fn is_empty(&self) -> bool {
        self.one_of.is_none() && self.further.is_empty()
    }
}

/// A new function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionTemplate {
    pub(crate) code: PyRef<PyCode>,
    pub(crate) globals: PyDictRef,
    /// Defaults, closure, annotations.
    pub(crate) attributes: Vec<(MakeFunctionFlag, Template)>,
}

/// A new iterator.
#[derive(Clone, Debug)]
pub(crate) enum IteratorTemplate {
    /// Over these numbers.
    Range([Template; 3]),
    /// Over what is left of a sequence.
    Sequence {
        /// A tuple, list, string or array.
        items: Template,
        /// Index of the next item.
        index: Template,
        /// Whether it goes backwards.
        reversed: bool,
    },
    /// Over a dict, one of its views, or a set.
    Members {
        of: Template,
        /// How many items it has given.
        given: usize,
    },
    /// Over a dict, one of its views, or a set of the compiled code.
    Entries {
        /// The dict or set.
        container: Template,
        /// The method that gives the view, if it is one.
        view: Option<&'static str>,
        /// The map.
        map: Template,
        /// The position of the next item; how many entries there were when the iterator was made, and how often the map
        /// had changed.
        numbers: [Template; 3],
    },
    /// `enumerate`.
    Enumerate {
        /// What is enumerated.
        inner: Template,
        /// The next number.
        count: Template,
    },
    /// `zip`.
    Zip {
        /// What is zipped.
        inners: Vec<Template>,
        /// Whether unequal lengths are an error.
        strict: bool,
    },
    /// A generator that has not begun: its function and what that was called with.
    Generator {
        function: Template,
        args: Vec<Template>,
        more_args: Option<Template>,
        kwargs: Vec<(String, Template)>,
        more_kwargs: Option<Template>,
    },
    /// A generator that has begun: its frame.
    Begun(Box<FrameTemplate>),
}

/// Where a call leaves compiled code and goes on as plain Python.
#[derive(Debug)]
pub(crate) struct Resume {
    /// The calls, outermost first.
    pub(crate) frames: Vec<FrameTemplate>,
    /// Whether the innermost frame, or the generator that computes an item for it, waits for what it has called.
    pub(crate) waits: bool,
    /// Whether a generator computes an item for the innermost frame.
    pub(crate) is_inside: bool,
    /// What it did before.
    pub(crate) effects: Vec<Effect>,
    /// Why it cannot go on in compiled code.
    pub(crate) reason: Refusal,
    /// How many calls have left here.
    pub(crate) count: AtomicU64,
    /// How many times a call has come back.
    pub(crate) back: AtomicU64,
    /// Where they come back to, once that was looked for: a [`Reentry`](crate::specialisation::Reentry).
    pub(crate) reentry: OnceLock<Option<Weak<dyn Any + Send + Sync>>>,
}

impl Resume {
    /// The function that is innermost, and where it goes on.
    pub(crate) fn name(&self) -> String {
        let Some(frame) = self.frames.last() else { return String::new() };
        format!("{} from line {}", frame.code.object.code.qualname, frame.code.line(frame.way.pc))
    }

    /// A call comes back.
    pub(crate) fn comes_back(&self) {
        self.back.fetch_add(1, Ordering::Relaxed);
    }
}

/// A call, or a generator, that goes on as plain Python.
#[derive(Clone, Debug)]
pub(crate) struct FrameTemplate {
    pub(crate) code: Arc<Code>,
    pub(crate) globals: PyDictRef,
    pub(crate) builtins: PyObjectRef,
    pub(crate) closure: Vec<Template>,
    /// Where, and which variables and entries of the stack there are.
    pub(crate) way: Way,
    /// Their values, for each part that the prologue takes: variables, then the stack, bottom first.
    pub(crate) values: Vec<Vec<Template>>,
    /// Variables that are bound, and that the program does not look at again.
    pub(crate) dead: Vec<DeadVariable>,
    /// For a frame that waits for `__init__`: the new object.
    pub(crate) made: Option<Template>,
    /// The code with its prologue, once it was needed.
    pub(crate) landing: OnceLock<PyRef<PyCode>>,
    /// The same, for one instruction only.
    pub(crate) landing_once: OnceLock<PyRef<PyCode>>,
    /// The same, for raising at that instruction.
    pub(crate) landing_raising: OnceLock<PyRef<PyCode>>,
}

/// An object that the program changed, and what is in it now.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) target: Template,
    pub(crate) contents: ContentsTemplate,
}

/// How to make the contents of a mutable object.
#[derive(Clone, Debug)]
pub(crate) enum ContentsTemplate {
    /// Items of a list.
    List(Vec<Template>),
    /// Items that follow those of a list, whatever they are.
    Appended(Vec<Template>),
    /// Items of a dict.
    Dict(Vec<(Template, Template)>),
    /// Items of a set.
    Set(Vec<Template>),
    /// Value of a cell.
    Cell(Option<Template>),
    /// Value of one item of a dict.
    Item(PyObjectRef, Template),
}

impl ContentsTemplate {
    /// Whether it is a list of the compiled code in which there are lists.
    pub(crate) fn has_lists(&self) -> bool {
        fn is_nested(template: &Template) -> bool {
            match template {
                Template::Leaf { ty: Type::List(list), .. } => list.nesting > 0,
                Template::Tuple(parts) | Template::Made { parts, .. } => parts.iter().any(is_nested),
                // What is made of it may have to be made first.
                Template::Pooled(_) => true,
                _ => false,
            }
        }
        matches!(self, Self::List(items) if items.first().is_some_and(is_nested))
    }
}

/// What leaving through an exit means.
#[derive(Clone, Debug)]
pub(crate) enum ExitKind {
    /// It returned this.
    Return {
        /// The result.
        result: Template,
        /// What it did before.
        effects: Vec<Effect>,
    },
    /// It raised this. Only where there is no interpreter.
    Raise {
        exception: Template,
        /// Where it was raised first, if that is not where it left: innermost first.
        effects: Vec<Effect>,
    },
    /// An operation raises on these operands. Only where there is no interpreter.
    Again {
        /// What is done.
        operation: Operation,
        /// Its operands.
        operands: Vec<Template>,
        /// What it did before.
        effects: Vec<Effect>,
    },
    /// It goes on as plain Python, because compiled code cannot go on.
    Resume(Arc<Resume>),
    /// It goes on as plain Python, because something has failed, here or in what the frames wait for.
    Checkpoint(Arc<Resume>),
    /// The call of the entry restarts as plain Python, whoever calls.
    Restart(Arc<Resume>),
    /// An operation raises: it leaves at the checkpoint that reaches it.
    Failure,
}

/// An operation that may raise.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A binary operator: its name in `operator`, `x` and `y`.
    Call(PyObjectRef),
}

/// What a host function does.
#[derive(Clone, Debug)]
pub(crate) enum HostKind {
    /// Says what the call has done by then, where there is no plain continuation to do it: an interrupt that ends the call
    /// leaves that behind.
    Note {
        /// What it has done; its operands are their values.
        effects: Vec<Effect>,
    },
    /// Calls an object. The result is dropped.
    Call {
        /// What is called.
        callable: PyObjectRef,
        /// Positional arguments.
        args: Vec<Template>,
        /// Keyword arguments.
        kwargs: Vec<(String, Template)>,
    },
    /// Calls an object that gives a float, an int or a bool.
    Compute {
        /// What is called.
        callable: PyObjectRef,
        /// Positional arguments.
        args: Vec<Template>,
        /// What it gives.
        result: Type,
    },
    /// Gives its operand back, as a constant where it is differentiated. Never called: see `gradient::finish`.
    Stop,
    /// Gives its operand back: tells values apart while a call is captured. Never called.
    Mark,
    /// Gives its operand back, which an operation with a derivative of its own is given. Never called.
    Border,
    /// Gives back what an operation with a derivative of its own has given, which the module knows. Never called.
    Custom,
    /// Carries out an instruction.
    Cross(Box<Crossing>),
    /// Carries out an operation on tensors, which the module names.
    Tensor,
    /// Gives an object that is known: a tensor.
    Known(PyObjectRef),
    /// Gives the object of this number that is handed on: a tensor in a field of a record.
    Field,
    /// Counts a tick, and raises if there was none left.
    Tick,
    /// Sorts lists of the compiled code by the first ones, as `list.sort` does.
    Sort {
        /// What those it sorts by hold: the first decides, then the second.
        keys: Vec<Elem>,
        /// Whether they are the parts of tuples.
        are_tuples: bool,
        /// Whether the largest comes first.
        reverse: bool,
    },
}
