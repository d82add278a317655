//! From objects of a path to templates: what compiled code must hand back so that they can be made.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyBaseException, PyCode, PyDict, PyDictRef, PyFrozenSet, PyList, PySet, PyTuple};
use rustpython_vm::bytecode::CodeFlags;
use rustpython_vm::bytecode::oparg::MakeFunctionFlag;
use rustpython_vm::{AsObject, PyObjectRef, PyRef};
use snekpy_stage::backend;
use snekpy_stage::entity::{Entity, Value};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::Type;

use crate::capture::heap::Contents;
use crate::capture::named_tuple::NamedTuple;
use crate::capture::pool::may_be_rows;
use crate::capture::session::Session;
use crate::capture::state::{Frame, State, Then};
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, Num, V};
use crate::capture::values::{self, Abstract, classify};
use crate::capture::{element, list, map};
use crate::code::is_helper;
use crate::exit::{
    ContentsTemplate, Effect, ExceptionTemplate, FunctionTemplate, IteratorTemplate, PoolsTemplate, Template,
};
use crate::helper::is_helper_function;
use crate::host;
use crate::host::resume::Generator;
use crate::kind::{self, Kind, Leaving, Make, Representation};
use crate::rep::{Named, Rep, StagedIterator};
use crate::tensor;

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
    /// Those of the shared ones that did occur again.
    again: BTreeSet<usize>,
    open: BTreeSet<usize>,
    /// Tuples that are the same in each call.
    fixed: BTreeSet<usize>,
    /// Numbers that were met, where one number has to become one object.
    numbers: Option<HashMap<Value, usize>>,
    /// The generators that are computing an item, by identity: those for which there is no template yet.
    pub(crate) running: HashMap<usize, Running>,
    /// Those of them that stand for a builtin iterator.
    pub(crate) running_builtins: BTreeSet<usize>,
    /// Where the attributes of objects are that are rows of pools, if there is one among what was met.
    pub(crate) pools: Option<Arc<PoolsTemplate>>,
    /// Whether the program sees nothing but the items of what comes next. A builtin iterator that has begun may be a
    /// generator then.
    pub(crate) hidden: bool,
}

/// The frame of a generator that is computing an item.
pub(crate) struct Running {
    /// The frame.
    pub(crate) frame: Frame,
    /// What becomes of what it has called, if it waits for a call.
    pub(crate) then: Option<Then>,
    /// The exception that is being handled in it.
    pub(crate) handled: Option<PyObjectRef>,
}

impl Leaves {
    /// For plain Python, which can tell whether two numbers are one object.
    pub(crate) fn with_identity() -> Self {
        Self { numbers: Some(HashMap::default()), ..Self::default() }
    }

    fn next_shared(&self) -> usize {
        self.shared.len() + self.numbers.as_ref().map_or(0, HashMap::len)
    }

    fn leaf(&mut self, value: Value, ty: Type) -> Template {
        let leaf = Template::Leaf { slot: self.slot(value, ty), ty };
        let id = self.next_shared();
        match &mut self.numbers {
            Some(numbers) if matches!(ty, Type::I64 | Type::F64) => match numbers.get(&value) {
                Some(&id) => self.again(id),
                None => {
                    numbers.insert(value, id);
                    Template::Shared { id, make: Some(Box::new(leaf)) }
                }
            },
            Some(_) | None => leaf,
        }
    }

