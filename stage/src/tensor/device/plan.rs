//! Which operations that wait become one sweep.
//!
//! A product of matrices is an input, as if it were written already, and at most one is: what is computed with its elements is
//! its epilogue then. Its factors are begun first.
//!
//! Values on the way to what is wanted become members where they are used at the very positions, or rows, where they are
//! computed. Where an operand is another view of what waits, that is begun first; where a view has no steps that a sweep
//! could be told, it is copied first. Then one plans again.

use std::collections::HashMap;
use std::sync::Arc;

use super::Block;
use super::concat::MOST_PARTS;
use super::fold::one_step;
use super::later::{Due, Operand, Work, due_of, of_parts};
use super::run::Axes;
use super::sweep::{Access, Input, Job, Level, Member, Sweep, Value};
use crate::kernel::MAX_RANK;
use crate::tensor::shape::dense_steps;
use crate::tensor::{Dims, Steps, Tensor, TensorBuf};

/// An operand of an operation.
#[derive(Clone)]
pub(super) struct Place {
    due: Arc<Due>,
    at: usize,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.due, &other.due) && self.at == other.at
    }
}

impl Place {
    /// What it is. Nobody clones it while a plan is made: who holds what waits is counted.
    pub(super) fn tensor(&self) -> &Tensor {
        match &self.due.operands[self.at] {
            Operand::View(it) => it,
            Operand::Number(..) => unreachable!("places are of views"),
        }
    }

    /// The memory that it is a view of.
    pub(super) fn block(&self) -> &Block {
        self.tensor().buf().block().expect("what waits lies on a device")
    }
}

/// Why there is no plan yet.
pub(super) enum Stop {
    /// This has to be begun first.
    Begin(Place),
    /// This view has to be copied first.
    Copy(Place),
}

/// Where an input comes from.
pub(super) enum Source {
    /// The bits of an element.
    Number(u64),
    /// Memory, and the steps that are passed.
    View { place: Place, steps: Vec<i64> },
}

/// Where what is due goes.
#[derive(Default)]
pub(super) struct Target {
    pub(super) address: u64,
    /// Whether it may be the memory of an operand.
    pub(super) in_place: bool,
    /// If it is not dense. What leads to it does not wait then, and it has no more axes than kernels have.
    pub(super) steps: Option<Steps>,
}

/// A sweep, and what it is about.
pub(super) struct Plan {
    pub(super) sweep: Sweep,
    /// The extent of each axis.
    pub(super) dims: Vec<usize>,
    /// An input each.
    pub(super) sources: Vec<Source>,
    /// What is written besides what is wanted.
    pub(super) written: Vec<Place>,
    /// The steps of what is wanted, if it is not to be dense.
    pub(super) to_steps: Vec<i64>,
    /// The input that is a product which still waits.
    pub(super) product: Option<(u16, Place)>,
}

#[derive(Clone, Copy)]
enum Space {
    Flat,
    Rows { rows: usize, len: usize },
}

/// How the elements of an operand lie in the space.
enum Way {
    /// As the space is gone through: the operand is all of what waits, if it does.
    Same,
    /// The same for the positions of a row, and as rows are gone through.
    Row,
    /// By steps.
    Steps(Level, Access, Vec<i64>),
}

struct Maker<'a> {
    root: &'a Due,
    space: Space,
    copies: &'a [(Place, Tensor)],
    inputs: Vec<Input>,
    sources: Vec<Source>,
    /// Of a flat space: the steps of each input along the axes of what is wanted.
    flat: Vec<Steps>,
    members: Vec<Member>,
    /// What waits and is a member.
    known: HashMap<*const TensorBuf, Known>,
    /// The shape of what is planned, if that is stretched to the shape of what is wanted, and what is stretched.
    stretched: Option<(Dims, Place)>,
    /// The product that waits: which input it is, how often operands are it, and where.
    product: Option<(u16, usize, Place)>,
    /// The inputs of which a copy is of no use, and what is made of each, unless that is what is wanted: tables, and what is
    /// stretched.
    tables: Vec<(usize, Option<Place>)>,
    /// Whether products may wait.
    takes_product: bool,
}

/// What waits and is a member.
struct Known {
    member: u16,
    /// How often operands are it.
    uses: usize,
    place: Place,
    /// Whether it has fewer elements than there are positions, or rows, each of which computes its own.
    is_stretched: bool,
    /// Whether nothing else waits for it to be made.
    is_first: bool,
}

