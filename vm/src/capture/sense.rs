//! Native functions that give another number at each call: clocks and random numbers. They are called when the code
//! runs, each time, in the order of the program.
//!
//! Each is a call of the host with a known type of result (`HostKind::Compute` with `has_effects`): an instruction with
//! an effect, so that passes keep it, its number and its order. `random.randint` and the like are Python code on top of
//! it.

use rustpython_vm::PyObjectRef;
use rustpython_vm::function::FuncArgs;
use snekpy_stage::op::{Cmp, Const};
use snekpy_stage::types::Type;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::value::Num;
use crate::host::native::NativeCallable;

/// How many random bits a number of 64 bits with a sign has room for.
const MAX_BITS: i64 = 63;

/// What such a function gives; `None` if this is none.
fn result_of(native: &NativeCallable) -> Option<(&'static str, Type)> {
    const CLOCKS: [(&str, Type); 9] = [
        ("time", Type::F64),
        ("monotonic", Type::F64),
        ("perf_counter", Type::F64),
        ("process_time", Type::F64),
        ("thread_time", Type::F64),
        ("time_ns", Type::I64),
        ("monotonic_ns", Type::I64),
        ("perf_counter_ns", Type::I64),
        ("process_time_ns", Type::I64),
    ];
    match native {
        NativeCallable::Function { module: "time", name } => CLOCKS.into_iter().find(|(it, _)| it == name),
        NativeCallable::Method { owner, name, receiver: Some(_) } if &*owner.name() == "Random" => {
            [("random", Type::F64), ("getrandbits", Type::I64)].into_iter().find(|(it, _)| it == name)
        }
        _ => None,
    }
}

impl Session<'_> {
    /// Calls a clock or a source of random numbers at run time. `None` if this is none.
    pub(crate) fn sense(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>> {
        let Some((name, result)) = result_of(native) else { return Ok(None) };
        match (name, args.args.as_slice()) {
            _ if !args.kwargs.is_empty() => return Ok(None),
            ("getrandbits", [count]) => match self.number(count)? {
                Some(Num::Static(Const::I64(0..=MAX_BITS))) => {}
                Some(num @ Num::Staged(_, Type::I64)) => {
                    // With more the call starts over, as plain Python.
                    let (count, most) = (self.lift(state, num), self.int(state, MAX_BITS));
                    let zero = self.int(state, 0);
                    for (cmp, bound) in [(Cmp::Gt, most), (Cmp::Lt, zero)] {
                        let outside = self.cmp(state, cmp, count, bound);
                        self.restart_if(state, outside)?;
                    }
                }
                _ => return Ok(None),
            },
            (_, []) => {}
            _ => return Ok(None),
        }
        self.call_at_run_time(state, name, callable, &args.args, result, true).map(Some)
    }
}
