//! From a level's name to its array: itself, or a variable in the group it names.

use super::source::{LevelSource, Source};
use super::{LEVELS, Question, SENTENCES, Wants, join};
use crate::convention::finding::Report;
use crate::convention::node::{Kind, Node};
use crate::error::{Error, Result};

/// A level whose array is known.
#[derive(Clone, Debug)]
pub struct FoundLevel<'a> {
    /// Where in the metadata it is named.
    pub source: &'a LevelSource,
    /// The array's path.
    pub path: String,
    /// The array.
    pub node: &'a Node,
    /// The group of the level, where it is one.
    pub group: Option<&'a Node>,
}

/// The levels that are there.
#[derive(Debug, Default)]
pub struct Found<'a> {
    /// In document order.
    pub levels: Vec<FoundLevel<'a>>,
    /// Arrays of two dimensions and more in the first level that is a group.
    pub variables: Vec<String>,
    /// Which was taken.
    pub variable: Option<String>,
}

/// How many arrays of a group are looked at.
const CANDIDATES: usize = 64;

/// Names that hold coordinates or a reference system, never a picture.
const COORDINATES: [&str; 12] =
    ["x", "y", "z", "t", "time", "lat", "lon", "latitude", "longitude", "spatial_ref", "crs", "band"];

/// Looks for the array of every level; what is not known yet is wanted.
pub fn find<'a>(
    question: &'a Question,
    root: &str,
    source: &'a Source,
    wants: &mut Wants,
    report: &mut Report,
) -> Result<Found<'a>> {
    if source.levels.len() > LEVELS {
        report.warning(
            "levels",
            "",
            format!("{} levels are named; the first {LEVELS} are read", source.levels.len()),
        );
    }
    let mut found = Found { variable: question.variable.clone(), ..Found::default() };
    for level in source.levels.iter().take(LEVELS) {
        let path = join(root, &level.asset);
        match question.nodes.get(&path) {
            // OME's levels are arrays; those of others may be groups of several.
            None if source.convention == "ome" => wants.array(path),
            None => wants.node(path),
            Some(None) => question.report(&path, &level.pointer, "nothing", report),
            Some(Some(node)) if node.kind == Kind::Array => {
                found.levels.push(FoundLevel { source: level, path, node, group: None });
            }
            Some(Some(group)) => of_group(question, level, &path, group, &mut found, wants, report)?,
        }
    }
    let rank = found.levels.first().map_or(0, |level| level.node.shape.len());
    found.levels.retain(|level| {
        let same = level.node.shape.len() == rank;
        if !same {
            let message =
                format!("{:?} has {} dimensions, the first level {rank}", level.path, level.node.shape.len());
            report.error("rank", &level.source.pointer, message);
        }
        same
    });
    Ok(found)
}

fn of_group<'a>(
    question: &'a Question,
    level: &'a LevelSource,
    path: &str,
    group: &'a Node,
    found: &mut Found<'a>,
    wants: &mut Wants,
    report: &mut Report,
) -> Result<()> {
    if found.variable.is_none() {
        choose(question, path, group, found, wants)?;
    }
    let Some(variable) = &found.variable else { return Ok(()) };
    let path = join(path, variable);
    match question.nodes.get(&path) {
        None => wants.array(path),
        Some(Some(node)) if node.kind == Kind::Array => {
            found.levels.push(FoundLevel { source: level, path, node, group: Some(group) });
        }
        Some(_) => question.report(&path, &level.pointer, "no array", report),
    }
    Ok(())
}

/// Chooses the variable: the first by name of the most dimensions, coordinates left aside.
fn choose(
    question: &Question,
    path: &str,
    group: &Node,
    found: &mut Found<'_>,
    wants: &mut Wants,
) -> Result<()> {
    let Some(children) = &group.children else {
        wants.listing(path);
        return Ok(());
    };
    let direct = |name: &str| !name.contains('/') && !COORDINATES.contains(&name);
    let mut names: Vec<&str> = children
        .iter()
        .filter(|child| child.kind == Kind::Array && direct(&child.path))
        .map(|child| child.path.as_str())
        .collect();
    names.sort_unstable();
    names.truncate(CANDIDATES);
    let mut ranked: Vec<(usize, &str)> = Vec::new();
    for name in &names {
        let path = join(path, name);
        match question.nodes.get(&path) {
            None => wants.array(path),
            Some(Some(node)) if node.kind == Kind::Array && node.shape.len() >= 2 => {
                ranked.push((node.shape.len(), name));
            }
            Some(_) => {}
        }
    }
    if !wants.is_empty() {
        return Ok(());
    }
    if ranked.is_empty() {
        let error = Error::argument("which array of a level is meant must be said: variable").at_node(path);
        let mut refused = Report::new("pyramid");
        for path in names.iter().map(|name| join(path, name)) {
            if question.refused.contains_key(&path) {
                question.report(&path, "", "nothing", &mut refused);
            }
        }
        let reasons = refused.summary(SENTENCES).map(|reasons| format!(": {reasons}")).unwrap_or_default();
        return Err(error.actual(format!("no array of two dimensions or more can be listed in it{reasons}")));
    }
    let most = ranked.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
    found.variables = ranked.iter().map(|(_, name)| (*name).to_owned()).collect();
    found.variable = ranked.iter().find(|(rank, _)| *rank == most).map(|(_, name)| (*name).to_owned());
    Ok(())
}
