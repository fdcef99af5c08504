//! The root of a hierarchy as a URL, and the URLs of the keys below it.
//!
//! The root's query string holds signatures: it stays on every request and never gets into a message. A root is taken as it
//! was given, so what is percent-encoded in it stays encoded once; keys come encoded from [`StoreKey`]. Deliberately no
//! relative URLs: the face to JavaScript knows the page's own address.
//!
//! [`StoreKey`]: crate::format::path::StoreKey

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::error::{Error, Result};

/// What a URL's path cannot hold; `%` stays, because a root may be encoded already.
const NOT_IN_A_PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'|');

/// Where a hierarchy begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootUrl {
    /// `scheme://authority`.
    origin: String,
    /// Empty, or `/` and more, without the slash that keys are joined by.
    path: String,
    /// Empty, or `?` and more.
    query: String,
}

impl RootUrl {
    /// From an absolute URL; `s3://bucket/key` and `gs://bucket/key` become the https URLs of public buckets.
    ///
    /// # Errors
    /// `Argument` when there is no scheme or no host.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid =
            || Error::argument("not an absolute URL").expected("scheme://host/path").actual(redact(text));
        let (scheme, rest) = text.trim().split_once("://").ok_or_else(invalid)?;
        let rest = rest.split_once('#').map_or(rest, |(before, _fragment)| before);
        let (place, query) = match rest.find('?') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        if scheme.is_empty() || host.is_empty() {
            return Err(invalid());
        }
        let (origin, path) = locate(&scheme.to_ascii_lowercase(), host, path);
        let path = path.strip_suffix('/').unwrap_or(&path);
        let path = utf8_percent_encode(path, NOT_IN_A_PATH).to_string();
        // A lone `?` is no query.
        let query = if query == "?" { String::new() } else { query.replace(' ', "%20") };
        Ok(Self { origin, path: if path.is_empty() { path } else { format!("/{path}") }, query })
    }

    /// The URL of a percent-encoded key.
    pub fn join(&self, key: &str) -> String {
        format!("{}{}/{key}{}", self.origin, self.path, self.query)
    }

    /// What servers are told apart by.
    pub fn origin(&self) -> String {
        self.origin.to_ascii_lowercase()
    }

    /// For people: without the query and without a password.
    pub fn shown(&self) -> String {
        redact(&format!("{}{}{}", self.origin, self.path, self.query))
    }
}

/// Origin and path of a root, by its scheme.
fn locate(scheme: &str, host: &str, path: &str) -> (String, String) {
    match scheme {
        // The certificate of S3 covers one label before the host, so a bucket with a dot goes into the path.
        "s3" if host.contains('.') => ("https://s3.amazonaws.com".to_owned(), format!("{host}/{path}")),
        "s3" => (format!("https://{host}.s3.amazonaws.com"), path.to_owned()),
        "gs" | "gcs" => ("https://storage.googleapis.com".to_owned(), format!("{host}/{path}")),
        _ => (format!("{scheme}://{host}"), path.to_owned()),
    }
}

/// A URL without what must not get into messages and logs: its query and its user name and password.
pub fn redact(url: &str) -> String {
    let url = url.split_once('#').map_or(url, |(before, _fragment)| before);
    let (place, query) = match url.split_once('?') {
        Some((place, _signature)) => (place, "?…"),
        None => (url, ""),
    };
    let Some((scheme, rest)) = place.split_once("://") else {
        return format!("{place}{query}");
    };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = authority.rsplit_once('@').map_or(authority, |(_user, host)| host);
    format!("{scheme}://{host}{path}{query}")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn joined(root: &str) -> String {
        RootUrl::parse(root).unwrap().join("c/0/1")
    }

    #[test]
    fn keys_are_joined_by_one_slash_before_the_query() {
        assert_eq!(joined("https://host/a.zarr"), "https://host/a.zarr/c/0/1");
        assert_eq!(joined("https://host/a.zarr/"), "https://host/a.zarr/c/0/1");
        assert_eq!(joined("http://host:8080"), "http://host:8080/c/0/1");
        assert_eq!(joined("http://host/"), "http://host/c/0/1");
        assert_eq!(joined("https://host/a?X-Sig=b%2Fc&d=e/f"), "https://host/a/c/0/1?X-Sig=b%2Fc&d=e/f");
        assert_eq!(joined("https://host?sig=a/b"), "https://host/c/0/1?sig=a/b");
        assert_eq!(joined("https://host/a/#fragment?no"), "https://host/a/c/0/1");
        assert_eq!(joined("https://host/a?"), "https://host/a/c/0/1");
    }

    #[test]
    fn an_encoded_root_is_not_encoded_again() {
        assert_eq!(joined("https://host/a%20b"), "https://host/a%20b/c/0/1");
        assert_eq!(joined("https://host/a b/é"), "https://host/a%20b/%C3%A9/c/0/1");
    }

    #[test]
    fn bucket_urls_become_https() {
        assert_eq!(joined("s3://bucket/a/b.zarr"), "https://bucket.s3.amazonaws.com/a/b.zarr/c/0/1");
        assert_eq!(joined("s3://my.bucket/a/"), "https://s3.amazonaws.com/my.bucket/a/c/0/1");
        assert_eq!(joined("s3://bucket"), "https://bucket.s3.amazonaws.com/c/0/1");
        assert_eq!(joined("gs://bucket/a"), "https://storage.googleapis.com/bucket/a/c/0/1");
        assert_eq!(joined("gs://bucket"), "https://storage.googleapis.com/bucket/c/0/1");
    }

    #[test]
    fn what_is_no_absolute_url_is_refused() {
        for text in ["", "a/b", "/a", "https:///a", "://host"] {
            assert!(RootUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn neither_signature_nor_password_is_shown() {
        let root = RootUrl::parse("https://user:secret@host/a?sig=secret").unwrap();
        assert_eq!(root.shown(), "https://host/a?…");
        assert_eq!(redact("https://host/a/zarr.json?sig=se@cret#x"), "https://host/a/zarr.json?…");
        assert!(!RootUrl::parse("nonsense?secret").unwrap_err().to_string().contains("secret"));
    }
}
