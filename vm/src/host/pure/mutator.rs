//! Native callables that change a list, a dict or a set.

use crate::host::native::{NativeCallable, native_callable};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

/// A native callable that changes an object.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// What it does.
    pub kind: Mutator,
    /// The object; `None` where it is the first argument of the call (`list.append(xs, x)`).
    pub receiver: Option<PyObjectRef>,
}

macro_rules! mutators {
    ($($(#[$doc:meta])* $class:ident { $($variant:ident $name:literal,)* })*) => {
        /// The changes that built-in containers offer as methods.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Mutator {
            $($(
                #[doc = concat!("`", stringify!($class), ".", $name, "`")]
                $variant,
            )*)*
        }

        impl Mutator {
            /// Every mutator.
            pub const ALL: &[Self] = &[$($(Self::$variant,)*)*];

            /// The class, and the method's name.
            pub const fn method(self) -> (&'static str, &'static str) {
                match self {
                    $($(Self::$variant => (stringify!($class), $name),)*)*
                }
            }
        }
    };
}

mutators! {
    list {
        ListAppend "append",
        ListClear "clear",
        ListDelItem "__delitem__",
        ListExtend "extend",
        ListInPlaceAdd "__iadd__",
        ListInPlaceMul "__imul__",
        ListInit "__init__",
        ListInsert "insert",
        ListPop "pop",
        ListRemove "remove",
        ListReverse "reverse",
        ListSetItem "__setitem__",
        ListSort "sort",
    }
    dict {
        DictClear "clear",
        DictDelItem "__delitem__",
        DictInPlaceOr "__ior__",
        DictInit "__init__",
        DictPop "pop",
        DictPopItem "popitem",
        DictSetDefault "setdefault",
        DictSetItem "__setitem__",
        DictUpdate "update",
    }
    set {
        SetAdd "add",
        SetClear "clear",
        SetDifferenceUpdate "difference_update",
        SetDiscard "discard",
        SetInPlaceAnd "__iand__",
        SetInPlaceOr "__ior__",
        SetInPlaceSub "__isub__",
        SetInPlaceXor "__ixor__",
        SetInit "__init__",
        SetIntersectionUpdate "intersection_update",
        SetPop "pop",
        SetRemove "remove",
        SetSymmetricDifferenceUpdate "symmetric_difference_update",
        SetUpdate "update",
    }
}

/// What this callable changes, if it is a mutating method of `list`, `dict` or `set` (also when it
/// is called on an instance of a subclass that does not override it).
pub fn mutator_kind(callable: &PyObject, vm: &VirtualMachine) -> Option<Mutation> {
    let NativeCallable::Method { owner, name, receiver } = native_callable(callable, vm)? else { return None };
    let types = &vm.ctx.types;
    let class = [(types.list_type, "list"), (types.dict_type, "dict"), (types.set_type, "set")]
        .into_iter()
        .find_map(|(class, text)| owner.is(class).then_some(text))?;
    let kind = *Mutator::ALL.iter().find(|kind| kind.method() == (class, name.as_str()))?;
    Some(Mutation { kind, receiver })
}
