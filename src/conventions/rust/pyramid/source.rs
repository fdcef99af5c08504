//! Reads the metadata of the group: the levels of each convention in common terms.

use crate::node::Node;
use crate::ome::axis::Axis;
use crate::ome::image;
use crate::ome::transformation::{ScaleTranslation, flatten_all, lead_to_systems};
use crate::ome::{self, Generation, Ome};
use crate::path;
use crate::pointer::Pointer;
use crate::records::IgnoredTransformation as Ignored;
use crate::spatial::stated_shape;
use crate::value::Value;
use crate::{multiscales, ndpyramid, tile_matrix_set};

/// What the metadata say about where a level is.
#[derive(Clone, Debug)]
pub enum StatedPosition {
    /// A scale and a translation for each axis, of centres.
    Axes(ScaleTranslation),
    /// An affine transformation of x and y, of corners: `x = a·column + b·row + c`, `y = d·column +
    /// e·row + f`.
    Plane([f64; 6]),
    /// Relative to another level, in its elements. Without another level, relative to the base.
    Relative {
        /// The name of the other level in the metadata.
        from: Option<String>,
        /// One number for each axis, or two for y and x.
        scale: Vec<f64>,
        /// As `scale`.
        translation: Vec<f64>,
    },
    /// A bounding box: x minimum, y minimum, x maximum, y maximum. Rows go down.
    Extent([f64; 4]),
    /// Follows from the shape in comparison with the finest level.
    Shape,
}

/// A level before its array is opened.
#[derive(Clone, Debug)]
pub struct LevelSource {
    /// Its path below the group.
    pub asset: String,
    /// The JSON pointer of its entry.
    pub pointer: String,
    /// Its position.
    pub position: StatedPosition,
    /// Height and width by `spatial:shape`.
    pub shape: Option<[f64; 2]>,
}

impl LevelSource {
    fn new(asset: String, pointer: &str, position: StatedPosition) -> Self {
        Self { asset, pointer: pointer.to_owned(), position, shape: None }
    }
}

/// The metadata of the group.
#[derive(Clone, Debug, Default)]
pub struct Source<'a> {
    /// The id of the convention.
    pub convention: &'static str,
    /// Its version.
    pub version: String,
    /// The image's name.
    pub name: Option<String>,
    /// The number of images.
    pub images: usize,
    /// The axes; empty if the arrays have them.
    pub axes: Vec<Axis>,
    /// The levels, in document order.
    pub levels: Vec<LevelSource>,
    /// Levels without a path: the JSON pointer of what should be it, and the reason.
    pub pathless: Vec<(String, String)>,
    /// The channels as written. There can be many, so they are not copied.
    pub channels: &'a [Value],
    /// Transformations that cannot be used.
    pub ignored: Vec<Ignored>,
    /// The reference system as written: a code, or WKT.
    pub crs: Option<Value>,
}

/// The extent of Web Mercator, in metres: half the Earth's circumference.
const MERCATOR: f64 = 20_037_508.342_789_244;

/// Reads the image at `index` of a node; `None` if it has no levels, or no such image.
pub fn of<'a>(node: &'a Node, index: usize, variable: Option<&str>) -> Option<Source<'a>> {
    if !node.is_group() {
        return Some(alone(""));
    }
    if let Some(ome) = ome::of(node)
        && let Some(images) = ome.pointer.member("multiscales")
    {
        return of_image(node, &ome, &images, index);
    }
    if multiscales::recognise(node).is_some() {
        return Some(of_layout(node));
    }
    if tile_matrix_set::recognise(node).is_some() {
        return Some(of_tile_matrix_set(node));
    }
    if ndpyramid::recognise(node).is_some() {
        return Some(of_ndpyramid(node));
    }
    variable.map(alone)
}

/// One array is a pyramid of one level.
fn alone(asset: &str) -> Source<'static> {
    let relative = StatedPosition::Relative { from: None, scale: Vec::new(), translation: Vec::new() };
    let level = LevelSource::new(asset.to_owned(), "", relative);
    Source { convention: "array", images: 1, levels: vec![level], ..Source::default() }
}

/// The path of a level, as written. A level without one is remembered with the reason.
fn asset_of(level: &Pointer<'_>, key: &str, pathless: &mut Vec<(String, String)>) -> Option<String> {
    let read = path::text_of(level.value.get(key));
    read.map_err(|why| pathless.push((format!("{}/{key}", level.path), why))).ok()
}

