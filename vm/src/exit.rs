//! From compiled code back to Python: what its values mean, and what it owes the world.
//!
//! Compiled code gives and takes flat slots. A [`Template`] says which object they stand for; an
//! [`ExitKind`] says what leaving through an exit means: a result of some shape, or an exception; both with
//! the [`Effect`]s that the program has had on objects until then.

use std::cell::RefCell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use rustpython_vm::builtins::{
    PyBaseException, PyBaseExceptionRef, PyCode, PyDict, PyDictRef, PyList, PySet, PyTypeRef,
};
use rustpython_vm::bytecode::oparg::MakeFunctionFlag;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::protocol::{PyIter, PyIterReturn};
use rustpython_vm::sorting::timsort;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};
use snekpy_stage::list::List;
use snekpy_stage::map::{Entry, Map};
use snekpy_stage::types::{Elem, Scalar, Type};

use crate::capture::heap::{self, Contents};
use crate::code::Code;
use crate::host::function::make_function;
use crate::host::resume::{Extent, Landing, Way, landing_code};
use crate::host::{self, cell};
use crate::record::Table;
use crate::reentry::{self, Held, Reentry};
use crate::refusal::Refusal;
use crate::rep::Conversion;

/// Which argument, and where inside it: the local variable, then indices into nested tuples and lists.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Root {
    /// The local variable that the argument is bound to.
    pub(crate) local: usize,
    /// Indices, outermost first.
    pub(crate) path: Vec<usize>,
}

/// How to make an object from slots.
#[derive(Clone, Debug)]
pub(crate) enum Template {
    /// An object known when the function was captured.
    Static(PyObjectRef),
    /// The value that begins at this slot.
    Leaf {
        /// Index of its first slot.
        slot: usize,
        /// Its type.
        ty: Type,
    },
    /// The object that was passed.
    Argument(Root),
    /// The object whose row is in this slot.
    Record {
        /// The slot.
        slot: usize,
    },
    /// An object that occurs more than once: made at its first occurrence.
    Shared {
        /// The same for every occurrence.
        id: usize,
        /// How to make it; `None` for later occurrences.
        make: Option<Box<Template>>,
    },
    /// A new tuple.
    Tuple(Vec<Template>),
    /// A new list.
    List(Vec<Template>),
    /// A new dict.
    Dict(Vec<(Template, Template)>),
    /// A new set.
    Set(Vec<Template>),
    /// A new slice.
    Slice(Box<[Template; 3]>),
    /// `range(start, stop, step)`.
    Range(Box<[Template; 3]>),
    /// Text with values in it.
    Text(Vec<TextTemplate>),
    /// A new exception.
    Exception(Box<ExceptionTemplate>),
    /// A new object of a class, without calling `__init__`: its attributes.
    Instance {
        /// The class.
        class: PyTypeRef,
        /// Names and values.
        attributes: Vec<(PyObjectRef, Template)>,
    },
    /// A new cell of a closure.
    Cell(Option<Box<Template>>),
    /// A new function.
    Function(Box<FunctionTemplate>),
    /// A new iterator.
    Iterator(Box<IteratorTemplate>),
    /// A method of an object, as reading an attribute gives it.
    Method {
        /// Whose method.
        object: Box<Template>,
        /// Its name.
        name: PyObjectRef,
    },
    /// A view of a dict.
    View {
        /// The dict.
        dict: Box<Template>,
        /// The method that gives it.
        method: &'static str,
    },
    /// A bound method of a function.
    Bound(Box<[Template; 2]>),
}

/// A part of a text.
#[derive(Clone, Debug)]
pub(crate) enum TextTemplate {
    /// Known text.
    Known(PyObjectRef),
    /// A replacement field.
    Format {
        /// What is formatted.
        value: Template,
        /// What happens to it before.
        conversion: Conversion,
        /// How.
        spec: PyObjectRef,
    },
    /// `template % value`.
    Percent {
        /// The template.
        template: PyObjectRef,
        /// What is formatted.
        value: Template,
    },
}

/// A new exception.
#[derive(Clone, Debug)]
pub(crate) struct ExceptionTemplate {
    pub(crate) class: PyTypeRef,
    pub(crate) args: Vec<Template>,
    pub(crate) attributes: Vec<(PyObjectRef, Template)>,
    pub(crate) cause: Option<Template>,
    pub(crate) context: Option<Template>,
    pub(crate) suppress_context: bool,
    /// Where it was raised, innermost first: for one that is a cause or a context.
    pub(crate) raised_at: Vec<crate::capture::session::Site>,
}

/// A new function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionTemplate {
    pub(crate) code: PyRef<PyCode>,
    pub(crate) globals: PyDictRef,
    /// Defaults, closure, annotations.
    pub(crate) attributes: Vec<(MakeFunctionFlag, Template)>,
}

