//! Random modules with checkpoints, whose host is told what each checkpoint should say.
//!
//! At random places a checkpoint *ahead* carries some of the values that are there, then the host is told these values,
//! then a checkpoint *behind* carries them, too. So whoever leaves at the first one must bring what the host would be
//! told next, and whoever leaves at the second one what it was told last. Before each call the host is told what the
//! caller's state will carry while it waits. Sometimes the host is told late, so that what may fail between has two
//! checkpoints to leave at.

use snekpy_stage::analysis::{Cfg, Dominators, Effects};
use snekpy_stage::backend::{Backend, Outcome};
use snekpy_stage::entity::{Block, Entity, ExitId, HostId, Inst, Value};
use snekpy_stage::ir::{ExitData, Function, HostData, Module, Terminator};
use snekpy_stage::op::Op;
use snekpy_stage::types::Type;

use crate::generate::{self, Arguments, Random};
use crate::harness::{Host, Observed, run_code};

/// What an exit of such a module says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Of the first kind: this function of the host is told next.
    Ahead(HostId),
    /// Of the second kind: this function of the host was told last.
    Behind(HostId),
    /// Of a call: this function of the host was told before it.
    Waits(HostId),
}

/// A module from a seed, and the meaning of its exits by number.
pub(crate) fn module(seed: u64, size: usize) -> (Module, Vec<Option<State>>) {
    let mut module = generate::module(seed, size);
    let mut states = vec![None; module.exits.len()];
    let mut random = Random::new(!seed);
    let reexecuted = module.exits.push(ExitData::at_checkpoint("reexecuted"));
    states.push(None);
    for id in module.funcs.keys() {
        let mut func = std::mem::replace(&mut module.funcs[id], Function::new(""));
        Weaver { module: &mut module, func: &mut func, states: &mut states, random: &mut random, reexecuted }.weave();
        module.funcs[id] = func;
    }
    (module, states)
}

/// What the host is still to be told.
struct Untold {
    host: HostId,
    values: Vec<Value>,
}

struct Weaver<'a> {
    module: &'a mut Module,
    func: &'a mut Function,
    states: &'a mut Vec<Option<State>>,
    random: &'a mut Random,
    reexecuted: ExitId,
}

impl Weaver<'_> {
    fn weave(mut self) {
        let cfg = Cfg::of(self.func);
        let doms = Dominators::of(&cfg);
        let mut available: Vec<Vec<Value>> = vec![Vec::new(); self.func.blocks.len()];
        for &block in cfg.order() {
            let mut scope = doms.parent(block).map_or_else(Vec::new, |it| available[it.index()].clone());
            scope.extend(&self.func.blocks[block].params);
            let old = std::mem::take(&mut self.func.blocks[block].insts);
            let mut new = Vec::new();
            if block == self.func.entry() || cfg.preds(block).len() > 1 {
                self.checkpoint(&scope, &mut new);
            }
            let mut untold = None;
            for inst in old {
                let acts = self.func.insts[inst].op.changes_the_world(Effects::of(self.func, inst).effect);
                if acts || self.random.below(10) == 0 {
                    untold.take().into_iter().for_each(|it| self.tell_late(it, &mut new));
                }
                self.inst(inst, &scope, &mut new);
                scope.extend(&self.func.insts[inst].results);
                match self.random.below(20) {
                    _ if acts => self.checkpoint(&scope, &mut new),
                    0 if untold.is_none() => self.checkpoint(&scope, &mut new),
                    1..3 if untold.is_none() => untold = Some(self.ahead(&scope, &mut new)),
                    _ => {}
                }
            }
            untold.into_iter().for_each(|it| self.tell_late(it, &mut new));
            self.func.blocks[block].insts = new;
            self.end(block);
            available[block.index()] = scope;
        }
    }

    /// A guard may leave at a checkpoint, and a call has a state.
    fn inst(&mut self, inst: Inst, scope: &[Value], new: &mut Vec<Inst>) {
        match self.func.insts[inst].op {
            Op::Guard(_) if self.random.below(2) == 0 => {
                let data = &mut self.func.insts[inst];
                data.op = Op::Guard(self.reexecuted);
                data.args.truncate(1);
            }
            Op::Call(..) | Op::Host(..) => {
                let values = self.choose(scope);
                let told = self.tell(&values, new);
                // The call is nested too deeply here, or is not made because the host stops it.
                let (behind, exit) = (self.exit(&values, State::Behind(told)), self.exit(&values, State::Waits(told)));
                self.push(Op::Checkpoint(behind), values.clone(), new);
                let data = &mut self.func.insts[inst];
                data.args.extend(values);
                match &mut data.op {
                    Op::Call(_, waits) | Op::Host(_, waits) => *waits = Some(exit),
                    _ => unreachable!("it is a call"),
                }
            }
            _ => {}
        }
        new.push(inst);
    }

    fn end(&mut self, block: Block) {
        if matches!(self.func.blocks[block].term, Terminator::Exit(..)) && self.random.below(2) == 0 {
            self.func.blocks[block].term = Terminator::Exit(self.reexecuted, Vec::new());
        }
    }

    fn checkpoint(&mut self, scope: &[Value], new: &mut Vec<Inst>) {
        let untold = self.ahead(scope, new);
        self.tell_late(untold, new);
    }

    /// A checkpoint ahead of what the host will be told.
    fn ahead(&mut self, scope: &[Value], new: &mut Vec<Inst>) -> Untold {
        let values = self.choose(scope);
        let host = self.teller(&values);
        let ahead = self.exit(&values, State::Ahead(host));
        self.push(Op::Checkpoint(ahead), values.clone(), new);
        Untold { host, values }
    }

    /// Tells the host, with a checkpoint behind.
    fn tell_late(&mut self, untold: Untold, new: &mut Vec<Inst>) {
        let Untold { host, values } = untold;
        self.tell_by(host, &values, new);
        let behind = self.exit(&values, State::Behind(host));
        self.push(Op::Checkpoint(behind), values, new);
    }

    fn choose(&mut self, scope: &[Value]) -> Vec<Value> {
        let scalars: Vec<Value> = scope.iter().copied().filter(|&it| self.func.ty(it).is_scalar()).collect();
        if scalars.is_empty() {
            return Vec::new();
        }
        (0..self.random.below(4)).map(|_| self.random.pick(&scalars)).collect()
    }

    fn types(&self, values: &[Value]) -> Vec<Type> {
        self.func.types_of(values)
    }

    fn tell(&mut self, values: &[Value], new: &mut Vec<Inst>) -> HostId {
        let host = self.teller(values);
        self.tell_by(host, values, new);
        host
    }

    fn teller(&mut self, values: &[Value]) -> HostId {
        let (name, params) = ("told".to_owned(), self.types(values));
        self.module.hosts.push(HostData::new(name, params, Vec::new()))
    }

    fn tell_by(&mut self, host: HostId, values: &[Value], new: &mut Vec<Inst>) {
        // The host does not fail when it is told something.
        let exit = self.exit(&[], State::Waits(host));
        self.push(Op::Host(host, Some(exit)), values.to_vec(), new);
    }

    fn exit(&mut self, values: &[Value], state: State) -> ExitId {
        self.states.push(Some(state));
        let types = self.types(values);
        self.module.exits.push(ExitData::new(format!("{state:?}"), types))
    }

    fn push(&mut self, op: Op, args: Vec<Value>, new: &mut Vec<Inst>) {
        new.push(self.func.make_inst(op, args, &[], None));
    }
}

