//! Objects of record classes: rows of the table of the call.
//!
//! A [`Record`] stands for an object of which the class is known now and the row later. Reading a field is a
//! load from one of the table's arrays; a link that may be `None` asks whether it is, so that on each path an
//! object is there or is not. The arrays are in a cell that is an input of every function of the IR, as other
//! variables are: a record is one integer wherever it goes. Compiled code changes no record, and the object itself
//! is there again when the code is left.
//!
//! The row is one leaf of the shape, so that it goes round loops and through recursive functions. Reading a link forks.
//! Native code is never given a record (S345), and no code changes one (S344): a function that would is keyed without
//! records, four times, and then leaves there; a call in which an object that is changed by another way is among the
//! records is plain Python (`Captured::touched`). `Template::Record` gives the very object back.

use std::sync::Arc;

use rustpython_vm::builtins::{PyTuple, PyType};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Acts, Cmp, Op, Wrap2};
use snekpy_stage::tensor::TensorOp;
use snekpy_stage::types::Type;

use crate::capture::attribute::is_own_class;
use crate::capture::observe;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::value::{self, Num};
use crate::exit::HostKind;
use crate::host;
use crate::kind::{self, Home, Record};
use crate::record::{Field, Kind, Layout};
use crate::rep::{class_of, is_staged};

/// The table of a call.
pub(crate) struct Records {
    layout: Arc<Layout>,
    /// Holds a tuple of the arrays.
    arrays: PyObjectRef,
}

/// The record that an object is.
pub(crate) fn as_record(object: &PyObject) -> Option<&Record> {
    kind::as_kind(object)
}

/// Native code would be given a record.
pub(crate) fn refuse_native(what: &str, class: &Py<PyType>) -> crate::capture::step::Refused {
    refuse("S345", format!("{what} a `{}` that is known only later", class.name()))
        .help("read its fields, or do this outside staged code")
}

