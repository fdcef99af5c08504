//! Writes the calls of the wasm modules for TypeScript: what each takes, and its id.

use std::fmt::Write as _;

use crate::calls::{ConventionsCall, DecodeCall, LightCall, ReductionCall, Row};
use crate::shape::{camel, comment};
use crate::wasm_module::Status;

/// The declarations of all modules.
pub fn call_declarations() -> String {
    let names: Vec<String> = Status::NAMES.iter().map(|name| format!("\"{name}\"")).collect();
    let mut text = format!(
        "/** How a call of a wasm module ended, by its number. */\nexport const STATUSES = [{}] as const;\n",
        names.join(", ")
    );
    declare(&mut text, "Decode", DecodeCall::DOCS, DecodeCall::ROWS);
    declare(&mut text, "Light", LightCall::DOCS, LightCall::ROWS);
    declare(&mut text, "Conventions", ConventionsCall::DOCS, ConventionsCall::ROWS);
    declare(&mut text, "Reduction", ReductionCall::DOCS, ReductionCall::ROWS);
    text
}

fn declare(text: &mut String, module: &str, docs: &[&str], rows: &[Row]) {
    let _ = write!(text, "\n{}export interface {module}Calls {{\n", comment(docs, ""));
    for row in rows {
        let _ = writeln!(text, "{}  {}: {};", comment(row.docs, "  "), row.name, taken(row));
    }
    let _ = write!(text, "}}\n\nexport const {}_CALLS = {{\n", module.to_uppercase());
    for (number, row) in rows.iter().enumerate() {
        let _ = writeln!(text, "  {}: {number},", row.name);
    }
    text.push_str("};\n");
}

/// The type of what a call takes.
fn taken(row: &Row) -> String {
    let named = |names: &[&str], of: &str| {
        let names: Vec<String> = names.iter().map(|name| format!("{}: {of}", camel(name))).collect();
        names.join(", ")
    };
    let mut members = Vec::new();
    if !row.words.is_empty() {
        members.push(format!("words: [{}]", named(row.words, "number")));
    }
    if !row.table.is_empty() {
        members.push("table: Uint32Array".to_owned());
    }
    if !row.blocks.is_empty() {
        members.push(format!("blocks: [{}]", named(row.blocks, "ArrayBufferView")));
    }
    if !row.rest.is_empty() {
        members.push("blocks: ArrayBufferView[]".to_owned());
        members.push("ends: Uint32Array | undefined".to_owned());
    }
    if members.is_empty() {
        return "object".to_owned();
    }
    let lines: String = members.iter().map(|member| format!("    {member};\n")).collect();
    format!("{{\n{lines}  }}")
}