/// A new iterator.
#[derive(Clone, Debug)]
pub(crate) enum IteratorTemplate {
    /// Over these numbers.
    Range([Template; 3]),
    /// Over what is left of a sequence.
    Sequence {
        /// A tuple, list, string or array.
        items: Template,
        /// Index of the next item.
        index: Template,
        /// Whether it goes backwards.
        reversed: bool,
    },
    /// Over a dict, one of its views, or a set.
    Members {
        /// Which.
        of: Template,
        /// How many items it has given.
        given: usize,
    },
    /// Over a dict, one of its views, or a set of the compiled code.
    Entries {
        /// The dict or set.
        container: Template,
        /// The method that gives the view, if it is one.
        view: Option<&'static str>,
        /// The map.
        map: Template,
        /// The position of the next item; how many entries there were when the iterator was made, and how often the map
        /// had changed.
        numbers: [Template; 3],
    },
    /// `enumerate`.
    Enumerate {
        /// What is enumerated.
        inner: Template,
        /// The next number.
        count: Template,
    },
    /// `zip`.
    Zip {
        /// What is zipped.
        inners: Vec<Template>,
        /// Whether unequal lengths are an error.
        strict: bool,
    },
    /// A generator that has not begun: its function and what that was called with.
    Generator {
        function: Template,
        args: Vec<Template>,
        more_args: Option<Template>,
        kwargs: Vec<(String, Template)>,
        more_kwargs: Option<Template>,
    },
    /// A generator that has begun: its frame.
    Begun(Box<FrameTemplate>),
}

/// Where a call leaves compiled code and goes on as plain Python.
#[derive(Debug)]
pub(crate) struct Resume {
    /// The calls, outermost first.
    pub(crate) frames: Vec<FrameTemplate>,
    /// What it did before.
    pub(crate) effects: Vec<Effect>,
    /// Why it cannot go on in compiled code.
    pub(crate) reason: Refusal,
    /// How many calls have left here.
    pub(crate) count: AtomicU64,
    /// How many times a call has come back.
    pub(crate) back: AtomicU64,
    /// Where they come back to, once that was looked for.
    pub(crate) reentry: OnceLock<Option<Weak<Reentry>>>,
}

/// What has become of a call for which plain Python was to execute one instruction.
pub(crate) enum Stepped {
    /// It has: what the frames hold then.
    Held(Held),
    /// The instruction has raised, and the call has gone on and returned this.
    Returned(PyObjectRef),
}

/// A call, or a generator, that goes on as plain Python.
#[derive(Clone, Debug)]
pub(crate) struct FrameTemplate {
    pub(crate) code: Arc<Code>,
    pub(crate) globals: PyDictRef,
    pub(crate) builtins: PyObjectRef,
    pub(crate) closure: Vec<Template>,
    /// Where, and which variables and entries of the stack there are.
    pub(crate) way: Way,
    /// Their values, for each part that the prologue takes: variables, then the stack, bottom first.
    pub(crate) values: Vec<Vec<Template>>,
    /// For a frame that waits for `__init__`: the new object.
    pub(crate) made: Option<Template>,
    /// The code with its prologue, once it was needed.
    pub(crate) landing: OnceLock<PyRef<PyCode>>,
    /// The same, for one instruction only.
    pub(crate) landing_once: OnceLock<PyRef<PyCode>>,
}

/// An object that the program changed, and what is in it now.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) target: Template,
    pub(crate) contents: ContentsTemplate,
}

/// How to make the contents of a mutable object.
#[derive(Clone, Debug)]
pub(crate) enum ContentsTemplate {
    /// Items of a list.
    List(Vec<Template>),
    /// Items that follow those of a list, whatever they are.
    Appended(Vec<Template>),
    /// Items of a dict.
    Dict(Vec<(Template, Template)>),
    /// Items of a set.
    Set(Vec<Template>),
    /// Value of a cell.
    Cell(Option<Template>),
    /// Value of one item of a dict.
    Item(PyObjectRef, Template),
}

/// What leaving through an exit means.
#[derive(Clone, Debug)]
pub(crate) enum ExitKind {
    /// It returned this.
    Return {
        /// The result.
        result: Template,
        /// What it did before.
        effects: Vec<Effect>,
    },
    /// It raised this.
    Raise {
        /// The exception.
        exception: Template,
        /// Where it was raised first, if that is not where it left: innermost first.
        effects: Vec<Effect>,
    },
    /// An operation raises on these operands: doing it again tells what.
    Again {
        /// What is done.
        operation: Operation,
        /// Its operands.
        operands: Vec<Template>,
        /// What it did before.
        effects: Vec<Effect>,
    },
    /// It goes on as plain Python.
    Resume(Arc<Resume>),
}

