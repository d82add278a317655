//! A number of one of several types, or None: an item of a list of the compiled code that holds several of them.
//!
//! It is a tag, which says what it is, and as far as it may be one an int, which also says which truth value it is, and a
//! float. What it is not is 0. Nothing computes with it: before an instruction that must know, the path forks on the tag
//! (`capture/mixed.rs`).

use std::sync::Arc;

use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};
use smallvec::smallvec;
use snekpy_stage::op::Const;
use snekpy_stage::types::Type;

use super::{Bits, Kind, Known, Leaving, Make, Representation};
use crate::scalar::{number_of, scalar_bits, scalar_type};
use crate::staging_error::bug;

/// The bit of the rows of the first pool.
const FIRST_ROW: u8 = 4;
/// So many pools there may be.
pub(crate) const MAX_POOLS: u8 = 16;
/// The bit of the first known object.
const FIRST_KNOWN: u8 = FIRST_ROW + MAX_POOLS;
/// So many of them there may be.
pub(crate) const MAX_KNOWN: u8 = 64 - FIRST_KNOWN;

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Is {
    None,
    Bool,
    Int,
    Float,
    /// An object that is a row of this pool (`capture/pool.rs`).
    Row(u8),
    /// The known object of this number, which attributes of such objects hold.
    Known(u8),
}

impl Is {
    /// By the bits of [`May`], which are the tags.
    const fn of_bit(bit: u8) -> Self {
        match bit {
            0 => Self::None,
            1 => Self::Bool,
            2 => Self::Int,
            3 => Self::Float,
            pool if pool < FIRST_KNOWN => Self::Row(pool - FIRST_ROW),
            known => Self::Known(known - FIRST_KNOWN),
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Bool => 1,
            Self::Int => 2,
            Self::Float => 3,
            Self::Row(pool) => FIRST_ROW + pool,
            Self::Known(known) => FIRST_KNOWN + known,
        }
    }

    /// That of a number of this type.
    pub(crate) const fn of_type(ty: Type) -> Option<Self> {
        match ty {
            Type::Bool => Some(Self::Bool),
            Type::I64 => Some(Self::Int),
            Type::F64 => Some(Self::Float),
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
        }
    }

    /// What Python calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Row(_) | Self::Known(_) => "an object",
        }
    }
}

/// The set of what a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct May(u64);

impl From<Is> for May {
    fn from(is: Is) -> Self {
        Self(1 << is.bit())
    }
}

impl May {
    /// Either.
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What both say.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// All but this.
    #[must_use]
    pub(crate) fn but(self, is: Is) -> Self {
        Self(self.0 & !Self::from(is).0)
    }

    /// Whether it may be this.
    pub(crate) fn be(self, is: Is) -> bool {
        self.0 & Self::from(is).0 != 0
    }

    /// Whether it may be all that the other may be.
    pub(crate) const fn covers(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// All that it may be, in the order of the tags.
    pub(crate) fn each(self) -> impl Iterator<Item = Is> {
        (0..64).map(Is::of_bit).filter(move |&is| self.be(is))
    }

    /// What it is, if it may be one thing only.
    pub(crate) fn only(self) -> Option<Is> {
        let mut each = self.each();
        each.next().filter(|_| each.next().is_none())
    }

    /// Whether two things are possible: the tag is a truth value then.
    pub(crate) const fn is_either(self) -> bool {
        self.0.count_ones() == 2
    }

    /// Whether there is an int among the parts.
    pub(crate) fn has_int(self) -> bool {
        self.be(Is::Bool) || self.be(Is::Int) || self.has_rows()
    }

    /// Whether it may be an object that is a row.
    pub(crate) const fn has_rows(self) -> bool {
        self.0 >> FIRST_ROW & ((1 << MAX_POOLS) - 1) != 0
    }

    /// Whether only who knows the pools can make it.
    pub(crate) const fn needs_pools(self) -> bool {
        self.0 >> FIRST_ROW != 0
    }

    /// Whether there is a float among the parts.
    pub(crate) fn has_float(self) -> bool {
        self.be(Is::Float)
    }

    /// The tag of what it may be.
    pub(crate) fn tag(self, is: Is) -> Const {
        match self.is_either() {
            true => Const::Bool(self.slot(is) != 0),
            false => Const::I64(self.slot(is).cast_signed()),
        }
    }

    /// The tag as an object.
    pub(crate) fn tag_object(self, is: Is, vm: &VirtualMachine) -> PyObjectRef {
        number_of(self.slot(is), if self.is_either() { Type::Bool } else { Type::I64 }, vm)
    }

    /// The slot of the tag.
    fn slot(self, is: Is) -> u64 {
        if self.is_either() { u64::from(self.each().next() != Some(is)) } else { u64::from(is.bit()) }
    }

    /// What has the tag in a slot.
    pub(crate) fn tagged(self, tag: u64) -> Option<Is> {
        self.each().find(|&is| self.slot(is) == tag)
    }
}

/// What an object is.
fn is_of(object: &PyObject, vm: &VirtualMachine) -> Option<Is> {
    if vm.is_none(object) { Some(Is::None) } else { scalar_type(object, vm).and_then(Is::of_type) }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    /// What it may be.
    pub(crate) may: May,
    /// The tag, an int, if it may be an int or truth value, an int, and if it may be one, a float.
    pub(crate) parts: Vec<PyObjectRef>,
}

impl Mixed {
    /// One without parts, which says what others are.
    pub(crate) const fn like(may: May) -> Self {
        Self { may, parts: Vec::new() }
    }

