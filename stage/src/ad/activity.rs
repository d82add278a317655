//! Which values need a derivative.
//!
//! A value is *varied* if it depends on what is differentiated by, and *useful* if what is differentiated depends on
//! it; it is *active* if it is both. Only floats and what holds them count. A list is one thing: what is pushed in one
//! place makes what is read in another active, and so does a list that a parameter of a block or function may be.
//!
//! A function is looked at once for all its calls: what is active in one of them is active in it.
//!
//! What is differentiated again has recorded tensors by their handles, which are integers. The handle of an active tensor
//! is active, and so is the list that it is pushed to; other integers in that list are not.

use crate::analysis::Cfg;
use crate::entity::{Block, FuncId, Inst, Value};
use crate::ir::{Function, Module, Terminator};
use crate::op::{Acts, ListOp, MapOp, Op};
use crate::set::{EntityMap, EntitySet};
use crate::tensor::TensorOp;
use crate::types::{ArrayType, Elem, ListType, MapType, Scalar, Type};

use super::custom::{custom, given};
use super::pullback::{Path, passes, path};
use super::shift::shifts;
use super::tensor::{Through, through};
use super::{Refused, Request, Why};

/// Which values are active.
pub(super) struct Activity {
    active: EntityMap<FuncId, EntitySet<Value>>,
    varied: EntityMap<FuncId, EntitySet<Value>>,
}

impl Activity {
    /// Of what the main function leads to.
    ///
    /// # Errors
    /// What an active value comes out of and no derivative gets through.
    pub(super) fn of(module: &Module, request: &Request, forwards: bool) -> Result<Self, Refused> {
        let mut flow = Flow { forwards, ..Flow::of(module, request) };
        while std::mem::take(&mut flow.changed) {
            for func in module.funcs.keys() {
                flow.visit(func);
            }
        }
        flow.check()?;
        let mut active = EntityMap::new(EntitySet::new());
        for func in module.funcs.keys() {
            let both = flow.varied[func].iter().filter(|&value| flow.useful[func].contains(value));
            active[func] = both.collect();
        }
        Ok(Self { active, varied: flow.varied })
    }

    /// Whether a value needs a derivative.
    pub(super) fn is_active(&self, func: FuncId, value: Value) -> bool {
        self.active[func].contains(value)
    }

    /// Whether a value depends on what is differentiated by.
    pub(super) fn is_varied(&self, func: FuncId, value: Value) -> bool {
        self.varied[func].contains(value)
    }

    /// Whether any value of a function does.
    pub(super) fn any(&self, func: FuncId) -> bool {
        !self.active[func].is_empty()
    }
}

/// Whether values of this type are floats, or hold some.
pub(super) const fn carries(ty: Type) -> bool {
    match ty {
        Type::F64 => true,
        Type::List(ListType { elem, .. }) | Type::Array(ArrayType { elem, .. }) => {
            matches!(elem.value_type(), Type::F64)
        }
        Type::Map(MapType { value, .. }) => matches!(value, Some(Scalar::F64)),
        Type::Tensor(tensor) => tensor.dtype.is_float(),
        Type::Bool | Type::I64 | Type::Object(_) => false,
    }
}

/// Whether values of this type may be handles, or lists of them.
const fn may_be_handle(ty: Type) -> bool {
    match ty {
        Type::I64 => true,
        Type::List(ListType { elem, .. }) => matches!(elem, Elem::I64),
        _ => false,
    }
}

/// Whether values of this type are not changed by what is done to others.
pub(super) const fn is_value(ty: Type) -> bool {
    ty.is_scalar() || matches!(ty, Type::Tensor(_))
}

struct Flow<'a> {
    module: &'a Module,
    request: &'a Request,
    orders: EntityMap<FuncId, Vec<Block>>,
    varied: EntityMap<FuncId, EntitySet<Value>>,
    useful: EntityMap<FuncId, EntitySet<Value>>,
    outside: EntityMap<FuncId, EntitySet<Value>>,
    /// Shifts that do not matter.
    shifts: EntityMap<FuncId, EntitySet<Value>>,
    changed: bool,
    forwards: bool,
}

/// A fact that spreads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fact {
    Varied,
    Useful,
    /// Varied, even if nothing passed the borders.
    Outside,
}

