//! One model of every pyramid: OME-Zarr, `multiscales` (today's and early), ndpyramid, `tile_matrix_set`, and an array alone.
//!
//! A machine that asks: [`step`] is given the nodes that are known and answers with the nodes it needs, or with the model.
//! It opens nothing itself. **World**: `world = index × scale + translation`, where a whole index is the *centre* of an element,
//! whatever the convention counts from: OME's centres, the corners of `spatial:` (registration `pixel`), or its nodes.

mod axes;
mod crs;
mod levels;
mod position;
mod source;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finding::{Finding, Report};
use super::node::{Node, Nodes, Refusal, Refusals};
use crate::error::{Error, ErrorKind, Result};
pub use axes::PyramidAxis;
use source::Source;

/// How many levels are looked at: 2^64 elements halved to one are 65.
const LEVELS: usize = 66;

/// How many reasons an error gives.
const SENTENCES: usize = 8;

/// What is known, and what is wanted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The path of the group (or array).
    root: String,
    /// What is known so far.
    nodes: Nodes,
    /// Which of them could not be opened.
    #[serde(default)]
    refused: Refusals,
    /// Which image, where a group has several.
    #[serde(default)]
    image: usize,
    /// Which array, where levels are groups of several.
    #[serde(default)]
    variable: Option<String>,
}

impl Question {
    /// Says that a node is missing, or why it cannot be opened.
    fn report(&self, path: &str, pointer: &str, what: &str, report: &mut Report) {
        match self.refused.get(path) {
            Some(refusal) => report.error("unreadable", pointer, reason(path, refusal)),
            None => report.error("missing-level", pointer, format!("there is {what} at {path:?}")),
        }
    }

    /// Tells of nodes that are no levels and cannot be opened: labels, a grid mapping.
    fn report_others(&self, report: &mut Report) {
        for (path, refusal) in &self.refused {
            let reason = reason(path, refusal);
            if !report.says(&reason) {
                report.error("unreadable", "", reason);
            }
        }
    }

    /// The kind of the error when no level can be used: that of all refusals, where they are of one.
    fn refusal_kind(&self) -> ErrorKind {
        let mut codes = self.refused.values().map(|refusal| refusal.code.as_str());
        let first = codes.next();
        let first = first.filter(|first| codes.all(|code| code == *first));
        first.and_then(ErrorKind::from_code).unwrap_or(ErrorKind::Format)
    }
}

fn reason(path: &str, Refusal { message, .. }: &Refusal) -> String {
    format!("{path:?} cannot be opened: {message}")
}

/// What comes next.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Step {
    /// These nodes, and lists of what is below these groups.
    Need(Wants),
    /// The answer.
    Model(Box<Model>),
}

/// A transformation that is not used.
#[derive(Clone, Debug, Serialize)]
pub struct Ignored {
    /// Where it stands: a JSON pointer.
    pub path: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
}

/// One level.
#[derive(Debug, Serialize)]
pub struct Level {
    /// The array's path.
    pub path: String,
    /// As the metadata name it.
    pub asset: String,
    /// World units a step of the index, an axis.
    pub scale: Vec<f64>,
    /// World coordinate of the centre of the first element, an axis.
    pub translation: Vec<f64>,
    /// Where x and y mix: `x = a·column + b·row + c`, `y = d·column + e·row + f`, of centres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affine: Option<[f64; 6]>,
}

/// A pyramid.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The id of the convention it was read from, or `array`.
    pub convention: &'static str,
    /// Its version, where it has one.
    pub version: String,
    /// The image's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many images the group has.
    pub images: usize,
    /// In the order of the arrays.
    pub axes: Vec<PyramidAxis>,
    /// The coordinate reference system, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crs: Option<Value>,
    /// Finest first.
    pub levels: Vec<Level>,
    /// OME's channels, as written.
    pub channels: Vec<Value>,
    /// Paths of label images.
    pub labels: Vec<String>,
    /// Arrays of a level, where levels are groups.
    pub variables: Vec<String>,
    /// Which of them this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Whether positions are in the world, or only relative to the finest level's elements.
    pub placed: bool,
    /// Whether `spatial:` of the group says where x and y are.
    pub spatial: bool,
    /// Transformations that are not used.
    pub ignored: Vec<Ignored>,
    /// What is wrong with the levels.
    pub findings: Vec<Finding>,
}

/// What is needed, as paths, in the order in which it came up.
#[derive(Debug, Default, Serialize)]
pub struct Wants {
    /// Nodes of either kind.
    nodes: Vec<String>,
    /// Nodes that are of use as arrays alone.
    arrays: Vec<String>,
    /// Groups that the model can do without.
    optional: Vec<String>,
    /// Groups, for what is below them.
    listings: Vec<String>,
}

fn insert(paths: &mut Vec<String>, path: String) {
    if !paths.contains(&path) {
        paths.push(path);
    }
}

impl Wants {
    fn node(&mut self, path: String) {
        insert(&mut self.nodes, path);
    }

    fn array(&mut self, path: String) {
        insert(&mut self.arrays, path);
    }

    fn optional(&mut self, path: String) {
        insert(&mut self.optional, path);
    }

    fn listing(&mut self, path: &str) {
        insert(&mut self.listings, path.to_owned());
    }

    fn is_empty(&self) -> bool {
        [&self.nodes, &self.arrays, &self.optional, &self.listings].into_iter().all(Vec::is_empty)
    }
}

