//! Lists of numbers that a call has put in another order: sorted, shuffled, reversed.
//!
//! Making an object for a number costs several times what finding the one that was there does.

use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::list::List;
use snekpy_stage::types::Type;

use crate::scalar::number_of;
use crate::scalar::scalar_bits;

/// Shorter lists are made anew.
const LEAST: usize = 16;
/// So many others are looked at to find one.
const FAR: usize = 8;
/// No other one.
const NONE: u32 = u32::MAX;

/// Objects by their numbers, each until it is taken.
struct Objects<'a> {
    all: &'a [PyObjectRef],
    bits: &'a [u64],
    /// The first one of each group, and what follows each in its group.
    first: Vec<u32>,
    next: Vec<u32>,
}

impl<'a> Objects<'a> {
    /// Those of them that are at these indices.
    fn new(all: &'a [PyObjectRef], bits: &'a [u64], at: &[u32]) -> Self {
        let groups = (at.len() * 2).next_power_of_two();
        let mut made = Self { all, bits, first: vec![NONE; groups], next: vec![NONE; all.len()] };
        // What comes first is found first.
        for &index in at.iter().rev() {
            let group = made.group(bits[index as usize]);
            made.next[index as usize] = std::mem::replace(&mut made.first[group], index);
        }
        made
    }

    fn group(&self, bits: u64) -> usize {
        let mixed = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed.checked_shr(u64::BITS - self.first.len().trailing_zeros()).unwrap_or_default() as usize
    }

    fn take(&mut self, bits: u64) -> Option<PyObjectRef> {
        let group = self.group(bits);
        let (mut before, mut index) = (NONE, self.first[group]);
        for _ in 0..FAR {
            let found = self.bits.get(index as usize)?;
            let next = self.next[index as usize];
            if *found == bits {
                match before {
                    NONE => self.first[group] = next,
                    before => self.next[before as usize] = next,
                }
                return Some(self.all[index as usize].clone());
            }
            (before, index) = (index, next);
        }
        None
    }
}

/// The items of a list of the compiled code, if it holds the numbers that were there before, in another order. What is in
/// its old place stays.
pub(super) fn items(list: &List, ty: Type, old: &[PyObjectRef], vm: &VirtualMachine) -> Option<Vec<PyObjectRef>> {
    if old.len() < LEAST || old.len() != list.len() || !matches!(ty, Type::I64 | Type::F64) {
        return None;
    }
    let before = old.iter().map(|object| scalar_bits(object, ty, vm)).collect::<Option<Vec<_>>>()?;
    // Which NaN is which cannot be told.
    let is_nan = |bits: u64| ty == Type::F64 && f64::from_bits(bits).is_nan();
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0_u64, u64::wrapping_add);
    if sum(&mut before.iter().copied()) != sum(&mut list.iter()) || before.iter().any(|&bits| is_nan(bits)) {
        return None;
    }
    let moved: Vec<u32> = (0..u32::try_from(old.len()).ok()?)
        .zip(list.iter().zip(&before))
        .filter_map(|(index, (now, before))| (now != *before).then_some(index))
        .collect();
    let mut objects = Objects::new(old, &before, &moved);
    let item = |(index, bits): (usize, u64)| match before[index] == bits {
        true => old[index].clone(),
        false => objects.take(bits).unwrap_or_else(|| number_of(bits, ty, vm)),
    };
    Some(list.iter().enumerate().map(item).collect())
}