impl ExitKind {
    /// Whether the operation that is done again may give a result after all.
    pub(crate) fn may_give_a_result(&self, vm: &VirtualMachine) -> bool {
        let Self::Again { operation: Operation::Call(callable), .. } = self else { return false };
        vm.builtins.as_object().get_attr("pow", vm).is_ok_and(|pow| pow.is(callable))
    }
}

/// An operation that may raise.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A binary operator: its name in `operator`, `x` and `y`.
    Call(PyObjectRef),
}

/// What a host function does.
#[derive(Clone, Debug)]
pub(crate) enum HostKind {
    /// Calls an object. The result is dropped.
    Call {
        /// What is called.
        callable: PyObjectRef,
        /// Positional arguments.
        args: Vec<Template>,
        /// Keyword arguments.
        kwargs: Vec<(String, Template)>,
    },
    /// Calls an object that gives a float, an int or a bool.
    Compute {
        /// What is called.
        callable: PyObjectRef,
        /// Positional arguments.
        args: Vec<Template>,
        /// What it gives.
        result: Type,
        /// Whether a second call would find another world.
        has_effects: bool,
    },
    /// Counts a tick, and says whether there was one left.
    Tick,
    /// A function of the IR is about to be called. If it comes to a result past the types of compiled code, plain
    /// Python makes the call instead, if it can.
    Note(Option<Arc<Resume>>),
    /// Sorts a list of the compiled code, as `list.sort` does.
    Sort {
        /// What its items are.
        elem: Elem,
        /// Whether the largest comes first.
        reverse: bool,
    },
}

impl HostKind {
    /// Whether a second call would find another world.
    pub(crate) fn has_effects(&self) -> bool {
        match self {
            Self::Call { .. } => true,
            Self::Compute { has_effects, .. } => *has_effects,
            Self::Sort { .. } | Self::Tick | Self::Note(_) => false,
        }
    }
}

/// What templates are filled with.
pub(crate) struct Filling<'a> {
    /// The VM.
    pub(crate) vm: &'a VirtualMachine,
    /// The slots.
    pub(crate) slots: &'a [u64],
    /// The arguments as they were bound.
    pub(crate) locals: &'a [Option<PyObjectRef>],
    /// The arrays among the arguments, by the address of their first element.
    pub(crate) arrays: &'a [(u64, PyObjectRef)],
    /// The objects that the records among the arguments lead to.
    pub(crate) table: Option<&'a Table>,
    /// Objects that occur more than once.
    pub(crate) shared: RefCell<std::collections::HashMap<usize, PyObjectRef>>,
    /// Iterators over sequences, with the indices of their next items.
    positions: RefCell<Vec<(PyObjectRef, PyObjectRef)>>,
}

impl<'a> Filling<'a> {
    /// Fills templates with these.
    pub(crate) fn new(
        vm: &'a VirtualMachine,
        slots: &'a [u64],
        locals: &'a [Option<PyObjectRef>],
        arrays: &'a [(u64, PyObjectRef)],
        table: Option<&'a Table>,
    ) -> Self {
        Self { vm, slots, locals, arrays, table, shared: RefCell::default(), positions: RefCell::default() }
    }

