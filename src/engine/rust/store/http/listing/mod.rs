//! Listing over HTTP, which has no standard way to list. Supported are S3's `ListObjectsV2`,
//! Azure's `List Blobs`, and, as a last resort, the index pages that servers generate for folders.
//!
//! The first call to list finds out which of them the server supports, by requests for the store's
//! root. An answer counts only if it identifies itself as a listing, because some servers answer
//! every path with a start page.

mod element;
mod page;
mod s3;

use std::collections::BTreeSet;

use zarr_wasm_http::RequestLabel;
use zarr_wasm_http::url::{RootUrl, redact};

use super::HttpStore;
use super::transport::{HttpResponse, Method, Transport};
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::store::Listing;
use crate::store::walk::{ListingBudget, endless, walk};

/// Maximum number of pages of one listing: 10^7 keys in pages of a thousand.
const PAGES: usize = 10_000;

/// Maximum number of pages without a new name. Buckets with deleted objects have empty pages.
const STALE_PAGES: u32 = 32;

/// How a server lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lister {
    /// It does not list.
    None,
    /// It lists a bucket.
    Bucket(Bucket),
    /// It generates an index page for each folder.
    Pages,
}

/// A bucket, and the prefix of a store in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    /// Percent-encoded path of the bucket's URL, without a slash before it.
    path: String,
    /// Prefix of the store's keys, not encoded: empty, or with a slash at its end.
    prefix: String,
    kind: BucketKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BucketKind {
    /// `ListObjectsV2`.
    S3,
    /// `List Blobs`.
    Azure,
}

impl Bucket {
    fn query(&self, prefix: &str, delimited: bool, token: Option<&s3::Next>) -> String {
        let base = match self.kind {
            BucketKind::S3 => "list-type=2",
            BucketKind::Azure => "restype=container&comp=list",
        };
        let delimiter = if delimited { "&delimiter=%2F" } else { "" };
        let token = match token {
            None => String::new(),
            Some(s3::Next::Token(token)) => format!("&continuation-token={}", encoded(token)),
            Some(s3::Next::After(key)) => format!("&start-after={}&marker={}", encoded(key), encoded(key)),
            Some(s3::Next::Marker(marker)) => format!("&marker={}", encoded(marker)),
        };
        format!("{base}&prefix={}{delimiter}{token}", encoded(prefix))
    }
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The buckets that may contain a root, the more likely one first.
fn candidates(root: &RootUrl) -> Vec<Bucket> {
    let path = root.path().trim_start_matches('/');
    let host = root.host();
    let kind = if host.contains(".blob.core.") { BucketKind::Azure } else { BucketKind::S3 };
    let as_prefix = |rest: &str| if rest.is_empty() { String::new() } else { format!("{}/", decoded(rest)) };
    let in_path = || {
        let (bucket, rest) = path.split_once('/').unwrap_or((path, ""));
        (!bucket.is_empty()).then(|| Bucket { path: bucket.to_owned(), prefix: as_prefix(rest), kind })
    };
    let in_host = Bucket { path: String::new(), prefix: as_prefix(path), kind };
    if kind == BucketKind::Azure {
        return in_path().into_iter().collect();
    }
    // `bucket.s3.region.amazonaws.com`, and compatible services.
    let is_virtual_host = host.split_once(".s3").is_some_and(|(bucket, _)| !bucket.is_empty());
    match is_virtual_host {
        true => vec![in_host],
        false => in_path().into_iter().chain([in_host]).collect(),
    }
}

impl<T: Transport + 'static> HttpStore<T> {
    /// Whether a listing has worked.
    pub(super) fn has_lister(&self) -> bool {
        self.lister.borrow().as_ref().is_some_and(|lister| *lister != Lister::None)
    }

    /// How this server lists. The first call finds out. It is repeated by later calls if requests
    /// failed.
    pub(super) async fn lister(&self) -> Result<Option<Lister>> {
        let known = self.lister.borrow().clone();
        let lister = match known {
            Some(lister) => lister,
            None => {
                let (lister, is_certain) = self.find_lister().await;
                if is_certain {
                    *self.lister.borrow_mut() = Some(lister.clone());
                }
                lister
            }
        };
        Ok((lister != Lister::None).then_some(lister))
    }

    /// The lister, and whether all requests were answered.
    async fn find_lister(&self) -> (Lister, bool) {
        let mut is_certain = true;
        let mut ask = async |url: String| {
            let answer = self.answered_within(1, Method::Get, &url, None).await;
            // A server that rejects cross-origin requests for folders looks like a lost network.
            is_certain &= answer.is_ok();
            answer.ok().filter(|response| response.status == 200)
        };
        for bucket in candidates(&self.root) {
            let url = self.root.elsewhere(&bucket.path, &bucket.query(&bucket.prefix, true, None));
            // A bucket answers with an empty list for a prefix that it does not have, which happens
            // if the guessed bucket is wrong.
            let is_list = ask(url).await.is_some_and(|response| {
                s3::ListResponse::parse(&body(&response)).is_some_and(|answer| !answer.is_empty())
            });
            if is_list {
                return (Lister::Bucket(bucket), true);
            }
        }
        let page = ask(self.page_url(&NodePath::root())).await;
        let is_page = page.is_some_and(|response| page::entries(&response, &self.root.origin()).is_some());
        (if is_page { Lister::Pages } else { Lister::None }, is_certain || is_page)
    }

