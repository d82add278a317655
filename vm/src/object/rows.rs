//! The numbers in attributes of objects, kept in rows, where compiled code reads and writes them itself.
//!
//! An object has a row once a crossing has read a number of one of its attributes, assigned one, or looked whether it has
//! an attribute beside its class. What is written there is newer than the attribute, and is assigned to it when the call
//! has left compiled code, or when native code is about to be given what may lead to the object ([`Rows::settle`]).
//! So that nobody else can see the difference, an object has a row only if nothing but it holds its dict.
//!
//! A row holds its object, so that no other one gets its identity. Who asks how many hold an object asks for that, too
//! ([`Rows::holds`]).

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr::NonNull;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use rustpython_vm::builtins::{PyDictRef, PyStr, PyStrInterned};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::row::{ABSENT, CHANGED, MOST, NUMBERS, OPEN, word};
use snekpy_stage::types::Type;

use super::place::{Way, assigned_with, is_read_in_dict};
use crate::scalar::{number_of, scalar_bits, scalar_type};

/// So many rows are made at a time.
const CHUNK: usize = 64;
/// With so many rows, those go whose objects nobody else holds.
const MANY: usize = 4096;
/// After so often,
const OFTEN: usize = 64;
/// rows do not pay that end before this many others have been made.
const FEW: usize = 8;
/// The holders of a dict that is looked at: its object, and who looks.
const HOLDERS: usize = 2;
const TYPES: [Type; 3] = [Type::Bool, Type::I64, Type::F64];

/// So many handles have a place for a row.
pub(crate) const ROWED: usize = 32;

/// Of an object that has no row.
static NO_ROW: [u64; NUMBERS] = [0; NUMBERS];

/// The rows of a call.
pub(crate) struct Rows {
    /// By handle.
    places: [Cell<*const Cell<u64>>; ROWED],
    is_used: Cell<bool>,
    /// Whether they do not pay.
    is_off: Cell<bool>,
    kept: RefCell<Kept>,
}

/// The attributes that are columns.
pub(crate) type Names = Vec<Option<&'static PyStrInterned>>;

#[derive(Default)]
struct Kept {
    /// By the identity of the object.
    rows: FxHashMap<usize, (PyObjectRef, Row)>,
    /// Where the words of rows are.
    chunks: Vec<Box<[Cell<u64>]>>,
    /// Words that no row has.
    free: Vec<Row>,
    /// The attributes that the columns are.
    names: Names,
    /// Of each class, the columns that lie in the dict of an object, to be read and to be assigned.
    classes: Vec<(usize, u64, u64)>,
    /// With so many rows, it is looked which are still needed.
    most: usize,
    /// How often all rows have ended, and how many have been made.
    settled: usize,
    made: usize,
}

/// The words of a row: see [`snekpy_stage::row`]. They stay where they are as long as the call runs.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    words: NonNull<Cell<u64>>,
}

impl Row {
    #[inline]
    fn word(&self, index: usize) -> &Cell<u64> {
        // SAFETY: a row has so many words: those of bits, and one for each column. Only this thread looks at them.
        unsafe { self.words.add(index).as_ref() }
    }

    /// The number in a column.
    #[inline]
    pub(crate) fn number(&self, column: u32) -> Option<(Type, u64)> {
        let is = |ty: &&Type| word(**ty).is_some_and(|it| self.word(it).get() >> column & 1 != 0);
        TYPES.iter().find(is).map(|ty| (*ty, self.word(NUMBERS + column as usize).get()))
    }

    /// Whether a column may be written: the attribute is a number, and assigning it asks nobody.
    #[inline]
    pub(crate) fn is_open(&self, column: u32) -> bool {
        self.word(OPEN).get() >> column & 1 != 0
    }

    fn mark(&self, index: usize, column: u32, is: bool) {
        let word = self.word(index);
        word.set(word.get() & !(1 << column) | u64::from(is) << column);
    }

    /// The attribute of a column is this number.
    #[inline]
    pub(crate) fn read(&self, column: u32, ty: Type, bits: u64) {
        for each in TYPES {
            self.mark(word(each).unwrap_or(CHANGED), column, each == ty);
        }
        self.word(NUMBERS + column as usize).set(bits);
    }

    /// The column of an attribute that may be assigned is this number: whether it is newer than the attribute.
    #[inline]
    pub(crate) fn write(&self, column: u32, ty: Type, bits: u64, is_newer: bool) {
        self.read(column, ty, bits);
        self.mark(OPEN, column, true);
        self.mark(CHANGED, column, is_newer);
    }