    pub(crate) fn slot(&mut self, value: Value, ty: Type) -> usize {
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

    /// A later occurrence of an object.
    fn again(&mut self, id: usize) -> Template {
        self.again.insert(id);
        Template::Shared { id, make: None }
    }

    /// A template, when all of its kind are made: what could have occurred again and did not is simply made.
    pub(crate) fn once(&self, template: Template) -> Template {
        let all = |items: Vec<Template>| items.into_iter().map(|item| self.once(item)).collect();
        match template {
            Template::Shared { id, make: Some(make) } if !self.again.contains(&id) => self.once(*make),
            Template::Tuple(items) => Template::Tuple(all(items)),
            Template::List(items) => Template::List(all(items)),
            other => other,
        }
    }
}

/// How to make an element of a tensor.
fn template_of_element(object: &PyObjectRef, value: Value, dtype: Dtype, leaves: &mut Leaves) -> Template {
    let id = object.get_id();
    if let Some(&shared) = leaves.shared.get(&id) {
        return leaves.again(shared);
    }
    let shared = leaves.next_shared();
    leaves.shared.insert(id, shared);
    let ty = element::number_type(dtype);
    let make = Template::Element { slot: leaves.slot(value, ty), ty, dtype };
    Template::Shared { id: shared, make: Some(Box::new(make)) }
}

/// How a value that leaves is made, and of what.
fn made(leaving: Leaving) -> Step<(Arc<dyn Make>, Vec<PyObjectRef>)> {
    match leaving {
        Leaving::Made { make, parts } => Ok((make, parts)),
        Leaving::Refused(code, message) => Err(refuse(code, message).into()),
        Leaving::Row | Leaving::Object => Err(refuse("S999", "this is a bug in snekpy: a value is not made").into()),
    }
}

impl Session<'_> {
    /// How to make this object of the running path.
    pub(crate) fn template(&mut self, object: &PyObjectRef, leaves: &mut Leaves) -> Step<Template> {
        let vm = self.vm;
        let hidden = std::mem::take(&mut leaves.hidden);
        let it = self.classify(object)?;
        match &it {
            Abstract::Number(Num::Staged(value, ty)) | Abstract::Inner(value, ty) => {
                return Ok(self.template_of_value(*value, *ty, leaves));
            }
            Abstract::Array(array) => return Ok(self.template_of_value(array.value, Type::Array(array.ty), leaves)),
            Abstract::Handle(handle) => {
                if handle.owner != self.owner {
                    return Err(refuse("S220", "an object is used outside the function it belongs to").into());
                }
                return Ok(leaves.leaf(handle.value, Type::Object(handle.class)));
            }
            Abstract::Tensor(tensor) if let Some(staged) = tensor.staged() => {
                if staged.owner != self.owner {
                    return Err(refuse("S220", "a tensor is used outside the function it belongs to").into());
                }
                let value = Value::new(staged.value as usize);
                return Ok(match staged.element {
                    Some(dtype) => template_of_element(object, value, dtype, leaves),
                    None => leaves.leaf(value, Type::Tensor(tensor::type_of(tensor))),
                });
            }
            _ => {}
        }
        if let Some(root) = self.given.arguments.get(&object.get_id()) {
            return Ok(Template::Argument(root.clone()));
        }
        match it {
            Abstract::Made(kind) => return self.template_of_kind(object, kind, leaves),
            Abstract::Tuple(tuple) => return self.template_of_tuple(object, tuple, leaves),
            Abstract::Slice(slice) if self.is_fresh(object) || values::has_staged_parts(slice) => {
                let none = || vm.ctx.none();
                let (start, step) = (slice.start.clone(), slice.step.clone());
                let parts = [start.unwrap_or_else(none), slice.stop.clone(), step.unwrap_or_else(none)];
                let make = Arc::new(kind::Call(|vm| vm.ctx.types.slice_type));
                return Ok(Template::Made { make, parts: self.templates(&parts, leaves)? });
            }
            _ => {}
        }
        if !self.is_fresh(object) {
            return self.template_of_other(object, leaves);
        }
        if !hidden && is_begun_builtin(object, leaves) {
            return Err(refuse("S221", "an iterator of a builtin that has begun in staged code leaves it").into());
        }
        let id = object.get_id();
        if let Some(&shared) = leaves.shared.get(&id) {
            if leaves.open.contains(&id) && !host::cell::is_cell(object, vm) {
                return Err(refuse("S222", "an object that contains itself leaves staged code").into());
            }
            return Ok(leaves.again(shared));
        }
        let shared = leaves.next_shared();
        leaves.shared.insert(id, shared);
        leaves.open.insert(id);
        let make = self.template_of_made(object, leaves)?;
        leaves.open.remove(&id);
        Ok(Template::Shared { id: shared, make: Some(Box::new(make)) })
    }

