//! The new elements that a write puts into a chunk.

use crate::access::binding::Binding;
use crate::access::instruction::{ChunkProjection, ProjectedAxis};
use crate::error::{Error, Result, Stage};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::pipeline::Elements;
use crate::format::dimension_order::c_strides;
use crate::limits;

/// The new elements and their strides.
pub(super) struct Source<'a> {
    pub elements: Elements<'a>,
    /// The strides of the new elements, counted in elements. All are 0 for one element that is
    /// written everywhere.
    pub strides: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(
        binding: &Binding,
        written: Option<&ChunkProjection>,
        broadcast: bool,
        bytes: &'a [u8],
    ) -> Result<Self> {
        let counts: Vec<u64> = match written {
            Some(ChunkProjection::Orthogonal(axes)) => axes.iter().map(ProjectedAxis::count).collect(),
            Some(ChunkProjection::Points { places, .. }) => vec![places.len() as u64],
            None => Vec::new(),
        };
        let count = if broadcast { 1 } else { limits::product(counts.iter().copied(), "new elements")? };
        let count = limits::to_usize(count, "new elements")?;
        let strides = if broadcast { vec![0; counts.len()] } else { c_strides(&counts, 1)? };
        let elements = match binding.metadata().data_type.size() {
            _ if written.is_none() => Elements::Fixed(&[]),
            Some(size) => {
                let len = limits::product([size as u64, count as u64], "new elements")?;
                if bytes.len() as u64 != len {
                    return Err(wrong_elements(len, bytes.len()));
                }
                Elements::Fixed(bytes)
            }
            None if broadcast => {
                let mut one = VariableBytes::new();
                one.push(bytes)?;
                Elements::Variable(one)
            }
            None => Elements::Variable(unpack(bytes, count)?),
        };
        Ok(Self { elements, strides })
    }
}

/// Parses offsets and bytes of elements of variable length.
fn unpack(bytes: &[u8], count: usize) -> Result<VariableBytes> {
    VariableBytes::from_packed(bytes, count).ok_or_else(|| {
        let offsets = (count as u64).saturating_add(1).saturating_mul(4);
        wrong_elements(offsets, bytes.len())
    })
}

fn wrong_elements(expected: u64, actual: usize) -> Error {
    let error = Error::argument("the new elements do not fill the selection").in_stage(Stage::Encode);
    error.expected(format!("{expected} bytes")).actual(format!("{actual} bytes"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_variable_length_are_checked() {
        let mut elements = VariableBytes::new();
        elements.push(b"ab").unwrap();
        elements.push(b"").unwrap();
        assert_eq!(unpack(&elements.to_packed(), 2).unwrap(), elements);
        for bytes in [vec![], vec![0; 12], [&elements.to_packed()[..], b"c"].concat()] {
            let well_formed = bytes.len() == 12;
            assert_eq!(unpack(&bytes, 2).is_ok(), well_formed);
        }
    }
}
