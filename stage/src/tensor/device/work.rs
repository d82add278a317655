//! Work of a device as data: what is begun ([`Step`]), on which memory, and which tensors it gives.

use std::sync::{Arc, OnceLock};

use super::moving::{Number, Place};
use super::step::Step;
use super::together::Joins;
use super::{Block, Device, gather};
use crate::tensor::error::Result;
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dims, Dtype, Steps, Tensor};

/// Bytes of the largest element.
pub(super) const ONE: usize = 8;

/// What is begun, and with what.
pub(super) struct Work {
    pub(super) device: Arc<dyn Device>,
    pub(super) steps: Vec<Step>,
    /// Which of the steps become one.
    pub(super) joins: Joins,
    /// Where numbers go that it is given; nothing as long as it is begun again with those of its recording alone.
    pub(super) places_of_numbers: OnceLock<Vec<Place>>,
    pub(super) passed: Passed,
    /// The memory of results when notes were taken.
    pub(super) results: Vec<Region>,
    pub(super) gives: Vec<(Memory, View)>,
    /// The memory that is used on the way.
    pub(super) way: Vec<Region>,
    /// What positions among the inputs must lie between.
    pub(super) ranges: Vec<(usize, View, (i64, i64))>,
}

impl Work {
    /// Whether inputs lie as those that notes were taken of.
    pub(super) fn fits(&self, inputs: &[&Tensor]) -> bool {
        self.passed.is_like(&Passed::of(inputs))
    }

    /// Bytes of the memory of each result, and of what is used on the way.
    pub(super) fn sizes(&self) -> (Vec<usize>, Vec<usize>) {
        let bytes = |regions: &[Region]| regions.iter().map(|it| it.bytes).collect();
        (bytes(&self.results), bytes(&self.way))
    }

    /// Bytes of what it gives.
    pub(super) fn gives_bytes(&self) -> usize {
        self.results.iter().map(|it| it.bytes).sum()
    }

    /// Whether it gives a single element.
    pub(super) fn gives_one(&self) -> bool {
        self.results.iter().any(|it| it.bytes <= ONE)
    }

    /// How many steps it has, each as one.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Notes that it is begun so many times.
    pub(super) fn begin(&self, times: usize) {
        self.joins.begin(&self.device, times);
    }

    /// How many kernels have become one of one block, and how many such there are.
    pub(super) fn joined(&self) -> (usize, usize) {
        self.joins.counts()
    }

    /// The inputs whose positions must lie between something.
    pub(super) fn ranged(&self) -> impl Iterator<Item = usize> {
        self.ranges.iter().map(|it| it.0)
    }

    /// Whether each result is all of some memory of its own, or a view of an input.
    pub(super) fn gives_whole(&self) -> bool {
        let mut seen = vec![false; self.results.len()];
        self.gives.iter().all(|(memory, view)| match memory {
            Memory::Passed(_) => true,
            Memory::Made(at) => {
                let bytes = view.dims.iter().product::<usize>() * view.dtype.size();
                let is_dense = view.start == 0 && view.steps == dense_steps(&view.dims);
                !std::mem::replace(&mut seen[*at], true) && is_dense && bytes == self.results[*at].bytes
            }
        })
    }

    /// Of what it gives, the views of inputs that fit.
    pub(super) fn passed_on(&self, inputs: &[&Tensor]) -> Vec<Option<Tensor>> {
        let further = self.further(inputs);
        let passed = |(of, view): &(Memory, View)| match of {
            // SAFETY: what is a view of an input stays inside that, and inputs lie as they did.
            Memory::Passed(at) => Some(unsafe { view.on(inputs[*at], further[*at]) }),
            Memory::Made(_) => None,
        };
        self.gives.iter().map(passed).collect()
    }

