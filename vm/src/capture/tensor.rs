//! Tensors.
//!
//! A tensor that is known later is an object of the library's own class whose tensor has no memory. An instruction that
//! meets one runs as it is, on these objects; what the library would do is written down and becomes the function's
//! code. So dtypes, shapes and errors are the library's, and nothing of it is told twice.
//!
//! A tensor of the world is read by its address at each call: what it holds is never known here.

use rustpython_vm::builtins::{PyInt, PyList, PySlice, PyStr, PyTuple};
use rustpython_vm::bytecode::Opcode;
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use snekpy_stage::analysis::linear::difference;
use snekpy_stage::entity::{Entity, Value};
use snekpy_stage::home::Home;
use snekpy_stage::op::{Acts, Cmp, Op};
use snekpy_stage::sizes;
use snekpy_stage::tensor::trace::{self, Noted, Recorder, Staged};
use snekpy_stage::tensor::{Dims, Dtype, Kind, Tensor, TensorOp, device, layout, reduce};
use snekpy_stage::types::{TensorType, Type};

use crate::capture::compare;
use crate::capture::element::{Written, value_of};
use crate::capture::extent::is_small;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Num};
use crate::capture::values::{self, Abstract};
use crate::code::Instr;
use crate::exit::HostKind;
use crate::host::native::{NativeCallable, native_callable};
use crate::host::operator;
use crate::scalar;
use crate::tensor;

/// Elements of an array on a device are copied, of which the program is warned at its line.
pub(super) const COPIED: &str = "S351";
/// Of a larger one no lists are made.
const MOST_ITEMS: usize = 64;

/// What is found in operands.
#[derive(Default)]
struct Lift {
    /// Whether a number that is known later is in them.
    has_numbers: bool,
    /// Those that are integers.
    ints: Vec<Value>,
    /// Whether integers are taken for known ones.
    assumes: bool,
}

/// Writes down what the library does.
struct Scribe<'a, 'vm> {
    session: &'a mut Session<'vm>,
    state: &'a State,
    written: &'a mut Written,
}

impl Recorder for Scribe<'_, '_> {
    fn record(&mut self, op: TensorOp, operands: &[Noted], gives: Option<(Dtype, Dims)>) -> Staged {
        let Scribe { session, state, written } = self;
        let nothing = Staged { owner: session.owner, value: u32::MAX, element: None };
        if session.rules.shared && op.acts() == Acts::Writes {
            // Other threads may see it: plain Python does that.
            trace::look();
            return nothing;
        }
        let mut given = Vec::with_capacity(operands.len());
        for operand in operands {
            match operand {
                Noted::Staged(it) if it.owner == session.owner && it.value != u32::MAX => given.push(*it),
                Noted::Staged(_) | Noted::Unknown => {
                    trace::look();
                    return nothing;
                }
            }
        }
        if gives
            .as_ref()
            .is_some_and(|(_, dims)| session.tensors.later_sizes && !dims.iter().all(|it| sizes::is_clear(*it)))
        {
            trace::look();
            return nothing;
        }
        if let (TensorOp::Assign, &[to, from]) = (&op, &given[..])
            && to.element.is_none()
            && from.element.is_none()
            && session.is_same(value_of(to), value_of(from))
        {
            // As behind `x[i] *= 2`, which has changed the view.
            return nothing;
        }
        if let Some(made) = session.on_elements(state, &op, &given, gives.as_ref(), written) {
            return made;
        }
        let args: Vec<Value> = given.into_iter().map(|it| session.as_tensor(state, it)).collect();
        let types = session.func.types_of(&args);
        let homes = || types.iter().filter_map(|ty| if let Type::Tensor(ty) = ty { Some(ty.home) } else { None });
        let home = op.home(homes());
        if homes().any(Home::is_there) && !device::is_done_there_on(&op, &types) {
            written.copies = true;
            trace::look();
            return nothing;
        }
        let results = match op {
            TensorOp::Item => op.results(&session.func.types_of(&args)).unwrap_or_default(),
            _ => gives.iter().map(|(dtype, dims)| Type::Tensor(TensorType::new(*dtype, dims).at(home))).collect(),
        };
        let values = session.tensor_op(state, op, &args, results);
        values.first().map_or(nothing, |it| session.staged(*it))
    }
}

