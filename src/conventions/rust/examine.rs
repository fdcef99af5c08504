//! Finds the conventions of a node: those that it declares, those that it has without a
//! declaration, and the findings about both.

use super::declaration::{Declaration, declarations, report_extra_fields};
use super::finding::Report;
use super::known_conventions::{KNOWN, Known, identified, version_of};
use super::marks::{Marks, NameBudget, extensions};
use super::node::{Kind, Node};
use crate::error::Result;
use crate::quoted::quoted;
use crate::records::{Examination, ExamineQuestion, FoundConvention as Found, RegisteredMarks as Registered};

impl Registered {
    /// The prefix of its attributes and the attribute that contains it, if it has either.
    fn marks(&self) -> Option<Marks> {
        let is_marked = self.prefix.is_some() || self.key.is_some();
        is_marked.then(|| Marks::new(self.prefix.clone(), self.key.clone()))
    }

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

impl Found {
    /// A convention of which no more is known than this.
    fn new(id: String, label: String) -> Self {
        Self {
            id,
            label,
            known: None,
            registered: None,
            version: None,
            declared: false,
            form: None,
            uuid: None,
            schema_url: None,
            spec_url: None,
            name: None,
            description: None,
            keys: Vec::new(),
            extends: Vec::new(),
            findings: Vec::new(),
        }
    }
}

/// Examines a node.
///
/// # Errors
/// `Limit` when the names of the attributes of all conventions are too long together.
pub fn examine(ExamineQuestion { node, registered }: &ExamineQuestion) -> Result<Examination> {
    let mut report = Report::new("zarr_conventions");
    if node.object().is_none() && !node.attributes.is_null() {
        report.error("type", "", "attributes are an object");
    }
    let declared = declarations(&node.attributes, &mut report);
    let (named, unnamed): (Vec<&Declaration>, Vec<&Declaration>) =
        declared.iter().partition(|declaration| declaration.identifier().is_some());
    let mut found: Vec<(Found, Marks)> = Vec::new();
    for declaration in named {
        let is_first = |known: &Known| !found.iter().any(|(other, _)| other.known == Some(known.id));
        let known = known_of(declaration).map(|known| (known, is_first(known)));
        found.push(declared_convention(node, declaration, known, registered, &mut report));
    }
    let undeclared =
        KNOWN.iter().filter(|known| !found.iter().any(|(other, _)| other.known == Some(known.id)));
    let undeclared: Vec<_> = undeclared.filter_map(|known| undeclared_convention(node, known)).collect();
    for declaration in unnamed {
        report_extra_fields(declaration, None, &mut report);
    }
    found.extend(undeclared);
    Ok(Examination { conventions: with_names(node, found)?, findings: report.into_findings() })
}

/// Adds the names of the attributes that belong to each convention.
fn with_names(node: &Node, found: Vec<(Found, Marks)>) -> Result<Vec<Found>> {
    let (mut conventions, marks): (Vec<Found>, Vec<Marks>) = found.into_iter().unzip();
    let mut budget = NameBudget::default();
    for (convention, marks) in conventions.iter_mut().zip(&marks) {
        convention.keys = marks.keys(node, &mut budget)?;
    }
    let extensions = extensions(node, &marks, &mut budget)?;
    for (convention, extends) in conventions.iter_mut().zip(extensions) {
        convention.extends = extends;
    }
    Ok(conventions)
}

fn known_of(declaration: &Declaration) -> Option<&'static Known> {
    let Declaration { uuid, schema_url, spec_url, .. } = declaration;
    identified(uuid.as_deref(), schema_url.as_deref(), spec_url.as_deref())
}

/// `known` is the known convention of the declaration, and whether it is the first declaration of
/// it. Only then is the node checked: a second check would find the same.
fn declared_convention(
    node: &Node,
    declaration: &Declaration,
    known: Option<(&Known, bool)>,
    registered: &[Registered],
    framework: &mut Report,
) -> (Found, Marks) {
    let is_first = known.is_some_and(|(_, is_first)| is_first);
    let known = known.map(|(known, _)| known);
    let user = registered.iter().position(|convention| convention.is_declared_by(declaration));
    report_extra_fields(declaration, known.and_then(|known| known.extra_field), framework);
    let id = declaration.identifier().unwrap_or_default().to_owned();
    let name = declaration.name.clone().filter(|name| !name.trim().is_empty());
    let marks = user.and_then(|idx| registered.get(idx)?.marks());
    let marks = marks.unwrap_or_else(|| Marks::of(known, name.as_deref()));
    let mut report = Report::new(known.map_or("convention", |known| known.id));
    let version = known.map_or_else(
        || declaration.schema_url.as_deref().and_then(version_of).map(str::to_owned),
        |known| known_version(node, known, declaration, &mut report),
    );
    if let Some(known) = known {
        if is_first {
            check_known(node, known, version.as_deref().unwrap_or_default(), &mut report);
        }
        check_name(known, declaration, &mut report);
    }
    let found = Found {
        known: known.map(|known| known.id),
        registered: user,
        version,
        declared: true,
        form: Some(declaration.form),
        uuid: declaration.uuid.clone(),
        schema_url: declaration.schema_url.clone(),
        spec_url: declaration.spec_url.clone(),
        name: declaration.name.clone(),
        description: declaration.description.clone(),
        findings: report.into_findings(),
        ..Found::new(id.clone(), name.unwrap_or(id))
    };
    (found, marks)
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
        let field = declaration.version.clone();
        return field.or_else(|| (known.recognise)(node).filter(|version| !version.is_empty())).or(tagged);
    }
    let unknown = tagged.as_deref().filter(|version| !known.versions.contains(version));
    if let Some(version) = unknown {
        let message = format!(
            "the revision {} is unknown: it is read as {}",
            quoted(version),
            quoted(known.versions.last().unwrap_or(&""))
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
            format!("{} should be {}", quoted(name), quoted(known.names.first().unwrap_or(&known.id))),
        );
    }
}

fn undeclared_convention(node: &Node, known: &'static Known) -> Option<(Found, Marks)> {
    let version = (known.recognise)(node)?;
    let mut report = Report::new(known.id);
    check_known(node, known, &version, &mut report);
    if !known.uuid.is_empty() && known.id != "CF" {
        report.info("undeclared", "", "the convention is used without being declared in zarr_conventions");
    }
    let id = if known.uuid.is_empty() { known.id } else { known.uuid };
    let label = known.names.first().unwrap_or(&known.id);
    let found = Found {
        known: Some(known.id),
        version: Some(version).filter(|version| !version.is_empty()),
        findings: report.into_findings(),
        ..Found::new(id.to_owned(), (*label).to_owned())
    };
    Some((found, Marks::of(Some(known), None)))
}
