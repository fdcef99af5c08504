//! Declares a convention on a node: computes the new attributes. The caller writes them.

use super::known_conventions::{self, KNOWN, Known};
use crate::error::{Error, Result};
use crate::records::{DeclarationForm, DeclareQuestion, NewDeclaration as Wanted};
use crate::value::{Map, Value};

/// The attributes that change: `zarr_conventions`, and those of the convention.
///
/// # Errors
/// `Argument` when nothing identifies the convention, or when an attribute exists and may not be
/// replaced; `Format` when the node's `zarr_conventions` are not a list.
pub fn declare(DeclareQuestion { attributes, convention: wanted }: DeclareQuestion) -> Result<Map> {
    let known = wanted.known.as_deref().map(known_convention).transpose()?;
    let early = wanted.form == Some(DeclarationForm::Early);
    let declaration = if early { early_form(&wanted, known)? } else { current_form(&wanted, known)? };
    let list = match attributes.get("zarr_conventions") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list.clone(),
        Some(_) => return Err(Error::format("zarr_conventions is not a list").in_field("zarr_conventions")),
    };
    check_collisions(&attributes, &wanted)?;
    let mut changed = wanted.properties;
    changed.insert("zarr_conventions", Value::Array(merged(list, declaration)));
    Ok(changed)
}

fn known_convention(id: &str) -> Result<&'static Known> {
    let known = known_conventions::by_id(id).filter(|known| !known.uuid.is_empty());
    known.ok_or_else(|| {
        let ids: Vec<&str> =
            KNOWN.iter().filter(|known| !known.uuid.is_empty()).map(|known| known.id).collect();
        Error::argument("there is no convention of this name that can be declared")
            .expected(ids.join(", "))
            .actual(id)
    })
}

fn check_collisions(attributes: &Value, wanted: &Wanted) -> Result<()> {
    if wanted.properties.has("zarr_conventions") {
        return Err(Error::argument("the properties of a convention may not contain zarr_conventions"));
    }
    let differs = |(key, value): &&(String, Value)| attributes.get(key).is_some_and(|old| old != value);
    match wanted.properties.iter().find(differs) {
        Some((key, _)) if !wanted.overwrite => {
            Err(Error::argument("the attribute exists already; overwrite: true replaces it")
                .in_field(key.as_str()))
        }
        _ => Ok(()),
    }
}

fn fields(pairs: &[(&str, Option<String>)]) -> Map {
    let mut members = Vec::new();
    for (key, value) in pairs {
        if let Some(value) = value {
            members.push(((*key).to_owned(), Value::String(value.clone())));
        }
    }
    Map::of(members)
}

fn label(wanted: &Wanted, known: Option<&Known>) -> [(&'static str, Option<String>); 2] {
    let name = known.and_then(|known| known.names.first()).map(|name| (*name).to_owned());
    let description = known.map(|known| known.description.to_owned());
    [("name", wanted.name.clone().or(name)), ("description", wanted.description.clone().or(description))]
}

fn identified(declaration: Map, keys: &str) -> Result<Map> {
    let has_identifier = declaration.iter().any(|(key, _)| key != "name" && key != "description");
    if has_identifier {
        Ok(declaration)
    } else {
        Err(Error::argument("nothing identifies the convention").expected(keys))
    }
}

fn current_form(wanted: &Wanted, known: Option<&Known>) -> Result<Map> {
    let [name, description] = label(wanted, known);
    let uuid = wanted.uuid.clone().or_else(|| known.map(|known| known.uuid.to_owned()));
    let schema_url = wanted.schema_url.clone().or_else(|| known.and_then(Known::schema_url));
    let spec_url = wanted.spec_url.clone().or_else(|| known.and_then(Known::spec_url));
    let pairs = [("uuid", uuid), ("schema_url", schema_url), ("spec_url", spec_url), name, description];
    identified(fields(&pairs), "uuid, schemaUrl or specUrl")
}

fn early_form(wanted: &Wanted, known: Option<&Known>) -> Result<Map> {
    let [name, description] = label(wanted, known);
    let early = known.and_then(Known::early_urls);
    let today = known.and_then(|known| Some((known.schema_url()?, known.spec_url()?)));
    let (schema, spec) = early.or(today).unzip();
    let schema = wanted.schema_url.clone().or(schema);
    let spec = wanted.spec_url.clone().or(spec);
    identified(fields(&[("schema", schema), ("spec", spec), name, description]), "schemaUrl or specUrl")
}

/// The identity of a declaration, across the two forms: a known convention's id, else the
/// identifier itself.
fn identity(declaration: &Value) -> Option<String> {
    let text = |keys: [&str; 2]| keys.iter().find_map(|key| declaration.text_of(key));
    let uuid = declaration.text_of("uuid").map(str::to_ascii_lowercase);
    let (schema, spec) = (text(["schema_url", "schema"]), text(["spec_url", "spec"]));
    let known = known_conventions::identified(uuid.as_deref(), schema, spec).map(|known| known.id.to_owned());
    known.or(uuid).or_else(|| schema.or(spec).map(str::to_owned))
}

/// The list with the declaration instead of an older one of the same convention, else at its end.
fn merged(mut list: Vec<Value>, declaration: Map) -> Vec<Value> {
    let declaration = Value::Object(declaration);
    let own = identity(&declaration);
    let mut replacement = Some(declaration);
    list = list
        .into_iter()
        .filter_map(|entry| if identity(&entry) == own { replacement.take() } else { Some(entry) })
        .collect();
    list.extend(replacement);
    list
}