impl Plan {
    /// For what is due, and where it goes. Some views have been copied.
    pub(super) fn new(due: &Arc<Due>, copies: &[(Place, Tensor)], to: &Target) -> Result<Self, Stop> {
        let space = match Space::of(due) {
            // What is not dense is written position by position.
            Space::Rows { .. } if to.steps.is_some() => Space::Flat,
            Space::Rows { rows, len } if !has_tables_in_rows(due, level_in(due, rows, len), rows, len) => Space::Flat,
            space @ (Space::Rows { .. } | Space::Flat) => space,
        };
        let mut maker = Maker {
            root: due,
            space,
            copies,
            inputs: Vec::new(),
            sources: Vec::new(),
            flat: Vec::new(),
            members: Vec::new(),
            known: HashMap::new(),
            stretched: None,
            product: None,
            tables: Vec::new(),
            takes_product: !to.in_place && to.steps.is_none(),
        };
        let level = match space {
            Space::Rows { rows, len } => level_in(due, rows, len),
            Space::Flat => Level::Each,
        };
        let root = maker.member(due, level, None)?;
        let mut outputs = vec![root];
        let mut written = Vec::new();
        let mut others: Vec<_> = maker.known.drain().map(|it| it.1).collect();
        others.sort_by_key(|it| it.member);
        for Known { member, uses, place, is_stretched, is_first } in others {
            if Arc::strong_count(place.tensor().buf()) > uses {
                // It is computed once more by whoever has it, unless that is more each time.
                match (is_stretched, is_first) {
                    (true, true) => continue,
                    (true, false) => return Err(Stop::Begin(place)),
                    (false, _) => {}
                }
                outputs.push(member);
                written.push(place);
            }
        }
        if to.steps.is_some()
            && let Some(place) = written.pop()
        {
            return Err(Stop::Begin(place));
        }
        let Maker { mut inputs, mut sources, flat, mut members, product, tables, .. } = maker;
        let product = match product {
            None => None,
            Some((_, _, place)) if !members.iter().all(|it| goes_on_with_elements(it.job)) => {
                return Err(Stop::Begin(place));
            }
            Some((input, uses, place)) => {
                if Arc::strong_count(place.tensor().buf()) > uses {
                    let dtype = place.tensor().dtype();
                    members.push(Member { job: Job::Copy, dtype, level: Level::Each, args: vec![Value::Input(input)] });
                    outputs.push(members.len() as u16 - 1);
                    written.push(place.clone());
                }
                Some((input, place))
            }
        };
        let mut to_steps = Vec::new();
        let (rank, len, dims) = match space {
            Space::Rows { rows, len } => (2, Some(len), vec![rows, len]),
            Space::Flat => {
                let dense = dense_steps(&due.dims);
                let own = to.steps.as_ref().unwrap_or(&dense);
                let steps: Vec<&[isize]> = std::iter::once(own).chain(&flat).map(|it| &**it).collect();
                let axes = Axes::of(&due.dims, &steps);
                let rank = axes.dims.len();
                if rank > MAX_RANK {
                    let is_table = |at: usize| tables.iter().any(|it| it.0 == at);
                    let strided = |(at, (source, steps)): (usize, (&Source, &Steps))| match source {
                        Source::View { place, .. } if **steps != *dense && !is_table(at) => {
                            Some(Stop::Copy(place.clone()))
                        }
                        Source::View { .. } | Source::Number(_) => None,
                    };
                    let copied = sources.iter().zip(&flat).enumerate().find_map(strided);
                    let begun = || tables.into_iter().find_map(|it| it.1).map(Stop::Begin);
                    return Err(copied.or_else(begun).expect("dense ones are of one axis, and tables of few"));
                }
                for ((input, source), steps) in inputs.iter_mut().zip(&mut sources).zip(&axes.steps[1..]) {
                    let Source::View { steps: passed, .. } = source else { continue };
                    *passed = steps.iter().map(|&it| it as i64).collect();
                    if passed.last() == Some(&1) {
                        passed.pop();
                        input.access = Access::Unit;
                    }
                }
                if to.steps.is_some() {
                    to_steps = axes.steps[0].iter().map(|&it| it as i64).collect();
                }
                (rank, None, axes.dims)
            }
        };
        if let Some((_, place)) = &product
            && rank > 1
            && dims[..] != place.tensor().dims()[..]
        {
            return Err(Stop::Begin(place.clone()));
        }
        let (in_place, strided) = (to.in_place, to.steps.is_some());
        let sweep = Sweep { rank, len, inputs, members, outputs, in_place, strided };
        Ok(Self { sweep, dims, sources, written, to_steps, product })
    }
}

