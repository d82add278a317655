//! The lists that compiled code makes.
//!
//! A value of type [`Type::List`](crate::types::Type::List) is the address of a [`List`]. Compiled code reads and
//! writes it in place, and calls [`change`] for what is rare or needs memory. All lists of a call belong to its
//! [`Lists`] and end with them. Their memory is kept for the next call on the same thread: one that does what the last one
//! did asks for none.

use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use half::{bf16, f16};

use crate::backend::Context;
use crate::op::ListOp;
use crate::op::meaning::{bfloat, half, int32};
use crate::types::{Elem, ListType};

thread_local! {
    /// How many bytes the lists of this thread have. Those that end on another one count there.
    static HELD: Cell<i64> = const { Cell::new(0) };
    /// How often lists of this thread have asked for memory.
    static ASKED: Cell<u64> = const { Cell::new(0) };
    static SPARE: RefCell<Spare> = const { RefCell::new(Spare { calls: Vec::new(), bytes: 0 }) };
}

/// The lists of calls that have ended, call by call.
struct Spare {
    /// With how many bytes their items have.
    #[expect(clippy::vec_box, reason = "compiled code knows a list by its address")]
    calls: Vec<(Vec<Box<List>>, usize)>,
    /// All together.
    bytes: usize,
}

/// So many calls have spare lists.
const SPARE_CALLS: usize = 8;
/// So many lists of a call are spare.
const SPARE_LISTS: usize = 64;
/// Spare lists take no more memory.
const SPARE_BYTES: usize = 1 << 26;

/// Lets go of what is spare: memory is wanted.
fn let_spare_go() -> bool {
    SPARE
        .try_with(|spare| match spare.try_borrow_mut() {
            Ok(mut spare) => std::mem::replace(&mut *spare, Spare { calls: Vec::new(), bytes: 0 }).bytes > 0,
            Err(_) => false,
        })
        .unwrap_or(false)
}

/// How often lists of this thread have asked for memory.
pub fn asked() -> u64 {
    ASKED.try_with(Cell::get).unwrap_or(0)
}

fn asks() {
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

/// How many bytes the lists of this thread have.
pub fn held() -> u64 {
    HELD.try_with(Cell::get).map_or(0, |held| held.max(0).cast_unsigned())
}

fn hold(bytes: usize) {
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(bytes as i64)));
}

fn let_go(bytes: usize) {
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_sub(bytes as i64)));
}

/// How much memory lists and maps may take together.
#[derive(Debug)]
pub struct Budget {
    left: AtomicI64,
    /// Whether so many bytes more are allowed by whoever counts all memory.
    ask: Option<fn(usize) -> bool>,
}

