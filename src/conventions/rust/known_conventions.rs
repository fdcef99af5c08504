//! The table of known conventions: how each is identified, recognised and checked, and which
//! attributes belong to it.
//!
//! Known conventions are checked by rules in Rust, not by their JSON schemas. The schemas pin URLs,
//! half of which never resolved, so that every revision before v0.1 would be invalid. They cannot
//! see dimension names or other levels. A rule says what is wrong; a schema only says that
//! something does not match. Schemas serve conventions that a user registers, and `loadSchema`.

use super::finding::Report;
use super::node::{Kind, Node};
use super::{cf, dggs, license, multiscales, ndpyramid, ome, proj, spatial, stac, tile_matrix_set, uom};

/// Which attributes belong to a convention.
#[derive(Clone, Copy, Debug)]
pub enum Namespace {
    /// Those that begin with this prefix.
    Prefix(&'static str),
    /// These attributes and their members.
    Keys(&'static [&'static str]),
    /// Names without a common prefix: CF.
    Unmarked,
}

/// A known convention.
#[derive(Debug)]
pub struct Known {
    /// The id, which callers of the package compare with.
    pub id: &'static str,
    /// Empty for conventions that data do not declare.
    pub uuid: &'static str,
    /// Repositories that have or had its text. Old data name old repositories.
    pub repositories: &'static [&'static str],
    /// Supported revisions, as in their URLs. The last one is written.
    pub versions: &'static [&'static str],
    /// Names that declarations give it.
    pub names: &'static [&'static str],
    /// Its description in current declarations.
    pub description: &'static str,
    /// Other URLs of its specification.
    pub spec: &'static str,
    /// The kind of node that may have it; any kind if not given.
    pub scope: Option<Kind>,
    /// The attributes that belong to it.
    pub namespace: Namespace,
    /// An additional field in its declarations, which no text allows.
    pub extra_field: Option<&'static str>,
    /// The version that a node has; `None` if the node does not have the convention, empty if it
    /// has no version.
    pub recognise: fn(&Node) -> Option<String>,
    /// Checks a node that has this version of the convention.
    pub validate: fn(&Node, &str, &mut Report),
}

const UNDECLARED: Known = Known {
    id: "",
    uuid: "",
    repositories: &[],
    versions: &[],
    names: &[],
    description: "",
    spec: "",
    scope: None,
    namespace: Namespace::Unmarked,
    extra_field: None,
    recognise: |_| None,
    validate: |_, _, _| (),
};

