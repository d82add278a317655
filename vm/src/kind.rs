//! The kinds of values that are made of others, of which some are known later: text with a number in it, a range whose
//! end is not known yet, a complex number.
//!
//! Each kind is a file behind one interface, [`Representation`], which who captures asks rather than which kind it is:
//! paths meet by what a kind says is known of it and by its parts (`capture/shape.rs`), compiled code hands out
//! what [`Leaving`] says (`capture/template.rs`), and an instruction that meets one asks it first. A new kind is a file here
//! and a row of the table of [`Kind`].
//!
//! Values that are a single number, object, tensor or container of compiled code are no kinds: they are a
//! [`Rep`](crate::rep::Rep) or a [`StagedObject`](crate::rep::StagedObject). Iterators have a state, which belongs to the
//! heap of a path: `capture/value.rs`.

mod array_item;
mod complex;
mod continuation;
mod deque;
mod function;
mod instruction;
mod method;
mod mixed;
mod range;
mod record;
mod rows;
mod text;
mod tuple;
mod wide;

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use rustpython_vm::builtins::{PyType, PyTypeRef};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};
use smallvec::SmallVec;
use snekpy_stage::entity::Value;
use snekpy_stage::list::List;
use snekpy_stage::op::Cmp;

use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::step::{Truth, refuse};
use crate::capture::stop::Step;
use crate::capture::value::Iter;
use crate::code::Opcode;
use crate::host;
use crate::rep::StagedValue;

pub(crate) use array_item::ArrayItem;
pub(crate) use complex::Complex;
pub(crate) use continuation::Continuation;
pub(crate) use deque::Deque;
pub(crate) use function::Function;
pub(crate) use method::Method;
pub(crate) use mixed::{Is, MAX_KNOWN, MAX_POOLS, May, Mixed};
pub(crate) use range::Range;
pub(crate) use record::{Home, Record};
pub(crate) use rows::Rows;
pub(crate) use text::{Conversion, Joined, Text, TextPart};
pub(crate) use tuple::Tuple;
pub(crate) use wide::{Wide, wide, wide_bits};

/// What is known of a value besides its parts. Two paths that hold values of one kind meet where this is the same.
pub(crate) type Known = SmallVec<[u64; 4]>;

/// The slots of the numbers that a value is made of.
pub(crate) type Bits = SmallVec<[u64; 2]>;

/// Makes an object of its parts when compiled code hands it out.
pub(crate) trait Make: Debug + Send + Sync {
    /// The object.
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult;

    /// The object whose parts are these numbers, by their slots: the short way, where many are made.
    fn make_of_numbers(&self, _bits: &[u64], _vm: &VirtualMachine) -> Option<PyObjectRef> {
        None
    }

    /// The slots of the numbers that it would make an object of, if it can make that.
    fn numbers_of(&self, _object: &PyObject, _vm: &VirtualMachine) -> Option<Bits> {
        None
    }

    /// The object, where the only part is a list of the compiled code.
    fn make_of_list(&self, _list: &List, _vm: &VirtualMachine) -> Option<PyObjectRef> {
        None
    }

    /// Whether the parts are columns of lists, which are the items of another list.
    fn makes_lists(&self) -> bool {
        false
    }

    /// Its class, for people.
    fn class(&self) -> String {
        "something else".to_owned()
    }
}

/// How a value leaves compiled code.
pub(crate) enum Leaving {
    /// It is made of these.
    Made { make: Arc<dyn Make>, parts: Vec<PyObjectRef> },
    /// It is the object of a row of the table of the call.
    Row,
    /// It is an object of the path, which is made with what it holds.
    Object,
    /// It does not.
    Refused(&'static str, &'static str),
}

/// The name of a helper of ours, with its arguments.
pub(crate) type Loop = (&'static str, Vec<PyObjectRef>);

/// An attribute of a value.
pub(crate) enum Found {
    /// This.
    Value(PyObjectRef),
    /// A method, which is to be called.
    Method,
}

/// Where something is done to a value.
pub(crate) struct At<'a, 'vm> {
    /// What all paths share.
    pub(crate) session: &'a mut Session<'vm>,
    /// The path.
    pub(crate) state: &'a mut State,
    /// The object of the path that the value is.
    pub(crate) object: &'a PyObjectRef,
}

impl<'vm> Session<'vm> {
    /// The place where something is done to an object.
    pub(crate) fn at<'a>(&'a mut self, state: &'a mut State, object: &'a PyObjectRef) -> At<'a, 'vm> {
        At { session: self, state, object }
    }
}