impl Session<'_> {
    /// Appends an operation on tensors.
    pub(crate) fn tensor_op(&mut self, state: &State, op: TensorOp, args: &[Value], results: Vec<Type>) -> Vec<Value> {
        let acts = op.acts();
        let params = self.func.types_of(args);
        let word = op.to_string();
        let name = word.split(' ').next().unwrap_or_default().to_owned();
        let host = self.host(name, params, results, HostKind::Tensor);
        self.module.hosts[host].tensor = Some(op);
        self.emit(state, Op::Tensor(host, acts), args)
    }

    /// What the recorder calls a value.
    pub(super) fn staged(&self, value: Value) -> Staged {
        let value = u32::try_from(value.index()).expect("a function has fewer values");
        Staged { owner: self.owner, value, element: None }
    }

    /// The object of a tensor that is known later.
    pub(crate) fn tensor_object(&self, value: Value, ty: TensorType) -> PyObjectRef {
        let library = tensor::library().expect("there are tensors, so there is a library of them");
        let tensor = Tensor::stand_in(self.staged(value), ty.dtype, ty.shape.dims(), ty.home);
        let tensor = tensor.expect("the shape is one");
        library.array(tensor, self.vm)
    }

    /// An operand as the library may be given it, and the numbers in it that are known later.
    fn lifted(&mut self, state: &State, object: &PyObjectRef, lift: &mut Lift) -> Step<PyObjectRef> {
        let vm = self.vm;
        let library = tensor::library().ok_or_else(elements)?;
        let all = |session: &mut Self, items: &[PyObjectRef], lift: &mut Lift| -> Step<Vec<PyObjectRef>> {
            items.iter().map(|it| session.lifted(state, it, lift)).collect()
        };
        match self.classify(object)? {
            Abstract::Tensor(found) => {
                if let Some(staged) = found.staged() {
                    if staged.owner != self.owner {
                        return Err(refuse("S220", "a tensor is used outside the function it belongs to").into());
                    }
                    return Ok(object.clone());
                }
                let ty = tensor::passed(object).ok_or_else(|| refuse("S349", "an array that may only be read"))?;
                if self.tensors.later_sizes && ty.shape.dims().iter().any(|it| sizes::is_later(*it)) {
                    return Err(self.unknown_size().into());
                }
                let host = self.world(object, ty);
                let value = self.emit(state, Op::Tensor(host, Acts::Asks), &[])[0];
                Ok(self.tensor_object(value, ty))
            }
            Abstract::Number(Num::Static(_)) => Ok(object.clone()),
            Abstract::Number(Num::Staged(value, ty)) => {
                lift.has_numbers = true;
                if ty == Type::I64 {
                    lift.ints.push(value);
                    if lift.assumes {
                        return Ok(vm.ctx.new_int(1).into());
                    }
                }
                let kind = match ty {
                    Type::Bool => Kind::Bool,
                    Type::I64 => Kind::Int,
                    _ => Kind::Float,
                };
                Ok(library.number(self.staged(value), kind, vm))
            }
            Abstract::Slice(slice) => self.lifted_slice(state, object, slice, lift),
            Abstract::Tuple(tuple) => Ok(vm.ctx.new_tuple(all(self, tuple.as_slice(), lift)?).into()),
            Abstract::List(list) => {
                self.guard_contents(object)?;
                let items = list.borrow_vec().to_vec();
                Ok(vm.ctx.new_list(all(self, &items, lift)?).into())
            }
            // Methods of the program would run now.
            _ if self.holds_rep(object)? || !self.is_plain(object) => Err(no_array_of(object)),
            _ => Ok(object.clone()),
        }
    }

    /// Whether an integer of the program would be taken for a size, where it says a position or a size.
    fn is_large_literal(&self, object: &PyObjectRef) -> bool {
        let is_large = |it: &PyObjectRef| it.downcast_ref::<PyInt>().is_some_and(|it| !is_small(it));
        is_large(object)
            || object.downcast_ref::<PySlice>().is_some_and(|it| values::slice_parts(it).any(is_large))
            || object
                .downcast_ref::<PyTuple>()
                .is_some_and(|it| it.as_slice().iter().any(|it| self.is_large_literal(it)))
            || object
                .downcast_ref::<PyList>()
                .is_some_and(|it| it.borrow_vec().iter().any(|it| self.is_large_literal(it)))
    }

    /// A slice: where a bound is known later, its length has to be known.
    fn lifted_slice(
        &mut self,
        state: &State,
        object: &PyObjectRef,
        slice: &PySlice,
        lift: &mut Lift,
    ) -> Step<PyObjectRef> {
        let vm = self.vm;
        let is_staged = |it: &PyObjectRef| value::rep(it).is_some();
        let parts = [slice.start.as_ref(), Some(&slice.stop), slice.step.as_ref()];
        if !parts.iter().flatten().any(|it| is_staged(it)) {
            return Ok(object.clone());
        }
        if let Some(known) = self.slice_of_sizes(slice)? {
            return Ok(known);
        }
        let step = slice.step.as_ref().filter(|it| !vm.is_none(it));
        let is_by_one = step.is_none_or(|it| matches!(scalar::constant(it, vm), Some(snekpy_stage::op::Const::I64(1))));
        let unknown = || {
            refuse("S346", "how long this slice of a tensor is is known only later")
                .help("write it as `x[i * n:(i + 1) * n]` or `x[i:i + n]` with an n that is known")
        };
        let ends = match (&slice.start, is_by_one) {
            (Some(start), true) => self.number(start)?.zip(self.number(&slice.stop)?),
            _ => None,
        };
        let Some((from, to)) = ends else {
            let all: Vec<Value> = parts.iter().flatten().filter_map(|it| Some(value::rep(it)?.0)).collect();
            self.know(&all)?;
            return Err(unknown().into());
        };
        let (from, to) = (self.lift(state, from), self.lift(state, to));
        let len = match difference(&self.func, to, from) {
            Ok(len) => usize::try_from(len).ok(),
            Err(terms) => {
                self.know(&terms)?;
                None
            }
        };
        let (Some(len), Some(library)) = (len, tensor::library()) else { return Err(unknown().into()) };
        lift.has_numbers = true;
        Ok(library.window(self.staged(from), len, vm))
    }

    /// Lets the library do something, and writes down what.
    fn traced(
        &mut self,
        state: &State,
        operands: &[PyObjectRef],
        call: impl Fn(&[PyObjectRef], &VirtualMachine) -> PyResult,
    ) -> Step<PyObjectRef> {
        let (mark, insts) = (self.builder(state.block).mark(), self.func.insts.len());
        let built = self.running.built.clone();
        let mut lift = Lift::default();
        let mut written = Written::since(insts);
        let mut done = self.recorded(state, operands, &mut lift, &mut written, &call).and_then(|made| match made {
            Err(_) if lift.has_numbers => Err(elements().into()),
            made => Ok(made?),
        });
        if matches!(done, Err(Stop::Refuse(_))) {
            let mut known = Lift { assumes: true, ..Lift::default() };
            // Would it be done if the numbers were known?
            if let Some(assumption) = self.to_know(&lift.ints)
                && self.recorded(state, operands, &mut known, &mut Written::since(insts), &call).is_ok()
            {
                done = Err(Stop::Learn(assumption));
            }
        }
        match done {
            Ok(made) => {
                self.drop_absorbed(state, &written, Some(&made));
                self.kept(&made)?;
                self.with_extents(state, made)
            }
            Err(stop) => {
                self.tensors.needs_sizes |= self.tensors.later_sizes;
                if matches!(stop, Stop::Refuse(_)) {
                    self.func.blocks[state.block].insts.retain(|it| it.index() < insts);
                    self.builder(state.block).rollback(mark);
                    self.forget_constants();
                    self.running.built = built;
                }
                if written.changes_element {
                    // Whoever else has that object is not known where functions have met.
                    self.restart(state)?;
                }
                Err(stop)
            }
        }
    }

    /// What the library gives or raises, with what it does written down.
    fn recorded(
        &mut self,
        state: &State,
        operands: &[PyObjectRef],
        lift: &mut Lift,
        written: &mut Written,
        call: impl Fn(&[PyObjectRef], &VirtualMachine) -> PyResult,
    ) -> Step<PyResult> {
        let vm = self.vm;
        let given = operands.iter().map(|it| self.lifted(state, it, lift)).collect::<Step<Vec<PyObjectRef>>>()?;
        let mut scribe = Scribe { session: self, state, written };
        let recorded = trace::recording(&mut scribe, || call(&given, vm));
        match recorded.value {
            _ if written.copies => Err(copied().into()),
            _ if recorded.looked => Err(elements().into()),
            made => Ok(made),
        }
    }

    /// What the library has made belongs to the program.
    fn kept(&mut self, made: &PyObjectRef) -> Step<()> {
        if tensor::of(made).is_some_and(|it| it.staged().is_none()) {
            return Err(elements().into());
        }
        if let Some(tuple) = made.downcast_ref_if_exact::<PyTuple>(self.vm) {
            return tuple.as_slice().iter().try_for_each(|it| self.kept(it));
        }
        // What an object of a class in Python holds, the path does not know.
        if made.dict().is_some_and(|it| it.values_vec().iter().any(|it| tensor::staged(it).is_some())) {
            return Err(elements().into());
        }
        if made.downcast_ref_if_exact::<PyList>(self.vm).is_some() {
            self.made(made.clone());
        }
        Ok(())
    }

    /// The only element of a tensor, as a number.
    fn element_of(&mut self, state: &State, object: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        let Some(found) = tensor::of(object).filter(|it| it.count() == 1) else { return Ok(None) };
        let ty = number_of(found.dtype());
        let object = self.lifted(state, object, &mut Lift::default())?;
        let Some((staged, _)) = tensor::staged(&object) else { return Err(elements().into()) };
        if found.home().is_some_and(Home::is_there) {
            return Err(copied().into());
        }
        let value = match self.number_in(state, staged) {
            Some(value) => value,
            None => self.tensor_op(state, TensorOp::Item, &[Value::new(staged.value as usize)], vec![ty])[0],
        };
        Ok(Some(self.rep(value)))
    }

    /// The same of one that is known to have only one.
    pub(super) fn number_in_tensor(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        self.element_of(state, object)?.ok_or_else(|| elements().into())
    }

    /// An element of a tensor as a number, as `x.item(at)` finds it.
    fn element_at(&mut self, state: &State, object: &PyObjectRef, at: &[PyObjectRef]) -> Step<PyObjectRef> {
        let vm = self.vm;
        let Some(library) = tensor::library() else { return Err(elements().into()) };
        let is_flat = matches!(at, [one] if one.downcast_ref::<PyTuple>().is_none());
        let key = match at {
            [one] => one.clone(),
            more => vm.ctx.new_tuple(more.to_vec()).into(),
        };
        let element = self.traced(state, &[object.clone(), key], |it, vm| {
            let array = match tensor::of(&it[0]) {
                Some(x) if is_flat && x.rank() != 1 => {
                    let flat = layout::reshape(x, &[x.count()]).map_err(|it| library.exception(it, vm))?;
                    library.array(flat, vm)
                }
                _ => it[0].clone(),
            };
            array.get_item(&*it[1], vm)
        })?;
        self.number_in_tensor(state, &element)
    }

    /// The integer that a tensor is where one is asked for; any other object as it is.
    pub(crate) fn index_of_tensor(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        match tensor::of(object) {
            Some(it) if it.rank() == 0 && it.dtype().kind() == Kind::Int => self.number_in_tensor(state, object),
            _ => Ok(object.clone()),
        }
    }

    /// A small tensor as nested lists of its elements.
    fn lists_of_tensor(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        let dims = tensor::of(object).map(|it| it.dims().to_vec()).unwrap_or_default();
        if dims.iter().fold(1, |all: usize, it| all.saturating_mul(*it)) > MOST_ITEMS
            || dims.contains(&0) && dims.len() > 1
        {
            return Err(elements().into());
        }
        if dims.is_empty() {
            return self.number_in_tensor(state, object);
        }
        let mut items = Vec::with_capacity(dims[0]);
        for at in 0..dims[0] {
            let at = self.vm.ctx.new_int(at).into();
            let row = self.row_of_tensor(state, object, &at)?;
            items.push(self.lists_of_tensor(state, &row)?);
        }
        Ok(self.made(self.vm.ctx.new_list(items).into()))
    }

    /// `item in tensor`.
    fn tensor_contains(&mut self, state: &State, object: &PyObjectRef, item: &PyObjectRef) -> Step<PyObjectRef> {
        let Some(library) = tensor::library() else { return Err(elements().into()) };
        let found = self.traced(state, &[object.clone(), item.clone()], |it, vm| {
            let equal = it[0].clone().rich_compare(it[1].clone(), PyComparisonOp::Eq, vm)?;
            let Some(equal) = tensor::of(&equal) else {
                trace::look();
                return Ok(vm.ctx.none());
            };
            let axes: Vec<usize> = (0..equal.rank()).collect();
            reduce::test(equal, &axes, false)
                .map(|it| library.array(it, vm))
                .map_err(|error| library.exception(error, vm))
        })?;
        self.number_in_tensor(state, &found)
    }

    /// The value of a tensor, and its type.
    pub(crate) fn value_of_tensor(&mut self, state: &State, object: &PyObjectRef) -> Step<(Value, TensorType)> {
        let object = self.lifted(state, object, &mut Lift::default())?;
        let (staged, ty) = tensor::staged(&object).ok_or_else(elements)?;
        Ok((self.as_tensor(state, staged), ty))
    }

    /// Carries out an instruction on tensors: whether it was one.
    pub(crate) fn on_tensors(&mut self, state: &mut State, instr: Instr) -> Step<bool> {
        if tensor::library().is_none() {
            return Ok(false);
        }
        let vm = self.vm;
        let count = match instr.op {
            Opcode::BinaryOp | Opcode::CompareOp | Opcode::ContainsOp => 2,
            Opcode::UnaryNegative | Opcode::UnaryInvert | Opcode::GetLen | Opcode::UnpackSequence => 1,
            Opcode::BinarySlice | Opcode::StoreSubscr => 3,
            Opcode::StoreSlice => 4,
            _ => return Ok(false),
        };
        let operands: Option<Vec<PyObjectRef>> = (1..=count).rev().map(|at| state.peek(at).object().cloned()).collect();
        let Some(operands) = operands else { return Ok(false) };
        let is_text = |it: &PyObjectRef| {
            it.downcast_ref::<PyStr>().is_some() || crate::kind::as_kind::<crate::kind::Text>(it).is_some()
        };
        let meets = match instr.op {
            // `'%s' % x`
            Opcode::BinaryOp if is_text(&operands[0]) => false,
            Opcode::ContainsOp => tensor::of(&operands[1]).is_some(),
            Opcode::StoreSubscr => tensor::of(&operands[1]).is_some(),
            Opcode::StoreSlice => tensor::of(&operands[1]).is_some(),
            Opcode::BinarySlice => tensor::of(&operands[0]).is_some(),
            Opcode::BinaryOp if matches!(BinaryOperator::try_from(instr.arg), Ok(BinaryOperator::Subscr)) => {
                tensor::of(&operands[0]).is_some()
            }
            _ => operands.iter().any(|it| tensor::of(it).is_some()),
        };
        if !meets {
            return Ok(false);
        }
        let is_subscript = match instr.op {
            Opcode::BinaryOp => matches!(BinaryOperator::try_from(instr.arg), Ok(BinaryOperator::Subscr)),
            op => op != Opcode::CompareOp,
        };
        if self.tensors.later_sizes && is_subscript && operands.iter().any(|it| self.is_large_literal(it)) {
            return Err(self.unknown_size().into());
        }
        let mut pops = count;
        let mut pushes = Vec::new();
        match instr.op {
            Opcode::BinaryOp => {
                let operator =
                    BinaryOperator::try_from(instr.arg).map_err(|_| crate::capture::step::unsupported(state))?;
                pushes.push(self.traced(state, &operands, |it, vm| operator::apply(operator, &it[0], &it[1], vm))?);
            }
            Opcode::CompareOp => {
                let op = operator::comparison(instr.arg >> 5);
                let made = self.traced(state, &operands, |it, vm| it[0].clone().rich_compare(it[1].clone(), op, vm))?;
                let is_one_there = |it: &Tensor| it.count() == 1 && it.home().is_some_and(Home::is_there);
                if operator::is_test(instr.arg) && tensor::of(&made).is_some_and(is_one_there) {
                    return Err(copied().into());
                }
                pushes.push(made);
            }
            Opcode::UnaryNegative => pushes.push(self.traced(state, &operands, |it, vm| vm._neg(&it[0]))?),
            Opcode::UnaryInvert => pushes.push(self.traced(state, &operands, |it, vm| vm._invert(&it[0]))?),
            Opcode::BinarySlice => {
                let [object, start, stop] = &operands[..] else { unreachable!("three operands") };
                let slice = new_slice(start, stop, vm);
                pushes.push(self.traced(state, &[object.clone(), slice], |it, vm| it[0].get_item(&*it[1], vm))?);
            }
            Opcode::StoreSubscr | Opcode::StoreSlice => {
                let (value, object) = (operands[0].clone(), operands[1].clone());
                let key = match &operands[2..] {
                    [key] => key.clone(),
                    [start, stop] => new_slice(start, stop, vm),
                    _ => unreachable!("three or four operands"),
                };
                self.traced(state, &[object, key, value], |it, vm| {
                    it[0].set_item(&*it[1], it[2].clone(), vm).map(|()| vm.ctx.none())
                })?;
            }
            Opcode::ContainsOp => {
                let found = self.tensor_contains(state, &operands[1], &operands[0])?;
                pushes.push(if instr.arg == 1 { self.inverse(state, &found)? } else { found });
            }
            Opcode::GetLen => {
                pops = 0;
                let length = vm.ctx.new_int(operands[0].length(vm)?).into();
                pushes.push(self.with_extents(state, length)?);
            }
            Opcode::UnpackSequence => {
                let rows = tensor::of(&operands[0]).and_then(|it| it.dims().first().copied());
                if rows != Some(instr.arg as usize) {
                    return Err(elements().into());
                }
                for row in (0..instr.arg).rev() {
                    let at = vm.ctx.new_int(row).into();
                    pushes.push(self.traced(state, &[operands[0].clone(), at], |it, vm| it[0].get_item(&*it[1], vm))?);
                }
            }
            _ => return Err(elements().into()),
        }
        for _ in 0..pops {
            state.pop();
        }
        pushes.into_iter().for_each(|it| state.push(it));
        state.frame_mut().pc += 1;
        Ok(true)
    }

    /// A comparison, also of tensors.
    pub(crate) fn compare_any(
        &mut self,
        state: &mut State,
        cmp: Cmp,
        x: &PyObjectRef,
        y: &PyObjectRef,
    ) -> Step<PyObjectRef> {
        if ![x, y].into_iter().any(|it| tensor::of(it).is_some()) {
            return self.compare(state, cmp, x, y);
        }
        let op = compare::python(cmp);
        self.traced(state, &[x.clone(), y.clone()], |it, vm| it[0].clone().rich_compare(it[1].clone(), op, vm))
    }

    /// What a tensor is as a truth value: a number, or an error.
    pub(crate) fn truth_of_tensor(&mut self, state: &State, object: &PyObjectRef) -> Step<PyObjectRef> {
        match self.element_of(state, object)? {
            Some(item) => Ok(item),
            None => self.traced(state, std::slice::from_ref(object), |it, vm| {
                it[0].clone().try_to_bool(vm).map(|it| vm.ctx.new_bool(it).into())
            }),
        }
    }

    /// An attribute of a tensor.
    pub(crate) fn attribute_of_tensor(
        &mut self,
        state: &State,
        object: &PyObjectRef,
        name: &'static str,
    ) -> Step<Option<PyObjectRef>> {
        if tensor::of(object).is_none() {
            return Ok(None);
        }
        let name = self.vm.ctx.intern_str(name);
        self.traced(state, std::slice::from_ref(object), |it, vm| it[0].get_attr(name, vm)).map(Some)
    }

    /// A row of a tensor, where it is gone through.
    pub(crate) fn row_of_tensor(&mut self, state: &State, object: &PyObjectRef, at: &PyObjectRef) -> Step<PyObjectRef> {
        self.traced(state, &[object.clone(), at.clone()], |it, vm| it[0].get_item(&*it[1], vm))
    }

    /// How many rows a tensor has that is gone through.
    pub(crate) fn rows_of_tensor(&self, object: &PyObjectRef) -> Option<Result<usize, ()>> {
        let tensor = tensor::of(object)?;
        Some(tensor.dims().first().copied().ok_or(()))
    }

    /// A call of a function of the library, or of another one with a tensor.
    pub(crate) fn call_on_tensors(
        &mut self,
        state: &State,
        callable: &PyObjectRef,
        native: Option<&NativeCallable>,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let vm = self.vm;
        let Some(library) = tensor::library() else { return Ok(None) };
        let mut receiver = None;
        let is_ours = library.is_callable(callable)
            || match native {
                Some(NativeCallable::Function { module, name }) => library.is_function(module, name),
                Some(NativeCallable::Method { owner, receiver: bound, name }) => {
                    receiver.clone_from(bound);
                    let is = library.is_class(owner);
                    if let (true, true, Some(this)) = (is, args.kwargs.is_empty(), bound) {
                        match (name.as_str(), args.args.as_slice()) {
                            ("item", []) => {
                                if let Some(item) = self.element_of(state, this)? {
                                    return Ok(Some(item));
                                }
                            }
                            ("item", at) => return self.element_at(state, this, at).map(Some),
                            ("tolist", []) => return self.lists_of_tensor(state, this).map(Some),
                            _ => {}
                        }
                    }
                    is
                }
                Some(NativeCallable::Type(class)) => library.is_class(class),
                None => false,
            };
        if let Some(NativeCallable::Function { module: "math", name }) = native
            && args.kwargs.is_empty()
        {
            return self.call_on_elements(state, callable, name, &args.args);
        }
        if !is_ours {
            let of_builtins = match native {
                Some(NativeCallable::Function { module: "builtins", name }) => {
                    matches!(
                        name.as_str(),
                        "abs" | "divmod" | "getattr" | "hasattr" | "isinstance" | "len" | "pow" | "round" | "type"
                    )
                }
                Some(NativeCallable::Type(class)) => {
                    let types = &vm.ctx.types;
                    let numbers = [types.float_type, types.int_type, types.bool_type];
                    if let [object] = args.args.as_slice()
                        && args.kwargs.is_empty()
                        && tensor::of(object).is_some()
                        && numbers.iter().any(|it| class.is(*it))
                    {
                        return self.number_of_tensor(state, callable, object).map(Some);
                    }
                    class.is(types.type_type) && args.args.len() == 1
                }
                _ => false,
            };
            let has_tensor = args.args.iter().chain(args.kwargs.values()).any(|it| tensor::of(it).is_some());
            if !of_builtins || !has_tensor {
                return Ok(None);
            }
        }
        let (positional, names): (usize, Vec<String>) =
            (args.args.len(), args.kwargs.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect());
        let mut operands: Vec<PyObjectRef> = args.args.iter().chain(args.kwargs.values()).cloned().collect();
        let shapes = shapes_among(native, positional);
        let is_literal = |(at, it): (usize, &PyObjectRef)| !shapes.contains(&at) && self.is_large_literal(it);
        if self.tensors.later_sizes && !library.is_callable(callable) && operands.iter().enumerate().any(is_literal) {
            return Err(self.unknown_size().into());
        }
        for at in shapes {
            operands[at] = self.as_shape(&operands[at])?;
        }
        if receiver.is_some_and(|it| tensor::of(&it).is_some_and(|it| it.staged().is_none())) {
            // The attribute was read of a stand-in.
            return Err(elements().into());
        }
        let callable = callable.clone();
        let made = self.traced(state, &operands, |it, vm| {
            let (positional, named) = it.split_at(positional);
            let kwargs = KwArgs::from_iter(names.iter().cloned().zip(named.iter().cloned()));
            callable.call(FuncArgs::new(positional.to_vec(), kwargs), vm)
        })?;
        Ok(Some(made))
    }

    /// `float(x)`, `int(x)`, `bool(x)`.
    fn number_of_tensor(&mut self, state: &State, class: &PyObjectRef, object: &PyObjectRef) -> Step<PyObjectRef> {
        let is_bool = class.is(self.vm.ctx.types.bool_type);
        let is_scalar = tensor::of(object).is_some_and(|it| it.count() == 1 && (is_bool || it.rank() == 0));
        let item = if is_scalar { self.element_of(state, object)? } else { None };
        let Some(item) = item else {
            let class = class.clone();
            return self.traced(state, std::slice::from_ref(object), |it, vm| class.call((it[0].clone(),), vm));
        };
        let native = native_callable(class, self.vm).expect("the caller looked");
        match self.call_builtin(&mut state.clone(), class, &native, &FuncArgs::new(vec![item], KwArgs::default()))? {
            Some(number) => Ok(number),
            None => Err(elements().into()),
        }
    }

    /// Whether two objects, one of them a tensor that is known later, are one.
    pub(crate) fn are_one_tensor(&mut self, state: &State, x: &PyObjectRef, y: &PyObjectRef) -> Step<PyObjectRef> {
        if let Some(is) = self.is_same_tensor(x, y) {
            return Ok(self.vm.ctx.new_bool(is).into());
        }
        if [x, y].into_iter().any(|it| tensor::staged(it).is_some_and(|(it, _)| it.element.is_some())) {
            self.restart(state)?;
            return Err(refuse("S263", "which of several arrays without axes this one is").into());
        }
        let ((x, _), (y, _)) = (self.value_of_tensor(state, x)?, self.value_of_tensor(state, y)?);
        let is = self.tensor_op(state, TensorOp::Same, &[x, y], vec![Type::Bool])[0];
        Ok(self.rep(is))
    }

    /// The same as far as it is known already.
    fn is_same_tensor(&self, x: &PyObjectRef, y: &PyObjectRef) -> Option<bool> {
        let values = [x, y].map(|it| tensor::staged(it).map(|(staged, _)| Value::new(staged.value as usize)));
        let is_element = |it: &PyObjectRef| tensor::staged(it).is_some_and(|(it, _)| it.element.is_some());
        let is_new = |value: Value| matches!(self.func.definition(value), Some((Op::Tensor(..), _)));
        let is_given = |value: Value| self.func.params().contains(&value);
        match values {
            // Which objects elements are is known, but for what functions of the IR are given and give back.
            [Some(_), Some(_)] if is_element(x) || is_element(y) => {
                let calls = self.func.insts.values().any(|it| matches!(it.op, Op::Call(..)));
                (self.calls.building == 0 && !calls).then_some(x.is(y))
            }
            [Some(a), Some(b)] if a == b => Some(true),
            // What an operation has made is not what another one has made, or what there was before.
            [Some(a), Some(b)] => {
                let apart = is_new(a) && (is_new(b) || is_given(b)) || is_given(a) && is_new(b);
                let of_the_world = [a, b].into_iter().any(|it| self.is_of_the_world(it));
                (apart && !of_the_world).then_some(false)
            }
            [Some(_), None] if tensor::of(y).is_none() => Some(false),
            [None, Some(_)] if tensor::of(x).is_none() => Some(false),
            _ => None,
        }
    }

    /// Whether a value is a tensor that the code knows.
    fn is_of_the_world(&self, value: Value) -> bool {
        let Some((Op::Tensor(host, _), _)) = self.func.definition(value) else { return false };
        matches!(self.hosts[host.index()], HostKind::Known(_) | HostKind::Field)
    }
}

