//! Opcodes as CPython spells them.

use std::sync::OnceLock;

use super::Opcode;

/// The name of an opcode in CPython's spelling, for example `LOAD_FAST`.
pub fn opcode_name(op: Opcode) -> &'static str {
    static NAMES: [OnceLock<String>; 256] = [const { OnceLock::new() }; 256];
    NAMES[usize::from(op.as_u8())].get_or_init(|| screaming_snake_case(&format!("{op:?}")))
}

fn screaming_snake_case(camel_case: &str) -> String {
    let mut name = String::with_capacity(camel_case.len() + 4);
    for letter in camel_case.chars() {
        if !name.is_empty() && (letter.is_ascii_uppercase() || letter.is_ascii_digit()) {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}
