//! The servers to which references may lead. A document comes from somewhere else. It must not make
//! the reader's browser, with its cookies and its network, contact any server it likes.

use crate::error::{Error, Result};
use crate::store::http::url::RootUrl;

/// The allowed servers.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    allowed: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// All hosts.
    Any,
    /// A host, with its port unless that is the default.
    Host(String),
    /// The end of a host name.
    Below(String),
}

impl AllowedHosts {
    /// Parses the user's list: `host`, `host:port`, `*.domain`, a URL (also `s3://bucket`), or `*`
    /// for all.
    ///
    /// # Errors
    /// `Argument` for any other text.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let allowed = names.into_iter().map(Pattern::parse).collect::<Result<_>>()?;
        Ok(Self { allowed })
    }

    /// Also allows the server of a URL.
    pub fn allow(&mut self, url: &RootUrl) {
        self.allowed.push(Pattern::Host(host_of(url)));
    }

    /// Checks that a URL may be read.
    ///
    /// # Errors
    /// `Unsupported` for a scheme other than http and https; `Argument` for a server that is not
    /// allowed.
    pub fn check(&self, url: &RootUrl) -> Result<()> {
        if !matches!(url.scheme().to_ascii_lowercase().as_str(), "http" | "https") {
            return Err(Error::unsupported(format!("references to {}:// cannot be read", url.scheme())));
        }
        let host = host_of(url);
        if self.allowed.iter().any(|pattern| pattern.allows(&host)) {
            return Ok(());
        }
        Err(Error::argument(format!(
            "a reference leads to a server that is not allowed: pass the option `allowHosts: [{host:?}]`"
        )))
    }
}

impl Pattern {
    fn parse(name: &str) -> Result<Self> {
        let name = name.trim().to_ascii_lowercase();
        if name == "*" {
            return Ok(Self::Any);
        }
        if let Some(domain) = name.strip_prefix("*.") {
            return Ok(Self::Below(format!(".{domain}")));
        }
        let url = if name.contains("://") { name } else { format!("https://{name}") };
        RootUrl::parse(&url).map(|url| Self::Host(host_of(&url)))
    }

    fn allows(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Host(allowed) => allowed == host,
            Self::Below(domain) => host.ends_with(domain.as_str()),
        }
    }
}

/// The host of a URL without a default port.
fn host_of(url: &RootUrl) -> String {
    let host = url.host();
    let usual = if url.scheme().eq_ignore_ascii_case("http") { ":80" } else { ":443" };
    host.strip_suffix(usual).unwrap_or(&host).to_owned()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn only_listed_hosts_are_allowed() {
        let mut hosts =
            AllowedHosts::parse(["Data.org", "*.example.org", "localhost:81", "s3://bucket"]).unwrap();
        hosts.allow(&RootUrl::parse("http://own:80/refs.json").unwrap());
        let check = |url: &str| hosts.check(&RootUrl::parse(url).unwrap()).map_err(|error| error.kind());
        for url in [
            "https://data.org/a",
            "http://DATA.org:80/",
            "https://a.example.org",
            "http://localhost:81/x",
            "s3://bucket/a",
            "https://bucket.s3.amazonaws.com/a",
            "http://own/x",
            "https://user:password@data.org/",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for url in [
            "https://other.org",
            "https://data.org:444",
            "https://example.org",
            "https://badexample.org",
            "http://localhost",
            "https://data.org.evil.net",
            "https://data.org@evil.net/",
            "s3://other/a",
        ] {
            assert_eq!(check(url), Err(ErrorKind::Argument), "{url}");
        }
        assert_eq!(check("file://data.org/a"), Err(ErrorKind::Unsupported));
        assert!(AllowedHosts::parse(["*"]).unwrap().check(&RootUrl::parse("http://any").unwrap()).is_ok());
        assert!(AllowedHosts::parse([""]).is_err());
    }
}
