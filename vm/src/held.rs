//! What compiled code holds on to, for Python's collector of cycles.
//!
//! A class whose method is staged is held by the guards of that method's code, which the method holds, which the class
//! holds: the collector frees all of it, if it is shown each reference. One that it is not shown only lives longer.
//! What is shared with a call that runs meanwhile is not shown: the call needs it.

use std::sync::Arc;

use rustpython_vm::object::{Traverse, TraverseFn};

use crate::captured::Captured;
use crate::exit::{
    ContentsTemplate, Effect, ExceptionTemplate, ExitKind, FrameTemplate, FunctionTemplate, HostKind, IteratorTemplate,
    Operation, RaisedAt, Resume, Template,
};
use crate::flatten::Source;
use crate::flatten::{Arg, Key};
use crate::guard::Guard;
use crate::site::Site;

/// Shows what is behind a pointer, if nobody else has it.
pub(crate) fn traverse_own<T: Traverse>(shared: &Arc<T>, show: &mut TraverseFn<'_>) {
    if Arc::strong_count(shared) == 1 {
        shared.traverse(show);
    }
}

/// Implements [`Traverse`] by what is given of each value.
macro_rules! holds {
    ($($class:ty: |$it:ident, $show:ident| $body:expr;)*) => {$(
        // SAFETY: each reference that is owned is shown once; the others are left out.
        unsafe impl Traverse for $class {
            fn traverse(&self, $show: &mut TraverseFn<'_>) {
                let $it = self;
                $body
            }
        }
    )*};
}

