//! Running modules.

use std::sync::Arc;

use snekpy_llvm::{Level, Llvm, LlvmOptions};
use snekpy_stage::backend::{Backend, Code, Context, Outcome, payload_slots, slots};
use snekpy_stage::ir::Module;
use snekpy_stage::text;

/// Every level that is tested.
pub(crate) const LEVELS: [Level; 2] = [Level::O0, Level::O3];

/// A back end of this level.
pub(crate) fn llvm(level: Level) -> Llvm {
    Llvm::new(LlvmOptions { level, ..LlvmOptions::default() })
}

/// A module from its text.
pub(crate) fn parse(source: &str) -> Module {
    text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// A compiled module.
pub(crate) fn compile(level: Level, module: &Module) -> Arc<dyn Code> {
    llvm(level).compile(module).unwrap_or_else(|error| panic!("{error}\n{module}"))
}

/// What a run gave.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ran {
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// The slots of the results, meaningful if it returned.
    pub(crate) results: Vec<u64>,
    /// The slots of the payload, meaningful if it left through an exit.
    pub(crate) payload: Vec<u64>,
}

/// Runs code on these slots.
pub(crate) fn run(code: &dyn Code, module: &Module, args: &[u64]) -> Ran {
    run_with(code, module, args, |_| {})
}

/// Runs code on these slots, in a context that is prepared first.
pub(crate) fn run_with(code: &dyn Code, module: &Module, args: &[u64], prepare: impl FnOnce(&mut Context)) -> Ran {
    let mut payload = vec![0; payload_slots(module)];
    let mut results = vec![0; module.funcs[module.main()].results.iter().map(|&ty| slots(ty)).sum()];
    let mut cx = Context::detached(&mut payload);
    prepare(&mut cx);
    // SAFETY: the callers pass a slot for each parameter, and live arrays; there is room for results and
    // payload.
    let status = unsafe { code.run(&mut cx, args.as_ptr(), results.as_mut_ptr()) };
    Ran { outcome: status.outcome(), results, payload }
}

/// Runs a module's text at every level, expecting it to return these slots.
pub(crate) fn returns(source: &str, args: &[u64], expected: &[u64]) {
    let module = parse(source);
    for level in LEVELS {
        let ran = run(&*compile(level, &module), &module, args);
        assert_eq!(ran.outcome, Outcome::Returned, "{level:?}");
        assert_eq!(ran.results, expected, "{level:?}");
    }
}

/// The slot of an integer.
pub(crate) fn int(value: i64) -> u64 {
    value.cast_unsigned()
}
