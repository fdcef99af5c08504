//! Where the metadata of a pyramid contradicts its arrays: other numbers of axes, scales that do
//! not follow from the shapes, and other shapes in `spatial:shape`.

use super::Level;
use super::axes::index_of;
use super::levels::FoundLevel;
use super::position::Evidence;
use super::source::StatedPosition;
use crate::finding::Report;
use crate::records::AxisRole;
use crate::spatial::stated_shape;

/// Reports contradictions. `levels` are in the order of the evidence.
pub fn report(evidence: &Evidence<'_>, levels: &[Level], report: &mut Report) {
    axes(evidence, report);
    let pairs: Vec<(&FoundLevel<'_>, &Level)> = evidence.levels.iter().zip(levels).collect();
    if let Some((first, others)) = pairs.split_first() {
        for level in others {
            scales(evidence, *first, *level, report);
        }
    }
    let (Some(y), Some(x)) = (index_of(evidence.axes, AxisRole::Y), index_of(evidence.axes, AxisRole::X))
    else {
        return;
    };
    for (level, _) in &pairs {
        if let Some(stated) = level.source.shape {
            let pointer = format!("{}/spatial:shape", level.source.pointer);
            shape(level, stated, [y, x], &pointer, report);
        }
    }
    let width = |level: &FoundLevel<'_>| level.node.shape.get(x).copied().unwrap_or(0.0);
    let finest = evidence.levels.iter().max_by(|one, other| width(one).total_cmp(&width(other)));
    let stated = evidence.root.get("spatial:shape").and_then(stated_shape);
    if let (true, Some(finest), Some(stated)) = (evidence.root.is_group(), finest, stated) {
        shape(finest, stated, [y, x], "/spatial:shape", report);
    }
}

fn axes(evidence: &Evidence<'_>, report: &mut Report) {
    let (described, rank) = (evidence.source.axes.len(), evidence.axes.len());
    if described > 0 && described != rank {
        let message = format!("the metadata has {described} axes, but the arrays have {rank} dimensions");
        report.error("axes", "", message);
    }
}

/// A level that has a scale should have as many elements as it says, up to one that rounding costs.
fn scales(
    evidence: &Evidence<'_>,
    (first, first_scaled): (&FoundLevel<'_>, &Level),
    (level, scaled): (&FoundLevel<'_>, &Level),
    report: &mut Report,
) {
    if ![first, level].iter().all(|level| matches!(level.source.position, StatedPosition::Axes(_))) {
        return;
    }
    for (axis, known) in evidence.axes.iter().enumerate() {
        let number = |list: &[f64]| list.get(axis).copied().unwrap_or(f64::NAN);
        let factor = number(&scaled.scale) / number(&first_scaled.scale);
        let (whole, own) = (number(&first.node.shape), number(&level.node.shape));
        let differs = (own * factor - whole).abs() > factor.max(1.0);
        if [AxisRole::X, AxisRole::Y, AxisRole::Z].contains(&known.role) && factor > 0.0 && differs {
            let message = format!(
                "along {}, elements are {factor} times as large as those of the first level, which has \
                 {whole}; the level has {own} and not {:.0}",
                known.name,
                whole / factor
            );
            report.warning("scales", &level.source.pointer, message);
        }
    }
}

fn shape(level: &FoundLevel<'_>, stated: [f64; 2], plane: [usize; 2], pointer: &str, report: &mut Report) {
    let own = plane.map(|axis| level.node.shape.get(axis).copied().unwrap_or(0.0));
    if own.iter().zip(stated).any(|(own, stated)| *own != stated) {
        let message = format!("the shape {stated:?} differs from the shape {own:?} of {}", level.path);
        report.warning("shape", pointer, message);
    }
}
