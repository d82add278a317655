//! Keys of dicts and items of sets that are no numbers themselves, as numbers: characters, and tuples of a few integers that
//! are not large. A map of compiled code holds the numbers, and says what they stand for (`KeyKind`).

use rustpython_vm::builtins::{PyStr, PyTuple};
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::op::Const;
use snekpy_stage::types::{KeyKind, MapType};

use crate::characters::{character, only_point};
use crate::scalar;
use crate::scalar::number_of;

/// How many integers a tuple has of which keys of this kind stand for one, and how many bits each of them.
pub(crate) const fn layout(kind: KeyKind) -> Option<(usize, u32)> {
    match kind {
        KeyKind::Number | KeyKind::Character => None,
        KeyKind::Pair => Some((2, 32)),
        KeyKind::Triple => Some((3, 21)),
    }
}

/// The kind of keys that tuples of so many integers are.
pub(crate) fn of_length(length: usize) -> Option<KeyKind> {
    [KeyKind::Pair, KeyKind::Triple].into_iter().find(|it| layout(*it).is_some_and(|(count, _)| count == length))
}

/// The number that a key is, and what it stands for.
pub(crate) fn number(key: &PyObjectRef, vm: &VirtualMachine) -> Option<(KeyKind, Const)> {
    if let Some(constant) = scalar::constant(key, vm) {
        return Some((KeyKind::Number, constant));
    }
    if let Some(text) = key.downcast_ref_if_exact::<PyStr>(vm) {
        let point = only_point(text)?;
        return Some((KeyKind::Character, Const::I64(point.to_u32().into())));
    }
    let items = key.downcast_ref_if_exact::<PyTuple>(vm)?.as_slice();
    let kind = of_length(items.len())?;
    let (_, bits) = layout(kind)?;
    let mut packed = 0;
    for item in items {
        let Some(Const::I64(item)) = scalar::constant(item, vm) else { return None };
        if item << (64 - bits) >> (64 - bits) != item {
            return None;
        }
        packed = packed << bits | item & ((1 << bits) - 1);
    }
    Some((kind, Const::I64(packed)))
}

/// The bits of the number that a key of a map of this type is.
pub(crate) fn bits(key: &PyObjectRef, ty: MapType, vm: &VirtualMachine) -> Option<u64> {
    match ty.keys {
        KeyKind::Number => crate::scalar::scalar_bits(key, ty.key.ty(), vm),
        kind => match number(key, vm)? {
            (found, Const::I64(bits)) if found == kind => Some(bits.cast_unsigned()),
            _ => None,
        },
    }
}

/// The key of a map of this type that these bits are.
pub(crate) fn key(bits: u64, ty: MapType, vm: &VirtualMachine) -> PyObjectRef {
    let packed = bits.cast_signed();
    match (ty.keys, layout(ty.keys)) {
        (_, Some((count, width))) => {
            let item = |index: usize| {
                let behind = (count - 1 - index) as u32 * width;
                let item = packed << (64 - width - behind) >> (64 - width);
                vm.ctx.new_int(item).into()
            };
            vm.ctx.new_tuple((0..count).map(item).collect()).into()
        }
        (KeyKind::Character, _) => character(bits, vm).unwrap_or_else(|| vm.ctx.empty_str.to_owned().into()),
        _ => number_of(bits, ty.key.ty(), vm),
    }
}