/// Which arguments of a function of the library are shapes, and nothing but that.
fn shapes_among(callable: Option<&NativeCallable>, positional: usize) -> std::ops::Range<usize> {
    let shapes = match callable {
        Some(NativeCallable::Function { module: "_snekpy_numpy", name }) => match name.as_str() {
            "_full" => 0..1,
            "_broadcast_to" | "_arange" => 1..2,
            "_eye" => 0..2,
            "_random_bits" => 2..3,
            _ => 0..0,
        },
        Some(NativeCallable::Method { name, .. }) if name == "reshape" => 0..positional,
        _ => 0..0,
    };
    shapes.start.min(positional)..shapes.end.min(positional)
}

/// The type of an element as a number.
pub(super) const fn number_of(dtype: Dtype) -> Type {
    match dtype.kind() {
        Kind::Bool => Type::Bool,
        Kind::Int => Type::I64,
        Kind::Float => Type::F64,
    }
}

/// Why an object is none that operations on tensors take.
fn no_array_of(object: &PyObjectRef) -> Stop {
    match values::staged_in(object) {
        Some(list) if list.items.has_arrays() => values::unknown_length("an array of all items"),
        _ => elements().into(),
    }
}

fn elements() -> crate::capture::step::Refused {
    refuse("S347", "this has to know what is in a tensor, which is known only later")
        .help("compute it with functions of `snekpy.numpy`, or outside staged code")
}

pub(super) fn copied() -> crate::capture::step::Refused {
    refuse(COPIED, "elements of an array on a device are copied to the CPU here, where this is done")
}

fn new_slice(start: &PyObjectRef, stop: &PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
    PySlice { start: Some(start.clone()), stop: stop.clone(), step: None }.into_ref(&vm.ctx).into()
}
