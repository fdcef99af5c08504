//! Parses data types of the drafts. See "Data types" in both drafts, and in that of 2022 the
//! chapters on complex, datetime, string and struct types.
//!
//! October 2020 has NumPy's letters with a byte order before them. May 2022 has names without one,
//! but its own examples still have the letters, so both are accepted there. Types of extensions are
//! recognised by their `type`: the URIs that zarr-python wrote are placeholders such as "TODO:
//! unicode array protocol URL". For an unknown extension, whatever its types are called, the
//! fallback is used.

use super::extension::{ExtensionPoint, refuse};
use super::uri::SpecUri;
use crate::error::{Error, ErrorKind, Result};
use crate::format::data_type::{
    DataType, Endian, Float, Integer, TimeUnit, name, structure, typestr, variable,
};
use crate::format::json::{self, Json};
use crate::format::metadata::{DataTypeFallback, Draft};
use crate::quoted::quoted;

/// A parsed data type, and the byte order of its elements where no codec has one.
#[derive(Debug)]
pub(super) struct DraftType {
    pub data_type: DataType,
    /// `None` for a struct whose fields have different byte orders.
    pub endian: Option<Endian>,
    /// Set where the data type is the fallback of an unknown type.
    pub fallback: Option<DataTypeFallback>,
}

impl DraftType {
    fn plain((data_type, endian): (DataType, Option<Endian>)) -> Self {
        Self { data_type, endian, fallback: None }
    }
}

/// Parses a data type. `filters` are zarr-python's filters, which tell the type of objects.
///
/// # Errors
/// `Unsupported`, with the name or the URI, for an unknown type without a known fallback. `Format`
/// for anything but a type.
pub(super) fn parse(json: Json<'_>, draft: Draft, filters: &[Json<'_>]) -> Result<DraftType> {
    if json.kind_name() == "a string" {
        let name = json.str()?;
        let core = core(&name, draft)?;
        let (data_type, endian) =
            core.ok_or_else(|| Error::unsupported(format!("unknown data type {}", quoted(&name))))?;
        return Ok(DraftType::plain((data_type, Some(endian))));
    }
    if json.kind_name() != "an object" {
        return Err(json.unexpected("a data type's name, or an object with `extension` and `type`"));
    }
    let Some(extension) = ExtensionPoint::parse(json)? else {
        return Err(refuse(json, "data type", "an object with `extension` and `type`"));
    };
    match of_extension(&extension, draft, filters)? {
        Some(known) => Ok(DraftType::plain(known)),
        None => fallback(&extension, draft, filters),
    }
}

/// Parses a core type of the draft. `None` for other names.
fn core(name: &str, draft: Draft) -> Result<Option<(DataType, Endian)>> {
    if is_raw(name) {
        return named(name).map(|data_type| Some((data_type, Endian::Little)));
    }
    if draft == Draft::May2022 && is_new_name(name) {
        return named(name).map(|data_type| Some((data_type, Endian::Little)));
    }
    Ok(match name {
        // One-byte types have no byte order.
        "bool" => Some((DataType::Bool, Endian::Little)),
        "i1" => Some((DataType::Integer(Integer::Int8), Endian::Little)),
        "u1" => Some((DataType::Integer(Integer::Uint8), Endian::Little)),
        _ => {
            let letter = name.strip_prefix(['<', '>']);
            let is_letter =
                matches!(letter, Some("i2" | "i4" | "i8" | "u2" | "u4" | "u8" | "f2" | "f4" | "f8"));
            if is_letter { Some(typestr::parse(name)?) } else { None }
        }
    })
}

