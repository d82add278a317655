//! Names and attributes: read without running user code, and guarded.

use rustpython_vm::builtins::{
    PyBaseException, PyBaseExceptionRef, PyDict, PyDictRef, PyModule, PyStr, PyTuple, PyType,
};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObjectRef, VirtualMachine};

use crate::capture::assumptions::Assumption;
use crate::capture::record::refuse_native;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::{ends, value};
use crate::captured::OfArguments;
use crate::flatten::Copied;
use crate::guard::Guard;
use crate::helper::is_helper_function;
use crate::host;
use crate::host::slots::can_be_taken_apart;
use crate::kind;
use crate::rep::{Named, class_of};
use crate::scalar;

impl Session<'_> {
    /// `LOAD_GLOBAL`.
    pub(crate) fn load_global(&mut self, state: &State, index: u32) -> Step<PyObjectRef> {
        let vm = self.vm;
        let name = self.name(state, index);
        let key: PyObjectRef = vm.ctx.intern_str(name).to_owned().into();
        let frame = state.frame();
        if let Some(object) = self.read_item(&frame.globals, &key)? {
            return Ok(object);
        }
        match self.builtin_of(state, name)? {
            Some(object) => Ok(object),
            None => Err(Stop::Raise(vm.new_name_error(format!("name '{name}' is not defined"), vm.ctx.new_str(name)))),
        }
    }

    /// What the builtins of the frame that runs have under a name, guarded.
    pub(crate) fn builtin_of(&mut self, state: &State, name: &'static str) -> Step<Option<PyObjectRef>> {
        let builtins = state.frame().builtins.clone();
        let dict = match builtins.downcast_ref::<PyDict>() {
            Some(dict) => dict.to_owned(),
            None => match builtins.dict() {
                Some(dict) => dict,
                None => return Err(refuse("S310", "the builtins are not a module").into()),
            },
        };
        self.read_item(&dict, &self.vm.ctx.intern_str(name).to_owned().into())
    }

    /// An item of a dict of the world, guarded.
    pub(crate) fn read_item(&mut self, dict: &PyDictRef, key: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        if let Some(cell) = self.find_variable(dict, key) {
            return Ok(host::cell::cell_get(&cell, self.vm));
        }
        let found = dict.get_item_opt(&**key, self.vm)?;
        let object: PyObjectRef = dict.clone().into();
        if !self.is_fresh(&object) && self.base.number(&object).is_none() {
            self.guards.add(Guard::Item { dict: dict.clone(), key: key.clone(), expected: found.clone() });
        }
        if let Some(found) = &found {
            self.guard_contents(found)?;
        }
        Ok(found)
    }

    fn find_variable(&self, dict: &PyDictRef, key: &PyObjectRef) -> Option<PyObjectRef> {
        if self.objects.variables.is_empty() {
            return None;
        }
        let key = key.downcast_ref::<PyStr>()?.to_string_lossy().into_owned();
        self.objects.variables.get(&(dict.as_object().get_id(), key)).cloned()
    }

    /// The cell that stands for an item of a dict of the world from now on.
    pub(crate) fn variable(&mut self, dict: &PyDictRef, key: &PyObjectRef, value: Option<PyObjectRef>) -> PyObjectRef {
        let cell = host::cell::new_cell(value, self.vm);
        self.base.keep(&cell, self.vm);
        let text = key.downcast_ref::<PyStr>().map(|key| key.to_string_lossy().into_owned()).unwrap_or_default();
        self.objects.variables.insert((dict.as_object().get_id(), text), cell.clone());
        self.objects.items.insert(cell.get_id(), (dict.clone(), key.clone()));
        cell
    }

    /// Assigns an item that a dict of the world has. Whether it has it.
    pub(crate) fn assign_item(
        &mut self,
        state: &mut State,
        dict: &PyDictRef,
        key: &PyObjectRef,
        value: PyObjectRef,
    ) -> Step<bool> {
        let cell = match self.find_variable(dict, key) {
            Some(cell) => cell,
            None if self.guards.covers(dict.as_object()) => {
                let text = "staged code assigns a variable in a dict that it has read as a whole";
                return Err(refuse("S298", text).into());
            }
            None => match self.read_item(dict, key)? {
                Some(before) if ends::is_noticed(&before, self.vm) => return Err(ends::refuse(&before)),
                Some(before) => self.variable(dict, key, Some(before)),
                None => return Ok(false),
            },
        };
        self.touch(state, &cell)?;
        host::cell::cell_set(&cell, Some(value), self.vm);
        Ok(true)
    }

    /// `LOAD_ATTR`.
    pub(crate) fn load_attr(&mut self, state: &mut State, index: u32, is_method: bool) -> Step<Flow> {
        let name = self.name(state, index);
        let object = crate::capture::step::object_at(state, 1);
        if let Some(attribute) = self.attribute_of_tensor(state, &object, name)? {
            drop(state.pop());
            state.push(attribute);
            if is_method {
                state.push(crate::capture::value::V::Null);
            }
            state.frame_mut().pc += 1;
            return Ok(Flow::Next);
        }
        if crate::rep::class_behind(&object).is_some() {
            return self.attribute_of_handle(state, &object, name, is_method);
        }
        if let Some((getter, args)) = self.overloaded_load(&object, name)? {
            if is_method {
                return Err(refuse("S311", format!("calling what the property `{name}` gives"))
                    .help("bind it to a variable first")
                    .into());
            }
            drop(state.pop());
            return self.call(state, &getter, args.into(), Then::Push);
        }
        if !is_method && let Some(method) = self.fallback(&object, name)? {
            drop(state.pop());
            let name = self.vm.ctx.intern_str(name).to_owned().into();
            return self.call(state, &method, vec![object, name].into(), Then::Push);
        }
        let attribute = match self.attribute_in(state, &object, name)? {
            Some(attribute) => attribute,
            None => return Err(refuse_native(&format!("`.{name}` of"), &class_of(&object)).into()),
        };
        drop(state.pop());
        state.push(attribute);
        if is_method {
            state.push(crate::capture::value::V::Null);
        }
        state.frame_mut().pc += 1;
        Ok(Flow::Next)
    }

    /// What looking a name up in the class of an object gives, guarded.
    pub(crate) fn class_attribute(&mut self, object: &PyObjectRef, name: &'static str) -> Step<Option<PyObjectRef>> {
        let class = class_of(object);
        let found = class.get_attr(self.vm.ctx.intern_str(name));
        if class.slots().flags.has_feature(rustpython_vm::types::PyTypeFlags::HEAPTYPE) {
            self.guards.add_lookup(&class, name, found.as_ref());
        }
        Ok(found)
    }

    /// `LOAD_SUPER_ATTR`: `super().name`.
    pub(crate) fn load_super_attr(&mut self, state: &mut State, arg: u32) -> Step<()> {
        let vm = self.vm;
        let name = self.name(state, arg >> 2);
        let [object, class, called] = [1, 2, 3].map(|depth| crate::capture::step::object_at(state, depth));
        let other = |what: &str| refuse("S306", format!("`super().{name}` {what}"));
        let Some(class) = class.downcast_ref::<PyType>().filter(|_| called.is(vm.ctx.types.super_type)) else {
            return Err(other("where `super` is not the builtin").into());
        };
        // Of an object that compiled code hands on, the class may be known.
        let of = match crate::rep::class_behind(&object) {
            Some(class) => class,
            None if crate::rep::is_staged(&object) || object.downcast_ref::<PyType>().is_some() => {
                return Err(other("of a class or a number").into());
            }
            None => object.class().to_owned(),
        };
        let interned = vm.ctx.intern_str(name);
        let mut found = None;
        self.guards.add_bases(&of);
        for base in of.mro_collect().iter().skip_while(|it| !it.is(class)).skip(1) {
            if base.slots().flags.has_feature(rustpython_vm::types::PyTypeFlags::HEAPTYPE) {
                self.guards.add_lookup(base, name, base.get_attr(interned).as_ref());
            }
            found = base.get_direct_attr(interned);
            if found.is_some() {
                break;
            }
        }
        let is_method = arg & 1 == 1;
        let function = found.as_ref().is_some_and(|it| crate::callable::is_function(it, vm));
        let natives = [vm.ctx.types.wrapper_descriptor_type, vm.ctx.types.method_descriptor_type];
        let native = found.as_ref().is_some_and(|it| natives.iter().any(|native| it.class().is(*native)));
        let Some(found) = found.filter(|_| function || native && is_method) else {
            return Err(other("is no method").into());
        };
        state.pop_objs(3);
        if is_method {
            state.push(found);
            state.push(object);
        } else {
            state.push(host::function::bound_method(found, object, vm));
        }
        Ok(())
    }

    /// `object.name`; `None` if a record has no such attribute.
    pub(super) fn attribute_in(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &'static str,
    ) -> Step<Option<PyObjectRef>> {
        match kind::is_instance(object) {
            true => self.attribute_of_record(state, object, name),
            false => self.attribute(object, name).map(Some),
        }
    }

    /// `object.name`.
    pub(crate) fn attribute(&mut self, object: &PyObjectRef, name: &'static str) -> Step<PyObjectRef> {
        let vm = self.vm;
        if let Some((_, ty)) = value::rep(object) {
            return self.attribute_of_rep(object, ty, name);
        }
        if crate::rep::is_staged(object) {
            return Err(refuse("S312", format!("`.{name}` of a `{}`", object.class_name())).into());
        }
        if object.downcast_ref::<PyModule>().is_some() {
            return self.attribute_of_module(object, name);
        }
        if let Some(class) = object.downcast_ref::<PyType>() {
            return self.attribute_of_class(object, class, name);
        }
        if self.is_plain(object) {
            return self.attribute_of_plain(object, name);
        }
        let key: PyObjectRef = vm.ctx.intern_str(name).to_owned().into();
        self.attribute_of_instance(object, name, &key)
    }

    fn attribute_of_module(&mut self, object: &PyObjectRef, name: &'static str) -> Step<PyObjectRef> {
        let vm = self.vm;
        if let Some(dict) = object.dict() {
            let key = |name| -> PyObjectRef { vm.ctx.intern_str(name).to_owned().into() };
            if let Some(found) = self.read_item(&dict, &key(name))? {
                return Ok(found);
            }
            if self.is_plain(object) && name != "__dict__" && self.read_item(&dict, &key("__getattr__"))?.is_none() {
                return match object.get_attr(name, vm) {
                    Err(exception) => Err(Stop::Raise(exception)),
                    Ok(_) => Err(refuse("S313", format!("`.{name}` of a module")).into()),
                };
            }
        }
        if name == "__dict__" {
            return Err(refuse("S313", "the dict of a module").into());
        }
        Err(refuse("S251", format!("`.{name}` of a module calls its `__getattr__`")).into())
    }

    fn attribute_of_class(
        &mut self,
        object: &PyObjectRef,
        class: &Py<PyType>,
        name: &'static str,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        let types = &vm.ctx.types;
        let other = |what: &str| refuse("S313", format!("`{}.{name}` {what}", class.name()));
        let meta = object.class().to_owned();
        let is_type = meta.is(types.type_type);
        if self.has_user_method(object, &["__getattribute__", "__getattr__"]) {
            return Err(other("calls a method of its metaclass").into());
        }
        let of_meta = self.class_attribute(object, name)?;
        if !is_type && of_meta.as_ref().is_some_and(|it| it.class().slots().descr_set.load().is_some()) {
            return Err(other("is a data descriptor of its metaclass").into());
        }
        let found = class.get_attr(vm.ctx.intern_str(name));
        if class.slots().flags.has_feature(PyTypeFlags::HEAPTYPE) {
            self.guards.add_lookup(&class.to_owned(), name, found.as_ref());
        }
        if let Some(found) = found {
            if !self.is_plain(&found) && found.class().slots().descr_get.load().is_some() {
                return Err(other("is a descriptor written in Python").into());
            }
            let value = object.get_attr(name, vm)?;
            self.guard_contents(&value)?;
            return Ok(value);
        }
        if !is_type && of_meta.is_some_and(|it| !it.class().is(types.function_type)) {
            return Err(other("is an attribute of its metaclass").into());
        }
        match object.get_attr(name, vm) {
            Ok(value) if is_type && name == "__mro__" => {
                self.guards.add_bases(&class.to_owned());
                Ok(value)
            }
            Ok(value) => self.read_attribute(object, name, value),
            Err(exception) => Err(Stop::Raise(exception)),
        }
    }

    /// Of an exception it is not known now through which frames it goes, and what is handled outside while it is raised.
    fn refuse_surroundings(&self, object: &PyObjectRef, name: &str) -> Step<()> {
        let Some(exception) = object.downcast_ref::<PyBaseException>() else { return Ok(()) };
        match name {
            "__traceback__" => Err(refuse("S313", "the traceback of an exception").into()),
            "__context__" if exception.__context__().is_none() && self.raised.contains_key(&object.get_id()) => {
                Err(refuse("S313", "the context of an exception that may be handled outside").into())
            }
            _ => Ok(()),
        }
    }

    /// An attribute of an object of one of Python's own classes.
    fn attribute_of_plain(&mut self, object: &PyObjectRef, name: &'static str) -> Step<PyObjectRef> {
        let vm = self.vm;
        if is_helper_function(object, vm) {
            return Err(refuse("S313", format!("`.{name}` of a `partial` made by staged code")).into());
        }
        let is_method = {
            let found = object.class().get_attr(vm.ctx.intern_str(name));
            let types = &vm.ctx.types;
            let methods = [types.method_descriptor_type, types.wrapper_descriptor_type];
            found.is_some_and(|it| methods.iter().any(|method| it.class().is(*method)))
        };
        let is_exception = object.class().fast_issubclass(vm.ctx.exceptions.base_exception_type);
        self.refuse_surroundings(object, name)?;
        let is_weak = |class: &str| object.class().slot_name().ends_with(class);
        if is_weak("weakproxy") || is_weak("weakcallableproxy") {
            return Err(refuse("S313", format!("`.{name}` of a weak proxy")).into());
        }
        let value = match object.get_attr(name, vm) {
            Ok(value) => value,
            Err(exception) => return Err(self.missing(object, name, exception)),
        };
        let types = &vm.ctx.types;
        let fixed = [types.int_type, types.float_type, types.bool_type, types.complex_type, types.str_type];
        if is_method && object.dict().is_none() || fixed.iter().any(|it| object.class().is(*it)) {
            return Ok(value);
        }
        if !self.is_fresh(object) {
            return self.read_attribute(object, name, value);
        }
        if is_exception || self.never_changes(&value) {
            return Ok(value);
        }
        Err(refuse("S313", format!("`.{name}` of a `{}` made by staged code", object.class_name())).into())
    }

    /// An object has no such attribute: another time it may have.
    fn missing(&mut self, object: &PyObjectRef, name: &'static str, exception: PyBaseExceptionRef) -> Stop {
        if !self.is_fresh(object) && !self.given.arguments.contains_key(&object.get_id()) {
            self.guards.add(Guard::Attribute { object: object.clone(), name, expected: None });
        }
        Stop::Raise(exception)
    }

    /// An attribute that native code gave without looking into a dict that is guarded.
    fn read_attribute(&mut self, object: &PyObjectRef, name: &'static str, value: PyObjectRef) -> Step<PyObjectRef> {
        // What is made anew for each who asks cannot be recognised.
        if value.strong_count() == 1 && !self.never_changes(&value) {
            return Err(refuse("S313", format!("`.{name}` of a `{}`", object.class_name())).into());
        }
        if value.strong_count() > 1 || value.class().is(self.vm.ctx.types.int_type) || self.is_text(&value) {
            self.guards.add(Guard::Attribute { object: object.clone(), name, expected: Some(value.clone()) });
        }
        self.guard_contents(&value)?;
        Ok(value)
    }

    fn is_text(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        [types.str_type, types.float_type, types.bytes_type].iter().any(|it| object.class().is(*it))
    }

    fn attribute_of_instance(
        &mut self,
        object: &PyObjectRef,
        name: &'static str,
        key: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        if self.has_user_method(object, &["__getattribute__"]) {
            return Err(
                refuse("S251", format!("`.{name}` calls `__getattribute__` of `{}`", object.class_name())).into()
            );
        }
        self.attribute_natively(object, name, key, false)
    }

    /// An attribute of an instance, without `__getattribute__`; `alone`: without `__getattr__`, too.
    fn attribute_natively(
        &mut self,
        object: &PyObjectRef,
        name: &'static str,
        key: &PyObjectRef,
        alone: bool,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        let hooks = !alone && self.has_user_method(object, &["__getattr__"]);
        let ask = || match alone {
            true => object.generic_getattr(vm.ctx.intern_str(name), vm),
            false => object.get_attr(name, vm),
        };
        let found = self.class_attribute(object, name)?;
        let is_exception = object.class().fast_issubclass(vm.ctx.exceptions.base_exception_type);
        self.refuse_surroundings(object, name)?;
        if name == "__class__" && is_own_class(found.as_ref(), vm) {
            self.guard_object(object);
            return Ok(object.class().to_owned().into());
        }
        if let Some(found) = &found
            && found.class().is(vm.ctx.types.member_descriptor_type)
            && host::slots::has_slots_only(object.class(), vm)
        {
            self.guard_object(object);
            let value = match ask() {
                Ok(value) => value,
                Err(exception) => return Err(self.missing(object, name, exception)),
            };
            return match self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id()) {
                true => Ok(value),
                false => self.read_attribute(object, name, value),
            };
        }
        if let Some(found) = &found
            && &*found.class().name() == "_tuplegetter"
            && object.downcast_ref::<PyTuple>().is_some()
        {
            self.guard_object(object);
            let value = ask()?;
            if !self.is_fresh(object) {
                self.guard_contents(&value)?;
            }
            return Ok(value);
        }
        if let Some(found) = &found
            && found.class().slots().descr_set.load().is_some()
            && !is_exception
        {
            return Err(refuse("S313", format!("`.{name}` is a data descriptor of `{}`", object.class_name())).into());
        }
        if let Some(dict) = object.dict()
            && let Some(found) = self.read_item(&dict, key)?
        {
            return Ok(found);
        }
        if let Some(found) = found {
            if crate::callable::is_function(&found, vm) || crate::callable::binds(&found) {
                return Ok(host::function::bound_method(found, object.clone(), vm));
            }
            if found.class().slots().descr_get.load().is_some() {
                let types = &vm.ctx.types;
                if found.class().is(types.staticmethod_type)
                    || found.class().is(types.classmethod_type)
                    || found.class().is(types.method_descriptor_type)
                    || is_exception
                {
                    return Ok(object.get_attr(name, vm)?);
                }
                return Err(refuse("S313", format!("`.{name}` is a descriptor of `{}`", object.class_name())).into());
            }
            self.guard_contents(&found)?;
            return Ok(found);
        }
        if hooks {
            return Err(refuse("S251", format!("`.{name}` calls `__getattr__` of `{}`", object.class_name())).into());
        }
        match ask() {
            // A dict that it may be given later is not guarded.
            Err(exception) if object.dict().is_none() => Err(self.missing(object, name, exception)),
            found => Ok(found?),
        }
    }

    fn attribute_of_rep(
        &mut self,
        object: &PyObjectRef,
        ty: snekpy_stage::types::Type,
        name: &'static str,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        let Some(sample) = value::sample(ty, vm) else {
            return Err(refuse("S314", format!("`.{name}` of an array"))
                .help("staged code can index arrays, assign their items, loop over them and take their `len`")
                .into());
        };
        match (name, ty) {
            ("bit_length" | "bit_count" | "conjugate", snekpy_stage::types::Type::I64)
            | ("is_integer" | "conjugate", snekpy_stage::types::Type::F64) => {
                let helper = self.helper_function(name)?;
                Ok(host::function::bound_method(helper, object.clone(), vm))
            }
            ("real", snekpy_stage::types::Type::F64 | snekpy_stage::types::Type::I64) => Ok(object.clone()),
            _ => match sample.get_attr(name, vm) {
                Err(exception) => {
                    // It is this number that has no such attribute.
                    exception.as_object().set_attr("obj", object.clone(), vm)?;
                    Err(Stop::Raise(exception))
                }
                Ok(_) => Err(refuse("S315", format!("`.{name}` of a staged {}", scalar::type_name(ty))).into()),
            },
        }
    }

    /// `object.name = value`, or `del object.name`.
    pub(crate) fn store_attr(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &'static str,
        value: Option<PyObjectRef>,
    ) -> Step<()> {
        if self.has_user_method(object, &[if value.is_some() { "__setattr__" } else { "__delattr__" }]) {
            let class_name = class_of(object).name().to_string();
            return Err(refuse("S251", format!("changing `.{name}` calls a method of `{class_name}`")).into());
        }
        self.store_natively(state, object, name, value)
    }

    /// What `object` itself does where an attribute is assigned or deleted.
    fn store_natively(
        &mut self,
        state: &mut State,
        object: &PyObjectRef,
        name: &'static str,
        value: Option<PyObjectRef>,
    ) -> Step<()> {
        let vm = self.vm;
        let class_name = class_of(object).name().to_string();
        if kind::is_instance(object) {
            return self.store_in_record(state, object, name, value.as_ref());
        }
        if vm.is_none(object) {
            let name = vm.ctx.intern_str(name);
            let done = match value {
                Some(_) => object.set_attr(name, vm.ctx.none(), vm),
                None => object.del_attr(name, vm),
            };
            return done.map_err(Stop::Raise);
        }
        if crate::rep::is_staged(object) || self.is_plain(object) || object.downcast_ref::<PyType>().is_some() {
            return Err(refuse("S316", format!("staged code changes `.{name}` of a `{class_name}`")).into());
        }
        if let Some(found) = self.class_attribute(object, name)?
            && found.class().slots().descr_set.load().is_some()
        {
            if found.class().is(vm.ctx.types.member_descriptor_type)
                && host::slots::has_slots_only(object.class(), vm)
                && (self.is_fresh(object) || self.given.arguments.contains_key(&object.get_id()))
            {
                self.touch(state, object)?;
                let name = vm.ctx.intern_str(name);
                let done = match value {
                    Some(value) => object.set_attr(name, value, vm),
                    None => object.del_attr(name, vm),
                };
                return done.map_err(Stop::Raise);
            }
            return Err(refuse("S313", format!("`.{name}` is a data descriptor of `{class_name}`")).into());
        }
        let Some(dict) = object.dict() else {
            if host::slots::has_slots_only(object.class(), vm) {
                // There is no place for it.
                let done = object.generic_setattr(vm.ctx.intern_str(name), value.into(), vm);
                return done.map_err(Stop::Raise);
            }
            return Err(refuse("S317", format!("a `{class_name}` keeps its attributes elsewhere")).into());
        };
        let dict_object: PyObjectRef = dict.clone().into();
        let key = vm.ctx.intern_str(name);
        if !self.is_fresh(&dict_object)
            && let Some(value) = &value
            && !self.given.arguments.contains_key(&dict_object.get_id())
        {
            self.guard_object(object);
            if self.assign_item(state, &dict, &key.to_owned().into(), value.clone())? {
                return Ok(());
            }
        }
        if !self.is_fresh(&dict_object) && !self.given.arguments.contains_key(&dict_object.get_id()) {
            // Plain Python does it, where it may, and the attribute is there from then on.
            let is_passed = self.given.passed.contains_key(&object.get_id());
            if self.rules.strict && self.given.may_copy && is_passed && can_be_taken_apart(object, vm) {
                return Err(Stop::Learn(Assumption::Argument(OfArguments::Copy(Box::new(Copied::Attributes(vec![
                    object.class().to_owned(),
                ]))))));
            }
            return Err(refuse(
                "S318",
                format!(
                    "staged code changes `.{name}` of an object that exists outside it, which is not supported yet"
                ),
            )
            .help("return the new value, and assign it outside")
            .into());
        }
        self.touch(state, &dict_object)?;
        match value {
            Some(value) => dict.set_item(key, value, vm)?,
            None => {
                if dict.get_item_opt(key, vm)?.is_none() {
                    return Err(Stop::Raise(
                        vm.new_attribute_error(format!("'{class_name}' object has no attribute '{name}'")),
                    ));
                }
                dict.del_item(key, vm)?;
            }
        }
        Ok(())
    }

    /// A call of what `object` itself has for reading, assigning and deleting attributes by their names, with its result.
    pub(crate) fn call_of_object(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let [object, name, value @ ..] = args.args.as_slice() else { return Ok(None) };
        if !callable.class().is(vm.ctx.types.wrapper_descriptor_type)
            || !args.kwargs.is_empty()
            || !self.is_of_python_class(object)
            || kind::is_instance(object)
            || crate::rep::is_staged(object)
        {
            return Ok(None);
        }
        let Some(name) = name.downcast_ref_if_exact::<PyStr>(vm) else { return Ok(None) };
        let key = vm.ctx.intern_str(name.to_string_lossy().as_ref());
        let is = |method: &'static str| {
            vm.ctx.types.object_type.get_attr(vm.ctx.intern_str(method)).is_some_and(|it| it.is(callable))
        };
        Ok(Some(match value {
            [] if is("__getattribute__") => {
                self.attribute_natively(object, key.as_str(), &key.to_owned().into(), true)?
            }
            [] if is("__delattr__") => {
                self.store_natively(state, object, key.as_str(), None)?;
                vm.ctx.none()
            }
            [value] if is("__setattr__") => {
                self.store_natively(state, object, key.as_str(), Some(value.clone()))?;
                vm.ctx.none()
            }
            _ => return Ok(None),
        }))
    }
}

/// Whether what a class has as `__class__` is what every class has.
pub(crate) fn is_own_class(found: Option<&PyObjectRef>, vm: &VirtualMachine) -> bool {
    let own = vm.ctx.types.object_type.get_attr(vm.ctx.intern_str("__class__"));
    own.zip(found).is_some_and(|(own, found)| own.is(found))
}
