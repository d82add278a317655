//! A second printer: S-expressions, as in the Snek paper (Decker et al., 2019).
//!
//! ```text
//! (def power (in1 in2) (if (== in2 0) 1 (* in1 (power in1 (- in2 1)))))
//! ```
//!
//! Code in SSA form is a functional program: a block is a function and a jump is a call of it. A block
//! that is jumped to from one place is written there; the others (the headers of loops, the joins of
//! branches that do not simply give a value) become lambdas of a `letrec` in the block that dominates
//! them. A value that is used once is written where it is used, unless an effect stands between.
//!
//! This form is for people and is not read back. What it leaves out: types, places, which arithmetic is
//! checked for overflow (an unnamed sum may move past an effect), and blocks that cannot be reached.

mod lower;
mod tree;
mod word;

use crate::ir::{InstData, Module};
use crate::op::Op;
use crate::pass;

/// The functions of a verified module as S-expressions.
pub fn to_sexpr(module: &Module) -> String {
    // Expressions nest as deeply as the program is long: hence a stack of our own, of which only what is
    // used is taken from the machine.
    const STACK: usize = 1 << 28;
    let module = &without_states(module);
    std::thread::scope(|scope| {
        let print = || lower::module(module);
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, print) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => print(),
        }
    })
}

/// The module without its frame states: they are for continuations, not for people.
fn without_states(module: &Module) -> Module {
    let mut module = module.clone();
    for func in module.funcs.keys() {
        let Module { funcs, exits, .. } = &mut module;
        let func = &mut funcs[func];
        for block in func.blocks.keys() {
            let mut insts = std::mem::take(&mut func.blocks[block].insts);
            insts.retain(|&inst| !matches!(func.insts[inst].op, Op::Checkpoint(_)));
            func.blocks[block].insts = insts;
        }
        for inst in func.insts.keys() {
            let InstData { op, args, .. } = &mut func.insts[inst];
            if let Op::Call(_, exit) | Op::Host(_, exit) = op
                && let Some(exit) = exit.take()
            {
                args.truncate(args.len().saturating_sub(exits[exit].types.len()));
            }
        }
    }
    pass::optimise(&mut module, &[pass::DCE], &mut pass::Observer::new()).expect("nobody verifies");
    module
}
