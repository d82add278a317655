//! What a list of the compiled code is made of: a list of numbers, or one for each part of its tuples.

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{PyObjectRef, VirtualMachine};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{ListOp, Op};
use snekpy_stage::types::{Elem, Type};

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};

/// How many items, counting equal ones in a row once, a list may have to become one of the compiled code.
const MAX_RUNS: usize = 256;

/// A list of the compiled code.
#[derive(Clone, Debug)]
pub(crate) struct Staged {
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
    /// Tuples of such items.
    Tuple(Vec<ItemType>),
}

impl ItemType {
    /// That of an item, if a list of the compiled code can hold it.
    pub(crate) fn of(item: &PyObjectRef, vm: &VirtualMachine) -> Option<Self> {
        Self::with(item, &|it| value::number(it, vm).map(Num::ty), vm)
    }

    /// That of an item, where `number` says which objects are numbers, and of which type.
    pub(crate) fn with(
        item: &PyObjectRef,
        number: &impl Fn(&PyObjectRef) -> Option<Type>,
        vm: &VirtualMachine,
    ) -> Option<Self> {
        if let Some(ty) = number(item) {
            return elem_of(ty).map(Self::Number);
        }
        let tuple = item.downcast_ref_if_exact::<PyTuple>(vm).filter(|it| !it.is_empty())?;
        tuple.as_slice().iter().map(|it| Self::with(it, number, vm)).collect::<Option<_>>().map(Self::Tuple)
    }

    /// Those of the numbers of an item.
    pub(crate) fn elems(&self) -> Vec<Elem> {
        match self {
            Self::Number(elem) => vec![*elem],
            Self::Tuple(parts) => parts.iter().flat_map(Self::elems).collect(),
        }
    }
}

impl Staged {
    /// A list that is as long as this one.
    pub(super) fn first(&self) -> Value {
        self.columns[0]
    }
}

/// How numbers of this type are stored in a list.
fn elem_of(ty: Type) -> Option<Elem> {
    match ty {
        Type::Bool => Some(Elem::Bool),
        Type::I64 => Some(Elem::I64),
        Type::F64 => Some(Elem::F64),
        Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) => None,
    }
}

/// The list of the compiled code that these items of a list object stand for.
pub(crate) fn in_items(items: &[PyObjectRef]) -> Option<Staged> {
    let [only] = items else { return None };
    in_columns(only)
}

/// The list of the compiled code with these columns, if they are columns.
pub(crate) fn in_columns(object: &PyObjectRef) -> Option<Staged> {
    if let Some((value, ty)) = value::rep(object) {
        let Type::List(elem) = ty else { return None };
        return Some(Staged { columns: vec![value], items: ItemType::Number(elem) });
    }
    let tuple = object.downcast_ref::<PyTuple>()?;
    let parts = tuple.as_slice().iter().map(in_columns).collect::<Option<Vec<_>>>().filter(|it| !it.is_empty())?;
    let (columns, items): (Vec<_>, Vec<_>) = parts.into_iter().map(|it| (it.columns, it.items)).unzip();
    Some(Staged { columns: columns.concat(), items: ItemType::Tuple(items) })
}

