//! Makes the complete, checked metadata of a new array of a user's options. Those that are left out
//! get defaults: chunks, shards, codecs, a fill value (null in v2, else zero).

use super::codec_chain::NewChain;
use super::fill_choice::{self, Carried, FillChoice};
use super::options::{ArrayOptions, Shards, as_argument};
use super::{defaults, edit};
use crate::error::{Error, Result, Stage};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::data_type::{DataType, Endian, FillValue};
use crate::format::json::text::{ObjectText, list, named, string};
use crate::format::json::{self, Json};
use crate::format::metadata::extension::Extension;
use crate::format::metadata::{ArrayMetadata, ZarrFormat, attributes};

impl ArrayOptions {
    /// Makes the metadata of the new array.
    ///
    /// # Errors
    /// `Argument` for options that do not fit together, `Unsupported` for types and codecs that the
    /// Zarr format or this build does not have.
    pub fn metadata(&self) -> Result<ArrayMetadata> {
        self.build().map_err(|error| as_argument(error).in_stage(Stage::Metadata))
    }

    fn build(&self) -> Result<ArrayMetadata> {
        let (data_type, endian) = self.data_type().map_err(|error| error.within_field("data_type"))?;
        if let Some(like) = self.layout_to_copy(&data_type) {
            return self.laid_out_as(like);
        }
        let rank = self.shape.len();
        let element_size = data_type.size().unwrap_or(16) as u64;
        let uneven = self.uneven_grid().map_err(|error| error.within_field("chunk_shape"))?;
        let chunk_shape =
            self.chunk_shape.clone().unwrap_or_else(|| defaults::chunk_shape(&self.shape, element_size));
        let shard_shape = self.shard_shape(&chunk_shape, element_size)?;
        let (fill_value, carried) = self.fill(&data_type, endian)?;
        let chain = NewChain { options: self, data_type: &data_type, endian };
        let codecs = match self.format {
            ZarrFormat::V3 => chain.v3(shard_shape.as_ref().map(|_| chunk_shape.as_slice()))?,
            ZarrFormat::V2 => chain.v2()?,
            ZarrFormat::Draft(draft) => chain.draft(draft)?,
        };
        let storage_transformers = self.transformers(shard_shape.as_deref(), &chunk_shape)?;
        let stored = match self.format {
            // The shards of a draft are in a storage transformer, not in the grid.
            ZarrFormat::Draft(_) => chunk_shape,
            ZarrFormat::V2 | ZarrFormat::V3 => shard_shape.unwrap_or(chunk_shape),
        };
        Ok(ArrayMetadata {
            format: self.format,
            shape: self.shape.clone(),
            chunk_grid: match uneven {
                Some(grid) => grid,
                None => {
                    ChunkGrid::regular(&stored, rank).map_err(|error| error.within_field("chunk_shape"))?
                }
            },
            chunk_key_encoding: self.chunk_key_encoding()?,
            fill_is_null: fill_value.is_none(),
            fill_value: fill_value.unwrap_or_else(|| FillValue::of_null(&data_type)),
            codecs,
            attributes: self.attributes_text(carried)?,
            dimension_names: self.dimension_names.clone(),
            data_type,
            storage_transformers,
            fallback: None,
            warnings: Vec::new(),
        })
    }

    /// The array to copy chunks and codecs from, where no option contradicts them.
    fn layout_to_copy(&self, data_type: &DataType) -> Option<&ArrayMetadata> {
        let is_open = self.chunk_shape.is_none()
            && self.chunk_lengths.is_none()
            && self.shards == Shards::Automatic
            && self.codecs.is_none()
            && self.index_location.is_none()
            && !self.fortran_order;
        self.like.as_deref().filter(|like| {
            is_open
                && like.format == self.format
                && like.shape.len() == self.shape.len()
                && like.data_type == *data_type
        })
    }

    fn laid_out_as(&self, like: &ArrayMetadata) -> Result<ArrayMetadata> {
        let (fill_value, carried) = self.fill(&like.data_type, Some(Endian::Little))?;
        let is_chosen = self.chunk_key_encoding.is_some() || self.separator.is_some();
        Ok(ArrayMetadata {
            shape: self.shape.clone(),
            chunk_key_encoding: match is_chosen {
                true => self.chunk_key_encoding()?,
                false => like.chunk_key_encoding.clone(),
            },
            fill_is_null: fill_value.is_none(),
            fill_value: fill_value.unwrap_or_else(|| FillValue::of_null(&like.data_type)),
            attributes: self.attributes_text(carried)?,
            dimension_names: self.dimension_names.clone(),
            warnings: Vec::new(),
            ..like.clone()
        })
    }