/// The states that an exit is made of, innermost first.
fn parts(module: &Module, exit: ExitId, values: &[u64]) -> Vec<(ExitId, Vec<u64>)> {
    let data = &module.exits[exit];
    if data.parts.is_empty() {
        return vec![(exit, values.to_vec())];
    }
    let mut rest = values;
    let part = |&part: &ExitId| {
        let (own, others) = rest.split_at(module.exits[part].types.len());
        rest = others;
        (part, own.to_vec())
    };
    data.parts.iter().map(part).collect()
}

/// Checks the states with which a run was left. `whole` is the run that nobody stopped.
fn check(module: &Module, states: &[Option<State>], seen: &Observed, whole: &Observed, context: &str) {
    let (Outcome::Exit(exit, _) | Outcome::Trap(_, Some(exit), _)) = seen.outcome else { return };
    assert!(whole.calls.starts_with(&seen.calls), "{context}");
    let mut left = parts(module, exit, &seen.values);
    left.extend(seen.waiting.iter().flat_map(|(exit, values)| parts(module, *exit, values)));
    let mut told = seen.calls.iter().rev();
    for (position, (exit, values)) in left.iter().enumerate() {
        // An exit of the program's own carries what it likes.
        let Some(state) = states.get(exit.index()).copied().flatten() else { continue };
        let says = |host: HostId| (host.index() as u32, values.clone());
        match state {
            // The whole run may leave before it tells.
            State::Ahead(host) => match whole.calls.get(seen.calls.len()) {
                Some(next) => assert_eq!(*next, says(host), "{context}"),
                None => assert_ne!(whole.outcome, Outcome::Returned, "{context}"),
            },
            State::Behind(host) => assert_eq!(told.clone().next(), Some(&says(host)), "{context}"),
            State::Waits(host) if position == 0 => {
                // The call of the host that failed comes last.
                told.next();
                assert_eq!(told.next(), Some(&says(host)), "{context}");
            }
            State::Waits(host) => assert!(told.any(|it| *it == says(host)), "{context}: {state:?} {values:?}"),
        }
    }
}

/// Stops a module everywhere.
pub(crate) fn stop_everywhere(backend: &dyn Backend, module: &Module, states: &[Option<State>], seed: u64) {
    let code = backend.compile(module).expect("it compiles");
    let see = |host: &Host| {
        let arguments = Arguments::new(module, seed);
        run_code(&*code, module, host, &arguments.slots)
    };
    let calm = Host { depth: 50, ..Host::default() };
    let whole = see(&calm);
    let context = |host: &Host| format!("seed {seed}, {host:?}\n{module}");
    check(module, states, &whole, &whole, &context(&calm));
    for stops_at in 1..12 {
        let host = Host { stops_at: Some(stops_at), ..calm.clone() };
        check(module, states, &see(&host), &whole, &context(&host));
    }
    for depth in 0..3 {
        let host = Host { depth, ..calm.clone() };
        check(module, states, &see(&host), &whole, &context(&host));
    }
    let own = |call: &(u32, Vec<u64>)| module.hosts.values().nth(call.0 as usize).is_some_and(|it| it.name != "told");
    for (fails_at, _) in whole.calls.iter().enumerate().filter(|(_, call)| own(call)).take(8) {
        let host = Host { fails_at: Some(fails_at), ..calm.clone() };
        check(module, states, &see(&host), &whole, &context(&host));
    }
}
