//! `zarr_conventions`: which conventions a node declares. Two texts define it, and data of both
//! exists:
//!
//! - the early draft (2025): `schema`, or else `spec`, identifies the convention;
//! - the text of 2026: `uuid`, or else `schema_url`, or else `spec_url`.
//!
//! A name does not identify. Declarations with mistakes are read too, with findings.

use super::finding::{Report, Severity};
use super::pointer::{Pointer, repeats};
use crate::quoted::quoted;
use crate::records::DeclarationForm as Form;
use crate::value::{Map, Value};

/// One entry of `zarr_conventions`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The text that it follows.
    pub form: Form,
    /// Its UUID, in lower case.
    pub uuid: Option<String>,
    /// `schema_url`, or `schema`.
    pub schema_url: Option<String>,
    /// `spec_url`, or `spec`.
    pub spec_url: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its version. CF's own text demands it, as an extra field.
    pub version: Option<String>,
    /// Its JSON pointer.
    pub path: String,
    /// Fields that neither text defines.
    pub extra: Vec<String>,
}

impl Declaration {
    /// The identifier, in the order of precedence of the text.
    pub fn identifier(&self) -> Option<&str> {
        self.uuid.as_deref().or(self.schema_url.as_deref()).or(self.spec_url.as_deref())
    }
}

/// The maximum number of declarations that are read. Nodes have a few; each costs time and memory
/// for all attributes.
const MAX_DECLARATIONS: usize = 256;

const EARLY: [&str; 2] = ["schema", "spec"];
const CURRENT: [&str; 3] = ["uuid", "schema_url", "spec_url"];
const BOTH: [&str; 2] = ["name", "description"];

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_url(text: &str) -> bool {
    let scheme = text.split_once(':').map(|(scheme, rest)| (scheme, !rest.is_empty()));
    scheme.is_some_and(|(scheme, rest)| {
        rest && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    }) && !text.contains(char::is_whitespace)
}

/// A string field. Reports a value of another type.
fn text(pointer: &Pointer<'_>, key: &str, report: &mut Report) -> Option<String> {
    pointer.member(key)?.string(report).map(str::to_owned)
}

fn url(pointer: &Pointer<'_>, key: &str, report: &mut Report) -> Option<String> {
    let url = text(pointer, key, report)?;
    if !is_url(&url) {
        report.error(
            "not-a-url",
            &format!("{}/{key}", pointer.path),
            format!("{} is not a URL: {}", quoted(key), quoted(&url)),
        );
    }
    Some(url)
}

fn uuid(pointer: &Pointer<'_>, report: &mut Report) -> Option<String> {
    let uuid = text(pointer, "uuid", report)?;
    if !is_uuid(&uuid) {
        report.error(
            "not-a-uuid",
            &format!("{}/uuid", pointer.path),
            format!("{} is not a UUID", quoted(&uuid)),
        );
    }
    Some(uuid.to_ascii_lowercase())
}

fn has_any(pointer: &Pointer<'_>, keys: &[&str]) -> bool {
    keys.iter().any(|key| pointer.member(key).is_some())
}

fn form_of(pointer: &Pointer<'_>, report: &mut Report) -> Form {
    match (has_any(pointer, &EARLY), has_any(pointer, &CURRENT)) {
        (true, true) => {
            let message = "fields of the early draft (schema, spec) and of the current text \
                           (uuid, schema_url, spec_url) are mixed";
            report.warning("mixed-forms", &pointer.path, message);
            Form::Current
        }
        (true, false) => Form::Early,
        _ => Form::Current,
    }
}

fn extra_fields(pointer: &Pointer<'_>) -> Vec<String> {
    let known = |key: &str| EARLY.contains(&key) || CURRENT.contains(&key) || BOTH.contains(&key);
    let members = pointer.value.as_object().into_iter().flat_map(Map::iter);
    members.filter(|(key, _)| !known(key)).map(|(key, _)| key.clone()).collect()
}

fn declaration(pointer: &Pointer<'_>, report: &mut Report) -> Option<Declaration> {
    pointer.object(report)?;
    let form = form_of(pointer, report);
    let declaration = Declaration {
        form,
        uuid: uuid(pointer, report),
        schema_url: url(pointer, "schema_url", report).or_else(|| url(pointer, "schema", report)),
        spec_url: url(pointer, "spec_url", report).or_else(|| url(pointer, "spec", report)),
        name: text(pointer, "name", report),
        description: text(pointer, "description", report),
        version: pointer.value.text_of("version").map(str::to_owned),
        path: pointer.path.clone(),
        extra: extra_fields(pointer),
    };
    if declaration.identifier().is_none() {
        let message = "the convention has no identifier: one of uuid, schema_url, spec_url \
                       (early draft: schema, spec) is required besides the name";
        report.error("no-identifier", &pointer.path, message);
    }
    if declaration.name.is_none() && pointer.member("name").is_none() {
        report.info("no-name", &pointer.path, "there is no name; the identifier stands for it");
    }
    Some(declaration)
}

/// The declarations of a node. Reports other values in the list, and too many declarations.
pub fn declarations(attributes: &Value, report: &mut Report) -> Vec<Declaration> {
    let Some(list) = Pointer::root(attributes).member("zarr_conventions") else { return Vec::new() };
    let count = list.value.items().len();
    if count > MAX_DECLARATIONS {
        let message =
            format!("there are {count} declarations, of which the first {MAX_DECLARATIONS} are read");
        report.error("too-many", &list.path, message);
    }
    let entries = list.first(MAX_DECLARATIONS, report).unwrap_or_default();
    let found: Vec<Declaration> = entries.iter().filter_map(|entry| declaration(entry, report)).collect();
    report_repeats(&found, report);
    found
}

fn report_repeats(declarations: &[Declaration], report: &mut Report) {
    let identified: Vec<&Declaration> =
        declarations.iter().filter(|declaration| declaration.identifier().is_some()).collect();
    let identifiers: Vec<String> =
        identified.iter().filter_map(|declaration| declaration.identifier().map(str::to_owned)).collect();
    for idx in repeats(&identifiers) {
        let (Some(declaration), Some(identifier)) = (identified.get(idx), identifiers.get(idx)) else {
            continue;
        };
        report.warning("duplicate", &declaration.path, format!("{} is declared twice", quoted(identifier)));
    }
}

/// Reports the fields that no text allows. `tolerated` is a field that the convention's own text
/// demands.
pub fn report_extra_fields(declaration: &Declaration, tolerated: Option<&str>, report: &mut Report) {
    for key in &declaration.extra {
        let severity = if tolerated == Some(key.as_str()) { Severity::Warning } else { Severity::Error };
        let path = format!("{}/{}", declaration.path, super::pointer::pointer_token(key));
        report.add(severity, "extra-field", &path, format!("a declaration has no field {}", quoted(key)));
    }
}
