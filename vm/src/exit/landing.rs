//! From exits of kind `Resume` to frames that plain Python goes on with.

use std::sync::atomic::Ordering;

use rustpython_vm::{PyObjectRef, PyResult};

use super::{Filling, FrameTemplate, Resume, Stepped, Template};
use crate::host;
use crate::host::resume::{Extent, Landing, landing_code};
use crate::reentry::{self, Held, Reentry};

impl Filling<'_> {
    /// Goes on as plain Python.
    pub(crate) fn resume(&self, resume: &Resume) -> PyResult {
        host::resume::run(self.frames(resume)?, self.vm)
    }

    /// What plain Python goes on with, after what the program did before is done.
    pub(crate) fn frames(&self, resume: &Resume) -> PyResult<Vec<Landing>> {
        self.landings(resume, Extent::All, |_, _| Ok(()))
    }

    /// Lets plain Python execute one instruction. What the re-entry is given then; or, if the instruction has raised,
    /// what the call returns.
    pub(crate) fn step(&self, resume: &Resume, reentry: &Reentry) -> PyResult<Stepped> {
        let mut held = Held::default();
        let is_new = |it: &Template| !matches!(it, Template::Static(_) | Template::Argument(_));
        let mut counts = reentry.counts.iter();
        let frames = self.landings(resume, Extent::Once, |frame, parts| {
            let count = *counts.next().expect("a re-entry has as many frames");
            for (template, object) in frame.values.iter().flatten().zip(parts.iter().flatten()).take(count) {
                match template {
                    Template::Iterator(_) => {
                        for part in reentry::held(template) {
                            held.push(self.make(part)?, is_new(part));
                        }
                    }
                    _ => held.push(object.clone(), is_new(template)),
                }
            }
            Ok(())
        })?;
        let (result, finished) = host::resume::run_once(frames, self.vm)?;
        if !finished {
            return Ok(Stepped::Returned(result));
        }
        if reentry.pushes {
            held.push(result, true);
        }
        Ok(Stepped::Held(held))
    }

    /// The frames that plain Python goes on with, and what the program did before. `look` is told what each frame holds.
    fn landings(
        &self,
        resume: &Resume,
        extent: Extent,
        mut look: impl FnMut(&FrameTemplate, &[Vec<PyObjectRef>]) -> PyResult<()>,
    ) -> PyResult<Vec<Landing>> {
        let mut frames = Vec::with_capacity(resume.frames.len());
        for frame in &resume.frames {
            frames.push(self.landing(frame, extent, |parts| look(frame, parts))?);
        }
        self.apply(&resume.effects)?;
        resume.count.fetch_add(1, Ordering::Relaxed);
        // What the program drops from here on must go.
        self.shared.borrow_mut().clear();
        self.release();
        Ok(frames)
    }

    /// A frame that plain Python goes on with. `look` is told what it holds.
    pub(super) fn landing(
        &self,
        frame: &FrameTemplate,
        extent: Extent,
        look: impl FnOnce(&[Vec<PyObjectRef>]) -> PyResult<()>,
    ) -> PyResult<Landing> {
        let landing = match extent {
            Extent::All => &frame.landing,
            Extent::Once => &frame.landing_once,
        };
        let code = landing.get_or_init(|| landing_code(&frame.code, &frame.way, extent, self.vm)).clone();
        // In the order in which the templates were made: what occurs twice is in the first one.
        let made = frame.made.as_ref().map(|made| self.make(made)).transpose()?;
        let parts = frame.values.iter().map(|part| self.make_all(part)).collect::<PyResult<Vec<_>>>()?;
        look(&parts)?;
        let values = host::resume::values_of(parts, frame.way.locals.len(), self.vm);
        let closure = self.make_all(&frame.closure)?;
        Ok(Landing { code, globals: frame.globals.clone(), closure, values, made })
    }
}
