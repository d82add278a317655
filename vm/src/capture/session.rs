//! What all paths of a capture share.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::builtins::{PyCode, PyDictRef};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyRef, VirtualMachine};
use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Block, Entity, ExitId, FuncId, HostId, Loc, Value};
use snekpy_stage::ir::{ExitData, Function, HostData, LocData, Module};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{TensorType, Type};

use crate::capture::checkpoint::{Built, Carried};
use crate::capture::heap::{Base, Heap};
use crate::capture::list::Guess;
use crate::capture::recursion::Outlined;
use crate::capture::state::{Frame, State};
use crate::capture::trail::{Trails, Ways};
use crate::capture::value::Num;
use crate::code::Pc;
use crate::exit::{ExitKind, HostKind};
use crate::gradient::Orders;
use crate::guard::Guards;
use crate::limits::Allowance;
use crate::refusal::Refusal;
use crate::rep::{Rep, StagedObject};
use crate::run::signals;
use crate::threads::Still;

/// What a capture does where compiled code has to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// It refuses.
    Strict,
    /// It refuses, but lets the VM carry out instructions.
    Crossing,
    /// Calls go on as plain Python from there.
    Lenient,
}

/// What all paths of a capture share.
pub(crate) struct Session<'vm> {
    /// The VM.
    pub(crate) vm: &'vm VirtualMachine,
    /// The module that is being built. The function that is being built is in `func`, not here.
    pub(crate) module: Module,
    /// The function that is being built.
    pub(crate) func: Function,
    /// Which function that is, counted over all captures, so that its Reps can be told from others.
    pub(crate) owner: u64,
    /// What each exit means to Python.
    pub(crate) exits: Vec<ExitKind>,
    /// What each host function means to Python.
    pub(crate) hosts: Vec<HostKind>,
    /// What was read from the world.
    pub(crate) guards: Guards,
    /// Mutable objects as they were.
    pub(crate) base: Base,
    /// The places that locations stand for.
    pub(crate) sites: Vec<Site>,
    /// Gradients that staged code calls.
    pub(crate) nested: Vec<crate::capture::derivative::Nested>,
    /// Functions that stay functions.
    pub(crate) outlined: Outlined,
    /// Objects made by the program during this capture.
    fresh: RefCell<HashMap<usize, PyObjectRef>>,
    /// Objects that stand for arguments, kept alive.
    pub(crate) kept: Vec<PyObjectRef>,
    /// Objects that stand for arguments: by identity, what they stand for.
    pub(crate) arguments: HashMap<usize, crate::exit::Root>,
    /// Arguments that are known by their identity: where they are.
    pub(crate) passed: HashMap<usize, crate::exit::Root>,
    /// Numbers that are arguments or in one: by value of the main function, where.
    pub(crate) numbers_passed: HashMap<Value, crate::exit::Root>,
    /// Whether nothing but the call as plain Python can do what the program does.
    pub(crate) all_plain: bool,
    /// Those of the objects that stand for lists, dicts and sets of the compiled code, and the objects of the world that
    /// do.
    pub(crate) list_params: Vec<PyObjectRef>,
    /// Whether lists of the compiled code are items of others: two objects of a path may then be one list.
    pub(crate) has_nested: bool,
    /// What empty lists hold, where that must be known.
    pub(crate) guess: Guess,
    /// What loops carried round when they were explored before, by place.
    pub(crate) loops: HashMap<crate::capture::state::Place, crate::capture::explore::LoopMemory>,
    /// What the program's objects show now.
    pub(crate) active: Heap,
    /// Objects that some path changes: what is in them may come to its end.
    pub(crate) let_go: HashSet<usize>,
    /// The objects that the running path has changed since then, by number.
    pub(crate) changed: BTreeSet<u32>,
    /// Paths that wait for the results of a recursive function.
    pub(crate) parked: Vec<State>,
    /// How many objects were known when the function that is being built was begun: they exist outside it.
    pub(crate) outside: u32,
    /// Whether the function that is being built calls one that is not known for sure yet.
    pub(crate) open: bool,
    /// Iterators that the running instruction has advanced, with what they were before.
    pub(crate) advanced: Vec<(PyObjectRef, crate::capture::value::Iter)>,
    /// Where the exceptions of the running path were raised.
    pub(crate) raised: Trails,
    /// The ways that exceptions have come.
    pub(crate) ways: Ways,
    /// Whether the exception that an instruction raises was raised before.
    pub(crate) reraised: bool,
    /// How many instructions of IR are none of the program's: they count ticks, or are checkpoints.
    pub(crate) counting: usize,
    /// The function of the host that does.
    pub(crate) tick_host: Option<HostId>,
    /// Whether signals are looked for. In the middle of a call they wait for its own frames, which may handle them.
    pub(crate) polls: bool,
    /// Whether the running instruction loads something only in order to append to it: a list may hold anything then.
    pub(crate) to_append: bool,
    /// The iterator objects over dicts and sets, which notice changes of those.
    pub(crate) member_iterators: Vec<PyObjectRef>,
    /// What this capture may use.
    pub(crate) allowance: Allowance,
    /// Whether other threads may see what the call does: it changes nothing that it has not made.
    pub(crate) shared: bool,
    /// The other threads stand still.
    pub(crate) still: Option<Still<'vm>>,
    /// Since when nobody else has run.
    pub(crate) slice: Instant,
    /// How many signals had come at the beginning.
    pub(crate) signals: u32,
    /// Lists and maps of the compiled code that are copies of objects of the world.
    pub(crate) copies: HashSet<Value>,
    /// The lists and maps of constant tables, by the identity of these.
    pub(crate) tables: HashMap<usize, PyObjectRef>,
    /// How many instructions have run.
    pub(crate) ticks: u32,
    /// How many loops are being explored as loops that could be unrolled instead.
    pub(crate) voluntary: u32,
    /// How many functions that stay functions are being built, one inside the other.
    pub(crate) building: u32,
    /// Where the function begins.
    pub(crate) start: Vec<crate::refusal::Place>,
    /// The first instruction of all.
    pub(crate) entry: Option<crate::capture::state::Place>,
    /// Places where calls go on as plain Python, and why.
    pub(crate) leaves: HashMap<crate::capture::state::Place, Refusal>,
    /// What compiled code hands on, so that nothing is known of it.
    pub(crate) handed: HashSet<crate::capture::handed::Handed>,
    /// Whether the running instruction only loads something.
    pub(crate) loads: bool,
    /// Which instruction has made an object, by identity.
    pub(crate) made_by: HashMap<usize, crate::capture::handed::Site>,
    /// Whether what cannot be compiled is refused, and not left to plain Python.
    pub(crate) strict: bool,
    /// Whether the VM may carry out instructions.
    pub(crate) crosses: bool,
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
    /// The table of records of the call, if there is one.
    pub(crate) records: Option<crate::capture::record::Records>,
    /// The dicts of the world that staged code changes, if there are records.
    pub(crate) touched: Vec<PyObjectRef>,
    /// Whether there is no plain Python that a call could go on as.
    pub(crate) detached: bool,
    /// How often the function that is being built is differentiated.
    pub(crate) orders: Orders,
    /// Whether the call itself is differentiated, and fails where a derivative cannot be.
    pub(crate) fails: bool,
    /// How many checkpoints were made.
    pub(crate) checkpoints: u32,
    /// What the running instruction has built.
    pub(crate) built: Built,
    /// That of the entry: the call begins anew.
    pub(crate) restart: Option<Carried>,
    /// Whether the capture may ask for lists that are passed to be copied.
    pub(crate) may_copy: bool,
    /// Whether a function that is no main function begins the call anew.
    pub(crate) restarts_inside: bool,
    /// The exits that leave at a checkpoint, by name.
    pub(crate) failures: HashMap<String, ExitId>,
    /// Whether the decision that an instruction is about to ask for is none of the program's.
    pub(crate) routine: bool,
    /// Items of dicts of the world that staged code assigns, or that are inputs: by dict and key, a cell that
    /// stands for the item.
    pub(crate) variables: HashMap<(usize, String), PyObjectRef>,
    /// What those cells stand for, by identity.
    pub(crate) items: HashMap<usize, (PyDictRef, PyObjectRef)>,
    /// The cells that are inputs, by number.
    pub(crate) inputs: BTreeSet<u32>,
    locs: HashMap<(Option<Loc>, usize, Pc), Loc>,
    constants: HashMap<(Block, Const), Value>,
}

