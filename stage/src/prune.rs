//! Dropping what a module declares and nothing reaches: functions, ways out, functions of the host.

use crate::analysis::cfg::Cfg;
use crate::entity::{Block, Entity, ExitId, FuncId, HostId, Inst, Table};
use crate::ir::{Module, Terminator};
use crate::op::Op;

/// What is left of a module's declarations: the names they had, in the order of the names they have now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The ways out.
    pub exits: Vec<ExitId>,
    /// The functions of the host.
    pub hosts: Vec<HostId>,
}

/// Drops what cannot be reached from the main function, and renames the rest without gaps.
pub fn prune(module: &mut Module) -> Kept {
    let mut exits = vec![false; module.exits.len()];
    let mut hosts = vec![false; module.hosts.len()];
    let mut funcs = vec![false; module.funcs.len()];
    let mut left = vec![module.main()];
    while let Some(id) = left.pop() {
        if std::mem::replace(&mut funcs[id.index()], true) {
            continue;
        }
        for (block, inst) in reached(module, id) {
            let func = &module.funcs[id];
            let exit = match inst.map(|inst| func.insts[inst].op) {
                Some(op) => {
                    match op {
                        Op::Host(host, _) | Op::Tensor(host, _) => {
                            hosts[host.index()] = true;
                            left.extend(module.hosts[host].custom.iter().flat_map(|it| it.funcs()));
                        }
                        Op::Call(callee, _) => left.push(callee),
                        _ => {}
                    }
                    op.exit()
                }
                None => match func.blocks[block].term {
                    Terminator::Exit(exit, _) => Some(exit),
                    _ => None,
                },
            };
            for exit in exit.into_iter().flat_map(|exit| module.exits[exit].parts.iter().copied().chain([exit])) {
                exits[exit.index()] = true;
            }
        }
    }
    let (exit_names, kept_exits) = rename(&mut module.exits, &exits);
    for data in module.exits.values_mut() {
        for part in &mut data.parts {
            *part = exit_names[part.index()].expect("it was reached");
        }
    }
    let (host_names, kept_hosts) = rename(&mut module.hosts, &hosts);
    let (func_names, _): (Vec<Option<FuncId>>, _) = rename(&mut module.funcs, &funcs);
    for data in module.hosts.values_mut() {
        let rules = data.custom.iter_mut().flat_map(|it| it.funcs_mut());
        rules.for_each(|func| *func = func_names[func.index()].expect("it was reached"));
    }
    for id in module.funcs.keys() {
        for (block, inst) in reached(module, id) {
            let func = &mut module.funcs[id];
            match inst {
                Some(inst) => {
                    let op = &mut func.insts[inst].op;
                    if let Some(exit) = op.exit_mut() {
                        *exit = exit_names[exit.index()].expect("it was reached");
                    }
                    match op {
                        Op::Host(host, _) | Op::Tensor(host, _) => {
                            *host = host_names[host.index()].expect("it was reached")
                        }
                        Op::Call(callee, _) => *callee = func_names[callee.index()].expect("it was reached"),
                        _ => {}
                    }
                }
                None => {
                    if let Terminator::Exit(exit, _) = &mut func.blocks[block].term {
                        *exit = exit_names[exit.index()].expect("it was reached");
                    }
                }
            }
        }
    }
    Kept { exits: kept_exits, hosts: kept_hosts }
}

/// The instructions of a function that control reaches; `None` stands for the end of a block.
fn reached(module: &Module, id: FuncId) -> Vec<(Block, Option<Inst>)> {
    let func = &module.funcs[id];
    let cfg = Cfg::of(func);
    let in_block = |&block: &Block| {
        let insts = func.blocks[block].insts.iter().map(|&inst| Some(inst));
        insts.chain([None]).map(move |inst| (block, inst)).collect::<Vec<_>>()
    };
    cfg.order().iter().flat_map(in_block).collect()
}

/// Keeps the items that are marked: what each is called now, and what those that are left were called.
fn rename<K: Entity, V>(table: &mut Table<K, V>, marked: &[bool]) -> (Vec<Option<K>>, Vec<K>) {
    let items = std::mem::take(table);
    let mut names = Vec::with_capacity(marked.len());
    let mut kept = Vec::new();
    for ((old, item), marked) in items.into_items().zip(marked) {
        names.push(marked.then(|| table.push(item)));
        if *marked {
            kept.push(old);
        }
    }
    (names, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "exit exit0 \"unused\"()
exit exit1 \"used\"(i64)
host host0 \"unused\"() -> ()

func @main(v0: i64) -> (i64) {
block0:
    v1: i64 = call @helper(v0)
    return v1
}

func @unused(v0: i64) -> (i64) {
block0:
    host host0()
    exit exit0()
}

func @helper(v0: i64) -> (i64) {
block0:
    v1: i64 = const 0
    v2: bool = gt v0, v1
    guard v2, exit1(v0)
    return v0
}
";

    #[test]
    fn what_nothing_reaches_is_dropped_and_the_rest_renamed() {
        let mut module = crate::text::parse(TEXT).expect("the text is right");
        let kept = prune(&mut module);
        assert_eq!(kept, Kept { exits: vec![ExitId::new(1)], hosts: Vec::new() });
        assert_eq!(module.funcs.len(), 2);
        crate::verify::verify(&module).expect("what is left is right");
        let text = module.to_string();
        assert!(!text.contains("unused"), "{text}");
        assert!(text.contains("call @helper(v0)") && text.contains("exit0(v0)"), "{text}");
        let again = prune(&mut module);
        assert_eq!(again, Kept { exits: vec![ExitId::new(0)], hosts: Vec::new() });
    }
}
