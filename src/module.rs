//! Python modules made of Rust functions and values.

use crate::error::Result;
use crate::function::{self, Erased, HostFunction};
use crate::shared::Shared;
use crate::value::{IntoValue, Value};
use std::sync::Arc;

/// A module that scripts can import. See [`crate::Engine::add_module`].
#[derive(Debug)]
pub struct Module {
    name: String,
    functions: Vec<Erased>,
    values: Vec<(String, Value)>,
}

impl Module {
    /// An empty module.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), functions: Vec::new(), values: Vec::new() }
    }

    /// Adds a function.
    pub fn function<Args>(&mut self, name: &str, function: impl HostFunction<Args>) -> &mut Self {
        self.functions.push(function::erase(name, function));
        self
    }

    /// Adds a value.
    pub fn value(&mut self, name: &str, value: impl IntoValue) -> &mut Self {
        self.values.push((name.to_owned(), value.into_value()));
        self
    }

    pub(crate) fn add_to(self, shared: &Arc<Shared>) -> Result<()> {
        shared.enter(|vm| {
            let dict = vm.ctx.new_dict();
            for (name, value) in self.values {
                dict.set_item(name.as_str(), value.into_object(vm)?, vm)?;
            }
            for function in self.functions {
                let name = function.name().to_owned();
                dict.set_item(name.as_str(), function.into_object(shared, vm), vm)?;
            }
            let module = vm.new_module(&self.name, dict, None);
            vm.sys_module.get_attr("modules", vm)?.set_item(self.name.as_str(), module.into(), vm)
        })
    }
}