/// A place in the program that a location stands for.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) code: PyRef<PyCode>,
    pub(crate) globals: PyDictRef,
    /// The index of the code unit.
    pub(crate) unit: u32,
}

impl Site {
    /// Whether both are the same place of the same code.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.unit == other.unit && self.code.is(&other.code) && self.globals.is(&other.globals)
    }
}

impl<'vm> Session<'vm> {
    /// A session that builds `func` first.
    pub(crate) fn new(
        vm: &'vm VirtualMachine,
        outlined: Outlined,
        mode: Mode,
        detached: bool,
        shared: bool,
        allowance: Allowance,
    ) -> Self {
        let still = shared.then(|| Still::new(vm));
        Self {
            vm,
            allowance,
            shared,
            still,
            slice: Instant::now(),
            signals: signals::count(),
            copies: HashSet::default(),
            tables: HashMap::default(),
            counting: 0,
            tick_host: None,
            module: Module::default(),
            func: Function::new("main"),
            owner: next_owner(),
            exits: Vec::new(),
            hosts: Vec::new(),
            guards: Guards::default(),
            base: Base::default(),
            sites: Vec::new(),
            outlined,
            fresh: RefCell::default(),
            arguments: HashMap::default(),
            kept: Vec::new(),
            passed: HashMap::default(),
            numbers_passed: HashMap::default(),
            all_plain: false,
            list_params: Vec::new(),
            has_nested: false,
            guess: Guess::default(),
            loops: HashMap::default(),
            active: Heap::new(),
            let_go: HashSet::default(),
            changed: BTreeSet::new(),
            parked: Vec::new(),
            outside: 0,
            open: false,
            advanced: Vec::new(),
            raised: Trails::default(),
            ways: Ways::default(),
            reraised: false,
            polls: true,
            to_append: false,
            member_iterators: Vec::new(),
            ticks: 0,
            voluntary: 0,
            building: 0,
            nested: Vec::new(),
            start: Vec::new(),
            entry: None,
            leaves: HashMap::default(),
            handed: HashSet::default(),
            loads: false,
            made_by: HashMap::default(),
            memories: HashMap::default(),
            unknown_memories: HashMap::default(),
            extents: HashMap::default(),
            fields: HashMap::default(),
            later_sizes: false,
            needs_sizes: false,
            worlds: Vec::new(),
            records: None,
            touched: Vec::new(),
            strict: mode != Mode::Lenient,
            crosses: mode != Mode::Strict,
            detached,
            orders: Orders::default(),
            fails: false,
            checkpoints: 0,
            built: Built::default(),
            restart: None,
            may_copy: false,
            restarts_inside: false,
            failures: HashMap::default(),
            routine: false,
            variables: HashMap::default(),
            items: HashMap::default(),
            inputs: BTreeSet::new(),
            locs: HashMap::default(),
            constants: HashMap::default(),
        }
    }

