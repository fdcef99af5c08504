//! One model for all pyramids: OME-Zarr, `multiscales` (current and early), ndpyramid,
//! `tile_matrix_set`, and a single array.
//!
//! A state machine without I/O: [`step`] takes the nodes that are known, and returns the nodes that
//! it needs next, or the model. World coordinates are `index × scale + translation`. An integer
//! index is the *centre* of an element in the model, also where a convention counts from corners
//! (`spatial:` with registration `pixel`).

mod axes;
mod contradiction;
mod crs;
mod levels;
mod position;
mod series;
mod source;

use super::finding::Report;
use super::node::{Node, Refusal};
use super::pointer::Pointer;
use crate::error::{Error, ErrorKind, Result};
use crate::ome::channel::channels;
use crate::path;
use crate::quoted::quoted;
use crate::records::{
    Answered, AxisRole, LevelFacts as Level, PyramidFacts as Model, PyramidNeeds, PyramidQuestion as Question,
};
use crate::sorted::Map;
use series::Image;
use source::Source;

/// The maximum number of levels: 2^64 elements can be halved 64 times.
const LEVELS: usize = 66;

/// The maximum number of reasons in an error.
const SENTENCES: usize = 8;

impl Question {
    /// Reports that a node is missing, or why it cannot be opened.
    fn report(&self, path: &str, pointer: &str, what: &str, report: &mut Report) {
        match self.refused.get(path) {
            Some(refusal) => report.error("unreadable", pointer, reason(path, refusal)),
            None => report.error("missing-level", pointer, format!("there is {what} at {}", quoted(path))),
        }
    }

    /// Reports other nodes that cannot be opened: labels, a grid mapping.
    fn report_others(&self, report: &mut Report) {
        for (path, refusal) in self.refused.iter() {
            let reason = reason(path, refusal);
            if !report.says(&reason) {
                report.error("unreadable", "", reason);
            }
        }
    }

    /// The kind of the error when no level can be used: that of all refusals, if they have the same
    /// kind. A variable that the caller names and that is in no level is not found.
    fn refusal_kind(&self) -> ErrorKind {
        if self.variable.is_some() && self.refused.is_empty() {
            return ErrorKind::NotFound;
        }
        let mut codes = self.refused.iter().map(|(_, refusal)| refusal.code.as_str());
        let first = codes.next();
        let first = first.filter(|first| codes.all(|code| code == *first));
        first.and_then(ErrorKind::of_name).unwrap_or(ErrorKind::Format)
    }
}

fn reason(path: &str, Refusal { message, .. }: &Refusal) -> String {
    format!("{} cannot be opened: {message}", quoted(path))
}

/// The result of a step.
#[derive(Debug)]
pub enum Step<'a> {
    /// The nodes to open, and the groups to list.
    Need(Box<Wants>),
    /// The model.
    Model(Box<Model<'a>>),
}

impl Answered for Step<'_> {
    fn write(&self, text: &mut String) {
        match self {
            Self::Need(wants) => wants.record().write(text),
            Self::Model(model) => model.write(text),
        }
    }
}

/// Different paths, in the order of their discovery.
#[derive(Debug, Default)]
struct Paths {
    list: Vec<String>,
    known: Map<String, ()>,
}

impl Paths {
    fn insert(&mut self, path: String) {
        if self.known.insert(path.clone(), ()).is_none() {
            self.list.push(path);
        }
    }
}

/// The paths of nodes that are needed next.
#[derive(Debug, Default)]
pub struct Wants {
    /// Arrays or groups.
    nodes: Paths,
    /// Nodes that are only used if they are arrays.
    arrays: Paths,
    /// Optional groups.
    optional: Paths,
    /// Groups to list.
    listings: Paths,
}

impl Wants {
    fn record(&self) -> PyramidNeeds {
        let [nodes, arrays, optional, listings] =
            [&self.nodes, &self.arrays, &self.optional, &self.listings].map(|paths| paths.list.clone());
        PyramidNeeds { nodes, arrays, optional, listings }
    }

    fn node(&mut self, path: String) {
        self.nodes.insert(path);
    }

    fn array(&mut self, path: String) {
        self.arrays.insert(path);
    }

    fn optional(&mut self, path: String) {
        self.optional.insert(path);
    }

    fn listing(&mut self, path: &str) {
        self.listings.insert(path.to_owned());
    }

    fn is_empty(&self) -> bool {
        [&self.nodes, &self.arrays, &self.optional, &self.listings].iter().all(|paths| paths.list.is_empty())
    }
}

/// Reports an attribute of the node at `path` that should be a path, and why it is none.
fn no_path(report: &mut Report, path: &str, pointer: &str, why: &str) {
    let message = format!("the attribute {pointer} of {} is no path that can be used: {why}", quoted(path));
    report.error("path", pointer, message);
}

/// Makes the next step.
///
/// # Errors
/// `NotFound` when there is no node at the path, or no pyramid; `Format` when no level can be used;
/// `Argument` when levels are groups whose arrays cannot be listed.
pub fn step(question: &Question) -> Result<Step<'_>> {
    let root = question.root.as_str();
    let Some(known) = question.nodes.get(root) else { return Ok(need(root.to_owned())) };
    let node = known.as_ref().ok_or_else(|| absent(question, root))?;
    let mut wants = Wants::default();
    let mut report = Report::new("pyramid");
    let images = series::find(question, root, node, &mut wants, &mut report);
    if !wants.is_empty() {
        return Ok(Step::Need(Box::new(wants)));
    }
    let chosen = series::choose(&images, question.image.as_ref(), root)?;
    let chosen = chosen.ok_or_else(|| no_image(root, &report))?;
    let Some(known) = question.nodes.get(&chosen.path) else { return Ok(need(chosen.path.clone())) };
    let node = known.as_ref().ok_or_else(|| absent(question, &chosen.path))?;
    of_node(question, chosen, node, &images, report)
}

