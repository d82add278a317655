//! Functions that stay functions.
//!
//! A function that is entered again below a decision on a Rep would be inlined for ever. Then the capture
//! starts again, knowing that this function, for arguments of this shape, must stay a function of the IR.
//!
//! What such a function returns is not known while it is explored for the first time: paths that call it
//! wait (they are *parked*), and what the other paths return, the base cases, is taken as its result; then
//! it is explored again, until the results are those that were assumed. A function whose results have
//! several shapes gives a tag that says which.
//!
//! There are at most 64 such restarts; `@rep_fun` says so from the start. A function that waits for one of its callers
//! is *open*: it gives what is known of its results, and is built again whenever the caller is, so that mutual
//! recursion converges. Results of several shapes (8 at most) come back as a tag and the leaves of every shape; the
//! caller asks the tag, which is an ordinary fork. A recursion from which no path returns is refused, and so is one
//! whose arguments take ever new shapes (8 functions for one code, 32 calls inlined into one another).
//!
//! Lists that such a function returns are of the compiled code: they become so at the `return`, and the caller has a new
//! list object of its path with the same Rep, as for an item of a list of lists (`capture/list.rs`). Lists of numbers
//! that the arguments of calls in one another differ in the length of become so before the call. Of which type an empty
//! list is that the first base case returns is guessed (`capture/list/guess.rs`).

mod outer;
mod outlined;
mod outside;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::{AsObject, PyObjectRef};
use snekpy_stage::entity::{Entity, FuncId, Value};
use snekpy_stage::ir::Function;
use snekpy_stage::op::{Cmp, Const, Op};
use snekpy_stage::types::Type;

pub(crate) use outlined::{IntPassed, Outline, Outlined};

use crate::callable::Orders;
use crate::capture::assumptions::Assumption;
use crate::capture::checkpoint::Reach;
use crate::capture::explore::Abort;
use crate::capture::heap::{self, Heap};
use crate::capture::list::ItemType;
use crate::capture::mixed::Tags;
use crate::capture::reread::Reread;
use crate::capture::session::{Session, next_owner};
use crate::capture::shape::{self, Leaf, Shape};
use crate::capture::state::{CallResult, Frame, State, Then};
use crate::capture::step::{Flow, refuse};
use crate::capture::stop::{Step, Stop};
use crate::capture::template::unchanged;
use crate::capture::values::{Abstract, classify};
use crate::captured::OfArguments;
use crate::flatten::Root;
use crate::host;
use crate::kind::{self, Kind};
use crate::refusal::Refusal;
use crate::scalar;
use crate::tensor;

/// For how many shapes of arguments one function stays a function.
const MAX_OUTLINES: usize = 8;
/// How many calls of a recursive function whose arguments differ in shape are inlined into one another after
/// staged decisions.
const MAX_INLINED: usize = 32;
/// How many shapes of results it has.
const MAX_RESULTS: usize = 8;

/// A function of the IR.
#[derive(Clone, Debug)]
struct Built {
    id: FuncId,
    results: Vec<ResultShape>,
    /// Whether paths that call it must wait.
    unknown: bool,
}

/// The numbers that a function is given.
#[derive(Clone, Copy)]
struct Passed<'a> {
    /// Arguments of the captured call.
    numbers: &'a HashMap<Value, Root>,
    /// Ints that a function around is given.
    ints: &'a HashMap<Value, IntPassed>,
    /// The function, if ints that are known where it is called may be known in it.
    this: Option<&'a Rc<Outline>>,
}

/// How building a function once ended.
enum Pass {
    /// It returns what was assumed.
    Right,
    /// It returns more than was assumed.
    Wrong,
    /// It returns what was assumed, as far as that can be known while one of its callers is unknown.
    Open,
}

/// One shape of what a function returns.
#[derive(Clone, Debug)]
struct ResultShape {
    like: Like,
    types: Vec<Type>,
}

/// What a result is like.
#[derive(Clone, Debug)]
pub(crate) enum Like {
    /// This object, with its leaves replaced by what a call gives.
    Object(PyObjectRef, Shape),
    /// A list of the compiled code, or a tuple with some in it.
    Lists(ItemType),
}