    /// A value of the compiled code.
    fn template_of_value(&self, value: Value, ty: Type, leaves: &mut Leaves) -> Template {
        match self.given.numbers_passed.get(&value) {
            // It is by values of the main function.
            Some(root) if leaves.numbers.is_some() && self.calls.building == 0 => Template::Argument(root.clone()),
            Some(_) | None => leaves.leaf(value, ty),
        }
    }

    /// How to make a tuple.
    fn template_of_tuple(&mut self, object: &PyObjectRef, tuple: &PyTuple, leaves: &mut Leaves) -> Step<Template> {
        if list::are_columns(object) {
            return Ok(Template::Tuple(self.templates(tuple.as_slice(), leaves)?));
        }
        // Whoever else refers to it must get the same one.
        let shared = object.strong_count() > 1;
        let id = object.get_id();
        if let Some(&shared) = leaves.shared.get(&id).filter(|_| shared) {
            if leaves.open.contains(&id) {
                return Err(refuse("S222", "a tuple that contains itself leaves staged code").into());
            }
            return Ok(leaves.again(shared));
        }
        if leaves.fixed.contains(&id) {
            return Ok(Template::Static(object.clone()));
        }
        leaves.open.insert(id);
        let items = self.templates(tuple.as_slice(), leaves)?;
        leaves.open.remove(&id);
        if items.iter().zip(tuple.as_slice()).all(|(it, object)| it.is_static(object)) {
            leaves.fixed.insert(id);
            return Ok(Template::Static(object.clone()));
        }
        if !shared {
            return Ok(Template::Tuple(items));
        }
        let number = leaves.next_shared();
        leaves.shared.insert(id, number);
        Ok(Template::Shared { id: number, make: Some(Box::new(Template::Tuple(items))) })
    }

    /// How to make a value that is made of others.
    fn template_of_kind(&mut self, object: &PyObjectRef, kind: &Kind, leaves: &mut Leaves) -> Step<Template> {
        if let Some(may) = may_be_rows(kind) {
            return self.template_of_rows(may, &kind.staged().parts(), leaves);
        }
        let (make, parts) = match kind.staged().leaving() {
            Leaving::Row => {
                let record = kind::as_kind(object).expect("records have rows");
                let row = self.row(record)?;
                return Ok(Template::Record { slot: leaves.slot(row, Type::I64) });
            }
            leaving => made(leaving)?,
        };
        if list::are_columns(object) {
            return Ok(Template::Made { make, parts: self.templates(&parts, leaves)? });
        }
        self.template_of_one(object, make, &parts, leaves)
    }

    /// Whether an object is another one in each call: the program's, an argument, known later, or a tuple with one of
    /// these in it.
    pub(crate) fn depends(&self, object: &PyObjectRef) -> bool {
        self.is_fresh(object)
            || crate::rep::is_staged(object)
            || self.given.arguments.contains_key(&object.get_id())
            || object.downcast_ref::<PyTuple>().is_some_and(|it| it.as_slice().iter().any(|it| self.depends(it)))
            || object.downcast_ref::<PyFrozenSet>().is_some_and(|it| it.elements().iter().any(|it| self.depends(it)))
            || host::belongs::native_method(object, self.vm).is_some_and(|(receiver, _)| self.depends(&receiver))
            || host::belongs::dict_view(object, self.vm).is_some_and(|(dict, _)| self.depends(&dict))
            || host::function::unpack_bound_method(object, self.vm)
                .is_some_and(|(function, receiver)| self.depends(&function) || self.depends(&receiver))
    }

    /// How to make an object of these parts that native code has made: once, whatever refers to it.
    fn template_of_one(
        &mut self,
        object: &PyObjectRef,
        make: Arc<dyn Make>,
        parts: &[PyObjectRef],
        leaves: &mut Leaves,
    ) -> Step<Template> {
        let id = object.get_id();
        if let Some(&shared) = leaves.shared.get(&id) {
            return Ok(leaves.again(shared));
        }
        let made = Template::Made { make, parts: self.templates(parts, leaves)? };
        let shared = leaves.next_shared();
        leaves.shared.insert(id, shared);
        Ok(Template::Shared { id: shared, make: Some(Box::new(made)) })
    }

