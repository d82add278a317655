//! An instruction that the VM carries out where compiled code calls the host.

mod lane;
mod pairs;
mod parse;
mod replaced;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustpython_vm::builtins::{PyDict, PyInt, PyList, PySet, PySlice, PyStr, PyTuple};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::common::wtf8::CodePoint;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::backend::NO_OBJECT;
use snekpy_stage::tensor::device::is_any_there;
use snekpy_stage::types::{Class, Type};

use crate::object::class::number::{
    BYTEARRAY, BYTES, COUNT, DEFAULTDICT, DEQUE, DICT, FROZENSET, LIST, NDARRAY, SET, STR, TUPLE,
};
use crate::object::class::{class_number, is_flat};
use crate::object::known::{Known, is_free, note_made};
use crate::object::{Objects, python, tensor};

use crate::captured::Captured;
use crate::code::Seen;
use crate::exit::{Crossing, Filling, HostFailure, Template};
use crate::host::operator;
use crate::object::look::{
    bring_here, counts_numbers, fit, has_key, has_length, has_nan, holds_any_there, is_field, is_index, is_iterable,
    is_iterator, is_key_of_tensor, is_named, is_named_tuple, is_number_index, is_plain_test, makes_natively, sealed,
};
use crate::object::operation::{Gives, Operation};
use crate::object::place::{assigned_at, attribute_at};
use crate::object::rule::{self, Fits};
use crate::object::slot::{Slot, is_of, slot};
use crate::raising::sites_of;
use crate::scalar::number_of;
use crate::tensor::quietly;

use lane::Quick;
pub(crate) use replaced::holds_items;

/// How deep in tuples and lists tensors on devices are looked for.
const HELD: usize = 2;

/// What there is where a crossing is carried out.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// What compiled code gives.
    pub(crate) slots: &'a [u64],
    pub(crate) objects: &'a Objects,
    /// The number of the function of the host.
    pub(crate) place: u32,
    pub(crate) known: Known<'a>,
    pub(crate) captured: &'a Captured,
    pub(crate) vm: &'a VirtualMachine,
}

impl Site<'_> {
    /// A handle of what the crossing gives.
    #[inline]
    pub(super) fn give(&self, object: PyObjectRef) -> u64 {
        self.objects.give(object, self.place, self.vm)
    }
}

/// Whether a crossing was carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// It was.
    Yes,
    /// It was not, and has done nothing.
    No,
    /// It was not: better code can be made, now that it is known what it gives.
    Learnt,
}

type Operands = SmallVec<[PyObjectRef; 4]>;

/// The object of such a template.
fn simple(template: &Template, slots: &[u64], objects: &Objects, vm: &VirtualMachine) -> PyResult {
    match template {
        Template::Static(object) => Ok(object.clone()),
        Template::Leaf { slot, ty } if ty.is_scalar() => Ok(number_of(slots[*slot], *ty, vm)),
        Template::Leaf { slot, .. } => {
            objects.get(slots[*slot], vm).ok_or_else(|| crate::staging_error::bug(vm, "a handle of no object"))
        }
        Template::Shared { make: Some(make), .. } => simple(make, slots, objects, vm),
        Template::Made { make, parts } => {
            let parts = parts.iter().map(|it| simple(it, slots, objects, vm)).collect::<PyResult<Operands>>()?;
            make.make(&parts, vm)
        }
        Template::Tuple(items) => {
            let items = items.iter().map(|it| simple(it, slots, objects, vm)).collect::<PyResult<Vec<_>>>()?;
            Ok(vm.ctx.new_tuple(items).into())
        }
        _ => Err(crate::staging_error::bug(vm, "an operand that needs others")),
    }
}

/// What was given.
enum Given {
    Object(PyObjectRef),
    /// There is no next item.
    End,
    /// The items of a tuple or list.
    Items(Vec<PyObjectRef>),
    Nothing,
}

