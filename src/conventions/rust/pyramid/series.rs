//! The images of a group: its own, those that it leads to (`bioformats2raw.layout` and `OME/`),
//! those of a plate's wells, and those of a well.
//! <https://ngff.openmicroscopy.org/0.5/#bf2raw>
//!
//! All are found by path. Their names and shapes are read for the first [`DESCRIBED`] only, because
//! each costs requests.

use super::{Question, Wants, no_path};
use crate::error::{Error, Result};
use crate::finding::Report;
use crate::node::Node;
use crate::ome;
use crate::path::{self, join};
use crate::pointer::Pointer;
use crate::quoted::quoted;
use crate::records::{Choice, PyramidImage};
use crate::value::Value;

/// How many images are described.
const DESCRIBED: usize = 32;

/// The most images without names in `OME/`, and the most wells.
const MAX_IMAGES: usize = 1 << 12;

/// An image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Its index in the list.
    pub index: usize,
    /// The path of its group.
    pub path: String,
    /// Its name.
    pub name: Option<String>,
    /// The shape of its first level.
    pub shape: Option<Vec<f64>>,
    /// Its index among the images of its own group.
    pub own: usize,
}

impl Image {
    /// The image, as answers have it.
    pub fn record(self) -> PyramidImage {
        let Self { index, path, name, shape, .. } = self;
        PyramidImage { index, path, name, shape }
    }
}

/// All images of a group, and the nodes that are needed to find more.
///
/// A group that has other metadata, or none, counts as one image.
pub fn find(
    question: &Question,
    root: &str,
    node: &Node,
    wants: &mut Wants,
    report: &mut Report,
) -> Vec<Image> {
    let ome = if node.is_group() { ome::of(node) } else { None };
    let own = ome.as_ref().and_then(|ome| ome.pointer.member("multiscales")).map_or(0, |list| length(&list));
    let mut paths = vec![root.to_owned(); own];
    let leads = ome.as_ref().filter(|_| !question.own);
    let mut leads_on = false;
    if let Some(pointer) = leads.map(|ome| &ome.pointer) {
        let others = Finder { question, root, wants, report }.others(pointer);
        leads_on = others.is_some();
        paths.extend(others.into_iter().flatten());
    }
    if paths.is_empty() && !leads_on {
        paths.push(root.to_owned());
    }
    let image =
        |(index, path)| Image { index, path, own: if index < own { index } else { 0 }, ..Image::default() };
    paths.into_iter().enumerate().map(image).collect()
}

fn length(list: &Pointer<'_>) -> usize {
    list.value.items().len()
}

/// Searches other groups for images.
struct Finder<'a> {
    question: &'a Question,
    root: &'a str,
    wants: &'a mut Wants,
    report: &'a mut Report,
}

