//! `BINARY_OP_EXTEND` for operators that RustPython has none for: in-place ones, of floats.
//!
//! The instruction looks into its cache for the operator, a guard and an action; where they do not fit, it does what its
//! operator says. RustPython keeps these in a table of its own. Ours are laid out like those, which the compiler does
//! for the same fields in the same way; three of RustPython's are looked at to know that. If they look otherwise,
//! nothing is rewritten.

use std::ptr::addr_of;
use std::sync::OnceLock;

use rustpython_vm::builtins::{PyCode, PyFloat};
use rustpython_vm::bytecode::oparg::BinaryOperator;
use rustpython_vm::bytecode::{CodeUnits, Instruction};
use rustpython_vm::compiler::Mode;
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

/// What an operation gives; `None` if it is not for these operands.
pub(super) type Action = fn(&PyObject, &PyObject, &VirtualMachine) -> Option<PyObjectRef>;

/// An entry of RustPython's table, field for field.
struct Entry {
    operator: BinaryOperator,
    guard: fn(&PyObject, &PyObject, &VirtualMachine) -> bool,
    action: Action,
}

/// Where the entry of an instruction stands in the caches, from the instruction.
const ENTRY: usize = 2;

static ENTRIES: [Entry; 3] = [
    Entry { operator: BinaryOperator::InplaceAdd, guard: always, action: add },
    Entry { operator: BinaryOperator::InplaceSubtract, guard: always, action: subtract },
    Entry { operator: BinaryOperator::InplaceMultiply, guard: always, action: multiply },
];

/// Whether entries are laid out as ours.
static IS_KNOWN: OnceLock<bool> = OnceLock::new();

/// Makes an instruction the one that our entries are for.
pub(super) fn rewrite(units: &CodeUnits, at: usize) {
    let operator = units.read_arg(at).as_u8();
    let entry = ENTRIES.iter().find(|it| u8::from(it.operator) == operator);
    if let Some(entry) = entry.filter(|_| IS_KNOWN.get() == Some(&true)) {
        // SAFETY: the units are there; the instruction has the same caches and argument, and finds an entry in them.
        unsafe {
            units.write_cache_ptr(at + ENTRY, std::ptr::from_ref(entry) as usize);
            units.compare_exchange_op(at, units.read_op(at), Instruction::BinaryOpExtend);
        }
    }
}

/// Looks at three entries of RustPython's, once in the process.
pub(super) fn look(vm: &VirtualMachine) {
    IS_KNOWN.get_or_init(|| are_as_ours(vm).unwrap_or(false));
}

fn are_as_ours(vm: &VirtualMachine) -> PyResult<bool> {
    let scope = vm.new_scope_with_builtins();
    super::run(super::compile(PROGRAM, Mode::Exec, "<snekpy>", vm)?, scope.clone(), vm)?;
    let code = scope.globals.get_item("f", vm)?.get_attr("__code__", vm)?;
    let Some(code) = code.downcast_ref::<PyCode>() else { return Ok(false) };
    let units = &code.instructions;
    let extended = (0..units.len()).filter(|&at| matches!(units.read_op(at), Instruction::BinaryOpExtend));
    let found: Vec<*const Entry> = extended.map(|at| units.read_cache_ptr(at + ENTRY) as *const Entry).collect();
    let [or, and, xor] = found.as_slice() else { return Ok(false) };
    if [or, and, xor].iter().any(|it| it.is_null() || !it.is_aligned()) {
        return Ok(false);
    }
    // SAFETY: the cache holds addresses of entries of a table of at least six. Nothing is taken for a function or an
    // operator here: what lies where ours would have them is read as numbers.
    let [or, and, xor] = [or, and, xor].map(|&it| unsafe {
        (
            addr_of!((*it).operator).cast::<u8>().read(),
            addr_of!((*it).guard).cast::<usize>().read(),
            addr_of!((*it).action).cast::<usize>().read(),
        )
    });
    let operators = [BinaryOperator::Or, BinaryOperator::And, BinaryOperator::Xor].map(u8::from);
    let distance = (found[1] as usize).wrapping_sub(found[0] as usize);
    Ok([or.0, and.0, xor.0] == operators
        && or.1 == and.1
        && and.1 == xor.1
        && or.2 != and.2
        && and.2 != xor.2
        && xor.2 != or.2
        && distance == size_of::<Entry>())
}

/// Operators that RustPython has entries for, one behind the other, each run until it is rewritten.
const PROGRAM: &str = "
def f(a, b):
    a | b
    a & b
    a ^ b
for _ in range(8):
    f(6, 3)
";

/// The actions look for themselves.
fn always(_: &PyObject, _: &PyObject, _: &VirtualMachine) -> bool {
    true
}

macro_rules! action {
    ($name:ident $operator:tt $what:literal) => {
        #[doc = $what]
        pub(super) fn $name(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> Option<PyObjectRef> {
            let (a, b) = (a.downcast_ref_if_exact::<PyFloat>(vm)?, b.downcast_ref_if_exact::<PyFloat>(vm)?);
            Some(vm.ctx.new_float(a.to_f64() $operator b.to_f64()).into())
        }
    };
}
action!(add + "The sum of two floats.");
action!(subtract - "The difference of two floats.");
action!(multiply * "The product of two floats.");
