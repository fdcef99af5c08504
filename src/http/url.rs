//! The root URL of a hierarchy, and the URLs of the keys below it.
//!
//! The root's query may contain a signature. It is sent with every request and never shown in
//! messages. The root's percent-encoding is kept; keys are already encoded by [`StoreKey`].
//! Relative URLs are not supported here: the caller makes them absolute.
//!
//! This file joins paths. It does not decide which server a URL leads to: only the platform's
//! parser, which sends the request, does. `fuzz/targets/urls.rs` compares the two.
//!
//! [`StoreKey`]: crate::format::path::StoreKey

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::error::{Error, Result};

/// Characters that must be encoded in a path. `%` stays, because a root may already be encoded.
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

/// The root URL of a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootUrl {
    /// `scheme://authority`.
    origin: String,
    /// Empty, or `/` and more, without a slash at the end.
    path: String,
    /// Empty, or `?` and more.
    query: String,
    /// Whether this is the URL of a single object, which is read whatever the key.
    is_object: bool,
}

impl RootUrl {
    /// Parses an absolute URL. `s3://bucket/key` and `gs://bucket/key` become the https URLs of
    /// public buckets.
    ///
    /// # Errors
    /// `Argument` if the scheme or the host is missing, and for a character before the path that
    /// parsers of URLs understand in different ways.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_exactly(text.trim())
    }

    /// Like [`parse`](Self::parse), without leaving out white space.
    fn parse_exactly(text: &str) -> Result<Self> {
        let invalid =
            || Error::argument("not an absolute URL").expected("scheme://host/path").actual(redact(text));
        let absolute = Some(text).filter(|text| has_scheme(text));
        let (scheme, rest) = absolute.and_then(split_scheme).ok_or_else(invalid)?;
        let rest = rest.split_once('#').map_or(rest, |(before, _fragment)| before);
        let (location, query) = split_before(rest, &['?']);
        let (host, path) = location.split_once('/').unwrap_or((location, ""));
        if host.is_empty() {
            return Err(invalid());
        }
        // Browsers end the host at a backslash, and leave out tabs and line ends. The error does
        // not show the text, which may have a password.
        if host.contains(|char: char| char == '\\' || char.is_control() || char.is_whitespace()) {
            return Err(Error::argument(
                "the host of a URL has a backslash, white space or a control character",
            ));
        }
        let (origin, path) = locate(&scheme.to_ascii_lowercase(), host, path);
        let path = path.strip_suffix('/').unwrap_or(&path);
        let path = utf8_percent_encode(path, NOT_IN_A_PATH).to_string();
        // A `?` without more is not a query.
        let query = if query == "?" { String::new() } else { query.replace(' ', "%20") };
        Ok(Self {
            origin,
            path: if path.is_empty() { path } else { format!("/{path}") },
            query,
            is_object: false,
        })
    }

    /// The same URL as that of a single object, which is read whatever the key.
    #[must_use]
    pub fn into_object(self) -> Self {
        Self { is_object: true, ..self }
    }

    /// The URL itself, as the URL of one object.
    pub fn object(&self) -> String {
        format!("{}{}{}", self.origin, self.path, self.query)
    }

    /// Resolves a reference in the document at this URL. The reference may be absolute. A reference
    /// with a scheme but without `//`, such as `c:x`, is a name, not a URL.
    ///
    /// # Errors
    /// `Argument` for an absolute reference that [`parse`](Self::parse) refuses.
    pub fn resolve(&self, reference: &str) -> Result<Self> {
        // Browsers leave out no other white space. With it a reference is a name.
        let reference = reference.trim_matches(|char: char| char <= ' ');
        if has_scheme(reference) {
            return Self::parse_exactly(reference);
        }
        if let Some(elsewhere) = reference.strip_prefix("//") {
            return Self::parse_exactly(&format!("{}://{elsewhere}", self.scheme()));
        }
        let reference = reference.split_once('#').map_or(reference, |(before, _fragment)| before);
        let (path, query) = split_before(reference, &['?']);
        if path.is_empty() {
            let query = if query.is_empty() { &self.query } else { query };
            return Self::parse_exactly(&format!("{}{}{query}", self.origin, self.path));
        }
        let folder = if path.starts_with('/') {
            ""
        } else {
            self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
        };
        let path = without_dots(&format!("{folder}/{}", path.strip_prefix('/').unwrap_or(path)));
        Self::parse_exactly(&format!("{}/{path}{query}", self.origin))
    }

    /// Host and port as written, in lower case, without user name and password. For guesses about
    /// the kind of server: the platform may read another host.
    pub fn host(&self) -> String {
        let authority = split_scheme(&self.origin).map_or("", |(_, authority)| authority);
        authority.rsplit_once('@').map_or(authority, |(_user, host)| host).to_ascii_lowercase()
    }

    /// The scheme, such as `https`.
    pub fn scheme(&self) -> &str {
        split_scheme(&self.origin).map_or("", |(scheme, _)| scheme)
    }

    /// The percent-encoded path: empty, or with a slash before it and none after it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Another URL on the same server. `path` is percent-encoded, without a slash before it.
    /// `parameters` are added to the root's query.
    pub fn elsewhere(&self, path: &str, parameters: &str) -> String {
        let query = match (self.query.is_empty(), parameters.is_empty()) {
            (_, true) => self.query.clone(),
            (true, false) => format!("?{parameters}"),
            (false, false) => format!("{}&{parameters}", self.query),
        };
        format!("{}/{path}{query}", self.origin)
    }

    /// The URL of a percent-encoded key.
    pub fn join(&self, key: &str) -> String {
        if self.is_object {
            return self.object();
        }
        format!("{}{}/{key}{}", self.origin, self.path, self.query)
    }

    /// The origin, which identifies the server.
    pub fn origin(&self) -> String {
        self.origin.to_ascii_lowercase()
    }

    /// The URL for messages, without the query and the password.
    pub fn shown(&self) -> String {
        redact(&format!("{}{}{}", self.origin, self.path, self.query))
    }
}

