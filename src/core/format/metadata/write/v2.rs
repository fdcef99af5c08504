//! Writes `.zarray`, `.zgroup` and `.zattrs`.
//! <https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html>
//!
//! This is the inverse of parsing v2: a `transpose` at the start becomes order `F`, the `bytes`
//! codec becomes the byte order of the type, and all other codecs become filters and the
//! compressor.

use super::v2_data_type::{dtype, fill_value};
use crate::error::{Error, Result};
use crate::format::chunk_key::Separator;
use crate::format::json::text::{ObjectText, list, string};
use crate::format::metadata::chain::Unnamed;
use crate::format::metadata::document::{ZARRAY, ZATTRS, ZGROUP};
use crate::format::metadata::{ArrayMetadata, CodecMetadata, GroupMetadata, ZarrFormat, attributes};

type Texts = Vec<(String, String)>;

/// Writes the documents of a group.
pub fn group(metadata: &GroupMetadata) -> Texts {
    with_attributes(ZGROUP, ObjectText::new().with("zarr_format", "2").lines(), &metadata.attributes)
}

/// Writes the documents of an array.
///
/// # Errors
/// `Argument` for a fill value that v2 cannot express, `Unsupported` for a type, grid or chain that
/// it does not have.
pub fn array(metadata: &ArrayMetadata) -> Result<Texts> {
    let chunks = metadata.chunk_grid.uniform();
    let chunks = chunks.ok_or_else(|| Error::unsupported("v2 requires all chunks to have the same shape"))?;
    let chain = Unnamed::of(&metadata.codecs);
    let (compressors, filters): (Vec<_>, Vec<_>) =
        chain.others.iter().map(|(codec, _)| *codec).partition(|codec| codec.field == "compressor");
    let filters = filters.into_iter().map(strict).collect::<Result<Vec<_>>>()?;
    let compressor = compressors.last().copied().map(strict).transpose()?;
    let separator = metadata.chunk_key_encoding.separator().unwrap_or(Separator::Dot).as_str();
    let fill = match metadata.fill_is_null {
        true => "null".to_owned(),
        false => fill_value(&metadata.fill_value, &metadata.data_type, chain.endian)?,
    };
    let node = ObjectText::new()
        .with("zarr_format", "2")
        .with("shape", list(&metadata.shape))
        .with("chunks", list(chunks))
        .with("dtype", dtype(&metadata.data_type, chain.endian)?)
        .with("compressor", compressor.unwrap_or_else(|| "null".to_owned()))
        .with("fill_value", fill)
        .with("order", if chain.fortran { "\"F\"" } else { "\"C\"" })
        .with("filters", if filters.is_empty() { "null".to_owned() } else { list(filters) })
        .with("dimension_separator", string(separator));
    Ok(with_attributes(ZARRAY, node.lines(), &metadata.attributes))
}

/// Adds `.zattrs`, unless there are no attributes: readers take a missing `.zattrs` for an empty
/// one.
fn with_attributes(suffix: &str, node: String, attributes: &str) -> Texts {
    let mut texts = vec![(suffix.to_owned(), node)];
    if attributes != attributes::NONE {
        texts.push((ZATTRS.to_owned(), attributes.to_owned()));
    }
    texts
}

/// The codec object. TensorStore refuses a v2 zstd with `checksum`, so it is only written where it
/// is true.
fn strict(codec: &CodecMetadata) -> Result<String> {
    if codec.format != ZarrFormat::V2 {
        return Err(Error::unsupported("this v3 codec has no v2 form").in_codec(codec.name.as_str()));
    }
    let mut members = codec.members()?;
    if members.get("id") == Some("\"zstd\"") && members.get("checksum") == Some("false") {
        members.remove("checksum");
    }
    Ok(members.compact())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::metadata::v2 as read_v2;

    const EXAMPLE: &str = r#"{"zarr_format":2,"shape":[20,30],"chunks":[7,8],"dtype":">i4",
        "compressor":{"id":"zstd","level":3,"checksum":false},"fill_value":-7,"order":"F",
        "filters":[{"id":"crc32c"}],"dimension_separator":"/"}"#;

    #[test]
    fn parsed_documents_are_written_again() {
        let metadata = read_v2::parse_array(EXAMPLE.as_bytes(), Some(br#"{"a": [1.50]}"#)).unwrap();
        let texts = array(&metadata).unwrap();
        let expected = concat!(
            "{\n  \"zarr_format\": 2,\n  \"shape\": [20,30],\n  \"chunks\": [7,8],\n  \"dtype\": \">i4\",\n",
            "  \"compressor\": {\"id\":\"zstd\",\"level\":3},\n  \"fill_value\": -7,\n  \"order\": \"F\",\n",
            "  \"filters\": [{\"id\":\"crc32c\"}],\n  \"dimension_separator\": \"/\"\n}",
        );
        assert_eq!(texts[0], (ZARRAY.to_owned(), expected.to_owned()));
        assert_eq!(texts[1], (ZATTRS.to_owned(), r#"{"a": [1.50]}"#.to_owned()));
    }
}