impl<'a> Flow<'a> {
    fn of(module: &'a Module, request: &'a Request) -> Self {
        let mut orders = EntityMap::new(Vec::new());
        let mut found = EntityMap::new(EntitySet::new());
        let mut work = vec![module.main()];
        let mut reached = EntitySet::new();
        while let Some(id) = work.pop() {
            if !reached.insert(id) {
                continue;
            }
            let func = &module.funcs[id];
            let order = Cfg::of(func).order().to_vec();
            let insts = order.iter().flat_map(|&block| &func.blocks[block].insts);
            work.extend(insts.filter_map(|&inst| match func.insts[inst].op {
                Op::Call(callee, _) => Some(callee),
                _ => None,
            }));
            orders[id] = order;
            found[id] = shifts(module, func);
        }
        let none = || EntityMap::new(EntitySet::new());
        let mut it = Self {
            module,
            request,
            orders,
            varied: none(),
            useful: none(),
            outside: none(),
            shifts: found,
            changed: true,
            forwards: false,
        };
        let main = module.main();
        for &position in &request.wrt {
            for fact in [Fact::Varied, Fact::Outside] {
                it.mark(fact, main, module.funcs[main].params()[position]);
            }
        }
        for end in &request.ends {
            for block in module.funcs[main].blocks.values() {
                let values = match &block.term {
                    Terminator::Return(values) if end.exit.is_none() => values,
                    Terminator::Exit(exit, values) if end.exit == Some(*exit) => values,
                    _ => continue,
                };
                end.of.iter().for_each(|&of| it.mark(Fact::Useful, main, values[of]));
            }
        }
        it
    }

    fn has(&self, fact: Fact, func: FuncId, value: Value) -> bool {
        match fact {
            Fact::Varied => self.varied[func].contains(value),
            Fact::Useful => self.useful[func].contains(value),
            Fact::Outside => self.outside[func].contains(value),
        }
    }

    fn mark(&mut self, fact: Fact, func: FuncId, value: Value) {
        if carries(self.module.funcs[func].ty(value)) {
            self.mark_any(fact, func, value);
        }
    }

    /// The same for what may be a handle, or hold some.
    fn mark_any(&mut self, fact: Fact, func: FuncId, value: Value) {
        let ty = self.module.funcs[func].ty(value);
        if carries(ty) || may_be_handle(ty) {
            self.changed |= match fact {
                Fact::Varied => self.varied[func].insert(value),
                Fact::Useful => self.useful[func].insert(value),
                Fact::Outside => self.outside[func].insert(value),
            };
        }
    }

    /// A number flows from the first value to the second. What holds numbers is the same thing under two names.
    fn moves(&mut self, from: (FuncId, Value), to: (FuncId, Value)) {
        let same = !is_value(self.module.funcs[from.0].ty(from.1));
        for (fact, from, to) in [(Fact::Varied, from, to), (Fact::Outside, from, to), (Fact::Useful, to, from)] {
            if self.has(fact, from.0, from.1) {
                self.mark_any(fact, to.0, to.1);
            }
            if same && self.has(fact, to.0, to.1) {
                self.mark_any(fact, from.0, from.1);
            }
        }
    }

    fn visit(&mut self, id: FuncId) {
        let module = self.module;
        let func = &module.funcs[id];
        for block in self.orders[id].clone() {
            for &inst in &func.blocks[block].insts {
                self.inst(id, func, inst);
            }
            for jump in func.blocks[block].term.jumps() {
                for (&arg, &param) in jump.args.iter().zip(&func.blocks[jump.target].params) {
                    self.moves((id, arg), (id, param));
                }
            }
        }
    }

