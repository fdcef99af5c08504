//! URIs of the specification's documents: `https://purl.org/zarr/spec/<path>/<version>`.
//!
//! The drafts identify formats, codecs and extensions by such URIs. Versions with the same major
//! number are compatible.

/// The base of these URIs, after either scheme.
const BASE: &str = "purl.org/zarr/spec/";

/// The parts of such a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecUri<'a> {
    /// The path: `codecs/gzip`.
    pub path: &'a str,
    /// The major version. `None` where the URI has none, as that of gzip in an example of the
    /// draft.
    pub major: Option<u32>,
}

impl<'a> SpecUri<'a> {
    /// Parses a URI. `None` for URIs that are not the specification's.
    pub fn parse(uri: &'a str) -> Option<Self> {
        let rest = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        let path = rest.strip_prefix(BASE)?.trim_end_matches('/');
        let versioned = path.rsplit_once('/').and_then(|(path, last)| Some((path, major(last)?)));
        Some(match versioned {
            Some((path, major)) => Self { path, major: Some(major) },
            None => Self { path, major: None },
        })
    }

    /// The path of a URI of version 1 or without a version.
    pub fn first_version(uri: &'a str) -> Option<&'a str> {
        Self::parse(uri).filter(|uri| uri.major.is_none_or(|major| major == 1)).map(|uri| uri.path)
    }
}

/// The URIs of the sharding transformer: the one that its chapter states, which is also written,
/// that of its chapter's example, and zarr-python's.
pub const SHARDING_URIS: [&str; 3] = [
    "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0",
    "https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0",
    "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
];

/// Whether a URI is that of the sharding transformer.
pub fn is_sharding(uri: &str) -> bool {
    let path = SpecUri::first_version(uri);
    path.is_some() && SHARDING_URIS.iter().any(|known| SpecUri::first_version(known) == path)
}

/// Parses the major version of `3.0` or `3`.
fn major(version: &str) -> Option<u32> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    if is_number(major) && is_number(minor) { major.parse().ok() } else { None }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn sharding_goes_by_three_uris() {
        for uri in
            SHARDING_URIS.into_iter().chain(["http://purl.org/zarr/spec/storage_transformers/sharding/1.1"])
        {
            assert!(is_sharding(uri), "{uri}");
        }
        for uri in [
            "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/2.0",
            "sharding",
            "https://example.org/sharding",
        ] {
            assert!(!is_sharding(uri), "{uri}");
        }
    }

    #[test]
    fn paths_and_versions() {
        for (uri, path, major) in [
            ("https://purl.org/zarr/spec/core/3.0", "core", Some(3)),
            ("https://purl.org/zarr/spec/protocol/core/3.10", "protocol/core", Some(3)),
            ("http://purl.org/zarr/spec/codecs/gzip/1.0/", "codecs/gzip", Some(1)),
            ("https://purl.org/zarr/spec/codec/gzip", "codec/gzip", None),
            ("https://purl.org/zarr/spec/core/30.0", "core", Some(30)),
            ("https://purl.org/zarr/spec/core/3.x", "core/3.x", None),
            ("https://purl.org/zarr/spec/core/.0", "core/.0", None),
        ] {
            assert_eq!(SpecUri::parse(uri), Some(SpecUri { path, major }), "{uri}");
        }
        for uri in
            ["", "core/3.0", "https://example.org/zarr/spec/core/3.0", "ftp://purl.org/zarr/spec/core/3.0"]
        {
            assert_eq!(SpecUri::parse(uri), None, "{uri}");
        }
    }
}
