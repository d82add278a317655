//! What compiled code looks like from outside.
//!
//! Every back end, the reference interpreter included, turns a verified module into a [`Code`], and all
//! of them speak one binary interface: values travel in 64-bit *slots*, everything that compiled code
//! needs at run time is in a [`Context`], and a call ends with a packed [`Status`].
//!
//! Slots: a truth value is 0 or 1, an integer and a double are their bits, an array is two slots (address
//! of the first element, number of elements), a list the address of a [`List`], a
//! map or set that of a [`Map`]. An object is a *handle*: a number that the host has given it for this call, of which it
//! counts the owners. [`NO_OBJECT`] is none, [`NONE`] is Python's None.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::entity::{Entity, ExitId, Loc};
use crate::ir::Module;
use crate::kernel::Kernel;
use crate::list::{self, List, Lists};
use crate::map::{self, Map, Maps};
use crate::sizes;
use crate::types::Type;

/// Turns modules into code.
pub trait Backend: Send + Sync {
    /// What it is called on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Compiles a verified module. The code's entry is the module's main function.
    ///
    /// # Errors
    /// A [`BackendError`] when this machine cannot: never because of the program.
    fn compile(&self, module: &Module) -> Result<Arc<dyn Code>, BackendError>;

    /// The module after the back end's own lowering, as text: `llvm`, `asm`.
    ///
    /// # Errors
    /// A [`BackendError`] when the back end has no such form, or cannot compile the module.
    fn inspect(&self, module: &Module, form: &str) -> Result<String, BackendError>;

    /// Compiles the loop over the body of a verified kernel so that several positions run beside each other, if the back
    /// end can do that and it pays. The code takes what that of [`loop_module`](crate::kernel::host::loop_module) takes
    /// and stores the same bits; where a position fails it leaves, of several positions by any of their failures.
    ///
    /// # Errors
    /// As for [`Backend::compile`].
    fn compile_lanes(&self, _kernel: &Kernel) -> Result<Option<Arc<dyn Code>>, BackendError> {
        Ok(None)
    }

    /// That loop after the back end's own lowering, where [`Backend::compile_lanes`] compiles one.
    ///
    /// # Errors
    /// As for [`Backend::inspect`].
    fn inspect_lanes(&self, _kernel: &Kernel, _form: &str) -> Result<Option<String>, BackendError> {
        Ok(None)
    }
}

/// Compiled code. Any number of threads may run it at once.
pub trait Code: Send + Sync {
    /// Runs the main function.
    ///
    /// # Safety
    /// `args` has the slots of the parameters, `results` room for the slots of the results. Arrays among
    /// the arguments stay where they are during the call, and nobody else writes them. The context's
    /// `payload` has room for the slots of every exit of the module.
    unsafe fn run(&self, cx: &mut Context, args: *const u64, results: *mut u64) -> Status;
}

