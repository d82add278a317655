//! What an instruction computes.
//!
//! An [`Op`] is closed: each family below is a table of rows in [`table`], and every match on an op is
//! exhaustive, so that a new row is answered in [`typing`], [`meaning`] and each back end before it
//! compiles. What is outside this set is a call of the host.

pub mod meaning;
mod scalars;
pub mod table;
pub mod typing;

use crate::entity::{ExitId, FuncId, HostId, Table};
use crate::ir::ExitData;
use crate::tensor::{Dtype, elementwise as each};
use crate::types::{Class, Elem, ListType, MapType, TensorType};

pub use scalars::scalars;
pub use table::{
    Bit2, Cmp, Convert, Element2, ListOp, MapOp, Num1, Num2, ObjectOp, Overflow2, Real1, Real2, Shift, Wrap2,
};

/// What an instruction computes. The operands are in the instruction, in the order given here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `const c : -> type of c`. A constant.
    Const(Const),
    /// `f x : t -> t` for a number. See [`Num1`].
    Num1(Num1),
    /// `f x, y : t, t -> t` for numbers of one type. See [`Num2`].
    Num2(Num2),
    /// `int_pow x, y : i64, i64 -> i64`, for `y >= 0`: a guard before it said so. Overflows.
    IntPow,
    /// `int_div x, y : i64, i64 -> f64`: the double nearest to the quotient, ties to even. `y` is not zero.
    IntDiv,
    /// `f x, y : i64, i64 -> i64` modulo 2^64; never overflows. See [`Wrap2`].
    Wrap2(Wrap2),
    /// `f x, y : i64, i64 -> bool`: whether the checked operation overflows. See [`Overflow2`].
    Overflow2(Overflow2),
    /// `f x, y : t, t -> t` for truth values or integers. See [`Bit2`].
    Bit2(Bit2),
    /// `f x, n : i64, i64 -> i64`. See [`Shift`].
    Shift(Shift),
    /// `f x : f64 -> f64`. See [`Real1`].
    Real1(Real1),
    /// `f x : f64 -> f64`. What tensors of this dtype, singles or doubles, have for an element, bit for bit: see
    /// [`each::Real1`]. For singles, both numbers are some.
    Element1(each::Real1, Dtype),
    /// `f x, y : f64, f64 -> f64`. The same for two elements: see [`Element2`].
    Element2(Element2, Dtype),
    /// `f x, y : f64, f64 -> f64`. See [`Real2`].
    Real2(Real2),
    /// `f x, y : t, t -> bool` for scalars of one type. See [`Cmp`].
    Cmp(Cmp),
    /// `f x, y : i64, f64 -> bool`: compares the exact values, as Python does.
    CmpIntFloat(Cmp),
    /// `not x : bool -> bool`, and on integers the bitwise complement.
    Not,
    /// `f x : t -> u`. See [`Convert`].
    Convert(Convert),
    /// `select c, x, y : bool, t, t -> t`. Both are computed; `x` if `c`.
    Select,
    /// `len a : array -> i64`.
    Len,
    /// `load a, i : array(t), i64 -> t`. The index is in range: a guard before it said so.
    Load,
    /// `store a, i, x : array(t), i64, t ->`. The index is in range: a guard before it said so.
    Store,
    /// `list_new t : -> list(t)`. A list with nothing in it.
    ListNew(ListType),
    /// `f l, ... : list(t), ... -> ...`. See [`ListOp`].
    List(ListOp),
    /// `map_new t : -> t` for a type of maps or sets. One with nothing in it.
    MapNew(MapType),
    /// `f m, ... : map(k, v), ... -> ...`. See [`MapOp`].
    Map(MapOp),
    /// `f x, ... : object, ... -> ...`. See [`ObjectOp`].
    Object(ObjectOp),
    /// `of_class t x : object -> t` for a type of objects. The same object, where its class has been looked at.
    OfClass(Class),
    /// `kept t x : i64 -> t`. The tensor whose owner `keep` has made an integer of.
    Kept(TensorType),
    /// `guard c, values... : bool, types of the exit ->`. Goes on if `c`, else leaves through the exit.
    Guard(ExitId),
    /// `overflow_if c : bool ->`. Leaves through the overflow trap, as checked arithmetic does, if `c`. What is
    /// left of a checked op that was made unconditional: its wrapped result and, apart, this.
    OverflowIf,
    /// `checkpoint s, values... : types of the exit ->`. Where a plain continuation may take over, and what it needs.
    /// What fails before it has acted leaves at the checkpoint that reaches it: see [`crate::analysis::reach`].
    Checkpoint(ExitId),
    /// `call f, args..., values... : parameters of f, types of the exit -> results of f`. The exit is the frame state
    /// of the caller while it waits for the call.
    Call(FuncId, Option<ExitId>),
    /// `tensor f, args... : parameters of the host function -> its results`. An operation on tensors, which the host
    /// function names: see [`crate::tensor::TensorOp`]. It fails before it has acted, or not at all.
    Tensor(HostId, Acts),
    /// `host f, args..., values... : parameters of the host function, types of the exit -> its results`. The exit is
    /// the frame state in which the call raises.
    Host(HostId, Option<ExitId>),
}

