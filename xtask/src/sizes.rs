//! Lists the functions of a wasm module by their bytes: `scripts/rooms.mjs` makes a ledger of them.

use std::collections::HashMap;

use wasmparser::{KnownCustom, Name, NameSectionReader, Parser, Payload, TypeRef};

use crate::Result;
use crate::order::unreadable;

/// A line for each function that has a body, in their order: its bytes, a space, and its name if
/// the module has it.
///
/// # Errors
/// A message for bytes that are not a module.
pub fn listed(wasm: &[u8]) -> Result<String> {
    let (mut first, mut bodies, mut names) = (0, Vec::new(), HashMap::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.map_err(unreadable)? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    first += u32::from(matches!(import.map_err(unreadable)?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes().len()),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(section) = section.as_known() {
                    add_names(&mut names, section).map_err(unreadable)?;
                }
            }
            _ => {}
        }
    }
    let named = (first..).zip(bodies);
    Ok(named.map(|(at, len)| format!("{len} {}\n", names.get(&at).map_or("", |name| name))).collect())
}

/// Adds the names of functions, by their index.
fn add_names<'a>(
    names: &mut HashMap<u32, &'a str>,
    section: NameSectionReader<'a>,
) -> wasmparser::Result<()> {
    for part in section {
        if let Name::Function(functions) = part? {
            for function in functions {
                let function = function?;
                names.insert(function.index, function.name);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::listed;
    use crate::sample::module;

    #[test]
    fn functions_have_their_bytes_and_names() {
        let wasm = module(
            r#"(module
                (import "a" "imported" (func $imported))
                (func $short call $imported)
                (func (drop (i32.const 300)))
                (func $empty))"#,
        );
        // One byte for no locals, one for the end. A call has two bytes, this constant has three.
        assert_eq!(listed(&wasm).unwrap(), "4 short\n6 \n2 empty\n");
        let error = listed(b"no module").unwrap_err();
        assert!(error.starts_with("the module cannot be read: "), "{error}");
    }
}
