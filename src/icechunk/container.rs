//! Where virtual chunks are: the containers of a repository's configuration, and the URLs of
//! locations.
//!
//! A container says how the addresses that begin with its prefix are read. `vcc://NAME/path` is
//! relative to the container of that name. Who may be asked is not decided here.

use zarr_wasm::error::{Error, Result};
use zarr_wasm::{limits, sorted};

use crate::budget::{Budget, CONTAINERS};
use crate::config_yaml::{self, Fields};
use crate::flatbuffer::damaged;
use crate::flexbuffer::Slot;

/// The most bytes of a text of a container: a bucket or a server has no longer address.
const TEXT_BYTES: u64 = 1024;

const RELATIVE: &str = "vcc://";
const TIGRIS: &str = "https://t3.storage.dev";
const AZURE: &str = "blob.core.windows.net";

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

/// A file that the location of a virtual chunk leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualFile {
    /// The absolute location.
    pub location: String,
    /// The URL that is requested: of http, or of `s3` or `gs` for public buckets.
    pub url: String,
    /// Whether the repository chose the server of the URL, which the location does not show.
    pub has_endpoint: bool,
}

impl Containers {
    /// Reads the containers of a configuration, which is a FlexBuffer. Takes time in its length.
    ///
    /// # Errors
    /// `Format` for a configuration of another form; `Limit` for one with too many containers.
    pub fn read(config: &[u8]) -> Result<Self> {
        let (mut containers, mut budget) = (Vec::new(), Budget::of(config.len()));
        if let Some(listed) = Slot::root(config)?.get("virtual_chunk_containers")? {
            let len = listed.len()?;
            limits::within(len as u64, CONTAINERS, "the list of virtual chunk containers")?;
            for index in 0..len {
                containers.push(Container::read(listed.member(index)?, &mut budget)?);
            }
        }
        Ok(Self::of(containers))
    }

