//! From blocks to expressions.

use std::collections::HashSet;

use super::tree::Sexpr;
use super::word::word;
use crate::analysis::{Cfg, Dominators};
use crate::entity::{Block, Entity, ExitId, Inst, Value};
use crate::ir::{Function, Jump, Module, Terminator};
use crate::op::{Effect, Op};
use crate::text::{FuncNames, Literal};
use crate::types::Type;

pub(super) fn module(module: &Module) -> String {
    let names = FuncNames::of(module);
    let mut out = String::new();
    for (id, func) in module.funcs.iter() {
        let params: Vec<_> = (1..=func.params().len()).map(|number| Sexpr::atom(format!("in{number}"))).collect();
        let mut lower = Lower::new(module, func, &names);
        let body = lower.block(func.entry(), None);
        let name = Sexpr::atom(bare_or_quoted(&names.name(id)));
        out.push_str(&Sexpr::form("def", [name, Sexpr::List(params), body]).pretty());
        out.push('\n');
    }
    out
}

fn bare_or_quoted(name: &str) -> String {
    let is_bare = !name.is_empty() && !name.contains(|it: char| it.is_whitespace() || "()\";".contains(it));
    if is_bare { name.to_owned() } else { format!("{name:?}") }
}

/// What an expression does besides giving a value, from nothing to anything.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Pure,
    Reads,
    Any,
}

/// An expression that waits to be written where its value is used.
struct Waiting {
    value: Value,
    expr: Sexpr,
    class: Class,
}

/// One thing after the other, before the value of a block.
enum Item {
    Let(Vec<String>, Sexpr),
    Do(Sexpr),
}

struct Lower<'a> {
    module: &'a Module,
    func: &'a Function,
    func_names: &'a FuncNames,
    /// For a parameter that is given from one place, what it is given.
    aliases: Vec<Value>,
    uses: Vec<u32>,
    /// The block of the last use of each value that was found.
    used_in: Vec<Option<Block>>,
    /// How many jumps there are to each block.
    jumps_to: Vec<usize>,
    is_header: Vec<bool>,
    /// For each block, the blocks that are lambdas there.
    lambdas: Vec<Vec<Block>>,
    names: Vec<Option<String>>,
    block_names: Vec<Option<String>>,
    taken: HashSet<String>,
    fresh: usize,
}

impl<'a> Lower<'a> {
    fn new(module: &'a Module, func: &'a Function, func_names: &'a FuncNames) -> Self {
        let cfg = Cfg::of(func);
        let dominators = Dominators::of(&cfg);
        let mut jumps_to = vec![0; func.blocks.len()];
        let mut is_header = vec![false; func.blocks.len()];
        let mut lambdas = vec![Vec::new(); func.blocks.len()];
        for &block in cfg.order() {
            jumps_to[block.index()] = cfg.preds(block).len();
            is_header[block.index()] = cfg.is_retreated_to(block);
            let shared = |&&child: &&Block| cfg.preds(child).len() > 1;
            lambdas[block.index()] = dominators.children(block).iter().filter(shared).copied().collect();
        }
        let taken = (0..module.funcs.len()).map(|index| func_names.name(Entity::new(index)));
        let taken = taken.chain(module.hosts.values().map(|host| host.name.clone())).collect();
        let mut it = Self {
            module,
            func,
            func_names,
            aliases: func.values.keys().collect(),
            uses: vec![0; func.values.len()],
            used_in: vec![None; func.values.len()],
            jumps_to,
            is_header,
            lambdas,
            names: vec![None; func.values.len()],
            block_names: vec![None; func.blocks.len()],
            taken,
            fresh: 0,
        };
        for (number, &param) in (1..).zip(func.params()) {
            it.names[param.index()] = Some(format!("in{number}"));
        }
        it.find_aliases_and_uses(cfg.order());
        it
    }