    /// Makes the object.
    pub(crate) fn make(&self, template: &Template) -> PyResult {
        let vm = self.vm;
        Ok(match template {
            Template::Static(object) => object.clone(),
            Template::Leaf { slot, ty } => self.leaf(*slot, *ty)?,
            Template::Argument(root) => self.argument(root)?,
            Template::Record { slot } => {
                let object = self.table.and_then(|table| table.object(self.slots[*slot]));
                object.ok_or_else(|| bug(vm, "a record has no row"))?
            }
            Template::Shared { id, make } => {
                if let Some(object) = self.shared.borrow().get(id) {
                    return Ok(object.clone());
                }
                let make = make.as_ref().ok_or_else(|| bug(vm, "an object is used before it is made"))?;
                if let Template::Cell(Some(value)) = &**make {
                    // What is in it may refer to it: a local function that calls itself.
                    let cell = cell::new_cell(None, vm);
                    self.shared.borrow_mut().insert(*id, cell.clone());
                    cell::cell_set(&cell, Some(self.make(value)?), vm);
                    return Ok(cell);
                }
                let object = self.make(make)?;
                self.shared.borrow_mut().insert(*id, object.clone());
                object
            }
            Template::Tuple(items) => vm.ctx.new_tuple(self.make_all(items)?).into(),
            Template::List(items) => vm.ctx.new_list(self.make_items(items, &[])?).into(),
            Template::Dict(items) if let Some(map) = self.map(items.first().map(|(key, _)| key)) => {
                let dict = vm.ctx.new_dict();
                for (key, value) in self.entries(map, &[]) {
                    dict.set_item(&*key, value, vm)?;
                }
                dict.into()
            }
            Template::Dict(items) => {
                let dict = vm.ctx.new_dict();
                for (key, value) in items {
                    dict.set_item(&*self.make(key)?, self.make(value)?, vm)?;
                }
                dict.into()
            }
            Template::Set(items) => {
                let set = PySet::default().into_ref(&vm.ctx);
                for item in self.make_members(items, &[])? {
                    set.add(item, vm)?;
                }
                set.into()
            }
            Template::Slice(parts) => {
                let parts = self.make_all(&parts[..])?;
                vm.ctx.types.slice_type.as_object().call(FuncArgs::from(parts), vm)?
            }
            Template::Range(parts) => {
                let parts = self.make_all(&parts[..])?;
                vm.ctx.types.range_type.as_object().call(FuncArgs::from(parts), vm)?
            }
            Template::Text(parts) => self.text(parts)?,
            Template::Exception(exception) => self.exception(exception)?.into(),
            Template::Instance { class, attributes } => {
                let object = host::new_object(class, vm)?;
                let dict = object.dict().ok_or_else(|| bug(vm, "an instance has no attributes"))?;
                for (name, value) in attributes {
                    dict.set_item(&**name, self.make(value)?, vm)?;
                }
                object
            }
            Template::Cell(value) => {
                let value = value.as_ref().map(|value| self.make(value)).transpose()?;
                cell::new_cell(value, vm)
            }
            Template::Function(function) => {
                let pair = |(flag, value): &(MakeFunctionFlag, Template)| Ok((*flag, self.make(value)?));
                let attributes = function.attributes.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
                make_function(function.code.clone(), function.globals.clone(), &attributes, vm)?
            }
            Template::Iterator(iterator) => self.iterator(iterator)?,
            Template::Method { object, name } => {
                let name = name.str(vm)?;
                self.make(object)?.get_attr(&*name, vm)?
            }
            Template::View { dict, method } => vm.call_method(&*self.make(dict)?, method, ())?,
            Template::Bound(parts) => {
                let [function, object] = &**parts;
                host::function::bound_method(self.make(function)?, self.make(object)?, vm)
            }
        })
    }

    fn iterator(&self, template: &IteratorTemplate) -> PyResult {
        let vm = self.vm;
        let types = &vm.ctx.types;
        Ok(match template {
            IteratorTemplate::Range(parts) => {
                let range = types.range_type.as_object().call(FuncArgs::from(self.make_all(parts)?), vm)?;
                range.get_iter(vm)?.into()
            }
            IteratorTemplate::Sequence { items, index, reversed } => {
                let items = self.make(items)?;
                let iterator: PyObjectRef = if *reversed {
                    vm.builtins.as_object().get_attr("reversed", vm)?.call((items,), vm)?
                } else {
                    items.get_iter(vm)?.into()
                };
                let index = self.make(index)?;
                if *reversed
                    && crate::flatten::scalar_bits(&index, Type::I64, vm).is_some_and(|it| it.cast_signed() < 0)
                {
                    // It has given its last item. Told so, it would begin with the first one.
                    let given = PyIter::new(iterator.clone());
                    while matches!(given.next(vm)?, PyIterReturn::Return(_)) {}
                    return Ok(iterator);
                }
                vm.call_method(&iterator, "__setstate__", (index.clone(),))?;
                self.positions.borrow_mut().push((iterator.clone(), index));
                iterator
            }
            IteratorTemplate::Members { of, given } => {
                let iterator = self.make(of)?.get_iter(vm)?;
                for _ in 0..*given {
                    iterator.next(vm)?;
                }
                iterator.into()
            }
            IteratorTemplate::Entries { container, view, map, numbers } => {
                let container = self.make(container)?;
                let of = match view {
                    Some(method) => vm.call_method(&container, method, ())?,
                    None => container.clone(),
                };
                let map = self.map(Some(map)).ok_or_else(|| bug(vm, "an iterator has no map"))?;
                let [position, length, changes] = numbers;
                let int = |template: &Template| -> PyResult<u64> {
                    let number = self.make(template)?;
                    let bits = crate::flatten::scalar_bits(&number, Type::I64, vm);
                    bits.ok_or_else(|| bug(vm, "an iterator counts in ints"))
                };
                let iterator = of.get_iter(vm)?;
                if int(length)? == map.len && int(changes)? == map.changes {
                    for _ in 0..map.count_before(int(position)?) {
                        iterator.next(vm)?;
                    }
                } else {
                    // It finds that the size has changed.
                    let object = vm.ctx.new_base_object(vm.ctx.types.object_type.to_owned(), None);
                    if container.downcast_ref::<PyDict>().is_some() {
                        container.set_item(&*object, vm.ctx.none(), vm)?;
                        container.del_item(&*object, vm)?;
                    } else {
                        vm.call_method(&container, "add", (object.clone(),))?;
                        vm.call_method(&container, "discard", (object,))?;
                    }
                }
                iterator.into()
            }
            IteratorTemplate::Enumerate { inner, count } => {
                types.enumerate_type.as_object().call((self.make(inner)?, self.make(count)?), vm)?
            }
            IteratorTemplate::Zip { inners, strict } => {
                let strict = vm.ctx.new_bool(*strict).into();
                let kwargs = KwArgs::from_iter([("strict".to_owned(), strict)]);
                types.zip_type.as_object().call(FuncArgs::new(self.make_all(inners)?, kwargs), vm)?
            }
            IteratorTemplate::Generator { function, args, more_args, kwargs, more_kwargs } => {
                let mut args = self.make_all(args)?;
                if let Some(more) = more_args {
                    let more: PyObjectRef = self.make(more)?;
                    args.extend(more.try_to_value::<Vec<PyObjectRef>>(vm)?);
                }
                let mut named = Vec::new();
                for (name, value) in kwargs {
                    named.push((name.clone(), self.make(value)?));
                }
                if let Some(more) = more_kwargs {
                    let more = self.make(more)?;
                    for (name, value) in more.downcast_ref::<PyDict>().into_iter().flat_map(|it| it.items_vec()) {
                        named.push((name.str(vm)?.to_string_lossy().into_owned(), value));
                    }
                }
                self.make(function)?.call(FuncArgs::new(args, KwArgs::from_iter(named)), vm)?
            }
            IteratorTemplate::Begun(frame) => host::resume::generator(self.landing(frame, Extent::All)?.0, vm)?,
        })
    }

