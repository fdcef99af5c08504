//! Index pages that servers generate for folders: nginx, Apache, Python's `http.server`, lighttpd,
//! Caddy, npm's `http-server` and `serve`, Jetty; also nginx's JSON format.
//!
//! These pages have only links in common. A link counts if it leads one name down from the page's
//! own address. A page counts if its title is that of an index, or if it links to the parent
//! folder. Names that a server hides are not found; nginx and Apache hide names that begin with a
//! dot.

use zarr_wasm_http::url::RootUrl;

use super::element::{attribute, contents, next_tag, unescape};
use crate::format::json::{Document, Json};
use crate::limits;
use crate::sorted::Map;
use crate::store::http::transport::HttpResponse;

/// Beginnings of the titles of index pages, in lower case.
const TITLES: [&str; 5] = ["index of", "directory listing", "files within", "directory:", "listing of"];

/// An entry of a folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FolderEntry {
    /// The name of a file.
    File(String),
    /// The name of a folder.
    Folder(String),
}

/// The entries of a page; `None` if it is not a listing. `origin` is the origin of the request.
pub(super) fn entries(response: &HttpResponse, origin: &str) -> Option<Vec<FolderEntry>> {
    let text = response.beginning(limits::LISTING_BYTES);
    let text = String::from_utf8_lossy(&text);
    if text.trim_start().starts_with('[') {
        return json_entries(&text);
    }
    let page = RootUrl::parse(&response.url).ok()?;
    // Ignores a listing of another server, to which unknown paths may be redirected.
    (page.origin() == origin).then(|| html_entries(&text, &page)).flatten()
}

/// Parses the format of nginx with `autoindex_format json`.
fn json_entries(text: &str) -> Option<Vec<FolderEntry>> {
    let document = Document::parse(text.as_bytes()).ok()?;
    let entry = |item: Json<'_>| {
        let item = item.object()?;
        let name = item.require("name", Json::str)?;
        Ok(match item.require("type", Json::str)?.as_ref() {
            "directory" => FolderEntry::Folder(name.trim_end_matches('/').to_owned()),
            _ => FolderEntry::File(name.into_owned()),
        })
    };
    document.root().list(entry).ok()
}

fn html_entries(text: &str, page: &RootUrl) -> Option<Vec<FolderEntry>> {
    let base = format!("{}/", page.path());
    let mut is_listing = is_titled(text);
    let mut found: Map<String, bool> = Map::new();
    let mut rest = text;
    while let Some(tag) = next_tag(&mut rest) {
        if tag.closes || !tag.name.eq_ignore_ascii_case("a") {
            continue;
        }
        let Some(href) = attribute(tag.attributes, "href") else { continue };
        is_listing |= matches!(href.trim_end_matches('/'), "..");
        if let Some((name, is_folder)) = child(&href, &base, page) {
            *found.get_or_insert_with(name, || false) |= is_folder;
        }
    }
    let entry =
        |(name, is_folder)| if is_folder { FolderEntry::Folder(name) } else { FolderEntry::File(name) };
    is_listing.then(|| found.into_entries().map(entry).collect())
}

fn is_titled(text: &str) -> bool {
    let titles = ["title", "h1"].into_iter().flat_map(|name| contents(text, name));
    let mut titles = titles.map(|title| unescape(title).trim().to_ascii_lowercase());
    titles.any(|title| TITLES.iter().any(|word| title.starts_with(word)))
}

/// The name one level below the page to which a link leads, and whether it is a folder.
fn child(href: &str, base: &str, page: &RootUrl) -> Option<(String, bool)> {
    let href = href.split(['?', '#']).next().unwrap_or_default();
    if href.is_empty() {
        return None;
    }
    let is_folder = href.ends_with('/');
    // The base ends with a slash, which `RootUrl` does not keep.
    let below = match href.starts_with('/') || href.contains("://") {
        true => page.resolve(href).ok().filter(|target| target.origin() == page.origin())?.path().to_owned(),
        false => format!("{base}{}", href.strip_prefix("./").unwrap_or(href).trim_end_matches('/')),
    };
    let name = super::decoded(below.strip_prefix(base)?);
    let is_name = !matches!(name.as_str(), "" | "." | "..") && !name.contains('/');
    is_name.then_some((name, is_folder))
}