    fn inst(&mut self, id: FuncId, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let (args, results) = (&data.args, &data.results);
        if results.first().is_some_and(|it| self.shifts[id].contains(*it)) {
            return;
        }
        match path(data.op) {
            Path::Scalar(op) if func.ty(results[0]) == Type::F64 => {
                for (_, &arg) in args.iter().enumerate().filter(|&(position, _)| passes(op, position)) {
                    self.moves((id, arg), (id, results[0]));
                }
            }
            Path::List(op) => {
                let item = match (op.takes_item(), op.gives_item()) {
                    (true, _) => args.last(),
                    (_, true) => results.first(),
                    (false, false) => None,
                };
                match item {
                    // A list in a list: what changes the one changes the other.
                    Some(&item) if !is_value(func.ty(item)) => self.moves((id, item), (id, args[0])),
                    Some(&item) if op.takes_item() => self.flows_any(id, item, args[0]),
                    Some(&item) => self.flows_any(id, args[0], item),
                    None => {}
                }
            }
            Path::Load => self.flows(id, args[0], results[0]),
            Path::Store => self.flows(id, args[2], args[0]),
            Path::Map => match data.op {
                Op::Map(MapOp::Put) if args.len() > 3 => self.flows(id, args[3], args[0]),
                Op::Map(MapOp::Get) => {
                    self.flows(id, args[0], results[0]);
                    self.flows(id, args[2], results[0]);
                }
                // A float that is a key comes out again.
                Op::Map(MapOp::Key) => self.flows(id, args[0], results[0]),
                _ => {}
            },
            Path::Call => {
                let Op::Call(callee, _) = data.op else { return };
                let body = &self.module.funcs[callee];
                for (&arg, &param) in args.iter().zip(body.params()) {
                    self.moves((id, arg), (callee, param));
                }
                for &block in &self.orders[callee].clone() {
                    if let Terminator::Return(values) = &body.blocks[block].term {
                        for (&value, &result) in values.iter().zip(results) {
                            self.moves((callee, value), (id, result));
                        }
                    }
                }
            }
            Path::Host => {
                let Op::Host(host, _) = data.op else { return };
                if let Some((_, custom)) = custom(self.module, data.op) {
                    for &result in results {
                        args[..custom.by].iter().for_each(|&arg| self.flows(id, arg, result));
                    }
                    if self.forwards && custom.transparent {
                        for (arg, &result) in given(custom, data).into_iter().zip(results) {
                            self.moves((id, arg), (id, result));
                        }
                    }
                } else if self.request.borders.contains(host) {
                    for (fact, from, to) in [(Fact::Varied, args[0], results[0]), (Fact::Useful, results[0], args[0])] {
                        if self.has(fact, id, from) {
                            self.mark(fact, id, to);
                        }
                    }
                } else if !self.request.stops.contains(host) {
                    for &result in results {
                        args.iter().for_each(|&arg| self.flows(id, arg, result));
                    }
                }
            }
            Path::Tensor => {
                let Some(op) = tensor_op(self.module, data.op) else { return };
                if matches!(through(op), Through::Nowhere) {
                    return;
                }
                match (op.acts(), results.first()) {
                    (Acts::Writes, _) => args[1..].iter().for_each(|&arg| self.flows(id, arg, args[0])),
                    (_, Some(&result)) => args.iter().for_each(|&arg| self.flows(id, arg, result)),
                    (_, None) => {}
                }
            }
            Path::Handle if !results.is_empty() => self.flows_any(id, args[0], results[0]),
            Path::Scalar(_) | Path::Handle | Path::Nowhere => {}
        }
    }

    /// What the second value is depends on the first.
    fn flows(&mut self, func: FuncId, from: Value, to: Value) {
        let ty = |value| self.module.funcs[func].ty(value);
        if carries(ty(from)) && carries(ty(to)) {
            self.flows_any(func, from, to);
        }
    }

    /// The same for what may be a handle, or hold some.
    fn flows_any(&mut self, func: FuncId, from: Value, to: Value) {
        for fact in [Fact::Varied, Fact::Outside] {
            if self.has(fact, func, from) {
                self.mark_any(fact, func, to);
            }
        }
        if self.has(Fact::Useful, func, to) {
            self.mark_any(Fact::Useful, func, from);
        }
    }

    fn check(&self) -> Result<(), Refused> {
        self.check_records()?;
        for (id, func) in self.module.funcs.iter() {
            for &inst in self.orders[id].iter().flat_map(|&block| &func.blocks[block].insts) {
                if let Some(what) = self.refusal(id, func, inst) {
                    return Err(Refused::new(what, func.insts[inst].loc));
                }
                if let Some(what) = self.misses(id, func, inst) {
                    return Err(Refused { what, loc: func.insts[inst].loc, why: Why::Custom });
                }
            }
        }
        Ok(())
    }

    /// Handles go nowhere but to the tape and from there.
    fn check_records(&self) -> Result<(), Refused> {
        for (id, func) in self.module.funcs.iter() {
            let is_active = |&value: &Value| {
                func.ty(value) == Type::I64 && self.has(Fact::Varied, id, value) && self.has(Fact::Useful, id, value)
            };
            for &block in &self.orders[id] {
                let data = &func.blocks[block];
                let calls =
                    data.insts.iter().map(|&inst| &func.insts[inst]).filter(|data| matches!(data.op, Op::Call(..)));
                if data.params.iter().chain(calls.flat_map(|data| &data.results)).any(is_active) {
                    return Err(Refused::new("an array that the way back through a loop records", data.term_loc));
                }
            }
        }
        Ok(())
    }

