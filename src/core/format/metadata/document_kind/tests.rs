//! Each kind of document where another one is expected.

use super::*;
use crate::format::metadata::consolidated::Consolidated;
use crate::format::metadata::draft::EntryPoint;
use crate::format::metadata::{v2, v3};

const DOCUMENTS: [(DocumentKind, &[u8]); 24] = [
    (ZarrJson, br#"{"zarr_format":3,"node_type":"group","attributes":{"multiscales":[],"refs":{}}}"#),
    (ZarrJson, br#"{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{}}}"#),
    (
        DraftEntryPoint,
        br#"{"zarr_format":"https://purl.org/zarr/spec/core/3.0","metadata_encoding":{"type":"json","metadata_key_suffix":".json"},"extensions":[]}"#,
    ),
    (
        Zarray,
        br#"{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","compressor":null,"fill_value":1,"order":"C","filters":null}"#,
    ),
    (Zgroup, br#"{"zarr_format":2}"#),
    (Zmetadata, br#"{"metadata":{".zgroup":{"zarr_format":2}},"zarr_consolidated_format":1}"#),
    (KerchunkJson, br#"{"version":1,"refs":{".zgroup":"{\"zarr_format\":2}"}}"#),
    (KerchunkJson, br#"{".zgroup":"{\"zarr_format\":2}","a/0":["s3://b/c",0,1]}"#),
    (KerchunkParquet, br#"{"metadata":{".zgroup":{"zarr_format":2}},"record_size":16}"#),
    (KerchunkParquet, br#"{"metadata":{},"record_size":16,"zarr_consolidated_format":1}"#),
    (IcechunkRef, br#"{"snapshot":"VY76P925PRY57WFEK410"}"#),
    (IcechunkFile, b"ICE\xf0\x9f\xa7\x8aCHUNKic-2.3.0                \x02\x06\x01"),
    (Stac, br#"{"type":"Feature","stac_version":"1.1.0","id":"a","assets":{},"links":[],"bbox":[0,1,2,3]}"#),
    (Stac, br#"{"type":"Collection","stac_version":"1.0.0","id":"a","description":"b","assets":{}}"#),
    (Stac, br#"{"type":"FeatureCollection","features":[]}"#),
    (Stac, br#"{"collections":[],"links":[]}"#),
    (Ome, br#"{"multiscales":[{"version":"0.4","datasets":[{"path":"0"}]}]}"#),
    (Ome, br#"{"ome":{"version":"0.5","multiscales":[{"datasets":[{"path":"0"}]}]}}"#),
    (WebPage, b"\n<!DOCTYPE html><title>Sign in</title>"),
    (WebPage, b"<html><body>404"),
    (Xml, b"<?xml version=\"1.0\"?><ListBucketResult></ListBucketResult>"),
    (Zip, b"PK\x03\x04\x14\0\0\0"),
    (Parquet, b"PAR1\x15\x04\x15\x10"),
    (Hdf5, b"\x89HDF\r\n\x1a\n\x02\x08"),
];

type Reader = fn(&[u8]) -> Result<bool>;

/// What reads each kind in the core. The answer is whether it has read something.
const READERS: [(DocumentKind, Reader); 6] = [
    (ZarrJson, |text| v3::parse_node(text).map(|_| true)),
    (Zarray, |text| v2::parse_array(text, None).map(|_| true)),
    (Zgroup, |text| v2::parse_group(text, None).map(|_| true)),
    (DraftEntryPoint, |text| EntryPoint::parse(text).map(|found| found.is_some())),
    (Zmetadata, |text| Consolidated::index(text, ZarrFormat::V2).map(|found| found.is_some())),
    (ZarrJson, |text| Consolidated::index(text, ZarrFormat::V3).map(|found| found.is_some())),
];

#[test]
fn each_kind_is_recognised_by_its_own_document() {
    for (kind, document) in DOCUMENTS {
        assert_eq!(DocumentKind::of(document), Some(kind), "{}", String::from_utf8_lossy(document));
    }
    for other in ["", "{", "[]", "{}", r#"{"snapshot":"a","title":"b"}"#, r#"{"metadata":{}}"#, "GIF89a"] {
        assert_eq!(DocumentKind::of(other.as_bytes()), None, "{other}");
    }
}

/// A `.zarray` and a group of v3 are no `.zgroup`, although some have its member.
fn is_read(kind: DocumentKind, expected: DocumentKind) -> bool {
    kind == expected || (kind, expected) == (Zarray, Zgroup)
}

#[test]
fn no_reader_takes_a_document_of_another_kind() {
    for (expected, read) in READERS {
        for (kind, document) in DOCUMENTS.into_iter().filter(|(kind, _)| !is_read(*kind, expected)) {
            let shown = String::from_utf8_lossy(document);
            match read(document) {
                Ok(found) => assert!(!found, "{expected:?} of {shown}"),
                // The reader of v3 says more about drafts.
                Err(error) if (expected, kind) == (ZarrJson, DraftEntryPoint) => {
                    assert_eq!(error.kind(), ErrorKind::Unsupported);
                }
                Err(error) => {
                    assert!(error.message().contains(kind.name()), "{expected:?} of {shown}: {error}")
                }
            }
        }
    }
}

#[test]
fn containers_of_zarr_are_unsupported_and_other_documents_invalid() {
    for (kind, document) in DOCUMENTS.into_iter().filter(|(kind, _)| *kind != Zmetadata) {
        let is_container = matches!(kind, KerchunkParquet | IcechunkRef | IcechunkFile);
        let expected = if is_container { ErrorKind::Unsupported } else { ErrorKind::Format };
        assert_eq!(Zmetadata.expect(document).unwrap_err().kind(), expected, "{kind:?}");
        assert!(kind.expect(document).is_ok());
    }
}

#[test]
fn an_error_keeps_its_field() {
    let error = Zgroup.blame(Error::format("old").in_field("zarr_format"), DOCUMENTS[0].1);
    assert_eq!(error.context().field.as_deref(), Some("zarr_format"));
    assert_eq!(error.message(), "the document is a zarr.json of Zarr v3");
    let failed = Zgroup.blame(Error::store("no answer"), DOCUMENTS[0].1);
    assert_eq!(failed.message(), "no answer");
}

#[test]
fn attributes_of_v2_that_are_no_json_are_named() {
    for (kind, document) in DOCUMENTS.into_iter().filter(|(_, document)| !document.starts_with(b"{")) {
        let error = v2::parse_group(br#"{"zarr_format":2}"#, Some(document)).unwrap_err();
        assert!(error.message().contains(kind.name()), "{error}");
        assert_eq!(error.context().field.as_deref(), Some(".zattrs"));
    }
}
