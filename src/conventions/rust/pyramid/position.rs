//! The position of each level. Converts the forms of all conventions to a scale and a translation
//! of element centres for each axis.

use super::Level;
use super::axes::{PyramidAxis, index_of};
use super::levels::FoundLevel;
use super::source::{Source, StatedPosition, plane_of};
use crate::cf::packing::is_packed;
use crate::finding::Report;
use crate::node::Node;
use crate::ome::transformation::ScaleTranslation;
use crate::path;
use crate::records::AxisRole;
use crate::sorted;
use crate::value::Value;

/// The transformation of x and y without a position: the centre of the first element is 0, so its
/// corner is half an element before.
const NO_POSITION: [f64; 6] = [1.0, 0.0, -0.5, 0.0, 1.0, -0.5];

/// The position of a level. `plane` is the affine transformation of corners.
#[derive(Clone, Debug)]
struct Position {
    axes: ScaleTranslation,
    plane: Option<[f64; 6]>,
}

struct Positions<'a> {
    axes: &'a [PyramidAxis],
    levels: &'a [FoundLevel<'a>],
    x: usize,
    y: usize,
    /// The transformation of the base: that of the group, or of a grid mapping.
    base: Option<[f64; 6]>,
    /// Whether `spatial:registration` is `node`: transformations are then of centres.
    nodes: bool,
    /// Positions by the name of the level.
    done: Vec<(&'a str, Position)>,
    /// Whether they are in a coordinate reference system.
    are_in_crs: bool,
}

/// The metadata that positions are computed from.
pub struct Evidence<'a> {
    /// The pyramid's own metadata.
    pub source: &'a Source<'a>,
    /// The group of the pyramid.
    pub root: &'a Node,
    /// The axes of all levels.
    pub axes: &'a [PyramidAxis],
    /// The levels, in document order.
    pub levels: &'a [FoundLevel<'a>],
    /// The affine transformation of a grid mapping variable.
    pub geometry: Option<[f64; 6]>,
}

/// The positions of all levels, and whether they are positions in a coordinate reference system.
pub fn of_levels(evidence: &Evidence<'_>, report: &mut Report) -> (Vec<Level>, bool) {
    let Evidence { source, root, axes, levels, geometry } = *evidence;
    let (Some(x), Some(y)) = (index_of(axes, AxisRole::X), index_of(axes, AxisRole::Y)) else {
        return (levels.iter().map(|level| flat(level, axes.len())).collect(), false);
    };
    let registration = levels.iter().map(|level| level.node).chain([root]);
    let nodes = registration.filter_map(|node| node.text("spatial:registration")).any(|text| text == "node");
    let base = plane_of(&root.attributes).or(geometry).or_else(|| of_box(root, levels, x, y));
    let mut positions = Positions { axes, levels, x, y, base, nodes, done: Vec::new(), are_in_crs: false };
    for level in levels {
        let position = positions.position(level, 0);
        positions.done.push((&level.source.asset, position));
    }
    let found = levels.iter().filter_map(|level| {
        let position = positions.done(&level.source.asset)?;
        let found = positions.finish(level, position);
        let usable = found.scale.iter().chain(&found.translation).all(|number| number.is_finite());
        if !usable || found.scale.contains(&0.0) {
            report.error("scale", &level.source.pointer, "the level has no usable scale");
            return Some(flat(level, axes.len()));
        }
        Some(found)
    });
    let found = found.collect();
    (found, positions.are_in_crs || source.convention == "ome")
}

/// The position of a level without information.
fn flat(level: &FoundLevel<'_>, rank: usize) -> Level {
    let ScaleTranslation { scale, translation } = ScaleTranslation::identity(rank);
    Level {
        path: level.path.clone(),
        asset: level.source.asset.clone(),
        scale,
        translation,
        affine: None,
        packed: is_packed(level.node),
    }
}