/// Whether a job is one that an epilogue may have: it needs elements alone.
const fn goes_on_with_elements(job: Job) -> bool {
    !job.folds() && !job.needs_position()
}

/// What the root of a sweep over rows belongs to.
fn level_in(root: &Due, rows: usize, len: usize) -> Level {
    if root.work.folds() || count(root) != rows * len { Level::Row } else { Level::Each }
}

/// Whether the tables of an operation can be read row by row.
fn has_tables_in_rows(due: &Due, level: Level, rows: usize, len: usize) -> bool {
    tables(due).all(|it| way_in_rows(it, level, rows, len).is_some())
}

/// The tables of an operation.
fn tables(due: &Due) -> impl Iterator<Item = &Tensor> {
    due.operands.iter().enumerate().filter_map(|(at, it)| match it {
        Operand::View(it) if due.work.has_table(at) => Some(it),
        Operand::View(_) | Operand::Number(..) => None,
    })
}

fn count(due: &Due) -> usize {
    due.dims.iter().product()
}

impl Space {
    /// Rows, if something is folded on the way whose rows fit; else flat.
    fn of(root: &Arc<Due>) -> Self {
        let mut seen = Vec::new();
        Self::found(root, count(root), &mut seen).unwrap_or(Self::Flat)
    }

    fn found(due: &Arc<Due>, wanted: usize, seen: &mut Vec<*const Due>) -> Option<Self> {
        if seen.contains(&Arc::as_ptr(due)) || due.work == Work::Product {
            return None;
        }
        seen.push(Arc::as_ptr(due));
        let views = || due.operands.iter().filter_map(|it| if let Operand::View(it) = it { Some(it) } else { None });
        if due.work.folds() {
            let rows = count(due);
            let len = views().next().map_or(0, Tensor::count) / rows;
            if wanted == rows || wanted == rows * len {
                return Some(Self::Rows { rows, len });
            }
        }
        let on_the_way = due.operands.iter().enumerate().filter_map(|(at, it)| match it {
            Operand::View(it) if !due.work.has_table(at) => due_of(it),
            Operand::View(_) | Operand::Number(..) => None,
        });
        on_the_way.into_iter().find_map(|it| Self::found(&it, wanted, seen))
    }
}