impl PartialEq for Like {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Object(_, a), Self::Object(_, b)) => a == b,
            (Self::Lists(a), Self::Lists(b)) => a == b,
            _ => false,
        }
    }
}

impl Session<'_> {
    /// Calls a function of the IR, if this call is one. `frame` is the frame that would be pushed.
    pub(crate) fn call_outlined(&mut self, state: &mut State, func: &PyObjectRef, frame: &Frame) -> Step<Option<Flow>> {
        self.stage_filled(state, frame)?;
        let code = frame.code.object.as_object().get_id();
        if self.calls.outlined.listed.contains(&code) {
            self.stage_lists_of(state, frame)?;
        }
        let is_same = |it: &&Frame| it.code.object.as_object().get_id() == code;
        let below: Vec<&Frame> = state.frames.iter().rev().filter(is_same).collect();
        let always = self.calls.outlined.always.contains(&code) && self.any_staged(frame)?;
        if below.is_empty() && !self.calls.outlined.codes.contains(&code) && !always {
            return Ok(None);
        }
        let orders = self.orders_at(state);
        let given: Vec<PyObjectRef> = frame.locals.iter().flatten().filter_map(|it| it.object().cloned()).collect();
        self.rows_first(&given)?;
        let entry = self.entry_state(state, frame);
        let (key, leaves) = self.outline_of(&entry, orders);
        if !self.calls.outlined.outlines.contains(&key) {
            if always {
                self.calls.outlined.learn(key.clone());
            } else {
                let mut decided = below.iter().filter(|it| state.forks > it.forks_before).peekable();
                let many = decided.peek().is_some() && below.len() >= MAX_INLINED;
                let same = decided.clone().any(|it| self.same_arguments(state, it, frame));
                if !same && let Some(lists) = decided.find_map(|it| self.differ_in_lengths(state, it, frame)) {
                    let passed = lists.into_iter().find_map(|it| self.as_passed(it));
                    if let Some(passed) = passed {
                        return Err(Stop::Learn(Assumption::Argument(OfArguments::Copy(Box::new(passed)))));
                    }
                    if self.calls.outlined.listed.insert(code) {
                        return Err(Stop::Learn(Assumption::Outline(Box::new(key))));
                    }
                }
                let known = self.calls.outlined.outlines.iter().filter(|it| it.code == code).count();
                if same && known >= MAX_OUTLINES || many {
                    if let Some(again) = self.pool_of_all(&given) {
                        return Err(again);
                    }
                    // It may be the lengths that are others each time.
                    let (_, lists) = shape::form(self, &arguments_of(state, frame), &BTreeSet::new());
                    if let Some(passed) = lists.into_iter().find_map(|it| self.as_passed(it)) {
                        return Err(Stop::Learn(Assumption::Argument(OfArguments::Copy(Box::new(passed)))));
                    }
                    return Err(refuse(
                        "S325",
                        format!("each call of the recursive function `{}` has other arguments", self.name_of(func)),
                    )
                    .help("pass numbers, and nothing that grows with the depth")
                    .into());
                }
                if !same {
                    return Ok(None);
                }
                return Err(Stop::Learn(Assumption::Outline(Box::new(key))));
            }
        }
        if let Some(refusal) = self.calls.outlined.failed.get(&key) {
            return Err(Stop::Refuse(Box::new(refusal.clone())));
        }
        let built = match self.calls.outlined.built.get(&key) {
            Some(built) => built.clone(),
            None => self.build(&entry, &key, func, false)?,
        };
        if built.unknown {
            return Err(Stop::Park);
        }
        let values = match &state.call {
            Some(call) => call.values.clone(),
            None => {
                let mut args = Vec::new();
                for (leaf, _) in &leaves {
                    args.push(match *leaf {
                        Leaf::Static(constant) => self.constant(state.block, constant),
                        Leaf::Staged(value) => value,
                    });
                }
                let waits = self.waiting_for(state, built.id, &frame.then)?;
                let exit = waits.map(|(exit, values)| {
                    args.extend(values);
                    exit
                });
                self.note_effects(state);
                let values = self.emit(state, Op::Call(built.id, exit), &args);
                state.call = Some(CallResult { values: values.clone() });
                values
            }
        };
        let result = self.take_result(state, &built.results, &values)?;
        Ok(Some(self.finish_call(state, result, frame.then.clone())))
    }

    /// The function of the IR that a call with this frame calls: its results' types, an object like its result, and what
    /// it is given. `wanted` says what it is for, and which code refuses it.
    pub(crate) fn function_of(
        &mut self,
        state: &mut State,
        func: &PyObjectRef,
        frame: &Frame,
        orders: Orders,
        wanted: (&'static str, &str),
    ) -> Step<Outside> {
        let entry = self.entry_state(state, frame);
        self.check_owned(&entry)?;
        let (mut key, leaves) = self.outline_of(&entry, orders);
        if let Some(known) = self.calls.outlined.known.get(&key.code) {
            let number = |&at: &usize| match leaves.get(at) {
                Some((Leaf::Static(Const::I64(int)), _)) => Some((at, *int)),
                _ => None,
            };
            key.known = known.iter().filter_map(number).collect();
        }
        if let Some(refusal) = self.calls.outlined.failed.get(&key) {
            return Err(Stop::Refuse(Box::new(refusal.clone())));
        }
        let built = match self.calls.outlined.built.get(&key) {
            Some(built) => built.clone(),
            None => self.build(&entry, &key, func, true)?,
        };
        let (code, what) = wanted;
        match built.results.as_slice() {
            [ResultShape { like: Like::Object(prototype, _), types }] if !built.unknown => {
                Ok((built.id, types.clone(), prototype.clone(), leaves))
            }
            _ if built.unknown => Err(refuse(code, format!("{what} is of a function that uses it itself")).into()),
            _ => {
                let message = format!("{what} is of a function that returns floats and tuples of them, of one shape");
                Err(refuse(code, message).into())
            }
        }
    }

    /// Whether all that is known only later, where a function is entered, is of the function that calls it.
    fn check_owned(&self, entry: &State) -> Step<()> {
        let is_foreign = std::cell::Cell::new(false);
        shape::replace_leaves(self, entry, &self.roots(entry), |_, object| {
            let owner = object.downcast_ref::<crate::rep::Rep>().map(|it| it.owner);
            let owner = owner.or_else(|| tensor::staged(object).map(|(it, _)| it.owner));
            is_foreign.set(is_foreign.get() || owner.is_some_and(|it| it != self.owner));
            object.clone()
        });
        match is_foreign.get() {
            true => Err(refuse("S220", "a number is used outside the function it belongs to").into()),
            false => Ok(()),
        }
    }

    /// The result of a call: which shape it has is asked of its tag.
    fn take_result(&mut self, state: &mut State, shapes: &[ResultShape], values: &[Value]) -> Step<PyObjectRef> {
        let mut first = usize::from(shapes.len() > 1);
        for (index, shape) in shapes.iter().enumerate() {
            let last = index + 1 == shapes.len();
            let is = last || {
                let tag = self.int(state, i64::try_from(index).expect("a function returns few shapes"));
                let is = self.cmp(state, Cmp::Eq, values[0], tag);
                self.ask(state, is)?
            };
            if is {
                let reps: Vec<PyObjectRef> =
                    values[first..first + shape.types.len()].iter().map(|&value| self.rep(value)).collect();
                return self.result_like(&shape.like, &reps);
            }
            first += shape.types.len();
        }
        unreachable!("the last shape is taken without asking")
    }

    pub(crate) fn result_like(&mut self, like: &Like, leaves: &[PyObjectRef]) -> Step<PyObjectRef> {
        match like {
            Like::Object(prototype, _) => {
                let known = shape::outline(self, &returned(prototype.clone()), &BTreeSet::new()).leaves.len();
                match known == leaves.len() {
                    true => Ok(self.object_like(prototype, leaves)),
                    // It was a list of the compiled code there and is none here, or the other way round.
                    false => Err(refuse("S327", "a recursive function returns an object that it has changed").into()),
                }
            }
            Like::Lists(ty) => Ok(self.item_of(ty, &mut leaves.iter().cloned())),
        }
    }

    pub(crate) fn object_like(&self, prototype: &PyObjectRef, leaves: &[PyObjectRef]) -> PyObjectRef {
        let state = returned(prototype.clone());
        let state = shape::replace_leaves(self, &state, &BTreeSet::new(), |index, _| leaves[index].clone());
        state.result.expect("the result was there")
    }

    /// A call of the function that a path is at the entry of, if it stays a function: the values it gives,
    /// and for each kind of result what it is like and where its leaves are.
    pub(crate) fn call_as_function(&mut self, entry: &State, func: &PyObjectRef) -> Step<Option<MainCall>> {
        let code = entry.frame().code.object.as_object().get_id();
        if !self.calls.outlined.codes.contains(&code) {
            return Ok(None);
        }
        let (key, leaves) = self.outline_of(entry, self.rules.orders);
        if !self.calls.outlined.outlines.contains(&key) {
            return Ok(None);
        }
        let built = self.build(entry, &key, func, false)?;
        let mut args = Vec::new();
        for (leaf, _) in &leaves {
            args.push(match *leaf {
                Leaf::Static(constant) => self.constant(entry.block, constant),
                Leaf::Staged(value) => value,
            });
        }
        // Nobody waits for it: the frame is the callee's.
        let nobody = State { frames: Vec::new(), ..entry.clone() };
        let waits = self.waiting(&nobody, &Then::Push)?;
        let exit = waits.map(|(exit, values)| {
            args.extend(values);
            exit
        });
        let values = self.emit(entry, Op::Call(built.id, exit), &args);
        let mut first = usize::from(built.results.len() > 1);
        let mut results = Vec::new();
        for shape in &built.results {
            results.push((shape.like.clone(), first, shape.types.len()));
            first += shape.types.len();
        }
        Ok(Some((values, results)))
    }

    fn any_staged(&self, frame: &Frame) -> Step<bool> {
        for local in frame.locals.iter().flatten() {
            if let Some(object) = local.object()
                && self.holds_rep(object)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn outline_of_call(&self, state: &State, frame: &Frame) -> shape::Outline {
        shape::outline(self, &arguments_of(state, frame), &BTreeSet::new())
    }

    /// Whether numbers known now are the same in both calls, so that the recursion cannot end by them.
    fn same_arguments(&self, state: &State, below: &Frame, frame: &Frame) -> bool {
        self.outline_of_call(state, below).shape == self.outline_of_call(state, frame).shape
    }

    /// Whether nothing that is known tells two calls from one another, so that only what is known later ends the recursion.
    pub(crate) fn is_as_deep(&self, state: &State, below: &Frame, frame: &Frame) -> bool {
        let (below, above) = (self.outline_of_call(state, below), self.outline_of_call(state, frame));
        let differs = |((a, _), (b, _)): (&(Leaf, Type), &(Leaf, Type))| matches!((a, b), (Leaf::Static(a), Leaf::Static(b)) if a != b);
        below.shape == above.shape && !below.leaves.iter().zip(&above.leaves).any(differs)
    }

    /// Lists that a function of the IR has made and returns become lists of the compiled code.
    pub(crate) fn stage_result(&mut self, state: &mut State, result: &PyObjectRef) -> Step<()> {
        let is_result = self.calls.building > 0 && state.frames.len() == 1;
        if is_result && self.holds_mutable(result) {
            self.rows_first([result])?;
            if let Some(again) = self.pool_of_all([result]) {
                return Err(again);
            }
        }
        if is_result
            && self.holds_mutable(result)
            && let Some(ty) = self.item_type(result).filter(|_| self.are_own(result))
        {
            self.numbers_of_item(state, &ty, result)?;
        }
        Ok(())
    }

    /// Whether the lists in a result are of the compiled code, or were made by the function that is being built.
    fn are_own(&self, object: &PyObjectRef) -> bool {
        let is_own = || self.is_fresh(object) && self.base.number(object).is_some_and(|it| it >= self.objects.outside);
        match classify(object, self.vm) {
            Abstract::Tuple(tuple) => tuple.as_slice().iter().all(|it| self.are_own(it)),
            Abstract::List(list) => is_own() && list.borrow_vec().iter().all(|it| self.are_own(it)),
            _ => true,
        }
    }

    fn holds_mutable(&self, object: &PyObjectRef) -> bool {
        match object.downcast_ref::<PyTuple>() {
            Some(tuple) => tuple.as_slice().iter().any(|it| self.holds_mutable(it)),
            None => match kind::of(object) {
                Some(Kind::Method(method)) => self.holds_mutable(&method.object),
                _ => kind::container(object).is_some() || self.is_fresh(object),
            },
        }
    }

    fn name_of(&self, func: &PyObjectRef) -> String {
        match host::function::parts(func, self.vm) {
            Ok(Some(parts)) => parts.qualname.to_string(),
            Ok(None) | Err(_) => "function".to_owned(),
        }
    }

    /// The path that is at the entry of a function and knows nothing of its callers.
    fn entry_state(&self, state: &State, frame: &Frame) -> State {
        let mut heap = state.heap.clone();
        heap::save(&mut heap, &self.objects.changed, self.vm);
        let mut frame = frame.clone();
        frame.caller = None;
        frame.then = Then::Push;
        frame.handled_before = None;
        frame.forks_before = 0;
        State { frames: vec![frame], heap, handled: None, forks: 0, ..returned_nothing(state.block) }
    }

    /// The objects of the world that a function must know besides those that it is given: what is an input, and what
    /// the path has changed, so that an exception that leaves the function leaves it changed.
    pub(crate) fn roots(&self, entry: &State) -> BTreeSet<u32> {
        let differs = |(number, now): (&u32, &heap::Entry)| {
            let changed = !self.is_fresh(&now.object) && !unchanged(&now.contents, &self.base.entry(*number).contents);
            changed.then_some(*number)
        };
        self.objects.inputs.iter().copied().chain(entry.heap.iter().filter_map(differs)).collect()
    }

    /// Explores a function and appends it to the module.
    /// `may_know` says that ints which are known where it is called may be known in it.
    fn build(&mut self, entry: &State, key: &Outline, func: &PyObjectRef, may_know: bool) -> Step<Built> {
        let id = self.reserve_func(self.name_of(func));
        let mut built = Built { id, results: Vec::new(), unknown: true };
        let outer = self.leave_function();
        let passed = std::mem::take(&mut self.given.numbers_passed);
        let ints = std::mem::take(&mut self.given.ints_passed);
        let this = may_know.then(|| Rc::new(key.clone()));
        let orders = std::mem::replace(&mut self.rules.orders, key.orders);
        self.objects.outside = self.base.len();
        self.calls.building += 1;
        let around = Passed { numbers: &passed, ints: &ints, this: this.as_ref() };
        let result = loop {
            // What was built meanwhile assumed less about this one.
            self.forget_from(id.index() + 1);
            self.calls.outlined.built.insert(key.clone(), built.clone());
            match self.build_once(entry, &mut built, func, around) {
                Ok(Pass::Wrong) => {}
                Ok(pass) => break Ok(pass),
                Err(abort) => break Err(abort),
            }
        };
        self.calls.building -= 1;
        (self.given.numbers_passed, self.given.ints_passed) = (passed, ints);
        self.rules.orders = orders;
        self.return_to_function(outer);
        let result = match result {
            Ok(Pass::Open | Pass::Wrong) if self.calls.building == 0 => {
                let message = format!("the kinds of results of `{}` depend on one another", self.name_of(func));
                Err(self.abort(refuse("S327", message).into(), entry))
            }
            other => other,
        };
        match result {
            Ok(Pass::Right) => {
                self.calls.outlined.built.insert(key.clone(), built.clone());
                Ok(built)
            }
            Ok(Pass::Open | Pass::Wrong) => {
                // Whoever calls it is built again, and then it is, too.
                self.calls.open = true;
                self.calls.outlined.built.insert(key.clone(), built.clone());
                Ok(built)
            }
            Err(abort) => {
                // Whatever was built meanwhile may call what is not there.
                self.forget_from(id.index());
                Err(self.failed_to_build(key, abort))
            }
        }
    }

    /// Forgets functions from this one on.
    fn forget_from(&mut self, first: usize) {
        self.calls.outlined.built.retain(|_, other| other.id.index() < first);
        self.calls.nested.retain(|it| it.of.index() < first && it.gradient.index() < first);
        self.module.funcs.truncate(first);
    }

    fn failed_to_build(&mut self, key: &Outline, abort: Abort) -> Stop {
        match abort {
            Abort::Refuse(refusal) | Abort::Learn(Assumption::Leave(_, refusal)) => {
                if self.calls.building == 0 {
                    self.calls.outlined.failed.insert(key.clone(), (*refusal).clone());
                }
                Stop::Refuse(refusal)
            }
            Abort::Plain(refusal) => Stop::Plain(refusal),
            Abort::Learn(Assumption::Opaque(_)) => Stop::Refuse(Box::new(too_various())),
            Abort::Learn(assumption) => Stop::Learn(assumption),
            Abort::Raise(exception) => Stop::Interrupt(exception),
        }
    }

    /// Explores a function once.
    fn build_once(
        &mut self,
        entry: &State,
        built: &mut Built,
        func: &PyObjectRef,
        Passed { numbers, ints, this }: Passed<'_>,
    ) -> Result<Pass, Abort> {
        self.func = Function::new(self.name_of(func));
        self.uncounted.clear();
        self.owner = next_owner();
        self.forget_constants();
        self.calls.parked.clear();
        self.calls.open = false;
        self.objects.active = Heap::new();
        let roots = self.roots(entry);
        let outline = shape::outline(self, entry, &roots);
        let block = self.func.entry();
        self.given.numbers_passed.clear();
        self.given.ints_passed.clear();
        let known: HashMap<usize, i64> = this.iter().flat_map(|it| it.known.iter().copied()).collect();
        let params: Vec<PyObjectRef> = (0..)
            .zip(&outline.leaves)
            .map(|(at, &(leaf, ty))| {
                let param = self.func.append_param(block, ty);
                match (leaf, this) {
                    (Leaf::Staged(given), _) => {
                        if let Some(root) = numbers.get(&given) {
                            self.given.numbers_passed.insert(param, root.clone());
                        }
                        if let Some(int) = ints.get(&given) {
                            self.given.ints_passed.insert(param, int.clone());
                        }
                    }
                    (Leaf::Static(Const::I64(int)), Some(this)) => match known.get(&at) {
                        Some(int) => return self.vm.ctx.new_int(*int).into(),
                        None => {
                            self.given.ints_passed.insert(param, IntPassed { function: this.clone(), at, int });
                        }
                    },
                    (Leaf::Static(_), _) => {}
                }
                self.rep(param)
            })
            .collect();
        let mut inside = shape::replace_leaves(self, entry, &roots, |index, _| params[index].clone());
        inside.block = block;
        inside.reach = Reach::INSIDE;
        inside.tags.forget();
        self.stand_in(built);
        let before = inside.heap.clone();
        self.calls.before.clone_from(&before);
        let returned = self.explore(inside)?;
        // Another function that this one calls, and whose callee it is, is not known yet.
        let waits = self.calls.open || self.calls.outlined.built.values().any(|it| it.unknown && it.id != built.id);
        if returned.is_empty() && waits && !self.calls.parked.is_empty() {
            return Ok(Pass::Open);
        }
        if returned.is_empty() {
            let refusal = refuse(
                "S321",
                format!(
                    "the recursion of `{}` has no base case: no path returns without calling it again",
                    self.name_of(func)
                ),
            );
            return Err(self.abort(refusal.into(), entry));
        }
        self.check_effects(&returned, &before, func, entry)?;
        let mut ends = Vec::with_capacity(returned.len());
        for state in &returned {
            ends.push(self.end_of(state, func)?);
        }
        let of_lists = |like: &Like| match like {
            Like::Lists(ItemType::List(items)) => items.list(),
            Like::Lists(_) | Like::Object(..) => None,
        };
        let known = ends.iter().filter_map(|(like, _)| like.as_ref()).chain(built.results.iter().map(|it| &it.like));
        let like_others = known.filter_map(of_lists).next();
        let mut shapes = Vec::with_capacity(ends.len());
        for ((like, leaves), state) in ends.iter_mut().zip(&returned) {
            let like = match like {
                Some(like) => like.clone(),
                None => {
                    let guess = || self.learnt.guess.make().and_then(|it| it.list());
                    let Some(ty) = like_others.or_else(guess) else { return Err(self.returns_made(state, func)) };
                    let list = self.value(state, Op::ListNew(ty), &[]);
                    leaves.push((Leaf::Staged(list), Type::List(ty)));
                    like.insert(Like::Lists(ItemType::lists_of(ty))).clone()
                }
            };
            shapes.push(ResultShape { like, types: leaves.iter().map(|(_, ty)| *ty).collect() });
        }
        let known = |shape: &ResultShape| built.results.iter().position(|it| it.like == shape.like);
        let new: Vec<ResultShape> = shapes.into_iter().filter(|shape| known(shape).is_none()).collect();
        let (grown, parked) = (!new.is_empty(), !self.calls.parked.is_empty());
        built.results.extend(new);
        if built.results.len() > MAX_RESULTS {
            let refusal = refuse(
                "S326",
                format!("the recursive function `{}` gives too many kinds of results", self.name_of(func)),
            )
            .help("return numbers, and nothing that grows with the depth");
            return Err(self.abort(refusal.into(), entry));
        }
        let was_unknown = std::mem::replace(&mut built.unknown, false);
        if was_unknown && (parked || self.calls.open) || !was_unknown && grown {
            return Ok(Pass::Wrong);
        }
        if parked || self.calls.open {
            return Ok(Pass::Open);
        }
        // What it returned is what was assumed, or it does not call itself.
        self.end_function(built, &ends, &returned).map(|()| Pass::Right)
    }

    fn returns_made(&mut self, state: &State, func: &PyObjectRef) -> Abort {
        let message =
            format!("the recursive function `{}` returns a list, a dict or an object it made", self.name_of(func));
        let refusal = refuse("S324", message).help("return numbers, lists of them, or tuples of these");
        self.abort(refusal.into(), state)
    }

    /// What a path returns is like, with its leaves. An empty list may be like any.
    fn end_of(&mut self, state: &State, func: &PyObjectRef) -> Result<End, Abort> {
        let result = state.result.clone().expect("the path returned");
        if !self.holds_mutable(&result) {
            let mut probe = returned(result.clone());
            probe.heap = state.heap.clone();
            let outline = shape::outline(self, &probe, &BTreeSet::new());
            return Ok((Some(Like::Object(result, outline.shape)), outline.leaves));
        }
        self.activate(state);
        let own = self.are_own(&result);
        if own && result.downcast_ref_if_exact::<PyList>(self.vm).is_some_and(|it| it.borrow_vec().is_empty()) {
            return Ok((None, Vec::new()));
        }
        let Some(ty) = self.item_type(&result).filter(|_| own) else {
            return Err(self.returns_made(state, func));
        };
        let mut end = state.clone();
        let values = self.numbers_of_item(&mut end, &ty, &result).map_err(|stop| self.abort(stop, state))?;
        let leaves = values.into_iter().map(|it| (Leaf::Staged(it), self.func.ty(it))).collect();
        Ok((Some(Like::Lists(ty)), leaves))
    }

    /// Ends the paths of a function with returns, and puts it into the module.
    fn end_function(&mut self, built: &Built, ends: &[End], returned: &[State]) -> Result<(), Abort> {
        for ((like, leaves), state) in ends.iter().zip(returned) {
            let block = state.block;
            let is = |it: &ResultShape| Some(&it.like) == like.as_ref();
            let position = built.results.iter().position(is).expect("every shape is known");
            let mut values = Vec::new();
            if built.results.len() > 1 {
                let tag = i64::try_from(position).expect("a function returns few shapes");
                values.push(self.constant(block, Const::I64(tag)));
            }
            for (index, result) in built.results.iter().enumerate() {
                for (slot, &ty) in result.types.iter().enumerate() {
                    values.push(if index == position {
                        match leaves[slot].0 {
                            Leaf::Static(constant) => self.constant(block, constant),
                            Leaf::Staged(value) => value,
                        }
                    } else {
                        match ty {
                            Type::Bool => self.constant(block, Const::Bool(false)),
                            Type::I64 => self.constant(block, Const::I64(0)),
                            Type::F64 => self.constant(block, Const::F64(0.0)),
                            Type::List(ty) => self.value(state, Op::ListNew(ty), &[]),
                            Type::Array(_) | Type::Map(_) | Type::Object(_) | Type::Tensor(_) => {
                                let what = scalar::type_name(ty);
                                let message = format!("a recursive function returns an {what} on some paths only");
                                let refusal = refuse("S322", message);
                                return Err(self.abort(refusal.into(), state));
                            }
                        }
                    });
                }
            }
            self.builder(block).ret(values);
        }
        self.func.results = result_types(&built.results);
        let func = std::mem::replace(&mut self.func, Function::new(""));
        self.module.funcs[built.id] = func;
        Ok(())
    }

    /// Lets calls see the signature of the function while it is built.
    fn stand_in(&mut self, built: &Built) {
        let mut stand_in = Function::new(self.func.name.clone());
        for ty in self.func.param_types() {
            stand_in.append_param(stand_in.entry(), ty);
        }
        stand_in.results = result_types(&built.results);
        self.module.funcs[built.id] = stand_in;
    }

    /// The function whose entry this path is at, and the numbers of the path.
    fn outline_of(&self, entry: &State, orders: Orders) -> (Outline, Vec<(Leaf, Type)>) {
        let code = entry.frame().code.object.as_object().get_id();
        let shape::Outline { shape, leaves, .. } = shape::outline(self, entry, &self.roots(entry));
        (Outline { code, shape, detached: self.rules.detached, orders, known: Vec::new() }, leaves)
    }
}

/// A function of the IR, from outside: its name, the types of its results, an object like its result, and what a call
/// gives it.
pub(crate) type Outside = (FuncId, Vec<Type>, PyObjectRef, Vec<(Leaf, Type)>);

/// What a call of the main function gives: its values, and for each kind of result what it is like, the position
/// of its first leaf and how many it has.
pub(crate) type MainCall = (Vec<Value>, Vec<(Like, usize, usize)>);

/// What a path returns is like, unless that is an empty list, and its leaves.
type End = (Option<Like>, Vec<(Leaf, Type)>);

fn result_types(results: &[ResultShape]) -> Vec<Type> {
    let tag = (results.len() > 1).then_some(Type::I64);
    tag.into_iter().chain(results.iter().flat_map(|it| it.types.iter().copied())).collect()
}

pub(crate) fn returned_nothing(block: snekpy_stage::entity::Block) -> State {
    State {
        frames: Vec::new(),
        heap: Heap::new(),
        block,
        handled: None,
        raised: HashMap::default(),
        forks: 0,
        answers: Vec::new(),
        asked: 0,
        result: None,
        call: None,
        reach: Reach::default(),
        reread: Reread::default(),
        tags: Tags::default(),
    }
}

/// The arguments of a call, as a path sees them.
fn arguments_of(state: &State, frame: &Frame) -> State {
    State { heap: state.heap.clone(), ..returned(frame.bound.clone().into()) }
}

fn returned(result: PyObjectRef) -> State {
    State { result: Some(result), ..returned_nothing(Entity::new(0)) }
}

/// Objects that grow are handed on in the main function only.
fn too_various() -> Refusal {
    Refusal::new("S110", "too many kinds of values meet in a function that stays a function")
}
