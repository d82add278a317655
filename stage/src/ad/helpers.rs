//! Functions that derivatives call: what takes a loop or a branch, and would end a block in the middle.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::build::Builder;
use crate::entity::{Block, FuncId, Value};
use crate::ir::{Function, Module};
use crate::op::{Cmp, Const, ListOp, MapOp, Num2, Op, Wrap2};
use crate::types::{Elem, ListType, MapType, Scalar, Type};

use super::Request;
use super::activity::{Activity, carries, is_value};

const TYPED: &str = "the types are those of the op";

/// What gives a dict of zeros with the keys of another one, and what replaces its values.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    /// `map -> map`: zeros by the same keys.
    pub(super) zeros: FuncId,
    /// `map, map ->`: gives the keys of the first the values of the second, where it has some.
    pub(super) fill: FuncId,
}

/// Those that a module needs.
pub(super) struct Helpers {
    drain: Option<FuncId>,
    keys: BTreeMap<MapType, FuncId>,
    zeros: BTreeMap<ListType, FuncId>,
    entries: BTreeMap<MapType, Entries>,
    drops: BTreeMap<ListType, FuncId>,
}

impl Helpers {
    /// Adds them to the module.
    pub(super) fn declare(module: &mut Module, activity: &Activity, request: &Request) -> Self {
        let mut fills = false;
        let (mut maps, mut filled) = (Vec::new(), Vec::new());
        for (id, func) in module.funcs.iter() {
            for data in
                func.insts.values().filter(|data| data.args.first().is_some_and(|&it| activity.is_active(id, it)))
            {
                match (data.op, func.ty(data.args[0])) {
                    (Op::List(ListOp::Fill), Type::List(ty)) if ty.nesting > 0 => filled.push(ty),
                    (Op::List(ListOp::Fill), _) => fills = true,
                    (Op::Map(MapOp::Get), Type::Map(ty)) if key_found(func, &data.args).is_none() => maps.push(ty),
                    _ => {}
                }
            }
        }
        let main = &module.funcs[module.main()];
        let is_mirrored = |&(position, &param): &(usize, &Value)| {
            !is_value(main.ty(param)) && (activity.is_active(module.main(), param) || request.wrt.contains(&position))
        };
        let nested =
            main.params().iter().enumerate().filter(is_mirrored).filter_map(|(_, &param)| match main.ty(param) {
                Type::List(ty) if ty.nesting > 0 => Some(ty),
                _ => None,
            });
        let nested: Vec<ListType> = nested.collect();
        let by = request.wrt.iter().filter_map(|&position| match main.ty(main.params()[position]) {
            Type::Map(ty) => Some(ty),
            _ => None,
        });
        let by: Vec<MapType> = by.collect();
        let mut it = Self {
            drain: None,
            keys: BTreeMap::new(),
            zeros: BTreeMap::new(),
            entries: BTreeMap::new(),
            drops: BTreeMap::new(),
        };
        for ty in by {
            if let Entry::Vacant(place) = it.entries.entry(ty) {
                let [zeros, fill] = [zero_entries(module, ty), fill_entries(module, ty)];
                place.insert(Entries { zeros: module.funcs.push(zeros), fill: module.funcs.push(fill) });
            }
        }
        if fills {
            let func = drain(module);
            it.drain = Some(module.funcs.push(func));
        }
        for ty in maps {
            if let Entry::Vacant(place) = it.keys.entry(ty) {
                let func = key_at(module, ty);
                place.insert(module.funcs.push(func));
            }
        }
        for ty in filled {
            let ty = ListType { elem: Elem::F64, ..ty };
            if let Entry::Vacant(place) = it.drops.entry(ty) {
                let func = drop_last(module, ty);
                place.insert(module.funcs.push(func));
            }
        }
        for ty in nested {
            for nesting in 1..=ty.nesting {
                let ty = ListType { nesting, ..ty };
                if !it.zeros.contains_key(&ty) {
                    let func = zeros(module, ty, &it.zeros);
                    it.zeros.insert(ty, module.funcs.push(func));
                }
            }
        }
        it
    }

    /// `list, n -> t`: takes the last `n` floats out, none if `n` is negative, and gives their sum.
    pub(super) fn drain(&self) -> FuncId {
        self.drain.expect("it was declared for this")
    }

    /// `list, n ->`: takes the last `n` lists out of a list of such, none if `n` is negative.
    pub(super) fn drop_last(&self, ty: ListType) -> FuncId {
        self.drops[&ty]
    }

    /// `map, p -> k`: the key at a position, any if that is negative.
    pub(super) fn key_at(&self, ty: MapType) -> FuncId {
        self.keys[&ty]
    }

    /// For a dict that is differentiated by.
    pub(super) fn entries(&self, ty: MapType) -> Entries {
        self.entries[&ty]
    }