impl Session<'_> {
    /// The columns of a new list of the compiled code; `None` if it would take too much code.
    pub(super) fn new_list(
        &mut self,
        state: &State,
        items: &[PyObjectRef],
        ty: &ItemType,
    ) -> Step<Option<PyObjectRef>> {
        let elem = match ty {
            ItemType::Number(elem) => *elem,
            ItemType::Tuple(types) => {
                let mut columns = Vec::with_capacity(types.len());
                for (index, ty) in types.iter().enumerate() {
                    let part = |item: &PyObjectRef| {
                        item.downcast_ref::<PyTuple>().expect("the items of the list are tuples").as_slice()[index]
                            .clone()
                    };
                    let parts: Vec<PyObjectRef> = items.iter().map(part).collect();
                    let Some(column) = self.new_list(state, &parts, ty)? else { return Ok(None) };
                    columns.push(column);
                }
                return Ok(Some(self.vm.ctx.new_tuple(columns).into()));
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
        let list = self.value(state, Op::ListNew(elem), &[]);
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

    /// A list of the compiled code with the items of a list object, if it can hold them: its own, or a new one.
    pub(super) fn as_staged(&mut self, state: &State, list: &PyObjectRef) -> Step<Option<Staged>> {
        if let Some(list) = self.staged_list(list) {
            return Ok(Some(list));
        }
        let items = list.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec()).unwrap_or_default();
        let Some(ty) = uniform(&items, self.vm) else { return Ok(None) };
        Ok(self.new_list(state, &items, &ty)?.as_ref().and_then(in_columns))
    }

    /// So many items, the first ones.
    pub(super) fn items_of_known(&mut self, state: &State, list: &Staged, length: usize) -> Vec<PyObjectRef> {
        let mut items = Vec::with_capacity(length);
        for index in 0..length {
            let index = self.int(state, i64::try_from(index).expect("a list is short"));
            items.push(self.item_there(state, list, index));
        }
        items
    }

    /// The item at an index that is one.
    pub(crate) fn item_there(&mut self, state: &State, list: &Staged, index: Value) -> PyObjectRef {
        self.take_item(state, list, ListOp::Get, &[index])
    }

    /// What an op that gives an item gives.
    pub(super) fn take_item(&mut self, state: &State, list: &Staged, op: ListOp, args: &[Value]) -> PyObjectRef {
        let mut numbers = Vec::with_capacity(list.columns.len());
        for &column in &list.columns {
            let args: Vec<Value> = std::iter::once(column).chain(args.iter().copied()).collect();
            let number = self.value(state, Op::List(op), &args);
            numbers.push(self.rep(number));
        }
        self.columns_of(&list.items, &mut numbers.into_iter())
    }

    /// An item made of its numbers, or the columns of a list made of its lists.
    pub(crate) fn columns_of(&self, ty: &ItemType, reps: &mut impl Iterator<Item = PyObjectRef>) -> PyObjectRef {
        match ty {
            ItemType::Number(_) => reps.next().expect("there is one for each column"),
            ItemType::Tuple(parts) => {
                let items = parts.iter().map(|part| self.columns_of(part, reps)).collect();
                self.vm.ctx.new_tuple(items).into()
            }
        }
    }

    /// The numbers of an item, as the columns store them. The type of a number is never changed.
    pub(super) fn numbers_of_item(&mut self, state: &State, ty: &ItemType, item: &PyObjectRef) -> Step<Vec<Value>> {
        match ty {
            ItemType::Tuple(parts) => {
                let tuple = item.downcast_ref_if_exact::<PyTuple>(self.vm).filter(|it| it.len() == parts.len());
                let Some(tuple) = tuple else {
                    let found = match item.downcast_ref_if_exact::<PyTuple>(self.vm) {
                        Some(tuple) => format!("tuple of {}", tuple.len()),
                        None => item.class().name().to_string(),
                    };
                    return Err(other_item(&found, &format!("tuple of {}", parts.len())));
                };
                let mut numbers = Vec::new();
                for (part, item) in parts.iter().zip(tuple.as_slice()) {
                    numbers.extend(self.numbers_of_item(state, part, item)?);
                }
                Ok(numbers)
            }
            ItemType::Number(elem) => {
                let wanted = elem.value_type();
                match self.number(item)? {
                    Some(num) if num.ty() == wanted => Ok(vec![self.lift(state, num)]),
                    num => {
                        let class = || item.class().name().to_string();
                        let found = num.map_or_else(class, |num| value::type_name(num.ty()).to_owned());
                        Err(other_item(&found, value::type_name(wanted)))
                    }
                }
            }
        }
    }
}

/// The type of all of these items, if they have one that a list of the compiled code can hold.
fn uniform(items: &[PyObjectRef], vm: &VirtualMachine) -> Option<ItemType> {
    let ty = ItemType::of(items.first()?, vm)?;
    items.iter().all(|it| ItemType::of(it, vm).as_ref() == Some(&ty)).then_some(ty)
}

fn other_item(found: &str, wanted: &str) -> Stop {
    refuse("S288", format!("a `{found}` among items of type `{wanted}` of one list"))
        .help("give all items of the list one type")
        .into()
}