    /// How to make an object that is not known to be the program's: it is the same object in every call, unless
    /// native code made it of something that the program made.
    fn template_of_other(&mut self, object: &PyObjectRef, leaves: &mut Leaves) -> Step<Template> {
        let vm = self.vm;
        let knows = |session: &Self, it: &PyObjectRef| session.depends(it);
        if let Some((receiver, name)) = host::belongs::native_method(object, vm)
            && knows(self, &receiver)
        {
            return self.template_of_one(object, Arc::new(kind::Attribute(name)), &[receiver], leaves);
        }
        if let Some((dict, method)) = host::belongs::dict_view(object, vm)
            && knows(self, &dict)
        {
            return self.template_of_one(object, Arc::new(kind::CallMethod(method)), &[dict], leaves);
        }
        // What can be changed is not asked: its contents are looked after.
        let class = object.class();
        let types = &vm.ctx.types;
        let whole = [types.type_type, types.module_type, types.function_type, types.code_type];
        let has_contents =
            crate::capture::heap::read(object, vm).is_some_and(|it| !matches!(it, Contents::Exception(_)));
        if has_contents || whole.iter().any(|it| class.is(*it)) {
            return Ok(Template::Static(object.clone()));
        }
        if !object.gc_get_referents().iter().any(|it| knows(self, it)) {
            return Ok(Template::Static(object.clone()));
        }
        if let Some((function, receiver)) = host::function::unpack_bound_method(object, vm) {
            if is_helper_function(&function, vm) {
                return Err(refuse("S224", "a method of a staged number leaves staged code").into());
            }
            return self.template_of_one(object, Arc::new(kind::Bind), &[function, receiver], leaves);
        }
        Err(refuse("S224", format!("a `{}` of an object made by staged code leaves it", class.name())).into())
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
        if let Some(set) = object.downcast_ref_if_exact::<PySet>(vm) {
            return Ok(Template::Set(self.templates(&set.elements(), leaves)?));
        }
        if let Some(tuple) = object.downcast_ref::<PyTuple>() {
            let mut parts = vec![Template::Static(object.class().to_owned().into())];
            parts.extend(self.templates(tuple.as_slice(), leaves)?);
            return Ok(Template::Made { make: Arc::new(NamedTuple), parts });
        }
        if let Some(exception) = object.downcast_ref::<PyBaseException>() {
            let class = object.class().to_owned();
            let args = self.templates(exception.args().as_slice(), leaves)?;
            let mut members = Vec::new();
            for (descriptor, value) in host::carried::members(object, vm) {
                members.push((descriptor, self.template(&value, leaves)?));
            }
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
            let raised_at = self.raised_at(object.get_id(), leaves)?;
            return Ok(Template::Exception(Box::new(ExceptionTemplate {
                class,
                args,
                members,
                attributes: made,
                cause,
                context,
                suppress_context: host::carried::suppresses_context(object, vm),
                raised_at,
            })));
        }
        if let Some(iterator) = object.downcast_ref::<StagedIterator>() {
            if let Some(running) = leaves.running.remove(&object.get_id()) {
                let Running { frame, then, handled } = running;
                let waits = (then.as_ref(), handled.as_ref());
                let frame = self.frame_template(&frame, waits, Some(Generator::Running), leaves)?;
                return Ok(Template::Iterator(Box::new(IteratorTemplate::Begun(Box::new(frame)))));
            }
            let iter = iterator.state.lock().clone();
            return self.template_of_iter(&iter, leaves);
        }
        if host::cell::is_cell(object, vm) {
            let value = host::cell::cell_get(object, vm);
            let value = value.map(|value| self.template(&value, leaves)).transpose()?;
            return Ok(Template::Cell(value.map(Box::new)));
        }
        if let Some(parts) = host::function::parts(object, vm)? {
            return self.template_of_function(object, parts.code, parts.globals, leaves);
        }
        if object.downcast_ref::<crate::callable::Derivative>().is_some() {
            return Err(refuse("S224", "a gradient made by staged code leaves it").into());
        }
        if let Some(dict) = object.dict() {
            let mut attributes = Vec::new();
            for (name, value) in dict.items_vec() {
                attributes.push((name, self.template(&value, leaves)?));
            }
            return Ok(Template::Instance { class: object.class().to_owned(), attributes });
        }
        if let Some(found) = host::slots::attributes(object, vm) {
            let mut attributes = Vec::new();
            for (name, value) in found {
                attributes.push((name.into(), self.template(&value, leaves)?));
            }
            return Ok(Template::Instance { class: object.class().to_owned(), attributes });
        }
        Err(refuse("S224", format!("a `{}` made by staged code leaves it", object.class_name())).into())
    }