/// `asset` below `base`.
pub(super) fn join(base: &str, asset: &str) -> String {
    match (base.trim_end_matches('/'), asset.trim_matches('/')) {
        ("", "") => "/".to_owned(),
        (base, "") => base.to_owned(),
        (base, asset) => format!("{base}/{asset}"),
    }
}

/// The path of the group that holds a node.
pub(super) fn parent(path: &str) -> String {
    let end = path.trim_end_matches('/').rfind('/').unwrap_or(0);
    if end == 0 { "/".to_owned() } else { path.get(..end).unwrap_or("/").to_owned() }
}

/// The next question, or the answer.
///
/// # Errors
/// `NotFound` when there is nothing at the path, or no pyramid; `Format` when no level can be used; `Argument` when levels hold
/// several arrays and nothing can list them.
pub fn step(question: &Question) -> Result<Step> {
    let mut root = question.root.clone();
    // bioformats2raw puts images into groups below one that says so; they do not nest.
    for _ in 0..2 {
        let Some(known) = question.nodes.get(&root) else { return Ok(need(root)) };
        let node = known.as_ref().ok_or_else(|| absent(question, &root))?;
        match source::follow(node) {
            Some(series) if node.is_group() => root = join(&root, &series),
            _ => return of_node(question, &root, node),
        }
    }
    Err(no_pyramid(&root))
}

fn absent(question: &Question, root: &str) -> Error {
    let error = match question.refused.get(root) {
        Some(Refusal { message, .. }) => Error::new(question.refusal_kind(), message.clone()),
        None => Error::not_found("there is no node"),
    };
    error.at_node(root)
}

fn need(path: String) -> Step {
    Step::Need(Wants { nodes: vec![path], ..Wants::default() })
}

fn no_pyramid(root: &str) -> Error {
    Error::not_found("the group has no metadata of a pyramid that is known")
        .at_node(root)
        .expected("OME-Zarr, multiscales, ndpyramid or tile_matrix_set (a plate's images are in its wells)")
}

fn of_node(question: &Question, root: &str, node: &Node) -> Result<Step> {
    let source =
        source::of(node, question.image, question.variable.as_deref())?.ok_or_else(|| no_pyramid(root))?;
    let mut report = Report::new("pyramid");
    let mut wants = Wants::default();
    let found = levels::find(question, root, &source, &mut wants, &mut report)?;
    let labels = labels(question, root, &source, &mut wants);
    let reference =
        found.levels.first().and_then(|level| crs::find(&question.nodes, root, level, &source, &mut wants));
    if !wants.is_empty() {
        return Ok(Step::Need(wants));
    }
    if found.levels.is_empty() {
        return Err(Error::new(question.refusal_kind(), "no level of the pyramid can be used")
            .at_node(root)
            .actual(report.summary(SENTENCES).unwrap_or_else(|| "no levels".to_owned())));
    }
    question.report_others(&mut report);
    let gathered = Gathered { found, labels, reference, report };
    let model = assemble(root, node, &source, gathered);
    Ok(Step::Model(Box::new(model)))
}

/// What the metadata of all nodes of a pyramid gives.
struct Gathered<'a> {
    found: levels::Found<'a>,
    labels: Vec<String>,
    reference: Option<crs::Reference>,
    report: Report,
}

fn assemble(root: &str, node: &Node, source: &Source, gathered: Gathered<'_>) -> Model {
    let Gathered { found, labels, reference, mut report } = gathered;
    let axes = axes::of(source, node, &found.levels, root);
    let geometry = reference.as_ref().and_then(|reference| reference.plane);
    let evidence = position::Evidence { source, root: node, axes: &axes, levels: &found.levels, geometry };
    let (mut levels, placed) = position::place(&evidence, &mut report);
    position::sort(&mut levels, &axes);
    if let Some(channels) = axes.iter().position(|axis| axis.role == "c") {
        let count = found.levels[0].node.shape.get(channels).copied().unwrap_or(0.0);
        let described = source.channels.len();
        #[allow(clippy::cast_precision_loss)] // a count of channels
        if described > 0 && described as f64 != count {
            report.warning(
                "channels",
                "",
                format!("{described} channels are described, the array has {count}"),
            );
        }
    }
    Model {
        convention: source.convention,
        version: source.version.clone(),
        name: source.name.clone(),
        images: source.images,
        axes,
        crs: reference.map(|reference| reference.crs),
        levels,
        channels: source.channels.clone(),
        labels,
        variables: found.variables,
        variable: found.variable,
        placed,
        spatial: node.get("spatial:transform").is_some(),
        ignored: source.ignored.clone(),
        findings: report.into_findings(),
    }
}

/// The label images of an OME image: `labels/` lists them.
fn labels(question: &Question, root: &str, source: &Source, wants: &mut Wants) -> Vec<String> {
    if source.convention != "ome" {
        return Vec::new();
    }
    let path = join(root, "labels");
    let Some(known) = question.nodes.get(&path) else {
        wants.optional(path);
        return Vec::new();
    };
    let list = known.as_ref().and_then(|node| {
        let nested = node.get("ome").and_then(|ome| ome.get("labels"));
        nested.or_else(|| node.get("labels"))?.as_array()
    });
    list.into_iter().flatten().filter_map(Value::as_str).map(|label| join(&path, label)).collect()
}