/// What an operation on tensors does besides giving its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Acts {
    /// It makes an object, which others may see and change from then on.
    Makes,
    /// It asks for what never changes while its operands live: where the memory of a tensor is, which object one is.
    Asks,
    /// It only reads.
    Reads,
    /// It writes to a tensor that others may see.
    Writes,
}

/// The dtypes in which functions of elements are computed: half precision in singles.
pub const COMPUTED: [Dtype; 2] = [Dtype::F32, Dtype::F64];

impl Convert {
    /// What makes of a value the one that is loaded where it was stored as such an element; nothing if that is the same.
    pub const fn stored(elem: Elem) -> Option<Self> {
        match elem {
            Elem::Bool | Elem::I64 | Elem::F64 => None,
            Elem::I32 => Some(Self::Int32),
            Elem::F16 => Some(Self::Half),
            Elem::Bf16 => Some(Self::Bfloat),
            Elem::F32 => Some(Self::Single),
        }
    }
}

impl Acts {
    /// The word in the textual IR.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Makes => "tensor",
            Self::Asks => "tensor_fact",
            Self::Reads => "tensor_read",
            Self::Writes => "tensor_write",
        }
    }

    /// What a word says.
    pub fn from_text(text: &str) -> Option<Self> {
        [Self::Makes, Self::Asks, Self::Reads, Self::Writes].into_iter().find(|it| it.text() == text)
    }
}

/// A constant.
#[derive(Clone, Copy, Debug)]
pub enum Const {
    /// A truth value.
    Bool(bool),
    /// An integer.
    I64(i64),
    /// A double. Two constants are equal if their bits are: `0.0` is not `-0.0`, and a NaN is itself.
    F64(f64),
}

impl PartialEq for Const {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::I64(a), Self::I64(b)) => a == b,
            (Self::F64(a), Self::F64(b)) => a.to_bits() == b.to_bits(),
            (Self::Bool(_) | Self::I64(_) | Self::F64(_), _) => false,
        }
    }
}

impl Eq for Const {}

impl std::hash::Hash for Const {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Self::Bool(it) => (0u8, u64::from(*it)).hash(state),
            Self::I64(it) => (1u8, it.cast_unsigned()).hash(state),
            Self::F64(it) => (2u8, it.to_bits()).hash(state),
        }
    }
}

/// What besides its results an instruction does, or depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: may be removed, repeated and moved.
    Pure,
    /// May leave the function instead of giving a result: may be removed only where the language allows.
    MayExit,
    /// Reads memory that a `Write` may change.
    Read,
    /// Notes the state of the program: neither removed nor moved.
    State,
    /// Changes memory.
    Write,
    /// Anything: calls of functions and of the host.
    Any,
}

