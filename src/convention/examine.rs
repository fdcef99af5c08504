//! Finds the conventions of a node: those that it declares, those that it has without a
//! declaration, and the findings about both.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::declaration::{Declaration, declarations, report_extra_fields};
use super::finding::{Finding, Report};
use super::node::{Kind, Node};
use super::place::pointer_token;
use super::registry::{KNOWN, Known, Namespace, identified, version_of};

/// A convention that a user registered. TypeScript keeps its schema.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Registered {
    uuid: Option<String>,
    schema_url: Option<String>,
    spec_url: Option<String>,
    /// The prefix of its attributes.
    prefix: Option<String>,
    /// The attribute that contains it.
    key: Option<String>,
}

impl Registered {
    fn is_declared_by(&self, declaration: &Declaration) -> bool {
        let same = |own: &Option<String>, other: &Option<String>| own.is_some() && own == other;
        let uuid = self.uuid.as_ref().map(|uuid| uuid.to_ascii_lowercase());
        match (&declaration.uuid, &declaration.schema_url) {
            (Some(_), _) => same(&uuid, &declaration.uuid),
            (None, Some(_)) => same(&self.schema_url, &declaration.schema_url),
            (None, None) => same(&self.spec_url, &declaration.spec_url),
        }
    }
}

/// A convention of a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The UUID or URL. A convention that is not declared has the id of the
    /// [`registry`](super::registry).
    pub id: String,
    /// Its name, or else the identifier.
    pub label: String,
    /// The id, if it is a known convention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<&'static str>,
    /// The index in the list of registered conventions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered: Option<usize>,
    /// The revision according to the URL, the declaration or the metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether `zarr_conventions` declares it.
    pub declared: bool,
    /// The text that the declaration follows: `current` or `early`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spec_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The attributes that belong to it.
    pub keys: Vec<String>,
    /// JSON pointers of the places where it extends objects of another convention.
    pub extends: Vec<String>,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// All conventions of a node.
#[derive(Debug, Serialize)]
pub struct Examination {
    /// Declared conventions come first, in their order.
    pub conventions: Vec<Found>,
    /// Findings about the list of declarations.
    pub findings: Vec<Finding>,
}

/// Examines a node.
pub fn examine(node: &Node, registered: &[Registered]) -> Examination {
    let mut report = Report::new("zarr_conventions");
    if !node.attributes.is_object() && !node.attributes.is_null() {
        report.error("type", "", "attributes are an object");
    }
    let declared = declarations(&node.attributes, &mut report);
    let mut conventions: Vec<Found> = declared
        .iter()
        .filter(|declaration| declaration.identifier().is_some())
        .map(|declaration| declared_convention(node, declaration, registered, &mut report))
        .collect();
    let undeclared =
        KNOWN.iter().filter(|known| !conventions.iter().any(|found| found.known == Some(known.id)));
    let undeclared: Vec<Found> = undeclared.filter_map(|known| undeclared_convention(node, known)).collect();
    for declaration in declared.iter().filter(|declaration| declaration.identifier().is_none()) {
        report_extra_fields(declaration, None, &mut report);
    }
    conventions.extend(undeclared);
    Examination { conventions, findings: report.into_findings() }
}

fn declared_convention(
    node: &Node,
    declaration: &Declaration,
    registered: &[Registered],
    framework: &mut Report,
) -> Found {
    let known = identified(
        declaration.uuid.as_deref(),
        declaration.schema_url.as_deref(),
        declaration.spec_url.as_deref(),
    );
    let user = registered.iter().position(|convention| convention.is_declared_by(declaration));
    report_extra_fields(declaration, known.and_then(|known| known.extra_field), framework);
    let id = declaration.identifier().unwrap_or_default().to_owned();
    let name = declaration.name.clone().filter(|name| !name.trim().is_empty());
    let namespace = Marks::of(known, user.and_then(|idx| registered.get(idx)), name.as_deref());
    let mut report = Report::new(known.map_or("convention", |known| known.id));
    let version = known.map_or_else(
        || declaration.schema_url.as_deref().and_then(version_of).map(str::to_owned),
        |known| known_version(node, known, declaration, &mut report),
    );
    if let Some(known) = known {
        check_known(node, known, version.as_deref().unwrap_or_default(), &mut report);
        check_name(known, declaration, &mut report);
    }
    Found {
        label: name.unwrap_or_else(|| id.clone()),
        id,
        known: known.map(|known| known.id),
        registered: user,
        version,
        declared: true,
        form: Some(declaration.form.name()),
        uuid: declaration.uuid.clone(),
        schema_url: declaration.schema_url.clone(),
        spec_url: declaration.spec_url.clone(),
        name: declaration.name.clone(),
        description: declaration.description.clone(),
        keys: namespace.keys(node),
        extends: namespace.extends(node),
        findings: report.into_findings(),
    }
}