/// The transformation that follows from the bounding box of the group, for its finest level.
#[allow(
    clippy::indexing_slicing,
    reason = "`levels::find` keeps levels of one rank, and the axes have it too"
)]
fn of_box(root: &Node, levels: &[FoundLevel<'_>], x: usize, y: usize) -> Option<[f64; 6]> {
    let bbox = root.get("spatial:bbox").or_else(|| root.get("proj:bbox"))?.as_array()?;
    let numbers: Vec<f64> = bbox.iter().filter_map(Value::as_f64).collect();
    let [left, bottom, right, top] = numbers.as_slice() else { return None };
    let finest = levels.iter().max_by(|a, b| a.node.shape[x].total_cmp(&b.node.shape[x]))?;
    let (width, height) = (finest.node.shape[x], finest.node.shape[y]);
    let plane = [(right - left) / width, 0.0, *left, 0.0, (bottom - top) / height, *top];
    plane.iter().all(|number| number.is_finite()).then_some(plane)
}

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`levels::find` keeps levels of one rank, which the axes have; depths are below their number"
)]
impl<'a> Positions<'a> {
    fn rank(&self) -> usize {
        self.axes.len()
    }

    fn position(&mut self, level: &FoundLevel<'a>, depth: usize) -> Position {
        let identity = ScaleTranslation::identity(self.rank());
        // A level's own attributes come before what is derived from other levels.
        let own =
            [Some(level.node), level.group].into_iter().flatten().find_map(|node| plane_of(&node.attributes));
        match &level.source.position {
            StatedPosition::Axes(axes) if axes.scale.len() == self.rank() => {
                Position { axes: axes.clone(), plane: None }
            }
            StatedPosition::Plane(plane) => self.in_plane(*plane),
            _ if own.is_some() => self.in_plane(own.unwrap_or(NO_POSITION)),
            StatedPosition::Extent([left, bottom, right, top]) => {
                let (width, height) = (level.node.shape[self.x], level.node.shape[self.y]);
                self.in_plane([(right - left) / width, 0.0, *left, 0.0, (bottom - top) / height, *top])
            }
            StatedPosition::Relative { from, scale, translation } => {
                self.relative(level, from.as_deref(), scale, translation, depth)
            }
            StatedPosition::Axes(_) | StatedPosition::Shape => {
                Position { axes: self.by_shape(level, identity), plane: None }
            }
        }
    }

    fn in_plane(&mut self, plane: [f64; 6]) -> Position {
        self.are_in_crs = true;
        Position { axes: ScaleTranslation::identity(self.rank()), plane: Some(plane) }
    }

    /// The scale that follows from the shapes: elements of the finest level for each element of
    /// this one.
    fn by_shape(&self, level: &FoundLevel<'_>, mut axes: ScaleTranslation) -> ScaleTranslation {
        let finest = self.levels.iter().max_by(|a, b| a.node.shape[self.x].total_cmp(&b.node.shape[self.x]));
        let Some(finest) = finest else { return axes };
        let spatial = |role: AxisRole| [AxisRole::X, AxisRole::Y, AxisRole::Z].contains(&role);
        for (axis, (fine, own)) in finest.node.shape.iter().zip(&level.node.shape).enumerate() {
            // Halving rounds up or down; a factor within a hundredth of a whole number is that
            // number.
            let ratio = fine / own;
            let factor = if (ratio - ratio.round()).abs() < 0.01 { ratio.round() } else { ratio };
            if spatial(self.axes[axis].role) && factor.is_finite() && factor > 0.0 {
                axes.scale[axis] = factor;
                axes.translation[axis] = (factor - 1.0) / 2.0;
            }
        }
        axes
    }

    /// The position relative to a source level: one element is `scale` elements of the source, and
    /// `translation` counts elements of the source.
    fn relative(
        &mut self,
        level: &FoundLevel<'a>,
        from: Option<&str>,
        scale: &[f64],
        translation: &[f64],
        depth: usize,
    ) -> Position {
        let source = from.filter(|_| depth < self.levels.len()).and_then(|from| self.source(from, depth));
        let Some(source) = source else {
            let plane = self.base.unwrap_or(NO_POSITION);
            self.are_in_crs |= self.base.is_some();
            // Without a source the factors are those against the base, which an entry may give.
            return self.scaled(
                &Position { axes: ScaleTranslation::identity(self.rank()), plane: Some(plane) },
                scale,
                translation,
            );
        };
        if scale.is_empty() && translation.is_empty() {
            let shapes = self.by_shape(level, ScaleTranslation::identity(self.rank()));
            let finest = Position {
                axes: ScaleTranslation::identity(self.rank()),
                plane: self.base.or(Some(NO_POSITION)),
            };
            return self.scaled(&finest, &shapes.scale, &[]);
        }
        self.scaled(&source, scale, translation)
    }

