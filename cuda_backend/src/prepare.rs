//! A kernel as threads run it.

use snekpy_stage::backend::BackendError;
use snekpy_stage::entity::Value;
use snekpy_stage::ir::{Function, Module, Terminator};
use snekpy_stage::kernel::{Kernel, verify};
use snekpy_stage::op::{Cmp, Const, Effect, Op};
use snekpy_stage::pass::{self, Observer};
use snekpy_stage::types::Type;

use crate::late;

/// How a kernel is changed before threads run it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// Failures wait, and there may be some that are none.
    Late,
    /// The same for a launch in which no index of the first dimension, which is the only one, is behind the end of an array.
    Covered,
    /// It fails where it is written that it does.
    Exact,
}

/// The module of a kernel.
pub(crate) fn prepared(kernel: &Kernel, care: Care) -> Result<Module, BackendError> {
    let mut module = indexed(kernel)?;
    if care == Care::Covered {
        answer(&mut module, kernel.rank, |func, cmp, y| (cmp == Cmp::Lt && is_length(func, y)).then_some(true));
        optimise(&mut module)?;
    }
    if care != Care::Exact {
        late::let_failures_wait(&mut module);
        // What fails elsewhere than before needs a checkpoint there.
        module = Kernel::new(module, kernel.rank, kernel.form.clone()).module;
        optimise(&mut module)?;
    }
    Ok(module)
}

/// The module, optimised and knowing that no index is negative.
fn indexed(kernel: &Kernel) -> Result<Module, BackendError> {
    verify(kernel).map_err(|faults| BackendError(faults.to_string()))?;
    let mut module = kernel.module.clone();
    optimise(&mut module)?;
    // An answer may lead to the next question: whether what is chosen for an index that is not negative is negative.
    for _ in 0..2 {
        answer(&mut module, kernel.rank, |func, cmp, y| match cmp {
            _ if func.as_const(y) != Some(Const::I64(0)) => None,
            Cmp::Lt => Some(false),
            Cmp::Ge => Some(true),
            _ => None,
        });
        optimise(&mut module)?;
    }
    Ok(module)
}

fn optimise(module: &mut Module) -> Result<(), BackendError> {
    let mut observer = Observer::new();
    observer.verify = cfg!(debug_assertions);
    let done = pass::optimise(module, pass::standard(), &mut observer);
    done.map(drop).map_err(|violations| BackendError(violations.to_string()))
}

/// Whether it makes a difference to a kernel that its arrays are as long as its shape.
pub(crate) fn can_be_covered(kernel: &Kernel) -> Result<bool, BackendError> {
    if kernel.rank != 1 {
        return Ok(false);
    }
    let module = indexed(kernel)?;
    let body = &module.funcs[module.main()];
    let mut insts = body.blocks.values().flat_map(|block| &block.insts).map(|&inst| &body.insts[inst]);
    Ok(insts.any(|it| it.op == Op::Cmp(Cmp::Lt) && it.args[0] == body.params()[0] && is_length(body, it.args[1])))
}

/// Whether no index can fail: nothing is left in it that leaves otherwise than by returning.
pub(crate) fn never_fails(module: &Module) -> bool {
    module.funcs.values().all(|func| {
        let exits = func.blocks.values().any(|block| matches!(block.term, Terminator::Exit(..)));
        !exits
            && func.blocks.values().flat_map(|block| &block.insts).all(|&inst| {
                let inst = &func.insts[inst];
                let on_integers = inst.args.first().is_some_and(|&arg| func.ty(arg) == Type::I64);
                matches!(inst.op, Op::Checkpoint(_)) || inst.op.effect(on_integers) != Effect::MayExit
            })
    })
}

/// Answers what is asked of an index, if the answer is known.
fn answer(module: &mut Module, rank: usize, known: impl Fn(&Function, Cmp, Value) -> Option<bool>) {
    let main = module.main();
    let func = &mut module.funcs[main];
    let indices = func.params()[..rank].to_vec();
    for inst in func.insts.keys().collect::<Vec<_>>() {
        let data = &func.insts[inst];
        let Op::Cmp(cmp) = data.op else { continue };
        if indices.contains(&data.args[0])
            && let Some(known) = known(func, cmp, data.args[1])
        {
            func.insts[inst].op = Op::Const(Const::Bool(known));
            func.insts[inst].args.clear();
        }
    }
}

fn is_length(func: &Function, value: Value) -> bool {
    func.definition(value).is_some_and(|it| it.0 == Op::Len)
}
