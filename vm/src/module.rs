//! The module `snekpy` as Python sees it.

use rustpython_vm::builtins::PyModuleDef;
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::{Context, VirtualMachine};

use crate::config::{self, StagingConfig};
use crate::interrupt::poll;
use crate::parameter::Static;
use crate::threads;

/// The definition of the module, for the builder of an interpreter.
pub fn module_def(ctx: &Context) -> &'static PyModuleDef {
    crate::host::patch::apply(ctx);
    crate::host::prepare::install(ctx);
    crate::host::set_in_place::install(ctx);
    crate::host::set_only::install(ctx);
    crate::host::weak::listen(ctx, crate::specialisation::watched::is_referred_to);
    snekpy::module_def(ctx)
}

/// Says how an interpreter stages. Functions that are staged already keep what they were staged with.
pub fn configure(vm: &VirtualMachine, config: StagingConfig) {
    make_classes();
    snekpy_stage::threads::around_start(|start| poll::masked(start));
    config::set(vm, config);
    // Without `_thread` there are no threads.
    let _ = threads::watch_starts(vm);
}

/// Makes the native classes, once in the process: Rust code may need them before a script imports the module.
pub(crate) fn make_classes() {
    crate::rep::make_classes();
    crate::host::drawn::make_class();
    crate::host::steps::make_class();
    crate::host::resume::make_classes();
    crate::delimited::make_classes();
    crate::staged::make_class();
    let _classes = [
        crate::expr::Expr::make_static_type(),
        crate::kernel::KernelObject::make_static_type(),
        crate::staged::Lowered::make_static_type(),
        crate::staged::RepFun::make_static_type(),
        crate::callable::Derivative::make_static_type(),
        crate::gradient::Linear::make_static_type(),
        crate::callable::Custom::make_static_type(),
        crate::structure::Structure::make_static_type(),
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

    use crate::callable::{self, Argnums, Kind, Step, Way};
    use crate::config;
    use crate::gradient;
    use crate::limits::Stop;
    use crate::staged::{OnDevice, StageOptions, Strict, rep_fun as mark, stage as stage_callable};
    use crate::structure::{Node, Structure};

    /// `snekpy.numpy`, `snekpy.random`, `snekpy.nn` and `snekpy.tree` are modules below this one.
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

    /// What says that a staged function runs mostly as plain Python.
    #[pyattr(name = "StagedPlainlyWarning")]
    fn staged_plainly_warning(vm: &VirtualMachine) -> PyTypeRef {
        crate::staged::warning::class(vm)
    }

    /// What `shift` raises where it cannot be.
    /// Elements of an array on a device are copied to the CPU, and nobody has asked for it.
    #[pyattr(name = "ImplicitCopyWarning")]
    fn implicit_copy_warning(vm: &VirtualMachine) -> PyTypeRef {
        crate::tensor::warning_class(vm)
    }

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

    /// _signal_at_poll(polls, signal)
    /// --
    ///
    /// Raises the signal when compiled code of this thread looks up for the n-th time from now; never, for 0. Gives how
    /// many times were left of what was said before. For tests of interrupts.
    #[pyfunction]
    fn _signal_at_poll(polls: u64, signal: i32) -> u64 {
        crate::interrupt::poll::signal_at(polls, signal)
    }

    /// _pause_every(instructions)
    /// --
    ///
    /// Lets captures give way to others after every so many instructions; for 0, when they have run for a while. For tests:
    /// nobody may notice.
    #[pyfunction]
    fn _pause_every(instructions: u32) {
        crate::capture::explore::pause_every(instructions);
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
        #[pyarg(named, optional)]
        strict: OptionalArg<PyObjectRef>,
        #[pyarg(named, optional)]
        target: OptionalArg<PyStrRef>,
    }

    /// stage(func=None, *, static=(), fallback=False, strict=False, target="cpu")
    /// --
    ///
    /// Makes a function run as machine code. Usable as a decorator, with and without arguments.
    ///
    /// static names the parameters that are known when the code is made: for each of their values there is
    /// code of its own.
    ///
    /// Where compiled code cannot go on, the call goes on as plain Python from there; stats() says where and
    /// why. With strict=True that is a StagingError when the function is first called, and so is what compiled
    /// code would have the interpreter do; with strict="leave" it may do that. With fallback=True the whole call
    /// runs as plain Python, with a warning.
    ///
    /// With target="cuda", "cuda:1" and so on, or "simt", arrays among the arguments are moved to the memory of that
    /// device, and what is computed of them is computed and stays there. What the function writes to them is copied
    /// back.
    #[pyfunction]
    fn stage(args: StageArgs, vm: &VirtualMachine) -> PyResult {
        let strict = match args.strict {
            OptionalArg::Present(strict) => Strict::of(&strict, vm)?,
            OptionalArg::Missing => Strict::No,
        };
        let target = match args.target {
            OptionalArg::Present(name) => OnDevice::of(&name.to_string_lossy(), vm)?,
            OptionalArg::Missing => None,
        };
        let options = StageOptions { statics: names(args.statics, vm)?, fallback: args.fallback, strict, target };
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
    /// numbers, and gives an array of the results, the last index fastest; a tuple of arrays if f gives a tuple. If
    /// there are arrays of snekpy.numpy among the arguments, so are these, of that shape; else it is an array.array.
    ///
    /// f is compiled as a whole, and may not have effects. The arguments are bools, ints, floats and arrays. dtype says
    /// how results are stored, "float16" for example; elements of arrays have one of their own. target is "cpu", "cuda",
    /// "cuda:1" and so on, or "simt", which simulates a GPU and checks what threads do.
    ///
    /// If f raises, so does this, with the exception of the first index in order. An int that does not fit in 64 bits,
    /// or in 32 where it is stored so, is an OverflowError. Floats have Python's bits on the CPU; on a GPU, functions of math may differ in the last
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

    /// The arguments of `grad` and its like.
    #[derive(FromArgs)]
    struct GradArgs {
        #[pyarg(any)]
        fun: PyObjectRef,
        #[pyarg(any, optional)]
        argnums: OptionalArg<PyObjectRef>,
        #[pyarg(any, default = false)]
        has_aux: bool,
    }

    fn derived(args: GradArgs, way: Way, name: &'static str, vm: &VirtualMachine) -> PyResult {
        let argnums = gradient::argnums(args.argnums.into_option(), vm)?;
        let step = Step { way, argnums, has_aux: args.has_aux, name };
        Ok(callable::kept(&args.fun, step, vm)?.into())
    }

    /// grad(fun, argnums=0, has_aux=False)
    /// --
    ///
    /// A function that computes the gradient of fun, which returns a float, by its arguments argnums. The gradient has
    /// the shape of the argument: a float, or a tuple, list, dict or object of floats. With has_aux, fun returns a pair
    /// (value, aux), and the function a pair (gradient, aux).
    #[pyfunction]
    fn grad(args: GradArgs, vm: &VirtualMachine) -> PyResult {
        derived(args, Way::Gradient, "grad", vm)
    }

    /// value_and_grad(fun, argnums=0, has_aux=False)
    /// --
    ///
    /// As grad; the function returns (value, gradient), with has_aux ((value, aux), gradient).
    #[pyfunction]
    fn value_and_grad(args: GradArgs, vm: &VirtualMachine) -> PyResult {
        derived(args, Way::Value, "value_and_grad", vm)
    }

    /// jacrev(fun, argnums=0, has_aux=False)
    /// --
    ///
    /// A function that computes the derivative of each float that fun returns, backwards: the shape of the result, with
    /// the shape of the argument in place of each float.
    #[pyfunction]
    fn jacrev(args: GradArgs, vm: &VirtualMachine) -> PyResult {
        derived(args, Way::Reverse, "jacrev", vm)
    }

    /// jacobian(fun, argnums=0, has_aux=False)
    /// --
    ///
    /// The same as jacrev.
    #[pyfunction]
    fn jacobian(args: GradArgs, vm: &VirtualMachine) -> PyResult {
        derived(args, Way::Reverse, "jacobian", vm)
    }

    /// jacfwd(fun, argnums=0, has_aux=False)
    /// --
    ///
    /// As jacrev, forwards: for few arguments and many results.
    #[pyfunction]
    fn jacfwd(args: GradArgs, vm: &VirtualMachine) -> PyResult {
        derived(args, Way::Forward, "jacfwd", vm)
    }

    /// hessian(fun, argnums=0, has_aux=False)
    /// --
    ///
    /// A function that computes the second derivatives of fun: jacfwd(jacrev(fun)).
    #[pyfunction]
    fn hessian(args: GradArgs, vm: &VirtualMachine) -> PyResult {
        let argnums = gradient::argnums(args.argnums.into_option(), vm)?;
        let step = |way| Step { way, argnums: argnums.clone(), has_aux: args.has_aux, name: "hessian" };
        let first = callable::kept(&args.fun, step(Way::Reverse), vm)?;
        Ok(callable::kept(&first.into(), step(Way::Forward), vm)?.into())
    }

    /// vjp(fun, *primals, has_aux=False)
    /// --
    ///
    /// Calls fun(*primals). Gives its result and a function that takes a cotangent of the shape of the result and gives
    /// a tuple of those of the arguments.
    #[pyfunction]
    fn vjp(mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let has_aux = args.take_keyword("has_aux").map_or(Ok(false), |it| it.try_to_bool(vm))?;
        let fun = args.take_positional().ok_or_else(|| vm.new_type_error("vjp() takes a function"))?;
        gradient::vjp(fun, args.args, has_aux, vm)
    }

    /// linearize(fun, *primals)
    /// --
    ///
    /// Calls fun(*primals). Gives its result and a function that takes tangents of the arguments and gives that of the
    /// result.
    #[pyfunction]
    fn linearize(mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let fun = args.take_positional().ok_or_else(|| vm.new_type_error("linearize() takes a function"))?;
        gradient::linearize(fun, args.args, vm)
    }

    /// jvp(fun, primals, tangents, has_aux=False)
    /// --
    ///
    /// Calls fun(*primals). Gives its result and the tangent of that along the tangents of the arguments.
    #[pyfunction]
    fn jvp(args: JvpArgs, vm: &VirtualMachine) -> PyResult {
        let items = |object: PyObjectRef| -> PyResult<Vec<PyObjectRef>> {
            let items: ArgIterable = object.try_into_value(vm)?;
            items.iter(vm)?.collect()
        };
        let (primals, tangents) = (items(args.primals)?, items(args.tangents)?);
        if primals.len() != tangents.len() {
            return Err(vm.new_type_error("jvp(): there must be a tangent for each argument"));
        }
        let argnums = Argnums::All(primals.len());
        let step = Step { way: Way::Along, argnums, has_aux: args.has_aux, name: "jvp" };
        callable::kept(&args.fun, step, vm)?.call_with(primals.into(), &tangents, vm)
    }

    #[derive(FromArgs)]
    struct JvpArgs {
        #[pyarg(any)]
        fun: PyObjectRef,
        #[pyarg(any)]
        primals: PyObjectRef,
        #[pyarg(any)]
        tangents: PyObjectRef,
        #[pyarg(any, default = false)]
        has_aux: bool,
    }

    /// The arguments of `custom_vjp` and its like.
    #[derive(FromArgs)]
    struct CustomArgs {
        #[pyarg(any)]
        fun: PyObjectRef,
        #[pyarg(any, optional)]
        nondiff_argnums: OptionalArg<PyObjectRef>,
    }

    /// custom_vjp(fun, nondiff_argnums=())
    /// --
    ///
    /// fun with a way back of its own, which its method defvjp(fwd, bwd) takes. fwd(*args) gives (result, residuals),
    /// bwd(residuals, cotangent) a tuple of the cotangents of the arguments. Arguments at nondiff_argnums are not
    /// differentiated by; bwd is given them first.
    #[pyfunction]
    fn custom_vjp(args: CustomArgs, vm: &VirtualMachine) -> PyResult {
        callable::custom(args.fun, Kind::Vjp, args.nondiff_argnums.into_option(), vm)
    }

    /// custom_jvp(fun, nondiff_argnums=())
    /// --
    ///
    /// fun with a derivative of its own, which its method defjvp(jvp) takes. jvp(primals, tangents) gives (result,
    /// tangent). The way back is made of it.
    #[pyfunction]
    fn custom_jvp(args: CustomArgs, vm: &VirtualMachine) -> PyResult {
        callable::custom(args.fun, Kind::Jvp, args.nondiff_argnums.into_option(), vm)
    }

    /// checkpoint(fun)
    /// --
    ///
    /// fun, of which nothing is kept for the way back but its arguments: what it does is done again there.
    #[pyfunction]
    fn checkpoint(fun: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        callable::custom(fun, Kind::Checkpoint, None, vm)
    }

    /// stop_gradient(x)
    /// --
    ///
    /// Gives x, as a constant where it is differentiated. Of a structure another one is made, with the same leaves.
    #[pyfunction]
    fn stop_gradient(x: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let mut leaves = Vec::new();
        let node = Node::of(&x, &mut &*vm, &mut leaves, 0)?;
        node.fill(&mut &*vm, &mut leaves.into_iter(), vm)
    }

    /// The leaves of a tree, as a list, and its structure: `snekpy.tree` is made of this.
    #[pyfunction]
    fn _tree_leaves(tree: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let mut leaves = Vec::new();
        let node = Node::of(&tree, &mut &*vm, &mut leaves, 0)?;
        let structure = Structure::object(node, vm).into();
        Ok(vm.ctx.new_tuple(vec![vm.ctx.new_list(leaves).into(), structure]).into())
    }

    /// A tree of this structure with these leaves.
    #[pyfunction]
    fn _tree_of(structure: PyRef<Structure>, leaves: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let leaves: Vec<PyObjectRef> = leaves.try_to_value(vm)?;
        let count = structure.node.count();
        if leaves.len() != count {
            let message = format!("the structure has {count} leaves, and {} are given", leaves.len());
            return Err(vm.new_value_error(message));
        }
        structure.node.fill(&mut &*vm, &mut leaves.into_iter(), vm)
    }

    /// What another tree has where this structure has leaves, as a list.
    #[pyfunction]
    fn _tree_leaves_like(structure: PyRef<Structure>, tree: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let mut found = Vec::new();
        structure.node.matching(&tree, &mut &*vm, &mut found, vm)?;
        Ok(vm.ctx.new_list(found).into())
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

    #[pyattr(name = "Static")]
    fn static_class(_vm: &VirtualMachine) -> PyTypeRef {
        crate::parameter::Static::make_static_type()
    }
}
