//! Where exceptions were raised, and through which frames they went: what becomes their traceback.
//!
//! Paths that meet in a handler have raised in different places. What is different is a number: which of the ways that
//! the session knows an exception has come. So they are one path behind the handler, and only an exception that leaves
//! compiled code asks for the number.

use rustc_hash::FxHashMap as HashMap;
use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef, PyInt, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};

use crate::capture::session::Session;
use crate::capture::stop::Step;
use crate::capture::template::Leaves;
use crate::exit::RaisedAt;
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

/// An exception of a class, with these arguments and relatives.
pub(crate) fn exception(
    class: &PyTypeRef,
    args: Vec<PyObjectRef>,
    cause: Option<PyObjectRef>,
    context: Option<PyObjectRef>,
    suppresses: bool,
    vm: &VirtualMachine,
) -> PyBaseExceptionRef {
    let made = vm.invoke_exception(class, args.clone());
    let made = made.unwrap_or_else(|_| vm.new_exception(class.clone(), args));
    let exception = |it: Option<PyObjectRef>| it.and_then(|it| it.downcast::<PyBaseException>().ok());
    made.set_context(exception(context));
    if suppresses {
        made.set_cause(exception(cause));
    }
    made
}

/// Whether the context of an exception is not shown.
pub(crate) fn suppresses_context(exception: &PyBaseExceptionRef, vm: &VirtualMachine) -> bool {
    let suppresses = exception.as_object().get_attr("__suppress_context__", vm);
    suppresses.is_ok_and(|it| it.is(&vm.ctx.true_value))
}
