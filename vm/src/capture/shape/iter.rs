//! Iterators in the walk over a path.

use rustpython_vm::AsObject;

use super::{Changes, Sink, Token, Walk};
use crate::capture::value::{Iter, Step};

impl<'a> Walk<'a> {
    pub(super) fn iter(&mut self, iter: &mut Iter, changes: &mut Changes, sink: Sink<'_, 'a>) {
        match iter {
            Iter::Range { next, stop, step } => {
                let (known, positive) = match step {
                    Step::Static(step) => (Some(*step), *step > 0),
                    Step::Staged { positive, .. } => (None, *positive),
                };
                self.tokens.push(Token::IterRange(known, positive));
                *next = self.object(next, changes, sink);
                *stop = self.object(stop, changes, sink);
                if let Step::Staged { step, .. } = step {
                    *step = self.object(step, changes, sink);
                }
            }
            Iter::Seq { items, .. } | Iter::Items { list: items, reversed: false, .. }
                if self.found.is_some() && self.is_numbers(items) =>
            {
                self.tokens.push(Token::IterItems(false));
                *items = self.object(items, changes, sink);
            }
            Iter::Seq { items, index } => {
                self.tokens.push(Token::IterSeq(*index));
                *items = self.object(items, changes, sink);
            }
            Iter::Back { items, left } => {
                self.tokens.push(Token::IterBack(*left));
                *items = self.object(items, changes, sink);
            }
            Iter::Members { of, .. } | Iter::Entries { of, .. } if self.found.is_some() && self.is_number_map(of) => {
                self.tokens.push(Token::IterEntries);
                *of = self.object(of, changes, sink);
            }
            Iter::Entries { of, position, length, changes: times } => {
                self.tokens.push(Token::IterEntries);
                for part in [of, position, length, times] {
                    *part = self.object(part, changes, sink);
                }
            }
            Iter::Members { of, members, given, changes: times } => {
                self.tokens.push(Token::IterMembers(*given, *times));
                *of = self.object(of, changes, sink);
                members.iter().for_each(|item| self.key(item));
            }
            Iter::Array { array, index } => {
                self.tokens.push(Token::IterArray);
                *array = self.object(array, changes, sink);
                *index = self.object(index, changes, sink);
            }
            Iter::Items { list, index, reversed } => {
                self.tokens.push(Token::IterItems(*reversed));
                *list = self.object(list, changes, sink);
                *index = self.object(index, changes, sink);
            }
            Iter::Over { of, place } => {
                self.tokens.push(Token::IterOver);
                for part in std::iter::once(of).chain(place) {
                    *part = self.object(part, changes, sink);
                }
            }
            Iter::Enumerate { inner, count } => {
                self.tokens.push(Token::IterEnumerate);
                *count = self.object(count, changes, sink);
                self.iter(inner, changes, sink);
            }
            Iter::Zip { inners, strict } => {
                self.tokens.push(Token::IterZip(inners.len(), *strict));
                for inner in inners {
                    self.iter(inner, changes, sink);
                }
            }
            Iter::Shared(object) => {
                self.tokens.push(Token::IterShared);
                *object = self.object(object, changes, sink);
            }
            Iter::Empty(ended) => {
                let class = ended.as_ref().map(|it| it.class().get_id());
                self.tokens.push(Token::IterEmpty(class));
            }
            Iter::Running => self.tokens.push(Token::IterShared),
            Iter::Generator { frame, begun } => {
                self.tokens.push(Token::Generator(frame.code.object.get_id(), frame.pc, *begun));
                self.frame(None, frame, changes, sink);
            }
        }
    }
}
