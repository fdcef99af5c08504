//! An order of parts in which the first ones are spread over the whole selection, so that an early
//! answer is a fair one.

/// The golden ratio: multiples of it, modulo 1, lie far from each other.
const RATIO: f64 = 0.618_033_988_749_894_9;

/// The numbers below `count`, each once. Any first few of them are spread evenly.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "both numbers are below `count`, and the remainder keeps the sum below it"
)]
pub fn spread(count: u64) -> impl Iterator<Item = u64> {
    let step = step(count);
    let mut next = 0_u64;
    (0..count).map(move |_| {
        let this = next;
        // `this + step` may exceed 64 bits.
        next = if this >= count - step { this - (count - step) } else { this + step };
        this
    })
}

/// A step about the golden ratio of `count`, without a common divisor: it visits all numbers.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the step stays between 1 and `count`"
)]
fn step(count: u64) -> u64 {
    let mut step = ((count as f64 * RATIO) as u64).clamp(1, count.max(1));
    while step > 1 && common_divisor(step, count) > 1 {
        step -= 1;
    }
    step
}

/// The greatest common divisor (Euclid).
fn common_divisor(mut one: u64, mut other: u64) -> u64 {
    while let Some(rest) = one.checked_rem(other) {
        (one, other) = (other, rest);
    }
    one
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn each_number_comes_once() {
        for count in (0..200).chain([1000, 1024, 4096]) {
            let mut all: Vec<u64> = spread(count).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn early_numbers_lie_in_all_parts_of_the_range() {
        for count in [64, 100, 1000, 1 << 20] {
            let first: Vec<u64> = spread(count).take(16).collect();
            for quarter in 0..4 {
                let found = first.iter().filter(|at| 4 * **at / count == quarter).count();
                assert!((3..=5).contains(&found), "{count}: {found} in quarter {quarter}");
            }
        }
    }

    #[test]
    fn large_counts_do_not_overflow() {
        assert!(spread(u64::MAX).take(1000).all(|at| at < u64::MAX));
    }
}