impl Budget {
    /// So many bytes.
    pub fn new(bytes: u64) -> Self {
        Self { left: AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX)), ask: None }
    }

    /// As many as `ask` allows: it is told how many more are wanted.
    pub fn asking(ask: fn(usize) -> bool) -> Self {
        Self { left: AtomicI64::new(i64::MAX), ask: Some(ask) }
    }

    pub(crate) fn take(&self, bytes: usize) -> bool {
        if self.ask.is_some_and(|ask| !ask(bytes)) {
            return false;
        }
        let Ok(more) = i64::try_from(bytes) else { return false };
        self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left >= more).then(|| left - more)).is_ok()
    }

    pub(crate) fn give(&self, bytes: usize) {
        self.left.fetch_add(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

/// A list whose items are of one type. Those that are lists are their addresses. The layout is known to the back ends through `offset_of!`.
#[derive(Debug)]
#[repr(C)]
pub struct List {
    /// The first item; dangling while there is no room.
    pub data: *mut u8,
    /// How many items there are.
    pub len: u64,
    /// For how many there is room.
    pub room: u64,
    ty: ListType,
    /// What its memory is taken from, if that is limited.
    budget: Option<Arc<Budget>>,
    /// Whether it belongs to no call.
    is_spare: bool,
}

impl List {
    fn new(ty: ListType, budget: Option<Arc<Budget>>) -> Self {
        asks();
        hold(size_of::<Self>());
        Self { data: std::ptr::dangling_mut::<u64>().cast(), len: 0, room: 0, ty, budget, is_spare: false }
    }

    /// The call that it belonged to has ended.
    fn retire(&mut self) {
        if let Some(budget) = self.budget.take() {
            budget.give(self.bytes());
        }
        let_go(size_of::<Self>() + self.bytes());
        (self.len, self.is_spare) = (0, true);
    }

    /// It is a list of another call. False if it cannot be.
    fn revive(&mut self, ty: ListType, budget: Option<&Arc<Budget>>) -> bool {
        // The memory is given back as what it was taken as.
        let fits = self.room == 0 || self.ty.item_size() == ty.item_size();
        if !fits || budget.is_some_and(|budget| !budget.take(self.bytes())) {
            return false;
        }
        hold(size_of::<Self>() + self.bytes());
        (self.ty, self.budget, self.is_spare) = (ty, budget.cloned(), false);
        true
    }

    /// What its items are.
    pub fn ty(&self) -> ListType {
        self.ty
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slot of an item.
    ///
    /// # Panics
    /// If there is no such item.
    #[inline]
    pub fn get(&self, index: usize) -> u64 {
        assert!(index < self.len(), "item {index} of a list of {}: a guard before it should have left", self.len);
        // SAFETY: there are `len` items.
        unsafe { load(self.stored(), self.data.add(index * self.ty.item_size())) }
    }

    /// Replaces an item.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn set(&mut self, index: usize, bits: u64) {
        assert!(index < self.len(), "item {index} of a list of {}: a guard before it should have left", self.len);
        // SAFETY: there are `len` items, and they are ours.
        unsafe { store(self.stored(), self.data.add(index * self.ty.item_size()), bits) }
    }

    /// The slots of all items.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Appends an item; false if there is no memory.
    #[must_use]
    pub fn push(&mut self, bits: u64) -> bool {
        self.insert(self.len(), 1, bits)
    }

    /// Appends items; false if one is missing, or there is no memory.
    #[must_use]
    pub fn extend(&mut self, items: impl ExactSizeIterator<Item = Option<u64>>) -> bool {
        if !self.reserve(items.len()) {
            return false;
        }
        let (stored, size) = (self.stored(), self.ty.item_size());
        for bits in items {
            let Some(bits) = bits.filter(|_| self.len < self.room) else { return false };
            // SAFETY: there is room for one more.
            unsafe { store(stored, self.data.add(self.len() * size), bits) }
            self.len += 1;
        }
        true
    }

    /// Puts so many equal items before the one at `index`; false if there is no memory.
    #[must_use]
    pub fn insert(&mut self, index: usize, count: usize, bits: u64) -> bool {
        assert!(index <= self.len(), "before item {index} of a list of {}", self.len);
        if !self.reserve(count) {
            return false;
        }
        let size = self.ty.item_size();
        // SAFETY: there is room for `count` more, and `index` is within what is there.
        unsafe {
            let at = self.data.add(index * size);
            at.copy_to(at.add(count * size), (self.len() - index) * size);
            fill(self.stored(), at, count, bits);
        }
        self.len += count as u64;
        true
    }

    /// Takes an item out.
    pub fn remove(&mut self, index: usize) -> u64 {
        let item = self.get(index);
        let size = self.ty.item_size();
        // SAFETY: `get` has looked at the index.
        unsafe {
            let at = self.data.add(index * size);
            at.add(size).copy_to(at, (self.len() - index - 1) * size);
        }
        self.len -= 1;
        item
    }

    /// Takes so many items out at the front, all if there are fewer.
    fn drop_first(&mut self, count: usize) {
        let (count, size) = (count.min(self.len()), self.ty.item_size());
        // SAFETY: there are `len` items.
        unsafe { self.data.copy_from(self.data.add(count * size), (self.len() - count) * size) };
        self.len -= count as u64;
    }

    /// How its items are stored: addresses as integers.
    #[inline]
    fn stored(&self) -> Elem {
        self.ty.number().unwrap_or(Elem::I64)
    }

    /// How many bytes its items have.
    fn bytes(&self) -> usize {
        self.room as usize * self.ty.item_size()
    }

    fn reserve(&mut self, more: usize) -> bool {
        let Some(needed) = self.len().checked_add(more) else { return false };
        if needed <= self.room as usize {
            return true;
        }
        let room = needed.max(self.room as usize * 2).max(8);
        let Ok(layout) = Layout::array::<u64>(room).and_then(|_| layout(self.ty, room)) else { return false };
        let more = layout.size() - self.bytes();
        let refuses = |budget: &Arc<Budget>| !budget.take(more) && !(let_spare_go() && budget.take(more));
        if self.budget.as_ref().is_some_and(refuses) {
            return false;
        }
        asks();
        // SAFETY: the size is not zero; what is reallocated was allocated with the layout of the old room.
        let data = unsafe {
            match layout_of(self) {
                Some(old) => realloc(self.data, old, layout.size()),
                None => alloc(layout),
            }
        };
        if data.is_null() {
            if let Some(budget) = &self.budget {
                budget.give(more);
            }
            return false;
        }
        (self.data, self.room) = (data, room as u64);
        hold(more);
        true
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if !self.is_spare {
            self.retire();
        }
        if let Some(layout) = layout_of(self) {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.data, layout) }
        }
    }
}