/// What compiled code needs at run time. One per call from the host; compiled code calls share it.
///
/// The layout is known to the back ends through `offset_of!`.
#[repr(C)]
pub struct Context {
    /// Not zero: call `on_poll` at the next loop back-edge or call.
    pub poll: *const AtomicU32,
    /// How many more calls of functions of the module may be nested.
    pub depth: i64,
    /// Where an exit puts the slots of its values.
    pub payload: *mut u64,
    /// Called when `poll` is not zero. Zero means go on, anything else ends the call with [`Trap::Interrupted`].
    pub on_poll: unsafe extern "C" fn(*mut Context) -> u32,
    /// Calls a function of the host: its number, the slots of its arguments, room for those of its results.
    /// Zero means that it returned, anything else ends the call with [`Trap::HostFailed`].
    pub host: unsafe extern "C" fn(*mut Context, u32, *const u64, *mut u64) -> u32,
    /// Told of each call of a function of the module that is being left other than by returning, innermost first:
    /// a status with the exit of the call, if it has one, and its place. The payload still holds the values of what
    /// was left before; those of the call's own exit are put there next. The place of what failed is in the status
    /// that `run` gives. [`Status::FORGET`] says that all that was told so far is void: the caller leaves at a
    /// checkpoint of its own.
    pub unwind: unsafe extern "C" fn(*mut Context, u64),
    /// For whoever made the context.
    pub data: *mut c_void,
    /// Makes a list: see [`list::new`].
    pub list_new: unsafe extern "C" fn(*mut Context, u32) -> *mut List,
    /// Changes a list: see [`list::change`].
    pub list_change: unsafe extern "C" fn(*mut List, u32, i64, *mut u64) -> u32,
    /// The lists of this call.
    pub lists: Lists,
    /// Makes a map: see [`map::new`].
    pub map_new: unsafe extern "C" fn(*mut Context, u32) -> *mut Map,
    /// The maps and sets of this call.
    pub maps: Maps,
    /// An object has an owner more, or one less if the last operand is 0.
    pub count: unsafe extern "C" fn(*mut Context, u64, u32),
    /// How many owners the objects of the first handles have, by handle: compiled code counts them itself, but for the
    /// one that would leave 0.
    pub owners: *mut u32,
    /// How many handles these are.
    pub counted: u64,
    /// The rows of the objects of the first handles: see [`crate::row`]. Of an object without one, a row of zeroes.
    pub rows: *const *mut u64,
    /// How many handles have a place for a row.
    pub rowed: u64,
    /// What is known of the tensors of those handles that are counted, if the module has nests.
    pub tensors: *const TensorPlace,
    /// For each function of the host, the handles of what it has given last as a nest, or 0: two of them, of which it
    /// writes over the one that has no owner left. Those are less than `counted`.
    pub nests: *mut [u32; 2],
    /// A handle of a tensor that is not written yet for a function of the host, a nest, which has none to write over: less than
    /// `counted`, or 0.
    pub blank: unsafe extern "C" fn(*mut Context, u32) -> u64,
    /// The first element of a dense copy of a tensor that does not lie dense, for a nest that reads it;
    /// null where it is large or does not lie in this machine's memory.
    pub dense: unsafe extern "C" fn(*mut Context, u64) -> *const u8,
    /// The sizes that the module knows only later, see [`sizes`].
    pub sizes: [u64; sizes::MOST],
    /// The code point of the character of a `str`, or the byte of `bytes`, at an index, 0 where there is none; at
    /// [`TEXT_LEN`] how many there are.
    pub text: unsafe extern "C" fn(*mut Context, u64, i64) -> i64,
}

/// What compiled code knows of a tensor.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TensorPlace {
    /// Its first element, if its elements lie dense in this machine's memory, and may be written; else null.
    pub data: *mut u8,
    /// 1 if nobody but the table of handles knows it, and nobody else has its memory.
    pub alone: u64,
}

impl TensorPlace {
    /// Of what is no such tensor.
    pub const NONE: Self = Self { data: std::ptr::null_mut(), alone: 0 };
}

/// Set among the owners of an object whose place keeps it, and its handle, when it has no owner left.
pub const KEPT: u32 = 1 << 31;

/// What stands for an index where the length of a text is asked for.
pub const TEXT_LEN: i64 = i64::MIN;

/// The handle of no object.
pub const NO_OBJECT: u64 = 0;
/// The handle of Python's None.
pub const NONE: u64 = 1;

impl Context {
    /// Whether it has lists or maps, or a budget for them: dropping it does nothing otherwise.
    #[inline]
    pub fn owns_memory(&self) -> bool {
        self.lists.owns_memory() || self.maps.owns_memory()
    }

    /// A context that is never interrupted and has no host, for code that calls none.
    #[inline]
    pub fn detached(payload: &mut [u64]) -> Self {
        static NEVER: AtomicU32 = AtomicU32::new(0);
        unsafe extern "C" fn on_poll(_: *mut Context) -> u32 {
            0
        }
        unsafe extern "C" fn host(_: *mut Context, _: u32, _: *const u64, _: *mut u64) -> u32 {
            1
        }
        unsafe extern "C" fn unwind(_: *mut Context, _: u64) {}
        unsafe extern "C" fn count(_: *mut Context, _: u64, _: u32) {}
        unsafe extern "C" fn text(_: *mut Context, _: u64, _: i64) -> i64 {
            0
        }
        unsafe extern "C" fn blank(_: *mut Context, _: u32) -> u64 {
            NO_OBJECT
        }
        unsafe extern "C" fn dense(_: *mut Context, _: u64) -> *const u8 {
            std::ptr::null()
        }
        Self {
            poll: &raw const NEVER,
            depth: 1000,
            payload: payload.as_mut_ptr(),
            on_poll,
            host,
            unwind,
            data: std::ptr::null_mut(),
            list_new: list::new,
            list_change: list::change,
            lists: Lists::default(),
            map_new: map::new,
            maps: Maps::default(),
            count,
            owners: std::ptr::null_mut(),
            counted: 0,
            rows: std::ptr::null(),
            rowed: 0,
            tensors: std::ptr::null(),
            nests: std::ptr::null_mut(),
            blank,
            dense,
            sizes: [0; sizes::MOST],
            text,
        }
    }
}