    fn template_of_function(
        &mut self,
        object: &PyObjectRef,
        code: PyRef<PyCode>,
        globals: PyDictRef,
        leaves: &mut Leaves,
    ) -> Step<Template> {
        if is_helper(&code) {
            return Err(refuse("S224", "a `partial` made by staged code leaves it").into());
        }
        if object.dict().is_some_and(|dict| !dict.is_empty()) {
            return Err(refuse("S223", "a function made by staged code, with attributes of its own, leaves it")
                .help("make the function outside, or return what it computes")
                .into());
        }
        let mut attributes = Vec::new();
        for (flag, value) in host::function::given(object, self.vm)? {
            // A tuple of cells is known by what the cells are, not by its own identity.
            let value = match value.downcast_ref::<PyTuple>() {
                Some(tuple) if flag == MakeFunctionFlag::Closure => {
                    Template::Tuple(self.templates(tuple.as_slice(), leaves)?)
                }
                Some(_) | None => self.template(&value, leaves)?,
            };
            attributes.push((flag, value));
        }
        Ok(Template::Function(Box::new(FunctionTemplate { code, globals, attributes })))
    }

    /// How to make an iterator.
    pub(crate) fn template_of_iter(&mut self, iter: &Iter, leaves: &mut Leaves) -> Step<Template> {
        let vm = self.vm;
        let int = |number: usize| Template::Static(vm.ctx.new_int(number).into());
        let template = match iter {
            Iter::Shared(object) => return self.template(object, leaves),
            Iter::Range { next, stop, step } => {
                let step = match step {
                    value::Step::Static(step) => vm.ctx.new_int(*step).into(),
                    value::Step::Staged { step, .. } => step.clone(),
                };
                IteratorTemplate::Range(self.three(&[next.clone(), stop.clone(), step], leaves)?)
            }
            Iter::Seq { items, index } => {
                IteratorTemplate::Sequence { items: self.template(items, leaves)?, index: int(*index), reversed: false }
            }
            Iter::Empty(Some(ended)) => return Ok(Template::Static(ended.clone())),
            Iter::Empty(None) => {
                return Err(refuse("S221", "a generator that has ended in staged code leaves it").into());
            }
            Iter::Back { left: 0, .. } => {
                let ended = self.ended(iter)?.expect("it goes over a sequence");
                return Ok(Template::Static(ended));
            }
            Iter::Back { items, left } => IteratorTemplate::Sequence {
                items: self.template(items, leaves)?,
                index: int(left - 1),
                reversed: true,
            },
            Iter::Array { array, index } => IteratorTemplate::Sequence {
                items: self.template(array, leaves)?,
                index: self.template(index, leaves)?,
                reversed: false,
            },
            Iter::Items { list, index, reversed } => IteratorTemplate::Sequence {
                items: self.template(list, leaves)?,
                index: self.template(index, leaves)?,
                reversed: *reversed,
            },
            Iter::Members { of, given, .. } => {
                self.refuse_iterator_of_map(of)?;
                if self.is_changed_map(of) || self.sees_other_members(iter) {
                    return Err(refuse("S221", "an iterator over what staged code has changed leaves it").into());
                }
                IteratorTemplate::Members { of: self.template(of, leaves)?, given: *given }
            }
            Iter::Entries { of, position, length, changes } => {
                let (container, _) = values::behind(of, vm);
                let view = host::belongs::dict_view(of, vm).map(|(_, method)| method);
                let Abstract::Map(map) = classify(&container, vm) else {
                    return Err(refuse("S221", "an iterator over a dict that has changed its kind leaves it").into());
                };
                if !self.is_fresh(&container) {
                    return Err(refuse("S221", "an iterator over what staged code has changed leaves it").into());
                }
                let map = self.rep(map.value);
                IteratorTemplate::Entries {
                    container: self.template(&container, leaves)?,
                    view,
                    map: self.template(&map, leaves)?,
                    numbers: self.three(&[position.clone(), length.clone(), changes.clone()], leaves)?,
                }
            }
            Iter::Over { of, place } => {
                let leaving = kind::staged(of).map_or(Leaving::Object, Representation::leaving_iterator);
                let (make, more) = made(leaving)?;
                let parts: Vec<PyObjectRef> = std::iter::once(of).chain(place).chain(&more).cloned().collect();
                return Ok(Template::Made { make, parts: self.templates(&parts, leaves)? });
            }
            Iter::Enumerate { inner, count } => IteratorTemplate::Enumerate {
                inner: self.template_of_iter(inner, leaves)?,
                count: self.template(count, leaves)?,
            },
            Iter::Zip { inners, strict } => {
                let inners = inners.iter().map(|inner| self.template_of_iter(inner, leaves)).collect::<Step<_>>()?;
                IteratorTemplate::Zip { inners, strict: *strict }
            }
            Iter::Generator { frame, begun: false } => self.template_of_generator(frame, leaves)?,
            Iter::Generator { frame, begun: true } => {
                let frame = self.frame_template(frame, (None, None), Some(Generator::Asleep), leaves)?;
                IteratorTemplate::Begun(Box::new(frame))
            }
            Iter::Running => {
                return Err(refuse("S221", "a generator that is computing an item leaves staged code").into());
            }
        };
        Ok(Template::Iterator(Box::new(template)))
    }