    /// Goes on as plain Python.
    pub(crate) fn resume(&self, resume: &Resume) -> PyResult {
        host::resume::run(self.frames(resume)?, self.vm)
    }

    /// What plain Python goes on with, after what the program did before is done.
    pub(crate) fn frames(&self, resume: &Resume) -> PyResult<Vec<Landing>> {
        self.landings(resume, Extent::All, |_, _| Ok(()))
    }

    /// Lets plain Python execute one instruction. What the re-entry is given then; or, if the instruction has raised,
    /// what the call returns.
    pub(crate) fn step(&self, resume: &Resume, reentry: &Reentry) -> PyResult<Stepped> {
        let mut held = Held::default();
        let is_new = |it: &Template| !matches!(it, Template::Static(_) | Template::Argument(_));
        let mut counts = reentry.counts.iter();
        let frames = self.landings(resume, Extent::Once, |frame, parts| {
            let count = *counts.next().expect("a re-entry has as many frames");
            for (template, object) in frame.values.iter().flatten().zip(parts.iter().flatten()).take(count) {
                match template {
                    Template::Iterator(_) => {
                        for part in reentry::held(template) {
                            held.push(self.make(part)?, is_new(part));
                        }
                    }
                    _ => held.push(object.clone(), is_new(template)),
                }
            }
            Ok(())
        })?;
        let (result, finished) = host::resume::run_once(frames, self.vm)?;
        if !finished {
            return Ok(Stepped::Returned(result));
        }
        if reentry.pushes {
            held.push(result, true);
        }
        Ok(Stepped::Held(held))
    }

    /// The frames that plain Python goes on with, and what the program did before. `look` is told what each frame holds.
    fn landings(
        &self,
        resume: &Resume,
        extent: Extent,
        mut look: impl FnMut(&FrameTemplate, &[Vec<PyObjectRef>]) -> PyResult<()>,
    ) -> PyResult<Vec<Landing>> {
        let mut frames = Vec::with_capacity(resume.frames.len());
        for frame in &resume.frames {
            let (landing, parts) = self.landing(frame, extent)?;
            look(frame, &parts)?;
            frames.push(landing);
        }
        self.apply(&resume.effects)?;
        resume.count.fetch_add(1, Ordering::Relaxed);
        // What the program drops from here on must go.
        self.shared.borrow_mut().clear();
        self.release();
        Ok(frames)
    }

    /// A frame that plain Python goes on with, and what it holds.
    fn landing(&self, frame: &FrameTemplate, extent: Extent) -> PyResult<(Landing, Vec<Vec<PyObjectRef>>)> {
        let landing = match extent {
            Extent::All => &frame.landing,
            Extent::Once => &frame.landing_once,
        };
        let code = landing.get_or_init(|| landing_code(&frame.code, &frame.way, extent, self.vm)).clone();
        // In the order in which the templates were made: what occurs twice is in the first one.
        let made = frame.made.as_ref().map(|made| self.make(made)).transpose()?;
        let parts = frame.values.iter().map(|part| self.make_all(part)).collect::<PyResult<Vec<_>>>()?;
        let values = host::resume::values_of(parts.clone(), frame.way.locals.len(), self.vm);
        let closure = self.make_all(&frame.closure)?;
        Ok((Landing { code, globals: frame.globals.clone(), closure, values, made }, parts))
    }

    /// Plain Python goes on with the objects of the call.
    pub(crate) fn release(&self) {
        self.table.inspect(|table| table.release());
    }

