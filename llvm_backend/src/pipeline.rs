//! Which passes of LLVM run on a module.
//!
//! Not `default<O3>`: LLVM 22 spends most of that on vectorising, which for a chain of a thousand scalar
//! operations takes a hundred times as long as everything else together and gains nothing. So the passes
//! are named here, by the shape of the module, in the notation of LLVM's `opt`. `passes/passes.cpp` has a row for each.

use inkwell::basic_block::BasicBlock;
use inkwell::module::Module as LlvmModule;
use snekpy_stage::analysis::{Cfg, Dominators, Loops};
use snekpy_stage::ir::{Function, Module};
use snekpy_stage::op::Op;

use crate::options::Level;

/// What decides about the passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Whether a function has a loop.
    pub(crate) loops: bool,
    /// Whether there is more than one function.
    pub(crate) calls: bool,
    /// The number of instructions of the largest function.
    pub(crate) size: usize,
    /// The same of LLVM's instructions: a call of the host takes twenty.
    pub(crate) written: usize,
    /// Whether its time goes by in what it calls of the host.
    pub(crate) hosted: bool,
    /// Whether it is written in vectors, with values on the stack.
    pub(crate) lanes: bool,
}

/// Loops are given to the vectorisers in functions of at most so many instructions.
const VECTORISED: usize = 300;
/// Of a function that mostly calls the host, more of LLVM's instructions are not worth what making them better takes.
const HOSTED: usize = 1500;
/// One in so many instructions of such a function is a call of the host.
const PER_CALL: usize = 6;
/// In functions of more of LLVM's instructions, what it asks about every pair of conditions takes most of the time.
const LARGE: usize = 12_000;
/// In still longer ones, where values are kept does.
const HUGE: usize = 40_000;

/// How much time code may take for how much it gains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// As much as is good for the code.
    Usual,
    /// What is in proportion to the size of the function.
    Little,
    /// The least.
    Least,
}

impl Shape {
    /// What the code is worth.
    pub(crate) fn effort(self) -> Effort {
        match self.written {
            written if self.hosted && written > HOSTED => Effort::Least,
            written if written <= LARGE => Effort::Usual,
            written if written <= HUGE => Effort::Little,
            _ => Effort::Least,
        }
    }

    /// The shape of a module.
    pub(crate) fn of(module: &Module, written: &LlvmModule<'_>, has_loops: impl Fn(&Function) -> bool) -> Self {
        let lengths = written.get_functions().map(|func| func.get_basic_blocks().iter().map(length).sum());
        let written = lengths.max().unwrap_or(0);
        Self {
            loops: module.funcs.values().any(has_loops),
            calls: module.funcs.len() > 1,
            size: module.funcs.values().map(Function::size).max().unwrap_or(0),
            written,
            hosted: written > HOSTED && module.funcs.values().all(is_hosted),
            lanes: false,
        }
    }
}

/// Whether a function mostly calls the host: in each of its loops, and often on the whole.
fn is_hosted(func: &Function) -> bool {
    let cfg = Cfg::of(func);
    let loops = Loops::of(func, &cfg, &Dominators::of(&cfg));
    let is_call = |op: Op| matches!(op, Op::Tensor(..) | Op::Host(..));
    let calls = |block| func.blocks[block].insts.iter().filter(|&&inst| is_call(func.insts[inst].op)).count();
    let all: usize = cfg.order().iter().map(|&block| calls(block)).sum();
    let has_calls = |id| loops.data(id).blocks.iter().any(|&block| calls(block) > 0);
    all * PER_CALL >= func.size() && loops.irreducible().is_empty() && loops.inner_first().all(has_calls)
}

fn length(block: &BasicBlock<'_>) -> usize {
    block.get_instructions().count()
}

/// The passes, in LLVM's notation. None if nothing is to be optimised.
pub(crate) fn passes(level: Level, shape: Shape) -> Option<String> {
    match level {
        Level::O0 => None,
        Level::O3 => Some(optimising(shape)),
    }
}