impl Maker<'_> {
    /// An operation as a member. Where it is, unless it is what is wanted.
    fn member(&mut self, due: &Arc<Due>, level: Level, place: Option<&Place>) -> Result<u16, Stop> {
        let Work::Job(job) = due.work else { unreachable!("a product is an input") };
        let of_args = if job.folds() { Level::Each } else { level };
        let args = (0..due.operands.len()).map(|at| self.operand(due, at, of_args)).collect::<Result<Vec<_>, _>>()?;
        for (at, arg) in args.iter().enumerate() {
            if let (true, Value::Input(input)) = (job.has_table(at), arg) {
                self.tables.push((usize::from(*input), place.cloned()));
            }
        }
        self.members.push(Member { job, dtype: due.dtype, level, args });
        Ok(self.members.len() as u16 - 1)
    }

    fn operand(&mut self, due: &Arc<Due>, at: usize, level: Level) -> Result<Value, Stop> {
        let Operand::View(view) = &due.operands[at] else {
            let Operand::Number(dtype, bits) = due.operands[at] else { unreachable!("it is one or the other") };
            let input = Input { dtype, level: Level::Row, access: Access::Number };
            return Ok(self.input(input, Source::Number(bits), Steps::repeat(0, self.root.dims.len())));
        };
        let place = Place { due: Arc::clone(due), at };
        let copy = self.copies.iter().find(|it| it.0 == place).map(|it| &it.1);
        let view = copy.unwrap_or(view);
        let way = match self.space {
            Space::Flat if self.stretched.is_some() => Some(Way::Steps(Level::Each, Access::Steps, Vec::new())),
            Space::Flat => self.way_flat(view),
            Space::Rows { rows, len } => way_in_rows(view, level, rows, len),
        };
        if let Some(waits) = due_of(view) {
            // A table is read from memory.
            return if due.work.has_table(at) { Err(Stop::Begin(place)) } else { self.waiting(&waits, place, way) };
        }
        let Some(way) = way else { return Err(Stop::Copy(place)) };
        let len = match self.space {
            Space::Rows { len, .. } => len as i64,
            Space::Flat => 0,
        };
        let (level, access, steps) = match way {
            Way::Steps(level, access, steps) => (level, access, steps),
            Way::Same => (Level::Each, Access::Unit, vec![len]),
            Way::Row => (Level::Row, Access::Steps, vec![1]),
        };
        let flat = match self.space {
            Space::Flat if self.stretched.is_some() => stretched(view, &self.root.dims),
            Space::Flat if !view.is_dense() => view.steps().clone(),
            Space::Flat | Space::Rows { .. } => dense_steps(&self.root.dims),
        };
        let input = Input { dtype: view.dtype(), level, access };
        let value = self.input(input, Source::View { place, steps }, flat);
        if let (Some((_, place)), Value::Input(at)) = (&self.stretched, value) {
            self.tables.push((usize::from(at), Some(place.clone())));
        }
        Ok(value)
    }

    /// What waits, as a member if it can be.
    fn waiting(&mut self, waits: &Arc<Due>, place: Place, way: Option<Way>) -> Result<Value, Stop> {
        let view = place.tensor();
        let whole = view.start() == 0 && view.buf().bytes() == count(waits) * waits.dtype.size();
        if waits.work == Work::Product {
            return match (way, self.space) {
                (Some(Way::Same), Space::Flat) if whole && count(waits) == view.count() && self.takes_product => {
                    self.product(waits, place)
                }
                _ => Err(Stop::Begin(place)),
            };
        }
        let folds = waits.work.folds();
        let is_stretched = whole && self.is_stretched(waits, view, way.as_ref());
        let level = match (way, self.space) {
            (_, Space::Flat) if is_stretched => Level::Each,
            (_, Space::Rows { .. }) if is_stretched => Level::Row,
            (Some(Way::Same), Space::Flat) if whole && !folds && count(waits) == view.count() => Level::Each,
            (Some(Way::Same), Space::Rows { rows, len }) if whole && !folds && count(waits) == rows * len => {
                Level::Each
            }
            (Some(Way::Row), Space::Rows { rows, len }) if whole && count(waits) == rows => {
                let folded = match &waits.operands[0] {
                    Operand::View(it) if folds => it.count(),
                    Operand::View(_) | Operand::Number(..) => rows * len,
                };
                if folded != rows * len {
                    return Err(Stop::Begin(place));
                }
                Level::Row
            }
            _ => return Err(Stop::Begin(place)),
        };
        let fits = match self.space {
            Space::Flat => tables(waits).all(|it| self.way_flat(it).is_some()),
            Space::Rows { rows, len } => has_tables_in_rows(waits, level, rows, len),
        };
        if !fits || tables(waits).count() > MOST_PARTS {
            return Err(Stop::Begin(place));
        }
        let buf = Arc::as_ptr(view.buf());
        if let Some(known) = self.known.get_mut(&buf) {
            known.uses += 1;
            return Ok(Value::Member(known.member));
        }
        let before = self.stretched.clone();
        if is_stretched {
            let outer = before.as_ref().map_or_else(|| place.clone(), |it| it.1.clone());
            self.stretched = Some((waits.dims.clone(), outer));
        }
        let member = self.member(waits, level, Some(&place));
        self.stretched = before;
        let (member, is_first) = (member?, waits.is_first());
        self.known.insert(buf, Known { member, uses: 1, place, is_stretched, is_first });
        Ok(Value::Member(member))
    }

    /// Whether what waits is computed by each position, or row, that a view of it is stretched to: one element, or what costs
    /// no more than to read it.
    fn is_stretched(&self, waits: &Due, view: &Tensor, way: Option<&Way>) -> bool {
        if !waits.is_simple() || self.stretched.is_none() && matches!(way, Some(Way::Same | Way::Row)) {
            return false;
        }
        match self.space {
            Space::Rows { .. } => count(waits) == 1,
            Space::Flat => {
                let dims = self.stretched.as_ref().map_or(&self.root.dims, |it| &it.0);
                // SAFETY: only its shape and steps are looked at.
                let dense = unsafe { view.with(0, waits.dims.clone(), dense_steps(&waits.dims)) };
                (count(waits) == 1 || waits.is_cheap())
                    && view.dims() == dims
                    && waits.dims.len() <= dims.len()
                    && *stretched(&dense, dims) == *stretched(view, dims)
            }
        }
    }

    /// A product that waits, as an input if it is the only one.
    fn product(&mut self, waits: &Arc<Due>, place: Place) -> Result<Value, Stop> {
        if let Some((input, uses, known)) = &mut self.product {
            if !Arc::ptr_eq(known.tensor().buf(), place.tensor().buf()) {
                return Err(Stop::Begin(place));
            }
            *uses += 1;
            return Ok(Value::Input(*input));
        }
        let operand = |due: &Arc<Due>, at| Place { due: Arc::clone(due), at };
        let joined = of_parts(waits, 0).and_then(|_| due_of(operand(waits, 0).tensor()));
        let factors = match &joined {
            // Between the parts it says where the second begins.
            Some(joined) => vec![operand(joined, 0), operand(joined, 2), operand(waits, 1)],
            None => vec![operand(waits, 0), operand(waits, 1)],
        };
        if let Some(factor) = factors.into_iter().find(|it| due_of(it.tensor()).is_some()) {
            return Err(Stop::Begin(factor));
        }
        let input = Input { dtype: waits.dtype, level: Level::Each, access: Access::Unit };
        let source = Source::View { place: place.clone(), steps: Vec::new() };
        self.inputs.push(input);
        self.sources.push(source);
        self.flat.push(dense_steps(&self.root.dims));
        let at = self.inputs.len() as u16 - 1;
        self.product = Some((at, 1, place));
        Ok(Value::Input(at))
    }

    /// An input, which may be there already.
    fn input(&mut self, input: Input, source: Source, flat: Steps) -> Value {
        let is_same = |other: &Source| match (&source, other) {
            (Source::Number(x), Source::Number(y)) => x == y,
            (Source::View { place: x, steps }, Source::View { place: y, steps: others }) => {
                // A table may begin where other memory lies.
                let is_same_memory = Arc::ptr_eq(x.tensor().buf(), y.tensor().buf());
                is_same_memory && x.tensor().is_same_view(y.tensor()) && steps == others
            }
            (Source::Number(_), Source::View { .. }) | (Source::View { .. }, Source::Number(_)) => false,
        };
        let known = (0..self.inputs.len())
            .find(|&at| self.inputs[at] == input && self.flat[at] == flat && is_same(&self.sources[at]));
        let at = known.unwrap_or_else(|| {
            self.inputs.push(input);
            self.sources.push(source);
            self.flat.push(flat);
            self.inputs.len() - 1
        });
        Value::Input(at as u16)
    }

    fn way_flat(&self, view: &Tensor) -> Option<Way> {
        match () {
            () if view.is_dense() => Some(Way::Same),
            () if view.dims() == &self.root.dims => Some(Way::Steps(Level::Each, Access::Steps, Vec::new())),
            () => None,
        }
    }
}

