//! What the interpreter executes: a step per instruction, over numbered slots of a frame.
//!
//! A frame has the slots of the parameters, then the constants of the function, then all other values.
//! The type of the operands is in the step and not in the slots.

use crate::entity::{ExitId, HostId, Loc};
use crate::op::{Bit2, Cmp, Element2, ListOp, MapOp, Num1, Num2, ObjectOp, Overflow2, Real1, Real2, Shift, Wrap2};
use crate::tensor::{Dtype, elementwise as each};
use crate::types::{Elem, ListType, MapType};

/// The number of a slot in the frame.
pub(super) type Slot = u32;

/// The number of a step in the function.
pub(super) type Target = u32;

/// Where a list of slots begins in [`Decoded::lists`]. How long it is follows from what it is for.
pub(super) type List = u32;

/// One thing to do. `to` is written, the other slots are read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Copy {
        to: Slot,
        from: Slot,
    },
    Num1Int {
        op: Num1,
        to: Slot,
        x: Slot,
    },
    Num1Float {
        op: Num1,
        to: Slot,
        x: Slot,
    },
    Num2Int {
        op: Num2,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    Num2Float {
        op: Num2,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    IntPow {
        to: Slot,
        x: Slot,
        y: Slot,
    },
    IntDiv {
        to: Slot,
        x: Slot,
        y: Slot,
    },
    Wrap2 {
        op: Wrap2,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    Overflow2 {
        op: Overflow2,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    /// Of integers; also of truth values, which are integers.
    Bit2 {
        op: Bit2,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    Shift {
        op: Shift,
        to: Slot,
        x: Slot,
        n: Slot,
    },
    Real1 {
        op: Real1,
        to: Slot,
        x: Slot,
    },
    Element2 {
        op: Element2,
        dtype: Dtype,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    Element1 {
        op: each::Real1,
        dtype: Dtype,
        to: Slot,
        x: Slot,
    },
    Real2 {
        op: Real2,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    /// Of integers; also of truth values, which are integers.
    CmpInt {
        op: Cmp,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    CmpFloat {
        op: Cmp,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    CmpIntFloat {
        op: Cmp,
        to: Slot,
        x: Slot,
        y: Slot,
    },
    NotBool {
        to: Slot,
        x: Slot,
    },
    NotInt {
        to: Slot,
        x: Slot,
    },
    IntToFloat {
        to: Slot,
        x: Slot,
    },
    FloatToInt {
        to: Slot,
        x: Slot,
    },
    Single {
        to: Slot,
        x: Slot,
    },
    Half {
        to: Slot,
        x: Slot,
    },
    Bfloat {
        to: Slot,
        x: Slot,
    },
    Int32 {
        to: Slot,
        x: Slot,
    },
    Select {
        to: Slot,
        cond: Slot,
        x: Slot,
        y: Slot,
    },
    Load {
        elem: Elem,
        to: Slot,
        array: Slot,
        index: Slot,
    },
    Store {
        elem: Elem,
        array: Slot,
        index: Slot,
        x: Slot,
    },
    ListNew {
        list: ListType,
        to: Slot,
    },
    /// What the op does not take is read from any slot.
    List {
        op: ListOp,
        to: Slot,
        list: Slot,
        index: Slot,
        item: Slot,
    },
    MapNew {
        ty: MapType,
        to: Slot,
    },
    /// What the op does not take is read from any slot.
    Map {
        op: MapOp,
        to: Slot,
        map: Slot,
        position: Slot,
        key: Slot,
        value: Slot,
    },
    Object {
        op: ObjectOp,
        to: Slot,
        object: Slot,
        index: Slot,
    },
    Guard {
        cond: Slot,
        exit: u32,
        payload: List,
    },
    OverflowIf {
        cond: Slot,
    },
    Require {
        cond: Slot,
    },
    Call {
        func: u32,
        args: List,
        results: List,
        /// The frame state in which the caller waits.
        waits: Option<(ExitId, List)>,
    },
    Host {
        host: HostId,
        args: List,
        results: List,
        /// The frame state in which the call raises.
        raises: Option<(ExitId, List)>,
    },
    Poll,
    Jump {
        target: Target,
    },
    JumpUnless {
        cond: Slot,
        target: Target,
    },
    /// `JumpUnless` on a comparison that nothing else reads.
    JumpUnlessInt {
        op: Cmp,
        x: Slot,
        y: Slot,
        target: Target,
    },
    /// `JumpUnless` on a comparison that nothing else reads.
    JumpUnlessFloat {
        op: Cmp,
        x: Slot,
        y: Slot,
        target: Target,
    },
    Return {
        values: List,
    },
    Exit {
        exit: u32,
        payload: List,
    },
    /// Leaves at the checkpoint.
    Leave,
}

/// A function as steps. Execution begins at the first and never runs past the last.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) steps: Vec<Step>,
    /// For each step, the place in the user's program.
    pub(super) locs: Vec<Option<Loc>>,
    /// For each step, the checkpoint that it leaves at if it fails, as an index into `checkpoints`.
    pub(super) leaves_at: Vec<Option<u32>>,
    /// The exits of checkpoints, and where the slots of their values are listed.
    pub(super) checkpoints: Vec<(ExitId, List)>,
    pub(super) lists: Vec<Slot>,
    /// How many slots the parameters take.
    pub(super) params: usize,
    /// How many slots the results take.
    pub(super) results: usize,
    /// The constants, which follow the parameters.
    pub(super) constants: Vec<u64>,
    /// How many slots there are.
    pub(super) frame: usize,
}

/// A module as steps.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) funcs: Vec<Decoded>,
    /// For each exit, how many slots it carries.
    pub(super) exits: Vec<usize>,
    /// For each function of the host, how many slots it is given and gives.
    pub(super) hosts: Vec<(usize, usize)>,
}

impl Decoded {
    pub(super) fn list(&self, list: List, len: usize) -> &[Slot] {
        &self.lists[list as usize..list as usize + len]
    }
}