fn layout(ty: ListType, room: usize) -> Result<Layout, std::alloc::LayoutError> {
    Layout::from_size_align(room * ty.item_size(), 8)
}

fn layout_of(list: &List) -> Option<Layout> {
    (list.room > 0).then(|| layout(list.ty, list.room as usize).expect("it was allocated"))
}

/// The bits of an element's value.
///
/// # Safety
/// There is an element of this type at the address.
#[inline]
pub unsafe fn load(elem: Elem, at: *const u8) -> u64 {
    // SAFETY: the caller's promise. Nothing is said about alignment.
    unsafe {
        match elem {
            Elem::Bool => u64::from(*at != 0),
            Elem::I32 => i64::from(at.cast::<i32>().read_unaligned()).cast_unsigned(),
            Elem::I64 | Elem::F64 => at.cast::<u64>().read_unaligned(),
            Elem::F16 => at.cast::<f16>().read_unaligned().to_f64().to_bits(),
            Elem::Bf16 => at.cast::<bf16>().read_unaligned().to_f64().to_bits(),
            Elem::F32 => f64::from(at.cast::<f32>().read_unaligned()).to_bits(),
        }
    }
}

/// Stores a value as an element.
///
/// # Safety
/// There is room for an element of this type at the address, and nobody else looks at it.
#[inline]
pub unsafe fn store(elem: Elem, at: *mut u8, bits: u64) {
    // SAFETY: the caller's promise. Nothing is said about alignment.
    unsafe {
        match elem {
            Elem::Bool => *at = u8::from(bits != 0),
            Elem::I32 => at.cast::<i32>().write_unaligned(int32(bits.cast_signed())),
            Elem::I64 | Elem::F64 => at.cast::<u64>().write_unaligned(bits),
            Elem::F16 => at.cast::<f16>().write_unaligned(half(f64::from_bits(bits))),
            Elem::Bf16 => at.cast::<bf16>().write_unaligned(bfloat(f64::from_bits(bits))),
            Elem::F32 => at.cast::<f32>().write_unaligned(f64::from_bits(bits) as f32),
        }
    }
}

/// Stores a value as so many elements that lie one behind the other.
///
/// # Safety
/// There is room for them at the address, which is aligned for them, and nobody else looks at it.
unsafe fn fill(elem: Elem, at: *mut u8, count: usize, bits: u64) {
    /// # Safety
    /// The caller's promise.
    unsafe fn with<T: Copy>(at: *mut u8, count: usize, item: T) {
        // SAFETY: it is passed on.
        unsafe { std::slice::from_raw_parts_mut(at.cast::<MaybeUninit<T>>(), count).fill(MaybeUninit::new(item)) };
    }
    let float = f64::from_bits(bits);
    // SAFETY: the caller's promise.
    unsafe {
        match elem {
            Elem::Bool => at.write_bytes(u8::from(bits != 0), count),
            Elem::I32 => with(at, count, int32(bits.cast_signed())),
            Elem::I64 | Elem::F64 => with(at, count, bits),
            Elem::F16 => with(at, count, half(float)),
            Elem::Bf16 => with(at, count, bfloat(float)),
            Elem::F32 => with(at, count, float as f32),
        }
    }
}