    /// How to make a generator that has not begun: by calling its function.
    fn template_of_generator(&mut self, frame: &Frame, leaves: &mut Leaves) -> Step<IteratorTemplate> {
        let code = &frame.code.object.code;
        if is_helper(&frame.code.object) {
            return self.template_of_builtin_iterator(frame, leaves);
        }
        let closure = self.templates(&frame.closure, leaves)?;
        let attributes = match closure.is_empty() {
            true => Vec::new(),
            false => vec![(MakeFunctionFlag::Closure, Template::Tuple(closure))],
        };
        let function = Template::Function(Box::new(FunctionTemplate {
            code: frame.code.object.clone(),
            globals: frame.globals.clone(),
            attributes,
        }));
        let bound = |local: usize| match &frame.locals[local] {
            Some(V::Obj(object)) => Ok(object.clone()),
            Some(V::Null | V::Iter(_)) | None => {
                Err(Stop::from(refuse("S221", "a generator without its arguments leaves staged code")))
            }
        };
        let positional = code.arg_count as usize;
        let mut next = positional + code.kwonlyarg_count as usize;
        let mut args = Vec::new();
        for local in 0..positional {
            args.push(self.template(&bound(local)?, leaves)?);
        }
        let mut kwargs = Vec::new();
        for local in positional..next {
            kwargs.push((code.varnames[local].as_str().to_owned(), self.template(&bound(local)?, leaves)?));
        }
        let mut more = |flag: CodeFlags, leaves: &mut Leaves| -> Step<Option<Template>> {
            if !code.flags.contains(flag) {
                return Ok(None);
            }
            next += 1;
            self.template(&bound(next - 1)?, leaves).map(Some)
        };
        let more_args = more(CodeFlags::VARARGS, leaves)?;
        let more_kwargs = more(CodeFlags::VARKEYWORDS, leaves)?;
        Ok(IteratorTemplate::Generator { function, args, more_args, kwargs, more_kwargs })
    }

