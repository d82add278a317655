//! Who this is: `sys.version`, `sys.implementation`, and whose `.pyc` files are ours.
//!
//! RustPython writes byte code of its own with CPython's tag and magic number, so that each of the two takes the
//! other's files for its own. Ours have a tag and a number that nobody else has.

use rustpython_vm::version::{MAJOR, MICRO, MINOR};
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};

/// The name in `sys.implementation`, and what the tag of `.pyc` files begins with.
const NAME: &str = "snekpy";

/// The number at the beginning of `.pyc` files. CPython's are below 4,000. One more whenever the pinned version of
/// RustPython changes: the byte code is its.
const MAGIC: u16 = 24_530;

/// Says who this is to Python programs.
pub(crate) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let sys = &vm.sys_module;
    let language = format!("{MAJOR}.{MINOR}.{MICRO}");
    let version = sys.get_attr("version", vm)?.str(vm)?.to_string_lossy().into_owned();
    // Its last line says who compiled it: `[RustPython 0.6.0 ...]`.
    let built = version.lines().last().filter(|line| line.starts_with('[')).unwrap_or("[RustPython]");
    let ours = env!("CARGO_PKG_VERSION");
    sys.set_attr("version", vm.new_pyobj(format!("{language} ({NAME} {ours}) \n{built}")), vm)?;

    let implementation = sys.get_attr("implementation", vm)?;
    let [major, minor, micro] = parts(ours);
    let fields: [(&'static str, PyObjectRef); 4] = [
        ("name", vm.new_pyobj(NAME)),
        ("cache_tag", vm.new_pyobj(format!("{NAME}-{MAJOR}{MINOR}"))),
        ("version", version_info([major, minor, micro], vm)?),
        ("hexversion", vm.new_pyobj(major << 24 | minor << 16 | micro << 8 | 0xf0)),
    ];
    for (name, value) in fields {
        implementation.set_attr(name, value, vm)?;
    }

    let token = u32::from_le_bytes([MAGIC.to_le_bytes()[0], MAGIC.to_le_bytes()[1], b'\r', b'\n']);
    let modules = sys.get_attr("modules", vm)?;
    modules.get_item("_imp", vm)?.set_attr("pyc_magic_number_token", vm.new_pyobj(token), vm)?;
    let external = modules.get_item("_frozen_importlib_external", vm)?;
    external.set_attr("MAGIC_NUMBER", vm.ctx.new_bytes(token.to_le_bytes().to_vec()), vm)
}

/// A version as `sys.version_info` has it. Instances of its class cannot be made.
fn version_info(numbers: [u32; 3], vm: &VirtualMachine) -> PyResult {
    let [major, minor, micro] = numbers.map(|it| vm.new_pyobj(it));
    let fields = [
        ("major", major),
        ("minor", minor),
        ("micro", micro),
        ("releaselevel", vm.new_pyobj("final")),
        ("serial", vm.new_pyobj(0)),
    ];
    let namespace = vm.ctx.new_dict();
    for (name, value) in &fields {
        namespace.set_item(*name, value.clone(), vm)?;
    }
    let bases = vm.ctx.new_tuple(vec![vm.ctx.types.tuple_type.to_owned().into()]);
    let class = vm.ctx.types.type_type.as_object().call(("version_info", bases, namespace), vm)?;
    let items = vm.ctx.new_tuple(fields.into_iter().map(|(_, value)| value).collect());
    class.call((items,), vm)
}

/// The three numbers of our version.
fn parts(version: &str) -> [u32; 3] {
    let mut numbers = version.split('.').map(|it| it.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}