    fn page_url(&self, prefix: &NodePath) -> String {
        let folder = self.root.path().trim_start_matches('/');
        let below = StoreKey::new(prefix, "").percent_encoded().into_owned();
        let path = match (folder.is_empty(), prefix.is_root()) {
            (true, true) => String::new(),
            (true, false) => below,
            (false, true) => format!("{folder}/"),
            (false, false) => format!("{folder}/{below}"),
        };
        self.root.elsewhere(&path, "")
    }

    pub(super) async fn list_below(&self, prefix: &NodePath) -> Result<Listing> {
        match self.lister().await? {
            Some(Lister::Bucket(bucket)) => self.list_bucket(&bucket, prefix, true).await,
            Some(Lister::Pages) => self.list_page(prefix).await,
            Some(Lister::None) | None => Err(self.cannot_list()),
        }
    }

    pub(super) async fn list_all_below(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        if let Some(Lister::Bucket(bucket)) = self.lister().await? {
            return Ok(self.list_bucket(&bucket, prefix, false).await?.keys);
        }
        walk(prefix, async |prefix| self.list_below(prefix).await).await
    }

    fn cannot_list(&self) -> Error {
        Error::unsupported(format!("this store cannot list; open by path: {}", self.root.shown()))
    }

    async fn list_bucket(&self, bucket: &Bucket, prefix: &NodePath, delimited: bool) -> Result<Listing> {
        let below = if prefix.is_root() { String::new() } else { format!("{prefix}/") };
        let wanted = format!("{}{below}", bucket.prefix);
        let (mut listing, mut next) = (Listing::default(), None);
        let (mut budget, mut progress) = (ListingBudget::default(), Progress::default());
        for _ in 0..PAGES {
            let url = self.root.elsewhere(&bucket.path, &bucket.query(&wanted, delimited, next.as_ref()));
            let response = self.answered(Method::Get, &url, None).await?;
            let answer =
                (response.status == 200).then(|| s3::ListResponse::parse(&body(&response))).flatten();
            let answer = answer.ok_or_else(|| refused(&url, &response))?;
            budget.take(answer.len())?;
            let is_new = progress.take(&answer);
            let following = answer.next();
            answer.add_to(&mut listing, &bucket.prefix, &wanted);
            match following {
                None => return Ok(listing),
                same if same == next || !is_new => return Err(endless(&redact(&url))),
                following => next = following,
            }
        }
        Err(limits::exceeded("a listing", (PAGES as u64).saturating_add(1), PAGES as u64))
    }

    async fn list_page(&self, prefix: &NodePath) -> Result<Listing> {
        let url = self.page_url(prefix);
        let response = self.answered(Method::Get, &url, None).await?;
        if matches!(response.status, 404 | 410) {
            return Ok(Listing::default());
        }
        let entries =
            (response.status == 200).then(|| page::entries(&response, &self.root.origin())).flatten();
        let entries = entries.ok_or_else(|| refused(&url, &response))?;
        let mut listing = Listing::default();
        for entry in entries {
            match entry {
                page::FolderEntry::File(name) => {
                    listing.keys.extend(StoreKey::parse(&key(prefix, &name)).ok())
                }
                page::FolderEntry::Folder(name) => {
                    listing.prefixes.extend(NodePath::from_normal(&key(prefix, &name)))
                }
            }
        }
        Ok(listing)
    }
}

/// Notices pages that repeat. Servers continue with tokens of any kind, so their names tell.
#[derive(Default)]
struct Progress {
    seen: BTreeSet<String>,
    /// The number of pages without a new name, one after the other.
    stale: u32,
}

impl Progress {
    /// Whether the listing may still end: some page of the last ones began with another name than
    /// all before.
    fn take(&mut self, answer: &s3::ListResponse) -> bool {
        let is_new = answer.first().is_some_and(|name| self.seen.insert(name.to_owned()));
        self.stale = if is_new { 0 } else { self.stale.saturating_add(1) };
        self.stale < STALE_PAGES
    }
}

fn key(prefix: &NodePath, name: &str) -> String {
    if prefix.is_root() { name.to_owned() } else { format!("{prefix}/{name}") }
}

fn body(response: &HttpResponse) -> String {
    String::from_utf8_lossy(&response.beginning(limits::LISTING_BYTES)).into_owned()
}

fn refused(url: &str, response: &HttpResponse) -> Error {
    let shown = redact(url);
    let label = RequestLabel { url: &shown, method: Method::Get, range: None };
    match response.status {
        200 => Error::store(format!("{shown} was answered with something other than a listing")),
        _ => label.refused(response),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
