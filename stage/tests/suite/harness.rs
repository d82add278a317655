//! Runs modules through the binary interface of back ends and tells everything that can be observed.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use snekpy_stage::backend::{Backend, Code, Context, Outcome, Status, payload_slots, slots};
use snekpy_stage::entity::ExitId;
use snekpy_stage::interp::Interpreter;
use snekpy_stage::ir::Module;
use snekpy_stage::text::parse;
use snekpy_stage::types::Type;
use snekpy_stage::verify::verify;

/// What a run of the main function did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Observed {
    pub(crate) outcome: Outcome,
    /// The slots of the results, or of the exit that it left through or at; empty after a trap without one.
    pub(crate) values: Vec<u64>,
    /// The frame states of the calls that were left, innermost first, with their slots.
    pub(crate) waiting: Vec<(ExitId, Vec<u64>)>,
    /// Each call of the host: number, arguments.
    pub(crate) calls: Vec<(u32, Vec<u64>)>,
    /// The place of each call that was left, as it was told.
    pub(crate) unwound: Vec<u32>,
    /// How often the host was asked whether to go on.
    pub(crate) polls: u32,
}

/// How the host behaves.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// How many more calls may be nested.
    pub(crate) depth: i64,
    /// The call of the host, from 0, that fails.
    pub(crate) fails_at: Option<usize>,
    /// Whether the flag is raised, and after how many questions the answer is to stop.
    pub(crate) stops_at: Option<u32>,
}

impl Default for Host {
    fn default() -> Self {
        Self { depth: 1000, fails_at: None, stops_at: None }
    }
}

struct Record<'a> {
    module: &'a Module,
    host: &'a Host,
    calls: Vec<(u32, Vec<u64>)>,
    unwound: Vec<u32>,
    /// The exits of the calls that were left, and what was in the payload before.
    left: Vec<(Option<ExitId>, Vec<u64>)>,
    polls: u32,
}

/// # Safety
/// The context is one of [`run`]'s, and this is the only record of it in use.
unsafe fn record<'a>(cx: *mut Context) -> &'a mut Record<'a> {
    // SAFETY: the caller says so.
    unsafe { &mut *(*cx).data.cast() }
}

unsafe extern "C" fn on_poll(cx: *mut Context) -> u32 {
    // SAFETY: compiled code hands back the context that it was given.
    let record = unsafe { record(cx) };
    record.polls += 1;
    u32::from(record.host.stops_at.is_some_and(|at| record.polls >= at))
}

/// Gives back a mixture of what it was given and how often it was called, in the types it declares.
unsafe extern "C" fn call_host(cx: *mut Context, number: u32, args: *const u64, results: *mut u64) -> u32 {
    // SAFETY: compiled code hands back the context that it was given.
    let record = unsafe { record(cx) };
    let data = record.module.hosts.values().nth(number as usize).expect("the function is declared");
    let count: usize = data.params.iter().map(|&ty| slots(ty)).sum();
    // SAFETY: compiled code brings what the declaration asks for.
    let args = unsafe { std::slice::from_raw_parts(args, count) }.to_vec();
    let mut mixed = record.calls.len() as u64 + 1;
    for arg in &args {
        mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) ^ arg;
    }
    for (position, ty) in data.results.iter().enumerate() {
        let bits = match ty {
            Type::Bool => mixed & 1,
            Type::I64 => mixed % 100,
            Type::F64 => ((mixed % 1000) as f64 / 8.0).to_bits(),
            Type::Array(_) | Type::List(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                panic!("the host gives only numbers")
            }
        };
        // SAFETY: compiled code has room for what the declaration gives.
        unsafe { *results.add(position) = bits };
    }
    let fails = record.host.fails_at == Some(record.calls.len());
    record.calls.push((number, args));
    u32::from(fails)
}

