//! Finds the array of each level: the named array, or a variable in the named group.

use super::source::{LevelSource, Source};
use super::{LEVELS, Question, SENTENCES, Wants, no_path};
use crate::error::{Error, Result};
use crate::finding::Report;
use crate::node::{Kind, Node};
use crate::path::{self, join};
use crate::quoted::quoted;
use crate::sorted;

/// A level whose array is known.
#[derive(Clone, Debug)]
pub struct FoundLevel<'a> {
    /// Its entry in the metadata.
    pub source: &'a LevelSource,
    /// The array's path.
    pub path: String,
    /// The array.
    pub node: &'a Node,
    /// The group of the level, if the level is a group.
    pub group: Option<&'a Node>,
}

/// The levels whose arrays are known.
#[derive(Debug, Default)]
pub struct Found<'a> {
    /// The levels, in document order.
    pub levels: Vec<FoundLevel<'a>>,
    /// Arrays of two dimensions and more in the first level that is a group.
    pub variables: Vec<String>,
    /// The chosen variable.
    pub variable: Option<String>,
}

/// The maximum number of arrays of a group that are examined.
const CANDIDATES: usize = 64;

/// Names of coordinates and reference systems, which are never images.
const COORDINATES: [&str; 12] =
    ["x", "y", "z", "t", "time", "lat", "lon", "latitude", "longitude", "spatial_ref", "crs", "band"];

/// Finds the array of every level. Adds to `wants` what is not known yet.
pub fn find<'a>(
    question: &'a Question,
    root: &str,
    source: &'a Source<'a>,
    wants: &mut Wants,
    report: &mut Report,
) -> Result<Found<'a>> {
    if source.levels.len() > LEVELS {
        report.warning(
            "levels",
            "",
            format!("the metadata lists {} levels: only the first {LEVELS} are read", source.levels.len()),
        );
    }
    let found = Found { variable: question.variable.clone(), ..Found::default() };
    for (pointer, why) in &source.pathless {
        no_path(report, root, pointer, why);
    }
    let mut finder = Finder { question, found, wants, report };
    for level in source.levels.iter().take(LEVELS) {
        let Some(path) = finder.path_of(root, source, level) else { continue };
        match question.nodes.get(&path) {
            // OME's levels are arrays; those of others may be groups of several.
            None if source.convention == "ome" => finder.wants.array(path),
            None => finder.wants.node(path),
            Some(None) => question.report(&path, &level.pointer, "nothing", finder.report),
            Some(Some(node)) if node.kind == Kind::Array => {
                finder.found.levels.push(FoundLevel { source: level, path, node, group: None });
            }
            Some(Some(_)) if source.convention == "ome" => {
                question.report(&path, &level.pointer, "no array", finder.report);
            }
            Some(Some(group)) => finder.of_group(level, &path, group)?,
        }
    }
    let Finder { mut found, report, .. } = finder;
    let rank = found.levels.first().map_or(0, |level| level.node.shape.len());
    found.levels.retain(|level| {
        let same = level.node.shape.len() == rank;
        if !same {
            let message = format!(
                "{} has {} dimensions, but the first level has {rank}",
                quoted(&level.path),
                level.node.shape.len()
            );
            report.error("rank", &level.source.pointer, message);
        }
        same
    });
    Ok(found)
}

/// What is known, found and wanted while levels are searched.
struct Finder<'a, 'b> {
    question: &'a Question,
    found: Found<'a>,
    wants: &'b mut Wants,
    report: &'b mut Report,
}

impl<'a> Finder<'a, '_> {
    /// The path of a level. The caller's own array and variable have names, not paths.
    fn path_of(&mut self, root: &str, source: &Source<'_>, level: &LevelSource) -> Option<String> {
        if source.convention == "array" {
            return Some(join(root, &level.asset));
        }
        let path = path::below(root, &level.asset);
        path.map_err(|why| no_path(self.report, root, &level.pointer, &why)).ok()
    }

    /// Finds the array of a level that is a group: the variable that the caller or the first such
    /// level chose.
    fn of_group(&mut self, level: &'a LevelSource, path: &str, group: &'a Node) -> Result<()> {
        if self.found.variable.is_none() {
            self.choose(path, group)?;
        }
        let Some(variable) = &self.found.variable else { return Ok(()) };
        let path = join(path, variable);
        match self.question.nodes.get(&path) {
            None => self.wants.array(path),
            Some(Some(node)) if node.kind == Kind::Array => {
                self.found.levels.push(FoundLevel { source: level, path, node, group: Some(group) });
            }
            Some(_) => self.question.report(&path, &level.pointer, "no array", self.report),
        }
        Ok(())
    }

    /// Chooses the variable: among the arrays with the most dimensions, the first by name. Arrays
    /// of coordinates do not count.
    fn choose(&mut self, path: &str, group: &Node) -> Result<()> {
        let Some(children) = &group.children else {
            self.wants.listing(path);
            return Ok(());
        };
        let direct = |name: &str| !name.contains('/') && !COORDINATES.contains(&name);
        let mut names: Vec<&str> = children
            .iter()
            .filter(|child| child.kind == Kind::Array && direct(&child.path))
            .map(|child| child.path.as_str())
            .collect();
        sorted::sort(&mut names);
        names.truncate(CANDIDATES);
        let mut ranked: Vec<(usize, &str)> = Vec::new();
        for name in &names {
            let path = join(path, name);
            match self.question.nodes.get(&path) {
                None => self.wants.array(path),
                Some(Some(node)) if node.kind == Kind::Array && node.shape.len() >= 2 => {
                    ranked.push((node.shape.len(), name));
                }
                Some(_) => {}
            }
        }
        if !self.wants.is_empty() {
            return Ok(());
        }
        let Some(most) = ranked.iter().map(|(rank, _)| *rank).max() else {
            return Err(self.no_variable(path, &names));
        };
        self.found.variables = ranked.iter().map(|(_, name)| (*name).to_owned()).collect();
        self.found.variable =
            ranked.iter().find(|(rank, _)| *rank == most).map(|(_, name)| (*name).to_owned());
        Ok(())
    }

    /// The error for a group at `path` none of whose arrays, `names`, can be the variable.
    fn no_variable(&self, path: &str, names: &[&str]) -> Error {
        let mut refused = Report::new("pyramid");
        for path in names.iter().map(|name| join(path, name)) {
            if self.question.refused.has(&path) {
                self.question.report(&path, "", "nothing", &mut refused);
            }
        }
        let reasons = refused.summary(SENTENCES).map(|reasons| format!(": {reasons}")).unwrap_or_default();
        Error::argument("name the array of each level with the option `variable`")
            .at_node(path)
            .actual(format!("no array of two dimensions or more can be listed in it{reasons}"))
    }
}