    fn find_aliases_and_uses(&mut self, order: &[Block]) {
        let func = self.func;
        // In this order a block comes after the only one that jumps to it.
        for &block in order {
            for jump in func.blocks[block].term.jumps().filter(|jump| self.jumps_to[jump.target.index()] == 1) {
                for (&param, &arg) in func.blocks[jump.target].params.iter().zip(&jump.args) {
                    self.aliases[param.index()] = self.aliases[arg.index()];
                }
            }
        }
        for &block in order {
            let data = &func.blocks[block];
            let mut used: Vec<Value> = data.insts.iter().flat_map(|&inst| func.insts[inst].args.clone()).collect();
            used.extend(data.term.operands());
            let brought = data.term.jumps().filter(|jump| self.jumps_to[jump.target.index()] > 1);
            used.extend(brought.flat_map(|jump| &jump.args));
            for value in used {
                let value = self.aliases[value.index()];
                self.uses[value.index()] += 1;
                self.used_in[value.index()] = Some(block);
            }
        }
    }

    /// The value of a block and of all that follows it. `join` is the block that gives the value of an
    /// expression in which this one stands: a jump to it is the value it brings.
    fn block(&mut self, block: Block, join: Option<Block>) -> Sexpr {
        let func = self.func;
        let (mut items, mut waiting) = (Vec::new(), Vec::new());
        let mut block = block;
        loop {
            for &inst in &func.blocks[block].insts {
                self.inst(block, inst, &mut items, &mut waiting);
            }
            let Some(next) = self.value_join(block) else { break };
            // The way from here to the join is an expression, and what comes after it follows.
            let expr = self.end(block, Some(next), &mut items, &mut waiting);
            self.flush(&mut items, &mut waiting, |_| true);
            let Some(&param) = func.blocks[next].params.first() else {
                items.push(Item::Do(expr));
                block = next;
                continue;
            };
            if self.uses[param.index()] == 1 && self.used_in[param.index()] == Some(next) {
                waiting.push(Waiting { value: param, expr, class: Class::Any });
            } else {
                items.push(Item::Let(vec![self.name(param)], expr));
            }
            block = next;
        }
        let lambdas = self.lambdas[block.index()].clone();
        if !lambdas.is_empty() {
            self.flush(&mut items, &mut waiting, |class| class != Class::Pure);
        }
        for &lambda in &lambdas {
            self.name_block(lambda);
        }
        let bindings: Vec<Sexpr> = lambdas.iter().map(|&lambda| self.lambda(lambda)).collect();
        let mut end = self.end(block, join, &mut items, &mut waiting);
        if !bindings.is_empty() {
            end = Sexpr::form("letrec", [Sexpr::List(bindings), end]);
        }
        in_order(items, end)
    }

    /// The join after a block, if all that lies between is an expression that gives its one parameter.
    fn value_join(&self, block: Block) -> Option<Block> {
        let [join] = self.lambdas[block.index()][..] else { return None };
        let gives_one = self.func.blocks[join].params.len() <= 1 && !self.is_header[join.index()];
        if gives_one && self.ends_at(block, join) { Some(join) } else { None }
    }

    /// Whether every way out of a block, other than an exit, goes to a join by way of nothing but what is
    /// written in place.
    fn ends_at(&self, block: Block, join: Block) -> bool {
        let term = &self.func.blocks[block].term;
        !matches!(term, Terminator::Return(_) | Terminator::None)
            && term.jumps().all(|jump| {
                jump.target == join || self.jumps_to[jump.target.index()] == 1 && self.comes_to(jump.target, join)
            })
    }

    fn comes_to(&self, block: Block, join: Block) -> bool {
        if self.lambdas[block.index()].is_empty() {
            return self.ends_at(block, join);
        }
        self.value_join(block).is_some_and(|inner| self.comes_to(inner, join))
    }

