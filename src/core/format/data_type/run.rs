//! Runs of numbers of the same kind within one element. Byte orders reverse their bytes, and narrow
//! numbers do not use all their bits.

use crate::kernel::swap::swap_bytes_in_place;

/// Consecutive numbers of the same width within an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The offset of the first number, in bytes.
    pub offset: usize,
    /// The size of each number in bytes.
    pub width: usize,
    /// The number of numbers.
    pub count: usize,
    /// The number of significant bits of each number. It is less than the bits of its bytes only
    /// for numbers of 2, 4 and 6 bits.
    pub bits: u32,
    /// Whether the unused bits of a narrow number repeat its highest significant bit.
    pub signed: bool,
}

impl Run {
    /// A run of `count` numbers of `width` bytes from the start of the element.
    pub fn of(width: usize, count: usize) -> Self {
        let bits = u32::try_from(width).unwrap_or(u32::MAX).saturating_mul(8);
        Self { offset: 0, width, count, bits, signed: false }
    }

    pub(super) fn with_bits(self, bits: u32, signed: bool) -> Self {
        Self { bits, signed, ..self }
    }

    /// Whether the numbers do not use the upper bits of their byte.
    pub fn is_narrow(&self) -> bool {
        self.width == 1 && self.bits < 8
    }

    /// Whether the run covers a whole element of this size.
    pub fn is_whole(&self, element_size: usize) -> bool {
        self.offset == 0 && self.width.checked_mul(self.count) == Some(element_size)
    }

    /// Reverses the bytes of each number within one element.
    pub fn swap(&self, element: &mut [u8]) {
        self.numbers(element).for_each(<[u8]>::reverse);
    }

    /// Sets the unused bits of each narrow number as they are in memory: to zero, or to the sign.
    pub fn extend(&self, element: &mut [u8]) {
        let unused = 8_u32.saturating_sub(self.bits).min(7);
        for byte in self.numbers(element).flatten() {
            let high = *byte << unused;
            *byte = if self.signed { (high.cast_signed() >> unused).cast_unsigned() } else { high >> unused };
        }
    }

    fn numbers<'a>(&self, element: &'a mut [u8]) -> impl Iterator<Item = &'a mut [u8]> + use<'a> {
        let start = self.offset.min(element.len());
        let rest = element.get_mut(start..).unwrap_or_default();
        let len = self.width.saturating_mul(self.count).min(rest.len());
        rest.get_mut(..len).unwrap_or_default().chunks_exact_mut(self.width.max(1))
    }
}

/// Reverses the bytes of these numbers in every element.
pub fn swap_all(elements: &mut [u8], element_size: usize, runs: &[Run]) {
    match runs {
        [run] if run.is_whole(element_size) => swap_bytes_in_place(elements, run.width),
        _ => for_each_run(elements, element_size, runs, Run::swap),
    }
}

/// Sets the unused bits of these narrow numbers in every element. See [`Run::extend`].
pub fn extend_all(elements: &mut [u8], element_size: usize, runs: &[Run]) {
    match runs {
        [run] if run.is_whole(element_size) => Run { count: elements.len(), ..*run }.extend(elements),
        _ => for_each_run(elements, element_size, runs, Run::extend),
    }
}

fn for_each_run(elements: &mut [u8], element_size: usize, runs: &[Run], apply: fn(&Run, &mut [u8])) {
    if !runs.is_empty() {
        let each = elements.chunks_exact_mut(element_size.max(1));
        each.for_each(|element| runs.iter().for_each(|run| apply(run, element)));
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_numbers_are_reversed_in_place() {
        let mut element = [0, 1, 2, 3, 4, 5, 6];
        Run { offset: 1, ..Run::of(2, 2) }.swap(&mut element);
        assert_eq!(element, [0, 2, 1, 4, 3, 5, 6]);
        // Runs past the end change nothing.
        Run { offset: 6, ..Run::of(4, 1) }.swap(&mut element);
        assert_eq!(element, [0, 2, 1, 4, 3, 5, 6]);
    }

    #[test]
    fn numbers_of_all_elements_are_swapped() {
        let swapped = |element_size, runs: &[Run]| {
            let mut bytes: Vec<u8> = (0..12).collect();
            swap_all(&mut bytes, element_size, runs);
            bytes
        };
        let at = |offset, width| Run { offset, ..Run::of(width, 1) };
        assert_eq!(swapped(4, &[at(0, 4)]), [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]);
        assert_eq!(swapped(4, &[Run::of(2, 2)]), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10]);
        assert_eq!(swapped(6, &[at(1, 2), at(3, 3)]), [0, 2, 1, 5, 4, 3, 6, 8, 7, 11, 10, 9]);
        assert_eq!(swapped(4, &[at(2, 2)]), [0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10]);
        assert_eq!(swapped(1, &[]), (0..12).collect::<Vec<u8>>());
    }

    #[test]
    fn unused_bits_are_set() {
        let extended = |bits, signed, byte| {
            let mut element = [byte];
            Run::of(1, 1).with_bits(bits, signed).extend(&mut element);
            element[0]
        };
        assert_eq!([0xf7, 0x08, 0x5f].map(|byte| extended(4, true, byte)), [0x07, 0xf8, 0xff]);
        assert_eq!([0xf7, 0x08, 0x5f].map(|byte| extended(4, false, byte)), [0x07, 0x08, 0x0f]);
        assert_eq!([0, 1, 2, 3].map(|byte| extended(2, true, byte)), [0, 1, 0xfe, 0xff]);
        assert_eq!(extended(6, false, 0xff), 0x3f);
    }
}