/// The lists of a call.
#[derive(Debug, Default)]
pub struct Lists {
    /// Boxed: compiled code knows their addresses.
    #[expect(clippy::vec_box, reason = "compiled code knows the addresses")]
    lists: Vec<Box<List>>,
    /// How many of them the call has made; the others are spare.
    used: usize,
    budget: Option<Arc<Budget>>,
}

impl Lists {
    /// None yet, whose memory will be taken from `budget`.
    pub fn within(budget: Arc<Budget>) -> Self {
        Self { lists: Vec::new(), used: 0, budget: Some(budget) }
    }

    /// Whether there are lists, or a budget for them.
    #[inline]
    pub fn owns_memory(&self) -> bool {
        !self.lists.is_empty() || self.budget.is_some()
    }

    /// Takes the memory of the lists that are there, and of what they grow by, from `budget`. Whether it had enough.
    #[must_use]
    pub fn charge(&mut self, budget: &Arc<Budget>) -> bool {
        self.budget = Some(Arc::clone(budget));
        self.lists[..self.used].iter_mut().filter(|list| list.budget.is_none()).all(|list| {
            let enough = budget.take(list.bytes());
            list.budget = enough.then(|| Arc::clone(budget));
            enough
        })
    }

    /// A new list with nothing in it.
    pub fn make(&mut self, ty: ListType) -> &mut List {
        if self.lists.is_empty() {
            let spare = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                let (lists, bytes) = spare.calls.pop()?;
                spare.bytes -= bytes;
                Some(lists)
            });
            self.lists = spare.ok().flatten().unwrap_or_default();
        }
        let at = self.used;
        self.used += 1;
        match self.lists.get_mut(at) {
            Some(list) => {
                if !list.revive(ty, self.budget.as_ref()) {
                    **list = List::new(ty, self.budget.clone());
                }
            }
            None => self.lists.push(Box::new(List::new(ty, self.budget.clone()))),
        }
        &mut self.lists[at]
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        let mut lists = std::mem::take(&mut self.lists);
        if lists.is_empty() {
            return;
        }
        lists[..self.used].iter_mut().for_each(|list| list.retire());
        lists.truncate(SPARE_LISTS);
        let bytes: usize = lists.iter().map(|list| list.bytes()).sum();
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.bytes + bytes <= SPARE_BYTES && spare.calls.len() < SPARE_CALLS {
                spare.bytes += bytes;
                spare.calls.push((std::mem::take(&mut lists), bytes));
            }
        });
    }
}

/// Makes a list; called by compiled code.
///
/// # Safety
/// `cx` is the context that the code was given, and `ty` the [code](ListType::code) of a type.
pub unsafe extern "C" fn new(cx: *mut Context, ty: u32) -> *mut List {
    // SAFETY: the caller's promise.
    let cx = unsafe { &mut *cx };
    cx.lists.make(ListType::from_code(ty))
}

/// Does to a list what an op says; called by compiled code for all but the simplest. Not zero if there is no memory.
///
/// # Safety
/// `list` was made by [`new`] in this call, `op` is the position of an op in [`ListOp::ALL`], its other operands
/// are `index`, which a guard has looked at, and the slot at `item`, where an item that is taken out is put.
pub unsafe extern "C" fn change(list: *mut List, op: u32, index: i64, item: *mut u64) -> u32 {
    // SAFETY: the caller's promise.
    let (list, item) = unsafe { (&mut *list, &mut *item) };
    match apply(list, ListOp::ALL[op as usize], index, *item) {
        Some(bits) => {
            *item = bits;
            0
        }
        None => 1,
    }
}

