//! The parts of node documents that both drafts share. See "Array metadata" and "Group metadata".

use super::data_type;
use super::fill_value::FillValueParser;
use super::{extension, grid, storage_transformer};
use crate::error::Result;
use crate::format::data_type::typestr::Endian;
use crate::format::metadata::chain::ChainBuilder;
use crate::format::metadata::json::{Json, Object};
use crate::format::metadata::{
    ArrayMetadata, CodecMetadata, DataTypeFallback, Draft, GroupMetadata, ZarrFormat, attributes, v3,
};

/// The document of an array.
pub(in super::super) struct ArrayDocument<'a> {
    draft: Draft,
    members: &'a Object<'a>,
    /// zarr-python's filters, which it stores among the attributes.
    filters: &'a [Json<'a>],
}

impl<'a> ArrayDocument<'a> {
    pub fn new(draft: Draft, members: &'a Object<'a>, filters: &'a [Json<'a>]) -> Self {
        Self { draft, members, filters }
    }

    /// Parses the array. `codecs` appends the document's codecs to the chain.
    pub fn array(&self, codecs: impl FnOnce(&mut ChainBuilder) -> Result<()>) -> Result<ArrayMetadata> {
        let members = self.members;
        let shape = members.require("shape", v3::shape)?;
        let rank = shape.len();
        let of_elements =
            members.require("data_type", |json| data_type::parse(json, self.draft, self.filters))?;
        let data_type::DraftType { data_type, endian, fallback } = of_elements;
        let (chunk_grid, chunk_key_encoding) =
            members.require("chunk_grid", |json| grid::chunk_grid(json, &shape))?;
        members.require("extensions", extension::check_list)?;
        let mut warnings: Vec<String> = fallback.iter().map(DataTypeFallback::warning).collect();
        let elements = FillValueParser {
            draft: self.draft,
            data_type: &data_type,
            endian,
            is_fallback: fallback.is_some(),
        };
        let fill_value = members.require("fill_value", |json| elements.parse(json, &mut warnings))?;
        let attributes = members.require("attributes", Ok)?;
        let dimension_names = match attributes.object() {
            Ok(attributes) => attributes::xarray_dimension_names(&attributes, rank, &mut warnings),
            Err(error) => return Err(error.in_field("attributes")),
        };
        Ok(ArrayMetadata {
            format: ZarrFormat::Draft(self.draft),
            chunk_grid,
            chunk_key_encoding,
            fill_value,
            fill_is_null: members.get("fill_value").is_some_and(Json::is_null),
            codecs: self.chain(rank, endian, codecs)?,
            attributes: attributes::text(attributes)?,
            dimension_names,
            storage_transformers: members
                .read("storage_transformers", storage_transformer::parse)?
                .unwrap_or_default(),
            shape,
            data_type,
            fallback,
            warnings,
        })
    }

    fn chain(
        &self,
        rank: usize,
        endian: Option<Endian>,
        codecs: impl FnOnce(&mut ChainBuilder) -> Result<()>,
    ) -> Result<Vec<CodecMetadata>> {
        let mut chain = ChainBuilder::new(endian, "data_type");
        if self.members.require("chunk_memory_layout", grid::is_fortran)? && rank > 1 {
            chain.reverse_dimensions(rank, "chunk_memory_layout");
        }
        codecs(&mut chain)?;
        Ok(chain.finish())
    }
}

/// Parses the document of a group.
pub(in super::super) fn group(draft: Draft, members: &Object<'_>) -> Result<GroupMetadata> {
    let attributes = members.require("attributes", attributes::text)?;
    Ok(GroupMetadata { format: ZarrFormat::Draft(draft), attributes, warnings: Vec::new() })
}

/// The metadata of a group without a document.
pub(super) fn implicit_group(draft: Draft) -> GroupMetadata {
    let attributes = attributes::NONE.to_owned();
    GroupMetadata { format: ZarrFormat::Draft(draft), attributes, warnings: Vec::new() }
}