    /// Which part is the float.
    pub(crate) fn float(&self) -> &PyObjectRef {
        &self.parts[1 + usize::from(self.may.has_int())]
    }

    /// What it may be, for people.
    pub(crate) fn describe(&self) -> String {
        self.may.each().map(Is::name).collect::<Vec<_>>().join(" or ")
    }
}

/// Makes the number, or None.
#[derive(Debug)]
struct MakeMixed(May);

impl Make for MakeMixed {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        let slot = |part: &PyObjectRef| scalar_type(part, vm).and_then(|ty| scalar_bits(part, ty, vm));
        let slots: Option<Bits> = parts.iter().map(slot).collect();
        slots
            .and_then(|it| self.make_of_numbers(&it, vm))
            .ok_or_else(|| bug(vm, "a number is of none of the types that it may be of"))
    }

    fn make_of_numbers(&self, bits: &[u64], vm: &VirtualMachine) -> Option<PyObjectRef> {
        let (&tag, numbers) = bits.split_first()?;
        Some(match self.0.tagged(tag)? {
            Is::None => vm.ctx.none(),
            Is::Bool => number_of(*numbers.first()?, Type::Bool, vm),
            Is::Int => number_of(*numbers.first()?, Type::I64, vm),
            Is::Float => number_of(*numbers.last()?, Type::F64, vm),
            // Only who knows the pools can make it.
            Is::Row(_) | Is::Known(_) => return None,
        })
    }

    fn numbers_of(&self, object: &PyObject, vm: &VirtualMachine) -> Option<Bits> {
        let is = is_of(object, vm).filter(|&is| self.0.be(is))?;
        let bits = match is {
            Is::None => 0,
            Is::Bool => scalar_bits(object, Type::Bool, vm)?,
            Is::Int => scalar_bits(object, Type::I64, vm)?,
            Is::Float => scalar_bits(object, Type::F64, vm)?,
            Is::Row(_) | Is::Known(_) => return None,
        };
        let mut slots: Bits = smallvec![self.0.slot(is)];
        if self.0.has_int() {
            slots.push(if is == Is::Float { 0 } else { bits });
        }
        if self.0.has_float() {
            slots.push(if is == Is::Float { bits } else { 0 });
        }
        Some(slots)
    }
}

impl Representation for Mixed {
    fn noun(&self) -> &'static str {
        "number of one of several types, or None"
    }

    fn parts(&self) -> Vec<PyObjectRef> {
        self.parts.clone()
    }

    fn with(&self, parts: Vec<PyObjectRef>) -> Kind {
        Self { may: self.may, parts }.into()
    }

    fn known(&self) -> Known {
        Known::from_iter([self.may.0])
    }

    fn leaving(&self) -> Leaving {
        Leaving::Made { make: Arc::new(MakeMixed(self.may)), parts: self.parts() }
    }

    fn crosses(&self) -> bool {
        !self.may.needs_pools()
    }

    fn has_identity(&self) -> bool {
        !self.may.needs_pools()
    }

    fn is_item(&self) -> bool {
        true
    }

    fn is_immutable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::test_vm::with_vm;

    #[test]
    fn numbers_come_back_as_what_they_were() {
        with_vm(|vm, _| {
            let objects: [PyObjectRef; 6] = [
                vm.ctx.none(),
                vm.ctx.new_bool(false).into(),
                vm.ctx.new_bool(true).into(),
                vm.ctx.new_int(-3).into(),
                vm.ctx.new_float(-0.0).into(),
                vm.ctx.new_float(f64::INFINITY).into(),
            ];
            for may in (1..16).map(May).filter(|it| it.only().is_none()) {
                for object in &objects {
                    let is = is_of(object, vm).expect("it is a number or None");
                    let bits = MakeMixed(may).numbers_of(object, vm);
                    assert_eq!(bits.is_some(), may.be(is), "{may:?} {is:?}");
                    let Some(bits) = bits else { continue };
                    let made = MakeMixed(may).make_of_numbers(&bits, vm).expect("these are its slots");
                    assert_eq!(is_of(&made, vm), Some(is));
                    assert_eq!(MakeMixed(may).numbers_of(&made, vm), Some(bits));
                }
            }
        });
    }
}