/// How a call ended: what happened in the low 32 bits, where in the high ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Status(pub u64);

/// How a call ended, taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The results are there.
    Returned,
    /// It left through an exit; the values are in the payload.
    Exit(ExitId, Option<Loc>),
    /// It could not go on. If a checkpoint reached that place, the values of its exit are in the payload.
    Trap(Trap, Option<ExitId>, Option<Loc>),
}

/// Why compiled code could not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// An integer result does not fit in 64 bits.
    Overflow,
    /// `on_poll` said so.
    Interrupted,
    /// Calls are nested too deeply.
    Depth,
    /// A function of the host failed; the host knows how.
    HostFailed,
    /// There is no memory for a list or a map.
    Memory,
    /// What an operation requires does not hold.
    Required,
}

impl Trap {
    const ALL: [Self; 6] =
        [Self::Overflow, Self::Interrupted, Self::Depth, Self::HostFailed, Self::Memory, Self::Required];

    /// Its number, from 1.
    const fn number(self) -> u32 {
        self as u32 + 1
    }
}

impl Status {
    /// It returned.
    pub const RETURNED: u32 = 0;
    /// The first exit; the others follow. Below are the traps.
    pub const FIRST_EXIT: u32 = 8;
    /// See [`Context::unwind`].
    pub const FORGET: u64 = u64::MAX;
    /// How far to the left the number of the trap is that has left at a checkpoint.
    pub const TRAP_SHIFT: u32 = 28;

    /// Packs what happened and where. The place is stored as its index plus one, 0 for none.
    pub fn pack(code: u32, loc: Option<Loc>) -> Self {
        Self(u64::from(code) | (loc.map_or(0, |loc| loc.index() as u64 + 1) << 32))
    }

    /// The code of an exit.
    pub fn exit_code(exit: ExitId) -> u32 {
        Self::FIRST_EXIT + u32::try_from(exit.index()).expect("there are few exits")
    }

    /// The code of a trap, at a checkpoint if there is one.
    pub fn trap_code(trap: Trap, checkpoint: Option<ExitId>) -> u32 {
        match checkpoint {
            Some(exit) => trap.number() << Self::TRAP_SHIFT | Self::exit_code(exit),
            None => trap.number(),
        }
    }

    /// The trap of a call that failed as a whole, whatever it was. One that was interrupted is made by plain Python, which
    /// looks up itself: made again here it might be interrupted again and again, and never end.
    pub fn cause(self) -> Trap {
        match self.outcome() {
            Outcome::Trap(Trap::Interrupted, ..) | Outcome::Returned | Outcome::Exit(..) => Trap::Required,
            Outcome::Trap(trap, ..) => trap,
        }
    }

    /// Takes it apart.
    pub fn outcome(self) -> Outcome {
        let code = (self.0 & 0xffff_ffff) as u32;
        let (trap, exit) = (code >> Self::TRAP_SHIFT, code & ((1 << Self::TRAP_SHIFT) - 1));
        let loc = self.place();
        match (trap, exit) {
            (0, Self::RETURNED) => Outcome::Returned,
            (0, number @ ..Self::FIRST_EXIT) => Outcome::Trap(Trap::ALL[number as usize - 1], None, loc),
            (0, exit) => Outcome::Exit(exit_of(exit), loc),
            (trap, exit) => Outcome::Trap(Trap::ALL[trap as usize - 1], Some(exit_of(exit)), loc),
        }
    }

    /// The place in it.
    pub fn place(self) -> Option<Loc> {
        (self.0 >> 32).checked_sub(1).map(|index| Loc::new(index as usize))
    }
}

fn exit_of(code: u32) -> ExitId {
    ExitId::new((code - Status::FIRST_EXIT) as usize)
}

/// How many slots a value of this type takes.
pub const fn slots(ty: Type) -> usize {
    match ty {
        Type::Bool | Type::I64 | Type::F64 | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => 1,
        Type::Array(_) => 2,
    }
}

/// How many slots the largest payload of the module takes.
pub fn payload_slots(module: &Module) -> usize {
    module.exits.values().map(|exit| exit.types.iter().map(|&ty| slots(ty)).sum()).max().unwrap_or(0)
}

/// Why a back end could not do what it was asked. The machine's fault or ours, never the program's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackendError(pub String);

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BackendError {}