fn of_image<'a>(node: &'a Node, ome: &Ome<'a>, images: &Pointer<'_>, index: usize) -> Option<Source<'a>> {
    let list = images.items();
    let image = list.get(index)?;
    let axes = image::axes(ome.generation, image);
    let (mut ignored, mut pathless) = (Vec::new(), Vec::new());
    let shared = shared_transformation(ome.generation, image, axes.len(), &mut ignored);
    let datasets = image.member("datasets").map(|datasets| datasets.items()).unwrap_or_default();
    let levels = datasets.iter().filter_map(|level| {
        let asset = asset_of(level, "path", &mut pathless)?;
        let position = stated_position(ome.generation, level, axes.len(), shared.as_ref(), &mut ignored);
        Some(LevelSource::new(asset, &level.path, position))
    });
    let levels = levels.collect();
    let omero = ome.pointer.member("omero").or_else(|| ome::stray_omero(node, ome, index));
    let channels = omero.and_then(|omero| omero.value.get("channels"));
    Some(Source {
        convention: "ome",
        version: ome.version.clone(),
        name: image.value.text_of("name").map(str::to_owned),
        images: list.len(),
        axes,
        levels,
        pathless,
        channels: channels.map(Value::items).unwrap_or_default(),
        ignored,
        crs: None,
    })
}

/// Reads transformations of all levels. Up to 0.5 they apply after that of the level. Those of 0.6
/// and of SpatialData lead to other systems, each to its own, and are not used: levels have
/// positions in their own system.
fn shared_transformation(
    generation: Generation,
    image: &Pointer<'_>,
    rank: usize,
    ignored: &mut Vec<Ignored>,
) -> Option<ScaleTranslation> {
    let list = image.member("coordinateTransformations")?;
    if generation == Generation::V6 || lead_to_systems(list.value) {
        for item in list.items() {
            ignore(&item, ignored);
        }
        return None;
    }
    usable(&list, rank, ignored)
}

/// Remembers a transformation that is not applied. Nothing is lost with an identity.
fn ignore(item: &Pointer<'_>, ignored: &mut Vec<Ignored>) {
    let kind = item.value.text_of("type").unwrap_or("unknown");
    if kind == "identity" {
        return;
    }
    ignored.push(Ignored { path: item.path.clone(), kind: kind.to_owned() });
}

/// The transformations of a list, one after the other. If they lead to systems, they are
/// alternatives, and the first one leads to the own system.
fn usable(list: &Pointer<'_>, rank: usize, ignored: &mut Vec<Ignored>) -> Option<ScaleTranslation> {
    let mut items = list.value.as_array()?;
    if lead_to_systems(list.value)
        && let Some((first, _)) = items.split_first()
    {
        list.items().iter().skip(1).for_each(|item| ignore(item, ignored));
        items = std::slice::from_ref(first);
    }
    match flatten_all(items, rank) {
        Ok(flat) => Some(flat),
        Err(kind) => {
            ignored.push(Ignored { path: list.path.clone(), kind });
            None
        }
    }
}

fn stated_position(
    generation: Generation,
    level: &Pointer<'_>,
    rank: usize,
    shared: Option<&ScaleTranslation>,
    ignored: &mut Vec<Ignored>,
) -> StatedPosition {
    if generation < Generation::V4 {
        return StatedPosition::Shape;
    }
    let own = level.member("coordinateTransformations").and_then(|list| usable(&list, rank, ignored));
    match (own, shared) {
        (Some(own), Some(shared)) => StatedPosition::Axes(own.then(shared)),
        (Some(own), None) => StatedPosition::Axes(own),
        (None, _) => StatedPosition::Shape,
    }
}

fn finite(value: Option<&Value>) -> Vec<f64> {
    let items = value.map(Value::items).unwrap_or_default();
    items.iter().filter_map(Value::as_f64).filter(|number| number.is_finite()).collect()
}

/// Six numbers of an affine, in the order of `spatial:transform`.
pub fn plane(value: Option<&Value>) -> Option<[f64; 6]> {
    let numbers = finite(value);
    // The early draft allows the whole matrix.
    let six = if numbers.len() == 9 { numbers.get(..6)? } else { &numbers };
    six.try_into().ok()
}

/// The affine transformation of an object, in the spelling of either draft.
pub fn plane_of(value: &Value) -> Option<[f64; 6]> {
    let kind = value.text_of("spatial:transform_type").unwrap_or("affine");
    let spatial = if kind == "affine" { plane(value.get("spatial:transform")) } else { None };
    spatial.or_else(|| plane(value.get("proj:transform")))
}

fn of_layout(node: &Node) -> Source<'static> {
    let pointer = node.pointer();
    let layout = pointer.member("multiscales").and_then(|multiscales| multiscales.member("layout"));
    let entries = layout.map(|layout| layout.items()).unwrap_or_default();
    let mut pathless = Vec::new();
    let levels = entries.iter().filter_map(|entry| {
        let key = multiscales::key(entry, "asset", "group");
        let asset = asset_of(entry, key, &mut pathless)?;
        let position = match plane_of(entry.value) {
            Some(plane) => StatedPosition::Plane(plane),
            None => StatedPosition::Relative {
                from: path::text_of(multiscales::value(entry, "derived_from", "from_group")).ok(),
                scale: finite(multiscales::factors(entry, "scale").map(|pointer| pointer.value)),
                translation: finite(multiscales::factors(entry, "translation").map(|pointer| pointer.value)),
            },
        };
        let shape = entry.value.get("spatial:shape").and_then(stated_shape);
        Some(LevelSource { shape, ..LevelSource::new(asset, &entry.path, position) })
    });
    let levels = levels.collect();
    Source { convention: "multiscales", images: 1, levels, pathless, ..Source::default() }
}

