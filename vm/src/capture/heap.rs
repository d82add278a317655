//! The heap of a path.
//!
//! A mutable object is changed in place, so that native code that reads it sees what this path sees. When
//! another path runs, the objects are given the contents that *it* knows. Three rules make that right:
//!
//! - before the first change of an object by any path its contents are kept, as the [`Base`]: that is what
//!   every path that never changed the object sees;
//! - a path keeps the contents of every object it changed while it does not run;
//! - when capture ends, every object gets its base back.
//!
//! So that nobody sees it, the world shows what it really holds whenever anything but the capture runs: see
//! [`Session::pause`](crate::capture::session::Session::pause).
//!
//! Paths share what they have in common (a heap is a persistent map), and what is read or written when one path gives
//! way to another is what differs between them: the cost of a path does not grow with the objects it has made.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use imbl::ordmap::DiffItem;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use crate::capture::template::unchanged;
use crate::capture::value::Iter;
use crate::contents;
use crate::host::table::Table;
use crate::rep::StagedIterator;

/// What is inside a mutable object.
pub(crate) type Contents = contents::Contents<Iter>;

/// An object with contents.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) object: PyObjectRef,
    pub(crate) contents: Rc<Contents>,
}

/// The objects that a path changed. In the order of their first change by any path, which is deterministic.
pub(crate) type Heap = imbl::OrdMap<u32, Entry>;

impl PartialEq for Entry {
    /// Whether both are one state of one object. Equal contents of two states may count as different.
    fn eq(&self, other: &Self) -> bool {
        self.object.is(&other.object) && Rc::ptr_eq(&self.contents, &other.contents)
    }
}

/// The objects that any path changed, as they were before.
#[derive(Debug, Default)]
pub(crate) struct Base {
    entries: Vec<Entry>,
    /// What the dicts and sets among them, and of the world, really are: what is changed is a copy.
    tables: HashMap<usize, Table>,
    /// Objects of the world that show something else during the capture, with what they really hold.
    replaced: Vec<(PyObjectRef, Contents)>,
    numbers: HashMap<usize, u32>,
    /// Whether the world shows what it really holds.
    is_lifted: bool,
}

impl Base {
    /// The number of an object that some path changed.
    pub(crate) fn number(&self, object: &PyObject) -> Option<u32> {
        self.numbers.get(&object.get_id()).copied()
    }