fn is_raw(name: &str) -> bool {
    name.strip_prefix('r').is_some_and(|bits| bits.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// Whether the name is in the table of 2022. Two integers that the table lacks, and that the draft
/// needs, are included.
fn is_new_name(name: &str) -> bool {
    Integer::of_name(name).is_some_and(Integer::is_in_numpy)
        || Float::of_name(name).is_some_and(Float::is_in_numpy)
        || matches!(name, "complex64" | "complex128")
}

fn named(name: &str) -> Result<DataType> {
    json::read(&quoted(name), name::parse_json)
}

type Known = (DataType, Option<Endian>);

/// Parses a type of the specification's own extensions. `None` for all others.
fn of_extension(extension: &ExtensionPoint<'_>, draft: Draft, filters: &[Json<'_>]) -> Result<Option<Known>> {
    if !is_ours(&extension.uri) {
        return Ok(None);
    }
    match extension.kind.kind_name() {
        "a string" if extension.kind.text() == "\"|O\"" => match variable::of_object_codec(filters) {
            Ok(data_type) => Ok(Some((data_type, Some(Endian::Little)))),
            Err(error) => Err(error.in_field("type")),
        },
        "a string" => known(extension.kind, draft),
        "an array" => structure::parse_draft(extension.kind, &|name| scalar(name, draft)).map(Some),
        _ => Ok(None),
    }
}

/// Whether a URI is one of the drafts (`…/extensions/data-types/datetime/1.0`,
/// `…/protocol/extensions/datetime-dtypes/1.0`) or zarr-python's: those of documents that were
/// never written, and of documents at readthedocs.
fn is_ours(uri: &str) -> bool {
    let of_text = SpecUri::first_version(uri).is_some_and(|path| {
        path.starts_with("extensions/data-types/") || path.starts_with("protocol/extensions/")
    });
    let readthedocs =
        uri.split_once("://").is_some_and(|(_, rest)| rest.starts_with("zarr-specs.readthedocs.io/"));
    of_text || readthedocs || (uri.starts_with("TODO: ") && uri.ends_with(" protocol URL"))
}

/// Parses a type by its name. `None` for an unknown name.
fn known(json: Json<'_>, draft: Draft) -> Result<Option<Known>> {
    match scalar(&json.str()?, draft) {
        Ok((data_type, endian)) => Ok(Some((data_type, Some(endian)))),
        // A size beyond the budget is an error: the type itself is known.
        Err(error) if error.kind() == ErrorKind::Limit => Err(error),
        Err(_) => Ok(None),
    }
}

/// Parses core types, and those of the extensions: `<M8[ns]`, `S5`, `>U3`, `<c16`.
fn scalar(name: &str, draft: Draft) -> Result<(DataType, Endian)> {
    if let Some(core) = core(name, draft)? {
        return Ok(core);
    }
    if let "complex64" | "complex128" = name {
        return Ok((named(name)?, Endian::Little));
    }
    let typestr = if name.starts_with('S') { format!("|{name}") } else { name.to_owned() };
    let (data_type, endian) = typestr::parse(&typestr)?;
    match &data_type {
        // "The endianness and units must be given."
        DataType::Time(time) if time.unit == TimeUnit::Generic => {}
        DataType::Integer(_) | DataType::Float(_) if !name.starts_with(['<', '>', '|']) => {}
        _ => return Ok((data_type, endian)),
    }
    Err(Error::unsupported(format!("unknown data type {}", quoted(name))))
}

/// "… the implementation may proceed using the first known `fallback` value as the data type."
fn fallback(extension: &ExtensionPoint<'_>, draft: Draft, filters: &[Json<'_>]) -> Result<DraftType> {
    let given = extension.members.get("fallback").filter(|json| !json.is_null());
    let Some(given) = given else { return Err(extension.unknown("data type")) };
    let candidates = if given.kind_name() == "an array" { given.array()? } else { vec![given] };
    for candidate in &candidates {
        let known = match candidate.kind_name() {
            "a string" => known(*candidate, draft),
            "an object" => match ExtensionPoint::parse(*candidate)? {
                Some(inner) => of_extension(&inner, draft, filters),
                None => Err(candidate.unexpected("a data type")),
            },
            _ => Err(candidate.unexpected("a data type")),
        };
        if let Some((data_type, endian)) = known.map_err(|error: Error| error.in_field("fallback"))? {
            let used =
                candidate.str().map_or_else(|_| candidate.text().to_owned(), std::borrow::Cow::into_owned);
            let fallback = DataTypeFallback {
                extension: extension.uri.clone().into_owned(),
                data_type: extension.kind.text().to_owned(),
                used,
            };
            return Ok(DraftType { data_type, endian, fallback: Some(fallback) });
        }
    }
    let error = extension.unknown("data type");
    Err(Error::unsupported(format!("{}, and so are its fallbacks", error.message())).actual(given.text()))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::json::Document;

    fn parse_text(text: &str, draft: Draft) -> Result<DraftType> {
        json::read(text, |json| parse(json, draft, &[]))
    }

    fn name_of(text: &str, draft: Draft) -> (String, Option<Endian>) {
        let parsed = parse_text(text, draft).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(parsed.fallback, None, "{text}");
        (parsed.data_type.to_json_v3().unwrap(), parsed.endian)
    }

    const OCTOBER: Draft = Draft::October2020;
    const MAY: Draft = Draft::May2022;

    #[test]
    fn types_of_the_table_of_2020() {
        let check = |identifier: &str, name: &str, endian: Endian| {
            for draft in [OCTOBER, MAY] {
                assert_eq!(name_of(&quoted(identifier), draft), (quoted(name), Some(endian)));
            }
        };
        for (identifier, name) in
            [("bool", "bool"), ("i1", "int8"), ("u1", "uint8"), ("r8", "r8"), ("r16", "r16"), ("r24", "r24")]
        {
            check(identifier, name, Endian::Little);
        }
        for (identifier, name) in [
            ("i2", "int16"),
            ("i4", "int32"),
            ("i8", "int64"),
            ("u2", "uint16"),
            ("u4", "uint32"),
            ("u8", "uint64"),
            ("f2", "float16"),
            ("f4", "float32"),
            ("f8", "float64"),
        ] {
            check(&format!("<{identifier}"), name, Endian::Little);
            check(&format!(">{identifier}"), name, Endian::Big);
        }
    }

    #[test]
    fn types_of_the_table_of_2022() {
        for name in [
            "bool",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
            "r8",
            "r24",
        ] {
            let text = quoted(name);
            assert_eq!(name_of(&text, MAY), (text, Some(Endian::Little)));
        }
        for name in ["int16", "float64", "complex64"] {
            assert_eq!(parse_text(&quoted(name), OCTOBER).unwrap_err().kind(), ErrorKind::Unsupported);
        }
    }

    #[test]
    fn other_names_are_refused() {
        for draft in [OCTOBER, MAY] {
            for name in ["f8", "|f8", "<f16", "<i3", "<b1", "string", "bfloat16", "int4", "<M8[ns]", "|O", ""]
            {
                let error = parse_text(&quoted(name), draft).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}");
                assert!(error.message().contains(name));
            }
            for (text, kind) in [
                ("\"r7\"", ErrorKind::Format),
                ("\"r0\"", ErrorKind::Format),
                ("7", ErrorKind::Format),
                ("null", ErrorKind::Format),
                ("[]", ErrorKind::Format),
                ("{}", ErrorKind::Format),
                (r#"{"type":"<M8[ns]"}"#, ErrorKind::Format),
                (r#"{"extension":"x"}"#, ErrorKind::Format),
                ("\"r8000000000000\"", ErrorKind::Limit),
            ] {
                assert_eq!(parse_text(text, draft).unwrap_err().kind(), kind, "{text}");
            }
        }
    }

    #[test]
    fn types_of_the_extensions() {
        let base = "https://purl.org/zarr/spec";
        for (uri, kind, name, is_big) in [
            (
                "extensions/data-types/datetime/1.0",
                r#""<M8[ns]""#,
                r#"{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}"#,
                false,
            ),
            (
                "protocol/extensions/datetime-dtypes/1.0",
                r#"">m8[Y]""#,
                r#"{"name":"numpy.timedelta64","configuration":{"unit":"Y","scale_factor":1}}"#,
                true,
            ),
            (
                "extensions/data-types/string/1.0",
                r#""S5""#,
                r#"{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}"#,
                false,
            ),
            (
                "extensions/data-types/string/1.0",
                r#"">U2""#,
                r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}"#,
                true,
            ),
            ("extensions/data-types/complex/1.0", r#""<c8""#, "\"complex64\"", false),
            ("extensions/data-types/complex/1.0", r#""complex128""#, "\"complex128\"", false),
        ] {
            let text = format!(r#"{{"extension":"{base}/{uri}","type":{kind},"fallback":"r8"}}"#);
            let endian = if is_big { Endian::Big } else { Endian::Little };
            for draft in [OCTOBER, MAY] {
                assert_eq!(name_of(&text, draft), (name.to_owned(), Some(endian)));
            }
        }
    }

    #[test]
    fn every_unit_of_time() {
        for unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"] {
            for code in ["M8", "m8"] {
                let uri = "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0";
                let text = format!(r#"{{"extension":"{uri}","type":"<{code}[{unit}]"}}"#);
                let DataType::Time(time) = parse_text(&text, MAY).unwrap().data_type else {
                    panic!("{text}")
                };
                assert_eq!(time.unit.name(), unit);
            }
        }
    }

    #[test]
    fn structs_of_the_draft_and_with_fields_of_new_names() {
        let uri = "https://purl.org/zarr/spec/extensions/data-types/struct/1.0";
        let dogs =
            format!(r#"{{"extension":"{uri}","type":[["name","<U10"],["age","<i4"],["weight","<f4"]]}}"#);
        let parsed = parse_text(&dogs, MAY).unwrap();
        assert_eq!((parsed.data_type.size(), parsed.endian), (Some(48), Some(Endian::Little)));
        let new = format!(
            r#"{{"extension":"{uri}","type":[["a","int32"],["b","r24"],["c",">f8"],["d",[["e","bool"]]]]}}"#
        );
        let parsed = parse_text(&new, MAY).unwrap();
        assert_eq!((parsed.data_type.size(), parsed.endian), (Some(16), None));
        assert_eq!(parsed.data_type.own_big_endian_runs().unwrap().len(), 1);
    }

    #[test]
    fn placeholder_uris_of_zarr_python() {
        for (uri, kind) in [
            ("TODO: bytestring array protocol URL", "\"|S3\""),
            ("TODO: unicode array protocol URL", "\"<U3\""),
            ("TODO: structured array protocol URL", r#"[["a","<i4"],["b","|u1"]]"#),
            (
                "https://zarr-specs.readthedocs.io/en/core-protocol-v3.0-dev/protocol/extensions/complex-dtypes/v1.0.html",
                "\"<c16\"",
            ),
        ] {
            let text = format!(r#"{{"extension":"{uri}","type":{kind},"fallback":null}}"#);
            assert_eq!(parse_text(&text, OCTOBER).unwrap().fallback, None, "{text}");
        }
        let objects = r#"{"extension":"TODO: object array protocol URL","type":"|O","fallback":null}"#;
        let document = Document::parse(objects.as_bytes()).unwrap();
        let filters = Document::parse(br#"[{"id":"vlen-utf8"}]"#).unwrap();
        let parsed = parse(document.root(), OCTOBER, &filters.root().array().unwrap()).unwrap();
        assert_eq!(parsed.data_type, DataType::String);
        assert!(parse(document.root(), OCTOBER, &[]).is_err());
    }

    #[test]
    fn the_first_known_fallback_is_used_and_named() {
        let text = |fallback: &str| {
            format!(
                r#"{{"extension":"https://example.org/types","type":{{"bits":12}},"fallback":{fallback}}}"#
            )
        };
        for (fallback, name, used) in [
            ("\"<i2\"", "\"int16\"", "<i2"),
            (
                r#"["uint12","<M8[ns]","r16"]"#,
                r#"{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}"#,
                "<M8[ns]",
            ),
            (r#"["uint12",{"extension":"https://example.org/other","type":"x"},"r16"]"#, "\"r16\"", "r16"),
        ] {
            let parsed = parse_text(&text(fallback), MAY).unwrap();
            assert_eq!(parsed.data_type.to_json_v3().unwrap(), name);
            let expected = DataTypeFallback {
                extension: "https://example.org/types".into(),
                data_type: r#"{"bits":12}"#.into(),
                used: used.into(),
            };
            assert_eq!(parsed.fallback, Some(expected));
        }
        for fallback in ["null", "[]", r#"["uint12"]"#, "\"uint12\""] {
            let error = parse_text(&text(fallback), MAY).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{fallback}");
            assert!(error.message().contains("https://example.org/types"));
        }
        for fallback in ["7", "[7]", "{}"] {
            assert_eq!(parse_text(&text(fallback), MAY).unwrap_err().kind(), ErrorKind::Format, "{fallback}");
        }
    }

    #[test]
    fn undefined_types_of_extensions_are_unknown() {
        let uri = "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0";
        for kind in ["<M8", "<M8[generic]", "M8[ns]", "|M8[ns]", "<M8[q]"] {
            let without = format!(r#"{{"extension":"{uri}","type":"{kind}"}}"#);
            let error = parse_text(&without, MAY).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{kind}");
            let with = format!(r#"{{"extension":"{uri}","type":"{kind}","fallback":"<i8"}}"#);
            assert_eq!(parse_text(&with, MAY).unwrap().fallback.unwrap().used, "<i8");
        }
        // Another version of an extension is another extension.
        let later = r#"{"extension":"https://purl.org/zarr/spec/extensions/data-types/datetime/2.0","type":"<M8[ns]"}"#;
        assert_eq!(parse_text(later, MAY).unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
