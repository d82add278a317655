//! Operators, builtins and loops that call methods of classes written in Python: their frames are pushed, and what
//! they return is what the instruction gives. Where several methods are tried in turn, a helper does it.
//!
//! What a frame returns goes where its `Then` says: on the stack (`Push`), nowhere (`Drop`, for `__setitem__` and
//! setters), or it is the next item of the `for` that waits (`Item`; a `StopIteration` ends that loop). Of several
//! methods, the left and the reflected one, the order is worked out by the classes, and the helper `attempt` calls them
//! one after the other. `method` gives what an operator would find, and guards it: a function, nothing, or native code,
//! in which case the instruction is not ours. A frame that does not push what it returns cannot be resumed inside; it
//! is left at the instruction.

use rustpython_vm::builtins::{PyModule, PySlice, PyStr, PyType};
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, VirtualMachine};

use crate::capture::helpers::Helped;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Flow, object_at};
use crate::capture::stop::{Step, Stop};
use crate::capture::{observe, value};
use crate::host::operator::{COMPARISONS, names_of};
use crate::kind;
use crate::rep;
use crate::rep::{StagedIterator, class_of};
use crate::scalar;

/// What the class of an object has under a name.
enum Method {
    /// A function written in Python.
    Python(PyObjectRef),
    /// Nothing that an operator would find: no method, or that of `object`, which knows no other object.
    None,
    /// Native code.
    Native,
}

/// One method that is tried: what is called, with what, and whether the answer is turned round.
struct Attempt {
    method: PyObjectRef,
    args: [PyObjectRef; 2],
    inverted: bool,
}

