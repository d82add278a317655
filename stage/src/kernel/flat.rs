//! Tensors of a body become flat arrays.
//!
//! A body is captured with tensors for arguments, of which it reads elements. A kernel knows no tensors: each becomes the
//! array of its elements, the last axis fastest. A size that is known only later becomes the length of an array where there
//! is one of that axis alone; others are inputs, behind the ones that there were, and behind these come the tensors that the
//! host knows.

use std::collections::BTreeMap;

use super::Fault;
use crate::entity::{FuncId, HostId, Inst, Table, Value};
use crate::ir::{Function, Module};
use crate::op::{Const, ObjectOp, Op, Wrap2};
use crate::pass::edit::Substitution;
use crate::sizes::{is_later, number_of};
use crate::tensor::TensorOp;
use crate::types::{ArrayType, TensorType, Type};

/// What has become inputs, in this order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Inputs {
    /// Sizes.
    pub sizes: Vec<usize>,
    /// Arrays that host functions give.
    pub worlds: Vec<HostId>,
}

/// Makes flat arrays of the tensors in the main function of a body.
///
/// # Errors
/// A [`Fault`] where it does something else with a tensor than to read elements.
pub fn flatten(module: &mut Module) -> Result<Inputs, Fault> {
    let main = module.main();
    let Module { funcs, hosts, .. } = &mut *module;
    let mut flat = Flat::new(&mut funcs[main]);
    for block in flat.func.blocks.keys() {
        for inst in std::mem::take(&mut flat.func.blocks[block].insts) {
            let data = &flat.func.insts[inst];
            let op = match data.op {
                // Nothing of the host's is counted in a kernel.
                Op::Object(ObjectOp::Retain | ObjectOp::Release)
                    if matches!(flat.func.ty(data.args[0]), Type::Tensor(_)) =>
                {
                    continue;
                }
                Op::Tensor(host, _) => hosts[host].tensor.as_ref().map(|op| (host, op)),
                _ => None,
            };
            match op {
                Some((host, TensorOp::World)) => flat.world(host, inst),
                Some((_, op)) => flat.write(op, inst).ok_or_else(|| fault(&flat.func.name, op, (main, inst)))?,
                None => flat.made.push(inst),
            }
        }
        flat.func.blocks[block].insts = std::mem::take(&mut flat.made);
    }
    let inputs = flat.end();
    let is_of_host = |&inst: &Inst, func: &Function| matches!(func.insts[inst].op, Op::Host(..) | Op::Tensor(..));
    let calls_host = |func: &Function| func.blocks.values().flat_map(|it| &it.insts).any(|it| is_of_host(it, func));
    if !module.funcs.values().any(calls_host) {
        module.hosts = Table::new();
    }
    for data in module.exits.values_mut() {
        data.types.iter_mut().for_each(|ty| *ty = as_array(*ty));
    }
    Ok(inputs)
}

fn fault(func: &str, op: &TensorOp, at: (FuncId, Inst)) -> Fault {
    let name = |op: &TensorOp| op.to_string().split(' ').next().unwrap_or_default().to_owned();
    let name = match op {
        TensorOp::Fused(group) => group.members().iter().map(|it| name(&it.op)).collect::<Vec<_>>().join(", "),
        op => name(op),
    };
    Fault { rule: "tensor", message: format!("`{func}` has `{name}` of arrays, which no kernel has"), inst: Some(at) }
}

/// The type of what a tensor becomes.
fn as_array(ty: Type) -> Type {
    match ty {
        Type::Tensor(tensor) => Type::Array(ArrayType { elem: tensor.dtype.elem(), len: None }),
        other => other,
    }
}

struct Flat<'a> {
    func: &'a mut Function,
    /// The instructions of the block so far.
    made: Vec<Inst>,
    /// The sizes that are known later.
    extents: BTreeMap<usize, Value>,
    inputs: Inputs,
    /// The tensors that the host knows, as parameters.
    worlds: BTreeMap<HostId, Value>,
    substitution: Substitution,
}

