//! URIs of the specification's own documents: `https://purl.org/zarr/spec/<place>/<version>`.
//!
//! The drafts identify formats, codecs and extensions by such URIs and promise that what has the same major version is compatible.

/// Whose documents are here, behind either scheme.
const BASE: &str = "purl.org/zarr/spec/";

/// A URI below the specification's, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecUri<'a> {
    /// What it is about: `codecs/gzip`.
    pub place: &'a str,
    /// Major version; `None` where the URI has none, as that of gzip in the example of its own chapter.
    pub major: Option<u32>,
}

impl<'a> SpecUri<'a> {
    /// Of a URI; `None` for those of others.
    pub fn parse(uri: &'a str) -> Option<Self> {
        let rest = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        let path = rest.strip_prefix(BASE)?.trim_end_matches('/');
        let versioned = path.rsplit_once('/').and_then(|(place, last)| Some((place, major(last)?)));
        Some(match versioned {
            Some((place, major)) => Self { place, major: Some(major) },
            None => Self { place: path, major: None },
        })
    }

    /// What the URI is about, where it is of the first version or of none.
    pub fn first_version(uri: &'a str) -> Option<&'a str> {
        Self::parse(uri).filter(|uri| uri.major.is_none_or(|major| major == 1)).map(|uri| uri.place)
    }
}

/// The URIs by which the sharding transformer goes: the one that its chapter gives as its own, which is the one to write, that of its
/// chapter's example, and zarr-python's.
pub const SHARDING_URIS: [&str; 3] = [
    "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0",
    "https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0",
    "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
];

/// Whether a URI is one of those by which the sharding transformer goes.
pub fn is_sharding(uri: &str) -> bool {
    let place = SpecUri::first_version(uri);
    place.is_some() && SHARDING_URIS.iter().any(|known| SpecUri::first_version(known) == place)
}

/// Of `3.0`: two numbers, or the first alone.
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
    fn places_and_versions() {
        for (uri, place, major) in [
            ("https://purl.org/zarr/spec/core/3.0", "core", Some(3)),
            ("https://purl.org/zarr/spec/protocol/core/3.10", "protocol/core", Some(3)),
            ("http://purl.org/zarr/spec/codecs/gzip/1.0/", "codecs/gzip", Some(1)),
            ("https://purl.org/zarr/spec/codec/gzip", "codec/gzip", None),
            ("https://purl.org/zarr/spec/core/30.0", "core", Some(30)),
            ("https://purl.org/zarr/spec/core/3.x", "core/3.x", None),
            ("https://purl.org/zarr/spec/core/.0", "core/.0", None),
        ] {
            assert_eq!(SpecUri::parse(uri), Some(SpecUri { place, major }), "{uri}");
        }
        for uri in
            ["", "core/3.0", "https://example.org/zarr/spec/core/3.0", "ftp://purl.org/zarr/spec/core/3.0"]
        {
            assert_eq!(SpecUri::parse(uri), None, "{uri}");
        }
    }
}