/// What a value that is known only later knows about itself: one of a kind, or a container of the compiled code. Where an
/// operation is not its own, it gives `None`, and what happens is what happens to any object.
pub(crate) trait Representation: Debug {
    /// One that an object which is known now is like: paths that hold the one and the other meet.
    fn of_known(_object: &PyObject, _vm: &VirtualMachine) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// What a builtin gives for these arguments, of which one is known later, if that is of this kind, or is asked of one.
    fn of_call(
        _session: &mut Session<'_>,
        _state: &mut State,
        _callable: &PyObjectRef,
        _args: &FuncArgs,
    ) -> Step<Option<PyObjectRef>>
    where
        Self: Sized,
    {
        Ok(None)
    }

    /// What native code is told that it is.
    fn noun(&self) -> &'static str;

    /// The objects that it is made of, in an order that depends on the shape alone.
    fn parts(&self) -> Vec<PyObjectRef> {
        Vec::new()
    }

    /// One with other parts, if it has parts.
    fn with(&self, _parts: Vec<PyObjectRef>) -> Kind {
        unreachable!("a {} has no parts to exchange", self.noun())
    }

    /// How it leaves compiled code.
    fn leaving(&self) -> Leaving {
        Leaving::Object
    }

    /// What is known of it besides its parts.
    fn known(&self) -> Known {
        Known::new()
    }

    /// Its class, if paths and messages know it by the class that it has in the program.
    fn class(&self) -> Option<PyTypeRef> {
        None
    }

    /// An object that native code answers questions about its class with.
    fn sample(&self, _vm: &VirtualMachine) -> Option<PyObjectRef> {
        None
    }

    /// Whether it stands for an argument: paths know it by that.
    fn is_argument(&self) -> bool {
        false
    }

    /// Whether the VM may be given it in the middle of a call, if it may be given all parts.
    fn crosses(&self) -> bool {
        false
    }

    /// Whether lists of the compiled code may hold such values, if all parts are numbers: nobody can tell one from another
    /// with the same parts but by asking which object it is, and then the call is plain.
    fn is_item(&self) -> bool {
        false
    }

    /// Whether paths remember which variables hold the same one; if not, its parts say which object it is.
    fn has_identity(&self) -> bool {
        true
    }

    /// Whether two of these come in the order in which their parts come.
    fn is_ordered(&self) -> bool {
        false
    }

    /// Whether it is true: if it has a length, whether that is not 0.
    fn truth(&self, at: &mut At<'_, '_>) -> Step<Option<Truth>> {
        match self.length(at)? {
            Some(length) => at.session.truth(at.state, &length).map(Some),
            None => Ok(None),
        }
    }