unsafe extern "C" fn unwind(cx: *mut Context, call: u64) {
    // SAFETY: compiled code hands back the context that it was given.
    let record = unsafe { record(cx) };
    if call == Status::FORGET {
        record.unwound.clear();
        record.left.clear();
        return;
    }
    record.unwound.push((call >> 32) as u32);
    // SAFETY: the payload has so many slots.
    let payload = unsafe { std::slice::from_raw_parts((*cx).payload, payload_slots(record.module)) };
    let exit = match Status(call).outcome() {
        Outcome::Exit(exit, _) => Some(exit),
        Outcome::Returned | Outcome::Trap(..) => None,
    };
    record.left.push((exit, payload.to_vec()));
}

/// Runs the main function of a verified module.
pub(crate) fn run(backend: &dyn Backend, module: &Module, host: &Host, args: &[u64]) -> Observed {
    run_code(&*backend.compile(module).expect("it compiles"), module, host, args)
}

/// Runs the code of a verified module.
pub(crate) fn run_code(code: &dyn Code, module: &Module, host: &Host, args: &[u64]) -> Observed {
    let main = &module.funcs[module.main()];
    assert_eq!(args.len(), main.param_types().iter().map(|&ty| slots(ty)).sum::<usize>(), "slots of the arguments");
    let mut payload = vec![0; payload_slots(module)];
    let mut results = vec![0; main.results.iter().map(|&ty| slots(ty)).sum()];
    let mut record = Record { module, host, calls: Vec::new(), unwound: Vec::new(), left: Vec::new(), polls: 0 };
    let flag = AtomicU32::new(u32::from(host.stops_at.is_some()));
    let mut cx = Context {
        poll: &raw const flag,
        depth: host.depth,
        payload: payload.as_mut_ptr(),
        on_poll,
        host: call_host,
        unwind,
        data: (&raw mut record).cast::<c_void>(),
        ..Context::detached(&mut [])
    };
    // SAFETY: the slots were counted above; the caller's arrays live until the end of the test.
    let outcome = unsafe { code.run(&mut cx, args.as_ptr(), results.as_mut_ptr()) }.outcome();
    assert_eq!(cx.depth, host.depth, "the context is given back as it was");
    assert_eq!(flag.load(Ordering::Relaxed), u32::from(host.stops_at.is_some()));
    let Record { calls, unwound, left, polls, .. } = record;
    let count = |exit: ExitId| module.exits[exit].types.iter().map(|&ty| slots(ty)).sum();
    let innermost = match outcome {
        Outcome::Exit(exit, _) | Outcome::Trap(_, Some(exit), _) => Some(exit),
        Outcome::Returned | Outcome::Trap(_, None, _) => None,
    };
    // What was in the payload when a call was told of belongs to what was left before it.
    let exits = std::iter::once(innermost).chain(left.iter().map(|(exit, _)| *exit));
    let payloads = left.iter().map(|(_, payload)| payload.clone()).chain([payload.clone()]);
    let mut states: Vec<(ExitId, Vec<u64>)> = exits
        .zip(payloads)
        .filter_map(|(exit, mut payload)| {
            payload.truncate(count(exit?));
            Some((exit?, payload))
        })
        .collect();
    let values = match (outcome, innermost) {
        (Outcome::Returned, _) => results,
        (_, Some(_)) => states.remove(0).1,
        (_, None) => Vec::new(),
    };
    Observed { outcome, values, waiting: states, calls, unwound, polls }
}

/// Reads and verifies a module.
pub(crate) fn module(source: &str) -> Module {
    let module = parse(source).unwrap_or_else(|error| panic!("{error} in\n{source}"));
    if let Err(violations) = verify(&module) {
        panic!("{violations}");
    }
    module
}

/// Runs the main function of a text with the reference interpreter.
pub(crate) fn interpret(source: &str, host: &Host, args: &[u64]) -> Observed {
    run(&Interpreter, &module(source), host, args)
}

/// The one result of a run that returns.
pub(crate) fn result(source: &str, args: &[u64]) -> u64 {
    let observed = interpret(source, &Host::default(), args);
    assert_eq!(observed.outcome, Outcome::Returned);
    assert_eq!(observed.values.len(), 1);
    observed.values[0]
}