    /// What a derivative that the program has given does not say, and is asked.
    fn misses(&self, id: FuncId, func: &Function, inst: Inst) -> Option<String> {
        let data = &func.insts[inst];
        let (host, custom) = custom(self.module, data.op)?;
        let is = |fact, value: &Value| self.has(fact, id, *value);
        if !data.results.iter().any(|it| is(Fact::Varied, it) && is(Fact::Useful, it)) {
            return None;
        }
        if self.forwards && custom.transparent {
            return None;
        }
        let name = &self.module.hosts[host].name;
        if given(custom, data).iter().any(|it| is(Fact::Outside, it)) {
            return Some(format!("{name} depends on what is differentiated by in another way than by its arguments"));
        }
        let (rule, way) = match self.forwards {
            true => (&custom.forth, "forwards"),
            false => (&custom.back, "backwards"),
        };
        rule.is_none().then(|| format!("{name} has no rule for going {way}"))
    }

    fn refusal(&self, id: FuncId, func: &Function, inst: Inst) -> Option<String> {
        let data = &func.insts[inst];
        let is = |fact, value: &Value| self.has(fact, id, *value);
        let active = |value: &Value| is(Fact::Varied, value) && is(Fact::Useful, value);
        match path(data.op) {
            Path::Host => {
                let Op::Host(host, _) = data.op else { return None };
                let name = &self.module.hosts[host].name;
                let is_known = self.request.stops.contains(host) || self.request.borders.contains(host);
                if is_known || self.module.hosts[host].custom.is_some() {
                    return None;
                }
                let through = data.args.iter().any(|arg| is(Fact::Varied, arg)) && data.results.iter().any(active);
                let changes = self.request.changes.contains(host) && data.args.iter().any(active);
                (through || changes).then(|| format!("`{name}`"))
            }
            Path::Store => {
                let stored = is(Fact::Varied, &data.args[2]) && self.reads_arrays();
                (stored || active(&data.args[0])).then(|| "writing into an array".to_owned())
            }
            Path::Map => match data.op {
                Op::Map(MapOp::Put) => {
                    let (map, key) = (data.args[0], data.args[2]);
                    let kept = is(Fact::Varied, &key) && self.reads_keys();
                    (kept && !matches!(func.ty(map), Type::Map(MapType { key: Scalar::I64 | Scalar::Bool, .. })))
                        .then(|| "a float that is a key".to_owned())
                }
                _ => None,
            },
            Path::Tensor => {
                let op = tensor_op(self.module, data.op)?;
                if op.acts() == Acts::Writes {
                    // What the way back needs would be another by then.
                    return self.has_tensors().then(|| "writing into a tensor".to_owned());
                }
                let never = matches!(through(op), Through::Never)
                    && data.args.iter().any(|arg| is(Fact::Varied, arg))
                    && data.results.iter().any(active);
                never.then(|| format!("`{op}` of a tensor"))
            }
            Path::Scalar(_) | Path::List(_) | Path::Load | Path::Call | Path::Handle | Path::Nowhere => None,
        }
    }

    /// Whether a tensor is differentiated.
    fn has_tensors(&self) -> bool {
        self.module.funcs.iter().any(|(id, func)| {
            let tensors = func.values.iter().filter(|(_, data)| matches!(data.ty, Type::Tensor(_)));
            tensors.map(|(value, _)| value).any(|it| self.has(Fact::Varied, id, it) && self.has(Fact::Useful, id, it))
        })
    }

    /// Whether a float that is read from an array matters.
    fn reads_arrays(&self) -> bool {
        self.any_useful(|op| op == Op::Load)
    }

    /// Whether a float that is a key of a dict or set matters.
    fn reads_keys(&self) -> bool {
        self.any_useful(|op| op == Op::Map(MapOp::Key))
    }

    fn any_useful(&self, wanted: impl Fn(Op) -> bool) -> bool {
        self.module.funcs.iter().any(|(id, func)| {
            let insts = func.blocks.values().flat_map(|block| &block.insts).map(|&inst| &func.insts[inst]);
            insts.filter(|data| wanted(data.op)).any(|data| self.useful[id].contains(data.results[0]))
        })
    }
}

/// The operation on tensors that an op is.
pub(super) fn tensor_op(module: &Module, op: Op) -> Option<&TensorOp> {
    match op {
        Op::Tensor(host, _) => module.hosts.lookup(host)?.tensor.as_ref(),
        _ => None,
    }
}

/// Whether an op changes the length of a list, or the room in it.
pub(super) const fn resizes(op: ListOp) -> bool {
    match op {
        ListOp::Push
        | ListOp::Pop
        | ListOp::Append
        | ListOp::Fill
        | ListOp::Insert
        | ListOp::Remove
        | ListOp::Truncate
        | ListOp::Reserve
        | ListOp::Shift => true,
        ListOp::Len | ListOp::Get | ListOp::Set => false,
    }
}
