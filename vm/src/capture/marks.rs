//! What a gradient in staged code is by: an argument with new values for its floats, the marks, by which the parameters of the
//! function are found that belong to it; and the gradient in its structure. What takes structures apart on a path.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Const, Op};
use snekpy_stage::types::{Elem, Type};

use crate::capture::assumptions::Assumption;
use crate::capture::derivative::CODE;
use crate::capture::list::{ItemType, StagedList};
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::Num;
use crate::capture::values::Abstract;
use crate::captured::OfArguments;
use crate::exit::HostKind;
use crate::flatten::Copied;
use crate::guard::Guard;
use crate::rep::Named;
use crate::structure::{MAX_NESTING, Parts, Shape, classes_within};

/// A gradient in the structure of an argument: indices into what is differentiated by.
pub(super) enum Marks {
    Float(usize),
    /// A list of floats of the compiled code.
    Items(usize),
    /// What is no float is a constant, and None in the gradient.
    None,
    Of(Shape, Vec<Self>),
    /// One of the structures before, in the order in which they end.
    Again(usize),
}

/// What is marked.
#[derive(Default)]
pub(super) struct Marking {
    /// The new values.
    pub(super) values: Vec<Value>,
    /// The structures, with what takes their place, in the order in which they end.
    done: Vec<(PyObjectRef, PyObjectRef)>,
    depth: usize,
}

impl Session<'_> {
    /// An argument with new values for its floats.
    pub(super) fn marked(
        &mut self,
        state: &State,
        arg: &PyObjectRef,
        marking: &mut Marking,
    ) -> Step<(PyObjectRef, Marks)> {
        if let Some(index) = marking.done.iter().position(|(it, _)| it.is(arg)) {
            return Ok((marking.done[index].1.clone(), Marks::Again(index)));
        }
        let num = match self.classify(arg)? {
            Abstract::Items(StagedList { columns, items: ItemType::Number(Elem::F64) }) => {
                marking.values.push(columns[0]);
                return Ok((arg.clone(), Marks::Items(marking.values.len() - 1)));
            }
            Abstract::Tensor(found) if found.dtype().is_float() => {
                let (value, ty) = self.value_of_tensor(state, arg)?;
                return Ok(self.mark(state, value, Type::Tensor(ty), marking));
            }
            Abstract::Number(num) => Some(num),
            _ => None,
        };
        if let Some((shape, items)) = self.apart(arg)? {
            if marking.depth >= MAX_NESTING {
                return Err(self.wrong("a gradient by an argument that contains itself".to_owned()));
            }
            marking.depth += 1;
            let marked = items.iter().map(|item| self.marked(state, item, marking)).collect::<Step<Vec<_>>>();
            marking.depth -= 1;
            let (items, marks) = marked?.into_iter().unzip();
            let copy = self.make(&shape, items)?;
            marking.done.push((arg.clone(), copy.clone()));
            return Ok((copy, Marks::Of(shape, marks)));
        }
        match num {
            Some(num @ (Num::Staged(_, Type::F64) | Num::Static(Const::F64(_)))) => {
                let value = self.lift(state, num);
                Ok(self.mark(state, value, Type::F64, marking))
            }
            Some(_) | None if marking.depth > 0 => Ok((arg.clone(), Marks::None)),
            Some(Num::Staged(..) | Num::Static(_)) => {
                let message = "grad(): it differentiates by floats, and found an int or bool";
                Err(Stop::Raise(self.vm.new_type_error(message)))
            }
            None => {
                let class = arg.class_name();
                let help = "pass floats, arrays, or tuples, lists, dicts and objects of them";
                Err(refuse(CODE, format!("in staged code, a gradient by a `{class}`")).help(help).into())
            }
        }
    }

    fn mark(&mut self, state: &State, value: Value, ty: Type, marking: &mut Marking) -> (PyObjectRef, Marks) {
        let host = self.host("mark", vec![ty], vec![ty], HostKind::Mark);
        let value = self.value(state, Op::Host(host, None), &[value]);
        marking.values.push(value);
        (self.rep(value), Marks::Float(marking.values.len() - 1))
    }

    /// A gradient in the structure of an argument. `made` are the structures in it, in the order in which they end.
    pub(super) fn made_of(
        &mut self,
        marks: &Marks,
        grads: &[PyObjectRef],
        made: &mut Vec<PyObjectRef>,
    ) -> Step<PyObjectRef> {
        match marks {
            Marks::Float(index) => Ok(grads[*index].clone()),
            Marks::Items(index) => Ok(self.made(self.vm.ctx.new_list(vec![grads[*index].clone()]).into())),
            Marks::None => Ok(self.vm.ctx.none()),
            Marks::Again(index) => Ok(made[*index].clone()),
            Marks::Of(shape, parts) => {
                let items = parts.iter().map(|it| self.made_of(it, grads, made)).collect::<Step<_>>()?;
                let object = self.make(shape, items)?;
                made.push(object.clone());
                Ok(object)
            }
        }
    }

    /// The names and values of the attributes of an object of the world, all of them: which there are is guarded.
    fn attributes_of(&mut self, object: &PyObjectRef, names: &[PyObjectRef]) -> Step<Vec<PyObjectRef>> {
        let vm = self.vm;
        if self.given.may_copy && self.given.passed.contains_key(&object.get_id()) {
            let copied = Copied::Attributes(classes_within(object, vm));
            return Err(Stop::Learn(Assumption::Argument(OfArguments::Copy(Box::new(copied)))));
        }
        self.guard_object(object);
        let dict = object.dict();
        if let Some(dict) = &dict {
            self.guards.add(Guard::Names { dict: dict.clone(), expected: names.to_vec() });
        }
        let mut values = Vec::with_capacity(names.len());
        for name in names {
            values.push(match &dict {
                Some(dict) => self.read_item(dict, name)?.unwrap_or_else(|| vm.ctx.none()),
                None => {
                    let text = name.downcast_ref::<PyStr>().map(|it| it.to_string_lossy().into_owned());
                    self.attribute(object, vm.ctx.intern_str(text.unwrap_or_default().as_str()).as_str())?
                }
            });
        }
        Ok(values)
    }
}

