//! A call that comes back into compiled code, and what its frames hold.

use std::sync::{Arc, Weak};

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};
use snekpy_stage::types::Type;

use super::Reentry;
use crate::exit::{Filling, IteratorTemplate, Resume, Template};
use crate::host;
use crate::host::resume::{Asleep, Extent, Landing};
use crate::interrupt::poll;
use crate::object::look::has_nan;

/// What the frames of a re-entry hold.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// The variables and the entries of the stacks.
    pub(crate) objects: Vec<Option<PyObjectRef>>,
    /// Those that the call has got meanwhile, by position: must not be baked into code, which would keep them alive.
    pub(crate) new: Vec<usize>,
    /// Those that compiled code only handed on, by position.
    pub(crate) handles: Vec<usize>,
    /// What the other variables of the frames hold, which are dead.
    pub(crate) dead: Vec<Option<PyObjectRef>>,
}

impl Held {
    /// Holds what a template has made.
    pub(crate) fn push_made(&mut self, template: &Template, object: PyObjectRef) {
        if matches!(template, Template::Leaf { ty: Type::Object(_), .. }) {
            self.handles.push(self.objects.len());
        }
        self.push(object, !matches!(template, Template::Static(_) | Template::Argument(_)));
    }

    /// What templates of the re-entry are filled with: dead variables come last.
    pub(crate) fn locals(&self) -> Vec<Option<PyObjectRef>> {
        self.objects.iter().chain(&self.dead).cloned().collect()
    }

    /// Holds an object.
    pub(crate) fn push(&mut self, object: PyObjectRef, is_new: bool) {
        if is_new {
            self.new.push(self.objects.len());
        }
        self.objects.push(Some(object));
    }
}

/// A call that executes one instruction as plain Python, and comes back.
pub(crate) struct Stepping {
    frames: Vec<Landing>,
    asleep: Vec<Asleep>,
    /// The state that it has left in.
    resume: Weak<Resume>,
    held: Held,
    reentry: Arc<Reentry>,
    /// Whether the instruction takes a NaN, and a variable has one: code would forget which object it is.
    is_nan: bool,
}

/// What has become of it.
pub(crate) enum Stepped {
    /// It goes on here, with this in its frames.
    Back(Arc<Reentry>, Held),
    /// The call has gone on as plain Python and returned this.
    Returned(PyObjectRef),
}

impl Stepping {
    /// Runs the frames for one instruction. Nobody else holds what they hold.
    pub(crate) fn run(self, vm: &VirtualMachine) -> PyResult<Stepped> {
        let Self { frames, asleep, resume, mut held, reentry, is_nan } = self;
        host::resume::begin(asleep, vm)?;
        let (result, finished) = host::resume::run_once(frames, vm)?;
        if !finished {
            return Ok(Stepped::Returned(result));
        }
        if reentry.pushes {
            held.push(result, true);
        }
        if is_nan {
            return reentry.run_plainly(held, vm).map(Stepped::Returned);
        }
        resume.upgrade().inspect(|it| it.comes_back());
        Ok(Stepped::Back(reentry, held))
    }
}

/// A call that comes back at the very place where it has left, or behind a call of the host.
pub(crate) struct Back {
    asleep: Vec<Asleep>,
    resume: Arc<Resume>,
    /// What its frames hold.
    pub(crate) held: Held,
    /// Where it comes back.
    pub(crate) reentry: Arc<Reentry>,
}

impl Back {
    /// It comes back: generators that have not begun do.
    pub(crate) fn begin(self, vm: &VirtualMachine) -> PyResult<(Arc<Reentry>, Held)> {
        host::resume::begin(self.asleep, vm)?;
        self.resume.comes_back();
        Ok((self.reentry, self.held))
    }

    /// It does not come back: this is raised there.
    pub(crate) fn raise(self, exception: PyBaseExceptionRef, vm: &VirtualMachine) -> PyResult {
        host::resume::begin(self.asleep, vm)?;
        self.reentry.raise(self.held, exception, vm)
    }
}

impl Filling<'_> {
    /// Lets plain Python execute one instruction, and the call come back to `reentry`. What the program did before is done.
    pub(crate) fn step(&self, resume: &Arc<Resume>, reentry: Arc<Reentry>) -> PyResult<Stepping> {
        let (held, frames, takes_nan) = self.holding(resume, &reentry)?;
        let is_nan = takes_nan && held.objects.iter().flatten().any(|it| has_nan(it, self.vm));
        Ok(Stepping { frames, asleep: self.asleep.take(), resume: Arc::downgrade(resume), held, reentry, is_nan })
    }

    /// Lets the call come back to `reentry`, which is at the instruction that its frames are at. What the program did before
    /// is done.
    pub(crate) fn back(&self, resume: &Arc<Resume>, reentry: Arc<Reentry>) -> PyResult<Back> {
        let (held, ..) = self.holding(resume, &reentry)?;
        Ok(Back { asleep: self.asleep.take(), resume: resume.clone(), held, reentry })
    }

    fn holding(&self, resume: &Resume, reentry: &Reentry) -> PyResult<(Held, Vec<Landing>, bool)> {
        let mut held = Held::default();
        let mut takes_nan = false;
        let mut frames = Vec::with_capacity(resume.frames.len());
        let entries = reentry.entry.frames.iter().zip(&reentry.counts);
        for (frame, (entry, &count)) in resume.frames.iter().zip(entries) {
            frames.push(self.landing(frame, Extent::Once, |parts| {
                for (template, object) in frame.values.iter().flatten().zip(parts.iter().flatten()).take(count) {
                    match template {
                        Template::Iterator(_) => {
                            for part in values(template) {
                                held.push_made(part, self.make(part)?);
                            }
                        }
                        _ => held.push_made(template, object.clone()),
                    }
                }
                takes_nan |= parts.iter().flatten().skip(count).any(|it| has_nan(it, self.vm));
                Ok(())
            })?);
            for variable in &entry.dead {
                held.dead.push(self.dead(frame, variable.local)?);
            }
        }
        self.perform(&resume.effects)?;
        self.let_go(resume);
        poll::end();
        Ok((held, frames, takes_nan))
    }
}

/// The values that a re-entry is given for an entry of the stack, in its order.
fn values(template: &Template) -> Vec<&Template> {
    let Template::Iterator(iterator) = template else { return vec![template] };
    match &**iterator {
        IteratorTemplate::Range(parts) => parts.iter().collect(),
        IteratorTemplate::Sequence { items, index, .. } => vec![items, index],
        IteratorTemplate::Enumerate { inner, count } => values(inner).into_iter().chain([count]).collect(),
        IteratorTemplate::Zip { inners, .. } => inners.iter().flat_map(values).collect(),
        IteratorTemplate::Entries { .. }
        | IteratorTemplate::Members { .. }
        | IteratorTemplate::Generator { .. }
        | IteratorTemplate::Begun(_) => Vec::new(),
    }
}
