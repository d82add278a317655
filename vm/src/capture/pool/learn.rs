//! Which objects are rows of pools, and what their attributes hold: learnt by starting the capture again.

use rustpython_vm::builtins::{PyStr, PyStrInterned, PyType, PyTypeRef};
use rustpython_vm::types::PyTypeFlags;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::ListType;

use crate::capture::assumptions::Assumption;
use crate::capture::explore::Abort;
use crate::capture::list::{ItemType, Made};
use crate::capture::observe::inside;
use crate::capture::pool::may_be_row;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::stop::{Step, Stop};
use crate::capture::value::{self, Iter, V};
use crate::capture::values::{Abstract, classify};
use crate::code::Pc;
use crate::host;
use crate::kind::{self, Is, Kind, MAX_KNOWN, MAX_POOLS, May, Mixed};
use crate::limits::budget;
use crate::limits::budget::PATIENCE;

/// A class with more attributes has no pool.
const MAX_ATTRIBUTES: usize = 24;
/// More classes than this have none.
pub(super) const MAX_CLASSES: u8 = MAX_POOLS;
/// So often the capture starts again with more learnt of them, and so much work may be done.
const MAX_LEARNT: u32 = 40;
const MAX_WORK: u64 = PATIENCE / 4;
/// Where paths that meet know so many different numbers of objects, there will be ever more.
const GROWING: usize = 3;

/// The code object and the instruction.
type Place = (usize, Pc);

/// What is learnt of the objects that are rows of pools.
#[derive(Clone, Debug)]
pub(in crate::capture) struct Pools {
    may: bool,
    classes: Vec<Pooled>,
    /// Classes whose objects are no rows.
    never: Vec<PyTypeRef>,
    /// Objects that attributes hold and that are known.
    known: Vec<PyObjectRef>,
    /// Places where paths meet with rows only.
    places: Vec<Place>,
    /// What local variables of a code object may be at such places, where that is several things.
    spread: Vec<(Place, (usize, usize), May)>,
    /// How often more was learnt, and how much work had been done when it began.
    count: u32,
    begun: Option<u64>,
}

/// A class whose objects are rows.
#[derive(Clone, Debug)]
struct Pooled {
    class: PyTypeRef,
    attributes: Vec<Attribute>,
}

/// An attribute of such objects.
#[derive(Clone, Debug)]
struct Attribute {
    name: &'static PyStrInterned,
    items: ItemType,
    guessed: Guessed,
}

/// What is guessed of an attribute of which not enough was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Guessed {
    Nothing,
    /// What may be there besides None.
    BesidesNone,
    /// What is in the list.
    InList,
}

impl Pools {
    pub(in crate::capture) const fn new(may: bool) -> Self {
        Self {
            may,
            classes: Vec::new(),
            never: Vec::new(),
            known: Vec::new(),
            places: Vec::new(),
            spread: Vec::new(),
            count: 0,
            begun: None,
        }
    }

    pub(in crate::capture) fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Whether there may be pools.
    pub(in crate::capture) fn may_be(&self) -> bool {
        self.may
    }

    pub(super) fn len(&self) -> u8 {
        u8::try_from(self.classes.len()).expect("there are few")
    }

    pub(super) fn of_class(&self, class: &Py<PyType>) -> Option<u8> {
        self.classes.iter().position(|it| it.class.is(class)).and_then(|it| u8::try_from(it).ok())
    }

    pub(super) fn class(&self, pool: u8) -> &PyTypeRef {
        &self.classes[usize::from(pool)].class
    }

    /// The types of the columns of each pool.
    pub(super) fn columns(&self) -> Vec<Vec<ListType>> {
        let columns = |it: &Pooled| it.attributes.iter().flat_map(|it| it.items.columns()).collect();
        self.classes.iter().map(columns).collect()
    }

    /// Which attribute has this name.
    pub(in crate::capture) fn attribute(&self, pool: u8, name: &str) -> Option<usize> {
        self.classes.get(usize::from(pool))?.attributes.iter().position(|it| it.name.as_str() == name)
    }

