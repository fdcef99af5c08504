//! Fewer requests for neighbouring ranges of one value.
//!
//! [`merge`] is a pure function from ranges to groups; [`Coalescing`] fetches the groups and cuts the answers back without
//! copying. It merges within one call of `get_ranges`: whoever gathers the ranges of several readers calls it once. The cap
//! is there because a merged answer is decoded only when all of it has come.

use std::ops::Range;

use futures_util::future::try_join_all;

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::sorted;
use crate::store::{ByteRange, Fetched, LocalFuture, RequestContext, Store};

/// How many unwanted bytes are cheaper than another request.
pub const GAP_BYTES: u64 = 32 << 10;

/// How long a merged request may become; a range that is longer by itself is still asked for in one.
pub const MERGED_BYTES: u64 = 2 << 20;

/// Ranges that are asked for together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What is asked for.
    pub span: Range<u64>,
    /// Places of its members in the list that was merged, by where they begin.
    pub members: Vec<usize>,
}

/// Joins ranges that overlap or have at most `gap` bytes between them, up to `cap` bytes a group. The groups come in order;
/// each range is in one of them, whole.
pub fn merge(ranges: &[Range<u64>], gap: u64, cap: u64) -> Vec<Group> {
    let mut order: Vec<(usize, &Range<u64>)> = ranges.iter().enumerate().collect();
    sorted::sort_by_key(&mut order, |(_, range)| (range.start, range.end));
    let mut groups: Vec<Group> = Vec::new();
    for (idx, range) in order {
        match groups.last_mut().filter(|group| fits(&group.span, range, gap, cap)) {
            Some(group) => {
                group.span.end = group.span.end.max(range.end);
                group.members.push(idx);
            }
            None => groups.push(Group { span: range.clone(), members: vec![idx] }),
        }
    }
    groups
}

/// Whether a range that begins no earlier than the span may join it.
fn fits(span: &Range<u64>, range: &Range<u64>, gap: u64, cap: u64) -> bool {
    let contained = range.end <= span.end;
    let near = range.start.saturating_sub(span.end) <= gap;
    contained || (near && range.end - span.start <= cap)
}

/// A store that merges the ranges of one `get_ranges`.
pub struct Coalescing<S> {
    inner: S,
    gap: u64,
    cap: u64,
}

impl<S: Store> Coalescing<S> {
    /// Merges by the usual gap and cap.
    pub fn new(inner: S) -> Self {
        Self::with_bounds(inner, GAP_BYTES, MERGED_BYTES)
    }

    /// Merges over at most `gap` unwanted bytes to requests of at most `cap`.
    pub fn with_bounds(inner: S, gap: u64, cap: u64) -> Self {
        Self { inner, gap, cap }
    }

    async fn fetch(
        &self,
        key: &StoreKey,
        ranges: &[ByteRange],
        context: &RequestContext,
    ) -> Result<Vec<Option<Fetched>>> {
        let plan = Plan::of(ranges, self.gap, self.cap)?;
        let requests = plan.requests();
        let answers = try_join_all(requests.iter().map(|range| self.inner.get(key, *range, context))).await?;
        plan.cut(ranges, &answers).map_err(|error| error.at_key(key.as_str()))
    }
}

/// How the ranges of one call are asked for. Only what has a known place can be merged; the rest goes alone.
struct Plan {
    groups: Vec<Group>,
    /// Places of those that go alone, in the list that was asked for.
    alone: Vec<(usize, ByteRange)>,
}

impl Plan {
    fn of(ranges: &[ByteRange], gap: u64, cap: u64) -> Result<Self> {
        let mut placed = Vec::new();
        let mut places = Vec::new();
        let mut alone = Vec::new();
        for (idx, range) in ranges.iter().enumerate() {
            match range.check()? {
                ByteRange::FromStart { offset, len } => {
                    placed.push(offset..offset.saturating_add(len));
                    places.push(idx);
                }
                range => alone.push((idx, range)),
            }
        }
        let mut groups = merge(&placed, gap, cap);
        for member in groups.iter_mut().flat_map(|group| &mut group.members) {
            *member = places[*member];
        }
        Ok(Self { groups, alone })
    }

    fn requests(&self) -> Vec<ByteRange> {
        let merged = self.groups.iter().map(|Group { span, .. }| ByteRange::FromStart {
            offset: span.start,
            len: span.end - span.start,
        });
        merged.chain(self.alone.iter().map(|(_, range)| *range)).collect()
    }

    /// From one answer a request to one answer a range.
    fn cut(&self, ranges: &[ByteRange], answers: &[Option<Fetched>]) -> Result<Vec<Option<Fetched>>> {
        let mut output = vec![None; ranges.len()];
        for (group, answer) in self.groups.iter().zip(answers) {
            let Some(answer) = answer else { continue };
            for &member in &group.members {
                output[member] = Some(part(answer, group.span.start, ranges[member])?);
            }
        }
        for ((idx, _), answer) in self.alone.iter().zip(&answers[self.groups.len()..]) {
            output[*idx] = answer.clone();
        }
        Ok(output)
    }
}

/// A member's part of what was fetched from `start` on, which ends early where the object does.
fn part(answer: &Fetched, start: u64, range: ByteRange) -> Result<Fetched> {
    let end = start + answer.value.len();
    // What is at hand ends where the object does, or covers the member.
    let part = range.of(end).ok_or_else(|| range.past_end(answer.size.or(Some(end))))?;
    let value = answer.value.slice(part.start - start..part.end - start)?;
    Ok(Fetched { value, ..answer.clone() })
}