    /// Nothing is known of a column: the attribute has been assigned.
    pub(crate) fn assigned(&self, column: Option<u32>) {
        self.word(ABSENT).set(0);
        let Some(column) = column else { return };
        (0..NUMBERS).for_each(|index| self.mark(index, column, false));
    }

    /// The object has no attribute of its own of this name.
    pub(crate) fn is_absent(&self, column: u32) {
        self.mark(ABSENT, column, true);
    }
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            places: [const { Cell::new((&raw const NO_ROW).cast()) }; ROWED],
            is_used: Cell::default(),
            is_off: Cell::default(),
            kept: RefCell::default(),
        }
    }
}

impl Rows {
    /// Where compiled code finds the row of a handle.
    pub(crate) fn places(&self) -> *const *mut u64 {
        self.places.as_ptr().cast()
    }

    /// Whether there are any.
    #[inline]
    pub(crate) fn is_used(&self) -> bool {
        self.is_used.get()
    }

    /// From here on a handle is that of an object that has this row.
    #[inline]
    pub(crate) fn bind(&self, handle: u64, row: Option<Row>) {
        let Some(place) = self.places.get(handle as usize) else { return };
        place.set(row.map_or((&raw const NO_ROW).cast(), |it| it.words.as_ptr().cast_const()));
    }

    /// The row of an object.
    #[inline]
    pub(crate) fn find(&self, object: &PyObject) -> Option<Row> {
        if !self.is_used() || !object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE) {
            return None;
        }
        self.kept.borrow().rows.get(&object.get_id()).map(|(_, row)| *row)
    }

    /// How many rows hold an object.
    #[inline]
    pub(crate) fn holds(&self, object: &PyObject) -> usize {
        usize::from(self.find(object).is_some())
    }

    /// The row of an object whose attributes are in this dict and of which the code knows nothing by itself; one is made if
    /// it may have one.
    pub(crate) fn of(
        &self,
        handle: Option<u64>,
        object: &PyObject,
        dict: Option<&PyDictRef>,
        names: impl FnOnce() -> Names,
        vm: &VirtualMachine,
    ) -> Option<Row> {
        let found = self.find(object);
        if found.is_none() {
            let is_its_own = |dict: &PyDictRef| {
                dict.class().is(vm.ctx.types.dict_type) && dict.as_object().strong_count() == HOLDERS
            };
            if self.is_off.get()
                || !object.class().slots.flags.has_feature(PyTypeFlags::HEAPTYPE)
                || !dict.is_none_or(is_its_own)
            {
                return None;
            }
        }
        let row = found.unwrap_or_else(|| {
            let mut ended = Vec::new();
            let mut kept = self.kept.borrow_mut();
            if kept.names.is_empty() {
                kept.names = names();
                kept.most = MANY;
            }
            if kept.rows.len() >= kept.most {
                ended = kept.let_go();
            }
            let row = kept.make();
            kept.rows.insert(object.get_id(), (object.to_owned(), row));
            kept.fill(row, object, dict, vm);
            drop(kept);
            self.is_used.set(true);
            drop(ended);
            row
        });
        if let Some(place) = handle.and_then(|it| self.places.get(it as usize)) {
            place.set(row.words.as_ptr().cast_const());
        }
        Some(row)
    }

    /// Assigns what is newer than the attributes, and lets go of all rows.
    pub(crate) fn settle(&self, vm: &VirtualMachine) {
        if !self.is_used.replace(false) {
            return;
        }
        self.places.iter().for_each(|it| it.set((&raw const NO_ROW).cast()));
        let rows = {
            let mut kept = self.kept.borrow_mut();
            kept.assign(vm);
            kept.classes.clear();
            kept.settled += 1;
            if kept.settled >= OFTEN && kept.made < kept.settled * FEW {
                self.is_off.set(true);
            }
            let rows = std::mem::take(&mut kept.rows);
            let free = rows.values().map(|(_, row)| *row);
            kept.free.extend(free);
            rows
        };
        drop(rows);
    }
}

impl Kept {
    /// The words of a new row.
    fn make(&mut self) -> Row {
        self.made += 1;
        if self.free.is_empty() {
            let stride = NUMBERS + self.names.len();
            let chunk: Box<[Cell<u64>]> = (0..stride * CHUNK).map(|_| Cell::new(0)).collect();
            self.free.extend(chunk.chunks_exact(stride).rev().map(|it| Row { words: NonNull::from(&it[0]) }));
            self.chunks.push(chunk);
        }
        let row = self.free.pop().expect("there are some now");
        (0..NUMBERS).for_each(|it| row.word(it).set(0));
        row
    }

