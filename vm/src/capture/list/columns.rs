//! What a list of the compiled code is made of: a list of numbers, or one for each part of its tuples, complex numbers or
//! characters.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{ListOp, Op};
use snekpy_stage::types::{Elem, ListType, Type};

use super::found::{Found, Look};
use crate::capture::pool::may_be_rows;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::text;
use crate::capture::value::{self, Num};
use crate::capture::values;
use crate::flatten::describe_item;
use crate::kind::{self, Is, Kind, Leaving, Make, May, Mixed, Rows};
use crate::rep::Named;
use crate::scalar;
use crate::tensor;

/// So many numbers of a list that changes at a place known only later stay known one by one.
const FEW_KNOWN: usize = 16;
/// So many numbers of one type, or rounds of a loop in which nothing is known only later, are known one by one: where a
/// place among them is known only later, each is one of as many choices.
pub(crate) const KNOWN_ONE_BY_ONE: usize = 32;
/// How many items, counting equal ones in a row once, a list may have to become one of the compiled code.
const MAX_RUNS: usize = 256;

/// How many lists and tuples may be round a number of one.
const MAX_NESTING: u32 = 8;

/// A list of the compiled code.
#[derive(Clone, Debug)]
pub(crate) struct StagedList {
    /// The lists that hold the numbers of its items, in their order.
    pub(crate) columns: Vec<Value>,
    /// What its items are.
    pub(crate) items: ItemType,
}

/// What the items of a list of the compiled code are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ItemType {
    /// Numbers of one type.
    Number(Elem),
    /// Lists of such items.
    List(Arc<ItemType>),
    /// Tuples of such items.
    Tuple(Vec<ItemType>),
    /// Values of a kind that are made of numbers.
    Made(Made),
}

/// Values of one kind, all of whose parts are numbers, and of which the same is known besides.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// One like them.
    pub(super) like: Arc<Kind>,
    pub(super) parts: Vec<Elem>,
}

impl Made {
    /// What an object is of, if it is of a kind that lists of the compiled code may hold.
    pub(crate) fn of(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Self> {
        let like = kind_of(object, vm).filter(|it| it.staged().is_item())?;
        let part = |it: &PyObjectRef| value::number(it, vm).and_then(|num| elem_of(num.ty()));
        let parts = like.staged().parts().iter().map(part).collect::<Option<_>>()?;
        Some(Self { like: Arc::new(like), parts })
    }

    /// Numbers of these types, or None.
    pub(crate) fn mixed(may: May) -> Self {
        let tag = if may.is_either() { Elem::Bool } else { Elem::I64 };
        let int = may.has_int().then_some(Elem::I64);
        let float = may.has_float().then_some(Elem::F64);
        let parts = std::iter::once(tag).chain(int).chain(float).collect();
        Self { like: Arc::new(Mixed::like(may).into()), parts }
    }

    /// What they may be, if they are numbers of several types, or None.
    pub(crate) fn may(&self) -> Option<May> {
        match &*self.like {
            Kind::Mixed(mixed) => Some(mixed.may),
            _ => None,
        }
    }

    /// An object that is a row of this pool, or None, a number or such an object, by its parts.
    pub(crate) fn rows(&self) -> Option<May> {
        may_be_rows(&self.like)
    }

    /// What they may be, if a value that mixes types may be each of them.
    pub(crate) fn all_may(&self) -> Option<May> {
        self.may().or_else(|| self.rows())
    }

    /// The parts of the one that they are like.
    pub(super) fn like_parts(&self) -> Vec<PyObjectRef> {
        self.like.staged().parts()
    }

    /// What they are, for people.
    pub(crate) fn noun(&self) -> String {
        match &*self.like {
            Kind::Mixed(mixed) => mixed.describe(),
            kind => kind.staged().noun().to_owned(),
        }
    }

    /// How compiled code hands them out, and is given them.
    pub(crate) fn make(&self) -> Option<Arc<dyn Make>> {
        match self.like.staged().leaving() {
            Leaving::Made { make, .. } => Some(make),
            Leaving::Row | Leaving::Object | Leaving::Refused(..) => None,
        }
    }

    /// One of these, or the columns of a list of them.
    fn with(&self, parts: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyObjectRef {
        self.like.staged().with(parts).object(vm)
    }
}

impl PartialEq for Made {
    fn eq(&self, other: &Self) -> bool {
        (self.like.known(), &self.parts) == (other.like.known(), &other.parts)
    }
}

impl Eq for Made {}

impl Hash for Made {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.like.known(), &self.parts).hash(state);
    }
}

