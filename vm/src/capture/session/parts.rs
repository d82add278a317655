//! The parts of what all paths share: each has a story of its own.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::PyDictRef;
use snekpy_stage::entity::{HostId, Value};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{TensorType, Type};

use crate::callable::Orders;
use crate::capture::checkpoint::{Built, Carried};
use crate::capture::element::Elements;
use crate::capture::heap::Heap;
use crate::capture::list::Guess;
use crate::capture::recursion::Outlined;
use crate::capture::state::State;
use crate::limits::Allowance;
use crate::refusal::Refusal;
use crate::threads::Still;

/// What a call is given, as the capture sees it.
pub(crate) struct Given {
    /// Objects that stand for arguments, kept alive.
    pub(crate) kept: Vec<PyObjectRef>,
    /// Objects that stand for arguments: by identity, what they stand for.
    pub(crate) arguments: HashMap<usize, crate::flatten::Root>,
    /// Arguments that are known by their identity: where they are.
    pub(crate) passed: HashMap<usize, crate::flatten::Root>,
    /// Numbers that are arguments or in one: by value of the function that is built, where.
    pub(crate) numbers_passed: HashMap<Value, crate::flatten::Root>,
    /// The ints among the parameters of a function that is differentiated, which are known where it is called.
    pub(crate) ints_passed: HashMap<Value, crate::capture::recursion::IntPassed>,
    /// The same for objects that compiled code only hands on.
    pub(crate) objects_passed: HashMap<Value, crate::flatten::Root>,
    /// Those of the objects that stand for lists, dicts and sets of the compiled code, and the objects of the world that
    /// do.
    pub(crate) list_params: Vec<PyObjectRef>,
    /// Lists and maps of the compiled code that are copies of objects of the world.
    pub(crate) copies: HashSet<Value>,
    /// The lists and maps of constant tables, by the identity of these.
    pub(crate) tables: HashMap<usize, PyObjectRef>,
    /// Whether the capture may ask for lists that are passed to be copied.
    pub(crate) may_copy: bool,
    /// Whether the capture may ask for numbers that are passed to be known.
    pub(crate) may_know: bool,
}

/// What the program's objects show, and what the paths have done to them.
pub(crate) struct Objects {
    /// Objects made by the program during this capture.
    pub(crate) fresh: RefCell<HashMap<usize, PyObjectRef>>,
    /// Whether lists of the compiled code are items of others: two objects of a path may then be one list.
    pub(crate) has_nested: bool,
    /// What the program's objects show now.
    pub(crate) active: Heap,
    /// Objects that some path changes: what is in them may come to its end.
    pub(crate) let_go: HashSet<usize>,
    /// The objects that the running path has changed since then, by number.
    pub(crate) changed: BTreeSet<u32>,
    /// How many objects were known when the function that is being built was begun: they exist outside it.
    pub(crate) outside: u32,
    /// The iterator objects over dicts and sets, which notice changes of those.
    pub(crate) member_iterators: Vec<PyObjectRef>,
    /// Items of dicts of the world that staged code assigns, or that are inputs: by dict and key, a cell that
    /// stands for the item.
    pub(crate) variables: HashMap<(usize, String), PyObjectRef>,
    /// What those cells stand for, by identity.
    pub(crate) items: HashMap<usize, (PyDictRef, PyObjectRef)>,
    /// The cells that are inputs, by number.
    pub(crate) inputs: BTreeSet<u32>,
}

/// What a capture may do, and what becomes of what it may not.
pub(crate) struct Rules {
    /// Whether signals are looked for. In the middle of a call they wait for its own frames, which may handle them.
    pub(crate) polls: bool,
    /// What this capture may use.
    pub(crate) allowance: Allowance,
    /// Whether other threads may see what the call does: it changes nothing that it has not made.
    pub(crate) shared: bool,
    /// Whether what cannot be compiled is refused, and not left to plain Python.
    pub(crate) strict: bool,
    /// Whether the VM may carry out instructions.
    pub(crate) crosses: bool,
    /// Whether there is no plain Python that a call could go on as.
    pub(crate) detached: bool,
    /// Which elements of tensors are numbers: none where the function that is being built is differentiated.
    pub(crate) elements: Elements,
    /// How often the function that is being built is differentiated.
    pub(crate) orders: Orders,
    /// Whether the call itself is differentiated, and fails where a derivative cannot be.
    pub(crate) fails: bool,
}