    pub(super) fn attributes(&self, pool: u8) -> impl Iterator<Item = (&'static PyStrInterned, ItemType)> {
        self.classes[usize::from(pool)].attributes.iter().map(|it| (it.name, it.items.clone()))
    }

    pub(super) fn type_of(&self, pool: u8, index: usize) -> &ItemType {
        &self.classes[usize::from(pool)].attributes[index].items
    }

    pub(super) fn first_column(&self, pool: u8, index: usize) -> usize {
        let before = &self.classes[usize::from(pool)].attributes[..index];
        before.iter().map(|it| it.items.columns().len()).sum()
    }

    /// Whether an object has the attributes of the rows of a pool, in their order.
    pub(super) fn has_attributes_of(&self, pool: u8, object: &PyObjectRef) -> bool {
        let own = &self.classes[usize::from(pool)].attributes;
        let items = object.dict().map(|it| it.items_vec()).unwrap_or_default();
        let is = |((name, _), own): (&(PyObjectRef, PyObjectRef), &Attribute)| name_of(name) == Some(own.name.as_str());
        items.len() == own.len() && items.iter().zip(own).all(is)
    }

    /// The known object of a number.
    pub(in crate::capture) fn known(&self, known: u8) -> &PyObjectRef {
        &self.known[usize::from(known)]
    }

    pub(super) fn all_known(&self) -> &[PyObjectRef] {
        &self.known
    }

    /// The number of a known object. Texts are compared by value.
    pub(super) fn of_known(&self, object: &PyObjectRef, vm: &VirtualMachine) -> Option<u8> {
        let text = |it: &PyObjectRef| it.downcast_ref_if_exact::<PyStr>(vm).map(|it| it.as_wtf8().to_owned());
        let is =
            |it: &PyObjectRef| it.is(object) || text(it).is_some_and(|it| text(object).is_some_and(|own| own == it));
        self.known.iter().position(is).and_then(|it| u8::try_from(it).ok())
    }

    /// Whether paths meet with rows only where this one is.
    pub(in crate::capture) fn is_place(&self, state: &State) -> bool {
        !self.is_empty() && place_of(state).is_some_and(|it| self.places.contains(&it))
    }

    /// Changes the types of the attributes.
    pub(in crate::capture) fn change_types(&mut self, change: &impl Fn(ItemType) -> ItemType) {
        for attribute in self.classes.iter_mut().flat_map(|it| &mut it.attributes) {
            attribute.items = change(attribute.items.clone());
        }
    }

    /// The same with one more thing learnt; without any pools if that was too often.
    fn again(&self) -> Self {
        let begun = self.begun.unwrap_or_else(budget::spent);
        let mut next = Self { count: self.count + 1, begun: Some(begun), ..self.clone() };
        if next.count > MAX_LEARNT || budget::spent().wrapping_sub(begun) > MAX_WORK {
            next = Self::new(false);
        }
        next
    }
}

fn name_of(name: &PyObject) -> Option<&str> {
    name.downcast_ref::<PyStr>().and_then(|it| it.to_str())
}

fn place_of(state: &State) -> Option<Place> {
    state.frames.last().map(|frame| (frame.code.object.get_id(), frame.pc))
}