impl<'a> Flat<'a> {
    fn new(func: &'a mut Function) -> Self {
        let mut it = Flat {
            func,
            made: Vec::new(),
            extents: BTreeMap::new(),
            inputs: Inputs::default(),
            worlds: BTreeMap::new(),
            substitution: Substitution::new(),
        };
        let entry = it.func.entry();
        let tensors: Vec<(Value, TensorType)> = it.func.params().iter().filter_map(|&value| it.tensor(value)).collect();
        for (value, ty) in &tensors {
            if let &[size] = ty.shape.dims()
                && number_of(size).is_some()
            {
                // It is needed wherever it was asked for.
                let length = it.inst(Op::Len, &[*value]);
                it.extents.entry(size).or_insert(length);
            }
        }
        for &size in tensors.iter().flat_map(|(_, ty)| ty.shape.dims()) {
            if number_of(size).is_some() && !it.extents.contains_key(&size) {
                let input = it.func.append_param(entry, Type::I64);
                it.extents.insert(size, input);
                it.inputs.sizes.push(size);
            }
        }
        it
    }

    fn tensor(&self, value: Value) -> Option<(Value, TensorType)> {
        match self.func.ty(value) {
            Type::Tensor(ty) => Some((value, ty)),
            _ => None,
        }
    }

    /// A tensor that the host knows becomes a parameter.
    fn world(&mut self, host: HostId, inst: Inst) {
        let given = self.func.insts[inst].results[0];
        let param = match self.worlds.get(&host) {
            Some(param) => *param,
            None => {
                let (entry, ty) = (self.func.entry(), self.func.ty(given));
                let param = self.func.append_param(entry, ty);
                self.inputs.worlds.push(host);
                self.worlds.insert(host, param);
                param
            }
        };
        self.substitution.replace(given, param);
    }

    /// Writes what stands for an operation on a tensor.
    fn write(&mut self, op: &TensorOp, inst: Inst) -> Option<()> {
        let (args, results) = (self.func.insts[inst].args.clone(), self.func.insts[inst].results.clone());
        match op {
            TensorOp::Memory(_) => {
                let (array, ty) = self.tensor(args[0])?;
                let (&[memory, first], steps) = results.split_first_chunk()?;
                self.substitution.replace(memory, array);
                let start = self.int(0);
                self.substitution.replace(first, start);
                let mut step = self.int(1);
                for (axis, &result) in steps.iter().enumerate().rev() {
                    if let Some(&size) = ty.shape.dims().get(axis + 1) {
                        let size = self.extent(size)?;
                        step = self.inst(Op::Wrap2(Wrap2::Mul), &[step, size]);
                    }
                    self.substitution.replace(result, step);
                }
            }
            TensorOp::Item => {
                let (array, ty) = self.tensor(args[0]).filter(|(_, ty)| ty.count() == 1)?;
                let start = self.int(0);
                let made = self.func.make_inst(Op::Load, vec![array, start], &[ty.dtype.elem().value_type()], None);
                self.made.push(made);
                self.substitution.replace(*results.first()?, self.func.insts[made].results[0]);
            }
            TensorOp::Extent(size) => {
                let extent = self.extent(*size)?;
                self.substitution.replace(*results.first()?, extent);
            }
            _ => return None,
        }
        Some(())
    }

    /// A size; `None` if it is something that follows from others.
    fn extent(&mut self, size: usize) -> Option<Value> {
        match self.extents.get(&size) {
            Some(extent) => Some(*extent),
            None if is_later(size) && !self.extents.is_empty() => None,
            None => Some(self.int(i64::try_from(size).ok()?)),
        }
    }

    fn int(&mut self, value: i64) -> Value {
        let (inst, value) = self.func.make_const(Const::I64(value), None);
        self.made.push(inst);
        value
    }

    fn inst(&mut self, op: Op, args: &[Value]) -> Value {
        let (inst, value) = self.func.make_value(op, args.to_vec(), Type::I64, None);
        self.made.push(inst);
        value
    }

    fn end(mut self) -> Inputs {
        self.substitution.apply(self.func);
        for value in self.func.values.keys().collect::<Vec<_>>() {
            self.func.values[value].ty = as_array(self.func.values[value].ty);
        }
        self.inputs
    }
}