impl Op {
    /// The effect of an instruction with this op on operands of which the first is an integer or not.
    ///
    /// Checked integer arithmetic may overflow, which leaves the function.
    pub const fn effect(self, on_integers: bool) -> Effect {
        match self {
            Self::Num1(Num1::Neg | Num1::Abs) | Self::Num2(Num2::Add | Num2::Sub | Num2::Mul | Num2::FloorDiv)
                if on_integers =>
            {
                Effect::MayExit
            }
            Self::IntPow
            | Self::Shift(Shift::Left)
            | Self::Guard(_)
            | Self::OverflowIf
            | Self::Convert(Convert::FloatToInt) => Effect::MayExit,
            Self::Checkpoint(_)
            | Self::Kept(_)
            | Self::Object(ObjectOp::Keep | ObjectOp::Retain | ObjectOp::Release) => Effect::State,
            Self::Num1(_)
            | Self::Num2(_)
            | Self::IntDiv
            | Self::Wrap2(_)
            | Self::Overflow2(_)
            | Self::Bit2(_)
            | Self::Shift(Shift::Right)
            | Self::Const(_)
            | Self::Real1(_)
            | Self::Element1(..)
            | Self::Element2(..)
            | Self::Real2(_)
            | Self::Cmp(_)
            | Self::CmpIntFloat(_)
            | Self::Not
            | Self::Convert(_)
            | Self::Select
            | Self::OfClass(_)
            | Self::Object(ObjectOp::IsNone | ObjectOp::TextLen | ObjectOp::TextAt)
            | Self::Tensor(_, Acts::Asks)
            | Self::Len => Effect::Pure,
            Self::Load | Self::List(ListOp::Len | ListOp::Get) | Self::Tensor(_, Acts::Reads) => Effect::Read,
            Self::Tensor(_, Acts::Makes | Acts::Writes) => Effect::Write,
            Self::Map(op) if !op.changes() => Effect::Read,
            Self::Store | Self::ListNew(_) | Self::List(_) | Self::MapNew(_) | Self::Map(_) => Effect::Write,
            Self::Call(..) | Self::Host(..) => Effect::Any,
        }
    }

    /// The exit that it names. The values that it carries are the last operands.
    pub const fn exit(self) -> Option<ExitId> {
        match self {
            Self::Guard(exit) | Self::Checkpoint(exit) | Self::Call(_, Some(exit)) | Self::Host(_, Some(exit)) => {
                Some(exit)
            }
            _ => None,
        }
    }

    /// The same, to be changed.
    pub const fn exit_mut(&mut self) -> Option<&mut ExitId> {
        match self {
            Self::Guard(exit) | Self::Checkpoint(exit) | Self::Call(_, Some(exit)) | Self::Host(_, Some(exit)) => {
                Some(exit)
            }
            _ => None,
        }
    }

    /// Whether the op, with this effect, may fail before it has acted, so that a plain continuation executes it again.
    ///
    /// A guard depends on its exit. A list or map that grows may find no memory; a call may be nested too deeply.
    pub fn fails_before_acting(self, effect: Effect, exits: &Table<ExitId, ExitData>) -> bool {
        match self {
            Self::Guard(exit) => exits[exit].at_checkpoint,
            Self::List(op) => op.grows(),
            Self::Map(op) => matches!(op, MapOp::Put),
            Self::Tensor(_, Acts::Asks) => false,
            Self::Call(..) | Self::Tensor(..) => true,
            Self::Host(_, exit) => exit.is_none(),
            _ => matches!(effect, Effect::MayExit),
        }
    }

    /// Whether the op, with this effect, changes what a plain continuation would find: no checkpoint before it reaches
    /// what follows it.
    pub const fn changes_the_world(self, effect: Effect) -> bool {
        match self {
            // Nobody knows them yet; and room is nothing that can be seen.
            Self::ListNew(_) | Self::MapNew(_) | Self::List(ListOp::Reserve) | Self::Tensor(_, Acts::Makes) => false,
            _ => matches!(effect, Effect::Write | Effect::Any),
        }
    }
}