    fn name_block(&mut self, block: Block) {
        let stem = if self.is_header[block.index()] { "loop" } else { "join" };
        let mut name = stem.to_owned();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{stem}{number}");
        }
        self.block_names[block.index()] = Some(name);
    }

    fn lambda(&mut self, block: Block) -> Sexpr {
        let params: Vec<_> = self.func.blocks[block].params.iter().map(|&it| Sexpr::Atom(self.name(it))).collect();
        let name = self.block_names[block.index()].clone().expect("it was named before");
        let body = self.block(block, None);
        Sexpr::List(vec![Sexpr::Atom(name), Sexpr::form("lambda", [Sexpr::List(params), body])])
    }

    fn inst(&mut self, block: Block, inst: Inst, items: &mut Vec<Item>, waiting: &mut Vec<Waiting>) {
        let data = &self.func.insts[inst];
        if matches!(data.op, Op::Const(_)) {
            return;
        }
        let is_on = |ty| data.args.first().is_some_and(|&arg| self.func.ty(arg) == ty);
        let own = match data.op.effect(is_on(Type::I64)) {
            Effect::Pure => Class::Pure,
            Effect::MayExit if matches!(data.op, Op::Guard(_) | Op::OverflowIf) => Class::Any,
            Effect::MayExit => Class::Pure, // checked arithmetic, which is printed as if it were exact
            Effect::Read => Class::Reads,
            Effect::State | Effect::Write | Effect::Any => Class::Any,
        };
        let (args, inner) = self.operands(&data.args, waiting);
        let class = own.max(inner);
        let expr = match (data.op, word(data.op, is_on(Type::Bool))) {
            (_, Some(word)) => Sexpr::form(word, args),
            (Op::Call(callee, _), None) => Sexpr::form(bare_or_quoted(&self.func_names.name(callee)), args),
            (Op::Host(host, _) | Op::Tensor(host, _), None) => {
                Sexpr::form(bare_or_quoted(&self.module.hosts[host].name), args)
            }
            (Op::Guard(exit), None) => {
                let mut args = args.into_iter();
                let cond = args.next().expect("a guard has a condition");
                Sexpr::form("unless", [cond, self.raise(exit, args.collect())])
            }
            (_, None) => Sexpr::form("when", args.into_iter().chain([raise("OverflowError", Vec::new())])),
        };
        // What waits and would notice that this is done first is done before.
        self.flush(items, waiting, |other| match other {
            Class::Pure => false,
            Class::Reads => class == Class::Any,
            Class::Any => class != Class::Pure,
        });
        match data.results[..] {
            [] => items.push(Item::Do(expr)),
            [value] if self.uses[value.index()] == 0 => items.push(Item::Do(expr)),
            [value] if self.uses[value.index()] == 1 && self.used_in[value.index()] == Some(block) => {
                waiting.push(Waiting { value, expr, class });
            }
            _ => {
                let names = data.results.iter().map(|&it| self.name(it)).collect();
                items.push(Item::Let(names, expr));
            }
        }
    }

    /// Gives names to what waits and is of such a class.
    fn flush(&mut self, items: &mut Vec<Item>, waiting: &mut Vec<Waiting>, is_due: impl Fn(Class) -> bool) {
        for it in std::mem::take(waiting) {
            if is_due(it.class) {
                items.push(Item::Let(vec![self.name(it.value)], it.expr));
            } else {
                waiting.push(it);
            }
        }
    }

    fn operands(&mut self, values: &[Value], waiting: &mut Vec<Waiting>) -> (Vec<Sexpr>, Class) {
        let mut class = Class::Pure;
        let mut exprs = Vec::new();
        for &value in values {
            let (expr, its) = self.operand(value, waiting);
            class = class.max(its);
            exprs.push(expr);
        }
        (exprs, class)
    }

    fn operand(&mut self, value: Value, waiting: &mut Vec<Waiting>) -> (Sexpr, Class) {
        let value = self.aliases[value.index()];
        if let Some(constant) = self.func.as_const(value) {
            return (Sexpr::atom(Literal(constant).to_string()), Class::Pure);
        }
        match waiting.iter().position(|it| it.value == value) {
            Some(position) => {
                let it = waiting.remove(position);
                (it.expr, it.class)
            }
            None => (Sexpr::Atom(self.name(value)), Class::Pure),
        }
    }

    fn name(&mut self, value: Value) -> String {
        let name = &mut self.names[value.index()];
        if name.is_none() {
            self.fresh += 1;
            *name = Some(format!("x{}", self.fresh));
        }
        name.clone().expect("it was named above")
    }

    /// The end of a block as an expression.
    fn end(&mut self, block: Block, join: Option<Block>, items: &mut Vec<Item>, waiting: &mut Vec<Waiting>) -> Sexpr {
        match &self.func.blocks[block].term {
            Terminator::None => unreachable!("a verified block that can be reached has an end"),
            Terminator::Jump(jump) => self.jump(jump, join, waiting),
            Terminator::Branch { cond, then, other } => {
                let (cond, _) = self.operand(*cond, waiting);
                // What is left is used by one of the ways; the other way would miss it.
                self.flush(items, waiting, |class| class != Class::Pure);
                let then = self.jump(then, join, waiting);
                let other = self.jump(other, join, waiting);
                Sexpr::form("if", [cond, then, other])
            }
            Terminator::Return(values) => {
                let (mut values, _) = self.operands(values, waiting);
                match values.len() {
                    0 => Sexpr::UNIT,
                    1 => values.remove(0),
                    _ => Sexpr::form("values", values),
                }
            }
            Terminator::Exit(exit, values) => {
                let (values, _) = self.operands(values, waiting);
                self.raise(*exit, values)
            }
        }
    }

    fn jump(&mut self, jump: &Jump, join: Option<Block>, waiting: &mut Vec<Waiting>) -> Sexpr {
        if self.jumps_to[jump.target.index()] == 1 {
            return self.block(jump.target, join);
        }
        let (mut args, _) = self.operands(&jump.args, waiting);
        if join == Some(jump.target) {
            return if args.is_empty() { Sexpr::UNIT } else { args.remove(0) };
        }
        let name = self.block_names[jump.target.index()].clone().expect("lambdas are named where they are bound");
        Sexpr::form(name, args)
    }

    fn raise(&self, exit: ExitId, values: Vec<Sexpr>) -> Sexpr {
        raise(&self.module.exits[exit].name, values)
    }
}

