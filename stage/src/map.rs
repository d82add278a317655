//! The maps that compiled code makes: dicts of numbers, and sets of them.
//!
//! A value of type [`Type::Map`](crate::types::Type::Map) is the address of a [`Map`]. Its entries are in the order
//! in which their keys came. One that is taken out leaves a hole, so that the others keep their *positions*; the
//! holes go when room is made for more. Compiled code reads and replaces values in place, and calls the functions
//! below for the rest. All maps of a call belong to its [`Maps`] and end with them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::backend::Context;
use crate::list::Budget;
use crate::op::MapOp;
use crate::types::{MapType, Scalar};

/// A key with its value. In a set the value is 0. The layout is known to the back ends.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entry {
    /// The slot of the key that came first of all equal ones.
    pub key: u64,
    /// The slot of the value.
    pub value: u64,
    live: bool,
}

/// A map of numbers of one type to numbers of one type, or a set. The layout of the public fields is known to the
/// back ends through `offset_of!`.
#[derive(Debug)]
#[repr(C)]
pub struct Map {
    /// The first entry. Where there is none, some memory that may be read.
    pub data: *mut Entry,
    /// How many entries there are.
    pub len: u64,
    /// Grows by one with each key that comes, and by two with what may make the map look as it did before.
    pub changes: u64,
    ty: MapType,
    entries: Vec<Entry>,
    /// No entry before this position is live: a queue leaves all its holes there.
    first: usize,
    /// Where the keys are, from the first time on that there were more than [`FEW`]; fewer are compared one by one.
    positions: Option<HashMap<u64, u64, BuildHasherDefault<Mixer>>>,
    /// What its memory is taken from, if that is limited, and how much was.
    budget: Option<Arc<Budget>>,
    charged: usize,
}

/// What an entry takes, with its position and the room that a table of positions leaves.
const BYTES_PER_ENTRY: usize = size_of::<Entry>() + 32;
/// For how many entries a map has room at first.
const FIRST_ROOM: usize = FEW;
/// So many entries are searched without a table.
const FEW: usize = 8;

impl Map {
    fn new(ty: MapType, budget: Option<Arc<Budget>>) -> Self {
        let mut entries = Vec::with_capacity(FIRST_ROOM);
        // What is read there without need must be something.
        entries.resize(FIRST_ROOM, Entry { key: 0, value: 0, live: false });
        entries.clear();
        let data = entries.as_mut_ptr();
        Self { data, len: 0, changes: 0, ty, entries, first: 0, positions: None, budget, charged: 0 }
    }

    /// What its keys and values are.
    pub fn ty(&self) -> MapType {
        self.ty
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entries in the order in which their keys came.
    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        self.entries.iter().filter(|entry| entry.live).copied()
    }

    /// The position of a key.
    pub fn find(&self, key: u64) -> Option<usize> {
        let key = self.same(key);
        match &self.positions {
            Some(positions) => positions.get(&key).map(|&position| position as usize),
            None => self.entries.iter().position(|entry| entry.live && self.same(entry.key) == key),
        }
    }

    /// How many entries there are before a position.
    pub fn count_before(&self, position: u64) -> usize {
        self.entries.iter().take(position as usize).filter(|entry| entry.live).count()
    }

    /// The position of the first entry at or behind this one.
    pub fn next(&self, position: usize) -> Option<usize> {
        let position = position.max(self.first);
        let rest = self.entries.get(position..)?;
        rest.iter().position(|entry| entry.live).map(|more| position + more)
    }

    /// The entry at a position.
    ///
    /// # Panics
    /// If there is none.
    pub fn entry(&self, position: usize) -> Entry {
        let entry = self.entries.get(position).filter(|entry| entry.live);
        *entry.unwrap_or_else(|| panic!("position {position} of a map: a guard before it should have left"))
    }

    /// Adds an entry whose key is not there; false if there is no memory.
    #[must_use]
    pub fn insert(&mut self, key: u64, value: u64) -> bool {
        if self.entries.len() == self.entries.capacity() && !self.make_room() || !self.note(key) {
            return false;
        }
        self.entries.push(Entry { key, value, live: true });
        self.len += 1;
        self.changes += 1;
        true
    }

    /// Notes where a key that is added next will be; false if there is no memory.
    fn note(&mut self, key: u64) -> bool {
        let (key, position) = (self.same(key), self.entries.len());
        if self.positions.is_none() && position >= FEW {
            let mut positions = HashMap::default();
            if positions.try_reserve(position + 1).is_err() {
                return false;
            }
            self.positions = Some(positions);
            self.number();
        }
        let Some(positions) = &mut self.positions else { return true };
        let done = positions.try_reserve(1).is_ok();
        if done {
            positions.insert(key, position as u64);
        }
        done
    }

