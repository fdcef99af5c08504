//! Puts elements of decoded chunks into a buffer, at the places of a projection.

use crate::access::instruction::{ChunkProjection, ProjectedAxis};
use crate::error::Result;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::element_buffer::{ElementBuffer, Put};
use crate::format::codec::pipeline::Elements;
use crate::kernel::scatter;

/// The strides of a copy, counted in elements, along each dimension of the array.
#[derive(Clone, Copy)]
pub(super) struct Strides<'a> {
    /// The strides of the decoded chunk.
    pub src: &'a [usize],
    /// The strides of the part.
    pub dst: &'a [usize],
}

/// Copies elements to their places.
pub(super) fn put(
    buffer: &mut ElementBuffer,
    elements: &Elements<'_>,
    strides: Strides<'_>,
    projection: &ChunkProjection,
) -> Result<()> {
    match elements {
        Elements::Fixed(elements) => put_fixed(buffer, elements, strides, projection),
        Elements::Variable(elements) => put_variable(buffer, elements, strides, projection),
    }
}

fn put_fixed(
    buffer: &mut ElementBuffer,
    elements: &[u8],
    strides: Strides<'_>,
    projection: &ChunkProjection,
) -> Result<()> {
    buffer.put_fixed(elements, |bytes, size| match projection {
        ChunkProjection::Orthogonal(axes) => scatter_box(elements, bytes, size, axes, strides),
        ChunkProjection::Points { indices, places } => {
            let element = |at| u32::try_from(element_of_point(indices, strides.src, at)).unwrap_or(u32::MAX);
            let pairs: Vec<(u32, u32)> =
                places.iter().enumerate().map(|(at, place)| (element(at), *place)).collect();
            scatter::scatter_points(elements, bytes, size, &pairs)
        }
    })
}

fn put_variable(
    buffer: &mut ElementBuffer,
    elements: &VariableBytes,
    strides: Strides<'_>,
    projection: &ChunkProjection,
) -> Result<()> {
    buffer.put_variable(elements, |put| match projection {
        ChunkProjection::Orthogonal(axes) => for_each_pair(axes, strides, 0, 0, put),
        ChunkProjection::Points { indices, places } => places
            .iter()
            .enumerate()
            .try_for_each(|(at, place)| put(element_of_point(indices, strides.src, at), *place as usize)),
    })
}

/// Copies a box of packed elements of one size to its places.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "strides and places of a chunk and a part that are in memory"
)]
fn scatter_box(
    elements: &[u8],
    output: &mut [u8],
    size: usize,
    axes: &[ProjectedAxis],
    strides: Strides<'_>,
) -> std::result::Result<(), scatter::OutOfBounds> {
    let (mut src_offset, mut dst_offset) = (0, 0);
    let mut plan = Vec::with_capacity(axes.len());
    for (axis, (src, dst)) in axes.iter().zip(strides.src.iter().zip(strides.dst)) {
        let (src, dst) = (src * size, dst * size);
        match axis {
            ProjectedAxis::Range { first, step, count, place } => {
                src_offset += *first as usize * src;
                dst_offset += *place as usize * dst;
                let step = src.cast_signed().wrapping_mul(*step as isize);
                plan.push(scatter::CopyAxis::strided(*count as usize, step, dst.cast_signed()));
            }
            ProjectedAxis::List { indices, places } => plan.push(scatter::CopyAxis {
                count: indices.len(),
                src: scatter::AxisSteps::List { indices, stride: src.cast_signed() },
                dst: scatter::AxisSteps::List { indices: places, stride: dst.cast_signed() },
            }),
        }
    }
    let plan = scatter::Orthogonal { element_size: size, src_offset, dst_offset, axes: &plan };
    scatter::gather_lists(elements, output, &plan)
}

/// Calls `put` with the indices in the chunk and in the part for each pair of the outer product.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "elements and places of a chunk and a part that are in memory"
)]
fn for_each_pair(
    axes: &[ProjectedAxis],
    strides: Strides<'_>,
    element: usize,
    target: usize,
    put: &mut Put<'_>,
) -> Result<()> {
    let Strides { src, dst } = strides;
    let ([axis, axes @ ..], [along, src @ ..], [across, dst @ ..]) = (axes, src, dst) else {
        return put(element, target);
    };
    let strides = Strides { src, dst };
    axis.pairs().try_for_each(|(index, at)| {
        for_each_pair(axes, strides, element + index as usize * along, target + at as usize * across, put)
    })
}

/// The number, within the chunk, of the element that point `at` takes.
fn element_of_point(indices: &[Vec<u32>], src: &[usize], at: usize) -> usize {
    let along = indices.iter().zip(src);
    along.fold(0_usize, |sum, (list, stride)| {
        let index = list.get(at).map_or(0, |index| *index as usize);
        sum.saturating_add(index.saturating_mul(*stride))
    })
}
