//! Where virtual chunks are: the containers of a repository's configuration, and the URLs of
//! locations.
//!
//! A container says how the addresses that begin with its prefix are read. `vcc://NAME/path` is
//! relative to the container of that name. Who may be asked is not decided here.

use crate::error::{Error, Result};
use crate::format::json::{self, Json, Object};
use crate::limits;

const RELATIVE: &str = "vcc://";
const TIGRIS: &str = "https://t3.storage.dev";

/// The containers of a repository, those with the longest prefix first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Containers(Vec<Container>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Container {
    name: Option<String>,
    /// It ends in a slash.
    prefix: String,
    /// The server, where it is not the usual one of the scheme.
    endpoint: Option<String>,
    /// The storage account of Azure.
    account: Option<String>,
}

/// A file that a location leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The absolute location.
    pub location: String,
    /// The URL that is requested: of http, or of `s3` or `gs` for public buckets.
    pub url: String,
    /// Whether the repository chose the server of the URL, which the location does not show.
    pub has_endpoint: bool,
}

impl Containers {
    /// Reads the containers of a configuration.
    ///
    /// # Errors
    /// `Format` for a configuration of another form; `Limit` for one with too many containers.
    pub fn parse(config: &str) -> Result<Self> {
        json::read(config, |config| {
            let listed = config.object()?.read_unless_null("virtual_chunk_containers", |containers| {
                containers.members()?.into_iter().map(|(_, container)| Container::read(container)).collect()
            })?;
            let mut containers: Vec<Container> = listed.unwrap_or_default();
            limits::within(
                containers.len() as u64,
                limits::CONTAINERS,
                "the list of virtual chunk containers",
            )?;
            containers.sort_by_key(|container| std::cmp::Reverse(container.prefix.len()));
            Ok(Self(containers))
        })
    }

    /// The file of a location.
    ///
    /// # Errors
    /// `Format` for a relative location whose container is missing; `Unsupported` for an address
    /// that no request can have.
    pub fn locate(&self, location: &str) -> Result<Place> {
        let location = match location.strip_prefix(RELATIVE) {
            Some(relative) => self.absolute(relative)?,
            None => location.to_owned(),
        };
        let container = self.0.iter().find(|container| location.starts_with(&container.prefix));
        let unsupported = || {
            Error::unsupported("virtual chunks are read from http, s3, gs and azure servers")
                .actual(location.split("://").next().unwrap_or_default().to_owned())
        };
        let (scheme, rest) = location.split_once("://").ok_or_else(unsupported)?;
        // What follows is not a part of the object's name.
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        if rest.split('/').any(is_dots) {
            return Err(Error::unsupported(
                "a virtual chunk is in an object whose name has . or .. as a part: \
                 no URL names it",
            ));
        }
        let own_endpoint = container.and_then(|container| container.endpoint.as_deref());
        let account = container.and_then(|container| container.account.as_deref());
        let scheme = scheme.to_ascii_lowercase();
        let (url, has_endpoint) = match (scheme.as_str(), own_endpoint, account) {
            ("http" | "https" | "gs" | "gcs", ..) | ("s3", None, _) => (format!("{scheme}://{rest}"), false),
            ("s3" | "tigris", Some(endpoint), _) => {
                (format!("{}/{rest}", endpoint.trim_end_matches('/')), true)
            }
            ("tigris", None, _) => (format!("{TIGRIS}/{rest}"), true),
            ("az" | "azure" | "abfs", _, Some(account)) => {
                (format!("https://{account}.blob.core.windows.net/{rest}"), true)
            }
            _ => return Err(unsupported()),
        };
        Ok(Place { url, has_endpoint, location })
    }

