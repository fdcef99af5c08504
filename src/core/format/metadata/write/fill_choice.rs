//! Chooses the fill value of a new array, and the attribute `_FillValue` of a copy.
//!
//! In v2 xarray takes the `fill_value` for `_FillValue`, whatever the attribute is. In v3 it reads
//! only the attribute. So a copy into another Zarr format or data type says in the target's way
//! which elements are missing. xarray opens only arrays whose dimensions have names; copies of
//! other arrays keep the fill value and the attributes. `convention::cf` decodes the values.

use super::options::ArrayOptions;
use crate::error::{Error, Result};
use crate::format::data_type::{DataType, Endian, FillValue, Float};
use crate::format::json::text::list;
use crate::format::json::{Document, Json};
use crate::format::metadata::{ArrayMetadata, Draft, ZarrFormat, attributes, draft};

/// CF's attribute for the value of missing elements.
pub(super) const ATTRIBUTE: &str = "_FillValue";

/// What a copy takes over from the original. Nothing by default.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// The fill value, unless the caller chooses one. The inner `None` is v2's null.
    fill: Option<Option<FillValue>>,
    /// The text of [`ATTRIBUTE`], where it changes.
    pub attribute: Option<String>,
}

/// The options that the choice depends on.
pub(super) struct FillChoice<'a> {
    pub options: &'a ArrayOptions,
    pub data_type: &'a DataType,
    /// The byte order of packed values. `None` for a struct whose fields have different ones.
    pub endian: Option<Endian>,
}

impl FillChoice<'_> {
    /// The fill value, `None` for null. Without a choice it is null in v2 and zero in other
    /// formats.
    pub fn fill(&self, carried: &Carried) -> Result<Option<FillValue>> {
        if let Some(packed) = &self.options.packed_fill {
            return checked(packed, self.data_type).map(Some);
        }
        let has_null = matches!(self.options.format, ZarrFormat::V2 | ZarrFormat::Draft(Draft::October2020));
        match self.options.fill_value.as_deref() {
            Some("null") if has_null => return Ok(None),
            None | Some("null") => {}
            Some(text) => return self.given(text).map(Some),
        }
        let like = self.options.like.as_deref().filter(|like| like.data_type == *self.data_type);
        Ok(match (&carried.fill, like) {
            (Some(fill), _) => fill.clone(),
            (None, Some(like)) if like.fill_is_null && has_null => None,
            (None, Some(like)) => Some(like.fill_value.clone()),
            (None, None) if self.options.format == ZarrFormat::V2 => None,
            (None, None) => Some(FillValue::zero(self.data_type)),
        })
    }

    fn given(&self, text: &str) -> Result<FillValue> {
        let document = Document::parse(text.as_bytes())?;
        let (data_type, json) = (self.data_type, document.root());
        // Numbers in strings are accepted in stored metadata, but not written.
        let is_number = matches!(data_type, DataType::Integer(_) | DataType::Float(_));
        match self.options.format {
            ZarrFormat::V2 if !is_number || json.kind_name() != "a string" => {
                FillValue::parse_v2(data_type, self.endian, json, &mut Vec::new())
            }
            ZarrFormat::V2 | ZarrFormat::V3 => FillValue::parse_v3(data_type, json),
            ZarrFormat::Draft(draft) => draft::parse_fill_value(draft, data_type, self.endian, json),
        }
    }

    /// What the original says about missing elements, in the terms of the new format and type.
    pub fn carried(&self) -> Result<Carried> {
        let options = self.options;
        let Some(like) = options.like.as_deref().filter(|like| self.differs(like)) else {
            return Ok(Carried::default());
        };
        let document = Document::parse(options.attributes.as_bytes())?;
        let attributes = document.root().object()?;
        let attribute = attributes.get(ATTRIBUTE);
        let is_named = self.is_named() || attributes.get(attributes::ARRAY_DIMENSIONS).is_some();
        let missing = self.missing(like, attribute, is_named)?;
        if options.format == ZarrFormat::V3 {
            let missing = missing.filter(|_| options.keeps_attributes);
            let attribute = missing.and_then(|missing| encoded(&missing, self.data_type));
            return Ok(Carried { fill: None, attribute });
        }
        let text = missing.as_ref().filter(|_| attribute.is_some());
        let text = text.map(|missing| missing.to_json_v3(self.data_type)).transpose()?;
        let is_said = missing.is_some() || attribute.is_some() || is_named;
        Ok(Carried { fill: is_said.then_some(missing), attribute: text })
    }

    /// The element of the new type that means "missing". `None` where no element does.
    fn missing(
        &self,
        like: &ArrayMetadata,
        attribute: Option<Json<'_>>,
        is_named: bool,
    ) -> Result<Option<FillValue>> {
        Ok(match attribute {
            Some(json) if is_named || self.options.format == ZarrFormat::V2 => {
                self.element(&plain(json, &like.data_type))
            }
            None if is_named && like.format == ZarrFormat::V2 && !like.fill_is_null => {
                self.element(&like.fill_value.to_json_v3(&like.data_type)?)
            }
            _ => None,
        })
    }

    /// Whether the format or the type change the form of `_FillValue`. xarray does not read the
    /// drafts.
    fn differs(&self, like: &ArrayMetadata) -> bool {
        let is_read = |format| matches!(format, ZarrFormat::V2 | ZarrFormat::V3);
        let is_other = like.format != self.options.format || like.data_type != *self.data_type;
        is_other && is_read(like.format) && is_read(self.options.format)
    }

    /// Whether xarray can open the array. Scalars need no names.
    fn is_named(&self) -> bool {
        let names = self.options.dimension_names.as_ref();
        self.options.shape.is_empty() || names.is_some_and(|names| names.iter().all(Option::is_some))
    }

    /// Parses an element of the new type. `None` where the type does not have it.
    fn element(&self, plain: &str) -> Option<FillValue> {
        let document = Document::parse(plain.as_bytes()).ok()?;
        let element = FillValue::read_v3(self.data_type, document.root(), &mut Vec::new()).ok()?;
        // A number that is too large would become infinity.
        let is_finite = |text: &str| !text.contains('"');
        let written = element.to_json_v3(self.data_type).ok()?;
        (is_finite(&written) || !is_finite(plain)).then_some(element)
    }
}