/// The kind of an object, or of one that is known now and like those of a kind.
fn kind_of(object: &PyObjectRef, vm: &VirtualMachine) -> Option<Kind> {
    kind::like(object, vm).map(Cow::into_owned).or_else(|| text::known_character(object, vm).map(Kind::from))
}

impl ItemType {
    /// That of an item, if a list of the compiled code can hold it. `number` says which objects are numbers, and of which
    /// type, `lists` gives the items of a list that may be one, `made` what is made of numbers, and `guess` what those of
    /// an empty one are.
    pub(crate) fn of(
        item: &PyObjectRef,
        number: &impl Fn(&PyObjectRef) -> Option<Type>,
        lists: &impl Fn(&PyObjectRef) -> Option<Vec<PyObjectRef>>,
        made: &impl Fn(&PyObjectRef) -> Option<Made>,
        guess: &impl Fn() -> Option<Self>,
        vm: &VirtualMachine,
    ) -> Option<Self> {
        let look = Look { number, lists, made, mixes: false, vm };
        Found::of(item, &look, MAX_NESTING)?.or_else(guess, May::from(Is::None))
    }

    /// That of all of these items, which may be numbers of several types, or None; of empty lists nothing is known.
    pub(crate) fn of_mixed(
        items: &[PyObjectRef],
        number: &impl Fn(&PyObjectRef) -> Option<Type>,
        lists: &impl Fn(&PyObjectRef) -> Option<Vec<PyObjectRef>>,
        made: &impl Fn(&PyObjectRef) -> Option<Made>,
        vm: &VirtualMachine,
    ) -> Option<Self> {
        let look = Look { number, lists, made, mixes: true, vm };
        let found = Found::of_all(items, true, |it| Found::of(it, &look, MAX_NESTING))??;
        found.or_else(&|| None, May::from(Is::None).or(Is::Int.into()))
    }

    /// Numbers of these types, or None: `None` if they are of one type.
    pub(crate) fn mixed(may: May) -> Option<Self> {
        may.only().is_none().then(|| Self::Made(Made::mixed(may)))
    }

    /// What such items may be, if they are numbers or None.
    pub(crate) fn may(&self) -> Option<May> {
        match self {
            Self::Number(elem) => Is::of_type(elem.value_type()).map(May::from),
            Self::Made(made) => made.all_may(),
            Self::List(_) | Self::Tuple(_) => None,
        }
    }

    /// Lists of items of a list of this type.
    pub(crate) fn lists_of(list: ListType) -> Self {
        Self::List(Arc::new(items_of(list)))
    }

    /// The type of a list of the compiled code with such items, if it is a single one.
    pub(crate) fn list(&self) -> Option<ListType> {
        match self {
            Self::Number(elem) => Some(ListType::of(*elem)),
            Self::List(items) => items.list()?.nested(),
            Self::Tuple(_) | Self::Made(_) => None,
        }
    }

    /// The types of the columns of a list of such items.
    pub(crate) fn columns(&self) -> Vec<ListType> {
        match self {
            Self::Number(elem) => vec![ListType::of(*elem)],
            Self::List(items) => items.columns().into_iter().filter_map(ListType::nested).collect(),
            Self::Tuple(parts) => parts.iter().flat_map(Self::columns).collect(),
            Self::Made(made) => made.parts.iter().copied().map(ListType::of).collect(),
        }
    }