/// What an op does and gives, as a slot; `None` if there is no memory. This is what the ops mean.
pub fn apply(list: &mut List, op: ListOp, index: i64, item: u64) -> Option<u64> {
    let at = index as usize;
    let done = |enough: bool| enough.then_some(item);
    match op {
        ListOp::Len => Some(list.len),
        ListOp::Get => Some(list.get(at)),
        ListOp::Set => {
            list.set(at, item);
            Some(item)
        }
        ListOp::Push | ListOp::Append => done(list.push(item)),
        ListOp::Pop => Some(list.remove(list.len() - 1)),
        ListOp::Fill => done(list.insert(list.len(), usize::try_from(index).unwrap_or(0), item)),
        ListOp::Insert => done(list.insert(at, 1, item)),
        ListOp::Remove => Some(list.remove(at)),
        ListOp::Reserve => done(list.reserve(usize::try_from(index).unwrap_or(0))),
        ListOp::Truncate => {
            list.len = list.len.min(index.cast_unsigned());
            Some(item)
        }
        ListOp::Shift => match usize::try_from(index) {
            Ok(count) => done(list.insert(0, count, item)),
            Err(_) => {
                list.drop_first(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX));
                Some(item)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_what_was_put_in_whatever_its_type() {
        for elem in Elem::ALL {
            let mut lists = Lists::default();
            let list = lists.make(ListType::of(elem));
            let bits = |number: u64| match elem {
                Elem::Bool => number % 2,
                Elem::I32 | Elem::I64 => number,
                Elem::F16 | Elem::Bf16 | Elem::F32 | Elem::F64 => (number as f64).to_bits(),
            };
            let mut model: Vec<u64> = Vec::new();
            for number in 0..100 {
                assert!(list.push(bits(number)));
                model.push(bits(number));
            }
            assert!(list.insert(3, 2, bits(7)));
            model.splice(3..3, [bits(7), bits(7)]);
            assert_eq!(list.remove(50), model.remove(50));
            list.set(0, bits(9));
            model[0] = bits(9);
            assert_eq!(apply(list, ListOp::Pop, 0, 0), model.pop());
            assert_eq!(apply(list, ListOp::Truncate, 20, 0), Some(0));
            model.truncate(20);
            assert_eq!(list.iter().collect::<Vec<_>>(), model);
        }
    }

    #[test]
    fn lists_share_a_budget_and_give_it_back() {
        let budget = Arc::new(Budget::new(200));
        let mut lists = Lists::within(Arc::clone(&budget));
        let list = lists.make(ListType::of(Elem::I64));
        assert!((0..16).all(|item| list.push(item)));
        assert!(!list.push(16), "32 items have 256 bytes");
        assert_eq!(list.iter().collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
        assert!((0..9).all(|_| lists.make(ListType::of(Elem::Bool)).push(1)));
        assert!(!lists.make(ListType::of(Elem::Bool)).push(1), "128 bytes and nine times 8");
        drop(lists);
        let mut copies = Lists::default();
        assert!((0..16).all(|item| copies.make(ListType::of(Elem::Bool)).push(item % 2)));
        assert!(copies.charge(&budget));
        assert!((0..9).all(|_| copies.make(ListType::of(Elem::Bool)).push(0)));
        assert!(!copies.make(ListType::of(Elem::Bool)).push(0), "25 lists of 8 bytes are all there is room for");
    }

    #[test]
    fn a_call_that_does_the_same_asks_for_no_memory() {
        let call = || {
            let (mut lists, before) = (Lists::default(), asked());
            for elem in [Elem::F64, Elem::I64, Elem::Bool] {
                let list = lists.make(ListType::of(elem));
                assert!(list.is_empty() && (0..1000).all(|_| list.push(1)));
            }
            asked() - before
        };
        assert!(call() > 10);
        assert_eq!(call(), 0);
        let held_before = held();
        call();
        assert_eq!(held(), held_before, "what is spare belongs to nobody");
    }

    #[test]
    fn whoever_counts_memory_is_asked() {
        let mut lists = Lists::within(Arc::new(Budget::asking(|bytes| bytes < 100)));
        let list = lists.make(ListType::of(Elem::I64));
        assert!((0..8).all(|item| list.push(item)));
        assert!(list.insert(0, 8, 1), "64 bytes more");
        assert!(!list.insert(0, 1, 1), "128 bytes more");
    }

    #[test]
    fn a_list_that_no_memory_holds_is_refused() {
        let mut lists = Lists::default();
        let list = lists.make(ListType::of(Elem::I64));
        assert_eq!(apply(list, ListOp::Fill, i64::MAX, 1), None);
        assert_eq!(apply(list, ListOp::Fill, -3, 1), Some(1));
        assert!(list.is_empty());
    }
}
