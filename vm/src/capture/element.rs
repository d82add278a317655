//! Elements of tensors as numbers.
//!
//! What `x[i]` gives is an object of the library without axes. In compiled code it is an *element*: a number in a register
//! with its dtype, which becomes an object where somebody sees one, that is, in templates and where an operation wants a
//! tensor. Nothing of the library is told twice for it: its functions run as ever, and what they write down
//! ([`crate::capture::tensor`]) becomes arithmetic where operands are elements, a load where one position of each axis is
//! copied, and a store where it is assigned to.
//!
//! An element is an object of the program: which of its names stand for one object is part of the shape of a path. Who
//! writes into one, or asks which object it is, makes the call plain; what is handed to the VM becomes a tensor first.
//!
//! Code that is differentiated knows none, and neither does a handle's.

mod number;
mod unknown;

use rustpython_vm::builtins::PyTuple;
use rustpython_vm::function::{FuncArgs, KwArgs};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::{Entity, HostId, Inst, Value};
use snekpy_stage::home::Home;
use snekpy_stage::ir::Def;
use snekpy_stage::op::{Acts, Bit2, Cmp, Const, Op, Wrap2};
use snekpy_stage::sizes;
use snekpy_stage::tensor::trace::{self, Staged};
use snekpy_stage::tensor::{Dims, Dtype, Given, Kind, Tensor, TensorOp};
use snekpy_stage::types::{ArrayType, TensorType, Type};

use crate::capture::session::Session;
use crate::capture::shape;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::exit::HostKind;
use crate::tensor;

/// Functions of `math` that ask all their arguments for floats.
const OF_FLOATS: [&str; 35] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "fmod",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log10",
    "log1p",
    "log2",
    "pow",
    "radians",
    "remainder",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
];
/// Those that ask for integers.
const OF_INTS: [&str; 6] = ["comb", "factorial", "gcd", "isqrt", "lcm", "perm"];

/// The type of the number that an element of a dtype is.
pub(crate) const fn number_type(dtype: Dtype) -> Type {
    dtype.elem().value_type()
}

/// Which elements of tensors are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Elements {
    /// None: all are tensors without axes.
    None,
    /// Those that are read of a tensor, and what is computed with them.
    Read,
    /// And whatever else the library makes without axes: in kernels, where nothing but numbers is.
    All,
}

/// What one instruction has written down so far.
#[derive(Default)]
pub(super) struct Written {
    /// How many instructions of the IR there were before.
    since: usize,
    /// Operations that nobody needs any more: their results are used as numbers.
    absorbed: Vec<Inst>,
    /// Whether it writes into an element.
    pub(super) changes_element: bool,
    /// Whether elements of a tensor on a device would be copied for it.
    pub(super) copies: bool,
}

impl Written {
    pub(super) fn since(insts: usize) -> Self {
        Self { since: insts, ..Self::default() }
    }
}

/// A number with its dtype.
#[derive(Clone, Copy)]
struct Number {
    value: Value,
    dtype: Dtype,
}