    /// How many objects have a number.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("capture changes fewer than 2^32 objects")
    }

    /// The object of this number with what it held before anything changed it.
    pub(crate) fn entry(&self, number: u32) -> &Entry {
        &self.entries[number as usize]
    }

    /// Keeps the contents of an object, unless they are kept already. `None` if it is no mutable object
    /// that capture knows.
    pub(crate) fn keep(&mut self, object: &PyObject, vm: &VirtualMachine) -> Option<u32> {
        if let Some(number) = self.number(object) {
            return Some(number);
        }
        let contents = read(object, vm)?;
        self.put_aside(object, vm);
        let number = self.len();
        self.entries.push(Entry { object: object.to_owned(), contents: Rc::new(contents) });
        self.numbers.insert(object.get_id(), number);
        Some(number)
    }

    /// Lets an object of the world show something else until the capture ends. Its number.
    pub(crate) fn replace(&mut self, object: &PyObjectRef, contents: Contents, vm: &VirtualMachine) -> Option<u32> {
        self.replaced.push((object.clone(), read(object, vm)?));
        self.put_aside(object, vm);
        write(object, &contents, vm);
        self.keep(object, vm)
    }

    /// From here on another table is changed than the one that a dict or a set really has.
    fn put_aside(&mut self, object: &PyObject, vm: &VirtualMachine) {
        if !self.tables.contains_key(&object.get_id())
            && let Some(table) = Table::put_aside(object, vm)
        {
            self.tables.insert(object.get_id(), table);
        }
    }

    /// Gives every object back what it held before the capture, once.
    pub(crate) fn end(&mut self, vm: &VirtualMachine) {
        if self.is_lifted {
            return;
        }
        for entry in &self.entries {
            let is_kept = self.tables.contains_key(&entry.object.get_id());
            if !is_kept && (matches!(*entry.contents, Contents::Iter(_)) || !shows(entry, vm)) {
                write(&entry.object, &entry.contents, vm);
            }
        }
        self.lift(vm);
    }

    /// Lets the world show what it really holds. All that paths have changed has been put back.
    pub(crate) fn lift(&mut self, vm: &VirtualMachine) {
        for (object, contents) in &self.replaced {
            if !self.tables.contains_key(&object.get_id()) {
                write(object, contents, vm);
            }
        }
        self.tables.values_mut().for_each(Table::exchange);
        self.is_lifted = true;
    }

    /// Whether the world, which shows what it really holds, is what it was. What the call has made belongs to nobody else.
    pub(crate) fn is_as_before(&self, is_made: impl Fn(&PyObject) -> bool, vm: &VirtualMachine) -> bool {
        let is_replaced = |entry: &&Entry| self.replaced.iter().any(|(object, _)| object.is(&entry.object));
        let holds =
            |(object, before): &(PyObjectRef, Contents)| read(object, vm).is_some_and(|now| unchanged(&now, before));
        let of_others = |it: &&Entry| !is_replaced(it) && !is_made(&it.object);
        self.replaced.iter().all(holds) && self.entries.iter().filter(of_others).all(|it| shows(it, vm))
    }

    /// Takes back what [`Base::lift`] has done.
    pub(crate) fn lower(&mut self, vm: &VirtualMachine) {
        self.tables.values_mut().for_each(Table::exchange);
        for (object, _) in &self.replaced {
            let entry = self.number(object).map(|number| self.entry(number));
            write(object, &entry.expect("it was kept").contents, vm);
        }
        self.is_lifted = false;
    }

    /// Replaces what one path sees, and these objects that it has changed since, by what another one sees. A capture that
    /// ends while the world shows what it really holds shows no path's any more.
    pub(crate) fn switch(&self, from: &Heap, changed: &BTreeSet<u32>, to: &Heap, vm: &VirtualMachine) {
        if self.is_lifted {
            return;
        }
        let differs = from.diff(to).map(|item| match item {
            DiffItem::Add(number, _) | DiffItem::Remove(number, _) => *number,
            DiffItem::Update { new: (number, _), .. } => *number,
        });
        for number in differs.chain(changed.iter().copied()) {
            let entry = to.get(&number).unwrap_or_else(|| self.entry(number));
            write(&entry.object, &entry.contents, vm);
        }
    }
}

/// Brings what a path keeps up to date with what it did to these objects.
pub(crate) fn save(heap: &mut Heap, changed: &BTreeSet<u32>, vm: &VirtualMachine) {
    // All of a large heap is too much to look at each time.
    debug_assert!(
        heap.len() > 64 || heap.iter().all(|(number, entry)| changed.contains(number) || shows(entry, vm)),
        "whoever changes an object says so"
    );
    for number in changed {
        if let Some(entry) = heap.get_mut(number)
            && let Some(contents) = read(&entry.object, vm)
        {
            entry.contents = Rc::new(contents);
        }
    }
}

/// What a mutable object holds; `None` if it is not one that capture knows.
pub(crate) fn read(object: &PyObject, vm: &VirtualMachine) -> Option<Contents> {
    match object.downcast_ref::<StagedIterator>() {
        Some(iter) => Some(Contents::Iter(iter.state.lock().clone())),
        None => contents::read(object, vm),
    }
}

/// Replaces what a mutable object holds.
pub(crate) fn write(object: &PyObject, contents: &Contents, vm: &VirtualMachine) {
    match (contents, object.downcast_ref::<StagedIterator>()) {
        (Contents::Iter(state), Some(iter)) => *iter.state.lock() = state.clone(),
        _ => contents::write(object, contents, vm),
    }
}

/// Whether an object holds what an entry says.
fn shows(entry: &Entry, vm: &VirtualMachine) -> bool {
    match read(&entry.object, vm) {
        // An iterator holds objects made for it: that it is one is all that can be told.
        Some(Contents::Iter(_)) | None => true,
        Some(now) => unchanged(&now, &entry.contents),
    }
}