    /// Makes the objects.
    pub(crate) fn make_all(&self, templates: &[Template]) -> PyResult<Vec<PyObjectRef>> {
        templates.iter().map(|template| self.make(template)).collect()
    }

    /// The items of a list. Where one of the compiled code holds what was there before, that object stays.
    fn make_items(&self, templates: &[Template], old: &[PyObjectRef]) -> PyResult<Vec<PyObjectRef>> {
        let [Template::Leaf { slot, ty: Type::List(elem) }] = templates else { return self.make_all(templates) };
        // SAFETY: the slot of a list has its address, and the lists of a call live until its result is made.
        let list = unsafe { &*(self.slots[*slot] as usize as *const List) };
        let vm = self.vm;
        let item = |(index, bits): (usize, u64)| match old.get(index) {
            Some(object) if crate::flatten::scalar_bits(object, elem.value_type(), vm) == Some(bits) => object.clone(),
            _ => self.number(bits, elem.value_type()),
        };
        Ok(list.iter().enumerate().map(item).collect())
    }

    /// The map of the compiled code that the only key of a dict or item of a set stands for.
    fn map(&self, template: Option<&Template>) -> Option<&Map> {
        let Some(Template::Leaf { slot, ty: Type::Map(_) }) = template else { return None };
        // SAFETY: the slot of a map has its address, and the maps of a call live until its result is made.
        Some(unsafe { &*(self.slots[*slot] as usize as *const Map) })
    }

    /// The keys and values of a map; those of a set have None as value. Where it holds what was there before, those
    /// objects stay.
    fn entries(&self, map: &Map, old: &[(PyObjectRef, PyObjectRef)]) -> Vec<(PyObjectRef, PyObjectRef)> {
        let vm = self.vm;
        let ty = map.ty();
        let bits = |object: &PyObjectRef, ty: Scalar| crate::flatten::scalar_bits(object, ty.ty(), vm);
        let old: HashMap<u64, &(PyObjectRef, PyObjectRef)> =
            old.iter().filter_map(|pair| Some((bits(&pair.0, ty.key)?, pair))).collect();
        let entry = |entry: Entry| {
            let old = old.get(&entry.key);
            let key = old.map_or_else(|| self.number(entry.key, ty.key.ty()), |(key, _)| key.clone());
            let Some(value) = ty.value else { return (key, vm.ctx.none()) };
            let same = old.filter(|(_, old)| bits(old, value) == Some(entry.value));
            (key, same.map_or_else(|| self.number(entry.value, value.ty()), |(_, old)| old.clone()))
        };
        map.iter().map(entry).collect()
    }

    /// The items of a set.
    fn make_members(&self, templates: &[Template], old: &[PyObjectRef]) -> PyResult<Vec<PyObjectRef>> {
        let Some(map) = self.map(templates.first()) else { return self.make_all(templates) };
        let old: Vec<_> = old.iter().map(|item| (item.clone(), self.vm.ctx.none())).collect();
        Ok(self.entries(map, &old).into_iter().map(|(item, _)| item).collect())
    }

    fn number(&self, bits: u64, ty: Type) -> PyObjectRef {
        let vm = self.vm;
        match ty {
            Type::Bool => vm.ctx.new_bool(bits != 0).into(),
            Type::F64 => vm.ctx.new_float(f64::from_bits(bits)).into(),
            Type::I64 | Type::Array(_) | Type::List(_) | Type::Map(_) => vm.ctx.new_int(bits.cast_signed()).into(),
        }
    }

    fn leaf(&self, slot: usize, ty: Type) -> PyResult {
        let vm = self.vm;
        let bits = self.slots[slot];
        Ok(match ty {
            Type::Bool | Type::I64 | Type::F64 => self.number(bits, ty),
            Type::List(_) | Type::Map(_) => {
                return Err(bug(vm, "a list or dict of the compiled code is no item of an object"));
            }
            Type::Array(_) => {
                let found = self.arrays.iter().find(|(address, _)| *address == bits);
                found.map(|(_, array)| array.clone()).ok_or_else(|| bug(vm, "an array is none of the arguments"))?
            }
        })
    }

    fn argument(&self, root: &Root) -> PyResult {
        let vm = self.vm;
        let mut object = self.locals[root.local].clone().ok_or_else(|| bug(vm, "an argument is missing"))?;
        for &index in &root.path {
            object = item(&object, index).ok_or_else(|| bug(vm, "an argument has another structure"))?;
        }
        Ok(object)
    }

