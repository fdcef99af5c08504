//! Web pages that a server sends instead of objects, with status 200.
//!
//! Servers of single-page applications answer each absent name with one page. A proxy that demands
//! a login answers each name with a page. The first means that a chunk is absent and reads as the
//! fill value. The second says nothing about the chunk. To tell them apart, the store reads an
//! object again that it has read before (`HttpStore::judge_page`). If that is a page now too, the
//! read fails.

use std::cell::{Cell, RefCell};

use super::answer::HttpResponse;
use super::options::HttpOptions;
use super::url::split_around;
use crate::subject::Subject;

/// The number of first bytes that are searched for a title.
const TITLE_BYTES: u64 = 16 << 10;

/// The most characters of a title that are shown.
const SHOWN_CHARS: usize = 100;

/// The number of first bytes that are compared.
pub const BEGINNING_BYTES: u64 = 512;

/// A page, as far as pages are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    beginning: Vec<u8>,
    size: Option<u64>,
}

impl WebPage {
    /// The page in an answer that shows the beginning of its body.
    pub fn of(response: &HttpResponse, subject: Subject) -> Option<Self> {
        let beginning = response.beginning(BEGINNING_BYTES);
        if !is_page(&beginning, subject, response) {
            return None;
        }
        let size = match response.status {
            206 => response.content_range().total,
            _ => Some(response.body.len()),
        };
        Some(Self { beginning, size })
    }
}

fn is_page(beginning: &[u8], subject: Subject, response: &HttpResponse) -> bool {
    let text = beginning.trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|text| text.eq_ignore_ascii_case(with));
    match subject {
        Subject::Metadata => begins(b"<"),
        Subject::Chunk | Subject::Update => {
            is_labelled(response) && (begins(b"<!doctype html") || begins(b"<html"))
        }
    }
}

/// What a page or an error in XML says of itself.
#[cold]
fn title(response: &HttpResponse) -> Option<String> {
    let text = String::from_utf8_lossy(&response.beginning(TITLE_BYTES)).into_owned();
    let lower = text.to_ascii_lowercase();
    for name in ["title", "message", "code"] {
        let Some((before, rest)) = split_around(&lower, &format!("<{name}")) else { continue };
        let Some((element, _)) = split_around(rest, "</") else { continue };
        let Some((attributes, held)) = element.split_once('>') else { continue };
        let start = [before.len(), "<".len(), name.len(), attributes.len(), ">".len()].iter().sum();
        let held = text.get(start..).and_then(|text| text.get(..held.len()))?;
        let words: Vec<&str> = held.split_whitespace().collect();
        return Some(words.join(" ").chars().take(SHOWN_CHARS).collect());
    }
    None
}

/// Whether the answer is labelled as HTML. Some servers label all files without extension so.
pub fn is_labelled(response: &HttpResponse) -> bool {
    response.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"))
}

/// An object that a store has read.
#[derive(Clone, Debug)]
pub struct KnownObject {
    /// Its URL.
    pub url: String,
    /// What it is.
    pub subject: Subject,
}

/// What a store knows about the pages of its server.
#[derive(Debug, Default)]
pub struct WebPages {
    known_object: RefCell<Option<KnownObject>>,
    /// The page for absent names.
    absence_page: RefCell<Option<WebPage>>,
    has_warned: Cell<bool>,
    /// What the first page instead of metadata is: `a web page, "Title"`.
    instead_of_metadata: RefCell<Option<String>>,
}

impl WebPages {
    /// Notes that an object was read. The first one stays: it is most likely metadata.
    pub fn note_object(&self, url: &str, subject: Subject) {
        let mut known = self.known_object.borrow_mut();
        if known.is_none() {
            *known = Some(KnownObject { url: url.to_owned(), subject });
        }
    }

    /// Forgets an object that may no longer exist.
    pub fn forget_object(&self, url: &str) {
        self.known_object.borrow_mut().take_if(|known| known.url == url);
    }

    /// An object that the server has sent.
    pub fn known_object(&self) -> Option<KnownObject> {
        self.known_object.borrow().clone()
    }

    /// Whether there is an object that the server has sent, so that a page can be checked with it.
    pub(crate) fn can_be_checked(&self) -> bool {
        self.known_object.borrow().is_some()
    }

    /// Notes that the server sends this page for absent names.
    pub fn note_absence_page(&self, page: WebPage) {
        *self.absence_page.borrow_mut() = Some(page);
    }

    /// Notes what the server sends instead of metadata.
    #[cold]
    pub(crate) fn note_instead_of_metadata(&self, response: &HttpResponse) {
        let what = if is_labelled(response) { "a web page" } else { "a page or an error in XML" };
        let title = title(response).map(|title| format!(", \"{title}\",")).unwrap_or_default();
        self.instead_of_metadata.borrow_mut().get_or_insert(format!("{what}{title}"));
    }

    /// What to add to the address of a store that has no metadata. `advice` is about the address.
    pub fn remark(&self, advice: &str) -> String {
        let advice = if advice.is_empty() { String::new() } else { format!("; {advice}") };
        match &*self.instead_of_metadata.borrow() {
            Some(what) => {
                format!(
                    ", where the server sends {what} in place of metadata: open the address of the data, not of a page about them{advice}"
                )
            }
            None => advice,
        }
    }

    /// Whether the server sends this page for absent names.
    pub(crate) fn is_absence_page(&self, page: &WebPage) -> bool {
        self.absence_page.borrow().as_ref() == Some(page)
    }

    /// Warns about the first chunk that a page replaced. The chunk may exist: `serve --single`
    /// sends its page for every name without an extension.
    pub fn warn_once(&self, url: &str, subject: Subject, options: &HttpOptions) {
        if subject == Subject::Metadata || self.has_warned.replace(true) {
            return;
        }
        options.warn_on_console(&format!(
            "a web page with status 200 for {url} is taken for an absent chunk, which reads as the fill value: \
             the server still sends what this store has read before"
        ));
    }
}
