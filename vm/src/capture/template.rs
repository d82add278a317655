//! From objects of a path to templates: what compiled code must hand back so that they can be made.

use std::collections::{BTreeSet, HashMap};

use rustpython_vm::builtins::{PyBaseException, PyDict, PyList, PySlice, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::backend;
use snekpy_stage::entity::Value;
use snekpy_stage::types::Type;

use crate::capture::heap::Contents;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::value;
use crate::exit::{ContentsTemplate, Effect, ExceptionTemplate, Template, TextTemplate};
use crate::rep::{StagedIterator, StagedRange, StagedText, TextPart};

/// Collects the values that templates need.
#[derive(Default)]
pub(crate) struct Leaves {
    /// The values, in the order of their slots.
    pub(crate) values: Vec<Value>,
    /// Their types.
    pub(crate) types: Vec<Type>,
    slots: usize,
    known: HashMap<Value, usize>,
    shared: HashMap<usize, usize>,
    open: BTreeSet<usize>,
}

impl Leaves {
    fn slot(&mut self, value: Value, ty: Type) -> usize {
        if let Some(&slot) = self.known.get(&value) {
            return slot;
        }
        let slot = self.slots;
        self.known.insert(value, slot);
        self.values.push(value);
        self.types.push(ty);
        self.slots += backend::slots(ty);
        slot
    }
}

impl Session<'_> {
    /// How to make this object of the running path.
    pub(crate) fn template(&mut self, object: &PyObjectRef, leaves: &mut Leaves) -> Step<Template> {
        let vm = self.vm;
        if let Some((value, ty)) = value::rep(object) {
            self.number(object)?;
            return Ok(Template::Leaf { slot: leaves.slot(value, ty), ty });
        }
        if let Some(root) = self.arguments.get(&object.get_id()) {
            return Ok(Template::Argument(root.clone()));
        }
        if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(vm) {
            let items = self.templates(tuple.as_slice(), leaves)?;
            let is_static = items.iter().zip(tuple.as_slice()).all(|(it, object)| it.is_static(object));
            return Ok(if is_static { Template::Static(object.clone()) } else { Template::Tuple(items) });
        }
        if let Some(text) = object.downcast_ref::<StagedText>() {
            let mut parts = Vec::with_capacity(text.parts.len());
            for part in &text.parts {
                parts.push(match part {
                    TextPart::Known(known) => TextTemplate::Known(known.clone()),
                    TextPart::Format { value, conversion, spec } => TextTemplate::Format {
                        value: self.template(value, leaves)?,
                        conversion: *conversion,
                        spec: spec.clone(),
                    },
                    TextPart::Percent { template, value } => {
                        TextTemplate::Percent { template: template.clone(), value: self.template(value, leaves)? }
                    }
                });
            }
            return Ok(Template::Text(parts));
        }
        if let Some(range) = object.downcast_ref::<StagedRange>() {
            let parts = [range.start.clone(), range.stop.clone(), range.step.clone()];
            let [start, stop, step] = self.three(&parts, leaves)?;
            return Ok(Template::Range(Box::new([start, stop, step])));
        }
        if let Some(slice) = object.downcast_ref::<PySlice>() {
            let none = || vm.ctx.none();
            let parts =
                [slice.start.clone().unwrap_or_else(none), slice.stop.clone(), slice.step.clone().unwrap_or_else(none)];
            let [start, stop, step] = self.three(&parts, leaves)?;
            return Ok(Template::Slice(Box::new([start, stop, step])));
        }
        if object.downcast_ref::<StagedIterator>().is_some() {
            return Err(refuse("S221", "an iterator made by staged code leaves it")
                .help("turn it into a tuple or a list first")
                .into());
        }
        if !self.is_fresh(object) {
            return Ok(Template::Static(object.clone()));
        }
        let id = object.get_id();
        if let Some(&shared) = leaves.shared.get(&id) {
            if leaves.open.contains(&id) {
                return Err(refuse("S222", "an object that contains itself leaves staged code").into());
            }
            return Ok(Template::Shared { id: shared, make: None });
        }
        let shared = leaves.shared.len();
        leaves.shared.insert(id, shared);
        leaves.open.insert(id);
        let make = self.template_of_made(object, leaves)?;
        leaves.open.remove(&id);
        Ok(Template::Shared { id: shared, make: Some(Box::new(make)) })
    }

    /// How to make an object that the program made.
    fn template_of_made(&mut self, object: &PyObjectRef, leaves: &mut Leaves) -> Step<Template> {
        let vm = self.vm;
        if let Some(list) = object.downcast_ref_if_exact::<PyList>(vm) {
            let items = list.borrow_vec().to_vec();
            return Ok(Template::List(self.templates(&items, leaves)?));
        }
        if let Some(dict) = object.downcast_ref_if_exact::<PyDict>(vm) {
            return Ok(Template::Dict(self.pairs(dict.items_vec(), leaves)?));
        }
        if let Some(exception) = object.downcast_ref::<PyBaseException>() {
            let class = object.class().to_owned();
            let args = self.templates(exception.args().as_slice(), leaves)?;
            let attributes = match object.dict() {
                Some(dict) => dict.items_vec(),
                None => Vec::new(),
            };
            let mut made = Vec::new();
            for (name, value) in attributes {
                made.push((name, self.template(&value, leaves)?));
            }
            let mut related = |other: Option<PyObjectRef>, leaves: &mut Leaves| -> Step<Option<Template>> {
                other.map(|other| self.template(&other, leaves)).transpose()
            };
            let cause = related(exception.__cause__().map(Into::into), leaves)?;
            let context = related(exception.__context__().map(Into::into), leaves)?;
            let raised_at = self.raised.get(&object.get_id()).cloned().unwrap_or_default();
            return Ok(Template::Exception(Box::new(ExceptionTemplate {
                class,
                args,
                attributes: made,
                cause,
                context,
                suppress_context: exception
                    .as_object()
                    .get_attr("__suppress_context__", vm)
                    .is_ok_and(|it| it.is(&vm.ctx.true_value)),
                raised_at,
            })));
        }
        if object.class().is(vm.ctx.types.function_type) {
            return Err(refuse("S223", "a function made by staged code leaves it")
                .help("make the function outside, or return what it computes")
                .into());
        }
        if let Some(dict) = object.dict() {
            let mut attributes = Vec::new();
            for (name, value) in dict.items_vec() {
                attributes.push((name, self.template(&value, leaves)?));
            }
            return Ok(Template::Instance { class: object.class().to_owned(), attributes });
        }
        Err(refuse("S224", format!("a `{}` made by staged code leaves it", object.class().name())).into())
    }

    fn three(&mut self, parts: &[PyObjectRef; 3], leaves: &mut Leaves) -> Step<[Template; 3]> {
        let parts = self.templates(parts, leaves)?;
        Ok(<[Template; 3]>::try_from(parts).expect("three in, three out"))
    }

    fn pairs(
        &mut self,
        items: Vec<(PyObjectRef, PyObjectRef)>,
        leaves: &mut Leaves,
    ) -> Step<Vec<(Template, Template)>> {
        items
            .into_iter()
            .map(|(key, value)| Ok((self.template(&key, leaves)?, self.template(&value, leaves)?)))
            .collect()
    }

    /// How to make these objects of the running path.
    pub(crate) fn templates(&mut self, objects: &[PyObjectRef], leaves: &mut Leaves) -> Step<Vec<Template>> {
        objects.iter().map(|object| self.template(object, leaves)).collect()
    }

    /// What the running path has done to objects of the world.
    pub(crate) fn effects(&mut self, state: &State, leaves: &mut Leaves) -> Step<Vec<Effect>> {
        let mut effects = Vec::new();
        for (number, entry) in &state.heap {
            let object = entry.object.clone();
            if self.is_fresh(&object) {
                continue;
            }
            let Some(now) = crate::capture::heap::read(&object, self.vm) else { continue };
            if unchanged(&now, &self.base.entry(*number).contents) {
                continue;
            }
            let contents = match now {
                Contents::List(items) => ContentsTemplate::List(self.templates(&items, leaves)?),
                Contents::Dict(items) => ContentsTemplate::Dict(self.pairs(items, leaves)?),
                Contents::Cell(value) => {
                    ContentsTemplate::Cell(value.map(|value| self.template(&value, leaves)).transpose()?)
                }
                Contents::Iter(_) => continue,
            };
            effects.push(Effect { target: self.template(&object, leaves)?, contents });
        }
        Ok(effects)
    }
}

impl Template {
    fn is_static(&self, object: &PyObjectRef) -> bool {
        match self {
            Self::Static(it) => it.is(object),
            _ => false,
        }
    }
}

fn unchanged(a: &Contents, b: &Contents) -> bool {
    let same = |(a, b): (&PyObjectRef, &PyObjectRef)| a.is(b);
    match (a, b) {
        (Contents::List(a), Contents::List(b)) => a.len() == b.len() && a.iter().zip(b).all(same),
        (Contents::Dict(a), Contents::Dict(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0.is(&b.0) && a.1.is(&b.1))
        }
        (Contents::Cell(a), Contents::Cell(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is(b),
            _ => false,
        },
        _ => false,
    }
}