fn of_ndpyramid(node: &Node) -> Source<'static> {
    let pointer = node.pointer();
    let first = pointer.member("multiscales").and_then(|list| list.items().into_iter().next());
    let datasets = first.as_ref().and_then(|first| first.member("datasets"));
    let datasets = datasets.map(|datasets| datasets.items()).unwrap_or_default();
    let text = |dataset: &Pointer<'_>, key: &str| dataset.value.text_of(key).map(str::to_owned);
    let mut pathless = Vec::new();
    let levels = datasets.iter().filter_map(|dataset| {
        // The two projections in which it has tiles; both cover the world. Other pyramids of this
        // convention have the position that their coordinates give.
        let tiled = dataset.member("pixels_per_tile").is_some();
        let position = match text(dataset, "crs").as_deref() {
            Some("EPSG:3857") if tiled => StatedPosition::Extent([-MERCATOR, -MERCATOR, MERCATOR, MERCATOR]),
            Some("EPSG:4326") if tiled => StatedPosition::Extent([-180.0, -90.0, 180.0, 90.0]),
            _ => StatedPosition::Shape,
        };
        let asset = asset_of(dataset, "path", &mut pathless)?;
        Some(LevelSource::new(asset, &dataset.path, position))
    });
    let levels = levels.collect();
    Source {
        convention: "ndpyramid",
        version: ndpyramid::recognise(node).unwrap_or_default(),
        images: 1,
        levels,
        pathless,
        crs: datasets.iter().find_map(|dataset| text(dataset, "crs")).map(Value::String),
        ..Source::default()
    }
}

fn of_tile_matrix_set(node: &Node) -> Source<'static> {
    let pointer = node.pointer();
    let multiscales = pointer.member("multiscales");
    let set = multiscales.as_ref().and_then(|multiscales| multiscales.member("tile_matrix_set"));
    let limits = multiscales.as_ref().and_then(|multiscales| multiscales.value.get("tile_matrix_limits"));
    let matrices =
        set.as_ref().and_then(tile_matrix_set::matrices).map(|list| list.items()).unwrap_or_default();
    let crs =
        set.as_ref().and_then(|set| set.value.get("crs").or_else(|| set.value.get("supportedCRS"))).cloned();
    let turned = set.as_ref().is_some_and(|set| is_north_first(set.value));
    let mut pathless = Vec::new();
    let mut levels: Vec<LevelSource> = matrices
        .iter()
        .filter_map(|matrix| {
            let asset = asset_of(matrix, "id", &mut pathless)?;
            let limits = limits.and_then(|limits| limits.get(&asset));
            let plane = matrix_plane(matrix.value, limits, turned);
            let position = plane.map_or(StatedPosition::Shape, StatedPosition::Plane);
            Some(LevelSource::new(asset, &matrix.path, position))
        })
        .collect();
    // A set that is only named, with its limits: the levels are the limits' keys.
    if levels.is_empty()
        && let Some(limits) = limits.and_then(Value::as_object)
    {
        let level = |(asset, _): &(String, Value)| {
            LevelSource::new(asset.clone(), "/multiscales/tile_matrix_limits", StatedPosition::Shape)
        };
        levels = limits.iter().map(level).collect();
    }
    Source { convention: "tile_matrix_set", images: 1, levels, pathless, crs, ..Source::default() }
}

/// Whether points are written as north, east, as the definition of EPSG:4326 says.
fn is_north_first(set: &Value) -> bool {
    let first = set.get("orderedAxes").and_then(|axes| axes.items().first()?.as_str());
    let first = first.unwrap_or_default().to_ascii_lowercase();
    ["lat", "n", "y"].iter().any(|word| first.starts_with(word))
}

fn matrix_plane(matrix: &Value, limits: Option<&Value>, north_first: bool) -> Option<[f64; 6]> {
    let number =
        |object: &Value, key: &str| object.get(key).and_then(Value::as_f64).filter(|n| n.is_finite());
    let size = number(matrix, "cellSize")?;
    let origin = finite(matrix.get("pointOfOrigin"));
    let [mut x, mut y] = <[f64; 2]>::try_from(origin.as_slice()).ok()?;
    if north_first {
        (x, y) = (y, x);
    }
    let down = matrix.text_of("cornerOfOrigin") != Some("bottomLeft");
    let step = if down { -size } else { size };
    // The array begins where its limits do.
    let offset = |limit: &str, tile: &str| {
        let tiles = limits.and_then(|limits| number(limits, limit)).unwrap_or(0.0);
        tiles * number(matrix, tile).unwrap_or(0.0)
    };
    x += offset("minTileCol", "tileWidth") * size;
    y += offset("minTileRow", "tileHeight") * step;
    Some([size, 0.0, x, 0.0, step, y])
}
