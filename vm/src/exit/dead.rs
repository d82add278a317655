//! What dead variables of a frame that plain Python goes on with hold: see [`crate::capture::dead`].

use std::sync::{Arc, OnceLock};

use rustpython_vm::{PyObjectRef, PyResult};
use snekpy_stage::entity::HostId;
use snekpy_stage::types::Type;

use super::{Filling, FrameTemplate, Template};
use crate::flatten::Root;
use crate::host::resume::Way;
use crate::scalar::scalar_bits;

/// Where what a variable holds may have come from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Origin {
    /// It is what this function of the host, as it was captured, gave last.
    Place(HostId),
    /// It was passed.
    Argument(Root),
}

/// All origins of what a variable may hold, once the capture has ended.
pub(crate) type Origins = OnceLock<Vec<Origin>>;

/// A variable that the program does not look at again.
#[derive(Clone, Debug)]
pub(crate) struct DeadVariable {
    /// The variable.
    pub(crate) local: usize,
    /// Where what it holds may have come from.
    pub(crate) origins: Arc<Origins>,
    /// The row of a pool that it may be; -1 is none.
    pub(crate) row: Option<Template>,
}

impl DeadVariable {
    /// What is passed at this position.
    pub(crate) fn behind(local: usize, position: usize) -> Self {
        let origins = Origins::from(vec![Origin::Argument(Root { local: position, path: Vec::new() })]);
        Self { local, origins: Arc::new(origins), row: None }
    }
}

impl FrameTemplate {
    /// The way of the frame to its end, with its dead variables.
    pub(super) fn whole_way(&self) -> Way {
        let mut way = self.way.clone();
        way.locals.extend(self.dead.iter().map(|it| it.local));
        way
    }

    /// How many variables that way binds.
    pub(super) fn variables(&self) -> usize {
        self.way.locals.len() + self.dead.len()
    }

    /// The variables that are not among those of the frame's way and that nobody looks at again: others are unbound.
    pub(crate) fn other_variables(&self) -> impl Iterator<Item = usize> {
        let is_dead = |local: usize| !self.code.live_in(self.way.pc, local);
        (0..self.code.local_count()).filter(move |it| is_dead(*it) && !self.way.locals.contains(it))
    }
}

impl Filling<'_> {
    /// What this variable of a frame holds, if it is a dead one that holds an object.
    pub(crate) fn dead(&self, frame: &FrameTemplate, local: usize) -> PyResult<Option<PyObjectRef>> {
        let Some(variable) = frame.dead.iter().find(|it| it.local == local) else { return Ok(None) };
        if let Some(Template::Pooled(pooled)) = &variable.row
            && let Some(part) = pooled.parts.first()
            && let Some(row) = scalar_bits(&*self.make(part)?, Type::I64, self.vm).filter(|it| it.cast_signed() >= 0)
        {
            return self.of_pools(pooled.may, &[row], &pooled.pools).map(Some);
        }
        let origins = || variable.origins.get().into_iter().flatten();
        let places = origins().filter_map(|it| match it {
            Origin::Place(place) => self.objects?.latest(self.places.iter().position(|it| it.as_ref() == Some(place))?),
            Origin::Argument(_) => None,
        });
        let mut held: Vec<PyObjectRef> = places.collect();
        if held.is_empty() {
            for origin in origins() {
                if let Origin::Argument(root) = origin
                    && self.locals.get(root.local).is_some_and(Option::is_some)
                {
                    held.push(self.argument(root)?);
                }
            }
        }
        // Which of several it is nobody knows: it holds them all.
        Ok(if held.len() > 1 { Some(self.vm.ctx.new_tuple(held).into()) } else { held.pop() })
    }

    /// What the dead variables of a frame hold, in their order.
    pub(super) fn all_dead(&self, frame: &FrameTemplate) -> PyResult<Vec<PyObjectRef>> {
        let held = |local| Ok(self.dead(frame, local)?.unwrap_or_else(|| self.vm.ctx.none()));
        frame.dead.iter().map(|it| held(it.local)).collect()
    }
}
