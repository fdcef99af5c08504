//! Which ranges of a value become one request: a pure function of the ranges, the gap over which
//! they are merged, and the length that is aimed at. Who asks, and when, is in
//! the engine's `store/gather.rs`.

use std::ops::Range;

use crate::format::byte_range::len_of;
use crate::sorted;

/// Gap between two ranges up to which one request is cheaper than two.
pub const GAP_BYTES: u64 = 32 << 10;

/// The length that merged requests aim at. The bytes of a request are decoded only after all of
/// them have arrived, so a longer run of ranges is cut. A longer single range is still one request.
pub const MERGED_BYTES: u64 = 2 << 20;

/// Ranges that become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedRange {
    /// From the first byte of its members to the last.
    pub span: Range<u64>,
    /// Indexes of the members in the input list, sorted by start.
    pub members: Vec<usize>,
}

/// Merges ranges that overlap or have at most `gap` bytes between them, and cuts each run of such
/// ranges into equal pieces of about `target` bytes: at most half as much again, and a range that
/// reaches over the end of its piece stays whole. The merged ranges are sorted. Each input range is
/// a member of exactly one.
pub fn merge(ranges: &[Range<u64>], gap: u64, target: u64) -> Vec<MergedRange> {
    merge_staggered(ranges, gap, target, false)
}

/// As [`merge`]. If `is_staggered`, the first piece of a run is half as long as the others.
#[allow(clippy::arithmetic_side_effects, reason = "a piece has one byte at least")]
pub fn merge_staggered(ranges: &[Range<u64>], gap: u64, target: u64, is_staggered: bool) -> Vec<MergedRange> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    let range_of = |member: usize| ranges.get(member).cloned().unwrap_or_default();
    sorted::sort_by_key(&mut order, |member| (range_of(*member).start, range_of(*member).end));
    let runs = grouped(&order, &range_of, &|run, range| range.start.saturating_sub(run.end) <= gap);
    let mut merged = Vec::new();
    for run in runs {
        let len = len_of(&run.span);
        // Rounded, so that no piece is a small rest.
        let count = len.saturating_add(target / 2).checked_div(target).unwrap_or(len).max(1);
        let piece = len.div_ceil(count).max(1);
        let ahead = if is_staggered { piece / 2 } else { 0 };
        let number =
            |range: &Range<u64>| range.start.saturating_sub(run.span.start).saturating_add(ahead) / piece;
        merged.extend(grouped(&run.members, &range_of, &|piece, range| {
            range.end <= piece.end || number(range) == number(piece)
        }));
    }
    merged
}

/// Joins each range with those before it where `joins` says so, of what they are together and the
/// range.
fn grouped(
    sorted: &[usize],
    range_of: &dyn Fn(usize) -> Range<u64>,
    joins: &dyn Fn(&Range<u64>, &Range<u64>) -> bool,
) -> Vec<MergedRange> {
    let mut groups: Vec<MergedRange> = Vec::new();
    for member in sorted {
        let range = range_of(*member);
        match groups.last_mut().filter(|group| joins(&group.span, &range)) {
            Some(group) => {
                group.span.end = group.span.end.max(range.end);
                group.members.push(*member);
            }
            None => groups.push(MergedRange { span: range, members: vec![*member] }),
        }
    }
    groups
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn merged(span: Range<u64>, members: &[usize]) -> MergedRange {
        MergedRange { span, members: members.to_vec() }
    }

    #[test]
    fn ranges_merge_across_a_gap_and_long_runs_are_cut_evenly() {
        assert_eq!(merge(&[], 10, 100), []);
        assert_eq!(merge(&[20..30, 0..10], 10, 100), [merged(0..30, &[1, 0])]);
        assert_eq!(merge(&[0..10, 21..30], 10, 100), [merged(0..10, &[0]), merged(21..30, &[1])]);
        // One request of 149 is better than two, two of 75 are better than one of 100 and one of
        // 50.
        assert_eq!(merge(&[0..60, 60..149], 10, 100), [merged(0..149, &[0, 1])]);
        assert_eq!(
            merge(&[0..50, 50..75, 75..100, 100..150], 10, 100),
            [merged(0..75, &[0, 1]), merged(75..150, &[2, 3])]
        );
        assert_eq!(
            merge(&[0..500, 100..200, 500..501], 10, 100),
            [merged(0..500, &[0, 1]), merged(500..501, &[2])]
        );
        // The first piece is half as long, so that it ends while the others are under way.
        let pieces = merge_staggered(&[0..40, 40..80, 80..120, 120..160, 160..200], 10, 100, true);
        assert_eq!(pieces, [merged(0..80, &[0, 1]), merged(80..160, &[2, 3]), merged(160..200, &[4])]);
        assert_eq!(merge(&[5..u64::MAX, 0..1], 10, u64::MAX), [merged(0..u64::MAX, &[1, 0])]);
    }

    proptest! {
        #[test]
        fn every_range_is_in_one_merged_range_and_these_are_few_sorted_and_of_bounded_length(
            starts in prop::collection::vec((0_u64..1000, 1_u64..100), 0..40),
            gap in 0_u64..50, target in 1_u64..300, is_staggered: bool,
        ) {
            let ranges: Vec<Range<u64>> = starts.iter().map(|&(start, len)| start..start + len).collect();
            let merged = merge_staggered(&ranges, gap, target, is_staggered);
            let mut seen: Vec<usize> = merged.iter().flat_map(|one| one.members.clone()).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..ranges.len()).collect::<Vec<_>>());
            prop_assert!(merged.is_sorted_by_key(|one| one.span.start));
            for MergedRange { span, members } in &merged {
                let members: Vec<_> = members.iter().map(|&idx| ranges[idx].clone()).collect();
                prop_assert_eq!(span.start, members.iter().map(|range| range.start).min().unwrap());
                prop_assert_eq!(span.end, members.iter().map(|range| range.end).max().unwrap());
                let longest = members.iter().map(|range| range.end - range.start).max().unwrap();
                prop_assert!(span.end - span.start <= target + target.div_ceil(2) + longest);
                let mut wanted: Vec<u64> = members.into_iter().flatten().collect();
                wanted.sort_unstable();
                prop_assert!(wanted.windows(2).all(|pair| pair[1] - pair[0] <= gap + 1));
            }
            // The number of pieces of a run is its length divided by the target, rounded; at least
            // one. A first one that is half as long makes one more.
            let bytes: BTreeSet<u64> = ranges.iter().cloned().flatten().collect();
            let bytes: Vec<u64> = bytes.into_iter().collect();
            for run in bytes.chunk_by(|one, next| next - one <= gap + 1) {
                let (first, last) = (run[0], run[run.len() - 1]);
                let count = merged.iter().filter(|one| (first..=last).contains(&one.span.start)).count();
                let most = ((last + 1 - first + target / 2) / target).max(1);
                prop_assert!(count as u64 <= most + u64::from(is_staggered));
            }
        }
    }
}
