//! Builtin functions of Reps.

use rustpython_vm::builtins::{PyDict, PyList, PySet, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::{HostId, Value};
use snekpy_stage::home::Home;
use snekpy_stage::op::{Bit2, Cmp, Const, Num1, Op, Real1};
use snekpy_stage::types::Type;

use crate::capture::checkpoint::Carried;
use crate::capture::observe;
use crate::capture::pool::refuse_rows;
use crate::capture::raise::Failure;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Truth, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::template::Leaves;
use crate::capture::tensor::copied;
use crate::capture::value::{self, Iter, Num, V};
use crate::capture::values::{Abstract, classify};
use crate::exit::HostKind;
use crate::host;
use crate::host::native::NativeCallable;
use crate::kind::{self, Conversion, Kind, Range};
use crate::rep::Named;
use crate::scalar;

impl Session<'_> {
    /// Calls a builtin that knows Reps. `None` if it is another one, or no Rep is concerned.
    pub(crate) fn call_builtin(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        if let Some(result) = self.call_of_kinds(state, callable, args)? {
            return Ok(Some(result));
        }
        match (native, native.builtin(self.vm)) {
            (_, Some("super")) => self.super_of(state, args).map(Some),
            (_, Some("id")) if self.is_new_at_each_call(args)? => {
                self.restart(state)?;
                Err(refuse("S334", "`id` of a staged value").into())
            }
            (_, Some("filter" | "frozenset" | "map" | "set")) => Ok(None),
            (_, Some(name)) => self.call_known(state, callable, name, args),
            (NativeCallable::Method { receiver: Some(this), name, .. }, None)
                if self.is_container(this)
                    && callable.class().is(self.vm.ctx.types.builtin_function_or_method_type) =>
            {
                self.call_container_method(state, callable, this, name, args)
            }
            (NativeCallable::Function { module: "math", name }, None) => self.call_math(state, callable, name, args),
            _ => Ok(None),
        }
    }

    /// Whether a single argument is a number or tuple that compiled code makes anew.
    fn is_new_at_each_call(&self, args: &FuncArgs) -> Step<bool> {
        let [object] = args.args.as_slice() else { return Ok(false) };
        let may_be = value::rep(object).is_some() || object.downcast_ref_if_exact::<PyTuple>(self.vm).is_some();
        Ok(may_be && self.holds_rep(object)?)
    }

    fn is_container(&self, object: &PyObjectRef) -> bool {
        object.downcast_ref_if_exact::<PyList>(self.vm).is_some()
            || object.downcast_ref_if_exact::<PyDict>(self.vm).is_some()
            || object.downcast_ref_if_exact::<PySet>(self.vm).is_some()
    }

    /// `super()` and `super(class, object)`. Without arguments RustPython looks at the frame that runs.
    fn super_of(&mut self, state: &State, args: &FuncArgs) -> Step<PyObjectRef> {
        let vm = self.vm;
        let mut args = args.clone();
        if args.args.is_empty() {
            let frame = state.frame();
            let code = &frame.code.object.code;
            let position = code.freevars.iter().position(|name| name.as_str() == "__class__");
            let class = position.and_then(|it| frame.closure.get(it)).and_then(|it| host::cell::cell_get(it, vm));
            let object = frame.locals.first().and_then(|it| it.as_ref()).and_then(V::object).cloned();
            let object = match object {
                Some(cell) if host::cell::is_cell(&cell, vm) => host::cell::cell_get(&cell, vm),
                other => other,
            };
            let (Some(class), Some(object), true) = (class, object, code.arg_count > 0) else {
                return Err(refuse("S306", "`super()` outside of a method").into());
            };
            args.args.extend([class, object]);
        }
        Ok(vm.ctx.types.super_type.as_object().call(args, vm)?)
    }

    fn call_known(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        name: &str,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let list = args.args.as_slice();
        if name == "print" {
            return self.print(state, callable, args).map(Some);
        }
        let keyword = match name {
            "enumerate" | "sum" if list.len() == 1 => Some("start"),
            "zip" => Some("strict"),
            _ => None,
        };
        if name == "dict" && !args.kwargs.is_empty() {
            return self.dict_with_names(list, args);
        }
        let takes_key = matches!(name, "min" | "max" | "sorted");
        if !takes_key && args.kwargs.keys().any(|given| given.as_str().ok() != keyword) {
            // Python says what is wrong with it.
            return Ok(None);
        }
        match (name, list) {
            ("iter", [object]) => {
                let iter = self.iter(state, object)?;
                return Ok(Some(self.share(iter)));
            }
            ("slice", [stop]) => return Ok(Some(self.slice(None, stop, None))),
            ("slice", [start, stop]) => return Ok(Some(self.slice(Some(start), stop, None))),
            ("slice", [start, stop, step]) => return Ok(Some(self.slice(Some(start), stop, Some(step)))),
            ("enumerate", [object] | [object, _]) => {
                let count = match list.get(1).or_else(|| args.kwargs.get("start")) {
                    Some(count) => count.clone(),
                    None => vm.ctx.new_int(0).into(),
                };
                let count = match self.number(&count)? {
                    Some(num) if num.ty() == Type::I64 => count,
                    Some(Num::Static(Const::Bool(it))) => vm.ctx.new_int(i64::from(it)).into(),
                    Some(num) if num.ty() == Type::Bool => {
                        let value = self.as_int(state, num);
                        self.rep(value)
                    }
                    _ => return Err(refuse("S338", format!("`enumerate` from a `{}`", count.class_name())).into()),
                };
                let inner = Box::new(self.hidden_iter(state, object)?);
                return Ok(Some(self.share(Iter::Enumerate { inner, count })));
            }
            ("zip", objects) => {
                let strict = match args.kwargs.get("strict") {
                    Some(strict) if strict.class().is(vm.ctx.types.bool_type) => self.decide(state, strict)?,
                    Some(_) => return Ok(None),
                    None => false,
                };
                let mut inners = Vec::new();
                for object in objects {
                    inners.push(self.hidden_iter(state, object)?);
                }
                return Ok(Some(self.share(Iter::Zip { inners, strict })));
            }
            ("reversed", [object]) => return self.reversed(state, object).map(Some),
            ("next", [object] | [object, _]) => {
                if !matches!(classify(object, vm), Abstract::Iterator) {
                    return Ok(None);
                }
                let mut iter = Iter::Shared(object.clone());
                return match (self.next(state, &mut iter)?, list.get(1)) {
                    (Some(item), _) => Ok(Some(item)),
                    (None, Some(default)) => Ok(Some(default.clone())),
                    (None, None) => Err(Stop::Raise(vm.new_stop_iteration(None))),
                };
            }
            ("tuple" | "list", [object]) => {
                let items = self.items_of(state, object)?;
                return Ok(Some(if name == "tuple" {
                    vm.ctx.new_tuple(items).into()
                } else {
                    self.made(vm.ctx.new_list(items).into())
                }));
            }
            ("len", [object]) => return self.length(state, object).map(Some),
            ("str", [object]) => return self.format(object, Conversion::Str, None).map(Some),
            ("repr", [object]) => return self.format(object, Conversion::Repr, None).map(Some),
            ("format", [object]) => return self.format(object, Conversion::None, None).map(Some),
            ("format", [object, spec]) => {
                return self.format(object, Conversion::None, Some(spec.clone())).map(Some);
            }
            ("bool", [object]) => {
                return Ok(Some(match self.truth(state, object)? {
                    Truth::Known(it) => vm.ctx.new_bool(it).into(),
                    Truth::Staged(it) => self.rep(it),
                }));
            }
            ("type", [object]) => {
                self.guard_object(object);
                let sample = match classify(object, vm) {
                    Abstract::Number(Num::Staged(_, ty)) => value::sample(ty, vm),
                    _ => None,
                };
                let class = sample.map(|it| it.class().to_owned()).or_else(|| kind::class(object, vm));
                if class.is_none() && crate::rep::is_staged(object) {
                    return Err(refuse("S333", format!("`type` of a `{}`", object.class_name())).into());
                }
                return Ok(Some(class.unwrap_or_else(|| object.class().to_owned()).into()));
            }
            ("callable", [object]) if self.is_of_python_class(object) => {
                self.guard_object(object);
                let is = self.class_attribute(object, "__call__")?.is_some();
                return Ok(Some(vm.ctx.new_bool(is).into()));
            }
            ("isinstance", [object, class]) => {
                let is = self.is_instance(object, class)?;
                return Ok(Some(vm.ctx.new_bool(is).into()));
            }
            ("issubclass", [derived, class]) => {
                let is = self.is_subclass(derived, class)?;
                return Ok(Some(vm.ctx.new_bool(is).into()));
            }
            ("any" | "all", [_, _, ..]) | ("sum", [_, _, _, ..]) => return Ok(None),
            ("sum" | "any" | "all" | "min" | "max" | "sorted", [first, ..]) => {
                let staged = list.iter().map(|it| self.holds_rep(it)).collect::<Step<Vec<bool>>>()?;
                if !staged.contains(&true) {
                    return self.refuse_user_code(callable, args).map(|()| None);
                }
                if !(args.kwargs.is_empty() || name == "sum" && args.kwargs.contains_key("start")) {
                    return Err(refuse("S330", format!("`{name}` of staged values with keyword arguments")).into());
                }
                return match name {
                    "sum" => self.sum(state, first, list.get(1).or_else(|| args.kwargs.get("start"))).map(Some),
                    "any" | "all" => self.any_all(state, first, name == "any").map(Some),
                    "min" | "max" => self.extreme(state, list, name == "min").map(Some),
                    _ => Err(refuse("S331", "`sorted` of staged values").into()),
                };
            }
            _ => {}
        }
        let mut staged = false;
        for arg in list {
            staged |= self.holds_rep(arg)?;
        }
        if !staged {
            return Ok(None);
        }
        if !args.kwargs.is_empty() {
            return Err(refuse("S330", format!("`{name}` of staged values with keyword arguments")).into());
        }
        self.call_staged(state, callable, name, list).map(Some)
    }

    /// `dict(x, name=value)`.
    pub(crate) fn dict_with_names(&mut self, given: &[PyObjectRef], args: &FuncArgs) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let dict = vm.ctx.new_dict();
        match given {
            [] => {}
            [more] if more.downcast_ref_if_exact::<PyDict>(vm).is_some() => {
                self.guard_contents(more)?;
                self.refuse_grown(more, "`dict` with the items")?;
                for (key, value) in more.downcast_ref::<PyDict>().expect("it is one").items_vec() {
                    dict.set_item(&*key, value, vm)?;
                }
            }
            _ => return Ok(None),
        }
        for (name, value) in &args.kwargs {
            dict.set_item(vm.ctx.intern_str(&*name.to_string_lossy()), value.clone(), vm)?;
        }
        Ok(Some(self.made(dict.into())))
    }

    /// A key function and the like would run user code in a native call.
    fn refuse_user_code(&self, callable: &PyObjectRef, args: &FuncArgs) -> Step<()> {
        match args.kwargs.contains_key("key") {
            true => Err(refuse(
                "S332",
                format!("`{}` with a key function", callable.get_attr("__name__", self.vm)?.str(self.vm)?),
            )
            .into()),
            false => Ok(()),
        }
    }

    fn call_staged(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        match (name, args) {
            ("range", [..]) => return self.range(state, callable, args),
            ("divmod", [x, y]) if self.number(x)?.is_none() || self.number(y)?.is_none() => {
                let plain = [x, y].iter().all(|it| self.is_plain(it) || value::rep(it).is_some());
                return Err(match plain.then(|| callable.call((self.stand_for(x), self.stand_for(y)), vm)) {
                    Some(Err(exception)) => Stop::Raise(exception),
                    Some(Ok(_)) | None => refuse("S333", "`divmod` of these staged values").into(),
                });
            }
            ("divmod", [x, y]) => {
                use rustpython_vm::bytecode::oparg::BinaryOperator;
                let q = self.binary(state, BinaryOperator::FloorDivide, false, x, y)?;
                let r = self.binary(state, BinaryOperator::Remainder, false, x, y)?;
                return Ok(vm.ctx.new_tuple(vec![q, r]).into());
            }
            ("pow", [x, y, z])
                if [x, y, z].iter().all(|it| value::number(it, vm).is_some_and(|num| num.ty() != Type::F64)) =>
            {
                return self.compute(state, callable, args, Type::I64);
            }
            ("pow", [x, y]) => {
                return self.binary(state, rustpython_vm::bytecode::oparg::BinaryOperator::Power, false, x, y);
            }
            _ => {}
        }
        let Some(num @ Num::Staged(_, ty)) = args.first().map(|it| self.number(it)).transpose()?.flatten() else {
            return Err(refuse("S333", format!("`{name}` of these staged values")).into());
        };
        let x = &args[0];
        match (name, args.len()) {
            ("int", 1) if ty == Type::F64 => {
                let value = self.lift(state, num);
                self.whole(state, value, None, x, callable)
            }
            ("int", 1) => {
                let value = self.as_int(state, num);
                Ok(self.rep(value))
            }
            ("float", 1) => {
                let value = self.as_float(state, num);
                Ok(self.rep(value))
            }
            ("abs", 1) => {
                let value = if ty == Type::F64 { self.lift(state, num) } else { self.as_int(state, num) };
                let value = self.value(state, Op::Num1(Num1::Abs), &[value]);
                Ok(self.rep(value))
            }
            ("round", 1) if ty == Type::F64 => {
                let value = self.lift(state, num);
                self.whole(state, value, Some(Real1::RoundEven), x, callable)
            }
            ("round", 1) => {
                let value = self.as_int(state, num);
                Ok(self.rep(value))
            }
            ("round", 2) if vm.is_none(&args[1]) => self.call_staged(state, callable, name, &args[..1]),
            ("round", 2) if ty == Type::F64 && self.number(&args[1])?.is_some() => {
                self.compute(state, callable, args, Type::F64)
            }
            ("hash" | "id", _) => Err(refuse("S334", format!("`{name}` of a staged value")).into()),
            _ => self.call_with_sample(callable, name, args),
        }
    }

    /// A builtin that takes operands of no such types says so itself. What else it raises depends on their values.
    fn call_with_sample(&mut self, callable: &PyObjectRef, name: &str, args: &[PyObjectRef]) -> Step<PyObjectRef> {
        let vm = self.vm;
        let sample = |it: &PyObjectRef| match value::rep(it) {
            Some((_, ty)) => value::sample(ty, vm),
            None => Some(it.clone()),
        };
        let samples: Option<Vec<PyObjectRef>> = args.iter().map(sample).collect();
        let accepted = [
            "chr", "ord", "bin", "hex", "oct", "complex", "bytes", "open", "input", "exec", "eval", "setattr",
            "getattr",
        ];
        if let Some(samples) = samples
            && !accepted.contains(&name)
            && crate::host::pure::is_pure_native(callable, vm)
            && let Err(exception) = callable.call(FuncArgs::from(samples), vm)
            && exception.class().is(vm.ctx.exceptions.type_error)
        {
            return Err(Stop::Raise(exception));
        }
        Err(refuse("S333", format!("`{name}` of a staged value cannot be staged yet")).into())
    }

    /// Calls a native function at run time that gives a number of a known type and has no effects.
    pub(super) fn compute(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        args: &[PyObjectRef],
        result: Type,
    ) -> Step<PyObjectRef> {
        let name = callable.get_attr("__name__", self.vm)?.str(self.vm)?.to_string_lossy().into_owned();
        if self.rules.detached && self.is_guarded(state) {
            return Err(refuse("S420", format!("`{name}` of a staged value inside `try`")).into());
        }
        self.call_at_run_time(state, &name, callable, args, result, false)
    }

    /// A native function is called when the code runs, and gives a number.
    pub(crate) fn call_at_run_time(
        &mut self,
        state: &State,
        name: &str,
        callable: &PyObjectRef,
        args: &[PyObjectRef],
        result: Type,
        has_effects: bool,
    ) -> Step<PyObjectRef> {
        let mut leaves = Leaves::default();
        let args = self.templates(args, &mut leaves)?;
        refuse_rows(&leaves)?;
        let kind = HostKind::Compute { callable: callable.clone(), args, result };
        let host = self.host(name, leaves.types.clone(), vec![result], kind);
        // What has no effects is called again by plain Python.
        let waits = if has_effects { self.waiting(state, &Then::Push)? } else { None };
        let value = self.call_host(state, host, leaves, waits)[0];
        Ok(self.rep(value))
    }

    fn print(&mut self, state: &mut State, callable: &PyObjectRef, args: &FuncArgs) -> Step<PyObjectRef> {
        let vm = self.vm;
        let mut leaves = Leaves::default();
        self.printable(state, args)?;
        let templates = self.templates(&args.args, &mut leaves)?;
        let mut kwargs = Vec::new();
        for (name, object) in &args.kwargs {
            kwargs.push((name.to_string(), self.template(object, &mut leaves)?));
        }
        refuse_rows(&leaves)?;
        if self.rules.detached && self.is_guarded(state) && args.kwargs.contains_key("file") {
            return Err(refuse("S420", "`print` to a file inside `try`").into());
        }
        let host = self.host(
            "print",
            leaves.types.clone(),
            Vec::new(),
            HostKind::Call { callable: callable.clone(), args: templates, kwargs },
        );
        let waits = self.waiting(state, &Then::Push)?;
        self.call_host(state, host, leaves, waits);
        Ok(vm.ctx.none())
    }

    /// Calls a function of the host, which raises in this frame state.
    pub(crate) fn call_host(
        &mut self,
        state: &State,
        host: HostId,
        leaves: Leaves,
        waits: Option<Carried>,
    ) -> Vec<Value> {
        let mut args = leaves.values;
        let exit = waits.map(|(exit, values)| {
            args.extend(values);
            exit
        });
        self.emit(state, Op::Host(host, exit), &args)
    }

    /// What is printed at run time must not run code of the program, which could see the world before this call
    /// has changed it, or change what was read.
    fn printable(&mut self, state: &mut State, args: &FuncArgs) -> Step<()> {
        let vm = self.vm;
        let stdout: PyObjectRef = vm.ctx.intern_str("stdout").to_owned().into();
        let target = match args.kwargs.get("file").filter(|it| !vm.is_none(it)) {
            Some(file) => Some(file.clone()),
            None => match vm.sys_module.as_object().dict() {
                Some(dict) => self.read_item(&dict, &stdout)?,
                None => None,
            },
        };
        if target.is_some_and(|it| !self.is_plain(&it)) {
            return Err(refuse("S336", "`print` to a file object written in Python").into());
        }
        let changes = !self.effects(state, &mut Leaves::default())?.is_empty();
        let mut left: Vec<PyObjectRef> = args.args.iter().chain(args.kwargs.values()).cloned().collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(object) = left.pop() {
            if crate::tensor::of(&object).is_some_and(|it| it.home().is_some_and(Home::is_there)) {
                return Err(copied().into());
            }
            if kind::is_instance(&object) && self.has_user_method(&object, observe::SHOWS) {
                let class = crate::rep::class_of(&object);
                return Err(refuse("S336", format!("printing a `{}` calls its method", class.name())).into());
            }
            if crate::rep::is_staged(&object) || self.never_changes(&object) || !seen.insert(object.get_id()) {
                continue;
            }
            if !self.is_plain(&object) && self.has_user_method(&object, observe::SHOWS) {
                return Err(refuse("S336", format!("printing a `{}` calls its method", object.class_name())).into());
            }
            let inside = observe::inside(&object, vm);
            if changes && !self.is_fresh(&object) && object.downcast_ref::<PyTuple>().is_none() {
                return Err(refuse("S337", "printing an object of the world after changing one")
                    .help("print its items")
                    .into());
            }
            left.extend(inside);
        }
        Ok(())
    }

    fn range(&mut self, state: &mut State, callable: &PyObjectRef, args: &[PyObjectRef]) -> Step<PyObjectRef> {
        let vm = self.vm;
        let args = &args.iter().map(|it| self.index_of_tensor(state, it)).collect::<Step<Vec<_>>>()?[..];
        for arg in args {
            match self.number(arg)? {
                Some(num) if num.ty() != Type::F64 => {}
                Some(Num::Staged(_, Type::F64)) if args.len() == 1 => {
                    return self.call_with_sample(callable, "range", args);
                }
                Some(_) | None => return Err(refuse("S338", format!("`range` of a `{}`", arg.class_name())).into()),
            }
        }
        let (zero, one): (PyObjectRef, PyObjectRef) = (vm.ctx.new_int(0).into(), vm.ctx.new_int(1).into());
        let (start, stop, step) = match args {
            [stop] => (zero, stop.clone(), one),
            [start, stop] => (start.clone(), stop.clone(), one),
            [start, stop, step] => (start.clone(), stop.clone(), step.clone()),
            _ => return self.call_with_sample(callable, "range", args),
        };
        let mut parts = Vec::new();
        for part in [&start, &stop, &step] {
            // A truth value counts as an integer from here on.
            let num = self.number(part)?.expect("it was a number above");
            parts.push(match num {
                Num::Staged(_, Type::Bool) => {
                    let value = self.as_int(state, num);
                    self.rep(value)
                }
                _ => part.clone(),
            });
        }
        let message = || vm.new_value_error("range() arg 3 must not be zero");
        match self.number(&step)? {
            Some(Num::Static(Const::I64(0))) => return Err(Stop::Raise(message())),
            Some(num @ Num::Staged(..)) => {
                let (value, zero) = (self.as_int(state, num), self.int(state, 0));
                let holds = self.cmp(state, Cmp::Ne, value, zero);
                self.check(state, holds, Failure::Raise(message()))?;
            }
            _ => {}
        }
        let [start, stop, step] = <[PyObjectRef; 3]>::try_from(parts).expect("three in, three out");
        Ok(Kind::from(Range { start, stop, step }).object(vm))
    }

    fn reversed(&mut self, state: &mut State, object: &PyObjectRef) -> Step<PyObjectRef> {
        let it = self.classify(object)?;
        if let Some(staged) = it.staged()
            && let Some(iter) = staged.reversed(&mut self.at(state, object))?
        {
            return Ok(self.share(iter));
        }
        let left = match it {
            Abstract::Tuple(tuple) => tuple.len(),
            Abstract::List(list) => list.borrow_vec().len(),
            Abstract::Text(text) => text.char_len(),
            Abstract::Range(range) => {
                let iter = self.reversed_range(state, &Range::of_numbers(range), object)?;
                return Ok(self.share(iter));
            }
            Abstract::Array(_) | Abstract::Number(Num::Staged(..)) => {
                let refused = refuse("S339", "`reversed` of a staged value");
                return Err(refused.help("loop over `range(len(x) - 1, -1, -1)`").into());
            }
            _ => return Err(refuse("S339", format!("`reversed` of a `{}`", object.class_name())).into()),
        };
        Ok(self.share(Iter::Back { items: object.clone(), left }))
    }

    /// An iterator over a range from its end.
    pub(crate) fn reversed_range(&mut self, state: &mut State, range: &Range, object: &PyObjectRef) -> Step<Iter> {
        use rustpython_vm::bytecode::oparg::BinaryOperator;
        let vm = self.vm;
        let Range { start, stop, step } = range;
        if let Some(Num::Static(Const::I64(by @ (1 | -1)))) = self.number(step)? {
            let by_object: PyObjectRef = vm.ctx.new_int(by).into();
            let next = self.binary(state, BinaryOperator::Subtract, false, stop, &by_object)?;
            let stop = self.binary(state, BinaryOperator::Subtract, false, start, &by_object)?;
            return Ok(Iter::Range { next, stop, step: value::Step::Static(-by) });
        }
        if [start, stop, step].iter().any(|it| value::rep(it).is_some()) {
            return Err(refuse("S339", "`reversed` of a staged range whose step is not 1").into());
        }
        let reversed = crate::config::builtin("reversed", vm)?.call((object.clone(),), vm)?;
        let items: Vec<PyObjectRef> = reversed.try_to_value(vm)?;
        Ok(Iter::Seq { items: vm.ctx.new_tuple(items).into(), index: 0 })
    }

    fn sum(&mut self, state: &mut State, object: &PyObjectRef, start: Option<&PyObjectRef>) -> Step<PyObjectRef> {
        use rustpython_vm::bytecode::oparg::BinaryOperator;
        if start.is_some_and(|it| value::number(it, self.vm).is_none()) {
            return Err(refuse("S333", "`sum` that starts with something that is no number").into());
        }
        let items = self.items_of(state, object)?;
        let mut total = start.cloned().unwrap_or_else(|| self.vm.ctx.new_int(0).into());
        let floats =
            items.iter().chain([&total]).any(|it| value::number(it, self.vm).is_some_and(|num| num.ty() == Type::F64));
        if floats && sum_compensates(self.vm) {
            return Err(refuse("S340", "`sum` of staged floats, which Python adds with compensation")
                .help("write the loop")
                .into());
        }
        for item in items {
            total = self.binary(state, BinaryOperator::Add, false, &total, &item)?;
        }
        Ok(total)
    }

    fn any_all(&mut self, state: &mut State, object: &PyObjectRef, any: bool) -> Step<PyObjectRef> {
        let vm = self.vm;
        let mut iter = self.iter(state, object)?;
        if matches!(iter, Iter::Shared(_)) {
            return Err(refuse("S341", "`any` or `all` of an iterator").help("use a list").into());
        }
        let items = self.drain(state, &mut iter)?;
        let mut all: Option<Value> = None;
        for item in items {
            match self.truth(state, &item)? {
                Truth::Known(it) if it == any => return Ok(vm.ctx.new_bool(any).into()),
                Truth::Known(_) => {}
                Truth::Staged(it) => {
                    let op = if any { Bit2::Or } else { Bit2::And };
                    all = Some(match all {
                        Some(all) => self.value(state, Op::Bit2(op), &[all, it]),
                        None => it,
                    });
                }
            }
        }
        Ok(all.map_or_else(|| vm.ctx.new_bool(!any).into(), |all| self.rep(all)))
    }

    /// `min` and `max`: the first of equals, and its own class.
    fn extreme(&mut self, state: &mut State, args: &[PyObjectRef], smallest: bool) -> Step<PyObjectRef> {
        let items = match args {
            [one] => self.items_of(state, one)?,
            several => several.to_vec(),
        };
        let Some(first) = items.first() else {
            let name = if smallest { "min" } else { "max" };
            return Err(Stop::Raise(self.vm.new_value_error(format!("{name}() iterable argument is empty"))));
        };
        let mut best = first.clone();
        for item in &items[1..] {
            let cmp = if smallest { Cmp::Lt } else { Cmp::Gt };
            let better = self.compare_any(state, cmp, item, &best)?;
            let (a, b) = (self.number(item)?, self.number(&best)?);
            best = match (self.truth(state, &better)?, a, b) {
                (Truth::Known(true), ..) => item.clone(),
                (Truth::Known(false), ..) => best,
                (Truth::Staged(cond), Some(a), Some(b)) if a.ty() == b.ty() => {
                    let (a, b) = (self.lift(state, a), self.lift(state, b));
                    let picked = self.value(state, Op::Select, &[cond, a, b]);
                    self.rep(picked)
                }
                (Truth::Staged(cond), ..) => {
                    if self.ask(state, cond)? {
                        item.clone()
                    } else {
                        best
                    }
                }
            };
        }
        Ok(best)
    }
}

/// Whether `sum` of floats is more exact than adding them one by one (as in CPython 3.12 and later).
fn sum_compensates(vm: &rustpython_vm::VirtualMachine) -> bool {
    let floats: Vec<PyObjectRef> = [0.1; 10].iter().map(|it| vm.ctx.new_float(*it).into()).collect();
    let sum = crate::config::builtin("sum", vm).and_then(|sum| sum.call((vm.ctx.new_list(floats),), vm));
    sum.ok().and_then(|sum| scalar::constant(&sum, vm)) == Some(Const::F64(1.0))
}
