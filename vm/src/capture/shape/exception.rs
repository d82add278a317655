//! The walk over exceptions that the program made.
//!
//! Where they were raised is a number, see [`trail`](crate::capture::trail), and so may their arguments be: paths that
//! meet in a handler are one path behind it. An exception whose numbers are others is another object there. One with a
//! dict stays what it is: its arguments are part of the shape.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{AsObject, PyObjectRef};

use super::{Changes, Sink, Token, Walk};
use crate::capture::heap::Contents;
use crate::capture::trail::{self, Trail};
use crate::capture::value::V;
use crate::contents::Relatives;
use crate::host;
use crate::scalar;

impl<'a> Walk<'a> {
    pub(super) fn exception(
        &mut self,
        object: &PyObjectRef,
        exception: &PyBaseExceptionRef,
        changes: &mut Changes,
        sink: Sink<'_, 'a>,
    ) -> PyObjectRef {
        if let Some(now) = self.visited(object) {
            return now;
        }
        let (vm, id) = (self.cx.vm, object.get_id());
        // Before what it leads to, which may lead to it.
        let position = self.values.len();
        self.values.insert(id, (position, object.clone()));
        let relatives = match self.cx.contents(object).as_deref() {
            Some(Contents::Exception(relatives)) => relatives.clone(),
            _ => Relatives::default(),
        };
        let Relatives { cause, context, suppresses } = relatives;
        self.tokens.push(Token::Exception(object.class().as_object().get_id(), suppresses));
        let known = self.cx.raised.get(&id).cloned();
        let way = known.map(|Trail { way, further }| {
            let sites = further.iter().map(|site| (site.code.as_object().get_id(), site.unit));
            self.tokens.push(Token::Raised(sites.collect()));
            let now = self.object(&way, changes, &mut *sink);
            let is_same = now.is(&way);
            (Trail { way: now, further }, is_same)
        });
        let args = exception.args();
        let members = host::carried::members(object, vm);
        let now = match object.dict() {
            Some(dict) => {
                for carried in args.iter().chain(members.iter().flat_map(|(descriptor, value)| [descriptor, value])) {
                    self.key(carried);
                }
                for relative in [&cause, &context] {
                    self.tokens.push(relative.as_ref().map_or(Token::Unbound, |it| Token::Same(it.get_id())));
                }
                self.mutable(&dict.into(), changes, sink);
                object.clone()
            }
            None => {
                self.tokens.push(Token::Tuple(args.len()));
                let new = self.objects(args.as_slice(), changes, &mut *sink);
                let mut is_same = super::unchanged(&new, args.as_slice());
                let members = members.into_iter().map(|(descriptor, value)| {
                    self.tokens.push(Token::Same(descriptor.get_id()));
                    let now = self.object(&value, changes, &mut *sink);
                    is_same &= now.is(&value);
                    (descriptor, now)
                });
                let members: Vec<_> = members.collect();
                let [cause, context] = [cause, context].map(|relative| {
                    let Some(relative) = relative else {
                        self.tokens.push(Token::Unbound);
                        return None;
                    };
                    let now = self.object(&relative, changes, &mut *sink);
                    is_same &= now.is(&relative);
                    Some(now)
                });
                match is_same {
                    true => object.clone(),
                    false => {
                        let class = object.class().to_owned();
                        let copy: PyObjectRef =
                            trail::exception(&class, new, members, &Relatives { cause, context, suppresses }, vm)
                                .into();
                        self.copies.push(copy.clone());
                        copy
                    }
                }
            }
        };
        if let Some((trail, is_same)) = way
            && !(is_same && now.is(object))
        {
            self.trails.push((now.get_id(), trail));
        }
        self.values.insert(id, (position, now.clone()));
        now
    }

    /// The instruction that a handler will say raised. Only plain Python asks for it.
    pub(super) fn raising_instruction(&mut self, entry: &V) {
        let V::Obj(object) = entry else { return self.tokens.push(Token::Null) };
        match scalar::constant(object, self.cx.vm) {
            Some(constant) if !self.cx.session.rules.detached => self.tokens.push(Token::Text(format!("{constant:?}"))),
            _ => self.tokens.push(Token::Null),
        }
    }
}