fn checked(packed: &FillValue, data_type: &DataType) -> Result<FillValue> {
    match data_type.size() {
        Some(size) if size != packed.0.len() => {
            let error = Error::argument("the fill value is not one element of the type");
            Err(error.expected(format!("{size} bytes")).actual(format!("{} bytes", packed.0.len())))
        }
        _ => Ok(packed.clone()),
    }
}

/// The attribute with numbers instead of xarray's base64 of doubles.
fn plain(json: Json<'_>, data_type: &DataType) -> String {
    let decoded = match data_type {
        DataType::Float(_) => double(json),
        DataType::Complex(_) => json
            .array()
            .ok()
            .and_then(|parts| parts.into_iter().map(double).collect::<Option<Vec<_>>>().map(list)),
        _ => None,
    };
    decoded.unwrap_or_else(|| json.text().to_owned())
}

/// Parses a double in xarray's base64.
fn double(json: Json<'_>) -> Option<String> {
    let bytes = FillValue::parse_v3(&DataType::Bytes, json).ok()?;
    let value = f64::from_le_bytes(bytes.0.try_into().ok()?);
    let canonical = if value.is_nan() { f64::NAN } else { value };
    FillValue(canonical.to_le_bytes().to_vec()).to_json_v3(&DataType::Float(Float::Float64)).ok()
}

/// The attribute of a v3 array as xarray writes and reads it. `None` for types that xarray refuses
/// there.
fn encoded(element: &FillValue, data_type: &DataType) -> Option<String> {
    match data_type {
        DataType::Bool | DataType::Integer(_) => element.to_json_v3(data_type).ok(),
        DataType::Float(float) => double_text(*float, &element.0),
        DataType::Complex(part) => {
            let (re, im) = element.0.split_at(part.size());
            Some(list([double_text(*part, re)?, double_text(*part, im)?]))
        }
        _ => None,
    }
}