/// The table.
pub static KNOWN: [Known; 11] = [
    Known {
        id: "multiscales",
        uuid: "d35379db-88df-4056-af3a-620245f8e347",
        repositories: &["zarr-conventions/multiscales", "zarr-experimental/multiscales"],
        versions: &["v0.1.0", "v1", "v0.1"],
        names: &["multiscales"],
        description: "Multiscale layout of zarr datasets",
        scope: Some(Kind::Group),
        namespace: Namespace::Keys(&["multiscales"]),
        recognise: multiscales::recognise,
        validate: multiscales::validate,
        ..UNDECLARED
    },
    Known {
        id: "proj",
        uuid: "f17cb550-5864-4468-aeb7-f3180cfb622f",
        repositories: &["zarr-conventions/proj", "zarr-conventions/geo-proj", "zarr-experimental/geo-proj"],
        versions: &[
            "v0.1.0",
            "v1",
            "d150edbde61b53e9d17520f6d107c9d3689e5910",
            "5ca5b2f92e5c7245f957d9128b289ee535f0720d",
            "v0.1",
        ],
        names: &["proj:", "proj", "geo-proj"],
        description: "Coordinate reference system information for geospatial data",
        namespace: Namespace::Prefix("proj:"),
        recognise: proj::recognise,
        validate: proj::validate,
        ..UNDECLARED
    },
    Known {
        id: "spatial",
        uuid: "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
        repositories: &["zarr-conventions/spatial", "zarr-experimental/spatial"],
        versions: &[
            "v1",
            "f5c536b9a3386e4127e3d2426dcefeebe6e5bf1a",
            "54d81b7ced0376e63ee10f34db31db7d08dcc28d",
            "v0.1",
        ],
        names: &["spatial", "spatial:"],
        description: "Spatial coordinate information",
        namespace: Namespace::Prefix("spatial:"),
        recognise: spatial::recognise,
        validate: spatial::validate,
        ..UNDECLARED
    },
    Known {
        id: "license",
        uuid: "b77365e5-2b0c-4141-b917-c03b7c68e935",
        repositories: &["clbarnes/zarr-convention-license"],
        versions: &["v1"],
        names: &["license"],
        description: "License specifier for Zarr data",
        namespace: Namespace::Keys(&["license"]),
        recognise: license::recognise,
        validate: license::validate,
        ..UNDECLARED
    },
    Known {
        id: "uom",
        uuid: "3bbe438d-df37-49fe-8e2b-739296d46dfb",
        repositories: &["clbarnes/zarr-convention-uom"],
        versions: &["v1"],
        names: &["uom"],
        description: "Units of measurement for Zarr arrays",
        scope: Some(Kind::Array),
        namespace: Namespace::Keys(&["uom"]),
        recognise: uom::recognise,
        validate: uom::validate,
        ..UNDECLARED
    },
    Known {
        id: "stac",
        uuid: "b3703368-7e7e-4e8e-9e0e-6d0f0d5e8e8e",
        repositories: &["zarr-conventions/stac"],
        versions: &["v0.1"],
        names: &["stac:"],
        description: "STAC convention for embedding or referencing STAC objects in Zarr group metadata",
        scope: Some(Kind::Group),
        namespace: Namespace::Prefix("stac:"),
        recognise: stac::recognise,
        validate: stac::validate,
        ..UNDECLARED
    },
    Known {
        id: "dggs",
        uuid: "7b255807-140c-42ca-97f6-7a1cfecdbc38",
        repositories: &["zarr-conventions/dggs"],
        versions: &["v1"],
        names: &["dggs"],
        description: "Discrete Global Grid Systems convention for zarr",
        namespace: Namespace::Keys(&["dggs"]),
        recognise: dggs::recognise,
        validate: dggs::validate,
        ..UNDECLARED
    },
    Known {
        id: "CF",
        uuid: "77c308c7-4db2-4774-8b2d-aa37e9997db6",
        repositories: &["zarr-conventions/CF"],
        versions: &["v1"],
        names: &["CF"],
        description: "Climate and Forecast conventions for self-describing geospatial data",
        spec: "https://cfconventions.org/",
        extra_field: Some("version"),
        recognise: cf::recognise,
        validate: cf::validate,
        ..UNDECLARED
    },
    Known {
        id: "ome",
        names: &["ome"],
        spec: "https://ngff.openmicroscopy.org/",
        namespace: Namespace::Keys(&[
            "ome",
            "multiscales",
            "omero",
            "plate",
            "well",
            "image-label",
            "labels",
            "bioformats2raw.layout",
        ]),
        recognise: ome::recognise,
        validate: ome::validate,
        ..UNDECLARED
    },
    Known {
        id: "ndpyramid",
        names: &["ndpyramid"],
        scope: Some(Kind::Group),
        namespace: Namespace::Keys(&["multiscales"]),
        recognise: ndpyramid::recognise,
        validate: ndpyramid::validate,
        ..UNDECLARED
    },
    Known {
        id: "tile_matrix_set",
        names: &["tile_matrix_set"],
        scope: Some(Kind::Group),
        namespace: Namespace::Keys(&["multiscales"]),
        recognise: tile_matrix_set::recognise,
        validate: tile_matrix_set::validate,
        ..UNDECLARED
    },
];

impl Known {
    /// The URL of the schema of the revision that is written.
    pub fn schema_url(&self) -> Option<String> {
        let (repository, version) = (self.repositories.first()?, self.versions.last()?);
        Some(format!("https://raw.githubusercontent.com/{repository}/refs/tags/{version}/schema.json"))
    }