impl Finder<'_> {
    /// The groups of other images. `None` for a group that leads to none.
    fn others(&mut self, ome: &Pointer<'_>) -> Option<Vec<String>> {
        if let Some(plate) = ome.member("plate") {
            return Some(self.fields_of_plate(&plate));
        }
        if let Some(well) = ome.member("well") {
            return Some(self.paths_in(&well, "images", self.root));
        }
        ome.member("bioformats2raw.layout")?;
        Some(self.series())
    }

    /// The paths that a list has, below a group: texts, or objects with a path.
    fn paths_in(&mut self, holder: &Pointer<'_>, list: &str, base: &str) -> Vec<String> {
        let mut paths = Vec::new();
        for item in holder.member(list).iter().flat_map(Pointer::items) {
            let (value, pointer) = match item.value {
                Value::Object(_) => (item.value.get("path"), format!("{}/path", item.path)),
                _ => (Some(item.value), item.path),
            };
            match path::of_value(base, value) {
                Ok(path) => paths.push(path),
                Err(why) => no_path(self.report, base, &pointer, &why),
            }
        }
        paths
    }

    fn fields_of_plate(&mut self, plate: &Pointer<'_>) -> Vec<String> {
        let question = self.question;
        let mut fields = Vec::new();
        for path in self.paths_in(plate, "wells", self.root).into_iter().take(MAX_IMAGES) {
            match question.nodes.get(&path) {
                None => self.wants.node(path),
                Some(node) => {
                    let ome = node.as_ref().and_then(ome::of);
                    let well = ome.and_then(|ome| ome.pointer.member("well"));
                    fields.extend(well.iter().flat_map(|well| self.paths_in(well, "images", &path)));
                }
            }
        }
        fields
    }

    /// The series of bioformats2raw: those that `OME/` lists, or else groups that are numbered.
    fn series(&mut self) -> Vec<String> {
        let path = join(self.root, "OME");
        let Some(known) = self.question.nodes.get(&path) else {
            self.wants.node(path);
            return Vec::new();
        };
        let list = known.as_ref().map(|node| {
            let pointer = node.pointer();
            let pointer = pointer.member("ome").unwrap_or(pointer);
            self.paths_in(&pointer, "series", self.root)
        });
        let list = list.filter(|list| !list.is_empty());
        list.unwrap_or_else(|| numbered(self.question, self.root, self.wants))
    }
}

/// The groups `0`, `1` and so on, up to the first that is missing. Each question asks for as many
/// more as are known.
fn numbered(question: &Question, root: &str, wants: &mut Wants) -> Vec<String> {
    let mut found = Vec::new();
    for number in 0..MAX_IMAGES {
        let path = join(root, &number.to_string());
        match question.nodes.get(&path) {
            Some(Some(_)) => found.push(path),
            Some(None) if !question.refused.has(&path) => break,
            Some(None) => found.push(path),
            None => {
                let more = number.saturating_mul(2).clamp(2, MAX_IMAGES);
                (number..more).for_each(|next| wants.node(join(root, &next.to_string())));
                break;
            }
        }
    }
    found
}

/// The image that the caller wants: the first, unless the request names one.
///
/// # Errors
/// `Argument` for an image that the group does not have.
pub fn choose<'a>(images: &'a [Image], choice: Option<&Choice>, root: &str) -> Result<Option<&'a Image>> {
    let (found, wanted) = match choice {
        None => return Ok(images.first()),
        Some(Choice::Index(index)) => (images.get(*index), index.to_string()),
        Some(Choice::Path(path)) => {
            let whole = path::of_reference(root, path).unwrap_or_default();
            (images.iter().find(|image| image.path == whole), quoted(path))
        }
    };
    let absent = || {
        let last = images.last().map_or("none", |image| image.path.as_str());
        Error::argument("there is no such image")
            .at_node(root)
            .expected(format!("an index below {}, or a path such as {}", images.len(), quoted(last)))
            .actual(wanted)
    };
    found.map(Some).ok_or_else(absent)
}

/// Reads names and shapes of the first images of OME-Zarr. Asks for the nodes that have them. Those
/// of other pyramids are known when their levels are.
pub fn describe(question: &Question, images: &mut [Image], wants: &mut Wants) {
    for image in images.iter_mut().take(DESCRIBED) {
        let Some(known) = question.nodes.get(&image.path) else {
            wants.node(image.path.clone());
            continue;
        };
        let Some(node) = known else { continue };
        let ome = ome::of(node);
        let own = ome.and_then(|ome| ome.pointer.member("multiscales")?.items().into_iter().nth(image.own));
        let Some(pointer) = own else { continue };
        image.name = pointer.value.text_of("name").map(str::to_owned);
        let first = pointer.value.get("datasets").and_then(|levels| levels.items().first()?.get("path"));
        let Ok(first) = path::of_value(&image.path, first) else { continue };
        match question.nodes.get(&first) {
            None => wants.array(first),
            Some(level) => image.shape = level.as_ref().map(|level| level.shape.clone()),
        }
    }
}
