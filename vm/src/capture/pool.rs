//! Objects that the program makes and that are rows of *pools*: nodes of linked lists and trees, the items of a list of
//! objects.
//!
//! An object that a call makes is taken apart as long as each path knows which objects there are. Where that grows without
//! end (a linked list, a list of objects), where a list of the compiled code is to hold one, and where a recursive function
//! returns one, the capture starts again, and objects of its class are rows of a pool ([`Pools`], `pool/learn.rs`): lists
//! of the compiled code, the *columns*, hold the attributes, and a row is known by its number. Such an object is a
//! [`Record`]: an attribute is read and assigned by an op on a list, and which object it is says the number. What may be
//! None, a number or an object is a value of the kind `Mixed`.
//!
//! An object becomes a row where it has to, and no sooner ([`Session::make_rows`]): before it is put into a list of the
//! compiled code or an attribute of a row, before a function of the IR is given it or returns it, and at the places where
//! too many kinds of paths have met. It becomes one with all objects that its attributes lead to, and in all places where
//! the path knows it; from then on, no row leads to an object that is none.
//!
//! The columns are made at the entry of the main function, and are an input of each function of the IR: a cell holds them, as
//! the table of records. Where the code is left, what it leaves with becomes objects of Python again (`exit/pooled.rs`).
//! The rows of one call are never used again: a pool that grows too large leaves.

mod learn;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{AsObject, PyObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Cmp, ListOp, Op, Wrap2};
use snekpy_stage::types::ListType;

use learn::MAX_CLASSES;
pub(in crate::capture) use learn::Pools;

use crate::capture::list::{ItemType, StagedList};
use crate::capture::record::{as_record, refuse_native};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::template::Leaves;
use crate::capture::{shape, value};
use crate::exit::{PoolTemplate, PooledTemplate, PoolsTemplate, Template};
use crate::host;
use crate::kind::{self, Home, Is, Kind, May, Mixed, Record};
use std::sync::Arc;

/// A pool with more rows leaves.
const MAX_ROWS: i64 = 1 << 23;

/// What a value may be, if it may be a row of a pool.
pub(crate) fn may_be_rows(kind: &Kind) -> Option<May> {
    match kind {
        Kind::Mixed(mixed) => Some(mixed.may).filter(|it| it.needs_pools()),
        Kind::Record(record) => record.pool().map(|it| Is::Row(it).into()),
        _ => None,
    }
}

/// Native code that runs in the middle of a call is given no row.
pub(crate) fn refuse_rows(leaves: &Leaves) -> Step<()> {
    match leaves.pools {
        Some(_) => Err(refuse("S345", "native code is given an object that the call has made").into()),
        None => Ok(()),
    }
}

