//! Which sizes of arrays and lists are a part of the key.
//!
//! The first size that is seen at a place is static: loops over it have known trip counts. From the second
//! one on, the size is a value, so that a program that calls with ever new sizes does not compile for ever. Of lists
//! of numbers a few sizes are static: their items can then be unpacked, and are variables of the code.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::builtins::PyTypeRef;
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::Elem;

use super::numbers::Takes;
use crate::capture::list::ItemType;
use crate::flatten::Root;
use crate::flatten::Source;

/// How many sizes of lists at one place may be part of the key.
const MAX_SIZES: usize = 4;
/// So often code for sizes that differ is tried to be made.
const MAX_REFUSED: u32 = 3;
/// A longer list of numbers is always one of the compiled code.
const MAX_STATIC: usize = 16;

/// The sizes of the arrays that one function was called with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lengths {
    seen: HashMap<(Root, Elem), Seen>,
    /// The sizes of the axes of tensors, by place, dtype and number of axes.
    axes: HashMap<(Root, Dtype, usize), Vec<Seen>>,
    /// The ints and truth values in objects and dicts, by place.
    named: HashMap<Root, Seen>,
    /// How often code for sizes that differ could not be made.
    refused: u32,
    lists: HashMap<Root, BTreeSet<usize>>,
    /// What lists hold that are values of the compiled code, whatever their length.
    copied: HashMap<Root, ItemType>,
    maps: HashSet<Root>,
    /// How often lists of characters and the like were met at a place.
    texts: HashMap<Root, usize>,
    /// Whether such lists must be known item by item, and so those of numbers of several types, or None.
    refuses_made: bool,
    refuses_mixed: bool,
}

/// What is to be a list or map of the compiled code before a call begins.
#[derive(Debug)]
pub(crate) enum Copied {
    /// A list that is passed.
    Passed {
        /// The argument, or the place in one.
        place: Root,
        /// What it holds or will.
        items: ItemType,
    },
    /// A list, dict or set of numbers of the world, or a constant table.
    World(Source),
    /// The attributes of the objects of classes of which some are passed.
    Attributes(Vec<PyTypeRef>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Seen {
    /// Always this.
    Once(u64),
    /// Several.
    Several,
}

impl Lengths {
    /// The size that an array at this place has as a part of its type.
    pub(super) fn see(&mut self, root: &Root, elem: Elem, len: u64) -> Option<u64> {
        let seen = self.seen.entry((root.clone(), elem)).or_insert(Seen::Once(len));
        if *seen != Seen::Once(len) {
            *seen = Seen::Several;
        }
        match *seen {
            Seen::Once(len) => Some(len),
            Seen::Several => None,
        }
    }

    /// Which axes of a tensor at this place differ from call to call.
    pub(super) fn see_axes(&mut self, root: &Root, dtype: Dtype, dims: &[usize]) -> impl Iterator<Item = bool> + use<> {
        let first = || dims.iter().map(|&it| Seen::Once(it as u64)).collect();
        let seen = self.axes.entry((root.clone(), dtype, dims.len())).or_insert_with(first);
        for (seen, &size) in seen.iter_mut().zip(dims) {
            if *seen != Seen::Once(size as u64) {
                *seen = Seen::Several;
            }
        }
        let differ: Vec<bool> = seen.iter().map(|it| *it == Seen::Several).collect();
        let may = self.refused < MAX_REFUSED;
        differ.into_iter().map(move |it| it && may)
    }

    /// Code for sizes that differ could not be made.
    pub(crate) const fn refuse_sizes(&mut self) {
        self.refused += 1;
    }

    /// Whether a number with a name has always been this one.
    pub(super) fn see_named(&mut self, root: &Root, bits: u64) -> bool {
        let seen = self.named.entry(root.clone()).or_insert(Seen::Once(bits));
        if *seen != Seen::Once(bits) {
            *seen = Seen::Several;
        }
        *seen != Seen::Several
    }

    /// What lists may hold besides numbers of one type.
    pub(super) const fn takes(&self) -> Takes {
        Takes { made: !self.refuses_made, mixed: !self.refuses_mixed }
    }

    /// Lists hold numbers of one type each.
    pub(crate) fn refuse_mixed(&mut self) {
        self.refuses_mixed = true;
        self.copied.retain(|_, it| !it.has_mixed());
    }

    /// What a list with such items at this place may hold, by what code has put into one.
    pub(super) fn widened(&self, root: &Root, ty: ItemType) -> ItemType {
        match self.copied.get(root) {
            Some(wide) if ty != *wide && wide.covers(&ty) => wide.clone(),
            Some(_) | None => ty,
        }
    }

    /// They must not.
    pub(crate) const fn refuse_made(&mut self) {
        self.refuses_made = true;
    }

    /// Whether the size of a list of numbers at this place is a value.
    pub(super) fn is_long(&mut self, root: &Root, ty: &ItemType, len: usize) -> bool {
        if ty.has_made() && !ty.has_mixed() {
            // Each of them is another one, however long it is.
            let met = self.texts.entry(root.clone()).or_default();
            *met += 1;
            return len > MAX_STATIC || *met > MAX_SIZES;
        }
        if len > MAX_STATIC || self.copied.contains_key(root) {
            return true;
        }
        let sizes = self.lists.entry(root.clone()).or_default();
        if sizes.len() <= MAX_SIZES {
            sizes.insert(len);
        }
        sizes.len() > MAX_SIZES
    }

    /// From now on, the list at this place is a value. Whether it was none before.
    pub(crate) fn copy(&mut self, place: Root, items: ItemType) -> bool {
        if self.refuses_mixed && items.has_mixed() {
            return false;
        }
        self.copied.insert(place, items.clone()).is_none_or(|before| before != items && items.covers(&before))
    }

    /// What an empty list at this place will hold, as far as that is known.
    pub(super) fn items_of(&self, root: &Root) -> Option<ItemType> {
        self.copied.get(root).cloned()
    }

    /// Whether a dict or set was passed at this place before: the first one is what it is.
    pub(super) fn varies(&mut self, root: &Root) -> bool {
        !self.maps.insert(root.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_size_makes_it_a_value() {
        let mut lengths = Lengths::default();
        let (a, b) = (Root { local: 0, path: vec![] }, Root { local: 1, path: vec![2] });
        assert_eq!(lengths.see(&a, Elem::F64, 3), Some(3));
        assert_eq!(lengths.see(&a, Elem::F64, 3), Some(3));
        assert_eq!(lengths.see(&a, Elem::F64, 4), None);
        assert_eq!(lengths.see(&a, Elem::F64, 3), None);
        assert_eq!(lengths.see(&a, Elem::I64, 9), Some(9), "another type, another place");
        assert_eq!(lengths.see(&b, Elem::F64, 4), Some(4));
    }

    #[test]
    fn a_few_sizes_of_lists_are_static() {
        let mut lengths = Lengths::default();
        let (place, ints) = (Root { local: 0, path: vec![] }, ItemType::Number(Elem::I64));
        assert!([3, 1, 3, 2, 0, 3].iter().all(|&len| !lengths.is_long(&place, &ints, len)));
        assert!(lengths.is_long(&place, &ints, 5));
        assert!(lengths.is_long(&place, &ints, 3));
        assert!(lengths.is_long(&Root { local: 1, path: vec![] }, &ints, 17));
    }
}