    /// Whether lists are among such items.
    pub(crate) fn has_lists(&self) -> bool {
        match self {
            Self::Number(_) | Self::Made(_) => false,
            Self::List(_) => true,
            Self::Tuple(parts) => parts.iter().any(Self::has_lists),
        }
    }

    /// Whether such items come in the order in which their numbers come.
    pub(super) fn is_ordered(&self) -> bool {
        match self {
            Self::Number(_) => true,
            Self::List(items) => items.is_ordered(),
            Self::Made(made) => made.like.staged().is_ordered(),
            Self::Tuple(parts) => parts.iter().all(Self::is_ordered),
        }
    }

    /// Whether each item of the other type is one of this type.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) => a.covers(b),
            (Self::Tuple(a), Self::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.covers(b)),
            _ => self == other || self.may().zip(other.may()).is_some_and(|(a, b)| a.covers(b)),
        }
    }

    /// Whether such values of a kind are among such items.
    pub(super) fn has(&self, is_one: &impl Fn(&Made) -> bool) -> bool {
        match self {
            Self::Number(_) => false,
            Self::List(items) => items.has(is_one),
            Self::Made(made) => is_one(made),
            Self::Tuple(parts) => parts.iter().any(|it| it.has(is_one)),
        }
    }

    /// Whether values of a kind are among such items.
    pub(crate) fn has_made(&self) -> bool {
        self.has(&|_| true)
    }

    /// Whether objects that are rows of pools are among such items.
    pub(crate) fn has_rows(&self) -> bool {
        self.has(&|made| made.rows().is_some())
    }

    /// Whether numbers of several types, or None, are among such items.
    pub(crate) fn has_mixed(&self) -> bool {
        self.has(&|made| made.may().is_some())
    }
}

impl StagedList {
    /// A list that is as long as this one.
    pub(crate) fn first(&self) -> Value {
        self.columns[0]
    }
}

/// How numbers of this type are stored in a list.
pub(super) fn elem_of(ty: Type) -> Option<Elem> {
    match ty {
        Type::Bool => Some(Elem::Bool),
        Type::I64 => Some(Elem::I64),
        Type::F64 => Some(Elem::F64),
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => None,
    }
}

/// What the items of a list of this type are.
pub(crate) fn items_of(list: ListType) -> ItemType {
    match list.item() {
        Type::List(item) => ItemType::lists_of(item),
        _ => ItemType::Number(list.elem),
    }
}

/// The list of the compiled code that these items of a list object stand for.
pub(crate) fn in_items(items: &[PyObjectRef]) -> Option<StagedList> {
    let [only] = items else { return None };
    in_columns(only)
}

/// The list of the compiled code with these columns, if they are columns.
pub(crate) fn in_columns(object: &PyObjectRef) -> Option<StagedList> {
    columns_inside(object, 0)
}

/// Whether an object is columns of a list of the compiled code, or of lists that are items of one.
pub(crate) fn are_columns(object: &PyObjectRef) -> bool {
    let all = |parts: &[PyObjectRef]| !parts.is_empty() && parts.iter().all(are_columns);
    match (value::rep(object), kind::of(object)) {
        (Some((_, ty)), _) => matches!(ty, Type::List(_)),
        (None, Some(Kind::Rows(rows))) => are_columns(&rows.columns),
        (None, Some(kind)) => kind.staged().is_item() && all(&kind.staged().parts()),
        (None, None) => object.downcast_ref::<PyTuple>().is_some_and(|it| all(it.as_slice())),
    }
}

