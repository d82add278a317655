//! Lists that the host sorts: what is differentiated is put in order by what was sorted.
//!
//! The host sorts copies, and with them the numbers from 0 on, which say then where each item was. The lists themselves get
//! their items in this order, by reading and writing them. So the order is the host's, and items that are equal or no
//! numbers are where they would be.

use crate::build::Builder;
use crate::entity::{FuncId, HostId, Inst, Value};
use crate::ir::{Function, InstData, Module};
use crate::op::{Cmp, Const, ListOp, Op, Wrap2};
use crate::set::EntitySet;
use crate::types::{Elem, ListType, Type};

const TYPED: &str = "the types are those of the op";
/// What such a function of the host is called then.
const IN_ORDER: &str = "sort in order";
const FLOATS: Type = Type::List(ListType::of(Elem::F64));
const INTS: Type = Type::List(ListType::of(Elem::I64));

/// Rewrites the calls of these functions of the host that sort lists of floats.
pub(super) fn put_in_order(module: &mut Module, sorts: &EntitySet<HostId>) {
    let is_of_floats =
        |id: HostId| module.hosts.lookup(id).is_some_and(|host| host.name != IN_ORDER && host.params.contains(&FLOATS));
    let sorts: EntitySet<HostId> = sorts.iter().filter(|&id| is_of_floats(id)).collect();
    let is_sort = |data: &InstData| matches!(data.op, Op::Host(host, _) if sorts.contains(host));
    if !module.funcs.values().any(|func| func.insts.values().any(is_sort)) {
        return;
    }
    let mut add = |func: Function| module.funcs.push(func);
    // Two of them: what is sorted has no derivative, and what is put in order has.
    let [keys, copy] = ["keys_of", "copy_of"].map(|name| add(copy(name)));
    let (numbers, reorder) = (add(numbers()), add(reorder()));
    for id in sorts.iter() {
        let host = &mut module.hosts[id];
        IN_ORDER.clone_into(&mut host.name);
        host.params.push(INTS);
    }
    let derived = reached(module);
    for id in module.funcs.keys() {
        let is_derived = derived.contains(id);
        let func = &mut module.funcs[id];
        for block in func.blocks.keys() {
            let mut insts = Vec::new();
            for inst in std::mem::take(&mut func.blocks[block].insts) {
                if is_sort(&func.insts[inst]) {
                    let order = add_numbers(func, inst, numbers, &mut insts);
                    if is_derived {
                        rewrite(func, inst, [keys, copy, reorder], order, &mut insts);
                    } else {
                        insts.push(inst);
                    }
                } else {
                    insts.push(inst);
                }
            }
            func.blocks[block].insts = insts;
        }
    }
}

/// The functions that the main one leads to: those that are differentiated.
fn reached(module: &Module) -> EntitySet<FuncId> {
    let mut reached = EntitySet::new();
    let mut work = vec![module.main()];
    while let Some(id) = work.pop() {
        if reached.insert(id) {
            work.extend(module.funcs[id].insts.values().filter_map(|data| match data.op {
                Op::Call(callee, _) => Some(callee),
                _ => None,
            }));
        }
    }
    reached
}

/// Has the host sort the numbers from 0 on with the lists.
fn add_numbers(func: &mut Function, inst: Inst, numbers: FuncId, insts: &mut Vec<Inst>) -> Value {
    let loc = func.insts[inst].loc;
    let list = func.insts[inst].args.iter().copied().find(|&it| func.ty(it) == FLOATS);
    let list = list.expect("the host sorts a list of floats");
    let (call, order) = func.make_value(Op::Call(numbers, None), vec![list], INTS, loc);
    insts.push(call);
    func.insts[inst].args.push(order);
    order
}

fn rewrite(func: &mut Function, inst: Inst, [keys, copy, reorder]: [FuncId; 3], order: Value, insts: &mut Vec<Inst>) {
    let (lists, loc) = (func.insts[inst].args.clone(), func.insts[inst].loc);
    let mut moved = Vec::new();
    for (position, &list) in lists.iter().enumerate().filter(|&(_, &it)| func.ty(it) == FLOATS).collect::<Vec<_>>() {
        let [(sorted_inst, sorted), (before_inst, before)] =
            [keys, copy].map(|to| func.make_value(Op::Call(to, None), vec![list], FLOATS, loc));
        insts.extend([sorted_inst, before_inst]);
        func.insts[inst].args[position] = sorted;
        moved.push((list, before));
    }
    insts.push(inst);
    for (list, before) in moved {
        insts.push(func.make_inst(Op::Call(reorder, None), vec![list, before, order], &[], loc));
    }
}

/// A function that goes through the items of its first parameter, and does something at each index.
fn over(
    name: &str,
    params: &[Type],
    made: Option<ListType>,
    each: impl Fn(&mut Builder<'_>, &[Value], Option<Value>, Value),
) -> Function {
    let module = Module::default();
    let mut func = Function::new(name);
    let entry = func.entry();
    let params: Vec<Value> = params.iter().map(|&ty| func.append_param(entry, ty)).collect();
    func.results = made.map(Type::List).into_iter().collect();
    let mut b = Builder::new(&module, &mut func, entry);
    let [header, body, done] = [(); 3].map(|()| b.create_block());
    let at = b.append_param(header, Type::I64);
    let len = b.value(Op::List(ListOp::Len), &params[..1]).expect(TYPED);
    let made = made.map(|ty| b.value(Op::ListNew(ty), &[]).expect(TYPED));
    let zero = b.constant(Const::I64(0));
    b.jump(header, vec![zero]);
    b.switch_to(header);
    let more = b.value(Op::Cmp(Cmp::Lt), &[at, len]).expect(TYPED);
    b.branch(more, body, done);
    b.switch_to(body);
    each(&mut b, &params, made, at);
    let one = b.constant(Const::I64(1));
    let next = b.value(Op::Wrap2(Wrap2::Add), &[at, one]).expect(TYPED);
    b.jump(header, vec![next]);
    b.switch_to(done);
    b.ret(made.into_iter().collect());
    func
}

/// `list -> list`: another list of the same floats.
fn copy(name: &str) -> Function {
    over(name, &[FLOATS], Some(ListType::of(Elem::F64)), |b, params, made, at| {
        let item = b.value(Op::List(ListOp::Get), &[params[0], at]).expect(TYPED);
        b.inst(Op::List(ListOp::Push), &[made.expect("it makes one"), item]).expect(TYPED);
    })
}

/// `list -> list`: the numbers from 0 on, as many as there are items.
fn numbers() -> Function {
    over("numbers", &[FLOATS], Some(ListType::of(Elem::I64)), |b, _, made, at| {
        b.inst(Op::List(ListOp::Push), &[made.expect("it makes one"), at]).expect(TYPED);
    })
}

/// `list, before, order ->`: gives the list the items that it had before, in an order.
fn reorder() -> Function {
    over("reorder", &[FLOATS, FLOATS, INTS], None, |b, params, _, at| {
        let from = b.value(Op::List(ListOp::Get), &[params[2], at]).expect(TYPED);
        let item = b.value(Op::List(ListOp::Get), &[params[1], from]).expect(TYPED);
        b.inst(Op::List(ListOp::Set), &[params[0], at, item]).expect(TYPED);
    })
}
