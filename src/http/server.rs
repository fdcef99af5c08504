//! What answers tell about a server, for the next exchanges with it.

use std::cell::Cell;

use super::fault::Seen;
use super::web_page::WebPages;

/// Whether `Range: bytes=-N` works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuffixRanges {
    /// Not tried yet.
    #[default]
    Unknown,
    /// A suffix request was answered correctly.
    Work,
    /// A suffix request was rejected, ignored or misunderstood, and another kind of request worked.
    Fail,
}

/// What all reads from one server have learned about it.
#[derive(Debug, Default)]
pub struct OriginKnowledge {
    /// Whether suffixes of objects can be asked for.
    pub suffix_ranges: Cell<SuffixRanges>,
    /// The server has answered a range request with a part.
    pub sends_parts: Cell<bool>,
}

/// What a store has learned about its server.
#[derive(Debug, Default)]
pub struct ServerKnowledge {
    /// A read succeeded, so access is allowed in general.
    pub answered: Cell<bool>,
    /// The server answered the last range request with the whole object.
    pub ranges_ignored: Cell<bool>,
    /// The server refused HEAD, or its answer did not tell the size.
    pub head_useless: Cell<bool>,
    /// A range around the likely end did not tell the size.
    pub tails_useless: Cell<bool>,
    /// The `Cache-Control` header of the last chunk demands revalidation.
    pub demands_revalidation: Cell<bool>,
    /// A 403 was taken for an absent chunk.
    pub took_refusal_for_absence: Cell<bool>,
    /// The server labels objects as HTML too, so the label says nothing.
    pub labels_objects_as_html: Cell<bool>,
    /// What was seen of the server when it was last asked whether it is there.
    pub seen: Cell<Seen>,
    /// What is known of its web pages.
    pub web_pages: WebPages,
}

impl ServerKnowledge {
    /// Whether to request whole objects instead of parts. True if this server has ignored ranges
    /// and has never sent a part. Caches can store the answer of a request without a range.
    pub fn asks_for_whole_objects(&self, origin: &OriginKnowledge) -> bool {
        self.ranges_ignored.get() && !origin.sends_parts.get()
    }

    /// Whether several requests for one object may bring it several times.
    pub fn may_send_whole_objects(&self, origin: &OriginKnowledge) -> bool {
        self.ranges_ignored.get() || !origin.sends_parts.get()
    }
}
