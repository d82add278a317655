//! Builtins and operators that are loops over a number of items that is known only later: they become calls of
//! functions written in Python, which capture follows like any other code.
//!
//! They are `sum`, `sorted` (by a key, too), slices, `in` and `==` of lists, `map`, `zip` of generators,
//! `functools.reduce`, the iterators of `itertools` (`helpers.py`, `library.py`). `helper` looks at the
//! callable and its arguments and gives a function of that file to call instead. A helper does what RustPython does, in
//! the same order and with the same words.
//!
//! No traceback shows a helper's frame: such a call is left at the instruction that calls it, with the real builtin as
//! the callable; inside only for a result past 64 bits, and its frame is taken out of tracebacks. A generator of a
//! helper that escapes is rebuilt as the builtin it stands for (`stood_for`), or goes on where nothing but its items
//! is seen. Objects that would betray a helper (a `partial`, a bound method of one) cannot leave staged code (S224).

use rustpython_vm::builtins::{PyList, PySlice};
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, VirtualMachine};

use crate::capture::list::{ItemType, KNOWN_ONE_BY_ONE};
use crate::capture::observe;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::{Flow, object_at, refuse};
use crate::capture::stop::Step;
use crate::capture::value::{self, Iter, V};
use crate::capture::values::{Abstract, classify};
use crate::code::{Code, Instr, is_helper};
use crate::helper;
use crate::host;
use crate::host::native::NativeCallable;
use crate::kind::{self, Kind, Range, Representation, Tuple};
use crate::rep::StagedIterator;

/// Whether a path is at a loop that is one step of plain Python: one of a builtin, over items that come without running
/// code of the program.
pub(crate) fn is_one_step(state: &State, vm: &VirtualMachine) -> bool {
    fn is_plain(iter: &Iter) -> bool {
        match iter {
            Iter::Range { .. }
            | Iter::Seq { .. }
            | Iter::Back { .. }
            | Iter::Members { .. }
            | Iter::Array { .. }
            | Iter::Items { .. }
            | Iter::Entries { .. }
            | Iter::Over { .. }
            | Iter::Empty(_) => true,
            Iter::Enumerate { inner, .. } => is_plain(inner),
            Iter::Zip { inners, .. } => inners.iter().all(is_plain),
            Iter::Shared(_) | Iter::Running | Iter::Generator { .. } => false,
        }
    }
    let Some(frame) = state.frames.last() else { return false };
    is_helper(&frame.code.object)
        && frame.stack.iter().all(|entry| match entry {
            V::Iter(iter) => is_plain(iter),
            V::Obj(object) => !host::resume::is_code_of_the_program(object, vm),
            V::Null => true,
        })
}

/// What is called instead of something else, with its arguments.
pub(crate) type Helped = (PyObjectRef, FuncArgs);