fn optimising(shape: Shape) -> String {
    let mut passes = Vec::new();
    if shape.lanes {
        passes.push("function(mem2reg)".to_owned());
    }
    let quick = match shape.effort() {
        Effort::Usual => None,
        Effort::Little => Some(QUICK),
        Effort::Least => Some(LEAST),
    };
    if let Some(quick) = quick {
        passes.push(format!("function({quick})"));
        return passes.join(",");
    }
    if shape.calls {
        passes.push("cgscc(inline)".to_owned());
    }
    passes.push(format!("function({STRAIGHT})"));
    if shape.loops {
        passes.push(format!("function({ROTATE},{LOOPS})"));
        if shape.size <= VECTORISED && !shape.lanes {
            passes.push(format!("function({VECTORISE})"));
        }
        passes.push(format!("function({FINISH})"));
    }
    passes.join(",")
}

/// The passes for a device: every call is inlined that can be, and what only the last indices of a loop can fail is
/// checked in a copy of it. Nothing is vectorised: the device does that with its threads.
pub(crate) fn device_passes() -> String {
    format!(
        "always-inline,cgscc(inline),globaldce,function({STRAIGHT}),function({ROTATE},irce,{LOOPS}),\
         function({FINISH}),function(loop-unroll,simplifycfg,early-cse,instcombine<no-verify-fixpoint>),globaldce"
    )
}

/// For nests, which are written as they are to run: what repeats in their addresses, and what their loops need not do again.
pub(crate) const NESTS: &str = "function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    loop-mssa(licm),simplifycfg)";

/// For every function: what repeats is computed once, what is known is not computed.
const STRAIGHT: &str = "early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,correlated-propagation,\
    simplifycfg,early-cse,instcombine<no-verify-fixpoint>";

/// For large functions: what takes time in proportion to them.
const QUICK: &str = "early-cse<memssa>,simplifycfg,instsimplify,sccp,bdce,early-cse,simplifycfg";

/// For functions that hardly gain: what makes the passes behind it cheaper than it is.
const LEAST: &str = "early-cse,simplifycfg";

/// For loops: rotated, so that the test is at the end; invariants moved out.
const ROTATE: &str = "loop-mssa(loop-simplifycfg,loop-rotate<header-duplication>,licm,\
    simple-loop-unswitch<no-nontrivial;trivial>),simplifycfg,instcombine<no-verify-fixpoint>";

/// Then induction variables are widened and their overflow checks removed where the trip count shows that they cannot
/// fail.
const LOOPS: &str = "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),gvn,sccp,bdce,instcombine<no-verify-fixpoint>,\
    correlated-propagation,dse,loop-mssa(licm),simplifycfg,instcombine<no-verify-fixpoint>";

/// For loops in small functions.
const VECTORISE: &str = "loop-vectorize,infer-alignment,instcombine<no-verify-fixpoint>,simplifycfg,slp-vectorizer,\
    vector-combine,instcombine<no-verify-fixpoint>";

/// After everything else.
const FINISH: &str = "instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_functions_have_passes_in_proportion() {
        let shape =
            |written| Shape { loops: true, calls: true, size: written / 4, written, hosted: false, lanes: false };
        let of = |size| passes(Level::O3, shape(size)).expect("they are optimised");
        assert_eq!(shape(LARGE).effort(), Effort::Usual);
        assert!(of(LARGE).contains("instcombine"));
        assert_eq!(shape(LARGE + 1).effort(), Effort::Little);
        assert_eq!(shape(HUGE + 1).effort(), Effort::Least);
        assert_eq!(Shape { hosted: true, ..shape(HOSTED) }.effort(), Effort::Usual);
        assert_eq!(Shape { hosted: true, ..shape(HOSTED + 1) }.effort(), Effort::Least);
        for size in [LARGE + 1, HUGE + 1] {
            // What these do with one condition depends on all others.
            assert!(["instcombine", "correlated", "gvn", "inline"].iter().all(|it| !of(size).contains(it)), "{size}");
        }
    }
}
