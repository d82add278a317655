//! What a captured function gives, as the results of a kernel's body.

use std::collections::HashMap;

use rustpython_vm::VirtualMachine;
use rustpython_vm::builtins::PyTuple;
use snekpy_stage::entity::{Entity, ExitId, Value};
use snekpy_stage::ir::{Module, Terminator};
use snekpy_stage::op::{Cmp, Const, Convert, Op};
use snekpy_stage::tensor::Dtype;
use snekpy_stage::types::{Elem, Type};

use crate::captured::Captured;
use crate::exit::{Effect, ExitKind, Template};
use crate::scalar;

/// Where a result comes from.
#[derive(Clone, Copy)]
enum Source {
    /// The captured function gives it at this position; an element of an array has a dtype.
    Result(usize, Option<Dtype>),
    /// It is known.
    Known(Const),
}

impl Source {
    /// The type, where values of these types are given.
    fn ty(self, given: &[Type]) -> Type {
        match self {
            Self::Result(position, _) => given[position],
            Self::Known(Const::Bool(_)) => Type::Bool,
            Self::Known(Const::I64(_)) => Type::I64,
            Self::Known(Const::F64(_)) => Type::F64,
        }
    }

    /// How a result of this type is stored if nothing is said.
    const fn elem(self, ty: Type) -> Elem {
        match (self, ty) {
            (Self::Result(_, Some(dtype)), _) => dtype.elem(),
            (_, Type::Bool) => Elem::Bool,
            (_, Type::F64) => Elem::F64,
            _ => Elem::I64,
        }
    }
}

/// What a captured function gives where it returns.
pub(super) struct Results {
    /// Whether that is a tuple.
    pub(super) is_tuple: bool,
    /// Where it comes from; where there are results of several shapes, for each exit by which one is given.
    ways: Vec<(Option<ExitId>, Vec<Source>)>,
}

impl Results {
    /// What it is; or what there is that no kernel gives.
    pub(super) fn of(captured: &Captured, vm: &VirtualMachine) -> Result<Self, &'static str> {
        let exits = captured.exits.iter().enumerate().filter_map(|(index, exit)| match exit {
            ExitKind::Return { result, effects } => Some((Some(ExitId::new(index)), result, effects)),
            _ => None,
        });
        let mut returns: Vec<(Option<ExitId>, &Template, &Vec<Effect>)> = exits.collect();
        if returns.is_empty() {
            returns.push((None, &captured.result, &captured.effects));
        }
        let mut is_tuple = None;
        let mut ways = Vec::new();
        for (exit, template, effects) in returns {
            if !effects.is_empty() {
                return Err("changes objects");
            }
            let (sources, of_tuple) = sources(template, vm)?;
            let is_like = is_tuple.replace(of_tuple).is_none_or(|it| it == of_tuple);
            if !is_like || ways.first().is_some_and(|(_, first): &(_, Vec<Source>)| first.len() != sources.len()) {
                return Err("gives results of several types");
            }
            ways.push((exit, sources));
        }
        Ok(Self { is_tuple: is_tuple == Some(true), ways })
    }

    /// Whether what it gives is of one type wherever it returns.
    pub(super) fn are_alike(&self) -> bool {
        self.ways.len() == 1
    }

    /// How each result of these types is stored if nothing is said.
    pub(super) fn elems(&self, types: &[Type]) -> Vec<Elem> {
        self.ways[0].1.iter().zip(types).map(|(source, &ty)| source.elem(ty)).collect()
    }

    /// Whether elements of arrays are among them.
    pub(super) fn have_elements(&self) -> bool {
        self.ways.iter().flat_map(|(_, sources)| sources).any(|it| matches!(it, Source::Result(_, Some(_))))
    }

    /// Makes the main function return them, and gives their types; `None` if these are several.
    pub(super) fn return_all(&self, module: &mut Module) -> Option<Vec<Type>> {
        let main = module.main();
        let Module { funcs, exits, .. } = module;
        let func = &mut funcs[main];
        let mut all = self.ways.iter().map(|(exit, sources)| {
            let given = exit.map_or(&func.results, |exit| &exits[exit].types);
            sources.iter().map(|source| source.ty(given)).collect::<Vec<Type>>()
        });
        let types = all.next()?;
        if all.any(|it| it != types) {
            return None;
        }
        drop(all);
        for block in func.blocks.keys().collect::<Vec<_>>() {
            let Some((sources, given)) = self.given(&func.blocks[block].term) else { continue };
            let loc = func.blocks[block].term_loc;
            let values = sources.iter().zip(&types).map(|(source, &ty)| match source {
                Source::Result(position, _) => given[*position],
                Source::Known(constant) => {
                    let inst = func.make_inst(Op::Const(*constant), Vec::new(), &[ty], loc);
                    func.blocks[block].insts.push(inst);
                    func.insts[inst].results[0]
                }
            });
            func.blocks[block].term = Terminator::Return(values.collect());
        }
        func.results.clone_from(&types);
        Some(types)
    }

    /// Makes an integer of Python's that does not fit in the 32 bits in which it is stored an overflow. It comes first.
    pub(super) fn check_range(&self, module: &mut Module, elems: &[Elem]) {
        let main = module.main();
        let func = &mut module.funcs[main];
        for block in func.blocks.keys().collect::<Vec<_>>() {
            let Some((sources, given)) = self.given(&func.blocks[block].term) else { continue };
            let loc = func.blocks[block].term_loc;
            for (source, &elem) in sources.iter().zip(elems) {
                let (value, mut checks) = match source {
                    _ if elem != Elem::I32 => continue,
                    Source::Result(_, Some(_)) => continue,
                    Source::Result(position, None) => (given[*position], Vec::new()),
                    Source::Known(constant) => {
                        let inst = func.make_inst(Op::Const(*constant), Vec::new(), &[Type::I64], loc);
                        (func.insts[inst].results[0], vec![inst])
                    }
                };
                let low = func.make_inst(Op::Convert(Convert::Int32), vec![value], &[Type::I64], loc);
                let args = vec![func.insts[low].results[0], value];
                let differs = func.make_inst(Op::Cmp(Cmp::Ne), args, &[Type::Bool], loc);
                let check = func.make_inst(Op::OverflowIf, vec![func.insts[differs].results[0]], &[], loc);
                checks.extend([low, differs, check]);
                func.blocks[block].insts.extend(checks);
            }
        }
    }

    /// What is given where a block ends, and where it comes from.
    fn given(&self, term: &Terminator) -> Option<(&[Source], Vec<Value>)> {
        let (exit, given) = match term {
            Terminator::Return(given) => (None, given),
            Terminator::Exit(exit, given) => (Some(*exit), given),
            _ => return None,
        };
        let (_, sources) = self.ways.iter().find(|(way, _)| *way == exit)?;
        Some((sources, given.clone()))
    }
}