/// Columns of items in so many lists: each is nested as many times more.
fn columns_inside(object: &PyObjectRef, lists: u8) -> Option<StagedList> {
    let column = |it: &PyObjectRef| match value::rep(it)? {
        (value, Type::List(ty)) => Some((value, ListType { nesting: ty.nesting.checked_sub(lists)?, ..ty })),
        _ => None,
    };
    if value::rep(object).is_some() {
        return column(object).map(|(value, ty)| StagedList { columns: vec![value], items: items_of(ty) });
    }
    if let Some(rows) = kind::as_kind::<Rows>(object) {
        let StagedList { columns, items } = columns_inside(&rows.columns, lists + 1)?;
        return Some(StagedList { columns, items: ItemType::List(Arc::new(items)) });
    }
    if let Some(kind) = kind::of(object).filter(|it| it.staged().is_item()) {
        let number = |part: &PyObjectRef| column(part).and_then(|(value, ty)| Some((value, ty.number()?)));
        let (columns, parts) = kind.staged().parts().iter().map(number).collect::<Option<_>>()?;
        return Some(StagedList { columns, items: ItemType::Made(Made { like: Arc::new(kind.clone()), parts }) });
    }
    let tuple = object.downcast_ref::<PyTuple>()?;
    let parts = tuple.as_slice().iter().map(|it| columns_inside(it, lists));
    let parts = parts.collect::<Option<Vec<_>>>().filter(|it| !it.is_empty())?;
    let (columns, items): (Vec<_>, Vec<_>) = parts.into_iter().map(|it| (it.columns, it.items)).unzip();
    Some(StagedList { columns: columns.concat(), items: ItemType::Tuple(items) })
}

