//! What the answers of one exchange have told, and which kind of request follows from it. The
//! server's own habits, which outlast the exchange, are in
//! [`ServerKnowledge`](super::server::ServerKnowledge).
//!
//! To read a suffix, up to four kinds of requests are tried, until one works: `bytes=a-b` around
//! the likely end, which also tells the size; HEAD for the size, then `bytes=a-b`; `bytes=-N`; the
//! whole object.

use std::ops::Range;

use super::exchange::{ExchangeContext, Goal};
use super::request_kind::RequestKind;
use super::server::SuffixRanges;
use crate::format::byte_range::ByteRange;
use crate::subject::LikelySize;

/// Maximum number of bytes that are read beyond the requested ones to find the end.
const TAIL_BYTES: u64 = 128 << 10;

/// What the answers of one exchange have told.
pub struct Learned {
    /// Size of the object.
    pub size: Option<u64>,
    /// The ways to the end of an object that did not work.
    pub head_failed: bool,
    pub suffix_failed: bool,
    pub tail_failed: bool,
    /// Length of the last body that was suspicious.
    pub suspected_len: Option<u64>,
    /// Whether an answer was a web page.
    pub suspected_page: bool,
}

impl Learned {
    /// What is known of the server before the first answer.
    pub fn before(context: &ExchangeContext<'_>) -> Self {
        Self {
            size: None,
            head_failed: context.knowledge.head_useless.get(),
            suffix_failed: context.origin.suffix_ranges.get() == SuffixRanges::Fail,
            tail_failed: context.knowledge.tails_useless.get(),
            suspected_len: None,
            suspected_page: false,
        }
    }

    /// Whether an answer was wrong, so that caches must be passed.
    pub fn is_doubtful(&self) -> bool {
        self.suspected_len.is_some() || self.suspected_page
    }

    /// The kind of request that leads to the goal, as far as is known.
    pub fn next_kind(&self, goal: Goal, context: &ExchangeContext<'_>) -> RequestKind {
        let ExchangeContext { knowledge, origin, .. } = context;
        match goal {
            Goal::Read(ByteRange::Whole) => RequestKind::Whole,
            // If the server has ever sent a part, a whole object may concern that object alone, or
            // an empty cache.
            Goal::Read(_) if knowledge.asks_for_whole_objects(origin) => RequestKind::Whole,
            Goal::Read(ByteRange::At { offset, len }) => {
                RequestKind::Window(offset..offset.saturating_add(len))
            }
            Goal::Read(ByteRange::Last(len)) => self.way_to_suffix(len, context),
            Goal::Size if self.head_failed && knowledge.asks_for_whole_objects(origin) => RequestKind::Whole,
            Goal::Size if self.head_failed => RequestKind::FirstByte,
            Goal::Size => RequestKind::Head,
        }
    }

    fn way_to_suffix(&self, len: u64, context: &ExchangeContext<'_>) -> RequestKind {
        let at_once =
            context.options.use_suffix_request || context.origin.suffix_ranges.get() == SuffixRanges::Work;
        if context.knowledge.ranges_ignored.get() {
            RequestKind::Whole
        } else if !self.suffix_failed && (at_once || self.head_failed) {
            RequestKind::Suffix(len)
        } else if let Some(tail) = self.likely_tail(len, context.likely_size) {
            RequestKind::Tail(tail)
        } else if self.head_failed {
            RequestKind::Whole
        } else {
            RequestKind::Head
        }
    }

    /// The range that probably contains the last bytes, and one more byte. If that byte is missing,
    /// the end is known even if no header tells the size. `None` if the size is too uncertain.
    fn likely_tail(&self, len: u64, likely_size: Option<LikelySize>) -> Option<Range<u64>> {
        let LikelySize { low, high } = likely_size.filter(|_| !self.tail_failed)?;
        let is_worth = high.checked_sub(low)? <= TAIL_BYTES;
        is_worth.then(|| low.saturating_sub(len)..high.saturating_add(1))
    }
}
