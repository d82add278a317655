//! What compiled code had better hand on than know.
//!
//! A container or text that paths make larger and larger, a known text whose characters a loop goes through, and what a
//! crossing would have to be given though the path knows what is in it: capture gives up ([`Handed`]) and begins anew,
//! with an object in its place, which a crossing makes or gives.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustpython_vm::builtins::{PyList, PyStr, PyTuple, PyType};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::{AsObject, Py, PyObjectRef};
use snekpy_stage::types::Type;

use crate::capture::checkpoint::stuck;
use crate::capture::heap::Contents;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::capture::text::as_character;
use crate::capture::value::{Iter, V};
use crate::code::{Instr, Opcode, Pc};
use crate::exit::{Crossing, Template};
use crate::kind;
use crate::object::{self, Fits, Gives, Operation};
use crate::refusal::Refusal;

/// An instruction: the code object, and the instruction in it.
pub(crate) type Site = (usize, Pc);

/// An object that is better handed on by compiled code than known to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Handed {
    /// What this instruction makes.
    Made(Site),
    /// An object of the world, by identity.
    World(usize),
    /// The argument that this local variable is bound to.
    Argument(usize),
}

impl Handed {
    /// The local variable that it is bound to, if it is an argument.
    pub(crate) fn argument(&self) -> Option<usize> {
        match self {
            Self::Argument(local) => Some(*local),
            Self::Made(_) | Self::World(_) => None,
        }
    }
}

/// What has more sizes than this where paths meet is handed on.
const FEW_SIZES: usize = 2;

