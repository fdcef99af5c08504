//! One answer of `ListObjectsV2`, of its first version, or of Azure's `List Blobs`.
//! <https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html>,
//! <https://learn.microsoft.com/rest/api/storageservices/list-blobs>

use super::element::{contents, text_of, unescape};
use crate::format::path::{NodePath, StoreKey};
use crate::store::Listing;

/// How to request the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// With a continuation token.
    Token(String),
    /// After the last key, for servers without tokens.
    After(String),
    /// With Azure's token.
    Marker(String),
}

/// One page of a listing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListResponse {
    keys: Vec<String>,
    prefixes: Vec<String>,
    next: Option<Next>,
}

impl ListResponse {
    /// Parses a page; `None` if it is not a listing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(list) = contents(text, "ListBucketResult").next() {
            return Some(Self::parse_s3(list));
        }
        let list = contents(text, "EnumerationResults").next()?;
        Some(Self::parse_azure(list))
    }

    fn parse_s3(list: &str) -> Self {
        let keys: Vec<_> = contents(list, "Contents").filter_map(|item| text(item, "Key")).collect();
        let prefixes: Vec<_> = contents(list, "CommonPrefixes")
            .flat_map(|item| contents(item, "Prefix"))
            .map(unescaped)
            .collect();
        let is_truncated = text(list, "IsTruncated").is_some_and(|word| word == "true");
        let last = || keys.last().max(prefixes.last()).cloned().map(Next::After);
        let next = is_truncated.then(|| {
            let token = text(list, "NextContinuationToken").map(Next::Token);
            token.or_else(|| text(list, "NextMarker").map(Next::After)).or_else(last)
        });
        Self { next: next.flatten(), keys, prefixes }
    }

    fn parse_azure(list: &str) -> Self {
        let names = |element| contents(list, element).filter_map(|item| text(item, "Name")).collect();
        let next = text(list, "NextMarker").filter(|marker| !marker.is_empty()).map(Next::Marker);
        Self { keys: names("Blob"), prefixes: names("BlobPrefix"), next }
    }

    /// Whether the page lists nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.prefixes.is_empty()
    }

    /// The number of names.
    #[allow(clippy::arithmetic_side_effects, reason = "names that are in memory")]
    pub(super) fn len(&self) -> usize {
        self.keys.len() + self.prefixes.len()
    }

    /// The name that tells this page from others.
    pub(super) fn first(&self) -> Option<&str> {
        self.keys.first().or_else(|| self.prefixes.first()).map(String::as_str)
    }

    /// How to request the next page; `None` if this is the last.
    pub(super) fn next(&self) -> Option<Next> {
        self.next.clone()
    }

    /// Adds the entries that begin with `wanted` to a listing, relative to `root`. Objects whose
    /// name ends with a slash represent folders.
    pub(super) fn add_to(self, listing: &mut Listing, root: &str, wanted: &str) {
        let below = |name: &String| {
            let is_wanted = name.starts_with(wanted) && name.len() > wanted.len();
            is_wanted.then(|| name.strip_prefix(root).unwrap_or_default().to_owned())
        };
        listing.keys.extend(self.keys.iter().filter_map(below).filter_map(|key| StoreKey::parse(&key).ok()));
        let prefixes = self.prefixes.iter().filter_map(below);
        listing
            .prefixes
            .extend(prefixes.filter_map(|prefix| NodePath::from_normal(prefix.trim_end_matches('/'))));
    }
}

fn text(item: &str, name: &str) -> Option<String> {
    text_of(item, name).map(std::borrow::Cow::into_owned)
}

fn unescaped(text: &str) -> String {
    unescape(text).into_owned()
}
