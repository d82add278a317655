//! Objects that a call has made and that are rows of pools (`capture/pool.rs`) become objects of Python.
//!
//! Only those that what leaves leads to are made, each once in all frame states. An object is there before its attributes
//! are, so that those may lead back to it; they are made in a loop, and not one inside the other: a linked list is long.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::PyTypeRef;
use rustpython_vm::{PyObjectRef, PyResult};

use super::Template;
use super::filling::{Filling, columns_at};
use crate::capture::list::ItemType;
use crate::host;
use crate::kind::{Is, May};
use crate::scalar::number_of;
use crate::staging_error::bug;

/// An object that is a row of a pool, or what may be in its place.
#[derive(Clone, Debug)]
pub(crate) struct PooledTemplate {
    /// What it may be.
    pub(crate) may: May,
    /// The row, or a tag, the row or int, and the float; or lists of these.
    pub(crate) parts: Vec<Template>,
    /// Where the attributes are.
    pub(crate) pools: Arc<PoolsTemplate>,
}

/// The pools of a call, in one frame state.
#[derive(Clone, Debug)]
pub(crate) struct PoolsTemplate {
    /// The pools, by number.
    pub(crate) pools: Vec<PoolTemplate>,
    /// Objects that attributes hold and that were known when the function was captured.
    pub(crate) known: Vec<PyObjectRef>,
}

/// A pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolTemplate {
    /// The class of the objects.
    pub(crate) class: PyTypeRef,
    /// Names and types of the attributes, in order.
    pub(crate) attributes: Vec<(PyObjectRef, ItemType)>,
    /// The slots of the columns.
    pub(crate) slots: Vec<usize>,
}

/// What was made of rows, by the address of the first column and the number of the row.
#[derive(Default)]
pub(crate) struct MadeRows {
    made: RefCell<HashMap<(u64, u64), PyObjectRef>>,
    /// Those without attributes yet: the pool and the row.
    bare: RefCell<Vec<(usize, u64, PyObjectRef)>>,
    is_filling: Cell<bool>,
}

impl MadeRows {
    /// Lets go of the objects.
    pub(super) fn clear(&self) {
        self.made.borrow_mut().clear();
    }
}

impl Filling<'_> {
    /// The object that these numbers stand for.
    pub(super) fn of_pools(&self, may: May, bits: &[u64], pools: &Arc<PoolsTemplate>) -> PyResult {
        let vm = self.vm;
        let odd = || bug(vm, "a row is of none of the pools that it may be of");
        let (is, row) = match (may.only(), bits) {
            (Some(is), [row]) => (is, *row),
            (None, [tag, numbers @ ..]) => {
                let is = may.tagged(*tag).ok_or_else(odd)?;
                let number = if is == Is::Float { numbers.last() } else { numbers.first() };
                (is, number.copied().unwrap_or(0))
            }
            _ => return Err(odd()),
        };
        use snekpy_stage::types::Type;
        Ok(match is {
            Is::None => vm.ctx.none(),
            Is::Bool => number_of(row, Type::Bool, vm),
            Is::Int => number_of(row, Type::I64, vm),
            Is::Float => number_of(row, Type::F64, vm),
            Is::Row(pool) => self.row(usize::from(pool), row, pools)?,
            Is::Known(known) => pools.known.get(usize::from(known)).cloned().ok_or_else(odd)?,
        })
    }

    /// The object of a row.
    fn row(&self, pool: usize, row: u64, pools: &Arc<PoolsTemplate>) -> PyResult {
        let rows = &self.pooled;
        let object = self.bare_row(pool, row, pools)?;
        if rows.is_filling.replace(true) {
            return Ok(object);
        }
        let filled = self.fill_rows(pools);
        rows.is_filling.set(false);
        filled.map(|()| object)
    }

    fn bare_row(&self, pool: usize, row: u64, pools: &PoolsTemplate) -> PyResult {
        let pool_of = pools.pools.get(pool).ok_or_else(|| bug(self.vm, "a row of no pool"))?;
        let key = (self.slots[pool_of.slots[0]], row);
        if let Some(known) = self.pooled.made.borrow().get(&key) {
            return Ok(known.clone());
        }
        let object = host::new_object(&pool_of.class, self.vm)?;
        self.pooled.made.borrow_mut().insert(key, object.clone());
        self.pooled.bare.borrow_mut().push((pool, row, object.clone()));
        Ok(object)
    }

    /// Gives all objects their attributes.
    fn fill_rows(&self, pools: &Arc<PoolsTemplate>) -> PyResult<()> {
        loop {
            let Some((pool, row, object)) = self.pooled.bare.borrow_mut().pop() else { return Ok(()) };
            let PoolTemplate { attributes, slots, .. } = &pools.pools[pool];
            let mut addresses = slots.iter().map(|&slot| self.slots[slot]);
            let index = usize::try_from(row).map_err(|_| bug(self.vm, "a row is no index"))?;
            let dict = object.dict().ok_or_else(|| bug(self.vm, "an object of a pool has no dict"))?;
            for (name, items) in attributes {
                let columns = columns_at(items, &mut addresses, Some(pools));
                dict.set_item(&**name, self.item(&columns, index)?, self.vm)?;
            }
        }
    }
}
