//! Names for the parts of a module.
//!
//! An entity is a `u32` in a newtype: an index into a table owned by a module or a function.
//! Indices, not references, because a pass edits the tables while it holds names into them; one type
//! per kind, so that a block can never be looked up in the table of values.
//!
//! `Display` prints a name exactly as the textual IR writes it. Nothing else in the crate knows how
//! names are written.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into a [`Table`].
pub trait Entity: Copy + Eq {
    /// The entity with this index.
    fn new(index: usize) -> Self;
    /// The index of the entity.
    fn index(self) -> usize;
}

macro_rules! entity {
    ($($(#[$doc:meta])* pub struct $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Entity for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table has fewer than 2^32 entries"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

entity! {
    /// An SSA value: a result of an instruction or a parameter of a block.
    pub struct Value = "v";
    /// One instruction.
    pub struct Inst = "inst";
    /// A straight line of instructions with parameters and one terminator.
    pub struct Block = "block";
    /// A function of the module.
    pub struct FuncId = "fn";
    /// A way out of compiled code other than returning.
    pub struct ExitId = "exit";
    /// A function of the host that compiled code calls.
    pub struct HostId = "host";
    /// A place in the user's program, with the calls that were inlined to get there.
    pub struct Loc = "loc";
}

/// A growing table indexed by an entity.
#[derive(Clone, PartialEq)]
pub struct Table<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> Table<K, V> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }

    /// Appends an item and returns its name.
    pub fn push(&mut self, item: V) -> K {
        self.items.push(item);
        K::new(self.items.len() - 1)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Forgets every item from the `len`th on.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// All names with their items, in order.
    pub fn into_items(self) -> impl Iterator<Item = (K, V)> {
        self.items.into_iter().enumerate().map(|(index, item)| (K::new(index), item))
    }

    /// All names, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::new)
    }

    /// All items, in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }

    /// All items, to be changed.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }

    /// All names with their items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(index, item)| (K::new(index), item))
    }

    /// The item, if the name is in the table.
    pub fn lookup(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }
}

impl<K: Entity, V> Default for Table<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for Table<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for Table<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K, V: fmt::Debug> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}
