//! Native functions of floats that are no op of the IR: rules in Python say what their derivatives are
//! (`gradient/helpers.py`), like those of a `custom_jvp`.

use rustpython_vm::PyObjectRef;
use rustpython_vm::function::FuncArgs;
use snekpy_stage::types::Type;

use super::Ruled;
use crate::callable::Kind;
use crate::capture::session::Session;
use crate::capture::state::{State, Then};
use crate::capture::step::Flow;
use crate::capture::stop::Step;
use crate::capture::value;
use crate::host::native::NativeCallable;

/// Whether there is a rule for so many arguments.
fn has_rule(module: &str, name: &str, count: usize) -> bool {
    match (module, name) {
        ("math", "hypot") => count > 0,
        ("math", "erf" | "erfc" | "gamma" | "lgamma" | "radians" | "degrees") => count == 1,
        ("math", "pow" | "fmod" | "remainder" | "log" | "ldexp") | ("builtins", "round") => count == 2,
        ("math", "fma") => count == 3,
        _ => false,
    }
}

impl Session<'_> {
    /// A call of such a function, where what it is given may be differentiated. `None` if it is none.
    pub(crate) fn call_by_known_rule(
        &mut self,
        state: &mut State,
        callable: &PyObjectRef,
        native: &NativeCallable,
        args: &FuncArgs,
        then: &Then,
    ) -> Step<Option<Flow>> {
        let NativeCallable::Function { module, name } = native else { return Ok(None) };
        let vm = self.vm;
        let is_meant = args.kwargs.is_empty() && has_rule(module, name, args.args.len());
        if !is_meant || self.orders_at(state).count == 0 {
            return Ok(None);
        }
        let varies = args.args.iter().any(|it| matches!(value::rep(it), Some((_, Type::F64))));
        if !varies || args.args.iter().any(|it| value::number(it, vm).is_none()) {
            return Ok(None);
        }
        let modules = vm.sys_module.get_attr("modules", vm)?;
        let fixed = vm.ctx.new_tuple(vec![modules.get_item(*module, vm)?]).into();
        let args: PyObjectRef = vm.ctx.new_tuple(args.args.clone()).into();
        let borders = self.bordered(state, &args)?;
        let ruled = Ruled {
            name: name.to_string(),
            there: callable.clone(),
            given: borders.clone(),
            rule: self.helper_function(&format!("derivative_of_{name}"))?,
            kind: Kind::Jvp,
        };
        self.call_by_rule(state, ruled, [fixed, args, borders], then.clone()).map(Some)
    }
}