    /// The URL of its text.
    pub fn spec_url(&self) -> Option<String> {
        let (repository, version) = (self.repositories.first()?, self.versions.last()?);
        Some(format!("https://github.com/{repository}/blob/{version}/README.md"))
    }

    /// The URLs of schema and text in the early draft, if the convention is that old.
    pub fn early_urls(&self) -> Option<(String, String)> {
        let version = self.versions.iter().find(|version| **version == "v0.1.0")?;
        let repository = self.repositories.iter().find(|name| name.starts_with("zarr-experimental/"))?;
        Some((
            format!("https://raw.githubusercontent.com/{repository}/refs/tags/{version}/schema.json"),
            format!("https://github.com/{repository}/blob/{version}/README.md"),
        ))
    }

    /// Whether a URL is a text or schema of the convention, of any version.
    fn has_url(&self, url: &str) -> bool {
        let own = repository_of(url).is_some_and(|repository| {
            self.repositories.iter().any(|known| known.eq_ignore_ascii_case(repository))
        });
        own || (!self.spec.is_empty() && url.starts_with(self.spec))
    }
}

/// The owner and the repository of a URL on GitHub.
fn repository_of(url: &str) -> Option<&str> {
    let hosts = ["https://raw.githubusercontent.com/", "https://github.com/", "http://github.com/"];
    let path = hosts.iter().find_map(|host| url.strip_prefix(host))?;
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(at, _)| at);
    path.get(..end)
}

/// The tag, branch or commit in a URL on GitHub.
pub fn version_of(url: &str) -> Option<&str> {
    let repository = repository_of(url)?;
    let (_, rest) = url.split_once(repository)?;
    let rest = rest.strip_prefix('/')?;
    let markers = ["refs/tags/", "refs/heads/", "blob/", "tree/", "raw/"];
    let rest = markers.iter().find_map(|marker| rest.strip_prefix(marker)).unwrap_or(rest);
    rest.split('/').next().filter(|version| !version.is_empty() && !version.ends_with(".json"))
}

/// The convention with this id or name. For callers that write; never for data.
pub fn by_id(id: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.id == id)
}

/// The convention of an identifier: a UUID, or else a URL.
pub fn identified(
    uuid: Option<&str>,
    schema_url: Option<&str>,
    spec_url: Option<&str>,
) -> Option<&'static Known> {
    if let Some(uuid) = uuid {
        return KNOWN.iter().find(|known| !known.uuid.is_empty() && known.uuid == uuid);
    }
    let url = schema_url.or(spec_url)?;
    KNOWN.iter().find(|known| known.has_url(url))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn urls_tell_convention_and_version() {
        let url = "https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v0.1.0/schema.json";
        assert_eq!(identified(None, Some(url), None).map(|known| known.id), Some("proj"));
        assert_eq!(version_of(url), Some("v0.1.0"));
        let url = "https://github.com/zarr-conventions/multiscales/blob/v9/README.md";
        assert_eq!(identified(None, None, Some(url)).map(|known| known.id), Some("multiscales"));
        assert_eq!(version_of(url), Some("v9"));
        let commit = "https://raw.githubusercontent.com/zarr-conventions/proj/d150edbde61b53e9d17520f6d107c9d3689e5910/schema.json";
        assert_eq!(version_of(commit), Some("d150edbde61b53e9d17520f6d107c9d3689e5910"));
        for odd in [
            "",
            "https://github.com/",
            "https://github.com/a",
            "https://github.com/a/b",
            "https://github.com/a/b/",
        ] {
            assert_eq!(version_of(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_uuid_decides_alone() {
        let url = KNOWN[0].schema_url();
        let unknown = "00000000-0000-0000-0000-000000000000";
        assert!(identified(Some(unknown), url.as_deref(), None).is_none());
    }

    #[test]
    fn ids_are_unique() {
        for (idx, known) in KNOWN.iter().enumerate() {
            assert!(
                KNOWN[..idx]
                    .iter()
                    .all(|other| other.id != known.id && (known.uuid.is_empty() || other.uuid != known.uuid))
            );
            assert!(!known.id.is_empty());
        }
    }
}