impl Session<'_> {
    /// The columns of a new list of the compiled code; `None` if it would take too much code.
    pub(super) fn new_list(
        &mut self,
        state: &mut State,
        items: &[PyObjectRef],
        ty: &ItemType,
    ) -> Step<Option<PyObjectRef>> {
        let ty = self.learnt.guess.widened(ty.clone());
        if ty.has_mixed() {
            self.learnt.guess.note_made(&ty);
        }
        self.new_columns(state, items, &ty)
    }

    /// The same for just this type.
    fn new_columns(&mut self, state: &mut State, items: &[PyObjectRef], ty: &ItemType) -> Step<Option<PyObjectRef>> {
        let elem = match ty {
            ItemType::Number(elem) => *elem,
            ItemType::List(_) => return self.new_list_of_lists(state, items, ty),
            ItemType::Tuple(types) => {
                let mut columns = Vec::with_capacity(types.len());
                for (index, ty) in types.iter().enumerate() {
                    let part = |item: &PyObjectRef| {
                        item.downcast_ref::<PyTuple>().expect("the items of the list are tuples").as_slice()[index]
                            .clone()
                    };
                    let parts: Vec<PyObjectRef> = items.iter().map(part).collect();
                    let Some(column) = self.new_columns(state, &parts, ty)? else { return Ok(None) };
                    columns.push(column);
                }
                return Ok(Some(self.vm.ctx.new_tuple(columns).into()));
            }
            ItemType::Made(made) => {
                let mut all = Vec::with_capacity(items.len());
                for item in items {
                    all.push(self.parts_of_item(state, made, item)?.expect("the items of the list are of this kind"));
                }
                let mut columns = Vec::with_capacity(made.parts.len());
                for (index, elem) in made.parts.iter().enumerate() {
                    let parts: Vec<PyObjectRef> = all.iter().map(|parts| parts[index].clone()).collect();
                    let column = self.new_columns(state, &parts, &ItemType::Number(*elem))?;
                    let Some(column) = column else { return Ok(None) };
                    columns.push(column);
                }
                // Arrays have no other list: what is refused of this one is said.
                if made.array().is_none() {
                    self.learnt.guess.note_made(ty);
                }
                return Ok(Some(made.with(columns, self.vm)));
            }
        };
        let mut runs: Vec<(Num, i64)> = Vec::new();
        for item in items {
            let num = self.number(item)?.expect("the items of the list are numbers");
            match runs.last_mut() {
                Some((last, count)) if *last == num => *count += 1,
                _ => runs.push((num, 1)),
            }
        }
        if runs.len() > MAX_RUNS {
            return Ok(None);
        }
        let list = self.value(state, Op::ListNew(ListType::of(elem)), &[]);
        for (num, count) in runs {
            let item = self.lift(state, num);
            if count == 1 {
                self.emit(state, Op::List(ListOp::Push), &[list, item]);
            } else {
                let count = self.int(state, count);
                self.emit(state, Op::List(ListOp::Reserve), &[list, count]);
                self.emit(state, Op::List(ListOp::Fill), &[list, count, item]);
            }
        }
        Ok(Some(self.rep(list)))
    }

    /// The column of a new list of lists.
    fn new_list_of_lists(
        &mut self,
        state: &mut State,
        items: &[PyObjectRef],
        ty: &ItemType,
    ) -> Step<Option<PyObjectRef>> {
        if items.len() > MAX_RUNS {
            return Ok(None);
        }
        let mut rows = Vec::with_capacity(items.len());
        for item in items {
            rows.push(self.numbers_of_item(state, ty, item)?);
        }
        let columns = ty.columns().into_iter().map(|it| self.value(state, Op::ListNew(it), &[])).collect::<Vec<_>>();
        for row in rows {
            for (&column, part) in columns.iter().zip(row) {
                self.emit(state, Op::List(ListOp::Push), &[column, part]);
            }
        }
        let reps: Vec<PyObjectRef> = columns.into_iter().map(|it| self.rep(it)).collect();
        Ok(Some(self.columns_of(ty, &mut reps.into_iter())))
    }

    /// Whether a list is copied into the call.
    pub(crate) fn is_list_param(&self, list: &PyObjectRef) -> bool {
        self.given.list_params.iter().any(|it| it.is(list))
    }

    /// The items of a list that may be an item of one of the compiled code: the program made it, or it is copied into the
    /// call.
    pub(crate) fn items_of_row(&self, list: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
        let is_known = self.is_fresh(list) || self.is_list_param(list);
        is_known.then(|| list.downcast_ref_if_exact::<PyList>(self.vm).map(|it| it.borrow_vec().to_vec()))?
    }

    /// What the items of a list of the compiled code with these would be.
    pub(crate) fn item_type(&self, item: &PyObjectRef) -> Option<ItemType> {
        self.typed(self.found(item, &|list| self.items_of_row(list))?)
    }

    /// What all of these items are, if they are of one type: nothing if there are none.
    pub(crate) fn type_of_items(
        &self,
        items: &[PyObjectRef],
        lists: &impl Fn(&PyObjectRef) -> Option<Vec<PyObjectRef>>,
    ) -> Option<Option<ItemType>> {
        match Found::of_all(items, self.learnt.guess.mixes(), |it| self.found(it, lists))? {
            Some(found) => self.typed(found).map(Some),
            None => Some(None),
        }
    }

    /// The type of what was found, with what is guessed and what was learnt.
    fn typed(&self, found: Found) -> Option<ItemType> {
        let guess = &self.learnt.guess;
        found.or_else(&|| guess.make(), guess.none()).map(|it| guess.widened(it))
    }

    fn found(&self, item: &PyObjectRef, lists: &impl Fn(&PyObjectRef) -> Option<Vec<PyObjectRef>>) -> Option<Found> {
        let number = |it: &PyObjectRef| value::number(it, self.vm).map(Num::ty);
        let made = |it: &PyObjectRef| self.made_item(it);
        let look = Look { number: &number, lists, made: &made, mixes: self.learnt.guess.mixes(), vm: self.vm };
        Found::of(item, &look, MAX_NESTING)
    }

    /// What an object is of, if lists may hold values of its kind.
    fn made_item(&self, object: &PyObjectRef) -> Option<Made> {
        if let Some(row) = self.like_row(object) {
            return Made::of(&row, self.vm);
        }
        let takes = self.learnt.guess.takes_made() || kind::as_kind::<Mixed>(object).is_some();
        if !takes {
            return None;
        }
        match tensor::of(object) {
            Some(array) => self.made_array(array),
            None => Made::of(object, self.vm),
        }
    }

    /// Whether an item can be one of this type.
    pub(in crate::capture) fn fits(&self, ty: &ItemType, item: &PyObjectRef) -> bool {
        self.with_item(ty, item).is_some_and(|it| it == *ty)
    }

    /// The type of items of this type and another one, if they are of one.
    fn with_item(&self, ty: &ItemType, item: &PyObjectRef) -> Option<ItemType> {
        let found = self.found(item, &|list| self.items_of_row(list))?;
        found.and(ty.into(), self.learnt.guess.mixes())?.or_else(&|| None, Is::None.into())
    }

    /// The type of items of this type and of another one, where empty lists hold what `guess` says; `None` if there is none.
    pub(in crate::capture) fn both_types(
        &self,
        ty: Option<&ItemType>,
        item: &PyObjectRef,
        guess: &ItemType,
    ) -> Option<ItemType> {
        let found = match self.known_object(item) {
            Some(known) => Found::Made(Made::mixed(Is::Known(known).into())),
            None => self.found(item, &|list| self.items_of_row(list))?.unfixed(),
        };
        let both = match ty {
            Some(ty) => found.and(ty.into(), true)?,
            None => found,
        };
        both.or_else(&|| Some(guess.clone()), guess.may().unwrap_or(Is::Int.into()))
    }

    /// The type of items of this type and of another one that is not of it, if they may be mixed.
    pub(super) fn wide_type(&self, wanted: &ItemType, item: &PyObjectRef) -> Option<ItemType> {
        if !self.learnt.guess.mixes() || self.fits(wanted, item) {
            return None;
        }
        let found = self.found(item, &|list| self.items_of_row(list))?.unfixed();
        found.and(wanted.into(), true)?.or_else(&|| None, Is::None.into())
    }

    /// A list of the compiled code with the items of a list object, if it can hold them: its own, or a new one.
    pub(super) fn as_staged(&mut self, state: &mut State, list: &PyObjectRef) -> Step<Option<StagedList>> {
        if let Some(list) = values::staged_in(list) {
            return Ok(Some(list));
        }
        let items = list.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        // Nothing is done to known items that needs one of numbers of several types.
        let Some(ty) = self.uniform(&items).filter(|it| !it.has_mixed()) else { return Ok(None) };
        Ok(self.new_list(state, &items, &ty)?.as_ref().and_then(in_columns))
    }

    /// The type of all of these items, if they have one that a list of the compiled code can hold.
    pub(super) fn uniform(&self, items: &[PyObjectRef]) -> Option<ItemType> {
        self.type_of_items(items, &|list| self.items_of_row(list)).flatten()
    }

    /// A list object of the running path becomes one of the compiled code, with the items it has.
    pub(crate) fn stage_here(&mut self, state: &mut State, object: &PyObjectRef, ty: &ItemType) -> Step<StagedList> {
        self.stage_if_short(state, object, ty)?.ok_or_else(too_long)
    }

    fn stage_if_short(&mut self, state: &mut State, object: &PyObjectRef, ty: &ItemType) -> Step<Option<StagedList>> {
        if let Some(staged) = values::staged_in(object) {
            return Ok(Some(staged));
        }
        // What is in it matters from here on, even if the instruction that runs only appends.
        self.running.to_append = false;
        self.guard_contents(object)?;
        self.touch(state, object)?;
        let list = object.downcast_ref_if_exact::<PyList>(self.vm).expect("the caller looked");
        let known = list.borrow_vec().to_vec();
        let Some(columns) = self.new_list(state, &known, ty)? else { return Ok(None) };
        *list.borrow_vec_mut() = vec![columns];
        self.stage_iterators(state, object);
        Ok(values::staged_in(object))
    }

    /// A list of lists whose items are known one by one becomes one of the compiled code, if it can.
    pub(crate) fn stage_rows(&mut self, state: &mut State, object: &PyObjectRef) -> Step<Option<StagedList>> {
        if !self.is_fresh(object) || object.downcast_ref_if_exact::<PyList>(self.vm).is_none() {
            return Ok(None);
        }
        match self.item_type(object) {
            Some(ItemType::List(rows)) if matches!(*rows, ItemType::List(_)) => {
                self.stage_here(state, object, &rows).map(Some)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// The same for a long list of numbers, into which one more is put where only the code knows: known one by one, each
    /// of them would be another one behind that.
    pub(crate) fn stage_long(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        item: &PyObjectRef,
    ) -> Step<Option<StagedList>> {
        let items = object.downcast_ref_if_exact::<PyList>(self.vm).map(|it| it.borrow_vec().to_vec());
        let Some(items) = items.filter(|it| it.len() > FEW_KNOWN && self.is_fresh(object)) else { return Ok(None) };
        let is_long = items.len() > KNOWN_ONE_BY_ONE;
        let may = |it: &ItemType| is_long || self.calls.voluntary == 0 && it.may().is_some();
        match self.uniform(&items).and_then(|ty| self.with_item(&ty, item)).filter(may) {
            Some(ty) => self.stage_if_short(state, object, &ty),
            None => Ok(None),
        }
    }

    /// So many items, the first ones.
    pub(super) fn items_of_known(&mut self, state: &State, list: &StagedList, length: usize) -> Vec<PyObjectRef> {
        let mut items = Vec::with_capacity(length);
        for index in 0..length {
            let index = self.int(state, i64::try_from(index).expect("a list is short"));
            items.push(self.item_there(state, list, index));
        }
        items
    }

    /// The item at an index that is one.
    pub(crate) fn item_there(&mut self, state: &State, list: &StagedList, index: Value) -> PyObjectRef {
        self.take_item(state, list, ListOp::Get, &[index])
    }

    /// Stores the numbers of an item at an index that is one.
    pub(crate) fn store_there(&mut self, state: &State, list: &StagedList, index: Value, numbers: &[Value]) {
        for ((&column, &number), array) in list.columns.iter().zip(numbers).zip(list.items.arrays()) {
            if let Some(ty) = array {
                let before = self.value(state, Op::List(ListOp::Get), &[column, index]);
                self.array_of_list(state, before, ty, false);
            }
            self.emit(state, Op::List(ListOp::Set), &[column, index, number]);
        }
    }

    /// What an op that gives an item gives.
    pub(super) fn take_item(&mut self, state: &State, list: &StagedList, op: ListOp, args: &[Value]) -> PyObjectRef {
        let mut numbers = Vec::with_capacity(list.columns.len());
        for (&column, array) in list.columns.iter().zip(list.items.arrays()) {
            let args: Vec<Value> = std::iter::once(column).chain(args.iter().copied()).collect();
            let mut number = self.value(state, Op::List(op), &args);
            if let Some(ty) = array {
                number = self.array_of_list(state, number, ty, op == ListOp::Get);
            }
            numbers.push(self.rep(number));
        }
        self.item_of(&list.items, &mut numbers.into_iter())
    }

    /// An item made of its numbers and lists.
    pub(crate) fn item_of(&mut self, ty: &ItemType, reps: &mut impl Iterator<Item = PyObjectRef>) -> PyObjectRef {
        match ty {
            ItemType::Number(_) => reps.next().expect("there is one for each column"),
            ItemType::List(items) => {
                self.objects.has_nested = true;
                let list = self.vm.ctx.new_list(vec![self.columns_of(items, reps)]);
                self.made(list.into())
            }
            ItemType::Tuple(parts) => {
                let items = parts.iter().map(|part| self.item_of(part, reps)).collect();
                self.vm.ctx.new_tuple(items).into()
            }
            ItemType::Made(made) if made.array().is_some() => reps.next().expect("there is one for each column"),
            ItemType::Made(made) => {
                if made.may().is_some() {
                    self.learnt.guess.note_made(ty);
                }
                made.with(reps.take(made.parts.len()).collect(), self.vm)
            }
        }
    }

    /// The columns of a list made of its lists.
    pub(crate) fn columns_of(&self, ty: &ItemType, reps: &mut impl Iterator<Item = PyObjectRef>) -> PyObjectRef {
        match ty {
            ItemType::List(items) if ty.list().is_none() => {
                Kind::from(Rows { columns: self.columns_of(items, reps) }).object(self.vm)
            }
            ItemType::Number(_) | ItemType::List(_) => reps.next().expect("there is one for each column"),
            ItemType::Tuple(parts) => {
                let items = parts.iter().map(|part| self.columns_of(part, reps)).collect();
                self.vm.ctx.new_tuple(items).into()
            }
            ItemType::Made(made) => made.with(reps.take(made.parts.len()).collect(), self.vm),
        }
    }

    /// The numbers of an item, as the columns store them. The type of a number is never changed.
    /// A list becomes one of the compiled code, if it is none.
    pub(crate) fn numbers_of_item(&mut self, state: &mut State, ty: &ItemType, item: &PyObjectRef) -> Step<Vec<Value>> {
        self.pool_of_item(item)?;
        if let Some(again) = self.wider_for(ty, item) {
            return Err(again);
        }
        let numbers = self.numbers_inside(state, ty, item)?;
        if self.are_of(&numbers, ty) {
            return Ok(numbers);
        }
        // A list that is passed holds lists of what its key says, whatever has been learnt of others since.
        let message = format!("a `list` that holds more than the `{}` it is put among", describe_item(ty));
        Err(refuse("S288", message).into())
    }

    /// Whether these are what the columns of a type store.
    pub(in crate::capture) fn are_of(&self, numbers: &[Value], ty: &ItemType) -> bool {
        numbers.iter().map(|&it| self.func.ty(it)).eq(ty.columns().iter().map(|it| it.item()))
    }

    pub(in crate::capture) fn numbers_inside(
        &mut self,
        state: &mut State,
        ty: &ItemType,
        item: &PyObjectRef,
    ) -> Step<Vec<Value>> {
        match ty {
            ItemType::List(items) => {
                if !self.fits(ty, item) {
                    return Err(self.other_item(ty, item, &item.class_name(), &describe_item(ty)));
                }
                match values::staged_in(item) {
                    Some(staged) => Ok(staged.columns),
                    None => Ok(self.stage_here(state, item, items)?.columns),
                }
            }
            ItemType::Tuple(parts) => {
                let tuple = item.downcast_ref_if_exact::<PyTuple>(self.vm).filter(|it| it.len() == parts.len());
                let Some(tuple) = tuple else {
                    let found = match item.downcast_ref_if_exact::<PyTuple>(self.vm) {
                        Some(tuple) => format!("tuple of {}", tuple.len()),
                        None => item.class_name(),
                    };
                    return Err(self.other_item(ty, item, &found, &format!("tuple of {}", parts.len())));
                };
                let mut numbers = Vec::new();
                for (part, item) in parts.iter().zip(tuple.as_slice()) {
                    numbers.extend(self.numbers_inside(state, part, item)?);
                }
                Ok(numbers)
            }
            ItemType::Made(made) => {
                let Some(parts) = self.parts_of_item(state, made, item)? else {
                    return Err(self.other_item(ty, item, &item.class_name(), &made.noun()));
                };
                let mut numbers = Vec::with_capacity(parts.len());
                for part in parts {
                    let num = self.number(&part)?.expect("its parts are numbers");
                    numbers.push(self.lift(state, num));
                }
                Ok(numbers)
            }
            ItemType::Number(elem) => {
                let wanted = elem.value_type();
                match self.number(item)? {
                    Some(num) if num.ty() == wanted => Ok(vec![self.lift(state, num)]),
                    num => {
                        let class = || item.class_name();
                        let found = num.map_or_else(class, |num| scalar::type_name(num.ty()).to_owned());
                        Err(self.other_item(ty, item, &found, scalar::type_name(wanted)))
                    }
                }
            }
        }
    }
}

/// Why a list stays one whose items are known.
pub(super) fn too_long() -> Stop {
    refuse("S296", "a list of many different items would change its length in a loop").into()
}

/// How the types of two items differ in the innermost of the lists that they are.
pub(super) fn innermost(wanted: ItemType, found: ItemType) -> (ItemType, ItemType) {
    match (&wanted, &found) {
        (ItemType::List(a), ItemType::List(b)) => innermost((**a).clone(), (**b).clone()),
        _ => (wanted, found),
    }
}