    /// How many items it has.
    fn length(&self, _at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// An iterator over it.
    fn iter(&self, _at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        Ok(None)
    }

    /// An iterator over it that nobody but the loop knows.
    fn hidden_iter(&self, at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        self.iter(at)
    }

    /// An iterator over it from the end.
    fn reversed(&self, _at: &mut At<'_, '_>) -> Step<Option<Iter>> {
        Ok(None)
    }

    /// All items, of which there are to be so many.
    fn unpack(&self, _at: &mut At<'_, '_>, _count: usize) -> Step<Option<Vec<PyObjectRef>>> {
        Ok(None)
    }

    /// `x[i]`.
    fn item(&self, _at: &mut At<'_, '_>, _i: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// `x[i] = item`: whether that was done.
    fn set_item(&self, _at: &mut At<'_, '_>, _i: &PyObjectRef, _item: &PyObjectRef) -> Step<bool> {
        Ok(false)
    }

    /// `del x[i]`: whether that was done.
    fn delete_item(&self, _at: &mut At<'_, '_>, _i: &PyObjectRef) -> Step<bool> {
        Ok(false)
    }

    /// `item in x`.
    fn contains(&self, _at: &mut At<'_, '_>, _item: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// What needs all items one by one cannot go on where their number is known only later.
    fn refuse_whole(&self, _object: &PyObjectRef, _what: &str) -> Step<()> {
        Ok(())
    }

    /// Whether its items have indices, and their number is known only later: helpers of ours loop over it.
    fn is_indexed(&self) -> bool {
        false
    }

    /// The list that was made for it alone, with its items, if it changes as that does.
    fn container(&self) -> Option<&PyObjectRef> {
        None
    }

    /// The number of the row that it is, if it is an object of a class of the program: what its attributes, methods and
    /// operators are, the class says.
    fn row(&self) -> Option<&PyObjectRef> {
        None
    }

    /// The next item of an iterator over it ([`Iter::Over`]), which is at this place.
    fn next(&self, _at: &mut At<'_, '_>, _place: &mut [PyObjectRef]) -> Step<Option<PyObjectRef>> {
        Err(refuse("S271", format!("iteration over a `{}` that is known only later", self.noun())).into())
    }

    /// What it is, if it is known only later how many items such an iterator gives.
    fn has_any_length(&self) -> Option<&'static str> {
        None
    }

    /// An iterator of the class of such an iterator, over nothing.
    fn empty_iterator(&self, _vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        Ok(None)
    }

    /// Makes such an iterator of the object, its place and these parts.
    fn leaving_iterator(&self) -> Leaving {
        Leaving::Refused("S221", "an iterator over what is known only later leaves staged code")
    }

    /// The helper of ours that is called for an operator on it, with its arguments, if that is a loop.
    fn operator_loop(
        &self,
        _at: &mut At<'_, '_>,
        _op: Opcode,
        _arg: u32,
        _operands: [&PyObjectRef; 2],
    ) -> Step<Option<Loop>> {
        Ok(None)
    }

    /// The same for a method that [`attribute`](Self::attribute) has found.
    fn method_loop(&self, _at: &mut At<'_, '_>, _name: &str, _args: &[PyObjectRef]) -> Step<Option<Loop>> {
        Ok(None)
    }

    /// `x operator y`; one of the operands is this.
    fn binary(
        &self,
        _at: &mut At<'_, '_>,
        _operator: BinaryOperator,
        _operands: [&PyObjectRef; 2],
    ) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// Compares it with another object.
    fn compare(&self, _at: &mut At<'_, '_>, _cmp: Cmp, _other: &PyObjectRef) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// `-x`.
    fn negative(&self, _at: &mut At<'_, '_>) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// An attribute.
    fn attribute(&self, _name: &str) -> Option<Found> {
        None
    }

    /// Calls a method that [`attribute`](Self::attribute) has found.
    fn call_method(&self, _at: &mut At<'_, '_>, _name: &str, _args: &[PyObjectRef]) -> Step<Option<PyObjectRef>> {
        Ok(None)
    }

    /// Whether it is unequal to itself, if it may be: a number, then, of which nobody knows which object it is where paths
    /// have met.
    fn is_nan(&self, _session: &mut Session<'_>, _state: &State) -> Step<Option<Value>> {
        Ok(None)
    }

    /// Whether no operator changes it.
    fn is_immutable(&self) -> bool {
        false
    }

    /// How large it is, where its size tells two of them apart.
    fn size(&self) -> Option<usize> {
        None
    }
}

/// The table of kinds.
macro_rules! kinds {
    ($($kind:ident($payload:ty)),* $(,)?) => {
        /// A value that is made of others.
        #[derive(Clone, Debug)]
        pub(crate) enum Kind {
            $($kind($payload)),*
        }

        impl Kind {
            /// What it knows about itself.
            pub(crate) fn staged(&self) -> &dyn Representation {
                match self {
                    $(Self::$kind(it) => it),*
                }
            }

            /// One that an object which is known now is like.
            fn of_known(object: &PyObject, vm: &VirtualMachine) -> Option<Self> {
                None$(.or_else(|| <$payload>::of_known(object, vm).map(Self::from)))*
            }

            /// What a builtin gives for such arguments, if that is of a kind, or is asked of one.
            fn of_call(
                session: &mut Session<'_>,
                state: &mut State,
                callable: &PyObjectRef,
                args: &FuncArgs,
            ) -> Step<Option<PyObjectRef>> {
                $(if let Some(result) = <$payload>::of_call(session, state, callable, args)? {
                    return Ok(Some(result));
                })*
                Ok(None)
            }
        }

        $(impl From<$payload> for Kind {
            fn from(payload: $payload) -> Self {
                Self::$kind(payload)
            }
        }

        impl<'a> TryFrom<&'a Kind> for &'a $payload {
            type Error = ();

            fn try_from(kind: &'a Kind) -> Result<Self, ()> {
                match kind {
                    Kind::$kind(it) => Ok(it),
                    _ => Err(()),
                }
            }
        })*
    };
}

kinds! {
    ArrayItem(ArrayItem),
    Complex(Complex),
    Continuation(Continuation),
    Deque(Deque),
    Function(Function),
    Method(Method),
    Mixed(Mixed),
    Range(Range),
    Record(Record),
    Rows(Rows),
    Text(Text),
    Tuple(Tuple),
    Wide(Wide),
}

impl Kind {
    /// The object that stands for it while a function is captured.
    pub(crate) fn object(self, vm: &VirtualMachine) -> PyObjectRef {
        StagedValue { kind: self }.into_ref(&vm.ctx).into()
    }

