//! What all paths of a capture share.

mod parts;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::builtins::PyStrInterned;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, VirtualMachine};
use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Block, Entity, ExitId, FuncId, HostId, Loc, Value};
use snekpy_stage::ir::{ExitData, Function, HostData, LocData, Module};
use snekpy_stage::op::{Const, Op};
use snekpy_stage::types::Type;

use crate::callable::Orders;
use crate::capture::checkpoint::Built;
use crate::capture::dead::Tales;
use crate::capture::element::Elements;
use crate::capture::explore::Choosing;
use crate::capture::heap::{Base, Heap};
use crate::capture::list::Guess;
use crate::capture::recursion::Outlined;
use crate::capture::sample::Samples;
use crate::capture::state::{Frame, State};
use crate::capture::trail::Trails;
use crate::capture::value::Num;
use crate::code::Pc;
use crate::exit::{ExitKind, HostKind};
use crate::guard::Guards;
use crate::interrupt::signals;
use crate::limits::{Allowance, budget};
use crate::rep::{Rep, StagedObject};
use crate::site::{Site, Ways};
use crate::threads::Still;

pub(crate) use parts::{Calls, Given, Learnt, Objects, Pauses, Rows, Rules, Running, Tensors};

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
    /// Where the exceptions of the running path were raised.
    pub(crate) raised: Trails,
    /// The ways that exceptions have come.
    pub(crate) ways: Ways,
    /// The instructions of IR that are none of the program's: they count ticks, or are checkpoints.
    pub(crate) uncounted: Vec<usize>,
    /// The function of the host that does.
    pub(crate) tick_host: Option<HostId>,
    /// How many checkpoints were made.
    pub(crate) checkpoints: u32,
    /// The exits that leave at a checkpoint, by name.
    pub(crate) failures: HashMap<String, ExitId>,
    locs: HashMap<(Option<Loc>, usize, Pc), Loc>,
    constants: HashMap<(Block, Const), Value>,
    /// What a call is given, as the capture sees it.
    pub(crate) given: Given,
    /// What the program's objects show, and what the paths have done to them.
    pub(crate) objects: Objects,
    /// What a capture may do, and what becomes of what it may not.
    pub(crate) rules: Rules,
    /// When others are let in.
    pub(crate) pauses: Pauses<'vm>,
    /// What the running instruction has done so far.
    pub(crate) running: Running,
    /// What an attempt has learnt for the next one.
    pub(crate) learnt: Learnt,
    /// Functions that stay functions, and the one that is being built.
    pub(crate) calls: Calls,
    /// Host functions for tensors, and what is known of sizes.
    pub(crate) tensors: Tensors,
    /// The attributes that are columns of rows: see [`snekpy_stage::row`].
    pub(crate) columns: Vec<&'static PyStrInterned>,
    /// What is handed on, in the call that the code is made for.
    pub(crate) samples: Samples,
    /// Objects of record classes.
    pub(crate) table: Rows,
    /// The cells with the columns of the pools.
    pub(crate) pools: Vec<PyObjectRef>,
    /// Which numbers choose among things that are known.
    pub(crate) choosing: Choosing,
    /// What dead variables hold.
    pub(crate) dead: Tales,
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
            module: Module::default(),
            func: Function::new("main"),
            owner: next_owner(),
            exits: Vec::new(),
            hosts: Vec::new(),
            guards: Guards::default(),
            base: Base::default(),
            sites: Vec::new(),
            raised: Trails::default(),
            ways: Ways::default(),
            uncounted: Vec::new(),
            tick_host: None,
            checkpoints: 0,
            failures: HashMap::default(),
            locs: HashMap::default(),
            constants: HashMap::default(),
            given: Given {
                kept: Vec::new(),
                arguments: HashMap::default(),
                passed: HashMap::default(),
                numbers_passed: HashMap::default(),
                ints_passed: HashMap::default(),
                objects_passed: HashMap::default(),
                list_params: Vec::new(),
                copies: HashSet::default(),
                tables: HashMap::default(),
                may_copy: false,
                may_know: false,
            },
            objects: Objects {
                fresh: RefCell::default(),
                has_nested: false,
                active: Heap::new(),
                let_go: HashSet::default(),
                changed: BTreeSet::new(),
                outside: 0,
                member_iterators: Vec::new(),
                variables: HashMap::default(),
                items: HashMap::default(),
                inputs: BTreeSet::new(),
            },
            rules: Rules {
                polls: true,
                allowance,
                shared,
                strict: mode != Mode::Lenient,
                crosses: mode != Mode::Strict,
                detached,
                elements: if detached { Elements::None } else { Elements::Read },
                orders: Orders::default(),
                fails: false,
            },
            pauses: Pauses { still, slice: Instant::now(), signals: signals::count(), ticks: 0 },
            running: Running {
                advanced: Vec::new(),
                reraised: false,
                to_append: false,
                loads: false,
                built: Built::default(),
                routine: false,
                found: None,
            },
            learnt: Learnt {
                guess: Guess::new(detached),
                loops: HashMap::default(),
                entry: None,
                leaves: HashMap::default(),
                handed: HashSet::default(),
                made_by: HashMap::default(),
            },
            calls: Calls {
                nested: Vec::new(),
                outlined,
                all_plain: false,
                parked: Vec::new(),
                open: false,
                voluntary: 0,
                building: 0,
                before: Heap::new(),
                start: Vec::new(),
                restart: None,
                restarts_inside: false,
            },
            tensors: Tensors {
                memories: HashMap::default(),
                unknown_memories: HashMap::default(),
                extents: HashMap::default(),
                fields: HashMap::default(),
                later_sizes: false,
                needs_sizes: false,
                worlds: Vec::new(),
            },
            columns: Vec::new(),
            samples: Samples::default(),
            pools: Vec::new(),
            table: Rows { records: None, touched: Vec::new() },
            choosing: Choosing::default(),
            dead: Tales::default(),
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
        budget::spend_on_instruction(self.func.insts.len());
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
        self.objects.fresh.borrow().contains_key(&object.get_id())
    }

    /// Marks an object without contents as made by the program.
    pub(crate) fn note_fresh(&self, object: PyObjectRef) {
        self.objects.fresh.borrow_mut().insert(object.get_id(), object);
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
        self.pauses.still = None;
    }
}

/// Counts functions that are built, over all captures of the process.
pub(crate) fn next_owner() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static OWNERS: AtomicU64 = AtomicU64::new(1);
    OWNERS.fetch_add(1, Ordering::Relaxed)
}