    /// The fill value, `None` for null, and what the copy takes over from the attributes.
    fn fill(&self, data_type: &DataType, endian: Option<Endian>) -> Result<(Option<FillValue>, Carried)> {
        let choice = FillChoice { options: self, data_type, endian };
        let carried = choice.carried()?;
        let fill = choice.fill(&carried).map_err(|error| error.within_field("fill_value"))?;
        Ok((fill, carried))
    }

    /// The rectilinear grid, where the user gives chunk lengths.
    fn uneven_grid(&self) -> Result<Option<ChunkGrid>> {
        let Some(lengths) = &self.chunk_lengths else { return Ok(None) };
        if self.format != ZarrFormat::V3 || matches!(self.shards, Shards::Shape(_)) {
            return Err(Error::argument("chunks of different lengths need v3 and no shards"));
        }
        let configuration =
            ObjectText::new().with("kind", "\"inline\"").with("chunk_shapes", lengths.as_str());
        let grid = |json: Json<'_>| ChunkGrid::parse(&Extension::parse(json)?, &self.shape);
        json::read(&named("rectilinear", &configuration), grid).map(Some)
    }

    fn shard_shape(&self, chunk_shape: &[u64], element_size: u64) -> Result<Option<Vec<u64>>> {
        match &self.shards {
            Shards::None => Ok(None),
            Shards::Shape(_) if self.format == ZarrFormat::V2 => {
                Err(Error::argument("v2 has no shards").in_field("shard_shape"))
            }
            Shards::Shape(shape) => Ok(Some(shape.clone())),
            Shards::Automatic => {
                let chosen = self.format == ZarrFormat::V3
                    && self.chunk_shape.is_none()
                    && self.chunk_lengths.is_none()
                    && self.codecs.is_none();
                Ok(chosen.then(|| defaults::shard_shape(&self.shape, chunk_shape, element_size)).flatten())
            }
        }
    }

    fn chunk_key_encoding(&self) -> Result<ChunkKeyEncoding> {
        let encoding = match (self.format, &self.chunk_key_encoding) {
            (ZarrFormat::V2, None) => ChunkKeyEncoding::V2 { separator: Separator::Dot },
            (ZarrFormat::V2, Some(_)) => {
                return Err(Error::argument("v2 does not have a choice of chunk key encodings")
                    .in_field("chunk_key_encoding"));
            }
            (ZarrFormat::Draft(_), None) => ChunkKeyEncoding::Draft { separator: Separator::Slash },
            (ZarrFormat::Draft(_), Some(_)) => {
                let error = Error::argument("the drafts do not have a choice of chunk key encodings");
                return Err(error.in_field("chunk_key_encoding"));
            }
            (ZarrFormat::V3, None) => ChunkKeyEncoding::Default { separator: Separator::Slash },
            (ZarrFormat::V3, Some(text)) => {
                let encoding =
                    |json: Json<'_>| ChunkKeyEncoding::parse(&Extension::parse(json)?, self.shape.len());
                json::read(text, encoding).map_err(|error| error.within_field("chunk_key_encoding"))?
            }
        };
        Ok(match (encoding, self.separator) {
            (encoding, None) => encoding,
            (ChunkKeyEncoding::Default { .. }, Some(separator)) => ChunkKeyEncoding::Default { separator },
            (ChunkKeyEncoding::Draft { .. }, Some(separator)) => ChunkKeyEncoding::Draft { separator },
            (ChunkKeyEncoding::V2 { .. }, Some(separator)) => ChunkKeyEncoding::V2 { separator },
            (_, Some(_)) => {
                let error = Error::argument("this chunk key encoding has its separator in its configuration");
                return Err(error.in_field("separator"));
            }
        })
    }