/// What is before and after the first `://`.
pub fn split_scheme(url: &str) -> Option<(&str, &str)> {
    split_around(url, "://")
}

/// What is before and after the first of these words. The standard library's search for long texts
/// would be in every page.
pub fn split_around<'a>(text: &'a str, words: &str) -> Option<(&'a str, &'a str)> {
    let at = text.as_bytes().windows(words.len()).position(|found| found == words.as_bytes())?;
    Some((text.get(..at)?, text.get(at.checked_add(words.len())?..)?))
}

/// What is before the first of these characters, and the rest from it on.
pub fn split_before<'a>(text: &'a str, ends: &[char]) -> (&'a str, &'a str) {
    text.find(ends).and_then(|at| text.split_at_checked(at)).unwrap_or((text, ""))
}

/// Whether a reference is absolute: `scheme "://"` of RFC 3986.
pub fn has_scheme(reference: &str) -> bool {
    split_scheme(reference).is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'))
    })
}

/// Removes `.` and `..` from a path, as browsers do. The result has no slash before it.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
        match dots(segment) {
            Some(1) => {}
            Some(2) => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    kept.join("/")
}

/// The number of dots in a segment that has nothing else. Browsers count encoded dots too.
#[allow(clippy::arithmetic_side_effects, reason = "a count of characters")]
fn dots(segment: &str) -> Option<usize> {
    let (mut rest, mut count) = (segment, 0);
    while !rest.is_empty() {
        let dot = [".", "%2e", "%2E"].into_iter().find_map(|dot| rest.strip_prefix(dot));
        rest = dot?;
        count += 1;
    }
    Some(count)
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

/// Origin and path of a root, by its scheme.
fn locate(scheme: &str, host: &str, path: &str) -> (String, String) {
    match scheme {
        // Only a server has a port: it is that of another provider, before the bucket.
        "s3" if has_port(host) => (format!("https://{host}"), path.to_owned()),
        // The certificate of S3 covers one label before the host, so a bucket with a dot goes into
        // the path.
        "s3" if host.contains('.') => ("https://s3.amazonaws.com".to_owned(), format!("{host}/{path}")),
        "s3" => (format!("https://{host}.s3.amazonaws.com"), path.to_owned()),
        "gs" | "gcs" => ("https://storage.googleapis.com".to_owned(), format!("{host}/{path}")),
        _ => (format!("{scheme}://{host}"), path.to_owned()),
    }
}

/// A URL without secrets: the query, the user name and the password.
pub fn redact(url: &str) -> String {
    let (location, rest) = split_before(url, &['?', '#']);
    let query = if rest.starts_with('?') { "?…" } else { "" };
    let Some((scheme, rest)) = split_scheme(location) else {
        // It may lack its scheme.
        let host = location.rsplit_once('@').map_or(location, |(_user, host)| host);
        return format!("{host}{query}");
    };
    let (authority, path) = split_before(rest, &['/', '\\']);
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
        assert_eq!(joined("s3://host.eu:443/e05:bucket/a"), "https://host.eu:443/e05:bucket/a/c/0/1");
        assert_eq!(joined("gs://bucket/a"), "https://storage.googleapis.com/bucket/a/c/0/1");
        assert_eq!(joined("gs://bucket"), "https://storage.googleapis.com/bucket/c/0/1");
    }

    #[test]
    fn references_are_resolved_against_their_document() {
        let document = RootUrl::parse("https://host/a/b/refs.json?sig=1").unwrap();
        let resolved = |reference: &str| document.resolve(reference).unwrap().object();
        assert_eq!(resolved("c.nc"), "https://host/a/b/c.nc");
        assert_eq!(resolved("../c.nc?x=1"), "https://host/a/c.nc?x=1");
        assert_eq!(resolved("../../../c.nc"), "https://host/c.nc");
        assert_eq!(resolved("/c/./d.nc"), "https://host/c/d.nc");
        assert_eq!(resolved("//other/c.nc"), "https://other/c.nc");
        assert_eq!(resolved("%2e%2E/.%2e/c.nc#x?y"), "https://host/c.nc");
        assert_eq!(resolved(""), "https://host/a/b/refs.json?sig=1");
        // Only this white space is left out.
        assert_eq!(resolved(" \u{1}https://other/x\n"), "https://other/x");
        assert_eq!(resolved("https://other/x\u{2003}"), "https://other/x%E2%80%83");
        assert_eq!(resolved("?x=1#y"), "https://host/a/b/refs.json?x=1");
        assert_eq!(resolved("http:other/c.nc"), "https://host/a/b/http:other/c.nc");
        assert_eq!(resolved("\\\\other\\c.nc"), "https://host/a/b/%5C%5Cother%5Cc.nc");
        assert_eq!(resolved("http://u:p@Other:81/c.nc"), "http://u:p@Other:81/c.nc");
        assert_eq!(document.resolve("http://u:p@Other:81/c.nc").unwrap().host(), "other:81");
        assert_eq!(resolved("s3://bucket/c.nc"), "https://bucket.s3.amazonaws.com/c.nc");
        assert_eq!(
            RootUrl::parse("https://host").unwrap().resolve("c.nc").unwrap().object(),
            "https://host/c.nc"
        );
    }

    #[test]
    fn hosts_that_parsers_understand_differently_are_refused() {
        let document = RootUrl::parse("https://host/refs.json").unwrap();
        for host in [
            "evil\\@host",
            "evil\\x",
            "s3cret:p\\w@host",
            "ho\tst",
            "ho\nst",
            "ho st",
            "host\u{0}",
            "\u{85}host",
            "host\u{3000}",
        ] {
            for reference in [format!("http://{host}/x"), format!("//{host}/x"), format!("s3://{host}/x")] {
                let error = document.resolve(&reference).unwrap_err();
                assert_eq!(error.kind(), crate::error::ErrorKind::Argument, "{reference:?}");
                assert!(!error.to_string().contains("s3cret"), "{error}");
            }
        }
        // Behind the host they are part of a name.
        assert_eq!(document.resolve("http://other/a\\b c").unwrap().object(), "http://other/a%5Cb%20c");
    }

    #[test]
    fn relative_urls_are_rejected() {
        for text in ["", "a/b", "/a", "https:///a", "://host", "ht\ntp://host", "a/b?c=http://host"] {
            assert!(RootUrl::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn neither_signature_nor_password_is_shown() {
        let root = RootUrl::parse("https://user:secret@host/a?sig=secret").unwrap();
        assert_eq!(root.shown(), "https://host/a?…");
        assert_eq!(redact("https://host/a/zarr.json?sig=se@cret#x"), "https://host/a/zarr.json?…");
        assert_eq!(redact("https://u:'p@host/it's?sig='x"), "https://host/it's?…");
        assert_eq!(redact("https://u:p@host\\a@b#x?y"), "https://host\\a@b");
        assert!(!RootUrl::parse("nonsense?secret").unwrap_err().to_string().contains("secret"));
    }
}
