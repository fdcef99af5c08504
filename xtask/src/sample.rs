//! Small modules for the tests of the passes, and what a module does: passes change its order and
//! its bytes, and it stays the same program.

use std::collections::BTreeMap;

use wasmparser::{ExternalKind, FunctionBody, Operator, Parser, Payload, Validator};

/// The module of a text.
pub fn module(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

/// A module with many functions, which differ little from each other.
pub fn many_functions(count: usize) -> Vec<u8> {
    let function = |at: usize| {
        format!(
            "(func (param i32) (result i32) local.get 0 i32.const {} i32.add i32.const {at} i32.xor)",
            at * 7
        )
    };
    module(&format!("(module {})", (0..count).map(function).collect::<String>()))
}

/// The operators that each exported function performs. A call stands for what the called function
/// does, and for its name if it is imported. Panics for a module that is not valid.
pub fn meaning(wasm: &[u8]) -> BTreeMap<String, String> {
    Validator::new().validate_all(wasm).unwrap();
    let (mut imports, mut bodies, mut exports) = (Vec::new(), Vec::new(), BTreeMap::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.unwrap() {
            Payload::ImportSection(section) => {
                imports.extend(section.into_imports().map(|import| import.unwrap().name.to_owned()));
            }
            Payload::ExportSection(section) => {
                let functions = section.into_iter().map(Result::unwrap);
                let functions = functions.filter(|export| export.kind == ExternalKind::Func);
                exports.extend(functions.map(|export| (export.name.to_owned(), export.index)));
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    exports.into_iter().map(|(name, index)| (name, performed(&imports, &bodies, index as usize))).collect()
}

fn performed(imports: &[String], bodies: &[FunctionBody<'_>], index: usize) -> String {
    let Some(own) = index.checked_sub(imports.len()) else { return imports[index].clone() };
    let operators = bodies[own].get_operators_reader().unwrap().into_iter().map(Result::unwrap);
    let words = operators.map(|operator| match operator {
        Operator::Call { function_index } => performed(imports, bodies, function_index as usize),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}