impl<S: Store> Store for Coalescing<S> {
    forward_to_inner! { capabilities describe size set erase lists }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        self.inner.get(key, range, context)
    }

    fn get_ranges<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [ByteRange],
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Vec<Option<Fetched>>>> {
        Box::pin(self.fetch(key, ranges, context))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use futures_executor::block_on;
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::memory::MemoryStore;
    use crate::store::wrap::Counting;

    fn group(span: Range<u64>, members: &[usize]) -> Group {
        Group { span, members: members.to_vec() }
    }

    #[test]
    fn neighbours_join_across_a_gap_and_up_to_a_cap() {
        assert_eq!(merge(&[], 10, 100), []);
        assert_eq!(merge(&[20..30, 0..10], 10, 100), [group(0..30, &[1, 0])]);
        assert_eq!(merge(&[0..10, 21..30], 10, 100), [group(0..10, &[0]), group(21..30, &[1])]);
        assert_eq!(merge(&[0..60, 60..101], 10, 100), [group(0..60, &[0]), group(60..101, &[1])]);
        assert_eq!(
            merge(&[0..500, 100..200, 500..501], 10, 100),
            [group(0..500, &[0, 1]), group(500..501, &[2])]
        );
        assert_eq!(merge(&[5..u64::MAX, 0..1], 10, u64::MAX), [group(0..u64::MAX, &[1, 0])]);
    }

    fn byte_range() -> impl Strategy<Value = ByteRange> {
        prop_oneof![
            8 => (0_u64..190, 1_u64..40).prop_map(|(offset, len)| ByteRange::FromStart { offset, len }),
            1 => (1_u64..250).prop_map(ByteRange::Suffix),
            1 => Just(ByteRange::Whole),
        ]
    }

    proptest! {
        #[test]
        fn every_range_is_in_one_group_and_no_group_could_be_smaller_or_fewer(
            starts in prop::collection::vec((0_u64..1000, 1_u64..100), 0..40), gap in 0_u64..50, cap in 1_u64..300,
        ) {
            let ranges: Vec<Range<u64>> = starts.iter().map(|&(start, len)| start..start + len).collect();
            let groups = merge(&ranges, gap, cap);
            let mut seen: Vec<usize> = groups.iter().flat_map(|group| group.members.clone()).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..ranges.len()).collect::<Vec<_>>());
            for Group { span, members } in &groups {
                let members: Vec<_> = members.iter().map(|&idx| ranges[idx].clone()).collect();
                prop_assert_eq!(span.start, members.iter().map(|range| range.start).min().unwrap());
                prop_assert_eq!(span.end, members.iter().map(|range| range.end).max().unwrap());
                let longest = members.iter().map(|range| range.end - range.start).max().unwrap();
                prop_assert!(span.end - span.start <= cap.max(longest));
                let mut wanted: Vec<u64> = members.into_iter().flatten().collect();
                wanted.sort_unstable();
                prop_assert!(wanted.windows(2).all(|pair| pair[1] - pair[0] <= gap + 1));
            }
            for pair in groups.windows(2) {
                let next = &ranges[pair[1].members[0]];
                let far = next.start > pair[0].span.end + gap;
                prop_assert!(far || next.end - pair[0].span.start > cap);
            }
        }

        #[test]
        fn answers_cut_back_are_those_of_single_requests(
            ranges in prop::collection::vec(byte_range(), 0..12), gap in 0_u64..50, cap in 1_u64..300,
        ) {
            let memory = Rc::new(MemoryStore::new());
            let key = StoreKey::parse("shard").unwrap();
            memory.insert(&key, (0..200).collect::<Vec<u8>>());
            let context = RequestContext::default();
            let bytes = |fetched: Option<Fetched>| fetched.unwrap().value.to_vec(1000, "test").unwrap();
            let merging = Coalescing::with_bounds(memory.clone(), gap, cap);
            let merged = block_on(merging.get_ranges(&key, &ranges, &context)).unwrap();
            let merged: Vec<Vec<u8>> = merged.into_iter().map(bytes).collect();
            let single = ranges.iter().map(|range| bytes(block_on(memory.get(&key, *range, &context)).unwrap()));
            prop_assert_eq!(merged, single.collect::<Vec<_>>());
        }
    }

    fn counted() -> (StoreKey, Rc<Counting<MemoryStore>>) {
        let memory = MemoryStore::new();
        let key = StoreKey::parse("shard").unwrap();
        memory.insert(&key, vec![7; 100]);
        (key, Rc::new(Counting::new(memory)))
    }

    #[test]
    fn a_group_is_one_request_and_absent_values_stay_absent() {
        let (key, counting) = counted();
        let store = Coalescing::with_bounds(counting.clone(), 4, 50);
        let ranges = [10, 0, 5, 80].map(|offset| ByteRange::FromStart { offset, len: 3 });
        let context = RequestContext::default();
        let fetched = block_on(store.get_ranges(&key, &ranges, &context)).unwrap();
        assert!(fetched.iter().all(|fetched| fetched.as_ref().unwrap().value.len() == 3));
        assert_eq!((counting.counters().requests, counting.counters().bytes), (2, 13 + 3));
        let absent = StoreKey::parse("absent").unwrap();
        let fetched = block_on(store.get_ranges(&absent, &ranges, &context)).unwrap();
        assert!(fetched.iter().all(Option::is_none));
    }

    #[test]
    fn a_member_past_the_end_fails_as_it_would_alone() {
        let (key, counting) = counted();
        let store = Coalescing::new(counting);
        let ranges = [90, 100].map(|offset| ByteRange::FromStart { offset, len: 10 });
        let error = block_on(store.get_ranges(&key, &ranges, &RequestContext::default())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().range, Some((100, 10)));
    }
}
