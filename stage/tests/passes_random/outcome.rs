//! Running a module on the interpreter, and all that can be noticed of it.

use std::ffi::c_void;
use std::sync::atomic::AtomicU32;

use snekpy_stage::backend::{Backend, Context, Outcome as Ended, payload_slots};
use snekpy_stage::entity::Loc;
use snekpy_stage::interp::Interpreter;
use snekpy_stage::ir::Module;

use crate::generate::{ARRAY, Rng};

/// All that can be noticed of a call.
#[derive(PartialEq, Debug)]
pub(crate) struct Outcome {
    ended: String,
    values: Vec<u64>,
    memory: Vec<i64>,
    host: Vec<u64>,
}

impl Outcome {
    pub(crate) fn returned(&self) -> bool {
        self.ended == "returned"
    }
}

/// A place without the numbers that inlining changes: the lines, innermost first.
fn lines(module: &Module, loc: Option<Loc>) -> Option<u32> {
    loc.map(|loc| module.locs[loc].line)
}

/// What the host has seen.
#[derive(Default)]
struct Seen {
    calls: Vec<u64>,
    polls: u32,
}

/// A generated module always ends: one that goes round for so long was broken.
const ENDLESS: u32 = 100_000;

unsafe extern "C" fn on_poll(cx: *mut Context) -> u32 {
    // SAFETY: `run` put it there.
    let seen = unsafe { &mut *(*cx).data.cast::<Seen>() };
    seen.polls += 1;
    u32::from(seen.polls > ENDLESS)
}

unsafe extern "C" fn host(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: `run` put it there, and the host function takes and gives one integer.
    unsafe {
        let log = &mut (*(*cx).data.cast::<Seen>()).calls;
        log.push(u64::from(number));
        log.push(*args);
        *results = (*args).rotate_left(7) % 1000;
        u32::from(log.len() > 400)
    }
}

pub(crate) fn run(module: &Module, rng: &mut Rng) -> Outcome {
    let mut memory: Vec<i64> = (0..ARRAY).map(|_| rng.int()).collect();
    let args = [
        rng.int().cast_unsigned(),
        rng.int().cast_unsigned(),
        rng.float().to_bits(),
        (rng.below(2)) as u64,
        memory.as_mut_ptr() as u64,
        ARRAY,
    ];
    let mut payload = vec![0; payload_slots(module)];
    let mut seen = Seen::default();
    let always = AtomicU32::new(1);
    let mut cx = Context::detached(&mut payload);
    cx.host = host;
    cx.on_poll = on_poll;
    cx.poll = &raw const always;
    cx.data = (&raw mut seen).cast::<c_void>();
    let mut results = vec![0; module.funcs[module.main()].results.len()];
    let code = Interpreter.compile(module).unwrap();
    // SAFETY: the slots are those of the generated main function; the payload has room for every exit.
    let status = unsafe { code.run(&mut cx, args.as_ptr(), results.as_mut_ptr()) };
    let (ended, values) = match status.outcome() {
        Ended::Returned => ("returned".to_owned(), results),
        Ended::Exit(exit, loc) => (format!("{exit} at {:?}", lines(module, loc)), payload),
        Ended::Trap(trap, _, loc) => (format!("{trap:?} at {:?}", lines(module, loc)), Vec::new()),
    };
    Outcome { ended, values, memory, host: seen.calls }
}