    /// Reads the numbers of all attributes of an object that lie in its dict.
    fn fill(&mut self, row: Row, object: &PyObject, dict: Option<&PyDictRef>, vm: &VirtualMachine) {
        let class = object.class().as_object().get_id();
        let known = self.classes.iter().find(|(it, ..)| *it == class).map(|(_, read, assigned)| (*read, *assigned));
        let (read, assigned) = known.unwrap_or_else(|| self.note_class(object, dict, vm));
        let mut absent = u64::MAX;
        let (mut position, mut next) = (0, 0);
        while let Some((after, key, value)) = dict.and_then(|it| it.next_entry(position)) {
            position = after;
            // They mostly come in the order of the columns.
            let count = self.names.len();
            let at = (0..count).map(|it| (next + it) % count);
            let Some(column) = at.into_iter().find(|it| self.names[*it].is_some_and(|name| key.is(name))) else {
                // Another text may be one of the names all the same.
                let text = key.downcast_ref::<PyStr>();
                if text.is_none_or(|it| self.names.iter().flatten().any(|name| name.as_wtf8() == it.as_wtf8())) {
                    absent = 0;
                }
                continue;
            };
            next = column + 1;
            absent &= !(1 << column);
            if read >> column & 1 != 0
                && let Some(ty) = scalar_type(&value, vm)
                && let Some(bits) = scalar_bits(&value, ty, vm)
            {
                row.read(column as u32, ty, bits);
                row.mark(OPEN, column as u32, assigned >> column & 1 != 0);
            }
        }
        row.word(ABSENT).set(absent);
    }

    /// The columns that lie in the dicts of objects of a class.
    fn note_class(&mut self, object: &PyObject, dict: Option<&PyDictRef>, vm: &VirtualMachine) -> (u64, u64) {
        let (mut read, mut assigned) = (0, 0);
        for (column, name) in self.names.iter().enumerate() {
            let Some(name) = name else { continue };
            let lies_in_dict = |way: Option<Cow<'_, Way>>| matches!(way.as_deref(), Some(Way::Own(_)));
            read |= u64::from(is_read_in_dict(object, name, vm)) << column;
            assigned |= u64::from(lies_in_dict(assigned_with(object, dict, name, &OnceLock::new(), vm))) << column;
        }
        self.classes.push((object.class().as_object().get_id(), read, assigned));
        (read, assigned)
    }

    /// Takes out the rows of objects that nobody else holds.
    fn let_go(&mut self) -> Vec<(PyObjectRef, Row)> {
        let ended: Vec<_> =
            self.rows.extract_if(|_, (object, _)| object.strong_count() == 1).map(|(_, it)| it).collect();
        self.free.extend(ended.iter().map(|(_, row)| *row));
        self.most = MANY.max(2 * self.rows.len());
        ended
    }

    /// Assigns what is newer than the attributes.
    #[expect(clippy::iter_over_hash_type, reason = "each object is changed by itself, and nobody looks in between")]
    fn assign(&self, vm: &VirtualMachine) {
        let mut ways: Vec<(usize, u32, Way)> = Vec::new();
        for (object, row) in self.rows.values() {
            let mut left = row.word(CHANGED).get();
            if left == 0 {
                continue;
            }
            let class = object.class().as_object().get_id();
            let dict = object.dict();
            while left != 0 {
                let column = left.trailing_zeros();
                left &= left - 1;
                let Some((ty, bits)) = row.number(column) else { continue };
                let Some(name) = self.names[column as usize] else { continue };
                let known = ways.iter().position(|(of, at, _)| (*of, *at) == (class, column));
                let known = known.unwrap_or_else(|| {
                    let place = OnceLock::new();
                    let way = assigned_with(object, dict.as_ref(), name, &place, vm);
                    ways.push((class, column, way.map_or(Way::Unknown, |it| it.into_owned())));
                    ways.len() - 1
                });
                let done = ways[known].2.assign(object, dict.clone(), name, number_of(bits, ty, vm), vm);
                debug_assert!(done.is_ok(), "it was assigned before");
            }
        }
    }
}

/// The attributes that these columns are.
pub(crate) fn names(columns: impl Iterator<Item = (u32, &'static PyStrInterned)>) -> Names {
    let mut names = vec![None];
    for (column, name) in columns.filter(|(column, _)| *column < MOST) {
        names.resize(names.len().max(column as usize + 1), None);
        names[column as usize] = Some(name);
    }
    names
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("is_used", &self.is_used).finish_non_exhaustive()
    }
}