/// The revision in the URLs. An unknown one is a finding.
fn known_version(
    node: &Node,
    known: &Known,
    declaration: &Declaration,
    report: &mut Report,
) -> Option<String> {
    let urls = [&declaration.schema_url, &declaration.spec_url];
    let tagged = urls.into_iter().flatten().find_map(|url| version_of(url)).map(str::to_owned);
    if known.id == "CF" {
        let field =
            node.place().value.pointer(&format!("{}/version", declaration.path)).and_then(Value::as_str);
        return field
            .map(str::to_owned)
            .or_else(|| (known.recognise)(node).filter(|version| !version.is_empty()))
            .or(tagged);
    }
    let unknown = tagged.as_deref().filter(|version| !known.versions.contains(version));
    if let Some(version) = unknown {
        let message = format!(
            "the revision {version:?} is unknown: it is read as {:?}",
            known.versions.last().unwrap_or(&"")
        );
        report.warning("unknown-version", &declaration.path, message);
    }
    tagged
}

fn check_known(node: &Node, known: &Known, version: &str, report: &mut Report) {
    if let Some(scope) = known.scope.filter(|scope| *scope != node.kind) {
        let (wanted, found) =
            if scope == Kind::Group { ("groups", "an array") } else { ("arrays", "a group") };
        report.error("node-kind", "", format!("this convention is for {wanted}, and this is {found}"));
    }
    (known.validate)(node, version, report);
}

/// Checks that the name is the prefix or the key.
fn check_name(known: &Known, declaration: &Declaration, report: &mut Report) {
    if let Some(name) = &declaration.name
        && !known.names.contains(&name.as_str())
    {
        let path = format!("{}/name", declaration.path);
        report.info(
            "name",
            &path,
            format!("{name:?} should be {:?}", known.names.first().unwrap_or(&known.id)),
        );
    }
}

fn undeclared_convention(node: &Node, known: &'static Known) -> Option<Found> {
    let version = (known.recognise)(node)?;
    let mut report = Report::new(known.id);
    check_known(node, known, &version, &mut report);
    if !known.uuid.is_empty() && known.id != "CF" {
        report.info("undeclared", "", "the convention is used without being declared in zarr_conventions");
    }
    let namespace = Marks::of(Some(known), None, None);
    Some(Found {
        id: if known.uuid.is_empty() { known.id.to_owned() } else { known.uuid.to_owned() },
        label: known.names.first().unwrap_or(&known.id).to_string(),
        known: Some(known.id),
        registered: None,
        version: Some(version).filter(|version| !version.is_empty()),
        declared: false,
        form: None,
        uuid: None,
        schema_url: None,
        spec_url: None,
        name: None,
        description: None,
        keys: namespace.keys(node),
        extends: namespace.extends(node),
        findings: report.into_findings(),
    })
}

/// How to find the attributes of a convention.
struct Marks {
    prefix: Option<String>,
    keys: Vec<String>,
}

impl Marks {
    /// For a known convention from the table, for a registered one from the registration, for
    /// others from their name, which should be the prefix (with its colon) or the key.
    fn of(known: Option<&Known>, user: Option<&Registered>, name: Option<&str>) -> Self {
        if let Some(user) = user.filter(|user| user.prefix.is_some() || user.key.is_some()) {
            return Self { prefix: user.prefix.clone(), keys: user.key.clone().into_iter().collect() };
        }
        match (known.map(|known| known.namespace), name) {
            (Some(Namespace::Prefix(prefix)), _) => {
                Self { prefix: Some(prefix.to_owned()), keys: Vec::new() }
            }
            (Some(Namespace::Keys(keys)), _) => {
                Self { prefix: None, keys: keys.iter().map(|key| (*key).to_owned()).collect() }
            }
            (None, Some(name)) if name.len() > 1 && name.ends_with(':') => {
                Self { prefix: Some(name.to_owned()), keys: Vec::new() }
            }
            (None, Some(name)) if name != "zarr_conventions" => {
                Self { prefix: Some(format!("{name}:")), keys: vec![name.to_owned()] }
            }
            _ => Self { prefix: None, keys: Vec::new() },
        }
    }

    fn has(&self, key: &str) -> bool {
        let prefixed =
            self.prefix.as_ref().is_some_and(|prefix| !prefix.is_empty() && key.starts_with(prefix.as_str()));
        prefixed || self.keys.iter().any(|own| own == key)
    }

    fn keys(&self, node: &Node) -> Vec<String> {
        let keys = node.object().into_iter().flat_map(serde_json::Map::keys);
        keys.filter(|key| self.has(key)).cloned().collect()
    }

    /// Prefixed members of objects below the root.
    fn extends(&self, node: &Node) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(prefix) = self.prefix.as_ref().filter(|prefix| !prefix.is_empty()) {
            for (key, value) in
                node.object().into_iter().flatten().filter(|(key, _)| *key != "zarr_conventions")
            {
                extensions(value, prefix, &format!("/{}", pointer_token(key)), &mut found);
            }
        }
        found
    }
}

/// The maximum number of extensions that are listed.
const EXTENSIONS: usize = 1000;

/// The nesting of the document bounds the depth.
fn extensions(value: &Value, prefix: &str, path: &str, found: &mut Vec<String>) {
    if found.len() >= EXTENSIONS {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let path = format!("{path}/{}", pointer_token(key));
                if key.starts_with(prefix) && found.len() < EXTENSIONS {
                    found.push(path);
                } else {
                    extensions(value, prefix, &path, found);
                }
            }
        }
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                extensions(item, prefix, &format!("{path}/{idx}"), found);
            }
        }
        _ => {}
    }
}
