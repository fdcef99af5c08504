//! The role of each dimension of the arrays: from OME's axes, `spatial:dimensions`, the name, the
//! colours of pixels, or the position.

use super::levels::FoundLevel;
use super::source::Source;
use crate::node::Node;
use crate::records::AxisRole;
pub use crate::records::PyramidAxis;
use crate::spatial::dimension_pair;

const NAMES: [(AxisRole, &[&str]); 5] = [
    (AxisRole::X, &["x", "lon", "longitude", "easting", "col", "column", "columns", "rlon", "xc"]),
    (AxisRole::Y, &["y", "lat", "latitude", "northing", "row", "rows", "rlat", "yc"]),
    (AxisRole::Z, &["z", "depth", "height", "altitude", "lev", "level", "plev", "elevation"]),
    (AxisRole::T, &["t", "time", "date", "valid_time"]),
    (AxisRole::C, &["c", "channel", "channels", "band", "bands", "wavelength"]),
];

/// Names of an axis of colours, if it has three or four bytes.
const COLORS: [&str; 5] = ["rgb", "rgba", "s", "sample", "samples"];

/// Names of channels that are colours wherever their axis is, if it has three or four bytes.
const BANDS: [&str; 2] = ["band", "bands"];

fn role_of_name(name: &str) -> AxisRole {
    let name = name.to_ascii_lowercase();
    NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map_or(AxisRole::Other, |(role, _)| *role)
}

/// The axes, in the order of the arrays.
pub fn of(source: &Source<'_>, root: &Node, levels: &[FoundLevel<'_>], _path: &str) -> Vec<PyramidAxis> {
    let Some(first) = levels.first() else { return Vec::new() };
    let rank = first.node.shape.len();
    let mut axes = if source.axes.len() == rank { of_ome(source) } else { of_array(first, root, rank) };
    by_colors(&mut axes, levels);
    one_axis_a_role(&mut axes);
    axes
}

fn of_ome(source: &Source<'_>) -> Vec<PyramidAxis> {
    let role = |name: &str, kind: &str| match kind {
        "time" => AxisRole::T,
        "channel" => AxisRole::C,
        _ => role_of_name(name),
    };
    let axes = source.axes.iter();
    axes.map(|axis| PyramidAxis {
        name: axis.name.clone(),
        role: role(&axis.name, &axis.kind),
        kind: Some(axis.kind.clone()).filter(|kind| !kind.is_empty()),
        unit: axis.unit.clone(),
    })
    .collect()
}

fn of_array(first: &FoundLevel<'_>, root: &Node, rank: usize) -> Vec<PyramidAxis> {
    let names = first.node.dimension_names().unwrap_or_default();
    let nodes = [Some(first.node), first.group, Some(root)];
    let pair = nodes.into_iter().flatten().find_map(|node| dimension_pair(&node.pointer()));
    let axis = |idx: usize| {
        let name = names.get(idx).filter(|name| !name.is_empty()).cloned();
        let role = match (&pair, &name) {
            (Some([y, _]), Some(name)) if y == name => AxisRole::Y,
            (Some([_, x]), Some(name)) if x == name => AxisRole::X,
            (_, Some(name)) => role_of_name(name),
            (_, None) => AxisRole::Other,
        };
        PyramidAxis { name: name.unwrap_or_else(|| format!("dim_{idx}")), role, kind: None, unit: None }
    };
    (0..rank).map(axis).collect()
}

/// Whether a name is one of a list. Capitals do not matter.
fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether an axis has no name of its own. xarray writes `dim_0` too.
fn is_unnamed(name: &str) -> bool {
    name.strip_prefix("dim_").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The number of elements of an axis, if these are three or four bytes in every level. An axis of
/// space gets shorter from level to level.
fn bytes_of_pixel(levels: &[FoundLevel<'_>], axis: usize) -> Option<usize> {
    let has = |length: f64| {
        levels.iter().all(|FoundLevel { node, .. }| {
            node.data_type.as_deref() == Some("uint8") && node.shape.get(axis) == Some(&length)
        })
    };
    [(3, 3.0), (4, 4.0)].into_iter().find(|(_, length)| has(*length)).map(|(count, _)| count)
}

/// Lets the colours of pixels be the channels: three or four bytes with a name of colours, or
/// without a name at the end. Two other axes must be left for x and y.
fn by_colors(axes: &mut [PyramidAxis], levels: &[FoundLevel<'_>]) {
    let candidates =
        axes.iter().filter(|axis| [AxisRole::X, AxisRole::Y, AxisRole::Other].contains(&axis.role)).count();
    if candidates < 3 || index_of(axes, AxisRole::C).is_some() {
        return;
    }
    let mut is_last = true;
    for (idx, axis) in axes.iter_mut().enumerate().rev() {
        let is_color = is_one_of(&axis.name, &COLORS) || (is_last && is_unnamed(&axis.name));
        let is_free = axis.role == AxisRole::Other && axis.kind.is_none();
        if is_color && is_free && bytes_of_pixel(levels, idx).is_some() {
            axis.role = AxisRole::C;
            return;
        }
        is_last = false;
    }
}

/// The number of colours of a pixel, if the channels are red, green, blue and perhaps alpha: they
/// are bytes at the end, or their name says it. 0 for other channels.
pub fn colors(axes: &[PyramidAxis], levels: &[FoundLevel<'_>]) -> usize {
    let channels = axes.iter().enumerate().find(|(_, axis)| axis.role == AxisRole::C);
    let Some((idx, PyramidAxis { name, .. })) = channels else { return 0 };
    let is_color =
        idx.checked_add(1) == Some(axes.len()) || is_one_of(name, &COLORS) || is_one_of(name, &BANDS);
    bytes_of_pixel(levels, idx).filter(|_| is_color).unwrap_or(0)
}

/// Lets each role have one axis. Without any information x and y are the last two axes.
fn one_axis_a_role(axes: &mut [PyramidAxis]) {
    let mut rest = &mut *axes;
    while let [axis, others @ ..] = rest {
        if others.iter().any(|other| other.role == axis.role) {
            axis.role = AxisRole::Other;
        }
        rest = others;
    }
    for role in [AxisRole::X, AxisRole::Y] {
        if axes.iter().any(|axis| axis.role == role) {
            continue;
        }
        if let Some(free) = axes.iter_mut().rev().find(|axis| axis.role == AxisRole::Other) {
            free.role = role;
        }
    }
}

/// The axis that has a role.
pub fn index_of(axes: &[PyramidAxis], role: AxisRole) -> Option<usize> {
    axes.iter().position(|axis| axis.role == role)
}