    /// Which kind it is, and what is known of it besides its parts.
    pub(crate) fn known(&self) -> (std::mem::Discriminant<Self>, Known) {
        (std::mem::discriminant(self), self.staged().known())
    }
}

/// The kind of an object, and what it knows.
pub(crate) fn of(object: &PyObject) -> Option<&Kind> {
    object.downcast_ref::<StagedValue>().map(|it| &it.payload().kind)
}

/// The kind of an object, or of one that is known now and like those of a kind: `1j` is a complex number, too.
pub(crate) fn like<'a>(object: &'a PyObject, vm: &VirtualMachine) -> Option<Cow<'a, Kind>> {
    of(object).map(Cow::Borrowed).or_else(|| Kind::of_known(object, vm).map(Cow::Owned))
}

/// What an object of any kind knows about itself.
pub(crate) fn staged(object: &PyObject) -> Option<&dyn Representation> {
    of(object).map(Kind::staged)
}

/// An object that native code answers questions about the class of an object of any kind with.
pub(crate) fn sample(object: &PyObject, vm: &VirtualMachine) -> Option<PyObjectRef> {
    staged(object)?.sample(vm)
}

/// Whether an object is of a class of the program, and which object it is is known only later.
pub(crate) fn is_instance(object: &PyObject) -> bool {
    staged(object).is_some_and(|it| it.row().is_some())
}

/// The list that was made for an object alone, with its items, if it is of a kind that changes as that does.
pub(crate) fn container(object: &PyObject) -> Option<&PyObjectRef> {
    staged(object)?.container()
}

/// The class that an object of any kind has in the program.
pub(crate) fn class(object: &PyObject, vm: &VirtualMachine) -> Option<PyTypeRef> {
    staged(object)?.class().or_else(|| sample(object, vm).map(|it| it.class().to_owned()))
}

/// An object of this kind.
pub(crate) fn as_kind<'a, T>(object: &'a PyObject) -> Option<&'a T>
where
    &'a T: TryFrom<&'a Kind>,
{
    of(object).and_then(|kind| kind.try_into().ok())
}

/// Calls a builtin class with the parts.
#[derive(Debug)]
pub(crate) struct Call(pub(crate) fn(&VirtualMachine) -> &'static Py<PyType>);

impl Make for Call {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        (self.0)(vm).as_object().call(parts.to_vec(), vm)
    }
}

/// Reads an attribute of the only part.
#[derive(Debug)]
pub(crate) struct Attribute(pub(crate) PyObjectRef);

impl Make for Attribute {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        let name = self.0.str(vm)?;
        parts[0].get_attr(&*name, vm)
    }
}

/// Calls a method of the only part.
#[derive(Debug)]
pub(crate) struct CallMethod(pub(crate) &'static str);

impl Make for CallMethod {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        vm.call_method(&parts[0], self.0, ())
    }
}

/// Puts the other parts before the items of the first, a generator.
#[derive(Debug)]
pub(crate) struct Drawn;

impl Make for Drawn {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        Ok(host::drawn::before(&parts[1..], &parts[0], vm))
    }
}

/// Binds the first part, a function, to the second.
#[derive(Debug)]
pub(crate) struct Bind;

impl Make for Bind {
    fn make(&self, parts: &[PyObjectRef], vm: &VirtualMachine) -> PyResult {
        Ok(host::function::bound_method(parts[0].clone(), parts[1].clone(), vm))
    }
}