/// When others are let in.
pub(crate) struct Pauses<'vm> {
    /// The other threads stand still.
    pub(crate) still: Option<Still<'vm>>,
    /// Since when nobody else has run.
    pub(crate) slice: Instant,
    /// How many signals had come at the beginning.
    pub(crate) signals: u32,
    /// How many instructions have run.
    pub(crate) ticks: u32,
}

/// What the running instruction has done so far.
pub(crate) struct Running {
    /// Iterators that the running instruction has advanced, with what they were before.
    pub(crate) advanced: Vec<(PyObjectRef, crate::capture::value::Iter)>,
    /// Whether the exception that an instruction raises was raised before.
    pub(crate) reraised: bool,
    /// Whether the running instruction loads something only in order to append to it: a list may hold anything then.
    pub(crate) to_append: bool,
    /// Whether the running instruction only loads something.
    pub(crate) loads: bool,
    /// What the running instruction has built.
    pub(crate) built: Built,
    /// Whether the decision that an instruction is about to ask for is none of the program's.
    pub(crate) routine: bool,
    /// What the running instruction has found a number to be that is known later.
    pub(crate) found: Option<(Value, i64)>,
}

/// What an attempt has learnt for the next one.
pub(crate) struct Learnt {
    /// What empty lists hold, where that must be known.
    pub(crate) guess: Guess,
    /// What loops carried round when they were explored before, by place.
    pub(crate) loops: HashMap<crate::capture::state::Place, crate::capture::explore::LoopMemory>,
    /// The first instruction of all.
    pub(crate) entry: Option<crate::capture::state::Place>,
    /// Places where calls go on as plain Python, and why.
    pub(crate) leaves: HashMap<crate::capture::state::Place, Refusal>,
    /// What compiled code hands on, so that nothing is known of it.
    pub(crate) handed: HashSet<crate::capture::handed::Handed>,
    /// Which instruction has made an object, by identity.
    pub(crate) made_by: HashMap<usize, crate::capture::handed::Site>,
}

/// Functions that stay functions, and the one that is being built.
pub(crate) struct Calls {
    /// Gradients that staged code calls.
    pub(crate) nested: Vec<crate::captured::Nested>,
    /// Functions that stay functions.
    pub(crate) outlined: Outlined,
    /// Whether nothing but the call as plain Python can do what the program does.
    pub(crate) all_plain: bool,
    /// Paths that wait for the results of a recursive function.
    pub(crate) parked: Vec<State>,
    /// Whether the function that is being built calls one that is not known for sure yet.
    pub(crate) open: bool,
    /// How many loops are being explored as loops that could be unrolled instead.
    pub(crate) voluntary: u32,
    /// How many functions that stay functions are being built, one inside the other.
    pub(crate) building: u32,
    /// What the path had changed where the function that is being built, no main function, begins.
    pub(crate) before: Heap,
    /// Where the function begins.
    pub(crate) start: Vec<crate::refusal::Place>,
    /// That of the entry: the call begins anew.
    pub(crate) restart: Option<Carried>,
    /// Whether a function that is no main function begins the call anew.
    pub(crate) restarts_inside: bool,
}

/// Host functions for tensors, and what is known of sizes.
pub(crate) struct Tensors {
    /// The host functions that say where the elements of tensors of a type are.
    pub(crate) memories: HashMap<TensorType, HostId>,
    /// Those that say so of objects that may be tensors.
    pub(crate) unknown_memories: HashMap<(Type, Dtype, usize), HostId>,
    /// Those that give sizes that are known only later.
    pub(crate) extents: HashMap<usize, HostId>,
    /// Those that give tensors in fields of records.
    pub(crate) fields: HashMap<TensorType, HostId>,
    /// Whether there are such sizes, and whether something has needed to know them.
    pub(crate) later_sizes: bool,
    pub(crate) needs_sizes: bool,
    /// Those that give tensors of the world.
    pub(crate) worlds: Vec<(PyObjectRef, HostId)>,
}

/// Objects of record classes.
pub(crate) struct Rows {
    /// The table of records of the call, if there is one.
    pub(crate) records: Option<crate::capture::record::Records>,
    /// The dicts of the world that staged code changes, if there are records.
    pub(crate) touched: Vec<PyObjectRef>,
}