    fn text(&self, parts: &[TextTemplate]) -> PyResult {
        let vm = self.vm;
        let mut text = rustpython_vm::common::wtf8::Wtf8Buf::new();
        for part in parts {
            let piece = match part {
                TextTemplate::Known(known) => known.str(vm)?,
                TextTemplate::Format { value, conversion, spec } => {
                    let value = self.make(value)?;
                    let value = match conversion {
                        Conversion::None => value,
                        Conversion::Str => value.str(vm)?.into(),
                        Conversion::Repr => value.repr(vm)?.into(),
                        Conversion::Ascii => vm.builtins.as_object().get_attr("ascii", vm)?.call((value,), vm)?,
                    };
                    vm.format(&value, spec.str(vm)?)?
                }
                TextTemplate::Percent { template, value } => vm._mod(template, &*self.make(value)?)?.str(vm)?,
            };
            text.push_wtf8(piece.as_wtf8());
        }
        Ok(vm.ctx.new_str(text).into())
    }

    /// Makes the exception. It has not been raised yet.
    pub(crate) fn exception(&self, template: &ExceptionTemplate) -> PyResult<PyBaseExceptionRef> {
        let vm = self.vm;
        let args = self.make_all(&template.args)?;
        let exception = new_exception(&template.class, args, vm)?;
        if !template.attributes.is_empty() {
            // Asking makes the dict, if there is none yet.
            let dict = exception.as_object().get_attr("__dict__", vm)?;
            for (name, value) in &template.attributes {
                dict.set_item(&**name, self.make(value)?, vm)?;
            }
        }
        let related = |template: &Option<Template>| -> PyResult<Option<PyBaseExceptionRef>> {
            let Some(template) = template else { return Ok(None) };
            Ok(self.make(template)?.downcast::<PyBaseException>().ok())
        };
        // In the order in which the templates were made: what occurs twice is in the first one.
        let cause = related(&template.cause)?;
        if let Some(context) = related(&template.context)? {
            exception.set_context(Some(context));
        }
        if cause.is_some() || template.suppress_context {
            exception.set_cause(cause);
        }
        if !template.raised_at.is_empty() {
            crate::raising::add_sites(&exception, &template.raised_at, vm);
        }
        Ok(exception)
    }

    /// Does to the world what the program did. Everything is made before anything is written: what is found by its
    /// place in an argument must be found where it was.
    pub(crate) fn apply(&self, effects: &[Effect]) -> PyResult<()> {
        let made = effects.iter().map(|effect| self.write(effect)).collect::<PyResult<Vec<_>>>()?;
        for (target, write) in made {
            match write {
                Write::Contents(contents) => heap::write(&target, &contents, self.vm),
                Write::Item(key, value) => target.set_item(&*key, value, self.vm)?,
                Write::Appended(items) => {
                    if let Some(list) = target.downcast_ref::<PyList>() {
                        list.borrow_vec_mut().extend(items);
                    }
                }
                Write::Items(items) => {
                    for (key, value) in items {
                        target.set_item(&*key, value, self.vm)?;
                    }
                }
            }
        }
        // A position beyond what a list held before was taken for its end.
        for (iterator, index) in self.positions.take() {
            self.vm.call_method(&iterator, "__setstate__", (index,))?;
        }
        Ok(())
    }

    fn write(&self, effect: &Effect) -> PyResult<(PyObjectRef, Write)> {
        let contents = match &effect.contents {
            ContentsTemplate::Item(key, value) => {
                return Ok((self.make(&effect.target)?, Write::Item(key.clone(), self.make(value)?)));
            }
            ContentsTemplate::Appended(items) => {
                return Ok((self.make(&effect.target)?, Write::Appended(self.make_all(items)?)));
            }
            ContentsTemplate::List(items) => {
                let target = self.make(&effect.target)?;
                let old = target.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec());
                let contents = Contents::List(self.make_items(items, &old.unwrap_or_default())?);
                return Ok((target, Write::Contents(contents)));
            }
            ContentsTemplate::Dict(items) if let Some(map) = self.map(items.first().map(|(key, _)| key)) => {
                let target = self.make(&effect.target)?;
                let old = target.downcast_ref::<PyDict>().map(|dict| dict.items_vec()).unwrap_or_default();
                let new = self.entries(map, &old);
                let same_keys = new.len() == old.len() && new.iter().zip(&old).all(|(new, old)| new.0.is(&old.0));
                let write = if same_keys {
                    // An iterator over it goes on.
                    let changed = new.into_iter().zip(&old).filter(|(new, old)| !new.1.is(&old.1));
                    Write::Items(changed.map(|(new, _)| new).collect())
                } else {
                    Write::Contents(Contents::Dict(new))
                };
                return Ok((target, write));
            }
            ContentsTemplate::Dict(items) => {
                let pair = |(key, value): &(Template, Template)| Ok((self.make(key)?, self.make(value)?));
                Contents::Dict(items.iter().map(pair).collect::<PyResult<_>>()?)
            }
            ContentsTemplate::Set(items) => {
                let target = self.make(&effect.target)?;
                let old = target.downcast_ref::<PySet>().map(|set| set.elements()).unwrap_or_default();
                let new = self.make_members(items, &old)?;
                if new.len() == old.len() && new.iter().zip(&old).all(|(new, old)| new.is(old)) {
                    return Ok((target, Write::Items(Vec::new())));
                }
                return Ok((target, Write::Contents(Contents::Set(new))));
            }
            ContentsTemplate::Cell(value) => Contents::Cell(value.as_ref().map(|value| self.make(value)).transpose()?),
        };
        Ok((self.make(&effect.target)?, Write::Contents(contents)))
    }
}

