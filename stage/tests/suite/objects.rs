//! Owners of objects: what the pass `own` counts, on random control flow.

use std::ffi::c_void;

use rand_like::Dice;
use snekpy_stage::backend::{Backend, Context, Outcome};
use snekpy_stage::build::Builder;
use snekpy_stage::entity::{Block, HostId, Value};
use snekpy_stage::interp::Interpreter;
use snekpy_stage::ir::{Function, HostData, Module};
use snekpy_stage::op::{ObjectOp, Op};
use snekpy_stage::pass::{self, OWN, Observer};
use snekpy_stage::types::{Class, Type};
use snekpy_stage::verify::verify;

const OBJECT: Type = Type::Object(Class::ANY);

/// Numbers that look random and are the same in each run.
mod rand_like {
    pub(super) struct Dice(pub(super) u64);

    impl Dice {
        pub(super) fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % n
        }
    }
}

/// A function of branches, loops and joins that makes, uses, passes on and forgets objects.
struct Program<'a> {
    module: &'a Module,
    func: Function,
    dice: Dice,
}

impl Program<'_> {
    fn b(&mut self, block: Block) -> Builder<'_> {
        Builder::new(self.module, &mut self.func, block)
    }

    fn host(&mut self, block: Block, host: usize, args: &[Value]) -> Vec<Value> {
        let host = self.module.hosts.keys().nth(host).expect("it is declared");
        self.b(block).inst(Op::Host(host, None), args).expect("it fits")
    }

    /// Instructions from `block` on: where they end, and the objects that are known there.
    fn body(&mut self, mut block: Block, mut objects: Vec<Value>, depth: usize) -> (Block, Vec<Value>) {
        for _ in 0..self.dice.below(5) {
            let any = |dice: &mut Dice, objects: &[Value]| objects[dice.below(objects.len())];
            match self.dice.below(if depth == 0 { 2 } else { 4 }) {
                0 => objects.extend(self.host(block, 0, &[])),
                1 => {
                    let object = any(&mut self.dice, &objects);
                    self.host(block, 1, &[object]);
                }
                2 => {
                    let object = any(&mut self.dice, &objects);
                    let cond = self.host(block, 1, &[object])[0];
                    let (then, other, join) = {
                        let mut b = self.b(block);
                        (b.create_block(), b.create_block(), b.create_block())
                    };
                    self.b(block).branch(cond, then, other);
                    let params = [self.b(join).append_param(join, OBJECT), self.b(join).append_param(join, OBJECT)];
                    for arm in [then, other] {
                        let (end, known) = self.body(arm, objects.clone(), depth - 1);
                        let args = vec![any(&mut self.dice, &known), any(&mut self.dice, &known)];
                        self.b(end).jump(join, args);
                    }
                    objects.extend(params);
                    block = join;
                }
                _ => {
                    let (head, inside, after) = {
                        let mut b = self.b(block);
                        (b.create_block(), b.create_block(), b.create_block())
                    };
                    let first = vec![any(&mut self.dice, &objects), any(&mut self.dice, &objects)];
                    self.b(block).jump(head, first);
                    let params = [self.b(head).append_param(head, OBJECT), self.b(head).append_param(head, OBJECT)];
                    let mut known = objects.clone();
                    known.extend(params);
                    let cond = self.host(head, 1, &[params[0]])[0];
                    self.b(head).branch(cond, inside, after);
                    let (end, inner) = self.body(inside, known.clone(), depth - 1);
                    let args = vec![any(&mut self.dice, &inner), params[self.dice.below(2)]];
                    self.b(end).jump(head, args);
                    objects = known;
                    block = after;
                }
            }
        }
        (block, objects)
    }
}

/// The objects of a run: how many owners each has.
#[derive(Default)]
struct Owners {
    counts: Vec<i64>,
    /// Answers so far: in the end all loops end.
    asked: u64,
    faults: Vec<String>,
}

/// # Safety
/// The context is that of `run`.
unsafe fn owners<'a>(cx: *mut Context) -> &'a mut Owners {
    // SAFETY: the caller says so.
    unsafe { &mut *(*cx).data.cast() }
}

unsafe extern "C" fn host(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: compiled code hands back the context that it was given.
    let owners = unsafe { owners(cx) };
    let result = if number == 0 {
        owners.counts.push(1);
        owners.counts.len() as u64 + 1
    } else {
        // SAFETY: it takes one slot.
        let handle = unsafe { *args };
        if owners.counts[handle as usize - 2] <= 0 {
            owners.faults.push(format!("{handle} is used, and has no owner"));
        }
        owners.asked += 1;
        let bits = (owners.asked ^ handle).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62;
        u64::from(owners.asked < 200 && bits != 0)
    };
    // SAFETY: it gives one slot.
    unsafe { *results = result };
    0
}

unsafe extern "C" fn count(cx: *mut Context, handle: u64, more: u32) {
    // SAFETY: compiled code hands back the context that it was given.
    let owners = unsafe { owners(cx) };
    let owned = &mut owners.counts[handle as usize - 2];
    if *owned <= 0 {
        owners.faults.push(format!("{handle} is counted, and has no owner"));
    }
    *owned += if more != 0 { 1 } else { -1 };
}

#[test]
fn every_object_has_an_owner_while_it_is_used_and_none_afterwards() {
    let mut module = Module::default();
    module.hosts.push(HostData::new("new", Vec::new(), vec![OBJECT]));
    let _: HostId = module.hosts.push(HostData::new("ask", vec![OBJECT], vec![Type::Bool]));
    let mut counted = 0;
    for seed in 0..400 {
        let mut program = Program { module: &module, func: Function::new("main"), dice: Dice(seed * 77 + 5) };
        let entry = program.func.entry();
        let first = program.host(entry, 0, &[]);
        let (end, objects) = program.body(entry, first, 3);
        let results = vec![objects[program.dice.below(objects.len())], objects[program.dice.below(objects.len())]];
        program.func.results = vec![OBJECT; 2];
        program.b(end).ret(results);
        let mut whole = module.clone();
        whole.funcs.push(program.func);
        verify(&whole).expect("it is well-formed");
        let before = whole.to_string();
        let mut observer = Observer::new();
        observer.verify = true;
        pass::optimise(&mut whole, &[OWN], &mut observer).expect("it stays well-formed");
        let counts = |func: &Function| {
            func.insts.values().filter(|it| matches!(it.op, Op::Object(ObjectOp::Retain | ObjectOp::Release))).count()
        };
        counted += whole.funcs.values().map(counts).sum::<usize>();
        let code = Interpreter.compile(&whole).expect("it compiles");
        let mut owners = Owners::default();
        let (mut payload, mut given) = ([0; 8], [0; 2]);
        let mut cx = Context {
            host,
            count,
            payload: payload.as_mut_ptr(),
            data: (&raw mut owners).cast::<c_void>(),
            ..Context::detached(&mut [])
        };
        // SAFETY: it takes nothing, and gives two slots.
        let status = unsafe { code.run(&mut cx, std::ptr::null(), given.as_mut_ptr()) };
        assert_eq!(status.outcome(), Outcome::Returned);
        let Owners { counts, faults, .. } = owners;
        assert!(faults.is_empty(), "seed {seed}: {faults:?} in\n{before}\n{whole}");
        for (index, owned) in counts.iter().enumerate() {
            let wanted = given.iter().filter(|&&handle| handle == index as u64 + 2).count();
            assert_eq!(*owned, wanted as i64, "seed {seed}: object {} in\n{before}\n{whole}", index + 2);
        }
    }
    assert!(counted > 4000, "the programs count nothing: {counted}");
}