    /// Notes where all keys are.
    fn number(&mut self) {
        let Some(positions) = &mut self.positions else { return };
        for (position, entry) in self.entries.iter().enumerate().filter(|(_, entry)| entry.live) {
            positions.insert(same(self.ty.key, entry.key), position as u64);
        }
    }

    /// Takes out the entry at a position.
    pub fn remove(&mut self, position: usize) {
        let key = self.same(self.entry(position).key);
        if let Some(positions) = &mut self.positions {
            positions.remove(&key);
        }
        self.entries[position].live = false;
        self.len -= 1;
        if position == self.first {
            let holes = self.entries[position..].iter().position(|entry| entry.live);
            self.first = position + holes.unwrap_or_default();
        }
        if position + 1 == self.entries.len() {
            // No hole is last.
            let rest = self.entries.iter().rposition(|entry| entry.live).map_or(0, |last| last + 1);
            self.entries.truncate(rest);
            self.first = self.first.min(rest);
            self.changes += 2;
        }
    }

    /// Takes out all.
    pub fn clear(&mut self) {
        self.entries.clear();
        if let Some(positions) = &mut self.positions {
            positions.clear();
        }
        self.first = 0;
        self.len = 0;
        self.changes += 2;
    }

    /// Room for one more entry: the holes go, or the room doubles.
    fn make_room(&mut self) -> bool {
        if self.len() * 2 > self.entries.len() {
            let more = self.entries.len() * BYTES_PER_ENTRY;
            if let Some(budget) = &self.budget {
                if !budget.take(more) {
                    return false;
                }
                self.charged += more;
            }
            let done = self.entries.try_reserve(self.entries.len()).is_ok();
            self.data = self.entries.as_mut_ptr();
            return done;
        }
        self.entries.retain(|entry| entry.live);
        self.first = 0;
        self.number();
        true
    }

    fn same(&self, key: u64) -> u64 {
        same(self.ty.key, key)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.give(self.charged);
        }
    }
}

/// The same for equal keys: both zeros are one key, and all NaNs are.
fn same(ty: Scalar, key: u64) -> u64 {
    match ty {
        Scalar::Bool | Scalar::I64 => key,
        Scalar::F64 => {
            let float = f64::from_bits(key);
            if float.is_nan() {
                f64::NAN.to_bits()
            } else if float == 0.0 {
                0
            } else {
                key
            }
        }
    }
}

/// Hashes one number: what is near to one another goes far apart.
#[derive(Clone, Copy, Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// The maps of a call.
#[derive(Debug, Default)]
pub struct Maps {
    /// Boxed: compiled code knows their addresses.
    #[expect(clippy::vec_box, reason = "compiled code knows the addresses")]
    maps: Vec<Box<Map>>,
    budget: Option<Arc<Budget>>,
}

impl Maps {
    /// None yet, whose memory will be taken from `budget`.
    pub fn within(budget: Arc<Budget>) -> Self {
        Self { maps: Vec::new(), budget: Some(budget) }
    }

    /// Whether there are maps, or a budget for them.
    #[inline]
    pub fn owns_memory(&self) -> bool {
        !self.maps.is_empty() || self.budget.is_some()
    }

    /// Takes the memory of the maps that are there, and of what they grow by, from `budget`. Whether it had enough.
    #[must_use]
    pub fn charge(&mut self, budget: &Arc<Budget>) -> bool {
        self.budget = Some(Arc::clone(budget));
        self.maps.iter_mut().filter(|map| map.budget.is_none()).all(|map| {
            let bytes = map.entries.capacity() * BYTES_PER_ENTRY;
            let enough = budget.take(bytes);
            if enough {
                (map.budget, map.charged) = (Some(Arc::clone(budget)), bytes);
            }
            enough
        })
    }

    /// A new map with nothing in it.
    pub fn make(&mut self, ty: MapType) -> &mut Map {
        self.maps.push(Box::new(Map::new(ty, self.budget.clone())));
        self.maps.last_mut().expect("one was pushed")
    }
}

/// Makes a map; called by compiled code.
///
/// # Safety
/// `cx` is the context that the code was given, and `ty` the number of a type of maps.
pub unsafe extern "C" fn new(cx: *mut Context, ty: u32) -> *mut Map {
    // SAFETY: the caller's promise.
    let cx = unsafe { &mut *cx };
    cx.maps.make(MapType::from_number(ty))
}

/// The position of a key, or -1; called by compiled code.
///
/// # Safety
/// `map` was made in this call.
pub unsafe extern "C" fn find(map: *const Map, key: u64) -> i64 {
    // SAFETY: the caller's promise.
    position(unsafe { &*map }.find(key))
}

/// The position of the first entry at or behind this one, or -1; called by compiled code.
///
/// # Safety
/// `map` was made in this call.
pub unsafe extern "C" fn next(map: *const Map, from: i64) -> i64 {
    // SAFETY: the caller's promise.
    position(unsafe { &*map }.next(from as usize))
}