    /// `list -> list`: lists of zeros, nested as a list of lists is.
    pub(super) fn zeros(&self, ty: ListType) -> FuncId {
        self.zeros[&ty]
    }
}

/// The key that the position was found by that a value of a map is taken from: the operands of `map_get`.
pub(super) fn key_found(func: &Function, args: &[Value]) -> Option<Value> {
    match func.definition(args[1]) {
        Some((Op::Map(MapOp::Find), found)) if found[0] == args[0] => Some(found[1]),
        _ => None,
    }
}

/// A function being written.
struct Writer<'a> {
    b: Builder<'a>,
}

impl Writer<'_> {
    fn value(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.value(op, args).expect(TYPED)
    }

    fn run(&mut self, op: Op, args: &[Value]) {
        self.b.inst(op, args).expect(TYPED);
    }

    fn int(&mut self, it: i64) -> Value {
        self.b.constant(Const::I64(it))
    }
}

fn begin<'a>(
    module: &'a Module,
    func: &'a mut Function,
    params: &[Type],
    results: &[Type],
) -> (Writer<'a>, Block, Vec<Value>) {
    func.results = results.to_vec();
    let entry = func.entry();
    let params = params.iter().map(|&ty| func.append_param(entry, ty)).collect();
    (Writer { b: Builder::new(module, func, entry) }, entry, params)
}

fn drain(module: &Module) -> Function {
    let mut func = Function::new("drain");
    let (mut w, _, params) = begin(module, &mut func, &[Type::List(ListType::of(Elem::F64)), Type::I64], &[Type::F64]);
    let (list, n) = (params[0], params[1]);
    let [header, body, done] = [(); 3].map(|()| w.b.create_block());
    let [left, sum] = [Type::I64, Type::F64].map(|ty| w.b.append_param(header, ty));
    let zero = w.b.constant(Const::F64(0.0));
    w.b.jump(header, vec![n, zero]);
    w.b.switch_to(header);
    let none = w.int(0);
    let more = w.value(Op::Cmp(Cmp::Gt), &[left, none]);
    w.b.branch(more, body, done);
    w.b.switch_to(body);
    let item = w.value(Op::List(ListOp::Pop), &[list]);
    let next = w.value(Op::Num2(Num2::Add), &[sum, item]);
    let one = w.int(1);
    let less = w.value(Op::Wrap2(Wrap2::Sub), &[left, one]);
    w.b.jump(header, vec![less, next]);
    w.b.switch_to(done);
    w.b.ret(vec![sum]);
    func
}

fn drop_last(module: &Module, ty: ListType) -> Function {
    let mut func = Function::new("drop_last");
    let (mut w, _, params) = begin(module, &mut func, &[Type::List(ty), Type::I64], &[]);
    let len = w.value(Op::List(ListOp::Len), &params[..1]);
    let kept = w.value(Op::Wrap2(Wrap2::Sub), &[len, params[1]]);
    keep(&mut w, params[0], kept);
    func
}

/// Takes lists out of a list, the last first, until so many are left.
fn keep(w: &mut Writer<'_>, list: Value, kept: Value) {
    let [header, body, done] = [(); 3].map(|()| w.b.create_block());
    w.b.jump(header, Vec::new());
    w.b.switch_to(header);
    let len = w.value(Op::List(ListOp::Len), &[list]);
    let more = w.value(Op::Cmp(Cmp::Gt), &[len, kept]);
    w.b.branch(more, body, done);
    w.b.switch_to(body);
    w.run(Op::List(ListOp::Pop), &[list]);
    w.b.jump(header, Vec::new());
    w.b.switch_to(done);
    w.b.ret(Vec::new());
}

/// Makes lists of lists of floats lose one after the other what they lose at once: the way back puts them there again.
pub(super) fn shorten_one_by_one(module: &mut Module) {
    let mut made: BTreeMap<ListType, FuncId> = BTreeMap::new();
    for id in module.funcs.keys() {
        for inst in module.funcs[id].insts.keys() {
            let data = &module.funcs[id].insts[inst];
            let Op::List(ListOp::Truncate) = data.op else { continue };
            let Type::List(ty) = module.funcs[id].ty(data.args[0]) else { continue };
            if ty.nesting == 0 || !carries(Type::List(ty)) {
                continue;
            }
            if let Entry::Vacant(place) = made.entry(ty) {
                let mut func = Function::new("keep_first");
                let (mut w, _, params) = begin(module, &mut func, &[Type::List(ty), Type::I64], &[]);
                keep(&mut w, params[0], params[1]);
                place.insert(module.funcs.push(func));
            }
            module.funcs[id].insts[inst].op = Op::Call(made[&ty], None);
        }
    }
}

