//! The module `snekpy` as Python sees it.

use rustpython_vm::Context;
use rustpython_vm::builtins::PyModuleDef;
use rustpython_vm::class::PyClassImpl;

pub(crate) use snekpy::Static;

/// The definition of the module, for the builder of an interpreter.
pub fn module_def(ctx: &Context) -> &'static PyModuleDef {
    crate::host::patch::apply(ctx);
    snekpy::module_def(ctx)
}

/// Makes the native classes, once in the process: Rust code may need them before a script imports the module.
pub(crate) fn make_classes() {
    crate::rep::make_classes();
    crate::delimited::make_classes();
    let _classes = [
        crate::expr::Expr::make_static_type(),
        crate::kernel::KernelObject::make_static_type(),
        crate::staged::Lowered::make_static_type(),
        crate::staged::Staged::make_static_type(),
        crate::staged::RepFun::make_static_type(),
        Static::make_static_type(),
    ];
}

/// Multi-stage programming: functions that run as machine code.
#[rustpython_vm::pymodule(name = "snekpy")]
mod snekpy {
    use rustpython_vm::builtins::{PyStr, PyStrRef, PyTypeRef};
    use rustpython_vm::class::PyClassImpl;
    use rustpython_vm::common::lock::PyMutex;
    use rustpython_vm::function::{ArgIterable, FuncArgs, OptionalArg};
    use rustpython_vm::types::Callable;
    use rustpython_vm::{FromArgs, Py, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

    use crate::config;
    use crate::limits::Stop;
    use crate::staged::{StageOptions, rep_fun as mark, stage as stage_callable};

    /// `snekpy.numpy` and `snekpy.random` are modules below this one.
    #[pyattr(name = "__path__")]
    fn path(vm: &VirtualMachine) -> rustpython_vm::PyObjectRef {
        vm.ctx.new_list(Vec::new()).into()
    }

    /// Code that is built by hand.
    #[pyattr(name = "Rep")]
    fn rep_class(_vm: &VirtualMachine) -> PyTypeRef {
        crate::module::make_classes();
        crate::expr::Expr::make_static_type()
    }

    /// A staged function.
    #[pyattr(name = "Staged")]
    fn staged_class(_vm: &VirtualMachine) -> PyTypeRef {
        crate::staged::Staged::make_static_type()
    }

    /// A function that stays a function.
    #[pyattr(name = "RepFun")]
    fn rep_fun_class(_vm: &VirtualMachine) -> PyTypeRef {
        crate::staged::RepFun::make_static_type()
    }

    /// What cannot be staged.
    #[pyattr(name = "StagingError")]
    fn staging_error(vm: &VirtualMachine) -> PyTypeRef {
        crate::staging_error::class(vm)
    }

    /// What `shift` raises where it cannot be.
    #[pyattr(name = "ContinuationError")]
    fn continuation_error(vm: &VirtualMachine) -> PyTypeRef {
        crate::module::make_classes();
        crate::delimited::error_class(vm)
    }

    /// reset(f)
    /// --
    ///
    /// Calls f() as a computation whose rest can be taken by shift() inside; gives what it gives.
    #[pyfunction]
    fn reset(f: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        crate::module::make_classes();
        crate::delimited::reset(f, vm)
    }

    /// shift(g)
    /// --
    ///
    /// Takes the rest of the computation, up to the reset() round it, as a function k: the reset gives what g(k)
    /// gives. k(v) runs the rest, in which this call gives v, and gives what it gives. It can be called any number of
    /// times, also when the reset has returned. Its variables are copied each time, objects are shared.
    #[pyfunction]
    fn shift(_g: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        Err(crate::delimited::misplaced(vm))
    }

    /// What stops a program.
    #[pyattr(name = "Stopped")]
    fn stopped(vm: &VirtualMachine) -> PyTypeRef {
        crate::limits::base(vm)
    }

    /// A program has used its ticks.
    #[pyattr(name = "OutOfTicks")]
    fn out_of_ticks(vm: &VirtualMachine) -> PyTypeRef {
        crate::limits::class(Stop::Ticks, vm)
    }

    /// A program has run too long.
    #[pyattr(name = "OutOfTime")]
    fn out_of_time(vm: &VirtualMachine) -> PyTypeRef {
        crate::limits::class(Stop::Time, vm)
    }

    /// A program was stopped from outside.
    #[pyattr(name = "Cancelled")]
    fn cancelled(vm: &VirtualMachine) -> PyTypeRef {
        crate::limits::class(Stop::Cancelled, vm)
    }

    /// The arguments of `stage`.
    #[derive(FromArgs)]
    struct StageArgs {
        #[pyarg(positional, optional)]
        func: OptionalArg<PyObjectRef>,
        #[pyarg(named, name = "static", optional)]
        statics: OptionalArg<PyObjectRef>,
        #[pyarg(named, default = false)]
        fallback: bool,
        #[pyarg(named, default = false)]
        strict: bool,
    }

    /// stage(func=None, *, static=(), fallback=False, strict=False)
    /// --
    ///
    /// Makes a function run as machine code. Usable as a decorator, with and without arguments.
    ///
    /// static names the parameters that are known when the code is made: for each of their values there is
    /// code of its own.
    ///
    /// Where compiled code cannot go on, the call goes on as plain Python from there; stats() says where and
    /// why. With strict=True that is a StagingError when the function is first called. With fallback=True the
    /// whole call runs as plain Python, with a warning.
    #[pyfunction]
    fn stage(args: StageArgs, vm: &VirtualMachine) -> PyResult {
        let options = StageOptions { statics: names(args.statics, vm)?, fallback: args.fallback, strict: args.strict };
        match args.func {
            OptionalArg::Present(func) if !vm.is_none(&func) => stage_callable(func, options, vm),
            OptionalArg::Present(_) | OptionalArg::Missing => Ok(Decorator { options }.into_ref(&vm.ctx).into()),
        }
    }

    fn names(statics: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Vec<String>> {
        let OptionalArg::Present(statics) = statics else { return Ok(Vec::new()) };
        if let Some(name) = statics.downcast_ref::<PyStr>() {
            return Ok(vec![name.to_string_lossy().into_owned()]);
        }
        let names: ArgIterable<PyRef<PyStr>> = statics.try_into_value(vm)?;
        names.iter(vm)?.map(|name| Ok(name?.to_string_lossy().into_owned())).collect()
    }

    /// stage_lambda(func)
    /// --
    ///
    /// The same as stage(func).
    #[pyfunction]
    fn stage_lambda(func: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        stage_callable(func, StageOptions::default(), vm)
    }

    /// lms(func)
    /// --
    ///
    /// Gives func back. Other systems need it to make control flow stageable; here it always is.
    #[pyfunction]
    fn lms(func: PyObjectRef) -> PyObjectRef {
        func
    }

    /// rep_fun(func)
    /// --
    ///
    /// Marks a function to stay a function in staged code, where others are inlined.
    #[pyfunction]
    fn rep_fun(func: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        mark(func, vm)
    }

    /// A function over an index space.
    #[pyattr(name = "Kernel")]
    fn kernel_class(_vm: &VirtualMachine) -> PyTypeRef {
        crate::module::make_classes();
        crate::kernel::KernelObject::make_static_type()
    }

    /// parallel(f, shape, *args, dtype=None, target="cpu", fast=False)
    /// --
    ///
    /// Calls f(i, *args) for each i of range(shape), or f(i, j, *args), f(i, j, k, *args) for a shape of two or three
    /// numbers, and gives an array.array of the results, the last index fastest; a tuple of arrays if f gives a tuple.
    /// (It will be a tensor.)
    ///
    /// f is compiled as a whole, and may not have effects. The arguments are bools, ints, floats and arrays. dtype says
    /// how results are stored: "float64", "float32", "int64" or "bool", of what f gives. target is "cpu", "cuda",
    /// "cuda:1" and so on, or "simt", which simulates a GPU and checks what threads do.
    ///
    /// If f raises, so does this, with the exception of the first index in order. An int that does not fit in 64 bits
    /// is an OverflowError. Floats have Python's bits on the CPU; on a GPU, functions of math may differ in the last
    /// digits. With fast=True floats may be computed in other ways than written: contracted, reassociated.
    #[pyfunction]
    fn parallel(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        crate::kernel::parallel(args, vm)
    }

    /// parallel_sum(f, n, *args, target="cpu", fast=False)
    /// --
    ///
    /// The sum of f(i, *args) for each i of range(n), or of a shape as in parallel(). Ints are added exactly, floats in
    /// an order that depends on n alone: with one target, the result has the same bits each time.
    #[pyfunction]
    fn parallel_sum(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        crate::kernel::parallel_sum(args, vm)
    }

    /// kernel(f, shape, *args, dtype=None, target="cpu", fast=False)
    /// --
    ///
    /// What parallel() with these arguments runs: k(shape, *args) runs it, k.inspect("ptx") shows it.
    #[pyfunction]
    fn kernel(args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        crate::module::make_classes();
        crate::kernel::kernel(args, vm)
    }

    /// explain(code=None)
    /// --
    ///
    /// What a code of a StagingError means, with a program that fails and one that works; all codes, one a line,
    /// without an argument.
    #[pyfunction]
    fn explain(code: OptionalArg<Option<PyStrRef>>, vm: &VirtualMachine) -> PyResult<String> {
        match code.flatten() {
            Some(code) => crate::codes::find(&code.to_string_lossy())
                .map(ToString::to_string)
                .map_err(|unknown| vm.new_value_error(unknown.to_string())),
            None => Ok(crate::codes::list()),
        }
    }

    /// disabled()
    /// --
    ///
    /// A context manager: inside, this thread runs staged functions as plain Python.
    #[pyfunction]
    fn disabled() -> Disabled {
        Disabled { entered: PyMutex::new(0) }
    }

    /// What `stage(static=..)` gives: a decorator.
    #[pyclass(module = "snekpy", name = "_Decorator", no_attr)]
    #[derive(Debug, PyPayload)]
    struct Decorator {
        options: StageOptions,
    }

    #[pyclass(with(Callable))]
    impl Decorator {}

    impl Callable for Decorator {
        type Args = (PyObjectRef,);

        fn call(zelf: &Py<Self>, (func,): (PyObjectRef,), vm: &VirtualMachine) -> PyResult {
            stage_callable(func, zelf.options.clone(), vm)
        }
    }

    #[pyclass(module = "snekpy", name = "_Disabled", no_attr)]
    #[derive(Debug, PyPayload)]
    struct Disabled {
        entered: PyMutex<u32>,
    }

    #[pyclass]
    impl Disabled {
        #[pymethod]
        fn __enter__(zelf: PyRef<Self>) -> PyRef<Self> {
            *zelf.entered.lock() += 1;
            config::disable();
            zelf
        }

        #[pymethod]
        fn __exit__(zelf: &Py<Self>, _args: FuncArgs) {
            let mut entered = zelf.entered.lock();
            if *entered > 0 {
                *entered -= 1;
                config::enable_again();
            }
        }
    }

    /// An annotation: a parameter that is known when the code is made. `n: Static`, or `n: Static[int]`.
    #[pyattr]
    #[pyclass(module = "snekpy", name = "Static")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct Static {}

    #[pyclass]
    impl Static {
        #[pyclassmethod]
        fn __class_getitem__(class: PyTypeRef, _item: PyObjectRef) -> PyTypeRef {
            class
        }
    }
}

/// Whether this is one of the functions that stage a function, for which staging again changes nothing.
pub(crate) fn is_stage(callable: &rustpython_vm::PyObject, vm: &rustpython_vm::VirtualMachine) -> bool {
    use crate::host::native::{NativeCallable, native_callable};
    match native_callable(callable, vm) {
        Some(NativeCallable::Function { module, name }) => {
            module == "snekpy" && matches!(name.as_str(), "stage" | "lms" | "stage_lambda")
        }
        _ => false,
    }
}
