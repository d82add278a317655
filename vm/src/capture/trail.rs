//! Where exceptions were raised, and through which frames they went: what becomes their traceback.
//!
//! Paths that meet in a handler have raised in different places. What is different is a number: which of the ways that
//! the session knows an exception has come. So they are one path behind the handler, and only an exception that leaves
//! compiled code asks for the number.

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyBaseExceptionRef, PyInt, PyTypeRef};
use rustpython_vm::{PyObjectRef, VirtualMachine};

use crate::capture::session::Session;
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::contents::Relatives;
use crate::exit::RaisedAt;
use crate::host::carried::{self, Member};
use crate::site::Site;

/// The ways of all exceptions of a path, by identity.
pub(crate) type Trails = HashMap<usize, Trail>;

/// The way of an exception.
#[derive(Clone, Debug)]
pub(crate) struct Trail {
    /// Which of the [`Ways`] it has come, an int or a number that is known later.
    pub(crate) way: PyObjectRef,
    /// And behind that, innermost first, if it is known later.
    pub(crate) further: Vec<Site>,
}

/// A number that is known.
fn known(number: &PyObjectRef) -> Option<usize> {
    usize::try_from(number.downcast_ref::<PyInt>()?.as_bigint()).ok()
}

impl Session<'_> {
    /// An exception has gone through these places, innermost first.
    pub(crate) fn add_to_trail(&mut self, id: usize, sites: Vec<Site>) {
        let trail = self.raised.remove(&id);
        let trail = match trail {
            Some(Trail { way, mut further }) if known(&way).is_none() => {
                further.extend(sites);
                Trail { way, further }
            }
            trail => {
                let mut way = trail.and_then(|it| known(&it.way)).map_or_else(Vec::new, |it| self.ways.of(it));
                way.extend(sites);
                let way = self.vm.ctx.new_int(self.ways.number(way)).into();
                Trail { way, further: Vec::new() }
            }
        };
        self.raised.insert(id, trail);
    }

    /// The same for a template.
    pub(crate) fn raised_at(&mut self, id: usize, leaves: &mut Leaves) -> Step<RaisedAt> {
        let Some(Trail { way, further }) = self.raised.get(&id).cloned() else { return Ok(RaisedAt::default()) };
        Ok(match known(&way) {
            Some(number) => RaisedAt { one_of: None, further: self.ways.of(number) },
            None => RaisedAt { one_of: Some((self.ways.clone(), self.template(&way, leaves)?)), further },
        })
    }
}

/// An exception of a class, with these arguments and relatives, which carries this.
pub(crate) fn exception(
    class: &PyTypeRef,
    args: Vec<PyObjectRef>,
    members: Vec<Member>,
    relatives: &Relatives,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    let made = carried::exception(class, args.clone(), members, vm);
    let made = made.unwrap_or_else(|_| vm.new_exception(class.clone(), args));
    relatives.set(&made, vm);
    made
}