impl Session<'_> {
    /// What an operation gives where it is one on elements.
    pub(super) fn on_elements(
        &mut self,
        state: &State,
        op: &TensorOp,
        operands: &[Staged],
        gives: Option<&(Dtype, Dims)>,
        written: &mut Written,
    ) -> Option<Staged> {
        if self.rules.elements == Elements::None {
            return None;
        }
        let dims = gives.map_or(&[][..], |(_, dims)| dims);
        if let TensorOp::Full { .. } | TensorOp::Constant(_) | TensorOp::Number(_) = op {
            if self.rules.elements != Elements::All || !dims.is_empty() {
                return None;
            }
            let number = self.number_made(state, op, operands.first().map(|it| value_of(*it)))?;
            return Some(self.as_element(number));
        }
        let first = *operands.first()?;
        match op {
            TensorOp::PickAt { along, inside: false } => self.view_inside(state, operands, *along, gives?),
            TensorOp::Copy | TensorOp::Reshape(_) | TensorOp::Broadcast(_)
                if dims.is_empty() && first.element.is_some() =>
            {
                Some(first)
            }
            TensorOp::Copy if dims.is_empty() => {
                let number = self.loaded(state, value_of(first))?;
                Some(self.as_element(number))
            }
            TensorOp::Item => {
                let value = match first.element {
                    Some(_) => value_of(first),
                    None => self.loaded(state, value_of(first))?.value,
                };
                Some(self.staged(value))
            }
            TensorOp::Assign | TensorOp::Num2Into(_) | TensorOp::Real2Into(_) | TensorOp::Scatter(_)
                if first.element.is_some() =>
            {
                written.changes_element = true;
                trace::look();
                Some(self.staged(value_of(first)))
            }
            TensorOp::Assign => {
                let [place, value] = operands else { return None };
                self.store_element(state, value_of(*place), *value, written)?;
                Some(self.staged(value_of(*place)))
            }
            op => {
                let (dtype, _) = gives.filter(|(_, dims)| dims.is_empty())?;
                let all = self.numbers(state, operands, written)?;
                let value = self.computed(state, op, &all)?;
                Some(self.as_element(Number { value, dtype: *dtype }))
            }
        }
    }

    /// The value of a tensor for an operation that wants one.
    pub(super) fn as_tensor(&mut self, state: &State, staged: Staged) -> Value {
        let Some(dtype) = staged.element else { return value_of(staged) };
        let ty = Type::Tensor(TensorType::new(dtype, &[]));
        self.tensor_op(state, TensorOp::Number(dtype), &[value_of(staged)], vec![ty])[0]
    }

    /// What the recorder calls an element.
    fn as_element(&self, number: Number) -> Staged {
        Staged { element: Some(number.dtype), ..self.staged(number.value) }
    }

    /// The object of an element.
    pub(crate) fn element_object(&self, value: Value, dtype: Dtype) -> PyObjectRef {
        let library = tensor::library().expect("there are tensors, so there is a library of them");
        let number = self.as_element(Number { value, dtype });
        let tensor = Tensor::stand_in(number, dtype, &[], Home::HERE).expect("it has no axes");
        library.array(tensor, self.vm)
    }

    /// The only element of a tensor, if it is a number already or one position of a tensor.
    pub(super) fn number_in(&mut self, state: &State, staged: Staged) -> Option<Value> {
        match staged.element {
            Some(_) => Some(value_of(staged)),
            None if self.rules.elements == Elements::None => None,
            None => self.loaded(state, value_of(staged)).map(|it| it.value),
        }
    }

    /// Takes out the operations of an instruction that nobody needs. `made` is what it has made.
    pub(super) fn drop_absorbed(&mut self, state: &State, written: &Written, made: Option<&PyObjectRef>) {
        for &inst in written.absorbed.iter().rev() {
            let result = self.func.insts[inst].results[0];
            let insts = &self.func.blocks[state.block].insts;
            let is_used = insts
                .iter()
                .rev()
                .take_while(|it| it.index() > inst.index())
                .any(|it| self.func.insts[*it].args.contains(&result));
            if !is_used && !made.is_some_and(|made| holds(made, result)) {
                self.func.blocks[state.block].insts.retain(|it| *it != inst);
            }
        }
    }

    /// A call of a function of `math` with tensors without axes: it asks them for numbers.
    pub(super) fn call_on_elements(
        &mut self,
        state: &State,
        callable: &PyObjectRef,
        name: &str,
        args: &[PyObjectRef],
    ) -> Step<Option<PyObjectRef>> {
        if !args.iter().any(|it| tensor::of(it).is_some_and(|it| it.rank() == 0)) {
            return Ok(None);
        }
        let (on_floats, on_ints) = (OF_FLOATS.contains(&name), OF_INTS.contains(&name));
        let mut numbers = Vec::with_capacity(args.len());
        for arg in args {
            let kind = tensor::of(arg).map(|it| (it.rank(), it.dtype().kind()));
            numbers.push(match kind {
                None => arg.clone(),
                Some((0, Kind::Int)) if on_ints => self.number_in_tensor(state, arg)?,
                Some((0, _)) if on_floats => {
                    let number = self.number_in_tensor(state, arg)?;
                    let Some(num) = self.number(&number)? else { return Ok(None) };
                    let float = self.as_float(state, num);
                    self.rep(float)
                }
                Some(_) => return Ok(None),
            });
        }
        self.call_math(&mut state.clone(), callable, name, &FuncArgs::new(numbers, KwArgs::default()))
    }

    /// Makes tensors of the elements in these objects, wherever the path has them: they are handed to the VM.
    pub(crate) fn hand_out_elements(&mut self, state: &mut State, objects: &[PyObjectRef]) -> bool {
        let mut found: Vec<(PyObjectRef, PyObjectRef)> = Vec::new();
        let mut left: Vec<PyObjectRef> = objects.to_vec();
        while let Some(object) = left.pop() {
            if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(self.vm) {
                left.extend(tuple.as_slice().iter().cloned());
            } else if let Some((staged, ty)) = tensor::staged(&object)
                && staged.element.is_some()
                && staged.owner == self.owner
                && !found.iter().any(|(known, _)| known.is(&object))
            {
                let value = self.as_tensor(state, staged);
                found.push((object, self.tensor_object(value, ty)));
            }
        }
        if found.is_empty() {
            return false;
        }
        let seen = self.suspend(state.clone());
        let roots = self.roots(&seen);
        *state = shape::replace_leaves(self, &seen, &roots, |_, object| {
            let known = found.iter().find(|(known, _)| known.is(object));
            known.map_or_else(|| object.clone(), |(_, made)| made.clone())
        });
        self.activate(state);
        true
    }

    /// A view of a position that is known later, which is checked before.
    fn view_inside(
        &mut self,
        state: &State,
        operands: &[Staged],
        along: usize,
        (dtype, dims): &(Dtype, Dims),
    ) -> Option<Staged> {
        let &[x, at] = operands else { return None };
        let (x, at) = (self.as_tensor(state, x), value_of(at));
        let Type::Tensor(ty) = self.func.ty(x) else { return None };
        let size = *ty.shape.dims().get(along)?;
        let size = self.extent(state, size);
        let at = self.position(state, at, size);
        let op = TensorOp::PickAt { along, inside: true };
        let view =
            self.tensor_op(state, op, &[x, at], vec![Type::Tensor(TensorType::new(*dtype, dims).at(ty.home))])[0];
        Some(self.staged(view))
    }

    /// A position of an axis of this size, from its beginning. Another one leaves: plain Python raises.
    fn position(&mut self, state: &State, at: Value, length: Value) -> Value {
        if let (Some(Const::I64(at_now)), Some(Const::I64(size))) = (self.func.as_const(at), self.func.as_const(length))
            && (0..size).contains(&at_now)
        {
            return at;
        }
        let zero = self.int(state, 0);
        let from_end = self.value(state, Op::Wrap2(Wrap2::Add), &[at, length]);
        let is_negative = self.cmp(state, Cmp::Lt, at, zero);
        let at = self.value(state, Op::Select, &[is_negative, from_end, at]);
        let (low, high) = (self.cmp(state, Cmp::Ge, at, zero), self.cmp(state, Cmp::Lt, at, length));
        let is_inside = self.value(state, Op::Bit2(Bit2::And), &[low, high]);
        let exit = self.exit_at_checkpoint("IndexError");
        self.emit(state, Op::Guard(exit), &[is_inside]);
        at
    }

    /// The place that is so many steps further.
    fn further(&mut self, state: &State, place: Value, at: Value, step: Value) -> Value {
        let distance = self.value(state, Op::Wrap2(Wrap2::Mul), &[at, step]);
        self.value(state, Op::Wrap2(Wrap2::Add), &[place, distance])
    }

    /// Where the element is that a view of one position of each axis shows: the array, and the place in it.
    fn place(&mut self, state: &State, view: Value) -> Option<(Value, Value, Dtype)> {
        let (base, at) = self.position_of_each(view)?;
        let Type::Tensor(ty) = self.func.ty(base) else { return None };
        let at: Vec<Value> = at
            .into_iter()
            .zip(ty.shape.dims())
            .map(|(it, &size)| match it {
                At::Known(it) if self.tensors.later_sizes && sizes::is_later(size) => {
                    let at = match usize::try_from(it) {
                        Ok(at) => self.extent(state, at),
                        Err(_) => self.int(state, it),
                    };
                    let size = self.extent(state, size);
                    self.position(state, at, size)
                }
                At::Known(it) => self.int(state, it),
                At::Later(it) => it,
            })
            .collect();
        let memory = self.memory(state, base, ty)?;
        let (&[array, mut place], steps) = memory.split_first_chunk()?;
        for (at, step) in at.into_iter().zip(steps) {
            place = self.further(state, place, at, *step);
        }
        Some((array, place, ty.dtype))
    }

    /// The element that such a view shows now.
    fn loaded(&mut self, state: &State, view: Value) -> Option<Number> {
        let (array, place, dtype) = self.place(state, view)?;
        Some(Number { value: self.value(state, Op::Load, &[array, place]), dtype })
    }

    /// Writes a number to where such a view is.
    fn store_element(&mut self, state: &State, view: Value, given: Staged, written: &mut Written) -> Option<()> {
        let dtype = match self.func.ty(view) {
            Type::Tensor(ty) if ty.shape.dims().is_empty() => ty.dtype,
            _ => return None,
        };
        self.position_of_each(view)?;
        let [number] = self.numbers_of(state, &[given], written)?[..] else { return None };
        let value = self.cast(state, number, dtype)?;
        let (array, place, _) = self.place(state, view)?;
        self.emit(state, Op::Store, &[array, place, value]);
        Some(())
    }

    /// The tensor that a view without axes is of, and which position of each of its axes.
    fn position_of_each(&self, view: Value) -> Option<(Value, Vec<At>)> {
        let (mut base, mut at) = (view, Vec::new());
        while let Some((Op::Tensor(host, _), args)) = self.func.definition(base) {
            let Type::Tensor(of) = args.first().map(|it| self.func.ty(*it)).unwrap_or(Type::Bool) else { break };
            match self.module.hosts[host].tensor.as_ref()? {
                TensorOp::Pick { along, at: position } => {
                    let size = i64::try_from(of.shape.dims()[*along]).ok()?;
                    at.insert(*along, At::Known(if *position < 0 { position + size } else { *position }));
                }
                TensorOp::PickAt { along, inside: true } => at.insert(*along, At::Later(args[1])),
                TensorOp::Permute(order) => {
                    let turned = at.clone();
                    for (here, &axis) in turned.into_iter().zip(order) {
                        at[axis] = here;
                    }
                }
                _ => break,
            }
            base = args[0];
        }
        let Type::Tensor(ty) = self.func.ty(base) else { return None };
        (!at.is_empty() && at.len() == ty.shape.dims().len()).then_some((base, at))
    }

    /// Where the elements of a tensor are: the array of all its memory, where the first one is, and the steps.
    fn memory(&mut self, state: &State, tensor: Value, ty: TensorType) -> Option<Vec<Value>> {
        if ty.home.is_there() {
            return None;
        }
        let elem = ty.dtype.elem();
        let host = match self.tensors.memories.get(&ty) {
            Some(host) => *host,
            None => {
                let mut results = vec![Type::Array(ArrayType { elem, len: None }), Type::I64];
                results.resize(2 + ty.shape.dims().len(), Type::I64);
                let host = self.host("memory", vec![Type::Tensor(ty)], results, HostKind::Tensor);
                self.module.hosts[host].tensor = Some(TensorOp::Memory(ty.dtype));
                self.tensors.memories.insert(ty, host);
                host
            }
        };
        Some(self.emit(state, Op::Tensor(host, Acts::Asks), &[tensor]))
    }

    /// The host function that gives a tensor of the world.
    pub(super) fn world(&mut self, object: &PyObjectRef, ty: TensorType) -> HostId {
        if let Some((_, host)) = self.tensors.worlds.iter().find(|(known, _)| known.is(object)) {
            return *host;
        }
        let host = self.host("world", Vec::new(), vec![Type::Tensor(ty)], HostKind::Known(object.clone()));
        self.module.hosts[host].tensor = Some(TensorOp::World);
        self.tensors.worlds.push((object.clone(), host));
        host
    }

    /// The operands as numbers, if one of them is an element.
    fn numbers(&mut self, state: &State, operands: &[Staged], written: &mut Written) -> Option<Vec<Number>> {
        if !operands.iter().any(|it| it.element.is_some()) { None } else { self.numbers_of(state, operands, written) }
    }

    /// The operands as numbers, if none has axes.
    fn numbers_of(&mut self, state: &State, operands: &[Staged], written: &mut Written) -> Option<Vec<Number>> {
        let fits = |it: &Staged| match (it.element, self.func.ty(value_of(*it))) {
            (Some(_), _) => true,
            (None, Type::Tensor(ty)) => !ty.home.is_there() && ty.shape.dims().is_empty(),
            (None, _) => false,
        };
        if !operands.iter().all(fits) {
            return None;
        }
        operands.iter().map(|it| self.number_of(state, *it, written)).collect()
    }

    fn number_of(&mut self, state: &State, staged: Staged, written: &mut Written) -> Option<Number> {
        let tensor = value_of(staged);
        if let Some(dtype) = staged.element {
            return Some(Number { value: tensor, dtype });
        }
        if let Def::Result(inst, _) = self.func.values[tensor].def
            && inst.index() >= written.since
            && let Op::Tensor(host, Acts::Makes) = self.func.insts[inst].op
            && let Some(number) = self.just_made(state, host, inst)
        {
            written.absorbed.push(inst);
            return Some(number);
        }
        if let Some(number) = self.loaded(state, tensor) {
            return Some(number);
        }
        let Type::Tensor(ty) = self.func.ty(tensor) else { return None };
        let number = number_type(ty.dtype);
        let value = self.tensor_op(state, TensorOp::Item, &[tensor], vec![number])[0];
        Some(Number { value, dtype: ty.dtype })
    }

    /// The number that the library has just made a tensor of, which nobody else has.
    fn just_made(&mut self, state: &State, host: HostId, inst: Inst) -> Option<Number> {
        let op = self.module.hosts[host].tensor.clone()?;
        let given = self.func.insts[inst].args.first().copied();
        self.number_made(state, &op, given)
    }

    /// The number of which an operation makes a tensor without axes; it may be given one.
    fn number_made(&mut self, state: &State, op: &TensorOp, given: Option<Value>) -> Option<Number> {
        match op {
            TensorOp::Full { .. } | TensorOp::Constant(_) => {
                let Ok(Given::Tensor(made)) = trace::eagerly(|| op.apply(&[])) else { return None };
                let constant = number::constant(made.only_item()?);
                Some(Number { value: self.constant(state.block, constant), dtype: made.dtype() })
            }
            TensorOp::Number(dtype) => {
                let value = self.number_as(state, given?, *dtype)?;
                Some(Number { value, dtype: *dtype })
            }
            _ => None,
        }
    }
}

/// A position.
#[derive(Clone, Copy)]
enum At {
    Known(i64),
    Later(Value),
}

pub(crate) fn value_of(staged: Staged) -> Value {
    Value::new(staged.value as usize)
}

/// Whether an object is a value, or a tuple with it.
fn holds(object: &PyObjectRef, value: Value) -> bool {
    match object.downcast_ref::<PyTuple>() {
        Some(tuple) => tuple.as_slice().iter().any(|it| holds(it, value)),
        None => tensor::staged(object).is_some_and(|(staged, _)| value_of(staged) == value),
    }
}
