//! Sets of entities and facts about entities.
//!
//! Entities are small consecutive numbers, so a set is a row of bits and a map is a vector. Both grow
//! when they meet a larger entity, iterate in order, and so never bring hash order into anything.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::entity::Entity;

/// A set of entities of one kind.
#[derive(Clone, PartialEq, Eq)]
pub struct EntitySet<K> {
    words: Vec<u64>,
    key: PhantomData<K>,
}

impl<K: Entity> EntitySet<K> {
    /// An empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new(), key: PhantomData }
    }

    /// Adds an entity. Whether it was not there.
    pub fn insert(&mut self, key: K) -> bool {
        let (word, bit) = (key.index() / 64, 1 << (key.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let absent = self.words[word] & bit == 0;
        self.words[word] |= bit;
        absent
    }

    /// Takes an entity out. Whether it was there.
    pub fn remove(&mut self, key: K) -> bool {
        let (word, bit) = (key.index() / 64, 1 << (key.index() % 64));
        let present = self.contains(key);
        if present {
            self.words[word] &= !bit;
        }
        present
    }

    /// Whether an entity is in the set.
    pub fn contains(&self, key: K) -> bool {
        self.words.get(key.index() / 64).is_some_and(|word| word & (1 << (key.index() % 64)) != 0)
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many entities are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The entities, in order.
    pub fn iter(&self) -> impl Iterator<Item = K> {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| K::new(index * 64 + bit))
        })
    }
}

impl<K: Entity + fmt::Debug> fmt::Debug for EntitySet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<K: Entity> Default for EntitySet<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity> FromIterator<K> for EntitySet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(items: I) -> Self {
        let mut set = Self::new();
        for item in items {
            set.insert(item);
        }
        set
    }
}

/// A fact about each entity of one kind. An entity that nothing was said about has the default.
#[derive(Clone)]
pub struct EntityMap<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone> EntityMap<K, V> {
    /// Says `default` about every entity.
    pub const fn new(default: V) -> Self {
        Self { items: Vec::new(), default, key: PhantomData }
    }

    /// Says `default` about every entity, with room for the first `len` of them.
    pub fn with_len(default: V, len: usize) -> Self {
        Self { items: vec![default.clone(); len], default, key: PhantomData }
    }
}

impl<K: Entity, V: Clone + Default> Default for EntityMap<K, V> {
    fn default() -> Self {
        Self::new(V::default())
    }
}

impl<K: Entity, V> Index<K> for EntityMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for EntityMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if key.index() >= self.items.len() {
            self.items.resize(key.index() + 1, self.default.clone());
        }
        &mut self.items[key.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Value;

    #[test]
    fn a_set_says_what_is_new_and_iterates_in_order() {
        let mut set = EntitySet::new();
        assert!(set.insert(Value::new(130)));
        assert!(set.insert(Value::new(3)));
        assert!(!set.insert(Value::new(130)));
        assert!(!set.contains(Value::new(64)) && !set.contains(Value::new(1000)));
        assert_eq!(set.iter().map(Entity::index).collect::<Vec<_>>(), [3, 130]);
        assert!(set.remove(Value::new(3)) && !set.remove(Value::new(3)));
        assert_eq!(set.len(), 1);
    }

    #[test]
    fn a_map_has_its_default_where_nothing_was_said() {
        let mut map = EntityMap::new(7);
        map[Value::new(2)] = 1;
        assert_eq!([map[Value::new(0)], map[Value::new(2)], map[Value::new(99)]], [7, 1, 7]);
    }
}