    /// Appends an instruction at the end of the path's block. It comes from the path's current place.
    pub(crate) fn emit(&mut self, state: &State, op: Op, args: &[Value]) -> Vec<Value> {
        let loc = self.loc(state);
        let mut builder = Builder::new(&self.module, &mut self.func, state.block);
        builder.at(loc);
        let values = match builder.inst(op, args) {
            Ok(values) => values,
            Err(fault) => unreachable!("capture builds well-typed IR: {op:?}: {fault}"),
        };
        self.note_built(state, Entity::new(self.func.insts.len() - 1));
        values
    }

    /// Appends an instruction with one result.
    pub(crate) fn value(&mut self, state: &State, op: Op, args: &[Value]) -> Value {
        self.emit(state, op, args)[0]
    }

    /// A constant at the end of the path's block.
    pub(crate) fn constant(&mut self, block: Block, constant: Const) -> Value {
        if let Some(&value) = self.constants.get(&(block, constant))
            && self.func.values.lookup(value).is_some()
            && self.func.as_const(value) == Some(constant)
        {
            return value;
        }
        let value = Builder::new(&self.module, &mut self.func, block).constant(constant);
        self.constants.insert((block, constant), value);
        value
    }

    /// Forgets constants: a function begins or is rolled back.
    pub(crate) fn forget_constants(&mut self) {
        self.constants.clear();
    }