impl Session<'_> {
    /// Whether what the instruction makes that the path is at is an object that compiled code hands on.
    pub(crate) fn is_object_site(&self, state: &State) -> bool {
        if self.learnt.handed.is_empty() || !state.answers.is_empty() {
            return false;
        }
        let frame = state.frame();
        self.learnt.handed.contains(&Handed::Made((frame.code.object.get_id(), frame.pc)))
    }

    /// Remembers which instruction has made the container or text on top of the stack.
    pub(crate) fn note_site(&mut self, state: &State, pc: Pc) {
        let frame = state.frame();
        // After a `shift` it is in another frame.
        let Some(instr) = frame.code.instrs.get(pc as usize) else { return };
        let makes = matches!(
            instr.op,
            Opcode::BuildList
                | Opcode::BuildMap
                | Opcode::BuildSet
                | Opcode::BuildString
                | Opcode::BinaryOp
                | Opcode::FormatSimple
                | Opcode::FormatWithSpec
                | Opcode::Call
        );
        if let (true, Some(V::Obj(object))) = (makes, frame.stack.last())
            && as_character(object).is_none()
            && (kind::staged(object).is_some_and(|it| it.size().is_some())
                || is_joined(instr, object)
                || self.is_fresh(object))
        {
            self.learnt.made_by.entry(object.get_id()).or_insert((frame.code.object.get_id(), pc));
        } else if let (Opcode::BinaryOp, Some(V::Obj(object))) = (instr.op, frame.stack.last())
            && object.class().is(self.vm.ctx.types.tuple_type)
        {
            self.learnt.made_by.insert(object.get_id(), (frame.code.object.get_id(), pc));
        }
    }

    /// What differs in size between paths at one place, by the instructions that have made it, or as an object of the
    /// world; `None` if there is nothing, or it cannot be handed on.
    pub(crate) fn differing_sites(&self, states: &[State]) -> Option<Vec<Handed>> {
        let texts = if self.rules.detached || !self.may_hand_on() { None } else { self.iterated_texts(states) };
        texts.or_else(|| self.sites_of_sizes(states, Self::size))
    }

    /// The same for lists of what is neither a number nor a list: they cannot be lists of the compiled code.
    pub(crate) fn growing_sites(&self, states: &[State]) -> Option<Vec<Handed>> {
        self.sites_of_sizes(states, Self::size_of_others)
    }

    fn sites_of_sizes(
        &self,
        states: &[State],
        size: impl Fn(&Self, &State, &PyObjectRef) -> Option<usize>,
    ) -> Option<Vec<Handed>> {
        if self.rules.detached || !self.may_hand_on() {
            return None;
        }
        let mut sites = Vec::new();
        let frame = states[0].frames.last()?;
        // A comprehension's list is on the stack.
        for index in 0..frame.locals.len() + frame.stack.len() {
            let mut sizes = Vec::new();
            let mut makers = Vec::new();
            for state in states {
                let (locals, stack) = (&state.frame().locals, &state.frame().stack);
                let entry = match index.checked_sub(locals.len()) {
                    None => locals[index].as_ref(),
                    Some(index) => stack.get(index),
                };
                let Some(V::Obj(object)) = entry else { continue };
                let Some(size) = size(self, state, object) else { continue };
                makers.extend(self.learnt.made_by.get(&object.get_id()).copied());
                if !sizes.contains(&size) {
                    sizes.push(size);
                }
            }
            if sizes.len() > FEW_SIZES {
                sites.extend(makers);
            }
        }
        sites.sort_unstable();
        sites.dedup();
        let mut sites: Vec<Handed> = sites.into_iter().map(Handed::Made).collect();
        let all = (0..self.base.len()).map(|number| &self.base.entry(number).object);
        let site_of = |object: &PyObjectRef| {
            let site = match self.learnt.made_by.get(&object.get_id()) {
                Some(&site) if self.is_fresh(object) => Some(Handed::Made(site)),
                _ => self.is_of_world(object).then(|| Handed::World(object.get_id())),
            };
            site.filter(|it| !self.learnt.handed.contains(it))
        };
        let grows = |object: &PyObjectRef| {
            let sizes: BTreeSet<_> = states.iter().filter_map(|state| size(self, state, object)).collect();
            sizes.len() > FEW_SIZES
        };
        sites.retain(|site| !self.learnt.handed.contains(site));
        sites.extend(all.filter_map(|object| site_of(object).filter(|_| grows(object))));
        (!sites.is_empty()).then_some(sites)
    }

    /// The known texts that the paths are going through, each at another character.
    fn iterated_texts(&self, states: &[State]) -> Option<Vec<Handed>> {
        let mut found = Vec::new();
        let stacks = states[0].frames.iter().flat_map(|it| &it.stack);
        for text in stacks.flat_map(|entry| entry.iterator().map(Iter::texts).unwrap_or_default()) {
            let handed = match self.given.passed.get(&text.get_id()) {
                Some(root) if root.path.is_empty() => Handed::Argument(root.local),
                _ if is_lasting(&text, &states[0]) => Handed::World(text.get_id()),
                _ => continue,
            };
            if !self.learnt.handed.contains(&handed) && !found.contains(&handed) {
                found.push(handed);
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Whether an object is a container that the code finds where it looks for it.
    pub(crate) fn is_of_world(&self, object: &PyObjectRef) -> bool {
        let types = &self.vm.ctx.types;
        let id = object.get_id();
        let is_input = self.base.number(object).is_some_and(|number| self.objects.inputs.contains(&number));
        [types.list_type, types.dict_type, types.set_type].iter().any(|it| object.class().is(*it))
            && !is_input
            && !self.is_fresh(object)
            && !self.given.arguments.contains_key(&id)
            && !self.given.passed.contains_key(&id)
            && !self.is_list_param(object)
    }

    /// How large a container or text is.
    fn size(&self, state: &State, object: &PyObjectRef) -> Option<usize> {
        if let Some(staged) = kind::staged(object) {
            return staged.size();
        }
        if let Some(text) = object.downcast_ref::<PyStr>() {
            return Some(text.byte_len());
        }
        if let Some(tuple) = object.downcast_ref_if_exact::<PyTuple>(self.vm) {
            return Some(tuple.len());
        }
        match &*self.contents_of(state, object)? {
            Contents::List(items) => Some(items.len()),
            Contents::Dict(items) => Some(items.len()),
            Contents::Set(items) => Some(items.len()),
            Contents::Cell(_) | Contents::Exception(_) | Contents::Iter(_) => None,
        }
    }

    fn size_of_others(&self, state: &State, object: &PyObjectRef) -> Option<usize> {
        let contents = self.contents_of(state, object)?;
        let Contents::List(items) = &*contents else { return None };
        let is_list = items.last()?.downcast_ref_if_exact::<PyList>(self.vm).is_some();
        (!is_list && self.type_of_items(items, &|_| None).is_none()).then_some(items.len())
    }

    /// What a path has put in a container.
    pub(crate) fn contents_of(&self, state: &State, object: &PyObjectRef) -> Option<Rc<Contents>> {
        let number = self.base.number(object)?;
        Some(state.heap.get(&number).unwrap_or_else(|| self.base.entry(number)).contents.clone())
    }

    /// The containers among these operands, which could be handed out if the path knew nothing of them.
    pub(crate) fn in_the_way(&self, operands: &[PyObjectRef]) -> Option<Vec<Handed>> {
        if !self.may_hand_on() {
            return None;
        }
        let mut all = Vec::new();
        for object in operands.iter().filter(|it| !self.may_cross(it, true)) {
            // Of a deque, say, its items are what was made.
            let object = kind::container(object).unwrap_or(object);
            let id = object.get_id();
            // What is an input is given to the code as numbers.
            let is_input = self.base.number(object).is_some_and(|number| self.objects.inputs.contains(&number));
            if is_input || self.is_list_param(object) {
                return None;
            }
            let types = &self.vm.ctx.types;
            let containers = [types.list_type, types.dict_type, types.set_type];
            let handed = if self.is_fresh(object) {
                Handed::Made(*self.learnt.made_by.get(&id)?)
            } else if let Some(root) = self.given.arguments.get(&id).or_else(|| self.given.passed.get(&id)) {
                Handed::Argument(root.path.is_empty().then_some(root.local)?)
            } else if containers.iter().any(|it| object.class().is(*it)) {
                Handed::World(id)
            } else {
                return None;
            };
            if self.learnt.handed.contains(&handed) {
                return None;
            }
            all.push(handed);
        }
        (!all.is_empty()).then_some(all)
    }

    /// Makes a text as an object that compiled code hands on.
    pub(crate) fn boxed(&mut self, state: &mut State, text: &PyObjectRef) -> Step<PyObjectRef> {
        let mut leaves = Leaves::with_identity();
        let operands = self.operands(std::slice::from_ref(text), &mut leaves).ok_or_else(stuck)?;
        let class = self.vm.ctx.types.str_type;
        self.handle_of(state, class, operands, leaves, "the text cannot be made here")
    }

    /// Hands on the object on top of the stack, if nothing is to be known of it.
    pub(crate) fn hand_on(&mut self, state: &mut State) -> Step<()> {
        if self.learnt.handed.is_empty() {
            return Ok(());
        }
        let Some(V::Obj(object)) = state.frame().stack.last().cloned() else { return Ok(()) };
        if crate::rep::is_staged(&object) || !self.learnt.handed.contains(&Handed::World(object.get_id())) {
            return Ok(());
        }
        let class = object.class().to_owned();
        // It may also be an argument, or something else that the code knows.
        let why = "the code knows this object by another way, too";
        let operand = vec![Template::Static(object.clone())];
        let handle = self.handle_of(state, &class, operand, Leaves::default(), why)?;
        self.has_sample(&handle, Some(object));
        state.replace_top(handle);
        Ok(())
    }

    /// What compiled code knows an object by that it is given here. Where it cannot be, the call leaves: `why`.
    pub(crate) fn handle_of(
        &mut self,
        state: &mut State,
        class: &Py<PyType>,
        operands: Vec<Template>,
        leaves: Leaves,
        why: &str,
    ) -> Step<PyObjectRef> {
        if !state.reach.is_reached() {
            return Err(stuck());
        }
        let ty = Type::Object(object::class_number(class, self.vm));
        let crossing = Crossing::new(Operation::Known, operands, Fits::Any, false, Gives::Value(ty));
        let refusal = Refusal::new("S301", why);
        let (given, next) = self.write_crossing(state, crossing, leaves, None, &refusal).ok_or_else(stuck)?;
        state.block = next;
        Ok(self.rep(given[0]))
    }
}

/// Whether a text is a constant or a global variable of one of the frames: the same object whenever it is captured.
pub(crate) fn is_lasting(text: &PyObjectRef, state: &State) -> bool {
    let is_it = |object: &PyObjectRef| object.is(text);
    state.frames.iter().any(|frame| {
        let constants = &frame.code.object.code.constants;
        constants.iter().any(|it| is_it(&PyObjectRef::from(it.clone()))) || frame.globals.values_vec().iter().any(is_it)
    })
}

/// Whether an instruction has made a longer text of two that are known.
fn is_joined(instr: &Instr, object: &PyObjectRef) -> bool {
    let operator = BinaryOperator::try_from(instr.arg);
    instr.op == Opcode::BinaryOp
        && matches!(operator, Ok(BinaryOperator::Add | BinaryOperator::InplaceAdd))
        && object.downcast_ref::<PyStr>().is_some()
}
