//! `functools`, `itertools` and `heapq`: functions that call functions, iterators over iterators and heaps, written in
//! Python.

use rustpython_vm::PyObjectRef;
use rustpython_vm::builtins::{PyList, PyTuple};
use rustpython_vm::function::{FuncArgs, KwArgs};
use snekpy_stage::op::{Cmp, Const};
use snekpy_stage::types::Type;

use crate::capture::heap::{self, Contents};
use crate::capture::helpers::Helped;
use crate::capture::session::Session;
use crate::capture::state::State;
use crate::capture::stop::Step;
use crate::capture::value::Num;
use crate::capture::values::{Abstract, classify};
use crate::host::native::NativeCallable;

/// What the names of the helpers for iterators of `itertools` begin with.
pub(crate) const ITERTOOLS: &str = "itertools_";

/// What the names of those begin with that make tuples of what they are given first.
const POOLED: &str = "pooled_";

/// Tuples of `product` and its like that are made by loops have so many items at most.
const MOST_POOLS: usize = 4;

/// What the names of the helpers for functions of `heapq` begin with.
const HEAPQ: &str = "heapq_";

/// What the names of the helpers for functions of `operator` begin with.
const OPERATOR: &str = "operator_";

impl Session<'_> {
    /// What is called instead of a function of `functools`, `operator`, `heapq` or `itertools`, with its arguments.
    pub(crate) fn library_helper(
        &mut self,
        state: &mut State,
        native: &NativeCallable,
        args: &FuncArgs,
    ) -> Step<Option<Helped>> {
        if let Some(call) = self.new_deque(state, native, args)? {
            return Ok(Some(call));
        }
        let name = match native {
            NativeCallable::Function { module: "_functools", name } if name == "reduce" => name.clone(),
            NativeCallable::Function { module: "_operator", name } => format!("{OPERATOR}{name}"),
            NativeCallable::Function { module: "_heapq", name } => format!("{HEAPQ}{name}"),
            NativeCallable::Type(class) => {
                let name = class.name().to_string();
                let module = class.__module__(self.vm)?.str(self.vm)?.to_string_lossy().into_owned();
                match module.as_str() {
                    "itertools" => format!("{ITERTOOLS}{name}"),
                    "functools" if name == "partial" => name,
                    _ => return Ok(None),
                }
            }
            NativeCallable::Function { .. } | NativeCallable::Method { .. } => return Ok(None),
        };
        let given = match (name.as_str(), args.args.as_slice()) {
            ("partial", [_, ..]) => args.clone(),
            (name, operands) if name.starts_with(OPERATOR) => {
                if !args.kwargs.is_empty() || !self.has_helper(name, operands.len())? {
                    return Ok(None);
                }
                args.clone()
            }
            ("itertools_product", iterables) => {
                let Some(repeat) = self.repeat_of(args)? else { return Ok(None) };
                if !(1..=MOST_POOLS).contains(&(repeat * iterables.len())) || !self.iterates(iterables)? {
                    return Ok(None);
                }
                let repeat: PyObjectRef = self.vm.ctx.new_int(repeat).into();
                let given: Vec<PyObjectRef> = std::iter::once(repeat).chain(iterables.iter().cloned()).collect();
                return Ok(Some((self.helper_function("pooled_product")?, given.into())));
            }
            _ if !args.kwargs.is_empty() && name != "itertools_accumulate" => return Ok(None),
            ("heapq_heappush" | "heapq_heapreplace" | "heapq_heappushpop", [heap, item])
                if self.is_heap(heap)? && self.is_ordered(item)? =>
            {
                args.clone()
            }
            ("heapq_heappop" | "heapq_heapify", [heap]) if self.is_heap(heap)? => args.clone(),
            (
                "itertools_combinations" | "itertools_combinations_with_replacement" | "itertools_permutations",
                [iterable, length],
            ) if self.is_few(length)? && self.iterates(std::slice::from_ref(iterable))? => {
                let helper = name.replace(ITERTOOLS, POOLED);
                return Ok(Some((self.helper_function(&helper)?, args.clone())));
            }
            ("reduce", [_, _] | [_, _, _]) | ("itertools_chain", _) => args.clone(),
            ("itertools_islice", [iterable, bounds @ ..]) => match self.islice_bounds(state, bounds)? {
                Some([start, stop, step]) if self.iterates(std::slice::from_ref(iterable))? => {
                    FuncArgs::from(vec![iterable.clone(), start, stop, step])
                }
                _ => return Ok(None),
            },
            ("itertools_count", numbers @ ([] | [_] | [_, _])) => {
                for number in numbers {
                    if self.number(number)?.is_none() {
                        return Ok(None);
                    }
                }
                args.clone()
            }
            ("itertools_repeat", [_, times]) if self.is_int(times)? => args.clone(),
            (
                "itertools_takewhile" | "itertools_dropwhile" | "itertools_filterfalse" | "itertools_starmap",
                [_, iterable],
            ) if self.iterates(std::slice::from_ref(iterable))? => args.clone(),
            ("itertools_pairwise", [_]) | ("itertools_compress", [_, _]) if self.iterates(&args.args)? => args.clone(),
            ("itertools_accumulate", [iterable] | [iterable, _])
                if self.iterates(std::slice::from_ref(iterable))?
                    && args.kwargs.keys().all(|it| it.to_string_lossy() == "initial") =>
            {
                args.clone()
            }
            _ => return Ok(None),
        };
        Ok(Some((self.helper_function(&name)?, given)))
    }

    /// Whether this is a list of numbers, or of tuples of them, that the call has made or that is copied.
    fn is_heap(&mut self, heap: &PyObjectRef) -> Step<bool> {
        if heap.downcast_ref_if_exact::<PyList>(self.vm).is_none() {
            return Ok(false);
        }
        if let Abstract::Items(_) = classify(heap, self.vm) {
            return Ok(true);
        }
        match heap::read(heap, self.vm) {
            Some(Contents::List(items)) => self.are_ordered(&items),
            _ => Ok(false),
        }
    }

    /// Whether this is a number, or a tuple of such.
    fn is_ordered(&mut self, item: &PyObjectRef) -> Step<bool> {
        match item.downcast_ref_if_exact::<PyTuple>(self.vm) {
            Some(tuple) => self.are_ordered(tuple.as_slice()),
            None => Ok(self.number(item)?.is_some()),
        }
    }

    fn are_ordered(&mut self, items: &[PyObjectRef]) -> Step<bool> {
        for item in items {
            if !self.is_ordered(item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How often `product` repeats its operands, if that is known.
    fn repeat_of(&mut self, args: &FuncArgs) -> Step<Option<usize>> {
        let known = |number: Option<Num>| match number {
            Some(Num::Static(Const::I64(it))) => usize::try_from(it).ok().filter(|it| *it <= MOST_POOLS),
            _ => None,
        };
        Ok(match args.kwargs.get("repeat") {
            None if args.kwargs.is_empty() => Some(1),
            Some(repeat) if args.kwargs.len() == 1 => known(self.number(repeat)?),
            _ => None,
        })
    }

    /// Whether this is known to be the length of short tuples.
    fn is_few(&mut self, length: &PyObjectRef) -> Step<bool> {
        let number = self.number(length)?;
        Ok(matches!(number, Some(Num::Static(Const::I64(it))) if (1..=MOST_POOLS as i64).contains(&it)))
    }

    /// `operator.index` of an integer is that integer.
    pub(crate) fn index_of_int(&self, native: &NativeCallable, args: &FuncArgs) -> Step<Option<PyObjectRef>> {
        let [number] = args.args.as_slice() else { return Ok(None) };
        let staged = matches!(self.number(number)?, Some(Num::Staged(_, Type::I64)));
        if !staged || !args.kwargs.is_empty() {
            return Ok(None);
        }
        let is_index = matches!(native, NativeCallable::Function { module: "_operator", name } if name == "index");
        Ok(is_index.then(|| number.clone()))
    }

    /// Start, stop and step of `islice`; `None` where it would raise. A staged bound below zero lets the call start
    /// over.
    fn islice_bounds(&mut self, state: &mut State, bounds: &[PyObjectRef]) -> Step<Option<[PyObjectRef; 3]>> {
        let vm = self.vm;
        let int = |number: i32| -> PyObjectRef { vm.ctx.new_int(number).into() };
        let (start, stop, step) = match bounds {
            [stop] => (int(0), stop.clone(), int(1)),
            [start, stop] => (start.clone(), stop.clone(), int(1)),
            [start, stop, step] => (start.clone(), stop.clone(), step.clone()),
            _ => return Ok(None),
        };
        let start = if vm.is_none(&start) { int(0) } else { start };
        let step = if vm.is_none(&step) { int(1) } else { step };
        for (bound, least) in [(&start, 0), (&stop, 0), (&step, 1)] {
            if vm.is_none(bound) {
                continue;
            }
            match self.number(bound)? {
                Some(num @ Num::Staged(..)) if self.is_int(bound)? => {
                    let (bound, least) = (self.as_int(state, num), self.int(state, least));
                    let below = self.cmp(state, Cmp::Lt, bound, least);
                    self.restart_if(state, below)?;
                }
                Some(Num::Static(Const::I64(it))) if it >= least => {}
                _ => return Ok(None),
            }
        }
        Ok(Some([start, stop, step]))
    }

    /// The callable that a generator of a helper stands for, and the arguments that it takes by name.
    pub(crate) fn stood_for(&self, helper: &str, args: &mut Vec<PyObjectRef>) -> Step<(PyObjectRef, KwArgs)> {
        let vm = self.vm;
        let Some(name) = helper.strip_prefix(ITERTOOLS) else {
            let name = helper.trim_end_matches("_generators").trim_end_matches("_generator");
            return Ok((crate::config::builtin(name, vm)?, KwArgs::default()));
        };
        let initial = (name == "accumulate").then(|| args.pop()).flatten();
        let named = initial.map(|it| ("initial".to_owned(), it));
        let found = vm.import("itertools", 0)?.get_attr(&*vm.ctx.new_str(name), vm)?;
        Ok((found, KwArgs::from_iter(named)))
    }
}
