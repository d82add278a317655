//! Comparison, identity and containment.

use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::Value;
use snekpy_stage::op::{Bit2, Cmp, Const, Op};
use snekpy_stage::types::Type;

use crate::capture::map::StagedMap;
use crate::capture::observe;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::Step;
use crate::capture::text::as_character;
use crate::capture::value::{self, Num, V};
use crate::capture::values::{Abstract, classify};
use crate::kind::{self, Function, Kind, Range};
use crate::rep::Named;
use crate::scalar;
use crate::tensor;

impl Session<'_> {
    /// `COMPARE_OP`.
    pub(crate) fn compare_op(&mut self, state: &mut State, arg: u32) -> Step<()> {
        let y = state.pop_obj();
        let x = state.pop_obj();
        let result = self.compare(state, comparison(arg), &x, &y)?;
        state.push(result);
        Ok(())
    }

    /// `x cmp y`.
    pub(crate) fn compare(
        &mut self,
        state: &mut State,
        cmp: Cmp,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        match (self.number(x)?, self.number(y)?) {
            (Some(Num::Static(_)), Some(Num::Static(_))) => {}
            (Some(a), Some(b)) => {
                if let Some(holds) = self.compared_sizes(cmp, a, b) {
                    return Ok(vm.ctx.new_bool(holds).into());
                }
                let value = self.compare_numbers(state, cmp, a, b);
                return Ok(self.rep(value));
            }
            _ => {}
        }
        if let Some(result) = self.compare_texts(state, cmp, x, y)? {
            return Ok(result);
        }
        if let Some(result) = self.compare_kinds(state, cmp, [x, y])? {
            return Ok(result);
        }
        for object in [x, y] {
            self.refuse_grown(object, "comparison")?;
        }
        if let Some(items) = self.sequence_pair(x, y) {
            return self.compare_sequences(state, cmp, items.0, items.1);
        }
        if kind::is_instance(x) || kind::is_instance(y) {
            return self.compare_records(state, cmp, x, y);
        }
        let staged = |object: &PyObjectRef| {
            matches!(
                classify(object, vm),
                Abstract::Made(Kind::Text(_) | Kind::Range(_)) | Abstract::Array(_) | Abstract::Inner(..)
            )
        };
        if staged(x) || staged(y) {
            return Err(refuse("S260", "comparison of staged text, ranges or arrays").into());
        }
        self.observe(x, observe::COMPARES)?;
        self.observe(y, observe::COMPARES)?;
        if self.holds_rep(x)? && value::rep(x).is_none() || self.holds_rep(y)? && value::rep(y).is_none() {
            if matches!(cmp, Cmp::Eq | Cmp::Ne) && self.are_of_other_kinds(x, y) {
                return Ok(vm.ctx.new_bool(cmp == Cmp::Ne).into());
            }
            return Err(refuse("S261", "comparison of containers with staged values of different classes").into());
        }
        let (a, b) = (self.stand_for(x), self.stand_for(y));
        if (!a.is(x) || !b.is(y)) && vm.ctx.types.int_type.is(a.class()) && vm.ctx.types.int_type.is(b.class()) {
            return Err(refuse("S262", "comparison of a staged number with an integer of more than 64 bits").into());
        }
        let numbers = [vm.ctx.types.int_type, vm.ctx.types.float_type, vm.ctx.types.complex_type];
        let compares_numbers = |stand_in: bool, other: &PyObjectRef| {
            stand_in && numbers.iter().any(|it| other.class().fast_issubclass(*it))
        };
        if compares_numbers(!a.is(x), y) || compares_numbers(!b.is(y), x) {
            return Err(refuse("S262", "comparison of a staged number with a number of another class").into());
        }
        Ok(a.rich_compare(b, python(cmp), vm)?)
    }

    /// Compares two numbers of any types, exactly.
    pub(crate) fn compare_numbers(&mut self, state: &State, cmp: Cmp, a: Num, b: Num) -> Value {
        match (a.ty(), b.ty()) {
            (Type::F64, Type::F64) => {
                let (a, b) = (self.lift(state, a), self.lift(state, b));
                self.cmp(state, cmp, a, b)
            }
            (_, Type::F64) => {
                let (a, b) = (self.as_int(state, a), self.lift(state, b));
                self.value(state, Op::CmpIntFloat(cmp), &[a, b])
            }
            (Type::F64, _) => {
                let (a, b) = (self.lift(state, a), self.as_int(state, b));
                self.value(state, Op::CmpIntFloat(cmp.swapped()), &[b, a])
            }
            _ => {
                let (a, b) = (self.as_int(state, a), self.as_int(state, b));
                self.cmp(state, cmp, a, b)
            }
        }
    }

    /// Whether two builtin objects are of classes that know nothing of each other: they are not equal.
    fn are_of_other_kinds(&self, x: &PyObjectRef, y: &PyObjectRef) -> bool {
        let kind = |object: &PyObjectRef| match classify(object, self.vm) {
            Abstract::Number(_) => Some(0),
            Abstract::Text(_) => Some(1),
            Abstract::Tuple(_) => Some(2),
            Abstract::List(_) | Abstract::Items(_) => Some(3),
            Abstract::Dict(_) => Some(4),
            Abstract::Map(map) => map.ty.value.map(|_| 4),
            _ => self.vm.is_none(object).then_some(5),
        };
        kind(x).zip(kind(y)).is_some_and(|(x, y)| x != y)
    }

    /// The items of two tuples or two lists.
    fn sequence_pair(&mut self, x: &PyObjectRef, y: &PyObjectRef) -> Option<(Vec<PyObjectRef>, Vec<PyObjectRef>)> {
        let vm = self.vm;
        if let (Some(a), Some(b)) = (self.compared_items(x), self.compared_items(y)) {
            return Some((a, b));
        }
        let (a, b) = (x.downcast_ref_if_exact::<PyList>(vm)?, y.downcast_ref_if_exact::<PyList>(vm)?);
        Some((a.borrow_vec().to_vec(), b.borrow_vec().to_vec()))
    }

    /// Lexicographic comparison: the first pair of items that differ decides, then the lengths.
    fn compare_sequences(
        &mut self,
        state: &mut State,
        cmp: Cmp,
        a: Vec<PyObjectRef>,
        b: Vec<PyObjectRef>,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        if matches!(cmp, Cmp::Eq | Cmp::Ne) && a.len() != b.len() {
            return Ok(vm.ctx.new_bool(cmp == Cmp::Ne).into());
        }
        for (x, y) in a.iter().zip(&b) {
            if x.is(y) {
                continue;
            }
            let equal = self.compare_items(state, x, y)?;
            if self.decide(state, &equal)? {
                continue;
            }
            return match cmp {
                Cmp::Eq => Ok(vm.ctx.new_bool(false).into()),
                Cmp::Ne => Ok(vm.ctx.new_bool(true).into()),
                Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge => self.compare(state, cmp, x, y),
            };
        }
        let (a, b) = (vm.ctx.new_int(a.len()).into(), vm.ctx.new_int(b.len()).into());
        self.compare(state, cmp, &a, &b)
    }

    /// `x == y` for two items that are not known to be one object. Containers take an object for equal to itself, even a
    /// NaN: with two NaNs it is plain Python that looks.
    fn compare_items(&mut self, state: &mut State, x: &PyObjectRef, y: &PyObjectRef) -> Step<PyObjectRef> {
        if let (Some(a), Some(b)) = (self.number(x)?, self.number(y)?)
            && (a.ty(), b.ty()) == (Type::F64, Type::F64)
            && [a, b].iter().any(|it| matches!(it, Num::Staged(..)))
        {
            let (a, b) = (self.is_nan(state, a), self.is_nan(state, b));
            let both = self.value(state, Op::Bit2(Bit2::And), &[a, b]);
            self.restart_if(state, both)?;
        }
        if let Some(both) = self.are_nan_of_kinds(state, [x, y])? {
            self.restart_if(state, both)?;
        }
        self.compare(state, Cmp::Eq, x, y)
    }

    /// Whether a float is a NaN.
    fn is_nan(&mut self, state: &State, num: Num) -> Value {
        let float = self.lift(state, num);
        self.cmp(state, Cmp::Ne, float, float)
    }

    /// Whether an object counts as true, on this path.
    pub(crate) fn decide(&mut self, state: &mut State, object: &PyObjectRef) -> Step<bool> {
        match self.truth(state, object)? {
            crate::capture::step::Truth::Known(it) => Ok(it),
            crate::capture::step::Truth::Staged(cond) => self.ask(state, cond),
        }
    }

    /// `IS_OP`.
    pub(crate) fn is_op(&mut self, state: &mut State, inverted: bool) -> Step<()> {
        let vm = self.vm;
        let (y, x) = (state.pop(), state.pop());
        let (V::Obj(x), V::Obj(y)) = (x, y) else {
            return Err(refuse("S263", "identity of an iterator").into());
        };
        if (tensor::staged(&x).is_some() || tensor::staged(&y).is_some()) && !x.is(&y) {
            let is = self.are_one_tensor(state, &x, &y)?;
            let is = if inverted { self.inverse(state, &is)? } else { is };
            state.push(is);
            return Ok(());
        }
        if kind::is_instance(&x) || kind::is_instance(&y) {
            let is = self.is_same_record(state, &x, &y)?;
            let is = if inverted { self.inverse(state, &is)? } else { is };
            state.push(is);
            return Ok(());
        }
        if !x.is(&y) && [&x, &y].into_iter().any(|it| as_character(it).is_some()) {
            // Made again, it could be another object, or the same.
            self.restart(state)?;
            return Err(refuse("S263", "identity of a character that is known only later").into());
        }
        if !x.is(&y) && (self.may_be(&x, &y) || self.may_be(&y, &x)) {
            return Err(refuse("S263", "whether an argument is this object is known only later").into());
        }
        let known = match (value::rep(&x), value::rep(&y)) {
            (None, None) if self.may_be_one_tuple(&x, &y)? || self.are_alike(&x, &y) => None,
            (None, None) if !x.is(&y) && self.are_nan_of_kinds(state, [&x, &y])?.is_some() => None,
            (None, None) => Some(x.is(&y)),
            (Some((a, _)), Some((b, _))) if a == b => Some(true),
            (Some((_, a)), Some((_, b))) if a != b && (a.is_scalar() || b.is_scalar()) => Some(false),
            (Some((rep, ty)), None) | (None, Some((rep, ty))) => {
                let other = if value::rep(&x).is_none() { &x } else { &y };
                let is_bool = other.class().is(vm.ctx.types.bool_type);
                if ty == Type::Bool && is_bool {
                    let rep = if other.is(&vm.ctx.true_value) { rep } else { self.value(state, Op::Not, &[rep]) };
                    let rep = if inverted { self.value(state, Op::Not, &[rep]) } else { rep };
                    let object = self.rep(rep);
                    state.push(object);
                    return Ok(());
                }
                let may_be_array = ty.as_array().is_some() && crate::host::array::array_elem(other, vm).is_some();
                match value::number(other, vm) {
                    _ if may_be_array => None,
                    Some(num) if num.ty() == ty => None,
                    _ => Some(false),
                }
            }
            (Some((a, Type::Bool)), Some((b, Type::Bool))) => {
                let cmp = if inverted { Cmp::Ne } else { Cmp::Eq };
                let value = self.cmp(state, cmp, a, b);
                let object = self.rep(value);
                state.push(object);
                return Ok(());
            }
            (Some(_), Some(_)) => None,
        };
        match known {
            Some(is) => state.push(PyObjectRef::from(vm.ctx.new_bool(is != inverted))),
            None => {
                self.restart(state)?;
                return Err(refuse("S264", "whether two numbers, tuples or arrays are one object is known only later")
                    .help("compare them with `==`")
                    .into());
            }
        }
        Ok(())
    }

    /// Whether these are two tuples of staged values, of which one may stand for the other: where paths have met, tuples
    /// are made anew, and so are those that a list of the compiled code gives.
    fn may_be_one_tuple(&self, x: &PyObjectRef, y: &PyObjectRef) -> Step<bool> {
        let (Some(a), Some(b)) = (x.downcast_ref::<PyTuple>(), y.downcast_ref::<PyTuple>()) else {
            return Ok(false);
        };
        Ok(!x.is(y) && x.class().is(y.class()) && a.len() == b.len() && (self.holds_rep(x)? || self.holds_rep(y)?))
    }

    /// Whether these are equal objects of a class that keys and guards compare by value: they may be two at another call.
    fn are_alike(&self, x: &PyObjectRef, y: &PyObjectRef) -> bool {
        let is_list = |it: &PyObjectRef| matches!(classify(it, self.vm), Abstract::Items(_));
        if self.objects.has_nested && !x.is(y) && (is_list(x) || is_list(y)) {
            return x.class().is(y.class());
        }
        let types = &self.vm.ctx.types;
        let by_value = [types.str_type, types.bytes_type, types.int_type, types.float_type, types.range_type];
        by_value.iter().any(|it| x.class().is(*it))
            && scalar::constant(x, self.vm).is_none()
            && crate::scalar::same(x, y, self.vm)
    }

    /// Whether an object that stands for an argument may be this object of the world.
    fn may_be(&self, object: &PyObjectRef, other: &PyObjectRef) -> bool {
        let stands_in = |it: &PyObjectRef| self.given.arguments.contains_key(&it.get_id());
        let class = kind::as_kind::<Function>(object).map_or(object, |it| &it.like).class();
        stands_in(object)
            && !stands_in(other)
            && !self.is_fresh(other)
            && class.is(other.class())
            && !self.never_changes(object)
    }

    /// `CONTAINS_OP`.
    pub(crate) fn contains_op(&mut self, state: &mut State, inverted: bool) -> Step<()> {
        let container = state.pop_obj();
        let item = state.pop_obj();
        let result = self.contains(state, &item, &container)?;
        let vm = self.vm;
        let result = match value::rep(&result) {
            Some((value, _)) if inverted => {
                let not = self.value(state, Op::Not, &[value]);
                self.rep(not)
            }
            Some(_) => result,
            None => vm.ctx.new_bool(result.is(&vm.ctx.true_value) != inverted).into(),
        };
        state.push(result);
        Ok(())
    }

    /// `item in container`.
    fn contains(&mut self, state: &mut State, item: &PyObjectRef, container: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        let it = self.classify(container)?;
        if matches!(it, Abstract::Dict(_) | Abstract::Set(_) | Abstract::Map(_) | Abstract::FrozenSet(_)) {
            self.is_hashed(item, container)?;
        }
        if let Some(staged) = it.staged() {
            if let Some(found) = staged.contains(&mut self.at(state, container), item)? {
                return Ok(found);
            }
            staged.refuse_whole(container, "`in`")?;
        }
        let items = match it {
            Abstract::Tuple(tuple) => Some(tuple.as_slice().to_vec()),
            Abstract::List(list) => Some(list.borrow_vec().to_vec()),
            Abstract::Dict(dict) => self.holds_rep(item)?.then(|| dict.keys_vec()),
            Abstract::Set(set) => self.holds_rep(item)?.then(|| set.elements()),
            Abstract::FrozenSet(set) => self.holds_rep(item)?.then(|| set.elements()),
            _ => None,
        };
        if let Some(items) = items {
            self.read_keys_anew(container, items.len())?;
            if let Some((value, Type::Map(ty))) = self.table(state, container, items.len())? {
                return self.map_contains(state, StagedMap { value, ty }, item);
            }
            return self.any_equal(state, item, &items);
        }
        if let Abstract::Range(range) = it
            && let Some(num) = self.number(item)?
        {
            return self.range_contains(state, num, &Range::of_numbers(range));
        }
        // Values of dicts are not looked at.
        let looked_at = match it {
            Abstract::Dict(dict) => vm.ctx.new_tuple(dict.keys_vec()).into(),
            _ => container.clone(),
        };
        if self.holds_rep(item)? || self.holds_rep(&looked_at)? || !self.is_plain(container) {
            return Err(refuse("S266", format!("`in` on a `{}`", container.class_name())).into());
        }
        self.observe(item, observe::COMPARES)?;
        self.observe(container, observe::COMPARES)?;
        self.static_key(item)?;
        let found = vm._contains(container, item)?;
        Ok(vm.ctx.new_bool(found).into())
    }

    /// Raises what hashing an object raises that holds a list, dict or set. In a set, a set is looked for as a `frozenset`.
    fn is_hashed(&self, item: &PyObjectRef, container: &PyObjectRef) -> Step<()> {
        let types = &self.vm.ctx.types;
        let mut left = vec![item.clone()];
        while let Some(part) = left.pop() {
            if let Some(tuple) = part.downcast_ref_if_exact::<PyTuple>(self.vm) {
                left.extend(tuple.as_slice().iter().rev().cloned());
                continue;
            }
            let class = part.class();
            let is_set = class.is(types.set_type) && (!part.is(item) || container.class().is(types.dict_type));
            if is_set || class.is(types.list_type) || class.is(types.dict_type) {
                part.hash(self.vm)?;
            }
        }
        Ok(())
    }

    fn any_equal(&mut self, state: &mut State, item: &PyObjectRef, items: &[PyObjectRef]) -> Step<PyObjectRef> {
        let vm = self.vm;
        let mut found: Option<Value> = None;
        for other in items {
            if other.is(item) {
                return Ok(vm.ctx.new_bool(true).into());
            }
            let equal = self.compare_items(state, other, item)?;
            match self.truth(state, &equal)? {
                crate::capture::step::Truth::Known(false) => {}
                crate::capture::step::Truth::Known(true) => return Ok(vm.ctx.new_bool(true).into()),
                crate::capture::step::Truth::Staged(equal) => {
                    found = Some(match found {
                        Some(found) => self.value(state, Op::Bit2(Bit2::Or), &[found, equal]),
                        None => equal,
                    });
                }
            }
        }
        Ok(found.map_or_else(|| vm.ctx.new_bool(false).into(), |found| self.rep(found)))
    }

    /// Whether a number is in a range.
    pub(crate) fn range_contains(&mut self, state: &mut State, item: Num, range: &Range) -> Step<PyObjectRef> {
        let (Some(start), Some(stop), Some(Num::Static(step))) =
            (self.number(&range.start)?, self.number(&range.stop)?, self.number(&range.step)?)
        else {
            return Err(refuse("S267", "`in` on a range with a staged step").into());
        };
        if item.ty() == Type::F64 {
            return Err(refuse("S268", "`in` of a float on a range").into());
        }
        let Const::I64(step) = step else {
            return Err(refuse("S267", "`in` on a range with this step").into());
        };
        let (low, high) = if step > 0 { (Cmp::Ge, Cmp::Lt) } else { (Cmp::Le, Cmp::Gt) };
        let a = self.compare_numbers(state, low, item, start);
        let b = self.compare_numbers(state, high, item, stop);
        let mut inside = self.value(state, Op::Bit2(Bit2::And), &[a, b]);
        if step != 1 && step != -1 {
            let (item, start) = (self.as_int(state, item), self.as_int(state, start));
            let distance = self.value(state, Op::Wrap2(snekpy_stage::op::Wrap2::Sub), &[item, start]);
            let (step, zero) = (self.int(state, step), self.int(state, 0));
            let rest = self.value(state, Op::Num2(snekpy_stage::op::Num2::Mod), &[distance, step]);
            let hits = self.cmp(state, Cmp::Eq, rest, zero);
            inside = self.value(state, Op::Bit2(Bit2::And), &[inside, hits]);
        }
        Ok(self.rep(inside))
    }
}

/// The operator as Python calls it.
pub(crate) const fn python(cmp: Cmp) -> PyComparisonOp {
    match cmp {
        Cmp::Eq => PyComparisonOp::Eq,
        Cmp::Ne => PyComparisonOp::Ne,
        Cmp::Lt => PyComparisonOp::Lt,
        Cmp::Le => PyComparisonOp::Le,
        Cmp::Gt => PyComparisonOp::Gt,
        Cmp::Ge => PyComparisonOp::Ge,
    }
}

/// What the argument of `COMPARE_OP` says.
pub(crate) fn comparison(arg: u32) -> Cmp {
    match arg >> 5 {
        0 => Cmp::Lt,
        1 => Cmp::Le,
        2 => Cmp::Eq,
        3 => Cmp::Ne,
        4 => Cmp::Gt,
        _ => Cmp::Ge,
    }
}