    /// The absolute location of a container's name and a path.
    fn absolute(&self, relative: &str) -> Result<String> {
        let (name, path) = relative.split_once('/').unwrap_or((relative, ""));
        let container = self.0.iter().find(|container| container.name.as_deref() == Some(name));
        let missing = || {
            Error::format("a virtual chunk is in a container that the repository does not describe")
                .actual(name.to_owned())
        };
        Ok(format!("{}{path}", container.ok_or_else(missing)?.prefix))
    }
}

/// Whether a part of a path means this folder or the one above, also if it is encoded.
fn is_dots(part: &str) -> bool {
    let part = part.replace("%2e", ".").replace("%2E", ".");
    part == "." || part == ".."
}

impl Container {
    fn read(container: Json<'_>) -> Result<Self> {
        let members = container.object()?;
        let mut prefix = members.require("url_prefix", |prefix| Ok(prefix.str()?.into_owned()))?;
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        let name = text(&members, "name")?;
        // The kind of server, with its options: `{"s3_compatible": {"endpoint_url": …}}`.
        let options = members.read("store", |store| {
            let store = store.members().unwrap_or_default();
            let of = |name: &str| {
                let options = store.first().map(|(_, options)| *options);
                let found =
                    options.and_then(|options| options.object().ok()).map(|options| text(&options, name));
                found.transpose().map(Option::flatten)
            };
            Ok((of("endpoint_url")?, of("account")?))
        })?;
        let (endpoint, account) = options.unwrap_or_default();
        Ok(Self { name, prefix, endpoint, account })
    }
}

/// A text, if there is one.
fn text(members: &Object<'_>, name: &str) -> Result<Option<String>> {
    members.read_unless_null(name, |value| Ok(value.str()?.into_owned()))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn containers() -> Containers {
        Containers::parse(
            r#"{"virtual_chunk_containers": {
                "a": {"name": null, "url_prefix": "s3://bucket", "store": {"s3": {"endpoint_url": null}}},
                "b": {"name": "near", "url_prefix": "s3://bucket/near/",
                      "store": {"s3_compatible": {"endpoint_url": "https://host:9/"}}},
                "c": {"url_prefix": "az://box/", "store": {"azure": {"account": "me"}}},
                "d": {"url_prefix": "https://host/", "store": {"http": {}}},
                "e": {"url_prefix": "s3://b/", "store": "in_memory"}
            }}"#,
        )
        .unwrap()
    }

    #[test]
    fn the_longest_prefix_decides() {
        let url = |location: &str| containers().locate(location).unwrap().url;
        assert_eq!(url("s3://bucket/far/x.nc"), "s3://bucket/far/x.nc");
        assert_eq!(url("s3://bucket/near//x%20y.nc?z#w"), "https://host:9/bucket/near//x%20y.nc");
        assert_eq!(url("vcc://near/x.nc"), "https://host:9/bucket/near/x.nc");
        assert_eq!(url("az://box/x.nc"), "https://me.blob.core.windows.net/box/x.nc");
        assert_eq!(url("HTTP://host/x.nc"), "http://host/x.nc");
        assert_eq!(url("gs://bucket/x.nc"), "gs://bucket/x.nc");
        assert_eq!(url("tigris://b/x.nc"), "https://t3.storage.dev/b/x.nc");
        assert!(containers().locate("vcc://near/x.nc").unwrap().has_endpoint);
        assert!(!containers().locate("s3://bucket/x.nc").unwrap().has_endpoint);
    }

    #[test]
    fn other_locations_are_errors() {
        for location in
            ["vcc://far/x", "file:///etc/passwd", "x.nc", "s3://bucket/a/%2E./b", "az://other/x", ""]
        {
            assert!(containers().locate(location).is_err(), "{location}");
        }
    }

    #[test]
    fn no_containers_are_no_error() {
        assert_eq!(
            Containers::parse(r#"{"virtual_chunk_containers": null}"#).unwrap(),
            Containers::default()
        );
        assert_eq!(Containers::parse("{}").unwrap(), Containers::default());
        assert!(Containers::parse("3").is_err());
    }
}
