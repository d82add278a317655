//! Sizes of tensors that are known only later.
//!
//! The library computes with what stands for them ([`snekpy_stage::sizes`]) as with any other size, and what it gives as an
//! integer becomes a number that is asked for when the code runs. Where such a number is to be a size again, it is what
//! stands for it. Whatever cannot do with that is noted, and the sizes are known after all. So are, after a new beginning, the
//! numbers among the arguments that decide what arrays look like.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyInt, PyList, PySlice, PyTuple};
use snekpy_stage::analysis::linear::params;
use snekpy_stage::entity::Value;
use snekpy_stage::op::meaning::cmp_int;
use snekpy_stage::op::{Acts, Cmp, Const, Num2, Op};
use snekpy_stage::sizes;
use snekpy_stage::tensor::TensorOp;
use snekpy_stage::types::Type;

use crate::capture::assumptions::Assumption;
use crate::capture::recursion::IntPassed;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::refuse;
use crate::capture::stop::{Step, Stop};
use crate::capture::value::Num;
use crate::capture::values::{self, Abstract, classify};
use crate::captured::OfArguments;
use crate::exit::HostKind;
use crate::flatten::Root;

impl Session<'_> {
    /// Numbers decide what arrays look like: if they are computed from arguments, the capture starts again, knowing those.
    pub(super) fn know(&self, numbers: &[Value]) -> Step<()> {
        self.to_know(numbers).map_or(Ok(()), |assumption| Err(Stop::Learn(assumption)))
    }

    /// How the capture starts again to know what numbers are computed from, if that may be known: arguments of the call,
    /// or of a function that is differentiated.
    pub(super) fn to_know(&self, numbers: &[Value]) -> Option<Assumption> {
        let of: Vec<Value> = numbers.iter().flat_map(|&it| params(&self.func, it)).collect();
        let asked: Vec<_> = of.iter().filter_map(|it| self.given.ints_passed.get(it)).collect();
        if let Some(first) = asked.first() {
            // The layers of a model say the same, each by an attribute of its own.
            let is_alike =
                |it: &&IntPassed| it.function == first.function && asked.iter().any(|asked| asked.int == it.int);
            let leaves = self.given.ints_passed.values().filter(is_alike).map(|it| it.at).collect();
            return Some(Assumption::Ints(first.function.as_ref().clone().into(), leaves));
        }
        let roots: Vec<Root> = of.iter().filter_map(|it| self.given.numbers_passed.get(it).cloned()).collect();
        (self.given.may_know && !roots.is_empty()).then_some(Assumption::Argument(OfArguments::Know(roots)))
    }

    /// A size as a value.
    pub(super) fn extent(&mut self, state: &State, size: usize) -> Value {
        if !self.tensors.later_sizes || !sizes::is_later(size) {
            return self.int(state, i64::try_from(size).expect("a size is an int"));
        }
        let host = match self.tensors.extents.get(&size) {
            Some(host) => *host,
            None => {
                let host = self.host("extent", Vec::new(), vec![Type::I64], HostKind::Tensor);
                self.module.hosts[host].tensor = Some(TensorOp::Extent(size));
                self.tensors.extents.insert(size, host);
                host
            }
        };
        self.value(state, Op::Tensor(host, Acts::Asks), &[])
    }

    /// Which size a number is, if that is known.
    fn size_of(&self, num: Num) -> Option<i64> {
        match num {
            Num::Static(Const::I64(it)) => Some(it),
            Num::Staged(value, Type::I64) => self.size_of_value(value),
            _ => None,
        }
    }

    fn size_of_value(&self, value: Value) -> Option<i64> {
        if let Some(Const::I64(it)) = self.func.as_const(value) {
            return Some(it);
        }
        match self.func.definition(value)? {
            (Op::Tensor(host, Acts::Asks), []) => match self.module.hosts[host].tensor {
                Some(TensorOp::Extent(size)) => i64::try_from(size).ok(),
                _ => None,
            },
            (Op::Num2(op), &[x, y]) => {
                let (x, y) = (self.size_of_value(x)?, self.size_of_value(y)?);
                match op {
                    Num2::Add => x.checked_add(y),
                    Num2::Sub => x.checked_sub(y),
                    Num2::Mul => x.checked_mul(y),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// How two sizes compare, where that is so for all that may be meant: those that are known only later are greater than 1,
    /// and no two of them equal.
    pub(super) fn compared_sizes(&self, cmp: Cmp, x: Num, y: Num) -> Option<bool> {
        if !self.tensors.later_sizes {
            return None;
        }
        let (x, y) = (self.size_of(x)?, self.size_of(y)?);
        let named = |it: i64| usize::try_from(it).ok().and_then(sizes::number_of).is_some();
        let exceeds = |size: i64, known: i64| {
            let least = usize::try_from(size).ok().and_then(sizes::least);
            !sizes::is_later_int(known) && least.is_some_and(|it| it > known)
        };
        let is_known =
            x == y || named(x) && named(y) && matches!(cmp, Cmp::Eq | Cmp::Ne) || exceeds(x, y) || exceeds(y, x);
        is_known.then(|| cmp_int(cmp, x, y))
    }

    /// An argument that is a shape, for the library: numbers in it that are sizes are what stands for them.
    pub(super) fn as_shape(&mut self, object: &PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        if !self.tensors.later_sizes {
            return Ok(object.clone());
        }
        if let Some(int) = object.downcast_ref_if_exact::<PyInt>(vm) {
            return if is_small(int) { Ok(object.clone()) } else { Err(self.unknown_size().into()) };
        }
        let items = match classify(object, vm) {
            Abstract::Number(Num::Staged(value, Type::I64)) => {
                let size = self.size_of_value(value);
                return Ok(size.map_or_else(|| object.clone(), |size| vm.ctx.new_int(size).into()));
            }
            Abstract::Tuple(tuple) => tuple.as_slice().to_vec(),
            Abstract::List(list) => {
                self.guard_contents(object)?;
                list.borrow_vec().to_vec()
            }
            _ => return Ok(object.clone()),
        };
        let items = items.iter().map(|it| self.as_shape(it)).collect::<Step<Vec<_>>>()?;
        Ok(vm.ctx.new_tuple(items).into())
    }

    /// A slice whose bounds are sizes or known, for the library. `None` if one of them is another number.
    pub(super) fn slice_of_sizes(&mut self, slice: &PySlice) -> Step<Option<PyObjectRef>> {
        if !self.tensors.later_sizes {
            return Ok(None);
        }
        let parts = values::slice_parts(slice).map(|it| self.as_shape(it)).collect::<Step<Vec<_>>>()?;
        let is_known = !parts.iter().any(|it| crate::rep::is_staged(it));
        Ok(is_known.then(|| values::slice_of(slice, parts, self.vm)))
    }

    /// What the library has given, in which sizes that are known only later are numbers.
    pub(super) fn with_extents(&mut self, state: &State, made: PyObjectRef) -> Step<PyObjectRef> {
        let vm = self.vm;
        if !self.tensors.later_sizes {
            return Ok(made);
        }
        if let Some(int) = made.downcast_ref_if_exact::<PyInt>(vm).filter(|it| !is_small(it)) {
            let size = int.as_bigint().try_into().ok().filter(|it| sizes::is_clear(*it));
            let Some(size) = size else { return Err(self.unknown_size().into()) };
            let value = self.extent(state, size);
            return Ok(self.rep(value));
        }
        if let Some(tuple) = made.downcast_ref_if_exact::<PyTuple>(vm) {
            let items = tuple.as_slice().to_vec();
            let items = items.into_iter().map(|it| self.with_extents(state, it)).collect::<Step<Vec<_>>>()?;
            return Ok(vm.ctx.new_tuple(items).into());
        }
        if let Some(list) = made.downcast_ref_if_exact::<PyList>(vm)
            && list.borrow_vec().iter().any(|it| it.downcast_ref_if_exact::<PyInt>(vm).is_some_and(|it| !is_small(it)))
        {
            return Err(self.unknown_size().into());
        }
        Ok(made)
    }

    /// Something has to know a size.
    pub(super) fn unknown_size(&mut self) -> crate::capture::step::Refused {
        self.tensors.needs_sizes = true;
        refuse("S347", "this has to know how large an array is, which is known only later")
    }
}

/// Whether an integer cannot be taken for a size that is known only later.
pub(super) fn is_small(int: &PyInt) -> bool {
    i64::try_from(int.as_bigint()).is_ok_and(|it| !sizes::is_later_int(it))
}