/// The results in a template, and whether they are a tuple.
fn sources(template: &Template, vm: &VirtualMachine) -> Result<(Vec<Source>, bool), &'static str> {
    let mut shared = HashMap::new();
    let items = match template {
        Template::Shared { make: Some(make), .. } if matches!(**make, Template::Tuple(_)) => return sources(make, vm),
        Template::Tuple(items) => items.clone(),
        Template::Static(object) => match object.downcast_ref::<PyTuple>() {
            Some(tuple) => tuple.as_slice().iter().cloned().map(Template::Static).collect(),
            None => return Ok((vec![item(template, &mut shared, vm)?], false)),
        },
        one => return Ok((vec![item(one, &mut shared, vm)?], false)),
    };
    if items.is_empty() {
        return Err("returns an object");
    }
    let items = items.iter().map(|it| item(it, &mut shared, vm)).collect::<Result<_, _>>()?;
    Ok((items, true))
}

fn item(template: &Template, shared: &mut HashMap<usize, Source>, vm: &VirtualMachine) -> Result<Source, &'static str> {
    match template {
        Template::Leaf { slot, ty } if ty.is_scalar() => Ok(Source::Result(*slot, None)),
        Template::Leaf { ty: Type::Array(_) | Type::Tensor(_), .. } => Err("returns an array"),
        Template::Element { slot, dtype, .. } => Ok(Source::Result(*slot, Some(*dtype))),
        Template::Shared { id, make: Some(make) } => {
            let made = item(make, shared, vm)?;
            shared.insert(*id, made);
            Ok(made)
        }
        Template::Shared { id, make: None } => shared.get(id).copied().ok_or("returns an object"),
        Template::Static(object) if vm.is_none(object) => Err("returns None"),
        Template::Static(object) if object.downcast_ref::<PyTuple>().is_some() => Err("returns a nested tuple"),
        Template::Static(object) => scalar::constant(object, vm).map(Source::Known).ok_or("returns an object"),
        Template::Tuple(_) => Err("returns a nested tuple"),
        _ => Err("returns an object"),
    }
}