/// The position of the last entry, or -1; called by compiled code.
///
/// # Safety
/// `map` was made in this call.
pub unsafe extern "C" fn last(map: *const Map) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { &*map }.entries.len() as i64 - 1
}

/// Adds an entry whose key is not there; called by compiled code. Not zero if there is no memory.
///
/// # Safety
/// `map` was made in this call.
pub unsafe extern "C" fn insert(map: *mut Map, key: u64, value: u64) -> u32 {
    // SAFETY: the caller's promise.
    u32::from(!unsafe { &mut *map }.insert(key, value))
}

/// Takes out the entry at a position; called by compiled code. Gives zero.
///
/// # Safety
/// `map` was made in this call, and a guard has looked at the position.
pub unsafe extern "C" fn remove(map: *mut Map, position: i64) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { &mut *map }.remove(position as usize);
    0
}

/// Takes out all entries; called by compiled code. Gives zero.
///
/// # Safety
/// `map` was made in this call.
pub unsafe extern "C" fn clear(map: *mut Map) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { &mut *map }.clear();
    0
}

fn position(found: Option<usize>) -> i64 {
    found.map_or(-1, |position| position as i64)
}

/// What an op does and gives, as a slot; `None` if there is no memory. This is what the ops mean. What an op does not
/// take is not looked at.
pub fn apply(map: &mut Map, op: MapOp, at: i64, key: u64, value: u64) -> Option<u64> {
    let index = usize::try_from(at).ok();
    let entry = |map: &Map| map.entry(index.unwrap_or(usize::MAX));
    Some(match op {
        MapOp::Len => map.len,
        MapOp::Changes => map.changes,
        MapOp::Find => position(map.find(key)).cast_unsigned(),
        MapOp::Last => (map.entries.len() as u64).wrapping_sub(1),
        MapOp::Next => position(map.next(index.unwrap_or(usize::MAX))).cast_unsigned(),
        MapOp::Key => entry(map).key,
        MapOp::Get => match index {
            Some(_) => entry(map).value,
            None => value,
        },
        MapOp::Put => match index {
            Some(index) => {
                entry(map);
                map.entries[index].value = value;
                0
            }
            None => return map.insert(key, value).then_some(0),
        },
        MapOp::Remove => {
            map.remove(index.unwrap_or(usize::MAX));
            0
        }
        MapOp::Clear => {
            map.clear();
            0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(map: &mut Map, key: u64, value: u64) {
        let at = apply(map, MapOp::Find, 0, key, 0).expect("there is memory").cast_signed();
        assert_eq!(apply(map, MapOp::Put, at, key, value), Some(0));
    }

    #[test]
    fn entries_stay_in_the_order_in_which_their_keys_came() {
        for keys in [6, 12, 50] {
            check_beside_a_model(keys);
        }
    }

    /// Puts, takes out and clears with so many keys.
    fn check_beside_a_model(keys: u64) {
        let mut maps = Maps::default();
        let map = maps.make(MapType::of_numbers(Scalar::I64, Some(Scalar::I64)));
        let mut model: Vec<(u64, u64)> = Vec::new();
        let mut seed = 1_u64;
        for round in 0..5000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = (seed >> 33) % keys;
            let known = model.iter().position(|it| it.0 == key);
            assert_eq!(map.find(key).is_some(), known.is_some());
            match (seed >> 20) % 96 {
                0 => {
                    map.clear();
                    model.clear();
                }
                1..32 => {
                    if let Some(at) = map.find(key) {
                        map.remove(at);
                        model.remove(known.expect("both know it"));
                    }
                }
                _ => {
                    put(map, key, round);
                    match known {
                        Some(known) => model[known].1 = round,
                        None => model.push((key, round)),
                    }
                }
            }
            assert_eq!(map.iter().map(|it| (it.key, it.value)).collect::<Vec<_>>(), model);
            assert_eq!(map.len(), model.len());
            let mut at = 0;
            for &(key, value) in &model {
                at = map.next(at).expect("there are as many");
                assert_eq!((map.entry(at).key, map.entry(at).value), (key, value));
                at += 1;
            }
            assert_eq!(map.next(at), None);
        }
    }

    #[test]
    fn equal_keys_are_one_and_the_first_stays() {
        let mut maps = Maps::default();
        let map = maps.make(MapType::of_numbers(Scalar::F64, None));
        put(map, (-0.0_f64).to_bits(), 0);
        put(map, 0.0_f64.to_bits(), 0);
        put(map, 1.5_f64.to_bits(), 0);
        assert_eq!(map.iter().map(|it| it.key).collect::<Vec<_>>(), [(-0.0_f64).to_bits(), 1.5_f64.to_bits()]);
        map.clear();
        assert!(map.is_empty() && map.find(0).is_none() && map.next(0).is_none());
    }
}