    /// The position of the last level of this name, among those that have one.
    fn done(&self, name: &str) -> Option<&Position> {
        self.done.iter().rev().find(|(known, _)| is_same(known, name)).map(|(_, position)| position)
    }

    fn source(&mut self, from: &str, depth: usize) -> Option<Position> {
        if let Some(position) = self.done(from) {
            return Some(position.clone());
        }
        let level = self.levels.iter().find(|level| is_same(&level.source.asset, from))?;
        Some(self.position(&level.clone(), depth + 1))
    }

    fn scaled(&self, source: &Position, scale: &[f64], translation: &[f64]) -> Position {
        // Two numbers are y and x, whatever else the array has.
        let at = |numbers: &[f64], axis: usize| match numbers.len() {
            len if len == self.rank() => numbers.get(axis).copied(),
            2 if axis == self.y => numbers.first().copied(),
            2 if axis == self.x => numbers.get(1).copied(),
            _ => None,
        };
        let mut axes = source.axes.clone();
        for axis in (0..self.rank()).filter(|axis| *axis != self.x && *axis != self.y) {
            let (factor, offset) = (at(scale, axis).unwrap_or(1.0), at(translation, axis).unwrap_or(0.0));
            axes.translation[axis] += offset * axes.scale[axis];
            axes.scale[axis] *= factor;
        }
        let [a, b, c, d, e, f] = source.plane.unwrap_or(NO_POSITION);
        let (sx, sy) = (at(scale, self.x).unwrap_or(1.0), at(scale, self.y).unwrap_or(1.0));
        let tx = self.corner_offset(sx, at(translation, self.x).unwrap_or(0.0));
        let ty = self.corner_offset(sy, at(translation, self.y).unwrap_or(0.0));
        let plane = [a * sx, b * sy, a * tx + b * ty + c, d * sx, e * sy, d * tx + e * ty + f];
        Position { axes, plane: Some(plane) }
    }

    /// Corrects writers that count from centres, as the example of the convention does: they write
    /// (scale − 1) / 2 for a shared corner.
    fn corner_offset(&self, scale: f64, translation: f64) -> f64 {
        let centred = (translation - (scale - 1.0) / 2.0).abs() < 1e-9 && translation != 0.0;
        if centred && !self.nodes { 0.0 } else { translation }
    }

    fn finish(&self, level: &FoundLevel<'_>, position: &Position) -> Level {
        let ScaleTranslation { mut scale, mut translation } = position.axes.clone();
        let mut affine = None;
        if let Some([a, b, c, d, e, f]) = position.plane {
            let half = if self.nodes && self.are_in_crs { 0.0 } else { 0.5 };
            let centre = [a, b, c + (a + b) * half, d, e, f + (d + e) * half];
            let mixes = b != 0.0 || d != 0.0;
            scale[self.x] = if mixes { a.hypot(d) } else { a };
            scale[self.y] = if mixes { b.hypot(e) } else { e };
            (translation[self.x], translation[self.y]) = (centre[2], centre[5]);
            affine = mixes.then_some(centre);
        }
        Level { scale, translation, affine, ..flat(level, self.axes.len()) }
    }
}

/// Whether two names in the metadata are of one level: `0` and `./0`.
fn is_same(one: &str, other: &str) -> bool {
    one == other || path::below("/", one) == path::below("/", other)
}

/// Sorts levels, finest first.
#[allow(
    clippy::indexing_slicing,
    reason = "`x` is an axis, and the scale of a level has a number for each axis"
)]
pub fn sort(levels: &mut [Level], axes: &[PyramidAxis]) {
    let Some(x) = index_of(axes, AxisRole::X) else { return };
    sorted::sort_by(levels, |a, b| a.scale[x].abs().total_cmp(&b.scale[x].abs()));
}