    /// The SSA value of a number.
    pub(crate) fn lift(&mut self, state: &State, num: Num) -> Value {
        match num {
            Num::Static(it) => self.constant(state.block, it),
            Num::Staged(value, _) => value,
        }
    }

    /// The object that stands for an SSA value.
    pub(crate) fn rep(&self, value: Value) -> PyObjectRef {
        let ty = self.func.ty(value);
        if let Type::Object(class) = ty {
            return StagedObject { value, class, owner: self.owner }.into_ref(&self.vm.ctx).into();
        }
        if let Type::Tensor(tensor) = ty {
            return self.tensor_object(value, tensor);
        }
        Rep { value, ty, owner: self.owner }.into_ref(&self.vm.ctx).into()
    }

    /// A builder at the end of a block.
    pub(crate) fn builder(&mut self, block: Block) -> Builder<'_> {
        Builder::new(&self.module, &mut self.func, block)
    }

    /// The location of the instruction that a path is at.
    pub(crate) fn loc(&mut self, state: &State) -> Option<Loc> {
        let frame = state.frames.last()?;
        Some(self.loc_of(frame, frame.pc))
    }

    /// The location of an instruction of a frame.
    pub(crate) fn loc_of(&mut self, frame: &Frame, pc: Pc) -> Loc {
        let key = (frame.caller, frame.code.object.get_id(), pc);
        if let Some(&loc) = self.locs.get(&key) {
            return loc;
        }
        let tag = self.sites.len() as u64;
        let unit = frame.code.instrs[pc as usize].unit;
        self.sites.push(Site { code: frame.code.object.clone(), globals: frame.globals.clone(), unit });
        let span = frame.code.span(pc);
        let code = &frame.code.object.code;
        let loc = self.module.locs.push(LocData {
            file: Arc::from(code.source_path.as_str()),
            func: Arc::from(code.qualname.as_str()),
            line: span.line,
            column: span.col,
            caller: frame.caller,
            tag,
        });
        self.locs.insert(key, loc);
        loc
    }

    /// Makes a way out.
    pub(crate) fn exit(&mut self, name: impl Into<String>, types: Vec<Type>, kind: ExitKind) -> ExitId {
        let exit = self.module.exits.push(ExitData::new(name, types));
        self.exits.push(kind);
        debug_assert_eq!(self.exits.len(), exit.index() + 1);
        exit
    }

    /// Makes a host function.
    pub(crate) fn host(
        &mut self,
        name: impl Into<String>,
        params: Vec<Type>,
        results: Vec<Type>,
        kind: HostKind,
    ) -> HostId {
        let host = self.module.hosts.push(HostData::new(name, params, results));
        self.hosts.push(kind);
        host
    }

    /// Says that the program made this object during the capture. Keeps it alive, so that its identity is
    /// not given to another one.
    pub(crate) fn made(&mut self, object: PyObjectRef) -> PyObjectRef {
        self.note_fresh(object.clone());
        self.base.keep(&object, self.vm);
        object
    }

    /// Whether the program made this object during the capture.
    pub(crate) fn is_fresh(&self, object: &PyObject) -> bool {
        self.fresh.borrow().contains_key(&object.get_id())
    }

    /// Marks an object without contents as made by the program.
    pub(crate) fn note_fresh(&self, object: PyObjectRef) {
        self.fresh.borrow_mut().insert(object.get_id(), object);
    }

    /// The id that the next finished function will have.
    pub(crate) fn reserve_func(&mut self, name: String) -> FuncId {
        self.module.funcs.push(Function::new(name))
    }
}

impl Drop for Session<'_> {
    /// However the capture ends, by a panic too.
    fn drop(&mut self) {
        self.base.end(self.vm);
        // What is let go of after this may end, which runs Python.
        self.still = None;
    }
}

/// Counts functions that are built, over all captures of the process.
pub(crate) fn next_owner() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static OWNERS: AtomicU64 = AtomicU64::new(1);
    OWNERS.fetch_add(1, Ordering::Relaxed)
}