fn raise(name: &str, values: Vec<Sexpr>) -> Sexpr {
    Sexpr::form("raise", [Sexpr::Atom(bare_or_quoted(name))].into_iter().chain(values))
}

/// One item after the other, and then the value.
fn in_order(items: Vec<Item>, value: Sexpr) -> Sexpr {
    let mut groups: Vec<Vec<Item>> = Vec::new();
    for item in items {
        match (groups.last_mut().and_then(|group| group.last()), &item) {
            (Some(Item::Do(_)), Item::Do(_)) => {}
            (Some(Item::Let(last, _)), Item::Let(names, _)) if last.len() == 1 && names.len() == 1 => {}
            _ => groups.push(Vec::new()),
        }
        groups.last_mut().expect("one was made").push(item);
    }
    groups.into_iter().rev().fold(value, |value, group| {
        let (mut bindings, mut effects) = (Vec::new(), Vec::new());
        let mut several = false;
        for item in group {
            match item {
                Item::Do(expr) => effects.push(expr),
                Item::Let(names, expr) => {
                    several = names.len() > 1;
                    let mut names: Vec<_> = names.into_iter().map(Sexpr::Atom).collect();
                    let name = if several { Sexpr::List(names) } else { names.remove(0) };
                    bindings.push(Sexpr::List(vec![name, expr]));
                }
            }
        }
        match (bindings.len(), effects.len()) {
            (0, 1) if value == Sexpr::UNIT => effects.remove(0),
            (0, _) if value == Sexpr::UNIT => Sexpr::form("begin", effects),
            (0, _) => Sexpr::form("begin", effects.into_iter().chain([value])),
            (_, _) if several => Sexpr::form("let-values", [Sexpr::List(bindings), value]),
            (1, _) => Sexpr::form("let", [Sexpr::List(bindings), value]),
            (_, _) => Sexpr::form("let*", [Sexpr::List(bindings), value]),
        }
    })
}