impl Session<'_> {
    /// What is called instead of native code, with its arguments.
    pub(crate) fn helper(
        &mut self,
        state: &mut State,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Step<Option<Helped>> {
        let mut helped = self.helper_of(state, native, args)?;
        if let Some((_, args)) = &mut helped {
            self.stage_ranges(state, &mut args.args)?;
        }
        Ok(helped)
    }

    fn helper_of(&mut self, state: &mut State, native: &NativeCallable, args: &FuncArgs) -> Step<Option<Helped>> {
        match (native, native.builtin(self.vm)) {
            (NativeCallable::Method { receiver: Some(receiver), name, .. }, _) => {
                self.helper_for_method(receiver, name, args)
            }
            (_, Some(builtin)) => match self.overloaded_builtin(builtin, args)? {
                Some(call) => Ok(Some(call)),
                None => self.helper_for_builtin(builtin, args),
            },
            _ => self.library_helper(state, native, args),
        }
    }

    /// The same for a method of a list, dict or set.
    fn helper_for_method(&mut self, receiver: &PyObjectRef, name: &str, args: &FuncArgs) -> Step<Option<Helped>> {
        if let Some(call) = self.helper_for_join(receiver, name, args)? {
            return Ok(Some(call));
        }
        if crate::capture::heap::read(receiver, self.vm).is_none() {
            return Ok(None);
        }
        if receiver.downcast_ref_if_exact::<PyList>(self.vm).is_some() {
            return self.method_helper(receiver, name, args);
        }
        if !args.kwargs.is_empty() {
            return Ok(None);
        }
        let Some((name, args)) = self.member_method(receiver, name, &args.args) else { return Ok(None) };
        for object in &args {
            self.guard_contents(object)?;
        }
        Ok(Some((self.helper_function(name)?, FuncArgs::from(args))))
    }

    /// The same for a builtin.
    fn helper_for_builtin(&mut self, builtin: &str, args: &FuncArgs) -> Step<Option<Helped>> {
        let [first, rest @ ..] = args.args.as_slice() else { return Ok(None) };
        if matches!(builtin, "list" | "sorted" | "tuple") && self.tells_its_length(first)? {
            return Err(refuse("S270", "a builtin asks an object how long it is before it iterates over it").into());
        }
        let no_names = args.kwargs.is_empty();
        let only = |name: &str| args.kwargs.keys().all(|it| it.to_string_lossy() == name);
        let helper = match (builtin, rest) {
            ("map" | "filter", [_, ..]) if no_names && self.iterates(rest)? => builtin,
            ("zip", _)
                if no_names && args.args.iter().any(|it| self.is_generator(it)) && self.iterates(&args.args)? =>
            {
                "zip_generators"
            }
            ("enumerate", [] | [_]) if no_names && self.is_generator(first) => "enumerate_generator",
            ("list" | "set", []) if no_names && self.is_long(first) => builtin,
            ("list", []) if no_names && self.as_text(first).is_some() => builtin,
            ("tuple", []) if no_names && self.is_long(first) => "tuple_of",
            ("dict", [])
                if no_names && matches!(classify(first, self.vm), Abstract::Map(map) if map.ty.value.is_some()) =>
            {
                "copy_dict"
            }
            ("min" | "max", []) if let Some(key) = self.only_key(args) => {
                let helper = self.helper_function(if builtin == "min" { "min_by" } else { "max_by" })?;
                return Ok(Some((helper, FuncArgs::from(vec![first.clone(), key]))));
            }
            ("sorted", []) if let Some(args) = self.key_and_order(first, args)? => {
                return Ok(Some((self.helper_function("sorted_by")?, args)));
            }
            ("next", [] | [_]) if no_names && self.is_generator(first) => {
                if rest.is_empty() {
                    "next_item"
                } else {
                    "next_item_or"
                }
            }
            ("sum", _) if rest.len() + args.kwargs.len() <= 1 && only("start") => {
                // What it starts with must be a number: about text Python has its own words.
                let start = rest.first().or_else(|| args.kwargs.get("start"));
                let counts = start.map_or(Ok(true), |it| self.number(it).map(|num| num.is_some()))?;
                if !counts || !self.loops_over(builtin, first) {
                    return Ok(None);
                }
                builtin
            }
            ("reversed", [])
                if no_names
                    && (value::rep(first).is_some_and(|(_, ty)| ty.as_array().is_some())
                        || self.holds_instance(first)) =>
            {
                builtin
            }
            ("any" | "all" | "min" | "max", []) if no_names && self.loops_over(builtin, first) => builtin,
            ("min" | "max", []) if let Some(default) = args.kwargs.get("default") => {
                let is_staged = observe::is_sequence(first, self.vm) && self.holds_rep(first)?;
                let loops = is_staged || self.is_generator(first) || self.loops_over(builtin, first);
                if !only("default") || !loops {
                    return Ok(None);
                }
                let helper = self.helper_function(builtin)?;
                return Ok(Some((helper, FuncArgs::from(vec![first.clone(), default.clone()]))));
            }
            ("sorted", []) if only("reverse") => {
                let sorts = observe::is_sequence(first, self.vm) && self.holds_rep(first)? && self.sorts_alike(first);
                if !sorts && !self.loops_over(builtin, first) {
                    return Ok(None);
                }
                builtin
            }
            _ => return Ok(None),
        };
        Ok(Some((self.helper_function(helper)?, args.clone())))
    }

    /// Whether a builtin runs a loop of the compiled code over an object.
    fn loops_over(&self, builtin: &str, object: &PyObjectRef) -> bool {
        self.is_long(object)
            || builtin != "sorted" && crate::tensor::of(object).is_some()
            || self.holds_instance(object)
    }

    /// The key function, if that is all that a builtin is given by name.
    fn only_key(&self, args: &FuncArgs) -> Option<PyObjectRef> {
        let key = args.kwargs.get("key").filter(|_| args.kwargs.len() == 1)?;
        (!self.vm.is_none(key)).then(|| key.clone())
    }

    /// What helpers call that no Python does. `None` if it is nothing of this.
    pub(crate) fn step_of_helper(
        &mut self,
        state: &mut State,
        name: &str,
        given: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        match (name, given) {
            ("sort_by_keys", [items, keys, reverse]) => self.sort_by_keys(state, items, keys, reverse).map(Some),
            ("check_iterator", [object]) => self.check_iterator(object).map(Some),
            ("frozen", [items]) => self.frozen(items).map(Some),
            ("text_parts", [item]) => self.text_parts(state, item).map(Some),
            ("number_in", [part]) => Ok(Some(self.vm.ctx.new_bool(value::rep(part).is_some()).into())),
            ("text_of", [characters]) => self.text_of(state, characters).map(Some),
            (name, given) => self.custom_step(state, name, given),
        }
    }

    /// A tuple of the items of a list that nothing else holds.
    fn frozen(&mut self, list: &PyObjectRef) -> Step<PyObjectRef> {
        if let Abstract::Items(_) = classify(list, self.vm) {
            return Ok(Kind::from(Tuple { items: list.clone() }).object(self.vm));
        }
        let items = list.downcast_ref::<PyList>().map(|it| it.borrow_vec().to_vec()).unwrap_or_default();
        Ok(self.vm.ctx.new_tuple(items).into())
    }

    /// What is called for `zip(*rows)`, if it is a list of the compiled code whose items are lists or tuples.
    pub(crate) fn zip_of_rows(&mut self, callable: &PyObjectRef, rows: &PyObjectRef) -> Step<Option<Helped>> {
        if !self.is_builtin(callable, "zip") {
            return Ok(None);
        }
        let Abstract::Items(staged) = classify(rows, self.vm) else { return Ok(None) };
        let (name, args) = match &staged.items {
            ItemType::Number(_) | ItemType::Made(_) => return Ok(None),
            ItemType::List(_) => ("zip_lists", vec![rows.clone()]),
            ItemType::Tuple(parts) => ("zip_tuples", vec![rows.clone(), self.vm.ctx.new_int(parts.len()).into()]),
        };
        self.guard_contents(rows)?;
        Ok(Some((self.helper_function(name)?, FuncArgs::from(args))))
    }

    /// Whether code of the program says how many items an object has.
    fn tells_its_length(&mut self, object: &PyObjectRef) -> Step<bool> {
        if !self.is_of_python_class(object) {
            return Ok(false);
        }
        Ok(self.has_user_method(object, &["__len__", "__length_hint__"]))
    }

    /// The arguments of a helper that sorts by a key, if the arguments of a builtin that sorts give one.
    fn key_and_order(&self, items: &PyObjectRef, args: &FuncArgs) -> Step<Option<FuncArgs>> {
        let Some(key) = args.kwargs.get("key").filter(|it| !self.vm.is_none(it)) else { return Ok(None) };
        let is_known = args.kwargs.keys().all(|it| matches!(&*it.to_string_lossy(), "key" | "reverse"));
        let sorts = self.is_long(items) || observe::is_sequence(items, self.vm) && self.holds_rep(items)?;
        if !is_known || !sorts {
            return Ok(None);
        }
        let mut new = vec![items.clone(), key.clone()];
        new.extend(args.kwargs.get("reverse").cloned());
        Ok(Some(FuncArgs::from(new)))
    }

    /// Whether calling this shows it nothing but its argument: it has no closure and reads no global.
    fn sees_only_its_argument(&self, callable: &PyObjectRef) -> Step<bool> {
        let Some(parts) = host::function::parts(callable, self.vm)? else {
            return Ok(self.is_builtin(callable, "abs"));
        };
        let reads = |it: &Instr| matches!(it.op, Opcode::LoadGlobal | Opcode::LoadName | Opcode::MakeFunction);
        let Ok(code) = Code::of(&parts.code) else { return Ok(false) };
        Ok(parts.closure.is_empty() && !code.instrs.iter().any(reads))
    }

    fn method_helper(&mut self, list: &PyObjectRef, name: &str, args: &FuncArgs) -> Step<Option<Helped>> {
        let staged = matches!(classify(list, self.vm), Abstract::Items(_));
        // The list is empty while its keys are computed.
        if name == "sort"
            && let Some(args) = self.key_and_order(list, args)?
            && self.sees_only_its_argument(&args.args[1])?
        {
            self.guard_contents(list)?;
            return Ok(Some((self.helper_function("sort_by")?, args)));
        }
        let name = match (name, args.args.as_slice()) {
            ("extend", [more]) if self.is_indexed(more) || self.is_staged_range(more) => "extend",
            ("copy", []) if staged => "list",
            ("reverse", []) if staged => "reverse",
            ("count", [_]) if staged => "count",
            ("index", [_]) if staged => "index",
            ("remove", [_]) if staged => "remove",
            _ => return Ok(None),
        };
        if !args.kwargs.is_empty() {
            return Ok(None);
        }
        self.guard_contents(list)?;
        let mut args = args.clone();
        args.prepend_arg(list.clone());
        Ok(Some((self.helper_function(name)?, args)))
    }

    /// An operator on lists whose length is known only later, if the instruction is one: its frame is pushed.
    pub(crate) fn list_operator(&mut self, state: &mut State, op: Opcode, arg: u32) -> Step<Option<Flow>> {
        if state.frame().stack.len() < 2 {
            return Ok(None);
        }
        let operands = if op == Opcode::BinarySlice { 3 } else { 2 };
        if (1..=operands).any(|depth| state.peek(depth).object().is_none()) {
            return Ok(None);
        }
        let (x, y) = (object_at(state, operands), object_at(state, operands - 1));
        let of_tuple = |it: &PyObjectRef| kind::as_kind::<Tuple>(it).map(|it| it.items.clone());
        let tuples = (of_tuple(&x), of_tuple(&y));
        let is_list = |it: &PyObjectRef| matches!(classify(it, self.vm), Abstract::Items(_));
        let staged = (is_list(&x), is_list(&y));
        let none = || self.vm.ctx.none();
        let (name, mut args) = match op {
            Opcode::ContainsOp
                if self.holds_instance(&y)
                    || self.is_of_python_class(&x) && observe::is_sequence(&y, self.vm)
                    || self.is_iterable_object(&y) =>
            {
                (if arg == 1 { "lacks_object" } else { "contains_object" }, vec![y.clone(), x.clone()])
            }
            Opcode::CompareOp | Opcode::BinaryOp
                if let Some(staged) = kind::staged(&x)
                    && let Some((name, args)) = staged.operator_loop(&mut self.at(state, &x), op, arg, [&x, &y])? =>
            {
                (name, args)
            }
            Opcode::CompareOp if let (Some(x), Some(y)) = &tuples => match arg >> 5 {
                2 => ("equal", vec![x.clone(), y.clone()]),
                3 => ("unequal", vec![x.clone(), y.clone()]),
                _ => return Ok(None),
            },
            Opcode::BinarySlice if let Some(x) = &tuples.0 => {
                ("slice_of_tuple", vec![x.clone(), y.clone(), object_at(state, 1), none()])
            }
            Opcode::ContainsOp if self.is_indexed(&y) => {
                (if arg == 1 { "lacks" } else { "contains" }, vec![y.clone(), x.clone()])
            }
            Opcode::CompareOp | Opcode::BinaryOp if let Some((name, args)) = self.member_operator(op, arg, &x, &y) => {
                (name, args)
            }
            Opcode::CompareOp if staged.0 || staged.1 => match arg >> 5 {
                2 => ("equal", vec![x.clone(), y.clone()]),
                3 => ("unequal", vec![x.clone(), y.clone()]),
                _ => return Ok(None),
            },
            Opcode::BinarySlice if staged.0 => ("slice", vec![x.clone(), y.clone(), object_at(state, 1), none()]),
            Opcode::BinaryOp => match BinaryOperator::try_from(arg) {
                Ok(BinaryOperator::Subscr) if staged.0 => match y.downcast_ref::<PySlice>() {
                    Some(slice) => {
                        let part = |part: &Option<PyObjectRef>| part.clone().unwrap_or_else(none);
                        ("slice", vec![x.clone(), part(&slice.start), slice.stop.clone(), part(&slice.step)])
                    }
                    None => return Ok(None),
                },
                Ok(BinaryOperator::Add) if staged.0 || staged.1 => ("concatenate", vec![x.clone(), y.clone()]),
                Ok(BinaryOperator::Multiply) if staged.0 => ("repeat", vec![x.clone(), y.clone()]),
                Ok(BinaryOperator::Multiply) if staged.1 => ("repeat", vec![y.clone(), x.clone()]),
                Ok(BinaryOperator::Multiply) if has_several(&x) && self.repeats_often(&x, &y)? => {
                    ("repeat", vec![x.clone(), self.later(state, &y)?])
                }
                Ok(BinaryOperator::Multiply) if has_several(&y) && self.repeats_often(&y, &x)? => {
                    ("repeat", vec![y.clone(), self.later(state, &x)?])
                }
                Ok(BinaryOperator::InplaceAdd) if self.is_indexed(&y) || self.is_staged_range(&y) => {
                    ("extended", vec![x.clone(), y.clone()])
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        if !self.helps(name, &args)? {
            return Ok(None);
        }
        for object in &args {
            self.guard_contents(object)?;
        }
        self.stage_ranges(state, &mut args)?;
        let helper = self.helper_function(name)?;
        state.pop_objs(operands);
        self.call(state, &helper, FuncArgs::from(args), Then::Push).map(Some)
    }

    /// An int as a number that is known only later.
    fn later(&mut self, state: &State, int: &PyObjectRef) -> Step<PyObjectRef> {
        let Some(number) = self.number(int)? else { return Ok(int.clone()) };
        let number = self.as_int(state, number);
        Ok(self.rep(number))
    }

    /// Whether the operands are of the classes that a helper is written for.
    fn helps(&self, name: &str, args: &[PyObjectRef]) -> Step<bool> {
        let is_list = |it: &PyObjectRef| it.downcast_ref_if_exact::<PyList>(self.vm).is_some();
        let is_like_one = |it: &PyObjectRef| kind::container(it).is_some();
        Ok(match name {
            "equal" | "unequal" if args.iter().all(is_like_one) => true,
            "equal" | "unequal" | "concatenate" => args.iter().all(is_list),
            "repeat" => self.is_int(&args[1])?,
            "extended" => is_list(&args[0]),
            "slice" | "slice_of_tuple" => {
                let mut fits = true;
                for part in &args[1..] {
                    fits &= self.vm.is_none(part) || self.is_int(part)?;
                }
                fits
            }
            _ => true,
        })
    }

    /// Whether this gives a number of items that is known only later.
    pub(crate) fn is_long(&self, object: &PyObjectRef) -> bool {
        self.is_indexed(object)
            || self.is_map(object)
            || self.is_staged_range(object)
            || self.is_iterable_object(object)
            || object.downcast_ref::<StagedIterator>().is_some_and(|it| self.length_unknown(&it.state.lock()).is_some())
    }

    /// Whether what is in a tuple or list is not numbers of different types: only native code sorts those.
    fn sorts_alike(&self, object: &PyObjectRef) -> bool {
        let inside = observe::inside(object, self.vm);
        let types = inside.iter().filter_map(|it| value::number(it, self.vm)).map(|it| it.ty());
        types.collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Whether this is a tuple or list with an object in it whose operators may be methods written in Python.
    fn holds_instance(&self, object: &PyObjectRef) -> bool {
        observe::is_sequence(object, self.vm)
            && observe::inside(object, self.vm)
                .iter()
                .any(|it| self.is_of_python_class(it) || crate::tensor::staged(it).is_some())
    }

    /// Whether an iterator over each of these can be made later as well as now. Over what has none it is an error now.
    pub(crate) fn iterates(&self, objects: &[PyObjectRef]) -> Step<bool> {
        for object in objects {
            let sample = match value::rep(object) {
                Some((_, ty)) => value::sample(ty, self.vm),
                None => (!crate::rep::is_staged(object)).then(|| object.clone()),
            };
            if let Some(sample) = sample {
                if !self.is_plain(&sample) {
                    return Ok(false);
                }
                sample.get_iter(self.vm)?;
            }
        }
        Ok(true)
    }

    pub(crate) fn is_generator(&self, object: &PyObjectRef) -> bool {
        let iterator = object.downcast_ref::<StagedIterator>();
        iterator.is_some_and(|it| matches!(*it.state.lock(), Iter::Generator { .. }))
    }

    /// Whether this is an array, a list or tuple of the compiled code, or a deque.
    fn is_indexed(&self, object: &PyObjectRef) -> bool {
        classify(object, self.vm).staged().is_some_and(Representation::is_indexed)
    }

    /// Whether this is a range with a number that is known later, or one that is too long to be known number by number.
    fn is_staged_range(&self, object: &PyObjectRef) -> bool {
        let is_known_later = |it: Range| Representation::parts(&it).iter().any(|part| value::rep(part).is_some());
        has_many_numbers(object) || self.as_range(object).is_some_and(is_known_later)
    }

    /// Long ranges among the arguments of a helper are known only later: loops over them stay loops.
    pub(crate) fn stage_ranges(&mut self, state: &State, args: &mut [PyObjectRef]) -> Step<()> {
        for object in args.iter_mut().filter(|it| has_many_numbers(it)) {
            let Some(range) = self.as_range(object) else { continue };
            let mut parts = Representation::parts(&range);
            // The sign of the step says which way it goes.
            for part in &mut parts[..2] {
                *part = self.later(state, part)?;
            }
            *object = Representation::with(&range, parts).object(self.vm);
        }
        Ok(())
    }

    pub(crate) fn helper_function(&self, name: &str) -> Step<PyObjectRef> {
        Ok(helper::named(name, self.vm)?)
    }

    /// Whether there is a helper of this name that takes so many arguments.
    pub(crate) fn has_helper(&self, name: &str, count: usize) -> Step<bool> {
        let code = helper::find(name, self.vm)?.and_then(|it| host::function::code(&it, self.vm));
        Ok(code.is_some_and(|it| it.code.arg_count as usize == count))
    }
}

/// Whether this is a range of more numbers than are known one by one.
fn has_many_numbers(object: &PyObjectRef) -> bool {
    host::effort::has_more_numbers(object, KNOWN_ONE_BY_ONE as u64)
}

/// Whether this is a list with several items that are known.
fn has_several(object: &PyObjectRef) -> bool {
    object.downcast_ref::<PyList>().is_some_and(|it| it.borrow_vec().len() > 1)
}