fn key_at(module: &Module, ty: MapType) -> Function {
    let mut func = Function::new("key_at");
    let (mut w, _, params) = begin(module, &mut func, &[Type::Map(ty), Type::I64], &[ty.key.ty()]);
    let [there, nowhere] = [(); 2].map(|()| w.b.create_block());
    let none = w.int(0);
    let is_there = w.value(Op::Cmp(Cmp::Ge), &[params[1], none]);
    w.b.branch(is_there, there, nowhere);
    w.b.switch_to(there);
    let key = w.value(Op::Map(MapOp::Key), &params);
    w.b.ret(vec![key]);
    w.b.switch_to(nowhere);
    let any = w.b.constant(match ty.key {
        Scalar::Bool => Const::Bool(false),
        Scalar::I64 => Const::I64(0),
        Scalar::F64 => Const::F64(0.0),
    });
    w.b.ret(vec![any]);
    func
}

/// A loop over the entries of a map: the position of each, in its body; and the block behind the loop.
fn each_entry(w: &mut Writer<'_>, map: Value) -> (Block, Value, Block) {
    let [header, body, done] = [(); 3].map(|()| w.b.create_block());
    let from = w.b.append_param(header, Type::I64);
    let first = w.int(0);
    w.b.jump(header, vec![first]);
    w.b.switch_to(header);
    let at = w.value(Op::Map(MapOp::Next), &[map, from]);
    let none = w.int(0);
    let more = w.value(Op::Cmp(Cmp::Ge), &[at, none]);
    w.b.branch(more, body, done);
    w.b.switch_to(body);
    (header, at, done)
}

/// Ends the body of a loop over positions: with the next one.
fn go_on(w: &mut Writer<'_>, header: Block, at: Value, done: Block) {
    let one = w.int(1);
    let next = w.value(Op::Wrap2(Wrap2::Add), &[at, one]);
    w.b.jump(header, vec![next]);
    w.b.switch_to(done);
}

fn zero_entries(module: &Module, ty: MapType) -> Function {
    let mut func = Function::new("zero_entries");
    let (mut w, _, params) = begin(module, &mut func, &[Type::Map(ty)], &[Type::Map(ty)]);
    let made = w.value(Op::MapNew(ty), &[]);
    let (header, at, done) = each_entry(&mut w, params[0]);
    let (key, new, zero) = (w.value(Op::Map(MapOp::Key), &[params[0], at]), w.int(-1), w.b.constant(Const::F64(0.0)));
    w.run(Op::Map(MapOp::Put), &[made, new, key, zero]);
    go_on(&mut w, header, at, done);
    w.b.ret(vec![made]);
    func
}

fn fill_entries(module: &Module, ty: MapType) -> Function {
    let mut func = Function::new("fill_entries");
    let (mut w, _, params) = begin(module, &mut func, &[Type::Map(ty); 2], &[]);
    let (header, at, done) = each_entry(&mut w, params[0]);
    let key = w.value(Op::Map(MapOp::Key), &[params[0], at]);
    let found = w.value(Op::Map(MapOp::Find), &[params[1], key]);
    let zero = w.b.constant(Const::F64(0.0));
    let value = w.value(Op::Map(MapOp::Get), &[params[1], found, zero]);
    w.run(Op::Map(MapOp::Put), &[params[0], at, key, value]);
    go_on(&mut w, header, at, done);
    w.b.ret(Vec::new());
    func
}

/// `inner` are those for lists that are nested less.
fn zeros(module: &Module, ty: ListType, inner: &BTreeMap<ListType, FuncId>) -> Function {
    let mut func = Function::new("zeros");
    let of = ListType { elem: Elem::F64, ..ty };
    let (mut w, _, params) = begin(module, &mut func, &[Type::List(ty)], &[Type::List(of)]);
    let [header, body, done] = [(); 3].map(|()| w.b.create_block());
    let at = w.b.append_param(header, Type::I64);
    let made = w.value(Op::ListNew(of), &[]);
    let (len, first) = (w.value(Op::List(ListOp::Len), &params), w.int(0));
    w.run(Op::List(ListOp::Reserve), &[made, len]);
    w.b.jump(header, vec![first]);
    w.b.switch_to(header);
    let more = w.value(Op::Cmp(Cmp::Lt), &[at, len]);
    w.b.branch(more, body, done);
    w.b.switch_to(body);
    let row = w.value(Op::List(ListOp::Get), &[params[0], at]);
    let row = match inner.get(&ListType { nesting: ty.nesting - 1, ..ty }) {
        Some(&func) => w.value(Op::Call(func, None), &[row]),
        None => {
            let new = w.value(Op::ListNew(ListType::of(Elem::F64)), &[]);
            let (len, zero) = (w.value(Op::List(ListOp::Len), &[row]), w.b.constant(Const::F64(0.0)));
            w.run(Op::List(ListOp::Reserve), &[new, len]);
            w.run(Op::List(ListOp::Fill), &[new, len, zero]);
            new
        }
    };
    w.run(Op::List(ListOp::Append), &[made, row]);
    go_on(&mut w, header, at, done);
    w.b.ret(vec![made]);
    func
}