impl Parts for Session<'_> {
    type Error = Stop;

    fn apart(&mut self, object: &PyObjectRef) -> Step<Option<(Shape, Vec<PyObjectRef>)>> {
        match self.classify(object)? {
            Abstract::Items(_) | Abstract::Map(_) => {
                return Err(self.wrong("a structure with a list, dict or set whose length is known later".to_owned()));
            }
            Abstract::List(_) | Abstract::Dict(_) => self.guard_contents(object)?,
            Abstract::Tuple(_) | Abstract::Other => {}
            _ => return Ok(None),
        }
        let Some((shape, items)) = Shape::of(object, self.vm) else { return Ok(None) };
        let is_known = self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id());
        let items = match &shape {
            Shape::Instance(_, names) if !is_known => self.attributes_of(object, names)?,
            Shape::Instance(_, names) => match object.dict() {
                Some(dict) => {
                    let read = names.iter().map(|name| self.read_item(&dict, name));
                    read.collect::<Step<Vec<_>>>()?.into_iter().flatten().collect()
                }
                None => items,
            },
            Shape::Tuple | Shape::List | Shape::Named(_) | Shape::Dict(_) => items,
        };
        Ok(Some((shape, items)))
    }

    fn make(&mut self, shape: &Shape, items: Vec<PyObjectRef>) -> Step<PyObjectRef> {
        let made = shape.make(items, self.vm)?;
        if let Some(dict) = made.dict() {
            self.made(dict.into());
        }
        match shape {
            Shape::Tuple => {}
            Shape::Named(_) => self.note_fresh(made.clone()),
            Shape::List | Shape::Dict(_) | Shape::Instance(..) => return Ok(self.made(made)),
        }
        Ok(made)
    }

    fn wrong(&mut self, message: String) -> Stop {
        refuse(CODE, format!("in staged code, {message}")).help("call this outside staged code").into()
    }

    fn is_nothing(&self, object: &PyObjectRef) -> bool {
        self.vm.is_none(object)
    }
}