impl Session<'_> {
    /// Makes the columns of the pools, at the entry of the main function.
    pub(crate) fn begin_pools(&mut self, state: &State) {
        let types: Vec<Vec<ListType>> = self.learnt.guess.pools.columns();
        for types in types {
            let columns: Vec<Value> = types.into_iter().map(|ty| self.value(state, Op::ListNew(ty), &[])).collect();
            let reps = columns.into_iter().map(|it| self.rep(it)).collect();
            let cell = host::cell::new_cell(Some(self.vm.ctx.new_tuple(reps).into()), self.vm);
            let number = self.base.keep(&cell, self.vm);
            self.objects.inputs.extend(number);
            self.pools.push(cell);
        }
        // Other objects have the same numbers when there are more pools.
        while !self.pools.is_empty() && self.pools.len() < usize::from(MAX_CLASSES) {
            let cell = host::cell::new_cell(None, self.vm);
            self.base.keep(&cell, self.vm);
            self.pools.push(cell);
        }
    }

    /// Whether an object is a cell that holds the columns of a pool.
    pub(crate) fn is_pool(&self, object: &PyObjectRef) -> bool {
        self.pools.iter().any(|it| it.is(object))
    }

    /// The columns of a pool.
    fn columns_of_pool(&mut self, pool: u8) -> Step<Vec<Value>> {
        let cell = self.pools.get(usize::from(pool)).and_then(|it| host::cell::cell_get(it, self.vm));
        let columns = cell.as_ref().and_then(|it| it.downcast_ref::<PyTuple>());
        let columns = columns.ok_or_else(|| refuse("S999", "this is a bug in snekpy: a row without a pool"))?;
        let mut values = Vec::with_capacity(columns.len());
        for column in columns.as_slice() {
            self.number(column)?;
            let (column, _) = value::rep(column).expect("a column is a list of the compiled code");
            values.push(column);
        }
        Ok(values)
    }

    /// The object of a row.
    pub(crate) fn row_of_pool(&self, pool: u8, row: PyObjectRef) -> PyObjectRef {
        let class = self.learnt.guess.pools.class(pool).clone();
        Kind::from(Record { class, home: Home::Pool(pool), row }).object(self.vm)
    }

    /// Whether objects that the call makes are rows.
    pub(crate) fn has_pools(&self) -> bool {
        !self.learnt.guess.pools.is_empty()
    }

    /// The pool and the number of the row that an object is.
    pub(crate) fn row_in_pool(&self, object: &PyObjectRef) -> Option<(u8, PyObjectRef)> {
        let record = as_record(object)?;
        record.pool().map(|it| (it, record.row.clone()))
    }

    /// The pool of an object that is a row, or would be one.
    pub(crate) fn pool_of(&self, object: &PyObjectRef) -> Option<u8> {
        match as_record(object) {
            Some(record) => record.pool(),
            None => self.pool_of_made(object),
        }
    }

    /// The pool of an object that the path has taken apart.
    fn pool_of_made(&self, object: &PyObject) -> Option<u8> {
        let pool = self.learnt.guess.pools.of_class(object.class())?;
        self.is_fresh(object).then_some(pool)
    }

    /// One like the row that an object is or would be.
    pub(crate) fn like_row(&self, object: &PyObjectRef) -> Option<PyObjectRef> {
        let pool = self.pool_of(object)?;
        match as_record(object) {
            Some(_) => Some(object.clone()),
            None => Some(self.row_of_pool(pool, self.vm.ctx.new_int(0).into())),
        }
    }

    /// An object is to be put where only rows can be: it becomes one first.
    pub(crate) fn row_first(&self, object: &PyObjectRef) -> Step<()> {
        match as_record(object).is_none() && self.pool_of(object).is_some() {
            true => Err(Stop::Rows(vec![object.clone()])),
            false => Ok(()),
        }
    }

    /// The same for all that these lead to.
    pub(crate) fn rows_first<'o>(&self, objects: impl IntoIterator<Item = &'o PyObjectRef>) -> Step<()> {
        if !self.has_pools() {
            return Ok(());
        }
        match self.made_in(objects) {
            found if found.is_empty() => Ok(()),
            found => Err(Stop::Rows(found)),
        }
    }

    /// The objects that would be rows and that these lead to, as the running path sees them.
    pub(crate) fn made_in<'o>(&self, objects: impl IntoIterator<Item = &'o PyObjectRef>) -> Vec<PyObjectRef> {
        let all = self.instances_in(objects);
        all.into_iter().filter(|it| self.pool_of_made(it).is_some()).collect()
    }

    /// The objects of classes of the program that the program has made and that these lead to.
    fn instances_in<'o>(&self, objects: impl IntoIterator<Item = &'o PyObjectRef>) -> Vec<PyObjectRef> {
        let mut seen = HashSet::default();
        let mut found = Vec::new();
        let mut left: Vec<PyObjectRef> = objects.into_iter().cloned().collect();
        left.reverse();
        while let Some(object) = left.pop() {
            if !seen.insert(object.get_id()) {
                continue;
            }
            let before = left.len();
            if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(self.vm) {
                left.extend(tuple.as_slice().iter().cloned());
            } else if let Some((function, this)) = host::function::unpack_bound_method(&object, self.vm) {
                left.extend([function, this]);
            } else if host::cell::is_cell(&object, self.vm) {
                left.extend(host::cell::cell_get(&object, self.vm));
            } else if let Some(items) = kind::container(&object) {
                left.push(items.clone());
            } else if !self.is_fresh(&object) {
                continue;
            } else if let Some(list) = object.downcast_ref_if_exact::<PyList>(self.vm) {
                left.extend(list.borrow_vec().iter().cloned());
            } else if self.is_plain_instance(&object) {
                left.extend(object.dict().into_iter().flat_map(|it| it.items_vec()).map(|(_, value)| value));
                found.push(object);
            } else if let Some(dict) = object.downcast_ref::<rustpython_vm::builtins::PyDict>() {
                left.extend(dict.items_vec().into_iter().map(|(_, value)| value));
            }
            left[before..].reverse();
        }
        found
    }

    /// Objects that the path has taken apart become rows of their pools, with those that they lead to, wherever it knows
    /// them.
    pub(crate) fn make_rows(&mut self, state: &mut State, objects: &[PyObjectRef]) -> Step<()> {
        let objects = self.made_in(objects);
        let mut swaps = HashMap::default();
        let mut lengths: HashMap<u8, (Value, i64)> = HashMap::default();
        let mut rows = Vec::with_capacity(objects.len());
        for object in &objects {
            let pool = self.pool_of_made(object).expect("it has one");
            if !self.learnt.guess.pools.has_attributes_of(pool, object) {
                return Err(self.never_pooled(object));
            }
            let (length, count) = match lengths.get(&pool) {
                Some(known) => *known,
                None => {
                    let columns = self.columns_of_pool(pool)?;
                    (self.value(state, Op::List(ListOp::Len), &[columns[0]]), 0)
                }
            };
            lengths.insert(pool, (length, count + 1));
            let row = match count {
                0 => length,
                count => {
                    let count = self.int(state, count);
                    self.value(state, Op::Wrap2(Wrap2::Add), &[length, count])
                }
            };
            let row = self.row_of_pool(pool, self.rep(row));
            swaps.insert(object.get_id(), row);
            rows.push((pool, object.clone()));
        }
        let suspended = self.suspend(state.clone());
        let Some(swapped) = shape::replace_objects(self, &suspended, &swaps) else {
            self.activate(&suspended);
            return Err(self.never_pooled(&objects[0]));
        };
        self.activate(&swapped);
        *state = swapped;
        let mut numbers = Vec::with_capacity(rows.len());
        for (pool, object) in &rows {
            let values = object.dict().map(|it| it.items_vec()).unwrap_or_default();
            let mut all = Vec::new();
            for (index, (_, value)) in values.iter().enumerate() {
                all.extend(self.numbers_of_attribute(state, *pool, index, value)?);
            }
            numbers.push(all);
        }
        let mut pools: Vec<u8> = lengths.keys().copied().collect();
        pools.sort_unstable();
        let mut columns = HashMap::default();
        for pool in pools {
            let (length, count) = lengths[&pool];
            let most = self.int(state, MAX_ROWS);
            let is_full = self.cmp(state, Cmp::Ge, length, most);
            self.leave_if(state, is_full);
            let own = self.columns_of_pool(pool)?;
            let count = self.int(state, count);
            for &column in &own {
                self.emit(state, Op::List(ListOp::Reserve), &[column, count]);
            }
            columns.insert(pool, own);
        }
        for ((pool, _), numbers) in rows.iter().zip(numbers) {
            for (&column, number) in columns[pool].iter().zip(numbers) {
                self.emit(state, Op::List(ListOp::Append), &[column, number]);
            }
        }
        Ok(())
    }

    /// The numbers of an attribute, as its columns store them. Where it cannot hold this, the capture starts again with one
    /// that can.
    fn numbers_of_attribute(
        &mut self,
        state: &mut State,
        pool: u8,
        index: usize,
        value: &PyObjectRef,
    ) -> Step<Vec<Value>> {
        self.pool_of_item(value)?;
        self.rows_first([value])?;
        let ty = self.learnt.guess.pools.type_of(pool, index).clone();
        if !self.fits_attribute(state, &ty, value) {
            return Err(self.wider_attribute(pool, index, value));
        }
        if ty.has_mixed() {
            self.learnt.guess.note_made(&ty);
        }
        let numbers = self.numbers_inside(state, &ty, value)?;
        if self.are_of(&numbers, &ty) { Ok(numbers) } else { Err(self.never(pool)) }
    }

    /// Whether an attribute can hold this.
    fn fits_attribute(&self, state: &State, ty: &ItemType, value: &PyObjectRef) -> bool {
        if let (Some(mixed), Some(may)) = (kind::as_kind::<kind::Mixed>(value), ty.may()) {
            let known = self.known_may(state, mixed);
            return may.covers(known);
        }
        if let Some(known) = self.known_object(value) {
            return ty.may().is_some_and(|may| may.be(Is::Known(known)));
        }
        self.fits(ty, value)
    }

    /// Which of the known objects that attributes hold this is.
    pub(crate) fn known_object(&self, object: &PyObjectRef) -> Option<u8> {
        if !self.has_pools() || !self.is_known_object(object) {
            return None;
        }
        self.learnt.guess.pools.of_known(object, self.vm)
    }

    /// An attribute of a row, as a list of the compiled code.
    fn column_of_pool(&mut self, pool: u8, index: usize) -> Step<StagedList> {
        let columns = self.columns_of_pool(pool)?;
        let pools = &self.learnt.guess.pools;
        let first = pools.first_column(pool, index);
        let items = pools.type_of(pool, index).clone();
        let count = items.columns().len();
        Ok(StagedList { columns: columns[first..first + count].to_vec(), items })
    }

    /// An attribute of an object that is a row; `None` if it has none of this name.
    pub(crate) fn attribute_of_row(
        &mut self,
        state: &mut State,
        pool: u8,
        record: &Record,
        name: &str,
    ) -> Step<Option<PyObjectRef>> {
        let Some(index) = self.learnt.guess.pools.attribute(pool, name) else { return Ok(None) };
        let column = self.column_of_pool(pool, index)?;
        if let Some(known) = self.read_before(state, column.first(), &record.row)? {
            return Ok(Some(known));
        }
        let row = self.row(record)?;
        let value = self.item_there(state, &column, row);
        self.note_read(state, column.first(), &record.row, &value)?;
        Ok(Some(value))
    }

    /// `object.name = value`, or `del object.name`, where the object is a row.
    pub(crate) fn store_in_row(
        &mut self,
        state: &mut State,
        record: &Record,
        name: &str,
        value: Option<&PyObjectRef>,
    ) -> Step<()> {
        let Home::Pool(pool) = record.home else { unreachable!("the caller looked") };
        let (Some(index), Some(value)) = (self.learnt.guess.pools.attribute(pool, name), value) else {
            return Err(refuse_native(&format!("a change of the attributes, `.{name}`, of"), &record.class).into());
        };
        let numbers = self.numbers_of_attribute(state, pool, index, value)?;
        let column = self.column_of_pool(pool, index)?;
        let row = self.row(record)?;
        self.store_there(state, &column, row, &numbers);
        Ok(())
    }

    /// How to make an object that is a row, or what may be in its place, of these parts.
    pub(crate) fn template_of_rows(&mut self, may: May, parts: &[PyObjectRef], leaves: &mut Leaves) -> Step<Template> {
        let parts = self.templates(parts, leaves)?;
        let pools = match &leaves.pools {
            Some(pools) => pools.clone(),
            None => {
                let mut all = Vec::new();
                for pool in 0..self.learnt.guess.pools.len() {
                    let columns = self.columns_of_pool(pool)?;
                    let slots = columns.into_iter().map(|it| leaves.slot(it, self.func.ty(it))).collect();
                    let pools = &self.learnt.guess.pools;
                    all.push(PoolTemplate {
                        class: pools.class(pool).clone(),
                        attributes: pools.attributes(pool).map(|(name, ty)| (name.to_owned().into(), ty)).collect(),
                        slots,
                    });
                }
                let known = self.learnt.guess.pools.all_known().to_vec();
                leaves.pools.insert(Arc::new(PoolsTemplate { pools: all, known })).clone()
            }
        };
        Ok(Template::Pooled(Box::new(PooledTemplate { may, parts, pools })))
    }
}

/// Whether an object is a row of a pool, or may be one.
pub(crate) fn may_be_row(object: &PyObjectRef) -> bool {
    let mixed = kind::as_kind::<Mixed>(object).is_some_and(|it| it.may.has_rows());
    mixed || as_record(object).is_some_and(|it| it.pool().is_some())
}