impl Session<'_> {
    /// An instruction that calls a method of a class written in Python, if it is one: the frame is pushed.
    pub(crate) fn overloaded(&mut self, state: &mut State, op: Opcode, arg: u32) -> Step<Option<Flow>> {
        let operands = match op {
            Opcode::UnaryNegative | Opcode::UnaryInvert | Opcode::ToBool | Opcode::GetIter | Opcode::ForIter => 1,
            Opcode::BinarySlice | Opcode::StoreSubscr => 3,
            _ => 2,
        };
        let height = state.frame().stack.len();
        if height < operands || (1..=operands).any(|depth| state.peek(depth).object().is_none()) {
            return Ok(None);
        }
        let operand = |index: usize| object_at(state, operands - index);
        if !(0..operands).any(|index| self.is_of_python_class(&operand(index))) {
            return Ok(None);
        }
        let x = operand(0);
        let (method, args, then) = match op {
            Opcode::UnaryNegative => (self.method(&x, "__neg__")?, vec![x], Then::Push),
            Opcode::UnaryInvert => (self.method(&x, "__invert__")?, vec![x], Then::Push),
            Opcode::GetIter => {
                let Method::Python(method) = self.method(&x, "__iter__")? else { return Ok(None) };
                let helper = self.helper_function("iterator_of")?;
                state.pop_objs(operands);
                return self.call(state, &helper, vec![method, x].into(), Then::Push).map(Some);
            }
            Opcode::ForIter => {
                // The iterator stays where it is until the loop ends.
                let Method::Python(method) = self.method(&x, "__next__")? else { return Ok(None) };
                return self.call(state, &method, vec![x].into(), Then::Item).map(Some);
            }
            Opcode::ToBool => {
                return self.call_truth(state, &x);
            }
            Opcode::BinaryOp => {
                let Ok(operator) = BinaryOperator::try_from(arg) else { return Ok(None) };
                let y = operand(1);
                if operator == BinaryOperator::Subscr {
                    (self.method(&x, "__getitem__")?, vec![x, y], Then::Push)
                } else {
                    return self.overloaded_binary(state, operator, &x, &y);
                }
            }
            Opcode::BinarySlice => {
                let slice = PySlice { start: Some(operand(1)), stop: operand(2), step: None };
                let slice = self.made(slice.into_ref(&self.vm.ctx).into());
                (self.method(&x, "__getitem__")?, vec![x, slice], Then::Push)
            }
            Opcode::StoreSubscr => {
                let (target, key) = (operand(1), operand(2));
                (self.method(&target, "__setitem__")?, vec![target, key, x], Then::Drop)
            }
            Opcode::DeleteSubscr => (self.method(&x, "__delitem__")?, vec![x.clone(), operand(1)], Then::Drop),
            Opcode::CompareOp => return self.overloaded_comparison(state, arg >> 5, &x, &operand(1)),
            Opcode::ContainsOp => {
                let container = operand(1);
                let Method::Python(method) = self.method(&container, "__contains__")? else { return Ok(None) };
                let helper = self.helper_function(if arg == 1 { "holds_not" } else { "holds" })?;
                state.pop_objs(operands);
                return self.call(state, &helper, vec![method, container, x].into(), Then::Push).map(Some);
            }
            _ => return Ok(None),
        };
        let Method::Python(method) = method else { return Ok(None) };
        state.pop_objs(operands);
        self.call(state, &method, FuncArgs::from(args), then).map(Some)
    }

    /// What is called instead of a builtin that calls a method of its argument, with the arguments.
    pub(crate) fn overloaded_builtin(&mut self, builtin: &str, args: &FuncArgs) -> Step<Option<Helped>> {
        let [x, rest @ ..] = args.args.as_slice() else { return Ok(None) };
        if !args.kwargs.is_empty() || !self.is_of_python_class(x) {
            return Ok(None);
        }
        let one = |method: Method| match method {
            Method::Python(method) => Some((method, args.clone())),
            Method::None | Method::Native => None,
        };
        Ok(match (builtin, rest) {
            ("abs", []) => one(self.method(x, "__abs__")?),
            ("iter", []) => self.helped("iterator_of", "__iter__", x, rest)?,
            ("round", [] | [_]) => one(self.method(x, "__round__")?),
            ("next", []) => self.helped("next_of", "__next__", x, rest)?,
            ("str" | "repr", []) => self.text_helper(x, builtin == "repr")?,
            ("len", []) => self.helped("length", "__len__", x, rest)?,
            ("next", [_]) => self.helped("next_or", "__next__", x, rest)?,
            ("bool", []) => match self.helped("truth", "__bool__", x, rest)? {
                Some(call) => Some(call),
                None if matches!(self.method(x, "__bool__")?, Method::None) => {
                    self.helped("is_long", "__len__", x, rest)?
                }
                None => None,
            },
            _ => None,
        })
    }

    /// What is called when an object is.
    pub(crate) fn call_method(&mut self, object: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        if !self.is_of_python_class(object) {
            return Ok(None);
        }
        Ok(match self.method(object, "__call__")? {
            Method::Python(method) => Some(method),
            Method::None | Method::Native => None,
        })
    }

    /// `__getattr__`, if that is what finds an attribute.
    pub(crate) fn fallback(&mut self, object: &PyObjectRef, name: &'static str) -> Step<Option<PyObjectRef>> {
        if !self.is_of_python_class(object) || self.has_user_method(object, &["__getattribute__"]) {
            return Ok(None);
        }
        let Method::Python(method) = self.method(object, "__getattr__")? else { return Ok(None) };
        if self.class_attribute(object, name)?.is_some() {
            return Ok(None);
        }
        let key: PyObjectRef = self.vm.ctx.intern_str(name).to_owned().into();
        let own = object.dict().map_or(Ok(None), |dict| self.read_item(&dict, &key))?;
        Ok((own.is_none() && !self.has_field(object, name)?).then_some(method))
    }

    /// `object.name = value` or `del object.name`, where code written in Python does it: the frame is pushed.
    pub(crate) fn overloaded_store(&mut self, state: &mut State, op: Opcode, index: u32) -> Step<Option<Flow>> {
        let object = object_at(state, 1);
        let value = (op == Opcode::StoreAttr).then(|| object_at(state, 2));
        let pops = 1 + usize::from(value.is_some());
        let name = self.name(state, index);
        let Some((method, args)) = self.store_method(&object, name, value)? else { return Ok(None) };
        state.pop_objs(pops);
        self.call(state, &method, FuncArgs::from(args), Then::Drop).map(Some)
    }

    /// What is called when an attribute is assigned, or deleted without a value, with its arguments: the method of a
    /// property, of a descriptor, or a hook, written in Python.
    fn store_method(
        &mut self,
        object: &PyObjectRef,
        name: &'static str,
        value: Option<PyObjectRef>,
    ) -> Step<Option<(PyObjectRef, Vec<PyObjectRef>)>> {
        let vm = self.vm;
        if !self.is_of_python_class(object) {
            return Ok(None);
        }
        let (hook, of_descriptor, of_property) = match value {
            Some(_) => ("__setattr__", "__set__", "fset"),
            None => ("__delattr__", "__delete__", "fdel"),
        };
        let (method, mut args) = match self.method(object, hook)? {
            Method::Python(method) => (method, vec![object.clone(), vm.ctx.intern_str(name).to_owned().into()]),
            Method::Native => return Ok(None),
            Method::None => {
                let Some(found) = self.class_attribute(object, name)? else { return Ok(None) };
                if found.class().is(vm.ctx.types.property_type) {
                    let accessor = found.get_attr(of_property, vm)?;
                    if vm.is_none(&accessor) && !crate::rep::is_staged(object) {
                        let done = match value {
                            Some(value) => object.set_attr(vm.ctx.intern_str(name), value, vm),
                            None => object.del_attr(vm.ctx.intern_str(name), vm),
                        };
                        return done.map(|()| None).map_err(Stop::Raise);
                    }
                    if !crate::callable::is_function(&accessor, vm) {
                        return Ok(None);
                    }
                    (accessor, vec![object.clone()])
                } else if self.is_of_python_class(&found)
                    && let Method::Python(method) = self.method(&found, of_descriptor)?
                {
                    (method, vec![found, object.clone()])
                } else {
                    return Ok(None);
                }
            }
        };
        args.extend(value);
        Ok(Some((method, args)))
    }

    /// `getattr`, `hasattr`, `setattr` and `delattr` of an object of a class written in Python, with a name that is known.
    pub(crate) fn call_by_name(
        &mut self,
        state: &mut State,
        builtin: &str,
        args: &FuncArgs,
        then: &Then,
    ) -> Step<Option<Flow>> {
        let vm = self.vm;
        let [object, name, rest @ ..] = args.args.as_slice() else { return Ok(None) };
        let number = value::rep(object).and_then(|(_, ty)| value::sample(ty, vm));
        let is_read = matches!(builtin, "getattr" | "hasattr");
        let is_module = is_read && object.downcast_ref_if_exact::<PyModule>(vm).is_some();
        // What their attributes are is guarded, or does not change.
        let is_plain = is_read
            && (number.is_some()
                || object.downcast_ref::<PyType>().is_some()
                || [vm.ctx.types.function_type, vm.ctx.types.builtin_function_or_method_type]
                    .iter()
                    .any(|it| object.class().is(*it)));
        let is_known = is_module || is_plain || self.is_of_python_class(object);
        if !args.kwargs.is_empty() || !is_known || number.is_none() && crate::rep::is_staged(object) {
            return Ok(None);
        }
        let Some(name) = name.downcast_ref_if_exact::<PyStr>(vm) else { return Ok(None) };
        let name = vm.ctx.intern_str(name.to_string_lossy().as_ref()).as_str();
        let (helper, default) = match (builtin, rest) {
            ("setattr", [_]) | ("delattr", []) => {
                let value = rest.first().cloned();
                let Some((method, args)) = self.store_method(object, name, value.clone())? else {
                    self.store_attr(state, object, name, value)?;
                    return Ok(Some(self.finish_call(state, vm.ctx.none(), then.clone())));
                };
                let helper = self.helper_function("done")?;
                let args = std::iter::once(method).chain(args).collect::<Vec<_>>();
                return self.call(state, &helper, args.into(), then.clone()).map(Some);
            }
            ("getattr", []) => (None, None),
            ("getattr", [default]) => (Some("attribute_or"), Some(default.clone())),
            ("hasattr", []) => (Some("has_attribute"), None),
            _ => return Ok(None),
        };
        if let (Some(number), "hasattr") = (&number, builtin) {
            let has = vm.ctx.new_bool(number.get_attr(name, vm).is_ok());
            return Ok(Some(self.finish_call(state, has.into(), then.clone())));
        }
        let method = match self.overloaded_load(object, name)? {
            Some(found) => Some(found),
            None => {
                let name = vm.ctx.intern_str(name);
                let args = || vec![object.clone(), name.to_owned().into()];
                self.fallback(object, name.as_str())?.map(|method| (method, args()))
            }
        };
        if let Some((method, args)) = method {
            let Some(helper) = helper else { return self.call(state, &method, args.into(), then.clone()).map(Some) };
            let helper = self.helper_function(helper)?;
            let args = default.into_iter().chain([method]).chain(args).collect::<Vec<_>>();
            return self.call(state, &helper, args.into(), then.clone()).map(Some);
        }
        let result = match (self.attribute(object, name), helper) {
            (Ok(_), Some("has_attribute")) => vm.ctx.new_bool(true).into(),
            (Ok(value), _) => value,
            (Err(stop), Some(_)) if stop.is_attribute_error(vm) => {
                default.unwrap_or_else(|| vm.ctx.new_bool(false).into())
            }
            // The interpreter reads it.
            (Err(Stop::Refuse(_)), _) if is_plain => return Ok(None),
            (Err(stop), _) => return Err(stop),
        };
        Ok(Some(self.finish_call(state, result, then.clone())))
    }

    /// What is called when an attribute is read, with its arguments: a property, a descriptor or a hook written in Python.
    pub(crate) fn overloaded_load(
        &mut self,
        object: &PyObjectRef,
        name: &'static str,
    ) -> Step<Option<(PyObjectRef, Vec<PyObjectRef>)>> {
        let vm = self.vm;
        if let Some(class) = object.downcast_ref::<PyType>().filter(|it| it.class().is(vm.ctx.types.type_type))
            && !self.is_builtin_class(class)
            && let Some(found) = self.looked_up(&class.to_owned(), name)
            && self.is_of_python_class(&found)
            && let Method::Python(method) = self.method(&found, "__get__")?
        {
            return Ok(Some((method, vec![found, vm.ctx.none(), object.clone()])));
        }
        if !self.is_of_python_class(object) && (self.is_plain(object) || crate::rep::is_staged(object)) {
            return Ok(None);
        }
        let is_instance = self.is_of_python_class(object);
        if is_instance
            && let Method::Python(method) = self.method(object, "__getattribute__")?
            && !self.has_user_method(object, &["__getattr__"])
        {
            return Ok(Some((method, vec![object.clone(), vm.ctx.intern_str(name).to_owned().into()])));
        }
        let Some(found) = self.class_attribute(object, name)? else { return Ok(None) };
        if found.class().is(vm.ctx.types.property_type) {
            let getter = found.get_attr("fget", vm)?;
            return Ok((!vm.is_none(&getter)).then(|| (getter, vec![object.clone()])));
        }
        if !is_instance
            || kind::is_instance(object)
            || !self.is_of_python_class(&found)
            || self.has_user_method(object, &["__getattribute__", "__getattr__"])
        {
            return Ok(None);
        }
        let Method::Python(method) = self.method(&found, "__get__")? else { return Ok(None) };
        let comes_first = self.has_user_method(&found, &["__set__", "__delete__"]);
        let key: PyObjectRef = vm.ctx.intern_str(name).to_owned().into();
        let own = object.dict().filter(|_| !comes_first).map_or(Ok(None), |dict| self.read_item(&dict, &key))?;
        Ok(own.is_none().then(|| (method, vec![found, object.clone(), class_of(object).into()])))
    }

    /// The text of an object inside an f-string, if a method written in Python makes it: the frame is pushed.
    pub(crate) fn overloaded_text(&mut self, state: &mut State, repr: bool) -> Step<Option<Flow>> {
        let object = object_at(state, 1);
        let Some((helper, args)) = self.text_helper(&object, repr)? else { return Ok(None) };
        drop(state.pop());
        self.call(state, &helper, args, Then::Push).map(Some)
    }

    /// What is called for the text of an object, if a method written in Python makes it.
    fn text_helper(&mut self, object: &PyObjectRef, repr: bool) -> Step<Option<Helped>> {
        let Some((method, name)) = self.text_method(object, repr)? else { return Ok(None) };
        let args = vec![method, object.clone(), self.vm.ctx.new_str(name).into()];
        Ok(Some((self.helper_function("text")?, FuncArgs::from(args))))
    }

    /// The method that makes the text of an object, and its name.
    fn text_method(&mut self, object: &PyObjectRef, repr: bool) -> Step<Option<(PyObjectRef, &'static str)>> {
        if !self.is_of_python_class(object) || !repr && !matches!(self.method(object, "__format__")?, Method::None) {
            return Ok(None);
        }
        let names: &[&'static str] = if repr { &["__repr__"] } else { &["__str__", "__repr__"] };
        for name in names {
            match self.method(object, name)? {
                Method::Python(method) => return Ok(Some((method, name))),
                Method::None => {}
                Method::Native => return Ok(None),
            }
        }
        Ok(None)
    }

    fn helped(
        &mut self,
        helper: &str,
        name: &'static str,
        x: &PyObjectRef,
        rest: &[PyObjectRef],
    ) -> Step<Option<Helped>> {
        let Method::Python(method) = self.method(x, name)? else { return Ok(None) };
        let mut args = vec![method, x.clone()];
        args.extend(rest.iter().cloned());
        Ok(Some((self.helper_function(helper)?, FuncArgs::from(args))))
    }

    fn call_truth(&mut self, state: &mut State, x: &PyObjectRef) -> Step<Option<Flow>> {
        let Some((helper, args)) = self.overloaded_builtin("bool", &vec![x.clone()].into())? else {
            return Ok(None);
        };
        drop(state.pop());
        self.call(state, &helper, args, Then::Push).map(Some)
    }

    /// `x + y` and the like: the method of the left operand, then that of the right one, which comes first if its
    /// class is derived from that of the left one.
    fn overloaded_binary(
        &mut self,
        state: &mut State,
        operator: BinaryOperator,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<Option<Flow>> {
        let Some(names) = names_of(operator) else { return Ok(None) };
        if self.is_known_by(x, y) || self.is_known_by(y, x) {
            return Ok(None);
        }
        let (left, right) = (self.method(x, names.left)?, self.method(y, names.right)?);
        let mut attempts = Vec::new();
        let attempt = |method: &PyObjectRef, a: &PyObjectRef, b: &PyObjectRef| Attempt {
            method: method.clone(),
            args: [a.clone(), b.clone()],
            inverted: false,
        };
        if let Some(in_place) = names.in_place {
            match self.method(x, in_place)? {
                Method::Python(method) => attempts.push(attempt(&method, x, y)),
                Method::None => {}
                Method::Native => return Ok(None),
            }
        }
        let same_class = class_of(x).is(&class_of(y));
        let left = match &left {
            Method::Python(method) => Some(attempt(method, x, y)),
            Method::None => None,
            Method::Native => return Ok(None),
        };
        let right = match &right {
            Method::Python(_) if same_class => None,
            Method::Python(method) => Some(attempt(method, y, x)),
            Method::None => None,
            Method::Native => return Ok(None),
        };
        if self.overrides(x, y, names.right) {
            attempts.extend(right.into_iter().chain(left));
        } else {
            attempts.extend(left.into_iter().chain(right));
        }
        let message = format!(
            "unsupported operand type(s) for {}: '{}' and '{}'",
            names.symbol,
            self.class_name(x),
            self.class_name(y)
        );
        let otherwise = self.vm.ctx.new_bool(false).into();
        self.attempt(state, attempts, Some(message), otherwise)
    }

    fn overloaded_comparison(
        &mut self,
        state: &mut State,
        operator: u32,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<Option<Flow>> {
        let vm = self.vm;
        let (name, back, symbol) = COMPARISONS[operator as usize % COMPARISONS.len()];
        if self.is_known_by(x, y) || self.is_known_by(y, x) {
            return Ok(None);
        }
        let mut attempts = Vec::new();
        for (this, other, name) in [(x, y, name), (y, x, back)] {
            let (method, inverted) = match self.method(this, name)? {
                // What `object` has for `!=` asks `==`.
                Method::None if name == "__ne__" => (self.method(this, "__eq__")?, true),
                method => (method, false),
            };
            match method {
                Method::Python(method) => {
                    attempts.push(Attempt { method, args: [this.clone(), other.clone()], inverted });
                }
                Method::None => {}
                Method::Native => return Ok(None),
            }
        }
        let is_equality = matches!(operator, 2 | 3);
        let derived = self.derives(x, y);
        if derived && attempts.len() == 2 {
            attempts.swap(0, 1);
        }
        let message = (!is_equality).then(|| {
            let (a, b) = (self.class_name(x), self.class_name(y));
            format!("'{symbol}' not supported between instances of '{a}' and '{b}'")
        });
        if is_equality && (value::handle(x).is_some() || value::handle(y).is_some()) {
            // Which objects handles are of is asked where no method knows better.
            if attempts.is_empty() {
                return Ok(None);
            }
            let inverted = vm.ctx.new_bool(operator == 3).into();
            let args = vec![steps_of(attempts, vm), x.clone(), y.clone(), inverted];
            let helper = self.helper_function("attempt_or_is")?;
            state.pop_objs(2);
            return self.call(state, &helper, FuncArgs::from(args), Then::Push).map(Some);
        }
        // Where no method knows better, an object is equal to itself.
        let is = self.is_same_record(state, x, y)?;
        let otherwise = if operator == 2 { is } else { self.inverse(state, &is)? };
        if attempts.is_empty() {
            if let Some(message) = message {
                return Err(Stop::Raise(vm.new_type_error(message)));
            }
            state.pop_objs(2);
            state.push(otherwise);
            state.frame_mut().pc += 1;
            return Ok(Some(Flow::Next));
        }
        self.attempt(state, attempts, message, otherwise)
    }

    fn attempt(
        &mut self,
        state: &mut State,
        attempts: Vec<Attempt>,
        message: Option<String>,
        otherwise: PyObjectRef,
    ) -> Step<Option<Flow>> {
        let vm = self.vm;
        let message = message.map_or_else(|| vm.ctx.none(), |it| vm.ctx.new_str(it).into());
        let args: Vec<PyObjectRef> = vec![steps_of(attempts, vm), message, otherwise];
        let helper = self.helper_function("attempt")?;
        state.pop_objs(2);
        self.call(state, &helper, FuncArgs::from(args), Then::Push).map(Some)
    }

    /// Whether an object is an instance of a class written in Python.
    pub(crate) fn is_of_python_class(&self, object: &PyObjectRef) -> bool {
        kind::is_instance(object)
            || rep::class_behind(object).is_some()
            || !self.is_plain(object)
                && !crate::rep::is_staged(object)
                && object.downcast_ref::<PyType>().is_none()
                && object.downcast_ref::<PyModule>().is_none()
    }

    /// What `__iter__` has given must be an iterator.
    pub(crate) fn check_iterator(&mut self, object: &PyObjectRef) -> Step<PyObjectRef> {
        let next = self.vm.ctx.intern_str("__next__");
        let is_iterator = object.downcast_ref::<StagedIterator>().is_some()
            || !crate::rep::is_staged(object) && class_of(object).get_attr(next).is_some();
        if self.is_of_python_class(object) {
            self.guard_object(object);
            self.class_attribute(object, "__next__")?;
        }
        if is_iterator {
            return Ok(object.clone());
        }
        let class = class_of(object).name().to_string();
        Err(Stop::Raise(self.vm.new_type_error(format!("iter() returned non-iterator of type '{class}'"))))
    }

    /// Whether a loop over this object calls its methods.
    pub(crate) fn is_iterable_object(&self, object: &PyObjectRef) -> bool {
        self.is_of_python_class(object) && {
            let found = class_of(object).get_attr(self.vm.ctx.intern_str("__iter__"));
            found.is_some_and(|it| crate::callable::is_function(&it, self.vm))
        }
    }

    /// What an operator finds under this name. What is found is guarded.
    fn method(&mut self, object: &PyObjectRef, name: &'static str) -> Step<Method> {
        if !self.is_of_python_class(object) {
            // Python's own objects know none of the classes written in Python.
            let number = value::number(object, self.vm).is_some() || self.vm.is_none(object);
            let known = [self.vm.ctx.types.str_type, self.vm.ctx.types.tuple_type, self.vm.ctx.types.list_type];
            let plain = number || known.iter().any(|it| object.class().is(*it));
            // A sequence repeats and formats whatever acts as a number or a text.
            return Ok(if plain && (number || observe::COMPARES.contains(&name)) {
                Method::None
            } else {
                Method::Native
            });
        }
        self.guard_object(object);
        let Some(found) = self.class_attribute(object, name)? else { return Ok(Method::None) };
        let types = &self.vm.ctx.types;
        if crate::callable::is_function(&found, self.vm) {
            return Ok(Method::Python(found));
        }
        let default = types.object_type.get_attr(self.vm.ctx.intern_str(name));
        let is_default = default.is_some_and(|it| it.is(&found));
        // The text that `object` makes tells where an object is.
        Ok(if is_default && name != "__repr__" { Method::None } else { Method::Native })
    }

    /// Whether an object is one of a class written in Python whose objects native code takes for what the other one is: a
    /// number, or a sequence of the same class. Then that knows an answer, too, and which one is asked first is intricate.
    fn is_known_by(&self, object: &PyObjectRef, other: &PyObjectRef) -> bool {
        if !self.is_of_python_class(object) || self.is_of_python_class(other) {
            return false;
        }
        let types = &self.vm.ctx.types;
        let class = class_of(object);
        let derives = |classes: &[&'static Py<PyType>]| classes.iter().any(|it| class.fast_issubclass(*it));
        if value::number(other, self.vm).is_some() || other.class().is(types.complex_type) {
            return derives(&[types.int_type, types.float_type, types.complex_type]);
        }
        let other = other.class();
        let same = [types.str_type, types.bytes_type, types.bytearray_type, types.tuple_type, types.list_type];
        same.iter().any(|it| other.is(*it) && class.fast_issubclass(*it))
    }

    /// Whether the class of `y` is derived from another one, that of `x`.
    fn derives(&mut self, x: &PyObjectRef, y: &PyObjectRef) -> bool {
        let (a, b) = (class_of(x), class_of(y));
        self.guards.add_bases(&b);
        let is_known = kind::is_instance(x) || rep::class_behind(x).is_some() || !crate::rep::is_staged(x);
        !a.is(&b) && is_known && b.fast_issubclass(&a)
    }

    /// Whether the class of `y` is derived from that of `x` and has its own method of this name.
    fn overrides(&mut self, x: &PyObjectRef, y: &PyObjectRef, name: &'static str) -> bool {
        let name = self.vm.ctx.intern_str(name);
        self.derives(x, y)
            && match (class_of(x).get_attr(name), class_of(y).get_attr(name)) {
                (Some(a), Some(b)) => !a.is(&b),
                (None, Some(_)) => true,
                (_, None) => false,
            }
    }

    pub(crate) fn class_name(&self, object: &PyObjectRef) -> String {
        match value::rep(object) {
            Some((_, ty)) => scalar::type_name(ty).to_owned(),
            None => class_of(object).name().to_string(),
        }
    }
}

/// What the helpers take that try methods one after the other.
fn steps_of(attempts: Vec<Attempt>, vm: &VirtualMachine) -> PyObjectRef {
    let step = |Attempt { method, args: [a, b], inverted }: Attempt| -> PyObjectRef {
        vm.ctx.new_tuple(vec![method, a, b, vm.ctx.new_bool(inverted).into()]).into()
    };
    vm.ctx.new_tuple(attempts.into_iter().map(step).collect()).into()
}