/// The error for a group that leads to images, none of which can be used.
fn no_image(root: &str, report: &Report) -> Error {
    match report.summary(SENTENCES) {
        Some(reasons) => {
            Error::new(ErrorKind::Format, "no image of the group can be used").at_node(root).actual(reasons)
        }
        None => no_pyramid(root),
    }
}

fn absent(question: &Question, root: &str) -> Error {
    let error = match question.refused.get(root) {
        Some(Refusal { message, .. }) => Error::new(question.refusal_kind(), message.clone()),
        None => Error::not_found("there is no node"),
    };
    error.at_node(root)
}

fn need(path: String) -> Step<'static> {
    let mut wants = Wants::default();
    wants.node(path);
    Step::Need(Box::new(wants))
}

fn no_pyramid(root: &str) -> Error {
    Error::not_found("the group has no metadata of a pyramid that is known")
        .at_node(root)
        .expected("OME-Zarr, multiscales, ndpyramid or tile_matrix_set")
}

fn of_node<'a>(
    question: &'a Question,
    chosen: &Image,
    node: &'a Node,
    images: &[Image],
    mut report: Report,
) -> Result<Step<'a>> {
    let root = chosen.path.as_str();
    let source =
        source::of(node, chosen.own, question.variable.as_deref()).ok_or_else(|| no_pyramid(root))?;
    let mut wants = Wants::default();
    let mut images = images.to_vec();
    if !question.own {
        series::describe(question, &mut images, &mut wants);
    }
    let found = levels::find(question, root, &source, &mut wants, &mut report)?;
    let labels = labels(question, root, &source, &mut wants, &mut report);
    let mut search = crs::Search { nodes: &question.nodes, wants: &mut wants, report: &mut report };
    let reference = found.levels.first().and_then(|level| search.find(root, level, &source));
    if !wants.is_empty() {
        return Ok(Step::Need(Box::new(wants)));
    }
    if found.levels.is_empty() {
        return Err(Error::new(question.refusal_kind(), "no level of the pyramid can be used")
            .at_node(root)
            .actual(report.summary(SENTENCES).unwrap_or_else(|| "no levels".to_owned())));
    }
    question.report_others(&mut report);
    if let Some(image) = images.get_mut(chosen.index) {
        image.shape = found.levels.first().map(|level| level.node.shape.clone());
        image.name.clone_from(&source.name);
    }
    let gathered = Gathered { found, labels, reference, report };
    let model = assemble(root, node, &source, gathered);
    let series = images.into_iter().map(Image::record).collect();
    Ok(Step::Model(Box::new(Model { series, image: chosen.index, ..model })))
}

/// What the metadata of all nodes of a pyramid gives.
struct Gathered<'a> {
    found: levels::Found<'a>,
    labels: Vec<String>,
    reference: Option<crs::Reference>,
    report: Report,
}

fn assemble<'a>(root: &str, node: &Node, source: &Source<'a>, gathered: Gathered<'_>) -> Model<'a> {
    let Gathered { found, labels, reference, mut report } = gathered;
    let axes = axes::of(source, node, &found.levels, root);
    let geometry = reference.as_ref().and_then(|reference| reference.plane);
    let evidence = position::Evidence { source, root: node, axes: &axes, levels: &found.levels, geometry };
    let (mut levels, placed) = position::of_levels(&evidence, &mut report);
    contradiction::report(&evidence, &levels, &mut report);
    position::sort(&mut levels, &axes);
    let colors = if source.channels.is_empty() { axes::colors(&axes, &found.levels) } else { 0 };
    if let Some(channels) = axes.iter().position(|axis| axis.role == AxisRole::C) {
        let first = found.levels.first();
        let count = first.and_then(|level| level.node.shape.get(channels)).copied().unwrap_or(0.0);
        let described = source.channels.len();
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]
        // counts
        if described > 0 && described as f64 != count {
            report.warning(
                "channels",
                "",
                format!("the metadata describes {described} channels, but the array has {}", count as u64),
            );
        }
    }
    Model {
        convention: source.convention,
        version: source.version.clone(),
        name: source.name.clone(),
        images: source.images,
        series: Vec::new(),
        image: 0,
        axes,
        crs: reference.map(|reference| reference.crs),
        levels,
        channels: channels(source.channels, colors),
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
fn labels(
    question: &Question,
    root: &str,
    source: &Source<'_>,
    wants: &mut Wants,
    report: &mut Report,
) -> Vec<String> {
    if source.convention != "ome" {
        return Vec::new();
    }
    let path = path::join(root, "labels");
    let Some(known) = question.nodes.get(&path) else {
        wants.optional(path);
        return Vec::new();
    };
    let Some(node) = known else { return Vec::new() };
    let pointer = node.pointer();
    let list =
        pointer.member("ome").and_then(|ome| ome.member("labels")).or_else(|| pointer.member("labels"));
    let mut labels = Vec::new();
    for label in list.iter().flat_map(Pointer::items) {
        match path::of_value(&path, Some(label.value)) {
            Ok(label) => labels.push(label),
            Err(why) => no_path(report, &path, &label.path, &why),
        }
    }
    labels
}