    /// Whether positions among inputs that fit lie between what they lay between.
    pub(super) fn has_ranges(&self, inputs: &[&Tensor]) -> Result<bool> {
        let further = self.further(inputs);
        for (at, view, found) in &self.ranges {
            // SAFETY: what is a view of an input stays inside that, and inputs lie as they did.
            if gather::range(&unsafe { view.on(inputs[*at], further[*at]) })? != *found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn further(&self, inputs: &[&Tensor]) -> Vec<isize> {
        Passed::of(inputs).further(&self.passed)
    }

    /// Where the memory of inputs that fit, and of results, would begin if all lay there as it did.
    pub(super) fn places(&self, inputs: &[&Tensor], results: &[Tensor]) -> Vec<u64> {
        let further = self.further(inputs).into_iter().chain(std::iter::repeat(0));
        let places = inputs.iter().copied().chain(results).filter_map(place_of);
        places.zip(further).map(|(place, far)| place.wrapping_add_signed(far as i64)).collect()
    }

    /// The steps, each as one, where inputs and results are now, with these numbers, and with what is used on the way somewhere
    /// else, if that is said.
    pub(super) fn each_step_at(&self, places: &[u64], way: &[u64], numbers: &[Number]) -> Vec<Step> {
        let before = self.passed.regions.iter().chain(&self.results);
        let before = before.zip(places).chain(self.way.iter().zip(way));
        let moved = |address: u64| match before.clone().find(|it| it.0.holds(address)) {
            Some((region, place)) => place.wrapping_add(address - region.place),
            None => address,
        };
        let mut steps: Vec<Step> = self.steps.iter().map(|it| it.moved(moved)).collect();
        for place in self.places_of_numbers.get().into_iter().flatten() {
            let mut word = 0;
            steps[place.step].each_number(|_, bits| {
                if word == place.word {
                    *bits = numbers[place.number].element();
                }
                word += 1;
            });
        }
        steps
    }

    /// What it gives of inputs that fit, with results in that memory.
    pub(super) fn given(&self, inputs: &[&Tensor], results: &[Tensor]) -> Vec<Tensor> {
        let passed = self.passed_on(inputs).into_iter();
        let given = |(passed, (of, view)): (Option<Tensor>, &(Memory, View))| match of {
            // SAFETY: it was inside memory of as many bytes.
            Memory::Made(at) => unsafe { view.on(&results[*at], 0) },
            Memory::Passed(_) => passed.expect("it is a view of an input"),
        };
        passed.zip(&self.gives).map(given).collect()
    }
}

/// Begins steps that the device has begun before.
pub(super) fn begin_all(device: &Arc<dyn Device>, steps: &[Step]) -> Result<()> {
    steps.iter().try_for_each(|it| it.begin(device).expect("the device has begun it before"))
}

/// Some memory.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Region {
    pub(super) place: u64,
    pub(super) bytes: usize,
}

impl Region {
    pub(super) fn holds(&self, address: u64) -> bool {
        (self.place..self.place + self.bytes.max(1) as u64).contains(&address)
    }
}

/// How inputs lie. Where in some memory the first of them begins makes no difference: the others lie as far from it.
pub(super) struct Passed {
    /// The first input with the memory of each, and the view of it.
    views: Vec<(usize, View)>,
    /// The memory of each.
    pub(super) regions: Vec<Region>,
}

impl Passed {
    pub(super) fn of(inputs: &[&Tensor]) -> Self {
        let region = |it: &&Tensor| Region { place: place_of(it).unwrap_or_default(), bytes: it.buf().bytes() };
        let regions: Vec<Region> = inputs.iter().map(region).collect();
        let first = |region: &Region| regions.iter().position(|it| it == region).expect("it is one of them");
        let views = inputs.iter().zip(&regions).map(|(it, region)| (first(region), View::of(it))).collect();
        Self { views, regions }
    }

    pub(super) fn holds(&self, address: u64) -> bool {
        self.regions.iter().any(|it| it.holds(address))
    }

    /// How far an input is from the beginning of its memory.
    pub(super) fn offset(&self, at: usize) -> isize {
        self.views[self.views[at].0].1.offset()
    }

    /// Whether other inputs lie in the same way.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let bytes = |it: &Self| it.regions.iter().map(|it| it.bytes).collect::<Vec<_>>();
        let is_like = |at: usize| {
            let ((first, view), (other_first, other_view)) = (&self.views[at], &other.views[at]);
            let far = |it: &Self, view: &View| view.offset() - it.offset(at);
            first == other_first
                && (view.dtype, &view.dims, &view.steps) == (other_view.dtype, &other_view.dims, &other_view.steps)
                && far(self, view) == far(other, other_view)
        };
        self.views.len() == other.views.len() && (0..self.views.len()).all(is_like) && bytes(self) == bytes(other)
    }

    /// How many bytes further on each input is in its memory than another one that lies in the same way.
    pub(super) fn further(&self, other: &Self) -> Vec<isize> {
        (0..self.views.len()).map(|at| self.offset(at) - other.offset(at)).collect()
    }
}

/// Where a result lies.
pub(super) enum Memory {
    /// In that of an input.
    Passed(usize),
    /// In what is made for results.
    Made(usize),
}

/// How a tensor lies in its memory.
#[derive(Clone, PartialEq)]
pub(super) struct View {
    pub(super) dtype: Dtype,
    pub(super) start: isize,
    pub(super) dims: Dims,
    pub(super) steps: Steps,
}

impl View {
    pub(super) fn of(x: &Tensor) -> Self {
        Self { dtype: x.dtype(), start: x.start(), dims: x.dims().clone(), steps: x.steps().clone() }
    }

    /// The same view of other memory, where all is so many bytes further on.
    ///
    /// # Safety
    /// It is inside that memory.
    pub(super) unsafe fn on(&self, memory: &Tensor, further: isize) -> Tensor {
        let (buf, start) = (Arc::clone(memory.buf()), self.start + further / self.dtype.size() as isize);
        // SAFETY: the caller says so.
        unsafe { Tensor::view(buf, self.dtype, start, self.dims.clone(), self.steps.clone()) }
    }

    /// How many bytes the first element is from the beginning of the memory.
    pub(super) fn offset(&self) -> isize {
        self.start * self.dtype.size() as isize
    }
}

pub(super) fn place_of(x: &Tensor) -> Option<u64> {
    x.buf().block().map(Block::place)
}