impl Session<'_> {
    /// The arguments have a table in these arrays.
    pub(crate) fn begin_records(&mut self, layout: Arc<Layout>, arrays: Vec<PyObjectRef>) {
        let cell = host::cell::new_cell(Some(self.vm.ctx.new_tuple(arrays).into()), self.vm);
        let number = self.base.keep(&cell, self.vm);
        self.objects.inputs.extend(number);
        self.table.records = Some(Records { layout, arrays: cell });
    }

    /// Whether an object is the cell that holds the arrays: it is no variable of the program.
    pub(crate) fn is_table(&self, object: &PyObjectRef) -> bool {
        self.table.records.as_ref().is_some_and(|records| records.arrays.is(object))
    }

    /// The number of a record's row.
    pub(crate) fn row(&mut self, record: &Record) -> Step<Value> {
        match self.number(&record.row)? {
            Some(Num::Staged(value, Type::I64)) => Ok(value),
            Some(_) | None => Err(refuse("S999", "this is a bug in snekpy: a record without a row").into()),
        }
    }

    fn layout(&self) -> Step<Arc<Layout>> {
        match &self.table.records {
            Some(records) => Ok(records.layout.clone()),
            None => Err(refuse("S220", "a record is used outside the function it belongs to").into()),
        }
    }

    /// The number in a field as it is stored.
    fn stored(&mut self, state: &State, record: &Record, field: &Field) -> Step<Value> {
        let layout = self.layout()?;
        let is_float = field.kind == Kind::Number(Type::F64);
        let (width, array) = if is_float { (layout.floats, 1) } else { (layout.ints, 0) };
        let arrays = self.table.records.as_ref().and_then(|records| host::cell::cell_get(&records.arrays, self.vm));
        let array = arrays.and_then(|it| it.downcast_ref::<PyTuple>().and_then(|it| it.as_slice().get(array).cloned()));
        let array = array.ok_or_else(|| refuse("S999", "this is a bug in snekpy: records without a table"))?;
        self.number(&array)?;
        let (array, _) = value::rep(&array).ok_or_else(|| refuse("S999", "this is a bug in snekpy: no array"))?;
        let mut at = self.row(record)?;
        let small = |it: usize| i64::try_from(it).expect("a row is short");
        if width > 1 {
            let width = self.int(state, small(width));
            at = self.value(state, Op::Wrap2(Wrap2::Mul), &[at, width]);
        }
        if field.column > 0 {
            let column = self.int(state, small(field.column));
            at = self.value(state, Op::Wrap2(Wrap2::Add), &[at, column]);
        }
        Ok(self.value(state, Op::Load, &[array, at]))
    }

    /// What is in a field; `None` if the class has none of this name.
    fn field(&mut self, state: &mut State, object: &PyObjectRef, name: &str) -> Step<Option<PyObjectRef>> {
        let Some(record) = as_record(object) else { return Ok(None) };
        let class = match record.home {
            Home::Table(class) => class,
            Home::Pool(pool) => return self.attribute_of_row(state, pool, record, name),
        };
        let layout = self.layout()?;
        let Some(field) = layout.classes[class].field(name) else { return Ok(None) };
        let stored = self.stored(state, record, field)?;
        Ok(Some(match field.kind {
            Kind::Number(Type::Bool) => {
                let zero = self.int(state, 0);
                let is = self.cmp(state, Cmp::Ne, stored, zero);
                self.rep(is)
            }
            Kind::Number(_) => self.rep(stored),
            Kind::Tensor(ty) => {
                let host = match self.tensors.fields.get(&ty) {
                    Some(host) => *host,
                    None => {
                        let host = self.host("field", vec![Type::I64], vec![Type::Tensor(ty)], HostKind::Field);
                        self.module.hosts[host].tensor = Some(TensorOp::World);
                        self.tensors.fields.insert(ty, host);
                        host
                    }
                };
                let tensor = self.value(state, Op::Tensor(host, Acts::Asks), &[stored]);
                self.tensor_object(tensor, ty)
            }
            Kind::Link { class, optional } => {
                let none = self.int(state, 0);
                if optional {
                    let is_none = self.cmp(state, Cmp::Eq, stored, none);
                    if self.ask(state, is_none)? {
                        return Ok(Some(self.vm.ctx.none()));
                    }
                }
                let row = self.rep(stored);
                let class_of_link = layout.classes[class].class.clone();
                kind::Kind::from(Record { class: class_of_link, home: Home::Table(class), row }).object(self.vm)
            }
        }))
    }

    /// Where a record keeps the attribute of this name, if it does: in the object's dict, or in a place of its class.
    fn place_of_field(&self, object: &PyObject, name: &str) -> Step<Option<Option<PyObjectRef>>> {
        let Some(record) = as_record(object) else { return Ok(None) };
        Ok(match record.home {
            Home::Table(class) => self.layout()?.classes[class].field(name).map(|it| it.slot.clone()),
            Home::Pool(pool) => self.learnt.guess.pools.attribute(pool, name).map(|_| None),
        })
    }

    /// Whether a record's class has a field of this name.
    pub(crate) fn has_field(&self, object: &PyObject, name: &str) -> Step<bool> {
        Ok(self.place_of_field(object, name)?.is_some())
    }

    /// `record.name`; `None` if there is no such attribute.
    pub(crate) fn attribute_of_record(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &'static str,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let class = class_of(object);
        let other = |what: &str| refuse("S313", format!("`.{name}` is {what} of `{}`", class.name()));
        if self.has_user_method(object, &["__getattribute__"]) {
            return Err(refuse("S251", format!("`.{name}` calls `__getattribute__` of `{}`", class.name())).into());
        }
        let found = self.class_attribute(object, name)?;
        let is_field = match self.place_of_field(object, name)? {
            Some(Some(slot)) => found.as_ref().is_some_and(|found| found.is(&slot)),
            Some(None) => true,
            None => false,
        };
        let is_slot = is_field && found.as_ref().is_some_and(|it| it.class().is(vm.ctx.types.member_descriptor_type));
        if let Some(found) = &found
            && !is_slot
            && found.class().slots().descr_set.load().is_some()
        {
            if name == "__class__" && is_own_class(Some(found), vm) {
                return Ok(Some(class.into()));
            }
            return Err(other("a data descriptor").into());
        }
        if is_field && let Some(value) = self.field(state, object, name)? {
            return Ok(Some(value));
        }
        let Some(found) = found else {
            return match self.has_user_method(object, &["__getattr__"]) {
                true => Err(refuse("S251", format!("`.{name}` calls `__getattr__` of `{}`", class.name())).into()),
                false => Ok(None),
            };
        };
        let types = &vm.ctx.types;
        if crate::callable::is_function(&found, vm) || crate::callable::binds(&found) {
            return Ok(Some(host::function::bound_method(found, object.clone(), vm)));
        }
        if found.class().is(types.staticmethod_type) || found.class().is(types.classmethod_type) {
            return Ok(Some(class.as_object().get_attr(name, vm)?));
        }
        if found.class().slots().descr_get.load().is_some() {
            return Err(other("a descriptor").into());
        }
        self.guard_contents(&found)?;
        Ok(Some(found))
    }

    /// `record.name = value`, or `del record.name`.
    pub(crate) fn store_in_record(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &'static str,
        value: Option<&PyObjectRef>,
    ) -> Step<()> {
        let class = class_of(object);
        let Some(record) = as_record(object).filter(|it| it.pool().is_some()) else {
            let text = format!("staged code changes `.{name}` of a `{}` that is known only later", class.name());
            return Err(refuse("S344", text).help("return the new value, and assign it outside").into());
        };
        if let Some(found) = self.class_attribute(object, name)?
            && found.class().slots().descr_set.load().is_some()
        {
            return Err(refuse("S313", format!("`.{name}` is a data descriptor of `{}`", class.name())).into());
        }
        self.store_in_row(state, record, name, value)
    }

    /// Whether two objects, of which one is a record, are one object.
    pub(crate) fn is_same_record(&mut self, state: &State, x: &PyObjectRef, y: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        let known = |is: bool| -> PyObjectRef { vm.ctx.new_bool(is).into() };
        let (record, other) = match (as_record(x), as_record(y)) {
            (Some(a), Some(b)) if a.home != b.home => return Ok(known(false)),
            (Some(a), Some(b)) => {
                let (a, b) = (self.row(a)?, self.row(b)?);
                if a == b {
                    return Ok(known(true));
                }
                let is = self.cmp(state, Cmp::Eq, a, b);
                return Ok(self.rep(is));
            }
            (Some(record), None) => (record, y),
            (None, Some(record)) => (record, x),
            (None, None) => return Ok(known(x.is(y))),
        };
        // An object that was made or taken apart is none of the table, and no other object is a row of a pool.
        let apart = record.pool().is_some()
            || is_staged(other)
            || self.is_fresh(other)
            || self.given.arguments.contains_key(&other.get_id());
        if !apart && other.class().is(&record.class) {
            return Err(refuse("S263", "whether an argument is this object is known only later").into());
        }
        Ok(known(false))
    }

    /// `x == y` or `x != y` where one is a record and no class has an idea of its own of it.
    pub(crate) fn compare_records(
        &mut self,
        state: &State,
        cmp: Cmp,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        for object in [x, y] {
            if self.has_user_method(object, observe::COMPARES) {
                return Err(refuse_native("a comparison in native code with", &class_of(object)).into());
            }
        }
        if !matches!(cmp, Cmp::Eq | Cmp::Ne) {
            let record = if as_record(x).is_some() { x } else { y };
            return Err(refuse_native("there is no order for", &class_of(record)).into());
        }
        let is = self.is_same_record(state, x, y)?;
        if cmp == Cmp::Eq { Ok(is) } else { self.inverse(state, &is) }
    }

    /// `not` of a truth value.
    pub(crate) fn inverse(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        Ok(match value::rep(object) {
            Some((value, _)) => {
                let not = self.value(state, Op::Not, &[value]);
                self.rep(not)
            }
            None => self.vm.ctx.new_bool(!object.is(&self.vm.ctx.true_value)).into(),
        })
    }

    /// Something of a record's class, for asking Python what it thinks of its type.
    pub(crate) fn sample_of_record(&self, object: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let Some(record) = as_record(object) else { return Ok(None) };
        Ok(Some(host::new_object(&record.class, self.vm)?))
    }

    /// The running path changes an object of the world: records are not followed there.
    pub(crate) fn note_touched(&mut self, object: &PyObjectRef) {
        if self.table.records.is_none() || self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id())
        {
            return;
        }
        let dict =
            self.objects.items.get(&object.get_id()).map_or_else(|| object.clone(), |(dict, _)| dict.clone().into());
        if !self.table.touched.iter().any(|it| it.is(&dict)) {
            self.table.touched.push(dict);
        }
    }
}
