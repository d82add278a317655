//! The objects of a call as rows of numbers.
//!
//! Each object that the record arguments lead to has a row, which is found by the object's identity, so that one
//! object has one row however it is reached. A link is the number of a row; row 0 stands for `None`, and its
//! numbers mean nothing. The numbers are copies: compiled code reads them while nothing else of the program runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::types::Type;

use super::{Kind, Layout};
use crate::host;
use crate::object::passed_is_noticed;
use crate::scalar::scalar_bits;
use crate::staging_error::bug;
use crate::tensor;

/// The objects that the record arguments of a call lead to.
#[derive(Debug, Default)]
pub(crate) struct Table {
    ints: Vec<u64>,
    floats: Vec<u64>,
    /// The objects, by row.
    objects: RefCell<Vec<PyObjectRef>>,
    rows: HashMap<usize, usize, BuildHasherDefault<Addresses>>,
    /// Rows that are still empty, with the classes of their objects.
    left: Vec<(usize, usize)>,
}

impl Table {
    /// The row of an object, if it is of this class.
    pub(crate) fn enter(
        &mut self,
        object: &PyObject,
        class: usize,
        layout: &Layout,
        vm: &VirtualMachine,
    ) -> Option<u64> {
        if !object.class().is(&layout.classes[class].class) {
            return None;
        }
        let objects = self.objects.get_mut();
        if objects.is_empty() {
            objects.push(vm.ctx.none());
            self.ints.resize(layout.ints, 0);
            self.floats.resize(layout.floats, 0);
        }
        let row = match self.rows.entry(object.get_id()) {
            Entry::Occupied(row) => *row.get(),
            Entry::Vacant(place) => {
                let row = objects.len();
                place.insert(row);
                objects.push(object.to_owned());
                self.ints.resize((row + 1) * layout.ints, 0);
                self.floats.resize((row + 1) * layout.floats, 0);
                self.left.push((row, class));
                row
            }
        };
        Some(row as u64)
    }

    /// Fills the rows of all objects that those in it lead to. Whether every one of them has exactly the fields of
    /// its class, and in each what is declared. Arrays come to `tensors`.
    pub(crate) fn fill(&mut self, layout: &Layout, tensors: &mut Vec<PyObjectRef>, vm: &VirtualMachine) -> bool {
        while let Some((row, class)) = self.left.pop() {
            let first = self.left.len();
            if self.fill_row(row, class, layout, tensors, vm).is_none() {
                return false;
            }
            // What the first link leads to comes next, so that it is near.
            self.left[first..].reverse();
        }
        true
    }

    fn fill_row(
        &mut self,
        row: usize,
        class: usize,
        layout: &Layout,
        tensors: &mut Vec<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> Option<()> {
        let dict = self.objects.get_mut()[row].dict();
        let fields = &layout.classes[class].fields;
        let in_dict = fields.iter().filter(|field| field.slot.is_none()).count();
        if dict.as_ref().map_or(0, |dict| dict.__len__()) != in_dict {
            return None;
        }
        let mut position = 0;
        for field in fields {
            let value = match (&field.slot, &dict) {
                (Some(slot), _) => vm.call_get_descriptor(slot, &self.objects.get_mut()[row])?.ok()?,
                (None, None) => return None,
                // In the order of `__init__`, as nearly always.
                (None, Some(dict)) => match dict.next_entry(position) {
                    Some((next, key, value)) if key.is(field.name) => {
                        position = next;
                        value
                    }
                    _ => dict.get_item_opt(field.name, vm).ok()??,
                },
            };
            let bits = match field.kind {
                Kind::Number(ty) => scalar_bits(&value, ty, vm)?,
                Kind::Tensor(ty) => {
                    if tensor::passed(&value) != Some(ty) || passed_is_noticed(&value, vm) {
                        return None;
                    }
                    tensors.push(value);
                    tensors.len() as u64 - 1
                }
                Kind::Link { optional: true, .. } if vm.is_none(&value) => 0,
                Kind::Link { class, .. } => self.enter(&value, class, layout, vm)?,
            };
            match field.kind {
                Kind::Number(Type::F64) => self.floats[row * layout.floats + field.column] = bits,
                Kind::Number(_) | Kind::Tensor(_) | Kind::Link { .. } => {
                    self.ints[row * layout.ints + field.column] = bits
                }
            }
        }
        Some(())
    }

    /// The slots of the arrays that it is given in: see [`Layout::types`].
    pub(crate) fn slots(&self, layout: &Layout) -> impl Iterator<Item = u64> {
        let array = |rows: &Vec<u64>| [rows.as_ptr().addr() as u64, rows.len() as u64];
        let floats = (layout.floats > 0).then(|| array(&self.floats));
        [array(&self.ints)].into_iter().chain(floats).flatten()
    }

    /// A copy of an object and of all that it leads to, with other floats: those of these indices.
    pub(crate) fn copy(
        &self,
        object: &PyObjectRef,
        layout: &Layout,
        float: &dyn Fn(usize) -> PyObjectRef,
        vm: &VirtualMachine,
    ) -> PyResult {
        let wrong = || bug(vm, "a record has no row");
        let of = |object: &PyObjectRef| self.rows.get(&object.get_id()).copied().ok_or_else(wrong);
        let mut copies: HashMap<usize, PyObjectRef> = HashMap::new();
        let first = of(object)?;
        let mut left = vec![first];
        copies.insert(first, host::new_object(&object.class().to_owned(), vm)?);
        while let Some(row) = left.pop() {
            let copy = copies[&row].clone();
            let dict = copy.dict().ok_or_else(wrong)?;
            let class = layout.classes.iter().find(|it| copy.class().is(&it.class)).ok_or_else(wrong)?;
            for field in &class.fields {
                let value = match field.kind {
                    // Nothing is differentiated by records with arrays.
                    Kind::Tensor(_) => return Err(wrong()),
                    Kind::Number(_) => float(row * layout.floats + field.column),
                    Kind::Link { .. } => match self.ints[row * layout.ints + field.column] as usize {
                        0 => vm.ctx.none(),
                        next => match copies.get(&next) {
                            Some(known) => known.clone(),
                            None => {
                                let object = self.object(next as u64).ok_or_else(wrong)?;
                                let new = host::new_object(&object.class().to_owned(), vm)?;
                                copies.insert(next, new.clone());
                                left.push(next);
                                new
                            }
                        },
                    },
                };
                dict.set_item(field.name, value, vm)?;
            }
        }
        Ok(copies[&first].clone())
    }

    /// Whether this object has a row.
    pub(crate) fn holds(&self, id: usize) -> bool {
        self.rows.contains_key(&id)
    }

    /// Whether one of the objects keeps its attributes in one of these dicts.
    pub(crate) fn has_dict_in(&self, ids: impl Fn(usize) -> bool) -> bool {
        let dict = |object: &PyObjectRef| object.dict().map(|dict| dict.as_object().get_id());
        self.objects.borrow().iter().filter_map(dict).any(ids)
    }

    /// The object of a row.
    pub(crate) fn object(&self, row: u64) -> Option<PyObjectRef> {
        self.objects.borrow().get(usize::try_from(row).ok()?).cloned()
    }

    /// Lets go of the objects: plain Python goes on with them.
    pub(crate) fn release(&self) {
        self.objects.take();
    }
}

/// Hashes addresses.
#[derive(Default)]
struct Addresses(u64);

impl Hasher for Addresses {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }

    fn write_usize(&mut self, address: usize) {
        // The lowest bits of an address are zero, and those of a product depend on these alone.
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}
