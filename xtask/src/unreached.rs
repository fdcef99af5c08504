//! Empties functions of a wasm build that nothing reaches, so that wasm-opt drops what they alone
//! call. The linker keeps them, because tables of zstd have their addresses.

use std::collections::HashSet;
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Instruction, Module};
use wasmparser::{FunctionBody, KnownCustom, Name, NameSectionReader, Parser, Payload, TypeRef};

use crate::order::unreadable;

/// Whether a function of zstd searches a dictionary, or text that is not beside its input. The
/// package compresses in one piece and without dictionaries (`src/kernel/zstd.rs`), so zstd takes
/// the functions whose names have none of these words.
fn is_unreached(name: &str) -> bool {
    let searches = ["ZSTD_compressBlock_", "ZSTD_btGetAllMatches_"].iter().any(|head| name.starts_with(head))
        || name.contains("FindBestMatch_");
    searches && ["_dictMatchState", "_dedicatedDictSearch", "_extDict"].iter().any(|word| name.contains(word))
}

/// The module without the bodies of those functions, by the names that it has.
///
/// # Errors
/// A message for bytes that are not a module.
pub fn emptied(wasm: &[u8]) -> crate::Result<Vec<u8>> {
    let mut emptying = Emptying { unreached: HashSet::new(), at: 0 };
    for payload in Parser::new(0).parse_all(wasm) {
        emptying.look_at(&payload.map_err(unreadable)?).map_err(unreadable)?;
    }
    let mut module = Module::new();
    emptying.parse_core_module(&mut module, Parser::new(0), wasm).map_err(|error| error.to_string())?;
    Ok(module.finish())
}

struct Emptying {
    /// The numbers of the functions.
    unreached: HashSet<u32>,
    /// The number of the function whose body is next.
    at: u32,
}

impl Emptying {
    fn look_at(&mut self, payload: &Payload<'_>) -> wasmparser::Result<()> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    self.at += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
                Ok(())
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Name(names) => self.find(names),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn find(&mut self, names: NameSectionReader<'_>) -> wasmparser::Result<()> {
        for names in names {
            let Name::Function(functions) = names? else { continue };
            for function in functions {
                let function = function?;
                if is_unreached(function.name) {
                    self.unreached.insert(function.index);
                }
            }
        }
        Ok(())
    }
}

impl Reencode for Emptying {
    type Error = Infallible;

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        if self.unreached.contains(&self.at) {
            function.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
        } else {
            let mut operators = body.get_operators_reader()?;
            while !operators.eof() {
                function.instruction(&self.parse_instruction(&mut operators)?);
            }
        }
        self.at += 1;
        code.function(&function);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{emptied, is_unreached};
    use crate::sample::{meaning, module};

    #[test]
    fn only_those_functions_are_emptied() {
        let wasm = module(
            r#"(module
                (import "a" "imported" (func))
                (func $ZSTD_compressBlock_fast (export "kept") (drop (i32.const 5)))
                (func $ZSTD_compressBlock_fast_dictMatchState (export "gone") (local i32) (drop (i32.const 6))))"#,
        );
        let (before, after) = (meaning(&wasm), meaning(&emptied(&wasm).unwrap()));
        assert_eq!(after["kept"], before["kept"]);
        assert_eq!(after["gone"], "Unreachable End");
    }

    #[test]
    fn searches_of_dictionaries_are_not_reached() {
        for name in ["ZSTD_compressBlock_fast_dictMatchState", "ZSTD_RowFindBestMatch_extDict_4_5"] {
            assert!(is_unreached(name), "{name}");
        }
        for name in [
            "ZSTD_compressBlock_fast",
            "ZSTD_btGetAllMatches_noDict_3",
            "ZSTD_dedicatedDictSearch_revertCParams",
        ] {
            assert!(!is_unreached(name), "{name}");
        }
    }
}