/// The steps of a view that is stretched to a shape: none along axes that it has not, or of which it has one position.
fn stretched(view: &Tensor, dims: &[usize]) -> Steps {
    let new = dims.len() - view.rank();
    let mut steps = Steps::repeat(0, dims.len());
    for (axis, (&size, &step)) in view.dims().iter().zip(view.steps().iter()).enumerate() {
        if size != 1 {
            steps[new + axis] = step;
        }
    }
    steps
}

/// How the elements of a view lie in rows.
fn way_in_rows(view: &Tensor, level: Level, rows: usize, len: usize) -> Option<Way> {
    if level == Level::Row {
        let step = one_step(view, 0, view.rank())?;
        let is_row = rows == 1 || step == 1;
        return Some(if is_row { Way::Row } else { Way::Steps(Level::Row, Access::Steps, vec![step as i64]) });
    }
    if view.is_dense() {
        return Some(Way::Same);
    }
    let is_split = |at: &usize| view.dims()[..*at].iter().product::<usize>() == rows;
    let split = (0..=view.rank()).find(is_split).filter(|_| view.count() == rows * len)?;
    let (row_step, step) = (one_step(view, 0, split)?, one_step(view, split, view.rank())?);
    let (far, near) = (row_step as i64, step as i64);
    Some(match (rows == 1 || row_step == 1, len > 1 && step == 0) {
        (true, true) => Way::Row,
        (false, true) => Way::Steps(Level::Row, Access::Steps, vec![far]),
        (_, false) if near == 1 || len == 1 => Way::Steps(Level::Each, Access::Unit, vec![far]),
        (_, false) => Way::Steps(Level::Each, Access::Steps, vec![far, near]),
    })
}