    /// The text of the attributes. v2 and the drafts store names of dimensions in xarray's
    /// attribute, which has no form for a dimension without a name.
    fn attributes_text(&self, carried: Carried) -> Result<String> {
        let mut attributes = match self.keeps_attributes {
            // The attributes of another writer stay as they are, including bare NaN.
            true => json::read(&self.attributes, ObjectText::of)?,
            false => edit::checked_attributes(&self.attributes)?,
        };
        if let Some(text) = carried.attribute {
            attributes.set(fill_choice::ATTRIBUTE, text);
        }
        // xarray opens a v3 scalar without the attribute, but not a v2 scalar.
        let from_v3 = self.like.as_ref().is_some_and(|like| like.format == ZarrFormat::V3);
        if self.format == ZarrFormat::V2 && self.shape.is_empty() && from_v3 {
            attributes.set(attributes::ARRAY_DIMENSIONS, "[]");
        }
        if let (ZarrFormat::V2 | ZarrFormat::Draft(_), Some(names)) = (self.format, &self.dimension_names) {
            let names: Option<Vec<String>> = names.iter().map(|name| name.as_deref().map(string)).collect();
            let names = names.ok_or_else(|| {
                Error::argument("every dimension must have a name, or none, in all formats but v3")
                    .in_field("dimension_names")
            })?;
            attributes.set(attributes::ARRAY_DIMENSIONS, list(names));
        }
        Ok(if attributes.is_empty() { attributes::NONE.to_owned() } else { attributes.compact() })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::metadata::document::{self, ZARR_JSON, ZARRAY, ZATTRS};
    use crate::format::metadata::{CodecMetadata, NodeMetadata, write};

    fn documents(options: &str) -> Result<Vec<(String, serde_json::Value)>> {
        let metadata = ArrayOptions::from_json(options)?.metadata()?;
        let written = write::array(&metadata, &None)?;
        let NodeMetadata::Array(read) = document::parse(&written)? else { panic!("a group") };
        assert_eq!(read.shape, metadata.shape);
        assert_eq!(read.data_type, metadata.data_type);
        assert_eq!(read.chunk_grid, metadata.chunk_grid);
        assert_eq!(read.chunk_key_encoding, metadata.chunk_key_encoding);
        assert_eq!(read.fill_value, metadata.fill_value);
        assert_eq!(read.fill_is_null, metadata.fill_is_null);
        assert_eq!(read.dimension_names, metadata.dimension_names);
        let names = |codecs: &[CodecMetadata]| {
            codecs.iter().map(|it| (it.name.clone(), it.field.clone())).collect::<Vec<_>>()
        };
        assert_eq!(names(&read.codecs), names(&metadata.codecs));
        Ok(written
            .texts
            .iter()
            .map(|(key, text)| (key.clone(), serde_json::from_str(text).unwrap()))
            .collect())
    }

    #[test]
    fn defaults_of_v3() {
        let documents = documents(r#"{"shape":[4096,4096],"data_type":"float32"}"#).unwrap();
        let expected = serde_json::json!({
            "zarr_format": 3, "node_type": "array", "shape": [4096, 4096], "data_type": "float32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [512, 512]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0.0,
            "codecs": [
                {"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "zstd", "configuration": {"level": 0, "checksum": false}},
            ],
            "attributes": {},
        });
        assert_eq!(documents, [(ZARR_JSON.to_owned(), expected)]);
    }

    #[test]
    fn very_many_chunks_are_put_in_shards() {
        let documents = documents(r#"{"shape":[200000,200000],"data_type":"uint8"}"#).unwrap();
        let codecs = &documents[0].1["codecs"];
        assert_eq!(codecs[0]["name"], "sharding_indexed");
        assert_eq!(codecs[0]["configuration"]["codecs"][0], serde_json::json!({"name": "bytes"}));
        assert_eq!(codecs[0]["configuration"]["index_codecs"][1], serde_json::json!({"name": "crc32c"}));
    }

    #[test]
    fn defaults_and_all_options_of_v2() {
        let simple = documents(r#"{"zarr_format":2,"shape":[10],"data_type":"<f8"}"#).unwrap();
        let expected = serde_json::json!({
            "zarr_format": 2, "shape": [10], "chunks": [10], "dtype": "<f8", "compressor": {"id": "zstd", "level": 0},
            "fill_value": null, "order": "C", "filters": null, "dimension_separator": ".",
        });
        assert_eq!(simple, [(ZARRAY.to_owned(), expected)]);
        let options = r#"{"zarr_format":2,"shape":[10,20],"chunk_shape":[3,4],"data_type":">i2","order":"F","separator":"/",
            "codecs":[{"id":"crc32c"},{"name":"blosc","configuration":{"cname":"zstd","shuffle":"bitshuffle"}}],
            "fill_value":-3,"dimension_names":["y","x"],"attributes":{"a":1}}"#;
        let documents = documents(options).unwrap();
        let expected = serde_json::json!({
            "zarr_format": 2, "shape": [10, 20], "chunks": [3, 4], "dtype": ">i2",
            "compressor": {"id": "blosc", "cname": "zstd", "shuffle": 2, "clevel": 5, "blocksize": 0}, "fill_value": -3, "order": "F",
            "filters": [{"id": "crc32c"}], "dimension_separator": "/",
        });
        assert_eq!(documents[0], (ZARRAY.to_owned(), expected));
        assert_eq!(
            documents[1],
            (ZATTRS.to_owned(), serde_json::json!({"a": 1, "_ARRAY_DIMENSIONS": ["y", "x"]}))
        );
    }

    #[test]
    fn chunks_of_different_lengths() {
        let written =
            documents(r#"{"shape":[10,6],"data_type":"int8","chunk_shape":[[3,[2,2],4],6]}"#).unwrap();
        let grid = serde_json::json!({"kind": "inline", "chunk_shapes": [[3, [2, 2], 4], 6]});
        assert_eq!(written[0].1["chunk_grid"]["configuration"], grid);
        for options in [
            r#"{"shape":[4],"data_type":"int8","chunk_shape":[[3]]}"#,
            r#"{"shape":[4],"data_type":"int8","chunk_shape":[[4]],"zarr_format":2}"#,
            r#"{"shape":[4],"data_type":"int8","chunk_shape":[[4]],"shard_shape":[4]}"#,
        ] {
            assert_eq!(documents(options).unwrap_err().kind(), ErrorKind::Argument, "{options}");
        }
    }

    #[test]
    fn options_copied_from_another_array() {
        let first = r#"{"shape":[10],"chunk_shape":[3],"data_type":"int16","codecs":["gzip"],"fill_value":5,"attributes":{"a":1}}"#;
        let first = ArrayOptions::from_json(first).unwrap().metadata().unwrap();
        let like = |options: &str| ArrayOptions::like(options, Some(&first)).unwrap().metadata().unwrap();
        assert_eq!(
            write::array(&like("{}"), &None).unwrap().texts,
            write::array(&first, &None).unwrap().texts
        );
        let other = like(r#"{"zarr_format":2,"chunk_shape":[5],"attributes":{}}"#);
        assert_eq!((other.data_type, other.fill_value), (first.data_type.clone(), first.fill_value.clone()));
        assert_eq!(other.attributes, "{}");
        let wider = like(r#"{"data_type":"float64"}"#);
        assert_eq!(wider.fill_value.0, [0; 8]);
    }

    #[test]
    fn errors_name_invalid_options() {
        for (options, field) in [
            (r#"{"shape":[1]}"#, Some("data_type")),
            (r#"{"shape":[1],"data_type":"float32","colour":1}"#, Some("colour")),
            (r#"{"shape":[-1],"data_type":"float32"}"#, Some("shape[0]")),
            (r#"{"shape":[1],"data_type":"uint8","fill_value":256}"#, Some("fill_value")),
            (r#"{"shape":[1],"data_type":"uint8","chunk_shape":[0]}"#, Some("chunk_shape[0]")),
            (r#"{"shape":[1],"data_type":"uint8","chunk_shape":[1,1]}"#, Some("chunk_shape")),
            (r#"{"shape":[1],"data_type":"uint8","order":"K"}"#, Some("order")),
            (r#"{"shape":[1],"data_type":"uint8","zarr_format":2,"shard_shape":[1]}"#, Some("shard_shape")),
            (r#"{"shape":[1],"data_type":"uint8","dimension_names":["a","b"]}"#, Some("dimension_names")),
            (r#"{"shape":[1],"data_type":"uint8","attributes":[]}"#, None),
        ] {
            let error = documents(options).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Argument, "{options}: {error:?}");
            assert_eq!(error.context().field.as_deref(), field, "{options}");
        }
    }
}