impl Session<'_> {
    /// Whether an object is one of a class of the program that keeps its attributes in a dict and shows nothing else.
    pub(super) fn is_plain_instance(&self, object: &PyObject) -> bool {
        let class = object.class();
        let types = &self.vm.ctx.types;
        let is_made = |it: &Py<PyType>| it.slots().flags.has_feature(PyTypeFlags::HEAPTYPE);
        is_made(class)
            && kind::staged(object).is_none()
            && object.dict().is_some()
            && class.mro_collect().iter().all(|it| is_made(it) || it.is(types.object_type))
            && !class.mro_collect().iter().any(|it| it.get_direct_attr(self.vm.ctx.intern_str("__slots__")).is_some())
    }

    /// Whether objects may be rows, where the path is.
    fn may_pool(&self) -> bool {
        self.learnt.guess.pools.may && !self.rules.detached
    }

    /// Whether objects of the class of this one, which the path has taken apart, might be rows and are not.
    fn may_be_pooled(&self, object: &PyObject) -> bool {
        let pools = &self.learnt.guess.pools;
        pools.may
            && pools.of_class(object.class()).is_none()
            && !pools.never.iter().any(|it| it.is(object.class()))
            && self.is_fresh(object)
            && self.is_plain_instance(object)
    }

    /// Something is put where only rows can be: if it is an object, or leads to one, that could be a row and is none, the
    /// capture starts again.
    pub(crate) fn pool_of_item(&mut self, item: &PyObjectRef) -> Step<()> {
        if !self.may_pool() || crate::rep::is_staged(item) || !self.is_fresh(item) {
            return Ok(());
        }
        match self.instances_in([item]) {
            found if found.is_empty() => Ok(()),
            found => self.pools_for(&found, None).map_or(Ok(()), Err),
        }
    }

    /// The same for what a function of the IR is given or gives.
    pub(crate) fn pool_of_all<'o>(&mut self, objects: impl IntoIterator<Item = &'o PyObjectRef>) -> Option<Stop> {
        if !self.may_pool() {
            return None;
        }
        let found = self.instances_in(objects);
        self.pools_for(&found, None)
    }

    /// Starting again with these objects as rows, those of them that can be, and with a place where all are. Nothing if
    /// that is not new.
    fn pools_for(&mut self, objects: &[PyObjectRef], place: Option<Place>) -> Option<Stop> {
        let new: Vec<PyObjectRef> = objects.iter().filter(|it| self.may_be_pooled(it)).cloned().collect();
        let known = |it: &Self| place.is_none_or(|place| it.learnt.guess.pools.places.contains(&place));
        if new.is_empty() && known(self) {
            return None;
        }
        let mut original = self.learnt.guess.pools.clone();
        let mut next = original.again();
        if !next.may {
            return Some(Stop::Learn(Assumption::Guess(Box::new(self.learnt.guess.without_pools()))));
        }
        loop {
            let before = std::mem::replace(&mut self.learnt.guess.pools, next);
            match self.describe_classes(&new) {
                Ok(()) => break,
                Err(class) => {
                    next = std::mem::replace(&mut self.learnt.guess.pools, before.clone());
                    next.classes.clone_from(&before.classes);
                    next.never.push(class);
                    self.learnt.guess.pools = before;
                }
            }
        }
        let pools = &mut self.learnt.guess.pools;
        let is_new = place.is_some_and(|it| !pools.places.contains(&it));
        if is_new && !pools.classes.is_empty() {
            pools.places.extend(place);
        }
        let learnt = pools.clone();
        let gains = new.iter().any(|it| learnt.of_class(it.class()).is_some());
        if gains || is_new && !learnt.classes.is_empty() {
            return Some(Stop::Learn(Assumption::Guess(Box::new(self.learnt.guess.with_pools(learnt)))));
        }
        // The capture goes on.
        original.never = learnt.never;
        self.learnt.guess.pools = original;
        None
    }

    /// Describes the classes of these objects, by what they hold now.
    ///
    /// # Errors
    /// A class whose objects cannot be rows.
    fn describe_classes(&mut self, objects: &[PyObjectRef]) -> Result<(), PyTypeRef> {
        let mut samples = Vec::new();
        for object in objects {
            let class = object.class().to_owned();
            let pools = &self.learnt.guess.pools;
            if pools.never.iter().any(|it| it.is(&class)) {
                continue;
            }
            let items = object.dict().map(|it| it.items_vec()).unwrap_or_default();
            let pool = match pools.of_class(&class) {
                Some(pool) => pool,
                None => {
                    let names = items.iter().map(|(name, _)| name_of(name).map(|it| self.vm.ctx.intern_str(it)));
                    let names: Option<Vec<_>> = names.collect();
                    let names = names.filter(|it| !it.is_empty() && it.len() <= MAX_ATTRIBUTES);
                    let (Some(names), true) = (names, pools.len() < MAX_CLASSES) else { return Err(class) };
                    let items = ItemType::mixed(May::from(Is::None).or(Is::Int.into())).expect("it is of two");
                    let bare = |name| Attribute { name, items: items.clone(), guessed: Guessed::BesidesNone };
                    let attributes = names.into_iter().map(bare).collect();
                    self.learnt.guess.pools.classes.push(Pooled { class, attributes });
                    self.learnt.guess.pools.len() - 1
                }
            };
            samples.push((pool, object.clone(), items));
        }
        let mut described = vec![false; usize::from(self.learnt.guess.pools.len())];
        for (pool, object, items) in samples {
            if !self.learnt.guess.pools.has_attributes_of(pool, &object) {
                return Err(object.class().to_owned());
            }
            let is_first = !std::mem::replace(&mut described[usize::from(pool)], true);
            for (index, (_, value)) in items.iter().enumerate() {
                self.describe_attribute(pool, index, is_first, value).map_err(|()| object.class().to_owned())?;
            }
        }
        Ok(())
    }

    /// An attribute holds this, too, or, the first time, nothing else.
    fn describe_attribute(&mut self, pool: u8, index: usize, is_first: bool, value: &PyObjectRef) -> Result<(), ()> {
        let own = self.row_of_pool(pool, self.vm.ctx.new_int(0).into());
        let own = ItemType::Made(Made::of(&own, self.vm).expect("a row is an item"));
        let Attribute { items, guessed, .. } =
            self.learnt.guess.pools.classes[usize::from(pool)].attributes[index].clone();
        self.note_known(value);
        let is_none = self.vm.is_none(value);
        let is_empty = self.is_empty_list(value);
        let (items, guessed) = if is_first || guessed == Guessed::InList {
            (
                self.both_types(None, value, &own),
                if is_none {
                    Guessed::BesidesNone
                } else if is_empty {
                    Guessed::InList
                } else {
                    Guessed::Nothing
                },
            )
        } else if guessed == Guessed::BesidesNone && !is_none {
            let found = self.both_types(None, value, &own).and_then(|it| it.may());
            (found.and_then(|it| ItemType::mixed(it.or(Is::None.into()))), Guessed::Nothing)
        } else {
            (self.both_types(Some(&items), value, &own), guessed)
        };
        let attribute = &mut self.learnt.guess.pools.classes[usize::from(pool)].attributes[index];
        attribute.items = items.ok_or(())?;
        attribute.guessed = guessed;
        Ok(())
    }

    /// An object that is known is one of those that attributes hold, unless there are too many.
    fn note_known(&mut self, object: &PyObjectRef) {
        let pools = &self.learnt.guess.pools;
        if self.is_known_object(object)
            && pools.known.len() < usize::from(MAX_KNOWN)
            && pools.of_known(object, self.vm).is_none()
        {
            self.learnt.guess.pools.known.push(object.clone());
        }
    }

    /// Whether an object is the same in each call, and no number.
    pub(super) fn is_known_object(&self, object: &PyObjectRef) -> bool {
        !self.vm.is_none(object)
            && !crate::rep::is_staged(object)
            && value::number(object, self.vm).is_none()
            && (object.class().is(self.vm.ctx.types.str_type) || crate::capture::ends::lasts(object))
            && !self.is_fresh(object)
            && !self.given.arguments.contains_key(&object.get_id())
    }

    fn is_empty_list(&self, value: &PyObjectRef) -> bool {
        self.items_of_row(value).is_some_and(|it| it.is_empty())
    }

    /// An attribute cannot hold what it is assigned: the capture starts again with one that can.
    pub(super) fn wider_attribute(&mut self, pool: u8, index: usize, value: &PyObjectRef) -> Stop {
        let next = self.learnt.guess.pools.again();
        if !next.may {
            return Stop::Learn(Assumption::Guess(Box::new(self.learnt.guess.without_pools())));
        }
        let before = next.type_of(pool, index).clone();
        self.learnt.guess.pools = next;
        let described = self.describe_attribute(pool, index, false, value);
        if described.is_err() || *self.learnt.guess.pools.type_of(pool, index) == before {
            return self.never(pool);
        }
        let learnt = self.learnt.guess.pools.clone();
        Stop::Learn(Assumption::Guess(Box::new(self.learnt.guess.with_pools(learnt))))
    }

    /// Objects of the class of this one cannot be rows: the capture starts again without that.
    pub(super) fn never_pooled(&mut self, object: &PyObjectRef) -> Stop {
        match self.learnt.guess.pools.of_class(object.class()) {
            Some(pool) => self.never(pool),
            None => Stop::Learn(Assumption::Guess(Box::new(self.learnt.guess.without_pools()))),
        }
    }

    /// The same for all objects of a pool.
    pub(super) fn never(&mut self, pool: u8) -> Stop {
        let mut next = self.learnt.guess.pools.again();
        if next.may {
            next.never.push(next.class(pool).clone());
            next.classes.clear();
        }
        Stop::Learn(Assumption::Guess(Box::new(match next.may {
            true => self.learnt.guess.with_pools(next),
            false => self.learnt.guess.without_pools(),
        })))
    }

    /// Paths of too many kinds meet, or of ever more. If they differ in how many objects they know, the capture starts again
    /// with these as rows there.
    pub(crate) fn pool_differing(&mut self, states: &[State], are_many: bool) -> Option<Abort> {
        if !self.may_pool() {
            return None;
        }
        let (active, raised) = (self.objects.active.clone(), self.raised.clone());
        let stop = self.classes_that_differ(states, are_many);
        // What is told of the paths otherwise depends on what the objects show.
        self.base.switch(&self.objects.active, &self.objects.changed, &active, self.vm);
        self.objects.changed.clear();
        (self.objects.active, self.raised) = (active, raised);
        let again = match stop {
            Some(Stop::Learn(Assumption::Guess(guess))) => Some(Abort::Learn(Assumption::Guess(guess))),
            _ if are_many => self.spread_locals(states),
            _ => None,
        };
        if again.is_some() {
            self.show_base();
        }
        again
    }

    fn classes_that_differ(&mut self, states: &[State], are_many: bool) -> Option<Stop> {
        let mut all: Vec<Vec<PyObjectRef>> = Vec::with_capacity(states.len());
        for state in states {
            self.activate(state);
            all.push(self.instances_of(state));
        }
        let mut counts: Vec<usize> = all.iter().map(Vec::len).collect();
        counts.sort_unstable();
        counts.dedup();
        if counts.len() < if are_many { 2 } else { GROWING } {
            return None;
        }
        // What the largest one holds is described; its contents are those of its path.
        let largest = (0..states.len()).max_by_key(|&it| all[it].len())?;
        self.activate(&states[largest]);
        let objects = all.swap_remove(largest);
        self.pools_for(&objects, place_of(&states[0]))
    }

    /// Paths of too many kinds meet, and local variables are None on some of them and rows on others: the capture starts
    /// again with such variables as either there.
    fn spread_locals(&mut self, states: &[State]) -> Option<Abort> {
        let place = place_of(&states[0])?;
        let mut next = self.learnt.guess.pools.again();
        if !next.may || next.is_empty() {
            return None;
        }
        let before = next.spread.len();
        let depth = states[0].frames.len();
        for frame in 0..depth {
            let code = &states[0].frames[frame].code;
            for local in 0..states[0].frames[frame].locals.len() {
                let key = (code.object.get_id(), local);
                let all = states.iter().map(|it| it.frames[frame].locals[local].as_ref().and_then(V::object));
                let may =
                    all.map(|it| it.and_then(|it| self.may_spread(it))).try_fold(None, |known: Option<May>, may| {
                        may.map(|may| Some(known.map_or(may, |known| known.or(may))))
                    });
                let Some(may) = may.flatten().filter(|it| it.has_rows() && it.only().is_none()) else { continue };
                match next.spread.iter_mut().find(|(at, it, _)| (*at, *it) == (place, key)) {
                    Some((.., known)) if known.covers(may) => {}
                    Some((.., known)) => {
                        *known = known.or(may);
                        next.count += 1;
                        return Some(Abort::Learn(Assumption::Guess(Box::new(self.learnt.guess.with_pools(next)))));
                    }
                    None => next.spread.push((place, key, may)),
                }
            }
        }
        (next.spread.len() > before).then(|| {
            if !next.places.contains(&place) {
                next.places.push(place);
            }
            Abort::Learn(Assumption::Guess(Box::new(self.learnt.guess.with_pools(next))))
        })
    }

    /// What a local variable may be, if it is a row, may be one, or is None.
    fn may_spread(&self, object: &PyObjectRef) -> Option<May> {
        if self.vm.is_none(object) {
            return Some(Is::None.into());
        }
        if let Some(mixed) = kind::as_kind::<Mixed>(object) {
            return Some(mixed.may);
        }
        self.row_in_pool(object).map(|(pool, _)| Is::Row(pool).into())
    }

    /// Local variables that paths know as None or as a row become either.
    fn spread(&mut self, state: &mut State) -> Step<()> {
        let Some(place) = place_of(state) else { return Ok(()) };
        for frame in 0..state.frames.len() {
            let code = state.frames[frame].code.object.get_id();
            for local in 0..state.frames[frame].locals.len() {
                let spread = &self.learnt.guess.pools.spread;
                let found = spread.iter().find(|(at, it, _)| (*at, *it) == (place, (code, local)));
                let Some(may) = found.map(|(.., may)| *may) else { continue };
                let Some(V::Obj(object)) = state.frames[frame].locals[local].clone() else { continue };
                if !self.may_spread(&object).is_some_and(|own| may.covers(own)) {
                    continue;
                }
                let made = Made::mixed(may);
                if let Some(parts) = self.parts_of_item(state, &made, &object)? {
                    self.learnt.guess.note_made(&ItemType::Made(made));
                    let mixed = Kind::from(Mixed { may, parts }).object(self.vm);
                    state.frames[frame].locals[local] = Some(V::Obj(mixed));
                }
            }
        }
        Ok(())
    }

    /// The objects of classes of the program that the running path has made and that its frames lead to; none that is in its
    /// `__init__`.
    fn instances_of(&self, state: &State) -> Vec<PyObjectRef> {
        let mut roots = Vec::new();
        let mut open = Vec::new();
        for frame in &state.frames {
            let live = frame.locals.iter().enumerate().filter(|(index, _)| frame.code.live_in(frame.pc, *index));
            let entries = live.filter_map(|(_, it)| it.as_ref()).chain(&frame.stack);
            for entry in entries {
                match entry {
                    V::Obj(object) => roots.push(object.clone()),
                    V::Iter(iter) => roots.extend(sequences_of(iter)),
                    V::Null => {}
                }
            }
            roots.extend(frame.closure.iter().cloned());
            if let Then::Push1(object) = &frame.then {
                open.push(object.clone());
            }
        }
        roots.extend(state.result.clone());
        // Global variables and attributes that are assigned.
        let mut cells: Vec<&PyObjectRef> = self.objects.variables.values().collect();
        cells.sort_by_key(|it| self.base.number(it));
        roots.extend(cells.into_iter().filter_map(|cell| host::cell::cell_get(cell, self.vm)));
        let found = self.instances_in(&roots);
        found.into_iter().filter(|it| !open.iter().any(|open| open.is(it))).collect()
    }

    /// A path at a place where paths meet with rows only.
    pub(crate) fn with_rows(&mut self, state: &State) -> Result<State, Abort> {
        if !self.learnt.guess.pools.is_place(state) {
            return Ok(state.clone());
        }
        self.activate(state);
        let objects = self.instances_of(state);
        let objects = self.made_in(&objects);
        let state = self.rows_at(state, &objects)?;
        let place = place_of(&state);
        if !self.learnt.guess.pools.spread.iter().any(|(at, ..)| Some(*at) == place) {
            return Ok(state);
        }
        let mut state = self.enter_plain(std::slice::from_ref(&state)).swap_remove(0);
        self.activate(&state);
        let spread = self.spread(&mut state);
        let state = self.suspend(state);
        match spread {
            Ok(()) => Ok(state),
            Err(stop) => Err(self.abort(stop, &state)),
        }
    }

    /// A path that does not run, with these objects as rows.
    pub(crate) fn rows_at(&mut self, state: &State, objects: &[PyObjectRef]) -> Result<State, Abort> {
        if objects.is_empty() {
            return Ok(state.clone());
        }
        // Blocks from before stay as they were: what comes may be explored again.
        let mut state = self.enter_plain(std::slice::from_ref(state)).swap_remove(0);
        self.activate(&state);
        self.make_rows_here(&mut state, objects)?;
        Ok(self.suspend(state))
    }

    /// These objects become rows where the running path is, between two instructions or before one that runs again.
    pub(crate) fn make_rows_here(&mut self, state: &mut State, objects: &[PyObjectRef]) -> Result<(), Abort> {
        if !state.reach.is_reached() && !self.checkpoint(state) {
            self.show_base();
            return Err(self.abort(crate::capture::checkpoint::stuck(), state));
        }
        self.running.built = crate::capture::checkpoint::Built::default();
        let made = self.make_rows(state, objects);
        let built = std::mem::take(&mut self.running.built);
        state.reach = state.reach.behind(&built);
        state.tags.forget_reads();
        if let Err(stop) = made {
            self.show_base();
            return Err(self.abort(stop, state));
        }
        if built.is_stuck {
            self.show_base();
            return Err(self.abort(crate::capture::checkpoint::stuck(), state));
        }
        if !self.checkpoint(state) {
            self.show_base();
            return Err(self.abort(crate::capture::checkpoint::stuck(), state));
        }
        Ok(())
    }

    /// Where an instruction in a loop, or in a function of the IR, is refused that works on a row: the capture starts
    /// again without any.
    pub(crate) fn begin_without_rows_at(&self, state: &State) -> Option<Abort> {
        if !self.has_pools() {
            return None;
        }
        let in_loop = state.frames.iter().any(|frame| frame.code.loop_at(frame.pc).is_some());
        if !in_loop && self.calls.building == 0 {
            return None;
        }
        let has_rows = |it: &PyObjectRef| matches!(classify(it, self.vm), Abstract::Items(it) if it.items.has_rows());
        let is_row = |it: &PyObjectRef| may_be_row(it) || has_rows(it);
        let is_near = |it: &PyObjectRef| {
            let receiver = host::belongs::native_method(it, self.vm).map(|(receiver, _)| receiver);
            let this = host::function::unpack_bound_method(it, self.vm).map(|(_, this)| this);
            is_row(it) || receiver.iter().chain(&this).any(is_row) || inside(it, self.vm).iter().any(is_row)
        };
        let works = state.frame().stack.iter().any(|entry| match entry {
            V::Obj(object) => is_near(object),
            V::Iter(iter) => sequences_of(iter).iter().any(is_near),
            V::Null => false,
        });
        works.then(|| Abort::Learn(Assumption::Guess(Box::new(self.learnt.guess.without_pools()))))
    }
}

/// The sequences that an iterator goes over.
fn sequences_of(iter: &Iter) -> Vec<PyObjectRef> {
    match iter {
        Iter::Items { list: items, .. } | Iter::Seq { items, .. } | Iter::Back { items, .. } => vec![items.clone()],
        Iter::Over { of, .. } => kind::container(of).cloned().into_iter().collect(),
        Iter::Enumerate { inner, .. } => sequences_of(inner),
        Iter::Zip { inners, .. } => inners.iter().flat_map(sequences_of).collect(),
        _ => Vec::new(),
    }
}