fn double_text(float: Float, packed: &[u8]) -> Option<String> {
    if !float.is_in_numpy() {
        return None;
    }
    let mut bits = [0; 8];
    bits.iter_mut().zip(packed).for_each(|(byte, packed)| *byte = *packed);
    let value = float.to_f64(u64::from_le_bytes(bits));
    FillValue(value.to_le_bytes().to_vec()).to_json_v3(&DataType::Bytes).ok()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::format::metadata::{NodeMetadata, document, write};

    /// -9999.0, 0.0 and NaN as xarray writes them into attributes.
    const MINUS_9999: &str = "AAAAAICHw8A=";
    const ZERO: &str = "AAAAAAAAAAA=";
    const NAN: &str = "AAAAAAAA+H8=";

    fn made(options: &Value, like: Option<&ArrayMetadata>) -> (ArrayMetadata, Value, Value) {
        let options = ArrayOptions::like(&options.to_string(), like).unwrap();
        let document = write::array(&options.metadata().unwrap(), &None).unwrap();
        let NodeMetadata::Array(array) = document::parse(&document).unwrap() else { panic!("a group") };
        let of = |name: &str| document.text(name).map(|text| serde_json::from_str::<Value>(text).unwrap());
        let node = of(".zarray").or_else(|| of("zarr.json")).unwrap();
        let attributes = of(".zattrs").or_else(|| node.get("attributes").cloned()).unwrap_or(json!({}));
        (*array, node["fill_value"].clone(), attributes[ATTRIBUTE].clone())
    }

    /// Fill value and attribute of a copy of an array of this type, fill value and attribute.
    fn copied(from: (u8, &str, Value, Value), to: u8, named: bool) -> (Value, Value) {
        let (format, data_type, fill, attribute) = from;
        let attributes = if attribute.is_null() { json!({}) } else { json!({ ATTRIBUTE: attribute }) };
        let mut options = json!({
            "zarr_format": format, "shape": [4], "data_type": data_type, "fill_value": fill, "attributes": attributes,
        });
        if named {
            options["dimension_names"] = json!(["x"]);
        }
        let (like, ..) = made(&options, None);
        let (_, fill, attribute) = made(&json!({ "zarr_format": to }), Some(&like));
        (fill, attribute)
    }

    #[test]
    fn v2_has_null_unless_a_fill_value_is_given() {
        let of = |format: u8, fill: Option<Value>| {
            let mut options = json!({ "zarr_format": format, "shape": [4], "data_type": "int16" });
            if let Some(fill) = fill {
                options["fill_value"] = fill;
            }
            let (array, fill, _) = made(&options, None);
            assert_eq!((array.fill_is_null, array.fill_value.0.len()), (fill.is_null(), 2));
            fill
        };
        assert_eq!(
            [of(2, None), of(2, Some(Value::Null)), of(2, Some(json!(0)))],
            [json!(null), json!(null), json!(0)]
        );
        assert_eq!(
            [of(3, None), of(3, Some(Value::Null)), of(3, Some(json!(7)))],
            [json!(0), json!(0), json!(7)]
        );
    }

    #[test]
    fn numbers_in_strings_are_not_written() {
        let options = json!({ "zarr_format": 2, "shape": [4], "data_type": "int16", "fill_value": "7" });
        let options = ArrayOptions::from_json(&options.to_string()).unwrap();
        assert!(options.metadata().is_err());
    }

    #[test]
    fn copies_from_v2_to_v3_say_what_is_missing() {
        for (from, expected) in [
            (("int16", json!(-9999), json!(null)), (json!(-9999), json!(-9999))),
            (("uint8", json!(0), json!(null)), (json!(0), json!(0))),
            (("int16", json!(null), json!(null)), (json!(0), json!(null))),
            (("float32", json!("NaN"), json!(null)), (json!("NaN"), json!(NAN))),
            (("float32", json!(-9999.0), json!(null)), (json!(-9999.0), json!(MINUS_9999))),
            (("float64", json!(null), json!(-9999.0)), (json!(0.0), json!(MINUS_9999))),
            (("int16", json!(null), json!(-9999)), (json!(0), json!(-9999))),
            // The attribute is explicit; the fill value may be a default of the writer.
            (("int16", json!(0), json!(-9999)), (json!(0), json!(-9999))),
            (("bool", json!(false), json!(null)), (json!(false), json!(false))),
            (
                ("complex64", json!([0.0, -9999.0]), json!(null)),
                (json!([0.0, -9999.0]), json!([ZERO, MINUS_9999])),
            ),
            // xarray refuses such an attribute in v3.
            (("|S2", json!(""), json!(null)), (json!(""), json!(null))),
            (("int16", json!(null), json!([-9999])), (json!(0), json!([-9999]))),
        ] {
            let (data_type, fill, attribute) = from;
            let case = format!("{data_type} {fill} {attribute}");
            assert_eq!(copied((2, data_type, fill, attribute), 3, true), expected, "{case}");
        }
    }

    #[test]
    fn copies_from_v3_to_v2_do_not_hide_elements() {
        for (from, expected) in [
            (("int16", json!(0), json!(null)), (json!(null), json!(null))),
            (("int16", json!(0), json!(-9999)), (json!(-9999), json!(-9999))),
            (("int16", json!(0), json!(-9999.0)), (json!(-9999), json!(-9999))),
            (("float32", json!(0), json!(NAN)), (json!("NaN"), json!("NaN"))),
            (("float64", json!("NaN"), json!(null)), (json!(null), json!(null))),
            (("float64", json!("NaN"), json!(MINUS_9999)), (json!(-9999.0), json!(-9999.0))),
            (("complex64", json!([1, 1]), json!([ZERO, ZERO])), (json!([0.0, 0.0]), json!([0.0, 0.0]))),
            // Not an element of the type: null lets xarray read the attribute.
            (("int8", json!(0), json!(247)), (json!(null), json!(247))),
            (("float32", json!(0), json!(1e300)), (json!(null), json!(1e300))),
            (("int16", json!(0), json!([-9999])), (json!(null), json!([-9999]))),
        ] {
            let (data_type, fill, attribute) = from;
            let case = format!("{data_type} {fill} {attribute}");
            assert_eq!(copied((3, data_type, fill, attribute), 2, true), expected, "{case}");
        }
    }

    #[test]
    fn arrays_without_names_keep_their_fill_value() {
        let plain = |format: u8, to: u8| copied((format, "int16", json!(7), json!(null)), to, false);
        assert_eq!([plain(2, 3), plain(3, 2)], [(json!(7), json!(null)), (json!(7), json!(null))]);
        // In v2 the fill value wins over the attribute.
        assert_eq!(copied((3, "int16", json!(0), json!(-1)), 2, false), (json!(-1), json!(-1)));
        assert_eq!(copied((2, "float32", json!(0), json!(-1.0)), 3, false), (json!(0.0), json!(-1.0)));
    }

    #[test]
    fn copies_of_the_same_format_keep_everything_and_other_types_convert() {
        assert_eq!(copied((2, "int16", json!(0), json!(-1)), 2, true), (json!(0), json!(-1)));
        assert_eq!(copied((2, "int16", json!(null), json!(null)), 2, true), (json!(null), json!(null)));
        assert_eq!(copied((3, "float32", json!(7), json!(NAN)), 3, true), (json!(7.0), json!(NAN)));
        let options = json!({
            "zarr_format": 2, "shape": [4], "data_type": "int16", "fill_value": -9999, "dimension_names": ["x"],
        });
        let (like, ..) = made(&options, None);
        let of = |options: Value| {
            let (_, fill, attribute) = made(&options, Some(&like));
            (fill, attribute)
        };
        assert_eq!(of(json!({ "zarr_format": 2, "data_type": "float32" })), (json!(-9999.0), json!(null)));
        assert_eq!(of(json!({ "zarr_format": 2, "data_type": "uint8" })), (json!(null), json!(null)));
        assert_eq!(of(json!({ "zarr_format": 3, "data_type": "float32" })), (json!(0.0), json!(MINUS_9999)));
        // A choice of the caller wins.
        assert_eq!(of(json!({ "zarr_format": 3, "fill_value": 5 })), (json!(5), json!(-9999)));
        assert_eq!(of(json!({ "zarr_format": 3, "attributes": {} })), (json!(-9999), json!(null)));
        let (like, ..) = made(&json!({ "shape": [4], "data_type": "int16", "dimension_names": ["x"] }), None);
        for (attributes, expected) in
            [(json!({}), (json!(null), json!(null))), (json!({ ATTRIBUTE: -1 }), (json!(-1), json!(-1)))]
        {
            let options = json!({ "zarr_format": 2, "attributes": attributes });
            let (_, fill, attribute) = made(&options, Some(&like));
            assert_eq!((fill, attribute), expected);
        }
    }

    #[test]
    fn attributes_keep_bare_tokens_and_scalars_have_no_names() {
        let scalar = json!({ "shape": [], "data_type": "int32" });
        let (mut like, ..) = made(&scalar, None);
        like.attributes = r#"{"missing_value": NaN}"#.to_owned();
        let options = ArrayOptions::like(r#"{"zarr_format":2}"#, Some(&like)).unwrap();
        let document = write::array(&options.metadata().unwrap(), &None).unwrap();
        assert_eq!(document.text(".zattrs"), Some(r#"{"missing_value":NaN,"_ARRAY_DIMENSIONS":[]}"#));
    }
}