    /// How to make an iterator that a helper stands for: by calling the builtin itself.
    fn template_of_builtin_iterator(&mut self, frame: &Frame, leaves: &mut Leaves) -> Step<IteratorTemplate> {
        let code = &frame.code.object.code;
        let mut args: Vec<PyObjectRef> = frame.locals.iter().flatten().filter_map(V::object).cloned().collect();
        let (function, named) = self.stood_for(code.obj_name.as_str(), &mut args)?;
        let inside = args.iter().filter_map(|it| it.downcast_ref::<PyTuple>()).flat_map(|it| it.as_slice());
        if args.iter().chain(inside).any(|it| self.is_changed_map(it)) {
            // It is made before the change is, and would find that the size has changed.
            return Err(refuse("S221", "an iterator over what staged code has changed leaves it").into());
        }
        let mut args = self.templates(&args, leaves)?;
        let mut kwargs = Vec::new();
        for (name, value) in &named {
            kwargs.push((name.to_string(), self.template(value, leaves)?));
        }
        // `map` takes its iterables after a star.
        let more_args = code.flags.contains(CodeFlags::VARARGS).then(|| args.pop()).flatten();
        let function = Template::Static(function);
        Ok(IteratorTemplate::Generator { function, args, more_args, kwargs, more_kwargs: None })
    }

    /// Whether an object is a dict or set of the world that staged code has changed, or a view of one.
    fn is_changed_map(&self, object: &PyObjectRef) -> bool {
        let (inside, _) = values::behind(object, self.vm);
        let is_map = inside.downcast_ref::<PyDict>().is_some() || inside.downcast_ref::<PySet>().is_some();
        is_map && !self.is_fresh(&inside) && self.base.number(&inside).is_some()
    }

    /// An iterator over keys that were known, of a dict whose keys are not.
    fn refuse_iterator_of_map(&self, of: &PyObjectRef) -> Step<()> {
        match self.is_map(of) {
            false => Ok(()),
            true => Err(refuse("S221", "an iterator over what staged code has changed leaves it").into()),
        }
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
        // The code changes them in place: whether it does at all is known when it is there.
        for list in self.given.list_params.clone() {
            let Some(now) = crate::capture::heap::read(&list, self.vm) else { continue };
            let number = self.base.number(&list).expect("it was kept");
            // What a function of the IR is not given, only those that wait for it can have changed: their states say so.
            if unchanged(&now, &self.base.entry(number).contents)
                && !self.is_of_another_function(&now)
                && let Some(contents) = self.contents_template(now, leaves)?
            {
                effects.push(Effect { target: self.template(&list, leaves)?, contents });
            }
        }
        let says_news_only = !self.rules.detached && self.calls.building > 0 && !self.has_changed_given(state);
        for (number, entry) in &state.heap {
            let object = entry.object.clone();
            if self.is_fresh(&object) {
                continue;
            }
            if self.is_table(&object) || self.is_pool(&object) {
                continue;
            }
            let Some(now) = crate::capture::heap::read(&object, self.vm) else { continue };
            if unchanged(&now, &self.base.entry(*number).contents) {
                continue;
            }
            if says_news_only && self.calls.before.get(number).is_some_and(|it| unchanged(&now, &it.contents)) {
                continue;
            }
            if let (Contents::Cell(Some(value)), Some((dict, key))) =
                (&now, self.objects.items.get(&object.get_id()).cloned())
            {
                let value = self.template(value, leaves)?;
                let target = Template::Static(dict.into());
                effects.push(Effect { target, contents: ContentsTemplate::Item(key, value) });
                continue;
            }
            if let Contents::List(items) = &now
                && !self.is_list_param(&object)
                && !self.guards.covers(&object)
                && !self.given.arguments.contains_key(&object.get_id())
            {
                let before = match &*self.base.entry(*number).contents {
                    Contents::List(before) => before.len(),
                    _ => 0,
                };
                let contents = ContentsTemplate::Appended(self.templates(&items[before..], leaves)?);
                effects.push(Effect { target: self.template(&object, leaves)?, contents });
                continue;
            }
            if let Some(contents) = self.contents_template(now, leaves)? {
                effects.push(Effect { target: self.template(&object, leaves)?, contents });
            }
        }
        Ok(effects)
    }

