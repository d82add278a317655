//! Which functions of a module call which.

use crate::entity::{Entity, FuncId};
use crate::ir::{Function, Module};
use crate::op::Op;
use crate::set::EntitySet;

/// The functions that a function calls, one for each call.
pub fn callees(func: &Function) -> impl Iterator<Item = FuncId> + '_ {
    let insts = func.blocks.values().flat_map(|block| &block.insts);
    insts.filter_map(|&inst| match func.insts[inst].op {
        Op::Call(callee, _) => Some(callee),
        _ => None,
    })
}

/// These functions and all that their calls can come to, each once. What is not in the module yet calls nothing.
pub fn reached(module: &Module, from: impl IntoIterator<Item = FuncId>) -> impl Iterator<Item = FuncId> + '_ {
    let mut waiting: Vec<FuncId> = from.into_iter().collect();
    let mut seen = EntitySet::new();
    std::iter::from_fn(move || {
        loop {
            let next = waiting.pop()?;
            if seen.insert(next) {
                waiting.extend(module.funcs.lookup(next).into_iter().flat_map(callees));
                return Some(next);
            }
        }
    })
}

/// Whether calls of `func` can come to a call of itself.
pub fn is_recursive(module: &Module, func: FuncId) -> bool {
    reached(module, callees(&module.funcs[func])).any(|it| it.index() == func.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "func @main() -> () {
block0:
    call @b()
    call @a()
    return
}

func @a() -> () {
block0:
    call @b()
    return
}

func @b() -> () {
block0:
    call @a()
    return
}

func @alone() -> () {
block0:
    return
}
";

    #[test]
    fn each_function_is_reached_once_and_what_calls_itself_is_known() {
        let module = crate::text::parse(TEXT).expect("the text is right");
        let name = |func: FuncId| module.funcs[func].name.clone();
        let mut names: Vec<String> = reached(&module, [module.main()]).map(name).collect();
        names.sort();
        assert_eq!(names, ["a", "b", "main"]);
        let recursive: Vec<String> = module.funcs.keys().filter(|&it| is_recursive(&module, it)).map(name).collect();
        assert_eq!(recursive, ["a", "b"]);
    }
}