/// What is about to be written into an object.
enum Write {
    Contents(Contents),
    Item(PyObjectRef, PyObjectRef),
    /// Items that follow those of a list.
    Appended(Vec<PyObjectRef>),
    /// Values under keys of a dict that are there.
    Items(Vec<(PyObjectRef, PyObjectRef)>),
}

/// Why a host function gave no result.
pub(crate) enum HostFailure {
    /// It raised this.
    Raised(PyBaseExceptionRef),
    /// It gave what compiled code has no type for, like an int past 64 bits.
    Unfit,
}

impl From<PyBaseExceptionRef> for HostFailure {
    fn from(exception: PyBaseExceptionRef) -> Self {
        Self::Raised(exception)
    }
}

/// Calls a host function: gives its one result, if it has any, as slot.
pub(crate) fn call_host(kind: &HostKind, filling: &Filling<'_>) -> Result<Option<u64>, HostFailure> {
    let vm = filling.vm;
    match kind {
        HostKind::Call { callable, args, kwargs } => {
            let args = filling.make_all(args)?;
            let pair = |(name, value): &(String, Template)| Ok((name.clone(), filling.make(value)?));
            let kwargs = kwargs.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
            callable.call(FuncArgs::new(args, KwArgs::from_iter(kwargs)), vm)?;
            Ok(None)
        }
        HostKind::Compute { callable, args, result, .. } => {
            let value = callable.call(FuncArgs::from(filling.make_all(args)?), vm)?;
            let bits = crate::flatten::scalar_bits(&value, *result, vm);
            bits.map(Some).ok_or(HostFailure::Unfit)
        }
        HostKind::Tick => Ok(Some(u64::from(crate::limits::tick()))),
        HostKind::Note(_) => Ok(None),
        HostKind::Sort { elem, reverse } => {
            // SAFETY: its one slot is that of the list, which lives as long as the call.
            let list = unsafe { &mut *(filling.slots[0] as usize as *mut List) };
            sort(list, *elem, *reverse);
            Ok(None)
        }
    }
}

/// Sorts with RustPython's own algorithm: with a NaN among the items the order depends on it.
fn sort(list: &mut List, elem: Elem, reverse: bool) {
    let mut items: Vec<u64> = list.iter().collect();
    let mut less = |a: &u64, b: &u64| -> Result<bool, Infallible> {
        let (a, b) = if reverse { (*b, *a) } else { (*a, *b) };
        Ok(match elem {
            Elem::Bool => a < b,
            Elem::I64 => a.cast_signed() < b.cast_signed(),
            Elem::F32 | Elem::F64 => f64::from_bits(a) < f64::from_bits(b),
        })
    };
    let Ok(()) = timsort(&mut items, &mut less);
    for (index, bits) in items.into_iter().enumerate() {
        list.set(index, bits);
    }
}

/// A new exception of a class, with `__init__` of builtin classes only.
fn new_exception(class: &PyTypeRef, args: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<PyBaseExceptionRef> {
    let has_python_init =
        class.get_attr(vm.ctx.intern_str("__init__")).is_some_and(|init| init.class().is(vm.ctx.types.function_type));
    if has_python_init { Ok(vm.new_exception(class.clone(), args)) } else { vm.invoke_exception(class, args) }
}

/// In a [`Root`]: the dict of an object's attributes.
pub(crate) const ATTRIBUTES: usize = usize::MAX;

/// The item of a tuple or list, or the value of a dict of keyword arguments or of an object's attributes.
pub(crate) fn item(object: &PyObjectRef, index: usize) -> Option<PyObjectRef> {
    use rustpython_vm::builtins::PyTuple;
    if index == ATTRIBUTES {
        object.dict().map(Into::into)
    } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        tuple.as_slice().get(index).cloned()
    } else if let Some(dict) = object.downcast_ref::<PyDict>() {
        dict.into_iter().nth(index).map(|(_, value)| value)
    } else if let Some(list) = object.downcast_ref::<PyList>() {
        list.borrow_vec().get(index).cloned()
    } else {
        object.dict()?.into_iter().nth(index).map(|(_, value)| value)
    }
}

/// Our mistake, as an exception.
pub(crate) fn bug(vm: &VirtualMachine, what: &str) -> PyBaseExceptionRef {
    vm.new_system_error(format!("this is a bug in snekpy, not in your program: {what}"))
}
