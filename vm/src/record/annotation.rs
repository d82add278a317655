//! What a field of a dataclass is annotated with, read without running anything of the program.
//!
//! An annotation is a class, a union, a text, or a reference to a name that was not there yet when the class was
//! made. Names are looked up where the class was made: in its module, and in the variables of the functions
//! around it, as far as the reference knows them. What is found need not be right: the objects of each call are
//! looked at.

use rustpython_vm::builtins::{PyDict, PyDictRef, PyModule, PyStr, PyTuple, PyType, PyTypeRef};
use rustpython_vm::{AsObject, PyObjectRef, VirtualMachine};
use snekpy_stage::types::Type;

use super::Of;
use crate::host;
use crate::tensor;

/// How deep an annotation may be nested.
const MAX_DEPTH: usize = 8;

/// What an annotation says; `None` if that is neither a number nor a link.
pub(super) fn read(annotation: &PyObjectRef, owner: &PyTypeRef, vm: &VirtualMachine) -> Option<Of> {
    let mut reader = Reader { owner, vm, cells: None, class: None, optional: false };
    reader.object(annotation, 0)?;
    let (class, optional) = (reader.class?, reader.optional);
    let types = &vm.ctx.types;
    let numbers = [(types.float_type, Type::F64), (types.int_type, Type::I64), (types.bool_type, Type::Bool)];
    match numbers.iter().find(|(it, _)| class.is(*it)) {
        Some(_) if optional => None,
        Some((_, ty)) => Some(Of::Number(*ty)),
        None if tensor::library().is_some_and(|it| class.is(&it.class())) => (!optional).then_some(Of::Tensor),
        None => Some(Of::Link { class, optional }),
    }
}

/// Collects the members of a union: one class, and perhaps `None`.
struct Reader<'a> {
    owner: &'a PyTypeRef,
    vm: &'a VirtualMachine,
    /// The variables that the reference knows, by name.
    cells: Option<PyDictRef>,
    class: Option<PyTypeRef>,
    optional: bool,
}

impl Reader<'_> {
    fn object(&mut self, annotation: &PyObjectRef, depth: usize) -> Option<()> {
        let vm = self.vm;
        if depth > MAX_DEPTH {
            return None;
        }
        if vm.is_none(annotation) || annotation.is(vm.ctx.types.none_type) {
            self.optional = true;
            return Some(());
        }
        if let Some(class) = annotation.downcast_ref::<PyType>() {
            let class = class.to_owned();
            return match &self.class {
                Some(known) if !known.is(&class) => None,
                _ => {
                    self.class = Some(class);
                    Some(())
                }
            };
        }
        if let Some(text) = annotation.downcast_ref::<PyStr>() {
            return self.text(text.to_str()?, depth);
        }
        match annotation.class().name().to_string().as_str() {
            "Union" | "UnionType" => {
                let members = annotation.get_attr("__args__", vm).ok()?;
                let members = members.downcast_ref::<PyTuple>()?.as_slice().to_vec();
                members.iter().try_for_each(|member| self.object(member, depth + 1).ok_or(())).ok()
            }
            "ForwardRef" => {
                if let Ok(cells) = annotation.get_attr("__cell__", vm)
                    && let Ok(cells) = cells.downcast::<PyDict>()
                {
                    self.cells = Some(cells);
                }
                let text = annotation.get_attr("__forward_arg__", vm).ok()?;
                self.text(text.downcast_ref::<PyStr>()?.to_str()?, depth)
            }
            _ => None,
        }
    }

    /// `A | None`, `Optional[A]`, `Union[A, None]`, and names; a text inside may be in quotes.
    fn text(&mut self, text: &str, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let text = text.trim();
        for quote in ['"', '\''] {
            if let Some(inside) = text.strip_prefix(quote).and_then(|it| it.strip_suffix(quote))
                && !inside.contains(quote)
            {
                return self.text(inside, depth + 1);
            }
        }
        let parts = split(text, '|')?;
        if parts.len() > 1 {
            return parts.into_iter().try_for_each(|part| self.text(part, depth + 1).ok_or(())).ok();
        }
        if let Some((name, inside)) = text.split_once('[') {
            let inside = inside.strip_suffix(']')?;
            match name.trim().rsplit('.').next()? {
                "Optional" => self.optional = true,
                "Union" => {}
                _ => return None,
            }
            return split(inside, ',')?.into_iter().try_for_each(|part| self.text(part, depth + 1).ok_or(())).ok();
        }
        if text == "None" {
            self.optional = true;
            return Some(());
        }
        let found = self.named(text)?;
        self.object(&found, depth + 1)
    }

    /// What a name, perhaps with dots, stands for.
    fn named(&self, name: &str) -> Option<PyObjectRef> {
        let vm = self.vm;
        let mut parts = name.split('.').map(str::trim);
        let first = parts.next()?;
        let mut found = self.variable(first)?;
        for part in parts {
            found.downcast_ref::<PyModule>()?;
            found = found.dict()?.get_item_opt(part, vm).ok()??;
        }
        Some(found)
    }

    fn variable(&self, name: &str) -> Option<PyObjectRef> {
        let vm = self.vm;
        if let Some(cell) = self.cells.as_ref().and_then(|it| it.get_item_opt(name, vm).ok().flatten())
            && host::cell::is_cell(&cell, vm)
            && let Some(found) = host::cell::cell_get(&cell, vm)
        {
            return Some(found);
        }
        if self.owner.name().to_string() == name {
            return Some(self.owner.clone().into());
        }
        let module = self.owner.get_attr(vm.ctx.intern_str("__module__"))?;
        let modules = vm.sys_module.get_attr("modules", vm).ok()?;
        let module = modules.downcast_ref::<PyDict>()?.get_item_opt(&*module, vm).ok().flatten();
        let globals = module.and_then(|module| module.dict());
        let builtins = vm.builtins.as_object().dict();
        globals.into_iter().chain(builtins).find_map(|dict| dict.get_item_opt(name, vm).ok().flatten())
    }
}

/// The parts of a text between separators that are in no brackets; `None` if the brackets do not match.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut depth, mut begin) = (0_usize, 0);
    let mut parts = Vec::new();
    for (index, char) in text.char_indices() {
        match char {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            _ if char == separator && depth == 0 => {
                parts.push(&text[begin..index]);
                begin = index + char.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    (depth == 0).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn separators_in_brackets_do_not_count() {
        assert_eq!(split("A | None", '|'), Some(vec!["A ", " None"]));
        assert_eq!(split("Union[A | B, None], C", ','), Some(vec!["Union[A | B, None]", " C"]));
        assert_eq!(split("A", '|'), Some(vec!["A"]));
        assert_eq!(split("A]", '|'), None);
        assert_eq!(split("[A", '|'), None);
    }
}