impl Crossing {
    /// Carries it out, and writes whether it did, and what it gave.
    pub(crate) fn run<'a>(
        &self,
        site: Site<'_>,
        filling: &dyn Fn() -> Filling<'a>,
        results: &mut [u64],
    ) -> Result<Fit, HostFailure> {
        let any = Type::Object(Class::ANY);
        let has_learnt = match &self.gives {
            Gives::Value(ty) | Gives::Next(ty) => *ty == any && self.seen.is_sure(),
            Gives::Many(_, types) => types.iter().zip(&self.seen_of).any(|(ty, seen)| *ty == any && seen.is_sure()),
            Gives::Nothing | Gives::None => false,
        };
        if has_learnt || self.learns_elements && self.seen.is_element_sure() {
            results.fill(NO_OBJECT);
            return Ok(Fit::Learnt);
        }
        if !matches!(self.operation, Operation::Attribute(_) | Operation::SetAttribute(_)) {
            site.objects.numbers.forget();
        }
        if site.objects.rows.is_used() && self.may_look_into(site) {
            site.objects.settle(site.vm);
        }
        match self.quick(site, results) {
            Quick::Done => Ok(self.done(results)),
            Quick::Rare(came) => *came,
            Quick::No => {
                site.objects.numbers.forget();
                if self.is_of_attribute() {
                    site.objects.settle(site.vm);
                }
                self.run_any(site, filling, results)
            }
        }
    }

    /// Whether it reads or assigns an attribute, or asks for one.
    #[inline]
    const fn is_of_attribute(&self) -> bool {
        matches!(self.operation, Operation::Attribute(_) | Operation::SetAttribute(_) | Operation::Unshadowed(_))
    }

    /// Whether native code may look at attributes of the operands, or of what is in them. What only holds objects, asks for
    /// their class or which ones they are does not, nor does what compares them or goes over them; so do methods of containers.
    #[inline]
    fn may_look_into(&self, site: Site<'_>) -> bool {
        matches!(
            self.operation,
            Operation::Native { .. }
                | Operation::Named { .. }
                | Operation::Method { .. }
                | Operation::Format
                | Operation::FormatTo
                | Operation::Text
                | Operation::Shown
                | Operation::Join
        ) && !self.is_of_holders(site)
    }

    /// It was carried out.
    #[inline]
    fn done(&self, results: &mut [u64]) -> Fit {
        results[0] = 1;
        // Threads may lose a count: nothing depends on it.
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Fit::Yes
    }

    /// Carries out any crossing.
    fn run_any<'a>(
        &self,
        site: Site<'_>,
        filling: &dyn Fn() -> Filling<'a>,
        results: &mut [u64],
    ) -> Result<Fit, HostFailure> {
        let Site { slots, objects, known, captured, vm, .. } = site;
        results.fill(NO_OBJECT);
        let operands = self.made(slots, filling, objects, vm)?;
        if self.learns_elements {
            let found = match (&self.operation, &operands[..]) {
                (Operation::Binary(_), [x, key]) | (Operation::SetItem, [_, x, key]) => tensor::element_of(x, key, vm),
                _ => None,
            };
            found.into_iter().for_each(|dtype| self.seen.note_element(dtype));
        }
        let copies = is_any_there() && self.copies(&operands, vm);
        if !matches!(self.operation, Operation::Is { .. }) && !operands.iter().all(|it| is_free(it, known, vm))
            || !self.fits(&operands, objects, vm)
            || copies && self.acts && !self.shows(vm)
        {
            return Ok(if self.learns_class(&operands, vm) { Fit::Learnt } else { self.unfit() });
        }
        if self.replaces_noticed(&operands, &objects.rows, vm) {
            return Ok(self.unfit());
        }
        if self.acts && self.stored(&operands).any(|it| !is_flat(it, vm) && !objects.is_sealed(it)) {
            objects.unseal();
        }
        let performed = match copies {
            true => {
                let sites = sites_of(self.loc, &captured.module.locs, &captured.sites);
                let performed = match self.acts {
                    // What is to be told is known before it acts.
                    true => quietly(sites, vm, || operands.iter().for_each(|it| bring_here(it, vm, HELD)))
                        .map(|()| self.perform(operands, vm)),
                    false => quietly(sites, vm, || self.perform(operands, vm)),
                };
                match performed {
                    Some(performed) => performed,
                    // It may be the only time.
                    None => return Ok(Fit::No),
                }
            }
            false => self.perform(operands, vm),
        };
        let given = match performed {
            Ok(given) => given,
            Err(_) if !self.acts => return Ok(self.unfit()),
            Err(exception) => return Err(HostFailure::Raised(exception)),
        };
        // What others give may have been there before the call.
        let makes = match &self.operation {
            Operation::Iterate | Operation::Over { .. } => true,
            Operation::Method { name, .. } => matches!(name.as_str(), "items" | "keys" | "values"),
            _ => false,
        };
        if let (true, Given::Object(object)) = (makes, &given) {
            note_made(object, known, vm);
        }
        match (&self.gives, given) {
            (Gives::Nothing | Gives::None, _) | (Gives::Next(_), Given::End) => {}
            (Gives::Value(_) | Gives::Next(_), Given::Object(object)) => {
                if let Quick::Rare(came) = self.object(object, site, results) {
                    return *came;
                }
            }
            (Gives::Many(..), Given::Items(items)) => match self.items(&items, site, results) {
                Fit::Yes => {}
                fit => return Ok(fit),
            },
            (Gives::Value(_) | Gives::Next(_) | Gives::Many(..), _) => return Ok(self.unfit()),
        }
        Ok(self.done(results))
    }

    /// Gives the items of what is unpacked.
    pub(super) fn items(&self, items: &[PyObjectRef], site: Site<'_>, results: &mut [u64]) -> Fit {
        let Gives::Many(count, types) = &self.gives else { return self.unfit() };
        if items.len() != *count {
            return self.unfit();
        }
        for (index, item) in items.iter().enumerate() {
            let ty = types.get(index).copied().unwrap_or(Type::Object(Class::ANY));
            let seen = self.seen_of.get(index).unwrap_or(&self.seen);
            let unfit = match slot(item, ty, seen, &site.objects.rows, site.vm) {
                Slot::Bits(bits) => {
                    results[1 + index] = bits;
                    continue;
                }
                Slot::Handle => {
                    results[1 + index] = site.give(item.clone());
                    continue;
                }
                Slot::Noticed => self.unfit(),
                Slot::Other => {
                    seen.differs();
                    Fit::Learnt
                }
            };
            // Nobody will let go of what was given before it.
            for (ty, bits) in self.gives.types().iter().zip(&mut results[1..]).take(index) {
                if matches!(ty, Type::Object(_)) {
                    site.objects.count(*bits, false, site.vm);
                }
            }
            results.fill(NO_OBJECT);
            return unfit;
        }
        Fit::Yes
    }

    /// The operands as objects.
    fn made<'a>(
        &self,
        slots: &[u64],
        filling: &dyn Fn() -> Filling<'a>,
        objects: &Objects,
        vm: &VirtualMachine,
    ) -> PyResult<Operands> {
        if !self.is_simple {
            return Ok(filling().make_all(&self.operands)?.into());
        }
        self.operands.iter().map(|it| simple(it, slots, objects, vm)).collect()
    }

    /// What it gave has another class than the code is made for, or is none that code may have a handle of.
    pub(super) fn gave(&self, object: PyObjectRef, slot: Slot) -> Result<Fit, HostFailure> {
        let fit = match slot {
            // Where a rule says what it gives, there is no better code.
            Slot::Other if self.gives_seen => {
                self.seen.differs();
                Fit::Learnt
            }
            _ => self.unfit(),
        };
        match (self.acts, fit) {
            (false, fit) => Ok(fit),
            (true, Fit::Learnt) => Err(HostFailure::Learnt(object)),
            (true, Fit::Yes | Fit::No) => Err(HostFailure::Gave(object)),
        }
    }

    /// Whether there is better code where the class of an operand is known: its methods in Python are called there.
    fn learns_class(&self, operands: &[PyObjectRef], vm: &VirtualMachine) -> bool {
        let learns = |(index, seen): &(usize, Arc<Seen>)| {
            let class = operands[*index].class();
            let calls = |name: &&str| {
                let found = class.get_attr(vm.ctx.intern_str(*name));
                found.is_some_and(|it| crate::callable::is_function(&it, vm))
            };
            let asks = self.operation.methods();
            asks.is_none_or(|it| it.iter().any(calls)) && seen.note_class(python::number_of(class, vm))
        };
        // One at a time: that may be all that is needed.
        self.classes.iter().any(learns)
    }

    fn unfit(&self) -> Fit {
        if self.seen.was_unfit() { Fit::Learnt } else { Fit::No }
    }

    /// The operands but for the object that is changed.
    fn stored<'o>(&self, operands: &'o [PyObjectRef]) -> impl Iterator<Item = &'o PyObjectRef> + use<'o> {
        let changed = match self.operation {
            Operation::SetItem | Operation::SetAttribute(_) => 1,
            _ => 0,
        };
        operands.iter().enumerate().filter(move |(index, _)| *index != changed).map(|(_, it)| it)
    }

    /// Whether what is done depends on numbers, and not on which objects they are.
    fn computes(&self) -> bool {
        match &self.operation {
            Operation::Binary(operator) => *operator != BinaryOperator::Subscr,
            Operation::Compare(_)
            | Operation::Test(_)
            | Operation::Truth
            | Operation::Negative
            | Operation::Invert
            | Operation::Format
            | Operation::FormatTo
            | Operation::Text
            | Operation::Shown
            | Operation::Join => true,
            Operation::Native { .. }
            | Operation::Named { .. }
            | Operation::Length
            | Operation::Ord
            | Operation::Chr
            | Operation::IsInstance
            | Operation::Over { .. }
            | Operation::Method { .. }
            | Operation::Contains { .. }
            | Operation::Is { .. }
            | Operation::Iterate
            | Operation::Next
            | Operation::Slice
            | Operation::Unpack(_)
            | Operation::SetItem
            | Operation::DeleteItem
            | Operation::HasMethod(_)
            | Operation::Which(_)
            | Operation::Unshadowed(_)
            | Operation::Attribute(_)
            | Operation::SetAttribute(_)
            | Operation::Known
            | Operation::List
            | Operation::Set
            | Operation::Dict
            | Operation::Append
            | Operation::Add => false,
        }
    }

    /// What a method of a class asks of its operands, and whether it acts.
    fn rule_of(&self, class: Class, name: &str) -> Option<(Fits, bool)> {
        let ask = || rule::of_method(class, name).map(|it| (it.fits, it.acts));
        let (known, rule) = self.rule.get_or_init(|| (class, ask()));
        if *known == class { *rule } else { ask() }
    }

    /// Whether no Python would run.
    fn fits(&self, operands: &[PyObjectRef], objects: &Objects, vm: &VirtualMachine) -> bool {
        // A NaN in a container is the object that it is, and compiled code has no object for it.
        let compares = matches!(self.operation, Operation::Compare(_) | Operation::Test(_));
        let is_looked_at = |it: &PyObjectRef| !self.computes() || compares && it.class().is(vm.ctx.types.tuple_type);
        if operands.iter().any(|it| is_looked_at(it) && has_nan(it, vm)) {
            return false;
        }
        let class = |at: usize| class_number(operands[at].class(), vm);
        let flat = |at: usize| is_flat(&operands[at], vm);
        match &self.operation {
            Operation::Native { .. } => fit(self.fits, operands, self.acts, objects, vm),
            Operation::Named { class } => is_named(class, operands.len(), vm),
            Operation::Length => has_length(&operands[0], vm),
            Operation::Ord | Operation::Chr => flat(0),
            Operation::IsInstance => is_plain_test(&operands[0], &operands[1], vm),
            Operation::Over { count, .. } => {
                let (over, rest) = operands.split_at((*count).min(operands.len()));
                over.iter().all(|it| is_iterable(it, vm)) && rest.iter().all(|it| is_flat(it, vm))
            }
            Operation::Method { name, .. } => {
                let Some((fits, acts)) = self.rule_of(class(0), name.as_str()) else { return false };
                (self.acts || !acts)
                    && fit(fits, &operands[1..], self.acts, objects, vm)
                    // Its items are compared.
                    && (name.as_str() != "sort" || sealed(&operands[0], objects, vm))
                    && (class(0) != COUNT || counts_numbers(&operands[0], vm))
            }
            Operation::Binary(BinaryOperator::Subscr) => match class(0) {
                LIST | TUPLE | STR | BYTES | BYTEARRAY | DEQUE => is_index(&operands[1], vm),
                DICT => flat(1),
                DEFAULTDICT => {
                    flat(1)
                        && (self.acts || has_key(&operands[0], &operands[1], vm))
                        && makes_natively(&operands[0], vm)
                }
                NDARRAY => is_key_of_tensor(&operands[1], vm),
                Class::ANY if is_named_tuple(&operands[0], vm) => is_index(&operands[1], vm),
                _ => false,
            },
            Operation::Binary(_) => {
                let parts = [LIST, TUPLE, BYTEARRAY, SET, FROZENSET];
                (0..2).all(|at| flat(at) || parts.contains(&class(at)) && sealed(&operands[at], objects, vm))
            }
            Operation::Contains { .. } => {
                flat(0)
                    && match class(1) {
                        STR | BYTES | DICT | DEFAULTDICT | SET | FROZENSET => true,
                        LIST | TUPLE => sealed(&operands[1], objects, vm),
                        NDARRAY => true,
                        _ => operands[1].class().is(vm.ctx.types.range_type),
                    }
            }
            // Of a truth value it warns, at the line of a frame.
            Operation::Invert => flat(0) && !operands[0].class().is(vm.ctx.types.bool_type),
            Operation::Truth => flat(0) || class(0) != Class::ANY,
            Operation::Iterate => self.is_own || is_iterable(&operands[0], vm),
            Operation::Next => self.is_own || is_iterator(&operands[0], vm),
            Operation::Slice => {
                let bound = |at: usize| {
                    let types = &vm.ctx.types;
                    operands[at].class().is(types.int_type) || operands[at].class().is(types.none_type)
                };
                matches!(class(0), LIST | TUPLE | STR | BYTES | BYTEARRAY | NDARRAY) && bound(1) && bound(2)
            }
            Operation::Unpack(_) => matches!(class(0), LIST | TUPLE) || is_named_tuple(&operands[0], vm),
            Operation::SetItem => match class(1) {
                LIST if operands[2].downcast_ref::<PySlice>().is_some() => {
                    is_index(&operands[2], vm) && matches!(class(0), LIST | TUPLE)
                }
                LIST | DEQUE => is_number_index(&operands[2], vm),
                BYTEARRAY => is_number_index(&operands[2], vm) && flat(0),
                DICT | DEFAULTDICT => flat(2),
                NDARRAY => is_key_of_tensor(&operands[2], vm) && sealed(&operands[0], objects, vm),
                _ => false,
            },
            Operation::DeleteItem => match class(0) {
                LIST => is_number_index(&operands[1], vm),
                DICT | DEFAULTDICT => flat(1),
                _ => false,
            },
            Operation::HasMethod(name) => rule::of_method(class(0), name.as_str()).is_some(),
            Operation::Which(classes) => classes.iter().any(|it| is_of(&operands[0], *it, vm)),
            Operation::Unshadowed(name) => !python::is_shadowed(&operands[0], name, vm),
            Operation::Attribute(name) if class(0) == NDARRAY => rule::attribute_of_tensor(name.as_str()).is_some(),
            Operation::Attribute(name) if rule::of_attribute(class(0), name.as_str()).is_some() => true,
            Operation::Attribute(_) if crate::tensor::library().is_some_and(|it| it.is_fixed(&operands[0])) => true,
            Operation::Attribute(name) if is_named_tuple(&operands[0], vm) => is_field(&operands[0], name),
            Operation::Attribute(name) => attribute_at(&operands[0], name, &self.place, vm).is_some(),
            Operation::SetAttribute(name) => assigned_at(&operands[1], name, &self.place, vm).is_some(),
            // Tensors give tensors.
            Operation::Compare(_) => {
                let gives_tensor = self.gives == Gives::Value(Type::Object(NDARRAY));
                let is_tensor = |it: &PyObjectRef| crate::tensor::of(it).is_some();
                fit(self.fits, operands, self.acts, objects, vm) && operands.iter().any(is_tensor) == gives_tensor
            }
            Operation::Is { .. }
            | Operation::Test(_)
            | Operation::Negative
            | Operation::Format
            | Operation::FormatTo
            | Operation::Text
            | Operation::Shown
            | Operation::Known
            | Operation::List
            | Operation::Set
            | Operation::Join => fit(self.fits, operands, self.acts, objects, vm),
            Operation::Dict => (0..operands.len()).step_by(2).all(flat),
            Operation::Append => class(0) == LIST,
            Operation::Add => class(0) == SET && flat(1),
        }
    }

    /// Whether elements of a tensor on a device may be copied, of which the program is warned. What only holds objects, or
    /// asks about them, does not look at elements.
    fn copies(&self, operands: &[PyObjectRef], vm: &VirtualMachine) -> bool {
        let class = |at: usize| class_number(operands[at].class(), vm);
        let only_holds = match &self.operation {
            Operation::Is { .. }
            | Operation::IsInstance
            | Operation::Length
            | Operation::HasMethod(_)
            | Operation::Which(_)
            | Operation::Unshadowed(_)
            | Operation::Attribute(_)
            | Operation::SetAttribute(_)
            | Operation::Known
            | Operation::List
            | Operation::Dict
            | Operation::Append
            | Operation::Named { .. }
            | Operation::Unpack(_)
            | Operation::Next => true,
            Operation::SetItem => class(1) != NDARRAY,
            Operation::Binary(BinaryOperator::Subscr) | Operation::Slice | Operation::Iterate => class(0) != NDARRAY,
            Operation::Method { name, .. } => {
                matches!(
                    (class(0), name.as_str()),
                    (LIST | DEQUE, "append" | "appendleft" | "insert" | "extend" | "pop")
                )
            }
            _ => false,
        };
        !only_holds && operands.iter().any(|it| holds_any_there(it, vm, HELD))
    }

    /// Whether it does no more than to show its operands.
    fn shows(&self, vm: &VirtualMachine) -> bool {
        matches!(&self.operation, Operation::Native { callable, .. } if rule::is_print(callable, vm))
    }

    fn perform(&self, operands: Operands, vm: &VirtualMachine) -> PyResult<Given> {
        let truth = |it: bool| Ok(Given::Object(vm.ctx.new_bool(it).into()));
        let at = |index: usize| &*operands[index];
        Ok(Given::Object(match &self.operation {
            Operation::Native { callable, names }
                if names.is_empty()
                    && let Some(dict) = pairs::dict(callable, &operands, vm) =>
            {
                dict?
            }
            Operation::Native { callable, names } => call(callable, operands, names, vm)?,
            Operation::Named { class } => {
                let items: PyObjectRef = vm.ctx.new_tuple(operands.into_vec()).into();
                vm.ctx.types.tuple_type.as_object().get_attr("__new__", vm)?.call((class.clone(), items), vm)?
            }
            Operation::Over { callable, .. } => call(callable, operands, &[], vm)?,
            Operation::Length => vm.ctx.new_int(operands[0].length(vm)?).into(),
            Operation::Ord => match operands[0].downcast_ref::<PyStr>().and_then(|it| only_char(it)) {
                Some(char) => vm.ctx.new_int(u32::from(char)).into(),
                // Plain Python knows the others.
                None => return Ok(Given::Nothing),
            },
            Operation::Chr => {
                let code = operands[0].downcast_ref::<PyInt>().and_then(|it| u32::try_from(it.as_bigint()).ok());
                match code.and_then(CodePoint::from_u32) {
                    Some(char) => char.to_pyobject(vm),
                    None => return Ok(Given::Nothing),
                }
            }
            Operation::IsInstance => return truth(operands[0].is_instance(&operands[1], vm)?),
            Operation::Method { name, names }
                if names.is_empty()
                    && matches!(operands.len(), 2 | 3)
                    && name.as_str() == "get"
                    && let Some(dict) = operands[0].downcast_ref_if_exact::<PyDict>(vm) =>
            {
                let default = || operands.get(2).cloned().unwrap_or_else(|| vm.ctx.none());
                dict.get_item_opt(at(1), vm)?.unwrap_or_else(default)
            }
            Operation::Method { names, .. } if let Some(method) = &self.method => call(method, operands, names, vm)?,
            Operation::Method { name, names } => match operands[0].class().get_attr(name) {
                Some(method) if method.class().is(vm.ctx.types.method_descriptor_type) => {
                    call(&method, operands, names, vm)?
                }
                _ => {
                    let method = operands[0].get_attr(*name, vm)?;
                    method.call(arguments(operands[1..].to_vec(), names), vm)?
                }
            },
            Operation::Binary(operator) => operator::apply(*operator, at(0), at(1), vm)?,
            Operation::Compare(op) => operands[0].clone().rich_compare(operands[1].clone(), *op, vm)?,
            Operation::Test(op) => {
                return truth(operands[0].clone().rich_compare(operands[1].clone(), *op, vm)?.try_to_bool(vm)?);
            }
            Operation::Contains { inverted } => return truth(vm._contains(at(1), at(0))? != *inverted),
            Operation::Is { inverted } => return truth(operands[0].is(&operands[1]) != *inverted),
            Operation::Truth => return truth(operands[0].clone().try_to_bool(vm)?),
            Operation::Negative => vm._neg(at(0))?,
            Operation::Invert => vm._invert(at(0))?,
            Operation::Iterate => operands[0].get_iter(vm)?.into(),
            Operation::Next => match PyIter::new(operands[0].clone()).next(vm)? {
                PyIterReturn::Return(item) => item,
                PyIterReturn::StopIteration(_) => return Ok(Given::End),
            },
            Operation::Slice => {
                let slice = PySlice { start: Some(operands[1].clone()), stop: operands[2].clone(), step: None };
                let slice: PyObjectRef = slice.into_ref(&vm.ctx).into();
                operands[0].get_item(&*slice, vm)?
            }
            Operation::Unpack(_) => {
                return Ok(Given::Items(match operands[0].downcast_ref::<PyTuple>() {
                    Some(tuple) => tuple.as_slice().to_vec(),
                    None => operands[0].downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default(),
                }));
            }
            Operation::SetItem => {
                operands[1].set_item(at(2), operands[0].clone(), vm)?;
                return Ok(Given::Nothing);
            }
            Operation::DeleteItem => {
                operands[0].del_item(at(1), vm)?;
                return Ok(Given::Nothing);
            }
            Operation::HasMethod(_) | Operation::Unshadowed(_) => return Ok(Given::Nothing),
            Operation::Which(classes) => {
                let index = classes.iter().position(|it| is_of(at(0), *it, vm));
                vm.ctx.new_int(index.unwrap_or_default()).into()
            }
            Operation::Attribute(name) => match attribute_at(&operands[0], name, &self.place, vm) {
                Some(found) => found,
                None => operands[0].get_attr(*name, vm)?,
            },
            Operation::SetAttribute(name) => {
                operands[1].set_attr(*name, operands[0].clone(), vm)?;
                return Ok(Given::Nothing);
            }
            Operation::Format => vm.format(at(0), vm.ctx.empty_str.to_owned())?.into(),
            Operation::FormatTo => vm.format(at(0), operands[1].str(vm)?)?.into(),
            Operation::Text => operands[0].str(vm)?.into(),
            Operation::Shown => operands[0].repr(vm)?.into(),
            Operation::Join => {
                let mut text = rustpython_vm::common::wtf8::Wtf8Buf::new();
                for part in &operands {
                    text.push_wtf8(part.str(vm)?.as_wtf8());
                }
                vm.ctx.new_str(text).into()
            }
            Operation::Known => operands[0].clone(),
            Operation::List => vm.ctx.new_list(operands.into_vec()).into(),
            Operation::Set => {
                let set = PySet::default().into_ref(&vm.ctx);
                operands.into_iter().try_for_each(|item| set.add(item, vm))?;
                set.into()
            }
            Operation::Dict => {
                let dict = vm.ctx.new_dict();
                for [key, value] in operands.as_chunks().0 {
                    dict.set_item(&**key, value.clone(), vm)?;
                }
                dict.into()
            }
            Operation::Append => {
                let list = operands[0].downcast_ref::<PyList>().expect("it was looked at");
                list.borrow_vec_mut().push(operands[1].clone());
                return Ok(Given::Nothing);
            }
            Operation::Add => {
                operands[0].downcast_ref::<PySet>().expect("it was looked at").add(operands[1].clone(), vm)?;
                return Ok(Given::Nothing);
            }
        }))
    }
}

/// The only character of a text.
fn only_char(text: &PyStr) -> Option<char> {
    let mut chars = text.to_str()?.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn call(callable: &PyObject, operands: Operands, names: &[String], vm: &VirtualMachine) -> PyResult {
    if names.is_empty() {
        let count = operands.len();
        return callable.vectorcall(operands.into_vec(), count, None, vm);
    }
    callable.call(arguments(operands.into_vec(), names), vm)
}

fn arguments(args: Vec<PyObjectRef>, names: &[String]) -> FuncArgs {
    let mut args = args;
    let named = args.split_off(args.len() - names.len());
    FuncArgs::new(args, KwArgs::from_iter(names.iter().cloned().zip(named)))
}