    /// Whether a function of the IR has changed an object that the call had made before it. If not, those that wait for it say
    /// what was done before, with the objects that they know.
    fn has_changed_given(&self, state: &State) -> bool {
        let changed = |(number, before): (&u32, &crate::capture::heap::Entry)| {
            self.is_fresh(&before.object)
                && state.heap.contains_key(number)
                && crate::capture::heap::read(&before.object, self.vm)
                    .is_some_and(|now| !unchanged(&now, &before.contents))
        };
        self.calls.before.iter().any(changed)
    }

    /// Whether these are the contents of a list, dict or set of the compiled code that another function of the IR has.
    fn is_of_another_function(&self, contents: &Contents) -> bool {
        match contents {
            Contents::List(items) => matches!(items.as_slice(), [columns] if self.is_foreign(columns)),
            contents => map::in_contents(contents).is_some_and(|it| self.is_foreign(it)),
        }
    }

    fn is_foreign(&self, columns: &PyObjectRef) -> bool {
        if let Some(kind) = kind::staged(columns) {
            return kind.parts().iter().any(|it| self.is_foreign(it));
        }
        match columns.downcast_ref::<PyTuple>() {
            Some(columns) => columns.as_slice().iter().any(|it| self.is_foreign(it)),
            None => columns.downcast_ref::<Rep>().is_some_and(|it| it.owner != self.owner),
        }
    }

    /// How to make these contents; `None` for what a path knows by itself.
    fn contents_template(&mut self, contents: Contents, leaves: &mut Leaves) -> Step<Option<ContentsTemplate>> {
        Ok(Some(match contents {
            Contents::List(items) => ContentsTemplate::List(self.templates(&items, leaves)?),
            Contents::Dict(items) => ContentsTemplate::Dict(self.pairs(items, leaves)?),
            Contents::Set(items) => ContentsTemplate::Set(self.templates(&items, leaves)?),
            Contents::Cell(value) => {
                ContentsTemplate::Cell(value.map(|value| self.template(&value, leaves)).transpose()?)
            }
            Contents::Exception(_) | Contents::Iter(_) => return Ok(None),
        }))
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

pub(crate) fn unchanged(a: &Contents, b: &Contents) -> bool {
    let same = |(a, b): (&PyObjectRef, &PyObjectRef)| a.is(b);
    match (a, b) {
        (Contents::List(a), Contents::List(b)) | (Contents::Set(a), Contents::Set(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (Contents::Dict(a), Contents::Dict(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0.is(&b.0) && a.1.is(&b.1))
        }
        (Contents::Cell(a), Contents::Cell(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is(b),
            _ => false,
        },
        (Contents::Exception(a), Contents::Exception(b)) => {
            let same = |(a, b): (&Option<PyObjectRef>, &Option<PyObjectRef>)| match (a, b) {
                (Some(a), Some(b)) => a.is(b),
                (a, b) => a.is_none() && b.is_none(),
            };
            a.suppresses == b.suppresses && same((&a.cause, &b.cause)) && same((&a.context, &b.context))
        }
        _ => false,
    }
}

/// Whether it stands for a builtin iterator that has given an item, or is computing one.
fn is_begun_builtin(object: &PyObjectRef, leaves: &Leaves) -> bool {
    let Some(iterator) = object.downcast_ref::<StagedIterator>() else { return false };
    match &*iterator.state.lock() {
        Iter::Generator { frame, begun: true } => is_helper(&frame.code.object),
        Iter::Running => leaves.running_builtins.contains(&object.get_id()),
        _ => false,
    }
}