    /// Reads the containers of a repository of version 1, whose configuration is `config.yaml`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_yaml(config: &[u8]) -> Result<Self> {
        let mut containers = Vec::new();
        for fields in config_yaml::containers(config)? {
            containers.push(Container::of(fields)?);
        }
        Ok(Self::of(containers))
    }

    fn of(mut containers: Vec<Container>) -> Self {
        // The longest prefix decides.
        sorted::sort_by_key(&mut containers, |container| usize::MAX.saturating_sub(container.prefix.len()));
        Self(containers)
    }

    /// The file of a location. Takes time in the number of containers, and allocates its texts.
    ///
    /// # Errors
    /// `Format` for a relative location whose container is missing, and for a server that has no
    /// legal name; `Unsupported` for an address that no request can have.
    pub fn locate(&self, location: &str) -> Result<VirtualFile> {
        let location = match location.strip_prefix(RELATIVE) {
            Some(relative) => self.absolute(relative)?,
            None => location.to_owned(),
        };
        let container = self.0.iter().find(|container| location.starts_with(&container.prefix));
        let (endpoint, account) = container
            .map_or((None, None), |container| (container.endpoint.as_deref(), container.account.as_deref()));
        let (scheme, rest) = location.split_once("://").unwrap_or_default();
        // What follows is not a part of the object's name.
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        if rest.split('/').any(is_dots) {
            return Err(Error::unsupported(
                "a virtual chunk in an object that no URL names: . or .. is in its name",
            ));
        }
        let scheme = scheme.to_ascii_lowercase();
        let (server, has_endpoint) = match (scheme.as_str(), endpoint, account) {
            ("http" | "https" | "gs" | "gcs", ..) | ("s3", None, _) => (format!("{scheme}:/"), false),
            ("s3" | "tigris", Some(endpoint), _) => (server_of(endpoint)?, true),
            ("tigris", None, _) => (TIGRIS.to_owned(), true),
            ("az" | "azure" | "abfs", _, Some(account)) => (server_of_account(account)?, true),
            _ => return Err(Error::unsupported("virtual chunks that are on no web server").actual(scheme)),
        };
        Ok(VirtualFile { url: format!("{server}/{rest}"), has_endpoint, location })
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

/// The server of a storage account. A text that is no name of an account would make the address of
/// another server.
fn server_of_account(account: &str) -> Result<String> {
    let is_legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if (3..=24).contains(&account.len()) && account.bytes().all(is_legal) {
        return Ok(format!("https://{account}.{AZURE}"));
    }
    Err(Error::format("a container of virtual chunks has an Azure account that cannot exist")
        .in_field("account")
        .expected("3 to 24 lower-case letters and digits")
        .actual(account.to_owned()))
}

/// A server that speaks S3: `http` or `https`, a host, and a path. In a query or a fragment the
/// names of the bucket and the object would be lost, and a user name may look like a host.
fn server_of(endpoint: &str) -> Result<String> {
    let (scheme, rest) = endpoint.split_once("://").unwrap_or_default();
    let host = rest.split('/').next().unwrap_or_default();
    let is_other = |char: char| {
        char.is_whitespace() || char.is_control() || matches!(char, '?' | '#' | '\\' | '@' | '%')
    };
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    if is_web && !host.is_empty() && !rest.contains(is_other) {
        return Ok(endpoint.trim_end_matches('/').to_owned());
    }
    Err(Error::format("a container of virtual chunks has a server that no request can have")
        .in_field("endpoint_url")
        .expected("https://host or http://host, with a path at most")
        .actual(endpoint.to_owned()))
}

/// Whether a part of a path means this folder or the one above, also if it is encoded.
fn is_dots(part: &str) -> bool {
    let part = part.replace("%2e", ".").replace("%2E", ".");
    part == "." || part == ".."
}

impl Container {
    fn read(container: Slot<'_>, budget: &mut Budget) -> Result<Self> {
        let (name, url_prefix) = (text(container, "name", budget)?, text(container, "url_prefix", budget)?);
        let mut fields = Fields { name, url_prefix, ..Fields::default() };
        // The kind of server, with its options: `{"s3_compatible": {"endpoint_url": …}}`.
        if let Some(store) = container.get("store")?
            && store.len()? == 1
        {
            let options = store.member(0)?;
            fields.endpoint_url = text(options, "endpoint_url", budget)?;
            fields.account = text(options, "account", budget)?;
        }
        Self::of(fields)
    }

    fn of(fields: Fields) -> Result<Self> {
        let mut prefix = fields.url_prefix.ok_or_else(|| damaged("a container without a prefix"))?;
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        Ok(Self { name: fields.name, prefix, endpoint: fields.endpoint_url, account: fields.account })
    }
}

/// A text, if there is one. Containers may share it.
fn text(map: Slot<'_>, name: &str, budget: &mut Budget) -> Result<Option<String>> {
    let Some(value) = map.get(name)? else { return Ok(None) };
    let Some(text) = value.text()? else { return Ok(None) };
    limits::within(text.len() as u64, TEXT_BYTES, "a text of a container of virtual chunks")?;
    budget.take(text.len())?;
    Ok(Some(text.to_owned()))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn containers() -> Containers {
        let container = |name: &str, prefix: &str, endpoint: &str, account: &str| {
            let [name, endpoint, account] =
                [name, endpoint, account].map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
            Container { name, prefix: prefix.to_owned(), endpoint, account }
        };
        Containers(vec![
            container("near", "s3://bucket/near/", "https://host:9/", ""),
            container("", "s3://bucket/", "", ""),
            container("", "az://box/", "", "mine"),
        ])
    }

    #[test]
    fn the_longest_prefix_decides() {
        let url = |location: &str| containers().locate(location).unwrap().url;
        assert_eq!(url("s3://bucket/far/x.nc"), "s3://bucket/far/x.nc");
        assert_eq!(url("s3://bucket/near//x%20y.nc?z#w"), "https://host:9/bucket/near//x%20y.nc");
        assert_eq!(url("vcc://near/x.nc"), "https://host:9/bucket/near/x.nc");
        assert_eq!(url("az://box/x.nc"), "https://mine.blob.core.windows.net/box/x.nc");
        assert_eq!(url("HTTP://host/x.nc"), "http://host/x.nc");
        assert_eq!(url("gs://bucket/x.nc"), "gs://bucket/x.nc");
        assert_eq!(url("tigris://b/x.nc"), "https://t3.storage.dev/b/x.nc");
        assert!(containers().locate("vcc://near/x.nc").unwrap().has_endpoint);
        assert!(!containers().locate("s3://bucket/x.nc").unwrap().has_endpoint);
    }

    #[test]
    fn an_account_and_an_endpoint_name_no_other_server() {
        let refusal = |location: &str, endpoint: &str, account: &str| {
            let [endpoint, account] =
                [endpoint, account].map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
            let prefix = format!("{}/", location.rsplit_once('/').unwrap().0);
            let containers = Containers(vec![Container { name: None, prefix, endpoint, account }]);
            containers.locate(location).map_err(|error| error.kind())
        };
        for account in [
            "evil.test/x",
            "evil.test/?",
            "evil.test#",
            "evil.test\\",
            "user@evil.test:1/",
            "a",
            "ab",
            "UPPER",
            "with-dash",
            "é12",
            "\u{fe52}evil",
            "abcdefghijklmnopqrstuvwxy",
        ] {
            let found = refusal("az://box/x", "", account);
            assert_eq!(found.unwrap_err(), zarr_wasm::error::ErrorKind::Format, "{account}");
        }
        assert!(refusal("az://box/x", "", "abcdefghijklmnopqrstuvwx").is_ok());
        for endpoint in [
            "evil.test",
            "//evil.test",
            "ftp://evil.test",
            "https://",
            "https:///x",
            "https://user:pw@evil.test",
            "https://evil.test?x=",
            "https://evil.test/#",
            "https://near\\evil.test",
            "https://a b",
            "https://a%2eb",
            "file://x",
        ] {
            for location in ["s3://box/x", "tigris://box/x"] {
                let found = refusal(location, endpoint, "");
                assert_eq!(found.unwrap_err(), zarr_wasm::error::ErrorKind::Format, "{endpoint}");
            }
        }
        for endpoint in ["https://host", "http://127.0.0.1:9000/", "HTTPS://[::1]:9/s3"] {
            assert!(refusal("s3://box/x", endpoint, "").is_ok(), "{endpoint}");
        }
    }

    #[test]
    fn other_locations_are_errors() {
        for location in
            ["vcc://far/x", "file:///etc/passwd", "x.nc", "s3://bucket/a/%2E./b", "az://other/x", ""]
        {
            assert!(containers().locate(location).is_err(), "{location}");
        }
    }
}