holds! {
    Captured: |it, show| {
        it.exits.traverse(show);
        it.hosts.traverse(show);
        it.guards.traverse(show);
        it.touched.traverse(show);
        it.result.traverse(show);
        it.effects.traverse(show);
        it.sites.traverse(show);
        it.ways.all().iter().for_each(|way| way.iter().for_each(|site| site.traverse(show)));
    };
    Site: |it, show| {
        it.code.traverse(show);
        it.globals.traverse(show);
    };
    Guard: |it, show| match it {
        Self::Item { dict, key, expected } => {
            dict.traverse(show);
            key.traverse(show);
            expected.traverse(show);
        }
        Self::Class { class, version: _, expected, bases } => {
            class.traverse(show);
            expected.iter().for_each(|(_, found)| found.traverse(show));
            bases.traverse(show);
        }
        Self::Object { object, class, dict } => {
            object.traverse(show);
            class.traverse(show);
            dict.traverse(show);
        }
        Self::Attribute { object, name: _, expected } | Self::Cell { cell: object, expected } => {
            object.traverse(show);
            expected.traverse(show);
        }
        Self::List { list: object, expected } | Self::Set { set: object, expected } => {
            object.traverse(show);
            expected.traverse(show);
        }
        Self::Dict { dict, expected } => {
            dict.traverse(show);
            expected.traverse(show);
        }
        Self::Names { dict, expected } => {
            dict.traverse(show);
            expected.traverse(show);
        }
        Self::Function { func, code, defaults, kwdefaults } => {
            func.traverse(show);
            code.traverse(show);
            defaults.traverse(show);
            kwdefaults.traverse(show);
        }
    };
    Key: |it, show| {
        it.args.traverse(show);
        it.sources.traverse(show);
    };
    Arg: |it, show| match it {
        Self::Static(object) | Self::Function(object) => object.traverse(show),
        Self::Tuple(items) | Self::List(items) => items.traverse(show),
        Self::Named(class, items) => {
            class.traverse(show);
            items.traverse(show);
        }
        Self::Cell(arg) => arg.traverse(show),
        Self::Keywords(items) | Self::Names(items) => items.traverse(show),
        Self::Instance { class, attributes } => {
            class.traverse(show);
            attributes.traverse(show);
        }
        Self::Record { class, index: _ } => class.traverse(show),
        Self::Leaf { .. } | Self::Wide | Self::Items(_) | Self::Empty { .. } | Self::Same(_) => {}
    };
    Source: |it, show| match it {
        Self::Item { dict, key } => {
            dict.traverse(show);
            key.traverse(show);
        }
        Self::Cell(object) | Self::Members(object) => object.traverse(show),
        Self::Table(table) => table.object.traverse(show),
    };
    Template: |it, show| match it {
        Self::Static(object) => object.traverse(show),
        Self::Leaf { .. } | Self::Element { .. } | Self::Argument(_) | Self::Record { .. } | Self::Rows(_) => {}
        Self::Shared { id: _, make } => make.iter().for_each(|it| it.traverse(show)),
        Self::Tuple(items) | Self::List(items) | Self::Set(items) => items.traverse(show),
        Self::Dict(items) => items.traverse(show),
        // How they are made holds texts and builtin classes only.
        Self::Made { make: _, parts } => parts.traverse(show),
        // Guards hold the classes, too; all templates of a frame state share these.
        Self::Pooled(pooled) => pooled.parts.traverse(show),
        Self::Exception(exception) => exception.traverse(show),
        Self::Instance { class, attributes } => {
            class.traverse(show);
            attributes.traverse(show);
        }
        Self::Cell(value) => value.iter().for_each(|it| it.traverse(show)),
        Self::Function(function) => function.traverse(show),
        Self::Iterator(iterator) => iterator.traverse(show),
    };
    ExceptionTemplate: |it, show| {
        it.class.traverse(show);
        it.args.traverse(show);
        it.members.traverse(show);
        it.attributes.traverse(show);
        it.cause.traverse(show);
        it.context.traverse(show);
        let RaisedAt { one_of, further } = &it.raised_at;
        // The ways are the captured call's.
        one_of.iter().for_each(|(_, which)| which.traverse(show));
        further.traverse(show);
    };
    FunctionTemplate: |it, show| {
        it.code.traverse(show);
        it.globals.traverse(show);
        it.attributes.iter().for_each(|(_, value)| value.traverse(show));
    };
    IteratorTemplate: |it, show| match it {
        Self::Range(parts) => parts.iter().for_each(|it| it.traverse(show)),
        Self::Sequence { items, index, reversed: _ } => {
            items.traverse(show);
            index.traverse(show);
        }
        Self::Members { of, given: _ } => of.traverse(show),
        Self::Entries { container, view: _, map, numbers } => {
            container.traverse(show);
            map.traverse(show);
            numbers.iter().for_each(|it| it.traverse(show));
        }
        Self::Enumerate { inner, count } => {
            inner.traverse(show);
            count.traverse(show);
        }
        Self::Zip { inners, strict: _ } => inners.traverse(show),
        Self::Generator { function, args, more_args, kwargs, more_kwargs } => {
            function.traverse(show);
            args.traverse(show);
            more_args.traverse(show);
            kwargs.iter().for_each(|(_, value)| value.traverse(show));
            more_kwargs.traverse(show);
        }
        Self::Begun(frame) => frame.traverse(show),
    };
    Resume: |it, show| {
        it.frames.traverse(show);
        it.effects.traverse(show);
    };
    FrameTemplate: |it, show| {
        it.globals.traverse(show);
        it.builtins.traverse(show);
        it.closure.traverse(show);
        it.values.traverse(show);
        it.made.traverse(show);
    };
    Effect: |it, show| {
        it.target.traverse(show);
        it.contents.traverse(show);
    };
    ContentsTemplate: |it, show| match it {
        Self::List(items) | Self::Appended(items) | Self::Set(items) => items.traverse(show),
        Self::Dict(items) => items.traverse(show),
        Self::Cell(value) => value.traverse(show),
        Self::Item(key, value) => {
            key.traverse(show);
            value.traverse(show);
        }
    };
    ExitKind: |it, show| match it {
        Self::Return { result: object, effects } | Self::Raise { exception: object, effects } => {
            object.traverse(show);
            effects.traverse(show);
        }
        Self::Again { operation: Operation::Call(callable), operands, effects } => {
            callable.traverse(show);
            operands.traverse(show);
            effects.traverse(show);
        }
        Self::Resume(resume) | Self::Checkpoint(resume) | Self::Restart(resume) => traverse_own(resume, show),
        Self::Failure => {}
    };
    HostKind: |it, show| match it {
        Self::Call { callable, args, kwargs } => {
            callable.traverse(show);
            args.traverse(show);
            kwargs.iter().for_each(|(_, value)| value.traverse(show));
        }
        Self::Compute { callable, args, .. } => {
            callable.traverse(show);
            args.traverse(show);
        }
        Self::Cross(crossing) => {
            crossing.operands.traverse(show);
            crossing.method.traverse(show);
            crossing.operation.callable().into_iter().for_each(|it| it.traverse(show));
        }
        Self::Known(object) => object.traverse(show),
        Self::Note { effects } => effects.traverse(show),
        Self::Mark | Self::Stop | Self::Border | Self::Custom | Self::Tick | Self::Tensor | Self::Field | Self::Sort { .. } => {}
    };
}
